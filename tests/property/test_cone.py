"""Tables of all sizes at once, beside looking at all small tables one by one."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fourfold as ff
from fourfold.claims import recover
from fourfold.claims.search import fits, solve
from fourfold.exact import CELLS
from fourfold.exact.reported import Reported
from fourfold.metrics import Metric, read_convention
from fourfold.solve import TOLERANCE, AllSizes, is_exact, linear_ratio
from fourfold.solve.cone import Cone, End, Limits, _least_denominator
from fourfold.solve.region import Constraint

AVERAGES = ["f2", "f0.5", "macro_f1", "micro_f1", "weighted_recall", "macro_precision", "weighted_precision"]
METRICS = [ff.metric(name) for name in [*ff.METRICS, *AVERAGES, "macro_g_mean", "macro_prevalence_threshold"]]
LINEAR = [metric for metric in METRICS if linear_ratio(metric.formula)]
LARGEST = 12
TABLES = [
    (tp, fn, fp, total - tp - fn - fp)
    for total in range(LARGEST + 1)
    for tp in range(total + 1)
    for fn in range(total - tp + 1)
    for fp in range(total - tp - fn + 1)
]


def named(cells: tuple[int, ...]) -> dict[str, int]:
    return dict(zip(CELLS, cells, strict=True))


@cache
def exact_values(metric: Metric) -> list[Any]:
    return [metric.formula.exact(named(cells)) for cells in TABLES]


@cache
def float_values(metric: Metric) -> NDArray[np.float64]:
    return np.array([math.nan if value is None else float(value) for value in exact_values(metric)])


def small_tables_that_fit(constraints: list[Constraint], *, fill: int | None = None) -> NDArray[np.bool_]:
    """Tell for each small table whether it fits, from the definitions alone."""
    fit = np.ones(len(TABLES), dtype=bool)
    fit[0] = False
    for metric, reported in constraints:
        for i in np.flatnonzero(fit):
            value = exact_values(metric)[i]
            value = fill if value is None else value
            fit[i] = value is not None and value in reported
    return fit


def random_text(random: Random, truth: dict[str, int], metric: Metric) -> str:
    """Return a score as it may be printed: of a table mostly, so that several of them fit together."""
    value = metric.formula.exact(truth)
    if value is None or random.random() < 0.3:
        x = random.choice([-1, 1] if metric.limits.low < 0 else [1]) * random.random()
        ends = f"{x:.2f}, {x + random.random() / 3 + 0.01:.2f}"
        return random.choice([f"{x:.1f}", f"{x:.2f}", f"[{ends}]", f"({ends})", "=0", "=1", "=1/2", "=1/3"])
    x = float(value)
    return random.choice([f"{x:.1f}", f"{x:.2f}", f"={value}", f"({x - 0.05:.3f}, {x + 0.03:.3f}]"])


def random_claims(random: Random) -> list[Constraint]:
    truth = named(tuple(random.randint(0, 9) for _ in CELLS))
    chosen = random.sample(LINEAR, random.randint(1, 4))
    return [(metric, Reported.read(random_text(random, truth, metric))) for metric in chosen]


def room(end: End) -> float:
    """Return how far a value may lie beyond an end: rounding of the float, or what the end says of itself."""
    return (1e-12 if end.exact else TOLERANCE) * (1 + abs(float(end.value)))


def check_within(limits: Limits, low: float, high: float, about: object) -> None:
    assert low >= float(limits.low.value) - room(limits.low), about
    assert high <= float(limits.high.value) + (room(limits.high) if math.isfinite(limits.high.value) else 0), about


def check_attained(cone: AllSizes, metric: Metric, limits: Limits, about: object) -> None:
    for end in limits:
        if end.table is not None:
            assert tuple(end.table.cells().values()) in cone, about
            assert metric.formula.exact(end.table.cells()) == end.value, about


def mixture(random: Random, cone: Cone) -> tuple[int, ...]:
    """Return a table of the closed cone: some multiples of its rays, which may be of very different sizes."""
    weights = [random.choice([0, 1, 1, 2, 7, 1000, 10**6, 10**12]) for _ in cone.rays]
    return tuple(sum(w * x for w, x in zip(weights, column, strict=True)) for column in zip(*cone.rays, strict=True))


@pytest.mark.parametrize("undefined", ["none", "zero", "one"])
def test_cones_beside_all_small_tables(undefined: str) -> None:
    fill = {"none": None, "zero": 0, "one": 1}[undefined]
    random, empty = Random(f"cones {undefined}"), 0
    for _ in range(30):
        claims = random_claims(random)
        all_sizes = AllSizes.of(claims, read_convention(undefined))
        fit = small_tables_that_fit(claims, fill=fill)
        assert [cells in all_sizes for cells in TABLES] == fit.tolist(), claims
        if all_sizes.empty:
            empty += 1
            assert not fit.any(), claims
            continue
        assert all(sum(cells) >= all_sizes.least_total for cells, ok in zip(TABLES, fit, strict=True) if ok), claims
        example = all_sizes.example().cells()
        for metric, reported in claims:
            value = metric.formula.exact(example)
            assert value in reported or (value is None and fill in reported), (claims, example)
        for metric, limits in zip(METRICS, all_sizes.limits(METRICS).values(), strict=True):
            values = float_values(metric)[fit]
            values = values[~np.isnan(values)]
            if limits is None:
                assert not len(values), (claims, metric.id)
                continue
            check_attained(all_sizes, metric, limits, (claims, metric.id))
            if len(values):
                check_within(limits, values.min(), values.max(), (claims, metric.id))
            for cone in all_sizes.cones:
                cells = mixture(random, cone)
                value = metric.formula.exact(named(cells)) if cells in all_sizes else None
                if value is not None:
                    check_within(limits, float(value), float(value), (claims, metric.id, cells))
    assert 5 < empty < 40


@pytest.mark.parametrize("metric", [metric for metric in METRICS if metric not in LINEAR], ids=lambda metric: metric.id)
def test_limits_are_come_near_to(metric: Metric) -> None:
    """What is called a limit is not beyond what tables can do: mixtures of the rays come near to it."""
    random = Random(3)
    for _ in range(12):
        cone = Cone.of(random_claims(random))
        limits = None if cone is None or cone.empty else cone.limits(metric)
        if cone is None or limits is None:
            continue
        rays = np.array([[x / sum(ray) for x in ray] for ray in cone.rays])
        rng = np.random.default_rng(random.randrange(1000))
        weights = 10.0 ** (rng.uniform(-9, 0, size=(40_000, len(rays))) * rng.integers(0, 2, size=(40_000, 1)))
        weights[::3] = rng.dirichlet(np.full(len(rays), 0.2), size=len(weights[::3])) + 1e-15
        values = metric.formula.evaluate(named(tuple((weights @ rays).T)))
        values = values[~np.isnan(values)]
        if not len(values):
            continue
        wide = max(float(values.max() - values.min()), 1e-9)
        assert values.min() - float(limits.low.value) <= 0.05 * wide + room(limits.low), cone
        if math.isinf(limits.high.value):
            assert values.max() > 1e3
        else:
            assert float(limits.high.value) - values.max() <= 0.05 * wide + room(limits.high), cone


def test_limits_by_hand() -> None:
    """Where nine of ten are right, up to rounding: all that follows was worked out on paper."""
    cone = Cone.of([(ff.metric("accuracy"), Reported.read("=0.9"))])
    limits = cone.all_limits(METRICS)
    # All wrong ones negative, or all right ones positive: 2 * 9 / (2 * 9 + 1).
    assert limits["f1"].high.value == Fraction(18, 19)
    assert limits["f1"].low == End(Fraction(0), ff.Table(tp=0, fn=1, fp=0, tn=9), exact=True)
    # Nobody positive but those missed, few as they are: recall 0, and nobody else wrong but one of ten.
    assert (limits["balanced_accuracy"].low.value, limits["balanced_accuracy"].low.table) == (Fraction(9, 20), None)
    assert (limits["balanced_accuracy"].high.value, limits["balanced_accuracy"].high.table) == (Fraction(19, 20), None)
    assert limits["positive_likelihood_ratio"].high == End(math.inf, None, exact=True)
    # With errors of one kind it is x / (0.1 + x), where x = 2 tp tn is largest for tp = tn = 0.45.
    assert limits["kappa"].high == End(Fraction(81, 101), ff.Table(tp=9, fn=2, fp=0, tn=9), exact=True)
    # Errors of one kind, so that recall is 1 and the specificity 0.9: its root, come near to as positives get few.
    assert float(limits["g_mean"].high.value) == pytest.approx(math.sqrt(0.9), abs=TOLERANCE)
    assert not limits["g_mean"].high.exact


def test_an_end_that_is_left_out_is_not_attained() -> None:
    open_claim = [(ff.metric("recall"), Reported.read("(0.5, 0.8]"))]
    limits = Cone.of(open_claim).limits(ff.metric("recall"))
    assert (limits.low.value, limits.low.table, limits.low.exact) == (Fraction(1, 2), None, True)
    assert limits.high.table is not None
    # An undefined rate: no table of this accuracy without negatives has a specificity.
    only_positives = [(ff.metric("prevalence"), Reported.read("=1"))]
    assert Cone.of(only_positives).limits(ff.metric("specificity")) is None
    assert Cone.of([*only_positives, (ff.metric("specificity"), Reported.read("0.9"))]).empty
    # Recall is above 0.8, or not.
    both = [*open_claim, (ff.metric("fnr"), Reported.read("[0, 0.2)"))]
    assert Cone.of(both).empty
    assert not Cone.of([*open_claim, (ff.metric("fnr"), Reported.read("[0, 0.2]"))]).empty


def test_one_family_of_tables() -> None:
    exact = {"recall": "=1/2", "precision": "=1/3", "specificity": "=3/4"}
    cone = AllSizes.of([(ff.metric(name), Reported.read(text)) for name, text in exact.items()])
    assert cone.only == ff.Table(tp=1, fn=1, fp=2, tn=6)
    limits = cone.limits(METRICS)
    assert all(end is None or (end.low == end.high and end.low.exact) for end in limits.values())
    assert limits["mcc"].low.value == ff.metric("mcc").formula.exact(cone.only.cells())
    found = recover(**exact)
    assert [table.tp for table in found.tables(4)] == [1, 2, 3, 4]
    assert str(found).startswith("possible: the multiples of one table fit, the smallest has 10 cases.")


@pytest.mark.parametrize("name", ["weighted_recall", "f1_harmonic", "micro_f1", "f2", "accuracy"])
def test_a_ratio_of_linear_forms_is_the_formula(name: str) -> None:
    metric = ff.metric(name)
    top, bottom = linear_ratio(metric.formula)
    for cells, value in zip(TABLES, exact_values(metric), strict=True):
        if value is not None:
            sums = [sum(a * x for a, x in zip(form, cells, strict=True)) for form in (top, bottom)]
            assert Fraction(*sums) == value


def test_which_limits_are_always_exact() -> None:
    inexact = {metric.id for metric in ff.METRICS.values() if not is_exact(metric.formula)}
    assert inexact == {"mcc", "g_mean", "fowlkes_mallows", "p4", "diagnostic_odds_ratio", "prevalence_threshold",
                       "prevalence_threshold_simplified"}  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(cells=st.tuples(*[st.integers(0, 10**6)] * 4).filter(any), digits=st.integers(1, 6), seed=st.integers(0, 99))
def test_what_a_table_prints_is_possible_and_within_limits(cells: tuple[int, ...], digits: int, seed: int) -> None:
    random = Random(seed)
    claims = []
    for metric in random.sample(LINEAR, 4):
        value = metric.formula.exact(named(cells))
        if value is not None:
            claims.append((metric, Reported.read(f"{float(value):.{digits}f}")))
    all_sizes = AllSizes.of(claims)
    assert cells in all_sizes
    assert all_sizes.least_total <= sum(cells)
    for metric, limits in zip(METRICS, all_sizes.limits(METRICS).values(), strict=True):
        value = metric.formula.exact(named(cells))
        if value is not None:
            check_within(limits, float(value), float(value), metric.id)


@settings(max_examples=100, deadline=None)
@given(low=st.fractions(0, 2, max_denominator=60), width=st.fractions(0, 1, max_denominator=60))
def test_the_least_denominator(low: Fraction, width: Fraction) -> None:
    high = low + width
    least = next(d for d in range(1, 10**5) if math.ceil(low * d) <= high * d)
    assert _least_denominator(Reported("", low, high)) == least


PLAIN = {"bounds": "none", "undefined": "none"}


def test_the_smallest_tables_are_those_that_a_full_search_finds() -> None:
    random, compared = Random(8), 0
    for _ in range(40):
        given = {metric.id: reported.text for metric, reported in random_claims(random)}
        try:
            found, full = recover(**given, **PLAIN, folds="none"), recover(**given, max_total=25, **PLAIN, folds="none")
        except ff.InputError as error:
            assert error.code == "out_of_range"
            continue
        if found.verdict == "impossible":
            assert full.count == 0, given
            continue
        assert (found.verdict, found.counted) == ("possible", False), given
        tables = list(found.tables())
        assert all(fits(found.claim, table) for table in tables)
        largest = max(table.total for table in tables)
        small = [table for table in full.tables() if table.total <= largest]
        assert [table for table in tables if table.total <= 25] == small, given
        compared += bool(small)
    assert compared > 15


def test_an_exact_verdict_without_any_size() -> None:
    """F1 lies between recall and precision, for tables of all sizes: no search up to a total could tell."""
    found = recover(recall="0.9", precision="0.8", f1="0.7", undefined="none", folds="none")
    assert (found.verdict, found.complete, found.solution.feasible.complete) == ("impossible", True, True)
    assert found.blame == (("recall", "precision", "f1"),)
    forced = {implied.name: implied.bounds for implied in found.implied}
    # 2 / (1 / 0.85 + 1 / 0.75) and 2 / (1 / 0.95 + 1 / 0.85).
    assert forced["f1"].low == pytest.approx(2 / (1 / 0.85 + 1 / 0.75))
    assert forced["f1"].high == pytest.approx(2 / (1 / 0.95 + 1 / 0.85))
    # A curved claim beside it changes nothing.
    curved = recover(recall="0.9", precision="0.8", f1="0.7", mcc="0.5", undefined="none", folds="none")
    assert (curved.verdict, curved.blame) == ("impossible", found.blame)
    assert "blame_incomplete" in [note.code for note in curved.notes]
    # A limit that was set keeps its meaning.
    assert recover(accuracy="0.0001", max_total=100, undefined="none", folds="none").verdict == "impossible"
    assert str(recover(accuracy="0.0001", folds="none")).startswith(
        "possible: tables of some sizes fit, the smallest has 6667 cases."
    )


def test_no_size_and_undefined_as_zero() -> None:
    nothing_found = {"recall": "0.00", "precision": "0.00", "npv": "=0.9"}
    assert recover(**nothing_found, f1="=1/2", undefined="none", folds="none").verdict == "impossible"
    found = recover(**nothing_found, undefined="zero")
    assert (found.verdict, found.counted) == ("possible", False)
    assert found.count > 1
    assert (0, 1, 0, 9) in [tuple(table.cells().values()) for table in found.tables()]


def test_a_table_far_out_of_reach() -> None:
    claim = {"accuracy": "0.912345678901", "recall": "0.712345678901", "precision": "0.612345678901"}
    found = recover(**claim, bounds="none")
    (table,) = found.tables()
    # One was found, and there are others.
    assert (found.verdict, found.count, found.counted) == ("possible", 1, False)
    assert fits(found.claim, table)
    assert str(found).startswith(f"possible: tables of some sizes fit, one has {table.total} cases.")
    assert solve(found.claim).decided


def test_bounds_over_all_sizes_are_those_of_larger_and_larger_tables() -> None:
    given = {"accuracy": "0.90", "recall": "0.80"}
    limits = {metric.id: recover(**given).bounds(metric) for metric in ff.METRICS.values()}
    gaps = []
    for total in (50, 100, 200):
        sized = recover(**given, total=total, bounds="all").all_bounds
        gaps.append(0.0)
        for name, bounds in sized.items():
            assert limits[name].low <= bounds.low + TOLERANCE, name
            assert limits[name].high >= bounds.high - TOLERANCE, name
            if math.isfinite(limits[name].high) and ff.METRICS[name].limits.high is not None:
                gaps[-1] = max(gaps[-1], bounds.low - limits[name].low, limits[name].high - bounds.high)
    assert gaps[0] >= gaps[1] >= gaps[2]


def test_without_a_size_an_answer_can_be_written_and_drawn() -> None:
    found = recover(accuracy="0.9")
    plain = found.to_dict()
    assert plain["bounds"]["treatment_ratio"]["high"] is None
    assert plain["cells"] == {}
    ff.writers.to_json(found)
    pytest.importorskip("altair", reason="needs fourfold[plots]")
    from fourfold import plots

    assert plots.bounds(found).to_dict()
    assert plots.feasible(found).to_dict()
