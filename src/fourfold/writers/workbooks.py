"""Workbooks of Excel, through openpyxl: verdicts beside the rows of one that is there, or rows as a new one."""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from itertools import chain, count
from pathlib import Path
from typing import Any, BinaryIO, Final

from ..data import inert
from ..errors import InputError, MissingExtra, Note
from ..reports.sheets import RowVerdict, SheetColumn, SheetRow
from ..words import UNSHOWN

#: What a sheet of a workbook holds.
MOST_ROWS: Final = 1_048_576
_MOST_TEXT: Final = 32_767
_READ_AS: Final = "read as"
_READ_AS_HEADS: Final = ("sheet", "column", "head", "read as")
#: Parts of a workbook that openpyxl does not write again.
_LOST: Final = {
    "charts": re.compile(r"xl/charts/chart"),
    "pictures and shapes": re.compile(r"xl/(?:media/|drawings/(?:drawing|vmlDrawing)\d*\.(?:xml|vml)$)"),
    "slicers": re.compile(r"xl/slicer"),
    "comments with answers": re.compile(r"xl/threadedComments/"),
    "form fields": re.compile(r"xl/(?:ctrlProps|activeX)/"),
    "queries": re.compile(r"xl/(?:queryTables|connections)"),
}
_MACROS: Final = "xl/vbaProject.bin"


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError:
        hint = "pip install 'fourfold[documents]'"
        raise MissingExtra("missing_extra", "--output", "a workbook needs openpyxl", ".xlsx", hint) from None
    return openpyxl


def letters(column: int) -> str:
    """Return the letters of a column, from 1."""
    name = ""
    while column > 0:
        column, digit = divmod(column - 1, 26)
        name = chr(ord("A") + digit) + name
    return name


def needs_openpyxl() -> None:
    """Raise where workbooks cannot be written."""
    _openpyxl()


@contextmanager
def _saving(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, InputError):
        raise
    except Exception as error:
        problem = " ".join(str(error).split())[:80] or type(error).__name__
        hint = "save it again from an office program, or write to a .csv file"
        raise InputError("bad_shape", "document", f"cannot be written again ({problem})", path.name, hint) from None


def write_verdict_book(
    source: Path,
    output: BinaryIO,
    suffix: str,
    verdicts: Iterable[RowVerdict],
    names: Sequence[str],
    heads: Iterable[tuple[str, int]],
    columns: Iterable[SheetColumn],
) -> list[Note]:
    """Write a workbook again with verdicts behind the last column of its sheets; return what was not kept."""
    openpyxl = _openpyxl()
    macros = suffix.casefold() == ".xlsm"
    with _saving(source):
        book = openpyxl.load_workbook(source, rich_text=True, keep_vba=macros)
        ends = {sheet.title: sheet.max_column for sheet in book.worksheets}
        for sheet, row in heads:
            for place, name in enumerate(names, ends[sheet] + 1):
                cell = _put(book[sheet], row, place, name)
                _like(cell, book[sheet].cell(row, ends[sheet]))
        for verdict in verdicts:
            for place, text in enumerate(verdict.cells, ends[verdict.sheet] + 1):
                if text:
                    _put(book[verdict.sheet], verdict.row, place, text)
        _add_read_as(book, columns)
        book.save(output)
    with zipfile.ZipFile(source) as folder:
        parts = folder.namelist()
    lost = [words for words, pattern in _LOST.items() if any(pattern.match(part) for part in parts)]
    if _MACROS in parts and not macros:
        lost.append("macros")
    if not lost:
        return []
    return [Note("formats_not_kept", f"not all of these are kept: {', '.join(lost)}", {"parts": lost})]


def _put(sheet: Any, row: int, column: int, text: str) -> Any:
    return _filled(sheet.cell(row, column), _plain(text))


def _plain(text: str) -> str | float:
    """Return a text that a cell can hold; a count or a rate as a number."""
    if text.isdecimal() and len(text) < 16:
        return int(text)
    return float(text) if re.fullmatch(r"[01]\.[0-9]{4}", text) else text


def _filled(cell: Any, value: object) -> Any:
    """Put a value into a cell; a text is a text, also when it is edited, whatever it begins with."""
    if value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        cell.value = value
        return cell
    text = str(value).translate(UNSHOWN)[:_MOST_TEXT]
    cell.value = text
    # Else a text that begins with = is a formula.
    cell.data_type = "s"
    cell.quotePrefix = inert(text) != text
    return cell


def _like(cell: Any, other: Any) -> None:
    """Give a head the look of the one beside it."""
    if other.has_style:
        cell._style = copy(other._style)


def _add_read_as(book: Any, columns: Iterable[SheetColumn]) -> None:
    sheet = book.create_sheet(_free_title(book.sheetnames))
    lines = [_READ_AS_HEADS, *((one.sheet, one.column, one.head, one.meaning) for one in columns)]
    for row, cells in enumerate(lines, 1):
        for column, text in enumerate(cells, 1):
            _filled(sheet.cell(row, column), text)
    for letter, width in zip("ABCD", (16, 8, 24, 60), strict=True):
        sheet.column_dimensions[letter].width = width


def _free_title(taken: Container[str]) -> str:
    titles = chain([_READ_AS], (f"{_READ_AS} ({number})" for number in count(2)))
    return next(title for title in titles if title not in taken)


def write_rows_as_book(
    output: BinaryIO, rows: Iterable[tuple[SheetRow, Sequence[str]]], width: int, columns: Iterable[SheetColumn]
) -> None:
    """Write rows as a new workbook, each cell as the text that it is: 0.740 stays 0.740."""
    book = _openpyxl().Workbook(write_only=True)
    sheets: dict[str, Any] = {}
    for row, cells in rows:
        name = row.sheet or "rows"
        if name not in sheets:
            sheets[name] = book.create_sheet(name)
        _append(sheets[name], (*row.cells, *[""] * (width - len(row.cells)), *cells))
    sheet = book.create_sheet(_free_title(sheets))
    for line in (_READ_AS_HEADS, *((one.sheet, one.column, one.head, one.meaning) for one in columns)):
        _append(sheet, line)
    book.save(output)


def book_of(rows: Sequence[Mapping[str, object]]) -> bytes:
    """Return rows as a workbook of one sheet; numbers are numbers."""
    book = _openpyxl().Workbook(write_only=True)
    sheet = book.create_sheet("rows")
    names = list(dict.fromkeys(name for row in rows for name in row))
    _append(sheet, names)
    for row in rows:
        _append(sheet, [row.get(name) for name in names])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _append(sheet: Any, values: Iterable[object]) -> None:
    from openpyxl.cell import WriteOnlyCell

    sheet.append([None if value in (None, "") else _filled(WriteOnlyCell(sheet), value) for value in values])
