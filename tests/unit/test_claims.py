from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest

import fourfold as ff
from fourfold.claims import Claim, Size, fits, recover, solve
from fourfold.writers import to_json

from ..conftest import how_many


def tables(found: ff.Recovery) -> list[tuple[int, ...]]:
    return [tuple(table.cells().values()) for table in found.tables()]


def test_the_well_known_example_has_three_tables() -> None:
    found = recover(positives=994, negatives=1006, accuracy="0.898", f1="0.8968")
    assert how_many(found) == ("possible", 3, True)
    assert [table.tp for table in found.tables()] == [882, 886, 891]
    assert found.cells == {"tp": (882, 891), "fn": (103, 112), "fp": (91, 102), "tn": (904, 915)}
    assert how_many(recover(positives=994, negatives=1006, accuracy="0.8980", f1="0.8968")) == ("possible", 1, True)


def test_positives_unknown() -> None:
    found = recover(total=110, accuracy="92.7%", precision="96.9%", recall="95%")
    assert [table.tn for table in found.tables()] == [9, 8, 7]


def test_no_sizes_at_all() -> None:
    scores = {"accuracy": "68.00%", "recall": "51.28%", "precision": "80.00%", "f1": "62.50%"}
    found = recover(**scores)
    assert tables(found)[0] == (20, 19, 5, 31)
    assert tables(recover(**scores, max_total=149)) == [(20, 19, 5, 31)]
    assert "max_total_reached" in [note.code for note in found.notes]


def test_impossible_with_its_one_blame_set() -> None:
    found = recover(
        positives=100, negatives=200, accuracy="0.9567", sensitivity="0.8700", specificity="0.9750", folds="none"
    )
    assert found.verdict == "impossible"
    assert found.blame == (("accuracy", "recall", "specificity"),)
    assert found.contradictions == (("accuracy", "sensitivity", "specificity"),)
    forced = {each.name: each.bounds.low for each in found.implied}
    assert forced == {"specificity": 1.0, "sensitivity": 0.92, "accuracy": 0.94}
    assert found.cells == {}
    assert found.bounds("mcc").low is None


def test_several_blame_sets() -> None:
    found = recover(positives=10, negatives=10, accuracy="0.50", recall="0.95", precision="0.33", f1="0.90")
    # By hand: with 10 positives recall is a multiple of 0.1, so 0.95 alone is impossible.
    assert ("recall",) in found.blame
    assert all("recall" not in names for names in found.blame if names != ("recall",))


# Smallest failures of other tools; each report below is impossible and was accepted.
ACCEPTED_ELSEWHERE = [
    {"positives": 1, "negatives": 1, "mcc": "-0.01"},
    {"positives": 2, "negatives": 3, "accuracy": "0.80", "markedness": "0.78"},
    {"positives": 10, "negatives": 20, "sens": "0.10", "tpr": "1.00"},
]


@pytest.mark.parametrize("report", ACCEPTED_ELSEWHERE, ids=str)
def test_what_others_accept(report: dict) -> None:
    assert recover(**report, folds="none").verdict == "impossible"


@pytest.mark.parametrize("name", ["ppv", "npv", "mcc", "fm", "gm", "mk", "lrp", "lrn", "dor", "pt", "upm"])
def test_scores_that_others_can_never_reject_alone(name: str) -> None:
    """With two cases of each class no table gives 0.4321 for any of these: there are nine tables."""
    values = {ff.score(ff.Table(tp=a, fn=2 - a, fp=2 - b, tn=b), name) for a in range(3) for b in range(3)}
    assert not any(abs(value - 0.4321) <= 0.00005 for value in values)
    assert recover(positives=2, negatives=2, **{name: "0.4321"}, folds="none").verdict == "impossible"


def test_a_misspelt_metric_is_an_error_and_not_ignored() -> None:
    with pytest.raises(ff.InputError, match="unknown metric"):
        recover(positives=10, negatives=10, acuracy="0.5")


def test_a_perfect_classifier_on_few_positives_is_possible() -> None:
    assert how_many(recover(positives=9, negatives=191, accuracy="1.00", f1="1.00")) == ("possible", 1, True)


def test_departs_from_000_equation_2() -> None:
    """The slack belongs to the score: taken literally, accuracy .3333 of 3 cases would be impossible."""
    assert recover(positives=1, total=3, accuracy="0.3333").count == 2


