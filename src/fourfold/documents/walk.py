"""The walk over a text: what is a table becomes a grid, all else stays as lines with their columns.

Pasted text is often a mix: prose with a markdown table, rows of LaTeX, a printed dict, an output behind `#`. So each
kind of table has a function that looks whether one begins at a line, and the walk asks them in turn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from . import data, delimited, html, latex, markdown, marked, yaml
from .blocks import Block
from .parts import MOST_NESTING, Found, Inner, Line, Part, text_block
from .prefixes import commented, quoted_strings, split_string

#: Looks whether something of a kind begins at a line.
Finder: TypeAlias = Callable[[Sequence[Line], int], Found | None]

_FINDERS: Final[tuple[Finder, ...]] = (
    yaml.front_matter_at,
    markdown.fence_at,
    html.comment_at,
    html.preformatted_at,
    html.region_at,
    latex.region_at,
    markdown.table_at,
    markdown.drawn_table_at,
    marked.asciidoc_at,
    marked.list_table_at,
    quoted_strings,
    split_string,
    commented,
    data.values_at,
    delimited.rows_at,
)

_ANSI: Final = re.compile(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")


def read_lines(lines: Sequence[Line], depth: int = 0) -> Iterator[Block]:
    """Read lines of text, in their order, as grids and runs of lines."""
    if not depth:
        lines = [(place, _ANSI.sub("", text).replace("\x00", "").rstrip("\r\n")) for place, text in lines]
    held: list[Line] = []
    start, nothing_before = 0, [0] * len(_FINDERS)
    while start < len(lines):
        found = _first(lines, start, nothing_before) if depth < MOST_NESTING and lines[start][1].strip() else None
        if found is None:
            place, text = lines[start]
            held.extend((place, markdown.without_marks(line)) for line in html.text_lines(text))
            start += 1
            continue
        yield from text_block(held)
        held = []
        yield from read_parts(found.parts or (), depth + 1)
        start = found.end
    yield from text_block(held)


def read_parts(parts: Iterable[Part], depth: int = 1) -> Iterator[Block]:
    """Read what a reader hands on: blocks as they are, text inside as text."""
    for part in parts:
        if isinstance(part, Inner):
            yield from read_lines(part.lines, depth)
        else:
            yield part


def _first(lines: Sequence[Line], start: int, nothing_before: list[int]) -> Found | None:
    for number, finder in enumerate(_FINDERS):
        if start < nothing_before[number]:
            continue
        found = finder(lines, start)
        if found is not None and found.parts is not None:
            return found
        nothing_before[number] = found.end if found is not None else 0
    return None
