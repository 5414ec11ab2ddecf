"""Plain tables row by row: CSV files as texts, and other kinds of files as texts too."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TextIO, cast

from ..errors import FourfoldError, InputError, suggestion, verbatim
from .columns import EveryColumn, distinct

if TYPE_CHECKING:
    from .aggregation import Progress

_DELIMITERS: Final = ",;\t|"
_LONGEST_FIELD: Final = 10_000_000
_LONGEST_LINE: Final = 50_000_000


def read_rows(path: str | Path, progress: Progress = None, *, empty_rows: bool = False) -> Iterator[dict[str, Any]]:
    """Read a table row by row, as texts by column name: a CSV file with a header, or a file of another kind.

    `progress` is called now and then with the share of the file that has been read. Rows of empty cells are passed
    over unless `empty_rows`.
    """
    from .files import reader_of

    with named("table"):
        reader = reader_of(Path(path))
        if reader.kind == "CSV":
            yield from _csv_records(Path(path), progress, empty_rows)
            return
        with reader.ways([Path(path)])[-1]([Path(path)], EveryColumn(), None, None) as table:
            for batch in table.batches():
                for row in batch.rows:
                    yield dict(zip(table.names, ("" if value is None else str(value) for value in row), strict=True))


def _csv_records(path: Path, progress: Progress, empty_rows: bool) -> Iterator[dict[Any, Any]]:
    """Read a CSV file: missing cells are empty, and cells beyond the header stand under None, as csv's do."""
    with opened(path) as (raw, file):
        rows = csv_rows(file, path, strict=False, empty_rows=empty_rows)
        names = distinct([name.strip() for name in header_of(rows, path)], path)
        size = size_of(path)
        for count, (_, row) in enumerate(rows):
            record: dict[Any, Any] = dict.fromkeys(names, "") | dict(zip(names, row, strict=False))
            yield record | {None: row[len(names) :]} if len(row) > len(names) else record
            if progress and count % 256 == 0:
                progress(raw.tell() / size)


@contextmanager
def named(argument: str) -> Iterator[None]:
    """Let errors about the data call it by the name that the caller knows."""
    try:
        yield
    except FourfoldError as error:
        if error.argument != "data":
            raise
        code, _, *rest = error.args
        raise type(error)(code, argument, *rest) from None


@contextmanager
def opened(path: Path) -> Iterator[tuple[BinaryIO, TextIO]]:
    """Open a file as bytes and as text; what goes wrong while it is read is said in the one grammar."""
    try:
        size_of(path)
        with path.open("rb") as raw:
            plain = gzip.GzipFile(fileobj=raw) if path.suffix.lower() == ".gz" else raw
            with io.TextIOWrapper(cast("BinaryIO", plain), encoding="utf-8-sig", newline="") as file:
                yield raw, file
    except (UnicodeDecodeError, csv.Error, EOFError, zlib.error, gzip.BadGzipFile) as error:
        hint = "give a CSV file with a header, in UTF-8"
        raise InputError("bad_shape", "data", f"is not readable as CSV ({error})", str(path), hint) from None
    except OSError as error:
        raise cannot_be_read(error, path) from None


def cannot_be_read(error: OSError, path: str | Path) -> InputError:
    """Say in the one grammar that there is no reading a file."""
    reason = (error.strerror or "cannot be read").lower()
    return InputError("no_file", "data", f"cannot be read ({reason})", str(path), "check the path")


def size_of(path: Path) -> int:
    """Return how many bytes a file has, at least one; it must be there and no folder."""
    if path.is_dir():
        raise InputError("no_file", "data", "is a folder", str(path), "name a file in it")
    if not path.exists():
        near = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        hint = suggestion(path.name, near, "check the path")
        raise InputError("no_file", "data", "is not there", str(path), hint)
    return max(path.stat().st_size, 1)


def header_of(rows: Iterator[tuple[int, list[str]]], path: Path) -> list[str]:
    """Take the header off rows."""
    header = next(rows, (0, []))[1]
    if not header:
        raise InputError("empty", "data", "is empty", str(path), "check how it was written")
    return header


def csv_rows(
    file: TextIO, path: Path, *, strict: bool = True, empty_rows: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Read rows with their line numbers, passing over blank lines; if strict, all must be as long as the header.

    Rows of empty cells count as blank lines unless `empty_rows`.
    """
    skipped = 0
    lines = _lines(file)
    while (header := next(lines, "")) and not header.strip():
        skipped += 1
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_FIELD))
    reader = csv.reader(chain([header], lines), delimiter=delimiter_of(header), strict=True)
    width = None
    for row in reader:
        width = width or len(row)
        if not any(cell.strip() for cell in row) and (len(row) < 2 or not empty_rows):
            continue
        if strict and len(row) != width:
            shown = verbatim(f"{len(row)} of {width} in line {reader.line_num + skipped} of {path}")
            hint = "every row needs a value for each column of the header"
            raise InputError("length_mismatch", "data", "a row has too few or too many columns", shown, hint)
        yield reader.line_num + skipped, row


def _lines(file: TextIO) -> Iterator[str]:
    """Read lines, none without end: a packed file of a few kB may hold one of many GB."""
    while line := file.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE:
            raise csv.Error(f"a line has more than {_LONGEST_LINE:,} characters")
        yield line


def delimiter_of(header: str) -> str:
    """Return the delimiter that a header has most of, outside quotes."""
    unquoted = re.sub(r'"[^"]*"', "", header)
    return max(_DELIMITERS, key=unquoted.count)
