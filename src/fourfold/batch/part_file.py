"""A file in the making: what is done of it is on the disk, so that work that was stopped goes on from there."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, NamedTuple

try:
    import fcntl
except ImportError:  # not on every system: two processes are not told apart there
    fcntl = None  # type: ignore[assignment]

from ..data.output import cannot_be_written, put_in_place, to_disk
from ..errors import FourfoldError, InputError
from ..words import count_of

# Seconds of work that may be lost where the program is killed.
_SAVED_EVERY: Final = 1.0


class Stopped(KeyboardInterrupt):
    """Work was interrupted; its words say how far it is and how it goes on."""


class _At(NamedTuple):
    """How far it is: bytes that are whole, rows that they are of, and what the owner must know to go on."""

    bytes: int = 0
    rows: int = 0
    state: Mapping[str, Any] = {}


class PartFile:
    """A file that grows beside its place, in one ending in .part, with a note of how far it is.

    `about` is what the work is about; what is kept of other work is not gone on with, and stands in `about_before`.
    Only one process at a time has it open. When that ends before the work does, what is whole is kept, and
    the answer tells it.
    """

    def __init__(self, target: str | Path, about: Mapping[str, Any], noun: str = "row") -> None:
        self._given, self._noun = target, noun
        self._target = Path(target).resolve()
        self.path = self._target.with_name(self._target.name + ".part")
        self._note = self.path.with_name(self.path.name + ".json")
        self._fresh_note = self.path.with_name(self.path.name + ".json.new")
        self._about = json.loads(json.dumps(about))
        self._at = _At()
        #: What an earlier run was about that was interrupted, where that was something else.
        self.about_before: Mapping[str, Any] | None = None
        #: How many rows there are, where that is known.
        self.total: int | None = None
        self._is_in_place = False
        # Whether an earlier moment of this work is on the disk, to go on from.
        self._is_kept = False

    @property
    def rows(self) -> int:
        """How many rows are done."""
        return self._at.rows

    @property
    def state(self) -> Mapping[str, Any]:
        """What was said of the last row that is done."""
        return self._at.state

    def __enter__(self) -> PartFile:
        self._file = open_alone(self.path, self._given)
        try:
            kept = json.loads(self._note.read_text(encoding="utf-8"))
            at = _At(*kept["at"])
            if kept["about"] != self._about:
                self.about_before = dict(kept["about"])
            elif at.rows and self.path.stat().st_size >= at.bytes:
                self._at, self._is_kept = at, True
        except (OSError, ValueError, KeyError, TypeError):
            pass
        self._file.truncate(self._at.bytes)
        self._file.seek(self._at.bytes)
        self._saved = time.monotonic()
        return self

    def add(self, data: bytes, rows: int, state: Mapping[str, Any]) -> None:
        """Write what is whole with these bytes: this many rows are done then."""
        self._file.write(data)
        # In one step, as work may stop anywhere.
        self._at = _At(self._at.bytes + len(data), rows, state)
        if time.monotonic() - self._saved > _SAVED_EVERY:
            self.save()

    def save(self) -> None:
        """Put all that is whole on the disk, and note how far that is."""
        self._file.flush()
        self._file.truncate(self._at.bytes)
        to_disk(self._file)
        with self._fresh_note.open("wb") as note:
            note.write(json.dumps({"about": self._about, "at": self._at}).encode())
            to_disk(note)
        self._fresh_note.replace(self._note)
        self._saved, self._is_kept = time.monotonic(), True

    def put_in_place(self) -> None:
        """Let the part be the file: all is done."""
        to_disk(self._file)
        put_in_place(self.path, self._target)
        self._note.unlink(missing_ok=True)
        self._is_in_place = True

    def forget(self) -> None:
        """Keep nothing: all is done, or it cannot be gone on with."""
        self._at = _At()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            if not self.rows:
                self._remove()
            elif not self._is_in_place:
                with suppress(OSError):
                    self.save()
        finally:
            with suppress(OSError):  # what is left in the buffer is not whole
                self._file.close()
            if not self._is_kept and not self._is_in_place:
                # The disk had no room for a single note: what has none is of no use.
                self._remove()
        if isinstance(error, OSError) and self._is_own(error):
            hint = f"check the path and the disk; {self._goes_on()}"
            raise cannot_be_written(error, self._given, hint=hint) from None
        if isinstance(error, KeyboardInterrupt) and not isinstance(error, Stopped):
            of = "" if self.total is None else f" of {self.total:,}"
            raise Stopped(f"Stopped after {count_of(self.rows, self._noun)}{of}. {self._goes_on().capitalize()}.")
        if isinstance(error, FourfoldError) and error.code in ("process_ended", "no_file"):
            code, argument, problem, got, hint = error.args
            raise type(error)(code, argument, problem, got, f"{hint}; {self._goes_on()}") from None

    def _goes_on(self) -> str:
        if self.rows and self._is_kept:
            return "the same command continues from here"
        return f"nothing is kept, as nothing {'could be saved' if self.rows else 'was done'}"

    def _is_own(self, error: OSError) -> bool:
        """Tell whether an error is about what is written here, not about what is read for it."""
        written = (self._target, self.path, self._note, self._fresh_note)
        return error.filename is None or str(error.filename) in map(str, written)

    def _remove(self) -> None:
        for path in (self._note, self._fresh_note, self.path):
            path.unlink(missing_ok=True)


def open_alone(path: Path, given: str | Path) -> BinaryIO:
    """Open a file that no other process has open in this way, for what was `given` as output; made where it is not."""
    try:
        return _locked(path)
    except BlockingIOError:
        problem, hint = "another process is writing it", "wait until it is done, or write to another file"
        raise InputError("no_file", "output", problem, str(given), hint) from None
    except OSError as error:
        raise cannot_be_written(error, given) from None


def _locked(path: Path) -> BinaryIO:
    while True:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The process that had it may have put it in its place meanwhile: then it is another file's name, or none's.
            if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        except BaseException:
            file.close()
            raise
        file.close()


def digest(path: str | Path) -> str:
    """Return what changes when a file does; empty for what is no file."""
    if not Path(path).is_file():
        return ""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
