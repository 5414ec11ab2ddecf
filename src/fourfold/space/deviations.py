"""A mean and a deviation of one score over parts, decided by the sums of values and of squares that can be reached.

Values are whole numbers in a common unit, such as cases that were right. Seen from near the mean they are small, and so
are their squares: for each sum, one whole number holds as bits which sums of squares are reached.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm

# Steps of the table of sums, each a shift of a long number, and the longest such number.
_MOST_STEPS, _MOST_BITS = 3_000_000, 4_000_000


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
    [[2, 0]]
    """
    unit = lcm(*(value.denominator for _, own in values for value in own))
    parts = [g for g, (count, _) in enumerate(values) for _ in range(count)]
    centre = round((mean[0] + mean[1]) / 2 * unit)
    # Around the centre squares add up to what they are around the mean, and a little more.
    off = max(abs(end * unit - centre) for end in mean)
    limit = int(distances[1] * unit * unit + len(parts) * off * off) + 1
    steps = [
        [(place, int(value * unit) - centre) for place, value in enumerate(own) if (value * unit - centre) ** 2 <= limit]
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
        layer: dict[int, int] = {}
        for total, bits in layers[-1].items():
            for _, x in steps[g]:
                if low <= total + x + largest and total + x + least <= high:
                    layer[total + x] = layer.get(total + x, 0) | ((bits << (x * x)) & mask)
        spent += len(layers[-1]) * len(steps[g])
        if spent * (1 + limit // 4096) > _MOST_STEPS:
            return None
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
    layers: list[dict[int, int]], steps: list[list[tuple[int, int]]], parts: list[int], total: int, square: int, kinds: int
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
