"""Lines of text that are set as a classification report, cut into the rows of a grid or a table.

A table is cut by its heads, wherever they stand: in lines that are set in columns, or in lines that are cut by signs.
Labels hold blanks and digits, so that the numbers of a line are counted from the right. What the rows say is read by
`class_reports`, in the same way as grids of a document.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Final, NamedTuple, TypeAlias

from ..documents.blocks import Grid, Place
from ..metrics import ACCURACY, F1, PRECISION, RECALL
from . import cells
from .cells import LABEL, SUPPORT, Column

#: Longer lines are no rows, and wider gaps are not between columns.
_LONGEST: Final = 4000
_WIDEST: Final = 100
_MOST_WORDS: Final = 40
_WIDE: Final = re.compile(rf"\s{{{_WIDEST},}}")
RATES: Final = (PRECISION.id, RECALL.id, F1.id)
ENOUGH: Final = 2
CUT: Final = re.compile(
    r"[\s\[(<|│&]*(?:\.\s?){2,}[\s\])>|│&.]*|[\s\[(<|│&]*…[\s\])>|│&…]*|\W*(?:\\[vcl]?dots|⋮|snip|truncated|omitted)\W*"
)
#: A line that only divides: signs, none of them dots.
#: It gives back nothing that it took (`*+`), so that a long line of signs takes no longer than its length.
RULE: Final = re.compile(r"(?:[^\w.…⋮]|_)*+(?:\\?(?:hline|toprule|midrule|bottomrule))?(?:[^\w.…⋮]|_)*+")
_DELIMITERS: Final = ("\t", "|", "│", "┃", "║", ";", "&", ",")
_DAY: Final = r"(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4})"
_CLOCK: Final = r"\d\d?:\d\d(?::\d\d)?(?:[.,]\d+)?Z?(?:[+-]\d\d:?\d\d)?"
_LOGGED: Final = (
    rf"(?:[\[(]?{_DAY}?[T ,]*{_CLOCK}[\])]?[\s:|,-]*)?"
    r"(?:[\[<(]?\b(?:DEBUG|INFO|WARN|WARNING|ERROR|NOTICE|TRACE|CRITICAL|I|stdout|stderr)\b[\])>]?[\s:|-]*)?"
    r"(?:\[?[\w./]+\.(?:py|r|R|java|js):\d+\]?[\s:|-]\s?)?"
    r"(?:\[?[A-Za-z_][\w.]*(?:\.py)?(?::\d+)?\]?\s?(?::|-|\||>)\s?(?=\s|[A-Za-z\d])){0,2}"
)
_PREFIX: Final = re.compile(
    rf"(?P<log>\s*{_LOGGED})(?P<sign>\s*(?:(?:#+|\*+|>+|//+|%+|;+|--+|!+|'''|\"\"\"|#'|\$)(?=\s|\w|$))*)"
)


@dataclass
class Row:
    """A row below the heads: its label, its cells one for each column, and what stands behind them."""

    label: str
    cells: tuple[str, ...]
    more: tuple[str, ...] = ()


@dataclass
class ClassTable:
    """What a classification report is made from."""

    where: Place
    label_head: str
    columns: tuple[Column, ...]
    heads: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)
    title: str = ""
    cut: bool = False
    #: scikit-learn's own text always ends in averages, so that rows are missing where these do.
    ends_in_averages: bool = False
    ignored: list[str] = field(default_factory=list)


#: Lines that are laid out, and which they are.
Laid: TypeAlias = tuple[Grid | ClassTable, range]
#: Looks what begins at a line, and returns it with the next line to look at.
Layout: TypeAlias = Callable[[Sequence[str], Sequence[Place], int], tuple[list[Laid], int]]


def unwrapped(texts: Sequence[str]) -> Iterator[str]:
    """Walk lines, those that are quoted as in a notebook's file without the quotes; of too long ones the start."""
    for text in texts:
        line = _WIDE.sub(" " * _WIDEST, text[:_LONGEST].rstrip())
        match = re.fullmatch(r'\s*("(?:[^"\\]|\\.)*")\s*,?', line) if '"' in line else None
        try:
            yield str(json.loads(match[1])).rstrip().replace("\n", " ") if match else line
        except ValueError:
            yield line


