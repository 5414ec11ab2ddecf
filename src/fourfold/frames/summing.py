"""One way from any data to the sums of its probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError
from .counting import check_query, wanted_columns
from .sums import Labels, Summed, Sums, summed
from .tally import Wanted, hashable_labels


def sum_probabilities(
    data: Any,
    *,
    truth: str,
    probabilities: Sequence[str],
    by: Sequence[str] = (),
    prediction: str | None = None,
    labels: Labels = None,
    tolerance: float = 1e-3,
    query: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Summed:
    """Sum class probabilities by group, truth and predicted class, where the data is.

    Every row is checked: its probabilities lie in [0, 1] and sum to one. Rows whose label is missing are left out and
    counted; rows whose group is missing are a group of their own.

    Parameters
    ----------
    data
        What `count_groups` takes: a data frame of any kind, a mapping of names to arrays, files or a database.
    truth
        The column of actual labels.
    probabilities
        The columns of probabilities, one for each class. A pattern such as ``"p_*"`` stands for all columns that it
        matches and that are not named otherwise, in their order. One column alone is the probability of the second of
        two classes.
    by
        The columns whose values make the groups; none for all rows as one group.
    prediction
        The column of predicted labels; left out, the first of the largest probabilities tells the class.
    labels
        The classes in the order of the columns, to know the predicted ones by; or a function that gives them for the
        names of the columns and the labels in the truth.
    tolerance
        How far from 1 a row may sum.
    query
        The select that gives the rows of a database.
    progress
        Called now and then with the share of a file that has been read.

    Examples
    --------
    >>> data = {"y": ["cat", "dog", "dog"], "p_cat": [0.75, 0.5, 0.25], "p_dog": [0.25, 0.5, 0.75]}
    >>> found = sum_probabilities(data, truth="y", probabilities=["p_*"])
    >>> found.columns, found.tied
    (('p_cat', 'p_dog'), {(): 1})
    >>> found.cells[()]["dog", 0]
    (1, (0.5, 0.5))
    """
    if not probabilities:
        hint = "name a column for each class, or a pattern such as p_*"
        raise InputError("bad_option", "probabilities", "must be columns", probabilities, hint)
    wanted = wanted_columns(truth, prediction, by, probabilities)
    check_query(data, query)
    if not isinstance(tolerance, int | float) or not 0 <= tolerance < math.inf:
        raise InputError("bad_option", "tolerance", "must be a number, 0 or more", tolerance, "such as 1e-3")
    with hashable_labels(data):
        found = summed(_sums(data, wanted, tolerance, query, progress), labels)
    if progress:
        progress(1.0)
    return found


def _sums(
    data: Any, wanted: Wanted, tolerance: float, query: str | None, progress: Callable[[float], None] | None
) -> Sums:
    # Each way is imported when it is taken, so that frames need no numpy and files no frame.
    if isinstance(data, str | Path):
        from .file_sums import sum_files

        return sum_files(str(data), wanted, tolerance, query, progress)
    if isinstance(data, Mapping):
        from .array_sums import sum_arrays

        return sum_arrays(data, wanted, tolerance)
    from .engine_sums import sum_frame

    return sum_frame(data, wanted, tolerance)
