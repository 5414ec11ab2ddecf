"""The space of all tables of a size: counting, walking, holes, and the tables that fit what was reported."""

from .counting import count_fitting
from .extremes import Bounds, bounds
from .lattice import Description, Holes, count, count_with_cell, describe, holes, pillai, walk
from .region import fitting, fitting_many, row_monotone, undefined_in
from .rows import Rows

__all__ = [
    "Bounds",
    "Description",
    "Holes",
    "Rows",
    "bounds",
    "count",
    "count_fitting",
    "count_with_cell",
    "describe",
    "fitting",
    "fitting_many",
    "holes",
    "pillai",
    "row_monotone",
    "undefined_in",
    "walk",
]
