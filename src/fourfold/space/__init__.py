"""The space of all tables of a size: counting, walking, holes, and the tables that fit what was reported."""

from .lattice import Description, Holes, count, count_with_cell, describe, holes, pillai, walk

__all__ = ["Description", "Holes", "count", "count_with_cell", "describe", "holes", "pillai", "walk"]
