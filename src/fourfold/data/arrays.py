"""Columns in memory that belong to no frame, and rows that come in batches: counted and summed with numpy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, verbatim
from .aggregation import Grouped, bad_rows
from .columns import ROUNDING, Request, check_size
from .faults import Faults
from .labels import known, plain
from .thresholds import decided

_Codes: TypeAlias = NDArray[np.intp]
_Floats: TypeAlias = NDArray[np.float64]
Column: TypeAlias = NDArray[Any] | list[Any]

# Integers that lie no further apart are their own codes.
_MOST_APART: Final = 1 << 12
# Up to this many combinations are counted in one array; beyond it, sorting is lighter.
_MOST_IN_ONE_ARRAY: Final = 1 << 22
# Texts longer than this are looked up one by one.
_LONGEST_TEXT: Final = 64
_FIRST: Final = 1 << 14
_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
# Rows looked at together: what is made of them stays in the processor's cache.
_CHUNK: Final = 1 << 14


class Coded(NamedTuple):
    """A column as the places of its values in a list."""

    codes: _Codes
    values: list[Any]


class Cases(NamedTuple):
    """Rows with labels: actual and, where given, predicted ones, the probabilities by column, and each row's key."""

    truth: list[Any]
    prediction: list[Any] | None
    probabilities: dict[str, _Floats]
    keys: list[Any] | None = None


class FileColumns(dict[str, Column]):
    """Columns of a file by name: labels and groups in lists, None where they are missing, and numbers in arrays."""

    def __init__(self, columns: Mapping[str, Column], file: str, wanted: Request, faults: Faults | None = None) -> None:
        super().__init__(columns)
        self.faults = faults or Faults()
        self.file = file
        self._wanted = wanted
        self._keys = len(wanted.keys)

    def cases(self, key: str | None = None) -> Cases:
        """Return the rows that have labels, as the functions for arrays take them."""
        columns = list(self.values())
        labels = columns[: self._wanted.labels]
        kept = [row for row, values in enumerate(zip(*labels, strict=True)) if None not in map(plain, values)]
        numbers = {name: np.asarray(column)[kept] for name, column in list(self.items())[self._keys :]}
        truth, *predicted = ([column[row] for row in kept] for column in labels)
        keys = None if key is None else [columns[self._keys - 1][row] for row in kept]
        return Cases(truth, predicted[0] if predicted else None, numbers, keys)

    def labelled(self) -> tuple[list[Any], Any]:
        """Return the truth and the probabilities of rows that have a truth, as `decompose` and the curves take them."""
        truth = next(iter(self.values()))
        kept = [row for row, label in enumerate(truth) if plain(label) is not None]
        numbers = {name: np.asarray(column)[kept] for name, column in list(self.items())[self._keys :]}
        return [truth[row] for row in kept], numbers if len(numbers) > 1 else next(iter(numbers.values()))


def aggregate_arrays(data: Mapping[Any, Any], wanted: Request) -> Grouped:
    """Count or sum columns given by name as arrays, lists or columns of a frame."""
    header = list(data)
    chosen = [header[place] for place in wanted.places([str(name) for name in header], "the data")]
    names, keys = [str(name) for name in chosen], len(wanted.keys)
    values = [column_of(data[name], str(name)) for name in chosen[:keys]]
    if wanted.threshold is not None:
        values[1] = decided(values[1], wanted.threshold, names[1])
    numbers = [_numbers(data[name], str(name)) for name in chosen[keys:]]
    lengths = [len(column) for column in (*values, *numbers)]
    if len(set(lengths)) > 1:
        shown = verbatim(", ".join(f"{name}: {length}" for name, length in zip(names, lengths, strict=True)))
        raise InputError("length_mismatch", "data", "columns must be of one length", shown, "check the rows")
    batches = Batches(wanted)
    file, notes = (f" of {data.file}", data.faults.notes) if isinstance(data, FileColumns) else ("", ())
    batches.add(values, numbers, file=file)
    return batches.grouped(names, len(values[0]))._replace(notes=notes)


