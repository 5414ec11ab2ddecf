"""Laws and expected errors by the number of cases, in pieces that can be done apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fourfold import METRICS, Metric
from fourfold.groups import expected_errors, score_law

from ..running import Call
from .source import EQUAL_CELLS, ESTIMATES, GROUPS, TESTED, metrics_at

Floats: TypeAlias = NDArray[np.float64]

_STEPS: Final = 200
# A distribution function that rises by less than this between two points is not looked at between them.
_FLAT: Final = 1e-9
# Sizes of a piece of the experiment: what is done is kept, and progress told, every few seconds.
_PIECE: Final = 30


def law_calls(shown: Sequence[int]) -> dict[str, Call]:
    """Return the work for Figure 2, the longest first."""
    pairs = [(metric, size) for size in sorted(shown, reverse=True) for metric in metrics_at("Figure 2")]
    return {law_name(metric, size): (_distribution, metric.id, size) for metric, size in pairs}


def law_name(metric: Metric, size: int) -> str:
    """Return what the work for a law is called."""
    return f"law of {metric.id}, size {size}"


def error_calls(sizes: range) -> dict[str, Call]:
    """Return the work for the experiment on smoothing."""
    return {_error_name(name, piece): (_errors, name, piece) for piece in _pieces(sizes)[::-1] for name in GROUPS}


def _pieces(sizes: range) -> list[range]:
    return [sizes[i : i + _PIECE] for i in range(0, len(sizes), _PIECE)]


def _error_name(name: str, piece: range) -> str:
    return f"errors of {name}, sizes {piece[0]} to {piece[-1]}"


def score_grid(metric: Metric) -> list[Fraction]:
    """Return the scores at which distribution functions are drawn."""
    low, high = Fraction(metric.limits.low), Fraction(metric.limits.high or 1)
    return [low + (high - low) * i / _STEPS for i in range(_STEPS + 1)]


def _distribution(name: str, size: int) -> dict[str, Any]:
    """Return the chances of at most each point of a grid, given that the metric is defined, and how often it is not."""
    law, points = score_law(name, size, EQUAL_CELLS), score_grid(METRICS[name])
    sums = {i: law.cdf(points[i]) for i in (0, _STEPS)}
    left = [(0, _STEPS)]
    while left:
        first, last = left.pop()
        if last - first < 2:
            continue
        if sums[last] - sums[first] < _FLAT:
            sums |= dict.fromkeys(range(first + 1, last), sums[first])
        else:
            middle = (first + last) // 2
            sums[middle] = law.cdf(points[middle])
            left += [(first, middle), (middle, last)]
    return {"cdf": [sums[i] for i in range(len(points))], "undefined": law.undefined}


def _errors(name: str, sizes: Sequence[int]) -> list[float | None]:
    """Return the expected squared errors of a group: by size, in it by metric, in it by estimate."""
    group, reference = GROUPS[name]
    errors = expected_errors(group, reference, TESTED, sizes, list(ESTIMATES.values()))
    return [error.mse for error in errors]


@dataclass(frozen=True)
class Errors:
    """The whole experiment: expected squared errors by group, metric, estimate and size; nan where never defined."""

    sizes: range
    mse: Floats

    @classmethod
    def from_results(cls, results: Mapping[str, Any], sizes: range) -> Errors:
        """Put the pieces together."""
        names = [[_error_name(group, piece) for piece in _pieces(sizes)] for group in GROUPS]
        flat = np.array([[mse for name in row for mse in results[name]] for row in names], dtype=np.float64)
        whole = flat.reshape(len(names), len(sizes), len(TESTED), len(ESTIMATES))
        return cls(sizes, np.moveaxis(whole, 1, -1))

    def since(self, first: int) -> Errors:
        """Leave out sizes below the first."""
        start = self.sizes.index(first)
        return Errors(self.sizes[start:], self.mse[..., start:])

    def of(self, estimate: str) -> Floats:
        """Return the errors of an estimate by group, metric and size."""
        return self.mse[:, :, list(ESTIMATES).index(estimate)]

    def curve(self, metric: Metric, estimate: str) -> Floats:
        """Return the errors of an estimate by size, the mean of all groups."""
        return np.asarray(self.of(estimate)[:, TESTED.index(metric)].mean(axis=0))

    def area(self, metric: Metric, estimate: str) -> float:
        """Return the area below a curve."""
        return float(self.curve(metric, estimate).sum())

    def lead(self, metric: Metric, better: str, worse: str) -> Floats:
        """Return by size how much lower the mean error of the first estimate is."""
        return self.curve(metric, worse) - self.curve(metric, better)

    def always_lower(self, metrics: Iterable[Metric], better: str, worse: str) -> bool:
        """Tell whether the mean error of the first estimate is lower for all metrics and sizes."""
        return all(bool((self.lead(metric, better, worse) > 0).all()) for metric in metrics)
