"""Two models on the same rows: the difference of any metric, its exact test, and an interval that agrees with it.

The test asks what would be if the two predictions of a row could as well stand the other way round (`chance.swaps`).
The interval moves the odds of that until a tail is small: log-odds in proportion to how much a row counts for the
metric. For accuracy these are the ends of Clopper and Pearson. They take the number of rows on which the models differ
as known; the interval also allows for other rows with other numbers, which moves no end across zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Final, NamedTuple

import numpy as np

from ...chance.draws import Floats, seed_of
from ...chance.laws import Split
from ...chance.roots import root
from ...chance.swaps import Agreement, PairedTables, SwapLaw, swap_law
from ...errors import InputError, Note, Notes, TooLarge
from ...metrics import ACCURACY, AVERAGES, Metric, MetricId
from ...metrics import metric as find_metric
from ...metrics.catalogue import Averaged
from ...names import old_parameters
from ...shape import Chance, Count, Members, Result, columns
from ...table import Matrix, positive_label, whole
from .intervals import OfInterval, check_level
from .matching import not_exact, undefined_score

#: How often each kind of row occurs: (truth, prediction of the first model, prediction of the second).
Kinds = Mapping[tuple[Any, Any, Any], int]

# A p-value of 0.05 is then known within 0.004, two standard errors.
_DRAWS: Final = 10_000
_MOST_CLASSES: Final = 100
# Numbers in memory at a time: 32 MB.
_CELLS_TOGETHER: Final = 4_000_000
# A larger share of undefined tables than this is worth a note.
_NOTED_MASS: Final = 0.001
# Slopes are taken over this much of a share; smaller ones than this part of the largest are none.
_STEP: Final = 1e-4
_NO_SLOPE: Final = 1e-7
# Beyond, the rarer of two outcomes has less chance than a float tells beside 1.
_LARGEST_LOG_ODDS: Final = 40.0
# Points between the data and an end, at which the number of differing rows is counted in.
_POINTS: Final = 33
_TILTED, _TILTED_NORMAL = "tilted swaps", "tilted swaps, normal approximation"


@dataclass(frozen=True)
class PairedComparison(Result, schema="paired_comparison", source="`compare_paired`"):
    """A metric of two models on the same rows.

    Examples
    --------
    >>> rows = {(1, 1, 1): 30, (1, 1, 0): 12, (1, 0, 1): 3, (1, 0, 0): 5, (0, 0, 0): 40, (0, 1, 1): 10}
    >>> result = compare_paired(rows, "recall")
    >>> result.score_a, result.score_b, result.only_a, result.only_b, round(result.p_value, 4)
    (0.84, 0.66, 12, 3, 0.0352)
    """

    metric: MetricId
    label: str
    n: Annotated[Count, "The rows."]
    score_a: Annotated[float | None, "The first model's score; null where it is undefined."]
    score_b: Annotated[float | None, "The second model's score; null where it is undefined."]
    only_a: Annotated[Count, "Rows that count for this metric and that only the first model gets right."]
    only_b: Annotated[Count, "Rows that count for this metric and that only the second model gets right."]
    differ: Annotated[Count, "Rows that count for this metric and on which the predictions differ."]
    low: Annotated[float | None, "The low end of the difference's interval; null where there is none."]
    high: Annotated[float | None, "The high end."]
    p_value: Annotated[
        Chance | None,
        "The chance of a difference at least this large, up or down, if the models were swapped at random.",
    ]
    mid_p: Annotated[Chance | None, "The same with half the chance of just this difference."]
    least_p: Annotated[Chance | None, "The p-value if one model were right on all rows that differ."]
    method: Annotated[str, "How the p-value was found; none where there is none."]
    interval_method: Annotated[str, "How the interval was found; none where there is none."]
    level: OfInterval
    undefined: Annotated[
        Chance, "The chance that swaps leave a score undefined; the other chances are given that they do not."
    ] = 0.0
    seed: Annotated[int | None, "The seed of the random numbers; null if none were drawn."] = None
    notes: Notes = ()

    def _members(self) -> Members:
        return (
            *columns(self.metric, self.n, self.score_a, self.score_b, self.only_a, self.only_b, self.differ,
            self.difference, self.low, self.high, self.p_value, self.mid_p, self.least_p, self.method,
            self.interval_method, self.undefined, self.seed, self.notes), self.level,
        )  # fmt: skip

    @property
    def difference(self) -> float | None:
        """The first model's score minus the second's; null where one is undefined."""
        return None if self.score_a is None or self.score_b is None else self.score_a - self.score_b


@old_parameters(name="metric", seed="rng")
def compare_paired(
    rows: Kinds,
    metric: str | Metric,
    *,
    positive: Hashable | None = None,
    level: float = 0.95,
    rng: np.random.Generator | int = 0,
    draws: int = _DRAWS,
) -> PairedComparison:
    """Compare two models on the same rows by a metric.

    Parameters
    ----------
    rows
        How often each (truth, prediction of the first model, prediction of the second) occurs.
    metric
        A metric by any of its names. With more than two classes it must have a form for them, as accuracy, mcc and
        macro_f1 have.
    positive
        The label that counts as positive. May be left out for labels 0 and 1, False and True, or -1 and 1. With more
        than two classes all others count as negative; left out, they are compared as classes.
    level
        Of the interval.
    rng, draws
        For random swaps, which only more than two classes need: a seed or generator, and how many to draw.

    Examples
    --------
    >>> result = compare_paired({("b", "b", "a"): 9, ("a", "a", "a"): 20, ("b", "a", "b"): 1}, "f1", positive="b")
    >>> round(result.difference, 4), result.method, round(result.p_value, 4)
    (0.7656, 'all swaps', 0.0215)
    """
    check_level(level)
    counts = _checked(rows)
    labels = label_set(counts)
    if len(labels) > 2 and positive is None:
        return of_classes(counts, find_metric(metric), level=level, seed=seed_of(rng), draws=draws)
    label = read_positive(labels, positive)
    return of_tables(counts, find_metric(metric), label, level=level, seed=seed_of(rng), draws=draws)


def _checked(rows: Kinds) -> dict[tuple[Any, Any, Any], int]:
    if not isinstance(rows, Mapping) or not all(isinstance(kind, tuple) and len(kind) == 3 for kind in rows):
        hint = "give {(truth, first, second): count}"
        raise InputError("bad_shape", "rows", "must map three labels to counts", rows, hint)
    counts = {kind: whole(count, "rows") for kind, count in rows.items()}
    if not sum(counts.values()):
        raise InputError("empty", "rows", "must hold at least one row", rows, "count some rows first")
    return counts


def label_set(rows: Kinds) -> tuple[Any, ...]:
    """Return the labels that occur, in order."""
    pairs = {pair: 1 for truth, first, second in rows for pair in ((truth, first), (truth, second))}
    return Matrix.from_pairs(pairs).labels


def read_positive(labels: Sequence[Any], positive: Hashable | None) -> Hashable:
    """Return the positive label; a text on the command line may stand for a number in the data."""
    if isinstance(positive, str) and positive not in labels:
        positive = next((label for label in labels if str(label) == positive), positive)
    if len(labels) <= 2:
        return positive_label(tuple(labels), positive)
    if positive not in labels:
        hint = f"the data has {', '.join(map(str, labels[:6]))}"
        raise InputError("bad_label", "positive", "is not a label in the data", positive, hint)
    return positive


def of_tables(
    rows: Kinds, metric: Metric, positive: Hashable, *, level: float, seed: int, draws: int
) -> PairedComparison:
    """Compare two models where one label is positive and all others are negative."""
    counts = np.zeros((2, 2, 2), dtype=np.int64)
    for kind, count in rows.items():
        counts[tuple(int(label == positive) for label in kind)] += count
    pairs = PairedTables(*(_agreement(counts[label], label) for label in (1, 0)))
    law = swap_law(metric.formula, pairs, rng=np.random.default_rng(seed), draws=draws)
    first, second = (metric.formula.exact(table.cells()) for table in pairs.tables())
    scores = tuple(None if score is None else float(score) for score in (first, second))
    reasons = [metric.why_undefined(table) for table in pairs.tables()]
    swaps = _Swaps(counts, _of_table(metric))
    drawn = law is not None and not law.tilts
    return _compared(metric, swaps, _Observed(scores, tuple(reasons), law, seed if drawn else None), level)


def _agreement(counts: Any, label: int) -> Agreement:
    other = 1 - label
    cells = counts[label, label], counts[label, other], counts[other, label], counts[other, other]
    return Agreement(*map(int, cells))


def of_classes(rows: Kinds, metric: Metric, *, level: float, seed: int, draws: int) -> PairedComparison:
    """Compare two models of more than two classes, by swaps drawn at random; accuracy exactly."""
    if metric.over_classes is None:
        hint = f"ask for an average, such as {AVERAGES[0]}_{metric.id}, or say which class is positive"
        raise InputError("bad_metric", "metric", "has no form for several classes", metric.id, hint)
    labels = label_set(rows)
    if len(labels) > _MOST_CLASSES:
        hint = "say which class is positive"
        raise TooLarge("too_large", "labels", f"more than {_MOST_CLASSES} classes to compare", len(labels), hint)
    place = {label: i for i, label in enumerate(labels)}
    counts = np.zeros((len(labels),) * 3, dtype=np.int64)
    for kind, count in rows.items():
        counts[tuple(place[label] for label in kind)] += count
    swaps = _Swaps(counts, _of_matrix(metric))
    first, second = (float(score[0]) for score in swaps.scores(swaps.counts[None]))
    scores = tuple(None if math.isnan(score) else score for score in (first, second))
    reasons = tuple(("a part of it is undefined",) if score is None else () for score in scores)
    law: SwapLaw | None = None
    if None not in scores:
        law = _mcnemar(swaps) if metric is ACCURACY else _DrawnSwaps(swaps, np.random.default_rng(seed), draws)
    return _compared(
        metric, swaps, _Observed(scores, reasons, law, seed if isinstance(law, _DrawnSwaps) else None), level
    )


def _mcnemar(swaps: _Swaps) -> SwapLaw:
    only_a, only_b = swaps.right(0), swaps.right(1)
    pairs = PairedTables(Agreement(0, only_a, only_b, int(swaps.counts.sum()) - only_a - only_b), Agreement())
    law = swap_law(ACCURACY.formula, pairs)
    assert law is not None, "there are rows"
    return law


_ScoreOfCells = Callable[[Floats], Floats]


def _of_table(metric: Metric) -> _ScoreOfCells:
    def score(matrices: Floats) -> Floats:
        cells = {"tp": (1, 1), "fn": (1, 0), "fp": (0, 1), "tn": (0, 0)}
        return metric.formula.evaluate({name: matrices[:, i, j] for name, (i, j) in cells.items()})

    return score


def _of_matrix(metric: Metric) -> _ScoreOfCells:
    """Return what scores many k-by-k matrices at once."""
    form = metric.over_classes

    def score(matrices: Floats) -> Floats:
        actual, predicted = matrices.sum(axis=2), matrices.sum(axis=1)
        right, total = np.diagonal(matrices, axis1=1, axis2=2), matrices.sum(axis=(1, 2))
        if isinstance(form, Averaged):
            rest = total[:, None] - actual - predicted + right
            cells = {"tp": right, "fn": actual - right, "fp": predicted - right, "tn": rest}
            if form.average == "micro":
                return form.base.formula.evaluate({name: part.sum(axis=1) for name, part in cells.items()})
            weights = actual if form.average == "weighted" else np.ones_like(actual)
            return np.asarray((form.base.formula.evaluate(cells) * weights).sum(axis=1) / weights.sum(axis=1))
        chance, square = (actual * predicted).sum(axis=1), total**2
        sums = {"correct": right.sum(axis=1), "total": total, "chance": chance, "chance_wrong": square - chance}
        for name, part in (("split_actual", actual), ("split_predicted", predicted)):
            sums[name] = square - (part**2).sum(axis=1)
        assert form is not None, "checked before"
        return form.evaluate(sums)

    return score


class _Swaps:
    """Kinds of rows that occur, which of them are each other's swap, and a metric of both models.

    `counts` has a number for each kind; `first` and `second` say which kinds are swapped for each other, the one that
    the first model gets right first.
    """

    def __init__(self, counts: Any, score: _ScoreOfCells) -> None:
        both = counts + counts.transpose(0, 2, 1)
        truth, first, second = np.nonzero(both)
        self._classes, self._score = len(counts), score
        self._kinds = truth, first, second
        self.counts = counts[truth, first, second].astype(np.float64)
        place = {kind: i for i, kind in enumerate(zip(*(part.tolist() for part in self._kinds), strict=True))}
        pairs = [(i, place[c, b, a]) for (c, a, b), i in place.items() if a != b and (a == c or (b != c and a < b))]
        self.first = np.array([i for i, _ in pairs], dtype=np.intp)
        self.second = np.array([j for _, j in pairs], dtype=np.intp)
        self.sizes = self.counts[self.first] + self.counts[self.second]
        self._same = np.flatnonzero(first == second)

    def scores(self, counts: Floats) -> tuple[Floats, Floats]:
        """Return the scores of both models, for rows of counts of the kinds."""
        truth, first, second = self._kinds
        scores = []
        for predicted in (first, second):
            matrices = np.zeros((len(counts), self._classes * self._classes))
            for column, cell in enumerate((truth * self._classes + predicted).tolist()):
                matrices[:, cell] += counts[:, column]
            scores.append(self._score(matrices.reshape(-1, self._classes, self._classes)))
        return scores[0], scores[1]

    def differences(self, counts: Floats) -> Floats:
        """Return the differences of both models' scores."""
        one, other = self.scores(counts)
        return np.asarray(one - other)

    def swapped(self, numbers: Floats) -> Floats:
        """Return the counts of all kinds, where this many rows of each swap are of its first kind."""
        counts = np.repeat(self.counts[None], len(numbers), axis=0)
        counts[:, self.first], counts[:, self.second] = numbers, self.sizes - numbers
        return counts

    def at(self, log_odds: Floats) -> Floats:
        """Return the counts that are expected if swaps fall out with some log-odds, a row for each."""
        return self.swapped(self.sizes * _shares(log_odds))

    @cached_property
    def slopes(self) -> Floats:
        """How much each swap counts for the metric, the largest 1; nan where the metric is undefined half-way."""
        step = np.concatenate([np.eye(len(self.sizes)), -np.eye(len(self.sizes))]) * _STEP
        up, down = np.split(self.differences(self.swapped(self.sizes * (0.5 + step))), 2)
        slopes = (up - down) / np.maximum(self.sizes, 1)
        largest = np.abs(slopes).max(initial=0.0)
        with np.errstate(all="ignore"):
            return np.where(np.abs(slopes) <= _NO_SLOPE * largest, 0.0, slopes / largest)

    @cached_property
    def counting(self) -> Any:
        """Which swaps count for the metric."""
        return self.slopes != 0

    def right(self, model: int) -> int:
        """Return in how many rows only one model is right, of those that count for the metric."""
        truth, *predicted = self._kinds
        kinds = (self.first, self.second)[model][self.counting]
        return int(self.counts[kinds][predicted[model][kinds] == truth[kinds]].sum())

    def by_class(self, log_odds: Floats) -> tuple[float, float]:
        """Return the log-odds of actual positives and of actual negatives, of two classes; 0 where none differ."""
        known = dict(zip(self._kinds[0][self.first].tolist(), log_odds.tolist(), strict=True))
        return known.get(1, 0.0), known.get(0, 0.0)

    def spread(self, log_odds: Floats) -> Floats:
        """Return the standard error of the expected difference that comes from the numbers of rows, for each row."""
        base, total = self.at(log_odds), self.counts.sum()
        shares, variance, mean = _shares(log_odds), 0.0, 0.0
        for count, added in self._parts(shares):
            step = max(0.01, 1e-6 * count)
            slope = (self.differences(base + step * added) - self.differences(base - step * added)) / (2 * step)
            variance, mean = variance + count * slope**2, mean + count * slope
        return np.sqrt(np.maximum(variance - mean**2 / total, 0.0))  # type: ignore[no-any-return]

    def _parts(self, shares: Floats) -> Any:
        """Yield how many rows there are of what swaps leave as it is, and what one more of them adds to the kinds."""
        for kind in self._same:
            if self.counts[kind]:
                added = np.zeros((len(shares), len(self.counts)))
                added[:, kind] = 1
                yield float(self.counts[kind]), added
        for i, size in enumerate(self.sizes):
            added = np.zeros((len(shares), len(self.counts)))
            added[:, self.first[i]], added[:, self.second[i]] = shares[:, i], 1 - shares[:, i]
            yield float(size), added


