"""Confusion matrices: in brackets, in columns under labels, in grids, and as four counts with their names.

A matrix comes out with the actual classes in its rows, whatever way it was printed; a row or column of sums is left
out. Four named counts, and labels that say positive and negative, come out in the order negative, positive.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, product
from typing import Final, Literal, NamedTuple, TypeAlias

from ..documents.blocks import Block, Grid, Place
from . import cells
from .cells import CELLS, NEGATIVE, POSITIVE, Found
from .class_lines import ENOUGH, RULE, unwrapped
from .names import names_score
from .report import Report
from .statements import ABOUT_OTHERS, INACCURACY, scores_in

Axis: TypeAlias = Literal["truth", "prediction"]
Rows: TypeAlias = tuple[tuple[int, ...], ...]

_MOST: Final = 400
#: A run of lines may be longer than a matrix: heads, sums, and numbers in labels.
_LONGER: Final = 3
#: In matrices up to this size labels may hold several numbers.
_SMALL: Final = 30
_ACTUAL: Final = (
    r"(?:act(?:uals?|ually)?|true|truth|reference|observed|gold|expected|real(?:ity)?|ground[ -_]?truth|y_?true|target|"
    r"obs|orig(?:inal)?|given|tats[aä]chlich\w*|wahr\w*|r[ée]el\w*|verdaderos?|reale?s?|annotated|known|condition)"
)
_PREDICTED: Final = (
    r"(?:pred\w*|predictions?|classified(?: as)?|hypothesis|y_?(?:pred|hat)|estimated?|assigned|forecast|"
    r"vorher\w*|pr[ée]di\w*|test(?: result| outcome)?|detected|model(?: output)?|system|outcome)"
)
_AXES: Final[tuple[tuple[re.Pattern[str], Axis], ...]] = (
    (re.compile(rf"(?<![^\W_]){_ACTUAL}(?![^\W_])", re.IGNORECASE), "truth"),
    (re.compile(rf"(?<![^\W_]){_PREDICTED}(?![^\W_])", re.IGNORECASE), "prediction"),
)
_SURE: Final = re.compile(
    r"confusion|matrix|kontingenz|matriz|matrice|konfusion|wahrheitsmatrix|error table", re.IGNORECASE
)
_SUMS: Final = re.compile(r"\W*(?:all|total|totals|sum|sums|margins?|σ|∑|gesamt|summe|somme|suma)\W*", re.IGNORECASE)
_VALUES: Final = re.compile(r"(?:\s+(?:\d*\.\d+|\d+|None)){2,}\s*$")
_BOX: Final = re.compile(r"[|│┃║┆┊]")
_SAID: Final = re.compile(
    r"rows?\b[^.;\n]{0,20}?\b(?:are|is|=|:|show|contain)?\s*(?:the\s)?(?P<row>\w+)[^.\n]{0,25}?(?:columns?|cols?)",
    re.IGNORECASE,
)
_POSITIVE_CLASS: Final = re.compile(
    r"['\"‘’“”`]?positive['\"‘’“”`]?\s+(?:class|label)\s*(?::|=|is)\s*['\"]?(?P<label>[^'\"\n]+?)['\"]?\s*$",
    re.IGNORECASE,
)


def find(block: Block) -> list[Found]:
    """Find the confusion matrices of a block."""
    if isinstance(block, Grid):
        found = _in_grid(block)
        return [found] if found else []
    lines = list(unwrapped(block.texts))
    signs = {match[0] for line in lines if line.strip() and (match := re.match(r"\s*(?:[#*>;%!]+|//+)?", line))}
    if len(signs) == 1:
        # The signs of a comment that every line begins with.
        lines = [line.removeprefix(*signs) for line in lines]
    errors = _without_errors(lines)
    found_here = list(_in_brackets(lines, block.places))
    for search in (_weka, _in_columns, _in_words):
        used = {at for one in found_here for at in one.rows}
        found_here += [one for one in search(lines, block.places) if not used & set(one.rows)]
    found_here = sorted(
        (_with_error(_without_shares(one, lines), errors) for one in found_here), key=lambda one: one.rows.start
    )
    return _without_copies(_with_positive(found_here, lines))


#: randomForest prints the share of wrong predictions behind each row, and that of all cases above the matrix.
_CLASS_ERROR: Final = re.compile(r"\s+class[._ ]error\s*$", re.IGNORECASE)
_OUT_OF_BAG: Final = re.compile(r"\bOOB\b.*\berror\s+rate\s*:\s*(?P<text>\d[\d.]*\s*%)", re.IGNORECASE)
_ABOVE: Final = 3


def _without_errors(lines: list[str]) -> dict[int, tuple[int, str]]:
    """Cut the errors of classes off the rows of matrices; return that of all cases and its line, by that of heads."""
    errors: dict[int, tuple[int, str]] = {}
    for at, line in enumerate(lines):
        if not _CLASS_ERROR.search(line):
            continue
        lines[at] = _CLASS_ERROR.sub("", line)
        for place in range(max(0, at - _ABOVE), at):
            if match := _OUT_OF_BAG.search(lines[place]):
                errors[at] = place, match["text"].replace(" ", "")
        below = at + 1
        while below < len(lines) and (row := re.fullmatch(r"(.*\d)\s+(?:[01]?\.\d+|[01])(?:e-?\d+)?\s*", lines[below])):
            lines[below] = row[1]
            below += 1
    return errors


def _with_error(one: Found, errors: dict[int, tuple[int, str]]) -> Found:
    """Return a matrix with the share of wrong predictions that is printed above it."""
    for at, (place, text) in errors.items():
        if at in range(one.rows.start - 1, one.rows.stop) and one.report.matrix is not None:
            report = replace(one.report, scores={**one.report.scores, INACCURACY.id: text})
            return Found(report, range(min(place, one.rows.start), one.rows.stop))
    return one


class _Square(NamedTuple):
    """A matrix as printed, its sums left out, with the labels of its rows and columns."""

    rows: Rows
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    sums: bool = False


def _square(rows: Sequence[Sequence[int]], row_labels: Sequence[str], column_labels: Sequence[str]) -> _Square | None:
    """Return a matrix without its sums; None where what is left is not square or counts nothing."""
    height, width = len(rows), len(rows[0])
    row_labels = tuple(row_labels) if len(row_labels) == height else ()
    column_labels = tuple(column_labels) if len(column_labels) == width else ()
    below = height > ENOUGH and all(sum(row[n] for row in rows[:-1]) == rows[-1][n] for n in range(width))
    beside = width > ENOUGH and all(sum(row[:-1]) == row[-1] for row in rows)
    called = [bool(labels) and bool(_SUMS.fullmatch(labels[-1])) for labels in (row_labels, column_labels)]
    # Without a word for them, sums are left out only where both sides have them or the matrix is not square.
    below = below and (called[0] or height == width + 1 or (beside and height == width))
    beside = beside and (called[1] or width == height + 1 or (below and height == width))
    if below:
        rows, row_labels, height = rows[:-1], row_labels[:-1], height - 1
    if beside:
        rows, column_labels, width = [row[:-1] for row in rows], column_labels[:-1], width - 1
    if height != width or height < ENOUGH or height > _MOST or not any(map(any, rows)):
        return None
    if any(_SUMS.fullmatch(label) for label in (*row_labels, *column_labels)):
        return None
    return _Square(tuple(map(tuple, rows)), row_labels, column_labels, below or beside)


def _axis(text: str) -> Axis | None:
    """Return which axis a text names; None where it names none or both."""
    axes = {axis for pattern, axis in _AXES if pattern.search(text)}
    return axes.pop() if len(axes) == 1 else None


_OTHER: Final[Mapping[Axis, Axis]] = {"truth": "prediction", "prediction": "truth"}


def _bare(label: str) -> str:
    """Return a label without the word for its axis: ``Predicted yes`` is ``yes``."""
    text = cells.plain(label)
    for pattern, _ in _AXES:
        match = pattern.match(text.lstrip("(['\""))
        rest = pattern.sub("", text, count=1).strip(" :=()[]_'\"./→") if match else ""
        rest = rest if rest in ("-", "+") else rest.strip("- ")
        if rest:
            return re.sub(r"^(?:class|label|as)\b[\s:_-]*(?=\S)", "", rest, flags=re.IGNORECASE)
    return text


def _report(square: _Square, printed: Axis | None, where: Place, title: str = "") -> Report:
    """Return a matrix as a report: actual classes in rows, negative before positive."""
    rows = square.rows
    labels = tuple(map(_bare, square.row_labels or square.column_labels))
    columns = tuple(map(_bare, square.column_labels or square.row_labels))
    if labels and len(set(labels)) == len(labels) and {*labels} == {*columns}:
        # The columns may have the same labels in another order.
        rows = tuple(tuple(row[columns.index(label)] for label in labels) for row in rows)
    rows = rows if printed != "prediction" else tuple(zip(*rows, strict=True))
    signs = [_sign(label) for label in labels]
    positive = None
    if sorted(sign or "" for sign in signs) == [NEGATIVE, POSITIVE]:
        if signs[0] == POSITIVE:
            rows, labels = tuple(row[::-1] for row in rows[::-1]), labels[::-1]
        positive = labels[1]
    assumed = () if printed else ("the rows of the matrix are taken as the actual classes",)
    ignored = ("the sums of the matrix: they add nothing",) if square.sums else ()
    return Report(
        "matrix", where, title=title, matrix=rows, matrix_rows_printed=printed, labels=labels, positive=positive,
        total=sum(map(sum, rows)), assumed=assumed, ignored=ignored,
    )  # fmt: skip


def _sign(label: str) -> str | None:
    text = cells.key(label)
    text = re.sub(r"\s*\(?\b(?:class|cases?|label|\d)\b\)?\s*", " ", text).strip()
    if text in ("positive", "positives", "pos", "+", "p", "positiv", "positif", "positivo"):
        return POSITIVE
    negative = ("negative", "negatives", "neg", "n", "negativ", "negatif", "negativo")
    return NEGATIVE if text in negative or label.strip() in ("-", "−") else None


_BRACKETS: Final = re.compile(r"[\[(]\s*(?:[\[(][\d\s.,;e+%-]*[\])][\s,;]*)+[\])]")
_ROW: Final = re.compile(r"[\[(]([^\[\]()]*)[\])]")
_LONE_ROW: Final = re.compile(r"\W*?(?P<label>[\w ]{0,20}?)\W*?\[\s*(?P<row>\d[\d\s,.]*?)\s*\]\W*")


def _in_brackets(lines: Sequence[str], places: Sequence[Place]) -> Iterator[Found]:
    """Find ``[[45 3] [2 7]]`` with or without commas, on one line or several."""
    text = "\n".join(lines)
    starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
    used: set[int] = set()
    for match in _BRACKETS.finditer(text):
        first = bisect_right(starts, match.start()) - 1
        last = bisect_left(starts, match.end()) - 1
        rows = [re.split(r"[\s,;]+", row.strip(" ,;\n")) for row in _ROW.findall(match[0][1:])]
        found = _from_texts(rows, lines, places, first, last + 1)
        used |= set(range(first, last + 1))
        if found:
            before, after = lines[first][: match.start() - starts[first]], text[match.end() : starts[last + 1] - 1]
            # The line of the matrix may say its scores.
            scores = dict(pair for text in (after, before) for pair in scores_in(text) if not ABOUT_OTHERS.search(text))
            yield found._replace(report=replace(found.report, scores={**scores, **found.report.scores}))
    at = 0
    while at < len(lines):
        run: list[list[str]] = []
        while (
            at + len(run) < len(lines)
            and at + len(run) not in used
            and (row := _LONE_ROW.fullmatch(lines[at + len(run)]))
        ):
            run.append(row["row"].replace(",", " ").split())
        if len(run) >= ENOUGH and (found := _from_texts(run, lines, places, at, at + len(run))):
            yield found
        at += max(len(run), 1)


def _from_texts(
    rows: Sequence[Sequence[str]], lines: Sequence[str], places: Sequence[Place], first: int, end: int
) -> Found | None:
    width = len(rows[0])
    if len(rows) != width or width < ENOUGH or any(len(row) != width for row in rows):
        return None
    # A matrix of shares is no report of its own.
    copy = Found(Report("matrix", places[first]), range(first, end))
    counts = [[_whole(text) for text in row] for row in rows]
    if all(number is not None for row in counts for number in row):
        numbers = tuple(tuple(number or 0 for number in row) for row in counts)
        pointed = any("." in text for row in rows for text in row)
        if pointed and max(map(max, numbers)) <= 1:
            return copy
        report = _report(_Square(numbers, (), ()), _said(lines[max(0, first - 3) : first + 1]), places[first])
        return copy._replace(report=report) if any(map(any, numbers)) else None
    shares = [cells.exact(text) for row in rows for text in row]
    return copy if all(share is not None and 0 <= share <= 1 for share in shares) else None


def _whole(text: str) -> int | None:
    digits = text.partition(".")[0]
    is_count = re.fullmatch(r"\d+(?:\.0*)?", text) and len(digits) <= cells.MOST_DIGITS
    return int(digits) if is_count else None


def _is_copy(found: Found) -> bool:
    return found.report.kind == "matrix" and found.report.matrix is None


def _said(lines: Sequence[str]) -> Axis | None:
    """Return what the rows are where a line above says so."""
    for line in reversed(lines):
        match = _SAID.search(line)
        if match and (axis := _axis(match["row"])):
            return axis
    return None


_PER_CENT: Final = re.compile(r"\d\.\d|%|\bper\s?cent|normali[sz]", re.IGNORECASE)


def _are_shares(rows: Rows, printed: str) -> bool:
    """Tell whether numbers are per cent of each class, not counts: they sum to 100, and what is printed looks so."""
    sums = {*map(sum, rows)}, {*map(sum, zip(*rows, strict=True))}
    return {100} in sums and _PER_CENT.search(printed) is not None


def _without_shares(one: Found, lines: Sequence[str]) -> Found:
    """Return a matrix of shares without its numbers."""
    printed = " ".join(lines[max(0, one.rows.start - 1) : one.rows.stop])
    if one.report.matrix is None or not _are_shares(one.report.matrix, printed):
        return one
    return one._replace(report=replace(one.report, matrix=None))


def _without_copies(found: Sequence[Found]) -> list[Found]:
    """Leave out matrices of shares, and say so at the matrix they stand beside."""
    kept = [one for one in found if not _is_copy(one)]
    for one in found:
        if _is_copy(one) and kept:
            near = min(range(len(kept)), key=lambda n: abs(kept[n].rows.start - one.rows.start))
            words = "a matrix of shares: counts are used"
            report = kept[near].report
            kept[near] = kept[near]._replace(report=replace(report, ignored=(*report.ignored, words)))
    return kept


def _with_positive(found: Sequence[Found], lines: Sequence[str]) -> list[Found]:
    """Note the class that a line below a matrix, or just above it, calls the positive one."""
    result = []
    ends = [one.rows.start for one in found[1:]] + [len(lines)]
    for (report, rows), end in zip(found, ends, strict=False):
        for line in [*lines[rows.stop : end], *lines[max(0, rows.start - 3) : rows.start]]:
            label = match["label"].strip() if (match := _POSITIVE_CLASS.search(line)) else None
            # What the document says holds, whatever labels sound like.
            if label is not None and report.matrix is not None and (report.positive is None or label in report.labels):
                report = replace(report, positive=label)
        result.append(Found(report, rows))
    return result


def _weka(lines: Sequence[str], places: Sequence[Place]) -> Iterator[Found]:
    """Find Weka's matrix: letters over the columns, and behind each row what its letter means."""
    for at, line in enumerate(lines):
        if not re.search(r"<-+\s*classified as", line, re.IGNORECASE):
            continue
        rows, labels, end = [], [], at + 1
        while end < len(lines) and (match := re.search(r"((?:\d{1,15}\s+)+)\|\s*(\S+)\s*=\s*(.+)", lines[end])):
            rows.append([int(number) for number in match[1].split()])
            labels.append(match[3].strip())
            end += 1
        if len(rows) >= ENOUGH and all(len(row) == len(rows) for row in rows):
            square = _Square(tuple(map(tuple, rows)), tuple(labels), tuple(labels))
            yield Found(_report(square, "truth", places[at]), range(at, end))


