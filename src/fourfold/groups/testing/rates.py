"""Metrics that are decided by two rates of separate cases, as informedness is by recall and specificity.

Given how many cases each rate is taken of, the two are independent, and each has an exact interval. The metric's own
interval is what it can be where neither rate lies far off: within an ellipse that reaches from both rates to the ends
of their intervals. For a difference that is Newcombe's way, for a ratio that of Donner and Zou.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np

from ...chance.draws import Floats
from ...exact import CELLS
from ...metrics import Metric
from ...table import Table
from .shares import Counted

Pair: TypeAlias = tuple[str, str]
Ends: TypeAlias = tuple[float, float]

# Rates among actual positives and negatives, and among predicted ones.
_SPLITS: Final[tuple[tuple[Pair, Pair], ...]] = ((("tp", "fn"), ("fp", "tn")), (("tp", "fp"), ("fn", "tn")))
# A metric of two rates is the same when all cases of one of them are multiplied; these tables tell.
_PROBES: Final = ((7, 3, 5, 11), (2, 13, 17, 3), (19, 4, 1, 6), (1, 1, 23, 29))
_FACTORS: Final = (3, 10)
# Directions and distances at which an ellipse is looked at, and how often again, more closely.
_DIRECTIONS: Final = np.linspace(-1, 1, 65)
_DISTANCES: Final = np.linspace(-1, 1, 5)
_LOOKS: Final = 5


@dataclass(frozen=True)
class Rates:
    """A metric as a function of two rates: which cells each is taken of, its first cell counted.

    Examples
    --------
    >>> from fourfold.metrics import metric
    >>> both = rates_of(metric("informedness"))
    >>> [tuple(rate) for rate in both.counted(Table(tp=2, fn=1, fp=1, tn=6))]
    [(2, 3), (1, 7)]
    >>> float(both.score(np.array(0.75), np.array(0.25)))
    0.5
    """

    metric: Metric
    first: Pair
    second: Pair

    def counted(self, table: Table) -> tuple[Counted, Counted]:
        """Return how many of how many cases make each rate."""
        cells = table.cells()
        first, second = (Counted(cells[a], cells[a] + cells[b]) for a, b in (self.first, self.second))
        return first, second

    def score(self, first: Floats, second: Floats) -> Floats:
        """Return the metric at rates; without limit where it is undefined and has none, else nan there."""
        (a, b), (c, d) = self.first, self.second
        values = self.metric.formula.evaluate({a: first, b: 1 - first, c: second, d: 1 - second})
        return np.where(np.isnan(values), np.inf, values) if self.metric.limits.high is None else values

    def between(self, table: Table, ends: tuple[Ends, Ends]) -> Ends:
        """Return the lowest and the highest score around a table's rates, whose own intervals have these ends.

        A rate of no cases at all can be anything, whatever the other one is.
        """
        counts = self.counted(table)
        centres = [(count / of if of else 0.5) for count, of in counts]
        known = all(of for _, of in counts)

        def score(way: Floats, distance: Floats) -> Floats:
            steps = np.cos(way), np.sin(way)
            far = 1.0 if known else np.maximum(np.abs(steps[0]), np.abs(steps[1]))
            rates = (_moved(*part, distance / far) for part in zip(centres, ends, steps, strict=True))
            return self.score(*rates)

        return _least(score, 1), _least(score, -1)


def _moved(centre: float, ends: Ends, step: Floats, distance: Floats) -> Floats:
    low, high = ends
    return np.clip(centre + distance * step * np.where(step < 0, centre - low, high - centre), 0.0, 1.0)


def _least(score: Callable[[Floats, Floats], Floats], sign: int) -> float:
    """Return the least score within reach, or the largest: a grid, then ever closer ones around the best point."""
    way, distance, turn, reach = math.pi, 0.5, math.pi, 0.5
    best = math.inf
    for _ in range(_LOOKS):
        ways = way + turn * _DIRECTIONS
        distances = np.clip(distance + reach * _DISTANCES, 0.0, 1.0)[:, None]
        values = sign * np.broadcast_to(score(ways, distances), (len(distances), len(ways)))
        values = np.where(np.isnan(values), np.inf, values)
        i, j = np.unravel_index(np.argmin(values), values.shape)
        best = min(best, float(values[i, j]))
        way, distance, turn, reach = float(ways[j]), float(distances[i, 0]), turn / 16, reach / 2
    return sign * best


@lru_cache(maxsize=4096)
def rates_of(metric: Metric) -> Rates | None:
    """Return a metric as a function of two rates; None where it depends on how many cases each is taken of."""
    for first, second in _SPLITS:
        if all(_same_when_multiplied(metric, cells) for cells in (first, second)):
            return Rates(metric, first, second)
    return None


def _same_when_multiplied(metric: Metric, cells: Pair) -> bool:
    for counts in _PROBES:
        table = dict(zip(CELLS, counts, strict=True))
        value = metric.formula.exact(table)
        for factor in _FACTORS:
            more = {name: count * factor if name in cells else count for name, count in table.items()}
            if value is None or metric.formula.exact(more) != value:
                return False
    return True
