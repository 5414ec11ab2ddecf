"""Packed files, .gz and .zst: their bytes unpacked, as far as is safe."""

from __future__ import annotations

import gzip
import importlib
import sys
import zlib
from collections.abc import Sequence
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from ..errors import InputError, MissingExtra, TooLarge

_BLOCK: Final = 1 << 22
#: A packed file may unpack to this many bytes, and to this many times its own size if that is more.
_MOST_UNPACKED: Final = 1 << 28
_MOST_UNPACKED_TIMES: Final = 200
#: Python has it from 3.14 on.
_ZSTANDARD: Final = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"


def unpacked(raw: BinaryIO, path: Path) -> BufferedReader:
    """Return a file's bytes, unpacked where its name says that they are packed."""
    match path.suffix.lower():
        case ".gz":
            return cast("BufferedReader", gzip.GzipFile(fileobj=raw))
        case ".zst":
            return cast("BufferedReader", _zstandard(path).ZstdFile(raw))
    return cast("BufferedReader", raw)


def unpacking_errors(*more: type[Exception]) -> tuple[type[Exception], ...]:
    """Return what is raised where bytes are not packed as a file's name says, or break off; and some more."""
    module = sys.modules.get(_ZSTANDARD)
    return (EOFError, zlib.error, gzip.BadGzipFile, *([module.ZstdError] if module else []), *more)


def check_packed(files: Sequence[Path]) -> None:
    """Refuse packed files that break off, which DuckDB would take silently, and those made to fill a disk."""
    for file in files:
        kind = {".gz": "gzip", ".zst": "zstandard"}.get(file.suffix.lower())
        if kind is None:
            continue
        most = max(_MOST_UNPACKED, _MOST_UNPACKED_TIMES * file.stat().st_size)
        try:
            with file.open("rb") as raw, unpacked(raw, file) as data:
                while data.read(_BLOCK):
                    if data.tell() > most:
                        hint = f"at most {most >> 20:,} MB are unpacked; unpack it first"
                        raise TooLarge("too_large", "data", "unpacks to too much", str(file), hint)
        except unpacking_errors(OSError) as error:
            problem = f"is not readable as {kind} ({error})"
            raise InputError("bad_shape", "data", problem, str(file), "check the file") from None


def _zstandard(path: Path) -> Any:
    """Return the module that unpacks .zst, or say what brings it."""
    try:
        return importlib.import_module(_ZSTANDARD)
    except ImportError:
        hint = "pip install 'fourfold[data]'"
        problem = f"reading .zst needs {_ZSTANDARD}"
        raise MissingExtra("missing_extra", "data", problem, str(path), hint) from None
