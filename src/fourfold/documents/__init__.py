"""Readers of documents, one file a format, behind one door: `blocks`.

In: a file or a text.
Out: its blocks in their order: text and grids with their places.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from ..data import encoding_of, path_hint
from ..errors import InputError
from . import data, delimited, html, latex, notebook, text, yaml
from .blocks import Block
from .packed import is_office, members
from .parts import MEGABYTE, MOST_BYTES, MOST_TEXT_BYTES, Part, decoded, numbered, too_large, unreadable
from .walk import read_parts

__all__ = ["ENDINGS", "blocks", "open_document"]

#: Kinds of files that are not read, by how they begin.
_UNREAD: Final = (
    (b"{\\rtf", "is rich text", "save it as .docx or as plain text"),
    (b"\x89PNG", "is a picture, which cannot be read", "type the counts instead"),
    (b"\xff\xd8\xff", "is a picture, which cannot be read", "type the counts instead"),
    (b"GIF8", "is a picture, which cannot be read", "type the counts instead"),
    (b"PAR1", "is a Parquet file", "save it as CSV"),
)
#: Kinds of files with a reader of their own, by how they begin.
_MAGIC: Final = (
    (b"%PDF-", "pdf"),
    (b"PK\x03\x04", "packed"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old"),
    (b"\x1f\x8b", "archive"),
)
_SNIFFED: Final = 8192


def open_document(text_or_path: str | Path) -> str | Path:
    """Tell a path from text: a text in one line that names a file which is there is a path.

    What looks like the name of a file and is not there is an error, not a text.
    """
    if not isinstance(text_or_path, str | Path):
        problem, hint = "must be a text or a path", "several are given one by one: check(*documents)"
        raise InputError("bad_option", "document", problem, text_or_path, hint)
    if isinstance(text_or_path, Path) or "\n" in text_or_path or "\r" in text_or_path or len(text_or_path) > 4096:
        return text_or_path
    path = Path(text_or_path)
    try:
        if path.is_file() or (path.is_dir() and text_or_path.strip()):
            return path
    except (OSError, ValueError):
        return text_or_path
    return path if _FILE_NAME.fullmatch(text_or_path.strip()) else text_or_path


def blocks(source: str | bytes | Path, *, name: str | None = None) -> Iterator[Block]:
    r"""Read a document: tables as grids, all else as runs of lines, each row and line with its place.

    A `Path` is a file; a text is the document itself, as are bytes. The kind is told by the suffix of the file or of
    `name`, and by how the document looks.

    Examples
    --------
    >>> words, table = blocks("Test set:\n\n| model | recall |\n|---|---|\n| **a** | 0.91 |")
    >>> words.texts, table.rows
    (('Test set:',), (('model', 'recall'), ('a', '0.91')))
    >>> print(table.places[1])
    line 5
    """
    if isinstance(source, Path):
        try:
            if source.is_dir():
                raise InputError("no_file", "document", "is a folder", str(source), "name a file in it")
            with source.open("rb") as file:
                yield from _opened(file, source.stat().st_size, name or source.name)
        except OSError as error:
            reason = (error.strerror or "it is broken").lower()
            raise InputError(
                "no_file", "document", f"cannot be read ({reason})", str(source), path_hint(source)
            ) from None
    elif isinstance(source, bytes):
        yield from _opened(io.BytesIO(source), len(source), name or "document")
    else:
        yield from _text(source, name or "")


def _opened(file: BinaryIO, size: int, name: str) -> Iterator[Block]:
    head = file.read(_SNIFFED)
    file.seek(0)
    for magic, problem, hint in _UNREAD:
        if head.startswith(magic):
            raise InputError("bad_shape", "document", problem, name, hint)
    binary = next(
        (kind for magic, kind in _MAGIC if head.startswith(magic) or (kind == "pdf" and magic in head[:1024])), None
    )
    named = _KINDS.get(Path(name).suffix.casefold())
    # How a text begins is not enough to hold a large one: a log may begin with a bracket.
    kind = binary or named or (_looks(decoded(head)) if size <= MOST_BYTES else "text")
    odd = sum(byte < 32 and byte not in b"\t\n\r\f\x08\x1b" for byte in head)
    if not binary and encoding_of(head)[0] is None and 20 * odd > len(head):
        raise unreadable("text", "it has other bytes", name, "give a text, a sheet, a PDF or a Word document")
    if kind == "text" and size > MEGABYTE:
        if size > MOST_TEXT_BYTES:
            raise too_large("is too large", f"{size // MEGABYTE:,} MB", "give the part with the results")
        yield from text.read(text.lines_of(file))
        return
    if size > MOST_BYTES:
        hint = f"at most {MOST_BYTES // MEGABYTE} MB are read; give the part with the results"
        raise too_large("is too large", f"{size // MEGABYTE:,} MB", hint)
    content = file.read()
    if binary == "archive" or (binary == "packed" and not is_office(content)):
        for member in members(content, name, frozenset(_KINDS)):
            for block in _text(decoded(member.data), member.name):
                yield replace(block, places=tuple(place._replace(sheet=member.name) for place in block.places))
        return
    yield from read_parts(_binary(content, binary, name)) if binary else _text(decoded(content), name)


def _binary(content: bytes, kind: str, name: str) -> Iterator[Part]:
    """Read a document that is not text; its reader is imported only now."""
    if kind == "pdf":
        from . import pdf

        return pdf.read(content, name)
    if kind == "old" and Path(name).suffix.casefold() in (".doc", ".dot", ".ppt", ".msg"):
        raise InputError("bad_shape", "document", "is of an old kind", name, "save it as .docx or .pdf")
    from . import spreadsheet, word
    from .packed import kind_of

    kind = kind_of(content, name) if kind == "packed" else kind
    if kind == "docx":
        return word.read(content, name)
    if kind == "ods":
        return spreadsheet.read_ods(content, name)
    is_new = kind == "xlsx" and Path(name).suffix.casefold() != ".xlsb"
    return spreadsheet.read_xlsx(content, name) if is_new else spreadsheet.read_other(content, name)


def _text(document: str, name: str) -> Iterator[Block]:
    kind = _KINDS.get(Path(name).suffix.casefold(), "text")
    parts = _READERS[_looks(document) if kind == "text" else kind].parts(document, name)
    yield from text.read(numbered(document)) if parts is None else read_parts(parts)


_PAGE: Final = re.compile(r"\s*(?:<!doctype html|<html|Version:[\d.]+\s+StartHTML:)", re.IGNORECASE)
#: What GROBID makes of a paper: its tables have rows and cells.
_TEI: Final = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?<TEI\b")
_TEI_TAGS: Final = re.compile(r"<(/?)(row|cell|head|figDesc)\b")
_AS_HTML: Final = {"row": "tr", "cell": "td", "head": "p", "figDesc": "p"}
_TEX: Final = re.compile(r"\\documentclass|\\begin\s*\{document\}|\\(?:section|subsection|chapter)\*?\{")


def _looks(document: str) -> str:
    """Tell the kind of a text by how it looks; most texts are a mix, which the walk over their lines reads."""
    start = document[:_SNIFFED].lstrip("\ufeff \t\r\n")
    if _PAGE.match(start):
        return "html"
    if _TEI.match(start):
        return "tei"
    if start[:1] in ("{", "["):
        return "json"
    return "latex" if _TEX.search(start) else "text"


def _tei(document: str, name: str) -> Iterable[Part]:
    return html.read(numbered(_TEI_TAGS.sub(lambda match: f"<{match[1]}{_AS_HTML[match[2]]}", document)))


def _notebook(document: str, name: str) -> Iterable[Part]:
    parsed = notebook.parsed(document)
    if parsed is None:
        raise unreadable("a notebook", "it is not JSON", name, "save it again from Jupyter")
    return notebook.read(parsed, name)


def _json(document: str, name: str) -> Iterable[Part] | None:
    parsed = notebook.parsed(document)
    return notebook.read(parsed, name) if notebook.is_notebook(parsed) else data.read(numbered(document))


class _Reader(NamedTuple):
    """The suffixes of a kind of text, and what reads it; None of what is no such text, which is read as any text is."""

    suffixes: str
    parts: Callable[[str, str], Iterable[Part] | None]


#: Kinds of text. All suffixes that are not here are looked at as text.
_READERS: Final[Mapping[str, _Reader]] = {
    "text": _Reader("txt text log out md markdown mdown mkd rmd qmd rst org adoc", lambda *_: None),
    "html": _Reader("html htm xhtml", lambda text, _: html.read(numbered(html.fragment(text)))),
    "tei": _Reader("", _tei),
    "latex": _Reader("tex ltx latex", lambda text, _: latex.read(numbered(text))),
    "csv": _Reader("csv psv", lambda text, _: delimited.read(numbered(text))),
    "tsv": _Reader("tsv tab", lambda text, _: delimited.read(numbered(text), tabs=True)),
    "json": _Reader("json jsonl ndjson", _json),
    "notebook": _Reader("ipynb", _notebook),
    "yaml": _Reader("yaml yml", lambda text, _: yaml.read(numbered(text))),
}
_KINDS: Final = {f".{suffix}": kind for kind, reader in _READERS.items() for suffix in reader.suffixes.split()}
#: What is read of a folder; a file that is named is read whatever its suffix. The last are told by their bytes.
ENDINGS: Final = frozenset(_KINDS) | {".xlsx", ".xlsm", ".xls", ".ods", ".docx", ".pdf"}
_FILE_NAME: Final = re.compile(rf"[^\s{{}}<>|&,;]+\.(?:zip|gz|{'|'.join(ending[1:] for ending in sorted(ENDINGS))})")
