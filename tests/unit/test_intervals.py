from __future__ import annotations

import json
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import contingency

import fourfold as ff
from fourfold.groups.testing.intervals import _inverted_test
from fourfold.writers import to_json

CELLS = ("tp", "fn", "fp", "tn")
REFERENCE = ff.Table(tp=60, fn=40, fp=80, tn=320)
#: The share that a standard normal number exceeds in one of forty draws.
Z = 1.959963984540054


def of(x: int, k: int) -> ff.Table:
    """Return a table whose recall is x out of k."""
    return ff.Table(tp=x, fn=k - x, fp=3, tn=4)


def at_least(x: int, k: int, share: Fraction) -> float:
    return float(sum(math.comb(k, i) * share**i * (1 - share) ** (k - i) for i in range(x, k + 1)))


def at_most(x: int, k: int, share: Fraction) -> float:
    return float(sum(math.comb(k, i) * share**i * (1 - share) ** (k - i) for i in range(x + 1)))


def all_tables(size: int) -> Iterator[tuple[int, int, int, int]]:
    for a in range(size + 1):
        for b in range(size + 1 - a):
            for c in range(size + 1 - a - b):
                yield a, b, c, size - a - b - c


@pytest.mark.parametrize(
    ("x", "k", "low", "high"),
    [(5, 5, 0.4782, 1), (0, 5, 0, 0.5218), (8, 10, 0.4439, 0.9748), (1, 10, 0.0025, 0.4450), (5, 10, 0.1871, 0.8129)],
)
def test_clopper_pearson_in_textbooks(x: int, k: int, low: float, high: float) -> None:
    found = ff.interval(of(x, k), "recall")
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)
    assert (found.method, found.value, found.level) == ("Clopper-Pearson", x / k, 0.95)
    assert found.notes == ()


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_clopper_pearson_ends_have_the_tail(level: float) -> None:
    """At the lower end as many or more have just the tail's chance, at the upper end as many or fewer."""
    tail = (1 - level) / 2
    for x, k in ((1, 4), (3, 7), (11, 12), (20, 60)):
        found = ff.interval(of(x, k), "recall", level=level)
        assert at_least(x, k, Fraction(found.low)) == pytest.approx(tail, rel=1e-9)
        assert at_most(x, k, Fraction(found.high)) == pytest.approx(tail, rel=1e-9)
    for k in (1, 6, 30):
        assert ff.interval(of(0, k), "recall", level=level).high == pytest.approx(1 - tail ** (1 / k), rel=1e-9)
        assert ff.interval(of(k, k), "recall", level=level).low == pytest.approx(tail ** (1 / k), rel=1e-9)


def test_clopper_pearson_covers() -> None:
    n = 10
    ends = [(found.low, found.high) for found in (ff.interval(of(x, n), "recall") for x in range(n + 1))]
    for p in np.linspace(0.01, 0.99, 99):
        covered = sum(
            math.comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(n + 1) if ends[x][0] <= p <= ends[x][1]
        )
        assert covered >= 0.95


def test_rates_of_all_kinds() -> None:
    table = ff.Table(tp=7, fn=3, fp=4, tn=16)
    cases = {
        "recall": (7, 10),
        "specificity": (16, 20),
        "precision": (7, 11),
        "negative_predictive_value": (16, 19),
        "accuracy": (23, 30),
        "prevalence": (10, 30),
        "predicted_positive_rate": (11, 30),
        "jaccard": (7, 14),
    }
    for name, (x, k) in cases.items():
        found = ff.interval(table, name)
        assert (found.method, found.value) == ("Clopper-Pearson", pytest.approx(x / k))
        assert at_least(x, k, Fraction(found.low)) == pytest.approx(0.025, rel=1e-9), name
        assert at_most(x, k, Fraction(found.high)) == pytest.approx(0.025, rel=1e-9), name
    for name, other in (
        ("recall", "false_negative_rate"),
        ("precision", "false_discovery_rate"),
        ("accuracy", "inaccuracy"),
    ):
        one, two = ff.interval(table, name), ff.interval(table, other)
        assert (one.low, one.high) == pytest.approx((1 - two.high, 1 - two.low), rel=1e-12)


