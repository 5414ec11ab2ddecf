from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fourfold as ff
from fourfold.table import whole

TRUTH = ["sick", "well", "sick", "well", "well"]
PREDICTION = ["sick", "sick", "well", "well", "well"]
EXPECTED = ff.Table(tp=1, fn=1, fp=1, tn=2)

MAKERS = {
    "list": list,
    "tuple": tuple,
    "numpy text": np.array,
    "numpy object": lambda values: np.array(values, dtype=object),
    "numpy StringDType": lambda values: np.array(values, dtype=np.dtypes.StringDType()),
    "pandas": pd.Series,
    "pandas object": lambda values: pd.Series(values, dtype=object),
    "pandas categorical": lambda values: pd.Series(values, dtype="category"),
    "polars": pl.Series,
    "polars categorical": lambda values: pl.Series(values, dtype=pl.Categorical),
    "pyarrow": pa.array,
    "pyarrow chunked": lambda values: pa.chunked_array([values]),
}


@pytest.mark.parametrize("truth", MAKERS)
@pytest.mark.parametrize("prediction", MAKERS)
def test_text_labels_of_every_kind(truth: str, prediction: str) -> None:
    found = ff.Table.from_labels(MAKERS[truth](TRUTH), MAKERS[prediction](PREDICTION), positive="sick")
    assert found == EXPECTED


@pytest.mark.parametrize("low", [0, -1])
@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, pa.array, lambda v: np.array(v, dtype=float)])
def test_integer_labels_need_no_positive(make, low: int) -> None:
    truth = [1 if label == "sick" else low for label in TRUTH]
    prediction = [1 if label == "sick" else low for label in PREDICTION]
    assert ff.Table.from_labels(make(truth), make(prediction)) == EXPECTED


def test_bools_and_bytes_and_mixed_widths() -> None:
    truth = np.array([label == "sick" for label in TRUTH])
    prediction = np.array([label == "sick" for label in PREDICTION], dtype=np.uint8)
    assert ff.Table.from_labels(truth, prediction) == EXPECTED
    assert ff.Matrix.from_labels(truth, truth).labels == (False, True)
    assert ff.Matrix.from_labels(np.array([b"a", b"b"]), np.array([b"a", b"a"])).labels == (b"a", b"b")
    big = np.array([2**63, 1], dtype=np.uint64)
    assert ff.Matrix.from_labels(big, big).labels == (1, 2**63)


def test_many_and_wide_labels_agree_with_a_plain_count() -> None:
    rng = np.random.default_rng(1)
    for values in (
        rng.integers(0, 300, 5000),
        rng.integers(-(10**9), 10**9, 900)[rng.integers(0, 900, 5000)],
        rng.integers(-(10**9), 10**9, 3000)[rng.integers(0, 3000, 5000)],
        rng.integers(0, 20, 5000),
    ):
        other = rng.permutation(values)
        for make in (lambda v: v, lambda v: v.astype(str), lambda v: v.tolist()):
            truth, prediction = make(values), make(other)
            found = ff.Matrix.from_labels(truth, prediction)
            assert list(found.labels) == sorted(set(np.asarray(truth).tolist()))
            assert found.values.sum() == 5000
            i = found.labels.index(np.asarray(truth).tolist()[0])
            assert found.values[i].sum() == np.sum(np.asarray(truth) == np.asarray(truth)[0])
            assert found.values[:, i].sum() == np.sum(np.asarray(prediction) == np.asarray(truth)[0])


def test_more_than_32_texts_in_one_piece() -> None:
    labels = np.array([f"class {i:02}" for i in range(40)])
    found = ff.Matrix.from_labels(labels, labels)
    assert (found.values == np.eye(40)).all()


