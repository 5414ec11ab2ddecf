"""The public names, and the old ones: each works, says what to use instead, and is the same thing."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

import fourfold as ff

TOP = """METRICS Audit Check Decomposition FourfoldError InputError Matrix Metric MissingExtra Note Recovery Table Tables
TooLarge __version__ audit audit_tables check compare_groups compare_models datasets decompose decompose_data holes interval lead
match metric plan protocols read recover recover_regression review score scorer scores sizes smooth"""
#: The names at the top of 0.1 that moved: where each is now.
MOVED = {
    "certainty": "Accumulator Probabilities certainty_scorer",
    "claims": "Bounds Claim Protocols RegressionRecovery Reported estimate",
    "groups": "Comparison ExpectedError Holes Law Match ModelComparison PairedComparison Plan Smoothed compare_paired "
    "expected_error expected_errors score_law smooth_groups",
    "metrics": "CONTRASTS Contrast Scores contrast f_beta",
    "reports": "Finding Preview Report preview",
}
RENAMED = {
    **{f"fourfold.{name}": f"fourfold.{part}.{name}" for part, names in MOVED.items() for name in names.split()},
    "fourfold.compare": "fourfold.groups.contrast_interval",
    "fourfold.groups.compare": "fourfold.groups.contrast_interval",
    "fourfold.ClassRecovery": "fourfold.Recovery",
    "fourfold.FoldRecovery": "fourfold.Recovery",
}
ONE, OTHER = ff.Table(tp=3, fn=1, fp=2, tn=4), ff.Table(tp=30, fn=10, fp=20, tn=40)
FOUND = ff.recover(accuracy="0.85", positives=40, negatives=60)
PARTS = ff.decompose([0, 1, 1, 0], [0.2, 0.7, 0.4, 0.1], by=[1, 1, 2, 2])
#: Calls with an old name of a parameter, and with the new one.
CALLS = {
    "interval": lambda **given: ff.interval(ONE, **given),
    "match": lambda **given: ff.match(ONE, OTHER, **given),
    "contrast_interval": lambda **given: ff.groups.contrast_interval(ONE, OTHER, **given),
    "expected_error": lambda **given: ff.groups.expected_error(ONE, OTHER, size=5, **given),
    "score_law": lambda **given: ff.groups.score_law(size=5, reference=OTHER, **given).quantile(0.5),
    "smoothed": lambda **given: ff.smooth(ONE, OTHER).score(**given),
    "smoothed_interval": lambda **given: ff.smooth(ONE, OTHER).interval(**given),
    "bounds": lambda **given: FOUND.bounds(**given),
    "distribution": lambda **given: FOUND.distribution(**given),
    "ratio": lambda **given: PARTS.ratio(**given),
    "over_parts": lambda **given: PARTS.over_parts(**given),
}


def thing(name: str) -> object:
    module, _, last = name.rpartition(".")
    return getattr(import_module(module), last)


def test_these_are_the_names_at_the_top() -> None:
    assert sorted(ff.__all__) == sorted(TOP.split())
    for name in TOP.split():
        assert getattr(ff, name) is not None


@pytest.mark.parametrize("old", RENAMED)
def test_old_names_work_and_say_what_to_use(old: str) -> None:
    with pytest.warns(DeprecationWarning, match=r"goes in 0\.2") as warned:
        found = thing(old)
    assert found is thing(RENAMED[old])
    assert str(warned[0].message).startswith(f"{old} is now {RENAMED[old]}")
    assert warned[0].filename == __file__


@pytest.mark.parametrize("call", CALLS)
def test_old_names_of_parameters_work(call: str) -> None:
    metric = {"contrast_interval": "recall_difference", "ratio": "accuracy", "over_parts": "accuracy"}.get(
        call, "recall"
    )
    with pytest.warns(DeprecationWarning, match="`name` of .* is now `metric`"):
        old = CALLS[call](name=metric)
    assert old == CALLS[call](metric=metric)


def test_a_seed_and_a_generator_are_both_taken_as_rng() -> None:
    tables = {"a": ONE, "b": OTHER, "c": ff.Table(tp=5, fn=5, fp=5, tn=15)}
    with pytest.warns(DeprecationWarning, match="`seed` of `audit_tables` is now `rng`"):
        old = ff.audit_tables(tables, metrics=["mcc"], seed=7)
    assert old == ff.audit_tables(tables, metrics=["mcc"], rng=7)
    assert old.seed == 7
    drawn = ff.audit_tables(tables, metrics=["mcc"], rng=np.random.default_rng(3))
    assert drawn.seed is not None
    assert ff.audit_tables(tables, metrics=["mcc"], rng=drawn.seed) == drawn