def has_heads(grid: Grid) -> bool:
    """Tell whether a grid has a row of heads of a classification report."""
    return any(map(are_heads, grid.rows))


def are_heads(row: Sequence[str]) -> bool:
    """Tell whether a row names at least two of precision, recall and F1, and has no such score."""
    names = [column.name for cell in row if (column := cells.column(cell))]
    return len({*names} & {*RATES}) >= ENOUGH and not any(_is_rate(cell) for cell in row)


def _is_rate(cell: str) -> bool:
    text = cells.value(cell)
    return text is not None and ("." in text or "%" in text)


def is_summary(label: str) -> bool:
    """Tell whether a row is that of an average or of the accuracy, by its label."""
    return bool(cells.average(label)) or cells.is_accuracy(label)


class _Heads(NamedTuple):
    """The heads of lines: how the lines are cut, what the columns hold, and what stands before every line."""

    delimiter: str
    texts: tuple[str, ...]
    label_last: bool
    label_head: str
    signs: str
    ends: tuple[int, ...] = ()


def _in_columns(lines: Sequence[str], places: Sequence[Place], at: int) -> tuple[list[Laid], int]:
    """Lay out lines below a line of heads."""
    heads = _heads_of(lines[at])
    if heads is None:
        return [], at + 1
    laid, end = _delimited(heads, lines, places, at) if heads.delimiter else _aligned(heads, lines, places, at)
    return [(laid, range(at, end))], end


def _heads_of(line: str) -> _Heads | None:
    if len(line) > _LONGEST or not cells.hints(line):
        return None
    # A line may begin at its first sign, behind signs of a comment, or behind what a log adds.
    match, bare = _PREFIX.match(line), re.match(r"\s*(?:[#*>%;!]+|//+|--+)", line)
    starts = {0, *([match.end("log"), match.end("sign")] if match else []), *([bare.end()] if bare else [])}
    for start in sorted(starts, reverse=True):
        rest = line[start:]
        signs = line[:start].strip()
        for delimiter in _DELIMITERS:
            texts = _cut_at(delimiter, rest)
            if len(texts) > ENOUGH and are_heads(texts) and sum(not cells.column(text) for text in texts) <= 3:
                return _Heads(delimiter, texts, False, "", signs)
        heads = _words_as_heads(rest, start, signs)
        if heads:
            return heads
    return None


def _cut_at(delimiter: str, text: str) -> tuple[str, ...]:
    bare = text.strip().strip("|│┃║" if delimiter in "|│┃║" else "\n")
    return tuple(cell.strip() for cell in bare.split(delimiter))


def _words_as_heads(rest: str, start: int, signs: str) -> _Heads | None:
    words = [(match[0], match.end() + start) for match in re.finditer(r"\S+", rest)]
    if len(words) > _MOST_WORDS:
        return None
    texts: list[str] = []
    ends: list[int] = []
    label_head, label_last, at = "", False, 0
    while at < len(words):
        for length in (4, 3, 2, 1):
            text = " ".join(word for word, _ in words[at : at + length])
            if at + length <= len(words) and (cells.column(text) or (length == 1 and text.casefold() == "iba")):
                texts.append(text)
                ends.append(words[at + length - 1][1])
                break
        else:
            length = 1
            word = words[at][0]
            if not texts and len(label_head.split()) < 3:
                label_head = f"{label_head} {word}".strip()
            elif cells.names_classes(word) and at == len(words) - 1:
                label_head, label_last = word, True
            else:
                return None
        at += length
    if label_head and not label_last and not (cells.names_classes(label_head) or cells.names_methods(label_head)):
        return None
    enough = len(texts) > ENOUGH and are_heads(texts)
    return _Heads("", tuple(texts), label_last, label_head, signs, tuple(ends)) if enough else None


