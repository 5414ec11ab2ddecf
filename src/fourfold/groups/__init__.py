"""Is it the group, or its size? Tests of the metric, intervals, smoothing, audits."""

from typing import TYPE_CHECKING

from ..names import when_used

if TYPE_CHECKING:
    from ..solve import Holes
    from .auditing import audit, audit_tables
    from .classes import SmoothedMatrix
    from .comparing import Comparison, Effect, compare_groups
    from .expectation import ExpectedError, expected_error, expected_errors
    from .findings import Audit, Finding, Group
    from .intervals import ContrastInterval, Interval, contrast_interval, interval
    from .laws import Law, score_law
    from .matching import Match, match
    from .models import ModelComparison, ModelFinding, compare_models, short_names
    from .paired import PairedComparison, compare_paired
    from .planning import Plan, plan
    from .shares import Counted
    from .smoothing import Smoothed, smooth, smooth_groups
else:
    __getattr__, __dir__ = when_used(__name__, {"compare": "contrast_interval"})

__all__ = [
    "Audit", "Comparison", "ContrastInterval", "Counted", "Effect", "ExpectedError", "Finding", "Group", "Holes",
    "Interval", "Law", "Match", "ModelComparison", "ModelFinding", "PairedComparison", "Plan", "Smoothed",
    "SmoothedMatrix", "audit", "audit_tables", "compare_groups", "compare_models", "compare_paired",
    "contrast_interval", "expected_error", "expected_errors", "interval", "match", "plan", "score_law", "short_names",
    "smooth", "smooth_groups",
]  # fmt: skip
