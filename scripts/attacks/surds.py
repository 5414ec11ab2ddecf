"""Sums of roots, exactly: a number is a fraction for each square-free radicand."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Final, TypeAlias

from .printed import Said
from .scores import FILLS, Cells, Meant, fill_of

#: For each square-free radicand, how often its root is counted; 1 is the rational part.
Surd: TypeAlias = dict[int, Fraction]

_DIGITS: Final = 80
_ZERO: Final = Decimal(10) ** -60
_LARGEST_PRIME: Final = 2000


@lru_cache(maxsize=65536)
def _squared_out(n: int) -> tuple[int, int]:
    """Return a number as a square's root and a rest: square-free where it is below 8e9, else without small squares."""
    root, rest, prime = 1, n, 2
    while prime * prime <= rest:
        if prime > _LARGEST_PRIME:
            whole = isqrt(rest)
            return (root * whole, 1) if whole * whole == rest else (root, rest)
        while rest % (prime * prime) == 0:
            rest //= prime * prime
            root *= prime
        prime += 1
    return root, rest


def root_of(x: Fraction) -> Surd:
    """Return the root of a fraction."""
    root, rest = _squared_out(x.numerator * x.denominator)
    return plain(Fraction(0)) if not x else {rest: Fraction(root, x.denominator)}


def plain(x: Fraction) -> Surd:
    """Return a fraction."""
    return {1: x} if x else {}


def added(*numbers: Surd) -> Surd:
    """Return a sum."""
    total: Surd = {}
    for number in numbers:
        for radicand, factor in number.items():
            total[radicand] = total.get(radicand, Fraction(0)) + factor
    return {radicand: factor for radicand, factor in total.items() if factor}


def times(number: Surd, factor: Fraction) -> Surd:
    """Return a multiple."""
    return {radicand: part * factor for radicand, part in number.items()} if factor else {}


def product(one: Surd, other: Surd) -> Surd:
    """Return a product."""
    parts = []
    for a, first in one.items():
        for b, second in other.items():
            root, rest = _squared_out(a * b)
            parts.append({rest: first * second * root})
    return added(*parts)


def decimal(number: Surd) -> Decimal:
    """Return a number with many digits."""
    with localcontext() as context:
        context.prec = _DIGITS
        return sum(
            (Decimal(f.numerator) / Decimal(f.denominator) * Decimal(r).sqrt() for r, f in number.items()), Decimal(0)
        )


def sign(number: Surd) -> int:
    """Return -1, 0 or 1; roots of different square-free numbers never cancel."""
    if not number:
        return 0
    shown = decimal(number)
    assert abs(shown) > _ZERO, f"too close to tell: {number}"
    return 1 if shown > 0 else -1


def side(number: Surd, bound: Fraction) -> int:
    """Return -1, 0 or 1 where a number is below, at or above a bound."""
    if not set(number) - {1}:
        value = number.get(1, Fraction(0))
        return (value > bound) - (value < bound)
    return sign(added(number, plain(-bound)))


def inside(number: Surd, said: Said) -> bool:
    """Tell whether a number is one that was said."""
    least, most = side(number, said.low), side(number, said.high)
    return (least > 0 if said.low_open else least >= 0) and (most < 0 if said.high_open else most <= 0)


def _ratio(top: int, bottom: int) -> Surd | None:
    return plain(Fraction(top, bottom)) if bottom else None


def score(meant: Meant, cells: Cells, undefined: str = "none") -> Surd | None:
    """Return a score of one table, by its definition; None where it has none."""
    average = meant.average or meant.id == "balanced_accuracy"
    tp, fn, fp, tn = cells[::-1] if meant.swapped and not average else cells
    if meant.average == "micro":
        found = _score(meant.id, tp + tn, fn + fp, fp + fn, tn + tp)
        return _or_filled(found, FILLS.get(undefined))
    if average:
        base = meant.id if meant.average else "recall"
        parts = [_score(base, tp, fn, fp, tn), _score(base, tn, fp, fn, tp)]
        weights = [tp + fn, fp + tn] if meant.average == "weighted" else [1, 1]
        return averaged(parts[::-1] if meant.swapped else parts, weights, undefined)
    return _or_filled(_score(meant.id, tp, fn, fp, tn), fill_of(meant.id, undefined))


def _or_filled(found: Surd | None, fill: int | None) -> Surd | None:
    return plain(Fraction(fill)) if found is None and fill is not None else found


def averaged(parts: Sequence[Surd | None], weights: Sequence[int], undefined: str) -> Surd | None:
    """Return a weighted mean of scores of which some may have none."""
    if undefined in ("none", "any") and None in parts:
        return None
    filled = [_or_filled(part, FILLS.get(undefined)) for part in parts]
    kept = [(part, weight) for part, weight in zip(filled, weights, strict=True) if part is not None]
    whole = sum(weight for _, weight in kept)
    return times(added(*(times(part, Fraction(w)) for part, w in kept)), Fraction(1, whole)) if whole else None


