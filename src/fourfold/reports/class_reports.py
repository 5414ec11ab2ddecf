"""Classification reports: a row for each class with its precision, recall, F1 and size, and rows of averages.

A table is read by its heads, wherever they stand: in a grid, in lines that are set in columns, or in lines that are
cut by signs. Labels hold blanks and digits, so that the numbers of a line are counted from the right.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, TypeAlias

from ..documents.blocks import Block, Grid, Place
from ..exact.reported import is_above_one
from ..metrics import ACCURACY, F1, PRECISION, RECALL
from . import cells
from .cells import LABEL, SUPPORT, Column, Found
from .report import Report

#: Longer lines are no rows, and wider gaps are not between columns.
_LONGEST: Final = 4000
_WIDEST: Final = 100
_MOST_WORDS: Final = 40
_WIDE: Final = re.compile(rf"\s{{{_WIDEST},}}")
_RATES: Final = (PRECISION.id, RECALL.id, F1.id)
_ENOUGH: Final = 2
_CUT: Final = re.compile(
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


_OF_A_CLASS: Final = "accuracy of a class: its recall to some, and the share of right yes and no to others"


@dataclass
class _Row:
    """A row below the heads: its label, its cells one for each column, and what stands behind them."""

    label: str
    cells: tuple[str, ...]
    more: tuple[str, ...] = ()


@dataclass
class _Table:
    """What a classification report is made from."""

    where: Place
    label_head: str
    columns: tuple[Column, ...]
    heads: tuple[str, ...]
    rows: list[_Row] = field(default_factory=list)
    title: str = ""
    cut: bool = False
    #: scikit-learn's own text always ends in averages, so that rows are missing where these do.
    ends_in_averages: bool = False
    ignored: list[str] = field(default_factory=list)


#: Lines that are laid out as a grid, and which they are.
_Laid: TypeAlias = tuple[Grid, range]


def find(block: Block) -> list[Found]:
    """Find the classification reports of a block."""
    if isinstance(block, Grid):
        return _in_grid(block)
    lines = tuple(unwrapped(block.texts))
    found = list(_in_columns(lines, block.places))
    for layout in (_upright, _in_sentences, _in_labelled_lists, _in_blocks):
        used = {at for one in found for at in one.rows}
        grids = [(grid, rows) for grid, rows in layout(lines, block.places) if not used & set(rows)]
        found += [one._replace(rows=rows) for grid, rows in grids for one in _in_grid(grid)]
    return sorted(found, key=lambda one: one.rows.start)


def unwrapped(texts: Sequence[str]) -> Iterator[str]:
    """Walk lines, those that are quoted as in a notebook's file without the quotes; of too long ones the start."""
    for text in texts:
        line = _WIDE.sub(" " * _WIDEST, text[:_LONGEST].rstrip())
        match = re.fullmatch(r'\s*("(?:[^"\\]|\\.)*")\s*,?', line) if '"' in line else None
        try:
            yield str(json.loads(match[1])).rstrip().replace("\n", " ") if match else line
        except ValueError:
            yield line


# --- grids


def _in_grid(block: Grid) -> list[Found]:
    found = _below_heads(block, block.rows)
    if not found and block.rows:
        turned = tuple(zip(*block.rows, strict=True))
        reports = _below_heads(replace(block, rows=turned, places=(block.places[0],) * len(turned)), turned)
        found = [Found(one.report, range(len(block.rows))) for one in reports]
    return found


def _below_heads(block: Grid, rows: Sequence[Sequence[str]]) -> list[Found]:
    found: list[Found] = []
    heads = [at for at, row in enumerate(rows) if are_heads(row)]
    for at, end in zip(heads, [*heads[1:], len(rows)], strict=False):
        above = rows[at - 1] if at else None
        for table in _tables(rows[at], rows[at + 1 : end], above, block.places[at]):
            table.title = table.title or block.caption
            found += [Found(report, range(at, end)) for report in _reports(table)]
    return found


