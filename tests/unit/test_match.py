from __future__ import annotations

import json
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fourfold as ff
from fourfold.writers import terminal_text, to_json

GROUP = ff.Table(tp=1, fn=4, fp=2, tn=13)
REFERENCE = ff.Table(tp=60, fn=40, fp=80, tn=320)
EMPTY = ff.Table(tp=0, fn=0, fp=0, tn=0)


def codes(found: ff.groups.Match) -> list[str]:
    return [note.code for note in found.notes]


def swapped(table: ff.Table) -> ff.Table:
    return ff.Table(tp=table.tn, fn=table.fp, fp=table.fn, tn=table.tp)


def test_accuracy_by_hand() -> None:
    """Three of four cases right, where a case is right with chance 1/2: 1 + 4 + 6 of 16 below, 4 equal, 1 above."""
    found = ff.match(ff.Table(tp=2, fn=1, fp=0, tn=1), ff.Table(tp=1, fn=1, fp=1, tn=1), "accuracy")
    assert (found.score, found.undefined) == (0.75, 0.0)
    assert (found.below, found.equal, found.above) == pytest.approx((11 / 16, 4 / 16, 1 / 16), rel=1e-14)
    assert found.percentile == found.p_lower == pytest.approx(15 / 16)
    assert found.p_upper == pytest.approx(5 / 16)
    assert found.p_value == pytest.approx(10 / 16)
    assert found.mid_p == pytest.approx(2 * (1 / 16 + 2 / 16))
    assert found.method == "binomial"


def test_recall_by_hand() -> None:
    """Two cases, each tp, fn or neither with 1/4, 1/4, 1/2: recall is undefined in 1/4 of the draws."""
    found = ff.match({"tp": 1, "fn": 1, "fp": 0, "tn": 0}, {"tp": 1, "fn": 1, "fp": 1, "tn": 1}, "sensitivity")
    assert found.metric == "recall"
    assert found.undefined == pytest.approx(0.25)
    # Of the others: recall 0 has 1/16 + 2/8, recall 1/2 has 2/16, recall 1 as 0.
    assert (found.below, found.equal, found.above) == pytest.approx((5 / 12, 2 / 12, 5 / 12), rel=1e-13)
    assert found.p_value == 1.0
    assert "undefined_mass" in codes(found)


def test_an_undefined_score_is_none_with_its_reason() -> None:
    found = ff.match(ff.Table(tp=0, fn=0, fp=2, tn=3), REFERENCE, "recall")
    parts = (found.score, found.below, found.equal, found.above, found.percentile)
    assert parts == (None,) * 5
    assert (found.p_lower, found.p_upper, found.p_value, found.mid_p) == (None,) * 4
    note = next(note for note in found.notes if note.code == "score_undefined")
    assert note.data["reasons"] == ["no actual positives"]
    # One of five cases in five is positive: how often none is can still be told.
    assert found.undefined == pytest.approx(0.8**5)
    assert json.loads(to_json(found))["score"] is None


def test_an_empty_group() -> None:
    found = ff.match(EMPTY, REFERENCE, "accuracy")
    assert (found.score, found.percentile, found.undefined) == (None, None, 1.0)
    assert "score_undefined" in codes(found)


def test_a_reference_that_never_defines_the_score() -> None:
    found = ff.match(GROUP, ff.Table(tp=0, fn=0, fp=100, tn=300), "recall")
    assert found.score == 0.2
    assert (found.percentile, found.p_value, found.undefined) == (None, None, 1.0)
    assert "undefined_mass" in codes(found)


def test_a_reference_without_a_cell_that_the_group_has() -> None:
    found = ff.match(ff.Table(tp=1, fn=2, fp=0, tn=3), ff.Table(tp=0, fn=50, fp=50, tn=50), "recall")
    note = next(note for note in found.notes if note.code == "impossible_cell")
    assert note.data["cells"] == ["tp"]
    assert (found.below, found.equal, found.above, found.p_value) == (1.0, 0.0, 0.0, 0.0)


