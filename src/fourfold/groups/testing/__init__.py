"""What the score of a group tells: exact tests against a reference or a second model, and intervals.

In: tables and matrices.
Out: p-values and intervals, as a `Match`, a `Comparison`, an `Interval` and others.
"""
