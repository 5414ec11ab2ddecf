"""How far off an estimate from few cases is expected to be: exactly, by summing over everything that can be drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import numpy as np

from ...chance.draws import Source
from ...chance.laws import Sample
from ...errors import InputError, Notes, TooLarge
from ...exact import CELLS
from ...metrics import Metric, MetricId
from ...metrics import metric as find_metric
from ...names import old_parameters
from ...shape import Amount, Chance, Count, Result
from ...table import Table, whole
from ..testing.matching import as_table, undefined_score
from .tables import amount, shares_of


@dataclass(frozen=True)
class ExpectedError(Result, schema="expected_error", source="`expected_error`"):
    """The error to expect of a metric estimated from some cases of a group, given that the estimate is defined.

    Examples
    --------
    >>> group, rest = Table(tp=2, fn=3, fp=1, tn=4), Table(tp=3, fn=2, fp=2, tn=13)
    >>> round(expected_error(group, rest, "accuracy", size=2, strength=20).mse, 6)
    0.03405
    """

    metric: MetricId
    size: Annotated[Count, "How many cases are drawn."]
    strength: Annotated[Amount, "The strength of the smoothing; 0 for none."]
    epsilon: Annotated[Amount, "What is added to each cell; 0 for nothing."]
    target: Annotated[float | None, "The metric of the group's shares; null where that is undefined."]
    mse: Annotated[Amount | None, "The expected squared error."]
    bias: Annotated[float | None, "The expected error."]
    variance: Annotated[Amount | None, "The variance of the estimate."]
    mae: Annotated[Amount | None, "The expected size of the error; null where it has no short form."]
    defined: Annotated[Chance, "The chance that the estimate is defined."]
    notes: Notes = ()


@old_parameters(name="metric")
def expected_error(
    group: Table | Mapping[str, object],
    reference: Table | Mapping[str, object] | None,
    metric: str | Metric,
    *,
    size: int,
    strength: float | Fraction = 0,
    epsilon: float | Fraction = 0,
) -> ExpectedError:
    """Return the exact expected error of an estimate from some cases, if the group's shares are the truth.

    Parameters
    ----------
    group
        A table; cases are drawn from its shares.
    reference
        The table towards which smoothing pulls; None for the raw and the add-epsilon estimate.
    metric
        A metric.
    size
        How many cases are drawn.
    strength, epsilon
        Cross-prior smoothing with a strength, or an amount added to each cell; both 0 is the raw estimate.
    """
    return next(expected_errors(group, reference, [metric], [size], [(strength, epsilon)]))


@old_parameters(names="metrics")
def expected_errors(
    group: Table | Mapping[str, object],
    reference: Table | Mapping[str, object] | None,
    metrics: Sequence[str | Metric],
    sizes: Sequence[int],
    estimators: Sequence[tuple[float | Fraction, float | Fraction]],
) -> Iterator[ExpectedError]:
    """Yield the expected errors of several metrics, sizes and estimators, which are pairs of strength and epsilon.

    What they share is computed once.
    """
    group = as_table(group, "group")
    shares_of(group, "group")
    truth = Source.of(group)
    chosen = [find_metric(metric) for metric in metrics]
    amounts = [(amount(strength, "strength"), amount(epsilon, "epsilon")) for strength, epsilon in estimators]
    added = [_added(reference, strength, epsilon) for strength, epsilon in amounts]
    for size in sizes:
        if not whole(size, "size"):
            raise InputError("bad_count", "size", "must be at least 1", size, "give the number of cases drawn")
        sample = Sample(whole(size, "size"), truth)
        for metric in chosen:
            target = metric.formula.exact(dict(zip(CELLS, truth.weights, strict=True)))
            for (strength, epsilon), more in zip(amounts, added, strict=True):
                options = (metric.id, sample.size, float(strength), float(epsilon))
                if target is None:
                    note = undefined_score(f"the group's {metric.label}", metric.why_undefined(group))
                    chance = _errors(sample, metric, more, 0.0)[-1]
                    yield ExpectedError(*options, None, None, None, None, None, chance, (note,))
                else:
                    yield ExpectedError(*options, float(target), *_errors(sample, metric, more, float(target)))


def _added(reference: Any, strength: Fraction, epsilon: Fraction) -> tuple[Fraction, ...]:
    """Return what an estimator adds to each cell."""
    if strength and epsilon:
        raise InputError("usage", "epsilon", "cannot be used with a strength", str(epsilon), "give one of them")
    if not strength:
        return (epsilon,) * 4
    if reference is None:
        raise InputError("usage", "reference", "is needed for a strength", None, "give a reference table")
    shares = shares_of(as_table(reference, "reference"), "reference")
    return tuple(strength * share for share in shares)


def _errors(sample: Sample, metric: Metric, added: tuple[Fraction, ...], target: float) -> tuple[Any, ...]:
    """Return mse, bias, variance, mean absolute error and the chance that the estimate is defined."""
    try:
        values, chances = sample.estimates(metric, added)
    except TooLarge:
        if not (moments := sample.moments(metric, added)):
            raise
        mass, mean, variance = moments
        return (mean - target) ** 2 + variance, mean - target, variance, None, mass
    mass = float(chances.sum())
    if not mass:
        return None, None, None, None, 0.0
    off, weights = values - target, chances / mass
    bias = float(weights @ off)
    variance = float(weights @ (off - bias) ** 2)
    return float(weights @ off**2), bias, variance, float(weights @ np.abs(off)), min(mass, 1.0)
