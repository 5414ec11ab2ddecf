"""Counting the tables in a polygon without walking its rows.

Between two half-planes the number of tables in a row is a difference of floors of affine forms. Sums of such floors
follow the steps of Euclid's algorithm, so that a set of 10^10 tables is counted as fast as one of ten.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .region import Constraint, Plane, half_planes, tp_range

#: ``(a, c, m)`` stands for ``floor((a x + c) / m)``.
Line = tuple[int, int, int]


def count_fitting(constraints: Sequence[Constraint], positives: int, negatives: int) -> tuple[int, int] | None:
    """Return how many tables fit claims that are all half-planes, and in how many rows they may be.

    None where tables with a zero cell are among them: they may be undefined for one of the claims, which only a walk
    over the rows can tell.
    """
    if not all(metric.formula.flat for metric, _ in constraints):
        return None
    planes = half_planes(constraints, positives, negatives)
    first, last = tp_range(planes, positives, negatives)
    if first > last:
        return 0, 0
    if first == 0 or last == positives:
        return None
    upper = _sum_of_least(_lines(planes, -1), (0, negatives, 1), first, last)
    # A smallest tn is minus the floor of minus it: both ends are the least of some floors.
    lower = _sum_of_least(_lines(planes, 1), (0, 0, 1), first, last)
    if upper is None or lower is None:
        return None
    return upper + lower + last - first + 1, last - first + 1


def _lines(planes: Sequence[Plane], sign: int) -> list[Line]:
    return [(a, c, abs(b)) for a, b, c in planes if b * sign > 0]


def _sum_of_least(lines: list[Line], rim: Line, first: int, last: int) -> int | None:
    """Return the sum over x of the least of some floors; None where one reaches the rim of the box."""
    total, x = 0, first
    while x <= last:
        # The lowest line here, and of several the one that stays lowest to the right.
        a, c, m = min(
            lines, key=lambda line: (Fraction(line[0] * x + line[1], line[2]), Fraction(line[0], line[2])), default=rim
        )
        # The last places where it is not above those of smaller slope.
        crossings = [(d * m - c * k) // (a * k - b * m) for b, d, k in lines if b * m < a * k]
        end = max(x, min([last, *crossings]))
        if any((a * at + c) // m >= rim[1] for at in (x, end)):
            return None
        total += _floor_sum(end - x + 1, m, a, a * x + c)
        x = end + 1
    return total


def _floor_sum(count: int, m: int, a: int, b: int) -> int:
    """Return the sum of ``floor((a i + b) / m)`` for i from 0 to count - 1."""
    total = 0
    while count > 0:
        total += count * (count - 1) // 2 * (a // m) + count * (b // m)
        a, b = a % m, b % m
        top = a * count + b
        if top < m:
            break
        count, m, a, b = top // m, a, m, top % m
    return total
