"""What is said of a field once comes out everywhere, and results behave as values."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
import pytest

import fourfold as ff
from fourfold import shape
from fourfold.errors import Notes
from fourfold.shape import Chance, Count, Record, Result, also, finite, joined
from fourfold.writers import html

from ..conftest import ROOT
from ..results import RESULTS

EVERY = [pytest.param(make, id=f"{name}-{i}") for name, several in RESULTS.items() for i, make in enumerate(several)]
ANSWERS = [each for each in EVERY if not each.id.startswith("error")]


@dataclass(frozen=True)
class Place(Record):
    """Where something is."""

    town: Annotated[str, "Which town."]
    share: Annotated[Chance | None, "How much of it."] = None


@dataclass(frozen=True)
class Finding(Result, columns="where=place.town count size", members="place? kinds best exact ends *other notes"):
    """A finding. It has more to say.

    And more.
    """

    place: Annotated[Place | None, "Where it is."]
    count: Annotated[Count, "How many."]
    kinds: Annotated[tuple[Literal["a", "b"], ...], "Of which kinds.", also(minItems=1)]
    best: Annotated[float, "The best.", finite]
    exact: Annotated[Fraction, "As a fraction.", str]
    other: Place
    notes: Notes = ()

    @property
    def size(self) -> int:
        """The size in words of one line,
        or of two.
        """
        return 10 * self.count

    def ends(self) -> Annotated[dict[str, tuple[int, int]], "Both ends."]:
        return {"x": (1, 2)}


FINDING = Finding(Place("Ulm", 0.5), 3, ("a",), float("inf"), Fraction(1, 3), Place("Bonn"))


def test_members_are_fields_properties_methods_paths_and_all_of_another() -> None:
    assert FINDING.to_dict() == {
        "where": "Ulm",
        "count": 3,
        "size": 30,
        "place": {"town": "Ulm", "share": 0.5},
        "kinds": ["a"],
        "best": None,
        "exact": "1/3",
        "ends": {"x": [1, 2]},
        "town": "Bonn",
        "share": None,
        "notes": [],
    }
    assert FINDING.rows() == [{"where": "Ulm", "count": 3, "size": 30}]


def test_what_is_optional_is_left_out_and_a_path_through_nothing_is_none() -> None:
    finding = Finding(None, 3, ("a",), 1.0, Fraction(1), Place("Bonn"))
    assert "place" not in finding.to_dict()
    assert finding.rows()[0]["where"] is None


def test_the_schema_says_what_the_annotations_say() -> None:
    schema = Finding.schema()
    assert schema["description"] == "A finding. It has more to say."
    assert schema["required"] == ["where", "count", "size", "kinds", "best", "exact", "ends", "town", "share", "notes"]
    members = schema["properties"]
    assert members["count"] == {"type": "integer", "minimum": 0, "description": "How many."}
    assert members["size"]["description"] == "The size in words of one line, or of two."
    assert members["kinds"]["items"] == {"type": "string", "enum": ["a", "b"]}
    assert members["kinds"]["minItems"] == 1
    assert members["best"]["type"] == ["number", "null"]
    assert members["exact"]["type"] == "string"
    assert members["ends"]["additionalProperties"]["maxItems"] == 2
    assert members["place"]["properties"]["share"]["type"] == ["number", "null"]
    assert members["place"]["type"] == "object"
    assert members["notes"]["items"] == {"$ref": "#/$defs/note"}
    assert set(schema["$defs"]) == {"note"}


def test_references_of_components_lead_to_their_place() -> None:
    made = shape.components(["metric"], "#/components/schemas/")
    assert set(made) == {"metric", "holes", "note"}
    assert made["metric"]["properties"]["holes"]["items"] == {"$ref": "#/components/schemas/holes"}


def test_joined() -> None:
    assert joined(["a", "b"]) == "a; b"


@pytest.mark.parametrize("make", ANSWERS)
def test_repr_is_one_short_line_and_computes_nothing(make: Any) -> None:
    result = make()
    state = dict(vars(result))
    text = repr(result)
    assert text.startswith(f"{type(result).__name__}(")
    assert len(text) <= 120
    assert "\n" not in text
    assert vars(result) == state or "Curve" in text


@pytest.mark.parametrize("make", ANSWERS)
def test_rows_have_every_key_in_one_order(make: Any) -> None:
    rows = make().rows()
    assert rows
    assert {tuple(row) for row in rows} == {tuple(rows[0])}


@pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy])
@pytest.mark.parametrize("make", EVERY)
def test_results_survive_pickle_and_copy(make: Any, again: Any) -> None:
    result = make()
    other = again(result)
    assert type(other) is type(result)
    assert as_text(other) == as_text(result)
    # Also once everything in it has been worked out.
    assert as_text(again(other)) == as_text(result)


def as_text(result: Any) -> str:
    rows = result.rows() if isinstance(result, Result) else []
    return json.dumps(result.to_dict()) + repr(rows)


@pytest.fixture
def audit() -> ff.Audit:
    """Return an audit by two columns; the first alone makes more rows than polars looks at for the types."""
    numbers = np.arange(600)
    data = {"y": numbers % 2, "yhat": numbers % 3 % 2, "f14": [f"g{n % 40:02}" for n in numbers], "f10": numbers % 5}
    return ff.audit(data, truth="y", prediction="yhat", by=["f14", "f10"], metrics=["recall", "accuracy", "precision"])


def test_polars_keeps_all_columns_that_make_groups(audit: ff.Audit) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(audit.rows(), infer_schema_length=None)
    assert {"f14", "f10"} <= set(frame.columns)
    assert frame["f10"].drop_nulls().unique().sort().to_list() == [0, 1, 2, 3, 4]
    # 40 groups of the one, 5 of the other, 40 of both, each with three metrics.
    assert frame["f10"].null_count() == 120
    assert frame["f14"].null_count() == 15


def test_pandas_keeps_all_columns_that_make_groups(audit: ff.Audit) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(audit.rows())
    assert frame["f14"].isna().sum() == 15
    assert frame["f10"].isna().sum() == 120


def test_the_package_itself_carries_the_schemas() -> None:
    """Nothing but the package is needed: not the folder of docs, nor anything that is optional."""
    code = """
import sys
for name in "duckdb fastapi uvicorn altair sklearn pandas polars scipy".split():
    sys.modules[name] = None
from fourfold import shape
print(sorted(shape.schemas()))
"""
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    published = (ROOT / "docs" / "reference" / "schemas").glob("*.json")
    assert shown.strip() == str(sorted(path.stem for path in published))


def test_importing_shapes_brings_in_no_numpy() -> None:
    code = "import fourfold.shape, sys; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


@pytest.mark.parametrize("make", ANSWERS)
def test_every_result_shows_its_document(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # Pictures have tests of their own.
    monkeypatch.setattr(html._InNotebook, "figure", lambda self, chart: "")
    result = make()
    assert str(result).strip()
    assert "\x1b" not in str(result)
    assert result._repr_html_().lstrip().startswith("<")
    assert result._repr_markdown_().strip()