def has_heads(grid: Grid) -> bool:
    """Tell whether a grid has a row of heads of a classification report."""
    return any(map(are_heads, grid.rows))


def are_heads(row: Sequence[str]) -> bool:
    """Tell whether a row names at least two of precision, recall and F1, and has no such score."""
    names = [column.name for cell in row if (column := cells.column(cell))]
    return len({*names} & {*_RATES}) >= _ENOUGH and not any(_is_rate(cell) for cell in row)


def _is_rate(cell: str) -> bool:
    text = cells.value(cell)
    return text is not None and ("." in text or "%" in text)


def _tables(
    heads: Sequence[str], rows: Sequence[Sequence[str]], above: Sequence[str] | None, where: Place
) -> Iterator[_Table]:
    """Walk the tables below one row of heads: one, or one for each method in a column or over several columns."""
    columns = [cells.column(head) for head in heads]
    if columns[0] and not heads[-1].strip() and any(row[-1].strip() for row in rows):
        # The head of the labels was left out.
        columns, heads = [None, *columns[:-1]], ["", *heads[:-1]]
    texts = [at for at, column in enumerate(columns) if column is None]
    if not texts:
        return
    label = next((at for at in texts if cells.names_classes(heads[at])), texts[0])
    method = next((at for at in texts if at != label and cells.names_methods(heads[at])), None)
    parts = [[at for at in part if at != method] for part in _parts(columns, label)]
    if columns[0] == Column(SUPPORT) and columns.count(columns[0]) > 1:
        # The first column numbers the rows.
        parts = [[at for at in part if at] for part in parts]
    for part in parts:
        named = tuple(columns[at] or Column(cells.plain(heads[at])) for at in part)
        kept = _Table(where, heads[label], named, tuple(cells.plain(heads[at]) for at in part))
        if len(parts) > 1 and above is not None:
            kept.title = cells.plain(above[part[0]])
        grouped: dict[str, _Table] = {}
        for row in rows:
            name = _named(heads[method], row[method]) if method is not None else ""
            table = grouped.setdefault(name, replace(kept, rows=[], ignored=[], title=name or kept.title))
            line = " ".join(row)
            if _CUT.fullmatch(line) and line.strip():
                table.cut = True
            elif line.strip() and not RULE.fullmatch(line):
                table.rows.append(_Row(cells.plain(row[label]), tuple(row[n] for n in part)))
        yield from grouped.values()


def _named(head: str, cell: str) -> str:
    """Return the name of a method; of a number with the word for what it numbers, ``fold 2``."""
    text = cells.plain(cell)
    return f"{cells.plain(head)} {text}" if text.isdigit() else text


def _parts(columns: Sequence[Column | None], label: int) -> list[list[int]]:
    """Return the columns of each method: a name that comes again begins the next one's."""
    names = [column.name if column else "" for column in columns]
    twice = [at for at, name in enumerate(names) if name in _RATES and names.index(name) != at]
    again = [name for name, often in Counter(names).items() if name in _RATES and often > 1]
    rates = [name for name in names if name in _RATES]
    if len(again) < len(set(rates)) or len(again) < _ENOUGH or not twice:
        return [[at for at in range(len(columns)) if at != label]]
    shared = [at for at, name in enumerate(names) if names.count(name) == 1 and at != label and name]
    parts: list[list[int]] = [[]]
    for at, name in enumerate(names):
        if at == label or not name or at in shared:
            continue
        if name in (names[n] for n in parts[-1]):
            parts.append([])
        parts[-1].append(at)
    return [part + shared for part in parts]


# --- lines set in columns


class _Heads(NamedTuple):
    """The heads of lines: how the lines are cut, what the columns hold, and what stands before every line."""

    delimiter: str
    texts: tuple[str, ...]
    label_last: bool
    label_head: str
    signs: str
    ends: tuple[int, ...] = ()


