"""Pillar one: what a report says, and every table that could have produced it."""

from .claim import BUDGET, MAX_TOTAL, Claim, Reading, Size
from .recovery import Feasible, Implied, Recovery, fits, recover, solve

__all__ = [
    "BUDGET",
    "MAX_TOTAL",
    "Claim",
    "Feasible",
    "Implied",
    "Reading",
    "Recovery",
    "Size",
    "fits",
    "recover",
    "solve",
]
