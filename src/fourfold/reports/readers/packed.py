"""Documents that are folders packed as one file (xlsx, ods, docx): what is inside, and whether it may be unpacked."""

from __future__ import annotations

import io
import zipfile
from typing import Final

from ...errors import InputError
from .parts import MEGABYTE, MOST_UNPACKED, reading, too_large

#: How a packed document is known, by a file or folder in it.
_KNOWN: Final = (("xl/", "xlsx"), ("word/", "docx"), ("ppt/", "slides"), ("content.xml", "ods"))
_UNREAD: Final = {
    "slides": ("is a file of slides", "copy the table into a text or a sheet"),
    "odt": ("is an OpenDocument text", "save it as .docx or .pdf"),
    "": ("is a packed folder", "unpack it and give a file in it"),
}
#: An office file of this many parts is none.
_MOST_PARTS: Final = 20_000


def kind_of(data: bytes, name: str) -> str:
    """Return the kind of a packed document; it is refused where it would unpack to too much."""
    with reading("a packed document", name), zipfile.ZipFile(io.BytesIO(data)) as folder:
        parts = folder.infolist()
        size = sum(part.file_size for part in parts)
        if size > MOST_UNPACKED or len(parts) > _MOST_PARTS:
            hint = f"at most {MOST_UNPACKED // MEGABYTE} MB are unpacked"
            raise too_large("unpacks to too much", f"{size // MEGABYTE:,} MB in {len(parts):,} parts", hint)
        _refuse_entities(folder, name)
        kind = next((kind for start, kind in _KNOWN if any(part.filename.startswith(start) for part in parts)), "")
        if kind == "ods" and "mimetype" in folder.namelist() and b"spreadsheet" not in folder.read("mimetype")[:200]:
            kind = "odt"
    if kind in _UNREAD:
        problem, hint = _UNREAD[kind]
        raise InputError("bad_shape", "document", problem, name, hint)
    return kind


def _refuse_entities(folder: zipfile.ZipFile, name: str) -> None:
    """Refuse XML that declares entities: office programs write none, and they can grow without end."""
    for part in folder.infolist():
        if part.filename.endswith((".xml", ".rels")):
            with folder.open(part) as file:
                head = file.read(4096)
            if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
                hint = "save it again from an office program"
                raise InputError("bad_shape", "document", "declares entities, as no office program does", name, hint)
