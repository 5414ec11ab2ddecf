"""Calibration: whether what a model says with 0.9 is so nine times in ten.

Cases are put into bins by what the model says, and each bin's mean probability is held against how often it came true.
The expected calibration error (ECE) is the mean distance of the two. Chance alone makes it positive, so its interval is
an inverted test: it holds the errors under which the observed one would not be unusual.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from ..chance.draws import generator
from ..chance.share_intervals import clopper_pearson
from ..errors import InputError, Note, Notes
from ..shape import Chance, Count, Level, Members, Record, Result, flat
from .decomposition import Floats, Predictions
from .resampling import SEED, check_resampling, seed_of

#: How cases are put into bins: as many cases in each, or the same width for each.
Spacing: TypeAlias = Literal["mass", "width"]

_MOST_BINS: Final = 1000
# Halvings of an interval on a path: its ends are then known to 1 in 16,384 of it.
_STEPS: Final = 14
_METHOD: Final = "inverted test, simulated along one path"


@dataclass(frozen=True)
class CalibrationBin(Record):
    """Cases with about the same probability: what the model said, and how often it came true."""

    low: Annotated[Chance, "The smallest probability in it."]
    high: Annotated[Chance, "The largest probability in it."]
    n: Annotated[Count, "How many cases it has."]
    said: Annotated[Chance, "Their mean probability."]
    true: Annotated[Count, "The number of cases for which it came true."]
    share: Annotated[Chance, "The share."]
    share_low: Annotated[Chance, "The lower end of the share's interval (Clopper-Pearson)."]
    share_high: Annotated[Chance, "The upper end of the share's interval (Clopper-Pearson)."]


@dataclass(frozen=True)
class Calibration(Result, schema="calibration", source="`certainty.calibrate`"):
    """How far a model's probabilities lie from how often they come true.

    Examples
    --------
    >>> result = calibrate(["a"] * 70 + ["b"] * 30, [[0.9, 0.1]] * 100)
    >>> round(result.error, 4), round(result.said, 4), result.share
    (0.2, 0.9, 0.7)
    """

    of: Annotated[str | None, "The class whose probability is judged; null for that of the predicted class."]
    error: Annotated[Chance, "The expected calibration error: the mean distance over all cases."]
    low: Annotated[Chance, "The lower end of its interval."]
    high: Annotated[Chance, "The upper end of its interval."]
    level: Annotated[Level, "The level: how often such intervals contain the true error."]
    by_chance: Annotated[Chance, "The mean error that a perfectly calibrated model would show in the same bins."]
    p_value: Annotated[Chance, "The chance that such a model would show this error or a larger one."]
    said: Annotated[Chance, "The mean probability of all cases."]
    share: Annotated[Chance, "The share of cases for which it came true."]
    method: Annotated[str, "How the interval was made."]
    spacing: Annotated[Spacing, "Whether bins have the same number of cases, or the same width."]
    rows_read: Annotated[Count, "How many cases there are."]
    draws: Annotated[Count, "How many times cases were simulated."]
    seed: Annotated[Count | None, "The seed of the random numbers; null if a generator was given."]
    bins: Annotated[tuple[CalibrationBin, ...], "The bins that have cases, in order."]
    notes: Notes = ()

    def _members(self) -> Members:
        return (
            self.of, self.error, self.low, self.high, self.level, self.by_chance, self.p_value, self.said, self.share,
            self.method, self.spacing, self.rows_read, self.draws, self.seed, self.bins, self.notes,
        )  # fmt: skip

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each bin."""
        return [flat(part) for part in self.bins]


def calibrate(
    truth: Any,
    probabilities: Any,
    labels: Sequence[Hashable] | None = None,
    *,
    of: Hashable | None = None,
    bins: int = 10,
    spacing: Spacing = "mass",
    prediction: Any = None,
    level: float = 0.95,
    draws: int = 1000,
    rng: np.random.Generator | int | None = None,
) -> Calibration:
    """Compare a model's probabilities with how often they come true.

    Parameters
    ----------
    truth, probabilities, labels, prediction
        As for `decompose`.
    of
        A class whose probability is judged, whatever is predicted. If left out, the probability of the predicted class
        is judged; it comes true if the prediction is right.
    bins
        How many; those without cases are left out. Cases of one probability are in one bin.
    spacing
        "mass": the same number of cases in each bin, as far as equal probabilities allow; "width": the same width.
        Both cut as scikit-learn's ``calibration_curve`` does.
    level
        Of the intervals.
    draws
        How often cases are simulated, for the interval and for the error that chance alone would show.
    rng
        A seed or generator. By default the seed is 20241, so that the same call gives the same numbers.

    Examples
    --------
    >>> truth, rows = ["a", "b", "b", "a"] * 50, [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.7, 0.3]] * 50
    >>> result = calibrate(truth, rows, bins=4)
    >>> [(round(part.said, 2), part.share) for part in result.bins]
    [(0.6, 0.0), (0.7, 1.0), (0.8, 1.0), (0.9, 1.0)]
    >>> round(result.error, 2), result.low <= result.error <= result.high
    (0.3, True)
    """
    rows = Predictions.read(truth, probabilities, labels, prediction=prediction)
    return calibration_of(rows, of=of, bins=bins, spacing=spacing, level=level, draws=draws, rng=rng)


