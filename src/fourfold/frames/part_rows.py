"""Rows that are written as they come beside their place, so that what is interrupted goes on after the last of them."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from ..errors import InputError

_SAVED_EVERY: Final = 500


class _At(NamedTuple):
    """How far it is: bytes that are whole, rows, and how many rows are of each kind."""

    bytes: int = 0
    rows: int = 0
    kinds: Mapping[str, int] = {}


class PartRows:
    """A CSV file in the making: rows stand in a file ending in .part, with a note of how far they go, until all do.

    `about` is what the work is about; what is kept of other work is not gone on with. `rows` and `kinds` tell what an
    earlier run has done, and `is_anew` that it was about something else.
    """

    def __init__(self, target: str | Path, about: Mapping[str, str]) -> None:
        self._target = Path(target).resolve()
        self._part = self._target.with_name(self._target.name + ".part")
        self._note = self._part.with_name(self._part.name + ".json")
        self._about = dict(about)
        self._at, self.is_anew = _At(), False
        self._names: list[str] = []
        try:
            kept = json.loads(self._note.read_text(encoding="utf-8"))
            at = _At(*kept["at"])
            same = kept["about"] == self._about
            self.is_anew = not same
            if same and self._part.stat().st_size >= at.bytes:
                self._names, self._at = kept["names"], at
        except (OSError, ValueError, KeyError, TypeError):
            pass

    @property
    def rows(self) -> int:
        """How many rows are written."""
        return self._at.rows

    @property
    def kinds(self) -> Mapping[str, int]:
        """How many rows are of each kind."""
        return self._at.kinds

    def write(self, rows: Iterable[tuple[Mapping[Any, object], str]]) -> None:
        """Write rows, each with its kind, and put the file in its place; interrupted, what is whole is kept."""
        file: BinaryIO | None = None
        try:
            for row, kind in rows:
                file = file or self._opened()
                self._append(file, row, kind)
                if self.rows % _SAVED_EVERY == 0:
                    self._save(file)
            if file is not None or self.rows:
                self._part.chmod(self._target.stat().st_mode if self._target.exists() else 0o644)
                if file is not None:
                    file.close()
                self._part.replace(self._target)
                self._note.unlink(missing_ok=True)
        except KeyboardInterrupt:
            if file is not None:
                self._save(file)
            raise
        except OSError as error:
            problem = f"cannot be written ({(error.strerror or 'it is broken').lower()})"
            raise InputError("no_file", "output", problem, str(self._target), "check the path and the disk") from None
        finally:
            if file is not None:
                file.close()

    def _opened(self) -> BinaryIO:
        file = self._part.open("r+b" if self.rows else "w+b")
        file.truncate(self._at.bytes)
        file.seek(self._at.bytes)
        return file

    def _append(self, file: BinaryIO, row: Mapping[Any, object], kind: str) -> None:
        text = io.StringIO()
        if not self.rows:
            self._names = [name for name in row if name is not None]
            csv.writer(text).writerow(self._names)
        csv.writer(text).writerow(["" if row.get(name) is None else row[name] for name in self._names])
        data = text.getvalue().encode("utf-8", "replace")
        file.write(data)
        kinds = {**self.kinds, kind: self.kinds.get(kind, 0) + 1}
        # In one step, as work may stop anywhere.
        self._at = _At(self._at.bytes + len(data), self.rows + 1, kinds)

    def _save(self, file: BinaryIO) -> None:
        file.flush()
        file.truncate(self._at.bytes)
        os.fsync(file.fileno())
        fresh = self._note.with_name(self._note.name + ".new")
        fresh.write_text(json.dumps({"about": self._about, "names": self._names, "at": self._at}), encoding="utf-8")
        fresh.replace(self._note)


def digest(path: str | Path) -> str:
    """Return what changes when a file does; empty for what is no file."""
    if not Path(path).is_file():
        return ""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
