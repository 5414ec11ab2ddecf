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
from functools import cached_property, partial
from math import ceil, floor, lcm, prod
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import TooLarge
from ..formula import CELLS, Formula
from ..strategy import strategy
from ..surd import Exact, root
from .problem import TRUSTED, Cells, Floats, Part, within
from .rows import Ints

#: One table for each part, as the place of each in its part.
Choice: TypeAlias = tuple[int, ...]

# A guided search looks at so many choices together on its way, and where it completes them.
_AHEAD, _COMPLETED = 512, 1024
# Where more choices than this are in doubt, a search that counts in whole units decides them sooner.
_MOST_DOUBTFUL: Final = 30
# To decide one choice in fractions takes as long as to look at so many in floats.
_EXACT_COSTS: Final = 100


class Amount(NamedTuple):
    """What one part adds to a sum: ``scale * (formula - shift)``, and nothing where the formula is undefined."""

    formula: Formula
    scale: Fraction = Fraction(1)
    shift: Fraction = Fraction(0)

    def floats(self, values: Floats) -> Floats:
        """Return the amounts of many tables from the values of the formula, to the precision of floats."""
        return np.nan_to_num((values - float(self.shift)) * float(self.scale), copy=False, nan=0.0)

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

    def straight(self, part: Part, values: Floats) -> _Line | None:
        """Return the line of an amount that is defined for all tables of a part."""
        line = self.line(int(part.tp[0] + part.fn[0]), int(part.fp[0] + part.tn[0]))
        return None if line is None or not part.same_margins or np.isnan(values).any() else line

    def exact(self, table: Cells) -> Exact:
        """Return the amount of one table."""
        value = self.formula.exact(table)
        return Fraction(0) if value is None else (value - self.shift) * self.scale


#: An amount as ``a * tp + b * predicted + c``.
_Line: TypeAlias = tuple[Fraction, Fraction, Fraction]
#: What each part adds to one sum.
Sum: TypeAlias = tuple[Amount, ...]


def total(amounts: Sum, tables: Sequence[Cells]) -> Exact:
    """Return a sum over the parts, exactly."""
    whole: Exact = Fraction(0)
    for amount, table in zip(amounts, tables, strict=True):
        whole = whole + amount.exact(table)
    return whole


class Tie(NamedTuple):
    """Sums over the parts that must fit together.

    `clear` tells from the ends of each sum, as floats with two columns each, whether no choice with such sums fits and
    whether all do; it may leave both open. `exact` decides for one choice.
    """

    sums: tuple[Sum, ...]
    clear: Callable[[list[tuple[Floats, Floats]]], tuple[NDArray[np.bool_], NDArray[np.bool_]]]
    exact: Callable[[list[Exact]], bool]
    #: Where each sum would best be, and how far off matters; for searches that look at promising choices first.
    aims: tuple[tuple[float, float] | None, ...] = (None,)
    #: Of a single sum between two numbers, those: a sum of whole numbers can then be compared without doubt.
    ends: tuple[Fraction | None, Fraction | None, tuple[bool, bool]] | None = None


Truths: TypeAlias = NDArray[np.bool_]
#: The ends of an interval, None where it has none, and whether each is left out.
_Interval: TypeAlias = tuple[Fraction | None, Fraction | None, tuple[bool, bool]]


def _floats(interval: _Interval) -> tuple[float, float]:
    low, high, _ = interval
    return -np.inf if low is None else float(low), np.inf if high is None else float(high)


# Functions with a name, so that a result can be pickled.
def _clear_between(ends: tuple[float, float], sums: list[tuple[Floats, Floats]]) -> tuple[Truths, Truths]:
    ((least, most),) = sums
    return (most < ends[0]) | (least > ends[1]), (least > ends[0]) & (most < ends[1])


def _is_between(interval: _Interval, sums: list[Exact]) -> bool:
    return within(sums[0], *interval[:2], opened=interval[2])


def between(amounts: Sum, low: Fraction | None, high: Fraction | None, *, opened: tuple[bool, bool]) -> Tie:
    """Return the tie that a sum lies between two numbers; `opened` says which of them are left out."""
    interval = (low, high, opened)
    aim = None if low is None or high is None else (float(low + high) / 2, float(high - low) / 2 + 1e-300)
    clear, exact = partial(_clear_between, _floats(interval)), partial(_is_between, interval)
    return Tie((amounts,), clear, exact, (aim,), interval)


