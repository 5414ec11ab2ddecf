"""The rules of the house: floors, public names, start-up, error shape, no metric named outside the catalogue."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import fourfold as ff
from fourfold import errors, writers
from fourfold.metrics import METRICS
from fourfold.metrics.catalogue import _INDEX
from fourfold.names import homes
from fourfold.questions import QUESTIONS

from ..conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

import house
from house import SOURCE, imported_rooms, imports, modules, room

#: Which room is on which floor, as the guide says; a room imports from lower floors only.
FLOORS = dict(house.floors_of_the_guide())


def test_the_guide_names_every_room_on_the_lowest_floor_that_its_imports_allow() -> None:
    assert house.floors() == FLOORS
    floors = [floor for _, floor in house.floors_of_the_guide()]
    assert floors == sorted(floors, reverse=True)
    assert len(floors) == len(FLOORS)


def test_the_map_of_the_house_is_that_of_its_imports() -> None:
    assert house.PICTURE.read_text(encoding="utf-8") == house.picture(), "run python scripts/house.py"
    assert "docs/pictures/house.svg" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_files_and_names_in_the_guide_are_there() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for path in re.findall(r"`([\w/]+\.py)`", guide):
        if path != "tests/unit/test_new.py":
            assert (ROOT / path).exists() or (SOURCE / path).exists(), path
    for module, name in re.findall(r"`(?:\w+\.)*(\w+)\.(_\w+|[A-Z_]{4,})`", guide):
        named = [path for path in modules() if module in (path.stem, path.parent.name)]
        assert any(re.search(rf"\b{name}\b", path.read_text(encoding="utf-8")) for path in named), f"{module}.{name}"


#: The parts of `groups`, lowest first; a part imports from those before it.
PARTS_OF_GROUPS = ("adapters", "testing", "smoothing", "planning", "auditing")


def test_parts_of_groups_import_from_those_before_them() -> None:
    folder = SOURCE / "groups"
    parts = {path.relative_to(folder).parts[0].removesuffix(".py") for path in folder.glob("*/*.py")}
    assert parts | {"adapters"} == set(PARTS_OF_GROUPS)
    for path in folder.glob("*/*.py"):
        part = path.parent.name
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level == 2:
                other = (node.module or "").split(".")[0]
                assert PARTS_OF_GROUPS.index(other) < PARTS_OF_GROUPS.index(part), f"{path.name} imports {other}"


@pytest.mark.parametrize("path", sorted(SOURCE.glob("*/**/__init__.py")), ids=lambda path: str(path.parent.name))
def test_every_folder_says_what_comes_in_and_goes_out(path: Path) -> None:
    lines = (ast.get_docstring(ast.parse(path.read_text())) or "").splitlines()
    assert lines[0].endswith(".")
    assert [line.partition(": ")[0] for line in lines[1:4]] == ["", "In", "Out"]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_down_only(path: Path) -> None:
    for other in imported_rooms(path):
        assert FLOORS[other] < FLOORS[room(path)], f"{room(path)} imports {other}"


def climbs(path: Path) -> Iterator[str]:
    """Yield the rooms of the package that a file imports by a text."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "import_module":
            text = ast.unparse(node.args[0]).lstrip("f").strip("'\"")
            if text.startswith("fourfold") or (text.startswith("..") and len(node.args) > 1):
                yield text.removeprefix("fourfold").strip(".").split(".")[0]


def test_no_room_is_reached_by_a_text() -> None:
    """A text hides an import from the test above; only where the library keeps choices is one read from a table."""
    found = {path.relative_to(SOURCE).as_posix(): rooms for path in modules() if (rooms := [*climbs(path)])}
    assert found == {"questions/parameters.py": ["{module}"]}
    choices = {
        each.choices.split(".")[0].split(":")[0] for question in QUESTIONS.values() for each in question.parameters
    }
    assert {FLOORS[room] < FLOORS["questions"] for room in choices - {""}} == {True}


def test_the_rooms_above_are_asked_in_one_place() -> None:
    """`above` alone hands what higher rooms do down to results, and nothing but results and findings asks there."""
    named = {path.relative_to(SOURCE).as_posix() for path in modules() if "shape.above" in path.read_text()}
    assert named == {"above.py", "reports/judging.py"}
    result = ff.holes("mcc", 3)
    assert str(result) == writers.terminal_text(result)
    assert result._repr_html_() == writers.notebook_html(result)
    assert result._repr_markdown_() == writers.markdown(result)


@pytest.mark.parametrize("path", sorted(SOURCE.glob("*/__init__.py")), ids=lambda path: path.parent.name)
def test_no_module_is_called_like_a_name_that_is_loaded_when_used(path: Path) -> None:
    # The import of the module would put it in the place of the name.
    if "when_used" in path.read_text():
        names = homes(f"fourfold.{path.parent.name}")
        assert not names.keys() & {module.stem for module in path.parent.glob("*.py")}


#: What the papers stand on beside the package's own names: modules with public names, and the forms of an answer.
BELOW_THE_PAPERS = {
    *(
        "batch",
        "certainty",
        "errors",
        "data",
        "groups",
        "metrics",
        "plots",
        "processes",
        "answers",
        "document",
        "shape",
        "words",
    ),
    "writers",
}


