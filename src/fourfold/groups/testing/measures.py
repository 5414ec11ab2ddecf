"""What is compared between groups: a metric of a table, of one class against the rest, or of all classes at once."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np

from ...chance.draws import Floats
from ...errors import InputError, suggestion
from ...exact import CELLS, Formula
from ...metrics import Averaged, Limits, Metric, score_of
from ...metrics import metric as find_metric
from ...table import Matrix, Table
from .shares import Counted, Share, is_odds_ratio, share_of

Subject: TypeAlias = Table | Matrix

#: What is added to each cell before a spread is taken.
HALF: Final = 0.5
_OF_CLASS: Final = re.compile(r"(.+?)\s*\[(.*)\]\s*")
# Sums over a matrix that make its score a share of all cases.
_RIGHT_OF_ALL: Final = frozenset({"correct", "total"})


def size_of(cases: Subject) -> int:
    """Return how many cases there are."""
    return cases.total if isinstance(cases, Table) else int(cases.values.sum())


@dataclass(frozen=True)
class Measure:
    """A score that groups are compared by.

    `of_class` is the place of one class of several; without it, a metric of several classes is its own k-class form or
    an average.
    """

    id: str
    label: str
    metric: Metric
    labels: tuple[Hashable, ...] | None = None
    of_class: int | None = None

    @property
    def limits(self) -> Limits:
        """The smallest and largest value."""
        return self.metric.limits

    @property
    def widest(self) -> float:
        """The largest difference between two scores; infinite where a score has no upper limit."""
        low, high = self.limits.low, self.limits.high
        return math.inf if high is None else float(high - low)

    @cached_property
    def _over_classes(self) -> Formula | Averaged | None:
        """The metric's form for several classes; None where a table is all that is needed."""
        return None if self.labels is None or self.of_class is not None else self.metric.over_classes

    def table(self, subject: Subject) -> Table | None:
        """Return the fourfold table that decides the score; None where all cells of a matrix do."""
        if isinstance(subject, Table):
            return subject
        if self.of_class is not None:
            return subject.one_vs_rest()[self.of_class]
        form = self._over_classes
        if isinstance(form, Formula) and set(form.quantities) <= _RIGHT_OF_ALL:
            sums = subject.sums()
            return Table(tp=sums["correct"], fn=0, fp=sums["total"] - sums["correct"], tn=0)
        return None

    @cached_property
    def share(self) -> Share | None:
        """The score as x of k cases, where it is one."""
        form = self._over_classes
        of_table = form is None or (isinstance(form, Formula) and set(form.quantities) <= _RIGHT_OF_ALL)
        return share_of(self.metric) if of_table else None

    @property
    def is_odds_ratio(self) -> bool:
        """Whether the score is a ratio of two odds: tp times tn over fp times fn."""
        return self._over_classes is None and is_odds_ratio(self.metric)

    def counted(self, subject: Subject) -> Counted | None:
        """Return how many of how many cases decide the score; None where it is not a share."""
        table = self.table(subject) if self.share is not None else None
        return None if table is None or self.share is None else self.share.counted(table)

    def score(self, subject: Subject) -> tuple[float | None, tuple[str, ...]]:
        """Return the score, or None and why it is undefined."""
        table = self.table(subject)
        if table is not None:
            exact = self.metric.formula.exact(table.cells())
            return (None, self.metric.why_undefined(table)) if exact is None else (float(exact), ())
        assert isinstance(subject, Matrix)
        form = self.metric.over_classes
        average = form.average if isinstance(form, Averaged) else None
        score = score_of(subject, form.base if isinstance(form, Averaged) else self.metric, average)
        return (None, score.undefined) if score.undefined else (score.value, ())

    def cells(self, subject: Subject) -> list[int]:
        """Return the counts that the score is a function of."""
        table = self.table(subject)
        if table is not None:
            return list(table.cells().values())
        assert isinstance(subject, Matrix)
        return [int(count) for count in subject.values.ravel()]

    def decisive(self, cells: Floats) -> Floats:
        """Return the counts that decide the score of many groups, given all cells of these below each other."""
        if self.labels is None or not self._decided_by_table:
            return cells
        parts = _Classes(cells)
        if self.of_class is not None:
            return np.array([part[self.of_class] for part in parts.one_vs_rest.values()])
        right = parts.one_vs_rest["tp"].sum(axis=0)
        none = np.zeros_like(right)
        return np.array([right, none, parts.total - right, none])

    def values(self, cells: Floats) -> Floats:
        """Return the scores of many tables, whose counts stand below each other; nan where undefined."""
        if self._decided_by_table:
            return self.metric.formula.evaluate(dict(zip(CELLS, cells, strict=True)))
        return _Classes(cells).values(self.metric)

    def slopes(self, cells: Floats) -> Floats:
        """Return how the scores of many tables change with each of their counts."""
        if not self._decided_by_table:
            return _Classes(cells).slopes(self.metric)
        slopes = self.metric.formula.slopes(dict(zip(CELLS, cells, strict=True)))
        return np.array([np.broadcast_to(slopes.get(name, 0.0), cells.shape[1:]) for name in CELLS])

    def variances(self, cells: Floats) -> Floats:
        """Return how far a score of one case scatters, squared, after half a case was added to each cell.

        It is the delta method's: the variance of the score's slopes over the cases.
        """
        smoothed = cells + HALF
        with np.errstate(all="ignore"):
            total = smoothed.sum(axis=0)
            shares, pulls = smoothed / total, self.slopes(smoothed) * total
            return np.asarray((shares * pulls**2).sum(axis=0) - (shares * pulls).sum(axis=0) ** 2)

    @property
    def _decided_by_table(self) -> bool:
        return self._over_classes is None or self.share is not None


