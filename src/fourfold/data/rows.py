"""Plain tables row by row: CSV files as texts, and other kinds of files as texts too."""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TextIO, TypeAlias

from ..errors import FourfoldError, InputError, suggestion
from .columns import EveryColumn, distinct
from .encodings import encoding_of, recoded
from .faults import LENGTH, QUOTE, WIDTH, Faults, bad_row
from .packing import check_packed, unpacked, unpacking_errors

if TYPE_CHECKING:
    from .aggregation import Progress

_DELIMITERS: Final = ",;\t|"
_LONGEST_FIELD: Final = 10_000_000
_LONGEST_LINE: Final = 50_000_000
_BLANK: Final = ("\n", "\r\n")
_MOST_BLANK: Final = 1_000_000
#: A cell in quotes goes over at most this many lines; a quote that is not closed by then is a mistake.
_MOST_CELL_LINES: Final = 1000
# Bytes that tell how a file is encoded.
_PEEKED: Final = 4096
#: What no header has: what stands for bytes that are no text, and the zeros of files that are none.
_NO_TEXT: Final = re.compile("[\x00\ufffd]")

#: A row: the line where it begins, its cells, and what is wrong with it, if anything.
Row: TypeAlias = tuple[int, list[str], str]


def read_rows(
    path: str | Path, progress: Progress = None, *, empty_rows: bool = False, faults: Faults | None = None
) -> Iterator[dict[str, Any]]:
    """Read a table row by row, as texts by column name: a CSV file with a header, or a file of another kind.

    `progress` is called now and then with the share of the file that has been read. Rows of empty cells are left
    out unless `empty_rows`. A row that cannot be read has an error under None that says why; `faults` are told of
    lines that are not in UTF-8.
    """
    from .files import reader_of

    with named("table"):
        reader = reader_of(Path(path))
        if reader.kind == "CSV":
            yield from _csv_records(Path(path), progress, empty_rows, faults or Faults())
            return
        with reader.ways([Path(path)])[-1]([Path(path)], EveryColumn(), None, None) as table:
            for batch in table.batches():
                for row in batch.rows:
                    yield dict(zip(table.names, ("" if value is None else str(value) for value in row), strict=True))


def _csv_records(path: Path, progress: Progress, empty_rows: bool, faults: Faults) -> Iterator[dict[Any, Any]]:
    """Read a CSV file: missing cells are empty, and what is wrong with a row stands under None."""
    if path.is_file():
        check_packed([path])
    with opened(path, faults) as (raw, file):
        rows = csv_rows(file, path, faults, empty_rows=empty_rows)
        names = distinct([name.strip() for name in header_of(rows, path)], path)
        size = size_of(path)
        for count, (line, row, wrong) in enumerate(rows):
            record: dict[Any, Any] = dict.fromkeys(names, "") | dict(zip(names, row, strict=False))
            if wrong and (wrong != WIDTH or len(row) > len(names)):
                more = f"{row[len(names) :]} in " if wrong == WIDTH else ""
                record[None] = bad_row(wrong, f"{more}line {line}")
            yield record
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
def opened(path: Path, faults: Faults) -> Iterator[tuple[BinaryIO, TextIO]]:
    """Open a file as bytes and as text; a fault while it is read becomes an error of the one grammar."""
    try:
        size_of(path)
        with path.open("rb") as raw:
            plain = unpacked(raw, path)
            encoding, marked = encoding_of(plain.peek(_PEEKED)[:_PEEKED])
            how: dict[str, Any] = {"encoding": "utf-8-sig", "errors": "surrogateescape"}
            if encoding not in (None, "utf-8"):
                plain.read(marked)
                how = {"encoding": encoding, "errors": "replace"}
                faults.encoded(path, str(encoding)[:6])
            with io.TextIOWrapper(plain, newline="", **how) as file:
                yield raw, file
    except unpacking_errors(csv.Error) as error:
        hint = "give a CSV file with a header, in UTF-8"
        raise InputError("bad_shape", "data", f"is not readable as CSV ({error})", str(path), hint) from None
    except OSError as error:
        raise cannot_be_read(error, path) from None


def is_utf8(path: Path) -> bool:
    """Tell whether a file begins as one in UTF-8 does, or one whose letters are bytes."""
    with opened(path, Faults()) as (_, file):
        return file.encoding == "utf-8-sig"


