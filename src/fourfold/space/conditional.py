"""Laws of a count given a sum: what two groups with equal odds would share out, and which odds the data leave open.

Given how many cases both groups have in all, the number x of those in one group follows a law that knows neither the
groups' prevalences nor their scores: chances go like weights times odds to the power x. At odds 1 it is the
hypergeometric law of Fisher's test. Moving the odds until a tail is small gives the interval that agrees with the test.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Final

import numpy as np

from ..table import Table
from .draws import Floats, binomial
from .laws import Split
from .rows import Ints

# Terms of a tail that are smaller than this share of it are left out.
_NEGLIGIBLE: Final = 1e-19
_FIRST_TERMS: Final = 1024
_LARGEST_LOG_ODDS: Final = 700.0
# Laws of more numbers than this are looked at around their peak only, this many standard deviations to both sides.
_NARROW: Final = 20_000
_REACH: Final = 12.0
_LEAST_CHANCE: Final = 1e-33


class ConditionalLaw:
    """The law of a whole number from `low` to `high` whose chances change by known factors from one to the next.

    Examples
    --------
    >>> law = ConditionalLaw.of_shares(5, 176, 140)
    >>> round(law.two_sided(2)[0], 4)
    0.155
    """

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high

    @classmethod
    def of_shares(cls, k: int, others: int, total: int) -> ConditionalLaw:
        """Return the law of how many of a total lie among k cases, the rest among the others: hypergeometric."""
        return _Hypergeometric(k, others, total)

    @classmethod
    def of_odds(cls, group: Table, reference: Table) -> ConditionalLaw:
        """Return the law of a group's tp, given all margins and the tp of both, where both odds ratios are equal."""
        return _OddsRatios(group, reference)

    def log_steps(self, x: Ints) -> Floats:
        """Return the logarithm of the chance of x + 1 over that of x."""
        raise NotImplementedError

    @cached_property
    def _logs(self) -> Floats:
        """The logarithms of the weights, the largest 0."""
        x = np.arange(self.low, self.high)
        logs = np.concatenate(([0.0], np.cumsum(self.log_steps(x))))
        return np.asarray(logs - logs.max())

    def split(self, x: int, log_odds: float = 0.0) -> Split:
        """Return the chances of less than x, of x, and of more."""
        low, logs = self.low, self._logs if self._is_narrow else None
        if logs is None:
            low, logs = self._window(log_odds)
        else:
            logs = logs + log_odds * np.arange(self.high - self.low + 1)
        weights = np.exp(logs - logs.max())
        place, whole = min(max(x - low, -1), len(weights)), float(weights.sum())
        below, above = float(weights[: max(place, 0)].sum()), float(weights[place + 1 :].sum())
        # Outside of a window there is next to no chance, but some.
        equal = float(weights[place]) if 0 <= place < len(weights) else _LEAST_CHANCE * whole
        return Split(below / whole, equal / whole, above / whole)

    def _log_step(self, x: int) -> float:
        return float(self.log_steps(np.array([x]))[0])

    @property
    def _is_narrow(self) -> bool:
        return self.high - self.low <= _NARROW

    def _window(self, log_odds: float) -> tuple[int, Floats]:
        """Return where the numbers begin that have a chance worth counting, and the logarithms of their weights."""
        start, end = self.low, self.high
        while end - start > 1:
            middle = (start + end) // 2
            rises = self._log_step(middle) + log_odds > 0
            start, end = (middle, end) if rises else (start, middle)
        around = np.array([max(start - 1, self.low), min(start + 1, self.high - 1)])
        bend = -float(np.diff(self.log_steps(around))[0]) / max(int(around[1] - around[0]), 1)
        reach = int(_REACH / math.sqrt(max(bend, 1e-18))) + _NARROW // 100
        low, high = max(self.low, start - reach), min(self.high, start + reach)
        logs = np.concatenate(([0.0], np.cumsum(self.log_steps(np.arange(low, high)) + log_odds)))
        return low, np.asarray(logs)

    def two_sided(self, x: int) -> tuple[float, float]:
        """Return twice the smaller tail, at most 1, and the same with half the chance of x itself (mid-p)."""
        below, equal, above = self.split(x)
        tail = min(below, above)
        return min(1.0, 2 * (tail + equal)), min(1.0, 2 * (tail + equal / 2))

    def odds(self, x: int, level: float) -> tuple[float, float]:
        """Return the smallest and the largest odds under which neither tail of x is below half of 1 - level."""
        tail = (1 - level) / 2
        low = 0.0 if x == self.low else math.exp(self._log_odds(x, tail, upper=True))
        high = math.inf if x == self.high else math.exp(self._log_odds(x, tail, upper=False))
        return low, high

    def _log_odds(self, x: int, tail: float, *, upper: bool) -> float:
        from scipy.optimize import brentq

        def beyond(log_odds: float) -> float:
            below, equal, above = self.split(x, log_odds)
            return math.log(max((above if upper else below) + equal, 1e-300)) - math.log(tail)

        near, far = 0.0, 0.0
        step = -1.0 if (beyond(0.0) > 0) == upper else 1.0
        while abs(far) < _LARGEST_LOG_ODDS:
            near, far, step = far, far + step, 2 * step
            if (beyond(near) > 0) != (beyond(far) > 0):
                return float(brentq(beyond, near, far, xtol=1e-10, rtol=1e-12))
        return far


