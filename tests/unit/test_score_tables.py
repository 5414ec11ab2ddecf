"""Tables of scores, lists and sentences: what is read from examples of each form."""

from __future__ import annotations

from typing import Any

import pytest

import fourfold as ff
from fourfold.documents import blocks
from fourfold.exact.reported import split_spread
from fourfold.reports.names import read_name
from fourfold.reports.report import Report
from fourfold.reports.score_lines import find, find_tables
from fourfold.reports.stated import Stated, stated
from fourfold.reports.values import read_cell, read_size


def read(text: str, name: str = "") -> list[Report]:
    return [found.report for block in blocks(text, name=name or None) for found in find(block)]


def scores(text: str, name: str = "") -> dict[str, dict[str, str]]:
    return {report.title: dict(report.scores) for report in read(text, name)}


def markdown(*rows: str) -> str:
    head, *rest = rows
    rule = "|".join("---" for _ in head.split("|"))
    return "\n".join(f"| {row} |" for row in (head, rule, *rest))


@pytest.mark.parametrize(
    ("head", "score"),
    [
        ("Accuracy", "accuracy"), ("Acc (%)", "accuracy"), ("Acc. [%]", "accuracy"), ("Test accuracy (0.5)", "accuracy"),
        ("Sens.", "recall"), ("Se", "recall"), ("TPR", "recall"), ("Sensitivity (Recall)", "recall"),
        ("Recall / Sensitivity", "recall"), ("Sp", "specificity"), ("TNR", "specificity"), ("PPV", "precision"),
        ("Positive Predictive Value (PPV)", "precision"), ("NPV", "negative_predictive_value"), ("F-measure", "f1"),
        ("F1-Score", "f1"), ("F₁", "f1"), ("F2", "f2"), ("F1 (macro)", "macro_f1"), ("Macro-F1", "macro_f1"),
        ("F1_macro", "macro_f1"), ("macro avg F1", "macro_f1"), ("Weighted F1", "weighted_f1"),
        ("F1 Score (Weighted)", "weighted_f1"), ("Micro Recall", "micro_recall"), ("AUROC", "auc"), ("ROC-AUC", "auc"),
        ("AUC ↑", "auc"), ("PR-AUC", "average_precision"), ("Kappa", "kappa"), ("Cohen’s κ", "kappa"), ("MCC", "mcc"),
        ("Bal. Acc.", "balanced_accuracy"), ("Youden's J", "informedness"), ("FPR", "false_positive_rate"),
        ("val_acc", "accuracy"), ("mean_test_accuracy", "accuracy"), ("TP", "tp"), ("Prevalence", "prevalence"),
        ("% positive", "prevalence"), ("Accuracy (mean ± SD)", "accuracy"), ("FOR", "false_omission_rate"),
        ("Top-1 Acc", "accuracy"), ("Sensibilidad", "recall"),
    ],
)  # fmt: skip
def test_a_head_says_which_score(head: str, score: str) -> None:
    name = read_name(head)
    assert (name.role, name.score) == ("score", score)


@pytest.mark.parametrize(
    "head",
    ["Status", "MAE", "Train time (s)", "Time", "Coverage", "Precision@10", "Recall@5", "Top-5 accuracy", "Accuracy drop",
     "Δ F1", "Loss", "val_loss", "Power", "for", "Recall at 1% FPR", "Notes", "USD/1k clips", "CV Mean", "R²", "mAP50",
     "Training samples", "UP / DOWN"],
)  # fmt: skip
def test_a_head_that_is_no_score(head: str) -> None:
    assert read_name(head).role == "other"


@pytest.mark.parametrize(
    ("head", "size", "weak"),
    [("N", "total", False), ("n", "total", False), ("Sample size", "total", False), ("Test n", "total", False),
     ("No. pos", "positives", False), ("# positives", "positives", False), ("Negatives", "negatives", False),
     ("Number of test images", "total", False), ("Patients", "total", True), ("Clips", "total", True),
     ("Samples", "total", True), ("Total cases", "total", False)],
)  # fmt: skip
def test_a_head_that_counts_cases(head: str, size: str, weak: bool) -> None:
    name = read_name(head)
    assert (name.role, name.size, name.weak) == ("size", size, weak)


def test_what_stands_beside_a_name() -> None:
    assert read_name("Recall (churn)").label == "churn"
    assert read_name("AI Recall").label == "AI"
    assert read_name("Precision class 1").label == "class 1"
    assert read_name("Precision (Val)").part == "validation"
    cross = read_name("CV ROC-AUC (train, 5-fold)")
    assert (cross.part, cross.stated.folds) == ("cross-validation", 5)
    assert read_name("Binary sensitivity @0.5").group == "at 0.5, binary"
    assert read_name("Acc SD").role == "spread"
    assert read_name("95% Wilson CI").role == "interval"
    assert [read_name(head).percent for head in ("Acc (%)", "Specificity, %", "F1 in %", "Recall")] == [True] * 3 + [
        False
    ]


