"""Scorers beside scikit-learn's own, on the same predictions."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn import metrics
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.tree import DecisionTreeClassifier

import fourfold as ff

X, Y = load_iris(return_X_y=True)
# Some wrong labels, so that no score is perfect.
Y3 = np.where(np.arange(150) % 7 == 0, (Y + 1) % 3, Y)
Y2 = (Y3 == 1).astype(int)
TREE = DecisionTreeClassifier(max_depth=2, random_state=0)
ZERO = {"zero_division": 0}


@pytest.mark.parametrize(
    ("name", "options", "theirs", "more", "truth"),
    [
        ("accuracy", {}, metrics.accuracy_score, {}, Y3),
        ("mcc", {}, metrics.matthews_corrcoef, {}, Y3),
        ("kappa", {}, metrics.cohen_kappa_score, {}, Y3),
        ("balanced_accuracy", {}, metrics.balanced_accuracy_score, {}, Y3),
        ("f1", {"average": "macro"}, metrics.f1_score, {"average": "macro"}, Y3),
        ("macro_f1", {}, metrics.f1_score, {"average": "macro"}, Y3),
        ("f1", {"average": "weighted"}, metrics.f1_score, {"average": "weighted"}, Y3),
        ("precision", {"average": "micro"}, metrics.precision_score, {"average": "micro"}, Y3),
        ("f1", {}, metrics.f1_score, {}, Y2),
        ("recall", {"positive": 0}, metrics.recall_score, {"pos_label": 0}, Y2),
        ("jaccard", {"positive": 2}, metrics.jaccard_score, {"average": "macro", "labels": [2]}, Y3),
        ("inaccuracy", {}, metrics.zero_one_loss, {"greater_is_better": False}, Y3),
    ],
)
def test_scorers_agree_with_scikit_learn(
    name: str, options: dict[str, Any], theirs: Any, more: dict[str, Any], truth: Any
) -> None:
    ours = cross_val_score(TREE, X, truth, cv=4, scoring=ff.scorer(name, **options))
    assert ours == pytest.approx(cross_val_score(TREE, X, truth, cv=4, scoring=metrics.make_scorer(theirs, **more)))


def test_mcc_as_a_macro_average() -> None:
    model = TREE.fit(X, Y3)
    predicted = model.predict(X)
    each = [metrics.matthews_corrcoef(label == Y3, predicted == label) for label in (0, 1, 2)]
    assert ff.scorer("mcc", average="macro")(model, X, Y3) == pytest.approx(np.mean(each))


def test_an_undefined_score_is_nan_or_zero_as_asked() -> None:
    never = DummyClassifier(strategy="constant", constant=0).fit(X, Y)
    assert math.isnan(ff.scorer("precision", positive=1)(never, X, Y))
    assert ff.scorer("precision", positive=1, undefined="zero")(never, X, Y) == 0.0
    assert math.isnan(ff.scorer("precision", average="macro")(never, X, Y))
    for average in ("macro", "weighted"):
        ours = ff.scorer("precision", average=average, undefined="zero")(never, X, Y)
        assert ours == pytest.approx(metrics.precision_score(Y, never.predict(X), average=average, **ZERO))


def test_a_fold_may_lack_the_positive_class() -> None:
    model = DummyClassifier(strategy="constant", constant="well").fit(X, np.where(Y == 1, "sick", "well"))
    labels = ["well"] * 10
    assert ff.scorer("specificity", positive="sick")(model, X[:10], labels) == 1.0
    assert math.isnan(ff.scorer("recall", positive="sick")(model, X[:10], labels))
    with pytest.raises(ff.InputError, match="positive: is not a label in the data, got 'sik'"):
        ff.scorer("recall", positive="sik")(model, X[:10], labels)
    with pytest.raises(ff.InputError, match="the positive label must be named"):
        ff.scorer("recall")(model, X[:10], labels)


def test_a_search_takes_the_best_model_also_where_less_is_better() -> None:
    search = GridSearchCV(TREE, {"max_depth": [1, 2]}, cv=3, scoring=ff.scorer("fnr", average="macro"))
    found = clone(search).fit(X, Y).cv_results_["mean_test_score"]
    assert found[0] < found[1] <= 0
    assert clone(search).fit(X, Y).best_params_ == {"max_depth": 2}


@pytest.mark.parametrize(
    ("name", "options", "match"),
    [
        ("recal", {}, "did you mean"),
        ("f1", {"average": "median"}, "average: is not known, got 'median'. Hint: one of macro"),
        ("f1", {"undefined": 0}, "undefined: is not known, got 0. Hint: one of nan, zero"),
        ("macro_f1", {"average": "macro"}, "is an average already"),
        ("f1", {"average": "macro", "positive": 1}, "positive: is not asked for in an average"),
    ],
)
def test_what_is_wrong_is_said_at_once(name: str, options: dict[str, Any], match: str) -> None:
    with pytest.raises(ff.InputError, match=match):
        ff.scorer(name, **options)


def test_several_classes_need_an_average_or_a_positive_class() -> None:
    with pytest.raises(ff.InputError, match="has no form for several classes, got f1 of 3 classes"):
        ff.scorer("f1")(TREE.fit(X, Y), X, Y)


def test_a_scorer_is_a_plain_value() -> None:
    score = ff.scorer("f1", average="macro", undefined="zero")
    assert repr(score) == "scorer('f1', average='macro', undefined='zero')"
    assert pickle.loads(pickle.dumps(score)) == score
    assert repr(ff.scorer(ff.metric("kappa"))) == "scorer('kappa')"


def test_a_scorer_brings_in_no_scikit_learn() -> None:
    code = "import sys, fourfold; fourfold.scorer('accuracy'); print('sklearn' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.strip() == "False"
