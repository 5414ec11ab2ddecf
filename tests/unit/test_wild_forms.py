"""Forms in which people and programs print scores and sizes, each as it was met somewhere."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path

import pytest

import fourfold as ff
from fourfold.reports.stated import stated


def scores(text: str) -> list[dict[str, str]]:
    return [dict(report.scores) for report in ff.read(text)]


LOGURU = "2024-05-01 12:00:00.12{} | INFO     | __main__:evaluate:4{} - {}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Precision: 0.72 | Recall: 0.63 | F1: 0.67\n", {"precision": "0.72", "recall": "0.63", "f1": "0.67"}),
        ("\tPrecision: 0.72\tRecall: 0.63\n", {"precision": "0.72", "recall": "0.63"}),
        ("Sensitivity: TP/(TP+FN) = 7/10 = 70%\nSpecificity: TN/(TN+FP) = 80/90 = 88.9%\n",
            {"recall": "70%", "specificity": "88.9%"}),
        ("10/10 [====] - 1s 2ms/step - loss: 0.23 - accuracy: 0.93 - precision: 0.91\n",
            {"accuracy": "0.93", "precision": "0.91"}),
        (LOGURU.format(3, 2, "Accuracy: 0.91") + LOGURU.format(4, 3, "Recall: 0.85"),
            {"accuracy": "0.91", "recall": "0.85"}),
        ("| Type | Score |\n|---|---|\n| `ENTS_F` | 85.60 |\n| `ENTS_P` | 86.14 |\n| `ENTS_R` | 85.06 |\n",
            {"f1": "85.60%", "precision": "86.14%", "recall": "85.06%"}),
        ("| Modell | Genauigkeit (Accuracy) | Spezifität |\n|---|---|---|\n| a | 0.90 | 0.80 |\n",
            {"accuracy": "0.90", "specificity": "0.80"}),
        ("| Model | F1 | ∆F1 | p |\n|---|---|---|---|\n| a | 0.80 | 0.05 | 0.03 |\n", {"f1": "0.80"}),
        ('{"accuracy": {"value": 0.85, "ci_lower": 0.80, "ci_upper": 0.90}, "recall": {"mean": 0.8, "std": 0.1}}',
            {"accuracy": "0.85 (0.80, 0.90)", "recall": "0.8 ± 0.1"}),
        ("The confusion matrix is [[92, 6], [4, 48]]. Accuracy: 0.93\n", {"accuracy": "0.93"}),
    ],
)  # fmt: skip
def test_scores(text: str, expected: dict[str, str]) -> None:
    assert scores(text) == [expected]


def test_columns_of_a_sensor_are_no_scores() -> None:
    assert scores("id,acc_sma,acc_x,ax_spec_energy,gyro_x\n1,0.52,0.11,0.3,0.2\n2,0.61,0.12,0.5,0.3\n") == []


def test_signs_over_counts_are_sizes() -> None:
    [report] = ff.read(
        "| Method | + | − | Sensitivity | Specificity |\n|---|---|---|---|---|\n| a | 50 | 100 | 0.90 | 0.85 |\n"
    )
    assert (report.positives, report.negatives) == (50, 100)


def test_latex_names_below_the_line() -> None:
    rows = r"Model & F1\textsubscript{macro} & $F_1$ & Macro Rec [\%] \\ a & 0.81 & 0.85 & 80.2 \\"
    assert scores(rf"\begin{{tabular}}{{lccc}}{rows}\end{{tabular}}") == [
        {"macro_f1": "0.81", "f1": "0.85", "macro_recall": "80.2%"}
    ]


def test_tables_of_asciidoc_and_of_lists() -> None:
    wanted = [{"precision": "0.91", "recall": "0.88"}, {"precision": "0.90", "recall": "0.80"}]
    cells = ["a", "0.91", "0.88", "b", "0.90", "0.80"]
    rows = "\n".join(f"|{cell}" for cell in cells)
    assert scores(f"|===\n|Model |Precision |Recall\n\n{rows}\n|===\n") == wanted
    lists = [["Model", "Precision", "Recall"], cells[:3], cells[3:]]
    body = "\n".join(f"   * - {row[0]}\n" + "\n".join(f"     - {cell}" for cell in row[1:]) for row in lists)
    assert scores(f".. list-table:: Results\n   :header-rows: 1\n\n{body}\n") == wanted


def test_entities_of_several_kinds_are_one_report() -> None:
    lines = [
        f"- {label} {name}: {text}"
        for label, *texts in (("Loc", "0.93", "0.94", "0.935", "1668"), ("Org", "0.90", "0.91", "0.905", "1661"))
        for name, text in zip(("Precision", "Recall", "F1", "Number"), texts, strict=True)
    ]
    [report] = ff.read(
        "\n".join([*lines, "- Overall Precision: 0.915", "- Overall Recall: 0.925", "- Overall F1: 0.920"])
    )
    assert [(row["label"], row["support"]) for row in report.classes] == [("Loc", "1668"), ("Org", "1661")]
    assert dict(report.micro) == {"precision": "0.915", "recall": "0.925", "f1": "0.920"}


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("357 malignant, 212 benign", (357, 212)),
        ("100 cases and 200 controls", (100, 200)),
        ("60 patients and 100 controls", (60, 100)),
        ("300 images, 100 of which are positive", (100, 200)),
        ("n = 1,000; 217 fraud, 783 good", (217, 783)),
        # Counts that do not add up are not those of one test set.
        ("n = 900; 217 fraud, 783 good", (None, None)),
        ("Trained on 357 malignant, 212 benign cases", (None, None)),
    ],
)
def test_sizes_by_the_names_of_classes(text: str, sizes: tuple[int | None, int | None]) -> None:
    said = stated(text)
    assert (said.positives, said.negatives) == sizes


CLASSES = (
    "| Class | Precision | Recall | F1 |\n|---|---|---|---|\n| A | 0.80 | 0.60 | {} |\n| B | 0.70 | 0.70 | 0.700 |\n"
)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (CLASSES.format("0.686"), "possible"),
        # F1 is at most the harmonic mean, 0.686, in any average.
        (CLASSES.format("0.950"), "impossible"),
        (CLASSES.format("0.686") + "| Macro avg | 0.75 | 0.65 | 0.693 |\n", "possible"),
        # The mean of 0.80 and 0.70 is 0.75; classes that are not printed may be in another one.
        (CLASSES.format("0.686") + "| Macro avg | 0.85 | 0.65 | 0.693 |\n", "unexplained"),
        # Of macro precision and recall the harmonic mean is 0.696.
        (CLASSES.format("0.686") + "| Macro avg | 0.75 | 0.65 | 0.696 |\n", "possible"),
        ("Precision: 0.40\nRecall: 0.41\nF1: 0.903\n", "impossible"),
        # The area is at most 1 - 15 * 44 / (112 * 121), 0.9513.
        ("TP=97, FN=15, FP=44, TN=77. AUC: 0.96", "impossible"),
        ("TP=97, FN=15, FP=44, TN=77. AUC: 0.95", "possible"),
    ],
)
def test_what_needs_no_sizes(text: str, verdict: str) -> None:
    assert [finding.verdict for finding in ff.check(text).findings] == [verdict]


def test_the_letter_w_is_a_class() -> None:
    rows = "V,1.0,1.0,1.0,72\nW,1.0,1.0,1.0,70\naccuracy,1.0,1.0,1.0,1.0\nmacro avg,1.0,1.0,1.0,142\n"
    [report] = ff.read(f",precision,recall,f1-score,support\n{rows}")
    assert [row["label"] for row in report.classes] == ["V", "W"]


def test_scores_of_one_cell_of_a_notebook_are_not_those_of_another() -> None:
    texts = ["[[377  31]\n [ 23 169]]\n\nF1 score:  0.862\n", "[[371  37]\n [ 23 169]]\n\nF1 score:  0.849\n"]
    outputs = [{"output_type": "stream", "name": "stdout", "text": [f"Confusion matrix:\n{text}"]} for text in texts]
    cells = [{"cell_type": "code", "source": [], "metadata": {}, "outputs": [output]} for output in outputs]
    reports = ff.read(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1))
    assert [report.scores["f1"] for report in reports] == ["0.862", "0.849"]


def test_two_files_of_an_archive_are_apart(tmp_path: Path) -> None:
    files = {"a/main.txt": "Confusion matrix:\n[[90 10]\n [10 90]]\n", "a/other.md": "Accuracy: 0.50\nRecall: 0.40\n"}
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as folder:
        for name, text in files.items():
            folder.writestr(name, text)
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as folder:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            folder.addfile(info, io.BytesIO(text.encode()))
    (tmp_path / "b.md.gz").write_bytes(gzip.compress(files["a/other.md"].encode()))
    for name in ("a.zip", "a.tar.gz"):
        matrix, listed = ff.read(tmp_path / name)
        assert (matrix.where.sheet, matrix.matrix, dict(matrix.scores)) == ("a/main.txt", ((90, 10), (10, 90)), {})
        assert dict(listed.scores) == {"accuracy": "0.50", "recall": "0.40"}
    assert len(ff.read(tmp_path / "b.md.gz")) == 1


def test_a_paper_as_grobid_makes_it() -> None:
    rows = "".join(
        f"<row>{''.join(f'<cell>{cell}</cell>' for cell in row)}</row>"
        for row in (("Model", "Accuracy", "Recall"), ("a", "0.94", "0.93"))
    )
    text = f'<?xml version="1.0"?>\n<TEI><text><figure type="table"><head>Table 1</head><table>{rows}</table></figure></text></TEI>'
    assert scores(text + "\n") == [{"accuracy": "0.94", "recall": "0.93"}]


def test_a_matrix_of_all_folds_beside_means_accuses_nobody() -> None:
    page = """We used 10-fold cross-validation. The mean scores over the ten folds are given below.

