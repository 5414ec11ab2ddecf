"""The decomposition and what is asked of it: ratios, parts, batches, resamples, and scikit-learn's loops."""

from __future__ import annotations

import copy
import json
import math
import pickle
import subprocess
import sys
import tracemalloc
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import fourfold as ff
from fourfold.certainty import Accumulator, bootstrap, certainty_scorer, decompose, difference, overview, resampling
from fourfold.metrics import AVERAGES, score_of
from fourfold.table import Matrix

TRUTH = ["A", "A", "A", "B", "B", "C"]
ROWS = [[0.9, 0.1, 0], [0.8, 0, 0.2], [0.6, 0.1, 0.3], [0.4, 0.3, 0.3], [0.1, 0.8, 0.1], [0, 0.9, 0.1]]
PARTS = ("hard", "soft", "certain", "uncertain")


def random_rows(rows: int, classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return probabilities and labels drawn from them, every class at least once."""
    rng = np.random.default_rng(seed)
    values = rng.dirichlet(np.ones(classes), rows)
    truth = (values.cumsum(axis=1) > rng.random((rows, 1))).argmax(axis=1)
    truth[:classes] = np.arange(classes)
    return truth, values


def assert_same(one, other, atol: float = 1e-12) -> None:
    assert one.labels == other.labels
    for part in PARTS:
        np.testing.assert_allclose(getattr(one, part).values, getattr(other, part).values, rtol=0, atol=atol)


def by_hand(truth, values, chosen, weights=None) -> dict[str, np.ndarray]:
    """Return the four matrices by a plain loop."""
    k = len(values[0])
    found = {part: np.zeros((k, k)) for part in PARTS}
    for i, (actual, row, predicted) in enumerate(zip(truth, values, chosen, strict=True)):
        weight = 1 if weights is None else weights[i]
        found["hard"][actual, predicted] += weight
        for j in range(k):
            found["soft"][actual, j] += weight * row[j]
            found["certain" if j == predicted else "uncertain"][actual, j] += weight * row[j]
    return found


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize(("rows", "classes"), [(1, 2), (50, 2), (200, 7), (40_000, 3)])
def test_four_matrices_against_a_plain_loop(rows: int, classes: int, kind: type) -> None:
    truth, values = random_rows(max(rows, classes), classes)
    values = values.astype(kind)
    expected = by_hand(truth, values.astype(float), values.argmax(axis=1))
    found = decompose(truth, values, list(range(classes)))
    for part in PARTS:
        np.testing.assert_allclose(getattr(found, part).values, expected[part], rtol=1e-12, atol=1e-12)
    assert found.hard.values.dtype == np.int64
    assert found.rows_read == len(truth)


def test_columns_in_another_order() -> None:
    one = decompose(TRUTH, ROWS)
    named = {"p_C": [row[2] for row in ROWS], "p_A": [row[0] for row in ROWS], "p_B": [row[1] for row in ROWS]}
    other = decompose(TRUTH, named, ["A", "B", "C"])
    assert_same(one, other)
    assert decompose(TRUTH, named).labels == ("C", "A", "B")
    assert decompose(TRUTH, named).ratio("accuracy").value == pytest.approx(31 / 42)


def test_ties_are_counted_and_the_first_is_taken() -> None:
    found = decompose(["a", "b", "a"], [[0.5, 0.5], [0.5, 0.5], [0.9, 0.1]])
    assert found.tied == 2
    assert found.hard.values.tolist() == [[2, 0], [1, 0]]
    assert [(note.code, note.data) for note in found.notes] == [("tied_rows", {"rows": 2})]
    assert decompose(TRUTH, ROWS).tied == 0
    assert decompose(TRUTH, ROWS).notes == ()


def test_a_given_prediction_breaks_ties() -> None:
    found = decompose(["a", "b"], [[0.5, 0.5], [0.5, 0.5]], prediction=["a", "b"])
    assert found.hard.values.tolist() == [[1, 0], [0, 1]]
    assert found.certain.values.tolist() == [[0.5, 0], [0, 0.5]]
    assert found.notes == ()


def test_a_given_prediction_need_not_be_the_largest() -> None:
    found = decompose(["a", "b"], [[0.6, 0.4], [0.3, 0.7]], prediction=["b", "b"])
    assert found.certain.values.tolist() == [[0, 0.4], [0, 0.7]]
    assert found.uncertain.values.tolist() == [[0.6, 0], [0.3, 0]]


def test_a_class_without_cases_is_noted() -> None:
    found = decompose(["a", "b"], [[0.9, 0.1, 0], [0.1, 0.9, 0]], ["a", "b", "c"])
    assert [(note.code, note.data) for note in found.notes] == [("class_without_cases", {"labels": ["c"]})]


def test_integer_weights_equal_repeated_rows() -> None:
    truth, values = random_rows(60, 3)
    weights = np.random.default_rng(1).integers(0, 5, 60)
    one = decompose(truth, values, [0, 1, 2], weights=weights)
    other = decompose(np.repeat(truth, weights), np.repeat(values, weights, axis=0), [0, 1, 2])
    assert_same(one, other)
    assert one.ratio("f1", average="macro").value == pytest.approx(other.ratio("f1", average="macro").value)


def test_float_weights_against_a_plain_loop() -> None:
    truth, values = random_rows(60, 3)
    weights = np.random.default_rng(2).random(60)
    found = decompose(truth, values, [0, 1, 2], weights=weights)
    for part, expected in by_hand(truth, values, values.argmax(axis=1), weights).items():
        np.testing.assert_allclose(getattr(found, part).values, expected, atol=1e-12)


@pytest.mark.parametrize(
    "weights", [["a", "b"], [1.0], [1.0, -1.0], [1.0, math.nan], [[1.0], [2.0]], [0, 0], [1.0, math.inf]]
)
def test_bad_weights(weights) -> None:
    with pytest.raises(ff.InputError, match="weights: must"):
        decompose([0, 1], [[0.9, 0.1], [0.2, 0.8]], weights=weights)


def test_lengths_must_fit() -> None:
    rows = [[0.9, 0.1], [0.2, 0.8]]
    for name, options in (("truth", {}), ("prediction", {"prediction": [0]}), ("by", {"by": ["x"]})):
        with pytest.raises(ff.InputError, match=f"{name}: must be as long as the probabilities"):
            decompose([0, 1, 1] if name == "truth" else [0, 1], rows, [0, 1], **options)


def test_by_parts() -> None:
    """Pooled is the whole; the mean and the spread over parts by hand."""
    by = [1, 1, 2, 2, 2, 1]
    found = decompose(TRUTH, ROWS, by=by)
    whole = decompose(TRUTH, ROWS)
    assert_same(found, whole)
    assert list(found.parts) == [1, 2]
    for name, part in found.parts.items():
        own = [i for i, each in enumerate(by) if each == name]
        assert_same(part, decompose([TRUTH[i] for i in own], [ROWS[i] for i in own], ["A", "B", "C"]))
    # Part 1: rows 1, 2 and 6; certain 1.7 of 2.6, uncertain 0.1 of 0.4. Part 2: certain 1.4 of 1.8, uncertain 0.3 of 1.2.
    first, second = ((17 / 26) / (17 / 26 + 1 / 4), (14 / 18) / (14 / 18 + 1 / 4))
    over = found.over_parts("accuracy")
    assert over.values == pytest.approx({1: first, 2: second})
    assert over.mean == pytest.approx((first + second) / 2)
    assert over.spread == pytest.approx(abs(first - second) / math.sqrt(2))
    assert over.pooled == pytest.approx(31 / 42)
    assert found.over_parts("accuracy", of="hard").mean == pytest.approx(2 / 3)
    assert found.over_parts("accuracy", of="divergence").pooled == pytest.approx(whole.divergence)


def test_parts_without_a_value() -> None:
    found = decompose([0, 1, 0, 1], [[1, 0], [0, 1], [0.9, 0.1], [0.2, 0.8]], by=[1, 1, 2, 2])
    over = found.over_parts("accuracy", of="uncertain")
    assert over.values == {1: None, 2: 0.0}
    assert (over.mean, over.spread, over.undefined) == (0.0, None, 1)
    assert found.over_parts("accuracy", convention="paper", of="uncertain").values == {1: 0.0, 2: 0.0}
    assert found.over_parts("accuracy", convention="paper").mean == 1


def test_bad_parts() -> None:
    with pytest.raises(ff.InputError, match="by: must not be missing, got 1 missing, the first in row 1"):
        decompose([0, 1], [[0.9, 0.1], [0.2, 0.8]], by=[1.0, math.nan])
    with pytest.raises(ff.InputError, match="by: no parts were made"):
        decompose([0, 1], [[0.9, 0.1], [0.2, 0.8]]).over_parts("accuracy")
    with pytest.raises(ff.InputError, match="of: is not known"):
        decompose([0, 1], [[0.9, 0.1], [0.2, 0.8]], by=[1, 2]).over_parts("accuracy", of="ratio")


def test_a_thousand_shuffled_batches_equal_one_pass() -> None:
    truth, values = random_rows(20_000, 5)
    weights = np.random.default_rng(3).lognormal(0, 3, len(truth))
    labels = [0, 1, 2, 3, 4]
    once = decompose(truth, values, labels, weights=weights)
    for seed in (0, 1):
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(truth))
        cuts = np.sort(rng.choice(np.arange(1, len(truth)), 999, replace=False))
        batches = []
        for own in np.split(order, cuts):
            batch = Accumulator(labels)
            batch.add(truth[own], values[own], weights=weights[own])
            batches.append(batch)
        # Merged as a tree, whose branches are shuffled at each level.
        while len(batches) > 1:
            batches = [batches[i] for i in rng.permutation(len(batches))]
            for one, other in zip(batches[::2], batches[1::2], strict=False):
                one.merge(other)
            batches = batches[::2]
        assert_same(batches[0].result(), once, atol=1e-9)
        assert batches[0].result().rows_read == 20_000


def test_accumulator_keeps_counts_whole_and_ties() -> None:
    sums = Accumulator(["a", "b"])
    sums.add(["a"], [[0.5, 0.5]])
    sums.add(["b", "a"], {"p_b": [0.7, 0.5], "p_a": [0.3, 0.5]}, prediction=["b", "b"])
    found = sums.result()
    assert found.hard.values.tolist() == [[1, 1], [0, 1]]
    assert found.hard.values.dtype == np.int64
    assert (found.tied, found.rows_read) == (1, 3)


def test_accumulator_takes_sums_from_elsewhere() -> None:
    whole = decompose(TRUTH, ROWS)
    sums = Accumulator(whole.labels)
    sums.add_sums(whole.hard.values, whole.certain.values, whole.uncertain.values, rows=6, tied=0)
    assert_same(sums.result(), whole)


def test_accumulators_must_fit() -> None:
    with pytest.raises(ff.InputError, match="labels: must be the same to merge"):
        Accumulator(["a", "b"]).merge(Accumulator(["b", "a"]))
    with pytest.raises(ff.InputError, match="probabilities: has no rows"):
        Accumulator(["a", "b"]).result()


def test_ratio_of_a_classifier_without_knowledge_is_undefined() -> None:
    """The same row for every case makes chance-corrected scores 0, whatever rounding leaves of them."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        row = rng.dirichlet(np.ones(4)).round(2)
        row[0] = 1 - row[1:].sum()
        if row[0] < 0:
            continue
        truth = np.r_[np.arange(4), rng.integers(0, 4, 20)]
        found = decompose(truth, np.tile(row, (24, 1)), [0, 1, 2, 3]).ratio("kappa")
        assert found.value is None
        assert found.reasons == ("certain and uncertain scores sum to zero",)


def test_small_scores_that_cannot_cancel_keep_their_ratio() -> None:
    """Accuracy is 0 on the certain part and 2.5e-14 on the other: a ratio of 0, not undefined."""
    found = decompose(["a"], [[1e-14, 0.6, 0.4 - 1e-14]], ["a", "b", "c"]).ratio("accuracy")
    assert found.uncertain == pytest.approx(2.5e-14, rel=1e-3)
    assert found.value == 0


def test_signed_metrics_are_not_clipped() -> None:
    """Kappa of [[.9, 0], [0, .8]] is 1; of [[0, .1], [.2, 0]] it is −4/5: 1 / (1 − 4/5) = 5."""
    found = decompose([0, 1], [[0.9, 0.1], [0.2, 0.8]])
    kappa = found.ratio("kappa")
    assert (kappa.certain, kappa.uncertain) == (1, pytest.approx(-0.8))
    assert kappa.value == pytest.approx(5)
    assert [note.code for note in kappa.notes] == ["ratio_unbounded"]
    mcc = found.ratio("mcc")
    assert (mcc.certain, mcc.uncertain, mcc.value) == (1, -1, None)
    assert mcc.reasons == ("certain and uncertain scores sum to zero",)
    assert [note.code for note in mcc.notes] == ["ratio_unbounded"]


def test_conventions() -> None:
    found = decompose([0, 1], [[1.0, 0.0], [1.0, 0.0]])
    strict, paper = found.ratio("accuracy"), found.ratio("accuracy", convention="paper")
    assert (strict.certain, strict.uncertain, strict.value) == (0.5, None, None)
    assert strict.reasons[0].startswith("uncertain: ")
    assert (paper.value, paper.uncertain) == (1, None)
    assert paper.reasons == strict.reasons
    wrong = decompose([0, 1], [[0.0, 1.0], [1.0, 0.0]]).ratio("accuracy", convention="paper")
    assert wrong.value is None
    with pytest.raises(ff.InputError, match="convention: is not known"):
        found.ratio("accuracy", convention="loose")


def test_ratio_needs_a_metric_for_k_classes() -> None:
    found = decompose(TRUTH, ROWS)
    with pytest.raises(ff.InputError, match="metric: has no form for several classes"):
        found.ratio("f1")
    with pytest.raises(ff.FourfoldError, match="accurracy"):
        found.ratio("accurracy")
    with pytest.raises(ff.InputError, match="average"):
        found.ratio("f1", average="median")


def test_class_ratios_by_hand() -> None:
    """Recall of each class: the diagonal over the row, in the certain and in the uncertain part of the paper's example."""
    found = decompose(TRUTH, ROWS).class_ratios("recall")
    assert list(found) == ["A", "B", "C"]
    # A: 2.3/2.3 and 0/0.7; B: 0.8/1.2 and 0.3/0.8; C: 0/0.9 and 0.1/0.1.
    assert [each.certain for each in found.values()] == pytest.approx([1, 2 / 3, 0])
    assert [each.uncertain for each in found.values()] == pytest.approx([0, 3 / 8, 1])
    assert [each.value for each in found.values()] == pytest.approx([1, 16 / 25, 0])
    precision = decompose(TRUTH, ROWS).class_ratios("precision")["C"]
    assert precision.value is None
    assert precision.reasons[0].startswith("certain: ")
    assert decompose(TRUTH, ROWS).class_ratios("precision", convention="paper")["C"].value == 0


def test_results_survive_json() -> None:
    found = decompose(TRUTH, ROWS, by=[1, 2, 1, 2, 1, 2])
    shown = json.loads(json.dumps(found.to_dict()))
    assert (shown["schema"], shown["version"]) == ("fourfold/decomposition", 1)
    np.testing.assert_allclose(shown["certain"], [[2.3, 0, 0], [0.4, 0.8, 0], [0, 0.9, 0]])
    assert list(shown["parts"]) == ["1", "2"]
    assert len(found.rows()) == 9
    ratio = found.ratio("precision", average="macro")
    shown = json.loads(json.dumps(ratio.to_dict()))
    assert (shown["schema"], shown["value"], shown["reasons"]) == (
        "fourfold/certainty_ratio",
        None,
        list(ratio.reasons),
    )
    resampled = bootstrap(TRUTH, ROWS, "accuracy", draws=10)
    shown = json.loads(json.dumps(resampled.to_dict()))
    assert (shown["schema"], shown["version"], shown["seed"]) == ("fourfold/resampled", 1, 20241)
    assert resampled.rows()[0]["value"] == pytest.approx(31 / 42)


@st.composite
def decided(draw: st.DrawFn) -> tuple[list[int], np.ndarray]:
    k = draw(st.integers(2, 5))
    rows = draw(st.integers(1, 12))
    weights = draw(st.lists(st.lists(st.integers(0, 20), min_size=k, max_size=k), min_size=rows, max_size=rows))
    truth = draw(st.lists(st.integers(0, k - 1), min_size=rows, max_size=rows))
    values = np.array(weights, dtype=float)
    values[values.sum(axis=1) == 0] = 1
    return truth, values / values.sum(axis=1, keepdims=True)


@settings(deadline=None)
@given(decided())
def test_laws_of_the_four_matrices(case: tuple[list[int], np.ndarray]) -> None:
    truth, values = case
    k = values.shape[1]
    found = decompose(truth, values, list(range(k)))
    np.testing.assert_allclose(found.certain.values + found.uncertain.values, found.soft.values, rtol=0, atol=0)
    counts = np.bincount(truth, minlength=k)
    assert found.hard.values.sum(axis=1).tolist() == counts.tolist()
    np.testing.assert_allclose(found.soft.values.sum(axis=1), counts, atol=1e-12)
    assert found.weight_certain >= 1 / k - 1e-12
    assert not found.certain.values[found.hard.values == 0].any()
    assert found.divergence <= math.sqrt(1 - 1 / k) + 1e-12
    ratio = found.ratio("accuracy")
    if ratio.value is not None:
        assert 0 <= ratio.value <= 1
        parts = ratio.weight_certain * ratio.certain + ratio.weight_uncertain * ratio.uncertain
        assert ratio.soft == pytest.approx(parts)


@settings(deadline=None)
@given(decided(), st.randoms())
def test_the_order_of_rows_and_of_classes_does_not_matter(case: tuple[list[int], np.ndarray], random) -> None:
    truth, values = case
    k = values.shape[1]
    chosen = values.argmax(axis=1)
    rows, columns = random.sample(range(len(truth)), len(truth)), random.sample(range(k), k)
    one = decompose(truth, values, list(range(k)), prediction=chosen)
    other = decompose(np.array(truth)[rows], values[rows][:, columns], columns, prediction=chosen[rows])
    for part in PARTS:
        moved = getattr(one, part).values[np.ix_(columns, columns)]
        np.testing.assert_allclose(getattr(other, part).values, moved, atol=1e-12)


# Resamples.


def random_matrices(k: int, many: int, seed: int) -> np.ndarray:
    """Return matrices with holes: cells, rows, columns and diagonals that are 0."""
    rng = np.random.default_rng(seed)
    matrices = rng.random((many, k, k)) * (rng.random((many, k, k)) < 0.6)
    matrices[: many // 4, rng.integers(k)] = 0
    matrices[many // 4 : many // 2, :, rng.integers(k)] = 0
    matrices[-1] = 0
    return matrices


def asked() -> list[tuple[str, str | None]]:
    """Return every metric that has a form for k classes, and every average of every metric."""
    own = [(name, None) for name in (*ff.METRICS, "macro_f1", "weighted_precision") if ff.metric(name).over_classes]
    return own + [(name, average) for name in (*ff.METRICS, "f2") for average in AVERAGES]


@pytest.mark.parametrize(("name", "average"), asked())
def test_scores_of_many_matrices_are_those_of_one(name: str, average: str | None) -> None:
    chosen = ff.metric(name)
    for k in (2, 3):
        matrices = random_matrices(k, 40, seed=k)
        found = resampling.matrix_scores(matrices, chosen, average)
        for matrix, value in zip(matrices, found, strict=True):
            expected = score_of(Matrix(matrix), chosen, average)
            assert math.isnan(value) == bool(expected.undefined)
            if not expected.undefined:
                assert value == pytest.approx(expected.value, rel=1e-9, abs=1e-9)


# Two rows of each class: certain 0.9 right, 0.6 wrong (uncertain 0.4 right); 0.8 right, 0.7 wrong (uncertain 0.3 right).
FOUR = (["a", "a", "b", "b"], [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0.7, 0.3]])
OTHER = [[0.6, 0.4], [0.7, 0.3], [0.6, 0.4], [0.2, 0.8]]


def exact_ratio(rows: list[list[float]], drawn: tuple[int, ...]) -> Fraction | None:
    """Return the certainty ratio of accuracy of some rows of FOUR, in rational arithmetic."""
    certain, uncertain = [Fraction(0)] * 2, [Fraction(0)] * 2
    for i in drawn:
        row = [Fraction(str(x)) for x in rows[i]]
        own, chosen = "ab".index(FOUR[0][i]), row.index(max(row))
        certain[0] += row[chosen] if own == chosen else 0
        certain[1] += row[chosen]
        uncertain[0] += row[own] if own != chosen else 0
        uncertain[1] += 1 - row[chosen]
    total = certain[0] / certain[1] + uncertain[0] / uncertain[1]
    return certain[0] / certain[1] / total if total else None


def resamples(stratified: bool) -> list[tuple[int, ...]]:
    """Return every equally likely resample of FOUR."""
    choices = [(0, 1), (0, 1), (2, 3), (2, 3)] if stratified else [range(4)] * 4
    return list(product(*choices))


@pytest.mark.parametrize("most", [None, 1, 7])
@pytest.mark.parametrize("stratified", [True, False])
def test_bootstrap_against_all_resamples(monkeypatch: pytest.MonkeyPatch, stratified: bool, most: int | None) -> None:
    """The shares of the drawn ratios are those of all resamples that can be drawn; with small pieces, too."""
    if most:
        monkeypatch.setattr(resampling, "_MOST_NUMBERS", most)
    draws = 1000 if most else 40_000
    every = [float(exact_ratio(FOUR[1], drawn)) for drawn in resamples(stratified)]
    model = resampling._Model.of(resampling.Predictions.read(*FOUR))
    chosen = ff.metric("accuracy")
    pieces = resampling._matrices([model], draws, stratified, np.random.default_rng(4))
    drawn = np.concatenate([resampling._ratios(sums, chosen, None, "strict") for sums in pieces])[:, 0]
    assert len(drawn) == draws
    values = sorted({round(value, 9) for value in every})
    assert {round(value, 9) for value in drawn.tolist()} <= set(values)
    for value in values:
        share = np.mean(np.abs(np.array(every) - value) < 1e-8)
        error = math.sqrt(share * (1 - share) / draws)
        assert np.mean(np.abs(drawn - value) < 1e-8) == pytest.approx(share, abs=5 * error)


@pytest.mark.parametrize("stratified", [True, False])
def test_percentiles_are_those_of_all_resamples(stratified: bool) -> None:
    every = np.array([float(exact_ratio(FOUR[1], drawn)) for drawn in resamples(stratified)])
    found = bootstrap(*FOUR, "accuracy", stratified=stratified, level=0.8, draws=40_000, rng=1)
    # The law has steps; both ends lie inside of one, and so are known exactly.
    low, high = (float(np.quantile(every, q, method="inverted_cdf")) for q in (0.1, 0.9))
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert found.value == pytest.approx(float(exact_ratio(FOUR[1], (0, 1, 2, 3))))
    assert (found.undefined, found.level, found.draws, found.seed) == (0, 0.8, 40_000, 1)
    assert ("within each true class" in found.method) == stratified


def test_difference_against_all_resamples() -> None:
    pairs = [[exact_ratio(rows, drawn) for rows in (FOUR[1], OTHER)] for drawn in resamples(True)]
    known = np.array([float(one - other) for one, other in pairs])
    found = difference(FOUR[0], FOUR[1], OTHER, "accuracy", draws=40_000)
    exact = exact_ratio(FOUR[1], (0, 1, 2, 3)) - exact_ratio(OTHER, (0, 1, 2, 3))
    assert found.value == pytest.approx(float(exact))
    share = np.mean(known > 1e-12)
    assert found.share_above == pytest.approx(share, abs=5 * math.sqrt(share * (1 - share) / 40_000))
    low, high = (float(np.quantile(known, q, method="inverted_cdf")) for q in (0.025, 0.975))
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


def test_difference_of_a_model_and_itself() -> None:
    truth, values = random_rows(100, 3)
    named = {f"p_{label}": values[:, label] for label in (2, 0, 1)}
    found = difference(truth, values, named, "f1", average="macro", labels=[0, 1, 2])
    assert (found.value, found.low, found.high, found.share_above) == (0, 0, 0, 0)


def test_difference_takes_both_predictions() -> None:
    truth, rows = ["a", "b"] * 10, [[0.5, 0.5], [0.5, 0.5]] * 10
    found = difference(truth, rows, rows, "accuracy", predictions=(truth, None))
    # All right, so nothing right is left over: 1 / (1 + 0); all a: 1/2 / (1/2 + 1/2).
    assert found.value == pytest.approx(0.5)
    assert [note.text.split(":")[0] for note in found.notes] == ["second"]


def test_resamples_without_a_value_are_counted() -> None:
    """Without strata, the only case of a class is missing from a resample with chance (1 − 1/n)^n."""
    truth = ["a"] * 5 + ["b"] * 4 + ["c"]
    rows = [[0.6, 0.3, 0.1]] * 5 + [[0.3, 0.6, 0.1]] * 4 + [[0.3, 0.1, 0.6]]
    free = bootstrap(truth, rows, "recall", average="macro", stratified=False, draws=4000)
    # Whichever class is missing leaves recall undefined.
    chance = sum((1 - share) ** 10 for share in (0.5, 0.4, 0.1)) - sum(share**10 for share in (0.5, 0.4, 0.1))
    assert free.undefined / 4000 == pytest.approx(chance, abs=5 * math.sqrt(chance * (1 - chance) / 4000))
    assert [note.code for note in free.notes] == ["undefined_mass"]
    assert bootstrap(truth, rows, "recall", average="macro", draws=100).undefined == 0


def test_a_ratio_without_a_value_has_no_interval() -> None:
    found = bootstrap(["a", "b"] * 5, [[1.0, 0.0], [0.0, 1.0]] * 5, "accuracy", draws=50)
    assert (found.value, found.low, found.high, found.undefined) == (None, None, None, 50)
    assert [note.code for note in found.notes] == ["score_undefined", "undefined_mass"]
    paper = bootstrap(["a", "b"] * 5, [[1.0, 0.0], [0.0, 1.0]] * 5, "accuracy", draws=50, convention="paper")
    assert (paper.value, paper.low, paper.high, paper.undefined) == (1, 1, 1, 0)


def test_seeds() -> None:
    truth, values = random_rows(80, 3)
    one, same = (bootstrap(truth, values, "accuracy") for _ in range(2))
    assert one == same
    assert one == bootstrap(truth, values, "accuracy", rng=20241)
    other = bootstrap(truth, values, "accuracy", rng=5)
    assert (one.low, one.high) != (other.low, other.high)
    assert bootstrap(truth, values, "accuracy", rng=np.int64(5)).seed == 5
    assert bootstrap(truth, values, "accuracy", rng=np.random.default_rng(5)).low == other.low
    assert bootstrap(truth, values, "accuracy", rng=np.random.default_rng(5)).seed is None


def test_bad_options_of_the_bootstrap() -> None:
    for options, match in (
        ({"level": 95}, "level: must lie between 0 and 1"),
        ({"draws": 0}, "draws: must be a whole number"),
        ({"draws": 10.5}, "draws: must be a whole number"),
        ({"convention": "loose"}, "convention: is not known"),
        ({"average": "median"}, "average"),
        ({"prediction": ["a"]}, "prediction: must be as long"),
    ):
        with pytest.raises(ff.InputError, match=match):
            bootstrap(*FOUR, "accuracy", **options)
    with pytest.raises(ff.InputError, match="labels: must be as many as columns"):
        difference(*FOUR, [[1.0, 0, 0]] * 4, "accuracy")


def test_bootstrap_keeps_its_memory() -> None:
    truth, values = random_rows(300_000, 4)
    tracemalloc.start()
    bootstrap(truth, values, "accuracy", draws=15, labels=[0, 1, 2, 3])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6


# scikit-learn's own loops.


def test_cross_validation_gives_the_parts_of_a_decomposition() -> None:
    features, truth = load_iris(return_X_y=True)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    rows, by = np.zeros((150, 3)), np.zeros(150, dtype=int)
    for i, (train, test) in enumerate(folds.split(features, truth)):
        rows[test] = clone(model).fit(features[train], truth[train]).predict_proba(features[test])
        by[test] = i
    parts = decompose(truth, rows, by=by)
    scoring = {of: certainty_scorer("accuracy", of=of) for of in ("value", "hard", "soft", "divergence")}
    found = cross_validate(model, features, truth, cv=folds, scoring=scoring)
    for of in scoring:
        expected = parts.over_parts("accuracy", of=of).values
        assert found[f"test_{of}"] == pytest.approx([expected[i] for i in range(5)], abs=1e-12)
    single = cross_val_score(model, features, truth, cv=folds, scoring=certainty_scorer("f1", average="macro"))
    expected = parts.over_parts("f1", average="macro").values
    assert single == pytest.approx([expected[i] for i in range(5)], abs=1e-12)


def test_grid_search() -> None:
    features, truth = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[truth]
    scoring = {"ratio": certainty_scorer("accuracy"), "hard": certainty_scorer("accuracy", of="hard")}
    search = GridSearchCV(
        LogisticRegression(max_iter=500), {"C": [0.01, 1.0]}, scoring=scoring, refit="ratio", cv=3, n_jobs=2
    ).fit(features, names)
    assert search.best_params_ == {"C": [0.01, 1.0][int(np.argmax(search.cv_results_["mean_test_ratio"]))]}
    plain = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, scoring=certainty_scorer("accuracy"), cv=3)
    assert np.isfinite(clone(plain).fit(features, names).cv_results_["mean_test_score"]).all()


def test_scorer_is_nan_where_the_ratio_is_undefined() -> None:
    features, truth = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0).fit(features, truth)
    assert math.isnan(certainty_scorer("accuracy")(tree, features, truth))
    assert certainty_scorer("accuracy", convention="paper")(tree, features, truth) == 1
    assert np.isnan(cross_val_score(tree, features, truth, scoring=certainty_scorer("accuracy", of="uncertain"))).all()


