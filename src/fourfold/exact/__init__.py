"""Exact numbers: formulas as values, numbers as they were printed, roots and polynomials.

In: text such as "0.85" or "80%", and Python's numbers.
Out: `Formula`, `Reported` and fractions, on which every decision rests.
"""

from .program import Program
from .reported import Reported
from .rounding import float_error
from .tree import CELLS, Constant, Formula, Operation, Quantity, Root, cells, sqrt, total_of
from .words import absence, conditions, equality, reasons, vanishes, zero_sets

__all__ = [
    "CELLS",
    "Constant",
    "Formula",
    "Operation",
    "Program",
    "Quantity",
    "Reported",
    "Root",
    "absence",
    "cells",
    "conditions",
    "equality",
    "float_error",
    "reasons",
    "sqrt",
    "total_of",
    "vanishes",
    "zero_sets",
]
