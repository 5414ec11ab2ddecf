"""`check`: which reports stand in a document, and what is said of each."""

from __future__ import annotations

from pathlib import Path

import pytest
from joblib import parallel_config
from sklearn.metrics import classification_report

import fourfold as ff
from fourfold.answers import document
from fourfold.questions import QUESTIONS, Asked
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
    found = ff.check(text, positives=30, negatives=30, folds="none")
    assert found.verdict == "impossible"
    assert "30 positives and 30 negatives (given)" in str(found)
    assert ff.check(text, positives=40, negatives=40).findings[0].only_table == {"tp": 34, "fn": 6, "fp": 4, "tn": 36}


def test_without_a_size_what_an_average_may_give_is_not_called_impossible() -> None:
    """F1 lies between precision and recall of one table; means over folds may have a lower one, never a higher one."""
    finding = judge(scores(recall="0.50", accuracy="0.20", specificity="0.60"))
    assert finding.verdict != "impossible"
    finding = judge(scores(recall="0.10", precision="0.10", f1="0.90"))
    assert finding.verdict == "impossible"
    assert "whatever was averaged" in finding.words


def test_counts_verdict_and_failing() -> None:
    found = ff.check(RIGHT, WRONG, "nothing here")
    assert found.counts == {"possible": 1, "impossible": 1}
    assert found.verdict == "impossible"
    assert [finding.verdict for finding in found.failing()] == ["impossible"]
    assert not found.failing("never")
    with pytest.raises(ff.InputError, match="unknown word"):
        found.failing("often")
    assert "1 of 2 reports in 3 documents cannot be true, 1 is possible." in str(found)


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


# Of 120 positives 110 are found and of 192 negatives 162: sensitivity 91.7%, specificity 84.4%, accuracy 87.2%.
SENSITIVE = "sensitivity was 91.7% and specificity was 84.4%"


@pytest.mark.parametrize(
    ("text", "total", "positives", "negatives"),
    [
        (f"In 312 patients, 120 of whom were diseased, {SENSITIVE}.", 312, 120, None),
        (f"Among 312 patients (120 with disease, 192 without), {SENSITIVE}.", 312, 120, 192),
        (f"120 of the 312 patients had the disease, {SENSITIVE}.", 312, 120, None),
        (f"In 120 patients with and 192 without disease, {SENSITIVE}.", None, 120, 192),
        ("Sensitivity was 91.7% (110 of 120 positives) and specificity 84.4% (162 of 192 negatives).", None, 120, 192),
        ("Of 312 patients, 120 had disease. The sensitivity was 91.7%, the specificity 84.4%.", 312, 120, None),
        # Those that were tested are fewer, or are not the patients.
        (f"Of 312 patients, 120 had disease. After excluding 9 of them, {SENSITIVE}.", None, None, None),
        (f"In 312 patients (120 with disease, 192 without), per-vessel {SENSITIVE}.", None, None, None),
        (f"The data (n = 1560, 600 positive) were split 80/20; {SENSITIVE}.", None, None, None),
    ],
)
def test_sizes_that_a_sentence_says(text: str, total: int | None, positives: int | None, negatives: int | None) -> None:
    [finding] = ff.check(text).findings
    report = finding.report
    assert (report.total, report.positives, report.negatives) == (total, positives, negatives)
    assert [part[:5] for part in report.scores.values()] == ["91.7%", "84.4%"]
    assert finding.verdict == "possible"


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        (
            "We obtained 95% accuracy, 93% precision and 97% recall on the test set of 1,000 images.",
            ["95%", "93%", "97%"],
        ),
        ("At this threshold Se 0.80, Sp 0.90, PPV 0.50.", ["0.80", "0.90", "0.50"]),
        ("test acc 0.912 | prec 0.900 | rec 0.930", ["0.912", "0.900", "0.930"]),
        ("We ran 20 epochs and have accuracy 0.91, precision 0.90.", ["0.91", "0.90"]),
    ],
)
def test_every_number_has_the_name_beside_it(text: str, printed: list[str]) -> None:
    [report] = ff.read(text)
    assert [*report.scores.values()] == printed


