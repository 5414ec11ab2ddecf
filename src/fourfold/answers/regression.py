"""What `recover_regression` found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..claims import RegressionRecovery
from ..claims.regression import Leftover, ScoreBounds
from ..document import Block, Cell, Column, Document, Grid, Heading, Items, Notes, Sentence
from ..words import count_of, listed, number, sentence
from .any_result import document
from .verdicts import TONES, contradiction

#: What each score is called.
_LABELS: Final = {
    "mae": "Mean absolute error",
    "rmse": "Root of the mean squared error",
    "mse": "Mean squared error",
    "max_error": "Largest error",
    "r2": "R²",
    "variance": "Variance of the targets",
}


@document.register
def _(result: RegressionRecovery) -> Document:
    words = _verdict(result)
    tone = TONES.get(result.verdict, "good")
    title = sentence(words).removesuffix(".")
    return Document("Check of a regression's scores", title, tone, list(_blocks(result, words)))


def _verdict(result: RegressionRecovery) -> str:
    errors = count_of(result.n, "whole error" if result.integer_errors else "error")
    if result.verdict == "impossible":
        sure = not any(note.code == "blame_incomplete" for note in result.notes)
        sets = [contradiction(names, sure=sure).replace("no table has", f"no {errors} have") for names in result.blame]
        return f"impossible: {'; '.join(sets)}."
    if result.verdict == "undecided":
        return f"undecided: {errors} that fit were neither found nor excluded."
    return f"possible: {errors} can have {'this score' if len(result.scores) == 1 else 'these scores'}."


def _blocks(result: RegressionRecovery, words: str) -> Iterator[Block]:
    yield Sentence(words, strong=True, place="terminal")
    yield Items([_left(result, left) for left in result.leftover])
    yield Heading("What was reported", place="page")
    rows = [[name, _LABELS[name], reported.text] for name, reported in result.scores.items()]
    columns = [Column("reported as", "text"), Column("score", "text"), Column("printed", "printed")]
    yield Grid("What was reported", columns, rows, place="page")
    if result.errors:
        yield Heading("Errors that fit", place="page")
        columns = [Column("error"), Column("cases", "count")]
        yield Grid("Errors that fit", columns, [[float(size), cases] for size, cases in result.errors])
    if result.bounds:
        yield Heading("What every score must then be", place="page")
        yield _bounds(result)
    yield Notes(result.notes)


def _left(result: RegressionRecovery, left: Leftover) -> str:
    """Say what others leave for a score that contradicts them."""
    others = listed([f"{name} {result.scores[name].text}" for name in left.others])
    low, high, printed = left.low, left.high, result.scores[left.score].text
    limits = [f"at least {number(low)}"] * (low is not None) + [f"at most {number(high)}"] * (high is not None)
    if result.integer_errors:
        whole = f"for whole errors it is not {printed}"
        return f"By {others}, {left.score} is {' and '.join(limits)}; {whole}."
    return f"By {others}, {left.score} is {' and '.join(limits)}, not {printed}."


def _bounds(result: RegressionRecovery) -> Grid:
    columns = [Column("score", "text"), Column("at least", "text"), Column("at most", "text"), Column("", "text")]
    rows = [_row(name, ends, marked=name in result.scores) for name, ends in result.bounds.items()]
    return Grid("Bounds of every score", columns, rows)


def _row(name: str, ends: ScoreBounds, *, marked: bool) -> list[Any]:
    shown = ["no limit" if end is None else number(end) for end in (ends.low, ends.high)]
    sides = (("least", ends.low, ends.low_attained), ("most", ends.high, ends.high_attained))
    open_ = [side for side, end, attained in sides if end is not None and not attained]
    remark = f"not known to be attained: {listed(open_)}" if open_ else ""
    return [Cell(_LABELS[name], marked=marked), *shown, remark]
