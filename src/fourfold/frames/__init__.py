"""Data of any kind, turned into counts or sums where it is, so that no rows are carried on.

This is the only room that meets data files, data frames, databases and clusters.
"""

from .counting import count_groups
from .rows import count_labels, read_rows, write_rows
from .summing import sum_probabilities
from .sums import Summed
from .tally import Counted

__all__ = ["Counted", "Summed", "count_groups", "count_labels", "read_rows", "sum_probabilities", "write_rows"]
