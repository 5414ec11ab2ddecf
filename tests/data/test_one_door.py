"""Whatever holds the rows, one door gives the same counts, the same sums and the same columns."""

from __future__ import annotations

import gzip
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fourfold import InputError, TooLarge
from fourfold.certainty import decompose, decompose_data
from fourfold.data import FILE_ENDINGS, TEXT_ENDINGS, aggregate, files, read_probabilities, read_rows

from .probabilities import CLASSES, COLUMNS, NAMES, ROWS, assert_same, by_loop, columns, in_memory

duckdb = pytest.importorskip("duckdb")

QUERY = "select * from log"


def csv_file(folder: Path, ending: str = "csv") -> Path:
    pl.DataFrame(columns()).write_csv(folder / "rows.csv")
    path = folder / f"rows.{ending}"
    if ending == "csv.gz":
        path.write_bytes(gzip.compress((folder / "rows.csv").read_bytes()))
    if ending == "csv.zst":
        source = f"read_csv('{folder}/rows.csv', all_varchar = true)"
        duckdb.sql(f"copy (from {source}) to '{path}' (header true, compression zstd)")
    if ending == "tsv":
        pl.DataFrame(columns()).write_csv(path, separator="\t")
    return path


def parquet_file(folder: Path) -> Path:
    pl.DataFrame(columns()).write_parquet(folder / "rows.parquet")
    return folder / "rows.parquet"


def many_files(folder: Path) -> str:
    for n in range(4):
        pl.DataFrame(columns(ROWS[n * 100 : n * 100 + 100])).write_parquet(folder / f"part-{n}.parquet")
    return str(folder / "part-*.parquet")


def database(folder: Path, ending: str) -> Path:
    path = folder / f"rows.{ending}"
    base = sqlite3.connect(path) if ending == "sqlite" else duckdb.connect(str(path))
    base.execute("create table log (y text, yhat text, ward text, fold int, p_cat double, p_dog double, p_hen double)")
    base.executemany("insert into log values (?, ?, ?, ?, ?, ?, ?)", ROWS)
    base.commit()
    base.close()
    return path


FILES: dict[str, Callable[[Path], Any]] = {
    "csv": csv_file,
    "tsv": lambda folder: csv_file(folder, "tsv"),
    "csv.gz": lambda folder: csv_file(folder, "csv.gz"),
    "csv.zst": lambda folder: csv_file(folder, "csv.zst"),
    "parquet": parquet_file,
    "many files": many_files,
    "sqlite": lambda folder: database(folder, "sqlite"),
    "duckdb": lambda folder: database(folder, "duckdb"),
}
SOURCES: dict[str, Callable[[Path], Any]] = {
    **FILES,
    "lists": lambda _: columns(),
    "arrays": lambda _: {name: np.array(values) for name, values in columns().items()},
    "pandas": lambda _: pd.DataFrame(columns()),
    "polars": lambda _: pl.DataFrame(columns()),
    "lazy polars": lambda _: pl.LazyFrame(columns()),
    "pyarrow": lambda _: pa.table(columns()),
    "duckdb relation": lambda _: duckdb.connect().from_arrow(pa.table(columns())),
}


def query_of(name: str) -> dict[str, str]:
    return {"query": QUERY} if name in ("sqlite", "duckdb") else {}


def texts(group: tuple[Any, ...]) -> tuple[Any, ...]:
    """Folds are numbers in most sources and texts in CSV files."""
    return tuple(
        None if value is None else str(int(value)) if isinstance(value, float) else str(value) for value in group
    )


