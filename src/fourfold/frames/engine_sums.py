"""Data frames: probabilities compared, checked and summed by the engine that holds them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Final

from ..errors import InputError, verbatim
from .engines import fetched, narwhal, renamed
from .sums import Sums, bad_rows
from .tally import MOST, Wanted, check_size

# So many comparisons are nested in one expression; engines and Python limit how deep they go.
_DEEPEST: Final = 16


def sum_frame(data: Any, wanted: Wanted, tolerance: float) -> Sums:
    """Sum a frame of any kind that narwhals knows."""
    frame = narwhal(data)
    names = frame.collect_schema().names()
    chosen = [names[place] for place in wanted.places([str(name) for name in names], "the data")]
    keys = len(wanted.keys)
    rows = len(frame) if hasattr(frame, "__len__") else None
    with _quiet(frame):
        rest = prepared(frame, chosen[:keys], chosen[keys:])
        cells = fetched(grouped_sums(rest, keys, wanted, tolerance))
    check_size(len(cells), wanted)
    shown = [str(name) for name in chosen]
    found = Sums(shown[:keys], shown[keys:], [tuple(cell) for cell in cells], wanted.labels, rows)
    if found.bad:
        raise _first_bad(_numbered(rest), found, tolerance)
    return found


@contextmanager
def _quiet(frame: Any) -> Iterator[None]:
    """Keep pandas from remarks on how the sums of many columns are put together, which is not the caller's doing."""
    with ExitStack() as stack:
        if frame.implementation.is_pandas() or frame.implementation.is_dask():
            import pandas

            with suppress(pandas.errors.OptionError):  # pandas before 2.2 has no such option
                stack.enter_context(pandas.option_context("mode.performance_warnings", False))
        yield


def prepared(frame: Any, keys: Sequence[str], columns: Sequence[str]) -> Any:
    """Choose columns under new names: c0, c1, ... to group by, and p0, p1, ... for probabilities."""
    import narwhals as nw

    places = {f"c{n}": name for n, name in enumerate(keys)} | {f"p{n}": name for n, name in enumerate(columns)}
    frame = renamed(nw.from_native(frame), places)
    schema = frame.collect_schema()
    for n, name in enumerate(columns):
        if not schema[f"p{n}"].is_numeric():
            shown = verbatim(f"column {name} of type {schema[f'p{n}']}")
            raise InputError("bad_probability", "probabilities", "must be numbers", shown, "leave other columns out")
    wide = [f"p{n}" for n in range(len(columns)) if schema[f"p{n}"] != nw.Float64]
    return frame.with_columns(*(nw.col(name).cast(nw.Float64) for name in wide)) if wide else frame


def grouped_sums(frame: Any, keys: int, wanted: Wanted, tolerance: float) -> Any:
    """Ask for the sums of each kind of rows, without reading anything yet if the frame is lazy."""
    import narwhals as nw

    if frame.implementation.is_polars():
        frame = frame.lazy()
    frame = _marked(frame, tolerance, given=wanted.prediction is not None)
    sums = [name for name in frame.collect_schema().names() if name.startswith("p")]
    groups = [*(f"c{n}" for n in range(keys)), "top_place"]
    counts = [nw.len().alias("n"), nw.col("fine").sum(), nw.col("tied").sum()]
    return (
        frame.group_by(*groups, drop_null_keys=False)
        .agg(*counts, *(nw.col(name).sum() for name in sums))
        .head(MOST + 1)
    )


def _marked(frame: Any, tolerance: float, *, given: bool) -> Any:
    """Mark each row: where its largest probability is, whether all are fine, whether several are largest.

    Unless predictions are given: then rows are not told apart by their largest probability.
    """
    import narwhals as nw

    names = [name for name in frame.collect_schema().names() if name.startswith("p")]
    if len(names) == 1:
        frame = frame.with_columns((1 - nw.col("p0")).alias("p0"), nw.col("p0").alias("p1"))
        names = ["p0", "p1"]
    columns, one, none = [nw.col(name) for name in names], nw.lit(1), nw.lit(0)
    frame = frame.with_columns(nw.max_horizontal(*names).alias("top"))
    top = nw.col("top")
    far = (_folded(operator.add, columns) - 1).abs()
    fine = _folded(operator.and_, [column >= 0 for column in columns]) & (top <= 1) & (far <= tolerance)
    marks = [nw.when(fine).then(one).otherwise(none).alias("fine")]
    if given:
        return frame.with_columns(*marks, none.alias("top_place"), none.alias("tied"))
    ties = _folded(operator.add, [nw.when(column == top).then(one).otherwise(none) for column in columns])
    tied = nw.when(ties > 1).then(one).otherwise(none)
    return frame.with_columns(*marks, tied.alias("tied"), _place(columns, top).alias("top_place"))


def _place(columns: Sequence[Any], top: Any) -> Any:
    """Return the place of the first column that has the largest value."""
    import narwhals as nw

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


def _numbered(frame: Any) -> Any:
    """Give rows their numbers, where the frame has an order."""
    import narwhals as nw

    if frame.implementation.is_polars():
        return nw.from_native(frame.to_native().with_row_index("row"))
    return frame.with_row_index("row") if hasattr(frame, "__len__") else frame


def _first_bad(frame: Any, sums: Sums, tolerance: float) -> InputError:
    row = first_bad(frame, sums.labels, len(sums.columns), tolerance)
    where, values = row if row else (None, [])
    return bad_rows(sums.bad, None if where is None else f"row {where}", values)


def first_bad(frame: Any, labels: int, width: int, tolerance: float) -> tuple[int | None, list[Any]] | None:
    """Find the first row with labels that is no probabilities: its number, if rows have one, and its values."""
    import narwhals as nw

    shown = [f"p{n}" for n in range(width)]
    kept = frame.with_columns(*(nw.col(name).alias(f"shown_{name}") for name in shown))
    kept = _marked(kept, tolerance, given=True).filter(nw.col("fine").fill_null(0) == 0)
    schema = kept.collect_schema()
    for n in range(labels):
        kept = kept.filter(~nw.col(f"c{n}").is_null())
        if schema[f"c{n}"].is_float():
            kept = kept.filter(~nw.col(f"c{n}").is_nan())
    if numbered := "row" in schema.names():
        kept = kept.sort("row")
    found = fetched(kept.select(*(["row"] if numbered else []), *(f"shown_{name}" for name in shown)).head(1))
    if not found:
        return None
    values = list(found[0])
    return (int(values[0]), values[1:]) if numbered else (None, values)
