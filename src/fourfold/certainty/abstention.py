"""Leaving out what a model is unsure about: the score of the cases that are kept, against how many that are.

A case is as certain as the probability of its predicted class. Cases of one certainty are all kept or all left out,
so a point of the curve is a threshold: a case is kept if it has at least that certainty.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import NDArray

from ..chance.draws import generator
from ..chance.share_intervals import clopper_pearson
from ..errors import InputError, Note, Notes
from ..metrics import ACCURACY, Average, Metric, MetricId
from ..metrics import metric as find_metric
from ..shape import Chance, Count, Level, Members, Record, Result, flat
from .decomposition import Floats, OverClasses, Places, Predictions
from .resampling import SEED, check_resampling, matrix_scores, seed_of

Ints = NDArray[np.int64]

# A curve with more points is thinned, at even steps of the share that is kept.
_MOST_POINTS: Final = 200
# Matrices held at once.
_MOST_NUMBERS: Final = 1 << 21
# What rounding may take from a score that reaches what is wanted; accuracy is compared in whole numbers.
_ROUNDING: Final = 1e-12
_EXACT: Final = "Clopper-Pearson"
_DRAWN: Final = "percentile bootstrap of the kept cases"


@dataclass(frozen=True)
class Kept(Record):
    """The cases whose certainty is at least a threshold, and their score."""

    threshold: Annotated[Chance, "The least certainty that is kept."]
    kept: Annotated[Count, "How many cases are kept."]
    share: Annotated[Chance, "Their share of all cases."]
    right: Annotated[Count, "How many of them are predicted rightly."]
    value: Annotated[float | None, "Their score; null where it is undefined."]
    low: Annotated[float | None, "The lower end of its interval."]
    high: Annotated[float | None, "The upper end of its interval."]


@dataclass(frozen=True)
class ChosenAgain(Record):
    """What happens where the threshold is chosen on resampled cases, and tried on the cases that were not drawn."""

    draws: Annotated[Count, "How many resamples were drawn."]
    failed: Annotated[Count, "The number of resamples in which no threshold reached the score you asked for."]
    threshold_low: Annotated[float | None, "The lower end of the thresholds that were chosen."]
    threshold_high: Annotated[float | None, "The upper end of the thresholds that were chosen."]
    share_low: Annotated[float | None, "The lower end of the shares kept of cases that were not drawn."]
    share_high: Annotated[float | None, "The upper end of the shares kept of cases that were not drawn."]
    value: Annotated[float | None, "The score of kept cases that were not drawn, over all resamples."]
    seed: Annotated[Count | None, "The seed of the random numbers; null if a generator was given."]


@dataclass(frozen=True)
class Abstention(Result, schema="abstention", source="`certainty.abstain`"):
    """A model's score against the share of cases that are kept when the least certain are left out.

    Examples
    --------
    >>> truth, rows = ["a", "a", "b", "b"], [[0.9, 0.1], [0.4, 0.6], [0.3, 0.7], [0.2, 0.8]]
    >>> result = abstain(truth, rows, want=1)
    >>> [(point.threshold, point.kept, point.right) for point in result.points]
    [(0.9, 1, 1), (0.8, 2, 2), (0.7, 3, 3), (0.6, 4, 3)]
    >>> result.chosen.threshold, result.chosen.share, result.sure
    (0.7, 0.75, None)
    """

    metric: MetricId
    label: str
    average: OverClasses
    rows_read: Annotated[Count, "How many cases there are."]
    level: Annotated[Level, "The level of the intervals; each holds for its own threshold, not for all at once."]
    method: Annotated[str, "How the intervals were made."]
    points: Annotated[
        tuple[Kept, ...], "From the most certain cases to all; if there are many points, only some are kept."
    ]
    want: Annotated[float | None, "The score you asked for, if any."] = None
    chosen: Annotated[Kept | None, "The largest set of cases whose score reaches it; null if there is none."] = None
    sure: Annotated[Kept | None, "The largest set of cases whose interval reaches it, too; null if there is none."] = (
        None
    )
    again: Annotated[ChosenAgain | None, "How much the choice depends on these cases; null if this was not tried."] = (
        None
    )
    notes: Notes = ()

    def _members(self) -> Members:
        return (
            self.metric, self.average, self.rows_read, self.level, self.method, self.want, self.chosen, self.sure,
            self.again, self.points, self.notes,
        )  # fmt: skip

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each point."""
        return [{"metric": self.metric, **flat(point)} for point in self.points]


