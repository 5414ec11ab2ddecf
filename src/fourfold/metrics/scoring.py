"""Metrics of tables and matrices: the catalogue's formulas, read on data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, overload

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, Notes, verbatim
from ..formula import reasons
from ..shape import Record, Result, finite, joined
from ..surd import Exact
from ..table import Labels, Matrix, Table, Tables
from .catalogue import AVERAGES, METRICS, WORDS, Average, Averaged, Contrast, Limits, Metric, MetricId, find, metric


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
        "macro", "micro" or "weighted" over one class against the rest. Left out, a `Matrix` gives the metric's form for
        k classes where it has one, else an array with a value for each class.
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
    chosen = find(metric)
    if isinstance(chosen, Contrast) or against is not None:
        return _number(_compare(data, chosen, against))
    if average is not None:
        average = _average(average)
        chosen = _not_averaged(chosen)
    if isinstance(data, Table | Tables) and average is not None:
        chosen = chosen.averaged(average)
    if isinstance(data, Table):
        return _number(chosen.formula.exact(data.cells()))
    if isinstance(data, Tables):
        return chosen.formula.evaluate(data.cells())
    if not isinstance(data, Matrix):
        hint = "build a Table; from four numbers with Table.from_matrix(..., order='tn fp fn tp')"
        raise InputError("ambiguous", "data", "must be a Table, Tables or Matrix", data, hint)
    if average is not None:
        return _averaged(data, chosen, average)[0]
    if chosen.over_classes is not None:
        return _over_classes(data, chosen)[0]
    return chosen.formula.evaluate(data.one_vs_rest().cells())


def _compare(data: object, chosen: Metric | Contrast, against: Table | None) -> Exact | None:
    if isinstance(chosen, Metric):
        hint = f"try '{chosen.id}_difference' or '{chosen.id}_ratio', or leave against= out"
        raise InputError("bad_metric", "metric", "is a score of one group", chosen.id, hint)
    if not isinstance(data, Table) or not isinstance(against, Table):
        hint = "give one group's Table first and the other's with against="
        raise InputError("bad_metric", "against", f"{chosen.id} compares two tables", against, hint)
    return chosen.value(data, against)


def _not_averaged(chosen: Metric) -> Metric:
    if isinstance(chosen.over_classes, Averaged) and chosen.id not in METRICS:
        hint = f"leave the average out, or ask for {chosen.over_classes.base.id}"
        raise InputError("bad_metric", "metric", "is an average already", chosen.id, hint)
    return chosen


def _average(average: str) -> Average:
    for known in AVERAGES:
        if average == known:
            return known
    raise InputError("bad_option", "average", "unknown average", average, f"one of {', '.join(AVERAGES)}")


def _number(value: Exact | None) -> float:
    return math.nan if value is None else float(value)


def _over_classes(matrix: Matrix, chosen: Metric) -> tuple[float, tuple[str, ...]]:
    """Return a metric's own k-class value and, where undefined, why."""
    form = chosen.over_classes
    if isinstance(form, Averaged):
        return _averaged(matrix, form.base, form.average)
    assert form is not None
    sums = matrix.sums()
    return _number(form.exact(sums)), reasons(form, sums)


def _averaged(matrix: Matrix, chosen: Metric, average: Average) -> tuple[float, tuple[str, ...]]:
    """Return an average over one class against the rest and, where undefined, why."""
    tables = matrix.one_vs_rest()
    if average == "micro":
        pooled = {name: Fraction(0) + sum(map(Fraction, part.tolist())) for name, part in tables.cells().items()}
        return _number(chosen.formula.exact(pooled)), reasons(chosen.formula, pooled, WORDS)
    values = chosen.formula.evaluate(tables.cells())
    why = tuple(
        f"class {matrix.labels[i]!r}: {words}"
        for i in np.flatnonzero(np.isnan(values))
        for words in reasons(chosen.formula, {name: part[i].item() for name, part in tables.cells().items()}, WORDS)
    )
    weights = tables.tp + tables.fn if average == "weighted" else np.ones(len(tables))
    total = math.fsum(weights)
    if why or not total:
        return math.nan, why or ("no cases at all",)
    return math.fsum(weights * values) / total, ()


def _why(reasons: tuple[str, ...]) -> str | None:
    return joined(reasons) or None