def test_scorer_with_other_classes_in_the_test_rows() -> None:
    features, truth = load_iris(return_X_y=True)
    model = GaussianNB().fit(features, truth)
    first = truth < 2
    # A class that no test row has is no fault.
    hard = certainty_scorer("accuracy", of="hard")(model, features[first], truth[first])
    assert hard == pytest.approx(model.score(features[first], truth[first]))
    known = GaussianNB().fit(features[first], truth[first])
    with pytest.raises(ff.InputError, match="truth: has a label with no column, got 2 in row 100, and 50 such rows"):
        certainty_scorer("accuracy")(known, features, truth)


def test_scorer_weights() -> None:
    features, truth = load_iris(return_X_y=True)
    model, score = GaussianNB().fit(features, truth), certainty_scorer("accuracy")
    weights = np.random.default_rng(0).integers(0, 3, 150)
    repeated = score(model, np.repeat(features, weights, axis=0), np.repeat(truth, weights))
    assert score(model, features, truth, sample_weight=weights) == pytest.approx(repeated)


def test_scorer_is_a_plain_value() -> None:
    score = certainty_scorer("f1", average="macro", of="soft")
    assert repr(score) == "certainty_scorer('f1', average='macro', of='soft')"
    assert pickle.loads(pickle.dumps(score)) == score
    assert repr(certainty_scorer(ff.metric("kappa"))) == "certainty_scorer('kappa')"
    assert pickle.loads(pickle.dumps(certainty_scorer(ff.metric("kappa")))).metric.id == "kappa"


