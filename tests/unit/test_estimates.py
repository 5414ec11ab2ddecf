"""The methods of RECLAIM against exact expected values, and their limits beside what `recover` says."""

from __future__ import annotations

import json
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import fourfold as ff
from fourfold.claims import Claim
from fourfold.claims.estimates import Estimate, estimate

from ..conftest import ORACLE, how_many, needs

NAMES = {"C": "total", "NP": "positives", "ACC": "accuracy", "PPV": "precision", "TPR": "recall", "FB": "f1"}
BOUNDS = {"PPV": "precision", "TPR": "recall", "FB1": "f1", "FB4": "f2", "FB1/4": "f0.5"}

needs_oracle = needs(ORACLE)


def made(method: Any = "linear", **given: Any) -> Estimate:
    return estimate(Claim.from_mapping(given), method)


def codes(found: Estimate) -> list[str]:
    return [note.code for note in found.notes]


def counts(found: ff.Recovery) -> list[tuple[int, ...]]:
    return [tuple(table.cells().values()) for table in found.tables()]


def floats(found: Estimate) -> list[float]:
    return [float(cell) for cell in found.cells().values() if cell is not None]


def distance(found: Estimate, truth: tuple[int, ...]) -> float:
    return sum(abs(cell - true) for cell, true in zip(floats(found), truth, strict=True))


@needs_oracle
def test_linear_equals_the_oracle() -> None:
    cases = json.loads(ORACLE.read_text())["linear_solve"]
    assert len(cases) == 5
    for case in cases:
        given = {NAMES[name]: value for name, value in case["constraints"]}
        if case["singular"]:
            with pytest.raises(ff.InputError, match="the system is singular"):
                made(**given)
        else:
            found = made(**given)
            assert [found.tp, found.tn, found.fp, found.fn] == [F(value) for value in case["solution"]]


@needs_oracle
def test_accuracy_closed_form_equals_the_oracle() -> None:
    cases = json.loads(ORACLE.read_text())["accuracy_bounds"]
    for case in cases:
        total, positives, correct = case["C"], case["NP"], case["Aprime"]
        found = made("accuracy_closed_form", total=total, positives=positives, accuracy=F(correct, total))
        assert found.tp_range == tuple(case["tp"])
        for name, metric in BOUNDS.items():
            expected = tuple(map(F, case[name])) if case[name] else (None, None)
            assert found.bounds[metric] == expected, (case, metric)
    assert len(cases) == 142


@pytest.mark.parametrize("name", ["linear", "least_squares"])
def test_exact_scores_give_back_the_table(name: str) -> None:
    found = made(name, positives=40, negatives=60, accuracy=F(85, 100), recall=F(32, 40))
    assert list(found.cells().values()) == [32, 8, 7, 53]
    assert codes(found) == ([] if name == "linear" else ["estimate_not_exact"])


def test_facts_may_be_any_sizes_and_ratios_of_sums() -> None:
    """Table tp=5 fn=3 fp=2 tn=7, each row off the metric's own formula."""
    for given in (
        {"negatives": 9, "specificity": "7/9", "npv": "7/10", "jaccard": "1/2"},
        {"positives": 8, "f2": "25/39", "markedness": None, "treatment_ratio": "3/2", "fpr": "2/9"},
        {"total": "17", "negatives": 9, "marginal_benefit": "-1/17", "f1_harmonic": "2/3"},
    ):
        assert list(made(**given).cells().values()) == [5, 3, 2, 7], given


def test_least_squares_equals_the_pseudo_inverse() -> None:
    """Rows as in 000 Table I, the pseudo-inverse by numpy."""
    a, p, r, f = 0.86, 0.96, 0.88, 0.92
    weights = [
        [1, 1, 1, 1],
        [1, 0, 0, 1],
        [a - 1, a - 1, a, a],
        [p - 1, 0, p, 0],
        [r - 1, 0, 0, r],
        [2 * (f - 1), 0, f, f],
    ]
    tp, tn, fp, fn = np.linalg.pinv(np.array(weights)) @ [100, 88, 0, 0, 0, 0]
    found = made("least_squares", total=100, positives=88, accuracy="0.86", precision="0.96", recall="0.88", f1="0.92")
    assert floats(found) == pytest.approx([tp, fn, fp, tn])
    assert codes(found) == ["estimate_not_exact"]


