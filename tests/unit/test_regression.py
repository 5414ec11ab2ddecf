"""Scores of a regression: what is read, what is refused, and how the answer reads."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import pytest

import fourfold as ff
from fourfold import cli, writers


@pytest.mark.parametrize(
    ("given", "blame"),
    [
        # mae <= rmse <= sqrt(n) mae
        ({"n": 100, "mae": "0.60", "rmse": "0.45"}, [("mae", "rmse")]),
        ({"n": 4, "mae": "0.60", "rmse": "1.30"}, [("mae", "rmse")]),
        # rmse <= max error <= sqrt(n) rmse, and max error <= n mae
        ({"n": 100, "rmse": "0.60", "max_error": "0.45"}, [("rmse", "max_error")]),
        ({"n": 4, "rmse": "0.60", "max_error": "1.30"}, [("rmse", "max_error")]),
        ({"n": 4, "mae": "0.10", "max_error": "0.50"}, [("mae", "max_error")]),
        ({"n": 4, "rmse": "0.50", "mse": "0.30"}, [("rmse", "mse")]),
        # Two of three go together: 4 errors of sum 4, the largest 2, have squares of 5 1/3 to 8.
        ({"n": 4, "mae": "=1", "max_error": "=2", "mse": "=5/4"}, [("mae", "mse", "max_error")]),
        # r2 = 1 - mse / variance
        ({"n": 9, "rmse": "=1", "variance": "=4", "r2": "0.74"}, [("rmse", "r2", "variance")]),
    ],
)
def test_contradictions(given: dict[str, Any], blame: list[tuple[str, ...]]) -> None:
    result = ff.recover_regression(**given)
    assert (result.verdict, list(result.blame), result.bounds) == ("impossible", blame, {})
    assert {row["score"] for row in result.rows()} == set(given) - {"n"}


def test_a_sample_variance_is_divided_by_one_less() -> None:
    given: dict[str, Any] = {"n": 5, "rmse": "=1", "variance": "=5"}
    population = ff.recover_regression(**given).bounds["r2"]
    sample = ff.recover_regression(**given, sample_variance=True).bounds["r2"]
    assert (population.low, population.high) == (0.8, 0.8)
    assert (sample.low, sample.high) == (0.75, 0.75)
    # And back: the variance as it would be printed.
    back = ff.recover_regression(n=5, rmse="=1", r2="=3/4", sample_variance=True).bounds["variance"]
    assert (back.low, back.high) == (5, 5)


def test_errors_that_fit_are_named() -> None:
    result = ff.recover_regression(n=3, mae="=1", rmse="=1")
    assert result.errors == ((Fraction(1), 3),)
    assert result.bounds["max_error"][:2] == (1, 1)
    one = ff.recover_regression(n=1, mae="2.5", variance="0.0")
    assert (one.verdict, one.errors[0].cases) == ("possible", 1)
    assert ff.recover_regression(n=1, mae="2.5", variance="0.4").blame == (("variance",),)


def test_open_ends_are_not_attained() -> None:
    bounds = ff.recover_regression(n=4, mae="0.5", rounding="truncate").bounds
    assert tuple(bounds["mae"]) == (0.5, 0.6, True, False)
    assert tuple(bounds["rmse"]) == (0.5, 1.2, True, False)
    alike = ff.recover_regression(n=2, mae="(1, 2)", rmse="=1")
    assert alike.verdict == "impossible"


def test_r2_tells_nothing_without_a_scale() -> None:
    result = ff.recover_regression(n=10, r2="0.8")
    assert tuple(result.bounds["mae"]) == (0, None, False, False)
    perfect = ff.recover_regression(n=10, r2="=1")
    assert tuple(perfect.bounds["max_error"]) == (0, 0, True, True)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"n": 10}, "no score is given"),
        ({"n": 0, "mae": "1"}, "at least one case"),
        ({"n": 2.5, "mae": "1"}, "whole number"),
        ({"n": 10, "mae": "-1"}, "mae: must be 0 or more"),
        ({"n": 10, "r2": "1.2"}, "r2: must be at most 1"),
        ({"n": 10, "mae": "good"}, "mae: is not a reported number"),
        ({"n": 1, "r2": "0.5"}, "r2: is undefined for one case"),
        ({"n": 1, "variance": "1", "sample_variance": True}, "variance: is undefined for one case"),
        ({"n": 5, "variance": "=0", "r2": "0.5"}, "variance: must be above 0"),
    ],
)
def test_what_means_nothing_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ff.InputError, match=words):
        ff.recover_regression(**given)


def test_words_and_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    def said(line: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            cli.main(["recover-regression", *line.split()])
        shown = capsys.readouterr()
        return int(str(ended.value.code)), shown.out + shown.err

    code, words = said("--n 100 mae=0.60 rmse=0.45")
    assert code == 1
    assert "mae and rmse contradict each other; each alone is possible" in words
    assert "By mae 0.60, rmse is at least 0.5950 and at most 6.0500, not 0.45." in words
    code, words = said("--n 7 mae=0.58 --integer-errors")
    assert (code, words.strip()) == (1, "impossible: no 7 whole errors have this mae.")
    code, words = said("--n 50 mae=2.00 rmse=2.58 --integer-errors --budget 0")
    assert code == 3
    assert "undecided" in words
    code, words = said("--n 50 mea=2.00")
    assert code == 2
    assert "did you mean" in words
    code, words = said("mae=2.00")
    assert code == 2


def test_large_whole_errors_are_decided() -> None:
    """Sums that are wide leave many errors: some are found at once."""
    result = ff.recover_regression(n=100_000, mae="3.42", rmse="4.90", max_error="31", integer_errors=True)
    assert result.verdict == "possible"
    assert sum(cases for _, cases in result.errors) == 100_000
    assert writers.terminal_text(result)


def test_whole_targets_have_few_variances() -> None:
    """Of two whole numbers it is d²/4: 0, 0.25, 1 and so on; divided by n - 1 it is d²/2."""
    asked: Any = {"n": 2, "rmse": "0.7", "integer_errors": True}
    for variance, verdict in {"0.1": "impossible", "0.2": "possible", "0.25": "possible", "0.6": "impossible"}.items():
        assert ff.recover_regression(**asked, variance=variance).verdict == verdict, variance
    assert ff.recover_regression(**asked, variance="0.1").blame == (("variance",),)
    assert ff.recover_regression(**asked, variance="0.50", sample_variance=True).verdict == "possible"
    assert ff.recover_regression(**asked, variance="0.25", sample_variance=True).verdict == "impossible"
    # Other targets, and other numbers of them, may have it.
    assert ff.recover_regression(n=2, rmse="0.7", variance="0.1").verdict == "possible"


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_no_variance_of_whole_targets_is_ruled_out(n: int) -> None:
    for targets in combinations_with_replacement(range(5), n):
        variance = Fraction(sum(y * y for y in targets), n) - Fraction(sum(targets), n) ** 2
        found = ff.recover_regression(n=n, mae="0", variance=variance, integer_errors=True)
        assert found.verdict == "possible", targets
