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
from dataclasses import dataclass, field
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
from .rows import Ints, Rows

Floats: TypeAlias = NDArray[np.float64]
Cells: TypeAlias = dict[str, Any]
#: One table for each part, as the place of each in its part.
Choice: TypeAlias = tuple[int, ...]

# Sums of floats are trusted to this share of all that was added up.
_TRUSTED: Final = 1e-11
# A guided search looks at so many choices together on its way, and where it completes them.
_AHEAD, _COMPLETED = 512, 4096
# To decide one choice in fractions takes as long as to look at so many in floats.
_EXACT_COSTS: Final = 100


class Part:
    """The tables that one part may have, as columns of counts."""

    def __init__(self, tp: Ints, fn: Ints, fp: Ints, tn: Ints) -> None:
        self.tp, self.fn, self.fp, self.tn = tp, fn, fp, tn
        self.predicted = tp + fp

    @classmethod
    def of(cls, rows: Rows) -> Part:
        """List the tables of some rows."""
        widths = rows.high - rows.low + 1
        row = np.repeat(np.arange(len(rows)), widths)
        tn = np.arange(len(row)) - np.repeat(np.cumsum(widths) - widths, widths) + rows.low[row]
        tp = rows.tp[row]
        return cls(tp, rows.positives[row] - tp, rows.negatives[row] - tn, tn)

    def __len__(self) -> int:
        return len(self.tp)

    @cached_property
    def same_margins(self) -> bool:
        """Whether all tables have the same positives and negatives."""
        return all(bool((side == side[:1]).all()) for side in (self.tp + self.fn, self.fp + self.tn))

    def cells(self) -> Cells:
        """Return the four counts by name, as columns."""
        return {"tp": self.tp, "fn": self.fn, "fp": self.fp, "tn": self.tn}

    def table(self, place: int) -> dict[str, int]:
        """Return the four counts of one table."""
        return {name: int(column[place]) for name, column in self.cells().items()}

    def at(self, places: Any) -> Part:
        """Return the part with some of its tables."""
        return Part(self.tp[places], self.fn[places], self.fp[places], self.tn[places])


class Amount(NamedTuple):
    """What one part adds to a sum: ``scale * (formula - shift)``, and nothing where the formula is undefined."""

    formula: Formula
    scale: Fraction = Fraction(1)
    shift: Fraction = Fraction(0)

    def floats(self, values: Floats) -> Floats:
        """Return the amounts of many tables from the values of the formula, to the precision of floats."""
        return np.nan_to_num((values - float(self.shift)) * float(self.scale), copy=False, nan=0.0)

    def straight(self, part: Part, values: Floats) -> _Line | None:
        """Return a, b, c where the amount is ``a * tp + b * predicted + c`` for all tables of a part; else None."""
        form = self.formula.affine_ratio
        if form is None:
            return None
        positives, negatives = int(part.tp[0] + part.fn[0]), int(part.fp[0] + part.tn[0])
        (a, b, c), (d, e, f) = form.at(positives, negatives)
        if d or e or not f or not part.same_margins or np.isnan(values).any():
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


def _inside(interval: _Interval, value: Exact) -> bool:
    low, high, (low_open, high_open) = interval
    above = low is None or (value > low if low_open else value >= low)
    return bool(above and (high is None or (value < high if high_open else value <= high)))


def _floats(interval: _Interval) -> tuple[float, float]:
    low, high, _ = interval
    return -np.inf if low is None else float(low), np.inf if high is None else float(high)


# Functions with a name, so that a result can be pickled.
def _clear_between(ends: tuple[float, float], sums: list[tuple[Floats, Floats]]) -> tuple[Truths, Truths]:
    ((least, most),) = sums
    return (most < ends[0]) | (least > ends[1]), (least > ends[0]) & (most < ends[1])


def _is_between(interval: _Interval, sums: list[Exact]) -> bool:
    return _inside(interval, sums[0])


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


def _is_rooted(interval: _Interval, zero: bool, sums: list[Exact]) -> bool:
    top, *factors = sums
    square = factors[0] * factors[1]
    assert isinstance(square, Fraction)
    if square == 0:
        return zero and _inside(interval, Fraction(0))
    return _inside(interval, top / root(square))


