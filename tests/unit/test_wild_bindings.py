"""What belongs to what in documents as people write them: labels to a matrix, means to their protocol, rows to groups."""

from __future__ import annotations

import json
from typing import Any

import pytest

import fourfold as ff
from fourfold.reports.stated import stated

#: Rows of a test set with 50 cases in each of two classes. Of "no" 45 are right, of "yes" 40.
ROWS = {
    "yes": {"precision": 0.8889, "recall": 0.8, "f1-score": 0.8421, "support": 50},
    "no": {"precision": 0.8182, "recall": 0.9, "f1-score": 0.8571, "support": 50},
}
MATRIX = [[45, 5], [10, 40]]


def verdicts(text: str) -> list[str]:
    return [finding.verdict for finding in ff.check(text).findings]


def document(**changed: Any) -> str:
    return json.dumps({"confusion_matrix": MATRIX, "classification_report": ROWS} | changed, indent=1)


@pytest.mark.parametrize("key", ["labels", "confusion_matrix_labels", "classes", "class_names"])
def test_labels_beside_a_matrix_are_those_of_its_classes(key: str) -> None:
    [report] = ff.read(document(**{key: ["no", "yes"]}))
    assert [row["label"] for row in report.classes] == ["yes", "no"]
    assert report.matrix == ((40, 10), (5, 45))
    # The recall of "yes" is 40 of 50 by the labels; under the other order it would be .9.
    wrong = {**ROWS, "yes": {**ROWS["yes"], "recall": 0.9}}
    [finding] = ff.check(document(**{key: ["no", "yes"], "classification_report": wrong})).findings
    assert (finding.verdict, [one.name for one in finding.wrong]) == ("impossible", ["recall[yes]"])


def test_classes_of_one_size_are_tried_in_every_order() -> None:
    assert verdicts(document()) == ["possible"]
    # No order of the classes has a recall of .85.
    wrong = {**ROWS, "yes": {**ROWS["yes"], "recall": 0.85}}
    assert verdicts(document(classification_report=wrong)) == ["impossible"]


def test_three_classes_of_which_two_have_one_size() -> None:
    # Rows of 10, 20 and 20 cases. The report has its classes in the order 2, 0, 1 of the matrix.
    matrix = [[8, 1, 1], [2, 16, 2], [0, 5, 15]]
    rows = {
        "cat": {"precision": 0.8333, "recall": 0.75, "f1-score": 0.7895, "support": 20},
        "dog": {"precision": 0.8, "recall": 0.8, "f1-score": 0.8, "support": 10},
        "owl": {"precision": 0.7273, "recall": 0.8, "f1-score": 0.7619, "support": 20},
    }
    [report] = ff.read(document(confusion_matrix=matrix, classification_report=rows))
    assert report.matrix == ((15, 0, 5), (1, 8, 1), (2, 2, 16))
    assert verdicts(document(confusion_matrix=matrix, classification_report=rows)) == ["possible"]


def test_rows_without_sizes_are_joined_by_their_scores() -> None:
    rows = {label: {name: text for name, text in row.items() if name != "support"} for label, row in ROWS.items()}
    [finding] = ff.check(json.dumps({"confusion_matrix": MATRIX, "per_class": rows})).findings
    assert (finding.verdict, finding.report.matrix) == ("possible", ((40, 10), (5, 45)))


def test_scores_of_the_test_set_go_with_the_matrix_beside_those_of_validation() -> None:
    said = {"baseline_val_f1": 0.99, "test_accuracy": 0.9, "test_f1": 0.9, "n_features": 20}
    cells = {"TN": 45, "FP": 5, "FN": 5, "TP": 45}
    validation, test = ff.read(json.dumps({**said, "confusion_matrix": cells}))
    assert (validation.matrix, dict(validation.scores)) == (None, {"f1": "0.99"})
    assert (test.matrix, dict(test.scores)) == (((45, 5), (5, 45)), {"accuracy": "0.9", "f1": "0.9"})
    # With 25 in place of 5 the accuracy is 90 of 120.
    assert verdicts(json.dumps({**said, "confusion_matrix": cells | {"FN": 25}})) == ["possible", "impossible"]


