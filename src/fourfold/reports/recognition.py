"""From a document to the reports in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from . import scores
from .joining import reports_in
from .readers import blocks, open_document
from .report import Report


def find_reports(document: str | Path) -> Iterator[Report]:
    """Walk the reports in a text or a file, in their order."""
    yield from reports_in(blocks(open_document(document)), [scores.find])
