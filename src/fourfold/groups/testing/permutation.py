"""A test for any score: cases change places between two groups, and the difference is measured in its own spread.

Where both populations are equal the test is exact. Where only the score is equal, dividing by the spread makes it right
for large groups (Janssen 1997; Chung and Romano 2013); a plain permutation is not, as it tests all shares at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from ...chance.draws import Floats
from ...solve.rows import Ints
from .measures import HALF, Measure

#: Where no seed is given; the same question has the same answer.
SEED: Final = 20250
# Up to this many tables all are looked at; a draw of cases needs no more.
MOST_TABLES: Final = 10_000
# With the data itself as one draw more these are round numbers; how many lie between them, `draws_for` tells.
_LEAST_DRAWS: Final = 9_999
_MOST_DRAWS: Final = 499_999
# Statistics closer than this are the same.
_TIE: Final = 1e-9
# What the generator draws from at most.
_MOST_CASES: Final = 10**9 - 1


class Shuffled(NamedTuple):
    """What a permutation test tells: tails of the statistic, its parts, and the limits of what is not rejected."""

    lower: float
    upper: float
    equal: float
    least: float
    centre: float
    spread: float
    low: float
    high: float
    draws: int | None


def draws_for(tests: int, level: float) -> int:
    """Return how many draws some tests need: with fewer, none could pass the correction for all of them.

    Examples
    --------
    >>> draws_for(1, 0.95), draws_for(500, 0.95)
    (9999, 24999)
    """
    return min(max(_LEAST_DRAWS, math.ceil(2.5 * tests / (1 - level) / 1000) * 1000 - 1), _MOST_DRAWS)


class Permutation:
    """The ways to shuffle all cases of a group and its reference; the same for every score.

    Where `too_large` is set there are more cases than can be drawn from.
    """

    def __init__(self, group: Sequence[int], reference: Sequence[int], draws: int, seed: int) -> None:
        self.too_large = sum(group) + sum(reference) > _MOST_CASES
        self.group, self.reference = np.array(group, dtype=np.int64), np.array(reference, dtype=np.int64)
        self.draws, self.seed = draws, seed

    @cached_property
    def _all(self) -> tuple[Floats, Floats | None]:
        """Groups of the same size, below each other, and their chances where these are all that there are."""
        pooled, size = self.group + self.reference, int(self.group.sum())
        smaller = min(size, int(self.reference.sum()))
        if number_of_tables(pooled, smaller) <= MOST_TABLES:
            tables, chances = every_table(pooled, smaller)
            return (tables if smaller == size else pooled[:, None] - tables), chances
        rng = np.random.default_rng(self.seed)
        drawn = rng.multivariate_hypergeometric(pooled, size, size=self.draws, method="marginals")
        return drawn.T.astype(np.float64), None

    def test(self, measure: Measure, level: float) -> Shuffled | None:
        """Return what the test tells of a score; None where it is undefined for the groups themselves."""
        tables, chances = self._all
        pooled = (self.group + self.reference)[:, None]
        own_cells, other_cells = (cells[:, None].astype(np.float64) for cells in (self.group, self.reference))
        observed, centre, spread = statistics(measure, own_cells, other_cells)
        drawn, *_ = statistics(measure, tables, pooled - tables)
        if np.isnan(observed[0]):
            return None
        return shuffled(float(observed[0]), float(centre[0]), float(spread[0]), drawn, chances, level)


def shuffled(
    statistic: float, centre: float, spread: float, drawn: Floats, chances: Floats | None, level: float
) -> Shuffled:
    """Return what a test tells, from the statistic of the groups as they are and those of the groups that were drawn.

    Where the chances of these are known, they are all that there are.
    """
    defined = ~np.isnan(drawn)
    values = drawn[defined]
    if chances is None:
        # The groups as they are count as one more draw.
        values = np.append(values, statistic)
        weights = np.full(len(values), 1 / len(values))
    else:
        weights = chances[defined] / chances[defined].sum()
    order = np.argsort(values)
    values, weights = values[order], weights[order]
    tie = _TIE * max(1.0, abs(statistic))
    low_end, high_end = np.searchsorted(values, [statistic - tie, statistic + tie])
    below, equal = float(weights[:low_end].sum()), float(weights[low_end:high_end].sum())
    above = float(weights[high_end:].sum())
    least = min(_mass_at(values, weights, 0), _mass_at(values, weights, -1))
    ends = _not_rejected(values, weights, (1 - level) / 2)
    draws = None if chances is not None else len(values) - 1
    return Shuffled(below + equal, above + equal, equal, least, centre, spread, *ends, draws)


def statistics(measure: Measure, group: Floats, reference: Floats) -> tuple[Floats, Floats, Floats]:
    """Return differences of scores over their spread, the differences, and the spread.

    Half a case is added to each cell first: with few cases in a cell, scores jump and their spread is hardly known.
    """
    difference = measure.values(group + HALF) - measure.values(reference + HALF)
    sizes = group.sum(axis=0), reference.sum(axis=0)
    with np.errstate(all="ignore"):
        spread = np.sqrt(measure.variances(group) / sizes[0] + measure.variances(reference) / sizes[1])
        return np.where(difference == 0, 0.0, difference / spread), difference, spread


def _mass_at(values: Floats, weights: Floats, end: int) -> float:
    """Return the chance of the most extreme value on one side."""
    return float(weights[np.abs(values - values[end]) <= _TIE * max(1.0, abs(float(values[end])))].sum())


def _not_rejected(values: Floats, weights: Floats, tail: float) -> tuple[float, float]:
    """Return the smallest and the largest value whose tails are not below a limit; infinite where every value's is."""
    at_least = np.cumsum(weights[::-1])[::-1]
    at_most = np.cumsum(weights)
    low, high = at_most > tail + 1e-12, at_least > tail + 1e-12
    lowest = -math.inf if low[0] else float(values[low][0])
    return lowest, math.inf if high[-1] else float(values[high][-1])


def number_of_tables(pooled: Ints, size: int) -> int:
    """Return at most how many ways there are to draw a number of cases from pooled cells."""
    cells = int(np.count_nonzero(pooled))
    return math.comb(size + cells - 1, cells - 1)


def every_table(pooled: Ints, size: int) -> tuple[Floats, Floats]:
    """Return all ways to draw a number of cases from pooled cells, and their chances (multivariate hypergeometric)."""
    from scipy.special import gammaln

    columns = np.zeros((len(pooled), 1), dtype=np.int64)
    left = np.full(1, size, dtype=np.int64)
    for place, most in enumerate(pooled.tolist()):
        later = int(pooled[place + 1 :].sum())
        low, high = np.maximum(0, left - later), np.minimum(most, left)
        counts = high - low + 1
        columns = np.repeat(columns, counts, axis=1)
        starts = np.repeat(np.cumsum(counts) - counts, counts)
        number = np.arange(int(counts.sum())) - starts + np.repeat(low, counts)
        columns[place], left = number, np.repeat(left, counts) - number
    tables = columns.astype(np.float64)
    whole = pooled.astype(np.float64)[:, None]
    logs = (gammaln(whole + 1) - gammaln(tables + 1) - gammaln(whole - tables + 1)).sum(axis=0)
    chances = np.exp(logs - logs.max())
    return tables, chances / chances.sum()
