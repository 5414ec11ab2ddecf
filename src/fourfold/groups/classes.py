"""Intervals and smoothed scores of any measure: of a table, of one class, or of all cells of a matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ..table import Matrix, Table
from .intervals import Interval, interval
from .matching import not_exact, undefined_score
from .measures import Measure, Subject
from .smoothing import smooth_towards

_DRAWS: Final = 4_000
_SEED: Final = 20250
_POSTERIOR: Final = f"Dirichlet posterior, {_DRAWS} draws"


def interval_of(what: Measure, subject: Subject, level: float) -> Interval:
    """Return the interval of a measure of one group."""
    table = what.table(subject)
    if table is not None:
        return replace(interval(table, what.metric, level=level), metric=what.id)
    assert isinstance(subject, Matrix)
    score, why = what.score(subject)
    if score is None:
        return Interval(metric=what.id, value=None, level=level, notes=(undefined_score(what.label, why),))
    cells = subject.values.ravel().astype(np.float64)
    # One case for each class in all: more would pull small groups towards chance.
    shares = np.random.default_rng(_SEED).dirichlet(cells + 1 / len(subject.labels), _DRAWS).T
    values = what.values(shares)
    low, high = np.quantile(values[~np.isnan(values)], [(1 - level) / 2, (1 + level) / 2])
    ends = {"low": min(float(low), score), "high": max(float(high), score)}
    return Interval(metric=what.id, value=score, level=level, method=_POSTERIOR, notes=(not_exact(_POSTERIOR),), **ends)


def smoothed_scores(
    pairs: Mapping[str, tuple[Subject, Subject]], measures: Mapping[str, Measure], options: Any
) -> tuple[dict[tuple[str, str], dict[str, Any]], float, str]:
    """Return the smoothed score of each group and measure, the strength of the smoothing, and who chose it."""
    tables = {name: pair for name, pair in pairs.items() if isinstance(pair[0], Table) and isinstance(pair[1], Table)}
    smoothed, strength, chosen_by = smooth_towards(tables, options.strength)  # type: ignore[arg-type]
    scores = {}
    for name, table in smoothed.items():
        for what in measures.values():
            score = table.score(what.metric)
            scores[name, what.id] = {"smoothed": None if np.isnan(score) else score}
    return scores, strength, chosen_by
