"""Files that are written whole or not at all, and rows in which no cell is a formula."""

from __future__ import annotations

import csv
import io
import math
import os
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

from ..errors import InputError


@contextmanager
def writing(path: str | Path, argument: str = "output") -> Iterator[BinaryIO]:
    """Open a file to be written beside the one that is meant; it is put in its place when all of it is on the disk.

    Where that fails, or nothing is written, all stays as it was. A pipe or a device is written to, not replaced.
    """
    try:
        target = Path(path).resolve()
        if target.exists() and not target.is_file():
            with target.open("wb") as device:
                if device.isatty():
                    # What labels hold would steer it.
                    raise InputError("bad_option", argument, "is a terminal", str(path), "name a file, or pipe it on")
                yield device
            return
        # Any name will do, but one that does not grow with the target's: that may be as long as names can be.
        fresh = target.with_name(f".fourfold-{secrets.token_hex(6)}.part")
        try:
            with fresh.open("xb") as file:
                yield file
                is_empty = not file.tell()
                to_disk(file)
            if not is_empty:
                put_in_place(fresh, target)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_be_written(error, path, argument) from None


def to_disk(file: BinaryIO) -> None:
    """Let what was written survive the end of the program and of the machine."""
    file.flush()
    os.fsync(file.fileno())


def put_in_place(fresh: Path, target: Path) -> None:
    """Put a finished file in the place of another, whose permissions it takes over."""
    if target.exists():
        fresh.chmod(target.stat().st_mode)
    fresh.replace(target)
    with suppress(OSError):  # some systems do not open folders
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def cannot_be_written(
    error: OSError, path: str | Path, argument: str = "output", hint: str = "check the path and the disk"
) -> InputError:
    """Say in the one grammar that there is no writing a file."""
    reason = (error.strerror or "it is broken").lower()
    return InputError("no_file", argument, f"cannot be written ({reason})", str(path), hint)


def write_bytes(path: str | Path, data: bytes, argument: str = "output") -> None:
    """Write bytes to a file, all of them or, where that fails, nothing."""
    with writing(path, argument) as file:
        file.write(data)


def write_text(path: str | Path, text: str, argument: str = "output") -> None:
    """Write a text to a file, all of it or, where that fails, nothing."""
    write_bytes(path, text.encode("utf-8", "replace"), argument)


# What a spreadsheet takes for a formula, also behind blanks, in full width, or where it cuts a cell at a semicolon or a
# tab. What is guarded already gets another mark, so that marks can be taken off again.
_AHEAD: Final = r"(?='*[\t\r]|['\s]*[=+\-@\uff1d\uff0b\uff0d\uff20])"
_LIVE: Final = re.compile(rf"(^|[;\t\r\n]){_AHEAD}")
_MARKED: Final = re.compile(rf"(^|[;\t\r\n])'{_AHEAD}")
# Numbers are numbers, and so is a dash for none.
_NUMBER: Final = re.compile(r"[-+]?[0-9]*([.,][0-9]+)?(/[0-9]+)?([eE][-+]?[0-9]+)? ?%?|-{1,3}")


def inert(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula.

    Examples
    --------
    >>> inert("=1+1"), inert("-0.5"), inert("- a"), inert("Clinic A")
    ("'=1+1", '-0.5', "'- a", 'Clinic A')
    """
    return text if _NUMBER.fullmatch(text) else _LIVE.sub(r"\1'", text)


def without_marks(text: str) -> str:
    """Return the text that `inert` was given.

    Examples
    --------
    >>> without_marks("'=1+1"), without_marks("'80s")
    ('=1+1', "'80s")
    """
    return _MARKED.sub(r"\1", text)


def csv_line(cells: Iterable[object], delimiter: str = ",", end: str = "\r\n") -> str:
    """Return one row of a CSV file; numbers stay numbers, and no text is a formula."""
    line = io.StringIO()
    # With both in its line end, the writer quotes either of them; Python 3.11 would leave one out.
    csv.writer(line, delimiter=delimiter, lineterminator="\r\n").writerow(map(_cell, cells))
    return line.getvalue().removesuffix("\r\n") + end


def _cell(value: object) -> object:
    if value is None or isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return inert(str(value))


def write_rows(path: str | Path, rows: Iterable[Mapping[Any, object]]) -> int:
    """Write rows to a CSV file as they come and return how many; nothing is left behind where that fails."""
    count, names = 0, list[Any]()
    with writing(path) as file:
        for row in rows:
            if not count:
                names = [name for name in row if name is not None]
                file.write(csv_line(names).encode("utf-8", "replace"))
            file.write(csv_line(row.get(name) for name in names).encode("utf-8", "replace"))
            count += 1
    return count
