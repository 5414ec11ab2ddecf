"""Intervals printed beside scores: which method gives them, in words, in JSON, in rows; they decide no verdict."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

import fourfold as ff
from fourfold import answers, writers
from fourfold.claims.intervals import read_interval
from fourfold.exact.reported import interval_level

from ..conftest import how_many

SIZES = {"positives": 100, "negatives": 200, "bounds": "none"}


def words(found: ff.Recovery) -> str:
    return " ".join(writers.terminal_text(found).split())


@pytest.mark.parametrize(
    ("text", "methods"),
    # 83 of 100 by scipy's binomtest and by hand, to four digits.
    [
        ("0.8300 (0.7445-0.8911)", ["Wilson 95 %"]),
        ("83.00% [95% CI 74.18, 89.77]", ["Clopper-Pearson 95 %"]),
        ("0.8300 (0.7564-0.9036)", ["Wald 95 %"]),
        ("0.8300 (0.7514 to 0.9086)", ["Wald with continuity 95 %"]),
        ("0.8300 (90% CI: 0.7597-0.8829)", ["Wilson 90 %"]),
        ("0.8300 (0.7332-0.9268)", ["Wald 99 %"]),
    ],
)
def test_the_method_behind_an_interval_is_found(text: str, methods: list[str]) -> None:
    found = ff.recover(**SIZES, recall=text)
    (check,) = found.intervals
    assert check.verdict == "found"
    assert [f"{each.method} {100 * each.level:g} %" for each in check.methods] == methods
    assert {(each.hits, each.cases, each.tables) for each in check.methods} == {(83, 100, found.count)}
    assert found.count == ff.recover(**SIZES, recall=text.split()[0]).count == 201
    assert not found.notes
    assert f"{methods[0]} interval of 83 of 100." in words(found)


def test_what_is_said_and_written() -> None:
    found = ff.recover(positives=100, negatives=200, recall="0.830 (0.745-0.891)", accuracy="0.9")
    assert "The interval of recall, 0.745 to 0.891, is a Wilson 95 % interval of 83 of 100." in words(found)
    (shown,) = json.loads(writers.to_json(found))["intervals"]
    assert (shown["low"], shown["high"], shown["level"], shown["verdict"]) == ("0.745", "0.891", None, "found")
    assert shown["methods"] == [{"method": "Wilson", "level": 0.95, "tables": found.count, "hits": 83, "cases": 100}]
    rows = {row["metric"]: row for row in found.rows()}
    assert (rows["recall"]["interval"], rows["recall"]["interval_methods"]) == ("0.745 to 0.891", "Wilson 95 %")
    assert rows["accuracy"]["interval"] is None
    assert "intervals" not in words(ff.recover(**SIZES, recall="0.83"))


def test_methods_that_leave_fewer_tables_say_so() -> None:
    """Of 100, 82.5 to 83.5 % is 83; of 300, 0.895 to 0.905 is 269 to 271; Wilson of 270 ends at 0.8608, 0.9291."""
    found = ff.recover(**SIZES, recall="0.83 (0.745-0.891)", accuracy="0.90 (0.8608-0.9291)")
    together = [(each.method, each.level, each.tables) for each in found.interval_methods]
    assert together == [("Wilson", 0.95, 1)]
    assert found.count == 3
    assert "With Wilson 95 % intervals, 1 of the 3 tables remains" in words(found)
    # Clopper-Pearson's of 270 of 300 ends at 0.8603 and 0.9315.
    mixed = ff.recover(**SIZES, recall="0.83 (0.745-0.891)", accuracy="0.90 (0.8603-0.9315)")
    assert mixed.interval_methods == ()
    assert "No one of these methods gives all the intervals" in words(mixed)


def test_an_interval_that_no_method_gives_decides_nothing() -> None:
    found = ff.recover(**SIZES, recall="0.83 (0.60-0.99)")
    assert (how_many(found), found.intervals[0].verdict) == (("possible", 201, True), "none")
    assert "No usual interval (Wald, Wilson, Clopper-Pearson" in words(found)
    assert "may have been used" in words(found)
    (row,) = ff.review([{"positives": 100, "negatives": 200, "recall": "0.83 (0.60-0.99)"}])
    assert (row["verdict"], row["count"]) == ("possible", 201)
    assert "no usual interval" in row["notes"]


@pytest.mark.parametrize("seed", range(20))
def test_a_bootstrap_is_taken_for_one(seed: int) -> None:
    draws = np.random.default_rng(seed).binomial(100, 0.83, 2000) / 100
    low, high = np.quantile(draws, (0.025, 0.975))
    found = ff.recover(**SIZES, recall=f"0.830 ({low:.3f}-{high:.3f})")
    assert found.intervals[0].verdict in ("found", "bootstrap")
    assert found.intervals[0].methods[-1].hits == 83


def test_what_is_not_checked_is_noted() -> None:
    found = ff.recover(
        **SIZES, f1="0.83 (0.74-0.89)", auc="0.95 (0.93-0.97)", recall="0.83 (range 0.74-0.89)", folds="none"
    )
    assert {check.verdict for check in found.intervals} == {"not_checked"}
    assert [note.code for note in found.notes] == ["interval_not_checked"] * 3
    open_ = ff.recover(recall="0.83 (0.74-0.89)", folds="none")
    assert "no size is known" in open_.intervals[0].words
    impossible = ff.recover(positives=7, negatives=9, undefined="none", recall="0.83 (0.74-0.89)", folds="none")
    assert "no table fits" in impossible.intervals[0].words
    classes = ff.recover(classes={"a": 50, "b": 40, "c": 30}, **{"recall[a]": "0.96 (0.8-0.99)"}, folds="none")
    assert "interval_not_checked" in [note.code for note in classes.notes]


def test_a_score_outside_its_own_interval_is_possible_only_if_one_is_misprinted() -> None:
    for score in ({"recall": "0.83 (0.85-0.90)"}, {"f1": "0.83 (0.70-0.80)"}, {"recall": "0.53 (0.6-0.7)", "folds": 5}):
        found = ff.recover(**SIZES, **score)
        assert found.verdict == "conditional"
        assert [departure.code for departure in found.departures] == ["score_outside_interval"]
        assert found.layout == "parts" or found.count > 1
        assert [note.code for note in found.notes] == ["score_outside_interval"]
    assert ff.recover(**SIZES, recall="0.83 (0.80-0.90)").verdict == "possible"
    # 0.83 stands for 0.825 as well, which prints as 0.82 or 0.83.
    assert ff.recover(**SIZES, recall="0.83 (0.82-0.90)").intervals[0].verdict != "outside"


def test_ends_beyond_one_and_in_percent() -> None:
    """Wald's of 19 of 20: 0.95 ± 1.96 * 0.0487 is 0.854 to 1.046, also printed as ending at 1."""
    for text in ("0.95 (0.854-1.046)", "0.95 (0.854-1.000)", "95% (85.4-104.6)", "0.95 (85.4-100.0)"):
        (check,) = ff.recover(positives=20, negatives=20, bounds="none", recall=text).intervals
        assert [each.method for each in check.methods] == ["Wald"], text


