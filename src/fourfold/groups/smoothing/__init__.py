"""Small groups drawn towards a reference, and what that is expected to gain.

In: tables or matrices by group, and a strength or the way to choose it.
Out: tables with real cells, and expected errors by size.
"""
