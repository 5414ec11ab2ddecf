"""What every way of counting hands on: the columns, how often their values occur together, and what was left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..errors import InputError, TooLarge, verbatim
from .rows import columns

# More kinds of rows than this are no groups; an id column is the usual cause.
MOST: Final = 100_000


@dataclass(frozen=True)
class Counted:
    """How often each pair of labels occurs in each group, and how many rows were left out.

    Parameters
    ----------
    by
        The columns that make the groups, as the data names them.
    pairs
        For each group, given by a value per column (None where it is missing), how often each pair (truth,
        prediction) of labels occurs.
    rows
        How many rows were read.
    missing
        How many rows were left out because the label in a column was missing; where both were, truth counts.
    """

    by: tuple[str, ...]
    pairs: dict[tuple[Any, ...], Counter[tuple[Any, Any]]]
    rows: int
    missing: dict[str, int]


class Wanted(NamedTuple):
    """The columns asked for, by name; those of probabilities also by patterns."""

    truth: str
    prediction: str | None
    by: tuple[str, ...]
    probabilities: tuple[str, ...] = ()

    @property
    def labels(self) -> int:
        """How many columns hold labels."""
        return 1 if self.prediction is None else 2

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns whose values rows are grouped by."""
        return (self.truth, *(() if self.prediction is None else (self.prediction,)), *self.by)

    def resolved(self, names: Sequence[str]) -> Wanted:
        """Ask for probabilities by the names found in one file: another may have them in another order."""
        return self._replace(probabilities=tuple(names[len(self.keys) :]))

    def places(self, header: Sequence[str], where: str | Path) -> list[int]:
        """Find the columns: truth, prediction, groups, probabilities; none may serve twice."""
        arguments = ("truth", "prediction")[: self.labels] + ("by",) * len(self.by)
        found: list[int] = []
        for argument, name in zip(arguments, self.keys, strict=True):
            found.append(_unused(columns(header, [(argument, name)], where)[0], found, argument, name, arguments))
        arguments += ("probabilities",)
        for name in self.probabilities:
            if matching := _matching(name, header):
                found += [place for place in matching if place not in found]
            else:
                [place] = columns(header, [("probabilities", name)], where)
                found.append(_unused(place, found, "probabilities", name, arguments))
        return found


def _unused(place: int, found: Sequence[int], argument: str, name: str, arguments: Sequence[str]) -> int:
    if place in found:
        other = arguments[min(found.index(place), len(arguments) - 1)]
        raise InputError("ambiguous", argument, f"is a column already named by {other}", name, "name another")
    return place


def _matching(name: str, header: Sequence[str]) -> list[int]:
    """Return the columns that a pattern with * or ? matches; none where a column is itself so called."""
    exact = [column.strip() for column in header]
    if not set(name) & set("*?") or name.strip() in exact:
        return []
    parts = (".*" if mark == "*" else "." if mark == "?" else re.escape(mark) for mark in name.strip())
    pattern = "".join(parts)
    for flags in (re.DOTALL, re.DOTALL | re.IGNORECASE):
        if found := [place for place, column in enumerate(exact) if re.fullmatch(pattern, column, flags)]:
            return found
    return []


class Tally(NamedTuple):
    """Counts as an engine gives them.

    Parameters
    ----------
    names
        The columns as the data names them: truth, prediction, groups.
    cells
        A value per column and a count, in tuples; the same values may come more than once.
    rows
        How many rows there were, where the engine knows it in another way than by adding up.
    """

    names: Sequence[str]
    cells: Iterable[Sequence[Any]]
    rows: int | None = None


def counted(tally: Tally) -> Counted:
    """Sort what was counted into groups, and check that every row is accounted for."""
    truth, prediction, *by = tally.names
    pairs: dict[tuple[Any, ...], Counter[tuple[Any, Any]]] = {}
    missing: Counter[str] = Counter()
    cells = [(*map(plain, cell[:-1]), int(cell[-1])) for cell in tally.cells]
    for actual, predicted, *group, count in ordered(cells, lambda cell: (*cell[2:-1], *cell[:2])):
        if actual is None or predicted is None:
            missing[truth if actual is None else prediction] += count
        else:
            pairs.setdefault(tuple(group), Counter())[actual, predicted] += count
    rows = missing.total() + sum(counts.total() for counts in pairs.values())
    assert tally.rows in (None, rows), f"{tally.rows} rows, but {rows} were counted"
    if not rows:
        raise InputError("empty", "data", "has no rows", verbatim("0 rows"), "check the filter before it")
    return Counted(tuple(by), pairs, rows, missing)


def ordered(cells: list[tuple[Any, ...]], values: Callable[[tuple[Any, ...]], Iterable[Any]]) -> list[tuple[Any, ...]]:
    """Sort by some values, what is missing last: engines give an order of their own, another in each run."""
    try:
        return sorted(cells, key=lambda cell: [(value is None, value) for value in values(cell)])
    except TypeError:  # values of several kinds
        return sorted(cells, key=lambda cell: [(value is None, str(value)) for value in values(cell)])


def plain(value: Any) -> Any:
    """Return a value as Python has it; None for nan and for any frame's null.

    Examples
    --------
    >>> plain(float("nan")) is None, plain("nan"), plain(1.0)
    (True, 'nan', 1.0)
    """
    if type(value) in (str, int, bool):
        return value
    try:
        if value is None or bool(value != value):
            return None
    except TypeError:  # a null that refuses to be compared, such as pandas' NA
        return None
    return value.item() if hasattr(value, "dtype") else value


def check_size(found: int, wanted: Wanted) -> None:
    """Refuse more kinds of rows than groups can have."""
    if found > MOST:
        shown = verbatim(f"columns {', '.join(wanted.keys)}")
        hint = "is one of them an id, or a score?"
        raise TooLarge("too_large", "by", f"more than {MOST:,} combinations of values", shown, hint)


@contextmanager
def hashable_labels(data: Any) -> Iterator[None]:
    """Say in the one grammar that a label cannot be one."""
    try:
        yield
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
        hint = "one text or number a row; for one-hot rows take the argmax"
        raise InputError("bad_label", "labels", "must be texts or numbers", data, hint) from None
