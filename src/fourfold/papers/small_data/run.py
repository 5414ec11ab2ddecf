"""Briscoe et al. (2025), on what few cases do to a metric: its figures, tables and statements.

The paper drew tables at random, a billion and more for each metric. Here every number is the exact expectation over all
tables that can be drawn, so no curve has a band of error. An estimate that is undefined is left out, as in the paper:
errors and chances are given that it is defined.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..outcome import Reproduction
from ..running import run_all
from . import figures, statements
from .curves import Errors, error_calls, law_calls
from .source import PAPER, SHOWN_SIZES, smallest_size_and_count


def reproduce_small_data(**options: Any) -> Reproduction:
    """Do Briscoe et al. (2025) again: Figures 1 to 7, Tables 1 and 2, and what it says in words."""
    first, count = smallest_size_and_count()
    return _reproduced(range(1, first + count), SHOWN_SIZES, **options)


def _reproduced(sizes: range, shown: Sequence[int], **options: Any) -> Reproduction:
    results = run_all(law_calls(shown) | error_calls(sizes), name=PAPER.name, **options)
    from_1 = Errors.from_results(results, sizes)
    errors = from_1.since(smallest_size_and_count()[0])
    laws = figures.figure_2(results, shown)
    parts = (figures.figure_1(), laws, *figures.error_figures(errors), figures.table_1(), figures.table_2())
    summary = (
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
    return PAPER.reproduction(parts, summary)
