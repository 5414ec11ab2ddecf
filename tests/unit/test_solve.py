from __future__ import annotations

from itertools import product
from math import comb, gcd

import numpy as np
import pytest

import fourfold as ff
from fourfold import solve
from fourfold.solve.rows import first_of_alike

SIZES = range(13)


def brute(total: int) -> list[tuple[int, int, int, int]]:
    return [cell for cell in product(range(total + 1), repeat=4) if sum(cell) == total]


@pytest.mark.parametrize("total", SIZES)
def test_counts_and_walk_equal_a_plain_enumeration(total: int) -> None:
    tables = brute(total)
    assert solve.count(total) == len(tables)
    for value in range(total + 2):
        assert solve.count_with_cell(value, total) == sum(table[2] == value for table in tables)
    walked = [tuple(piece[i].cells().values()) for piece in solve.walk(total) for i in range(len(piece))]
    assert sorted(walked) == sorted(tables)


def test_numbers_of_the_paper() -> None:
    assert solve.count(30) == sum(len(tables) for tables in solve.walk(30)) == 5456
    assert solve.count_with_cell(0, 30) == 496
    assert solve.pillai(30) == 135


def test_row_monotonicity_of_averages() -> None:
    assert solve.row_monotone(ff.metric("macro_f1").formula)
    assert not solve.row_monotone(ff.metric("macro_treatment_ratio").formula)


@pytest.mark.parametrize("name", [*ff.METRICS, "f2", "macro_f1", "macro_mcc", "weighted_precision", "macro_kappa"])
def test_holes_equal_brute_force(name: str) -> None:
    formula = ff.metric(name).formula
    for total in SIZES:
        undefined = [
            t for t in brute(total) if formula.exact(dict(zip(("tp", "fn", "fp", "tn"), t, strict=True))) is None
        ]
        found = ff.holes(name, total)
        assert found.count == len(undefined), total
        assert found.total == solve.count(total)
        assert bool(found.reasons) == bool(undefined)


@pytest.mark.parametrize("name", [*ff.METRICS])
def test_reasons_hold_where_they_are_counted(name: str) -> None:
    metric = ff.metric(name)
    for total in (1, 4, 6, 9):
        why = [
            metric.why_undefined(ff.Table(**dict(zip(("tp", "fn", "fp", "tn"), t, strict=True)))) for t in brute(total)
        ]
        for words, many in ff.holes(name, total).reasons:
            assert many == sum(words in each for each in why), (total, words)


CLOSED_FORMS = {
    "accuracy": lambda n: 0,
    "marginal_benefit": lambda n: 0,
    "f1": lambda n: 1,
    "precision": lambda n: n + 1,
    "false_omission_rate": lambda n: n + 1,
    "mcc": lambda n: 4 * n,
    "f1_harmonic": lambda n: comb(n + 2, 2),
    "prevalence_threshold_simplified": lambda n: 3 * n + 1,
}


@pytest.mark.parametrize("name", CLOSED_FORMS)
@pytest.mark.parametrize("size", [1, 30, 10**3, 10**9, 10**30])
def test_closed_forms(name: str, size: int) -> None:
    assert ff.holes(name, size).count == CLOSED_FORMS[name](size)


@pytest.mark.parametrize("size", [1, 2, 4, 30, 97, 1000])
def test_departs_from_001_theorem_c5(size: int) -> None:
    """The prevalence threshold has Pillai(N) + 2N + 1 holes; the paper's upper bound is below that for N = 4."""
    pillai = sum(gcd(k, size) for k in range(1, size + 1))
    assert solve.pillai(size) == pillai
    assert ff.holes("prevalence_threshold", size).count == pillai + 2 * size + 1


def test_departs_from_001_theorem_c5_numbers() -> None:
    assert ff.holes("prevalence_threshold", 4).count == 17  # the paper: less than 10.27
    assert ff.holes("prevalence_threshold", 7).count == 28  # sharp lower bound 4N for primes; the paper: 2N + 2


