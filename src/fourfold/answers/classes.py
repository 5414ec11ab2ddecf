"""What `recover` found about several classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..claims import ClassBounds, ClassClaim, ClassRecovery
from ..document import Block, Cell, Column, Document, Grid, Heading, Notes, Sentence
from ..words import count_of, listed, sentence
from .any_result import document, label_of
from .claims import TONES, contradiction, only_if, other_readings, undecided_readings

_MOST_CLASSES: Final = 30


@document.register
def _(result: ClassRecovery) -> Document:
    words = _verdict(result)
    tone = TONES.get(result.verdict, "good")
    return Document("Check of reported scores", sentence(words).removesuffix("."), tone, list(_blocks(result, words)))


def _verdict(result: ClassRecovery) -> str:
    if result.verdict == "impossible":
        sets = [
            contradiction(names, sure=False).replace("no table has", "no table of these classes has")
            for names in result.blame
        ]
        return f"impossible: {'; '.join(sets)}."
    if result.verdict == "undecided":
        spent = "the budget was spent before an answer was certain"
        return f"undecided: {undecided_readings(result.readings) or spent}."
    fitting = f"{count_of(result.count, 'set')} of margins {'fits' if result.count == 1 else 'fit'}"
    possible = only_if(result.reading) if result.verdict == "conditional" else "possible"
    return f"{possible}: {fitting if result.counted else f'at least {fitting}'}."


def _blocks(result: ClassRecovery, words: str) -> Iterator[Block]:
    yield Sentence(words, strong=True, place="terminal")
    yield from other_readings(result.readings)
    yield Heading("What was reported", place="page")
    yield _claims(result.claim)
    if result.count:
        yield Heading("One table that fits", place="page")
        yield from _table(result)
    if result.count and result.shown_bounds:
        yield Heading("What every score must then be", place="page")
        yield _bounds(result)
    yield Notes(result.notes)


def _claims(claim: ClassClaim) -> Grid:
    columns = [Column("reported as", "text"), Column("score", "text"), Column("printed", "printed")]
    rows = [[claimed.name, claimed.score.label, claimed.reported.text] for claimed in claim.scores]
    return Grid("What was reported", columns, rows, place="page")


def _table(result: ClassRecovery) -> Iterator[Block]:
    """Show the classes with their margins in one table that fits, and that table where it is small."""
    (margins,) = result.margins(1)
    columns = [
        Column("class", "text"),
        Column("cases", "count"),
        Column("right", "count"),
        Column("predicted", "count"),
    ]
    shown = [list(each) for each in margins[:_MOST_CLASSES]]
    yield Grid("One set of margins that fits", columns, shown, left_out=len(margins) - len(shown))
    matrix = result.matrix()
    if matrix is not None and len(margins) <= _MOST_CLASSES:
        labels = list(map(str, matrix.labels))
        heads = [Column("actual", "text"), *(Column(f"as {label}", "count") for label in labels)]
        rows = [[label, *row] for label, row in zip(labels, matrix.tolist(), strict=True)]
        yield Grid("One table with these margins", heads, rows)


def _bounds(result: ClassRecovery) -> Grid:
    printed = {claimed.score.name for claimed in result.claim.scores}
    columns = [Column("score", "text"), Column("at least"), Column("at most"), Column("", "text")]
    rows = [_bounds_row(name, ends, marked=name in printed) for name, ends in result.shown_bounds.items()]
    return Grid("Bounds of every score", columns, rows)


def _bounds_row(name: str, ends: ClassBounds, *, marked: bool) -> list[Any]:
    base, _, label = name.removesuffix("]").partition("[")
    shown = Cell(f"{label_of(base)}, {label}" if label else label_of(base), marked=marked)
    if ends.low is None or ends.high is None:
        return [shown, None, None, "undefined"]
    open_ = [side for side, sharp in (("least", ends.low_sharp), ("most", ends.high_sharp)) if not sharp]
    return [shown, ends.low, ends.high, f"not proven to be attained: {listed(open_)}" if open_ else ""]