@dataclass(frozen=True)
class _Line:
    """A line that ends in counts: what stands before them, and the counts."""

    at: int
    words: tuple[str, ...]
    counts: int


def _in_columns(lines: Sequence[str], places: Sequence[Place]) -> Iterator[Found]:
    """Find rows of counts with labels before them, below labels or words for the axes."""
    at = 0
    while at < len(lines):
        run = _run(lines, at)
        found = _matrix_of_run(run, lines, places) if len(run) >= ENOUGH else None
        if found:
            yield found
            at = found.rows.stop
        else:
            # What says that a matrix follows stands above it, so that none begins within the run.
            at = run[-1].at + 1 if run else at + 1


def _run(lines: Sequence[str], start: int) -> list[_Line]:
    """Return the lines from here on that end in counts; blank lines and rules may stand between them."""
    run: list[_Line] = []
    blank = 0
    for at in range(start, len(lines)):
        line = lines[at]
        if not line.strip() or RULE.fullmatch(line):
            blank += not line.strip()
            if not run or blank > 1:
                break
            continue
        parsed = _counted(line, at)
        if parsed is None or parsed.counts < ENOUGH:
            break
        run.append(parsed)
        blank = 0
        if len(run) > run[0].counts + _LONGER:
            break
    return run


def _counted(line: str, at: int) -> _Line | None:
    text = re.sub(
        r"(?<=\d)\s*\(\s*[\d.,]+\s*%?\s*\)|\s\d*\.\d+\s+\(\s*[\d.]+\s*/\s*[\d.]+\s*\)\s*$",
        " ",
        _BOX.sub(" ", line).replace("[", " ").replace("]", " "),
    )
    words = text.replace(", ", " ").split()
    number = 0
    while number < len(words) and _whole(words[-1 - number].replace(",", "")) is not None:
        number += 1
    return _Line(at, tuple(words), number) if number else None


