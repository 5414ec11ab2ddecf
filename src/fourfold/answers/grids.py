"""Tables in what `recover` found: the scores as printed, bounds, a row a class, the cells of a table of classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..claims import Recovery, TableClaim
from ..document import Bar, Block, Cell, Column, Grid, Heading, Place, Sentence
from ..metrics import OF_EACH_CLASS, claimed_metric
from ..solve.problem import Bounds
from ..table import Table
from ..words import decimals, listed, number, span
from .any_result import label_of
from .verdicts import all_sizes

MOST_SHOWN: Final = 10
_MOST_CLASSES: Final = 30
# A terminal has room for a table of this many classes, and for three scores beside the margins of a class.
_MOST_ACROSS: Final = 6
_BESIDE: Final = OF_EACH_CLASS[:3]
_MOST_NAMED: Final = 6
_MARGINS: Final = (Column("class", "text"), *(Column(name, "count") for name in ("cases", "right", "predicted")))


def reported_grid(result: Recovery) -> Iterator[Block]:
    """Show each score that was claimed, as printed and as read."""
    yield Heading("What was reported", place="page")
    claim: Any = result.claim
    if isinstance(result.stated, TableClaim):
        claim = claim if isinstance(claim, TableClaim) else result.stated
        sizes = {"positives": claim.positives, "negatives": claim.negatives, "total": claim.total}
        given = [f"{name} {size}" for name, size in sizes.items() if size.high is not None or size.low]
        words = f"Sizes: {', '.join(given)}." if given else "No size was given."
        if (claim.sized() or claim).open_ended:
            words += f" Totals up to {claim.largest_total} were tried."
        every = "No size was given: tables of all sizes were looked at."
        yield Sentence(every if all_sizes(result) else words, place="page")
    names = [Column("reported as", "text"), Column("metric", "text")]
    columns = [*names, Column("printed", "printed"), Column("stands for", "printed")]
    rows = []
    for read in (*claim.scores, *getattr(claim, "deviations", ())):
        label = read.metric.label if read.place is None else f"{read.metric.label}[{read.label}]"
        reported = read.reported
        # A rounded number's interval ends half a unit beyond its last digit, so one digit more shows it whole.
        low, high = (number(float(end), decimals(reported.text) + 1) for end in (reported.low, reported.high))
        stands = f"{'above ' if reported.low_open else ''}{low} to {'below ' if reported.high_open else ''}{high}"
        stands = low if reported.low == reported.high else stands
        rows.append([read.name, label if read in claim.scores else f"± of {label}", reported.text, stands])
    yield Grid("What was reported", columns, rows, place="page")


def bounds_grid(result: Recovery, caption: str, head: str, bounds: Mapping[str, Bounds]) -> Grid:
    """Return the smallest and the largest value of scores, and beside them a bar or what is known of the ends."""
    last = {"one table": Column("", "bar"), "classes": Column("", "text"), "parts": Column("values found", "text")}
    columns = [Column(head, "text"), Column("at least"), Column("at most"), last[result.layout]]
    printed = () if result.layout == "parts" else {claimed.meant for claimed in result.claim.scores}
    tables = list(result.tables(MOST_SHOWN)) if result.layout == "one table" else []
    rows: list[list[Any]] = []
    for name, ends in bounds.items():
        metric = claimed_metric(name)
        # What a metric says is told of two classes.
        says = "" if result.layout == "classes" else metric.says
        label = Cell(metric.label, marked=name in printed, remark=says)
        if ends.low is None or ends.high is None:
            reasons = dict.fromkeys(why for table in tables for why in metric.why_undefined(table))
            rows.append([label, None, "", "; ".join(reasons)])
            continue
        row: list[Any] = [label]
        for value, at in ((ends.low, ends.low_witness), (ends.high, ends.high_witness)):
            cells = at.cells().items() if isinstance(at, Table) else ()
            row.append(Cell(value, remark=" ".join(f"{cell} {n}" for cell, n in cells)))
        beside: Bar | str | None = f"* {listed(open_ends(ends))}" if open_ends(ends) else ""
        if result.layout == "parts":
            ends_shown = [number(end) for end in (ends.low_found, ends.high_found)]
            beside = "both ends" if ends_shown == [number(ends.low), number(ends.high)] else " to ".join(ends_shown)
            beside = "none" if ends.low_found is None else beside
        elif result.layout == "one table":
            start, end = float(metric.limits.low), float(metric.limits.high or 0)
            beside = Bar(*((value - start) / (end - start) for value in (ends.low, ends.high))) if end else None
        rows.append([*row, beside])
    return Grid(caption, columns, rows)


def open_ends(ends: Bounds) -> list[str]:
    """Return which ends of a score are not proven to be attained."""
    return [side for side, is_sure in (("least", ends.low_attained), ("most", ends.high_attained)) if not is_sure]


def each_class(result: Recovery) -> Iterator[Block]:
    """Show a row a class: its margins over all that fit where they are known, and the bounds of its scores."""
    names = list(dict.fromkeys(name.partition("[")[0] for name in result.shown_bounds if "[" in name))
    claimed = {score.metric.id for score in result.claim.scores if score.place is not None}
    beside = [name for name in names if name in _BESIDE or name in claimed] or names
    solution: Any = result.solution
    if beside != names:
        yield _class_grid(result, beside, "terminal")
    if names or solution.listed:
        yield _class_grid(result, names, "everywhere" if beside == names else "page")
    if not solution.listed and (not names or len(result.claim.labels) > _MOST_ACROSS):
        yield Heading("One set of margins that fits")
        yield _shortened("One set of margins that fits", _MARGINS, [list(score) for score in next(result.margins(1))])


def _class_grid(result: Recovery, names: Sequence[str], place: Place) -> Grid:
    solution: Any = result.solution
    # Of this many cases each has a value of its own in three digits.
    digits = 3 if max(ranges.size[1] for ranges in solution.ranges) <= 1000 else 4
    known, printed = result.shown_bounds, {claimed.meant for claimed in result.claim.scores}
    rows: list[list[Any]] = []
    for ranges, size in zip(solution.ranges, solution.claim.sizes, strict=True):
        margins = [span(low, high, 0) for low, high in ranges[1:]] if solution.listed else [str(size)]
        row: list[Any] = [ranges.label, *margins]
        for name in (f"{name}[{ranges.label}]" for name in names):
            ends = known.get(name)
            text = f"{span(ends.low, ends.high, digits)}{'*' if open_ends(ends) else ''}" if ends else ""
            row.append(Cell(text, marked=name in printed))
        rows.append(row)
    heads = [*_MARGINS[: 4 if solution.listed else 2], *(Column(label_of(name), "printed") for name in names)]
    return _shortened("Each class, over all margins that fit", heads, rows, place)


def _shortened(caption: str, heads: Sequence[Column], rows: Sequence[Any], place: Place = "everywhere") -> Grid:
    left_out = max(0, len(rows) - _MOST_CLASSES)
    return Grid(caption, heads, rows[:_MOST_CLASSES], left_out=left_out, place=place)


def cells_of_classes(result: Recovery) -> Iterator[Block]:
    """Show the least and the largest count of each cell where all margins are known, and a table that fits."""
    cells, matrix, labels = result.class_cells, result.matrix(), result.claim.labels
    wide, is_one = len(labels) > _MOST_ACROSS, cells is not None and all(map(all, cells.determined))
    place: Place = "page" if wide else "everywhere"
    heads = [Column("actual", "text"), *(Column(f"as {label}", "count") for label in labels)]
    if wide:
        words = f"The {len(labels)}-by-{len(labels)} table is not shown here; the JSON of this answer has it."
        yield Sentence(words, quiet=True, place="terminal")
    if cells is not None:
        yield Heading("Each cell, over all tables that fit", place=place if cells.sharp else "page")
    if cells is not None and cells.sharp:
        if result.verdict == "possible" and result.count == 1 and result.counted:
            # Unique margins determine the right cases of each class, and of the other cells some, all or none.
            single = [
                f"{labels[i]} as {labels[j]}"
                for i, row in enumerate(cells.determined)
                for j, is_single in enumerate(row)
                if is_single and i != j
            ]
            named = f", and {len(single)} of {len(labels) * (len(labels) - 1)} other cells"
            if len(single) <= _MOST_NAMED:
                named = f", and {listed(single)}" if single else " and no other cell"
            words = f"the table is not. Determined are the right cases of each class{named}."
            yield Sentence(f"The margins are unique, {'and so is the table.' if is_one else words}", place=place)
        rows: list[list[Any]] = [
            [label, *(span(low, high, 0) for low, high in zip(*ends, strict=True))]
            for label, *ends in zip(labels, cells.low, cells.high, strict=True)
        ]
        yield Grid("Each cell, over all tables that fit", heads, rows, place=place)
        place = "page"
    if matrix is not None and len(labels) <= _MOST_CLASSES and not is_one:
        yield Heading("One table that fits", place=place)
        rows = [[label, *row] for label, row in zip(labels, matrix.tolist(), strict=True)]
        yield Grid("One table that fits", heads, rows, place=place)
