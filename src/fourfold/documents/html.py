"""HTML: tables with their spans, preformatted text, and all other text line by line."""

from __future__ import annotations

import html as entities
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import takewhile
from typing import Final

from .blocks import Place
from .parts import (
    MOST_CELLS,
    MOST_DEPTH,
    MOST_SPAN,
    Found,
    Inner,
    Line,
    Part,
    cell_text,
    grid,
    raised,
    text_block,
    too_large,
)

_REGION: Final = re.compile(r"<(table|tr|thead|tbody|tfoot|html|body|!doctype\s+html)\b", re.IGNORECASE)
_PRE: Final = re.compile(r"<pre\b", re.IGNORECASE)
_PRE_END: Final = re.compile(r"</pre\s*>", re.IGNORECASE)
_TABLE: Final = re.compile(r"<(/?)table\b", re.IGNORECASE)
_CELL: Final = re.compile(r"<t[dh]\b", re.IGNORECASE)
_ROW_END: Final = re.compile(r"</(?:tr|td|th|tbody|thead)\s*>", re.IGNORECASE)
_INLINE_TAGS: Final = re.compile(
    r"</?(?:b|i|em|strong|span|a|img|code|sup|sub|font|small|u|kbd|tt|picture|source|mark)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_BLOCK_TAGS: Final = re.compile(
    r"</?(?:p|div|h[1-6]|li|ul|ol|details|summary|center|hr|br|section|article|dl|dt|dd|figure|figcaption|blockquote)"
    r"(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,10}\d?);", re.IGNORECASE)
_BREAK_TAGS: Final = (
    "p div br li ul ol h1 h2 h3 h4 h5 h6 section article header footer blockquote hr dl dt dd tr table details summary "
    "figcaption figure center form body html main nav aside address fieldset"
)
_BREAKS: Final = frozenset(_BREAK_TAGS.split())
_HIDDEN: Final = frozenset({"script", "style", "head", "template", "noscript", "svg", "select", "button", "textarea"})
_CELL_TAGS: Final = frozenset({"td", "th"})
#: Cells that span others may fill so many, and so many for each cell that is written.
_MOST_SPREAD: Final = 20_000
_MOST_COPIES: Final = 50


def without_tags(text: str) -> str:
    """Take tags that only form text off a line; `<30` and `<unk>` are labels and stay."""
    return " ".join(text_lines(text))


def text_lines(text: str) -> list[str]:
    """Do the same, and break the line where a page does."""
    if "<" not in text or ">" not in text:
        return [unescaped(text)]
    broken = _BLOCK_TAGS.sub("\n", _INLINE_TAGS.sub("", text))
    return [unescaped(line) for line in broken.split("\n") if line.strip() or "\n" not in broken]


def unescaped(text: str) -> str:
    """Read entities such as `&plusmn;`."""
    return _ENTITY.sub(lambda match: entities.unescape(match[0]).replace("\xa0", " "), text) if "&" in text else text


def comment_at(lines: Sequence[Line], start: int) -> Found | None:
    """Look for a comment over several lines: no reader of the page sees it. One in a line stays, it may be a mark."""
    text = lines[start][1]
    if not text.lstrip().startswith("<!--") or "-->" in text:
        return None
    end = next((n for n in range(start, len(lines)) if "-->" in lines[n][1]), None)
    if end is None:
        return Found(len(lines), None)
    place, last = lines[end]
    rest = last.partition("-->")[2]
    return Found(end + 1, [Inner(((place, rest),))] if rest.strip() else [])


def preformatted_at(lines: Sequence[Line], start: int) -> Found | None:
    """Look for preformatted text."""
    if not _begins(lines[start][1], _PRE):
        return None
    end = next((number for number in range(start, len(lines)) if _PRE_END.search(lines[number][1])), None)
    return Found(len(lines), None) if end is None else Found(end + 1, list(read(lines[start : end + 1])))


def region_at(lines: Sequence[Line], start: int) -> Found | None:
    """Look for a table, rows of one, or a whole page."""
    match = _begins(lines[start][1], _REGION)
    if match is None:
        return None
    end = _end_of(lines, start, match[1].casefold())
    return Found(len(lines), None) if end is None else Found(end, list(read(lines[start:end])))