def _in_columns(lines: Sequence[str], places: Sequence[Place]) -> Iterator[Found]:
    at = 0
    while at < len(lines):
        heads = _heads_of(lines[at])
        if heads is None:
            at += 1
            continue
        if heads.delimiter:
            grid, end = _delimited(heads, lines, places, at)
            reports = [one.report for one in _below_heads(grid, grid.rows)]
        else:
            table, end = _aligned(heads, lines, places, at)
            reports = _reports(table)
        yield from (Found(report, range(at, end)) for report in reports)
        at = end if reports else at + 1


def _heads_of(line: str) -> _Heads | None:
    if len(line) > _LONGEST or not cells.hints(line):
        return None
    for start in _starts(line):
        rest = line[start:]
        signs = line[:start].strip()
        for delimiter in _DELIMITERS:
            texts = _cut_at(delimiter, rest)
            if len(texts) > _ENOUGH and are_heads(texts) and sum(not cells.column(text) for text in texts) <= 3:
                return _Heads(delimiter, texts, False, "", signs)
        heads = _words_as_heads(rest, start, signs)
        if heads:
            return heads
    return None


def _cut_at(delimiter: str, text: str) -> tuple[str, ...]:
    bare = text.strip().strip("|│┃║" if delimiter in "|│┃║" else "\n")
    return tuple(cell.strip() for cell in bare.split(delimiter))


def _starts(line: str) -> list[int]:
    """Return where a line may begin: at its first sign, behind signs of a comment, behind what a log adds."""
    match = _PREFIX.match(line)
    starts = {0, match.end("log"), match.end("sign")} if match else {0}
    bare = re.match(r"\s*(?:[#*>%;!]+|//+|--+)", line)
    if bare:
        starts.add(bare.end())
    return sorted(starts, reverse=True)


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
    enough = are_heads(texts) and len(texts) > _ENOUGH
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
        if not (heads.delimiter in content or _CUT.fullmatch(content) or is_rule) or _heads_of(lines[end]):
            break
        rows.append(() if is_rule else _cut_at(heads.delimiter, content))
        end += 1
    width = max(map(len, rows))
    return Grid(tuple((*row, *[""] * (width - len(row))) for row in rows), tuple(places[at:end])), end


def _aligned(heads: _Heads, lines: Sequence[str], places: Sequence[Place], at: int) -> tuple[_Table, int]:
    columns = tuple(cells.column(text) or Column(text.casefold()) for text in heads.texts)
    table = _Table(places[at], heads.label_head, columns, heads.texts)
    names = [column.name for column in columns]
    table.ends_in_averages = sorted(names) == sorted((*_RATES, SUPPORT)) and not heads.label_head
    end, last, gap, averaged = at + 1, at + 1, 0, False
    while end < len(lines) and gap <= 2:
        content = _content(lines[end], heads.signs)
        if not content.strip() or RULE.fullmatch(content):
            gap += not content.strip()
            end += 1
            continue
        if _CUT.fullmatch(content):
            table.cut = True
        else:
            row = _row_of(content, heads, columns) if not _heads_of(lines[end]) else None
            summary = row is not None and _is_summary(row.label)
            if (
                row is None
                or (averaged and gap and not summary)
                or _is_second_accuracy(row, table, averaged and gap > 0)
            ):
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


def _is_second_accuracy(row: _Row, table: _Table, apart: bool) -> bool:
    """Tell whether a line with an accuracy stands behind a report, and is no row of it."""
    return cells.is_accuracy(row.label) and (apart or any(cells.is_accuracy(other.label) for other in table.rows))


def _mend_end(table: _Table, averaged: bool) -> None:
    """Leave out of the last line of a text what may be cut off: a number without its last digits."""
    if len(table.rows) < _ENOUGH:
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


def _row_of(content: str, heads: _Heads, columns: Sequence[Column]) -> _Row | None:
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
        return _Row(label, tuple(values)) if len(values) == len(columns) and _fit(values, columns) else None
    number = 0
    while number < min(len(columns), len(words)) and _is_cell(words[-1 - number]):
        number += 1
    values, label = words[len(words) - number :], " ".join(words[: len(words) - number])
    if number == len(columns):
        return _Row(label, tuple(values)) if _fit(values, columns) else None
    if not label or not number:
        return None
    placed = _placed(content, values, heads.ends)
    return _Row(label, placed) if placed and _fit(placed, columns) and number > 1 else None


