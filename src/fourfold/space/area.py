"""The area under the ROC curve beside a table at one threshold.

With p positives and n negatives the area is U / (p n), where U counts the pairs of a positive and a negative that are
ranked right, ties half: a multiple of one half. A table leaves ``tp tn <= U <= p n - fn fp``, and every half between is
the U of some ranking. For a given tp both ends are linear in tn, so that a claim about the area narrows each row.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from ..reported import Reported
from ..strategy import strategy
from ..table import Table
from .extremes import Bounds
from .rows import Ints, Rows

#: Whether the curve may have any form, or is convex: nowhere below the straight lines from its point to the corners.
Curve: TypeAlias = Literal["any", "convex"]

#: A value at an end, and a table that has it.
End: TypeAlias = tuple[Fraction, Table]

# Areas as close as this in floats are compared exactly.
_CLOSE: Final = 1e-9


class Area(NamedTuple):
    """What is said about the area under a ROC curve: intervals that it lies in, and the form of the curve.

    Examples
    --------
    >>> area = Area((Reported.read("0.71"),))
    >>> area.fits(Table(tp=95, fn=5, fp=10, tn=190)), area.fits(Table(tp=60, fn=40, fp=40, tn=160))
    (False, True)
    """

    intervals: tuple[Reported, ...] = ()
    curve: Curve = "any"

    def fits(self, table: Table) -> bool:
        """Tell whether some ranking has both the table and such an area, from the definition."""
        pairs = table.positives * table.negatives
        if not pairs:
            return False
        least, most = self._ends(table)
        first, last = self._within(pairs)
        return bool(max(least, first) <= min(most, last))

    def _ends(self, table: Table) -> tuple[int, int]:
        """Return the smallest and the largest 2 U that a table leaves; the first is larger where it leaves none."""
        tp, fn, fp, tn = table.cells().values()
        pairs = table.positives * table.negatives
        most = 2 * (pairs - fn * fp)
        if self.curve == "any":
            return 2 * tp * tn, most
        chords = tp * table.negatives + table.positives * tn
        # A convex curve lies nowhere below the diagonal.
        return (chords, most) if chords >= pairs else (1, 0)

    def _step(self, interval: Reported, pairs: Any) -> tuple[Any, Any]:
        """Return the smallest and the largest whole 2 U with U over the pairs in an interval."""
        low, high = 2 * interval.low, 2 * interval.high
        first = -(-low.numerator * pairs // low.denominator)
        last = high.numerator * pairs // high.denominator
        if interval.low_open:
            first = first + (first * low.denominator == low.numerator * pairs)
        if interval.high_open:
            last = last - (last * high.denominator == high.numerator * pairs)
        return first, last

    def _within(self, pairs: Any) -> tuple[Any, Any]:
        """Return the smallest and the largest 2 U that lie in all intervals."""
        first, last = 0 * pairs, 2 * pairs
        for interval in self.intervals:
            low, high = self._step(interval, pairs)
            first, last = np.maximum(first, low), np.minimum(last, high)
        return first, last

    def cut(self, rows: Rows) -> Rows:
        """Keep the tables that some ranking with such an area has."""
        rows = rows.kept((rows.positives > 0) & (rows.negatives > 0))
        if not len(rows):
            return rows
        p, n, tp = self._wide(rows)
        pairs = p * n
        first, last = self._within(pairs)
        keep = np.asarray((first <= last) & (last >= 0) & (first <= 2 * pairs), dtype=bool)
        rows, p, n, tp, pairs, first, last = (
            rows.kept(keep),
            *(part[keep] for part in (p, n, tp, pairs, first, last)),
        )
        low, high, fn = rows.low.astype(p.dtype), rows.high.astype(p.dtype), p - tp
        if self.curve == "any":
            high = np.where(tp > 0, np.minimum(high, last // np.where(tp > 0, 2 * tp, 1)), high)
        else:
            high = np.minimum(high, (last - tp * n) // p)
            low = np.maximum(low, -((tp * n - pairs) // p))
        missed = (2 * pairs - first) // 2
        low = np.where(fn > 0, np.maximum(low, n - missed // np.where(fn > 0, fn, 1)), low)
        low, high = np.minimum(low, n + 1), np.maximum(high, -1)
        return rows.narrowed(np.asarray(low, dtype=np.int64), np.asarray(high, dtype=np.int64))

    def _wide(self, rows: Rows) -> tuple[Any, Any, Any]:
        """Return positives, negatives and tp in integers that do not overflow: machine integers, or Python's."""
        digits = [
            abs(part)
            for one in self.intervals
            for end in (one.low, one.high)
            for part in (end.numerator, end.denominator)
        ]
        size = 4 * (int(rows.positives.max()) + 1) * (int(rows.negatives.max()) + 1) * max([1, *digits])
        columns = rows.positives, rows.negatives, rows.tp
        if size < strategy().machine_integers_below:
            return columns
        return columns[0].astype(object), columns[1].astype(object), columns[2].astype(object)

    def bounds(self, rows: Rows) -> Bounds:
        """Return the smallest and the largest area that rankings with such an area and a table of some rows have."""
        ends = self.ends(rows)
        if ends is None:
            return Bounds(None, None, None, None)
        (low, low_table), (high, high_table) = ends
        return Bounds(float(low), float(high), low_table, high_table)

    def ends(self, rows: Rows) -> tuple[End, End] | None:
        """Return the bounds exactly; None where no table fits."""
        rows = self.cut(rows)
        if not len(rows):
            return None
        p, n, tp = self._wide(rows)
        first, last = self._within(p * n)
        low, high = rows.low.astype(p.dtype), rows.high.astype(p.dtype)
        # Both ends that a table leaves rise with tn: the smallest is at the low end of a row, the largest at its high.
        least = 2 * tp * low if self.curve == "any" else tp * n + p * low
        least, most = np.maximum(least, first), np.minimum(2 * (p * n - (p - tp) * (n - high)), last)
        smallest, largest = _place(least, p * n, min), _place(most, p * n, max)
        return _end(rows, least, rows.low, smallest), _end(rows, most, rows.high, largest)


def _end(rows: Rows, halves: Any, tn: Ints, place: int) -> End:
    table = Table.of_counts(*(int(cell[place]) for cell in rows.cells(tn)))
    return Fraction(int(halves[place]), 2 * table.positives * table.negatives), table


def _place(top: Any, bottom: Any, pick: Callable[..., Any]) -> int:
    """Return the place of the smallest or of the largest of some fractions."""
    if (bottom == bottom[0]).all():
        return int(np.argmin(top) if pick is min else np.argmax(top))
    values = np.asarray(top, dtype=np.float64) / np.asarray(bottom, dtype=np.float64)
    near = np.flatnonzero(np.abs(values - pick(values.min(), values.max())) <= _CLOSE)
    exact = {(int(top[i]), int(bottom[i])): i for i in near.tolist()}
    return int(exact[pick(exact, key=lambda pair: Fraction(*pair))])