def test_texts_that_appear_late() -> None:
    truth = np.array(["a"] * 70000 + ["zz", "b"])
    prediction = np.array(["a"] * 70000 + ["b", "zz"])
    found = ff.Matrix.from_labels(truth, prediction)
    assert found.labels == ("a", "b", "zz")
    assert found.values.tolist() == [[70000, 0, 0], [0, 0, 1], [0, 1, 0]]


def test_labels_in_a_wanted_order() -> None:
    found = ff.Matrix.from_labels(["b", "a"], ["a", "a"], labels=["c", "b", "a"])
    assert found.values.tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 1]]


def test_only_one_class_occurs() -> None:
    assert ff.Table.from_labels([0, 0], [0, 0]) == ff.Table(tp=0, fn=0, fp=0, tn=2)
    assert ff.Table.from_labels([1, 1], [1, 1]) == ff.Table(tp=2, fn=0, fp=0, tn=0)
    assert ff.Table.from_labels(["well"], ["well"], positive="sick") == ff.Table(tp=0, fn=0, fp=0, tn=1)


def test_orders() -> None:
    scikit = [[40, 10], [5, 45]]
    expected = ff.Table(tp=45, fn=5, fp=10, tn=40)
    assert ff.Table.from_matrix(scikit, order="tn fp fn tp") == expected
    assert ff.Table.from_matrix(np.array(scikit), order=["tn", "fp", "fn", "tp"]) == expected
    assert ff.Table.from_matrix([45, 5, 10, 40], order="TP, FN, FP, TN") == expected
    assert ff.Tables.from_array([scikit, scikit], order="tn fp fn tp")[1] == expected


def test_matrix_of_two_classes() -> None:
    matrix = ff.Matrix([[40, 10], [5, 45]], ("well", "sick"))
    assert matrix.table(positive="sick") == ff.Table(tp=45, fn=5, fp=10, tn=40)
    assert matrix.table(positive="well") == ff.Table(tp=40, fn=10, fp=5, tn=45)


def test_real_mass_keeps_exact_zeros() -> None:
    """Summed in floats, the true negatives of class 0 would come out as 5.6e-17 instead of 0."""
    matrix = ff.Matrix([[0.1, 0.2], [0.3, 0.0]])
    assert matrix.one_vs_rest().tn.tolist() == [0.0, 0.1]
    assert matrix != ff.Matrix([[0.1, 0.2], [0.3, 0.1]])
    assert matrix == ff.Matrix(np.array([[0.1, 0.2], [0.3, 0.0]]))
    assert matrix != "matrix"


def test_tables_collect_and_give_back() -> None:
    tables = ff.Tables.from_tables([EXPECTED, EXPECTED])
    assert len(tables) == 2
    assert tables[1] == EXPECTED
    assert tables.total.tolist() == [5, 5]
    assert len(ff.Tables.from_tables([])) == 0


@pytest.mark.parametrize("count", [45, 45.0, np.int32(45), np.float64(45), Decimal(45)])
def test_whole_numbers_of_every_kind(count: object) -> None:
    assert whole(count, "tp") == 45


