"""Laws of a count given a sum: what two groups with equal odds would share out, and which odds the data leave open.

Given how many cases both groups have in all, the number x of those in one group follows a law that knows neither the
groups' prevalences nor their scores: chances go like weights times odds to the power x, and a weight is a product of
ways to choose cases. At odds 1 it is the hypergeometric law of Fisher's test. Moving the odds until a tail is small
gives the interval that agrees with the test.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from ..strategy import strategy
from ..table import Table
from .draws import Floats, log_chances, log_ways
from .laws import Split
from .roots import root

# The logarithm of the largest odds that are tried: beyond 709 they overflow a float.
_LARGEST_LOG_ODDS: Final = 700.0
# Terms of such a sum are left out where their logarithm is so far below that of the first.
_NEGLIGIBLE: Final = -46.0
# Longer sums are integrals over this many panels of 16 points: 1,024 terms in place of any number.
_PANELS: Final = 64
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


class _Ways(NamedTuple):
    """In how many ways some of n cases are chosen: as many at x = 0, and one more or one fewer for each x."""

    n: int
    at_zero: int
    sign: int

    def log_steps(self, start: int, offset: Floats) -> Floats:
        """Return the logarithm of the factor from x to x + 1, for x by some offset above a start."""
        # Counted in whole numbers first: floats do not tell large neighbours apart.
        chosen = float(self.at_zero + self.sign * start) + self.sign * offset
        left = float(self.n - self.at_zero - self.sign * start) - self.sign * offset
        return np.asarray(np.log(left / (chosen + 1)) if self.sign > 0 else np.log(chosen / (left + 1)))

    def log_step(self, x: int) -> float:
        """Return the same for one x."""
        chosen = self.at_zero + self.sign * x
        left = self.n - chosen
        return math.log(left / (chosen + 1)) if self.sign > 0 else math.log(chosen / (left + 1))

    def log_change(self, start: int, offset: Floats) -> Floats:
        """Return the logarithm of the factor from a start to some offset above it."""
        return log_ways(self.n, self.at_zero + self.sign * start, self.sign * offset)


class ConditionalLaw:
    """The law of a whole number from `low` to `high` whose chances go like products of ways to choose.

    Examples
    --------
    >>> law = ConditionalLaw.of_shares(5, 176, 140)
    >>> round(law.two_sided(2)[0], 4)
    0.155
    """

    def __init__(self, low: int, high: int, ways: tuple[_Ways, ...]) -> None:
        self.low, self.high, self._ways = low, high, ways

    @classmethod
    def of_shares(cls, k: int, others: int, total: int) -> ConditionalLaw:
        """Return the law of how many of a total lie among k cases, the rest among the others: hypergeometric."""
        return _Hypergeometric(k, others, total)

    @classmethod
    def of_odds(cls, group: Table, reference: Table) -> ConditionalLaw:
        """Return the law of a group's tp, given all margins and the tp of both, where both odds ratios are equal."""
        total = group.tp + reference.tp
        (low, high), (least, most) = _range_of_tp(group), _range_of_tp(reference)
        others = (_Ways(n, at_zero + sign * total, -sign) for n, at_zero, sign in _ways_of(reference))
        return cls(max(low, total - most), min(high, total - least), (*_ways_of(group), *others))

    @classmethod
    def of_table(cls, table: Table) -> ConditionalLaw:
        """Return the law of tp in one table, given its margins: what an odds ratio is estimated by."""
        return cls(*_range_of_tp(table), _ways_of(table))

    def split(self, x: int) -> Split:
        """Return the chances of less than x, of x, and of more, where odds are equal."""
        if self.high - self.low > strategy().summed_outwards_above_numbers:
            return self._split_outwards(x)
        offset = np.arange(float(self.high - self.low))
        logs = np.concatenate(([0.0], np.cumsum(sum(ways.log_steps(self.low, offset) for ways in self._ways))))
        weights = np.exp(logs - logs.max())
        place, whole = x - self.low, float(weights.sum())
        below, above = float(weights[:place].sum()), float(weights[place + 1 :].sum())
        return Split(below / whole, float(weights[place]) / whole, above / whole)

    def _split_outwards(self, x: int) -> Split:
        """Return the chances from sums of terms that fall: from the peak for all, from x for the smaller tail."""
        peak = self._peak()
        whole = 1 + self._beyond(peak, 1) + self._beyond(peak, -1)
        equal = math.exp(float(self._log_change(peak, np.array([float(x - peak)]))[0])) / whole
        return self._split_at(x, equal, -1 if x <= peak else 1)

    def _split_at(self, x: int, equal: float, way: int) -> Split:
        """Return the chances around x from its own: on one side terms fall; the other side is what is left.

        Where they fall on both sides, as around a number that is nearly certain, both are summed.
        """
        tail = equal * self._beyond(x, way)
        rises = x != (self.low if way > 0 else self.high) and way * self._log_step(x - 1 if way > 0 else x) < 0
        other = max(0.0, 1.0 - tail - equal) if rises else equal * self._beyond(x, -way)
        return Split(tail, equal, other) if way < 0 else Split(other, equal, tail)

    def _log_step(self, x: int) -> float:
        """Return the logarithm of the chance of x + 1 over that of x."""
        return sum(ways.log_step(x) for ways in self._ways)

    def _peak(self) -> int:
        """Return a number that none has a larger chance than, give or take what floats tell."""
        start, end = self.low, self.high
        while end - start > 1:
            middle = (start + end) // 2
            start, end = (middle, end) if self._log_step(middle) > 0 else (start, middle)
        return start

    def _log_change(self, start: int, offset: Floats) -> Floats:
        return np.asarray(sum(ways.log_change(start, offset) for ways in self._ways))

    def _beyond(self, x: int, way: int) -> float:
        """Return the sum of all chances beyond x on one side, where they fall, as a multiple of that of x."""
        terms = self._terms(x, way, 0.0)
        return float(terms.counts @ np.exp(terms.logs))

    def two_sided(self, x: int) -> tuple[float, float]:
        """Return twice the smaller tail, at most 1, and the same with half the chance of x itself (mid-p)."""
        below, equal, above = self.split(x)
        tail = min(below, above)
        return min(1.0, 2 * (tail + equal)), min(1.0, 2 * (tail + equal / 2))

    def odds(self, x: int, level: float) -> tuple[float, float]:
        """Return the smallest and the largest odds under which neither tail of x is below half of 1 - level."""
        log_tail = math.log((1 - level) / 2)
        low = 0.0 if x == self.low else math.exp(self._log_odds(x, log_tail, -1))
        return low, math.inf if x == self.high else math.exp(self._log_odds(x, log_tail, 1))

    def _log_odds(self, x: int, log_tail: float, way: int) -> float:
        """Return the log odds, smaller or larger ones, under which x and what is then farther out have a chance."""
        # Under these odds x is the likeliest number, and its law is about this wide.
        steps = [self._log_step(start) for start in (x - 1, x) if self.low <= start < self.high]
        middle, width = sum(steps) / -len(steps), math.sqrt(steps[0] - steps[-1]) if len(steps) > 1 else 1.0
        near, far = middle - way * width, middle + way * (1 + math.sqrt(-2 * log_tail)) * width
        while abs(far) < _LARGEST_LOG_ODDS:
            # Terms are listed once: other odds in this range only tilt them.
            before, beyond = self._terms(x, way, far), self._terms(x, -way, near)
            off = partial(_off_tail, log_tail, before, beyond)
            if (off(near) > 0) != (off(far) > 0):
                return root(off, near, far, xtol=1e-10, rtol=1e-12)
            far = middle + 2 * (far - middle)
        return far

    def _terms(self, x: int, way: int, log_odds: float) -> _Terms:
        """Return the terms beyond x on one side, as many as count up to some odds: they rise and fall once at most."""
        left = self.high - x if way > 0 else x - self.low
        if not left:
            return _Terms(*np.zeros((3, 0)))
        ends = np.array([2.0**power for power in range(left.bit_length())])
        logs = self._log_change(x, way * ends) + log_odds * way * ends
        counted = ends[logs > max(float(logs.max(initial=0.0)), 0.0) + _NEGLIGIBLE]
        reach = min(2 * int(counted[-1]), left) if len(counted) else min(1, left)
        if strategy().integrated_above_terms < reach < left:
            points, counts = _integral(reach)
            return _Terms(way * points, self._log_change(x, way * points), counts)
        offset = np.arange(float(reach))
        start = offset if way > 0 else -1 - offset
        logs = np.cumsum(way * np.asarray(sum(ways.log_steps(x, start) for ways in self._ways)))
        return _Terms(way * (offset + 1), logs, np.ones(reach))


