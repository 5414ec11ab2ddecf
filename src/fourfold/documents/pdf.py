"""PDF: tables as grids, all other text line by line with its columns kept; not scans."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from ..errors import InputError
from .aligned import Box, Row, Word, laid_out, lines_of, runs, tables
from .blocks import Grid, Place
from .parts import (
    MEGABYTE,
    MOST_PAGES,
    Inner,
    Line,
    Part,
    caption_above,
    cell_text,
    grid,
    needed,
    number_like,
    reading,
    too_large,
)
from .pdf_limits import Fonts, limited

#: A page of more characters than this is a drawing.
_MOST_CHARACTERS: Final = 100_000
#: What is written on a page may unpack to so many bytes and words; a million words take some ten seconds.
_MOST_CONTENT: Final = 16 * MEGABYTE
_MOST_WORDS: Final = 1_000_000
#: A page of more ruled lines than this is a drawing, whose tables are not looked for.
_MOST_LINES: Final = 3_000
#: So many lines may be at the top and the bottom of every page.
_RUNNING: Final = 2


def read(data: bytes, name: str) -> Iterator[Part]:
    """Read a PDF page by page."""
    pdfplumber = needed("pdfplumber", "pdfplumber", "a PDF", name)
    # pdfminer tells a log about each oddity of a page; whoever wants to read that has set a level.
    if not (log := logging.getLogger("pdfminer")).level:
        log.setLevel(logging.CRITICAL)
    with reading("a PDF", name), limited():
        try:
            pages = pdfplumber.open(io.BytesIO(data)).pages
        except Exception as error:
            if "Password" in type(error).__name__ + repr(error):
                hint = "save a copy without a password"
                raise InputError("bad_shape", "document", "is locked with a password", name, hint) from None
            raise
    if len(pages) > MOST_PAGES:
        hint = f"at most {MOST_PAGES} are read; give those with results"
        raise too_large("has too many pages", f"{len(pages):,}", hint)
    texts = pictures = 0
    parts: list[Part] = []
    fonts = Fonts(name)
    for number, page in enumerate(pages, 1):
        with reading("a PDF", name), limited():
            fonts.check(page.page_obj.resources)
            parts = _continued(list(_Page(number).parts(page, pdfplumber)), parts)
            pictures += bool(page.images)
            page.close()
        texts += bool(parts)
        yield from parts
    if not texts:
        problem = "is a scan: its pages are pictures without text" if pictures else "has no text"
        raise InputError("bad_shape", "document", problem, name, "give a PDF with text, or the table as text")


def _continued(parts: list[Part], before: Sequence[Part]) -> list[Part]:
    """Give a table that goes on from the page before the heads that it has there."""
    last, first = _table_at(before[::-1]), _table_at(parts)
    if last is None or first is None or len(last.rows[0]) != len(first.rows[0]) or _heads(first):
        return parts
    heads = _heads(last)
    rows, places = (*last.rows[:heads], *first.rows), (*last.places[:heads], *first.places)
    whole = replace(first, rows=rows, places=places, caption=first.caption or last.caption)
    return [whole if part is first else part for part in parts]


def _table_at(parts: Sequence[Part]) -> Grid | None:
    """Return the table at the end of a page with no more than a line or two, such as its number, behind it."""
    lines = 0
    for part in parts:
        if isinstance(part, Grid):
            return part
        lines += len(part.lines if isinstance(part, Inner) else part.texts)
        if lines > _RUNNING:
            break
    return None


def _heads(table: Grid) -> int:
    """Return how many rows there are before the first with numbers."""
    return next((n for n, row in enumerate(table.rows) if any(map(number_like, row[1:]))), 0)


class _Page:
    """Reads one page, from its top to its bottom; lines are counted as they are read."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._line = 0
        self._above: list[Line] = []

    def parts(self, page: Any, pdfplumber: Any) -> Iterator[Part]:
        where, hint = f"on page {self._number}", "are read; give pages of text"
        streams = [part.resolve() if hasattr(part, "resolve") else part for part in page.page_obj.contents]
        contents: list[bytes] = [stream.get_data() for stream in streams if hasattr(stream, "get_data")]
        if sum(map(len, contents)) > _MOST_CONTENT:
            most = f"at most {_MOST_CONTENT // MEGABYTE} MB {hint}"
            raise too_large(f"has too much {where}", f"more than {_MOST_CONTENT:,} bytes", most)
        if (words_drawn := sum(len(content.split()) for content in contents)) > _MOST_WORDS:
            most = f"at most {_MOST_WORDS:,} {hint}"
            raise too_large(f"has too many commands {where}", f"{words_drawn:,} words of them", most)
        if len(page.chars) > _MOST_CHARACTERS:
            raise too_large(f"has too many characters {where}", f"{len(page.chars):,}", "give pages of text")
        if not page.chars:
            return
        words = [
            Word(word["x0"], word["x1"], word["top"], word["bottom"], word["text"])
            for word in pdfplumber.utils.extract_words(_printed_once(page.chars), x_tolerance_ratio=0.18, y_tolerance=2)
        ]
        ruled = sorted(_ruled(page, words), key=lambda table: table[0][1])
        outside = [word for word in words if not any(word.within(box) for box, _ in ruled)]
        for (_, top, *_), rows in ruled:
            yield from self._text([word for word in outside if word.top < top])
            outside = [word for word in outside if word.top >= top]
            yield from self._table(rows)
        yield from self._text(outside)

    def _text(self, words: Sequence[Word]) -> Iterator[Part]:
        for lines in runs(words):
            done = 0
            for start, end, rows in tables(lines):
                yield from self._lines(lines[done:start])
                yield from self._table(rows)
                done = end
            yield from self._lines(lines[done:])

    def _lines(self, lines: Sequence[Row]) -> Iterator[Part]:
        if lines:
            self._above = [(self._place(), text) for text in laid_out(lines)]
            yield Inner(tuple(self._above))

    def _table(self, rows: Sequence[Sequence[str]]) -> Iterator[Part]:
        yield from grid([(self._place(), row) for row in rows], caption_above(self._above))
        self._above = []

    def _place(self) -> Place:
        self._line += 1
        return Place(page=self._number, line=self._line)


