"""Means over folds and test sets: what is read, what is refused, what is said."""

from __future__ import annotations

import json
import statistics
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import fourfold as ff
from fourfold import Table, answers
from fourfold.claims import TableClaim
from fourfold.claims.folds import read_folds, read_sets
from fourfold.cli import cli

from ..conftest import SHARED, needs

FOLDS = SHARED / "oracle" / "folds.json"
#: Gaussian naive Bayes on a data set of 569 cases, shuffled ten-fold means to four digits.
HONEST = {"accuracy": "0.9384", "precision": "0.9392", "recall": "0.9663", "f1": "0.9518"}
CANCER = {"positives": 357, "negatives": 212}


def mean(tables: list[ff.Table], name: str) -> Fraction:
    return sum((ff.metric(name).value(table.cells()) for table in tables), Fraction(0)) / len(tables)


def test_ten_fold_means_are_possible_as_what_they_are() -> None:
    found = ff.recover(**CANCER, folds=10, bounds="none", **HONEST)
    assert (found.verdict, found.departures) == ("possible", ())
    tables = list(found.tables())
    assert len(tables) == 10
    assert (sum(table.positives for table in tables), sum(table.negatives for table in tables)) == (357, 212)
    for name, text in HONEST.items():
        assert abs(mean(tables, name) - Fraction(text)) <= Fraction(1, 20000)
    sums = {cell: sum(table.cells()[cell] for table in tables) for cell in ("tp", "fn", "fp", "tn")}
    assert found.pooled() == ff.Table(**sums)
    assert "impossible if the scores are those of all cases together" in answers.document(found).title


def test_without_a_word_about_folds_the_answer_leads_there() -> None:
    found = ff.recover(**CANCER, bounds="none", **HONEST)
    assert (found.verdict, found.layout, found.count) == ("conditional", "parts", None)
    assert isinstance(found.stated, TableClaim)
    assert [each.code for each in found.departures] == ["means_over_folds"]
    assert answers.document(found).title.startswith("Possible only if the scores are means over ")
    assert sum(kind.count for kind in found.parts()) == 10
    pytest.importorskip("altair", reason="needs fourfold[plots]")
    from fourfold import plots

    heading = plots.feasible(found).to_dict()["title"]
    assert heading["text"] == "No one table fits, and means over folds do"
    assert any(line.startswith("Possible only if the scores are means over 5 or 10") for line in heading["subtitle"])
    assert ff.recover(**CANCER, folds="none", **HONEST).verdict == "impossible"


def test_means_of_equal_folds_are_the_pooled_score() -> None:
    """10 folds of 10 positives: a mean recall is a multiple of 0.01."""
    assert (
        ff.recover(positives=100, negatives=200, folds="10 stratified", recall="0.966", bounds="none").verdict
        == "impossible"
    )
    assert (
        ff.recover(positives=100, negatives=200, folds="10 stratified", recall="0.960", bounds="none").verdict
        == "possible"
    )


def test_a_deviation_is_never_taken_for_bounds() -> None:
    with pytest.raises(ff.InputError, match="standard deviation, a standard error or bounds"):
        ff.recover(positives=100, negatives=200, accuracy="0.937 ± 0.021")
    bounds = ff.recover(positives=100, negatives=200, accuracy="0.937 ± 0.021", spread="bounds")
    assert bounds.claim.scores[0].reported.low == Fraction("0.916")


def test_what_a_deviation_is() -> None:
    """Two folds of 10 with 9 and 7 right: mean 0.8, deviation 0.1 with n and 0.1414 with n - 1, standard error 0.1."""
    sizes = {"folds": [(5, 5), (5, 5)], "bounds": "none"}
    assert ff.recover(**sizes, accuracy="0.80 ± 0.10", spread="sd").verdict == "possible"
    assert ff.recover(**sizes, accuracy="0.80 ± 0.14", spread="sample_sd").verdict == "possible"
    assert ff.recover(**sizes, accuracy="0.80 ± 0.14", spread="sd").verdict == "impossible"
    tried = ff.recover(**sizes, accuracy="0.80 ± 0.14")
    assert [each.code for each in tried.departures] == ["spread_sample_sd"]