def _special(words: Sequence[str]) -> int:
    """Return how many words at the start of a line name an average or the accuracy."""
    for number in (4, 3, 2, 1):
        label = " ".join(words[:number])
        if number <= len(words) and (cells.average(label) or cells.is_accuracy(label)):
            if number < len(words) and words[number] in (":", "="):
                return number + 1
            return number
    return 0


def _special_row(
    label: str, values: Sequence[str], columns: Sequence[Column], placed: tuple[str, ...] | None
) -> _Row | None:
    """Return the row of an average or of the accuracy, of which some cells may be empty."""
    width = len(columns)
    values, more = values[:width], tuple(values[width:])
    if len(values) == width:
        return _Row(label, tuple(values), more)
    rates = [n for n, column in enumerate(columns) if column.name != SUPPORT]
    sized = len(rates) < width and len(values) > 1 and cells.count(values[-1]) is not None
    row = [""] * width
    scores = values[:-1] if sized else values
    if sized:
        row[next(n for n in range(width) if n not in rates)] = values[-1]
    if not cells.is_accuracy(label) and len(scores) != len(rates):
        return _Row(label, placed) if placed else None
    for n, text in zip(rates, scores, strict=False):
        row[n] = text
    return _Row(label, tuple(row))


def _is_cell(word: str) -> bool:
    return cells.value(word) is not None or (cells.is_empty(word) and word.casefold() not in ("x", "none", "no", "."))


def _fit(values: Sequence[str], columns: Sequence[Column]) -> bool:
    """Tell whether the numbers of a row can be what the heads say."""
    for text, column in zip(values, columns, strict=True):
        if cells.is_empty(text):
            continue
        if column.name == SUPPORT and cells.count(text) is None:
            return False
        if column.name in _RATES:
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


# --- classes in columns


def _upright(lines: Sequence[str], places: Sequence[Place]) -> Iterator[_Laid]:
    """Find reports whose lines are scores and whose columns are classes, as caret and pycm print them."""
    at = 0
    while at < len(lines):
        rows: list[tuple[str, list[str]]] = []
        end = at
        while end < len(lines) and (row := _score_row(lines[end])):
            if cells.names_classes(row[0]) or (rows and len(row[1]) != len(rows[0][1])):
                break
            rows.append(row)
            end += 1
        names = {column.name for name, _ in rows if (column := cells.column(name))}
        corner, labels = _labels_above(lines, at, len(rows[0][1])) if rows else ("", ())
        if labels and len(names & {*_RATES}) >= _ENOUGH:
            rows_of_grid = ((corner, *labels), *((name, *values) for name, values in rows))
            yield Grid(rows_of_grid, (places[at - 1],) * (len(rows) + 1)), range(at - 1, end)
        at = max(end, at + 1)


def _score_row(line: str) -> tuple[str, list[str]] | None:
    """Return a name and the numbers behind it, at least two."""
    words = line.split()
    number = 0
    while number < len(words) and _is_cell(words[-1 - number]):
        number += 1
    name = " ".join(words[: len(words) - number])
    return (_short_name(name), words[len(words) - number :]) if number > 1 and re.match(r"\s*[A-Za-z]", name) else None


def _short_name(name: str) -> str:
    """Return the first of ``PPV(Precision or positive predictive value)``, and other names as they are."""
    match = re.fullmatch(r"(\w+)\(.*\)", name)
    return match[1] if match else name


def _labels_above(lines: Sequence[str], at: int, width: int) -> tuple[str, Sequence[str]]:
    """Return the word for classes and the labels that stand above the columns; no labels where there are none."""
    line = lines[at - 1].strip() if at else ""
    called = re.findall(r"Class:\s*(.+?)(?=\s+Class:|$)", line)
    if len(called) == width:
        return "Class", called
    for labels in (re.split(r"\s{2,}", line), line.split()):
        if len(labels) == width + 1 and cells.names_classes(labels[0]):
            return labels[0], labels[1:]
        if len(labels) == width:
            return "", labels
    return "", ()


