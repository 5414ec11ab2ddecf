"""Certainty as a scorer for scikit-learn's own loops, without importing it."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np

from ..errors import InputError, verbatim
from ..metrics import Average, Metric
from ..table import Matrix
from .decomposition import Convention, Decomposition, Number, check_number, decompose

_ANY: Final = Matrix(np.eye(2, dtype=np.int64))


@dataclass(frozen=True, repr=False)
class CertaintyScorer:
    """What `certainty_scorer` returns: called with an estimator, its inputs and the actual labels."""

    metric: str | Metric
    average: Average | None = None
    convention: Convention = "strict"
    of: Number = "value"

    def __post_init__(self) -> None:
        check_number(self.of)
        # An unknown metric or option should be heard of now, not in every fold.
        Decomposition(_ANY, _ANY, _ANY, 2).ratio(self.metric, average=self.average, convention=self.convention)

    def __repr__(self) -> str:
        name = self.metric if isinstance(self.metric, str) else self.metric.id
        options = [(option, getattr(self, option.name)) for option in fields(self)[1:]]
        given = [f"{option.name}={value!r}" for option, value in options if value != option.default]
        return f"certainty_scorer({', '.join([repr(name), *given])})"

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """Return the number for an estimator's probabilities; nan where it is undefined."""
        if not hasattr(estimator, "predict_proba"):
            shown, hint = verbatim(type(estimator).__name__), "calibrate it, or take a model that gives probabilities"
            raise InputError("bad_option", "estimator", "must have predict_proba", shown, hint)
        classes = np.asarray(estimator.classes_).tolist()
        # What it predicts need not be the most probable class: it may have a threshold of its own.
        predicted = estimator.predict(X) if hasattr(estimator, "predict") else None
        parts = decompose(y, estimator.predict_proba(X), classes, prediction=predicted, weights=sample_weight)
        value = parts.number(self.of, self.metric, average=self.average, convention=self.convention)
        return math.nan if value is None else float(value)


def certainty_scorer(
    metric: str | Metric, *, average: Average | None = None, convention: Convention = "strict", of: Number = "value"
) -> CertaintyScorer:
    """Return a scorer for ``scoring=`` in scikit-learn's ``cross_validate``, ``cross_val_score`` and ``GridSearchCV``.

    Parameters
    ----------
    metric, average, convention
        As for `Decomposition.ratio`.
        The predicted class is what the estimator's ``predict`` says.
    of
        Which number: "value" (the ratio itself), "hard", "soft", "certain", "uncertain" or "divergence". Its sign is
        not changed, so a search for the largest number would choose the largest divergence.

    Examples
    --------
    >>> class Model:
    ...     classes_ = ["a", "b"]
    ...     def predict_proba(self, X):
    ...         return [[x, 1 - x] for x in X]
    >>> score = certainty_scorer("accuracy")
    >>> score, round(score(Model(), [0.9, 0.75, 0.5], ["a", "b", "b"]), 4)
    (certainty_scorer('accuracy'), 0.3218)
    """
    return CertaintyScorer(metric, average, convention, of)