def test_scorer_says_at_once_what_is_wrong() -> None:
    for options, match in (
        (("acuracy", {}), "did you mean"),
        (("f1", {}), "such as macro_f1"),
        (("f1", {"average": "median"}), "average"),
        (("accuracy", {"convention": "loose"}), "convention"),
        (("accuracy", {"of": "ratio"}), "of: is not known"),
    ):
        with pytest.raises(ff.FourfoldError, match=match):
            certainty_scorer(options[0], **options[1])
    features, truth = load_iris(return_X_y=True)
    with pytest.raises(ff.InputError, match="estimator: must have predict_proba, got LinearSVC"):
        certainty_scorer("accuracy")(LinearSVC().fit(features, truth), features, truth)


def test_scorer_brings_in_no_scikit_learn() -> None:
    code = "import sys; from fourfold.certainty import certainty_scorer as s; s('accuracy'); print('sklearn' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.strip() == "False"


def test_a_missing_group_is_not_taken_for_all_rows() -> None:
    """The part without a name has a line of its own; the pooled numbers stay those of all rows."""
    data = {
        "y": ["a", "b", "a", "b"],
        "p_a": [0.9, 0.2, 0.4, 0.3],
        "p_b": [0.1, 0.8, 0.6, 0.7],
        "g": [1, 1, None, None],
    }
    model = ff.decompose_data(data, truth="y", probabilities=["p_*"], by="g")
    found = overview({"m": model}, ["accuracy"])
    assert set(found.ratios) == {("m", part, "accuracy") for part in (None, "1", "(missing)")}
    assert found.ratios["m", None, "accuracy"].hard == 0.75
    assert found.ratios["m", "(missing)", "accuracy"].hard == 0.5


