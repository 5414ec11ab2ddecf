"""The smallest and largest value of each metric over a set of tables.

By row monotonicity an extreme sits at the end of a row, or one step inwards where the end itself is undefined. With
many rows they are first taken in blocks: a metric that is monotone in tp and in tn has its extremes over a box at the
box's corners, so a block whose corners cannot beat a value already found is not looked into. For a metric that is not
row-monotone every table is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..exact import CELLS, Formula, Program
from ..exact.surd import Exact
from ..metrics import Metric
from ..strategy import strategy
from ..table import Table
from .problem import Bounds
from .region import row_monotone, values_with_error
from .rows import Ints, Record, Rows

Floats = NDArray[np.float64]

# At most so many tables are compared exactly for one extreme: floats, and long floats, put the true one among them.
_MOST_EXACT: Final = 200
_MOST_EXACT_LONG: Final = 2000
# Where nothing cancels, floats are off by no more than this.
_ROUNDING: Final = 1e-12
_MOST_NAMED: Final = 256
# Of a metric that is not row-monotone every table is looked at, up to so many: about a second.
_MOST_TABLES: Final = 2_000_000


NOTHING: Final = Bounds(None, None)


def bounds(rows: Rows, metrics: Sequence[Metric]) -> dict[str, Bounds]:
    """Return the bounds of metrics over a set of tables."""
    if not len(rows):
        return {metric.id: NOTHING for metric in metrics}
    names, batch = _named(metrics)
    return dict(zip(names, _extremes(rows, batch), strict=True))


def extremes(rows: Rows, formulas: Sequence[Formula]) -> list[Bounds]:
    """Return the bounds of formulas over a set of tables."""
    return _extremes(rows, _batch(tuple(formulas))) if len(rows) else [NOTHING] * len(formulas)


def _extremes(rows: Rows, batch: _Batch) -> list[Bounds]:
    formulas = batch.formulas
    found: dict[int, Bounds] = {}
    if batch.uneven:
        if rows.count > _MOST_TABLES:
            problem = f"is not monotone, and there are more than {_MOST_TABLES} tables to look at one by one"
            hint = "give more sizes or scores"
            raise InputError("bad_metric", "metric", problem, formulas[batch.uneven[0]].text(), hint)
        each_table = rows.picked(range(rows.count))
        found.update(zip(batch.uneven, _all_ends(each_table, batch.some(batch.uneven)), strict=True))
    many = len(rows) > strategy().hull_above_rows
    one_box = many and all((part == part[0]).all() for part in (rows.positives, rows.negatives))
    if one_box and batch.flat and (cells := _corners(rows)) is not None:
        # Ratios of affine forms at the corners of the convex hull, all others block by block.
        own = batch.some(batch.flat)
        found.update(zip(batch.flat, _picked(own.formulas, own.values(cells)[0], _Tables(cells)), strict=True))
    if not found and not one_box:
        return _all_ends(rows, batch)
    if rest := [i for i in range(len(formulas)) if i not in found]:
        blocks = one_box and len(rows) > strategy().blocks_above_rows
        own = batch.some(rest)
        curved = _by_blocks(rows, own, math.isqrt(len(rows))) if blocks else _all_ends(rows, own)
        found.update(zip(rest, curved, strict=True))
    return [found[i] for i in range(len(formulas))]


def _corners(rows: Rows) -> Ints | None:
    """Return tables among which are all corners of the convex hull; None where the rows do not lend themselves to it.

    A ratio of affine forms has its extremes over any finite set at corners of its hull. Rows at the rim, where a metric
    may be undefined, are left out of the hull and looked at themselves.
    """
    positives, negatives = int(rows.positives[0]), int(rows.negatives[0])
    ordered = bool((rows.tp[1:] >= rows.tp[:-1]).all())
    if not ordered or max(positives, negatives) >= strategy().hull_below_margin:
        return None
    fn, fp = positives - rows.tp, negatives - rows.high
    least = np.minimum(np.minimum(rows.tp, fn), np.minimum(rows.low, fp))
    inner, rim = np.flatnonzero(least), np.flatnonzero(least == 0)
    if len(rim) > strategy().hull_up_to_rim_rows:
        return None
    ends = [_points(rows.at(rim))[0]] if len(rim) else []
    for tn, sign in ((rows.low, 1), (rows.high, -1)):
        place = inner[_hull(rows.tp[inner], tn[inner], sign)]
        hits, rest = rows.tp[place], tn[place]
        ends.append(np.array([hits, positives - hits, negatives - rest, rest]))
    return np.concatenate(ends, axis=1)


def _hull(x: Ints, y: Ints, sign: int) -> Ints:
    """Return the places of points among which are all corners: a point on or above its neighbours' line is none."""
    place = np.arange(len(x))
    for _ in range(strategy().hull_passes):
        run, rise = x[1:] - x[:-1], y[1:] - y[:-1]
        keep = np.ones(len(x), dtype=bool)
        left, right = run[:-1] * rise[1:], rise[:-1] * run[1:]
        keep[1:-1] = left > right if sign > 0 else left < right
        kept = np.flatnonzero(keep)
        if len(kept) == len(x):
            break
        place, x, y = place[kept], x[kept], y[kept]
    return place


