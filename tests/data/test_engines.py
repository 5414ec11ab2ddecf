"""The same rows give the same counts in every frame that holds them, near or far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fourfold import InputError
from fourfold.data import Aggregate, count_groups

from .rows import ROWS, by_loop, column, columns

NAN = float("nan")


def objects() -> pd.DataFrame:
    """Object columns, with both of pandas' old ways to say that a value is missing."""
    frame = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns().items()})
    frame.loc[frame.index[::2], "race"] = frame["race"].map(lambda race: NAN if race is None else race)[::2]
    return frame


def categories() -> pd.DataFrame:
    """Categories, one of which does not occur."""
    frame = pd.DataFrame(columns()).astype("category")
    frame["race"] = frame["race"].cat.add_categories("none of them")
    return frame


def duckdb_relation() -> Any:
    duckdb = pytest.importorskip("duckdb")
    table = pa.table(columns())
    return duckdb.connect().from_arrow(table)


FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(columns()),
    "pandas, objects": objects,
    "pandas, texts": lambda: pd.DataFrame(columns()).astype({"race": "str"}),
    "pandas, categories": categories,
    "pandas, nullable": lambda: pd.DataFrame(columns()).convert_dtypes(),
    "pandas, arrow": lambda: pd.DataFrame(columns()).convert_dtypes(dtype_backend="pyarrow"),
    "pandas, nullable floats": lambda: pd.DataFrame(columns()).astype({"y": "Float64", "yhat": "Float32"}),
    "polars": lambda: pl.DataFrame(columns()),
    "polars, nan": lambda: pl.DataFrame(columns()).with_columns(pl.col("y").cast(pl.Float64).fill_null(NAN)),
    "polars, categories": lambda: pl.DataFrame(columns()).with_columns(pl.col("race").cast(pl.Categorical)),
    "polars, lazy": lambda: pl.LazyFrame(columns()),
    "pyarrow": lambda: pa.table(columns()),
    "pyarrow, nan": lambda: pa.table(
        {**columns(), "y": pa.array([NAN if y is None else float(y) for y in column("y")])}
    ),
    "pyarrow, dictionary": lambda: pa.table({**columns(), "race": pa.array(column("race")).dictionary_encode()}),
    "pyarrow, chunks": lambda: pa.concat_tables([pa.table(columns(ROWS[:100])), pa.table(columns(ROWS[100:]))]),
    "duckdb": duckdb_relation,
    "lists": columns,
    "arrays of objects": lambda: {name: np.array(values, dtype=object) for name, values in columns().items()},
    "arrays": lambda: {
        **{name: np.array(column(name), dtype=float) for name in ("y", "yhat", "age")},
        "race": np.array(column("race"), dtype=object),
    },
    "masked arrays": lambda: {
        name: np.ma.array([value or 0 for value in values], mask=[value is None for value in values], dtype=object)
        for name, values in columns().items()
    },
    "columns of frames": lambda: {
        "y": pd.Series(column("y"), dtype="Int8"),
        "yhat": pl.Series(column("yhat")),
        "race": pa.chunked_array([column("race")]),
        "age": pd.Series(column("age")),
    },
}


def parts(found: Aggregate) -> tuple[Any, ...]:
    return found.by, found.pairs, found.rows, found.missing


def assert_plain(found: Aggregate) -> None:
    """Nothing of the engine is left in the values, and groups come in one order."""
    kinds = {type(value) for group in found.pairs for value in group}
    labels = {type(label) for pairs in found.pairs.values() for pair in pairs for label in pair}
    counts = {type(count) for pairs in found.pairs.values() for count in pairs.values()}
    assert kinds <= {str, int, float, type(None)}
    assert labels <= {int, float}
    assert counts == {int}
    first = [group[0] for group in found.pairs]
    assert first == sorted(first, key=lambda value: (value is None, value or ""))


@pytest.mark.parametrize("name", FRAMES)
def test_every_frame_gives_the_counts_of_a_plain_loop(name: str) -> None:
    found = count_groups(FRAMES[name](), truth="y", prediction="yhat", by=["race", "age"])
    assert parts(found) == by_loop()
    assert_plain(found)