def test_departs_from_000_boundary_tables() -> None:
    """With rounding, extremes do not sit at the two tables with smallest and largest tp."""
    found = recover(positives=6, total=10, f1="0.7")
    assert (found.bounds("accuracy").low, found.bounds("accuracy").high) == (0.5, 0.7)
    ends = sorted(found.tables(), key=lambda table: table.tp)
    assert min(ff.score(table, "accuracy") for table in (ends[0], ends[-1])) == 0.6
    # MCC has its extreme inside even without rounding: -.447, -.333, -.447.
    inner = recover(positives=3, total=6, accuracy="=1/3").bounds("mcc")
    assert inner.high == pytest.approx(-1 / 3)
    assert inner.low == pytest.approx(-1 / math.sqrt(5))


def test_undefined_scores_printed_as_zero() -> None:
    report = {"positives": 10, "negatives": 20, "precision": "0.00", "specificity": "1.00"}
    none = recover(**report, undefined="none", folds="none")
    assert none.verdict == "impossible"
    first = none.repairs[0]
    assert (first.kind, first.table) == ("undefined_as_zero", ff.Table(tp=0, fn=10, fp=0, tn=20))
    found = recover(**report, undefined="zero", folds="none")
    assert how_many(found) == ("possible", 1, True)
    assert tables(found) == [(0, 10, 0, 20)]


def test_zero_convention_equals_brute_force() -> None:
    for name in ("precision", "mcc", "diagnostic_odds_ratio", "prevalence_threshold", "negative_likelihood_ratio"):
        for text in ("0.00", "0.5", "[0, 0.3]"):
            claim = Claim.from_mapping(
                {"positives": 4, "negatives": 5, name: text, "f1": "[0, 0.6]", "undefined": "zero"}
            )
            expected = [(a, 4 - a, 5 - b, b) for a in range(5) for b in range(6)
                        if fits(claim, ff.Table(tp=a, fn=4 - a, fp=5 - b, tn=b))]  # fmt: skip
            assert sorted(tables(recover(claim, folds="none"))) == sorted(expected), (name, text)


def test_repairs_come_in_order_and_fit() -> None:
    found = recover(positives=40, negatives=60, accuracy="0.85", recall="0.81", undefined="none", folds="none")
    kinds = [repair.kind for repair in found.repairs]
    order = ["macro_average", "digit", "exchanged", "average", "percent", "size", "rounding"]
    assert kinds == sorted(kinds, key=order.index)
    assert {"macro_average", "digit", "size"} <= {*kinds}


def test_repair_of_exchanged_scores() -> None:
    truth = ff.Table(tp=30, fn=10, fp=3, tn=57)
    recall, precision = f"{ff.score(truth, 'recall'):.4f}", f"{ff.score(truth, 'precision'):.4f}"
    found = recover(positives=40, negatives=60, recall=precision, precision=recall, folds="none")
    assert found.verdict == "impossible"
    exchanged = [repair for repair in found.repairs if repair.kind == "exchanged"]
    assert exchanged[0].table == truth


def test_one_score_alone_that_is_an_average() -> None:
    truth = ff.Table(tp=31, fn=9, fp=4, tn=56)
    macro, recall = f"{ff.score(truth, 'macro_f1'):.4f}", f"{31 / 40:.4f}"
    found = recover(positives=40, negatives=60, accuracy="0.87", recall=recall, f1=macro, folds="none")
    assert "f1 is the macro average" in [departure.words for departure in found.departures]
    assert truth in found.tables()


def test_scores_of_averages_and_of_the_negative_class() -> None:
    truth = ff.Table(tp=31, fn=9, fp=4, tn=56)
    names = ["macro_f1", "weighted_precision", "micro_f1", "f2_negative", "f1_negative", "macro_mcc"]
    found = recover(positives=40, negatives=60, **{name: f"{ff.score(truth, name):.4f}" for name in names})
    assert truth in list(found.tables())


def test_an_average_that_cannot_be_searched_says_so() -> None:
    with pytest.raises(ff.InputError, match="cannot be searched for"):
        recover(positives=10, negatives=10, macro_treatment_ratio="1.0")


def test_ranges_of_sizes() -> None:
    claim = Claim.from_mapping({"positives": "3-5", "negatives": [2, 4], "total": "6..8", "accuracy": "0.5"})
    margins = {(int(p), int(n)) for _, ps, ns in claim.pairs() for p, n in zip(ps, ns, strict=True)}
    assert margins == {(p, n) for p in range(3, 6) for n in range(2, 5) if 6 <= p + n <= 8}
    assert claim.total == Size(6, 8)
    assert str(claim.total) == "6-8"
    assert str(Size()) == "0 or more"