def _content(line: str, signs: str) -> str:
    """Return a line without what stands before every line: a log's time, or the signs of a comment."""
    if not signs:
        return line
    if line.lstrip().startswith(signs):
        return " " * (line.index(signs) + len(signs)) + line.lstrip()[len(signs) :]
    match = re.match(rf"\s*{_LOGGED}\s*", line)
    end = match.end() if match and re.search(r"[A-Za-z\d]", signs) else 0
    return " " * end + line[end:]


def _delimited(heads: _Heads, lines: Sequence[str], places: Sequence[Place], at: int) -> tuple[Grid, int]:
    """Return the lines below heads as a grid, as far as they are cut by the same sign."""
    rows = [heads.texts]
    end = at + 1
    while end < len(lines):
        content = _content(lines[end], heads.signs)
        is_rule = RULE.fullmatch(content)
        if not (heads.delimiter in content or CUT.fullmatch(content) or is_rule) or _heads_of(lines[end]):
            break
        rows.append(() if is_rule else _cut_at(heads.delimiter, content))
        end += 1
    width = max(map(len, rows))
    return Grid(tuple((*row, *[""] * (width - len(row))) for row in rows), tuple(places[at:end])), end


def _aligned(heads: _Heads, lines: Sequence[str], places: Sequence[Place], at: int) -> tuple[ClassTable, int]:
    columns = tuple(cells.column(text) or Column(text.casefold()) for text in heads.texts)
    table = ClassTable(places[at], heads.label_head, columns, heads.texts)
    names = [column.name for column in columns]
    table.ends_in_averages = sorted(names) == sorted((*RATES, SUPPORT)) and not heads.label_head
    end, last, gap, averaged = at + 1, at + 1, 0, False
    while end < len(lines) and gap <= 2:
        content = _content(lines[end], heads.signs)
        if not content.strip() or RULE.fullmatch(content):
            gap += not content.strip()
            end += 1
            continue
        if CUT.fullmatch(content):
            table.cut = True
        else:
            row = _row_of(content, heads, columns) if not _heads_of(lines[end]) else None
            summary = row is not None and is_summary(row.label)
            apart = averaged and gap > 0
            accurate = row is not None and cells.is_accuracy(row.label)
            # A line with an accuracy may stand behind a report, and is no row of it.
            second = accurate and (apart or any(cells.is_accuracy(other.label) for other in table.rows))
            if row is None or second or (apart and not summary):
                is_cut = end == len(lines) - 1 and not averaged and any(map(_is_rate, content.split()))
                table.cut = table.cut or is_cut
                break
            averaged = averaged or summary
            table.rows.append(row)
        end += 1
        last, gap = end, 0
    if last == len(lines) and table.ends_in_averages:
        _mend_end(table, averaged)
    return table, last


def _mend_end(table: ClassTable, averaged: bool) -> None:
    """Leave out of the last line of a text what may be cut off: a number without its last digits."""
    if len(table.rows) < ENOUGH:
        return
    first, row = table.rows[0], table.rows[-1]
    if not averaged:
        table.cut = True
        table.ignored.append(f"row {row.label}: the text ends there")
        table.rows.pop()
    elif not all(map(str.strip, row.cells)):
        digits = max(len(cell.partition(".")[2]) for cell in first.cells)
        sized = [column.name == SUPPORT for column in table.columns]
        kept = [
            cell if size or len(cell.partition(".")[2]) >= digits else ""
            for cell, size in zip(row.cells, sized, strict=True)
        ]
        table.rows[-1] = replace(row, cells=tuple(kept))


