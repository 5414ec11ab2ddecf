"""What is searched: parts, each with the tables it may have, tied by sums over the parts.

One test set is one part; classes are a part each, whose sums of counts are known; folds are alike parts, of which
there are so many. Nothing here knows what the parts are called.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..exact.surd import Exact, Surd
from ..shape import finite
from ..strategy import strategy
from .rows import Ints, Rows, unrolled

Floats: TypeAlias = NDArray[np.float64]
Cells: TypeAlias = dict[str, Any]

#: Sums of floats are trusted to this share of all that was added up.
TRUSTED: Final = 1e-11


class Part:
    """The tables that each of so many alike parts may have, as columns of counts."""

    def __init__(self, tp: Ints, fn: Ints, fp: Ints, tn: Ints, *, count: int = 1, sparse: bool = False) -> None:
        self.tp, self.fn, self.fp, self.tn = tp, fn, fp, tn
        #: How many parts there are of this kind.
        self.count = count
        #: Whether tables were left out that the parts may have: then nothing is proven by what is listed.
        self.sparse = sparse

    @classmethod
    def of(cls, rows: Rows) -> Part:
        """List the tables of some rows."""
        row, tn = unrolled(rows.low, rows.high - rows.low + 1)
        tp = rows.tp[row]
        return cls(tp, rows.positives[row] - tp, rows.negatives[row] - tn, tn)

    @classmethod
    def with_margins(cls, count: int, margins: Sequence[tuple[int, int]]) -> Part:
        """List all tables with any of these margins, sorted by positives, tp and tn."""
        columns: list[list[Ints]] = [[], [], [], []]
        for positives, negatives in sorted(margins):
            tp = np.repeat(np.arange(positives + 1), negatives + 1)
            tn = np.tile(np.arange(negatives + 1), positives + 1)
            for column, new in zip(columns, (tp, positives - tp, negatives - tn, tn), strict=True):
                column.append(new)
        return cls(*(np.concatenate(column) for column in columns), count=count)

    @classmethod
    def grid(
        cls,
        count: int,
        margins: tuple[int, int],
        steps: int,
        around: Sequence[tuple[int, int]] = (),
        share: float = 1.0,
    ) -> Part:
        """List tables spread evenly: about so many counts of tp and of tn over all, or over a share around some."""
        grids = []
        for table in around or [(0, 0)]:
            columns = []
            for centre, size in zip(table, margins, strict=True):
                low, high = (centre - share * size / 2, centre + share * size / 2) if around else (0, size)
                counts = np.rint(np.linspace(low, high, steps + 1)).astype(np.int64)
                columns.append(np.unique(np.clip(counts, 0, size)))
            tp, tn = columns
            grids.append(np.column_stack([np.repeat(tp, len(tn)), np.tile(tn, len(tp))]))
        tp, tn = np.unique(np.vstack(grids), axis=0).T
        return cls(tp, margins[0] - tp, margins[1] - tn, tn, count=count, sparse=True)

    def __len__(self) -> int:
        return len(self.tp)

    @cached_property
    def positives(self) -> Ints:
        """The positives of each table."""
        return self.tp + self.fn

    @cached_property
    def negatives(self) -> Ints:
        """The negatives of each table."""
        return self.fp + self.tn

    @cached_property
    def predicted(self) -> Ints:
        """The predicted positives of each table."""
        return self.tp + self.fp

    @cached_property
    def same_margins(self) -> bool:
        """Whether all tables have the same positives and negatives."""
        return all(bool((side == side[:1]).all()) for side in (self.positives, self.negatives))

    def cells(self) -> Cells:
        """Return the four counts by name, as columns."""
        return {"tp": self.tp, "fn": self.fn, "fp": self.fp, "tn": self.tn}

    def table(self, place: int) -> dict[str, int]:
        """Return the four counts of one table."""
        return {name: int(column[place]) for name, column in self.cells().items()}

    def at(self, places: Any) -> Part:
        """Return the part with some of its tables."""
        columns = (column[places] for column in (self.tp, self.fn, self.fp, self.tn))
        return Part(*columns, count=self.count, sparse=self.sparse)

    def places(self, positives: Any, tp: Any, tn: Any) -> Ints:
        """Return where tables are in a list that is sorted by positives, tp and tn; -1 where they are not."""
        inside = (tp >= 0) & (tp <= positives) & (tn >= 0) & (tn < self._stride) & (positives >= 0)
        wanted = np.where(inside, self._key(positives, tp, tn), -1)
        place = np.minimum(np.searchsorted(self._keys, wanted), len(self) - 1)
        return np.where(self._keys[place] == wanted, place, -1)

    @cached_property
    def _keys(self) -> Ints:
        """One number for each table, rising."""
        return np.asarray(self._key(self.positives, self.tp, self.tn))

    @cached_property
    def _stride(self) -> int:
        return int((self.positives + self.negatives).max()) + 1 if len(self) else 1

    def _key(self, positives: Any, tp: Any, tn: Any) -> Any:
        """Return the number of a table: a machine integer, or one of Python's where it could be too large."""
        kind: Any = np.int64 if self._stride**3 < strategy().machine_integers_below else object
        positives, tp, tn = (np.asarray(column, dtype=kind) for column in (positives, tp, tn))
        return (positives * self._stride + tp) * self._stride + tn


