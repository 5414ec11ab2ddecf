"""From blocks of a document to the reports in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .report import Report


def find_reports(document: str | Path) -> Iterator[Report]:
    """Walk the reports in a text or a file, in their order."""
    raise NotImplementedError
