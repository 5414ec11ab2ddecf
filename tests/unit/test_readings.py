"""Readings: an honest report is not accused because of a convention that nobody stated."""

from __future__ import annotations

from typing import Any

import pytest

import fourfold as ff
from fourfold import answers, cli

from ..conftest import how_many


def headline(found: object) -> str:
    return answers.document(found).title


def test_an_undefined_precision_printed_as_zero() -> None:
    """All 20 cases predicted negative: precision of the positives 0/0, of the negatives 15/20, their mean 0.375."""
    found = ff.recover(positives=5, negatives=15, accuracy="0.75", macro_precision="0.38")
    assert (found.verdict, found.count) == ("conditional", 1)
    assert [each.code for each in found.departures] == ["undefined_as_zero"]
    assert next(found.tables()) == ff.Table(tp=0, fn=5, fp=0, tn=15)
    assert headline(found).startswith("Possible only if an undefined precision was printed as 0 (as scikit-learn does)")


def test_the_condition_stands_in_the_first_line_and_the_exit_code_is_zero(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["recover", "--positives", "5", "--negatives", "15", "accuracy=0.75", "macro_precision=0.38"])
    first = capsys.readouterr().out.splitlines()[0]
    assert stopped.value.code == 0
    assert "only if an undefined precision was printed as 0" in first
    assert "tp 0  fn 5  fp 0  tn 15" in first


def test_a_class_left_out_of_its_average() -> None:
    """The same predictions with the undefined class left out: 15/20 alone."""
    found = ff.recover(positives=5, negatives=15, accuracy="0.75", macro_precision="0.750", npv="0.75")
    assert [each.code for each in found.departures] == ["undefined_left_out"]


def test_the_positive_class_may_be_the_other_one() -> None:
    truth = ff.Table(tp=31, fn=9, fp=4, tn=56)
    found = ff.recover(positives=40, negatives=60, recall=f"{56 / 60:.4f}", precision=f"{56 / 65:.4f}")
    assert (found.verdict, [each.code for each in found.departures]) == ("conditional", ["other_class"])
    assert truth in [*found.tables()]
    # Who says of which class a score is has said it.
    said = {"recall[positive]": f"{56 / 60:.4f}", "precision[positive]": f"{56 / 65:.4f}"}
    assert ff.recover(positives=40, negatives=60, folds="none", **said).verdict == "impossible"


def test_the_other_class_of_who_never_predicts_one() -> None:
    """All 30 cases are predicted negative, 23 of them are: precision 0.767 and recall 1 of the negative class."""
    found = ff.recover(positives=7, negatives=23, precision="0.767", npv="0.000", recall="1.000")
    assert [each.code for each in found.departures] == ["other_class", "undefined_as_zero"]
    assert [*found.tables()] == [ff.Table(tp=0, fn=7, fp=0, tn=23)]


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_a_bare_name_may_mean_an_average(average: str) -> None:
    truth = ff.Table(tp=31, fn=9, fp=4, tn=56)
    scores = {name: f"{ff.score(truth, f'{average}_{name}'):.4f}" for name in ("precision", "f1")}
    found = ff.recover(positives=40, negatives=60, accuracy="0.87", **scores)
    assert (found.verdict, [each.code for each in found.departures]) == ("conditional", [f"{average}_average"])
    assert found.reading == f"precision and f1 are {average} averages"
    assert truth in [*found.tables()]


def test_an_average_of_who_never_predicts_a_class() -> None:
    """All predicted negative: macro precision 0.375, recall 0.5, F1 3/7, under bare names."""
    found = ff.recover(positives=5, negatives=15, accuracy="0.75", precision="0.38", recall="0.50", f1="0.43")
    assert [each.code for each in found.departures] == ["macro_average", "undefined_as_zero"]


def test_impossible_means_under_every_reading_tried() -> None:
    found = ff.recover(positives=100, negatives=200, accuracy="0.95", recall="0.71", specificity="0.60")
    assert found.verdict == "unexplained"
    assert found.departures == ()
    tried = [each.code for reading in found.readings for each in reading.departures]
    assert list(dict.fromkeys(tried))[:3] == ["other_class", "macro_average", "weighted_average"]
    assert {reading.verdict for reading in found.readings} == {"impossible"}


def test_what_is_said_is_not_tried_otherwise() -> None:
    report = {"positives": 5, "negatives": 15, "accuracy": "0.75", "macro_precision": "0.38"}
    assert ff.recover(**report, undefined="none", folds="none").verdict == "impossible"
    assert ff.recover(**report, undefined="excluded", folds="none").verdict == "impossible"
    zero = ff.recover(**report, undefined="zero")
    assert (how_many(zero), zero.departures, len(zero.readings)) == (("possible", 1, True), (), 1)


