from __future__ import annotations

import json
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import fourfold as ff
from fourfold.chance import laws
from fourfold.chance.draws import Source

CELLS = ("tp", "fn", "fp", "tn")
GROUP = ff.Table(tp=2, fn=1, fp=0, tn=3)
REFERENCE = ff.Table(tp=60, fn=40, fp=80, tn=320)
EMPTY = ff.Table(tp=0, fn=0, fp=0, tn=0)


def codes(found: ff.groups.Smoothed) -> list[str]:
    return [note.code for note in found.notes]


def listed(found: ff.groups.Smoothed) -> list[float]:
    return [found.tp, found.fn, found.fp, found.tn]


def shares(table: ff.Table) -> list[float]:
    return [count / table.total for count in table.cells().values()]


def test_by_hand() -> None:
    """Six cases and ten of the reference's shares .12, .08, .16, .64, scaled back to six."""
    found = ff.smooth(GROUP, REFERENCE, strength=10)
    expected = [(2 + 1.2) * 6 / 16, (1 + 0.8) * 6 / 16, (0 + 1.6) * 6 / 16, (3 + 6.4) * 6 / 16]
    assert listed(found) == pytest.approx(expected, rel=1e-14)
    assert found.score("recall") == pytest.approx(3.2 / 5)
    assert found.score("mcc") == pytest.approx((3.2 * 9.4 - 1.8 * 1.6) / math.sqrt(4.8 * 5 * 11 * 11.2))
    assert (found.strength, found.chosen_by) == (10.0, "given")
    assert ff.smooth(GROUP.cells(), REFERENCE.cells(), strength="10") == found


cells = st.integers(0, 40)
tables = st.builds(ff.Table, tp=cells, fn=cells, fp=cells, tn=cells)
some = tables.filter(lambda table: table.total > 0)


@given(tables, some, st.floats(0, 1e6))
@settings(deadline=None, derandomize=True)
def test_the_sum_is_the_group_s_size(group: ff.Table, reference: ff.Table, strength: float) -> None:
    found = ff.smooth(group, reference, strength=strength)
    assert found.total == pytest.approx(max(group.total, 1), rel=1e-12)
    assert min(listed(found)) >= 0


@given(some, some)
@settings(deadline=None, derandomize=True)
def test_limits_of_the_strength(group: ff.Table, reference: ff.Table) -> None:
    assert listed(ff.smooth(group, reference, strength=0)) == list(group.cells().values())
    assert listed(ff.smooth(group, reference, strength=1e-9)) == pytest.approx(list(group.cells().values()), abs=1e-7)
    towards = [group.total * share for share in shares(reference)]
    assert listed(ff.smooth(group, reference, strength=1e12)) == pytest.approx(towards, rel=1e-7, abs=1e-7)


@given(some, some, st.floats(0.1, 100), st.sampled_from(["accuracy", "prevalence", "predicted_positive_rate"]))
@settings(deadline=None, derandomize=True)
def test_smoothed_shares_lie_between(group: ff.Table, reference: ff.Table, strength: float, name: str) -> None:
    low, high = sorted([ff.score(group, name), ff.score(reference, name)])
    assert low - 1e-12 <= ff.smooth(group, reference, strength=strength).score(name) <= high + 1e-12


def test_an_empty_group_gets_the_reference() -> None:
    for strength in (0, 5, 20, "auto"):
        found = ff.smooth(EMPTY, REFERENCE, strength=strength)
        assert listed(found) == pytest.approx(shares(REFERENCE), rel=1e-14)
        assert found.total == pytest.approx(1)
        assert found.score("recall") == pytest.approx(0.6)
        assert (found.divergence, found.best_strengths, found.checks) == (None, {}, ())


def test_undefined_even_after_smoothing() -> None:
    found = ff.smooth(ff.Table(tp=0, fn=0, fp=1, tn=2), ff.Table(tp=0, fn=0, fp=60, tn=70))
    assert math.isnan(found.score("recall"))