def cannot_be_read(error: OSError, path: str | Path) -> InputError:
    """Say in the one grammar that there is no reading a file."""
    reason = (error.strerror or "cannot be read").lower()
    return InputError("no_file", "data", f"cannot be read ({reason})", str(path), "check the path")


def size_of(path: Path) -> int:
    """Return how many bytes a file has, at least one; it must be there and no folder."""
    if path.is_dir():
        raise InputError("no_file", "data", "is a folder", str(path), "name a file in it")
    if not path.exists():
        raise InputError("no_file", "data", "is not there", str(path), path_hint(path))
    return max(path.stat().st_size, 1)


def path_hint(path: Path) -> str:
    """Return what to do about a file that cannot be opened: where a link leads, or a name like it in its folder."""
    with suppress(OSError):  # of a name that is too long nothing can be asked
        if path.exists():
            return "check that you may read it"
        if path.is_symlink():
            return f"it is a link to {path.readlink()}, which is not there"
    near = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    return suggestion(path.name, near, "check the path")


def header_of(rows: Iterator[Row], path: Path) -> list[str]:
    """Take the header off rows."""
    header = next(rows, (0, [], ""))[1]
    if not header:
        raise InputError("empty", "data", "is empty", str(path), "check how it was written")
    if any(map(_NO_TEXT.search, header)):
        hint = "give a CSV file with a header, in UTF-8"
        raise InputError("bad_shape", "data", "is not readable as CSV (its first line is no text)", str(path), hint)
    return header


def csv_rows(file: TextIO, path: Path, faults: Faults, *, empty_rows: bool = False) -> Iterator[Row]:
    """Read rows, the header first, passing over blank lines.

    A row that is not as long as the header says so; so does a line with a quote that has no fellow, after which the
    next line is read as if nothing had been. Rows of empty cells count as blank lines unless `empty_rows`.
    """
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_FIELD))
    lines, width = _Lines(_decoded_lines(file, path, faults)), 0
    delimiter = delimiter_of(lines.first_filled())
    while True:
        try:
            for row in csv.reader(iter(lines), delimiter=delimiter, strict=True):
                line, width = lines.done(), width or len(row)
                if any(map(str.strip, row)) or (len(row) > 1 and empty_rows):
                    yield line, row, "" if len(row) == width else WIDTH
            return
        except csv.Error as error:
            if not width:
                raise
            text = lines.hand_back()
            yield lines.done(), text.rstrip("\r\n").split(delimiter), LENGTH if "limit" in str(error) else QUOTE


class _Lines:
    """Lines that rows are made of, which are given again where they make none."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._again: deque[str] = deque()
        self._used: list[str] = []
        self._before = 0

    def __iter__(self) -> Iterator[str]:
        while (line := self._again.popleft() if self._again else next(self._lines, None)) is not None:
            self._used.append(line)
            if len(self._used) > _MOST_CELL_LINES:
                raise csv.Error("a quote is not closed")
            yield line

    def first_filled(self) -> str:
        """Leave out blank lines, and return the one after them, which is still to come."""
        for line in self._lines:
            if line.strip():
                self._again.append(line)
                return line
            self._before += 1
        return ""

    def done(self) -> int:
        """Be done with the lines of a row; return the number of the first."""
        first = self._before + 1
        self._before += len(self._used)
        self._used.clear()
        return first

    def hand_back(self) -> str:
        """Return the first line of what is no row; the others are to come again."""
        first, *others = self._used
        self._again.extendleft(reversed(others))
        self._used = [first]
        return first


def _decoded_lines(file: TextIO, path: Path, faults: Faults) -> Iterator[str]:
    """Read lines, none without end and not only blank ones: a packed file of a few kB may hold many GB of either."""
    number = blank = 0
    while line := file.readline(_LONGEST_LINE):
        number += 1
        blank = blank + 1 if line in _BLANK else 0
        if len(line) == _LONGEST_LINE or blank > _MOST_BLANK:
            problem = f"a line has more than {_LONGEST_LINE:,} characters"
            problem = f"more than {_MOST_BLANK:,} lines in a row are blank" if blank else problem
            hint = "leave them out" if blank else "give a CSV file with a header"
            raise InputError("bad_shape", "data", f"is not readable as CSV ({problem})", str(path), hint)
        if (decoded := recoded(line)) is not None:
            faults.recode(number, path)
            line = decoded
        yield line


def delimiter_of(header: str) -> str:
    """Return the delimiter that a header has most of, outside quotes."""
    unquoted = re.sub(r'"[^"]*"', "", header)
    return max(_DELIMITERS, key=unquoted.count)
