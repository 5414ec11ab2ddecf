"""What is read as rows of probabilities, and what is refused."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fourfold as ff
from fourfold.certainty import decompose
from fourfold.table import Probabilities, coded

ROWS = [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]]
LABELS = ["cat", "dog", "bird"]
NAMES = {"plain": "{}", "underscore": "p_{}", "dot": "prob.{}", "bracket": "p[{}]", "words": "model 2: {}"}

MAKERS = {
    "list": lambda names: ROWS,
    "array": lambda names: np.array(ROWS),
    "float32": lambda names: np.array(ROWS, dtype=np.float32),
    "Fortran order": lambda names: np.asfortranarray(ROWS),
    "decimals": lambda names: [[Decimal(str(x)) for x in row] for row in ROWS],
}
NAMED = {
    "mapping": lambda names: {name: [row[j] for row in ROWS] for j, name in enumerate(names)},
    "pandas": lambda names: pd.DataFrame(ROWS, columns=names),
    "pandas nullable": lambda names: pd.DataFrame(ROWS, columns=names).astype("Float64"),
    "polars": lambda names: pl.DataFrame(ROWS, schema=names, orient="row"),
    "pyarrow": lambda names: pa.table({name: [row[j] for row in ROWS] for j, name in enumerate(names)}),
}


@pytest.mark.parametrize("make", [*MAKERS.values(), *NAMED.values()], ids=[*MAKERS, *NAMED])
def test_every_kind(make) -> None:
    found = Probabilities.read(make(LABELS), LABELS)
    assert found.labels == ("cat", "dog", "bird")
    assert len(found) == 2
    np.testing.assert_allclose(found.values, ROWS, atol=1e-7)


@pytest.mark.parametrize("make", NAMED.values(), ids=NAMED)
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_columns_are_named_after_labels(name: str, make) -> None:
    given = make([name.format(label) for label in LABELS])
    assert Probabilities.read(given, truth=["dog", "cat"]).labels == ("cat", "dog", "bird")
    assert Probabilities.read(given).labels == ("cat", "dog", "bird")
    moved = Probabilities.read(given, ["bird", "cat", "dog"])
    np.testing.assert_allclose(moved.values, [[0.1, 0.7, 0.2], [0.6, 0.1, 0.3]])


@pytest.mark.parametrize("name", ["{}", "p_{}"])
def test_labels_with_a_beginning_of_their_own(name: str) -> None:
    given = {name.format(label): column for label, column in (("stage_1", [0.9, 0.2]), ("stage_2", [0.1, 0.8]))}
    assert Probabilities.read(given, truth=["stage_2", "stage_1"]).labels == ("stage_1", "stage_2")
    assert Probabilities.read(given, ["stage_2", "stage_1"]).values.tolist() == [[0.1, 0.9], [0.8, 0.2]]


def test_numbers_as_labels() -> None:
    given = {"p_10": [0.9, 0.2], "p_1": [0.1, 0.8]}
    assert Probabilities.read(given, truth=np.array([1, 10])).labels == (10, 1)
    assert Probabilities.read(ROWS, np.array([3, 5, 9])).labels == (3, 5, 9)
    assert type(Probabilities.read(ROWS, np.array([3, 5, 9])).labels[0]) is int
    assert Probabilities.read(ROWS, truth=[9, 5, 3, 5]).labels == (3, 5, 9)


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, pa.array])
def test_one_column_is_the_second_class(make) -> None:
    found = Probabilities.read(make([0.25, 1.0]), ["well", "sick"])
    assert found.values.tolist() == [[0.75, 0.25], [0.0, 1.0]]
    assert decompose(["sick", "well"], make([0.75, 0.25])).labels == ("sick", "well")


def test_rows_may_be_off_by_the_tolerance() -> None:
    assert len(Probabilities.read([[0.333, 0.333, 0.333]], LABELS, tolerance=2e-3)) == 1
    with pytest.raises(ff.InputError, match="must sum to one"):
        Probabilities.read([[0.333, 0.333, 0.333]], LABELS, tolerance=1e-4)


GOOD = [0.7, 0.2, 0.1]
BAD_ROWS = {
    "too little": ([0.5, 0.2, 0.1], "must sum to one in each row", "divide each row by its sum"),
    "too much": ([0.5, 0.5, 0.5], "must sum to one in each row", "divide each row by its sum"),
    "negative": ([-0.1, 0.6, 0.5], "must lie between 0 and 1", "softmax"),
    "nan": ([float("nan"), 0.5, 0.5], "must not be missing", "drop or fill"),
    "inf": ([float("inf"), 0, 0], "must lie between 0 and 1", "softmax"),
    "minus inf": ([float("-inf"), 1, float("inf")], "must lie between 0 and 1", "softmax"),
    "logits": ([2.3, -1.2, 0.4], "must lie between 0 and 1", "softmax"),
    "huge": ([1e308, 1e308, 0], "must lie between 0 and 1", "softmax"),
    "percentages": ([70.0, 20.0, 10.0], "must lie between 0 and 1", "divide percentages by 100"),
}


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize(("row", "problem", "hint"), BAD_ROWS.values(), ids=BAD_ROWS)
def test_bad_rows_name_the_first_and_how_many(row: list[float], problem: str, hint: str, kind: type) -> None:
    with np.errstate(over="ignore"):
        values = np.array([GOOD, GOOD, row, GOOD, row], dtype=kind)
    with pytest.raises(ff.InputError) as raised:
        Probabilities.read(values, LABELS)
    error = raised.value
    assert (error.code, error.argument, error.problem) == ("bad_probability", "probabilities", problem)
    assert error.got.startswith("2 such rows, the first is row 2: [")
    assert hint in error.hint


def test_bad_rows_far_apart_are_all_counted() -> None:
    values = np.tile(GOOD, (50_000, 1))
    values[[20_000, 49_999], 0] = 0.6
    with pytest.raises(ff.InputError, match=r"2 such rows, the first is row 20000: \[0.6, 0.2, 0.1\]"):
        Probabilities.read(values, LABELS)


@pytest.mark.parametrize(
    "missing",
    [
        [[None, 0.5], [0.5, 0.5]],
        pd.DataFrame({"a": [None, 0.5], "b": [0.5, 0.5]}, dtype="Float64"),
        pl.DataFrame({"a": [None, 0.5], "b": [0.5, 0.5]}),
        np.ma.masked_array([[0.5, 0.5], [0.5, 0.5]], mask=[[True, False], [False, False]]),
    ],
    ids=["None", "pandas", "polars", "masked"],
)
def test_missing_numbers(missing) -> None:
    with pytest.raises(ff.InputError, match=r"must not be missing, got 1 such rows, the first is row 0: \[nan, 0.5\]"):
        Probabilities.read(missing, ["a", "b"])


REFUSED = {
    "ragged": ([[0.5, 0.5], [1.0]], ["a", "b"], "bad_shape", "must be rows of one length"),
    "ragged columns": ({"a": [0.5, 0.5], "b": [0.5]}, None, "bad_shape", "must be columns of one length"),
    "texts": ([["0.5", "0.5"]], ["a", "b"], "bad_probability", "must be numbers"),
    "texts in a frame": (pd.DataFrame({"a": ["x"], "b": ["y"]}), None, "bad_probability", "must be numbers"),
    "a text": ("p_cat", ["a", "b"], "bad_probability", "must be numbers"),
    "objects": ([[object(), object()]], ["a", "b"], "bad_probability", "must be numbers"),
    "a number": (0.5, ["a", "b"], "bad_shape", "must be rows"),
    "None": (None, ["a", "b"], "bad_shape", "must be rows"),
    "three dimensions": (np.full((2, 2, 2), 0.5), ["a", "b"], "bad_shape", "must be rows"),
    "empty list": ([], ["a", "b"], "empty", "has no rows"),
    "empty array": (np.empty((0, 3)), LABELS, "empty", "has no rows"),
    "empty frame": (pd.DataFrame({"a": [], "b": []}), None, "empty", "has no rows"),
    "empty mapping": ({}, None, "bad_shape", "must be rows"),
    "one class": ([[1.0], [1.0]], ["a"], "bad_shape", "must be of two classes or more"),
    "too few labels": (ROWS, ["a", "b"], "length_mismatch", "must be as many as columns"),
    "too many labels": (ROWS, [*LABELS, "fish"], "length_mismatch", "must be as many as columns"),
    "repeated labels": (ROWS, ["a", "b", "a"], "bad_label", "must name each class once"),
    "lists as labels": (ROWS, [["a"], ["b"], ["c"]], "bad_label", "must be texts or numbers"),
    "no column of a label": ({"p_a": [1.0], "p_b": [0.0]}, ["a", "c"], "bad_label", "has no column"),
    "no labels": (ROWS, None, "length_mismatch", "must be as many as columns"),
}


@pytest.mark.parametrize(("given", "labels", "code", "problem"), REFUSED.values(), ids=REFUSED)
def test_refused(given, labels, code: str, problem: str) -> None:
    with pytest.raises(ff.InputError) as raised:
        Probabilities.read(given, labels)
    assert (raised.value.code, raised.value.problem) == (code, problem)


def test_truth_and_columns_must_fit() -> None:
    with pytest.raises(ff.InputError, match="has a label that no column is named after, got 'fish'"):
        Probabilities.read({"p_cat": [1.0], "p_dog": [0.0]}, truth=["cat", "fish"])
    with pytest.raises(ff.InputError, match="got 2 labels in the truth and 3 columns"):
        Probabilities.read(ROWS, truth=["cat", "dog"])
    with pytest.raises(ff.InputError, match="truth: must be of one kind"):
        Probabilities.read(ROWS, truth=["cat", 3])


@pytest.mark.parametrize("many", [3, 40])
@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series])
def test_places_of_labels(make, many: int) -> None:
    labels = tuple(f"class {i}" for i in range(many))
    assert coded(make(["class 2", "class 0"]), labels, "truth").tolist() == [2, 0]
    with pytest.raises(ff.InputError) as raised:
        coded(make(["class 0", "clas 1", "class 2", "clas 1"]), labels, "truth")
    assert raised.value.got == "'clas 1' in row 1, and 2 such rows in all"
    assert raised.value.hint.startswith("did you mean 'class 1'?")


def test_places_of_labels_of_another_kind() -> None:
    with pytest.raises(ff.InputError, match="got 0 in row 0, and 2 such rows"):
        coded(np.array([0, 1]), ("0", "1"), "truth")
    with pytest.raises(ff.InputError, match="got '0' in row 0"):
        coded(np.array(["0", "1"]), (0, 1), "truth")


@pytest.mark.parametrize("labels", [None, ["a", "b"]])
def test_one_hot_rows_are_no_labels(labels) -> None:
    for truth in ([[1, 0], [0, 1]], np.eye(2)):
        with pytest.raises(ff.InputError, match="take the argmax"):
            decompose(truth, [[0.9, 0.1], [0.2, 0.8]], labels)