def rooted(amounts: tuple[Sum, Sum, Sum], interval: _Interval, *, zero: bool) -> Tie:
    """Return the tie that a first sum, over the root of a second times a third, lies in an interval.

    Where the root is zero the ratio is undefined: 0 if so said, else it fits nowhere.
    """
    clear, exact = partial(_clear_rooted, _floats(interval)), partial(_is_rooted, interval, zero)
    return Tie(amounts, clear, exact, (None, None, None))


@dataclass(frozen=True)
class Problem:
    """Parts, and what ties them.

    `hits` are the sums of tp that are looked at, `predicted` is the sum of predicted positives, or None where it is
    free. With `room`, the wrong cases fn + fp of no part exceed `room` less the sum of tp: what is wrong in one part
    must find its place in the others.
    """

    parts: tuple[Part, ...]
    hits: Ints
    predicted: int | None = None
    room: int | None = None
    ties: tuple[Tie, ...] = ()

    def fits(self, choice: Choice) -> bool:
        """Tell whether a choice fits, in whole numbers and fractions alone."""
        tables = [part.table(place) for part, place in zip(self.parts, choice, strict=True)]
        hits = sum(table["tp"] for table in tables)
        if hits not in self.hits:
            return False
        if self.predicted is not None and sum(table["tp"] + table["fp"] for table in tables) != self.predicted:
            return False
        if self.room is not None and any(table["fn"] + table["fp"] > self.room - hits for table in tables):
            return False
        return all(tie.exact([total(amounts, tables) for amounts in tie.sums]) for tie in self.ties)

    def tied(self, *ties: Tie) -> Problem:
        """Return the problem with more ties."""
        return Problem(self.parts, self.hits, self.predicted, self.room, (*self.ties, *ties))


