"""A document as HTML: a piece of the page, a cell of a notebook, and a file that loads nothing and runs nothing."""

from __future__ import annotations

import json
import platform
import re
import shlex
import zlib
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from html import escape
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree

from .. import __version__, plots
from ..answers import document
from ..data import write_text
from ..document import (
    Ask,
    Bar,
    Block,
    Cell,
    Chart,
    Choose,
    Column,
    Details,
    Document,
    Facts,
    Grid,
    Heading,
    Items,
    Notes,
    Sentence,
    Slider,
    shown,
)
from ..errors import InputError, MissingExtra, TooLarge
from ..plots import Drawing
from ..words import UNSHOWN, sentence

_SUFFIXES: Final = (".html", ".htm")
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
#: In a notebook: of how many rows a table stays open, in the answer itself and in what follows; how many characters a
#: chart and its drawing may have; how many points a larger one, and how many of them an inch.
_MOST_OPEN, _MOST_OPEN_BELOW = 40, 12
_MOST_PARTS, _MOST_DRAWN, _MOST_POINTS, _COARSE = 1_000_000, 250_000, 600_000, 96
#: A notebook may be light where the system is dark, so an answer brings its own ground, and tables do not take theirs.
_GROUND: Final = """
.fourfold.notebook { background: var(--panel); padding: .5rem .75rem; }
.fourfold.notebook :is(table, h3, summary) { color: inherit; }
.fourfold.notebook tbody tr:nth-child(n) { background: none; }
"""
# Above a table of this many rows or more.
_FEWEST_FILTERED: Final = 12
_FILTER: Final = '<label class="filter">Show rows with <input type="search"> <output></output></label>'
_SIGNS: Final = {"good": "✓", "bad": "✕", "open": "?", "differs": "≠", "plain": ""}


class Fragment(NamedTuple):
    """An answer as a piece of a page: its title and tone, its HTML, the charts that it has places for, what to cite."""

    title: str
    tone: str
    html: str
    charts: tuple[Chart, ...]
    cite: str


class _Layout(NamedTuple):
    """How a form differs from the others: what stands for a chart, whether cells can ask, whether long tables fold."""

    figure: Callable[[Chart], str]
    asks: bool = False
    folds: bool = False


def fragment(result: Any) -> Fragment:
    """Return a result for the page: charts are empty figures to be drawn into, and cells may ask further questions.

    Examples
    --------
    >>> from fourfold.claims import recover
    >>> made = fragment(recover(accuracy="0.8555", positives=40, negatives=60, folds="none"))
    >>> made.tone, made.title
    ('bad', 'Impossible: no table has this accuracy: 85 of 100 is 0.8500, 86 of 100 is 0.8600')
    """
    charts: list[Chart] = []

    def place(chart: Chart) -> str:
        charts.append(chart)
        return _figure('<div class="drawing"></div>', chart, f' data-chart="{len(charts) - 1}"')

    answer = document(result)
    text = _answer(answer, _Layout(place, asks=True, folds=True))
    return Fragment(answer.title, answer.tone, text, tuple(charts), answer.cite)


def notebook_html(result: Any) -> str:
    """Return a result for a notebook: words, tables and its main picture, with their own look.

    It stays short: long tables are folded away, and of the other pictures only the names are told. It loads nothing and
    runs nothing; without ``fourfold[plots]`` it has no picture.
    """
    body = _answer(document(result), _Layout(_InNotebook(result).figure, folds=True))
    return f'<div class="fourfold notebook"><style>{style("answer")}{_GROUND}</style>{body}</div>'