def test_departs_from_000_singular_where_everything_is_right() -> None:
    with pytest.raises(ff.InputError, match="the system is singular, got total, positives, accuracy, f1"):
        made(total=10, positives=4, accuracy="1.000", f1="1.000")
    truth = ff.recover(total=10, positives=4, accuracy="1.000", f1="1.000")
    assert (how_many(truth), counts(truth)) == (("possible", 1, True), [(4, 0, 0, 6)])


@pytest.mark.parametrize(
    ("total", "positives", "accuracy", "fit"),
    # fp = tp makes A' = n whatever tp is: every tp from 1 on fits, or none.
    [(4, 2, "0.5", [1, 2]), (20, 5, "0.75", [1, 2, 3, 4, 5]), (20, 5, "0.9", [])],
)
def test_departs_from_000_singular_for_precision_one_half_with_accuracy(
    total: int, positives: int, accuracy: str, fit: list[int]
) -> None:
    given = {"total": total, "positives": positives, "accuracy": accuracy, "precision": "=0.5"}
    with pytest.raises(ff.InputError, match="the system is singular"):
        made(**given)
    negatives = total - positives
    assert counts(ff.recover(**given, undefined="none", folds="none")) == [
        (tp, positives - tp, tp, negatives - tp) for tp in fit
    ]


def test_departs_from_000_count_precision_recall_f1_never_solve() -> None:
    """Three equations in tp, fp, fn without a constant: singular, or tp = fp = fn = 0 once rounding parts them."""
    with pytest.raises(ff.InputError, match="the system is singular"):
        made(total=17, precision="5/7", recall="5/8", f1="2/3")
    given = {"total": 17, "precision": "0.7143", "recall": "0.625", "f1": "0.6667"}
    rounded = made(**given)
    assert list(rounded.cells().values()) == [0, 0, 0, 17]
    assert rounded.notes[0].data == {"undefined": ["precision", "recall", "f1"]}
    assert counts(ff.recover(**given)) == [(5, 3, 2, 7)]


def test_departs_from_000_wrong_although_the_answer_is_unique() -> None:
    given = {"total": 66, "positives": 56, "accuracy": "0.9848", "f1": "0.9912"}
    found = made(**given)
    assert [round(cell, 2) for cell in floats(found)] == [56.50, -0.50, 1.50, 8.50]
    assert codes(found) == ["estimate_not_exact", "estimate_outside"]
    assert set(found.notes[1].data) == {"tp", "fn"}
    truth = ff.recover(**given)
    assert (how_many(truth), counts(truth)) == (("possible", 1, True), [(56, 0, 1, 9)])


def test_departs_from_000_more_metrics_can_make_the_pseudo_inverse_worse() -> None:
    two = {"total": 100, "positives": 88, "accuracy": "0.86", "precision": "0.96"}
    four = {**two, "recall": "0.88", "f1": "0.92"}
    truth = ff.recover(**four)
    assert (how_many(truth), counts(truth)) == (("possible", 1, True), [(77, 11, 3, 9)])
    (table,) = counts(truth)
    assert distance(made(**two), table) == pytest.approx(20 / 23)
    assert distance(made("least_squares", **four), table) == pytest.approx(1.5189, abs=1e-4)


def test_departs_from_000_equation_six_is_zero_over_zero() -> None:
    given = {"total": 10, "positives": 4, "accuracy": "6/10"}
    found = made("accuracy_closed_form", **given)
    assert found.tp_range == (0, 4)
    assert found.bounds["precision"] == (F(1, 2), F(1, 2))
    assert [note.data for note in found.notes] == [{"undefined": ["precision"]}]
    bounds = ff.recover(**given).bounds("precision")
    assert (bounds.low, bounds.high) == (0.5, 0.5)


