"""Plans: power against brute force and simulation, and the jagged curve read off rightly."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import fourfold as ff
from fourfold import answers, cli, groups, plots
from fourfold.chance.conditional import ConditionalLaw
from fourfold.chance.power import binomial_power, conditional_power
from fourfold.questions import QUESTIONS, Asked

from .pictures import assert_drawn

ONE, OTHER = {"tp": 12, "fn": 8, "fp": 10, "tn": 70}, {"tp": 0.18, "fn": 0.02, "fp": 0.04, "tn": 0.76}


def rejects(x: int, k: int, y: int, others: int, alpha: Fraction) -> bool:
    """Tell by counting ways whether twice the smaller tail, given the total, is at most alpha."""
    ways = {i: math.comb(k, i) * math.comb(others, x + y - i) for i in range(max(0, x + y - others), min(k, x + y) + 1)}
    below = sum(count for i, count in ways.items() if i <= x)
    above = sum(count for i, count in ways.items() if i >= x)
    return Fraction(2 * min(below, above), sum(ways.values())) <= alpha


def chance(x: int, k: int, share: Fraction) -> Fraction:
    return math.comb(k, x) * share**x * (1 - share) ** (k - x)


def brute(k: int, others: int, share: Fraction, other: Fraction, alpha: Fraction) -> Fraction:
    return sum(
        (
            chance(x, k, share) * chance(y, others, other)
            for x in range(k + 1)
            for y in range(others + 1)
            if rejects(x, k, y, others, alpha)
        ),
        start=Fraction(0),
    )


@pytest.mark.parametrize("alpha", [Fraction(1, 20), Fraction(1, 10), Fraction(1, 160), Fraction(1, 2)])
@pytest.mark.parametrize(("k", "others"), [(0, 3), (3, 0), (1, 1), (3, 3), (4, 4), (9, 5), (5, 11), (12, 12)])
def test_power_is_that_of_looking_at_all_pairs(k: int, others: int, alpha: Fraction) -> None:
    for share, other in ((0, 1), (Fraction(1, 10), Fraction(7, 10)), (Fraction(9, 10), Fraction(1, 3))):
        found = conditional_power(np.array([k]), np.array([others]), float(share), float(other), float(alpha))
        assert found[0] == pytest.approx(float(brute(k, others, Fraction(share), Fraction(other), alpha)), abs=1e-13)


def test_power_is_that_of_the_test_itself() -> None:
    """The same p-values that a comparison of two groups gives, at a size where windows leave numbers out."""
    k, others, share, other = 40, 150, 0.5, 0.75
    own, rest = (stats.binom.pmf(np.arange(n + 1), n, p) for n, p in ((k, share), (others, other)))
    wanted = 0.0
    for total in range(k + others + 1):
        law = ConditionalLaw.of_shares(k, others, total)
        for x in range(law.low, law.high + 1):
            if own[x] * rest[total - x] > 1e-14 and law.two_sided(x)[0] <= 0.05:
                wanted += own[x] * rest[total - x]
    found = conditional_power(np.array([k]), np.array([others]), share, other, 0.05)[0]
    assert found == pytest.approx(wanted, abs=1e-9)


def test_power_beside_a_known_share() -> None:
    for k in (1, 7, 30, 101):
        x = np.arange(k + 1)
        tails = np.minimum(stats.binom.cdf(x, k, 0.8), stats.binom.sf(x - 1, k, 0.8))
        wanted = stats.binom.pmf(x, k, 0.6)[2 * tails <= 0.05].sum()
        assert binomial_power(np.array([k]), 0.6, 0.8, 0.05)[0] == pytest.approx(wanted, abs=1e-12)


def test_a_large_reference_comes_near_a_known_one() -> None:
    k = np.array([200])
    known = binomial_power(k, 0.7, 0.8, 0.05)[0]
    assert conditional_power(k, np.array([1_000_000]), 0.7, 0.8, 0.05)[0] == pytest.approx(known, abs=0.02)


def test_power_of_a_simulation() -> None:
    """Draw groups of 200 cases, 30 % positives, and references with as many positives; count Fisher's rejections."""
    rng = np.random.default_rng(5)
    draws = 4000
    k = rng.binomial(200, 0.3, draws)
    x, y = rng.binomial(k, 0.6), rng.binomial(k, 0.8)
    tails = np.minimum(stats.hypergeom.cdf(x, 2 * k, k, x + y), stats.hypergeom.sf(x - 1, 2 * k, k, x + y))
    share = np.mean(2 * tails <= 0.05)
    found = ff.plan("recall", group=0.6, reference=0.8, prevalence=0.3, cases=200).value
    assert found == pytest.approx(share, abs=4 * math.sqrt(0.24 / draws))


