"""Data frames: rows counted, or probabilities compared, checked and summed, by the engine that holds them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, Final

from ..errors import InputError, verbatim
from .aggregation import Grouped, bad_rows
from .columns import MOST, ROUNDING, Request
from .labels import MISSING, plain
from .thresholds import NO_NUMBER, decided_frame, no_number

# This many comparisons are nested in one expression; engines and Python limit how deep they go.
_DEEPEST: Final = 16


class _Narwhals:
    """Narwhals, imported when the first frame is read."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module("narwhals"), name)


nw: Any = _Narwhals()


def aggregate_frame(data: Any, wanted: Request) -> Grouped:
    """Count or sum a frame of any kind that narwhals knows."""
    frame = taken_over(data)
    header = frame.collect_schema().names()
    chosen = [header[place] for place in wanted.places([str(name) for name in header], "the data")]
    # Only a frame in memory knows its length for free; the others would have to read everything once more.
    rows = len(frame) if hasattr(frame, "__len__") else None
    names = [str(name) for name in chosen]
    with _quiet(frame), _numbers_expected(names, wanted):
        selected = select(frame, chosen, wanted)
        return aggregate_selected(selected, names, wanted, rows, fetched, _numbered(selected))


def rows_in_memory(data: Any, wanted: Request) -> tuple[list[str], list[list[Any]]]:
    """Return the names and values of columns of a frame that is in memory, whose rows have an order."""
    frame = taken_over(data)
    header = frame.collect_schema().names()
    chosen = [header[place] for place in wanted.places([str(name) for name in header], "the data")]
    if not hasattr(frame, "__len__"):
        shown, hint = verbatim(type(data).__name__), "collect it, or put both predictions into one frame"
        raise InputError("bad_shape", "data", "has rows without an order", shown, hint)
    return [str(name) for name in chosen], [list(map(plain, frame[name].to_list())) for name in chosen]


def aggregate_selected(
    selected: Any,
    names: Sequence[str],
    wanted: Request,
    rows: int | None,
    fetch: Callable[[Any], list[Sequence[Any]]],
    parts: Iterable[tuple[str, Any]],
) -> Grouped:
    """Count or sum selected columns; bad rows are looked for in parts, of which each has a name."""
    cells = fetch(group(selected, wanted))
    if wanted.threshold is not None and any(cell[1] == NO_NUMBER for cell in cells):
        raise no_number(names[1], _first_of_no_number(selected))
    grouped = Grouped.read(names, cells, wanted, rows)
    if grouped.bad_rows(wanted):
        # Few data have numbers that are a little outside of [0, 1]: only then these are looked for.
        grouped = Grouped.read(names, fetch(group(selected, wanted, moved=True)), wanted, rows)
    if count := grouped.bad_rows(wanted):
        for name, part in parts:
            if bad := _first_bad_row(part, wanted):
                number, values = bad
                raise bad_rows(count, None if number is None else f"row {number}{name}", values)
        raise bad_rows(count, None, [math.nan])
    return grouped


@contextmanager
def _numbers_expected(names: Sequence[str], wanted: Request) -> Iterator[None]:
    """Say which column holds something else, where pandas or Dask meets it among objects that should be scores."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if wanted.threshold is None or isinstance(error, InputError):
            raise
        raise no_number(names[1], verbatim(str(error))) from None


def _first_of_no_number(selected: Any) -> Any:
    import narwhals as nw

    [row] = fetched(selected.filter(nw.col("c1") == NO_NUMBER).select("score").head(1))
    return row[0]


def taken_over(data: Any) -> Any:
    """Take a frame over, or say what is read here."""
    from narwhals.exceptions import DuplicateError

    try:
        return nw.from_native(data)
    except DuplicateError:
        shown, hint = verbatim("such a frame"), "rename one of them"
        raise InputError("ambiguous", "data", "has several columns of one name", shown, hint) from None
    except TypeError:
        kinds = "a data frame, a mapping of names to arrays, or the path of a parquet, CSV, DuckDB or SQLite file"
        got = verbatim(type(data).__name__)
        raise InputError("bad_shape", "data", "is of a kind that cannot be read", got, f"give {kinds}") from None


@contextmanager
def _quiet(frame: Any) -> Iterator[None]:
    """Keep pandas from remarks on how the sums of many columns are put together, which is not the caller's doing."""
    if frame.implementation.is_pandas() or frame.implementation.is_dask():
        import pandas

        with suppress(pandas.errors.OptionError):  # pandas before 2.2 has no such option
            with pandas.option_context("mode.performance_warnings", False):
                yield
            return
    yield


