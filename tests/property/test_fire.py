"""A small run of broken files through the real doors, and what once hurt a reader; scripts/fire.py makes the long runs."""

from __future__ import annotations

import gzip
import os
import struct
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

import fourfold as ff
from fourfold.data import count_labels, packing, rows
from fourfold.documents import blocks
from fourfold.reports import cells

from ..conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

pytest.importorskip("pyarrow")
pytest.importorskip("docx")

from mutated.hostile import Watched, hostile
from mutated.mutations import broken_file
from mutated.valid import KINDS, pdf, valid_files


@pytest.mark.parametrize("kind", KINDS)
def test_files_are_the_same_in_every_run(kind: str) -> None:
    assert broken_file(kind, Random("a")) == broken_file(kind, Random("a"))
    assert hostile(kind, Random("b")) == hostile(kind, Random("b"))
    assert all(file.data for file in valid_files(kind))


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory and watching of files are those of Linux")
def test_a_small_run_finds_nothing_and_notices_what_is_wrong(tmp_path: Path) -> None:
    from mutated.attack import Alarm, Asker

    (tmp_path / "given").mkdir()
    asker, alarm = Asker("json", tmp_path), Alarm(Watched(tmp_path / "secret.txt", port=0))
    try:
        random = Random("a small run")
        for _ in range(6):
            file = broken_file("json", random)
            path = tmp_path / "given" / f"a.{file.ending}"
            path.write_bytes(file.data)
            answer = asker.ask(path)
            assert answer["problem"] is None, (file, answer)
        assert alarm.rings() is None
        (tmp_path / "secret.txt").read_bytes()
        assert alarm.rings() is not None
        # A process that is gone is an answer, not the end of the run.
        assert asker.ask(tmp_path / "\0")["problem"] is not None
    finally:
        asker.close()
        alarm.close()


def test_a_number_of_thousands_of_digits_is_no_count() -> None:
    found = ff.check(f"tp={'9' * 5000}, tn=20, fp=13, fn=9. Accuracy: 0.{'3' * 5000}")
    assert found.verdict in ("not checked", "undecided", "possible", "impossible")
    assert ff.read(f"[[{10**25} 9]\n [16 53]]\nAccuracy: 0.9") is not None


def test_a_label_with_braces_is_not_a_format() -> None:
    table = "| | {x} | b |\n|---|---|---|\n| {x} | 5 | 5 |\n| b | 5 | 5 |"
    assert ff.check(f"Confusion matrix, accuracy: 0.5, recall: 0.5\n\n{table}").verdict == "possible"


def test_cells_that_span_all_are_refused_before_they_are_made() -> None:
    page = "<table>" + ("<tr>" + "<td rowspan=1000 colspan=1000>0.9" * 3) * 40 + "</table>"
    with pytest.raises(ff.TooLarge, match="too many cells"):
        list(blocks(page.encode(), name="a.html"))


def test_a_line_of_signs_takes_no_longer_than_its_length() -> None:
    # Twenty times the length took 400 times as long, which here would be an hour.
    assert ff.check("Results\n\nprecision recall f1-score support\n" + "(" * 60_000).verdict == "not checked"


def test_a_cell_of_thousands_of_digits_is_no_number() -> None:
    # The time that it took grew with the square of its length: here, more than an hour.
    assert cells.value("0" * 1_000_000) is cells.value("0.9 (" + "1" * 1_000_000) is None
    assert cells.value("0" * 1000) == "0" * 1000


