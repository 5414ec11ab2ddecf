"""Plans: exact power over all sizes, beside a simulation at one size, and how far normal approximations are off."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

import fourfold as ff
from fourfold.chance.power import conditional_power

from .timing import alone, compare, seconds

# Scores of a group and its reference.
PAIRS = ((0.60, 0.80), (0.85, 0.95), (0.90, 0.99), (0.20, 0.60), (0.75, 0.80))
ALPHA, POWER = 0.05, 0.8


def run() -> None:
    """Time plans, and print what approximations ask for."""
    _times()
    for group, reference in PAIRS:
        _approximations(group, reference)


def _times(draws: int = 10_000) -> None:
    found = ff.plan("recall", group=0.6, reference=0.8, prevalence=0.3)
    assert found.cases is not None
    ours = seconds(lambda: ff.plan("recall", group=0.6, reference=0.8, prevalence=0.3))
    what = f"power of {len(found.curve)} sizes, exact"
    drawn = len(found.curve) * seconds(lambda: _drawn(found.cases or 0, draws))
    compare(what, ours, "drawing each", drawn, f"{draws} draws keep two digits")
    alone(
        "power of one size, exact", seconds(lambda: conditional_power(np.array([90]), np.array([90]), 0.6, 0.8, ALPHA))
    )
    large = seconds(lambda: ff.plan("accuracy", group=0.79, reference=0.80), 1)
    alone("plan of a difference of 0.01", large, "25,779 cases")


def _drawn(cases: int, draws: int) -> float:
    rng = np.random.default_rng(0)
    k = rng.binomial(cases, 0.3, draws)
    x, y = rng.binomial(k, 0.6), rng.binomial(k, 0.8)
    tails = np.minimum(stats.hypergeom.cdf(x, 2 * k, k, x + y), stats.hypergeom.sf(x - 1, 2 * k, k, x + y))
    return float(np.mean(2 * tails <= ALPHA))


def _approximations(group: float, reference: float) -> None:
    """Print the sizes that formulas ask for in each of two equal groups, with the power that they have in truth."""
    z, z_power = stats.norm.ppf(1 - ALPHA / 2), stats.norm.ppf(POWER)
    mean, gap = (group + reference) / 2, abs(group - reference)
    spread = z * math.sqrt(2 * mean * (1 - mean))
    spread += z_power * math.sqrt(group * (1 - group) + reference * (1 - reference))
    normal = (spread / gap) ** 2
    arcsine = 2 * math.asin(math.sqrt(reference)) - 2 * math.asin(math.sqrt(group))
    asked = {
        "exact": ff.plan("accuracy", group=group, reference=reference).cases or 0,
        "normal": math.ceil(normal),
        "normal, corrected (Fleiss)": math.ceil(normal / 4 * (1 + math.sqrt(1 + 4 / (normal * gap))) ** 2),
        "arcsine (statsmodels)": math.ceil(2 * ((z + z_power) / arcsine) ** 2),
    }
    sizes = np.array(list(asked.values()))
    powers = conditional_power(sizes, sizes, group, reference, ALPHA)
    shown = ", ".join(f"{name} {size} ({power:.3f})" for (name, size), power in zip(asked.items(), powers, strict=True))
    print(f"{group:.2f} beside {reference:.2f}: {shown}")
