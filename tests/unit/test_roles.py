"""Which label is positive, which columns hold scores and no labels, and when there are k classes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import fourfold as ff
from fourfold.data import count_groups
from fourfold.table import LabelRoles, Matrix, Table, label_roles

from ..conftest import SHARED, needs

COMPAS = SHARED / "data" / "compas_two_years.parquet"


def pairs_of(truth: list[Any], prediction: list[Any]) -> Counter[tuple[Any, Any]]:
    return Counter(zip(truth, prediction, strict=True))


@pytest.mark.parametrize(
    ("truth", "prediction", "positive", "label"),
    [
        ([0, 1, 1], [1, 1, 0], None, 1),
        ([0, 1, 1], [1, 1, 0], 0, 0),
        ([0, 1, 1], [1, 1, 0], "1", 1),
        ([0.0, 1.0, 1.0], [1, 1, 0], "1", 1),
        (["0", "1", "1"], ["1", "1", "0"], 1, "1"),
        ([False, True, True], [True, True, False], None, True),
        ([False, True, True], [True, True, False], "true", True),
        ([-1, 1, 1], [1, 1, -1], None, 1),
        ([-1, 1, 1], [1, 1, -1], "-1", -1),
        (["well", "sick", "sick"], ["sick", "sick", "well"], "sick", "sick"),
        # All cases are of one class; some are predicted to be of the other.
        ([0, 0, 0], [0, 1, 0], None, 1),
        (["well"] * 3, ["well", "sick", "well"], "sick", "sick"),
        (["well"], ["sick"], "sick", "sick"),
        ([0], [0], 1, 1),
        (["0"], ["0"], "1", "1"),
    ],
)
def test_two_classes(truth: list[Any], prediction: list[Any], positive: Any, label: Any) -> None:
    pairs = pairs_of(truth, prediction)
    roles = label_roles(pairs, positive=positive)
    assert roles == LabelRoles(label)
    expected = {"tp": 0, "fn": 0, "fp": 0, "tn": 0}
    for actual, predicted in zip(truth, prediction, strict=True):
        cell = {(True, True): "tp", (True, False): "fn", (False, True): "fp", (False, False): "tn"}
        expected[cell[actual == label, predicted == label]] += 1
    assert roles.table(pairs) == Table(**expected)


def test_a_part_of_the_rows_has_the_roles_of_all() -> None:
    pairs = pairs_of(["well", "sick"], ["sick", "sick"])
    roles = label_roles(pairs, positive="sick")
    assert roles.table({("well", "well"): 3}) == Table(tp=0, fn=0, fp=0, tn=3)
    assert roles.table({}) == Table(tp=0, fn=0, fp=0, tn=0)


def test_k_classes() -> None:
    pairs = pairs_of(list("abcab"), list("abbca"))
    roles = label_roles(pairs)
    assert (roles.positive, roles.classes, roles.notes) == (None, ("a", "b", "c"), ())
    assert roles.matrix({("a", "c"): 2}) == Matrix([[0, 0, 2], [0, 0, 0], [0, 0, 0]], ("a", "b", "c"))
    # Of three classes in the truth, a fourth may be predicted.
    assert label_roles(pairs_of([1, 2, 3, 3], [1, 2, 3, 4])).classes == (1, 2, 3, 4)


def test_one_class_against_the_rest() -> None:
    pairs = pairs_of(list("abcab"), list("abbca"))
    roles = label_roles(pairs, positive="a")
    assert (roles.positive, roles.classes) == ("a", None)
    [note] = roles.notes
    assert (note.code, note.data) == ("one_against_rest", {"labels": ["a", "b", "c"]})
    assert note.text == "'a' is compared with 2 other classes together"
    assert roles.table(pairs) == Table(tp=1, fn=1, fp=1, tn=2)
    # Numbers are named first, by their size.
    [note] = label_roles(pairs_of(["b", "10", "a", "9"], ["9", "a", "b", "10"]), positive="b").notes
    assert note.data == {"labels": ["9", "10", "a", "b"]}


def test_scores() -> None:
    pairs = Counter({("sick", True): 4, ("sick", False): 1, ("well", True): 2, ("well", False): 8})
    roles = label_roles(pairs, positive="sick", threshold=0.5)
    assert (roles.positive, roles.scored) == ("sick", True)
    assert roles.notes[0].text == "scores of 0.5 or more count as predicting sick"
    assert roles.table(pairs) == Table(tp=4, fn=1, fp=2, tn=8)
    # The other class is positive: a high score speaks for it.
    assert label_roles(pairs, positive="well", threshold=0.5).table(pairs) == Table(tp=2, fn=8, fp=4, tn=1)
    usual = Counter({(1, True): 4, (1, False): 1, (0, False): 8})
    assert label_roles(usual, threshold=0).table(usual) == Table(tp=4, fn=1, fp=0, tn=8)
    zero = label_roles(usual, positive=0, threshold=0)
    assert zero.table(usual) == Table(tp=0, fn=8, fp=4, tn=1)
    third = pairs + Counter({("dead", True): 3})
    assert label_roles(third, positive="sick", threshold=1).table(third) == Table(tp=4, fn=1, fp=5, tn=8)
    assert label_roles(third, positive="sick", threshold=1).notes[0].code == "one_against_rest"


@pytest.mark.parametrize(
    ("pairs", "options", "argument", "words"),
    [
        # Deciles beside 0 and 1: 1 is the lowest decile.
        (
            pairs_of([0, 1] * 5, list(range(1, 11))),
            {"positive": 1, "prediction": "decile_score"},
            "prediction",
            "has labels that the truth never has, got 2, 3, 4, 5, 6, 7 ... beside truth 0, 1. "
            "Hint: if it is a score, give it as one: --score decile_score --threshold 5, ",
        ),
        (pairs_of([0, 1] * 5, list(range(1, 11))), {}, "prediction", "--score COLUMN --threshold 5"),
        (pairs_of(["0", "1", "1"], ["2", "10", "9"]), {}, "prediction", "got '2', '9', '10' beside truth '0', '1'"),
        (pairs_of([0, 1, 1], [0.25, 0.5, 0.75]), {}, "prediction", "--threshold 0.5"),
        (pairs_of(["a", "b", "c"], [0.25, 0.5, 0.75]), {}, "prediction", "--threshold 0.5"),
        (pairs_of([1, 2, 3, 3], [1, 2, 2.5, 3]), {}, "prediction", "got 2.5 beside truth 1, 2, 3"),
        (pairs_of([0, 0, 0], [0, 1, 2]), {}, "prediction", "has labels that the truth never has, got 1, 2"),
        (pairs_of(["well", "sick"], [0, 1]), {"positive": "sick"}, "prediction", "--threshold 1"),
        (pairs_of([0, 1], ["low", "high"]), {}, "prediction", "Hint: map them to labels of the truth, such as 1"),
        (pairs_of(["no", "yes", "no"], ["no", "yes", "maybe"]), {"positive": "yes"}, "prediction", "got 'maybe'"),
        (pairs_of(["a", "b", "c"], ["A", "B", "C"]), {}, "prediction", "another kind than the truth"),
        (pairs_of(["a", "b", "c"], ["x", "y", "y"]), {"positive": "a"}, "prediction", "got 'x', 'y' beside"),
        (pairs_of([0, 1], ["0", "1"]), {}, "prediction", "Hint: make both texts or both numbers"),
        (pairs_of(["0", "1"], [0, 1]), {"positive": "1"}, "prediction", "Hint: make both texts or both numbers"),
        # Positive labels that do not occur.
        (
            pairs_of([0, 1], [0, 1]),
            {"positive": 2},
            "positive",
            "is not a label in the data, got 2. Hint: the data has 0",
        ),
        (pairs_of(["well", "sick"], ["sick"] * 2), {"positive": "sikc"}, "positive", "did you mean 'sick'?"),
        (pairs_of(["well"], ["well"]), {"positive": "sick"}, "positive", "is not a label in the data"),
        (pairs_of(list("abc"), list("abc")), {"positive": "d"}, "positive", "the data has 'a', 'b', 'c'"),
        (Counter({(0, True): 1, (1, False): 1}), {"positive": "yes", "threshold": 3}, "positive", "data has 0, 1"),
        # A truth that is no label.
        (pairs_of([0.25, 0.5], [0, 1]), {}, "truth", "must be labels, not fractions, got 0.25"),
        (
            Counter({("a", True): 1, ("b", False): 1, ("c", True): 1}),
            {"threshold": 3},
            "truth",
            "has more than two classes beside a score, got 3 classes: 'a', 'b', 'c'. Hint: say which class is positive",
        ),
    ],
)
def test_labels_that_cannot_be_meant(pairs: Any, options: dict[str, Any], argument: str, words: str) -> None:
    with pytest.raises(ff.InputError, match=r"^[^:]+: .+, got .+\. Hint: .+") as caught:
        label_roles(pairs, **options)
    assert (caught.value.code, caught.value.argument) == ("bad_label", argument)
    assert words in str(caught.value)


def test_which_label_is_positive_must_be_said() -> None:
    with pytest.raises(ff.InputError, match="the positive label must be named"):
        label_roles(pairs_of(["no", "yes"], ["no", "yes"]))
    with pytest.raises(ff.InputError, match="the positive label must be named"):
        label_roles(Counter({("no", True): 1, ("yes", False): 2}), threshold=0.5)
    with pytest.raises(ff.InputError, match="must hold at least one label"):
        label_roles({})


@needs(COMPAS)
def test_compas() -> None:
    """With positive=1, the lowest decile would stand for "will offend again"; from 5 on it is ProPublica's table."""
    asked: dict[str, Any] = {"truth": "two_year_recid", "prediction": "decile_score"}
    with pytest.raises(ff.InputError, match="--score decile_score --threshold 5"):
        label_roles(count_groups(COMPAS, **asked).pairs[()], positive=1, prediction="decile_score")
    pairs = count_groups(COMPAS, **asked, threshold=5).pairs[()]
    assert label_roles(pairs, threshold=5).table(pairs) == Table(tp=2035, fn=1216, fp=1282, tn=2681)
