"""What some claims leave for another: the nearest values that it could have had.

Between the smallest and the largest value that others leave there are gaps, and a claim that contradicts them may lie
in one. So what is told are the nearest possible values on both sides of what was printed, each with a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from operator import attrgetter
from typing import Annotated, Any, NamedTuple

from ..exact.reported import Reported
from ..exact.surd import Surd
from ..metrics import AREA, Metric
from ..shape import Record
from ..solve import Area, Bounds, Rows, bounds, on_side, values_in
from ..table import Table
from .claim import ClaimedScore, TableClaim
from .search import Feasible


class Nearest(NamedTuple):
    """A value that is possible, with a table that has it."""

    value: Annotated[Fraction | Surd, "The value.", float]
    table: Annotated[Table, "A table that has it."]


@dataclass(frozen=True)
class Implied(Record, members="name others reported low=bounds.low high=bounds.high below above"):
    """What the others of a contradicting set leave for one of them; without others, what any table leaves."""

    name: Annotated[str, "The claim."]
    others: Annotated[tuple[str, ...], "The other claims; none where no table at all has what the claim says."]
    reported: Annotated[str, "What the claim says, as printed."]
    bounds: Bounds
    # A root has no hash.
    below: Annotated[Nearest | None, "The nearest possible value below; null where there is none."] = field(
        default=None, hash=False
    )
    above: Annotated[Nearest | None, "The nearest possible value above; null where there is none."] = field(
        default=None, hash=False
    )


def implied(claim: TableClaim, claimed: ClaimedScore, others: Sequence[ClaimedScore], feasible: Feasible) -> Implied:
    """Return what other claims, which leave some tables, leave for one of a claim's scores."""
    rest = claim.having(tuple(others))
    ends = bounds_over(rest, feasible, [claimed.metric])[claimed.metric.id]
    names = tuple(other.name for other in others)
    if feasible.all_sizes:
        # Tables of all sizes leave no gaps that could be named.
        return Implied(claimed.name, names, claimed.reported.text, ends)
    rows = feasible.rows
    below, above = _nearest_areas(rest, claimed.reported, rows) if claimed.is_area else _nearest(rest, claimed, rows)
    return Implied(claimed.name, names, claimed.reported.text, ends, below, above)


def bounds_over(claim: TableClaim, feasible: Feasible, metrics: Sequence[Metric]) -> dict[str, Bounds]:
    """Return the bounds of metrics over the tables that fit a claim; those of the area within what is claimed of it."""
    known = feasible.bounds([metric for metric in metrics if metric.id != AREA.id], claim.meant)
    if len(known) < len(metrics):
        known[AREA.id] = (claim.area or Area((), claim.curve)).bounds(feasible.rows)
    return known


def _nearest(claim: TableClaim, claimed: ClaimedScore, rows: Rows) -> tuple[Nearest | None, Nearest | None]:
    """Return the largest value below what was reported, and the smallest above."""
    reported = claimed.reported
    below: list[Nearest] = []
    above: list[Nearest] = []
    for part, value in values_in(rows, claimed.metric, claim.meant):
        if isinstance(value, Fraction):
            printed = Nearest(value, part.first())
            below += [printed] if reported.low >= value else []
            above += [printed] if reported.high <= value else []
            continue
        lower = on_side(part, value, reported.low, above=False, strict=not reported.low_open)
        upper = on_side(part, value, reported.high, above=True, strict=not reported.high_open)
        metric = replace(claimed.metric, formula=value)
        highest, lowest = (bounds(side, [metric])[metric.id] for side in (lower, upper))
        for found, table in ((below, highest.high_witness), (above, lowest.low_witness)):
            exact = None if table is None else value.exact(table.cells())
            found += [Nearest(exact, table)] if table is not None and exact is not None else []
    value_of: Any = attrgetter("value")
    return max(below, key=value_of, default=None), min(above, key=value_of, default=None)


def _nearest_areas(claim: TableClaim, reported: Reported, rows: Rows) -> tuple[Nearest | None, Nearest | None]:
    area = claim.area or Area((), claim.curve)
    lower = Reported("", Fraction(0), reported.low, high_open=not reported.low_open)
    upper = Reported("", reported.high, Fraction(1), low_open=not reported.high_open)
    below, above = (area._replace(intervals=(*area.intervals, part)).ends(rows) for part in (lower, upper))
    return (None if below is None else Nearest(*below[1])), (None if above is None else Nearest(*above[0]))
