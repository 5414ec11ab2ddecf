"""What `recover` found about folds or test sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor
from typing import Any, Final

from ..claims import FoldClaim, FoldRecovery, IntervalCheck
from ..claims.fold_recovery import means_over
from ..document import Block, Column, Document, Facts, Grid, Heading, Notes, Sentence
from ..metrics import metric as find_metric
from ..space.means import MeanBounds
from ..words import number, sentence, told_once
from .any_result import document
from .verdicts import between_counts, checked, checked_line, cited, contradiction, only_if, printed_scores

_MOST_KINDS: Final = 12
# Counts are proven up to so much.
_ALIKE: Final = 1e-9


@document.register
def _(result: FoldRecovery) -> Document:
    words = _verdict(result)
    return checked(result.verdict, words, _blocks(result, words), _cited(result))


def _cited(result: FoldRecovery) -> str:
    claim = result.claim
    how = f"As means over {claim.what}" if claim.over == "mean" else f"For all cases of {claim.what} together"
    words = cited(how, list(_printed(claim)), result.verdict, result.reading)
    return words.replace("no confusion matrix gives", f"no confusion matrices of the {_parts(result)} give")


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
    sets = [
        contradiction(names, sure=False).replace("no table has", f"no {_parts(result)} have") for names in result.blame
    ]
    return f"impossible {how}: {'; '.join(sets)}."


def _blocks(result: FoldRecovery, words: str) -> Iterator[Block]:
    yield Sentence(words, strong=True, place="terminal")
    yield from _drawn_table(result)
    claim = result.claim
    how = f"means over {claim.what}" if claim.over == "mean" else f"all cases of {claim.what} together"
    assumed = f"that {result.reading}" if result.departures else how
    yield Sentence(checked_line(_printed(claim), "", assumed), place="page")
    if result.verdict == "impossible":
        plain = means_over(result.claim.what).words
        tried = told_once(reading.words for reading in result.readings if reading.departures)
        others = [words for words in tried if words != plain]
        if others:
            yield Sentence(f"Nor is it possible if {'; or if '.join(others)}.")
        yield Sentence(f"Proof: {result.reason}.")
        if result.claim.dealt_evenly:
            yield Sentence(
                "The folds were taken to be stratified: each has its share of both classes. If they may not be, give "
                f"folds as '{result.claim.count} unstratified'."
            )
    yield from interval_blocks(result.intervals)
    yield Heading("What was reported", place="page")
    yield _claims(result.claim)
    yield from fold_blocks(result)
    yield Notes(result.notes)


def _printed(claim: FoldClaim) -> dict[str, str]:
    """Return the scores as they are printed, each with its number after ±."""
    after = {claimed.name: f" ± {claimed.reported.text}" for claimed in claim.deviations}
    printed = printed_scores(claim.scores).items()
    return {
        f"{words}{after.get(claimed.name, '')}": rule
        for (words, rule), claimed in zip(printed, claim.scores, strict=True)
    }


def _drawn_table(result: FoldRecovery) -> Iterator[Block]:
    """Draw the table of all cases together, where its cells are known in every way that fits."""
    ranges = {name: _whole_range(ends).replace(" to ", "-") for name, ends in result.shown_cells.items()}
    if ranges.keys() >= {"tp", "fn", "fp", "tn"}:
        columns = [Column("", "text"), Column("predicted positive", "printed"), Column("predicted negative", "printed")]
        rows = [["actually positive", ranges["tp"], ranges["fn"]], ["actually negative", ranges["fp"], ranges["tn"]]]
        yield Grid(f"The sum over all {_parts(result)}", columns, rows, place="page", matrix=True)


def interval_blocks(intervals: Sequence[IntervalCheck]) -> Iterator[Block]:
    """Say which methods give the intervals printed beside scores, where no note does."""
    told = [f"{sentence(check.words)}." for check in intervals if not check.notes()]
    if told:
        yield Heading("The intervals beside the scores", place="page")
    for words in told:
        yield Sentence(words)


def fold_blocks(result: FoldRecovery) -> Iterator[Block]:
    """Show one way in which folds could have been, and what other means must then be."""
    table = result.pooled()
    if table is not None:
        yield Heading("One way in which it could have been", place="page")
        columns = [Column(_parts(result), "count"), *(Column(name, "count") for name in ("tp", "fn", "fp", "tn"))]
        kinds = result.folds()
        rows = [[kind.count, *kind.table.cells().values()] for kind in kinds[:_MOST_KINDS]]
        yield Grid(f"Tables of the {_parts(result)}, one way in which it could have been", columns, rows,
            left_out=len(kinds) - len(rows))  # fmt: skip
        facts = {"sum of these": ", ".join(f"{name} {n}" for name, n in table.cells().items())}
        ranges = {name: _whole_range(ends) for name, ends in result.shown_cells.items()}
        if ranges:
            facts["sum in every way that fits"] = ", ".join(f"{name} {words}" for name, words in ranges.items())
        yield Facts(facts)
    if result.shown_bounds:
        means = result.claim.over == "mean"
        yield Heading(f"What other {'means' if means else 'scores'} must then be", place="page")
        yield _bounds("mean of" if means else "all together", result.shown_bounds)
        if means:
            yield _bounds("all together", result.shown_pooled_bounds)


def _parts(result: FoldRecovery) -> str:
    return "folds" if "folds" in result.claim.what else "sets"


def _whole_range(ends: MeanBounds) -> str:
    """Say between what a count lies."""
    low, high = ceil(ends.outer_low - _ALIKE), floor(ends.outer_high + _ALIKE)
    return between_counts(low, high)


def _claims(claim: FoldClaim) -> Grid:
    columns = [Column("reported as", "text"), Column("metric", "text"), Column("printed", "printed")]
    rows = [[claimed.name, claimed.metric.label, claimed.reported.text] for claimed in claim.scores]
    rows += [[claimed.name, f"± of {claimed.metric.label}", claimed.reported.text] for claimed in claim.deviations]
    return Grid("What was reported", columns, rows, place="page")


def _bounds(what: str, bounds: Mapping[str, MeanBounds]) -> Grid:
    columns = [Column(what, "text"), Column("at least"), Column("at most"), Column("values found", "text")]
    rows = [_bounds_row(name, ends) for name, ends in bounds.items()]
    return Grid(f"Bounds: {what}", columns, rows)


def _bounds_row(name: str, ends: MeanBounds) -> list[Any]:
    """Give the proven ends, and the values that were found where these are others."""
    proven = [number(ends.outer_low), number(ends.outer_high)]
    found = [number(end) for end in (ends.inner_low, ends.inner_high) if end is not None]
    words = "both ends" if found == proven else "to ".join([f"{found[0]} ", found[1]]) if found else "none"
    return [find_metric(name).label, ends.outer_low, ends.outer_high, words]