def _in_units(tie: Tie, unit: int) -> Tie:
    """Return a tie of one sum as that of a sum that is counted in whole units, so many to one; no end is hit."""
    assert tie.ends is not None
    low, high, (low_open, high_open) = tie.ends
    half = Fraction(1, 2)
    if low is not None:
        low = (floor(low * unit) + half) if low_open else (ceil(low * unit) - half)
    if high is not None:
        high = (ceil(high * unit) - half) if high_open else (floor(high * unit) + half)
    return between(tie.sums[0], low, high, opened=(False, False))._replace(exact=tie.exact)


# A division adds a little to what is in doubt.
_DIVIDED: Final = 1e-12


def _clear_rooted(ends: tuple[float, float], sums: list[tuple[Floats, Floats]]) -> tuple[Truths, Truths]:
    (top, most_top), *factors = sums
    small, large = (np.sqrt(np.prod([np.maximum(factor[side], 0) for factor in factors], axis=0)) for side in (0, 1))
    with np.errstate(all="ignore"):
        least = np.where(top < 0, top / small, top / large)
        most = np.where(most_top > 0, most_top / small, most_top / large)
    # Where the root may vanish nothing is clear.
    known = (small > 0) & np.isfinite(least) & np.isfinite(most)
    out = (most < ends[0] - _DIVIDED) | (least > ends[1] + _DIVIDED)
    return known & out, known & (least > ends[0] + _DIVIDED) & (most < ends[1] - _DIVIDED)


def _is_rooted(interval: _Interval, fill: Fraction | None, sums: list[Exact]) -> bool:
    top, *factors = sums
    square = factors[0] * factors[1]
    assert isinstance(square, Fraction)
    if square == 0:
        return fill is not None and within(fill, *interval[:2], opened=interval[2])
    return within(top / root(square), *interval[:2], opened=interval[2])


def rooted(amounts: tuple[Sum, Sum, Sum], interval: _Interval, *, fill: Fraction | None) -> Tie:
    """Return the tie that a first sum, over the root of a second times a third, lies in an interval.

    Where the root is zero the ratio is undefined: then it is `fill`, or fits nowhere.
    """
    clear, exact = partial(_clear_rooted, _floats(interval)), partial(_is_rooted, interval, fill)
    return Tie(amounts, clear, exact, (None, None, None))


def _clear_ratio(sums: list[tuple[Floats, Floats]]) -> tuple[Truths, Truths]:
    (low, most_low), (high, most_high), (bottom, _) = sums
    return (most_low < 0) | (most_high < 0), (low > 0) & (high > 0) & (bottom > 0)


def _is_ratio(interval: _Interval, fill: Fraction, sums: list[Exact]) -> bool:
    low, high, bottom = sums
    if bottom == 0:
        return within(fill, *interval[:2], opened=interval[2])
    (low_open, high_open) = interval[2]
    return bool((low > 0 if low_open else low >= 0) and (high > 0 if high_open else high >= 0))


def ratio(amounts: tuple[Sum, Sum, Sum], interval: _Interval, fill: Fraction) -> Tie:
    """Return the tie that a ratio of sums, which is `fill` where it is undefined, lies in an interval.

    The sums are the numerator less the low end of the denominator, the high end of it less the numerator, and the
    denominator, which is not negative; the numerator is 0 where it is.
    """
    return Tie(amounts, _clear_ratio, partial(_is_ratio, interval, fill), (None, None, None))


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

    def fits(self, choice: Choice) -> bool:
        """Tell whether a choice fits, in whole numbers and fractions alone."""
        tables = [part.table(place) for part, place in zip(self.parts, choice, strict=True)]
        hits = sum(table["tp"] for table in tables)
        if self.hits is not None and hits not in self.hits:
            return False
        if self.predicted is not None and sum(table["tp"] + table["fp"] for table in tables) != self.predicted:
            return False
        if self.room is not None and any(table["fn"] + table["fp"] > self.room - hits for table in tables):
            return False
        return all(tie.exact([total(amounts, tables) for amounts in tie.sums]) for tie in self.ties)


