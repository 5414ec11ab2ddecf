"""Metrics of tables and matrices: the catalogue's formulas, read on data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, Notes, verbatim
from ..exact import reasons
from ..exact.surd import Exact
from ..shape import Members, Record, Result, finite, joined, optional
from ..table import Labels, Matrix, Table, Tables
from .catalogue import AVERAGES, METRICS, WORDS, Average, Averaged, Contrast, Limits, Metric, MetricId, find
from .catalogue import metric as find_metric


@overload
def score(data: Table, metric: str | Metric | Contrast, *, against: Table | None = None) -> float: ...
@overload
def score(data: Tables, metric: str | Metric) -> NDArray[np.float64]: ...
@overload
def score(data: Matrix, metric: str | Metric, *, average: Average) -> float: ...
@overload
def score(data: Matrix, metric: str | Metric, *, average: None = ...) -> Any: ...


def score(
    data: Table | Tables | Matrix,
    metric: str | Metric | Contrast,
    *,
    average: Average | None = None,
    against: Table | None = None,
) -> Any:
    """Return a metric of a table, of many tables, or of a k-by-k matrix; nan where it is undefined.

    Parameters
    ----------
    data
        A `Table`, `Tables` or `Matrix`.
    metric
        An id or alias.
    average
        "macro", "micro" or "weighted" over one class against the rest. If left out, a `Matrix` gives the metric's form
        for k classes where it has one, else an array with a value for each class.
    against
        The other group's table, for a measure of two groups.

    Examples
    --------
    >>> round(score(Table(tp=45, fn=5, fp=10, tn=40), "mcc"), 4)
    0.7035
    >>> score(Table(tp=0, fn=0, fp=10, tn=40), "recall")
    nan
    >>> score(Matrix.from_labels([0, 1, 2, 2], [0, 2, 2, 2]), "recall", average="macro")
    0.6666666666666666
    >>> score(Table(tp=3, fn=1, fp=2, tn=4), "recall_difference", against=Table(tp=1, fn=1, fp=0, tn=2))
    0.25
    """
    entry = find(metric)
    if isinstance(entry, Contrast) or against is not None:
        return _number(_compare(data, entry, against))
    if average is not None:
        average, entry = _average(average), _not_averaged(entry)
    if isinstance(data, Matrix):
        if average is not None or entry.over_classes is not None:
            return _of_matrix(data, entry, average)[0]
        return entry.formula.evaluate(data.one_vs_rest().cells())
    formula = entry.formula if average is None else entry.averaged(average).formula
    if isinstance(data, Table):
        return _number(formula.exact(data.cells()))
    if isinstance(data, Tables):
        return formula.evaluate(data.cells())
    raise InputError("ambiguous", "data", "must be a Table, Tables or Matrix", data, _BUILD_A_TABLE)


_BUILD_A_TABLE: Final = "build a Table; from four numbers with Table.from_matrix(..., order='tn fp fn tp')"


def _compare(data: object, metric: Metric | Contrast, against: Table | None) -> Exact | None:
    if isinstance(metric, Metric):
        hint = f"try '{metric.id}_difference' or '{metric.id}_ratio', or leave against= out"
        raise InputError("bad_metric", "metric", "is a score of one group", metric.id, hint)
    if not isinstance(data, Table) or not isinstance(against, Table):
        hint = "give one group's Table first and the other's with against="
        raise InputError("bad_metric", "against", f"{metric.id} compares two tables", against, hint)
    return metric.value(data, against)


def _not_averaged(metric: Metric) -> Metric:
    if isinstance(metric.over_classes, Averaged) and metric.id not in METRICS:
        hint = f"leave the average out, or ask for {metric.over_classes.base.id}"
        raise InputError("bad_metric", "metric", "is an average already", metric.id, hint)
    return metric


def _average(average: str) -> Average:
    for known in AVERAGES:
        if average == known:
            return known
    raise InputError("bad_option", "average", "unknown average", average, f"one of {', '.join(AVERAGES)}")


def _number(value: Exact | None) -> float:
    return math.nan if value is None else float(value)


def _of_matrix(matrix: Matrix, metric: Metric, average: Average | None) -> tuple[float, tuple[str, ...]]:
    """Return a metric's average over the classes, or its own k-class value, and why where it is undefined."""
    form = metric.over_classes
    if average is not None:
        return _averaged(matrix, metric, average)
    if isinstance(form, Averaged):
        return _averaged(matrix, form.base, form.average)
    assert form is not None
    sums = matrix.sums()
    return _number(form.exact(sums)), reasons(form, sums)


def _averaged(matrix: Matrix, metric: Metric, average: Average) -> tuple[float, tuple[str, ...]]:
    """Return an average over one class against the rest and, where undefined, why."""
    tables = matrix.one_vs_rest()
    if average == "micro":
        pooled = {name: Fraction(0) + sum(map(Fraction, part.tolist())) for name, part in tables.cells().items()}
        return _number(metric.formula.exact(pooled)), reasons(metric.formula, pooled, WORDS)
    values = metric.formula.evaluate(tables.cells())
    why = tuple(
        f"class {matrix.labels[i]!r}: {words}"
        for i in np.flatnonzero(np.isnan(values))
        for words in reasons(metric.formula, {name: part[i].item() for name, part in tables.cells().items()}, WORDS)
    )
    weights = tables.tp + tables.fn if average == "weighted" else np.ones(len(tables))
    total = math.fsum(weights)
    if why or not total:
        return math.nan, why or ("no cases at all",)
    return math.fsum(weights * values) / total, ()