# --- a label before the name of each score

_ENTRY: Final = re.compile(
    rf"\s*(?:[-*+•]\s+)?(?P<label>\S.{{0,60}}?)[ _](?P<name>precision|recall|f1(?:[ -_]score)?|number|support|accuracy)"
    rf"[\"'*`]*\s*[:=|]\s*[\"'*`]*\s*{cells.VALUE.pattern}\s*[.,;]?\s*",
    re.IGNORECASE,
)
_OVER_ALL: Final = "overall"


def _in_labelled_lists(lines: Sequence[str], places: Sequence[Place]) -> Iterator[_Laid]:
    """Find lists of entities as seqeval prints them: ``- Loc Precision: 0.93``, ``- Loc Number: 1668``."""
    at = 0
    while at < len(lines):
        rows: dict[str, dict[str, str]] = {}
        end = at
        while end < len(lines) and (entry := _ENTRY.fullmatch(lines[end])):
            name = "support" if entry["name"].casefold() == "number" else entry["name"]
            column = cells.column(name.replace("_", " "))
            if column is None or column.name in rows.setdefault(entry["label"], {}):
                break
            rows[entry["label"]][column.name] = entry["value"]
            end += 1
        sized = [label for label, row in rows.items() if {*row} >= {*_RATES, SUPPORT}]
        if len(sized) >= _ENOUGH:
            yield from _told([{LABEL: _over_all(label), **row} for label, row in rows.items()], places, at, end, True)
        at = max(end, at + 1)


def _over_all(label: str) -> str:
    """Return the name of the average that seqeval calls overall: it is the micro average."""
    return "micro avg" if label.casefold() == _OVER_ALL else label


# --- a class after the other


_FIELD: Final = re.compile(
    rf"\s*(?:[-*+•]\s+)?(?P<name>[A-Za-z][\w .()%/-]*?)[\"'*`]*\s*[:=|]\s*[\"'*`]*\s*{cells.VALUE.pattern}\s*[.,;]?\s*",
    re.IGNORECASE,
)


def _in_blocks(lines: Sequence[str], places: Sequence[Place]) -> Iterator[_Laid]:
    """Find reports whose classes stand one after the other, each with a line for each of its scores."""
    rows: list[dict[str, str]] = []
    start = last = 0
    label, called = "", False
    for at, line in enumerate(lines):
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
            yield from _told(rows, places, start, last + 1, called)
            rows, label = [], ""
        else:
            label = _block_label(line)
            called = called or bool(_CALLED.search(line))
            if not rows:
                start = at
    yield from _told(rows, places, start, last + 1, called)


def _block_label(line: str) -> str:
    """Return the label that a line gives to the lines below it; empty where it gives none."""
    text = cells.plain(line.strip().lstrip("#-*•+=> ")).strip(" :=-")
    text = re.sub(r"^(?:class|label|category)\b\s*[:#=]?\s*(?=\S)", "", text, flags=re.IGNORECASE)
    return text.strip(" '\"") if len(text) <= 60 and len(text.split()) <= 6 else ""


def _told(rows: Sequence[dict[str, str]], places: Sequence[Place], at: int, end: int, called: bool) -> Iterator[_Laid]:
    """Lay out rows by the names of their scores; nothing where fewer than two are classes."""
    told = [row for row in rows if not _is_summary(row[LABEL]) and len({*row} & {*_RATES}) >= _ENOUGH]
    if len(told) >= _ENOUGH:
        names = tuple(dict.fromkeys(name for row in rows for name in row if name != LABEL))
        below = ((row[LABEL], *(row.get(name, "") for name in names)) for row in rows)
        yield Grid((("class" if called else "", *names), *below), (places[at],) * (len(rows) + 1)), range(at, end)