class _Batch:
    """Formulas compiled together, with the guards that tell where some of them lose their digits."""

    def __init__(self, formulas: tuple[Formula, ...]) -> None:
        self.formulas = formulas
        self.uneven = [i for i, formula in enumerate(formulas) if not row_monotone(formula)]
        self.flat = [i for i, formula in enumerate(formulas) if formula.flat and i not in self.uneven]
        self.cancelling = [i for i, formula in enumerate(formulas) if formula.cancels]
        guards = [guard for i in self.cancelling for guard in formulas[i].guards if guard.signed]
        self._program = Program((*formulas, *guards, *(guard.unsigned for guard in guards)))
        self._guards = len(guards)

    def some(self, chosen: Sequence[int]) -> _Batch:
        """Return a batch of some of the formulas."""
        return _batch(tuple(self.formulas[i] for i in chosen))

    def at(self, cell: tuple[int, int, int, int]) -> list[float] | None:
        """Return the values at one table; None where a denominator nearly cancels."""
        values = self._program.at(cell)
        first, least = len(self.formulas), strategy().long_floats_where_left
        for i in range(first, first + self._guards):
            if not abs(values[i]) > least * values[i + self._guards]:
                return None
        return values[:first]

    def values(self, cells: Ints) -> tuple[Floats, bool]:
        """Return a row of values a formula, and whether a denominator nearly cancels anywhere."""
        if cells.shape[1] <= strategy().plain_tables_up_to:
            values = np.array([self._program.at(column) for column in cells.T.tolist()]).T
        else:
            values = self._program.over(tuple(cells))
        own, guards = values[: len(self.formulas)], values[len(self.formulas) :]
        if not self._guards:
            return own, False
        sizes, largest = np.abs(guards[: self._guards]), guards[self._guards :]
        return own, not bool((sizes > strategy().long_floats_where_left * largest).all())


# Formulas hash and compare at once, and the same batches are asked for again and again.
_batch = lru_cache(maxsize=256)(_Batch)


# The ids and the compiled formulas of tuples of metrics, each with its tuple, whose place is nobody else's then.
_NAMED: Final[dict[int, tuple[Sequence[Metric], list[str], _Batch]]] = {}


def _named(metrics: Sequence[Metric]) -> tuple[list[str], _Batch]:
    """Return the ids and the compiled formulas of metrics: all of the catalogue are asked for again and again."""
    kept = _NAMED.get(id(metrics))
    if kept is None:
        kept = metrics, [metric.id for metric in metrics], _batch(tuple(metric.formula for metric in metrics))
        if isinstance(metrics, tuple):
            if len(_NAMED) >= _MOST_NAMED:
                _NAMED.clear()
            _NAMED[id(metrics)] = kept
    return kept[1:]


def _all_ends(rows: Rows, batch: _Batch) -> list[Bounds]:
    """Look at both ends of each row, a piece at a time, and one step inwards at the rim: an end may be undefined there.

    The bounds over several pieces are at tables that attain those of a piece.
    """
    step = strategy().rows_together
    if len(rows) > step:
        pieces = [_all_ends(rows.at(slice(start, start + step)), batch) for start in range(0, len(rows), step)]
        return [_merged(formula, [piece[i] for piece in pieces]) for i, formula in enumerate(batch.formulas)]
    if len(rows) == 1 and (found := _one_row(rows.records[0], batch)):
        return found
    cells, _ = _points(rows)
    values, cancelled = batch.values(cells)
    tables = _Tables(cells)
    found = _picked(batch.formulas, values, tables)
    if cancelled:
        for i in batch.cancelling:
            found[i] = _cancelling(rows, batch.formulas[i], tables)
    return found


