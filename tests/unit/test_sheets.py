"""Sheets with a verdict beside each row: what is kept, what is added, and how work continues after an interruption."""

from __future__ import annotations

import csv
import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from fourfold import cli
from fourfold.answers import document
from fourfold.batch import PartFile, Stopped
from fourfold.errors import InputError, MissingExtra
from fourfold.reports import sheets as reading
from fourfold.reports.judging import Given
from fourfold.reports.sheets import VERDICT_COLUMNS
from fourfold.writers import write_verdicts

# Of 100 cases 40 are positive: 85 right of 100 is 85.0 per cent, and nothing is 85.55.
SEMICOLONS = """Review of 2024;;;;;
;;;;;
Study;N;No. pos;Acc (%);Sens.;Runtime (s)
"Å; first";200;50;83,5;0,740;12
B;100;40;85,55;0,80;13
C;;;NR;NR;14
Deep learning;;;;;
 D;100.0;40.0;85,0;0,80;=1+1
;;;;;
"""
ONE_SET = Given(folds="none")
HEADS = "study,N,No. pos,Accuracy,Recall\n"


def read(path: Path, delimiter: str = ",") -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file, delimiter=delimiter))


def column(rows: list[list[str]], name: str) -> list[str]:
    head = next(row for row in rows if name in row)
    return [row[head.index(name)] if row else "" for row in rows]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_rows_of_text_are_kept_as_they_are(tmp_path: Path, encoding: str) -> None:
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_bytes(SEMICOLONS.encode(encoding))
    found = write_verdicts(source, output, ONE_SET)
    assert output.read_bytes().startswith(b"\xef\xbb\xbf")
    rows = read(output, ";")
    before = list(csv.reader(SEMICOLONS.splitlines(), delimiter=";"))
    before[7][5] = f"'{before[7][5]}"  # a formula becomes a text
    assert [row[:6] for row in rows] == before
    assert tuple(rows[2][6:]) == VERDICT_COLUMNS
    verdicts = ["", "", "verdict", "possible", "impossible", "not read", "not read", "possible", ""]
    assert column(rows, "verdict") == verdicts
    assert rows[3][8:12] == ["37", "13", "20", "130"]
    assert column(rows, "error")[5:7] == ["no score is printed in it", "it has no numbers"]
    assert "Runtime (s): not a known score" in column(rows, "not used")[3]
    assert (found.empty_rows, found.counts["impossible"], found.verdict) == (2, 1, "impossible")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "out.csv"]


