"""One article, set by three programs: the same findings as from its source."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import fourfold as ff

from ..printed import ARTICLE, FOLDS, METHODS, PROGRAMS, SMALL, Tabled, Words, as_page, installed

NAMES = {row[0] for table in (METHODS, FOLDS, SMALL) for row in table}


def findings(document: str | Path) -> list[tuple[Any, ...]]:
    """Return what is said about each report, in order; where it stands is not the same in all documents."""
    found = []
    for one in ff.check(document).findings:
        report = one.report.to_dict() | {"where": None, "table": None}
        # A caption that no row names may be cut into lines.
        report["title"] = report["title"] if report["title"] in NAMES else ""
        found.append((one.verdict, one.words, one.report.kind, report))
    return found


@cache
def of_the_source() -> list[tuple[Any, ...]]:
    return findings(as_page(ARTICLE))


def test_the_article_has_what_it_should() -> None:
    """Right scores are possible, and those that were made wrong are not."""
    pytest.importorskip("docx")
    verdicts = [finding[0] for finding in of_the_source()]
    kinds = [finding[2] for finding in of_the_source()]
    assert kinds == ["scores"] * 4 + ["classification report"] * 2 + ["matrix"] * 2 + ["scores"] * 5
    assert verdicts[4:8] == ["possible", "impossible", "impossible", "possible"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_pdf_says_what_its_source_says(program: str, tmp_path: Path) -> None:
    pytest.importorskip("pdfplumber")
    pytest.importorskip("docx")
    if program not in installed():
        pytest.skip(f"{program} is not installed: it makes a PDF of the article")
    assert json.dumps(findings(PROGRAMS[program](ARTICLE, tmp_path))) == json.dumps(of_the_source())


def test_a_table_that_fills_pages(tmp_path: Path) -> None:
    """Columns of a table are not columns of text, and on the next page it has the same heads."""
    pytest.importorskip("pdfplumber")
    if not (programs := installed()):
        pytest.skip("none of the programs is installed that make PDFs")
    rows = [METHODS[0], *((f"Model {n}", *METHODS[1][1:]) for n in range(45))]
    wrapped = [(name, *cells) for name, *cells in rows[:5]]
    wrapped[2] = ("A model with a name that has many words, so many that no column is wide enough", *wrapped[2][1:])
    pages = [((Words("Results of all models."), Tabled("Table 1", rows)), 1), ((Tabled("Table 2", wrapped),), 1)]
    made = PROGRAMS[programs[-1]](pages, tmp_path)
    found = ff.read(made)
    assert [report.title for report in found] == [row[0] for row in (*rows[1:], *wrapped[1:])]
    assert {tuple(report.scores.values()) for report in found} == {METHODS[1][1:]}
