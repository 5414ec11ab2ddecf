"""What all reports are made of: grids, sections, and one function for each form of a result."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from functools import singledispatch
from typing import Any, NamedTuple, Protocol

from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from ..errors import Note
from ..metrics import Limits
from ..words import sentence

BAR_WIDTH = 20


class Result(Protocol):
    """What every answer can do."""

    def rows(self) -> list[dict[str, Any]]:
        """Return flat records."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        ...


def to_json(result: Result) -> str:
    """Return a result as JSON text."""
    return json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)


def to_csv(result: Result) -> str:
    """Return a result's rows as CSV text with a header."""
    rows = result.rows()
    names = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


@singledispatch
def to_text(result: object) -> RenderableType:
    """Return a result as something that rich can print."""
    raise TypeError(f"no text for {type(result).__name__}")


def word_grid(*names: str) -> Grid:
    """Return a grid of columns of words, the last ones broken into lines."""
    grid = Grid(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for i, name in enumerate(names):
        grid.add_column(name, no_wrap=i < 2, overflow="fold")
    return grid


def number_grid(*names: str) -> Grid:
    """Return a grid of columns: the first and any note to the left, numbers to the right."""
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    for i, name in enumerate(names):
        grid.add_column(name, justify="left" if i == 0 or name == "note" else "right", no_wrap=name not in ("", "note"))
    return grid


def fact_grid(facts: dict[str, str]) -> Grid:
    """Return facts by name, a line each."""
    grid = Grid(box=None, pad_edge=False, show_header=False)
    for name, value in facts.items():
        grid.add_row(Text(name, style="dim"), value)
    return grid


def note_lines(notes: Iterable[Note]) -> list[Text]:
    """Return a line for each note."""
    return [Text(f"Note: {note.text}.", style="dim") for note in notes]


def score_bar(value: float, limits: Limits) -> Text:
    """Return a bar for a value from 0 to 1 of a metric that ends at 1, and nothing for others."""
    if value < 0 or limits.high != 1:
        return Text("")
    filled = round(value * BAR_WIDTH)
    bar = Text("█" * filled, style="blue")
    bar.append("░" * (BAR_WIDTH - filled), style="dim")
    return bar


class Section(NamedTuple):
    """A part of a report: what a picture in it would be about, its heading, words, and what follows them."""

    about: str | None
    heading: str
    words: Sequence[RenderableType] = ()
    tables: Sequence[RenderableType] = ()


@singledispatch
def title(result: object) -> str:
    """Return a result's heading in a report.

    Examples
    --------
    >>> from fourfold.claims import recover
    >>> title(recover(accuracy="0.85", positives=40, negatives=60))
    '16 tables fit'
    """
    raise TypeError(f"no report on {type(result).__name__}")


@singledispatch
def sections(result: object) -> list[Section]:
    """Return a result in parts, for a report; the numbers and words are those of `to_text`.

    Examples
    --------
    >>> from fourfold.claims import recover
    >>> [part.about for part in sections(recover(accuracy="0.85", positives=40, negatives=60))]
    ['claim', 'tables', 'bounds']
    """
    raise TypeError(f"no report on {type(result).__name__}")


def notes_section(notes: Sequence[Note]) -> list[Section]:
    """Return the section of notes, where there are some."""
    return [Section(None, "Notes", [Text(f"   {sentence(note.text)}.") for note in notes])] if notes else []
