"""Tables of groups counted by others: fairlearn's MetricFrame, aequitas' crosstabs, frames with a row a group.

None of these packages is imported: what is given is known by its columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from ..data import SmallFrame, small_frame
from ..errors import InputError, verbatim
from ..table import MISSING, Matrix, Table

_CELLS: Final = {"true_positive": "tp", "false_negative": "fn", "false_positive": "fp", "true_negative": "tn"}
# What may stand before and after a cell's name: num_true_positives, tp_count.
_AROUND: Final = re.compile(r"^(?:(?:n|num|number|count)_(?:of_)?)?(.+?)s?(?:_counts?)?$")
_ATTRIBUTE, _VALUE = "attribute_name", "attribute_value"
# Rows of a crosstab that differ in one of these hold the same cases again.
_OF_ONE_MODEL: Final = (_ATTRIBUTE, "model_id", "score_threshold")
_SKLEARN: Final = "tn fp fn tp"
_MOST_SHOWN: Final = 12


def tables_of(given: Any) -> dict[str, Table | Matrix]:
    """Return the tables of groups by name, from a frame with a row a group or from what holds one.

    Parameters
    ----------
    given
        A fairlearn `MetricFrame`, an aequitas crosstab, or a data frame of any kind. It has the columns tp, fn, fp and
        tn, also spelt out, or one column of confusion matrices as scikit-learn makes them (rows actual, columns
        predicted, the positive class last). Its index, or else its columns of texts, name the groups.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sex": ["f", "m"], "tp": [3, 4], "fn": [1, 0], "fp": [2, 2], "tn": [9, 8]})
    >>> tables_of(frame)
    {'sex=f': Table(tp=3, fn=1, fp=2, tn=9), 'sex=m': Table(tp=4, fn=0, fp=2, tn=8)}
    """
    made_by_fairlearn = hasattr(given, "by_group") and hasattr(given, "overall")
    frame = small_frame(given.by_group if made_by_fairlearn else given)
    # Where the counts of each cell are.
    cells: dict[str, int] = {}
    for place, name in enumerate(frame.names):
        plain = re.sub(r"[\s-]+", "_", name.strip().lower())
        match = _AROUND.fullmatch(plain)
        cell = _CELLS.get(match[1], match[1]) if match else plain
        if cell not in _CELLS.values():
            continue
        if cell in cells:
            raise InputError("ambiguous", "groups", f"has two columns for {cell}", name, "leave one of them out")
        cells[cell] = place
    if not cells or len(cells) == len(_CELLS):
        groups, rows = _group_columns(frame, cells), frame.rows()
        _check_one_model(frame.names, rows)
        tables = _counted(frame, rows, cells) if cells else _matrices(frame, rows)
        if tables is not None:
            return _named(frame, groups, rows, tables)
    lacking = [cell for cell in _CELLS.values() if cell not in cells]
    shown = verbatim(f"{_listed(frame.names)}, without {', '.join(lacking)}")
    hint = "give columns tp, fn, fp and tn, or one of confusion matrices"
    if made_by_fairlearn:
        hint = 'make it with counts: MetricFrame(metrics={"cells": partial(confusion_matrix, labels=[0, 1])}, ...)'
    raise InputError("bad_shape", "groups", "has no columns of the four counts", shown, hint)


def _group_columns(frame: SmallFrame, cells: dict[str, int]) -> list[int]:
    """Return the columns that name the groups."""
    if _ATTRIBUTE in frame.names and _VALUE in frame.names:
        return [frame.names.index(_VALUE)]
    if frame.index:
        return list(range(frame.index))
    others = [place for place in range(len(frame.names)) if place not in cells.values()]
    texts = [place for place in others if frame.texts[place]]
    if texts or len(others) == 1:
        return texts or others
    shown = verbatim(_listed([frame.names[place] for place in others]) or "no other column")
    hint = "keep one column of texts with the groups' names"
    raise InputError("ambiguous", "groups", "which column names the groups is not clear", shown, hint)


def _check_one_model(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Refuse a crosstab whose rows share cases: of several attributes, models or thresholds."""
    if _ATTRIBUTE not in names or _VALUE not in names:
        return
    for name in _OF_ONE_MODEL:
        values = list(dict.fromkeys(row[names.index(name)] for row in rows)) if name in names else []
        if len(values) > 1:
            shown = verbatim(f"{name} {_listed(list(map(str, values)))}")
            hint = f"choose one, such as crosstab[crosstab[{name!r}] == {values[0]!r}]"
            raise InputError("ambiguous", "groups", "has rows that share cases", shown, hint)


def _counted(frame: SmallFrame, rows: Sequence[tuple[Any, ...]], cells: dict[str, int]) -> list[Table | None]:
    """Return the table of each row; None where nothing was counted, as in a group without cases."""
    counts = [{cell: row[place] for cell, place in cells.items()} for row in rows]
    return [None if set(counted_row.values()) == {None} else Table.from_mapping(counted_row) for counted_row in counts]


def _matrices(frame: SmallFrame, rows: Sequence[tuple[Any, ...]]) -> list[Table | Matrix | None] | None:
    """Return the table or matrix of each row from a column of matrices; None where there is no such column."""
    columns = list(zip(*rows, strict=True))
    places = [place for place, column in enumerate(columns) if any(_shape(value) for value in column)]
    if len(places) > 1:
        shown = verbatim(_listed([frame.names[place] for place in places]))
        raise InputError("ambiguous", "groups", "has several columns of matrices", shown, "leave all but one out")
    if not places:
        return None
    [column] = [columns[place] for place in places]
    shapes = {_shape(value) for value in column if value is not None}
    [shape] = shapes if len(shapes) == 1 else [None]
    if shape is None or len(shape) != 2 or shape[0] != shape[1] or shape[0] < 2:
        shown = verbatim(" and ".join(map(str, sorted(map(str, shapes)))))
        hint = "name all labels: partial(confusion_matrix, labels=[0, 1])"
        raise InputError(
            "bad_shape", "groups", "must have matrices of one size, one row and one column per class", shown, hint
        )
    if shape[0] > 2:
        return [None if value is None else Matrix(value) for value in column]
    return [None if value is None else Table.from_matrix(value, order=_SKLEARN) for value in column]


def _shape(value: Any) -> tuple[int, ...]:
    """Return the shape of an array or of lists in lists; empty for anything else."""
    if hasattr(value, "shape"):
        return tuple(value.shape)
    if not isinstance(value, list | tuple) or not value:
        return ()
    return len(value), *_shape(value[0])


def _named(
    frame: SmallFrame, groups: Sequence[int], rows: Sequence[tuple[Any, ...]], tables: Sequence[Table | Matrix | None]
) -> dict[str, Table | Matrix]:
    """Put names to tables: sex=f, as an audit calls its groups; a row without cases is not a group."""
    attribute = frame.names.index(_ATTRIBUTE) if _ATTRIBUTE in frame.names and _VALUE in frame.names else None
    named: dict[str, Table | Matrix] = {}
    for row, table in zip(rows, tables, strict=True):
        if table is None:
            continue
        columns = [str(row[attribute])] if attribute is not None else [frame.names[place] for place in groups]
        values = [MISSING if row[place] is None else str(row[place]) for place in groups]
        parts = [f"{column}={value}" if column else value for column, value in zip(columns, values, strict=True)]
        name = ", ".join(parts)
        if name in named:
            hint = "give each group one row, or keep the column that tells them apart"
            raise InputError("ambiguous", "groups", "has two rows of one name", name, hint)
        named[name] = table
    return named


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_SHOWN]) + (" ..." if len(names) > _MOST_SHOWN else "")
