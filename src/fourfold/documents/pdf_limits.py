"""What parts of a PDF grow to, looked at before they do: a few bytes can stand for gigabytes, two numbers for a font.

pdfminer unpacks streams where it comes upon them: pages, fonts and drawings, and the document's own tables of places.
So the limit is kept where it unpacks, while a document of ours is read.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from math import prod
from typing import Any, Final

from ..errors import TooLarge
from .parts import MEGABYTE, needed, too_large

#: A stream may unpack to so many bytes.
MOST_UNPACKED: Final = 64 * MEGABYTE
_BLOCK: Final = 1 << 16
#: Fax lines are pictures: no text is kept so, and a bit of it can be a line of any width.
_FAX: Final = ("CCITTFaxDecode", "CCF")

_limited: Final = ContextVar("limited", default=False)


@contextmanager
def limited() -> Iterator[None]:
    """Refuse streams that unpack to too much."""
    _watch_pdfminer()
    before = _limited.set(True)
    try:
        yield
    except Exception as error:
        # pdfplumber puts whatever is raised within it into an error of its own.
        raise next((inner for inner in error.args if isinstance(inner, TooLarge)), error) from None
    finally:
        _limited.reset(before)


@cache
def _watch_pdfminer() -> None:
    """Let pdfminer ask before it unpacks, which it does nowhere by itself; other users of it notice nothing."""
    from pdfminer.pdftypes import PDFStream

    unpack = PDFStream.decode

    @wraps(unpack)
    def checked(stream: Any) -> None:
        if _limited.get():
            filters = [(getattr(kind, "name", ""), told) for kind, told in stream.get_filters()]
            known = [kind for kind, _ in filters if kind in _GROWTH]
            # Most streams are so small that nothing they can be is too much.
            if len(stream.rawdata) * prod(_GROWTH[kind] for kind in known) > MOST_UNPACKED:
                _unpack_in_part(stream, known)
            if any(kind in _FAX or _width(told) > MOST_UNPACKED for kind, told in filters):
                raise _too_much()
        unpack(stream)

    PDFStream.decode = checked  # type: ignore[method-assign, assignment]


def _width(told: object) -> int:
    """Return the bytes of a line where each line is told by how it differs from the one before."""
    from pdfminer.pdftypes import resolve1

    told = told if isinstance(told, dict) else {}
    sizes = [resolve1(told.get(name, 1)) for name in ("Columns", "Colors")]
    columns, colours = (size if isinstance(size, int) else 1 for size in sizes)
    return max(columns, columns * colours)


def _unpack_in_part(stream: Any, filters: Iterable[str]) -> None:
    """Unpack as far as the limit, filter by filter."""
    data: bytes = stream.rawdata
    if stream.decipher:
        data = stream.decipher(stream.objid, stream.genno, data, stream.attrs)
    for kind in filters:
        left, parts = MOST_UNPACKED, list[bytes]()
        for part in _unpacked(kind, data):
            left -= len(part)
            if left < 0:
                raise _too_much()
            parts.append(part)
        data = b"".join(parts)


def _too_much() -> TooLarge:
    hint = f"at most {MOST_UNPACKED // MEGABYTE} MB are read; print the pages with results to a new PDF"
    return too_large("has a part that unpacks to too much", f"more than {MOST_UNPACKED:,} bytes", hint)


#: How many bytes one can stand for at most, by the way in which a stream is packed.
_GROWTH: Final = {
    **dict.fromkeys(("FlateDecode", "Fl"), 1032),
    **dict.fromkeys(("LZWDecode", "LZW"), 2560),
    **dict.fromkeys(("RunLengthDecode", "RL"), 64),
    **dict.fromkeys(("ASCII85Decode", "A85"), 4),
    **dict.fromkeys(("ASCIIHexDecode", "AHx"), 1),
}


def _unpacked(kind: str, data: bytes) -> Iterator[bytes]:
    """Unpack in parts, up to where it is broken."""
    from pdfminer.ascii85 import ascii85decode, asciihexdecode
    from pdfminer.lzw import LZWDecoder

    if kind.startswith("A"):
        yield ascii85decode(data) if "85" in kind else asciihexdecode(data)
    elif kind.startswith("L"):
        yield from LZWDecoder(io.BytesIO(data)).run()
    elif kind.startswith("F"):
        unpack = zlib.decompressobj()
        for start in range(0, len(data), _BLOCK):
            rest = data[start : start + _BLOCK]
            while rest:
                try:
                    yield unpack.decompress(rest, _BLOCK << 4)
                except zlib.error:
                    return
                rest = unpack.unconsumed_tail
    else:
        # Runs of one byte, and pieces that stand as they are.
        place = 0
        while place < len(data) and data[place] != 128:
            length = data[place]
            repeated = length > 128
            yield data[place + 1 : place + 2] * (257 - length) if repeated else data[place + 1 : place + 2 + length]
            place += 2 if repeated else 2 + length


#: The fonts of a document may tell of so many characters together; each takes some hundred bytes.
_MOST_CODES: Final = 4_000_000


class Fonts:
    """Looks at the fonts of a document and of its drawings, at each once."""

    def __init__(self, name: str) -> None:
        self._types = needed("pdfminer.pdftypes", "pdfplumber", "a PDF", name)
        self._seen: set[object] = set()
        self._codes = 0

    def check(self, resources: Any) -> None:
        """Refuse fonts that grow to too much, also those of drawings in drawings."""
        waiting = [resources]
        while waiting:
            held = self._mapping(waiting.pop())
            for font in self._members(held.get("Font")):
                self._codes += self._codes_of(self._mapping(font))
                if self._codes > _MOST_CODES:
                    hint = f"at most {_MOST_CODES:,} are read; print the pages with results to a new PDF"
                    raise too_large("has fonts with too many characters", f"{self._codes:,}", hint)
            for drawing in self._members(held.get("XObject")):
                said = self._mapping(drawing)
                if getattr(self._types.resolve1(said.get("Subtype")), "name", "") == "Form":
                    waiting.append(said.get("Resources"))

    def _members(self, held: object) -> Iterator[Any]:
        """Walk the fonts or drawings that a page names; one that was seen before is left out."""
        for member in self._mapping(held).values():
            place = getattr(member, "objid", None)
            if place is None or place not in self._seen:
                self._seen.add(place)
                yield self._types.resolve1(member)

    def _mapping(self, held: object) -> dict[str, Any]:
        held = self._types.resolve1(held)
        held = getattr(held, "attrs", held)
        return held if isinstance(held, dict) else {}

    def _listed(self, held: object) -> list[Any]:
        held = self._types.resolve1(held)
        return list(map(self._types.resolve1, held)) if isinstance(held, list) else []

    def _stream(self, held: object) -> Any:
        stream = self._types.resolve1(held)
        return stream if isinstance(stream, self._types.PDFStream) else None

    def _codes_of(self, font: dict[str, Any]) -> int:
        codes = _letters(self._stream(font.get("ToUnicode")))
        for inner in (font, *map(self._mapping, self._listed(font.get("DescendantFonts")))):
            codes += _ranged(self._listed(inner.get("W")), 3) + _ranged(self._listed(inner.get("W2")), 5)
            files = self._mapping(inner.get("FontDescriptor"))
            codes += 0 if "ToUnicode" in font else _glyphs(self._stream(files.get("FontFile2")))
        return codes


def _ranged(told: Iterable[object], size: int) -> int:
    """Count characters whose widths are told: `first last width`, or `first [width width]`."""
    codes, held = 0, list[int | float]()
    for value in told:
        if isinstance(value, list):
            codes, held = codes + len(value), []
        elif isinstance(value, int | float):
            held.append(value)
        if len(held) == size:
            first, last = held[:2]
            codes += max(0, last - first + 1) if isinstance(first, int) and isinstance(last, int) else 0
            held = []
    return codes


def _letters(stream: Any) -> int:
    """Count characters whose letters are told in ranges: `<first> <last> <letter>`, or `<first> <last> [<letter>]`."""
    if stream is None:
        return 0
    from pdfminer.cmapdb import CMapParser, FileUnicodeMap

    codes = 0

    class Counting(CMapParser):
        def do_keyword(self, pos: int, token: Any) -> None:
            nonlocal codes
            if token not in (self.KEYWORD_ENDCIDRANGE, self.KEYWORD_ENDBFRANGE):
                super().do_keyword(pos, token)
                return
            told = [value for _, value in self.popall()]
            codes += sum(map(_between, told[::3], told[1::3], told[2::3]))

    Counting(FileUnicodeMap(), io.BytesIO(stream.get_data())).run()
    return codes


def _between(first: object, last: object, letters: object) -> int:
    if not isinstance(first, bytes) or not isinstance(last, bytes) or len(first) != len(last):
        return 0
    if isinstance(letters, list):
        return len(letters)
    return max(0, int.from_bytes(last) - int.from_bytes(first) + 1)


def _glyphs(stream: Any) -> int:
    """Count characters that the table of a TrueType font tells of in ranges, which are its formats 4 and 12."""
    if stream is None:
        return 0
    from pdfminer.pdffont import TrueTypeFont

    codes = 0

    class Counting(TrueTypeFont):
        def parse_cmap_format_4(self, fp: Any, char2gid: dict[int, int]) -> None:
            nonlocal codes
            size = int.from_bytes(fp.read(12)[4:6]) // 2
            lasts, _, firsts = fp.read(2 * size), fp.read(2), fp.read(2 * size)
            pairs = zip(struct.iter_unpack(">H", firsts), struct.iter_unpack(">H", lasts), strict=False)
            codes += sum(max(0, last - first + 1) for (first,), (last,) in pairs)

        def parse_cmap_format_12(self, fp: Any, char2gid: dict[int, int]) -> None:
            nonlocal codes
            data = fp.read(12 * int.from_bytes(fp.read(14)[10:]))
            whole = struct.iter_unpack(">III", data[: len(data) // 12 * 12])
            codes += sum(max(0, last - first + 1) for first, last, _ in whole)

    try:
        Counting("", io.BytesIO(stream.get_data())).create_unicode_map()
    except Exception:
        # A font without such a table, or a broken one: up to there it was counted.
        return codes
    return codes
