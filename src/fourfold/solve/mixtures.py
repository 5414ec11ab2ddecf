"""Sums over parts as points: every part has some tables, a table is a point, and the sum must lie in a box.

Were tables divisible, the sums would fill a convex body: a linear programme tells whether it meets the box. If not, its
dual is a direction in which all sums stay short of the box. That is a proof, and it is checked without the solver: the
direction is rounded, and the largest sum along it is compared with the box in floats where that is clear and exactly
where it is not. If the body meets the box, the programme's mixture of tables is where a search for whole ones starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from ..exact.surd import Exact
from .problem import TRUSTED, Cells, Floats, Part, larger

# Directions are rounded to so many binary digits: their sums are then proven by short numbers.
_DIGITS: Final = 20
# A programme starts with so many tables of each part beside the extreme ones.
_SAMPLED: Final = 48
_MOST_ROUNDS: Final = 60

#: Tables of each part with their amounts, whose sum is in the box as far as floats tell.
Mixture: TypeAlias = list[dict[int, float]]


class Coordinate(NamedTuple):
    """One sum over parts: what each table adds, in floats and exactly, and where the sum must lie."""

    values: tuple[Floats, ...]
    exact: Callable[[int, Cells], Exact]
    low: Fraction | None = None
    high: Fraction | None = None
    low_open: bool = False
    high_open: bool = False


class Sums:
    """Parts with their tables, and the box for sums over the parts."""

    def __init__(self, choices: list[Part], coordinates: list[Coordinate]) -> None:
        self.choices, self.coordinates = choices, coordinates
        self.counts = np.array([choice.count for choice in choices], dtype=float)
        self.points: list[Floats] = [
            np.column_stack([c.values[g] for c in coordinates]) if coordinates else np.zeros((len(choice), 0))
            for g, choice in enumerate(choices)
        ]

    @cached_property
    def reach(self) -> tuple[Floats, Floats]:
        """The least and the largest value of each coordinate in each part: a row for each kind of part."""
        return np.array([p.min(axis=0) for p in self.points]), np.array([p.max(axis=0) for p in self.points])

    @cached_property
    def doubt(self) -> Floats:
        """How far sums of floats may be off, by coordinate."""
        least, most = self.reach
        size = self.counts @ np.maximum(np.abs(least), np.abs(most))
        ends = [max(abs(float(c.low or 0)), abs(float(c.high or 0))) for c in self.coordinates]
        return np.asarray(TRUSTED * (size + np.array(ends)))

    @cached_property
    def box(self) -> tuple[Floats, Floats]:
        """The box in floats; where a sum has no end, what it can reach."""
        least, most = (self.counts @ ends for ends in self.reach)
        low = [least[i] if c.low is None else float(c.low) for i, c in enumerate(self.coordinates)]
        high = [most[i] if c.high is None else float(c.high) for i, c in enumerate(self.coordinates)]
        return np.array(low), np.array(high)

    @cached_property
    def units(self) -> Floats:
        """Half the width of the box, or a little where it has none: what distances are measured in."""
        least, most = (self.counts @ ends for ends in self.reach)
        low, high = self.box
        return np.maximum((high - low) / 2, 1e-8 * (most - least) + 1e-12)

    def at(self, places: Sequence[Any]) -> Sums:
        """Return the sums with some of the tables of each part."""
        choices = [choice.at(kept) for choice, kept in zip(self.choices, places, strict=True)]
        values = [tuple(v[kept] for v, kept in zip(c.values, places, strict=True)) for c in self.coordinates]
        return Sums(choices, [c._replace(values=own) for c, own in zip(self.coordinates, values, strict=True)])

    def narrowed(self) -> Sums | None:
        """Leave out tables that bring some sum out of its interval whatever the others are; None if none are left."""
        sums = self
        for rounds_left in range(4, -1, -1):
            if not all(map(len, sums.choices)):
                return None
            if not rounds_left or not sums.coordinates:
                break
            (least, most), (low, high) = sums.reach, sums.box
            room_up = sums.counts @ most - low + sums.doubt
            room_down = high - sums.counts @ least + sums.doubt
            kept = [
                ((most[g] - p <= room_up) & (p - least[g] <= room_down)).all(axis=1) for g, p in enumerate(sums.points)
            ]
            if all(k.all() for k in kept):
                break
            sums = sums.at(kept)
        return sums

    def proves(self, weights: Floats) -> bool:
        """Tell whether all sums stay short of the box along a direction, exactly where floats do not tell."""
        if not np.isfinite(weights).all() or not weights.any():
            return False
        mantissa, exponent = np.frexp(weights)
        rounded = np.ldexp(np.round(np.ldexp(mantissa, _DIGITS)), exponent - _DIGITS)
        needed, opened, used = Fraction(0), False, []
        for i, c in enumerate(self.coordinates):
            end, end_open = (c.low, c.low_open) if rounded[i] > 0 else (c.high, c.high_open)
            if end is None:
                rounded[i] = 0.0
            elif rounded[i]:
                used.append((Fraction(rounded[i]), c))
                needed += used[-1][0] * end
                opened |= end_open
        along = [p @ rounded for p in self.points]
        largest = float(sum(k * values.max() for k, values in zip(self.counts, along, strict=True)))
        doubt = float(np.abs(rounded) @ self.doubt)
        if largest + doubt < float(needed) or largest - doubt > float(needed):
            return largest < float(needed)
        total: Exact = Fraction(0)
        for g, (values, choice) in enumerate(zip(along, self.choices, strict=True)):
            near = np.flatnonzero(values >= values.max() - doubt)
            if len(near) > 64:
                return False
            tables = [choice.table(int(i)) for i in near]
            total += (
                max(sum((c.exact(g, t) * weight for weight, c in used), Fraction(0)) for t in tables) * choice.count
            )
        return not larger(total, needed) if opened else larger(-total, -needed)

    def mixed(self) -> Mixture | Literal[False] | None:
        """Return a mixture in the box, False if it is proven that there is none, None where floats do not tell."""
        if not self.coordinates:
            return [{0: float(k)} for k in self.counts]
        for solution in _rounds(self):
            result, weights, columns = solution
            if result.status != 0:
                return None
            if result.x[-1] <= -0.5:
                break
            if result.x[-1] > 0 and self.proves(weights):
                return False
        amounts = iter(result.x.tolist())
        mixture = [{place: next(amounts) for place in places} for places in columns]
        return [{place: x for place, x in own.items() if x > 1e-9} for own in mixture]

    def largest(self, goal: Sequence[Floats]) -> float:
        """Return a number that a sum of other values does not exceed while all sums lie in the box.

        Infinite where the programme finds none. For any weights the goal is at most that of ``goal + weights * point``
        less the least of the weights over the box; it is rounded outward.
        """
        best, (low, high) = np.inf, self.box
        for result, weights, _ in _rounds(self, goal):
            if result.status != 0:
                break
            taken = float(np.where(weights > 0, weights * low, weights * high).sum())
            total, size = -taken, abs(taken) + float(np.abs(weights) @ self.doubt) / TRUSTED
            for count, own, points in zip(self.counts, goal, self.points, strict=True):
                total += float(count * (own + points @ weights).max())
                size += float(count * np.abs(own).max())
            best = min(best, total + TRUSTED * size)
        return best

    def ends(self, goal: Sequence[Floats]) -> tuple[float, float]:
        """Return proven ends of a sum of other values while all sums lie in the box."""
        return -self.largest([-own for own in goal]), self.largest(goal)


def _rounds(sums: Sums, goal: Sequence[Floats] | None = None) -> Iterator[tuple[Any, Floats, list[list[int]]]]:
    """Yield solutions of the linear programme of mixtures, whose columns are brought in as its dual asks for them.

    With each solution comes its dual as a direction, positive where the low end binds, and the tables of each part.
    Without a goal one distance from the box for all sums is made least; towards a goal what lies outside of the box
    costs much, so that there is always a solution.
    """
    from scipy.optimize import linprog

    deepest, (low, high), units = goal is None, sums.box, sums.units
    goal = [np.zeros(len(choice)) for choice in sums.choices] if goal is None else goal
    scale = 1.0 if deepest else 1 + max(float(np.abs(own).max()) for own in goal)
    has_low = np.array([c.low is not None for c in sums.coordinates], dtype=bool)
    has_high = np.array([c.high is not None for c in sums.coordinates], dtype=bool)
    ends, split = np.concatenate([(high / units)[has_high], (-low / units)[has_low]]), int(has_high.sum())
    outside = -np.ones((len(ends), 1)) if deepest else -np.eye(len(ends))
    columns: list[list[int]] = []
    for g, points in enumerate(sums.points):
        places = np.arange(len(points))
        if len(points) > 2 * _SAMPLED:
            spread = np.random.default_rng(g).choice(len(points), _SAMPLED, replace=False)
            places = np.unique(np.concatenate([points.argmin(axis=0), points.argmax(axis=0), spread]))
        columns.append(places.tolist())
    for left in range(_MOST_ROUNDS - 1, -1, -1):
        scaled = [p[own] / units for p, own in zip(sums.points, columns, strict=True)]
        rows = np.vstack([np.hstack([own[:, has_high], -own[:, has_low]]) for own in scaled]).T
        costs = -np.concatenate([values[own] for values, own in zip(goal, columns, strict=True)])
        group = np.repeat(np.arange(len(columns)), [len(own) for own in columns])
        equal = (group == np.arange(len(columns))[:, None]).astype(float)
        cost, least = (1.0, -0.8) if deepest else (1e3 * (1 + float(np.abs(costs).max())), 0)
        bounds: list[Any] = [(0, None)] * len(group) + [(least, None)] * outside.shape[1]
        result = linprog(
            np.concatenate([costs, np.full(outside.shape[1], cost)]), A_ub=np.hstack([rows, outside]), b_ub=ends,
            A_eq=np.hstack([equal, np.zeros((len(equal), outside.shape[1]))]), b_eq=sums.counts, bounds=bounds,
        )  # fmt: skip
        weights = np.zeros(len(units))
        if result.status == 0:
            y = -result.ineqlin.marginals
            weights[has_high] -= y[:split] / units[has_high]
            weights[has_low] += y[split:] / units[has_low]
        yield result, weights, columns
        more = False
        for g, points in enumerate(sums.points) if left and result.status == 0 else ():
            along = points @ weights + goal[g]
            best = np.argpartition(along, -3)[-3:] if len(along) > 3 else np.arange(len(along))
            wanted = best[along[best] + result.eqlin.marginals[g] > 1e-8 * scale].tolist()
            new = [place for place in wanted if place not in columns[g]]
            columns[g] += new
            more |= bool(new)
        if not more:
            return