def test_adding_the_same_to_each_cell() -> None:
    found = ff.smooth(GROUP, epsilon=1)
    assert listed(found) == pytest.approx([3 * 0.6, 2 * 0.6, 1 * 0.6, 4 * 0.6])
    assert (found.total, found.reference, found.strength) == (pytest.approx(6), None, 4.0)
    assert found.score("recall") == pytest.approx(3 / 5)
    even = ff.smooth(GROUP, ff.Table(tp=25, fn=25, fp=25, tn=25), strength=4)
    assert listed(even) == pytest.approx(listed(found))
    assert listed(ff.smooth(GROUP, epsilon=0)) == list(GROUP.cells().values())
    assert listed(ff.smooth(GROUP, epsilon="1e-10")) == pytest.approx([2, 1, 0, 3], abs=1e-9)
    assert listed(ff.smooth(EMPTY, epsilon=1)) == [0.25] * 4
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["reference"] is None


@given(some, some)
@settings(deadline=None, derandomize=True)
def test_divergence_by_its_formula(group: ff.Table, reference: ff.Table) -> None:
    found = ff.smooth(group, reference).divergence
    pairs = [(own, other) for own, other in zip(shares(group), shares(reference), strict=True) if own]
    if any(not other for _, other in pairs):
        assert found == math.inf
    else:
        expected = math.fsum(own * (math.log(own) - math.log(other)) for own, other in pairs)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert found >= 0


def test_an_infinite_divergence_is_no_number_in_json() -> None:
    found = ff.smooth(GROUP, ff.Table(tp=0, fn=50, fp=50, tn=50))
    assert found.divergence == math.inf
    assert "impossible_cell" in codes(found)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["divergence"] is None


def test_the_best_strength_of_each_cell() -> None:
    """p (1 - p) / (p - p')^2: for tp 1/2 against 1/4 that is 4; where both agree any strength is right."""
    group, reference = ff.Table(tp=2, fn=1, fp=1, tn=0), ff.Table(tp=25, fn=25, fp=40, tn=10)
    found = ff.smooth(group, reference).best_strengths
    assert found["tp"] == pytest.approx(4)
    assert found["fn"] is None
    assert found["fp"] == pytest.approx(Fraction(3, 16) / Fraction(3, 20) ** 2)
    assert found["tn"] == 0


def test_the_best_strength_is_the_best() -> None:
    """The squared error (N p q + s^2 d^2) / (N + s)^2 of a cell's share is smallest at s = p q / d^2, at any N."""
    group, reference = ff.Table(tp=30, fn=20, fp=10, tn=40), ff.Table(tp=10, fn=20, fp=30, tn=40)
    found = ff.smooth(group, reference).best_strengths["tp"]
    p, d = 0.3, 0.2
    for n in (3, 17, 200):
        errors = [(n * p * (1 - p) + s * s * d * d) / (n + s) ** 2 for s in (found * 0.99, found, found * 1.01)]
        assert errors[1] < min(errors[0], errors[2])


def test_auto_is_the_least_expected_error_of_all_shares() -> None:
    group, reference = ff.Table(tp=30, fn=20, fp=10, tn=40), ff.Table(tp=10, fn=20, fp=30, tn=40)
    found = ff.smooth(group, reference)
    own = [(count + 0.5) / 102 for count in (30, 20, 10, 40)]
    spread = sum(p * (1 - p) for p in own)
    distance = sum((p - r) ** 2 for p, r in zip(own, (0.1, 0.2, 0.3, 0.4), strict=True))
    assert found.strength == pytest.approx(spread / distance)
    assert found == ff.smooth(group, reference, strength="auto")
    assert "closed form" in found.chosen_by
    assert ff.smooth(REFERENCE, REFERENCE, strength="auto").strength > 1000
    far = ff.smooth(ff.Table(tp=100, fn=0, fp=0, tn=0), ff.Table(tp=0, fn=0, fp=0, tn=100), strength="auto")
    assert far.strength < 0.1


