"""Columns in memory that belong to no frame: each value becomes a code, and codes are counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set, Sized
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, verbatim
from .tally import Tally, Wanted, check_size, plain

_Codes: TypeAlias = NDArray[np.intp]

# Integers that lie no further apart are their own codes.
_SPREAD: Final = 1 << 12
# Up to this many combinations are counted in one array; beyond it, sorting is lighter.
_WIDEST: Final = 1 << 22
# Texts longer than this are looked up one by one.
_LONGEST: Final = 64
_FIRST: Final = 1 << 14
_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)


class Coded(NamedTuple):
    """A column as the places of its values in a list."""

    codes: _Codes
    values: list[Any]


def count_arrays(data: Mapping[Any, Any], wanted: Wanted) -> Tally:
    """Count columns given by name as arrays, lists or columns of a frame."""
    keys = list(data)
    chosen = [keys[place] for place in wanted.places([str(key) for key in keys], "the data")]
    names = [str(key) for key in chosen]
    columns = [column_of(data[key], name) for key, name in zip(chosen, names, strict=True)]
    length = one_length(columns, names)
    cells = [((), length)] if length else []
    places = np.zeros(length, dtype=np.intp)
    for column in columns:
        codes = coded(column)
        check_size(len(codes.values), wanted)
        places, cells = joined(places, [values for values, _ in cells], codes)
        check_size(len(cells), wanted)
    return Tally(names, [(*values, count) for values, count in cells], length)


def one_length(columns: Sequence[Sized], names: Sequence[str]) -> int:
    """Return the length of all columns, which must be one."""
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        shown = verbatim(", ".join(f"{name}: {length}" for name, length in zip(names, lengths, strict=True)))
        raise InputError("length_mismatch", "data", "columns must be of one length", shown, "check the rows")
    return lengths[0]


def joined(
    places: _Codes, found: list[tuple[Any, ...]], column: Coded
) -> tuple[_Codes, list[tuple[tuple[Any, ...], int]]]:
    """Split each combination found so far by the values of one more column, and count."""
    width = max(len(column.values), 1)
    cells = places * width
    cells += column.codes
    if len(found) * width <= _WIDEST:
        counts = np.bincount(cells, minlength=len(found) * width)
        used = np.flatnonzero(counts)
        counts = counts[used]
        number = np.zeros(len(found) * width, dtype=np.intp)
        number[used] = np.arange(len(used))
        places = number[cells]
    else:
        used, places, counts = np.unique(cells, return_inverse=True, return_counts=True)
    combinations = [(*found[cell // width], column.values[cell % width]) for cell in used.tolist()]
    return places, list(zip(combinations, counts.tolist(), strict=True))


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
        found, codes = np.unique(column, return_inverse=True)
        return Coded(codes, [plain(value) for value in found.tolist()])
    if kind == "U" and 0 < column.dtype.itemsize <= 4 * _LONGEST:
        return _coded_texts(column) or _coded_values(column)
    return _coded_values(column)


def _coded_integers(column: NDArray[Any]) -> Coded:
    low, high = int(column.min()), int(column.max())
    if high - low > _SPREAD or high >= 2**63:
        found, codes = np.unique(column, return_inverse=True)
        return Coded(codes, found.tolist())
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
    found = np.unique(keys[:_FIRST])
    codes = np.searchsorted(found, keys)
    codes[codes == len(found)] = 0
    if not np.array_equal(found[codes], keys):
        found, codes = np.unique(keys, return_inverse=True)
    example = np.empty(len(found), dtype=np.intp)
    example[codes] = np.arange(len(column))
    texts = column[example]
    return Coded(codes, texts.tolist()) if bool((texts[codes] == column).all()) else None


def _coded_values(column: NDArray[Any] | list[Any]) -> Coded:
    values = column if isinstance(column, list) else column.tolist()
    known: dict[Any, int] = {}
    # Only different values are looked at closely: many rows share one, and nan may be many that differ.
    codes = {value: known.setdefault(plain(value), len(known)) for value in dict.fromkeys(values)}
    return Coded(np.fromiter(map(codes.__getitem__, values), np.intp, len(values)), list(known))
