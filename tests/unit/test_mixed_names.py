"""Names that mean other things than they usually do, side by side: what fits so is not impossible, and is no reading."""

from __future__ import annotations

from typing import Any

import pytest

import fourfold as ff
from fourfold.answers.verdicts import verdict_words


def asked(**report: Any) -> str:
    return ff.recover(bounds="none", **report).verdict


@pytest.mark.parametrize(
    "said",
    [{}, {"folds": "none"}, {"folds": 5}, {"folds": "5 stratified"}, {"runs": 5}, {"holdout": 0.5}],
    ids=str,
)
def test_f1_of_the_other_class_beside_precision_and_recall(said: dict[str, Any]) -> None:
    """20, 20, 24 and 136: precision 20/44, recall 20/40, and 272/316 is the F1 of the negative class."""
    sizes = {"positives": 40, "negatives": 160}
    assert asked(**sizes, precision="0.455", recall="0.500", f1="0.861", **said) == "unexplained"


def test_a_weighted_f1_over_folds_of_few_positives() -> None:
    """8, 12, 12 and 368: precision and recall 0.4; (20 * 0.4 + 380 * 368/380) / 400 = 0.94."""
    report = {"positives": 20, "negatives": 380, "precision": "0.400", "recall": "0.400", "f1": "0.940"}
    for said in ({"folds": 10}, {"runs": 5}):
        assert asked(**report, **said) in ("possible", "conditional", "unexplained")


def test_what_would_fit_is_said() -> None:
    found = ff.recover(
        positives=100, negatives=200, accuracy="0.850", recall="0.800", specificity="0.900", folds="none"
    )
    assert found.verdict == "unexplained"
    assert "They would fit if accuracy is the mean of the recalls of both classes" in verdict_words(found)


def test_micro_averages_are_all_the_accuracy() -> None:
    same = dict.fromkeys(("accuracy", "precision", "recall", "f1"), "0.9342")
    assert asked(positives=20, negatives=80, runs=5, **same) == "unexplained"


def test_a_detection_rate_may_be_of_all_cases() -> None:
    """80 of 300; recall is 80 of 100."""
    report = {"recall": "0.800", "specificity": "0.900", "detection_rate": "0.267"}
    assert asked(positives=100, negatives=200, folds="none", **report) == "unexplained"
    assert asked(positives=100, negatives=200, folds="none", **{**report, "detection_rate": "0.367"}) == "impossible"


def test_who_says_how_undefined_scores_count_says_how_names_are_meant() -> None:
    report = {"precision": "0.455", "recall": "0.500", "f1": "0.861", "undefined": "zero"}
    assert asked(positives=40, negatives=160, folds="none", **report) == "impossible"


def test_what_no_mixture_of_names_gives_stays_impossible() -> None:
    """With a third of positives the F1 of negatives is near 0.7, and a weighted one lies between."""
    assert asked(positives=100, negatives=200, precision="0.40", recall="0.41", f1="0.903") == "impossible"
    trio = {"accuracy": "0.9567", "sensitivity": "0.8700", "specificity": "0.9750"}
    assert asked(positives=100, negatives=200, folds="none", **trio) == "impossible"


@pytest.mark.parametrize(
    ("text", "code"), [("0.860 ± 0.204", "spread_two_deviations"), ("0.860 ± 0.100", "spread_interval")]
)
def test_other_numbers_after_plus_minus(text: str, code: str) -> None:
    """Folds of ten with 10, 9, 8, 9 and 7 right: the deviation is 0.102 with n, the standard error 0.051 with n - 1."""
    found = ff.recover(positives=20, negatives=30, folds="5 stratified", accuracy=text, bounds="none")
    assert found.verdict == "conditional"
    assert found.departures[0].code == code
    assert asked(positives=20, negatives=30, folds="5 stratified", accuracy=text, spread="sd") == "impossible"


def test_an_interval_beside_means_over_any_number_of_runs() -> None:
    """It is not known over how many runs, so no method for intervals of means can be tried."""
    found = ff.recover(positives=2, negatives=14, macro_recall="0.4625 [0.2687, 0.7583]", bounds="none")
    assert found.verdict == "conditional"
    assert "it is not known over how many parts" in found.intervals[0].reason
