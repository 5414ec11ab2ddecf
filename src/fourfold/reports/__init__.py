"""From the blocks of a document to what it says about classifiers, and whether that can be.

In: blocks of `documents`: grids, and lines of text, which `class_lines` and `score_lines` lay out as grids.
Out: reports, and a `Check` with a finding for each. `class_reports`, `matrices` and `score_tables` read grids by the
words of `vocabulary`; `joining` puts together what is about one test set; `judging` says whether it can be.
"""

from typing import TYPE_CHECKING

from ..names import when_used

if TYPE_CHECKING:
    from ..documents import ENDINGS
    from ..documents.blocks import UNUSED, Block, Grid, Lines, Place
    from .baseline import AcceptedFinding, Baseline, fingerprints, relative_name
    from .checking import FAIL_ON, FAILING, VERDICTS, Check, CheckedTable, check, read
    from .documents import CheckedDocument, documents_in
    from .judging import Finding, Given, judge
    from .previews import ROLES, Preview, PreviewColumn, preview, table_in
    from .report import ReadColumn, Report
    from .sheets import BOOKS, ROW_FILES, SHEETS, SheetCheck, SheetColumn, ToldRow, book_rows
    from .studies import Studies, Study
else:
    __getattr__, __dir__ = when_used(__name__)

__all__ = [
    "BOOKS", "ENDINGS", "FAILING", "FAIL_ON", "ROLES", "ROW_FILES", "SHEETS", "UNUSED", "VERDICTS", "AcceptedFinding",
    "Baseline", "Block", "Check", "CheckedDocument", "CheckedTable", "Finding", "Given", "Grid", "Lines", "Place",
    "Preview", "PreviewColumn", "ReadColumn", "Report", "SheetCheck", "SheetColumn", "Studies", "Study",
    "ToldRow", "book_rows", "check",
    "documents_in", "fingerprints", "judge", "preview", "read", "relative_name", "table_in",
]  # fmt: skip
