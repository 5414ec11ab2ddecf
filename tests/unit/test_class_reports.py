"""Classification reports and matrices, in the forms that people and their tools give them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import classification_report

import fourfold as ff
from fourfold.documents import blocks
from fourfold.reports import Report
from fourfold.reports.joining import reports_in
from fourfold.reports.score_lines import find as find_scores

# Worked out by hand from the matrix [[50, 3, 2], [4, 30, 1], [0, 5, 25]].
CLASSES = {
    "cat": ("0.93", "0.91", "0.92", "55"),
    "dog big": ("0.79", "0.86", "0.82", "35"),
    "3 weeks": ("0.89", "0.83", "0.86", "30"),
}
ACCURACY, MACRO, WEIGHTED, TOTAL = "0.88", ("0.87", "0.87", "0.87"), ("0.88", "0.88", "0.88"), "120"
MATRIX = ((50, 3, 2), (4, 30, 1), (0, 5, 25))
HEADS = ("precision", "recall", "f1-score", "support")
ROWS = [
    *([label, *cells] for label, cells in CLASSES.items()),
    ["accuracy", "", "", ACCURACY, TOTAL],
    ["macro avg", *MACRO, TOTAL],
    ["weighted avg", *WEIGHTED, TOTAL],
]


def read(text: str) -> list[Report]:
    return reports_in(blocks(text))


def lines(
    heads: tuple[str, ...] = HEADS, names: tuple[str, ...] = ("accuracy", "macro avg", "weighted avg")
) -> list[str]:
    labels = [*CLASSES, *names]
    body = [
        f"{label:>24} " + " ".join(f"{cell:>9}" for cell in row[1:]) for label, row in zip(labels, ROWS, strict=True)
    ]
    return [" " * 25 + " ".join(f"{head:>9}" for head in heads), "", *body[:3], "", *body[3:]]


LINES = lines()
TEXT = "\n".join(LINES) + "\n"


def piped(rows: list[list[str]], bar: str = "|") -> str:
    return "\n".join(f"{bar} " + f" {bar} ".join(row) + f" {bar}" for row in rows)


def table(rows: list[list[str]] = ROWS, heads: tuple[str, ...] = ("Class", *HEADS)) -> str:
    return piped([list(heads), ["---"] * len(heads), *rows])


def told(form: str, average: str, accuracy: str) -> str:
    classes = [form.format(label, *cells) for label, cells in CLASSES.items()]
    averages = [average.format(name, *cells) for name, cells in (("Macro avg", MACRO), ("Weighted avg", WEIGHTED))]
    return "\n".join([*classes, accuracy.format(ACCURACY), *averages])


FORMS: dict[str, str] = {
    "plain": TEXT,
    "windows": "\r\n".join(LINES),
    "tabs": "\n".join(["\t" + "\t".join(HEADS), "", *("\t".join(row) for row in ROWS)]),
    "blank lines everywhere": "\n\n".join(line for line in LINES if line),
    "narrow blanks": TEXT.replace(" ", "\u00a0"),
    "time and level": "\n".join(f"2024-01-01 12:00:00 INFO {line}" for line in LINES),
    "time, level and logger": "\n".join(f"[2024-01-01 12:00:00,123] INFO - {line}" for line in LINES),
    "logger": "\n".join(f"INFO:root:{line}" for line in LINES),
    "file and line": "\n".join(f"2024-01-01T12:00:00.123Z [INFO] train.py:42 {line}" for line in LINES),
    "logged once": f"INFO:__main__:{TEXT}",
    "slashes": "\n".join(f"// {line}" for line in LINES),
    "quoted twice": "\n".join(f"> > {line}" for line in LINES),
    "stars": "\n".join(f"*{line}" for line in LINES),
    "a string": "'" + TEXT.replace("\n", "\\n") + "'",
    "in a docstring": 'def f():\n    """Print.\n\n' + "\n".join(f"    {line}" for line in LINES) + '\n    """\n',
    "prompt": f">>> print(classification_report(y_true, y_pred))\n{TEXT}",
    "fenced": f"# Model\n\n```text\n{TEXT}```\nwords",
    "unusual rules": "\n".join(["─" * 60, LINES[0], "─" * 60, *LINES[2:5], "┄" * 60, *LINES[6:]]),
    "capitals": "\n".join(lines(("PRECISION", "RECALL", "F1-SCORE", "SUPPORT"), ("ACCURACY", "MACRO AVG", "WEIGHTED AVG"))),
    "short heads": "\n".join(lines(("Prec.", "Rec.", "F1", "Sup"), ("Acc", "Macro", "Weighted"))),
    "shortest heads": "\n".join(["Class" + lines(("P", "R", "F1", "N"))[0][5:], *LINES[1:]]),
    "long names": "\n".join(lines(names=("Overall accuracy:", "Macro-average:", "Weighted average:"))),
    "German": "\n".join(
        lines(("Präzision", "Trefferquote", "F1-Maß", "Anzahl"), ("Genauigkeit", "Makro-Mittel", "Gewichtetes Mittel"))
    ),
    "French": "\n".join(lines(("précision", "rappel", "score-f1", "support"), ("exactitude", "moyenne macro", "moyenne pondérée"))),
    "markdown": table(),
    "bars without a rule": piped([["Class", *HEADS], *ROWS]),
    "accuracy in the first cell": table([*ROWS[:3], ["accuracy", ACCURACY, "", "", ""], *ROWS[4:]]),
    "accuracy in all cells": table([*ROWS[:3], ["accuracy", *[ACCURACY] * 4], *ROWS[4:]]),
    "other order": table([[row[n] for n in (0, 4, 3, 1, 2)] for row in ROWS], ("Class", "support", "f1-score", "precision", "recall")),
    "numbered rows": table([[str(n), *row] for n, row in enumerate(ROWS)], ("#", "Class", *HEADS)),
    "grid": "+---+---+\n" + "\n+---+---+\n".join(piped([row]) for row in [["Class", *HEADS], *ROWS]) + "\n+---+---+",
    "box": "┌──┬──┐\n" + piped([["Class", *HEADS], *ROWS], "│") + "\n└──┴──┘",
    "semicolons": "\n".join(";".join(row) for row in [["Class", *HEADS], *ROWS]),
    "data frame": "\n".join(
        f"{label:<16}" + " ".join(f"{cell or 'NaN':>10}" for cell in row) for label, *row in [["", *HEADS], *ROWS]
    ),
    "turned data frame": "\n".join(
        f"{name:<11}" + "  ".join(f"{row[n] or ACCURACY:>14}" for row in ROWS) for n, name in enumerate(["", *HEADS])
    ),
    "list of names": told(
        "* Precision, Recall, F1-score for class {}: {}, {}, {} respectively. Support: {}.",
        "* {}: Precision {}, Recall {}, F1-score {}.",
        "* Accuracy: {}",
    ),
    "pairs": told("{}: P={}, R={}, F1={} (support: {})", "{}: P={}, R={}, F1={}", "accuracy = {}"),
    "pairs with bars": told(
        "* **{}** - Precision: {} | Recall: {} | F1: {} | Support: {}", "* **{}** - Precision: {} | Recall: {} | F1: {}", "* **Accuracy**: {}"
    ),
    "sentences": told(
        "For class {}, the precision is {}, the recall is {} and the F1-score is {} (n = {}).",
        "The {} has precision {}, recall {} and F1 {}.",
        "The accuracy is {}.",
    ),
    "blocks": told(
        "Class: {}\n  Precision: {}\n  Recall: {}\n  F1-score: {}\n  Support: {}\n",
        "{}:\n  Precision: {}\n  Recall: {}\n  F1-score: {}\n",
        "Accuracy: {}\n",
    ),
}  # fmt: skip


def cells_of(row: Any) -> tuple[str, ...]:
    return tuple(row.get(name) for name in ("precision", "recall", "f1"))


@pytest.mark.parametrize("form", FORMS)
def test_a_report_says_the_same_in_every_form(form: str) -> None:
    (report,) = read(FORMS[form])
    assert report.kind == "classification report"
    assert {row["label"]: (*cells_of(row), row["support"]) for row in report.classes} == CLASSES
    assert (report.accuracy, cells_of(report.macro), cells_of(report.weighted)) == (ACCURACY, MACRO, WEIGHTED)
    assert (report.total, report.complete, report.scores) == (120, True, {})


def test_per_cent_comes_from_the_sign_the_head_or_the_size() -> None:
    for sign, head in (("%", ""), ("", " (%)"), ("", "")):
        rows = [["a", f"91{sign}", f"82{sign}", f"86{sign}", "50"], ["b", f"8{sign}", f"9{sign}", f"8{sign}", "40"]]
        (report,) = read(table(rows, ("Class", f"Precision{head}", f"Recall{head}", f"F1{head}", "Support")))
        assert [cells_of(row) for row in report.classes] == [("91%", "82%", "86%"), ("8%", "9%", "8%")]
        assert bool(report.assumed) == (not sign and not head)


def test_decimal_commas_and_thousands_stay_as_printed() -> None:
    (report,) = read("Class;precision;recall;f1;support\na;0,91;0,82;0,86;1,500\nb;0,75;0,5;0,6;500")
    assert [(*cells_of(row), row["support"]) for row in report.classes] == [
        ("0,91", "0,82", "0,86", "1,500"),
        ("0,75", "0,5", "0,6", "500"),
    ]
    assert report.total == 2000


@pytest.mark.parametrize(
    "text",
    [
        "\n".join([*LINES[:3], "...", *LINES[4:]]),
        "\n".join([*LINES[:3], "      …", *LINES[4:]]),
        "\n".join([*LINES[:3], "   ...   ...   ...   ...   ...", *LINES[4:]]),
        "\n".join([*LINES[:3], *LINES[4:]]),
        "\n".join([*LINES[:2], *LINES[3:]]),
        "\n".join([*LINES[:4], *LINES[5:]]),
        "\n".join(LINES[:4]),
        "\n".join([*LINES[:4], LINES[4][:45]]),
        "\n".join([*LINES[:4], LINES[4][:-1]]),
        table([*ROWS[:1], ["..."] * 5, *ROWS[2:]]),
    ],
    ids=[
        "dots",
        "one sign",
        "dots in each column",
        "middle",
        "top",
        "end",
        "text ends",
        "line ends",
        "last digit",
        "table",
    ],
)
def test_a_report_with_rows_cut_out_is_not_complete(text: str) -> None:
    (report,) = read(text)
    assert not report.complete
    for row in report.classes:
        assert (*cells_of(row), row["support"]) == CLASSES[row["label"]]


def test_averages_may_be_cut_off_and_then_numbers_are_not_read_short() -> None:
    whole = "\n".join(LINES[:8])
    for cut in range(len("\n".join(LINES[:6])), len(whole)):
        (report,) = read(whole[:cut])
        assert report.complete or report.accuracy is None
        assert report.accuracy in (None, ACCURACY)
        assert all(text == MACRO[0] for text in report.macro.values())
        for row in report.classes:
            assert (*cells_of(row), row["support"]) == CLASSES[row["label"]]


def test_no_report_without_its_heads_is_complete() -> None:
    assert not any(report.complete for report in read("\n".join(LINES[3:])))


@pytest.mark.parametrize(
    "text",
    [
        "| Model | Precision | Recall | F1 |\n|---|---|---|---|\n| SVM | 0.91 | 0.82 | 0.86 |\n| RF | 0.9 | 0.8 | 0.85 |",
        "Model      Precision   Recall   F1\nSVM        0.91       0.82     0.86\nRF         0.93       0.84     0.88",
        "SVM: precision 0.91, recall 0.82, F1 0.86\nRF: precision 0.93, recall 0.84, F1 0.88",
    ],
)
def test_methods_are_no_classes(text: str) -> None:
    assert not [report for report in read(text) if report.kind == "classification report"]


def test_methods_in_a_column_or_over_columns_have_a_report_each() -> None:
    rows = [[name, label, *cells] for name in ("RF", "SVM") for label, cells in CLASSES.items()]
    beside = read(table(rows, ("Model", "Class", *HEADS)))
    over = read(
        "<table><tr><th></th><th colspan=3>RF</th><th colspan=3>SVM</th><th></th></tr>"
        + "<tr><th>Class</th>"
        + "<th>Precision</th><th>Recall</th><th>F1</th>" * 2
        + "<th>Support</th></tr>"
        + "".join(
            f"<tr><td>{label}</td>" + "".join(f"<td>{cell}</td>" for cell in (*cells[:3], *cells)) + "</tr>"
            for label, cells in CLASSES.items()
        )
        + "</table>"
    )
    for found in (beside, over):
        assert [report.title for report in found] == ["RF", "SVM"]
        for report in found:
            assert {row["label"]: (*cells_of(row), row["support"]) for row in report.classes} == CLASSES


def test_what_else_is_printed_of_a_class_is_kept() -> None:
    (report,) = read(
        "                   pre       rec       spe        f1       geo       iba       sup\n\n"
        "          0       0.93      0.91      0.94      0.92      0.92      0.85        55\n"
        "          1       0.79      0.86      0.91      0.82      0.88      0.77        65\n\n"
        "avg / total       0.85      0.88      0.92      0.87      0.90      0.81       120\n"
    )
    assert report.classes[0] == {
        "label": "0", "precision": "0.93", "recall": "0.91", "specificity": "0.94", "f1": "0.92", "g_mean": "0.92",
        "iba": "0.85", "support": "55",
    }  # fmt: skip
    assert report.weighted["specificity"] == "0.92"


def test_the_accuracy_of_a_class_has_two_meanings_and_is_ignored() -> None:
    rows = [[label, *cells, "0.91"] for label, cells in CLASSES.items()]
    (report,) = read(table(rows, ("Class", *HEADS, "Accuracy")))
    assert {row["label"]: (*cells_of(row), row["support"]) for row in report.classes} == CLASSES
    assert (report.accuracy, "accuracy" in report.classes[0], len(report.ignored)) == (None, False, 1)


def test_a_table_of_scores_below_a_matrix_is_about_it() -> None:
    matrix = MATRICES["corner"][0]
    scores = "| Metric | Score |\n|---|---|\n| Accuracy | 91.2% |\n| Precision | 70% |"
    (report,) = reports_in(blocks(f"{matrix}\n\n{scores}\n"), [find_scores])
    assert (report.matrix, report.scores) == (TWO, {"accuracy": "91.2%", "precision": "70%"})
    methods = "| Model | Accuracy | Precision |\n|---|---|---|\n| RF | 91.2% | 70% |\n| SVM | 81% | 66% |"
    assert [report.title for report in reports_in(blocks(f"{matrix}\n\n{methods}\n"), [find_scores])] == [
        "",
        "RF",
        "SVM",
    ]


def test_averages_over_labels_and_unnamed_ones_are_said_to_be_ignored() -> None:
    for name in ("samples avg", "average"):
        (report,) = read("\n".join([*LINES[:-1], LINES[-1].replace("weighted avg", f"{name:>12}")]))
        assert any(name in words for words in report.ignored)
        assert not report.weighted


# --- matrices

TWO = ((45, 3), (2, 7))
MATRICES: dict[str, tuple[str, str | None]] = {
    "numpy": ("[[45  3]\n [ 2  7]]", None),
    "floats": ("[[45. 3.]\n [ 2. 7.]]", None),
    "tensor": ("tensor([[45,  3],\n        [ 2,  7]])", None),
    "with its type": ("array([[45,  3],\n       [ 2,  7]], dtype=int64)", None),
    "commented": ("# Confusion matrix:\n# [[45  3]\n#  [ 2  7]]\n# done", None),
    "a list a line": ("Confusion matrix\n[45, 3]\n[2, 7]", None),
    "list over lines": ("cm = [\n  [45, 3],\n  [2, 7]\n]", None),
    "quoted": ('"[[45  3]\\n",\n" [ 2  7]]\\n"', None),
    "logged": ("INFO:root:Confusion matrix: [[45  3]\n [ 2  7]]", None),
    "JSON": ('{"confusion_matrix": [[45, 3], [2, 7]]}', None),
    "crosstab": ("Predicted   0   1\nActual           \n0          45   3\n1           2   7", "truth"),
    "crosstab with sums": (
        "Predicted   cat   dog  All\nTrue           \ncat          45   3  48\ndog           2   7  9\nAll    47  10  57",
        "truth",
    ),
    "crosstab turned": ("Actual      0   1\nPredicted           \n0          45   2\n1           3   7", "prediction"),
    "R": ("     Predicted\nActual  no yes\n   no   45   3\n   yes   2   7", "truth"),
    "R turned": ("         actual\npredicted   0   1\n        0  45   2\n        1   3   7", "prediction"),
    "R without names": ("   \n     FALSE TRUE\n  FALSE  45  3\n  TRUE   2  7", None),
    "data frame": ("          Predicted 0  Predicted 1\nActual 0           45            3\nActual 1   2    7", "truth"),
    "data frame, labels only": ("      cat  dog\ncat    45    3\ndog     2    7", None),
    "pycm": ("Predict    0    1    \nActual\n0          45   3    \n\n1          2    7    \n", "truth"),
    "H2O": (
        "Confusion Matrix (Act/Pred) for max f1 @ threshold = 0.35:\n       0    1    Error    Rate\n"
        "-----  ---  ---  -------  ------------\n0      45   3    0.0625   (3.0/48.0)\n1      2    7    0.2222   (2.0/9.0)\n"
        "Total  47   10   0.0877   (5.0/57.0)",
        "truth",
    ),
    "turned": ("| | Actual cat | Actual dog |\n|---|---|---|\n| Predicted cat | 45 | 2 |\n| Predicted dog | 3 | 7 |", "prediction"),
    "corner": ("| Actual \\ Predicted | cat | dog |\n|---|---|---|\n| cat | 45 | 3 |\n| dog | 2 | 7 |", "truth"),
    "corner turned": ("| Predicted \\ Actual | cat | dog |\n|---|---|---|\n| cat | 45 | 2 |\n| dog | 3 | 7 |", "prediction"),
    "arrows": ("| Predicted → / Actual ↓ | cat | dog |\n|---|---|---|\n| cat | 45 | 3 |\n| dog | 2 | 7 |", "truth"),
    "sums": (
        "| | Predicted: No | Predicted: Yes | Total |\n|---|---|---|---|\n| **Actual: No** | 45 | 3 | 48 |\n"
        "| **Actual: Yes** | 2 | 7 | 9 |\n| **Total** | 47 | 10 | 57 |",
        "truth",
    ),
    "sums without a word": (
        "| | Predicted No | Predicted Yes | n |\n|---|---|---|---|\n| Actual No | 45 | 3 | 48 |\n| Actual Yes | 2 | 7 | 9 |",
        "truth",
    ),
    "named cells": (
        "| | Predicted Yes | Predicted No |\n|---|---|---|\n| Actual Yes | 7 (TP) | 2 (FN) |\n| Actual No | 3 (FP) | 45 (TN) |",
        "truth",
    ),
    "shares beside": (
        "| | Predicted No | Predicted Yes |\n|---|---|---|\n| Actual No | 45 (94%) | 3 (6%) |\n| Actual Yes | 2 (22%) | 7 (78%) |",
        "truth",
    ),
    "signs": ("| | Predicted + | Predicted - |\n|---|---|---|\n| Actual + | 7 | 2 |\n| Actual - | 3 | 45 |", "truth"),
    "positive first, turned": (
        "| | Actual Positive | Actual Negative |\n|---|---|---|\n| Predicted Positive | 7 | 3 |\n| Predicted Negative | 2 | 45 |",
        "prediction",
    ),
    "heads over heads": (
        "<table><tr><td></td><td></td><th colspan=2>Predicted</th></tr><tr><td></td><td></td><th>cat</th><th>dog</th></tr>"
        "<tr><th rowspan=2>Actual</th><th>cat</th><td>45</td><td>3</td></tr><tr><th>dog</th><td>2</td><td>7</td></tr></table>",
        "truth",
    ),
    "CSV": ("Actual/Predicted,cat,dog\ncat,45,3\ndog,2,7\n", "truth"),
    "box": ("              predicted\n       cat  │    45     3 │\n       dog  │     2     7 │", "truth"),
    "rows only": ("Confusion matrix:\n45 3\n2 7\n", None),
    "rows in brackets": ("On the test set\n[45, 3]\n[2, 7]\n", None),
    "said": ("Confusion matrix (rows: predicted, columns: actual):\n[[45  2]\n [ 3  7]]", "prediction"),
    "shares too": ("[[45  3]\n [ 2  7]]\nNormalized confusion matrix\n[[0.94 0.06]\n [0.22 0.78]]", None),
    "per cent too": ("[[45  3]\n [ 2  7]]\n[[93.8  6.2]\n [22.2 77.8]]", None),
    "counts": ("TP: 7\nFN: 2\nFP: 3\nTN: 45", "truth"),
    "counts in words": ("- True Positive (TP) = 7\n- True Negative (TN) = 45\n- False Positive = 3\n- False Negative = 2\n", "truth"),
    "unpacked": ("tn, fp, fn, tp = 45, 3, 2, 7", "truth"),
    "slashes": ("TP/FP/FN/TN: 7/3/2/45", "truth"),
    "sentence": ("There were 7 true positives, 45 true negatives, 3 false positives and 2 false negatives.", "truth"),
    "dict": ("{'tp': 7, 'fp': 3, 'fn': 2, 'tn': 45}", "truth"),
    "columns of counts": ("| TP | FP | FN | TN |\n|---|---|---|---|\n| 7 | 3 | 2 | 45 |", "truth"),
}  # fmt: skip


@pytest.mark.parametrize("form", MATRICES)
def test_a_matrix_has_the_actual_classes_in_its_rows(form: str) -> None:
    text, printed = MATRICES[form]
    (report,) = read(text)
    assert (report.kind, report.matrix, report.matrix_rows_printed, report.total) == ("matrix", TWO, printed, 57)
    assert printed or any("rows" in words for words in report.assumed)


def test_copies_in_shares_are_said_to_be_ignored() -> None:
    (report,) = read(MATRICES["shares too"][0])
    assert any("shares" in words for words in report.ignored)


@pytest.mark.parametrize(
    "text",
    [
        "X = np.array([[1, 2, 3], [4, 5, 6]])",
        "[[ 1 -2]\n [ 3  4]]",
        "[[1.5 2.5]\n [3.5 4.5]]",
        "[[0.1 0.9]\n [0.8 0.2]]",
        "[[0 0]\n [0 0]]",
        "[[TN FP]\n [FN TP]]",
        "| year | a | b |\n|---|---|---|\n| 2019 | 45 | 3 |\n| 2020 | 2 | 7 |",
        "id,a,b\n1,45,3\n2,2,7\n",
        "In 2019 12 34\nIn 2020 56 78\n",
        "False positive rate: 0.05\nTrue positive rate: 0.9\n",
        "tp 5-7, fp 3-4, fn 2-3, tn 40-45",
    ],
)
def test_other_numbers_are_no_matrix(text: str) -> None:
    assert not [report for report in read(text) if report.matrix]


def test_caret() -> None:
    (report,) = read(
        "Confusion Matrix and Statistics\n\n          Reference\nPrediction  0  1\n         0 45  2\n         1  3  7\n\n"
        "               Accuracy : 0.9123\n                 95% CI : (0.8070, 0.9709)\n"
        "    No Information Rate : 0.8421\n    P-Value [Acc > NIR] : 0.09\n\n                  Kappa : 0.6851\n\n"
        "            Sensitivity : 0.7778\n         Pos Pred Value : 0.7000\n         Detection Rate : 0.1228\n"
        "   Detection Prevalence : 0.1754\n\n       'Positive' Class : 1\n"
    )
    assert (report.matrix, report.matrix_rows_printed, report.labels) == (TWO, "prediction", ("0", "1"))
    assert report.positive == "1"
    assert report.scores == {
        "accuracy": "0.9123", "kappa": "0.6851", "recall": "0.7778", "precision": "0.7000",
        "predicted_positive_rate": "0.1754",
    }  # fmt: skip


def test_weka() -> None:
    (report,) = read("""=== Summary ===