def test_sets_and_lists_of_folds() -> None:
    sets = ff.recover(sets=[{"positives": 5, "negatives": 9}, (4, 10)], recall="0.775", bounds="none")
    # 4 of 5 and 3 of 4 have the mean 0.775.
    assert sets.verdict == "possible"
    assert sorted(table.tp for table in sets.tables()) == [3, 4]
    assert ff.recover(folds="5:9, 4:10", recall="0.775", bounds="none").verdict == "possible"
    assert read_sets([(5, 9), (4, 10)])[1] == "2 test sets"
    parts, words = read_folds("5 unstratified", 13, 20)
    assert [(part.total, part.count) for part in parts] == [(7, 3), (6, 2)]
    assert words == "5 unstratified folds"


def test_folds_beside_a_mapping_of_two_classes() -> None:
    given = {"classes": {"well": 20, "sick": 10}, "recall": "0.96"}
    assert ff.recover(given, folds="5 stratified", bounds="none").verdict == "impossible", (
        "of ten, recall is a multiple of 0.1"
    )
    assert ff.recover({**given, "folds": "5 Stratified folds"}, bounds="none").verdict == "impossible"


def test_any_number_of_folds() -> None:
    """Three folds of 4, 3 and 3 positives: (3/4 + 1 + 1) / 3 = 0.9167 is a mean of so few folds only."""
    found = ff.recover(positives=10, negatives=11, folds="any", recall="0.9167", bounds="none")
    assert found.verdict == "conditional"
    assert "means over 3, 4 or 6 stratified folds" in found.reading


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"folds": 10, "accuracy": "0.9"}, "needs the sizes"),
        ({"folds": 1, "positives": 5, "negatives": 5, "accuracy": "0.9"}, "must be 2 or more"),
        ({"folds": "x", "positives": 5, "negatives": 5, "accuracy": "0.9"}, "cannot be read"),
        ({"folds": [(5, 5), (5, 5)], "sets": [(5, 5)], "accuracy": "0.9"}, "cannot be given together with folds"),
        ({"over": "mean", "positives": 5, "negatives": 5, "accuracy": "0.9"}, "folds: is required"),
        ({"over": "sum", "folds": [(5, 5), (5, 5)], "accuracy": "0.9"}, "unknown way"),
        ({"spread": "x", "folds": [(5, 5), (5, 5)], "accuracy": "0.9"}, "unknown kind"),
        ({"folds": [(5, 5), (5, 5)], "tp": 5}, "is not a score of each fold"),
        ({"folds": [(5, 5), (5, 5)], "accuracy": "0.9", "bounds": "auc"}, "bounds: is not a score of each fold"),
        ({"folds": [10, 10], "accuracy": "0.9"}, "is required for folds of unknown make-up"),
        ({"sets": [{"positives": 5}], "accuracy": "0.9"}, "row 1 has no negatives"),
    ],
)
def test_what_is_refused(given: dict, said: str) -> None:
    with pytest.raises(ff.InputError, match=said):
        ff.recover(**given)


@needs(FOLDS)
def test_verdicts_are_those_of_full_enumeration() -> None:
    cases = json.loads(FOLDS.read_text())["cases"]
    kinds = {0: "sd", 1: "sample_sd"}
    for case in cases:
        sizes = {"folds": case.get("folds")}
        if "folds" not in case:
            folding = case["folding"]
            stratified = folding["strategy"].startswith("stratified")
            sizes = {"folds": f"{folding['folds']} {'stratified' if stratified else 'unstratified'}"}
            sizes |= {name: folding[name] for name in ("positives", "negatives")}
        spread = {"spread": kinds[case["ddof"]]} if case.get("sd") else {}
        report = {name: f"{text} ± {case['sd'][name]}" if case.get("sd") and name in case["sd"] else text
                  for name, text in case["report"].items()}  # fmt: skip
        try:
            found = ff.recover(**sizes, undefined=case["undefined"], over="mean", bounds="none", **spread, **report)
        except ff.InputError as error:
            # A score outside its range: nothing can fit.
            assert (error.code, case["verdict"]) == ("out_of_range", "impossible"), case["id"]
            continue
        # Where it is not said how folds were dealt, another way than scikit-learn's is a condition.
        fits = ("possible", "conditional") if case.get("folding") else ("possible",)
        assert found.verdict in (("impossible",) if case["verdict"] == "impossible" else fits), case["id"]