|            | pred pos | pred neg |
|------------|----------|----------|
| actual pos | 90       | 13       |
| actual neg | 22       | 177      |

Accuracy: 0.886, F1: 0.840
"""
    [finding] = ff.check(page).findings
    assert (finding.verdict, finding.reading[0].code) == ("conditional", "folds_together")
    [finding] = ff.check(
        page.replace("10-fold cross-validation. The mean scores over the ten folds", "a held-out set. The scores")
    ).findings
    assert finding.verdict == "impossible"


def test_tabs_that_indent_names_and_values() -> None:
    text = "LDA classifier\nValidating ...\nClassification accuracy:\t0.7\n\t\tsensitivity:\t0.75\n\t\tspecificity:\t0.62\n"
    [report] = ff.read(text)
    assert dict(report.scores) == {"accuracy": "0.7", "recall": "0.75", "specificity": "0.62"}


def test_counts_that_stand_in_one_cell_and_scores_of_several_names() -> None:
    text = """| Item | Value |
|---|---|
| TP / FP / TN / FN | 95 / 10 / 92 / 5 |
| **TPR / Sensitivity / Recall** | **{recall}** |
| Precision | 0.9048 |
"""
    [finding] = ff.check(text.format(recall="0.95")).findings
    assert (finding.report.matrix, finding.verdict) == (((92, 10), (5, 95)), "possible")
    assert dict(finding.report.scores) == {"recall": "0.95", "precision": "0.9048"}
    assert ff.check(text.format(recall="0.94")).findings[0].verdict == "impossible"


def test_a_matrix_with_rules_of_several_kinds() -> None:
    rows = r"""\multicolumn{1}{c}{} & \multicolumn{1}{c}{} & \multicolumn{\items}{c}{Predicted class} \\ \hhline{~*\items{|-}|}