def _matrix_of_run(run: Sequence[_Line], lines: Sequence[str], places: Sequence[Place]) -> Found | None:
    # The heads may be numbers too, and so may labels. All lines of a run are tried first.
    for end in range(len(run), 1, -1):
        for skip in range(min(2, end - 1)):
            rows = run[skip:end]
            height, least = len(rows), min(row.counts for row in rows)
            for width in dict.fromkeys((least, least - 1, height, height + 1, height - 1)):
                known = width >= least - 1 or height <= _SMALL
                if known and ENOUGH <= width <= least and abs(width - height) <= 1:
                    found = _try(rows, width, lines, places)
                    if found:
                        return found
    return None


def _try(rows: Sequence[_Line], width: int, lines: Sequence[str], places: Sequence[Place]) -> Found | None:
    """Take some lines as a matrix with so many columns; None where nothing says that it is one."""
    counts = [[_whole(word.replace(",", "")) or 0 for word in row.words[-width:]] for row in rows]
    labels = [" ".join(row.words[:-width]).strip(" :=") for row in rows]
    if len({bool(label) for label in labels}) > 1:
        return None
    above, start = _above(lines, rows[0].at)
    heads = _heads(above, width)
    square = _square(counts, labels if labels[0] else (), heads.labels if heads else ())
    if square is None:
        return None
    size = len(square.rows)
    same = heads is not None and [*map(_bare, heads.labels[:size])] == [*map(_bare, labels[:size])]
    printed = _axis_of_lines(above, heads, labels, [lines[row.at] for row in rows])
    sure = any(_SURE.search(text) for text in above)
    if width < min(row.counts for row in rows) and not same and not _numbered(labels):
        return None
    if not (printed or same or (sure and (len(rows) == len(square.rows) or square.sums))):
        return None
    # Counts below several values of a score stand in a list of scores.
    before_values = (line[: match.start()].strip() for line in above if (match := _VALUES.search(line)))
    if any(map(names_score, (*labels, *before_values))):
        return None
    where = start if heads or printed else rows[0].at
    return Found(_report(square, printed or _said(above), places[where]), range(where, rows[-1].at + 1))