def test_wilson_by_its_closed_form_and_its_meaning() -> None:
    """The ends are the shares from which the observed one lies just z standard errors away."""
    for x, k in ((8, 10), (1, 4), (30, 200)):
        found = ff.interval(of(x, k), "recall", method="wilson")
        centre = (x + Z * Z / 2) / (k + Z * Z)
        reach = Z / (k + Z * Z) * math.sqrt(x * (k - x) / k + Z * Z / 4)
        assert (found.low, found.high) == pytest.approx((centre - reach, centre + reach), rel=1e-12)
        for end in (found.low, found.high):
            assert abs(x / k - end) == pytest.approx(Z * math.sqrt(end * (1 - end) / k), rel=1e-9)
        assert (found.method, [note.code for note in found.notes]) == ("Wilson", ["approximation"])
    assert ff.interval(of(8, 10), "recall", method="wilson").low == pytest.approx(0.4902, abs=5e-5)
    assert ff.interval(of(0, 9), "recall", method="wilson").low == 0
    assert ff.interval(of(9, 9), "recall", method="wilson").high == 1


def test_the_inverted_exact_test_is_clopper_pearson_for_a_binomial_metric() -> None:
    """Along any path of tables the chances of accuracy depend on its share alone, so both must agree."""
    for cells in ((7, 3, 4, 16), (1, 2, 0, 3), (5, 0, 1, 2), (40, 3, 9, 100)):
        table = ff.Table(**dict(zip(CELLS, cells, strict=True)))
        expected = ff.interval(table, "accuracy")
        low, high, used = _inverted_test(ff.metric("accuracy"), table, 0.95)
        assert (low, high) == pytest.approx((expected.low, expected.high), rel=1e-4, abs=1e-6)
        assert used == "inverted exact test, along one path"


TRUTHS = [(0.3, 0.2, 0.1, 0.4), (0.25, 0.25, 0.25, 0.25), (0.1, 0.05, 0.05, 0.8), (0.05, 0.25, 0.1, 0.6)]


@pytest.mark.parametrize("name", ["mcc", "f1", "marginal_benefit"])
def test_the_inverted_exact_test_covers(name: str) -> None:
    """All tables of eight cases, each with its chance: how often the interval holds the truth, given it is defined."""
    size = 8
    found = {cells: ff.interval(dict(zip(CELLS, cells, strict=True)), name) for cells in all_tables(size)}
    for shares in TRUTHS:
        truth = float(ff.metric(name).formula.evaluate(dict(zip(CELLS, shares, strict=True))))
        covered = defined = 0.0
        for cells, each in found.items():
            ways = math.factorial(size) / math.prod(map(math.factorial, cells))
            chance = ways * math.prod(share**count for share, count in zip(shares, cells, strict=True))
            if each.value is not None:
                defined += chance
                covered += chance * (each.low - 1e-9 <= truth <= each.high + 1e-9)
        assert covered / defined >= 0.90, shares


counts = st.integers(0, 12)
tables = st.builds(ff.Table, tp=counts, fn=counts, fp=counts, tn=counts)


@given(tables, st.sampled_from(sorted(ff.METRICS)), st.sampled_from([0.5, 0.9, 0.95]))
@settings(deadline=None, max_examples=120, derandomize=True)
def test_the_value_lies_inside(table: ff.Table, name: str, level: float) -> None:
    found = ff.interval(table, name, level=level)
    limits = ff.metric(name).limits
    if found.value is None:
        assert found.notes[0].data["reasons"]
        assert (found.low is None) == (found.high is None) == (found.method == "none")
        assert found.low is None or limits.low <= found.low <= found.high <= (limits.high or math.inf)
        return
    assert limits.low <= found.low <= found.value <= found.high
    assert limits.high is None or found.high <= limits.high
    assert found.value == pytest.approx(ff.score(table, name))