@pytest.mark.parametrize(
    "text",
    [
        "The thermometer has an accuracy of 0.1 °C and a precision of 0.01 °C.",
        "rouge1: precision=0.52 recall=0.48 fmeasure=0.50",
        "| Model | FPS | mAP |\n|---|---|---|\n| YOLOv5s | 140 | 37.4 |\n| YOLOv5m | 80 | 45.4 |",
    ],
)
def test_what_is_about_no_classifier(text: str) -> None:
    assert ff.read(text) == []


TABLE_OF_SCORES = """
| {head} | Accuracy | Sensitivity | Specificity |
|---|---|---|---|
| {first} | 0.8718 | 0.9167 | 0.8438 |
| {second} | 0.7397 | 0.8250 | 0.6364 |
"""


@pytest.mark.parametrize(
    "caption", ["Table 2. Results (n = 312, 120 positive).", "Results with 120 positives and 192 negatives"]
)
def test_the_sizes_above_a_table(caption: str) -> None:
    """The second row is that of 40 and 33 cases, and no mean of scores in 312 as its accuracy is too low."""
    rows = TABLE_OF_SCORES.format(head="Method", first="A", second="B").replace("0.7397", "0.9397")
    found = ff.check(f"{caption}\n{rows}", folds="none").findings
    assert [finding.verdict for finding in found] == ["possible", "impossible"]


@pytest.mark.parametrize(
    ("head", "first", "second"),
    [("Cohort", "Internal", "Hospital B"), ("Model", "A, internal test", "A, external test"), ("Fold", "1", "2")],
)
def test_sizes_are_not_those_of_other_cases(head: str, first: str, second: str) -> None:
    """The second row is 33 of 40 and 21 of 33: no table of 312 cases has it."""
    rows = TABLE_OF_SCORES.format(head=head, first=first, second=second)
    found = ff.check(f"Table 2. Results (n = 312, 120 positive).\n{rows}").findings
    assert [(finding.verdict, finding.report.total) for finding in found] == [("possible", None)] * 2
    assert "the sizes that the caption says" in found[1].ignored[0]


def test_the_test_set_keeps_its_sizes() -> None:
    rows = TABLE_OF_SCORES.format(head="Set", first="Test", second="Training")
    found = ff.check(f"Table 2. Results in the test set (n = 312, 120 positive).\n{rows}").findings
    assert [finding.report.total for finding in found] == [312, None]


def test_sizes_in_heads_over_several_columns() -> None:
    table = r"""\begin{tabular}{lcccc}
 & \multicolumn{2}{c}{Site A (n=200)} & \multicolumn{2}{c}{Site B (n=500)} \\
Method & Acc & Sens & Acc & Sens \\ \hline
LR & 0.905 & 0.880 & 0.852 & 0.800 \\
\end{tabular}"""
    assert [report.total for report in ff.read(table)] == [200, 500]


@pytest.mark.parametrize(
    ("heads", "titles"),
    [
        ("Model Accuracy Sensitivity", ["RF", "Gradient boosting"]),
        ("Test Accuracy (95% CI) Sensitivity (95% CI)", ["RF", "Gradient boosting"]),
    ],
)
def test_names_in_a_table_copied_from_a_page(heads: str, titles: list[str]) -> None:
    reports = ff.read(f"{heads}\nRF 94.2 (92.0-96.1) 93.1 (91-95)\nGradient boosting 93.8 (91.0-95.2) 92.9 (90-94)\n")
    assert [report.title for report in reports] == titles
    assert [[text[:5] for text in report.scores.values()] for report in reports] == [
        ["94.2%", "93.1%"],
        ["93.8%", "92.9%"],
    ]


def test_scores_in_rows_of_a_table_copied_from_a_page() -> None:
    reports = ff.read("Metrics Baseline Proposed\nAccuracy (%) 88.2 91.5\nSensitivity (%) 85.1 90.2\n")
    assert [(report.title, *report.scores.values()) for report in reports] == [
        ("Baseline", "88.2%", "85.1%"),
        ("Proposed", "91.5%", "90.2%"),
    ]


