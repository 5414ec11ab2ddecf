"""Two groups compared: tests of the metric against scipy, whole numbers, and cases dealt out one by one."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import fourfold as ff
from fourfold.chance.conditional import ConditionalLaw
from fourfold.groups.testing.measures import measure
from fourfold.groups.testing.permutation import Permutation, draws_for
from fourfold.strategy import using


def table(tp: int, fn: int, fp: int = 5, tn: int = 20) -> ff.Table:
    return ff.Table(tp=tp, fn=fn, fp=fp, tn=tn)


def tails(x: int, k: int, other: int, of: int) -> tuple[Fraction, Fraction, Fraction]:
    """Return the hypergeometric chances of at most x, of x, and of at least x, in whole numbers."""
    total = x + other
    ways = {i: math.comb(k, i) * math.comb(of, total - i) for i in range(k + 1) if 0 <= total - i <= of}
    whole = sum(ways.values())
    parts = (
        sum(n for i, n in ways.items() if holds(i)) for holds in (lambda i: i <= x, lambda i: i == x, lambda i: i >= x)
    )
    lower, equal, upper = (Fraction(part, whole) for part in parts)
    return lower, equal, upper


def test_the_two_examples_that_power_is_kept_by() -> None:
    found = ff.compare_groups(table(60, 30), table(320, 80), "recall")
    assert (round(found.p_value, 4), round(found.mid_p, 4)) == (0.0115, 0.0084)
    small = ff.compare_groups(table(6, 4, 10, 980), table(4000, 1000, 500, 4500), "recall")
    assert (round(small.p_value, 3), round(small.mid_p, 3)) == (0.243, 0.154)


@pytest.mark.parametrize("size", [3, 8])
def test_shares_against_whole_numbers(size: int) -> None:
    for x, other in product(range(size + 1), range(2 * size + 1)):
        found = ff.compare_groups(table(x, size - x), table(other, 2 * size - other), "recall")
        lower, equal, upper = tails(x, size, other, 2 * size)
        assert found.p_value == pytest.approx(float(min(1, 2 * min(lower, upper))), rel=1e-12)
        assert found.mid_p == pytest.approx(float(min(1, 2 * (min(lower, upper) - equal / 2))), rel=1e-12)


def test_shares_against_scipy_also_where_chances_are_tiny() -> None:
    rng = np.random.default_rng(5)
    tiny = 0
    for _ in range(300):
        k, of = (int(10 ** rng.uniform(0, 3.5)) for _ in range(2))
        x, other = int(k * rng.beta(0.3, 0.3)), int(of * rng.beta(0.3, 0.3))
        law = stats.hypergeom(k + of, x + other, k)
        tail = min(law.cdf(x), law.sf(x - 1))
        found = ff.compare_groups(table(x, k - x), table(other, of - other), "recall").p_value
        tiny += 1e-290 < tail < 1e-100
        if tail > 1e-290:
            assert found == pytest.approx(min(1.0, 2 * tail), rel=1e-11), (x, k, other, of)
    assert tiny > 10


@pytest.mark.parametrize(("x", "k", "other", "of"), [(75, 757, 1467, 9944), (5, 4000, 3900, 4000)])
def test_small_tails_keep_their_digits(x: int, k: int, other: int, of: int) -> None:
    """Digits that scipy itself loses: by whole numbers."""
    expected = 2 * min(part for i, part in enumerate(tails(x, k, other, of)) if i != 1)
    found = ff.compare_groups(table(x, k - x), table(other, of - other), "recall").p_value
    assert found == pytest.approx(float(expected), rel=1e-12)


def test_f1_and_jaccard_are_tested_by_what_decides_them() -> None:
    """Both are decided by tp of tp + fp + fn, so they have one test."""
    first, second = table(20, 10, 5, 100), table(60, 10, 10, 300)
    f1, jaccard = (ff.compare_groups(first, second, name) for name in ("f1", "jaccard"))
    lower, _, upper = tails(20, 35, 60, 80)
    assert f1.p_value == pytest.approx(float(2 * min(lower, upper)), rel=1e-12)
    assert jaccard.p_value == f1.p_value
    assert (f1.counted, f1.reference_counted) == ((20, 35), (60, 80))
    assert f1.difference.value == pytest.approx(ff.score(first, "f1") - ff.score(second, "f1"))


@pytest.mark.parametrize("name", ["recall", "f1", "precision", "accuracy", "fnr", "treatment_ratio"])
def test_an_interval_leaves_zero_out_where_the_test_rejects(name: str) -> None:
    rng = np.random.default_rng(11)
    for _ in range(60):
        first, second = (ff.Table.of_counts(*map(int, rng.integers(1, 40, 4))) for _ in range(2))
        for level in (0.8, 0.95):
            found = ff.compare_groups(first, second, name, level=level)
            assert found.difference.low <= found.difference.value <= found.difference.high
            outside = not found.difference.low <= 0 <= found.difference.high
            assert outside == (found.p_value < 1 - level)
            assert (not found.ratio.low <= 1 <= found.ratio.high) == outside


@pytest.mark.parametrize("name", ["recall", "f1"])
@pytest.mark.parametrize("sizes", [(10, 10), (8, 30)])
def test_intervals_of_a_difference_hold_wherever_the_shares_lie(name: str, sizes: tuple[int, int]) -> None:
    counts = [np.arange(size + 1) for size in sizes]
    pairs = [
        [
            ff.compare_groups(table(x, sizes[0] - x, 0, 0), table(y, sizes[1] - y, 0, 0), name).difference
            for y in counts[1].tolist()
        ]
        for x in counts[0].tolist()
    ]
    low, high = (np.array([[each[end] for each in row] for row in pairs]) for end in (1, 2))
    for shares in product(np.linspace(0.05, 0.95, 19), repeat=2):
        true = np.subtract(*(share if name == "recall" else 2 * share / (1 + share) for share in shares))
        own, other = (
            stats.binom.pmf(number, size, share) for number, size, share in zip(counts, sizes, shares, strict=True)
        )
        assert own @ ((low <= true + 1e-12) & (true - 1e-12 <= high)) @ other >= 0.95


def test_odds_ratio_of_one_table_as_scipy_has_it() -> None:
    for cells in ((10, 3, 4, 17), (2, 9, 7, 3), (30, 1, 12, 50)):
        tp, fn, fp, tn = cells
        expected = stats.contingency.odds_ratio([[tp, fn], [fp, tn]]).confidence_interval()
        assert ConditionalLaw.of_table(ff.Table.of_counts(*cells)).odds(tp, 0.95) == pytest.approx(
            tuple(expected), rel=1e-6
        )


def test_odds_ratios_given_all_margins() -> None:
    """Zelen's test: all pairs of tables with these margins and this sum of tp, weighted by their ways."""
    for own, other in (((3, 2, 1, 6), (8, 4, 5, 10)), ((2, 3, 0, 7), (9, 2, 3, 8))):

        def ways(cells: tuple[int, ...], tp: int) -> int:
            a, b, c, d = cells
            predicted = a + c
            return math.comb(a + b, tp) * math.comb(c + d, predicted - tp) if 0 <= predicted - tp <= c + d else 0

        total = own[0] + other[0]
        weights = {x: ways(own, x) * ways(other, total - x) for x in range(total + 1) if total - x >= 0}
        whole = sum(weights.values())
        lower = sum(count for x, count in weights.items() if x <= own[0])
        upper = sum(count for x, count in weights.items() if x >= own[0])
        found = ff.compare_groups(ff.Table.of_counts(*own), ff.Table.of_counts(*other), "odds_ratio")
        assert found.p_value == pytest.approx(float(min(1, 2 * Fraction(min(lower, upper), whole))), rel=1e-9)