@given(
    st.builds(ff.Table, **dict.fromkeys(CELLS, st.integers(1, 9))), st.sampled_from(["mcc", "f1", "recall", "kappa"])
)
@settings(deadline=None, max_examples=30, derandomize=True)
def test_a_higher_level_is_wider(table: ff.Table, name: str) -> None:
    narrow, wide = (ff.interval(table, name, level=level) for level in (0.8, 0.95))
    assert wide.low <= narrow.low + 1e-6
    assert narrow.high <= wide.high + 1e-6


def test_more_cases_are_narrower() -> None:
    for name in ("mcc", "f1", "recall", "marginal_benefit"):
        few, more = (ff.interval(ff.Table(tp=4 * i, fn=2 * i, fp=3 * i, tn=6 * i), name) for i in (1, 10))
        assert few.value == pytest.approx(more.value)
        assert more.high - more.low < 0.6 * (few.high - few.low)


def test_exchanging_the_classes() -> None:
    table, other = ff.Table(tp=5, fn=2, fp=3, tn=9), ff.Table(tp=9, fn=3, fp=2, tn=5)
    for name in ("mcc", "f1", "recall", "kappa"):
        one, two = ff.interval(table, name), ff.interval(other, ff.metric(name).negative())
        assert (one.low, one.high) == pytest.approx((two.low, two.high), abs=1e-5)
    one, two = ff.interval(table, "mcc"), ff.interval(ff.Table(tp=2, fn=5, fp=9, tn=3), "mcc")
    assert (one.low, one.high) == pytest.approx((-two.high, -two.low), abs=1e-5)


def test_bootstrap() -> None:
    table = ff.Table(tp=90, fn=30, fp=40, tn=140)
    first, again = ff.interval(table, "mcc", method="bootstrap"), ff.interval(table, "mcc", method="bootstrap")
    assert first == again
    assert "parametric bootstrap" in first.method
    assert [note.code for note in first.notes] == ["approximation"]
    seeded = ff.interval(table, "mcc", method="bootstrap", rng=4)
    assert seeded == ff.interval(table, "mcc", method="bootstrap", rng=np.random.default_rng(4))
    assert seeded != first
    exact = ff.interval(table, "mcc", method="exact")
    assert exact.method == "inverted exact test, along one path"
    assert (first.low, first.high) == pytest.approx((exact.low, exact.high), abs=0.02)


def test_large_groups_say_that_they_were_drawn() -> None:
    table = ff.Table(tp=900, fn=300, fp=400, tn=1400)
    found = ff.interval(table, "mcc")
    assert "bootstrap" in found.method
    assert [note.code for note in found.notes] == ["approximation"]
    ratio = ff.interval(table, "f1")
    assert ratio.method == "Clopper-Pearson"
    # The standard error of 2 tp / (2 tp + e) by the delta method, from its slopes at the shares .3 and 7/30.
    tp, wrong = 0.3, 7 / 30
    slopes = 2 * wrong / (2 * tp + wrong) ** 2, -2 * tp / (2 * tp + wrong) ** 2
    error = math.sqrt((tp * slopes[0] ** 2 + wrong * slopes[1] ** 2) / 3000)
    assert ratio.high - ratio.low == pytest.approx(2 * Z * error, rel=0.03)


def test_undefined_is_none_with_its_reason() -> None:
    found = ff.interval(ff.Table(tp=0, fn=0, fp=2, tn=3), "mcc")
    assert (found.value, found.low, found.high, found.method) == (None, None, None, "none")
    assert found.notes[0].code == "score_undefined"
    assert found.notes[0].data["reasons"] == ["no actual positives"]
    assert json.loads(to_json(found)) == found.to_dict()


@pytest.mark.parametrize(
    ("options", "code", "argument"),
    [
        ({"level": 0}, "bad_option", "level"),
        ({"level": 1}, "bad_option", "level"),
        ({"level": 95}, "bad_option", "level"),
        ({"level": math.nan}, "bad_option", "level"),
        ({"level": "0.95"}, "bad_option", "level"),
        ({"method": "wald"}, "bad_option", "method"),
        ({"method": "wilson", "name": "mcc"}, "bad_option", "method"),
        ({"name": "recal"}, "unknown_metric", "recal"),
        ({"table": [1, 2, 3, 4]}, "bad_shape", "table"),
    ],
)
def test_bad_input(options: dict, code: str, argument: str) -> None:
    chosen = {"table": REFERENCE, "name": "recall"} | options
    positional = [chosen.pop(name) for name in ("table", "name")]
    with pytest.raises(ff.InputError, match=r"^[^:]+: .+, got .+\. Hint: .+") as caught:
        ff.interval(*positional, **chosen)
    assert (caught.value.code, caught.value.argument) == (code, argument)