\multicolumn{1}{c}{} & \multicolumn{1}{c}{} & \rot{Class 0} & \rot{Class 1} & \rot{Class 2} \\ \hhline{~*\items{|-}|}
\multirow{\items}{*}{\rotatebox{90}{Actual class}}
&Class 0 & 71 & 8 & 3 \\ \hhline{~*\items{|-}|}
&Class 1 & 5 & 62 & 4 \\ \hhline{~*\items{|-}|}
&Class 2 & 2 & 6 & 55 \\ \hhline{~*\items{|-}|}"""
    table = rf"\begin{{tabular}}{{cc*{{\items}}{{|E|}}}}{rows}\end{{tabular}}"
    [report] = ff.read(rf"\begin{{table}}{table}\caption{{Confusion matrix of the forest.}}\end{{table}}" + "\n")
    assert report.matrix == ((71, 8, 3), (5, 62, 4), (2, 6, 55))


def test_a_thick_rule_below_heads_and_thin_ones_between_rows() -> None:
    rows = r"""\toprule & \multicolumn{2}{c}{accuracy} \\ \toprule & A & B \\ \toprule
one & 0.981 & 0.992 \\ \midrule two & 0.903 & 0.914 \\ \bottomrule"""
    reports = ff.read(rf"\begin{{tabular}}{{lrr}}{rows}\end{{tabular}}")
    assert [(report.title, report.scores["accuracy"]) for report in reports] == [
        ("one, A", "0.981"), ("one, B", "0.992"), ("two, A", "0.903"), ("two, B", "0.914"),
    ]  # fmt: skip


def test_the_single_metric_of_an_older_card() -> None:
    card = """---
