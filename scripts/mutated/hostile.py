"""Files made to hurt a reader of their kind: bombs, entities, paths that lead elsewhere, sizes that lie."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from tempfile import gettempdir
from typing import Final, NamedTuple

from .valid import KINDS, File, packed, parts_of, pdf, valid_files

_PORT: Final = 48613
_MEGABYTE: Final = 1 << 20


class Watched(NamedTuple):
    """A file that nothing may open, and a port of this machine that nothing may call."""

    secret: Path
    port: int

    @property
    def address(self) -> str:
        """What would be called."""
        return f"http://127.0.0.1:{self.port}/x"


def watched(kind: str) -> Watched:
    """Return what is watched while files of a kind are read: its own, so that several kinds can be run at once."""
    return Watched(Path(gettempdir(), "fourfold-fire", kind, "secret.txt"), _PORT + KINDS.index(kind))


def hostile(kind: str, random: Random) -> File | None:
    """Return a hostile file of a kind, if any is known."""
    makers = _MAKERS.get(kind)
    return random.choice(makers)(random) if makers else None


@cache
def _zeros(megabytes: int) -> bytes:
    """Return that many megabytes of one letter, deflated."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    return b"".join([*(squeeze.compress(b"a" * _MEGABYTE) for _ in range(megabytes)), squeeze.flush()])


def _office(random: Random, kind: str) -> dict[str, bytes]:
    return parts_of(random.choice(valid_files(kind)).data)


def _main_part(parts: Mapping[str, bytes]) -> str:
    known = ("xl/worksheets/sheet1.xml", "word/document.xml", "content.xml")
    return next(name for name in known if name in parts)


def _entities(kind: str) -> Callable[[Random], File]:
    def make(random: Random) -> File:
        parts = _office(random, kind)
        name = random.choice([name for name in parts if name.endswith((".xml", ".rels"))])
        parts[name] = with_entities(parts[name], watched(kind), random)
        return File(kind, packed(parts))

    return make


def with_entities(xml: bytes, watched: Watched, random: Random) -> bytes:
    """Declare entities in a document, and use one: those that grow, and those that come from elsewhere."""
    grown = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    declared = random.choice(
        (
            f'<!ENTITY a0 "ha">{grown}',
            f'<!ENTITY a9 SYSTEM "file://{watched.secret}">',
            f'<!ENTITY a9 SYSTEM "{watched.address}">',
            f'<!ENTITY % b SYSTEM "{watched.address}"> %b; <!ENTITY a9 "x">',
            f'<!ENTITY a9 "{"x" * 100_000}">',
        )
    )
    # Also far from the start, where a quick look does not see it, and in an encoding that hides it.
    gap = b"<!--" + b" " * random.choice((1, 5000, 100_000)) + b"-->"
    head, sign, rest = xml.partition(b"?>") if xml.startswith(b"<?xml") else (b'<?xml version="1.0"', b"?>", xml)
    doctype = f"<!DOCTYPE x [{declared}]>".encode()
    place = rest.rfind(b"</")
    used = b"&a9;" * random.choice((1, 100))
    made = head + sign + gap + doctype + rest[:place] + used + rest[place:]
    if random.random() < 0.3:
        return made.decode("utf-8", errors="replace").replace('encoding="UTF-8"', "", 1).encode("utf-16")
    return made


def _bomb(kind: str) -> Callable[[Random], File]:
    def make(random: Random) -> File:
        """Return a part that unpacks to hundreds of megabytes; its stated size may be small."""
        parts = _office(random, kind)
        name = random.choice((_main_part(parts), random.choice(list(parts)), "xl/media/a.bin"))
        megabytes = random.choice((20, 300))
        stated = random.choice((megabytes * _MEGABYTE, 100))
        return File(kind, _with_raw(parts, name, _zeros(megabytes), stated))

    return make


def _with_raw(parts: Mapping[str, bytes], name: str, deflated: bytes, stated: int) -> bytes:
    """Pack parts, one of them already deflated, with a size that need not be true."""
    file = io.BytesIO(packed({other: content for other, content in parts.items() if other != name}))
    with zipfile.ZipFile(file, "a") as folder:
        start, info = folder.start_dir, zipfile.ZipInfo(name)
        info.compress_type, info.header_offset, info.CRC = zipfile.ZIP_DEFLATED, start, 0
        info.compress_size, info.file_size = len(deflated), min(stated, (1 << 32) - 2)
        file.seek(start)
        file.write(info.FileHeader() + deflated)
        folder.start_dir = file.tell()
        folder.filelist.append(info)
        folder.NameToInfo[name] = info
        folder._didModify = True  # type: ignore[attr-defined]
    return file.getvalue()


