"""Words with their places on a page: put together to lines, columns of text, and tables without ruled lines.

A page knows where characters stand, not what belongs together. Words at one height are a line; a gap in it wider than
a space ends a cell; cells under each other are a column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Final, NamedTuple, TypeAlias

from .parts import number_like, raised

#: A box on a page: left, top, right, bottom.
Box: TypeAlias = tuple[float, float, float, float]
#: A gap of this share of the height of the letters is more than a space.
_GAP: Final = 0.75
#: A page of at least so many lines may be set in two columns.
_FEWEST_LINES: Final = 12


class Word(NamedTuple):
    """A word, or the words of one cell, and where it stands."""

    left: float
    right: float
    top: float
    bottom: float
    text: str

    def within(self, box: Box) -> bool:
        """Tell whether its middle is in a box."""
        x, y = (self.left + self.right) / 2, (self.top + self.bottom) / 2
        return box[0] <= x <= box[2] and box[1] <= y <= box[3]


Row: TypeAlias = list[Word]


def lines_of(words: Sequence[Word]) -> list[Row]:
    """Put words at one height into one line."""
    lines: list[Row] = []
    for word in sorted(words, key=lambda word: ((word.top + word.bottom) / 2, word.left)):
        if lines and _beside(lines[-1][-1], word):
            lines[-1].append(word)
        else:
            lines.append([word])
    return [sorted(line) for line in lines]


def _beside(last: Word, word: Word) -> bool:
    # A footnote mark is smaller and higher, but its middle is within the line.
    apart = abs((word.top + word.bottom) - (last.top + last.bottom)) / 2
    return apart <= 0.5 * max(last.bottom - last.top, word.bottom - word.top)


def runs(words: Sequence[Word]) -> Iterator[list[Row]]:
    """Walk over lines that are read one after the other: of a page in two columns the left one, then the right one."""
    lines = lines_of(words)
    gutter = _gutter(lines)
    if gutter is None:
        yield lines
        return
    band: list[Row] = []
    for line in lines:
        if _crosses(line, gutter):
            yield from _split_band(band, gutter)
            band = []
            yield [line]
        else:
            band.append(line)
    yield from _split_band(band, gutter)


def _crosses(line: Row, gutter: tuple[float, float]) -> bool:
    return any(word.left < gutter[1] - 1 and word.right > gutter[0] + 1 for word in line)


def _split_band(band: list[Row], gutter: tuple[float, float]) -> Iterator[list[Row]]:
    middle = sum(gutter) / 2
    both = [line for line in band if line[0].left < middle < line[-1].right]
    starts = [min(word.left for word in line if word.left > middle) for line in both]
    aligned = sum(abs(start - gutter[1]) < 4 for start in starts)
    # A table over the whole width has a gap there by chance: its columns do not begin where the text's do.
    if both and 2 * aligned < len(both):
        yield band
        return
    words = [word for line in band for word in line]
    for side in ([word for word in words if word.left < middle], [word for word in words if word.left >= middle]):
        if side:
            yield lines_of(side)


def _gutter(lines: Sequence[Row]) -> tuple[float, float] | None:
    """Find the strip between two columns of text: empty in nearly all lines, with text on both sides in many."""
    if len(lines) < _FEWEST_LINES:
        return None
    left, right = min(line[0].left for line in lines), max(line[-1].right for line in lines)
    inner, outer = left + 0.35 * (right - left), left + 0.65 * (right - left)
    gaps = [
        (before.right, after.left)
        for line in lines
        for before, after in pairwise(line)
        if inner < (before.right + after.left) / 2 < outer and after.left - before.right > 6
    ]
    # Where the right column begins is where most of the gaps end.
    starts = sorted(end for _, end in gaps)
    start = max(starts, key=lambda end: sum(abs(end - other) < 2 for other in starts), default=0.0)
    ends = [before for before, end in gaps if abs(end - start) < 2]
    if 3 * len(ends) < len(lines):
        return None
    crossing = sum(_crosses(line, (start - 6, start)) for line in lines)
    return (max(start - 8, median(ends)), start) if 4 * crossing < len(lines) else None


def cells_of(line: Row) -> Row:
    """Join words that are a space apart."""
    cells: Row = []
    for word in line:
        last = cells[-1] if cells else None
        if last is not None and word.left - last.right <= _GAP * (last.bottom - last.top):
            text = _joined(last, word)
            top, bottom = min(last.top, word.top), max(last.bottom, word.bottom)
            cells[-1] = Word(last.left, max(last.right, word.right), top, bottom, text)
        else:
            cells.append(word)
    return cells


def _joined(last: Word, word: Word) -> str:
    """Join a word to the one before; smaller letters right beside it are raised or lowered, and no word."""
    if word.left - last.right > 1 or word.bottom - word.top > 0.85 * (last.bottom - last.top):
        return f"{last.text} {word.text}"
    lowered = word.top - last.top > last.bottom - word.bottom
    return last.text + (word.text if lowered else raised(word.text, last.text))


def tables(lines: Sequence[Row]) -> Iterator[tuple[int, int, list[list[str]]]]:
    """Find tables by how their cells stand under each other: the first line, the one after the last, the rows.

    Letters of one width are what a program printed: such lines are left as they are.
    """
    cells = [cells_of(line) for line in lines]
    start = 0
    while start < len(cells):
        end = _run_of_cells(cells, start)
        rows = _table(cells[start:end]) if end - start > 1 and not _is_monospaced(lines[start:end]) else None
        if rows is not None:
            yield start, end, rows
        start = max(end, start + 1)


def _is_monospaced(lines: Sequence[Row]) -> bool:
    widths = [(word.right - word.left) / len(word.text) for line in lines for word in line if len(word.text) > 2]
    return bool(widths) and max(widths) - min(widths) < 0.05 * median(widths)


def _run_of_cells(cells: Sequence[Row], start: int) -> int:
    """Return the line after the last that may belong to a table: several cells, or one short one between such lines."""
    end = start
    while end < len(cells):
        if len(cells[end]) < 2:
            between = start < end < len(cells) - 1 and len(cells[end + 1]) > 2 and len(cells[end][0].text) < 40
            if not between:
                break
        end += 1
    return end


def _table(lines: Sequence[Row]) -> list[list[str]] | None:
    most = max(map(len, lines))
    numbers = sum(any(number_like(cell.text) for cell in line[1:]) for line in lines)
    if most < 2 or not numbers or (most == 2 and numbers < 2):
        return None
    columns: list[tuple[float, float]] = []
    for cell in sorted(cell for line in lines if 10 * len(line) >= 7 * most and len(line) > 1 for cell in line):
        if columns and cell.left < columns[-1][1] - 1:
            columns[-1] = (columns[-1][0], max(columns[-1][1], cell.right))
        else:
            columns.append((cell.left, cell.right))
    if len(columns) < most:
        return None
    return [_placed(line, columns) for line in lines]


def _placed(line: Row, columns: Sequence[tuple[float, float]]) -> list[str]:
    row = [""] * len(columns)
    for cell in line:
        over = [n for n, (left, right) in enumerate(columns) if cell.left < right - 0.5 and cell.right > left + 0.5]
        if not over:
            over = [min(range(len(columns)), key=lambda n: abs(sum(columns[n]) - cell.left - cell.right))]
        for number in over:
            row[number] = f"{row[number]} {cell.text}".strip()
    return row


def laid_out(lines: Sequence[Row]) -> list[str]:
    """Set lines as text: columns under each other, words of a cell a space apart, blank lines where there is room."""
    words = [word for line in lines for word in line if word.text]
    if not words:
        return []
    unit = max(median((word.right - word.left) / len(word.text) for word in words), 1.0)
    left = min(word.left for word in words)
    texts: list[str] = []
    bottom = None
    for line in lines:
        if bottom is not None and line[0].top - bottom > 1.2 * (line[0].bottom - line[0].top):
            texts.append("")
        bottom = max(word.bottom for word in line)
        texts.append(_set(cells_of(line), left, unit))
    return texts


def _set(cells: Row, left: float, unit: float) -> str:
    text = ""
    for cell in cells:
        column = round((cell.left - left) / unit)
        text += " " * min(max(2 if text else 0, column - len(text)), 200) + cell.text
    return text
