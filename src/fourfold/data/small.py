"""Small data frames that are taken whole: a row for each group, with what was counted in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .columns import MOST, check_size
from .engines import fetched, taken_over
from .labels import plain


@dataclass(frozen=True)
class SmallFrame:
    """A frame with a row a group: its columns, how many of them come first from its index, and which hold texts."""

    names: tuple[str, ...]
    index: int
    texts: tuple[bool, ...]
    _frame: Any

    def rows(self) -> list[tuple[Any, ...]]:
        """Return all rows, None where a value is missing."""
        rows = fetched(self._frame.head(MOST + 1))
        check_size(len(rows), self.names)
        return [tuple(value if _has_parts(value) else plain(value) for value in row) for row in rows]


def small_frame(data: Any) -> SmallFrame:
    """Take over a frame of any kind; an index that is more than row numbers comes as columns, unnamed ones as "".

    Examples
    --------
    >>> import polars as pl
    >>> frame = small_frame(pl.DataFrame({"sex": ["f", "m"], "tp": [3, 4]}))
    >>> frame.names, frame.texts, frame.rows()
    (('sex', 'tp'), (True, False), [('f', 3), ('m', 4)])
    """
    named: list[str] = []
    index: Any = getattr(data, "index", None)
    if hasattr(data, "reset_index") and hasattr(index, "names"):
        data = data.to_frame() if not hasattr(data, "columns") else data
        numbers = list(index.names) == [None] and getattr(index, "inferred_type", "") == "integer"
        named = [] if numbers else ["" if name is None else str(name) for name in index.names]
        data = data.reset_index(drop=numbers)
    frame = taken_over(data)
    schema = frame.collect_schema()
    names = (*named, *map(str, schema.names()[len(named) :]))
    return SmallFrame(names, len(named), tuple(map(_is_text, schema.dtypes())), frame)


def _is_text(kind: Any) -> bool:
    import narwhals as nw

    return kind in (nw.String, nw.Categorical, nw.Enum, nw.Boolean)


def _has_parts(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str)