class _Terms(NamedTuple):
    """Terms of a sum, as multiples of the one that it starts from: how far off each is, and what it counts for."""

    offsets: Floats
    logs: Floats
    counts: Floats

    def log_sum(self, log_odds: float) -> float:
        """Return the logarithm of 1 and all terms under some odds."""
        logs = self.logs + log_odds * self.offsets
        most = max(float(logs.max(initial=0.0)), 0.0)
        return most + math.log(math.exp(-most) + float(self.counts @ np.exp(logs - most)))


def _off_tail(log_tail: float, before: _Terms, beyond: _Terms, log_odds: float) -> float:
    """Return by how much the logarithm of the chance of a number and those beyond it is too large under some odds."""
    rest, tail = before.log_sum(log_odds), beyond.log_sum(log_odds)
    most = max(rest, tail)
    # The number itself is in both sums.
    return tail - most - math.log(math.exp(rest - most) + math.exp(tail - most) - math.exp(-most)) - log_tail


def _integral(reach: int) -> tuple[Floats, Floats]:
    """Return points, and what each counts for, whose sum is that of the terms from 1 to a reach."""
    edges = np.linspace(0.5, reach + 0.5, _PANELS + 1)
    half = np.diff(edges) / 2
    points = (edges[:-1] + half)[:, None] + half[:, None] * _NODES
    counts = half[:, None] * _WEIGHTS
    # Euler and Maclaurin: terms at whole numbers add up to the integral between the midpoints, and to a 24th of the
    # slope where it begins.
    return np.append(points.ravel(), (0.0, 1.0)), np.append(counts.ravel(), (-1 / 24, 1 / 24))