MODELS = {
    "rf": {"accuracy": 0.85, "f1": 0.8421, "confusion_matrix": MATRIX},
    "svm": {"accuracy": 0.9, "f1": 0.9, "confusion_matrix": [[45, 5], [5, 45]]},
}


@pytest.mark.parametrize(
    "data",
    [MODELS, {"results": MODELS}, [{"model": name, "n_test": 100, **model} for name, model in MODELS.items()]],
    ids=["by name", "deeper", "list"],
)
def test_each_object_has_its_own_matrix(data: Any) -> None:
    found = ff.check(json.dumps(data, indent=1)).findings
    assert [(finding.verdict, finding.report.matrix) for finding in found] == [
        ("possible", ((45, 5), (10, 40))), ("possible", ((45, 5), (5, 45))),
    ]  # fmt: skip
    # An F1 of .8 beside 45, 5, 5 and 45 is wrong; it is 90 of 100.
    wrong = json.dumps(data, indent=1).replace('"f1": 0.9', '"f1": 0.8')
    assert verdicts(wrong) == ["possible", "impossible"]


def test_scores_of_one_object_are_not_those_of_the_matrix_of_another() -> None:
    data = {"val": {"accuracy": 0.85, "confusion_matrix": MATRIX}, "test": {"accuracy": 0.5, "f1": 0.5}}
    first, second = ff.check(json.dumps(data)).findings
    assert (first.verdict, dict(first.report.scores)) == ("possible", {"accuracy": "0.85"})
    assert (second.report.matrix, dict(second.report.scores)) == (None, {"accuracy": "0.5", "f1": "0.5"})


@pytest.mark.parametrize("said", [{"best_val_accuracy": 0.5}, {"accuracy": {"mean": 0.5, "std": 0.1}}, {"cv_f1": 0.5}])
def test_scores_of_other_cases_are_not_those_of_the_matrix_beside_them(said: dict[str, Any]) -> None:
    assert "impossible" not in verdicts(json.dumps({**said, "confusion_matrix": MATRIX}))


def test_lists_with_a_number_for_each_class() -> None:
    names = {"precision": [0.8182, 0.8889], "recall": [0.9, 0.8], "f1": [0.8571, 0.8421], "support": [50, 50]}
    [finding] = ff.check(json.dumps({"classes": ["no", "yes"], **names, "confusion_matrix": MATRIX})).findings
    assert (finding.verdict, [row["label"] for row in finding.report.classes]) == ("possible", ["no", "yes"])
    assert verdicts(json.dumps({"classes": ["no", "yes"], **names, "recall": [0.9, 0.7]})) == ["impossible"]


def test_one_number_beside_numbers_by_class_is_of_none_of_them() -> None:
    data = {"precision": {"a": 0.8, "b": 0.7}, "recall": {"a": 0.9, "b": 0.6}, "accuracy": 0.1}
    assert [dict(report.scores) for report in ff.read(json.dumps(data))] == [
        {"precision": "0.8", "recall": "0.9"}, {"precision": "0.7", "recall": "0.6"},
    ]  # fmt: skip


# --- means

#: F1 of A would be .885 in one table: .866 is that of means.
CLASSES = (
    "| Class | Precision | Recall | F1 |\n|---|---|---|---|\n| A | 0.896 | 0.875 | 0.866 |\n| B | 0.7 | 0.7 | 0.7 |\n"
)


@pytest.mark.parametrize(
    ("caption", "verdict"),
    [
        ("Results", "unexplained"),
        ("Results (mean over three seeds)", "not checked"),
        ("Means over folds", "not checked"),
    ],
)
def test_means_of_classes_are_of_no_one_table(caption: str, verdict: str) -> None:
    assert verdicts(f"### {caption}\n\n{CLASSES}") == [verdict]