class _Classes:
    """Sums over many k-by-k matrices, whose cells stand below each other, row by row."""

    def __init__(self, cells: Floats) -> None:
        self.k = math.isqrt(len(cells))
        self.cells = cells.reshape(self.k, self.k, -1)
        self.actual, self.predicted = self.cells.sum(axis=1), self.cells.sum(axis=0)
        self.total = self.actual.sum(axis=0)
        right = self.cells[np.arange(self.k), np.arange(self.k)]
        wrong = self.total - self.actual - self.predicted + right
        self.one_vs_rest = {"tp": right, "fn": self.actual - right, "fp": self.predicted - right, "tn": wrong}

    @property
    def _pooled(self) -> dict[str, Floats]:
        return {name: part.sum(axis=0) for name, part in self.one_vs_rest.items()}

    @property
    def _sums(self) -> dict[str, Floats]:
        square, chance = self.total**2, (self.actual * self.predicted).sum(axis=0)
        return {
            "correct": self.one_vs_rest["tp"].sum(axis=0),
            "total": self.total,
            "chance": chance,
            "chance_wrong": square - chance,
            "split_actual": square - (self.actual**2).sum(axis=0),
            "split_predicted": square - (self.predicted**2).sum(axis=0),
        }

    def values(self, metric: Metric) -> Floats:
        """Return a metric of every matrix."""
        form = metric.over_classes
        if not isinstance(form, Averaged):
            assert form is not None, "has a form for k classes"
            return form.evaluate(self._sums)
        if form.average == "micro":
            return form.base.formula.evaluate(self._pooled)
        values = form.base.formula.evaluate(self.one_vs_rest)
        return np.asarray((self._weights(form) * values).sum(axis=0))

    def _weights(self, form: Averaged) -> Any:
        return self.actual / self.total if form.average == "weighted" else 1 / self.k

    def slopes(self, metric: Metric) -> Floats:
        """Return how a metric changes with each cell."""
        form = metric.over_classes
        if not isinstance(form, Averaged):
            assert form is not None, "has a form for k classes"
            return self._flat(self._of_sums(form.slopes(self._sums)))
        if form.average == "micro":
            return self._flat(self._of_pooled(form.base.formula.slopes(self._pooled)))
        return self._flat(self._of_average(form))

    def _flat(self, slopes: Floats) -> Floats:
        return np.broadcast_to(slopes, self.cells.shape).reshape(self.k * self.k, -1)

    @cached_property
    def _diagonal(self) -> Floats:
        return np.eye(self.k)[:, :, None]

    def _of_sums(self, slopes: dict[str, Any]) -> Floats:
        """Lead slopes in the sums back to the cells: a case in row i and column j changes each sum by so much."""
        crossed = self.predicted[:, None] + self.actual[None, :]
        changes = {
            "correct": self._diagonal,
            "total": 1.0,
            "chance": crossed,
            "chance_wrong": 2 * self.total - crossed,
            "split_actual": 2 * (self.total - self.actual)[:, None],
            "split_predicted": 2 * (self.total - self.predicted)[None, :],
        }
        return np.asarray(sum(slope * changes[name] for name, slope in slopes.items()))

    def _of_pooled(self, slopes: dict[str, Any]) -> Floats:
        tp, fn, fp, tn = (slopes.get(name, 0.0) for name in CELLS)
        return np.asarray(self._diagonal * (tp - fn - fp + tn) + fn + fp + (self.k - 2) * tn)

    def _of_average(self, form: Averaged) -> Floats:
        """Lead slopes of each class back: row i and column j is missed by i, a false alarm of j, neither of others."""
        weights = self._weights(form)
        slopes = form.base.formula.slopes(self.one_vs_rest)
        tp, fn, fp, tn = (weights * slopes.get(name, np.zeros_like(self.actual)) for name in CELLS)
        others = tn.sum(axis=0)
        wrong = (fn - tn)[:, None] + (fp - tn)[None, :] + others
        right = (tp - tn)[:, None] + others
        total = self._diagonal * right + (1 - self._diagonal) * wrong
        if form.average == "weighted":
            values = form.base.formula.evaluate(self.one_vs_rest)
            total = total + ((values - (weights * values).sum(axis=0)) / self.total)[:, None]
        return np.asarray(total)