CELLS: dict[str, tuple[Any, ...]] = {
    # value, spread, interval, share, bound
    "0.91": ("0.91", None, None, None, ""),
    "**94.1%**": ("94.1%", None, None, None, ""),
    "0.91*": ("0.91", None, None, None, ""),
    "0.91†": ("0.91", None, None, None, ""),
    "0.91²": ("0.91", None, None, None, ""),
    r"\textbf{0.91}$^{*}$": ("0.91", None, None, None, ""),
    r"$0.91_{\pm 0.02}$": ("0.91", "0.02", None, None, ""),
    "0.957 ± 0.012": ("0.957", "0.012", None, None, ""),
    "91.2 ± 1.3%": ("91.2%", "1.3%", None, None, ""),
    "0.95 (+/- 0.04)": ("0.95", "0.04", None, None, ""),
    "79.0 (76.0-81.2)": ("79.0", None, ("76.0", "81.2"), None, ""),
    "74.2 [70.2, 77.2]": ("74.2", None, ("70.2", "77.2"), None, ""),
    "85.2% (95% CI: 80.1–90.2)": ("85.2%", None, ("80.1%", "90.2%"), None, ""),
    "0.88–0.93": (None, None, ("0.88", "0.93"), None, ""),
    "89.88% (151/168)": ("89.88%", None, None, (151, 168), ""),
    "45/50 (90.0%; 95% CI 78.2-96.7)": ("90.0%", None, ("78.2%", "96.7%"), (45, 50), ""),
    "4 / 4": ("4/4", None, None, (4, 4), ""),
    "45 (90%)": ("90%", None, None, None, ""),
    "~0.69": ("0.69", None, None, None, "~"),
    ">0.88": ("0.88", None, None, None, ">"),
    "≤ 5%": ("5%", None, None, None, "<="),
    "88,7": ("88.7", None, None, None, ""),
    "0,88 (0,85-0,91)": ("0.88", None, ("0.85", "0.91"), None, ""),
    "0.912 (1)": ("0.912", None, None, None, ""),
    "0.912 (+0.02)": ("0.912", None, None, None, ""),
    "0.88 ↑0.01": ("0.88", None, None, None, ""),
    "0.91 [12]": ("0.91", None, None, None, ""),
    "0.91a": ("0.91", None, None, None, ""),
    "0.72 (substantial)": ("0.72", None, None, None, ""),
    "AUC = 0.91": ("0.91", None, None, None, ""),
    "−0.12": ("-0.12", None, None, None, ""),
}


@pytest.mark.parametrize("text", CELLS)
def test_a_cell_is_taken_apart(text: str) -> None:
    cell = read_cell(text)
    assert (cell.value, cell.spread, cell.interval, cell.share, cell.bound) == CELLS[text]


@pytest.mark.parametrize(
    "text", ["", "-", "–", "—", "NR", "n/a", "N/A", "not reported", "not computed", "(—)", "nan", "..."]
)
def test_nothing_reported(text: str) -> None:
    assert read_cell(text).missing


@pytest.mark.parametrize(
    "text", ["3.2 ms", "9.2 pp", "0.90/0.91", "see text", "12:30", "FP16", "0.91 vs 0.89", "1" * 500]
)
def test_a_cell_that_is_no_score(text: str) -> None:
    cell = read_cell(text)
    assert not cell.says
    assert not cell.missing


def test_sizes() -> None:
    assert [read_size(text) for text in ("2400", "n=2400", "2,400", "2 400", "1.200", "200.0")] == [2400] * 4 + [
        1200,
        200,
    ]
    assert read_size("50 (25%)") == 50
    assert [read_size(text) for text in ("0.537", "~50", "50/200", "NR", "12MB", "")] == [None] * 6


def test_every_form_of_a_score_can_be_recovered() -> None:
    """A text of a score is one that `recover` reads, whatever the cell looked like."""
    cells = ["0.85", "85.0", "~0.85", ">0.8", "<=0.9", "85.0 (80.1-89.2)", "0.85 ± 0.02", "34/40", "0.84-0.86"]
    for report in read(
        markdown("Model | n | No. pos | Accuracy", *(f"m{n} | 40 | 20 | {text}" for n, text in enumerate(cells)))
    ):
        text = report.scores["accuracy"]
        value = split_spread(text).value if "±" in text else text
        assert ff.recover({"accuracy": value, "total": 40, "positives": 20}).verdict != "impossible"


def test_methods_in_rows() -> None:
    text = markdown(
        "Rank | Model | Accuracy | F1 Score | ROC-AUC | Status", "#1 | **a** | **94.1%** | 90.6% | 0.92 | x",
        "#2 | b | 93.9% | — | 0.91 | y",
    )  # fmt: skip
    first, second = read(text)
    assert first.title == "a"
    assert first.scores == {"accuracy": "94.1%", "f1": "90.6%", "auc": "0.92"}
    assert first.ignored == ("Rank: a rank", "Status: not a known score")
    assert second.scores == {"accuracy": "93.9%", "auc": "0.91"}
    assert "F1 Score: not reported" in second.ignored
    assert second.where.line == 4
    assert first.kind == "scores"


def test_methods_in_columns() -> None:
    text = markdown(
        "Metric | SVM | CNN", "Accuracy (%) | 91.2 | **95.1**", "Sensitivity | 0.88 | 0.93†", "N | 200 | 200"
    )
    svm, cnn = read(text)
    assert (svm.title, svm.scores, svm.total) == ("SVM", {"accuracy": "91.2%", "recall": "0.88"}, 200)
    assert (cnn.title, cnn.scores, cnn.total) == ("CNN", {"accuracy": "95.1%", "recall": "0.93"}, 200)


def test_names_and_values() -> None:
    text = markdown(
        "Metric | Value | 95% CI", "Sensitivity | 0.91 | 0.85–0.95", "Specificity | 0.88 | 0.84–0.92", "N | 412 |"
    )
    (report,) = read(text)
    assert report.scores == {"recall": "0.91 (0.85, 0.95)", "specificity": "0.88 (0.84, 0.92)"}
    assert report.total == 412


def test_one_score_a_row() -> None:
    text = markdown(
        "Evaluation | Metric | Value", "Held-out | Accuracy | 0.948", "Held-out | F1 | 0.958",
        "5-fold cross-validation | Accuracy | 0.943 ± 0.002", "Balanced set (100 + 100) | Accuracy | 0.94",
    )  # fmt: skip
    held, cross, balanced = read(text)
    assert (held.scores, held.folds) == ({"accuracy": "0.948", "f1": "0.958"}, None)
    assert (cross.scores, cross.folds) == ({"accuracy": "0.943 ± 0.002"}, 5)
    assert (balanced.total, balanced.positives, balanced.negatives) == (200, 100, 100)
    table = "Model,Dataset,Metric,Value\nSVM,A,Accuracy,0.9\nSVM,A,F1,0.8\nSVM,B,Accuracy,0.7\nRF,A,Accuracy,0.91\n"
    assert scores(table, "a.csv") == {
        "SVM, A": {"accuracy": "0.9", "f1": "0.8"}, "SVM, B": {"accuracy": "0.7"}, "RF, A": {"accuracy": "0.91"},
    }  # fmt: skip