class Budget:
    """How many beginnings may still be looked at."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, amount: int) -> None:
        """Take some away; `TooLarge` where too little is left."""
        if amount > self.left:
            raise TooLarge("too_large", "budget", "more choices would have to be tried", amount, "raise the budget")
        self.left -= amount


@dataclass(eq=False)
class _Channel:
    """One sum: what each part's tables add to it, and bounds of what the parts from one on can add.

    A bound takes the form ``a * hits + b * predicted + rest``: with the slopes a and b taken out, what is left of a
    score varies little. Each of `slopes` gives bounds that hold; the narrowest of them counts.
    """

    amounts: Sum
    values: list[Floats]
    slopes: list[tuple[float, float]]
    least: NDArray[np.float64]
    most: NDArray[np.float64]
    doubt: float
    #: Which slopes leave least, for the parts from each one on.
    best: list[int]
    #: What the parts from one on usually add, beside what follows from hits and predicted; made when asked for.
    usual: Floats | None = None
    exact: dict[tuple[int, int], Exact] = field(default_factory=dict)


def listed(problem: Problem) -> NDArray[np.int32] | None:
    """Return all choices that fit, a column each, of a problem with few; None where too many are in doubt.

    All are looked at together: no search is made ready.
    """
    sizes = [len(part) for part in problem.parts]
    places = np.zeros((len(sizes), prod(sizes)), dtype=np.int64)
    several = [i for i, size in enumerate(sizes) if size > 1]
    if several:
        places[several] = np.unravel_index(np.arange(prod(sizes)), [sizes[i] for i in several])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])[:, None]
    columns = {name: np.concatenate([part.cells()[name] for part in problem.parts]) for name in CELLS}
    hits = columns["tp"][places + starts].sum(axis=0)
    kept = np.ones(places.shape[1], dtype=bool) if problem.hits is None else np.isin(hits, problem.hits)
    if problem.predicted is not None:
        kept &= (columns["tp"] + columns["fp"])[places + starts].sum(axis=0) == problem.predicted
    if problem.room is not None:
        kept &= (columns["fn"] + columns["fp"])[places + starts].max(axis=0) <= problem.room - hits
    known: dict[Formula, Floats] = {}
    cuts = [slice(start, start + size) for start, size in zip(starts[:, 0].tolist(), sizes, strict=True)]
    places = places[:, kept]
    for tie in problem.ties:
        ends = []
        for amounts in tie.sums:
            for formula in {amount.formula for amount in amounts} - known.keys():
                known[formula] = formula.evaluate(columns)
            values = np.concatenate([known[amount.formula][cut] for amount, cut in zip(amounts, cuts, strict=True)])
            scale = np.repeat([float(amount.scale) for amount in amounts], sizes)
            shift = np.repeat([float(amount.shift) for amount in amounts], sizes)
            values = np.where(np.isnan(values), 0.0, (values - shift) * scale)
            sums, doubt = values[places + starts].sum(axis=0), TRUSTED * (float(np.abs(values).sum()) + 1e-300)
            ends.append((sums - doubt, sums + doubt))
        never, always = tie.clear(ends)
        good, doubtful = always & ~never, np.flatnonzero(~never & ~always)
        if len(doubtful) > _MOST_DOUBTFUL:
            return None
        for i in doubtful.tolist():
            tables = [part.table(place) for part, place in zip(problem.parts, places[:, i].tolist(), strict=True)]
            good[i] = tie.exact([total(amounts, tables) for amounts in tie.sums])
        places = places[:, good]
    return places.astype(np.int32)


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


# Ends of sums of tp are whole numbers: what division leaves is less than this.
_HAIR: Final = 1e-6


class Search:
    """A problem made ready to be searched: parts in order, few tables first, and what the later ones can reach."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.order = sorted(range(len(problem.parts)), key=lambda i: len(problem.parts[i]))
        self.parts = [problem.parts[i] for i in self.order]
        # What is free counts as nothing.
        free = problem.hits is None and problem.room is None
        self._hits = [0 * part.tp if free else part.tp for part in self.parts]
        self._predicted = [0 * part.tp if problem.predicted is None else part.predicted for part in self.parts]
        self.wanted = int(problem.predicted or 0)
        self.ties: list[Tie] = []
        self._channels: list[_Channel] = []
        self.only: dict[int, NDArray[np.bool_]] = {}
        self.hits: Ints = np.arange(sum(int(hits.max(initial=0)) for hits in self._hits) + 1)
        if problem.hits is not None:
            self.hits = problem.hits
        self._most_hits = int(self.hits.max(initial=0))
        if all(len(part) for part in self.parts):
            self._settle(problem.ties)

    def narrowed(
        self, ties: Sequence[Tie] = (), hits: Ints | None = None, only: tuple[int, NDArray[np.bool_]] | None = None
    ) -> Search:
        """Return the search with more ties, fewer sums of tp, or some tables of one part only."""
        _ = self._reach, self._last, self._typical
        search = copy(self)
        for name in ("_middles", "open_hits"):
            search.__dict__.pop(name, None)
        search.ties, search._channels = [*self.ties], [*self._channels]
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
        channel = self._channel(amounts, self._amounts(amounts))
        least, most = self._line_ends(channel, 0.0, hits, hits, self.wanted, 0)
        return float(least.min() - channel.doubt), float(most.max() + channel.doubt)

    def _amounts(self, amounts: Sum) -> list[Floats]:
        """Return what the tables of each part add to a sum."""
        return [amounts[i].floats(self.values(amounts[i].formula)[place]) for place, i in enumerate(self.order)]

    def _settle(self, ties: Sequence[Tie]) -> None:
        """Decide ties that follow from the sums of counts once for each; the others are searched."""
        problem = self.problem
        known = (problem.hits is not None or problem.room is not None, problem.predicted is not None)
        for tie in ties:
            lines = [self._lines(amounts) for amounts in tie.sums]
            if all(line and len({way[:2] for way in line}) == 1 and _follows(line[0], known) for line in lines):
                sums = [(*line[0][:2], sum((way[2] for way in line), Fraction(0))) for line in lines if line]
                good = [tie.exact([a * hits + b * self.wanted + c for a, b, c in sums]) for hits in self.hits.tolist()]
                self.hits = self.hits[np.array(good, dtype=bool)]
            elif tie.ends is not None and lines[0] and (unit := self._unit(lines[0])):
                self.ties.append(_in_units(tie, unit))
                values = [_whole(way, unit, part) for way, part in zip(lines[0], self.parts, strict=True)]
                self._channels.append(replace(self._channel(tie.sums[0], values), doubt=0.25))
            else:
                self.ties.append(tie)
                self._channels += [self._channel(amounts, self._amounts(amounts)) for amounts in tie.sums]

    def _lines(self, amounts: Sum) -> list[_Line] | None:
        """Return each part's amount as ``a * tp + b * predicted + c``; None where one has no such form."""
        lines = []
        for place, i in enumerate(self.order):
            line = amounts[i].straight(self.parts[place], self.values(amounts[i].formula)[place])
            if line is None:
                return None
            lines.append(line)
        return lines

    def _unit(self, lines: Sequence[_Line]) -> int:
        """Return in how many units to one all amounts are whole; 0 where their sums would not be exact in floats."""
        unit = lcm(*(number.denominator for line in lines for number in line))
        most = sum(
            abs(a) * int(part.tp.max()) + abs(b) * int(part.predicted.max()) + abs(c)
            for (a, b, c), part in zip(lines, self.parts, strict=True)
        )
        return unit if most * unit < 1 << 48 else 0

    def values(self, formula: Formula) -> list[Floats]:
        """Return a formula's values at the tables of each part in order of search, computed once."""
        if formula not in self._known:
            columns = {name: np.concatenate([part.cells()[name] for part in self.parts]) for name in CELLS}
            ends = np.cumsum([len(part) for part in self.parts])[:-1]
            self._known[formula] = np.split(formula.evaluate(columns), ends)
        return self._known[formula]

    @cached_property
    def _known(self) -> dict[Formula, list[Floats]]:
        return {}

    def _channel(self, amounts: Sum, values: list[Floats]) -> _Channel:
        many = prod(len(part) for part in self.parts) > strategy().slopes_above_choices
        slopes = [(0.0, 0.0), *(self._slopes(values) if many else ())]
        least, most = np.zeros((2, len(slopes), len(values) + 1))
        for i in reversed(range(len(values))):
            for s, (a, b) in enumerate(slopes):
                rest = values[i] - a * self._hits[i] - b * self._predicted[i] if s else values[i]
                least[s, i] = least[s, i + 1] + rest.min()
                most[s, i] = most[s, i + 1] + rest.max()
        size = sum(float(np.abs(value).max()) for value in values) + 1e-300
        for a, b in slopes:
            size = max(size, abs(a) * int(self._boxes[1, 0]), abs(b) * int(self._boxes[3, 0]))
        best = np.argmin(most - least, axis=0).tolist()
        return _Channel(amounts, values, slopes, least, most, TRUSTED * size, best)

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
    def _boxes(self) -> NDArray[np.int64]:
        """The least and most hits and predicted of the parts from one on."""
        boxes = np.zeros((4, len(self.parts) + 1), dtype=np.int64)
        for i, (hits, predicted) in reversed([*enumerate(zip(self._hits, self._predicted, strict=True))]):
            boxes[:, i] = boxes[:, i + 1] + (hits.min(), hits.max(), predicted.min(), predicted.max())
        return boxes

    @cached_property
    def _reach(self) -> list[NDArray[np.bool_]] | None:
        """Which sums, counted down from the wanted ones, the parts from one on can have; None where too many.

        Hits are counted down from the most that may be: the bits of all that may be are where the sums begin.
        """
        boxes, wanted = self._boxes, self.hits
        if self.problem.predicted is None or not len(wanted):
            return None
        most = self._most_hits
        tall, wide = boxes[1] - boxes[0] + 1 + most - int(wanted.min()), boxes[3] - boxes[2] + 1
        shifts = [_runs(*columns) for columns in zip(self._hits, self._predicted, strict=True)]
        shifted = sum(runs * int(height) for runs, height in zip(shifts[1:], tall[1:], strict=False)) * int(wide[0])
        if int((tall[1:] * wide[0]).sum()) > strategy().sums_in_bits_up_to or shifted > strategy().bits_shifted_up_to:
            return None
        stride, grids = int(wide[0]), []
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
        tall, wide = self._boxes[1] - self._boxes[0] + 1, self._boxes[3] - self._boxes[2] + 1
        stride = int(wide[0])
        kind = np.int64 if prod(len(part) for part in self.parts) < 1 << 62 else object
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
        if any(not len(part) for part in self.parts):
            return np.empty(0, dtype=np.int64)
        boxes = self._boxes[:, 0]
        if not boxes[2] <= self.wanted <= boxes[3]:
            return self.hits[:0]
        hits = self.hits[(self.hits >= boxes[0]) & (self.hits <= boxes[1])]
        some = self._narrow(self._nothing_chosen(hits), 0)
        return np.asarray(hits[np.isin(hits, some.least.astype(np.int64))])

    @cached_property
    def _wrong(self) -> list[Ints] | None:
        """The wrong cases of each table; None where there is always room for them."""
        room = self.problem.room
        if room is None:
            return None
        wrong = [part.fn + part.fp for part in self.parts]
        return wrong if max(int(each.max()) for each in wrong) > room - self._most_hits else None

    def _narrow(self, some: _Beginnings, level: int) -> _Beginnings:
        """Leave out beginnings that cannot be completed, as their sums show, and sums of tp they cannot end up with."""
        box, place = self._boxes[:, level], 0
        least, most = np.maximum(some.least, some.hits + box[0]), np.minimum(some.most, some.hits + box[1])
        left = self.wanted - some.predicted
        for tie in self.ties:
            if tie.ends is None:
                channels, sums = self._channels[place : place + len(tie.sums)], some.sums[place : place + len(tie.sums)]
                low, high = least - some.hits, most - some.hits
                ends = [
                    self._line_ends(channel, so_far, low, high, left, level)
                    for channel, so_far in zip(channels, sums, strict=True)
                ]
                out, _ = tie.clear([(a - c.doubt, b + c.doubt) for (a, b), c in zip(ends, channels, strict=True)])
                most[out] = -1.0
            else:
                self._narrow_line(tie, place, some, left, level, least, most)
            place += len(tie.sums)
        kept = least <= most
        some = _Beginnings(some.hits, some.predicted, least, most, some.sums, some.places)
        return some if kept.all() else some.at(kept)

    def _narrow_line(
        self, tie: Tie, place: int, some: _Beginnings, left: Any, level: int, least: Floats, most: Floats
    ) -> None:
        """Cut the sums of tp, in place, to where one sum can still end up between its ends."""
        assert tie.ends is not None
        channel, so_far = self._channels[place], some.sums[place]
        low, high = _floats(tie.ends)
        most[(so_far + (channel.most[0, level] + channel.doubt) < low)] = -1.0
        most[(so_far + (channel.least[0, level] - channel.doubt) > high)] = -1.0
        s = channel.best[level]
        a, b = channel.slopes[s]
        if not s:
            return
        base = so_far - a * some.hits + b * left
        lower, upper = (
            (low - channel.doubt - channel.most[s, level]) - base,
            (high + channel.doubt - channel.least[s, level]) - base,
        )
        if abs(a) < 1e-200:
            most[(lower > 0) | (upper < 0)] = -1.0
            return
        first, last = (lower / a, upper / a) if a > 0 else (upper / a, lower / a)
        np.maximum(least, np.ceil(first * (1 - np.copysign(1e-12, first)) - _HAIR), out=least)
        np.minimum(most, np.floor(last * (1 + np.copysign(1e-12, last)) + _HAIR), out=most)

    @staticmethod
    def _line_ends(
        channel: _Channel, so_far: Any, low: Any, high: Any, predicted: Any, level: int
    ) -> tuple[Floats, Floats]:
        """Return the bounds of a sum with so much in it, hits between two numbers and predicted still to come."""
        least, most = so_far + channel.least[0, level] + 0.0 * low, so_far + channel.most[0, level] + 0.0 * low
        for s, (a, b) in enumerate(channel.slopes[1:], 1):
            straight = so_far + b * predicted
            np.maximum(least, straight + a * (low if a > 0 else high) + channel.least[s, level], out=least)
            np.minimum(most, straight + a * (high if a > 0 else low) + channel.most[s, level], out=most)
        return least, most

    def _always(self, some: _Beginnings, level: int) -> NDArray[np.bool_]:
        """Tell which beginnings fit however they are completed to their sum of tp."""
        always, place = np.ones(len(some), dtype=bool), 0
        left, low, high = self.wanted - some.predicted, some.least - some.hits, some.most - some.hits
        for tie in self.ties:
            ends = []
            for _ in tie.sums:
                channel, so_far = self._channels[place], some.sums[place]
                least, most = self._line_ends(channel, so_far, low, high, left, level)
                ends.append((least - channel.doubt, most + channel.doubt))
                place += 1
            always &= tie.clear(ends)[1]
        return always

    def _expanded(self, some: _Beginnings, level: int) -> _Beginnings:
        """Return every completion by a table of the next part that may still fit."""
        last = level == len(self.parts) - 1
        row, place = self._completing(some) if last else self._reaching(some, level)
        if level in self.only:
            kept = self.only[level][place]
            row, place = row[kept], place[kept]
        hits = some.hits[row] + self._hits[level][place]
        predicted = some.predicted[row] + self._predicted[level][place]
        least, most, sums = some.least[row], some.most[row], some.sums[:, row]
        for c, channel in enumerate(self._channels):
            sums[c] += channel.values[level][place]
        places = np.concatenate([some.places[:, row], place[None].astype(np.int32)])
        if self._wrong is not None:
            assert self.problem.room is not None
            most = np.minimum(most, self.problem.room - self._wrong[level][place])
        more = _Beginnings(hits, predicted, least, most, sums, places)
        if not last:
            return self._narrow(more, level + 1)
        return more if self._wrong is None else more.at(hits <= most)

    def _completing(self, some: _Beginnings) -> tuple[Ints, Ints]:
        """Return which beginnings are completed by which tables of the last part."""
        width, by_key, keys = self._last
        left = self.wanted - some.predicted
        low = np.maximum(some.least - some.hits, 0).astype(np.int64)
        high = np.minimum(some.most - some.hits, width - 1).astype(np.int64)
        open_ = (left >= 0) & (low <= high)
        first = np.searchsorted(keys, np.where(open_, left * width + low, 0))
        last = np.where(open_, np.searchsorted(keys, left * width + high, side="right"), first)
        last = np.maximum(first, last)
        row = np.repeat(np.arange(len(some)), last - first)
        offset = np.arange(len(row)) - np.repeat(np.cumsum(last - first) - (last - first), last - first)
        place = by_key[first[row] + offset]
        if self._holes:
            kept = np.isin(some.hits[row] + self._hits[-1][place], self.hits)
            row, place = row[kept], place[kept]
        return row, place

    @cached_property
    def _last(self) -> tuple[int, Ints, Ints]:
        """The tables of the last part by predicted and hits: the width of a key, the places, and their keys."""
        hits, predicted = self._hits[-1], self._predicted[-1]
        width = int(hits.max()) + 1
        keys = predicted * width + hits
        by_key = np.argsort(keys, kind="stable")
        return width, by_key, keys[by_key]

    @property
    def _holes(self) -> bool:
        """Whether a sum of tp between two that may be may not be."""
        return len(self.hits) > 0 and int(self.hits[-1]) - int(self.hits[0]) + 1 != len(self.hits)

    def _reaching(self, some: _Beginnings, level: int) -> tuple[Ints, Ints]:
        """Return the pairs of a beginning and a table of the next part after which the wanted sums can be reached."""
        box, hits, predicted = self._boxes[:, level + 1], self._hits[level], self._predicted[level]
        least, most = some.least - some.hits - box[1], some.most - some.hits - box[0]
        fits = (hits >= least[:, None]) & (hits <= most[:, None])
        left = (self.wanted - box[2] - some.predicted)[:, None] - predicted
        fits &= (left >= 0) & (left <= box[3] - box[2])
        row, place = np.nonzero(fits)
        if self._reach is not None:
            top = self._most_hits - box[0]
            kept = self._reach[level + 1][(top - some.hits[row]) - hits[place], left[row, place]]
            row, place = row[kept], place[kept]
        return row, place

    def _nothing_chosen(self, hits: Ints) -> _Beginnings:
        """Return beginnings that have chosen no table yet: one for each sum of tp to end up with."""
        nothing, sums = np.zeros(len(hits), np.int64), np.zeros((len(self._channels), len(hits)))
        ends = hits.astype(np.float64)
        return _Beginnings(nothing, nothing, ends, ends, sums, np.zeros((0, len(hits)), np.int32))

    def _start(self, hits: Ints) -> _Beginnings:
        """Return one beginning that may end up with any of some sums of tp."""
        some = self._nothing_chosen(hits[:1])
        return some if not len(hits) else replace(some, most=np.array([float(hits[-1])]))

    def walk(self, budget: Budget, *, guided: bool = False, hits: Ints | None = None) -> Iterator[_Beginnings]:
        """Yield the choices that fit, many at a time; guided, promising ones first.

        With `hits`, only those with one of these sums of tp, which follow each other.
        """
        if any(not only.any() for only in self.only.values()):
            return
        start = self._start(self.open_hits if hits is None else hits)
        stack = [(0, start)] if len(start) else []
        while stack:
            level, some = stack.pop()
            if level == len(self.parts):
                fitting = some.at(self._decided(some, budget))
                if len(fitting):
                    yield fitting
                continue
            some = self._first_of(stack, level, some, self._few(level) if guided else strategy().choices_together)
            budget.spend(len(some) * self._ways(level))
            more = self._expanded(some, level)
            if len(more):
                stack.append((level + 1, self._promising(more, level + 1) if guided else more))

    def _first_of(self, stack: list[Any], level: int, some: _Beginnings, together: int) -> _Beginnings:
        """Return so many beginnings as are looked at together, and put back the others."""
        step = max(1, together // self._ways(level))
        if len(some) > step:
            stack.append((level, some.at(slice(step, None))))
            some = some.at(slice(0, step))
        return some

    def _few(self, level: int) -> int:
        """Return how many choices a guided search looks at together: more only where they are completed."""
        return _COMPLETED if level >= len(self.parts) - 2 else _AHEAD

    def _ways(self, level: int) -> int:
        """Return how many tables are tried after each beginning: all of the next part, or those that complete it."""
        if level < len(self.parts) - 1:
            return len(self.parts[level])
        return 1 + min(len(self.hits) * self._alike, len(self.parts[-1]) // (int(self._predicted[-1].max()) + 1))

    @cached_property
    def _alike(self) -> int:
        """How many tables of the last part at most have the same hits and predicted."""
        return int(np.unique(self._last[2], return_counts=True)[1].max())

    def _promising(self, some: _Beginnings, level: int) -> _Beginnings:
        """Put beginnings first whose sums, continued on average, end up near the middle of where they should."""
        worth = np.random.default_rng(level).random(len(some))
        left = self.wanted - some.predicted
        hits = (some.least + some.most) / 2 - some.hits
        for ahead, (middles, spreads) in zip((hits, left), self._typical, strict=True):
            worth = worth + np.abs(ahead - middles[level]) / spreads[level]
        for c, channel in enumerate(self._channels):
            a, b = channel.slopes[channel.best[0]]
            ahead = some.sums[c] + a * hits + b * left + self._usual(channel)[level]
            middle, width = self._middles[c]
            worth = worth + np.abs(ahead - middle) / width
        return some.at(np.argsort(worth, kind="stable"))

    @cached_property
    def _typical(self) -> list[tuple[Floats, Floats]]:
        """The hits, and the predicted, that the parts from one on have on average, and how far they spread."""
        found = []
        for columns in (self._hits, self._predicted):
            means, variances = ([f(column) for column in columns] for f in (np.mean, np.var))
            sums = [np.append(np.cumsum(each[::-1])[::-1], 0.0) for each in (means, variances)]
            found.append((sums[0], np.sqrt(sums[1]) + 1.0))
        return found

    def _usual(self, channel: _Channel) -> Floats:
        """Return what the parts from one on usually add to a sum, beside what follows from hits and predicted."""
        if channel.usual is None:
            a, b = channel.slopes[channel.best[0]]
            each = [
                float(np.median(value - a * hits - b * predicted))
                for value, hits, predicted in zip(channel.values, self._hits, self._predicted, strict=True)
            ]
            channel.usual = np.append(np.cumsum(each[::-1])[::-1], 0.0)
        return channel.usual

    @cached_property
    def _middles(self) -> list[tuple[float, float]]:
        """The middle and the width of where each sum should be, where both are known; else of where it can be."""
        aims = [aim for tie in self.ties for aim in tie.aims]
        ends = [(float(channel.least[0, 0]), float(channel.most[0, 0])) for channel in self._channels]
        return [aim or ((low + high) / 2, high - low + 1e-300) for aim, (low, high) in zip(aims, ends, strict=True)]

    def _decided(self, some: _Beginnings, budget: Budget) -> NDArray[np.bool_]:
        """Tell which full choices fit: by their sums in floats where that is clear, else exactly."""
        place, good = 0, np.ones(len(some), dtype=bool)
        doubtful: list[tuple[Tie, list[_Channel], NDArray[np.bool_]]] = []
        for tie in self.ties:
            channels = self._channels[place : place + len(tie.sums)]
            sums = some.sums[place : place + len(tie.sums)]
            ends = [(each - channel.doubt, each + channel.doubt) for each, channel in zip(sums, channels, strict=True)]
            never, always = tie.clear(ends)
            good &= ~never
            doubtful.append((tie, channels, ~always))
            place += len(tie.sums)
        for tie, channels, open_ in doubtful:
            places = np.flatnonzero(good & open_)
            budget.spend(_EXACT_COSTS * len(places))
            for i in places.tolist():
                chosen = some.places[:, i].tolist()
                good[i] = tie.exact([self._exact_sum(channel, chosen) for channel in channels])
        return good

    def _exact_sum(self, channel: _Channel, places: list[int]) -> Exact:
        """Return a sum over the parts, exactly; what one table adds is computed once."""
        whole: Exact = Fraction(0)
        for key in enumerate(places):
            amount = channel.exact.get(key)
            if amount is None:
                level, place = key
                amount = channel.amounts[self.order[level]].exact(self.parts[level].table(place))
                channel.exact[key] = amount
            whole = whole + amount
        return whole

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
        number, stack = 0, [(0, self._nothing_chosen(self.open_hits))]
        while stack:
            level, some = stack.pop()
            if level == len(self.parts):
                number += int(self._decided(some, budget).sum())
                continue
            some = self._first_of(stack, level, some, strategy().choices_together)
            budget.spend(len(some) * self._ways(level))
            more = self._expanded(some, level)
            if level < len(self.parts) - 1:
                always = self._always(more, level + 1)
                if always.any():
                    sure, box = more.at(always), self._boxes[:, level + 1]
                    left = sure.most.astype(np.int64) - sure.hits - box[0]
                    ways = counts[level + 1][left, self.wanted - sure.predicted - box[2]]
                    number += int(sum(ways.tolist()))
                more = more.at(~always)
            if len(more):
                stack.append((level + 1, more))
        return number


def _follows(line: _Line, known: tuple[bool, bool]) -> bool:
    """Tell whether a sum follows from those of tp and of predicted that are known."""
    return all(is_known or not slope for slope, is_known in zip(line, known, strict=False))


def _whole(line: _Line, unit: int, part: Part) -> Floats:
    """Return what the tables of a part add, counted in units: whole numbers."""
    a, b, c = (int(number * unit) for number in line)
    return np.asarray(a * part.tp + b * part.predicted + c, dtype=np.float64)


def _runs(hits: Ints, predicted: Ints) -> int:
    """Return how many runs of predicted that follow each other some tables have."""
    keys = np.sort(hits * (int(predicted.max()) + 2) + predicted)
    return int((np.diff(keys) > 1).sum()) + 1


def _convolved(bits: int, hits: Ints, predicted: Ints, stride: int) -> int:
    """Add tables to all sums in a bit set: the bit at ``hits * stride + predicted`` stands for a sum."""
    runs: dict[int, list[int]] = {}
    places = np.unique(hits * stride + predicted)
    starts = np.flatnonzero(np.diff(places, prepend=places[0] - 2) != 1)
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(places)], strict=True):
        runs.setdefault(end - start, []).append(int(places[start]))
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
    row = places // stride
    starts = np.flatnonzero(
        (np.diff(places, prepend=-2) != 1) | (np.diff(row, prepend=-1) != 0) | (np.diff(alike, prepend=0) != 0)
    )
    columns = np.arange(stride)
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(places)], strict=True):
        t, low, high = int(row[start]), int(places[start]) % stride, int(places[end - 1]) % stride
        upper, lower = np.maximum(columns - low + 1, 0), np.maximum(columns - high, 0)
        out[t : t + height] += (sums[:, upper] - sums[:, lower]) * int(alike[start])
    return out
