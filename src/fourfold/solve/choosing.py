"""Choosing one table for each part so that sums lie in a box: by looking at all choices, or by exchanging cases.

All ways list what two sides can add to the sums and join the lists: a sum of one side wants just those sums of the
other that bring it into the box. So as many pairs as the product of the two lists are looked at in the time of their
sum. The sides are some parts and the others, or tp of all parts and tn of all parts. Floats only point to choices;
what fits is decided by a function that is given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, cycle, islice, product
from math import comb, prod
from typing import Final, Literal, TypeAlias

import numpy as np

from .mixtures import Mixture, Sums
from .problem import Floats
from .rows import Ints, Pairs, unrolled

#: The place of the table of each part, by kind of part.
Chosen: TypeAlias = list[list[int]]
#: Decides exactly whether a choice fits.
Fits: TypeAlias = Callable[[Chosen], bool]
#: What some parts can add: sums, and the places of their tables, a column for each part.
_Side: TypeAlias = tuple[Floats, Ints]

# Distances are in half widths of the box: what is farther than this is outside for sure.
_OUTSIDE: Final = 1 + 1e-5
# How many choices that seem to fit are decided exactly before a join of parts, or of tp and tn, is given up.
_DECIDED, _DECIDED_SIDES = 2000, 500
# Lists of this length are joined first, then longer ones.
_SHORT, _LONG = 400, 30_000
# Joins return so many choices that come near, after a glance at so many goals.
_WANTED, _GLANCES = 3, 1_000
# From this distance on, cases come and go by the dozen.
_NEAR: Final = 20.0
# Rows of half of tp or tn, rows of all of it, and pairs of both that are listed at most.
_MOST_HALVES, _MOST_SIDES, _MOST_PAIRS = 2_000_000, 500_000, 6_000_000
# The same where lists are drawn.
_DRAWN_HALVES, _DRAWN_SIDES, _DRAWN_PAIRS = 8_000, 20_000, 200_000
_TOGETHER: Final = 1 << 17
# How far a score may be off a plane to be taken as linear, and the room that sums of such are given at each end.
_STRAIGHT, _ROOM = 1e-12, 1e-9


def exhausted(sums: Sums, most: int, fits: Fits) -> Chosen | Literal[False] | None:
    """Look at all choices: one that fits, or False if none does.

    None where every split of the parts has a list longer than wanted, or too many seem to fit and do not.
    """
    # Parts of one kind can be exchanged, so a side holds multisets of tables.
    kinds = [(len(choice), choice.count) for choice in sums.choices]
    # A multiset of all is a pair of multisets, so no split has two short lists where there are many.
    if prod(comb(n + k - 1, k) for n, k in kinds) > most * most or prod(k + 1 for _, k in kinds) > 20_000:
        return None

    def length(split: Sequence[int]) -> int:
        """Return the length of the longer list."""
        one = prod(comb(n + taken - 1, taken) for (n, _), taken in zip(kinds, split, strict=True))
        return max(one, prod(comb(n + k - taken - 1, k - taken) for (n, k), taken in zip(kinds, split, strict=True)))

    split = min(product(*(range(count + 1) for _, count in kinds)), key=length)
    if length(split) > most:
        return None
    rest = [count - taken for (_, count), taken in zip(kinds, split, strict=True)]
    (one, one_places), (other, other_places) = _multisets(sums, split), _multisets(sums, rest)

    def put(a: int, b: int) -> Chosen:
        first, second = iter(one_places[a].tolist()), iter(other_places[b].tolist())
        return [[*islice(first, taken), *islice(second, left)] for taken, left in zip(split, rest, strict=True)]

    if not sums.coordinates:
        return put(0, 0) if fits(put(0, 0)) else None
    from scipy.spatial import cKDTree

    low, high = sums.box
    units = np.maximum(sums.units, sums.doubt * 1e5)
    tree, goals = cKDTree(one / units), ((low + high) / 2 - other) / units
    distance, near = tree.query(goals, p=np.inf, distance_upper_bound=_OUTSIDE)
    hits = np.flatnonzero(np.isfinite(distance))
    hits = hits[np.argsort(distance[hits], kind="stable")]
    nearest = [(near[b], b) for b in hits[:20]]
    others = ((a, b) for b in hits for a in tree.query_ball_point(goals[b], _OUTSIDE, p=np.inf))
    for number, (a, b) in enumerate(chain(nearest, others)):
        if number >= len(nearest) + _DECIDED:
            return None
        if fits(chosen := put(a, b)):
            return chosen
    return False


def _multisets(sums: Sums, taken: Sequence[int]) -> _Side:
    """List all multisets of tables, so many of each kind of part."""
    added, places = np.zeros((1, len(sums.coordinates))), np.zeros((1, 0), dtype=np.int64)
    for points, count in zip(sums.points, taken, strict=True):
        last = np.zeros(len(added), dtype=np.int64)
        for _ in range(count):
            row, last = unrolled(last, len(points) - last)
            added, places = added[row] + points[last], np.hstack([places[row], last[:, None]])
    return added, places


class _Search:
    """A search for one table for each part; all chance comes from a fixed seed."""

    def __init__(self, sums: Sums, fits: Fits, seed: int = 0) -> None:
        self.sums, self.fits = sums, fits
        #: The kind of each part.
        self.kind = np.repeat(np.arange(len(sums.choices)), [choice.count for choice in sums.choices])
        self.rng = np.random.default_rng(seed)

    def chosen(self, state: Ints) -> Chosen:
        """Return the places of tables by kind of part."""
        return [state[self.kind == g].tolist() for g in range(len(self.sums.choices))]


class Exchange(_Search):
    """A search that keeps one table for each part and exchanges cases between parts while sums come nearer the box.

    Cases that move between two parts of one kind leave every linear score alone and change the others a little; lists
    of such moves on two sides are joined.
    """

    def __init__(self, sums: Sums, fits: Fits, seed: int = 0) -> None:
        super().__init__(sums, fits, seed)
        low, high = sums.box
        self.middle, self.units = (low + high) / 2, sums.units
        self.near = [(choice.positives, choice.tp, choice.tn) for choice in sums.choices]
        self.spent = 0
        #: The choice that came nearest, and how near.
        self.best: tuple[float, Ints] = (np.inf, np.zeros(0, dtype=np.int64))

    def run(self, mixture: Mixture, effort: int, known: Ints | None = None) -> Chosen | None:
        """Search until a choice fits or the effort, counted in moves that were listed, is spent.

        `known` is a choice to start from besides those that the mixture gives.
        """
        some: list[Callable[[Mixture], Ints]] = [] if known is None else [lambda _: known]
        chosen = None
        for start in cycle([self._rounded, *some, self._scattered]):
            chosen = self._from(start(mixture), effort)
            if chosen is not None or self.spent >= effort:
                break
        return chosen

    def _rounded(self, mixture: Mixture) -> Ints:
        """Return whole tables in about the amounts of a mixture."""
        state: list[int] = []
        for choice, amounts in zip(self.sums.choices, mixture, strict=True):
            places, shares = list(amounts), np.array(list(amounts.values()))
            whole = np.floor(shares + 1e-9).astype(int)
            own = np.repeat(places, whole)[: choice.count].tolist()
            left, missing = np.maximum(shares - whole, 1e-12), choice.count - len(own)
            state += own + (self.rng.choice(places, missing, p=left / left.sum()).tolist() if missing else [])
        return np.array(state, dtype=np.int64)

    def _scattered(self, mixture: Mixture) -> Ints:
        """Return tables scattered around the middle of a mixture, as those of honest folds are."""
        state: list[int] = []
        for choice, amounts, columns in zip(self.sums.choices, mixture, self.near, strict=True):
            shares = np.array(list(amounts.values())) / choice.count
            centre = [float(column[list(amounts)] @ shares) for column in columns]
            wide = self.rng.choice([0.3, 0.6, 1.0])
            for _ in range(choice.count):
                gap = np.zeros(len(choice))
                for c, column in zip(centre, columns, strict=True):
                    off = c + self.rng.normal() * wide * np.sqrt(1 + min(c, float(column.max()) - c))
                    gap = gap + (column - off) ** 2
                state.append(int(np.argmin(gap)))
        return np.array(state, dtype=np.int64)

    def _total(self, state: Ints, parts: Sequence[int] | Ints) -> Floats:
        return sum((self.sums.points[self.kind[part]][state[part]] for part in parts), 0.0 * self.middle)

    def _from(self, state: Ints, effort: int) -> Chosen | None:
        off = np.abs(self._total(state, range(len(state))) - self.middle) / self.units
        far = float(off.max(initial=0.0))
        if far <= _OUTSIDE and self.fits(self.chosen(state)):
            return self.chosen(state)
        length, idle = _SHORT, 0
        while self.spent < effort and idle < 12:
            found = self._joined(state, length, max(far, 1.0) * 1.5)
            for distance, new in found:
                if distance <= _OUTSIDE and self.fits(self.chosen(new)):
                    return self.chosen(new)
            distance, new = found[0] if found else (np.inf, state)
            idle = 0 if distance < 0.9 * far else idle + 1
            if idle % 2 or not found:
                length = min(2 * length, _LONG)
            if distance < far * (1 if idle < 6 else 1.5):
                state, far = new, distance
            if distance < self.best[0]:
                self.best = distance, new
        return None

    def _sides(self) -> tuple[Ints, Ints]:
        """Choose parts for both sides: two or three each, of one kind where there are such."""
        parts, each = len(self.kind), 2
        if parts >= 6 and self.rng.random() >= 0.6:
            each = 3
        order = self.rng.permutation(parts)
        if parts <= 3:
            return order[:1], order[1:]
        if self.rng.random() < 0.7:
            # Parts of one kind side by side.
            rank = self.rng.permutation(len(self.sums.choices))
            order = order[np.argsort(rank[self.kind[order]], kind="stable")]
            order = order[int(self.rng.integers(0, max(1, parts - 2 * each + 1))) :]
        return order[:each], order[each : 2 * each]

    def _joined(self, state: Ints, length: int, within: float) -> list[tuple[float, Ints]]:
        """Return choices with other tables on two sides, with how far they are from the middle of the box."""
        from scipy.spatial import cKDTree

        sides = self._sides()
        (first, first_places), (second, second_places) = (self._moves(state, side, length, within) for side in sides)
        # A join of short lists takes its time too.
        self.spent += max(len(first) + len(second), 2 * _SHORT)
        rest = self._total(state, np.setdiff1d(np.arange(len(state)), np.concatenate(sides)))
        goals = (self.middle - rest - second) / self.units
        tree = cKDTree(first / self.units)
        # Only the nearest are wanted, and how near some are bounds that: a search within a bound is far quicker.
        some = tree.query(goals[:: len(goals) // _GLANCES + 1], p=np.inf, distance_upper_bound=within)[0]
        bound = np.nextafter(min(within, np.sort(some)[:_WANTED][-1]), np.inf)
        distance, near = tree.query(goals, p=np.inf, distance_upper_bound=bound)
        found = []
        for b in np.argsort(distance, kind="stable")[:_WANTED]:
            if np.isfinite(distance[b]):
                new = state.copy()
                new[sides[0]], new[sides[1]] = first_places[near[b]], second_places[b]
                found.append((float(distance[b]), new))
        return found

    def _moves(self, state: Ints, side: Ints, length: int, within: float) -> _Side:
        """List tables for the parts of a side: cases move between its parts, and some come or go."""
        if not len(side):
            return 0.0 * self.middle[None], np.zeros((1, 0), dtype=np.int64)
        kinds = self.kind[side].tolist()
        last, points = kinds[-1], self.sums.points[kinds[-1]]
        if len(side) == 1:
            some = np.arange(len(points))
            some = some if len(points) <= 2 * length else self._some(last, int(state[side[0]]), length)
            return points[some], some[:, None]
        firsts = [self._some(g, int(place), length) for g, place in zip(kinds[:-1], state[side[:-1]], strict=True)]
        count = len(firsts[0])
        if len(firsts) > 1 or count < length:
            # Few tables: pair them up at random with all ways to come or go.
            count = length
            firsts = [f[self.rng.integers(0, len(f), count)] for f in firsts]
        wanted = []
        for axis in range(3):
            total = sum(int(self.near[g][axis][state[part]]) for g, part in zip(kinds, side, strict=True))
            moved = sum(self.near[g][axis][f] for g, f in zip(kinds[:-1], firsts, strict=True))
            comes: Ints | int = 0
            if axis and within < _NEAR:
                comes = self.rng.choice([0, 0, 0, -1, 1], count)
            elif axis:
                off = self.rng.normal(size=count) * self.rng.choice([0.0, 1.0, 3.0, 10.0, 30.0], count)
                comes = np.rint(off).astype(np.int64)
            wanted.append(total - moved + comes)
        if any(self.sums.choices[g].sparse for g in kinds):
            # With gaps between tables, cases cannot move one by one.
            end = self._some(last, int(state[side[-1]]), count)
            end = end[self.rng.integers(0, len(end), count)]
        else:
            end = self.sums.choices[last].places(*wanted)
        places = np.column_stack([*firsts, end])[end >= 0]
        places = np.vstack([places, state[side][None]])
        return np.asarray(sum(self.sums.points[g][places[:, i]] for i, g in enumerate(kinds))), places

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


class Sides(_Search):
    """Sums whose parts have known margins, as two lists to be joined: tp of all parts and tn of all parts.

    Scores that are linear in the cells tie only one side (recall, specificity) or add what the sides give (accuracy).
    So lists of each side are cut down first, their join meets every linear claim, and only then the other scores are
    looked up. Complete lists prove that no choice fits; else they are drawn near a choice that nearly does.
    """

    def __init__(self, sums: Sums, fits: Fits, seed: int = 0) -> None:
        super().__init__(sums, fits, seed)
        #: The coordinates that are not linear in tp and tn.
        self.curved: list[int] = []
        low, high = sums.box
        self.least, self.most = low - sums.doubt, high + sums.doubt
        slopes, ends = [], []
        for c in range(len(sums.coordinates)):
            lines = [self._line(g, c) for g in range(len(sums.choices))]
            if any(line is None for line in lines):
                self.curved.append(c)
                continue
            a, b, constant = np.array([lines[g] for g in self.kind], dtype=float).T
            slopes.append((a, b))
            ends.append((self.least[c] - sum(constant.tolist()), self.most[c] - sum(constant.tolist())))
        #: For tp and for tn the slopes of each other coordinate in each part, and its interval less what is constant.
        self.slopes = np.array(slopes).reshape(-1, 2, len(self.kind)).swapaxes(0, 1)
        self.low, self.high = np.array(ends).reshape(-1, 2).T
        #: Where the table with each tp and tn is in the list of its kind, -1 where it is not.
        self.grids = []
        for choice in sums.choices:
            grid = np.full((int(choice.positives[0]) + 1, int(choice.negatives[0]) + 1), -1, dtype=np.int64)
            grid[choice.tp, choice.tn] = np.arange(len(choice))
            self.grids.append(grid)

    def _line(self, g: int, c: int) -> Floats | None:
        choice, values = self.sums.choices[g], self.sums.points[g][:, c]
        if len(choice) < 3:
            return None
        cells = np.column_stack([choice.tp, choice.tn, np.ones(len(choice))])
        line = np.linalg.lstsq(cells, values, rcond=None)[0]
        # A slope of zero comes out as a tiny one.
        line = np.where(np.abs(line) < 1e-12, 0.0, line)
        # What is not quite straight is looked up instead.
        straight = np.abs(cells @ line - values).max() <= _STRAIGHT * (1 + np.abs(values).max())
        return np.asarray(line) if straight else None

    def exhausted(self) -> Chosen | Literal[False] | None:
        """Look at all choices: one that fits, False if none does, None where there are too many."""
        # The parts are split so that both halves have about as many lists.
        size = np.array([np.log(len(self.sums.choices[g])) for g in self.kind])
        cut = int(np.searchsorted(np.cumsum(size), size.sum() / 2))
        halves = np.arange(len(self.kind))[:cut], np.arange(len(self.kind))[cut:]
        lists: dict[int, Ints] = {}
        for side in self._order():
            first, second = (self._all_of(half, side) for half in halves)
            if first is None or second is None:
                return None
            lists[side], complete = self._side(side, halves, (first, second), _MOST_SIDES, lists.get(1 - side))
            if not complete:
                return None
        return self._both(lists[0], lists[1], _MOST_PAIRS)

    def around(self, state: Ints, rounds: int) -> Chosen | None:
        """Draw lists near a choice, and look for one that fits in their join."""
        for turn in range(rounds):
            wide = (0.7, 1.2, 2.0, 3.5)[turn % 4]
            lists: dict[int, Ints] = {}
            for side in self._order():
                parts = self.rng.permutation(len(self.kind))
                halves = parts[::2], parts[1::2]
                first, second = (self._drawn(half, side, state, wide) for half in halves)
                lists[side], _ = self._side(side, halves, (first, second), _DRAWN_SIDES, lists.get(1 - side))
            if found := self._both(lists[0], lists[1], _DRAWN_PAIRS):
                return found
        return None

    def _order(self) -> tuple[int, int]:
        """Return the side first that some claim ties alone."""
        return (1, 0) if self.slopes[1].any(axis=1).all() else (0, 1)

    def _all_of(self, parts: Ints, side: int) -> Ints | None:
        """List all counts of some parts; tp of alike parts only in rising order, as parts can be exchanged."""
        rows = np.zeros((1, 0), dtype=np.int64)
        for i, part in enumerate(parts):
            choice = self.sums.choices[self.kind[part]]
            counts = np.unique(choice.tn if side else choice.tp)
            if len(rows) * len(counts) > _MOST_HALVES:
                return None
            rows = np.hstack([np.repeat(rows, len(counts), axis=0), np.tile(counts, len(rows))[:, None]])
            if not side and i and self.kind[part] == self.kind[parts[i - 1]]:
                rows = rows[rows[:, -1] >= rows[:, -2]]
        return rows

    def _drawn(self, parts: Ints, side: int, state: Ints, wide: float) -> Ints:
        """Draw counts of some parts near those of a choice."""
        if not len(parts):
            return np.zeros((1, 0), dtype=np.int64)
        columns = []
        for part in parts:
            choice = self.sums.choices[self.kind[part]]
            column = choice.tn if side else choice.tp
            off = np.rint(self.rng.normal(size=_DRAWN_HALVES) * wide).astype(np.int64)
            columns.append(np.clip(column[state[part]] + off, column.min(), column.max()))
        return np.unique(np.column_stack(columns), axis=0)

    def _side(
        self, side: int, halves: tuple[Ints, Ints], lists: tuple[Ints, Ints], most: int, other: Ints | None
    ) -> tuple[Ints, bool]:
        """Join two halves of a side where they meet the claims on it: its own, and what the other side leaves it."""
        own, others = self.slopes[side], self.slopes[1 - side]
        used, low, high = ~others.any(axis=1), self.low, self.high
        if other is not None and len(other):
            added = other @ others.T
            used |= own.any(axis=1)
            low, high = low - added.max(axis=0), high - added.min(axis=0)
        sums = [rows @ own[used][:, parts].T for parts, rows in zip(halves, lists, strict=True)]
        first, second, complete = self._join(sums[0], sums[1], low[used], high[used], most)
        rows = np.zeros((len(first), len(self.kind)), dtype=np.int64)
        rows[:, halves[0]], rows[:, halves[1]] = lists[0][first], lists[1][second]
        return rows, complete

    def _join(self, first: Floats, second: Floats, low: Floats, high: Floats, most: int) -> tuple[Ints, Ints, bool]:
        """Return pairs whose sums lie between ends, and whether they are all; else as many as wanted by chance."""
        if not len(low):
            first, second, low, high = np.zeros((len(first), 1)), np.zeros((len(second), 1)), np.zeros(1), np.zeros(1)
        # Sorted by the claim that leaves least.
        by = np.argsort((high - low) / (np.ptp(second, axis=0) + np.ptp(first, axis=0) + 1e-300), kind="stable")
        # Floats near an end are kept: what fits is decided later.
        room = _ROOM * (1 + np.abs(low) + np.abs(high))
        first, second, low, high = first[:, by], second[:, by], (low - room)[by], (high + room)[by]
        pairs = Pairs(second[:, 0], low[0] - first[:, 0], high[0] - first[:, 0])
        complete = pairs.total <= most
        row, column = pairs.at(np.arange(pairs.total) if complete else np.sort(self.rng.integers(0, pairs.total, most)))
        good = np.ones(len(row), dtype=bool)
        for c in range(1, len(low)):
            both = first[row, c] + second[column, c]
            good &= (both >= low[c]) & (both <= high[c])
        return row[good], column[good], complete

    def _both(self, tp: Ints, tn: Ints, most: int) -> Chosen | Literal[False] | None:
        """Join both sides where they meet the linear claims, and look the other scores up."""
        if not len(tp) or not len(tn):
            return False
        own = self.slopes.any(axis=2).all(axis=0)
        sums = [rows @ slopes[own].T for rows, slopes in zip((tp, tn), self.slopes, strict=True)]
        first, second, complete = self._join(sums[0], sums[1], self.low[own], self.high[own], most)
        decided = 0
        for start in range(0, len(first), _TOGETHER):
            piece = slice(start, start + _TOGETHER)
            hits, rejected = tp[first[piece]], tn[second[piece]]
            places = np.column_stack([self.grids[g][hits[:, i], rejected[:, i]] for i, g in enumerate(self.kind)])
            good = (places >= 0).all(axis=1)
            for c in self.curved:
                total = sum(self.sums.points[g][places[:, part], c] for part, g in enumerate(self.kind))
                good &= (total >= self.least[c]) & (total <= self.most[c])
            for i in np.flatnonzero(good):
                decided += 1
                if decided > _DECIDED_SIDES:
                    return None
                if self.fits(chosen := self.chosen(places[i])):
                    return chosen
        return False if complete else None