def _paths(kind: str) -> Callable[[Random], File]:
    def make(random: Random) -> File:
        """Return a document whose parts are named to leave the archive, come twice, or are named by links."""
        parts, (secret, _) = _office(random, kind), watched(kind)
        out = random.choice(
            (
                "../../../../../../../../tmp/out.xml",
                f"/{secret.parent}/out.xml",
                f"..{secret}",
                "a\\..\\b.xml",
                "x/" * 2000,
            )
        )
        content = parts[_main_part(parts)]
        names = [name for name in parts if name.endswith((".rels", "[Content_Types].xml", "workbook.xml"))]
        if names and random.random() < 0.5:
            name = random.choice(names)
            link = random.choice((f"../../..{secret}", f"file://{secret}", watched(kind).address)).encode()
            parts[name] = parts[name].replace(b"worksheets/sheet1.xml", link).replace(b'Target="', b'Target="' + link)
        return File(kind, packed({**parts, out: content}))

    return make


def _wide(kind: str) -> Callable[[Random], File]:
    def make(random: Random) -> File:
        """Return a sheet or document that says it is huge: merged, repeated or spanned cells, far places."""
        parts = _office(random, kind)
        # Each row takes its time, in every door: of those that are read there are not too many.
        name, huge = _main_part(parts), str(random.choice((20_000, 1_048_576, 10**9, 10**30))).encode()
        xml = parts[name]
        for old, new in (
            (b"</sheetData>", b'</sheetData><mergeCells><mergeCell ref="A1:XFD%b"/></mergeCells>' % huge),
            (b'r="C3"', b'r="XFD%b"' % huge),
            (b'<row r="3"', b'<row r="%b"' % huge),
            (b"<table:table-row>", b'<table:table-row table:number-rows-repeated="%b">' % huge),
            (b"<table:table-cell ", b'<table:table-cell table:number-columns-repeated="%b" ' % huge),
            (b"<table:table-cell ", b'<table:table-cell table:number-rows-spanned="%b" ' % huge[:7]),
            (b"<w:tcPr>", b'<w:tcPr><w:gridSpan w:val="%b"/>' % huge),
            (b"<w:tbl>", b"<w:tbl>" * 500),
            (b"<row ", b"<row " * 2000),
        ):
            if random.random() < 0.3:
                xml = xml.replace(old, new, random.choice((1, -1)))
        return File(kind, packed({**parts, name: xml}))

    return make