def test_heads_over_two_rows() -> None:
    expected = {
        "SVM, Dataset A": {"accuracy": "0.91", "f1": "0.90"}, "SVM, Dataset B": {"accuracy": "0.81", "f1": "0.80"},
        "RF, Dataset A": {"accuracy": "0.93", "f1": "0.92"}, "RF, Dataset B": {"accuracy": "0.83", "f1": "0.82"},
    }  # fmt: skip
    body = "SVM,0.91,0.90,0.81,0.80\nRF,0.93,0.92,0.83,0.82\n"
    assert scores(f",Dataset A,,Dataset B,\nMethod,Acc,F1,Acc,F1\n{body}", "a.csv") == expected
    latex = r"""\begin{tabular}{lcccc}
& \multicolumn{2}{c}{Dataset A} & \multicolumn{2}{c}{Dataset B} \\
Method & Acc & F1 & Acc & F1 \\ \midrule
SVM & 0.91 & 0.90 & 0.81 & 0.80 \\
RF & \textbf{0.93} & 0.92$^\dagger$ & 0.83 & 0.82 \\
\end{tabular}"""
    assert scores(latex) == expected
    turned = "Method,Acc,,F1,\n,Train,Test,Train,Test\nSVM,0.99,0.91,0.98,0.90\n"
    assert scores(turned, "a.csv") == {
        "SVM, train": {"accuracy": "0.99", "f1": "0.98"}, "SVM, test": {"accuracy": "0.91", "f1": "0.90"},
    }  # fmt: skip


def test_heads_of_families_do_not_part_a_row() -> None:
    text = "My review,,,\nStudy,Sample,Performance,\nAuthor,N,Acc (%),Sens.\nA 2010,200,83.5,0.740\n"
    (report,) = read(text, "a.csv")
    assert (report.title, report.total) == ("A 2010", 200)
    assert report.scores == {"accuracy": "83.5%", "recall": "0.740"}


def test_averages_and_units_in_a_second_row() -> None:
    text = ";Macro;;Weighted;\nModel;Precision;F1;Precision;F1\na;0,81;0,83;0,84;0,86\n"
    (report,) = read(text, "a.csv")
    assert report.scores == {
        "macro_precision": "0.81", "macro_f1": "0.83", "weighted_precision": "0.84", "weighted_f1": "0.86",
    }  # fmt: skip
    (report,) = read("Model,Accuracy,Sensitivity,AUC\n,(%),(%),\na,91.2,88.1,0.95\n", "a.csv")
    assert report.scores == {"accuracy": "91.2%", "recall": "88.1%", "auc": "0.95"}


def test_means_with_deviations_of_a_data_frame() -> None:
    text = (
        "<table><thead><tr><th></th><th colspan=2>accuracy</th><th colspan=2>f1</th></tr>"
        "<tr><th></th><th>mean</th><th>std</th><th>mean</th><th>std</th></tr></thead>"
        "<tr><th>svm</th><td>0.91</td><td>0.01</td><td>0.90</td><td>0.02</td></tr></table>"
    )
    assert scores(text) == {"svm": {"accuracy": "0.91 ± 0.01", "f1": "0.90 ± 0.02"}}


@pytest.mark.parametrize(
    ("head", "row", "expected"),
    [
        ("Acc | Acc SD | F1 | SD", "91.2 | 1.2 | 90.0 | 1.1", {"accuracy": "91.2% ± 1.2%", "f1": "90.0% ± 1.1%"}),
        ("Sens | 95% CI | Spec | 95% CI", "0.91 | 0.88-0.93 | 95.0% | [92.0, 97.0]",
            {"recall": "0.91 (0.88, 0.93)", "specificity": "95.0% (92.0%, 97.0%)"}),
        ("AUC | CI lower | CI upper", "0.91 | 0.88 | 0.93", {"auc": "0.91 (0.88, 0.93)"}),
        ("Sens (95% CI) | Spec, % (95% CI)", "0.91 (0.88–0.93) | 95.0 (92.0, 97.0)",
            {"recall": "0.91 (0.88, 0.93)", "specificity": "95.0% (92.0%, 97.0%)"}),
        ("Precision/Recall | F1", "0.81/0.79 | 0.80", {"precision": "0.81", "recall": "0.79", "f1": "0.80"}),
        ("P | R | F1", "81.2 | 79.3 | 80.2", {"precision": "81.2%", "recall": "79.3%", "f1": "80.2%"}),
        ("Sens | Spec | P", "81.2 | 79.3 | 0.03", {"recall": "81.2%", "specificity": "79.3%"}),
        ("Recall | TPR", "0.81 | 0.82", {"recall": "0.81", "TPR": "0.82"}),
        ("Precision (0) | Precision (1) | Accuracy", "0.9 | 0.8 | 0.85",
            {"precision[negative]": "0.9", "precision": "0.8", "accuracy": "0.85"}),
        ("Crash Recall (TN/4) | Boom Recall (TP/17)", "4 / 4 | 11 / 17", {"recall[negative]": "4/4", "recall": "11/17"}),
        ("Acc | MCC", "85.6 | 0.596", {"accuracy": "85.6%", "mcc": "0.596"}),
        ("LR+ | DOR", "12.5 | 140", {"positive_likelihood_ratio": "12.5", "diagnostic_odds_ratio": "140"}),
    ],
)  # fmt: skip
def test_columns_that_belong_together(head: str, row: str, expected: dict[str, str]) -> None:
    assert scores(markdown(f"Model | {head}", f"m | {row}")) == {"m": expected}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mcc: 30", None),
        ("Mcc: 30\nAccuracy: 0.90", None),
        ("Kappa: -30\nAccuracy: 0.40", None),
        ("Youden's J: 62\nAccuracy: 0.81\nRecall: 80%", None),
        ("The accuracy was 0.90 and the MCC 30 on a test set of 200 cases.", None),
        ('{"mcc": 47.0, "accuracy": 0.773}', None),
        (markdown("Model | MCC", "m | 30"), None),
        (markdown("Model | Acc | MCC", "m | 0.91 | 75.3", "o | 0.93 | 80.2"), None),
        (markdown("Model | MCC", "m | 75.3", "o | 0.802"), None),
        # A sign, the head, the numbers of the row or those of the column say that it is per cent.
        ("MCC: 75.3%", "75.3%"),
        ("MCC: 75.3\nAccuracy: 90.1%", "75.3%"),
        ("MCC: 75.3\nAccuracy: 90.1\nRecall: 80.0", "75.3%"),
        ("The accuracy was 90% and the MCC 80 on a test set of 200 cases.", "80%"),
        (markdown("Model | Acc | MCC (%)", "m | 0.91 | 75.3"), "75.3%"),
        (markdown("Model | Acc (%) | MCC", "m | 91.0 | 75.3"), "75.3%"),
        (markdown("Model | MCC", "m | 75.3", "o | 80.2"), "75.3%"),
        (markdown("Model | MCC", "m | 75.3", "o | 80.2%"), "75.3%"),
        (markdown("Model | MCC | Log loss | Acc", "m | 75.3 | 0.31 | 90.0"), "75.3%"),
        ("MCC: 0.753\nAccuracy: 90.1%", "0.753"),
    ],
)
def test_an_mcc_above_1_is_per_cent_only_where_that_is_shown(text: str, expected: str | None) -> None:
    report = read(text)[0]
    printed = [value for name, value in report.scores.items() if name in ("mcc", "kappa", "informedness")]
    assert printed == ([] if expected is None else [expected])
    assert any("nothing says that it is per cent" in words for words in report.ignored) == (expected is None)