def _row_of(content: str, heads: _Heads, columns: Sequence[Column]) -> Row | None:
    """Return a line as a row: its label, and its numbers counted from the right; None where it is no row."""
    text = re.sub(r"(?<!\w)[|│┃║]|[|│┃║](?!\w)", " ", content)
    words = re.sub(r"(?<=\d)\s+%", "%", re.sub(r"\s*(±|\+/-)\s*", r"\1", text)).split()
    special = _special(words)
    values = words[special:]
    if special and values and all(map(_is_cell, values)):
        label = " ".join(words[:special]).rstrip(" :=")
        return _special_row(label, values, columns, _placed(content, values, heads.ends))
    if heads.label_last:
        values, label = words[: len(columns)], " ".join(words[len(columns) :])
        return Row(label, tuple(values)) if len(values) == len(columns) and _fit(values, columns) else None
    number = _cells_behind(words[-len(columns) :])
    values, label = words[len(words) - number :], " ".join(words[: len(words) - number])
    if number == len(columns):
        return Row(label, tuple(values)) if _fit(values, columns) else None
    if not label or not number:
        return None
    placed = _placed(content, values, heads.ends)
    return Row(label, placed) if placed and _fit(placed, columns) and number > 1 else None


def _special(words: Sequence[str]) -> int:
    """Return how many words at the start of a line name an average or the accuracy."""
    for number in range(min(len(words), 4), 0, -1):
        if is_summary(" ".join(words[:number])):
            return number + (words[number : number + 1] in ([":"], ["="]))
    return 0


def _special_row(
    label: str, values: Sequence[str], columns: Sequence[Column], placed: tuple[str, ...] | None
) -> Row | None:
    """Return the row of an average or of the accuracy, of which some cells may be empty."""
    width = len(columns)
    values, more = values[:width], tuple(values[width:])
    if len(values) == width:
        return Row(label, tuple(values), more)
    rates = [n for n, column in enumerate(columns) if column.name != SUPPORT]
    size = next((n for n, column in enumerate(columns) if column.name == SUPPORT), None)
    row = [""] * width
    if size is not None and len(values) > 1 and cells.count(values[-1]) is not None:
        *values, row[size] = values
    if not cells.is_accuracy(label) and len(values) != len(rates):
        return Row(label, placed) if placed else None
    for n, text in zip(rates, values, strict=False):
        row[n] = text
    return Row(label, tuple(row))


def _cells_behind(words: Sequence[str]) -> int:
    """Return how many words at the end of a line are cells."""
    return sum(1 for _ in takewhile(_is_cell, reversed(words)))


def _is_cell(word: str) -> bool:
    return cells.value(word) is not None or (cells.is_empty(word) and word.casefold() not in ("x", "none", "no", "."))


def _fit(values: Sequence[str], columns: Sequence[Column]) -> bool:
    """Tell whether the numbers of a row can be what the heads say."""
    for text, column in zip(values, columns, strict=True):
        if cells.is_empty(text):
            continue
        if column.name == SUPPORT and cells.count(text) is None:
            return False
        if column.name in RATES:
            number = cells.exact((cells.value(text) or "").partition("±")[0].rstrip("%"))
            if number is None or not 0 <= number <= 100:
                return False
    return True


def _placed(content: str, values: Sequence[str], ends: Sequence[int]) -> tuple[str, ...] | None:
    """Return the numbers of a row with empty cells, each under the head that ends nearest to it."""
    row = [""] * len(ends)
    spans = list(re.finditer(r"\S+", content))[-len(values) :]
    last = -1
    for match in spans:
        near = min(range(len(ends)), key=lambda n: abs(ends[n] - match.end()))
        if near <= last or abs(ends[near] - match.end()) > 3:
            return None
        row[near], last = match[0], near
    return tuple(row)


