"""Probabilities in memory that belong to no frame, and rows that come in batches, summed with numpy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, verbatim
from .arrays import Coded, coded, column_of, joined, one_length
from .sums import COUNTS, Sums, bad_rows
from .tally import Wanted, check_size, plain

_Floats: TypeAlias = NDArray[np.float64]

# Rows looked at together: what is made of them stays in the processor's cache.
_CHUNK: Final = 1 << 14


class _Marks(NamedTuple):
    """Of each row, the place of its largest probability, whether all are fine, and whether several are largest."""

    places: NDArray[np.intp]
    fine: NDArray[np.bool_]
    tied: NDArray[np.bool_]


def sum_arrays(data: Mapping[Any, Any], wanted: Wanted, tolerance: float) -> Sums:
    """Sum columns given by name as arrays, lists or columns of a frame."""
    names = list(data)
    chosen = [names[place] for place in wanted.places([str(name) for name in names], "the data")]
    shown, keys = [str(name) for name in chosen], len(wanted.keys)
    labels = [column_of(data[name], str(name)) for name in chosen[:keys]]
    numbers = [_numbers(data[name], str(name)) for name in chosen[keys:]]
    one_length([*labels, *numbers], shown)
    batches = Batches(wanted, tolerance)
    batches.add(labels, numbers)
    return batches.sums(shown)


def _numbers(values: Any, name: str) -> _Floats:
    """Return a column as numbers, nan where they are missing."""
    if hasattr(values, "to_numpy") and not hasattr(values, "to_pylist"):
        values = values.to_numpy()
    values = values if isinstance(values, np.ndarray) and values.dtype.kind in "fiu" else column_of(values, name)
    found = np.ma.filled(values, np.nan) if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
    if found.dtype.kind == "O":
        listed = [plain(value) for value in found.tolist()]
        if not any(isinstance(value, str | bytes) for value in listed):
            found = _as_floats(listed, found)
    if found.dtype.kind not in "fiu" and len(found):
        shown = verbatim(f"column {name} of type {found.dtype}")
        raise InputError("bad_probability", "probabilities", "must be numbers", shown, "leave other columns out")
    if found.ndim != 1:
        hint = "name a column for each class"
        raise InputError("bad_shape", name, "must have one dimension", verbatim(f"shape {found.shape}"), hint)
    return found.astype(np.float64, copy=False)


def _as_floats(listed: list[Any], otherwise: NDArray[Any]) -> NDArray[Any]:
    try:
        return np.array([np.nan if value is None else float(value) for value in listed])
    except (TypeError, ValueError):
        return otherwise


def numbers_of(values: Sequence[Any]) -> _Floats:
    """Return values of any kind as numbers, nan where they are none.

    Examples
    --------
    >>> numbers_of(["0.5", " 1e-3", "", None, 1]).tolist()
    [0.5, 0.001, nan, nan, 1.0]
    """
    try:
        return np.array(values, dtype=np.float64)
    except ValueError:
        return np.array([_number(value) for value in values])


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan


class Batches:
    """Takes rows in batches, and has the sums of all."""

    def __init__(self, wanted: Wanted, tolerance: float) -> None:
        self.wanted, self.tolerance = wanted, tolerance
        self.rows = self.bad = 0
        self.first: tuple[str, list[float]] | None = None
        self._cells: dict[tuple[Any, ...], _Floats] = {}

    def add(
        self,
        labels: Sequence[NDArray[Any] | list[Any]],
        numbers: Sequence[_Floats],
        where: Callable[[int], str] | None = None,
    ) -> None:
        """Add rows: the columns to group by, and the probabilities; `where` says which row the n-th of them is."""
        columns = [1 - numbers[0], numbers[0]] if len(numbers) == 1 else list(numbers)
        marks = _marked(columns, self.tolerance)
        if self.wanted.prediction is not None:
            marks = _Marks(np.zeros_like(marks.places), marks.fine, np.zeros_like(marks.tied))
        places, cells = self._split([coded(column) for column in labels], marks, len(columns))
        self._check(labels[: self.wanted.labels], numbers, marks.fine, where)
        counts = [np.bincount(places, mask, minlength=len(cells)) for mask in (marks.fine, marks.tied)]
        sums = [np.bincount(places, column, minlength=len(cells)) for column in columns]
        table = np.stack([[count for _, count in cells], *counts, *sums], axis=1) if cells else np.empty((0, 0))
        for (values, _), row in zip(cells, table, strict=True):
            self._cells[values] = self._cells[values] + row if values in self._cells else row
        check_size(len(self._cells), self.wanted)
        self.rows += len(marks.fine)

    def _split(
        self, labels: Sequence[Coded], marks: _Marks, width: int
    ) -> tuple[NDArray[np.intp], list[tuple[tuple[Any, ...], int]]]:
        """Return the kind of each row, and what kinds there are, with how many rows they have."""
        many = len(marks.fine)
        places, cells = np.zeros(many, dtype=np.intp), [((), many)] if many else []
        for column in (*labels, Coded(marks.places, list(range(width)))):
            check_size(len(column.values), self.wanted)
            places, cells = joined(places, [values for values, _ in cells], column)
            check_size(len(cells), self.wanted)
        return places, cells

    def _check(
        self,
        labels: Sequence[NDArray[Any] | list[Any]],
        numbers: Sequence[_Floats],
        fine: NDArray[np.bool_],
        where: Callable[[int], str] | None,
    ) -> None:
        """Count the rows with labels that are no probabilities, and keep the first."""
        if fine.all():
            return
        off = [
            row for row in np.flatnonzero(~fine).tolist() if all(plain(column[row]) is not None for column in labels)
        ]
        self.bad += len(off)
        if off and self.first is None:
            name = where(off[0]) if where else f"row {self.rows + off[0]}"
            self.first = name, [float(column[off[0]]) for column in numbers]

    def sums(self, names: Sequence[str]) -> Sums:
        """Return the sums of all rows, given the names of all columns; refuse rows that are no probabilities."""
        if self.bad and self.first:
            raise bad_rows(self.bad, *self.first)
        keys = len(self.wanted.keys)
        cells = [(*values, *row.tolist()) for values, row in self._cells.items()]
        assert all(len(cell) >= keys + COUNTS for cell in cells), "a cell is too short"
        return Sums(names[:keys], names[keys:], cells, self.wanted.labels, self.rows)


def _marked(columns: Sequence[_Floats], tolerance: float) -> _Marks:
    many = len(columns[0])
    marks = _Marks(np.zeros(many, dtype=np.intp), np.empty(many, dtype=bool), np.empty(many, dtype=bool))
    for start in range(0, many, _CHUNK):
        piece = slice(start, start + _CHUNK)
        part = np.stack([column[piece] for column in columns])
        top = part[0].copy()
        for place, column in enumerate(part[1:], start=1):
            marks.places[piece][column > top] = place
            np.maximum(top, column, out=top)
        with np.errstate(invalid="ignore"):
            far = np.abs(part.sum(axis=0) - 1)
        marks.fine[piece] = (part.min(axis=0) >= 0) & (top <= 1) & (far <= tolerance)
        marks.tied[piece] = (part == top).sum(axis=0) > 1
    return marks