def test_a_lone_mcc_above_1_is_not_checked() -> None:
    [finding] = ff.check("Mcc: 30").findings
    assert finding.verdict == "not checked"
    assert finding.ignored == ("Mcc 30: lies outside [-1, 1], and nothing says that it is per cent",)


def test_ratios_without_an_upper_limit_are_per_cent_only_where_the_head_says_it() -> None:
    assert scores(markdown("Model | Acc | LR+", "m | 90.0 | 75.3"))["m"]["positive_likelihood_ratio"] == "75.3"
    assert scores(markdown("Model | Acc | DOR", "m | 90.0% | 30"))["m"]["diagnostic_odds_ratio"] == "30"


def test_per_cent_or_not_is_told_cell_by_cell() -> None:
    rows = ["a | 83.5 | 0.740 | 0.9", "b | 84.2 | 91.7% | 1.2", "c | 0.86 ± 0.02 | 92.5 | 13.0", "d | 0.9 | 0.8 | 0"]
    reports = read(markdown("Study | Acc (%) | Sens. | FPR (%)", *rows))
    assert [report.scores["accuracy"] for report in reports] == ["83.5%", "84.2%", "0.86 ± 0.02", "0.9"]
    assert [report.scores["recall"] for report in reports] == ["0.740", "91.7%", "92.5%", "0.8"]
    assert [report.scores["false_positive_rate"] for report in reports] == ["0.9%", "1.2%", "13.0%", "0%"]
    assert any("92.5" in words for words in reports[2].assumed)
    assert any("0.86" in words for words in reports[2].assumed)
    _, wrong, _ = read(markdown("Model | Accuracy", "a | 0.91", "b | 1.02", "c | 0.93"))
    assert not wrong.scores
    assert "1.02" in wrong.ignored[0]


def test_sizes_in_rows() -> None:
    (report,) = read(markdown("Study | Cases | Controls | Se (%)", "a | 120 | 300 | 81.7"))
    assert (report.positives, report.negatives) == (120, 300)
    (report,) = read(markdown("Study | n (pos/neg) | Accuracy", "a | 420 (120/300) | 0.9"))
    assert (report.total, report.positives, report.negatives) == (420, 120, 300)
    (report,) = read(markdown("Study | P | N | TPR", "a | 120 | 300 | 0.8"))
    assert (report.positives, report.negatives, report.scores) == (120, 300, {"recall": "0.8"})
    (report,) = read(markdown("Model | Acc | width", "a | 89.88% (151/168) | 9.2 pp"))
    assert (report.total, report.scores) == (168, {"accuracy": "89.88%", "correct": "151"})


def test_things_counted_are_not_always_the_cases_tested() -> None:
    (report,) = read(markdown("Model | Clips | Precision | Recall", "a | 875 | 71.3 | 66.7"))
    assert report.total is None
    assert any(words.startswith("Clips:") for words in report.ignored)
    (report,) = read(markdown("Model | Patients | No. pos | Recall", "a | 875 | 100 | 0.71"))
    assert (report.total, report.positives) == (875, 100)


def test_four_counts_are_a_matrix() -> None:
    first, second = read(
        markdown("Model | TP | TN | FP | FN | Accuracy", "a | 248 | 149 | 1 | 2 | 0.9925", "b | 1 | 2 | 3 | - | 0.5")
    )
    assert first.matrix == ((149, 1), (2, 248))
    assert first.scores == {"accuracy": "0.9925"}
    assert second.matrix is None
    assert second.scores == {"tp": "1", "tn": "2", "fp": "3", "accuracy": "0.5"}


