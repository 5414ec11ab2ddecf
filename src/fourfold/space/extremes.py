"""The smallest and largest value of each metric over a set of tables.

By row monotonicity an extreme sits at the end of a row, or one step inwards where the end itself is undefined. With
many rows they are first taken in blocks: a metric that is monotone in tp and in tn has its extremes over a box at the
box's corners, so a block whose corners cannot beat a value already found is not looked into.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..formula import CELLS, Formula, Program, nearly_cancels
from ..metrics import Metric
from ..surd import Exact
from ..table import Table
from .region import Ints, Rows

Floats = NDArray[np.float64]

# Up to this many tables, plain floats beat arrays.
_FEW: Final = 10
# From this many rows on, blocks are worth their cost.
_MANY: Final = 2000
# How many rows are looked at together where all are.
_PIECE: Final = 1 << 14
# Values closer than this are compared exactly, so many of them at most.
_NEAR: Final = 1e-11
_MOST_NEAR: Final = 200
# What floats may be off by, and the share of open blocks from which a metric is looked at everywhere.
_ROUNDING: Final = 1e-14
_WIDE: Final = 0.5


@dataclass(frozen=True)
class Bounds:
    """A metric's smallest and largest value over the tables that fit, with a table that attains each.

    All four are None where no table that fits has a value; `undefined` says how many tables have none.
    """

    low: float | None
    high: float | None
    low_table: Table | None
    high_table: Table | None


def bounds(rows: Rows, metrics: Sequence[Metric]) -> dict[str, Bounds]:
    """Return the bounds of metrics over a set of tables."""
    formulas = tuple(metric.formula for metric in metrics)
    if not len(rows):
        return {metric.id: Bounds(None, None, None, None) for metric in metrics}
    if len(rows) > _MANY and rows.positives[0] == rows.positives[-1] and rows.negatives[0] == rows.negatives[-1]:
        found = _by_blocks(rows, formulas)
    else:
        found = _all_ends(rows, formulas)
    return {metric.id: each for metric, each in zip(metrics, found, strict=True)}


@lru_cache(maxsize=64)
def _program(formulas: tuple[Formula, ...]) -> Program:
    return Program(formulas)


def _all_ends(rows: Rows, formulas: tuple[Formula, ...]) -> list[Bounds]:
    """Look at both ends of every row, a piece at a time."""
    if len(rows) <= _PIECE:
        return _piece_ends(rows, formulas)
    pieces = [
        _piece_ends(Rows(*(column[start : start + _PIECE] for column in rows.columns())), formulas)
        for start in range(0, len(rows), _PIECE)
    ]
    return [_merged(formula, [piece[i] for piece in pieces]) for i, formula in enumerate(formulas)]


def _merged(formula: Formula, found: list[Bounds]) -> Bounds:
    """Return the bounds over several pieces."""
    ends = [
        (value, table)
        for each in found
        for value, table in ((each.low, each.low_table), (each.high, each.high_table))
        if value is not None and table is not None
    ]
    if not ends:
        return Bounds(None, None, None, None)
    cells = np.array([list(table.cells().values()) for _, table in ends]).T
    return _plain_bounds([formula], np.array([[value for value, _ in ends]]), _Tables(cells))[0]


def _piece_ends(rows: Rows, formulas: tuple[Formula, ...]) -> list[Bounds]:
    """Look at both ends of every row, and one step inwards at the rim, where an end may be undefined."""
    cells, _ = _points(rows)
    columns = cells.T.tolist() if cells.shape[1] <= _FEW else None
    program = _program(formulas)
    values = np.array([program.at(each) for each in columns]).T if columns else np.array(program.over(tuple(cells)))
    tables = _Tables(cells)
    return [
        _cancelling(rows, formula, tables) if formula.cancels else extremes
        for formula, extremes in zip(formulas, _plain_bounds(formulas, values, tables), strict=True)
    ]


def _points(rows: Rows) -> tuple[Ints, Ints]:
    """Return the tables where an extreme can be, a column each, and the row each is in."""
    if len(rows) == 1 and rows.low[0] == rows.high[0]:
        return np.stack(rows.cells(rows.low)), np.zeros(1, dtype=np.int64)
    place = np.arange(len(rows))
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
            tp, fn, fp, tn = self.cells[:, i].tolist()
            self._made[i] = Table(tp=tp, fn=fn, fp=fp, tn=tn)
        return self._made[i]

    def exact(self, formula: Formula, i: int) -> Exact | None:
        return formula.exact(dict(zip(CELLS, self.cells[:, i].tolist(), strict=True)))


def _plain_bounds(formulas: Sequence[Formula], values: Floats, tables: _Tables) -> list[Bounds]:
    """Pick each metric's extremes from its floats; those that are close are compared exactly."""
    missing = np.isnan(values)
    if values.shape[1] == 1:
        only = values[:, 0].tolist()
        return [Bounds(x, x, tables[0], tables[0]) if x == x else Bounds(None, None, None, None) for x in only]
    below, above = np.where(missing, np.inf, values), np.where(missing, -np.inf, values)
    low, high = below.argmin(axis=1).tolist(), above.argmax(axis=1).tolist()
    found = []
    for i, formula in enumerate(formulas):
        if missing[i, low[i]]:
            found.append(Bounds(None, None, None, None))
            continue
        first = _closest(formula, below[i], low[i], tables, min)
        last = _closest(formula, -above[i], high[i], tables, max)
        found.append(Bounds(float(values[i, first]), float(values[i, last]), tables[first], tables[last]))
    return found


