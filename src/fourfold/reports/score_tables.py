"""Tables of scores: methods in rows or in columns, lists of names and values, heads over several rows.

Every form is first brought to one: columns with their heads, and a row for each method. Then heads are read together,
because one decides what another means: "Recall (churn)" beside "Accuracy", "F1 (Val)" beside "F1 (Test)".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

from ..documents.blocks import UNUSED, Grid, Place
from ..exact.reported import is_above_one
from ..metrics import ACCURACY, COUNTS, F1, FALSE_POSITIVE_RATE, PRECISION, PREVALENCE, RECALL, Metric, claimable
from ..table import Table
from . import cells
from .cells import LABEL, SUPPORT, Found, both_meanings, means_another, names_classes
from .names import Name, Side, Size, beside, names_score, polarity, read_name
from .report import OtherUnit, ReadColumn, Report
from .stated import Stated, stated
from .values import PER_CENT, Cell, Scale, Unit, is_share_of_one, plain, read_cell, read_size, score_text, unit_of
from .vocabulary import Part

# So many rows and columns of a sheet are looked at for heads.
_HEADS_WITHIN: Final = 12
_WIDEST: Final = 400
_LOOKED_AT: Final = 300


@dataclass
class _Column:
    """A column with its heads read."""

    name: Name
    cells: list[str]
    #: A second head above or below that says neither an average nor a part of the data.
    family: str = ""
    read: list[Cell] = field(default_factory=list)
    spread: _Column | None = None
    intervals: list[_Column] = field(default_factory=list)
    scale: Scale = field(default_factory=lambda: Scale(0, 0))
    #: Which column of the grid it is, from 1.
    number: int | None = None

    def settle(self, **said: Any) -> None:
        """Change what its head says, after a look at the others."""
        self.name = replace(self.name, **said)

    @property
    def head(self) -> str:
        return self.name.text or "a column without a head"

    @property
    def claim(self) -> tuple[str, str, tuple[str, str]]:
        """What it is: the score, the class, and what sets it apart."""
        return self.name.score, self.name.label, self.key

    @property
    def key(self) -> tuple[str, str]:
        """What sets its scores apart from those of other columns: the part of the data, and other words."""
        return self.name.part, self.name.group


@dataclass
class _Table:
    """A table in the one form: a row for each method."""

    columns: list[_Column]
    #: Which row of the grid each row came from, and the first and last that belong to it.
    rows: list[range]
    caption: str = ""
    #: What stands over a row as the head of a section.
    sections: list[str] = field(default_factory=list)
    #: The columns that say which method a row is about.
    named: list[_Column] = field(default_factory=list)
    #: What somebody says about columns, by their heads.
    said: Mapping[str, str] = field(default_factory=dict)


def find(grid: Grid) -> list[Found]:
    """Return a report for each method of a table of scores; nothing where the table is about something else."""
    grid = _unfolded(grid)
    rows = _with_said([tuple(cell.strip() for cell in row[:_WIDEST]) for row in grid.rows], grid.said)
    heads = _head_rows(rows)
    tables = [_by_rows(rows, *span, grid) for span in _spans(rows, heads)]
    if not tables:
        pivoted = _by_names(rows, grid)
        tables = [pivoted] if pivoted else []
    if not tables:
        return _without_heads(rows, grid)
    return [found for table in tables for found in _reports(replace(table, said=grid.said), grid.places)]


_COUNTS_TOGETHER: Final = re.compile(r"[TF][PN](?:\s*/\s*[TF][PN])+", re.IGNORECASE)


def _unfolded(grid: Grid) -> Grid:
    """Return a table with a row for each count of one that says several: ``TP / FP / TN / FN | 95 / 10 / 92 / 5``."""
    rows: list[tuple[str, ...]] = []
    places: list[Place] = []
    for row, place in zip(grid.rows, grid.places, strict=True):
        parts = [re.split(r"\s*/\s*", cell.strip("*` ")) for cell in row]
        together = _COUNTS_TOGETHER.fullmatch(row[0].strip("*` ")) and len({*map(len, parts)}) == 1
        rows += zip(*parts, strict=True) if together else [row]
        places += [place] * (len(rows) - len(places))
    return grid if len(rows) == len(grid.rows) else replace(grid, rows=tuple(rows), places=tuple(places))


def _with_said(rows: list[tuple[str, ...]], said: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Return rows with what somebody says in the place of heads, which stand at the top or at the left."""
    if not said:
        return rows
    return [
        tuple(said.get(text, text) if min(line, place) < _HEADS_WITHIN else text for place, text in enumerate(row))
        for line, row in enumerate(rows)
    ]


def _said_name(name: Name, head: str, said: Mapping[str, str]) -> Name:
    """Return a name under its own head, where somebody says what it is."""
    if head not in said:
        return name
    unused = {"role": "other", "reason": "as you say"} if said[head] == UNUSED else {}
    return replace(name, text=head, weak=False, **unused)  # type: ignore[arg-type]


def is_number(text: str) -> bool:
    """Tell whether a cell holds a number that can be a score."""
    return bool(text) and read_cell(text).says