def test_parts_that_are_written_alike_are_kept_apart() -> None:
    found = decompose(["a", "b", "a", "b"], [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.3, 0.7]], by=[1, "1", 1, "1"])
    assert list(found.to_dict()["parts"]) == ["1", "1'"]


def test_difference_finds_the_second_models_columns_by_name() -> None:
    truth, rows = ["a", "b", "a", "b"], np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.7, 0.3]])
    turned = {"b": rows[:, 1], "a": rows[:, 0]}
    assert difference(truth, turned, rows, "accuracy", draws=20).value == 0
    assert difference(truth, rows, turned, "accuracy", draws=20).value == 0


def test_one_column_named_after_a_class_is_that_classes() -> None:
    by_name = decompose(["cat", "dog"], {"p_cat": [0.9, 0.2]})
    assert by_name.ratio("accuracy").hard == 1
    assert decompose(["cat", "dog"], pd.Series([0.9, 0.2], name="p_cat")).ratio("accuracy").hard == 1
    assert decompose(["cat", "dog"], [0.1, 0.8]).ratio("accuracy").hard == 1


def test_scorer_follows_what_the_estimator_predicts() -> None:
    class Cautious:
        classes_ = np.array([0, 1])

        def predict_proba(self, rows):
            return np.column_stack([1 - rows, rows])

        def predict(self, rows):
            return (rows > 0.2).astype(int)

    scores = np.array([0.1, 0.3, 0.4, 0.9])
    assert certainty_scorer("accuracy", of="hard")(Cautious(), scores, [0, 1, 1, 1]) == 1
    assert decompose([0, 1, 1, 1], scores).ratio("accuracy").hard == 0.5


