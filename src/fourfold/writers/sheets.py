"""A sheet with a verdict beside each row.

Verdicts are written to a file beside the output as they are found, with a note of how far they go; so what was
interrupted goes on after the last whole row. When all are there, the output is put together and put in its place.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Final

from .. import __version__
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
# Of very many rows, so many are told in the answer and on a page.
_MOST_IMPOSSIBLE: Final = 100
_MOST_TOLD: Final = 1000
# What a spreadsheet would take for a formula.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


class Stopped(KeyboardInterrupt):
    """Work was interrupted; its words say how far it is and how it goes on."""


@dataclass
class _Kept:
    """What is known of a sheet so far, beside the verdicts themselves."""

    about: dict[str, Any]
    #: How many bytes of verdicts are whole, and how far that is; changed together, as work may stop anywhere.
    at: tuple[int, Progress]
    tables: dict[tuple[str, int], ReadTable]

    @property
    def bytes(self) -> int:
        return self.at[0]

    @property
    def progress(self) -> Progress:
        return self.at[1]

    def to_dict(self) -> dict[str, Any]:
        tables = [{**one._asdict(), "columns": [asdict(each) for each in one.columns]} for one in self.tables.values()]
        return {"about": self.about, "bytes": self.bytes, "progress": self.progress.to_dict(), "tables": tables}

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> _Kept:
        tables = [
            ReadTable(one["sheet"], one["head"], tuple(ReadColumn(**each) for each in one["columns"]), one["left"])
            for one in plain["tables"]
        ]
        at = plain["bytes"], Progress.read(plain["progress"])
        return cls(plain["about"], at, {(one.sheet, one.head): one for one in tables})


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
    _refuse(source, output, sheet)
    part = output.with_name(output.name + ".part")
    with _writing(output):
        kept, notes = _begun(sheet, given or Given(), output, part)
        try:
            _judge(sheet, given or Given(), kept, part, n_jobs, progress)
        except KeyboardInterrupt:
            rows = count_of(kept.progress.rows, "row")
            raise Stopped(f"Stopped after {rows} of {sheet.row_count:,}. The same command goes on from here.") from None
        if not kept.tables and not any(True for _ in _verdicts(part)):
            _forget(part)
            raise InputError("bad_shape", "document", "no scores of a classifier were found", source.name, _HINT)
        if sheet.fingerprint() != kept.about["sheet"]:
            _forget(part)
            problem = "was changed while it was read"
            raise InputError("bad_shape", "document", problem, source.name, "start again")
        notes += _finished(sheet, kept, part, output)
        result = _result(sheet, output, kept, part, notes)
        _forget(part)
    return result


_HINT: Final = "it needs a row of heads such as accuracy, recall, N"


def _refuse(source: Path, output: Path, sheet: Sheet) -> None:
    """Refuse an output that cannot be written, before the work is done."""
    suffix = output.suffix.casefold()
    if suffix not in ROW_FILES | {".xlsx", ".xlsm"}:
        hint = "name a file that ends in .csv, .tsv or .xlsx"
        raise InputError("bad_option", "--output", "is no kind of sheet that is written", output.name, hint)
    if output.exists() and output.samefile(source):
        raise InputError("usage", "--output", "would overwrite the data", str(output), "write to another file")
    if suffix not in ROW_FILES:
        needs_openpyxl()
        if isinstance(sheet, RowFile) and sheet.row_count > MOST_ROWS:
            hint = f"a sheet of a workbook has at most {MOST_ROWS:,}; write to a .csv file"
            raise TooLarge("too_large", "--output", "has too few rows", verbatim(f"{sheet.row_count:,} rows"), hint)


@contextmanager
def _writing(output: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = (error.strerror or "cannot be written").lower()
        hint = "check the path and the disk; the same command goes on from the last whole row"
        raise InputError("no_file", "--output", f"cannot be written ({reason})", str(output), hint) from None


def _manifest(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _forget(part: Path) -> None:
    for path in (part, _manifest(part)):
        path.unlink(missing_ok=True)


def _begun(sheet: Sheet, given: Given, output: Path, part: Path) -> tuple[_Kept, list[Note]]:
    """Return what an earlier run kept of the same work, or a fresh start; and what to say about it."""
    about = {
        "fourfold": __version__,
        "sheet": sheet.fingerprint(),
        "given": {name: str(value) for name, value in asdict(given).items()},
        "kind": output.suffix.casefold(),
    }
    notes = []
    try:
        kept = _Kept.read(json.loads(_manifest(part).read_text(encoding="utf-8")))
        if kept.about == about and part.stat().st_size >= kept.bytes:
            words = f"goes on after the {count_of(kept.progress.rows, 'row')} that were done before"
            return kept, [Note("sheet_resumed", words, {"rows": kept.progress.rows})]
        changed = "the sheet" if kept.about.get("sheet") != about["sheet"] else "what was asked"
        words = f"{changed} is another than when this was interrupted: all rows were done anew"
        notes.append(Note("sheet_started_anew", words, {}))
    except (OSError, ValueError, KeyError, TypeError):
        pass
    _forget(part)
    part.write_text(_BOM + _line(RowVerdict._fields, ","), encoding="utf-8", newline="")
    return _Kept(about, (part.stat().st_size, Progress()), {}), notes


def _judge(
    sheet: Sheet, given: Given, kept: _Kept, part: Path, n_jobs: int, progress: Callable[[float], None] | None
) -> None:
    """Write the verdicts of all rows that are left; `kept` is right after each row, on the disk after each piece."""
    total = max(sheet.row_count, 1)
    with part.open("r+b") as file:
        file.truncate(kept.bytes)
        file.seek(kept.bytes)
        try:
            for piece in judged_pieces(sheet, given, kept.progress, n_jobs=n_jobs):
                start = piece.after.rows - len(piece.rows)
                kept.tables = {(one.sheet, one.head): one for one in piece.tables} | kept.tables
                places = {(row.sheet or "", row.number): place for place, row in enumerate(piece.rows, 1)}
                for verdict in piece.verdicts:
                    _append(file, kept, verdict, start + places[verdict.sheet, verdict.row])
                    if progress is not None:
                        progress(kept.progress.rows / total)
                kept.at = kept.bytes, piece.after
                _save(file, kept, part)
        except KeyboardInterrupt:
            _save(file, kept, part)
            raise
    if progress is not None:
        progress(1.0)


def _append(file: BinaryIO, kept: _Kept, verdict: RowVerdict, done: int) -> None:
    """Write a row; what is kept counts it only when it is whole."""
    line = _line(verdict, ",").encode()
    file.write(line)
    kept.at = kept.bytes + len(line), replace(kept.progress, rows=done)


def _save(file: BinaryIO, kept: _Kept, part: Path) -> None:
    file.flush()
    file.truncate(kept.bytes)
    os.fsync(file.fileno())
    manifest = _manifest(part)
    fresh = manifest.with_name(manifest.name + ".new")
    fresh.write_text(json.dumps(kept.to_dict(), ensure_ascii=False), encoding="utf-8")
    fresh.replace(manifest)


def _line(cells: Iterable[object], delimiter: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerow(cells)
    return text.getvalue()


def _verdicts(part: Path) -> Iterator[RowVerdict]:
    """Walk the verdicts that were written."""
    with part.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file)
        next(rows, None)
        for sheet, row, *rest in rows:
            yield RowVerdict(sheet, int(row), *rest)


def _finished(sheet: Sheet, kept: _Kept, part: Path, output: Path) -> list[Note]:
    """Put the output together beside its place, and then into it."""
    target = output.resolve()
    fresh = target.with_name(target.name + ".new")
    names, notes = _names(sheet, kept)
    try:
        if output.suffix.casefold() in ROW_FILES:
            with fresh.open("w", encoding="utf-8", newline="") as file:
                file.writelines(_csv_lines(sheet, kept, part, names, output))
        elif isinstance(sheet, Workbook) and sheet.path.suffix.casefold() in (".xlsx", ".xlsm"):
            heads = [(one.sheet, one.head) for one in kept.tables.values()]
            columns = _sheet_columns(kept.tables.values())
            notes += write_verdict_book(sheet.path, fresh, output.suffix, _verdicts(part), names, heads, columns)
        else:
            merged = _merged(sheet, kept, part, names)
            write_rows_as_book(fresh, merged, sheet.width, _sheet_columns(kept.tables.values()))
            if isinstance(sheet, Workbook):
                notes.append(Note("formats_not_kept", f"formats of {sheet.path.suffix} files are not kept", {}))
        if target.exists():
            fresh.chmod(target.stat().st_mode)
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)
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
    """Walk all rows of a sheet with the cells that are added to each."""
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
        yield _line([*([row.sheet] if len(sheets) > 1 else []), *padded, *map(_harmless, cells)], delimiter)
        last = row


def _lines_as_they_are(sheet: RowFile, merged: Iterable[Merged]) -> Iterator[str]:
    """Walk the lines of a file as they were written, with cells added behind the last column."""
    yield _BOM
    if sheet.first_line is not None:
        yield f"{sheet.first_line}\r\n"
    for row, cells in merged:
        if row.is_empty and len(row.cells) < 2:
            yield "\r\n"
            continue
        text = row.text if row.text is not None else _line(row.cells, sheet.delimiter).rstrip("\r\n")
        gap = sheet.delimiter * (sheet.width - len(row.cells) + 1)
        yield text + gap + _line(map(_harmless, cells), sheet.delimiter)


def _harmless(text: str) -> str:
    """Return a text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


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
    told: list[ToldRow] = []
    for one in _verdicts(part):
        counts[one.verdict] = counts.get(one.verdict, 0) + 1
        if one.verdict in (UNREAD, "not checked"):
            reason = one.error or one.why
            unread[reason] = unread.get(reason, 0) + 1
        row = ToldRow(one.where, one.title, one.verdict, one.why, one.assumed, one.ignored, one.error)
        if one.verdict == "impossible" and len(impossible) < _MOST_IMPOSSIBLE:
            impossible.append(row)
        if len(told) < _MOST_TOLD:
            told.append(row)
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
        tuple(told),
    )