def _plain_witness(witness: Any) -> dict[str, Any] | None:
    """Return a table, or the margins of classes by their names, as plain values."""
    if not witness:
        return None
    if not isinstance(witness, tuple):
        return witness.cells()  # type: ignore[no-any-return]
    return {each.label: {name: n for name, n in each._asdict().items() if name != "label"} for each in witness}


class Bounds(NamedTuple):
    """A score's smallest and largest value over all that fits; None where it is undefined for all.

    No value lies beyond an end. Where an end is not attained, the value found nearest to it stands beside it.
    """

    low: Annotated[float | None, "No smaller value is possible; null where it is undefined for all.", finite]
    high: Annotated[float | None, "No larger value is possible; null where undefined for all, or without end.", finite]
    low_witness: Annotated[Any, "A table or margins with the smallest value, or near it.", _plain_witness] = None
    high_witness: Annotated[Any, "A table or margins with the largest value, or near it.", _plain_witness] = None
    low_attained: Annotated[bool, "Whether the smallest value is attained."] = True
    high_attained: Annotated[bool, "Whether the largest value is attained."] = True
    low_found: Annotated[float | None, "Of parts: the smallest value that was found.", finite] = None
    high_found: Annotated[float | None, "Of parts: the largest value that was found.", finite] = None

    def joined(self, other: Bounds) -> Bounds:
        """Return the bounds over two sets of tables; of equal ends, one with a table, and this one's first."""
        if self.low is None or self.high is None:
            return other
        if other.low is None or other.high is None:
            return self
        low = other if (other.low, not other.low_attained) < (self.low, not self.low_attained) else self
        high = other if (-other.high, not other.high_attained) < (-self.high, not self.high_attained) else self
        return Bounds(low.low, high.high, low.low_witness, high.high_witness, low.low_attained, high.high_attained)

    @classmethod
    def proven(cls, low: float, high: float, low_found: float | None = None, high_found: float | None = None) -> Bounds:
        """Return proven ends, and values beside them that were found."""
        return cls(low, high, None, None, low == low_found, high == high_found, low_found, high_found)


def larger(value: Exact, end: Fraction) -> bool:
    """Tell whether an exact number is larger than a rational one; a float of a root is rounded rightly."""
    if isinstance(value, Surd):
        near, goal = float(value), float(end)
        if abs(near - goal) > TRUSTED * (1 + abs(goal)):
            return near > goal
    return bool(value > end)


def within(value: Exact, low: Fraction | None, high: Fraction | None, *, opened: tuple[bool, bool]) -> bool:
    """Tell whether an exact number lies in an interval; None is no end."""
    above = low is None or (larger(value, low) if opened[0] else not larger(-value, -low))
    return above and (high is None or (larger(-value, -high) if opened[1] else not larger(value, high)))