def test_metrics_survive_pickling_and_copies() -> None:
    for chosen in (ff.metric("mcc"), ff.metrics.f_beta(2)):
        for again in (pickle.loads(pickle.dumps(chosen)), copy.deepcopy(chosen)):
            assert again == chosen
            assert hash(again.formula) == hash(chosen.formula)


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"labels": {"a", "b"}}, "labels"),
        ({"labels": 2}, "labels"),
        ({"by": 5}, "by"),
        ({"by": [[1], [2]]}, "by"),
        ({"tolerance": "x"}, "tolerance"),
        ({"tolerance": -1}, "tolerance"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], argument: str) -> None:
    with pytest.raises(ff.InputError) as caught:
        decompose(["a", "b"], [[0.9, 0.1], [0.2, 0.8]], **options)
    assert caught.value.argument == argument


def test_rounding_just_outside_is_moved_to_the_end() -> None:
    found = decompose(["a", "b"], [[1.0000001, -1e-9], [0.2, 0.8]])
    assert found.certain.values[0, 0] == 1
    with pytest.raises(ff.InputError, match="between 0 and 1"):
        decompose(["a", "b"], [[1.01, -0.01], [0.2, 0.8]])


def test_an_average_of_an_average_is_refused() -> None:
    found = decompose(["a", "b"], [[0.9, 0.1], [0.2, 0.8]])
    with pytest.raises(ff.InputError, match="is an average already"):
        found.ratio("macro_f1", average="micro")
    with pytest.raises(ff.InputError, match="is an average already"):
        found.class_ratios("macro_f1")


def test_columns_that_share_a_beginning_with_their_labels() -> None:
    data = {"y": ["Iris-setosa", "Iris-virginica"], "Iris-setosa": [0.9, 0.2], "Iris-virginica": [0.1, 0.8]}
    found = ff.decompose_data(data, truth="y", probabilities=["Iris-*"])
    assert found.labels == ("Iris-setosa", "Iris-virginica")
    assert found.ratio("accuracy").hard == 1
