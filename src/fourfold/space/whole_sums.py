"""Whole numbers in ranges, tied by sums: which of them fit, decided in integers and fractions.

`solved` decides lines through a few whole numbers, such as sums of tp and of tn. A solver of linear programmes only
proposes: a solution is checked, and so is a direction that shows that there is none. `reached` decides a sum of values
and one of their squares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, floor, gcd, lcm
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .rows import first_of_alike

# Sums of tp, or of tn, that are listed at most when all are looked at; and pairs of them.
_FEW_LISTED, _MOST_LISTED, _MOST_PAIRS = 100_000, 3_000_000, 60_000_000
# Up to so many numbers they are listed before anything else.
_FEW_NUMBERS: Final = 8
# First numbers of two that are looked at together, and at most.
_TOGETHER, _MOST_FIRST = 1 << 16, 100_000_000
_MOST_NODES: Final = 400
# Before they are many, whole numbers are guessed from so many starts.
_STARTS: Final = 60
# Up to so many numbers whole ones are guessed, by so many pairs of pairs of steps, so many at a time, of which so many
# are checked; what is no more than this beyond an end may fit.
_MOST_GUESSED, _MOST_GUESSES, _FEW_GUESSES, _TRIED, _SAME = 120, 1_000_000, 8_000, 20, 1e-6
# How often numbers are put back into their ranges on the way to all lines, and from what distance on they missed them.
_MOST_CLIPPED, _FAR = 12, 1.5
_WEIGHT: Final = float(1 << 80)
_MACHINE: Final = 1 << 62
# Steps of the table of sums, each a shift of a long number, and the longest such number.
_MOST_STEPS, _MOST_BITS = 1_000_000, 1_000_000

#: The smallest and the largest value of each number.
Ranges: TypeAlias = list[tuple[int, int]]
_Ints: TypeAlias = NDArray[np.int64]


class Line(NamedTuple):
    """That a sum of numbers times factors lies in an interval; None is no end."""

    factors: tuple[Fraction, ...]
    low: Fraction | None
    high: Fraction | None
    low_open: bool = False
    high_open: bool = False


class _Whole(NamedTuple):
    """A line with whole factors that have no common divisor, and closed ends."""

    factors: tuple[int, ...]
    low: int | None
    high: int | None


def solved(lines: Sequence[Line], ranges: Ranges) -> list[int] | bool | None:
    """Return whole numbers in their ranges that fit all lines, False if it is proven that none do, else None.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> solved([Line((half, half), Fraction(9, 10), Fraction(11, 10))], [(0, 1), (0, 1)])
    [1, 1]
    >>> solved([Line((half, half), Fraction(6, 10), Fraction(9, 10))], [(0, 1), (0, 1)])
    False
    """
    rows = [_whole(line) for line in lines]
    if any(row is None for row in rows):
        return False
    narrowed = _narrowed([row for row in rows if row is not None], ranges)
    if narrowed is None:
        return False
    kept, ranges = [row for row in rows if row is not None and any(row.factors)], narrowed
    if len(ranges) == 2:
        return _of_two(kept, ranges)
    if (guessed := _guessed(kept, ranges)) is not None:
        return guessed
    found = _listed(kept, ranges, _FEW_LISTED) if len(ranges) <= _FEW_NUMBERS else None
    if found is None:
        found = _branched(kept, ranges)
    return _listed(kept, ranges, _MOST_LISTED) if found is None else found


def whole_line(line: Line) -> Line | None:
    """Return a line in whole numbers without a common divisor, with closed ends; None if it holds for none."""
    row = _whole(line)
    if row is None:
        return None
    low, high = (None if end is None else Fraction(end) for end in (row.low, row.high))
    return Line(tuple(Fraction(f) for f in row.factors), low, high)


def _whole(line: Line) -> _Whole | None:
    """Return a line in whole numbers; None if it holds for none."""
    unit = lcm(*(f.denominator for f in line.factors))
    factors = [f.numerator * (unit // f.denominator) for f in line.factors]
    common = gcd(*factors)
    if not common:
        fits = (line.low is None or (line.low < 0 if line.low_open else line.low <= 0)) and (
            line.high is None or (line.high > 0 if line.high_open else line.high >= 0)
        )
        return _Whole(tuple(factors), None, None) if fits else None
    scale = Fraction(unit, common)
    low = high = None
    if line.low is not None:
        low = floor(line.low * scale) + 1 if line.low_open else ceil(line.low * scale)
    if line.high is not None:
        high = ceil(line.high * scale) - 1 if line.high_open else floor(line.high * scale)
    if low is not None and high is not None and low > high:
        return None
    return _Whole(tuple(f // common for f in factors), low, high)


def _narrowed(rows: Sequence[_Whole], ranges: Ranges) -> Ranges | None:
    """Narrow the ranges by each line in turn; None if one is empty."""
    ranges = list(ranges)
    for _ in range(8):
        before = list(ranges)
        for row in rows:
            ends = [(min(f * a, f * b), max(f * a, f * b)) for f, (a, b) in zip(row.factors, ranges, strict=True)]
            least, most = sum(e[0] for e in ends), sum(e[1] for e in ends)
            for i, f in enumerate(row.factors):
                if not f:
                    continue
                a, b = ranges[i]
                down = None if row.low is None else row.low - (most - ends[i][1])
                up = None if row.high is None else row.high - (least - ends[i][0])
                if f < 0:
                    down, up = (None if up is None else -up), (None if down is None else -down)
                if down is not None:
                    a = max(a, -(-down // abs(f)))
                if up is not None:
                    b = min(b, up // abs(f))
                if a > b:
                    return None
                ranges[i] = a, b
        if ranges == before:
            break
    return None if any(a > b for a, b in ranges) else ranges


def _fits(rows: Sequence[_Whole], numbers: Sequence[int]) -> bool:
    for row in rows:
        total = sum(f * x for f, x in zip(row.factors, numbers, strict=True))
        if (row.low is not None and total < row.low) or (row.high is not None and total > row.high):
            return False
    return True


def _of_two(rows: Sequence[_Whole], ranges: Ranges) -> list[int] | bool | None:
    """Decide two numbers: every first one leaves an interval of the second."""
    (a, b), (c, d) = ranges
    if b - a >= _MOST_FIRST:
        return None
    size = max((abs(f) for row in rows for f in row.factors), default=1) * (abs(a) + abs(b) + abs(c) + abs(d) + 1)
    ends = max((abs(end) for row in rows for end in (row.low, row.high) if end is not None), default=0)
    kind: Any = np.int64 if size + ends < _MACHINE else object
    for start in range(a, b + 1, _TOGETHER):
        first = np.arange(start, min(start + _TOGETHER, b + 1)).astype(kind)
        low, high = 0 * first + c, 0 * first + d
        for row in rows:
            f, g = row.factors
            for end, sign in ((row.low, 1), (row.high, -1)):
                if end is None:
                    continue
                rest, factor = sign * (f * first - end), sign * g
                if factor > 0:
                    low = np.maximum(low, -(rest // factor))
                elif factor < 0:
                    high = np.minimum(high, rest // -factor)
                else:
                    high = np.where(rest < 0, c - 1, high)
        good = np.flatnonzero(low <= high)
        if len(good):
            # The middle one: the first is often at the rim.
            i = good[len(good) // 2]
            return [int(first[i]), int((low[i] + high[i]) // 2)]
    return False


def _branched(rows: Sequence[_Whole], ranges: Ranges) -> list[int] | bool | None:
    """Branch and bound: every leaf is a solution that is checked or has a direction that is."""
    stack, nodes = [ranges], 0
    while stack:
        nodes += 1
        if nodes > _MOST_NODES:
            return None
        own = _narrowed(rows, stack.pop())
        if own is None:
            continue
        relaxed = _relaxed(rows, own)
        if relaxed is None:
            return None
        values, weights = relaxed
        if weights is not None:
            if not _short(rows, own, weights):
                return None
            continue
        for numbers in _roundings(values, own):
            if _fits(rows, numbers):
                return numbers
        if nodes == 1 and (guessed := _guessed(rows, own, _STARTS)) is not None:
            return guessed
        open_ = [i for i, (a, b) in enumerate(own) if a < b]
        if not open_:
            continue
        i = max(open_, key=lambda i: (0.5 - abs(values[i] - floor(values[i]) - 0.5), own[i][1] - own[i][0]))
        cut = min(max(floor(values[i]), own[i][0]), own[i][1] - 1)
        below, above = list(own), list(own)
        below[i], above[i] = (own[i][0], cut), (cut + 1, own[i][1])
        stack += [below, above]
    return False


def _scaled(rows: Sequence[_Whole], ranges: Ranges) -> tuple[Any, Any, Any, list[int]]:
    """Return the lines as floats, each with an interval of about two, and twice the units that were taken."""
    factors, lows, highs, units = [], [], [], []
    for row in rows:
        low, high = row.low, row.high
        if low is None or high is None:
            ends = [sorted((f * a, f * b)) for f, (a, b) in zip(row.factors, ranges, strict=True)]
            low = sum(e[0] for e in ends) if low is None else low
            high = sum(e[1] for e in ends) if high is None else high
        # Whole numbers may be too long for floats, their quotients are not.
        unit = max(high - low + 1, 1)
        units.append(unit)
        factors.append([2 * f / unit for f in row.factors])
        lows.append(2 * low / unit)
        highs.append(2 * high / unit)
    return np.array(factors), np.array(lows), np.array(highs), units


def _guessed(rows: Sequence[_Whole], ranges: Ranges, starts: int = 1) -> list[int] | bool | None:
    """Return numbers that fit, near values that are not whole and meet all lines; None if that fails.

    Where no values meet all lines, what they miss is a direction that may show that none can: then False. The first
    start is the middle of the ranges, others lie anywhere.
    """
    if not rows or len(ranges) > _MOST_GUESSED:
        return None
    factors, lows, highs, units = _scaled(rows, ranges)
    least, most = (np.array(ends, dtype=float) for ends in zip(*ranges, strict=True))
    rng = np.random.default_rng(0)
    for start in range(starts):
        begin = rng.uniform(least, most) if start else (least + most) / 2
        values, weights = _nearest(factors, (lows + highs) / 2, least, most, begin)
        if float(np.abs((lows + highs) / 2 - factors @ values).max()) > _FAR:
            weights = weights / (float(np.abs(weights).max()) or 1.0)
            if _short(rows, ranges, _weights(weights, units)):
                return False
        elif (found := _stepped(rows, ranges, factors, lows, highs, values)) is not None:
            return found
    return None


def _stepped(
    rows: Sequence[_Whole], ranges: Ranges, factors: Any, lows: Any, highs: Any, values: Any
) -> list[int] | None:
    """Return numbers that fit, a few steps from values that are not whole; None if there are none so near.

    Steps of one are taken while that helps, then four at once, two and two joined along one line: where many numbers
    are tied by few lines, most of what is possible is so decided.
    """
    least, most = (np.array(ends, dtype=float) for ends in zip(*ranges, strict=True))
    numbers = np.clip(np.rint(values), least, most)
    steps = np.vstack([np.zeros(len(ranges)), np.eye(len(ranges)), -np.eye(len(ranges))])
    all_adds = steps @ factors.T
    for _ in range(_MOST_CLIPPED):
        sums = factors @ numbers
        allowed = np.concatenate([[True], numbers < most, numbers > least])
        beyond = np.maximum(lows - sums - all_adds, 0).sum(axis=1) + np.maximum(sums + all_adds - highs, 0).sum(axis=1)
        best = int(np.argmin(np.where(allowed, beyond, np.inf)))
        if not best:
            break
        numbers = numbers + steps[best]
    moves, adds = steps[allowed], all_adds[allowed]
    one, other = np.triu_indices(len(moves))
    pairs, sums = adds[one] + adds[other], factors @ numbers
    for i, j in _joined(pairs, lows - sums, highs - sums):
        found = [int(x) for x in numbers + moves[one[i]] + moves[other[i]] + moves[one[j]] + moves[other[j]]]
        if all(a <= x <= b for x, (a, b) in zip(found, ranges, strict=True)) and _fits(rows, found):
            return found
    return None


def _joined(adds: Any, lows: Any, highs: Any) -> Iterator[tuple[int, int]]:
    """Walk places of rows, two by two, that together lie between all ends; some of them where they are many."""
    # Along the line that varies most, few go together.
    axis = int(np.argmax(np.ptp(adds, axis=0)))
    order = np.argsort(adds[:, axis], kind="stable")
    key = adds[order, axis]
    start = np.searchsorted(key, lows[axis] - adds[:, axis] - _SAME)
    ways = np.searchsorted(key, highs[axis] - adds[:, axis] + _SAME, side="right") - start
    done = np.cumsum(ways)
    first = 0
    while first < len(adds) and (not first or done[first - 1] < _MOST_GUESSES):
        last = max(first + 1, int(np.searchsorted(done, (done[first - 1] if first else 0) + _FEW_GUESSES)))
        own = ways[first:last]
        row = np.repeat(np.arange(first, last), own)
        column = order[np.arange(len(row)) - np.repeat(np.cumsum(own) - own, own) + start[row]]
        total = adds[row] + adds[column]
        for hit in np.flatnonzero(np.all((total >= lows - _SAME) & (total <= highs + _SAME), axis=1))[:_TRIED]:
            yield int(row[hit]), int(column[hit])
        first = last


def _nearest(factors: Any, goal: Any, least: Any, most: Any, numbers: Any) -> tuple[Any, Any]:
    """Return numbers in their ranges, not whole, whose sums come near a goal, and weights of what they miss."""
    # Wide ranges give way first.
    pulls = factors * (most - least) ** 2
    square = pulls @ factors.T
    for _ in range(_MOST_CLIPPED):
        left = goal - factors @ numbers
        weights = np.linalg.lstsq(square, left, rcond=None)[0]
        if float(np.abs(left).max()) < _SAME:
            break
        numbers = np.clip(numbers + weights @ pulls, least, most)
    return numbers, weights


def _relaxed(rows: Sequence[_Whole], ranges: Ranges) -> tuple[list[float], list[int] | None] | None:
    """Return numbers, not whole, as deep in all intervals as can be; with weights of the lines where none fit."""
    from scipy.optimize import linprog

    if not rows:
        return [float(a) for a, _ in ranges], None
    factors, lows, highs, units = _scaled(rows, ranges)
    count = len(ranges)
    ones = np.ones((len(rows), 1))
    result = linprog(
        [0.0] * count + [-1.0],
        A_ub=np.vstack([np.hstack([factors, ones]), np.hstack([-factors, ones])]),
        b_ub=np.concatenate([highs, -lows]),
        bounds=[*ranges, (None, 1)],
    )
    if result.status != 0:
        return None
    values = [float(x) for x in result.x[:count]]
    if result.x[-1] >= -1e-9:
        return values, None
    y = -result.ineqlin.marginals
    weights = y[len(rows) :] - y[: len(rows)]
    return values, _weights(weights, units)


def _weights(weights: Any, units: Sequence[int]) -> list[int]:
    """Return weights of scaled lines as those of the whole ones, whose units may be too long for floats.

    Any weights prove what they prove, so they may be rounded.
    """
    whole = max(units)
    return [int(w * _WEIGHT) * whole // unit for w, unit in zip(weights.tolist(), units, strict=True)]


def _short(rows: Sequence[_Whole], ranges: Ranges, weights: Sequence[int]) -> bool:
    """Tell exactly whether the weighted sum of the lines cannot reach what they need."""
    needed, factors = 0, [0] * len(ranges)
    for row, weight in zip(rows, weights, strict=True):
        end = row.low if weight > 0 else row.high
        if not weight or end is None:
            continue
        needed += weight * end
        factors = [total + weight * f for total, f in zip(factors, row.factors, strict=True)]
    return sum(max(f * a, f * b) for f, (a, b) in zip(factors, ranges, strict=True)) < needed


def _roundings(values: Sequence[float], ranges: Ranges) -> Iterator[list[int]]:
    """Round numbers up and down, those that are not whole in all ways while they are few."""
    nearest = [min(max(round(x), a), b) for x, (a, b) in zip(values, ranges, strict=True)]
    loose = [i for i, x in enumerate(values) if abs(x - round(x)) > 1e-6][:7]
    for up in product((0, 1), repeat=len(loose)):
        numbers = list(nearest)
        for i, more in zip(loose, up, strict=True):
            numbers[i] = min(max(floor(values[i]) + more, ranges[i][0]), ranges[i][1])
        yield numbers


def largest(lines: Sequence[Line], ranges: Ranges, goal: Sequence[Fraction]) -> Fraction:
    """Return a number that a sum of numbers times factors does not exceed while all lines hold; it need not be whole.

    The solver proposes weights for the lines; what follows from them is exact.

    Examples
    --------
    >>> one = Fraction(1)
    >>> largest([Line((one, one), None, Fraction(3, 2))], [(0, 1), (0, 1)], [one, one])
    Fraction(1, 1)
    """
    from scipy.optimize import linprog

    # Whole factors have closer ends.
    lines = [whole_line(line) or line for line in lines]
    weights = [Fraction(0)] * len(lines)
    sizes = [max((abs(f) for f in line.factors), default=Fraction(1)) or Fraction(1) for line in lines]
    rows, ends, signs = [], [], []
    for i, line in enumerate(lines):
        for end, sign in ((line.high, 1), (line.low, -1)):
            if end is not None:
                rows.append([sign * float(f / sizes[i]) for f in line.factors])
                ends.append(sign * float(end / sizes[i]))
                signs.append((i, sign))
    if rows:
        result = linprog([-float(x) for x in goal], A_ub=rows, b_ub=ends, bounds=ranges)
        if result.status == 0:
            for (i, sign), y in zip(signs, -result.ineqlin.marginals, strict=True):
                weights[i] += sign * Fraction(float(y)) / sizes[i]
    best, factors = Fraction(0), list(goal)
    for line, weight in zip(lines, weights, strict=True):
        end = line.high if weight > 0 else line.low
        if weight and end is not None:
            best += weight * end
            factors = [total - weight * f for total, f in zip(factors, line.factors, strict=True)]
    return best + sum(max(f * a, f * b) for f, (a, b) in zip(factors, ranges, strict=True))


def _listed(rows: Sequence[_Whole], ranges: Ranges, most: int) -> list[int] | bool | None:
    """Look at all: list the even numbers (of tp) and the odd ones (of tn) apart, and join them."""
    if not rows:
        return [a for a, _ in ranges]
    widest = [max(abs(a), abs(b)) for a, b in ranges]
    largest = max(sum(abs(f) * x for f, x in zip(row.factors, widest, strict=True)) for row in rows)
    if largest >= _MACHINE or any(abs(end) >= _MACHINE for row in rows for end in row[1:] if end is not None):
        return None
    sides = [range(0, len(ranges), 2), range(1, len(ranges), 2)]
    # First the side that some line ties alone: it leaves the other less.
    if not any(any(row.factors[::2]) and not any(row.factors[1::2]) for row in rows):
        sides.reverse()
    start = _side(rows, ranges, sides[0], most, None)
    if start is None:
        return None
    if not len(start[0]):
        return False
    after = _side(rows, ranges, sides[1], most, start[1])
    if after is None:
        return None
    (one, first), (other, second) = (start, after) if sides[0].start == 0 else (after, start)
    if not len(one) or not len(other):
        return False
    joint = [
        i
        for i, row in enumerate(rows)
        if any(row.factors[j] for j in sides[0]) and any(row.factors[j] for j in sides[1])
    ]
    if not joint:
        return _woven(one[0], other[0])
    found = _matched(rows, joint, first, second)
    if not isinstance(found, tuple):
        return found
    a, b = found
    return _woven(one[a], other[b])


def _woven(one: _Ints, other: _Ints) -> list[int]:
    return [int(x) for pair in zip(one, other, strict=True) for x in pair]


def _side(
    rows: Sequence[_Whole], ranges: Ranges, side: range, most: int, other: _Ints | None
) -> tuple[_Ints, _Ints] | None:
    """List the numbers of one side that can be completed, as far as each line tells, with what they add to each line.

    Number by number, with the widest range last: there a line leaves few.
    """
    order = sorted(side, key=lambda j: ranges[j][1] - ranges[j][0])
    numbers, sums = np.zeros((1, len(ranges)), dtype=np.int64), np.zeros((1, len(rows)), dtype=np.int64)
    ends = [[sorted((f * a, f * b)) for f, (a, b) in zip(row.factors, ranges, strict=True)] for row in rows]
    left, right = ([sum(end[way] for end in own) for own in ends] for way in (0, 1))
    if other is not None:
        # What the other side can add is known.
        for i, (least, largest) in enumerate(zip(other.min(axis=0).tolist(), other.max(axis=0).tolist(), strict=True)):
            left[i] = least + sum(ends[i][j][0] for j in side)
            right[i] = largest + sum(ends[i][j][1] for j in side)
    for j in order:
        a, b = ranges[j]
        low, high = np.full(len(numbers), a), np.full(len(numbers), b)
        for i, row in enumerate(rows):
            left[i] -= ends[i][j][0]
            right[i] -= ends[i][j][1]
            f = row.factors[j]
            down = None if row.low is None else row.low - right[i] - sums[:, i]
            up = None if row.high is None else row.high - left[i] - sums[:, i]
            if f < 0:
                down, up = (None if up is None else -up), (None if down is None else -down)
            if f and down is not None:
                low = np.maximum(low, -(-down // abs(f)))
            if f and up is not None:
                high = np.minimum(high, up // abs(f))
        ways = np.maximum(high - low + 1, 0)
        if int(ways.sum()) > most:
            return None
        place = np.repeat(np.arange(len(numbers)), ways)
        values = np.arange(len(place)) - np.repeat(np.cumsum(ways) - ways, ways) + low[place]
        numbers, sums = numbers[place], sums[place]
        numbers[:, j] = values
        sums = sums + values[:, None] * np.array([row.factors[j] for row in rows], dtype=np.int64)
    return numbers[:, list(side)], sums


def _matched(rows: Sequence[_Whole], joint: list[int], first: _Ints, second: _Ints) -> tuple[int, int] | bool | None:
    """Return places in two lists whose sums fit the lines that both add to."""
    first, second = first[:, joint], second[:, joint]
    at_first, at_second = first_of_alike(first), first_of_alike(second)
    first, second = first[at_first], second[at_second]
    ends = [(rows[i].low, rows[i].high) for i in joint]
    low, high = ends[0]
    key = second[:, 0]
    start = np.zeros(len(first), np.int64) if low is None else np.searchsorted(key, low - first[:, 0])
    stop = np.full(len(first), len(key)) if high is None else np.searchsorted(key, high - first[:, 0], side="right")
    ways = np.maximum(stop - start, 0)
    if int(ways.sum()) > _MOST_PAIRS:
        return None
    bounds = np.append(np.arange(0, len(first), max(1, _TOGETHER * len(first) // max(1, int(ways.sum())))), len(first))
    for a, b in pairwise(bounds):
        row = np.repeat(np.arange(a, b), ways[a:b])
        column = np.arange(len(row)) - np.repeat(np.cumsum(ways[a:b]) - ways[a:b], ways[a:b]) + start[row]
        good = np.ones(len(row), dtype=bool)
        for c, (low, high) in enumerate(ends):
            total = first[row, c] + second[column, c]
            good &= (low is None or total >= low) & (high is None or total <= high)
        if good.any():
            i = int(np.flatnonzero(good)[0])
            return int(at_first[row[i]]), int(at_second[column[i]])
    return False


def reached(
    values: Sequence[tuple[int, Sequence[Fraction]]],
    mean: tuple[Fraction, Fraction],
    distances: tuple[Fraction, Fraction],
    fits: Callable[[Fraction, Fraction], bool],
) -> list[list[int]] | bool | None:
    """Return a value for each part, as places in the lists of values, so that their sums fit; False if there is none.

    Parameters
    ----------
    values
        For each kind of part, how many there are and the values that each can have.
    mean
        Where the mean of the values must lie, ends included.
    distances
        Between what the sum of squared distances from the mean lies.
    fits
        Decides for a sum of values and a sum of squares.

    Returns
    -------
    list[list[int]] | bool | None
        None where the sums would not fit in memory.

    Examples
    --------
    >>> halves = [Fraction(0), Fraction(1, 2), Fraction(1)]
    >>> reached([(2, halves)], (Fraction(1, 2), Fraction(1, 2)), (Fraction(0), Fraction(1, 2)), lambda s, q: q == 1)
    [[0, 2]]
    """
    unit = lcm(*(value.denominator for _, own in values for value in own))
    parts = [g for g, (count, _) in enumerate(values) for _ in range(count)]
    centre = round((mean[0] + mean[1]) / 2 * unit)
    # Around the centre squares add up to what they are around the mean, and a little more.
    off = max(abs(end * unit - centre) for end in mean)
    limit = int(distances[1] * unit * unit + len(parts) * off * off) + 1
    steps = [
        [
            (place, int(value * unit) - centre)
            for place, value in enumerate(own)
            if (value * unit - centre) ** 2 <= limit
        ]
        for _, own in values
    ]
    low, high = (end * unit * len(parts) - len(parts) * centre for end in mean)
    spans = [(min((x for _, x in own), default=0), max((x for _, x in own), default=0)) for own in steps]
    if limit > _MOST_BITS or not all(steps):
        return None if all(steps) else False
    mask = (1 << (limit + 1)) - 1
    layers: list[dict[int, int]] = [{0: 1}]
    spent = 0
    for done, g in enumerate(parts):
        rest = parts[done + 1 :]
        least, largest = sum(spans[h][0] for h in rest), sum(spans[h][1] for h in rest)
        spent += len(layers[-1]) * len(steps[g])
        if spent * (1 + limit // 4096) > _MOST_STEPS:
            return None
        layer: dict[int, int] = {}
        for total, bits in layers[-1].items():
            for _, x in steps[g]:
                if low <= total + x + largest and total + x + least <= high:
                    layer[total + x] = layer.get(total + x, 0) | ((bits << (x * x)) & mask)
        layers.append({total: bits for total, bits in layer.items() if bits})
    count = len(parts)
    for total, bits in layers[-1].items():
        base = int(distances[0] * unit * unit)
        bits >>= base
        while bits:
            step = (bits & -bits).bit_length()
            square, bits, base = base + step - 1, bits >> step, base + step
            # Back from distances in units to values.
            values_sum = Fraction(total + count * centre, unit)
            squares = Fraction(square + 2 * centre * total + count * centre * centre, unit * unit)
            if fits(values_sum, squares):
                return _traced(layers, steps, parts, total, square, len(values))
    return False


def _traced(
    layers: list[dict[int, int]],
    steps: list[list[tuple[int, int]]],
    parts: list[int],
    total: int,
    square: int,
    kinds: int,
) -> list[list[int]]:
    """Walk back from a sum of values and of squares to a value of each part."""
    chosen: list[list[int]] = [[] for _ in range(kinds)]
    for done in range(len(parts) - 1, -1, -1):
        for place, x in steps[parts[done]]:
            bits = layers[done].get(total - x, 0)
            if square >= x * x and bits >> (square - x * x) & 1:
                chosen[parts[done]].append(place)
                total, square = total - x, square - x * x
                break
    return chosen
