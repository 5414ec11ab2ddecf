"""Briscoe et al. (2025): small groups.

In: public names of the package.
Out: a `Reproduction`.
"""

from .run import reproduce_small_data

__all__ = ["reproduce_small_data"]
