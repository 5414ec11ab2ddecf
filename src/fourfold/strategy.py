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
    evaluated_together: int = 1 << 14  # values of one formula: their arrays stay in the processor's cache
    computed_together: int = 1 << 13  # the same for a program, which keeps the arrays of several steps at once
    new_arrays_up_to: int = 1 << 8  # values for which a program makes new arrays; else it fills those it keeps
    exact_where_left: float = 1e-6  # where no larger share of a denominator is left, values are computed exactly
    floats_up_to: float = 1e60  # where a cell is larger, or smaller than one over this, values are computed exactly

    # Tables that fit.
    plain_rows_up_to: int = 12  # rows that are searched in plain integers; more in arrays
    machine_integers_below: int = 1 << 62  # products that are computed in machine integers; larger ones in Python's
    compared_exactly_within: float = 1e-12  # values within this distance of the end of a claim are compared exactly
    counted_above: int = 100_000  # with more cases than this in both classes, tables are counted before they are walked
    margins_together: int = 20_000  # margins that are searched together

    # Parts tied by sums.
    listed_up_to_choices: int = 20_000  # choices that are all looked at together; more are searched, part by part
    found_first_above_choices: int = 10**15  # choices from which on some that fit are looked for before all are kept
    slopes_above_choices: int = 20_000  # choices from which on bounds of sums follow hits and predicted
    sums_in_bits_up_to: int = 60_000_000  # sums of counts that later parts can have, kept as bits; more as boxes
    bits_shifted_up_to: int = 10_000_000_000  # such bits that are moved to find these sums; more as boxes
    counted_in_grids_up_to: int = 20_000_000  # additions for which choices are counted in grids; else one by one
    margins_kept_up_to: int = 50_000  # margins of classes that are all kept; of more, bounds are searched for
    choices_together: int = 1 << 16  # choices that are looked at together

    # Bounds.
    plain_tables_up_to: int = 2  # tables for which a batch of metrics is computed in plain floats; more in arrays
    hull_above_rows: int = 2000  # with more rows than this, affine ratios are looked at only at corners of the hull,
    hull_up_to_rim_rows: int = 64  # unless more rows than this touch the rim of the box,
    hull_below_margin: int = 1 << 30  # or a margin is at least this, so that products could overflow
    hull_passes: int = 50  # in which points inside the hull are dropped; those left over cost time only
    blocks_above_rows: int = 6000  # with more rows than this, other metrics are looked at block by block:
    blocks_joined_up_to_share: float = 0.05  # those with at most this share of open blocks together,
    blocks_given_up_above_share: float = 0.8  # those with more than this share everywhere,
    blocks_finer_by: int = 8  # and the others in blocks that are this many times finer
    rows_together: int = 1 << 14  # rows whose ends are looked at together
    values_together: int = 1 << 16  # values that are compared together: temporary arrays stay in the processor's cache
    told_apart_exactly_within: float = 1e-11  # extremes closer than this, relatively, are told apart exactly
    long_floats_where_left: float = 1e-2  # where no larger share of a denominator is left, bounds need long floats

    # Laws.
    summed_above_numbers: int = 100  # with more numbers than this, chances are summed step by step,
    summed_above_chance: float = 1e-4  # unless the sum is at most this: then too few of its digits would be left
    summed_outwards_above_numbers: int = 20_000  # numbers of a law from which on it is summed outwards from its peak,
    integrated_above_terms: int = 1 << 13  # and terms of such a sum from which on they are integrated
    swapped_together_up_to: int = 20_000  # tables of swapped predictions that are looked at together; more row by row
    bisected_above_values: int = 4_000_000  # with more values than this, quantiles are found by bisection


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