def test_checks_by_their_formula() -> None:
    group, reference = ff.Table(tp=30, fn=20, fp=10, tn=40), ff.Table(tp=10, fn=20, fp=30, tn=40)
    found = ff.smooth(group, reference, strength=8)
    spread, distance = 0.3 * 0.7 + 0.2 * 0.8 + 0.1 * 0.9 + 0.4 * 0.6, 0.08
    assert [check.size for check in found.checks] == [5, 10, 20, 50]
    for check in found.checks:
        assert check.raw == pytest.approx(spread / check.size)
        assert check.smoothed == pytest.approx((check.size * spread + 64 * distance) / (check.size + 8) ** 2)
    assert ff.smooth(GROUP, REFERENCE).checks == ()


def test_checks_equal_the_expected_errors_of_the_four_shares() -> None:
    """Samples of five cases, drawn and smoothed: the mean squared distance of the four shares from the truth."""
    group, reference = ff.Table(tp=30, fn=20, fp=10, tn=40), ff.Table(tp=10, fn=25, fp=30, tn=35)
    check = ff.smooth(group, reference, strength=8).checks[0]
    rng = np.random.default_rng(3)
    drawn = rng.multinomial(check.size, shares(group), 200_000)
    raw = ((drawn / check.size - shares(group)) ** 2).sum(axis=1).mean()
    smoothed = (drawn + 8 * np.array(shares(reference))) / (check.size + 8)
    assert check.raw == pytest.approx(raw, rel=0.01)
    assert check.smoothed == pytest.approx(((smoothed - shares(group)) ** 2).sum(axis=1).mean(), rel=0.01)


def test_notes_of_the_paper_s_advice() -> None:
    assert codes(ff.smooth(GROUP, REFERENCE, strength=5)) == []
    assert codes(ff.smooth(GROUP, REFERENCE, strength=20)) == []
    assert codes(ff.smooth(GROUP, REFERENCE, strength=4.9)) == ["unusual_strength"]
    assert codes(ff.smooth(GROUP, REFERENCE, strength=21)) == ["unusual_strength"]
    assert codes(ff.smooth(GROUP, ff.Table(tp=20, fn=20, fp=20, tn=39), strength=10)) == ["small_reference"]
    assert codes(ff.smooth(REFERENCE, REFERENCE, strength=10)) == ["group_is_reference"]


@pytest.mark.parametrize(
    ("given", "code", "argument"),
    [
        ({"reference": EMPTY}, "empty", "reference"),
        ({"reference": None}, "usage", "reference"),
        ({"reference": "rest"}, "bad_shape", "reference"),
        ({"group": (1, 2, 3, 4)}, "bad_shape", "group"),
        ({"strength": -1}, "bad_option", "strength"),
        ({"strength": "much"}, "bad_option", "strength"),
        ({"strength": math.nan}, "bad_option", "strength"),
        ({"strength": math.inf}, "bad_option", "strength"),
        ({"strength": None}, "bad_option", "strength"),
        ({"epsilon": 1}, "usage", "epsilon"),
        ({"reference": None, "epsilon": -1}, "bad_option", "epsilon"),
        ({"reference": None, "epsilon": "a little"}, "bad_option", "epsilon"),
    ],
)
def test_bad_input(given: dict, code: str, argument: str) -> None:
    options = {"group": GROUP, "reference": REFERENCE} | given
    group, reference = options.pop("group"), options.pop("reference")
    with pytest.raises(ff.InputError, match=r"^[^:]+: .+, got .+\. Hint: .+") as caught:
        ff.smooth(group, reference, **options)
    assert (caught.value.code, caught.value.argument) == (code, argument)


def test_a_strength_beyond_all_floats() -> None:
    for options in ({"reference": REFERENCE, "strength": "1e400"}, {"epsilon": "1e400"}):
        with pytest.raises(ff.InputError, match="must be a number"):
            ff.smooth(GROUP, **options)


def test_unknown_metrics_of_a_smoothed_table() -> None:
    with pytest.raises(ff.InputError, match="unknown metric"):
        ff.smooth(GROUP, REFERENCE).score("recal")


