"""What is shown on a terminal, as HTML."""

from __future__ import annotations

import re
from html import escape
from itertools import groupby

from rich.console import Group, RenderableType
from rich.table import Column
from rich.table import Table as Grid
from rich.text import Text

from ..words import UNSHOWN


def to_html(*shown: RenderableType, caption: str = "") -> str:
    """Return what `to_text` builds as paragraphs, lists and tables of HTML, all text escaped.

    Parameters
    ----------
    shown
        Texts, tables and groups of them.
    caption
        What the tables are called where they are read aloud.

    Examples
    --------
    >>> print(to_html(Text("a < b", style="bold"), "", Text("   one"), Text("   two")))
    <p><strong>a &lt; b</strong></p>
    <ul>
    <li>one</li>
    <li>two</li>
    </ul>
    """
    lines: list[str] = []
    for indented, run in groupby(_flat(Group(*shown)), key=_is_item):
        if indented:
            lines += ["<ul>", *(f"<li>{_words_html(part)}</li>" for part in run), "</ul>"]
        else:
            lines += [_table_html(p, caption) if isinstance(p, Grid) else f"<p>{_words_html(p)}</p>" for p in run]
    return "\n".join(lines)


def _flat(shown: RenderableType) -> list[RenderableType]:
    """Return texts and tables without groups around them and empty lines between them."""
    if isinstance(shown, Group):
        return [part for each in shown.renderables for part in _flat(each)]
    return [shown] if isinstance(shown, Grid) or str(shown) else []


def _is_item(part: RenderableType) -> bool:
    return not isinstance(part, Grid) and str(part).startswith("   ")


def escaped(text: str) -> str:
    """Return text that shows in HTML as it is, inside and outside of attributes.

    Examples
    --------
    >>> escaped('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return escape(text.translate(UNSHOWN))


def _words_html(part: RenderableType) -> str:
    # What lies more than one blank apart on a line are facts of their own.
    words = escaped(re.sub(r" {2,}", " · ", str(part).strip()))
    style = str(part.style) if isinstance(part, Text) else ""
    tags = {"bold": ("<strong>", "</strong>"), "dim": ("<small>", "</small>"), "yellow": ("<em>", "</em>")}
    before, after = tags.get(style, ("", "")) if words else ("", "")
    return f"{before}{words}{after}"


def _table_html(grid: Grid, caption: str) -> str:
    """Return a table: its first column heads the rows, unless it is of numbers; empty columns are left out."""
    columns = [each for each in grid.columns if not grid.row_count or any(map(str, each.cells))]
    label = escaped(caption)
    # What may have to be moved sideways can be reached by keyboard, and has a name.
    lines = [f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">', "<table>"]
    lines += [f"<caption>{label}</caption>"] if caption else []
    if grid.show_header:
        heads = "".join(_cell_html(each.header, each, "col") for each in columns)
        lines += ["<thead>", f"<tr>{heads}</tr>", "</thead>"]
    lines.append("<tbody>")
    scopes = ["row" if i == 0 and each.justify == "left" else "" for i, each in enumerate(columns)]
    for row in zip(*(each.cells for each in columns), strict=True):
        lines.append(f"<tr>{''.join(map(_cell_html, row, columns, scopes))}</tr>")
    return "\n".join([*lines, "</tbody>", "</table>", "</div>"])


def _cell_html(cell: RenderableType, column: Column, scope: str) -> str:
    words = _bar_html(str(cell)) or _words_html(cell)
    side = ' class="number"' if column.justify == "right" else ""
    if not scope or not words:
        return f"<td{side}>{words}</td>"
    return f'<th scope="{scope}"{side}>{words}</th>'


def _bar_html(text: str) -> str:
    """Return a bar of characters as a drawn one, hidden from readers aloud: the numbers stand beside it."""
    if not text or set(text) - set("·█░"):
        return ""
    first, width = (100 * n // len(text) for n in (text.find("█"), text.count("█")))
    style = f"margin-left:{max(first, 0)}%;width:{width}%"
    return f'<span class="bar" aria-hidden="true"><span style="{style}"></span></span>'
