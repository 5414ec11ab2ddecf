"""Counts and areas as claims, and the nearest values told about a contradiction, against brute force over all tables."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random
from typing import Any

import pytest

import fourfold as ff
from fourfold.claims import Claim, ClaimedScore, Recovery, fits, recover
from fourfold.exact.surd import Exact
from fourfold.strategy import using

Cells = tuple[int, int, int, int]
#: What tables a report can have: each with the values of 2 U that rankings with it have.
World = dict[Cells, range]

COUNTS = {
    "tp": lambda tp, fn, fp, tn: tp,
    "False negatives": lambda tp, fn, fp, tn: fn,
    "fp": lambda tp, fn, fp, tn: fp,
    "true_negatives": lambda tp, fn, fp, tn: tn,
    "predicted_positives": lambda tp, fn, fp, tn: tp + fp,
    "predicted_negatives": lambda tp, fn, fp, tn: fn + tn,
    "correct": lambda tp, fn, fp, tn: tp + tn,
    "errors": lambda tp, fn, fp, tn: fn + fp,
}
SCORES = ["accuracy", "recall", "precision", "specificity", "f1", "mcc", "npv", "lr+", "g_mean", "informedness"]
AREAS = ["auc", "c-statistic"]
CASES = 400


def largest_convex(x: Fraction, y: Fraction) -> Fraction:
    """Return the largest area below 1 and below a line through a point, both corners not above the line."""
    if x == 0 or y in (0, 1) or x == 1:
        return Fraction(1 if x == 0 or y == 1 else 0)
    steep, flat = y / x, (1 - y) / (1 - x)
    slope = min(max((1 - y) / x, flat), steep)
    return 1 - x * (1 - y) - slope * x * x / 2 - (1 - y) ** 2 / (2 * slope)


@cache
def world(margins: tuple[tuple[int, int], ...], curve: str) -> World:
    found: World = {}
    for p, n in margins:
        for tp, tn in product(range(p + 1), range(n + 1)):
            fn, fp = p - tp, n - tn
            most = 2 * (p * n - fn * fp)
            least = 2 * tp * tn
            if curve == "convex" and p * n:
                least, most = tp * n + p * tn, math.floor(2 * p * n * largest_convex(Fraction(fp, n), Fraction(tp, p)))
            below_diagonal = curve == "convex" and tp * n < fp * p
            found[tp, fn, fp, tn] = range(0) if not p * n or below_diagonal else range(least, most + 1)
    return found


def margins_of(claim: Claim) -> tuple[tuple[int, int], ...]:
    pairs = [(p, n) for _, positives, negatives in claim.pairs() for p, n in zip(positives, negatives, strict=True)]
    return tuple((int(p), int(n)) for p, n in pairs)


def values(claimed: ClaimedScore, cells: Cells, halves: range, fill: Fraction | None) -> list[Exact]:
    """Return the values that a claimed score can have beside a table."""
    if claimed.metric.id == "auc":
        pairs = 2 * (cells[0] + cells[1]) * (cells[2] + cells[3])
        return [Fraction(half, pairs) for half in halves]
    if claimed.name in COUNTS:
        return [Fraction(COUNTS[claimed.name](*cells))]
    value = claimed.metric.formula.exact(dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))
    if value is None and fill is not None:
        # scikit-learn prints 0 for the coefficient with a root, whatever was said.
        value = Fraction(0) if claimed.metric.id == "mcc" else fill
    return [] if value is None else [value]


def areas_left(scores: tuple[ClaimedScore, ...], cells: Cells, halves: range) -> list[int]:
    pairs = 2 * (cells[0] + cells[1]) * (cells[2] + cells[3])
    areas = [claimed for claimed in scores if claimed.metric.id == "auc"]
    return [half for half in halves if all(Fraction(half, pairs) in claimed.reported for claimed in areas)]


def brute_force(claim: Claim, scores: tuple[ClaimedScore, ...]) -> dict[Cells, list[int]]:
    """Return the tables that fit some scores, each with the values of 2 U that fit too."""
    found = {}
    for cells, halves in world(margins_of(claim), claim.curve).items():
        left = areas_left(scores, cells, halves)
        if any(claimed.metric.id == "auc" for claimed in scores) and not left:
            continue
        others = [claimed for claimed in scores if claimed.metric.id != "auc"]
        if all(any(v in one.reported for v in values(one, cells, halves, claim.meant.fill)) for one in others):
            found[cells] = left
    return found


def random_report(random: Random) -> dict[str, Any]:
    p, n = random.randint(1, 8), random.randint(1, 8)
    tp, tn = random.randint(0, p), random.randint(0, n)
    cells = (tp, p - tp, n - tn, tn)
    truth = ff.Table.of_counts(*cells)
    report: dict[str, Any] = {"curve": random.choice(["any", "any", "convex"])}
    for name in random.sample(SCORES, random.randint(0, 2)):
        value = ff.score(truth, name)
        report[name] = f"{0.0 if value != value else value + random.choice([0, 0, 0.02]):.{random.choice([2, 3])}f}"
    for name in random.sample(list(COUNTS), random.randint(0, 2)):
        count = COUNTS[name](*cells)
        report[name] = random.choice([count, count, count + 1, f"{max(count - 1, 0)}-{count + 1}", [count, count + 2]])
    for name in random.sample(AREAS, random.choice([0, 1, 1, 1, 2])):
        report[name] = random.choice([f"{random.random():.2f}", f"{random.random():.1f}", f"[{tp}/{p + 1}, 1)", "=1/2"])
    if len(report) == 1:
        report["auc"] = "0.71"
    report = {name: "0" if str(value).startswith("-0.0") else value for name, value in report.items()}
    report["undefined"] = random.choice(["excluded", "excluded", "zero", "one"])
    sizes = random.choice(["margins", "margins", "total", "range", "nothing"])
    if sizes == "margins":
        return report | {"positives": p, "negatives": n}
    if sizes == "total":
        return report | {"total": min(p + n, 10)}
    if sizes == "range":
        return report | {"positives": [max(p - 1, 0), p + 1], "negatives": n}
    return report | {"max_total": 9}


def reports() -> list[tuple[dict[str, Any], Recovery]]:
    random, made = Random(14), []
    while len(made) < CASES:
        report = random_report(random)
        try:
            made.append((report, recover(report, folds="none")))
        except ff.InputError as error:
            assert error.code in ("out_of_range", "bad_count"), error
    return made


@pytest.fixture(scope="module")
def recovered() -> list[tuple[dict[str, Any], Recovery]]:
    return reports()


def check(found: Recovery) -> None:
    claim = found.claim
    fitting = brute_force(claim, claim.scores)
    assert {tuple(table.cells().values()) for table in found.tables()} == set(fitting)
    assert (found.count, found.counted) == (len(fitting), True)
    assert found.verdict == ("possible" if fitting else "impossible")
    for cells in world(margins_of(claim), claim.curve):
        assert fits(claim, ff.Table.of_counts(*cells)) == (cells in fitting)


def test_counts_and_areas_equal_brute_force(recovered: list[tuple[dict[str, Any], Recovery]]) -> None:
    for report, found in recovered:
        try:
            check(found)
        except AssertionError as error:
            raise AssertionError(report) from error


def test_large_integers_give_the_same_answers(recovered: list[tuple[dict[str, Any], Recovery]]) -> None:
    with using(machine_integers_below=1):
        for report, found in recovered[:100]:
            assert recover(report, folds="none").count == found.count


def test_bounds_of_the_area_equal_brute_force(recovered: list[tuple[dict[str, Any], Recovery]]) -> None:
    for report, found in recovered:
        left = world(margins_of(found.claim), found.claim.curve)
        areas = [
            Fraction(half, 2 * (cells[0] + cells[1]) * (cells[2] + cells[3]))
            for cells in brute_force(found.claim, found.claim.scores)
            for half in areas_left(found.claim.scores, cells, left[cells])
        ]
        ends = found.bounds("auc")
        assert (ends.low, ends.high) == ((float(min(areas)), float(max(areas))) if areas else (None, None)), report


def test_nearest_values_are_possible_and_none_lies_between(recovered: list[tuple[dict[str, Any], Recovery]]) -> None:
    told = 0
    for report, found in recovered:
        claim = found.claim
        scores = {claimed.name: claimed for claimed in claim.scores}
        left_by = world(margins_of(claim), claim.curve)
        for implied in found.implied:
            others = tuple(scores[name] for name in implied.others)
            claimed = scores[implied.name]
            possible: dict[Cells, list[Exact]] = {}
            for cells in brute_force(claim, others):
                halves = left_by[cells]
                if claimed.metric.id == "auc":
                    fitting = areas_left(others, cells, halves)
                    pairs = 2 * (cells[0] + cells[1]) * (cells[2] + cells[3])
                    possible[cells] = [Fraction(half, pairs) for half in fitting]
                else:
                    possible[cells] = values(claimed, cells, halves, claim.meant.fill)
            every: list[Any] = [value for some in possible.values() for value in some]
            assert not any(value in claimed.reported for value in every), report
            reported = claimed.reported
            below = max((v for v in every if v <= reported.low), default=None)
            above = min((v for v in every if v >= reported.high), default=None)
            for nearest, value in ((implied.below, below), (implied.above, above)):
                assert (None if nearest is None else nearest.value) == value, (report, implied)
                if nearest is not None:
                    assert nearest.value in possible[tuple(nearest.table.cells().values())]
                    told += 1
    assert told > 200