def test_budget_makes_it_undecided_and_never_wrong() -> None:
    found = recover(positives=10**6, negatives=10**6, accuracy="0.9", budget=1000)
    assert found.verdict == "undecided"
    assert found.notes[-1].code == "budget_spent"
    partly = recover(accuracy="0.85", budget=20000)
    assert partly.verdict == "possible"
    assert partly.count > 1
    assert (partly.complete, partly.counted, partly.solution.feasible.complete) == (False, False, False)


def test_counted_and_not_walked() -> None:
    """Five hundred million tables or more: the verdict and the count are exact, and bounds say why there are none."""
    found = recover(positives=4 * 10**8, negatives=6 * 10**8, accuracy="0.8880", f1="0.8614", budget=1000)
    assert (found.verdict, found.counted) == ("possible", True)
    assert found.count > 10**9
    assert found.notes[0].code == "budget_spent"
    assert json.loads(to_json(found))["bounds"] == {}
    with pytest.raises(ff.TooLarge, match="raise the budget"):
        found.bounds("mcc")


def test_of_many_claims_single_ones_and_pairs_are_blamed() -> None:
    truth = ff.Table(tp=30, fn=10, fp=3, tn=57)
    names = [name for name in ff.METRICS if not math.isnan(ff.score(truth, name))][:12]
    scores = {name: f"{ff.score(truth, name):.4f}" for name in names} | {"accuracy": "0.8600"}
    found = recover(positives=40, negatives=60, **scores, folds="none")
    assert found.verdict == "impossible"
    assert ("accuracy", "inaccuracy") in found.blame
    assert all("accuracy" in names and len(names) == 2 for names in found.blame)
    assert found.notes[-1].code == "blame_incomplete"


@pytest.mark.parametrize("total", [10**3, 10**6, 10**9])
def test_a_table_s_own_scores_are_never_impossible(total: int) -> None:
    rng = np.random.default_rng(total)
    names = list(ff.METRICS)
    for _ in range(20):
        cuts = np.sort(rng.integers(0, total + 1, 3))
        tp, fn, fp, tn = (int(x) for x in np.diff([0, *cuts, total]))
        truth = ff.Table(tp=tp, fn=fn, fp=fp, tn=tn)
        chosen = rng.choice(names, 3, replace=False)
        scores = {name: f"{ff.score(truth, name):.4f}" for name in chosen if not math.isnan(ff.score(truth, name))}
        found = (
            recover(positives=truth.positives, negatives=truth.negatives, **scores, folds="none") if scores else None
        )
        assert found is None or found.verdict != "impossible", (truth, scores)


def test_distribution_by_hand() -> None:
    found = recover(positives=40, negatives=60, accuracy="=0.85")
    law = found.distribution("recall")
    recalls = [Fraction(tp, 40) for tp in range(25, 41)]
    assert law.mean == pytest.approx(float(sum(recalls) / 16))
    assert (law.low, law.median, law.high) == (25 / 40, 32 / 40, 40 / 40)
    assert found.distribution("recall", prior="rates").mean == pytest.approx(law.mean)
    sized = recover(total=4, accuracy="=1/2").distribution("prevalence", prior="rates")
    assert sized.mean == pytest.approx(0.5)
    assert recover(positives=2, negatives=2, tpr="=0", tnr="=1").distribution("precision").undefined == 1.0
    with pytest.raises(ff.InputError, match="prior"):
        found.distribution("recall", prior="flat")


def test_a_large_distribution_is_thinned_and_says_so() -> None:
    found = recover(positives=10**4, negatives=10**4, accuracy="0.9").distribution("recall")
    assert found.notes[0].code == "distribution_thinned"
    assert 0.8 < found.median < 1


def test_results_survive_json() -> None:
    for given in ({"accuracy": "0.85"}, {"accuracy": "0.85", "recall": "0.81", "undefined": "none"}):
        found = recover(positives=40, negatives=60, **given, folds="none")
        assert json.loads(to_json(found)) == found.to_dict()
        assert len(found.rows()) == len(ff.METRICS)
    assert found.to_dict()["repairs"][0]["kind"]


