"""Counting groups in files, databases and arrays; what is refused, and how."""

from __future__ import annotations

import gzip
import os
import random
import sqlite3
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fourfold import InputError, MissingExtra, TooLarge
from fourfold.data import columns as columns_module
from fourfold.data import count_groups, places_of
from fourfold.data import files as files_module
from fourfold.data.aggregation import plain
from fourfold.reports import preview

from ..data.rows import NAMES, ROWS, Row, by_loop, columns

duckdb = pytest.importorskip("duckdb")

COLUMNS: dict[str, Any] = {"truth": "y", "prediction": "yhat", "by": ["race", "age"]}


def csv_text(rows: list[Row] = ROWS, names: tuple[str, ...] = NAMES, delimiter: str = ",", end: str = "\n") -> str:
    """Write rows as a spreadsheet does: missing cells are empty, quotes doubled."""

    def cell(value: object) -> str:
        text = "" if value is None else str(value)
        return '"' + text.replace('"', '""') + '"' if set(text) & {'"', delimiter} else text

    order = [NAMES.index(name) for name in names]
    lines = [delimiter.join(names), *(delimiter.join(cell(row[i]) for i in order) for row in rows)]
    return end.join(lines) + end


def as_texts(rows: list[Row] = ROWS) -> tuple[Any, ...]:
    """The plain loop's counts, with every value as the text a CSV file holds."""
    by, pairs, many, missing = by_loop(rows)
    texts = {
        tuple(None if value is None else str(value) for value in group): Counter(
            {(str(truth), str(prediction)): count for (truth, prediction), count in counts.items()}
        )
        for group, counts in pairs.items()
    }
    return by, texts, many, missing


def counted(data: Any, **options: Any) -> tuple[Any, ...]:
    found = count_groups(data, **{**COLUMNS, **options})
    return found.by, found.pairs, found.rows, found.missing


