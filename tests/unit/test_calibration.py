"""Calibration against scikit-learn's curve, a plain loop and simulated truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import fourfold as ff
from fourfold.certainty import calibrate
from fourfold.certainty.calibration import _places

DRAW = np.random.default_rng(5)
SAID = DRAW.beta(2, 2, 400)
TRUE = (DRAW.random(400) < 0.2 + 0.6 * SAID).astype(int)
TWO = np.column_stack([1 - SAID, SAID])


@pytest.mark.parametrize(("spacing", "strategy"), [("mass", "quantile"), ("width", "uniform")])
@pytest.mark.parametrize("bins", [1, 5, 10, 37])
@pytest.mark.parametrize("said", [SAID, SAID.round(1)], ids=["all different", "many ties"])
def test_bins_are_those_of_scikit_learn(spacing: Any, strategy: str, bins: int, said: Any) -> None:
    curve = pytest.importorskip("sklearn.calibration").calibration_curve
    share, mean = curve(TRUE, said, n_bins=bins, strategy=strategy)
    found = calibrate(TRUE, np.column_stack([1 - said, said]), of=1, bins=bins, spacing=spacing, draws=1)
    assert [part.share for part in found.bins] == pytest.approx(share.tolist(), abs=1e-12)
    assert [part.said for part in found.bins] == pytest.approx(mean.tolist(), abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 2)), min_size=1, max_size=40), st.integers(1, 12))
def test_the_error_is_that_of_a_plain_loop(given: list[tuple[int, int]], bins: int) -> None:
    """Of three classes, the probability of the predicted one; equal probabilities are in one bin."""
    rows = [[p / 30, 1 - p / 30, 0.0] for p, _ in given]
    truth = [actual for _, actual in given]
    found = calibrate(truth, rows, [0, 1, 2], bins=bins, draws=1)
    top = [max(row) for row in rows]
    right = [row.index(max(row)) == actual for row, actual in zip(rows, truth, strict=True)]
    places = _places(np.array(top), bins, "mass")
    error = 0.0
    for place in set(places.tolist()):
        own = [n for n in range(len(top)) if places[n] == place]
        error += abs(sum(right[n] for n in own) - sum(top[n] for n in own)) / len(top)
    assert found.error == pytest.approx(error, abs=1e-12)
    assert sum(part.n for part in found.bins) == found.rows_read == len(given)
    assert len({(p, place) for p, place in zip(top, places.tolist(), strict=True)}) == len(set(top))
    assert 0 <= found.low <= found.error <= found.high <= 1
    for part in found.bins:
        wanted = stats.binomtest(part.true, part.n).proportion_ci(0.95, method="exact")
        assert (part.share_low, part.share_high) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
        assert part.low <= part.said <= part.high


def test_what_chance_alone_shows_in_one_bin() -> None:
    """Of 20 cases at 0.5: the mean distance of a binomial share from 0.5, and its chance to be as far off as seen."""
    found = calibrate(["a"] * 14 + ["b"] * 6, [[0.5, 0.5]] * 20, of="a", draws=20_000)
    hits = np.arange(21)
    law = stats.binom(20, 0.5).pmf(hits)
    assert found.by_chance == pytest.approx(float(np.abs(hits / 20 - 0.5) @ law), abs=0.002)
    assert found.p_value == pytest.approx(float(law[np.abs(hits - 10) >= 4].sum()), abs=0.01)
    assert found.error == pytest.approx(0.2)
    # 14 of 20 leave 0.457 to 0.881 open: half is among them, and the error may be up to 0.38.
    assert found.low == 0
    assert found.high == pytest.approx(0.381, abs=0.02)


def test_a_larger_error_is_seen_with_many_cases() -> None:
    found = calibrate(["a"] * 700 + ["b"] * 300, [[0.9, 0.1]] * 1000, draws=300)
    assert found.low == pytest.approx(0.171, abs=0.01)
    assert found.high == pytest.approx(0.229, abs=0.01)
    assert found.p_value < 0.01
    assert found.said - found.share == pytest.approx(0.2)


@pytest.mark.parametrize("shrunk", [1.0, 0.6], ids=["calibrated", "too sure"])
def test_intervals_hold_the_true_error(shrunk: float) -> None:
    """30 sets of 200 cases: the interval holds the true error of its bins nearly always."""
    draw, held = np.random.default_rng(11), 0
    for _ in range(30):
        said = 0.5 + 0.5 * draw.beta(2, 1, 200)
        chance = 0.5 + (said - 0.5) * shrunk
        truth = (draw.random(200) < chance).astype(int)
        found = calibrate(truth, np.column_stack([1 - said, said]), [0, 1], draws=200)
        places = _places(said, 10, "mass")
        gaps = [abs((chance - said)[places == place].sum()) for place in range(10)]
        held += found.low - 1e-12 <= sum(gaps) / 200 <= found.high
    assert held >= 26


def test_seeds_and_bad_options() -> None:
    options: Any = {"draws": 50}
    assert calibrate(TRUE, TWO, **options) == calibrate(TRUE, TWO, **options)
    assert calibrate(TRUE, TWO, **options).seed == 20241
    assert calibrate(TRUE, TWO, rng=np.random.default_rng(1), **options).seed is None
    for bad in ({"bins": 0}, {"bins": 2.5}, {"spacing": "even"}, {"of": 7}, {"level": 2}):
        with pytest.raises(ff.InputError, match=next(iter(bad))):
            calibrate(TRUE, TWO, **bad)