def _begins(text: str, pattern: re.Pattern[str]) -> re.Match[str] | None:
    """Look for a tag in a line that is not quoted as code."""
    match = pattern.search(text) if "<" in text else None
    return None if match is None or text[: match.start()].count("`") % 2 else match


def _end_of(lines: Sequence[Line], start: int, tag: str) -> int | None:
    """Return the line after a region; a table that is cut off is read as far as it goes, if it has cells."""
    if tag.startswith("!doctype") or tag in ("html", "body"):
        return len(lines)
    if tag != "table":
        ends = (number for number in range(len(lines), start, -1) if _ROW_END.search(lines[number - 1][1]))
        return next(ends, None)
    depth = 0
    for number in range(start, len(lines)):
        for match in _TABLE.finditer(lines[number][1]):
            depth += -1 if match[1] else 1
            if depth <= 0:
                return number + 1
    return len(lines) if any(_CELL.search(text) for _, text in lines[start:]) else None


def read(lines: Sequence[Line]) -> Iterator[Part]:
    """Read HTML."""
    parser = _Parser([place for place, _ in lines])
    try:
        parser.feed("\n".join(text for _, text in lines))
        parser.close()
    except AssertionError:  # html.parser's own word on some broken marks
        pass
    parser.finish()
    yield from parser.parts


def fragment(text: str) -> str:
    """Blank the lines before the page that Windows puts on its clipboard: `Version:0.9`, `StartHTML:...`."""
    head, mark, rest = text.partition("<")
    return "\n" * head.count("\n") + mark + rest if "StartHTML:" in head else text


@dataclass
class _Cell:
    text: list[str] = field(default_factory=list)
    columns: int = 1
    rows: int = 1
    head: bool = False


@dataclass
class _Row:
    place: Place
    head: bool
    cells: list[_Cell] = field(default_factory=list)

    def is_head(self) -> bool:
        return bool(self.cells) and (self.head or (len(self.cells) > 1 and all(cell.head for cell in self.cells)))


@dataclass
class _Table:
    implied: bool = False
    rows: list[_Row] = field(default_factory=list)
    caption: list[str] = field(default_factory=list)
    cell: _Cell | None = None
    in_head: bool = False
    in_caption: bool = False

    def parts(self) -> Iterator[Part]:
        """Spread spanned cells over what they span."""
        rows: list[list[str]] = []
        below: dict[int, tuple[int, str]] = {}
        total = 0
        most = min(MOST_CELLS, _MOST_SPREAD + _MOST_COPIES * sum(len(row.cells) for row in self.rows))
        for number, row in enumerate(self.rows):
            texts = {column: text for column, (_, text) in below.items()}
            below = {column: (left - 1, text) for column, (left, text) in below.items() if left > 1}
            column = 0
            for cell in row.cells:
                while column in texts:
                    column += 1
                text = cell_text("".join(cell.text))
                for spanned in range(column, column + cell.columns):
                    texts.setdefault(spanned, text)
                    if cell.rows > 1 and number + 1 < len(self.rows):
                        below[spanned] = (cell.rows - 1, text)
                column += cell.columns
            width = max(texts, default=-1) + 1
            total += width
            if total > most:
                raise too_large("a table has too many cells", f"{total:,}", f"at most {most:,} are read")
            rows.append([texts.get(column, "") for column in range(width)])
        heads = len(list(takewhile(_Row.is_head, self.rows)))
        placed = [(row.place, texts) for row, texts in zip(self.rows, rows, strict=True)]
        yield from grid(placed, cell_text("".join(self.caption)), heads if 0 < heads < len(self.rows) else None)


