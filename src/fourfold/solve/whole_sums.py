"""Whole numbers in ranges, tied by sums: which of them fit, decided in integers and fractions.

`solved` decides lines through a few whole numbers, such as sums of tp and of tn. A solver of linear programmes only
proposes: a solution is checked, and so is a direction that shows that there is none. `reached` decides a sum of values
and one of their squares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import ceil, floor, gcd, lcm
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from .problem import Floats
from .rows import Ints, Pairs, first_of_alike, unrolled

# Sums of tp, or of tn, that are listed at most, first and when all are looked at; and pairs of them.
_FEW_LISTED, _FEW_CELLS, _MOST_LISTED, _MOST_PAIRS = 100_000, 1_000_000, 3_000_000, 60_000_000
_TOGETHER: Final = 1 << 16
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
#: The factors of a line and both its ends.
_Closed: TypeAlias = tuple[tuple[int, ...], int, int]
#: Numbers that fit, False if it is proven that none do, None where that is not known.
Solved: TypeAlias = list[int] | Literal[False] | None


class Line(NamedTuple):
    """That a sum of numbers times factors lies in an interval; None is no end."""

    factors: tuple[Fraction | int, ...]
    low: Fraction | int | None
    high: Fraction | int | None
    low_open: bool = False
    high_open: bool = False


class Whole(NamedTuple):
    """A line with whole factors that have no common divisor, and closed ends."""

    factors: tuple[int, ...]
    low: int | None
    high: int | None


def solved(lines: Sequence[Line], ranges: Ranges, effort: float = 1.0) -> Solved:
    """Return whole numbers in their ranges that fit all lines, False if it is proven that none do, else None.

    `effort` is a share of what is usually tried.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> solved([Line((half, half), Fraction(9, 10), Fraction(11, 10))], [(0, 1), (0, 1)])
    [1, 1]
    >>> solved([Line((half, half), Fraction(6, 10), Fraction(9, 10))], [(0, 1), (0, 1)])
    False
    """
    rows = [row for line in lines if (row := whole_line(line)) is not None]
    narrowed = _narrowed(rows, ranges) if len(rows) == len(lines) else None
    if narrowed is None:
        return False
    rows, ranges = [row for row in rows if any(row.factors)], narrowed
    if (found := _guessed(rows, ranges)) is not None:
        return found
    # Lists of many numbers are wide.
    if (found := _listed(rows, ranges, min(_FEW_LISTED, _FEW_CELLS // max(len(ranges), 1)))) is not None:
        return found
    found = _branched(rows, ranges, int(_MOST_NODES * effort))
    return _listed(rows, ranges, int(_MOST_LISTED * effort)) if found is None else found


def whole_line(line: Line) -> Whole | None:
    """Return a line in whole numbers without a common divisor, with closed ends; None if it holds for none."""
    unit = lcm(*(f.denominator for f in line.factors))
    factors = [f.numerator * (unit // f.denominator) for f in line.factors]
    common = gcd(*factors)
    # A line without factors is about 0 alone.
    scale = Fraction(unit, common or 1)
    low = high = None
    if line.low is not None:
        low = floor(line.low * scale) + 1 if line.low_open else ceil(line.low * scale)
    if line.high is not None:
        high = ceil(line.high * scale) - 1 if line.high_open else floor(line.high * scale)
    if not common:
        fits = (low is None or low <= 0) and (high is None or high >= 0)
        return Whole(tuple(factors), None, None) if fits else None
    if low is not None and high is not None and low > high:
        return None
    return Whole(tuple(f // common for f in factors), low, high)


def _reach(factors: Sequence[int], ranges: Ranges) -> list[list[int]]:
    """Return the least and the most that each number adds to a line."""
    return [sorted((f * a, f * b)) for f, (a, b) in zip(factors, ranges, strict=True)]


def _closed(rows: Sequence[Whole], ranges: Ranges) -> list[_Closed]:
    """Return lines with both ends: where there is none, what they can reach."""
    closed = []
    for factors, low, high in rows:
        if low is None or high is None:
            least, most = (sum(ends) for ends in zip(*_reach(factors, ranges), strict=True))
            low, high = least if low is None else low, most if high is None else high
        closed.append((factors, low, high))
    return closed


def _between(low: Any, high: Any, factor: int) -> tuple[Any, Any]:
    """Return the least and the largest whole numbers that lie between ends when multiplied."""
    if factor < 0:
        low, high = high, low
    return -(-low // factor), high // factor


def _narrowed(rows: Sequence[Whole], ranges: Ranges) -> Ranges | None:
    """Narrow the ranges by each line in turn; None if one is empty."""
    ranges = list(ranges)
    for _ in range(8):
        before = list(ranges)
        for row in rows:
            reach = _reach(row.factors, ranges)
            least, most = sum(e[0] for e in reach), sum(e[1] for e in reach)
            low, high = least if row.low is None else row.low, most if row.high is None else row.high
            for i, f in enumerate(row.factors):
                if f:
                    a, b = _between(low - most + reach[i][1], high - least + reach[i][0], f)
                    ranges[i] = max(a, ranges[i][0]), min(b, ranges[i][1])
                    if ranges[i][0] > ranges[i][1]:
                        return None
        if ranges == before:
            break
    return None if any(a > b for a, b in ranges) else ranges


def _fits(rows: Sequence[Whole], numbers: Sequence[int]) -> bool:
    for row in rows:
        total = sum(f * x for f, x in zip(row.factors, numbers, strict=True))
        if (row.low is not None and total < row.low) or (row.high is not None and total > row.high):
            return False
    return True


def _branched(rows: Sequence[Whole], ranges: Ranges, most: int = _MOST_NODES) -> Solved:
    """Branch and bound in so many steps at most: a leaf is a solution that is checked, or has such a direction."""
    from scipy.optimize import linprog

    if not rows:
        return [a for a, _ in ranges]
    stack, nodes = [ranges], 0
    while stack:
        nodes += 1
        if nodes > most:
            return None
        own = _narrowed(rows, stack.pop())
        if own is None:
            continue
        # Numbers, not whole, as deep in all intervals as can be.
        factors, lows, highs, units = _scaled(rows, own)
        deep = np.vstack([np.hstack([sign * factors, np.ones((len(rows), 1))]) for sign in (1, -1)])
        ends = np.concatenate([highs, -lows])
        result = linprog([0.0] * len(own) + [-1.0], A_ub=deep, b_ub=ends, bounds=[*own, (None, 1)])
        if result.status != 0:
            return None
        *values, depth = result.x.tolist()
        if depth < -1e-9:
            above, below = np.split(-result.ineqlin.marginals, 2)
            if not _short(rows, own, below - above, units):
                return None
            continue
        # Rounded up and down, those that are not whole in all ways while they are few.
        nearest = [min(max(round(x), a), b) for x, (a, b) in zip(values, own, strict=True)]
        loose = [i for i, x in enumerate(values) if abs(x - round(x)) > 1e-6][:7]
        for up in product((0, 1), repeat=len(loose)):
            numbers = list(nearest)
            for i, more in zip(loose, up, strict=True):
                numbers[i] = min(max(floor(values[i]) + more, own[i][0]), own[i][1])
            if _fits(rows, numbers):
                return numbers
        if nodes == 1 and (guessed := _guessed(rows, own, _STARTS)) is not None:
            return guessed
        open_ = [i for i, (a, b) in enumerate(own) if a < b]
        if open_:
            i = max(open_, key=lambda i: (0.5 - abs(values[i] - floor(values[i]) - 0.5), own[i][1] - own[i][0]))
            cut = min(max(floor(values[i]), own[i][0]), own[i][1] - 1)
            stack += [[*own[:i], half, *own[i + 1 :]] for half in ((own[i][0], cut), (cut + 1, own[i][1]))]
    return False


def _scaled(rows: Sequence[Whole], ranges: Ranges) -> tuple[Any, Any, Any, list[int]]:
    """Return the lines as floats, each with an interval of about two, and twice the units that were taken."""
    closed = _closed(rows, ranges)
    # Whole numbers may be too long for floats, their quotients are not.
    units = [max(high - low + 1, 1) for _, low, high in closed]
    scaled = [[2 * x / unit for x in (*row[0], *row[1:])] for row, unit in zip(closed, units, strict=True)]
    *factors, lows, highs = np.array(scaled).T
    return np.array(factors).T, lows, highs, units


def _guessed(rows: Sequence[Whole], ranges: Ranges, starts: int = 1) -> Solved:
    """Return numbers that fit, near values that are not whole and meet all lines; None if that fails.

    Where no values meet all lines, what they miss is a direction that may show that none can: then False. The first
    start is the middle of the ranges, others lie anywhere.
    """
    if not rows or len(ranges) > _MOST_GUESSED:
        return None
    factors, lows, highs, units = _scaled(rows, ranges)
    goal = (lows + highs) / 2
    least, most = (np.array(ends, dtype=float) for ends in zip(*ranges, strict=True))
    # Wide ranges give way first.
    pulls = factors * (most - least) ** 2
    square = pulls @ factors.T
    rng = np.random.default_rng(0)
    for start in range(starts):
        values = rng.uniform(least, most) if start else (least + most) / 2
        for _ in range(_MOST_CLIPPED):
            left = goal - factors @ values
            weights = np.linalg.lstsq(square, left, rcond=None)[0]
            if float(np.abs(left).max()) < _SAME:
                break
            values = np.clip(values + weights @ pulls, least, most)
        if float(np.abs(goal - factors @ values).max()) > _FAR:
            weights = weights / (float(np.abs(weights).max()) or 1.0)
            if _short(rows, ranges, weights, units):
                return False
        elif (found := _stepped(rows, ranges, factors, lows, highs, values)) is not None:
            return found
    return None


def _stepped(
    rows: Sequence[Whole], ranges: Ranges, factors: Any, lows: Any, highs: Any, values: Any
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
    # Along the line that varies most, few go together.
    axis = int(np.argmax(np.ptp(pairs, axis=0)))
    _, blocks = _pairs(pairs, pairs, lows - sums - _SAME, highs - sums + _SAME, axis, _FEW_GUESSES, _MOST_GUESSES)
    for first, second in blocks:
        for i, j in zip(first[:_TRIED], second[:_TRIED], strict=True):
            found = [int(x) for x in numbers + moves[one[i]] + moves[other[i]] + moves[one[j]] + moves[other[j]]]
            if all(a <= x <= b for x, (a, b) in zip(found, ranges, strict=True)) and _fits(rows, found):
                return found
    return None


def _pairs(
    first: Any, second: Any, lows: Any, highs: Any, axis: int, together: int, most: int
) -> tuple[int, Iterator[tuple[Ints, Ints]]]:
    """Return how many rows of two lists go together along one line, and yield those that do along all.

    About so many at a time are looked at, and about so many at most.
    """
    pairs = Pairs(second[:, axis], lows[axis] - first[:, axis], highs[axis] - first[:, axis])
    done = np.concatenate([[0], np.cumsum(pairs.ways)])

    def blocks() -> Iterator[tuple[Ints, Ints]]:
        begin = 0
        while begin < len(first) and (not begin or done[begin] < most):
            end = max(begin + 1, int(np.searchsorted(done[1:], done[begin] + together)))
            row, place = unrolled(pairs.start[begin:end], pairs.ways[begin:end])
            row, column = row + begin, pairs.order[place]
            total = first[row] + second[column]
            good = np.all((total >= lows) & (total <= highs), axis=1)
            yield row[good], column[good]
            begin = end

    return pairs.total, blocks()


def _short(rows: Sequence[Whole], ranges: Ranges, weights: Floats, units: Sequence[int]) -> bool:
    """Tell exactly whether the sum of the scaled lines, each times a weight, cannot reach what they need.

    Any weights prove what they prove, so they may be rounded; units may be too long for floats.
    """
    needed, factors, whole = 0, [0] * len(ranges), max(units)
    for row, given, unit in zip(rows, weights.tolist(), units, strict=True):
        weight = int(given * _WEIGHT) * whole // unit
        end = row.low if weight > 0 else row.high
        if weight and end is not None:
            needed += weight * end
            factors = [total + weight * f for total, f in zip(factors, row.factors, strict=True)]
    return sum(most for _, most in _reach(factors, ranges)) < needed


def largest(lines: Sequence[Line], ranges: Ranges, goal: Sequence[Fraction | int]) -> Fraction:
    """Return a number that a sum of numbers times factors does not exceed while all lines hold; it need not be whole.

    The solver proposes weights for the lines; what follows from them is exact.

    Examples
    --------
    >>> one = Fraction(1)
    >>> largest([Line((one, one), None, Fraction(3, 2))], [(0, 1), (0, 1)], [one, one])
    Fraction(1, 1)
    """
    from scipy.optimize import linprog

    limits: list[tuple[Line | Whole, int, Fraction | int, Fraction]] = []
    for given in lines:
        # Whole factors have closer ends.
        line = whole_line(given) or given
        size = max((abs(Fraction(f)) for f in line.factors), default=Fraction(0)) or Fraction(1)
        limits += [(line, sign, end, size) for end, sign in ((line.high, 1), (line.low, -1)) if end is not None]
    best, factors = Fraction(0), list(goal)
    if limits:
        rows = [[sign * float(f / size) for f in line.factors] for line, sign, _, size in limits]
        highs = [sign * float(end / size) for _, sign, end, size in limits]
        result = linprog([-float(x) for x in goal], A_ub=rows, b_ub=highs, bounds=ranges)
        weights = -result.ineqlin.marginals if result.status == 0 else np.zeros(len(limits))
        for (line, sign, end, size), y in zip(limits, weights.tolist(), strict=True):
            # Any weights that are not negative prove what they prove.
            if y > 0:
                weight = sign * Fraction(y) / size
                best += weight * end
                factors = [total - weight * f for total, f in zip(factors, line.factors, strict=True)]
    return best + sum(max(f * a, f * b) for f, (a, b) in zip(factors, ranges, strict=True))


def ends(lines: Sequence[Line], ranges: Ranges, goal: Sequence[Fraction | int]) -> tuple[Fraction, Fraction]:
    """Return proven ends of a sum of numbers times factors while all lines hold."""
    return -largest(lines, ranges, [-x for x in goal]), largest(lines, ranges, goal)


def _listed(rows: Sequence[Whole], ranges: Ranges, most: int) -> Solved:
    """Look at all: list the even numbers (of tp) and the odd ones (of tn) apart, and join them."""
    if not rows:
        return [a for a, _ in ranges]
    closed = _closed(rows, ranges)
    for factors, low, high in closed:
        size = sum(max(abs(least), abs(most)) for least, most in _reach(factors, ranges))
        if max(size, abs(low), abs(high)) >= _MACHINE:
            return None
    # First the side that some line ties alone: it leaves the other less.
    ties = [(any(row.factors[::2]), any(row.factors[1::2])) for row in rows]
    lists: dict[int, tuple[Ints, Ints]] = {}
    for side in (0, 1) if (True, False) in ties else (1, 0):
        found = _side(closed, ranges, range(side, len(ranges), 2), most, lists[1 - side][1] if lists else None)
        if found is None:
            return None
        if not len(found[0]):
            return False
        lists[side] = found
    (one, first), (other, second) = lists[0], lists[1]
    joint = [i for i, both in enumerate(ties) if all(both)]
    a = b = 0
    if joint:
        first, second = first[:, joint], second[:, joint]
        at_first, at_second = first_of_alike(first), first_of_alike(second)
        lows, highs = (np.array([closed[i][end] for i in joint]) for end in (1, 2))
        total, blocks = _pairs(first[at_first], second[at_second], lows, highs, 0, _TOGETHER, _MOST_PAIRS)
        if total > _MOST_PAIRS:
            return None
        hits = next(((row[0], column[0]) for row, column in blocks if len(row)), None)
        if hits is None:
            return False
        a, b = at_first[hits[0]], at_second[hits[1]]
    return [int(x) for pair in zip(one[a], other[b], strict=True) for x in pair]


def _side(
    rows: Sequence[_Closed], ranges: Ranges, side: range, most: int, other: Ints | None
) -> tuple[Ints, Ints] | None:
    """List the numbers of one side that can be completed, as far as each line tells, with what they add to each line.

    Number by number, with the widest range last: there a line leaves few.
    """
    numbers, sums = np.zeros((1, len(ranges)), dtype=np.int64), np.zeros((1, len(rows)), dtype=np.int64)
    reach = [_reach(factors, ranges) for factors, _, _ in rows]
    # What is still to be added to each line, at least and at most; of the other side it may be known.
    still = side if other is not None else range(len(ranges))
    left, right = ([sum(own[j][way] for j in still) for own in reach] for way in (0, 1))
    if other is not None:
        left = [total + least for total, least in zip(left, other.min(axis=0).tolist(), strict=True)]
        right = [total + largest for total, largest in zip(right, other.max(axis=0).tolist(), strict=True)]
    for j in sorted(side, key=lambda j: ranges[j][1] - ranges[j][0]):
        low, high = (np.full(len(numbers), end) for end in ranges[j])
        for i, (factors, least, largest) in enumerate(rows):
            left[i], right[i] = left[i] - reach[i][j][0], right[i] - reach[i][j][1]
            if f := factors[j]:
                down, up = _between(least - right[i] - sums[:, i], largest - left[i] - sums[:, i], f)
                low, high = np.maximum(low, down), np.minimum(high, up)
        ways = np.maximum(high - low + 1, 0)
        if int(ways.sum()) > most:
            return None
        place, values = unrolled(low, ways)
        numbers = numbers[place]
        numbers[:, j] = values
        sums = sums[place] + values[:, None] * np.array([factors[j] for factors, _, _ in rows], dtype=np.int64)
    return numbers[:, list(side)], sums


def reached(
    values: Sequence[tuple[int, Sequence[Fraction]]],
    mean: tuple[Fraction, Fraction],
    distances: tuple[Fraction, Fraction],
    fits: Callable[[Fraction, Fraction], bool],
) -> list[list[int]] | Literal[False] | None:
    """Return a value for each part, as places in the lists of values, so that their sums fit; False if there is none.

    `values` are for each kind of part how many there are and the values that each can have, `mean` is where their mean
    must lie, and `distances` where the sum of squared distances from it must, ends included; `fits` decides for a sum
    of values and a sum of squares. None where the sums would not fit in memory.

    Examples
    --------
    >>> halves = [Fraction(0), Fraction(1, 2), Fraction(1)]
    >>> reached([(2, halves)], (Fraction(1, 2), Fraction(1, 2)), (Fraction(0), Fraction(1, 2)), lambda s, q: q == 1)
    [[0, 2]]
    """
    unit = lcm(*(value.denominator for _, own in values for value in own))
    parts = [g for g, (count, _) in enumerate(values) for _ in range(count)]
    count, centre = len(parts), round((mean[0] + mean[1]) / 2 * unit)
    # Around the centre squares add up to what they are around the mean, and a little more.
    off = max(abs(end * unit - centre) for end in mean)
    limit = int(distances[1] * unit * unit + count * off * off) + 1
    distant = [[(place, int(value * unit) - centre) for place, value in enumerate(own)] for _, own in values]
    steps = [[(place, x) for place, x in own if x * x <= limit] for own in distant]
    if limit > _MOST_BITS or not all(steps):
        return None if all(steps) else False
    low, high = (end * unit * count - count * centre for end in mean)
    spans = [(min(x for _, x in own), max(x for _, x in own)) for own in steps]
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
    for total, bits in layers[-1].items():
        base = int(distances[0] * unit * unit)
        bits >>= base
        while bits:
            step = (bits & -bits).bit_length()
            square, bits, base = base + step - 1, bits >> step, base + step
            # Back from distances in units to values.
            values_sum = Fraction(total + count * centre, unit)
            squares = Fraction(square + 2 * centre * total + count * centre * centre, unit * unit)
            if not fits(values_sum, squares):
                continue
            # Back from the sums of values and of squares to a value of each part.
            chosen: list[list[int]] = [[] for _ in values]
            for g, layer in zip(reversed(parts), reversed(layers[:-1]), strict=True):
                place, x = next(
                    (place, x)
                    for place, x in steps[g]
                    if square >= x * x and layer.get(total - x, 0) >> (square - x * x) & 1
                )
                chosen[g].append(place)
                total, square = total - x, square - x * x
            return chosen
    return False
