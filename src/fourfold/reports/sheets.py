"""Review sheets: a verdict for each row, found while the file is read.

A file of rows is read piece by piece, so that it may be of any length. What the heads of a table mean is told by the
heads and by the rows below them; so each piece is looked at together with the heads of the table that it goes on
with, and with the first rows of that table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

from ..batch import digest
from ..documents import blocks
from ..documents.blocks import Block, Grid, Place
from ..documents.delimited import dialect, records, tables
from ..documents.parts import Line, column_number, grid, value_like
from ..documents.text import lines_of
from ..errors import InputError, Notes
from ..processes import share_in_pieces
from ..shape import Count, Record, Result
from . import score_lines
from .cells import CELLS
from .joining import reports_in, with_said
from .judging import SEVERITY, Finding, Given, judge
from .report import ReadColumn, Report

#: Rows that are recognised together, and rows of the table's beginning that are looked at with them.
_PIECE: Final = 1000
_CONTEXT: Final = 100
_MOST_HEADS: Final = 12
_SAMPLE: Final = 200
#: Rows that a process is handed at once.
_ROWS_TOGETHER: Final = 8
#: What a row with numbers says that was not read.
UNREAD: Final = "not read"
VERDICT_COLUMNS: Final = (
    *("verdict", "why", *CELLS, "tables"),
    *("sensitivity low", "sensitivity high", "specificity low", "specificity high"),
    *("assumed", "not used", "error"),
)
BOOKS: Final = frozenset({".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"})
ROW_FILES: Final = frozenset({".csv", ".tsv", ".tab", ".psv", ".txt"})
#: Files that are sheets for sure.
SHEETS: Final = BOOKS | ROW_FILES - {".txt"}


class SheetRow(NamedTuple):
    """A row of a sheet: the line where it begins, or its number in the workbook."""

    sheet: str | None
    number: int
    cells: tuple[str, ...]
    #: The row as it is written, where it can be written so again.
    text: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no cell says anything."""
        return not any(cell.strip() for cell in self.cells)