def test_zero_cells_have_an_odds_ratio_too() -> None:
    found = ff.compare_groups(ff.Table(tp=2, fn=3, fp=0, tn=7), table(138, 38, 39, 245), "odds_ratio")
    assert found.score is None
    assert 0 < found.ratio.low < 1
    assert math.isinf(found.ratio.high)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["ratio_high"] is None


def studentised(name: str, own: np.ndarray, other: np.ndarray) -> float:
    """Return the difference of two scores over its spread, with slopes by small steps."""

    def score(cells: np.ndarray) -> float:
        return ff.metric(name).formula.evaluate(dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True))).item()

    spread = 0.0
    for cells in (own, other):
        near = cells + 0.5
        total, step = near.sum(), 1e-5
        pulls = (
            np.array([(score(near + step * unit) - score(near - step * unit)) / (2 * step) for unit in np.eye(4)])
            * total
        )
        share = near / total
        spread += ((share * pulls**2).sum() - (share * pulls).sum() ** 2) / cells.sum()
    return (score(own + 0.5) - score(other + 0.5)) / math.sqrt(spread)


@pytest.mark.parametrize("name", ["mcc", "kappa", "balanced_accuracy", "informedness"])
def test_permutation_against_all_ways_to_deal_out_the_cases(name: str) -> None:
    """Every table that the group could have had, each with the number of ways to choose its cases."""
    own, other = np.array([3, 1, 2, 3]), np.array([6, 3, 2, 9])
    pooled, size = own + other, int(own.sum())
    observed, values = studentised(name, own, other), []
    for a, b, c in product(*(range(count + 1) for count in pooled[:3])):
        drawn = np.array([a, b, c, size - a - b - c])
        if (drawn >= 0).all() and (drawn <= pooled).all():
            with np.errstate(all="ignore"):
                values.append(
                    (
                        studentised(name, drawn, pooled - drawn),
                        math.prod(map(math.comb, pooled.tolist(), drawn.tolist())),
                    )
                )
    known = [(value, ways) for value, ways in values if not math.isnan(value)]
    whole = sum(ways for _, ways in known)
    lower = sum(ways for value, ways in known if value <= observed + 1e-6) / whole
    upper = sum(ways for value, ways in known if value >= observed - 1e-6) / whole
    found = ff.compare_groups(ff.Table.of_counts(*own.tolist()), ff.Table.of_counts(*other.tolist()), name)
    assert found.method == "studentised permutation, all tables"
    assert found.exact
    assert found.p_value == pytest.approx(min(1, 2 * min(lower, upper)), rel=1e-6)