GROUPS = {
    "a": ff.Table(tp=8, fn=2, fp=3, tn=7),
    "b": ff.Table(tp=30, fn=9, fp=12, tn=49),
    "c": ff.Table(tp=1, fn=1, fp=0, tn=2),
}


def test_many_groups_towards_all_others() -> None:
    found = ff.groups.smooth_groups(GROUPS, strength=5)
    rest = ff.Table(tp=31, fn=10, fp=12, tn=51)
    assert found["a"] == ff.smooth(GROUPS["a"], rest, strength=5)
    assert list(found) == ["a", "b", "c"]
    fixed = ff.groups.smooth_groups(GROUPS, strength=5, reference=REFERENCE)
    assert fixed["c"] == ff.smooth(GROUPS["c"], REFERENCE, strength=5)
    assert ff.groups.smooth_groups({"a": GROUPS["a"]}, strength=5, reference=REFERENCE)["a"].reference == REFERENCE


def log_likelihood(strength: float, groups: dict[str, ff.Table], reference: ff.Table | None = None) -> float:
    """Return the Dirichlet-multinomial likelihood of the groups' counts, each around its reference's shares."""
    total = 0.0
    for name, table in groups.items():
        others = [other for key, other in groups.items() if key != name]
        sums = [sum(other.cells()[cell] for other in others) for cell in CELLS]
        ref = shares(reference) if reference else [one / sum(sums) for one in sums]
        total += math.lgamma(strength) - math.lgamma(strength + table.total)
        for count, share in zip(table.cells().values(), ref, strict=True):
            total += math.lgamma(count + strength * share) - math.lgamma(strength * share)
    return total


def test_auto_is_the_likeliest_strength() -> None:
    groups = {
        "a": ff.Table(tp=8, fn=2, fp=3, tn=7),
        "b": ff.Table(tp=10, fn=19, fp=22, tn=49),
        "c": ff.Table(tp=12, fn=3, fp=1, tn=4),
    }
    found = ff.groups.smooth_groups(groups)
    chosen = found["a"].strength
    assert {each.strength for each in found.values()} == {chosen}
    assert "Dirichlet-multinomial" in found["a"].chosen_by
    assert 0.1 < chosen < 1000
    grid = [0.01 * 10 ** (i / 50) for i in range(301)]
    best = max(grid, key=lambda strength: log_likelihood(strength, groups))
    assert chosen == pytest.approx(best, rel=0.05)
    assert log_likelihood(chosen, groups) >= log_likelihood(best, groups) - 1e-9


def test_auto_learns_from_how_far_groups_lie_apart() -> None:
    """Groups drawn from one law call for a large strength, groups that differ for a small one."""
    rng = np.random.default_rng(5)
    names = [f"g{i}" for i in range(12)]
    alike = {
        name: ff.Table(**dict(zip(CELLS, rng.multinomial(60, [0.3, 0.2, 0.1, 0.4]).tolist(), strict=True)))
        for name in names
    }
    apart = {
        name: ff.Table(**dict(zip(CELLS, rng.multinomial(60, rng.dirichlet([1.0] * 4)).tolist(), strict=True)))
        for name in names
    }
    assert ff.groups.smooth_groups(alike)["g0"].strength > 50
    assert ff.groups.smooth_groups(apart)["g0"].strength < 15


def test_one_case_is_not_taken_for_certain() -> None:
    """Its own share would be 1, with no spread, and call for no smoothing at all."""
    found = ff.smooth(ff.Table(tp=1, fn=0, fp=0, tn=0), REFERENCE)
    assert 1 < found.strength < 3
    assert 0.6 < found.score("recall") < 1