# --- sentences


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


def _in_sentences(lines: Sequence[str], places: Sequence[Place]) -> Iterator[_Laid]:
    """Find reports that are told a class a line: ``Precision, recall for class 0: 0.76, 0.65``."""
    at = 0
    while at < len(lines):
        rows: list[dict[str, str]] = []
        end = at
        while end < len(lines):
            row = sentence_row(lines[end]) if lines[end].strip() else None
            if row:
                rows.append(row)
            elif lines[end].strip() or not rows:
                break
            end += 1
        called = any(_CALLED.search(line) for line in lines[at:end])
        last = next((n for n in range(end, at, -1) if lines[n - 1].strip()), at)
        yield from _told(rows, places, at, last, called)
        at = max(end, at + 1)


def _is_summary(label: str) -> bool:
    return bool(cells.average(label)) or cells.is_accuracy(label)


def sentence_row(line: str) -> dict[str, str] | None:
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
    return {LABEL: label} | pairs if label and len({*pairs} & {*_RATES}) >= _ENOUGH else None


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
    label = re.sub(
        r"\b(?:has|have|had|with|an?|the|achieve[sd]?|for|in|of|is|was|where|gets?|got)\s*$",
        "",
        text.strip(" :-–—(,|=>"),
    )
    label = re.sub(r"^(?:for|in|the)\s+", "", label.strip(" :-–—(,|=>"), flags=re.IGNORECASE)
    return re.sub(r"^(?:the\s+)?(?:class|label|category)\b[\s:#]*(?=\S)", "", label, flags=re.IGNORECASE).strip(
        " '\"“”:-–,"
    )


# --- from rows to a report


@dataclass
class _Said:
    """What the rows of a table say, sorted by what they are."""

    classes: list[dict[str, str]] = field(default_factory=list)
    averages: dict[str, dict[str, str]] = field(default_factory=lambda: {"macro": {}, "weighted": {}, "micro": {}})
    accuracy: str | None = None
    scores: dict[str, str] = field(default_factory=dict)
    #: How many cases there are, as each row of an average says.
    sizes: list[int] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    def add(self, label: str, printed: dict[str, str]) -> None:
        """Sort in one row by its label and what is printed in it."""
        kind = cells.average(label)
        if cells.is_accuracy(label) and (pair := _accuracy(printed)):
            self._add_accuracy(*pair)
        elif kind is not None:
            self._add_average(label, kind, printed)
        elif (name := cells.score_name(label)) and (one := _single(printed)) and not _is_sized(printed):
            self.scores[name] = one
        elif {*printed} & {*_RATES}:
            if printed.pop(ACCURACY.id, None) and _OF_A_CLASS not in self.ignored:
                self.ignored.append(_OF_A_CLASS)
            self.classes.append({LABEL: label} | printed)
        elif label and {*printed} - {SUPPORT} and all(map(cells.score_name, {*printed} - {SUPPORT})):
            # Of a class that nobody predicted, or that has no cases, only some scores are defined.
            self.classes.append({LABEL: label} | printed)
        elif printed or label:
            self.ignored.append(f"row {label or printed}: no scores of a class")

    def _add_accuracy(self, text: str, size: str) -> None:
        if self.accuracy is None:
            number = cells.exact(text)
            self.accuracy = f"{text}%" if number is not None and is_above_one(number) and "%" not in text else text
        else:
            self.scores[ACCURACY.id] = text
        self._add_size(size)

    def _add_average(self, label: str, kind: cells.Average, printed: dict[str, str]) -> None:
        if kind in self.averages and {*printed} & {*_RATES}:
            left_out = (SUPPORT, ACCURACY.id)
            self.averages[kind] = {name: text for name, text in printed.items() if name not in left_out}
            self._add_size(printed.get(SUPPORT, ""))
        elif {*printed} == {SUPPORT}:
            self._add_size(printed[SUPPORT])
        elif printed:
            over_labels = kind == "samples"
            why = "an average over the labels of each case" if over_labels else "it does not say which average"
            self.ignored.append(f"row {label}: {why}")

    def _add_size(self, text: str) -> None:
        size = cells.count(text)
        if size:
            self.sizes.append(size)


