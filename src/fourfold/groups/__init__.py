"""Is it the group, or its size? Exact tests, smoothing, intervals and audits."""

from .auditing import audit, audit_tables
from .comparing import Comparison, compare_groups
from .findings import Audit, Finding, Group
from .expectation import ExpectedError, expected_error, expected_errors
from .intervals import ContrastInterval, Interval, compare, interval
from .laws import Law, score_law
from .matching import Match, match
from .smoothing import Smoothed, smooth, smooth_groups

__all__ = [
    "Audit", "Comparison", "ContrastInterval", "ExpectedError", "Finding", "Group", "Interval", "Law", "Match", "Smoothed", "audit",
    "audit_tables", "compare", "compare_groups", "expected_error", "expected_errors", "interval", "match", "score_law", "smooth",
    "smooth_groups",
]  # fmt: skip
