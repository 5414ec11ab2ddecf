"""Means over parts against looking at every choice of tables, with means and deviations spelt another way."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import pytest

from fourfold.exact.reported import Reported
from fourfold.exact.surd import Surd
from fourfold.metrics import METRICS, Metric, metric, read_convention
from fourfold.solve import linear_means, table_means, whole_sums
from fourfold.solve.experiment import Deviation, EqualParts, MeansReport, OpenParts, part_value, stratified_folds
from fourfold.solve.means import bounds, decide
from fourfold.solve.whole_sums import Line
from fourfold.table import Table

#: How many random reports are decided; more on request.
CASES = int(os.environ.get("FOURFOLD_MEANS_CASES", "250"))
CONVENTIONS = [read_convention(word) for word in ("none", "zero", "one", "excluded")]
SCORES = [*METRICS.values(), metric("macro_f1"), metric("macro_precision"), metric("weighted_f1"), metric("f2")]
#: What papers report most: half of the claims are of these.
USUAL = [
    metric(name)
    for name in ("accuracy", "recall", "specificity", "precision", "f1", "mcc", "balanced_accuracy", "npv", "kappa")
]


def tables_of(part: EqualParts | OpenParts) -> list[Table]:
    return [
        Table.of_counts(tp, p - tp, n - tn, tn)
        for p, n in ([(part.positives, part.negatives)] if isinstance(part, EqualParts) else
                     [(p, part.total - p) for p in range(part.total + 1)])
        for tp in range(p + 1)
        for tn in range(n + 1)
    ]  # fmt: skip


def inside(value: Any, reported: Reported) -> bool:
    """Whether a number is in an interval: a float far from its ends tells, else exact arithmetic."""
    near = float(value)
    if min(abs(near - float(reported.low)), abs(near - float(reported.high))) > 1e-9:
        return float(reported.low) < near < float(reported.high)
    above = value > reported.low or (value == reported.low and not reported.low_open)
    return bool(above and (value < reported.high or (value == reported.high and not reported.high_open)))


def mean_fits(report: MeansReport, choice: tuple[Table, ...], score: Metric, reported: Reported) -> bool:
    values = [part_value(score, table.cells(), report.convention) for table in choice]
    if None in values and report.convention.strict:
        return False
    weights = [part.weight for part in report.parts]
    pairs = [(w, v) for w, v in zip(weights, values, strict=True) if v is not None]
    if not pairs:
        return False
    return inside(sum((v * w for w, v in pairs), Fraction(0)) / sum(w for w, _ in pairs), reported)


def deviation_fits(report: MeansReport, choice: tuple[Table, ...], deviation: Deviation) -> bool:
    values = [part_value(deviation.metric, table.cells(), report.convention) for table in choice]
    if None in values and report.convention.strict:
        return False
    known = [v for v in values if v is not None]
    divisor = len(known) - (deviation.kind != "sd")
    if not known or not divisor:
        return False
    # The sum over pairs is the number of values times the sum of squared distances from the mean.
    square = (
        sum(((a - b) * (a - b) for i, a in enumerate(known) for b in known[:i]), Fraction(0)) / len(known) / divisor
    )
    if deviation.kind == "standard_error":
        square = square / len(known)
    low, high = deviation.reported.low, deviation.reported.high
    squared = Reported(
        "", max(low, Fraction(0)) ** 2, high**2, deviation.reported.low_open and low >= 0, deviation.reported.high_open
    )
    return high >= 0 and inside(square, squared)


def fits(report: MeansReport, choice: tuple[Table, ...]) -> bool:
    if report.positives is not None and sum(table.positives for table in choice) != report.positives:
        return False
    for score, reported in report.each:
        for table in choice:
            value = part_value(score, table.cells(), report.convention)
            if (value is None and not report.convention.drop) or (value is not None and not inside(value, reported)):
                return False
    whole = {name: sum(table.cells()[name] for table in choice) for name in ("tp", "fn", "fp", "tn")}
    for score, reported in report.pooled:
        value = score.value(whole, report.convention)
        if value is None or not inside(value, reported):
            return False
    return all(mean_fits(report, choice, *claim) for claim in report.means) and all(
        deviation_fits(report, choice, deviation) for deviation in report.deviations
    )


def enumerated(report: MeansReport) -> bool:
    """Whether any choice of one table for each part fits; parts that are equal are exchanged for nothing."""
    if len(set(report.parts)) == 1:
        choices: Any = combinations_with_replacement(tables_of(report.parts[0]), len(report.parts))
    else:
        choices = product(*(tables_of(part) for part in report.parts))
    return any(fits(report, choice) for choice in choices)


def random_report(rng: random.Random) -> MeansReport:
    undefined: Any = rng.choice(CONVENTIONS)
    count = rng.choice((2, 2, 3, 3, 4))
    most = {2: 6, 3: 4, 4: 3}[count]
    parts: tuple[EqualParts | OpenParts, ...]
    positives = None
    if rng.random() < 0.15:
        totals = [rng.randint(2, min(most, 4)) for _ in range(count if count < 4 else 3)]
        parts = tuple(OpenParts(total) for total in totals)
        positives = rng.randint(0, sum(totals))
    else:
        sizes = [
            (rng.randint(0, most // 2 + 1), rng.randint(1, most // 2)) for _ in range(rng.choice((1, 1, 2, count)))
        ]
        weights = [Fraction(rng.randint(1, 3)) for _ in range(count)] if rng.random() < 0.15 else [Fraction(1)] * count
        parts = tuple(EqualParts(*sizes[i % len(sizes)], weight=weights[i]) for i in range(count))
    drawn = [rng.choice(tables_of(part)) for part in parts]
    if positives is not None:
        positives = sum(table.positives for table in drawn)
    blank = MeansReport(parts, convention=undefined, positives=positives)

    def claimed(exact: Any, spread: bool = False) -> Reported:
        value = float(exact) if exact is not None else rng.random()
        if rng.random() < 0.5:
            value += rng.choice((-1, 1)) * rng.choice((0.001, 0.01, 0.05, 0.2))
        value = abs(value) if spread else value
        text = f"{value:.{rng.randint(1, 4)}f}"
        if rng.random() < 0.2 and isinstance(exact, Fraction):
            return Reported("", exact, exact + Fraction(1, 50), rng.random() < 0.5, rng.random() < 0.5)
        return Reported.read(text, rounding=rng.choice(("any", "any", "half_even", "truncate")))

    def score() -> Metric:
        return rng.choice(USUAL if rng.random() < 0.6 else SCORES)

    weights = [part.weight for part in parts]
    scores = list(dict.fromkeys(score() for _ in range(rng.randint(1, 4))))
    means = tuple((s, claimed(blank.mean(s, drawn, weights))) for s in scores)
    deviations: tuple[Deviation, ...] = ()
    if rng.random() < 0.4 and len(set(weights)) == 1:
        varied = rng.choice(scores) if rng.random() < 0.9 else score()
        values = [part_value(varied, table.cells(), undefined) for table in drawn]
        known = [float(v) for v in values if v is not None]
        middle = sum(known) / max(len(known), 1)
        kind: Any = rng.choice(("sd", "sample_sd", "standard_error"))
        divisor = max(1, len(known) - (kind != "sd")) * (len(known) if kind == "standard_error" else 1)
        size = (sum((v - middle) ** 2 for v in known) / max(divisor, 1)) ** 0.5
        deviations = (Deviation(varied, claimed(size, spread=True), kind),)
        if rng.random() < 0.3:
            means = means[:1]
    each = ()
    if rng.random() < 0.2:
        s = score()
        values = [part_value(s, table.cells(), undefined) for table in drawn]
        known_values = [v for v in values if v is not None and not isinstance(v, Surd)] or [Fraction(0)]
        each = ((s, Reported("", min(known_values), max(known_values), rng.random() < 0.2, False)),)
    pooled = ()
    if rng.random() < 0.2:
        s = score()
        whole = {name: sum(table.cells()[name] for table in drawn) for name in ("tp", "fn", "fp", "tn")}
        pooled = ((s, claimed(s.value(whole, undefined))),)
    return MeansReport(parts, means, undefined, each, pooled, deviations, positives)


@pytest.mark.parametrize("block", range(10))
def test_no_verdict_differs_from_enumeration(block: int) -> None:
    for seed in range(block * CASES // 10, (block + 1) * CASES // 10):
        report = random_report(random.Random(seed))
        decision = decide(report)
        assert decision.verdict == ("possible" if enumerated(report) else "impossible"), (seed, decision.reason)
        if decision.witness is not None:
            assert fits(report, tuple(table for own in decision.witness for table in own)), seed


def test_parts_of_known_and_unknown_make_up_together() -> None:
    """Mean and deviation of one score over parts of both kinds, in either order."""
    for seed in range(CASES // 5):
        rng = random.Random(70_000 + seed)
        parts: list[EqualParts | OpenParts] = [OpenParts(rng.randint(1, 3)) for _ in range(rng.randint(1, 2))]
        parts += [EqualParts(rng.randint(0, 2), rng.randint(1, 2)) for _ in range(rng.randint(1, 2))]
        rng.shuffle(parts)
        drawn = [rng.choice(tables_of(part)) for part in parts]
        score = rng.choice([metric("accuracy"), metric("accuracy"), metric("recall"), metric("f1")])
        undefined: Any = rng.choice(CONVENTIONS)
        values = [part_value(score, table.cells(), undefined) for table in drawn]
        known = [float(value) for value in values if value is not None] or [0.5]
        middle = sum(known) / len(known)
        spread = (sum((value - middle) ** 2 for value in known) / len(known)) ** 0.5
        printed = [f"{value + rng.choice((0, 0, 0.1)):.2f}" for value in (middle, spread)]
        mean, size = (Reported.read(text) for text in printed)
        deviations = (Deviation(score, size),)
        positives = sum(table.positives for table in drawn)
        report = MeansReport(tuple(parts), ((score, mean),), undefined, deviations=deviations, positives=positives)
        assert decide(report).verdict == ("possible" if enumerated(report) else "impossible"), seed


@pytest.mark.parametrize("block", range(5))
def test_bounds_enclose_every_choice(block: int) -> None:
    """The outer ends enclose what any choice attains, and the inner ones are attained."""
    for seed in range(block * CASES // 50, (block + 1) * CASES // 50):
        rng = random.Random(10_000 + seed)
        report = random_report(rng)
        score = rng.choice(USUAL)
        over: Any = rng.choice(("mean", "pooled"))
        values = list(attained(report, score, over))
        found = bounds(report, score, over=over)
        if found is None:
            assert not values, seed
            continue
        if values:
            assert found.low <= min(values) + 1e-9, seed
            assert found.high >= max(values) - 1e-9, seed
        if found.low_found is not None and found.high_found is not None:
            assert min(abs(value - found.low_found) for value in values) < 1e-9, seed
            assert min(abs(value - found.high_found) for value in values) < 1e-9, seed


def attained(report: MeansReport, score: Metric, over: str) -> Iterator[float]:
    """What a score is at every choice that fits, where it has a value."""
    weights = [part.weight for part in report.parts]
    for choice in product(*(tables_of(part) for part in report.parts)):
        if not fits(report, choice):
            continue
        whole = {name: sum(table.cells()[name] for table in choice) for name in ("tp", "fn", "fp", "tn")}
        pooled = over == "pooled"
        value: Any = score.value(whole, report.convention) if pooled else report.mean(score, choice, weights)
        if value is not None:
            yield float(value)


def linear_report(rng: random.Random) -> MeansReport:
    """A report of scores that are linear in the cells, over some kinds of small parts."""
    kinds = [(rng.randint(1, 5), rng.randint(1, 5), rng.randint(1, 3)) for _ in range(rng.randint(1, 3))]
    names = rng.sample(["accuracy", "recall", "specificity", "balanced_accuracy", "informedness"], rng.randint(1, 3))
    means = tuple((metric(name), Reported.read(f"{rng.random():.{rng.randint(1, 3)}f}")) for name in names)
    each: Any = ()
    if rng.random() < 0.3:
        each = (
            (metric(rng.choice(["accuracy", "recall"])), Reported("", Fraction(rng.randint(0, 6), 10), Fraction(1))),
        )
    pooled: Any = ()
    if rng.random() < 0.3:
        pooled = ((metric(rng.choice(["precision", "accuracy", "f1"])), Reported.read(f"{rng.random():.1f}")),)
    return MeansReport(tuple(EqualParts(*kind) for kind in kinds), means, each=each, pooled=pooled)


def test_whole_sums_and_lists_of_tables_agree() -> None:
    """Two ways to the same answer: sums of counts, and the tables of each part."""
    seen = set()
    for seed in range(CASES):
        report = linear_report(random.Random(seed)).grouped()
        by_sums, by_tables = linear_means.decided(report), table_means.decided(report)
        if by_sums is not None:
            assert by_sums.verdict == by_tables.verdict, seed
            seen.add(by_sums.verdict)
    assert seen == {"possible", "impossible"}


def test_lines_through_whole_numbers() -> None:
    """Against all whole numbers in their ranges; listing, and branches."""
    seen = set()
    for seed in range(2 * CASES):
        rng = random.Random(seed)
        ranges = [(low, low + rng.randint(0, 4)) for low in (rng.randint(-2, 2) for _ in range(rng.choice((2, 4, 6))))]
        lines = []
        for _ in range(rng.randint(1, 3)):
            factors = tuple(Fraction(rng.randint(-6, 6), rng.randint(1, 4)) for _ in ranges)
            low = Fraction(rng.randint(-20, 20), 3)
            lines.append(
                Line(factors, low, low + Fraction(rng.randint(0, 4), 3), rng.random() < 0.3, rng.random() < 0.3)
            )
        fitting = [
            numbers
            for numbers in product(*(range(a, b + 1) for a, b in ranges))
            if all(on_line(line, numbers) for line in lines)
        ]
        found = whole_sums.solved(lines, ranges)
        assert found is not None
        assert tuple(found) in fitting if isinstance(found, list) else not fitting, seed
        rows = [row for line in lines if (row := whole_sums.whole_line(line))]
        for way in (whole_sums._branched, whole_sums._guessed):
            told = way(rows, ranges)
            if isinstance(told, list) and all(whole_sums.whole_line(line) for line in lines):
                assert tuple(told) in fitting, seed
            elif told is False:
                assert not fitting, seed
        seen.add(isinstance(found, list))
        goal = [Fraction(rng.randint(-3, 3)) for _ in ranges]
        if fitting:
            most = max(sum(f * x for f, x in zip(goal, numbers, strict=True)) for numbers in fitting)
            assert whole_sums.largest(lines, ranges, goal) >= most, seed
    assert seen == {True, False}


def on_line(line: Line, numbers: tuple[int, ...]) -> bool:
    total = sum(f * x for f, x in zip(line.factors, numbers, strict=True))
    assert line.low is not None
    assert line.high is not None
    above = total > line.low if line.low_open else total >= line.low
    return above and (total < line.high if line.high_open else total <= line.high)


def test_mean_and_deviation_of_counts() -> None:
    """Right cases in each fold against all multisets of them: what GRIMMER asks of whole numbers."""
    seen = set()
    for seed in range(CASES // 2):
        rng = random.Random(seed)
        folds, size = rng.choice(((5, 6), (4, 8), (3, 15), (6, 4)))
        digits = rng.randint(2, 4)
        right = [rng.randint(size // 2, size) for _ in range(folds)]
        mean, spread = sum(right) / folds / size, rng.random() / 4
        kind: Any = rng.choice(("sd", "sample_sd", "standard_error"))
        claims = Reported.read(f"{mean:.{digits}f}"), Reported.read(f"{spread:.{digits}f}")
        parts = (EqualParts(size // 2, size - size // 2, folds),)
        deviation = Deviation(metric("accuracy"), claims[1], kind)
        decision = decide(MeansReport(parts, ((metric("accuracy"), claims[0]),), deviations=(deviation,)))
        fits_some = False
        for counts in combinations_with_replacement(range(size + 1), folds):
            middle = Fraction(sum(counts), folds * size)
            variance = sum((Fraction(c, size) - middle) ** 2 for c in counts) / (folds - (kind != "sd"))
            variance /= folds if kind == "standard_error" else 1
            low, high = max(claims[1].low, Fraction(0)), claims[1].high
            fits_some |= middle in claims[0] and low**2 <= variance <= high**2
        assert decision.verdict == ("possible" if fits_some else "impossible"), seed
        seen.add(fits_some)
    assert seen == {True, False}


def test_honest_reports_are_never_impossible() -> None:
    """Scores of folds that were drawn, with as many digits as papers print."""
    names = ("accuracy", "recall", "specificity", "precision", "f1", "mcc", "balanced_accuracy")
    undecided = 0
    for seed in range(CASES // 10):
        rng = random.Random(seed)
        folds, prevalence = rng.choice((5, 10)), rng.uniform(0.15, 0.6)
        total = rng.randint(20, 120) * folds + rng.randint(0, folds - 1)
        positives = max(folds, int(total * prevalence))
        parts = stratified_folds(positives, total - positives, folds)
        rates = rng.uniform(0.5, 0.98), rng.uniform(0.5, 0.98)
        tables = []
        for part in parts:
            for _ in range(part.count):
                tp = sum(rng.random() < rates[0] for _ in range(part.positives))
                tn = sum(rng.random() < rates[1] for _ in range(part.negatives))
                tables.append(Table.of_counts(tp, part.positives - tp, part.negatives - tn, tn))
        blank, digits = MeansReport(parts, convention=read_convention("zero")), rng.choice((2, 3, 4))
        means = []
        for name in rng.sample(names, rng.randint(2, 5)):
            value: Any = blank.mean(metric(name), tables, [Fraction(1)] * folds)
            means.append((metric(name), Reported.read(f"{float(value):.{digits}f}")))
        verdict = decide(MeansReport(parts, tuple(means), read_convention("zero"))).verdict
        assert verdict != "impossible", seed
        assert verdict == "possible" or digits == 4, seed
        undecided += verdict == "undecided"
    assert undecided <= CASES // 100


@pytest.mark.parametrize("left_out", ["short lists", "lists", "lists and sides", "all but the last search"])
def test_every_way_proves_what_enumeration_shows(left_out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small reports never reach the ways for larger ones, unless those before them are left out."""
    monkeypatch.setattr(table_means, "_FEW_LISTED", 0)
    monkeypatch.setattr(table_means, "_FIRST_EFFORT", 5_000)
    monkeypatch.setattr(table_means, "_SHORT_EFFORT", 800)
    monkeypatch.setattr(table_means, "_LAST_EFFORT", 800)
    if left_out != "short lists":
        monkeypatch.setattr(table_means, "_MANY_LISTED", 0)
        monkeypatch.setattr(table_means, "_MOST_LISTED", 0)
    if left_out in ("lists and sides", "all but the last search"):
        monkeypatch.setattr(table_means.Case, "_by_sides", lambda self, sums: None)
    if left_out == "all but the last search":
        monkeypatch.setattr(table_means, "_FIRST_EFFORT", 0)
    reasons = set()
    for seed in range(CASES // 3):
        report = random_report(random.Random(20_000 + seed))
        decision = decide(report)
        if decision.verdict != "undecided":
            assert decision.verdict == ("possible" if enumerated(report) else "impossible"), (seed, decision.reason)
        reasons.add(decision.reason)
    assert len(reasons) > 2
