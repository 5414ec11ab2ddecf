"""Widths of ranges: over all tables that fit a score, and between the two tables of the paper's integer programme."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fourfold import Metric, Recovery, Table, recover
from fourfold.metrics import ACCURACY, F1, PRECISION, RECALL

from ..paper import Paper

PAPER: Final = Paper("reclaim")
DECIMALS: Final = int(PAPER.printed("§IV-A")["scores", "significant figures"])
# The four scores, and the cell whose count the paper's integer programme makes smallest and largest where it is known.
CELLS: Final = {ACCURACY: "tp", PRECISION: "tp", RECALL: "tn", F1: "tp"}
#: Every score that is known, with every other one that is reconstructed from it.
PAIRS: Final = tuple((known, wanted) for known in CELLS for wanted in CELLS if wanted != known)
# Means of floats that are this close are the same.
SAME: Final = 1e-12

Floats: TypeAlias = NDArray[np.float64]


def others_than(*known: Metric) -> list[Metric]:
    """Return the scores that are left to be found from each of some."""
    return [metric for metric in CELLS if metric not in known]


class Width(NamedTuple):
    """How wide a range one score leaves for another.

    `exact` is over all tables that fit, `two` between the paper's two tables; where several have the smallest or the
    largest count, the first. The others give such tables every benefit of the doubt: `missed` is how much wider the
    exact range is than any choice of them allows; `outside` tells whether the true value lies outside the range of the
    first two, `anyhow` whether for any choice.
    """

    exact: float
    two: float
    missed: float
    outside: float
    anyhow: float


def reconstruct(truth: Table, decimals: int | None = DECIMALS) -> list[Width | None]:
    """Take each score of a table for the only one that is known, and reconstruct each other one; as in `PAIRS`.

    The table's margins are known. What is undefined at it gives None. Without `decimals` the known score is exact.
    """
    widths: list[Width | None] = []
    for known, cell in CELLS.items():
        others = others_than(known)
        if value_of(known, truth) is None:
            widths += [None] * len(others)
            continue
        recovery = recover_from(known, truth, decimals)
        ends = boundary_tables(recovery, cell)
        widths += [_width(wanted, recovery, truth, ends) for wanted in others]
    return widths


def recover_from(known: Metric, truth: Table, decimals: int | None) -> Recovery:
    """Return what fits a score of a table with its margins; the score is rounded, or exact."""
    value = value_of(known, truth) or Fraction(0)
    text = f"={value}" if decimals is None else f"{round(value * 10**decimals)}e-{decimals}"
    return recover({known.id: text}, positives=truth.positives, negatives=truth.negatives)


def value_of(metric: Metric, at: Table) -> Fraction | None:
    """Return a score of a table; None where it is undefined."""
    value = metric.formula.exact(at.cells())
    assert value is None or isinstance(value, Fraction), "scores of counts without roots are fractions"
    return value


def boundary_tables(recovery: Recovery, cell: str) -> tuple[Table, Table, Table, Table]:
    """Return the first and last table with the fewest cases in a cell, then the first and last with the most.

    Where several tables have the same count, the integer programme may return any of them; a metric's values at them
    lie between those at the first and the last, since tables that share tp or tn differ in one direction only.
    """
    rows = recovery.rows_that_fit
    positives, negatives = int(rows.positives[0]), int(rows.negatives[0])
    points = {"tp": (rows.tp, rows.tp), "tn": (rows.low, rows.high)}[cell]
    tables = []
    for end, best in ((points[0], points[0].min()), (points[1], points[1].max())):
        mine = end == best
        tp, low, high = rows.tp[mine], rows.low[mine], rows.high[mine]
        ends = {"tp": ((best, low.min()), (best, high.max())), "tn": ((tp.min(), best), (tp.max(), best))}[cell]
        tables += [Table(tp=int(a), fn=positives - int(a), fp=negatives - int(b), tn=int(b)) for a, b in ends]
    return tables[0], tables[1], tables[2], tables[3]


def _width(wanted: Metric, recovery: Recovery, truth: Table, tables: Sequence[Table]) -> Width | None:
    value, exact = value_of(wanted, truth), exact_width(wanted, recovery)
    if value is None or exact is None:
        return None
    # The paper's code takes an undefined score for 0.
    ends = [value_of(wanted, table) or Fraction(0) for table in tables]
    low, high = sorted((ends[0], ends[2]))
    return Width(
        exact=float(exact),
        two=float(high - low),
        missed=float(max(exact - max(ends) + min(ends), Fraction(0))),
        outside=float(not low <= value <= high),
        anyhow=float(not min(ends) <= value <= max(ends)),
    )


def exact_width(wanted: Metric, recovery: Recovery) -> Fraction | None:
    """Return the width of the range over all tables that fit; None where no table has a value."""
    bounds = recovery.bounds(wanted)
    ends = [value_of(wanted, table) for table in (bounds.low_witness, bounds.high_witness) if table is not None]
    values = [value for value in ends if value is not None]
    return values[1] - values[0] if len(values) == 2 else None