def _upright(lines: Sequence[str], places: Sequence[Place], at: int) -> tuple[list[Laid], int]:
    """Lay out lines that are scores, with classes in columns, as caret and pycm print them."""
    rows: list[tuple[str, list[str]]] = []
    end = at
    while end < len(lines) and (row := _score_row(lines[end])):
        if cells.names_classes(row[0]) or (rows and len(row[1]) != len(rows[0][1])):
            break
        rows.append(row)
        end += 1
    names = {column.name for name, _ in rows if (column := cells.column(name))}
    corner, labels = _labels_above(lines, at, len(rows[0][1])) if rows else ("", ())
    if not labels or len(names & {*RATES}) < ENOUGH:
        return [], end
    rows_of_grid = ((corner, *labels), *((name, *values) for name, values in rows))
    return [(Grid(rows_of_grid, (places[at - 1],) * (len(rows) + 1)), range(at - 1, end))], end


def _score_row(line: str) -> tuple[str, list[str]] | None:
    """Return a name and the numbers behind it, at least two."""
    words = line.split()
    number = _cells_behind(words)
    name = " ".join(words[: len(words) - number])
    # Of ``PPV(Precision or positive predictive value)`` the first is enough.
    short = re.fullmatch(r"(\w+)\(.*\)", name)
    named = number > 1 and re.match(r"\s*[A-Za-z]", name)
    return (short[1] if short else name, words[len(words) - number :]) if named else None


def _labels_above(lines: Sequence[str], at: int, width: int) -> tuple[str, Sequence[str]]:
    """Return the word for classes and the labels that stand above the columns; no labels where there are none."""
    above = at - 1
    while above > max(at - 3, 0) and not lines[above].strip():
        above -= 1
    line = lines[above].strip() if at else ""
    called = re.findall(r"Class:\s*(.+?)(?=\s+Class:|$)", line)
    if len(called) == width:
        return "Class", called
    if above < at - 1:
        return "", ()
    for labels in (re.split(r"\s{2,}", line), line.split()):
        if len(labels) == width + 1 and cells.names_classes(labels[0]):
            return labels[0], labels[1:]
        if len(labels) == width:
            return "", labels
    return "", ()


_ENTRY: Final = re.compile(
    rf"\s*(?:[-*+•]\s+)?(?P<label>\S.{{0,60}}?)[ _](?P<name>precision|recall|f1(?:[ -_]score)?|number|support|accuracy)"
    rf"[\"'*`]*\s*[:=|]\s*[\"'*`]*\s*{cells.VALUE.pattern}\s*[.,;]?\s*",
    re.IGNORECASE,
)


def _in_labelled_lists(lines: Sequence[str], places: Sequence[Place], at: int) -> tuple[list[Laid], int]:
    """Lay out lists of entities as seqeval prints them: ``- Loc Precision: 0.93``, ``- Loc Number: 1668``."""
    rows: dict[str, dict[str, str]] = {}
    end = at
    while end < len(lines) and (entry := _ENTRY.fullmatch(lines[end])):
        name = "support" if entry["name"].casefold() == "number" else entry["name"]
        column = cells.column(name.replace("_", " "))
        if column is None or column.name in rows.setdefault(entry["label"], {}):
            break
        rows[entry["label"]][column.name] = entry["value"]
        end += 1
    sized = [label for label, row in rows.items() if {*row} >= {*RATES, SUPPORT}]
    if len(sized) < ENOUGH:
        return [], end
    # What seqeval calls overall is the micro average.
    names = {label: "micro avg" if label.casefold() == "overall" else label for label in rows}
    return _told([{LABEL: names[label], **row} for label, row in rows.items()], places, at, end, True), end


_FIELD: Final = re.compile(
    rf"\s*(?:[-*+•]\s+)?(?P<name>[A-Za-z][\w .()%/-]*?)[\"'*`]*\s*[:=|]\s*[\"'*`]*\s*{cells.VALUE.pattern}\s*[.,;]?\s*",
    re.IGNORECASE,
)


