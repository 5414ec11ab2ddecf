"""A score with a threshold: every engine tells the same rows apart, and says which value is no number."""

from __future__ import annotations

import decimal
import gzip
import math
import os
import random
import sqlite3
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fourfold import InputError, TooLarge
from fourfold.data import columns as columns_module
from fourfold.data import count_groups, count_labels, predicted_column

from ..conftest import SHARED, needs

duckdb = pytest.importorskip("duckdb")

NAN, INF = math.nan, math.inf
COMPAS = SHARED / "data" / "compas_two_years.parquet"
NAMES = ("y", "risk", "race")
Row = tuple[int | None, float | None, str | None]


def some_rows() -> list[Row]:
    """Scores on both sides of 0.3, at it, and just beside it: 0.1 + 0.2 is larger than 0.3."""
    draw = random.Random(1)
    scores = (0.1 + 0.2, 0.3, math.nextafter(0.3, 0), -1.5, 1e300, INF, -INF, NAN, None)
    values = ((0, 1, 1, None), (*scores, *(draw.random() for _ in range(20))), ("black", "white", None))
    return [tuple(draw.choice(kind) for kind in values) for _ in range(400)]


ROWS = some_rows()


def by_loop(threshold: float = 0.3, kind: type = int) -> tuple[Any, ...]:
    pairs: dict[Any, Counter[Any]] = {}
    missing: Counter[str] = Counter()
    for y, risk, race in ROWS:
        if y is None:
            missing["y"] += 1
        elif risk is None or math.isnan(risk):
            missing["risk"] += 1
        else:
            pairs.setdefault((race,), Counter())[kind(y), risk >= threshold] += 1
    return pairs, len(ROWS), missing


def columns() -> dict[str, list[Any]]:
    return {name: [row[place] for row in ROWS] for place, name in enumerate(NAMES)}


def counted(data: Any, threshold: Any = 0.3, **options: Any) -> tuple[Any, ...]:
    found = count_groups(data, truth="y", prediction="risk", by="race", threshold=threshold, **options)
    predicted = {type(predicted) for pairs in found.pairs.values() for _, predicted in pairs}
    assert predicted == {bool}
    return found.pairs, found.rows, found.missing


FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(columns()),
    "pandas, objects": lambda: pd.DataFrame({name: pd.Series(v, dtype=object) for name, v in columns().items()}),
    "pandas, nullable": lambda: pd.DataFrame(columns()).convert_dtypes(),
    "pandas, arrow": lambda: pd.DataFrame(columns()).convert_dtypes(dtype_backend="pyarrow"),
    "pandas, categories": lambda: pd.DataFrame(columns()).astype("category"),
    "polars": lambda: pl.DataFrame(columns()),
    "polars, lazy": lambda: pl.LazyFrame(columns()),
    "pyarrow": lambda: pa.table(columns()),
    "duckdb": lambda: duckdb.connect().from_arrow(pa.table(columns())),
    "duckdb, texts": lambda: duckdb.connect().from_arrow(pa.table({**columns(), "risk": texts()})),
    "lists": columns,
    "lists of texts": lambda: {**columns(), "risk": texts()},
    "arrays": lambda: {name: np.array(values, dtype=object) for name, values in columns().items()},
    "array of numbers": lambda: {**columns(), "risk": np.array(columns()["risk"], dtype=float)},
}


def texts() -> list[str | None]:
    """Return scores as a file writes them, missing ones in several ways."""
    missing = ["", "NA", " nan ", None]
    return [missing[place % 4] if risk is None else f" {risk!r}" for place, risk in enumerate(row[1] for row in ROWS)]


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("threshold", [0.3, "0.3", decimal.Decimal("0.3")])
def test_every_frame_gives_the_counts_of_a_plain_loop(name: str, threshold: Any) -> None:
    assert counted(FRAMES[name](), threshold) == by_loop()


@pytest.mark.parametrize("threshold", [-2, 0, 1e300])
def test_thresholds_at_and_beyond_the_ends(threshold: float) -> None:
    for name in ("pandas", "polars", "pyarrow", "duckdb", "lists"):
        assert counted(FRAMES[name](), threshold) == by_loop(threshold)


def test_ibis() -> None:
    ibis = pytest.importorskip("ibis")
    table = ibis.memtable(pa.table(columns()))
    assert counted(table) == by_loop()


def test_dask() -> None:
    dask = pytest.importorskip("dask")
    dataframe = pytest.importorskip("dask.dataframe")
    for kind in ("pandas", "pandas, objects"):
        with dask.config.set({"scheduler": "threads", "dataframe.convert-string": False}):
            far = dataframe.from_pandas(FRAMES[kind](), npartitions=3)
            assert counted(far) == by_loop()
    with dask.config.set({"scheduler": "threads", "dataframe.convert-string": False}):
        bad = dataframe.from_pandas(bad_objects(), npartitions=2)
        with pytest.raises(InputError, match=r"score: column risk must hold numbers, got .*'high'"):
            counted(bad)