def test_notes_say_how_far_groups_differ() -> None:
    """A Dirichlet share varies by p (1 - p) / (strength + 1), as that of strength + 1 drawn cases."""
    found = ff.groups.smooth_groups(GROUPS | {"d": ff.Table(tp=0, fn=14, fp=1, tn=12)})
    strength = found["a"].strength
    assert f"adds {round(strength)} cases" in found["a"].notes[0].text
    assert found["a"].notes[0].data == {"strength": strength}
    assert "drawn_in" in codes(found["c"])
    assert f"{100 * 4 / (4 + strength):.1f} % of the smoothed table" in found["c"].notes[-1].text
    assert "drawn_in" not in codes(found["b"])
    alike = {str(i): ff.Table(tp=30, fn=20, fp=10, tn=40) for i in range(5)}
    assert "not shown to differ beyond chance" in ff.groups.smooth_groups(alike)["0"].notes[0].text


@pytest.mark.parametrize(
    "found", [ff.smooth(GROUP, REFERENCE), ff.smooth(REFERENCE, ff.Table(tp=12, fn=8, fp=16, tn=64))]
)
def test_a_learned_strength_is_never_called_unusual(found: ff.groups.Smoothed) -> None:
    assert "unusual_strength" not in codes(found)


#: A reference so large that its own shares are as good as known: .12, .08, .16, .64.
KNOWN = ff.Table(tp=12 * 10**9, fn=8 * 10**9, fp=16 * 10**9, tn=64 * 10**9)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_at_a_given_strength_is_a_beta_law(level: float) -> None:
    found = ff.smooth(GROUP, KNOWN, strength=10)
    tails = (1 - level) / 2, (1 + level) / 2
    for name, a, b in (("recall", 3.2, 1.8), ("accuracy", 12.6, 3.4), ("jaccard", 3.2, 3.4)):
        each = found.interval(name, level)
        assert (each.low, each.high) == pytest.approx(stats.beta(a, b).ppf(tails), rel=1e-6)
        assert each.value == found.score(name)
    f1, jaccard = found.interval("f1", level), found.interval("jaccard", level)
    assert f1.low == pytest.approx(2 * jaccard.low / (1 + jaccard.low))
    assert f1.method == "Dirichlet posterior, exact quantiles"
    added = ff.smooth(GROUP, epsilon=1).interval("recall", level)
    assert (added.low, added.high) == pytest.approx(stats.beta(3, 2).ppf(tails), rel=1e-9)


def test_a_small_reference_counts_for_no_more_than_its_cases() -> None:
    """Two sources of scatter, 1 / strength and 1 / cases, add up; each cell of the reference has half a case more."""
    found = ff.smooth(GROUP, ff.Table(tp=12, fn=8, fp=16, tn=64), strength=10**6)
    counts = 1 / (1 / 10**6 + 1 / 102)
    law = stats.beta(2 + counts * 12.5 / 102, 1 + counts * 8.5 / 102)
    each = found.interval("recall")
    assert (each.low, each.high) == pytest.approx(law.ppf([0.025, 0.975]), rel=1e-6)


def test_a_learned_strength_is_counted_in() -> None:
    """The ends are where a mixture of beta laws has its tails, over strengths weighted by likelihood and prior.

    With x = log strength, the standard deviation (1 + e^x)^(-1/2) is uniform where x has density e^x (1 + e^x)^(-3/2).
    """
    groups = GROUPS | {"d": ff.Table(tp=0, fn=14, fp=1, tn=12)}
    found = ff.groups.smooth_groups(groups)
    grid = [10 ** (-2 + i / 10) for i in range(61)]
    logs = [log_likelihood(strength, groups) for strength in grid]
    prior = [strength / (1 + strength) ** 1.5 for strength in grid]
    weights = np.exp(np.array(logs) - max(logs)) * prior
    for name, table in groups.items():
        rest = [sum(other.cells()[cell] for key, other in groups.items() if key != name) + 0.5 for cell in CELLS]
        counts = [strength * sum(rest) / (strength + sum(rest)) for strength in grid]
        a = np.array([table.tp + count * rest[0] / sum(rest) for count in counts])
        b = np.array([table.fn + count * rest[1] / sum(rest) for count in counts])
        each = found[name].interval("recall")
        below = [weights @ stats.beta.cdf(end, a, b) / weights.sum() for end in (each.low, each.high)]
        assert below == pytest.approx([0.025, 0.975], abs=1e-6), name
        assert each.method == "mixture over strengths, exact quantiles"


