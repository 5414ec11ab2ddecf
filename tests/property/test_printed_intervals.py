"""Intervals beside scores of small tables, against all tables one by one and ends computed apart from the package."""

from __future__ import annotations

import random
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from scipy import stats

import fourfold as ff
from fourfold.claims import intervals

SHARES = {"recall": ("tp", ("tp", "fn")), "precision": ("tp", ("tp", "fp")), "npv": ("tn", ("tn", "fn"))}
HAIR = Decimal("1e-9")


def clopper_pearson(x: int, k: int) -> list[tuple[Decimal, Decimal]]:
    ends = stats.binomtest(x, k).proportion_ci(0.95, "exact")
    return [(Decimal(float(ends.low)), Decimal(float(ends.high)))]


def wilson(x: int, k: int) -> list[tuple[Decimal, Decimal]]:
    """Return the roots of k (x/k - p)^2 = z^2 p (1 - p), with z exact and as printed."""
    found = []
    for z in (Decimal(float(stats.norm.ppf(0.975))), Decimal("1.96")):
        a, b, c = k + z * z, -2 * x - z * z, Decimal(x * x) / k
        root = max(b * b - 4 * a * c, Decimal(0)).sqrt()
        found.append(((-b - root) / (2 * a), (-b + root) / (2 * a)))
    return found


def printed_so(value: Decimal, text: str) -> bool:
    return abs(value - Decimal(text)) <= Decimal("0.5").scaleb(-len(text.partition(".")[2])) + HAIR


def gives(ends: list[tuple[Decimal, Decimal]], low: str, high: str) -> bool:
    return any(printed_so(first, low) and printed_so(last, high) for first, last in ends)


@pytest.mark.parametrize("seed", range(30))
def test_methods_and_counts_are_those_of_all_tables_one_by_one(seed: int) -> None:
    draw = random.Random(seed)
    positives, negatives = draw.randint(3, 14), draw.randint(3, 14)
    tp, tn = draw.randint(1, positives), draw.randint(1, negatives)
    digits, twin = draw.choice((1, 2)), draw.choice((clopper_pearson, wilson))
    name = {clopper_pearson: "Clopper-Pearson", wilson: "Wilson"}[twin]
    cells = {"tp": tp, "fn": positives - tp, "fp": negatives - tn, "tn": tn}
    scores, printed = {}, {}
    with localcontext() as context:
        context.prec = 40
        for metric, (hits, parts) in SHARES.items():
            x, k = cells[hits], sum(cells[part] for part in parts)
            low, high = (f"{float(end):.3f}" for end in twin(x, k)[0])
            scores[metric] = f"{x / k:.{digits}f}"
            printed[metric] = (low, high)
        given = {metric: f"{text} ({'-'.join(printed[metric])})" for metric, text in scores.items()}
        sizes = {"positives": positives, "negatives": negatives, "undefined": "none", "bounds": "none"}
        found = ff.recover(**sizes, **given)
        counts, together, total = dict.fromkeys(SHARES, 0), 0, 0
        for a in range(positives + 1):
            for d in range(negatives + 1):
                table = {"tp": a, "fn": positives - a, "fp": negatives - d, "tn": d}
                pairs = {m: (table[hits], sum(table[part] for part in parts)) for m, (hits, parts) in SHARES.items()}
                half = Fraction(1, 2 * 10**digits)
                if any(not k or abs(Fraction(x, k) - Fraction(scores[m])) > half for m, (x, k) in pairs.items()):
                    continue
                fits = {m: gives(twin(x, k), *printed[m]) for m, (x, k) in pairs.items()}
                total += 1
                together += all(fits.values())
                for metric, own in fits.items():
                    counts[metric] += own
    assert found.count == total
    assert total == ff.recover(**sizes, **scores).count, "an interval rules no table out"
    for check in found.intervals:
        usual = [each.tables for each in check.methods if (each.method, each.level) == (name, 0.95)]
        assert usual == [counts[check.name]]
    assert [each.tables for each in found.interval_methods if (each.method, each.level) == (name, 0.95)] == [together]
    assert together


@pytest.mark.parametrize("seed", range(30))
def test_counting_by_rows_is_counting_one_by_one(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(seed)
    name = draw.choice(("recall", "specificity", "accuracy", "prevalence", "fnr", "predicted_positive_rate"))
    sizes = draw.choice(({"positives": 30, "negatives": 20}, {"total": 25}, {"positives": "5-9", "negatives": 12}))
    middle, reach = draw.uniform(0.2, 0.8), draw.choice((0.1, 0.15, 0.2))
    text = f"{middle:.1f} ({middle - reach:.1f}-{middle + reach:.1f})"
    given = {**sizes, "bounds": "none", "undefined": "none", name: text, "markedness": "[-0.9, 0.7]"}
    one_by_one = ff.recover(**given).intervals
    monkeypatch.setattr(intervals, "MOST_TABLES", 0)
    assert ff.recover(**given).intervals == one_by_one
    if one_by_one[0].tables:
        assert one_by_one[0].verdict != "not_checked"
