"""Is it the group, or its size? Exact tests, smoothing, intervals and audits."""

from .auditing import Audit, Finding, Group, audit, audit_tables
from .expectation import ExpectedError, expected_error, expected_errors
from .intervals import Comparison, Interval, compare, interval
from .laws import Law, score_law
from .matching import Match, match
from .planning import Plan, plan
from .smoothing import Smoothed, smooth, smooth_groups

__all__ = [
    "Audit", "Comparison", "ExpectedError", "Finding", "Group", "Interval", "Law", "Match", "Plan", "Smoothed",
    "audit", "audit_tables", "compare", "expected_error", "expected_errors", "interval", "match", "plan", "score_law",
    "smooth", "smooth_groups",
]  # fmt: skip