def test_what_is_worth_knowing_of_a_reference() -> None:
    assert codes(ff.match(REFERENCE, REFERENCE, "recall")) == ["group_is_reference"]
    assert "small_reference" in codes(ff.match(GROUP, ff.Table(tp=30, fn=20, fp=20, tn=29), "accuracy"))
    assert "small_reference" not in codes(ff.match(GROUP, ff.Table(tp=30, fn=20, fp=20, tn=30), "accuracy"))
    assert codes(ff.match(GROUP, REFERENCE, "accuracy")) == []


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        ({"reference": EMPTY}, "empty", "reference: has no cases"),
        ({"name": "recal"}, "unknown_metric", "did you mean 'recall'"),
        ({"name": "recall_difference"}, "bad_metric", "compares two groups"),
        ({"method": "quick"}, "bad_option", "choose one of auto, exact, normal, beta, monte carlo"),
        ({"method": "beta", "name": "accuracy"}, "bad_option", "takes only joint ratios, not accuracy"),
        ({"method": "beta", "name": "f1"}, "bad_option", "takes only joint ratios, not f1"),
        ({"method": "beta", "name": "mcc"}, "bad_option", "takes only joint ratios, not mcc"),
        ({"method": "beta", "reference_uncertainty": True}, "usage", "uncertain reference"),
        ({"group": [1, 4, 2, 13]}, "bad_shape", "group: must be a table"),
        ({"reference": "all"}, "bad_shape", "reference: must be a table"),
        ({"group": {"tp": 1, "fn": 2}}, "bad_shape", "also give fp, tn"),
        ({"group": {"tp": 1, "fn": 2, "fp": 0, "tn": -1}}, "bad_count", "tn: must be a whole number"),
    ],
)
def test_bad_input(given: dict, code: str, words: str) -> None:
    options = {"group": GROUP, "reference": REFERENCE, "name": "recall"} | given
    positional = [options.pop(name) for name in ("group", "reference", "name")]
    with pytest.raises(ff.InputError, match=r"^[^:]+: .+, got .+\. Hint: .+") as caught:
        ff.match(*positional, **options)
    assert caught.value.code == code
    assert words in str(caught.value)


def test_no_draws_at_all_is_bad_input() -> None:
    for draws in (0, -1):
        with pytest.raises(ff.InputError, match="draws"):
            ff.match(GROUP, REFERENCE, "recall", method="monte carlo", draws=draws)


def test_too_large_for_the_budget() -> None:
    group = ff.Table(tp=100, fn=60, fp=70, tn=170)
    with pytest.raises(ff.TooLarge, match="the exact law would take"):
        ff.match(group, REFERENCE, "mcc", method="exact", budget=100)
    with pytest.raises(ff.TooLarge, match="the exact law would take"):
        ff.match(group, REFERENCE, "mcc", method="exact", reference_uncertainty=True, budget=100)
    found = ff.match(group, REFERENCE, "mcc", budget=100)
    assert found.method == "normal, by the delta method"
    assert next(note for note in found.notes if note.code == "approximation").data == {"method": found.method}
    exact = ff.match(group, REFERENCE, "mcc", method="exact")
    assert "approximation" not in codes(exact)
    assert found.percentile == pytest.approx(exact.percentile, abs=0.02)


@pytest.mark.parametrize("name", ["recall", "mcc", "f1", "marginal_benefit", "macro_treatment_ratio"])
@pytest.mark.parametrize("uncertain", [False, True])
def test_drawing_is_reproducible_and_near_the_exact_law(name: str, uncertain: bool) -> None:
    group = ff.Table(tp=3, fn=5, fp=4, tn=13)
    given = {"method": "monte carlo", "draws": 40_000, "reference_uncertainty": uncertain}
    first, again = (ff.match(group, REFERENCE, name, rng=11, **given) for _ in range(2))
    third = ff.match(group, REFERENCE, name, rng=np.random.default_rng(11), **given)
    assert first == again == third
    other = ff.match(group, REFERENCE, name, rng=12, **given)
    assert first != other
    exact = ff.match(group, REFERENCE, name, reference_uncertainty=uncertain)
    assert first.method == "monte carlo, 40000 draws"
    assert "approximation" in codes(first)
    # Five standard errors of a share from 40,000 draws.
    for part in ("below", "equal", "above", "undefined"):
        assert getattr(first, part) == pytest.approx(getattr(exact, part), abs=0.0125), part