def test_one_more_claim_never_enlarges_the_set() -> None:
    few = recover(positives=40, negatives=60, accuracy="0.85")
    more = recover(positives=40, negatives=60, accuracy="0.85", f1="0.80")
    assert set(tables(more)) <= set(tables(few))


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"accuracy": "1.2", "positives": 4, "negatives": 4}, "out_of_range"),
        ({"accuracy": "85", "positives": 4, "negatives": 4}, "out_of_range"),
        ({"accuracy": "abc"}, "bad_number"),
        ({"accuracy": "[0.9, 0.8]"}, "bad_number"),
        ({"accuracy": "0.5", "positives": "60-40"}, "bad_number"),
        ({"accuracy": "0.5", "positives": 12, "total": 10}, "bad_count"),
        ({"accuracy": "0.5", "positives": 6, "negatives": 6, "total": 10}, "bad_count"),
        ({"accuracy": "0.5", "positives": 2, "negatives": 2, "total": 10}, "bad_count"),
        ({"accuracy": "0.5", "positives": "-3"}, "bad_count"),
        ({"accuracy": "0.5", "positives": 3, "pos": 3}, "ambiguous"),
        ({"accuracy": "0.5", "undefined": "never"}, "bad_option"),
        ({"accuracy": "0.5", "rounding": "up"}, "bad_option"),
        ({"positives": 3}, "empty"),
        ({"ofi": "0.1"}, "bad_metric"),
    ],
)
def test_bad_reports(given: dict, code: str) -> None:
    with pytest.raises(ff.InputError, match=r"^[^:]+: .+, got .+\. Hint: .+") as caught:
        recover(**given)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("given", "correct"),
    [({"accuracy": "1.0000001"}, 6), ({"mcc": "1.0000000000000002"}, 6), ({"mcc": "-1.00000012"}, 0)],
)
def test_what_floats_leave_beyond_1_is_not_refused(given: dict, correct: int) -> None:
    found = recover(positives=3, negatives=3, **given)
    assert [table.tp + table.tn for table in found.tables()] == [correct]
    if "accuracy" in given:
        several = recover(classes={"a": 3, "b": 2, "c": 1}, weighted_f1=given["accuracy"])
        assert how_many(several) == ("possible", 1, True)


@pytest.mark.parametrize("sizes", [{"positives": 4, "negatives": 4}, {"classes": {"a": 4, "b": 4}}])
def test_the_hint_for_a_score_above_1(sizes: dict) -> None:
    with pytest.raises(ff.InputError, match=r"Hint: write 85% if it is a percentage\.$"):
        recover(**sizes, weighted_f1="85")
    with pytest.raises(ff.InputError, match=r"got '100\.01%'\. Hint: check the metric and the number\.$"):
        recover(**sizes, weighted_f1="100.01%")


def test_claims_and_names_are_not_mixed() -> None:
    claim = Claim.from_mapping({"accuracy": "0.5", "positives": 4, "negatives": 4})
    assert len(solve(claim).rows)
    with pytest.raises(ff.InputError, match="not both"):
        recover(claim, f1="0.5")