def test_scores_without_a_sign_between_name_and_number_are_those_of_the_matrix() -> None:
    [finding] = ff.check("TP=292, FP=41, FN=14, TN=100\nSensitivity 0.885\nSpecificity 0.709\n").findings
    assert [(one.name, one.printed) for one in finding.wrong] == [("recall", "0.885")]


def test_the_class_that_a_document_calls_positive() -> None:
    """Of 57 cases of neg 50 are found, of 76 of pos 71."""
    matrix = "          Reference\nPrediction neg pos\n       neg  50   5\n       pos   7  71\n\n"
    words = "   Sensitivity : 0.8772\n   Specificity : 0.9342\n\n   'Positive' Class : neg\n"
    [finding] = ff.check(f"Confusion Matrix and Statistics\n\n{matrix}{words}").findings
    assert (finding.verdict, finding.report.positive) == ("possible", "neg")


def test_the_area_of_precision_and_recall_is_no_weighted_precision() -> None:
    """Of 105 cases of a 91 are found, of 95 of b 85."""
    text = """=== Detailed Accuracy By Class ===

                 TP Rate  FP Rate  Precision  Recall   F-Measure  ROC Area  PRC Area  Class
                 0.867    0.105    0.901      0.867    0.883      0.901     0.850     a
                 0.895    0.133    0.859      0.895    0.876      0.901     0.850     b
Weighted Avg.    0.880    0.119    0.881      0.880    0.880      0.901     0.850

=== Confusion Matrix ===

  a  b   <-- classified as
 91 14 |  a = a
 10 85 |  b = b
"""
    [finding] = ff.check(text).findings
    assert finding.verdict == "possible"
    assert any("no table of counts decides it" in words for words in finding.ignored)


def test_cases_with_both_labels_or_none() -> None:
    """Of 57 cases 46 are found with 7 more, of 25 others 21 with 13 more: more than the others have, if labels exclude."""
    text = """
              precision    recall  f1-score   support

       tag 0     0.8679    0.8070    0.8364        57
       tag 1     0.6176    0.8400    0.7119        25

   micro avg     0.7701    0.8171    0.7929        82
   macro avg     0.7428    0.8235    0.7741        82
weighted avg     0.7916    0.8171    0.7984        82
"""
    [finding] = ff.check(text).findings
    assert finding.verdict == "conditional"
    assert [departure.code for departure in finding.reading] == ["other_cases"]
    # The rows give a macro F1 of (0.8364 + 0.7119) / 2, whatever other cases there are.
    assert ff.check(text.replace("0.7741", "0.7841")).verdict == "impossible"


def test_entities_among_many_words_that_are_none() -> None:
    """8 of 40 words that are none are called PER, beside both that are: a precision of 2 of 10, of 6 words with a label."""
    truth = ["O"] * 40 + ["PER"] * 2 + ["LOC"] * 2 + ["ORG"] * 2
    said = ["PER"] * 8 + ["O"] * 32 + ["PER"] * 2 + ["LOC", "O"] + ["ORG", "LOC"]
    text = classification_report(truth, said, labels=["LOC", "ORG", "PER"])
    [finding] = ff.check(text).findings
    assert finding.verdict == "conditional"
    assert finding.words.endswith("only if there are cases with none or several of these labels.")
    # No counts give a precision of 0.20, a recall of 1.00 and an F1 of 0.43.
    assert ff.check(text.replace("1.00      0.33", "1.00      0.43")).verdict == "impossible"


def test_counts_are_those_of_one_test_set() -> None:
    """162 of 172 is 94.2%: no means over folds have a number of cases."""
    assert ff.check("PPV 78.6% (110/140), NPV 94.9% (162/172).").verdict == "impossible"


def test_one_wrong_score_is_named_once() -> None:
    """10 and 5 cases, of which 9 and 4 are found: the precision of the class 1 is 4/5."""
    text = """
              precision    recall  f1-score   support

           0       0.90      0.90      0.90        10
           1       0.60      0.80      0.80         5

    accuracy                           0.87        15
"""
    [finding] = ff.check(text).findings
    assert finding.words.startswith("Impossible: precision[1] 0.60 contradicts ")


