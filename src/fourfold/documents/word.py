"""Word: paragraphs and tables in their order, numbered as they come."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .blocks import Place
from .parts import (
    MOST_CELLS,
    MOST_DEPTH,
    Inner,
    Line,
    Part,
    caption_above,
    cell_text,
    grid,
    needed,
    raised,
    reading,
    too_large,
)


def read(data: bytes, name: str) -> Iterator[Part]:
    """Read a document of Word. It has no lines and no pages: a paragraph, and a row of a table, counts as a line."""
    docx = needed("docx", "python-docx", "a Word document", name)
    with reading("a Word document", name):
        document = docx.Document(io.BytesIO(data))
        parts = list(_parts(document.iter_inner_content(), _Counter(), 0))
    yield from parts


@dataclass
class _Counter:
    line: int = 0
    cells: int = 0

    def place(self) -> Place:
        self.line += 1
        return Place(line=self.line)


def _parts(content: Any, counter: _Counter, depth: int) -> Iterator[Part]:
    held: list[Line] = []
    for item in content:
        if hasattr(item, "runs"):
            place = counter.place()
            held.extend((place, line) for line in _text(item).split("\n"))
            continue
        caption = caption_above(held)
        yield Inner(tuple(held))
        held = []
        yield from _table(item, caption, counter, depth)
    yield Inner(tuple(held))


def _text(paragraph: Any) -> str:
    text = ""
    for run in paragraph.iter_inner_content():
        for part in getattr(run, "runs", [run]):
            text += raised(part.text, text) if getattr(part.font, "superscript", None) else part.text
    return text


def _table(table: Any, caption: str, counter: _Counter, depth: int) -> Iterator[Part]:
    rows: list[tuple[Place, list[str]]] = []
    inside: list[Any] = []
    for row in table.rows:
        cells = row.cells
        counter.cells += len(cells)
        if counter.cells > MOST_CELLS:
            raise too_large("has too many cells", f"more than {MOST_CELLS:,}", "give the part with the results")
        before = [""] * getattr(row, "grid_cols_before", 0)
        texts = [cell_text(" ".join(_text(paragraph) for paragraph in cell.paragraphs)) for cell in cells]
        rows.append((counter.place(), [*before, *texts]))
        inside.extend(inner for cell in dict.fromkeys(cells) for inner in cell.tables)
    yield from grid(rows, caption)
    if depth < MOST_DEPTH:
        for inner in inside:
            yield from _table(inner, "", counter, depth + 1)