class RowVerdict(NamedTuple):
    """What is written beside a row."""

    sheet: str
    row: int
    title: str
    verdict: str
    why: str = ""
    tp: str = ""
    fn: str = ""
    fp: str = ""
    tn: str = ""
    tables: str = ""
    sensitivity_low: str = ""
    sensitivity_high: str = ""
    specificity_low: str = ""
    specificity_high: str = ""
    assumed: str = ""
    ignored: str = ""
    error: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of the verdict columns."""
        return self[3:]

    @property
    def where(self) -> str:
        """The row in words."""
        return f"{self.sheet}, row {self.row}" if self.sheet else f"line {self.row}"


class ReadTable(NamedTuple):
    """A table of a sheet: the row of its heads, and what its columns were taken for."""

    sheet: str
    head: int
    columns: tuple[ReadColumn, ...]
    #: How many columns of the sheet are left of it.
    left: int = 0


@dataclass(frozen=True)
class Progress:
    """How far a sheet is read, so that reading can go on from there: the table that the next rows belong to."""

    rows: int = 0
    heads: tuple[SheetRow, ...] = ()
    context: tuple[SheetRow, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {"rows": self.rows, "heads": self.heads, "context": self.context}

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Progress:
        """Return what plain values say."""
        heads, context = (
            tuple(SheetRow(sheet, number, tuple(cells)) for sheet, number, cells, _ in plain[name])
            for name in ("heads", "context")
        )
        return cls(int(plain["rows"]), heads, context)


class Piece(NamedTuple):
    """Rows with their verdicts as they are found, the tables that these rows are of, and how far it is then."""

    rows: Sequence[SheetRow]
    verdicts: Iterator[RowVerdict]
    tables: Sequence[ReadTable]
    after: Progress


def open_sheet(path: Path) -> Sheet:
    """Return a file as a sheet; what is neither rows of text nor a workbook is refused."""
    suffix = path.suffix.casefold()
    if not path.is_file():
        # The reader knows how to say it.
        list(blocks(path))
    if suffix in BOOKS:
        return Workbook(path)
    if suffix in ROW_FILES:
        return RowFile(path)
    hint = f"give one of {', '.join(sorted(ROW_FILES | BOOKS))}"
    raise InputError("bad_option", "--output", "works only with a sheet", path.name, hint)


class _File:
    def __init__(self, path: Path) -> None:
        self.path = path

    def fingerprint(self) -> str:
        """Return what changes when the file does."""
        return digest(self.path)


class RowFile(_File):
    """CSV or TSV, of any dialect and length."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        with path.open("rb") as file:
            sample = [text for _, text in islice(lines_of(file), _SAMPLE)]
        tabs = path.suffix.casefold() in (".tsv", ".tab")
        self.delimiter, said = dialect([_clean(text) for text in sample], tabs=tabs)
        #: The line that says the delimiter, where there is one.
        self.first_line = sample[0] if said else None

    @cached_property
    def _size(self) -> tuple[int, int, int]:
        count = width = empty = 0
        for row in self.rows():
            count, width, empty = count + 1, max(width, len(row.cells)), empty + row.is_empty
        return count, width, empty

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return self._size[0]

    @property
    def width(self) -> int:
        """How many cells the longest row has."""
        return self._size[1]

    @property
    def empty_rows(self) -> int:
        """How many rows are empty."""
        return self._size[2]

    def rows(self) -> Iterator[SheetRow]:
        """Walk the rows in order."""
        with self.path.open("rb") as file:
            for place, cells, text in records(self._lines(file), self.delimiter):
                assert place.line is not None
                yield SheetRow(None, place.line, tuple(cells), text)

    def _lines(self, file: Any) -> Iterator[Line]:
        for number, (_, text) in enumerate(lines_of(file), 1):
            if number > 1 or self.first_line is None:
                yield Place(line=number), _clean(text)

    def pieces(self, done: int) -> Iterator[tuple[int, list[SheetRow]]]:
        """Walk rows that are looked at together, with the place of the first."""
        start = done - done % _PIECE
        rows = islice(self.rows(), start, None)
        while piece := list(islice(rows, _PIECE)):
            yield start, piece
            start += _PIECE

    def blocks(self, rows: Sequence[SheetRow], progress: Progress) -> list[Block]:
        """Return what recognisers look at for some rows."""
        whole = (*progress.heads, *progress.context, *rows)
        placed = [(Place(line=row.number), list(row.cells)) for row in whole]
        return [block for table in tables(placed) for block in grid(table)]


def _clean(text: str) -> str:
    return text.rstrip("\r\n").replace("\x00", "")


class Workbook(_File):
    """A workbook; every sheet is looked at as a whole."""

    empty_rows: Final = 0

    @cached_property
    def _sheets(self) -> dict[str, list[Block]]:
        found: dict[str, list[Block]] = {}
        for block in blocks(self.path):
            found.setdefault(block.places[0].sheet or "", []).append(block)
        return found

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return sum(len(block.places) for own in self._sheets.values() for block in own)

    @property
    def width(self) -> int:
        """How many cells the longest row has."""
        return max((len(row.cells) for row in self.rows()), default=0)

    def rows(self) -> Iterator[SheetRow]:
        """Yield the rows in order."""
        for _, rows in self.pieces(0):
            yield from rows

    def pieces(self, done: int) -> Iterator[tuple[int, list[SheetRow]]]:
        """Yield rows that are looked at together, with the place of the first."""
        start = 0
        for sheet, own in self._sheets.items():
            rows = [SheetRow(sheet, _number(place), cells) for block in own for place, cells in _rows_of(block)]
            if start + len(rows) > done:
                yield start, rows
            start += len(rows)

    def blocks(self, rows: Sequence[SheetRow], progress: Progress) -> list[Block]:
        """Return what recognisers look at for some rows."""
        return self._sheets[rows[0].sheet or ""]


#: A file of rows: text of any length, or a workbook.
Sheet: TypeAlias = RowFile | Workbook