@dataclass(frozen=True)
class Score(Record, members="metric average label value exact undefined"):
    """One metric's value, with the exact number behind it or the reason why there is none."""

    metric: MetricId
    label: Annotated[str, "The metric's name for readers."]
    value: Annotated[float, "The value; null where it is undefined.", finite]
    limits: Limits
    exact: Annotated[str | None, "The exact value, such as 9/11; null of a matrix."] = None
    average: Annotated[Average | None, "The average over the classes; null for the metric's own form."] = None
    undefined: Annotated[tuple[str, ...], "Why it is undefined; null where it is defined.", _why] = ()


@dataclass(frozen=True)
class Scores(Result, schema="scores", source="`score`", members="table? matrix? labels? scores notes"):
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
    scores: Annotated[tuple[Score, ...], "A record for each metric, and of more classes for each average."]
    notes: Notes = ()

    @property
    def table(self) -> Table | None:
        """The four counts; of a file with two classes, too."""
        return self.data if isinstance(self.data, Table) else None

    @property
    def matrix(self) -> Annotated[Matrix | None, "Of more classes: rows actual, columns predicted.", Matrix.tolist]:
        """The matrix of more classes."""
        return self.data if isinstance(self.data, Matrix) else None

    @property
    def labels(self) -> Labels | None:
        """The classes of a matrix."""
        return self.matrix.labels if self.matrix else None

    def __getitem__(self, name: str) -> Score:
        return self._by_id[name] if name in self._by_id else self._by_id[metric(name).id]

    @cached_property
    def _by_id(self) -> dict[str, Score]:
        return {f"{s.average}_{s.metric}" if s.average else s.metric: s for s in self.scores}

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record a metric; value None where it is undefined."""
        return [score.to_dict() for score in self.scores]


def score_of(matrix: Matrix, chosen: Metric, average: Average | None = None, *, of_class: int | None = None) -> Score:
    """Return one number of a matrix, with the reason where it is undefined.

    Parameters
    ----------
    matrix, chosen
        What is scored, and by which metric.
    average
        Over one class against the rest; left out, the metric's own form for k classes is taken.
    of_class
        Instead: the metric of this class against the rest, by its place.
    """
    if of_class is not None:
        chosen = _not_averaged(chosen)
        cells = {name: part[of_class].item() for name, part in matrix.one_vs_rest().cells().items()}
        value, why = _number(chosen.formula.exact(cells)), reasons(chosen.formula, cells, WORDS)
    elif average is not None:
        value, why = _averaged(matrix, _not_averaged(chosen), _average(average))
    elif chosen.over_classes is not None:
        value, why = _over_classes(matrix, chosen)
    else:
        hint = f"ask for an average, such as {AVERAGES[0]}_{chosen.id}"
        raise InputError("bad_metric", "metric", "has no form for k classes of its own", chosen.id, hint)
    return Score(chosen.id, chosen.label, value, chosen.limits, average=average, undefined=why)


def scores(data: Table | Matrix, metrics: Sequence[str | Metric] | None = None) -> Scores:
    """Score a table or a matrix by many metrics at once, each undefined one with its reason.

    Parameters
    ----------
    data
        A `Table` or `Matrix`.
    metrics
        Names; the whole catalogue when left out.
    """
    chosen = [metric(name) for name in metrics] if metrics is not None else list(METRICS.values())
    if isinstance(data, Table):
        return Scores(data, tuple(_score_table(data, each) for each in chosen))
    if isinstance(data, Matrix):
        return Scores(data, tuple(found for each in chosen for found in _score_matrix(data, each)))
    hint = "build a Table; from four numbers with Table.from_matrix(..., order='tn fp fn tp')"
    raise InputError("ambiguous", "data", "must be a Table or Matrix", verbatim(type(data).__name__), hint)


def _score_table(table: Table, chosen: Metric) -> Score:
    exact = chosen.formula.exact(table.cells())
    text = None if exact is None else str(exact)
    why = chosen.why_undefined(table)
    return Score(chosen.id, chosen.label, _number(exact), chosen.limits, exact=text, undefined=why)


def _score_matrix(matrix: Matrix, chosen: Metric) -> Iterator[Score]:
    if chosen.over_classes is not None:
        value, why = _over_classes(matrix, chosen)
        yield Score(chosen.id, chosen.label, value, chosen.limits, undefined=why)
    if isinstance(chosen.over_classes, Averaged) and chosen.id not in METRICS:
        return
    for average in AVERAGES:
        value, why = _averaged(matrix, chosen, average)
        yield Score(chosen.id, chosen.label, value, chosen.limits, average=average, undefined=why)
