"""What docs/explanation/errata.md says of data that is kept outside the project, and of laws that its blocks only show at a point."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest

import fourfold as ff

from ..conftest import ADULT, MATRICES, needs


@needs(ADULT)
def test_000_counts_the_positives_of_adult_in_the_training_file_only() -> None:
    """The first 32,561 rows are the training file, the others the test file, whose labels begin with a blank."""
    rich = [label == ">50K" for label in pytest.importorskip("pandas").read_parquet(ADULT)["target"]]
    assert (len(rich), sum(rich), sum(rich[:32561])) == (48842, 11687, 7841)


@needs(MATRICES)
def test_001_table_2_is_a_mixture_with_these_shares() -> None:
    """The rounded shares on the page are those of the counts, and so is the weight of both parts."""
    stored = json.loads(MATRICES.read_text())["compas"]
    everyone, black = ([*matrix[0], *matrix[1]] for matrix in (stored["all"], stored["Black"]))
    others = [whole - part for whole, part in zip(everyone, black, strict=True)]
    assert [round(count / sum(black), 3) for count in black] == [0.086, 0.053, 0.328, 0.532]
    assert [round(count / sum(others), 3) for count in others] == [0.035, 0.054, 0.169, 0.741]
    assert round(sum(black) / sum(everyone), 3) == 0.492


@pytest.mark.parametrize("power", range(1, 12))
def test_001_holes_of_the_prevalence_threshold_grow_faster_than_stated(power: int) -> None:
    """For N = 2^m the sum of gcd(k, N) is N (1 + m/2), so that holes grow like N log N, not N log log N."""
    size = 2**power
    assert ff.holes("prevalence_threshold", size).count == size * Fraction(power + 2, 2) + 2 * size + 1


@pytest.mark.parametrize("size", [1, 5, 12, 30])
def test_001_accuracy_over_all_tables_keeps_its_spread(size: int) -> None:
    """Each table alike: the variance of accuracy is 1/20 + 1/(5 N), and does not vanish as 1/(4 N) does."""
    cells = [(a, b, c) for a in range(size + 1) for b in range(size + 1 - a) for c in range(size + 1 - a - b)]
    assert len(cells) == math.comb(size + 3, 3)
    # Of the four cells in turn a and b are right; the other two share the rest.
    scores = [Fraction(a + b, size) for a, b, _ in cells]
    mean = sum(scores) / len(scores)
    assert mean == Fraction(1, 2)
    assert sum((score - mean) ** 2 for score in scores) / len(scores) == Fraction(1, 20) + Fraction(1, 5 * size)