def measures(names: Sequence[str | Metric], labels: tuple[Hashable, ...] | None = None) -> dict[str, Measure]:
    """Return what names mean for tables, or for matrices of some classes, by their ids.

    ``recall[cat]`` is a metric of one class. Of several classes, a metric that has no form of its own for them stands
    for all classes, one by one.
    """
    by_id: dict[str, Measure] = {}
    for name in names:
        by_id.update({measure.id: measure for measure in _measures(name, labels)})
    return by_id


def measure(name: str | Metric, labels: tuple[Hashable, ...] | None = None) -> Measure:
    """Return what one name means; where it stands for all classes one by one, which must be said."""
    candidates = _measures(name, labels)
    if len(candidates) > 1:
        hint = f"ask for {candidates[0].id}, or an average such as macro_{candidates[0].metric.id}"
        raise InputError("bad_metric", "metric", "is a score of one class", candidates[0].metric.id, hint)
    return candidates[0]


def _measures(name: str | Metric, labels: tuple[Hashable, ...] | None) -> list[Measure]:
    match = _OF_CLASS.fullmatch(name) if isinstance(name, str) else None
    metric = find_metric(match[1] if match else name)
    if labels is None:
        if match:
            hint = "leave the brackets out: with two classes a score is that of the positive one"
            raise InputError("bad_metric", "metric", "names a class, and these are tables of two", name, hint)
        return [Measure(metric.id, metric.label, metric)]
    if match:
        return [_of_class(metric, labels, _place(match[2], labels))]
    if metric.over_classes is not None:
        return [Measure(metric.id, metric.label, metric, labels)]
    return [_of_class(metric, labels, i) for i in range(len(labels))]


def _of_class(metric: Metric, labels: tuple[Hashable, ...], place: int) -> Measure:
    name = labels[place]
    return Measure(f"{metric.id}[{name}]", f"{metric.label} of {name}", metric, labels, place)


def _place(name: str, labels: tuple[Hashable, ...]) -> int:
    texts = [str(label) for label in labels]
    if name not in texts:
        hint = suggestion(name, texts, f"the classes are {', '.join(texts[:6])}")
        raise InputError("bad_label", "metric", "names a class that is not there", name, hint)
    return texts.index(name)