@pytest.mark.parametrize(("a", "b"), [(1, 1), (2, 3), (5, 4)])
def test_departs_from_001_theorem_c6(a: int, b: int) -> None:
    """Treatment equality is undefined for pairs; the paper adds where it should multiply ((1, 1): 5 instead of 15)."""
    expected = comb(a + 3, 3) * comb(b + 3, 3) - comb(a + 2, 3) * comb(b + 2, 3)
    found = ff.holes("treatment_equality", (a, b))
    assert found.count == expected
    undefined = sum(first[2] == 0 or second[2] == 0 for first in brute(a) for second in brute(b))
    assert found.count == undefined


@pytest.mark.parametrize(
    "name", ["marginal_benefit_ratio", "mcc_ratio", "prevalence_threshold_ratio", "ofi", "equalized_odds"]
)
def test_holes_of_pairs_equal_brute_force(name: str) -> None:
    contrast = ff.metrics.contrast(name)
    for a, b in ((0, 2), (2, 3), (3, 3)):
        first = [ff.Table(**dict(zip(("tp", "fn", "fp", "tn"), t, strict=True))) for t in brute(a)]
        second = [ff.Table(**dict(zip(("tp", "fn", "fp", "tn"), t, strict=True))) for t in brute(b)]
        expected = sum(contrast.value(x, y) is None for x in first for y in second)
        assert ff.holes(name, (a, b)).count == expected, (a, b)


def test_difference_of_counts_is_walked_over_two_cells_only() -> None:
    """fp = fn: sum over d of the ways to share the other n - 2d cases; far beyond walking all tables."""
    n = 400
    expected = sum(n - 2 * d + 1 for d in range(n // 2 + 1))
    found = ff.holes("marginal_benefit_ratio", n)
    assert found.total - found.count == solve.count(n) * (solve.count(n) - expected)


def test_prime_size_at_the_edge_of_factoring() -> None:
    prime = 999999937
    assert ff.holes("prevalence_threshold", prime).count == 4 * prime


def test_beyond_the_budget_it_says_so() -> None:
    with pytest.raises(ff.TooLarge, match=r"^size: .+ got 100000000000001. Hint: "):
        ff.holes("prevalence_threshold", 10**14 + 1)
    with pytest.raises(ff.TooLarge):
        ff.holes("prevalence_threshold_ratio", 200)
    described = solve.describe("prevalence_threshold_ratio")
    assert [found.sizes[0] for found in described.holes] == [10]
    assert described.notes[0].code == "sizes_left_out"


@pytest.mark.parametrize(
    ("name", "size"), [("mcc", -1), ("mcc", 1.5), ("mcc", "30"), ("mcc", (3, 4)), ("ofi", (1, 2, 3)), ("ofi", ())]
)
def test_bad_sizes(name: str, size: object) -> None:
    with pytest.raises(ff.InputError, match=r"^size: .+, got .+\. Hint: .+\.$"):
        ff.holes(name, size)


def test_result() -> None:
    found = ff.holes("mcc", 30)
    assert (found.count, found.total) == (120, 5456)
    assert found.to_dict()["reasons"][0] == {"reason": "no predicted positives", "count": 31}
    assert len(found.rows()) == 4
    assert ff.holes("accuracy", 30).rows() == [
        {"metric": "accuracy", "size": "30", "undefined": 0, "tables": 5456, "share": 0.0}
    ]


@pytest.mark.parametrize("width", [1, 2, 4])
def test_lines_that_are_alike_are_those_that_numpy_finds(width: int) -> None:
    rng = np.random.default_rng(width)
    for length in (0, 1, 2, 50):
        for values in (rng.integers(-2, 3, (length, width)), rng.integers(-2, 3, (length, width)) / 3 * -0.0):
            _, expected = np.unique(values, axis=0, return_index=True)
            assert first_of_alike(values).tolist() == expected.tolist()
