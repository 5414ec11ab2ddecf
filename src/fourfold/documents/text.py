"""Plain text of any length: read line by line, cut into pieces where no report can stand."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import BinaryIO, Final

from ..data import encoding_of
from .blocks import Block, Place
from .parts import MOST_LINE, Line
from .walk import read_lines

#: A piece is cut at the first good place after so many lines or characters ...
_PIECE_LINES: Final = 2_000
_PIECE_CHARACTERS: Final = 500_000
#: ... and anywhere after so many times as many.
_HARD: Final = 4
#: A good place has no digit in so many lines before and after it, and is near a blank line or after many wordy ones.
_NEAR: Final = 3
_WORDY: Final = 20
_DIGIT: Final = re.compile(r"\d")
_FENCES: Final = re.compile(r"\s*(?:```|~~~)")
_OPENS: Final = re.compile(r"<(/?)(?:table|pre)\b|\\(begin|end)\s*\{(?:table|tabular|longtable)", re.IGNORECASE)


def lines_of(file: BinaryIO) -> Iterator[Line]:
    """Read numbered lines from a file of any encoding, without holding it."""
    head = file.read(4096)
    encoding, mark = encoding_of(head)
    file.seek(mark)
    if encoding and encoding != "utf-8":
        wrapped = io.TextIOWrapper(file, encoding, errors="replace")
        try:
            for number, line in enumerate(wrapped, 1):
                yield Place(line=number), line[:MOST_LINE].rstrip("\r\n")
        finally:
            # The file is its opener's to close, who may have done so.
            with suppress(ValueError):
                wrapped.detach()
        return
    number, whole = 1, True
    while data := file.readline(MOST_LINE):
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = data.decode("cp1252", errors="replace")
        # A carriage return within a line is a progress bar that was written over.
        for part in text.rstrip("\r\n").split("\r"):
            yield Place(line=number), part
        whole = data.endswith(b"\n")
        number += whole


def read(lines: Iterable[Line]) -> Iterator[Block]:
    """Read text piece by piece."""
    for piece in pieces(lines):
        yield from read_lines(piece)


def pieces(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Cut lines into pieces that can be read by themselves."""
    held: list[Line] = []
    size, tried = 0, 0
    for line in lines:
        held.append(line)
        size += len(line[1])
        if len(held) < _PIECE_LINES and size < _PIECE_CHARACTERS:
            continue
        hard = len(held) >= _HARD * _PIECE_LINES or size >= _HARD * _PIECE_CHARACTERS
        # Looking for a place costs as much as the piece is long: not after each line.
        if not hard and len(held) < tried:
            continue
        tried = len(held) + len(held) // 4
        cut = _cut(held) or (len(held) if hard else None)
        if cut:
            yield held[:cut]
            held = held[cut:]
            size, tried = sum(len(text) for _, text in held), 0
    if held:
        yield held


def _cut(lines: Sequence[Line]) -> int | None:
    """Return the last good place in the second half of lines: not in a fence or a table, and no digit nearby."""
    good, quiet, blank, fenced, opened = None, 0, False, False, 0
    for number, (_, text) in enumerate(lines):
        if _FENCES.match(text):
            fenced = not fenced
        if "<" in text or "\\" in text:
            opened += sum(-1 if match[1] == "/" or match[2] == "end" else 1 for match in _OPENS.finditer(text))
        if _DIGIT.search(text):
            quiet, blank = 0, False
            continue
        quiet, blank = quiet + 1, blank or not text.strip()
        if quiet > 2 * _NEAR and (blank or quiet > _WORDY) and not fenced and opened <= 0 and 2 * number > len(lines):
            good = number - _NEAR + 1
    return good