def test_an_open_end_is_plain_json() -> None:
    """An odds ratio may be as large as it likes; infinity is no JSON number."""
    found = ff.interval(ff.Table(tp=200, fn=0, fp=1, tn=200), "diagnostic_odds_ratio")
    assert found.high == math.inf
    shown = json.loads(to_json(found))
    assert (shown["value"], shown["high"], shown["unlimited"]) == (None, None, True)


def test_rows_and_json() -> None:
    found = ff.interval(REFERENCE, "recall")
    assert found.rows()[0]["low"] == found.low
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == found.to_dict()


GROUP = ff.Table(tp=5, fn=5, fp=2, tn=8)
DIFFERENCES = ["recall_difference", "mcc_difference", "f1_difference", "accuracy_difference"]
RATIOS = ["recall_ratio", "accuracy_ratio", "false_positive_rate_ratio", "disparate_impact"]


def test_a_difference_by_newcombe() -> None:
    """Each end moves by the root of the squared distances to the groups' own ends."""
    found = ff.groups.contrast_interval(GROUP, REFERENCE, "recall_difference")
    one, two = ff.interval(GROUP, "recall"), ff.interval(REFERENCE, "recall")
    assert found.value == pytest.approx(-0.1)
    assert found.low == pytest.approx(-0.1 - math.sqrt((0.5 - one.low) ** 2 + (two.high - 0.6) ** 2))
    assert found.high == pytest.approx(-0.1 + math.sqrt((one.high - 0.5) ** 2 + (0.6 - two.low) ** 2))
    assert "Clopper-Pearson" in found.method
    assert [note.code for note in found.notes] == ["approximation"]
    wider = ff.groups.contrast_interval(GROUP, REFERENCE, "recall_difference", level=0.99)
    assert wider.low < found.low < found.high < wider.high


def test_a_ratio_by_fieller_from_two_ends() -> None:
    """At the lower end r, the difference x - r y has an interval that just touches 0 (Donner and Zou)."""
    found = ff.groups.contrast_interval(GROUP, REFERENCE, "recall_ratio")
    one, two = ff.interval(GROUP, "recall"), ff.interval(REFERENCE, "recall")
    assert found.value == pytest.approx(0.5 / 0.6)
    low, high = found.low, found.high
    assert 0.5 - low * 0.6 == pytest.approx(math.hypot(0.5 - one.low, low * (two.high - 0.6)), rel=1e-9)
    assert high * 0.6 - 0.5 == pytest.approx(math.hypot(one.high - 0.5, high * (0.6 - two.low)), rel=1e-9)


@pytest.mark.parametrize("name", [*DIFFERENCES, *RATIOS, *ff.metrics.CONTRASTS])
def test_the_order_of_ends_and_what_two_equal_groups_give(name: str) -> None:
    others = [GROUP, REFERENCE, ff.Table(tp=9, fn=1, fp=7, tn=3), ff.Table(tp=1, fn=3, fp=1, tn=2)]
    for group in others:
        for reference in others:
            found = ff.groups.contrast_interval(group, reference, name)
            assert found.value is not None
            assert found.low <= found.value <= found.high, (group, reference)
            assert found.value == pytest.approx(ff.score(group, name, against=reference))
        same = ff.groups.contrast_interval(group, group, name)
        neutral = 1 if ff.metrics.contrast(name).how == "ratio" else 0
        assert same.value == pytest.approx(neutral)
        assert same.low <= neutral <= same.high


