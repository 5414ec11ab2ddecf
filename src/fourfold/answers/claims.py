"""What `recover` found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..claims import Claim, Distribution, Estimate, Implied, Recovery, Repair
from ..document import Bar, Block, Cell, Chart, Column, Document, Facts, Grid, Heading, Items, Notes, Sentence, Tone
from ..metrics import metric as find_metric
from ..reported import Reported
from ..space import Bounds
from ..words import between, count_of, decimals, listed, number, sentence
from .any_result import document, label_of, plain_document

_MOST_TABLES: Final = 10
_TONES: Final[Mapping[str, Tone]] = {"impossible": "bad", "undecided": "open", "error": "bad"}


@document.register
def _(result: Recovery) -> Document:
    title = sentence(_verdict(result)).removesuffix(".")
    return Document("Check of reported scores", title, _TONES.get(result.verdict, "good"), list(_blocks(result)))


@document.register
def _(result: Distribution) -> Document:
    middle = f"The median of {label_of(result.metric)} is {number(result.median)}"
    return plain_document(result, f"{middle}; 95 % of the tables have {between(result.low, result.high)}")


@document.register
def _(result: Estimate) -> Document:
    cells = {name: getattr(result, name) for name in ("tp", "fn", "fp", "tn")}
    known = [f"{name} {float(value):.6g}" for name, value in cells.items() if value is not None]
    return plain_document(result, f"The estimate is {listed(known)}" if known else "")


def _blocks(result: Recovery) -> Iterator[Block]:
    ranges = {name: str(low) if low == high else f"{low}-{high}" for name, (low, high) in result.cells.items()}
    line = "  ".join([_verdict(result), *(f"{name} {ends}" for name, ends in ranges.items())])
    yield Sentence(line, strong=True, place="terminal")
    yield Facts(ranges, place="page")
    yield Items([_implied(implied) for implied in result.implied])
    yield from repair_blocks([_repair(repair) for repair in result.repairs])
    yield Heading("What was reported", place="page")
    yield Sentence(_sizes(result.claim), place="page")
    yield _claim_grid(result.claim)
    yield from _possible(result) if result.count and not result.feasible.unwalked else _impossible(result)
    yield Notes(result.notes)


def _possible(result: Recovery) -> Iterator[Block]:
    only = result.count == 1 and result.feasible.complete
    yield Heading("The table that fits" if only else "Tables that fit", place="page")
    yield Chart("feasible", "The plane of both rates: each claim holds inside its band, and points are tables.")
    tables = [list(table.cells().values()) for table in result.tables(_MOST_TABLES)]
    columns = [Column(name, "count") for name in ("tp", "fn", "fp", "tn")]
    yield Grid("Tables that fit", columns, tables, left_out=result.count - len(tables))
    if result.shown_bounds:
        yield Heading("What every metric must then be", place="page")
        yield Chart("bounds", "The smallest and the largest value of every metric among the tables that fit.")
        columns = [Column("metric", "text"), Column("at least"), Column("at most"), Column("", "bar")]
        printed = {claimed.metric.id: claimed.reported.text for claimed in result.claim.scores}
        rows = [_bounds_row(name, bounds, printed.get(name)) for name, bounds in result.shown_bounds.items()]
        yield Grid("Bounds of every metric", columns, rows)


def _impossible(result: Recovery) -> Iterator[Block]:
    if not result.contradictions or result.feasible.unwalked:
        return
    yield Heading("Why it cannot be", place="page")
    if result.claim.margins:
        yield Chart("feasible", "The plane of both rates: each claim holds inside its band, and no table lies in all.")
    if result.implied:
        yield Chart("bounds", "What the other claims leave for each claim that they contradict.")


def _verdict(result: Recovery) -> str:
    if result.verdict == "impossible":
        sure = not any(note.code == "blame_incomplete" for note in result.notes)
        sets = [contradiction(names, sure=sure) for names in result.contradictions]
        kinds = {repair.kind for repair in result.repairs}
        only = " Possible if undefined scores were printed as 0." if kinds == {"undefined_as_zero"} else ""
        return "impossible: " + "; ".join(sets) + "." + only
    if result.verdict == "undecided":
        return "undecided: the budget was spent before an answer was certain."
    words = short_verdict(result)
    return f"{words[:1].lower()}{words[1:]}."


def short_verdict(result: Recovery) -> str:
    """Say in a few words whether tables fit, as the headline of a picture."""
    if result.verdict == "impossible":
        return "No table fits"
    if result.verdict == "undecided":
        return "Undecided: the budget was spent"
    words = f"{count_of(result.count, 'table')} {'fits' if result.count == 1 else 'fit'}"
    return words if result.feasible.complete else f"At least {words}"


def contradiction(names: Sequence[str], *, sure: bool) -> str:
    """Say which claims contradict each other; `sure` where every smaller set of them is known to be possible.

    Examples
    --------
    >>> contradiction(["accuracy", "f1"], sure=True)
    'accuracy and f1 contradict each other; each alone is possible'
    """
    if len(names) == 1:
        return f"no table has this {names[0]}"
    if not sure:
        return f"{listed(names)} contradict each other"
    if len(names) == 2:
        return f"{listed(names)} contradict each other; each alone is possible"
    others = {3: "any two", 4: "any three"}.get(len(names), f"any {len(names) - 1}")
    return f"{listed(names)} contradict each other; {others} of them are possible"


def repair_blocks(changes: Sequence[str]) -> Iterator[Block]:
    """List changes that would make a report possible, as what they are."""
    if changes:
        yield Heading("Single changes that would make it possible")
        yield Sentence("Each is no more than a hypothesis.")
        yield Items(changes, hypotheses=True)


def _repair(repair: Repair) -> str:
    cells = " ".join(f"{name}={n}" for name, n in repair.table.cells().items())
    tables = "the only table" if repair.count == 1 else f"one of {repair.count} tables"
    return f"{repair.change}: then {cells} fits, {tables}"


def _implied(implied: Implied) -> str:
    verb = "force" if len(implied.others) > 1 else "forces"
    digits = decimals(implied.reported)
    low, high = number(implied.bounds.low, digits), number(implied.bounds.high, digits)
    values = low if low == high else f"from {low} to {high}"
    return f"{listed(implied.others)} {verb} {implied.name} {values}, not {implied.reported}"


def _bounds_row(name: str, bounds: Bounds, printed: str | None) -> list[Any]:
    metric = find_metric(name)
    label = Cell(metric.label, marked=printed is not None, remark=metric.says)
    if bounds.low is None or bounds.high is None:
        return [label, None, "", "; ".join(metric.undefined_where)]
    low, high = (
        Cell(value, remark=" ".join(f"{cell} {n}" for cell, n in table.cells().items()) if table else "")
        for value, table in ((bounds.low, bounds.low_table), (bounds.high, bounds.high_table))
    )
    if metric.limits.high is None:
        return [label, low, high, None]
    start, width = float(metric.limits.low), float(metric.limits.high - metric.limits.low)
    return [label, low, high, Bar((bounds.low - start) / width, (bounds.high - start) / width)]


def _claim_grid(claim: Claim) -> Grid:
    """Return each score that was claimed, as printed and as read."""
    names = [Column("reported as", "text"), Column("metric", "text")]
    printed = [Column("printed", "printed"), Column("stands for", "printed")]
    rows = [[read.name, read.metric.label, read.reported.text, _stands_for(read.reported)] for read in claim.scores]
    return Grid("What was reported", [*names, *printed], rows, place="page")


def _stands_for(reported: Reported) -> str:
    """Return the values that a printed score can stand for."""
    # A rounded number's interval ends half a unit beyond its last digit, so one digit more shows it whole.
    low, high = (number(float(end), decimals(reported.text) + 1) for end in (reported.low, reported.high))
    if reported.low == reported.high:
        return low
    return f"{'above ' if reported.low_open else ''}{low} to {'below ' if reported.high_open else ''}{high}"


def _sizes(claim: Claim) -> str:
    sizes = {"positives": claim.positives, "negatives": claim.negatives, "total": claim.total}
    given = [f"{name} {size}" for name, size in sizes.items() if size.high is not None or size.low]
    words = f"Sizes: {', '.join(given)}." if given else "No size was given."
    return f"{words} Totals up to {claim.largest_total} were tried." if claim.open_ended else words


def review_row(row: Mapping[Any, Any]) -> tuple[list[str], list[str], Tone]:
    """Return the heads, the texts and the tone of one row of a review: its verdict first, then the row as it was."""
    own = [name for name in list(row)[: list(row).index("verdict")] if name is not None]
    blamed = [contradiction(names.split(" + "), sure=False) for names in (row["blame"] or "").split("; ") if names]
    why = row["error"] or "; ".join(blamed) or row["notes"] or ""
    count = "-" if row["count"] in (None, "") else str(row["count"])
    values = ["" if row[name] is None else str(row[name]) for name in own]
    heads = ["verdict", "tables", "why", *map(str, own)]
    return heads, [row["verdict"], count, why, *values], _TONES.get(row["verdict"], "good")


def review_words(verdicts: Mapping[str, int], *, done: bool) -> str:
    """Say how many reports of a review have which verdict.

    Examples
    --------
    >>> review_words({"several": 3, "impossible": 1}, done=True)
    '4 reports: 1 impossible, 3 several.'
    """
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    reports = count_of(sum(verdicts.values()), "report")
    return f"{reports}{'' if done else ' so far'}{': ' if counts else ''}{counts}."
