"""How many characters the fonts of a PDF tell of, before they are listed: two numbers can stand for millions."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any, Final

from .parts import needed, too_large

#: The fonts of a document may tell of so many characters together; each takes some hundred bytes.
_MOST_CODES: Final = 4_000_000


class Fonts:
    """Looks at the fonts of a document, at each once."""

    def __init__(self, name: str) -> None:
        self._types = needed("pdfminer.pdftypes", "pdfplumber", "a PDF", name)
        self._seen: set[object] = set()
        self._codes = 0

    def check(self, resources: Any) -> None:
        """Refuse fonts that tell of too many characters, also those of drawings in drawings."""
        waiting = [resources]
        while waiting:
            held = self._mapping(waiting.pop())
            for spec in self._members(held.get("Font")):
                self._add(_codes_of_font(spec, self._types))
            drawings = self._members(held.get("XObject"))
            waiting += [drawing["Resources"] for drawing in drawings if "Resources" in drawing]

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
                yield self._mapping(member)

    def _mapping(self, held: object) -> dict[str, Any]:
        held = self._types.resolve1(held)
        held = getattr(held, "attrs", held)
        return held if isinstance(held, dict) else {}


def _codes_of_font(spec: dict[str, Any], types: Any) -> int:
    resolved = types.resolve1
    codes = _letters(resolved(spec.get("ToUnicode")), types)
    inner = resolved(spec.get("DescendantFonts"))
    for font in (spec, *map(resolved, inner if isinstance(inner, list) else ())):
        if isinstance(font, dict):
            codes += _ranged(map(resolved, _listed(resolved(font.get("W")))), 3)
            codes += _ranged(map(resolved, _listed(resolved(font.get("W2")))), 5)
    return codes


def _listed(held: object) -> list[Any]:
    return held if isinstance(held, list) else []


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


def _letters(stream: object, types: Any) -> int:
    """Count characters whose letters are told in ranges: `<first> <last> <letter>`, or `<first> <last> [<letter>]`."""
    if not isinstance(stream, types.PDFStream):
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
