"""Ways in which people compute scores in floats: what they print in full must never be called impossible.

Each way is arithmetic on the four counts as arrays of one type of floats, from definitions in textbooks and from what
other programs do: shares, one minus the opposite share, harmonic and geometric means, logarithms, shares of all cases.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[Any]


def all_tables(most: int) -> NDArray[np.int64]:
    """Return all tables of 1 to `most` cases, a row tp, fn, fp, tn each."""
    tables = [
        (tp, fn, fp, total - tp - fn - fp)
        for total in range(1, most + 1)
        for tp in range(total + 1)
        for fn in range(total + 1 - tp)
        for fp in range(total + 1 - tp - fn)
    ]
    return np.array(tables)


def ways(tables: NDArray[np.int64], type_: type[Any]) -> Iterator[tuple[str, Floats]]:
    """Walk names of metrics with their values for all tables; nan or infinite where a way does not give one."""
    cells = [column.astype(type_) for column in tables.T]
    with np.errstate(all="ignore"):
        for part in (_shares, _agreement, _means, _ratios):
            for name, values in part(*cells, *(type_(x) for x in (0.5, 1, 2))):
                yield from ((name, np.asarray(value)) for value in values)


def _shares(tp: Any, fn: Any, fp: Any, tn: Any, half: Any, one: Any, two: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    p, n, flagged, cleared, all_ = tp + fn, fp + tn, tp + fp, fn + tn, tp + fn + fp + tn
    tpr, tnr, ppv, npv, prevalence = tp / p, tn / n, tp / flagged, tn / cleared, p / all_
    accuracy = (tp + tn) / all_
    yield "accuracy", (accuracy, one - (fp + fn) / all_, tp / all_ + tn / all_, tpr * prevalence + tnr * (n / all_))
    yield "inaccuracy", ((fp + fn) / all_, one - accuracy, one - tp / all_ - tn / all_)
    yield "prevalence", (prevalence, one - n / all_)
    yield "predicted_positive_rate", (flagged / all_, one - cleared / all_, one - tn / all_ - fn / all_)
    rates = {
        "recall": (tpr, fn / p),
        "specificity": (tnr, fp / n),
        "precision": (ppv, fp / flagged),
        "negative_predictive_value": (npv, fn / cleared),
    }
    for name, (share, rest) in rates.items():
        yield name, (share, one - rest, one / (one / share), np.exp(np.log(share)), share * 100 * one / (100 * one))
    for name, (share, rest) in zip(
        ("false_negative_rate", "false_positive_rate", "false_discovery_rate", "false_omission_rate"),
        rates.values(),
        strict=True,
    ):
        yield name, (rest, one - share, one - (one - rest))
    yield "recall", (tp / all_ / prevalence, one / (one + fn / tp))
    yield "specificity", (tn / all_ / (one - prevalence),)
    # By Bayes' rule.
    yield "precision", (tpr * prevalence / (tpr * prevalence + (one - tnr) * (one - prevalence)),)
    yield (
        "negative_predictive_value",
        (tnr * (one - prevalence) / (tnr * (one - prevalence) + (one - tpr) * prevalence),),
    )
    yield "marginal_benefit", ((fp - fn) / all_, fp / all_ - fn / all_, flagged / all_ - prevalence)


def _agreement(
    tp: Any, fn: Any, fp: Any, tn: Any, half: Any, one: Any, two: Any
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    p, n, flagged, cleared, all_ = tp + fn, fp + tn, tp + fp, fn + tn, tp + fn + fp + tn
    tpr, tnr, ppv, npv, fpr, fnr = tp / p, tn / n, tp / flagged, tn / cleared, fp / n, fn / p
    prevalence, selected, accuracy, apart = p / all_, flagged / all_, (tp + tn) / all_, tp * tn - fp * fn
    logs = [np.log(margin) for margin in (p, n, flagged, cleared)]
    yield (
        "mcc",
        (
            apart / np.sqrt(flagged * p * n * cleared),
            apart / np.sqrt(flagged) / np.sqrt(p) / np.sqrt(n) / np.sqrt(cleared),
            np.sqrt(ppv * tpr * tnr * npv) - np.sqrt((one - ppv) * (one - tpr) * (one - tnr) * (one - npv)),
            (tp / all_ - prevalence * selected)
            / np.sqrt(prevalence * selected * (one - prevalence) * (one - selected)),
            np.sign(apart) * np.sqrt(np.abs((tpr + tnr - one) * (ppv + npv - one))),
            np.sign(apart) * np.exp(np.log(np.abs(apart)) - half * (logs[0] + logs[1] + logs[2] + logs[3])),
            ((tp + tn) * all_ - p * flagged - n * cleared)
            / np.sqrt((all_ * all_ - p * p - n * n) * (all_ * all_ - flagged * flagged - cleared * cleared)),
            (tpr - fpr) * np.sqrt(prevalence * (one - prevalence) / (selected * (one - selected))),
        ),
    )
    chance = (p * flagged + n * cleared) / (all_ * all_)
    of_shares = prevalence * selected + (one - prevalence) * (one - selected)
    yield (
        "kappa",
        (
            two * apart / (flagged * n + p * cleared),
            (accuracy - chance) / (one - chance),
            (accuracy - of_shares) / (one - of_shares),
            one - (one - accuracy) / (one - chance),
            # As scikit-learn does.
            one - (fp + fn) / (n * flagged / all_ + p * cleared / all_),
        ),
    )
    yield (
        "informedness",
        (tpr + tnr - one, tpr - fpr, one - fnr - fpr, (one - fnr) + (one - fpr) - one, apart / (p * n)),
    )
    yield (
        "markedness",
        (ppv + npv - one, ppv - fn / cleared, one - fp / flagged - fn / cleared, apart / (flagged * cleared)),
    )
    yield "balanced_accuracy", ((tpr + tnr) / two, one - (fpr + fnr) / two, (one + (tpr - fpr)) / two)


def _means(tp: Any, fn: Any, fp: Any, tn: Any, half: Any, one: Any, two: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    p, n, flagged, cleared, all_ = tp + fn, fp + tn, tp + fp, fn + tn, tp + fn + fp + tn
    tpr, tnr, ppv, npv = tp / p, tn / n, tp / flagged, tn / cleared
    by_one = [one - rest for rest in (fn / p, fp / n, fp / flagged, fn / cleared)]
    f1, other = two * tp / (two * tp + fp + fn), two * tn / (two * tn + fp + fn)
    yield (
        "f1",
        (
            f1,
            two * ppv * tpr / (ppv + tpr),
            two / (one / ppv + one / tpr),
            one - (fp + fn) / (two * tp + fp + fn),
            two * by_one[2] * by_one[0] / (by_one[2] + by_one[0]),
        ),
    )
    yield "f1_harmonic", (two / (one / ppv + one / tpr),)
    four = two * two
    yield "f2", ((one + four) * ppv * tpr / (four * ppv + tpr), (one + four) / (one / ppv + four / tpr))
    yield (
        "jaccard",
        (tp / (tp + fn + fp), f1 / (two - f1), one - (fn + fp) / (tp + fn + fp), one / (one / ppv + one / tpr - one)),
    )
    yield "p4", (four / (one / ppv + one / tpr + one / tnr + one / npv), four / sum(one / x for x in by_one))
    yield (
        "g_mean",
        (np.sqrt(tpr * tnr), np.sqrt(by_one[0]) * np.sqrt(by_one[1]), np.exp(half * (np.log(tpr) + np.log(tnr)))),
    )
    yield "fowlkes_mallows", (tp / np.sqrt(flagged * p), np.sqrt(ppv) * np.sqrt(tpr), np.power(ppv * tpr, half))
    yield "macro_f1", ((f1 + other) / two, half * f1 + half * other)
    yield "macro_precision", ((ppv + npv) / two, one - (fp / flagged + fn / cleared) / two)
    yield "weighted_f1", ((p * f1 + n * other) / all_, f1 * (p / all_) + other * (one - p / all_))
    yield "weighted_precision", ((p * ppv + n * npv) / all_, ppv * (p / all_) + npv * (one - p / all_))


def _ratios(tp: Any, fn: Any, fp: Any, tn: Any, half: Any, one: Any, two: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    p, n = tp + fn, fp + tn
    tpr, tnr, fpr, fnr = tp / p, tn / n, fp / n, fn / p
    up, down = tpr / (one - tnr), (one - tpr) / tnr
    yield "positive_likelihood_ratio", (tpr / fpr, up, (one - fnr) / fpr)
    yield "negative_likelihood_ratio", (fnr / tnr, down, (one - tpr) / (one - fpr))
    yield "diagnostic_odds_ratio", (tp * tn / (fp * fn), up / down, tpr / (one - tpr) / ((one - tnr) / tnr))
    yield "treatment_ratio", (fn / fp, fnr * p / (fpr * n))
    stable = np.sqrt(fpr) / (np.sqrt(tpr) + np.sqrt(fpr))
    yield "prevalence_threshold_simplified", (stable, np.sqrt(one - tnr) / (np.sqrt(tpr) + np.sqrt(one - tnr)))
    apart = tp * tn != fp * fn
    for value in (
        (np.sqrt(tpr * fpr) - fpr) / (tpr - fpr),
        (np.sqrt(tpr * (one - tnr)) + tnr - one) / (tpr + tnr - one),
    ):
        yield "prevalence_threshold", (np.where(apart, value, np.nan),)


def forms(value: Any) -> list[Any]:
    """Return a float in the forms in which it may reach a reader."""
    return [value, value.item(), repr(value.item()), str(value)]
