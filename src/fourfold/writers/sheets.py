"""A sheet with a verdict beside each row.

Verdicts are written to a file beside the output as they are found, with a note of how far they go; so what was
interrupted continues after the last whole row. When all are there, the output is put together and put in its place.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from .. import __version__
from ..batch import PartFile, Piece, run
from ..data import csv_line, inert, without_marks, writing
from ..errors import InputError, Note, TooLarge, verbatim
from ..reports.judging import Given
from ..reports.report import ReadColumn
from ..reports.sheets import (
    ROW_FILES,
    UNREAD,
    VERDICT_COLUMNS,
    Progress,
    ReadTable,
    RowFile,
    RowVerdict,
    Sheet,
    SheetCheck,
    SheetColumn,
    SheetRow,
    ToldRow,
    Workbook,
    judged_pieces,
    open_sheet,
)
from ..words import count_of
from .workbooks import MOST_ROWS, letters, needs_openpyxl, write_rows_as_book, write_verdict_book

_BOM: Final = "\ufeff"
# Of very many rows, this many are told in the answer and on a page.
_MOST_IMPOSSIBLE: Final = 100
_MOST_TOLD: Final = 1000


@dataclass
class _Kept:
    """What is known of a sheet so far, beside the verdicts themselves."""

    progress: Progress
    tables: dict[tuple[str, int], ReadTable]

    def state(self) -> dict[str, Any]:
        """Return plain values."""
        tables = [
            {**one._asdict(), "columns": [asdict(column) for column in one.columns]} for one in self.tables.values()
        ]
        return {"progress": self.progress.to_dict(), "tables": tables}

    @classmethod
    def of(cls, part: PartFile) -> _Kept:
        """Return what an earlier run kept, or nothing."""
        if not part.rows:
            return cls(Progress(), {})
        tables = [
            ReadTable(one["sheet"], one["head"], tuple(ReadColumn(**column) for column in one["columns"]), one["left"])
            for one in part.state["tables"]
        ]
        progress = replace(Progress.read(part.state["progress"]), rows=part.rows)
        return cls(progress, {(one.sheet, one.head): one for one in tables})


def write_verdicts(
    source: str | Path,
    output: str | Path,
    given: Given | None = None,
    *,
    n_jobs: int = 1,
    progress: Callable[[float], None] | None = None,
) -> SheetCheck:
    """Write a sheet again with a verdict beside each row.

    A workbook is written as a workbook with all that openpyxl keeps, and with a sheet that says what each column was
    taken for. Rows of text are written with their own delimiter, in UTF-8 with a mark that spreadsheets know.

    Parameters
    ----------
    source
        A CSV or TSV file, or a workbook.
    output
        The file to write; its ending says its kind. It must be another than `source`.
    given
        Sizes, folds and readings for rows that do not say them.
    n_jobs
        How many processes work at it.
    progress
        Called with the share of rows that are done.
    """
    source, output = Path(source), Path(output)
    sheet = open_sheet(source)
    # Refuse an output that cannot be written, before the work is done.
    suffix = output.suffix.casefold()
    if suffix not in ROW_FILES | {".xlsx", ".xlsm"}:
        hint = "name a file that ends in .csv, .tsv or .xlsx"
        raise InputError("bad_option", "--output", "is not a format that can be written", output.name, hint)
    if output.exists() and output.samefile(source):
        raise InputError("usage", "--output", "would overwrite the data", str(output), "write to another file")
    if suffix not in ROW_FILES:
        needs_openpyxl()
        if isinstance(sheet, RowFile) and sheet.row_count > MOST_ROWS:
            hint = f"a sheet of a workbook has at most {MOST_ROWS:,}; write to a .csv file"
            raise TooLarge("too_large", "--output", "has too few rows", verbatim(f"{sheet.row_count:,} rows"), hint)
    about = _about(sheet, given or Given(), output)
    kept, notes = _Kept(Progress(), {}), list[Note]()

    def work(part: PartFile) -> Iterator[Piece]:
        nonlocal kept
        notes.extend(_on_start(part, about))
        kept = _Kept.of(part)
        if not part.rows:
            yield Piece((_BOM + csv_line(RowVerdict._fields, ",")).encode(), 0, {})
        yield from _judged(sheet, given or Given(), kept, n_jobs)

    def finish(part: PartFile) -> SheetCheck:
        part.save()
        problem, hint = "no scores of a classifier were found", _HINT
        if kept.tables or any(True for _ in _verdicts(part.path)):
            problem, hint = "was changed while it was read", "start again"
            if sheet.fingerprint() == about["sheet"]:
                notes.extend(_finished(sheet, kept, part.path, output))
                result = _result(sheet, output, kept, part.path, notes)
                part.forget()
                return result
        part.forget()
        raise InputError("bad_shape", "document", problem, source.name, hint)

    return run(output, about, work, finish, total=sheet.row_count, progress=progress)


_HINT: Final = "it needs a row of heads such as accuracy, recall, N"


def _about(sheet: Sheet, given: Given, output: Path) -> dict[str, Any]:
    """Return what tells the same work from other work."""
    return {
        "fourfold": __version__,
        "sheet": sheet.fingerprint(),
        "given": {name: str(value) for name, value in asdict(given).items()},
        "kind": output.suffix.casefold(),
    }


def _on_start(part: PartFile, about: Mapping[str, Any]) -> list[Note]:
    """Say what becomes of what an earlier run kept."""
    if part.rows:
        words = f"continues after the {count_of(part.rows, 'row')} that were done before"
        return [Note("sheet_resumed", words, {"rows": part.rows})]
    if part.about_before is None:
        return []
    changed = "the sheet" if part.about_before.get("sheet") != about["sheet"] else "what was asked"
    words = f"{changed} is another than when this was interrupted: all rows were done anew"
    return [Note("sheet_started_anew", words, {})]


def _judged(sheet: Sheet, given: Given, kept: _Kept, n_jobs: int) -> Iterator[Piece]:
    """Yield the verdicts of all rows that are left."""
    for piece in judged_pieces(sheet, given, kept.progress, n_jobs=n_jobs):
        start = piece.after.rows - len(piece.rows)
        kept.tables = {(one.sheet, one.head): one for one in piece.tables} | kept.tables
        places = {(row.sheet or "", row.number): place for place, row in enumerate(piece.rows, 1)}
        state = kept.state()
        for verdict in piece.verdicts:
            yield Piece(csv_line(verdict, ",").encode(), start + places[verdict.sheet, verdict.row], state)
        kept.progress = piece.after
        yield Piece(b"", piece.after.rows, kept.state())


def _verdicts(part: Path) -> Iterator[RowVerdict]:
    """Yield the verdicts that were written."""
    with part.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file)
        next(rows, None)
        for sheet, row, *rest in rows:
            yield RowVerdict(without_marks(sheet), int(row), *map(without_marks, rest))


def _finished(sheet: Sheet, kept: _Kept, part: Path, output: Path) -> list[Note]:
    """Put the output together beside its place, and then into it."""
    names, notes = _names(sheet, kept)
    with writing(output) as file:
        if output.suffix.casefold() in ROW_FILES:
            file.writelines(line.encode("utf-8", "replace") for line in _csv_lines(sheet, kept, part, names, output))
        elif isinstance(sheet, Workbook) and sheet.path.suffix.casefold() in (".xlsx", ".xlsm"):
            heads = [(one.sheet, one.head) for one in kept.tables.values()]
            columns = _sheet_columns(kept.tables.values())
            notes += write_verdict_book(sheet.path, file, output.suffix, _verdicts(part), names, heads, columns)
        else:
            merged = _merged(sheet, kept, part, names)
            write_rows_as_book(file, merged, sheet.width, _sheet_columns(kept.tables.values()))
            if isinstance(sheet, Workbook):
                notes.append(Note("formats_not_kept", f"formats of {sheet.path.suffix} files are not kept", {}))
    return notes


def _names(sheet: Sheet, kept: _Kept) -> tuple[tuple[str, ...], list[Note]]:
    """Return the heads of the verdict columns; a head that is there already is not used twice."""
    taken = {column.head.casefold() for table in kept.tables.values() for column in table.columns}
    names = tuple(f"{name} (fourfold)" if name in taken else name for name in VERDICT_COLUMNS)
    renamed = [name for name in VERDICT_COLUMNS if name in taken]
    words = f"the sheet has columns called {', '.join(renamed)}: those that are added end in (fourfold)"
    return names, [Note("columns_renamed", words, {"columns": renamed})] if renamed else []


Merged = tuple[SheetRow, Sequence[str]]


def _merged(sheet: Sheet, kept: _Kept, part: Path, names: Sequence[str]) -> Iterator[Merged]:
    """Yield all rows of a sheet with the cells that are added to each."""
    verdicts = _verdicts(part)
    verdict = next(verdicts, None)
    for row in sheet.rows():
        key = (row.sheet or "", row.number)
        if verdict is not None and (verdict.sheet, verdict.row) == key:
            yield row, verdict.cells
            verdict = next(verdicts, None)
        else:
            yield row, names if key in kept.tables else [""] * len(names)


def _csv_lines(sheet: Sheet, kept: _Kept, part: Path, names: Sequence[str], output: Path) -> Iterator[str]:
    merged = _merged(sheet, kept, part, names)
    if isinstance(sheet, RowFile):
        yield from _lines_as_they_are(sheet, merged)
        return
    delimiter = "\t" if output.suffix.casefold() in (".tsv", ".tab") else ","
    sheets = {one.sheet for one in kept.tables.values()}
    yield _BOM
    last = SheetRow(None, 0, ())
    for row, cells in merged:
        if sheets and (row.sheet or "") not in sheets:
            continue
        empty = row.number - (last.number if row.sheet == last.sheet else 0) - 1
        yield "\r\n" * empty
        padded = [*row.cells, *[""] * (sheet.width - len(row.cells))]
        yield csv_line([*([row.sheet] if len(sheets) > 1 else []), *padded, *cells], delimiter)
        last = row


def _lines_as_they_are(sheet: RowFile, merged: Iterable[Merged]) -> Iterator[str]:
    """Yield the lines of a file as they were written, but for formulas, with cells added behind the last column."""
    yield _BOM
    if sheet.first_line is not None:
        yield f"{sheet.first_line}\r\n"
    for row, cells in merged:
        if row.is_empty and len(row.cells) < 2:
            yield "\r\n"
            continue
        # The cells of a row have no blanks around them; as it was written, it has.
        as_written = [] if row.text is None else next(csv.reader([row.text], delimiter=sheet.delimiter), [])
        text = row.text if all(inert(cell) == cell for cell in as_written or row.cells) else None
        if text is None:
            text = csv_line(as_written or row.cells, sheet.delimiter, end="")
        gap = sheet.delimiter * (sheet.width - len(row.cells) + 1)
        yield f"{text}{gap}{csv_line(cells, sheet.delimiter)}"


def _sheet_columns(tables: Iterable[ReadTable]) -> tuple[SheetColumn, ...]:
    seen: dict[SheetColumn, None] = {}
    for table in tables:
        for one in table.columns:
            column = letters(one.number + table.left) if one.number else ""
            seen[SheetColumn(table.sheet, column, one.head, one.meaning, one.used)] = None
    return tuple(seen)


def _result(sheet: Sheet, output: Path, kept: _Kept, part: Path, notes: Sequence[Note]) -> SheetCheck:
    """Count what was written."""
    counts: dict[str, int] = {}
    unread: dict[str, int] = {}
    impossible: list[ToldRow] = []
    rows: list[ToldRow] = []
    for one in _verdicts(part):
        counts[one.verdict] = counts.get(one.verdict, 0) + 1
        if one.verdict in (UNREAD, "not checked"):
            reason = one.error or one.why
            unread[reason] = unread.get(reason, 0) + 1
        row = ToldRow(one.where, one.title, one.verdict, one.why, one.assumed, one.ignored, one.error)
        if one.verdict == "impossible" and len(impossible) < _MOST_IMPOSSIBLE:
            impossible.append(row)
        if len(rows) < _MOST_TOLD:
            rows.append(row)
    return SheetCheck(
        str(sheet.path),
        str(output),
        sum(counts.values()),
        sheet.empty_rows,
        counts,
        _sheet_columns(kept.tables.values()),
        tuple(impossible),
        unread,
        tuple(notes),
        tuple(rows),
    )