def _text_bombs(ending: str) -> Callable[[Random], File]:
    def make(random: Random) -> File:
        """Return a text with one line, cell, row or nest that is far too long."""
        size = random.choice((10_000, 200_000))
        unit = random.choice(
            (
                b",",
                b"a",
                b"1,",
                b'"',
                b"|",
                b"[",
                b'{"a":',
                b"(",
                b"<td>",
                b"&",
                b"\\",
                b"\n",
                b"0.9 ",
                b"% ",
                b"<b>",
                b"- ",
                b"{",
                b"$",
                b"*a",
                b"[[1 2]\n",
            )
        )
        head = random.choice(
            (b"", b"y,p,site\n", b"accuracy recall\n", b"| a | b |\n|---|---|\n", b"<table>", b"\\begin{tabular}{ll}")
        )
        return File(ending, head + unit * (size // len(unit)))

    return make


def _markup(ending: str, kind: str) -> Callable[[Random], File]:
    def make(random: Random) -> File:
        """Return markup that names files and addresses, or cells that span all."""
        secret, address = watched(kind).secret, watched(kind).address
        said = random.choice(
            (
                f"<!DOCTYPE html [<!ENTITY a SYSTEM 'file://{secret}'>]><html><p>&a; accuracy 0.9</p>",
                f"<html><img src='{address}'><link href='{address}'><iframe src='file://{secret}'></iframe>",
                f"<html><script>fetch('{address}')</script><table><tr><td>accuracy<td>0.9</table>",
                "<table><tr>" + "<td rowspan=999999 colspan=999999>0.9" * 200 + "</table>",
                "<table>" + "<tr><td rowspan=1000>a<td>0.9" * 3000,
                f"\\documentclass{{a}}\\input{{{secret}}}\\include{{{secret}}}"
                f"\\write18{{cat {secret}}}\\csvreader{{{secret}}}",
                "\\def\\a{\\b\\b}\\def\\b{\\a\\a}\\begin{tabular}{ll}\\a & 0.9 \\\\ \\end{tabular}",
                "\\newcommand{\\x}[1]{\\x{#1#1}}\\begin{tabular}{ll}\\x{a} & \\multicolumn{99999999}{c}{0.9} \\\\ "
                "\\end{tabular}",
                "\\begin{tabular}{*{999999999}{c}}a & 0.9 \\\\ \\end{tabular}" + "\\begin{tabular}{l}" * 3000,
                f"![a]({address})\n[a]: file://{secret}\n<{address}> accuracy: 0.9 {{% include '{secret}' %}}",
                f'{{"$ref": "file://{secret}", "accuracy": 1e99999, "recall": {"9" * 5000}, "__class__": "os.system"}}',
                '{"cells": [{"cell_type": "code", "outputs": [{"output_type": "stream", "text": '
                + "[" * 900
                + "]" * 900
                + "}]}]}",
                '{"cells": ' + "[" * 50_000,
            )
        )
        return File(ending, said.encode())

    return make


def _gz(random: Random) -> File:
    head = gzip.compress(b"y,p,site\n", mtime=0)
    # Each line takes its time, so of blank ones there are fewer: all doors together read a million a second.
    lines, sizes = random.choice(
        (
            (b"a" * 64, (1, 20, 60)),
            (b"yes,no,North\n" * 5, (1, 20, 60)),
            (b"\n" * 64, (1, 4)),
            (b'"' + b"a," * 32, (1, 20, 60)),
        )
    )
    size = random.choice(sizes)
    many = gzip.compress(lines * (size * _MEGABYTE // len(lines)), 9, mtime=0)
    return File("csv.gz", random.choice((head + many, many, many[:-5], head + many[:50], gzip.compress(many, mtime=0))))


def _zst(random: Random) -> File:
    """Return a frame of blocks that are one byte repeated: four bytes of file for 128 kB of text."""
    count = random.choice((1, 100, 3000))
    letter = random.choice((b"a", b"\n", b",", b"\x00"))
    block = struct.pack("<I", (128 << 10) << 3 | 1 << 1)[:3] + letter
    last = struct.pack("<I", 1 << 3 | 1 << 1 | 1)[:3] + b"\n"
    window = bytes([random.choice((0x38, 0x38, 0x00, 0xFF))])
    frame = struct.pack("<I", 0xFD2FB528) + b"\x00" + window + block * count + last
    return File("csv.zst", frame[: random.choice((len(frame), len(frame) - 3))])


def _parquet(random: Random) -> File:
    """Return a file whose end lies about its size, or whose numbers of rows and bytes do."""
    data = bytearray(random.choice(valid_files("parquet")).data)
    length = struct.unpack("<I", data[-8:-4])[0]
    match random.randrange(4):
        case 0:
            data[-8:-4] = struct.pack("<I", random.choice((0, 1, length * 2, 0x7FFFFFFF, 0xFFFFFFFF)))
        case 1:
            place = len(data) - 8 - random.randrange(1, length)
            data[place : place + 5] = b"\xff\xff\xff\xff\x0f"
        case 2:
            for _ in range(random.randrange(1, 9)):
                data[len(data) - 8 - random.randrange(1, length)] ^= 1 << random.randrange(8)
        case _:
            data[4 : 4 + random.randrange(1, 60)] = b"\xff" * random.randrange(1, 60)
    return File("parquet", bytes(data))


def _pdf(random: Random) -> File:
    page, secret = random.choice(_PDF_PAGES)(random), watched("pdf").secret
    kids = random.choice((b"[3 0 R]", b"[3 0 R]", b"[2 0 R 3 0 R]", b"[" + b"3 0 R " * 2000 + b"]"))
    font = random.choice(
        (
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            # A table of letters is looked up by name, and the name may be a path.
            b"<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /%b /DescendantFonts [6 0 R] >>"
            % str(secret.with_suffix("")).replace("/", "#2F").encode(),
            b"<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /..#2F..#2F..#2Fsecret /DescendantFonts [6 0 R] >>",
            b"<< /Type /Font /Subtype /TrueType /BaseFont /A /FirstChar 0 /LastChar 999999999 /Widths [1] >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R >>",
            b"<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /ToUnicode 7 0 R "
            b"/DescendantFonts [6 0 R] >>",
        )
    )
    count = random.choice((b"1", b"999999999", b"-1"))
    widths = random.choice((b"/W [0 99999999 1]", b"/W2 [0 99999999 1 1 1]", b"/W [0 65535 500]", b""))
    inside = (
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A "
        b"/CIDSystemInfo << /Registry (..) /Ordering (/tmp/x) >> %b >>" % widths
    )
    pages = b"<< /Type /Pages /Kids %b /Count %b >>" % (kids, count)
    start = random.choice(
        (
            b"",
            b" /OpenAction << /S /URI /URI (%b) >>" % watched("pdf").address.encode(),
            b" /OpenAction << /S /Launch /F (/bin/sh) >>",
        )
    )
    sheet = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> /XObject << /X 4 0 R >> >> >>"
    )
    return File(
        "pdf",
        pdf(b"<< /Type /Catalog /Pages 2 0 R%b >>" % start, pages, sheet, page, font, inside, _pdf_letters(random)),
    )


def _pdf_letters(random: Random) -> bytes:
    """Return a table of letters that tells of too many, or that unpacks to too much."""
    last, kind = random.choice((b"ffffffff", b"0000ffff", b"000000ff")), random.choice((b"bfrange", b"cidrange"))
    first = random.choice((b"<00000020>", b"32", b"[<0020>]"))
    told = b"begincmap 1 begin%b <00000000> <%b> %b end%b endcmap " % (kind, last, first, kind)
    data = _squeezed(told * random.choice((1, 500)), random.choice((0, 100)))
    return b"<< /Length %d /Filter /FlateDecode >>\nstream\n%b\nendstream" % (len(data), data)


@cache
def _squeezed(data: bytes, megabytes: int) -> bytes:
    """Return data with many blanks after them, packed."""
    return zlib.compress(data + b" " * megabytes * _MEGABYTE, 1)


def _pdf_text(random: Random) -> bytes:
    shown = b"BT /F1 10 Tf 72 700 Td (accuracy 0.91) Tj ET\n" * random.choice((1, 3000))
    return b"<< /Length %d >>\nstream\n%b\nendstream" % (random.choice((len(shown), 10**12, -1, 0)), shown)


def _pdf_bomb(random: Random) -> bytes:
    size = random.choice((1, 4, 40))
    squeeze = zlib.compressobj(9)
    data = b"".join([*(squeeze.compress(b"q " * (_MEGABYTE // 2)) for _ in range(size)), squeeze.flush()])
    filters, data = random.choice(((b"/FlateDecode", data), (b"[/FlateDecode /FlateDecode]", zlib.compress(data, 9))))
    return b"<< /Length %d /Filter %b >>\nstream\n%b\nendstream" % (len(data), filters, data)


def _pdf_endless(random: Random) -> bytes:
    """Return a page that draws itself, lines without end, brackets without end, or a stream kept in another file."""
    drawn = random.choice(
        (
            b"/X Do " * 50,
            b"0 0 m 9 9 l S " * 5000,
            b"[" * 20_000,
            b"(" * 20_000,
            b"<< /A " * 5000,
            b"q " * 50_000,
            b"BI /W 99999999 /H 99999999 ID x EI",
        )
    )
    kept = b"/F (%b) " % str(watched("pdf").secret).encode() if random.random() < 0.2 else b""
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 4 0 R >> >> "
    return b"<< %b%b/Length %d >>\nstream\n%b\nendstream" % (form, kept, len(drawn), drawn)


def _pdf_predicted(random: Random) -> bytes:
    said = random.choice(
        (b"/Predictor 15 /Columns 999999999", b"/Predictor 2 /Colors 99999 /Columns 99999", b"/Predictor 12 /Columns 0")
    )
    data = zlib.compress(b"accuracy 0.9 " * 100)
    name = random.choice(
        (b"/FlateDecode", b"/LZWDecode", b"/ASCII85Decode", b"/RunLengthDecode", b"/CCITTFaxDecode", b"/JBIG2Decode")
    )
    return b"<< /Length %d /Filter %b /DecodeParms << %b >> >>\nstream\n%b\nendstream" % (len(data), name, said, data)


_PDF_PAGES: Final = (_pdf_text, _pdf_bomb, _pdf_endless, _pdf_predicted)


def _of_office(kind: str) -> tuple[Callable[[Random], File], ...]:
    return _entities(kind), _bomb(kind), _paths(kind), _wide(kind)


_MAKERS: Final[Mapping[str, tuple[Callable[[Random], File], ...]]] = {
    **{kind: _of_office(kind) for kind in ("xlsx", "docx", "ods")},
    "csv": (_text_bombs("csv"), _text_bombs("tsv")),
    "gz": (_gz,),
    "zst": (_zst,),
    "parquet": (_parquet,),
    "pdf": (_pdf,),
    "markdown": (_text_bombs("md"), _markup("md", "markdown")),
    "html": (_text_bombs("html"), _markup("html", "html")),
    "latex": (_text_bombs("tex"), _markup("tex", "latex")),
    "json": (_text_bombs("json"), _markup("json", "json")),
    "notebook": (_text_bombs("ipynb"), _markup("ipynb", "notebook")),
}