def _repeated(text: bytes, times: int) -> bytes:
    """Return a zstandard file of a text and, as its last block, of one byte many times (RFC 8878)."""
    blocks = struct.pack("<I", len(text) << 3)[:3] + text + struct.pack("<I", times << 3 | 0b11)[:3] + b"\n"
    return struct.pack("<IBB", 0xFD2FB528, 0, 0x58) + blocks


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv.gz", gzip.compress(b"y,p,g\n" + b"1,1,1\n" * 200_000)),
        ("a.csv.zst", _repeated(b"y,p,g\n1,1,1\n", 100_000)),
    ],
)
def test_a_packed_file_that_unpacks_to_too_much_is_refused(
    name: str, data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    monkeypatch.setattr(packing, "_MOST_UNPACKED", 1 << 16)
    monkeypatch.setattr(packing, "_MOST_UNPACKED_TIMES", 10)
    monkeypatch.setattr(packing, "_BLOCK", 1 << 16)
    with pytest.raises(ff.TooLarge, match="unpacks to too much"):
        ff.audit(path, truth="y", prediction="p", by="g")


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_LONGEST_LINE", 1000)
    path = tmp_path / "a.csv"
    for text in ("a" * 5000, "accuracy,recall\n" + "1" * 5000):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ff.InputError, match="more than 1,000 characters"):
            list(rows.read_rows(path))


def test_blank_lines_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_MOST_BLANK", 1000)
    path = tmp_path / "a.csv"
    for end in ("\n", "\r\n"):
        for text in (f"{end * 1001}a,b{end}1,2", f"a,b{end}{end * 1001}1,2"):
            path.write_text(text, encoding="utf-8", newline="")
            with pytest.raises(ff.InputError, match="more than 1,000 lines in a row are blank"):
                list(rows.read_rows(path))
        path.write_text(f"{end * 1000}a,b{end * 1000}1,2{end * 1000}", encoding="utf-8", newline="")
        assert list(rows.read_rows(path)) == [{"a": "1", "b": "2"}]


@pytest.mark.parametrize(
    ("times", "said"), [(10_000_000, "has too much on page 1"), (1_000_001, "has too many commands on page 1")]
)
def test_a_page_that_unpacks_to_too_much_is_refused(times: int, said: str) -> None:
    # Packed twice: two kilobytes for millions of signs, each of which would be looked at.
    content = zlib.compress(zlib.compress(b"q " * times, 9), 9)
    page = b"<< /Length %d /Filter [/FlateDecode /FlateDecode] >>\nstream\n%b\nendstream" % (len(content), content)
    document = pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << >> >>",
        page,
    )
    with pytest.raises(ff.TooLarge, match=said):
        list(blocks(document, name="a.pdf"))


_LETTERS = b"begincmap 1 beginbfrange <00000000> <ffffffff> <00000020> endbfrange endcmap"
#: The tables of TrueType fonts that tell which letters a font has: all of them, in format 12 and, many times, in 4.
_ALL_LETTERS = struct.pack(">HHIII III", 12, 0, 28, 0, 1, 0, 0xFFFFFFFF, 0)
_MANY_TIMES = struct.pack(">HHH HHHH", 4, 0, 0, 200, 0, 0, 0) + b"\xff\xfe" * 100 + bytes(2 + 3 * 200)


def _true_type(table: bytes) -> bytes:
    parts = struct.pack(">4s HHHH 4sIII HH HHI", b"true", 1, 0, 0, 0, b"cmap", 0, 28, 99, 0, 1, 3, 10, 12)
    return parts + table


def _with_font(inside: bytes, letters: bytes, drawn: bool) -> bytes:
    """Return a PDF that uses a font on its page, or in a drawing on it."""
    fonts = b"/Resources << /Font << /F1 5 0 R >> >>"
    text = b"BT /F1 10 Tf 72 700 Td (accuracy 0.91) Tj ET"
    page, shown = (b"/Resources << /XObject << /X 7 0 R >> >>", b"/X Do") if drawn else (fonts, text)
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] " + fonts
    told = b"/ToUnicode 8 0 R" if letters.startswith(b"begin") else b""
    return pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R %b >>" % page,
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(shown), shown),
        b"<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /DescendantFonts [6 0 R] %b >>" % told,
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A "
        b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) >> %b >>" % inside,
        b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(text), form, text),
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(letters), letters),
    )


