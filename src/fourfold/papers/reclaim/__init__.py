"""RECLAIM: scores from reported scores.

In: public names of the package.
Out: a `Reproduction`.
"""

from .run import reproduce_reclaim

__all__ = ["reproduce_reclaim"]
