"""The smallest and largest value of each metric over a set of tables.

By row monotonicity an extreme sits at the end of a row, or one step inwards where the end itself is undefined. With
many rows they are first taken in blocks: a metric that is monotone in tp and in tn has its extremes over a box at the
box's corners, so a block whose corners cannot beat a value already found is not looked into.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..formula import CELLS, NEARLY_CANCELLED, Formula, Program, nearly_cancels, unsigned
from ..metrics import Metric
from ..surd import Exact
from ..table import Table
from .region import Ints, Rows, is_flat

Floats = NDArray[np.float64]

# Up to this many tables, plain floats beat arrays.
_FEW: Final = 2
# From this many rows on hulls are worth their cost, and from this many blocks; both were found by trying.
_MANY: Final = 2000
_HUGE: Final = 6000
# So many values are compared together: their temporary arrays stay in the cache.
_TOGETHER: Final = 1 << 15
# How many rows are looked at together where all are.
_PIECE: Final = 1 << 14
# So many rows at the rim are looked at themselves where hulls are taken.
_MOST_RIM: Final = 64
_MOST_PASSES: Final = 50
# Values closer than this are compared exactly, so many of them at most.
_NEAR: Final = 1e-11
_MOST_NEAR: Final = 200
# What floats may be off by, and the share of open blocks from which a metric is looked at everywhere.
_ROUNDING: Final = 1e-14
_WIDE: Final = 0.8
# Metrics with few open blocks are looked at together; for the others blocks are made so many times finer.
_NARROW: Final = 0.05
_FINER: Final = 8


class Bounds(NamedTuple):
    """A metric's smallest and largest value over the tables that fit, with a table that attains each.

    All four are None where no table that fits has a value.
    """

    low: float | None
    high: float | None
    low_table: Table | None
    high_table: Table | None


_NOTHING: Final = Bounds(None, None, None, None)


def bounds(rows: Rows, metrics: Sequence[Metric]) -> dict[str, Bounds]:
    """Return the bounds of metrics over a set of tables."""
    if not len(rows):
        return {metric.id: _NOTHING for metric in metrics}
    batch = _batch(tuple(metric.formula for metric in metrics))
    one_box = len(rows) > _MANY and all((part == part[0]).all() for part in (rows.positives, rows.negatives))
    found = _over_one_box(rows, batch) if one_box else _all_ends(rows, batch)
    return {metric.id: each for metric, each in zip(metrics, found, strict=True)}


def _over_one_box(rows: Rows, batch: _Batch) -> list[Bounds]:
    """Look for ratios of affine forms at the corners of the convex hull, for all others block by block."""
    flat = [i for i, formula in enumerate(batch.formulas) if is_flat(formula)]
    cells = _corners(rows) if flat else None
    found: dict[int, Bounds] = {}
    if cells is not None:
        own = batch.some(flat)
        found.update(zip(flat, _picked(own.formulas, own.values(cells)[0], _Tables(cells)), strict=True))
    rest = [i for i in range(len(batch.formulas)) if i not in found]
    if rest:
        own = batch.some(rest)
        curved = _by_blocks(rows, own, math.isqrt(len(rows))) if len(rows) > _HUGE else _all_ends(rows, own)
        found.update(zip(rest, curved, strict=True))
    return [found[i] for i in range(len(batch.formulas))]


def _corners(rows: Rows) -> Ints | None:
    """Return tables among which are all corners of the convex hull; None where the rows do not lend themselves to it.

    A ratio of affine forms has its extremes over any finite set at corners of its hull. Rows at the rim, where a metric
    may be undefined, are left out of the hull and looked at themselves.
    """
    fn, fp = rows.positives - rows.tp, rows.negatives - rows.high
    rim = np.minimum(np.minimum(rows.tp, fn), np.minimum(rows.low, fp)) == 0
    sized = int(rows.positives[0]) < 2**30 > int(rows.negatives[0])
    if not sized or rim.sum() > _MOST_RIM or (np.diff(rows.tp) < 0).any():
        return None
    inner = rows.kept(~rim)
    ends = [_points(Rows(*(column[rim] for column in rows.columns())))[0]] if rim.any() else []
    for tn, sign in ((inner.low, 1), (inner.high, -1)):
        place = _hull(inner.tp, tn, sign)
        ends.append(np.stack(Rows(*(column[place] for column in inner.columns())).cells(tn[place])))
    return np.concatenate(ends, axis=1)


def _hull(x: Ints, y: Ints, sign: int) -> Ints:
    """Return the places of points among which are all corners: a point on or above its neighbours' line is none."""
    place = np.arange(len(x))
    for _ in range(_MOST_PASSES):
        run, rise = np.diff(x), np.diff(y)
        keep = np.ones(len(x), dtype=bool)
        keep[1:-1] = sign * (run[:-1] * rise[1:] - rise[:-1] * run[1:]) > 0
        if keep.all():
            break
        place, x, y = place[keep], x[keep], y[keep]
    return place


