"""The search for tables that fit a claim, also where no size is known: then tables of all sizes are decided at once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from ..errors import TooLarge
from ..space import AllSizes, Rows
from .claim import Claim, Size
from .search import Feasible, Margins, fitting_totals
from .search import solve as solve_sized

# So many tables are enough to show what the smallest ones are,
_ENOUGH_TABLES: Final = 1000
# and so many margins and rows are looked at for them: about a third of a second.
_LOOKED_AT: Final = 150_000
_FIRST_BATCH: Final = 50
_LARGEST_BATCH: Final = 5000
# Larger tables are not held in rows.
_TOO_MANY: Final = 10**18


def solve(claim: Claim) -> Feasible:
    """Find the tables that fit a claim, within its budget of rows; where no size is known, the smallest ones."""
    if claim.max_total is not None or any(size != Size() for size in (claim.positives, claim.negatives, claim.total)):
        return solve_sized(claim)
    constraints = [(claimed.metric, claimed.reported) for claimed in claim.scores]
    zero = claim.undefined == "zero"
    all_sizes = AllSizes.of(constraints, undefined_is_zero=zero)
    if all_sizes is not None and not all_sizes.empty:
        return Feasible(partial(_smallest, claim, all_sizes), complete=False, all_sizes=all_sizes)
    if all_sizes is None:
        # What contradicts itself without the curved claims does so with them.
        flat = [one for one in constraints if AllSizes.of([one])]
        all_sizes = AllSizes.of(flat, undefined_is_zero=zero)
        if not all_sizes or not all_sizes.empty:
            return solve_sized(claim)
    return Feasible(partial(Rows.joined, []), known=0, all_sizes=all_sizes)


def _smallest(claim: Claim, all_sizes: AllSizes) -> Rows:
    """Return the smallest tables that fit, all of them up to some total; where none is small, any."""
    pieces: list[Rows] = []
    left, searched = min(_LOOKED_AT, claim.budget), 0
    for batch in _batches(all_sizes):
        try:
            rows, looked = fitting_totals(claim, batch, left - len(batch))
        except TooLarge:
            break
        pieces.append(rows)
        left, searched = left - looked - len(batch), batch[-1][0]
        if sum(piece.count for piece in pieces) >= _ENOUGH_TABLES:
            break
    rows = Rows.joined(pieces)
    if len(rows):
        return rows
    table = all_sizes.example(searched + 1)
    record = (table.positives, table.negatives, table.tp, table.tn, table.tn)
    return Rows.of_records([record] if table.total < _TOO_MANY else [])


def _batches(all_sizes: AllSizes) -> Iterator[list[Margins]]:
    """Walk the totals, a few margins at a time and then more and more of them; a total is not cut in two."""
    batch: list[Margins] = []
    size = _FIRST_BATCH
    for margins in all_sizes.margins(_LOOKED_AT):
        batch.append(margins)
        if len(batch) + sum(len(positives) for _, positives, _ in batch) >= size:
            yield batch
            batch, size = [], min(2 * size, _LARGEST_BATCH)