def test_parts_of_the_data_are_told_apart() -> None:
    text = markdown("Model | Train Acc | Test Acc | CV Acc (5-fold) | Precision", "a | 0.99 | 0.91 | 0.92 | 0.9")
    assert scores(text) == {
        "a, train": {"accuracy": "0.99"}, "a, test": {"accuracy": "0.91"}, "a, cross-validation": {"accuracy": "0.92"},
        "a": {"precision": "0.9"},
    }  # fmt: skip
    assert {report.title: report.folds for report in read(text)}["a, cross-validation"] == 5
    train, test = read(markdown("Model | Train Acc | Test Acc | Precision", "a | 0.99 | 0.91 | 0.9"))
    assert (train.scores, test.scores) == ({"accuracy": "0.99"}, {"accuracy": "0.91", "precision": "0.9"})
    assert test.assumed
    text = markdown("Model | Recall@0.3 | Precision@0.3 | Recall@0.5 | Precision@0.5", "a | 0.9 | 0.7 | 0.8 | 0.8")
    assert scores(text) == {
        "a, at 0.3": {"recall": "0.9", "precision": "0.7"},
        "a, at 0.5": {"recall": "0.8", "precision": "0.8"},
    }


def test_scores_of_named_classes() -> None:
    (report,) = read(markdown("Model | Accuracy | Recall (churn) | F1 (churn)", "a | 0.79 | 0.66 | 0.62"))
    assert report.scores == {"accuracy": "0.79", "recall": "0.66", "f1": "0.62"}
    assert report.positive == "churn"
    assert report.assumed == ("churn is taken as the positive class",)
    # 26 of 30 real ones are cleared: 1 - 0.87 is the rate of false positives, so that "fake" is the positive class.
    head = "Model | Accuracy | Precision | Real Recall | Fake Recall | FPR"
    (report,) = read(markdown(head, "a | 91.5% | 88.1% | 87.0% | 96.0% | 13.0%"))
    assert report.scores["recall"] == "96.0%"
    assert report.scores["recall[negative]"] == "87.0%"
    assert report.positive == "Fake"
    # Nothing says which of two is the positive class, and precision may be of either.
    reports = read(
        markdown("Model | Accuracy | Precision | Real Recall | Fake Recall", "a | 91.5% | 88.1% | 87.0% | 96.0%")
    )
    assert [dict(report.scores) for report in reports] == [
        {"accuracy": "91.5%", "precision": "88.1%"}, {"recall": "87.0%"}, {"recall": "96.0%"},
    ]  # fmt: skip
    (report,) = read(markdown("Model | Accuracy | F1 (cat) | F1 (dog) | F1 (cow)", "a | 0.9 | 0.8 | 0.7 | 0.6"))
    assert report.classes == (
        {"label": "cat", "f1": "0.8"},
        {"label": "dog", "f1": "0.7"},
        {"label": "cow", "f1": "0.6"},
    )
    (report,) = read(markdown(" | Precision | Recall", "0 | 0.994 | 0.993", "1 | 0.992 | 0.991"))
    assert report.kind == "classification report"
    assert report.classes[1] == {"label": "1", "precision": "0.992", "recall": "0.991"}


def test_rows_that_are_means() -> None:
    rows = ["1 | 0.90 | 0.80", "2 | 0.92 | 0.82", "3 | 0.91 | 0.84", "Mean | 0.91 | 0.82", "Std | 0.01 | 0.02"]
    reports = read(markdown("Fold | Accuracy | Recall", *rows))
    assert [report.folds for report in reports] == [None, None, None, 3, None]
    assert not reports[4].scores
    reports = read(markdown("Dataset | Accuracy | Recall", "A | 0.9 | 0.8", "B | 0.8 | 0.7", "Average | 0.85 | 0.75"))
    assert not reports[2].scores
    assert reports[2].ignored


def test_sections_of_a_table() -> None:
    text = (
        "<table><tr><th>Model</th><th>Acc</th><th>F1</th></tr><tr><td colspan=3>Dataset A</td></tr>"
        "<tr><td>x</td><td>0.9</td><td>0.8</td></tr><tr><td colspan=3>Dataset B</td></tr>"
        "<tr><td>x</td><td>0.7</td><td>0.6</td></tr></table>"
    )
    assert scores(text) == {
        "Dataset A, x": {"accuracy": "0.9", "f1": "0.8"},
        "Dataset B, x": {"accuracy": "0.7", "f1": "0.6"},
    }


def test_a_caption_says_sizes_folds_and_averages() -> None:
    text = r"""\begin{table}\caption{Macro-averaged scores, 5-fold cross-validation, $n = 1{,}200$ (300 positive).}
\begin{tabular}{llcc} Dataset & Model & Acc. (\%) & Sens. (\%) \\ \hline
\multirow{2}{*}{A} & SVM & $91.2 \pm 1.1$ & $88.0 \pm 2.0$ \\
 & CNN & $\mathbf{93.2 \pm 1.0}$ & -- \\ \end{tabular}\end{table}"""
    first, second = read(text)
    assert first.scores == {"accuracy": "91.2% ± 1.1%", "macro_recall": "88.0% ± 2.0%"}
    assert (first.total, first.positives, first.folds) == (1200, 300, 5)
    assert first.title.endswith("SVM")
    assert second.ignored == ("Sens. (%): not reported",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n = 569 (357 positive)", Stated(total=569, positives=357)),
        ("tested on 1,409 cases", Stated(total=1409)),
        ("Results on the test set (n=412, 103 positives and 309 negatives)", Stated(412, 103, 309)),
        ("10-fold cross-validation", Stated(folds=10)),
        ("10-fold CV (mean ± SD)", Stated(folds=10)),
        ("stratified ten-fold cross validation", Stated(folds=10)),
        ("mean ± SD over 5 runs", Stated(runs=5)),
        ("averaged over five random seeds", Stated(runs=5)),
        ("10 x 5-fold CV", Stated(folds=5, runs=10)),
        ("5x2 cv", Stated(folds=2, runs=5)),
        ("macro-averaged over the classes", Stated(average="macro")),
        ("prevalence of 12.5%", Stated(prevalence="12.5%")),
        ("hold-out", Stated()),
        ("trained on 400 cases", Stated()),
        ("training set (n = 400), test set (n = 100)", Stated(total=100)),
        ("a two-fold increase", Stated()),
        ("hyperparameters tuned by 5-fold cross-validation", Stated()),
        ("5-fold CV (train)", Stated()),
        ("10-fold cross-validation; tuned on a training set (n = 400)", Stated(folds=10)),
        ("12 true positives and 3 false positives", Stated()),
        ("n = 50 and n = 60", Stated()),
        ("Table 3. Results in 2019 of 14 methods", Stated()),
    ],
)
def test_what_a_text_says(text: str, expected: Stated) -> None:
    assert stated(text) == expected


