"""Scores with a threshold: which rows reach it is decided where the data is, so that a score makes two kinds of rows.

Every engine compares numbers of 64 bits. A score that was stored in 32 bits is widened first and keeps its error: 0.7
became 0.699999988, which is below 0.7. A threshold given as text is the number of 64 bits nearest to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ..errors import InputError
from .columns import Request
from .labels import MISSING

#: What engines tell of a score: it is below the threshold, reaches it, is missing, or is a text that is no number.
BELOW, REACHED, UNKNOWN, NO_NUMBER = range(4)
_DECISIONS: Final = (False, True, None)


def decision(code: Any) -> bool | None:
    """Return whether the threshold is reached; None where the score is missing."""
    return _DECISIONS[int(code)]


def decided(values: Any, threshold: float, column: str) -> Any:
    """Tell of each value in memory whether it reaches the threshold."""
    import numpy as np

    if not isinstance(values, np.ndarray) or values.dtype.kind not in "fiub":
        return list(_decided_values(values, threshold, column))
    numbers = values.astype(np.float64, copy=False)
    codes = (numbers >= threshold).astype(np.int8)
    codes[np.isnan(numbers)] = UNKNOWN
    return codes


def decided_rows(rows: Sequence[tuple[Any, ...]], wanted: Request, column: str) -> Sequence[tuple[Any, ...]]:
    """Put in each row, for its score, whether that reaches the threshold; rows stay as they are without one."""
    if wanted.threshold is None:
        return rows
    codes = _decided_values((row[1] for row in rows), wanted.threshold, column)
    return [(row[0], code, *row[2:]) for row, code in zip(rows, codes, strict=True)]


def _decided_values(values: Any, threshold: float, column: str) -> Iterator[int]:
    for value in values:
        number = _number(value, column)
        yield UNKNOWN if math.isnan(number) else int(number >= threshold)


def _number(value: Any, column: str) -> float:
    """Return a value as a number, nan where it is missing; a text may hold one, as DuckDB reads it."""
    if type(value) is float:
        return value
    try:
        if value is None or bool(value != value):
            return math.nan
    except TypeError:  # a null that refuses to be compared, such as pandas' NA
        return math.nan
    if isinstance(value, str) and value.strip().casefold() in MISSING:
        return math.nan
    # Python would also read bytes, and the digits of other scripts.
    if isinstance(value, bytes) or (isinstance(value, str) and not value.isascii()):
        raise no_number(column, value)
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        raise no_number(column, value) from None


def no_number(column: str, value: object) -> InputError:
    """Say that a value of the column of scores is none."""
    hint = "turn it into numbers first, or name predicted labels without a threshold"
    return InputError("bad_number", "score", f"column {column} must hold numbers", value, hint)


def decided_frame(frame: Any, wanted: Request) -> Any:
    """Put, for the score c1 of a frame, whether it reaches the threshold; what it was is kept as `score`."""
    import narwhals as nw

    assert wanted.threshold is not None, "there is a threshold"
    kind = frame.collect_schema()["c1"]
    if kind == nw.String and frame.implementation.is_duckdb():
        return _decided_texts(frame, wanted.threshold)
    given = nw.col("c1")
    if not kind.is_numeric() and not _may_hold_numbers(frame, kind):
        code = nw.when(given.is_null()).then(nw.lit(UNKNOWN)).otherwise(nw.lit(NO_NUMBER))
        return frame.with_columns(given.alias("score"), code.alias("c1"))
    # Among objects there may be nulls that are no numbers either.
    given = nw.when(~given.is_null()).then(given) if kind in (nw.Object, nw.String) else given
    frame, score = frame.with_columns(given.cast(nw.Float64).alias("score")), nw.col("score")
    reached = nw.when(score >= wanted.threshold).then(nw.lit(REACHED)).otherwise(nw.lit(BELOW))
    # For some engines nan is larger than every number.
    missing = score.is_null() | score.is_nan()
    return frame.with_columns(nw.when(missing).then(nw.lit(UNKNOWN)).otherwise(reached).alias("c1"))


def _may_hold_numbers(frame: Any, kind: Any) -> bool:
    """Tell whether a column may hold numbers though its type does not say so; what it holds is seen when it is read."""
    import narwhals as nw

    if kind == nw.Boolean:
        return True
    engine = frame.implementation
    # Objects of Dask are taken for texts.
    return (engine.is_pandas_like() and kind in (nw.Object, nw.Categorical, nw.Enum)) or engine.is_dask()


def _decided_texts(frame: Any, threshold: float) -> Any:
    """Read the score c1 from texts in DuckDB."""
    import narwhals as nw

    missing = ", ".join(f"'{text}'" for text in sorted(MISSING))
    number, least = "try_cast(c1 as double)", f"cast('{threshold!r}' as double)"
    code = (
        f"case when c1 is null or lower(trim(c1)) in ({missing}) then {UNKNOWN} when {number} is null then {NO_NUMBER} "
        f"when isnan({number}) then {UNKNOWN} when {number} >= {least} then {REACHED} else {BELOW} end"
    )
    return nw.from_native(frame.to_native().project(f"* replace ({code} as c1), c1 as score"))
