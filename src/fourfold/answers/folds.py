"""What `recover` found about folds or test sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..claims import FoldClaim, FoldRecovery
from ..claims.fold_recovery import means_over
from ..document import Block, Column, Document, Facts, Grid, Heading, Notes, Sentence
from ..metrics import metric as find_metric
from ..space.means import MeanBounds
from ..words import listed, number, told_once
from .any_result import document
from .verdicts import checked, contradiction, only_if

_MOST_KINDS: Final = 12


@document.register
def _(result: FoldRecovery) -> Document:
    words = _verdict(result)
    return checked(result.verdict, words, _blocks(result, words))


def _verdict(result: FoldRecovery) -> str:
    """Say the verdict, and what other readings came to."""
    how = f"as means over {result.claim.what}" if result.claim.over == "mean" else "for all cases together"
    told = {result.departures, *(reading.departures for reading in result.others)}
    others = [
        f"{reading.verdict} if {reading.words}"
        for reading in result.readings
        if reading.departures and reading.departures not in told and result.verdict != "impossible"
    ]
    tail = "".join(f"; {words}" for words in told_once(others)[:2])
    if result.verdict == "possible":
        return f"possible {how}{tail}."
    if result.verdict == "conditional":
        return f"{only_if(result.reading)}{tail}."
    if result.verdict == "undecided":
        return f"undecided {how}: {result.reason}{tail}."
    sets = [contradiction(names, sure=False).replace("no table has", "no folds have") for names in result.blame]
    return f"impossible {how}: {'; '.join(sets)}."


def _blocks(result: FoldRecovery, words: str) -> Iterator[Block]:
    yield Sentence(words, strong=True, place="terminal")
    if result.verdict == "impossible":
        plain = means_over(result.claim.what).words
        tried = told_once(reading.words for reading in result.readings if reading.departures)
        others = [words for words in tried if words != plain]
        if others:
            yield Sentence(f"Nor is it possible if {'; or if '.join(others)}.")
        yield Sentence(f"Proof: {result.reason}.")
        if "stratified folds" in result.claim.what:
            yield Sentence("The folds were taken to be dealt as scikit-learn deals stratified ones.")
    yield Heading("What was reported", place="page")
    yield _claims(result.claim)
    yield from fold_blocks(result)
    yield Notes(result.notes)


def fold_blocks(result: FoldRecovery) -> Iterator[Block]:
    """Show one way in which folds could have been, and what other means must then be."""
    table = result.pooled()
    if table is not None:
        yield Heading("One way in which it could have been", place="page")
        columns = [Column("folds", "count"), *(Column(name, "count") for name in ("tp", "fn", "fp", "tn"))]
        kinds = result.folds()
        rows = [[kind.count, *kind.table.cells().values()] for kind in kinds[:_MOST_KINDS]]
        yield Grid("Tables of the folds, one way in which it could have been", columns, rows,
            left_out=len(kinds) - len(rows))  # fmt: skip
        yield Facts({"their sum": " ".join(f"{name} {n}" for name, n in table.cells().items())})
    if result.shown_bounds:
        yield Heading("What other means must then be", place="page")
        yield _bounds(result)


def _claims(claim: FoldClaim) -> Grid:
    columns = [Column("reported as", "text"), Column("metric", "text"), Column("printed", "printed")]
    rows = [[claimed.name, claimed.metric.label, claimed.reported.text] for claimed in claim.scores]
    rows += [[claimed.name, f"± of {claimed.metric.label}", claimed.reported.text] for claimed in claim.deviations]
    return Grid("What was reported", columns, rows, place="page")


def _bounds(result: FoldRecovery) -> Grid:
    columns = [Column("mean of", "text"), Column("at least"), Column("at most"), Column("found", "text")]
    rows = [_bounds_row(name, ends) for name, ends in result.shown_bounds.items()]
    return Grid("Bounds of means", columns, rows)


def _bounds_row(name: str, ends: MeanBounds) -> list[Any]:
    found = [number(end) for end in (ends.inner_low, ends.inner_high) if end is not None]
    return [
        find_metric(name).label,
        ends.outer_low,
        ends.outer_high,
        listed(list(dict.fromkeys(found))) if found else "",
    ]