@pytest.mark.parametrize(
    ("text", "folds"),
    [
        # The name of this library, and words that say how many times, are no folds.
        ("Checked with fourfold: accuracy 0.90 is the mean over all cases", None),
        ("Checked with fourfold: 10-fold cross-validation", 10),
        ("cross-validated, then checked with fourfold", None),
        ("fourfold", None),
        ("Fourfold", None),
        ("a fourfold table, averaged over both classes", None),
        ("a twofold increase over the mean", None),
        ("threefold higher than the mean", None),
        ("a 3-fold reduction of the mean error", None),
        ("the mean error fell by more than 3-fold", None),
        ("our aim is two-fold: a higher mean and fewer cases", None),
        # Beside words for cross-validation they are.
        ("tenfold cross-validation", 10),
        ("fourfold cross validation", 4),
        ("Fivefold stratified cross-validation (mean ± SD)", 5),
        ("four-fold cross validation", 4),
        ("improved by 10-fold cross-validation", 10),
        ("cross-validation (tenfold)", 10),
        ("CV: fivefold", 5),
        ("mean over five folds", 5),
        ("mean accuracy, five-fold", 5),
        # So is k, unless the letters are those of another word.
        ("means, k = 5 folds", 5),
        ("kNN with k = 5, scaffold split", None),
        ("k = 3 neighbours across sites", None),
    ],
)
def test_folds_and_words_that_end_like_them(text: str, folds: int | None) -> None:
    assert stated(text).folds == folds


def test_this_library_is_no_folds() -> None:
    [report] = read("Checked with fourfold: the mean accuracy is 0.90 and the mean recall is 0.80.")
    assert (report.scores, report.folds) == ({"accuracy": "0.90", "recall": "0.80"}, None)


def test_validation_of_each_row_in_words() -> None:
    rows = ["a | fivefold | 0.91", "b | tenfold CV | 0.92", "c | hold-out | 0.93"]
    assert [report.folds for report in read(markdown("Study | Cross-validation | Accuracy", *rows))] == [5, 10, None]


def test_validation_of_each_row() -> None:
    rows = ["a | 5-fold CV | 0.91", "b | hold-out | 0.92", "c | 10-fold CV (mean ± SD) | 0.93 ± 0.01"]
    assert [report.folds for report in read(markdown("Study | Validation | Accuracy", *rows))] == [5, None, 10]


def test_columns_of_text() -> None:
    text = "Model            Acc    Sens   Spec   AUC\nLogistic reg.    0.85          0.88   0.91\nSVM              0.86   0.81   0.89   0.92\n"
    assert scores(text) == {
        "Logistic reg.": {"accuracy": "0.85", "specificity": "0.88", "auc": "0.91"},
        "SVM": {"accuracy": "0.86", "recall": "0.81", "specificity": "0.89", "auc": "0.92"},
    }
    frame = "                 Model  Accuracy  Recall\n0  m1                    0.86875   0.261\n1         m2             0.85625   0.000\n"
    assert scores(frame) == {
        "m1": {"accuracy": "0.86875", "recall": "0.261"},
        "m2": {"accuracy": "0.85625", "recall": "0.000"},
    }
    upright = "Metric      Train    Test\nAccuracy    0.99     0.91\nF1          0.98     0.90\n"
    assert scores(upright) == {"Train": {"accuracy": "0.99", "f1": "0.98"}, "Test": {"accuracy": "0.91", "f1": "0.90"}}


def test_a_table_copied_from_a_viewer() -> None:
    text = (
        "Table 3. Test set (n = 569, 357 positive)\nMethod Accuracy Sensitivity F1-score\n"
        "SVM (RBF) 0.951 0.960 0.961\nk-NN, k = 5 0.930 0.972 ± 0.01 0.946\nBoth 0.9 0.8\n"
    )
    svm, neighbours, refused = read(text)
    assert (svm.title, svm.total, svm.positives) == ("SVM (RBF)", 569, 357)
    assert neighbours.title == "k-NN, k = 5"
    assert neighbours.scores == {"accuracy": "0.930", "recall": "0.972 ± 0.01", "f1": "0.946"}
    assert not refused.scores
    assert refused.ignored