def _numbered(labels: Sequence[str]) -> bool:
    """Tell whether labels end in numbers that tell them apart, as 0, 1 or class 1, class 2, and are not counts."""
    tails = [label.split()[-1] for label in labels if label and not _SUMS.fullmatch(label)]
    return len(set(tails)) == len(tails) and all(
        _whole(tail) == n for n, tail in enumerate(tails, _whole(tails[0]) or 0)
    )


def _above(lines: Sequence[str], at: int) -> tuple[list[str], int]:
    """Return the lines just above that may name labels and axes, the nearest last, and where they begin."""
    texts: list[str] = []
    start, blank = at, 0
    for n in range(at - 1, max(-1, at - 8), -1):
        line = lines[n]
        if not line.strip() or RULE.fullmatch(line):
            blank += not line.strip()
            if blank > 1 or len(texts) > 3:
                break
            continue
        if len(line.split()) > 14 and not re.search(r"\s{2,}", line.strip()):
            break
        counted = _counted(line, n)
        # Numbers after a word for an axis are labels.
        if texts and counted and counted.counts > ENOUGH and not _axis(" ".join(counted.words[: -counted.counts])):
            break
        texts.insert(0, line)
        if _axis(line) or not blank:
            start = n
        if len(texts) > 3:
            break
    return texts, start


