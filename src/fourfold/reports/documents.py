"""Which documents are meant: files by name, all that a pattern matches, or all of known formats in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import Annotated, Final, TypeAlias

from ..documents import ENDINGS, open_document
from ..errors import TooLarge, verbatim
from ..shape import Count, Record

#: A text, or the path of a document.
Document: TypeAlias = str | Path


@dataclass(frozen=True)
class CheckedDocument(Record):
    """A document that was checked."""

    name: Annotated[str, "Its name; empty for text without one."]
    reports: Annotated[Count, "How many of its reports were checked."]
    left_out: Annotated[Count, "How many more were left out by a mark in it."] = 0
    error: Annotated[str | None, "Why it could not be read."] = None


#: Folders that hold others' work.
_PASSED_OVER: Final = frozenset({"node_modules", "__pycache__", "site-packages"})
MOST_FILES: Final = 10_000


def documents_in(
    documents: Iterable[Document], *, without: Iterable[str | Path | None] = (), most: int | None = None
) -> list[Document]:
    """Return every document once: of a folder and of a pattern such as ``docs/*.md`` the files, of `without` none.

    Hidden files and folders, and links to folders, are passed over. A text stays as it is, and so does a name or a
    pattern for which there is no file: reading it says what is wrong. More than `most` are refused.
    """
    most = MOST_FILES if most is None else most
    left_out = {os.path.abspath(path) for path in without if path is not None}
    found: list[Document] = []
    seen: set[str] = set()
    for document in documents:
        source = open_document(document)
        if not isinstance(source, Path):
            found.append(source)
            continue
        for path, named in _files(source):
            key = os.path.abspath(path)
            if key not in seen and (named or key not in left_out):
                found.append(path)
                seen.add(key)
            if len(found) > most:
                hint = f"at most {most:,} are shown at once; write the findings to a file: -o findings.csv"
                raise TooLarge("too_large", "documents", "are too many", verbatim(str(source)), hint)
    return found


def _files(path: Path) -> Iterator[tuple[Path, bool]]:
    """Yield the files that a path stands for, each with whether it is named itself."""
    matched = sorted(glob(str(path), recursive=True)) if has_magic(str(path)) and not path.exists() else []
    if path.is_dir():
        yield from ((file, False) for file in _walked(path))
    elif matched:
        yield from ((file, False) for file in map(Path, matched) if file.is_file())
    else:
        yield path, True


def _walked(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _PASSED_OVER)
        if "pyvenv.cfg" in files:
            folders.clear()
            continue
        for name in sorted(files):
            path = Path(place, name)
            if not name.startswith(".") and path.suffix.casefold() in ENDINGS and path.is_file():
                yield path
