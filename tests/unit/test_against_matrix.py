"""A matrix and the scores beside it: wrong ones are found, and none is invented."""

from __future__ import annotations

import random
import warnings

import numpy as np
import pytest
from sklearn.metrics import classification_report

from fourfold.reports.against_matrix import compare


def labels_of(matrix: np.ndarray) -> tuple[list[int], list[int]]:
    truth = [i for i, row in enumerate(matrix) for count in row for _ in range(int(count))]
    predicted = [j for row in matrix for j, count in enumerate(row) for _ in range(int(count))]
    return truth, predicted


def printed(matrix: np.ndarray, digits: int) -> dict[str, str]:
    """What scikit-learn prints for a matrix, by the names that `recover` takes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = classification_report(*labels_of(matrix), labels=range(len(matrix)), output_dict=True)
    names = {"precision": "precision", "recall": "recall", "f1-score": "f1"}
    scores = {}
    for row, values in report.items():
        if row in ("accuracy", "micro avg"):
            scores["accuracy"] = f"{values if row == 'accuracy' else values['recall']:.{digits}f}"
            continue
        for key, name in names.items():
            average = row.removesuffix(" avg")
            scores[f"{average}_{name}" if row.endswith("avg") else f"{name}[c{row}]"] = f"{values[key]:.{digits}f}"
    return scores


@pytest.mark.parametrize("seed", range(12))
def test_a_wrong_score_is_found_and_no_other(seed: int) -> None:
    rng = random.Random(seed)
    k, digits = rng.choice([2, 2, 3, 4]), rng.choice([2, 4])
    matrix = np.array([[rng.randint(1, 9) + (40 if i == j else 0) for j in range(k)] for i in range(k)])
    labels = [f"c{i}" for i in range(k)]
    scores = printed(matrix, digits)
    found = compare(matrix.tolist(), scores, labels, rows_said=True)
    assert (found.departures, found.wrong) == ((), ())
    name = rng.choice(list(scores))
    right = scores[name]
    scores[name] = f"{float(right) - 0.05:.{digits}f}"
    found = compare(matrix.tolist(), scores, labels, rows_said=True)
    assert [(one.name, one.printed) for one in found.wrong] == [(name, scores[name])]
    assert f"{found.wrong[0].given:.{digits}f}" == right


def test_an_undefined_score_printed_as_0_is_a_reading() -> None:
    matrix = np.array([[10, 0], [5, 0]])
    found = compare(matrix.tolist(), printed(matrix, 2), ["c0", "c1"])
    assert not found.wrong
    assert [departure.code for departure in found.departures] == ["undefined_as_zero"]


def test_rows_that_nobody_names_may_be_the_predicted_classes() -> None:
    matrix, scores = [[124, 8], [19, 49]], {"precision": "0.7206", "recall": "0.8596"}
    assert [departure.code for departure in compare(matrix, scores, ["0", "1"]).departures] == ["matrix_transposed"]
    # Where the document says what they are, that it is the other way round must explain everything.
    said = compare(matrix, scores, ["0", "1"], rows_said=True)
    assert [departure.code for departure in said.departures] == ["matrix_transposed"]
    more = compare(matrix, scores | {"accuracy": "0.900"}, ["0", "1"], rows_said=True)
    assert {one.name for one in more.wrong} >= {"accuracy"}
    assert not more.departures
    # Four cells that are called by their names are in no rows.
    named = compare(matrix, scores, ["0", "1"], rows_said=True, cells_named=True)
    assert {one.name for one in named.wrong} == {"precision", "recall"}
    assert named.slip is not None
    assert named.slip.code == "matrix_transposed"


def test_scores_of_the_other_class_are_a_reading_where_no_class_is_said() -> None:
    # Of class 0: precision 124 of 143, recall 124 of 132.
    matrix, scores = [[124, 8], [19, 49]], {"precision": "0.8671", "recall": "0.9394"}
    assert [departure.code for departure in compare(matrix, scores, ["0", "1"]).departures] == ["other_class"]
    said = compare(matrix, scores, ["0", "1"], positive=1)
    assert len(said.wrong) == 2
    assert said.slip is not None
    assert "class 0" in said.slip.words


def test_numbers_that_were_cut_off_or_of_32_bits_are_no_errors() -> None:
    # 1134 of 1172 is 0.96757679...: cut off after seven digits.
    cut = compare([[1199, 38], [56, 1134]], {"precision": "0.9675"}, ["0", "1"], positive=1, rows_said=True)
    assert not cut.wrong
    assert [departure.code for departure in cut.departures] == ["cut_off"]
    # 474 of 969 is 0.48916408669..., and the nearest float of 32 bits prints as 0.48916408.
    assert str(np.float32(474 / 969)) == "0.48916408"
    single = compare([[5221, 495], [844, 474]], {"precision": "0.48916408"}, ["0", "1"], positive=1, rows_said=True)
    assert (single.wrong, single.departures) == ((), ())
    # 27 of 29 is 0.93103448, and as such a float 0.93103451.
    rounded = compare([[9, 0], [2, 18]], {"accuracy": f"{np.float32(27 / 29):.6f}"}, ["0", "1"])
    assert not rounded.wrong
    assert [departure.code for departure in rounded.departures] == ["single_precision"]
    assert compare([[9, 0], [2, 18]], {"accuracy": "0.931036"}, ["0", "1"]).wrong
    # F1 of a recall of 2 of 5 in 32 bits, computed in 64.
    derived = compare([[7, 0], [3, 2]], {"f1": "0.571428577510678"}, ["0", "1"])
    assert [departure.code for departure in derived.departures] == ["single_precision"]


def test_a_class_without_a_value_may_be_left_out_of_averages() -> None:
    """Class 1 is never predicted: its precision is undefined, and that of class 0, 4 of 8, is the macro average."""
    scores = {"precision[0]": "0.50", "macro_precision": "0.50", "accuracy": "0.50"}
    found = compare([[4, 0], [4, 0]], scores, ["0", "1"])
    assert (found.wrong, [departure.code for departure in found.departures]) == ((), ["undefined_left_out"])
    zero = compare([[4, 0], [4, 0]], {**scores, "macro_precision": "0.25"}, ["0", "1"])
    assert (zero.wrong, [departure.code for departure in zero.departures]) == ((), ["undefined_as_zero"])


def test_sizes_that_do_not_agree_are_wrong() -> None:
    found = compare([[2, 1], [0, 3]], {"accuracy": "0.83"}, ["a", "b"], sizes={0: 3, 1: 4})
    assert [(one.name, one.printed, one.given) for one in found.wrong] == [("support[b]", "4", 3)]