class _Hypergeometric(ConditionalLaw):
    def __init__(self, k: int, others: int, total: int) -> None:
        super().__init__(max(0, total - others), min(k, total))
        self._k, self._others, self._total = k, others, total

    def log_steps(self, x: Ints) -> Floats:
        k, others, total = self._k, self._others, self._total
        return np.asarray(np.log((k - x) / (x + 1.0)) + np.log((total - x) / (others - total + x + 1.0)))

    def _log_step(self, x: int) -> float:
        k, others, total = self._k, self._others, self._total
        return math.log((k - x) / (x + 1)) + math.log((total - x) / (others - total + x + 1))

    def split(self, x: int, log_odds: float = 0.0) -> Split:
        """Return the chances of less than x, of x, and of more; small tails keep all their digits."""
        if log_odds:
            return super().split(x, log_odds)
        equal = self._chance(x)
        # A tail is summed from x outwards, where terms fall; the large one is what is left.
        if x * (self._k + self._others) <= self._k * self._total:
            below = equal * self._falling(x, -1)
            return Split(below, equal, max(0.0, 1.0 - below - equal))
        above = equal * self._falling(x, 1)
        return Split(max(0.0, 1.0 - above - equal), equal, above)

    def _chance(self, x: int) -> float:
        """Return the chance of x, as a product of three binomial ones (Loader): no large logarithm cancels."""
        k, others, total = self._k, self._others, self._total
        if self.low == self.high:
            return 1.0
        numbers, sizes = np.array([x, total - x, total]), np.array([k, others, k + others])
        own, rest, both = binomial(numbers, sizes, total / (k + others)).tolist()
        return float(own) / float(both) * float(rest)

    def _falling(self, x: int, way: int) -> float:
        """Return the sum of all chances beyond x, as a multiple of that of x."""
        left = (self.high - x) if way > 0 else (x - self.low)
        done, total, last, terms = 0, 0.0, 1.0, _FIRST_TERMS
        while done < left and last > _NEGLIGIBLE * total:
            number = np.arange(done, min(done + terms, left))
            ratios = self._ratios(x, number, way)
            products = last * np.cumprod(ratios)
            total, last = total + float(products.sum()), float(products[-1])
            done, terms = done + len(number), 2 * terms
        return total

    def _ratios(self, x: int, number: Ints, way: int) -> Floats:
        k, others, total = float(self._k), float(self._others), float(self._total)
        if way > 0:
            i = x + number
            return np.asarray((k - i) * (total - i) / ((i + 1.0) * (others - total + i + 1.0)))
        i = (x - number).astype(float)
        return np.asarray(i * (others - total + i) / ((k - i + 1) * (total - i + 1)))


class _OddsRatios(ConditionalLaw):
    def __init__(self, group: Table, reference: Table) -> None:
        total = group.tp + reference.tp
        own, rest = _range_of_tp(group), _range_of_tp(reference)
        super().__init__(max(own[0], total - rest[1]), min(own[1], total - rest[0]))
        self._group, self._reference, self._total = group, reference, total

    def log_steps(self, x: Ints) -> Floats:
        return np.asarray(_log_steps(self._group, x) - _log_steps(self._reference, self._total - x - 1))


class OddsLaw(ConditionalLaw):
    """The law of tp in one table, given its margins: what an odds ratio is estimated by."""

    def __init__(self, table: Table) -> None:
        super().__init__(*_range_of_tp(table))
        self._table = table

    def log_steps(self, x: Ints) -> Floats:
        """Return the logarithm of the chance of x + 1 over that of x."""
        return _log_steps(self._table, x)


def _range_of_tp(table: Table) -> tuple[int, int]:
    predicted = table.tp + table.fp
    return max(0, predicted - table.negatives), min(table.positives, predicted)


def _log_steps(table: Table, x: Ints) -> Floats:
    """Return how the number of ways to fill a table changes from tp = x to x + 1, its margins kept."""
    predicted = table.tp + table.fp
    return np.asarray(
        np.log((table.positives - x) / (x + 1.0)) + np.log((predicted - x) / (table.negatives - predicted + x + 1.0))
    )