class _Batch:
    """Formulas compiled together, with the guards that tell where some of them lose their digits."""

    def __init__(self, formulas: tuple[Formula, ...]) -> None:
        self.formulas = formulas
        self.cancelling = [i for i, formula in enumerate(formulas) if formula.cancels]
        guards = [guard for i in self.cancelling for guard in formulas[i].guards if guard.signed]
        self._program = Program((*formulas, *guards, *map(unsigned, guards)))
        self._guards = len(guards)

    def some(self, chosen: Sequence[int]) -> _Batch:
        """Return a batch of some of the formulas."""
        return _batch(tuple(self.formulas[i] for i in chosen))

    def at(self, cell: tuple[int, int, int, int]) -> list[float] | None:
        """Return the values at one table; None where a denominator nearly cancels."""
        found = self._program.at(cell)
        own, guards = found[: len(self.formulas)], found[len(self.formulas) :]
        pairs = zip(guards[: self._guards], guards[self._guards :], strict=True)
        return own if all(abs(size) > NEARLY_CANCELLED * largest for size, largest in pairs) else None

    def values(self, cells: Ints) -> tuple[Floats, bool]:
        """Return a row of values a formula, and whether a denominator nearly cancels anywhere."""
        if cells.shape[1] <= _FEW:
            found = np.array([self._program.at(column) for column in cells.T.tolist()]).T
        else:
            found = self._program.over(tuple(cells))
        own, guards = found[: len(self.formulas)], found[len(self.formulas) :]
        if not self._guards:
            return own, False
        sizes, largest = np.abs(guards[: self._guards]), guards[self._guards :]
        return own, not bool((sizes > NEARLY_CANCELLED * largest).all())


@lru_cache(maxsize=256)
def _batch(formulas: tuple[Formula, ...]) -> _Batch:
    return _Batch(formulas)


def _all_ends(rows: Rows, batch: _Batch) -> list[Bounds]:
    """Look at both ends of every row, a piece at a time."""
    if len(rows) <= _PIECE:
        return _piece_ends(rows, batch)
    pieces = [
        _piece_ends(Rows(*(column[start : start + _PIECE] for column in rows.columns())), batch)
        for start in range(0, len(rows), _PIECE)
    ]
    return [_merged(formula, [piece[i] for piece in pieces]) for i, formula in enumerate(batch.formulas)]


def _merged(formula: Formula, found: list[Bounds]) -> Bounds:
    """Return the bounds over several pieces."""
    ends = [
        (value, table)
        for each in found
        for value, table in ((each.low, each.low_table), (each.high, each.high_table))
        if value is not None and table is not None
    ]
    if not ends:
        return _NOTHING
    cells = np.array([list(table.cells().values()) for _, table in ends]).T
    return _picked([formula], np.array([[value for value, _ in ends]]), _Tables(cells))[0]


def _piece_ends(rows: Rows, batch: _Batch) -> list[Bounds]:
    """Look at both ends of every row, and one step inwards at the rim, where an end may be undefined."""
    if len(rows) == 1 and (found := _one_row(rows, batch)):
        return found
    cells, _ = _points(rows)
    values, cancelled = batch.values(cells)
    tables = _Tables(cells)
    found = _picked(batch.formulas, values, tables)
    if cancelled:
        for i in batch.cancelling:
            found[i] = _cancelling(rows, batch.formulas[i], tables)
    return found


