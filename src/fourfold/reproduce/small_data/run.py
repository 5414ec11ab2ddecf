"""Briscoe et al. (2025), on what few cases do to a metric: its figures, tables and statements.

The paper drew tables at random, a billion and more for each metric. Here every number is the exact expectation over all
tables that can be drawn, so no curve has a band of error. An estimate that is undefined is left out, as in the paper:
errors and chances are given that it is defined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from ..outcome import Reproduction
from ..running import done
from .curves import error_jobs, gathered, law_jobs
from .figures import figure_1, figure_2, figure_3, figure_4, figure_5, figure_6, figure_7, table_1, table_2
from .source import SHOWN, TITLE, experiment
from .statements import (
    on_adding,
    on_all_tables,
    on_bias_and_variance,
    on_example,
    on_gains,
    on_groups,
    on_holes,
    on_joint_ratios,
    on_limits,
    on_normal,
    on_one_curve,
    on_priors,
    on_ranks,
    on_references,
    on_strength,
    on_undefined,
)

Progress: TypeAlias = Callable[[float], None] | None


def reproduce_small_data(
    *, output: str | Path | None = None, n_jobs: int = 1, progress: Callable[[float], None] | None = None
) -> Reproduction:
    """Do Briscoe et al. (2025) again: Figures 1 to 7, Tables 1 and 2, and what it says in words.

    Parameters
    ----------
    output
        A folder for what was found so far: a run that was stopped goes on from there.
    n_jobs
        How many processes work at it, through joblib.
    progress
        Called with the share that is done.
    """
    first, many = experiment()
    return _reproduced(range(1, first + many), SHOWN, output=output, n_jobs=n_jobs, progress=progress)


def _reproduced(
    sizes: range, shown: Sequence[int], *, output: str | Path | None, n_jobs: int, progress: Progress
) -> Reproduction:
    jobs = law_jobs(shown) | error_jobs(sizes)
    found = done(jobs, output=output, name="small-data", n_jobs=n_jobs, progress=progress)
    every = gathered(found, sizes)
    errors = every.since(experiment()[0])
    curves = [figure(errors) for figure in (figure_3, figure_4, figure_5, figure_6, figure_7)]
    parts = (figure_1(), figure_2(found, shown), *curves, table_1(), table_2())
    statements = (
        *on_limits(parts[1], shown),
        on_all_tables(shown[1], shown[-1]),
        *on_holes(),
        *on_example(),
        on_normal(),
        *on_joint_ratios(),
        *on_gains(errors),
        *on_ranks(errors),
        *on_one_curve(every),
        *on_strength(errors),
        on_undefined(),
        on_priors(),
        on_bias_and_variance(),
        on_references(),
        *on_adding(errors),
        on_groups(errors),
    )
    return Reproduction("small-data", TITLE, parts, statements)
