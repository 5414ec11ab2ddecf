"""Columns of probabilities are found by their sums and the truth's labels; what is not clear is asked about."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fourfold as ff
from fourfold.certainty import find_probabilities
from fourfold.data import count_truths, first_rows


def table(labels: list[Any], columns: list[str], rows: int = 40, extra: tuple[str, ...] = ()) -> dict[str, Any]:
    """Make a table with an id, an age, other shares, and random probabilities; every label occurs."""
    draw = np.random.default_rng(len(columns))
    numbers = draw.dirichlet(np.ones(len(columns)), rows) if len(columns) > 1 else draw.random((rows, 1))
    data: dict[str, Any] = {"id": list(range(rows)), "y": [labels[n % len(labels)] for n in range(rows)]}
    data |= {"age": (draw.random(rows) * 80).tolist()} | {name: draw.random(rows).tolist() for name in extra}
    return data | {name: numbers[:, n].tolist() for n, name in enumerate(columns)}


DIGITS = [str(digit) for digit in range(10)]

BY_NAME = [
    (list(range(10)), DIGITS, list(range(10))),
    # A class that no case is of still has its column.
    (list(range(9)), DIGITS, list(range(10))),
    (["cat", "dog"], ["cat", "dog", "bird"], ["cat", "dog", "bird"]),
    (["cat", "dog"], ["prob_cat", "prob_dog", "prob_bird"], ["cat", "dog", "bird"]),
    (["cat", "dog"], ["dog", "cat"], ["dog", "cat"]),
    (["cat", "dog"], ["proba[cat]", "proba[dog]"], ["cat", "dog"]),
    (["cat", "dog"], ["cat_score", "dog_score"], ["cat", "dog"]),
    (["Cat", "Dog"], ["ProbCat", "ProbDog"], ["Cat", "Dog"]),
    (["CAT", "DOG"], ["P(cat)", "P(dog)"], ["CAT", "DOG"]),
    (["New York", "Paris"], ["p_new_york", "p_paris"], ["New York", "Paris"]),
    ([0, 1], ["proba_0", "proba_1"], [0, 1]),
    ([0.0, 1.0], ["p0", "p1"], [0.0, 1.0]),
    ([True, False], ["0", "1"], [False, True]),
    ([-1, 1], ["p_-1", "p_1"], [-1, 1]),
    ([0, 1], ["proba_1"], [0, 1]),
    (["sick", "well"], ["p_sick"], ["well", "sick"]),
    ([f"class {n}" for n in range(11)], [str(n) for n in range(11)], [f"class {n}" for n in range(11)]),
    (["digit_1", "digit_2"], ["p1", "p2"], ["digit_1", "digit_2"]),
    (["1.0", "2.0"], ["p_1", "p_2"], ["1", "2"]),
    ([0, 1, 2], ["prob_0.0", "prob_1.0", "prob_2.0"], [0, 1, 2]),
    ([1, 2], ["c01", "c02"], [1, 2]),
    ([0, 1], ["P(Y=1)"], [0, 1]),
]


@pytest.mark.parametrize(("labels", "columns", "wanted"), BY_NAME, ids=[str(case[1][:3]) for case in BY_NAME])
def test_columns_are_found_by_the_names_of_labels(labels: list[Any], columns: list[str], wanted: list[Any]) -> None:
    found = find_probabilities(table(labels, columns, extra=("bmi", "share_of_time")), truth="y")
    assert list(found.columns) == columns
    assert list(found.labels) == wanted
    assert found.by_name


IN_ORDER = [
    (["no", "yes"], ["proba_0", "proba_1"]),
    ([1, 2, 3], ["0", "1", "2"]),
    (["10", "9", "1"], ["x", "y1", "z"]),
    (["a", "b"], ["score"]),
    ([0, 1], ["y_prob"]),
    ([0, 1, 2], ["setosa", "versicolor", "virginica"]),
]


@pytest.mark.parametrize(("labels", "columns"), IN_ORDER, ids=[str(case[1]) for case in IN_ORDER])
def test_the_order_counts_where_names_do_not_tell_and_a_note_says_so(labels: list[Any], columns: list[str]) -> None:
    found = find_probabilities(table(labels, columns), truth="y")
    assert list(found.columns) == columns
    assert list(found.labels) == sorted(labels, key=lambda label: (float(label) if str(label).isdigit() else 0, label))
    assert not found.by_name
    [note] = found.notes
    assert note.code == "columns_found"
    assert all(name in note.text for name in columns)


def test_columns_that_stand_apart_are_found_where_they_are_few() -> None:
    data = table(["a", "b", "c"], ["u", "v", "w"], extra=("x",))
    apart = {name: data[name] for name in ("y", "w", "id", "u", "x", "age", "v")}
    assert find_probabilities(apart, truth="y").columns == ("w", "u", "v")


def test_what_marks_a_kind_is_no_probability_where_there_is_another() -> None:
    data = table(["a", "b"], ["p"]) | {"male": [0, 1] * 20, "female": [1, 0] * 20}
    assert find_probabilities(data, truth="y").columns == ("p",)
    one_hot = table(["a", "b"], ["p_a", "p_b"]) | {"y_a": [1, 0] * 20, "y_b": [0, 1] * 20}
    assert find_probabilities(one_hot, truth="y").columns == ("p_a", "p_b")
    wards = {"y": [0, 1, 2] * 5, "east": [1, 0, 0] * 5, "north": [0, 1, 0] * 5, "west": [0, 0, 1] * 5}
    with pytest.raises(ff.InputError, match=r"only zeros and ones, got east, north and west"):
        find_probabilities(wards, truth="y")
    # A tree's zeros and ones are all there is.
    tree = {"y": ["a", "b", "b"], "p_a": [1, 0, 1], "p_b": [0, 1, 0]}
    assert find_probabilities(tree, truth="y").labels == ("a", "b")


UNCLEAR = [
    (
        table(["a", "b"], ["m_a", "m_b"]) | table(["a", "b", "c"], ["n_a", "n_b", "n_c"]) | {"y": ["a", "b"] * 20},
        "m_a and m_b; or n_a, n_b",
    ),
    (table([0, 1], ["score"], extra=("risk",)), "risk; or score"),
    (table([0, 1], ["bmi"]), "could be a column, got bmi"),
    (table(["a", "b", "c"], ["a", "b", "z"]), "only some columns are named after labels"),
    (table(["a", "b"], ["p_x", "p_y", "p_z"]), "probabilities: "),
    (table(["a", "b", "c"], []), "no columns were found"),
]


@pytest.mark.parametrize(("data", "words"), UNCLEAR, ids=[case[1] for case in UNCLEAR])
def test_what_is_not_clear_is_asked_about(data: dict[str, Any], words: str) -> None:
    with pytest.raises(ff.InputError, match="Hint: ") as caught:
        find_probabilities(data, truth="y")
    assert words in str(caught.value)


def test_rounded_columns_and_percentages_are_named() -> None:
    data = {"y": ["a", "b"], "a": [0.33, 0.1], "b": [0.65, 0.9]}
    with pytest.raises(ff.InputError, match=r"a and b, which sum to 0\.98 to 1\. Hint: raise the tolerance"):
        find_probabilities(data, truth="y")
    assert find_probabilities(data, truth="y", tolerance=0.03).columns == ("a", "b")
    with pytest.raises(ff.InputError, match="divide percentages by 100"):
        find_probabilities({"y": ["a", "b"], "a": [33, 10], "b": [67, 90]}, truth="y")


def test_said_columns_win_and_others_stay_apart(tmp_path: Path) -> None:
    two = table(["a", "b"], ["m_a", "m_b"]) | {"n_a": [0.5] * 40, "n_b": [0.5] * 40}
    assert ff.decompose_data(two, truth="y", probabilities=["n_*"]).tied == 40
    assert find_probabilities(two, truth="y", apart=["n_a", "n_b"]).columns == ("m_a", "m_b")


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "pandas", "polars", "lazy", "arrow", "duckdb"])
def test_data_of_every_kind(kind: str, tmp_path: Path) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    data = table(list(range(10)), DIGITS, rows=60)
    frame, query = pandas.DataFrame(data), None
    source: Any = {"pandas": frame, "polars": polars.DataFrame(data), "lazy": polars.LazyFrame(data)}.get(kind)
    if kind in ("csv", "tsv"):
        source = tmp_path / f"a.{kind}"
        frame.to_csv(source, index=False, sep="," if kind == "csv" else "\t")
    elif kind == "parquet":
        source = tmp_path / "a.parquet"
        frame.to_parquet(source)
    elif kind == "arrow":
        source = pytest.importorskip("pyarrow").Table.from_pandas(frame)
    elif kind == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        source, query = tmp_path / "a.duckdb", "select * from cases"
        with duckdb.connect(str(source)) as engine:
            engine.execute("create table cases as select * from frame")
    found = ff.decompose_data(source, truth="y", query=query)
    wanted = ff.decompose(data["y"], np.array([data[name] for name in DIGITS]).T)
    assert list(map(str, found.labels)) == DIGITS
    assert np.allclose(found.certain.values, wanted.certain.values)
    assert found.notes[0].code == "columns_found"


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 4), st.integers(0, 3), st.randoms(use_true_random=False))
def test_only_what_sums_to_one_is_found(count: int, others: int, draw: Any) -> None:
    """By brute force: with names that tell nothing, the one set of as many columns as labels that sums to one."""
    labels = [f"label{n}" for n in range(count)]
    data = table(
        labels, [f"c{chr(97 + n)}" for n in range(count)], extra=tuple(f"o{chr(97 + n)}" for n in range(others))
    )
    names = [name for name in data if name != "y"]
    draw.shuffle(names)
    data = {"y": data["y"]} | {name: data[name] for name in names}
    sums = {
        chosen: np.sum([data[name] for name in chosen], axis=0)
        for chosen in combinations(names, count)
        if "age" not in chosen
    }
    fitting = [chosen for chosen, total in sums.items() if np.all(np.abs(total - 1) < 1e-3)]
    assert [find_probabilities(data, truth="y").columns] == fitting


def test_a_file_sorted_by_class_has_all_its_labels(tmp_path: Path) -> None:
    """The first rows show which columns sum to one, but the labels are those of all rows."""
    rows = 2600
    data = table(["no"], ["proba_0", "proba_1"], rows) | {"y": ["no"] * 2500 + ["yes"] * 100}
    path = tmp_path / "sorted.csv"
    lines = [",".join(map(str, row)) for row in zip(*data.values(), strict=True)]
    path.write_text("\n".join([",".join(data), *lines]), encoding="utf-8")
    found = find_probabilities(path, truth="y")
    assert (found.columns, found.labels) == (("proba_0", "proba_1"), ("no", "yes"))
    assert len(first_rows(path, 5)["y"]) == 5
    assert count_truths(path, "y") == {"no": 2500, "yes": 100}


def test_labels_of_one_column_are_counted_without_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fourfold.data import delimited

    monkeypatch.setattr(delimited, "ways", lambda files: [delimited._open_plainly])
    path = tmp_path / "y.csv"
    path.write_text("y,p\na,0.9\nb,0.2\n,1\nb,0.7\n", encoding="utf-8")
    assert count_truths(path, "y") == {"a": 1, "b": 2}
    assert ff.decompose_data(path, truth="y").labels == ("a", "b")


def test_rows_of_a_large_file_keep_their_order(tmp_path: Path) -> None:
    """Two files are compared row by row. DuckDB keeps the order of rows but for joins, which it makes of long lists."""
    pytest.importorskip("duckdb")
    from fourfold.data import delimited
    from fourfold.data.columns import request

    path = tmp_path / "a.csv"
    path.write_text("y,p\na,0.5\nb,0.25\n", encoding="utf-8")
    way = delimited.ways([path])[0]
    with way([path], request("y", None, (), ["p"], 0.0), None, None) as table:
        assert "JOIN" not in table.rows.explain()
        assert [row for batch in table.batches() for row in batch.rows] == [("a", 0.5), ("b", 0.25)]
