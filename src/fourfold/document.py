"""An answer as a document: a few kinds of blocks, built once from a result and laid out by every writer.

A block holds words and raw values, never layout. A column says of what kind its values are, and `shown` how a value of
each kind is written, so that a number reads the same on a terminal, on a page and in a paper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from .errors import Note
from .words import between, chance, number

#: What an answer says at first sight: fine, wrong, not decided, different from others, or neither.
Tone: TypeAlias = Literal["good", "bad", "open", "differs", "plain"]
#: Where a block is shown: in every form, only where there is room (pages, files), or only in short forms (a terminal).
Place: TypeAlias = Literal["everywhere", "page", "terminal"]
#: What a column holds: a name, sentences, a count, a score, a chance, an interval of scores, a bar, a printed number.
Kind: TypeAlias = Literal["text", "words", "count", "number", "chance", "interval", "bar", "printed"]


class Bar(NamedTuple):
    """A bar along a track: where it starts and ends, as shares of the track."""

    start: float
    end: float


class Ask(NamedTuple):
    """A question that a cell puts when it is chosen, for forms that can answer: its name and what is given.

    The answer to the one that comes `first` may be shown before any is chosen.
    """

    question: str
    given: Mapping[str, Any]
    first: bool = False


class Cell(NamedTuple):
    """A value with more to say about it: whether it is marked, a remark, a question."""

    value: Any
    marked: bool = False
    remark: str = ""
    ask: Ask | None = None


class Column(NamedTuple):
    """A column of a table."""

    name: str
    kind: Kind = "number"


@dataclass(frozen=True)
class Heading:
    """The start of a part."""

    text: str
    place: Place = "everywhere"


@dataclass(frozen=True)
class Sentence:
    """A sentence or two; a `quiet` one is said in passing."""

    text: str
    quiet: bool = False
    strong: bool = False
    place: Place = "everywhere"


@dataclass(frozen=True)
class Items:
    """Sentences in a list; `hypotheses` are guesses, and every form shows them as such."""

    items: Sequence[str]
    hypotheses: bool = False
    place: Place = "everywhere"


@dataclass(frozen=True)
class Facts:
    """Values by name, already in words."""

    facts: Mapping[str, str]
    place: Place = "everywhere"


@dataclass(frozen=True)
class Grid:
    """A table: what it shows, its rows (a `Cell` where there is more to say), and how many rows it leaves out."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    left_out: int = 0
    place: Place = "everywhere"


@dataclass(frozen=True)
class Chart:
    """A picture by its name, and what it is of where a result has several."""

    name: str
    caption: str
    of: str | None = None
    place: Place = "page"


@dataclass(frozen=True)
class Notes:
    """What a reader should know of the answer."""

    notes: Sequence[Note]
    place: Place = "everywhere"


Block: TypeAlias = Heading | Sentence | Items | Facts | Grid | Chart | Notes


@dataclass(frozen=True)
class Document:
    """What kind of answer it is, the answer in one line, its tone, and the blocks that follow."""

    kind: str
    title: str
    tone: Tone = "plain"
    blocks: Sequence[Block] = field(default=())

    def shown_in(self, place: Place, *, drawn: bool = True) -> list[Block]:
        """Return the blocks for a place, with charts where they are `drawn`; empty blocks and parts are left out."""
        blocks = [block for block in self.blocks if block.place in ("everywhere", place) and not _is_empty(block)]
        blocks = [block for block in blocks if drawn or not isinstance(block, Chart)]
        # Notes are about the whole answer, so they do not fill a part.
        pairs = zip_longest(blocks, blocks[1:])
        return [a for a, b in pairs if not (isinstance(a, Heading) and isinstance(b, Heading | Notes | None))]


def _is_empty(block: Block) -> bool:
    content = {Items: "items", Facts: "facts", Notes: "notes"}.get(type(block))
    return content is not None and not getattr(block, content)


def value_of(cell: Any) -> Any:
    """Return what a cell holds."""
    return cell.value if isinstance(cell, Cell) else cell


def shown(cell: Any, kind: Kind) -> str:
    """Return a cell as text, by the kind of its column; a bar is drawn, not written.

    Examples
    --------
    >>> shown(0.5, "number"), shown(None, "number"), shown((0.1, 0.2), "interval"), shown(1e-7, "chance")
    ('0.5000', 'undefined', '0.1000 to 0.2000', '1.0e-07')
    """
    value = value_of(cell)
    if isinstance(value, str):
        return value
    return "" if isinstance(value, Bar) else _WRITTEN.get(kind, _as_it_is)(value)


def _as_it_is(value: Any) -> str:
    return "" if value is None else str(value)


_WRITTEN: Final[Mapping[str, Callable[[Any], str]]] = {
    "number": number,
    "chance": chance,
    "interval": lambda ends: between(*ends),
}


def is_undefined(cell: Any, column: Column) -> bool:
    """Tell whether a cell says that a score is undefined, or why."""
    value = value_of(cell)
    return (column.kind == "number" and value is None) or (column.kind == "bar" and isinstance(value, str))
