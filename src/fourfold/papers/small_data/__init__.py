"""Briscoe et al. (2025): small groups."""

from .run import reproduce_small_data

__all__ = ["reproduce_small_data"]
