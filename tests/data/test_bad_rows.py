"""A bad row never stops the rest: it is left out and counted, or read as what it most likely is, and a note says so."""

from __future__ import annotations

import csv
import gzip
import io
import json
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import fourfold as ff
from fourfold import cli
from fourfold.data import aggregate, count_labels, count_paired, first_rows, read_probabilities, read_rows
from fourfold.questions import QUESTIONS, Asked, DataFile

HEADER = b"y,p,g\n"
#: 4 of 6 are right; 2 of 3 in each group.
GOOD = (b"1,1,a", b"0,0,b", b"1,0,a", b"0,0,b", b"1,1,a", b"0,1,b")
#: Rows that cannot be read, and what is said of them.
BAD = {
    "too few cells": (b"1,1", "too few or too many columns: 2 of 3 in line 5 of rows.csv"),
    "too many cells": (b"1,1,a,x", "too few or too many columns: 4 of 3 in line 5 of rows.csv"),
    "an open quote": (b'1,"1,a', "a quote that is not closed, or is closed within a cell: line 5 of rows.csv"),
    "an open quote at the end": (
        b'1,1,"a',
        "a quote that is not closed, or is closed within a cell: line 5 of rows.csv",
    ),
    "a quote within a cell": (
        b'1,"1"x,a',
        "a quote that is not closed, or is closed within a cell: line 5 of rows.csv",
    ),
}


def content(*bad: bytes, header: bytes = HEADER) -> bytes:
    return header + b"\n".join([*GOOD[:3], *bad, *GOOD[3:]]) + b"\n"


def as_zstandard(data: bytes) -> bytes:
    """Pack bytes as they are: a frame of one block (RFC 8878)."""
    return struct.pack("<IBB", 0xFD2FB528, 0, 0x58) + struct.pack("<I", len(data) << 3 | 1)[:3] + data


@pytest.fixture(params=["duckdb", "python", "gz", "zst"])
def written(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], Path]:
    """Write a file that is read with DuckDB, without it, or packed."""
    if request.param == "python":
        monkeypatch.setitem(sys.modules, "duckdb", None)

    pack = {"gz": gzip.compress, "zst": as_zstandard}.get(request.param)

    def write(data: bytes) -> Path:
        path = tmp_path / (f"rows.csv.{request.param}" if pack else "rows.csv")
        path.write_bytes(pack(data) if pack else data)
        return path

    return write


def said(notes: Any) -> list[str]:
    return [note.text.replace(".csv.gz", ".csv").replace(".csv.zst", ".csv") for note in notes]


@pytest.mark.parametrize("name", BAD)
def test_a_row_that_cannot_be_read_is_left_out_and_counted(written: Callable[[bytes], Path], name: str) -> None:
    row, words = BAD[name]
    path = written(content(row))
    found = aggregate(path, truth="y", prediction="p", by=["g"])
    assert {group: sum(pairs.values()) for group, pairs in found.pairs.items()} == {("a",): 3, ("b",): 3}
    assert said(found.notes) == [f"1 row left out because of {words}"]
    assert said(count_labels(path, truth="y", prediction="p").notes) == [f"1 row left out because of {words}"]
    assert sum(count_labels(path, truth="y", prediction="p").values()) == 6


def test_many_bad_rows_are_told_by_the_first(written: Callable[[bytes], Path]) -> None:
    found = aggregate(written(content(b'1,"1,a', b"1", b'0,"0,b', b"1,1,1,1")), truth="y", prediction="p")
    assert found.rows == 6
    assert said(found.notes) == [
        "2 rows left out because of a quote that is not closed, or is closed within a cell: the first is line 5 of rows.csv",
        "2 rows left out because of too few or too many columns: the first is 1 of 3 in line 6 of rows.csv",
    ]
    assert [note.data["rows"] for note in found.notes] == [2, 2]