def test_other_metrics_are_drawn() -> None:
    found = ff.smooth(GROUP, KNOWN, strength=10)
    each = found.interval("mcc")
    rng = np.random.default_rng(8)
    drawn = rng.dirichlet([3.2, 1.8, 1.6, 9.4], 200_000)
    values = ff.metric("mcc").formula.evaluate(dict(zip(CELLS, drawn.T, strict=True)))
    assert (each.low, each.high) == pytest.approx(np.quantile(values, [0.025, 0.975]), abs=0.02)
    assert each.method == "Dirichlet posterior, 10000 draws, seed 20250"
    assert each == found.interval("mcc")
    odds = found.interval("dor")
    assert 0 < odds.low < odds.value < odds.high


def test_intervals_survive_pickle_and_copy() -> None:
    found = ff.groups.smooth_groups(GROUPS)
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again["c"].interval("recall") == found["c"].interval("recall")
    assert again["c"].interval("mcc") == found["c"].interval("mcc")


def test_intervals_where_nothing_is_known() -> None:
    nothing = ff.smooth(ff.Table(tp=0, fn=0, fp=1, tn=2), epsilon=0)
    for name in ("recall", "mcc"):
        each = nothing.interval(name)
        assert (each.value, each.low, each.high, each.method) == (None, None, None, "none")
    certain = ff.smooth(ff.Table(tp=3, fn=0, fp=1, tn=2), epsilon=0).interval("recall")
    assert (certain.low, certain.high) == (1, 1)
    never = ff.smooth(ff.Table(tp=0, fn=3, fp=1, tn=2), epsilon=0).interval("recall")
    assert (never.low, never.high) == (0, 0)
    with pytest.raises(ff.InputError, match="level: must lie between"):
        nothing.interval("recall", 95)


def test_bad_groups() -> None:
    with pytest.raises(ff.InputError, match="must hold at least one group") as caught:
        ff.groups.smooth_groups({})
    assert caught.value.code == "empty"
    with pytest.raises(ff.InputError, match="a single group has no others"):
        ff.groups.smooth_groups({"a": GROUP})
    with pytest.raises(ff.InputError, match="reference: has no cases"):
        ff.groups.smooth_groups({"a": GROUP, "b": EMPTY})
    with pytest.raises(ff.InputError, match="b: must be a table"):
        ff.groups.smooth_groups({"a": GROUP, "b": 5})
    with_empty = ff.groups.smooth_groups({**GROUPS, "none": EMPTY})
    assert with_empty["none"].total == pytest.approx(1)


def test_rows_and_json() -> None:
    found = ff.smooth(GROUP, REFERENCE)
    row = found.rows()[0]
    assert [row[name] for name in CELLS] == listed(found)
    assert row["best_strength_tp"] == found.best_strengths["tp"]
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == found.to_dict()


def simulated(
    group: ff.Table, reference: ff.Table, name: str, size: int, strength: float, epsilon: float
) -> tuple[float, float, float]:
    """Return squared error, bias and share defined by drawing, as the paper did."""
    rng = np.random.default_rng(17)
    drawn = rng.multinomial(size, shares(group), 200_000).astype(float)
    added = drawn + epsilon + strength * np.array(shares(reference))
    with np.errstate(all="ignore"):
        values = ff.metric(name).formula.evaluate(dict(zip(CELLS, added.T, strict=True)))
    off = values - ff.score(group, name)
    return float(np.nanmean(off**2)), float(np.nanmean(off)), float(np.mean(~np.isnan(off)))