def _reports(table: _Table) -> list[Report]:
    """Return a table as its reports: one for each word before the names of averages, ``Test macro avg``."""
    before = {row.label.split()[0] for row in table.rows if _is_summary_behind(row.label)}
    kept = [row for row in table.rows if row.label.partition(" ")[0] not in before]
    if not before or any(not _is_summary(row.label) for row in kept):
        return [report] if (report := _report(table)) else []
    parts = []
    for word in dict.fromkeys(row.label.partition(" ")[0] for row in table.rows if row not in kept):
        rows = [
            replace(row, label=row.label.partition(" ")[2]) for row in table.rows if row.label.startswith(f"{word} ")
        ]
        parts.append(replace(table, rows=rows, title=f"{table.title} {word}".strip(), ignored=[]))
    return [report for part in parts if (report := _report(part))]


def _is_summary_behind(label: str) -> bool:
    """Tell whether a label is the name of an average or of the accuracy behind another word."""
    first, _, rest = label.partition(" ")
    return bool(rest) and not _is_summary(label) and not cells.average(first) and _is_summary(rest)


def _report(table: _Table) -> Report | None:
    """Return a table as a report; None where its rows are not classes."""
    columns, shares = _with_shares(_without_repeats(table.columns, table.heads), table.rows)
    said = _Said(ignored=table.ignored)
    for row in table.rows:
        said.ignored += [f"{text}: stands behind the row {row.label} without a name" for text in row.more]
        said.add(row.label, _printed(row, columns))
    if not said.classes or not _are_classes(table, said):
        return None
    assumed = (*shares, *_as_percent(columns, said))
    total, complete = _total(said.classes, said.sizes)
    summed_up = said.accuracy is not None or any(said.averages.values())
    cut = table.cut or (table.ends_in_averages and not summed_up and SUPPORT in said.classes[0])
    return Report(
        "classification report",
        table.where,
        title=table.title,
        classes=tuple(said.classes),
        accuracy=said.accuracy,
        macro=said.averages["macro"],
        weighted=said.averages["weighted"],
        micro=said.averages["micro"],
        scores=said.scores,
        total=total,
        complete=complete and not cut,
        ignored=tuple(said.ignored),
        assumed=assumed,
    )


def _without_repeats(columns: Sequence[Column], heads: Sequence[str]) -> list[Column]:
    """Return the columns, of two that mean the same the less usual by its head: Weka prints recall twice."""
    exact: dict[str, int] = {}
    first: dict[str, int] = {}
    for at, column in enumerate(columns):
        first.setdefault(column.name, at)
        if cells.key(heads[at]) == column.name:
            exact.setdefault(column.name, at)
    best = first | exact
    return [
        column if at == best[column.name] else Column(heads[at], column.percent) for at, column in enumerate(columns)
    ]


def _with_shares(columns: Sequence[Column], rows: Sequence[_Row]) -> tuple[list[Column], tuple[str, ...]]:
    """Return the columns, as shares of 1 those whose heads say per cent while most numbers are no more than 1."""
    kept, changed = [], []
    for at, column in enumerate(columns):
        texts = [cells.value(row.cells[at]) or "" for row in rows if at < len(row.cells)]
        numbers = [number for text in texts if "%" not in text and (number := cells.exact(text))]
        shares = column.percent and column.name in _RATES and 2 * sum(map(is_above_one, numbers)) < len(numbers)
        kept.append(column._replace(percent=False) if shares else column)
        changed += [column.name] if shares else []
    words = f"numbers up to 1 are shares of 1, not per cent: {', '.join(changed)}"
    return kept, (words,) if changed else ()


