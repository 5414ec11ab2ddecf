"""MCP and IMCP curves against the package of their authors, and against areas found by hand."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.multiclass import OneVsRestClassifier

import fourfold as ff
from fourfold.certainty import imcp, losses, mcp

PAPER = [[0.9, 0.1, 0], [0.8, 0, 0.2], [0.6, 0.1, 0.3], [0.4, 0.3, 0.3], [0.1, 0.8, 0.1], [0, 0.9, 0.1]]


def example(seed: int, counts: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and probabilities by plain arithmetic, so that everyone can make the same ones."""
    truth = np.repeat(np.arange(len(counts)), counts)
    raw = [
        [
            (i * 7 + j * 13 + seed * 29 + (i * j) % 11) % 17 + 1 + (8 if label == j and i % 3 else 0)
            for j in range(len(counts))
        ]
        for i, label in enumerate(truth)
    ]
    rows = np.array(raw, dtype=float)
    return truth, rows / rows.sum(axis=1, keepdims=True)


# Areas (MCP, IMCP) from the package imcp 1.0.1 with numpy 1.26.4 and scikit-learn 1.5.2: its
# mcp_score and imcp_score. It does not run with numpy 2.4 and later, which has no trapz.
IRIS = (0.6429451163360071, 0.6425709795475494)
PACKAGE = {
    "imbalanced, 40 8 2": (*example(1, [40, 8, 2]), 0.38735979943445187, 0.36283469651125244),
    "imbalanced, 5 30 15": (*example(2, [5, 30, 15]), 0.43502007158168887, 0.4408431498959027),
    "binary, 20 4": (*example(3, [20, 4]), 0.5226137977590526, 0.5291528570912263),
    "binary, one of each": (*example(5, [1, 1]), 0.5217164467088146, 0.5217164467088146),
    "Aguilar-Ruiz (2024)": (np.array([0, 0, 0, 1, 1, 2]), np.array(PAPER), 0.5352319374057962, 0.4546473487741019),
    "hard": (
        np.array([0, 1, 1, 0, 1, 0, 0, 0, 2, 2]),
        np.eye(3)[[0, 1, 0, 0, 1, 1, 0, 0, 2, 0]],
        0.7222222222222222,
        0.6805555555555556,
    ),
}


@pytest.mark.parametrize(("truth", "rows", "plain", "balanced"), PACKAGE.values(), ids=PACKAGE)
def test_areas_of_the_package(truth: np.ndarray, rows: np.ndarray, plain: float, balanced: float) -> None:
    assert mcp(truth, rows).area == pytest.approx(plain, abs=1e-12)
    assert imcp(truth, rows).area == pytest.approx(balanced, abs=1e-12)


def test_iris_of_the_package() -> None:
    """The example of its README, one class against the rest being said, as newer scikit-learn wants it."""
    features, truth = load_iris(return_X_y=True)
    model = OneVsRestClassifier(LogisticRegression(solver="liblinear")).fit(features, truth)
    rows = model.predict_proba(features)
    # The fit itself may differ a little between versions of scikit-learn.
    assert mcp(truth, rows).area == pytest.approx(IRIS[0], abs=1e-6)
    assert imcp(truth, rows).area == pytest.approx(IRIS[1], abs=1e-6)


def test_points_of_the_package() -> None:
    """The curves of Aguilar-Ruiz's six rows: imcp 1.0.1's mcp_curve and imcp_curve."""
    heights = [0.17309479, 0.32748424, 0.52523339, 0.6750803, 0.6750803, 0.7734681]
    plain, balanced = mcp([0, 0, 0, 1, 1, 2], PAPER), imcp([0, 0, 0, 1, 1, 2], PAPER)
    np.testing.assert_allclose(plain.x, [0, 0.2, 0.4, 0.6, 0.8, 1])
    np.testing.assert_allclose(plain.y, heights, atol=1e-8)
    np.testing.assert_allclose(balanced.y, [heights[0], *heights, heights[-1]], atol=1e-8)
    # Sixths for class C, then B, A, A, B, A: widths 1/3, 1/6, 1/9, 1/9, 1/6, 1/9.
    np.testing.assert_allclose(balanced.x, [0, 1 / 6, 5 / 12, 5 / 9, 2 / 3, 29 / 36, 17 / 18, 1])


def test_heights_by_hand() -> None:
    """For a row that sums to one the distance is √(1 − √p), p the true class's probability."""
    curve = mcp(["a", "b", "a"], [[0.25, 0.75], [1.0, 0.0], [1.0, 0.0]])
    np.testing.assert_allclose(curve.y, [0, 1 - math.sqrt(0.5), 1])
    assert curve.area == pytest.approx(0.5 * (0 + 2 * (1 - math.sqrt(0.5)) + 1) / 2)


def test_one_case_and_one_class() -> None:
    for make in (mcp, imcp):
        curve = make(["a"], [[0.25, 0.75]], ["a", "b"])
        assert (curve.x[0], curve.x[-1]) == (0, 1)
        assert curve.area == pytest.approx(1 - math.sqrt(0.5))