@pytest.mark.parametrize("name", ["accuracy", "recall", "precision", "f1", "mcc", "marginal_benefit", "prevalence_threshold", "jaccard"])  # fmt: skip
@pytest.mark.parametrize(("strength", "epsilon"), [(0, 0), (10, 0), (0, 1)])
def test_expected_errors_by_drawing(name: str, strength: float, epsilon: float) -> None:
    group = ff.Table(tp=30, fn=25, fp=15, tn=50)
    found = ff.groups.expected_error(group, REFERENCE, name, size=9, strength=strength, epsilon=epsilon)
    mse, bias, defined = simulated(group, REFERENCE, name, 9, strength, epsilon)
    assert found.target == pytest.approx(ff.score(group, name))
    assert found.mse == pytest.approx(mse, rel=0.03)
    assert found.bias == pytest.approx(bias, abs=0.005)
    assert found.defined == pytest.approx(defined, abs=0.005)
    assert found.mse == pytest.approx(found.bias**2 + found.variance, rel=1e-9)
    assert found.mae**2 <= found.mse * (1 + 1e-12)


@given(
    st.builds(ff.Table, **dict.fromkeys(CELLS, st.integers(1, 30))),
    some,
    st.integers(1, 60),
    st.integers(0, 40),
    st.sampled_from(["accuracy", "prevalence", "predicted_negative_rate"]),
)
@settings(deadline=None, max_examples=50, derandomize=True)
def test_expected_error_of_binomial_metrics(
    group: ff.Table, reference: ff.Table, size: int, strength: int, name: str
) -> None:
    """(N p q + s^2 d^2) / (N + s)^2, with bias s d / (N + s) (001 eq. 31 and 32)."""
    p, d = ff.score(group, name), ff.score(reference, name) - ff.score(group, name)
    found = ff.groups.expected_error(group, reference, name, size=size, strength=strength)
    assert found.mse == pytest.approx(
        (size * p * (1 - p) + strength**2 * d**2) / (size + strength) ** 2, rel=1e-9, abs=1e-14
    )
    assert found.bias == pytest.approx(strength * d / (size + strength), rel=1e-9, abs=1e-12)
    assert found.variance == pytest.approx(size * p * (1 - p) / (size + strength) ** 2, rel=1e-9, abs=1e-14)
    assert found.defined == pytest.approx(1)


def test_expected_error_of_joint_ratios() -> None:
    """A sum over how many of N cases are positive, k: (k t (1 - t) + c^2 (t' - t)^2) / (k + c)^2."""
    group = ff.Table(tp=30, fn=25, fp=15, tn=50)
    for size in (3, 20, 60):
        for strength in (0, 5, 20):
            p, t, other = 55 / 120, 30 / 55, 0.6
            c = strength * 0.2
            mse = mass = 0.0
            for k in range(0 if c else 1, size + 1):
                weight = math.comb(size, k) * p**k * (1 - p) ** (size - k)
                mass += weight
                mse += weight * (k * t * (1 - t) + c**2 * (other - t) ** 2) / (k + c) ** 2
            found = ff.groups.expected_error(group, REFERENCE, "recall", size=size, strength=strength)
            assert found.mse == pytest.approx(mse / mass, rel=1e-10)
            assert found.defined == pytest.approx(mass, rel=1e-12)


@pytest.mark.parametrize("name", ["accuracy", "recall", "negative_predictive_value", "jaccard", "marginal_benefit"])
@pytest.mark.parametrize("size", [1, 7, 400])
@pytest.mark.parametrize(("strength", "epsilon"), [(0, 0), (10, 0), (0, 1)])
def test_the_short_form_equals_the_enumerated_one(name: str, size: int, strength: float, epsilon: float) -> None:
    group = ff.Table(tp=30, fn=25, fp=15, tn=50)
    found = ff.groups.expected_error(group, REFERENCE, name, size=size, strength=strength, epsilon=epsilon)
    each = Fraction(epsilon)
    added = tuple(each + strength * Fraction(count, REFERENCE.total) for count in REFERENCE.cells().values())
    short = laws.Sample(size, Source.of(group)).moments(ff.metric(name), added)
    assert short is not None
    defined, mean, variance = short
    assert defined == pytest.approx(found.defined, rel=1e-12)
    assert mean - found.target == pytest.approx(found.bias, rel=1e-9, abs=1e-12)
    assert variance == pytest.approx(found.variance, rel=1e-9, abs=1e-15)