@pytest.mark.parametrize(
    "name", [*DIFFERENCES, "statistical_parity_difference", "objective_fairness_index", "ofi", "te"]
)
def test_a_difference_turns_its_sign_when_groups_change_places(name: str) -> None:
    one, two = ff.groups.contrast_interval(GROUP, REFERENCE, name), ff.groups.contrast_interval(REFERENCE, GROUP, name)
    assert (one.value, one.low, one.high) == pytest.approx((-two.value, -two.high, -two.low), rel=1e-9)


@pytest.mark.parametrize("name", RATIOS)
def test_a_ratio_turns_over_when_groups_change_places(name: str) -> None:
    group = ff.Table(tp=50, fn=50, fp=20, tn=80)
    one, two = ff.groups.contrast_interval(group, REFERENCE, name), ff.groups.contrast_interval(REFERENCE, group, name)
    assert (one.value, one.low, one.high) == pytest.approx((1 / two.value, 1 / two.high, 1 / two.low), rel=1e-9)


def test_the_larger_of_several_differences() -> None:
    found = ff.groups.contrast_interval(GROUP, REFERENCE, "equalized_odds")
    # Recall and false positive rate are of separate cases: both hold together as often as the product says.
    each, rates = math.sqrt(0.95), ("recall", "false_positive_rate")
    parts = [ff.groups.contrast_interval(GROUP, REFERENCE, f"{name}_difference", level=each) for name in rates]
    assert found.level == 0.95
    assert found.value == pytest.approx(max(abs(part.value) for part in parts))
    assert found.low == 0.0
    assert found.high == pytest.approx(max(max(abs(part.low), abs(part.high)) for part in parts))
    assert ff.groups.contrast_interval(REFERENCE, GROUP, "equalized_odds").high == pytest.approx(found.high)
    one, two = ff.Table(tp=90, fn=10, fp=5, tn=95), ff.Table(tp=10, fn=90, fp=5, tn=95)
    recalls = ff.groups.contrast_interval(one, two, "recall_difference", level=each)
    assert ff.groups.contrast_interval(one, two, "equalized_odds").low == pytest.approx(recalls.low)


def test_differences_cover() -> None:
    """Two groups of twelve positives: how often the interval of the difference of their recalls holds the truth."""
    n = 12
    parts = [ff.Table(tp=x, fn=n - x, fp=1, tn=1) for x in range(n + 1)]
    found = [[ff.groups.contrast_interval(one, two, "recall_difference") for two in parts] for one in parts]
    for p, q in ((0.5, 0.5), (0.3, 0.6), (0.9, 0.75), (0.1, 0.2)):
        one, two = ([math.comb(n, x) * r**x * (1 - r) ** (n - x) for x in range(n + 1)] for r in (p, q))
        covered = sum(
            one[x] * two[y] for x in range(n + 1) for y in range(n + 1) if found[x][y].low <= p - q <= found[x][y].high
        )
        assert covered >= 0.94, (p, q)


def test_a_ratio_of_opposite_signs_lies_in_its_interval() -> None:
    """Benefits of .08 and -.15 have the ratio -.533."""
    found = ff.groups.contrast_interval(REFERENCE, GROUP, "marginal_benefit_ratio")
    assert found.value == pytest.approx(0.08 / -0.15)
    assert found.low <= found.value <= found.high


def test_a_ratio_whose_divisor_may_be_nothing_is_open_above() -> None:
    found = ff.groups.contrast_interval(GROUP, ff.Table(tp=1, fn=30, fp=0, tn=9), "mcc_ratio")
    assert found.high == math.inf
    assert json.loads(to_json(found))["value"] == pytest.approx(found.value)


def test_an_undefined_contrast() -> None:
    found = ff.groups.contrast_interval(GROUP, ff.Table(tp=0, fn=0, fp=2, tn=8), "recall_difference")
    assert (found.value, found.low, found.high) == (None, None, None)
    assert found.notes[0].data["reasons"] == ["no actual positives in the reference"]
    ratio = ff.groups.contrast_interval(GROUP, ff.Table(tp=0, fn=5, fp=2, tn=8), "recall_ratio")
    assert ratio.value is None
    assert ratio.notes[0].code == "score_undefined"
    assert json.loads(to_json(ratio)) == ratio.to_dict()


