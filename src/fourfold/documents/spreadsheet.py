"""Sheets of workbooks: cells as a person sees them, each row with its sheet and cell."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache
from typing import Final
from xml.etree import ElementTree

from ..errors import TooLarge
from .blocks import Place
from .delimited import tables
from .parts import MOST_CELLS, MOST_SHEETS, Part, grid, needed, reading, too_large


def read_xlsx(data: bytes, name: str) -> Iterator[Part]:
    """Read a workbook of Excel, numbers as their formats show them."""
    openpyxl = needed("openpyxl", "openpyxl", "a workbook", name)
    with reading("a workbook", name):
        # Only the values that were computed when it was saved; nothing is computed here.
        book = openpyxl.load_workbook(io.BytesIO(data), data_only=True, keep_links=False)
    for sheet in book.worksheets[:MOST_SHEETS]:
        with reading("a workbook", name):
            # Cells are held by their places: asking row by row would make every empty one.
            if len(sheet._cells) > MOST_CELLS:
                raise _too_many(len(sheet._cells))
            rows: dict[int, dict[int, str]] = {}
            for (number, column), cell in sheet._cells.items():
                if text := shown(cell.value, cell.number_format):
                    rows.setdefault(number, {})[column] = text
            merged = [(area.min_row, area.min_col, area.max_row, area.max_col) for area in sheet.merged_cells.ranges]
        yield from _sheet(sheet.title, rows, merged)


def read_other(data: bytes, name: str) -> Iterator[Part]:
    """Read a workbook of another kind: xls, xlsb. Formats of numbers are not told."""
    calamine = needed("python_calamine", "python-calamine", "a workbook", name)
    with reading("a workbook", name):
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        names = list(book.sheet_names)[:MOST_SHEETS]
    for title in names:
        with reading("a workbook", name):
            sheet = book.get_sheet_by_name(title)
            if sheet.total_height * sheet.total_width > 10 * MOST_CELLS:
                raise _too_many(sheet.total_height * sheet.total_width)
            values = sheet.to_python(skip_empty_area=False)
            rows = {
                number: {column: text for column, value in enumerate(row, 1) if (text := shown(value, "General"))}
                for number, row in enumerate(values, 1)
            }
            areas = getattr(sheet, "merged_cell_ranges", None) or []
            merged = [(top + 1, left + 1, bottom + 1, right + 1) for (top, left), (bottom, right) in areas]
        yield from _sheet(title, rows, merged)


_TABLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT: Final = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"


def read_ods(data: bytes, name: str) -> Iterator[Part]:
    """Read a workbook of OpenDocument: each cell holds the text that is shown."""
    with reading("a workbook", name):
        with zipfile.ZipFile(io.BytesIO(data)) as folder:
            # Entities were refused when it was unpacked.
            content = ElementTree.fromstring(folder.read("content.xml"))  # noqa: S314
        sheets = list(content.iter(f"{_TABLE}table"))[:MOST_SHEETS]
    for sheet in sheets:
        with reading("a workbook", name):
            rows, merged = _ods_rows(sheet)
        yield from _sheet(sheet.get(f"{_TABLE}name") or "", rows, merged)


def _ods_rows(sheet: ElementTree.Element) -> tuple[dict[int, dict[int, str]], list[tuple[int, int, int, int]]]:
    rows: dict[int, dict[int, str]] = {}
    merged: list[tuple[int, int, int, int]] = []
    number = 1
    for line in sheet.iter(f"{_TABLE}table-row"):
        texts: dict[int, str] = {}
        column = 1
        for cell in line:
            times = _whole(cell.get(f"{_TABLE}number-columns-repeated"))
            text = "\n".join("".join(paragraph.itertext()) for paragraph in cell.iter(f"{_TEXT}p"))
            if text:
                texts.update(dict.fromkeys(range(column, column + times), text))
            high, wide = (_whole(cell.get(f"{_TABLE}number-{side}-spanned")) for side in ("rows", "columns"))
            if high * wide > 1:
                merged.append((number, column, number + high - 1, column + wide - 1))
            column += times
        times = _whole(line.get(f"{_TABLE}number-rows-repeated"))
        if texts:
            rows.update({number + n: dict(texts) for n in range(times)})
        number += times
    return rows, merged


def _whole(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 8 and int(text) else 1


def _too_many(cells: int) -> TooLarge:
    hint = f"at most {MOST_CELLS:,} are read; give the sheet with the results"
    return too_large("has too many cells", f"{cells:,}", hint)


def _sheet(title: str, rows: dict[int, dict[int, str]], merged: Sequence[tuple[int, int, int, int]]) -> Iterator[Part]:
    width = max((max(row) for row in rows.values() if row), default=0)
    first = min((min(row) for row in rows.values() if row), default=1)
    last = max((number for number, row in rows.items() if row), default=0)
    for top, left, bottom, right in merged:
        text = rows.get(top, {}).get(left, "")
        if text:
            for number in range(top, min(bottom, max(last, top)) + 1):
                for column in range(left, min(right, max(width, left)) + 1):
                    rows.setdefault(number, {}).setdefault(column, text)
    filled = {number: rows[number] for number in sorted(rows) if rows[number]}
    cells = len(filled) * (width - first + 1)
    if cells > MOST_CELLS:
        raise _too_many(cells)
    texts: list[tuple[Place, list[str]]] = []
    for number, row in filled.items():
        if texts and number - 1 not in filled:
            # One empty row for each gap.
            texts.append((Place(sheet=title), []))
        place = Place(sheet=title, cell=f"{letters(first)}{number}")
        texts.append((place, [row.get(column, "") for column in range(first, width + 1)]))
    for table in tables(texts):
        yield from grid(table)


def letters(column: int) -> str:
    """Return the letters of a column, from 1.

    Examples
    --------
    >>> letters(1), letters(28)
    ('A', 'AB')
    """
    name = ""
    while column > 0:
        column, digit = divmod(column - 1, 26)
        name = chr(ord("A") + digit) + name
    return name


def shown(value: object, form: str) -> str:
    """Return a value of a cell as its format shows it.

    Examples
    --------
    >>> shown(0.915, "0.0%"), shown(0.9, "0.000"), shown(12.0, "General"), shown(2400, "#,##0")
    ('91.5%', '0.900', '12', '2,400')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float | Decimal):
        try:
            exact = Decimal(str(value))
            whole = exact == exact.to_integral_value()
        except (InvalidOperation, ValueError):
            return str(value)
        pattern = _pattern(form, exact < 0)
        if pattern is None or abs(exact) >= Decimal(10) ** 30:
            return str(int(exact)) if whole and abs(exact) < Decimal(10) ** 15 else str(value)
        before, decimals, optional, thousands, percent, after = pattern
        exact = exact * 100 if percent else exact
        rounded = abs(exact).quantize(Decimal(1).scaleb(-decimals - optional), ROUND_HALF_UP)
        text = f"{rounded:,f}" if thousands else f"{rounded:f}"
        for _ in range(optional):
            text = text.removesuffix("0")
        sign = "-" if exact < 0 and rounded else ""
        return f"{before}{sign}{text.removesuffix('.')}{after}"
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    return str(value)