def test_reviews_of_fold_means() -> None:
    rows = [{"study": "A", **CANCER, **HONEST, "folds": "10"}, {"study": "B", **CANCER, **HONEST, "folds": ""}]
    said, left_out = ff.review(rows)
    assert (said["verdict"], said["error"]) == ("possible", None)
    # Ways to fill folds are not counted.
    assert (left_out["verdict"], left_out["count"]) == ("conditional", None)
    assert "means over 5 or 10 stratified folds" in left_out["reading"]
    assert set(said) == set(left_out)
    (asked,) = ff.review([{"study": "C", **CANCER, "accuracy": "0.94 ± 0.02"}])
    assert asked["verdict"] == "error"
    assert "standard deviation" in asked["error"]


def test_a_column_of_deviations_goes_with_its_score() -> None:
    rows = [
        {
            "positives": "20",
            "negatives": "20",
            "folds": "2",
            "over": "mean",
            "accuracy": "0.75",
            "sd": "0.05",
            "notes2": "",
        },
        {
            "positives": "20",
            "negatives": "20",
            "folds": "2",
            "over": "mean",
            "accuracy": "0.75",
            "sd": "",
            "notes2": "",
        },
        {
            "positives": "20",
            "negatives": "20",
            "folds": "2 stratified",
            "over": "mean",
            "accuracy": "0.75",
            "sd": "0.02",
            "notes2": "",
        },
    ]
    # Two folds of 20: their accuracies are 0.05 apart or more, so that a deviation with n is 0, 0.025, 0.05 ...
    # (and with n - 1, 0, 0.035, ...; a standard error 0, 0.025, ...): 0.02 after rounding is none of them.
    assert [row["verdict"] for row in ff.review(rows)] == ["conditional", "possible", "impossible"]
    named = [
        {"positives": "20", "negatives": "20", "folds": "2", "recall": "0.5", "accuracy_sd": "0.05", "accuracy": "0.75"}
    ]
    assert "± is" in next(ff.review(named))["reading"]


def test_folds_dealt_by_another_tool_are_a_reading() -> None:
    # 3 positives and 3 negatives: (2, 1) and (1, 2), or (2, 2) and (1, 1). Accuracies k/3 and l/3 have no mean of
    # 0.375 = (1/4 + 1/2) / 2, which folds of 4 and 2 have.
    found = ff.recover(positives=3, negatives=3, folds=2, over="mean", accuracy="0.375", bounds="none")
    assert found.verdict == "conditional"
    assert [departure.code for departure in found.departures] == ["folds_dealt_otherwise"]
    assert sorted(table.total for table in found.tables()) == [2, 4]
    assert "another tool" in str(found)


def test_counts_of_all_folds_together_are_bounded() -> None:
    found = ff.recover(folds=[(2, 3), (3, 2)], over="mean", accuracy="0.7", precision="[0.5, 1]")
    tables = [
        [Table(tp=tp, fn=p - tp, fp=n - tn, tn=tn) for tp in range(p + 1) for tn in range(n + 1)]
        for p, n in ((2, 3), (3, 2))
    ]
    fitting = [
        pair
        for pair in product(*tables)
        if all(table.tp + table.fp for table in pair)
        and sum(Fraction(table.tp + table.tn, 5) for table in pair) / 2 == Fraction(7, 10)
        and Fraction(1, 2) <= sum(Fraction(table.tp, table.tp + table.fp) for table in pair) / 2 <= 1
    ]
    assert list(found.cells) == ["tp", "fn", "fp", "tn"]
    for name, ends in found.cells.items():
        sums = [sum(table.cells()[name] for table in pair) for pair in fitting]
        assert ends == (min(sums), max(sums)), name
    pooled = [
        ff.score(Table(**{n: sum(t.cells()[n] for t in pair) for n in ("tp", "fn", "fp", "tn")}), "mcc")
        for pair in fitting
    ]
    ends = found.bounds("mcc", over="pooled")
    assert ends.low <= min(pooled) + 1e-9
    assert ends.high >= max(pooled) - 1e-9
    assert ends.low_found == pytest.approx(min(pooled))


