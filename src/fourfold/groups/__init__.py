"""Is it the group, or its size? Four parts: tests of a score, smoothing, planning, and audits of all groups.

In: tables by group, or data.
Out: results such as a `Match`, a `Plan` or an `Audit`.
"""

from typing import TYPE_CHECKING

from ..names import when_used

if TYPE_CHECKING:
    from ..chance.laws import Law
    from ..solve import Holes
    from .auditing.audits import audit, audit_tables
    from .auditing.findings import Audit, Finding, Group
    from .auditing.models import ModelComparison, ModelFinding, compare_models, short_names
    from .planning.plans import Plan, plan
    from .smoothing.expectation import ExpectedError, expected_error, expected_errors
    from .smoothing.matrices import SmoothedMatrix
    from .smoothing.tables import Smoothed, smooth, smooth_groups
    from .testing.comparing import Comparison, Effect, compare_groups
    from .testing.intervals import ContrastInterval, Interval, contrast_interval, interval
    from .testing.matching import Match, match, score_law
    from .testing.paired import PairedComparison, compare_paired
    from .testing.shares import Counted
else:
    __getattr__, __dir__ = when_used(__name__, {"compare": "contrast_interval"})

__all__ = [
    "Audit", "Comparison", "ContrastInterval", "Counted", "Effect", "ExpectedError", "Finding", "Group", "Holes",
    "Interval", "Law", "Match", "ModelComparison", "ModelFinding", "PairedComparison", "Plan", "Smoothed",
    "SmoothedMatrix", "audit", "audit_tables", "compare_groups", "compare_models", "compare_paired",
    "contrast_interval", "expected_error", "expected_errors", "interval", "match", "plan", "score_law", "short_names",
    "smooth", "smooth_groups",
]  # fmt: skip
