"""One way from any data to the counts of its groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError
from .tally import Counted, Tally, Wanted, counted, hashable_labels


def count_groups(
    data: Any,
    *,
    truth: str,
    prediction: str,
    by: Sequence[str] = (),
    query: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Counted:
    """Count the pairs of labels in each group of rows, where the data is.

    Rows whose label is missing are left out and counted; rows whose group is missing are a group of their own.

    Parameters
    ----------
    data
        A data frame of pandas, polars, pyarrow, DuckDB, Dask, PySpark, Ibis or whatever else narwhals reads; a
        mapping of column names to arrays or lists; or the path of a parquet, CSV or TSV file (also .gz or .zst), a
        pattern such as ``"logs/2026-*/*.parquet"``, or a DuckDB or SQLite database.
    truth, prediction
        The columns of labels.
    by
        The columns whose values make the groups; none for all rows as one group.
    query
        The select that gives the rows of a database.
    progress
        Called now and then with the share of a file that has been read.

    Examples
    --------
    >>> data = {"y": [1, 1, 0, None], "yhat": [1, 0, 0, 1], "ward": ["east", "west", "west", "west"]}
    >>> found = count_groups(data, truth="y", prediction="yhat", by=["ward"])
    >>> found.pairs
    {('east',): Counter({(1, 1): 1}), ('west',): Counter({(0, 0): 1, (1, 0): 1})}
    >>> found.rows, dict(found.missing)
    (4, {'y': 1})
    """
    wanted = wanted_columns(truth, prediction, by)
    check_query(data, query)
    with hashable_labels(data):
        found = counted(_tally(data, wanted, query, progress))
    if progress:
        progress(1.0)
    return found


def wanted_columns(
    truth: str, prediction: str | None, by: Sequence[str], probabilities: Sequence[str] | None = None
) -> Wanted:
    """Check that columns are named by texts; one may stand for a list of one."""
    by = (by,) if isinstance(by, str) else tuple(by)
    columns = (probabilities,) if isinstance(probabilities, str) else tuple(probabilities or ())
    asked = [("truth", truth), ("prediction", prediction), *(("by", name) for name in by)]
    for argument, name in [*asked, *(("probabilities", name) for name in columns)]:
        if not isinstance(name, str) and not (probabilities and argument == "prediction" and name is None):
            raise InputError("bad_option", argument, "must be the name of a column", name, "give it as text")
    return Wanted(truth, prediction, by, columns)


def check_query(data: Any, query: str | None) -> None:
    """Refuse a query where there is no database file to ask."""
    if query is not None and not isinstance(data, str | Path):
        hint = "filter a frame before, or give the path of a database"
        raise InputError("bad_option", "query", "goes with a database file only", query, hint)


def _tally(data: Any, wanted: Wanted, query: str | None, progress: Callable[[float], None] | None) -> Tally:
    # Each way is imported when it is taken, so that a CSV file needs neither numpy nor a frame.
    if isinstance(data, str | Path):
        from .files import count_files

        return count_files(str(data), wanted, query, progress)
    if isinstance(data, Mapping):
        from .arrays import count_arrays

        return count_arrays(data, wanted)
    from .engines import count_frame

    return count_frame(data, wanted)