@pytest.mark.parametrize(
    ("inside", "letters"),
    [
        (b"/W [0 99999999 1]", b""),
        (b"/W2 [0 99999999 1 1 1]", b""),
        (b"", _LETTERS),
        (b"", _LETTERS.replace(b"bf", b"cid").replace(b"<00000020>", b"32")),
        (b"/FontDescriptor << /FontFile2 8 0 R >>", _true_type(_ALL_LETTERS)),
        (b"/FontDescriptor << /FontFile2 8 0 R >>", _true_type(_MANY_TIMES)),
    ],
)
@pytest.mark.parametrize("drawn", [False, True])
def test_a_font_of_millions_of_characters_is_refused(inside: bytes, letters: bytes, drawn: bool) -> None:
    # 839 bytes took gigabytes of memory: each character of a range was listed.
    with pytest.raises(ff.TooLarge, match="has fonts with too many characters"):
        list(blocks(_with_font(inside, letters, drawn), name="a.pdf"))


def test_a_font_of_all_characters_is_read() -> None:
    # What programs write for a font of any script: 65,536 characters in one range.
    letters = _LETTERS.replace(b"00000000", b"0000").replace(b"ffffffff", b"ffff").replace(b"00000020", b"0000")
    assert list(blocks(_with_font(b"/W [0 65535 500]", letters, drawn=False), name="a.pdf"))


_TOO_MUCH = 65 << 20


def _deflated(window: int) -> bytes:
    squeeze = zlib.compressobj(9, zlib.DEFLATED, window)
    return squeeze.compress(bytes(_TOO_MUCH)) + squeeze.flush()


