"""Attacks on the library: random questions, and an independent brute force that knows the answers.

Nothing here uses the library to find out what is right: formulas, rounding, readings and chances are written once more,
from their definitions. What is shared are the names of metrics.
"""