@pytest.mark.parametrize(
    "matrix",
    [
        "Confusion matrix (%):\n[[92.0  8.0]\n [20.0 80.0]]\n",
        "Confusion matrix (in percent)\n\n| | Pred 0 | Pred 1 |\n|---|---|---|\n"
        "| True 0 | 92 | 8 |\n| True 1 | 20 | 80 |\n\n",
        "| | Pred a | Pred b | Pred c |\n|---|---|---|---|\n| True a | 92.5 | 5.0 | 2.5 |\n| True b | 20.0 | 75.0 | 5.0 |\n"
        "| True c | 1.0 | 2.0 | 97.0 |\n\n",
    ],
)
def test_per_cent_of_each_class_are_no_counts(matrix: str) -> None:
    """An accuracy of 88% is possible where the classes are not of one size."""
    [finding] = ff.check(f"{matrix}Accuracy: 88%").findings
    assert (finding.verdict, finding.report.matrix) == ("possible", None)


def test_of_a_cut_report_only_a_row_that_contradicts_itself_is_impossible() -> None:
    """Of 257 cases 230 are 0.895 and 231 are 0.899, with 23 more 0.909 of the predicted: none has the recall 0.896."""
    text = "              precision    recall  f1-score   support\n\n           a      0.909     {}     0.904       257\n...\n"
    text += "           b      0.923     0.923     0.923        13\n\n    accuracy                          0.910       500\n"
    [honest] = ff.check(text.format("0.899")).findings
    [wrong] = (found := ff.check(text.format("0.896"))).findings
    assert (honest.report.complete, honest.verdict) == (False, "not checked")
    assert wrong.verdict == "impossible"
    assert "printed for a" in wrong.words
    assert "printed for a" in str(found)


# What pycm prints of three classes, cut: rows are actual classes, and counts stand in a list of scores.
PYCM = """Predict          0          1          2
Actual
0                3          1          0

1                0          2          2

2                1          0          2


Overall Statistics :

CSI                                                               0.30556
Overall ACC                                                       0.63636
PPV Macro                                                         0.63889
TPR Macro                                                         0.63889
Zero-one Loss                                                     4

Class Statistics :

Classes                                                           0             1             2
PPV(Precision or positive predictive value)                       0.75          0.66667       0.5
TN(True negative/correct rejection)                               6             6             6
TNR(Specificity or true negative rate)                            0.85714       0.85714       0.75
TON(Test outcome negative)                                        7             8             7
TOP(Test outcome positive)                                        4             3             4
TOPR(Test outcome positive rate)                                  0.36364       0.27273       0.36364
"""


def test_what_pycm_prints_is_no_contradiction() -> None:
    [matrix] = [report.matrix for report in ff.read(PYCM) if report.matrix is not None]
    assert matrix == ((3, 1, 0), (0, 2, 2), (1, 0, 2))
    assert "impossible" not in ff.check(PYCM).counts


def test_two_rows_of_a_list_of_scores_are_no_matrix() -> None:
    text = (
        "TNR(Specificity or true negative rate)    1.0     0.77778\nTON(Test outcome negative)   13   7\n"
        "TOP(Test outcome positive)   7   13\nTOPR(Test outcome positive rate)   0.35   0.65\n"
    )
    assert all(report.matrix is None for report in ff.read(text))


MODELS = "Model\tAccuracy\tSensitivity\tSpecificity\nA\t0.9400\t0.8700\t0.9750\nB\t0.9567\t0.8700\t0.9750\n"


def cited(*documents: str | Path, **given: int) -> str:
    return document(ff.check(*documents, **given)).cite


def test_a_sentence_for_a_review_names_the_row_and_where_it_stands_among_several(tmp_path: Path) -> None:
    # 87 of 100 and 195 of 200 are 282 of 300 right, which is 0.94.
    impossible = "no confusion matrix gives accuracy 0.9567, recall 0.8700 and specificity 0.9750."
    assert (
        cited(MODELS, positives=100, negatives=200, folds="none")
        == f"B: With 100 positive and 200 negative cases, {impossible}"
    )
    paths = [tmp_path / name for name in ("one.tsv", "two.tsv")]
    for path in paths:
        path.write_text(MODELS)
    told = cited(*paths, positives=100, negatives=200, folds="none")
    # B is in the third line of both.
    assert [f"B ({path.name}:3): With 100" in told for path in paths] == [True, True]
    assert (
        cited(MODELS.replace("0.9567", "0.9400"), positives=100, negatives=200).count("tp 87, fn 13, fp 5 and tn") == 2
    )


