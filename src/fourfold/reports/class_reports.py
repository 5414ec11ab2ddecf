"""Classification reports: a row for each class with its precision, recall, F1 and size, and rows of averages.

Grids are read by their heads, wherever they stand; lines of text are laid out as grids by `class_lines` before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ..documents.blocks import Block, Grid, Place
from ..exact.reported import is_above_one
from ..metrics import ACCURACY, F1
from . import cells, class_lines
from .cells import LABEL, SUPPORT, Column, Found
from .class_lines import CUT, ENOUGH, RATES, RULE, ClassTable, Row, are_heads, is_summary
from .report import Report
from .stated import Stated, stated
from .vocabulary import WORDS

_OF_A_CLASS: Final = "accuracy of a class: its recall to some, and the share of right yes and no to others"


def find(block: Block) -> list[Found]:
    """Find the classification reports of a block."""
    if isinstance(block, Grid):
        return _in_grid(block)
    lines = tuple(class_lines.unwrapped(block.texts))
    found: list[Found] = []
    for layout in class_lines.LAYOUTS:
        used = {at for one in found for at in one.rows}
        for laid, rows in class_lines.laid_out(layout, lines, block.places):
            if not used & {*rows}:
                reports = [one.report for one in _in_grid(laid)] if isinstance(laid, Grid) else _reports(laid)
                found += [Found(report, rows) for report in reports]
    return sorted(found, key=lambda one: one.rows.start)


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
            found += [Found(with_means(report, block.caption), range(at, end)) for report in _reports(table)]
    return found


def with_means(report: Report, text: str) -> Report:
    """Return a report with what a caption or a heading says of folds or runs that its scores are means over."""
    said = stated(text)
    return replace(report, folds=said.folds, runs=said.runs, means=bool(said.means)) if said != Stated() else report


def _tables(
    heads: Sequence[str], rows: Sequence[Sequence[str]], above: Sequence[str] | None, where: Place
) -> Iterator[ClassTable]:
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
    names = [_named(heads[method], row[method]) for row in rows] if method is not None else _groups(rows, label, texts)
    for part in parts:
        named = tuple(columns[at] or Column(cells.plain(heads[at])) for at in part)
        kept = ClassTable(where, heads[label], named, tuple(cells.plain(heads[at]) for at in part))
        if len(parts) > 1 and above is not None:
            kept.title = cells.plain(above[part[0]])
        grouped: dict[str, ClassTable] = {}
        for name, row in zip(names, rows, strict=True):
            table = grouped.setdefault(name, replace(kept, rows=[], ignored=[], title=name or kept.title))
            line = " ".join(row)
            if line.strip() and CUT.fullmatch(line):
                table.cut = True
            elif line.strip() and not RULE.fullmatch(line):
                table.rows.append(Row(cells.plain(row[label]), tuple(row[n] for n in part)))
        yield from grouped.values()


def _groups(rows: Sequence[Sequence[str]], label: int, texts: Sequence[int]) -> list[str]:
    """Return the group of each row, where the same classes come again: by a column, by a line over them, or by number.

    The names are empty where the rows are one group.
    """
    labels = [cells.plain(row[label]) for row in rows]
    told = [at for at, row in enumerate(rows) if labels[at] and len({cell for cell in row if cell.strip()}) > 1]
    once = ["" for _ in rows]
    if len({labels[at] for at in told}) == len(told):
        return once
    for column in (at for at in texts if at != label):
        names = _filled([cells.plain(row[column]) for row in rows])
        pairs = {(names[at], labels[at]) for at in told}
        if len(pairs) == len(told) and len({*names}) * ENOUGH <= len(told) and not any(map(cells.value, names)):
            return names
    over = [
        next(cells.plain(cell) for cell in row if cell.strip()) if at not in told and any(map(str.strip, row)) else ""
        for at, row in enumerate(rows)
    ]
    names = _filled([name if name and not RULE.fullmatch(name) else "" for name in over])
    if len({(names[at], labels[at]) for at in told}) == len(told):
        return names
    parts: list[list[int]] = [[]]
    for at in told:
        if labels[at] in (labels[n] for n in parts[-1]):
            parts.append([])
        parts[-1].append(at)
    if len({tuple(labels[at] for at in part) for part in parts}) > 1 or len(parts[0]) < ENOUGH:
        return once
    numbers = {at: f"group {n}" for n, part in enumerate(parts, 1) for at in part}
    return _filled([numbers.get(at, "") for at in range(len(rows))])


def _filled(texts: Sequence[str]) -> list[str]:
    """Return texts with each empty one as the one before it."""
    filled: list[str] = []
    for text in texts:
        filled.append(text or (filled[-1] if filled else ""))
    return filled


def _named(head: str, cell: str) -> str:
    """Return the name of a method; of a number with the word for what it numbers, ``fold 2``."""
    text = cells.plain(cell)
    return f"{cells.plain(head)} {text}" if text.isdigit() else text


def _parts(columns: Sequence[Column | None], label: int) -> list[list[int]]:
    """Return the columns of each method: a name that comes again begins the next one's."""
    names = [column.name if column else "" for column in columns]
    again = [name for name, often in Counter(names).items() if name in RATES and often > 1]
    if len(again) < max(len({*names} & {*RATES}), ENOUGH):
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
        scores = {name: text for name, text in printed.items() if name != SUPPORT}
        if cells.is_accuracy(label) and (pair := _accuracy(printed)):
            self._add_accuracy(*pair)
        elif kind is not None:
            self._add_average(label, kind, printed)
        elif (
            (name := cells.score_name(label))
            and (one := _one_number([*scores.values()]) if scores else None)
            and not _is_sized(printed)
        ):
            # A row with a single score may have it in each of its cells.
            self.scores[name] = one
        elif {*printed} & {*RATES}:
            if printed.pop(ACCURACY.id, None) and _OF_A_CLASS not in self.ignored:
                self.ignored.append(_OF_A_CLASS)
            self.classes.append({LABEL: label} | printed)
        elif label and scores and all(map(cells.score_name, scores)):
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
        if kind in self.averages and {*printed} & {*RATES}:
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


