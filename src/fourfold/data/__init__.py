"""Data of any kind, turned into counts or sums where it is, so that no rows are carried on.

In: data files, data frames, databases and clusters; no other room meets them. `aggregate` is the one door.
Out: counts and sums by group, and rows for a review.
"""

from typing import TYPE_CHECKING

from ..names import when_used

if TYPE_CHECKING:
    from .aggregation import Aggregate, ClassSums, aggregate, count_groups, count_truths, label_spellings, places_of
    from .columns import Request, predicted_column
    from .encodings import encoding_of
    from .faults import Faults
    from .files import FILE_ENDINGS, TEXT_ENDINGS, count_labels, first_rows, read_probabilities
    from .output import cannot_be_written, csv_line, inert, without_marks, write_bytes, write_rows, write_text, writing
    from .pairing import PairedRows, count_paired
    from .rows import path_hint, read_rows
    from .small import SmallFrame, small_frame
else:
    __getattr__, __dir__ = when_used(__name__)

__all__ = [
    "FILE_ENDINGS", "TEXT_ENDINGS", "Aggregate", "ClassSums", "Faults", "PairedRows", "Request", "SmallFrame",
    "aggregate", "cannot_be_written", "count_groups", "count_labels", "count_paired", "count_truths", "csv_line",
    "encoding_of", "first_rows", "inert", "label_spellings", "path_hint", "places_of", "predicted_column",
    "read_probabilities", "read_rows", "small_frame", "without_marks", "write_bytes", "write_rows", "write_text",
    "writing",
]  # fmt: skip