def _head_rows(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return which rows are heads with names of scores."""
    found: list[int] = []
    named = _named_column(rows)
    for place, row in enumerate(rows):
        filled = [text for text in row if text]
        numbers = sum(1 for text in filled if is_number(text))
        if 2 * numbers > len(filled):
            continue
        scores = [column for column, text in enumerate(row) if text and names_score(text)]
        if not scores or (found and len(scores) < 2) or _is_pair_among_pairs(rows, place):
            continue
        below = [column for column in scores if any(is_number(other[column]) for other in rows[place + 1 : place + 5])]
        if numbers * 2 <= len(scores) and below and (not named or len(scores) > named[1] or len(below) > 1):
            if found and found[-1] == place - 1:
                # Of two rows of heads the one with more scores says which they are.
                if len(scores) > sum(1 for text in rows[found[-1]] if names_score(text)):
                    found[-1] = place
                continue
            found.append(place)
    return found


def _is_pair_among_pairs(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Tell whether a row is a name with its value below others, such as "monitor: val_auc", and no row of heads."""
    row, above = rows[place], rows[place - 1] if place else ()
    if not all(row[:2]) or any(row[2:]) or read_name(row[0]).role not in ("other", "metric"):
        return False
    return (all(above[:2]) and bool(above)) or _CHOSEN_BY.fullmatch(row[0]) is not None


#: Settings whose value is the name of a score.
_CHOSEN_BY: Final = re.compile(
    r"(?:.+_)?(?:monitor|scoring|refit|objective|criterion|optimi[sz]e_?(?:for)?)", re.IGNORECASE
)


def _spans(rows: Sequence[Sequence[str]], heads: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Walk the tables in a grid: the first row of heads, the row with the scores' names, and the end."""
    starts: list[tuple[int, int]] = []
    for head in heads:
        start = head
        while start > (starts[-1][1] + 1 if starts else 0) and not any(is_number(text) for text in rows[start - 1]):
            if not any(rows[start - 1]):
                break
            start -= 1
        starts.append((start, head))
    ends = [start for start, _ in starts[1:]]
    for (start, head), end in zip(starts, [*ends, len(rows)], strict=False):
        yield start, head, end


def _by_rows(rows: Sequence[Sequence[str]], start: int, head: int, end: int, grid: Grid) -> _Table:
    """Return a table with methods in rows."""
    scores = [column for column, text in enumerate(rows[head]) if text and names_score(text)]
    first = head + 1
    while first < min(end, head + 3) and _is_head_too(rows[first], scores):
        first += 1
    if grid.heads and head < grid.heads <= min(end, head + 4):
        first = max(first, grid.heads)
    above = [_filled(row) for row in rows[start:head]]
    titles = [row for row in above if len(set(filter(None, row))) == 1]
    caption = " ".join([grid.caption, *(next(filter(None, row)) for row in titles)]).strip()
    above = [row for row in above if row not in titles]
    below = rows[head + 1 : first]
    main = _over(rows[head], below)
    kept: list[int] = []
    sections: list[str] = []
    section = ""
    for place in range(first, end):
        row = rows[place]
        texts = [text for text in row if text]
        if not texts or row == rows[head]:
            continue
        alike = len(set(texts)) == 1 and (len(texts) > 1 or row[0])
        if alike and not is_number(texts[0]) and not _missing(row[0]):
            section = plain(texts[0])
            continue
        kept.append(place)
        sections.append(section)
    lines = [_fitted(list(rows[place]), rows[head], scores) for place in kept]
    columns = []
    for column in range(len(rows[head])):
        name, family = _stacked([row[column] for row in above], main[column], [row[column] for row in below])
        name = _said_name(name, grid.rows[head][column].strip(), grid.said)
        split = _split(_Column(name, [line[column] for line in lines], family))
        columns += [replace(one, number=column + 1) for one in split]
    return _Table(columns, [range(place, place + 1) for place in kept], caption, sections)


_PAIR: Final = re.compile(
    r"(n|total|size)?\s*[(\[]?\s*(?:pos\w*|\+|cases|diseased|events)\s*/\s*(?:neg\w*|[-−–]|controls|healthy)\s*[)\]]?",
    re.IGNORECASE,
)
_CORRECT: Final = re.compile(r"(?:n\s*)?(?:correct|hits|right)\s*/\s*(?:total|n|all)", re.IGNORECASE)
_SIZES: Final = re.compile(r"(?:(\d[\d,]*)\s*[(\[]\s*)?(\d[\d,]*)\s*/\s*(\d[\d,]*)\s*[)\]]?")


def _split(column: _Column) -> list[_Column]:
    """Return a column that holds several things in each cell, "Precision/Recall" or "pos/neg", as one for each."""
    text = column.name.text
    sized: dict[int, Name] = {}
    if _CORRECT.fullmatch(text):
        sized = {2: _right(text), 3: Name(text, "size")}
    elif _PAIR.fullmatch(text):
        sizes: tuple[Size, ...] = ("total", "positives", "negatives")
        sized = {place: Name(text, "size", size=size) for place, size in enumerate(sizes, 1)}
    if sized:
        matches = [_SIZES.fullmatch(cell) for cell in column.cells]
        return [_Column(name, [(match and match[at]) or "" for match in matches]) for at, name in sized.items()]
    names = [read_name(head) for head in re.split(r"\s*/\s*", re.sub(r"\s*[(\[]%[)\]]$", "", text))]
    distinct = {name.score for name in names if name.is_score}
    parts = [re.split(r"\s*/\s*", cell) for cell in column.cells]
    told = [len(row) for row, cell in zip(parts, column.cells, strict=True) if cell and not _missing(cell)]
    if not 2 <= len(names) == len(distinct) <= 4 or {*told} != {len(names)}:
        return [column]
    split = []
    for place, name in enumerate(names):
        named = replace(name, percent=name.percent or column.name.percent)
        split.append(_Column(named, [row[place] if len(row) == len(names) else "" for row in parts], column.family))
    return split


def _right(head: str) -> Name:
    """Return the name of a column that counts right predictions."""
    right = COUNTS[(_counted(ACCURACY) or ("",))[0]]
    return Name(head, "score", right.id, right)


def _missing(text: str) -> bool:
    return read_cell(text).missing


def _is_head_too(row: Sequence[str], scores: Sequence[int]) -> bool:
    """Tell whether a row below the names of scores is one of heads too: words, and no number, under the scores."""
    under = [row[column] for column in scores if row[column]]
    if len(set(filter(None, row))) == 1:
        # The head of a section stands over all columns, or in the first; units do not.
        return bool(under) and not row[0]
    return bool(under) and not any(is_number(text) or _missing(text) for text in row if text)


def _filled(row: Sequence[str]) -> list[str]:
    """Return a row of upper heads with each head over all its columns, where it stands over the first of them only."""
    if any(first and first == second for first, second in pairwise(row)):
        return list(row)
    filled = list(row)
    for place in range(1, len(filled)):
        filled[place] = filled[place] or filled[place - 1]
    return filled


def _over(main: Sequence[str], below: Sequence[Sequence[str]]) -> list[str]:
    """Return heads with each over all the columns that the row below tells apart."""
    over = list(main)
    for place in range(1, len(over)):
        if not over[place] and any(row[place] for row in below) and read_name(over[place - 1]).is_score:
            over[place] = over[place - 1]
    return over


def _fitted(line: list[str], heads: Sequence[str], scores: Sequence[int]) -> list[str]:
    """Return a row whose name was cut by a separator in it, so that it has too many cells, with the name joined."""
    extra = len(heads) - len([text for text in heads if text])
    trailing = len(heads) - max(place for place, text in enumerate(heads) if text) - 1
    spare = min(extra, trailing)
    first = scores[0]
    while spare and line[-1] and not is_number(line[first]) and not _missing(line[first]):
        line = [f"{line[0]} | {line[1]}", *line[2:], ""]
        spare -= 1
    return line


def _stacked(above: Sequence[str], main: str, below: Sequence[str]) -> tuple[Name, str]:
    """Read the heads of a column that stand above each other; the second result are words that are not known."""
    others = [text for text in dict.fromkeys([*above, *below]) if text and text != main]
    if not main and below and any(below):
        return read_name(" ".join(filter(None, below))), ""
    name = read_name(main)
    if name.role in ("other", "name") and others:
        whole = read_name(" ".join([*above, main, *below]))
        known = any(read_name(text).role in ("score", "size") for text in others)
        # "Cohen's" over "κ" says nothing else.
        if whole.role in ("score", "size") and (known or not (whole.label or whole.group)):
            return whole, ""
    families = []
    for text in others:
        name, words = beside(name, text)
        families += [words] if words else []
    return name, ", ".join(families)


def _named_column(rows: Sequence[Sequence[str]], least: int = 2) -> tuple[int, int] | None:
    """Return which column holds names of scores, and how many; None where none does."""
    best: tuple[int, int] | None = None
    rows = rows[:_LOOKED_AT]
    for column in range(min(len(rows[0]) if rows else 0, _HEADS_WITHIN)):
        texts = [(row[column], row) for row in rows if row[column]]
        names = [text for text, row in texts if names_score(text) and any(map(is_number, row))]
        said = any(read_name(text).role == "metric" for text, _ in texts[:3])
        sizes = [text for text, row in texts if read_name(text).role == "size" and any(map(is_number, row))]
        enough = (len(names) + len(sizes)) * 3 >= len(texts) - said and (len(names) >= least or (said and names))
        if enough and (best is None or len(names) > best[1]):
            best = column, len(names)
    return best


def _by_names(rows: Sequence[Sequence[str]], grid: Grid) -> _Table | None:
    """Return a table in which each row is one score, with a row for each method instead."""
    # In data a key says by itself what its value is.
    named = _named_column(rows, 1 if grid.inside is not None else 2)
    if named is None:
        return None
    column = named[0]
    first = next((place for place, row in enumerate(rows) if _names_a_row(row, column)), None)
    if first is None:
        return None
    top = next((at for at in range(first - 1, -1, -1) if any(rows[at]) and not any(map(is_number, rows[at]))), -1)
    heads = rows[top] if top >= 0 else ("",) * len(rows[0])
    body = [place for place in range(top + 1, len(rows)) if rows[place][column] and rows[place] != heads]
    after = range(column + 1, len(heads))
    called = {place for place in after if names_classes(heads[place])}
    named_in = [*range(column), *(place for place in after if read_name(heads[place]).role in ("name", "split"))]
    called |= {place for place in named_in if not _mostly_numbers(rows, body, place)}
    keys = sorted(called)
    values = [place for place in after if place not in keys and any(is_number(rows[row][place]) for row in body)]
    values = [place for place in values if not _NO_VALUES.fullmatch(heads[place])]
    if not values:
        return None
    roles = {place: read_name(heads[place]).role for place in values}
    main = [place for place in values if roles[place] not in ("spread", "interval")] or values
    filled = _filled_down(rows, body, keys)
    methods = _told_apart(rows, body, column, filled)
    if grid.inside is not None and len(main) > 1:
        # A single value beside values by class or model is of none of them.
        body = [row for row in body if any(rows[row][place] for place in main[1:])]
        methods = _told_apart(rows, body, column, filled)
    names = list(dict.fromkeys(rows[row][column] for row in body))
    # Columns of averages say several scores of one method.
    kinds = [cells.average(heads[place]) for place in main]
    averages = main if len({*kinds} - {None, "unnamed"}) == len(main) > 1 else []
    main = main[:1] if averages else main
    records = [(key, value, places) for key, places in methods for value in main]
    table = _Table([], [range(min(places), max(places) + 1) for _, _, places in records], grid.caption)
    if len({key for key, _ in methods}) < len(methods):
        # What stands between the scores of one method and those of the one above it may be its name.
        above = [next((row for row in reversed(body) if row < places[0]), None) for _, _, places in records]
        told = [rows[row] if row is not None and not _names_a_row(rows[row], column) else () for row in above]
        table.columns.append(_Column(Name("", "name"), [", ".join(filter(None, row)) for row in told]))
    for place, at in enumerate(keys):
        texts = ["" if _missing(key[place]) else key[place] for key, _, _ in records]
        table.columns.append(_Column(replace(read_name(heads[at]), role="name"), texts))
    if not averages and (len(main) > 1 or not _says_value(heads[main[0]])):
        table.columns.append(_Column(Name("", "name"), [heads[value] for _, value, _ in records]))
    percent = all(read_name(heads[value]).percent for value in main)
    extras: list[int | None] = [*averages] or [None, *(place for place in values if place not in main)]
    for text in names:
        for extra in extras:
            shown = text if extra is None else f"{text} {heads[extra]}"
            texts = [
                next((rows[row][value if extra is None else extra] for row in places if rows[row][column] == text), "")
                for _, value, places in records
            ]
            if extra is not None and not any(texts):
                continue
            head = next(grid.rows[row][column].strip() for row in body if rows[row][column] == text)
            name = _said_name(read_name(shown), head, grid.said if extra is None else {})
            table.columns.append(_Column(replace(name, percent=name.percent or percent), texts))
    table.sections = [""] * len(records)
    return table


_OF_VALUES: Final = re.compile(
    r"[±()/+\-\s]+|\b(?:mean|average|avg|standard|deviation|std|sd|value|score|result)s?\b", re.IGNORECASE
)
#: Heads over numbers that belong to scores, and are none.
_NO_VALUES: Final = re.compile(r"p[\W_]?val(?:ue)?|statistic|df|n(?:[\W_]?obs)?", re.IGNORECASE)


def _told_apart(
    rows: Sequence[Sequence[str]], body: Sequence[int], column: int, keys: Mapping[int, tuple[str, ...]]
) -> list[tuple[tuple[str, ...], list[int]]]:
    """Return the rows of each method: where a score comes again under the same names, another one begins."""
    methods: list[tuple[tuple[str, ...], list[int]]] = []
    last: dict[tuple[str, ...], list[int]] = {}
    for row in body:
        here = last.get(keys[row])
        again = here and _names_a_row(rows[row], column) and any(rows[row][column] == rows[at][column] for at in here)
        if here is None or again:
            here = last[keys[row]] = []
            methods.append((keys[row], here))
        here.append(row)
    return methods


def _says_value(head: str) -> bool:
    """Tell whether a head says that values stand below it, and nothing about whose they are."""
    return not _OF_VALUES.sub("", head) or read_name(head).role in ("value", "metric")


def _names_a_row(row: Sequence[str], column: int) -> bool:
    name = read_name(row[column])
    return (name.is_score or name.role == "size") and any(is_number(text) for text in row[column + 1 :])


def _mostly_numbers(rows: Sequence[Sequence[str]], body: Sequence[int], column: int) -> bool:
    texts = [rows[row][column] for row in body if rows[row][column]]
    return 2 * sum(map(is_number, texts)) > len(texts)


def _filled_down(rows: Sequence[Sequence[str]], body: Sequence[int], keys: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Return the key of each row; a cell that is empty says what the one above it says."""
    last = [""] * len(keys)
    filled = {}
    for row in body:
        last = [rows[row][key] or last[place] for place, key in enumerate(keys)]
        filled[row] = tuple(last)
    return filled


def _without_heads(rows: Sequence[Sequence[str]], grid: Grid) -> list[Found]:
    """Say of a table that looks like one of scores, and has no heads, that it cannot be read."""
    named = dict.fromkeys(
        name.score for text in re.split(r"[,;:.()]|\band\b", grid.caption) if (name := read_name(text)).role == "score"
    )
    body = [row for row in rows if sum(map(_is_score_like, row)) >= 3]
    texts = [text for row in body for text in row]
    if len(body) < 2 or len(body) < len([row for row in rows if any(row)]) - 2:
        return []
    if any(text and not _is_score_like(text) and is_number(text) for text in texts):
        return []
    if len(named) < 2 and not any("±" in text for text in texts):
        return []
    reason = f"{len(body)} rows of numbers: no head says which scores they are"
    if named:
        reason += f"; the caption names {', '.join(named)}, but not which column is which"
    report = Report("scores", grid.places[0], grid.caption, ignored=(reason,), table=grid.places[0])
    return [Found(report, range(len(rows)))]


def _is_score_like(text: str) -> bool:
    cell = read_cell(text)
    if cell.size is None or "." not in str(cell.value):
        return False
    return cell.size <= 100 if cell.percent else not is_above_one(cell.size)


#: Rows of a training log are about one step of the training, not about a test set.
_STEPS: Final = re.compile(r"(?:epochs?|steps?|iter(?:ation)?s?|global.step|boosting rounds?)\b", re.IGNORECASE)


def _reports(table: _Table, places: Sequence[Place]) -> list[Found]:
    """Return a report for each row of a table, and for each part of the data that its columns tell apart."""
    _settle_letters(table)
    for column in table.columns:
        column.read = [read_cell(text) for text in column.cells]
        column.scale = Scale.of(column.read)
    _settle_meanings(table)
    _settle_correct(table)
    _settle_counts(table)
    _settle_sizes(table)
    _settle_beside(table)
    table.named = _name_columns(table)
    if not _scores(table) or _is_of_features(table):
        return []
    if table.named and all(map(_counts_steps, table.named)):
        return _of_steps(table, places)
    if _is_of_classes(table):
        return _of_classes(table, places)
    positive, assumed = _settle_labels(table)
    assumed += _settle_groups(table)
    whole = stated(table.caption)
    if whole.average:
        assumed += _apply_average(table, whole.average)
    unused = _unused(table)
    columns = _columns_read(table)
    titles = _titles(table)
    found = []
    keys = dict.fromkeys(column.key for column in table.columns if column.name.role == "score")
    top = places[table.rows[0].start] if table.rows else places[0]
    sets = {
        _set_of(table, place, f"{table.sections[place]} {titles[place]} {_key_words(key)}")
        for place in range(len(table.rows))
        for key in keys
    } - {""}
    for place, rows in enumerate(table.rows):
        for key in keys:
            record = _Record(table, place, key)
            suffix = _key_words(key) if len(keys) > 1 else ""
            title = ", ".join(filter(None, (table.sections[place], titles[place], suffix)))
            own, said = _set_of(table, place, title), whole
            if own and len(sets) > 1 and own != "test" and whole.has_sizes:
                record.ignored.append("the sizes that the caption says: they may be those of other cases")
                said = said.without_sizes()
            if re.search(r"\bfold\s*\d", title, re.IGNORECASE):
                said = said._replace(folds=None, means=None)
            report = record.report(said, positive)
            if report is None:
                continue
            report = replace(
                report,
                where=places[rows.start],
                title=title,
                ignored=tuple(dict.fromkeys((*unused, *report.ignored))),
                assumed=tuple(dict.fromkeys((*assumed, *report.assumed))),
                table=top,
                columns=columns,
            )
            found.append(Found(report, rows))
    return _with_means_of_folds(found, table)


#: Short words that are also names of things that are measured.
_MEASURED: Final = re.compile(r"(?:.+_)?(?:acc|spec|sens|prec)(?:_.+)?", re.IGNORECASE)


def _is_of_features(table: _Table) -> bool:
    """Tell whether columns such as acc_sma and ax_spec_energy are features of things, not scores of models."""
    scores = _scores(table)
    measured = [column for column in scores if _MEASURED.fullmatch(column.name.text) and "_" in column.name.text]
    known = [column for column in measured if not column.name.label and not column.name.group]
    return len(measured) == len(scores) and len(measured) > 1 and not known


def _counts_steps(column: _Column) -> bool:
    """Tell whether a column counts the steps of a training: a number of epochs that models share is none."""
    numbers = [read_size(text) or 0 for text in column.cells]
    # A log goes on; numbers of epochs that were tried may be printed from the most to the fewest.
    tried = len({*numbers}) < len(numbers) or numbers == sorted(numbers, reverse=True)
    return _STEPS.match(column.name.text) is not None and not (tried and len(numbers) > 1)


def _of_steps(table: _Table, places: Sequence[Place]) -> list[Found]:
    """Say of a log of a training that its rows are not models."""
    rows = range(table.rows[0].start, table.rows[-1].stop) if table.rows else range(0)
    if not rows:
        return []
    reason = f"{len(table.rows)} rows are steps of a training, not models: none was checked"
    where = places[rows.start]
    return [Found(Report("scores", where, table.caption, ignored=(reason,), table=where, columns=()), rows)]


_SETS: Final = re.compile(
    r"\b(?:train|valid|test|internal|external|derivation|cohort|hospital|site|center|centre|fold|split|data\s?set)"
    r"(?:s|ed|ing|ation)?\b",
    re.IGNORECASE,
)
#: Heads over names of sets of cases. "Test" alone is over names of tests that were tried on the same cases.
_OF_SETS: Final = re.compile(
    r"(?:(?:test|external|validation|evaluation)\s)?(?:data|(?:data|sub)?\s?sets?|database|corpus|benchmark|cohorts?|folds?|"
    r"(?:sub)?groups?|(?:sub)?populations?|subset|splits?|hospitals?|sites?|cent(?:er|re)s?)",
    re.IGNORECASE,
)


def _set_of(table: _Table, place: int, title: str) -> str:
    """Return the words of a row and of its columns that say on which cases its scores were found; empty without any."""
    cells = [
        column.cells[place].casefold()
        for column in table.named
        if _OF_SETS.fullmatch(column.name.text.strip()) and not _MEAN.match(column.cells[place].strip())
    ]
    return " ".join(sorted({*cells} or {match[0].casefold() for match in _SETS.finditer(title)}))


def _is_of_classes(table: _Table) -> bool:
    """Tell whether the rows are the classes 0, 1 and so on of one classifier, not methods."""
    scores = _scores(table)
    named = table.columns[0]
    numbers = [text.strip() for text in named.cells]
    counted = len(numbers) > 1 and numbers == [str(number) for number in range(len(numbers))]
    known = not named.name.text or named.name.text.casefold() in ("class", "label", "classes", "target")
    return counted and known and all(column.name.of_one_class for column in scores) and len(table.named) == 1


def _of_classes(table: _Table, places: Sequence[Place]) -> list[Found]:
    """Return the rows of classes as one report."""
    classes: list[dict[str, str]] = []
    other_units: list[OtherUnit] = []
    ignored, assumed = _unused(table), [f"the rows are taken as the classes {', '.join(table.columns[0].cells)}"]
    for place, text in enumerate(table.columns[0].cells):
        record = _Record(table, place, _scores(table)[0].key)
        report = record.report(Stated(), None)
        classes.append({LABEL: text.strip(), **(report.scores if report else {})})
        if "total" in record.sizes:
            classes[-1][SUPPORT] = str(record.sizes["total"])
        ignored += record.ignored
        assumed += record.assumed
        other_units += [other._replace(name=f"{other.name}[{text.strip()}]") for other in record.other_units]
    top = places[table.rows[0].start]
    report = Report(
        "classification report",
        top,
        table.caption,
        classes=tuple(classes),
        ignored=tuple(dict.fromkeys(ignored)),
        assumed=tuple(dict.fromkeys(assumed)),
        columns=_columns_read(table),
        other_units=tuple(other_units),
    )
    return [Found(report, range(table.rows[0].start, table.rows[-1].stop))]


def _scores(table: _Table) -> list[_Column]:
    return [column for column in table.columns if column.name.role == "score"]


def _settle_letters(table: _Table) -> None:
    """Take P and R for precision and recall only where both are there: a P alone may be a p-value."""
    scores = _scores(table)
    said = {
        column.name.score for column in scores if column.name.weak or not column.name.text.casefold().startswith("s")
    }
    both = {PRECISION.id, RECALL.id} <= said
    for column in (column for column in scores if column.name.weak):
        whole = not any("." in text for text in column.cells)
        if whole and max(filter(None, map(read_size, column.cells)), default=0) > 100:
            column.settle(role="size", size="positives", weak=False)
        elif not both:
            column.settle(role="other", reason="one letter does not say which score it is")


_NOT_ANSWERED: Final = re.compile(
    r"missing|invalid|skip|unanswered|fail|error|refus|exclu|empty|unknown", re.IGNORECASE
)


def _settle_correct(table: _Table) -> None:
    """Take a column "Correct" of whole numbers beside an accuracy for how many predictions were right."""
    if not any(column.name.score == ACCURACY.id for column in _scores(table)):
        return
    if any(_NOT_ANSWERED.search(column.name.text) and any(map(read_size, column.cells)) for column in table.columns):
        # The accuracy may be that of the answers that there are.
        return
    for column in table.columns:
        counts = [read_size(text) for text in column.cells if text and not _missing(text)]
        if column.name.text.casefold() == "correct" and counts and None not in counts:
            column.name = _right(column.name.text)


def _settle_meanings(table: _Table) -> None:
    """Leave out scores that mean another one to some, or the best at any threshold, where those meant stand beside."""
    for column in _scores(table):
        others = [other for other in _scores(table) if other is not column and other.claim == column.claim]
        if means_another(column.name.text) and any(not means_another(other.name.text) for other in others):
            column.settle(role="other", reason=both_meanings(column.name.text))
    best = [column for column in _scores(table) if _BEST.match(column.name.text)]
    others = [column for column in _scores(table) if column not in best]
    groups = {column.name.group for column in others}
    for column in best:
        if "best" in groups:
            column.settle(group="best")
        elif any(map(_AT.search, groups)) or any(other.claim == column.claim for other in others):
            column.settle(role="other", reason="may be that at another threshold")


_BEST: Final = re.compile(r"best[\s_-]", re.IGNORECASE)


def _settle_counts(table: _Table) -> None:
    """Keep apart the counts of several classes, ``wheeze_tp`` and ``abnormal_tp``."""
    counts = [column for column in _scores(table) if column.name.score in COUNTS]
    keys = [(column.name.score, column.key) for column in counts]
    if len({*keys}) == len(keys):
        return
    for column in counts:
        words = re.sub(r"[\s_-]*(?:[tf][pn]s?|(?:true|false)[\s_-].*)$", "", column.name.text, flags=re.IGNORECASE)
        if words != column.name.text:
            column.settle(group=words.strip())


def _settle_sizes(table: _Table) -> None:
    """Decide which columns count the cases tested."""
    sizes = [column for column in table.columns if column.name.role == "size"]
    known = {column.name.size for column in sizes if not column.name.weak}
    prevalent = any(
        (column.name.metric is not None and column.name.metric.better == "neither" and column.name.score not in COUNTS)
        for column in _scores(table)
    )
    letters = {column.name.text.strip(): column for column in sizes}
    if {"P", "N"} <= {*letters}:
        letters["N"].settle(size="negatives")
    words = {column.name.text.casefold(): column for column in sizes}
    if {"cases", "controls"} <= {*words}:
        words["cases"].settle(size="positives", weak=False)
    signs = {column.name.text.strip(): column for column in table.columns if column.name.role in ("other", "name")}
    both = [signs.get("+"), signs.get("−") or signs.get("-") or signs.get("–")]
    if all(both) and all(column and all(read_size(text) for text in column.cells) for column in both):
        for column, size in zip(both, ("positives", "negatives"), strict=True):
            if column:
                column.settle(role="size", size=size)
    parted = len({column.name.part for column in _scores(table)}) > 1
    for column in sizes:
        name = column.name
        if parted and not name.part:
            column.name = replace(name, role="other", reason="may be the size of all the data, not of one part")
        elif name.weak and (prevalent or known & {"positives", "negatives"}) and "total" not in known:
            column.name = replace(name, weak=False)
        elif name.weak:
            column.name = replace(name, role="other", reason="may count other things than the cases tested")


def _settle_beside(table: _Table) -> None:
    """Join columns of spreads and of intervals to the scores that they belong to."""
    last: _Column | None = None
    for column in table.columns:
        name = column.name
        if name.role == "score":
            last = column
        if name.role not in ("spread", "interval"):
            continue
        if name.score:
            same = [other for other in _scores(table) if other is not column and other.claim == column.claim]
            if not same and not name.end:
                # "AUC (95% CI)" and "Accuracy (SD)" are scores with what stands beside them in the same cell.
                column.name = replace(name, role="score")
                last = column
                continue
            owner = same[0] if same else None
        else:
            owner = last
        if owner is None:
            column.name = replace(name, role="other", reason="does not say of which score")
        elif name.role == "spread":
            owner.spread = column
        else:
            owner.intervals.append(column)


def _settle_labels(table: _Table) -> tuple[str | None, list[str]]:
    """Decide what the classes in heads mean; return the positive class and what was assumed."""
    scores = _scores(table)
    for column in scores:
        if column.name.side and not column.name.label:
            column.settle(label=column.name.side)
    labelled = [column for column in scores if column.name.label]
    shown = {column.name.label.casefold(): column.name.label for column in labelled}
    labels = list(shown)
    if not labels:
        return None, []
    bare = {(column.name.score, column.key) for column in scores if not column.name.label}
    clash = any((column.name.score, column.key) in bare for column in labelled)
    whole = [column for column in scores if not column.name.label and not column.name.of_one_class]
    groups = {column.name.group.casefold() for column in whole}
    said = {label: _side(labelled, label) for label in labels}
    if len(labels) == 1 and not clash and labels[0] not in groups:
        return _marked(labelled, {labels[0]: said[labels[0]] or "positive"}, shown)
    if len(labels) == 2 and labels[0] not in groups and (whole or any(said.values())):
        return _two_classes(table, labelled, labels, shown)
    if len(labels) > 2 and whole and not clash and not groups & {*labels}:
        for column in labelled:
            column.settle(score=f"{column.name.score}[{column.name.label}]", metric=column.name.metric)
        return None, []
    for column in labelled:
        column.settle(group=", ".join(filter(None, (column.name.group, column.name.label))), label="")
    return None, []


def _side(labelled: Sequence[_Column], label: str) -> Side:
    """Tell which class a label means, by itself or by what a head says."""
    sides = {column.name.side for column in labelled if column.name.label.casefold() == label and column.name.side}
    return sides.pop() if len(sides) == 1 else polarity(label)


def _two_classes(
    table: _Table, labelled: Sequence[_Column], labels: Sequence[str], shown: dict[str, str]
) -> tuple[str | None, list[str]]:
    """Decide which of two classes is the positive one."""
    said = {label: _side(labelled, label) for label in labels}
    first, second = labels
    if said[first] == "negative" or said[second] == "positive":
        first, second = second, first
    elif not any(said.values()):
        votes = [_agreement(table, positive, negative) for positive, negative in ((first, second), (second, first))]
        if votes[1] > votes[0]:
            first, second = second, first
        open_scores = [c for c in _scores(table) if c.name.of_one_class and not c.name.label]
        if votes[0] == votes[1] and open_scores:
            for column in labelled:
                column.settle(group=column.name.label, label="")
            return None, []
    return _marked(labelled, {first: "positive", second: "negative"}, shown)


def _marked(
    labelled: Sequence[_Column], classes: dict[str, str], shown: dict[str, str]
) -> tuple[str | None, list[str]]:
    """Name the scores of the negative class as `recover` does."""
    for column in labelled:
        if classes[column.name.label.casefold()] == "negative":
            name = column.name
            column.name = replace(name, score=f"{name.score}[negative]", metric=name.metric and name.metric.negative())
    positive = next((shown[label] for label, kind in classes.items() if kind == "positive"), None)
    negative = next((shown[label] for label, kind in classes.items() if kind == "negative"), None)
    assumed = []
    if positive and not _side(labelled, positive.casefold()):
        assumed = [
            f"{positive} is taken as the positive class" + (f", {negative} as the negative one" if negative else "")
        ]
    return (None if positive and polarity(positive) else positive), assumed


def _agreement(table: _Table, positive: str, negative: str) -> int:
    """Count in how many rows scores that name no class agree with those of one class as the positive one."""
    named = {(c.name.score, c.name.label.casefold()): c for c in _scores(table)}

    def share(score: Metric, label: str, place: int) -> float | None:
        cell = named[score.id, label].read[place] if (score.id, label) in named else Cell()
        return None if cell.size is None else float(cell.size) / (100 if cell.percent or is_above_one(cell.size) else 1)

    votes = 0
    for place in range(len(table.rows)):
        found, cleared = share(RECALL, positive, place), share(RECALL, negative, place)
        fpr, precision, f1 = (share(score, "", place) for score in (FALSE_POSITIVE_RATE, PRECISION, F1))
        if cleared is not None and fpr is not None:
            votes += abs(1 - cleared - fpr) < 0.006
        if found and precision and f1:
            votes += abs(2 * precision * found / (precision + found) - f1) < 0.006
    return votes


_AT: Final = re.compile(r"(?:, )?at [01]?\.\d+")


def _settle_groups(table: _Table) -> list[str]:
    """Decide which scores are about the same predictions; return what was assumed."""
    scores = _scores(table)
    seen: dict[tuple[str, str, str, str], set[str]] = {}
    for column in scores:
        seen.setdefault((column.name.score, column.name.label, *column.key), set()).add(column.family)
    if any(len(families) > 1 for families in seen.values()):
        for column in table.columns:
            if column.family and column.name.role in ("score", "size", "spread", "interval"):
                column.settle(group=", ".join(filter(None, (column.family, column.name.group))))
    thresholds = {match[0].strip(", ") for column in scores if (match := _AT.search(column.name.group))}
    if len(thresholds) == 1:
        # A threshold tells columns apart only where there are several.
        for column in scores:
            column.settle(group=_AT.sub("", column.name.group).strip(", "))
    claims = [(column.name.score, column.name.label, column.name.part) for column in scores]
    groups = {column.name.group for column in scores}
    # Beside averages, "binary" only says that it is the score of the positive class.
    beside_averages = groups == {"", "binary"} and any(column.name.averaged for column in scores)
    if len(groups) == 1 or (beside_averages and len({*claims}) == len(claims)):
        for column in scores:
            column.settle(group="")
    parts = {column.name.part for column in scores}
    held: Part = "test" if "test" in parts else "validation"
    if held in parts and "" in parts and parts <= {"", "test", "train", "validation"}:
        for column in scores:
            column.settle(part=column.name.part or held)
        return [f"scores whose head names no part of the data are taken to be of the {held} set"]
    return []


def _apply_average(table: _Table, average: str) -> list[str]:
    """Take scores of one class for averages where the caption says so and no head does."""
    scores = _scores(table)
    if any(column.name.averaged or column.name.label for column in scores):
        return []
    changed = []
    for column in scores:
        if column.name.of_one_class and (averaged := claimable(f"{average} {column.name.score}")):
            column.settle(score=averaged.id, metric=averaged.metric)
            changed.append(column.head)
    return [f"{', '.join(changed)} are taken as {average} averages, as the caption says"] if changed else []


_REASONS: Final = {"rank": "a rank", "other": "not a known score", "value": "does not say of which score"}


def _unused(table: _Table) -> list[str]:
    """Say which columns were not used, and why."""
    reasons = []
    for column in table.columns:
        role, text = column.name.role, column.name.text
        named = any(column is other for other in table.named)
        # Whether an F-beta is F1 is said row by row.
        told = not any(column.cells) or _BETA.fullmatch(text) or (role == "rank" and not text)
        if role in _REASONS and not named and not told:
            reasons.append(f"{column.head}: {column.name.reason or _REASONS[role]}")
    return reasons


_SIZE_WORDS: Final = {"total": "all cases", "positives": "actual positives", "negatives": "actual negatives"}


def _columns_read(table: _Table) -> tuple[ReadColumn, ...]:
    """Say of every column what it was taken for."""
    owners = {id(other): column for column in _scores(table) for other in (column.spread, *column.intervals) if other}
    read = []
    for column in table.columns:
        name = column.name
        meaning = f"not used: {name.reason or _REASONS.get(name.role, 'not a known score')}"
        if not any(column.cells):
            meaning = "not used: empty"
        elif name.role == "score":
            per_cent = "in per cent" if name.percent else ""
            label = f"of {name.label}" if name.label else ""
            meaning = ", ".join(filter(None, (name.score, per_cent, label, *column.key)))
        elif name.role == "size":
            meaning = ", ".join(filter(None, (_SIZE_WORDS[name.size], *column.key)))
        elif owner := owners.get(id(column)):
            meaning = f"{'the number after ±' if name.role == 'spread' else 'the interval'} of {owner.head}"
        elif name.role == "validation":
            meaning = "folds or runs"
        elif any(column is other for other in table.named):
            meaning = "the name of the row"
        used, said = not meaning.startswith("not used"), table.said.get(name.text)
        read.append(ReadColumn(name.text, meaning, used, column.number, said))
    return tuple(read)


def _name_columns(table: _Table) -> list[_Column]:
    """Return the columns that say which method a row is about."""
    first = next((place for place, column in enumerate(table.columns) if column.name.role == "score"), 0)
    named = []
    for place, column in enumerate(table.columns):
        role = column.name.role
        filled = [text for text in column.cells if text]
        words = [text for text in filled if not is_number(text) and not _missing(text)]
        wordy = role in ("name", "other", "metric", "value") and place < first and 2 * len(words) > len(filled)
        if wordy or role == "split" or (role == "name" and column.name.text):
            named.append(column)
    return named or [column for column in table.columns[:first] if column.name.role in ("name", "other", "rank")][:1]


def _titles(table: _Table) -> list[str]:
    """Return the name of each row: what its columns of names say, without what all rows share."""
    named = table.named
    many = len(table.rows) > 1
    told = [column for column in named if not many or len(set(column.cells)) > 1] or named[:1]
    titles = []
    above = {id(column): "" for column in told}
    for place in range(len(table.rows)):
        parts = []
        for column in told:
            text = _tidy(column.cells[place])
            if not text and len(told) > 1 and column is not told[-1]:
                text = above[id(column)]
            above[id(column)] = text
            if text and is_number(text) and column.name.text and not column.name.text.startswith(("#", "Ref", "No")):
                text = f"{column.name.text} {text}"
            parts.append(text)
        titles.append(", ".join(filter(None, parts)))
    return titles


def _tidy(text: str) -> str:
    return re.sub(r"[*`†‡]+", "", plain(text)).strip(" _")


def _key_words(key: tuple[str, str]) -> str:
    return ", ".join(filter(None, key))


@dataclass
class _Record:
    """One row, as far as its scores are about the same predictions."""

    table: _Table
    place: int
    key: tuple[str, str]
    scores: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    other_units: list[OtherUnit] = field(default_factory=list)

    def report(self, whole: Stated, positive: str | None) -> Report | None:
        """Return the report of the row; None where no score can be read."""
        columns = [column for column in _scores(self.table) if column.key == self.key]
        if self._is_shifted(columns):
            self.ignored.append("the row has other cells than the heads: which number is which cannot be told")
            return Report("scores", Place(), ignored=tuple(self.ignored))
        for column in self.table.columns:
            name = column.name
            if name.role == "size" and name.group in ("", self.key[1]) and name.part in ("", self.key[0] or name.part):
                self._read_size(column)
        for column in columns:
            self._read_score(column)
        self._read_unnamed_beta()
        if not self.scores:
            if not any(column.cells[self.place] for column in columns) or all(
                c.read[self.place].missing for c in columns
            ):
                return None
            return Report("scores", Place(), ignored=tuple(self.ignored))
        said = self._stated(columns) | (
            whole if self.key[0] in ("", "cross-validation") else whole._replace(folds=None, runs=None, means=None)
        )
        sizes = {name: self.sizes.get(name, getattr(said, name)) for name in ("total", "positives", "negatives")}
        sizes = self._consistent(sizes)
        if said.prevalence and PREVALENCE.id not in self.scores:
            self.scores[PREVALENCE.id] = said.prevalence
        matrix = self._matrix()
        classes = self._classes()
        return Report(
            "classification report" if classes else "matrix" if matrix and not self.scores else "scores",
            Place(),
            classes=classes,
            scores=self.scores,
            matrix=matrix,
            positive=positive,
            folds=said.folds,
            runs=said.runs,
            means=bool(said.means),
            ignored=tuple(self.ignored),
            assumed=tuple(self.assumed),
            other_units=tuple(self.other_units),
            **sizes,  # type: ignore[arg-type]
        )

    def _read_unnamed_beta(self) -> None:
        """Take an F-beta whose beta is not said for F1 where it is that of the precision and recall beside it."""
        for column in self.table.columns:
            if column.name.role != "other" or not _BETA.fullmatch(column.name.text) or F1.id in self.scores:
                continue
            text = column.cells[self.place].strip()
            printed = [self.scores.get(name, "") for name in (PRECISION.id, RECALL.id)]
            ends = [end for one in (text, *printed) if (end := _rounded(one))]
            means = [2 * one * other / (one + other) for one, other in zip(*ends[1:], strict=True)] if ends[2:] else []
            if means and ends[0][0] <= means[1] and ends[0][1] >= means[0]:
                self.scores[F1.id] = text
                self.assumed.append(f"{column.head}: beta is taken as 1, which fits precision and recall")
            else:
                self._ignore(column, text, "it does not say which beta")

    def _is_shifted(self, columns: Sequence[_Column]) -> bool:
        """Tell whether the first score holds words: then the cells may not stand under their heads."""
        first = columns[0]
        text = first.cells[self.place]
        words = bool(text) and not first.read[self.place].says and not first.read[self.place].missing
        return words and len(columns) > 1 and text in {column.cells[self.place] for column in self.table.named}

    def _read_size(self, column: _Column) -> None:
        text = column.cells[self.place]
        count = read_size(text)
        if count is not None:
            self.sizes[column.name.size] = count
        elif text:
            self._ignore(column, text)

    def _ignore(self, column: _Column, text: str, reason: str = "") -> None:
        if reason:
            self.ignored.append(f"{column.head} {text}: {reason}")
        elif not text:
            return
        elif read_cell(text).missing:
            self.ignored.append(f"{column.head}: not reported")
        else:
            self.ignored.append(f"{column.head} {_tidy(text)[:60]!r}: cannot be read")

    def _read_score(self, column: _Column) -> None:
        cell, name = column.read[self.place], column.name
        text = column.cells[self.place]
        if not cell.says:
            self._ignore(column, text)
            return
        if name.score in COUNTS:
            count = read_size(text)
            if count is None:
                self._ignore(column, text)
            else:
                self._add(column, str(count))
            return
        cell = self._with_beside(column, cell)
        unit = unit_of(cell, name.metric, name.percent, column.scale, self._beside)
        if unit.percent is None:
            self._ignore(column, _tidy(text), unit.assumed)
            return
        if unit.assumed:
            self.assumed.append(unit.assumed if unit.assumed == PER_CENT else f"{column.head}: {unit.assumed}")
        limits = name.metric.limits if name.metric else ACCURACY.limits
        shown, assumed = score_text(cell, unit.percent, limits)
        if assumed:
            self.assumed.append(f"{column.head}: {assumed}")
        self.ignored += [f"{column.head}: {mark} beside the number" for mark in cell.dropped]
        added = self._add(column, shown)
        if added and unit.otherwise:
            other, _ = score_text(cell, not unit.percent, limits)
            words = [f"{column.head}: {words}" if words else "" for words in (unit.otherwise, unit.assumed)]
            self.other_units.append(OtherUnit(added, other, *words))
        if cell.share and name.metric:
            self._share(column, cell, name.metric, unit.percent)

    @cached_property
    def _beside(self) -> bool | None:
        """Whether all shares of 1 in the row are printed as per cent; None where there are none."""
        units: list[bool] = []
        for column in _scores(self.table):
            cell, name = column.read[self.place], column.name
            if column.key != self.key or name.metric is None or name.score in COUNTS or not cell.size:
                continue
            unit = Unit(True) if cell.percent else unit_of(cell, name.metric, name.percent, column.scale)
            if is_share_of_one(name.metric) and unit.percent is not None:
                units.append(unit.percent)
        return all(units) if units else None

    def _add(self, column: _Column, text: str) -> str:
        """Add a score, and return the name that it got; none where it is there already."""
        score = column.name.score
        if score not in self.scores:
            self.scores[score] = text
            return score
        if (other := claimable(column.name.text)) and other.id == score and column.name.text not in self.scores:
            self.scores[column.name.text] = text
            return column.name.text
        if self.scores[score] != text:
            self._ignore(column, text, f"{score} is there already")
        return ""

    def _with_beside(self, column: _Column, cell: Cell) -> Cell:
        """Return a cell with the spread or the interval of another column."""
        if cell.value is None or cell.spread or cell.interval or cell.bound:
            return cell
        if column.spread and (spread := column.spread.read[self.place].value):
            return cell._replace(spread=spread)
        ends = [other.read[self.place] for other in column.intervals if other.read[self.place].says]
        if len(ends) == 1 and ends[0].interval:
            return cell._replace(interval=ends[0].interval)
        if len(ends) == 2 and ends[0].value and ends[1].value:
            return cell._replace(interval=(ends[0].value, ends[1].value))
        return cell

    def _share(self, column: _Column, cell: Cell, metric: Metric, percent: bool) -> None:
        """Use how many cases of how many a share is: the size of a class or of the test set, and a count."""
        assert cell.share is not None
        hits, cases = cell.share
        parts = _counted(metric)
        share = None if cell.size is None else float(cell.size) / (100 if percent or cell.percent else 1)
        if parts is None or (share is not None and abs(hits / cases - share) > 0.02):
            self._ignore(column, f"{hits}/{cases}", "not the share that stands beside it")
            return
        numerator, denominator = parts
        for name, count in ((numerator, hits), (denominator, cases)):
            if name in ("total", "positives", "negatives"):
                if self.sizes.setdefault(name, count) != count:
                    self._ignore(column, f"{hits}/{cases}", f"the {name} are {self.sizes[name]} elsewhere")
            elif name and share is not None:
                self.scores.setdefault(name, str(count))

    def _stated(self, columns: Sequence[_Column]) -> Stated:
        """Return what the row and the heads of its scores say about the protocol."""
        said = Stated()
        for column in self.table.columns:
            text = column.cells[self.place]
            if column.name.role == "validation":
                count = read_size(text)
                if count is not None and count > 1:
                    runs = re.search(r"run|seed|repe", column.name.text, re.IGNORECASE)
                    said |= Stated(runs=count) if runs else Stated(folds=count)
                said |= stated(text, own=True)
        for column in self.table.named:
            said |= stated(column.cells[self.place])
        said |= stated(self.key[1])
        for column in columns:
            said |= column.name.stated._replace(average=None)
        return said

    def _consistent(self, sizes: dict[str, int | None]) -> dict[str, int | None]:
        """Leave out sizes that contradict each other."""
        total, positives, negatives = (sizes[name] for name in ("total", "positives", "negatives"))
        if total is not None and max(positives or 0, negatives or 0, (positives or 0) + (negatives or 0)) > total:
            self.ignored.append(f"positives {positives}, negatives {negatives}: more than the total of {total}")
            return {"total": total, "positives": None, "negatives": None}
        return sizes

    def _classes(self) -> tuple[dict[str, str], ...]:
        """Return the scores of more than two classes, class by class, and take them out of the scores."""
        classes: dict[str, dict[str, str]] = {}
        for key, text in list(self.scores.items()):
            score, _, label = key.rstrip("]").partition("[")
            if label and label != "negative":
                classes.setdefault(label, {LABEL: label})[score] = self.scores.pop(key) if text else ""
        return tuple(classes.values())

    def _matrix(self) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """Return the four counts of the row as a matrix, and take them out of the scores; None unless all are there."""
        names = ("tn", "fp", "fn", "tp")
        if not all(name in self.scores for name in names):
            return None
        tn, fp, fn, tp = (int(self.scores.pop(name)) for name in names)
        return (tn, fp), (fn, tp)


def _rounded(text: str) -> tuple[Fraction, Fraction] | None:
    """Return between what a number above 0 is that was rounded to a text; None where it is none."""
    value, unit = cells.exact(text), cells.unit(text)
    return (value - unit / 2, value + unit / 2) if value and unit and value > unit / 2 else None


_BETA: Final = re.compile(r"f[\s_-]?beta(?:[\s_-]?score)?", re.IGNORECASE)
_CELLS: Final = {
    frozenset(("tp", "fn")): "positives",
    frozenset(("fp", "tn")): "negatives",
    frozenset(cells.CELLS): "total",
}


def _counted(metric: Metric) -> tuple[str, str] | None:
    """Return what a share counts, and among what: names of sizes or of counts; None for what is no share of cases."""
    if metric.counted(Table(tp=1, fn=1, fp=1, tn=1)) is None:
        return None
    formula: Any = metric.formula
    names = {frozenset(count.formula.quantities): count.id for count in COUNTS.values()} | _CELLS
    numerator, denominator = (names.get(frozenset(part.quantities), "") for part in (formula.left, formula.right))
    return numerator, denominator


_MEAN: Final = re.compile(r"(?:(?:over|macro|grand)?\s*)?(?:mean|average|avg|overall|aggregate)\b.*", re.IGNORECASE)
_TOTALS: Final = re.compile(r"(?:true|actual|ground[\s-]?truth|gold)(?:\s\w+)?", re.IGNORECASE)
_DEVIATION: Final = re.compile(
    r"(?:std|sd|stdev|standard deviation|s\.d|±|variance|min|max|median|p-?value)\b.*", re.IGNORECASE
)


def _with_means_of_folds(found: list[Found], table: _Table) -> list[Found]:
    """Say of a row of means over how many folds it is, and leave out means of methods and rows of deviations."""
    named = table.named
    by_fold = any(column.name.text.casefold().startswith(("fold", "split", "run", "seed")) for column in named)
    kept: list[Found] = []
    folds = 0
    for report, rows in found:
        title = report.title.rpartition(", ")[2] or report.title
        title = re.sub(r"^(?:fold|run)\s+(?=\D)", "", title, flags=re.IGNORECASE)
        reason = ""
        if _TOTALS.fullmatch(title) and not report.classes and {*report.scores} <= {*COUNTS}:
            reason = "a row of how many cases there are, not of a method"
        elif _DEVIATION.match(title):
            reason = "a row of deviations or the like, not of scores"
        elif _MEAN.match(title) and folds > 1:
            report = replace(report, folds=report.folds or folds)
        elif _MEAN.match(title) and len(found) > 2:
            reason = "a mean of the rows above, not the scores of one method"
        else:
            folds += by_fold or re.match(r"fold\b", title, re.IGNORECASE) is not None
        if reason:
            said = {name: getattr(report, name) for name in ("where", "title", "table", "columns")}
            report = Report("scores", **said, ignored=(reason, *report.ignored))
        kept.append(Found(report, rows))
    return kept