@lru_cache(maxsize=4096)
def _pattern(form: str, negative: bool) -> tuple[str, int, int, bool, bool, str] | None:
    """Read a format such as `0.0%` or `#,##0.00 "ms"`; None for one that is general, scientific or of another kind."""
    sections = form.split(";")
    form = sections[1] if negative and len(sections) > 1 and re.search("[0#?]", sections[1]) else sections[0]
    form = re.sub(r"\[[^\]]*\]|[_*].", "", form)
    match = re.fullmatch(r"(.*?)([#0?,]*)(?:\.([0#?]*))?([^#0?]*)", re.sub(r'"[^"]*"|\\.', lambda m: _hide(m[0]), form))
    if match is None or not re.search("[0#?]", match[2] + (match[3] or "")):
        return None
    if re.search(r"[eEyYmMdDhHsS@/]", match[1] + match[4]):
        return None
    before, after = (_unhide(part).replace("-", "").replace("(", "").replace(")", "") for part in (match[1], match[4]))
    decimals = match[3] or ""
    percent = "%" in match[1] + match[4]
    return before, decimals.count("0"), len(decimals) - decimals.count("0"), "," in match[2], percent, after.rstrip()


# Characters of words in a format are moved out of the way of its signs while it is read.
_AWAY: Final = 0xF0000


def _hide(text: str) -> str:
    inside = text[1:-1] if text.startswith('"') else text[1:]
    return "".join(chr(_AWAY + ord(character)) for character in inside if ord(character) < 0xFFFF)


def _unhide(text: str) -> str:
    return "".join(chr(ord(character) - _AWAY) if ord(character) >= _AWAY else character for character in text)
