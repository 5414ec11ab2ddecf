"""Is it the group, or its size? Exact tests, smoothing, intervals and audits."""

from .auditing import Audit, Finding, Group, audit, audit_tables
from .expectation import ExpectedError, expected_error, expected_errors
from .intervals import Comparison, Interval, compare, interval
from .laws import Law, score_law
from .matching import Match, match
from .models import ModelComparison, ModelFinding, compare_models, short_names
from .paired import PairedComparison, compare_paired
from .smoothing import Smoothed, smooth, smooth_groups

__all__ = [
    "Audit", "Comparison", "ExpectedError", "Finding", "Group", "Interval", "Law", "Match", "ModelComparison",
    "ModelFinding", "PairedComparison", "Smoothed", "audit", "audit_tables", "compare", "compare_models",
    "compare_paired", "expected_error", "expected_errors", "interval", "match", "score_law", "short_names", "smooth",
    "smooth_groups",
]  # fmt: skip