def test_drawn_and_complete_permutations_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    what, own, other = measure("mcc"), [9, 3, 4, 12], [60, 30, 20, 150]
    complete = Permutation(own, other, 99, 1).test(what, 0.95)
    monkeypatch.setattr("fourfold.groups.testing.permutation.MOST_TABLES", 0)
    drawn = Permutation(own, other, 40_000, 1).test(what, 0.95)
    assert (complete.draws, drawn.draws) == (None, 40_000)
    assert drawn.lower == pytest.approx(complete.lower, abs=0.01)
    assert (drawn.low, drawn.high) == pytest.approx((complete.low, complete.high), abs=0.1)


def test_a_seed_gives_the_same_answer_and_is_told() -> None:
    groups = table(300, 100, 80, 500), table(800, 200, 300, 2000)
    first, again, other = (ff.compare_groups(*groups, "mcc", rng=seed) for seed in (3, 3, 4))
    assert first.p_value == again.p_value
    assert (first.seed, first.draws) == (3, 9999)
    assert first.p_value == pytest.approx(other.p_value, abs=0.03)
    assert "approximation" in [note.code for note in first.notes]
    assert ff.compare_groups(*groups, "recall").seed is None


def test_there_are_as_many_draws_as_the_tests_need() -> None:
    for tests in (1, 100, 1000, 10_000):
        assert draws_for(tests, 0.95) >= 2 * tests / 0.05