def html_file(
    result: Any,
    *,
    command: Sequence[str] | None = None,
    now: datetime | None = None,
    drawings: Mapping[str | None, Drawing] | None = None,
) -> str:
    """Return a result as a whole page of HTML: words, tables, pictures, and how they were made.

    The page refers to nothing outside of it and holds no script. Pictures need ``fourfold[plots]``; without it the
    page says so and has all the rest. `command` is what was typed, for the page's foot, and `drawings` are charts that
    are drawn already, by what they are of.

    Examples
    --------
    >>> from fourfold.claims import recover
    >>> text = html_file(recover(accuracy="0.85", recall="80%", positives=40, negatives=60))
    >>> "<h1>1 table fits</h1>" in text, "<script" in text
    (True, False)
    """
    answer = document(result)
    drawn = _Pictures(result, drawings or {})
    body = _answer(answer, _Layout(drawn.figure), tag="h1")
    missing = f'<p class="missing">{escaped(drawn.missing)}</p>\n' if drawn.missing else ""
    return f"""<!DOCTYPE html>
<html lang="en" class="fourfold">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escaped(answer.title)}</title>
<style>{style()}</style>
</head>
<body>
<header><p>{escaped(answer.kind)}</p></header>
<main>
{body}
{missing}</main>
{_foot(command, now or datetime.now().astimezone())}
</body>
</html>
"""


def write_html(result: Any, path: str | Path, **options: Any) -> None:
    """Write a result to a file as `html_file` returns it; its name ends in .html, so that no data is overwritten."""
    if Path(path).suffix.lower() not in _SUFFIXES:
        raise InputError("bad_option", "html", "has no known ending", str(path), f"one of {', '.join(_SUFFIXES)}")
    write_text(path, html_file(result, **options), "html")


