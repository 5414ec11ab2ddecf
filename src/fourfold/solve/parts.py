"""Parts tied by sums: one fourfold table is chosen for each part, so that sums over the parts lie where they should.

Classes and folds are such parts, and nothing here knows which. A part has a set of tables. Ties are about sums over
parts: of tp and of predicted positives, which are whole numbers and fixed one by one, and of any amount of a part's
table, such as a score. The search goes part by part, many beginnings at a time. It keeps a beginning only if the parts
that are left can reach the wanted sums of counts (bit sets) and can bring every other sum where it should be (bounds).
Floats leave out only what is clearly out; what is near an end is decided in fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, lcm, prod
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import TooLarge
from ..exact import CELLS, Formula
from ..exact.surd import Exact, root
from ..strategy import strategy
from .problem import TRUSTED, Cells, Floats, Part, within
from .rows import Bools, Ints

#: One table for each part, as the place of each in its part.
Choice: TypeAlias = tuple[int, ...]
#: The least and the most of each of many sums, as floats.
_Ends: TypeAlias = tuple[Floats, Floats]

# A guided search looks at so many choices together on its way, and where it completes them.
_AHEAD, _COMPLETED = 512, 1024
# Where more choices than this are in doubt, a search that counts in whole units decides them sooner.
_MOST_DOUBTFUL: Final = 30
# To decide one choice in fractions takes as long as to look at so many in floats.
_EXACT_COSTS: Final = 100
# A division adds a little to what is in doubt.
_DIVIDED: Final = 1e-12
# Ends of sums of tp are whole numbers: what division leaves is less than this.
_HAIR: Final = 1e-6


class Amount(NamedTuple):
    """What one part adds to a sum: ``scale * (formula - shift)``, and nothing where the formula is undefined."""

    formula: Formula
    scale: Fraction = Fraction(1)
    shift: Fraction = Fraction(0)

    def line(self, positives: int, negatives: int) -> _Line | None:
        """Return a, b, c where the amount is ``a * tp + b * predicted + c`` wherever it is defined; else None."""
        form = self.formula.affine_ratio
        if form is None:
            return None
        (a, b, c), (d, e, f) = form.at(positives, negatives)
        if d or e or not f:
            return None
        # tn is negatives - predicted + tp.
        slopes = (Fraction(a + b, f), Fraction(-b, f), Fraction(b * negatives + c, f) - self.shift)
        return slopes[0] * self.scale, slopes[1] * self.scale, slopes[2] * self.scale

    def exact(self, table: Cells) -> Exact:
        """Return the amount of one table."""
        value = self.formula.exact(table)
        return Fraction(0) if value is None else (value - self.shift) * self.scale


#: An amount as ``a * tp + b * predicted + c``.
_Line: TypeAlias = tuple[Fraction, Fraction, Fraction]
#: What each part adds to one sum.
Sum: TypeAlias = tuple[Amount, ...]


@dataclass(frozen=True)
class Tie:
    """A number made of sums over the parts that lies in an interval: here one sum itself.

    `low` and `high` are None where there is no end, `opened` says which end is left out. Where the number is undefined
    it is `fill`, or fits nowhere.
    """

    sums: tuple[Sum, ...]
    low: Fraction | None
    high: Fraction | None
    opened: tuple[bool, bool] = (False, False)
    fill: Fraction | None = None
    #: In how many units to one the sum is counted, so that it is whole; 0 where it is not.
    unit: int = 0

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The ends in floats, as many units as the sum is counted in: half a unit off whole numbers, none is hit."""
        ends = []
        for sign, end, is_open in ((1, self.low, self.opened[0]), (-1, self.high, self.opened[1])):
            if end is not None and self.unit:
                count = sign * end * self.unit
                end = sign * (floor(count) + Fraction(1, 2) if is_open else ceil(count) - Fraction(1, 2))
            ends.append(-sign * np.inf if end is None else float(end))
        return ends[0], ends[1]

    def clear(self, sums: list[_Ends]) -> tuple[Bools, Bools]:
        """Tell from the ends of each sum whether no choice with such sums fits, and whether all do; if known."""
        ((least, most),), (low, high) = sums, self.ends
        return (most < low) | (least > high), (least > low) & (most < high)

    def exact(self, sums: list[Exact]) -> bool:
        """Decide for the sums of one choice."""
        return within(sums[0], self.low, self.high, opened=self.opened)