def test_a_known_reference_leaves_the_binomial_number() -> None:
    found = ff.compare_groups(table(14, 11), table(126, 30), "recall", reference_known=True)
    sides = [stats.binomtest(14, 25, 126 / 156, side).pvalue for side in ("less", "greater")]
    assert found.p_value == pytest.approx(2 * min(sides), rel=1e-10)
    interval = stats.binomtest(14, 25).proportion_ci(0.95)
    assert (found.difference.low, found.difference.high) == pytest.approx(
        (interval.low - 126 / 156, interval.high - 126 / 156)
    )
    mcc = ff.compare_groups(table(14, 11), table(126, 30), "mcc", reference_known=True)
    assert "approximation" in [note.code for note in mcc.notes]


def test_what_is_undefined_is_not_tested_and_says_why() -> None:
    found = ff.compare_groups(ff.Table(tp=0, fn=0, fp=2, tn=3), table(3, 1), "recall")
    assert (found.score, found.p_value, found.method) == (None, None, "none")
    assert found.counted == (0, 0)
    assert found.notes[0].data["reasons"] == ["no actual positives"]
    assert ff.compare_groups(ff.Table(tp=2, fn=0, fp=0, tn=0), table(3, 1), "mcc").p_value is None


def test_matrices_of_several_classes() -> None:
    labels = ("a", "b", "c")
    first, second = (
        ff.Matrix(values, labels)
        for values in ([[5, 1, 2], [0, 8, 1], [2, 2, 4]], [[50, 4, 9], [6, 60, 3], [8, 9, 40]])
    )
    accuracy = ff.compare_groups(first, second, "accuracy")
    assert (accuracy.counted, accuracy.reference_counted) == ((17, 25), (150, 189))
    lower, _, upper = tails(17, 25, 150, 189)
    assert accuracy.p_value == pytest.approx(float(2 * min(lower, upper)), rel=1e-12)
    one = ff.compare_groups(first, second, "recall[b]")
    again = ff.compare_groups(first.one_vs_rest()[1], second.one_vs_rest()[1], "recall")
    assert (one.p_value, one.difference, one.metric) == (again.p_value, again.difference, "recall[b]")
    macro = ff.compare_groups(first, second, "macro_f1")
    assert macro.score == pytest.approx(ff.score(first, "f1", average="macro"))
    assert 0 < macro.p_value < 1
    assert macro.to_dict()["matrix"] == first.tolist()
    with pytest.raises(ff.InputError, match="is a score of one class"):
        ff.compare_groups(first, second, "recall")
    with pytest.raises(ff.InputError, match="same classes"):
        ff.compare_groups(first, table(1, 2), "accuracy")
    with pytest.raises(ff.InputError, match="not there"):
        ff.compare_groups(first, second, "recall[d]")


@pytest.mark.parametrize(
    "name", ["kappa", "mcc", "macro_f1", "weighted_precision", "micro_specificity", "balanced_accuracy"]
)
def test_two_classes_as_a_matrix_have_the_slopes_of_numbers(name: str) -> None:
    """The spread of a score over many matrices, against slopes by small steps."""
    what = measure(name, ("a", "b", "c"))
    cells = np.array([5.0, 1, 2, 3, 8, 1, 2, 2, 4])[:, None]
    near, step = cells + 0.5, 1e-5
    pulls = np.array(
        [
            (what.values(near + step * unit) - what.values(near - step * unit)).item() / (2 * step)
            for unit in np.eye(9)[:, :, None]
        ]
    )
    share = (near / near.sum()).ravel()
    pulls = pulls * near.sum()
    expected = (share * pulls**2).sum() - (share * pulls).sum() ** 2
    assert what.variances(cells).item() == pytest.approx(expected, rel=1e-6)
    matrix = ff.Matrix(cells.reshape(3, 3).astype(int), ("a", "b", "c"))
    assert what.values(cells).item() == pytest.approx(what.score(matrix)[0])


