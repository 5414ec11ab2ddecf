"""Data frames: grouped and counted by the engine that holds them, so that only counts come back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InputError, verbatim
from .tally import MOST, Tally, Wanted, check_size


def count_frame(data: Any, wanted: Wanted) -> Tally:
    """Count a frame of any kind that narwhals knows."""
    frame = narwhal(data)
    names = frame.collect_schema().names()
    places = wanted.places([str(name) for name in names], "the data")
    chosen = [names[place] for place in places]
    cells = fetched(grouped(frame, chosen))
    check_size(len(cells), wanted)
    # Only a frame in memory knows its length for free; the others would have to read everything once more.
    return Tally([str(name) for name in chosen], cells, len(frame) if hasattr(frame, "__len__") else None)


def grouped(data: Any, names: Sequence[str]) -> Any:
    """Ask for how often the values of some columns occur together, without reading anything yet if data is lazy."""
    import narwhals as nw

    keys = [f"c{n}" for n in range(len(names))]
    frame = renamed(nw.from_native(data), dict(zip(keys, names, strict=True)))
    return frame.group_by(*keys, drop_null_keys=False).agg(nw.len().alias("n")).head(MOST + 1)


def renamed(frame: Any, names: Mapping[str, str]) -> Any:
    """Choose columns under new names, for a column may have the count's name.

    DuckDB and Spark do it themselves, because narwhals hands them names unquoted: a.b would be column b of a.
    """
    import narwhals as nw

    native = frame.to_native()
    if frame.implementation.is_duckdb():
        quoted = (f'"{name.replace(chr(34), chr(34) * 2)}" as {key}' for key, name in names.items())
        return nw.from_native(native.project(", ".join(quoted)))
    if frame.implementation.is_spark_like():
        places = {name: f"p{place}" for place, name in enumerate(native.columns)}
        frame = nw.from_native(native.toDF(*places.values()))
        names = {key: places[name] for key, name in names.items()}
    return frame.select(*(nw.col(name).alias(key) for key, name in names.items()))


def fetched(cells: Any) -> list[Sequence[Any]]:
    """Bring counts here as rows, by the way of each engine that needs the fewest packages."""
    engine, native = cells.implementation, cells.to_native()
    if engine.is_duckdb():
        return list(native.fetchall())
    if engine.is_spark_like():
        return list(native.collect())
    if hasattr(cells, "collect"):
        cells = cells.collect("polars", engine="streaming") if engine.is_polars() else cells.collect()
    return list(cells.rows())


def narwhal(data: Any) -> Any:
    """Take a frame over, or say what is read here."""
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        return nw.from_native(data)
    except DuplicateError:
        hint = "rename one of them"
        raise InputError(
            "ambiguous", "data", "has several columns of one name", verbatim("such a frame"), hint
        ) from None
    except TypeError:
        kinds = "a data frame, a mapping of names to arrays, or the path of a parquet, CSV, DuckDB or SQLite file"
        got = verbatim(type(data).__name__)
        raise InputError("bad_shape", "data", "is of no kind that is read here", got, f"give {kinds}") from None
