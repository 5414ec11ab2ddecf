"""From a document to the reports in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ..documents import blocks, open_document
from ..documents.blocks import Block, Grid
from . import scores
from .joining import reports_in
from .report import Report


def find_reports(document: str | Path, columns: Mapping[str, str] | None = None) -> Iterator[Report]:
    """Walk the reports in a text or a file, in their order; `columns` says what some columns are."""
    yield from reports_in(with_said(blocks(open_document(document)), columns or {}), [scores.find])


def with_said(found: Iterable[Block], columns: Mapping[str, str]) -> Iterator[Block]:
    """Walk blocks; tables know what somebody says about their columns."""
    for block in found:
        yield replace(block, said=columns) if columns and isinstance(block, Grid) else block
