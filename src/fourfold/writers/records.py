"""A result for programs and spreadsheets: JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable
from typing import Any, Final

from ..errors import MissingExtra, verbatim
from ..words import UNSHOWN

#: What JSON may hold as it is, but no terminal may get.
_ESCAPED: Final = re.compile(f"[{re.escape(''.join(chr(code) for code in UNSHOWN if code > 31))}]")

# What a spreadsheet would take for a formula.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def to_json(result: Any) -> str:
    """Return a result, or an error, as JSON text."""
    text = json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def to_xlsx(result: Any) -> bytes:
    """Return a result's rows as a workbook of one sheet."""
    try:
        from openpyxl import Workbook
    except ImportError:
        hint = 'pip install "fourfold[documents]"'
        raise MissingExtra(
            "missing_extra", "xlsx", "a workbook needs openpyxl", verbatim("no openpyxl"), hint
        ) from None
    rows = result.rows()
    names = list(dict.fromkeys(name for row in rows for name in row))
    book = Workbook(write_only=True)
    sheet = book.create_sheet("rows")
    sheet.append(names)
    for row in rows:
        sheet.append([_plain(row.get(name)) for name in names])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _plain(value: Any) -> Any:
    """Return what a cell can hold; a text is never a formula."""
    if value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    text = str(value).translate(UNSHOWN)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) and not text[1:2].isdigit() else text


def csv_line(cells: Iterable[object], delimiter: str = ",") -> str:
    """Return one row of a CSV file."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerow(cells)
    return text.getvalue()


def no_formula(text: str) -> str:
    """Return a text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def to_csv(result: Any) -> str:
    """Return a result's rows as CSV text with a header."""
    rows = result.rows()
    names = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
