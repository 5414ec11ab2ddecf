"""Which columns of a table are class probabilities: those that sum to one in each row and belong to the truth's labels.

Names decide first, as in ``prob_cat`` and ``prob_dog`` for cat and dog. Where no names fit, as many columns as there
are labels are taken in their order, and a note says so. Where that leaves a choice, nothing is taken: the error names
what there is to choose from.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace
from itertools import combinations, islice
from typing import Any, Final, NamedTuple

import numpy as np

from ..data import Request, count_truths, first_rows, label_spellings
from ..errors import InputError, Note, verbatim
from ..table import TOLERANCE
from .decomposition import Floats

# This many rows show which columns sum to one; that all others do is checked when they are summed.
_ROWS_LOOKED_AT: Final = 2000
# Columns whose names tell nothing are tried together up to this many sets, and from this many rows on.
_MOST_SETS: Final = 20_000
# How many names are read at most in search of columns that are named after labels: each place reads all that follow.
_MOST_LOOKS: Final = 1_000_000
# Columns without a common name are tried together only with this many rows: fewer sum to one by chance.
_LEAST_ROWS: Final = 10
_MOST_SHOWN: Final = 4
# How far from one rows may sum before their columns are no longer named in an error.
_NEARLY: Final = 0.05
_NONE: Final = "no columns were found that sum to one in each row"
# What differences of sums leave of rounding.
_ROUNDING: Final = 1e-9
# What one column of the positive class is called, as a word of its name.
_SCORE_WORDS: Final = frozenset(
    ["p", "ps", "phat", "prob", "probs", "proba", "probability", "probabilities", "score", "risk"]
)


@dataclass(frozen=True)
class ProbabilityColumns:
    """Columns of probabilities, and the class of each.

    One column alone is the probability of the last of its two labels.

    Examples
    --------
    >>> found = find_probabilities({"y": ["cat", "dog"], "cat": [0.9, 0.4], "dog": [0.1, 0.6]}, truth="y")
    >>> found.columns, found.labels, found.by_name
    (('cat', 'dog'), ('cat', 'dog'), True)
    """

    columns: tuple[str, ...]
    labels: tuple[Hashable, ...]
    by_name: bool
    notes: tuple[Note, ...] = ()


def find_probabilities(
    data: Any,
    *,
    truth: str,
    labels: Sequence[Hashable] | None = None,
    apart: Iterable[str] = (),
    tolerance: float = TOLERANCE,
    query: str | None = None,
) -> ProbabilityColumns:
    """Find the columns of class probabilities in a table.

    Parameters
    ----------
    data
        As for `decompose_data`.
    truth
        The column of actual labels.
    labels
        The classes, if not all of them occur in the truth.
    apart
        Columns with another meaning, such as predictions and folds.
    tolerance
        How far from 1 a row may sum.
    query
        The select that gives the rows of a database.

    Raises
    ------
    InputError
        Where no columns, or several sets of columns, could be the probabilities.

    Examples
    --------
    >>> data = {"y": ["no", "yes", "no"], "age": [31, 64, 50], "0": [0.75, 0.5, 1.0], "1": [0.25, 0.5, 0.0]}
    >>> found = find_probabilities(data, truth="y")
    >>> found.columns, found.labels
    (('0', '1'), ('no', 'yes'))
    >>> found.notes[0].text
    'the columns 0 and 1 sum to one and were taken in their order as no and yes'
    """
    classes = _sorted(count_truths(data, truth, query=query) if labels is None else labels)
    if not classes:
        raise InputError("empty", "truth", "has no label in any row", truth, f"check column {truth}")
    rows = first_rows(data, _ROWS_LOOKED_AT, query)
    used = {name.strip().casefold() for name in (truth, *apart)}
    numbers = {name: column for name, column in _numbers(rows, truth).items() if name.strip().casefold() not in used}
    search = _Search({name: column for name, column in numbers.items() if _within(column, 1)}, classes, tolerance)
    named = search.named()
    ordered = [] if named else search.in_order()
    # Zeros and ones in no known order are as likely marks of a kind, such as of a ward.
    marks = [one for one in ordered if one.marks_only]
    family = _one_of(named or [one for one in ordered if not one.marks_only])
    if family is None:
        _refuse_near_misses(numbers, classes, tolerance)
        family = search.single() if len(classes) == 2 else None
    if family is None and marks:
        raise _choice([one.columns for one in marks], "could be columns that hold only zeros and ones")
    if family is None:
        kinds, columns = _listed(list(map(str, classes))), _listed(list(numbers)) if numbers else "no column"
        shown = verbatim(f"labels {kinds}; numbers in {columns}")
        raise InputError("unknown_column", "probabilities", _NONE, shown, "name the columns, one for each class")
    return family.result()


def match_columns(
    data: Any, columns: Sequence[str], *, truth: str, query: str | None = None
) -> ProbabilityColumns | None:
    """Say of which classes columns are that somebody named: by their names, else in their order where the count fits.

    None where neither tells, as for one column alone.
    """
    header = list(first_rows(data, 1, query))
    _, *places = Request(truth, None, (), tuple(columns)).places(header, "the data")
    names = tuple(header[place] for place in places)
    classes = _sorted(count_truths(data, truth, query=query))
    if len(names) < 2:
        return None
    search = _Search({name: np.zeros(1) for name in names}, classes, 1.0)
    for family in search.named():
        if set(family.columns) == set(names):
            return ProbabilityColumns(family.columns, family.labels, True)
    if len(names) != len(classes) or search.contradicts(names):
        return None
    return _Family(names, tuple(classes), False).result()


class _Family(NamedTuple):
    """A set of columns with their classes."""

    columns: tuple[str, ...]
    labels: tuple[Hashable, ...]
    by_name: bool
    # Whether all numbers are 0 or 1, as those of a decision tree are, and columns that mark a kind.
    marks_only: bool = False

    def result(self) -> ProbabilityColumns:
        columns, labels = _listed(self.columns), _listed(list(map(str, self.labels)))
        words = f"the columns {columns} sum to one and were taken as the probabilities"
        if len(self.columns) == 1:
            words = f"the column {columns} was taken as the probability of {self.labels[-1]}"
        elif not self.by_name:
            words = f"the columns {columns} sum to one and were taken in their order as {labels}"
        data = {"columns": list(self.columns), "labels": list(map(str, self.labels)), "by_name": self.by_name}
        return ProbabilityColumns(self.columns, self.labels, self.by_name, (Note("columns_found", words, data),))


def _listed(names: Sequence[str]) -> str:
    if len(names) > 2 * _MOST_SHOWN:
        names = [*names[:_MOST_SHOWN], f"{len(names) - _MOST_SHOWN - 1} more", names[-1]]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _sorted(labels: Iterable[Hashable]) -> list[Hashable]:
    """Sort labels as scikit-learn sorts its classes: texts that are all numbers by their value."""
    listed = list(labels)
    try:
        if all(isinstance(label, str) for label in listed):
            return sorted(listed, key=lambda label: float(str(label)))
    except ValueError:
        pass
    try:
        return sorted(listed)  # type: ignore[type-var]
    except TypeError:
        return sorted(listed, key=str)


def _numbers(rows: Mapping[str, Sequence[Any]], truth: str) -> dict[str, Floats]:
    """Return the columns that hold nothing but numbers in rows that have a label."""
    truths = [column for name, column in rows.items() if name.strip().casefold() == truth.strip().casefold()]
    kept = [row for row, label in enumerate(truths[0]) if label is not None and str(label).strip()] if truths else []
    columns = {}
    for name, column in rows.items():
        values = [_number(column[row]) for row in kept]
        if kept and not any(math.isnan(value) for value in values):
            columns[name] = np.array(values)
    return columns


def _number(value: Any) -> float:
    if isinstance(value, bool | np.bool_):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _within(column: Floats, most: float) -> bool:
    return bool(column.min() >= 0 and column.max() <= most)


class _Search:
    """Looks for sets of columns that sum to one."""

    def __init__(self, numbers: Mapping[str, Floats], classes: Sequence[Hashable], tolerance: float) -> None:
        self.numbers, self.classes, self.tolerance = numbers, classes, tolerance
        self.spellings = _spellings(classes)

    def fits(self, columns: Iterable[str]) -> bool:
        """Tell whether columns are all there and sum to one in each row."""
        values = [self.numbers[name] for name in columns if name in self.numbers]
        if len(values) < 2 or abs(sum(column[0] for column in values) - 1) > self.tolerance:
            return False
        return bool((np.abs(sum(values) - 1) <= self.tolerance).all())

    def named(self) -> list[_Family]:
        """Return the sets whose names are the labels, all with the same words before and after."""
        families: dict[frozenset[str], _Family] = {}
        for spelt in (str, str.casefold, _plain):
            most = _MOST_LOOKS // max(1, len(self.numbers))
            for columns, rest in islice(self._families(spelt), max(1, most)):
                for more in ({**columns, **rest}, columns, *self._wider(columns)):
                    if self.fits(more):
                        # Columns keep the order in which they stand.
                        ordered = tuple(name for name in self.numbers if name in more)
                        labels = tuple(more[name] for name in ordered)
                        families.setdefault(
                            frozenset(ordered), _Family(ordered, labels, True, self._marks_only(ordered))
                        )
                        break
            if families:
                break
        return list(families.values())

    def _families(self, spelt: Any) -> Iterator[tuple[dict[str, Hashable], dict[str, Hashable]]]:
        """Yield ways to read names as labels: the columns of all labels, and further ones that are named alike."""
        names = {spelt(name.strip()): name for name in self.numbers}
        texts = {label: {spelt(text) for text in columns} for label, columns in self.spellings.items()}
        if len(names) < len(self.numbers) or len(set().union(*texts.values())) < len(texts):
            return
        first = next(iter(texts))
        affixes = {pair for name in names for text in texts[first] for pair in _affixes(name, text, names[name])}
        for before, after in sorted(affixes, key=lambda pair: (len(pair[0]) + len(pair[1]), pair)):
            columns = {
                names[name]: label
                for label, spellings in texts.items()
                for name in (f"{before}{text}{after}" for text in spellings)
                if name in names
            }
            if len(set(columns.values())) == len(columns) == len(texts):
                yield columns, self._named_alike(names, before, after, columns)

    def _named_alike(self, names: Mapping[str, str], before: str, after: str, own_columns: Any) -> dict[str, Hashable]:
        """Return columns of classes that the truth lacks, by the same words around them; whole numbers by nothing."""
        rest: dict[str, Hashable] = {}
        for name, column in names.items():
            middle = name.removeprefix(before).removesuffix(after) if len(name) > len(before) + len(after) else ""
            alike = name.startswith(before) and name.endswith(after) and middle
            if alike and column not in own_columns and (before or after or _is_index(middle)):
                place = len(before), len(name) - len(after)
                label = column.strip()[place[0] : place[1]]
                whole = all(
                    isinstance(own_label, int) and not isinstance(own_label, bool) for own_label in self.classes
                )
                rest[column] = int(label) if whole and _is_index(label) else label
        return rest

    def _wider(self, columns: Mapping[str, Hashable]) -> Iterator[dict[str, Hashable]]:
        """Yield columns side by side, among them those of all labels: others are of classes without cases."""
        names, looks = list(self.numbers), 0
        places = [place for place, name in enumerate(names) if name in columns]
        for width, start in self._sides(min(places), max(places)):
            looks += width
            if looks > _MOST_LOOKS:
                return
            yield {name: columns.get(name, name.strip()) for name in names[start : start + width]}

    def _sides(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield widths and starts of columns around two, the narrowest first, that sum to one in the first row."""
        sums = np.cumsum([0.0, *(column[0] for column in self.numbers.values())])
        slack = self.tolerance + _ROUNDING
        # None is below zero, so sums grow: the ends that fit a start stand side by side.
        lowest = np.maximum(np.searchsorted(sums, sums[: first + 1] + 1 - slack), last + 1)
        beyond = np.searchsorted(sums, sums[: first + 1] + 1 + slack, side="right")
        waiting = [(int(lowest[start]) - start, start) for start in np.flatnonzero(lowest < beyond).tolist()]
        heapify(waiting)
        while waiting:
            width, start = waiting[0]
            yield width, start
            if start + width + 1 < beyond[start]:
                heapreplace(waiting, (width + 1, start))
            else:
                heappop(waiting)

    def in_order(self) -> list[_Family]:
        """Return the sets of as many columns as there are labels, whose names do not tell."""
        count, families = len(self.classes), dict[tuple[str, ...], _Family]()
        if count < 2:
            return []
        for columns in self._sets(count):
            if columns not in families and self.fits(columns):
                if self.contradicts(columns):
                    shown = verbatim(f"columns {_listed(columns)} and labels {_listed(list(map(str, self.classes)))}")
                    hint = "say which class each column is, with labels, or rename the columns"
                    raise InputError(
                        "ambiguous", "probabilities", "only some columns are named after labels", shown, hint
                    )
                families[columns] = _Family(columns, tuple(self.classes), False, self._marks_only(columns))
        return list(families.values())

    def _sets(self, count: int) -> Iterator[tuple[str, ...]]:
        """Yield sets of columns: those named alike, those that stand side by side, and all where there are few."""
        names = list(self.numbers)
        families: dict[tuple[str, str], list[str]] = {}
        for name in names:
            stem = re.sub(r"\d+$", "", name)
            cut = max((place for place, letter in enumerate(name) if not letter.isalnum()), default=-1)
            families.setdefault(("before", name[: cut + 1] if cut >= 0 else stem), []).append(name)
            mark = re.search(r"[^0-9A-Za-z]", name)
            families.setdefault(("after", name[mark.start() :] if mark else name), []).append(name)
        yield from (tuple(columns) for columns in families.values() if len(columns) == count)
        yield from (tuple(names[start : start + count]) for start in range(len(names) - count + 1))
        rows = len(next(iter(self.numbers.values()), ()))
        if rows >= _LEAST_ROWS and math.comb(len(names), count) <= _MOST_SETS:
            yield from combinations(names, count)

    def contradicts(self, columns: Sequence[str]) -> bool:
        """Tell whether the order would go against names: some are a label, and they are no places 0, 1, 2 ..."""
        words = [re.split(r"[^0-9A-Za-z]+", name.strip().rstrip("])"))[-1].casefold() for name in columns]
        digits = [re.search(r"\d+$", name) for name in columns]
        if [int(match[0]) if match else -1 for match in digits] in (list(range(len(columns))), _from_one(columns)):
            return False
        texts = {text.casefold() for spellings in self.spellings.values() for text in spellings}
        return any(word in texts for word in words)

    def single(self) -> _Family | None:
        """Return the one column of the probability of one of two classes, where its name says that it is one."""
        shares = [name for name in self.numbers if not self._marks_only([name])]
        by_label = {
            name: label
            for name in shares
            for label, spellings in self.spellings.items()
            if any(list(_affixes(name.casefold(), text.casefold(), name)) for text in spellings)
        }
        scores = [name for name in shares if _SCORE_WORDS & set(re.split(r"[^a-z]+", name.casefold()))]
        likely = [name for name in scores if name in by_label] or scores or list(by_label)
        if len(likely) > 1 or (shares and not likely):
            problem = "could be one of several columns" if len(likely) > 1 else "are not named, and could be a column"
            raise _choice([(name,) for name in likely or shares], problem)
        if not likely:
            return None
        [name] = likely
        last = by_label.get(name, self.classes[-1])
        return _Family((name,), (*(label for label in self.classes if label != last), last), name in by_label)

    def _marks_only(self, columns: Iterable[str]) -> bool:
        return all(bool(np.isin(self.numbers[name], (0, 1)).all()) for name in columns)


