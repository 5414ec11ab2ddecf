"""Chances of tables and scores: exact laws, draws, exchanges of predictions, and intervals of a share.

In: counts, shares, and formulas of metrics.
Out: laws, p-values, and bounds of shares.
"""
