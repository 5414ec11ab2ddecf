"""Is it the group, or its size? Exact tests, smoothing, intervals and audits."""

from .matching import Match, match

__all__ = ["Match", "match"]