def test_spark(spark: Any) -> None:
    far = spark.createDataFrame(ROWS, "y int, risk double, race string").repartition(3)
    assert counted(far) == by_loop()
    bad = spark.createDataFrame([(1, "high", "black")], "y int, risk string, race string")
    with pytest.raises(InputError, match="column risk must hold numbers, got 'high'"):
        counted(bad)


@pytest.fixture(params=["duckdb", "python"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """CSV files are read with DuckDB and without."""
    if request.param == "python":
        monkeypatch.setitem(sys.modules, "duckdb", None)
    return str(request.param)


def csv_text() -> str:
    cells = zip(columns()["y"], texts(), columns()["race"], strict=True)
    return "y,risk,race\n" + "".join(",".join("" if c is None else str(c) for c in row) + "\n" for row in cells)


@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_csv(reader: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"rows.{ending}"
    path.write_bytes(gzip.compress(csv_text().encode()) if ending == "csv.gz" else csv_text().encode())
    assert counted(path) == by_loop(kind=str)


@pytest.mark.parametrize("ending", ["parquet", "sqlite", "duckdb"])
def test_files(ending: str, tmp_path: Path) -> None:
    path, query = tmp_path / f"rows.{ending}", {} if ending == "parquet" else {"query": "select * from log"}
    if ending == "parquet":
        pl.DataFrame(columns()).write_parquet(path)
    else:
        base = sqlite3.connect(path) if ending == "sqlite" else duckdb.connect(str(path))
        base.execute("create table log (y int, risk double, race text)")
        base.executemany("insert into log values (?, ?, ?)", ROWS)
        base.commit()
        base.close()
    assert counted(path, **query) == by_loop()


def test_a_number_of_32_bits_is_compared_as_it_is_stored() -> None:
    """0.7 becomes 0.699999988 in 32 bits, in whatever holds it."""
    y, risk = np.array([1, 1]), np.array([0.7, 0.75], dtype=np.float32)
    frames = [
        {"y": y, "risk": risk},
        pd.DataFrame({"y": y, "risk": risk}),
        pl.DataFrame({"y": y, "risk": risk}),
        pa.table({"y": y, "risk": risk}),
        duckdb.connect().from_arrow(pa.table({"y": y, "risk": risk})),
    ]
    for frame in frames:
        found = count_groups(frame, truth="y", prediction="risk", threshold=0.7)
        assert found.pairs == {(): Counter({(1, False): 1, (1, True): 1})}


def test_kinds_of_numbers() -> None:
    """Flags, decimals, numbers beyond what a float holds, and pandas' null among objects."""
    assert counted_risks([True, False, None]) == ({True: 1, False: 1}, 1)
    assert counted_risks([decimal.Decimal("0.5"), decimal.Decimal("NaN"), 10**400, -(10**400)]) == (
        {True: 2, False: 1},
        1,
    )
    for values in ([True, False, None], [decimal.Decimal("0.5"), decimal.Decimal("0.4"), None]):
        for frame in (pl.DataFrame, pa.table):
            found = count_groups(frame({"y": [1] * 3, "risk": values}), truth="y", prediction="risk", threshold=0.5)
            assert found.pairs == {(): Counter({(1, True): 1, (1, False): 1})}
    objects = pd.DataFrame({"y": [1, 1, 1], "risk": pd.Series([pd.NA, 0.5, "0.25"], dtype=object)})
    found = count_groups(objects, truth="y", prediction="risk", threshold=0.5)
    assert (found.pairs[()], found.missing) == ({(1, True): 1, (1, False): 1}, {"risk": 1})


def counted_risks(values: list[Any]) -> tuple[dict[bool, int], int]:
    found = count_groups({"y": [1] * len(values), "risk": values}, truth="y", prediction="risk", threshold=0.5)
    return {predicted: count for (_, predicted), count in found.pairs[()].items()}, found.missing["risk"]


def bad_objects() -> pd.DataFrame:
    return pd.DataFrame({"y": [1, 0], "risk": pd.Series([0.5, "high"], dtype=object), "race": ["a", "b"]})


BAD = {"y": [1, 0, None], "risk": ["0.5", "high", "low"], "race": ["a", "b", "c"]}


@pytest.mark.parametrize(
    ("make", "got"),
    [
        (lambda: BAD, "'high'"),
        (lambda: {**BAD, "risk": [[0.5], 1, 2]}, r"\[0\.5\]"),
        (lambda: {**BAD, "risk": [b"1", 1, 2]}, "b'1'"),
        (lambda: {**BAD, "risk": ["１", 1, 2]}, "'１'"),
        (bad_objects, "could not convert string to float: 'high'"),
        (lambda: pl.DataFrame(BAD), "'0.5'"),
        (lambda: pa.table(BAD), "'0.5'"),
        (lambda: pl.DataFrame(BAD).with_columns(risk=pl.date(2026, 1, 1)), r"datetime\.date\(2026, 1, 1\)"),
        (lambda: duckdb.connect().from_arrow(pa.table({**BAD, "risk": ["0.5", "high", "high"]})), "'high'"),
    ],
)
def test_what_is_no_number_is_told_with_its_column(make: Callable[[], Any], got: str) -> None:
    with pytest.raises(InputError, match=rf"score: column risk must hold numbers, got {got}\. Hint") as caught:
        counted(make())
    assert caught.value.code == "bad_number"


def test_what_is_no_number_in_a_file_is_told(reader: str, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("y,risk,race\n1,0.5,a\n0,high,b\n")
    with pytest.raises(InputError, match="column risk must hold numbers, got 'high'"):
        counted(tmp_path / "rows.csv")


def test_a_score_of_many_values_is_two_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns_module, "MOST", 50)
    data = {"y": [0, 1] * 500, "risk": [place / 1000 for place in range(1000)]}
    with pytest.raises(TooLarge, match="a score goes with a threshold"):
        count_groups(data, truth="y", prediction="risk")
    found = count_groups(data, truth="y", prediction="risk", threshold=0.25)
    assert found.pairs == {(): Counter({(0, False): 125, (1, False): 125, (0, True): 375, (1, True): 375})}


def test_labels_of_a_file_by_a_threshold(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("y,risk\n1,0.5\n1.0,0.7\n0,.3\n")
    asked: dict[str, Any] = {"truth": "y", "prediction": "risk", "threshold": "0.5"}
    assert count_labels(path, **asked) == Counter({("1", True): 2, ("0", False): 1})
    path.write_text("y,risk\n1,0.5\n1,NA\n0,.3\n")
    with pytest.raises(InputError, match="1 missing, the first in line 3"):
        count_labels(path, **asked)


def test_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("y,risk\n1,0.5\n0,.3\n",))
    writer.start()
    found = count_labels(pipe, truth="y", prediction="risk", threshold=0.5)
    writer.join()
    assert found == Counter({("1", True): 1, ("0", False): 1})


@pytest.mark.parametrize("threshold", ["high", NAN, INF, True, [1]])
def test_a_threshold_is_a_number(threshold: Any) -> None:
    with pytest.raises(InputError, match="threshold: must be a number") as caught:
        counted(columns(), threshold)
    assert caught.value.code == "bad_option"


def test_what_does_not_go_together() -> None:
    with pytest.raises(InputError, match="threshold: cannot be used with probabilities"):
        count_groups({"y": [1], "p": [0.5]}, truth="y", probabilities="p", threshold=0.5)
    with pytest.raises(InputError, match=r"score: the data has no such column, got 'rick'\. Hint: did you mean"):
        count_groups(columns(), truth="y", prediction="rick", threshold=0.5)
    with pytest.raises(InputError, match="score: is a column already named by truth"):
        count_groups(columns(), truth="y", prediction="y", threshold=0.5)


@pytest.mark.parametrize(
    ("given", "argument", "problem"),
    [
        (("yhat", "risk", 5), "score", "cannot be used with a prediction"),
        ((None, "risk", None), "threshold", "is required with a score"),
        (("yhat", None, 5), "threshold", "works only with a score"),
        ((None, None, 5), "threshold", "works only with a score"),
        ((None, None, None), "prediction", "is required"),
    ],
)
def test_a_prediction_or_a_score_with_its_threshold(given: Any, argument: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        predicted_column(*given)
    assert (caught.value.argument, caught.value.problem) == (argument, problem)


def test_either_names_a_column() -> None:
    assert predicted_column("yhat", None) == "yhat"
    assert predicted_column(None, "risk", 0) == "risk"


@needs(COMPAS)
def test_compas() -> None:
    """The counts that ProPublica printed: scores from 5 on (medium and high) count as predicted to offend again.

    https://github.com/propublica/compas-analysis, "Racial Bias in Compas".
    """
    found = count_groups(COMPAS, truth="two_year_recid", prediction="decile_score", threshold=5, by="race")
    black, white = found.pairs["African-American",], found.pairs["Caucasian",]
    assert black == {(0, False): 990, (0, True): 805, (1, False): 532, (1, True): 1369}
    assert white == {(0, False): 1139, (0, True): 349, (1, False): 461, (1, True): 505}
    assert (found.rows, found.missing) == (7214, {})