def book_rows(path: Path) -> Iterator[dict[str, str]]:
    """Walk the rows below the heads of the first table in a workbook, as texts by head."""
    table = next((block for block in blocks(path) if isinstance(block, Grid)), None)
    if table is None:
        raise InputError("empty", "table", "has no rows", path.name, "check how it was written")
    heads, *rows = table.rows
    names = [head or f"column {place}" for place, head in enumerate(heads, 1)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError("ambiguous", "table", "two columns have the same name", twice, "rename one of them")
    for cells in rows:
        yield dict(zip(names, cells, strict=True))


def _rows_of(block: Block) -> Iterator[tuple[Place, tuple[str, ...]]]:
    texts = block.rows if isinstance(block, Grid) else [(text,) for text in block.texts]
    return zip(block.places, texts, strict=True)


def _number(place: Place) -> int:
    """Return the row or the line of a place."""
    return place.line or int(re.sub(r"\D", "", place.cell or "") or 0)


def judged_pieces(sheet: Sheet, given: Given, progress: Progress, *, n_jobs: int = 1) -> Iterator[Piece]:
    """Walk a sheet in pieces from where `progress` is, each row with its verdict.

    A row that is not read says why; heads, titles and empty rows have no verdict.
    """
    for start, rows in sheet.pieces(progress.rows):
        looked_at = list(with_said(sheet.blocks(rows, progress), given.columns))
        found = reports_in(looked_at, [score_lines.find])
        begun = list(_begun(found, looked_at))
        skipped = max(progress.rows - start, 0)
        work = list(_work(rows[skipped:], found, begun, goes_on=bool(progress.heads)))
        after = Progress(start + len(rows))
        if isinstance(sheet, RowFile):
            after = _going_on(after, begun, [*progress.heads, *progress.context, *rows])
        judged = partial(_row_verdict, given=given, document=str(sheet.path))
        verdicts = share_in_pieces(judged, work, n_jobs, at_once=_ROWS_TOGETHER, held=_PIECE)
        yield Piece(rows[skipped:], verdicts, begun, after)
        progress = after


def _work(
    rows: Sequence[SheetRow], found: Iterable[Report], begun: Sequence[ReadTable], *, goes_on: bool
) -> Iterator[tuple[SheetRow, tuple[Report, ...]]]:
    """Walk the rows that get a verdict or a reason, with their reports: all but titles, heads and empty rows."""
    reports: dict[tuple[str | None, int], list[Report]] = {}
    for report in found:
        reports.setdefault((report.where.sheet, _number(report.where)), []).append(report)
    heads = {table.head for table in begun}
    first = 0 if goes_on else min(heads, default=None)
    for row in rows:
        told = tuple(reports.get((row.sheet, row.number), ()))
        if told or (first is not None and row.number > first and row.number not in heads and not row.is_empty):
            yield row, told


def _begun(found: Iterable[Report], looked_at: Sequence[Block]) -> Iterator[ReadTable]:
    """Walk the tables that begin in blocks: where their heads are, and what their columns are."""
    seen = set()
    for report in found:
        table = report.table
        if table is None or table in seen:
            continue
        seen.add(table)
        for block in looked_at:
            if table in block.places and block.places.index(table):
                head = block.places[block.places.index(table) - 1]
                left = column_number(re.sub(r"[^A-Z]", "", table.cell or "A")) - 1
                yield ReadTable(table.sheet or "", _number(head), report.columns, left)


def _going_on(after: Progress, begun: Sequence[ReadTable], rows: Sequence[SheetRow]) -> Progress:
    """Return what the rows after these belong to: the last table that begins among them."""
    if not begun:
        return after
    place = next(n for n, row in enumerate(rows) if row.number == begun[-1].head)
    start = place
    while start and not rows[start - 1].is_empty and place - start < _MOST_HEADS:
        start -= 1
    heads, context = rows[start : place + 1], rows[place + 1 : place + 1 + _CONTEXT]
    bare = (tuple(row._replace(text=None) for row in part) for part in (heads, context))
    return Progress(after.rows, *bare)


def _row_verdict(told: tuple[SheetRow, tuple[Report, ...]], given: Given, document: str) -> RowVerdict:
    """Judge the reports of a row; whatever is wrong with it does not stop the others."""
    row, reports = told
    where = row.sheet or "", row.number
    title = reports[0].title if reports else ", ".join(cell.strip() for cell in row.cells if cell.strip())[:80]
    if not reports:
        numbers = any(value_like(cell) for cell in row.cells if cell.strip())
        return RowVerdict(*where, title, UNREAD, error="no score is printed in it" if numbers else "it has no numbers")
    try:
        findings = [judge(report, given, document) for report in reports]
        return _told(where, title, findings)
    except Exception as error:
        return RowVerdict(*where, title, UNREAD, error=f"unexpected {type(error).__name__}: {error}"[:500])


def _told(where: tuple[str, int], title: str, findings: Sequence[Finding]) -> RowVerdict:
    worst = min(findings, key=lambda finding: SEVERITY.index(finding.verdict))
    if len(findings) == 1:
        why = worst.words
    else:
        why = " ".join(f"{finding.report.title}: {finding.verdict}: {finding.words}" for finding in findings)
        parts = zip(*(finding.report.title.split(", ") for finding in findings), strict=False)
        title = ", ".join(part[0] for part in parts if len(set(part)) == 1) or title
    table = (worst.only_table if len(findings) == 1 else None) or {}
    tables = [str(table.get(cell, "")) for cell in CELLS]
    if (fit := worst.fitting if len(findings) == 1 else None) is not None:
        ends = (fit.sensitivity.low, fit.sensitivity.high, fit.specificity.low, fit.specificity.high)
        tables += [str(fit.count), *("" if end is None else f"{end:.4f}" for end in ends)]
    else:
        tables += [""] * 5
    assumed = "; ".join(dict.fromkeys(words for finding in findings for words in finding.report.assumed))
    ignored = "; ".join(dict.fromkeys(words for finding in findings for words in finding.ignored))
    verdict, error = worst.verdict, ""
    if all(not finding.checked for finding in findings) and verdict == "not checked":
        error = worst.reason
    return RowVerdict._make((*where, title, verdict, why, *tables, assumed, ignored, error))


@dataclass(frozen=True)
class ToldRow(Record):
    """A row with its verdict."""

    where: Annotated[str, "Its place in the sheet."]
    title: Annotated[str, "What it is about."]
    verdict: Annotated[str, "The verdict; not read where there is none."]
    why: Annotated[str, "The verdict in words."] = ""
    assumed: Annotated[str, "What was assumed."] = ""
    ignored: Annotated[str, "What was there but not used."] = ""
    error: Annotated[str, "Why it was not read or not checked."] = ""


@dataclass(frozen=True)
class SheetColumn(Record):
    """A column of a sheet, and what it was taken for."""

    sheet: Annotated[str, "The sheet; empty for a file of rows."]
    column: Annotated[str, "Its letters, as a spreadsheet names it; empty where scores stand in rows."]
    head: Annotated[str, "Its heading."]
    meaning: Annotated[str, "How it was read, or why it was not used."]
    used: Annotated[bool, "Whether it was used."]


@dataclass(frozen=True)
class SheetCheck(
    Result, schema="sheet_check", source="`check` with `--output`",
    members="verdict source output row_count empty_rows counts columns impossible unread notes",
):  # fmt: skip
    """What the rows of a sheet say, and whether it is possible."""

    source: Annotated[str, "The sheet that was read."]
    output: Annotated[str, "The sheet that was written."]
    row_count: Annotated[Count, "How many rows have a verdict, or a reason why they have none."]
    empty_rows: Annotated[Count, "How many rows are empty."]
    counts: Annotated[dict[str, int], "How many rows got each verdict."]
    columns: Annotated[tuple[SheetColumn, ...], "How each column was read."]
    impossible: Annotated[tuple[ToldRow, ...], "Rows that are impossible; if there are very many, only the first."]
    unread: Annotated[dict[str, int], "Why rows were not read or not checked, and how many."]
    notes: Notes = ()
    #: The first rows, for pages.
    told: tuple[ToldRow, ...] = field(default=(), repr=False)

    @property
    def verdict(self) -> Annotated[str, "The worst verdict of all."]:
        """The worst verdict of all."""
        return next((verdict for verdict in SEVERITY if self.counts.get(verdict)), "not checked")

    def _rows(self) -> list[dict[str, Any]]:
        return [row.to_dict() for row in self.told]
