"""Tables as rows: the margins, tp, and an interval of tn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..strategy import strategy
from ..table import Table

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
#: Positives, negatives, tp, and the smallest and largest tn.
Record = tuple[int, int, int, int, int]


def exact_sum(numbers: Ints) -> int:
    """Return the sum of machine integers, which may be no machine integer itself.

    Examples
    --------
    >>> exact_sum(np.full(100, 2**62)) == 100 * 2**62
    True
    """
    # There are fewer than 2**31 numbers: neither half overflows.
    return (int((numbers >> 32).sum()) << 32) + int((numbers & 0xFFFFFFFF).sum())


def first_of_alike(values: NDArray[Any]) -> NDArray[np.intp]:
    """Return where each distinct line of a matrix comes first, in the order of the lines.

    As `np.unique` along an axis does, in a fraction of its time: that compares lines as wholes.

    Examples
    --------
    >>> first_of_alike(np.array([[2, 1], [1, 3], [2, 1], [1, 2]])).tolist()
    [3, 1, 0]
    """
    if not values.size:
        return np.unique(values, axis=0, return_index=True)[1]
    order = np.lexsort(values.T[::-1])
    ordered = values[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return order[new]


def unrolled(start: Ints, ways: Ints) -> tuple[Ints, Ints]:
    """Return each place as often as it has ways, and with it the numbers from its start on, so many.

    Examples
    --------
    >>> place, number = unrolled(np.array([5, 7]), np.array([2, 1]))
    >>> place.tolist(), number.tolist()
    ([0, 0, 1], [5, 6, 7])
    """
    place = np.repeat(np.arange(len(ways)), ways)
    return place, np.arange(len(place)) - np.repeat(np.cumsum(ways) - ways, ways) + start[place]


class Pairs:
    """Which numbers of a list lie between two ends, for many such ends: pairs of both, counted in order.

    Examples
    --------
    >>> pairs = Pairs(np.array([5, 1, 3]), np.array([2, 0]), np.array([9, 1]))
    >>> pairs.total, [places.tolist() for places in pairs.at(np.arange(3))]
    (3, [[0, 0, 1], [2, 0, 1]])
    """

    def __init__(self, numbers: NDArray[Any], low: NDArray[Any], high: NDArray[Any]) -> None:
        #: The places of the numbers as they rise; where in these each pair of ends starts, and how many it has.
        self.order = np.argsort(numbers, kind="stable")
        ordered = numbers[self.order]
        self.start = np.searchsorted(ordered, low)
        self.ways = np.maximum(np.searchsorted(ordered, high, side="right") - self.start, 0)
        self.total = int(self.ways.sum())

    def at(self, pairs: Ints) -> tuple[Ints, Ints]:
        """Return the places of the ends, and of the numbers, of some pairs."""
        up_to = np.cumsum(self.ways)
        ends = np.searchsorted(up_to, pairs, side="right")
        return ends, self.order[self.start[ends] + pairs - (up_to - self.ways)[ends]]


class _Column:
    """One of the five columns of some rows."""

    def __init__(self, place: int) -> None:
        self._place = place

    def __get__(self, rows: Rows, owner: type[Rows]) -> Ints:
        return rows.columns[self._place]


class Rows:
    """Tables as rows: margins, tp, and an interval of tn that is not empty. One tp may have several rows.

    `positives`, `negatives` and `tp` are those of each row, `low` and `high` its smallest and largest tn. They are kept
    as five arrays or as a list of records, whatever they were made from; the other is made when asked.

    Examples
    --------
    >>> Rows.of([2, 2], [5, 5], [0, 1], [3, 2], [5, 2]).count
    4
    """

    positives, negatives, tp, low, high = map(_Column, range(5))

    def __init__(self, positives: Ints, negatives: Ints, tp: Ints, low: Ints, high: Ints) -> None:
        self.columns = (positives, negatives, tp, low, high)

    @classmethod
    def of(cls, *columns: Any) -> Rows:
        """Build rows from five columns of integers."""
        return cls(*(np.asarray(column, dtype=np.int64) for column in columns))

    @classmethod
    def of_records(cls, records: list[Record]) -> Rows:
        """Build rows from records."""
        rows = cls.__new__(cls)
        rows.records = records
        return rows

    @classmethod
    def joined(cls, pieces: Sequence[Rows]) -> Rows:
        """Put rows together."""
        if not pieces:
            return cls.of_records([])
        if len(pieces) == 1:
            return pieces[0]
        return cls(*(np.concatenate(parts) for parts in zip(*(piece.columns for piece in pieces), strict=True)))

    @cached_property
    def columns(self) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """The five columns."""
        positives, negatives, tp, low, high = np.array(self.records, dtype=np.int64).reshape(-1, 5).T
        return positives, negatives, tp, low, high

    @cached_property
    def records(self) -> list[Record]:
        """The rows as records of plain integers."""
        return list(zip(*(column.tolist() for column in self.columns), strict=True))

    @property
    def few(self) -> bool:
        """Whether they were made as records: there are so few that plain integers beat arrays."""
        return "columns" not in self.__dict__

    def __len__(self) -> int:
        return len(self.columns[0] if "columns" in self.__dict__ else self.records)

    @property
    def count(self) -> int:
        """How many tables there are."""
        if self.few:
            return sum([high - low + 1 for _, _, _, low, high in self.records])
        return self._sum

    @cached_property
    def _sum(self) -> int:
        return exact_sum(self.high - self.low) + len(self)

    def first(self) -> Table:
        """Return the first table of the smallest total."""
        i = int(np.argmin(self.positives + self.negatives))
        return Table.of_counts(*(int(part[i]) for part in self.cells(self.low)))

    def tables(self) -> Iterator[Table]:
        """Walk the tables, smallest total first, then by positives, tp and tn."""
        for i in self._order:
            positives, negatives, tp, low, high = (int(column[i]) for column in self.columns)
            for tn in range(low, high + 1):
                yield Table.of_counts(tp, positives - tp, negatives - tn, tn)

    @cached_property
    def _order(self) -> Iterable[int]:
        """The places of the rows in the order of `tables`. Most come in it: to see that takes a tenth of sorting."""
        keys = (self.positives + self.negatives, self.positives, self.tp, self.low)
        tied = np.ones(max(len(self) - 1, 0), dtype=bool)
        for key in keys:
            steps = np.diff(key)
            if (steps[tied] < 0).any():
                return np.lexsort(keys[::-1])
            tied &= steps == 0
        return range(len(self))

    def kept(self, keep: Bools) -> Rows:
        """Return some of the rows."""
        return self if keep.all() else self.at(keep)

    def at(self, places: Any) -> Rows:
        """Return the rows at some places."""
        return Rows(*(column[places] for column in self.columns))

    def picked(self, numbers: Sequence[int]) -> Rows:
        """Return the tables with some numbers, counted from 0 through all, each as a row of its own.

        Examples
        --------
        >>> Rows.of([2, 2], [5, 5], [0, 1], [3, 2], [5, 2]).picked([0, 2, 3]).records
        [(2, 5, 0, 3, 3), (2, 5, 0, 5, 5), (2, 5, 1, 2, 2)]
        """
        # There may be more tables than machine integers count.
        kind: Any = np.int64 if self.count < strategy().machine_integers_below else object
        wanted, ends = np.array(numbers, dtype=kind), np.cumsum((self.high - self.low + 1).astype(kind))
        row = np.searchsorted(ends, wanted, side="right")
        part = self.at(row)
        tn = np.asarray(part.high - (ends[row] - 1 - wanted), dtype=np.int64)
        return Rows(part.positives, part.negatives, part.tp, tn, tn)

    def narrowed(self, low: Ints, high: Ints) -> Rows:
        """Return the rows with other ends; those that end up empty are dropped."""
        return Rows(self.positives, self.negatives, self.tp, low, high).kept(low <= high)

    def cells(self, tn: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """Return tp, fn, fp, tn at a tn in each row."""
        return self.tp, self.positives - self.tp, self.negatives - tn, tn

    def without(self, tn: Ints, where: Bools) -> Rows:
        """Take one tn out of some rows; a row that has it inside is split in two."""
        inside = where & (self.low <= tn) & (tn <= self.high)
        if not inside.any():
            return self
        below, above = self.narrowed(self.low, np.where(inside, tn - 1, self.high)), self.kept(inside)
        return Rows.joined([below, above.narrowed(tn[inside] + 1, above.high)])