def _score(name: str, tp: int, fn: int, fp: int, tn: int) -> Surd | None:
    """Return a score as textbooks write it: rates first, then what is made of them."""
    p, n, said, unsaid, total = tp + fn, fp + tn, tp + fp, fn + tn, tp + fn + fp + tn
    counts = {"tp": tp, "fn": fn, "fp": fp, "tn": tn, "correct": tp + tn, "wrong": fn + fp}
    counts |= {"predicted_positives": said, "predicted_negatives": unsaid}
    if name in counts:
        return plain(Fraction(counts[name]))
    try:
        return _rational(name, tp, fn, fp, tn) or _with_roots(name, tp, fn, fp, tn, p, n, said, unsaid, total)
    except ZeroDivisionError:
        return None


def _rational(name: str, tp: int, fn: int, fp: int, tn: int) -> Surd | None:
    total = tp + fn + fp + tn
    F = Fraction  # noqa: N806
    formulas = {
        "accuracy": lambda: 1 - F(fp + fn, total),
        "inaccuracy": lambda: 1 - F(tp + tn, total),
        "prevalence": lambda: 1 - F(fp + tn, total),
        "negative_prevalence": lambda: 1 - F(tp + fn, total),
        "predicted_positive_rate": lambda: 1 - F(fn + tn, total),
        "predicted_negative_rate": lambda: 1 - F(tp + fp, total),
        "recall": lambda: 1 - F(fn, tp + fn),
        "specificity": lambda: 1 - F(fp, fp + tn),
        "false_positive_rate": lambda: 1 - F(tn, fp + tn),
        "false_negative_rate": lambda: 1 - F(tp, tp + fn),
        "precision": lambda: 1 - F(fp, tp + fp),
        "negative_predictive_value": lambda: 1 - F(fn, fn + tn),
        "false_discovery_rate": lambda: 1 - F(tp, tp + fp),
        "false_omission_rate": lambda: 1 - F(tn, fn + tn),
        "jaccard": lambda: 1 - F(fn + fp, tp + fn + fp),
        "f1_harmonic": lambda: 2 / (1 / F(tp, tp + fp) + 1 / F(tp, tp + fn)),
        "kappa": lambda: _kappa(tp, fn, fp, tn),
        "informedness": lambda: F(tp, tp + fn) + F(tn, fp + tn) - 1,
        "markedness": lambda: F(tp, tp + fp) + F(tn, fn + tn) - 1,
        "p4": lambda: F(4 * tp * tn, 4 * tp * tn + (tp + tn) * (fp + fn)),
        "positive_likelihood_ratio": lambda: F(tp, tp + fn) / F(fp, fp + tn),
        "negative_likelihood_ratio": lambda: F(fn, tp + fn) / F(tn, fp + tn),
        "diagnostic_odds_ratio": lambda: F(tp * tn, fn * fp),
        "marginal_benefit": lambda: F(fp, total) - F(fn, total),
        "treatment_ratio": lambda: F(fn, fp),
    }
    if name in formulas:
        found = formulas[name]()
        return plain(found) or {1: Fraction(0)}
    if name[0] == "f" and name[1:2].isdigit():
        square = Fraction(name[1:]) ** 2
        found = (1 + square) * tp / ((1 + square) * tp + square * fn + fp)
        return plain(found) or {1: Fraction(0)}
    return None


def _kappa(tp: int, fn: int, fp: int, tn: int) -> Fraction:
    total = tp + fn + fp + tn
    seen = Fraction(tp + tn, total)
    chance = Fraction((tp + fn) * (tp + fp) + (fp + tn) * (fn + tn), total * total)
    return (seen - chance) / (1 - chance)


def _with_roots(
    name: str, tp: int, fn: int, fp: int, tn: int, p: int, n: int, said: int, unsaid: int, total: int
) -> Surd:
    if name == "mcc":
        return times(root_of(Fraction(1, said * p * n * unsaid)), Fraction(tp * tn - fp * fn)) or {1: Fraction(0)}
    if name == "g_mean":
        return root_of(Fraction(tp, p) * Fraction(tn, n)) or {1: Fraction(0)}
    if name == "fowlkes_mallows":
        return root_of(Fraction(tp, said) * Fraction(tp, p)) or {1: Fraction(0)}
    hit, alarm = Fraction(tp, p), Fraction(fp, n)
    if name == "prevalence_threshold_simplified" and hit == alarm and hit:
        return plain(Fraction(1, 2))
    # (sqrt(hit alarm) - alarm) / (hit - alarm), which is sqrt(alarm) / (sqrt(hit) + sqrt(alarm)) where they differ.
    assert name.startswith("prevalence_threshold"), name
    return times(added(root_of(hit * alarm), plain(-alarm)), 1 / (hit - alarm)) or {1: Fraction(0)}
