"""Words with their places on a page: put together to lines, columns of text, and tables without ruled lines.

A page knows where characters stand, not what belongs together. Words at one height are a line; a gap in it wider than
a space ends a cell; cells under each other are a column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Final, NamedTuple, TypeAlias

from .parts import number_like, raised

#: A box on a page: left, top, right, bottom.
Box: TypeAlias = tuple[float, float, float, float]
#: A gap of this share of the height of the letters is more than a space.
_GAP: Final = 0.75
#: ... and one of this share may be, where other lines have cells of two columns there.
_NARROW_GAP: Final = 0.35
#: A page of at least so many lines may be set in two columns.
_FEWEST_LINES: Final = 12
#: In so many lines there is text on both sides of the strip between them.
_FEWEST_BESIDE: Final = 4
#: A name in a row has fewer lines and a heading between rows fewer characters than this.
_MOST_WRAPPED: Final = 5
_SHORT: Final = 40
#: A word cut at the end of a line, the rest of it on the next, and what is cut where there is a hyphen anyway.
_CUT_WORD: Final = re.compile(r"(?<![\w-])(\w+)(?:-|\u00ad|\u2010)$")
_REST: Final = re.compile(r"\s*([a-zß-ÿ]+[.,;:)]*)(?=\s|$)")
_BEFORE_HYPHENS: Final = re.compile(
    r"\d+|cross|k|multi|non|one|two|three|four|five|ten|leave|hold|top|macro|micro", re.IGNORECASE
)


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
        last = lines[-1][-1] if lines else word
        # A footnote mark is smaller and higher, but its middle is within the line.
        apart = abs((word.top + word.bottom) - (last.top + last.bottom)) / 2
        if lines and apart <= 0.5 * max(last.bottom - last.top, word.bottom - word.top):
            lines[-1].append(word)
        else:
            lines.append([word])
    return [sorted(line) for line in lines]


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
    # Where a text ends, the right column may have fewer lines than the left one.
    beyond = [line for line in lines if line[-1].right > start]
    if len(ends) < _FEWEST_BESIDE or 3 * len(ends) < len(beyond):
        return None
    crossing = sum(_crosses(line, (start - 6, start)) for line in lines)
    beside = [line for line in beyond if line[0].left < start]
    wordy = sum(_is_wordy(line, (left, start)) and _is_wordy(line, (start - 1, right)) for line in beside)
    if 4 * crossing >= len(lines) or 2 * wordy < len(beside):
        return None
    return max(start - 8, median(ends)), start


def _is_wordy(line: Row, side: tuple[float, float]) -> bool:
    """Tell whether a side of a line is full of words, as lines of a column of text are and rows of a table are not."""
    words = [word for word in line if side[0] <= word.left < side[1]]
    letters = sum(character.isalpha() for word in words for character in word.text)
    wide = sum(word.right - word.left for word in words) > 0.5 * (side[1] - side[0])
    return wide and 5 * letters > 3 * sum(len(word.text) for word in words)


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
    """Find tables by how their cells stand under each other: the first line, the one after the last, the rows."""
    cells = [cells_of(line) for line in lines]
    start = 0
    while start < len(cells):
        end = _run_of_cells(cells, start)
        # Letters of equal width are what a program printed: such lines are left as they are.
        rows = _table(lines[start:end]) if end - start > 1 and not _is_monospaced(lines[start:end]) else None
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
        if len(cells[end]) < 2 and not (end > start and (_is_between(cells, end) or _goes_on(cells[start : end + 1]))):
            break
        end += 1
    return end


def _is_between(cells: Sequence[Row], n: int) -> bool:
    """Tell whether a line of one cell stands between rows: a heading, or a name that goes on over a few lines."""
    after = next((k for k in range(n + 1, min(n + _MOST_WRAPPED, len(cells))) if len(cells[k]) > 1), None)
    if after is None or len(cells[after]) < 3 or len(cells[n][0].text) >= _SHORT:
        return False
    return after == n + 1 or all(_is_in_column(cells[k][0], cells[after]) for k in range(n, after))


def _is_in_column(word: Word, row: Row) -> bool:
    """Tell whether a word has no more than one cell of a row above or below it."""
    return sum(_overlap(word, cell) for cell in row) < 2 and word.right < row[-1].right


def _goes_on(lines: Sequence[Row]) -> bool:
    """Tell whether the last line is the rest of a name: within a column, and nearer than rows are apart."""
    *before, [word] = lines
    rows = [line for line in before if len(line) > 1]
    return bool(rows) and _is_in_column(word, rows[-1]) and _gap(lines, len(lines) - 2) < _apart(before)


def _table(lines: Sequence[Row]) -> list[list[str]] | None:
    cells = [cells_of(line) for line in lines]
    most = max(map(len, cells))
    numbers = sum(map(_has_numbers, cells))
    if most < 2 or not numbers or (most == 2 and numbers < 2):
        return None
    columns = _columns(line for line in cells if 10 * len(line) >= 7 * most and len(line) > 1)
    if len(columns) < most:
        # In a narrow table little more than a space is between two cells of a line.
        columns = _columns(line for line in cells if len(line) == most and _has_numbers(line))
        if len(columns) < most:
            return None
    return [_placed(row, columns) for row in _unwrapped([_split(line, columns) for line in lines])]


def _columns(lines: Iterable[Row]) -> list[tuple[float, float]]:
    """Return where columns begin and end: cells that overlap are in one."""
    columns: list[tuple[float, float]] = []
    for cell in sorted(cell for line in lines for cell in line):
        if columns and cell.left < columns[-1][1] - 1:
            columns[-1] = (columns[-1][0], max(columns[-1][1], cell.right))
        else:
            columns.append((cell.left, cell.right))
    return columns


def _split(line: Row, columns: Sequence[tuple[float, float]]) -> Row:
    """Join words to cells; where the columns are known, those of two columns need less room between them."""
    parts: list[Row] = [[]]
    for word in line:
        last = parts[-1][-1] if parts[-1] else None
        room = 0.0 if last is None else (word.left - last.right) / max(last.bottom - last.top, 1.0)
        if last is not None and room > _NARROW_GAP and _nearest(last, columns) != _nearest(word, columns):
            parts.append([])
        parts[-1].append(word)
    return [cell for part in parts for cell in cells_of(part)]


def _nearest(word: Word, columns: Sequence[tuple[float, float]]) -> int:
    return min(range(len(columns)), key=lambda n: max(columns[n][0] - word.right, word.left - columns[n][1]))


def _unwrapped(lines: Sequence[Row]) -> list[Row]:
    """Put lines of one row together: a name too long for its column goes on below its numbers, or around them."""
    numbered = [_has_numbers(line) for line in lines]
    apart = _apart(lines)
    owner = list(range(len(lines)))
    for n in range(1, len(lines)):
        if not numbered[n] and numbered[owner[n - 1]] and _gap(lines, n - 1) < (apart or _gap(lines, n)):
            owner[n] = owner[n - 1]
    for n in reversed(range(len(lines) - 1)):
        below = owner[n + 1]
        near = numbered[below] and _gap(lines, n) < (apart or _gap(lines, n - 1))
        # Above its numbers there are words of a row only where these leave room in the middle.
        free = not any(_overlap(cell, other) for cell in lines[n] for other in lines[below])
        if near and free and owner[n] == n and not numbered[n]:
            owner[n] = below
    rows: dict[int, Row] = {}
    for n, line in enumerate(lines):
        rows.setdefault(owner[n], []).extend(line)
    return list(rows.values())


def _has_numbers(line: Row) -> bool:
    return any(number_like(cell.text) for cell in line[1:])


def _apart(lines: Sequence[Row]) -> float:
    """Return how far a row is below what stands above it at least, less what may be chance; 0 where that is unknown."""
    most = max(map(len, lines))
    whole = [n for n, line in enumerate(lines) if len(line) == most and _has_numbers(line)]
    gaps = [_gap(lines, n - 1) for n in whole[1:]]
    return max(min(gaps) - 0.15 * (lines[0][0].bottom - lines[0][0].top), 0.0) if gaps else 0.0


def _gap(lines: Sequence[Row], n: int) -> float:
    """Return how much room is between a line and the next; none at the ends."""
    if not 0 <= n < len(lines) - 1:
        return 0.0
    return min(cell.top for cell in lines[n + 1]) - max(cell.bottom for cell in lines[n])


def _overlap(first: Word, second: Word) -> bool:
    return first.left < second.right and second.left < first.right


def _placed(line: Row, columns: Sequence[tuple[float, float]]) -> list[str]:
    row = [""] * len(columns)
    for cell in line:
        over = [n for n, (left, right) in enumerate(columns) if cell.left < right - 0.5 and cell.right > left + 0.5]
        nearest = min(range(len(columns)), key=lambda n: abs(sum(columns[n]) - cell.left - cell.right))
        for number in over or [nearest]:
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
    return texts if _is_monospaced(lines) else _without_hyphens(texts)


def _without_hyphens(texts: Sequence[str]) -> list[str]:
    """Put words together that a hyphen cuts at the end of a line."""
    whole = list(texts)
    for n in range(len(whole) - 1):
        cut, rest = _CUT_WORD.search(whole[n]), _REST.match(whole[n + 1])
        if cut and rest:
            kept = "-" if _BEFORE_HYPHENS.fullmatch(cut[1]) else ""
            whole[n] = whole[n][: cut.end(1)] + kept + rest[1]
            whole[n + 1] = whole[n + 1][rest.end() :].lstrip()
    return whole


def _set(cells: Row, left: float, unit: float) -> str:
    text = ""
    for cell in cells:
        column = round((cell.left - left) / unit)
        text += " " * min(max(2 if text else 0, column - len(text)), 200) + cell.text
    return text
