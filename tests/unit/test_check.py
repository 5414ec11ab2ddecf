"""`check`: which reports stand in a document, and what is said of each."""

from __future__ import annotations

from pathlib import Path

import pytest
from joblib import parallel_config

import fourfold as ff
from fourfold.reports import Place, Report, judge

#: The matrix gives accuracy 173/200 = 0.865, and of the class b precision 49/57 = 0.8596 and recall 49/68 = 0.7206.
REPORT = """
              precision    recall  f1-score   support

           a       0.87      0.94      0.90       132
           b       {b}      0.72      0.78        68

    accuracy                           0.86       200
   macro avg       0.86      0.83      0.84       200
weighted avg       0.86      0.86      0.86       200
"""
MATRIX = "[[124   8]\n [ 19  49]]\n"
RIGHT, WRONG = REPORT.format(b="0.86"), REPORT.format(b="0.96")


def scores(**printed: str) -> Report:
    return Report("scores", Place(line=3), scores=printed)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (RIGHT, "possible"),
        (RIGHT + MATRIX, "possible"),
        (WRONG, "impossible"),
        (WRONG + MATRIX, "impossible"),
        (RIGHT.replace("           b       0.86      0.72      0.78        68\n", "         ...\n"), "not checked"),
    ],
)
def test_a_classification_report(text: str, verdict: str) -> None:
    [finding] = ff.check(f"```{text}```").findings
    assert finding.verdict == verdict


def test_a_score_that_the_matrix_does_not_give_is_named() -> None:
    [finding] = ff.check(WRONG + MATRIX).findings
    [wrong] = finding.wrong
    assert (wrong.name, wrong.printed, wrong.given) == ("precision[b]", "0.96", pytest.approx(49 / 57))
    assert finding.words == "the matrix TN 124 FP 8 FN 19 TP 49 gives precision[b] 0.8596, printed 0.96."


def test_sizes_that_are_given_hold_where_the_document_says_none() -> None:
    """Of 30 positives 25 make 0.833 and 26 make 0.867."""
    text = "Sensitivity: 0.850, specificity: 0.900, accuracy: 0.875"
    assert ff.check(text).verdict == "possible"
    found = ff.check(text, positives=30, negatives=30)
    assert found.verdict == "impossible"
    assert "30 positives and 30 negatives (given)" in str(found)
    assert ff.check(text, positives=40, negatives=40).findings[0].only_table == {"tp": 34, "fn": 6, "fp": 4, "tn": 36}


def test_without_a_size_nothing_is_called_impossible() -> None:
    """F1 lies between precision and recall of one table, but means over folds need not."""
    finding = judge(scores(recall="0.10", precision="0.10", f1="0.90"))
    assert finding.verdict == "undecided"
    assert "means over folds, are not ruled out" in finding.words


def test_counts_verdict_and_failing() -> None:
    found = ff.check(RIGHT, WRONG, "nothing here")
    assert found.counts == {"possible": 1, "impossible": 1}
    assert found.verdict == "impossible"
    assert [finding.verdict for finding in found.failing()] == ["impossible"]
    assert not found.failing("never")
    with pytest.raises(ff.InputError, match="unknown word"):
        found.failing("often")
    assert "3 documents, 2 reports: 1 possible, 1 impossible." in str(found)


def test_no_document_and_no_report() -> None:
    assert ff.check().documents == ()
    found = ff.check("Nothing is measured here.")
    assert found.verdict == "not checked"
    assert "1 document, no scores of a classifier were found." in str(found)


def test_a_text_that_names_a_file_is_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(WRONG, encoding="utf-8")
    for given in (path, str(path)):
        found = ff.check(given)
        assert found.documents[0].name == found.findings[0].document == str(path)
    missing = ff.check(tmp_path / "b.md", path)
    assert missing.documents[0].error is not None
    assert missing.verdict == "impossible"


def test_several_at_once_are_told_in_their_order(tmp_path: Path) -> None:
    for place, text in enumerate([RIGHT, WRONG, RIGHT, ""]):
        (tmp_path / f"{place}.md").write_text(text, encoding="utf-8")
    shares: list[float] = []
    with parallel_config(backend="threading"):
        found = ff.check(tmp_path, n_jobs=2, progress=shares.append)
    assert [finding.verdict for finding in found.findings] == ["possible", "impossible", "possible"]
    assert [document.reports for document in found.documents] == [1, 1, 1, 0]
    assert shares == [0.25, 0.5, 0.75, 1.0]


def test_a_report_shows_what_is_printed() -> None:
    [report] = ff.read(f"# Random forest\n{RIGHT}{MATRIX}")
    shown = str(report)
    for part in (
        "Random forest",
        "Classification report and matrix, 2 classes, 200 cases.",
        "0.94",
        "124",
        "macro_recall",
    ):
        assert part in shown


def test_rows_of_a_check() -> None:
    [row] = ff.check(WRONG + MATRIX).rows()
    assert row["verdict"] == "impossible"
    assert row["wrong"].startswith("precision[b]: 0.96, the matrix gives 0.859")