def _merged(formula: Formula, pieces: list[Bounds]) -> Bounds:
    ends = [end for piece in pieces for end in ((piece.low, piece.low_witness), (piece.high, piece.high_witness))]
    known = {table: value for value, table in ends if table is not None}
    if not known:
        return NOTHING
    cells = np.array([tuple(table.cells().values()) for table in known], dtype=np.int64).T
    return _picked([formula], np.array([list(known.values())], dtype=np.float64), _Tables(cells))[0]


def _one_row(row: Record, batch: _Batch) -> list[Bounds] | None:
    """Return the bounds over one row inside the rim, the most common answer; None where it needs a closer look."""
    positives, negatives, tp, low, high = row
    if low != high and (tp in (0, positives) or low == 0 or high == negatives):
        return None
    values = batch.at((tp, positives - tp, negatives - low, low))
    first = Table.of_counts(tp, positives - tp, negatives - low, low)
    if values is None:
        return None
    if low == high:
        # Made as plain tuples are: this is the most common answer of all.
        new = tuple.__new__
        return [new(Bounds, (x, x, first, first, True, True, None, None)) if x == x else NOTHING for x in values]
    others = batch.at((tp, positives - tp, negatives - high, high))
    if others is None or any((x != x) != (y != y) for x, y in zip(values, others, strict=True)):
        return None
    last = Table.of_counts(tp, positives - tp, negatives - high, high)
    return [
        NOTHING if x != x else Bounds(x, y, first, last) if x <= y else Bounds(y, x, last, first)
        for x, y in zip(values, others, strict=True)
    ]


def _points(rows: Rows) -> tuple[Ints, Ints]:
    """Return the tables where an extreme can be, a column each, and the row each is in."""
    count, place = len(rows), np.arange(len(rows))
    fn, fp = rows.positives - rows.tp, rows.negatives - rows.high
    rim = (np.minimum(np.minimum(rows.tp, fn), np.minimum(rows.low, fp)) == 0) & (rows.high > rows.low)
    inside = np.flatnonzero(rim)
    row = np.concatenate([place, place, inside, inside])
    # Written where they belong: other arrays of this size would cost as much again.
    cells = np.empty((4, len(row)), dtype=np.int64)
    np.concatenate([rows.low, rows.high, rows.low[inside] + 1, rows.high[inside] - 1], out=cells[3])
    for cell, known in zip(cells, (rows.tp, fn, rows.negatives), strict=False):
        cell[:count] = cell[count : 2 * count] = known
        cell[2 * count :] = known[row[2 * count :]]
    cells[2] -= cells[3]
    return cells, row


class _Tables:
    """Tables by column, made when asked for and only once."""

    def __init__(self, cells: Ints) -> None:
        self.cells = cells
        self._made: dict[int, Table] = {}

    def __getitem__(self, i: int) -> Table:
        if i not in self._made:
            self._made[i] = Table.of_counts(*self.cells[:, i].tolist())
        return self._made[i]

    def best(self, formula: Formula, places: Ints, sign: int) -> tuple[int, Exact]:
        """Return the place with the smallest value, the largest where `sign` is -1, by exact values, and the value."""
        values = {i: formula.exact(dict(zip(CELLS, self.cells[:, i].tolist(), strict=True))) for i in places.tolist()}
        known = {i: value for i, value in values.items() if value is not None}
        pick: Any = min if sign > 0 else max
        place: int = pick(known, key=known.__getitem__)
        return place, known[place]


