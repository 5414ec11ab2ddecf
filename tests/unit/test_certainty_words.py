"""What is said of certainty is so, word for word; and which model is surer, by a slow twin."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fourfold as ff
from fourfold import plots, writers
from fourfold.answers import document
from fourfold.answers.certainty import meaning
from fourfold.certainty import abstain, calibrate, compare_certainty, difference

from .pictures import assert_drawn

PERFECT = ff.decompose([0, 1], [[0.9, 0.1], [0.2, 0.8]])


def numbers(words: str) -> list[float]:
    return [float(text) for text in re.findall(r"-?\d\.\d{4}", words)]


@pytest.mark.parametrize("name", ["accuracy", "macro_f1", "macro_recall", "weighted_precision"])
def test_the_sentence_shows_the_sum_that_it_tells(name: str) -> None:
    """Certain / (certain + uncertain), each taken here from the matrices."""
    draw = np.random.default_rng(1)
    model = ff.decompose(draw.integers(0, 3, 60), draw.dirichlet([1, 1, 1], 60))
    certain, uncertain = (ff.score(getattr(model, part), name) for part in ("certain", "uncertain"))
    words = meaning(model.ratio(name))
    assert numbers(words) == pytest.approx(
        [certain, uncertain, certain, certain, uncertain, certain / (certain + uncertain)], abs=6e-5
    )
    assert f"{100 * model.weight_certain:.1f} % of its probability" in words
    assert "It does not say that the model is right when it is sure (see calibration)" in words
    assert len(words) < 420


def test_undefined_and_negative_ones_say_why() -> None:
    tree = ff.decompose(["a", "b", "b"], [[1, 0], [0, 1], [1, 0]])
    assert "is undefined: all of the probability lies on predicted classes" in meaning(tree.ratio("accuracy"))
    paper = meaning(tree.ratio("accuracy", convention="paper"))
    assert "is 1.0000, an undefined score counted as 0: all of the probability" in paper
    cancelled = meaning(PERFECT.ratio("mcc"))
    assert "is undefined: the scores of both parts, 1.0000 and -1.0000, cancel" in cancelled
    negative = meaning(PERFECT.ratio("kappa"))
    assert "1.0000 / (1.0000 + (-0.8000)) = 5.0000 (no share, for a score is negative)" in negative


def test_which_is_surer_by_a_slow_twin() -> None:
    """Resampled rows written out and decomposed one by one give an interval of about the same ends."""
    draw = np.random.default_rng(2)
    truth, one, other = draw.integers(0, 3, 90), draw.dirichlet([1, 1, 1], 90), draw.dirichlet([0.5] * 3, 90)
    found = compare_certainty(truth, one, other, ["accuracy"], stratified=False, draws=2000)
    sure = [float(rows.max(axis=1).mean()) for rows in (one, other)]
    assert (found.certain_first, found.certain_second) == pytest.approx(sure)
    assert found.difference == pytest.approx(sure[0] - sure[1])
    gaps = (one.max(axis=1) - other.max(axis=1))[draw.integers(0, 90, (2000, 90))].mean(axis=1)
    assert (found.low, found.high) == pytest.approx(np.quantile(gaps, [0.025, 0.975]), abs=0.008)
    assert found.surer == "second"
    swapped = compare_certainty(truth, other, one, ["accuracy"], stratified=False, draws=2000)
    assert (swapped.difference, swapped.low, swapped.high) == pytest.approx(
        (-found.difference, -found.high, -found.low)
    )
    # The ratios are those that are asked for one at a time.
    alone = difference(truth, one, other, "accuracy", stratified=False, draws=2000)
    assert (found.ratios[0].value, found.ratios[0].low) == pytest.approx((alone.value, alone.low))


def test_no_one_is_surer_than_oneself() -> None:
    rows = [[0.9, 0.1], [0.4, 0.6]] * 20
    found = compare_certainty(["a", "b"] * 20, rows, rows, draws=50)
    assert (found.surer, found.difference, found.low, found.high) == (None, 0.0, 0.0, 0.0)
    assert document(found).title.startswith("Neither first nor second is shown to be surer")
    with pytest.raises(ff.InputError, match="predictions"):
        compare_certainty(["a", "b"] * 20, rows, rows, predictions=(None,))  # type: ignore[arg-type]


TRUTH, ROWS = ["a", "a", "b", "b"] * 30, [[0.9, 0.1], [0.4, 0.6], [0.3, 0.7], [0.45, 0.55]] * 30


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[0.99, 0.01]] * 60 + [[0.01, 0.99]] * 60, "too sure"),
        ([[0.6, 0.4], [0.6, 0.4], [0.4, 0.6], [0.4, 0.6]] * 30, "not sure enough"),
        ([[0.75, 0.25], [0.25, 0.75], [0.25, 0.75], [0.25, 0.75]] * 30, "no miscalibration is shown"),
    ],
)
def test_what_is_said_of_calibration(rows: Any, words: str) -> None:
    result = calibrate(TRUTH, rows, draws=300)
    assert words in str(result)
    assert f"{result.error:.4f}" in str(result)


def test_what_is_said_where_nothing_reaches_it() -> None:
    wrong = abstain(["b"] * 20, [[0.9, 0.1]] * 20, labels=["a", "b"], want=0.5, draws=5)
    assert "no threshold reaches accuracy 0.5000; the highest is 0.0000, of 20 cases" in str(wrong)
    few = abstain(["a"] * 3, [[0.9, 0.1]] * 3, labels=["a", "b"], want=0.95, draws=5)
    assert "the cases are too few to be sure of it" in str(few)


@pytest.mark.parametrize(
    "result",
    [
        abstain(TRUTH, ROWS, want=0.8, draws=10),
        abstain(TRUTH, ROWS, "mcc", draws=10),
        calibrate(TRUTH, ROWS, draws=10),
        compare_certainty(TRUTH, ROWS, ROWS[::-1], draws=10),
    ],
    ids=["wanted", "mcc", "calibration", "comparison"],
)
def test_every_form_can_be_written(result: Any) -> None:
    assert writers.to_json(result)
    assert writers.to_csv(result).count("\n") >= 1
    assert "certain" in writers.markdown(result) or "Calibration" in writers.markdown(result)
    assert writers.latex(result)


def drawn(chart: Any, layer: int) -> list[dict[str, Any]]:
    """Return the records of a layer."""
    spec = chart.to_dict()
    data = spec["layer"][layer]["data"]
    return list(spec["datasets"][data["name"]] if "name" in data else data["values"])


def test_pictures_of_one_and_of_several(tmp_path: Path) -> None:
    pytest.importorskip("altair")
    kept, said = abstain(TRUTH, ROWS, want=0.8, draws=10), calibrate(TRUTH, ROWS, draws=10)
    one, two = plots.abstention(kept), plots.calibration({"first": said, "second": said})
    assert_drawn(two, tmp_path)
    points = drawn(one, 1)
    assert [(point["share"], point["value"]) for point in points] == [(each.share, each.value) for each in kept.points]
    assert drawn(one, 3) == [{"value": 0.8}]
    marks = drawn(two, 3)
    assert {point["line"] for point in marks} == {"first", "second"}
    assert [point["share"] for point in marks[: len(said.bins)]] == [part.share for part in said.bins]
    assert plots.draw(kept, "abstention").to_dict()["title"] == one.to_dict()["title"]
    # A score that is undefined where few are kept has no point.
    assert_drawn(plots.abstention({"a": abstain(TRUTH, ROWS, "mcc", draws=5), "b": kept}), tmp_path)
    for draw in (plots.abstention, plots.calibration):
        with pytest.raises(ff.InputError, match="at least one"):
            draw({})
