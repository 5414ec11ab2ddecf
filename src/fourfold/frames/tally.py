"""What every way of counting hands on: the columns, how often their values occur together, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
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
    """The columns asked for, by name."""

    truth: str
    prediction: str
    by: tuple[str, ...]

    def places(self, header: Sequence[str], where: str | Path) -> list[int]:
        """Find the columns: truth, prediction, groups; none may serve twice."""
        asked = [("truth", self.truth), ("prediction", self.prediction), *(("by", name) for name in self.by)]
        found = columns(header, asked, where)
        for n, place in enumerate(found):
            if place in found[:n]:
                argument, name = asked[n]
                other = asked[found.index(place)][0]
                raise InputError("ambiguous", argument, f"is a column already named by {other}", name, "name another")
        return found


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
    for actual, predicted, *group, count in _ordered([(*map(plain, cell[:-1]), int(cell[-1])) for cell in tally.cells]):
        if actual is None or predicted is None:
            missing[truth if actual is None else prediction] += count
        else:
            pairs.setdefault(tuple(group), Counter())[actual, predicted] += count
    rows = missing.total() + sum(counts.total() for counts in pairs.values())
    assert tally.rows in (None, rows), f"{tally.rows} rows, but {rows} were counted"
    if not rows:
        raise InputError("empty", "data", "has no rows", verbatim("0 rows"), "check the filter before it")
    return Counted(tuple(by), pairs, rows, missing)


def _ordered(cells: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Sort by group, then labels, what is missing last: engines give an order of their own, another in each run."""
    try:
        return sorted(cells, key=lambda cell: [(value is None, value) for value in (*cell[2:-1], *cell[:2])])
    except TypeError:  # values of several kinds
        return sorted(cells, key=lambda cell: [(value is None, str(value)) for value in (*cell[2:-1], *cell[:2])])


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
        shown = verbatim(f"columns {', '.join((wanted.truth, wanted.prediction, *wanted.by))}")
        hint = "is one of them an id, or a score?"
        raise TooLarge("too_large", "by", f"more than {MOST:,} combinations of values", shown, hint)
