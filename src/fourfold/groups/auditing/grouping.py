"""How columns make groups: names, order, combinations, and the note on rows that were left out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any, Final, NamedTuple

from ...errors import Note, TooLarge
from ...table import MISSING

_MOST_GROUPS: Final = 5000


class Made(NamedTuple):
    """A group: its name, the value of each column that makes it, and the smallest groups of rows it is made of."""

    name: str
    by: dict[str, Any]
    parts: list[tuple[Any, ...]]


def combined(by: tuple[str, ...], parts: Iterable[tuple[Any, ...]], taken: Iterable[str] = ()) -> list[Made]:
    """Return the groups of each column, then those of every combination of columns; no name is one that is taken."""
    listed, groups = list(parts), list[Made]()
    names = set(taken)
    for size in range(1, len(by) + 1):
        for places in combinations(range(len(by)), size):
            atoms: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
            for values in listed:
                atoms.setdefault(tuple(values[i] for i in places), []).append(values)
            for key in sorted(atoms, key=lambda key: [_sortable(value) for value in key]):
                values_by = {by[i]: value for i, value in zip(places, key, strict=True)}
                name = _name(values_by, names)
                names.add(name)
                groups.append(Made(name, values_by, atoms[key]))
    if len(groups) > _MOST_GROUPS:
        hint = "name fewer columns, or columns with fewer values"
        raise TooLarge("too_large", "by", f"makes more than {_MOST_GROUPS} groups", len(groups), hint)
    return groups


def _name(values: Mapping[str, Any], taken: Iterable[str]) -> str:
    """Return a group's name; where another group is written the same, one that tells them apart."""
    name = ", ".join(f"{column}={MISSING if value is None else value}" for column, value in values.items())
    if name in taken:
        name = ", ".join(f"{column}={value!r}" for column, value in values.items())
    while name in taken:
        name += "'"
    return name


def _sortable(value: Any) -> tuple[int, Any]:
    """Numbers by size, then texts, then what is missing."""
    if isinstance(value, int | float):
        return 0, float(value)
    return (2, "") if value is None else (1, str(value))


def plain_values(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return values for JSON: what it has no type for, as text."""
    plain = (str, int, bool, type(None))
    return {
        name: value if isinstance(value, plain) or (isinstance(value, float) and math.isfinite(value)) else str(value)
        for name, value in values.items()
    }


def row_of(by: Mapping[str, Any], columns: dict[str, Any]) -> dict[str, Any]:
    """Return a flat record with the columns that make its group first; one called like another gets a mark."""
    made = {f"{name}_" if name in columns else name: value for name, value in by.items()}
    return {**{name: MISSING if value is None else value for name, value in made.items()}, **columns}


def on_missing(missing: Mapping[str, int]) -> Iterator[Note]:
    """Say how many rows were left out because they have no label."""
    for name, rows in missing.items():
        if rows:
            words = f"rows left out because they have no label in {name}: {rows}"
            yield Note("labels_missing", words, {"column": name, "rows": rows})
