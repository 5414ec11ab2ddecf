"""The table of questions: what it says holds in the library, and every door reads it."""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest

import fourfold as ff
from fourfold import certainty, claims, cli, groups, mcp, shape, writers
from fourfold.claims import recovery, solution
from fourfold.claims.search import Feasible
from fourfold.questions import FILES, QUESTIONS, Asked, DataFile, Parameter
from fourfold.questions.calls import _CALLS, _READERS
from fourfold.web import Settings

from ..conftest import ROOT, how_many

EXAMPLES = ROOT / "docs" / "examples"
PARAMETERS = [(question, each) for question in QUESTIONS.values() for each in question.parameters]
IDS = [f"{question.name}-{each.name}" for question, each in PARAMETERS]
#: The functions that answer, by question.
FUNCTIONS = {
    # In which version its JSON is, the answer says.
    "recover": [claims.recover, claims.Recovery],
    "match": [groups.match, groups.contrast_interval],
    "smooth": [groups.smooth],
    "audit": [groups.audit],
    "audit-tables": [groups.audit_tables],
    "plan": [groups.plan],
    "certainty": [certainty.decompose_data, certainty.overview, certainty.abstain, certainty.calibrate],
    "serve": [Settings],
    "mcp": [mcp.serve],
}


@pytest.mark.parametrize(("question", "parameter"), PARAMETERS, ids=IDS)
def test_every_parameter_says_what_it_is(question: Any, parameter: Parameter) -> None:
    assert parameter.full_help.endswith(".")
    assert "{" not in parameter.full_help
    assert parameter.kind in {*FILES, "text", "choice", "column", "metric", *_READERS}
    if question.web and parameter.web:
        assert parameter.label, "a form has no name for it"
    assert set(parameter.words) <= set(parameter.values())
    if parameter.choices:
        assert parameter.default in parameter.values()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_defaults_are_those_of_the_library(name: str) -> None:
    known = {
        given.name: given.default
        for function in FUNCTIONS[name]
        for given in inspect.signature(function).parameters.values()
    }
    told = [each for each in QUESTIONS[name].parameters if each.default is not None]
    assert told
    for each in told:
        # A seed is given as `rng` in Python.
        name = "rng" if each.name == "seed" else each.name
        assert known[name] == each.default, each.name


@pytest.mark.parametrize(
    ("name", "answer"), [("recover", claims.Recovery), ("check", ff.Check), ("protocols", ff.claims.Protocols)]
)
def test_the_version_of_the_json_is_that_of_the_answer(name: str, answer: Any) -> None:
    [asked] = [each for each in QUESTIONS[name].parameters if each.name == "json_version"]
    schema = shape.schemas()[answer.__name__.lower()]
    assert asked.default == inspect.signature(answer).parameters["json_version"].default
    assert asked.default == schema["properties"]["version"]["const"]


def test_every_question_has_an_answer_and_the_reverse() -> None:
    assert set(_CALLS) == set(QUESTIONS) - {"reproduce", "serve", "mcp"}
    assert set(cli.cli.commands) == set(QUESTIONS) - {"review", "audit-tables"}


def ask(name: str, drawn: bool = False, files: tuple[str, ...] = (), **values: Any) -> Any:
    return QUESTIONS[name].answer(Asked(values, [DataFile(file, str(EXAMPLES / file)) for file in files], drawn=drawn))


def test_values_are_read_alike_as_text_and_as_json() -> None:
    table, text = {"tp": 13, "fn": 26, "fp": 31, "tn": 275}, "tp=13,fn=26,fp=31,tn=275"
    other = {"tp": 263, "fn": 161, "fp": 200, "tn": 935}
    given = ask("match", metric="recall", group=table, reference=other, reference_uncertainty=True)
    assert ask("match", metric="recall", group=text, reference=other, reference_uncertainty="on") == given
    assert ask("holes", metric="mcc", sizes="30").count == ask("holes", metric="mcc", sizes=[30]).count == 120
    with pytest.raises(ff.InputError, match=r"epsilonn: is not part of this question.*did you mean 'epsilon'"):
        ask("smooth", group=table, epsilonn=1)
    with pytest.raises(ff.InputError, match="group: is required"):
        ask("smooth", reference=table)


