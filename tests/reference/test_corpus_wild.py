"""Small documents after real ones that were read or judged wrongly: what each of them must be read as, and may not be."""

from __future__ import annotations

from typing import Any

import pytest

import fourfold as ff
from fourfold.reports import Finding

from ..conftest import SHARED, needs

WILD = SHARED / "corpus" / "wild"


def findings(name: str) -> tuple[Finding, ...]:
    [document] = (found := ff.check(WILD / name)).documents
    assert document.error is None
    return found.findings


#: Honest documents, or such that are no contradiction, by how many reports they have.
HONEST = {
    "f1_prose_class_f1.md": 1,
    "f2_caret_table.txt": 1,
    "f3_zero_division_1.csv": 1,
    "f4_fold_column.csv": 2,
    "f5_train_test.txt": 2,
    "f7_degradation.md": 1,
    "f8_prefixed_avg.tex": 1,
    "f10_detection_rate.csv": 1,
}


@needs(WILD)
@pytest.mark.parametrize("name", HONEST)
def test_no_honest_document_is_accused(name: str) -> None:
    found = findings(name)
    assert len(found) == HONEST[name]
    assert {finding.verdict for finding in found} <= {"possible", "conditional"}


@needs(WILD)
def test_an_overall_table_is_not_that_of_the_last_class() -> None:
    still, walking, overall = findings("f6_ovr_then_overall.txt")
    assert [still.verdict, walking.verdict] == ["possible", "possible"]
    assert still.report.matrix == ((6, 1), (1, 2))
    assert dict(walking.report.scores) == {"recall": "1.0000", "specificity": "0.7143"}
    assert {"accuracy", "precision", "recall", "f1"} == {*overall.report.scores}
    assert overall.verdict != "impossible"


@needs(WILD)
def test_one_column_may_be_cut_off() -> None:
    [finding] = findings("f9_cut_off.csv")
    assert [departure.code for departure in finding.reading] == ["cut_off"]


@needs(WILD)
def test_caret_prints_predictions_in_rows() -> None:
    [finding] = findings("f2_caret_table.txt")
    assert finding.report.matrix == ((90, 10), (20, 80))
    assert "recall" in finding.checked


@needs(WILD)
def test_detection_rate_is_no_recall_beside_the_sensitivity() -> None:
    [finding] = findings("f10_detection_rate.csv")
    assert finding.report.scores["recall"] == "0.9000"
    assert any("Detection Rate" in words for words in finding.ignored)


#: What is to be read, document by document, report by report.
READ: dict[str, list[dict[str, str]]] = {
    "read_bar_line.md": [{"precision": "0.7274", "recall": "0.6393", "f1": "0.6805"}],
    "read_class_error.txt": [{"inaccuracy": "0.46%"}],
    "read_dash_ruled.txt": [
        {"average_precision": "0.4572", "auc": "0.6753", "precision": "0.3364", "recall": "0.7619", "f1": "0.4668"},
        {"average_precision": "0.8017", "auc": "0.8670", "precision": "0.6581", "recall": "0.7707", "f1": "0.7100"},
    ],
    "read_eval_prefix.md": [{"precision": "0.81", "recall": "0.72", "f1": "0.60", "accuracy": "0.9957"}],
    "read_fp_fn_columns.md": [
        {"f1": "0.905", "precision": "0.893", "recall": "0.916", "accuracy": "0.900", "fp": "63", "fn": "48"}
    ],
    "read_index_name_line.txt": [
        {"accuracy": "0.9852 ± 0.0041", "f1": "0.9844 ± 0.0044"},
        {"accuracy": "0.9985 ± 0.0014", "f1": "0.9985 ± 0.0015"},
    ],
    "read_model_index.md": [
        {"precision": "0.9341931216931217", "recall": "0.9508582968697409", "f1": "0.9024520433694746"}
    ],
    "read_seqeval_numbers.md": [{"precision": "0.8889", "recall": "0.9014", "f1": "0.8951"}],
    # Twice the product of these by their sum is .62754, so that the beta is 1.
    "read_tab_pairs.txt": [
        {"precision": "0.7893700787401575", "recall": "0.5207792207792208", "f1": "0.6275430359937403"}
    ],
}