@pytest.mark.parametrize("name", FRAMES)
def test_without_groups_all_rows_are_one(name: str) -> None:
    found = count_groups(FRAMES[name](), truth="y", prediction="yhat")
    assert parts(found) == by_loop(by=())


@pytest.mark.parametrize("name", FRAMES)
def test_every_row_is_accounted_for(name: str) -> None:
    found = count_groups(FRAMES[name](), truth="Y ", prediction="yhat", by="age")
    assert sum(pairs.total() for pairs in found.pairs.values()) + sum(found.missing.values()) == len(ROWS)
    assert found.by == ("age",)


def test_ibis(tmp_path: Path) -> None:
    ibis = pytest.importorskip("ibis")
    pl.DataFrame(columns()).write_parquet(tmp_path / "rows.parquet")
    table = ibis.duckdb.connect().read_parquet(tmp_path / "rows.parquet")
    assert parts(count_groups(table, truth="y", prediction="yhat", by=["race", "age"])) == by_loop()
    seniors = table.filter(table.age == 30)
    expected = by_loop([row for row in ROWS if row[3] == 30])
    assert parts(count_groups(seniors, truth="y", prediction="yhat", by=["race", "age"])) == expected


@pytest.mark.parametrize("kind", ["texts", "objects", "categories"])
def test_dask(kind: str) -> None:
    dask = pytest.importorskip("dask")
    dataframe = pytest.importorskip("dask.dataframe")
    frame = {"texts": lambda: pd.DataFrame(columns()), "objects": objects, "categories": categories}[kind]()
    # Left to itself, Dask turns objects into texts when it takes them over.
    with dask.config.set({"scheduler": "threads", "dataframe.convert-string": kind == "texts"}):
        far = dataframe.from_pandas(frame, npartitions=3)
        assert parts(count_groups(far, truth="y", prediction="yhat", by=["race", "age"])) == by_loop()


@pytest.mark.usefixtures("dask_cluster")
def test_a_dask_cluster() -> None:
    dataframe = pytest.importorskip("dask.dataframe")
    far = dataframe.from_pandas(pd.DataFrame(columns()), npartitions=4)
    assert parts(count_groups(far, truth="y", prediction="yhat", by=["race", "age"])) == by_loop()


def test_spark(spark: Any) -> None:
    far = spark.createDataFrame(ROWS, "y int, yhat int, race string, age int").repartition(3)
    found = count_groups(far, truth="y", prediction="yhat", by=["race", "age"])
    assert parts(found) == by_loop()
    assert_plain(found)


def test_spark_reads_files_where_it_is(spark: Any, tmp_path: Path) -> None:
    pd.DataFrame(columns()).to_parquet(tmp_path / "rows.parquet")
    far = spark.read.parquet(str(tmp_path / "rows.parquet"))
    assert parts(count_groups(far, truth="y", prediction="yhat", by=["race", "age"])) == by_loop()


def test_spark_takes_nan_as_missing(spark: Any) -> None:
    rows = [(NAN if y is None else float(y), *rest) for y, *rest in ROWS]
    far = spark.createDataFrame(rows, "y double, yhat int, race string, age int")
    assert parts(count_groups(far, truth="y", prediction="yhat", by=["race", "age"])) == by_loop()


def test_spark_takes_any_name(spark: Any) -> None:
    far = spark.createDataFrame([(1, 0, "x", 5), (1, 0, "x", 6)], "`a.b` int, Y int, y string, `n` int")
    found = count_groups(far, truth="a.b", prediction="Y", by=["y"])
    assert found.pairs == {("x",): Counter({(1, 0): 2})}


def test_an_unknown_column_of_a_far_frame_is_told_before_anything_runs(spark: Any) -> None:
    far = spark.createDataFrame(ROWS, "y int, yhat int, race string, age int")
    with pytest.raises(InputError, match="did you mean 'race'") as caught:
        count_groups(far, truth="y", prediction="yhat", by=["rase"])
    assert (caught.value.code, caught.value.argument) == ("unknown_column", "by")
