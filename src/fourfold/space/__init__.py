"""The space of all tables of a size: counting, walking, holes, and the tables that fit what was reported."""

from .area import Area, Curve
from .counting import count_fitting
from .extremes import Bounds, bounds
from .lattice import Description, Holes, count, count_with_cell, describe, holes, pillai, walk
from .region import defined, fitting, fitting_many, on_side, row_monotone, undefined_in
from .rows import Rows

__all__ = [
    "Area",
    "Bounds",
    "Curve",
    "Description",
    "Holes",
    "Rows",
    "bounds",
    "count",
    "count_fitting",
    "count_with_cell",
    "defined",
    "describe",
    "fitting",
    "fitting_many",
    "holes",
    "on_side",
    "pillai",
    "row_monotone",
    "undefined_in",
    "walk",
]
