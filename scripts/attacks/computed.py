"""Scores as programs compute and print them in full: in floats, by one formula or another, with all their digits."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

import numpy as np

from .running import Case
from .scores import Cells

_Score = Callable[[Any, Any, Any, Any], Any]


def _f1_of_rates(tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    return 2 * precision * recall / (precision + recall)


def _kappa(tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
    total = tp + fn + fp + tn
    seen = (tp + tn) / total
    chance = (tp + fn) / total * ((tp + fp) / total) + (fp + tn) / total * ((fn + tn) / total)
    return (seen - chance) / (1 - chance)


def _mcc(tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
    return (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


def _mcc_of_shares(tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
    total = tp + fn + fp + tn
    actual, said = (tp + fn) / total, (tp + fp) / total
    return (tp / total - actual * said) / math.sqrt(actual * said * (1 - actual) * (1 - said))


#: The ways in which a score is computed: each a formula that some program has.
WAYS: Final[Mapping[str, tuple[_Score, ...]]] = {
    "accuracy": (
        lambda tp, fn, fp, tn: (tp + tn) / (tp + fn + fp + tn),
        lambda tp, fn, fp, tn: 1 - (fp + fn) / (tp + fn + fp + tn),
    ),
    "inaccuracy": (
        lambda tp, fn, fp, tn: (fp + fn) / (tp + fn + fp + tn),
        lambda tp, fn, fp, tn: 1 - (tp + tn) / (tp + fn + fp + tn),
    ),
    "recall": (lambda tp, fn, fp, tn: tp / (tp + fn), lambda tp, fn, fp, tn: 1 - fn / (tp + fn)),
    "specificity": (lambda tp, fn, fp, tn: tn / (tn + fp), lambda tp, fn, fp, tn: 1 - fp / (tn + fp)),
    "precision": (lambda tp, fn, fp, tn: tp / (tp + fp), lambda tp, fn, fp, tn: 1 - fp / (tp + fp)),
    "negative_predictive_value": (lambda tp, fn, fp, tn: tn / (tn + fn),),
    "false_positive_rate": (lambda tp, fn, fp, tn: fp / (tn + fp), lambda tp, fn, fp, tn: 1 - tn / (tn + fp)),
    "f1": (lambda tp, fn, fp, tn: 2 * tp / (2 * tp + fp + fn), _f1_of_rates),
    "kappa": (_kappa, lambda tp, fn, fp, tn: 2 * (tp * tn - fn * fp) / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))),
    "mcc": (_mcc, _mcc_of_shares),
    "balanced_accuracy": (lambda tp, fn, fp, tn: (tp / (tp + fn) + tn / (tn + fp)) / 2,),
    "informedness": (
        lambda tp, fn, fp, tn: tp / (tp + fn) + tn / (tn + fp) - 1,
        lambda tp, fn, fp, tn: tp / (tp + fn) - fp / (tn + fp),
    ),
    "markedness": (lambda tp, fn, fp, tn: tp / (tp + fp) + tn / (tn + fn) - 1,),
    "g_mean": (
        lambda tp, fn, fp, tn: math.sqrt(tp / (tp + fn) * (tn / (tn + fp))),
        lambda tp, fn, fp, tn: math.exp((math.log(tp / (tp + fn)) + math.log(tn / (tn + fp))) / 2),
    ),
    "jaccard": (lambda tp, fn, fp, tn: tp / (tp + fp + fn),),
    "positive_likelihood_ratio": (
        lambda tp, fn, fp, tn: tp / (tp + fn) / (fp / (tn + fp)),
        lambda tp, fn, fp, tn: tp / (tp + fn) / (1 - tn / (tn + fp)),
    ),
    "diagnostic_odds_ratio": (
        lambda tp, fn, fp, tn: tp * tn / (fp * fn),
        lambda tp, fn, fp, tn: tp / fn / (fp / tn),
    ),
    "macro_f1": (lambda tp, fn, fp, tn: (2 * tp / (2 * tp + fp + fn) + 2 * tn / (2 * tn + fp + fn)) / 2,),
    "weighted_precision": (
        lambda tp, fn, fp, tn: ((tp + fn) * (tp / (tp + fp)) + (fp + tn) * (tn / (fn + tn))) / (tp + fn + fp + tn),
    ),
}


def computed(name: str, cells: Cells, random: Random) -> Any:
    """Return a score as a program prints it, in full or nearly, in 64 or 32 bits; None where it divides by 0."""
    kinds = ["double", "double", "double", "single", "kept in single", "rounded from single", "percent", "15 digits"]
    kind = random.choice(kinds)
    try:
        if kind == "single":
            cells = tuple(np.float32(cell) for cell in cells)  # type: ignore[assignment]
        with np.errstate(all="ignore"):
            value = random.choice(WAYS[name])(*cells)
    except (ZeroDivisionError, ValueError):
        return None
    if not math.isfinite(value):
        return None
    if kind == "kept in single":
        return str(np.float32(value))
    if kind == "rounded from single":
        return f"{np.float32(value):.{random.randint(5, 9)}f}"
    if kind == "single":
        # A short text may be a number that was rounded, with no room for what was computed in 32 bits.
        return repr(float(np.float32(value)))
    if kind == "percent" and name not in ("positive_likelihood_ratio", "diagnostic_odds_ratio"):
        return f"{value * 100!r}%"
    return float(value) if random.random() < 0.5 else f"{value:.15g}" if kind == "15 digits" else repr(float(value))


def computed_report(random: Random) -> Case:
    """Return a true report of scores that were computed in floats."""
    most = random.choice([14, 14, 60, 1000])
    p, n = random.randint(1, most), random.randint(1, most)
    tp, tn = random.randint(0, p), random.randint(0, n)
    cells: Cells = (tp, p - tp, n - tn, tn)
    report: dict[str, Any] = {"positives": p, "negatives": n}
    for name in random.sample(list(WAYS), random.randint(1, 3)):
        value = computed(name, cells, random)
        if value is not None:
            report[name] = value
    if len(report) == 2:
        report["accuracy"] = repr((tp + tn) / (p + n))
    return {"of": "computed", "report": report, "table": list(cells)}