def test_a_class_without_cases_takes_no_width() -> None:
    curve = imcp(["a", "b"], [[1.0, 0, 0], [0, 1.0, 0]], ["a", "b", "c"])
    assert curve.area == 1
    assert curve.x.tolist() == [0, 0.25, 0.75, 1]
    assert [note.code for note in curve.notes] == ["class_without_cases"]
    assert mcp(["a", "b"], [[1.0, 0, 0], [0, 1.0, 0]], ["a", "b", "c"]).notes == ()


def test_equal_classes_give_equal_weight() -> None:
    """With as many cases of each class, IMCP has the heights of MCP at the middles of n equal widths."""
    truth, rows = example(6, [7, 7, 7])
    curve = imcp(truth, rows)
    np.testing.assert_allclose(curve.x[1:-1], (np.arange(21) + 0.5) / 21)
    np.testing.assert_allclose(curve.y[1:-1], mcp(truth, rows).y)


def test_rows_that_sum_to_a_little_more_than_one() -> None:
    """Class a's distance would be √((1 + 1.0005) / 2), above 1."""
    curve = mcp(["a", "b", "c"], [[0, 0.7505, 0.25], [0, 1.0, 0], [0, 0, 1.0]])
    assert curve.y[0] == 0


def test_order_of_rows_does_not_matter() -> None:
    truth, rows = example(1, [40, 8, 2])
    order = np.random.default_rng(0).permutation(len(truth))
    for make in (mcp, imcp):
        assert make(truth[order], rows[order]).area == make(truth, rows).area


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.tuples(*[st.integers(0, 9)] * 3)), min_size=1, max_size=30))
def test_curves_rise_and_keep_their_range(cases: list) -> None:
    truth = [label for label, _ in cases]
    weights = np.array([parts for _, parts in cases], dtype=float) + np.eye(3)[0] * 1e-9
    rows = weights / weights.sum(axis=1, keepdims=True)
    for make in (mcp, imcp):
        curve = make(truth, rows, [0, 1, 2])
        assert (np.diff(curve.y) >= 0).all()
        assert (np.diff(curve.x) > 0).all()
        assert curve.y[0] - 1e-12 <= curve.area <= curve.y[-1] + 1e-12
        assert 0 <= curve.area <= 1


def test_shapes_of_a_curve() -> None:
    curve = imcp(["a", "b"], [[0.9, 0.1], [0.2, 0.8]])
    assert curve.rows()[0] == {"kind": "imcp", "x": 0.0, "y": curve.y[0]}
    shown = curve.to_dict()
    assert (shown["schema"], shown["version"], shown["kind"]) == ("fourfold/curve", 1, "imcp")
    assert (len(shown["x"]), len(shown["y"]), shown["area"]) == (4, 4, curve.area)


@pytest.mark.parametrize("make", [mcp, imcp, losses])
def test_bad_input(make) -> None:
    with pytest.raises(ff.InputError, match="truth: must be as long as the probabilities"):
        make(["a", "b", "b"], [[0.9, 0.1], [0.2, 0.8]])
    with pytest.raises(ff.InputError, match="1 such rows, the first is row 1"):
        make(["a", "b"], [[0.9, 0.1], [0.2, 0.9]])
    with pytest.raises(ff.InputError, match="truth: has a label with no column"):
        make(["a", "c"], [[0.9, 0.1], [0.2, 0.8]], ["a", "b"])


def test_losses_are_those_of_scikit_learn() -> None:
    truth, rows = example(2, [5, 30, 15])
    found = losses(truth, rows)
    assert found.log_loss == pytest.approx(log_loss(truth, rows), abs=1e-12)
    assert found.brier == pytest.approx(brier_score_loss(truth, rows, labels=[0, 1, 2], scale_by_half=False), abs=1e-12)


def test_losses_by_hand() -> None:
    found = losses(["a", "b", "c"], [[0.5, 0.5, 0], [0.25, 0.5, 0.25], [0, 0, 1.0]])
    assert found.brier == pytest.approx((0.5 + 0.375 + 0) / 3)
    assert found.log_loss == pytest.approx(2 * math.log(2) / 3)
    assert found.to_dict() == {
        "schema": "fourfold/losses",
        "version": 1,
        "brier": found.brier,
        "log_loss": found.log_loss,
        "notes": [],
    }


def test_two_classes_are_not_halved_and_rows_are_divided_by_their_sums() -> None:
    found = losses([0, 1], np.array([[0.8, 0.2], [0.4005, 0.6]], dtype=np.float32))
    assert found.brier == pytest.approx((2 * 0.2**2 + 0.4005**2 + 0.4**2) / 2, abs=1e-6)
    assert found.log_loss == pytest.approx(-(math.log(0.8) + math.log(0.6 / 1.0005)) / 2, abs=1e-6)


def test_infinite_log_loss() -> None:
    found = losses(["a", "b", "b"], [[0.9, 0.1], [1.0, 0.0], [0.0, 1.0]])
    assert found.log_loss == math.inf
    assert found.brier == pytest.approx((0.02 + 2 + 0) / 3)
    assert found.rows() == [{"brier": found.brier, "log_loss": None}]
    assert found.notes[0].text == "the log loss is infinite: 1 rows give their true class no probability"


def test_losses_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.metrics", None)
    with pytest.raises(ff.MissingExtra, match="losses need scikit-learn") as raised:
        losses(["a", "b"], [[0.9, 0.1], [0.2, 0.8]])
    assert raised.value.hint == "pip install scikit-learn"