@needs(WILD)
@pytest.mark.parametrize("name", READ)
def test_every_score_is_read(name: str) -> None:
    assert [dict(finding.report.scores) for finding in findings(name)] == READ[name]


@needs(WILD)
def test_the_errors_of_classes_are_no_column_of_a_matrix() -> None:
    [finding] = findings("read_class_error.txt")
    assert finding.report.matrix is not None
    assert finding.report.matrix[4] == (0, 0, 4, 5, 2516)
    # 63 of 13,737 are wrong.
    assert (finding.report.total, finding.verdict) == (13_737, "possible")


@needs(WILD)
def test_the_name_of_an_index_is_no_row() -> None:
    assert [finding.report.title for finding in findings("read_index_name_line.txt")] == ["DROP3", "EENTH"]


@needs(WILD)
def test_a_number_of_entities_is_their_size() -> None:
    [finding] = findings("read_seqeval_numbers.md")
    assert finding.report.positives == 142


@needs(WILD)
def test_means_and_deviations_of_runs_are_no_rows() -> None:
    first, second = (finding.report for finding in findings("read_two_runs.json"))
    assert (first.runs, second.runs) == (3, 3)
    assert first.scores["precision"] == "0.31592437664041995 ± 0.0008346291416065604"
    assert first.scores["f1"] == "0.40501758173771957 ± 0.00172764422135868"
    assert second.scores["macro_f1"] == "0.8023161066165206 ± 0.0"


@needs(WILD)
def test_epochs_are_no_models() -> None:
    [finding] = findings("epochs.csv")
    assert finding.verdict == "not checked"
    assert "steps of a training" in finding.words


@needs(WILD)
def test_nothing_is_ruled_out_without_a_proof() -> None:
    [finding] = findings("not_ruled_out.md")
    assert finding.verdict in ("possible", "undecided")
    assert "Not for one test set" not in finding.words


MATRIX = "```\n          Reference\nPrediction   A   B\n         A  90  10\n         B  10  90\n```\n\n"


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("Smith et al. reported an accuracy of 85%.", "possible"),
        ("This is an improvement in accuracy of 3%.", "possible"),
        ("Since we notice a slight degradation in Accuracy of 1%, we stop here.", "possible"),
        ("The SVM reached an accuracy of 0.82.", "undecided"),
        ("We reach an accuracy of 85%.", "undecided"),
        ("We reach an accuracy of 90%.", "possible"),
    ],
)
def test_a_sentence_is_asked_about_and_accuses_nobody(sentence: str, verdict: str) -> None:
    [finding] = ff.check(f"{MATRIX}{sentence}\n").findings
    assert finding.verdict == verdict
    assert bool(finding.question) == (verdict == "undecided")


def test_a_list_beside_a_matrix_accuses() -> None:
    [finding] = ff.check(f"{MATRIX}Accuracy: 0.85\n").findings
    assert finding.verdict == "impossible"


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        (
            "In 52 positive and 104 negative cases, sensitivity was 46/52 (88.5%), specificity 91/104 (87.5%) and "
            "accuracy 87.8%.",
            {"recall": "88.5%", "tp": "46", "specificity": "87.5%", "tn": "91", "accuracy": "87.8%"},
        ),
        (
            "In 52 positive and 104 negative cases, sensitivity was 46 out of 52 and specificity 91 of 104.",
            {"recall": "46/52", "specificity": "91/104"},
        ),
        (
            "In 52 positive and 104 negative cases, sensitivity was 46/52 (88.5%) and PPV 46/59 = 78.0%.",
            {"recall": "88.5%", "tp": "46", "precision": "78.0%", "predicted_positives": "59"},
        ),
    ],
)
def test_so_many_of_so_many_is_no_per_cent(text: str, scores: dict[str, Any]) -> None:
    [finding] = ff.check(text).findings
    assert dict(finding.report.scores) == scores
    assert finding.verdict == "possible"