IMPOSSIBLE = {"accuracy": "0.9567", "recall": "0.8700", "specificity": "0.9750", "positives": 100, "negatives": 200}


@pytest.mark.parametrize(
    "values", [{"accuracy": "0.85", "macro_f1": "0.8", "total": 40}, IMPOSSIBLE, {"accuracy": "0.5"}]
)
def test_an_answer_is_finished_when_it_is_given(values: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever writes or draws it computes nothing: no search, no bounds, no repairs."""
    plots = pytest.importorskip("fourfold.plots")
    result = ask("recover", **values)

    def computed(*_: object, **__: object) -> None:
        raise AssertionError("the answer was not finished")

    for place, name in ((recovery, "solve"), (recovery, "repairs"), (solution, "bounds_over"), (Feasible, "bounds")):
        monkeypatch.setattr(place, name, computed)
    for write in (writers.to_json, writers.to_csv, writers.terminal_text, writers.markdown, writers.latex):
        assert write(result)
    pytest.importorskip("altair", reason="needs fourfold[plots]")
    for chart in writers.fragment(result).charts:
        plots.draw(result, chart.name, chart.of)


def test_bounds_that_take_long_are_computed_where_they_are_asked_for() -> None:
    left_out = ask("recover", accuracy="0.85", max_total=300)
    assert left_out.to_dict()["bounds"] == {}
    assert "bounds_left_out" in [note.code for note in left_out.notes]
    named = ask("recover", accuracy="0.85", max_total=300, bounds=["recall", "f2"])
    assert list(named.to_dict()["bounds"]) == ["recall", "f2"]
    assert "bounds_left_out" not in [note.code for note in named.notes]
    # Of 300 cases, 85 % are classified as they should be; whether any of them is positive is open.
    assert (named.bounds("recall").low, named.bounds("recall").high) == (0, 1)
    assert ask("recover", accuracy="0.85", total=20, bounds="none").to_dict()["bounds"] == {}
    assert set(ask("recover", accuracy="0.85", total=20).to_dict()["bounds"]) == set(ff.METRICS)
    with pytest.raises(ff.InputError, match="everything: unknown metric"):
        ask("recover", accuracy="0.85", total=20, bounds="everything")


def test_recover_takes_a_claim_a_mapping_or_names() -> None:
    given: dict[str, Any] = {"accuracy": "0.85", "recall": "80%", "positives": 40, "negatives": "60"}
    verdicts = {ff.recover(given), ff.recover(ff.claims.Claim.from_mapping(given)), ff.recover(**given)}
    assert {how_many(found) for found in verdicts} == {("possible", 1, True)}
    assert how_many(ff.recover(given, total=100)) == ("possible", 1, True)
    with pytest.raises(ff.InputError, match="not both"):
        ff.recover(ff.claims.Claim.from_mapping(given), total=100)


def test_curves_are_computed_where_they_are_drawn_and_files_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from fourfold.questions import certainty as asking

    asked = {"truth": "y", "probabilities": "p_*", "by": ["fold"]}
    plain = ask("certainty", files=("animals_shy.csv",), **asked)
    assert plain.curves == {}
    read: list[str] = []
    reader = asking.read_probabilities
    monkeypatch.setattr(asking, "read_probabilities", lambda path, **rest: read.append(path) or reader(path, **rest))
    drawn = ask("certainty", drawn=True, files=("animals_shy.csv", "animals_bold.csv"), **asked)
    assert set(drawn.curves) == {"mcp", "imcp"}
    assert set(drawn.curves["mcp"]) == {"animals_shy.csv", "animals_bold.csv"}
    assert len(read) == 2
    again = ask("certainty", drawn=True, files=("animals_shy.csv",), **asked)
    assert json.dumps(again.to_dict()) == json.dumps(plain.to_dict())
    monkeypatch.setattr(asking, "_MOST_CURVE_ROWS", 3)
    large = ask("certainty", drawn=True, files=("animals_shy.csv",), **asked)
    assert large.curves == {}
    assert [note.code for note in large.notes if note not in plain.notes] == ["curves_left_out"]
    assert large.ratios == plain.ratios