def test_the_papers_stand_on_public_names() -> None:
    """What reproduces the papers uses the package as its users do."""
    for path in (path for path in modules() if room(path) == "papers"):
        for module, name in imports(path):
            public = ff.__all__ if not module else getattr(import_module(f"fourfold.{module}"), "__all__", [name])
            assert name in public or (not module and name in BELOW_THE_PAPERS), f"{path.name} imports {module}.{name}"
            assert not module or module in BELOW_THE_PAPERS, f"{path.name} imports {module}"
            assert not name.startswith("_") or name == "__version__"


def strings(path: Path) -> set[str]:
    """Return all string constants that are no docstrings."""
    tree = ast.parse(path.read_text())
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    }


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_metric_is_named_outside_the_catalogue(path: Path) -> None:
    # Limits of averages are theorems about single scores, and a reading takes one score for another.
    if path.relative_to(SOURCE).as_posix() not in ("metrics/catalogue.py", "solve/averages.py", "claims/readings.py"):
        # A correction for many tests and two options of a plan are called like metrics.
        assert not strings(path) & (set(_INDEX) - {"fdr", "power", "prevalence"})


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_lower_floors_never_print_warn_or_log(path: Path) -> None:
    # The reader of PDF silences a library that logs.
    if FLOORS[room(path)] <= 6 and room(path) != "documents":
        names = {node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)}
        assert not names & {"print", "warnings", "logging", "click", "rich"}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_nothing_evaluates_strings(path: Path) -> None:
    calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    assert not {call.id for call in calls if isinstance(call, ast.Name)} & {"eval", "exec", "compile", "__import__"}


def test_public_names_are_all_there() -> None:
    for name in ff.__all__:
        assert getattr(ff, name) is not None
    assert set(ff.__all__) <= set(dir(ff))
    assert set(ff.__all__) == {name for name, home in homes("fourfold").items() if home != f".{name}"} | {"__version__"}
    with pytest.raises(AttributeError, match="no attribute 'recall'"):
        _ = ff.recall


HOUSE_IDS = """accuracy inaccuracy prevalence negative_prevalence predicted_positive_rate predicted_negative_rate recall
specificity false_positive_rate false_negative_rate precision negative_predictive_value false_discovery_rate
false_omission_rate f1 f1_harmonic mcc kappa balanced_accuracy informedness markedness g_mean fowlkes_mallows jaccard
positive_likelihood_ratio negative_likelihood_ratio diagnostic_odds_ratio prevalence_threshold p4 marginal_benefit"""


def test_promised_ids() -> None:
    assert set(HOUSE_IDS.split()) <= set(METRICS)


def in_a_new_process(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_import_brings_in_little() -> None:
    heavy = "pandas polars pyarrow matplotlib sklearn scipy.stats scipy numpy rich click altair"
    code = f"import fourfold, sys; print([name for name in '{heavy}'.split() if name in sys.modules])"
    assert in_a_new_process(code).strip() == "[]"


def test_using_it_needs_only_numpy_click_and_rich() -> None:
    """With everything else blocked, as in a bare install, the library and its command line work."""
    code = """
import sys
for name in "pandas polars pyarrow matplotlib sklearn scipy altair vl_convert hypothesis narwhals duckdb joblib".split():
    sys.modules[name] = None
import fourfold as ff
from fourfold import writers, data, cli
print(ff.score(ff.Table.from_labels([1, 0], [1, 0]), "mcc"), len(writers.to_json(ff.holes("mcc", 3))) > 10)
"""
    assert in_a_new_process(code).split() == ["1.0", "True"]


def test_help_starts_without_numpy_and_rich() -> None:
    code = """
import sys
from fourfold import cli
try:
    cli.main(["--help"])
except SystemExit:
    print([name for name in ("numpy", "rich") if name in sys.modules])
"""
    assert in_a_new_process(code).splitlines()[-1] == "[]"


#: The most modules of the package that a command may load.
MOST_LOADED = {
    "--help": 12,
    "metrics mcc": 50,
    "score tp=45 fn=5 fp=10 tn=40": 50,
    "recover --positives 40 --negatives 60 accuracy=0.85 recall=80%": 80,
}


@pytest.mark.parametrize("command", MOST_LOADED)
def test_commands_load_what_they_use(command: str) -> None:
    code = f"""
import sys
from fourfold import cli
try:
    cli.main({command.split()!r})
except SystemExit:
    print(sum(name.split(".")[0] == "fourfold" for name in sys.modules))
"""
    assert int(in_a_new_process(code).splitlines()[-1]) <= MOST_LOADED[command]


ERRORS = ("FourfoldError", "InputError", "TooLarge", "MissingExtra")


def test_every_code_that_is_raised_is_declared_and_the_reverse() -> None:
    raised, noted = set(), set()
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant) and node.func.id in ERRORS:
                    raised.add(first.value)
                if isinstance(first, ast.Constant) and node.func.id == "Note":
                    noted.add(first.value)
    assert raised == set(errors.ERROR_CODES)
    assert noted == set(errors.NOTE_CODES)


def test_error_shape() -> None:
    error = ff.InputError("bad_count", "tp", "must be a whole number", "x" * 200, "count cases.")
    shown = error.to_dict()
    assert list(shown) == ["schema", "version", "code", "argument", "problem", "got", "hint", "message"]
    assert len(shown["got"]) == 80
    assert shown["message"].endswith("Hint: count cases.")
    assert isinstance(error, ff.FourfoldError)
    assert isinstance(error, ValueError)