class _Hypergeometric(ConditionalLaw):
    def __init__(self, k: int, others: int, total: int) -> None:
        super().__init__(max(0, total - others), min(k, total), (_Ways(k, 0, 1), _Ways(others, total, -1)))
        self._k, self._others, self._total = k, others, total

    def split(self, x: int) -> Split:
        """Return the chances of less than x, of x, and of more; small tails keep all their digits."""
        equal = self._chance(x)
        return self._split_at(x, equal, -1 if x * (self._k + self._others) <= self._k * self._total else 1)

    def _chance(self, x: int) -> float:
        """Return the chance of x, as a product of three binomial ones (Loader): no large logarithm cancels."""
        k, others, total = self._k, self._others, self._total
        if self.low == self.high:
            return 1.0
        both = k + others
        # All three lie as far from their means, or not at all.
        off = float(Fraction(x * both - k * total, both))
        hits = np.array([float(n) for n in (x, total - x, total)])
        misses = np.array([float(n) for n in (k - x, others - total + x, both - total)])
        among_hits, rest, all_ = log_chances(
            hits, misses, total / both, (both - total) / both, np.array([off, -off, 0.0])
        )
        return math.exp(float(among_hits + rest - all_))


def _range_of_tp(table: Table) -> tuple[int, int]:
    predicted = table.tp + table.fp
    return max(0, predicted - table.negatives), min(table.positives, predicted)


def _ways_of(table: Table) -> tuple[_Ways, _Ways]:
    """Return in how many ways a table is filled with tp = x, its margins kept."""
    return _Ways(table.positives, 0, 1), _Ways(table.negatives, table.tp + table.fp, -1)
