"""Marks in a document that leave reports out: comments that say `fourfold: ignore`.

A mark leaves out the report or the table that begins next, `ignore-file` the whole document, and `ignore-start` and
`ignore-end` what begins between them. Marks are looked for in the lines as they stand in the file, as readers drop
comments. Places are ordered by cell and line: a document that is no notebook has one cell.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from ..documents import notebook
from ..documents.parts import MOST_BYTES, Inner, decoded, split_lines
from ..documents.text import lines_of
from .report import Report

#: A cell and a line in it.
_Spot: TypeAlias = tuple[int, int]

_WORD: Final = "fourfold:"
_MARK: Final = re.compile(
    r"""(?:^|\s)
        (?:<!--+ | \#+ | %+ | //+ | /\* | \.\. | \[[^\]]*\]:\s*(?:\#|<>)\s*[("'])
        \s*fourfold:\s*(ignore(?:-(?:file|start|end))?)(?!-?\w)""",
    re.VERBOSE,
)


def without_marked(reports: Sequence[Report], source: str | Path) -> list[Report]:
    """Return the reports that no mark in the document leaves out."""
    spots: dict[int, _Spot] = {}
    for report in reports:
        place = report.table or report.where
        # A sheet or a page has no lines of its own.
        if place.line is not None and place.page is None and place.sheet is None:
            spots[id(report)] = (int(place.cell) if place.cell else 0, place.line)
    if not spots:
        return list(reports)
    marks = [(spot, found[1]) for spot, line in _lines(source) if _WORD in line for found in _MARK.finditer(line)]
    left_out = _left_out(sorted(set(spots.values())), marks)
    return [report for report in reports if spots.get(id(report)) not in left_out]


def _left_out(spots: Sequence[_Spot], marks: Iterable[tuple[_Spot, str]]) -> set[_Spot]:
    """Return which of the places at which reports begin are marked."""
    out: set[_Spot] = set()
    start: _Spot | None = None
    for spot, says in marks:
        at = bisect_left(spots, spot)
        if says == "ignore-file":
            return set(spots)
        if says == "ignore":
            out.update(spots[at : at + 1])
        elif says == "ignore-start":
            start = start or spot
        elif start is not None:
            out.update(spots[bisect_left(spots, start) : at])
            start = None
    # A stretch without an end goes on to the end of the document.
    return out if start is None else out | set(spots[bisect_left(spots, start) :])


def _lines(source: str | Path) -> Iterator[tuple[_Spot, str]]:
    """Walk the lines of a document as they stand in it."""
    if isinstance(source, Path):
        with source.open("rb") as file:
            if source.stat().st_size > MOST_BYTES:
                yield from (((0, place.line or 0), line) for place, line in lines_of(file))
                return
            source = decoded(file.read())
    if _WORD not in source:
        return
    document = notebook.parsed(source) if source.lstrip()[:1] == "{" else None
    if notebook.is_notebook(document):
        yield from _lines_of_cells(document)
    else:
        yield from (((0, number), line) for number, line in enumerate(split_lines(source), 1))


def _lines_of_cells(document: Any) -> Iterator[tuple[_Spot, str]]:
    """Walk the lines of a notebook: what cells say and print; what code says comes before what it prints."""
    lines: list[tuple[_Spot, str]] = []
    for part in notebook.read(document, ""):
        if isinstance(part, Inner):
            lines += (((int(place.cell or 0), place.line or 0), line) for place, line in part.lines)
    for number, cell in enumerate(document.get("cells") or [], 1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source")
            texts = source if isinstance(source, list | str) else []
            code = "".join(text for text in texts if isinstance(text, str))
            lines += (((number, 0), line) for line in split_lines(code))
    # Sorting keeps the order of lines at one spot.
    yield from sorted(lines, key=lambda line: line[0])
