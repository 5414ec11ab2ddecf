"""Tables of scores as people publish them: every row and every score of collected tables is read.

What is expected was written down by reading the tables, not by running the code.
"""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

import fourfold as ff
from fourfold.documents import blocks
from fourfold.reports.report import Report
from fourfold.reports.score_lines import find

from ..conftest import SHARED, needs

CORPUS = SHARED / "corpus"
pytestmark = needs(CORPUS)

FIVE = "accuracy precision recall f1 auc"
FOUR = "accuracy precision recall f1"
PLUS_MINUS = "auc average_precision recall precision accuracy weighted_f1 mcc"
#: By the table's index: how many reports, the scores of the first, and of the second where those differ.
EXPECTED: dict[int, tuple[int, str, str]] = {
    0: (5, FIVE, FIVE),
    2: (7, f"{FOUR} TPR specificity", f"{FOUR} TPR specificity"),
    4: (1, "accuracy precision recall recall[negative] f1 false_positive_rate", ""),
    6: (7, FOUR, FOUR),
    8: (3, FIVE, FIVE),
    10: (1, FIVE, ""),
    12: (5, "accuracy correct", "accuracy correct"),
    14: (1, "", ""),
    16: (6, "accuracy macro_f1 balanced_accuracy weighted_f1", "accuracy macro_f1 balanced_accuracy weighted_f1"),
    18: (4, FIVE, FIVE),
    20: (1, "accuracy macro_recall weighted_recall macro_f1 weighted_f1", ""),
    22: (5, "auc accuracy recall f1", "auc accuracy recall f1"),
    24: (7, "auc accuracy", "auc"),
    26: (3, "accuracy f1 auc average_precision", "accuracy f1 auc"),
    28: (3, *["precision recall f1 false_positive_rate false_negative_rate average_precision"] * 2),
    30: (4, *["accuracy recall specificity f1"] * 2),
    32: (5, *["accuracy recall specificity auc f1"] * 2),
    34: (2, "", ""),
    36: (4, *["accuracy recall specificity precision"] * 2),
    38: (4, *["accuracy recall specificity precision f1"] * 2),
    40: (3, FOUR, FOUR),
    42: (2, FOUR, FOUR),
    44: (5, *["accuracy balanced_accuracy mcc recall[negative] recall"] * 2),
    46: (3, *["accuracy balanced_accuracy mcc"] * 2),
    48: (4, *["accuracy balanced_accuracy mcc recall auc precision f1"] * 2),
    50: (10, "accuracy", "recall specificity"),
    52: (8, *["accuracy balanced_accuracy mcc auc"] * 2),
    54: (3, *["precision recall f1 accuracy balanced_accuracy mcc"] * 2),
    58: (6, *["accuracy weighted_f1 weighted_recall weighted_precision micro_f1 micro_recall micro_precision macro_f1 "
        "macro_recall macro_precision"] * 2),
    60: (1, "", ""),
    62: (10, *["precision recall f1 auc accuracy"] * 2),
    64: (5, PLUS_MINUS, PLUS_MINUS),
    66: (5, PLUS_MINUS, PLUS_MINUS),
    68: (3, *["auc f1 precision recall"] * 2),
    70: (3, FOUR, FOUR),
    72: (3, FIVE, FIVE),
    74: (4, *["accuracy precision recall specificity f1 auc"] * 2),
    76: (7, *["accuracy precision recall f1 specificity auc"] * 2),
    78: (20, "accuracy", "recall precision"),
    80: (2, FOUR, FOUR),
    82: (4, FOUR, FOUR),
}  # fmt: skip
#: A table of classes, with averages, is a classification report and not read here.
CLASSES = 56


def read(text: str | Path, name: str | None = None) -> list[Report]:
    return [found.report for block in blocks(text, name=name) for found in find(block)]


def tables() -> list[dict[str, Any]]:
    path = CORPUS / "tables.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


@pytest.mark.parametrize("table", tables(), ids=lambda table: str(table["index"]))
def test_every_row_and_score_is_read(table: dict[str, Any]) -> None:
    if table["index"] == CLASSES:
        return
    number, *names = EXPECTED[table["index"]]
    reports = read(table["raw"])
    assert len(reports) == number
    assert [" ".join(report.scores) for report in reports[:2]] == names[: len(reports)]
    for report in reports:
        for text in report.scores.values():
            # The number stands in the table as it was read.
            value = re.match(r"[-+]?[\d.]+", text.lstrip("[("))
            assert value is not None
            assert value[0] in table["raw"]


def by_index(index: int) -> list[Report]:
    return read(next(table["raw"] for table in tables() if table["index"] == index))