def test_a_plain_reading_that_fits_needs_no_other() -> None:
    found = ff.recover(positives=40, negatives=60, accuracy="0.85")
    # 85 of 100 are right: 25 to 40 positives found, and as many fewer negatives cleared.
    assert (how_many(found), found.departures, len(found.readings)) == (("possible", 16, True), (), 1)
    assert found.reading == "as it stands"


def test_a_plain_reading_that_is_not_decided_is_not_passed_over() -> None:
    found = ff.recover(positives=10**6, negatives=10**6, mcc="0.9", recall="0.00", budget=10)
    assert (found.verdict, len(found.readings)) == ("undecided", 1)


def test_bare_names_of_several_classes_are_averages() -> None:
    """Three classes of 10, each with 9 right and one taken for the next: every score of every class is 0.9."""
    found = ff.recover(classes=[10, 10, 10], accuracy="0.90", precision="0.90", f1="0.900")
    assert (found.verdict, [each.code for each in found.departures]) == ("conditional", ["macro_average"])
    matrix = ff.Matrix([[9, 1, 0], [0, 9, 1], [1, 0, 9]])
    assert ff.score(matrix, "macro_f1") == pytest.approx(0.9)


def test_a_class_that_was_never_predicted() -> None:
    """8 + 9 right of 30, nothing predicted as the third class: its precision is 0/0 and printed as 0.00."""
    matrix = ff.Matrix([[8, 2, 0], [1, 9, 0], [5, 5, 0]])
    scores = {"precision[2]": "0.00", "accuracy": "0.57", "precision[0]": f"{8 / 14:.2f}"}
    found = ff.recover(classes=[10, 10, 10], **scores)
    assert found.verdict == "possible", "with one wrong prediction of the third class it is 0/1"
    assert found.count > 1
    macro = f"{(8 / 14 + 9 / 16) / 3:.4f}"
    rows = {"recall[0]": "0.80", "recall[1]": "0.90", "precision[1]": f"{9 / 16:.4f}", "recall[2]": "0.00"}
    found = ff.recover(
        classes=[10, 10, 10], **rows, **scores | {"precision[0]": f"{8 / 14:.4f}"}, macro_precision=macro
    )
    assert (found.verdict, [each.code for each in found.departures]) == ("conditional", ["undefined_as_zero"])
    assert found.matrix().tolist()[2][2] == 0
    assert [sum(row) for row in found.matrix().tolist()] == [sum(row) for row in matrix.tolist()]


def test_both_doors_of_two_classes_give_equal_answers() -> None:
    truth = ff.Table(tp=31, fn=9, fp=4, tn=56)
    sizes = ({"positives": 40, "negatives": 60}, {"classes": {"well": 60, "sick": 40}})
    reports = [
        {"recall[1]": "0.78", "precision[0]": "0.86", "accuracy": "0.87"},
        {"macro_f1": f"{ff.score(truth, 'macro_f1'):.3f}", "weighted_precision": "0.872"},
        {"recall": f"{56 / 60:.4f}", "precision": f"{56 / 65:.4f}"},
        {"accuracy": "0.99", "recall[0]": "0.5"},
        {"kappa": "0.73", "mcc": "0.73"},
    ]
    for report in reports:
        one, two = (ff.recover(**size, **report) for size in sizes)
        assert (one.verdict, one.count) == (two.verdict, two.count)
        assert [each.code for each in one.departures] == [each.code for each in two.departures]
        assert [*one.tables(50)] == [*two.tables(50)]
        assert one.shown_bounds == two.shown_bounds
        assert one.contradictions == two.contradictions
    assert ff.recover(**sizes[1], accuracy="0.87").matrix().labels == ("well", "sick")
    assert [each.label for each in next(ff.recover(**sizes[1], accuracy="0.87").margins())] == ["well", "sick"]


def test_all_readings_that_depart_as_little_are_named() -> None:
    """Macro and weighted averages both fit: neither must be the one that was meant."""
    found = ff.recover(classes=[5, 6, 7], f1="0.30")
    assert "macro average" in found.reading
    assert "or if f1 is the weighted average" in found.reading