def _why(reasons: tuple[str, ...]) -> str | None:
    return joined(reasons) or None


@dataclass(frozen=True)
class Score(Record):
    """One metric's value, with the exact number behind it or the reason why there is none."""

    metric: MetricId
    label: Annotated[str, "The metric's name for readers."]
    value: Annotated[float, "The value; null where it is undefined.", finite]
    limits: Limits
    exact: Annotated[str | None, "The exact value, such as 9/11; null for a matrix."] = None
    average: Annotated[Average | None, "The average over the classes; null for the metric's own form."] = None
    undefined: Annotated[tuple[str, ...], "Why it is undefined; null where it is defined.", _why] = ()

    def _members(self) -> Members:
        return self.metric, self.average, self.label, self.value, self.exact, self.undefined


@dataclass(frozen=True)
class Scores(Result, schema="scores", source="`score`"):
    """The scores of a table or a matrix.

    Examples
    --------
    >>> result = scores(Table(tp=0, fn=0, fp=10, tn=40))
    >>> result["specificity"].exact
    '4/5'
    >>> result["recall"].undefined
    ('no actual positives',)
    """

    data: Table | Matrix
    scores: Annotated[tuple[Score, ...], "A record for each metric and, with more than two classes, for each average."]
    notes: Notes = ()

    def _members(self) -> Members:
        return optional(self.table), optional(self.matrix), optional(self.labels), self.scores, self.notes

    @property
    def table(self) -> Table | None:
        """The four counts, also for a file with two classes."""
        return self.data if isinstance(self.data, Table) else None

    @property
    def matrix(
        self,
    ) -> Annotated[Matrix | None, "For more than two classes: rows actual, columns predicted.", Matrix.tolist]:
        """The matrix, if there are more than two classes."""
        return self.data if isinstance(self.data, Matrix) else None

    @property
    def labels(self) -> Labels | None:
        """The classes of a matrix."""
        return self.matrix.labels if self.matrix else None

    def __getitem__(self, name: str) -> Score:
        return self._by_id[name] if name in self._by_id else self._by_id[find_metric(name).id]

    @cached_property
    def _by_id(self) -> dict[str, Score]:
        return {f"{s.average}_{s.metric}" if s.average else s.metric: s for s in self.scores}

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each metric; value None where it is undefined."""
        return [score.to_dict() for score in self.scores]


def score_of(matrix: Matrix, metric: Metric, average: Average | None = None, *, of_class: int | None = None) -> Score:
    """Return one number of a matrix, with the reason where it is undefined.

    It is the average, or the metric of one class (by its place) against the rest, or the metric's own k-class form.
    """
    if average is not None or of_class is not None:
        metric = _not_averaged(metric)
    if of_class is not None:
        cells = {name: part[of_class].item() for name, part in matrix.one_vs_rest().cells().items()}
        value, why = _number(metric.formula.exact(cells)), reasons(metric.formula, cells, WORDS)
    elif average is not None or metric.over_classes is not None:
        value, why = _of_matrix(matrix, metric, average and _average(average))
    else:
        hint = f"ask for an average, such as {AVERAGES[0]}_{metric.id}"
        raise InputError("bad_metric", "metric", "has no form for several classes", metric.id, hint)
    return Score(metric.id, metric.label, value, metric.limits, average=average, undefined=why)


def scores(data: Table | Matrix, metrics: Sequence[str | Metric] | None = None) -> Scores:
    """Score a table or a matrix by many metrics at once, each undefined one with its reason.

    Parameters
    ----------
    data
        A `Table` or `Matrix`.
    metrics
        Names; the whole catalogue when left out.
    """
    listed = [find_metric(name) for name in metrics] if metrics is not None else list(METRICS.values())
    if isinstance(data, Table):
        return Scores(data, tuple(_score_table(data, metric) for metric in listed))
    if isinstance(data, Matrix):
        return Scores(data, tuple(score for metric in listed for score in _score_matrix(data, metric)))
    raise InputError("ambiguous", "data", "must be a Table or Matrix", verbatim(type(data).__name__), _BUILD_A_TABLE)


def _score_table(table: Table, metric: Metric) -> Score:
    exact = metric.formula.exact(table.cells())
    text = None if exact is None else str(exact)
    return Score(metric.id, metric.label, _number(exact), metric.limits, text, undefined=metric.why_undefined(table))


def _score_matrix(matrix: Matrix, metric: Metric) -> Iterator[Score]:
    if metric.over_classes is not None:
        yield score_of(matrix, metric)
    if metric.id in METRICS or not isinstance(metric.over_classes, Averaged):
        yield from (score_of(matrix, metric, average) for average in AVERAGES)
