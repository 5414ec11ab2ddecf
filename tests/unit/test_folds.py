"""Means over folds and test sets: what is read, what is refused, what is said."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

import fourfold as ff
from fourfold import answers
from fourfold.claims.folds import read_folds, read_sets

from ..conftest import SHARED, needs

FOLDS = SHARED / "oracle" / "folds.json"
#: Gaussian naive Bayes on a data set of 569 cases, shuffled ten-fold means to four digits.
HONEST = {"accuracy": "0.9384", "precision": "0.9392", "recall": "0.9663", "f1": "0.9518"}
CANCER = {"positives": 357, "negatives": 212}


def mean(tables: list[ff.Table], name: str) -> Fraction:
    return sum((ff.metric(name).value(table.cells()) for table in tables), Fraction(0)) / len(tables)


def test_ten_fold_means_are_possible_as_what_they_are() -> None:
    found = ff.recover(**CANCER, folds=10, bounds="none", **HONEST)
    assert (found.verdict, found.departures) == ("possible", ())
    tables = found.tables()
    assert len(tables) == 10
    assert (sum(table.positives for table in tables), sum(table.negatives for table in tables)) == (357, 212)
    for name, text in HONEST.items():
        assert abs(mean(tables, name) - Fraction(text)) <= Fraction(1, 20000)
    sums = {cell: sum(table.cells()[cell] for table in tables) for cell in ("tp", "fn", "fp", "tn")}
    assert found.pooled() == ff.Table(**sums)
    assert "impossible if the scores are those of all cases together" in answers.document(found).title


def test_without_a_word_about_folds_the_answer_leads_there() -> None:
    found = ff.recover(**CANCER, bounds="none", **HONEST)
    assert (found.verdict, found.count) == ("conditional", 0)
    assert [each.code for each in found.departures] == ["means_over_folds"]
    assert answers.document(found).title.startswith(
        "Possible only if the scores are means over 5 or 10 stratified folds"
    )
    assert sum(kind.count for kind in found.folds) == 10
    pytest.importorskip("altair", reason="needs fourfold[plots]")
    from fourfold import plots

    heading = plots.feasible(found).to_dict()["title"]
    assert heading["text"] == "No one table fits, and means over folds do"
    assert any(line.startswith("Possible only if the scores are means over 5 or 10") for line in heading["subtitle"])
    assert ff.recover(**CANCER, undefined="none", **HONEST).verdict == "impossible"


def test_means_of_equal_folds_are_the_pooled_score() -> None:
    """10 folds of 10 positives: a mean recall is a multiple of 0.01."""
    assert ff.recover(positives=100, negatives=200, folds=10, recall="0.966", bounds="none").verdict == "impossible"
    assert ff.recover(positives=100, negatives=200, folds=10, recall="0.960", bounds="none").verdict == "possible"


def test_a_deviation_is_never_taken_for_bounds() -> None:
    with pytest.raises(ff.InputError, match="standard deviation, a standard error or bounds"):
        ff.recover(positives=100, negatives=200, accuracy="0.937 ± 0.021")
    bounds = ff.recover(positives=100, negatives=200, accuracy="0.937 ± 0.021", spread="bounds")
    assert bounds.claim.scores[0].reported.low == Fraction("0.916")


def test_what_a_deviation_is() -> None:
    """Two folds of 10 with 9 and 7 right: mean 0.8, deviation 0.1 with n and 0.1414 with n - 1, standard error 0.1."""
    sizes = {"folds": [(5, 5), (5, 5)], "bounds": "none"}
    assert ff.recover(**sizes, accuracy="0.80 ± 0.10", spread="sd").verdict == "possible"
    assert ff.recover(**sizes, accuracy="0.80 ± 0.14", spread="sample_sd").verdict == "possible"
    assert ff.recover(**sizes, accuracy="0.80 ± 0.14", spread="sd").verdict == "impossible"
    tried = ff.recover(**sizes, accuracy="0.80 ± 0.14")
    assert [each.code for each in tried.departures] == ["spread_sample_sd"]


def test_an_interval_beside_a_score_is_told_to_be_unchecked() -> None:
    found = ff.recover(positives=100, negatives=200, recall="0.91 (0.88-0.93)")
    assert found.claim.scores[0].reported.text == "0.91"
    assert [note.code for note in found.notes] == ["interval_not_checked"]


def test_sets_and_lists_of_folds() -> None:
    sets = ff.recover(sets=[{"positives": 5, "negatives": 9}, (4, 10)], recall="0.775", bounds="none")
    # 4 of 5 and 3 of 4 have the mean 0.775.
    assert sets.verdict == "possible"
    assert sorted(table.tp for table in sets.tables()) == [3, 4]
    assert ff.recover(folds="5:9, 4:10", recall="0.775", bounds="none").verdict == "possible"
    assert read_sets([(5, 9), (4, 10)])[1] == "2 test sets"
    parts, words = read_folds("5 unstratified", 13, 20)
    assert [(part.total, part.count) for part in parts] == [(7, 3), (6, 2)]
    assert words == "5 unstratified folds"


def test_folds_beside_a_mapping_of_two_classes() -> None:
    given = {"classes": {"well": 20, "sick": 10}, "recall": "0.96"}
    assert ff.recover(given, folds=5, bounds="none").verdict == "impossible", "of ten, recall is a multiple of 0.1"
    assert ff.recover({**given, "folds": "5"}, bounds="none").verdict == "impossible"


def test_any_number_of_folds() -> None:
    """Three folds of 4, 3 and 3 positives: (3/4 + 1 + 1) / 3 = 0.9167 is a mean of so few folds only."""
    found = ff.recover(positives=10, negatives=11, folds="any", recall="0.9167", bounds="none")
    assert found.verdict == "conditional"
    assert "means over 3, 4 or 6 stratified folds" in found.reading


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"folds": 10, "accuracy": "0.9"}, "needs the sizes"),
        ({"folds": 1, "positives": 5, "negatives": 5, "accuracy": "0.9"}, "must be 2 or more"),
        ({"folds": "x", "positives": 5, "negatives": 5, "accuracy": "0.9"}, "cannot be read"),
        ({"folds": [(5, 5), (5, 5)], "sets": [(5, 5)], "accuracy": "0.9"}, "is said beside folds"),
        ({"over": "mean", "positives": 5, "negatives": 5, "accuracy": "0.9"}, "folds: must be said"),
        ({"over": "sum", "folds": [(5, 5), (5, 5)], "accuracy": "0.9"}, "unknown way"),
        ({"spread": "x", "folds": [(5, 5), (5, 5)], "accuracy": "0.9"}, "unknown kind"),
        ({"folds": [(5, 5), (5, 5)], "tp": 5}, "is no score of each fold"),
        ({"folds": [10, 10], "accuracy": "0.9"}, "must be said for folds of unknown make-up"),
        ({"sets": [{"positives": 5}], "accuracy": "0.9"}, "row 1 has no negatives"),
    ],
)
def test_what_is_refused(given: dict, said: str) -> None:
    with pytest.raises(ff.InputError, match=said):
        ff.recover(**given)


@needs(FOLDS)
def test_verdicts_are_those_of_full_enumeration() -> None:
    cases = json.loads(FOLDS.read_text())["cases"]
    kinds = {0: "sd", 1: "sample_sd"}
    for case in cases:
        sizes = {"folds": case.get("folds")}
        if "folds" not in case:
            folding = case["folding"]
            if folding["strategy"].startswith("stratified"):
                continue
            sizes = {"folds": f"{folding['folds']} unstratified"}
            sizes |= {name: folding[name] for name in ("positives", "negatives")}
        spread = {"spread": kinds[case["ddof"]]} if case.get("sd") else {}
        report = {name: f"{text} ± {case['sd'][name]}" if case.get("sd") and name in case["sd"] else text
                  for name, text in case["report"].items()}  # fmt: skip
        try:
            found = ff.recover(**sizes, undefined=case["undefined"], over="mean", bounds="none", **spread, **report)
        except ff.InputError as error:
            # A score outside its range: nothing can fit.
            assert (error.code, case["verdict"]) == ("out_of_range", "impossible"), case["id"]
            continue
        assert found.verdict == ("impossible" if case["verdict"] == "impossible" else "possible"), case["id"]


def test_reviews_of_fold_means() -> None:
    rows = [{"study": "A", **CANCER, **HONEST, "folds": "10"}, {"study": "B", **CANCER, **HONEST, "folds": ""}]
    said, left_out = ff.review(rows)
    assert (said["verdict"], said["error"]) == ("possible", None)
    assert (left_out["verdict"], left_out["count"]) == ("conditional", 0)
    assert "means over 5 or 10 stratified folds" in left_out["reading"]
    assert set(said) == set(left_out)
    (asked,) = ff.review([{"study": "C", **CANCER, "accuracy": "0.94 ± 0.02"}])
    assert asked["verdict"] == "error"
    assert "standard deviation" in asked["error"]


def test_every_repeat_deals_all_positives() -> None:
    """One positive among four cases, two folds of two, dealt twice: no fold has two positives, nor have two of a deal."""
    asked: Any = {"positives": 1, "negatives": 3, "folds": "2 unstratified", "repeats": 2, "undefined": "zero"}
    # Recalls of at most one fold in each deal count: 2 of 4 at most.
    assert ff.recover(**asked, recall="0.50", bounds="none").verdict == "possible"
    assert ff.recover(**asked, recall="0.75", bounds="none").verdict == "impossible"
    found = ff.recover(**asked, recall="0.25", bounds="none")
    assert [table.positives for table in found.tables()].count(1) == 2


def test_data_sets_with_folds_of_unknown_make_up() -> None:
    """Two data sets, one of them in two folds: its positives are its own, whatever the other has."""
    rows = [{"positives": 1, "negatives": 3, "folds": "2 unstratified"}, {"positives": 3, "negatives": 1}]
    asked: Any = {"sets": rows, "over": "mean", "undefined": "zero", "bounds": "none"}
    # The first has a mean recall of 0 or 1/2, the second of 0, 1/3, 2/3 or 1.
    reached = {f"{(a + b) / 2:.2f}" for a in (0, 1 / 2) for b in (0, 1 / 3, 2 / 3, 1)}
    for text in ("0.00", "0.17", "0.25", "0.33", "0.42", "0.50", "0.58", "0.67", "0.75", "0.92", "1.00"):
        assert (ff.recover(**asked, recall=text).verdict == "possible") == (text in reached), text
