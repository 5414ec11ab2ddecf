"""Exact numbers: a metric's formula as a value, numbers as they were printed, roots and polynomials."""

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
