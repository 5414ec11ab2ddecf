"""Certainty against expected values found in rational arithmetic, kept outside the project."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

from fourfold.certainty import CertaintyRatio, Decomposition, decompose

from ..conftest import ORACLE, needs

MATRICES = {"CM": "hard", "CMstar": "soft", "V": "certain", "U": "uncertain"}
#: The oracle's names, as metric and average. Those that end in `_zd0` count an undefined class as 0, which we never do.
MEASURES = {
    "accuracy": ("accuracy", None),
    "kappa": ("kappa", None),
    "mcc": ("mcc", None),
    **{
        f"{average}_{name}": (name, average) for average in ("macro", "micro") for name in ("precision", "recall", "f1")
    },
}
#: What the oracle calls an undefined ratio, and how our reasons begin.
STATUSES = {
    "phi_v undefined": "certain: ",
    "phi_u undefined": "uncertain: ",
    "phi_v+phi_u = 0": "certain and uncertain scores sum to zero",
}

pytestmark = needs(ORACLE)


def cases() -> list:
    """Return case and tie rule; the rule "all" puts tied classes into the certain part twice, which we never do."""
    if not ORACLE.exists():
        return [pytest.param(None, None, id="missing")]
    return [
        pytest.param(case, rule, id=f"{case['id']}-{rule}")
        for case in json.loads(ORACLE.read_text())["certainty"]
        for rule in case["rules"]
        if rule != "all"
    ]


def numbers(matrix: list[list[str]]) -> list[list[float]]:
    return [[float(Fraction(text)) for text in row] for row in matrix]


def found(case: dict, rule: str) -> Decomposition:
    exact = [[Fraction(text) for text in row] for row in case["Q"]]
    prediction = None
    if rule == "last":
        prediction = [max(j for j, value in enumerate(row) if value == max(row)) for row in exact]
    return decompose(case["y"], np.array(numbers(case["Q"])), list(range(case["k"])), prediction=prediction)


def test_there_are_as_many_cases_as_we_think() -> None:
    assert [param.values[1] for param in cases()].count("first") == 15
    assert [param.values[1] for param in cases()].count("last") == 4


@pytest.mark.parametrize(("case", "rule"), cases())
def test_matrices_shares_and_divergence(case: dict, rule: str) -> None:
    ours, expected = found(case, rule), case["rules"][rule]
    for name, part in MATRICES.items():
        np.testing.assert_allclose(getattr(ours, part).values, numbers(expected[name]), rtol=0, atol=1e-12)
    assert ours.weight_certain == pytest.approx(float(Fraction(expected["lambda_v"])), abs=1e-12)
    assert ours.ratio("accuracy").weight_uncertain == pytest.approx(float(Fraction(expected["lambda_u"])), abs=1e-12)
    assert ours.divergence == pytest.approx(expected["divergence"], abs=1e-12)
    if rule == "first":
        assert bool(ours.tied) == case["ties"]


def measure(expected: dict, matrix: str, name: str) -> float | None:
    if name == "mcc":
        return expected["mcc_float"][matrix]
    value = expected["measures"][matrix][name]
    return None if value is None else float(Fraction(value))


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize(("case", "rule"), cases())
def test_measures_and_ratios(case: dict, rule: str, name: str) -> None:
    expected = case["rules"][rule]
    metric, average = MEASURES[name]
    ours = found(case, rule).ratio(metric, average=average)
    for matrix, part in MATRICES.items():
        assert getattr(ours, part) == pytest.approx(measure(expected, matrix, name), abs=1e-12), matrix
    check_ratio(ours, expected["C_rho"][name])


def check_ratio(ours: CertaintyRatio, expected: dict) -> None:
    if expected["status"] == "ok":
        assert ours.value == pytest.approx(expected["float"], abs=1e-12)
        assert ours.reasons == ()
    else:
        assert ours.value is None
        assert ours.reasons[0].startswith(STATUSES[expected["status"]])


@pytest.mark.parametrize(("case", "rule"), cases())
def test_paper_convention(case: dict, rule: str) -> None:
    expected = case["rules"][rule]["C_rho_accuracy_paper_convention"]
    ours = found(case, rule).ratio("accuracy", convention="paper")
    assert ours.value == pytest.approx(float(Fraction(expected)), abs=1e-12)