def _spellings(labels: Sequence[Hashable]) -> dict[Hashable, set[str]]:
    """Return what each label may be called in a column's name: 1 also 1.0, and class 1 also 1, where all begin so."""
    texts = {label: set(map(str, label_spellings(label))) for label in labels}
    for texts_of_class in texts.values():
        texts_of_class |= {f"{text}.0" for text in texts_of_class if _is_index(text)} | {
            text[:-2] for text in texts_of_class if text.endswith(".0")
        }
    rests = {label: re.sub(r"^[^0-9]+", "", str(label)) for label in labels}
    beginnings = {str(label).removesuffix(rests[label]) for label in labels}
    if len(beginnings) == 1 and all(map(_is_index, rests.values())):
        for label, rest in rests.items():
            texts[label].add(rest)
    return texts


def _from_one(columns: Sequence[str]) -> list[int]:
    return list(range(1, len(columns) + 1))


def _is_index(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _plain(name: str) -> str:
    """Return a name without regard to capitals and leading zeros, and with one mark for all."""
    return re.sub(r"[\W_]", "_", re.sub(r"(?<![\d.,])0+(?=\d)", "", name.casefold()))


def _affixes(name: str, text: str, written: str) -> Iterator[tuple[str, str]]:
    """Yield what stands before and after a text in a name, where it is a word of its own there."""
    written = written.strip()
    for match in re.finditer(f"(?={re.escape(text)})", name) if text else ():
        start, stop = match.start(), match.start() + len(text)
        before, after = name[:start], name[stop:]
        capital = len(written) == len(name) and written[start].isupper() and written[start - 1 : start].islower()
        begins = not before or not before[-1].isalnum() or (before[-1].isalpha() and text[0].isdigit()) or capital
        if begins and (not after or not after[0].isalnum()):
            yield before, after


def _one_of(families: Sequence[_Family]) -> _Family | None:
    """Return the only set; sets of zeros and ones count where there is no other."""
    if len(families) > 1:
        families = [family for family in families if not family.marks_only] or families
    if len(families) > 1:
        raise _choice([family.columns for family in families], "could be several sets of columns")
    return families[0] if families else None


def _choice(columns: Sequence[Sequence[str]], problem: str) -> InputError:
    shown = "; or ".join(_listed(names) for names in columns[:_MOST_SHOWN])
    hint = f"name one of them, such as {','.join(columns[0])}"
    return InputError("ambiguous", "probabilities", problem, verbatim(shown), hint)


def _refuse_near_misses(numbers: Mapping[str, Floats], classes: Sequence[Hashable], tolerance: float) -> None:
    """Name columns that do not sum to one but nearly, or that are percentages."""
    percent = _Search({name: column / 100 for name, column in numbers.items()}, classes, max(tolerance, 0.01))
    loose = _Search({name: column for name, column in numbers.items() if _within(column, 1)}, classes, _NEARLY)
    for search, words in ((loose, "sum to {} to {}"), (percent, "sum to one hundred")):
        for family in search.named():
            sums = sum(search.numbers[name] for name in family.columns)
            ends = [f"{float(end):.4g}" for end in (np.min(sums), np.max(sums))]
            shown = verbatim(f"{_listed(family.columns)}, which {words.format(*ends)}")
            hint = "raise the tolerance if they were rounded" if search is loose else "divide percentages by 100"
            raise InputError("bad_probability", "probabilities", _NONE, shown, hint)