class _HeadLine(NamedTuple):
    at: int
    labels: tuple[str, ...]
    before: str


def _heads(above: Sequence[str], width: int) -> _HeadLine | None:
    """Return the line above that has a label for each column, or one less where the last are sums."""
    for n in range(len(above) - 1, max(-1, len(above) - 3), -1):
        text = re.sub(r"\s+Error\s+Rate\s*$", "", _BOX.sub("  ", above[n])).strip()
        wide = [part for part in re.split(r"\s{2,}|\t", text) if part.strip()]
        words = text.split()
        for parts in (wide, words):
            for extra in (0, 1, 2):
                if len(parts) == width + extra and width >= ENOUGH:
                    before = " ".join(parts[:extra])
                    if not extra or _axis(before) or (extra == 1 and not _axis(" ".join(parts[1:]))):
                        return _HeadLine(n, tuple(parts[extra:]), before)
    return None


def _axis_of_lines(
    above: Sequence[str], heads: _HeadLine | None, labels: Sequence[str], rows: Sequence[str]
) -> Axis | None:
    """Return what the rows are by the words around them."""
    in_labels = {_axis(label) for label in labels if not _SUMS.fullmatch(label)}
    if len(in_labels) == 1 and (axis := in_labels.pop()) and any(_bare(label) != label for label in labels):
        return axis
    if heads is None:
        alone = [axis for text in above if len(text.split()) <= 5 and not _SURE.search(text) and (axis := _axis(text))]
        return _OTHER[alone[-1]] if alone else None
    over = [_axis(text) for text in heads.labels]
    if len(set(over)) == 1 and over[0] and any(_bare(label) != label for label in heads.labels):
        return _OTHER[over[0]]
    titled = [axis for text in above[: heads.at] if re.search(r"\w\s?[/\\]\s?\w", text) and (axis := _corner(text))]
    if titled:
        return titled[-1]
    before = [axis for text in above[: heads.at] if len(text.split()) <= 6 and (axis := _axis(text))]
    after = [axis for text in above[heads.at + 1 :] if (axis := _axis(text))]
    if after:
        return after[-1]
    if both := _corner(heads.before):
        return both
    if before:
        return _OTHER[before[-1]]
    own = _axis(heads.before) if heads.before else None
    if own is None:
        return None
    # R sets the labels of rows to the right, below the name of the rows; pandas to the left, below that of the columns.
    end = above[heads.at].find(heads.before) + len(heads.before)
    ends = {row.find(label) + len(label) for row, label in zip(rows, labels, strict=True)}
    starts = {len(row) - len(row.lstrip()) for row in rows}
    below = ends == {end}
    if below and starts == {end - len(heads.before)}:
        return None
    return own if below else _OTHER[own]