def test_the_command_reads_test_sets_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "sets.csv"
    file.write_text("image,positives,negatives,weight\na,5,9,1\nb,4,10,3\n")
    run = CliRunner().invoke(
        cli, ["recover", "--sets", str(file), "recall=0.7625", "--each", "recall=[0.75,0.8]", "--json"]
    )
    found = json.loads(run.output)
    # (4/5 + 3 * 3/4) / 4 = 0.7625
    assert (found["verdict"], [fold["table"]["tp"] for fold in found["parts"]]) == ("possible", [4, 3])
    run = CliRunner().invoke(
        cli, ["recover", "--sets", "5:9,4:10", "recall=0.775", "--each", "recall=[0.78,1]", "--json"]
    )
    assert json.loads(run.output)["verdict"] == "impossible"


def test_every_repeat_deals_all_positives() -> None:
    """One positive among four cases, two folds of two, dealt twice: no fold has two positives, nor have two of a deal."""
    asked: Any = {"positives": 1, "negatives": 3, "folds": "2 unstratified", "repeats": 2, "undefined": "zero"}
    # Recalls of at most one fold in each deal count: 2 of 4 at most.
    assert ff.recover(**asked, recall="0.50", bounds="none").verdict == "possible"
    assert ff.recover(**asked, recall="0.75", bounds="none").verdict == "impossible"
    found = ff.recover(**asked, recall="0.25", bounds="none")
    assert [table.positives for table in found.tables()].count(1) == 2


def test_data_sets_with_folds_of_unknown_make_up() -> None:
    """Two data sets, one of them in two folds: its positives are its own, whatever the other has."""
    rows = [{"positives": 1, "negatives": 3, "folds": "2 unstratified"}, {"positives": 3, "negatives": 1}]
    asked: Any = {"sets": rows, "over": "mean", "undefined": "zero", "bounds": "none"}
    # The first has a mean recall of 0 or 1/2, the second of 0, 1/3, 2/3 or 1.
    reached = {f"{(a + b) / 2:.2f}" for a in (0, 1 / 2) for b in (0, 1 / 3, 2 / 3, 1)}
    for text in ("0.00", "0.17", "0.25", "0.33", "0.42", "0.50", "0.58", "0.67", "0.75", "0.92", "1.00"):
        assert (ff.recover(**asked, recall=text).verdict == "possible") == (text in reached), text


def test_a_deviation_over_folds_of_known_and_unknown_make_up() -> None:
    """Four folds of one case each, however they were dealt: k of them are right, and k is 0 to 4."""
    rows = [{"positives": 1, "negatives": 1, "folds": 2}, {"positives": 1, "negatives": 1, "folds": "2 unstratified"}]
    asked: Any = {"sets": rows, "over": "mean", "bounds": "none"}
    # The squared distances from the mean k/4 sum up to 4 k/4 (1 - k/4).
    divisors = {"sd": 4, "sample_sd": 3, "standard_error": 12}
    for kind, divisor in divisors.items():
        honest = {(f"{k / 4:.2f}", f"{(k * (1 - k / 4) / divisor) ** 0.5:.2f}") for k in range(5)}
        for mean, spread in product(("0.00", "0.25", "0.50", "0.60", "0.75"), ("0.00", "0.25", "0.29", "0.43", "0.50")):
            found = ff.recover(**asked, spread=kind, accuracy=f"{mean} ± {spread}")
            assert (found.verdict == "possible") == ((mean, spread) in honest), (kind, mean, spread)
    found = ff.recover(**asked, accuracy="0.75 ± 0.50")
    assert [each.code for each in found.departures] == ["spread_sample_sd"]


