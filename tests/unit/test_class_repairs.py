"""Changes that would make a report of several classes possible: each is made on purpose, and found."""

from __future__ import annotations

from typing import Any

import pytest

import fourfold as ff
from fourfold import answers
from fourfold.document import Items

MATRIX = ((30, 2, 3), (1, 18, 1), (4, 0, 61))
SIZES = {"a": 35, "b": 20, "c": 65}
# By hand: 35, 20 and 65 cases are predicted too, so that precision is recall.
REPORT = {
    "recall[a]": "0.857",
    "recall[b]": "0.900",
    "recall[c]": "0.938",
    "precision[a]": "0.857",
    "precision[b]": "0.900",
    "precision[c]": "0.938",
    "accuracy": "0.908",
    "macro_f1": "0.899",
    "weighted_f1": "0.908",
}


def changes(report: dict[str, str], sizes: Any = None, **options: Any) -> dict[str, list[str]]:
    """What is said of the changes that make a report possible, by kind."""
    found = ff.recover(classes=SIZES if sizes is None else sizes, bounds="none", **report, **options, folds="none")
    assert found.verdict == "impossible"
    said: dict[str, list[str]] = {}
    for repair in found.repairs:
        said.setdefault(repair.kind, []).append(repair.change)
    return said


def test_the_report_itself_is_possible() -> None:
    found = ff.recover(classes=SIZES, bounds="none", **REPORT)
    assert found.claim.fits(ff.Matrix(MATRIX, list(SIZES)))
    assert found.count
    assert found.repairs == ()


def test_a_digit_of_a_score() -> None:
    assert "recall[b] is 0.900, not 0.800" in changes(REPORT | {"recall[b]": "0.800"})["digit"]
    assert "accuracy is 0.908, not 0.980" in changes(REPORT | {"accuracy": "0.980"})["digit"]


def test_two_scores_were_exchanged() -> None:
    report = REPORT | {"recall[b]": "0.938", "recall[c]": "0.900"}
    assert changes(report)["exchanged"] == ["recall[b] and recall[c] were exchanged"]


def test_the_rows_of_two_classes_were_exchanged() -> None:
    report = REPORT | {f"{name}[a]": REPORT[f"{name}[b]"] for name in ("recall", "precision")}
    report |= {f"{name}[b]": REPORT[f"{name}[a]"] for name in ("recall", "precision")}
    assert changes(report)["rows"] == ["the scores of a and b were exchanged, or their sizes"]
    assert changes(REPORT, {"a": 20, "b": 35, "c": 65})["rows"] == [
        "the scores of a and b were exchanged, or their sizes"
    ]


def test_classes_in_the_opposite_order() -> None:
    sizes = {"a": 40, "b": 30, "c": 20, "d": 10}
    report = {"recall[a]": "0.975", "recall[b]": "0.967", "recall[c]": "0.95", "recall[d]": "0.9", "accuracy": "0.960"}
    assert ff.recover(classes=sizes, bounds="none", **report, folds="none").count
    said = changes(report, {"a": 10, "b": 20, "c": 30, "d": 40})
    assert "the scores, or the sizes, are in the opposite order of classes" in said["rows"]


def test_averages_that_are_taken_for_each_other() -> None:
    both = REPORT | {"macro_f1": "0.908", "weighted_f1": "0.899"}
    assert "macro and weighted averages were exchanged" in changes(both)["average"]
    one = {name: text for name, text in both.items() if name != "weighted_f1"}
    assert changes(one)["average"] == ["macro_f1 is the weighted average"]


@pytest.mark.parametrize(("size", "said"), [(22, "class b has 20 cases, not 22"), (50, "class b has 20 cases, not 50")])
def test_a_size_is_off(size: int, said: str) -> None:
    assert said in changes(REPORT, SIZES | {"b": size})["size"]


def test_a_percent_sign_and_a_digit_too_many() -> None:
    assert changes(REPORT | {"accuracy": "0.908%"})["percent"] == ["accuracy is 0.908, not 0.908%"]
    assert changes(REPORT | {"accuracy": "0.905"})["rounding"] == [
        "accuracy was rounded to a digit less than 0.905 shows"
    ]


def test_each_change_comes_with_a_table_that_fits_it() -> None:
    found = ff.recover(classes=SIZES, bounds="none", **REPORT | {"recall[b]": "0.800"}, folds="none")
    repair = next(repair for repair in found.repairs if repair.change.startswith("recall[b] is 0.900"))
    assert (repair.matrix.tolist()[1][1], sum(repair.matrix.tolist()[1])) == (18, 20)
    assert repair.counted
    assert repair.count == ff.recover(classes=SIZES, bounds="none", **REPORT, folds="none").count
    plain = found.to_dict()["repairs"]
    assert plain[0]["matrix"] == found.repairs[0].matrix.tolist()


def test_contradictions_apart_have_no_single_change_of_a_score() -> None:
    """No 0.95 among 50 cases, in two classes: one changed score leaves the other contradiction."""
    found = ff.recover(classes=[50, 50, 50], bounds="none", **{"recall[0]": "0.950", "recall[1]": "0.950"})
    assert len(found.blame) == 2
    assert {repair.kind for repair in found.repairs} <= {"size", "rows"}


def test_the_answer_lists_them_as_hypotheses() -> None:
    found = ff.recover(classes=SIZES, bounds="none", **REPORT | {"accuracy": "0.905"}, folds="none")
    blocks = answers.document(found).blocks
    (items,) = [block for block in blocks if isinstance(block, Items) and block.hypotheses]
    assert any(item.startswith("accuracy is 0.908, not 0.905: then ") for item in items.items)


def test_at_most_five_of_a_kind() -> None:
    said = changes({"accuracy": "0.95", "macro_f1": "0.50"}, [50, 50, 50])
    assert max(map(len, said.values())) <= 5
