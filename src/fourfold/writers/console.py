"""A document on a terminal."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.table import Table
from rich.text import Text

from ..answers import document
from ..document import Bar, Block, Cell, Column, Facts, Grid, Heading, Items, Notes, Sentence, shown
from ..words import one_line

_BAR_WIDTH: Final = 20


def terminal(result: Any) -> RenderableType:
    """Return a result as something that rich can print."""
    lines: list[RenderableType] = []
    previous: Block | None = None
    for block in document(result).shown_in("terminal"):
        if previous and _needs_space(previous, block):
            lines.append("")
        lines += _lines(block)
        previous = block
    return Group(*lines)


def terminal_text(result: Any, width: int = 120) -> str:
    """Return a result as plain text, as a terminal of some width shows it."""
    console = Console(file=io.StringIO(), width=width, highlight=False)
    with console.capture() as capture:
        console.print(terminal(result))
    return "\n".join(line.rstrip() for line in capture.get().rstrip().split("\n"))


def _text(words: str, style: str = "") -> Text:
    """Return text that cannot steer the terminal."""
    return Text(one_line(words), style=style)


def _needs_space(previous: Block, block: Block) -> bool:
    if isinstance(block, Heading):
        return True
    leads = isinstance(block, Items) and block.hypotheses
    return isinstance(block, Facts | Grid) and not isinstance(previous, Heading) and not leads


def _lines(block: Block) -> Iterator[RenderableType]:
    match block:
        case Heading():
            yield _text(block.text, style="bold")
        case Sentence():
            yield _text(block.text, style="bold" if block.strong else "dim" if block.quiet else "")
        case Items():
            yield from (_text(f"   {item}") for item in block.items)
        case Notes():
            yield from (_text(f"Note: {note.text}.", style="dim") for note in block.notes)
        case Facts():
            table = Table(box=None, pad_edge=False, show_header=False)
            for name, value in block.facts.items():
                table.add_row(_text(name, style="dim"), _text(value))
            yield table
        case Grid():
            yield from _grid(block)


class _Fitting:
    """A table where it fits, else its rows one below another: no number is ever cut."""

    def __init__(self, block: Grid) -> None:
        self._block = block

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        block = self._block
        rows = [list(map(_cell, row, block.columns)) for row in block.cells()]
        widths = [_least_width(column, [row[i] for row in rows]) for i, column in enumerate(block.columns)]
        if sum(widths) + 2 * (len(widths) - 1) > options.max_width:
            yield from _stacked(block, rows)
            return
        table = Table(box=None, pad_edge=False, header_style="bold")
        # rich narrows the widest columns too, but below their least width, and then cuts the last one.
        wishes = [_wish(column, [row[i] for row in rows]) for i, column in enumerate(block.columns)]
        for most in range(min(max(wishes, default=0), options.max_width), 0, -1):
            shared = [max(least, min(wish, most)) for least, wish in zip(widths, wishes, strict=True)]
            if sum(shared) + 2 * (len(shared) - 1) <= options.max_width:
                left = options.max_width - sum(shared) - 2 * (len(shared) - 1)
                for i in [i for i, wish in enumerate(wishes) if shared[i] < wish][:left]:
                    shared[i] += 1
                widths = shared
                break
        for column, width in zip(block.columns, widths, strict=True):
            side: Literal["left", "right"] = "left" if column.is_left else "right"
            table.add_column(_text(column.name), justify=side, no_wrap=not _wraps(column), width=width)
        for row in rows:
            table.add_row(*row)
        yield table


def _wraps(column: Column) -> bool:
    return column.kind in ("words", "bar", "text")


def _wish(column: Column, cells: Sequence[RenderableType]) -> int:
    """Return the width in which a column would not wrap."""
    return max(cell_len(line) for text in (column.name, *map(str, cells)) for line in text.splitlines() or [""])


def _least_width(column: Column, cells: Sequence[RenderableType]) -> int:
    """Return the width below which a column would lose something: of words, that of the longest one."""
    texts = [cell.plain if isinstance(cell, Text) else "" for cell in cells]
    parts = [part for text in (column.name, *texts) for part in (text.split() if _wraps(column) else [text])]
    return max((cell_len(part) for part in parts), default=1)


def _stacked(block: Grid, rows: Sequence[Sequence[RenderableType]]) -> Iterator[RenderableType]:
    for row in rows:
        yield row[0]
        table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 1, 0, 2))
        for column, cell in zip(block.columns[1:], row[1:], strict=True):
            table.add_row(_text(column.name, style="dim"), cell)
        yield table


def _grid(block: Grid) -> Iterator[RenderableType]:
    yield _Fitting(block)
    if block.left_out:
        yield _text(f"... and {block.left_out} more", style="dim")


def _cell(cell: Cell, column: Column) -> Text:
    if isinstance(cell.value, Bar):
        return _bar(cell.value)
    style = "yellow" if column.is_undefined(cell.value) else "bold" if cell.marked else ""
    text = _text(shown(cell.value, column.kind), style=style)
    if cell.remark and column.kind == "words":
        text.append("\n").append(_text(cell.remark, style="not bold dim")).append("\n")
    return text


def _bar(bar: Bar) -> Text:
    """Draw a bar by characters; one that starts at the left end is filled up, any other lies on a dotted track."""
    if not bar.start:
        filled = round(bar.end * _BAR_WIDTH)
        return Text("█" * filled, style="blue").append("░" * (_BAR_WIDTH - filled), style="dim")
    first = min(int(bar.start * _BAR_WIDTH), _BAR_WIDTH - 1)
    last = max(first + 1, round(bar.end * _BAR_WIDTH))
    text = Text("·" * first, style="dim").append("█" * (last - first), style="blue")
    return text.append("·" * (_BAR_WIDTH - last), style="dim")
