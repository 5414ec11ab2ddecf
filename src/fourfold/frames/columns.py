"""Whole columns of a file, for what needs them in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from .files import needed_duckdb, unreadable
from .rows import new_engine


def read_columns(path: str | Path) -> dict[str, NDArray[Any]]:
    """Read a parquet file into arrays by column name."""
    file = Path(path)
    duckdb = needed_duckdb("reading parquet", file)
    try:
        with new_engine(duckdb) as engine:
            found: dict[str, NDArray[Any]] = engine.execute("from read_parquet(?)", [str(file)]).fetchnumpy()
            return found
    except duckdb.Error as error:
        raise unreadable("parquet", error, file) from None