def _corner(text: str) -> Axis | None:
    """Return what the rows are by a cell that names both axes, such as ``Pred ↓ / True →``."""
    places = sorted((match.start(), axis) for pattern, axis in _AXES if (match := pattern.search(text)))
    if len(places) < ENOUGH:
        return None
    first: Axis = places[0][1]
    cut = places[1][0]
    if re.search(r"[→>]|\bcol", text[:cut]) or re.search(r"[↓]|\brow", text[cut:]):
        return _OTHER[first]
    return first


def _in_grid(block: Grid) -> Found | None:
    if by_words := _words_in_grid(block):
        return by_words
    block = _with_labels_first(block)
    # Where each cell is a count, and there are as many rows as columns, none of them is a label.
    bare = len(block.rows) == len(block.rows[0]) and _counts_in(block.rows) is not None
    for heads, stubs in product((0,) if bare else (1, 2, 0, 3), (0,) if bare else (1, 2, 0)):
        if heads < len(block.rows) and stubs < len(block.rows[0]) and (found := _grid_part(block, heads, stubs)):
            return found
    return None


_LABEL_BEHIND: Final = re.compile(r"(\w+)\s*=\s*(\S.*)")


def _with_labels_first(block: Grid) -> Grid:
    """Return a grid with the labels of its rows before them, where they stand behind: ``| 45 | 5 | 0 = no |``."""
    if len(block.rows[0]) < ENOUGH or block.rows[0][-1]:
        return block
    behind = [_LABEL_BEHIND.fullmatch(row[-1].strip()) for row in block.rows[1:]]
    codes = [match[1] for match in behind if match]
    if len(codes) < len(behind) or codes != [cell.strip() for cell in block.rows[0][:-1]]:
        return block
    labels = tuple(match[2] for match in behind if match)
    rows = ((label, *row[:-1]) for label, row in zip(labels, block.rows[1:], strict=True))
    return replace(block, rows=(("", *labels), *rows))


