"""Files that are written whole or not at all."""

from __future__ import annotations

import csv
import io
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

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


def write_rows(path: str | Path, rows: Iterable[Mapping[Any, object]]) -> int:
    """Write rows to a CSV file as they come and return how many; nothing is left behind where that fails."""
    count = 0
    with writing(path) as raw:
        file = io.TextIOWrapper(cast("Any", raw), encoding="utf-8", errors="replace", newline="", write_through=True)
        writer = None
        for row in rows:
            if writer is None:
                names = [name for name in row if name is not None]
                writer = csv.DictWriter(file, names, restval="", extrasaction="ignore")
                writer.writeheader()
            writer.writerow(row)
            count += 1
        # The file is closed by its opener.
        file.detach()
    return count
