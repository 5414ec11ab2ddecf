"""Approximations of a law: the paper's two, repaired, and drawing at random. Each names itself in the result."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from ...chance.draws import Source
from ...chance.laws import Classes, Law, Split, classes_of
from ...errors import InputError
from ...exact import CELLS, Formula
from ...exact.surd import Exact
from ...metrics import Metric
from ...table import Tables

_MOST_DRAWS: Final = 100_000_000
# Draws at a time: memory does not grow with their number.
_DRAWN_TOGETHER: Final = 1 << 18
# Values this close to a score, relative to its size, are compared exactly.
_CLOSE: Final = 1e-11


def normal(law: Law, value: Exact | None) -> tuple[Split | None, str]:
    """Approximate by a normal law (001 eq. 5, with the size it lacks and the correction it drops).

    Where the metric moves in even steps, half a step is added. Elsewhere its spread comes from its slopes at the
    reference (the delta method), and the chance of the very same score is taken as nothing.
    """
    from scipy import special

    classes = classes_of(law.formula)
    even = classes is not None and len({w for w, _ in _kinds(classes)}) == 1
    used = "normal, corrected for steps" if even else "normal, by the delta method"
    if value is None or not law.size:
        return None, used
    centre, spread = _centre_and_spread(law.formula, law.source, law.size)
    if centre is None or spread is None:
        return None, used
    scale = math.sqrt(law.size) / spread if spread else math.inf
    half = _half_step(classes, law.size) if even and classes is not None else 0.0
    below = special.ndtr((float(value) - half - centre) * scale) if spread else float(float(value) > centre)
    above = special.ndtr((centre - float(value) - half) * scale) if spread else float(float(value) < centre)
    return Split(float(below), max(0.0, 1.0 - float(below) - float(above)), float(above)), used


def _kinds(classes: Classes) -> list[tuple[int, int]]:
    """Return the weights of denominator and numerator of each class that has cells."""
    parts = (classes.first, classes.second, classes.others)
    return [(b, a) for part, a, b in zip(parts, classes.top, classes.bottom, strict=True) if part]


def _half_step(classes: Classes, size: int) -> float:
    tops = [a for _, a in _kinds(classes)]
    step = math.gcd(*(a - tops[0] for a in tops[1:]))
    return step / (2 * size * classes.bottom[0])


def _centre_and_spread(formula: Formula, source: Source, size: int) -> tuple[float | None, float | None]:
    """Return the metric of the reference's shares and the spread of one draw around it.

    An uncertain reference adds its own spread: that of a Dirichlet-multinomial number over that of a multinomial one.
    """
    whole = source.weight(CELLS)
    shares = {name: weight / whole for name, weight in zip(CELLS, source.weights, strict=True)}
    wider = float((whole + size) / (whole + 1)) if source.uncertain else 1.0
    exact = formula.exact(shares)
    if exact is None:
        return None, None
    weights = {name: float(share) for name, share in shares.items()}
    with np.errstate(all="ignore"):
        slopes = formula.gradient(weights)
    mean = sum(weights[name] * slope for name, slope in slopes.items())
    square = sum(weights[name] * slope**2 for name, slope in slopes.items() if weights[name])
    spread = math.sqrt(max(square - mean**2, 0.0) * wider)
    return float(exact), spread if math.isfinite(spread) else None


def beta(law: Law, value: Exact | None) -> tuple[Split | None, str]:
    """Approximate a joint ratio by a beta law (001 eq. 11, with the reference it lacks and no pseudo-count)."""
    from scipy import special

    used = "beta, without pseudo-counts"
    classes = classes_of(law.formula)
    if classes is None or law.method != "joint ratio" or (classes.top[1], classes.top[0]) != (0, classes.bottom[0]):
        hint = "leave the method out: the exact law is at hand"
        raise InputError("bad_option", "method", f"takes only joint ratios, not {law.metric.id}", "beta", hint)
    a, b = (law.size * float(law.source.weight(cells)) for cells in (classes.first, classes.second))
    if value is None or not a or not b:
        return None, used
    below = float(special.betainc(a, b, min(max(float(value), 0.0), 1.0)))
    return Split(below, 0.0, 1.0 - below), used


def monte_carlo(
    metric: Metric, size: int, source: Source, value: Exact | None, rng: np.random.Generator, draws: int
) -> tuple[Split | None, float, str]:
    """Count how many of some drawn tables score below, at and above a value."""
    if not 0 < draws <= _MOST_DRAWS:
        raise InputError("bad_option", "draws", f"must be 1 to {_MOST_DRAWS}", draws, "100000 is usual")
    used = f"monte carlo, {draws} draws"
    counts = np.zeros(4)
    for start in range(0, draws, _DRAWN_TOGETHER):
        counts += _sides(metric, source.sample(size, min(_DRAWN_TOGETHER, draws - start), rng), value)
    missing, *sides = counts / draws
    if value is None or missing == 1:
        return None, float(missing), used
    return Split(*(float(side / (1 - missing)) for side in sides)), float(missing), used


def _sides(metric: Metric, tables: Tables, value: Exact | None) -> np.ndarray:
    """Count undefined values and those below, at and above a number; close calls are made exactly."""
    values = metric.formula.evaluate(tables.cells())
    missing = np.isnan(values)
    if value is None:
        return np.array([missing.sum(), 0, 0, 0])
    centre = float(value)
    off = values - centre
    close = np.flatnonzero(np.abs(off) <= _CLOSE * (1 + abs(centre)))
    columns = np.stack([tables.cells()[name][close] for name in CELLS])
    kinds, place = np.unique(columns, axis=1, return_inverse=True)
    signs = []
    for cell in kinds.T.tolist():
        exact = metric.formula.exact(dict(zip(CELLS, cell, strict=True)))
        signs.append(0 if exact is None else (exact > value) - (exact < value))
    off[close] = np.array(signs, dtype=np.float64)[place.ravel()] if len(close) else []
    return np.array([missing.sum(), (off < 0).sum(), (off == 0).sum(), (off > 0).sum()])