def escaped(text: str) -> str:
    """Return text that shows in HTML as it is, inside and outside of attributes.

    Examples
    --------
    >>> escaped('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return escape(text.translate(UNSHOWN))


def _answer(answer: Document, layout: _Layout, tag: str = "p") -> str:
    """Return the card with the answer and what follows at once, then a section for each heading."""
    sign = f'<span class="sign" aria-hidden="true">{_SIGNS[answer.tone]}</span>' if _SIGNS[answer.tone] else ""
    title = escaped(answer.title)
    head = f"<{tag}>{title}</{tag}>" if tag == "h1" else f'<p class="head">{sign}<span>{title}</span></p>'
    parts = [[f'<div class="card">{head}']]
    ends = ["</div>"]
    for block in answer.shown_in("page"):
        if isinstance(block, Heading):
            inner = "h2" if tag == "h1" else "h3"
            parts.append([f'<section class="part">\n<{inner}>{escaped(block.text)}</{inner}>'])
            ends.append("</section>")
        elif (
            isinstance(block, Grid)
            and layout.folds
            and len(block.rows) > _long(len(parts))
            and not _is_used(block, layout)
        ):
            parts[-1].append(_folded(block, layout))
        elif isinstance(block, Notes) and len(parts) > 1:
            # Notes are about the whole answer, not about its last part.
            parts.append([_block(block, layout)])
            ends.append("")
        else:
            parts[-1].append(_block(block, layout))
    sections = ["\n".join([*part, end]) for part, end in zip(parts, ends, strict=True)]
    return "\n".join([f'<div class="answer {answer.tone}">', *sections, "</div>"])


def _long(part: int) -> int:
    """Return how many rows a table may have that stays open: what follows the answer at once may have more."""
    return _MOST_OPEN if part == 1 else _MOST_OPEN_BELOW


def _is_used(block: Grid, layout: _Layout) -> bool:
    """Tell whether a page sorts a table or asks from its cells: then it stays open."""
    return layout.asks and (block.sortable or any(cell.ask or cell.choose for row in block.cells() for cell in row))


def _folded(block: Grid, layout: _Layout) -> str:
    words = escaped(f"{block.caption}: {len(block.rows)} rows")
    return f"<details><summary>{words}</summary>\n{_grid(block, layout)}\n</details>"


def _block(block: Block, layout: _Layout) -> str:
    match block:
        case Sentence():
            words = _words(block.text)
            return f"<p><small>{words}</small></p>" if block.quiet else f"<p>{words}</p>"
        case Items():
            kind = ' class="hypotheses"' if block.hypotheses else ""
            return "\n".join([f"<ul{kind}>", *(f"<li>{_words(item)}</li>" for item in block.items), "</ul>"])
        case Notes():
            notes = (f"<li>{escaped(sentence(note.text))}.</li>" for note in block.notes)
            return "\n".join(['<ul class="notes">', *notes, "</ul>"])
        case Facts():
            facts = (f"<div><dt>{escaped(k)}</dt> <dd>{escaped(v)}</dd></div>" for k, v in block.facts.items())
            return "\n".join(['<dl class="facts">', *facts, "</dl>"])
        case Chart():
            return layout.figure(block)
        case Grid():
            return _grid(block, layout)
        case Slider():
            return _slider(block) if layout.asks else ""
        case Details():
            return "" if layout.asks else _details(block)
    raise TypeError(f"no HTML for {type(block).__name__}")


def _words(text: str) -> str:
    """Return a line; what lies more than one blank apart on it are facts of their own."""
    return " · ".join(escaped(part.strip()) for part in text.split("  ") if part.strip())


def _details(block: Details) -> str:
    """Return lines to open; what is wrong is open already."""
    lines = [f"<h2>{escaped(block.caption)}</h2>"]
    for title, verdict, tone, details in block.details:
        opened = " open" if tone == "bad" else ""
        shown_verdict = f'<strong class="verdict">{escaped(verdict)}</strong>'
        inside = "".join(f"<li>{_words(line)}</li>" for line in details)
        lines.append(
            f'<details class="{tone}"{opened}><summary>{escaped(title)} {shown_verdict}</summary>'
            f"<ul>{inside}</ul></details>"
        )
    return "\n".join([*lines, *([f"<p><small>... and {block.left_out} more</small></p>"] if block.left_out else [])])


def _grid(block: Grid, layout: _Layout) -> str:
    """Return a table: its first column heads the rows, unless it is of numbers; empty columns are left out."""
    rows = block.cells()
    numbers = [not rows or column.kind == "number" for column in block.columns]
    kept = [i for i, is_kept in enumerate(numbers) if is_kept or any(row[i].value not in (None, "") for row in rows)]
    label = escaped(block.caption)
    sortable = block.sortable and layout.asks and len(rows) > 1
    # What may have to be moved sideways can be reached by keyboard, and has a name.
    lines = [
        *([_FILTER] if sortable and len(rows) >= _FEWEST_FILTERED else []),
        f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">',
        '<table class="matrix">' if block.matrix else "<table>",
    ]
    heads = "".join(_head(block.columns[i], sortable=sortable) for i in kept)
    lines += [f"<caption>{label}</caption>", f"<thead>\n<tr>{heads}</tr>\n</thead>", "<tbody>"]
    for row in rows:
        cells = "".join(_cell(row[i], block.columns[i], layout, first=i == 0) for i in kept)
        lines.append(f'<tr class="marked">{cells}</tr>' if any(cell.marked for cell in row) else f"<tr>{cells}</tr>")
    lines += ["</tbody>", "</table>", "</div>"]
    return "\n".join([*lines, f"<p><small>... and {block.left_out} more</small></p>"] if block.left_out else lines)


def _head(column: Column, *, sortable: bool) -> str:
    name = escaped(column.name)
    words = f'<button type="button" class="link sort">{name}</button>' if sortable and name else name
    return _tagged(words, column, "col")


def _cell(cell: Cell, column: Column, layout: _Layout, *, first: bool) -> str:
    words = _cell_words(cell, column, layout)
    return _tagged(words, column, "row" if first and column.is_left else "", cell.remark * (column.kind != "words"))


def _tagged(words: str, column: Column, scope: str, remark: str = "") -> str:
    side = "" if column.is_left else ' class="number"'
    title = f' title="{escaped(remark)}"' if remark else ""
    if not scope or not words:
        return f"<td{side}{title}>{words}</td>"
    return f'<th scope="{scope}"{side}{title}>{words}</th>'


def _cell_words(cell: Cell, column: Column, layout: _Layout) -> str:
    if isinstance(cell.value, Bar):
        # A drawn bar, hidden from screen readers: the numbers stand beside it.
        bar = cell.value
        # Its place is in attributes, as the page allows no styles inside of HTML.
        start = min(max(bar.start, 0.0), 0.99)
        width = max(min(bar.end, 1.0) - start, 0.01 if bar.start else 0.0)
        track = '<rect class="track" width="100" height="8"/>'
        fill = f'<rect class="fill" x="{100 * start:.4g}" width="{100 * width:.4g}" height="8"/>'
        return f'<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">{track}{fill}</svg>'
    if cell.choose and layout.asks:
        return _select(cell.choose)
    words = escaped(shown(cell.value, column.kind))
    if not words or column.is_undefined(cell.value):
        return f"<em>{words}</em>" if words else ""
    if cell.ask and layout.asks:
        asked = _asked(cell.ask) + " data-first" * cell.ask.first
        words = f'<button type="button" class="link ask" {asked}>{words}</button>'
    words = f"<strong>{words}</strong>" if cell.marked else words
    return f"{words}<br><small>{escaped(cell.remark)}</small>" if cell.remark and column.kind == "words" else words


def _select(choose: Choose) -> str:
    """Return a list to choose from; options that share a heading stand under it."""
    lines = [f'<select class="choose" data-of="{escaped(choose.of)}" aria-label="{escaped(choose.of)} is">']
    for heading, options in groupby(choose.options, key=lambda option: option[2]):
        made = "".join(
            f'<option value="{escaped(value)}"{" selected" * (value == choose.chosen)}>{escaped(words)}</option>'
            for value, words, _ in options
        )
        lines.append(f'<optgroup label="{escaped(heading)}">{made}</optgroup>' if heading else made)
    return "".join([*lines, "</select>"])


def _asked(ask: Ask) -> str:
    given = escaped(json.dumps(ask.given, ensure_ascii=False))
    return f'data-question="{escaped(ask.question)}" data-given="{given}"'


def _slider(block: Slider) -> str:
    """Return a slider with its number, and a place for the sentence that answers."""
    ends = f'min="{block.low}" max="{block.high}" value="{block.start}"'
    field = f'<input type="range" name="{escaped(block.name)}" {ends}>'
    label = f"<label>{escaped(block.label)} <strong>{block.start}</strong>{field}</label>"
    return f'<div class="slider" {_asked(block.ask)}>{label}<p role="status"></p></div>'


def _figure(drawing: str, chart: Chart, attributes: str = "") -> str:
    caption = escaped(chart.caption)
    return f"""<figure class="chart"{attributes}>