def test_bad_contrasts() -> None:
    with pytest.raises(ff.InputError, match="recall_difference") as caught:
        ff.groups.contrast_interval(GROUP, REFERENCE, "recall")
    assert caught.value.code == "bad_metric"
    with pytest.raises(ff.InputError, match="unknown metric"):
        ff.groups.contrast_interval(GROUP, REFERENCE, "fairness")
    with pytest.raises(ff.InputError, match="level: must lie between 0 and 1"):
        ff.groups.contrast_interval(GROUP, REFERENCE, "recall_difference", level=2)
    with pytest.raises(ff.InputError, match="reference: must be a table"):
        ff.groups.contrast_interval(GROUP, [1, 2, 3, 4], "recall_difference")


def test_rows_and_json_of_a_comparison() -> None:
    found = ff.groups.contrast_interval(GROUP, REFERENCE, "disparate_impact")
    assert found.rows()[0]["contrast"] == "disparate_impact"
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == found.to_dict()


@pytest.mark.parametrize(
    ("cells", "name"),
    [
        ((50, 1, 1, 50), "dor"),
        ((199, 1, 1, 199), "dor"),
        ((7, 1, 2, 0), "prevalence_threshold"),
        ((0, 2, 2, 0), "kappa"),
    ],
)
@pytest.mark.parametrize("level", [0.1, 0.5, 0.95])
def test_an_interval_holds_its_value_wherever_the_path_starts(
    cells: tuple[int, int, int, int], name: str, level: float
) -> None:
    """The path starts at smoothed shares, where the test may reject already or the metric be undefined."""
    found = ff.interval(ff.Table(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True))), name, level=level)
    assert found.low <= found.value <= found.high


def test_f1_holds_where_jaccard_does() -> None:
    """F1 is 2J / (1 + J), and Jaccard's J is tp of tp + fn + fp: at its ends x of k has just the tail."""
    table = ff.Table(tp=7, fn=3, fp=4, tn=16)
    jaccard, f1 = ff.interval(table, "jaccard"), ff.interval(table, "f1")
    assert at_least(7, 14, Fraction(jaccard.low)) == pytest.approx(0.025, rel=1e-9)
    assert at_most(7, 14, Fraction(jaccard.high)) == pytest.approx(0.025, rel=1e-9)
    assert (f1.low, f1.high) == pytest.approx([2 * end / (1 + end) for end in (jaccard.low, jaccard.high)], rel=1e-12)
    harmonic = ff.interval(table, "f1_harmonic")
    assert (f1.low, f1.high, f1.method) == (harmonic.low, harmonic.high, "Clopper-Pearson")
    wilson, share = (ff.interval(table, name, method="wilson") for name in ("f1", "jaccard"))
    assert wilson.low == pytest.approx(2 * share.low / (1 + share.low), rel=1e-12)
    # Errors are 3 of 7 missed: a share of 3/7 is a ratio of 3 to 4.
    ratio, missed = ff.interval(table, "treatment_ratio"), ff.interval(of(3, 7), "recall")
    assert ratio.high == pytest.approx(missed.high / (1 - missed.high), rel=1e-9)


@pytest.mark.parametrize("name", ["f1", "jaccard", "diagnostic_odds_ratio", "treatment_ratio", "precision"])
def test_every_table_counted_the_level_is_kept(name: str) -> None:
    """All tables of eight cases, undefined scores by the interval that they have."""
    size = 8
    ends = {cells: ff.interval(dict(zip(CELLS, cells, strict=True)), name) for cells in all_tables(size)}
    for shares in TRUTHS:
        truth = float(ff.metric(name).formula.evaluate(dict(zip(CELLS, shares, strict=True))))
        covered = 0.0
        for cells, each in ends.items():
            ways = math.factorial(size) / math.prod(map(math.factorial, cells))
            chance = ways * math.prod(share**count for share, count in zip(shares, cells, strict=True))
            covered += chance * (each.low - 1e-9 <= truth <= each.high + 1e-9)
        assert covered >= 0.95, shares


