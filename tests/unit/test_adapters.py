"""Tables that other packages counted: fairlearn's frames, aequitas' crosstabs, frames with a row a group."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fourfold as ff
from fourfold.groups.adapters import tables_of

# Eight cases by hand. Women: one found, one missed, two cleared. Men: two found, two falsely flagged.
Y, YHAT = [1, 0, 0, 1, 1, 1, 0, 0], [1, 0, 1, 1, 0, 1, 0, 1]
SEX = list("ffmmfmfm")
WOMEN, MEN = ff.Table(tp=1, fn=1, fp=0, tn=2), ff.Table(tp=2, fn=0, fp=2, tn=0)
EXPECTED = {"sex=f": WOMEN, "sex=m": MEN}
COUNTS = {"sex": ["f", "m"], "tp": [1, 2], "fn": [1, 0], "fp": [0, 2], "tn": [2, 0]}


class Frame:
    """What a MetricFrame shows of itself."""

    def __init__(self, by_group: Any) -> None:
        self.by_group, self.overall = by_group, None


def cells(truth: Any, prediction: Any, *, actual: int, predicted: int) -> int:
    return int(((np.asarray(truth) == actual) & (np.asarray(prediction) == predicted)).sum())


FAIRLEARN = {
    "true positives": partial(cells, actual=1, predicted=1),
    "false negatives": partial(cells, actual=1, predicted=0),
    "false positives": partial(cells, actual=0, predicted=1),
    "true negatives": partial(cells, actual=0, predicted=0),
}

FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(COUNTS),
    "pandas, index": lambda: pd.DataFrame(COUNTS).set_index("sex"),
    "pandas, other row numbers": lambda: pd.DataFrame(COUNTS, index=[7, 3]),
    "pandas, categories": lambda: pd.DataFrame(COUNTS).astype({"sex": "category"}),
    "pandas, floats": lambda: pd.DataFrame(COUNTS).astype({"tp": float, "fn": "Int64"}),
    "polars": lambda: pl.DataFrame(COUNTS),
    "polars, lazy": lambda: pl.LazyFrame(COUNTS),
    "pyarrow": lambda: pa.table(COUNTS),
    "other names": lambda: pl.DataFrame(COUNTS).rename(
        {"tp": "num_true_positives", "fn": "FN count", "fp": "False-Positives", "tn": "n_tn"}
    ),
    "other columns": lambda: pl.DataFrame(COUNTS).with_columns(accuracy=pl.lit(0.5), pp=pl.lit(1)),
    "a MetricFrame of counts": lambda: Frame(pd.DataFrame(COUNTS).set_index("sex")),
    "a MetricFrame of matrices": lambda: Frame(
        pd.DataFrame(
            {"cells": [np.array([[2, 0], [1, 1]]), np.array([[0, 2], [0, 2]])], "selection_rate": [0.25, 1.0]},
            index=pd.Index(["f", "m"], name="sex"),
        )
    ),
    "a MetricFrame of one metric": lambda: Frame(
        pd.Series([np.array([[2, 0], [1, 1]]), np.array([[0, 2], [0, 2]])], index=pd.Index(["f", "m"], name="sex"))
    ),
    "polars, lists": lambda: pl.DataFrame({"sex": ["f", "m"], "cm": [[[2, 0], [1, 1]], [[0, 2], [0, 2]]]}),
}


@pytest.mark.parametrize("name", FRAMES)
def test_frames_with_a_row_a_group(name: str) -> None:
    assert tables_of(FRAMES[name]()) == EXPECTED


def crosstab(**more: Any) -> pd.DataFrame:
    """The columns that aequitas 1.1 gives, with its values for these rows."""
    return pd.DataFrame(
        {
            "model_id": [0, 0],
            "score_threshold": ["binary 0/1"] * 2,
            "k": [5, 5],
            "attribute_name": ["sex", "sex"],
            "attribute_value": ["f", "m"],
            "accuracy": [0.75, 0.5],
            "tpr": [0.5, 1.0],
            "for": [1 / 3, np.nan],
            "pp": [1, 4],
            "pn": [3, 0],
            "fp": [0, 2],
            "fn": [1, 0],
            "tn": [2, 0],
            "tp": [1, 2],
            "group_size": [4, 4],
            **more,
        }
    )


def test_an_aequitas_crosstab() -> None:
    assert tables_of(crosstab()) == EXPECTED
    assert tables_of(pl.from_pandas(crosstab())) == EXPECTED


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"attribute_name": ["sex", "race"]}, r"attribute_name sex, race\. .*crosstab\['attribute_name'\] == 'sex'"),
        ({"model_id": [0, 1]}, r"model_id 0, 1\. "),
        ({"score_threshold": ["5", "7"]}, r"score_threshold 5, 7\. "),
    ],
)
def test_a_crosstab_of_one_attribute_and_one_model(more: dict[str, Any], words: str) -> None:
    """Women of any race and whites of any sex share cases: no group is the rest of the other."""
    with pytest.raises(ff.InputError, match=rf"groups: has rows that share cases, got {words}") as caught:
        tables_of(crosstab(**more))
    assert caught.value.code == "ambiguous"


def test_names_of_groups() -> None:
    """Several columns combine, a missing value says so, and a group without cases is none."""
    frame = pl.DataFrame({"sex": ["f", None], "race": ["a", "b"], "tp": [1, 2], "fn": 1, "fp": 1, "tn": 1})
    assert list(tables_of(frame)) == ["sex=f, race=a", "sex=(missing), race=b"]
    assert list(tables_of(frame.to_pandas().set_index(["sex", "race"]))) == ["sex=f, race=a", "sex=(missing), race=b"]
    unnamed = pd.DataFrame({"tp": [1, 2], "fn": 1, "fp": 1, "tn": 1}, index=["f", "m"])
    assert list(tables_of(unnamed)) == ["f", "m"]
    numbered = pl.DataFrame({"age": [20, 30], "tp": [1, 2], "fn": 1, "fp": 1, "tn": 1})
    assert list(tables_of(numbered)) == ["age=20", "age=30"]
    empty = pd.DataFrame({"tp": [1, np.nan], "fn": [1, np.nan], "fp": [1, np.nan], "tn": [1, np.nan]}, index=["f", "m"])
    assert list(tables_of(empty)) == ["f"]


def test_matrices_of_more_classes() -> None:
    frame = pd.DataFrame({"cm": [np.eye(3, dtype=int), np.ones((3, 3), dtype=int)]}, index=["f", "m"])
    assert tables_of(frame) == {"f": ff.Matrix(np.eye(3, dtype=int)), "m": ff.Matrix(np.ones((3, 3), dtype=int))}


WRONG: dict[str, tuple[Callable[[], Any], str, str]] = {
    "no counts": (lambda: pl.DataFrame({"sex": ["f"], "recall": [0.5]}), "bad_shape", "without tp, fn, fp, tn"),
    "some counts": (lambda: pl.DataFrame(COUNTS).drop("tn"), "bad_shape", "sex, tp, fn, fp, without tn"),
    "a MetricFrame of rates": (
        lambda: Frame(pd.DataFrame({"recall": [0.5]}, index=["f"])),
        "bad_shape",
        'MetricFrame(metrics={"cells": partial(confusion_matrix, labels=[0, 1])}, ...)',
    ),
    "a rate for a count": (lambda: pl.DataFrame({**COUNTS, "tp": [0.5, 1.0]}), "bad_count", "must be a whole number"),
    "a missing count": (lambda: pl.DataFrame({**COUNTS, "tp": [1, None]}), "bad_count", "must be a whole number"),
    "two columns of one cell": (
        lambda: pl.DataFrame({**COUNTS, "true_positives": [1, 2]}),
        "ambiguous",
        "has two columns for tp",
    ),
    "nothing names the groups": (
        lambda: pl.DataFrame(COUNTS).drop("sex"),
        "ambiguous",
        "which column names the groups is not clear, got no other column",
    ),
    "two numbers may name the groups": (
        lambda: pl.DataFrame(COUNTS).drop("sex").with_columns(age=pl.lit(20), n=pl.lit(4)),
        "ambiguous",
        "got age, n",
    ),
    "a group twice": (lambda: pl.DataFrame({**COUNTS, "sex": ["f", "f"]}), "ambiguous", "two rows of one name"),
    "matrices of other sizes": (
        lambda: pd.DataFrame({"cm": [np.ones((2, 2), int), np.ones((1, 1), int)]}, index=["f", "m"]),
        "bad_shape",
        "partial(confusion_matrix, labels=[0, 1])",
    ),
    "two columns of matrices": (
        lambda: pd.DataFrame({"a": [np.ones((2, 2))], "b": [np.ones((2, 2))]}, index=["f"]),
        "ambiguous",
        "has several columns of matrices, got a, b",
    ),
    "no frame": (lambda: 3, "bad_shape", "is of a kind that cannot be read"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_table_of_groups(case: str) -> None:
    make, code, words = WRONG[case]
    with pytest.raises(ff.InputError, match=r"^[^:]+: .+, got .+\. Hint: .+") as caught:
        tables_of(make())
    assert caught.value.code == code
    assert words in str(caught.value)


@pytest.mark.parametrize("kind", ["counts", "matrices", "one metric"])
def test_fairlearn(kind: str) -> None:
    metrics = pytest.importorskip("fairlearn.metrics", reason="fairlearn is not installed")
    confusion_matrix = pytest.importorskip("sklearn.metrics").confusion_matrix

    def matrix(truth: Any, prediction: Any) -> Any:
        return confusion_matrix(truth, prediction, labels=[0, 1])

    chosen: Any = {"counts": FAIRLEARN, "matrices": {"cells": matrix, "rate": metrics.selection_rate}}.get(kind, matrix)
    features = pd.Series(SEX, name="sex")
    frame = metrics.MetricFrame(metrics=chosen, y_true=Y, y_pred=YHAT, sensitive_features=features)
    assert tables_of(frame) == EXPECTED


def test_fairlearn_with_several_features() -> None:
    """A group without cases has no row of counts: fairlearn fills it with nan."""
    metrics = pytest.importorskip("fairlearn.metrics", reason="fairlearn is not installed")
    features = pd.DataFrame({"sex": SEX, "race": list("abaaaaba")})
    frame = metrics.MetricFrame(metrics=FAIRLEARN, y_true=Y, y_pred=YHAT, sensitive_features=features)
    assert len(frame.by_group) == 4
    women = {"sex=f, race=a": ff.Table(tp=1, fn=1, fp=0, tn=0), "sex=f, race=b": ff.Table(tp=0, fn=0, fp=0, tn=2)}
    assert tables_of(frame) == {**women, "sex=m, race=a": MEN}


def test_aequitas() -> None:
    group = pytest.importorskip("aequitas.group", reason="aequitas is not installed")
    data = pd.DataFrame({"score": YHAT, "label_value": Y, "sex": SEX})
    assert tables_of(group.Group().get_crosstabs(data)[0]) == EXPECTED
