"""Why nothing fits, in words that one reads: the fewest scores to leave out first, all contradictions on request."""

from __future__ import annotations

from typing import Any

import pytest

import fourfold as ff
from fourfold.answers import document
from fourfold.document import Details, Items, Sentence
from fourfold.writers import html_file, markdown, terminal_text

#: By hand: recall and specificity leave tp 32 and tn 54, so 86 of 100 are right, and 32 of 38 predicted positives.
ONE = {"accuracy": "0.89", "recall": "0.80", "specificity": "0.90", "precision": "0.84"}
SIZES = {"positives": 40, "negatives": 60}
ONE_WORDS = "accuracy 0.89 contradicts the rest; without it one table fits, and it gives 0.8600 (86 of 100)"


def items(found: ff.Recovery) -> list[str]:
    """What is listed below the verdict, but for hypotheses."""
    blocks = [block for block in document(found).blocks if isinstance(block, Items) and not block.hypotheses]
    return [item for block in blocks for item in block.items]


def test_one_score_against_the_rest() -> None:
    found = ff.recover(**SIZES, **ONE, undefined="none", folds="none")
    assert len(found.contradictions) == 3
    assert document(found).title == f"Impossible: {ONE_WORDS}"
    assert items(found) == []
    text = terminal_text(found, width=200)
    assert text.startswith(f"impossible: {ONE_WORDS}.\n")
    assert "contradict each other" not in text


def test_all_contradictions_on_request() -> None:
    found = ff.recover(**SIZES, **ONE, undefined="none", explain="all", folds="none")
    assert document(found).title == f"Impossible: {ONE_WORDS}"
    told = items(found)
    assert told[:3] == [
        "accuracy, recall and specificity contradict each other; any two of them are possible",
        "accuracy, recall and precision contradict each other; any two of them are possible",
        "accuracy, specificity and precision contradict each other; any two of them are possible",
    ]
    assert "given recall and specificity, accuracy is 0.8600 (86 of 100), not 0.89" in told
    assert len(told) == 3 + len(found.implied) == 12
    assert told[-1] in terminal_text(found, width=200)
    assert not any(isinstance(block, Details) for block in document(found).blocks)


def test_a_file_has_all_contradictions_to_open() -> None:
    found = ff.recover(**SIZES, **ONE, undefined="none")
    [details] = [block for block in document(found).blocks if isinstance(block, Details)]
    assert [one.title for one in details.details] == [
        "accuracy, recall and specificity",
        "accuracy, recall and precision",
        "accuracy, specificity and precision",
    ]
    told = "given recall and specificity, accuracy is 0.8600 (86 of 100), not 0.89"
    assert told in details.details[0].lines
    page = html_file(found)
    assert f"<li>{told}</li>" in page
    assert '<details class="plain"><summary>accuracy, recall and specificity' in page
    assert "- accuracy, recall and specificity: impossible together" in markdown(found)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"positives": 43, "negatives": 41, "precision": "0.81", "mcc": "0.50", "specificity": "0.85"},
            "mcc 0.50 contradicts the rest; without it 2 tables fit, and they give at most 0.4718",
        ),
        (
            {"positives": 34, "negatives": 38, "f1": "0.69", "precision": "0.59", "mcc": "0.39"},
            "precision 0.59 contradicts the rest; without it 2 tables fit, and they give at least 0.6578 (25 of 38)",
        ),
        (
            {"total": 129, "specificity": "0.6364", "npv": "0.7368", "balanced_accuracy": "0.7494"},
            "balanced_accuracy 0.7494 contradicts the rest; without it 4 tables fit, and they could give 0.6991 or "
            "0.7594",
        ),
        (
            {"positives": 11, "negatives": 27, "npv": "0.88", "mcc": "0.40", "f1": "0.542", "recall": "0.818"},
            "f1 0.542 and mcc 0.40 contradict the rest; without them 2 tables fit",
        ),
        (
            {"precision": "0.90", "recall": "0.90", "jaccard": "0.82", "f1": "0.70"},
            "f1 0.70 contradicts the rest; without it tables of some sizes fit, and they give from 0.8981 to 0.9041",
        ),
        (
            {**SIZES, "accuracy": "1.00", "specificity": "1.00", "plr": "3"},
            "plr 3 contradicts the rest; without it one table fits, and it leaves it undefined",
        ),
    ],
)
def test_what_is_left_without_them(given: dict[str, Any], words: str) -> None:
    found = ff.recover(**given, undefined="none", bounds="none", folds="none")
    assert document(found).title == f"Impossible: {words}"
    assert items(found) == []


