"""Every JSON object that comes out is as its published schema says, and holds nothing that the schema leaves out."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import fourfold as ff
from fourfold import certainty, cli
from fourfold.reproduce import Part, Reproduction, Statement
from fourfold.reproduce.paper import compared

from ..conftest import ROOT

EXAMPLES = ROOT / "docs" / "examples"
SCHEMAS = ROOT / "docs" / "reference" / "schemas"

GROUP, REST = ff.Table(tp=2, fn=3, fp=0, tn=7), ff.Table(tp=138, fn=38, fp=39, tn=245)
EMPTY = ff.Table(tp=0, fn=0, fp=2, tn=3)
TRUTH, ROWS = ["a", "a", "b", "b"], [[0.9, 0.1], [0.4, 0.6], [0.5, 0.5], [0.2, 0.8]]
ONE_CLASS = (["a", "a"], [[1.0, 0.0], [1.0, 0.0]], ["a", "b"])

#: What the command line is asked, and which schema answers; a line must keep to all that its command can say.
COMMANDS = [
    ("scores", "score tp=45 fn=5 fp=10 tn=40"),
    ("scores", "score tp=0 fn=0 fp=0 tn=9"),
    ("scores", "score species.csv --truth truth --prediction prediction"),
    ("holes", "holes mcc 30"),
    ("holes", "holes accuracy 30"),
    ("holes", "holes treatment_equality 3 5"),
    ("metrics", "metrics"),
    ("metric", "metrics prevalence_threshold"),
    ("metric", "metrics equalized_odds"),
    ("recovery", "recover --positives 40 --negatives 60 accuracy=0.85 recall=80%"),
    ("recovery", "recover --positives 100 --negatives 200 accuracy=0.9567 sensitivity=0.8700 specificity=0.9750"),
    ("recovery", "recover --positives 40 --negatives 60 precision=0 --undefined zero"),
    ("recovery", "recover accuracy=68.00% recall=51.28% precision=80.00% f1=62.50%"),
    ("recovery", "recover --total 1000000 --budget 10 mcc=0.5"),
    ("match", "match --group tp=2,fn=3,fp=0,tn=7 --reference tp=138,fn=38,fp=39,tn=245 recall"),
    ("match", "match --group tp=0,fn=0,fp=0,tn=7 --reference tp=138,fn=38,fp=39,tn=245 recall"),
    ("comparison", "match --group tp=2,fn=3,fp=0,tn=7 --reference tp=138,fn=38,fp=39,tn=245 recall_difference"),
    ("comparison", "match --group tp=2,fn=3,fp=0,tn=7 --reference tp=8,fn=8,fp=9,tn=5 precision_ratio"),
    ("comparison", "match --group tp=0,fn=0,fp=0,tn=7 --reference tp=8,fn=8,fp=9,tn=5 recall_ratio"),
    ("smoothed", "smooth --group tp=2,fn=1,fp=0,tn=3 --reference tp=30,fn=20,fp=20,tn=130 --strength auto"),
    ("smoothed", "smooth --group tp=30,fn=20,fp=20,tn=30 --reference tp=30,fn=0,fp=20,tn=130"),
    ("smoothed", "smooth --group tp=2,fn=1,fp=0,tn=3 --epsilon 1"),
    ("audit", "audit clinics.csv --truth truth --prediction prediction --positive sick --by site"),
    (
        "audit",
        "audit clinics.csv --truth truth --prediction prediction --positive sick --by site --metric mcc --metric dor",
    ),
    ("certainty", "certainty animals_bold.csv animals_shy.csv --truth y --probabilities p_*"),
    ("certainty", "certainty animals_bold.csv --truth y --probabilities p_* --by fold --convention paper"),
    ("experiments", "reproduce"),
    ("error", "score tp=45"),
    ("error", "holes precison 30"),
]

RESULTS: dict[str, list[Callable[[], Any]]] = {
    "distribution": [
        lambda: ff.recover(accuracy="0.85", positives=40, negatives=60).distribution("recall"),
        lambda: ff.recover(fnr="0", positives=4, negatives=6).distribution("negative_likelihood_ratio", prior="rates"),
    ],
    "estimate": [
        lambda: ff.estimate(ff.Claim.from_mapping({"total": 66, "positives": 56, "accuracy": "0.98", "f1": "0.99"})),
        lambda: ff.estimate(
            ff.Claim.from_mapping({"total": 2000, "positives": 994, "accuracy": "=0.898"}), "accuracy_closed_form"
        ),
    ],
    "recovery": [lambda: ff.recover(accuracy=0.85, positives="40-42", negatives=60)],
    "match": [lambda: ff.match(GROUP, REST, "recall", method="monte carlo", rng=1)],
    "interval": [
        lambda: ff.interval(REST, "recall"),
        lambda: ff.interval(EMPTY, "recall"),
        lambda: ff.interval(GROUP, "diagnostic_odds_ratio"),
        lambda: ff.interval(ff.Table(tp=5, fn=1, fp=1, tn=5), "diagnostic_odds_ratio"),
    ],
    "expected_error": [
        lambda: ff.expected_error(GROUP, REST, "recall", size=20, strength=5),
        lambda: ff.expected_error(EMPTY, REST, "recall", size=20),
    ],
    "smoothed": [lambda: ff.smooth(ff.Table(tp=0, fn=0, fp=0, tn=0), REST)],
    "audit": [lambda: ff.audit_tables({"a": GROUP, "b": EMPTY}, metrics=["recall", "positive_likelihood_ratio"])],
    "decomposition": [
        lambda: ff.decompose(TRUTH, ROWS, by=[1, 1, 2, 2]),
        lambda: ff.decompose(TRUTH, ROWS, prediction=["b", "a", "a", "a"]),
        lambda: ff.decompose(*ONE_CLASS),
    ],
    "certainty_ratio": [
        lambda: ff.decompose(TRUTH, ROWS).ratio("f1", average="macro"),
        lambda: ff.decompose(TRUTH, ROWS).ratio("mcc"),
        lambda: ff.decompose(*ONE_CLASS).ratio("macro_f1", convention="paper"),
    ],
    "resampled": [
        lambda: certainty.bootstrap(TRUTH * 5, ROWS * 5, "accuracy", draws=20),
        lambda: certainty.difference(TRUTH * 5, ROWS * 5, [row[::-1] for row in ROWS] * 5, "macro_f1", draws=20),
        lambda: certainty.bootstrap(*ONE_CLASS[:2], "mcc", labels=ONE_CLASS[2], draws=20),
    ],
    "curve": [lambda: certainty.mcp(TRUTH, ROWS), lambda: certainty.imcp(*ONE_CLASS)],
    "losses": [
        lambda: certainty.losses(TRUTH, ROWS),
        lambda: certainty.losses(["a", "b"], [[1.0, 0.0], [1.0, 0.0]]),
    ],
    "reproduction": [
        lambda: Reproduction(
            "small-data",
            "who, when",
            (
                Part("Table 1", "Holes", "differs", "{agree} agree", {"agree": 1}, (compared("f1", "n", "4.0", 4.04),)),
                Part("Figure 1", "Laws", "not reproduced", "no data"),
            ),
            (
                Statement("§1", "It is so.", None, "it cannot be told"),
                Statement("§2", "And so.", True, "{x}", {"x": 0.5}),
            ),
        )
    ],
    "error": [lambda: ff.InputError("bad_count", "tp", "must be a whole number", "x" * 200, "count cases")],
}


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


def test_charts_are_as_their_schema_says() -> None:
    questions = pytest.importorskip("fourfold.web.questions")
    found = questions.draw_recover({"accuracy": "0.85", "positives": 40, "negatives": 60})
    shown = found.to_dict()
    assert_described("charts", json.loads(json.dumps(shown, default=lambda chart: chart.to_dict())))


def names_written() -> set[str]:
    """Return the name of every schema in the source."""
    return {
        node.value.removeprefix("fourfold/")
        for path in Path(ff.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("fourfold/")
    } - {""}


def test_every_schema_is_published_and_the_reverse(schemas: ModuleType) -> None:
    assert names_written() == set(schemas.KINDS) == {path.stem for path in SCHEMAS.glob("*.json")}


def test_every_schema_is_tried() -> None:
    assert {name for name, _ in COMMANDS} | set(RESULTS) | {"charts"} == names_written()


def test_every_schema_is_valid_and_describes_every_member(schemas: ModuleType) -> None:
    for name in schemas.KINDS:
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