def test_normal_and_beta_say_so() -> None:
    group = ff.Table(tp=45, fn=55, fp=30, tn=170)
    exact = ff.match(group, REFERENCE, "recall")
    for method, used in (("normal", "normal, by the delta method"), ("beta", "beta, without pseudo-counts")):
        found = ff.match(group, REFERENCE, "recall", method=method)
        assert found.method == used
        assert codes(found) == ["approximation"]
        assert found.percentile == pytest.approx(exact.percentile, abs=0.03)
    steps = ff.match(group, REFERENCE, "accuracy", method="normal")
    assert steps.method == "normal, corrected for steps"
    assert steps.percentile == pytest.approx(ff.match(group, REFERENCE, "accuracy").percentile, abs=0.005)


def test_an_approximation_without_a_score_or_a_spread() -> None:
    undefined = ff.match(ff.Table(tp=0, fn=0, fp=2, tn=3), REFERENCE, "recall", method="beta")
    assert (undefined.score, undefined.percentile) == (None, None)
    never = ff.match(GROUP, ff.Table(tp=0, fn=0, fp=200, tn=300), "recall", method="normal")
    assert (never.score, never.percentile) == (0.2, None)
    # Every positive of the reference is found: any lower recall lies below all there is.
    sure = ff.match(GROUP, ff.Table(tp=200, fn=0, fp=200, tn=300), "recall", method="normal")
    assert (sure.below, sure.above) == (0.0, 1.0)


def test_an_approximation_states_the_undefined_mass_too() -> None:
    """How often a metric is undefined does not depend on how its chances are approximated."""
    group = ff.Table(tp=2, fn=1, fp=1, tn=3)
    for name in ("recall", "mcc", "prevalence_threshold"):
        exact = ff.match(group, REFERENCE, name)
        assert ff.match(group, REFERENCE, name, method="normal").undefined == pytest.approx(
            exact.undefined, rel=1e-9
        ), name


def test_an_uncertain_reference_is_less_sure() -> None:
    group = ff.Table(tp=4, fn=26, fp=20, tn=50)
    small = ff.Table(tp=18, fn=12, fp=20, tn=50)
    for name in ("recall", "f1", "mcc"):
        sure, unsure = (ff.match(group, small, name, reference_uncertainty=each) for each in (False, True))
        assert sure.p_value < 0.01
        assert unsure.p_value > sure.p_value, name
        assert unsure.reference_uncertainty
        assert unsure.to_dict()["reference_uncertainty"] is True
    # A hundred million cases leave next to no uncertainty.
    huge = ff.Table(tp=18 * 10**6, fn=12 * 10**6, fp=20 * 10**6, tn=50 * 10**6)
    sure, unsure = (ff.match(group, huge, "recall", reference_uncertainty=each) for each in (False, True))
    assert unsure.p_value == pytest.approx(sure.p_value, rel=1e-3)


def test_a_normal_law_with_an_uncertain_reference() -> None:
    """It is wider by what the reference's own chance adds, and close to the exact law."""
    group = ff.Table(tp=100, fn=60, fp=70, tn=170)
    for name in ("mcc", "accuracy", "recall"):
        exact = ff.match(group, REFERENCE, name, reference_uncertainty=True)
        found = ff.match(group, REFERENCE, name, reference_uncertainty=True, method="normal")
        assert found.method.startswith("normal")
        assert found.percentile == pytest.approx(exact.percentile, abs=0.02), name
        sure = ff.match(group, REFERENCE, name, method="normal")
        assert abs(found.percentile - 0.5) < abs(sure.percentile - 0.5)
    assert ff.match(group, REFERENCE, "mcc", reference_uncertainty=True, budget=100).method.startswith("normal")


