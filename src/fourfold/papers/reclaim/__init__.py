"""RECLAIM: scores from reported scores."""

from .run import reproduce_reclaim

__all__ = ["reproduce_reclaim"]