def test_one_score_or_another() -> None:
    scores = {"precision": "0.95", "accuracy": "0.94", "recall": "0.90", "specificity": "0.93"}
    found = ff.recover(positives=59, negatives=41, **scores, undefined="none", bounds="none", folds="none")
    assert document(found).title == "Impossible: either accuracy 0.94 or recall 0.90 contradicts the rest"
    assert items(found) == [
        "without accuracy 0.94, one table fits, and it gives 0.9100 (91 of 100)",
        "without recall 0.90, one table fits, and it gives 0.9492 (56 of 59)",
    ]


def test_two_scores_or_two_others() -> None:
    scores = {"precision": "0.615", "specificity": "0.42", "f1": "0.76"}
    found = ff.recover(positives=10, negatives=9, **scores, undefined="none", bounds="none", folds="none")
    both = "either specificity 0.42 and precision 0.615, or specificity 0.42 and f1 0.76 contradict the rest"
    assert document(found).title == f"Impossible: {both}"
    assert items(found) == [
        "without specificity 0.42 and precision 0.615, one table fits",
        "without specificity 0.42 and f1 0.76, one table fits",
    ]
    [details] = [block for block in document(found).blocks if isinstance(block, Details)]
    assert "no table has this specificity: 3 of 9 is 0.3333, 4 of 9 is 0.4444" in [
        line for one in details.details for line in one.lines
    ]


def test_a_single_contradiction_explains_itself() -> None:
    scores = {"accuracy": "0.9567", "sensitivity": "0.8700", "specificity": "0.9750"}
    for explain in ("fewest", "all"):
        found = ff.recover(positives=100, negatives=200, **scores, explain=explain, folds="none")
        assert document(found).title == (
            "Impossible: accuracy, sensitivity and specificity contradict each other; any two of them are possible"
        )
        assert items(found) == [
            "given accuracy and sensitivity, specificity is 1.0000 (200 of 200), not 0.9750",
            "given accuracy and specificity, sensitivity is 0.9200 (92 of 100), not 0.8700",
            "given sensitivity and specificity, accuracy is 0.9400 (282 of 300), not 0.9567",
        ]


def test_of_too_many_tables_it_is_only_said_what_to_leave_out() -> None:
    """A share of wrong cases of 0.03 contradicts 0.824 of right ones; without sizes the tables cannot be walked."""
    found = ff.recover(
        macro_specificity="0.807",
        micro_specificity="0.824",
        macro_recall="0.807",
        micro_recall="0.824",
        inaccuracy="3%",
    )
    assert found.verdict == "unexplained"
    assert [left.names for left in found.left_out] == [("inaccuracy",)]
    assert "inaccuracy 3% contradicts the rest; without it tables of some sizes fit" in terminal_text(found, 200)


def test_a_report_that_nothing_explains_is_left_open() -> None:
    """0.333 of 0.893 and 0.667 of 0.941 are 0.925; parts of the data with fewer positives could have 0.880."""
    answer = document(ff.recover(positives=100, negatives=200, accuracy="0.880", recall="0.893", specificity="0.941"))
    assert (answer.tone, answer.cite) == ("open", "")
    assert answer.title.startswith("Unexplained: no test set of 100 positive and 200 negative cases has these scores")
    assert answer.title.count(".") == 0, "a headline is one sentence"
    told = [block.text for block in answer.blocks if isinstance(block, Sentence) and block.place == "page"]
    assert told[0].endswith("Ask how the scores were averaged.")


@pytest.mark.parametrize(
    ("given", "checked", "cite"),
    [
        (
            {
                "recall": "81%",
                "accuracy": "0.85",
                "positives": 40,
                "negatives": 60,
                "rounding": "truncate",
                "undefined": "none",
            },
            "Checked: recall 81% and accuracy 0.85, 40 positives and 60 negatives. Assumed: one test set; numbers cut "
            "after the last digit.",
            "With 40 positive and 60 negative cases, no confusion matrix gives recall 81% and accuracy 0.85.",
        ),
        (
            {"classes": {"a": 5, "b": 5, "c": 5}, "accuracy": "0.93"},
            "Checked: accuracy 0.93, 15 cases of 3 classes. Assumed: one test set, one class for each case; numbers "
            "rounded at the last digit, halves up or down.",
            "With classes of 5 a, 5 b and 5 c cases, accuracy 0.93 is possible.",
        ),
        (
            {"folds": "3 stratified", "accuracy": "0.2", "f1": "0.9", "positives": 5, "negatives": 5, "over": "mean"},
            "Checked: accuracy 0.2 and f1 0.9. Assumed: means over 3 stratified folds; numbers rounded at the last "
            "digit, halves up or down.",
            "As means over 3 stratified folds, no confusion matrices of the folds give accuracy 0.2 and f1 0.9.",
        ),
    ],
)
def test_what_was_checked_and_what_to_cite(given: dict[str, Any], checked: str, cite: str) -> None:
    answer = document(ff.recover({"folds": "none", **given}))
    assert checked in [getattr(block, "text", "") for block in answer.blocks]
    assert answer.cite == cite