Correctly Classified Instances         105               87.5    %
Kappa statistic                          0.8038
Total Number of Instances              120

=== Detailed Accuracy By Class ===

                 TP Rate  FP Rate  Precision  Recall   F-Measure  MCC      ROC Area  PRC Area  Class
                 0.909    0.062    0.926      0.909    0.917      0.849    0.95      0.93      cat
                 0.857    0.094    0.789      0.857    0.822      0.745    0.9       0.8       big dog
                 0.833    0.033    0.893      0.833    0.862      0.819    0.95      0.9       3 weeks
Weighted Avg.    0.875    0.064    0.877      0.875    0.875      0.811    0.936     0.885

=== Confusion Matrix ===

  a  b  c   <-- classified as
 50  3  2 |  a = cat
  4 30  1 |  b = big dog
  0  5 25 |  c = 3 weeks
""")
    assert (report.matrix, report.labels, report.total) == (MATRIX, ("cat", "big dog", "3 weeks"), 120)
    assert cells_of(report.classes[1]) == ("0.789", "0.857", "0.822")
    assert report.classes[1]["false_positive_rate"] == "0.094"
    assert report.weighted["f1"] == "0.875"
    assert report.scores == {"correct": "105", "accuracy": "87.5%", "kappa": "0.8038"}


# --- what belongs together

NUMPY = "[[50  3  2]\n [ 4 30  1]\n [ 0  5 25]]"
TURNED = "[[50  4  0]\n [ 3 30  5]\n [ 2  1 25]]"
STALE = "[[49  4  2]\n [ 4 30  1]\n [ 0  5 25]]"
SMALLER = "[[12  4  2]\n [ 4 30  1]\n [ 0  5 25]]"


@pytest.mark.parametrize(
    "text",
    [
        f"Accuracy: 87.50%\nConfusion Matrix:\n{NUMPY}\nClassification Report:\n{TEXT}",
        f"{TEXT}\nAccuracy: 87.50%\n\n{NUMPY}\n",
        f"# Results\n\nTest accuracy: 87.50%\n\n## Classification report\n\n```\n{TEXT}```\n\n## Confusion matrix\n\n```\n{NUMPY}\n```\n",
        f"{TURNED}\n{TEXT}\nAccuracy: 87.50%\n",
        "| True \\ Pred | cat | dog big | 3 weeks |\n|---|---|---|---|\n| dog big | 4 | 30 | 1 |\n| cat | 50 | 3 | 2 |\n"
        f"| 3 weeks | 0 | 5 | 25 |\n\nAccuracy: 87.50%\n\n```\n{TEXT}```\n",
    ],
    ids=["before", "after", "headings", "turned", "other order"],
)
def test_a_matrix_a_report_and_an_accuracy_are_one(text: str) -> None:
    (report,) = read(text)
    assert report.kind == "classification report"
    assert (report.matrix, report.accuracy, report.scores) == (MATRIX, ACCURACY, {"accuracy": "87.50%"})
    assert report.labels == tuple(CLASSES)


def test_a_matrix_of_other_cases_stays_apart_and_is_said() -> None:
    matrix, report = read(f"{SMALLER}\n{TEXT}")
    assert (matrix.kind, report.kind, report.matrix) == ("matrix", "classification report", None)
    assert any("beside it" in words for words in matrix.ignored)


def test_a_matrix_of_the_same_sizes_is_joined_even_where_it_contradicts() -> None:
    (report,) = read(f"{STALE}\n{TEXT}")
    assert report.matrix is not None
    assert report.matrix[0] == (49, 4, 2)


@pytest.mark.parametrize(
    "text",
    [
        f"Random Forest\n{TEXT}\n{NUMPY}\n\nSVM\n{TEXT}\n{STALE}\n",
        f"=== Random Forest ===\n{NUMPY}\n{TEXT}\n=== SVM ===\n{STALE}\n{TEXT}",
        f"## Random Forest\n\n```\n{TEXT}```\n\n```\n{NUMPY}\n```\n\n## SVM\n\n```\n{STALE}\n```\n\n```\n{TEXT}```\n",
    ],
)
def test_headings_keep_models_apart(text: str) -> None:
    found = read(text)
    assert [report.title for report in found] == ["Random Forest", "SVM"]
    assert [report.matrix[0] for report in found if report.matrix] == [(50, 3, 2), (49, 4, 2)]


def test_captions_with_one_subject_keep_together() -> None:
    names = {"Random Forest": NUMPY, "SVM": STALE}
    text = "\n".join(
        f"{name} Confusion Matrix:\n{matrix}\n\n{name} Classification Report:\n{TEXT}" for name, matrix in names.items()
    )
    assert [report.matrix[0] for report in read(text) if report.matrix] == [(50, 3, 2), (49, 4, 2)]


def test_of_two_matrices_of_the_same_sizes_the_one_that_fits_is_taken() -> None:
    other, report = read(f"{STALE}\n\n{TEXT}\n{NUMPY}\n")
    assert (other.kind, report.matrix) == ("matrix", MATRIX)


def test_accuracies_go_to_the_report_they_stand_beside() -> None:
    for text in (f"Accuracy: 0.87\n{TEXT}\nAccuracy: 0.99\n{TEXT}", f"{TEXT}Accuracy: 0.87\n\n{TEXT}Accuracy: 0.99\n"):
        assert [report.scores for report in read(text)] == [{"accuracy": "0.87"}, {"accuracy": "0.99"}]


def test_scores_of_other_data_are_not_taken() -> None:
    text = f"Training accuracy: 0.99\nValidation accuracy: 0.93\nTest accuracy: 0.875\n{TEXT}"
    assert [report.scores for report in read(text)] == [{"accuracy": "0.875"}]
    for words in ("Mean: accuracy: 0.91", "Accuracy: 0.91 ± 0.02", "Average accuracy over 5 folds: 0.91"):
        assert [report.scores for report in read(f"{TEXT}\n{words}\n")] == [{}]
    far = f"The model has an accuracy of 0.99.\n\nThere are other words between, about the data and where it is from.\n\n{TEXT}"
    assert [report.scores for report in read(far)] == [{}]


def test_a_number_without_a_name_is_ignored_and_said() -> None:
    (report,) = read(f"{TEXT.rstrip()} 0.875\n")
    assert cells_of(report.weighted) == WEIGHTED
    assert any(re.search(r"\b0\.875\b", words) for words in report.ignored)


def test_places() -> None:
    assert read(f"words\n\n{TEXT}")[0].where.line == 3


# tp 9, fn 3, fp 2 of "well" (12) against "sick" (8) gives 9/11, 9/12 and 18/23; "sick": 6/9, 6/8, 12/17; 15 of 20 right.
FRAME = """\
              precision  recall  f1-score  support