@pytest.mark.parametrize(
    ("text", "runs", "folds", "means"),
    [
        ("mean over three seeds", 3, None, None),
        ("Seed 42, identical preprocessing across all six runs", None, None, None),
        ("The average over all six runs is given", 6, None, None),
        ("Averaged over runs", None, None, True),
        ("mean ± SD across folds", None, None, True),
        ("Settings were found by a grid search with 5-fold cross-validation", None, None, None),
        ("10-fold cross-validation", None, 10, None),
    ],
)
def test_what_is_said_of_means(text: str, runs: int | None, folds: int | None, means: bool | None) -> None:
    said = stated(text)
    assert (said.runs, said.folds, said.means) == (runs, folds, means)


def test_a_list_above_scores_says_nothing_of_them() -> None:
    page = "<ul><li>Model: Random Forest</li><li>Cross-validation: 5-fold</li><li>Tuning: Grid</li></ul><h5>Scores</h5>"
    page += "<ul><li>Accuracy: 89.7% - of all</li><li>Precision: 91.2% - of those found</li></ul>"
    [report] = ff.read(f"<html><body>{page}</body></html>")
    assert (report.folds, dict(report.scores)) == (None, {"accuracy": "89.7%", "precision": "91.2%"})


def test_means_over_runs_of_unknown_number_are_not_one_table() -> None:
    text = "Scores averaged over seeds.\n\n| Model | Precision | Recall | F1 |\n|---|---|---|---|\n| a | 0.9 | 0.8 | 0.8 |\n"
    assert verdicts(text) == ["not checked"]


# --- groups of rows


@pytest.mark.parametrize(
    "rows",
    [
        "| Scene | Class | Precision | Recall | F1 |\n|---|---|---|---|---|\n| day | a | 0.8 | 0.8 | 0.8 |\n| | b | 0.7 | 0.7 | 0.7 |\n"
        "| night | a | 0.6 | 0.6 | 0.6 |\n| | b | 0.5 | 0.5 | 0.5 |\n",
        "| Class | Precision | Recall | F1 |\n|---|---|---|---|\n| day | | | |\n| a | 0.8 | 0.8 | 0.8 |\n| b | 0.7 | 0.7 | 0.7 |\n"
        "| night | | | |\n| a | 0.6 | 0.6 | 0.6 |\n| b | 0.5 | 0.5 | 0.5 |\n",
        "| Class | Precision | Recall | F1 |\n|---|---|---|---|\n| a | 0.8 | 0.8 | 0.8 |\n| b | 0.7 | 0.7 | 0.7 |\n"
        "| Macro avg | 0.75 | 0.75 | 0.75 |\n| a | 0.6 | 0.6 | 0.6 |\n| b | 0.5 | 0.5 | 0.5 |\n| Macro avg | 0.55 | 0.55 | 0.55 |\n",
    ],
)
def test_groups_of_rows_are_reports_of_their_own(rows: str) -> None:
    reports = ff.read(rows)
    assert [[row["f1"] for row in report.classes] for report in reports] == [["0.8", "0.7"], ["0.6", "0.5"]]


def test_two_classes_of_one_name_are_no_groups() -> None:
    head = "| Class | Precision | Recall | F1 |\n|---|---|---|---|\n"
    [report] = ff.read(head + "".join(f"| {label} | 0.8 | 0.8 | 0.8 |\n" for label in ("other", "other", "c", "d")))
    assert len(report.classes) == 4


def test_a_score_a_row_and_a_class_beside_it() -> None:
    text = "term,class,estimate,conf.low,conf.high,p.value\naccuracy,NA,0.9,0.82,0.95,0.001\n"
    text += "precision,1,0.9,NA,NA,NA\nrecall,1,0.8,NA,NA,NA\nprecision,2,0.7,NA,NA,NA\nrecall,2,0.6,NA,NA,NA\n"
    reports = ff.read(text)
    assert [dict(report.scores) for report in reports] == [
        {"accuracy": "0.9 (0.82, 0.95)"}, {"precision": "0.9", "recall": "0.8"}, {"precision": "0.7", "recall": "0.6"},
    ]  # fmt: skip


