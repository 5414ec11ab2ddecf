"""CSV and TSV of any dialect: files, and runs of such rows in other text."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Final, NamedTuple

from .blocks import Grid, Place
from .parts import MOST_CELLS, MOST_LINE, Found, Line, grid, number_like, too_large, value_like

# In the order in which they are believed: a comma also stands in numbers and in prose.
_DELIMITERS: Final = "\t;|,"
_SAMPLE: Final = 200
#: A cell in quotes goes over at most so many lines; a quote that is not closed by then is a character.
_MOST_CELL_LINES: Final = 50
_LINES_TOGETHER: Final = 1000


def read(lines: Sequence[Line], tabs: bool = False) -> Iterator[Grid]:
    """Read a file of rows; a blank row before heads begins another table."""
    lines = [(place, text.rstrip("\r\n").replace("\x00", "")) for place, text in lines]
    delimiter, said = dialect([text for _, text in lines[:_SAMPLE]], tabs=tabs)
    rows: list[tuple[Place, list[str]]] = []
    cells = 0
    for place, row, _ in records(lines[said:], delimiter):
        cells += len(row)
        if cells > MOST_CELLS:
            raise too_large("has too many cells", f"more than {MOST_CELLS:,}", "give the part with the results")
        rows.append((place, row))
    for table in tables(rows):
        yield from (block for block in grid(table) if isinstance(block, Grid))


def dialect(texts: Sequence[str], *, tabs: bool = False) -> tuple[str, bool]:
    """Return the delimiter of the first lines of a file, and whether its first line says so and is no row."""
    if texts and (match := re.fullmatch(r'"?sep=(.)"?', texts[0].strip(), re.IGNORECASE)):
        return match[1], True
    return "\t" if tabs and any("\t" in text for text in texts) else delimiter_of(texts), False


def delimiter_of(texts: Sequence[str]) -> str:
    """Return the delimiter that gives most rows the same number of cells."""

    def agreement(delimiter: str) -> tuple[bool, float, int]:
        widths = Counter(len(row) for text in texts if text.strip() for row in _parsed(text, delimiter))
        most = max((count for width, count in widths.items() if width > 1), default=0)
        share = most / max(sum(widths.values()), 1)
        return share > 0.9, 0 if share > 0.9 else share, -_DELIMITERS.index(delimiter)

    return max(_DELIMITERS, key=agreement)


def _parsed(text: str, delimiter: str) -> list[list[str]]:
    try:
        return list(csv.reader([text], delimiter=delimiter, skipinitialspace=True))
    except csv.Error:
        return [text.split(delimiter)]


class Record(NamedTuple):
    """A row of a file: where it begins, its cells, and its own text where that is a row in the same dialect."""

    place: Place
    cells: list[str]
    text: str | None


def records(lines: Iterable[Line], delimiter: str) -> Iterator[Record]:
    """Walk rows as their lines come, of which only so many are held as one row may have."""
    csv.field_size_limit(max(csv.field_size_limit(), MOST_LINE * (_MOST_CELL_LINES + 1)))
    source = iter(lines)
    held: list[Line] = []
    number = 0
    while True:
        if len(held) - number < _MOST_CELL_LINES:
            held, number = held[number:], 0
            held += islice(source, _LINES_TOGETHER)
            if not held:
                return
        place, text = held[number]
        end, is_open = number + 1, False
        if '"' in text and _is_open(text, delimiter):
            end = _closing_line(held, number, delimiter)
            is_open = end == number + 1
            text = "\n".join(line for _, line in held[number:end])
        if is_open:
            cells = text.split(delimiter)
        elif "\n" in text:
            rows = csv.reader(text.splitlines(keepends=True), delimiter=delimiter, skipinitialspace=True)
            cells = [cell for row in rows for cell in row]
        else:
            cells = next(iter(_parsed(text, delimiter)), [])
        yield Record(place, cells, None if is_open else text)
        number = end


def _closing_line(lines: Sequence[Line], start: int, delimiter: str) -> int:
    text = lines[start][1]
    for end in range(start + 1, min(start + _MOST_CELL_LINES, len(lines))):
        text += "\n" + lines[end][1]
        if '"' in lines[end][1] and not _is_open(text, delimiter):
            return end + 1
    return start + 1


def _is_open(text: str, delimiter: str) -> bool:
    """Tell whether a cell that begins with a quote is not closed, or is closed in the midst of it."""
    end = re.escape(delimiter)
    cell = rf' *+(?:"[^"]*+(?:""[^"]*+)*+" *+|(?!")[^{end}]*+)'
    return re.fullmatch(rf"{cell}(?:{end}{cell})*+", text) is None


def tables(rows: Sequence[tuple[Place, list[str]]]) -> Iterator[list[tuple[Place, list[str]]]]:
    """Split rows where, after an empty row, one without numbers begins: the heads of another table."""
    held: list[tuple[Place, list[str]]] = []
    blank = False
    for place, row in rows:
        filled = [cell for cell in row if cell.strip()]
        if not filled:
            blank = True
            continue
        if blank and held and len(filled) > 1 and not any(map(number_like, filled)):
            yield held
            held = []
        blank = False
        held.append((place, row))
    if held:
        yield held


_BRACKETED: Final = re.compile(r"\s*(?:[\[{(]|array|tensor|matrix).*|.*\]\)?,?\s*")
_DECIMAL: Final = re.compile(r"\s\d+$")


def rows_at(lines: Sequence[Line], start: int) -> Found | None:
    """Look for rows of a CSV or TSV in other text: as many cells in each, most of them numbers."""
    text = lines[start][1]
    nothing: Found | None = None
    for delimiter in _DELIMITERS:
        if delimiter not in text:
            continue
        end, rows = _run(lines, start, delimiter)
        filled = [row for _, row in rows if row]
        if len(filled) > 1 and _is_table(filled, delimiter):
            return Found(end, [block for table in tables(rows) for block in grid(table)])
        if len(rows) > 2:
            nothing = Found(min(end - 1, nothing.end if nothing else end), None)
    return nothing


def _run(lines: Sequence[Line], start: int, delimiter: str) -> tuple[int, list[tuple[Place, list[str]]]]:
    """Return rows from a line on, as far as they go, and the line after them; one blank line may stand between two."""
    rows: list[tuple[Place, list[str]]] = []
    end = start
    while end < len(lines):
        text = lines[end][1]
        if not text.strip() and rows and rows[-1][1] and end + 1 < len(lines) and delimiter in lines[end + 1][1]:
            rows.append((lines[end][0], []))
            end += 1
            continue
        if delimiter not in text or (delimiter == "," and _BRACKETED.fullmatch(text)):
            break
        row = (
            text.split(delimiter) if '"' not in text or delimiter == "\t" else next(iter(_parsed(text, delimiter)), [])
        )
        if rows and len(row) != len(rows[0][1]) and delimiter != "\t":
            break
        rows.append((lines[end][0], row))
        end += 1
    while rows and not rows[-1][1]:
        rows.pop()
        end -= 1
    if delimiter == "\t":
        # Tabs before a name and its value only indent them.
        pairs = [(place, row[-2:]) for place, row in rows]
        if all(row[:-2] == [""] * (len(row) - 2) and row[-2:][0].endswith(":") for _, row in rows if row):
            return end, pairs
    return end, rows


def _is_table(rows: Sequence[Sequence[str]], delimiter: str) -> bool:
    if max(len(cell) for row in rows for cell in row) > 200:
        return False
    if delimiter == ",":
        pairs = (pair for row in rows for pair in pairwise(row))
        decimal = any(_DECIMAL.search(left) and right[:1].isdigit() for left, right in pairs)
        # With spaces after its commas it may be prose: rows have heads then.
        spaced = any(", " in ",".join(row) for row in rows)
        if decimal or (spaced and any(map(number_like, rows[0][1:]))):
            return False
    body = [cell for row in rows[1:] for cell in row[1:]]
    numbers, values = any(map(number_like, body)), sum(map(value_like, body))
    if delimiter == "\t":
        return numbers and 3 * values >= len(body)
    return numbers and 5 * values >= 2 * len(body) and len(rows[0]) > 1