def test_a_denominator_that_nearly_cancels_at_a_large_size() -> None:
    """Two rates that agree to twelve digits: floats of the prevalence threshold are off by more than the claim allows."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        positives, negatives = (int(x) for x in rng.integers(10**5, 10**6, 2))
        tp = int(rng.integers(1, positives))
        fp = round(tp * negatives / positives) + int(rng.choice([-2, -1, 1, 2]))
        truth = ff.Table(
            tp=tp, fn=positives - tp, fp=min(max(fp, 1), negatives), tn=negatives - min(max(fp, 1), negatives)
        )
        value = ff.score(truth, "prevalence_threshold")
        if not math.isnan(value):
            claim = {"recall": f"={tp}/{positives}", "pt": f"[{value - 1e-9:.12f}, {value + 1e-9:.12f}]"}
            found = recover(positives=positives, negatives=negatives, **claim)
            assert truth in list(found.tables()), truth


# Digits and totals at which products of claims and margins leave 64 bits; each truth is a table that was rounded.
WIDE = [
    ({"total": 100, "kappa": 0.355495251017639}, (8, 15, 4, 73)),
    ({"total": 400, "balanced_accuracy": 0.49408727755184445}, (115, 158, 55, 72)),
    ({"total": 100, "accuracy": "0.5000000000000000000000000000"}, (25, 25, 25, 25)),
]


@pytest.mark.parametrize(("report", "truth"), WIDE, ids=str)
def test_many_digits_and_unknown_margins(report: dict, truth: tuple[int, ...]) -> None:
    found = recover(**report)
    table = ff.Table(**dict(zip(("tp", "fn", "fp", "tn"), truth, strict=True)))
    assert fits(found.claim, table)
    assert table in list(found.tables())


def test_ranges_of_margins_agree_with_each_margin_alone() -> None:
    together = recover(total=200_000, positives="100000-100003", kappa="0.1234567890", folds="none")
    alone = [
        recover(total=200_000, positives=p, kappa="0.1234567890", folds="none").count for p in range(100_000, 100_004)
    ]
    assert together.count == sum(alone)
    assert next(together.tables())


def test_nothing_found_below_a_limit_nobody_set_is_not_impossible() -> None:
    assert recover(recall="0.5", positives=1, folds="none").verdict == "undecided"
    assert recover(accuracy="0.0001", max_total=100, folds="none").verdict == "impossible"
    found = recover(positives=2000, accuracy="0.85", folds="none")
    assert (found.verdict, found.counted) == ("possible", False)
    assert found.count > 1
    with pytest.raises(ff.InputError, match="max_total: is below the sizes given"):
        recover(positives=2000, accuracy="0.85", max_total=100, folds="none")


@pytest.mark.parametrize("total", [10**7, 2 * 10**9, 10**11])
def test_the_budget_is_asked_before_memory_is(total: int) -> None:
    found = recover(total=total, mcc="0.9", budget=10**5)
    assert (found.complete, found.counted, found.solution.feasible.complete) == (False, False, False)
    assert all(fits(found.claim, table) for table in found.tables(3))


def test_many_totals_with_one_margin_each() -> None:
    # With 1 of 2 positives found, of n negatives about (n + 2) / 2 - 1 are cleared, for very many n.
    found = recover(positives=2, max_total=30_000, recall="0.5", accuracy="0.5")
    assert (found.verdict, found.counted) == ("possible", True)
    assert found.count > 10**6


def test_rows_of_many_margins_are_not_taken_for_one_box() -> None:
    found = recover(accuracy="[0.2, 0.5034]", prevalence="[0.5, 0.9]", nlr="[0, 5]", total=300)
    for cells in ((55, 214, 26, 5), (63, 148, 1, 88)):
        table = ff.Table(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))
        assert fits(found.claim, table)
        for name in ("informedness", "balanced_accuracy", "positive_likelihood_ratio", "diagnostic_odds_ratio"):
            assert found.bounds(name).low <= ff.score(table, name) <= found.bounds(name).high, name


def test_a_total_of_nothing() -> None:
    assert recover(total=0, positives="0-5", negatives="0-5", accuracy="0.5", folds="none").verdict == "impossible"


def test_exact_ties_of_curved_metrics() -> None:
    """MCC is 0 just where tp n = fp p: with 300 of each class, one table a row, but for the two ends that are undefined."""
    assert recover(mcc="=0", positives=300, negatives=300).count == 299
    assert how_many(recover(mcc="=1", positives=300, negatives=300)) == ("possible", 1, True)


def test_undecided_subsets_imply_nothing() -> None:
    found = recover(
        positives=10**9, negatives=10**9, accuracy="0.9", balanced_accuracy="0.2", undefined="none", folds="none"
    )
    assert found.verdict == "impossible"
    assert found.implied == ()


def test_of_many_claims_a_larger_contradiction_is_still_found() -> None:
    harmless = dict.fromkeys(["prevalence", "ppr", "pnr", "f1", "jaccard", "precision", "npv", "kappa"], "[0, 1]")
    claim = {"accuracy": "0.9567", "sensitivity": "0.8700", "specificity": "0.9750"}
    found = recover(positives=100, negatives=200, **harmless, **claim)
    assert found.blame == (("accuracy", "recall", "specificity"),)


def test_counts_are_claims() -> None:
    # By hand: 285 of 300 right and 87 of 100 found leave 198 of 200 cleared.
    found = recover(positives=100, negatives=200, accuracy="=0.95", tp=87)
    assert tables(found) == [(87, 13, 2, 198)]
    assert found.claim.scores[1].reported == Claim.from_mapping({"tp": "87"}).scores[0].reported
    ranges = recover(positives=100, negatives=200, accuracy="=0.95", **{"True positives": "86-87"})
    assert [table.tp for table in ranges.tables()] == [86, 87]
    assert recover(positives=100, negatives=200, accuracy="=0.95", tp=[86, 87]).count == 2
    assert recover(positives=4, negatives=6, correct=7, predicted_positives=5, wrong="3").count == 1
    assert found.bounds("fp").low == found.bounds("fp").high == 2
    assert found.distribution("predicted_positives").median == 89
    assert not set(ff.METRICS) & {claimed.metric.id for claimed in ranges.claim.scores[1:]}
    assert "tp" not in found.all_bounds


def test_a_count_is_exact_and_whole() -> None:
    assert recover(positives=100, negatives=100, recall="=0.865", tp="87").verdict == "impossible"
    for text in ("87.0", "0.87", "87%", "-1"):
        with pytest.raises(ff.InputError, match="whole number"):
            recover(positives=100, negatives=100, tp=text)
    with pytest.raises(ff.InputError, match="in the wrong order"):
        recover(positives=100, negatives=100, tp="90-80")


def test_all_four_counts_are_a_table() -> None:
    cells = {"tp": 87, "fn": 13, "fp": 5, "tn": 195}
    assert tables(recover(**cells)) == [(87, 13, 5, 195)]
    assert how_many(recover(**cells, accuracy="0.94")) == ("possible", 1, True)
    found = recover(**cells, accuracy="0.95")
    assert found.contradictions == (("tp", "fn", "fp", "tn", "accuracy"),)
    assert found.notes == ()
    assert "given tp, fn, fp and tn, accuracy is 0.9400 (282 of 300), not 0.95" in str(found)
    # By hand: 282 of 297 is 0.9495.
    assert "fn is 10, not 13" in [repair.change for repair in found.repairs]


def test_counts_that_do_not_add_up() -> None:
    found = recover(tp=87, fn=13, positives=90, accuracy="0.9", undefined="none")
    assert found.contradictions == (("tp", "fn"),)
    assert "tp and fn add up to 100, and positives to 90" in str(found)
    assert recover(correct=90, wrong="11-12", total=100, recall="0.5").contradictions == (("correct", "wrong"),)
    assert recover(tp=95, positives=90, negatives=10).verdict == "impossible"


def test_counts_of_large_tables_are_counted() -> None:
    # By hand: tp + tn = 570,000 give or take half a unit in the second digit, 3,000, whatever of it fits beside tp.
    found = recover(positives=300_000, negatives=300_000, accuracy="0.95", tp=270_000)
    assert found.count == 300_000 - (567_000 - 270_000) + 1


def test_counts_of_classes() -> None:
    sizes = {"cat": 50, "dog": 50, "cow": 50}
    found = recover(classes=sizes, **{"tp[cat]": 45, "predicted_positives[cat]": "50", "correct": 140})
    assert all((each[0].right, each[0].predicted) == (45, 50) for each in found.margins())
    assert all(sum(one.right for one in each) == 140 for each in found.margins())
    assert found.bounds("fp[cat]").high == 5
    assert recover(classes=sizes, errors=10, accuracy="0.95").verdict == "impossible"
    wrong = recover(classes=sizes, errors=10, accuracy="0.933")
    assert wrong.verdict == "possible"
    assert wrong.count > 1
    with pytest.raises(ff.InputError, match=r"tp\[cat\]\."):
        recover(classes=sizes, tp=10)


def test_an_area_beside_a_table() -> None:
    found = recover(positives=100, negatives=200, accuracy="0.95", auc="0.71", folds="none")
    assert (found.verdict, found.blame) == ("impossible", (("accuracy", "auc"),))
    # By hand: with 16 wrong at most, 284 right, tp tn is least at 84 found and 200 cleared.
    assert "given accuracy, auc is at least 0.8400, not 0.71" in str(found)
    kept = recover(positives=100, negatives=200, accuracy="0.95", AUROC="0.84", folds="none")
    assert "auc" in kept.shown_bounds
    assert kept.bounds("auc").low == 0.84
    assert (
        recover(positives=100, negatives=200, accuracy="0.95", auc="0.84", curve="convex", folds="none").verdict
        == "impossible"
    )
    asked = recover(positives=100, negatives=200, accuracy="0.95", bounds="c statistic", folds="none")
    assert list(asked.shown_bounds) == ["auc"]
    assert "auc" not in recover(positives=100, negatives=200, accuracy="0.95", folds="none").shown_bounds


def test_an_area_needs_both_classes() -> None:
    assert recover(positives=0, negatives=20, auc="[0, 1]", folds="none").verdict == "impossible"
    assert recover(positives=0, negatives=20, accuracy="=0.5", folds="none").bounds("auc").low is None


def test_areas_of_large_tables_do_not_overflow() -> None:
    # By hand: all found and all cleared leaves the area 1 alone; one error of each kind leaves 1 - 1/(pn) at most.
    size = 3_000_000_000
    perfect = {"positives": 3, "negatives": size, "tp": 3, "tn": size}
    assert recover(**perfect, auc="=1").count == 1
    assert recover(**perfect, auc="[0, 0.999999999]").count == 0
    assert recover(positives=3, negatives=size, tp=2, fp=1, auc=f"={3 * size - 1}/{3 * size}").count == 1
    assert recover(positives=3, negatives=size, tp=2, fp=1, auc="=1").count == 0


def test_what_an_area_has_no_answer_to() -> None:
    found = recover(positives=10, negatives=20, auc="0.8")
    with pytest.raises(ff.InputError, match="range for each table"):
        found.distribution("auc")
    with pytest.raises(ff.InputError, match="is not a ratio"):
        ff.claims.estimate(Claim.from_mapping({"positives": 10, "negatives": 20, "auc": "0.8", "recall": "0.5"}))
    with pytest.raises(ff.InputError, match="one of any, convex"):
        recover(positives=10, negatives=20, auc="0.8", curve="smooth")


@pytest.mark.parametrize("name", ["pr_auc", "Average precision", "log loss", "Brier score", "macro AUC"])
def test_scores_of_rankings_are_passed_over(name: str) -> None:
    found = recover({name: "0.3", "accuracy": "0.85"}, positives=40, negatives=60)
    assert found.count == recover(accuracy="0.85", positives=40, negatives=60).count
    assert [(note.code, note.data["name"]) for note in found.notes] == [("score_passed_over", name)]
    with pytest.raises(ff.InputError, match="no score is given that a table determines, got"):
        recover({name: "0.3"}, positives=40, negatives=60)


def test_the_area_of_several_classes_is_passed_over() -> None:
    found = recover(classes=[50, 50, 50], accuracy="0.95", **{"auc": "0.99", "auc[1]": "0.98", "macro_auc": "0.97"})
    assert [note.data["name"] for note in found.notes] == ["auc", "auc[1]", "macro_auc"]
    with pytest.raises(ff.InputError, match="no score is given that a table determines"):
        recover(classes=[50, 50, 50], auc="0.99")


def test_a_mapping_and_what_is_said_beside_it() -> None:
    assert recover({"accuracy": "0.91"}, total=100).count == recover(accuracy="0.91", total=100).count
    assert recover({"accuracy": "0.9", "total": None}, total=10, rounding="truncate").claim.rounding == "truncate"
    of_classes = recover({"accuracy": "0.91", "classes": {"a": 50, "b": 20}})
    assert of_classes.count == recover(accuracy="0.91", classes={"a": 50, "b": 20}).count
    assert recover({"accuracy": "0.91"}, classes=[50, 20]).count == of_classes.count
    twice: list[tuple[dict[str, object], dict[str, object]]] = [
        ({"accuracy": "0.91", "total": 10}, {"total": 100}),
        ({"accuracy": "0.91", "pos": 10}, {"positives": 100}),
        ({"accuracy": "0.91"}, {"accuracy": "0.92"}),
        ({"accuracy": "0.91", "classes": [50, 20]}, {"classes": [50, 20]}),
    ]
    for given, beside in twice:
        with pytest.raises(ff.InputError, match="is given twice"):
            recover(given, **beside)
    with pytest.raises(ff.InputError, match="not both"):
        recover(Claim.from_mapping({"accuracy": "0.91"}), total=100)


def test_the_nearest_values_to_what_no_table_has() -> None:
    found = recover(positives=100, negatives=200, sensitivity="0.853", undefined="none", folds="none")
    assert str(found).startswith("impossible: no table has this sensitivity: 85 of 100 is 0.8500, 86 of 100 is 0.8600.")
    [left] = found.implied
    assert left.below is not None
    assert left.above is not None
    assert (left.others, left.below.value, left.above.value) == ((), Fraction(85, 100), Fraction(86, 100))
    assert left.above.table.tp == 86
    shown = recover(total=8, prevalence="33.3%", accuracy="0.5", undefined="none", folds="none")
    assert "no table has this prevalence: 2 of 8 is 25.00%, 3 of 8 is 37.50%" in str(shown)
    assert "no table has this f1: the nearest are 0.8889 and 0.9000." in str(
        recover(positives=10, negatives=5, f1="0.899", folds="none")
    )
    assert "no table has this recall: it is undefined for all." in str(
        recover(positives=0, negatives=5, recall="0.9", folds="none")
    )


def test_the_nearest_values_that_others_leave() -> None:
    # By hand: one more right of 300 is 0.33 %, and 0.914 of what was flagged beside 285 right lies between two shares.
    found = recover(positives=100, negatives=200, accuracy="=0.95", precision="91.4%", undefined="none", folds="none")
    assert "given accuracy, precision could be 91.26% (94 of 103) or 92.08% (93 of 101), not 91.4%" in str(found)
    ends = [Fraction(94, 103), Fraction(93, 101)]
    shares = [Fraction(tp, tp + 200 - (285 - tp)) for tp in range(85, 101)]
    assert max(share for share in shares if share < Fraction("0.9135")) == ends[0]
    assert min(share for share in shares if share > Fraction("0.9145")) == ends[1]


def test_a_value_close_to_what_was_printed_has_more_digits() -> None:
    found = recover(positives=20_000, negatives=10, tp=17_001, recall="[0.8, 0.85]", folds="none")
    assert "given tp, recall is 0.85005 (17001 of 20000), not [0.8, 0.85]" in str(found)


def test_thousands_are_not_taken_for_a_range() -> None:
    for given in ({"positives": "1,024"}, {"tp": "12,345"}):
        with pytest.raises(ff.InputError, match="may be one number or a range"):
            recover(given, accuracy="0.9")
    assert Size.read("[1,024]", "tp") == Size.read("1-24", "tp") == Size(1, 24)


def test_an_impossible_root_has_a_hash() -> None:
    found = recover(positives=10, negatives=5, mcc="0.899", accuracy="0.93")
    assert hash(found) == hash(recover(positives=10, negatives=5, mcc="0.899", accuracy="0.93"))


def test_margins_too_large_to_add_are_undecided() -> None:
    assert recover(positives=10**17, accuracy="0.9").verdict == "undecided"


def test_the_fewest_scores_to_leave_out_of_several_contradictions() -> None:
    """80 of 100 and 180 of 200 are right, 20 of 100 predicted positives wrong: 260 of 300, and not 0.89 of them."""
    scores = {"recall": "0.80", "specificity": "0.90", "precision": "0.80", "f1": "0.80", "npv": "0.90"}
    found = recover(positives=100, negatives=200, accuracy="0.89", **scores, folds="none")
    assert found.verdict == "impossible"
    assert len(found.contradictions) > 1
    assert all("accuracy" in names for names in found.contradictions)
    [left] = found.left_out
    assert (left.names, left.count) == (("accuracy",), 1)
    [implied] = left.implied
    assert (implied.name, implied.others, implied.reported) == ("accuracy", tuple(scores), "0.89")
    assert (implied.below.value, implied.above) == (Fraction(260, 300), None)
    assert implied.below.table == ff.Table(tp=80, fn=20, fp=20, tn=180)
    assert found.to_dict()["left_out"][0]["names"] == ["accuracy"]
    # One contradiction explains itself, and what is possible needs no explanation.
    assert (
        recover(positives=100, negatives=200, accuracy="0.89", recall="0.80", specificity="0.90", folds="none").left_out
        == ()
    )
    assert recover(positives=100, negatives=200, **scores, folds="none").left_out == ()


def test_several_ways_to_leave_out_the_fewest_scores() -> None:
    """Of 10 positives 5 are found and 6 are not, of 10 negatives 5 are cleared and 6 are not: one of each has to go."""
    found = recover(positives=10, negatives=10, recall="0.50", fnr="0.60", specificity="0.50", fpr="0.60")
    assert found.contradictions == (("recall", "fnr"), ("specificity", "fpr"))
    # There are four, and the first three are told.
    assert [left.names for left in found.left_out] == [
        ("recall", "specificity"),
        ("recall", "fpr"),
        ("fnr", "specificity"),
    ]
    assert {left.count for left in found.left_out} == {1}
    assert [implied.below.value for implied in found.left_out[0].implied] == [Fraction(4, 10), Fraction(4, 10)]
    # Where no table has a score, that says it all.
    assert recover(positives=10, negatives=10, recall="0.55", specificity="0.75", accuracy="0.80").left_out == ()
