"""Documents that are folders packed as one file (xlsx, ods, docx): what is inside, and whether it may be unpacked."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Final

from ..errors import InputError
from .parts import MEGABYTE, MOST_CELLS, MOST_SPAN, MOST_UNPACKED, reading, too_large

#: How a packed document is known, by a file or folder in it.
_KNOWN: Final = (("xl/", "xlsx"), ("word/", "docx"), ("ppt/", "slides"), ("content.xml", "ods"))
_UNREAD: Final = {
    "slides": ("is a file of slides", "copy the table into a text or a sheet"),
    "odt": ("is an OpenDocument text", "save it as .docx or .pdf"),
    "": ("is a packed folder", "unpack it and give a file in it"),
}
#: An office file of this many parts is none.
_MOST_PARTS: Final = 20_000


def is_office(data: bytes) -> bool:
    """Tell whether a packed folder is a document of an office program."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as folder:
            names = folder.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        # What is wrong with it is said when it is read.
        return True
    return any(name.startswith(start) for start, _ in _KNOWN for name in names[:_MOST_PARTS])


def kind_of(data: bytes, name: str) -> str:
    """Return the kind of a packed document; it is refused where it would unpack to too much."""
    with reading("a packed document", name), zipfile.ZipFile(io.BytesIO(data)) as folder:
        parts = folder.infolist()
        size = sum(part.file_size for part in parts)
        if size > MOST_UNPACKED or len(parts) > _MOST_PARTS:
            hint = f"at most {MOST_UNPACKED // MEGABYTE} MB are unpacked"
            raise too_large("unpacks to too much", f"{size // MEGABYTE:,} MB in {len(parts):,} parts", hint)
        for part in parts:
            if part.filename.endswith((".xml", ".rels")):
                _check(folder.read(part), part.filename == "content.xml", name)
        kind = next((kind for start, kind in _KNOWN if any(part.filename.startswith(start) for part in parts)), "")
        if kind == "ods" and "mimetype" in folder.namelist() and b"spreadsheet" not in folder.read("mimetype")[:200]:
            kind = "odt"
    if kind in _UNREAD:
        problem, hint = _UNREAD[kind]
        raise InputError("bad_shape", "document", problem, name, hint)
    return kind


_MERGED: Final = re.compile(rb'<mergeCell\s[^>]*?ref="\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})"')
_SPANNED: Final = re.compile(rb'<w:grid(?:Span|Before|After)\s[^>]*?val="(\d+)"')


def _check(xml: bytes, sheets: bool, name: str) -> None:
    """Refuse what grows without end while it is read: entities, which no office program writes, and huge spans."""
    if b"<!DOCTYPE" in xml[:4096] or b"<!ENTITY" in xml[:4096]:
        hint = "save it again from an office program"
        raise InputError("bad_shape", "document", "declares entities, as no office program does", name, hint)
    area = _repeated(xml) if sheets else 0
    for left, top, right, bottom in _MERGED.findall(xml):
        area += (abs(int(bottom) - int(top)) + 1) * (abs(_column(right) - _column(left)) + 1)
    spanned = max((min(int(span[:9]), 10**9) for span in _SPANNED.findall(xml)), default=0)
    if area > MOST_CELLS or spanned > MOST_SPAN:
        raise too_large(
            "has cells merged or repeated over too much", f"{max(area, spanned):,} cells", "give the table alone"
        )


_ROW: Final = re.compile(rb"<table:table-row\b([^>]*)>(.*?)</table:table-row>", re.DOTALL)
_CELL: Final = re.compile(rb"<table:(?:covered-)?table-cell\b([^>]*)>")
_TIMES: Final = re.compile(rb'number-(?:rows|columns)-repeated="(\d+)"')


def _repeated(xml: bytes) -> int:
    """Count the cells of an OpenDocument sheet that has rows or cells repeated many times with something in them."""
    cells = 0
    for attributes, inside in _ROW.findall(xml):
        wide = sum(_times(cell) for cell in _CELL.findall(inside) if b"office:value" in cell or not cell.endswith(b"/"))
        cells += _times(attributes) * wide
    return cells


def _times(attributes: bytes) -> int:
    match = _TIMES.search(attributes)
    return int(match[1][:9]) if match else 1


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number