def test_no_cases_leave_every_share_open() -> None:
    for method in ("auto", "wilson"):
        found = ff.interval(ff.Table(tp=0, fn=0, fp=2, tn=3), "recall", method=method)
        assert (found.value, found.low, found.high) == (None, 0.0, 1.0)
        assert found.notes[0].data["reasons"] == ["no actual positives"]
    assert "0.0000 to 1.0000" in str(found)
    ratio = ff.interval(ff.Table(tp=4, fn=3, fp=0, tn=2), "treatment_ratio")
    # 3 of 3 errors are misses: the share is at least .025 to the power 1/3.
    least = 0.025 ** (1 / 3)
    assert (ratio.value, ratio.low, ratio.high) == (None, pytest.approx(least / (1 - least)), math.inf)


@pytest.mark.parametrize(
    "cells", [(7, 3, 4, 16), (5, 0, 1, 4), (0, 4, 3, 9), (6, 0, 0, 5), (50, 10, 12, 40), (0, 0, 2, 3)]
)
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_odds_ratio_as_scipy_has_it(cells: tuple[int, int, int, int], level: float) -> None:
    tp, fn, fp, tn = cells
    found = ff.interval(dict(zip(CELLS, cells, strict=True)), "dor", level=level)
    peer = contingency.odds_ratio([[tp, fn], [fp, tn]], kind="conditional").confidence_interval(level)
    if not tp + fn:  # scipy has no number for a table without positives; nothing is known of its odds
        assert (found.low, found.high) == (0, math.inf)
        return
    assert (found.low, found.high) == pytest.approx((peer.low, peer.high), rel=1e-6)
    assert found.method == "exact conditional"
    assert (found.value is None) == (not fn * fp)


TWO_RATES = ff.Table(tp=8, fn=2, fp=3, tn=17)


def test_a_metric_of_two_rates_is_newcombe_s_difference() -> None:
    found, balanced = ff.interval(TWO_RATES, "informedness"), ff.interval(TWO_RATES, "balanced_accuracy")
    recall, fpr = ff.interval(TWO_RATES, "recall"), ff.interval(TWO_RATES, "fpr")
    down = math.hypot(0.8 - recall.low, fpr.high - 0.15)
    up = math.hypot(recall.high - 0.8, 0.15 - fpr.low)
    assert (found.low, found.high) == pytest.approx((0.65 - down, 0.65 + up), abs=1e-9)
    assert (balanced.low, balanced.high) == pytest.approx(((1.65 - down) / 2, (1.65 + up) / 2), abs=1e-9)
    assert [note.code for note in found.notes] == ["approximation"]
    precision, omitted = ff.interval(TWO_RATES, "precision"), ff.interval(TWO_RATES, "false_omission_rate")
    down = math.hypot(precision.value - precision.low, omitted.high - omitted.value)
    marked = ff.interval(TWO_RATES, "markedness")
    assert marked.low == pytest.approx(marked.value - down, abs=1e-9)


def test_a_ratio_of_two_rates_is_that_of_donner_and_zou() -> None:
    """At the lower end r, the difference recall - r fpr has an interval that just touches 0."""
    found = ff.interval(TWO_RATES, "positive_likelihood_ratio")
    recall, fpr = ff.interval(TWO_RATES, "recall"), ff.interval(TWO_RATES, "fpr")
    low, high = found.low, found.high
    assert 0.8 - low * 0.15 == pytest.approx(math.hypot(0.8 - recall.low, low * (fpr.high - 0.15)), rel=1e-7)
    assert high * 0.15 - 0.8 == pytest.approx(math.hypot(recall.high - 0.8, high * (0.15 - fpr.low)), rel=1e-7)
    threshold = ff.interval(TWO_RATES, "prevalence_threshold")
    expected = [1 / (1 + math.sqrt(end)) for end in (high, low)]
    assert (threshold.low, threshold.high) == pytest.approx(expected, rel=1e-7)