def _closest(formula: Formula, values: Floats, best: int, tables: _Tables, pick: Any) -> int:
    """Return the place of the true extreme among floats too close to tell apart."""
    near = values <= values[best] + _NEAR * (1 + abs(values[best]))
    if (values[near] == values[best]).all():
        return best
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
    return _plain_bounds([formula], values[np.newaxis], _Tables(cells))[0]


def _value(formula: Formula, cell: list[int]) -> float:
    if not nearly_cancels(formula, cell):
        return _program((formula,)).at(cell)[0]
    exact = formula.exact(dict(zip(CELLS, cell, strict=True)))
    return np.nan if exact is None else float(exact)


def _by_blocks(rows: Rows, formulas: tuple[Formula, ...]) -> list[Bounds]:
    """Look only into blocks of rows that can hold an extreme."""
    size = int(np.sqrt(len(rows)))
    starts = np.arange(0, len(rows), size)
    sample = Rows(*(column[starts] for column in rows.columns()))
    ends, place = _points(sample)
    values = np.array(_program(formulas).over(tuple(np.concatenate([_boxes(rows, starts), ends], axis=1))))
    corners, seen = values[:, : 4 * len(starts)].reshape(-1, 4, len(starts)), values[:, 4 * len(starts) :]
    wanted = _open_blocks(corners, seen, place)
    wide = wanted.mean(axis=1) > _WIDE
    found: dict[int, Bounds] = {}
    for group in (np.flatnonzero(~wide), np.flatnonzero(wide)):
        if len(group):
            part = rows.kept(np.repeat(wanted[group].any(axis=0), size)[: len(rows)])
            found.update(zip(group.tolist(), _all_ends(part, tuple(formulas[i] for i in group)), strict=True))
    return [found[i] for i in range(len(formulas))]


def _open_blocks(corners: Floats, seen: Floats, block: Ints) -> NDArray[np.bool_]:
    """Tell for each metric which blocks may hold something beyond what was seen, or hold the best that was seen."""
    low, high = np.where(np.isnan(seen), np.inf, seen), np.where(np.isnan(seen), -np.inf, seen)
    least, most = low.min(axis=1), high.max(axis=1)
    room = _ROUNDING * (1 + np.abs(np.nan_to_num(least, posinf=0)) + np.abs(np.nan_to_num(most, neginf=0)))
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