def test_an_uncertain_reference_by_hand() -> None:
    """One case, reference 1 and 0 of two cells: after half a case in each of four cells, a tp has 1.5/3 and so on."""
    found = ff.match(
        ff.Table(tp=1, fn=0, fp=0, tn=0), ff.Table(tp=1, fn=0, fp=0, tn=0), "accuracy", reference_uncertainty=True
    )
    assert (found.below, found.equal, found.above) == pytest.approx((1 / 3, 2 / 3, 0))


cells = st.integers(0, 9)
tables = st.builds(ff.Table, tp=cells, fn=cells, fp=cells, tn=cells)
filled = st.builds(ff.Table, **dict.fromkeys(("tp", "fn", "fp", "tn"), st.integers(1, 40)))
NAMES = ["recall", "precision", "accuracy", "f1", "mcc", "marginal_benefit", "treatment_ratio", "kappa", "jaccard"]


@given(tables, filled, st.sampled_from(NAMES))
@settings(deadline=None, max_examples=60, derandomize=True)
def test_exchanging_the_classes_changes_nothing(group: ff.Table, reference: ff.Table, name: str) -> None:
    one = ff.match(group, reference, name)
    other = ff.match(swapped(group), swapped(reference), ff.metric(name).negative())
    assert (one.score is None) == (other.score is None)
    parts = ("score", "below", "equal", "above", "undefined", "p_value") if one.score is not None else ("undefined",)
    for part in parts:
        assert getattr(one, part) == pytest.approx(getattr(other, part), rel=1e-9, abs=1e-12), part


@given(tables, filled)
@settings(deadline=None, max_examples=60, derandomize=True)
def test_a_rate_and_its_complement_are_mirrored(group: ff.Table, reference: ff.Table) -> None:
    one, other = (ff.match(group, reference, name) for name in ("recall", "false_negative_rate"))
    if one.score is None:
        assert other.score is None
        return
    assert one.p_lower == pytest.approx(other.p_upper, rel=1e-9, abs=1e-13)
    assert one.p_upper == pytest.approx(other.p_lower, rel=1e-9, abs=1e-13)
    assert one.equal == pytest.approx(other.equal, rel=1e-9, abs=1e-13)
    assert one.p_value == pytest.approx(other.p_value, rel=1e-9, abs=1e-13)


@given(tables, filled, st.sampled_from(NAMES))
@settings(deadline=None, max_examples=60, derandomize=True)
def test_chances_hang_together(group: ff.Table, reference: ff.Table, name: str) -> None:
    found = ff.match(group, reference, name)
    if found.score is None:
        assert found.p_value is None
        return
    assert found.below + found.equal + found.above == pytest.approx(1, rel=0, abs=1e-12)
    assert found.p_value == pytest.approx(min(1.0, 2 * min(found.p_lower, found.p_upper)), rel=1e-12)
    assert 0 <= found.mid_p <= found.p_value <= 1
    assert found.mid_p == pytest.approx(
        min(1.0, 2 * min(found.below + found.equal / 2, found.above + found.equal / 2)), rel=1e-12
    )


def test_only_the_shares_of_a_certain_reference_count() -> None:
    larger = ff.Table(**{name: 7 * count for name, count in REFERENCE.cells().items()})
    one, other = ff.match(GROUP, REFERENCE, "mcc"), ff.match(GROUP, larger, "mcc")
    assert (one.below, one.equal) == pytest.approx((other.below, other.equal), rel=1e-12)


def test_small_tails_keep_their_digits() -> None:
    """All of 200 positives missed where 9 in 10 are found: 0.1 to the power of 200, far below what 1 - x could show."""
    group = ff.Table(tp=0, fn=200, fp=0, tn=0)
    found = ff.match(group, ff.Table(tp=900, fn=100, fp=0, tn=0), "recall")
    assert found.p_lower == pytest.approx(1e-200, rel=1e-9)
    assert found.p_value == pytest.approx(2e-200, rel=1e-9)
    high = ff.match(ff.Table(tp=200, fn=0, fp=0, tn=0), ff.Table(tp=100, fn=900, fp=0, tn=0), "recall")
    assert high.p_upper == pytest.approx(1e-200, rel=1e-9)


