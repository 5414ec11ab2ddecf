"""A document of any result: its single values as facts, its rows as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch
from importlib import import_module
from typing import Any, Final

from ..document import Column, Document, Facts, Grid, Kind, Notes, Sentence
from ..errors import InputError
from ..metrics import metric
from ..words import figures, sentence

_MOST_ROWS: Final = 100
#: The module here that makes the documents of a class of results; it is imported when there is such a result.
_MAKERS: Final = {
    name: module
    for module, names in {
        "certainty": "Abstention Calibration CertaintyComparison CertaintyRatio Curve Decomposition Overview Resampled",
        "checks": "Baseline Check Report SheetCheck Studies",
        "claims": "Distribution Estimate Recovery",
        "glossary": "Glossary",
        "groups": "Audit Comparison ContrastInterval ExpectedError Interval Match Smoothed SmoothedMatrix",
        "models": "ModelComparison PairedComparison",
        "planning": "Plan",
        "previews": "Preview",
        "protocols": "Protocols",
        "regression": "RegressionRecovery",
        "result_tables": "KnownSets Lead SharedSizes",
        "scores": "Catalogue Description Holes Scores",
    }.items()
    for name in names.split()
}


@singledispatch
def document(result: Any) -> Document:
    """Return a result as a document: the answer in one line, then blocks that every writer can lay out.

    Examples
    --------
    >>> from fourfold.solve import holes
    >>> document(holes("mcc", 30)).title
    '120 of 5456 tables of size 30 (2.2 %) leave Matthews correlation coefficient undefined'
    """
    if type(result).__name__ in _MAKERS:
        import_module(f".{_MAKERS[type(result).__name__]}", __package__)
    make = document.dispatch(type(result))
    return plain_document(result) if make is document.dispatch(object) else make(result)


def plain_document(result: Any, title: str = "") -> Document:
    """Return a document of single values and rows, under a title that tells the answer."""
    values: dict[str, Any] = result.to_dict()
    name = sentence(str(values.pop("schema")).rpartition("/")[2].replace("_", " "))
    single = {_spaced(key): figures(value) for key, value in values.items() if _is_said(value) and key != "version"}
    line = [Sentence(f"{title}.", strong=True, place="terminal")] if title else []
    # One row would say the same as the single values.
    rows = result.rows()
    grid = [rows_grid(name, rows)] if len(rows) > 1 or not single else []
    return Document(name, title or name, blocks=[*line, Facts(single), *grid, Notes(result.notes)])


def label_of(name: str) -> str:
    """Return what a metric is called; one that the catalogue lacks has its name."""
    try:
        return metric(name).label
    except InputError:
        return name


def rows_grid(caption: str, rows: Sequence[Mapping[str, Any]]) -> Grid:
    """Return flat records as a table, each column by what it holds."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = [Column(_spaced(name), _kind([row.get(name) for row in rows])) for name in names]
    shown = [[row.get(name) for name in names] for row in rows[:_MOST_ROWS]]
    return Grid(caption, columns, shown, left_out=max(0, len(rows) - _MOST_ROWS))


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _is_said(value: object) -> bool:
    return value not in (None, "") and not isinstance(value, dict | list)


def _kind(values: Sequence[object]) -> Kind:
    numbers = [value for value in values if value is not None]
    if all(isinstance(value, int) and not isinstance(value, bool) for value in numbers):
        return "count"
    return "number" if all(isinstance(value, int | float) for value in numbers) else "text"