class Batches:
    """Takes rows in batches, and counts or sums all of them."""

    def __init__(self, wanted: Request) -> None:
        self.wanted = wanted
        self._bad_rows = 0
        self._first_bad: tuple[str, list[float]] | None = None
        self._cells: dict[tuple[Any, ...], _Floats] = {}

    def add(self, keys: Sequence[Column], numbers: Sequence[_Floats], start: int = 0, file: str = "") -> None:
        """Add rows: the columns to group by, and the probabilities; and of which file they are, from which row on."""
        rows, codes, weights = len(keys[0]), [coded(column) for column in keys], []
        if numbers:
            columns = [1 - numbers[0], numbers[0]] if len(numbers) == 1 else list(numbers)
            largest, fine, tied = _marked(columns, self.wanted.tolerance)
            columns = [np.clip(column, 0, 1) if _is_outside(column) else column for column in columns]
            labels = keys[: self.wanted.labels]
            bad = [row for row in np.flatnonzero(~fine).tolist() if None not in (known(names[row]) for names in labels)]
            self._bad_rows += len(bad)
            if bad and self._first_bad is None:
                self._first_bad = f"row {start + bad[0]}{file}", [float(column[bad[0]]) for column in numbers]
            if self.wanted.prediction is None:
                codes.append(Coded(largest, list(range(len(columns)))))
            weights = [fine, tied, *columns]
        places, kinds, counts = combined(codes, rows, self.wanted.keys)
        sums = [np.bincount(places, weight, minlength=len(kinds)) for weight in weights]
        for kind, row in zip(kinds, np.stack([counts, *sums], axis=1), strict=True):
            self._cells[kind] = self._cells[kind] + row if kind in self._cells else row
        check_size(len(self._cells), self.wanted.keys)

    def grouped(self, names: Sequence[str], rows: int | None = None) -> Grouped:
        """Return what was counted or summed; refuse rows that are no probabilities."""
        if self._first_bad:
            raise bad_rows(self._bad_rows, *self._first_bad)
        cells = [(*kind, *row.tolist()) for kind, row in self._cells.items()]
        if self.wanted.prediction is not None and self.wanted.probabilities:
            keys = len(self.wanted.keys)
            # Where predictions are given, rows are not told apart by their largest probability, and ties do not count.
            cells = [(*cell[:keys], 0, *cell[keys : keys + 2], 0, *cell[keys + 3 :]) for cell in cells]
        return Grouped.read(names, cells, self.wanted, rows)