def test_a_group_of_a_million() -> None:
    group = ff.Table(tp=130_100, fn=69_900, fp=100_000, tn=700_000)
    found = ff.match(group, ff.Table(tp=13, fn=7, fp=10, tn=70), "recall")
    # About z = (0.6505 - 0.65) / sqrt(0.65 * 0.35 / 200,000) = 0.47.
    z = 0.0005 / math.sqrt(0.65 * 0.35 / 200_000)
    assert found.percentile == pytest.approx(0.5 * math.erfc(-z / math.sqrt(2)), abs=0.002)
    assert found.method == "joint ratio"


def test_the_example_of_the_paper_s_smallest_group() -> None:
    """13 of 39 found where 62 % are: one-sided the sum over how many of 345 cases are positive, in plain fractions."""
    group = ff.Table(tp=13, fn=26, fp=31, tn=275)
    reference = ff.Table(tp=26305, fn=16163, fp=20040, tn=93579)
    p, theta = Fraction(42468, 156087), Fraction(26305, 42468)
    n, lower, missing = 345, 0.0, float((1 - p) ** 345)
    for k in range(1, n + 1):
        weight = math.exp(
            math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
            + k * math.log(float(p)) + (n - k) * math.log1p(-float(p))
        )  # fmt: skip
        tail = sum(
            math.exp(
                math.lgamma(k + 1) - math.lgamma(x + 1) - math.lgamma(k - x + 1)
                + x * math.log(float(theta)) + (k - x) * math.log1p(-float(theta))
            )
            for x in range(k // 3 + 1)
        )  # fmt: skip
        lower += weight * tail
    found = ff.match(group, reference, "recall")
    assert found.p_lower == pytest.approx(lower / (1 - missing), rel=1e-8)


def test_rows_and_json() -> None:
    found = ff.match(GROUP, REFERENCE, "recall")
    row = found.rows()[0]
    assert (row["metric"], row["size"], row["score"], row["method"]) == ("recall", 20, 0.2, "joint ratio")
    assert (row["p_value"], row["mid_p"]) == (found.p_value, found.mid_p)
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain == found.to_dict()
    assert plain["group"] == GROUP.cells()
    assert plain["reference"] == REFERENCE.cells()
    assert [note["code"] for note in plain["notes"]] == codes(found)


def test_a_chance_too_small_for_floats_is_not_called_never() -> None:
    """Each kind of case is there, so any table can be drawn; without true positives a recall above 0 cannot."""
    group, reference = ff.Table(tp=40_000, fn=30_000, fp=20_000, tn=910_000), ff.Table(tp=263, fn=161, fp=200, tn=935)
    large = ff.match(group, reference, "mcc")
    assert (large.equal, large.undefined) == (0, 0)
    text = terminal_text(large)
    assert "never" not in text
    assert "would score this high or higher less than 0.01 % of the time" in text
    assert re.search(r"undefined +never", terminal_text(ff.match(group, reference, "accuracy")))
    without = ff.match(ff.Table(tp=3, fn=3, fp=2, tn=9), ff.Table(tp=0, fn=100, fp=100, tn=100), "recall")
    assert "would score this high or higher never" in terminal_text(without)
    assert re.search(r"the same score +0\n", re.sub(" +\n", "\n", terminal_text(without)))


def test_a_p_value_is_never_told_as_none() -> None:
    """Of a million each, a tenth and nine tenths: the chance is less than the smallest float."""
    group, reference = ff.Table(tp=10**5, fn=9 * 10**5, fp=1, tn=1), ff.Table(tp=9 * 10**5, fn=10**5, fp=1, tn=1)
    text = terminal_text(ff.compare_groups(group, reference, "recall"))
    assert "p < 1e-30." in text
    assert re.search(r"p-value, two-sided +< 1e-30", text)