def _one_row(rows: Rows, batch: _Batch) -> list[Bounds] | None:
    """Return the bounds over one row inside the rim, the most common answer; None where it needs a closer look."""
    positives, negatives, tp, low, high = (column[0] for column in rows.lists())
    if low != high and (tp in (0, positives) or low == 0 or high == negatives):
        return None
    ends = [(tp, positives - tp, negatives - tn, tn) for tn in ((low, high) if low != high else (low,))]
    values = [batch.at(cell) for cell in ends]
    if any(each is None for each in values):
        return None
    first, last = Table.of_counts(*ends[0]), Table.of_counts(*ends[-1])
    found = []
    for x, y in zip(values[0] or (), values[-1] or (), strict=True):
        if x != x or y != y:
            found.append(_NOTHING if x != x and y != y else None)
        elif x <= y:
            found.append(Bounds(x, y, first, last))
        else:
            found.append(Bounds(y, x, last, first))
    return None if None in found else [each for each in found if each is not None]


def _points(rows: Rows) -> tuple[Ints, Ints]:
    """Return the tables where an extreme can be, a column each, and the row each is in."""
    place = np.arange(len(rows))
    if len(rows) == 1 and rows.low[0] == rows.high[0]:
        return np.array([part[0] for part in rows.cells(rows.low)])[:, np.newaxis], place
    places, tn = [place, place], [rows.low, rows.high]
    fn, fp = rows.positives - rows.tp, rows.negatives - rows.high
    rim = (np.minimum(np.minimum(rows.tp, fn), np.minimum(rows.low, fp)) == 0) & (rows.high > rows.low)
    if rim.any():
        rim_places = np.flatnonzero(rim)
        places += [rim_places, rim_places]
        tn += [rows.low[rim_places] + 1, rows.high[rim_places] - 1]
    row, column = np.concatenate(places), np.concatenate(tn)
    hits = rows.tp[row]
    return np.stack([hits, rows.positives[row] - hits, rows.negatives[row] - column, column]), row


class _Tables:
    """Tables by column, made when asked for and only once."""

    def __init__(self, cells: Ints) -> None:
        self.cells = cells
        self._made: dict[int, Table] = {}

    def __getitem__(self, i: int) -> Table:
        if i not in self._made:
            self._made[i] = Table.of_counts(*self.cells[:, i].tolist())
        return self._made[i]

    def exact(self, formula: Formula, i: int) -> Exact | None:
        return formula.exact(dict(zip(CELLS, self.cells[:, i].tolist(), strict=True)))


