"""Leaving out the least certain cases: by a plain loop, by scipy, with ties, and with what is wanted."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import fourfold as ff
from fourfold.certainty import abstain
from fourfold.metrics import score_of

LABELS = ("a", "b", "c")


@st.composite
def cases(draw: Any, least: int = 1) -> tuple[list[str], list[list[float]]]:
    """Rows of tenths, so that many certainties are equal."""
    size = draw(st.integers(least, 25))
    rows = [draw(st.sampled_from(TENTHS)) for _ in range(size)]
    return [draw(st.sampled_from(LABELS)) for _ in range(size)], rows


TENTHS = [[i / 10, j / 10, (10 - i - j) / 10] for i in range(11) for j in range(11 - i)]


def by_loop(truth: list[str], rows: list[list[float]]) -> dict[float, tuple[int, int]]:
    """Return how many are kept and right at each certainty that occurs, as anyone would count."""
    best = [(max(row), LABELS[row.index(max(row))] == actual) for row, actual in zip(rows, truth, strict=True)]
    return {
        least: (sum(p >= least for p, _ in best), sum(right for p, right in best if p >= least)) for least, _ in best
    }


@settings(max_examples=40, deadline=None)
@given(cases())
def test_points_are_those_of_a_plain_loop(given: tuple[list[str], list[list[float]]]) -> None:
    """A point for each certainty that occurs: equal ones stay or go together."""
    found = abstain(*given, labels=LABELS, draws=1)
    assert {point.threshold: (point.kept, point.right) for point in found.points} == by_loop(*given)
    assert [point.kept for point in found.points] == sorted({kept for kept, _ in by_loop(*given).values()})
    for point in found.points:
        wanted = stats.binomtest(point.right, point.kept).proportion_ci(0.95, method="exact")
        assert (point.low, point.high) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
        assert point.value == point.right / point.kept
        assert point.share == point.kept / len(given[0])


@settings(max_examples=40, deadline=None)
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(given: tuple[list[str], list[list[float]]], draw: Any) -> None:
    order = list(range(len(given[0])))
    draw.shuffle(order)
    shuffled = [given[0][place] for place in order], [given[1][place] for place in order]
    assert abstain(*shuffled, labels=LABELS, draws=1).points == abstain(*given, labels=LABELS, draws=1).points


@settings(max_examples=40, deadline=None)
@given(cases(), st.sampled_from(["0.5", "0.95", "2/3", "1", 0.9, 0.7]))
def test_the_most_cases_that_reach_what_is_wanted(given: tuple[list[str], list[list[float]]], want: Any) -> None:
    found = abstain(*given, labels=LABELS, want=want, draws=5)
    counts = by_loop(*given)
    reaching = [kept for kept, right in counts.values() if Fraction(right, kept) >= Fraction(str(want))]
    assert (found.chosen.kept if found.chosen else None) == max(reaching, default=None)
    sure = [
        kept
        for kept, right in counts.values()
        if stats.binomtest(right, kept).proportion_ci(0.95, method="exact").low >= Fraction(str(want))
    ]
    assert (found.sure.kept if found.sure else None) == max(sure, default=None)
    assert [note.code for note in found.notes] == ["chosen_on_same"]


def test_what_is_wanted_is_compared_in_whole_numbers() -> None:
    """0.7 of 10 cases is 7, though 0.7 as a binary number is a little less, and 0.1 + 0.2 a little more than 0.3."""
    truth = ["a"] * 7 + ["b"] * 3
    assert abstain(truth, [[0.9, 0.1]] * 10, want=0.7, draws=1).chosen.kept == 10
    assert abstain(truth, [[0.9, 0.1]] * 10, want="7/10", draws=1).chosen.kept == 10
    assert abstain(truth, [[0.9, 0.1]] * 10, want="0.7000000000000001", draws=1).chosen is None


@settings(max_examples=25, deadline=None)
@given(cases(), st.sampled_from(["macro_f1", "mcc", "kappa", "inaccuracy"]))
def test_any_metric_is_that_of_the_kept_cases(given: tuple[list[str], list[list[float]]], name: str) -> None:
    truth, rows = given
    found = abstain(truth, rows, name, labels=LABELS, draws=10, want=0.5)
    reach = []
    for point in found.points:
        kept = [(actual, row) for actual, row in zip(truth, rows, strict=True) if max(row) >= point.threshold]
        part = ff.decompose([actual for actual, _ in kept], [row for _, row in kept], LABELS)
        wanted = score_of(part.hard, ff.metric(name))
        assert point.value == (None if wanted.undefined else pytest.approx(wanted.value, abs=1e-12))
        if point.value is not None:
            assert point.low <= point.value <= point.high
            if (point.value <= 0.5 + 1e-12) if name == "inaccuracy" else (point.value >= 0.5 - 1e-12):
                reach.append(point.kept)
    assert (found.chosen.kept if found.chosen else None) == max(reach, default=None)


def test_given_predictions_count_by_their_own_probability() -> None:
    found = abstain(["a", "b"], [[0.6, 0.4], [0.6, 0.4]], prediction=["a", "b"], draws=1)
    assert [(point.threshold, point.right) for point in found.points] == [(0.6, 1), (0.4, 2)]


def test_many_points_are_thinned_and_the_ends_stay() -> None:
    draw = np.random.default_rng(3)
    rows = draw.dirichlet([1, 1], 5000)
    found = abstain(draw.integers(0, 2, 5000), rows, draws=1)
    assert len(found.points) == 200
    assert (found.points[0].kept, found.points[-1].kept) == (1, 5000)
    steps = np.diff([point.share for point in found.points])
    assert steps.max() < 0.0053


def test_choosing_on_the_same_cases_is_too_hopeful_and_the_left_out_cases_tell() -> None:
    """With scores that say nothing, any threshold that reaches more was chosen by luck: left-out cases show half."""
    draw = np.random.default_rng(1)
    rows = draw.uniform(0.5, 1, 300)
    found = abstain(draw.integers(0, 2, 300), np.column_stack([1 - rows, rows]), want=0.6, rng=2)
    assert found.chosen.value >= 0.6
    assert 0.4 < found.again.value < 0.57
    assert found.again.threshold_low <= found.again.threshold_high
    again = abstain(draw.integers(0, 2, 300), np.column_stack([1 - rows, rows]), want=0.6, rng=2)
    assert (again.again.seed, found.again.seed) == (2, 2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"want": 1.5}, "want: must be a number from 0 to 1"),
        ({"want": "much"}, "want: "),
        ({"want": True}, "want: "),
        ({"metric": "prevalence", "average": "macro", "want": 0.5}, "want: "),
        ({"level": 1}, "level: "),
        ({"draws": 0}, "draws: "),
    ],
)
def test_bad_options(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ff.InputError, match=words):
        abstain(["a", "b"], [[0.6, 0.4], [0.4, 0.6]], **options)