def test_scores_that_come_again_are_those_of_another() -> None:
    text = "first,run\naccuracy,0.9\nrecall,0.8\nsecond,run\naccuracy,0.7\nrecall,0.6\n"
    assert [dict(report.scores) for report in ff.read(text)] == [
        {"accuracy": "0.9", "recall": "0.8"}, {"accuracy": "0.7", "recall": "0.6"},
    ]  # fmt: skip


# --- no scores


@pytest.mark.parametrize(
    "text",
    [
        "Coefficients\n\nF1   0.0507\nF2   -0.0033\nIntercept   1.2\n",
        "| Feature | Weight |\n|---|---|\n| F1 | 0.05 |\n| F2 | 0.06 |\n| F3 | 0.30 |\n",
        "size\n  mean            52.3172    4.0726\n  weight sum          117         9\n  precision       36.6533   36.6533\n",
        "\\begin{tikzpicture}[/pgf/number format/precision=2, xlabel=Recall]\n\\end{tikzpicture}\n",
        "The build stops below a hard floor (accuracy >= 0.75, F1 >= 0.70).\n",
        "Targets\n- accuracy: >= 0.75\n- F1: >= 0.70\n",
        '{"f1_improvement": 0.0017, "macro_f1_minimum": 0.85}',
        '{"monitor": "val_auc", "patience": 5, "epochs": 20}',
        "The accuracy of Smith et al. was 88.3%.\n",
    ],
)
def test_no_scores(text: str) -> None:
    assert [dict(report.scores) for report in ff.read(text) if report.scores] == []


def test_a_row_of_totals_is_no_model() -> None:
    heads = "| Model | TP | FP | FN | TN | Accuracy |\n|---|---|---|---|---|---|\n"
    found = ff.check(
        heads + "| a | 40 | 5 | 10 | 45 | 0.85 |\n| True classification | 50 | - | - | 50 | - |\n"
    ).findings
    assert [finding.verdict for finding in found] == ["possible", "not checked"]


# --- forms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Accuracy:        0.7589 (75.89%)\n", {"accuracy": "75.89%"}),
        ("Accuracy: 0.7589 (75.9%)\n", {"accuracy": "0.7589"}),
        ("The final accuracy on the testing set is 86.2%.\n", {"accuracy": "86.2%"}),
        ("We obtained a\nclassification accuracy of 88.3%.\n", {"accuracy": "88.3%"}),
        ("Test set: Average loss: 0.0251, Accuracy: 9921/10000 (99%)\n", {"accuracy": "99%", "correct": "9921"}),
        (
            "| Model | Accuracy | Bal. Accuracy |\n|---|---|---|\n| a | 0.9 | 0.8 |\n",
            {"accuracy": "0.9", "balanced_accuracy": "0.8"},
        ),
        (".metric,.estimate\nbal_accuracy,0.8\nkap,0.6\n", {"balanced_accuracy": "0.8", "kappa": "0.6"}),
        ("Precision is 0.94\nRecall is 0.93\n", {"precision": "0.94", "recall": "0.93"}),
        # Of .9 and .6 the F1 is .72; with other numbers beta may be anything.
        ("{'Precision': 0.9, 'Recall': 0.6, 'Fbeta': 0.72}\n", {"precision": "0.9", "recall": "0.6", "f1": "0.72"}),
        ("{'Precision': 0.9, 'Recall': 0.6, 'Fbeta': 0.82}\n", {"precision": "0.9", "recall": "0.6"}),
    ],
)
def test_scores(text: str, expected: dict[str, str]) -> None:
    assert [dict(report.scores) for report in ff.read(text)] == [expected]


