"""Laws, smoothing and expected errors against values found by brute force in rational arithmetic, kept outside the project."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from functools import cache

import pytest

import fourfold as ff
from fourfold.chance.draws import Source
from fourfold.chance.laws import Law, law
from fourfold.exact.surd import Exact, root

from ..conftest import ORACLE, needs

CLOSE = 1e-12
CELLS = ("tp", "fn", "fp", "tn")
#: The short names of the expected values, in the catalogue.
NAMES = {
    "ACC": "accuracy",
    "PREV": "prevalence",
    "PPR": "predicted_positive_rate",
    "INACC": "inaccuracy",
    "NPREV": "negative_prevalence",
    "TPR": "recall",
    "FPR": "false_positive_rate",
    "FNR": "false_negative_rate",
    "PPV": "precision",
    "NPV": "negative_predictive_value",
    "FOR": "false_omission_rate",
    "B": "marginal_benefit",
    "F1": "f1",
    "F1_ORIG": "f1_harmonic",
    "MCC": "mcc",
    "PT": "prevalence_threshold",
    "PT_S": "prevalence_threshold_simplified",
}

pytestmark = needs(ORACLE)


@cache
def oracle() -> dict:
    return json.loads(ORACLE.read_text())


def table(counts: list[int]) -> ff.Table:
    return ff.Table(**dict(zip(CELLS, counts, strict=True)))


def reference(shares: list[str]) -> ff.Table:
    """Return the smallest table with given shares."""
    numbers = [Fraction(share) for share in shares]
    scale = math.lcm(*(number.denominator for number in numbers))
    return table([int(number * scale) for number in numbers])


def law_of(case: dict) -> Law:
    return law(ff.metric(NAMES[case["metric"]]), case["n"], Source.of(reference(case["p"])))


def value_of(case: dict) -> Exact:
    """Return the observed score: given, or that of the observed table, or read from its key, MCC times its size."""
    if case["s_obs"] is not None:
        return Fraction(case["s_obs"])
    if case["obs"] is not None:
        found = ff.metric(NAMES[case["metric"]]).formula.exact(table(case["obs"]).cells())
        assert found is not None
        return found
    assert case["metric"] == "MCC"
    key = Fraction(case["s_obs_key"])
    return root(abs(key)) * (1 if key >= 0 else -1)


def exactly(text: str) -> float:
    return float(Fraction(text))


def near(value: float) -> object:
    return pytest.approx(value, rel=0, abs=CLOSE)


def test_every_name_is_known() -> None:
    cases = [*oracle()["match"], *oracle()["match_pmf"], *oracle()["cps"]["expected_mse"]]
    names = {case["metric"] for case in cases}
    names |= {name for case in oracle()["cps"]["smoothing"] for name in case["metrics"]}
    assert names <= set(NAMES)
    assert {ff.metric(name).id for name in NAMES.values()} == set(NAMES.values())
    assert (len(oracle()["match"]), len(oracle()["cps"]["expected_mse"])) == (25, 161)


def test_laws() -> None:
    for case in oracle()["match"]:
        found = law_of(case)
        below, equal, above = found.split(value_of(case))
        defined = 1 - found.undefined
        assert found.undefined == near(exactly(case["P_undefined"])), case["id"]
        assert found.defined == near(1 - exactly(case["P_undefined"])), case["id"]
        assert below * defined == near(exactly(case["P_lt"])), case["id"]
        assert equal * defined == near(exactly(case["P_eq"])), case["id"]
        assert (below + equal) * defined == near(exactly(case["P_le"])), case["id"]
        assert below == near(exactly(case["P_lt_given_defined"])), case["id"]
        assert equal + above == near(exactly(case["P_ge_given_defined"])), case["id"]
        assert found.cdf(value_of(case)) == near(exactly(case["P_le_given_defined"])), case["id"]
        assert found.mean == near(case["mean_given_defined"]), case["id"]
        assert found.variance == near(case["var_given_defined"]), case["id"]


def test_matches() -> None:
    cases = [case for case in oracle()["match"] if case["obs"] is not None]
    assert len(cases) == 21
    for case in cases:
        found = ff.match(table(case["obs"]), reference(case["p"]), NAMES[case["metric"]], method="exact")
        lower, upper = exactly(case["P_le_given_defined"]), exactly(case["P_ge_given_defined"])
        assert found.score == near(case["s_obs_float"]), case["id"]
        assert found.undefined == near(exactly(case["P_undefined"])), case["id"]
        assert (found.percentile, found.p_lower, found.p_upper) == (near(lower), near(lower), near(upper)), case["id"]
        assert found.p_value == near(min(1.0, 2 * min(lower, upper))), case["id"]
        equal = exactly(case["P_eq"]) / (1 - exactly(case["P_undefined"]))
        assert found.mid_p == near(min(1.0, 2 * min(lower, upper) - equal)), case["id"]


def test_normal_approximations() -> None:
    checked = 0
    for case in oracle()["match"]:
        expected = case.get("normal_cc", case.get("normal_cc_corrected_eq5"))
        if expected is None:
            continue
        # No group of 10 scores 0.29; the highest score that is not above it stands for it.
        group = table(case["obs"]) if case["obs"] else table([2, 8, 0, 0])
        found = ff.match(group, reference(case["p"]), NAMES[case["metric"]], method="normal")
        assert found.percentile == near(expected), case["id"]
        assert found.method == "normal, corrected for steps"
        checked += 1
    assert checked == 8


def test_whole_laws() -> None:
    for case in oracle()["match_pmf"]:
        found = law_of(case)
        defined = 1 - exactly(case["P_undefined"])
        values, chances = found.whole
        keys = values * abs(values) if case["metric"] == "MCC" else values
        assert keys.tolist() == pytest.approx([exactly(key) for key, _ in case["pmf"]], rel=0, abs=CLOSE)
        expected = [exactly(chance) / defined for _, chance in case["pmf"]]
        assert chances.tolist() == pytest.approx(expected, rel=0, abs=CLOSE)
        assert found.undefined == near(exactly(case["P_undefined"]))


def test_worked_example() -> None:
    case = oracle()["match_worked_example"]
    group = ff.Table(tp=80, fn=20, fp=0, tn=0)
    against = ff.Table(tp=3, fn=1, fp=0, tn=0)
    assert (Fraction(80, case["n"]), Fraction(3, 4)) == (Fraction(case["s_obs"]), Fraction(case["p"]))
    found = ff.match(group, against, "accuracy")
    assert found.percentile == near(case["exact_P_le"])
    assert found.below == near(case["exact_P_lt"])
    assert ff.match(group, against, "accuracy", method="normal").percentile == near(case["normal_cc"])


def test_smoothing() -> None:
    cases = oracle()["cps"]["smoothing"]
    assert len(cases) == 4
    for case in cases:
        found = ff.smooth(table(case["group"]), table(case["ref"]), strength=Fraction(case["lambda"]))
        expected = [exactly(count) for count in case["smoothed_counts"]]
        assert list(found.cells().values()) == pytest.approx(expected, rel=0, abs=CLOSE)
        shares = [count / found.total for count in found.cells().values()]
        assert shares == pytest.approx([exactly(share) for share in case["posterior_mean"]], rel=0, abs=CLOSE)
        for name, score in case["metrics"].items():
            assert found.score(NAMES[name]) == near(score["float"]), (case["group"], name)


def test_expected_errors() -> None:
    for case in oracle()["cps"]["expected_mse"]:
        found = ff.groups.expected_error(
            table(case["group_cm"]),
            table(case["ref_cm"]),
            NAMES[case["metric"]],
            size=case["n"],
            strength=Fraction(case["lambda"]),
            epsilon=Fraction(case["eps"]),
        )
        where = {name: case[name] for name in ("group", "metric", "n", "lambda", "eps")}
        assert found.target == near(case["target"]), where
        assert found.mse == near(case["mse"]), where
        assert found.bias == near(case["bias"]), where
        assert found.variance == near(case["variance"]), where
        assert found.defined == near(case["P_defined"]), where