def test_what_else_the_tables_say() -> None:
    (vertical,) = by_index(10)
    assert dict(vertical.scores)["auc"] == "0.8319"
    first = by_index(12)[0]
    assert (first.total, dict(first.scores)) == (168, {"accuracy": "89.88% (84.4%, 93.6%)", "correct": "151"})
    (refused,) = by_index(14)
    assert "no head" in refused.ignored[0]
    assert by_index(22)[0].positive == "churn"
    assert [report.folds for report in by_index(24)] == [None, 5, None, None, 5, None, 5]
    held, cross, withheld = by_index(26)
    assert (held.folds, cross.folds, withheld.total) == (None, 5, 33944)
    assert [dict(report.scores) for report in by_index(32)][4] == {"accuracy": "90.91%"}
    assert by_index(34)[0].matrix == ((149, 1), (2, 248))
    counted = by_index(44)[0]
    assert (counted.positives, counted.negatives, counted.scores["recall"]) == (17, 4, "11/17")
    percent = by_index(54)[0]
    assert (percent.total, percent.scores["precision"], percent.scores["mcc"]) == (None, "71.3%", "0.596")
    (classes,) = by_index(60)
    assert [row["label"] for row in classes.classes] == ["0", "1"]
    assert by_index(62)[1].scores["accuracy"] == "93.25%"
    assert by_index(68)[0].total is None


def messy(name: str) -> list[dict[str, str]]:
    """Return the rows of the sheet by their heads, read by the standard library alone."""
    rows = list(csv.reader(io.StringIO((CORPUS / name).read_text(encoding="utf-8"))))
    head = next(place for place, row in enumerate(rows) if row[0] == "Ref")
    return [dict(zip(rows[head], row, strict=True)) for row in rows[head + 1 :]]


def same_as_sheet(reports: list[Report], rows: list[dict[str, str]]) -> None:
    assert len(reports) == len(rows) == 40
    for report, row in zip(reports, rows, strict=True):
        assert report.title.startswith(f"{row['Ref']}, {row['Author (year)']}")
        assert report.total == int(re.sub(r"\D", "", row["N"]))
        assert report.positives == (int(row["No. pos"]) if row["No. pos"].isdigit() else None)
        assert report.folds == (10 if "10-fold" in row["Validation"] else None)
        heads = {"Acc (%)": "accuracy", "Sens.": "recall", "Sp": "specificity", "PPV": "precision", "F-measure": "f1",
                 "F1 (macro)": "macro_f1", "AUC": "auc", "MCC": "mcc", "Prevalence": "prevalence"}  # fmt: skip
        given = {name for head, name in heads.items() if re.search(r"\d", row[head])}
        assert set(report.scores) == given
        refused = {head for head in heads if row[head] and not re.search(r"\d", row[head])}
        assert {head for head in refused if f"{head}: not reported" in report.ignored} == refused
        accuracy = row["Acc (%)"].replace(",", ".")
        plain = re.match(r"[\d.]+", accuracy)
        assert plain is not None
        assert report.scores["accuracy"].startswith(plain[0] + ("%" if float(plain[0]) > 1 else ""))


@pytest.mark.parametrize("name", ["messy.csv", "messy_merged.csv"])
def test_every_row_of_the_messy_sheet(name: str) -> None:
    same_as_sheet(read(CORPUS / name), messy(name))


def test_the_messy_sheet_in_other_dialects(tmp_path: Path) -> None:
    rows = list(csv.reader(io.StringIO((CORPUS / "messy.csv").read_text(encoding="utf-8"))))
    text = io.StringIO()
    csv.writer(text, delimiter=";").writerows(rows)
    expected = messy("messy.csv")
    for name, encoding in (("bom.csv", "utf-8-sig"), ("latin.csv", "cp1252")):
        path = tmp_path / name
        path.write_bytes(text.getvalue().encode(encoding, errors="replace"))
        same_as_sheet(read(path), expected)


@pytest.mark.parametrize("name", ["messy.csv", "messy_merged.csv"])
def test_the_messy_sheet_as_a_workbook(name: str, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl writes the workbook")
    book = openpyxl.Workbook()
    for row in csv.reader(io.StringIO((CORPUS / name).read_text(encoding="utf-8"))):
        # People type numbers as numbers; a sheet then shows 0.740 as 0.74.
        book.active.append([int(text) if text.isdigit() else text for text in row])
    path = tmp_path / "messy.xlsx"
    book.save(path)
    same_as_sheet(read(path), messy(name))


def test_verdicts_of_the_messy_sheet() -> None:
    """Rows 10, 20, 30 and 40 are of no test set of their sizes; a few of the others stand for all that are true.

    Some average could have their scores; only who says that there was one test set learns that they are impossible.
    """
    reports = read(CORPUS / "messy.csv")
    for number in (1, 2, 4, 5, 6, 7, 9, 10, 17, 18, 19, 20, 30, 39, 40):
        report = reports[number - 1]
        sizes = {"total": report.total, "positives": report.positives}
        claim = {**report.scores, **{name: size for name, size in sizes.items() if size is not None}}
        found = ff.recover(claim, bounds="none").verdict
        assert (found == "unexplained") == (number % 10 == 0), number
        assert found != "impossible", number
        if number % 10 == 0:
            assert ff.recover(claim, folds="none", bounds="none").verdict == "impossible", number