def test_bounds_beside_an_exact_claim_of_a_weighted_mean() -> None:
    """Specificity is 11/12 only if all negatives of the first set, which counts three times, and 2 of 3 are right."""
    sets = [{"positives": 1, "negatives": 2, "weight": 3}, {"positives": 4, "negatives": 3}]
    found = ff.recover(sets=sets, specificity="=11/12")
    accuracy = found.bounds("accuracy")
    # The positives are open: 0 or 1 of one, 0 to 4 of four.
    ends = [(3 * Fraction(2 + first, 3) + Fraction(2 + second, 7)) / 4 for first, second in ((0, 0), (1, 4))]
    assert (accuracy.low, accuracy.high) == pytest.approx(list(map(float, ends)))
    precision = found.bounds("precision")
    # Defined in both sets only with the one positive of the first: then 1 there, and from 0 to 4 of 5 in the second.
    assert (precision.low, precision.high) == pytest.approx((3 / 4, (3 + 4 / 5) / 4))
    assert found.to_dict()["verdict"] == "possible"


@pytest.mark.parametrize("folds", [{"folds": [1, 1], "positives": 0}, {"folds": [[0, 1], [0, 1]]}])
@pytest.mark.parametrize("each", [None, {"accuracy": "[0, 1]"}])
def test_of_all_cases_only_the_undefined_class_counts_as_0(folds: Any, each: Any) -> None:
    """Two negatives: recall is undefined, specificity 0, 1/2 or 1, and balanced accuracy their mean, with 0 for recall.

    What is said of every fold changes nothing here, but then tables are looked for fold by fold.
    """
    asked: Any = {**folds, "over": "pooled", "each": each, "bounds": "none"}
    for right, text in enumerate(("0.00", "0.25", "0.50")):
        found = ff.recover(**asked, balanced_accuracy=text, undefined="zero")
        assert (found.verdict, found.pooled()) == ("possible", Table(tp=0, fn=0, fp=2 - right, tn=right))
    # Without the class that has no value, it is the specificity.
    found = ff.recover(**asked, balanced_accuracy="0.50", undefined="excluded")
    assert found.pooled() == Table(tp=0, fn=0, fp=1, tn=1)
    assert ff.recover(**asked, balanced_accuracy="0.25", undefined="excluded").verdict == "impossible"
    # Both negatives being right gives a kappa of 0/0.
    assert ff.recover(**asked, accuracy="1.00", kappa="0.00", undefined="zero").verdict == "possible"
    assert ff.recover(**asked, accuracy="1.00", kappa="0.00", undefined="none").verdict == "impossible"
    assert ff.recover(**asked, accuracy="0.50", kappa="0.00", undefined="zero").verdict == "possible"


def test_blame_for_scores_of_all_cases_names_all_smallest_sets() -> None:
    """Of 10 positives and 10 negatives, no table has macro F1 0.43: Jaccard 0.20, which some have, has no part in it."""
    every = list(product(range(11), repeat=2))
    macro = [
        (Fraction(2 * tp, 20 + tp - tn) if tp else Fraction(0)) / 2
        + (Fraction(2 * tn, 20 + tn - tp) if tn else Fraction(0)) / 2
        for tp, tn in every
    ]
    jaccard = [Fraction(tp, 20 - tn) for tp, tn in every]
    assert not any(abs(value - Fraction("0.43")) <= Fraction(1, 200) for value in macro)
    assert any(abs(value - Fraction("0.20")) <= Fraction(1, 200) for value in jaccard)
    asked: Any = {"positives": 10, "negatives": 10, "folds": "3 stratified", "over": "pooled", "bounds": "none"}
    found = ff.recover(**asked, macro_f1="0.43", jaccard="0.20")
    assert (found.verdict, found.blame) == ("impossible", (("macro_f1",),))
    # 0.87 of ten, and 0.33 of ten: either contradicts the size alone.
    found = ff.recover(**asked, recall="0.87", accuracy="0.50", specificity="0.33")
    assert found.blame == (("recall",), ("specificity",))


