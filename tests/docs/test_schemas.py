"""Every JSON object that comes out is as its published schema says, and holds nothing that the schema leaves out."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import fourfold as ff
from fourfold import cli, shape

from ..conftest import ROOT
from ..results import RESULTS

EXAMPLES = ROOT / "docs" / "examples"
SCHEMAS = ROOT / "docs" / "reference" / "schemas"

#: What the command line is asked, and which schema answers; a line must keep to all that its command can say.
COMMANDS = [
    ("scores", "score tp=45 fn=5 fp=10 tn=40"),
    ("scores", "score tp=0 fn=0 fp=0 tn=9"),
    ("scores", "score species.csv --truth truth --prediction prediction"),
    ("holes", "holes mcc 30"),
    ("holes", "holes accuracy 30"),
    ("holes", "holes treatment_equality 3 5"),
    ("metrics", "metrics"),
    ("glossary", "glossary"),
    ("preview", "preview clinics.csv"),
    ("metric", "metrics prevalence_threshold"),
    ("metric", "metrics equalized_odds"),
    ("recovery", "recover --positives 40 --negatives 60 accuracy=0.85 recall=80%"),
    ("recovery", "recover --positives 100 --negatives 200 accuracy=0.9567 sensitivity=0.8700 specificity=0.9750"),
    ("recovery", "recover --positives 40 --negatives 60 precision=0 --undefined zero"),
    ("recovery", "recover accuracy=68.00% recall=51.28% precision=80.00% f1=62.50%"),
    ("recovery", "recover --classes a=5,b=4,c=3 accuracy=0.75 recall[a]=1.0"),
    ("recovery", "recover --classes 50,50,50 accuracy=0.95 macro_f1=0.90"),
    ("recovery", "recover --total 1000000 --budget 10 mcc=0.5"),
    ("protocols", "protocols --positives 20 --negatives 25 accuracy=0.556 recall=0.00 precision=0.00"),
    ("sizes", "sizes methods.csv"),
    ("datasets", "datasets isic"),
    ("lead", "lead --first accuracy=0.855 --second recall=0.507 --positives 75 --negatives 304"),
    ("regression_recovery", "recover-regression --n 100 mae=0.60 rmse=0.45"),
    ("regression_recovery", "recover-regression --n 7 mae=0.57 rmse=1.1 --integer-errors"),
    ("match", "match --group tp=2,fn=3,fp=0,tn=7 --reference tp=138,fn=38,fp=39,tn=245 recall"),
    ("match", "match --group tp=0,fn=0,fp=0,tn=7 --reference tp=138,fn=38,fp=39,tn=245 recall"),
    ("contrast", "compare-groups --group tp=2,fn=3,fp=0,tn=7 --reference tp=138,fn=38,fp=39,tn=245 recall_difference"),
    ("contrast", "compare-groups --group tp=2,fn=3,fp=0,tn=7 --reference tp=8,fn=8,fp=9,tn=5 precision_ratio"),
    ("contrast", "compare-groups --group tp=0,fn=0,fp=0,tn=7 --reference tp=8,fn=8,fp=9,tn=5 recall_ratio"),
    ("smoothed", "smooth --group tp=2,fn=1,fp=0,tn=3 --reference tp=30,fn=20,fp=20,tn=130 --strength auto"),
    ("smoothed", "smooth --group tp=30,fn=20,fp=20,tn=30 --reference tp=30,fn=0,fp=20,tn=130"),
    ("smoothed", "smooth --group tp=2,fn=1,fp=0,tn=3 --epsilon 1"),
    ("audit", "audit clinics.csv --truth truth --prediction prediction --positive sick --by site"),
    (
        "audit",
        "audit clinics.csv --truth truth --prediction prediction --positive sick --by site --metric mcc --metric dor",
    ),
    (
        "model_comparison",
        "compare screen_new.csv screen_old.csv --truth truth --prediction prediction --positive sick --by site",
    ),
    ("plan", "plan recall --group 0.6 --reference 0.8 --reference-known"),
    ("certainty", "certainty animals_bold.csv animals_shy.csv --truth y --probabilities p_*"),
    ("certainty", "certainty animals_bold.csv --truth y --probabilities p_* --by fold --convention paper"),
    ("experiments", "reproduce"),
    ("error", "score tp=45"),
    ("error", "holes precison 30"),
]


def published(name: str) -> dict[str, Any]:
    return json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))


def closed(schema: Any) -> Any:
    """Return a schema in which an object may have no member but those that are described."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: closed(part) for name, part in schema.items()}
    return inner | {"additionalProperties": False} if isinstance(schema.get("properties"), dict) else inner


def assert_described(name: str, shown: dict[str, Any]) -> None:
    assert shown["schema"] == f"fourfold/{name}"
    plain = json.loads(json.dumps(shown, allow_nan=False))
    Draft202012Validator(published(name)).validate(plain)
    Draft202012Validator(closed(published(name))).validate(plain)


@pytest.mark.parametrize(("name", "line"), COMMANDS, ids=[line for _, line in COMMANDS])
def test_commands_answer_by_their_schema(
    name: str, line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLES)
    with pytest.raises(SystemExit):
        cli.main([*line.split(), "--json"])
    assert_described(name, json.loads(capsys.readouterr().out))


@pytest.mark.parametrize(("name", "asked"), [(name, asked) for name, several in RESULTS.items() for asked in several])
def test_results_are_as_their_schema_says(name: str, asked: Callable[[], Any]) -> None:
    assert_described(name, asked().to_dict())


def test_pages_and_questions_are_as_their_schemas_say() -> None:
    pytest.importorskip("altair", reason="needs fourfold[plots]")
    from fourfold.web.description import listed
    from fourfold.workers.work import WorkItem, answer

    values = {"accuracy": "0.85", "positives": 40, "negatives": 60}
    [message] = answer(WorkItem("recover", values, output="page"))
    assert_described("page", json.loads(message.body))
    assert_described("questions", listed())


def names_written() -> set[str]:
    """Return the name of every schema in the source: what classes say of themselves in their head."""
    return {
        keyword.value.value
        for path in Path(ff.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and any(keyword.arg == "source" for keyword in node.keywords)
        for keyword in node.keywords
        if keyword.arg == "schema"
    }


def test_every_schema_is_published_and_the_reverse() -> None:
    assert names_written() == set(shape.schemas()) == {path.stem for path in SCHEMAS.glob("*.json")}


def test_every_schema_is_tried() -> None:
    assert {name for name, _ in COMMANDS} | set(RESULTS) | {"page", "questions"} == names_written()


def test_every_schema_is_valid_and_describes_every_member() -> None:
    for name in shape.schemas():
        schema = published(name)
        Draft202012Validator.check_schema(schema)
        assert not undescribed(schema), name


def undescribed(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [name for part in schema for name in undescribed(part)]
    if not isinstance(schema, dict):
        return []
    members = schema.get("properties", {})
    own = [name for name, part in members.items() if not part.get("description")]
    return own + [name for part in schema.values() for name in undescribed(part)]


def test_a_member_that_is_not_described_is_found() -> None:
    shown = ff.holes("mcc", 3).to_dict()
    shown["reasons"][0]["colour"] = "red"
    Draft202012Validator(published("holes")).validate(shown)
    assert not Draft202012Validator(closed(published("holes"))).is_valid(shown)
