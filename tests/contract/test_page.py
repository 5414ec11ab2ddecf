"""The page shows what it is sent: its scripts hold no words, no rules for numbers and no colours of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import fourfold
from fourfold.claims.recovery import Verdict
from fourfold.questions import QUESTIONS
from fourfold.reports.judging import CheckVerdict
from fourfold.reports.previews import Content

PAGE = Path(fourfold.__file__).parent / "web" / "page"
SCRIPTS = sorted(PAGE.glob("*.js"))
HTML = (PAGE / "index.html").read_text(encoding="utf-8")
_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)""", re.DOTALL
)
_COLOURS = r"#[0-9a-fA-F]{3,8}\b|\b(?:rgba?|hsla?|oklch)\(|^(?:black|white|red|green|blue|grey|gray|orange|yellow)$"


def texts(script: Path) -> Iterator[str]:
    """Walk what stands between quotes, without values put into it."""
    for token in _TOKEN.finditer(script.read_text(encoding="utf-8")):
        if token["text"]:
            yield re.sub(r"\$\{[^}]*\}", "", token["text"][1:-1])


def test_the_scripts_are_few_lines_of_ordinary_length() -> None:
    lines = [line for script in SCRIPTS for line in script.read_text(encoding="utf-8").splitlines()]
    assert len(lines) < 1200
    assert max(map(len, lines)) <= 120


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_has_no_words_of_its_own(script: Path) -> None:
    assert list(texts(script))
    assert [text for text in texts(script) if re.search(r"[A-Za-z]{2,} +[A-Za-z]{2,}", text)] == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_formats_no_numbers_and_knows_no_colours(script: Path) -> None:
    code = script.read_text(encoding="utf-8")
    assert re.findall(r"toFixed|toExponential|toPrecision|toLocaleString|\bIntl\b|Math\.round", code) == []
    assert [text for text in texts(script) if re.search(_COLOURS, text)] == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_knows_no_verdict_and_no_metric(script: Path) -> None:
    verdicts = {*get_args(Verdict), *get_args(CheckVerdict), "good", "bad", "open", "differs"}
    assert {*verdicts, *fourfold.METRICS}.isdisjoint(texts(script))


def test_every_word_and_every_template_is_there_and_used() -> None:
    code = "\n".join(script.read_text(encoding="utf-8") for script in SCRIPTS)
    kept = set(re.findall(r'data-word="([\w-]+)"', HTML))
    called = set(re.findall(r'word\("([\w-]+)"', code))
    assert called <= kept
    # What was given is told by a word that begins so.
    assert all(f'"{name.removesuffix("-hint")}"' in code for name in kept if not name.startswith("looks-"))
    assert {f"looks-{content}" for content in get_args(Content) if content != "nothing"} <= kept
    templates = set(re.findall(r'<template id="([\w-]+)"', HTML)) - {"words"}
    assert templates == set(re.findall(r'(?:copyOf|filled|removable)\("([\w-]+)"', code)) | {
        "score-row",
        "group-row",
        "method-row",
    }


@pytest.mark.parametrize(("letter", "name"), [("k", "check"), ("r", "recover"), ("g", "audit"), ("c", "certainty")])
def test_every_field_is_a_parameter_of_its_question(letter: str, name: str) -> None:
    form = HTML[HTML.index(f'id="{letter}-form"') :].split("</form>")[0]
    fields = re.findall(r'data-field="(\w+)"', form)
    assert fields
    assert set(fields) <= {parameter.name for parameter in QUESTIONS[name].parameters if parameter.web}
