"""Bodies of requests, read with every size counted: JSON into values, uploads into files with names of ours."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn

from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from ..errors import InputError, TooLarge, verbatim
from ..questions import DataFile, Question, distinct
from ..workers.refusals import Refused, bad_request
from ..workers.uploads import Uploads

_MOST_PARTS: Final = 200
_LONGEST_FIELD: Final = 10_000
_LONGEST_HEADERS: Final = 4_000
# No question is nested deeper than a few levels.
_DEEPEST: Final = 20


async def read_json(request: Request, limit: int) -> dict[str, Any]:
    """Read an object of JSON."""
    _check_type(request, "application/json")
    body = bytearray()
    async for piece in _pieces(request, limit):
        body += piece
    hint = "send an object such as {}"
    try:
        given = json.loads(body.decode("utf-8"), object_pairs_hook=distinct, parse_constant=_no_number)
    except UnicodeDecodeError:
        raise bad_request("body", "is not UTF-8", bytes(body[:40]), hint) from None
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise bad_request("body", f"is not JSON ({error})"[:200], body[:40].decode("utf-8", "replace"), hint) from None
    if not isinstance(given, dict):
        raise bad_request("body", "must be an object", given, hint)
    if _depth(given) > _DEEPEST:
        raise bad_request("body", f"is nested deeper than {_DEEPEST} levels", verbatim("too deep"), hint)
    return given


def _depth(value: Any) -> int:
    """Return how deep objects and lists are nested, without going down by recursion."""
    deepest, left = 0, [(value, 1)]
    while left:
        value, level = left.pop()
        deepest = max(deepest, level)
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        left += [(part, level + 1) for part in inner if isinstance(part, dict | list)]
    return deepest


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number in JSON")


def _check_type(request: Request, wanted: str) -> bytes:
    """Refuse a body of another type; return the boundary that the header may have."""
    given = request.headers.get("content-type", "")
    kind, options = parse_options_header(given)
    if kind.decode("latin-1").lower() != wanted:
        raise bad_request("Content-Type", f"must be {wanted}", given, "set the header", 415)
    return options.get(b"boundary", b"")


async def _pieces(request: Request, limit: int) -> AsyncIterator[bytes]:
    """Yield a body as it comes, and break off where it is larger than allowed, whatever its header says."""
    stated = request.headers.get("content-length", "")
    if stated.isdigit() and int(stated[:20]) > limit:
        raise _too_large(limit, int(stated[:20]))
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > limit:
            raise _too_large(limit, size)
        yield piece


def _too_large(limit: int, size: int) -> Refused:
    problem, hint = f"must have at most {limit:,} bytes", "ask on the command line, which has no limit"
    return Refused(413, TooLarge("too_large", "body", problem, size, hint))


@asynccontextmanager
async def read_form(
    request: Request, question: Question, limit: int, folder: Path
) -> AsyncIterator[tuple[dict[str, Any], list[DataFile], str]]:
    """Read what a question takes from a multipart body: values, files, and the folder that holds the files.

    The files are there until the block ends, however it does.
    """
    boundary = _check_type(request, "multipart/form-data")
    if not boundary:
        raise bad_request("Content-Type", "must have a boundary", None, "let your client set the header")
    place = Path(tempfile.mkdtemp(prefix="upload-", dir=folder))
    uploads = Uploads(place, question)
    reader = _FormReader(uploads)
    try:
        await _parse(request, boundary, limit, reader)
        uploads.check()
        yield _values(question, reader.fields), uploads.files, str(place)
    finally:
        reader.close()
        shutil.rmtree(place, ignore_errors=True)


async def _parse(request: Request, boundary: bytes, limit: int, reader: _FormReader) -> None:
    try:
        parser = MultipartParser(boundary, reader.callbacks())
        async for piece in _pieces(request, limit):
            parser.write(piece)
        parser.finalize()
    except InputError:
        raise
    except ValueError as error:
        raise bad_request("body", f"is not multipart ({error})"[:200], None, "send a form with a file") from None
    if not reader.ended:
        raise bad_request("body", "breaks off", None, "send the whole form")


def _values(question: Question, fields: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return what the fields of a form give: lists for what may come several times; empty texts are left out."""
    several = {parameter.name for parameter in question.parameters if parameter.many}
    values: dict[str, Any] = {}
    for name, texts in fields.items():
        given = [text for text in texts if text]
        if len(given) > 1 and name not in several:
            raise InputError("ambiguous", name, "is given twice", given[1], "give it once")
        values[name] = given if name in several else given[0] if given else None
    return values


class _FormReader:
    """Takes what the parser reads: headers, then the data of a field or a file."""

    def __init__(self, uploads: Uploads) -> None:
        self.fields: dict[str, list[str]] = {}
        self.ended = False
        self._uploads = uploads
        self._header, self._value, self._text = bytearray(), bytearray(), bytearray()
        self._disposition = b""
        self._file: BinaryIO | None = None
        self._name = ""
        self._parts = 0

    def callbacks(self) -> Any:
        """Return what the parser is to call."""
        names = ("part_begin", "part_data", "part_end", "header_field", "header_value", "header_end")
        return {f"on_{name}": getattr(self, f"_{name}") for name in (*names, "headers_finished", "end")}

    def close(self) -> None:
        """Close the file that is being written."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _part_begin(self) -> None:
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise InputError("bad_request", "body", f"has more than {_MOST_PARTS} parts", self._parts, "send fewer")
        self._disposition = b""
        self._text.clear()

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._add(self._header, data[start:end], _LONGEST_HEADERS)

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._add(self._value, data[start:end], _LONGEST_HEADERS)

    def _header_end(self) -> None:
        if self._header.lower() == b"content-disposition":
            self._disposition = bytes(self._value)
        self._header.clear()
        self._value.clear()

    def _headers_finished(self) -> None:
        _, options = parse_options_header(self._disposition)
        self._name = _decoded(options.get(b"name", b""), "name")
        if b"filename" not in options:
            return
        if self._name not in ("file", "files"):
            raise InputError("usage", self._name[:80] or "file", "is no file", None, "call the field file")
        self._file = self._uploads.add(_label(_decoded(options[b"filename"], "filename"))).open("xb")

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        if self._file is not None:
            self._file.write(data[start:end])
        else:
            self._add(self._text, data[start:end], _LONGEST_FIELD)

    def _part_end(self) -> None:
        if self._file is None:
            self.fields.setdefault(self._name, []).append(_decoded(bytes(self._text), self._name))
        self.close()

    def _end(self) -> None:
        self.ended = True

    def _add(self, text: bytearray, more: bytes, most: int) -> None:
        text += more
        if len(text) > most:
            problem = f"is longer than {most:,} bytes"
            raise InputError("bad_request", self._name[:80] or "field", problem, None, "cut it")


def _decoded(text: bytes, name: str) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("bad_request", name[:80] or "field", "is not UTF-8", text[:40], "send UTF-8") from None


def _label(name: str) -> str:
    """Return what a file is called, without the folders that a client may send."""
    return re.split(r"[/\\]", name)[-1]


def accepts(request: Request, kind: str) -> bool:
    """Tell whether a client asks for a type by name."""
    given = request.headers.get("accept", "")
    return any(part.partition(";")[0].strip().lower() == kind for part in given.split(","))