def _grid_part(block: Grid, heads: int, stubs: int) -> Found | None:
    """Take some rows for heads and some columns for labels, and the rest for a matrix; None where it is none."""
    kept = [row for row in block.rows[heads:] if any(cell.strip() for cell in row)]
    body = [row[stubs:] for row in kept]
    if len(body) < ENOUGH or len(body[0]) < ENOUGH or abs(len(body) - len(body[0])) > 1:
        return None
    counts = _counts_in(body)
    if counts is None:
        return None
    columns = ((row[n] for row in block.rows[:heads]) for n in range(len(block.rows[0])))
    over = [" ".join(dict.fromkeys(cell for cell in column if cell.strip())) for column in columns]
    stub = [" ".join(dict.fromkeys(cell for cell in row[:stubs] if cell.strip())) for row in kept]
    square = _square(counts, stub, over[stubs:])
    if square is None:
        return None
    corner = " ".join(dict.fromkeys(over[:stubs]))
    labels = [*(cell for row in kept for cell in row[:stubs]), *(cell for row in block.rows[:heads] for cell in row)]
    if any(re.fullmatch(r"\d+\.\d*[1-9]\d*", cell.strip()) for cell in labels):
        # A number that is no count was taken for a label.
        return None
    if _are_shares(square.rows, " ".join([block.caption, *over, *(cell for row in body for cell in row)])):
        return None
    printed = _axis_of_grid(square, corner)
    same = stubs and heads and [*map(_bare, square.row_labels)] == [*map(_bare, square.column_labels)]
    called = _SURE.search(block.caption)
    if not (printed or same or called or _SURE.search(corner)) or not (stubs or heads or called):
        return None
    report = _report(square, printed or _said([block.caption]), block.places[0], block.caption)
    return Found(report, range(len(block.rows)))


def _counts_in(body: Sequence[Sequence[str]]) -> list[list[int]] | None:
    """Return the count in each cell; None, without a look at the others, where one has none."""
    counts: list[list[int]] = []
    for row in body:
        counts.append([])
        for cell in row:
            if (number := _count_in(cell)) is None:
                return None
            counts[-1].append(number)
    return counts


def _axis_of_grid(square: _Square, corner: str) -> Axis | None:
    for labels, turn in ((square.row_labels, False), (square.column_labels, True)):
        axes = {_axis(label) for label in labels}
        if len(axes) == 1 and (axis := axes.pop()) and any(_bare(label) != cells.plain(label) for label in labels):
            return _OTHER[axis] if turn else axis
    return _corner(corner) or _axis(corner)


_NAMED_CELL: Final = re.compile(
    r"(?:(?P<name>[A-Za-z][A-Za-z ]*?)\s*[:=]?\s*[(\[]?)?(?P<count>\d[\d,' ]*)[)\]]?\s*"
    r"(?:[(\[]\s*(?P<beside>[^)\]]*)\s*[)\]])?"
)


def _count_in(cell: str) -> int | None:
    """Return the count in a cell, beside which a share or a name may stand: ``50 (93%)``, ``TN = 50``."""
    number = cells.count(cell)
    if number is not None:
        return number if "." not in cells.plain(cell) or cells.plain(cell).endswith((".0", ".")) else None
    match = _NAMED_CELL.fullmatch(cells.plain(cell))
    if not match or (match["name"] and not cells.cell_of_table(match["name"])):
        return None
    return cells.count(match["count"].strip())


def _words_in_grid(block: Grid) -> Found | None:
    """Find four cells that each name what they count, or rows of a name and a count."""
    named: dict[str, int] = {}
    # A cell that spans many rows stands in each of them, and says the same.
    for cell in dict.fromkeys(cell for row in block.rows for cell in row):
        match = _NAMED_CELL.fullmatch(cells.plain(cell))
        names = [match["name"], match["beside"]] if match else []
        name = next((found for text in names if text and (found := cells.cell_of_table(text))), None)
        if match and name and name not in named and (number := cells.count(match["count"].strip())) is not None:
            named[name] = number
    if len(named) == 4:
        return Found(counted(named, block.places[0], block.caption), range(len(block.rows)))
    is_wide = len(block.rows) == ENOUGH and len(block.rows[0]) > ENOUGH
    return _list_in_rows(block, tuple(zip(*block.rows, strict=True)) if is_wide else block.rows)


def _list_in_rows(block: Grid, rows: Sequence[Sequence[str]]) -> Found | None:
    """Find a list of names and numbers with at least three cells of a table among them."""
    # The one column of numbers beside names.
    valued = [sum(cells.value(cell) is not None for cell in column) for column in zip(*rows, strict=True)]
    filled = [n for n, number in enumerate(valued) if n and 2 * number >= len(rows)]
    if len(filled) != 1:
        return None
    named: dict[str, int] = {}
    scores: dict[str, str] = {}
    ignored: list[str] = []
    for row in rows:
        text, name, number = cells.value(row[filled[0]]), cells.score_name(row[0]), cells.count(row[filled[0]])
        is_cell = name in CELLS
        if text is None:
            continue
        if name and is_cell and number is not None and name not in named:
            named[name] = number
        elif name and not is_cell and name not in scores:
            scores[name] = text
        else:
            ignored.append(f"{cells.plain(row[0])}: no score that is known")
    if len(named) < 3:
        return None
    report = counted(named, block.places[0], block.caption)
    report = replace(report, scores={**report.scores, **scores}, ignored=tuple(ignored))
    return Found(report, range(len(rows)))


