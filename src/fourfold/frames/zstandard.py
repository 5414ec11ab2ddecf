"""Text packed as .zst, unpacked by DuckDB: the bytes of its lines, so that they are read as those of any other file."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from .delimited import check_unpacked
from .files import database, needed_duckdb, quoted, scanned, unreadable

#: Lines that are brought here at once; one may have two million letters.
_LINES: Final = 64
_MARK: Final = "\ufeff".encode()
#: Each line is one cell: no text has this sign between cells.
_UNSPLIT: Final = {
    "columns": "{'line': 'VARCHAR'}",
    "delim": quoted("\U0010ffff"),
    "quote": "''",
    "escape": "''",
    "header": "false",
    "auto_detect": "false",
    "compression": "'zstd'",
}


class Unpacked(io.RawIOBase):
    """What a .zst file unpacks to, from its start to its end, with line breaks of one kind and no mark before it."""

    def __init__(self, path: Path) -> None:
        self._duckdb, self._path = needed_duckdb("reading .zst", path), path
        self._engine: Any = database(self._duckdb).cursor()
        self._parts, self._left = self._unpacked(), memoryview(b"")

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Give as many bytes as there is room for."""
        self._left = self._left or memoryview(next(self._parts, b""))
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size

    def _unpacked(self) -> Iterator[bytes]:
        """Walk its parts; from the first byte on that is not UTF-8, as Latin-1, of which it is the same bytes."""
        size = 0
        try:
            for part in self._in("utf-8"):
                size += len(part)
                yield part
        except self._duckdb.Error:
            done, size = size, 0
            for part in self._as_latin():
                size += len(part)
                if rest := part[max(0, done - size + len(part)) :]:
                    yield rest
        if size % 2:
            # The last line break is lost: to UTF-16 it is half a letter, and all others do not mind.
            yield b"\n"

    def _as_latin(self) -> Iterator[bytes]:
        try:
            yield from self._in("latin-1")
        except self._duckdb.Error as error:
            raise unreadable("CSV", error, self._path) from None

    def _in(self, encoding: str) -> Iterator[bytes]:
        options = {**_UNSPLIT, "encoding": quoted(encoding)}
        self._engine.execute(scanned(self._engine, "read_csv", [self._path], options).sql_query())
        size, before = 0, ""
        while lines := self._engine.fetchmany(_LINES):
            part = (before + "\n".join(line or "" for (line,) in lines)).encode(encoding)
            size += len(part)
            check_unpacked(size, self._path)
            yield part if before else part.removeprefix(_MARK)
            before = "\n"

    def close(self) -> None:
        """Be done with it."""
        self._engine.close()
        super().close()