def test_a_model_that_finds_nothing_beside_an_area() -> None:
    """All predicted negative; scikit-learn prints 0 for precision and F1, and the area is of the ranking."""
    scores = {"roc_auc": "0.80", "recall": "0.00", "specificity": "1.00", "precision": "0.00", "f1": "0.00"}
    found = ff.recover(positives=30, negatives=70, accuracy="0.70", **scores)
    assert [each.code for each in found.departures] == ["undefined_as_zero"]
    assert [*found.tables()] == [ff.Table(tp=0, fn=30, fp=0, tn=70)]


def test_no_test_set_is_without_cases() -> None:
    for undefined in ("none", "zero", "excluded"):
        found = ff.recover(classes=["0-1", "0-2", 0], weighted_precision="0.77", undefined=undefined, folds="none")
        assert found.verdict == "impossible"
    assert all(table.total for table in ff.recover(positives="0-1", negatives="0-1", tp=0).tables())


def test_an_undefined_kappa_is_printed_as_what_is_said() -> None:
    """All cases are of one class and predicted so. scikit-learn gives nan, or what is asked for in its place."""
    one = ff.recover(positives=2, negatives=0, kappa="0.00", undefined="zero")
    assert ff.Table(tp=2, fn=0, fp=0, tn=0) in one.tables()
    assert ff.Table(tp=2, fn=0, fp=0, tn=0) not in ff.recover(positives=2, negatives=0, kappa="0.00").tables()


def test_a_given_table_is_not_said_to_be_one_of_those_up_to_a_size() -> None:
    found = ff.recover(tp=87, fn=3, fp=2, tn=10, accuracy="0.95")
    assert (how_many(found), headline(found)) == (("possible", 1, True), "1 table fits")


def test_the_curve_is_kept_beside_a_mapping_with_classes() -> None:
    given = {"classes": {"n": 10, "p": 10}, "tp": 8, "tn": 8, "auc": "0.70"}
    assert ff.recover(given, curve="convex").verdict == "impossible"
    with pytest.raises(ff.InputError, match="curve"):
        ff.recover(classes=[5, 5, 5], accuracy="0.8", curve="bogus")


@pytest.mark.parametrize("given", [5, "accuracy=0.9", [1]])
def test_what_is_no_claim_is_refused(given: object) -> None:
    with pytest.raises(ff.InputError, match="must be a claim or a mapping"):
        ff.recover(given)


def test_bounds_are_names() -> None:
    for sizes in ({"positives": 5, "negatives": 5}, {"classes": [5, 5, 5]}):
        with pytest.raises(ff.InputError, match="bounds"):
            ff.recover(**sizes, accuracy="0.8", bounds=5)


def test_reviews_of_several_classes() -> None:
    """15 of 15 right where macro F1 is 1.00; 14 right leave no macro F1 of 0.95."""
    rows = [
        {"classes": "5,5,5", "accuracy": "1.00", "macro_f1": "1.00", "recall[0]": "1.00"},
        {"classes": "a=5,b=5,c=5", "accuracy": "0.93", "macro_f1": "0.95"},
    ]
    first, second = ff.review([{**row, "folds": "none"} for row in rows])
    assert (first["verdict"], first["count"], first["accuracy_low"]) == ("possible", 1, 1.0)
    assert second["verdict"] == "impossible"
    assert second["blame"]
    assert set(first) - {"recall[0]"} == set(second)


def test_an_equals_sign_in_the_name_of_a_class(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["recover", "--classes", "a=b=5,c=5,d=5", "recall[a=b]=0.40", "--bounds", "none"])
    assert stopped.value.code == 0
    assert "a=b" in capsys.readouterr().out
    with pytest.raises(ff.InputError, match="some have names"):
        ff.recover(classes="a=5,b=5,7", accuracy="0.8")


def test_open_sizes_of_classes_end_within_the_budget() -> None:
    found = ff.recover(classes=["1000-2000"] * 3, accuracy="0.95", macro_f1="0.949", bounds="none")
    assert found.verdict == "possible"
    assert found.count > 1
    assert not found.complete
    assert not found.counted
    assert "the budget was spent" in headline(found)


def test_a_huge_total_with_open_classes_is_possible() -> None:
    found = ff.recover(total=10**9, accuracy="0.95", bounds="none")
    assert found.verdict == "possible"
    assert found.count > 1
    assert (found.complete, found.counted, found.solution.feasible.complete) == (False, False, False)