def test_means_over_folds() -> None:
    """18, 16, 17, 19 and 15 of 20: mean 0.85, deviation 0.0791, t 2.776: 0.752 to 0.948; normal: 0.781 to 0.919."""
    folds = {"folds": [(10, 10)] * 5, "over": "mean", "bounds": "none"}
    for text, method in (("0.850 (0.752-0.948)", "t"), ("0.850 (0.781-0.919)", "normal")):
        found = ff.recover(**folds, accuracy=text)
        (check,) = found.intervals
        assert check.verdict == "found"
        assert method in [each.method for each in check.methods]
        assert "95 % interval of the mean over 5 folds" in words(found)
    uneven = ff.recover(**folds, accuracy="0.850 (0.700-0.900)")
    assert (uneven.verdict, uneven.intervals[0].verdict) == ("possible", "none")
    # 20, 20, 19, 18 and 18 of 20: mean 0.95, deviation 0.05: 0.888 to 1.012, cut off at 1.
    cut = ff.recover(**folds, accuracy="0.950 (0.888-1.000)")
    assert cut.intervals[0].verdict == "found"
    assert cut.rows()[0]["interval"] == "0.888 to 1.000"
    assert json.loads(writers.to_json(cut))["intervals"][0]["methods"][0]["tables"] is None


def test_scores_that_fit_only_as_means() -> None:
    scores = {"precision": "0.9392", "recall": "0.9663", "f1": "0.9518"}
    found = ff.recover(positives=357, negatives=212, bounds="none", accuracy="0.9384 (0.921-0.956)", **scores)
    assert found.verdict == "conditional"
    assert "over 10 stratified folds" in found.intervals[0].words


def test_reading_an_interval() -> None:
    interval = read_interval("91.2% (99% CI 88.1-93.4)", "any", "recall")
    assert interval is not None
    assert (interval.low.low, interval.level) == (Fraction("0.8805"), 0.99)
    assert read_interval("0.9", "any", "recall") is None
    levels = {"0.91 (0.88-0.93)": None, "0.91, 95% CI 0.88 to 0.93": 95, "0.91 (CI 90%: 0.88, 0.93)": 90}
    levels |= {"0.91 (0.88-0.93; 99% CI)": 99, "91% (CI 88.1-93.4)": None, "0.91 (CI95 0.88-0.93)": 95}
    for text, level in levels.items():
        assert interval_level(text) == (level and Fraction(level, 100))
    bounds = ff.recover(**SIZES, spread="bounds", recall="0.83 (0.74-0.89)", accuracy="0.90 ± 0.02")
    assert bounds.claim.scores[1].reported.high == Fraction("0.92")
    assert bounds.intervals[0].verdict == "found"
    assert answers.document(bounds).title
