"""Summing probabilities in files, databases and arrays; what is refused, and how; decomposing what was summed."""

from __future__ import annotations

import gzip
import sqlite3
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fourfold import InputError, MissingExtra, TooLarge
from fourfold.certainty.data import decompose_data
from fourfold.data import arrays, engines
from fourfold.data import columns as columns_module
from fourfold.data import files as files_module
from fourfold.data.aggregation import bad_rows

from ..data.probabilities import (
    CLASSES,
    COLUMNS,
    NAMES,
    ROWS,
    Row,
    assert_same,
    assert_summed,
    by_loop,
    columns,
    in_memory,
    sum_probabilities,
)

duckdb = pytest.importorskip("duckdb")

ASKED: dict[str, Any] = {"truth": "y", "probabilities": COLUMNS, "by": ["ward", "fold"]}


def csv_text(rows: list[Row] = ROWS, names: tuple[str, ...] = NAMES) -> str:
    def cell(value: object) -> str:
        text = "" if value is None else str(value)
        return '"' + text.replace('"', '""') + '"' if set(text) & set('",') else text

    order = [NAMES.index(name) for name in names]
    return "\n".join([",".join(names), *(",".join(cell(row[i]) for i in order) for row in rows)]) + "\n"


def as_texts(expected: dict[str, Any]) -> dict[str, Any]:
    """The plain loop's sums, with every group as the text a CSV file holds."""

    def text(group: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(None if value is None else str(value) for value in group)

    groups = {name: {text(group): each for group, each in expected[name].items()} for name in ("cells", "tied")}
    return {**expected, **groups}


@pytest.fixture(params=["duckdb", "python"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """CSV files are read with DuckDB and without."""
    if request.param == "python":
        monkeypatch.setitem(sys.modules, "duckdb", None)
    return str(request.param)


def check(data: Any, expected: Any = lambda found: found, **options: Any) -> None:
    assert_summed(sum_probabilities(data, **ASKED, **options), expected(by_loop()))
    given = sum_probabilities(data, **ASKED, **options, prediction="yhat", labels=CLASSES)
    assert_summed(given, expected(by_loop(given=True)))
    asked: dict[str, Any] = {"truth": "y", "probabilities": ["p_*"], "by": "ward", **options}
    assert_same(decompose_data(data, **asked), in_memory())
    assert_same(decompose_data(data, **asked, prediction="yhat"), in_memory(given=True))


def test_csv(reader: str, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(csv_text())
    check(tmp_path / "rows.csv", as_texts)
    with gzip.open(tmp_path / "rows.csv.gz", "wt") as file:
        file.write(csv_text())
    check(str(tmp_path / "rows.csv.gz"), as_texts)


def test_many_csv_files_whose_columns_are_in_any_order(reader: str, tmp_path: Path) -> None:
    for n in range(4):
        names = NAMES[::-1] if n % 2 else NAMES
        (tmp_path / f"part-{n}.csv").write_text(csv_text(ROWS[n * 100 : n * 100 + 100], names))
    check(str(tmp_path / "part-*.csv"), as_texts)


def test_parquet_files_whose_columns_are_in_any_order(tmp_path: Path) -> None:
    for n in range(4):
        names = NAMES[::-1] if n % 2 else NAMES
        part = pl.DataFrame(columns(ROWS[n * 100 : n * 100 + 100])).select(names)
        part.write_parquet(tmp_path / f"part-{n}.parquet")
    check(str(tmp_path / "part-*.parquet"))


def test_zstandard_csv(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(csv_text())
    source = f"read_csv('{tmp_path}/rows.csv', all_varchar = true)"
    duckdb.sql(f"copy (from {source}) to '{tmp_path}/rows.csv.zst' (header true, compression zstd)")
    check(tmp_path / "rows.csv.zst", as_texts)


def test_parquet(tmp_path: Path) -> None:
    pl.DataFrame(columns()).write_parquet(tmp_path / "rows.parquet")
    check(tmp_path / "rows.parquet")


def test_many_parquet_files(tmp_path: Path) -> None:
    for fold in range(4):
        (tmp_path / f"part={fold}").mkdir()
        part = pl.DataFrame(columns(ROWS[fold * 100 : fold * 100 + 100]))
        part.write_parquet(tmp_path / f"part={fold}" / "rows.parquet", row_group_size=7)
    check(str(tmp_path / "*" / "*.parquet"))
    found = decompose_data(str(tmp_path / "*" / "*.parquet"), truth="y", probabilities="p_*", by="part")
    assert list(found.parts) == ["0", "1", "2", "3"]


def database(path: Path, rows: list[Row] = ROWS) -> Path:
    base = sqlite3.connect(path) if path.suffix == ".sqlite" else duckdb.connect(str(path))
    kinds = "y text, yhat text, ward text, fold int, p_cat double, p_dog double, p_hen double"
    base.execute(f"create table log ({kinds})")
    base.executemany("insert into log values (?, ?, ?, ?, ?, ?, ?)", rows)
    base.commit()
    base.close()
    return path


@pytest.mark.parametrize("name", ["log.sqlite", "log.duckdb"])
def test_databases(name: str, tmp_path: Path) -> None:
    path = database(tmp_path / name)
    check(path, query="select * from log")
    found = sum_probabilities(path, **ASKED, query="select * from log where fold = 1;")
    assert_summed(found, by_loop([row for row in ROWS if row[3] == 1]))
    with pytest.raises(InputError, match="must be one select"):
        sum_probabilities(path, **ASKED, query="drop table log")


@pytest.mark.parametrize("name", ["log.sqlite", "log.duckdb"])
def test_bad_rows_of_databases(name: str, tmp_path: Path) -> None:
    path = database(tmp_path / name, [*ROWS, ("cat", "cat", "east", 1, 0.5, None, 0.5)])
    with pytest.raises(InputError, match=r"1 such row, .*: \[0.5, missing, 0.5\]"):
        sum_probabilities(path, **ASKED, query="select * from log")


def test_batches_of_any_size_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fourfold.data import databases

    monkeypatch.setitem(sys.modules, "duckdb", None)
    monkeypatch.setattr(files_module, "BATCH", 7)
    monkeypatch.setattr(databases, "BATCH", 7)
    monkeypatch.setattr(arrays, "_CHUNK", 3)
    (tmp_path / "rows.csv").write_text(csv_text())
    check(tmp_path / "rows.csv", as_texts)
    check(database(tmp_path / "log.sqlite"), query="select * from log")
    (tmp_path / "rows.csv").write_text(csv_text() + "cat,cat,east,1,0.5,0.1,0.1\n" * 9)
    with pytest.raises(InputError, match=r"9 such rows, the first is row 400 of rows\.csv"):
        sum_probabilities(tmp_path / "rows.csv", **ASKED)


def test_deep_expressions_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_DEEPEST", 2)
    for data in (pl.DataFrame(columns()), pd.DataFrame(columns())):
        assert_summed(sum_probabilities(data, **ASKED), by_loop())


def test_progress_goes_up_to_one(reader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "_TICK", 1e-6)
    (tmp_path / "rows.csv").write_text(csv_text(ROWS * 50))
    seen: list[float] = []
    assert_summed(sum_probabilities(tmp_path / "rows.csv", **ASKED, progress=seen.append), as_texts(by_loop(ROWS * 50)))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


BAD = {
    "missing": ("cat,cat,east,1,,0.5,0.5", "must be numbers, none missing", "[missing, 0.5, 0.5]"),
    "a word": ("cat,cat,east,1,much,0.5,0.5", "must be numbers, none missing", "[missing, 0.5, 0.5]"),
    "nan": ("cat,cat,east,1,nan,0.5,0.5", "must be numbers, none missing", "[missing, 0.5, 0.5]"),
    "negative": ("cat,cat,east,1,-0.5,1.0,0.5", "must lie between 0 and 1", "[-0.5, 1.0, 0.5]"),
    "percent": ("cat,cat,east,1,20,30,50", "must lie between 0 and 1", "[20.0, 30.0, 50.0]"),
    "sum": ("cat,cat,east,1,0.2,0.3,0.4", "must sum to one in each row", "[0.2, 0.3, 0.4]"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_rows_of_csv_files(reader: str, name: str, tmp_path: Path) -> None:
    line, problem, shown = BAD[name]
    (tmp_path / "a.csv").write_text(csv_text(ROWS[:10]))
    (tmp_path / "b.csv").write_text(csv_text(ROWS[:5]) + f"NA{line[3:]}\n{line}\n{line}\n")
    with pytest.raises(InputError) as caught:
        sum_probabilities(str(tmp_path / "*.csv"), **ASKED)
    assert (caught.value.code, caught.value.problem) == ("bad_probability", problem)
    assert caught.value.got == f"2 such rows, the first is row 6 of b.csv: {shown}"


def test_the_first_bad_row_of_many_parquet_files(tmp_path: Path) -> None:
    for name, rows in {"a": ROWS, "b": [*ROWS, ("cat", "cat", "east", 1, 0.5, 0.2, 0.2), *ROWS]}.items():
        pl.DataFrame(columns(rows * 20)).write_parquet(tmp_path / f"{name}.parquet", row_group_size=50)
    with pytest.raises(InputError) as caught:
        sum_probabilities(str(tmp_path / "*.parquet"), **ASKED)
    assert str(caught.value) == (
        "probabilities: must sum to one in each row, got 20 such rows, the first is row 400 of b.parquet: "
        "[0.5, 0.2, 0.2]. Hint: divide each row by its sum, or raise the tolerance if they were rounded."
    )


def test_hints_for_what_is_usually_wrong() -> None:
    data = {"y": ["a", "b"], "p_a": [20, 30], "p_b": [80, 70]}
    with pytest.raises(InputError, match="divide percentages by 100"):
        sum_probabilities(data, truth="y", probabilities="p_*")
    with pytest.raises(InputError, match="apply softmax first"):
        sum_probabilities({**data, "p_a": [-3.5, 2.0]}, truth="y", probabilities="p_*")
    with pytest.raises(InputError, match="divide percentages by 100"):
        sum_probabilities(data, truth="y", probabilities="p_a")


def test_numbers_and_what_is_none() -> None:
    read = arrays.numbers_of(["0.5", " 1e-3", "", None, 1]).tolist()
    assert read == pytest.approx([0.5, 0.001, float("nan"), float("nan"), 1.0], nan_ok=True)
    assert str(bad_rows(3, "row 17", [0.5, 0.25])) == (
        "probabilities: must sum to one in each row, got 3 such rows, the first is row 17: [0.5, 0.25]. "
        "Hint: divide each row by its sum, or raise the tolerance if they were rounded."
    )


def test_sums_of_a_few_rows() -> None:
    data = {"y": ["cat", "dog", "dog"], "p_cat": [0.75, 0.5, 0.25], "p_dog": [0.25, 0.5, 0.75]}
    summed = sum_probabilities(data, truth="y", probabilities=["p_*"])
    assert (summed.columns, summed.tied) == (("p_cat", "p_dog"), {(): 1})
    assert summed.cells[()]["dog", 0] == (1, (0.5, 0.5))


def test_the_tolerance_is_the_callers() -> None:
    data = {"y": ["a", "b"], "p_a": [0.33, 0.5], "p_b": [0.66, 0.5]}
    for kind in (data, pd.DataFrame(data), pl.DataFrame(data)):
        found = sum_probabilities(kind, truth="y", probabilities="p_*", tolerance=0.02)
        assert (found.rows, found.tied) == (2, {(): 1})
        with pytest.raises(InputError, match="1 such row, the first is row 0"):
            sum_probabilities(kind, truth="y", probabilities="p_*")


PATTERNS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "all": ("p_*", ("p_dog", "p_cat", "p_fold")),
    "some": ("p_?at*", ("p_cat",)),
    "capitals": ("P_*", ("p_dog", "p_cat", "p_fold")),
    "one first": (["p_cat", "p_*"], ("p_cat", "p_dog", "p_fold")),
    "two": (["*cat", "*dog"], ("p_cat", "p_dog")),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns(name: str) -> None:
    given, expected = PATTERNS[name]
    data = {"p_dog": [0.5], "y": ["cat"], "p_cat": [0.5], "q.x": [0], "p_fold": [0.0]}
    assert sum_probabilities(data, truth="y", probabilities=given, tolerance=1).columns == expected


def test_a_pattern_leaves_out_what_is_named_otherwise() -> None:
    data = {"p_dog": [0.5], "p_y": ["cat"], "p_cat": [0.5], "p_fold": [7]}
    found = sum_probabilities(data, truth="p_y", probabilities="p_*", by="p_fold")
    assert (found.columns, found.cells) == (("p_dog", "p_cat"), {(7,): {("cat", 0): (1, (0.5, 0.5))}})


def test_a_column_may_be_called_like_a_pattern() -> None:
    data = {"y": ["b"], "p*": [0.5], "pa": [0.5], "pb": [0.5]}
    assert sum_probabilities(data, truth="y", probabilities=["p*", "pa"]).columns == ("p*", "pa")


ERRORS: dict[str, tuple[Any, dict[str, Any], str, str]] = {
    "no such truth": (columns(), {"truth": "yy"}, "unknown_column", "truth"),
    "no such prediction": (pd.DataFrame(columns()), {"prediction": "q"}, "unknown_column", "prediction"),
    "no such group": (pl.LazyFrame(columns()), {"by": ["wart"]}, "unknown_column", "by"),
    "no such probability": (columns(), {"probabilities": ["p_cat", "p_dgo"]}, "unknown_column", "probabilities"),
    "nothing matches": (pl.DataFrame(columns()), {"probabilities": "q_*"}, "unknown_column", "probabilities"),
    "no probabilities": (columns(), {"probabilities": []}, "bad_option", "probabilities"),
    "a probability twice": (columns(), {"probabilities": ["p_cat", "P_CAT"]}, "ambiguous", "probabilities"),
    "truth as probability": (columns(), {"probabilities": ["y", "p_cat"]}, "ambiguous", "probabilities"),
    "group twice": (columns(), {"by": ["ward", "ward"]}, "ambiguous", "by"),
    "group as truth": (columns(), {"by": ["y"]}, "ambiguous", "by"),
    "a number as name": (columns(), {"probabilities": [3]}, "bad_option", "probabilities"),
    "tolerance": (columns(), {"tolerance": -1}, "bad_option", "tolerance"),
    "tolerance, a text": (columns(), {"tolerance": "much"}, "bad_option", "tolerance"),
    "texts": (columns(), {"probabilities": ["p_cat", "ward"], "by": []}, "bad_probability", "probabilities"),
    "texts, pandas": (
        pd.DataFrame(columns()),
        {"probabilities": ["p_cat", "ward"], "by": []},
        "bad_probability",
        "probabilities",
    ),
    "texts, lazy": (
        pl.LazyFrame(columns()),
        {"probabilities": ["p_cat", "ward"], "by": []},
        "bad_probability",
        "probabilities",
    ),
    "objects": ({**columns(), "p_cat": [object()] * 400}, {}, "bad_probability", "probabilities"),
    "truths": ({**columns(), "p_cat": np.ones(400, dtype=bool)}, {}, "bad_probability", "probabilities"),
    "no rows, lists": (columns([]), {}, "empty", "data"),
    "no rows, pandas": (pd.DataFrame(columns([])).astype(dict.fromkeys(COLUMNS, float)), {}, "empty", "data"),
    "no rows, lazy": (
        pl.LazyFrame(columns([]), schema_overrides=dict.fromkeys(COLUMNS, pl.Float64)),
        {},
        "empty",
        "data",
    ),
    "lengths": ({**columns(), "p_cat": [1.0]}, {}, "length_mismatch", "data"),
    "two dimensions": ({**columns(), "p_cat": np.zeros((400, 2))}, {}, "bad_shape", "p_cat"),
    "a query of a frame": (columns(), {"query": "select 1"}, "bad_option", "query"),
    "lists as labels": ({**columns(), "y": [[1, 0]] * 400}, {}, "bad_label", "labels"),
    "a list": (ROWS, {}, "bad_shape", "data"),
    "no file": ("nowhere/rows.parquet", {}, "no_file", "data"),
    "no labels": (columns(), {"prediction": "yhat"}, "bad_option", "labels"),
    "too few labels": (columns(), {"prediction": "yhat", "labels": ["cat"]}, "length_mismatch", "labels"),
    "other labels": (columns(), {"prediction": "yhat", "labels": ["cat", "dog", "cow"]}, "bad_label", "prediction"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    data, options, code, argument = ERRORS[name]
    with pytest.raises(InputError) as caught:
        sum_probabilities(data, **{**ASKED, **options})
    assert (caught.value.code, caught.value.argument) == (code, argument)


@pytest.mark.parametrize("kind", ["lists", "pandas", "lazy", "parquet", "csv", "plain csv", "sqlite"])
def test_an_id_is_no_group(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (columns_module, engines):
        monkeypatch.setattr(module, "MOST", 50)
    ids = {"id": list(range(60)), "y": [0, 1] * 30, "p_0": [0.5] * 60, "p_1": [0.5] * 60}
    data: Any = {"lists": ids, "pandas": pd.DataFrame(ids), "lazy": pl.LazyFrame(ids)}.get(kind)
    query = None
    if kind == "parquet":
        pl.DataFrame(ids).write_parquet(data := tmp_path / "rows.parquet")
    elif kind.endswith("csv"):
        pl.DataFrame(ids).write_csv(data := tmp_path / "rows.csv")
        if kind == "plain csv":
            monkeypatch.setitem(sys.modules, "duckdb", None)
    elif kind == "sqlite":
        base = sqlite3.connect(data := tmp_path / "rows.sqlite")
        base.execute("create table log (id int, y int, p_0 real, p_1 real)")
        base.executemany("insert into log values (?, ?, ?, ?)", list(zip(*ids.values(), strict=True)))
        base.commit()
        base.close()
        query = "select * from log"
    with pytest.raises(TooLarge, match=r"more than 50 combinations of values, got columns y, id"):
        sum_probabilities(data, truth="y", probabilities="p_*", by=["id"], query=query)


def test_without_duckdb_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    (tmp_path / "rows.parquet").write_bytes(b"")
    with pytest.raises(MissingExtra, match=r"needs duckdb.*pip install 'fourfold\[data\]'"):
        sum_probabilities(tmp_path / "rows.parquet", **ASKED)


def test_labels_of_another_kind_are_compared_as_texts(tmp_path: Path) -> None:
    rows = {"y": [0, 1, 1, None], "yhat": [0, 1, 0, 1], "p_1": [0.2, 0.9, 0.4, 0.5], "p_0": [0.8, 0.1, 0.6, 0.5]}
    pl.DataFrame(rows).write_csv(tmp_path / "rows.csv")
    pd.DataFrame(rows).to_csv(tmp_path / "floats.csv")
    data = (rows, pd.DataFrame(rows), pl.DataFrame(rows), tmp_path / "rows.csv", tmp_path / "floats.csv")
    for each in data:
        for prediction in (None, "yhat"):
            found = decompose_data(each, truth="y", probabilities=["p_1", "p_0"], labels=[0, 1], prediction=prediction)
            assert found.labels == (0, 1)
            assert found.hard.values.tolist() == [[1, 0], [1, 1]]
            np.testing.assert_allclose(found.certain.values, [[0.8, 0], [0.6, 0.9]])
            np.testing.assert_allclose(found.uncertain.values, [[0, 0.2], [0.1, 0.4]])
            [note] = [note for note in found.notes if note.code == "labels_missing"]
            assert note.data == {"column": "y", "rows": 1}
    assert decompose_data(rows, truth="y", probabilities="p_*").labels == (1, 0)
    assert decompose_data(pd.DataFrame(rows), truth="y", probabilities="p_*").labels == (1, 0)
    assert decompose_data(tmp_path / "rows.csv", truth="y", probabilities="p_*").labels == ("1", "0")
    assert type(decompose_data(pd.DataFrame(rows), truth="y", probabilities="p_*").labels[0]) is int
    truths = {**rows, "y": [False, True, True, None]}
    assert decompose_data(truths, truth="y", probabilities="p_*").labels == (True, False)


def test_ties_and_classes_without_cases_are_noted() -> None:
    data = {"y": ["a", "a"], "p_a": [0.5, 0.9], "p_b": [0.5, 0.1]}
    found = decompose_data(data, truth="y", probabilities="p_*")
    assert [note.code for note in found.notes] == ["tied_rows", "class_without_cases"]
    assert found.tied == 1
    assert found.labels == ("a", "b")
    assert not found.parts


def test_parts_are_named_by_a_value_or_by_several() -> None:
    one = decompose_data(columns(), truth="y", probabilities="p_*", by="fold")
    assert list(one.parts) == [1, 2, None]
    two = decompose_data(columns(), truth="y", probabilities="p_*", by=["fold", "ward"])
    assert (1, "east") in two.parts
    assert (None, None) in two.parts
    assert sum(part.rows_read for part in two.parts.values()) == two.rows_read == one.rows_read
    assert one.over_parts("accuracy").undefined == 0


def test_a_label_with_no_column_is_told_with_its_rows() -> None:
    data = {"y": ["a", "hat", "hat", "x", "b"], "p_a": [0.5] * 5, "p_b": [0.5] * 5}
    for labels in (None, ["a", "b"]):
        with pytest.raises(InputError) as caught:
            decompose_data(data, truth="y", probabilities="p_*", labels=labels)
        assert (caught.value.code, caught.value.argument) == ("bad_label", "truth")
        assert caught.value.got == "'hat' in 2 rows, and 3 such rows in all"
    with pytest.raises(InputError, match=r"labels: has no column, got 'c'"):
        decompose_data(data, truth="y", probabilities="p_*", labels=["a", "c"])
    with pytest.raises(InputError, match="as many as columns"):
        decompose_data(data, truth="y", probabilities="p_*", labels=["a"])


def test_no_label_at_all() -> None:
    data = {"y": [None, None], "p_a": [0.5] * 2, "p_b": [0.5] * 2}
    found = sum_probabilities(data, truth="y", probabilities="p_*")
    assert (found.cells, found.tied, found.rows, found.missing) == ({}, {}, 2, Counter({"y": 2}))
    with pytest.raises(InputError, match="has no label in any row, got 2 rows without a label"):
        decompose_data(data, truth="y", probabilities="p_*")


def test_one_column_and_not_two_labels() -> None:
    data = {"y": ["a", "b", "c"], "p": [0.5] * 3}
    with pytest.raises(InputError, match="3 labels in the truth and 2 columns"):
        decompose_data(data, truth="y", probabilities="p")
    found = decompose_data({**data, "y": ["a", "b", "b"], "q": ["b"] * 3}, truth="y", probabilities="p", prediction="q")
    assert found.hard.values.tolist() == [[0, 1], [0, 2]]