def test_right_answers_and_their_share_are_compared() -> None:
    text = "Total questions: 419\nCorrect:         {}\nInvalid: 0\nAccuracy:        0.7589 (75.89%)\n"
    # 318 of 419 are .75895.
    assert verdicts(text.format(318)) == ["possible"]
    assert verdicts(text.format(388)) == ["impossible"]


def test_chunks_as_conlleval_prints_them() -> None:
    text = "accuracy:  98.15%; precision:  90.61%; recall:  88.85%; FB1:  89.72\n"
    text += "  LOC: precision:  91.93%; recall:  91.79%; FB1:  91.86  1387\n"
    text += "  ORG: precision:  87.83%; recall:  85.18%; FB1:  86.48  1191\n"
    [report] = ff.read(text)
    assert [row["f1"] for row in report.classes] == ["91.86%", "86.48%"]


def test_labels_behind_the_rows_of_a_matrix() -> None:
    [report] = ff.read("| 0 | 1 | |\n|---|---|---|\n| 45 | 5 | 0 = no |\n| 10 | 40 | 1 = yes |\n")
    assert (report.matrix, report.labels) == (((45, 5), (10, 40)), ("no", "yes"))


def test_two_tables_on_one_line() -> None:
    table = r"\begin{table} \caption{%s} \begin{tabular}{lcc} Model & Acc & F1 \\ %s & 0.9 & 0.8 \\ \end{tabular} \end{table}"
    tables = " and ".join(table % pair for pair in (("One", "a"), ("Two", "b")))
    reports = ff.read("\\documentclass{article}\n\\begin{document}\nText. " + tables + " more.\n\\end{document}\n")
    assert [report.title for report in reports] == ["a", "b"]


def test_classes_of_caret_below_a_blank_line() -> None:
    heads, rows = "    Class: a Class: b Class: c\n\n", ""
    for name, values in (("Sensitivity", (0.8, 0.8, 0.75)), ("Pos Pred Value", (0.8, 0.7273, 0.8333))):
        rows += f"    {name:<22}{'   '.join(map(str, values))}\n"
    [report] = ff.read(f"Statistics by Class:\n\n{heads}{rows}")
    assert [(row["label"], row["recall"]) for row in report.classes] == [("a", "0.8"), ("b", "0.8"), ("c", "0.75")]


def test_a_column_for_each_class_under_heads_that_do_not_say_which() -> None:
    """Of 9, 18, 9 and 26 the recall is 9/27, that of the other class 26/35; an F1 of 0.5598 is of neither class."""
    text = """| model | TP | FN | FP | TN | Recall | F1 | Recall' | F1' |
|---|---|---|---|---|---|---|---|---|
| A | 9 | 18 | 9 | 26 | 0.3333 | 0.4000 | 0.7429 | 0.6582 |
| B | 13 | 14 | 11 | 24 | 0.4815 | 0.5598 | 0.6857 | 0.6575 |
"""
    first, second = ff.check(text).findings
    assert (first.verdict, [each.code for each in first.reading]) == ("conditional", ["score_of_other_class"])
    assert (second.verdict, [each.name for each in second.wrong]) == ("impossible", ["f1"])


def test_a_score_given_twice_without_a_matrix_accuses_nobody() -> None:
    text = """27 positive and 35 negative cases.

| model | Recall | Recall' | F1 |
|---|---|---|---|
| A | 0.3333 | 0.7429 | 0.4000 |
"""
    assert ff.check(text).findings[0].verdict not in ("impossible", "unexplained")


def test_a_table_of_classes_below_cross_validation_is_not_of_one_table() -> None:
    """Means over five parts of 10 ill and 20 healthy cases, computed by hand from their tables."""
    table = """
| Class | Precision | Recall | F1 | Support |
|---|---|---|---|---|
| healthy | 0.880 | 0.850 | 0.862 | 20 |
| ill | 0.734 | 0.760 | 0.737 | 10 |
"""
    assert ff.check(table).findings[0].verdict == "impossible"
    for caption in ("5-fold cross-validation.", "Mean of 5 runs."):
        assert ff.check(f"{caption}\n{table}").findings[0].verdict == "not checked"
    assert ff.check(table, folds=5).findings[0].verdict == "not checked"


