"""What parts tied by sums cannot do, told without listing their tables.

The tables of a part are covered by cells, each a range of tp and of predicted positives. Over a cell a ratio of affine
functions is between its values at the corners. So a linear programme over cells, whose weights may be fractions of a
table, allows all that tables allow and more; where it looks promising, cells are split. What it proves is checked
without it: any weights of the sums that are not negative give a bound, which is added up and trusted only beyond a
margin that floats cannot bridge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    """Rows of one part from one place to before another, and a range of predicted."""

    first: int
    last: int
    low: int
    high: int

    @property
    def single(self) -> bool:
        """Whether it holds one table."""
        return self.last - self.first == 1 and self.low == self.high


def _first(cell: _Cell) -> int:
    return cell.first


def _last(cell: _Cell) -> int:
    return cell.last - 1


@dataclass
class _Group:
    """Parts with the same tables and amounts: their rows by tp, with the range of predicted of each."""

    members: list[int]
    positives: int
    negatives: int
    tp: Ints
    low: Ints
    high: Ints
    amounts: tuple[Amount, ...]

    @property
    def whole(self) -> _Cell:
        """The cell of all tables."""
        return _Cell(0, len(self.tp), int(self.low.min()), int(self.high.max()))

    def tightened(self, cell: _Cell) -> _Cell | None:
        """Return the cell as small as its tables allow; None where it has none."""
        rows = slice(cell.first, cell.last)
        met = np.flatnonzero((self.low[rows] <= cell.high) & (self.high[rows] >= cell.low))
        if not len(met):
            return None
        low = max(cell.low, int(self.low[rows][met].min()))
        high = min(cell.high, int(self.high[rows][met].max()))
        return _Cell(cell.first + int(met[0]), cell.first + int(met[-1]) + 1, low, high)

    def split(self, cell: _Cell, tall: int, wide: int) -> list[_Cell]:
        """Return the cell in so many ranges of rows and of predicted; none predicted is a range of its own."""
        rows = np.unique(np.linspace(cell.first, cell.last, min(tall, cell.last - cell.first) + 1).astype(int))
        edges = np.linspace(cell.low, cell.high + 1, min(wide, cell.high - cell.low + 1) + 1).astype(int)
        if cell.low == 0:
            edges = np.append(edges, 1)
        edges = np.unique(edges)
        pieces = [
            _Cell(int(first), int(last), int(low), int(high) - 1)
            for first, last in pairwise(rows)
            for low, high in pairwise(edges)
        ]
        return [piece for cell in pieces if (piece := self.tightened(cell)) is not None]

    def ends(self, cells: Sequence[_Cell], amount: Amount) -> tuple[Floats, Floats] | None:
        """Return the least and the most that an amount may be in each cell; None where that is not known."""
        form = amount.formula.affine_ratio
        if form is None:
            return None
        (a, b, c), (d, e, f) = form.at(self.positives, self.negatives)
        tp = np.array([[self.tp[cell.first], self.tp[cell.last - 1]] for cell in cells], dtype=float)[:, :, None]
        predicted = np.array([[cell.low, cell.high] for cell in cells], dtype=float)[:, None, :]
        tn = self.negatives - predicted + tp
        top = (float(a) * tp + float(b) * tn + float(c)).reshape(len(cells), 4)
        bottom = (float(d) * tp + float(e) * tn + float(f)).reshape(len(cells), 4)
        never = (bottom == 0).all(axis=1)
        if not ((bottom > 0).all(axis=1) | (bottom < 0).all(axis=1) | never).all():
            return None
        bottom[never], top[never] = 1.0, 0.0
        values = (top / bottom - float(amount.shift)) * float(amount.scale)
        values[never] = 0.0
        return values.min(axis=1), values.max(axis=1)


class Relaxed:
    """Parts given as rows, and what their sums should be; sums whose bounds are not known are left out."""

    def __init__(
        self, rows: Sequence[Rows], ties: Sequence[Tie], hits: tuple[int, int] | None, predicted: int | None
    ) -> None:
        self.rows, self.ties, self.hits, self.predicted = rows, ties, hits, predicted
        self.sums: list[Sum] = []
        self.ends: list[tuple[float, float]] = []
        for tie in ties:
            if len(tie.sums) == 1 and _is_affine(tie.sums[0]):
                self.sums.append(tie.sums[0])
                self.ends.append(tie.ends)
        for whole in (hits, None if predicted is None else (predicted, predicted)):
            if whole is not None:
                self.ends.append((float(whole[0]), float(whole[1])))

    @cached_property
    def usable(self) -> bool:
        """Whether there are sums to go by, and each part has tables, all of one size."""
        return len(self.ends) > 0 and all(
            len(part) and len(np.unique(part.positives)) == 1 and len(np.unique(part.negatives)) == 1
            for part in self.rows
        )

    @cached_property
    def _feasibility(self) -> _Programme:
        return _Programme(self, None)

    def impossible(self, rounds: int = _MOST_ROUNDS) -> bool:
        """Tell whether it is proven that no choice of tables fits; what earlier rounds found is kept."""
        return rounds > 0 and self.usable and self._feasibility.run(rounds)

    def near(self, *, shared: bool) -> list[list[tuple[int, int, float]]]:
        """Return tables, as tp and predicted, for each part near which choices may fit, and how much each counts.

        Parts that are alike share them; else as many parts as a table counts whole are given it alone, and the others
        what is left of each.
        """
        found: list[list[tuple[int, int, float]]] = [[] for _ in self.rows]
        # Nothing is known before a proof was tried.
        used = self._feasibility.used if "_feasibility" in self.__dict__ else []
        waiting = [[*group.members] for group in self._feasibility.groups] if used else []
        left: list[tuple[int, tuple[int, int, float]]] = []
        for g, cell, weight in used:
            table = (int(self._feasibility.groups[g].tp[cell.first]), cell.low)
            for _ in range(0 if shared else int(weight + _USED)):
                found[waiting[g].pop(0)].append((*table, 1.0))
            left.append((g, (*table, weight if shared else weight % 1)))
        for g, each in left:
            for member in waiting[g] if each[2] > _USED else []:
                found[member].append(each)
        return found

    def most(self, amounts: Sum, sign: int, rounds: int = _MOST_ROUNDS) -> float | None:
        """Return a number that a sum over the parts does not exceed, or is not below if the sign is negative."""
        if not self.usable or not _is_affine(amounts):
            return None
        programme = _Programme(self, amounts, sign)
        programme.run(rounds)
        return programme.bound

    def groups(self, target: Sum | None) -> list[_Group]:
        """Return the parts, those that are alike together."""
        found: dict[object, _Group] = {}
        for i, part in enumerate(self.rows):
            amounts = tuple(sums[i] for sums in [*self.sums, *([] if target is None else [target])])
            key = (tuple(column.tobytes() for column in part.columns), amounts)
            if key in found:
                found[key].members.append(i)
                continue
            order = np.argsort(part.tp, kind="stable")
            base = part.tp + part.negatives
            columns = (part.tp[order], (base - part.high)[order], (base - part.low)[order])
            found[key] = _Group([i], int(part.positives[0]), int(part.negatives[0]), *columns, amounts)
        return list(found.values())


def _is_affine(amounts: Sum) -> bool:
    """Tell whether ratios of affine functions add up to a sum: these alone have their extremes at corners.

    With a single guard they are undefined just where their denominator is zero.
    """
    formulas = {amount.formula for amount in amounts}
    return all(formula.affine_ratio is not None and len(formula.guards) <= 1 for formula in formulas)


class _Programme:
    """The linear programme of one question, made finer round by round."""

    def __init__(self, asked: Relaxed, target: Sum | None, sign: int = 1) -> None:
        self.asked, self.target, self.sign = asked, target, sign
        self.groups = asked.groups(target)
        #: What is proven: how far sums are off at least, or what the target does not exceed.
        self.bound: float | None = None
        self.used: list[tuple[int, _Cell, float]] = []
        self._cells: list[tuple[int, _Cell]] = []
        self._columns: NDArray[np.float64] = np.empty((0, 0))
        self._goal: Floats = np.empty(0)
        ranges = max(2, int((_FIRST_CELLS / len(self.groups)) ** 0.5))
        self._open = self._add(
            [(g, cell) for g, group in enumerate(self.groups) for cell in group.split(group.whole, ranges, ranges)]
        )

    def run(self, rounds: int) -> bool:
        """Solve and split so many times; return whether it is proven that nothing fits."""
        for _ in range(rounds):
            if not self._open or self._proven:
                break
            weights = self._solve()
            if weights is None:
                self._open = False
                break
            used = np.flatnonzero(weights > _USED).tolist()
            self.used = [(*self._cells[i], float(weights[i])) for i in used]
            coarse = [i for i in used if not self._cells[i][1].single]
            self._open = bool(coarse) and len(self._cells) <= _MOST_CELLS and self._split(coarse)
        return self._proven

    @property
    def _proven(self) -> bool:
        return self.target is None and self.bound is not None and self.bound > 0

    def _split(self, coarse: list[int]) -> bool:
        """Put finer cells in the place of some."""
        finer = [
            (g, piece) for g, cell in (self._cells[i] for i in coarse) for piece in self.groups[g].split(cell, 3, 3)
        ]
        kept = np.ones(len(self._cells), dtype=bool)
        kept[coarse] = False
        self._cells = [cell for cell, keep in zip(self._cells, kept.tolist(), strict=True) if keep]
        self._columns, self._goal = self._columns[:, kept], self._goal[kept]
        return self._add(finer)

    def _add(self, pieces: list[tuple[int, _Cell]]) -> bool:
        """Add cells: for each end of each sum, the least that a cell adds to what must not exceed it."""
        columns, goals = [], []
        for g, group in enumerate(self.groups):
            own = [cell for h, cell in pieces if h == g]
            if not own:
                continue
            found = [group.ends(own, amount) for amount in group.amounts]
            ends = [each for each in found if each is not None]
            if len(ends) < len(found):
                return False
            goal = (np.zeros(len(own)), np.zeros(len(own))) if self.target is None else ends.pop()
            goals.append(goal[1] if self.sign > 0 else -goal[0])
            ends += self._counts(group, own)
            lines = [
                line
                for (least, most), (low, high) in zip(ends, self.asked.ends, strict=True)
                for line, end in ((least, high), (-most, -low))
                if np.isfinite(end)
            ]
            columns.append(np.array(lines).reshape(-1, len(own)))
        self._cells += sorted(pieces, key=lambda piece: piece[0])
        new = np.concatenate(columns, axis=1)
        self._columns = np.concatenate([self._columns.reshape(len(new), -1), new], axis=1)
        self._goal = np.concatenate([self._goal, *goals])
        return True

    def _counts(self, group: _Group, cells: list[_Cell]) -> list[tuple[Floats, Floats]]:
        """Return the least and the most tp and predicted of cells, of those whose sums are known."""
        tp = [group.tp[[place(cell) for cell in cells]].astype(float) for place in (_first, _last)]
        predicted = [np.array([float(cell[side]) for cell in cells]) for side in (2, 3)]
        known = ((self.asked.hits, tp), (self.asked.predicted, predicted))
        return [(least, most) for whole, (least, most) in known if whole is not None]

    def _solve(self) -> Floats | None:
        """Solve for the weights of cells, and note what its dual proves; None where the solver gave up."""
        from scipy.optimize import linprog  # seldom needed, and slow to import

        caps = np.array([end for low, high in self.asked.ends for end in (high, -low) if np.isfinite(end)])
        sizes = np.array([len(group.members) for group in self.groups], dtype=float)
        of = np.array([g for g, _ in self._cells])
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
        self._prove(np.maximum(-solved.ineqlin.marginals, 0.0) / scale, caps, sizes, of)
        return np.asarray(solved.x[: len(self._cells)])

    def _prove(self, weights: Floats, caps: Floats, sizes: Floats, of: Ints) -> None:
        """Add up what weights of the sums prove, without the solver."""
        each = weights @ self._columns
        size = float((np.abs(weights) @ np.abs(self._columns)).max() * sizes.sum() + np.abs(weights) @ np.abs(caps))
        if self.target is None:
            least = np.array([each[of == g].min() for g in range(len(sizes))])
            self.bound = float(least @ sizes - weights @ caps) - _MARGIN * size
            return
        most = np.array([(self._goal - each)[of == g].max() for g in range(len(sizes))])
        size += float(np.abs(self._goal).max() * sizes.sum())
        bound = float(most @ sizes + weights @ caps) + _MARGIN * size
        self.bound = self.sign * (bound if self.bound is None else min(self.sign * self.bound, bound))
