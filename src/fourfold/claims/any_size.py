"""The search for tables that fit a claim, also where no size is known: then tables of all sizes are decided at once."""

from __future__ import annotations

from functools import partial
from typing import Final

from ..errors import TooLarge
from ..space import AllSizes, Rows, linear_ratio
from .claim import Size, TableClaim
from .search import Feasible, batches, fitting_totals
from .search import solve as solve_sized

# So many tables are enough to show what the smallest ones are,
_ENOUGH_TABLES: Final = 200
# and so many margins and rows are looked at for them: at most about a third of a second.
_LOOKED_AT: Final = 100_000
_MULTIPLES: Final = 100
_FIRST_BATCH: Final = 50
_LARGEST_BATCH: Final = 5000
# Larger tables are not held in rows.
_TOO_LARGE: Final = 10**18


def solve(claim: TableClaim) -> Feasible:
    """Find the tables that fit a claim, within its budget of rows; where no size is known, the smallest ones."""
    if not is_of_all_sizes(claim):
        return solve_sized(claim)
    straight = without_curved(claim)
    constraints = [(claimed.metric, claimed.reported) for claimed in straight.scores]
    all_sizes = AllSizes.of(constraints, claim.meant)
    assert all_sizes is not None, "what is curved was left out"
    if all_sizes.empty:
        # What contradicts itself without the curved claims does so with them.
        return Feasible(partial(Rows.joined, []), known=0, all_sizes=all_sizes)
    if len(straight.scores) < len(claim.scores):
        return solve_sized(claim)
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
    for batch in batches(all_sizes.margins(_LOOKED_AT), _FIRST_BATCH, _LARGEST_BATCH, beside=1):
        try:
            rows, looked = fitting_totals(claim, batch, left - len(batch))
        except TooLarge:
            break
        pieces.append(rows)
        left -= looked + len(batch)
        if sum(piece.count for piece in pieces) >= _ENOUGH_TABLES:
            break
    return Rows.joined(pieces)