@pytest.mark.parametrize("folds", [{"folds": 2, "negatives": 5}, {"folds": [3, 2, 3]}])
def test_bounds_of_scores_of_all_cases_are_those_of_all_tables(folds: Any) -> None:
    """Three positives and five negatives, of which five in all are right."""
    found = ff.recover(**folds, positives=3, accuracy="0.625", over="pooled", bounds="none")
    every = [(tp, 5 - tp) for tp in range(4)]
    precision = [Fraction(tp, tp + 5 - tn) for tp, tn in every if tp + 5 - tn]
    markedness = [
        Fraction(tp, tp + 5 - tn) + Fraction(tn, tn + 3 - tp) - 1 for tp, tn in every if tp + 5 - tn and tn + 3 - tp
    ]
    for name, values in (("precision", precision), ("markedness", markedness)):
        ends = found.bounds(name)
        found_too = (ends.low, ends.high, ends.low_found, ends.high_found)
        assert found_too == pytest.approx((min(values), max(values)) * 2), name
        assert ends.low_attained, name
        assert ends.high_attained, name


@pytest.mark.parametrize(
    ("undefined", "precision", "macro"), [("zero", 0, 1 / 4), ("one", 1, 3 / 4), ("excluded", None, 1 / 2)]
)
def test_bounds_of_all_cases_beside_means_count_what_is_undefined(
    undefined: str, precision: float | None, macro: float
) -> None:
    """No positive is found and both negatives are: precision is 0 of 0, and 2 of 4 for the negatives."""
    found = ff.recover(folds=[(1, 1), (1, 1)], over="mean", accuracy="0.50", recall="0.00", undefined=undefined)
    ends = found.bounds("macro_precision", over="pooled")
    assert (ends.low, ends.high, ends.low_found, ends.high_found) == pytest.approx((macro,) * 4)
    if precision is not None:
        ends = found.bounds("precision", over="pooled")
        assert (ends.low, ends.high, ends.low_found, ends.high_found) == pytest.approx((precision,) * 4)


def test_bounds_are_in_the_json() -> None:
    """One of two negatives right: accuracy is 1/2, and recall, which has no value, counts as the 0 that was printed."""
    found = ff.recover(folds=[1, 1], positives=0, balanced_accuracy="0.25", over="pooled")
    told = json.loads(json.dumps(found.to_dict()))
    ends = ("low", "high", "low_found", "high_found")
    assert {end: told["bounds"]["accuracy"][end] for end in ends} == dict.fromkeys(ends, 0.5)
    assert {end: told["bounds"]["recall"][end] for end in ends} == dict.fromkeys(ends, 0)
    assert told["cells"]["tn"] == [1, 1]
    earlier = found.to_dict(version=2)
    names = ("outer_low", "outer_high", "inner_low", "inner_high")
    assert earlier["bounds"]["accuracy"] == dict.fromkeys(names, 0.5)
    assert earlier["bounds"]["recall"] == dict.fromkeys(names, 0)
    assert earlier["cells"]["tn"] == dict.fromkeys(names, 1)
    assert found.reading == "an undefined score was printed as 0 (as scikit-learn does)"
    # Over two folds of two cases, half of the four right.
    told = ff.recover(folds=[[1, 1], [1, 1]], accuracy="0.50", over="mean").to_dict()
    assert {end: told["bounds"]["recall"][end] for end in ends} == dict(zip(ends, (0, 1, 0, 1), strict=True))


def test_a_table_of_all_cases_is_dealt_to_folds_of_unknown_make_up() -> None:
    """Four repeats: folds of 4 and 3 cases, 3 of the 7 positive, 12 hits in all only if each repeat finds its 3."""
    asked: Any = {"positives": 3, "negatives": 4, "folds": "2 unstratified", "repeats": 4, "over": "pooled"}
    found = ff.recover(**asked, recall="1.00", specificity="0.50", bounds="none")
    assert sorted(table.total for table in found.tables()) == [3] * 4 + [4] * 4
    assert found.pooled() == Table(tp=12, fn=0, fp=8, tn=8)
    # Each repeat deals all 3 positives to a fold of 4 and one of 3.
    large, small = ([t.positives for t in found.tables() if t.total == size] for size in (4, 3))
    assert sum(large) + sum(small) == 12
    assert all(a + b == 3 for a, b in zip(sorted(large), sorted(small, reverse=True), strict=True))