def _printed(row: _Row, columns: Sequence[Column]) -> dict[str, str]:
    printed = {}
    for cell, column in zip(row.cells, columns, strict=False):
        text = cells.value(cell)
        if text is None or cells.is_empty(cell) or cells.means_another(column.name):
            continue
        printed[column.name] = f"{text}%" if column.percent and "%" not in text and "±" not in text else text
    return printed


def _accuracy(printed: dict[str, str]) -> tuple[str, str] | None:
    """Return the accuracy of its row, and the number of cases beside it; None where the row says several things."""
    size = printed.get(SUPPORT, "")
    scores = list(dict.fromkeys(text for name, text in printed.items() if name != SUPPORT)) or [size]
    if len(scores) == 2 and not size and cells.count(scores[1]):
        return scores[0], scores[1]
    text = _one_number(scores)
    # A frame fills every cell of the row with the accuracy, that of the size as well.
    return (text, "" if size and _one_number((text, size)) else size) if text else None


def _one_number(texts: Sequence[str]) -> str | None:
    """Return the text with the most digits of several that say one number; None where they say several.

    pandas prints each column with decimals of its own: 0.75 and 0.750000 are the same number.
    """
    finest = min(texts, key=lambda text: cells.unit(text) or 1)
    exact = cells.exact(finest)
    for text in texts:
        number, unit = cells.exact(text), cells.unit(text)
        alike = exact is not None and number is not None and unit is not None and abs(number - exact) <= unit / 2
        if text != finest and not alike:
            return None
    return finest


def _is_sized(printed: dict[str, str]) -> bool:
    """Tell whether a row has all that a class has, its size among it: some labels are names of scores too."""
    size = printed.get(SUPPORT, "")
    return {*printed} >= {*_RATES} and cells.count(size) is not None and not _one_number((size, printed[F1.id]))


def _single(printed: dict[str, str]) -> str | None:
    """Return the one number of a row that has a single score, perhaps in each of its cells; None for several."""
    scores = [text for name, text in printed.items() if name != SUPPORT]
    return _one_number(scores) if scores else None


def _are_classes(table: _Table, said: _Said) -> bool:
    """Tell whether the rows of a table are classes, and not methods."""
    if any(said.averages.values()):
        return True
    if cells.names_methods(table.label_head):
        return False
    sure = any(map(cells.is_sure_support, table.heads))
    sized = any(cells.count(row.get(SUPPORT, "")) is not None for row in said.classes)
    return (sized and (sure or said.accuracy is not None)) or cells.names_classes(table.label_head)


def _as_percent(columns: Sequence[Column], said: _Said) -> tuple[str, ...]:
    """Add the percent signs that numbers above 1 lack, and say so.

    A column is per cent where most of its numbers are above 1; where only some are, if most of the whole report are.
    """
    rows = [*said.classes, *said.averages.values()]
    above = {
        name: [is_above_one(number) for row in rows if name in row and (number := cells.exact(row[name])) is not None]
        for name in dict.fromkeys(column.name for column in columns if column.name in _RATES)
    }
    every = [each for column in above.values() for each in column]
    lacking = [name for name, own in above.items() if any(own) and (_are_most(own) or _are_most(every))]
    for name in lacking:
        for row in rows:
            if name in row and "%" not in row[name] and "±" not in row[name]:
                row[name] += "%"
    return (f"numbers above 1 are per cent: {', '.join(lacking)}",) if lacking else ()


def _are_most(above: Sequence[bool]) -> bool:
    return 2 * sum(above) > len(above)


def _total(classes: Sequence[dict[str, str]], sizes: Sequence[int]) -> tuple[int | None, bool]:
    """Return how many cases there are, and whether the classes that are printed can be all of them."""
    supports = [cells.count(row.get(SUPPORT, "")) for row in classes]
    known = [size for size in supports if size is not None]
    if len(known) < len(supports) or not known:
        return (Counter(sizes).most_common(1)[0][0] if sizes else None), True
    if not sizes or sum(known) in sizes:
        return sum(known), True
    return Counter(sizes).most_common(1)[0][0], sum(known) > min(sizes)