<div class="scroll" role="region" tabindex="0" aria-label="{caption}">
{drawing}
</div>
<figcaption>{caption}</figcaption>
</figure>"""


class _Pictures:
    """Draws a result's charts one after the other; `missing` says why there are none."""

    def __init__(self, result: Any, drawings: Mapping[str | None, Drawing]) -> None:
        self._result, self._drawings = result, drawings
        self._count = 0
        self.missing = ""

    def figure(self, chart: Chart) -> str:
        """Return a chart as a figure, or words in its place."""
        if self.missing:
            return ""
        self._count += 1
        try:
            drawn = self._drawings.get(chart.of) or Drawing.of(plots.draw(self._result, chart.name, chart.of))
        except MissingExtra as error:
            self.missing = f"This report has no pictures: {error.problem}. To have them: {error.hint}"
            return ""
        except TooLarge as error:
            return f"<p>There is no picture here: {escaped(str(error))}</p>"
        return _figure(_inline(drawn, f"picture-{self._count}-"), chart)


class _InNotebook:
    """Draws a result's main chart where it can be drawn, and names the others."""

    def __init__(self, result: Any) -> None:
        self._result = result
        self._first = True

    def figure(self, chart: Chart) -> str:
        """Return a chart as a figure, or how to have it."""
        first, self._first = self._first, False
        try:
            drawing = _small_drawing(plots.draw(self._result, chart.name, chart.of)) if first else ""
        except (MissingExtra, TooLarge):
            return ""
        named = f"<p><small>Picture: <code>.plot({escaped(_call(chart))})</code></small></p>"
        return _figure(drawing, chart) if drawing else named


