"""Every metric once more, written from the literature with plain fractions: what the catalogue is checked against.

Sources: Briscoe et al. (2025) (Briscoe et al., AISTATS 2025), Tables 3 to 5; Chicco and Jurman 2020 (MCC); Cohen 1960 (kappa); Youden
1950 (informedness); Powers 2011 (markedness); Kubat and Matwin 1997 (G-mean); Fowlkes and Mallows 1983; Sitarz 2022 (P4);
Glas et al. 2003 (diagnostic odds ratio); Balayla 2020 (prevalence threshold). Undefined is a ZeroDivisionError. Roots are
`Decimal` with 60 digits.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction as F

Value = F | Decimal


def _root(x: F) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return (Decimal(x.numerator) / Decimal(x.denominator)).sqrt()


def _decimal(x: F) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return Decimal(x.numerator) / Decimal(x.denominator)


def _mcc(tp: F, fn: F, fp: F, tn: F) -> Decimal:
    square = F(1, (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    with localcontext() as context:
        context.prec = 60
        return _decimal(tp * tn - fp * fn) * _root(square)


def _prevalence_threshold(tp: F, fn: F, fp: F, tn: F) -> Decimal:
    tpr, fpr = tp / (tp + fn), fp / (fp + tn)
    inverse = 1 / (tpr - fpr)
    with localcontext() as context:
        context.prec = 60
        return (_root(tpr * fpr) - _decimal(fpr)) * _decimal(inverse)


def _prevalence_threshold_simplified(tp: F, fn: F, fp: F, tn: F) -> Decimal:
    tpr, fpr = tp / (tp + fn), fp / (fp + tn)
    if tpr == fpr == 0:
        raise ZeroDivisionError
    with localcontext() as context:
        context.prec = 60
        return _root(fpr) / (_root(tpr) + _root(fpr))


def _kappa(tp: F, fn: F, fp: F, tn: F) -> F:
    n = tp + fn + fp + tn
    observed = (tp + tn) / n
    expected = ((tp + fn) * (tp + fp) + (fp + tn) * (fn + tn)) / n**2
    return (observed - expected) / (1 - expected)


def _f(beta: F) -> Callable[[F, F, F, F], F]:
    return lambda tp, fn, fp, tn: (1 + beta**2) * tp / ((1 + beta**2) * tp + beta**2 * fn + fp)


def _macro(each: Callable[[F, F, F, F], F]) -> Callable[[F, F, F, F], F]:
    return lambda tp, fn, fp, tn: (each(tp, fn, fp, tn) + each(tn, fp, fn, tp)) / 2


def _weighted(each: Callable[[F, F, F, F], F]) -> Callable[[F, F, F, F], F]:
    return lambda tp, fn, fp, tn: (
        ((tp + fn) * each(tp, fn, fp, tn) + (fp + tn) * each(tn, fp, fn, tp)) / (tp + fn + fp + tn)
    )


def _precision(tp: F, fn: F, fp: F, tn: F) -> F:
    return tp / (tp + fp)


def _recall(tp: F, fn: F, fp: F, tn: F) -> F:
    return tp / (tp + fn)


DEFINITIONS: dict[str, Callable[[F, F, F, F], Value]] = {
    "accuracy": lambda tp, fn, fp, tn: (tp + tn) / (tp + fn + fp + tn),
    "inaccuracy": lambda tp, fn, fp, tn: 1 - (tp + tn) / (tp + fn + fp + tn),
    "prevalence": lambda tp, fn, fp, tn: (tp + fn) / (tp + fn + fp + tn),
    "negative_prevalence": lambda tp, fn, fp, tn: 1 - (tp + fn) / (tp + fn + fp + tn),
    "predicted_positive_rate": lambda tp, fn, fp, tn: (tp + fp) / (tp + fn + fp + tn),
    "predicted_negative_rate": lambda tp, fn, fp, tn: 1 - (tp + fp) / (tp + fn + fp + tn),
    "recall": _recall,
    "specificity": lambda tp, fn, fp, tn: tn / (tn + fp),
    "false_positive_rate": lambda tp, fn, fp, tn: 1 - tn / (tn + fp),
    "false_negative_rate": lambda tp, fn, fp, tn: 1 - tp / (tp + fn),
    "precision": _precision,
    "negative_predictive_value": lambda tp, fn, fp, tn: tn / (tn + fn),
    "false_discovery_rate": lambda tp, fn, fp, tn: 1 - tp / (tp + fp),
    "false_omission_rate": lambda tp, fn, fp, tn: 1 - tn / (tn + fn),
    "f1": lambda tp, fn, fp, tn: tp / (tp + (fp + fn) / 2),
    "f1_negative": lambda tp, fn, fp, tn: tn / (tn + (fp + fn) / 2),
    "f1_harmonic": lambda tp, fn, fp, tn: 2 / (1 / _precision(tp, fn, fp, tn) + 1 / _recall(tp, fn, fp, tn)),
    "mcc": _mcc,
    "kappa": _kappa,
    "balanced_accuracy": lambda tp, fn, fp, tn: (tp / (tp + fn) + tn / (tn + fp)) / 2,
    "informedness": lambda tp, fn, fp, tn: tp / (tp + fn) - fp / (tn + fp),
    "markedness": lambda tp, fn, fp, tn: tp / (tp + fp) - fn / (tn + fn),
    "g_mean": lambda tp, fn, fp, tn: _root(tp / (tp + fn) * tn / (tn + fp)),
    "fowlkes_mallows": lambda tp, fn, fp, tn: _root(tp / (tp + fp) * tp / (tp + fn)),
    "jaccard": lambda tp, fn, fp, tn: tp / (tp + fn + fp),
    # The harmonic mean of four rates where all are positive, and 0 where a rate is 0 but the simplified form is defined.
    "p4": lambda tp, fn, fp, tn: 4 * tp * tn / (4 * tp * tn + (tp + tn) * (fp + fn)),
    "positive_likelihood_ratio": lambda tp, fn, fp, tn: (tp / (tp + fn)) / (fp / (fp + tn)),
    "negative_likelihood_ratio": lambda tp, fn, fp, tn: (fn / (tp + fn)) / (tn / (fp + tn)),
    "diagnostic_odds_ratio": lambda tp, fn, fp, tn: (tp / fn) / (fp / tn) if tn else 0 * (tp / fn) / fp,
    "prevalence_threshold": _prevalence_threshold,
    "prevalence_threshold_simplified": _prevalence_threshold_simplified,
    "marginal_benefit": lambda tp, fn, fp, tn: fp / (tp + fn + fp + tn) - fn / (tp + fn + fp + tn),
    "treatment_ratio": lambda tp, fn, fp, tn: fn / fp,
    "f2": _f(F(2)),
    "f0.5": _f(F(1, 2)),
    "f1.5_negative": lambda tp, fn, fp, tn: _f(F(3, 2))(tn, fp, fn, tp),
    "macro_f1": _macro(_f(F(1))),
    "weighted_f1": _weighted(_f(F(1))),
    "micro_f1": lambda tp, fn, fp, tn: (tp + tn) / (tp + fn + fp + tn),
    "macro_precision": _macro(_precision),
    "weighted_precision": _weighted(_precision),
    "macro_recall": _macro(_recall),
}


def value(name: str, tp: int, fn: int, fp: int, tn: int) -> Value | None:
    """Return a metric by its definition, None where that divides by zero."""
    try:
        return DEFINITIONS[name](F(tp), F(fn), F(fp), F(tn))
    except ZeroDivisionError:
        return None