def _shares(log_odds: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-log_odds)))


class _DrawnSwaps(SwapLaw):
    """Swaps of rows of many classes, drawn at random."""

    tilts = False

    def __init__(self, swaps: _Swaps, rng: np.random.Generator, draws: int) -> None:
        self.method = f"monte carlo, {draws} draws"
        observed = float(swaps.differences(swaps.counts[None])[0])
        counts, together = np.zeros(3, dtype=np.int64), max(1, _CELLS_TOGETHER // max(1, 2 * swaps._classes**2))
        for start in range(0, draws, together):
            numbers = rng.binomial(swaps.sizes.astype(np.int64), 0.5, (min(together, draws - start), len(swaps.sizes)))
            off = swaps.differences(swaps.swapped(numbers.astype(np.float64))) - observed
            counts += [int((off < -1e-12).sum()), int((np.abs(off) <= 1e-12).sum()), int((off > 1e-12).sum())]
        self.undefined = 1 - int(counts.sum()) / draws
        # The data themselves are one of the ways.
        self._counts = counts + np.array([0, 1, 0])

    def split(self, positives: float = 0.0, negatives: float = 0.0) -> Split:
        below, equal, above = (self._counts / self._counts.sum()).tolist()
        return Split(below, equal, above)


class _Observed(NamedTuple):
    """What was found of two models before the interval: scores, why they are undefined, the law of swaps, the seed."""

    scores: tuple[float | None, ...]
    reasons: tuple[tuple[str, ...], ...]
    law: SwapLaw | None
    seed: int | None


def _compared(metric: Metric, swaps: _Swaps, seen: _Observed, level: float) -> PairedComparison:
    score_a, score_b = seen.scores
    differ = int(swaps.sizes[swaps.counting].sum())
    about = (metric.id, metric.label, int(swaps.counts.sum()), score_a, score_b, swaps.right(0), swaps.right(1), differ)
    notes = [
        undefined_score(f"{metric.label} of the {which} model", why)
        for which, why in zip(("first", "second"), seen.reasons, strict=True)
        if why
    ]
    if seen.law is None or score_a is None or score_b is None:
        return PairedComparison(*about, *(None,) * 5, "none", "none", level, notes=tuple(notes))
    p_value, mid_p = _two_sided(seen.law.split(), score_a - score_b)
    low, high, how = _interval(metric, swaps, seen.law, score_a - score_b, level)
    if seen.law.undefined > _NOTED_MASS:
        words = f"{metric.label} is undefined for some ways to swap predictions; chances are of the others"
        notes.append(Note("undefined_mass", words, {"undefined": seen.law.undefined}))
    notes += [] if seen.law.tilts else [not_exact(f"{seen.law.method}, seed {seen.seed}")]
    chances = (low, high, p_value, mid_p, min(1.0, 2.0 ** (1 - differ)), seen.law.method, how)
    return PairedComparison(*about, *chances, level, seen.law.undefined, seen.seed, tuple(notes))


def _two_sided(split: Split, difference: float) -> tuple[float, float]:
    """Return twice the tail on the side of the difference, at most 1: the law has the same tail on the other side."""
    tail = split.above if difference > 0 else split.below
    return min(1.0, 2 * (tail + split.equal)), min(1.0, 2 * (tail + split.equal / 2))


class _Tilt:
    """Swaps with odds that move together, by the metric's slopes: where the data lie, and where a tail is small."""

    def __init__(self, swaps: _Swaps, law: SwapLaw, observed: float, level: float) -> None:
        self._swaps, self._law, self._observed = swaps, law, observed
        self._slopes = swaps.slopes
        self._limit = _LARGEST_LOG_ODDS / float(np.abs(self._slopes[swaps.counting]).min())
        self._step = 2 / math.sqrt(float((swaps.sizes * self._slopes**2).sum()))
        self._tail = (1 - level) / 2
        self.level = level

    def log_odds(self, tilts: Any) -> Floats:
        return np.outer(tilts, self._slopes)

    def mean(self, tilt: float) -> float:
        """Return the difference that is expected at a tilt."""
        return float(self._swaps.differences(self._swaps.at(self.log_odds([tilt])))[0])

    @cached_property
    def middle(self) -> float:
        """The tilt at which the observed difference is expected."""
        return self._root(lambda tilt: self.mean(tilt) - self._observed, 0.0)

    def end(self, *, upper: bool) -> float:
        """Return the largest tilt, or the smallest, at which the data are not too far out."""
        beyond = self._beyond if self._law.tilts else self._beyond_normal
        return self._root(lambda tilt: beyond(tilt, upper=upper), self.middle)

    def _beyond(self, tilt: float, *, upper: bool) -> float:
        """Rise with the tilt, through 0 where the tail is as small as the level says."""
        split = self._law.split(*self._by_class(tilt))
        chance = split.equal + (split.below if upper else split.above)
        off = math.log(max(chance, 1e-300)) - math.log(self._tail)
        return -off if upper else off

    def _by_class(self, tilt: float) -> tuple[float, float]:
        return self._swaps.by_class(tilt * self._slopes)

    def _beyond_normal(self, tilt: float, *, upper: bool) -> float:
        from scipy.special import ndtri

        swaps, log_odds = self._swaps, self.log_odds([tilt])
        shares = _shares(log_odds)
        # A share moves by half of the smaller of it and its rest, so that no count is negative.
        step = np.eye(len(swaps.sizes)) * np.minimum(shares, 1 - shares) / 2
        both = np.concatenate([shares + step, shares - step])
        up, down = np.split(swaps.differences(swaps.swapped(swaps.sizes * both)), 2)
        with np.errstate(all="ignore"):
            slopes = np.nan_to_num((up - down) / (2 * np.diagonal(step) * swaps.sizes))
        spread = math.sqrt(float((swaps.sizes * shares[0] * (1 - shares[0]) * slopes**2).sum()))
        off = self.mean(tilt) - self._observed
        return off - float(ndtri(1 - self._tail)) * spread if upper else off + float(ndtri(1 - self._tail)) * spread

    def _root(self, rising: Callable[[float], float], start: float) -> float:
        """Return where something that rises is 0; the limit on that side where it never is."""
        near, value = start, rising(start)
        step = -self._step if value > 0 else self._step
        while True:
            far = max(-self._limit, min(self._limit, near + step))
            if far == near:
                return near
            if (rising(far) > 0) != (value > 0):
                return root(rising, near, far, xtol=1e-12, rtol=1e-12)
            near, step = far, 2 * step


def _interval(
    metric: Metric, swaps: _Swaps, law: SwapLaw, observed: float, level: float
) -> tuple[float | None, float | None, str]:
    """Return the ends of the difference's interval; none where no row differs or nothing can be said."""
    if not len(swaps.sizes) or not np.isfinite(swaps.slopes).all() or not swaps.counting.any():
        return None, None, "none"
    tilt = _Tilt(swaps, law, observed, level)
    ends = [_counted_in(tilt, swaps, observed, upper=upper) for upper in (False, True)]
    limits = metric.limits
    if limits.high is not None:
        widest = float(limits.high - limits.low)
        ends = [max(-widest, min(widest, end)) for end in ends]
    if not all(map(math.isfinite, ends)):
        return None, None, "none"
    return min(ends[0], observed), max(ends[1], observed), _TILTED if law.tilts else _TILTED_NORMAL


def _counted_in(tilt: _Tilt, swaps: _Swaps, observed: float, *, upper: bool) -> float:
    """Return an end with both uncertainties: which way rows fall, and how many rows of each sort there are.

    Both lie on a quarter of an ellipse between the data and the end of the tilted law. How many rows there are moves
    a difference by a factor, so that it keeps its sign: the interval holds 0 just where the test says so.
    """
    from scipy.special import ndtri

    tilts = np.linspace(tilt.end(upper=upper), tilt.middle, _POINTS)
    log_odds = tilt.log_odds(tilts)
    means = swaps.differences(swaps.at(log_odds))
    means[-1] = observed
    away = float(means[0] - observed)
    share = np.clip((means - observed) / away, 0.0, 1.0) if away else np.zeros(len(means))
    with np.errstate(all="ignore"):
        relative = np.where(means == 0, 0.0, swaps.spread(log_odds) / np.abs(means))
    factor = np.clip(float(ndtri((1 + tilt.level) / 2)) * relative * np.sqrt(1 - share**2), 0.0, 50.0)
    outwards = np.where((means > 0) == upper, factor, -factor)
    ends = means * np.exp(outwards)
    ends = ends[~np.isnan(ends)]
    return math.nan if not len(ends) else float(ends.max() if upper else ends.min())
