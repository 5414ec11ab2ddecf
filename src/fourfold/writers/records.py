"""A result for programs and spreadsheets: JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from typing import Any


def to_json(result: Any) -> str:
    """Return a result as JSON text."""
    return json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)


def to_csv(result: Any) -> str:
    """Return a result's rows as CSV text with a header."""
    rows = result.rows()
    names = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
