"""Choosing one table for each part so that sums lie in a box: by looking at all choices, or by exchanging cases.

Both ways split the parts into two sides, list what each side can add to the sums, and join the lists: a sum of one side
wants just those sums of the other that bring it into the box, and a tree finds the nearest. So as many pairs as the
product of the two lists are looked at in the time of their sum. Floats only point to choices; what fits is decided by
a function that is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import comb, prod
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from .mixtures import Mixture, Sums
from .problem import Floats
from .rows import Ints

#: The place of the table of each part, by kind of part.
Chosen: TypeAlias = list[list[int]]
#: Decides exactly whether a choice fits.
Fits: TypeAlias = Callable[[Chosen], bool]

# Distances are in half widths of the box: what is farther than this is outside for sure.
_OUTSIDE: Final = 1 + 1e-5
# How many choices that seem to fit are decided exactly before a join is given up.
_DECIDED: Final = 2000
# Lists of this length are joined first, then longer ones.
_SHORT, _LONG = 400, 30_000
# From this distance on, cases come and go by the dozen.
_NEAR: Final = 20.0


class _Side(NamedTuple):
    """What some parts can add: sums, and the places of their tables, a column for each part."""

    sums: Floats
    places: Ints


def size(sums: Sums, most: int) -> tuple[int, tuple[int, ...]]:
    """Return the length of the longer list in the best split of the parts, and how many of each kind are on one side.

    Parts of one kind can be exchanged, so a side holds multisets of tables. Where every split has a longer list than
    is wanted, some large length.
    """
    best: tuple[int, tuple[int, ...]] | None = None
    kinds = [(len(choice), choice.count) for choice in sums.choices]
    # A multiset of all is a pair of multisets, so no split has two short lists where there are many.
    if prod(comb(n + k - 1, k) for n, k in kinds) > most * most or prod(k + 1 for _, k in kinds) > 20_000:
        return 1 << 62, ()
    for split in product(*(range(count + 1) for _, count in kinds)):
        one = prod(comb(tables + taken - 1, taken) for (tables, _), taken in zip(kinds, split, strict=True))
        other = prod(
            comb(tables + count - taken - 1, count - taken) for (tables, count), taken in zip(kinds, split, strict=True)
        )
        if best is None or max(one, other) < best[0]:
            best = max(one, other), split
    assert best is not None
    return best


def exhausted(sums: Sums, split: Sequence[int], fits: Fits) -> Chosen | bool | None:
    """Look at all choices: one that fits, False if none does, or None where too many seem to fit and do not."""
    rest = [choice.count - taken for choice, taken in zip(sums.choices, split, strict=True)]
    one, other = _multisets(sums, split), _multisets(sums, rest)
    low, high = sums.box
    middle, units = (low + high) / 2, np.maximum(sums.units, sums.doubt * 1e5)
    if not len(middle):
        chosen = _put(sums, split, one.places[0], rest, other.places[0])
        return chosen if fits(chosen) else None
    from scipy.spatial import cKDTree

    tree = cKDTree(one.sums / units)
    goals = (middle - other.sums) / units
    distance, near = tree.query(goals, p=np.inf, distance_upper_bound=_OUTSIDE)
    hits = np.flatnonzero(np.isfinite(distance))
    if not len(hits):
        return False
    hits = hits[np.argsort(distance[hits], kind="stable")]
    for b in hits[:20]:
        chosen = _put(sums, split, one.places[near[b]], rest, other.places[b])
        if fits(chosen):
            return chosen
    decided = 0
    for b in hits:
        for a in tree.query_ball_point(goals[b], _OUTSIDE, p=np.inf):
            decided += 1
            if decided > _DECIDED:
                return None
            chosen = _put(sums, split, one.places[a], rest, other.places[b])
            if fits(chosen):
                return chosen
    return False


def _put(sums: Sums, split: Sequence[int], one: Ints, rest: Sequence[int], other: Ints) -> Chosen:
    chosen: Chosen = []
    a = b = 0
    for taken, left in zip(split, rest, strict=True):
        chosen.append([*one[a : a + taken].tolist(), *other[b : b + left].tolist()])
        a, b = a + taken, b + left
    return chosen


def _multisets(sums: Sums, taken: Sequence[int]) -> _Side:
    """List all multisets of tables, so many of each kind of part."""
    side = _Side(np.zeros((1, len(sums.coordinates))), np.zeros((1, 0), dtype=np.int64))
    for g, count in enumerate(taken):
        points, last = sums.points[g], np.zeros(len(side.sums), dtype=np.int64)
        for _ in range(count):
            ways = len(points) - last
            row = np.repeat(np.arange(len(last)), ways)
            last = np.arange(len(row)) - np.repeat(np.cumsum(ways) - ways, ways) + last[row]
            side = _Side(side.sums[row] + points[last], np.hstack([side.places[row], last[:, None]]))
    return side


class Exchange:
    """A search that keeps one table for each part and exchanges cases between parts while sums come nearer the box.

    Cases that move between two parts of one kind leave every linear score alone and change the others a little; lists
    of such moves on two sides are joined. All chance comes from a fixed seed.
    """

    def __init__(self, sums: Sums, fits: Fits, seed: int = 0) -> None:
        self.sums, self.fits = sums, fits
        self.kind = np.repeat(np.arange(len(sums.choices)), [choice.count for choice in sums.choices])
        self.rng = np.random.default_rng(seed)
        low, high = sums.box
        self.middle, self.units = (low + high) / 2, sums.units
        self.near = [self._neighbours(g) for g in range(len(sums.choices))]
        self.spent = 0
        #: The choice that came nearest, and how near.
        self.best: tuple[float, Ints] = (np.inf, np.zeros(0, dtype=np.int64))

    def _neighbours(self, g: int) -> tuple[Ints, Ints, Ints]:
        choice = self.sums.choices[g]
        return choice.positives, choice.tp, choice.tn

    def run(self, mixture: Mixture, effort: int, known: Ints | None = None) -> Chosen | None:
        """Search until a choice fits or the effort, counted in moves that were listed, is spent.

        `known` is a choice to start from besides those that the mixture gives.
        """
        for start in self._starts(mixture, known):
            chosen = self._from(start, effort)
            if chosen is not None:
                return chosen
            if self.spent >= effort:
                return None
        return None

    def _starts(self, mixture: Mixture, known: Ints | None) -> Iterator[Ints]:
        yield self._rounded(mixture)
        while True:
            if known is not None:
                yield known
            yield self._scattered(mixture)
            yield self._rounded(mixture)

    def _rounded(self, mixture: Mixture) -> Ints:
        """Return whole tables in about the amounts of a mixture."""
        state: list[int] = []
        for choice, amounts in zip(self.sums.choices, mixture, strict=True):
            places, shares = list(amounts), np.array(list(amounts.values()))
            whole = np.floor(shares + 1e-9).astype(int)
            own = [place for place, number in zip(places, whole, strict=True) for _ in range(number)][: choice.count]
            left = np.maximum(shares - whole, 1e-12)
            missing = choice.count - len(own)
            own += self.rng.choice(places, missing, p=left / left.sum()).tolist() if missing else []
            state += own
        return np.array(state, dtype=np.int64)

    def _scattered(self, mixture: Mixture) -> Ints:
        """Return tables scattered around the middle of a mixture, as those of honest folds are."""
        state: list[int] = []
        for g, (choice, amounts) in enumerate(zip(self.sums.choices, mixture, strict=True)):
            shares = np.array(list(amounts.values())) / choice.count
            own = list(amounts)
            columns = self.near[g]
            centre = [float(column[own] @ shares) for column in columns]
            wide = self.rng.choice([0.3, 0.6, 1.0])
            for _ in range(choice.count):
                off = [
                    c + self.rng.normal() * wide * np.sqrt(1 + min(c, float(column.max()) - c))
                    for c, column in zip(centre, columns, strict=True)
                ]
                gap = sum((column - o) ** 2 for column, o in zip(columns, off, strict=True))
                state.append(int(np.argmin(gap)))
        return np.array(state, dtype=np.int64)

    def _far(self, total: Floats) -> float:
        return float((np.abs(total - self.middle) / self.units).max(initial=0.0))

    def chosen(self, state: Ints) -> Chosen:
        """Return the places of tables by kind of part."""
        return [state[self.kind == g].tolist() for g in range(len(self.sums.choices))]

    def _total(self, state: Ints) -> Floats:
        return np.asarray(
            sum((self.sums.points[g][place] for g, place in zip(self.kind, state, strict=True)), 0.0 * self.middle)
        )

    def _from(self, state: Ints, effort: int) -> Chosen | None:
        far = self._far(self._total(state))
        if far <= _OUTSIDE and self.fits(self.chosen(state)):
            return self.chosen(state)
        length, idle = _SHORT, 0
        while self.spent < effort and idle < 12:
            one, other = self._sides()
            found = self._joined(state, one, other, length, max(far, 1.0) * 1.5)
            if found is None:
                idle += 1
                length = min(2 * length, _LONG)
                continue
            distance, new = found
            if distance <= _OUTSIDE and self.fits(self.chosen(new)):
                return self.chosen(new)
            idle = 0 if distance < 0.9 * far else idle + 1
            if idle % 2:
                length = min(2 * length, _LONG)
            if distance < far * (1 if idle < 6 else 1.5):
                state, far = new, distance
            if distance < self.best[0]:
                self.best = distance, new
        return None

    def _sides(self) -> tuple[Ints, Ints]:
        """Choose parts for both sides: two or three each, of one kind where there are such."""
        parts = len(self.kind)
        if parts == 1:
            return np.array([0]), np.array([], dtype=np.int64)
        if parts <= 3:
            order = self.rng.permutation(parts)
            return order[:1], order[1:]
        each = 2 if parts < 6 or self.rng.random() < 0.6 else 3
        order = self.rng.permutation(parts)
        if self.rng.random() < 0.7:
            # Parts of one kind side by side.
            rank = self.rng.permutation(len(self.sums.choices))
            order = order[np.argsort(rank[self.kind[order]], kind="stable")]
            start = int(self.rng.integers(0, max(1, parts - 2 * each + 1)))
            order = order[start:]
        return order[:each], order[each : 2 * each]

    def _joined(self, state: Ints, one: Ints, other: Ints, length: int, within: float) -> tuple[float, Ints] | None:
        """Return the best choice with other tables on two sides, and how far it is from the middle of the box."""
        from scipy.spatial import cKDTree

        first, second = (self._moves(state, side, length, within) for side in (one, other))
        # A join of short lists takes its time too.
        self.spent += max(len(first.sums) + len(second.sums), 2 * _SHORT)
        fixed = np.ones(len(state), dtype=bool)
        fixed[one] = fixed[other] = False
        rest = self._total_of(state, fixed)
        tree = cKDTree(first.sums / self.units)
        goals = (self.middle - rest - second.sums) / self.units
        distance, near = tree.query(goals, p=np.inf, distance_upper_bound=within)
        finite = np.isfinite(distance)
        if not finite.any():
            return None
        order = np.argsort(distance, kind="stable")
        best: tuple[float, Ints] | None = None
        for b in order[:3]:
            if not np.isfinite(distance[b]):
                break
            new = state.copy()
            new[one], new[other] = first.places[near[b]], second.places[b]
            if best is None:
                best = float(distance[b]), new
            if distance[b] <= _OUTSIDE and self.fits(self.chosen(new)):
                return float(distance[b]), new
        return best

    def _total_of(self, state: Ints, which: Any) -> Floats:
        total = 0.0 * self.middle
        for part in np.flatnonzero(which):
            total = total + self.sums.points[self.kind[part]][state[part]]
        return total

    def _moves(self, state: Ints, side: Ints, length: int, within: float) -> _Side:
        """List tables for the parts of a side: cases move between its parts, and some come or go."""
        if not len(side):
            return _Side(0.0 * self.middle[None], np.zeros((1, 0), dtype=np.int64))
        kinds = self.kind[side]
        if len(side) == 1:
            return self._all_of(int(kinds[0]), int(state[side[0]]), length)
        firsts = [self._some(int(g), int(place), length) for g, place in zip(kinds[:-1], state[side[:-1]], strict=True)]
        count = min(len(f) for f in firsts)
        if len(firsts) > 1 or len(firsts[0]) < length:
            # Few tables: pair them up at random with all ways to come or go.
            count = length
            firsts = [f[self.rng.integers(0, len(f), count)] for f in firsts]
        firsts = [f[:count] for f in firsts]
        last = int(kinds[-1])
        wanted = []
        for axis in range(3):
            total = sum(int(self.near[g][axis][state[part]]) for g, part in zip(kinds, side, strict=True))
            moved = sum(self.near[int(g)][axis][f] for g, f in zip(kinds[:-1], firsts, strict=True))
            comes = self._coming(count, within) if axis else 0
            wanted.append(total - moved + comes)
        if any(self.sums.choices[int(g)].sparse for g in kinds):
            # With gaps between tables, cases cannot move one by one.
            end = self._some(last, int(state[side[-1]]), count)
            end = end[self.rng.integers(0, len(end), count)]
        else:
            end = self.sums.choices[last].places(*wanted)
        kept = end >= 0
        places = np.column_stack([*(f[kept] for f in firsts), end[kept]])
        places = np.vstack([places, state[side][None]])
        total_sums = sum(self.sums.points[int(g)][places[:, i]] for i, g in enumerate(kinds))
        return _Side(np.asarray(total_sums), places)

    def _coming(self, count: int, within: float) -> Ints:
        """Draw how many cases come to a side or go: few where the sums are near the box, else many."""
        if within < _NEAR:
            return np.asarray(self.rng.choice([0, 0, 0, -1, 1], count), dtype=np.int64)
        off = self.rng.normal(size=count) * self.rng.choice([0.0, 1.0, 3.0, 10.0, 30.0], count)
        return np.asarray(np.rint(off), dtype=np.int64)

    def _all_of(self, g: int, place: int, length: int) -> _Side:
        points = self.sums.points[g]
        some = np.arange(len(points)) if len(points) <= 2 * length else self._some(g, place, length)
        return _Side(points[some], some[:, None])

    def _some(self, g: int, place: int, length: int) -> Ints:
        """Return tables near one, many near and few far."""
        choice = self.sums.choices[g]
        if len(choice) <= length:
            return self.rng.permutation(len(choice))
        positives, tp, tn = (int(column[place]) for column in self.near[g])
        wide = self.rng.choice([1.0, 2.0, 4.0, 8.0, 16.0], length)
        off_tp, off_tn = (np.rint(self.rng.normal(size=length) * wide).astype(np.int64) for _ in range(2))
        off_p = 0
        if choice.positives[0] != choice.positives[-1]:
            off_p = np.rint(self.rng.normal(size=length) * wide / 2).astype(np.int64)
        found = choice.places(positives + off_p, tp + off_tp, tn + off_tn)
        # And some from anywhere: a score that is undefined or extreme is a jump away.
        anywhere = self.rng.integers(0, len(choice), length // 6)
        found = np.unique(np.concatenate([found[found >= 0], anywhere]))
        return np.asarray(self.rng.permutation(found)) if len(found) else np.array([place])