well           0.818182    0.75  0.782609    12.00
sick           0.666667    0.75  0.705882     8.00
accuracy       0.750000    0.75  0.750000     0.75
macro avg      0.742424    0.75  0.744246    20.00
weighted avg   0.757576    0.75  0.751918    20.00
"""


def framed(text: str, form: str) -> str:
    """Return a frame as pandas prints it in another form."""
    heads, *rows = [re.split(r"\s{2,}", line.strip()) for line in text.splitlines()]
    if form == "markdown":
        return "\n".join(
            ["| | " + " | ".join(heads) + " |", "|---" * 5 + "|", *("| " + " | ".join(row) + " |" for row in rows)]
        )
    if form == "html":
        body = "".join(
            f"<tr><th>{label}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>" for label, *cells in rows
        )
        head = "".join(f"<th>{text}</th>" for text in heads)
        return (
            f'<table border="1" class="dataframe"><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>'
        )
    return text


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_a_frame_prints_the_accuracy_with_the_decimals_of_each_column(form: str) -> None:
    """pandas gives each column decimals of its own, and fills the row of the accuracy with one number."""
    text = framed(FRAME, form)
    (report,) = read(text)
    assert [(row["label"], row["support"]) for row in report.classes] == [("well", "12.00"), ("sick", "8.00")]
    assert (report.accuracy, report.total) == ("0.750000", 20)
    assert report.weighted["f1"] == "0.751918"
    assert ff.check(text).verdict == "possible"


@pytest.mark.parametrize(
    ("row", "accuracy"),
    [
        ("0.73 0.733 0.7333 0.73", "0.7333"),
        ("1.0 1.000000 1.00 1.0", "1.000000"),
        ("0.0 0.000 0.0 0.0", "0.000"),
        # The size of a frame whose sizes were made whole, or are shown without decimals.
        ("0.75 0.750 0.75 0", "0.750"),
        ("0.75 0.750 0.75 1", "0.750"),
    ],
)
def test_the_accuracy_of_a_frame_is_no_class_and_no_size(row: str, accuracy: str) -> None:
    text = "precision recall f1-score support\na 0.8 0.75 0.77 12.0\nb 0.7 0.75 0.72 8.0\naccuracy " + row
    (report,) = read(text)
    assert [row["label"] for row in report.classes] == ["a", "b"]
    assert (report.accuracy, report.total) == (accuracy, 20)


def test_a_class_that_is_called_accuracy_stays_one() -> None:
    """Its cells are several numbers, whatever their decimals are."""
    text = "precision recall f1-score support\nspeed 0.8 0.75 0.77 12\naccuracy 0.70 0.75 0.724 8\nmacro avg 0.75 0.75 0.75 20"
    (report,) = read(text)
    assert [row["label"] for row in report.classes] == ["speed", "accuracy"]
    assert report.accuracy is None


def test_frames_of_scikit_learn_are_possible() -> None:
    """Whatever was predicted, the report that scikit-learn gives of it can be."""
    random = np.random.default_rng(7)
    for classes, cases in ((2, 8), (2, 40), (3, 20), (5, 60)):
        actual = np.arange(cases) % classes
        for predicted in (np.where(random.random(cases) < 0.7, actual, random.integers(0, classes, cases)), actual):
            scores = classification_report(actual, predicted, output_dict=True, zero_division=0)
            frame = pd.DataFrame(scores).T
            for one in (frame, frame.round(2), frame.round(3), frame.astype("float32"), frame.astype({"support": int})):
                for text in (one.to_string(), one.to_html()):
                    (finding,) = ff.check(text).findings
                    assert len(finding.report.classes) == classes
                    assert finding.verdict in ("possible", "conditional"), text


@pytest.mark.parametrize("one", ["1.0000000000000002", "1.0000001", "1.0000002"])
def test_what_floats_leave_above_1_is_no_percentage(one: str) -> None:
    text = f"Class | Precision | Recall | F1 | Support\n--|--|--|--|--\na | {one} | {one} | 1.0 | 3\nb | 1.0 | {one} | 1.0 | 5\n"
    (report,) = read(text + f"accuracy | | | {one} | 8\n")
    assert [row["recall"] for row in report.classes] == [one, one]
    assert (report.accuracy, report.assumed) == (one, ())
    assert ff.check(text).verdict == "possible"


def test_per_cent_is_told_by_all_numbers_of_a_report() -> None:
    """tp 3, fn 1, fp 396, tn 3600 of a class of 4 among 4,000: its precision is 0.75%, that of the others 99.97%."""
    text = "Class | Precision | Recall | Support\n--|--|--|--\na | 100.0 | 90.1 | 3996\nb | 0.8 | 75.0 | 4\n"
    (report,) = read(text)
    assert [row["precision"] for row in report.classes] == ["100.0%", "0.8%"]
    assert ff.check(text).verdict == "possible"
    (report,) = read(text.replace("90.1", "0.901").replace("75.0", "0.750"))
    assert [row["recall"] for row in report.classes] == ["0.901", "0.750"]


def test_heads_that_say_per_cent_over_shares_of_1() -> None:
    """9 of 11 and 6 of 9 are right, of 12 and 8."""
    text = "Class | Precision (%) | Recall (%) | Support\n--|--|--|--\na | 0.82 | 0.75 | 12\nb | 0.67 | 0.75 | 8\n"
    (report,) = read(text)
    assert [row["precision"] for row in report.classes] == ["0.82", "0.67"]
    assert report.assumed == ("numbers up to 1 are shares of 1, not per cent: precision, recall",)
    assert ff.check(text).verdict == "possible"
    (report,) = read(text.replace("0.82", "81.8"))
    assert [row["precision"] for row in report.classes] == ["81.8%", "0.67%"]