def test_deviations_over_folds_that_are_not_stratified() -> None:
    """Five folds dealt at random have these means and sample deviations: folds need not be stratified."""
    report = {"positives": 21, "negatives": 22, "recall": "0.767 ± 0.253", "specificity": "0.800 ± 0.217"}
    recalls, specificities = [2 / 4, 5 / 6, 3 / 3, 1 / 2, 6 / 6], [5 / 5, 3 / 3, 4 / 6, 5 / 6, 1 / 2]
    assert [round(statistics.mean(rates), 3) for rates in (recalls, specificities)] == [0.767, 0.8]
    assert [round(statistics.stdev(rates), 3) for rates in (recalls, specificities)] == [0.253, 0.217]
    assert ff.recover(**report, folds=5, bounds="none").verdict == "unexplained"
    assert ff.recover(**report, folds="5 stratified", bounds="none").verdict == "impossible"


def test_no_folds_have_a_deviation_beyond_their_range() -> None:
    """Values from 0 to 1 with the mean 0.93 have at most the variance 0.93 * 0.07, or twice that with n - 1."""
    sizes = {"positives": 50, "negatives": 50, "folds": 10, "bounds": "none"}
    assert ff.recover(**sizes, accuracy="0.93 ± 0.60").verdict == "impossible"
    assert ff.recover(**sizes, accuracy="0.93 ± 0.05").verdict in ("possible", "conditional")


def test_a_share_of_each_class_can_be_held_out() -> None:
    """Of 17 and 73 cases 5 and 21 are held out if 0.3 of each class is rounded down, one less than 0.3 of all."""
    sizes = {"positives": 17, "negatives": 73, "holdout": 0.3, "bounds": "none"}
    assert ff.recover(**sizes, recall="0.40", precision="0.33", accuracy="0.73").verdict == "possible"
    assert ff.recover(**sizes, recall="0.40", precision="0.90", accuracy="0.73").verdict == "impossible"


def test_scores_in_another_order_are_one_reading() -> None:
    """No positive and all but one negative is found: these averages are named once, in whatever order they come."""
    report = {"positives": 20320, "negatives": 1543, "precision": "3.5%", "f1": "6.6%", "recall": "50.0%"}
    found = ff.recover(**report, bounds="none")
    assert found.verdict == "conditional"
    assert not found.others


def test_a_matrix_of_all_folds_beside_means_over_them() -> None:
    """Ten folds whose tables add up to the matrix: F1 of all is 180/215, the mean of the ten is another number."""
    matrix: dict[str, Any] = {"tp": 90, "fn": 13, "fp": 22, "tn": 177, "bounds": "none"}
    said = ff.recover(**matrix, f1="0.840", accuracy="0.886", folds=10)
    assert (said.verdict, said.pooled()) == ("possible", Table(tp=90, fn=13, fp=22, tn=177))
    tables = list(said.tables())
    assert len(tables) == 10
    assert 0.8395 <= sum(2 * t.tp / (2 * t.tp + t.fn + t.fp) for t in tables) / 10 <= 0.8405
    unsaid = ff.recover(**matrix, f1="0.840", accuracy="0.886")
    assert [departure.code for departure in unsaid.departures] == ["means_over_folds"]
    assert ff.recover(**matrix, f1="0.840", accuracy="0.886", folds="none").verdict == "impossible"
    # No ten folds are as far from all cases together.
    assert ff.recover(**matrix, f1="0.880", accuracy="0.926").verdict == "impossible"


def test_sets_may_count_by_their_cases() -> None:
    """Recalls of 1/2 and 9/10, of which the second has ten times the cases: 0.8636 in place of 0.7."""
    sets = [(2, 0), (20, 0)]
    found = ff.recover(sets=sets, recall="0.8636", bounds="none")
    assert [departure.code for departure in found.departures] == ["weighted_by_size"]
    assert ff.recover(sets=sets, recall="0.8836", bounds="none").verdict == "impossible"


def test_an_area_beside_folds_is_left_out() -> None:
    found = ff.recover(positives=100, negatives=200, folds=10, recall="0.89", auc="0.95", bounds="none")
    assert found.verdict == "possible"
    assert [note.code for note in found.notes] == ["score_passed_over"]