def test_departs_from_000_fixing_fn_is_no_help_when_recall_is_known() -> None:
    """With the positives known, the share of fn among them fixes fn."""
    given = {"total": 100, "positives": 40, "recall": "=0.8", "false_negative_rate": "=0.2"}
    with pytest.raises(ff.InputError, match="the system is singular"):
        made(**given)
    assert ff.recover(**given).count == 61


def test_departs_from_000_one_solution_where_three_tables_fit() -> None:
    given = {"total": 2000, "positives": 994, "accuracy": "0.898", "f1": "0.8968"}
    assert made(**given).tp == F(38114, 43)
    assert [table.tp for table in ff.recover(**given).tables()] == [882, 886, 891]


def test_departs_from_000_the_closed_form_ignores_rounding() -> None:
    given = {"total": 7, "positives": 3, "accuracy": "0.6"}
    found = made("accuracy_closed_form", **given)
    assert found.tp_range == (F(1, 5), 3)
    assert "cells are not whole numbers" in found.notes[0].text
    assert ff.recover(**given).cells["tp"] == (0, 3)


def test_an_accuracy_outside_what_counts_can_give_is_noted() -> None:
    found = made("accuracy_closed_form", total=10, positives=4, accuracy="1.0", rounding="truncate")
    assert codes(found) == ["estimate_not_exact", "estimate_outside"]


def test_a_single_tp_gives_the_cells() -> None:
    found = made("accuracy_closed_form", total=10, positives=4, accuracy="=1")
    assert list(found.cells().values()) == [4, 0, 0, 6]
    assert found.notes == ()


@pytest.mark.parametrize(
    ("method", "given", "words"),
    [
        ("linear", {"total": 9, "accuracy": "0.7", "recall": "0.7"}, "claim: exactly four facts are needed, got total"),
        ("linear", {"total": 9, "positives": 4, "acc": "0.7", "f1": "0.7", "f2": "0.7"}, "or use least_squares."),
        ("linear", {"total": 9, "positives": 4, "acc": "0.7", "mcc": "0.4"}, "mcc: is not a ratio of sums of cells"),
        (
            "linear",
            {"total": 9, "positives": 4, "acc": "0.7", "kappa": "0.4"},
            "kappa: is not a ratio of sums of cells",
        ),
        ("least_squares", {"positives": "3-5", "acc": "0.7"}, "claim: four facts or more are needed, got acc."),
        (
            "accuracy_closed_form",
            {"total": 9, "acc": "0.7"},
            "got total, acc. Hint: give total, positives and accuracy",
        ),
        ("accuracy_closed_form", {"total": 9, "positives": 4, "f1": "0.7"}, "claim: accuracy alone and both sizes"),
        ("pinv", {"acc": "0.7"}, "method: unknown method, got 'pinv'. Hint: one of linear, least_squares, accuracy_"),
    ],
)
def test_errors_say_what_is_missing(method: str, given: dict[str, Any], words: str) -> None:
    with pytest.raises(ff.InputError) as caught:
        made(method, **given)
    assert words in str(caught.value)


def test_rows_and_json() -> None:
    solved = made(total=66, positives=56, accuracy="0.9848", f1="0.9912")
    ranged = made("accuracy_closed_form", total=10, positives=4, accuracy="6/10")
    for found in (solved, ranged):
        shown = found.to_dict()
        assert json.loads(json.dumps(shown, allow_nan=False)) == shown
        assert (shown["schema"], shown["version"], shown["method"]) == ("fourfold/estimate", 3, found.method)
        assert len({tuple(row) for row in found.rows()}) == 1
    assert [row["name"] for row in solved.rows()] == ["tp", "fn", "fp", "tn"]
    rows = {row["name"]: row for row in ranged.rows()}
    assert rows["tp"] == {"name": "tp", "value": None, "low": 0.0, "high": 4.0}
    assert rows["precision"] == {"name": "precision", "value": None, "low": 0.5, "high": 0.5}
    assert ranged.to_dict()["bounds"]["recall"] == {"low": 0.0, "high": 1.0}