def test_lists() -> None:
    text = (
        "## Random forest\n\n- **Accuracy**: 94.5%\n- Recall (macro): 0.93\n- F1-score = 0.935\n- Training time: 32 s\n"
    )
    (report,) = read(text)
    assert report.scores == {"accuracy": "94.5%", "macro_recall": "0.93", "f1": "0.935"}
    text = "Logistic Regression\nAccuracy: 0.85\nF1: 0.84\n\nRandom Forest\nAccuracy: 0.88\nF1: 0.87\n"
    assert scores(text) == {
        "Logistic Regression": {"accuracy": "0.85", "f1": "0.84"}, "Random Forest": {"accuracy": "0.88", "f1": "0.87"},
    }  # fmt: skip
    train, test = read("Train accuracy: 0.99\nTest accuracy: 0.91\nTest F1: 0.90\nTest size: 200\n")
    assert (train.scores, train.total) == ({"accuracy": "0.99"}, None)
    assert (test.scores, test.total) == ({"accuracy": "0.91", "f1": "0.90"}, 200)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Precision 0.91, Recall 0.88, F1 of 89.5%", {"precision": "0.91", "recall": "0.88", "f1": "89.5%"}),
        ("It reached an accuracy of 95.2%, a precision of 0.94 and a recall of 0.93.",
            {"accuracy": "95.2%", "precision": "0.94", "recall": "0.93"}),
        ("The CNN achieved 95.2% accuracy and 0.93 F1.", {"accuracy": "95.2%", "f1": "0.93"}),
        ("Sensitivity and specificity were 91.2% and 88.5%, respectively.", {"recall": "91.2%", "specificity": "88.5%"}),
        ("Precision, Recall, F1-score: 0.76, 0.65, 0.70", {"precision": "0.76", "recall": "0.65", "f1": "0.70"}),
        ("We found accuracy = 0.913, F1 = 0.84 and MCC = 0.78.", {"accuracy": "0.913", "f1": "0.84", "mcc": "0.78"}),
        ("A sensitivity of 91.2% (95% CI 88.1-93.4) and an AUC of 0.95.", {"recall": "91.2% (88.1%, 93.4%)", "auc": "0.95"}),
    ],
)  # fmt: skip
def test_sentences(text: str, expected: dict[str, str]) -> None:
    (report,) = read(text)
    assert report.scores == expected


def test_a_sentence_with_sizes() -> None:
    (report,) = read("On the held-out test set (n=412, 103 positive), our model obtained accuracy = 0.913.")
    assert (report.scores, report.total, report.positives) == ({"accuracy": "0.913"}, 412, 103)


@pytest.mark.parametrize(
    "text",
    [
        "Increase the accuracy by 5% and reduce recall to 3 seconds. The accuracy of GPS is 5 m. Precision: float32.",
        "Epoch 1/10 loss: 0.3 acc: 0.9\nEpoch 2/10 - loss: 0.2 - accuracy: 0.95 - val_accuracy: 0.93\n",
        markdown("Parameter | Value", "learning rate | 0.001", "batch size | 32", "dropout | 0.5"),
        markdown("Model | MMLU | GSM8K", "a | 71.2 | 50.1"),
        markdown("Model | R² | RMSE | MAE", "a | 0.91 | 3.2 | 2.1"),
        markdown("Name | Age", "a | 12", "b | 13"),
        "",
    ],
)
def test_what_is_no_report(text: str) -> None:
    assert read(text) == []


def test_rows_of_a_training_are_no_models() -> None:
    rows = ("1 | 0.5 | 0.81 | 0.80", "2 | 0.4 | 0.84 | 0.83")
    (log,) = read(markdown("Epoch | Training Loss | Accuracy | F1", *rows))
    assert not log.scores
    assert log.ignored == ("2 rows are steps of a training, not models: none was checked",)
    models = read(markdown("Model | Epochs | Accuracy | F1", "a | 10 | 0.81 | 0.80", "b | 20 | 0.84 | 0.83"))
    assert [dict(model.scores) for model in models] == [
        {"accuracy": "0.81", "f1": "0.80"},
        {"accuracy": "0.84", "f1": "0.83"},
    ]


def test_a_table_without_heads_is_refused() -> None:
    rows = (
        r"& m1 & 0.721 ± 0.031 & 0.442 ± 0.028 & 0.665 ± 0.029 \\"
        + "\n"
        + r"& m2 & 0.775 ± 0.028 & 0.781 ± 0.025 & 0.775 ± 0.028 \\"
    )
    (report,) = read(rows)
    assert not report.scores
    assert "no head" in report.ignored[0]


def test_a_separator_within_a_name() -> None:
    text = "Model;Accuracy;F1;\nm1;0.75;0.70;\nm2;a;0.76;0.71\n"
    second = read(text, "a.csv")[1]
    assert second.scores == {"accuracy": "0.76", "f1": "0.71"}


def test_tables_alone() -> None:
    text = "Accuracy: 0.9\nRecall: 0.8\n"
    (block,) = blocks(text)
    assert find_tables(block) == []
    assert len(find(block)) == 1


def test_sizes_that_may_be_of_all_the_data_are_left_out() -> None:
    head = "Target | Positive / negative | CV AUC (mean ± SD) | Holdout AUC | Accuracy"
    reports = read(markdown(head, "CAD | 216 / 87 | 0.924 ± 0.042 | 0.889 | 0.787"))
    assert [dict(report.scores) for report in reports] == [
        {"auc": "0.924 ± 0.042"},
        {"auc": "0.889"},
        {"accuracy": "0.787"},
    ]
    assert {report.positives for report in reports} == {None}
    (report,) = read(markdown("Model | Test n | Accuracy", "a | 281 | 0.71"))
    assert report.total == 281


def test_right_cases_of_all() -> None:
    (report,) = read(markdown("Source | Accuracy | Correct/Total", "bg | 0.856 | 368/430"))
    assert (report.scores, report.total) == ({"accuracy": "0.856", "correct": "368"}, 430)


def test_a_score_of_a_part_of_the_cases_is_apart() -> None:
    text = markdown("Set | Sensitivity (95% CI) | Sens. on > 30 aa regions", "A | 0.610 [0.554, 0.661] | 0.634")
    assert scores(text) == {"A": {"recall": "0.610 (0.554, 0.661)"}, "A, > 30 aa regions": {"recall": "0.634"}}


def test_runs_and_folds_are_told_apart() -> None:
    text = markdown("Data | Model | Accuracy", "A (5-fold CV x 10 seeds) | m | 0.871", "B (5 seeds) | m | 0.913")
    assert [(report.folds, report.runs) for report in read(text)] == [(5, 10), (None, 5)]


def test_heads_with_what_stands_in_their_cells() -> None:
    text = "Threshold,N,Sensitivity,LR+\n,,(95% CI),\nTR3,3375,0.910 (0.880–0.930),1.54\n"
    (report,) = read(text, "a.csv")
    assert report.total == 3375
    assert report.scores == {"recall": "0.910 (0.880, 0.930)", "positive_likelihood_ratio": "1.54"}