def _picked(formulas: Sequence[Formula], values: Floats, tables: _Tables) -> list[Bounds]:
    """Pick each formula's extremes from its floats; those that are close are compared exactly."""
    # Temporary arrays that stay in the cache: a few formulas at a time where there are many tables.
    step = max(1, strategy().values_together // values.shape[1])
    if len(values) > step:
        starts = range(0, len(values), step)
        pieces = [_picked(formulas[i : i + step], values[i : i + step], tables) for i in starts]
        return [found for piece in pieces for found in piece]
    ends: list[tuple[list[float], list[int]]] = []
    for sign, reduced in ((1, np.fmin.reduce(values, axis=1)), (-1, np.fmax.reduce(values, axis=1))):
        # What is undefined is nan: no smallest, no largest, and not close to anything.
        room = strategy().told_apart_exactly_within * (1 + np.abs(reduced))
        with np.errstate(invalid="ignore"):
            near = (values <= (reduced + room)[:, None]) if sign > 0 else (values >= (reduced - room)[:, None])
        best: list[float] = reduced.tolist()
        if np.count_nonzero(near) == len(best) and not np.isnan(reduced).any():
            ends.append((best, near.argmax(axis=1).tolist()))
            continue
        equal = values == reduced[:, None]
        places: list[int] = equal.argmax(axis=1).tolist()
        # Others are so close that floats cannot tell; of equal floats the first is asked.
        for i in np.flatnonzero((near != equal).any(axis=1)).tolist():
            _, first = np.unique(sign * values[i, near[i]], return_index=True)
            places[i], _ = tables.best(formulas[i], np.flatnonzero(near[i])[first[:_MOST_EXACT]], sign)
            best[i] = float(values[i, places[i]])
        ends.append((best, places))
    return [
        NOTHING if low != low else Bounds(low, high, tables[first], tables[last])
        for low, first, high, last in zip(*ends[0], *ends[1], strict=True)
    ]


def _cancelling(rows: Rows, formula: Formula, tables: _Tables) -> Bounds:
    """Return the bounds of a formula whose denominator can cancel anywhere in a row, not only at the rim."""
    cells = tables.cells
    if (rows.low < rows.high).any():
        steps = [np.clip(tn, rows.low, rows.high) for tn in (rows.low + 1, rows.high - 1)]
        cells = np.concatenate([cells, *(np.stack(rows.cells(tn)) for tn in steps)], axis=1)
    own = _Tables(cells)
    values, error = values_with_error(formula, tuple(cells))
    if np.isnan(values).all():
        return NOTHING
    low, high = values - error, values + error
    ends = []
    for near, sign in ((low <= np.nanmin(high), 1), (high >= np.nanmax(low), -1)):
        places = np.flatnonzero(near)
        places = places[np.argsort(sign * values[places], kind="stable")[:_MOST_EXACT_LONG]]
        ends.append(own.best(formula, places, sign))
    (first, smallest), (last, largest) = ends
    return Bounds(float(smallest), float(largest), own[first], own[last])


def _by_blocks(rows: Rows, batch: _Batch, size: int) -> list[Bounds]:
    """Look only into blocks of rows that can hold an extreme, and there into smaller blocks."""
    chosen = strategy()
    starts = np.arange(0, len(rows), size)
    ends, block = _points(rows.at(starts))
    # The four corners of each block's box, corner by corner, a column each.
    tp = np.minimum.reduceat(rows.tp, starts), np.maximum.reduceat(rows.tp, starts)
    tn = np.minimum.reduceat(rows.low, starts), np.maximum.reduceat(rows.high, starts)
    hits, rest = np.concatenate([np.stack([a, b]) for a in tp for b in tn], axis=1)
    boxes = np.stack([hits, rows.positives[0] - hits, rows.negatives[0] - rest, rest])
    values, cancelled = batch.values(np.concatenate([boxes, ends], axis=1))
    corners, seen = values[:, : 4 * len(starts)].reshape(-1, 4, len(starts)), values[:, 4 * len(starts) :]
    is_open = _open_blocks(corners, seen, block)
    if cancelled:
        # Floats that lost their digits close no block.
        is_open[batch.cancelling] = True
    share = is_open.mean(axis=1)
    joined, given_up = chosen.blocks_joined_up_to_share, chosen.blocks_given_up_above_share
    found: dict[int, Bounds] = {}
    for least, most in ((-1.0, joined), (joined, given_up), (given_up, 1.0)):
        group = np.flatnonzero((share > least) & (share <= most)).tolist()
        if not group:
            continue
        part = rows.kept(np.repeat(is_open[group].any(axis=0), size)[: len(rows)])
        finer = size // chosen.blocks_finer_by if most == given_up else 0
        own = batch.some(group)
        found.update(zip(group, _by_blocks(part, own, finer) if finer >= 4 else _all_ends(part, own), strict=True))
    return [found[i] for i in range(len(batch.formulas))]


def _open_blocks(corners: Floats, seen: Floats, block: Ints) -> NDArray[np.bool_]:
    """Tell for each metric which blocks may hold something beyond what was seen, or hold the best that was seen."""
    low, high = np.where(np.isnan(seen), np.inf, seen), np.where(np.isnan(seen), -np.inf, seen)
    least, most = low.min(axis=1), high.max(axis=1)
    room = _ROUNDING * (1 + np.where(least <= most, np.abs(least) + np.abs(most), 0))
    # A corner without a value says nothing: its block stays open, as a comparison with nan is False.
    closed = (corners.min(axis=1) >= (least - room)[:, None]) & (corners.max(axis=1) <= (most + room)[:, None])
    is_open: NDArray[np.bool_] = ~closed
    for best in (low.argmin(axis=1), high.argmax(axis=1)):
        is_open[np.arange(len(seen)), block[best]] = True
    return is_open