class _Parser(HTMLParser):
    def __init__(self, places: list[Place]) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[Part] = []
        self._places = places
        self._tables: list[_Table] = []
        self._text: list[Line] = []
        self._line: list[str] = []
        self._hidden: list[str] = []
        self._pre: list[Line] | None = None
        self._raised = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._hidden or tag in _HIDDEN:
            if tag in _HIDDEN and len(self._hidden) < MOST_DEPTH:
                self._hidden.append(tag)
            return
        if tag == "pre":
            self._break()
            self._pre = []
        elif tag == "table" and len(self._tables) < MOST_DEPTH:
            self._break()
            self._flush()
            self._tables.append(_Table())
        elif tag == "tr":
            self._start_row()
        elif tag in _CELL_TAGS:
            self._start_cell(tag, {name: value or "" for name, value in attrs})
        elif tag in ("thead", "tbody", "tfoot", "caption") and self._tables:
            self._tables[-1].in_head = tag == "thead"
            self._tables[-1].in_caption = tag == "caption"
            if tag != "caption":
                self._tables[-1].cell = None
        elif tag == "sup":
            self._raised = True
        elif tag in _BREAKS:
            self._break()

    def handle_endtag(self, tag: str) -> None:
        if self._hidden:
            if tag == self._hidden[-1] or tag in ("html", "body"):
                self._hidden.pop()
            return
        if tag == "pre":
            self._end_pre()
        elif tag == "table" and self._tables:
            self._break()
            self.parts.extend(self._tables.pop().parts())
        elif tag in ("tr", *_CELL_TAGS) and self._tables:
            self._end_pre()
            self._tables[-1].cell = None
        elif tag in ("thead", "caption") and self._tables:
            self._tables[-1].in_head = self._tables[-1].in_caption = False
        elif tag == "sup":
            self._raised = False
        elif tag in _BREAKS:
            self._break()

    def handle_data(self, data: str) -> None:
        if self._hidden:
            return
        if self._pre is not None:
            self._add_pre(data)
        if self._tables:
            table = self._tables[-1]
            if table.in_caption:
                table.caption.append(data)
            elif table.cell is not None:
                table.cell.text.append(raised(data, "".join(table.cell.text[-1:])) if self._raised else data)
            elif table.implied and data.strip():
                self._break()
                self.parts.extend(self._tables.pop().parts())
                self._add_text(data)
        elif self._pre is None:
            self._add_text(data)

    def handle_comment(self, data: str) -> None:
        # A mark for the checker itself is kept where it stands.
        if "fourfold" in data and not self._hidden:
            self._break()
            self._text.append((self._place(), f"<!--{data}-->"))

    def finish(self) -> None:
        """Close what was left open."""
        self._end_pre()
        self._break()
        while self._tables:
            self.parts.extend(self._tables.pop().parts())
        self._flush()

    def _place(self, offset: int = 0) -> Place:
        number = min(self.getpos()[0] - 1 + offset, len(self._places) - 1)
        return self._places[number] if self._places else Place()

    def _start_row(self) -> None:
        if not self._tables:
            self._break()
            self._tables.append(_Table(implied=True))
        self._flush()
        table = self._tables[-1]
        table.cell = None
        table.rows.append(_Row(self._place(), table.in_head))

    def _start_cell(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._tables or not self._tables[-1].rows:
            self._start_row()
        table = self._tables[-1]
        columns, rows = _span(attributes.get("colspan")), _span(attributes.get("rowspan"))
        table.cell = _Cell(columns=max(columns, 1), rows=rows or MOST_SPAN, head=tag == "th")
        table.rows[-1].cells.append(table.cell)

    def _add_pre(self, data: str) -> None:
        assert self._pre is not None
        first, *others = data.split("\n")
        place, before = self._pre.pop() if self._pre else (self._place(), "")
        self._pre.append((place, before + first))
        self._pre.extend((self._place(offset), line) for offset, line in enumerate(others, 1))

    def _end_pre(self) -> None:
        if self._pre:
            self._flush()
            self.parts.append(Inner(tuple(self._pre)))
        self._pre = None

    def _add_text(self, data: str) -> None:
        for number, line in enumerate(data.split("\n")):
            if number and self._line:
                self._line.append(" ")
            if line.strip() and not self._line:
                self._text.append((self._place(number), ""))
            if line.strip() or self._line:
                self._line.append(raised(line, "".join(self._line[-1:])) if self._raised else line)

    def _break(self) -> None:
        if self._pre is not None:
            self._add_pre("\n")
        if self._tables and self._tables[-1].cell is not None:
            self._tables[-1].cell.text.append(" ")
        if self._line:
            self._text[-1] = (self._text[-1][0], cell_text("".join(self._line)))
            self._line = []

    def _flush(self) -> None:
        if self._line:
            self._break()
        self.parts.extend(text_block(self._text))
        self._text = []


def _span(text: str | None) -> int:
    bare = (text or "").strip()
    return min(int(bare), MOST_SPAN) if bare.isascii() and bare.isdigit() and len(text or "") < 9 else 1