class Rooted(Tie):
    """A first sum, over the root of a second times a third, lies in an interval: of equal ones, over either of them."""

    def clear(self, sums: list[_Ends]) -> tuple[Bools, Bools]:
        """Tell what is clear; where the root may vanish nothing is."""
        (top, most_top), *factors = sums
        small, large = (
            np.sqrt(np.prod([np.maximum(factor[side], 0) for factor in factors], axis=0)) for side in (0, 1)
        )
        with np.errstate(all="ignore"):
            least = np.where(top < 0, top / small, top / large)
            most = np.where(most_top > 0, most_top / small, most_top / large)
        known, (low, high) = (small > 0) & np.isfinite(least) & np.isfinite(most), self.ends
        out = (most < low - _DIVIDED) | (least > high + _DIVIDED)
        return known & out, known & (least > low + _DIVIDED) & (most < high - _DIVIDED)

    def exact(self, sums: list[Exact]) -> bool:
        """Decide for the sums of one choice."""
        square = sums[1] * sums[2]
        assert isinstance(square, Fraction)
        value = self.fill if square == 0 else sums[0] / root(square)
        return value is not None and super().exact([value])


def lines_of(amounts: Sum, margins: Sequence[tuple[int, int]]) -> list[_Line] | None:
    """Return each part's amount as ``a * tp + b * predicted + c``; None where one has no such form."""
    lines = [amount.line(*sizes) for amount, sizes in zip(amounts, margins, strict=True)]
    known = [line for line in lines if line is not None]
    return known if len(known) == len(lines) else None


def settled(tie: Tie, lines: Sequence[Sequence[_Line] | None], hits: Ints, predicted: int) -> Ints | None:
    """Return the sums of tp that fit a tie, where that follows from them and predicted alone; else None."""
    if not all(line and len({way[:2] for way in line}) == 1 for line in lines):
        return None
    sums = [(*line[0][:2], sum((way[2] for way in line), Fraction(0))) for line in lines if line]
    good = [tie.exact([a * n + b * predicted + c for a, b, c in sums]) for n in hits.tolist()]
    return np.asarray(hits[np.array(good, dtype=bool)])


@dataclass(frozen=True)
class Problem:
    """Parts, and what ties them.

    `hits` are the sums of tp that may be, `predicted` is the sum of predicted positives; either is None where it is
    free. With `room`, the wrong cases fn + fp of no part exceed `room` less the sum of tp: what is wrong in one part
    must find its place in the others.
    """

    parts: tuple[Part, ...]
    hits: Ints | None = None
    predicted: int | None = None
    room: int | None = None
    ties: tuple[Tie, ...] = ()
    _values: dict[Formula, Floats] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def sizes(self) -> list[int]:
        """How many tables each part has."""
        return [len(part) for part in self.parts]

    @cached_property
    def starts(self) -> Ints:
        """Where the tables of each part begin when all are put one after the other: a column."""
        return np.cumsum([0, *self.sizes[:-1]])[:, None]

    @cached_property
    def cells(self) -> Cells:
        """The counts of the tables of all parts, one after the other."""
        return {name: np.concatenate([part.cells()[name] for part in self.parts]) for name in CELLS}

    def split(self, column: NDArray[Any]) -> list[NDArray[Any]]:
        """Return what belongs to each part."""
        return np.split(column, self.starts[1:, 0])

    def values(self, formula: Formula) -> Floats:
        """Return a formula's values at the tables of all parts, computed once."""
        if formula not in self._values:
            self._values[formula] = formula.evaluate(self.cells)
        return self._values[formula]

    def amounts(self, amounts: Sum) -> Floats:
        """Return what the tables of all parts add to a sum, to the precision of floats; nan where that is nothing."""
        formulas = {amount.formula for amount in amounts}
        pieces = {formula: self.split(self.values(formula)) for formula in formulas}
        values = np.concatenate([pieces[amount.formula][i] for i, amount in enumerate(amounts)])
        scale = np.repeat([float(amount.scale) for amount in amounts], self.sizes)
        shift = np.repeat([float(amount.shift) for amount in amounts], self.sizes)
        return np.asarray((values - shift) * scale)

    def tables(self, choice: Sequence[int]) -> list[dict[str, int]]:
        """Return the table of each part at a choice."""
        return [part.table(place) for part, place in zip(self.parts, choice, strict=True)]

    def fits(self, choice: Choice) -> bool:
        """Tell whether a choice fits, in whole numbers and fractions alone."""
        tables = self.tables(choice)
        hits = sum(table["tp"] for table in tables)
        if self.hits is not None and hits not in self.hits:
            return False
        if self.predicted is not None and sum(table["tp"] + table["fp"] for table in tables) != self.predicted:
            return False
        if self.room is not None and any(table["fn"] + table["fp"] > self.room - hits for table in tables):
            return False
        return all(_fits(tie, tables) for tie in self.ties)


