"""How many cases a group needs, before they are collected.

In: expected tables or rates, and a goal.
Out: a `Plan`: the least size, and power or width by size.
"""
