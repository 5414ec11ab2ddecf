"""Archives of texts, as authors hand in the sources of a paper: zip, and tar or one text packed by gzip."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from ..errors import InputError
from .parts import MEGABYTE, MOST_BYTES, MOST_UNPACKED, reading, too_large

#: Archives of more parts are no sources of a paper.
_MOST_PARTS: Final = 20_000
_GZIP: Final = b"\x1f\x8b"
_TAR: Final = b"ustar"
_TAR_AT: Final = 257


class Member(NamedTuple):
    """A file in an archive."""

    name: str
    data: bytes


def members(data: bytes, name: str, endings: frozenset[str]) -> Iterator[Member]:
    """Walk the files of an archive with these endings; it is refused where it would unpack to too much."""
    with reading("an archive", name):
        if data.startswith(_GZIP):
            data = _unpacked(data)
            if data[_TAR_AT : _TAR_AT + len(_TAR)] != _TAR:
                yield Member(name.removesuffix(".gz"), data)
                return
        found = list(_of_zip(data) if data.startswith(b"PK") else _of_tar(data))
    kept = [one for one in found if PurePosixPath(one.name).suffix.casefold() in endings]
    if not kept:
        raise InputError("bad_shape", "document", "has no text in it that is read", name, "give a file in it")
    yield from sorted(kept)


def _unpacked(data: bytes) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        unpacked = file.read(MOST_UNPACKED + 1)
    if len(unpacked) > MOST_UNPACKED:
        raise _too_much()
    return unpacked


def _of_zip(data: bytes) -> Iterator[Member]:
    with zipfile.ZipFile(io.BytesIO(data)) as folder:
        parts = [part for part in folder.infolist() if not part.is_dir()]
        if len(parts) > _MOST_PARTS or sum(part.file_size for part in parts) > MOST_UNPACKED:
            raise _too_much()
        for part in parts:
            if part.file_size <= MOST_BYTES and not part.flag_bits & 1:
                with folder.open(part) as file:
                    yield Member(part.filename, file.read(part.file_size))


def _of_tar(data: bytes) -> Iterator[Member]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as folder:
        for count, part in enumerate(folder):
            if count > _MOST_PARTS:
                raise _too_much()
            # Links lead out of an archive: they are passed over.
            if part.isreg() and part.size <= MOST_BYTES and (file := folder.extractfile(part)):
                yield Member(part.name, file.read())


def _too_much() -> Exception:
    hint = f"at most {MOST_UNPACKED // MEGABYTE} MB are unpacked"
    return too_large("unpacks to too much", f"more than {MOST_UNPACKED // MEGABYTE} MB", hint)