_CELL_NAME: Final = (
    r"(?:(?:true|false)[\s_-]*(?:positive|negative|pos|neg)s?|[TF][PN]s?)(?![\w]|\s*rate|-rate|\s*ratio)"
)
_INTEGER: Final = r"(?:\d{1,3}(?:[,'’   ]\d{3})+|\d+)(?![\d%]|[.,]\d|\s*%|\s?[-–]\s?\d)"
_BEHIND: Final = re.compile(
    rf"(?<![\w])(?P<name>{_CELL_NAME})\s*(?:[(\[]\s*[A-Za-z][^()\[\]\d]*[)\]])?[\"'*`]*\s*(?::|=|-+>|→|\||is|was|were|are|of|\s)\s*[\"'*`]*(?P<count>{_INTEGER})",
    re.IGNORECASE,
)
_BEFORE: Final = re.compile(rf"(?<![\w.,])(?P<count>{_INTEGER})\s+(?P<name>{_CELL_NAME})", re.IGNORECASE)
_NAMES_THEN: Final = re.compile(
    rf"(?<![\w])(?P<names>{_CELL_NAME}(?:\s*[,/|&]\s*{_CELL_NAME}){{2,3}})\W{{0,6}}?[:=]\s*"
    r"\W{0,6}?(?P<counts>\d+(?:\s*[,/| ]\s*\d+){2,3})(?![\d.])",
    re.IGNORECASE,
)


def _in_words(lines: Sequence[str], places: Sequence[Place]) -> Iterator[Found]:
    """Find counts called by their names, such as ``TP=55, TN=20`` or ``55 true positives``."""
    named: dict[str, int] = {}
    first = last = 0
    for at, line in enumerate(lines):
        for name, number in _named_counts(line):
            if named and (name in named or at - last > 3):
                yield from _named_report(named, first, last, lines, places)
                named = {}
            if not named:
                first = at
            named[name], last = number, at
    yield from _named_report(named, first, last, lines, places)


def _named_counts(line: str) -> list[tuple[str, int]]:
    text = re.sub(r"\*{1,3}|`", "", line)
    whole = _NAMES_THEN.search(text)
    if whole:
        names = re.findall(_CELL_NAME, whole["names"], re.IGNORECASE)
        counts = re.findall(r"\d+", whole["counts"])
        if len(names) == len(counts) and max(map(len, counts)) <= cells.MOST_DIGITS:
            return [(_cell(name), int(number)) for name, number in zip(names, counts, strict=True)]
    matches = max(list(_BEHIND.finditer(text)), list(_BEFORE.finditer(text)), key=len)
    return [(_cell(match["name"]), cells.count(match["count"]) or 0) for match in matches]


def _cell(name: str) -> str:
    """Return tp for ``TPs`` and for ``True positives``."""
    rest = name[1:] if len(name) <= 3 else re.split(r"[\s_-]*(?=[pn][oe][sg])", name.casefold(), maxsplit=1)[1]
    return f"{name[0]}{rest[0]}".casefold()


def _named_report(
    named: dict[str, int], first: int, last: int, lines: Sequence[str], places: Sequence[Place]
) -> Iterator[Found]:
    if len(named) >= 3 and any(named.values()):
        report = counted(named, places[first])
        beside = {name: text for line in lines[first : last + 1] for name, text in scores_in(line)}
        beside = {name: text for name, text in beside.items() if name not in named}
        yield Found(replace(report, scores={**report.scores, **beside}), range(first, last + 1))


def counted(named: dict[str, int], where: Place, title: str = "") -> Report:
    """Return named counts as a report: a matrix where all four are there, else the counts as scores."""
    if len(named) < 4:
        return Report("scores", where, title=title, scores={name: str(number) for name, number in named.items()})
    tp, fn, fp, tn = (named[cell] for cell in CELLS)
    rows = ((tn, fp), (fn, tp))
    return Report(
        "matrix", where, title=title, matrix=rows, labels=(NEGATIVE, POSITIVE), positive=POSITIVE,
        total=tp + fn + fp + tn, matrix_rows_printed="truth",
    )  # fmt: skip
