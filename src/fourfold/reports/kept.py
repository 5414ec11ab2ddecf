"""What was found in documents, kept until all of them are checked, so that a check that was stopped goes on.

It is kept in a folder of the user's own, under a name that says which documents and which question it is; a document
that was changed since is checked again.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import NoneType, TracebackType
from typing import Any, Final, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

from .. import __version__
from ..batch import KeptLines, Stopped, digest
from ..documents import open_document
from ..errors import FourfoldError, InputError
from ..words import count_of
from .documents import CheckedDocument, Document
from .judging import Finding, Given, Told

T = TypeVar("T")
#: A document that was checked, and what was found in it.
Found: TypeAlias = tuple[CheckedDocument, list[Finding]]

# A check that takes fewer seconds is not worth keeping.
_WORTH_KEEPING: Final = 2.0
# What nobody has gone on with for so many seconds is removed.
_OLDEST: Final = 30 * 24 * 3600


class KeptChecks:
    """What was found so far in documents; used by one process at a time, others work without it.

    `tell` is told what an earlier run has left. Nothing is kept where the folder cannot be written to.
    """

    def __init__(
        self, folder: Path | None, documents: Sequence[Document], given: Given, tell: Callable[[str], None]
    ) -> None:
        self._documents, self._tell = documents, tell
        question = [__version__, repr(given), [_name(document) for document in documents]]
        self._about = hashlib.sha256(json.dumps(question).encode("utf-8", "surrogatepass")).hexdigest()
        self._path = None if folder is None else folder / f"check-{self._about[:32]}.jsonl"
        self._lines: KeptLines | None = None
        self._waiting: dict[str, Found] = {}
        self._done = 0

    def __enter__(self) -> KeptChecks:
        self._started = time.monotonic()
        if self._path is not None and self._path.is_file():
            self._open()
        if self._lines is not None and self._lines.values:
            done = count_of(len(self._lines.values), "document")
            self._tell(f"An earlier run was interrupted: continues after the {done} that were done.")
        return self

    def find(self, document: Document) -> Found | None:
        """Return what was found in a document before, where it is still the same."""
        if self._lines is None or not self._lines.values:
            return None
        try:
            plain = self._lines.values[_key(document)]
            found = _rebuilt(CheckedDocument, plain["document"]), [_rebuilt(Finding, one) for one in plain["findings"]]
        except (KeyError, TypeError, ValueError):
            return None
        self._done += 1
        return found

    def add(self, document: Document, found: Found) -> None:
        """Keep what was found in a document."""
        self._done += 1
        if self._path is None:
            return
        self._waiting[_key(document)] = found
        if time.monotonic() - self._started > _WORTH_KEEPING:
            self._save()

    def _save(self) -> None:
        if self._lines is None and self._path is not None:
            with suppress(OSError):
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                for path in self._path.parent.glob("check-*.jsonl"):
                    if time.time() - path.stat().st_mtime > _OLDEST:
                        path.unlink(missing_ok=True)
            self._open()
        waiting, self._waiting = self._waiting, {}
        if self._lines is None:
            return
        try:
            for key, (document, findings) in waiting.items():
                with suppress(TypeError, ValueError):  # what cannot be kept is found again
                    value = json.dumps({"document": document, "findings": [*map(_told, findings)]}, default=_plain)
                    self._lines.add(key, json.loads(value))
        except OSError:
            self._path = None

    def _open(self) -> None:
        assert self._path is not None, "there is a place"
        try:
            self._lines = KeptLines(self._path, self._about).__enter__()
        except InputError:  # another process has it, or the folder is not to be written to
            self._path = None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if error is not None:
            self._save()
        elif self._lines is not None:
            self._lines.forget()
        kept = self._lines is not None and self._path is not None and self._done > 0
        if self._lines is not None:
            self._lines.__exit__(kind, error, at)
        goes_on = "The same command continues from here." if kept else "Nothing is kept."
        if isinstance(error, KeyboardInterrupt):
            documents = count_of(self._done, "document")
            raise Stopped(f"Stopped after {documents} of {len(self._documents):,}. {goes_on}") from None
        if isinstance(error, FourfoldError) and error.code == "process_ended" and kept:
            code, argument, problem, got, hint = error.args
            raise type(error)(code, argument, problem, got, f"{hint}; {goes_on[:1].lower()}{goes_on[1:]}") from None


def _name(document: Document) -> str:
    """Return what a document is known by: where it is, or what it says."""
    source = open_document(document)
    return str(source.absolute()) if isinstance(source, Path) else source


def _key(document: Document) -> str:
    """Return what changes when a document does, or when it is called by another name."""
    source = open_document(document)
    content = digest(source) if isinstance(source, Path) else ""
    return hashlib.sha256(f"{source}\0{content}".encode("utf-8", "surrogatepass")).hexdigest()


def _told(finding: Finding) -> dict[str, Any]:
    """Return a finding as plain values, with what its recovery says in place of that."""
    told = Told(finding.words, finding.cite, finding.only_table)
    return {**{one.name: getattr(finding, one.name) for one in fields(finding)}, "recovery": None, "told": told}


def _plain(value: Any) -> Any:
    return {one.name: getattr(value, one.name) for one in fields(value)} if is_dataclass(value) else dict(value)


def _rebuilt(kind: type[T], plain: dict[str, Any]) -> T:
    """Return the value that plain ones were made from, by what its class says of its fields."""
    hints = get_type_hints(kind)
    return kind(**{name: _value(hints[name], value) for name, value in plain.items()})


def _value(hint: Any, plain: Any) -> Any:
    if plain is None:
        return None
    choices = get_args(hint)
    if NoneType in choices:
        return _value(next(choice for choice in choices if choice is not NoneType), plain)
    if get_origin(hint) is tuple:
        return tuple(_value(choices[0], one) for one in plain)
    if is_dataclass(hint):
        return _rebuilt(hint, plain)  # type: ignore[arg-type]
    return hint(*plain) if hasattr(hint, "_fields") else plain
