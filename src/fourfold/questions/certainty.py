"""The question of certainty: files are read once, and what needs every row is left out of large ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np

from ..certainty import CertaintyComparison, Overview, ProbabilityColumns, decompose_data, find_probabilities, overview
from ..certainty.abstention import abstention_of
from ..certainty.calibration import calibration_of
from ..certainty.columns import match_columns
from ..certainty.curves import imcp_of, mcp_of
from ..certainty.decomposition import Predictions
from ..certainty.resampling import comparison_of
from ..data import read_probabilities
from ..errors import InputError, Note, TooLarge
from ..metrics import SPLIT
from ..table import TOLERANCE
from .parameters import Asked, DataFile

# Curves, calibration and abstention need every row in memory; larger files have none.
_MOST_CURVE_ROWS: Final = 200_000
# Of more rows fewer resamples are drawn.
_MOST_FULLY_DRAWN: Final = 20_000


def answer_certainty(
    asked: Asked,
    *,
    truth: str,
    metric: Sequence[str] = SPLIT,
    convention: Any = "strict",
    tolerance: Any = TOLERANCE,
    want: float | None = None,
    key: str | None = None,
    level: float = 0.95,
    bins: int = 10,
    rng: int | None = None,
    **read: Any,
) -> Overview:
    """Return the certainty ratios of one or two files of probabilities, with what follows from every row."""
    if key is not None and len(asked.files) != 2:
        raise InputError("usage", asked.spelt("key"), "works only with two files", key, "leave it out")
    columns = {file.label: _columns(file, truth, tolerance, key, **read) for file in asked.files}
    data, notes = _in_memory(asked, columns, truth, key, read)
    models = {}
    for file in asked.files:
        source = data.get(file.label, file.path)
        options = {**read, "truth": truth, "probabilities": columns[file.label]}
        options |= {} if source is file.path else {"query": None}
        with asked.progress(file) as progress:
            models[file.label] = decompose_data(source, tolerance=tolerance, progress=progress, **options)
    result = overview(models, metric, convention=convention)
    cases = {name: _cases(rows, columns[name], tolerance, key) for name, rows in data.items()}
    drawn: Any = {"level": level, "rng": rng}
    more: dict[str, Any] = {
        "calibration": {name: calibration_of(rows.rows, bins=bins, **drawn) for name, rows in cases.items()},
        "abstention": {name: abstention_of(rows.rows, metric[0], want=want, **drawn) for name, rows in cases.items()},
    }
    if len(cases) == 2:
        more["comparison"], not_compared = _surer(cases, metric, {**drawn, "convention": convention})
        notes += not_compared
    if asked.drawn:
        curves = {"mcp": mcp_of, "imcp": imcp_of} if cases else {}
        more["curves"] = {
            kind: {name: curve(rows.rows) for name, rows in cases.items()} for kind, curve in curves.items()
        }
    return replace(result, **more, notes=(*result.notes, *notes))


def _columns(
    file: DataFile,
    truth: str,
    tolerance: float,
    key: str | None,
    *,
    probabilities: Sequence[str] | None = None,
    prediction: str | None = None,
    by: Sequence[str] = (),
    query: str | None = None,
) -> Sequence[str] | ProbabilityColumns:
    """Return the columns of probabilities that were named, or those that are found."""
    if probabilities is not None:
        return match_columns(file.path, probabilities, truth=truth, query=query) or probabilities
    apart = [name for name in (prediction, key, *by) if name is not None]
    return find_probabilities(file.path, truth=truth, apart=apart, tolerance=tolerance, query=query)


def _in_memory(
    asked: Asked, columns: Mapping[str, Any], truth: str, key: str | None, read: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[Note, ...]]:
    """Read every row, so that files are read once; of large files only sums are made."""
    options = {**read, "truth": truth, "by": (*read.get("by", ()), *(() if key is None else (key,)))}
    data = {}
    try:
        for file in asked.files:
            chosen = columns[file.label]
            names = chosen.columns if isinstance(chosen, ProbabilityColumns) else chosen
            options["probabilities"] = names
            data[file.label] = read_probabilities(file.path, limit=_MOST_CURVE_ROWS, **options)
    except TooLarge as error:
        words = f"curves, calibration and abstention are left out: {error}"
        return {}, (Note("curves_left_out", words, {}),)
    return data, ()


class _Cases(NamedTuple):
    """The cases of a file with their labels, and what names each."""

    rows: Predictions
    truth: Sequence[Any]
    keys: Sequence[Any] | None
    #: Where rows that could not be read stood among them.
    unread: Sequence[int] = ()


def _cases(data: Any, columns: Any, tolerance: float, key: str | None) -> _Cases:
    cases = data.cases(key)
    values, labels = cases.probabilities, None
    if isinstance(columns, ProbabilityColumns):
        numbers = list(cases.probabilities.values())
        values, labels = numbers[0] if len(numbers) == 1 else np.column_stack(numbers), columns.labels
    options: Any = {"prediction": cases.prediction, "tolerance": tolerance}
    return _Cases(Predictions.read(cases.truth, values, labels, **options), cases.truth, cases.keys, data.faults.places)


def _surer(
    cases: Mapping[str, _Cases], metrics: Sequence[str], options: Mapping[str, Any]
) -> tuple[CertaintyComparison | None, tuple[Note, ...]]:
    """Compare two models where both judged the same cases; else say why not."""
    (one, first), (other, second) = cases.items()
    why = ""
    if first.keys is not None and second.keys is not None:
        places = {value: place for place, value in enumerate(second.keys)}
        if len(places) < len(second.keys) or set(first.keys) != set(places) or len(first.keys) != len(places):
            why = "the key does not name the same cases once in both files"
        else:
            order = [places[value] for value in first.keys]
            second = _Cases(second.rows.at(order), [second.truth[place] for place in order], None)
    elif first.unread != second.unread:
        why = "some rows of one file could not be read; name the column that tells cases apart as key"
    if not why and [*map(str, first.truth)] != [*map(str, second.truth)]:
        why = "the files do not have the same cases in the same order; name the column that tells them apart as key"
    if not why and set(first.rows.labels) != set(second.rows.labels):
        why = "the files have other classes"
    if why:
        return None, (Note("not_tested", f"which model is surer was not asked: {why}", {}),)
    draws = 1000 if len(first.rows) <= _MOST_FULLY_DRAWN else 200
    second_rows = second.rows.ordered(first.rows.labels)
    return comparison_of(first.rows, second_rows, metrics, names=(one, other), draws=draws, **options), ()