BAD = {
    "negative": (lambda: ff.Table(tp=-1, fn=0, fp=0, tn=0), "bad_count"),
    "fractional": (lambda: ff.Table(tp=1.5, fn=0, fp=0, tn=0), "bad_count"),
    "nan count": (lambda: ff.Table(tp=float("nan"), fn=0, fp=0, tn=0), "bad_count"),
    "infinite count": (lambda: ff.Table(tp=float("inf"), fn=0, fp=0, tn=0), "bad_count"),
    "bool count": (lambda: ff.Table(tp=True, fn=0, fp=0, tn=0), "bad_count"),
    "text count": (lambda: ff.Table(tp="1", fn=0, fp=0, tn=0), "bad_count"),
    "none count": (lambda: ff.Table(tp=None, fn=0, fp=0, tn=0), "bad_count"),
    "negative in arrays": (lambda: ff.Tables(tp=[1, -1], fn=[0, 0], fp=[0, 0], tn=[0, 0]), "bad_count"),
    "nan in arrays": (lambda: ff.Tables(tp=[np.nan], fn=[0], fp=[0], tn=[0]), "bad_count"),
    "text in arrays": (lambda: ff.Tables(tp=["a"], fn=[0], fp=[0], tn=[0]), "bad_count"),
    "arrays of other lengths": (lambda: ff.Tables(tp=[1, 2], fn=[1, 2, 3], fp=[0], tn=[0]), "length_mismatch"),
    "no order": (lambda: ff.Table.from_matrix([[1, 2], [3, 4]]), "ambiguous"),
    "wrong order": (lambda: ff.Table.from_matrix([[1, 2], [3, 4]], order="tp fp"), "bad_option"),
    "no order of arrays": (lambda: ff.Tables.from_array([[1, 2, 3, 4]]), "ambiguous"),
    "three numbers": (lambda: ff.Table.from_matrix([1, 2, 3], order="tp fn fp tn"), "bad_shape"),
    "three columns": (lambda: ff.Tables.from_array([[1, 2, 3]], order="tp fn fp tn"), "bad_shape"),
    "bare array": (lambda: ff.score([[1, 2], [3, 4]], "mcc"), "ambiguous"),
    "bare array, all": (lambda: ff.scores([[1, 2], [3, 4]]), "ambiguous"),
    "not square": (lambda: ff.Matrix([[1, 2, 3], [4, 5, 6]]), "bad_shape"),
    "label twice": (lambda: ff.Matrix([[1, 2], [3, 4]], ("a", "a")), "bad_shape"),
    "unknown cell": (lambda: ff.Table.from_mapping({"tpp": 1}), "bad_shape"),
    "missing cell": (lambda: ff.Table.from_mapping({"tp": 1}), "bad_shape"),
    "cell twice": (lambda: ff.Table.from_mapping({"tp": 1, "TP": 1}), "ambiguous"),
    "lengths": (lambda: ff.Table.from_labels([1, 0], [1]), "length_mismatch"),
    "nan label": (lambda: ff.Table.from_labels([1, float("nan")], [1, 0]), "bad_label"),
    "nan in floats": (lambda: ff.Table.from_labels(np.array([1, np.nan]), np.array([1, 0])), "bad_label"),
    "none label": (lambda: ff.Table.from_labels(["a", None], ["a", "b"]), "bad_label"),
    "pandas NA": (lambda: ff.Table.from_labels(pd.Series([1, None], dtype="Int64"), [1, 0]), "bad_label"),
    "polars null": (lambda: ff.Table.from_labels(pl.Series([1, None]), [1, 0]), "bad_label"),
    "fractions": (lambda: ff.Table.from_labels(np.array([0.5, 1]), np.array([1, 0])), "bad_label"),
    "kinds": (lambda: ff.Table.from_labels(["1", "0"], [1, 0]), "bad_label"),
    "three classes": (lambda: ff.Table.from_labels([0, 1, 2], [0, 1, 2]), "bad_label"),
    "which is positive": (lambda: ff.Table.from_labels(TRUTH, PREDICTION), "ambiguous"),
    "no such positive": (lambda: ff.Table.from_labels(TRUTH, PREDICTION, positive="sik"), "bad_label"),
    "label left out": (lambda: ff.Matrix.from_labels(TRUTH, PREDICTION, labels=["sick"]), "bad_label"),
    "empty": (lambda: ff.Table.from_labels([], []), "empty"),
    "one text": (lambda: ff.Table.from_labels("sick", ["sick"]), "bad_shape"),
    "masked": (lambda: ff.Table.from_labels(np.ma.array([0, 1], mask=[0, 1]), np.array([0, 1])), "bad_label"),
    "list of scores": (lambda: ff.Matrix.from_labels([0, 1, 1], [0.2, 0.9, 0.4]), "bad_label"),
    "set": (lambda: ff.Matrix.from_labels({0, 1}, {0, 1}), "bad_shape"),
    "none as a column": (lambda: ff.Matrix.from_labels(None, None), "bad_shape"),
    "one-hot lists": (lambda: ff.Matrix.from_labels([[0, 1]], [[0, 1]]), "bad_label"),
    "arrow table": (lambda: ff.Matrix.from_labels(pa.table({"y": [1]}), pa.table({"y": [1]})), "bad_label"),
    "infinite labels": (lambda: ff.Matrix.from_labels(np.array([np.inf]), np.array([1.0])), "bad_label"),
    "unhashable classes": (lambda: ff.Matrix.from_labels([1], [1], labels=[[1]]), "bad_label"),
    "positive of another kind": (lambda: ff.Table.from_labels([1, 1], [1, 1], positive="1"), "bad_label"),
    "fractional pairs": (lambda: ff.Matrix.from_pairs({("a", "a"): 2.9}), "bad_count"),
    "pairs that are none": (lambda: ff.Matrix.from_pairs({"abc": 1}), "bad_shape"),
    "no pairs": (lambda: ff.Matrix.from_pairs({}), "empty"),
    "too large a matrix": (lambda: ff.Matrix([[2**62, 2**62], [0, 2**62]]), "bad_count"),
    "too large tables": (lambda: ff.Tables(tp=[2**62], fn=[2**62], fp=[2**62], tn=[2**62]), "bad_count"),
    "too large a count": (lambda: ff.Table(tp=2**64, fn=0, fp=0, tn=0), "bad_count"),
    "unsigned": (lambda: ff.Matrix(np.array([[2**63]], dtype=np.uint64)), "bad_count"),
    "ragged": (lambda: ff.Matrix([[1, 2], [3]]), "bad_shape"),
    "order that is not text": (lambda: ff.Table.from_matrix([1, 2, 3, 4], order=5), "bad_option"),
    "no mapping": (lambda: ff.Table.from_mapping(None), "bad_shape"),
    "beta none": (lambda: ff.metrics.f_beta(None), "bad_metric"),
    "beta infinite": (lambda: ff.metrics.f_beta(float("inf")), "bad_metric"),
    "two averages": (lambda: ff.score(ff.Matrix([[1, 2], [3, 4]]), "macro_f1", average="macro"), "bad_metric"),
    "wrong average of a table": (lambda: ff.score(EXPECTED, "f1", average="nonsense"), "bad_option"),
    "two dimensions": (lambda: ff.Table.from_labels(np.eye(2), np.eye(2)), "bad_shape"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_the_one_grammar(case: str) -> None:
    make, code = BAD[case]
    with pytest.raises(ff.InputError, match=r"^[^:]+: .+, got .+\. Hint: .+[.?]$") as caught:
        make()
    assert caught.value.code == code
    assert isinstance(caught.value, ValueError)


def test_values_cannot_be_changed_behind_their_back() -> None:
    values = np.array([[1, 2], [3, 4]])
    matrix = ff.Matrix(values)
    values[0, 0] = -9
    assert matrix.values[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        matrix.values[0, 0] = 5


def test_anything_that_is_an_array_is_read_as_one() -> None:
    class Tensor:
        """Like the tensors of some libraries: an array whose elements are hashed by identity."""

        def __array__(self, dtype=None, copy=None):
            return np.array([0, 1, 1])

        def __len__(self) -> int:
            return 3

    assert ff.Matrix.from_labels(Tensor(), Tensor()).labels == (0, 1)


def test_a_missing_label_is_named_by_its_row() -> None:
    with pytest.raises(ff.InputError, match="2 missing, the first in row 1"):
        ff.Table.from_labels(["a", None, "a"], ["a", "b", None])
    with pytest.raises(ff.InputError, match="1 missing, the first in row 1"):
        ff.Table.from_labels(np.array([1, np.nan, 0]), np.array([1, 0, 0]))