@pytest.mark.parametrize(
    ("one", "accuracy"), [("1.0000000000000002", "1.0"), ("1.0000001", "1.0"), ("-1.00000012", "0.0")]
)
def test_what_floats_leave_beyond_1_is_no_percentage(one: str, accuracy: str) -> None:
    """With all of 3 and 3 right, Python's 3 / (sqrt(3) * sqrt(3)) is 1.0000000000000002."""
    text = f"Model,Positives,Negatives,Accuracy,MCC\nA,3,3,{accuracy},{one}\nB,30,30,0.9,0.8\nC,30,30,0.5,0.0\n"
    reports = read(text, "a.csv")
    assert [report.scores["mcc"] for report in reports] == [one, "0.8", "0.0"]
    assert {report.assumed for report in reports} == {()}
    assert [finding.verdict for finding in ff.check(text).findings] == ["possible"] * 3
    (report,) = read(f"The MCC was {one} and the accuracy {accuracy}.")
    assert report.scores["mcc"] == one


RARE = "Study,Positives,Negatives,Sensitivity (%),Specificity (%),PPV (%)\n"


def test_a_small_percentage_below_a_head_that_says_so() -> None:
    """tp 3, fn 1, fp 396, tn 3600: 75.0%, 90.1% and a PPV of 3 of 399, 0.752%."""
    [found] = ff.check(RARE + "A,4,3996,75.0,90.1,0.752\n").findings
    assert (found.verdict, found.only_table) == ("possible", {"tp": 3, "fn": 1, "fp": 396, "tn": 3600})
    assert found.report.scores["precision"] == "0.752%"
    assert found.report.assumed == ("PPV (%): 0.752 is taken as 0.752%",)
    # The column of a table without per cent in its heads, of which another row is.
    text = RARE.replace(" (%)", "") + "A,4,3996,75.0,90.1,0.752\nB,40,60,80.0,90.0,84.2\n"
    assert [finding.verdict for finding in ff.check(text).findings] == ["possible"] * 2


def test_a_share_of_1_below_a_head_that_says_per_cent() -> None:
    """tp 32, fn 8, fp 6, tn 54: 80%, 90% and a PPV of 32 of 38, 0.842."""
    found = ff.check(RARE + "A,40,60,80.0,90.0,0.842\nB,40,60,0.8,0.9,0.842\n").findings
    assert [finding.verdict for finding in found] == ["possible"] * 2
    assert found[0].report.assumed == ("PPV (%): 0.842 is taken as a share of 1, not as per cent",)
    # A rate that is better low is per cent first, and a share where only that is possible.
    [low] = ff.check("Study,Positives,Negatives,Sens (%),FPR (%),PPV (%)\nA,40,60,0.8,0.1,0.842\n").findings
    assert (low.verdict, low.report.scores["false_positive_rate"]) == ("possible", "0.1")
    assert "FPR (%): 0.1 is taken as a share of 1, not as per cent" in low.report.assumed


def test_numbers_that_fit_in_neither_unit_are_impossible() -> None:
    """With 80.0% of 40 and 90.0% of 60, 32 of 38 are right: neither 0.52 nor 0.52%. The MCC of it is 0.7065."""
    head = RARE.strip() + ",MCC (%)\n"
    verdicts = [
        finding.verdict for finding in ff.check(head + "A,40,60,80.0,90.0,0.52,0.7065\n", folds="none").findings
    ]
    assert verdicts == ["impossible"]
    [found] = ff.check(head + "A,40,60,80.0,90.0,0.842,0.7065\n").findings
    assert found.verdict == "possible"
    # 31 of 40 and 53 of 60 give kappa 0.6639 and an accuracy of 0.84; every score may be in either unit.
    head = "Study,Positives,Negatives,Sens (%),Spec (%),Acc (%),Kappa (%)\n"
    assert ff.check(head + "A,40,60,0.775,0.883,0.84,0.664\n").verdict == "possible"
    assert ff.check(head + "A,40,60,0.775,0.883,0.84,0.564\n", folds="none").verdict == "impossible"


def test_one_number_per_cent_and_another_a_share() -> None:
    """A PPV of 3 of 399 as 0.752 per cent beside a specificity of 3600 of 3996 as 0.901."""
    [found] = ff.check(RARE + "A,4,3996,75.0,0.901,0.752\n").findings
    assert found.verdict == "possible"
    assert (found.report.scores["specificity"], found.report.scores["precision"]) == ("0.901", "0.752%")
    assert set(found.report.assumed) == {
        "Specificity (%): 0.901 is taken as a share of 1, not as per cent",
        "PPV (%): 0.752 is taken as 0.752%",
    }


@pytest.mark.parametrize(
    ("cell", "precision"),
    [
        ("0.8 (3/399)", "0.8%"),
        ("0.8 (0.2-2.1)", "0.8% (0.2%, 2.1%)"),
        ("0.8 (4/5)", "0.8"),
        ("0.8 (0.7-0.9)", "0.8 (0.7, 0.9)"),
    ],
)
def test_what_stands_beside_a_number_tells_its_unit(cell: str, precision: str) -> None:
    (report,) = read(RARE + f"A,4,3996,75.0,90.1,{cell}\n", "a.csv")
    assert report.scores["precision"] == precision


def test_scores_of_classes_in_an_open_unit() -> None:
    """Of 40 and 60 cases 32 and 54 are found, so that 8 of 40 and 6 of 60 are wrongly taken for the other class."""
    text = "Class,Sample size,Sensitivity (%),FPR (%)\n0,40,0.8,0.1\n1,60,0.9,0.2\n"
    [found] = ff.check(text).findings
    assert [row["false_positive_rate"] for row in found.report.classes] == ["0.1", "0.2"]
    assert found.verdict == "possible"
