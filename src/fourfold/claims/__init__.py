"""What a report claims, and every table that could have produced it.

In: printed scores and sizes, as text.
Out: a `Recovery` with its verdict, bounds, contradictions and repairs; other questions have other results.
"""

from typing import TYPE_CHECKING

from ..names import when_used

if TYPE_CHECKING:
    from ..exact import Reported
    from ..solve import Bounds
    from .claim import BUDGET, MAX_TOTAL, Claim, ClaimedScore, Size, TableClaim
    from .class_bounds import ClassMargins
    from .class_cells import ClassCells, ClassRanges
    from .classes import ClaimedClassScore, ClassClaim, ClassScore
    from .distribution import Distribution
    from .estimates import Estimate, estimate
    from .explain import LeftOut
    from .fitting_tables import MOST_TABLES, Fitting, fitting
    from .folds import FoldClaim, read_pairs
    from .implied import Implied, Nearest
    from .intervals import IntervalCheck, IntervalMethod
    from .known_sets import KnownSet, KnownSets, dataset, datasets, known_as
    from .leads import Lead, LeadRange, ReadTable, lead, read_results
    from .protocol import Protocol, Protocols, protocols
    from .readings import Departure, Reading
    from .recovery import Recovery, recover
    from .regression import RegressionRecovery, recover_regression
    from .repairs import Repair
    from .reviews import ADDED_ENDING, VERDICT_COLUMNS, added, is_last_table, own_columns, review
    from .search import Feasible, fits, solve
    from .shared_sizes import SharedPair, SharedSizes, SizedRow, result_rows, sizes
    from .solution import PartTable
else:
    __getattr__, __dir__ = when_used(__name__)

__all__ = [
    "ADDED_ENDING", "BUDGET", "MAX_TOTAL", "MOST_TABLES", "VERDICT_COLUMNS", "Bounds", "Claim", "ClaimedClassScore",
    "ClaimedScore", "ClassCells", "ClassClaim", "ClassMargins", "ClassRanges", "ClassScore", "Departure",
    "Distribution", "Estimate", "Feasible", "Fitting", "FoldClaim", "Implied", "IntervalCheck", "IntervalMethod",
    "KnownSet", "KnownSets", "Lead", "LeadRange", "LeftOut", "Nearest", "PartTable", "Protocol", "Protocols",
    "ReadTable", "Reading", "Recovery", "RegressionRecovery", "Repair", "Reported", "SharedPair", "SharedSizes",
    "Size", "SizedRow", "TableClaim", "added", "dataset", "datasets", "estimate", "fits", "fitting", "is_last_table",
    "known_as", "lead", "own_columns", "protocols", "read_pairs", "read_results", "recover", "recover_regression",
    "result_rows", "review", "sizes", "solve",
]  # fmt: skip