def test_two_numbers_of_positives_left_to_chance_change_little() -> None:
    """The reference is taken to have as many positives as the group; here each has its own number of them."""
    k = np.arange(50, 132)
    chances = stats.binom.pmf(k, 302, 0.3)
    own, rest = (part.ravel() for part in np.meshgrid(k, k, indexing="ij"))
    power = chances @ conditional_power(own, rest, 0.6, 0.8, 0.05).reshape(len(k), -1) @ chances
    coupled = ff.plan("recall", group=0.6, reference=0.8, prevalence=0.3).value
    assert coupled - power == pytest.approx(0.00005, abs=0.00001)


def test_the_answer_keeps_the_target_and_one_case_less_does_not() -> None:
    plan = ff.plan("recall", group=0.6, reference=0.8, prevalence=0.3)
    power = {size.cases: size.value for size in plan.curve}
    assert plan.value == power[plan.cases] >= 0.8 > power[plan.cases - 1]
    assert all(value >= 0.8 for cases, value in power.items() if cases >= plan.cases)
    # The normal approximation with continuity correction (Fleiss) asks for 91 in each group.
    assert plan.expected == pytest.approx(91, abs=2)
    assert plan.checked_to > plan.cases
    assert plan.counted == "actual positives"


def test_the_curve_is_jagged_and_the_first_size_is_not_the_answer() -> None:
    plan = ff.plan("recall", group=0.6, reference=0.8, reference_known=True)
    x = np.arange(60)

    def power(k: int) -> float:
        tails = np.minimum(stats.binom.cdf(x, k, 0.8), stats.binom.sf(x - 1, k, 0.8))
        return float(stats.binom.pmf(x, k, 0.6)[2 * tails <= 0.05].sum())

    by_hand = {k: power(k) for k in range(1, 58)}
    assert plan.first == min(k for k, value in by_hand.items() if value >= 0.8)
    assert plan.cases == max(k for k, value in by_hand.items() if value < 0.8) + 1
    assert plan.first < plan.cases
    worse = [k for k in by_hand if plan.first < k <= 1.2 * plan.cases and by_hand[k] < by_hand[plan.first]]
    assert [size.cases for size in plan.worse] == worse
    assert any(by_hand[k] < 0.8 for k in worse)


def test_more_tests_a_smaller_difference_and_a_smaller_reference_need_more_cases() -> None:
    def cases(**options: Any) -> int:
        return ff.plan("recall", **{"group": 0.6, "reference": 0.8, **options}).cases

    plain = cases()
    assert cases(tests=16) > cases(tests=2) > plain
    assert cases(group=0.65) > plain > cases(group=0.5)
    assert cases(power=0.9) > plain > cases(level=0.9)
    assert cases(reference_known=True) < cases(reference_cases=1000) < plain
    assert cases(prevalence=0.3) > plain
    # Bonferroni: sixteen tests at 95 % are one at 1 - 0.05 / 16.
    assert cases(tests=16) == cases(level=1 - 0.05 / 16)


def test_the_share_of_cases_follows_from_the_prevalence_where_it_can() -> None:
    kept = {"group": 0.6, "reference": 0.8}
    same = ff.plan("recall", among=0.25, **kept).cases
    assert ff.plan("recall", prevalence=0.25, **kept).cases == same
    assert ff.plan("specificity", prevalence=0.75, **kept).cases == same
    assert ff.plan("accuracy", prevalence=0.25, **kept).among == 1
    assert ff.plan("accuracy", **kept).cases == ff.plan("recall", **kept).cases
    with pytest.raises(ff.InputError, match="share of predicted positives with among"):
        ff.plan("precision", prevalence=0.25, **kept)
    assert ff.plan("precision", among=0.25, **kept).cases == same
    table = {"tp": 0.15, "fn": 0.1, "fp": 0.05, "tn": 0.7}
    assert ff.plan("recall", group=table, reference=0.8).cases == same


def test_scores_of_f1_are_told_apart_by_their_shares() -> None:
    """F1 = 2J / (1 + J): 0.75 and 0.5 are J = 0.6 and 1/3."""
    f1 = ff.plan("f1", group=0.5, reference=0.75)
    jaccard = ff.plan("jaccard", group=1 / 3, reference=0.6)
    assert f1.cases == jaccard.cases
    assert (f1.group, f1.reference) == (pytest.approx(0.5), pytest.approx(0.75))
    assert f1.counted == "cases in tp + fn + fp"