def select(data: Any, names: Sequence[str], wanted: Request) -> Any:
    """Choose columns under new names: c0, c1, ... to group by, and p0, p1, ... for probabilities."""
    keys, columns = names[: len(wanted.keys)], names[len(wanted.keys) :]
    places = {f"c{n}": name for n, name in enumerate(keys)} | {f"p{n}": name for n, name in enumerate(columns)}
    frame = _renamed(nw.from_native(data), places)
    if wanted.threshold is not None:
        return decided_frame(frame, wanted)
    schema = frame.collect_schema()
    for n, name in enumerate(columns):
        if not schema[f"p{n}"].is_numeric():
            shown = verbatim(f"column {name} of type {schema[f'p{n}']}")
            raise InputError("bad_probability", "probabilities", "must be numbers", shown, "leave other columns out")
    other = [f"p{n}" for n in range(len(columns)) if schema[f"p{n}"] != nw.Float64]
    return frame.with_columns(*(nw.col(name).cast(nw.Float64) for name in other)) if other else frame


def _renamed(frame: Any, names: Mapping[str, str]) -> Any:
    """Choose columns under new names, for a column may have the count's name.

    DuckDB and Spark do it themselves, because narwhals hands them names unquoted: a.b would be column b of a.
    """
    native = frame.to_native()
    if frame.implementation.is_duckdb():
        return nw.from_native(native.project(", ".join(f"{quoted_name(name)} as {key}" for key, name in names.items())))
    if frame.implementation.is_spark_like():
        places = {name: f"p{place}" for place, name in enumerate(native.columns)}
        frame = nw.from_native(native.toDF(*places.values()))
        names = {key: places[name] for key, name in names.items()}
    return frame.select(*(nw.col(name).alias(key) for key, name in names.items()))


