"""However it was averaged: which scores can be averages over parts of any kind.

If scores are averages with common weights over folds, runs, splits, images or data sets, their vector lies in the
convex hull of the score vectors of single tables. So no average whatever gives a report if some weighted sum of the
scores is larger everywhere in its box than in any table. A linear programme finds the weights. They are then checked
without it: over boxes of tables the weighted sum is bounded from above, rounded outward, and boxes are halved until the
bound is low enough. A table is given by shares, so all sizes are covered at once.

An undefined score is covered whether it counted as 0, as 1 or was left out. That of one rate is: tables near to where
it is undefined have every value it can be given, and what was left out counts as the mean of the others. F1 and Jaccard
index are made of rates that are undefined wherever they are. Other scores may have any value in a box of tables that
holds one in which they are undefined, or are taken from one class alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from .problem import Floats

# Ends of scores are rounded outward by so much. Rates of a box are off by some units in the last place, relative to
# their size: one less a float from 0.5 to 1 is exact. The root of what that leaves of a difference is below 5e-8. What
# adding up weighted scores rounds off is far less than the weights times this.
_OUTWARD: Final = 1e-7
# Nearer than this, in half widths of the box, is in it; boxes are not taken to be narrower.
_NEAR: Final = 1e-9
# The programme starts with tables of these shares; more are added where the weighted sum is largest.
_GRID: Final = np.array([0.001, 0.04, 0.12, 0.25, 0.4, 0.6, 0.75, 0.88, 0.96, 0.999])
_MOST_ROUNDS: Final = 12
# So many boxes are looked at for one report: about half a second.
_MOST_BOXES: Final = 200_000
# A mixture that is found lies so far inside of the box, in half widths of it, or less if it must.
_WELL_INSIDE: Final = 0.5
# A share of cases that is next to none.
_TINY: Final = 1e-9
# Of the points of a programme one in so many is taken at first, and at most so many are brought in at once.
_SPARED, _BROUGHT = 16, 24
# No score is as large.
_BEYOND: Final = 2.0
# Tables in which nearly all cases are of one cell are described by what the others are.
_CORNER: Final = 1 / 32


class Rates(NamedTuple):
    """What scores are made of, over some tables: the least or the largest value of each."""

    ppv: Any
    tpr: Any
    tnr: Any
    npv: Any
    prevalence: Any
    accuracy: Any


_Form: TypeAlias = Callable[[Rates], Any]


def _harmonic(one: Any, other: Any) -> Any:
    return 2 / (1 / np.maximum(one, 1e-300) + 1 / np.maximum(other, 1e-300))


def _mcc(r: Rates) -> Any:
    right, wrong = r.ppv * r.tpr * r.tnr * r.npv, (1 - r.ppv) * (1 - r.tpr) * (1 - r.tnr) * (1 - r.npv)
    return np.sqrt(np.maximum(right, 0)) - np.sqrt(np.maximum(wrong, 0))


# Scores that rise with each of the rates they are made of.
_RISING: Final[Mapping[str, _Form]] = {
    "accuracy": lambda r: r.accuracy,
    "weighted_recall": lambda r: r.accuracy,
    "prevalence": lambda r: r.prevalence,
    "recall": lambda r: r.tpr,
    "specificity": lambda r: r.tnr,
    "precision": lambda r: r.ppv,
    "negative_predictive_value": lambda r: r.npv,
    "f1": lambda r: _harmonic(r.ppv, r.tpr),
    "f1_negative": lambda r: _harmonic(r.tnr, r.npv),
    "jaccard": lambda r: 1 / (2 / np.maximum(_harmonic(r.ppv, r.tpr), 1e-300) - 1),
    "fowlkes_mallows": lambda r: np.sqrt(r.ppv * r.tpr),
    "g_mean": lambda r: np.sqrt(r.tpr * r.tnr),
    "balanced_accuracy": lambda r: (r.tpr + r.tnr) / 2,
    "macro_recall": lambda r: (r.tpr + r.tnr) / 2,
    "macro_specificity": lambda r: (r.tpr + r.tnr) / 2,
    "informedness": lambda r: r.tpr + r.tnr - 1,
    "markedness": lambda r: r.ppv + r.npv - 1,
    "macro_precision": lambda r: (r.ppv + r.npv) / 2,
    "macro_f1": lambda r: (_harmonic(r.ppv, r.tpr) + _harmonic(r.tnr, r.npv)) / 2,
    "mcc": _mcc,
}
# Scores that are one less another.
_FALLING: Final[Mapping[str, str]] = {
    "inaccuracy": "accuracy",
    "negative_prevalence": "prevalence",
    "false_negative_rate": "recall",
    "false_positive_rate": "specificity",
    "false_discovery_rate": "precision",
    "false_omission_rate": "negative_predictive_value",
}
# Averages of a score of each class by the size of the class: of the positive class, and of the other.
_WEIGHTED: Final[Mapping[str, tuple[_Form, _Form]]] = {
    "weighted_precision": (lambda r: r.ppv, lambda r: r.npv),
    "weighted_f1": (lambda r: _harmonic(r.ppv, r.tpr), lambda r: _harmonic(r.tnr, r.npv)),
    "weighted_specificity": (lambda r: r.tnr, lambda r: r.tpr),
}


def _lacking(low: Rates, high: Rates) -> dict[str, Any]:
    """Tell which boxes hold tables without cases of a class, or without a case that is called so.

    A table lacks what is called positive if it lacks tp and fp, and so on.
    """
    positives, negatives = low.prevalence <= 0, high.prevalence >= 1
    called_positive = (positives | (low.tpr <= 0)) & (negatives | (high.tnr >= 1))
    called_negative = (positives | (high.tpr >= 1)) & (negatives | (low.tnr <= 0))
    a_class, a_call = positives | negatives, called_positive | called_negative
    one_alone = (positives & called_positive) | (negatives & called_negative)
    return {"class": a_class, "call": a_call, "either": a_class | a_call, "all but one cell": one_alone}


# Scores that may be anything where a part lacks something: they are undefined there while others are not, or some tools
# take them from one class alone.
_LOOSE: Final[Mapping[str, str]] = {
    "balanced_accuracy": "class",
    "macro_recall": "class",
    "macro_specificity": "class",
    "weighted_specificity": "class",
    "informedness": "class",
    "g_mean": "class",
    "macro_f1": "class",
    "markedness": "call",
    "weighted_precision": "call",
    "macro_precision": "either",
    "fowlkes_mallows": "either",
    "mcc": "either",
    "kappa": "all but one cell",
}
_SIGNED: Final = frozenset({"informedness", "markedness", "mcc", "kappa"})
#: Scores of which averages are known.
AVERAGED: Final = frozenset({*_RISING, *_FALLING, *_WEIGHTED, "kappa"})


class Part(NamedTuple):
    """A table as shares, and how much it counts in an average."""

    weight: float
    prevalence: float
    tpr: float
    fpr: float


# A score, and two others that it cannot exceed or fall short of in any average.
_PAIRS: Final = (
    ("f1", "precision", "recall"),
    ("f1_negative", "negative_predictive_value", "specificity"),
    ("macro_f1", "macro_precision", "macro_recall"),
    ("weighted_f1", "weighted_precision", "weighted_recall"),
    ("accuracy", "recall", "specificity"),
)
_F1_OF_A_CLASS: Final = ("f1", "f1_negative")


class Limit(NamedTuple):
    """A score that no average has beside two others: it would be above or below what they allow."""

    score: str
    one: str
    other: str
    value: float
    above: bool


@dataclass(frozen=True)
class Refuted:
    """Weights of scores, and how large the weighted sum can be and would have to be."""

    weights: tuple[float, ...]
    largest: float
    needed: float


class Averages:
    """All averages of some scores over parts whose share of positives lies between two numbers."""

    def __init__(self, scores: Sequence[str], low: Sequence[float] | Floats, high: Sequence[float] | Floats) -> None:
        self.scores = tuple(scores)
        self.low, self.high = np.array(low, dtype=float), np.array(high, dtype=float)
        self._left = _MOST_BOXES
        self._at = {score: (float(a), float(b)) for score, a, b in zip(self.scores, self.low, self.high, strict=True)}

    def without_f1_of_means(self) -> Averages:
        """Leave out each F1 that may have been computed from averages of precision and recall, printed or not.

        It is at least the mean of F1 then, and can be far above what the other scores allow for that.
        """
        at, kept = self._at, dict(self._at)
        for f1, one, other in _PAIRS:
            (a, b), (c, d) = at.get(one, (0.0, 1.0)), at.get(other, (0.0, 1.0))
            if f1 in at and f1 != "accuracy" and _harmonic(a, c) <= at[f1][1] and at[f1][0] <= _harmonic(b, d):
                del kept[f1]
        return Averages(tuple(kept), [low for low, _ in kept.values()], [high for _, high in kept.values()])

    def known_limit(self) -> Limit | None:
        """Return a limit that holds in every average whatever, and that the report breaks; None if it breaks none.

        The harmonic mean is concave, so the mean of F1 is at most the F1 of the means; and a table whose precision and
        recall are nearly one has an F1 of nearly one. Of accuracy, recall and specificity the same holds by counting.
        """
        at = self._at
        for score, one, other in _PAIRS:
            if score in at and one in at and other in at:
                (low, high), (a, b), (c, d) = at[score], at[one], at[other]
                least, most = max(0.0, a + c - 1), min(1.0, b + d) if score == "accuracy" else _harmonic(b, d)
                if low > most + _NEAR:
                    return Limit(score, one, other, float(most), above=True)
                if high < least - _NEAR:
                    return Limit(score, one, other, float(least), above=False)
        return None

    def decide(self, least: float = 0.0, most: float = 1.0) -> tuple[Part, ...] | Refuted | None:
        """Return parts whose average is in the box, what refutes all averages, or None where neither is found."""
        if self.known_limit() is not None:
            return Refuted((), 0.0, 0.0)
        tables = np.array(list(product(least + (most - least) * _GRID, _GRID, _GRID)))
        if least < _CORNER or most > 1 - _CORNER:
            tables = np.vstack([tables, _corner_tables(least, most)])
        points, filled, self._left = self.values(tables), self._filled(least, most), _MOST_BOXES
        for _ in range(_MOST_ROUNDS):
            distance, amounts, weights = _separated(points, self.low, self.high)
            if distance is not None and distance <= _NEAR:
                return tuple(Part(float(amounts[i]), *map(float, tables[i])) for i in np.flatnonzero(amounts > 1e-9))
            if len(filled):
                distance, _, weights = _separated(np.vstack([points, filled]), self.low, self.high)
            if distance is None or distance <= _NEAR:
                return None
            needed = float(np.where(weights > 0, weights * self.low, weights * self.high).sum())
            largest, more = self.largest(weights, needed, least, most)
            if largest is not None:
                return Refuted(tuple(weights.tolist()), largest, needed)
            if not len(more):
                return None
            tables, points = np.vstack([tables, more]), np.vstack([points, self.values(more)])
        return None

    def _filled(self, least: float, most: float) -> Floats:
        """Return what parts may count as in which loose scores are undefined, at the ends of these scores."""
        places = [place for place, score in enumerate(self.scores) if score in _LOOSE]
        rates = np.concatenate([[_TINY], _GRID, [1 - _TINY]])
        tables = np.vstack(
            [list(product(least + (most - least) * rates, rates, rates)), _corner_tables(0.0, 1.0, _TINY)]
        )
        tables = tables[(tables[:, 0] >= least - _TINY) & (tables[:, 0] <= most + _TINY)]
        near = Rates(*(np.round(rate, 6) for rate in _of_shares(*tables.T)))
        lacking, values = _lacking(near, near), self.values(tables)
        own = [(place, lacking[_LOOSE[self.scores[place]]]) for place in places]
        some = np.any([np.zeros(len(tables), dtype=bool), *(there for _, there in own)], axis=0)
        filled = [np.zeros((0, len(self.scores)))]
        for chosen in product((0, 1), repeat=len(own)) if some.any() else ():
            points = values.copy()
            for (place, there), end in zip(own, chosen, strict=True):
                points[there, place] = _limits(self.scores[place])[end]
            filled.append(points[some])
        return np.unique(np.vstack(filled).round(6), axis=0)

    def largest(self, weights: Floats, needed: float, least: float, most: float) -> tuple[float | None, Floats]:
        """Return a bound of the weighted sum below what is needed, or None and tables where it is large."""
        tops = [-np.inf]

        def top(chart: _Chart, boxes: Floats) -> Floats:
            held, low, high = self._reach(chart, boxes, least, most)
            return np.where(held, np.where(weights > 0, weights * high, weights * low).sum(axis=1), -np.inf)

        for chart, boxes in _charts(least, most):
            bound = top(chart, boxes)
            while len(boxes):
                done = bound < needed
                tops.append(float(bound[done].max(initial=-np.inf)))
                boxes, bound = boxes[~done], bound[~done]
                if not len(boxes):
                    break
                tables = chart.tables((boxes[:, :3] + boxes[:, 3:])[np.argsort(-bound)[:200]] / 2)
                tables = tables[(tables[:, 0] >= least) & (tables[:, 0] <= most)]
                along = self.values(tables) @ weights
                above = np.argsort(-along)[:6]
                if len(tables) and along[above[0]] >= needed:
                    return None, tables[above]
                # A round costs as much as fifty boxes, however few are left.
                self._left -= 6 * (len(boxes) + 50)
                if self._left < 0:
                    return None, np.zeros((0, 3))
                halves = [_halved(boxes, axis) for axis in range(3)]
                bounds = np.stack([top(chart, pair).reshape(2, -1) for pair in halves])
                best = bounds.clip(needed).sum(axis=1).argmin(axis=0)
                rows = np.arange(len(boxes))
                boxes = np.stack([pair.reshape(2, -1, 6) for pair in halves])[best, :, rows].reshape(-1, 6)
                bound = bounds[best, :, rows].reshape(-1)
        return max(tops), np.zeros((0, 3))

    def no_quantile(self, least: float = 0.0, most: float = 1.0) -> bool:
        """Tell whether medians, bests and worsts are refuted too.

        They are if one score is held down by another in every table: by a line that rises with it. Whatever rank of the
        parts is looked at, the one score is then held down by the other at this rank, and so are means of two ranks,
        as the median of an even number of parts is one.
        """
        ends = list(zip(self.scores, self.low, self.high, strict=True))
        return self.beyond_quantiles() or any(
            isinstance(Averages((one, other), (low, -_BEYOND), (_BEYOND, high)).decide(least, most), Refuted)
            for (one, low, _), (other, _, high) in permutations(ends, 2)
        )

    def beyond_quantiles(self) -> bool:
        """Tell whether an F1 is too high beside a precision or a recall, for classes and parts of any number.

        Or a score is given twice, and differently.

        Of one class F1 is at most 2 P / (1 + P), which is concave and rises: so the same holds of averages over classes
        and parts, and of medians of them. Of two classes the macro F1 is at most what that gives for (1 + P) / 2, which
        the macro precision is at most, also where it was computed from averages.
        """
        at = self._at
        pairs = [(f1, rate, at.get(rate, (0.0, 1.0))[1]) for f1, *rates in _PAIRS if f1 != "accuracy" for rate in rates]
        pairs += [("macro_f1", rate, (1 + most) / 2) for f1, rate, most in pairs if f1 in _F1_OF_A_CLASS]
        contradicted = bool((self.low > self.high).any())
        return contradicted or any(
            f1 in at and rate in at and at[f1][0] > 2 * most / (1 + most) + _OUTWARD for f1, rate, most in pairs
        )

    def values(self, tables: Floats) -> Floats:
        """Return the scores of tables, given by their share of positives and both rates of calling positive."""
        rates = _of_shares(*tables.T)
        return np.column_stack([_range(score, rates, rates)[0] for score in self.scores])

    def _reach(self, chart: _Chart, boxes: Floats, least: float, most: float) -> tuple[Floats, Floats, Floats]:
        """Tell which boxes hold tables, and return the least and the largest value of each score in them."""
        low, high, inside = chart.rates(boxes)
        held = (low.prevalence <= most + _NEAR) & (high.prevalence >= least - _NEAR) & inside
        lacking, ends = _lacking(low, high), []
        for score in self.scores:
            least_value, most_value = _range(score, low, high)
            if score in _LOOSE:
                loose, (bottom, top) = lacking[_LOOSE[score]], _limits(score)
                least_value, most_value = np.where(loose, bottom, least_value), np.where(loose, top, most_value)
            ends.append((least_value, most_value))
        return held, np.column_stack([a for a, _ in ends]) - _OUTWARD, np.column_stack([b for _, b in ends]) + _OUTWARD


def _range(score: str, low: Rates, high: Rates) -> tuple[Any, Any]:
    """Return the least and the largest value of a score, where its rates lie between others."""
    if score in _FALLING:
        least, most = _range(_FALLING[score], low, high)
        return 1 - most, 1 - least
    if score in _RISING:
        return _RISING[score](low), _RISING[score](high)
    if score not in _WEIGHTED:
        return _kappa(low, high)
    ends = [
        [s * form(r) + (1 - s) * other(r) for s in (low.prevalence, high.prevalence)]
        for r, (form, other) in ((r, _WEIGHTED[score]) for r in (low, high))
    ]
    return np.minimum(*ends[0]), np.maximum(*ends[1])


def _limits(score: str) -> tuple[float, float]:
    return (-1.0, 1.0) if score in _SIGNED else (0.0, 1.0)


def _kappa(low: Rates, high: Rates) -> tuple[Any, Any]:
    """Return the range of kappa, two (1 - odds of errors) over what chance expects; near to no rate it may be all."""
    with np.errstate(all="ignore"):
        top = [2 * (1 - (1 / r.ppv - 1) * (1 / r.npv - 1)) for r in (low, high)]
        bottom = [1 / (r.ppv * r.tnr) + 1 / (r.tpr * r.npv) for r in (high, low)]
        ends = [a / b for a in top for b in bottom]
        least, most = np.min(ends, axis=0), np.max(ends, axis=0)
    # Where a rate is nearly none, floats lose too much. Kappa is at most the F1 of either class.
    sure = np.isfinite(least) & np.isfinite(most) & (np.minimum(low.ppv, low.npv) > 1e-6)
    limit = np.minimum(_harmonic(high.ppv, high.tpr), _harmonic(high.npv, high.tnr))
    return np.where(sure, np.maximum(least, -1), -1.0), np.where(sure, np.minimum(most, limit), limit)


def _share(part: Any, rest: Any, otherwise: float) -> Any:
    """Return part / (part + rest), and what to take where both are zero."""
    with np.errstate(all="ignore"):
        value = part / (part + rest)
    return np.where(np.isnan(value), otherwise, value)


def _of_shares(s: Any, t: Any, f: Any) -> Rates:
    ppv, npv = _share(s * t, (1 - s) * f, 0.5), _share((1 - s) * (1 - f), s * (1 - t), 0.5)
    return Rates(ppv, t, 1 - f, npv, s, s * t + (1 - s) * (1 - f))


class _Chart:
    """Tables by their share of positives and both rates of calling positive; those in a corner are left to others."""

    def rates(self, boxes: Floats) -> tuple[Rates, Rates, Any]:
        """Return the least and the largest rates in boxes, and which of them are described this way."""
        s0, t0, f0, s1, t1, f1 = boxes.T
        # Precision rises with the share and with the first rate, and falls with the second; the other one does not.
        ppv = _share(s0 * t0, (1 - s0) * f1, 0), _share(s1 * t1, (1 - s1) * f0, 1)
        npv = _share((1 - s1) * (1 - f1), s1 * (1 - t0), 0), _share((1 - s0) * (1 - f0), s0 * (1 - t1), 1)
        accuracy = [s * t + (1 - s) * (1 - f) for s in (s0, s1) for t, f in ((t0, f1), (t1, f0))]
        low = Rates(ppv[0], t0, 1 - f1, npv[0], s0, np.minimum(accuracy[0], accuracy[2]))
        high = Rates(ppv[1], t1, 1 - f0, npv[1], s1, np.maximum(accuracy[1], accuracy[3]))
        of_negatives = s1 + (1 - s1) * f1 < _CORNER
        of_positives = (1 - s0) + s0 * (1 - t0) < _CORNER
        return low, high, ~(of_negatives | of_positives)

    def tables(self, middles: Floats) -> Floats:
        return middles


class _Corner(_Chart):
    """Tables nearly all of whose cases are true negatives, or true positives if it is `mirrored`.

    They are given by the share of all other cases, and by two rates: precision and recall, or those of negatives.
    """

    def __init__(self, *, mirrored: bool) -> None:
        self.mirrored = mirrored

    def rates(self, boxes: Floats) -> tuple[Rates, Rates, Any]:
        m0, p0, r0, m1, p1, r1 = boxes.T
        missed = _share(p0 * (1 - r1), r1, 0), _share(p1 * (1 - r0), r0, 1)
        alarms = _share(r0 * (1 - p1), p1, 0), _share(r1 * (1 - p0), p0, 1)
        # Of the other cases so many are true positives, at least and at most.
        right = 1 / np.maximum(_odds(p0) + _odds(r0) - 1, 1), 1 / np.maximum(_odds(p1) + _odds(r1) - 1, 1)
        tnr = (1 - m1) / (1 - m1 + m1 * alarms[1]), (1 - m0) / (1 - m0 + m0 * alarms[0])
        npv = (1 - m1) / (1 - m1 + m1 * missed[1]), (1 - m0) / (1 - m0 + m0 * missed[0])
        share = m0 * (1 - alarms[1]), m1 * (1 - alarms[0])
        accuracy = 1 - m1 * (1 - right[0]), 1 - m0 * (1 - right[1])
        low = Rates(p0, r0, tnr[0], npv[0], share[0], accuracy[0])
        high = Rates(p1, r1, tnr[1], npv[1], share[1], accuracy[1])
        if self.mirrored:
            # Precision becomes the predictive value of negatives, recall specificity.
            low, high = (Rates(e.npv, e.tnr, e.tpr, e.ppv, 1 - other.prevalence, e.accuracy)
                         for e, other in ((low, high), (high, low)))  # fmt: skip
        return low, high, True

    def tables(self, middles: Floats) -> Floats:
        m, p, r = middles.T
        right = m / (_odds(p) + _odds(r) - 1)
        fp, fn = right * (_odds(p) - 1), right * (_odds(r) - 1)
        tp, tn = (1 - m, right) if self.mirrored else (right, 1 - m)
        fp, fn = (fn, fp) if self.mirrored else (fp, fn)
        return np.column_stack([tp + fn, tp / (tp + fn), fp / (fp + tn)])


def _odds(rate: Any) -> Any:
    with np.errstate(all="ignore"):
        return 1 / rate


def _charts(least: float, most: float) -> list[tuple[_Chart, Floats]]:
    """Return the ways to describe tables, each with the box of those it is for."""
    corner = np.array([[0.0, 0.0, 0.0, _CORNER, 1.0, 1.0]])
    charts: list[tuple[_Chart, Floats]] = [(_Chart(), np.array([[least, 0.0, 0.0, most, 1.0, 1.0]]))]
    if least < _CORNER:
        charts.append((_Corner(mirrored=False), corner))
    if most > 1 - _CORNER:
        charts.append((_Corner(mirrored=True), corner))
    return charts


def _corner_tables(least: float, most: float, *shares: float) -> Floats:
    boxes = np.array(list(product(shares or (1e-4, _CORNER / 2), _GRID, _GRID)))
    tables = np.vstack([_Corner(mirrored=mirrored).tables(boxes) for mirrored in (False, True)])
    return tables[(tables[:, 0] >= least) & (tables[:, 0] <= most)]


def _halved(boxes: Floats, axis: Any) -> Floats:
    """Cut boxes in two across a side: the lower halves, then the upper ones."""
    rows = np.arange(len(boxes))
    middle = (boxes[rows, axis] + boxes[rows, axis + 3]) / 2
    lower, upper = boxes.copy(), boxes.copy()
    lower[rows, axis + 3] = middle
    upper[rows, axis] = middle
    return np.vstack([lower, upper])


def _separated(points: Floats, low: Floats, high: Floats) -> tuple[float | None, Floats, Floats]:
    """Return how far the box is from all mixtures of points, the nearest mixture, and weights that tell them apart.

    Distances are in half widths of the box, and negative inside of it. The programme starts with some of the points;
    those are brought in that its dual asks for, until it asks for none.
    """
    from scipy.optimize import linprog

    units = np.maximum((high - low) / 2, _NEAR)
    scaled, width, amounts = points / units, points.shape[1], np.zeros(len(points))
    used = np.unique(np.concatenate([np.arange(0, len(points), _SPARED), points.argmin(axis=0), points.argmax(axis=0)]))
    while True:
        rows = np.hstack([np.vstack([scaled[used].T, -scaled[used].T]), -np.ones((2 * width, 1))])
        result = linprog(
            np.append(np.zeros(len(used)), 1.0), A_ub=rows, b_ub=np.concatenate([high / units, -low / units]),
            A_eq=np.append(np.ones(len(used)), 0.0)[None], b_eq=[1.0],
            bounds=[*[(0, None)] * len(used), (-_WELL_INSIDE, None)],
        )  # fmt: skip
        if result.status != 0:
            return None, np.zeros(0), np.zeros(0)
        y = -result.ineqlin.marginals
        weights = y[width:] - y[:width]
        along = scaled @ weights
        more = np.flatnonzero(along > along[used].max() + _NEAR * (1 + np.abs(weights).sum()))
        if not len(more) or result.x[-1] <= -_WELL_INSIDE + _NEAR:
            amounts[used] = result.x[:-1]
            return float(result.x[-1]), amounts, weights / units
        used = np.union1d(used, more[np.argsort(-along[more])[:_BROUGHT]])