def _marked(columns: Sequence[_Floats], tolerance: float) -> tuple[_Codes, NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the place of each row's largest probability, whether all are fine, and whether several are largest."""
    rows = len(columns[0])
    places, (fine, tied) = np.zeros(rows, dtype=np.intp), np.empty((2, rows), dtype=bool)
    for start in range(0, rows, _CHUNK):
        piece = slice(start, start + _CHUNK)
        part = np.stack([column[piece] for column in columns])
        with np.errstate(invalid="ignore"):
            far = np.abs(part.sum(axis=0) - 1)
        within = (part.min(axis=0) >= -ROUNDING) & (part.max(axis=0) <= 1 + ROUNDING)
        part = np.clip(part, 0, 1) if _is_outside(part) else part
        top = part[0].copy()
        for place, column in enumerate(part[1:], start=1):
            places[piece][column > top] = place
            np.maximum(top, column, out=top)
        fine[piece] = within & (far <= tolerance)
        tied[piece] = (part == top).sum(axis=0) > 1
    return places, fine, tied


def _is_outside(numbers: _Floats) -> bool:
    return bool((numbers < 0).any() or (numbers > 1).any())


def _numbers(values: Any, name: str) -> _Floats:
    """Return a column as numbers, nan where they are missing."""
    if hasattr(values, "to_numpy") and not hasattr(values, "to_pylist"):
        values = values.to_numpy()
    values = values if isinstance(values, np.ndarray) and values.dtype.kind in "fiu" else column_of(values, name)
    numbers = np.ma.filled(values, np.nan) if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
    if numbers.dtype.kind == "O":
        listed = [plain(value) for value in numbers.tolist()]
        if not any(isinstance(value, str | bytes) for value in listed):
            numbers = numbers_of(listed)
    if numbers.dtype.kind not in "fiu" and len(numbers):
        shown = verbatim(f"column {name} of type {numbers.dtype}")
        raise InputError("bad_probability", "probabilities", "must be numbers", shown, "leave other columns out")
    if numbers.ndim != 1:
        hint = "name a column for each class"
        raise InputError("bad_shape", name, "must have one dimension", verbatim(f"shape {numbers.shape}"), hint)
    return numbers.astype(np.float64, copy=False)


def numbers_of(values: Sequence[Any]) -> _Floats:
    """Return values of any kind as numbers, nan where they are none."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        return np.array([_number(value) for value in values])


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan


def combined(columns: Sequence[Coded], rows: int, names: Sequence[str]) -> tuple[_Codes, list[tuple[Any, ...]], Any]:
    """Return which combination of values each row has, what combinations there are, and how many rows have each."""
    places, combinations = np.zeros(rows, dtype=np.intp), [()] if rows else []
    counts: Any = np.array([rows] if rows else [])
    for column in columns:
        check_size(len(column.values), names)
        places, combinations, counts = _split(places, combinations, column)
        check_size(len(combinations), names)
    return places, combinations, counts


def _split(
    places: _Codes, combinations: list[tuple[Any, ...]], column: Coded
) -> tuple[_Codes, list[tuple[Any, ...]], NDArray[Any]]:
    """Split each combination so far by the values of one more column, and count."""
    width = max(len(column.values), 1)
    cells = places * width
    cells += column.codes
    most = len(combinations) * width
    if most <= _MOST_IN_ONE_ARRAY:
        counts = np.bincount(cells, minlength=most)
        used = np.flatnonzero(counts)
        counts = counts[used]
        number = np.zeros(most, dtype=np.intp)
        number[used] = np.arange(len(used))
        places = number[cells]
    else:
        used, places, counts = np.unique(cells, return_inverse=True, return_counts=True)
    return places, [(*combinations[cell // width], column.values[cell % width]) for cell in used.tolist()], counts


def column_of(values: Any, name: str) -> NDArray[Any] | list[Any]:
    """Return a column as an array where it comes as one, else as a list."""
    if hasattr(values, "to_pylist"):
        return list(values.to_pylist())
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if isinstance(values, np.ma.MaskedArray) or not isinstance(values, np.ndarray):
        if isinstance(values, str | bytes | Mapping | Set) or not isinstance(values, Iterable):
            raise InputError("bad_shape", name, "must be a column of values", values, "give a list or an array")
        return list(values.tolist() if hasattr(values, "tolist") else values)
    if values.ndim != 1:
        hint = "one value a row; for one-hot rows or probabilities take the argmax"
        raise InputError("bad_shape", name, "must have one dimension", verbatim(f"shape {values.shape}"), hint)
    # Python has no times finer than this, and numpy would give numbers instead.
    return values.astype("datetime64[us]") if values.dtype.kind == "M" else values


def coded(column: NDArray[Any] | list[Any]) -> Coded:
    """Turn a column's values into codes."""
    if isinstance(column, list) or not len(column):
        return _coded_values(column)
    kind = column.dtype.kind
    if kind in "iub":
        return _coded_integers(column)
    if kind == "f":
        values, codes = np.unique(column, return_inverse=True)
        return Coded(codes, [plain(value) for value in values.tolist()])
    if kind == "U" and 0 < column.dtype.itemsize <= 4 * _LONGEST_TEXT:
        return _coded_texts(column) or _coded_values(column)
    return _coded_values(column)


def _coded_integers(column: NDArray[Any]) -> Coded:
    low, high = int(column.min()), int(column.max())
    if high - low > _MOST_APART or high >= 2**63:
        values, codes = np.unique(column, return_inverse=True)
        return Coded(codes, values.tolist())
    kind = bool if column.dtype.kind == "b" else int
    return Coded(column.astype(np.intp) - low, [kind(value) for value in range(low, high + 1)])


def _coded_texts(column: NDArray[Any]) -> Coded | None:
    """Code texts of fixed width by a number mixed from their characters; None where two texts share a number."""
    letters = np.ascontiguousarray(column).view(np.uint32).reshape(len(column), -1)
    keys = np.zeros(len(column), dtype=np.uint64)
    for place in range(letters.shape[1]):
        keys *= _MULTIPLIER
        keys += letters[:, place]
    # The first rows mostly have every text; only where they have not, all rows are sorted.
    known = np.unique(keys[:_FIRST])
    codes = np.searchsorted(known, keys)
    codes[codes == len(known)] = 0
    if not np.array_equal(known[codes], keys):
        known, codes = np.unique(keys, return_inverse=True)
    example = np.empty(len(known), dtype=np.intp)
    example[codes] = np.arange(len(column))
    texts = column[example]
    return Coded(codes, texts.tolist()) if bool((texts[codes] == column).all()) else None


def _coded_values(column: NDArray[Any] | list[Any]) -> Coded:
    values = column if isinstance(column, list) else column.tolist()
    known: dict[Any, int] = {}
    # Only different values are looked at closely: many rows share one, and nan may be many that differ.
    codes = {value: known.setdefault(plain(value), len(known)) for value in dict.fromkeys(values)}
    return Coded(np.fromiter(map(codes.__getitem__, values), np.intp, len(values)), list(known))