def test_what_was_not_checked_is_said_once_and_not_ticked_off() -> None:
    means = document(ff.check("Model\tAccuracy\tRecall\nA\t0.940 ± 0.020\t0.950 ± 0.030\n"))
    assert (means.tone, means.cite) == ("plain", "")
    assert means.title.endswith("to check them, give positives and negatives, and folds")
    [first, _] = ff.check(MODELS, positives=100, negatives=200, total=400).findings
    assert first.words.endswith("Hint: check the sizes.")


def test_a_document_that_cannot_be_read_is_called_what_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "upload-1.pdf").write_text("%PDF-1.4 broken")
    found = ff.check(tmp_path / "upload-1.pdf")
    [one] = found.named({found.documents[0].name: "paper.pdf"}).documents
    assert one.name == "paper.pdf"
    assert one.error is not None
    assert "upload-1" not in one.error


def test_many_scores_are_counted_in_a_sentence() -> None:
    rows = "".join(f"{place:>12}       0.90      0.90      0.90        20\n" for place in range(10))
    text = f"              precision    recall  f1-score   support\n\n{rows}\n    accuracy                           {{}}       200\n"
    assert cited(text.format("0.90")) == "With 200 cases of 10 classes, the report with its 31 scores is possible."
    assert cited(text.format("0.85")).startswith("With 200 cases of 10 classes, no confusion matrix gives ")
    assert "accuracy 0.85" in cited(text.format("0.85"))


def test_means_over_runs_on_a_test_set_of_open_size_are_not_checked() -> None:
    """All runs are scored on one test set; a range of sizes leaves open which."""
    text = "We report means over 5 runs.\n\n| model | accuracy | recall |\n|---|---|---|\n| A | 0.91 | 0.88 |\n"
    [found] = ff.check(text, positives="40-50", negatives=60).findings
    assert found.verdict == "not checked"
    assert "open size" in found.reason
    [found] = ff.check(text, positives=50, negatives=60).findings
    assert found.verdict == "possible"


@pytest.mark.parametrize("heads", [("", ""), ("Model A", "Model B")])
def test_a_matrix_belongs_to_the_report_with_which_it_agrees(heads: tuple[str, str]) -> None:
    """Two models tested on the same cases: the sizes of both reports are those of the matrix between them."""
    other = """
              precision    recall  f1-score   support

           a       0.92      0.91      0.92       132
           b       0.83      0.85      0.84        68

    accuracy                           0.89       200
   macro avg       0.88      0.88      0.88       200
weighted avg       0.89      0.89      0.89       200
"""
    found = ff.check(f"{heads[0]}\n{other}\n{heads[1]}\n{MATRIX}\n{RIGHT}")
    assert [each.verdict for each in found.findings] == ["possible", "possible"]
    assert [each.report.matrix for each in found.findings] == [None, ((124, 8), (19, 49))]
    # A report that its own matrix does not give is still found out.
    found = ff.check(f"Model A\n{other}\nModel B\n{MATRIX}\n{WRONG}")
    assert [each.verdict for each in found.findings] == ["possible", "impossible"]


@pytest.mark.parametrize(
    ("printed", "given"),
    [
        ("0.931045", "0.931034"),
        ("0.94", "0.9310"),
        ("94.00%", "93.10%"),
        ("93.1045%", "93.1034%"),
        ("0.93100", "0.93103"),
    ],
)
def test_what_a_matrix_gives_has_as_many_digits_as_what_is_printed(printed: str, given: str) -> None:
    """27 of 29 are right: 0.93103448."""
    [found] = ff.check(f"Confusion matrix:\n[[ 9  0]\n [ 2 18]]\nAccuracy: {printed}\n").findings
    assert found.words.endswith(f"gives accuracy {given}, printed {printed}.")