def abstain(
    truth: Any,
    probabilities: Any,
    metric: str | Metric | None = None,
    *,
    labels: Sequence[Hashable] | None = None,
    average: Average | None = None,
    prediction: Any = None,
    want: float | str | None = None,
    level: float = 0.95,
    draws: int = 200,
    rng: np.random.Generator | int | None = None,
) -> Abstention:
    """Show how a score improves when the least certain cases are left out, and which certainty is good enough.

    Parameters
    ----------
    truth, probabilities, labels, prediction
        As for `decompose`.
    metric, average
        As for `Decomposition.ratio`; accuracy by default.
    want
        The score you need: the result then says how many cases can be kept. For a metric of which less is better, the
        largest value you accept.
    level
        The level of the intervals. Those of accuracy are exact (Clopper-Pearson), others are bootstrapped. The
        threshold is chosen on the same cases, so its own interval is too optimistic: `again` shows by how much.
    draws
        How many resamples to draw: for that, and for the intervals of metrics other than accuracy.
    rng
        A seed or generator. By default the seed is 20241, so that the same call gives the same numbers.

    Examples
    --------
    How many of these cases can be left to the model, if it must be right nine times in ten?

    >>> truth, rows = ["a"] * 60 + ["b"] * 40, [[0.9, 0.1]] * 50 + [[0.55, 0.45]] * 20 + [[0.2, 0.8]] * 30
    >>> result = abstain(truth, rows, want=0.95)
    >>> result.chosen.kept, result.chosen.threshold, round(result.chosen.low, 3)
    (80, 0.8, 0.955)
    """
    rows = Predictions.read(truth, probabilities, labels, prediction=prediction)
    return abstention_of(rows, metric, average=average, want=want, level=level, draws=draws, rng=rng)


def abstention_of(
    rows: Predictions,
    metric: str | Metric | None = None,
    *,
    average: Average | None = None,
    want: float | str | None = None,
    level: float = 0.95,
    draws: int = 200,
    rng: np.random.Generator | int | None = None,
) -> Abstention:
    """Do what `abstain` does, for rows that are checked."""
    check_resampling(level, draws)
    chosen_metric = ACCURACY if metric is None else find_metric(metric)
    curve = _KeptScores(rows, chosen_metric, average, level, draws, generator(SEED if rng is None else rng))
    wanted = None if want is None else _wanted(want, chosen_metric)
    seed = seed_of(rng)
    chosen = sure = again = None
    notes = []
    if wanted is not None:
        reaching = curve.reaching(wanted)
        chosen = curve.kept(reaching[-1]) if len(reaching) else None
        # A bootstrapped interval takes long, so only points that are shown have one.
        looked_at = reaching if curve.is_accuracy else np.intersect1d(reaching, curve.shown())
        points_with_ends = map(curve.kept, looked_at[::-1].tolist())
        sure = next((point for point in points_with_ends if _is_sure(point, wanted, chosen_metric)), None)
        words = "the threshold was chosen on the same cases that it is tried on: new cases will mostly score lower"
        notes.append(Note("chosen_on_same", words, {}))
        again = curve.chosen_again(wanted, draws, seed) if curve.is_accuracy else None
    points = tuple(curve.kept(place) for place in curve.shown())
    about = (chosen_metric.id, chosen_metric.label, average, len(rows), level, _EXACT if curve.is_accuracy else _DRAWN)
    number = None if wanted is None else float(wanted)
    return Abstention(*about, points, number, chosen, sure, again, tuple(notes))


def _wanted(want: object, metric: Metric) -> Fraction:
    try:
        number = None if isinstance(want, bool) else Fraction(str(want))
    except (ValueError, ZeroDivisionError):
        number = None
    low, high = metric.limits.low, metric.limits.high
    if number is None or number < low or (high is not None and number > high):
        ends = f"from {float(low):g} to {float(high):g}" if high is not None else f"of at least {float(low):g}"
        raise InputError("bad_option", "want", f"must be a number {ends}", want, "such as 0.95")
    if metric.better == "neither":
        raise InputError("bad_option", "want", f"cannot be used with {metric.id}", want, "more of it is not better")
    return number


def _is_sure(point: Kept, wanted: Fraction, metric: Metric) -> bool:
    end = point.high if metric.better == "lower" else point.low
    return end is not None and (end <= wanted if metric.better == "lower" else end >= wanted)


