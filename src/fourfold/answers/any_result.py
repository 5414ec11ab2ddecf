"""A document of any result: its single values as facts, its rows as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any, Final

from ..document import Column, Document, Facts, Grid, Kind, Notes
from ..words import figures, sentence

_MOST_ROWS: Final = 100


@singledispatch
def document(result: Any) -> Document:
    """Return a result as a document: the answer in one line, then blocks that every writer can lay out.

    Examples
    --------
    >>> from fourfold.space import holes
    >>> document(holes("mcc", 30)).title
    '120 of 5456 tables of size 30 (2.2 %) leave Matthews correlation coefficient undefined'
    """
    values: dict[str, Any] = result.to_dict()
    name = sentence(str(values.pop("schema")).rpartition("/")[2].replace("_", " "))
    single = {_spaced(key): figures(value) for key, value in values.items() if _is_single(value) and key != "version"}
    return Document(name, name, blocks=[Facts(single), rows_grid(name, result.rows()), Notes(result.notes)])


def rows_grid(caption: str, rows: Sequence[Mapping[str, Any]]) -> Grid:
    """Return flat records as a table, each column by what it holds."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = [Column(_spaced(name), _kind([row.get(name) for row in rows])) for name in names]
    shown = [[row.get(name) for name in names] for row in rows[:_MOST_ROWS]]
    return Grid(caption, columns, shown, left_out=max(0, len(rows) - _MOST_ROWS))


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _is_single(value: object) -> bool:
    return not isinstance(value, dict | list)


def _kind(values: Sequence[object]) -> Kind:
    numbers = [value for value in values if value is not None]
    if all(isinstance(value, int) and not isinstance(value, bool) for value in numbers):
        return "count"
    return "number" if all(isinstance(value, int | float) for value in numbers) else "text"
