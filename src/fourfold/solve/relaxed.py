"""What parts tied by sums cannot do, told without listing their tables.

The tables of a part are covered by cells, each a range of tp and of predicted positives. Over a cell a ratio of affine
functions is between its values at the corners. So a linear programme over cells, whose weights may be fractions of a
table, allows all that tables allow and more; where it looks promising, cells are split. What it proves is checked
without it: any weights of the sums that are not negative give a bound, which is added up and trusted only beyond a
margin that floats cannot bridge.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from .parts import Amount, Sum, Tie
from .problem import Floats
from .rows import Ints, Rows

# Parts are covered by about so many cells at first.
_FIRST_CELLS: Final = 150
# So often cells are split, as long as there are no more than this.
_MOST_ROUNDS: Final = 60
_MOST_CELLS: Final = 4000
# A bound is trusted beyond this share of all that was added up.
_MARGIN: Final = 1e-9
_USED: Final = 1e-7


class _Cell(NamedTuple):
    """Rows of one group of parts from one place to before another, and a range of predicted."""

    group: int
    first: int
    last: int
    low: int
    high: int


class _Group(NamedTuple):
    """Parts with the same tables and amounts: their rows by tp, with the range of predicted of each."""

    members: list[int]
    positives: int
    negatives: int
    tp: Ints
    low: Ints
    high: Ints
    amounts: Sum

    def split(self, cell: _Cell, ways: int) -> list[_Cell]:
        """Return the cell in so many ranges of rows and of predicted, each as small as its tables allow."""
        rows = np.linspace(cell.first, cell.last, min(ways, cell.last - cell.first) + 1).astype(int)
        edges = np.linspace(cell.low, cell.high + 1, min(ways, cell.high - cell.low + 1) + 1).astype(int)
        # None predicted is a range of its own.
        edges = np.append(edges, 1) if cell.low == 0 else edges
        pieces = []
        for first, last in pairwise(np.unique(rows).tolist()):
            for low, end in pairwise(np.unique(edges).tolist()):
                met = first + np.flatnonzero((self.low[first:last] < end) & (self.high[first:last] >= low))
                if len(met):
                    ends = max(low, int(self.low[met].min())), min(end - 1, int(self.high[met].max()))
                    pieces.append(_Cell(cell.group, int(met[0]), int(met[-1]) + 1, *ends))
        return pieces

    def ends(self, tp: Floats, predicted: Floats, amount: Amount) -> Floats | None:
        """Return the least and the most that an amount may be in each cell; None where that is not known."""
        form = amount.formula.affine_ratio
        if form is None:
            return None
        (a, b, c), (d, e, f) = form.at(self.positives, self.negatives)
        tp, tn = tp[:, :, None], self.negatives - predicted[:, None, :] + tp[:, :, None]
        top = (float(a) * tp + float(b) * tn + float(c)).reshape(len(tp), 4)
        bottom = (float(d) * tp + float(e) * tn + float(f)).reshape(len(tp), 4)
        never = (bottom == 0).all(axis=1)
        if not ((bottom > 0).all(axis=1) | (bottom < 0).all(axis=1) | never).all():
            return None
        bottom[never], top[never] = 1.0, 0.0
        values = (top / bottom - float(amount.shift)) * float(amount.scale)
        values[never] = 0.0
        return np.stack([values.min(axis=1), values.max(axis=1)], axis=1)


def _is_affine(amounts: Sum) -> bool:
    """Tell whether ratios of affine functions add up to a sum: these alone have their extremes at corners.

    With a single guard they are undefined just where their denominator is zero.
    """
    formulas = {amount.formula for amount in amounts}
    return all(formula.affine_ratio is not None and len(formula.guards) <= 1 for formula in formulas)


class Relaxed:
    """Parts given as rows, and what their sums should be; sums whose bounds are not known are left out."""

    def __init__(
        self, rows: Sequence[Rows], ties: Sequence[Tie], hits: tuple[int, int] | None, predicted: int | None
    ) -> None:
        self.rows, self.ties, self.hits, self.predicted = rows, ties, hits, predicted
        known = [tie for tie in ties if len(tie.sums) == 1 and _is_affine(tie.sums[0])]
        self.sums = [tie.sums[0] for tie in known]
        ends: list[tuple[float, float]] = [tie.ends for tie in known]
        ends += [] if hits is None else [hits]
        ends += [] if predicted is None else [(predicted, predicted)]
        #: What each sum, and each sum with its sign changed, must not exceed.
        self.caps: Floats = np.array([end for low, high in ends for end in (high, -low)], dtype=np.float64)
        self._feasibility: _Programme | None = None

    @cached_property
    def usable(self) -> bool:
        """Whether there are sums to go by, and each part has tables, all of one size."""
        return len(self.caps) > 0 and all(
            len(part) and len(np.unique(part.positives)) == 1 and len(np.unique(part.negatives)) == 1
            for part in self.rows
        )

    def impossible(self, rounds: int = _MOST_ROUNDS) -> bool:
        """Tell whether it is proven that no choice of tables fits; what earlier rounds found is kept."""
        if not rounds or not self.usable:
            return False
        self._feasibility = self._feasibility or _Programme(self, None)
        return self._feasibility.run(rounds) < 0

    def most(self, amounts: Sum, sign: int, rounds: int = _MOST_ROUNDS) -> float | None:
        """Return a number that a sum over the parts does not exceed, or is not below if the sign is negative."""
        if not self.usable or not _is_affine(amounts):
            return None
        most = _Programme(self, amounts, sign).run(rounds)
        return sign * most if np.isfinite(most) else None


class _Programme:
    """The linear programme of one question, made finer round by round."""

    def __init__(self, asked: Relaxed, target: Sum | None, sign: int = 1) -> None:
        self.asked, self.target, self.sign = asked, target, sign
        found: dict[object, _Group] = {}
        for i, part in enumerate(asked.rows):
            amounts = tuple(sums[i] for sums in [*asked.sums, *([] if target is None else [target])])
            key = (tuple(column.tobytes() for column in part.columns), amounts)
            if key in found:
                found[key].members.append(i)
                continue
            order, base = np.argsort(part.tp, kind="stable"), part.tp + part.negatives
            columns = (part.tp[order], (base - part.high)[order], (base - part.low)[order])
            found[key] = _Group([i], int(part.positives[0]), int(part.negatives[0]), *columns, amounts)
        #: The parts, those that are alike together.
        self.groups = list(found.values())
        #: What the target does not exceed; without one, what is below 0 where sums are proven to be off.
        self.bound = np.inf
        self._finite = np.isfinite(asked.caps)
        self._cells: list[_Cell] = []
        self._columns, self._goal = np.empty((int(self._finite.sum()), 0)), np.empty(0)
        ranges = max(2, int((_FIRST_CELLS / len(self.groups)) ** 0.5))
        ends = [(len(group.tp), int(group.low.min()), int(group.high.max())) for group in self.groups]
        self._open = self._add([_Cell(g, 0, *each) for g, each in enumerate(ends)], ranges)

    def run(self, rounds: int) -> float:
        """Solve and split so many times; return what is proven."""
        for _ in range(rounds):
            if not self._open or (self.target is None and self.bound < 0):
                break
            weights = self._solve()
            if weights is None:
                self._open = False
                break
            cells = self._cells
            coarse = [
                i
                for i in np.flatnonzero(weights > _USED).tolist()
                if cells[i].last - cells[i].first > 1 or cells[i].low < cells[i].high
            ]
            self._open = bool(coarse) and len(cells) <= _MOST_CELLS
            if self._open:
                kept = np.delete(np.arange(len(cells)), coarse)
                self._cells = [cells[i] for i in kept.tolist()]
                self._columns, self._goal = self._columns[:, kept], self._goal[kept]
                self._open = self._add([cells[i] for i in coarse], 3)
        return self.bound

    def _add(self, cells: list[_Cell], ways: int) -> bool:
        """Split cells and add the pieces: for each end of each sum, the least each adds to what must not exceed it."""
        for g, group in enumerate(self.groups):
            own = [piece for cell in cells if cell.group == g for piece in group.split(cell, ways)]
            if not own:
                continue
            places = np.array(own)
            tp, predicted = group.tp[places[:, 1:3] - (0, 1)].astype(float), places[:, 3:].astype(float)
            found = [group.ends(tp, predicted, amount) for amount in group.amounts]
            ends = [each for each in found if each is not None]
            if len(ends) < len(found):
                return False
            goal = np.zeros((len(own), 2)) if self.target is None else ends.pop()
            ends += [tp] * (self.asked.hits is not None) + [predicted] * (self.asked.predicted is not None)
            lines = np.array([line for each in ends for line in (each[:, 0], -each[:, 1])])[self._finite]
            self._cells += own
            self._columns = np.concatenate([self._columns, lines], axis=1)
            self._goal = np.concatenate([self._goal, goal[:, 1] if self.sign > 0 else -goal[:, 0]])
        return True

    def _solve(self) -> Floats | None:
        """Solve for the weights of cells, and note what its dual proves; None where the solver gave up."""
        from scipy.optimize import linprog  # seldom needed, and slow to import

        caps = self.asked.caps[self._finite]
        sizes = np.array([len(group.members) for group in self.groups], dtype=float)
        of = np.array([cell.group for cell in self._cells])
        equal = (of == np.arange(len(sizes))[:, None]).astype(float)
        scale = np.abs(self._columns).max(axis=1, initial=0.0) + 1e-12
        cost, above = -self._goal, self._columns / scale[:, None]
        if self.target is None:
            # How far sums are off is made least.
            cost = np.concatenate([cost, np.ones(len(caps))])
            above = np.concatenate([above, -np.eye(len(caps))], axis=1)
            equal = np.concatenate([equal, np.zeros((len(sizes), len(caps)))], axis=1)
        solved = linprog(cost, A_ub=above, b_ub=caps / scale, A_eq=equal, b_eq=sizes, method="highs")
        if solved.status != 0:
            return None
        # What weights of the sums prove is added up without the solver.
        weights = np.maximum(-solved.ineqlin.marginals, 0.0) / scale
        most = np.array([(self._goal - weights @ self._columns)[of == g].max() for g in range(len(sizes))])
        added = np.abs(self._goal).max() + (weights @ np.abs(self._columns)).max()
        margin = _MARGIN * (added * sizes.sum() + weights @ np.abs(caps))
        self.bound = min(self.bound, float(most @ sizes + weights @ caps + margin))
        return np.asarray(solved.x[: len(self._cells)])
