"""A result for programs and spreadsheets: JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

from ..errors import MissingExtra, verbatim
from ..words import UNSHOWN


def to_json(result: Any) -> str:
    """Return a result as JSON text."""
    return json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)


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
    return f"'{text}" if text[:1] in "=+-@" and not text[1:2].isdigit() else text


def to_csv(result: Any) -> str:
    """Return a result's rows as CSV text with a header."""
    rows = result.rows()
    names = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