def calibration_of(
    rows: Predictions,
    *,
    of: Hashable | None = None,
    bins: int = 10,
    spacing: Spacing = "mass",
    level: float = 0.95,
    draws: int = 1000,
    rng: np.random.Generator | int | None = None,
) -> Calibration:
    """Do what `calibrate` does, for rows that are checked."""
    check_resampling(level, draws)
    if not isinstance(bins, int) or isinstance(bins, bool) or not 1 <= bins <= _MOST_BINS:
        raise InputError("bad_option", "bins", f"must be a whole number from 1 to {_MOST_BINS}", bins, "10 is usual")
    if spacing not in get_args(Spacing):
        raise InputError("bad_option", "spacing", "is not known", spacing, "mass or width")
    stated, true = _judged(rows, of)
    parts = _binned(stated, true, _places(stated, bins, spacing), level)
    seed = seed_of(rng)
    noise = _Noise(parts, draws, int(generator(SEED if rng is None else rng).integers(2**32)))
    low, high = noise.interval(level)
    at_rest = noise.errors(0.0)
    by_chance, p_value = float(at_rest.mean()), float((1 + (at_rest >= noise.error).sum()) / (1 + draws))
    notes = [Note("approximation", f"the interval of the calibration error is an approximation: {_METHOD}", {})]
    named = None if of is None else str(of)
    numbers = (noise.error, low, high, level, by_chance, p_value, float(stated.mean()), float(true.mean()))
    return Calibration(named, *numbers, _METHOD, spacing, len(rows), draws, seed, parts, tuple(notes))


def _judged(rows: Predictions, of: Hashable | None) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the probability of each case that is judged, and whether it came true."""
    if of is not None:
        if of not in rows.labels:
            hint = f"one of {', '.join(map(str, rows.labels[:6]))}"
            raise InputError("bad_label", "of", "is none of the classes", of, hint)
        place = rows.labels.index(of)
        return rows.values[:, place].astype(np.float64), rows.actual == place
    predicted = rows.values.argmax(axis=1) if rows.predicted is None else rows.predicted
    return rows.values[np.arange(len(rows)), predicted].astype(np.float64), rows.actual == predicted


def _places(stated: Floats, bins: int, spacing: Spacing) -> NDArray[np.intp]:
    """Return the bin of each case; equal probabilities are in one."""
    cuts = np.linspace(0, 1, bins + 1)
    edges = np.quantile(stated, cuts) if spacing == "mass" else cuts
    return np.searchsorted(edges[1:-1], stated)


def _binned(
    stated: Floats, true: NDArray[np.bool_], places: NDArray[np.intp], level: float
) -> tuple[CalibrationBin, ...]:
    parts = []
    for place in np.unique(places):
        inside = places == place
        count, hits, mean = int(inside.sum()), int(true[inside].sum()), float(stated[inside].mean())
        ends = clopper_pearson(hits, count, level)
        smallest, largest = float(stated[inside].min()), float(stated[inside].max())
        # A mean is rounded, and must not leave the bin.
        mean = min(max(mean, smallest), largest)
        parts.append(CalibrationBin(smallest, largest, count, mean, hits, hits / count, *ends))
    return tuple(parts)


class _Noise:
    """What the error of a model would be in these bins by chance, at any true error along one path.

    The path leads from a calibrated model in the direction of the observed gaps, and the other way: a bin of few cases
    may be too sure though it was lucky. To each gap's square that of its own standard error is added, so that the path
    leads away also where the observed gaps happen to be none.
    """

    def __init__(self, parts: Sequence[CalibrationBin], draws: int, seed: int) -> None:
        self.counts = np.array([part.n for part in parts])
        self.said = np.array([part.said for part in parts])
        shares = np.array([part.share for part in parts])
        self.weights = self.counts / self.counts.sum()
        gaps = shares - self.said
        self.error = float(self.weights @ np.abs(gaps))
        spread = np.maximum(self.said * (1 - self.said), 0.25 / self.counts) / self.counts
        self.direction = np.where(gaps < 0, -1.0, 1.0) * np.sqrt(gaps**2 + spread)
        self.draws, self.seed = draws, seed

    def at(self, step: float) -> Floats:
        """Return the true share of each bin at a place of the path."""
        shares: Floats = np.clip(self.said + step * self.direction, 0.0, 1.0)
        return shares

    def true_error(self, step: float) -> float:
        """Return the true error at a place of the path."""
        return float(self.weights @ np.abs(self.at(step) - self.said))

    def errors(self, step: float) -> Floats:
        """Return errors that would be observed there; each case is taken to have its bin's share."""
        source = np.random.default_rng(self.seed)
        drawn = source.binomial(self.counts, self.at(step), (self.draws, len(self.counts))) / self.counts
        errors: Floats = np.abs(drawn - self.said) @ self.weights
        return errors

    def interval(self, level: float) -> tuple[float, float]:
        """Return the ends: at the lower one larger errors, at the upper one smaller ones are just unusual."""
        tail, hair = (1 - level) / 2, 1e-12
        lows, highs = [self.error], [self.error]
        for way in (1, -1):
            low = self._first(way, lambda step: float(np.mean(self.errors(step) >= self.error - hair)) > tail)
            high = self._first(way, lambda step: float(np.mean(self.errors(step) <= self.error + hair)) < tail)
            # A way that ends before its errors are large enough has no lower end, and an upper one where it ends.
            lows += [] if low is None else [self.true_error(low)]
            highs.append(self.true_error(way * self._far() if high is None else high))
        return min(lows), max(highs)

    def _far(self) -> float:
        """Return where the path has ended, for no share can grow or fall further."""
        return float(np.max(1 / np.abs(self.direction)))

    def _first(self, way: int, holds: Callable[[float], bool]) -> float | None:
        """Return where on the path, this way or the other, something begins to hold; None where it never does."""
        least, most = 0.0, float(way)
        if holds(least):
            return least
        while not holds(most):
            least, most = most, 2 * most
            if abs(least) > self._far():
                return None
        for _ in range(_STEPS):
            middle = (least + most) / 2
            least, most = (least, middle) if holds(middle) else (middle, most)
        return most
