"""An answer as a document: a few kinds of blocks, built once from a result and laid out by every writer.

A block holds words and raw values, never layout. A column says of what kind its values are, and `shown` how a value of
each kind is written, so that a number reads the same on a terminal, on a page and in a paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Literal, NamedTuple, TypeAlias

from .errors import Note
from .words import between, chance, effect, number

#: What an answer says at first sight: fine, wrong, not decided, different from others, or neither.
Tone: TypeAlias = Literal["good", "bad", "open", "differs", "plain"]
#: Where a block is shown: in every form, only where there is room (pages, files), or only in short forms (a terminal).
Place: TypeAlias = Literal["everywhere", "page", "terminal"]
#: What a column holds: a name, sentences, a count, a score, a chance, an interval of scores (in a range, to two
#: digits), a difference with its interval, a bar, a printed number.
Kind: TypeAlias = Literal["text", "words", "count", "number", "chance", "interval", "range", "effect", "bar", "printed"]


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


class Choose(NamedTuple):
    """What a cell can be changed to, for forms that can ask again: a value with its words, under a heading or none."""

    of: str
    options: Sequence[tuple[str, str, str]]
    chosen: str = ""


class Cell(NamedTuple):
    """A value with more to say about it: whether it is marked, a remark, a question, a choice."""

    value: Any
    marked: bool = False
    remark: str = ""
    ask: Ask | None = None
    choose: Choose | None = None


class Column(NamedTuple):
    """A column of a table."""

    name: str
    kind: Kind = "number"

    @property
    def is_left(self) -> bool:
        """Whether its values start at the left, as words do, and do not end at the right, as numbers do."""
        return self.kind in ("text", "words", "bar")

    def is_undefined(self, value: Any) -> bool:
        """Tell whether a value in it says that a score is undefined, or why."""
        return (self.kind == "number" and value is None) or (self.kind == "bar" and isinstance(value, str))


@dataclass(frozen=True)
class Block:
    """A piece of a document."""

    place: Place = field(default="everywhere", kw_only=True)


@dataclass(frozen=True)
class Heading(Block):
    """The start of a part."""

    text: str


@dataclass(frozen=True)
class Sentence(Block):
    """A sentence or two; a `quiet` one is a remark."""

    text: str
    quiet: bool = False
    strong: bool = False


@dataclass(frozen=True)
class Items(Block):
    """Sentences in a list; `hypotheses` are guesses, and every form shows them as such."""

    items: Sequence[str]
    hypotheses: bool = False


@dataclass(frozen=True)
class Facts(Block):
    """Values by name, already in words."""

    facts: Mapping[str, str]


@dataclass(frozen=True)
class Grid(Block):
    """A table: what it shows, its rows (a `Cell` where there is more to say), and how many rows it leaves out."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    left_out: int = 0
    #: Whether it is a confusion matrix, and drawn as one.
    matrix: bool = False
    #: Whether a page may sort its rows, and filter them where they are many.
    sortable: bool = False

    def cells(self) -> list[list[Cell]]:
        """Return the rows, everything in them as a cell."""
        return [[value if isinstance(value, Cell) else Cell(value) for value in row] for row in self.rows]


class Detail(NamedTuple):
    """A line to open: what it is about, its verdict, how that sounds, and what is behind it."""

    title: str
    verdict: str
    tone: Tone
    lines: Sequence[str]


@dataclass(frozen=True)
class Details(Block):
    """Lines to open in a file, under a caption, and how many are left out; a page that can ask has its own way."""

    caption: str
    details: Sequence[Detail]
    left_out: int = 0
    place: Place = field(default="page", kw_only=True)


@dataclass(frozen=True)
class Chart(Block):
    """A picture by its name, and what it is of where a result has several."""

    name: str
    caption: str
    of: str | None = None
    place: Place = field(default="page", kw_only=True)


@dataclass(frozen=True)
class Slider(Block):
    """A question with one number to move, for forms that can answer: the sentence to cite is shown as it moves."""

    label: str
    ask: Ask
    #: The parameter that is moved, its ends, and where it starts.
    name: str
    low: int
    high: int
    start: int
    place: Place = field(default="page", kw_only=True)


@dataclass(frozen=True)
class Notes(Block):
    """What a reader should know of the answer."""

    notes: Sequence[Note]


@dataclass(frozen=True)
class Document:
    """What kind of answer it is, the answer in one line, its tone, and the blocks that follow."""

    kind: str
    title: str
    tone: Tone = "plain"
    blocks: Sequence[Block] = ()
    #: A sentence to paste into a review or a paper.
    cite: str = ""

    def shown_in(self, place: Place, *, drawn: bool = True) -> list[Block]:
        """Return the blocks for a place, with charts where they are `drawn`; empty blocks and parts are left out."""
        blocks = [block for block in self.blocks if block.place in ("everywhere", place) and not _is_empty(block)]
        blocks = [block for block in blocks if drawn or not isinstance(block, Chart)]
        # Notes are about the whole answer, so they do not fill a part.
        pairs = zip_longest(blocks, blocks[1:])
        return [a for a, b in pairs if not (isinstance(a, Heading) and isinstance(b, Heading | Notes | None))]


def _is_empty(block: Block) -> bool:
    content = {Items: "items", Facts: "facts", Notes: "notes", Details: "details"}.get(type(block))
    return content is not None and not getattr(block, content)


def shown(value: Any, kind: Kind) -> str:
    """Return a value as text, by the kind of its column; a bar is drawn, not written.

    Examples
    --------
    >>> shown(0.5, "number"), shown(None, "number"), shown((0.1, 0.2), "interval"), shown(1e-7, "chance")
    ('0.5000', 'undefined', '0.1000 to 0.2000', '1.0e-07')
    """
    if isinstance(value, str | Bar):
        return value if isinstance(value, str) else ""
    if kind == "effect":
        return effect(*value)
    if kind in ("interval", "range"):
        low, high = value
        return between(low, high, 4 if kind == "interval" else 2)
    if kind in ("number", "chance"):
        return number(value) if kind == "number" else chance(value)
    return "" if value is None else str(value)
