"""The same probabilities give the same sums in every frame that holds them, near or far."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fourfold import InputError
from fourfold.certainty.data import decompose_data

from .probabilities import (
    CLASSES,
    COLUMNS,
    NAMES,
    ROWS,
    assert_same,
    assert_summed,
    by_loop,
    columns,
    in_memory,
    sum_probabilities,
)

NAN = float("nan")
SPARK = "y string, yhat string, ward string, fold int, p_cat double, p_dog double, p_hen double"


def duckdb_relation(rows: list[Any] = ROWS) -> Any:
    duckdb = pytest.importorskip("duckdb")
    return duckdb.connect().from_arrow(pa.table(columns(rows)))


def shuffled_index() -> pd.DataFrame:
    frame = pd.DataFrame(columns())
    return frame.set_index(np.random.default_rng(0).permutation(len(frame)) // 2)


FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(columns()),
    "pandas, an index with repeats": shuffled_index,
    "pandas, objects": lambda: pd.DataFrame(columns()).astype({"y": object, "ward": object, "fold": object}),
    "pandas, categories": lambda: pd.DataFrame(columns()).astype({"y": "category", "ward": "category"}),
    "pandas, nullable": lambda: pd.DataFrame(columns()).convert_dtypes(),
    "pandas, arrow": lambda: pd.DataFrame(columns()).convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda: pl.DataFrame(columns()),
    "polars, categories": lambda: pl.DataFrame(columns()).with_columns(pl.col("y").cast(pl.Categorical)),
    "polars, lazy": lambda: pl.LazyFrame(columns()),
    "pyarrow": lambda: pa.table(columns()),
    "pyarrow, chunks": lambda: pa.concat_tables([pa.table(columns(ROWS[:99])), pa.table(columns(ROWS[99:]))]),
    "duckdb": duckdb_relation,
    "lists": columns,
    "arrays": lambda: {name: np.array(values) for name, values in columns().items()},
    "columns of frames": lambda: {
        **columns(),
        "p_cat": pd.Series(columns()["p_cat"], dtype="Float64"),
        "p_dog": pl.Series(columns()["p_dog"]),
        "p_hen": pa.chunked_array([columns()["p_hen"]]),
    },
}


def check(data: Any) -> None:
    """All that is asked of any frame."""
    given: dict[str, Any] = {"truth": "y", "probabilities": COLUMNS}
    assert_summed(sum_probabilities(data, **given, by=["ward", "fold"]), by_loop())
    options = {"prediction": "yhat", "labels": CLASSES}
    assert_summed(sum_probabilities(data, **given, **options), by_loop(by=(), given=True))
    assert_same(decompose_data(data, truth="y", probabilities=["p_*"], by="ward"), in_memory())
    assert_same(decompose_data(data, **given, by=["ward"], prediction="yhat"), in_memory(given=True))


@pytest.mark.parametrize("name", FRAMES)
def test_every_frame_gives_the_sums_of_a_plain_loop(name: str) -> None:
    check(FRAMES[name]())


def spoilt(where: dict[int, tuple[Any, ...]]) -> list[Any]:
    """Rows of which some have other probabilities, all labelled."""
    rows = [("cat", "cat", *row[2:]) for row in ROWS]
    for place, numbers in where.items():
        rows[place] = (*rows[place][:4], *numbers)
    return rows


BAD: dict[str, tuple[tuple[Any, ...], str]] = {
    "missing": ((None, 0.5, 0.5), "must be numbers, none missing"),
    "not a number": ((NAN, 0.5, 0.5), "must be numbers, none missing"),
    "negative": ((-0.5, 1.0, 0.5), "must lie between 0 and 1"),
    "above one": ((1.0005, 0.0, 0.0), "must lie between 0 and 1"),
    "sum": ((0.5, 0.25, 0.0), "must sum to one in each row"),
    "infinite": ((float("inf"), 0.5, 0.5), "must lie between 0 and 1"),
}
KINDS: dict[str, Callable[[list[Any]], Any]] = {
    "pandas": lambda rows: pd.DataFrame(columns(rows)),
    "pandas, nullable": lambda rows: pd.DataFrame(columns(rows)).astype(dict.fromkeys(COLUMNS, "Float64")),
    "pandas, arrow": lambda rows: pd.DataFrame(columns(rows)).astype(dict.fromkeys(COLUMNS, "double[pyarrow]")),
    "polars": lambda rows: pl.DataFrame(columns(rows)),
    "polars, lazy": lambda rows: pl.LazyFrame(columns(rows)),
    "pyarrow": lambda rows: pa.table(columns(rows)),
    "lists": columns,
    "duckdb": duckdb_relation,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", BAD)
def test_bad_rows_are_counted_and_the_first_is_named(kind: str, name: str) -> None:
    numbers, problem = BAD[name]
    data = KINDS[kind](spoilt({7: numbers, 300: numbers}))
    with pytest.raises(InputError) as caught:
        sum_probabilities(data, truth="y", probabilities=COLUMNS, by=["ward"])
    assert (caught.value.code, caught.value.argument) == ("bad_probability", "probabilities")
    assert caught.value.problem == problem
    one = "one of them" if kind == "duckdb" else "the first is row 7"
    assert f"2 such rows, {one}: [" in str(caught.value)
    with pytest.raises(InputError, match="2 such rows"):
        sum_probabilities(data, truth="y", probabilities=COLUMNS, prediction="yhat", labels=CLASSES)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_without_a_label_may_hold_anything(kind: str) -> None:
    rows = spoilt({7: (NAN, None, 5.0)})
    rows[7] = (None, *rows[7][1:])
    found = sum_probabilities(KINDS[kind](rows), truth="y", probabilities=COLUMNS)
    assert (found.rows, found.missing) == (len(rows), {"y": 1})
    rows[9] = (*rows[9][:4], 0.5, 0.0, 0.0)
    with pytest.raises(InputError, match="1 such row, ") as caught:
        sum_probabilities(KINDS[kind](rows), truth="y", probabilities=COLUMNS)
    assert kind == "duckdb" or "row 9" in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_other_numbers(kind: str) -> None:
    rows = [("cat", "cat", "east", 1, 1, 0, 0), ("dog", "dog", "east", 1, 0, 1, 0)]
    found = decompose_data(KINDS[kind](rows), truth="y", probabilities=["p_*"])
    assert found.certain.values.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]


def test_single_precision_is_summed_in_double() -> None:
    frame = pl.DataFrame(columns()).with_columns(pl.col(COLUMNS).cast(pl.Float32))
    wide = frame.with_columns(pl.col(COLUMNS).cast(pl.Float64))
    for data in (frame, frame.to_pandas(), frame.to_arrow()):
        found = sum_probabilities(data, truth="y", probabilities=["p_*"])
        assert_summed(found, by_loop(wide.select(NAMES).rows(), ()))


@pytest.mark.parametrize("kind", KINDS)
def test_one_column_stands_for_two_classes(kind: str) -> None:
    rows = [(*row[:4], row[4], 1 - row[4], 0.0) for row in spoilt({})]
    rows = [("dog", *row[1:]) if n % 2 else row for n, row in enumerate(rows)]
    found = decompose_data(KINDS[kind](rows), truth="y", probabilities=["p_cat"], labels=["dog", "cat"])
    both = decompose_data(KINDS[kind](rows), truth="y", probabilities=["p_dog", "p_cat"], labels=["dog", "cat"])
    assert_same(found, both)
    # The column is named after a class, so it is that class's, whichever comes first in the alphabet.
    assert_same(decompose_data(KINDS[kind](rows), truth="y", probabilities="p_cat"), found)


@pytest.mark.parametrize("kind", ["pandas", "lists", "polars", "duckdb"])
def test_many_classes(kind: str) -> None:
    draw = np.random.default_rng(0)
    values = draw.dirichlet(np.ones(300), 500)
    truth = draw.integers(0, 300, 500)
    table = {"y": truth.tolist(), **{f"p_{n}": values[:, n].tolist() for n in range(300)}}
    data: Any = {
        "pandas": lambda: pd.DataFrame(table),
        "lists": lambda: table,
        "polars": lambda: pl.DataFrame(table),
        "duckdb": lambda: pytest.importorskip("duckdb").connect().from_arrow(pa.table(table)),
    }[kind]()
    found = sum_probabilities(data, truth="y", probabilities=["p_*"])
    expected = values.argmax(axis=1)
    assert {(y, place) for y, place in found.cells[()]} == set(zip(truth.tolist(), expected.tolist(), strict=True))
    total = np.sum([sums for _, sums in found.cells[()].values()], axis=0)
    np.testing.assert_allclose(total, values.sum(axis=0), atol=1e-9)


def test_ibis(tmp_path: Path) -> None:
    ibis = pytest.importorskip("ibis")
    pl.DataFrame(columns()).write_parquet(tmp_path / "rows.parquet")
    check(ibis.duckdb.connect().read_parquet(tmp_path / "rows.parquet"))


@pytest.mark.parametrize("kind", ["texts", "categories"])
def test_dask(kind: str) -> None:
    dask = pytest.importorskip("dask")
    dataframe = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(columns())
    if kind == "categories":
        frame = frame.astype({"y": "category", "ward": "category"})
    with dask.config.set(scheduler="threads"):
        check(dataframe.from_pandas(frame, npartitions=3))
        far = dataframe.from_pandas(pd.DataFrame(columns(spoilt({7: (NAN, 0, 1), 9: (NAN, 1, 0)}))), npartitions=3)
        with pytest.raises(InputError, match="2 such rows, one of them"):
            sum_probabilities(far, truth="y", probabilities=COLUMNS)


@pytest.mark.usefixtures("dask_cluster")
def test_a_dask_cluster() -> None:
    dataframe = pytest.importorskip("dask.dataframe")
    far = dataframe.from_pandas(pd.DataFrame(columns()), npartitions=4)
    assert_same(decompose_data(far, truth="y", probabilities=["p_*"], by="ward"), in_memory())


def test_spark(spark: Any) -> None:
    check(spark.createDataFrame(ROWS, SPARK).repartition(3))


@pytest.mark.parametrize("name", BAD)
def test_spark_counts_bad_rows(spark: Any, name: str) -> None:
    numbers, problem = BAD[name]
    far = spark.createDataFrame(spoilt({7: numbers, 300: numbers}), SPARK)
    with pytest.raises(InputError, match="2 such rows, one of them") as caught:
        sum_probabilities(far, truth="y", probabilities=["p_*"])
    assert caught.value.problem == problem


def test_spark_takes_any_name(spark: Any) -> None:
    far = spark.createDataFrame([("a", 0.25, 0.75), ("b", 0.5, 0.5)], "`y.y` string, `p.a` double, `p.b` double")
    found = decompose_data(far, truth="y.y", probabilities=["p.*"])
    assert (found.labels, found.tied) == (("a", "b"), 1)
    assert found.hard.values.tolist() == [[0, 1], [1, 0]]
