"""The space of all tables of a size: counting, holes, and the tables that fit what was reported.

In: formulas of metrics, intervals of scores, sizes, and what ties several tables.
Out: rows of tables that fit, a witness or a proof that there is none, and exact bounds.
"""

from .area import Area, Curve
from .cone import TOLERANCE, AllSizes, is_exact, linear_ratio
from .extremes import bounds
from .lattice import Description, Holes, count, count_with_cell, describe, holes, pillai, walk
from .problem import Bounds
from .region import (
    count_fitting,
    defined,
    fitting,
    fitting_many,
    on_side,
    row_monotone,
    undefined_in,
    undefined_somewhere,
    undefined_tables,
)
from .rows import Rows
from .undefined import split_by, values_in, what_is_left

__all__ = [
    "TOLERANCE", "AllSizes", "Area", "Bounds", "Curve", "Description", "Holes", "Rows", "bounds", "count",
    "count_fitting", "count_with_cell", "defined", "describe", "fitting", "fitting_many", "holes", "is_exact",
    "linear_ratio", "on_side", "pillai", "row_monotone", "split_by", "undefined_in", "undefined_somewhere",
    "undefined_tables", "values_in", "walk", "what_is_left",
]  # fmt: skip
