"""Counting holes exactly; no peer counts them, so the other way is to look at every table."""

from __future__ import annotations

import numpy as np

import fourfold as ff
from fourfold import solve

from .timing import alone, compare, seconds


def run(size: int = 200) -> None:
    """Count holes from the guards, and by walking all tables."""
    name = "prevalence_threshold"

    def walk() -> int:
        return sum(int(np.isnan(ff.score(tables, name)).sum()) for tables in solve.walk(size))

    assert walk() == ff.holes(name, size).count
    ours = seconds(lambda: ff.holes(name, size))
    compare(f"holes of the prevalence threshold, size {size}", ours, "walking all tables", seconds(walk, 1))
    for large in (1000, 10**9):
        alone(f"holes of all metrics, size {large:.0e}", seconds(lambda n=large: [ff.holes(m, n) for m in ff.METRICS]))  # type: ignore[misc]
