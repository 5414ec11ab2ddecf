"""What the readers share: numbered lines, what one of them finds in lines, limits, and their errors."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, TypeAlias

from ..data import encoding_of
from ..errors import FourfoldError, InputError, MissingExtra, TooLarge, verbatim
from .blocks import Block, Grid, Lines, Place

#: A line of text with its place.
Line: TypeAlias = tuple[Place, str]

MEGABYTE: Final = 1 << 20
#: A text is read piece by piece and may be large; a document of any other kind is held in memory.
MOST_TEXT_BYTES: Final = 4096 * MEGABYTE
MOST_BYTES: Final = 64 * MEGABYTE
#: What a packed document (xlsx, docx, ods) may grow to when it is unpacked.
MOST_UNPACKED: Final = 256 * MEGABYTE
MOST_CELLS: Final = 2_000_000
MOST_PAGES: Final = 500
MOST_SHEETS: Final = 200
#: How deep texts stand in texts: a fence in a quotation in a cell of a notebook.
MOST_NESTING: Final = 8
#: How deep mappings, lists, braces and tables may stand in each other.
MOST_DEPTH: Final = 40
#: How many rows or columns one cell may span.
MOST_SPAN: Final = 1000
#: Longer lines are cut.
MOST_LINE: Final = 1 * MEGABYTE


@dataclass(frozen=True)
class Inner:
    """Text inside a document of another kind, which is read as text of its own."""

    lines: tuple[Line, ...]


#: What a reader hands to the walk over a text.
Part: TypeAlias = Block | Inner


@dataclass(frozen=True)
class Found:
    """What stands in lines up to `end`; where `parts` is None nothing of the kind begins before `end`."""

    end: int
    parts: Sequence[Part] | None = field(default=())


def text_block(lines: Iterable[Line]) -> Iterator[Lines]:
    """Make a block of lines, without blank ones at its ends; none where all are blank."""
    # A value of a printed dict or an escaped letter may hold line breaks: what is after one is a line too.
    held = [(place, part) for place, text in lines for part in text.split("\n")]
    while held and not held[-1][1].strip():
        held.pop()
    start = next((number for number, (_, text) in enumerate(held) if text.strip()), len(held))
    if start < len(held):
        yield Lines(tuple(text for _, text in held[start:]), tuple(place for place, _ in held[start:]))


def grid(rows: Sequence[tuple[Place, Sequence[str]]], caption: str = "", heads: int | None = None) -> Iterator[Block]:
    """Make a grid, each row padded to the longest; rows of one cell are lines."""
    filled = [(place, row) for place, row in rows if any(cell.strip() for cell in row)]
    width = max((len(row) for _, row in filled), default=0)
    if width * len(filled) > MOST_CELLS:
        raise too_large("a table has too many cells", f"{width * len(filled):,}", f"at most {MOST_CELLS:,} are read")
    # Empty columns at the end are what a delimiter at the end of each line leaves.
    while width and not any(len(row) >= width and row[width - 1].strip() for _, row in filled):
        width -= 1
    if width < 2:
        yield from text_block((place, " ".join(cell_text(cell) for cell in row)) for place, row in filled)
        return
    if heads is not None:
        heads -= sum(1 for _, row in rows[:heads] if not any(cell.strip() for cell in row))
    padded = (tuple(cell_text(cell) for cell in (*row, *[""] * width)[:width]) for _, row in filled)
    yield Grid(tuple(padded), tuple(place for place, _ in filled), caption.strip(), heads)


def cell_text(text: str) -> str:
    """Return the text of a cell with single spaces; spaces that keep thousands together stay."""
    return re.sub(r"[ \t\r\n\f\v\xa0]+", " ", text).strip()


_NUMBER: Final = re.compile(
    r"""[*~≈<>≤≥=+†‡(\[−–-]* (?:n\s*=\s*)? [+−-]? (?:\d[\d,.'\s\u2009\u202f]*|\.\d+) (?:e[+-]?\d+)? \s*
        (?:%|±.*|\+/-.*|\(.*|\[.*|/.*|[*†‡)\]]+|[a-z]{1,3}\.?)? \s*""",
    re.VERBOSE | re.IGNORECASE,
)
_NOTHING: Final = frozenset({"", "-", "–", "—", "nr", "na", "n/a", "nan", "none", "null", "n.r.", "..."})


def number_like(cell: str) -> bool:
    """Tell whether a cell has a number, as people write them, at its start, and little else."""
    cell = cell.strip().strip("'\"")
    return len(cell) < 60 and bool(_NUMBER.fullmatch(cell))


def value_like(cell: str) -> bool:
    """Tell whether a cell has a number or says that there is none."""
    return cell.strip().casefold() in _NOTHING or number_like(cell)


_RAISED: Final = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")


def raised(text: str, before: str) -> str:
    """Return a superscript that cannot be taken for digits of the number before it."""
    return text.translate(_RAISED) if before[-1:].isdigit() or before.endswith("%") else text


_CAPTION: Final = re.compile(
    r"(?:supplementary |extended data )?(?:table|tab\.|tabelle|tableau|tabla|tabella|表)", re.IGNORECASE
)


def caption_above(lines: Sequence[Line]) -> str:
    """Return the last paragraph above a table, if it calls itself a table."""
    texts: list[str] = []
    for _, text in reversed(lines):
        if texts and not text.strip():
            break
        if text.strip():
            texts.insert(0, text.strip())
        if _CAPTION.match(text.strip()):
            return cell_text(" ".join(texts))
        if len(texts) == 6:
            break
    return ""


def numbered(text: str, **place: Any) -> list[Line]:
    """Split a text into lines with their numbers."""
    return [(Place(line=number, **place), line) for number, line in enumerate(split_lines(text), 1)]


def column_number(letters: str) -> int:
    """Return the number of a sheet's column, from 1, by its letters."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def split_lines(text: str) -> list[str]:
    """Split where editors count lines, and nowhere else."""
    return re.split(r"\r\n|\n|\r", text)


def decoded(data: bytes) -> str:
    """Return bytes as text: by their mark, as UTF-8, or as Windows and old Unix programs write Western text."""
    encoding, mark = encoding_of(data)
    if encoding is not None:
        return data[mark:].decode(encoding, errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def too_large(problem: str, size: str, hint: str) -> TooLarge:
    """Say that a document is beyond a limit."""
    return TooLarge("too_large", "document", problem, verbatim(size), hint)


def unreadable(kind: str, reason: object, name: str, hint: str) -> InputError:
    """Say that a document is not what it seems to be."""
    said = " ".join(str(reason).split())[:80]
    problem = f"cannot be read as {kind}" + (f" ({said})" if said else "")
    return InputError("bad_shape", "document", problem, name, hint)


@contextmanager
def reading(kind: str, name: str, hint: str = "check that the file opens elsewhere") -> Iterator[None]:
    """Say in the one grammar whatever a library raises about a broken file."""
    try:
        yield
    except (FourfoldError, GeneratorExit):
        raise
    except Exception as error:
        raise unreadable(kind, error or type(error).__name__, name, hint) from None


def needed(module: str, package: str, what: str, name: str) -> Any:
    """Import what a kind of document needs, or say what brings it."""
    try:
        return sys.modules.get(module) or import_module(module)
    except ImportError:
        hint = "pip install 'fourfold[documents]'"
        raise MissingExtra("missing_extra", "document", f"{what} needs {package}", name, hint) from None
