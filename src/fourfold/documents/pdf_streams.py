"""What a stream of a PDF unpacks to, found out before it does: a few bytes can stand for gigabytes.

pdfminer unpacks streams where it comes upon them: pages, fonts and drawings, and the document's own tables of places.
So the limit is kept where it unpacks, while a document of ours is read.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from math import prod
from typing import Any, Final, NamedTuple

from ..errors import TooLarge
from .parts import MEGABYTE, too_large

#: A stream may unpack to so many bytes.
MOST_UNPACKED: Final = 64 * MEGABYTE
_BLOCK: Final = 1 << 16
#: Fax lines are pictures: no text is kept so, and a bit of it can be a line of any width.
_FAX: Final = ("CCITTFaxDecode", "CCF")

_limited: Final = ContextVar("limited", default=False)


@contextmanager
def limited() -> Iterator[None]:
    """Refuse streams that unpack to too much."""
    _watch_pdfminer()
    before = _limited.set(True)
    try:
        yield
    except Exception as error:
        # pdfplumber puts whatever is raised within it into an error of its own.
        raise next((inner for inner in error.args if isinstance(inner, TooLarge)), error) from None
    finally:
        _limited.reset(before)


@cache
def _watch_pdfminer() -> None:
    """Let pdfminer ask before it unpacks, which it does nowhere by itself; other users of it notice nothing."""
    from pdfminer.pdftypes import PDFStream

    unpack = PDFStream.decode

    @wraps(unpack)
    def checked(stream: Any) -> None:
        if _limited.get():
            filters = [(getattr(kind, "name", ""), told) for kind, told in stream.get_filters()]
            known = [_FILTERS[kind] for kind, _ in filters if kind in _FILTERS]
            # Most streams are so small that nothing they can be is too much.
            if len(stream.rawdata) * prod(one.growth for one in known) > MOST_UNPACKED:
                _unpack_in_part(stream, known)
            if any(kind in _FAX or _width(told) > MOST_UNPACKED for kind, told in filters):
                raise _too_much()
        unpack(stream)

    PDFStream.decode = checked  # type: ignore[method-assign, assignment]


def _width(told: object) -> int:
    """Return the bytes of a line where each line is told by how it differs from the one before."""
    from pdfminer.pdftypes import resolve1

    told = told if isinstance(told, dict) else {}
    sizes = [resolve1(told.get(name, 1)) for name in ("Columns", "Colors")]
    columns, colours = (size if isinstance(size, int) else 1 for size in sizes)
    return max(columns, columns * colours)


def _unpack_in_part(stream: Any, filters: Iterable[_Filter]) -> None:
    """Unpack as far as the limit, filter by filter."""
    data: bytes = stream.rawdata
    if stream.decipher:
        data = stream.decipher(stream.objid, stream.genno, data, stream.attrs)
    for one in filters:
        data = b"".join(_up_to(MOST_UNPACKED, one.unpack(data)))


def _up_to(most: int, parts: Iterable[bytes]) -> Iterator[bytes]:
    for part in parts:
        most -= len(part)
        if most < 0:
            raise _too_much()
        yield part


def _too_much() -> TooLarge:
    hint = f"at most {MOST_UNPACKED // MEGABYTE} MB are read; print the pages with results to a new PDF"
    return too_large("has a part that unpacks to too much", f"more than {MOST_UNPACKED:,} bytes", hint)


def _deflated(data: bytes) -> Iterator[bytes]:
    """Unpack in parts, up to where it is broken."""
    unpack = zlib.decompressobj()
    for start in range(0, len(data), _BLOCK):
        rest = data[start : start + _BLOCK]
        while rest:
            try:
                yield unpack.decompress(rest, _BLOCK << 4)
            except zlib.error:
                return
            rest = unpack.unconsumed_tail


def _repeated(data: bytes) -> Iterator[bytes]:
    """Unpack runs of one byte and pieces that stand as they are."""
    place = 0
    while place < len(data) and data[place] != 128:
        length = data[place]
        if length > 128:
            yield data[place + 1 : place + 2] * (257 - length)
            place += 2
        else:
            yield data[place + 1 : place + 2 + length]
            place += 2 + length


def _by_table(data: bytes) -> Iterator[bytes]:
    from pdfminer.lzw import LZWDecoder

    return LZWDecoder(io.BytesIO(data)).run()


def _as_letters(data: bytes) -> Iterator[bytes]:
    from pdfminer.ascii85 import ascii85decode

    yield ascii85decode(data)


def _as_digits(data: bytes) -> Iterator[bytes]:
    from pdfminer.ascii85 import asciihexdecode

    yield asciihexdecode(data)


class _Filter(NamedTuple):
    """A way to pack: how many bytes one can stand for at most, and how parts of it are unpacked."""

    growth: int
    unpack: Callable[[bytes], Iterator[bytes]]


_FILTERS: Final = {
    **dict.fromkeys(("FlateDecode", "Fl"), _Filter(1032, _deflated)),
    **dict.fromkeys(("LZWDecode", "LZW"), _Filter(2560, _by_table)),
    **dict.fromkeys(("RunLengthDecode", "RL"), _Filter(64, _repeated)),
    **dict.fromkeys(("ASCII85Decode", "A85"), _Filter(4, _as_letters)),
    **dict.fromkeys(("ASCIIHexDecode", "AHx"), _Filter(1, _as_digits)),
}
