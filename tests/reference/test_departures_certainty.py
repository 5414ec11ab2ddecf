"""Where we depart from Aguilar-Ruiz (2024) (Aguilar-Ruiz, 2024), each with an example that shows why."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fourfold.certainty import decompose

#: Examples 1 to 13 of the paper.
TRUTH = ["A", "A", "A", "B", "B", "C"]
ROWS = np.array([[0.9, 0.1, 0], [0.8, 0, 0.2], [0.6, 0.1, 0.3], [0.4, 0.3, 0.3], [0.1, 0.8, 0.1], [0, 0.9, 0.1]])
ONE_HOT = np.array([[1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]])


def test_departs_from_002_maximum_of_a_row() -> None:
    """Equation 9 takes the maximum over i, which are the rows; its own Example 7 takes it over a row's classes."""
    printed = np.where(ROWS.max(axis=0) == ROWS, ROWS, 0)
    meant = np.where(ROWS.max(axis=1, keepdims=True) == ROWS, ROWS, 0)
    example_8 = [[2.3, 0, 0], [0.4, 0.8, 0], [0, 0.9, 0]]
    np.testing.assert_allclose(ONE_HOT.T @ meant, example_8)
    assert not np.allclose(ONE_HOT.T @ printed, example_8)
    np.testing.assert_allclose(decompose(TRUTH, ROWS).certain.values, example_8)


def test_departs_from_002_ties() -> None:
    """Equation 9 gives every tied maximum to the certain part, although only one class was predicted.

    Then rows that know nothing at all would be wholly certain, and the certain part would hold cells where no case was
    counted.
    """
    rows = np.full((3, 3), 1 / 3)
    printed = np.where(rows == rows.max(axis=1, keepdims=True), rows, 0)
    assert printed.sum() == pytest.approx(3)
    found = decompose(["a", "b", "c"], rows)
    assert found.tied == 3
    assert found.weight_certain == pytest.approx(1 / 3)
    assert not found.certain.values[found.hard.values == 0].any()
    last = decompose(["a", "b", "c"], rows, prediction=["c", "c", "c"])
    np.testing.assert_allclose(last.certain.values, [[0, 0, 1 / 3]] * 3)


def test_departs_from_002_nothing_uncertain() -> None:
    """Hard probabilities leave 0/0 for the uncertain part. The paper's tables print 0 and a ratio of 100 %."""
    found = decompose(["a", "b", "b"], [[1, 0], [0, 1], [1, 0]])
    strict, paper = found.ratio("accuracy"), found.ratio("accuracy", convention="paper")
    assert (strict.uncertain, strict.value) == (None, None)
    assert strict.reasons[0].startswith("uncertain: ")
    assert paper.value == 1


def test_departs_from_002_signed_measures() -> None:
    """The ratio is said to lie between 0 and 1 for any measure; that fails for those that can be negative.

    Two right predictions: the certain part is diagonal, so kappa and MCC are 1; the uncertain part has only wrong
    cells, 0.1 and 0.2: MCC is −1 and kappa (0 − 2 · 0.1 · 0.2) / (0.3² − 2 · 0.1 · 0.2) = −0.8.
    """
    found = decompose([0, 1], [[0.9, 0.1], [0.2, 0.8]])
    assert found.ratio("mcc").value is None
    assert found.ratio("mcc").reasons == ("certain and uncertain scores sum to zero",)
    assert found.ratio("kappa").value == pytest.approx(1 / (1 - 0.8))
    assert [note.code for note in found.ratio("kappa").notes] == ["ratio_unbounded"]


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_departs_from_002_bound_of_the_divergence(k: int) -> None:
    """The divergence is said to reach 1. It is at most √(1 − 1/k), reached by cases of one class that know nothing."""
    found = decompose([0] * 4, np.full((4, k), 1 / k), list(range(k)))
    assert found.divergence == pytest.approx(math.sqrt(1 - 1 / k))
    assert found.largest_divergence == pytest.approx(math.sqrt(1 - 1 / k))
    assert found.largest_divergence < 1


def test_departs_from_002_no_divergence_without_certainty() -> None:
    """A divergence of 0 is said to mean no uncertainty. Errors in both directions cancel in the sums."""
    found = decompose(["a", "a"], [[0.7, 0.3], [0.3, 0.7]], ["a", "b"])
    assert found.divergence == pytest.approx(0, abs=1e-15)
    assert 1 - found.weight_certain == pytest.approx(0.3)


def test_departs_from_002_ratio_of_one_without_confidence() -> None:
    """A ratio of 1 is said to mean complete confidence. It means that no probability left over was right."""
    found = decompose(["a", "b"], [[0.51, 0.49], [0.49, 0.51]])
    assert found.ratio("accuracy").value == 1
    assert found.weight_certain == pytest.approx(0.51)


def test_departs_from_002_no_function_of_the_two_parts() -> None:
    """Equation 14 makes the soft score a function of the two parts' scores. It needs their shares as well."""
    bold = decompose(["a", "b"], [[0.9, 0.1], [0.1, 0.9]]).ratio("accuracy")
    meek = decompose(["a", "b"], [[0.6, 0.4], [0.4, 0.6]]).ratio("accuracy")
    assert (bold.certain, bold.uncertain) == (meek.certain, meek.uncertain) == (1, 0)
    assert (bold.soft, meek.soft) == pytest.approx((0.9, 0.6))
    for each in (bold, meek):
        parts = each.weight_certain * each.certain + each.weight_uncertain * each.uncertain
        assert each.soft == pytest.approx(parts)


def test_departs_from_002_more_confidence_in_what_is_right() -> None:
    """The ratio is said to grow with the probability of a right prediction. It can fall: see the second row's 0.3.

    From 0.6 to 0.9 the certain part's accuracy grows from 6/13 to 9/16, but that of the uncertain part from 3/7 to 3/4.
    """
    before = decompose(["a", "a"], [[0.6, 0.4], [0.3, 0.7]], ["a", "b"]).ratio("accuracy")
    after = decompose(["a", "a"], [[0.9, 0.1], [0.3, 0.7]], ["a", "b"]).ratio("accuracy")
    assert before.value == pytest.approx((6 / 13) / (6 / 13 + 3 / 7))
    assert after.value == pytest.approx((9 / 16) / (9 / 16 + 3 / 4))
    assert after.value < before.value
