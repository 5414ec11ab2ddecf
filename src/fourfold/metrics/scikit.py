"""Any metric as a scorer for scikit-learn's own loops, without importing it."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Final, Literal

import numpy as np

from ..errors import InputError, verbatim
from ..exact.surd import Exact
from ..table import Matrix, positive_label
from .catalogue import AVERAGES, METRICS, Average, Averaged, Metric
from .catalogue import metric as find_metric
from .convention import STRICT, Convention

_COUNTED_AS: Final = {"nan": STRICT, "zero": Convention(fill=Fraction(0))}


@dataclass(frozen=True, repr=False)
class Scorer:
    """What `scorer` returns: called with an estimator, its inputs and the actual labels."""

    metric: str | Metric
    average: Average | None = None
    positive: Hashable | None = None
    undefined: Literal["nan", "zero"] = "nan"

    def __post_init__(self) -> None:
        # What is wrong should be heard of now, not in every fold.
        metric = find_metric(self.metric)
        for name, value, choices in (
            ("average", self.average, (None, *AVERAGES)),
            ("undefined", self.undefined, _COUNTED_AS),
        ):
            if value not in choices:
                hint = f"one of {', '.join(filter(None, choices))}"
                raise InputError("bad_option", name, "is not known", value, hint)
        is_average = isinstance(metric.over_classes, Averaged) and metric.id not in METRICS
        if self.average is not None and (is_average or self.positive is not None):
            got, hint = verbatim(metric.id if is_average else repr(self.positive)), "leave one of them out"
            problem = "is an average already" if is_average else "is not asked for in an average"
            raise InputError("bad_option", "metric" if is_average else "positive", problem, got, hint)

    def __repr__(self) -> str:
        name = self.metric if isinstance(self.metric, str) else self.metric.id
        options = [(option, getattr(self, option.name)) for option in fields(self)[1:]]
        given = [f"{option.name}={value!r}" for option, value in options if value != option.default]
        return f"scorer({', '.join([repr(name), *given])})"

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:  # noqa: N803
        """Return the score of what an estimator predicts; of a metric of which less is better, minus the score."""
        metric = find_metric(self.metric)
        matrix = Matrix.from_labels(y, estimator.predict(X))
        value = self._value(matrix, metric, _classes(estimator, matrix))
        if value is None:
            fill = _COUNTED_AS[self.undefined].fill
            return math.nan if fill is None else float(fill)
        return -float(value) if metric.better == "lower" else float(value)

    def _value(self, matrix: Matrix, metric: Metric, classes: tuple[Hashable, ...]) -> Exact | None:
        """Return the exact score, or None where it is undefined."""
        form = metric.over_classes if self.average is None else Averaged(self.average, metric)
        if self.positive is not None or form is None:
            return metric.formula.exact(self._one_against_rest(matrix, metric, classes))
        if not isinstance(form, Averaged):
            return form.exact(matrix.sums())
        tables = matrix.one_vs_rest()
        if form.average == "micro":
            return form.base.formula.exact({name: int(part.sum()) for name, part in tables.cells().items()})
        cells = [tables[i].cells() for i in range(len(tables))]
        return form.value(cells, _COUNTED_AS[self.undefined])

    def _one_against_rest(self, matrix: Matrix, metric: Metric, classes: tuple[Hashable, ...]) -> dict[str, int]:
        """Return the counts of the positive class."""
        if self.positive is None and len(classes) > 2:
            hint = f"give average, such as {AVERAGES[0]!r}, or the class that is positive"
            shown = verbatim(f"{metric.id} of {len(classes)} classes")
            raise InputError("bad_metric", "metric", "has no form for several classes", shown, hint)
        positive = self.positive if len(classes) > 2 else positive_label(classes, self.positive)
        if positive not in classes and len(classes) > 1:
            hint = f"the data has {', '.join(map(repr, classes[:6]))}"
            raise InputError("bad_label", "positive", "is not a label in the data", positive, hint)
        if positive not in matrix.labels:
            return {"tp": 0, "fn": 0, "fp": 0, "tn": int(matrix.values.sum())}
        return matrix.one_vs_rest()[matrix.labels.index(positive)].cells()


def _classes(estimator: Any, matrix: Matrix) -> tuple[Hashable, ...]:
    """Return every class that a model knows or a fold has: a fold may lack the positive one."""
    known = np.asarray(getattr(estimator, "classes_", ())).tolist()
    return tuple(dict.fromkeys([*known, *matrix.labels]))


def scorer(
    metric: str | Metric,
    *,
    average: Average | None = None,
    positive: Hashable | None = None,
    undefined: Literal["nan", "zero"] = "nan",
) -> Scorer:
    """Return a scorer for ``scoring=`` in scikit-learn's ``cross_val_score``, ``cross_validate`` and ``GridSearchCV``.

    Parameters
    ----------
    metric
        An id or alias. A search takes the largest score. So for a metric of which less is better, such as the false
        positive rate, minus the score is returned.
    average
        "macro", "micro" or "weighted" over one class against the rest. If left out, the metric's form for k classes is
        taken where it has one, as accuracy and MCC have, else the score of the positive class.
    positive
        The class that counts as positive, all others as negative. May be left out for 0 and 1, False and True, or -1
        and 1.
    undefined
        What an undefined score counts as: "nan", so that a fold without a score makes the mean nan; or "zero", as
        scikit-learn mostly does, also for a class within an average.

    Examples
    --------
    >>> class Model:
    ...     def predict(self, X):
    ...         return [x > 0.5 for x in X]
    >>> recall = scorer("recall")
    >>> recall, recall(Model(), [0.9, 0.75, 0.5, 0.1], [True, False, True, False])
    (scorer('recall'), 0.5)
    >>> recall(Model(), [0.9, 0.1], [False, False]), scorer("recall", undefined="zero")(Model(), [0.9], [False])
    (nan, 0.0)
    """
    return Scorer(metric, average, positive, undefined)
