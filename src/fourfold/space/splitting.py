"""Choosing tables by their two sides: tp of all parts and tn of all parts are listed apart, then joined.

Scores that are linear in the cells tie only one side (recall, specificity) or add what the sides give (accuracy). So
lists of each side are cut down first, their join meets every linear claim, and only then the other scores are looked
up. Complete lists prove that no choice fits; else they are drawn near a choice that nearly does.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .choosing import Chosen, Fits
from .mixtures import Sums
from .problem import Floats
from .rows import Ints

# Rows of half a side, rows of a side, and pairs of two sides that are listed at most.
_MOST_HALVES, _MOST_SIDES, _MOST_PAIRS = 2_000_000, 500_000, 6_000_000
# The same where lists are drawn.
_DRAWN_HALVES, _DRAWN_SIDES, _DRAWN_PAIRS = 8_000, 20_000, 200_000
_TOGETHER: Final = 1 << 17
_DECIDED: Final = 500
# How far a score may be off a plane to be taken as linear, and the room that sums of such are given at each end.
_STRAIGHT, _ROOM = 1e-12, 1e-9

_Bools: TypeAlias = NDArray[np.bool_]


class _Straight(NamedTuple):
    """A coordinate that is linear in tp and tn: its slopes for each part, and its interval less what is constant."""

    slopes: tuple[Floats, Floats]
    low: float
    high: float


class _Join(NamedTuple):
    """Pairs of places in two lists, and whether they are all that there are."""

    first: Ints
    second: Ints
    complete: bool


class Sides:
    """Sums whose parts have known margins, as two lists to be joined."""

    def __init__(self, sums: Sums, fits: Fits, seed: int = 0) -> None:
        self.sums, self.fits = sums, fits
        self.kind = np.repeat(np.arange(len(sums.choices)), [choice.count for choice in sums.choices])
        self.rng = np.random.default_rng(seed)
        self.straight: list[_Straight] = []
        self.curved: list[int] = []
        self._grids: dict[int, Ints] = {}
        self._sort()

    @staticmethod
    def apply(sums: Sums) -> bool:
        """Tell whether all parts have known margins."""
        return all(
            choice.positives[0] == choice.positives[-1] and choice.negatives[0] == choice.negatives[-1]
            for choice in sums.choices
        )

    def _sort(self) -> None:
        """Tell coordinates that are linear in the cells from others."""
        low, high = self.sums.box
        low, high = low - self.sums.doubt, high + self.sums.doubt
        for c in range(len(self.sums.coordinates)):
            lines = [self._line(g, c) for g in range(len(self.sums.choices))]
            if any(line is None for line in lines):
                self.curved.append(c)
                continue
            known = [line for line in lines if line is not None]
            constant = sum(known[g][2] for g in self.kind)
            slopes = tuple(np.array([known[g][side] for g in self.kind]) for side in (0, 1))
            self.straight.append(_Straight((slopes[0], slopes[1]), low[c] - constant, high[c] - constant))

    def _line(self, g: int, c: int) -> tuple[float, float, float] | None:
        choice, values = self.sums.choices[g], self.sums.points[g][:, c]
        cells = np.column_stack([choice.tp, choice.tn, np.ones(len(choice))])
        if len(choice) < 3:
            return None
        line, *_ = np.linalg.lstsq(cells, values, rcond=None)
        # A slope of zero comes out as a tiny one.
        a, b, constant = np.where(np.abs(line) < 1e-12, 0.0, line)
        off = np.abs(cells @ (a, b, constant) - values).max()
        # What is not quite straight is looked up instead.
        return (float(a), float(b), float(constant)) if off <= _STRAIGHT * (1 + np.abs(values).max()) else None

    def exhausted(self) -> Chosen | bool | None:
        """Look at all choices: one that fits, False if none does, None where there are too many."""
        lists: dict[int, Ints] = {}
        for side in self._order():
            halves = [self._all_of(half, side) for half in self._halves()]
            if halves[0] is None or halves[1] is None:
                return None
            lists[side], complete = self._side(side, halves[0], halves[1], _MOST_SIDES, lists.get(1 - side))
            if not complete:
                return None
        found, complete = self._both(lists[0], lists[1], _MOST_PAIRS)
        return found if found is not None else (False if complete else None)

    def around(self, state: Ints, rounds: int) -> Chosen | None:
        """Draw lists near a choice, and look for one that fits in their join."""
        for turn in range(rounds):
            wide = (0.7, 1.2, 2.0, 3.5)[turn % 4]
            lists: dict[int, Ints] = {}
            for side in self._order():
                first, second = (self._drawn(half, side, state, wide) for half in self._halves(mixed=True))
                lists[side], _ = self._side(side, first, second, _DRAWN_SIDES, lists.get(1 - side))
            found, _ = self._both(lists[0], lists[1], _DRAWN_PAIRS)
            if found is not None:
                return found
        return None

    def _order(self) -> tuple[int, int]:
        """Return the side first that some claim ties alone."""
        return (0, 1) if any(not line.slopes[1].any() for line in self.straight) else (1, 0)

    def _halves(self, *, mixed: bool = False) -> tuple[Ints, Ints]:
        """Split the parts so that both halves have about as many lists."""
        parts = np.arange(len(self.kind))
        if mixed:
            parts = self.rng.permutation(parts)
            return parts[::2], parts[1::2]
        size = np.array([np.log(len(self.sums.choices[g])) for g in self.kind])
        cut = int(np.searchsorted(np.cumsum(size), size.sum() / 2))
        return parts[:cut], parts[cut:]

    def _counts(self, g: int, side: int) -> Ints:
        choice = self.sums.choices[g]
        return np.unique(choice.tn if side else choice.tp)

    def _all_of(self, parts: Ints, side: int) -> tuple[Ints, Ints] | None:
        """List all counts of some parts; tp of alike parts only in rising order, as parts can be exchanged."""
        rows = np.zeros((1, 0), dtype=np.int64)
        for i, part in enumerate(parts):
            counts = self._counts(int(self.kind[part]), side)
            if len(rows) * len(counts) > _MOST_HALVES:
                return None
            new = np.tile(counts, len(rows))
            rows = np.hstack([np.repeat(rows, len(counts), axis=0), new[:, None]])
            if not side and i and self.kind[part] == self.kind[parts[i - 1]]:
                rows = rows[rows[:, -1] >= rows[:, -2]]
        return parts, rows

    def _drawn(self, parts: Ints, side: int, state: Ints, wide: float) -> tuple[Ints, Ints]:
        """Draw counts of some parts near those of a choice."""
        columns = []
        for part in parts:
            g = int(self.kind[part])
            choice = self.sums.choices[g]
            column = choice.tn if side else choice.tp
            off = np.rint(self.rng.normal(size=_DRAWN_HALVES) * wide).astype(np.int64)
            columns.append(np.clip(column[state[part]] + off, column.min(), column.max()))
        rows = np.column_stack(columns) if columns else np.zeros((1, 0), dtype=np.int64)
        return parts, np.unique(rows, axis=0)

    def _side(
        self, side: int, first: tuple[Ints, Ints], second: tuple[Ints, Ints], most: int, other: Ints | None
    ) -> tuple[Ints, bool]:
        """Join two halves of a side where they meet the claims on it: its own, and what the other side leaves it."""
        own, low, high = [], [], []
        for line in self.straight:
            least = most_ = 0.0
            if line.slopes[1 - side].any():
                if other is None or not len(other) or not line.slopes[side].any():
                    continue
                added = other @ line.slopes[1 - side]
                least, most_ = float(added.min()), float(added.max())
            own.append(line.slopes[side])
            low.append(line.low - most_)
            high.append(line.high - least)
        sums = [
            np.column_stack([rows @ slopes[parts] for slopes in own]) if own else np.zeros((len(rows), 0))
            for parts, rows in (first, second)
        ]
        join = self._join(sums[0], sums[1], (np.array(low), np.array(high)), most)
        rows = np.zeros((len(join.first), len(self.kind)), dtype=np.int64)
        rows[:, first[0]] = first[1][join.first]
        rows[:, second[0]] = second[1][join.second]
        return rows, join.complete

    def _join(self, first: Floats, second: Floats, ends: tuple[Floats, Floats], most: int) -> _Join:
        """Return pairs whose sums lie between ends: all, or as many as wanted by chance."""
        low, high = ends
        if len(low) > 1:
            # Sorted by the claim that leaves least.
            spread = second.max(axis=0) - second.min(axis=0) + first.max(axis=0) - first.min(axis=0)
            by = np.argsort((high - low) / (spread + 1e-300), kind="stable")
            first, second, low, high = first[:, by], second[:, by], low[by], high[by]
        # Floats near an end are kept: what fits is decided later.
        room = _ROOM * (1 + np.abs(low) + np.abs(high)) if len(low) else low
        order = np.argsort(second[:, 0]) if len(low) else np.arange(len(second))
        if len(low):
            key = second[order, 0]
            start = np.searchsorted(key, low[0] - room[0] - first[:, 0])
            stop = np.searchsorted(key, high[0] + room[0] - first[:, 0], side="right")
        else:
            start, stop = np.zeros(len(first), np.int64), np.full(len(first), len(second))
        ways = np.maximum(stop - start, 0)
        total = int(ways.sum())
        sure = total <= most
        places = np.arange(total) if sure else np.sort(self.rng.integers(0, total, most))
        ends_at = np.cumsum(ways)
        row = np.searchsorted(ends_at, places, side="right")
        column = order[start[row] + places - (ends_at[row] - ways[row])] if total else places
        good = np.ones(len(row), dtype=bool)
        for c in range(1, len(low)):
            both = first[row, c] + second[column, c]
            good &= (both >= low[c] - room[c]) & (both <= high[c] + room[c])
        return _Join(row[good], column[good], sure)

    def _both(self, tp: Ints, tn: Ints, most: int) -> tuple[Chosen | None, bool]:
        """Join both sides where they meet the linear claims, and look the other scores up."""
        if not len(tp) or not len(tn):
            return None, True
        own = [line for line in self.straight if line.slopes[0].any() and line.slopes[1].any()]
        sums = [
            np.column_stack([rows @ line.slopes[side] for line in own]) if own else np.zeros((len(rows), 0))
            for side, rows in enumerate((tp, tn))
        ]
        join = self._join(sums[0], sums[1], (np.array([x.low for x in own]), np.array([x.high for x in own])), most)
        complete, decided = join.complete, 0
        for start in range(0, len(join.first), _TOGETHER):
            piece = slice(start, start + _TOGETHER)
            first, second = tp[join.first[piece]], tn[join.second[piece]]
            places, good = self._looked_up(first, second)
            for i in np.flatnonzero(good):
                decided += 1
                if decided > _DECIDED:
                    return None, False
                chosen = self._chosen(places[i])
                if self.fits(chosen):
                    return chosen, True
        return None, complete

    def _looked_up(self, tp: Ints, tn: Ints) -> tuple[Ints, _Bools]:
        """Return the tables of many choices, and which of them meet the claims that are not linear."""
        places = np.empty((len(tp), len(self.kind)), dtype=np.int64)
        good = np.ones(len(tp), dtype=bool)
        totals = np.zeros((len(self.curved), len(tp)))
        for part, g in enumerate(self.kind):
            found = self._grid(int(g))[tp[:, part], tn[:, part]]
            places[:, part] = found
            good &= found >= 0
            for row, c in enumerate(self.curved):
                totals[row] += self.sums.points[g][:, c][found]
        low, high = self.sums.box
        for row, c in enumerate(self.curved):
            doubt = self.sums.doubt[c]
            good &= (totals[row] >= low[c] - doubt) & (totals[row] <= high[c] + doubt)
        return places, good

    def _grid(self, g: int) -> Ints:
        """Return where the table with each tp and tn is in the list, -1 where it is not."""
        if g not in self._grids:
            choice = self.sums.choices[g]
            grid = np.full((int(choice.positives[0]) + 1, int(choice.negatives[0]) + 1), -1, dtype=np.int64)
            grid[choice.tp, choice.tn] = np.arange(len(choice))
            self._grids[g] = grid
        return self._grids[g]

    def _chosen(self, places: Ints) -> Chosen:
        return [places[self.kind == g].tolist() for g in range(len(self.sums.choices))]