def quoted_name(name: str) -> str:
    """Return a column's name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def group(frame: Any, wanted: Request, *, moved: bool = False) -> Any:
    """Ask for the counts and sums of each kind of selected rows, reading nothing yet if the frame is lazy.

    What rounding has left outside of [0, 1] is moved to its ends where that is asked for.
    """
    keys, columns = [f"c{n}" for n in range(len(wanted.keys))], [nw.len().alias("n")]
    if wanted.probabilities:
        frame = frame.lazy() if frame.implementation.is_polars() else frame
        frame = _marked(frame, wanted.tolerance, predicted=wanted.prediction is not None, moved=moved)
        keys.append("top_place")
        columns += [nw.col(name).sum() for name in ("fine", "tied", *_probabilities(frame))]
    return frame.group_by(*keys, drop_null_keys=False).agg(*columns).head(MOST + 1)


def _probabilities(frame: Any) -> list[str]:
    return [name for name in frame.collect_schema().names() if name.startswith("p")]


def _marked(frame: Any, tolerance: float, *, predicted: bool, moved: bool = False) -> Any:
    """Mark each row: where its largest probability is, whether all are fine, whether several are largest.

    Unless predictions are given: then rows are not told apart by their largest probability. What is outside of [0, 1]
    is moved to its ends after it was looked at.
    """
    names = _probabilities(frame)
    if len(names) == 1:
        frame = frame.with_columns((1 - nw.col("p0")).alias("p0"), nw.col("p0").alias("p1"))
        names = ["p0", "p1"]
    columns, one, none = [nw.col(name) for name in names], nw.lit(1), nw.lit(0)
    frame = frame.with_columns(nw.max_horizontal(*names).alias("top"))
    top = nw.col("top")
    far = (_folded(operator.add, columns) - 1).abs()
    low, high = (-ROUNDING, 1 + ROUNDING) if moved else (0, 1)
    fine = _folded(operator.and_, [column >= low for column in columns]) & (top <= high) & (far <= tolerance)
    marks = [nw.when(fine).then(one).otherwise(none).alias("fine")]
    if moved:
        ends = [nw.when(column > 1).then(nw.lit(1.0)).otherwise(column) for column in columns]
        ends = [nw.when(column < 0).then(nw.lit(0.0)).otherwise(end) for column, end in zip(columns, ends, strict=True)]
        frame = frame.with_columns(*marks, *(end.alias(name) for end, name in zip(ends, names, strict=True)))
        frame, marks = frame.with_columns(nw.max_horizontal(*names).alias("top")), []
    if predicted:
        return frame.with_columns(*marks, none.alias("top_place"), none.alias("tied"))
    ties = _folded(operator.add, [nw.when(column == top).then(one).otherwise(none) for column in columns])
    tied = nw.when(ties > 1).then(one).otherwise(none)
    return frame.with_columns(*marks, tied.alias("tied"), _place(columns, top).alias("top_place"))


def _place(columns: Sequence[Any], top: Any) -> Any:
    """Return the place of the first column that has the largest value."""
    pieces = []
    for start in range(0, len(columns), _DEEPEST):
        place = nw.lit(len(columns))
        for n in reversed(range(start, min(start + _DEEPEST, len(columns)))):
            place = nw.when(columns[n] == top).then(nw.lit(n)).otherwise(place)
        pieces.append(place)
    return pieces[0] if len(pieces) == 1 else nw.min_horizontal(*pieces)


def _folded(join: Callable[[Any, Any], Any], parts: Sequence[Any]) -> Any:
    """Join parts in pairs, so that many of them make no deep expression."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return join(_folded(join, parts[:half]), _folded(join, parts[half:]))


def fetched(cells: Any) -> list[Sequence[Any]]:
    """Bring rows here, by the way of each engine that needs the fewest packages."""
    engine, native = cells.implementation, cells.to_native()
    if engine.is_duckdb():
        return list(native.fetchall())
    if engine.is_spark_like():
        return list(native.collect())
    if hasattr(cells, "collect"):
        cells = cells.collect("polars", engine="streaming") if engine.is_polars() else cells.collect()
    return list(cells.rows())


def _numbered(frame: Any) -> Iterator[tuple[str, Any]]:
    """Give rows their numbers, where the frame has an order."""
    if frame.implementation.is_polars():
        yield "", nw.from_native(frame.to_native().with_row_index("row"))
    else:
        yield "", frame.with_row_index("row") if hasattr(frame, "__len__") else frame


def _first_bad_row(frame: Any, wanted: Request) -> tuple[int | None, list[Any]] | None:
    """Return the first row with labels that is no probabilities: its number, if rows have one, and its values."""
    shown = {f"shown_{name}": nw.col(name) for name in _probabilities(frame)}
    kept = frame.with_columns(**shown)
    kept = _marked(kept, wanted.tolerance, predicted=True, moved=True).filter(nw.col("fine").fill_null(0) == 0)
    schema = kept.collect_schema()
    for n in range(wanted.labels):
        kept = kept.filter(~nw.col(f"c{n}").is_null())
        if schema[f"c{n}"].is_float():
            kept = kept.filter(~nw.col(f"c{n}").is_nan())
        elif schema[f"c{n}"] == nw.String:
            kept = kept.filter(~nw.col(f"c{n}").str.strip_chars().str.to_lowercase().is_in(sorted(MISSING)))
    if numbered := "row" in schema.names():
        kept = kept.sort("row")
    rows = fetched(kept.select(*(["row"] if numbered else []), *shown).head(1))
    if not rows:
        return None
    values = list(rows[0])
    return (int(values[0]), values[1:]) if numbered else (None, values)