class _KeptScores:
    """The cases in order of their certainty, and where each certainty ends."""

    def __init__(
        self,
        rows: Predictions,
        metric: Metric,
        average: Average | None,
        level: float,
        draws: int,
        source: np.random.Generator,
    ) -> None:
        predicted = rows.values.argmax(axis=1) if rows.predicted is None else rows.predicted
        certainty = rows.values[np.arange(len(rows)), predicted].astype(np.float64)
        order = np.argsort(-certainty, kind="stable")
        self.certainty = certainty[order]
        self.cells: Places = (rows.actual * len(rows.labels) + predicted)[order]
        self.right = (rows.actual == predicted)[order].astype(np.int64)
        # Cases of one certainty are kept or left out as one: a place is the last of them.
        self.ends = np.flatnonzero(np.r_[self.certainty[1:] != self.certainty[:-1], True])
        self.rights = np.cumsum(self.right)[self.ends]
        self.classes = len(rows.labels)
        self.metric, self.average, self.level, self.draws, self.source = metric, average, level, draws, source
        self.is_accuracy = metric is ACCURACY and average is None

    def shown(self) -> Ints:
        """Return the places of the points that are shown."""
        last = len(self.ends) - 1
        if last < _MOST_POINTS:
            return np.arange(last + 1)
        kept = np.linspace(self.ends[0], self.ends[-1], _MOST_POINTS)
        return np.unique(np.searchsorted(self.ends, kept).clip(max=last))

    def kept(self, place: int) -> Kept:
        """Return the cases up to a place, with their score and its interval."""
        count, right = int(self.ends[place]) + 1, int(self.rights[place])
        value: float | None = right / count
        low: float | None
        high: float | None
        if self.is_accuracy:
            low, high = clopper_pearson(right, count, self.level)
        else:
            value, low, high = self._drawn(count)
        threshold = float(self.certainty[self.ends[place]])
        return Kept(threshold, count, count / len(self.right), right, value, low, high)

    def _drawn(self, count: int) -> tuple[float | None, float | None, float | None]:
        """Return a score of the first cases, with what resampling them gives."""
        cells = np.bincount(self.cells[:count], minlength=self.classes**2)
        value = float(self._scores(cells[None].astype(np.float64))[0])
        if np.isnan(value):
            return None, None, None
        drawn = self._scores(self.source.multinomial(count, cells / count, self.draws).astype(np.float64))
        known = drawn[~np.isnan(drawn)]
        low, high = np.quantile(known, [(1 - self.level) / 2, (1 + self.level) / 2]).tolist()
        return value, min(low, value), max(high, value)

    def _scores(self, cells: Floats) -> Floats:
        return matrix_scores(cells.reshape(-1, self.classes, self.classes), self.metric, self.average)

    def reaching(self, wanted: Fraction) -> Ints:
        """Return the places, in order, whose score reaches what is wanted."""
        if self.is_accuracy:
            return np.flatnonzero(self.rights >= self._needed(wanted)[self.ends + 1])
        values = np.concatenate(list(self._values()))
        sign = -1.0 if self.metric.better == "lower" else 1.0
        return np.flatnonzero(sign * values >= sign * float(wanted) - _ROUNDING)

    def _needed(self, wanted: Fraction) -> Ints:
        """Return how many of 0, 1, 2 ... cases must be right."""
        top, bottom = wanted.numerator, wanted.denominator
        return np.array([-(-top * count // bottom) for count in range(len(self.right) + 1)], dtype=np.int64)

    def _values(self) -> Iterator[Floats]:
        """Yield the scores of all places, some at a time."""
        width = self.classes**2
        places = np.searchsorted(self.ends, np.arange(len(self.cells)))
        total, step = np.zeros(width), max(1, _MOST_NUMBERS // width)
        for start in range(0, len(self.ends), step):
            count = min(step, len(self.ends) - start)
            inside = (places >= start) & (places < start + count)
            added = np.bincount((places[inside] - start) * width + self.cells[inside], minlength=count * width)
            cells = total + np.cumsum(added.reshape(count, width), axis=0)
            total = cells[-1]
            yield self._scores(cells)

    def chosen_again(self, wanted: Fraction, draws: int, seed: int | None) -> ChosenAgain:
        """Choose the threshold on resamples of the cases, and try it on the cases that were not drawn."""
        size, needed = len(self.right), self._needed(wanted)
        thresholds, shares, kept, right, failed = list[float](), list[float](), 0, 0, 0
        for _ in range(draws):
            counts = np.bincount(self.source.integers(0, size, size), minlength=size)
            totals, rights = (np.cumsum(numbers)[self.ends] for numbers in (counts, counts * self.right))
            reaching = np.flatnonzero((rights >= needed[totals]) & (totals > 0))
            if not len(reaching):
                failed += 1
                continue
            end = self.ends[reaching[-1]] + 1
            thresholds.append(float(self.certainty[end - 1]))
            others = counts == 0
            if others.any():
                shares.append(float(others[:end].sum() / others.sum()))
                kept += int(others[:end].sum())
                right += int(self.right[:end][others[:end]].sum())
        ends = [(1 - self.level) / 2, (1 + self.level) / 2]
        low, high = np.quantile(thresholds, ends).tolist() if thresholds else (None, None)
        least, most = np.quantile(shares, ends).tolist() if shares else (None, None)
        return ChosenAgain(draws, failed, low, high, least, most, right / kept if kept else None, seed)