@pytest.fixture(params=["duckdb", "python"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """CSV files are read with DuckDB and without."""
    if request.param == "python":
        monkeypatch.setitem(sys.modules, "duckdb", None)
    return str(request.param)


@pytest.mark.parametrize(("suffix", "delimiter"), [("csv", ","), ("tsv", "\t"), ("csv", ";"), ("txt", "|")])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_csv(reader: str, tmp_path: Path, suffix: str, delimiter: str, end: str) -> None:
    path = tmp_path / f"rows.{suffix}"
    path.write_text(csv_text(delimiter=delimiter, end=end), newline="")
    assert counted(path) == as_texts()
    assert counted(str(path)) == as_texts()


def test_packed_csv(reader: str, tmp_path: Path) -> None:
    with gzip.open(tmp_path / "rows.csv.gz", "wt") as file:
        file.write(csv_text())
    assert counted(tmp_path / "rows.csv.gz") == as_texts()


@pytest.mark.parametrize("kept", [5, 9, 30, 200, -1])
def test_zstandard_that_breaks_off_is_refused(tmp_path: Path, kept: int) -> None:
    """DuckDB alone would take the rows that are there."""
    whole = tmp_path / "whole.csv.zst"
    rows = "select 1 as y, hash(i) % 2 as yhat, 'a' as race, i as age from range(20000) t(i)"
    duckdb.sql(f"copy ({rows}) to '{whole}' (header true, compression zstd)")
    assert counted(whole, by=["race"])[2] == 20000
    half = tmp_path / "half.csv.zst"
    half.write_bytes(whole.read_bytes()[:kept])
    with pytest.raises(InputError, match="not readable as zstandard"):
        counted(half, by=["race"])
    # A frame that is to be passed over, then the whole file.
    skipped = (0x184D2A53).to_bytes(4, "little") + (3).to_bytes(4, "little") + b"abc"
    half.write_bytes(skipped + whole.read_bytes())
    assert counted(half, by=["race"])[2] == 20000


def test_zstandard_csv(reader: str, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(csv_text())
    source = f"read_csv('{tmp_path}/rows.csv', all_varchar = true)"
    duckdb.sql(f"copy (from {source}) to '{tmp_path}/rows.csv.zst' (header true, compression zstd)")
    assert counted(tmp_path / "rows.csv.zst") == as_texts()


@pytest.mark.parametrize(
    "head", ["00 50", "20 57", "a0 57000000", "21 00 57"], ids=["window", "size", "size in four bytes", "dictionary"]
)
def test_zstandard_frames_with_every_head(tmp_path: Path, head: str) -> None:
    """Frames made by hand after RFC 8878, 3.1.1: flags, a window or the size of what is packed, one plain block."""
    text = b"y,yhat\n" + b"1,1\n" * 20
    assert len(text) == 0x57
    block = (len(text) << 3 | 1).to_bytes(3, "little") + text
    path = tmp_path / "rows.csv.zst"
    path.write_bytes(bytes.fromhex(f"28b52ffd {head}") + block)
    assert counted(path, by=[])[2] == 20
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InputError, match="not readable as zstandard"):
        counted(path, by=[])


def test_many_csv_files_whose_columns_are_in_any_order(reader: str, tmp_path: Path) -> None:
    for day in range(4):
        folder = tmp_path / f"2026-{day}"
        folder.mkdir()
        names = NAMES if day % 2 else (*NAMES[::-1],)
        (folder / "rows.csv").write_text(csv_text(ROWS[day * 100 : day * 100 + 100], names))
    assert counted(str(tmp_path / "2026-*" / "*.csv")) == as_texts()


def test_a_name_that_looks_like_a_pattern_is_a_file(reader: str, tmp_path: Path) -> None:
    (tmp_path / "rows[1].csv").write_text(csv_text())
    (tmp_path / "rows1.csv").write_text(csv_text(ROWS[:3]))
    (tmp_path / "o'clock*.csv").write_text(csv_text())
    assert counted(tmp_path / "rows[1].csv") == as_texts()
    assert counted(tmp_path / "o'clock*.csv") == as_texts()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=[csv_text()])
    writer.start()
    seen: list[float] = []
    assert counted(tmp_path / "pipe", progress=seen.append) == as_texts()
    writer.join()
    assert seen == [1.0]


TEXTS = {
    "a byte order mark": "\ufeffy,yhat,g\n1,0,a\n",
    "blank lines before and between": "\n\ny,yhat,g\n\n1,0,a\n\n",
    "mixed line ends": "y,yhat,g\r\n1,0,a\n",
    "blanks around everything": " y , yhat,g \n 1 , 0, a \n",
    "capitals": "Y,YHAT,G\n1,0,a\n",
    "numbers that floats were made of": "y,yhat,g\n1.0,0,a\n",
    "quotes": '"y","yhat","g"\n"1","0","a"\n',
}


@pytest.mark.parametrize("name", TEXTS)
def test_csv_of_many_hands(reader: str, tmp_path: Path, name: str) -> None:
    (tmp_path / "rows.csv").write_bytes(TEXTS[name].encode())
    found = count_groups(tmp_path / "rows.csv", truth="y", prediction="yhat", by=["g"])
    assert found.pairs == {("a",): Counter({("1", "0"): 1})}
    assert (found.rows, found.missing) == (1, {})


def test_groups_stay_as_printed_and_labels_do_not(reader: str, tmp_path: Path) -> None:
    text = "y,yhat,g\n1,1.0,01\n1.0,1,1\n0,0,NA\nNaN,0,NA\n0,,01\n,,\n0,0,\n"
    (tmp_path / "rows.csv").write_text(text)
    found = count_groups(tmp_path / "rows.csv", truth="y", prediction="yhat", by=["g"])
    one, zero = Counter({("1", "1"): 1}), Counter({("0", "0"): 1})
    assert found.pairs == {("01",): one, ("1",): one, ("NA",): zero, (None,): zero}
    assert (found.rows, found.missing) == (7, {"y": 2, "yhat": 1})


def test_parquet(tmp_path: Path) -> None:
    pl.DataFrame(columns()).write_parquet(tmp_path / "rows.parquet")
    assert counted(tmp_path / "rows.parquet") == by_loop()


def test_many_parquet_files_and_what_their_folders_say(tmp_path: Path) -> None:
    for month in ("01", "02"):
        (tmp_path / f"month={month}").mkdir()
        part = ROWS[:150] if month == "01" else ROWS[150:]
        pl.DataFrame(columns(part)).write_parquet(tmp_path / f"month={month}" / "rows.parquet")
    assert counted(str(tmp_path / "**" / "*.parquet")) == by_loop()
    found = count_groups(str(tmp_path / "*" / "*.parquet"), truth="y", prediction="yhat", by=["month"])
    assert found.pairs == {("01",): by_loop(ROWS[:150], ())[1][()], ("02",): by_loop(ROWS[150:], ())[1][()]}


ODD = ("a\"b'", "n", "c1", "select", "a.b", "ä ö")


def test_names_that_need_quoting(tmp_path: Path) -> None:
    rows = [dict(zip(ODD, values, strict=True)) for values in [(1, 0, 5, 6, 7, 8), (1, 1, 5, 6, 7, 8)]]
    frame = pl.DataFrame(rows)
    frame.write_parquet(tmp_path / "rows.parquet")
    connection = duckdb.connect()
    relation = connection.from_arrow(frame.to_arrow())
    for data in (frame, frame.lazy(), frame.to_pandas(), relation, tmp_path / "rows.parquet"):
        found = count_groups(data, truth=ODD[0], prediction=ODD[1], by=ODD[2:])
        assert found.by == ODD[2:]
        assert found.pairs == {(5, 6, 7, 8): Counter({(1, 0): 1, (1, 1): 1})}


def sqlite_file(path: Path) -> Path:
    base = sqlite3.connect(path)
    base.execute("create table log (y int, yhat int, race text, age int)")
    base.executemany("insert into log values (?, ?, ?, ?)", ROWS)
    base.commit()
    base.close()
    return path


def duckdb_file(path: Path) -> Path:
    with duckdb.connect(str(path)) as base:
        base.execute("create table log (y int, yhat int, race text, age int)")
        base.executemany("insert into log values (?, ?, ?, ?)", ROWS)
    return path


MAKERS = {
    "sqlite": (sqlite_file, "log.sqlite"),
    "sqlite db": (sqlite_file, "log.db"),
    "duckdb": (duckdb_file, "log.db"),
}


@pytest.fixture(params=MAKERS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    make, name = MAKERS[request.param]
    return make(tmp_path / name)


QUERIES = {
    "all": ("select * from log", lambda row: True),
    "some": ("select yhat, race, age, y from log where age = 30;", lambda row: row[3] == 30),
    "with a comment": ("select * from log -- where age = 30", lambda row: True),
    "with a with": ("with old as (select * from log where age = 30) select * from old", lambda row: row[3] == 30),
}


@pytest.mark.parametrize("name", QUERIES)
def test_database(database: Path, name: str) -> None:
    query, keep = QUERIES[name]
    assert counted(database, query=query) == by_loop([row for row in ROWS if keep(row)])


@pytest.mark.parametrize(
    "query",
    [
        "drop table log",
        "delete from log",
        "select 1; drop table log",
        "select * from log; select * from log",
        "select * from lgo",
        "attach 'other.db' as other",
        "not sql",
    ],
)
def test_a_query_is_one_select_and_changes_nothing(database: Path, query: str) -> None:
    before = database.read_bytes()
    with pytest.raises(InputError) as caught:
        counted(database, query=query)
    assert (caught.value.code, caught.value.argument) == ("bad_option", "query")
    assert database.read_bytes() == before


def test_a_query_reads_its_database_only(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text(csv_text())
    base = duckdb_file(tmp_path / "log.duckdb")
    with pytest.raises(InputError, match="must be one select that can be run"):
        counted(base, query=f"select * from read_csv('{tmp_path}/secret.csv')")


def test_progress_goes_up_to_one(reader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "_TICK", 1e-6)
    (tmp_path / "rows.csv").write_text(csv_text(ROWS * 100))
    seen: list[float] = []
    assert counted(tmp_path / "rows.csv", progress=seen.append) == as_texts(ROWS * 100)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert all(0 <= share <= 1 for share in seen)


def test_what_progress_raises_stops_the_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(share: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(files_module, "_TICK", 1e-6)
    pl.DataFrame(columns(ROWS * 200)).write_parquet(tmp_path / "rows.parquet")
    with pytest.raises(KeyboardInterrupt):
        counted(tmp_path / "rows.parquet", progress=stop)


RANDOM = random.Random(1)
ARRAYS = {
    "integers far apart": [RANDOM.choice([-(2**62), 0, 2**62]) for _ in range(300)],
    "unsigned": np.array([RANDOM.choice([0, 2**64 - 1]) for _ in range(300)], dtype=np.uint64),
    "small integers": np.array([RANDOM.choice([-128, 127]) for _ in range(300)], dtype=np.int8),
    "truths": np.array([RANDOM.choice([True, False]) for _ in range(300)]),
    "texts": np.array([RANDOM.choice(["c", "a", "bb", "ä" * 9]) for _ in range(300)]),
    "long texts": np.array([RANDOM.choice(["a" * 99, "b"]) for _ in range(300)]),
    "bytes": np.array([RANDOM.choice([b"a", b"bb"]) for _ in range(300)]),
    "many texts": np.array([str(number % 150) for number in range(300)]),
    "every other text": np.array([RANDOM.choice(["a", "bb"]) for _ in range(600)])[::2],
    "fractions": np.array([RANDOM.choice([0.5, -0.0, 0.0]) for _ in range(300)]),
    "days": np.array([RANDOM.choice(["2026-01-01", "2026-01-02"]) for _ in range(300)], dtype="datetime64[D]"),
    "a tuple": tuple(RANDOM.choice("ab") for _ in range(300)),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_every_kind(name: str) -> None:
    values = ARRAYS[name]
    labels = [RANDOM.choice([0, 1]) for _ in range(300)]
    found = count_groups({"g": values, "y": np.array(labels), "yhat": labels}, truth="y", prediction="yhat", by=["g"])
    if name == "days":
        values = values.astype("datetime64[us]")
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    expected: dict[Any, Counter[Any]] = {}
    for value, label in zip(listed, labels, strict=True):
        expected.setdefault((value,), Counter())[label, label] += 1
    assert found.pairs == expected
    assert {type(group[0]) for group in found.pairs} == {type(value) for value in listed}


def test_texts_that_come_late(monkeypatch: pytest.MonkeyPatch) -> None:
    from fourfold.data import arrays

    monkeypatch.setattr(arrays, "_FIRST", 2)
    texts = ["b", "b", "a", "c", "b", "d"]
    found = count_groups({"g": np.array(texts), "y": [1] * 6, "yhat": [1] * 6}, truth="y", prediction="yhat", by=["g"])
    assert found.pairs == {(text,): Counter({(1, 1): count}) for text, count in Counter(texts).items()}


def test_texts_that_share_a_number_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    from fourfold.data import arrays

    monkeypatch.setattr(arrays, "_MULTIPLIER", np.uint64(1))
    data = {"g": np.array(["ab", "ba", "ab"]), "y": [1, 1, 1], "yhat": [1, 0, 1]}
    found = count_groups(data, truth="y", prediction="yhat", by=["g"])
    assert found.pairs == {("ab",): Counter({(1, 1): 2}), ("ba",): Counter({(1, 0): 1})}


def test_many_groups_in_many_columns() -> None:
    draw = random.Random(2)
    rows = [tuple(draw.randrange(2000) for _ in range(3)) for _ in range(5000)]
    data = {name: np.array(values) for name, values in zip("abc", zip(*rows, strict=True), strict=True)}
    ones = np.ones(len(rows), dtype=int)
    found = count_groups({**data, "y": ones, "yhat": ones}, truth="y", prediction="yhat", by=["a", "b", "c"])
    assert found.pairs == {group: Counter({(1, 1): count}) for group, count in Counter(rows).items()}


def at_most(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from fourfold.data import engines

    for module in (columns_module, engines):
        monkeypatch.setattr(module, "MOST", most)


IDS = {"id": list(range(60)), "y": [0, 1] * 30, "yhat": [1] * 60}


@pytest.mark.parametrize(
    "kind", ["lists", "pandas", "polars", "lazy", "parquet", "csv", "plain csv", "sqlite", "duckdb"]
)
def test_an_id_is_no_group(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_most(50, monkeypatch)
    query = None
    data: Any = {"lists": IDS, "pandas": pd.DataFrame(IDS), "polars": pl.DataFrame(IDS), "lazy": pl.LazyFrame(IDS)}.get(
        kind
    )
    if kind == "parquet":
        pl.DataFrame(IDS).write_parquet(data := tmp_path / "rows.parquet")
    elif kind.endswith("csv"):
        pl.DataFrame(IDS).write_csv(data := tmp_path / "rows.csv")
        if kind == "plain csv":
            monkeypatch.setitem(sys.modules, "duckdb", None)
    elif kind in ("sqlite", "duckdb"):
        data = tmp_path / f"rows.{kind}"
        base = sqlite3.connect(data) if kind == "sqlite" else duckdb.connect(str(data))
        base.execute("create table log (id int, y int, yhat int)")
        base.executemany("insert into log values (?, ?, ?)", list(zip(*IDS.values(), strict=True)))
        base.commit()
        base.close()
        query = "select * from log"
    with pytest.raises(
        TooLarge, match=r"more than 50 combinations of values, got columns y, yhat, id\. Hint: is one of them an id"
    ):
        count_groups(data, truth="y", prediction="yhat", by=["id"], query=query)


def test_values_of_several_kinds_have_an_order() -> None:
    data = {"g": ["b", 2, None, "a", 1], "y": [1] * 5, "yhat": [1] * 5}
    found = count_groups(data, truth="y", prediction="yhat", by=["g"])
    assert list(found.pairs) == [(1,), (2,), ("a",), ("b",), (None,)]


def test_where_all_labels_are_missing_all_rows_are_left_out() -> None:
    found = count_groups({"y": [None, float("nan")], "yhat": [1, None]}, truth="y", prediction="yhat")
    assert (found.pairs, found.rows, found.missing) == ({}, 2, {"y": 2})


def test_one_group_column_may_be_given_as_text() -> None:
    found = count_groups(pd.DataFrame(columns()), truth="y", prediction="yhat", by="race")
    assert (found.by, found.pairs) == (("race",), by_loop(by=("race",))[1])


ERRORS: dict[str, tuple[Any, dict[str, Any], str, str]] = {
    "no such truth": (columns(), {"truth": "yy"}, "unknown_column", "truth"),
    "no such prediction": (pd.DataFrame(columns()), {"prediction": "q"}, "unknown_column", "prediction"),
    "no such group": (pl.LazyFrame(columns()), {"by": ["race", "rase"]}, "unknown_column", "by"),
    "a group twice": (columns(), {"by": ["race", "race"]}, "ambiguous", "by"),
    "a group in capitals": (columns(), {"by": ["race", "RACE"]}, "ambiguous", "by"),
    "truth as group": (pl.DataFrame(columns()), {"by": ["y"]}, "ambiguous", "by"),
    "prediction as group": (columns(), {"by": ["yhat"]}, "ambiguous", "by"),
    "truth as prediction": (columns(), {"prediction": "y"}, "ambiguous", "prediction"),
    "a number as name": (columns(), {"truth": 3}, "bad_option", "truth"),
    "two columns of a name": (pd.DataFrame([[1, 1, 1]], columns=["y", "y", "yhat"]), {"by": []}, "ambiguous", "data"),
    "a query of a frame": (pd.DataFrame(columns()), {"query": "select 1"}, "bad_option", "query"),
    "no rows, pandas": (pd.DataFrame(columns([])), {}, "empty", "data"),
    "no rows, polars": (pl.LazyFrame(columns([])), {}, "empty", "data"),
    "no rows, lists": (columns([]), {}, "empty", "data"),
    "a list": (ROWS, {}, "bad_shape", "data"),
    "a number": (3, {}, "bad_shape", "data"),
    "nothing": (None, {}, "bad_shape", "data"),
    "a column alone": (pd.Series([1, 2]), {}, "bad_shape", "data"),
    "lengths": ({**columns(), "y": [1]}, {}, "length_mismatch", "data"),
    "two dimensions": ({**columns(), "y": np.zeros((400, 2))}, {}, "bad_shape", "y"),
    "a text as column": ({**columns(), "y": "abc"}, {}, "bad_shape", "y"),
    "a set as column": ({**columns(), "y": {1, 2}}, {}, "bad_shape", "y"),
    "lists as labels": ({**columns(), "y": [[1, 0]] * 400}, {}, "bad_label", "labels"),
    "lists as labels, pandas": (pd.DataFrame({**columns(), "y": [[1, 0]] * 400}), {}, "bad_label", "labels"),
    "lists as labels, polars": (pl.DataFrame({**columns(), "y": [[1, 0]] * 400}), {}, "bad_label", "labels"),
    "no file": ("nowhere/rows.csv", {}, "no_file", "data"),
    "nothing matches": ("nowhere/*.csv", {}, "no_file", "data"),
    "a folder": (".", {}, "no_file", "data"),
    "far too long a path": ("x" * 9999, {}, "no_file", "data"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    data, options, code, argument = ERRORS[name]
    with pytest.raises(InputError) as caught:
        counted(data, **options)
    assert (caught.value.code, caught.value.argument) == (code, argument)


def test_an_unknown_column_names_what_is_there() -> None:
    with pytest.raises(InputError) as caught:
        counted(pd.DataFrame(columns()), by=["rase"])
    expected = "by: the data has no such column, got 'rase'. Hint: did you mean 'race'? it has y, yhat, race, age."
    assert str(caught.value) == expected


FILES: dict[str, tuple[str, bytes, dict[str, Any], str, str]] = {
    "an empty file": ("a.csv", b"", {}, "empty", "data"),
    "a header only": ("a.csv", b"y,yhat,race,age\n", {}, "empty", "data"),
    "a row too long": ("a.csv", b"y,yhat,race,age\n1,0,a,20,5\n", {}, "length_mismatch", "data"),
    "a row too short": ("a.csv", b"y,yhat,race,age\n1,0,a\n", {}, "length_mismatch", "data"),
    "an open quote": ("a.csv", b'y,yhat,race,age\n1,0,"a,20\n', {}, "bad_shape", "data"),
    "half of a letter": ("a.csv", b"\xff\xfey\0,\0y", {}, "bad_shape", "data"),
    "two columns of a name": ("a.csv", b"y,y,yhat,race,age\n1,0,1,a,20\n", {}, "ambiguous", "truth"),
    "no such column": ("a.csv", b"y,yhat,race\n1,0,1\n", {}, "unknown_column", "by"),
    "not packed": ("a.csv.gz", b"y,yhat,race,age\n1,0,a,20\n", {}, "bad_shape", "data"),
    "half of a packed file": ("a.csv.gz", gzip.compress(csv_text().encode())[:200], {}, "bad_shape", "data"),
    "a query of a file": ("a.csv", b"y,yhat,race,age\n1,0,a,20\n", {"query": "select 1"}, "bad_option", "query"),
}


@pytest.mark.parametrize("name", FILES)
def test_errors_of_csv_files(reader: str, name: str, tmp_path: Path) -> None:
    file, content, options, code, argument = FILES[name]
    (tmp_path / file).write_bytes(content)
    with pytest.raises(InputError) as caught:
        counted(tmp_path / file, **options)
    assert (caught.value.code, caught.value.argument) == (code, argument)


MORE_FILES: dict[str, tuple[str, bytes, dict[str, Any], str, str]] = {
    "no parquet": ("a.parquet", b"y,yhat\n", {}, "bad_shape", "data"),
    "no zstandard": ("a.csv.zst", b"y,yhat,race,age\n", {}, "bad_shape", "data"),
    "no database": ("a.db", b"y,yhat\n" * 99, {"query": "select 1"}, "bad_shape", "data"),
    "no query": ("a.db", b"", {}, "bad_option", "query"),
}


@pytest.mark.parametrize("name", MORE_FILES)
def test_errors_of_other_files(name: str, tmp_path: Path) -> None:
    file, content, options, code, argument = MORE_FILES[name]
    (tmp_path / file).write_bytes(content)
    with pytest.raises(InputError) as caught:
        counted(tmp_path / file, **options)
    assert (caught.value.code, caught.value.argument) == (code, argument)


def test_an_unreadable_row_is_named(reader: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(csv_text() + "1,2\n")
    found = count_groups(tmp_path / "a.csv", **COLUMNS)
    assert (found.rows, found.notes[0].code, found.notes[0].data["rows"]) == (len(ROWS), "rows_left_out", 1)
    assert f"2 of 4 in line {len(ROWS) + 2} of a.csv" in found.notes[0].text


def test_files_of_two_kinds(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(csv_text())
    pl.DataFrame(columns()).write_parquet(tmp_path / "a.parquet")
    for name in ("b.db", "c.db"):
        sqlite_file(tmp_path / name)
    with pytest.raises(InputError, match="files of one kind, got CSV and parquet"):
        counted(str(tmp_path / "a.*"))
    with pytest.raises(InputError, match="must be one database, got 2 files"):
        counted(str(tmp_path / "*.db"), query="select * from log")


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python itself unpacks .zst from 3.14 on")
def test_without_its_package_zstandard_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    (tmp_path / "rows.csv.zst").write_bytes(b"")
    with pytest.raises(MissingExtra, match=r"reading .zst needs backports.zstd.*pip install 'fourfold\[data\]'"):
        counted(tmp_path / "rows.csv.zst")


@pytest.mark.parametrize("name", ["rows.parquet", "rows.duckdb"])
def test_without_duckdb_the_extra_is_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(MissingExtra, match=r"needs duckdb.*pip install 'fourfold\[data\]'"):
        counted(tmp_path / name, query="select 1" if name.endswith(".duckdb") else None)


def test_sqlite_needs_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert counted(sqlite_file(tmp_path / "log.sqlite3"), query="select * from log") == by_loop()


def test_parquet_with_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    duckdb.sql(f"copy (select '1' as y, '1' as qzq from range(9)) to '{path}' (format parquet)")
    path.write_bytes(path.read_bytes().replace(b"qzq", b"q\xdfq"))
    for truth in ("y", "x"):
        with pytest.raises(InputError, match=r"is not readable as parquet .*utf-8"):
            count_groups(path, truth=truth, prediction="y")
    with pytest.raises(InputError, match="is not readable as parquet"):
        preview(path)


def test_a_packed_file_that_breaks_off_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress(("y,p\n" + "1,0\n" * 5000).encode())
    file = tmp_path / "rows.csv.gz"
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="not readable as gzip") as caught:
        count_groups(file, truth="y", prediction="p")
    assert caught.value.argument == "data"


@pytest.mark.parametrize("suffix", [".xlsx", ".json", ".feather"])
def test_other_kinds_of_files_are_refused_by_name(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"rows{suffix}"
    file.write_text("y,p\n1,0\n", encoding="utf-8")
    with pytest.raises(InputError, match="save it as CSV or parquet"):
        count_groups(file, truth="y", prediction="p")


def test_counts_of_a_few_rows() -> None:
    data = {"y": [1, 1, 0, None], "yhat": [1, 0, 0, 1], "ward": ["east", "west", "west", "west"]}
    counted = count_groups(data, truth="y", prediction="yhat", by=["ward"])
    assert counted.pairs == {("east",): {(1, 1): 1}, ("west",): {(0, 0): 1, (1, 0): 1}}
    assert (counted.rows, dict(counted.missing)) == (4, {"y": 1})


def test_values_as_python_has_them() -> None:
    assert [plain(float("nan")), plain("nan"), plain(1.0)] == [None, "nan", 1.0]
    assert places_of(Counter({"1": 5, "0": 3}), [0, 1], "truth") == {"1": 1, "0": 0}