def test_two_rates_of_which_one_is_unknown() -> None:
    """Without positives recall can be anything: informedness from -fpr to 1 - fpr, wherever the fpr lies."""
    table = ff.Table(tp=0, fn=0, fp=1, tn=7)
    found, fpr = ff.interval(table, "informedness"), ff.interval(table, "fpr")
    assert (found.value, found.low, found.high) == (None, pytest.approx(-fpr.high), pytest.approx(1 - fpr.low))
    nothing = ff.interval(ff.Table(tp=0, fn=0, fp=0, tn=0), "informedness")
    assert (nothing.low, nothing.high) == pytest.approx((-1, 1))
    ratio = ff.interval(ff.Table(tp=8, fn=2, fp=0, tn=7), "positive_likelihood_ratio")
    assert (ratio.value, ratio.high) == (None, math.inf)
    recall, fpr = ff.interval(of(8, 10), "recall"), ff.interval(of(0, 7), "recall")
    # The least ratio on the quarter of an ellipse, in steps of a thousandth of a degree.
    angles = np.linspace(0, math.pi / 2, 90_001)[1:]
    arc = (0.8 - np.cos(angles) * (0.8 - recall.low)) / (np.sin(angles) * fpr.high)
    assert ratio.low == pytest.approx(arc.min(), rel=1e-6)


def test_which_metrics_two_rates_decide() -> None:
    """What changes when every positive comes twice is no function of recall and specificity."""
    for name in ("informedness", "g_mean", "negative_likelihood_ratio", "markedness", "prevalence_threshold"):
        assert "two intervals" in ff.interval(TWO_RATES, name).method
    for name in ("mcc", "kappa", "fowlkes_mallows", "p4", "marginal_benefit"):
        assert ff.interval(TWO_RATES, name).method == "inverted exact test, along one path"


def test_a_class_that_never_occurs_is_not_taken_for_known() -> None:
    """One false positive and no positive at all: kappa is 0, and could be nearly 1 as soon as positives come."""
    found = ff.interval(ff.Table(tp=0, fn=0, fp=1, tn=9), "kappa")
    assert (found.value, "bootstrap" in found.method) == (0, True)
    assert found.high > 0.9


def test_a_path_that_starts_where_recall_and_false_positive_rate_agree() -> None:
    """With half a case more in each cell both rates are 1/4, where the prevalence threshold is 0/0."""
    found = ff.interval(ff.Table(tp=0, fn=1, fp=2, tn=7), "prevalence_threshold", method="exact")
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_the_odds_ratio_interval_is_near_that_of_its_logarithm() -> None:
    """Woolf: the logarithm's standard error is the root of the sum of one over each cell."""
    found = ff.interval(ff.Table(tp=50, fn=10, fp=12, tn=40), "dor")
    reach = 1.96 * math.sqrt(1 / 50 + 1 / 10 + 1 / 12 + 1 / 40)
    assert math.log(found.low) == pytest.approx(math.log(found.value) - reach, abs=0.15)
    assert math.log(found.high) == pytest.approx(math.log(found.value) + reach, abs=0.15)


@pytest.mark.parametrize("cells", [(200, 0, 0, 201), (15_000, 0, 0, 6_000)])
@pytest.mark.parametrize("name", ["mcc", "kappa", "g_mean", "f1"])
def test_perfect_is_not_certain(cells: tuple[int, int, int, int], name: str) -> None:
    """Above the size where tests are inverted, tables without errors still leave room for some."""
    found = ff.interval(ff.Table(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True))), name)
    assert (found.value, found.high) == (1, 1)
    assert found.low < 1


def test_a_ratio_against_a_rare_score_has_its_lower_end() -> None:
    """By hand: x = 1/2 with 3 of 6, y = 1/41; the formula of Donner and Zou with Clopper-Pearson ends."""
    group, reference = ff.Table(tp=3, fn=3, fp=1, tn=5), ff.Table(tp=1, fn=40, fp=80, tn=320)
    first, second = ff.interval(group, "recall"), ff.interval(reference, "recall")
    x, y, low, high = 0.5, 1 / 41, first.low, second.high
    bottom = high * (2 * y - high)
    by_hand = (x * y - math.sqrt((x * y) ** 2 - low * (2 * x - low) * bottom)) / bottom
    assert bottom < 0 < by_hand
    assert ff.groups.contrast_interval(group, reference, "recall_ratio").low == pytest.approx(by_hand)
