"""Briscoe et al. (2025), on what few cases do to a metric: its figures, tables and statements.

The paper drew tables at random, a billion and more for each metric. Here every number is the exact expectation over all
tables that can be drawn, so no curve has a band of error. An estimate that is undefined is left out, as in the paper:
errors and chances are given that it is defined.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..outcome import Reproduction
from ..running import Progress, run_all
from . import figures, statements
from .curves import Errors, error_calls, law_calls
from .source import PAPER, SHOWN_SIZES, smallest_size_and_count


def reproduce_small_data(
    *, output: str | Path | None = None, n_jobs: int = 1, progress: Progress | None = None
) -> Reproduction:
    """Do Briscoe et al. (2025) again: Figures 1 to 7, Tables 1 and 2, and what it says in words."""
    first, count = smallest_size_and_count()
    return _reproduced(range(1, first + count), SHOWN_SIZES, output=output, n_jobs=n_jobs, progress=progress)


def _reproduced(
    sizes: range, shown: Sequence[int], *, output: str | Path | None, n_jobs: int, progress: Progress | None
) -> Reproduction:
    calls = law_calls(shown) | error_calls(sizes)
    results = run_all(calls, output=output, name=PAPER.name, n_jobs=n_jobs, progress=progress)
    from_1 = Errors.from_results(results, sizes)
    errors = from_1.since(smallest_size_and_count()[0])
    laws = figures.figure_2(results, shown)
    parts = (
        figures.figure_1(),
        laws,
        figures.figure_3(errors),
        figures.figure_4(errors),
        figures.figure_5(errors),
        figures.figure_6(errors),
        figures.figure_7(errors),
        figures.table_1(),
        figures.table_2(),
    )
    said = (
        *statements.on_limits(laws, shown),
        statements.on_all_tables(shown[1], shown[-1]),
        *statements.on_holes(),
        *statements.on_example(),
        statements.on_normal(),
        *statements.on_joint_ratios(),
        *statements.on_gains(errors),
        *statements.on_ranks(errors),
        *statements.on_one_curve(from_1),
        *statements.on_strength(errors),
        statements.on_undefined(),
        statements.on_priors(),
        statements.on_bias_and_variance(),
        statements.on_references(),
        *statements.on_adding(errors),
        statements.on_groups(errors),
    )
    return PAPER.reproduction(parts, said)