def test_the_size_of_the_reference_is_counted_in_and_said() -> None:
    plan = ff.plan("recall", group=0.6, reference=0.8, prevalence=0.3, reference_cases=2000)
    assert plan.reference_count == 600
    assert any("2000 cases 600" in note.text for note in plan.notes)
    equal = ff.plan("recall", group=0.6, reference=0.8)
    assert [note.text for note in equal.notes] == [
        "the reference is taken to have as many actual positives as the group"
    ]


def test_a_reference_that_is_too_small_for_any_size() -> None:
    """Beside a group known to have 0.6, 5 of 5 has a chance of 0.078: only 0 of 5 rejects, with a chance of 0.2⁵."""
    plan = ff.plan("recall", group=0.6, reference=0.8, reference_cases=5, most=3000)
    assert plan.cases is None
    assert "size_not_found" in [note.code for note in plan.notes]
    assert plan.curve[-1].value == pytest.approx(0.2**5)
    assert answers.document(plan).title == "No size that was tried keeps a power of 80 %"


def test_the_smallest_difference_that_a_size_finds() -> None:
    plan = ff.plan("recall", group=0.6, reference=0.8, cases=90)
    for score, less in ((plan.detectable_low, 0.01), (plan.detectable_high, -0.01)):
        assert ff.plan("recall", group=score, reference=0.8, cases=90).value >= 0.8
        assert ff.plan("recall", group=score + less, reference=0.8, cases=90).value < 0.8
    # Ninety are what 0.6 needs.
    assert plan.detectable_low == pytest.approx(0.6, abs=0.002)
    falling = ff.plan("false_negative_rate", group=0.4, reference=0.2, cases=90)
    assert falling.detectable_high == pytest.approx(1 - plan.detectable_low, abs=1e-3)
    assert ff.plan("recall", group=0.6, reference=0.8, cases=3).detectable_low is None


def test_widths_are_the_mean_of_clopper_and_pearson() -> None:
    def mean_width(k: int) -> float:
        x = np.arange(k + 1)
        ends = [stats.binomtest(int(i), k).proportion_ci(0.95, method="exact") for i in x]
        return float(stats.binom.pmf(x, k, 0.8) @ [end.high - end.low for end in ends])

    plan = ff.plan("recall", group=0.8, width=0.2)
    assert plan.value == pytest.approx(mean_width(plan.cases), abs=1e-9)
    assert mean_width(plan.cases) <= 0.2 < mean_width(plan.cases - 1)
    assert 0 < plan.narrow < 1
    mixed = ff.plan("recall", group=0.8, width=0.2, prevalence=0.3)
    assert mixed.cases > plan.cases / 0.3
    sure = ff.plan("recall", group=1.0, width=0.2)
    # All of k found: the interval is 1 - 0.025 ** (1 / k).
    assert sure.cases == math.ceil(math.log(0.025) / math.log(0.8))
    assert sure.narrow == 1


def test_metrics_that_are_no_share_are_planned_from_their_laws() -> None:
    plan = ff.plan("mcc", group=ONE, reference=OTHER)
    assert plan.reference_known
    assert "exact" in plan.method
    size, rng, formula = plan.cases, np.random.default_rng(3), ff.metric("mcc").formula

    def drawn(shares: Any) -> Any:
        counts = rng.multinomial(size, np.array([*shares.values()], float) / sum(shares.values()), 40_000).T
        return formula.evaluate(dict(zip(("tp", "fn", "fp", "tn"), counts, strict=True)))

    low, high = np.nanquantile(drawn(OTHER), [0.025, 0.975])
    own = drawn(ONE)
    assert plan.value == pytest.approx(np.mean((own < low) | (own > high)), abs=0.02)
    with pytest.raises(ff.InputError, match="must be a table for Matthews"):
        ff.plan("mcc", group=0.5, reference=0.6)
    with pytest.raises(ff.InputError, match="width: cannot be used with Matthews"):
        ff.plan("mcc", group=ONE, width=0.1)


