"""Labels are texts, alike from every source: the same counts from files and frames of any kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import fourfold as ff
from fourfold import InputError, decompose
from fourfold.certainty import decompose_data
from fourfold.data import aggregate, count_labels, count_paired, read_probabilities
from fourfold.data.labels import alike, known


class Case(NamedTuple):
    """Two columns of labels; how many rows are right, how many have both labels, and how many labels there are."""

    truth: list[Any]
    prediction: list[Any]
    right: int
    labelled: int
    labels: int


CASES = {
    "a zero in front": Case(["01", "1", "01", "1"], ["1", "1", "01", "01"], 2, 4, 2),
    "underscores": Case(["1_0", "10", "1_0"], ["10", "10", "1_0"], 2, 3, 2),
    "signs": Case(["+1", "-1", "+1"], ["1", "-1", "-1"], 1, 3, 3),
    "exponents": Case(["1e3", "2", "1e3"], ["1000", "2", "2"], 1, 3, 3),
    "texts of floats": Case(["1.0", "0.0", "1"], ["1", "0", "0.0"], 2, 3, 2),
    "versions": Case(["1.0", "1", "1.0b"], ["1", "1", "1.0b"], 2, 3, 3),
    "floats beside integers": Case([1, 0, 1, 0], [1.0, 0.0, 0.0, 0.0], 3, 4, 2),
    "texts beside integers": Case([1, 0, 1, 0], ["1", "0", "0", "0"], 3, 4, 2),
    "truth values": Case([True, False, True], [True, False, False], 2, 3, 2),
    "truth values beside integers": Case([True, False, True], [1, 0, 0], 2, 3, 2),
    "truth values beside texts": Case([True, False, True], ["True", "False", "False"], 2, 3, 2),
    "truth values of other programs": Case(["TRUE", "FALSE", "TRUE"], ["true", "false", "false"], 2, 3, 2),
    "fractions": Case([1.0, 2.5, 1.0], [1.0, 2.5, 2.5], 2, 3, 2),
    "zeros": Case([-0.0, 1.0, 0.0], [0.0, 1.0, 1.0], 2, 3, 2),
    "beyond floats": Case([2**60 + 1, 2**60, 2**60 + 1], [2**60 + 1, 2**60, 2**60], 2, 3, 2),
    "missing": Case(["a", None, "b", "b"], ["a", "a", "b", "a"], 2, 3, 2),
    "missing numbers": Case([1, None, 0, 0], [1, 1, 0, 1], 2, 3, 2),
    "missing in words": Case(["a", "NA", "b", "a"], ["a", "a", "b", "n/a"], 2, 2, 2),
    "empty": Case(["a", "", "b", "b"], ["a", "a", "b", " "], 2, 2, 2),
    "blanks around": Case(["a ", " a", "b", "b"], ["a", "a", "b", "a"], 3, 4, 2),
    "words": Case(["x", "y", "none"], ["x", "x", "none"], 2, 3, 3),
}


def csv(case: Case, folder: Path) -> Path:
    lines = [
        f"{'' if y is None else y},{'' if p is None else p}" for y, p in zip(case.truth, case.prediction, strict=True)
    ]
    (folder / "rows.csv").write_text("y,p\n" + "\n".join(lines) + "\n")
    return folder / "rows.csv"


def table(case: Case) -> pa.Table:
    return pa.table({"y": pa.array(case.truth), "p": pa.array(case.prediction)})


def written(case: Case, folder: Path, *, coded: bool = False) -> Path:
    found = table(case)
    if coded:
        texts = [[None if value is None else str(value) for value in column] for column in case[:2]]
        found = pa.table({name: pa.array(column).dictionary_encode() for name, column in zip("yp", texts, strict=True)})
    parquet.write_table(found, folder / "rows.parquet")
    return folder / "rows.parquet"


def frame(case: Case) -> pd.DataFrame:
    return pd.DataFrame({"y": pd.Series(case.truth), "p": pd.Series(case.prediction)})


def pandas_csv(case: Case, folder: Path) -> Path:
    frame(case).to_csv(folder / "pandas.csv", index=False)
    return folder / "pandas.csv"


SOURCES: dict[str, Callable[[Case, Path], Any]] = {
    "lists": lambda case, _: {"y": case.truth, "p": case.prediction},
    "pandas": lambda case, _: frame(case),
    "categories": lambda case, _: frame(case).astype("category"),
    "polars": lambda case, _: pl.from_arrow(table(case)),
    "lazy": lambda case, _: pl.from_arrow(table(case)).lazy(),
    "arrow": lambda case, _: table(case),
    "duckdb": lambda case, _: duckdb.from_arrow(table(case)),
    "csv": csv,
    "pandas' csv": pandas_csv,
    "parquet": written,
    "parquet of codes": lambda case, folder: written(case, folder, coded=True),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("source", SOURCES)
def test_the_same_counts_from_every_source(name: str, source: str, tmp_path: Path) -> None:
    case = CASES[name]
    found = aggregate(SOURCES[source](case, tmp_path), truth="y", prediction="p")
    pairs = found.pairs[()]
    assert sum(count for (truth, predicted), count in pairs.items() if truth == predicted) == case.right
    assert (sum(pairs.values()), found.rows) == (case.labelled, len(case.truth))
    assert len({label for pair in pairs for label in pair}) == case.labels


@pytest.mark.parametrize("name", ["a zero in front", "truth values beside integers", "missing in words"])
def test_spark(spark: Any, name: str) -> None:
    case = CASES[name]
    rows = list(zip(case.truth, case.prediction, strict=True))
    pairs = aggregate(spark.createDataFrame(rows, ["y", "p"]), truth="y", prediction="p").pairs[()]
    assert sum(count for (truth, predicted), count in pairs.items() if truth == predicted) == case.right
    assert sum(pairs.values()) == case.labelled


def test_files_that_are_read_line_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same without DuckDB, and from where labels are counted for one table."""
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    path = csv(CASES["a zero in front"], tmp_path)
    assert count_labels(path, truth="y", prediction="p") == {
        ("01", "1"): 1,
        ("1", "1"): 1,
        ("01", "01"): 1,
        ("1", "01"): 1,
    }
    with pytest.raises(InputError, match="1 missing, the first in line 3"):
        count_labels(csv(CASES["missing"], tmp_path), truth="y", prediction="p")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_groups_are_texts_without_blanks_and_may_be_missing(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"rows.{ending}"
    data = {"y": ["a"] * 6, "p": ["a"] * 6, "g": ["01", "1", " 1", "", " ", "NA"]}
    write = getattr(pl.DataFrame(data), f"write_{ending}")
    write(path)
    found = aggregate(path, truth="y", prediction="p", by=["g"])
    assert {group: sum(pairs.values()) for group, pairs in found.pairs.items()} == {
        ("01",): 1,
        ("1",): 2,
        ("NA",): 1,
        (None,): 2,
    }


def test_rows_in_memory_and_pairs_of_models(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("id,y,p,q\n007,01,01,1\n7,1,01,01\n8,NA,1,1\n")
    rows = read_probabilities(tmp_path / "one.csv", truth="y", prediction="p", probabilities=())
    assert list(rows["y"]) == ["01", "1", None]
    counted = count_paired(tmp_path / "one.csv", truth="y", predictions=["p", "q"])
    assert counted.kinds == {(): {("01", "01", "1"): 1, ("1", "01", "01"): 1}}
    # 007 is another case than 7.
    parquet.write_table(
        pa.table({"id": ["8", "007", "7"], "y": [None, "01", "1"], "q": ["1", "1", "01"]}), tmp_path / "two.parquet"
    )
    options: Any = {"truth": "y", "predictions": ["p", "q"], "key": "id"}
    assert count_paired(tmp_path / "one.csv", tmp_path / "two.parquet", **options).kinds == counted.kinds
    kinds = count_paired({"y": [1, 0], "a": ["1", "0"], "b": [1.0, 1.0]}, truth="y", predictions=["a", "b"]).kinds
    assert kinds == {(): {(1, 1, 1): 1, (0, 0, 1): 1}}


def test_probabilities_beside_labels_that_are_missing_in_words() -> None:
    data = {"y": ["a", "NA", "b"], "p_a": [0.9, 9.0, 0.2], "p_b": [0.1, 9.0, 0.8]}
    for source in (data, pd.DataFrame(data), pl.DataFrame(data), duckdb.from_arrow(pa.table(data))):
        found = aggregate(source, truth="y", probabilities=["p_a", "p_b"])
        assert (found.missing, found.rows, found.truths) == ({"y": 1}, 3, {"a": 1, "b": 1})
    wrong = {**data, "p_b": [0.1, 9.0, 7.0]}
    for source in (wrong, pl.DataFrame(wrong)):
        with pytest.raises(InputError, match="1 such row, the first is row 2"):
            aggregate(source, truth="y", probabilities=["p_a", "p_b"])


def test_how_labels_are_spelt() -> None:
    assert known(" n/a ") is None
    assert alike([["1", "0"], [1, 0]]) == [{"1": "1", "0": "0"}, {1: "1", 0: "0"}]
    assert alike([["b", "1.0"]]) == [{"b": "b", "1.0": "1.0"}]
    assert alike([["True", "1"], ["0"]]) == [{"True": "True", "1": "1"}, {"0": "0"}]
    assert alike([[]]) == [{}]


SOURCES_OF_NUMBERS = ["lists", "pandas", "polars", "lazy", "arrow", "duckdb", "csv", "parquet"]


@pytest.mark.parametrize("source", SOURCES_OF_NUMBERS)
@pytest.mark.parametrize("off", [1e-6, 1e-9, 1e-12])
def test_probabilities_a_little_outside_count_as_the_end_they_pass(source: str, off: float, tmp_path: Path) -> None:
    """As for arrays in memory: on the predicted class lie 1, 0.7 and 0.5."""
    data: dict[str, Any] = {"y": ["a", "b", "a"], "p_a": [1 + 0.9 * off, 0.3, 0.5], "p_b": [-0.9 * off, 0.7, 0.5]}
    made = _made(source, data, tmp_path)
    found = decompose_data(made, truth="y", probabilities=["p_a", "p_b"])
    whole = decompose(data["y"], {"a": data["p_a"], "b": data["p_b"]})
    assert found.weight_certain == pytest.approx(2.2 / 3, rel=1e-15)
    assert whole.weight_certain == pytest.approx(2.2 / 3, rel=1e-15)
    assert found.hard.values.tolist() == whole.hard.values.tolist() == [[2, 0], [0, 1]]


@pytest.mark.parametrize("source", SOURCES_OF_NUMBERS)
def test_probabilities_further_outside_are_refused(source: str, tmp_path: Path) -> None:
    data: dict[str, Any] = {"y": ["a", "b", "a"], "p_a": [1 + 5e-7, 1 + 1.1e-6, 0.5], "p_b": [-5e-7, -1.1e-6, 0.5]}
    with pytest.raises(InputError, match="must lie between 0 and 1, got 1 such row"):
        decompose_data(_made(source, data, tmp_path), truth="y", probabilities=["p_a", "p_b"])


def _made(source: str, data: dict[str, Any], folder: Path) -> Any:
    frame = pl.DataFrame(data)
    if source in ("csv", "parquet"):
        getattr(frame, f"write_{source}")(folder / f"rows.{source}")
        return folder / f"rows.{source}"
    made: dict[str, Any] = {"lists": data, "polars": frame, "lazy": frame.lazy(), "arrow": frame.to_arrow()}
    made |= {"pandas": pd.DataFrame(data), "duckdb": duckdb.from_arrow(frame.to_arrow())}
    return made[source]


@pytest.mark.parametrize("texts", [("False", "True"), ("false", "true"), ("FALSE", "TRUE")])
def test_flags_need_no_positive_label_from_any_source(tmp_path: Path, texts: tuple[str, str]) -> None:
    """Of truths T, F, T and predictions T, T, F, one of three is right: tp 1, fp 1, fn 1."""
    flags = [True, False, True], [True, True, False]
    rows = "".join(f"{texts[y]},{texts[p]},{group}\n" for y, p, group in zip(*flags, "aaa", strict=True))
    (tmp_path / "flags.csv").write_text(f"y,p,g\n{rows}" + rows.replace(",a", ",b"))
    from_file = ff.audit(tmp_path / "flags.csv", truth="y", prediction="p", by="g", metrics=["recall", "precision"])
    data = {"y": flags[0] * 2, "p": flags[1] * 2, "g": [*"aaabbb"]}
    in_memory = ff.audit(data, truth="y", prediction="p", by="g", metrics=["recall", "precision"])
    assert [found.score for found in from_file.findings] == [found.score for found in in_memory.findings] == [0.5] * 4
