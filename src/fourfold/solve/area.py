"""The area under the ROC curve beside a table at one threshold.

With p positives and n negatives the area is U / (p n), where U counts the pairs of a positive and a negative that are
ranked right, ties half: a multiple of one half. A table leaves ``tp tn <= U <= p n - fn fp``, and every half between is
the U of some ranking. For a given tp both ends are linear in tn, so that a claim about the area narrows each row.

A convex curve through the table's point lies above the straight lines from there to the corners, and below one line
through it. The slope that leaves most room gives the upper end; for a given tp it only rises with tn, too. That leaves
no convex curve out; a few halves between the ends, and sometimes the uppermost, are of no convex curve.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from ..exact.reported import Reported
from ..strategy import strategy
from ..table import Table
from .problem import Bounds
from .rows import Ints, Rows

#: Whether the curve may have any form, or is convex: the farther right, the less steep.
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
        cells = (table.positives, table.negatives, table.tp, table.tn)
        p, n, tp, tn = (np.array([count], dtype=object) for count in cells)
        # A convex curve lies nowhere below the diagonal.
        if not (p * n).all() or (self.curve == "convex" and (tp * n + p * tn < p * n).all()):
            return False
        first, last = self._within(p * n)
        least, most = np.maximum(self._least(p, n, tp, tn), first), np.minimum(self._most(p, n, tp, tn), last)
        return bool((least <= most).all())

    def _least(self, p: Any, n: Any, tp: Any, tn: Any) -> Any:
        """Return the smallest 2 U that tables leave; it rises with tn."""
        return 2 * tp * tn if self.curve == "any" else tp * n + p * tn

    def _most(self, p: Any, n: Any, tp: Any, tn: Any) -> Any:
        """Return the largest 2 U that tables leave; it rises with tn."""
        return 2 * p * n - (2 * (p - tp) * (n - tn) if self.curve == "any" else _lost(p, n, tp, tn))

    def _within(self, pairs: Any) -> tuple[Any, Any]:
        """Return the smallest and the largest whole 2 U for which U over the pairs lies in all intervals."""
        first, last = 0 * pairs, 2 * pairs
        for interval in self.intervals:
            low, high = 2 * interval.low, 2 * interval.high
            least = -(-low.numerator * pairs // low.denominator)
            most = high.numerator * pairs // high.denominator
            if interval.low_open:
                least = least + (least * low.denominator == low.numerator * pairs)
            if interval.high_open:
                most = most - (most * high.denominator == high.numerator * pairs)
            first, last = np.maximum(first, least), np.minimum(last, most)
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
        rows = rows.kept(keep)
        p, n, tp, pairs, first, last = (part[keep] for part in (p, n, tp, pairs, first, last))
        low, high, fn = rows.low.astype(p.dtype), rows.high.astype(p.dtype), p - tp
        most_lost = 2 * pairs - first
        if self.curve == "any":
            high = np.where(tp > 0, np.minimum(high, last // np.where(tp > 0, 2 * tp, 1)), high)
            low = np.where(fn > 0, np.maximum(low, n - most_lost // np.where(fn > 0, 2 * fn, 1)), low)
        else:
            high = np.minimum(high, (last - tp * n) // p)
            low = np.maximum(low, -((tp * n - pairs) // p))
            low = np.maximum(low, _least_tn(p, n, tp, most_lost))
        low, high = np.minimum(low, n + 1), np.maximum(high, -1)
        return rows.narrowed(np.asarray(low, dtype=np.int64), np.asarray(high, dtype=np.int64))

    def _wide(self, rows: Rows) -> tuple[Any, Any, Any]:
        """Return positives, negatives and tp in integers that do not overflow: machine integers, or Python's."""
        ends = [end for one in self.intervals for end in (one.low, one.high)]
        digits = [abs(part) for end in ends for part in (end.numerator, end.denominator)]
        margins = int(rows.positives.max()) + 1, int(rows.negatives.max()) + 1
        size = 4 * margins[0] * margins[1] * max([1, *digits])
        if self.curve == "convex":
            size = max(size, 4 * max(margins) ** 3)
        kind: Any = np.int64 if size < strategy().machine_integers_below else object
        return rows.positives.astype(kind), rows.negatives.astype(kind), rows.tp.astype(kind)

    def bounds(self, rows: Rows) -> Bounds:
        """Return the smallest and the largest area that rankings with such an area and a table of some rows have."""
        ends = self.ends(rows)
        if ends is None:
            return Bounds(None, None)
        (low, low_table), (high, high_table) = ends
        return Bounds(float(low), float(high), low_table, high_table)

    def ends(self, rows: Rows) -> tuple[End, End] | None:
        """Return the bounds exactly; None where no table fits."""
        rows = self.cut(rows)
        if not len(rows):
            return None
        p, n, tp = self._wide(rows)
        first, last = self._within(p * n)
        # The smallest is at the low end of a row, the largest at its high.
        least = np.maximum(self._least(p, n, tp, rows.low.astype(p.dtype)), first)
        most = np.minimum(self._most(p, n, tp, rows.high.astype(p.dtype)), last)
        smallest, largest = _place(least, p * n, min), _place(most, p * n, max)
        return _end(rows, least, rows.low, smallest), _end(rows, most, rows.high, largest)


def _lost(p: Any, n: Any, tp: Any, tn: Any) -> Any:
    """Return the least ``2 (p n - U)`` of a convex curve through a point that is not below the diagonal.

    With x = fp / n, y = tp / p and a line of slope s through the point, the area below it and below 1 misses
    ``x (1 - y) + s x² / 2 + (1 - y)² / (2 s)`` of the whole. That is least at s = (1 - y) / x, or as near to it as the
    line may come: it passes neither below the corner at the left nor below that at the right.
    """
    fn, fp = p - tp, n - tn
    steepest = -(-p * p * fp // np.maximum(tp, 1))
    flattest = -(-n * n * fn // np.maximum(tn, 1))
    return np.where(2 * tp < p, steepest, np.where(2 * fp > n, flattest, 4 * fn * fp))


def _least_tn(p: Any, n: Any, tp: Any, most: Any) -> Any:
    """Return the least tn in each row at which a convex curve can have ``2 (p n - U)`` of at most `most`."""
    fn, half = p - tp, -(-n // 2)
    right = np.where(fn > 0, -(-n * n * fn // np.maximum(most, 1)), 0)
    left = np.where(fn > 0, np.maximum(half, n - most // np.where(fn > 0, 4 * fn, 1)), 0)
    flat = np.where((2 * right < n) & (most > 0), right, left)
    return np.where(2 * tp < p, n - most * tp // (p * p), np.where(fn > 0, flat, 0))


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