def test_estimates_with_a_case_added_to_each_cell() -> None:
    sample = laws.Sample(2, Source.of(ff.Table(tp=1, fn=1, fp=1, tn=1)))
    values, chances = sample.estimates(ff.metric("recall"), (Fraction(1),) * 4)
    assert float(values @ chances) == pytest.approx(0.5, abs=1e-12)


def test_large_sizes_have_a_short_form() -> None:
    group = ff.Table(tp=30, fn=25, fp=15, tn=50)
    found = ff.groups.expected_error(group, REFERENCE, "recall", size=10**6, strength=10)
    assert found.mae is None
    p, t = 55 / 120, 30 / 55
    assert found.mse == pytest.approx(t * (1 - t) / (p * 10**6), rel=1e-4)
    binomial = ff.groups.expected_error(group, REFERENCE, "accuracy", size=10**6, strength=10)
    assert binomial.mse == pytest.approx(
        (10**6 * (2 / 3) / 3 + 100 * (0.76 - 2 / 3) ** 2) / (10**6 + 10) ** 2, rel=1e-9
    )
    with pytest.raises(ff.TooLarge):
        ff.groups.expected_error(group, REFERENCE, "mcc", size=10**6)


def test_many_expected_errors_at_once_equal_single_ones() -> None:
    group = ff.Table(tp=30, fn=25, fp=15, tn=50)
    names, sizes, estimators = ["recall", "mcc"], [2, 9], [(0, 0), (5, 0), (0, "1e-10")]
    found = list(ff.groups.expected_errors(group, REFERENCE, names, sizes, estimators))
    assert len(found) == 12
    for each in found:
        given = {"strength": Fraction(each.strength), "epsilon": "1e-10" if each.epsilon else 0}
        assert each == ff.groups.expected_error(group, REFERENCE, each.metric, size=each.size, **given)
    row = found[0].rows()[0]
    assert (row["metric"], row["size"], row["strength"]) == ("recall", 2, 0.0)
    assert json.loads(json.dumps(found[0].to_dict(), allow_nan=False)) == found[0].to_dict()


def test_a_target_that_is_undefined() -> None:
    group = ff.Table(tp=0, fn=0, fp=20, tn=30)
    found = ff.groups.expected_error(group, REFERENCE, "recall", size=5)
    assert (found.target, found.mse, found.bias, found.variance, found.mae) == (None,) * 5
    assert [note.code for note in found.notes] == ["score_undefined"]
    assert found.notes[0].data["reasons"] == ["no actual positives"]


def test_an_estimate_that_is_never_defined_is_not_said_to_be_always() -> None:
    """No positives in the group, none added: not one draw has a recall."""
    found = ff.groups.expected_error(ff.Table(tp=0, fn=0, fp=20, tn=30), None, "recall", size=5)
    assert found.defined == 0


@pytest.mark.parametrize(
    ("given", "code", "argument"),
    [
        ({"size": 0}, "bad_count", "size"),
        ({"size": -3}, "bad_count", "size"),
        ({"size": 2.5}, "bad_count", "size"),
        ({"name": "recal"}, "unknown_metric", "recal"),
        ({"strength": -1}, "bad_option", "strength"),
        ({"epsilon": -1}, "bad_option", "epsilon"),
        ({"strength": 5, "epsilon": 1}, "usage", "epsilon"),
        ({"strength": 5, "reference": None}, "usage", "reference"),
        ({"strength": 5, "reference": EMPTY}, "empty", "reference"),
        ({"group": EMPTY}, "empty", "group"),
    ],
)
def test_bad_questions_of_expected_errors(given: dict, code: str, argument: str) -> None:
    options = {"group": REFERENCE, "reference": REFERENCE, "name": "recall", "size": 5} | given
    positional = [options.pop(name) for name in ("group", "reference", "name")]
    with pytest.raises(ff.InputError, match=r"^[^:]+: .+, got .+\. Hint: .+") as caught:
        ff.groups.expected_error(*positional, **options)
    assert (caught.value.code, caught.value.argument) == (code, argument)