def test_counts_of_all_folds_beside_means_below_a_caption_about_cross_validation() -> None:
    text = """Table 2. Results of stratified 10-fold cross-validation.

| TP | FN | FP | TN | accuracy | precision | recall | F1 |
|---|---|---|---|---|---|---|---|
| 30 | 10 | 15 | 65 | 0.792 | 0.724 | 0.750 | 0.710 |
"""
    assert ff.check(text).findings[0].verdict == "conditional"


def test_runs_that_need_not_have_had_one_test_set() -> None:
    text = """Table 1. Results on 300 cases (100 positive, 200 negative), averaged over 5 runs with different random splits.

| model | accuracy | precision | recall | F1 |
|---|---|---|---|---|
| A | 0.7033 | 0.5988 | 0.6303 | 0.5461 |
"""
    assert ff.check(text).findings[0].verdict in ("conditional", "unexplained")


SCORES_THEN_REPORT = """=== FINAL TEST METRICS ===
Test Accuracy: {accuracy}
Recall     : {recall}
Specificity: {specificity}

Classification Report:
              precision    recall  f1-score   support

        well       {well}        50
        sick       {sick}        50

    accuracy                           {rounded}       100
"""


def test_scores_above_each_report_are_those_of_the_report_below_them() -> None:
    # 45 and 40 of 50 are right, then 30 and 48.
    first = SCORES_THEN_REPORT.format(accuracy="0.8500", recall="0.8000", specificity="0.9000", rounded="0.85",
        well="0.82      0.90      0.86", sick="0.89      0.80      0.84")  # fmt: skip
    second = SCORES_THEN_REPORT.format(accuracy="0.7800", recall="0.9600", specificity="0.6000", rounded="0.78",
        well="0.94      0.60      0.73", sick="0.71      0.96      0.81")  # fmt: skip
    found = ff.check(f"# Model A\n{first}\n{second}\nBatch size 64\n{first}").findings
    assert [finding.verdict for finding in found] == ["possible"] * 3
    assert [finding.report.scores["recall"] for finding in found] == ["0.8000", "0.9600", "0.8000"]


@pytest.mark.parametrize(
    "line",
    [
        "Desvio Padrão da Acurácia: 7.47%",
        "Standard deviation of the accuracy: 7.47%",
        "Écart-type de l'exactitude: 7.47%",
    ],
)
def test_a_deviation_is_no_score_of_the_matrix_above_it(line: str) -> None:
    text = f"Matriz de Confusão:\n [[ 5  6]\n [ 8 10]]\n------------------------------\n{line}\n"
    assert verdicts(text) == ["possible"]


def test_errors_counted_under_another_heading_are_not_those_of_the_matrix() -> None:
    text = """4. BINARY EVALUATION (Benign vs Attack)
----------------------------------------
Confusion Matrix:
  True Negatives:  559
  False Positives: 48
  False Negatives: 186
  True Positives:  203

5. ERROR ANALYSIS
----------------------------------------
Total Errors: 257
"""
    assert verdicts(text) == ["possible"]


@pytest.mark.parametrize(
    ("printed", "verdict"), [("0.3280", "conditional"), ("0.1377", "possible"), ("0.4", "impossible")]
)
def test_a_kappa_beside_a_matrix_may_be_weighted(printed: str, verdict: str) -> None:
    """By scikit-learn's cohen_kappa_score: .1377 plain, .3280 with quadratic weights."""
    text = f"Cohen's Kappa: {printed}\n\nConfusion Matrix:\n[[54 83 5]\n [74 162 60]\n [6 21 32]]\n"
    assert verdicts(text) == [verdict]
