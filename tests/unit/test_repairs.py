"""Other data as a hypothesis: copies of the smaller class, another known test set, exchanged scores."""

from __future__ import annotations

import fourfold as ff


def fits(printed: str, hits: int, of: int) -> bool:
    """Whether a share is printed so, rounded to as many digits; in whole numbers."""
    scale = 10 ** (len(printed) - 2)
    return abs(2 * hits * scale - 2 * int(printed[2:]) * of) <= of


def test_the_minority_was_oversampled_before_the_split() -> None:
    # 38 of 300 records of TPEHG are preterm; published scores fit with 244 instead of them.
    found = ff.recover(positives=38, negatives=262, accuracy="0.9447", sensitivity="0.9139", specificity="0.9733")
    assert found.verdict == "unexplained"
    [said] = [repair for repair in found.repairs if repair.kind == "oversampled"]
    assert said.change == "positives were 244, not 38, oversampled before the split (1 of the sizes 39 to 262 fits)"
    assert said.table == ff.Table(tp=223, fn=21, fp=7, tn=255)
    # No other size has a table, by looking at all.
    specific = [tn for tn in range(263) if fits("0.9733", tn, 262)]
    assert {
        p for p in range(39, 263) for tp in range(p + 1) if fits("0.9139", tp, p) for tn in specific
        if fits("0.9447", tp + tn, p + 262)
    } == {244}  # fmt: skip
    assert said.change in str(found)


def test_the_smaller_class_may_be_the_negatives() -> None:
    turned = ff.recover(positives=262, negatives=38, accuracy="0.9447", specificity="0.9139", sensitivity="0.9733")
    [said] = [repair for repair in turned.repairs if repair.kind == "oversampled"]
    assert said.change.startswith("negatives were 244, not 38")


def test_another_known_test_set_fits() -> None:
    # A row of a table of results on ISIC 2016: 75 melanoma, 304 other.
    scores = {"accuracy": "0.855", "sensitivity": "0.507", "specificity": "0.941"}
    found = ff.recover(positives=100, negatives=200, folds="none", **scores)
    assert found.verdict == "impossible"
    [said] = [repair for repair in found.repairs if repair.kind == "known_set"]
    assert said.change.startswith("the test set was ISIC 2016, task 3, test (75 melanoma, 304 other) (1 of ")
    assert said.table == ff.Table(tp=38, fn=37, fp=18, tn=286)


def test_of_many_sizes_only_equal_classes_are_said() -> None:
    found = ff.recover(positives=7, negatives=300, precision="0.90", recall="0.90", f1="0.90", folds="none")
    assert found.verdict == "unexplained"
    fitting = {
        p
        for p in range(8, 301)
        for tp in range(p + 1)
        if fits("0.90", tp, p)
        and any(fits("0.90", tp, tp + fp) and fits("0.90", 2 * tp, p + tp + fp) for fp in range(tp // 4 + 1))
    }
    said = {repair.kind: repair.change for repair in found.repairs}
    words = "positives were 300, not 7, oversampled before the split"
    assert said["oversampled"] == f"{words} ({len(fitting)} of the sizes 8 to 300 fit)"
    # Nearly every known test set fits, too, and that says nothing.
    assert "known_set" not in said


def test_exchanged_rates_are_said() -> None:
    # 87 of 100 and 195 of 200 are right, printed the other way round; the precision is as it should be.
    found = ff.recover(
        positives=100, negatives=200, folds="none", sensitivity="0.9750", specificity="0.8700", precision="0.9457"
    )
    assert found.verdict == "impossible"
    assert [repair.change for repair in found.repairs] == ["sensitivity and specificity were exchanged"]
