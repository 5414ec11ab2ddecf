"""The search for the smallest and the largest value of formulas on the faces of a solid, in floats.

Weights of corners are looked at by their logarithms: a value that is only approached at a corner, along some curve, is
approached there as well. From the best points of a grid the search climbs with steps that get smaller and smaller.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..formula import Formula, Program

# Weights of corners, as logarithms: dense where they are alike, and so far apart at the ends that products underflow
# nowhere and yet only one corner counts.
_ALONG: Final = (-45, -30, -20, -13, -9, -6, -4, -3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4, 6, 9, 13, 20, 30, 45)
_ACROSS: Final = (-90.0, -60, -40, -26, -18, -12, -8, -5, -3, -2, -1, -0.5, 0, 0.5, 1, 2, 4, 8)
_INWARDS: Final = (-92.0, -40, -20, -10, -6, -4, -3, -2, -1, 0, 1, 3)
_STARTS: Final = 4
_FIRST_STEP: Final = 4.0
_STEPS: Final = 40


class Climb:
    """Formulas over triangles on the faces of a solid, whose points are shares of the four cells.

    A face is cut into triangles: its middle and one of its edges each. A point has weights for these three, and one for
    the middle of the solid: a tiny one, so that nothing is divided by zero on a rim, or any where `inside` is wanted.
    """

    def __init__(self, triangles: NDArray[np.float64], formulas: Sequence[Formula], *, inside: bool) -> None:
        # Four points each: both ends of the edge, the middle of the face, the middle of all.
        self._corners = triangles
        inwards = _INWARDS if inside else _INWARDS[:1]
        self._formulas = formulas
        guards = [guard for formula in formulas for guard in formula.guards if guard.signed]
        self._owner = [i for i, formula in enumerate(formulas) for guard in formula.guards if guard.signed]
        # Long floats, where there are any: a value near a denominator that cancels loses half of its digits.
        self._kind = np.longdouble if guards else np.float64
        self._program = Program([*formulas, *guards, *(guard.unsigned for guard in guards)])
        self._grid = np.array([(a, b, c) for a in _ALONG for b in _ACROSS for c in inwards])
        self._free = 3 if inside else 2
        side = (-1, -0.5, 0, 0.5, 1)
        self._around = np.array([(a, b, c) for a in side for b in side for c in (side if self._free == 3 else (0,))])
        self._rim = np.array([_ALONG[-1], -min(_ACROSS), -min(_INWARDS)])

    def extremes(self) -> list[tuple[float, float]]:
        """Return the smallest and the largest value of each formula, nan where there is none."""
        formulas, triangles = len(self._formulas), np.arange(len(self._corners))
        values = self._values(np.repeat(triangles, len(self._grid)), np.tile(self._grid, (len(triangles), 1)))
        both = _with_signs(values).reshape(2 * formulas, len(triangles), len(self._grid))
        starts = np.argsort(-both.max(axis=2), axis=1)[:, :_STARTS]
        owner = np.repeat(np.arange(2 * formulas), starts.shape[1])
        best = self._climb(owner, starts.ravel(), self._grid[both[owner, starts.ravel()].argmax(axis=1)])
        best = best.reshape(2 * formulas, -1).max(axis=1)
        best = np.where(np.isfinite(best), best, np.nan)
        return [(-float(low), float(high)) for low, high in zip(best[:formulas], best[formulas:], strict=True)]

    def _climb(self, owner: NDArray[Any], triangles: NDArray[Any], points: NDArray[Any]) -> NDArray[Any]:
        """Climb from points as high as they lead, all at once, with steps that are halved wherever none leads higher.

        `owner` says what each climbs: the formulas with their signs changed, then as they are.
        """
        rows = np.arange(len(owner))
        best, width = np.full(len(owner), -np.inf, dtype=self._kind), np.full((len(owner), 1), _FIRST_STEP)
        peak = points.copy()
        for _ in range(_STEPS):
            around = points[:, np.newaxis] + width[:, np.newaxis] * self._around
            around = np.clip(np.concatenate([around, peak[:, np.newaxis]], axis=1), -self._rim, self._rim)
            values = self._values(np.repeat(triangles, around.shape[1]), around.reshape(-1, 3))
            own = _with_signs(values).reshape(-1, *around.shape[:2])[owner, rows]
            chosen = own.argmax(axis=1)
            highest = own[rows, chosen]
            better = highest > best
            peak = points + width * self._peaks(own[:, :-1])
            points[better], best[better] = around[rows, chosen][better], highest[better]
            width[~better] /= 2
        return best

    def _peaks(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return where parabolas through values around points have their tops, in steps; at most a few steps away.

        On a narrow ridge that runs aslant, steps along the axes alone hardly get on.
        """
        free = self._free
        x = self._around[:, :free]
        i, j = np.triu_indices(free)
        terms = np.column_stack([np.ones(len(x)), x, x[:, i] * x[:, j]])
        finite = np.isfinite(values).all(axis=1)
        fitted = np.where(finite[:, np.newaxis], values, 0).astype(np.float64) @ np.linalg.pinv(terms).T
        bends = np.zeros((len(values), free, free))
        bends[:, i, j] += fitted[:, free + 1 :]
        bends[:, j, i] += fitted[:, free + 1 :]
        # Where the bend is none, or upwards, this is some step or other: it is taken only if it leads higher.
        bends -= 1e-12 * np.abs(bends).max(axis=(1, 2), initial=1e-300)[:, np.newaxis, np.newaxis] * np.eye(free)
        steps = np.zeros((len(values), 3))
        with np.errstate(all="ignore"):
            steps[:, :free] = -np.einsum("nij,nj->ni", np.linalg.pinv(bends), fitted[:, 1 : free + 1])
        return np.clip(np.nan_to_num(steps), -3, 3)

    def _values(self, triangles: NDArray[Any], points: NDArray[Any]) -> NDArray[Any]:
        """Return the values at points of triangles, nan where a denominator nearly cancels."""
        a, b, c = points.T
        weights = np.exp(np.array([a, -a, b, c]))
        cells = np.einsum("kn,nkd->dn", weights, self._corners[triangles])
        values = self._program.over(tuple(cells), self._kind)
        values, denominators = np.split(values, [len(self._formulas)])
        guards, wholes = np.split(denominators, 2)
        for owner, guard, whole in zip(self._owner, guards, wholes, strict=True):
            values[owner, ~(np.abs(guard) > math.sqrt(np.finfo(self._kind).eps) * whole)] = np.nan
        return values


def _with_signs(values: NDArray[Any]) -> NDArray[Any]:
    """Return values with their signs changed, then as they are, to be made large; nan is never large."""
    both = np.concatenate([-values, values])
    both[np.isnan(both)] = -np.inf
    return both