model_index:
- name: tuned
  results:
  - task:
      name: Text Classification
      type: text-classification
    dataset:
      name: glue
      type: glue
    metric:
      name: Matthews Correlation
      type: matthews_correlation
      value: 0.5346
---
On the test set: accuracy 0.81, recall 0.79.
"""
    assert scores(card) == [{"mcc": "0.5346"}, {"accuracy": "0.81", "recall": "0.79"}]


def test_a_summary_of_weka_without_its_matrix() -> None:
    text = """## J48

    Correctly Classified Instances         157               51.8152 %
    Incorrectly Classified Instances       146               48.1848 %
    Kappa statistic                          0.2288
    Mean absolute error                      0.2083
    Root mean squared error                  0.4032
    Relative absolute error                 80.3825 %
    Root relative squared error            112.2703 %
    Total Number of Instances              303

    Number of Leaves  :   34
    Size of the tree :  67
"""
    [finding] = ff.check(text).findings
    assert (finding.report.scores["accuracy"], finding.report.scores["kappa"]) == ("51.8152%", "0.2288")
    assert (finding.report.total, finding.verdict) == (303, "conditional")
    # 158 of 303 is 52.15 %.
    assert ff.check(text.replace("51.8152 %", "51.9152 %")).findings[0].verdict != "conditional"


def test_a_matrix_below_its_name_in_another_language() -> None:
    rows = "".join(f"<tr>{''.join(f'<td>{count}</td>' for count in row)}</tr>" for row in ((114, 25), (54, 85)))
    [report] = ff.read(f"<html><body><h2>Matriz de Confusión</h2>\n<table>{rows}</table></body></html>")
    assert report.matrix == ((114, 25), (54, 85))


def test_a_head_that_says_what_stands_behind_its_numbers() -> None:
    rows = r"\textbf{Fusion} & \multicolumn{2}{c}{\textbf{F1 (\%)}} & \textbf{Accuracy} & \textbf{Cohen's} \\ Kind & A & B & "
    rows += r"\textbf{$\pm$std (\%)} & \textbf{$\kappa$ $\pm$std} \\ \hline "
    rows += r"early & 53 & 79 & 71 $\pm$08 & 0.45 $\pm$0.17 \\ late & 69 & 84 & 79 $\pm$04 & 0.54 $\pm$0.12 \\"
    assert [one for one in scores(rf"\begin{{tabular}}{{lcccc}}{rows}\end{{tabular}}") if "f1" not in one] == [
        {"accuracy": "71% ± 08%", "kappa": "0.45 ± 0.17"}, {"accuracy": "79% ± 04%", "kappa": "0.54 ± 0.12"},
    ]  # fmt: skip


def test_scores_at_points_are_not_those_at_others() -> None:
    heads = ["ROC-AUC", "Precision (@0.5)", "Recall (@0.5)", "Best F1"]
    table = "| Metric | Now |\n|---|---|\n" + "".join(
        f"| {head} | {text} |\n" for head, text in zip(heads, ("0.845", "35.7%", "66.4%", "50.9%"), strict=True)
    )
    at_half = {"auc": "0.845", "precision": "35.7%", "recall": "66.4%"}
    assert scores(table) == [at_half]
    more = "| Precision @best | 34.5% |\n| Recall @best | 96.9% |\n"
    assert scores(table + more) == [at_half, {"f1": "50.9%", "precision": "34.5%", "recall": "96.9%"}]
    deployed = ff.read(table.replace("(@0.5)", "@ deploy"))
    assert [report.positive for report in deployed] == [None, None]


def test_the_accuracy_of_keras_and_the_best_f1_in_data() -> None:
    data = {"best_f1": 0.509, "binary_accuracy": 0.802, "precision": 0.357, "recall": 0.664, "f1": 0.464}
    assert scores(json.dumps(data, indent=1)) == [
        {"accuracy": "0.802", "precision": "0.357", "recall": "0.664", "f1": "0.464"}
    ]


def test_columns_of_averages_are_scores_of_one_method() -> None:
    table = (
        "| Metric | Micro Average | Macro Average |\n|---|---|---|\n| Precision | 0.98 | 0.97 |\n| F1 | 0.96 | 0.95 |\n"
    )
    assert scores(table) == [
        {"micro_precision": "0.98", "macro_precision": "0.97", "micro_f1": "0.96", "macro_f1": "0.95"}
    ]


def test_numbers_of_epochs_that_were_tried_are_no_log() -> None:
    table = "| Epochs | Precision | Recall |\n|---|---|---|\n| {} | 0.98 | 0.97 |\n| {} | 0.96 | 0.95 |\n"
    assert [report.title for report in ff.read(table.format(500, 50))] == ["Epochs 500", "Epochs 50"]
    assert scores(table.format(1, 2)) == [{}]


@pytest.mark.parametrize(
    "line",
    [
        "Accuracy: 0.83 (men), 0.81 (women)",
        "- **Accuracy** = 0.83 (forest) / 0.81 (network)",
        "Accuracy was 0.83 for men and 0.81 for women.",
        "Accuracy (men): 0.83",
    ],
)
def test_a_score_of_one_group_accuses_no_matrix(line: str) -> None:
    matrix = "Confusion matrix:\n[[90 10]\n [10 90]]\n\n"
    assert {finding.verdict for finding in ff.check(f"{matrix}{line}\n").findings} <= {"possible", "undecided"}
    # Without brackets it is that of the matrix.
    [finding] = ff.check(f"{matrix}Accuracy (overall): 0.83\n").findings
    assert finding.verdict == "impossible"


def test_the_score_of_the_test_set_before_another() -> None:
    assert scores("- Accuracy: 0.91 (test), 0.95 (train)\n") == [{"accuracy": "0.91"}]
    assert scores("- Accuracy: 0.95 (train), 0.91 (test)\n") == []


def test_a_list_in_which_one_row_of_three_is_a_score() -> None:
    rows = "| Individuals in test | 93 |\n| Top-1 accuracy | 0.22 |\n| Top-5 accuracy | 0.25 |\n"
    assert scores(f"| Metric | Value |\n|---|---|\n{rows}") == [{"accuracy": "0.22"}]
