"""What fonts of a PDF grow to, looked at before they do: two numbers can stand for millions of letters."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterable, Iterator
from typing import Any, Final

from .parts import needed, too_large

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
                self._add(self._codes_of(self._mapping(font)))
            for drawing in self._members(held.get("XObject")):
                said = self._mapping(drawing)
                if getattr(self._types.resolve1(said.get("Subtype")), "name", "") == "Form":
                    waiting.append(said.get("Resources"))

    def _add(self, codes: int) -> None:
        self._codes += codes
        if self._codes > _MOST_CODES:
            hint = f"at most {_MOST_CODES:,} are read; print the pages with results to a new PDF"
            raise too_large("has fonts with too many characters", f"{self._codes:,}", hint)

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