def test_scores_beside_a_matrix_in_a_long_log_are_its() -> None:
    """Of 100 cases 50 + 35 are found: an accuracy of 0.85. The lines around say nothing of it."""
    log = "".join(f"Batch {n} of the training was read from the disk and kept in memory.\n" for n in range(100))
    matrix = "[[50 10]\n [ 5 35]]\n"
    for accuracy, verdict in (("0.85", "possible"), ("0.95", "impossible")):
        [found] = ff.check(f"{log}\n{matrix}Accuracy: {accuracy}\n\n{log}").findings
        assert (found.verdict, found.report.scores) == (verdict, {"accuracy": accuracy})


@pytest.mark.parametrize(("folds", "verdict"), [("none", "impossible"), (None, "conditional")])
def test_who_says_one_test_set_needs_no_positives(folds: str | None, verdict: str) -> None:
    """Of 100 cases no share is 0.8555, however many are positive; means over folds can be."""
    [finding] = ff.check(
        "| N | Accuracy | Specificity |\n|---|---|---|\n| 100 | 0.8555 | 0.90 |\n", folds=folds
    ).findings
    assert (finding.report.total, finding.report.positives, finding.verdict) == (100, None, verdict)


def test_a_number_out_of_range_is_said_first() -> None:
    """What is left of a row may be possible; the row as printed is so only if a number in it is wrong."""
    rows = ("| A | 101.2% | 90.0% | 95.0% |", "| B | 94.0% | -3% | 95.0% |", "| C | 94.0% | 91.0% | 95.5% |")
    head = "100 positives and 200 negatives.\n\n| model | accuracy | sensitivity | specificity |\n|---|---|---|---|\n"
    found = ff.check(head + "\n".join(rows)).findings
    assert [finding.verdict for finding in found] == ["conditional", "conditional", "possible"]
    assert [finding.reading[0].code for finding in found[:2]] == ["score_out_of_range"] * 2
    assert found[0].words.startswith("possible only if accuracy 101.2%, which lies outside [0, 1], is misprinted")
    # A coefficient may be below 0, and a likelihood ratio above 1.
    rows = ("| A | -0.20 | 12.0 |",)
    head = "100 positives and 200 negatives.\n\n| model | MCC | LR+ |\n|---|---|---|\n"
    for finding in ff.check(head + "\n".join(rows)).findings:
        assert "misprinted" not in finding.words


def test_what_was_not_used_names_its_own_row_and_what_holds_of_a_table_the_table(tmp_path: Path) -> None:
    sheet = tmp_path / "scores.csv"
    sheet.write_text("accuracy,f1,speed\n0.9,0.8,3\nx,0.7,3\n0.7,0.6,2\n")
    words = str(ff.check(sheet))
    assert "Accuracy 'x': cannot be read" in words or "Accuracy: not reported" in words
    assert "(scores.csv:3)" in words
    assert "Speed: not a known score (scores.csv:2)" in words


def test_beside_many_reports_that_were_not_checked_a_possible_one_is_no_green_answer() -> None:
    lines = "Accuracy 0.91\n\nBrier 0.1\n\nAUC 0.95\n\nAccuracy 940%\n"
    found = ff.check(lines)
    assert found.counts == {"possible": 1, "not checked": 3}
    assert document(found).tone == "plain"
    assert "1 of 4 reports is possible, 3 were not checked." in str(found)


def test_the_question_about_a_row_can_be_asked_where_folds_are_stated() -> None:
    """What the page sends on to `recover` must be what `recover` reads: 10 folds are text there."""
    found = ff.check(
        "| model | accuracy | recall |\n|---|---|---|\n| a | 0.9403 | 0.87 |\n", positives=357, negatives=212, folds=10
    )
    [ask] = [cell.ask for row in document(found).blocks[0].rows for cell in row if getattr(cell, "ask", None)]
    assert ask.given["folds"] == "10"
    result = QUESTIONS["recover"].answer(Asked(dict(ask.given)))
    assert result.verdict == found.verdict
