"""A review sheet as people keep them: every row read or refused with its reason, in every form; verdicts right."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import fourfold as ff
from fourfold.reports import Given
from fourfold.writers import write_verdicts

from ..conftest import SHARED, needs

MESSY, MERGED = SHARED / "corpus" / "messy.csv", SHARED / "corpus" / "messy_merged.csv"
#: Rows whose scores no test set of their sizes has.
WRONG = {"10", "20", "30", "40"}


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def written(path: Path, rows: list[list[str]], **form: Any) -> Path:
    encoding = form.pop("encoding", "utf-8")
    with path.open("w", encoding=encoding, newline="", errors="replace") as file:
        csv.writer(file, **form).writerows(rows)
    return path


def with_semicolons(folder: Path, rows: list[list[str]]) -> Path:
    return written(folder / "sheet.csv", rows, delimiter=";", encoding="utf-8-sig")


def in_latin_1(folder: Path, rows: list[list[str]]) -> Path:
    # What Latin-1 has no sign for is written by the signs that it has.
    plain = [[cell.replace("–", "-").replace("—", "-") for cell in row] for row in rows]
    return written(folder / "sheet.csv", plain, encoding="latin-1")


def with_tabs(folder: Path, rows: list[list[str]]) -> Path:
    return written(folder / "sheet.tsv", rows, delimiter="\t", encoding="utf-16")


def as_workbook(folder: Path, rows: list[list[str]]) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append([cell or None for cell in row])
    book.save(folder / "sheet.xlsx")
    return folder / "sheet.xlsx"


def as_workbook_of_numbers(folder: Path, rows: list[list[str]]) -> Path:
    """Write numbers as numbers with a format of as many digits, and heads over several columns as merged cells."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    for number, row in enumerate(rows, 1):
        filled = [place for place, text in enumerate(row, 1) if text]
        for place, text in enumerate(row, 1):
            if not text:
                continue
            cell = sheet.cell(number, place, text)
            if text.replace(".", "", 1).isdigit():
                cell.value = float(text) if "." in text else int(text)
                cell.number_format = "0." + "0" * len(text.partition(".")[2]) if "." in text else "0"
        if number < 3 and len(filled) < 5:
            for start, end in zip(filled, [*[place - 1 for place in filled[1:]], len(row)], strict=True):
                if end > start:
                    sheet.merge_cells(start_row=number, end_row=number, start_column=start, end_column=end)
    book.save(folder / "sheet.xlsx")
    return folder / "sheet.xlsx"


def said(path: Path) -> list[tuple[object, ...]]:
    """Return what each row of a sheet is read as, intervals with the same sign."""
    return [
        (dict(one.scores), one.total, one.positives, one.negatives, one.folds, one.title.split(", ")[0])
        for one in ff.read(path)
    ]


@needs(MESSY)
def test_verdicts_on_every_row(tmp_path: Path) -> None:
    # Row 23 is of the same kind as 3, 13 and 33, and takes longer than all others together.
    before = [row for row in rows_of(MESSY) if row[0] != "23"]
    found = write_verdicts(written(tmp_path / "messy.csv", before), tmp_path / "verdicts.csv")
    assert found.row_count == 39
    after = rows_of(tmp_path / "verdicts.csv")
    assert [row[: len(before[0])] for row in after[1:]] == before[1:]
    verdict = len(before[0])
    verdicts = {row[0]: row[verdict] for row in after[1:]}
    # Some average could have their scores, so nobody is accused.
    assert {ref for ref, told in verdicts.items() if told == "unexplained"} == WRONG
    assert set(verdicts.values()) <= {"possible", "conditional", "unexplained"}
    # A table that is the only one has the sizes that the row says.
    for row in after[1:]:
        if row[verdict + 2]:
            tp, fn, fp, tn = map(int, row[verdict + 2 : verdict + 6])
            total = int(row[4].removeprefix("n=").replace(",", ""))
            assert tp + fn + fp + tn == total
            assert row[5] in ("", "not reported") or tp + fn == int(row[5])
    assert [one.head for one in found.columns if not one.used] == ["Notes"]


@needs(MESSY)
def test_rows_of_one_test_set_are_impossible(tmp_path: Path) -> None:
    """Who says that there was one test set learns which rows cannot be."""
    head, *rows = rows_of(MESSY)
    held = [row for row in rows if row[head.index("Validation")] == "hold-out"]
    assert {row[0] for row in held} >= WRONG
    source = written(tmp_path / "messy.csv", [head, *held])
    write_verdicts(source, tmp_path / "verdicts.csv", Given(folds="none"))
    _, *after = rows_of(tmp_path / "verdicts.csv")
    assert {row[0] for row in after if row[len(head)] == "impossible"} == WRONG
    assert {row[len(head)] for row in after} == {"possible", "impossible"}


@needs(MERGED)
@pytest.mark.parametrize("source", [MESSY, MERGED], ids=["plain", "merged"])
@pytest.mark.parametrize("form", [with_semicolons, in_latin_1, with_tabs, as_workbook, as_workbook_of_numbers])
def test_every_form_says_the_same(tmp_path: Path, source: Path, form: Callable[[Path, list[list[str]]], Path]) -> None:
    expected = said(MESSY)
    assert len(expected) == 40
    assert said(source) == expected
    assert said(form(tmp_path, rows_of(source))) == expected
