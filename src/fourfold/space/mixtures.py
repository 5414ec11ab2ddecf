"""Sums over parts as points: every part has some tables, a table is a point, and the sum must lie in a box.

Were tables divisible, the sums would fill a convex body: a linear programme tells whether it meets the box. If not, its
dual is a direction in which all sums stay short of the box. That is a proof, and it is checked without the solver: the
direction is rounded, and the largest sum along it is compared with the box in floats where that is clear and exactly
where it is not. If the body meets the box, the programme's mixture of tables is where a search for whole ones starts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from ..surd import Exact
from .problem import TRUSTED, Cells, Floats, Part, larger
from .rows import first_of_alike

# Directions are rounded to so many binary digits: their sums are then proven by short numbers.
_DIGITS: Final = 20
# A programme starts with so many tables of each part beside the extreme ones.
_SAMPLED: Final = 48
_MOST_ROUNDS: Final = 60


class Coordinate(NamedTuple):
    """One sum over parts: what each table adds, in floats and exactly, and where the sum must lie."""

    values: tuple[Floats, ...]
    exact: Callable[[int, Cells], Exact]
    low: Fraction | None = None
    high: Fraction | None = None
    low_open: bool = False
    high_open: bool = False

    def at(self, places: Sequence[Any]) -> Coordinate:
        """Return the coordinate of some of the tables."""
        return self._replace(values=tuple(v[kept] for v, kept in zip(self.values, places, strict=True)))


class Direction(NamedTuple):
    """A proof that no sum lies in the box: along these weights all sums stay short of it."""

    weights: tuple[Fraction, ...]
    largest: float
    needed: float


class Mixture(NamedTuple):
    """Tables of each part with their amounts, whose sum is in the box as far as floats tell."""

    amounts: tuple[dict[int, float], ...]
    #: How deep in the box the sum lies; at least 0 where it is inside.
    depth: float


@dataclass
class Sums:
    """Parts with their tables, and the box for sums over the parts."""

    choices: list[Part]
    coordinates: list[Coordinate]
    points: list[Floats] = field(init=False)

    def __post_init__(self) -> None:
        self.counts = np.array([choice.count for choice in self.choices], dtype=float)
        self.points = [
            np.column_stack([c.values[g] for c in self.coordinates]) if self.coordinates else np.zeros((len(choice), 0))
            for g, choice in enumerate(self.choices)
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
        return Sums(choices, [c.at(places) for c in self.coordinates])

    def tied(self, *more: Coordinate) -> Sums:
        """Return the sums with more coordinates."""
        return Sums(self.choices, [*self.coordinates, *more])

    def narrowed(self) -> Sums | None:
        """Leave out tables that bring some sum out of its interval whatever the others are; None if none are left."""
        sums = self
        for _ in range(4):
            if not all(len(choice) for choice in sums.choices):
                return None
            if not sums.coordinates:
                return sums
            least, most = sums.reach
            low, high = sums.box
            room_up = sums.counts @ most - low + sums.doubt
            room_down = high - sums.counts @ least + sums.doubt
            kept = [
                ((most[g] - p <= room_up) & (p - least[g] <= room_down)).all(axis=1) for g, p in enumerate(sums.points)
            ]
            if all(k.all() for k in kept):
                return sums
            sums = sums.at(kept)
        return sums if all(len(choice) for choice in sums.choices) else None

    def without_twins(self) -> Sums:
        """Leave out tables that add the same to every sum as another; values must be told apart by floats."""
        kept = [np.sort(first_of_alike(np.round(p, 11))) for p in self.points]
        return self.at(kept)

    def proof(self, weights: Floats) -> Direction | None:
        """Return a direction as a proof if it is one: rounded, and compared exactly where floats do not tell."""
        if not np.isfinite(weights).all() or not weights.any():
            return None
        mantissa, exponent = np.frexp(weights)
        rounded = np.ldexp(np.round(np.ldexp(mantissa, _DIGITS)), exponent - _DIGITS)
        for i, c in enumerate(self.coordinates):
            if (rounded[i] > 0 and c.low is None) or (rounded[i] < 0 and c.high is None):
                rounded[i] = 0.0
        exact = [Fraction(w) for w in rounded]
        needed, opened = Fraction(0), False
        for weight, c in zip(exact, self.coordinates, strict=True):
            end = c.low if weight > 0 else c.high
            if weight and end is not None:
                needed += weight * end
                opened |= c.low_open if weight > 0 else c.high_open
        along = [p @ rounded for p in self.points]
        largest = float(sum(k * values.max() for k, values in zip(self.counts, along, strict=True)))
        doubt = float(np.abs(rounded) @ self.doubt)
        if largest + doubt < float(needed):
            return Direction(tuple(exact), largest, float(needed))
        if largest - doubt <= float(needed) and self._exactly_short(exact, along, doubt, needed, opened=opened):
            return Direction(tuple(exact), largest, float(needed))
        return None

    def _exactly_short(
        self, weights: list[Fraction], along: list[Floats], doubt: float, needed: Fraction, *, opened: bool
    ) -> bool:
        total: Exact = Fraction(0)
        for g, values in enumerate(along):
            near = np.flatnonzero(values >= values.max() - doubt)
            if len(near) > 64:
                return False
            total = total + max(self._exactly_along(g, int(i), weights) for i in near) * self.choices[g].count
        return larger(-total, -needed) if not opened else not larger(total, needed)

    def _exactly_along(self, g: int, place: int, weights: list[Fraction]) -> Exact:
        table = self.choices[g].table(place)
        total: Exact = Fraction(0)
        for weight, c in zip(weights, self.coordinates, strict=True):
            if weight:
                total = total + c.exact(g, table) * weight
        return total

    def mixed(self) -> Mixture | Direction | None:
        """Return a mixture in the box, a proof that there is none, or None where floats do not tell."""
        if not self.coordinates:
            return Mixture(tuple({0: float(k)} for k in self.counts), 1.0)
        return _Programme(self).solved()

    def largest(self, goal: Sequence[Floats]) -> float:
        """Return a number that a sum of other values does not exceed while all sums lie in the box.

        Infinite where the programme finds none.
        """
        return _Programme(self, list(goal)).bound()


class _Programme:
    """The linear programme of mixtures, whose columns are brought in as its dual asks for them."""

    def __init__(self, sums: Sums, goal: list[Floats] | None = None) -> None:
        self.sums, self.goal = sums, goal
        low, high = sums.box
        self.units = sums.units
        self.low = np.array([c.low is not None for c in sums.coordinates], dtype=bool)
        self.high = np.array([c.high is not None for c in sums.coordinates], dtype=bool)
        self.ends = np.concatenate([high[self.high] / self.units[self.high], -low[self.low] / self.units[self.low]])
        self.columns: list[list[int]] = [self._first(g) for g in range(len(sums.choices))]

    def _first(self, g: int) -> list[int]:
        points = self.sums.points[g]
        if len(points) <= 2 * _SAMPLED:
            return list(range(len(points)))
        extreme = np.concatenate([points.argmin(axis=0), points.argmax(axis=0)])
        spread = np.random.default_rng(g).choice(len(points), _SAMPLED, replace=False)
        return [int(i) for i in np.unique(np.concatenate([extreme, spread]))]

    def _solve(self) -> Any:
        from scipy.optimize import linprog

        blocks, group, costs = [], [], []
        for g, places in enumerate(self.columns):
            scaled = self.sums.points[g][places] / self.units
            blocks.append(np.hstack([scaled[:, self.high], -scaled[:, self.low]]))
            group += [g] * len(places)
            if self.goal is not None:
                costs += (-self.goal[g][places]).tolist()
        count = len(group)
        rows = np.vstack(blocks).T
        equal = np.zeros((len(self.sums.choices), count))
        equal[group, np.arange(count)] = 1.0
        bounds: list[Any] = [(0, None)] * count
        if self.goal is None:
            costs = [0.0] * count + [1.0]
            rows = np.hstack([rows, -np.ones((len(rows), 1))])
            equal = np.hstack([equal, np.zeros((len(equal), 1))])
            bounds.append((-0.8, None))
        else:
            # What lies outside of the box costs much, so that there is always a solution.
            much = 1e3 * (1 + max(abs(c) for c in costs))
            rows = np.hstack([rows, -np.eye(len(rows))])
            equal = np.hstack([equal, np.zeros((len(equal), len(rows)))])
            costs += [much] * len(rows)
            bounds += [(0, None)] * len(rows)
        return linprog(costs, A_ub=rows, b_ub=self.ends, A_eq=equal, b_eq=self.sums.counts, bounds=bounds)

    def _weights(self, result: Any) -> Floats:
        """Return the dual as a direction: positive where the low end binds."""
        y = -result.ineqlin.marginals
        weights = np.zeros(len(self.units))
        split = int(self.high.sum())
        weights[self.high] -= y[:split] / self.units[self.high]
        weights[self.low] += y[split:] / self.units[self.low]
        return weights

    def _priced(self, weights: Floats, duals: Floats, scale: float) -> bool:
        """Bring in the tables that the dual asks for; tell whether there are any."""
        more = False
        for g, points in enumerate(self.sums.points):
            along = points @ weights
            if self.goal is not None:
                along = along + self.goal[g]
            best = np.argpartition(along, -3)[-3:] if len(along) > 3 else np.arange(len(along))
            known = set(self.columns[g])
            new = [int(i) for i in best if along[i] + duals[g] > 1e-8 * scale and int(i) not in known]
            self.columns[g] += new
            more |= bool(new)
        return more

    def solved(self) -> Mixture | Direction | None:
        result = None
        for _ in range(_MOST_ROUNDS):
            result = self._solve()
            if result.status != 0:
                return None
            if result.x[-1] <= -0.5:
                break
            weights = self._weights(result)
            if result.x[-1] > 0 and (proof := self.sums.proof(weights)):
                return proof
            if not self._priced(weights, result.eqlin.marginals, 1.0):
                break
        assert result is not None
        amounts, start = [], 0
        for places in self.columns:
            own = result.x[start : start + len(places)]
            amounts.append({place: float(x) for place, x in zip(places, own, strict=True) if x > 1e-9})
            start += len(places)
        return Mixture(tuple(amounts), -float(result.x[-1]))

    def bound(self) -> float:
        assert self.goal is not None
        best = np.inf
        for _ in range(_MOST_ROUNDS):
            result = self._solve()
            if result.status != 0:
                return best
            weights = self._weights(result)
            best = min(best, self._proven(weights))
            scale = 1 + max(float(np.abs(values).max()) for values in self.goal)
            if not self._priced(weights, result.eqlin.marginals, scale):
                break
        return best

    def _proven(self, weights: Floats) -> float:
        """Return what the goal cannot exceed by this direction, rounded outward.

        For any weights the goal is at most that of ``goal + weights * point`` less the least of the weights over the
        box.
        """
        assert self.goal is not None
        low, high = self.sums.box
        taken = float(np.where(weights > 0, weights * low, weights * high).sum())
        size = abs(taken) + float(np.abs(weights) @ self.sums.doubt) / TRUSTED
        total = -taken
        for g, points in enumerate(self.sums.points):
            along = self.goal[g] + points @ weights
            total += float(self.sums.counts[g] * along.max())
            size += float(self.sums.counts[g] * np.abs(self.goal[g]).max())
        return total + TRUSTED * size