def _picked(formulas: Sequence[Formula], values: Floats, tables: _Tables) -> list[Bounds]:
    """Pick each metric's extremes from its floats; those that are close are compared exactly."""
    if values.shape[1] == 1:
        table = tables[0]
        return [Bounds(x, x, table, table) if x == x else _NOTHING for x in values[:, 0].tolist()]
    # Temporary arrays that stay in the cache: a few metrics at a time where there are many tables.
    few = max(1, _TOGETHER // values.shape[1])
    found: list[Bounds] = []
    for start in range(0, len(values), few):
        found += _picked_together(formulas[start : start + few], values[start : start + few], tables)
    return found


def _picked_together(formulas: Sequence[Formula], values: Floats, tables: _Tables) -> list[Bounds]:
    missing = np.isnan(values)
    holes = bool(missing.any())
    below, above = (
        (np.where(missing, np.inf, values), np.where(missing, -np.inf, values)) if holes else (values, values)
    )
    low, high = below.argmin(axis=1), above.argmax(axis=1)
    each = np.arange(len(values))
    least, most = below[each, low], above[each, high]
    close_low = _some_close(below, least)
    close_high = _some_close(-above, -most)
    found = []
    ends = zip(low.tolist(), high.tolist(), least.tolist(), most.tolist(), strict=True)
    for i, (first, last, smallest, largest) in enumerate(ends):
        if smallest == math.inf:
            found.append(_NOTHING)
            continue
        if close_low[i]:
            first = _closest(formulas[i], below[i], first, tables, min)
            smallest = float(values[i, first])
        if close_high[i]:
            last = _closest(formulas[i], -above[i], last, tables, max)
            largest = float(values[i, last])
        found.append(Bounds(smallest, largest, tables[first], tables[last]))
    return found


def _some_close(values: Floats, best: Floats) -> list[bool]:
    """Tell for each metric whether a value lies so close behind the best that floats cannot tell which is which."""
    with np.errstate(invalid="ignore"):
        edge = best + _NEAR * (1 + np.abs(best))
        close = np.logical_and(values <= edge[:, None], values > best[:, None])
    return [bool(each) for each in close.max(axis=1)]


def _closest(formula: Formula, values: Floats, best: int, tables: _Tables, pick: Any) -> int:
    """Return the place of the true extreme among floats too close to tell apart."""
    near = values <= values[best] + _NEAR * (1 + abs(values[best]))
    _, places = np.unique(values[near], return_index=True)
    exact = {int(i): tables.exact(formula, i) for i in np.flatnonzero(near)[places[:_MOST_NEAR]]}
    return int(pick((i for i, value in exact.items() if value is not None), key=exact.__getitem__))


def _cancelling(rows: Rows, formula: Formula, tables: _Tables) -> Bounds:
    """Return the bounds of a metric whose denominator can cancel anywhere in a row, not only at the rim."""
    cells = tables.cells
    if (rows.low < rows.high).any():
        steps = [np.clip(tn, rows.low, rows.high) for tn in (rows.low + 1, rows.high - 1)]
        cells = np.concatenate([cells, *(np.stack(rows.cells(tn)) for tn in steps)], axis=1)
    if cells.shape[1] > _FEW:
        values = formula.evaluate(dict(zip(CELLS, cells, strict=True)))
    else:
        values = np.array([_value(formula, column) for column in cells.T.tolist()])
    return _picked([formula], values[np.newaxis], _Tables(cells))[0]


def _value(formula: Formula, cell: list[int]) -> float:
    if not nearly_cancels(formula, cell):
        return float(_batch((formula,)).values(np.array(cell)[:, np.newaxis])[0][0, 0])
    exact = formula.exact(dict(zip(CELLS, cell, strict=True)))
    return np.nan if exact is None else float(exact)


def _by_blocks(rows: Rows, batch: _Batch, size: int) -> list[Bounds]:
    """Look only into blocks of rows that can hold an extreme, and there into smaller blocks."""
    starts = np.arange(0, len(rows), size)
    sample = Rows(*(column[starts] for column in rows.columns()))
    ends, place = _points(sample)
    values, cancelled = batch.values(np.concatenate([_boxes(rows, starts), ends], axis=1))
    corners, seen = values[:, : 4 * len(starts)].reshape(-1, 4, len(starts)), values[:, 4 * len(starts) :]
    wanted = _open_blocks(corners, seen, place)
    if cancelled:
        # Floats that lost their digits close no block.
        wanted[batch.cancelling] = True
    share = wanted.mean(axis=1)
    found: dict[int, Bounds] = {}
    for least, most in ((-1.0, _NARROW), (_NARROW, _WIDE), (_WIDE, 1.0)):
        group = np.flatnonzero((share > least) & (share <= most)).tolist()
        if not group:
            continue
        part = rows.kept(np.repeat(wanted[group].any(axis=0), size)[: len(rows)])
        deeper = most == _WIDE and size >= 4 * _FINER
        own = _by_blocks(part, batch.some(group), size // _FINER) if deeper else _all_ends(part, batch.some(group))
        found.update(zip(group, own, strict=True))
    return [found[i] for i in range(len(batch.formulas))]


def _open_blocks(corners: Floats, seen: Floats, block: Ints) -> NDArray[np.bool_]:
    """Tell for each metric which blocks may hold something beyond what was seen, or hold the best that was seen."""
    low, high = np.where(np.isnan(seen), np.inf, seen), np.where(np.isnan(seen), -np.inf, seen)
    least, most = low.min(axis=1), high.max(axis=1)
    room = _ROUNDING * (1 + np.where(least <= most, np.abs(least) + np.abs(most), 0))
    # A corner without a value says nothing: its block stays open, as a comparison with nan is False.
    closed = (corners.min(axis=1) >= (least - room)[:, None]) & (corners.max(axis=1) <= (most + room)[:, None])
    wanted: NDArray[np.bool_] = ~closed
    for best in (low.argmin(axis=1), high.argmax(axis=1)):
        wanted[np.arange(len(seen)), block[best]] = True
    return wanted


def _boxes(rows: Rows, starts: Ints) -> Ints:
    """Return the four corners of each block's box, corner by corner, a column each."""
    tp = np.minimum.reduceat(rows.tp, starts), np.maximum.reduceat(rows.tp, starts)
    tn = np.minimum.reduceat(rows.low, starts), np.maximum.reduceat(rows.high, starts)
    corners = np.concatenate([np.stack([a, b]) for a in tp for b in tn], axis=1)
    positives, negatives = int(rows.positives[0]), int(rows.negatives[0])
    return np.stack([corners[0], positives - corners[0], negatives - corners[1], corners[1]])
