"""Tables of AsciiDoc, and those that reStructuredText sets as lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from .blocks import Place
from .parts import MOST_SPAN, Found, Line, grid

_FENCE: Final = re.compile(r"[|!]={3,}\s*")
_COLUMNS: Final = re.compile(r"\[.*\bcols\s*=\s*\"?(?P<cols>[^\"\]]+)\"?.*\]")
_TITLE: Final = re.compile(r"\.[^\s.].*")
_CELL: Final = re.compile(r"(?:(?<=\s)|^)(?:\d+\+|\.\d+\+)?[<>^.]{0,3}[aehlmsv]?(?<!\\)\|")
#: So many lines a table may have.
_MOST_LINES: Final = 5000


def asciidoc_at(lines: Sequence[Line], start: int) -> Found | None:
    """Look for a table between ``|===`` and ``|===``; its cells stand in rows or one a line."""
    if not _FENCE.fullmatch(lines[start][1].strip()):
        return None
    fence = lines[start][1].strip()
    end = next(
        (n for n in range(start + 1, min(len(lines), start + _MOST_LINES)) if lines[n][1].strip() == fence), None
    )
    if end is None:
        return None
    above = [lines[n][1].strip() for n in range(max(0, start - 2), start)]
    said = next((match["cols"] for text in above if (match := _COLUMNS.fullmatch(text))), "")
    caption = next((text[1:] for text in above if _TITLE.fullmatch(text)), "")
    cells: list[tuple[Place, str]] = []
    width = _width(said)
    for place, text in lines[start + 1 : end]:
        first, *rest = _CELL.split(text)
        if cells and first.strip():
            cells[-1] = (cells[-1][0], f"{cells[-1][1]} {first.strip()}")
        cells += [(place, cell.strip()) for cell in rest]
        width = width or len(rest)
    if not width or not cells:
        return None
    rows = [(cells[n][0], [cell for _, cell in cells[n : n + width]]) for n in range(0, len(cells), width)]
    return Found(end + 1, list(grid(rows, caption, heads=1)))


def _width(said: str) -> int:
    """Return how many columns are said: ``1,2,2`` and ``3*`` are three."""
    parts = [part.strip() for part in re.split(r"[,;]", said) if part.strip()]
    times = [int(match[1]) if (match := re.match(r"(\d{1,3})\*", part)) else 1 for part in parts]
    return min(sum(times), MOST_SPAN)


_LIST_TABLE: Final = re.compile(r"(?P<indent>\s*)\.\.\s+list-table::\s*(?P<caption>.*)")
_ROW: Final = re.compile(r"\s*[*-]\s+[*-](?:\s+(?P<cell>.*))?")
_ITEM: Final = re.compile(r"\s*[*-](?:\s+(?P<cell>.*))?")


def list_table_at(lines: Sequence[Line], start: int) -> Found | None:
    """Look for a table that is set as a list of lists of cells."""
    match = _LIST_TABLE.fullmatch(lines[start][1])
    if match is None:
        return None
    rows: list[tuple[Place, list[str]]] = []
    at = start + 1
    while at < min(len(lines), start + _MOST_LINES):
        place, text = lines[at]
        if text.strip() and len(text) - len(text.lstrip()) <= len(match["indent"]):
            break
        if row := _ROW.fullmatch(text):
            rows.append((place, [(row["cell"] or "").strip()]))
        elif rows and (item := _ITEM.fullmatch(text)):
            rows[-1][1].append((item["cell"] or "").strip())
        elif rows and text.strip():
            rows[-1][1][-1] = f"{rows[-1][1][-1]} {text.strip()}".strip()
        at += 1
    return Found(at, list(grid(rows, match["caption"], heads=1))) if len(rows) > 1 else None
