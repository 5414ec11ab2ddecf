"""The names that other packages have for measures of two groups, with the values that those packages give.

All are of 150 and 200 cases; the first group is what others call unprivileged. Computed with fairlearn 0.15.0, aequitas
1.1.0 (`get_disparity_predefined_groups`) and AIF360 0.6.1 (`ClassificationMetric`).
"""

from __future__ import annotations

import math

import pytest

import fourfold as ff

GROUP, REFERENCE = ff.Table(tp=30, fn=20, fp=15, tn=85), ff.Table(tp=66, fn=14, fp=39, tn=81)

FAIRLEARN = {
    "accuracy_score_difference": 0.03166666666666673,
    "accuracy_score_ratio": 0.958695652173913,
    "demographic_parity_difference": 0.22500000000000003,
    "demographic_parity_ratio": 0.5714285714285714,
    "equal_opportunity_difference": 0.22499999999999998,
    "equal_opportunity_ratio": 0.7272727272727273,
    "equalized_odds_difference": 0.22499999999999998,
    "equalized_odds_ratio": 0.4615384615384615,
    "false_negative_rate_difference": 0.22500000000000003,
    "false_negative_rate_ratio": 0.43749999999999994,
    "false_positive_rate_difference": 0.17500000000000002,
    "false_positive_rate_ratio": 0.4615384615384615,
    "selection_rate_difference": 0.22500000000000003,
    "selection_rate_ratio": 0.5714285714285714,
    "true_negative_rate_difference": 0.17499999999999993,
    "true_negative_rate_ratio": 0.7941176470588236,
    "true_positive_rate_difference": 0.22499999999999998,
    "true_positive_rate_ratio": 0.7272727272727273,
    "zero_one_loss_difference": 0.03166666666666673,
    "zero_one_loss_ratio": 0.8805031446540879,
}
AEQUITAS = {
    "pprev_disparity": 0.5714285714285714,
    "precision_disparity": 1.0606060606060606,
    "fdr_disparity": 0.8974358974358974,
    "for_disparity": 1.2925170068027212,
    "fpr_disparity": 0.4615384615384615,
    "fnr_disparity": 2.285714285714286,
    "tpr_disparity": 0.7272727272727273,
    "tnr_disparity": 1.259259259259259,
    "npv_disparity": 0.9494415049970606,
}
AIF360 = {
    "average_odds_difference": -0.2,
    "disparate_impact": 0.5714285714285714,
    "statistical_parity_difference": -0.22500000000000003,
    "equal_opportunity_difference": -0.22499999999999998,
    "error_rate_difference": -0.03166666666666673,
    "error_rate_ratio": 0.8805031446540879,
    "false_discovery_rate_difference": -0.038095238095238126,
    "false_omission_rate_ratio": 1.2925170068027212,
    "true_positive_rate_difference": -0.22499999999999998,
}


@pytest.mark.parametrize("name", FAIRLEARN)
def test_fairlearn(name: str) -> None:
    """Fairlearn has no reference: differences are above 0 and ratios below 1, whichever group is the lower."""
    value = ff.score(GROUP, name, against=REFERENCE)
    shown = abs(value) if name.endswith("difference") else min(value, 1 / value)
    assert shown == pytest.approx(FAIRLEARN[name], rel=1e-12)
    back = ff.score(REFERENCE, name, against=GROUP)
    if ff.metrics.contrast(name).id.startswith("equalized_odds"):
        assert back == value
    else:
        assert back == pytest.approx(-value if name.endswith("difference") else 1 / value, rel=1e-12)


@pytest.mark.parametrize("name", AEQUITAS)
def test_aequitas(name: str) -> None:
    assert ff.score(GROUP, name, against=REFERENCE) == pytest.approx(AEQUITAS[name], rel=1e-12)


@pytest.mark.parametrize("name", AIF360)
def test_aif360(name: str) -> None:
    assert ff.score(GROUP, name, against=REFERENCE) == pytest.approx(AIF360[name], rel=1e-12)