def _by_lzw() -> bytes:
    """Return zeros as LZW has them: each code stands for one zero more, until the table is full and begins anew."""
    bits = []
    for _ in range(_TOO_MUCH // sum(range(2, 3838)) + 1):
        bits += ["100000000", "000000000"]
        bits += [f"{code:0{9 + (code > 510) + (code > 1022) + (code > 2046)}b}" for code in range(258, 4095)]
        bits.append("000100000000")  # begin anew, in twelve bits
    text = "".join(bits)
    text += "0" * (-len(text) % 8)
    return int(text, 2).to_bytes(len(text) // 8)


_PACKED: dict[str, tuple[bytes, Callable[[], bytes]]] = {
    "small window": (b"/FlateDecode", lambda: _deflated(9)),
    "large window": (b"/FlateDecode", lambda: _deflated(15)),
    "twice": (b"[/FlateDecode /FlateDecode]", lambda: zlib.compress(_deflated(15))),
    "LZW": (b"/LZWDecode", _by_lzw),
    "runs": (b"/RunLengthDecode", lambda: bytes([129, 0]) * (_TOO_MUCH // 128)),
    "digits": (b"[/AHx /RL]", lambda: b"8100" * (_TOO_MUCH // 128)),
    "lines": (b"/FlateDecode /DecodeParms << /Predictor 15 /Columns 999999999 >>", lambda: zlib.compress(b"a" * 99)),
    "fax": (b"/CCITTFaxDecode /DecodeParms << /K -1 /Columns 999999999 >>", lambda: b"\xff" * 99),
}


@pytest.mark.parametrize("how", _PACKED)
@pytest.mark.parametrize("used", ["page", "drawing", "font", "places"])
def test_what_unpacks_to_too_much_is_refused(how: str, used: str) -> None:
    filters, packed = _PACKED[how][0], _PACKED[how][1]()
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9]" if used == "drawing" else b""
    told = b"/Type /XRef /Size 9 /W [1 1 1] /Root 1 0 R" if used == "places" else form
    stream = b"<< %b /Length %d /Filter %b >>\nstream\n%b\nendstream" % (told, len(packed), filters, packed)
    shown = b"BT /F1 10 Tf 72 700 Td (accuracy 0.91) Tj ET /X Do"
    document = pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
        b"/Resources << /Font << /F1 5 0 R >> /XObject << /X %d 0 R >> >> >>"
        % (6 if used == "page" else 4, 6 if used == "drawing" else 7),
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(shown), shown),
        b"<< /Type /Font /Subtype /TrueType /BaseFont /A /ToUnicode %d 0 R >>" % (6 if used == "font" else 7),
        stream,
    )
    if used == "places":
        document = document[: document.rindex(b"startxref")] + b"startxref\n%d\n%%%%EOF" % document.index(b"6 0 obj")
    with pytest.raises(ff.TooLarge, match="has a part that unpacks to too much"):
        list(blocks(document, name="a.pdf"))


@pytest.mark.parametrize(
    "text",
    [
        '{"outputs": [{"accuracy": 0.83, "text": ["matrix\\n", "x\\n", "[[18 2]\\n", " [3 7]]\\n"]}]}',
        "Accuracy: 0.83, confusion matrix&#10;&#10;[[18 2]&#10; [3 7]]",
    ],
)
def test_a_line_break_within_a_text_ends_its_line(text: str) -> None:
    # The matrix was looked for in a line that is not there. 25 of its 30 cases are right.
    assert ff.check(text).verdict == "possible"


@pytest.mark.parametrize(
    ("name", "row"),
    [
        # Each column may be the truth, and then all others are looked at for probabilities.
        ("c", ["0", "1"]),
        # All columns around the two of the labels may be classes without a case: none is one, as the rows sum to less.
        ("y,no,yes,c", ["no,0.25,0.75", "yes,0.25,0.70"]),
    ],
)
def test_thousands_of_columns_are_looked_at_a_few_times_each(name: str, row: list[str], tmp_path: Path) -> None:
    # Five hundred columns took ten to twenty seconds, and ten times as many would a hundred times as long.
    *first, stem = name.split(",")
    names = [*first, *(f"{stem}{place}" for place in range(5000))]
    rows = [",".join([start, *["0"] * (len(names) - len(first) - (not first))]) for start in row * 4]
    path = tmp_path / "a.csv"
    path.write_text("\n".join([",".join(names), *rows]), encoding="utf-8")
    assert len(ff.reports.preview(path).columns) in (0, len(names))


def test_a_report_with_thousands_of_empty_columns_is_read(tmp_path: Path) -> None:
    # A cell far to the right of a sheet makes 16,384 columns: each was compared with all others, more than 20 seconds.
    rows = ["Class,Precision,Recall,F1-score,Support", "a,0.857,0.900,0.878,20", "b,0.778,0.700,0.737,10"]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(row + "," * 60_000 + "x" for row in rows), encoding="utf-8")
    [report] = ff.read(path)
    assert (len(report.classes), report.total) == (2, 30)


def test_what_one_question_sets_or_breaks_is_gone_in_the_next(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for label in ("one", "two"):
        # The same name, size and time: what was read before must not be read again.
        path.write_text(f"y,p\n{label},{label}\n", encoding="utf-8")
        os.utime(path, (1, 1))
        assert count_labels(path, truth="y", prediction="p", progress=print) == {(label, label): 1}
    broken = tmp_path / "a.parquet"
    broken.write_bytes(b"PAR1 is broken PAR1")
    with pytest.raises(ff.InputError):
        count_labels(broken, truth="y", prediction="p")
    assert count_labels(path, truth="y", prediction="p") == {("two", "two"): 1}


def test_a_long_cell_that_spans_many_rows_is_looked_at_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands in each of 500 rows, and took half a millisecond for each."""
    looked_at: list[str] = []
    plain = cells.plain
    monkeypatch.setattr(cells, "plain", lambda cell: (looked_at.append(cell), plain(cell))[1])
    words = "TP or not " * 99
    rows_of_counts = "<tr><td>TP: 7<td>FN: 3</tr><tr><td>FP: 2<td>TN: 18</tr>" + "<tr><td><td></tr>" * 498
    ff.read(f"<table>{rows_of_counts.replace('<tr>', f'<tr><td rowspan=500>{words}', 1)}</table>")
    assert 1 <= looked_at.count(words.strip()) < 500