def _fits(tie: Tie, tables: Sequence[Cells]) -> bool:
    zero: Exact = Fraction(0)
    each = [[amount.exact(table) for amount, table in zip(amounts, tables, strict=True)] for amounts in tie.sums]
    return tie.exact([sum(values, zero) for values in each])


class Budget:
    """How many beginnings may still be looked at."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, amount: int) -> None:
        """Take some away; `TooLarge` where too little is left."""
        if amount > self.left:
            raise TooLarge("too_large", "budget", "more choices would have to be tried", amount, "raise the budget")
        self.left -= amount


def listed(problem: Problem) -> NDArray[np.int32] | None:
    """Return all choices that fit, a column each, of a problem with few; None where too many are in doubt.

    All are looked at together: no search is made ready.
    """
    sizes, cells = problem.sizes, problem.cells
    places = np.zeros((len(sizes), prod(sizes)), dtype=np.int64)
    several = [i for i, size in enumerate(sizes) if size > 1]
    if several:
        places[several] = np.unravel_index(np.arange(prod(sizes)), [sizes[i] for i in several])
    at = places + problem.starts
    hits = cells["tp"][at].sum(axis=0)
    kept = np.ones(len(hits), dtype=bool) if problem.hits is None else np.isin(hits, problem.hits)
    if problem.predicted is not None:
        kept &= (cells["tp"] + cells["fp"])[at].sum(axis=0) == problem.predicted
    if problem.room is not None:
        kept &= (cells["fn"] + cells["fp"])[at].max(axis=0) <= problem.room - hits
    places = places[:, kept]
    for tie in problem.ties:
        ends = []
        for amounts in tie.sums:
            values = np.nan_to_num(problem.amounts(amounts), nan=0.0)
            sums, doubt = values[places + problem.starts].sum(axis=0), TRUSTED * (float(np.abs(values).sum()) + 1e-300)
            ends.append((sums - doubt, sums + doubt))
        never, good = tie.clear(ends)
        doubtful = np.flatnonzero(~never & ~good)
        if len(doubtful) > _MOST_DOUBTFUL:
            return None
        for i in doubtful.tolist():
            good[i] = _fits(tie, problem.tables(places[:, i].tolist()))
        places = places[:, good]
    return places.astype(np.int32)


@dataclass(eq=False)
class _Channel:
    """One sum: what each part's tables add to it, and bounds of what the parts from one on can add.

    A bound takes the form ``a * hits + b * predicted + rest``: with the slopes a and b taken out, what is left of a
    score varies little. Each of `slopes` gives bounds that hold; the narrowest of them counts.
    """

    amounts: Sum
    values: list[Floats]
    slopes: list[tuple[float, float]]
    least: Floats
    most: Floats
    doubt: float
    #: Which slopes leave least, for the parts from each one on.
    best: list[int]
    #: The middle and the width of where the sum should be, where both are known; else of where it can be.
    aim: tuple[float, float]
    #: What the parts from one on usually add, beside what follows from hits and predicted; made when asked for.
    usual: Floats | None = None
    exact: dict[tuple[int, int], Exact] = field(default_factory=dict)

    def ends(self, so_far: Any, low: Any, high: Any, predicted: Any, level: int) -> _Ends:
        """Return the bounds of a sum with so much in it, hits between two numbers and predicted still to come."""
        least, most = so_far + self.least[0, level] + 0.0 * low, so_far + self.most[0, level] + 0.0 * low
        for s, (a, b) in enumerate(self.slopes[1:], 1):
            straight = so_far + b * predicted
            np.maximum(least, straight + a * (low if a > 0 else high) + self.least[s, level], out=least)
            np.minimum(most, straight + a * (high if a > 0 else low) + self.most[s, level], out=most)
        return least - self.doubt, most + self.doubt


@dataclass
class _Beginnings:
    """Choices for the first parts: sums so far, the places chosen, and which sums of tp they may still end up with."""

    hits: Ints
    predicted: Ints
    least: Floats
    most: Floats
    sums: Floats
    places: NDArray[np.int32]

    def at(self, which: Any) -> _Beginnings:
        columns = (self.hits[which], self.predicted[which], self.least[which], self.most[which])
        return _Beginnings(*columns, self.sums[:, which], self.places[:, which])

    def __len__(self) -> int:
        return len(self.hits)


class Search:
    """A problem made ready to be searched: parts in order, few tables first, and what the later ones can reach."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.order = sorted(range(len(problem.parts)), key=lambda i: len(problem.parts[i]))
        self.parts = [problem.parts[i] for i in self.order]
        # What is free counts as nothing.
        self._known = (problem.hits is not None or problem.room is not None, problem.predicted is not None)
        self._hits = [part.tp * self._known[0] for part in self.parts]
        self._predicted = [part.predicted * self._known[1] for part in self.parts]
        self.wanted = int(problem.predicted or 0)
        #: Ties that do not follow from the sums of counts, with their sums.
        self._ties: list[tuple[Tie, list[_Channel]]] = []
        self.only: dict[int, Bools] = {}
        self.hits: Ints = np.arange(sum(int(hits.max(initial=0)) for hits in self._hits) + 1)
        if problem.hits is not None:
            self.hits = problem.hits
        self._most_hits = int(self.hits.max(initial=0))
        if all(problem.sizes):
            self._settle(problem.ties)

    def narrowed(
        self, ties: Sequence[Tie] = (), hits: Ints | None = None, only: tuple[int, Bools] | None = None
    ) -> Search:
        """Return the search with more ties, fewer sums of tp, or some tables of one part only."""
        _ = self._reach, self._last, self._typical
        search = copy(self)
        search.__dict__.pop("open_hits", None)
        search._ties = [*self._ties]
        if hits is not None:
            search.hits = hits
        if only is not None:
            search.only = {**self.only, self.order.index(only[0]): only[1]}
        search._settle(ties)
        return search

    def ends_of(self, amounts: Sum) -> tuple[float, float]:
        """Return numbers between which a sum over the parts lies, as bounds alone tell; not always the narrowest."""
        hits = self.open_hits
        if not len(hits):
            return -np.inf, np.inf
        channel = self._channel(amounts, self.problem.amounts(amounts), (-np.inf, np.inf))
        least, most = channel.ends(0.0, hits, hits, self.wanted, 0)
        return float(least.min()), float(most.max())

    def _settle(self, ties: Sequence[Tie]) -> None:
        """Decide ties that follow from the sums of counts once for each; the others are searched."""
        cells, sizes, parts = self.problem.cells, self.problem.sizes, self.problem.parts
        margins = [(int(part.positives[0]), int(part.negatives[0])) for part in parts if part.same_margins]
        for tie in ties:
            values = [self.problem.amounts(amounts) for amounts in tie.sums]
            straight = len(margins) == len(parts) and not any(np.isnan(each).any() for each in values)
            lines = [lines_of(amounts, margins) if straight else None for amounts in tie.sums]
            follows = all(known or not line or not line[0][k] for line in lines for k, known in enumerate(self._known))
            hits = settled(tie, lines, self.hits, self.wanted) if follows else None
            if hits is not None:
                self.hits = hits
                continue
            if len(lines) == 1 and lines[0] and (unit := self._unit(lines[0])):
                # Sums of whole numbers are compared without doubt.
                a, b, c = (np.repeat([int(line[k] * unit) for line in lines[0]], sizes) for k in range(3))
                values = [np.asarray(a * cells["tp"] + b * (cells["tp"] + cells["fp"]) + c, dtype=np.float64)]
                tie = replace(tie, unit=unit)
            ends = tie.ends if len(tie.sums) == 1 else (-np.inf, np.inf)
            channels = [self._channel(*each, ends) for each in zip(tie.sums, values, strict=True)]
            self._ties.append((tie, [replace(channel, doubt=0.25) for channel in channels] if tie.unit else channels))

    def _unit(self, lines: Sequence[_Line]) -> int:
        """Return in how many units to one all amounts are whole; 0 where their sums would not be exact in floats."""
        unit = lcm(*(number.denominator for line in lines for number in line))
        most = sum(
            abs(a) * int(part.tp.max()) + abs(b) * int(part.predicted.max()) + abs(c)
            for (a, b, c), part in zip(lines, self.problem.parts, strict=True)
        )
        return unit if most * unit < 1 << 48 else 0

    def _channel(self, amounts: Sum, values: Floats, ends: tuple[float, float]) -> _Channel:
        """Return a sum with its bounds; `ends` are those between which it should be."""
        slopes, pieces = [(0.0, 0.0)], self.problem.split(np.nan_to_num(values, nan=0.0))
        each = [pieces[i] for i in self.order]
        if prod(self.problem.sizes) > strategy().slopes_above_choices:
            slopes += self._slopes(each)
        sides = np.empty((2, len(slopes), len(each)))
        for i, (value, hits, predicted) in enumerate(zip(each, self._hits, self._predicted, strict=True)):
            for s, (a, b) in enumerate(slopes):
                rest = value - a * hits - b * predicted if s else value
                sides[:, s, i] = rest.min(), rest.max()
        least, most = _from_each_on(sides)
        size = sum(float(np.abs(value).max()) for value in each) + 1e-300
        for a, b in slopes:
            size = max(size, abs(a) * int(self._boxes[1, 0]), abs(b) * int(self._boxes[3, 0]))
        low, high = float(least[0, 0]), float(most[0, 0])
        aim = (low + high) / 2, high - low + 1e-300
        if np.isfinite(ends).all():
            aim = (ends[0] + ends[1]) / 2, (ends[1] - ends[0]) / 2 + 1e-300
        best = np.argmin(most - least, axis=0).tolist()
        return _Channel(amounts, each, slopes, least, most, TRUSTED * size, best, aim)

    def _slopes(self, values: list[Floats]) -> list[tuple[float, float]]:
        """Return how a sum changes with hits and predicted, as fitted to the tables of some parts and of all."""
        pieces = []
        for hits, predicted, value in zip(self._hits, self._predicted, values, strict=True):
            step = max(1, len(hits) // 400)
            x = np.stack([hits[::step], predicted[::step]]).astype(float)
            pieces.append((x - x.mean(axis=1, keepdims=True), value[::step] - value[::step].mean()))
        chosen = pieces[:: max(1, len(pieces) // 4)]
        wholes = [(np.concatenate([x for x, _ in pieces], axis=1), np.concatenate([y for _, y in pieces]))]
        fits = {tuple(np.linalg.lstsq(x.T, y, rcond=None)[0].tolist()) for x, y in [*wholes, *chosen]}
        return [fit for fit in fits if any(fit)]

    @cached_property
    def _boxes(self) -> Ints:
        """The least and most hits and predicted of the parts from one on."""
        columns = (self._hits, self._predicted)
        return _from_each_on(np.array([[f(each) for each in column] for column in columns for f in (np.min, np.max)]))

    @cached_property
    def _reach(self) -> list[Bools] | None:
        """Which sums, counted down from the wanted ones, the parts from one on can have; None where too many.

        Hits are counted down from the most that may be: the bits of all that may be are where the sums begin.
        """
        boxes, wanted, most = self._boxes, self.hits, self._most_hits
        if self.problem.predicted is None or not len(wanted):
            return None
        tall, stride = boxes[1] - boxes[0] + 1 + most - int(wanted.min()), int(boxes[3, 0] - boxes[2, 0]) + 1
        shifted = 0
        for hits, predicted, height in zip(self._hits[1:], self._predicted[1:], tall[1:].tolist(), strict=False):
            # A run of predicted that follow each other is moved as one.
            keys = np.sort(hits * (int(predicted.max()) + 2) + predicted)
            shifted += (int((np.diff(keys) > 1).sum()) + 1) * height * stride
        if int(tall[1:].sum()) * stride > strategy().sums_in_bits_up_to or shifted > strategy().bits_shifted_up_to:
            return None
        grids = []
        flags = np.zeros((most - int(wanted.min()) + 1, stride), dtype=bool)
        flags[most - wanted, 0] = True
        bits = int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
        for i in reversed(range(1, len(self.parts) + 1)):
            if i < len(self.parts):
                hits, predicted = self._hits[i], self._predicted[i]
                bits = _convolved(bits, hits - hits.min(), predicted - predicted.min(), stride)
            size = int(tall[i]) * stride
            raw = np.frombuffer(bits.to_bytes((size + 7) // 8, "little"), dtype=np.uint8)
            grids.append(np.unpackbits(raw, bitorder="little")[:size].reshape(-1, stride).view(np.bool_))
        return [np.empty((0, 0), np.bool_), *reversed(grids)]

    @cached_property
    def _counts(self) -> list[NDArray[Any]] | None:
        """How many choices of the parts from one on have each sum of hits and predicted; None where too many."""
        tall, stride = self._boxes[1] - self._boxes[0] + 1, int(self._boxes[3, 0] - self._boxes[2, 0]) + 1
        kind = np.int64 if prod(self.problem.sizes) < 1 << 62 else object
        work = sum(len(np.unique(hits)) * int(t) for hits, t in zip(self._hits, tall[1:], strict=True)) * stride
        if work * (1 if kind is np.int64 else 20) > strategy().counted_in_grids_up_to:
            return None
        grid = np.zeros((1, stride), dtype=kind)
        grid[0, 0] = 1
        grids = [grid]
        for i in reversed(range(1, len(self.parts))):
            hits, predicted = self._hits[i], self._predicted[i]
            grid = _counted(grid, hits - hits.min(), predicted - predicted.min(), int(tall[i]))
            grids.append(grid)
        return [np.empty((0, 0)), *reversed(grids)]

    @cached_property
    def open_hits(self) -> Ints:
        """The sums of tp that are not ruled out by bounds alone; only 0 where that sum is free."""
        if not all(self.problem.sizes):
            return np.empty(0, dtype=np.int64)
        boxes = self._boxes[:, 0]
        if not boxes[2] <= self.wanted <= boxes[3]:
            return self.hits[:0]
        hits = self.hits[(self.hits >= boxes[0]) & (self.hits <= boxes[1])]
        some = self._narrow(self._start(hits, hits), 0)
        return np.asarray(hits[np.isin(hits, some.least.astype(np.int64))])

    @cached_property
    def _wrong(self) -> list[Ints] | None:
        """The wrong cases of each table; None where there is always room for them."""
        wrong, room = [part.fn + part.fp for part in self.parts], self.problem.room
        return wrong if room is not None and max(int(each.max()) for each in wrong) > room - self._most_hits else None

    @cached_property
    def _last(self) -> tuple[int, Ints, Ints, int]:
        """The tables of the last part by predicted and hits: a key's width, the places, their keys, how many alike."""
        hits, predicted = self._hits[-1], self._predicted[-1]
        width = int(hits.max()) + 1
        keys = predicted * width + hits
        by_key = np.argsort(keys, kind="stable")
        return width, by_key, keys[by_key], int(np.unique(keys, return_counts=True)[1].max())

    def _start(self, least: Ints, most: Ints) -> _Beginnings:
        """Return beginnings without any table that may end up with sums of tp from one number to another."""
        nothing, sums = np.zeros(len(least), np.int64), sum(len(channels) for _, channels in self._ties)
        ends = least.astype(np.float64), most.astype(np.float64)
        return _Beginnings(nothing, nothing, *ends, np.zeros((sums, len(least))), np.zeros((0, len(least)), np.int32))

    def _tied(self, some: _Beginnings) -> Iterator[tuple[Tie, list[tuple[_Channel, Floats]]]]:
        """Walk the ties, with their sums so far."""
        sums = iter(some.sums)
        for tie, channels in self._ties:
            yield tie, list(zip(channels, sums, strict=False))

    def _narrow(self, some: _Beginnings, level: int) -> _Beginnings:
        """Leave out beginnings that cannot be completed, as their sums show, and sums of tp they cannot end up with."""
        box, left = self._boxes[:, level], self.wanted - some.predicted
        least, most = np.maximum(some.least, some.hits + box[0]), np.minimum(some.most, some.hits + box[1])
        for tie, sums in self._tied(some):
            if len(sums) > 1:
                ahead = (least - some.hits, most - some.hits, left, level)
                most[tie.clear([channel.ends(so_far, *ahead) for channel, so_far in sums])[0]] = -1.0
                continue
            # The sums of tp are cut to where one sum can still end up between its ends.
            ((channel, so_far),), (low, high) = sums, tie.ends
            most[(so_far + (channel.most[0, level] + channel.doubt) < low)] = -1.0
            most[(so_far + (channel.least[0, level] - channel.doubt) > high)] = -1.0
            s = channel.best[level]
            if not s:
                continue
            a, b = channel.slopes[s]
            base = so_far - a * some.hits + b * left
            lower = (low - channel.doubt - channel.most[s, level]) - base
            upper = (high + channel.doubt - channel.least[s, level]) - base
            if abs(a) < 1e-200:
                most[(lower > 0) | (upper < 0)] = -1.0
                continue
            first, last = (lower / a, upper / a) if a > 0 else (upper / a, lower / a)
            np.maximum(least, np.ceil(first * (1 - np.copysign(1e-12, first)) - _HAIR), out=least)
            np.minimum(most, np.floor(last * (1 + np.copysign(1e-12, last)) + _HAIR), out=most)
        kept = least <= most
        some = replace(some, least=least, most=most)
        return some if kept.all() else some.at(kept)

    def _expanded(self, some: _Beginnings, level: int) -> _Beginnings:
        """Return every completion by a table of the next part that may still fit."""
        last = level == len(self.parts) - 1
        if last:
            # The tables that complete a beginning follow each other by predicted and hits.
            width, by_key, keys, _ = self._last
            left = self.wanted - some.predicted
            low = np.maximum(some.least - some.hits, 0).astype(np.int64)
            high = np.minimum(some.most - some.hits, width - 1).astype(np.int64)
            first, end = np.searchsorted(keys, left * width + low), np.searchsorted(keys, left * width + high, "right")
            number = np.where((left >= 0) & (low <= high), end - first, 0)
            row = np.repeat(np.arange(len(some)), number)
            place = by_key[np.arange(len(row)) + np.repeat(first - np.cumsum(number) + number, number)]
            if len(self.hits) <= int(self.hits[-1]) - int(self.hits[0]):
                kept = np.isin(some.hits[row] + self._hits[-1][place], self.hits)
                row, place = row[kept], place[kept]
        else:
            # The other parts must reach the wanted sums.
            box, hits, predicted = self._boxes[:, level + 1], self._hits[level], self._predicted[level]
            fewest, most = some.least - some.hits - box[1], some.most - some.hits - box[0]
            fits = (hits >= fewest[:, None]) & (hits <= most[:, None])
            left = (self.wanted - box[2] - some.predicted)[:, None] - predicted
            fits &= (left >= 0) & (left <= box[3] - box[2])
            row, place = np.nonzero(fits)
            if self._reach is not None:
                top = self._most_hits - box[0]
                kept = self._reach[level + 1][(top - some.hits[row]) - hits[place], left[row, place]]
                row, place = row[kept], place[kept]
        if level in self.only:
            kept = self.only[level][place]
            row, place = row[kept], place[kept]
        more = some.at(row)
        more.hits += self._hits[level][place]
        more.predicted += self._predicted[level][place]
        for _, sums in self._tied(more):
            for channel, so_far in sums:
                so_far += channel.values[level][place]
        more.places = np.concatenate([more.places, place[None].astype(np.int32)])
        if self._wrong is not None:
            assert self.problem.room is not None
            more.most = np.minimum(more.most, self.problem.room - self._wrong[level][place])
        if not last:
            return self._narrow(more, level + 1)
        return more if self._wrong is None else more.at(more.hits <= more.most)

    def walk(
        self,
        budget: Budget,
        *,
        guided: bool = False,
        hits: Ints | None = None,
        start: _Beginnings | None = None,
        open_of: Callable[[_Beginnings, int], _Beginnings] | None = None,
    ) -> Iterator[_Beginnings]:
        """Yield the choices that fit, many at a time; guided, promising ones first.

        With `hits`, only those with one of these sums of tp, which follow each other. `open_of` may take out beginnings
        that need not be walked.
        """
        if start is None:
            hits = self.open_hits if hits is None else hits
            start = self._start(hits[:1], hits[-1:])
        if not all(only.any() for only in self.only.values()):
            return
        stack, parts = [(0, start)] if len(start) else [], len(self.parts)
        while stack:
            level, some = stack.pop()
            if level == parts:
                fitting = some.at(self._decided(some, budget))
                if len(fitting):
                    yield fitting
                continue
            together, ways = strategy().choices_together, len(self.parts[level])
            if guided:
                together = _COMPLETED if level >= parts - 2 else _AHEAD
            if level == parts - 1:
                # No more are tried than complete a beginning.
                ways = 1 + min(len(self.hits) * self._last[3], ways // (int(self._predicted[-1].max()) + 1))
            step = max(1, together // ways)
            if len(some) > step:
                stack.append((level, some.at(slice(step, None))))
                some = some.at(slice(0, step))
            budget.spend(len(some) * ways)
            some, level = self._expanded(some, level), level + 1
            if open_of is not None and level < parts:
                some = open_of(some, level)
            if len(some):
                stack.append((level, self._promising(some, level) if guided else some))

    def _promising(self, some: _Beginnings, level: int) -> _Beginnings:
        """Put beginnings first whose sums, continued on average, end up near the middle of where they should."""
        worth = np.random.default_rng(level).random(len(some))
        left = self.wanted - some.predicted
        hits = (some.least + some.most) / 2 - some.hits
        for ahead, (middles, spreads) in zip((hits, left), self._typical, strict=True):
            worth = worth + np.abs(ahead - middles[level]) / spreads[level]
        for _, sums in self._tied(some):
            for channel, so_far in sums:
                a, b = channel.slopes[channel.best[0]]
                if channel.usual is None:
                    columns = zip(channel.values, self._hits, self._predicted, strict=True)
                    channel.usual = _from_each_on([np.median(value - a * tp - b * q) for value, tp, q in columns])
                ahead = so_far + a * hits + b * left + channel.usual[level]
                middle, width = channel.aim
                worth = worth + np.abs(ahead - middle) / width
        return some.at(np.argsort(worth, kind="stable"))

    @cached_property
    def _typical(self) -> list[tuple[Floats, Floats]]:
        """The hits, and the predicted, that the parts from one on have on average, and how far they spread."""
        columns = (self._hits, self._predicted)
        sums = [[_from_each_on([f(each) for each in column]) for f in (np.mean, np.var)] for column in columns]
        return [(means, np.sqrt(variances) + 1.0) for means, variances in sums]

    def _decided(self, some: _Beginnings, budget: Budget) -> Bools:
        """Tell which full choices fit: by their sums in floats where that is clear, else exactly."""
        good, zero = np.ones(len(some), dtype=bool), Fraction(0)
        doubtful = []
        for tie, sums in self._tied(some):
            never, always = tie.clear([(each - channel.doubt, each + channel.doubt) for channel, each in sums])
            good &= ~never
            doubtful.append(~always)
        for (tie, channels), open_ in zip(self._ties, doubtful, strict=True):
            places = np.flatnonzero(good & open_)
            budget.spend(_EXACT_COSTS * len(places))
            for i in places.tolist():
                chosen = list(enumerate(some.places[:, i].tolist()))
                for channel in channels:
                    for level, place in chosen:
                        # What one table adds is computed once.
                        if (level, place) not in channel.exact:
                            amount, table = channel.amounts[self.order[level]], self.parts[level].table(place)
                            channel.exact[level, place] = amount.exact(table)
                good[i] = tie.exact([sum((channel.exact[key] for key in chosen), zero) for channel in channels])
        return good

    def choices(self, some: _Beginnings) -> NDArray[np.int32]:
        """Return full choices as places in the parts of the problem, a column each."""
        out = np.empty_like(some.places)
        out[self.order] = some.places
        return out

    def count(self, budget: Budget) -> int:
        """Return how many choices fit; those that fit however they go on are not walked."""
        counts = self._counts if self._wrong is None and not self.only else None
        if counts is None:
            return sum(len(some) for some in self.walk(budget))
        ways: list[int] = []

        def open_of(some: _Beginnings, level: int) -> _Beginnings:
            always, left = np.ones(len(some), dtype=bool), self.wanted - some.predicted
            ahead = (some.least - some.hits, some.most - some.hits, left, level)
            for tie, sums in self._tied(some):
                always &= tie.clear([channel.ends(so_far, *ahead) for channel, so_far in sums])[1]
            sure, box = some.at(always), self._boxes[:, level]
            rest = sure.most.astype(np.int64) - sure.hits - box[0]
            ways.extend(counts[level][rest, self.wanted - sure.predicted - box[2]].tolist())
            return some.at(~always)

        # Each sum of tp begins alone: how many ways there are to end up with it is known.
        start = self._start(self.open_hits, self.open_hits)
        return sum(len(some) for some in self.walk(budget, start=start, open_of=open_of)) + sum(ways)


def _from_each_on(each: Any) -> NDArray[Any]:
    """Return sums over the parts from each one on, and from the end on, along the last axis."""
    each = np.asarray(each)
    ends = np.concatenate([np.zeros((*each.shape[:-1], 1), each.dtype), each[..., ::-1]], axis=-1)
    return np.cumsum(ends, axis=-1)[..., ::-1]


def _convolved(bits: int, hits: Ints, predicted: Ints, stride: int) -> int:
    """Add tables to all sums in a bit set: the bit at ``hits * stride + predicted`` stands for a sum."""
    runs: dict[int, list[int]] = {}
    places = np.unique(hits * stride + predicted)
    for run in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1):
        runs.setdefault(len(run), []).append(int(run[0]))
    out, smeared, length = 0, bits, 1
    for wanted in sorted(runs):
        while length < wanted:
            step = min(length, wanted - length)
            smeared |= smeared << step
            length += step
        for place in runs[wanted]:
            out |= smeared << place
    return out


def _counted(grid: NDArray[Any], hits: Ints, predicted: Ints, tall: int) -> NDArray[Any]:
    """Add tables to a grid that counts the choices with each sum."""
    height, stride = grid.shape
    out = np.zeros((tall, stride), dtype=grid.dtype)
    sums = np.concatenate([np.zeros((height, 1), dtype=grid.dtype), np.cumsum(grid, axis=1)], axis=1)
    places, alike = np.unique(hits * stride + predicted, return_counts=True)
    row, columns = places // stride, np.arange(stride)
    breaks = (np.diff(places) > 1) | (np.diff(row) > 0) | (np.diff(alike) != 0)
    for run in np.split(np.arange(len(places)), np.flatnonzero(breaks) + 1):
        t, low = divmod(int(places[run[0]]), stride)
        upper, lower = np.maximum(columns - low + 1, 0), np.maximum(columns - low - len(run) + 1, 0)
        out[t : t + height] += (sums[:, upper] - sums[:, lower]) * int(alike[run[0]])
    return out
