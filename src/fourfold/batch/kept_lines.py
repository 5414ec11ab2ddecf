"""What is done of long work, a line of a file for each piece, so that a run that was stopped goes on from there."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO
from zlib import crc32

from .part_file import open_alone


class KeptLines:
    """Plain JSON values by name, in lines of a file that only one process writes.

    Lines of other work than `about`, those that were cut off and those that are not as they were written are left out.
    `given` is what errors name as the output.
    """

    def __init__(self, path: str | Path, about: str, given: str | Path | None = None) -> None:
        self._path, self._about, self._given = Path(path), about, given or path
        self.values: dict[str, Any] = {}

    def __enter__(self) -> KeptLines:
        self._file: BinaryIO = open_alone(self._path, self._given)
        for line in self._file.read().decode("utf-8", "replace").splitlines():
            self.values |= self._read(line)
        return self

    def _read(self, line: str) -> dict[str, Any]:
        try:
            row = json.loads(line)
            if (row["about"], row["sum"]) == (self._about, _checksum(row["found"])):
                return {row["name"]: row["found"]}
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
        return {}

    def add(self, name: str, value: Any) -> None:
        """Keep a value."""
        line = {"about": self._about, "name": name, "found": value, "sum": _checksum(value)}
        # What was cut off before it ends here, and is left out.
        self._file.write(b"\n" * self._is_cut() + json.dumps(line).encode() + b"\n")
        self._file.flush()

    def _is_cut(self) -> bool:
        """Tell whether the file ends within a line, and go to its end."""
        if not self._file.seek(0, os.SEEK_END):
            return False
        self._file.seek(-1, os.SEEK_END)
        return self._file.read() != b"\n"

    def forget(self) -> None:
        """Remove the file: all is done."""
        self._path.unlink(missing_ok=True)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with suppress(OSError):
            self._file.close()


def _checksum(value: Any) -> int:
    return crc32(json.dumps(value).encode())
