"""Scores of a regression beside every choice of small errors: no verdict and no bound is wrong."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import Any

import pytest

import fourfold as ff
from fourfold.claims.error_sums import ErrorSums, Range, Spent, WholeErrors
from fourfold.exact.surd import Exact, root

NAMES = ("mae", "rmse", "mse", "max_error")


def scores_of(errors: tuple[Fraction | int, ...]) -> dict[str, Exact]:
    """Return the scores of errors by their definitions."""
    n = len(errors)
    mse = Fraction(sum(error * error for error in errors)) / n
    return {"mae": Fraction(sum(errors)) / n, "mse": mse, "rmse": root(mse), "max_error": Fraction(max(errors))}


def printed(value: float, digits: int) -> str:
    return f"{value:.{digits}f}"


def random_report(draw: random.Random, errors: tuple[Fraction | int, ...], *, move: bool) -> dict[str, str]:
    """Return some scores as printed; where one is moved, the report may contradict itself."""
    scores = scores_of(errors)
    names = draw.sample(NAMES, draw.randint(1, 4))
    report = {name: printed(float(scores[name]), draw.choice((0, 1, 2, 3))) for name in names}
    if move:
        name = draw.choice(names)
        digits = len(report[name].partition(".")[2])
        step = draw.choice((1, 2, 3, 10)) * draw.choice((1, -1)) / 10**digits
        report[name] = printed(max(float(report[name]) + step, 0.0), digits)
    return report


@pytest.mark.parametrize("seed", range(300))
def test_honest_reports_are_possible(seed: int) -> None:
    draw = random.Random(seed)
    n = draw.choice((1, 2, 3, 5, 20))
    errors = tuple(Fraction(draw.randint(0, 30), draw.choice((1, 3, 10))) for _ in range(n))
    result = ff.recover_regression(n=n, **random_report(draw, errors, move=False))
    assert result.verdict == "possible"
    for name, value in scores_of(errors).items():
        bounds = result.bounds[name]
        assert bounds.low is not None
        assert bounds.low - 1e-9 <= float(value)
        assert bounds.high is None or float(value) <= bounds.high + 1e-9
        if name in result.scores:
            assert value in result.scores[name]


@pytest.mark.parametrize("seed", range(300))
def test_honest_reports_with_a_variance_are_possible(seed: int) -> None:
    draw = random.Random(seed)
    n = draw.randint(2, 12)
    targets = [Fraction(draw.randint(0, 50), 10) for _ in range(n)]
    targets[0] += 1 if len(set(targets)) == 1 else 0
    errors = tuple(Fraction(draw.randint(0, 20), 10) for _ in range(n))
    mean = Fraction(sum(targets)) / n
    squares = sum((target - mean) ** 2 for target in targets)
    sample = draw.random() < 0.5
    mse = scores_of(errors)["mse"]
    report = random_report(draw, errors, move=False)
    r2 = 1 - mse * n / squares
    report |= {"r2": printed(float(r2), 2), "variance": printed(float(squares / (n - sample)), 2)}
    result = ff.recover_regression(n=n, sample_variance=sample, **report)
    assert result.verdict == "possible"
    low, high, *_ = result.bounds["r2"]
    assert low - 1e-9 <= float(r2) <= high + 1e-9
    without = ff.recover_regression(n=n, sample_variance=sample, **{k: report[k] for k in report if k != "variance"})
    assert without.bounds["variance"].low <= float(squares / (n - sample)) + 1e-9
    assert float(squares / (n - sample)) - 1e-9 <= (without.bounds["variance"].high or math.inf)


def grid(n: int, most: int) -> Iterator[tuple[int, ...]]:
    """Walk all errors of 0 to `most`, largest last."""
    return combinations_with_replacement(range(most + 1), n)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_squares_reach_from_alike_to_far_apart(n: int) -> None:
    """On a fine grid, no errors lie beyond the formula's ends, and some come near each of them."""
    sums = ErrorSums(n)
    seen: dict[tuple[int, int], list[int]] = {}
    for errors in grid(n, 12):
        seen.setdefault((sum(errors), errors[-1]), []).append(sum(error * error for error in errors))
    for (total, largest), squares in seen.items():
        low = sums.least_squares(Fraction(total), Fraction(largest))
        high = sums.most_squares(Fraction(total), Fraction(largest))
        assert low <= min(squares)
        assert max(squares) == high
        # Errors that are alike may not lie on the grid: rounding them moves the squares by less than one each.
        assert min(squares) - low < n


def whole_range(draw: random.Random, values: list[int]) -> Range:
    """Return a range around some value, sometimes with open ends, sometimes without any limit."""
    if draw.random() < 0.25:
        return Range()
    middle = draw.choice(values)
    low, high = middle - Fraction(draw.randint(0, 6), 4), middle + Fraction(draw.randint(0, 6), 4)
    open_ = draw.random() < 0.5 and low < high
    return Range(max(low, Fraction(0)), high, open_ and low > 0, open_ and high > 0)


