"""What `recover` found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from ..claims import (
    Claim,
    ClaimedScore,
    Distribution,
    Estimate,
    Implied,
    Nearest,
    Reading,
    Recovery,
    Repair,
    Size,
    added,
    own_columns,
)
from ..claims.intervals import MOST_TABLES
from ..claims.readings import SINGLE
from ..document import Bar, Block, Cell, Chart, Column, Document, Grid, Heading, Items, Notes, Sentence, Tone
from ..metrics import SIZE_PARTS, claimed_metric
from ..reported import Reported
from ..space import Bounds
from ..table import Table
from ..words import between, clear_of, count_of, decimals, level, listed, number, told_once
from .any_result import document, label_of, plain_document
from .folds import fold_blocks, interval_blocks
from .verdicts import TONES, between_counts, checked, checked_line, cited, contradiction, only_if, printed_scores

_MOST_TABLES: Final = 10
_MOST_TOLD: Final = 6


@document.register
def _(result: Recovery) -> Document:
    return checked(result.verdict, _verdict(result), _blocks(result), _cited(result))


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
    if ranges:
        yield _drawn_table(result)
    assumed = f"that {result.reading}" if result.departures else "one test set"
    yield Sentence(checked_line(printed_scores(result.stated.scores), _sizes_in_words(result), assumed), place="page")
    if result.count and result.claim.labels != Claim.labels:
        negative, positive = result.claim.labels
        yield Sentence(f"Cases of {positive} count as positive, those of {negative} as negative.")
    if result.verdict in ("conditional", "undecided") and result.contradictions:
        yield Sentence(f"As it stands it is impossible: {_contradictions(result, most=1)}.")
    if result.as_means:
        yield from fold_blocks(result.as_means)
    if result.verdict == "impossible":
        yield Items([*_wrong_sums(result.stated), *_told(result)])
    yield from other_readings(result.readings)
    yield from repair_blocks([_repair(repair) for repair in result.repairs])
    yield from _intervals(result)
    yield Heading("What was reported", place="page")
    yield Sentence(_sizes(result), place="page")
    yield _claim_grid(result.claim)
    yield from _possible(result) if result.count and not result.feasible.unwalked else _impossible(result)
    yield Notes(result.notes)


def _intervals(result: Recovery) -> Iterator[Block]:
    """Say which methods give the intervals printed beside scores, and what that would leave."""
    yield from interval_blocks(result.intervals)
    together = result.interval_methods
    found = all(check.verdict == "found" for check in result.intervals)
    if len(together) == 1 and result.feasible.complete:
        method, left = f"{together[0].method} {level(together[0].level)}", together[0].tables or 0
        if left < result.count:
            remain = f"{left} of the {count_of(result.count, 'table')} {'remains' if left == 1 else 'remain'}"
            yield Sentence(f"With {method} intervals, {remain}; what follows is about all {result.count}.")
    elif not together and len(result.intervals) > 1 and result.count <= MOST_TABLES and found:
        yield Sentence("No one of these methods gives all the intervals for one and the same table.")


def _possible(result: Recovery) -> Iterator[Block]:
    only = result.count == 1 and result.feasible.complete
    yield Heading("The table that fits" if only else "Tables that fit", place="page")
    yield Chart("feasible", "The plane of both rates: each claim holds inside its band, and points are tables.")
    tables = [list(table.cells().values()) for table in result.tables(_MOST_TABLES)]
    columns = [Column(name, "count") for name in ("tp", "fn", "fp", "tn")]
    more = 0 if result.feasible.all_sizes else result.count - len(tables)
    yield Grid("The smallest tables that fit" if result.feasible.all_sizes else "Tables that fit", columns, tables,
        left_out=more)  # fmt: skip
    if result.shown_bounds:
        yield Heading("What every metric must then be", place="page")
        yield Chart("bounds", "The smallest and the largest value of every metric among the tables that fit.")
        columns = [Column("metric", "text"), Column("at least"), Column("at most"), Column("", "bar")]
        printed = {claimed.metric.id: claimed.reported.text for claimed in result.claim.scores}
        tables_seen = list(result.tables(_MOST_TABLES))
        rows = [
            _bounds_row(name, bounds, printed.get(name), tables_seen) for name, bounds in result.shown_bounds.items()
        ]
        yield Grid("Bounds of every metric", columns, rows)


def _impossible(result: Recovery) -> Iterator[Block]:
    if not result.contradictions or result.feasible.unwalked:
        return
    yield Heading("Why it cannot be one test set" if result.as_means else "Why it cannot be", place="page")
    sized = result.claim.sized()
    if sized and sized.margins:
        yield Chart("feasible", "The plane of both rates: each claim holds inside its band, and no table lies in all.")
    if any(implied.others and not _claimed(result.claim, implied).is_count for implied in result.implied):
        yield Chart("bounds", "What the other claims leave for each claim that they contradict.")


def _verdict(result: Recovery) -> str:
    if result.verdict == "impossible":
        return f"impossible: {_contradictions(result)}."
    if result.verdict == "undecided":
        return f"undecided: {undecided_readings(result.readings) or _unfinished(result)}."
    if result.as_means:
        return f"{only_if(result.reading)}; impossible for one test set."
    words = short_verdict(result)
    if result.verdict == "conditional":
        return f"{only_if(result.reading)}: {words[:1].lower()}{words[1:]}."
    return f"{'possible: ' if result.feasible.all_sizes else ''}{words[:1].lower()}{words[1:]}."


def _contradictions(result: Recovery, most: int | None = None) -> str:
    """Say which claims contradict each other as a report stands."""
    sure = not any(note.code == "blame_incomplete" for note in result.notes)
    alone = {implied.name: alone_words(result.stated, implied) for implied in result.implied if not implied.others}
    sets = [contradiction(names, sure=sure) + alone.get("".join(names), "") for names in result.contradictions]
    return "; ".join(sets[:most])


def _told(result: Recovery) -> list[str]:
    """Say what claims leave for each other, the first few of them."""
    left = [implied_words(result.stated, implied) for implied in result.implied if implied.others]
    more = [f"and {len(left) - _MOST_TOLD} more like these"] if len(left) > _MOST_TOLD + 1 else []
    return left[: _MOST_TOLD if more else None] + more


def undecided_readings(readings: Sequence[Reading]) -> str:
    """Say that readings were not decided, where no table fits a report as it stands; else nothing."""
    if not readings or readings[0].verdict != "impossible":
        return ""
    open_ = sum(reading.verdict == "undecided" for reading in readings)
    return f"impossible as it stands, and {count_of(open_, 'other reading')} could not be decided"


def other_readings(readings: Sequence[Reading]) -> Iterator[Block]:
    """List the readings that were tried beside the plain one, where no table is known to fit any."""
    others = [reading for reading in readings if reading.departures]
    if any(reading.verdict == "possible" for reading in readings):
        return
    ruled_out, open_ = (
        _told_readings([reading for reading in others if reading.verdict == verdict])
        for verdict in ("impossible", "undecided")
    )
    if ruled_out:
        yield Sentence(f"Nor does any table fit if {'; or if '.join(told_once(ruled_out))}.")
    if open_:
        yield Sentence(f"It was not decided whether one fits if {'; or if '.join(told_once(open_))}.")


def _told_readings(readings: Sequence[Reading]) -> list[str]:
    """Return readings in words; what goes with each of them is told once."""
    beside = [reading for reading in readings if len(reading.departures) > 1 and SINGLE in reading.departures]
    alone = [reading.words for reading in readings if reading not in beside]
    if (SINGLE,) not in [reading.departures for reading in readings]:
        return [*alone, *(reading.words for reading in beside)]
    told = f"{SINGLE.words}, alone or with any of the others" if beside else SINGLE.words
    return [told if words == SINGLE.words else words for words in alone]


def _unfinished(result: Recovery) -> str:
    """Say how far a search went that found too little to tell."""
    if not result.feasible.complete:
        found = count_of(result.count, "table") if result.count else "no table"
        return f"{found} fits among those tried, and the budget was spent before all were tried"
    found = f"just {count_of(result.count, 'table')}" if result.count else "no table"
    return f"{found} with at most {result.claim.largest_total:,} cases fits, and larger ones were not searched"


def short_verdict(result: Recovery) -> str:
    """Say in a few words whether tables fit, as the headline of a picture."""
    if result.as_means:
        return "No one table fits, and means over folds do"
    if result.verdict == "impossible":
        return "No table fits"
    if result.verdict == "undecided":
        return "Undecided: the search was not finished"
    if result.feasible.all_sizes:
        which = "the smallest" if len(result.feasible.rows) else "one"
        size = count_of(result.feasible.first().total, "case")
        only = result.feasible.all_sizes.only
        return f"{'The multiples of one table' if only else 'Tables of some sizes'} fit, {which} has {size}"
    fit = "fits" if result.count == 1 else "fit"
    if not result.feasible.complete:
        return f"At least {count_of(result.count, 'table')} {fit}; the budget was spent before all were tried"
    if (result.claim.sized() or result.claim).open_ended:
        most = f"with at most {result.claim.largest_total:,} cases"
        return f"{count_of(result.count, 'table')} {most} {fit}; larger ones were not searched"
    return f"{count_of(result.count, 'table')} {fit}"


def repair_blocks(changes: Sequence[str]) -> Iterator[Block]:
    """List changes that would make a report possible, as what they are."""
    if changes:
        yield Heading("Single changes that would make it possible")
        yield Sentence("Each is only a hypothesis.")
        yield Items(changes, hypotheses=True)


def _repair(repair: Repair) -> str:
    cells = " ".join(f"{name}={n}" for name, n in repair.table.cells().items())
    tables = "the only table" if repair.count == 1 else f"one of {repair.count} tables"
    return f"{repair.change}: then {cells} fits, {tables}"


def _sizes_in_words(result: Recovery) -> str:
    claim = result.stated
    sizes = {"positives": claim.positives, "negatives": claim.negatives, "cases": claim.total}
    known = [f"{size} {name}" for name, size in sizes.items() if size.high is not None]
    return listed(known) if known else "no size given"


def _wrong_sums(claim: Claim) -> Iterator[str]:
    """Say which counts do not add up to a size that was given."""
    for name, *ids in SIZE_PARTS:
        parts = [claimed for claimed in claim.scores if claimed.metric.id in ids]
        low, high = (sum(int(getattr(part.reported, end)) for part in parts) for end in ("low", "high"))
        size: Size = getattr(claim, name)
        if len(parts) == 2 and (high < size.low or (size.high is not None and low > size.high)):
            yield f"{listed([claimed.name for claimed in parts])} add up to {Size(low, high)}, and {name} to {size}"


def implied_words(claim: Claim, implied: Implied) -> str:
    """Say what other claims leave for one."""
    verb = "could be" if implied.below and implied.above else "is"
    return f"given {listed(implied.others)}, {implied.name} {verb} {nearest_values(claim, implied)}"


def nearest_values(claim: Claim, implied: Implied) -> str:
    """Say which values nearest to what was claimed the other claims leave, and what was claimed."""
    claimed, (below, above) = _claimed(claim, implied), (implied.below, implied.above)
    nearest = below or above
    if below and above:
        values = " or ".join(_with_cases(claimed, one, "nearest") for one in (below, above))
    elif nearest is None and implied.bounds.low is not None and implied.bounds.high is not None:
        digits = max(decimals(implied.reported), 4)
        values = f"from {between(implied.bounds.low, implied.bounds.high, digits)}"
    elif nearest is None:
        values = "undefined"
    elif implied.bounds.low == implied.bounds.high:
        values = _with_cases(claimed, nearest, "nearest")
    else:
        end, way = ("at most", "up") if below else ("at least", "down")
        values = f"{end} {_with_cases(claimed, nearest, way)}"
    return f"{values}, not {implied.reported}"


def alone_words(claim: Claim, implied: Implied) -> str:
    """Say which values are nearest to one that no table has."""
    claimed = _claimed(claim, implied)
    sides = [nearest for nearest in (implied.below, implied.above) if nearest]
    if not sides:
        return ": it is undefined for all"
    values = [_value(claimed, nearest, "nearest") for nearest in sides]
    cases = [claimed.metric.counted(nearest.table) for nearest in sides]
    if all(case and case[1] for case in cases):
        shares = [f"{hits} of {of} is {value}" for (hits, of), value in zip(filter(None, cases), values, strict=True)]
        return f": {', '.join(shares)}"
    return f": the nearest {'are' if len(values) > 1 else 'is'} {listed(values)}"


def _claimed(claim: Claim, implied: Implied) -> ClaimedScore:
    return next(claimed for claimed in claim.scores if claimed.name == implied.name)


def _with_cases(claimed: ClaimedScore, nearest: Nearest, way: str) -> str:
    """Return a value, and of how many cases it is a share."""
    value, cases = _value(claimed, nearest, way), claimed.metric.counted(nearest.table)
    if cases is None:
        return value
    return f"{value} ({cases[0]} of {cases[1]})" if cases[1] else f"{value} (printed where it is undefined)"


def _value(claimed: ClaimedScore, nearest: Nearest, way: str) -> str:
    """Return a value with so many digits that it is told from what was reported."""
    exact = nearest.value if isinstance(nearest.value, Fraction) else Fraction(float(nearest.value))
    if claimed.is_count:
        return str(exact)
    text = claimed.reported.text.strip()
    digits = decimals(text) if claimed.metric.limits.high is None else max(decimals(text), 4)
    return clear_of(exact, claimed.reported.__contains__, digits, way=way, percent=text.endswith("%"))


def _bounds_row(name: str, bounds: Bounds, printed: str | None, tables: Sequence[Table]) -> list[Any]:
    metric = claimed_metric(name)
    label = Cell(metric.label, marked=printed is not None, remark=metric.says)
    if bounds.low is None or bounds.high is None:
        reasons = dict.fromkeys(why for table in tables for why in metric.why_undefined(table))
        return [label, None, "", "; ".join(reasons)]
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


def _cited(result: Recovery) -> str:
    """Return a sentence to paste into a review."""
    claim = result.stated
    p, n, total = claim.positives, claim.negatives, claim.total
    sizes = "Whatever the number of cases"
    if p.high is not None and n.high is not None:
        sizes = f"With {p} positive and {n} negative cases"
    elif total.high is not None:
        sizes = f"With {total} cases"
    found = ""
    if result.cells and not result.feasible.all_sizes and not result.as_means:
        cells = listed([f"{name} {between_counts(*ends)}" for name, ends in result.cells.items()])
        found = f"; the counts are then {cells}"
    return cited(sizes, list(printed_scores(claim.scores)), result.verdict, result.reading, found)


def _drawn_table(result: Recovery) -> Grid:
    """Return the table with its counts or their ranges, as it is drawn."""
    ranges = {name: str(low) if low == high else f"{low}-{high}" for name, (low, high) in result.cells.items()}
    negative, positive = result.claim.labels
    columns = [Column("", "text"), *(Column(f"predicted {label}", "printed") for label in (positive, negative))]
    rows = [
        [f"actually {positive}", ranges["tp"], ranges["fn"]],
        [f"actually {negative}", ranges["fp"], ranges["tn"]],
    ]
    return Grid("The confusion matrix", columns, rows, place="page", matrix=True)


def _sizes(result: Recovery) -> str:
    claim = result.claim
    if result.feasible.all_sizes:
        return "No size was given: tables of all sizes were looked at."
    sizes = {"positives": claim.positives, "negatives": claim.negatives, "total": claim.total}
    given = [f"{name} {size}" for name, size in sizes.items() if size.high is not None or size.low]
    words = f"Sizes: {', '.join(given)}." if given else "No size was given."
    is_open = (claim.sized() or claim).open_ended
    return f"{words} Totals up to {claim.largest_total} were tried." if is_open else words


def review_row(row: Mapping[Any, Any]) -> tuple[list[str], list[str], Tone]:
    """Return the heads, the texts and the tone of one row of a review: its verdict first, then the row as it was."""
    told = added(row)
    own = own_columns(row)
    blamed = [contradiction(names.split(" + "), sure=False) for names in (told["blame"] or "").split("; ") if names]
    condition = only_if(told["reading"]) if told["reading"] else ""
    why = told["error"] or condition or "; ".join(blamed) or told["notes"] or ""
    count = "-" if told["count"] in (None, "") else str(told["count"])
    values = ["" if row[name] is None else str(row[name]) for name in own]
    heads = ["verdict", "tables", "why", *map(str, own)]
    return heads, [told["verdict"], count, why, *values], TONES.get(told["verdict"], "good")


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