def _in_blocks(lines: Sequence[str], places: Sequence[Place], start: int) -> tuple[list[Laid], int]:
    """Lay out classes that stand one after the other, each with a line for each of its scores."""
    found: list[Laid] = []
    rows: list[dict[str, str]] = []
    last = start
    label, called = "", False
    for at, line in enumerate(lines[start:], start):
        fields = _FIELD.fullmatch(line)
        column = cells.column(fields["name"]) if fields else None
        if not line.strip() or RULE.fullmatch(line):
            continue
        if fields and column and column.name == ACCURACY.id:
            rows.append({LABEL: ACCURACY.label, ACCURACY.id: fields["value"]})
            label, last = "", at
        elif fields and column and label:
            if rows and rows[-1][LABEL] == label and column.name not in rows[-1]:
                rows[-1][column.name] = fields["value"]
            elif not rows or rows[-1][LABEL] != label:
                rows.append({LABEL: label, column.name: fields["value"]})
            last = at
        elif rows and at - last > 2 and not _block_label(line):
            found += _told(rows, places, start, last + 1, called)
            rows, label = [], ""
        else:
            label = _block_label(line)
            called = called or bool(_CALLED.search(line))
            if not rows:
                start = at
    return [*found, *_told(rows, places, start, last + 1, called)], len(lines)


def _block_label(line: str) -> str:
    """Return the label that a line gives to the lines below it; empty where it gives none."""
    text = cells.plain(line.strip().lstrip("#-*•+=> ")).strip(" :=-")
    text = re.sub(r"^(?:class|label|category)\b\s*[:#=]?\s*(?=\S)", "", text, flags=re.IGNORECASE)
    return text.strip(" '\"") if len(text) <= 60 and len(text.split()) <= 6 else ""


def _told(rows: Sequence[dict[str, str]], places: Sequence[Place], at: int, end: int, called: bool) -> list[Laid]:
    """Lay out rows by the names of their scores; nothing where fewer than two are classes."""
    told = [row for row in rows if not is_summary(row[LABEL]) and len({*row} & {*RATES}) >= ENOUGH]
    if len(told) < ENOUGH:
        return []
    names = tuple(dict.fromkeys(name for row in rows for name in row if name != LABEL))
    below = ((row[LABEL], *(row.get(name, "") for name in names)) for row in rows)
    grid = Grid((("class" if called else "", *names), *below), (places[at],) * (len(rows) + 1))
    return [(grid, range(at, end))]


_SCORE: Final = r"(?:\d+(?:\.\d+|,\d+(?=\s*%|,\s|\s|$|\.))?|\.\d+)\s?%?"
_OF_CLASS: Final = re.compile(
    r"\W*(?:the\s+)?(?P<names>[A-Za-z][\w ,/&()-]*?)\s+(?:for|of|on)\s+(?:the\s+)?"
    r"(?:class|label|category)?\s*(?P<label>[^:=]+?)\s*"
    rf"(?::|=|\bare\b|\bwere\b)\s*(?P<values>{_SCORE}(?:\s*(?:,\s*and\b|,|/|&|\band\b|;|\||\s)\s*{_SCORE})+)(?P<rest>.*)",
    re.IGNORECASE,
)
_PAIR: Final = re.compile(
    r"(?P<name>[A-Za-z][A-Za-z\d\-_ ]{0,60}?)\s*(?:\([^()\d]{0,40}\))?\s*(?::|=|\bof\b|\bis\b|\bwas\b|\s)\s*"
    r"(?P<value>(?:\d+[.,])?\d[\d,]*\s?%?)(?![\w.]*\d)"
)


_CALLED: Final = re.compile(r"\b(?:class|label|category)\b", re.IGNORECASE)
_ACCURACY: Final = re.compile(r"acc|genau|exactit", re.IGNORECASE)