def test_scores_that_were_floats_of_32_bits() -> None:
    """27 of 29 is 0.93103448; the nearest float of 32 bits is 0.93103451, which is printed as 0.931035."""
    found = ff.recover(positives=20, negatives=9, accuracy="0.931035")
    assert (found.verdict, [each.code for each in found.departures]) == ("conditional", ["single_precision"])
    assert headline(found).startswith("Possible only if the scores were computed inexactly, as in 32-bit floats")
    assert {27} == {table.tp + table.tn for table in found.tables()}
    # Half a millionth away from what would print so, and no more.
    assert ff.recover(positives=20, negatives=9, accuracy="0.931036", folds="none").verdict == "impossible"
    # Four decimals of so few cases say the same of either float.
    assert "single_precision" not in str(ff.recover(positives=20, negatives=9, accuracy="0.9311").readings)
    # Who says how undefined scores were printed says nothing of this.
    said = ff.recover(positives=20, negatives=9, accuracy="0.931035", undefined="none")
    assert [each.code for each in said.departures] == ["single_precision"]


@pytest.mark.parametrize(
    ("report", "codes"),
    [
        # All are predicted negative: 27 of 29 are right.
        ({"positives": 2, "negatives": 27, "accuracy": "0.931035", "precision": "0.000000"}, ["undefined_as_zero"]),
        # tp 5, fn 3, fp 5, tn 1: F1 is 10/18 and 2/10, weighted by 8 and 6 of 14 cases.
        ({"positives": 8, "negatives": 6, "f1": "0.40317464"}, ["weighted_average"]),
        # tp 2, fn 0, fp 1, tn 3, the scores of the negative class.
        (
            {"positives": 2, "negatives": 4, "npv": "0.66666669", "recall": "0.75000000", "precision": "1.00000000"},
            ["other_class"],
        ),
        # Rows 3 1 0, 1 1 0, 1 3 0: precision 3/5 and 1/5, and of class c, never predicted, 0.
        (
            {"classes": {"a": 4, "b": 2, "c": 4}, "macro_precision": "0.266666681", "recall[a]": "0.750000000"},
            ["undefined_as_zero"],
        ),
        # Nothing is found in one of the ten folds, and all in the others.
        (
            {"positives": 11, "negatives": 10, "folds": 10}
            | {"specificity": "1.00000000", "precision": "0.89999998", "recall": "0.89999998"},
            ["undefined_as_zero"],
        ),
    ],
)
def test_floats_of_32_bits_go_with_every_other_reading(report: dict[str, Any], codes: list[str]) -> None:
    found = ff.recover(**report, bounds="none")
    assert [each.code for each in found.departures] == [*codes, "single_precision"]


def test_what_goes_with_every_reading_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["recover", "--positives", "20", "--negatives", "9", "--folds", "none", "accuracy=0.931045", "f1=0.9"])
    told = " ".join(capsys.readouterr().out.split())
    assert told.count("32-bit") == 1
    assert "or if the scores were computed inexactly, as in 32-bit floats, alone or with any of the others;" in told


def test_scores_of_classes_and_means_that_were_floats_of_32_bits() -> None:
    classes = ff.recover(classes=[10, 10, 9], accuracy="0.931035")
    assert [each.code for each in classes.departures] == ["single_precision"]
    # 27 of 29 in each of two folds.
    means = ff.recover(folds=[(29, 4), (29, 5)], recall="0.931035")
    assert (means.verdict, [each.code for each in means.departures]) == ("conditional", ["single_precision"])
    assert sum(table.tp for table in means.tables()) == 54
    assert ff.recover(folds=[(29, 4), (29, 5)], recall="0.931036").verdict == "impossible"


def table_scores(table: ff.Table, *names: str, digits: int = 4) -> dict[str, str]:
    return {name.partition("=")[0]: f"{ff.score(table, name.partition('=')[2] or name):.{digits}f}" for name in names}


TRUTH = ff.Table(tp=31, fn=9, fp=4, tn=56)


