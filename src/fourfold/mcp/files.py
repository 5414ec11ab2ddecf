"""The files of a question: text that came with it, and files in the folders that the user named. Nothing else opens.

A file is copied to where a worker reads it, under a name of ours, as an upload to the page is. So the limits of size
are the same, and a path that is changed after it was checked leads nowhere.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path, PurePath, PureWindowsPath
from typing import Any, BinaryIO, Final

from ..errors import InputError, TooLarge, suggestion
from ..workers.uploads import Uploads

_AT_A_TIME: Final = 1 << 20
_MOST_NAMES: Final = 10
_MEMBERS: Final = ("name", "text", "path")
# The name of a text that has none; of a document its content shows what it is.
_NAMELESS: Final = {"file": "text.csv", "cases": "text.csv", "document": "text"}
# Windows has neither of these, and its paths are looked at before they are opened.
_BELOW: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_PLAIN: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Folders:
    """The folders that a user named, and the only way into them."""

    def __init__(self, folders: Sequence[str]) -> None:
        self._folders = tuple(dict.fromkeys(map(_folder, folders)))

    @property
    def names(self) -> tuple[str, ...]:
        """The folders, as an assistant is told them."""
        return tuple(map(str, self._folders))

    def open(self, path: str) -> BinaryIO:
        """Open a file by its path below one of the folders."""
        if not self._folders:
            hint = "give the content as text, or start fourfold mcp with --folder DIR"
            raise InputError("refused", "path", "no folder was named, so no file is read", path, hint)
        names = _names(path)
        with ExitStack() as opened:
            files = [opened.enter_context(file) for folder in self._folders for file in _opened(folder, names, path)]
            if len(files) > 1:
                hint = "rename one of the files, or name one folder"
                raise InputError("ambiguous", "path", "is in several of the folders", path, hint)
            if not files:
                raise self._missing(path)
            opened.pop_all()
            return files[0]

    def _missing(self, path: str) -> InputError:
        """Return the error of a path that leads to nothing, with what there is."""
        with suppress(OSError):
            every = (entry for folder in self._folders for entry in folder.iterdir())
            known = sorted(entry.name for entry in every if entry.is_file() and not entry.is_symlink())
            more = f" and {len(known) - _MOST_NAMES} more" if len(known) > _MOST_NAMES else ""
            there = f"there are {', '.join(known[:_MOST_NAMES])}{more}" if known else "there are no files"
            return InputError("no_file", "path", "is not there", path, suggestion(path, known, there))
        return InputError("no_file", "path", "is not there", path, "check the folders")


def _folder(given: str) -> Path:
    try:
        folder = Path(given).resolve(strict=True)
    except OSError:
        folder = Path(given)
    if not folder.is_dir():
        raise InputError("no_file", "--folder", "is not a folder", given, "name a folder that is there")
    return folder


def _names(path: str) -> tuple[str, ...]:
    """Return the names that a path goes through; one that does not stay below its start is refused."""
    windows = PureWindowsPath(path)
    names = PurePath(path).parts
    leaves = path.startswith("/") or windows.drive or windows.root or ".." in windows.parts
    if leaves or "://" in path or "\0" in path or not names:
        hint = "write it from the folder on, such as results/clinics.csv"
        raise InputError("refused", "path", "must stay within the folders that were named", path, hint)
    return names


def _opened(folder: Path, names: Sequence[str], path: str) -> list[BinaryIO]:
    """Return a plain file, open, or nothing where there is none."""
    try:
        number = _descend(folder, names, path) if _BELOW else _look_and_open(folder, names, path)
    except FileNotFoundError:
        return []
    except OSError as error:
        problem = f"cannot be read ({(error.strerror or 'no reason is given').lower()})"
        raise InputError("no_file", "path", problem, path, "check the file's permissions") from None
    file = os.fdopen(number, "rb")
    if not stat.S_ISREG(os.fstat(number).st_mode):
        file.close()
        raise _no_file(path)
    return [file]


def _descend(folder: Path, names: Sequence[str], path: str) -> int:
    """Open a file from folder to folder, each from within the one before: no link is followed, whenever it is made."""
    with ExitStack() as opened:
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        opened.callback(os.close, place)
        for name in names[:-1]:
            _check(os.stat(name, dir_fd=place, follow_symlinks=False), path, last=False)
            place = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=place)
            opened.callback(os.close, place)
        _check(os.stat(names[-1], dir_fd=place, follow_symlinks=False), path, last=True)
        return os.open(names[-1], _PLAIN, dir_fd=place)


def _look_and_open(folder: Path, names: Sequence[str], path: str) -> int:
    """Open a file where a system cannot open from within a folder: its path is looked at first."""
    place = folder
    for number, name in enumerate(names, 1):
        place /= name
        _check(place.lstat(), path, last=number == len(names))
    if place.resolve(strict=True) != place:
        raise _link(path)
    return os.open(place, _PLAIN)


def _check(status: os.stat_result, path: str, *, last: bool) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise _link(path)
    if last and not stat.S_ISREG(status.st_mode):
        raise _no_file(path)
    if not last and not stat.S_ISDIR(status.st_mode):
        raise FileNotFoundError


def _link(path: str) -> InputError:
    hint = "give the file's own path, in a folder that was named"
    return InputError("refused", "path", "is a link, or goes through one", path, hint)


def _no_file(path: str) -> InputError:
    return InputError("refused", "path", "is not a plain file", path, "name a file, not a folder or a device")


def keep(given: Any, kind: str, folders: Folders, uploads: Uploads, limit: int) -> None:
    """Write the files of a question, of one kind, where a worker reads them; `limit` is of bytes, for all together."""
    left = limit
    for file in given if isinstance(given, list) else [given]:
        label, content = _content(file, kind, folders)
        with content, uploads.add(label).open("xb") as target:
            while piece := content.read(_AT_A_TIME):
                left -= len(piece)
                if left < 0:
                    problem, hint = f"must have at most {limit:,} bytes", "ask on the command line, which has no limit"
                    raise TooLarge("too_large", "file", problem, label, hint)
                target.write(piece)
    uploads.check()


def _content(given: Any, kind: str, folders: Folders) -> tuple[str, BinaryIO]:
    """Return what a file is called, and its content."""
    hint = 'give {"text": "..."}, or {"path": "clinics.csv"} for a file in a folder that was named'
    if not isinstance(given, Mapping) or not all(isinstance(value, str) for value in given.values()):
        raise InputError("bad_shape", "file", "must be an object of texts", given, hint)
    if set(given) - set(_MEMBERS) or ("text" in given) == ("path" in given):
        raise InputError("bad_shape", "file", "must have either a text or a path", ", ".join(given), hint)
    if "path" in given:
        return given["path"], folders.open(given["path"])
    return given.get("name") or _NAMELESS[kind], io.BytesIO(given["text"].encode("utf-8", "replace"))