def test_conditional_laws_at_other_odds() -> None:
    """Fisher's noncentral law: at the ends of the odds left open, each tail has half of what is left out."""
    for k, others, total in ((12, 30, 15), (200, 1000, 300), (3000, 40_000, 2500)):
        law = ConditionalLaw.of_shares(k, others, total)
        numbers, middle = np.arange(law.low, law.high + 1), total * k // (k + others)
        ways = -sum(special.gammaln(n + 1) for n in (numbers, k - numbers, total - numbers, others - total + numbers))

        def chance(at_most: int, odds: float, logs: Any = ways, numbers: Any = numbers) -> float:
            chances = special.softmax(logs + numbers * math.log(odds))
            return float(chances[numbers <= at_most].sum())

        for x, level in product((law.low, law.low + 1, middle, law.high - 1, law.high), (0.5, 0.95, 0.9999)):
            low, high = law.odds(x, level)
            assert (low == 0, math.isinf(high)) == (x == law.low, x == law.high)
            if x > law.low:
                assert 1 - chance(x - 1, low) == pytest.approx((1 - level) / 2, rel=1e-7)
            if x < law.high:
                assert chance(x, high) == pytest.approx((1 - level) / 2, rel=1e-7)
    law, known = ConditionalLaw.of_shares(12, 30, 15), stats.hypergeom(42, 12, 15)
    assert list(law.split(6)) == pytest.approx([known.cdf(5), known.pmf(6), known.sf(6)], rel=1e-9)


@pytest.mark.parametrize(("sizes", "shares"), [((5, 20), (0.9, 0.6)), ((20, 20), (0.9, 0.6)), ((5, 20), (0.8, 0.3))])
def test_intervals_of_a_ratio_hold(sizes: tuple[int, int], shares: tuple[float, float]) -> None:
    covered = 0.0
    for x, y in product(range(sizes[0] + 1), range(sizes[1] + 1)):
        ratio = ff.compare_groups(table(x, sizes[0] - x, 0, 0), table(y, sizes[1] - y, 0, 0), "recall").ratio
        low, high = (0.0 if ratio.low is None else ratio.low), (math.inf if ratio.high is None else ratio.high)
        if low - 1e-12 <= shares[0] / shares[1] <= high + 1e-12:
            covered += stats.binom.pmf(x, sizes[0], shares[0]) * stats.binom.pmf(y, sizes[1], shares[1])
    assert covered >= 0.95


def test_large_laws_are_looked_at_around_their_peak() -> None:
    """Both ways, above and below the size from which they are summed outwards."""
    shares, odds = ConditionalLaw.of_shares(15_000, 40_000, 21_000), table(3000, 900, 700, 5000)
    other = table(2000, 700, 500, 3000)
    whole = shares.odds(5600, 0.95), ConditionalLaw.of_odds(odds, other).two_sided(3000)
    with using(summed_outwards_above_numbers=100):
        again = shares.odds(5600, 0.95), ConditionalLaw.of_odds(odds, other).two_sided(3000)
    assert again[0] == pytest.approx(whole[0], rel=1e-9)
    assert again[1] == pytest.approx(whole[1], rel=1e-9)


def test_huge_counts_are_compared() -> None:
    """The difference of two shares of so many cases is normal: z is the difference over its standard error."""
    n = 10**9
    found = ff.compare_groups(table(n, n), table(n + 60_000, n - 60_000), "recall")
    z = 30_000 / n / math.sqrt(0.25 / (2 * n) * 2)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(z), rel=1e-3)
    mcc = ff.compare_groups(table(n, n, n, n), table(n, n, n, n), "mcc")
    assert (mcc.p_value, mcc.notes[-1].code) == (None, "not_tested")


def test_an_interval_where_nothing_can_be_rejected_is_open() -> None:
    found = ff.compare_groups(ff.Table(tp=1, fn=0, fp=0, tn=1), ff.Table(tp=1, fn=1, fp=0, tn=1), "mcc")
    assert found.p_value > 0.05
    assert found.difference.low <= found.difference.value <= found.difference.high
    assert (found.difference.low, found.difference.high) == (-2, 2)