def test_departs_from_aequitas_ppr_disparity() -> None:
    """aequitas' ppr is a group's share of all predicted positives: 45 of 150 here, 105 of 150 there.

    Its ratio, 0.43, is that of the rates, 0.57, times that of the groups' sizes. `ppr` is a rate here, so the name is
    refused.
    """
    with pytest.raises(ff.InputError, match="ask for pprev_disparity") as caught:
        ff.metrics.contrast("ppr_disparity")
    assert caught.value.code == "bad_metric"
    assert ff.metrics.contrast("ppr_ratio").id == "predicted_positive_rate_ratio"
    rates, sizes = ff.score(GROUP, "pprev_disparity", against=REFERENCE), GROUP.total / REFERENCE.total
    assert rates * sizes == pytest.approx(0.4285714285714286, rel=1e-12)


def test_one_measure_has_one_id() -> None:
    same = {
        "statistical_parity_difference": ["demographic_parity_difference", "demographic_parity", "SPD"],
        "disparate_impact": ["demographic_parity_ratio", "Demographic Parity Ratio"],
        "equalized_odds": ["equalized_odds_difference"],
        "recall_ratio": ["tpr_disparity", "true_positive_rate_ratio"],
    }
    for own, names in same.items():
        assert {ff.metrics.contrast(name).id for name in names} == {own}


def test_the_worst_of_two_ratios() -> None:
    """Recalls 0.6 and 0.3, false positive rates both 0.5: the group's recall is twice as high, and that is worst."""
    group, reference = ff.Table(tp=6, fn=4, fp=5, tn=5), ff.Table(tp=3, fn=7, fp=5, tn=5)
    assert ff.score(group, "equalized_odds_ratio", against=reference) == 0.5
    assert ff.score(reference, "equalized_odds_ratio", against=group) == 0.5
    assert ff.score(group, "equalized_odds_ratio", against=group) == 1
    none = ff.Table(tp=0, fn=10, fp=5, tn=5)
    assert ff.score(none, "equalized_odds_ratio", against=group) == 0
    assert math.isnan(ff.score(group, "equalized_odds_ratio", against=none))
    assert "no true positives in the reference" in ff.metrics.contrast("equalized_odds_ratio").why_undefined(
        group, none
    )


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ([(0.5, 0.8), (0.9, 0.95)], (0.5, 0.8)),
        ([(0.5, 0.8), (0.9, 4.0)], (0.25, 0.8)),
        ([(2.0, 4.0), (0.9, 1.1)], (0.25, 0.5)),
        ([(0.5, 2.0), (0.25, 4.0)], (0.25, 1.0)),
        ([(0.0, math.inf), (0.8, 0.9)], (0.0, 0.9)),
    ],
)
def test_the_interval_of_the_worst_ratio(ends: list[tuple[float, float]], expected: tuple[float, float]) -> None:
    """Every pair of ratios within the parts' ends has its worst within the whole's, and both ends are reached."""
    low, high = ff.metrics.contrast("equalized_odds_ratio").together(ends)
    assert (low, high) == pytest.approx(expected, abs=1e-12)
    (a, b), (c, d) = [(low, min(high, 1e6)) for low, high in ends]
    steps = [n / 50 for n in range(51)]
    worst = [min(min(x, 1 / x if x else 0), min(y, 1 / y if y else 0))
             for x in (a + s * (b - a) for s in steps) for y in (c + s * (d - c) for s in steps)]  # fmt: skip
    assert low - 1e-12 <= min(worst)
    assert max(worst) <= high + 1e-12


@pytest.mark.parametrize("name", [*FAIRLEARN, *AEQUITAS, *AIF360])
def test_every_word_has_an_interval(name: str) -> None:
    found = ff.groups.contrast_interval(GROUP, REFERENCE, name)
    assert found.low < found.value < found.high
    swapped = ff.groups.contrast_interval(REFERENCE, GROUP, name)
    assert swapped.low < swapped.value < swapped.high


@pytest.mark.parametrize("name", ["theil_index", "generalized_entropy_index", "consistency"])
def test_what_no_table_tells_has_no_name(name: str) -> None:
    with pytest.raises(ff.InputError, match="unknown metric"):
        ff.metrics.contrast(name)