def _printed_once(characters: Sequence[Any]) -> list[Any]:
    """Leave out characters printed again at the same place, which some programs do for bold."""
    seen: set[tuple[str, int, int]] = set()
    kept = []
    for character in characters:
        text, x, y = character["text"], round(character["x0"]), round(character["top"])
        if text == " " or not any((text, x + step, y) in seen for step in (0, -1, 1)):
            kept.append(character)
        seen.add((text, x, y))
    return kept


def _ruled(page: Any, words: Sequence[Word]) -> Iterator[tuple[Box, list[list[str]]]]:
    """Find tables drawn with lines around their cells, and where they are."""
    if not page.edges or len(page.edges) > _MOST_LINES:
        return
    for table in page.find_tables():
        rows = [list(row.cells) for row in table.rows]
        if len(rows) < 2 or max(map(len, rows)) < 2:
            continue
        cells = {box: lines_of([word for word in words if word.within(box)]) for row in rows for box in row if box}
        several = [
            sum(any(character.isdigit() for word in line for character in word.text) for line in cells[box]) > 2
            for row in rows
            for box in row
            if box
        ]
        if 3 * sum(several) >= len(several):
            # Many cells hold several lines of numbers: lines were drawn around groups of rows only.
            continue
        shown = {box: cell_text(" ".join(word.text for line in lines for word in line)) for box, lines in cells.items()}
        texts = [[shown[box] if box else None for box in row] for row in rows]
        if sum(bool(text) for row in texts for text in row) >= 4:
            yield table.bbox, _spread(texts)


def _spread(rows: list[list[str | None]]) -> list[list[str]]:
    """Let a cell that spans others stand in each: where there is no box, the one to the left or above goes on."""
    texts: list[list[str]] = []
    for row in rows:
        done: list[str] = []
        for at, text in enumerate(row):
            above = texts[-1][at : at + 1] if texts else []
            done.append(text if text is not None else "".join(done[-1:]) or "".join(above))
        texts.append(done)
    return texts
