"""From what size on which way is taken to the same answer.

Every field has two sides. Both give the same answer, one of them sooner, and `tests/property/test_twins.py` runs both.
What changes an answer, such as a budget, is no field here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Strategy:
    """Sizes found by trying; `strategy` returns those in use."""

    # Formulas.
    #: Values of one formula that are computed together: their arrays stay in the processor's cache.
    evaluated_together: int = 1 << 14
    #: The same for a program, which keeps the arrays of several steps at once.
    computed_together: int = 1 << 13
    #: Up to this many values a program makes new arrays; beyond, it fills arrays that it keeps.
    new_arrays_up_to: int = 1 << 8
    #: Where no more than this share of a denominator is left after cancelling, values are computed exactly.
    exact_where_left: float = 1e-6
    #: Where a cell is larger, or smaller than one over this, values are computed exactly.
    floats_up_to: float = 1e60

    # Tables that fit.
    #: Up to this many rows are searched in plain integers; more in arrays.
    plain_rows_up_to: int = 12
    #: Products below this are computed in machine integers; larger ones in Python's.
    machine_integers_below: int = 1 << 62
    #: Where a value is as near as this to the end of a claim, it is compared exactly.
    compared_exactly_within: float = 1e-12
    #: With more cases than this in both classes, tables are counted before they are walked.
    counted_above: int = 100_000
    #: Margins that are searched together.
    margins_together: int = 20_000

    # Bounds.
    #: Up to this many tables a batch of metrics is computed in plain floats; more in arrays.
    plain_tables_up_to: int = 2
    #: With more rows than this, ratios of affine forms are looked at only at the corners of the convex hull,
    hull_above_rows: int = 2000
    #: unless more rows than this touch the rim of the box,
    hull_up_to_rim_rows: int = 64
    #: or a margin is at least this, so that products could overflow.
    hull_below_margin: int = 1 << 30
    #: Points inside the hull are dropped in so many passes at most; those left over cost time only.
    hull_passes: int = 50
    #: With more rows than this, other metrics are looked at block by block.
    blocks_above_rows: int = 6000
    #: Metrics with at most this share of open blocks are looked at together,
    blocks_joined_up_to_share: float = 0.05
    #: those with more than this share everywhere,
    blocks_given_up_above_share: float = 0.8
    #: and the others in blocks that are so many times finer.
    blocks_finer_by: int = 8
    #: Rows whose ends are looked at together.
    rows_together: int = 1 << 14
    #: Values that are compared together: their temporary arrays stay in the processor's cache.
    values_together: int = 1 << 16
    #: Extremes closer than this, relative to their size, are told apart exactly.
    told_apart_exactly_within: float = 1e-11
    #: Where no more than this share of a denominator is left, a metric's bounds are computed in long floats.
    long_floats_where_left: float = 1e-2

    # Laws.
    #: With more numbers than this, chances are summed step by step,
    summed_above_numbers: int = 100
    #: unless the sum is at most this: then too few of its digits would be left.
    summed_above_chance: float = 1e-4
    #: With more values than this, quantiles are found by bisection.
    bisected_above_values: int = 4_000_000


_in_use = Strategy()


def strategy() -> Strategy:
    """Return the strategy in use."""
    return _in_use


@contextmanager
def using(**fields: Any) -> Iterator[None]:
    """Use other sizes for a while: what tests do to run both sides."""
    global _in_use
    before, _in_use = _in_use, replace(_in_use, **fields)
    try:
        yield
    finally:
        _in_use = before
