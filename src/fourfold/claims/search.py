"""The search for tables that fit a claim, within its budget.

Where no size is known, tables of all sizes are decided at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Annotated, Any, Final, TypeAlias

import numpy as np

from ..errors import TooLarge
from ..exact import Formula, zero_sets
from ..metrics import AREA, STRICT, Convention, Metric
from ..solve import AllSizes, Bounds, Rows, bounds, linear_ratio, split_by, what_is_left
from ..solve.region import count_fitting, defined, fitting, fitting_many, on_side, undefined_somewhere, undefined_tables
from ..solve.rows import Bools, Ints
from ..strategy import strategy
from ..table import Table
from .claim import ClaimedScore, Size, TableClaim

#: A total, with arrays of positives and of negatives that add up to it.
Margins: TypeAlias = tuple[int, Any, Any]

# Where the margins of a total are too many to look at, so many of them are tried.
_FEW_MARGINS: Final = 9
# Where a search has to be small enough for the budget, it is made this share of what is thought to be.
_SAFE: Final = 0.8
# So many tables are enough to show what the smallest ones are,
_ENOUGH_TABLES: Final = 200
# and so many margins and rows are looked at for them: at most about a third of a second.
_LOOKED_AT: Final = 100_000
_MULTIPLES: Final = 100
_FIRST_BATCH: Final = 50
_LARGEST_BATCH: Final = 5000
# Larger tables are not held in rows.
_TOO_LARGE: Final = 10**18


@dataclass(eq=False)
class Feasible:
    """The tables that fit, and whether all margins were looked at.

    Where tables can be counted without walking them, the count is known at once and the rows are made when asked for.
    """

    find: Rows | Callable[[], Rows]
    complete: Annotated[bool, "Whether all tables were looked at."] = True
    reason: str = ""
    known: int | None = None
    #: Why the tables can be counted and not walked; empty where they can.
    unwalked: str = ""
    #: Where no size is known, all tables that fit; the rows are the smallest of them.
    all_sizes: AllSizes | None = None

    @property
    def rows(self) -> Rows:
        """The tables as rows."""
        if not isinstance(self.find, Rows):
            self.find = self.find()
        return self.find

    @property
    def count(self) -> int:
        """How many tables there are."""
        if self.known is not None:
            return self.known
        return max(self.rows.count, int(self.all_sizes is not None))

    def first(self) -> Table:
        """Return the first table of the smallest total; where the smallest of all sizes is out of reach, any."""
        return self.all_sizes.example() if self.all_sizes and not len(self.rows) else self.rows.first()

    def tables(self) -> Iterator[Table]:
        """Walk the tables, smallest total first."""
        return self.rows.tables() if len(self.rows) or self.empty else iter([self.first()])

    @property
    def decided(self) -> bool:
        """Whether it is certain that tables fit, or that none does."""
        return self.complete or self.all_sizes is not None

    @property
    def empty(self) -> bool:
        """Whether no table fits, as far as they were looked at."""
        if self.all_sizes:
            return self.all_sizes.empty
        return not (len(self.rows) if self.known is None else self.known)

    def bounds(self, metrics: Sequence[Metric], convention: Convention = STRICT) -> dict[str, Bounds]:
        """Return the bounds of metrics over the tables; undefined values count as a convention says."""
        known = self.all_sizes.bounds(metrics) if self.all_sizes else bounds(self.rows, metrics)
        if convention.strict or self.empty:
            return known
        formulas = [formula for metric in metrics for formula in metric.components]
        somewhere = {} if self.all_sizes else undefined_somewhere(self.rows, formulas)
        for metric in metrics:
            fill = metric.fill(convention)
            for part, undefined in self._with_holes(metric.components, somewhere):
                left = what_is_left(metric, undefined, convention)
                if left is not None:
                    known[metric.id] = known[metric.id].joined(part.bounds([replace(metric, formula=left)])[metric.id])
                elif fill is not None:
                    value, table = float(fill), part.first()
                    known[metric.id] = known[metric.id].joined(Bounds(value, value, table, table))
        return known

    def _with_holes(
        self, holes: Sequence[Formula], somewhere: Mapping[Formula, Rows]
    ) -> Iterator[tuple[Feasible, set[Formula]]]:
        """Walk the tables in which some formulas are undefined, by which are; of one alone, a table is enough."""
        if not self.all_sizes:
            known = [formula for formula in holes if formula in somewhere]
            alone = ((somewhere[each], {each}) for each in known)
            parts = split_by(self.rows, known, set()) if len(holes) > 1 else alone
            yield from ((Feasible(rows), undefined) for rows, undefined in parts if undefined)
            return
        # Cells that are zero make them so. Where a denominator cancels otherwise, tables of all sizes make no cone.
        zeros = [[None, *(cells for guard in formula.guards for cells in zero_sets(guard))] for formula in holes]
        for chosen in product(*zeros):
            part = self.all_sizes.with_zeros(cell for cells in chosen for cell in cells or ())
            if any(chosen) and not part.empty:
                undefined = {formula for formula, cells in zip(holes, chosen, strict=True) if cells}
                yield replace(self, find=Rows.of_records([]), all_sizes=part), undefined


def _rows_alone(scores: Any, positives: int, negatives: int, budget: int) -> Rows:
    return fitting(scores, positives, negatives, most_rows=budget)[0]


def fits(claim: TableClaim, table: Table) -> bool:
    """Tell whether a table fits every score of a claim, from the definitions alone."""
    if claim.area is not None and not claim.area.fits(table):
        return False
    for claimed in of_cells(claim.scores):
        value = claimed.metric.value(table.cells(), claim.meant)
        if value is None or value not in claimed.reported:
            return False
    return True


def of_cells(scores: Sequence[ClaimedScore]) -> list[ClaimedScore]:
    """Return the scores that the cells of a table decide: all but the area under the ROC curve."""
    return [claimed for claimed in scores if claimed.metric.id != AREA.id]


def solve(claim: TableClaim) -> Feasible:
    """Find the tables that fit a claim, within its budget of rows; where no size is known, the smallest ones."""
    if not is_of_all_sizes(claim):
        return _solve_sized(claim)
    straight = without_curved(claim)
    constraints = [(claimed.metric, claimed.reported) for claimed in straight.scores]
    all_sizes = AllSizes.of(constraints, claim.meant)
    assert all_sizes is not None, "what is curved was left out"
    if all_sizes.empty:
        # What contradicts itself without the curved claims does so with them.
        return Feasible(Rows.of_records([]), known=0, all_sizes=all_sizes)
    if len(straight.scores) < len(claim.scores):
        return _solve_sized(claim)
    return Feasible(partial(_smallest, claim, all_sizes), complete=False, all_sizes=all_sizes)


def is_of_all_sizes(claim: TableClaim) -> bool:
    """Tell whether a claim leaves all sizes open, and can be decided for all at once."""
    # Sizes first: most claims have some, and are many.
    if claim.max_total is not None or not claim.positives == claim.negatives == claim.total == Size():
        return False
    return bool(claim.scores) and not any(claimed.is_count for claimed in claim.scores)


def without_curved(claim: TableClaim) -> TableClaim:
    """Return a claim with just those of its scores that can be decided for all sizes at once."""
    straight = (
        claimed
        for claimed in claim.scores
        if not claimed.is_area
        # An average with an undefined part is another formula under these conventions.
        and (claim.meant.strict or len(claimed.metric.components) == 1)
        and linear_ratio(claimed.metric.formula)
    )
    return claim.having(tuple(straight))


def _smallest(claim: TableClaim, all_sizes: AllSizes) -> Rows:
    """Return the smallest tables that fit, all of them up to some total; none where the budget ends below them."""
    if all_sizes.only is not None:
        tp, fn, fp, tn = all_sizes.only.cells().values()
        family = [(k * (tp + fn), k * (fp + tn), k * tp, k * tn, k * tn) for k in range(1, _MULTIPLES + 1)]
        return Rows.of_records([record for record in family if sum(record[:2]) < _TOO_LARGE])
    pieces: list[Rows] = []
    left = min(_LOOKED_AT, claim.budget)
    for batch in _batches(all_sizes.margins(_LOOKED_AT), _FIRST_BATCH, _LARGEST_BATCH, beside=1):
        try:
            rows, looked = _fitting_totals(claim, batch, left - len(batch))
        except TooLarge:
            break
        pieces.append(rows)
        left -= looked + len(batch)
        if sum(piece.count for piece in pieces) >= _ENOUGH_TABLES:
            break
    return Rows.joined(pieces)


def _solve_sized(claim: TableClaim) -> Feasible:
    """Find the tables of the sizes that a claim gives."""
    sized = claim.sized()
    if sized is None:
        return Feasible(Rows.of_records([]))
    claim = sized
    margins = claim.margins
    if margins is None:
        return _solve_many(claim)
    positives, negatives = margins
    if min(positives, negatives) > strategy().counted_above and not claim.holes(claim.meant) and claim.area is None:
        constraints = [(claimed.metric, claimed.reported) for claimed in claim.scores]
        counted = count_fitting(constraints, positives, negatives)
        if counted is not None:
            known, rows = counted
            reason = f"{rows} rows hold them, the budget is {claim.budget}" if rows > claim.budget else ""
            find = partial(_rows_alone, constraints, positives, negatives, claim.budget)
            return Feasible(find, known=known, unwalked=reason)
    try:
        return Feasible(_tables(claim, positives, negatives, claim.budget)[0])
    except TooLarge as error:
        reason = f"{error.got} rows would have to be looked at, the budget is {claim.budget}"
        return Feasible(Rows.of_records([]), complete=False, reason=reason)


def _tables(claim: TableClaim, positives: Any, negatives: Any, budget: int) -> tuple[Rows, int]:
    """Return the tables with one pair of margins, or many, that fit, and how many rows were looked at.

    Those where all that is claimed is defined come first, then those with holes, by what is undefined in them.
    """
    search = fitting if isinstance(positives, int) else fitting_many
    constraints = [(claimed.metric, claimed.reported) for claimed in of_cells(claim.scores)]
    rows, looked = search(constraints, positives, negatives, most_rows=budget)
    if claim.meant.strict and len(constraints) == len(claim.scores):
        # No hole and no area: the most common question, and there are many of it in a review.
        return rows, looked
    pieces, holes = [rows], claim.holes(claim.meant)
    for i, hole in enumerate(holes):
        some = undefined_tables(hole, positives, negatives, most_rows=budget - looked)
        for earlier in holes[:i]:
            some = defined(some, earlier)
        pieces += [_fitting_with(claim, part, undefined) for part, undefined in split_by(some, holes[i + 1 :], {hole})]
        looked += len(some)
    rows = Rows.joined(pieces)
    return (rows if claim.area is None else claim.area.cut(rows)), looked


def fitting_pairs(claim: TableClaim, positives: Ints, negatives: Ints, budget: int) -> tuple[Bools, int]:
    """Tell which pairs of margins leave a claim a table, and how many rows were looked at."""
    rows, looked = _tables(claim, positives, negatives, budget)
    step = int(negatives.max(initial=0)) + 1
    return np.isin(positives * step + negatives, rows.positives * step + rows.negatives), looked


def _fitting_with(claim: TableClaim, rows: Rows, undefined: set[Formula]) -> Rows:
    """Keep the tables that fit, where just these formulas are undefined in all."""
    for claimed in of_cells(claim.scores):
        left = what_is_left(claimed.metric, undefined, claim.meant)
        if left is None:
            rows = rows if claimed.metric.fill(claim.meant) in claimed.reported else rows.at(slice(0, 0))
            continue
        rows = defined(rows, left)
        rows = on_side(rows, left, claimed.reported.low, above=True, strict=claimed.reported.low_open)
        rows = on_side(rows, left, claimed.reported.high, above=False, strict=claimed.reported.high_open)
    return rows


def _solve_many(claim: TableClaim) -> Feasible:
    """Look at all margins the sizes allow, smallest total first, until the budget of rows is spent."""
    pieces: list[Rows] = []
    left = claim.budget
    together = strategy().margins_together
    for batch in _batches(claim.pairs(), together, together):
        # About how much it costs to look at totals: rows, of which a total has as many as it is large.
        weights = np.cumsum([float(total * len(positives)) for total, positives, _ in batch])
        start, stop = 0, len(batch)
        while start < len(batch):
            totals = batch[start:stop]
            before = weights[start - 1] if start else 0.0
            weight = weights[stop - 1] - before
            try:
                rows, looked = _fitting_totals(claim, totals, left)
            except TooLarge as error:
                if len(totals) > 1:
                    most = int(np.searchsorted(weights, before + _SAFE * left / float(error.got) * weight, "right"))
                    stop = max(min(start + len(totals) // 2, most), start + 1)
                    continue
                [one] = totals
                reason = f"the budget of {claim.budget} rows was spent at total {one[0]} of {claim.largest_total}"
                if not any(len(piece) for piece in pieces):
                    pieces.append(_some_margins(claim, one))
                return Feasible(Rows.joined(pieces), complete=False, reason=reason)
            pieces.append(rows)
            left -= looked
            # What comes next costs as much for its weight as this did.
            most = int(np.searchsorted(weights, weights[stop - 1] + _SAFE * left / max(looked, 1) * weight, "right"))
            start, stop = stop, max(most, stop + 1)
    return Feasible(Rows.joined(pieces))


def _some_margins(claim: TableClaim, margins: Margins) -> Rows:
    """Look for tables with a few of the margins that a total has, where all would be too many."""
    total, positives, _ = margins
    for place in np.unique(np.linspace(0, len(positives) - 1, _FEW_MARGINS).round().astype(int)).tolist():
        own = int(positives[place])
        sized = replace(claim, positives=Size(own, own), negatives=Size(total - own, total - own))
        try:
            rows = _tables(sized, own, total - own, claim.budget)[0]
        except TooLarge:
            continue
        if len(rows):
            return rows.at(slice(0, 1))
    return Rows.joined([])


def _fitting_totals(claim: TableClaim, totals: list[Margins], left: int) -> tuple[Rows, int]:
    """Return the tables of some totals that fit, and how many margins and rows were looked at."""
    positives, negatives = (np.concatenate([total[k] for total in totals]) for k in (1, 2))
    if len(positives) > left:
        raise TooLarge("too_large", "budget", "more margins would have to be searched", len(positives), "raise it")
    rows, looked = _tables(claim, positives, negatives, left - len(positives))
    return rows, looked + len(positives)


def _batches(totals: Iterable[Margins], first: int, largest: int, *, beside: int = 0) -> Iterator[list[Margins]]:
    """Walk totals a few margins at a time, and then more and more: small ones are not worth a search of their own.

    A total costs as much as its margins and what is said beside them.
    """
    batch: list[Margins] = []
    waiting, size = 0, first
    for margins in totals:
        batch.append(margins)
        waiting += beside + len(margins[1])
        if waiting >= size:
            yield batch
            batch, waiting, size = [], 0, min(2 * size, largest)
    if batch:
        yield batch