class Budget:
    """How many beginnings may still be looked at."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, amount: int) -> None:
        """Take some away; `TooLarge` where too little is left."""
        if amount > self.left:
            raise TooLarge("too_large", "budget", "more choices would have to be looked at", amount, "raise the budget")
        self.left -= amount


class _Channel(NamedTuple):
    """One sum: what each part's tables add to it, and bounds of what the parts from one on can add.

    A bound takes the form ``a * hits + b * predicted + rest``: with the slopes a and b taken out, what is left of a
    score varies little. Each of `slopes` gives bounds that hold; the narrowest of them counts.
    """

    values: list[Floats]
    slopes: list[tuple[float, float]]
    least: NDArray[np.float64]
    most: NDArray[np.float64]
    doubt: float
    #: Which slopes leave least.
    best: int


@dataclass
class _Beginnings:
    """Choices for the first parts: sums so far, and the places chosen."""

    hits: Ints
    predicted: Ints
    sums: Floats
    places: NDArray[np.int32]

    def at(self, which: Any) -> _Beginnings:
        return _Beginnings(self.hits[which], self.predicted[which], self.sums[:, which], self.places[:, which])

    def __len__(self) -> int:
        return len(self.hits)


@dataclass
class Search:
    """A problem made ready to be searched: parts in order, few tables first, and what the later ones can reach."""

    problem: Problem
    order: list[int] = field(init=False)
    parts: list[Part] = field(init=False)

    def __post_init__(self) -> None:
        self.order = sorted(range(len(self.problem.parts)), key=lambda i: len(self.problem.parts[i]))
        parts = [self.problem.parts[i] for i in self.order]
        self.by_key = np.lexsort((parts[-1].predicted, parts[-1].tp)) if parts else np.empty(0, dtype=np.int64)
        self.parts = parts
        self.ties: list[Tie] = []
        self._channels: list[_Channel] = []
        self.only: dict[int, NDArray[np.bool_]] = {}
        self.hits = self.problem.hits
        if all(len(part) for part in parts):
            self._settle(self.problem.ties)

    def narrowed(
        self, ties: Sequence[Tie] = (), hits: Ints | None = None, only: tuple[int, NDArray[np.bool_]] | None = None
    ) -> Search:
        """Return the search with more ties, fewer sums of tp, or some tables of one part only."""
        search = copy(self)
        search.__dict__ = {**self.__dict__}
        search.__dict__.pop("_middles", None)
        search.__dict__.pop("_usual", None)
        search.ties, search._channels = [*self.ties], [*self._channels]
        if hits is not None:
            search.hits = hits
        if only is not None:
            search.only = {**self.only, self.order.index(only[0]): only[1]}
        search._settle(ties)
        return search

    def ends_of(self, amounts: Sum) -> tuple[float, float]:
        """Return numbers between which a sum over the parts lies, as bounds alone tell; not always the narrowest."""
        hits = self.open_hits()
        values = [amounts[i].floats(self._values(amounts[i].formula)[place]) for place, i in enumerate(self.order)]
        channel = self._channel(values)
        if not len(hits):
            return -np.inf, np.inf
        least, most = self._line_ends(channel, 0.0, hits, self.problem.predicted or 0, 0)
        return float(least.min() - channel.doubt), float(most.max() + channel.doubt)

    def _settle(self, ties: Sequence[Tie]) -> None:
        """Decide ties that follow from the sums of counts once for each; the others are searched."""
        predicted = self.problem.predicted
        for tie in ties:
            lines = [self._lines(amounts) for amounts in tie.sums]
            if all(
                line and len({way[:2] for way in line}) == 1 and (predicted is not None or not line[0][1])
                for line in lines
            ):
                sums = [(*line[0][:2], sum((way[2] for way in line), Fraction(0))) for line in lines if line]
                good = [
                    tie.exact([a * hits + b * (predicted or 0) + c for a, b, c in sums]) for hits in self.hits.tolist()
                ]
                self.hits = self.hits[np.array(good, dtype=bool)]
            elif tie.ends is not None and lines[0] and (unit := self._unit(lines[0])):
                self.ties.append(_in_units(tie, unit))
                values = [_whole(way, unit, part) for way, part in zip(lines[0], self.parts, strict=True)]
                self._channels.append(self._channel(values)._replace(doubt=0.25))
            else:
                self.ties.append(tie)
                for amounts in tie.sums:
                    values = [
                        amounts[i].floats(self._values(amounts[i].formula)[place]) for place, i in enumerate(self.order)
                    ]
                    self._channels.append(self._channel(values))

    def _lines(self, amounts: Sum) -> list[_Line] | None:
        """Return each part's amount as ``a * tp + b * predicted + c``; None where one has no such form."""
        lines = []
        for place, i in enumerate(self.order):
            line = amounts[i].straight(self.parts[place], self._values(amounts[i].formula)[place])
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

    def _values(self, formula: Formula) -> list[Floats]:
        """Return a formula's values at the tables of each part, computed once."""
        if formula not in self._known:
            columns = {name: np.concatenate([part.cells()[name] for part in self.parts]) for name in CELLS}
            ends = np.cumsum([len(part) for part in self.parts])[:-1]
            self._known[formula] = np.split(formula.evaluate(columns), ends)
        return self._known[formula]

    @cached_property
    def _known(self) -> dict[Formula, list[Floats]]:
        return {}

    def _channel(self, values: list[Floats]) -> _Channel:
        many = prod(len(part) for part in self.parts) > strategy().slopes_above_choices
        slopes = [(0.0, 0.0), *(self._slopes(values) if many else ())]
        least, most = np.zeros((2, len(slopes), len(values) + 1))
        for i in reversed(range(len(values))):
            part = self.parts[i]
            for s, (a, b) in enumerate(slopes):
                rest = values[i] - a * part.tp - b * part.predicted
                least[s, i] = least[s, i + 1] + rest.min()
                most[s, i] = most[s, i + 1] + rest.max()
        size = sum(float(np.abs(value).max()) for value in values) + 1e-300
        for a, b in slopes:
            size = max(size, abs(a) * sum(int(p.tp.max()) for p in self.parts))
            size = max(size, abs(b) * sum(int(p.predicted.max()) for p in self.parts))
        best = int(np.argmin(most[:, 0] - least[:, 0]))
        return _Channel(values, slopes, least, most, _TRUSTED * size, best)

    def _slopes(self, values: list[Floats]) -> list[tuple[float, float]]:
        """Return how a sum changes with hits and predicted, as fitted to the tables of some parts and of all."""
        pieces = []
        for part, value in zip(self.parts, values, strict=True):
            step = max(1, len(part) // 400)
            x = np.stack([part.tp[::step], part.predicted[::step] * (self.problem.predicted is not None)]).astype(float)
            pieces.append((x - x.mean(axis=1, keepdims=True), value[::step] - value[::step].mean()))
        chosen = pieces[:: max(1, len(pieces) // 4)]
        wholes = [(np.concatenate([x for x, _ in pieces], axis=1), np.concatenate([y for _, y in pieces]))]
        fits = {tuple(np.linalg.lstsq(x.T, y, rcond=None)[0].tolist()) for x, y in [*wholes, *chosen]}
        return [fit for fit in fits if any(fit)]

    @cached_property
    def _boxes(self) -> NDArray[np.int64]:
        """The least and most hits and predicted of the parts from one on."""
        boxes = np.zeros((4, len(self.parts) + 1), dtype=np.int64)
        for i in reversed(range(len(self.parts))):
            part = self.parts[i]
            ends = (part.tp.min(), part.tp.max(), part.predicted.min(), part.predicted.max())
            boxes[:, i] = boxes[:, i + 1] + ends
        return boxes

    @cached_property
    def _reach(self) -> list[NDArray[np.bool_]] | None:
        """Which sums of hits and predicted the parts from one on can have; None where that takes too much room."""
        if self.problem.predicted is None:
            return None
        boxes = self._boxes
        tall, wide = boxes[1] - boxes[0] + 1, boxes[3] - boxes[2] + 1
        if int((tall[1:] * wide[0]).sum()) > strategy().sums_in_bits_up_to:
            return None
        stride, bits, grids = int(wide[0]), 1, []
        for i in reversed(range(len(self.parts) + 1)):
            if i < len(self.parts):
                bits = _convolved(bits, self.parts[i], stride) if i else 0
            size = int(tall[i]) * stride
            raw = (
                np.frombuffer(bits.to_bytes((size + 7) // 8, "little"), dtype=np.uint8) if i else np.empty(0, np.uint8)
            )
            grids.append(np.unpackbits(raw, bitorder="little")[: size if i else 0].reshape(-1, stride).view(np.bool_))
        return grids[::-1]

    @cached_property
    def _counts(self) -> list[NDArray[Any]] | None:
        """How many choices of the parts from one on have each sum of hits and predicted; None where too many."""
        if self._reach is None:
            return None
        most = 1
        for part in self.parts:
            most *= len(part)
        work = sum(len(np.unique(p.tp)) * g.size for p, g in zip(self.parts, self._reach[1:], strict=True))
        kind = np.int64 if most < 1 << 62 else object
        if work * (1 if kind is np.int64 else 20) > strategy().counted_in_grids_up_to:
            return None
        stride = self._reach[1].shape[1]
        grid = np.zeros((1, stride), dtype=kind)
        grid[0, 0] = 1
        grids = [grid]
        for i in reversed(range(1, len(self.parts))):
            grid = _counted(grid, self.parts[i], int(self._boxes[1, i] - self._boxes[0, i]) + 1)
            grids.append(grid)
        return [np.empty((0, 0)), *reversed(grids)]

    def open_hits(self) -> Ints:
        """Return the sums of tp that are not ruled out by bounds alone."""
        if any(not len(part) for part in self.parts):
            return np.empty(0, dtype=np.int64)
        hits, boxes = self.hits, self._boxes[:, 0]
        predicted = self.problem.predicted
        if predicted is not None and not boxes[2] <= predicted <= boxes[3]:
            return hits[:0]
        hits = hits[(hits >= boxes[0]) & (hits <= boxes[1])]
        start = _Beginnings(
            0 * hits, 0 * hits, np.zeros((len(self._channels), len(hits))), np.empty((0, len(hits)), np.int32)
        )
        return np.asarray(hits[~self._bounded(start, 0, hits)[0]])

    def _allowed(self, hits: int) -> list[NDArray[np.bool_] | None]:
        """Return which tables of each part have room for what is wrong in them; None where all do."""
        room = self.problem.room
        allowed: list[NDArray[np.bool_] | None] = [self.only.get(level) for level in range(len(self.parts))]
        if room is None:
            return allowed
        for level, (part, most) in enumerate(zip(self.parts, self._most_wrong, strict=True)):
            if most > room - hits:
                enough, before = part.fn + part.fp <= room - hits, allowed[level]
                allowed[level] = enough if before is None else enough & before
        return allowed

    @cached_property
    def _most_wrong(self) -> list[int]:
        return [int((part.fn + part.fp).max()) for part in self.parts]

    def _bounded(self, some: _Beginnings, level: int, hits: Any) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Tell which beginnings cannot be completed, as their sums show, and which fit however they are completed."""
        never = np.zeros(len(some), dtype=bool)
        always = np.ones(len(some), dtype=bool)
        left_hits = hits - some.hits
        left_predicted = 0 if self.problem.predicted is None else self.problem.predicted - some.predicted
        place = 0
        for tie in self.ties:
            ends = []
            for _ in tie.sums:
                channel, so_far = self._channels[place], some.sums[place]
                least, most = self._line_ends(channel, so_far, left_hits, left_predicted, level)
                ends.append((least - channel.doubt, most + channel.doubt))
                place += 1
            out, sure = tie.clear(ends)
            never |= out
            always &= sure
        return never, always

    @staticmethod
    def _line_ends(channel: _Channel, so_far: Any, hits: Ints, predicted: Any, level: int) -> tuple[Floats, Floats]:
        """Return the bounds of a sum with so much in it and so many hits and predicted still to come."""
        least, most = so_far + channel.least[0, level] + 0.0 * hits, so_far + channel.most[0, level] + 0.0 * hits
        for s, (a, b) in enumerate(channel.slopes[1:], 1):
            straight = so_far + a * hits + b * predicted
            np.maximum(least, straight + channel.least[s, level], out=least)
            np.minimum(most, straight + channel.most[s, level], out=most)
        return least, most

    def _expanded(self, some: _Beginnings, level: int, hits: int, allowed: NDArray[np.bool_] | None) -> _Beginnings:
        """Return every completion by a table of the next part that may still fit."""
        part = self.parts[level]
        if level == len(self.parts) - 1 and self.problem.predicted is not None:
            row, place = self._completing(some, hits)
        else:
            row, place = self._reaching(some, level, hits)
        if allowed is not None:
            kept = allowed[place]
            row, place = row[kept], place[kept]
        sums = some.sums[:, row]
        for c, channel in enumerate(self._channels):
            sums[c] += channel.values[level][place]
        return _Beginnings(some.hits[row] + part.tp[place], some.predicted[row] + part.predicted[place], sums,
            np.concatenate([some.places[:, row], place[None].astype(np.int32)]))  # fmt: skip

    def _completing(self, some: _Beginnings, hits: int) -> tuple[Ints, Ints]:
        """Return which beginnings are completed by which table of the last part."""
        part, by_key = self.parts[-1], self.by_key
        assert self.problem.predicted is not None
        width = max(int(part.predicted.max()), self.problem.predicted) + 1
        keys = (part.tp * width + part.predicted)[by_key]
        left_hits, left = hits - some.hits, self.problem.predicted - some.predicted
        wanted = np.where((left >= 0) & (left_hits >= 0), left_hits * width + left, -1)
        first, last = np.searchsorted(keys, wanted), np.searchsorted(keys, wanted, side="right")
        row = np.repeat(np.arange(len(some)), last - first)
        offset = np.arange(len(row)) - np.repeat(np.cumsum(last - first) - (last - first), last - first)
        return row, by_key[first[row] + offset]

    def _reaching(self, some: _Beginnings, level: int, hits: int) -> tuple[Ints, Ints]:
        """Return the pairs of a beginning and a table of the next part after which the wanted sums can be reached."""
        part, boxes = self.parts[level], self._boxes[:, level + 1]
        left = (hits - some.hits)[:, None] - part.tp[None] - boxes[0]
        fits = (left >= 0) & (left <= boxes[1] - boxes[0])
        if self.problem.predicted is None:
            row, place = np.nonzero(fits)
            return row, place
        left_predicted = (self.problem.predicted - some.predicted)[:, None] - part.predicted[None] - boxes[2]
        fits &= (left_predicted >= 0) & (left_predicted <= boxes[3] - boxes[2])
        row, place = np.nonzero(fits)
        if self._reach is not None:
            kept = self._reach[level + 1][left[row, place], left_predicted[row, place]]
            row, place = row[kept], place[kept]
        return row, place

    def _nothing_chosen(self) -> _Beginnings:
        """Return the one beginning that has chosen no table yet."""
        sums = np.zeros((len(self._channels), 1))
        return _Beginnings(np.zeros(1, np.int64), np.zeros(1, np.int64), sums, np.zeros((0, 1), np.int32))

    def walk(self, hits: int, budget: Budget, *, guided: bool = False) -> Iterator[_Beginnings]:
        """Yield the choices with a sum of tp that fit, many at a time; guided, promising ones first."""
        allowed = self._allowed(hits)
        if any(a is not None and not a.any() for a in allowed):
            return
        stack = [(0, self._nothing_chosen())]
        while stack:
            level, some = stack.pop()
            if level == len(self.parts):
                fitting = some.at(self._decided(some, budget))
                if len(fitting):
                    yield fitting
                continue
            each = self._ways(level)
            step = max(1, (self._few(level) if guided else strategy().choices_together) // each)
            if len(some) > step:
                stack.append((level, some.at(slice(step, None))))
                some = some.at(slice(0, step))
            budget.spend(len(some) * each)
            more = self._expanded(some, level, hits, allowed[level])
            if level < len(self.parts) - 1 and self.ties:
                more = more.at(~self._bounded(more, level + 1, hits)[0])
            if len(more):
                stack.append((level + 1, self._promising(more, level + 1, hits) if guided else more))

    def _few(self, level: int) -> int:
        """Return how many choices a guided search looks at together: more only where they are completed."""
        return _COMPLETED if level >= len(self.parts) - 2 else _AHEAD

    def _ways(self, level: int) -> int:
        """Return how many tables are tried after each beginning: all of the next part, or the one that completes it."""
        last = level == len(self.parts) - 1 and self.problem.predicted is not None
        return 1 if last else len(self.parts[level])

    def _promising(self, some: _Beginnings, level: int, hits: int) -> _Beginnings:
        """Put beginnings first whose sums, continued on average, end up near the middle of where they should."""
        worth = np.random.default_rng(level).random(len(some))
        left_predicted = 0 if self.problem.predicted is None else self.problem.predicted - some.predicted
        for c, channel in enumerate(self._channels):
            a, b = channel.slopes[channel.best]
            ahead = some.sums[c] + a * (hits - some.hits) + b * left_predicted + self._usual[c][level]
            middle, width = self._middles[c]
            worth = worth + np.abs(ahead - middle) / width
        return some.at(np.argsort(worth, kind="stable"))

    @cached_property
    def _usual(self) -> list[Floats]:
        """What the parts from one on usually add to each sum, beside what follows from hits and predicted."""
        sums = []
        for channel in self._channels:
            a, b = channel.slopes[channel.best]
            each = [
                float(np.median(value - a * part.tp - b * part.predicted))
                for value, part in zip(channel.values, self.parts, strict=True)
            ]
            sums.append(np.append(np.cumsum(each[::-1])[::-1], 0.0))
        return sums

    @cached_property
    def _middles(self) -> list[tuple[float, float]]:
        """The middle and the width of where each sum should be, where both are known; else of where it can be."""
        aims = [aim for tie in self.ties for aim in tie.aims]
        ends = [(float(channel.least[0, 0]), float(channel.most[0, 0])) for channel in self._channels]
        return [aim or ((low + high) / 2, high - low + 1e-300) for aim, (low, high) in zip(aims, ends, strict=True)]

    def _decided(self, some: _Beginnings, budget: Budget) -> NDArray[np.bool_]:
        """Tell which full choices fit: by their sums in floats where that is clear, else exactly."""
        place, good, open_ = 0, np.ones(len(some), dtype=bool), np.zeros(len(some), dtype=bool)
        for tie in self.ties:
            ends = []
            for _ in tie.sums:
                doubt = self._channels[place].doubt
                ends.append((some.sums[place] - doubt, some.sums[place] + doubt))
                place += 1
            never, always = tie.clear(ends)
            good &= ~never
            open_ |= ~always & ~never
        doubtful = np.flatnonzero(good & open_)
        budget.spend(_EXACT_COSTS * len(doubtful))
        for i in doubtful:
            good[i] = self._exactly(some.places[:, i].tolist())
        return good

    def _exactly(self, places: Sequence[int]) -> bool:
        for tie in self.ties:
            sums: list[Exact] = []
            for amounts in tie.sums:
                whole: Exact = Fraction(0)
                for level, place in enumerate(places):
                    whole = whole + self._exact_amount(amounts[self.order[level]], level, place)
                sums.append(whole)
            if not tie.exact(sums):
                return False
        return True

    def _exact_amount(self, amount: Amount, level: int, place: int) -> Exact:
        key = (amount, level, place)
        if key not in self._exact_known:
            self._exact_known[key] = amount.exact(self.parts[level].table(place))
        return self._exact_known[key]

    @cached_property
    def _exact_known(self) -> dict[tuple[Amount, int, int], Exact]:
        return {}

    def choices(self, some: _Beginnings) -> NDArray[np.int32]:
        """Return full choices as places in the parts of the problem, a column each."""
        out = np.empty_like(some.places)
        out[self.order] = some.places
        return out

    def count(self, hits: int, budget: Budget) -> int:
        """Return how many choices with a sum of tp fit; those that fit however they go on are not walked."""
        allowed = self._allowed(hits)
        counts = self._counts if all(a is None for a in allowed) else None
        if counts is None:
            return sum(len(some) for some in self.walk(hits, budget))
        number, predicted = 0, self.problem.predicted
        assert predicted is not None
        stack = [(0, self._nothing_chosen())]
        while stack:
            level, some = stack.pop()
            if level == len(self.parts):
                number += int(self._decided(some, budget).sum())
                continue
            each = self._ways(level)
            step = max(1, strategy().choices_together // each)
            if len(some) > step:
                stack.append((level, some.at(slice(step, None))))
                some = some.at(slice(0, step))
            budget.spend(len(some) * each)
            more = self._expanded(some, level, hits, None)
            if level < len(self.parts) - 1:
                never, always = self._bounded(more, level + 1, hits)
                if always.any():
                    sure, box = more.at(always), self._boxes[:, level + 1]
                    ways = counts[level + 1][hits - sure.hits - box[0], predicted - sure.predicted - box[2]]
                    number += int(sum(ways.tolist()))
                more = more.at(~never & ~always)
            if len(more):
                stack.append((level + 1, more))
        return number


def _whole(line: _Line, unit: int, part: Part) -> Floats:
    """Return what the tables of a part add, counted in units: whole numbers."""
    a, b, c = (int(number * unit) for number in line)
    return np.asarray(a * part.tp + b * part.predicted + c, dtype=np.float64)


def _convolved(bits: int, part: Part, stride: int) -> int:
    """Add a part's tables to all sums in a bit set: the bit at ``hits * stride + predicted`` stands for a sum."""
    base_hits, base = int(part.tp.min()), int(part.predicted.min())
    runs: dict[int, list[int]] = {}
    order = np.lexsort((part.predicted, part.tp))
    places = ((part.tp - base_hits) * stride + part.predicted - base)[order]
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


def _counted(grid: NDArray[Any], part: Part, tall: int) -> NDArray[Any]:
    """Add a part's tables to a grid that counts the choices with each sum."""
    base_hits, base = int(part.tp.min()), int(part.predicted.min())
    height, stride = grid.shape
    out = np.zeros((tall, stride), dtype=grid.dtype)
    sums = np.concatenate([np.zeros((height, 1), dtype=grid.dtype), np.cumsum(grid, axis=1)], axis=1)
    order = np.lexsort((part.predicted, part.tp))
    hits, predicted = part.tp[order] - base_hits, part.predicted[order] - base
    starts = np.flatnonzero((np.diff(hits, prepend=-1) != 0) | (np.diff(predicted, prepend=-2) != 1))
    columns = np.arange(stride)
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(hits)], strict=True):
        t, low, high = int(hits[start]), int(predicted[start]), int(predicted[end - 1])
        upper, lower = np.maximum(columns - low + 1, 0), np.maximum(columns - high, 0)
        out[t : t + height] += sums[:, upper] - sums[:, lower]
    return out