@pytest.mark.parametrize("name", SOURCES)
def test_one_door(name: str, tmp_path: Path) -> None:
    """Counting is the case without sums: the rows of each pair of labels are the same in both."""
    data, query = SOURCES[name](tmp_path), query_of(name)
    keys: dict[str, Any] = {"truth": "y", "prediction": "yhat", "by": ["ward", "fold"]}
    counted = aggregate(data, **keys, **query)
    expected: Counter[Any] = Counter()
    for row in ROWS:
        if row[0] is not None and row[1] is not None:
            expected[texts(row[2:4]), row[0], row[1]] += 1
    assert Counter({(texts(kind.group), kind.truth, kind.predicted): kind.rows for kind in counted.kinds}) == expected
    assert (counted.rows, counted.columns) == (len(ROWS), ())
    summed = aggregate(SOURCES[name](tmp_path) if name == "lists" else data, **keys, probabilities=["p_*"], **query)
    assert [kind[:5] for kind in summed.kinds] == [kind[:5] for kind in counted.kinds]
    assert (summed.rows, summed.missing, summed.by, summed.columns) == (
        counted.rows,
        counted.missing,
        counted.by,
        COLUMNS,
    )
    loop = by_loop(given=True)["cells"]
    sums = {texts(group): own for group, own in loop.items()}
    for kind in summed.kinds:
        count, numbers = sums[texts(kind.group)][kind.truth, CLASSES.index(kind.predicted)]
        assert kind.rows == count
        np.testing.assert_allclose(kind.sums, numbers, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_once_for_sums_and_rows(name: str, tmp_path: Path) -> None:
    path, query = FILES[name](tmp_path), query_of(name)
    read = read_probabilities(path, truth="y", probabilities=["p_*"], by=["ward"], **query)
    assert list(read) == ["y", "ward", *COLUMNS]
    assert (read["y"], read["ward"]) == (columns()["y"], columns()["ward"])
    for column in COLUMNS:
        np.testing.assert_allclose(read[column], columns()[column], rtol=0, atol=1e-15)
    asked: dict[str, Any] = {"truth": "y", "probabilities": ["p_*"], "by": "ward"}
    assert_same(decompose_data(read, **asked), in_memory())
    assert_same(decompose_data(path, **asked, **query), in_memory())
    truth, probabilities = read.labelled()
    assert truth == [row[0] for row in ROWS if row[0] is not None]
    pooled = decompose(truth, probabilities)
    assert pooled.hard.values.tolist() == in_memory().hard.values.tolist()


@pytest.mark.parametrize("name", FILES)
def test_rows_beyond_the_limit_are_refused(name: str, tmp_path: Path) -> None:
    path, query = FILES[name](tmp_path), query_of(name)
    whole = read_probabilities(path, truth="y", probabilities="p_*", limit=len(ROWS), **query)
    assert len(whole["y"]) == len(ROWS)
    with pytest.raises(TooLarge, match="has more than 399 rows"):
        read_probabilities(path, truth="y", probabilities="p_*", limit=len(ROWS) - 1, **query)


def test_rows_without_a_label_are_not_drawn(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("y,yhat,p_1\n1.0,1,0.75\nNA,1,much\n0, ,0.5\n 0 ,0,0.25\n")
    read = read_probabilities(tmp_path / "rows.csv", truth="Y", prediction="yhat", probabilities=["p_1"])
    assert (read["y"], read["yhat"]) == (["1", None, "0", "0"], ["1", "1", None, "0"])
    truth, numbers = read.labelled()
    assert (truth, numbers.tolist()) == (["1", "0", "0"], [0.75, 0.5, 0.25])


def test_bad_rows_of_what_was_read_are_named_as_in_the_file(tmp_path: Path) -> None:
    path = csv_file(tmp_path)
    with path.open("a") as file:
        file.write("cat,cat,east,1,0.5,0.1,0.1\n")
    asked: dict[str, Any] = {"truth": "y", "probabilities": ["p_*"]}
    messages = []
    for data in (path, read_probabilities(path, **asked)):
        with pytest.raises(InputError) as caught:
            aggregate(data, **asked)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    assert "1 such row, the first is row 400 of rows.csv: [0.5, 0.1, 0.1]" in messages[0]


def test_every_ending_is_known() -> None:
    assert {".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet"} <= set(FILE_ENDINGS)
    assert not {".db", ".sqlite", ".xlsx"} & set(FILE_ENDINGS)
    assert set(FILE_ENDINGS) - set(TEXT_ENDINGS) == {".parquet", ".pq"}


def test_a_new_kind_of_file_needs_one_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One function that opens it and one line in the list: then it is counted, summed, and read row by row."""

    @contextmanager
    def open_lines(paths: list[Path], wanted: Any, query: Any, progress: Any) -> Iterator[files.BatchedRows]:
        header, *rows = [eval(line) for path in paths for line in path.read_text().splitlines()]
        places = wanted.places(header, paths[0])
        names = [header[place] for place in places]
        chosen = [tuple(row[place] for place in places) for row in rows]
        yield files.BatchedRows(names, iter([files.Batch("", names, chosen, 0)]), wanted)

    reader = files.Reader("lines", (".lines",), lambda _: [open_lines])
    monkeypatch.setattr(files, "READERS", (*files.READERS, reader))
    path = tmp_path / "rows.lines"
    path.write_text("\n".join(repr(line) for line in (NAMES, *ROWS)))
    asked: dict[str, Any] = {"truth": "y", "probabilities": ["p_*"], "by": "ward"}
    assert_same(decompose_data(path, **asked), in_memory())
    assert aggregate(path, truth="y", prediction="yhat").rows == len(ROWS)
    assert read_probabilities(path, **asked)["y"] == columns()["y"]
    assert [row["y"] for row in read_rows(path)] == [row[0] or "" for row in ROWS]
