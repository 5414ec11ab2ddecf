"""The tables of a report that a meta-analysis needs: all that fit, and those at the ends of the two rates."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Final

import numpy as np

from ..metrics import RECALL, SPECIFICITY
from ..solve import Rows
from ..solve.problem import Bounds
from ..table import Table
from .recovery import Recovery

#: Of one report no more tables than these are listed, and where more fit it is said.
MOST_TABLES: Final = 1000


@dataclass(frozen=True)
class Fitting:
    """The tables that fit a report about one test set, and the ends of its sensitivity and specificity."""

    rows: Rows
    count: int
    sensitivity: Bounds
    specificity: Bounds

    @property
    def ends(self) -> tuple[Table, Table]:
        """A table of the lowest and one of the highest sensitivity."""
        low, high = self.sensitivity.low_witness, self.sensitivity.high_witness
        first = self.rows.first()
        return low or first, high or first

    def tables(self, most: int = MOST_TABLES) -> list[Table]:
        """Return the tables by rising sensitivity; of very many some from all over, with the ends of both rates."""
        if self.count <= most:
            tables = list(self.rows.tables())
        else:
            rates = (self.sensitivity, self.specificity)
            ends = {table for rate in rates for table in (rate.low_witness, rate.high_witness) if table}
            places = np.linspace(0, self.count - 1, most).astype(np.int64)
            others = (one for one in self.rows.picked(places.tolist()).tables() if one not in ends)
            tables = [*ends, *islice(others, most - len(ends))]
        return sorted(tables, key=lambda one: (_share(one.tp, one.positives), _share(one.tn, one.negatives)))


def _share(hits: int, of: int) -> Fraction:
    return Fraction(hits, of or 1)


def fitting(recovery: Recovery) -> Fitting | None:
    """Return the tables that fit where all of them are known; None where some were not looked at, or none fits.

    Examples
    --------
    >>> from fourfold import recover
    >>> found = fitting(recover(accuracy="0.85", positives=40, negatives=60))
    >>> found.count, [table.tp for table in found.ends], len(found.tables())
    (16, [25, 40], 16)
    """
    if recovery.layout != "one table" or not recovery.counted or not recovery.count:
        return None
    if recovery.solution.feasible.unwalked:  # type: ignore[union-attr]
        return None
    return Fitting(recovery.rows_that_fit, recovery.count, recovery.bounds(RECALL), recovery.bounds(SPECIFICITY))
