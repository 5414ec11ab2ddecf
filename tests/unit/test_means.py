"""Means over parts as a caller uses them: kinds of parts, conventions, weights, bounds, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from fourfold.errors import InputError
from fourfold.exact.reported import Reported
from fourfold.metrics import metric, read_convention
from fourfold.solve.experiment import (
    Deviation,
    EqualParts,
    MeansReport,
    OpenParts,
    pooled,
    stratified_folds,
    stratified_ways,
)
from fourfold.solve.means import bounds, decide
from fourfold.table import Table


def claims(**scores: str) -> Any:
    return tuple((metric(name), Reported.read(text)) for name, text in scores.items())


def test_equal_parts_may_come_one_by_one() -> None:
    """The witness has the tables of each entry in the order of the entries."""
    parts = (EqualParts(3, 4), EqualParts(2, 5), EqualParts(3, 4, count=2), EqualParts(2, 5))
    decision = decide(MeansReport(parts, claims(precision="0.8", recall="0.7")))
    assert decision.witness is not None
    assert [len(own) for own in decision.witness] == [1, 1, 2, 1]
    assert [{table.positives for table in own} for own in decision.witness] == [{3}, {2}, {3}, {2}]


def test_weights_make_a_mean_of_means() -> None:
    """Recall 1 in the single set of one experiment and 0 in both folds of another: 1/2, not 1/3."""
    nested = (EqualParts(2, 2), EqualParts(1, 1, count=2, weight=Fraction(1, 2)))
    recall = (metric("recall"), Reported.read("=1/2"))
    each_precise = (metric("specificity"), Reported.read("=1"))
    decision = decide(MeansReport(nested, (recall, each_precise)))
    assert decision.witness is not None
    tables = [table for own in decision.witness for table in own]
    means = [Fraction(table.tp, table.positives) for table in tables]
    assert means[0] * Fraction(1, 2) + (means[1] + means[2]) * Fraction(1, 4) == Fraction(1, 2)


@pytest.mark.parametrize(
    ("undefined", "verdict"), [("none", "impossible"), ("zero", "impossible"), ("excluded", "possible")]
)
def test_a_fold_without_positives(undefined: Any, verdict: str) -> None:
    """Every case right in two folds, one of them without positives: recall 1 only if that fold is left out."""
    parts = (EqualParts(2, 2), EqualParts(0, 2))
    assert (
        decide(MeansReport(parts, claims(accuracy="1.00", recall="1.00"), read_convention(undefined))).verdict
        == verdict
    )


def test_a_fold_without_predicted_positives() -> None:
    """Two folds of one positive and one negative: precision 1 and 0/0 average to 1/2 as zero, to 1 if left out."""
    parts = (EqualParts(1, 1, count=2),)
    half = claims(precision="0.50", recall="0.50", specificity="1.00")
    assert [decide(MeansReport(parts, half, read_convention(way))).verdict for way in ("none", "zero", "excluded")] == [
        "impossible",
        "possible",
        "impossible",
    ]


def test_bounds_of_every_part_narrow_the_mean() -> None:
    parts = (EqualParts(10, 10, count=5),)
    each = ((metric("recall"), Reported.read("[0.8, 1]")),)
    assert decide(MeansReport(parts, claims(recall="0.76"))).verdict == "possible"
    assert decide(MeansReport(parts, claims(recall="0.76"), each=each)).verdict == "impossible"


def test_means_beside_the_summed_table() -> None:
    """Recalls 1/2 and 1 of folds with 2 and 8 positives: mean 3/4, but 9 of 10 in all."""
    parts = (EqualParts(2, 5), EqualParts(8, 5))
    mean = claims(recall="0.75")
    assert decide(MeansReport(parts, mean, pooled=claims(recall="0.90"))).verdict == "possible"
    assert decide(MeansReport(parts, mean, pooled=claims(recall="0.95"))).verdict == "impossible"


def test_positives_known_in_sum_only() -> None:
    """Accuracy 1 and recall 2/3 as zero: one of three folds has no positives, so the other two have all."""
    parts = (OpenParts(2, count=3),)
    decision = decide(MeansReport(parts, claims(accuracy="1.00", recall="0.67"), read_convention("zero"), positives=3))
    assert decision.witness is not None
    assert sorted(table.positives for table in decision.witness[0]) == [0, 1, 2]
    assert (
        decide(MeansReport(parts, claims(accuracy="1.00", recall="0.67"), read_convention("zero"), positives=5)).verdict
        == "impossible"
    )


def test_a_deviation_beside_a_mean() -> None:
    """Two folds of 4 cases: accuracies 1/2 and 1 have the deviation 1/4 with n and 0.354 with n - 1."""
    parts = (EqualParts(2, 2, count=2),)
    mean = claims(accuracy="0.75")
    kinds: Any = {"sd": "0.250", "sample_sd": "0.354", "standard_error": "0.250"}
    for kind, text in kinds.items():
        for other, own in kinds.items():
            deviation = Deviation(metric("accuracy"), Reported.read(text), other)
            verdict = decide(MeansReport(parts, mean, deviations=(deviation,))).verdict
            # 1/4 and 1 (or 1/2 and 1, or 3/4 twice) are all there is around a mean of 3/4.
            assert (verdict == "possible") == (text == own), (kind, other)


def test_images_of_many_sizes_at_any_size() -> None:
    """Whole sums decide what no list of tables could: about 10**10 tables for each of 20 images."""
    parts = tuple(EqualParts(30_000 + 131 * i, 270_000 - 977 * i) for i in range(20))
    right = [
        Table.of_counts(24_000, p.positives - 24_000, 5_000 + i, p.negatives - 5_000 - i) for i, p in enumerate(parts)
    ]
    blank = MeansReport(parts)
    means = []
    for name in ("accuracy", "recall", "specificity"):
        value: Any = blank.mean(metric(name), right, [Fraction(1)] * 20)
        means.append((metric(name), Reported.read(f"{float(value):.4f}")))
    decision = decide(MeansReport(parts, tuple(means)))
    assert decision.verdict == "possible"
    moved = (means[0][0], Reported.read("0.9000"))
    assert decide(MeansReport(parts, (moved, *means[1:]))).verdict == "impossible"
    score: Any = blank.mean(metric("f1"), right, [Fraction(1)] * 20)
    curved = MeansReport(parts, (means[1], (metric("f1"), Reported.read(f"{float(score):.4f}"))))
    found = decide(curved).witness
    assert found is not None
    assert curved.holds(found)
    ends = bounds(MeansReport(parts, tuple(means)), metric("balanced_accuracy"))
    assert ends is not None
    value = blank.mean(metric("balanced_accuracy"), right, [Fraction(1)] * 20)
    assert ends.low <= float(value) <= ends.high
    assert ends.high - ends.low < 2e-4


def test_ways_to_deal_stratified_folds() -> None:
    """Each class is dealt evenly; the folds with one more of both classes are as many as there can be, or fewer."""
    for positives, negatives, folds in ((7, 5, 2), (10, 11, 4), (9, 9, 5), (6, 8, 3), (12, 4, 4)):
        ways = stratified_ways(positives, negatives, folds)
        assert ways[0] == stratified_folds(positives, negatives, folds)
        assert len(set(ways)) == len(ways)
        for way in ways:
            assert sum(part.count for part in way) == folds
            assert sum(part.positives * part.count for part in way) == positives
            assert sum(part.negatives * part.count for part in way) == negatives
            assert max(p.positives for p in way) - min(p.positives for p in way) <= 1
            assert max(p.negatives for p in way) - min(p.negatives for p in way) <= 1


def test_the_summed_table() -> None:
    assert pooled([Table.of_counts(1, 2, 3, 4), Table.of_counts(5, 6, 7, 8)]).cells() == {
        "tp": 6,
        "fn": 8,
        "fp": 10,
        "tn": 12,
    }


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="there are none"):
        MeansReport(())
    with pytest.raises(InputError, match="must be known in sum"):
        MeansReport((OpenParts(4),))
    deviation = Deviation(metric("accuracy"), Reported.read("0.1"))
    with pytest.raises(InputError, match="unequal weight"):
        MeansReport((EqualParts(1, 1), EqualParts(1, 1, weight=Fraction(2))), deviations=(deviation,))
    with pytest.raises(InputError, match="cannot be made"):
        stratified_folds(2, 1, 5)


def test_sizes_that_do_not_add_up_are_impossible() -> None:
    assert decide(MeansReport((EqualParts(3, 3), OpenParts(2)), positives=2)).verdict == "impossible"
    assert decide(MeansReport((EqualParts(3, 3),), positives=4)).verdict == "impossible"


def test_of_too_many_tables_some_can_show_that_a_report_is_possible() -> None:
    """What they do not show is left undecided, with the reason; linear scores alone may still be impossible."""
    parts = (EqualParts(30_000, 270_000), EqualParts(20_000, 280_000))
    report = MeansReport(parts, claims(f1="0.80", recall="0.75"))
    decision = decide(report)
    assert decision.witness is not None
    assert report.holds(decision.witness)
    decision = decide(MeansReport(parts, claims(f1="0.80", recall="0.10")))
    assert decision.verdict == "undecided"
    assert "too many tables" in decision.reason
    assert decide(MeansReport(parts, claims(f1="0.80", recall="1.10"))).verdict == "impossible"


def test_some_tables_prove_nothing() -> None:
    """A deviation that needs counts between those that are looked at is not called impossible."""
    parts = (EqualParts(40_000, 50_000), EqualParts(40_000, 50_001))
    right = [Table.of_counts(31_111, 8_889, 7, 49_993), Table.of_counts(31_113, 8_887, 8, 49_993)]
    recalls = [Fraction(table.tp, table.positives) for table in right]
    mean = (metric("recall"), Reported("", sum(recalls) / 2, sum(recalls) / 2))
    spread = abs(recalls[0] - recalls[1]) / 2
    report = MeansReport(parts, (mean,), deviations=(Deviation(metric("recall"), Reported("", spread, spread)),))
    assert report.holds(tuple((table,) for table in right))
    assert decide(report).verdict != "impossible"
