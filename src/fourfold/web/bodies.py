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
from ..frames import FILE_ENDINGS
from ..questions import DataFile, Question
from .refusals import BODY_TOO_LARGE, WRONG_TYPE, Refused, bad_request

_MOST_PARTS: Final = 200
_LONGEST_FIELD: Final = 10_000
_LONGEST_HEADERS: Final = 4_000
_LONGEST_LABEL: Final = 100
_MOST_FILES: Final = 2


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
        given = json.loads(body.decode("utf-8"), object_pairs_hook=_distinct, parse_constant=_no_number)
    except UnicodeDecodeError:
        raise bad_request("body", "is not UTF-8", bytes(body[:40]), hint) from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
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


def _distinct(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            raise InputError("ambiguous", name[:80], "is given twice", value, "give each name once")
        members[name] = value
    return members


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number in JSON")


def _check_type(request: Request, wanted: str) -> bytes:
    """Refuse a body of another type; return the boundary that the header may have."""
    given = request.headers.get("content-type", "")
    kind, options = parse_options_header(given)
    if kind.decode("latin-1").lower() != wanted:
        error = InputError("bad_request", "Content-Type", f"must be {wanted}", given, "set the header")
        raise Refused(WRONG_TYPE, error)
    return options.get(b"boundary", b"")


async def _pieces(request: Request, limit: int) -> AsyncIterator[bytes]:
    """Yield a body as it comes, and break off where it is larger than allowed, whatever its header says."""
    said = request.headers.get("content-length", "")
    if said.isdigit() and int(said[:20]) > limit:
        raise _too_large(limit, int(said[:20]))
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > limit:
            raise _too_large(limit, size)
        yield piece


def _too_large(limit: int, size: int) -> Refused:
    problem, hint = f"must have at most {limit:,} bytes", "ask on the command line, which has no limit"
    return Refused(BODY_TOO_LARGE, TooLarge("too_large", "body", problem, size, hint))


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
    reader = _Reader(place)
    try:
        try:
            parser = MultipartParser(boundary, reader.callbacks())
            async for piece in _pieces(request, limit):
                parser.write(piece)
            parser.finalize()
        except ValueError as error:
            if isinstance(error, InputError):
                raise
            raise bad_request("body", f"is not multipart ({error})"[:200], None, "send a form with a file") from None
        fields, files = reader.finish()
        yield _values(question, fields, files), files, str(place)
    finally:
        reader.close()
        shutil.rmtree(place, ignore_errors=True)


def _values(question: Question, fields: Mapping[str, Sequence[str]], files: Sequence[DataFile]) -> dict[str, Any]:
    """Return what the fields of a form give: lists for what may come several times; empty texts are passed over."""
    several = {parameter.name for parameter in question.parameters if parameter.many}
    most = _MOST_FILES if "file" in several else 1
    if not 1 <= len(files) <= most:
        hint = "send one file" if most == 1 else f"send one file, or up to {most}"
        raise InputError("bad_shape", "file", "must be a file", verbatim(f"{len(files)} files"), hint)
    values: dict[str, Any] = {}
    for name, texts in fields.items():
        given = [text for text in texts if text]
        if len(given) > 1 and name not in several:
            raise InputError("ambiguous", name, "is given twice", given[1], "give it once")
        values[name] = given if name in several else given[0] if given else None
    return values


class _Reader:
    """Takes what the parser finds: headers, then the data of a field or a file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._fields: dict[str, list[str]] = {}
        self._files: list[DataFile] = []
        self._header, self._value = bytearray(), bytearray()
        self._headers: dict[str, bytes] = {}
        self._text = bytearray()
        self._file: BinaryIO | None = None
        self._name = ""
        self._parts = 0
        self._ended = False

    def callbacks(self) -> Any:
        """Return what the parser is to call."""
        names = ("part_begin", "part_data", "part_end", "header_field", "header_value", "header_end")
        return {f"on_{name}": getattr(self, f"_{name}") for name in (*names, "headers_finished", "end")}

    def finish(self) -> tuple[dict[str, list[str]], list[DataFile]]:
        """Return the fields and files, if the body came to its end."""
        if not self._ended:
            raise bad_request("body", "breaks off", None, "send the whole form")
        return self._fields, self._files

    def close(self) -> None:
        """Close a file that a broken body has left open."""
        if self._file is not None:
            self._file.close()

    def _part_begin(self) -> None:
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise InputError("bad_request", "body", f"has more than {_MOST_PARTS} parts", self._parts, "send fewer")
        self._headers = {}
        self._text.clear()

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]
        self._check(self._header, _LONGEST_HEADERS)

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]
        self._check(self._value, _LONGEST_HEADERS)

    def _header_end(self) -> None:
        if len(self._headers) < 8:  # nothing but a disposition and a type is read
            self._headers[bytes(self._header).decode("latin-1").lower()] = bytes(self._value)
        self._header.clear()
        self._value.clear()

    def _headers_finished(self) -> None:
        _, options = parse_options_header(self._headers.get("content-disposition", b""))
        self._name = _decoded(options.get(b"name", b""), "name")
        if b"filename" not in options:
            return
        if self._name not in ("file", "files"):
            raise InputError("usage", self._name[:80] or "file", "is no file", None, "call the field file")
        if len(self._files) == _MOST_FILES:
            raise InputError("bad_request", "file", f"are more than {_MOST_FILES}", len(self._files) + 1, "send fewer")
        self._start_file(_label(_decoded(options[b"filename"], "filename")))

    def _start_file(self, label: str) -> None:
        kind = max((kind for kind in FILE_ENDINGS if label.lower().endswith(kind)), key=len, default=None)
        if kind is None:
            hint = f"give a file that ends in {', '.join(FILE_ENDINGS)}"
            error = InputError("bad_shape", "file", "is of a kind that is not read", label, hint)
            raise Refused(WRONG_TYPE, error)
        name = f"upload-{len(self._files) + 1}{kind}"
        taken = {file.label for file in self._files}
        self._files.append(DataFile(f"{label} (2)" if label in taken else label, name))
        self._file = (self._folder / name).open("xb")

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        if self._file is not None:
            self._file.write(data[start:end])
        else:
            self._text += data[start:end]
            self._check(self._text, _LONGEST_FIELD)

    def _part_end(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
        else:
            self._fields.setdefault(self._name, []).append(_decoded(bytes(self._text), self._name))

    def _end(self) -> None:
        self._ended = True

    def _check(self, text: bytearray, most: int) -> None:
        if len(text) > most:
            raise InputError(
                "bad_request", self._name[:80] or "field", f"is longer than {most:,} bytes", None, "cut it"
            )


def _decoded(text: bytes, name: str) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("bad_request", name[:80] or "field", "is not UTF-8", text[:40], "send UTF-8") from None


def _label(name: str) -> str:
    """Return what a file is called, without the folders that a client may send; it is shown, never opened."""
    last = re.split(r"[/\\]", name)[-1]
    shown = "".join(letter for letter in last if letter.isprintable()).strip()
    return shown if len(shown) <= _LONGEST_LABEL else "..." + shown[-_LONGEST_LABEL:]


def accepts(request: Request, kind: str) -> bool:
    """Tell whether a client asks for a type by name."""
    given = request.headers.get("accept", "")
    return any(part.partition(";")[0].strip().lower() == kind for part in given.split(","))
