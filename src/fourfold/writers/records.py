"""A result for programs and spreadsheets: JSON, CSV and a workbook."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from ..data import csv_line
from ..words import UNSHOWN

#: What JSON may hold as it is, but no terminal may get.
_ESCAPED: Final = re.compile(f"[{re.escape(''.join(chr(code) for code in UNSHOWN if code > 31))}]")


def to_json(result: Any) -> str:
    """Return a result, or an error, as JSON text."""
    text = json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def to_csv(result: Any) -> str:
    """Return a result's rows as CSV text with a header."""
    rows = result.rows()
    names = list(dict.fromkeys(name for row in rows for name in row))
    return "".join(csv_line(line, end="\n") for line in (names, *([row.get(name) for name in names] for row in rows)))


def to_xlsx(result: Any) -> bytes:
    """Return a result's rows as a workbook of one sheet."""
    from .workbooks import book_of

    return book_of(result.rows())