def test_laws_that_are_drawn_say_so() -> None:
    plan = ff.plan("mcc", group=ONE, reference=OTHER, cases=150, rng=4)
    assert "seed 4" in plan.method
    assert "approximation" in [note.code for note in plan.notes]
    assert plan == ff.plan("mcc", group=ONE, reference=OTHER, cases=150, rng=4)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "reference: is required"),
        ({"reference": 0.8, "width": 0.1}, "width: cannot be used with a reference"),
        ({"reference": 0.6}, "reference: is the same"),
        ({"reference": 1.2}, "reference: cannot be such a score"),
        ({"reference": 0.8, "power": 1.0}, "power: must lie between 0 and 1"),
        ({"reference": 0.8, "tests": 0}, "tests: must be at least 1"),
        ({"reference": 0.8, "prevalence": 0.0}, "prevalence: must be a share"),
        ({"reference": 0.8, "prevalence": 0.3, "among": 0.3}, "among: cannot be used with prevalence"),
        (
            {"reference": 0.8, "reference_cases": 9, "reference_known": True},
            "cannot be used with a reference that is known",
        ),
        ({"reference": {"tp": 1, "fn": 2}}, "reference: must have four cells"),
        ({"reference": {"tp": 0, "fn": 0, "fp": 1, "tn": 1}}, "reference: leaves Recall undefined"),
        ({"reference": 0.8, "cases": 0}, "cases: must be at least 1"),
        ({"reference": 0.8, "most": 0}, "most: must be at least 1"),
        ({"reference": "high"}, "reference: must be a score or a table"),
    ],
)
def test_what_is_wrong_is_told(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ff.InputError, match=words):
        ff.plan("recall", group=0.6, **options)


def test_progress_rises_to_one() -> None:
    told: list[float] = []
    ff.plan("recall", group=0.6, reference=0.8, prevalence=0.3, progress=told.append)
    assert told[-1] == 1
    assert all(a <= b for a, b in pairwise(told))


def test_the_curve_makes_rows() -> None:
    plan = ff.plan("accuracy", group=0.6, reference=0.8)
    rows = plan.rows()
    assert [row["cases"] for row in rows] == list(range(1, plan.checked_to + 1))
    assert rows[plan.cases - 1]["power"] == plan.value
    assert list(ff.plan("accuracy", group=0.8, width=0.2).rows()[0]) == ["cases", "mean_width"]


def test_the_command_answers_as_python_does(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    line = f"plan recall --group 0.6 --reference 0.8 --reference-known --plot {tmp_path / 'plan.png'} --json"
    with pytest.raises(SystemExit) as ended:
        cli.main(line.split())
    assert ended.value.code == 0
    assert json.loads(capsys.readouterr().out) == json.loads(
        json.dumps(groups.plan("recall", group=0.6, reference=0.8, reference_known=True).to_dict())
    )
    assert (tmp_path / "plan.png").read_bytes().startswith(b"\x89PNG")


def test_cells_are_read_alike_as_text_and_as_json() -> None:
    def ask(**values: Any) -> Any:
        return QUESTIONS["plan"].answer(Asked(values))

    text = ask(metric="recall", group="tp=12,fn=8,fp=10,tn=70", reference="0.9")
    assert text == ask(metric="recall", group=ONE, reference=0.9) == ff.plan("recall", group=ONE, reference=0.9)


def test_words_name_the_sizes_that_are_worse() -> None:
    plan = ff.plan("recall", group=0.6, reference=0.8, reference_known=True)
    text = str(plan)
    assert f"{plan.cases} actual positives would tell recall 0.6000 from 0.8000" in text
    assert "More is not always better: 42 (76.4 %)" in text


@pytest.mark.parametrize(
    "options",
    [
        {"reference": 0.8, "reference_known": True},
        {"reference": 0.8, "prevalence": 0.3},
        {"reference": 0.8, "cases": 40},
        {"reference": 0.8, "reference_cases": 5, "most": 40},
        {"width": 0.2},
    ],
)
def test_pictures(options: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    plan = ff.plan("recall", group=0.6, **options)
    chart = plots.draw(plan, "curve")
    assert_drawn(chart, tmp_path)
    spec = chart.to_dict()
    [marked] = [part for part in spec["layer"] if part.get("mark", {}).get("type") == "point"]
    kinds = {record["cases"]: record["kind"] for record in spec["datasets"][marked["data"]["name"]]}
    assert [cases for cases, kind in kinds.items() if kind == "the answer"] == [plan.cases][: plan.cases is not None]
    assert {cases for cases, kind in kinds.items() if "worse" in kind} == {size.cases for size in plan.worse}
    # A share lies between 0 and 1, and so does its axis: rounded ends would lie beyond them.
    scale = spec["layer"][0]["encoding"]["y"]["scale"]
    assert 0 <= scale["domain"][0] < scale["domain"][1] <= 1
    assert scale["nice"] is False
