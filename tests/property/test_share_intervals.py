"""Intervals printed beside a share: those that a method made are recognised, those moved by a digit are not."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fourfold import InputError
from fourfold.chance.share_intervals import SHARE_INTERVALS, interval_methods
from fourfold.exact.reported import split_spread


def made(method: str, x: int, k: int, level: float) -> tuple[float, float]:
    """Return an interval by scipy, or straight from its definition."""
    known = {"Wilson": "wilson", "Wilson with continuity": "wilsoncc", "Clopper-Pearson": "exact"}
    if method in known:
        ends = stats.binomtest(x, k).proportion_ci(level, known[method])
        return float(ends.low), float(ends.high)
    if method == "Jeffreys":
        low, high = stats.beta(x + 0.5, k - x + 0.5).interval(level)
        return float(low), float(high)
    z = float(stats.norm.ppf(0.5 + level / 2))
    if method == "logit":
        odds, reach = math.log(x / (k - x)), z / math.sqrt(x * (k - x) / k)
        return 1 / (1 + math.exp(reach - odds)), 1 / (1 + math.exp(-reach - odds))
    more = z**2 if method == "Agresti-Coull" else 0.0
    share = (x + more / 2) / (k + more)
    reach = z * math.sqrt(share * (1 - share) / (k + more)) + (0.5 / k if method == "Wald with continuity" else 0.0)
    return max(share - reach, 0.0), min(share + reach, 1.0)


@pytest.mark.parametrize("method", SHARE_INTERVALS)
@pytest.mark.parametrize("seed", range(60))
def test_made_intervals_are_recognised_and_moved_ones_are_not(method: str, seed: int) -> None:
    draw = random.Random(seed)
    k = draw.choice((5, 23, 100, 569, 2000))
    # Log odds are there between none and all.
    x = draw.randint(1, k - 1) if method == "logit" else draw.randint(0, k)
    level, digits = draw.choice((0.9, 0.95, 0.99)), draw.choice((2, 3, 4))
    ends = made(method, x, k, level)
    score, low, high = (f"{value:.{digits}f}" for value in (x / k, *ends))
    assert (method, x) in interval_methods(score, low, high, k, level=level)
    # Three units of the last digit are more than any rounding, of the ends or of the deviate, can make up for.
    # An end that was cut off at 1 is moved down: where it was before may be just above.
    moved = f"{ends[1] + (3 if ends[1] < 1 else -3) * 10.0**-digits:.{digits}f}"
    found = interval_methods(score, low, moved, k, level=level)
    assert method not in {match.method for match in found if match.hits == x}
    percent = [f"{100 * value:.{digits}f}%" for value in (x / k, *ends)]
    assert (method, x) in interval_methods(*percent, k, level=level)


@pytest.mark.parametrize(("z", "level"), [(1.96, 0.95), (1.645, 0.9), (2.576, 0.99)])
def test_deviates_as_tables_print_them_count_too(z: float, level: float) -> None:
    for x, k in ((91, 100), (4200, 5000), (3, 8)):
        reach = z * math.sqrt(x / k * (1 - x / k) / k)
        ends = (f"{x / k - reach:.8f}", f"{x / k + reach:.8f}")
        assert ("Wald", x) in interval_methods(f"{x / k:.8f}", *ends, k, level=level)


def test_every_count_behind_a_rounded_share_is_tried() -> None:
    # Of 0.85 to 0.95, Wald's interval prints so for 89 (0.829 to 0.951) and 90 (0.841 to 0.959) of 100 alone: that of
    # 88 ends at 0.944, and that of 91 starts at 0.854.
    assert [match.hits for match in interval_methods("0.9", "0.8", "1.0", 100) if match.method == "Wald"] == [89, 90]
    assert interval_methods("0.93", "0.8", "1.0", 7) == []


def test_what_is_no_share_is_refused() -> None:
    with pytest.raises(InputError, match="at least one"):
        interval_methods("0.9", "0.8", "1.0", 0)
    with pytest.raises(InputError, match="between 0 and 1"):
        interval_methods("0.9", "0.8", "1.0", 10, level=95)


@given(st.text(alphabet="0123456789.,;-−–~+/±%()[] etoCIsdrange", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        value, spread, interval = split_spread(text)
    except InputError:
        return
    assert value
    assert spread is None or interval is None