def _small_drawing(chart: Any) -> str:
    """Return a chart as part of a page, by lines or, where these are too many, by points; nothing of a huge one."""
    if len(json.dumps(plots.drawable(chart))) > _MOST_PARTS:
        return ""
    drawn = Drawing.of(chart)
    if len(drawn.svg) <= _MOST_DRAWN:
        # Ids must be those of no other cell, and the same whenever the notebook is run.
        svg = re.sub(r"(clip|gradient_)\d+", "", drawn.svg)
        return _inline(drawn, f"p{zlib.crc32(svg.encode()):08x}-")
    root = ElementTree.fromstring(drawn.svg)  # noqa: S314 - it was written by vl-convert
    if float(root.attrib["width"]) * float(root.attrib["height"]) > _MOST_POINTS:
        return ""
    source = f"data:image/png;base64,{b64encode(plots.png(drawn, ppi=_COARSE)).decode()}"
    return f'<img alt="{escaped(drawn.heading)}" src="{source}" style="max-width:100%">'


def _call(chart: Chart) -> str:
    return repr(chart.name) + (f", of={chart.of!r}" if chart.of else "")


def _inline(drawing: Drawing, prefix: str) -> str:
    """Return a drawing as part of a page: named as a whole, as wide as there is room, its ids its own."""
    # What is read here was written by vl-convert.
    root = ElementTree.fromstring(drawing.svg)  # noqa: S314
    # Vega counts ids on from picture to picture; here one picture is always the same.
    ids = {part.attrib["id"]: f"{prefix}{i}" for i, part in enumerate(root.iterfind(".//*[@id]"))}
    for part in root.iter():
        # Inside a page neither names of spaces nor addresses of them are needed.
        part.tag = part.tag.rpartition("}")[2]
        for name, value in list(part.attrib.items()):
            if name == "role" or name.startswith(("aria-", "{")):
                # A screen reader reads a picture as one, as the tables hold its numbers; and it links to nothing.
                del part.attrib[name]
            elif name == "id":
                part.set(name, ids[value])
            elif value.startswith("url(#"):
                part.set(name, f"url(#{ids[value[5:-1]]})")
    size = f"max-width:{root.attrib.pop('width')}px;--height:{root.attrib.pop('height')}px"
    root.attrib |= {"role": "img", "aria-label": drawing.heading, "style": size, "preserveAspectRatio": "xMinYMin meet"}
    return ElementTree.tostring(root, encoding="unicode")


def _foot(command: Sequence[str] | None, now: datetime) -> str:
    """Return how the page was made: what was typed, with what, and when."""
    written = f"{now.day} {now:%B %Y, %H:%M:%S %Z}".strip()
    facts = {
        "Command": f"<code>{escaped(shlex.join(command))}</code>" if command else "",
        "Written": f'<time datetime="{now.isoformat(timespec="seconds")}">{written}</time>',
        "fourfold": escaped(__version__),
        "Python": escaped(platform.python_version()),
        **{package: escaped(_version(package)) for package in ("NumPy", "SciPy", "scikit-learn")},
    }
    listed = (f"<div><dt>{name}</dt> <dd>{words}</dd></div>" for name, words in facts.items() if words)
    return "\n".join(["<footer>", "<h2>How this was made</h2>", "<dl>", *listed, "</dl>", "</footer>"])


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def style(*names: str) -> str:
    """Return the look of an answer, and that of a whole file around it."""
    read = files("fourfold.writers")
    return "".join(read.joinpath(f"{name}.css").read_text(encoding="utf-8") for name in names or ("file", "answer"))