@pytest.mark.parametrize("seed", range(300))
def test_ranges_with_errors_on_a_grid_are_possible(seed: int) -> None:
    """Whatever a grid of quarters attains lies within the bounds, and every rational end is right."""
    draw = random.Random(seed)
    n = draw.choice((1, 2, 3))
    top = 16
    known = ErrorSums(
        n,
        whole_range(draw, list(range(8))),
        whole_range(draw, list(range(5))),
        whole_range(draw, list(range(20))),
    )
    found = [
        values
        for values in map(sums_of, grid(n, top))
        if all(value in range_ for value, range_ in zip(values, known[1:], strict=True))
    ]
    bounds = known.bounds()
    if bounds is None:
        assert not found
        return
    for values in found:
        assert all(value in range_ for value, range_ in zip(values, bounds[1:], strict=True))
    runs = known.some_errors()
    if runs is not None:
        errors = [value for value, count in runs for _ in range(count)]
        assert len(errors) == n
        assert sum(errors) in known.total
        assert max(errors) in known.largest
        assert sum(error * error for error in errors) in known.squares
    assert_ends(known, bounds)


def sums_of(errors: tuple[int, ...]) -> tuple[Fraction, Fraction, Fraction]:
    quarters = [Fraction(error, 4) for error in errors]
    return sum(quarters, Fraction(0)), max(quarters), sum((error * error for error in quarters), Fraction(0))


def assert_ends(known: ErrorSums, bounds: ErrorSums) -> None:
    """Ask again with each score at its end, just within and just beyond it."""
    hair = Fraction(1, 10**9)
    for name in ("total", "largest", "squares"):
        low, high, low_open, high_open = getattr(bounds, name)
        for end, open_, inwards in ((low, low_open, 1), (high, high_open, -1)):
            if not isinstance(end, Fraction):
                continue

            def possible(value: Fraction, name: str = name) -> bool:
                at = getattr(known, name).meet(Range(value, value))
                return not at.is_empty and known._replace(**{name: at}).bounds() is not None

            assert possible(end) == (not open_)
            assert not possible(end - inwards * hair)
            if low != high:
                assert possible(end + inwards * hair)


def test_irrational_ends_are_right() -> None:
    """Errors of sum 4 and squares 10: the largest ends where the other three are alike, or where one of them is 0."""
    known = ErrorSums(4, Range(Fraction(4), Fraction(4)), Range(), Range(Fraction(10), Fraction(10)))
    bounds = known.bounds()
    assert bounds is not None
    # 4m² - 8m + 16 = 30, and two errors of 2 + 1, so that 4 + 1 + 1 < 10: m² + (4 - m)² = 10.
    assert bounds.largest.high == 1 + root(Fraction(9, 2))
    assert bounds.largest.low == 3


@cache
def attained(n: int, most: int) -> list[dict[str, Exact]]:
    """Return the scores of all whole errors up to a largest, each once."""
    every = {(sum(errors), errors[-1], sum(error * error for error in errors)): errors for errors in grid(n, most)}
    return [scores_of(errors) for errors in every.values()]


def brute(n: int, report: dict[str, ff.claims.Reported], most: int) -> list[dict[str, Exact]]:
    every = attained(n, most)
    return [scores for scores in every if all(scores[name] in reported for name, reported in report.items())]


# The draw of one seed leaves errors up to 62: more than can be enumerated.
@pytest.mark.parametrize("seed", [seed for seed in range(700) if seed != 584])
def test_whole_errors_are_as_enumeration_finds_them(seed: int) -> None:
    draw = random.Random(seed)
    n = draw.randint(1, 5)
    errors = tuple(draw.choice((0, 1, 1, 2, 3, 5)) for _ in range(n))
    report = random_report(draw, errors, move=draw.random() < 0.6)
    result = ff.recover_regression(n=n, integer_errors=True, **report)
    # Errors beyond this cannot have the scores.
    limits = {"mae": n, "rmse": math.sqrt(n), "max_error": 1.0}
    ends = {name: float(reported.high) for name, reported in result.scores.items()}
    ends |= {"rmse": math.sqrt(ends["mse"])} if "mse" in ends and "rmse" not in ends else {}
    most = min(math.floor(ends[name] * limits[name]) for name in ends if name in limits)
    assert most <= 16
    found = brute(n, result.scores, most)
    assert result.verdict == ("possible" if found else "impossible")
    for name in NAMES if found else ():
        values = [float(scores[name]) for scores in found]
        assert tuple(result.bounds[name]) == (min(values), max(values), True, True)
    for names in result.blame:
        assert not brute(n, {name: result.scores[name] for name in names}, max(most, 12))
        for left_out in names:
            rest = {name: result.scores[name] for name in names if name != left_out}
            assert not rest or ff.recover_regression(
                n=n, integer_errors=True, **{name: reported.text for name, reported in rest.items()}
            ).verdict == "possible"  # fmt: skip


@pytest.mark.parametrize("n", [1, 3, 5])
def test_a_sum_of_squares_is_found_where_there_is_one(n: int) -> None:
    """Every sum, largest and sum of squares of errors up to 6, one by one."""
    seen = {(sum(errors), errors[-1], sum(error * error for error in errors)) for errors in grid(n, 6)}
    search = WholeErrors(n, 10**7)
    for total in range(6 * n + 1):
        for largest in range(7):
            for squares in range(36 * n + 1):
                found = search.find((total, total), (largest, largest), (squares, squares))
                assert (found is not None) == ((total, largest, squares) in seen)


def test_a_spent_search_is_no_verdict() -> None:
    with pytest.raises(Spent):
        WholeErrors(50, 1).find((100, 100), (9, 9), (332, 332))
    given: dict[str, Any] = {"n": 50, "mae": "2.00", "rmse": "2.58", "integer_errors": True}
    assert ff.recover_regression(**given, budget=0).verdict == "undecided"