def test_cells_over_several_lines_are_cells(written: Callable[[bytes], Path]) -> None:
    found = aggregate(written(content(b'1,1,"first\nsecond, ""third"""', b'"x')), truth="y", prediction="p", by=["g"])
    assert sum(found.pairs['first\nsecond, "third"',].values()) == 1
    assert found.rows == 7
    assert said(found.notes)[0].endswith("line 7 of rows.csv")


def test_a_quote_that_is_open_for_long_takes_one_row(
    written: Callable[[bytes], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fourfold.data.rows._MOST_CELL_LINES", 3)
    found = aggregate(written(content(b'1,1,"a') + b"1,1,c\n" * 9), truth="y", prediction="p", by=["g"])
    assert found.rows == 15


@pytest.mark.parametrize(
    ("bad", "code", "words"),
    [
        (b"1,1\n", "length_mismatch", "2 of 3 in line 2"),
        (b'1,"1,a\n', "bad_shape", "line 2 of"),
        (b",,\n", "bad_label", "1"),
    ],
)
def test_where_nothing_is_left_it_is_an_error(
    written: Callable[[bytes], Path], bad: bytes, code: str, words: str
) -> None:
    path = written(HEADER + bad)
    if code == "bad_label":
        with pytest.raises(ff.InputError, match="has a header but no rows"):
            count_labels(path, truth="y", prediction="p")
        return
    with pytest.raises(ff.InputError, match=words) as caught:
        aggregate(path, truth="y", prediction="p")
    assert caught.value.code == code


def test_single_letters_of_older_programs(written: Callable[[bytes], Path]) -> None:
    """A file of UTF-8 with a row in Latin-1: the label is the same one, and a byte that is no letter stays apart."""
    rows = b"y,p\n" + "müde,müde\n".encode() + b"m\xfcde,wach\n" + b"wach,wach\nx\x81,wach\nx\x8d,wach\n"
    path = written(rows)
    found = aggregate(path, truth="y", prediction="p")
    assert found.pairs[()]["müde", "müde"] == found.pairs[()]["müde", "wach"] == 1
    assert (found.rows, len(found.pairs[()])) == (5, 5)
    [note] = found.notes
    assert said([note]) == [
        "rows.csv is not in UTF-8: letters of 3 lines were read as Windows-1252 (Latin-1), the first is line 3"
    ]
    assert (note.code, note.data["encoding"], note.data["lines"]) == ("encoding_found", "WINDOWS-1252", 3)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_a_whole_file_of_older_programs(written: Callable[[bytes], Path], encoding: str) -> None:
    text = "größe,p\nüber,über\nunter,über\nüber,unter\n"
    found = count_labels(written(text.encode(encoding)), truth="größe", prediction="p")
    assert found == {("über", "über"): 1, ("unter", "über"): 1, ("über", "unter"): 1}
    assert said(found.notes)[0].endswith("letters of 4 lines were read as Windows-1252 (Latin-1), the first is line 1")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_what_spreadsheets_write_as_unicode(written: Callable[[bytes], Path], encoding: str) -> None:
    text = "größe\tp\nüber\tüber\nunter\tüber\n"
    path = written(text.encode(encoding))
    found = count_labels(path, truth="größe", prediction="p")
    assert found == {("über", "über"): 1, ("unter", "über"): 1}
    assert said(found.notes) == [f"rows.csv was read as {encoding[:6].upper()}"]
    assert list(first_rows(path, 2)) == ["größe", "p"]


def test_a_file_that_is_no_text_is_refused(written: Callable[[bytes], Path]) -> None:
    for data in (b"PK\x03\x04\x14\x00\x00\n\x00\xff", b"\xff\xfe\x00PAR1"):
        with pytest.raises(ff.InputError) as caught:
            aggregate(written(data), truth="y", prediction="p")
        assert caught.value.code in ("bad_shape", "unknown_column")


def test_rows_of_empty_cells_are_counted(written: Callable[[bytes], Path]) -> None:
    path = written(content(b",,", b"", b" , ,\t"))
    assert aggregate(path, truth="y", prediction="p").missing == {"y": 2}
    counts = count_labels(path, truth="y", prediction="p")
    assert sum(counts.values()) == 6
    assert said(counts.notes) == ["2 rows left out because of empty cells only: the first is line 5 of rows.csv"]


def test_the_page_and_python_say_it_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(content(b"1,1,M\xfcller", b'1,"1,a'))
    codes = ["rows_left_out", "encoding_found"]
    result = ff.audit(path, truth="y", prediction="p", by="g", metrics=["recall"])
    assert [note.code for note in result.notes if note.code in codes] == codes
    assert result.rows_read == 7
    for command in (["audit", "--by", "g"], ["score"]):
        with pytest.raises(SystemExit):
            cli.main([command[0], str(path), "--truth", "y", "--prediction", "p", *command[1:], "--json"])
        shown = json.loads(capsys.readouterr().out)
        assert [note["code"] for note in shown["notes"] if note["code"] in codes] == codes
        assert "line 6 of rows.csv" in shown["notes"][-2]["text"] + shown["notes"][0]["text"]


def test_standard_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What can be read once only: here a named pipe."""
    import os
    import threading

    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    thread = threading.Thread(target=pipe.write_bytes, args=(content(b"1,1,M\xfcller", b'1,"1,a', b"1"),))
    thread.start()
    counts = count_labels(pipe, truth="y", prediction="p")
    thread.join()
    assert sum(counts.values()) == 7
    assert [note.data.get("reason") for note in counts.notes] == ["quote", "columns", None]


def test_notes_name_files_as_the_caller_does(tmp_path: Path) -> None:
    """What was sent to the page is kept under another name."""
    (tmp_path / "upload-1.csv").write_bytes(content(b"1,1,M\xfcller", b"1"))
    asked = Asked({"truth": "y", "prediction": "p"}, [DataFile("Clinics.csv", str(tmp_path / "upload-1.csv"))])
    texts = said(QUESTIONS["score"].answer(asked).notes)
    assert texts == [
        "1 row left out because of too few or too many columns: 1 of 3 in line 6 of Clinics.csv",
        "Clinics.csv is not in UTF-8: letters of 1 line were read as Windows-1252 (Latin-1), line 5",
    ]


def test_which_model_is_surer_is_not_asked_of_rows_that_moved(tmp_path: Path) -> None:
    """Each file lacks another row, so that those left have the same labels in the same order, but of other cases."""
    for name, lost in (("one", 0), ("two", 1)):
        rows = [b"a,0.9,0.1", b"a,0.2,0.8", b"b,0.3,0.7", b"b,0.4,0.6"]
        rows[lost] += b",1"
        (tmp_path / f"{name}.csv").write_bytes(b"y,p_a,p_b\n" + b"\n".join(rows) + b"\n")
    files = [DataFile(name, str(tmp_path / f"{name}.csv")) for name in ("one", "two")]
    found = QUESTIONS["certainty"].answer(Asked({"truth": "y", "probabilities": "p_a,p_b"}, files))
    assert found.comparison is None
    assert any("some rows of one file could not be read" in note.text for note in found.notes)


PROBABILITIES = b"id,y,p_a,p_b\n1,a,0.75,0.25\n2,b,0.5,0.5\n3,b,0.25,0.75\n"


def test_certainty_of_the_other_rows(written: Callable[[bytes], Path]) -> None:
    """Aguilar-Ruiz: what lies on the predicted class is certain, here 0.75 + 0.5 + 0.75."""
    whole = ff.certainty.decompose_data(written(PROBABILITIES), truth="y", probabilities=["p_*"])
    path = written(PROBABILITIES + b'4,b,"0.5,0.5\n5,b,1\n6,\xfc,NA,NA,1\n')
    found = ff.certainty.decompose_data(path, truth="y", probabilities=["p_*"])
    assert found.weight_certain == whole.weight_certain == pytest.approx(2 / 3)
    assert sum(note.data["rows"] for note in found.notes if note.code == "rows_left_out") == 3
    rows = read_probabilities(path, truth="y", probabilities=["p_*"])
    assert rows.faults.places == [3, 4, 5]


def test_two_files_stay_side_by_side(tmp_path: Path) -> None:
    """Row 2 of the first and row 4 of the second cannot be read: three rows are compared, each with its fellow."""
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text('id,y,p\n1,1,1\n2,"1,0\n3,0,0\n4,1,1\n5,1,0\n')
    two.write_text("id,y,q\n1,1,0\n2,1,0\n3,0,0\n4,1\n5,1,1\n")
    expected = {("1", "1", "0"): 1, ("0", "0", "0"): 1, ("1", "0", "1"): 1}
    for key in (None, "id"):
        found = count_paired(one, two, truth="y", predictions=["p", "q"], key=key)
        assert found.kinds == {(): expected}
        assert [note.data["reason"] for note in found.notes] == ["quote", "columns"]
    two.write_text("id,y,q\n1,1,0\n2,1,0\n3,0,0\n")
    for key in (None, "id"):
        with pytest.raises(ff.InputError, match="both must have the same rows"):
            count_paired(one, two, truth="y", predictions=["p", "q"], key=key)


REVIEW = (
    b"study,positives,negatives,accuracy\nA,40.0,60.0,0.85\nM\xfcller,40,60,0.85\n,,,\n"
    b'C,40,60,"0.85\nD,40,60,0.9,1\nE,40,60,0.90\n'
)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "csv.zst"])
def test_a_review_keeps_all_other_verdicts(ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of 100 cases, 85 are right in 16 ways with 60 or fewer of the negatives, 90 in 11."""
    table, out = tmp_path / f"table.{ending}", tmp_path / "out.csv"
    pack = {"csv": bytes, "csv.gz": gzip.compress, "csv.zst": as_zstandard}[ending]
    table.write_bytes(pack(REVIEW))
    with pytest.raises(SystemExit) as caught:
        cli.main(["recover", "--table", str(table), "-o", str(out)])
    assert caught.value.code == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))
    told = [(row["study"], row["verdict"], row["count"]) for row in rows]
    assert told == [
        ("A", "possible", "16"),
        ("Müller", "possible", "16"),
        ("C", "error", ""),
        ("D", "error", ""),
        ("E", "possible", "11"),
    ]
    assert "row: has a quote that is not closed, or is closed within a cell, got line 5." in rows[2]["error"]
    assert "row: has more cells than the header, got ['1'] in line 6." in rows[3]["error"]
    shown = capsys.readouterr().out
    assert "1 empty row left out." in shown
    assert f"table.{ending} is not in UTF-8: letters of 1 line were read as Windows-1252 (Latin-1), line 3." in shown


def test_a_review_in_python(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_bytes(REVIEW)
    told = [(row["verdict"], row["count"]) for row in ff.review(read_rows(tmp_path / "table.csv"))]
    assert told == [("possible", 16), ("possible", 16), ("error", None), ("error", None), ("possible", 11)]


def test_a_file_of_one_line_is_not_called_empty(tmp_path: Path) -> None:
    """A header and no rows: DuckDB passes over a last line of more than 32 megabytes."""
    path = tmp_path / "wide.csv"
    path.write_text("y,p," + ",".join(letter * 9_000_000 for letter in "abcd"), "utf-8")
    with pytest.raises(ff.InputError, match="has no rows"):
        count_labels(str(path), truth="y", prediction="p")
    path.write_text("", "utf-8")
    with pytest.raises(ff.InputError, match="is empty"):
        count_labels(str(path), truth="y", prediction="p")
