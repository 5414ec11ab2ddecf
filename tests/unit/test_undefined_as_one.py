"""Undefined scores that were printed as 1, as scikit-learn does with zero_division=1: for one table, classes and folds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from click.testing import CliRunner

import fourfold as ff
from fourfold.cli import cli

from ..conftest import how_many

#: All 20 cases predicted negative: 15 of them right, and a precision of 0/0.
NEVER = {"positives": 5, "negatives": 15, "accuracy": "0.75"}
#: Two folds of two positives and two negatives: nothing predicted in one, one of two predictions right in the other.
FOLDS: Any = {"folds": [(2, 2), (2, 2)], "over": "mean", "recall": "0.25", "specificity": "0.75"}
#: 8 + 9 of 30 are right, 14 and 16 cases are predicted to be of the first two classes, none of the third.
CLASSES = {"accuracy": "0.57", "recall[0]": "0.80", "recall[1]": "0.90", "precision[0]": "0.57", "precision[1]": "0.56"}


def codes(found: ff.Recovery) -> list[str]:
    return [departure.code for departure in found.departures]


def test_a_precision_of_one_table() -> None:
    found = ff.recover(**NEVER, precision="1.00")
    assert how_many(found) == ("conditional", 1, True)
    assert codes(found) == ["undefined_as_one"]
    assert list(found.tables()) == [ff.Table(tp=0, fn=5, fp=0, tn=15)]
    assert found.reading.startswith(
        "an undefined precision was printed as 1 (as scikit-learn does with zero_division=1), or if "
    )
    # All five positives and ten negatives found: the precision of the negatives is 10 of 10.
    assert [[departure.code for departure in other.departures] for other in found.others] == [["other_class"]]
    assert found.contradictions == (("accuracy", "precision"),)


def test_what_is_said_is_not_tried_otherwise() -> None:
    said = ff.recover(**NEVER, precision="1.00", undefined="one", folds="none")
    assert how_many(said) == ("possible", 1, True)
    assert (said.departures, len(said.readings)) == ((), 1)
    assert said.to_dict()["claim"]["undefined"] == "one"
    for undefined in ("none", "zero", "excluded"):
        assert ff.recover(**NEVER, precision="1.00", undefined=undefined, folds="none").verdict == "impossible"
    none = ff.recover(**NEVER, precision="1.00", undefined="none", folds="none")
    assert "undefined_as_one" in [repair.kind for repair in none.repairs]


def test_bounds_of_one_table_count_it() -> None:
    found = ff.recover(**NEVER, precision="1.00", undefined="one")
    table = ff.Table(tp=0, fn=5, fp=0, tn=15)
    assert found.bounds("precision")[:4] == (1, 1, table, table)
    assert found.bounds("macro_precision")[:2] == (7 / 8, 7 / 8)
    assert found.bounds("recall")[:2] == (0, 0)
    # Of 15 right, 0 to 5 are positives. Precision is 1 where no case is predicted positive, and else tp of 2 tp.
    every = ff.recover(**NEVER, undefined="one")
    assert (every.count, every.bounds("precision")[:2]) == (6, (0.5, 1))
    assert every.bounds("precision").high_witness == table
    assert ff.recover(**NEVER, undefined="zero").bounds("precision")[:2] == (0, 0.5)
    assert ff.recover(**NEVER).bounds("precision")[:2] == (0.5, 0.5)


def test_an_average_of_both_classes() -> None:
    """Precision 0/0 and 15/20: their mean is 7/8 with 1, 3/8 with 0 and 3/4 without it."""
    found = ff.recover(**NEVER, macro_precision="0.875")
    assert (how_many(found), codes(found)) == (("conditional", 1, True), ["undefined_as_one"])
    assert "an undefined precision was printed as 1" in found.reading
    assert codes(ff.recover(**NEVER, macro_precision="0.375")) == ["undefined_as_zero"]
    # By a bare name; recall is 0 and 1.
    found = ff.recover(**NEVER, precision="0.875", recall="0.50")
    assert (how_many(found), codes(found)) == (("conditional", 1, True), ["macro_average", "undefined_as_one"])
    assert list(found.tables()) == [ff.Table(tp=0, fn=5, fp=0, tn=15)]


def test_the_coefficient_with_a_root_is_not_printed_as_one() -> None:
    """All four negatives right: scikit-learn gives 0 for the coefficient of 0/0, and for kappa what it is told."""
    asked: Any = {"positives": 0, "negatives": 4, "accuracy": "1.00", "undefined": "one", "bounds": "none"}
    assert ff.recover(**asked, mcc="1.00", folds="none").verdict == "impossible"
    assert how_many(ff.recover(**asked, mcc="0.00", folds="none")) == ("possible", 1, True)
    assert how_many(ff.recover(**asked, kappa="1.00", folds="none")) == ("possible", 1, True)
    assert ff.recover(**asked, kappa="0.00", folds="none").verdict == "impossible"
    # What is printed as 0 in any case is told once.
    found = ff.recover(positives=0, negatives=4, accuracy="1.00", mcc="0.00", folds="none")
    assert (codes(found), found.others) == (["undefined_as_zero"], ())


@pytest.mark.parametrize("undefined", ["zero", "one", "none", "excluded"])
@pytest.mark.parametrize("kappa", ["0.00", "1.00"])
def test_every_layout_counts_an_undefined_kappa_alike(undefined: str, kappa: str) -> None:
    """Four negatives and no positives, all right: kappa is 0/0 in one table, in classes and in one set, however told."""
    asked: Any = {"accuracy": "1.00", "kappa": kappa, "undefined": undefined, "bounds": "none"}
    sets: Any = [{"positives": 0, "negatives": 4}]
    verdicts = [
        ff.recover(positives=0, negatives=4, folds="none", **asked).verdict,
        ff.recover(classes={"no": 4, "yes": 0}, folds="none", **asked).verdict,
        ff.recover(classes={"no": 4, "yes": 0, "maybe": 0}, folds="none", **asked).verdict,
        ff.recover(sets=sets, over="mean", **asked).verdict,
        ff.recover(sets=sets, over="pooled", **asked).verdict,
    ]
    counted = {"zero": "0.00", "one": "1.00"}.get(undefined)
    assert set(verdicts) == {"possible" if counted == kappa else "impossible"}


def test_a_class_that_was_never_predicted() -> None:
    found = ff.recover(classes=[10, 10, 10], **CLASSES, **{"precision[2]": "1.00", "recall[2]": "0.00"}, folds="none")
    assert (how_many(found), codes(found)) == (("conditional", 1, True), ["undefined_as_one"])
    [margins] = found.margins()
    assert [tuple(each[1:]) for each in margins] == [(10, 8, 14), (10, 9, 16), (10, 0, 0)]
    assert found.matrix() is not None
    assert found.bounds("precision[2]")[:2] == (1, 1)
    macro = float(Fraction(8, 14) + Fraction(9, 16) + 1) / 3
    assert found.bounds("macro_precision")[:2] == pytest.approx((macro, macro))
    for undefined, verdict in {"one": "possible", "zero": "impossible", "none": "impossible"}.items():
        scores = {**CLASSES, "macro_precision": f"{macro:.4f}", "recall[2]": "0.00"}
        assert ff.recover(classes=[10, 10, 10], undefined=undefined, **scores, folds="none").verdict == verdict


def test_a_bare_name_of_several_classes() -> None:
    """Precision of the three classes is 4/4, 4/8 and 0/0, recall 4/4, 4/4 and 0/4; with 1, the means are 5/6 and 2/3."""
    found = ff.recover(classes=[4, 4, 4], accuracy="0.667", precision="0.833", recall="0.667", **{"recall[2]": "0.00"})
    assert codes(found) == ["macro_average", "undefined_as_one"]
    assert any(
        [tuple(each[1:]) for each in margins] == [(4, 4, 4), (4, 4, 8), (4, 0, 0)] for margins in found.margins()
    )


def test_micro_averages_of_several_labels() -> None:
    """Nothing is predicted at all, which is possible only where a case can have no label."""
    found = ff.recover(classes={"a": 2, "b": 1, "c": 1}, micro_precision="1.00", micro_recall="0.00")
    assert codes(found) == ["several_labels", "undefined_as_one"]
    assert all(each.predicted == 0 for margins in found.margins() for each in margins)


def test_a_fold_without_a_prediction() -> None:
    found = ff.recover(**FOLDS, precision="0.75")
    assert (found.verdict, codes(found)) == ("conditional", ["undefined_as_one"])
    assert found.reading == "an undefined score of a fold counted as 1 (as scikit-learn does with zero_division=1)"
    tables = sorted(found.tables(), key=lambda table: table.tp)
    assert tables == [ff.Table(tp=0, fn=2, fp=0, tn=2), ff.Table(tp=1, fn=1, fp=1, tn=1)]
    verdicts = {"one": "possible", "zero": "impossible", "excluded": "impossible", "none": "impossible"}
    for undefined, verdict in verdicts.items():
        assert ff.recover(**FOLDS, precision="0.75", undefined=undefined).verdict == verdict


def test_bounds_of_means_count_it() -> None:
    """One of four positives is found, one of four negatives is not cleared: in one fold together, or in two."""
    # Together: 1/2 and 0/0. In two folds: 1/1 and 0/1.
    for undefined, ends in {
        "one": (0.5, 0.75),
        "zero": (0.25, 0.5),
        "excluded": (0.5, 0.5),
        "none": (0.5, 0.5),
    }.items():
        found = ff.recover(**FOLDS, undefined=undefined).bounds("precision")
        assert (found.low, found.high) == pytest.approx(ends), undefined


def test_all_cases_of_folds_together() -> None:
    found = ff.recover(folds=[(2, 2), (2, 2)], over="pooled", precision="1.00", recall="0.00")
    assert (found.verdict, codes(found)) == ("conditional", ["undefined_as_one"])
    assert found.pooled() == ff.Table(tp=0, fn=4, fp=0, tn=4)


def test_a_coefficient_of_a_fold_counts_as_zero_in_any_case() -> None:
    """One fold has no positives: its coefficient is 0/0 and counts as 0, that of the other is 1."""
    found = ff.recover(folds=[(0, 2), (2, 2)], mcc="0.50", over="mean")
    assert (codes(found), found.others) == (["undefined_as_zero"], ())
    assert "undefined_as_one" not in [departure.code for each in found.readings for departure in each.departures]
    assert ff.recover(folds=[(0, 2), (2, 2)], mcc="0.50", over="mean", undefined="one").verdict == "possible"
    # Something is said of a score of each fold that can be 1.
    found = ff.recover(folds=[[1, 4], [0, 6]], mcc="0.12500", each={"precision": "[0.2, 1]"})
    assert codes(found) == ["undefined_as_one"]


def test_the_command() -> None:
    line = ["recover", "--positives", "5", "--negatives", "15", "accuracy=0.75", "precision=1.00"]
    run = CliRunner().invoke(cli, [*line, "--undefined", "one"])
    assert (run.exit_code, run.output.split(".")[0]) == (0, "1 table fits")
    run = CliRunner().invoke(cli, line)
    assert run.output.startswith("possible only if an undefined precision was printed as 1")
    (row,) = ff.review([{**NEVER, "precision": "1.00"}], undefined="one")
    assert (row["verdict"], row["count"], row["precision_low"]) == ("possible", 1, 1)