@pytest.mark.parametrize(
    ("scores", "code"),
    [
        # F1 of the macro averages: 2 * .8736 * .8542 / (.8736 + .8542), where macro F1 is .8613.
        (table_scores(TRUTH, "macro_precision", "macro_recall") | {"macro_f1": "0.8638"}, "f1_of_means"),
        (table_scores(TRUTH, "precision", "recall", "f1=macro_f1"), "one_averaged"),
        (table_scores(TRUTH, "specificity", "recall", "precision=npv", "f1=f1_negative"), "other_class"),
        (table_scores(TRUTH, "recall", "accuracy", "specificity=macro_specificity"), "macro_average"),
        # (MCC + 1) / 2, and 2 * balanced accuracy - 1.
        (table_scores(TRUTH, "accuracy") | {"mcc": f"{(ff.score(TRUTH, 'mcc') + 1) / 2:.4f}"}, "rescaled"),
        (table_scores(TRUTH, "accuracy", "balanced_accuracy=informedness"), "namesake"),
        # 31 / 35 = .88571 and 87 / 100.
        ({"precision": "0.8857", "recall": "0.775", "specificity": "0.9333", "f1": "0.8266"}, "cut_off"),
    ],
)
def test_what_honest_reports_mean_otherwise(scores: dict[str, str], code: str) -> None:
    if "f1" in scores and code == "other_class":
        scores["f1"] = f"{2 * 56 / (2 * 56 + 4 + 9):.4f}"
    found = ff.recover(positives=40, negatives=60, folds="none", bounds="none", **scores)
    every = [found.departures, *(reading.departures for reading in found.others)]
    assert found.verdict == "conditional"
    assert code in [departure.code for departures in every for departure in departures]
    assert TRUTH in [*found.tables()]


MATRIX = ff.Matrix([[18, 4, 2], [3, 20, 7], [1, 5, 10]])


@pytest.mark.parametrize(
    ("scores", "code"),
    [
        # 48 of 70 are right: each class against the rest 1 - 2 * 22 / 210.
        ({"accuracy": f"{1 - 44 / 210:.4f}", "macro_recall": "0.6806"}, "rescaled"),
        # The weights are 1 for neighbours and 4 for classes two apart.
        ({"accuracy": "0.6857", "kappa": "0.6140", "macro_recall": "0.6806"}, "weighted_kappa"),
        ({"accuracy": "0.6857", "balanced_accuracy": f"{(0.680556 - 1 / 3) / (2 / 3):.4f}"}, "rescaled"),
    ],
)
def test_what_honest_reports_of_classes_mean_otherwise(scores: dict[str, str], code: str) -> None:
    found = ff.recover(classes=[24, 30, 16], folds="none", bounds="none", **scores)
    assert (found.verdict, [departure.code for departure in found.departures]) == ("conditional", [code])


def test_the_balanced_accuracy_of_a_fold_without_a_class() -> None:
    """One positive, found, and three folds of two: scikit-learn's balanced accuracies are 1, 1/2 and 1."""
    folds = [(1, 1), (0, 2), (0, 2)]
    found = ff.recover(folds=folds, balanced_accuracy="0.8333", accuracy="0.8333", bounds="none")
    assert found.verdict == "conditional"
    assert [departure.code for departure in found.departures] == ["undefined_as_zero"]
    # Who says that undefined scores count as 0 need not mean this one.
    said = ff.recover(folds=folds, balanced_accuracy="0.8333", accuracy="0.8333", undefined="zero", bounds="none")
    assert [departure.code for departure in said.departures] == ["classes_present"]


def test_digits_cut_off_of_a_published_row() -> None:
    row = {"accuracy": "0.711", "recall": "0.800", "specificity": "0.696"}
    found = ff.recover(positives=90, negatives=510, **row)
    assert (found.verdict, [departure.code for departure in found.departures]) == ("conditional", ["cut_off"])
    assert found.others == ()


def test_means_over_runs_and_folds_of_classes() -> None:
    sizes: Any = {"classes": [10, 10, 10], "bounds": "none"}
    # 24 of 30 are right in each run, and over five runs 121 of 150.
    assert ff.recover(**sizes, runs=5, accuracy="0.800", macro_recall="0.800").verdict == "possible"
    assert ff.recover(**sizes, runs=5, accuracy="0.807", macro_recall="0.807").verdict == "undecided"
    # Of classes of one size the mean of recall is accuracy.
    assert ff.recover(**sizes, runs=5, accuracy="0.800", macro_recall="0.900").verdict == "impossible"
    open_ = ff.recover(**sizes, folds=5, accuracy="0.807", macro_precision="0.811")
    assert open_.verdict == "undecided"
    assert "5 folds" in open_.reason
    bound = {"macro_precision": "0.40", "macro_recall": "0.41", "macro_f1": "0.903"}
    for said in ({"folds": 5}, {"runs": 5}, {"splits": "5 of 0.2"}, {"holdout": 0.2}, {"folds": "repeated 2x5"}):
        assert ff.recover(**sizes, **said, **bound).verdict == "impossible"
    assert (
        ff.recover(classes=[24, 30, 16], folds="none", accuracy="0.95", **{"recall[0]": "0.5"}).verdict == "impossible"
    )
