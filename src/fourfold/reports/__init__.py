"""From a document to what it says about classifiers: readers make blocks, recognisers find reports in them."""

from .baseline import AcceptedFinding, Baseline, fingerprints, relative_name
from .blocks import Block, Grid, Lines, Place
from .checking import FAIL_ON, Check, CheckedDocument, check, read
from .documents import documents_in
from .judging import Finding, Given, judge
from .report import ReadColumn, Report
from .sheets import BOOKS, SHEETS, SheetCheck, SheetColumn, ToldRow, book_rows

# fmt: off
__all__ = [
    "BOOKS", "FAIL_ON", "SHEETS", "AcceptedFinding", "Baseline", "Block", "Check", "CheckedDocument", "Finding",
    "Given", "Grid", "Lines", "Place", "ReadColumn", "Report", "SheetCheck", "SheetColumn", "ToldRow", "book_rows",
    "check", "documents_in", "fingerprints", "judge", "read", "relative_name",
]