def test_the_most_frequent_verdict_comes_first(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text(HEADS + "a,100,40,0.8555,0.80\nb,100,40,0.85,0.80\nc,100,40,0.86,0.80\n")
    assert document(write_verdicts(path, tmp_path / "out.csv", ONE_SET)).title == "3 rows: 2 possible, 1 impossible"


def test_columns_are_told_by_what_they_were_taken_for(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(SEMICOLONS)
    found = write_verdicts(tmp_path / "in.csv", tmp_path / "out.csv", ONE_SET)
    meanings = {one.head: (one.column, one.meaning, one.used) for one in found.columns}
    assert meanings["Acc (%)"] == ("D", "accuracy, in per cent", True)
    assert meanings["No. pos"] == ("C", "actual positives", True)
    assert meanings["Runtime (s)"] == ("F", "not used: not a known score", False)
    assert "Runtime (s)" in str(found)


def test_a_short_row_and_a_long_one_and_an_open_quote(tmp_path: Path) -> None:
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(HEADS + 'A,100,40\n"B,100,40,0.85,0.80\nC,100,40,0.85,0.80,more\n')
    write_verdicts(source, output, ONE_SET)
    rows = read(output)
    assert [len(row) for row in rows] == [6 + len(VERDICT_COLUMNS)] * 4
    assert column(rows, "verdict")[1:] == ["not read", "possible", "possible"]
    assert rows[2][0] == '"B'
    assert rows[3][5] == "more"


def test_sep_in_the_first_line_and_tabs(tmp_path: Path) -> None:
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("sep=;\nstudy;N;No. pos;Accuracy\nA;100;40;0,8555\n")
    write_verdicts(source, output, ONE_SET)
    assert output.read_text(encoding="utf-8-sig").startswith("sep=;\nstudy;")
    assert read(output, ";")[2][4] == "impossible"
    (tmp_path / "in.tsv").write_text("study\tN\tNo. pos\tAccuracy\nA\t100\t40\t0,8555\n")
    write_verdicts(tmp_path / "in.tsv", tmp_path / "out.tsv", ONE_SET)
    assert column(read(tmp_path / "out.tsv", "\t"), "verdict") == ["verdict", "impossible"]


def test_a_column_of_the_same_name_stays(tmp_path: Path) -> None:
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("study,N,No. pos,Accuracy,Verdict,error\nA,100,40,0.8555,fine,=2\n")
    found = write_verdicts(source, output, ONE_SET)
    head, row = read(output)
    assert head[4:8] == ["Verdict", "error", "verdict (fourfold)", "why"]
    assert row[4:7] == ["fine", "'=2", "impossible"]
    assert [note.code for note in found.notes] == ["columns_renamed"]


def test_what_a_head_says_is_no_formula(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("study,N,No. pos,Accuracy,=HYPERLINK()\nA,100,40,0.85,x\n")
    write_verdicts(source, tmp_path / "out.csv", ONE_SET)
    assert column(read(tmp_path / "out.csv"), "not used")[1].startswith("'=HYPERLINK")


def long_sheet(path: Path, rows: int = 260) -> None:
    """Write a sheet longer than what is looked at together; every 20th row is impossible, every 50th is empty."""
    lines = [
        ",,,," if n % 50 == 49 else f"Study {n},100,40,{'0.8555' if n % 20 == 7 else '0.85'},0.80" for n in range(rows)
    ]
    path.write_text(HEADS + "\n".join(lines) + "\n")


def test_a_long_sheet_is_read_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    monkeypatch.setattr(reading, "_PIECE", 100)
    monkeypatch.setattr(reading, "_CONTEXT", 10)
    long_sheet(source)
    found = write_verdicts(source, output, ONE_SET)
    assert found.counts == {"possible": 242, "impossible": 13}
    assert found.empty_rows == 5
    assert len(found.columns) == 5
    rows = read(output)
    assert len(rows) == 261
    assert [n for n, row in enumerate(rows[1:]) if row[5] == "impossible"] == [*range(7, 260, 20)]


class Stop:
    """Interrupts after some rows, as a signal does."""

    def __init__(self, rows: int) -> None:
        self.left = rows

    def __call__(self, share: float) -> None:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


@pytest.mark.parametrize("after", [1, 50, 118, 200])
def test_an_interrupted_sheet_goes_on(tmp_path: Path, after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source, output, whole = tmp_path / "in.csv", tmp_path / "out.csv", tmp_path / "whole.csv"
    monkeypatch.setattr(reading, "_PIECE", 60)
    long_sheet(source)
    with pytest.raises(Stopped, match="The same command continues from here"):
        write_verdicts(source, output, given=ONE_SET, progress=Stop(after))
    assert not output.exists()
    part = read(tmp_path / "out.csv.part")
    assert len(part) == after + 1
    assert all(len(row) == len(part[0]) for row in part)
    judged: list[int] = []
    judge = reading._row_verdict
    noting = lambda work, **said: (judged.append(work[0].number), judge(work, **said))[1]  # noqa: E731
    monkeypatch.setattr(reading, "_row_verdict", noting)
    found = write_verdicts(source, output, ONE_SET)
    assert len(judged) == 255 - after
    assert [note.code for note in found.notes] == ["sheet_resumed"]
    write_verdicts(source, whole, ONE_SET)
    assert output.read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "out.csv", "whole.csv"]


@pytest.mark.parametrize("changed", ["sheet", "given", "manifest", "part"])
def test_what_was_changed_starts_anew(tmp_path: Path, changed: str) -> None:
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    long_sheet(source, 60)
    with pytest.raises(Stopped):
        write_verdicts(source, output, given=ONE_SET, progress=Stop(10))
    given = Given(folds="none", rounding="half_up") if changed == "given" else ONE_SET
    if changed == "sheet":
        long_sheet(source, 40)
    elif changed == "manifest":
        (tmp_path / "out.csv.part.json").write_text("{")
    elif changed == "part":
        (tmp_path / "out.csv.part").write_text("")
    found = write_verdicts(source, output, given)
    assert [note.code for note in found.notes] != ["sheet_resumed"]
    assert len(read(output)) == (41 if changed == "sheet" else 61)
    if changed in ("sheet", "given"):
        assert [note.code for note in found.notes] == ["sheet_started_anew"]


def test_a_row_that_was_half_written_is_written_again(tmp_path: Path) -> None:
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    long_sheet(source, 60)
    with pytest.raises(Stopped):
        write_verdicts(source, output, given=ONE_SET, progress=Stop(10))
    with (tmp_path / "out.csv.part").open("a") as part:
        part.write(',11,"Study 10')
    write_verdicts(source, output, ONE_SET)
    assert len(read(output)) == 61


def test_a_full_disk_is_said_and_what_is_done_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    monkeypatch.setattr(reading, "_PIECE", 20)
    long_sheet(source, 60)
    add, left = PartFile.add, [30]

    def full(part: PartFile, data: bytes, *rest: Any) -> None:
        left[0] -= bool(data)
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        add(part, data, *rest)

    monkeypatch.setattr(PartFile, "add", full)
    with pytest.raises(InputError, match=r"cannot be written \(no space left on device\).* continues from here"):
        write_verdicts(source, output, ONE_SET)
    assert not output.exists()
    left[0] = 1000
    assert write_verdicts(source, output, ONE_SET).row_count == 59
    # The line of heads is written once.
    assert left[0] == 1000 - 30


def test_several_processes_give_the_same(tmp_path: Path) -> None:
    long_sheet(tmp_path / "in.csv", 60)
    write_verdicts(tmp_path / "in.csv", tmp_path / "one.csv", ONE_SET)
    write_verdicts(tmp_path / "in.csv", tmp_path / "two.csv", given=ONE_SET, n_jobs=2)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


def test_signals_stop_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    long_sheet(tmp_path / "in.csv", 60)
    judge, before = reading._row_verdict, signal.getsignal(signal.SIGTERM)

    def ended(work: tuple[reading.SheetRow, Any], **said: Any) -> reading.RowVerdict:
        if work[0].number == 20:
            signal.raise_signal(signal.SIGTERM)
        return judge(work, **said)

    monkeypatch.setattr(reading, "_row_verdict", ended)
    with pytest.raises(SystemExit) as stopped:
        cli.main(["check", str(tmp_path / "in.csv"), "-o", str(tmp_path / "out.csv")])
    assert stopped.value.code == cli.EXIT_INTERRUPTED
    assert "Stopped after 19 rows of 61" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGTERM) is before


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stopped:
        cli.main([str(argument) for argument in arguments])
    return int(stopped.value.code or 0)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(SEMICOLONS)
    assert run("check", source, "-o", output, "--html", tmp_path / "out.html", "--json", "--folds", "none") == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["row_count"], found["counts"]["impossible"]) == ("fourfold/sheet_check", 5, 1)
    assert found["impossible"][0]["where"] == "line 5"
    assert run("check", source, "-o", output, "--fail-on", "never") == 0
    page = (tmp_path / "out.html").read_text()
    assert page.count("<details") == 5
    assert "<script" not in page
    assert "Runtime (s): not a known score" in page


def test_sizes_that_are_given_hold_for_all_rows(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("study,Accuracy,Recall\nA,0.85,0.80\nB,0.8555,0.80\n")
    assert (
        run("check", source, "-o", tmp_path / "out.csv", "--positives", "40", "--negatives", "60", "--folds", "none")
        == 1
    )
    assert column(read(tmp_path / "out.csv"), "verdict")[1:] == ["possible", "impossible"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["in.csv", "-o", "in.csv"], "would overwrite the data"),
        (["in.csv", "in2.csv", "-o", "out.xlsx"], "findings are written as CSV"),
        (["-", "-o", "out.csv"], "works only with files"),
        (["in.csv", "-o", "out.pdf"], "is not a format that can be written"),
        (["in.md", "-o", "out.xlsx"], "findings are written as CSV"),
        (["nowhere.csv", "-o", "out.csv"], "cannot be read"),
        (["in.csv", "-o", "no/such/out.csv"], "cannot be written"),
        (["words.csv", "-o", "out.csv"], "no scores of a classifier were found"),
        (["in.csv", "-o", "out.csv", "--jobs", "0"], "must not be 0"),
        (["in.csv", "-o", "out.csv", "--fail-on", "x"], "unknown word"),
    ],
)
def test_bad_calls(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("in.csv", "in2.csv", "in.md"):
        Path(name).write_text(SEMICOLONS)
    Path("words.csv").write_text("a,b\nhello,there\n")
    before = sorted(tmp_path.iterdir())
    assert run("check", *arguments) == 2
    error = capsys.readouterr().err
    assert words in error
    assert ". Hint: " in error
    assert sorted(tmp_path.iterdir()) == before


# Workbooks


def workbook(path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    from openpyxl.styles import Font

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Studies"
    sheet["B2"] = "Review"
    sheet.merge_cells("B2:F2")
    for place, head in enumerate(["Study", "N", "No. pos", "Acc", "Sens.", "Year"], 2):
        sheet.cell(3, place, head).font = Font(bold=True)
    rows = [["A", 200, 50, 0.835, 0.74, 2020], ["B", 100, 40, 0.8555, 0.8, 2021], ["C", 100, 40, 0.85, 0.8, 2022]]
    for number, row in enumerate(rows, 4):
        for place, value in enumerate(row, 2):
            sheet.cell(number, place, value)
        sheet.cell(number, 5).number_format = "0.00%" if number == 5 else "0.0%"
        sheet.cell(number, 6).number_format = "0.000" if number == 4 else "0.00"
    sheet["C8"] = "=SUM(C4:C6)"
    sheet.column_dimensions["B"].width = 33
    book.create_sheet("read as")["A1"] = "mine"
    book.save(path)


def test_a_workbook_keeps_what_it_has(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    workbook(tmp_path / "in.xlsx")
    found = write_verdicts(tmp_path / "in.xlsx", tmp_path / "out.xlsx", ONE_SET)
    assert found.counts == {"possible": 2, "impossible": 1}
    assert found.impossible[0].where == "Studies, row 5"
    book = openpyxl.load_workbook(tmp_path / "out.xlsx")
    assert book.sheetnames == ["Studies", "read as", "read as (2)"]
    assert book["read as"]["A1"].value == "mine"
    sheet = book["Studies"]
    assert [cell.value for cell in sheet[3]][7:9] == ["verdict", "why"]
    assert sheet["H3"].font.bold
    assert [sheet.cell(row, 8).value for row in (4, 5, 6, 8)] == ["possible", "impossible", "possible", None]
    assert [sheet.cell(4, column).value for column in range(10, 14)] == [37, 13, 20, 130]
    assert (sheet["C8"].value, sheet["E5"].value, sheet["E5"].number_format) == ("=SUM(C4:C6)", 0.8555, "0.00%")
    assert [str(area) for area in sheet.merged_cells.ranges] == ["B2:F2"]
    assert sheet.column_dimensions["B"].width == 33
    told = list(book["read as (2)"].iter_rows(values_only=True))
    assert told[0] == ("sheet", "column", "head", "read as")
    assert ("Studies", "C", "N", "all cases") in told


def test_a_workbook_as_rows_and_rows_as_a_workbook(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    workbook(tmp_path / "in.xlsx")
    write_verdicts(tmp_path / "in.xlsx", tmp_path / "out.csv", ONE_SET)
    rows = read(tmp_path / "out.csv")
    assert [row[:5] for row in rows if row and row[0] == "B"] == [["B", "100", "40", "85.55%", "0.80"]]
    assert column(rows, "verdict")[3:6] == ["possible", "impossible", "possible"]
    (tmp_path / "in.csv").write_text(SEMICOLONS)
    write_verdicts(tmp_path / "in.csv", tmp_path / "back.xlsx", ONE_SET)
    book = openpyxl.load_workbook(tmp_path / "back.xlsx")
    assert book.sheetnames == ["rows", "read as"]
    cells = list(book["rows"].iter_rows(values_only=True))
    # Texts stay texts: 83,5 is no other number, and =1+1 no formula.
    assert cells[3][:7] == ("Å; first", "200", "50", "83,5", "0,740", "12", "possible")
    assert book["rows"]["F8"].data_type == "s"


def test_parts_that_are_not_kept_are_said(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    from openpyxl.chart import BarChart, Reference

    workbook(tmp_path / "plain.xlsx")
    book = openpyxl.load_workbook(tmp_path / "plain.xlsx")
    chart = BarChart()
    chart.add_data(Reference(book["Studies"], min_col=5, min_row=3, max_row=6))
    book["Studies"].add_chart(chart, "J2")
    book.save(tmp_path / "in.xlsx")
    found = write_verdicts(tmp_path / "in.xlsx", tmp_path / "out.xlsx", ONE_SET)
    [note] = found.notes
    assert note.code == "formats_not_kept"
    assert "charts" in note.text


def test_an_interrupted_workbook_goes_on(tmp_path: Path) -> None:
    workbook(tmp_path / "in.xlsx")
    with pytest.raises(Stopped):
        write_verdicts(tmp_path / "in.xlsx", tmp_path / "out.xlsx", given=ONE_SET, progress=Stop(2))
    found = write_verdicts(tmp_path / "in.xlsx", tmp_path / "out.xlsx", ONE_SET)
    assert (found.row_count, [note.code for note in found.notes]) == (3, ["sheet_resumed"])


def test_without_openpyxl_it_is_said_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in.csv").write_text(SEMICOLONS)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtra, match=r"fourfold\[documents\]"):
        write_verdicts(tmp_path / "in.csv", tmp_path / "out.xlsx", ONE_SET)
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]
