"""Data of any kind, turned into counts or sums where it is, so that no rows are carried on.

This is the only room that meets data files, data frames, databases and clusters. `aggregate` is its one door.
"""

from .aggregation import Aggregate, ClassSums, aggregate, count_groups, places_of
from .files import FILE_ENDINGS, TEXT_ENDINGS, count_labels, read_probabilities
from .rows import read_rows, write_rows

__all__ = [
    "FILE_ENDINGS",
    "TEXT_ENDINGS",
    "Aggregate",
    "ClassSums",
    "aggregate",
    "count_groups",
    "count_labels",
    "places_of",
    "read_probabilities",
    "read_rows",
    "write_rows",
]
