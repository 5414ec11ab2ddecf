"""Is it the group, or its size? Exact tests, smoothing, intervals and audits."""

from .auditing import Audit, Finding, Group, audit, audit_tables
from .expectation import ExpectedError, expected_error, expected_errors
from .intervals import ContrastInterval, Interval, compare, interval
from .laws import Law, score_law
from .matching import Match, match
from .smoothing import Smoothed, smooth, smooth_groups

__all__ = [
    "Audit", "ContrastInterval", "ExpectedError", "Finding", "Group", "Interval", "Law", "Match", "Smoothed", "audit",
    "audit_tables", "compare", "expected_error", "expected_errors", "interval", "match", "score_law", "smooth",
    "smooth_groups",
]  # fmt: skip