def _in_sentences(lines: Sequence[str], places: Sequence[Place], at: int) -> tuple[list[Laid], int]:
    """Lay out reports that are told a class a line: ``Precision, recall for class 0: 0.76, 0.65``."""
    rows: list[dict[str, str]] = []
    end = at
    while end < len(lines):
        row = _sentence_row(lines[end]) if lines[end].strip() else None
        if row:
            rows.append(row)
        elif lines[end].strip() or not rows:
            break
        end += 1
    called = any(_CALLED.search(line) for line in lines[at:end]) or all("FB1:" in line for line in lines[at:end])
    last = next((n for n in range(end, at, -1) if lines[n - 1].strip()), at)
    return _told(rows, places, at, last, called), end


def _sentence_row(line: str) -> dict[str, str] | None:
    """Return the label and the scores that one line tells of a class, an average or the accuracy; None for none."""
    if len(line) > _LONGEST or not (cells.hints(line) or _ACCURACY.search(line)):
        return None
    text = cells.plain(re.sub(r"^\s*(?:[-*+•·]|\d+[.)])\s+", "", line))
    match = _OF_CLASS.match(text)
    if match:
        names = [cells.column(name) for name in re.split(r"\s*(?:,\s*and\b|,|/|&|\band\b)\s*", match["names"])]
        values = re.findall(_SCORE, match["values"])
        if len(names) == len(values) and all(names):
            row = {LABEL: match["label"].strip(" '\"")} | {
                name.name: text for name, text in zip(names, values, strict=True) if name
            }
            return row | {name: value for name, value in _pairs(match["rest"])[1].items() if name == SUPPORT}
    label, pairs = _pairs(text)
    if set(pairs) == {ACCURACY.id}:
        return {LABEL: ACCURACY.label, ACCURACY.id: pairs[ACCURACY.id]}
    return {LABEL: label} | pairs if label and len({*pairs} & {*RATES}) >= ENOUGH else None


def _pairs(text: str) -> tuple[str, dict[str, str]]:
    """Return what stands before the first score of a text, and its scores by name."""
    found: dict[str, str] = {}
    label, first = "", True
    for match in _PAIR.finditer(text):
        words = match["name"].split()
        for start in _split_at(words):
            column = cells.column(" ".join(words[start:]))
            if column and column.name not in found:
                found[column.name] = match["value"].replace(" ", "").rstrip(",")
                if first:
                    before = text[: match.start()] + " ".join(words[:start])
                    label, first = _label_before(before), False
                break
    return label, found


def _split_at(words: Sequence[str]) -> list[int]:
    """Return where the name of a score may begin among words; behind the name of an average first."""
    averages = [n for n in range(1, len(words)) if cells.average(" ".join(words[:n]).strip(" -–—:"))]
    return [*averages[-1:], *range(len(words))]


def _label_before(text: str) -> str:
    label = _BEHIND_LABEL.sub("", text.strip(" :-–—(,|=>")).strip(" :-–—(,|=>")
    return _BEFORE_LABEL.sub("", re.sub(r"^(?:for|in|the)\s+", "", label, flags=re.IGNORECASE)).strip(" '\"“”:-–,")


_BEHIND_LABEL: Final = re.compile(r"\b(?:has|have|had|with|an?|the|achieve[sd]?|for|in|of|is|was|where|gets?|got)\s*$")
_BEFORE_LABEL: Final = re.compile(r"^(?:the\s+)?(?:class|label|category)\b[\s:#]*(?=\S)", re.IGNORECASE)


#: Ways in which lines are laid out, in their order: lines of a report that one finds are not looked at by the next.
LAYOUTS: Final[tuple[Layout, ...]] = (_in_columns, _upright, _in_sentences, _in_labelled_lists, _in_blocks)


def laid_out(layout: Layout, lines: Sequence[str], places: Sequence[Place]) -> Iterator[Laid]:
    """Yield what is set in one way, line after line."""
    at = 0
    while at < len(lines):
        found, end = layout(lines, places, at)
        yield from found
        at = max(end, at + 1)