def _reports(table: ClassTable) -> list[Report]:
    """Return a table as its reports: one for each word before the names of averages, ``Test macro avg``."""
    before: dict[str, None] = {}
    for row in table.rows:
        first, _, rest = row.label.partition(" ")
        if rest and not is_summary(row.label) and not cells.average(first) and is_summary(rest):
            before[first] = None
    kept = [row for row in table.rows if row.label.partition(" ")[0] not in before]
    if not before or any(not is_summary(row.label) for row in kept):
        return [report] if (report := _report(table)) else []
    parts = []
    for word in dict.fromkeys(row.label.partition(" ")[0] for row in table.rows if row not in kept):
        labelled = (row for row in table.rows if row.label.startswith(f"{word} "))
        rows = [replace(row, label=row.label.partition(" ")[2]) for row in labelled]
        parts.append(replace(table, rows=rows, title=f"{table.title} {word}".strip(), ignored=[]))
    return [report for part in parts if (report := _report(part))]


def _report(table: ClassTable) -> Report | None:
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


def _with_shares(columns: Sequence[Column], rows: Sequence[Row]) -> tuple[list[Column], tuple[str, ...]]:
    """Return the columns, as shares of 1 those whose heads say per cent while most numbers are no more than 1."""
    kept, changed = [], []
    for at, column in enumerate(columns):
        texts = [cells.value(row.cells[at]) or "" for row in rows if at < len(row.cells)]
        numbers = [number for text in texts if "%" not in text and (number := cells.exact(text))]
        shares = column.percent and column.name in RATES and 2 * sum(map(is_above_one, numbers)) < len(numbers)
        kept.append(column._replace(percent=False) if shares else column)
        changed += [column.name] if shares else []
    words = f"numbers up to 1 are shares of 1, not per cent: {', '.join(changed)}"
    return kept, (words,) if changed else ()


def _printed(row: Row, columns: Sequence[Column]) -> dict[str, str]:
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
    return {*printed} >= {*RATES} and cells.count(size) is not None and not _one_number((size, printed[F1.id]))


def _are_classes(table: ClassTable, said: _Said) -> bool:
    """Tell whether the rows of a table are classes, and not methods."""
    if any(said.averages.values()):
        return True
    if cells.names_methods(table.label_head):
        return False
    sure = any(cells.key(head) in WORDS["sure_supports"] for head in table.heads)
    sized = any(cells.count(row.get(SUPPORT, "")) is not None for row in said.classes)
    called = cells.names_classes(table.label_head) or (not table.label_head and _PER_CLASS.search(table.title))
    return (sized and (sure or said.accuracy is not None)) or bool(called)


#: The last words of a caption, or a key, that says that rows are classes.
_PER_CLASS: Final = re.compile(
    r"(?:\b|_)(?:(?:per|by|each)[ _-]?(?:class|label|category)|class(?:ification)?[ _-]report|class[ _-]?wise)\b[^,]*$",
    re.IGNORECASE,
)


def _as_percent(columns: Sequence[Column], said: _Said) -> tuple[str, ...]:
    """Add the percent signs that numbers above 1 lack, and say so.

    A column is per cent where most of its numbers are above 1; where only some are, if most of the whole report are.
    """
    rows = [*said.classes, *said.averages.values()]
    above = {
        name: [is_above_one(number) for row in rows if name in row and (number := cells.exact(row[name])) is not None]
        for name in dict.fromkeys(column.name for column in columns if column.name in RATES)
    }
    every = [each for column in above.values() for each in column]
    are_most = [name for name, own in above.items() if 2 * sum(own) > len(own) or 2 * sum(every) > len(every)]
    lacking = [name for name in are_most if any(above[name])]
    for name in lacking:
        for row in rows:
            if name in row and "%" not in row[name] and "±" not in row[name]:
                row[name] += "%"
    return (f"numbers above 1 are per cent: {', '.join(lacking)}",) if lacking else ()


def _total(classes: Sequence[dict[str, str]], sizes: Sequence[int]) -> tuple[int | None, bool]:
    """Return how many cases there are, and whether the classes that are printed can be all of them."""
    supports = [cells.count(row.get(SUPPORT, "")) for row in classes]
    known = [size for size in supports if size is not None]
    if len(known) < len(supports) or not known:
        return (Counter(sizes).most_common(1)[0][0] if sizes else None), True
    if not sizes or sum(known) in sizes:
        return sum(known), True
    return Counter(sizes).most_common(1)[0][0], sum(known) > min(sizes)
