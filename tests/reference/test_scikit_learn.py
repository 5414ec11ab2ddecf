"""Scores beside scikit-learn's: equal wherever it defines them, and different just where it hides an undefined value."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import fourfold as ff

sklearn = pytest.importorskip("sklearn")
metrics = pytest.importorskip("sklearn.metrics")

BINARY = {
    "accuracy": metrics.accuracy_score,
    "inaccuracy": metrics.zero_one_loss,
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "f1": metrics.f1_score,
    "jaccard": metrics.jaccard_score,
    "mcc": metrics.matthews_corrcoef,
    "kappa": metrics.cohen_kappa_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "f2": lambda y, z: metrics.fbeta_score(y, z, beta=2),
    "f0.5": lambda y, z: metrics.fbeta_score(y, z, beta=0.5),
    "specificity": lambda y, z: metrics.recall_score(y, z, pos_label=0),
    "negative_predictive_value": lambda y, z: metrics.precision_score(y, z, pos_label=0),
    "f1_negative": lambda y, z: metrics.f1_score(y, z, pos_label=0),
    "positive_likelihood_ratio": lambda y, z: metrics.class_likelihood_ratios(y, z, labels=[0, 1])[0],
    "negative_likelihood_ratio": lambda y, z: metrics.class_likelihood_ratios(y, z, labels=[0, 1])[1],
}
MULTICLASS = ("accuracy", "mcc", "kappa", "balanced_accuracy")
AVERAGED = {
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "f1": metrics.f1_score,
    "jaccard": metrics.jaccard_score,
    "f2": lambda y, z, average: metrics.fbeta_score(y, z, beta=2, average=average),
}
# What scikit-learn 1.9 prints where the score is not defined. Everything but nan hides it.
HIDDEN = {
    "precision": {0.0},
    "recall": {0.0},
    "f1": {0.0},
    "jaccard": {0.0},
    "f2": {0.0},
    "f0.5": {0.0},
    "specificity": {0.0},
    "negative_predictive_value": {0.0},
    "f1_negative": {0.0},
    "mcc": {0.0},
    # It leaves out a class without cases, so one of the two rates is called the mean of both.
    "balanced_accuracy": {i / 5 for i in range(6)} | {i / n for n in range(1, 9) for i in range(n + 1)},
    "kappa": set(),
    "positive_likelihood_ratio": set(),
    "negative_likelihood_ratio": set(),
}


def quiet(call, *arguments, **options):
    with warnings.catch_warnings(), sklearn.config_context(skip_parameter_validation=True, assume_finite=True):
        warnings.simplefilter("ignore")
        return call(*arguments, **options)


def labels_of(tp: int, fn: int, fp: int, tn: int) -> tuple[np.ndarray, np.ndarray]:
    return np.repeat([1, 0], (tp + fn, fp + tn)), np.repeat([1, 0, 1, 0], (tp, fn, fp, tn))


@pytest.mark.parametrize("name", BINARY)
def test_binary_on_random_labels(name: str) -> None:
    rng = np.random.default_rng(20261115)
    for size in (10, 100, 1000):
        for _ in range(10):
            truth, prediction = rng.integers(0, 2, (2, size))
            table = ff.Table.from_labels(truth, prediction)
            assert ff.score(table, name) == pytest.approx(
                quiet(BINARY[name], truth, prediction), rel=1e-12, abs=1e-14, nan_ok=True
            )


@pytest.mark.parametrize("name", BINARY)
def test_binary_differs_just_where_an_undefined_value_is_hidden(name: str) -> None:
    """On every table of sizes 1 to 6: equal where defined; where not, ours is nan and theirs is in the list above."""
    from fourfold import solve

    hidden = 0
    for size in range(1, 7):
        for tables in solve.walk(size):
            for i in range(len(tables)):
                table = tables[i]
                ours = ff.score(table, name)
                theirs = quiet(BINARY[name], *labels_of(**table.cells()))
                if not math.isnan(ours):
                    assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-14), table
                elif not math.isnan(theirs):
                    assert theirs in HIDDEN[name], (table, theirs)
                    hidden += 1
    assert bool(hidden) == bool(HIDDEN.get(name)), "the list of hidden values is out of date"


@pytest.mark.parametrize("classes", [3, 10])
def test_multiclass_on_random_labels(classes: int) -> None:
    rng = np.random.default_rng(classes)
    for _ in range(10):
        truth, prediction = rng.integers(0, classes, (2, 500))
        matrix = ff.Matrix.from_labels(truth, prediction)
        assert (matrix.values == metrics.confusion_matrix(truth, prediction)).all()
        for name in MULTICLASS:
            assert ff.score(matrix, name) == pytest.approx(BINARY[name](truth, prediction), rel=1e-12, abs=1e-14)
        for name, theirs in AVERAGED.items():
            for average in ("macro", "micro", "weighted"):
                ours = ff.score(matrix, name, average=average)
                assert ours == pytest.approx(theirs(truth, prediction, average=average), rel=1e-12), (name, average)
            assert ff.score(matrix, name) == pytest.approx(theirs(truth, prediction, average=None), rel=1e-12)


def test_macro_average_with_a_class_never_predicted() -> None:
    """scikit-learn counts the undefined precision as 0 and averages on; here the average is undefined and says why."""
    truth, prediction = [0, 1, 2, 2], [0, 1, 1, 1]
    matrix = ff.Matrix.from_labels(truth, prediction)
    assert quiet(metrics.precision_score, truth, prediction, average="macro") == pytest.approx((1 + 1 / 3 + 0) / 3)
    assert math.isnan(ff.score(matrix, "precision", average="macro"))


@pytest.mark.parametrize("fill", [0, 1])
@pytest.mark.parametrize("name", ["precision", "recall", "f1", "jaccard"])
def test_what_zero_division_prints(name: str, fill: int) -> None:
    """On every table of sizes 1 to 5, alone and in averages over both classes."""
    from fourfold import solve
    from fourfold.metrics import CONVENTIONS

    theirs = getattr(metrics, f"{name}_score")
    convention = CONVENTIONS["one" if fill else "zero"]
    for table in (tables[i] for size in range(1, 6) for tables in solve.walk(size) for i in range(len(tables))):
        labels = labels_of(**table.cells())
        for average in ("binary", "macro", "weighted"):
            told = ff.metric(name if average == "binary" else f"{average}_{name}").value(table.cells(), convention)
            printed = quiet(theirs, *labels, labels=[0, 1], average=average, zero_division=fill)
            assert told is not None
            assert float(told) == pytest.approx(printed, rel=1e-12), (table, average)
    # A coefficient of 0/0 is 0, whatever is said; kappa is nan, or what is asked for in its place.
    only = {"tp": 0, "fn": 0, "fp": 0, "tn": 3}
    assert ff.metric("mcc").value(only, convention) == quiet(metrics.matthews_corrcoef, *labels_of(**only)) == 0
    assert ff.metric("kappa").value(only, convention) == convention.fill
    assert math.isnan(quiet(metrics.cohen_kappa_score, *labels_of(**only), labels=[0, 1]))


def test_fowlkes_mallows_and_brier_names_are_not_mixed_up() -> None:
    """The Fowlkes-Mallows index of a table is not that of two clusterings; only the first is meant here."""
    table = ff.Table(tp=45, fn=5, fp=10, tn=40)
    assert ff.score(table, "fowlkes_mallows") == pytest.approx(math.sqrt(45 / 55 * 45 / 50))
