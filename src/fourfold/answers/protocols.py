"""What `protocols` found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..claims import Protocol, Protocols
from ..document import Block, Column, Document, Grid, Heading, Notes, Sentence
from ..words import either, sentence, told_once
from .any_result import document
from .verdicts import TONES


@document.register
def _(result: Protocols) -> Document:
    words = _verdict(result)
    title = sentence(words).removesuffix(".")
    tone = TONES.get(result.verdict, "good")
    return Document("Ways in which scores were computed", title, tone, list(_blocks(result, words)))


def _verdict(result: Protocols) -> str:
    """Say which ways fit and which do not.

    That scores are not those of a classifier that ignores its input is left out; and so is that averages give them
    which give nearly everything, unless nothing else does.
    """
    known = [way for way in result.protocols if way.explains]
    if result.verdict == "impossible":
        return f"impossible in each of the {len(known)} ways that were tried, and as averages of any other kind."
    if result.verdict == "unexplained":
        free = [way for way in result.protocols if way.verdict == "possible"]
        other = told_once(way.words for way in free) or ["averages of another kind"]
        could = "possible" if free else "not ruled out"
        return f"unexplained: impossible in each of {len(known)} usual ways; {could} as {either(other)}."
    words = []
    for verdict in ("possible", "conditional", "undecided", "impossible"):
        ways = [way for way in known if way.verdict == verdict and (way.fits or way.looks)]
        if ways:
            lead = "possible on a condition" if verdict == "conditional" else verdict
            words.append(f"{lead} as {either(told_once(way.words for way in ways))}")
    return f"{'; '.join(words)}."


def _rows(ways: Sequence[Protocol]) -> list[list[str]]:
    """Return a row for each way; those that differ in a number of folds and came out alike share one."""
    alike: dict[tuple[str | None, ...], list[Protocol]] = {}
    for way in ways:
        alike.setdefault((way.of, way.code, way.verdict, way.condition), []).append(way)
    return [
        [words, protocols[0].verdict, protocols[0].condition]
        for protocols in alike.values()
        for words in told_once(w.words for w in protocols)
    ]


def _blocks(result: Protocols, words: str) -> Iterator[Block]:
    yield Sentence(words, strong=True, place="terminal")
    if result.verdict == "unexplained":
        yield Sentence("Ask how the scores were averaged.")
    yield Heading("What was reported", place="page")
    columns = [Column("reported as", "text"), Column("metric", "text"), Column("printed", "printed")]
    rows = [[claimed.name, claimed.metric.label, claimed.reported.text] for claimed in result.scores]
    yield Grid("What was reported", columns, rows, place="page")
    yield Heading("Ways that were tried", place="page")
    columns = [Column("way", "text"), Column("verdict", "text")]
    if any(way.condition for way in result.protocols):
        columns.append(Column("only if", "words"))
    yield Grid("Ways that were tried", columns, [row[: len(columns)] for row in _rows(result.protocols)])
    yield Sentence("That scores fit a way does not prove that they were computed in this way.", quiet=True)
    yield Notes(result.notes)
