"""Packed files: those of office programs (xlsx, ods, docx), and archives of texts (zip, tar, gzip).

What would unpack to too much is refused before it is.
"""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from ..errors import InputError
from .parts import MEGABYTE, MOST_BYTES, MOST_CELLS, MOST_SPAN, MOST_UNPACKED, column_number, reading, too_large

#: How a packed document is known, by a file or folder in it.
_KNOWN: Final = (("xl/", "xlsx"), ("word/", "docx"), ("ppt/", "slides"), ("content.xml", "ods"))
_UNREAD: Final = {
    "slides": ("is a file of slides", "copy the table into a text or a sheet"),
    "odt": ("is an OpenDocument text", "save it as .docx or .pdf"),
    "": ("is a packed folder", "unpack it and give a file in it"),
}
#: An office file of this many parts is none, nor are such archives the sources of a paper.
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
            raise _too_much(f"{size // MEGABYTE:,} MB in {len(parts):,} parts")
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
        wide = abs(column_number(right.decode()) - column_number(left.decode())) + 1
        area += (abs(int(bottom) - int(top)) + 1) * wide
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

    def times(attributes: bytes) -> int:
        match = _TIMES.search(attributes)
        return int(match[1][:9]) if match else 1

    cells = 0
    for attributes, inside in _ROW.findall(xml):
        wide = sum(times(cell) for cell in _CELL.findall(inside) if b"office:value" in cell or not cell.endswith(b"/"))
        cells += times(attributes) * wide
    return cells


class Member(NamedTuple):
    """A file in an archive."""

    name: str
    data: bytes


def members(data: bytes, name: str, endings: frozenset[str]) -> Iterator[Member]:
    """Walk the files of an archive with these endings; it is refused where it would unpack to too much."""
    with reading("an archive", name):
        if data.startswith(b"\x1f\x8b"):
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
                data = file.read(MOST_UNPACKED + 1)
            if len(data) > MOST_UNPACKED:
                raise _too_much()
            if not data.startswith(b"ustar", 257):
                yield Member(name.removesuffix(".gz"), data)
                return
        found = list(_of_zip(data) if data.startswith(b"PK") else _of_tar(data))
    kept = [one for one in found if PurePosixPath(one.name).suffix.casefold() in endings]
    if not kept:
        raise InputError("bad_shape", "document", "has no text in it that is read", name, "give a file in it")
    yield from sorted(kept)


def _of_zip(data: bytes) -> Iterator[Member]:
    with zipfile.ZipFile(io.BytesIO(data)) as folder:
        parts = [part for part in folder.infolist() if not part.is_dir()]
        if len(parts) > _MOST_PARTS or sum(part.file_size for part in parts) > MOST_UNPACKED:
            raise _too_much()
        for part in parts:
            if part.file_size <= MOST_BYTES and not part.flag_bits & 1:
                with folder.open(part) as file:
                    yield Member(part.filename, file.read(part.file_size))


def _of_tar(data: bytes) -> Iterator[Member]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as folder:
        for count, part in enumerate(folder):
            if count > _MOST_PARTS:
                raise _too_much()
            # Links lead out of an archive: they are passed over.
            if part.isreg() and part.size <= MOST_BYTES and (file := folder.extractfile(part)):
                yield Member(part.name, file.read())


def _too_much(size: str = "") -> Exception:
    most = MOST_UNPACKED // MEGABYTE
    return too_large("unpacks to too much", size or f"more than {most} MB", f"at most {most} MB are unpacked")
