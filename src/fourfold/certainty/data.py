"""The decomposition of probabilities that stay where they are: in files, databases, data frames, on clusters."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..data import ClassSums, aggregate, places_of
from ..errors import InputError, Note, verbatim
from ..table import TOLERANCE, Probabilities, second_last
from .columns import ProbabilityColumns, find_probabilities
from .decomposition import Accumulator, Decomposition


def decompose_data(
    data: Any,
    *,
    truth: str,
    probabilities: Sequence[str] | ProbabilityColumns | None = None,
    labels: Sequence[Hashable] | None = None,
    prediction: str | None = None,
    by: Sequence[str] | str | None = None,
    tolerance: float = TOLERANCE,
    query: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Decomposition:
    """Split a classifier's probabilities into what is certain and what is not, without moving the data.

    Parameters
    ----------
    data
        A data frame of pandas, polars, pyarrow, DuckDB, Dask, PySpark, Ibis or any other that narwhals reads; a
        mapping of column names to arrays; or the path of parquet or CSV files or of a database.
    truth
        The column of actual labels. Rows without one are left out, and a note says how many.
    probabilities
        The columns of probabilities, or patterns such as ``"p_*"``. Each is named after its class, also with a common
        beginning; one column alone is the probability of the second of two classes. If left out, they are found as
        `find_probabilities` finds them, and a note says which. You can also pass what that function returns.
    labels
        The classes. If left out, they are taken from the names of the columns, spelt as in the truth.
    prediction, tolerance
        As for `decompose`; the predicted labels are a column.
    by
        The columns whose values form parts, such as folds or groups: each part is decomposed, too. Its name is the
        value, or a tuple of them where there are several columns.
    query
        The select that gives the rows of a database.
    progress
        Called from time to time with the share of the file that has been read.

    Examples
    --------
    >>> data = {"y": ["cat", "dog"], "p_cat": [0.9, 0.4], "p_dog": [0.1, 0.6], "fold": [1, 2]}
    >>> result = decompose_data(data, truth="y", probabilities=["p_*"], by="fold")
    >>> result.labels, result.weight_certain, sorted(result.parts)
    (('cat', 'dog'), 0.75, [1, 2])
    """
    by = (by,) if isinstance(by, str) else tuple(by or ())
    matched = None
    if probabilities is None:
        apart = (*by, *(() if prediction is None else (prediction,)))
        matched = find_probabilities(data, truth=truth, labels=labels, apart=apart, tolerance=tolerance, query=query)
    elif isinstance(probabilities, ProbabilityColumns):
        matched = probabilities
    columns = matched.columns if matched is not None else probabilities
    aggregated = aggregate(
        data,
        truth=truth,
        prediction=prediction,
        by=by,
        probabilities=columns or (),  # type: ignore[arg-type]
        tolerance=tolerance,
        query=query,
        progress=progress,
    )
    counts = aggregated.truths
    if not counts:
        shown = verbatim(f"{aggregated.rows} rows without a label")
        raise InputError("empty", "truth", "has no label in any row", shown, f"check column {truth}")
    if matched is None:
        classes, order = _classes(aggregated.columns, labels, list(counts))
    else:
        classes, order = matched.labels, list(range(len(matched.labels)))
    summed = aggregated if prediction is None else aggregated.placed(classes)
    places, tied = places_of(counts, classes, "truth"), summed.tied
    if labels is None:
        written = {place: label for label, place in reversed(places.items())}
        named = [written.get(place, text) for place, text in enumerate(classes)]
        # A column of integers is one of floats where a label is missing.
        classes = tuple(int(name) if isinstance(name, float) and name.is_integer() else name for name in named)
    pooled, parts = Accumulator([classes[place] for place in order]), {}
    for group, cells in summed.cells.items():
        sums = Accumulator(pooled.labels)
        sums.predicted = prediction is not None
        _add(sums, cells, places, order, tied[group])
        pooled.merge(sums)
        parts[group[0] if len(group) == 1 else group] = sums.result()
    missing = [
        Note("labels_missing", f"{rows} rows were left out: no label in {name}", {"column": name, "rows": rows})
        for name, rows in aggregated.missing.items()
    ]
    whole = pooled.result()
    notes = (*(() if matched is None else matched.notes), *whole.notes, *missing, *aggregated.notes)
    return replace(whole, parts=parts if summed.by else {}, notes=notes)


def _classes(
    names: Sequence[str], labels: Sequence[Hashable] | None, truths: Sequence[Any]
) -> tuple[tuple[Hashable, ...], list[int]]:
    """Return the classes in the order of the columns, and the columns' places in the order of the labels.

    Rows that are certain of one class each are read, so that labels find their columns here as they do everywhere.
    """
    if len(names) == 1:
        return tuple(second_last(labels, list(truths), names[0])), [0, 1]
    columns = dict(zip(names, np.eye(len(names)), strict=True))
    try:
        given = Probabilities.read(columns, labels, truth=list(truths) or None)
    except InputError:
        # Labels without a column are told of later, with the number of their rows.
        given = Probabilities.read(columns, labels)
    order = given.values.argmax(axis=0).tolist()
    return tuple(given.labels[order.index(place)] for place in range(len(names))), order


def _add(sums: Accumulator, cells: ClassSums, places: dict[Any, int], order: Sequence[int], tied: int) -> None:
    """Add the cells of a group: what lies on the predicted class is certain, the rest is not."""
    k = len(order)
    hard, certain, uncertain = np.zeros((3, k, k))
    for (label, predicted), (rows, numbers) in cells.items():
        place = places[label]
        hard[place, predicted] += rows
        certain[place, predicted] += numbers[predicted]
        uncertain[place] += [0.0 if j == predicted else number for j, number in enumerate(numbers)]
    moved = np.ix_(order, order)
    sums.add_sums(hard[moved], certain[moved], uncertain[moved], rows=int(hard.sum()), tied=tied)
