"""Monotone knowledge: who knows less never accuses more, and what is told in addition never clears an accusation.

A report is honest or has one score moved. It is asked about with less and with more said: sizes, the total, digits,
scores, how undefined scores and digits were treated, and how the scores were averaged. Impossible with less said must
stay impossible with more said, if what is said agrees; and as more is said, no verdict gets milder, undecided apart.
"""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import fourfold as ff

# From the mildest to the strongest; what is undecided is no accusation of any strength.
STRENGTH: Final = {"possible": 0, "conditional": 1, "unexplained": 2, "impossible": 3}
SCORES: Final = ("accuracy", "recall", "specificity", "precision", "f1", "npv", "macro_f1", "mcc", "balanced_accuracy")
WAYS: Final = ("any", "one", "zero", "none", "excluded")

tables = st.tuples(*[st.integers(0, 40)] * 4).filter(lambda t: t[0] + t[1] > 0 and t[2] + t[3] > 0)


def asked(**report: Any) -> str:
    return ff.recover(bounds="none", **report).verdict


def check(less: dict[str, Any], more: dict[str, Any]) -> tuple[str, str]:
    """Ask with less and with more said: the first is no stronger an accusation than the second."""
    before, after = asked(**less), asked(**more)
    told = f"{before}: {less}; {after}: {more}"
    assert before != "impossible" or after == "impossible", told
    if "undecided" not in (before, after):
        assert STRENGTH[before] <= STRENGTH[after], told
    return before, after


@st.composite
def reports(draw: st.DrawFn) -> tuple[dict[str, str], dict[str, int]]:
    """Draw scores of a table as printed, often with one that was moved, and its sizes."""
    tp, fn, fp, tn = draw(tables)
    table = ff.Table(tp=tp, fn=fn, fp=fp, tn=tn)
    names = draw(st.lists(st.sampled_from(SCORES), min_size=2, max_size=4, unique=True))
    digits = draw(st.integers(2, 4))
    values = {name: ff.score(table, name) for name in names}
    values = {name: value for name, value in values.items() if value == value}
    moved = draw(st.sampled_from([None, *values]))
    if moved is not None:
        step = draw(st.sampled_from([-0.5, -0.1, -0.02, -(10.0**-digits), 10.0**-digits, 0.02, 0.1, 0.5]))
        values[moved] = min(max(values[moved] + step, 0.0), 1.0)
    scores = {name: f"{value:.{digits}f}" for name, value in values.items()}
    return scores, {"positives": tp + fn, "negatives": fp + tn}


def without_one(values: dict[str, Any], draw: Any) -> dict[str, Any]:
    left_out = draw(st.sampled_from(sorted(values)))
    return {name: value for name, value in values.items() if name != left_out}


@settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))
@given(reports(), st.data())
def test_fewer_scores(report: tuple[dict[str, str], dict[str, int]], data: st.DataObject) -> None:
    scores, sizes = report
    said = data.draw(st.sampled_from([{}, {"folds": "none"}]))
    if len(scores) > 1:
        check({**sizes, **said, **without_one(scores, data.draw)}, {**sizes, **said, **scores})


@settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))
@given(reports(), st.data())
def test_fewer_sizes(report: tuple[dict[str, str], dict[str, int]], data: st.DataObject) -> None:
    scores, sizes = report
    total = sum(sizes.values())
    positives = sizes["positives"]
    ranges = {"positives": f"{max(positives - 2, 0)}-{positives + 3}", "total": total}
    less = data.draw(st.sampled_from([{"total": total}, {"positives": positives}, ranges]))
    said = data.draw(st.sampled_from([{}, {"folds": "none"}]))
    # Without a total there is no end of tables to try.
    said |= {"max_total": 200} if less == {"positives": positives} else {}
    check({**less, **said, **scores}, {**sizes, **said, **scores} if "max_total" not in said else {**sizes, **scores,
        **{name: value for name, value in said.items() if name != "max_total"}})  # fmt: skip


@settings(deadline=None, max_examples=6, suppress_health_check=list(HealthCheck))
@given(reports())
def test_no_sizes(report: tuple[dict[str, str], dict[str, int]]) -> None:
    scores, sizes = report
    # One of the three alone may be an average: that is tried of one table of known sizes.
    assume(not scores.keys() >= {"precision", "recall", "f1"})
    check(scores, {**sizes, **scores})


@settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))
@given(reports(), st.data())
def test_fewer_digits(report: tuple[dict[str, str], dict[str, int]], data: st.DataObject) -> None:
    scores, sizes = report
    # A printed 0.3475 may stand for 0.34752, so neither 0.347 nor 0.348 says less than it. And whoever cuts digits off
    # prints 0.26 as 0.2. So only a digit below 5 is left out: then rounding and cutting off print the same.
    shortened = sorted(name for name, text in scores.items() if text[-1] in "01234")
    assume(shortened)
    name = data.draw(st.sampled_from(shortened))
    shorter = f"{float(scores[name]):.{len(scores[name].split('.')[1]) - 1}f}"
    said = data.draw(st.sampled_from([{}, {"folds": "none"}]))
    check({**sizes, **said, **scores, name: shorter}, {**sizes, **said, **scores})


PROTOCOLS: Final[tuple[dict[str, Any], ...]] = (
    {"folds": "none"}, {"folds": 2}, {"folds": "5 stratified"}, {"folds": "3 unstratified"}, {"folds": "repeated 2x3"},
    {"runs": 3}, {"splits": "3 of 0.5"}, {"rounding": "half_up"}, {"rounding": "truncate"}, {"undefined": "zero"},
    {"undefined": "one"}, {"undefined": "excluded"}, {"undefined": "none"},
)  # fmt: skip


@settings(deadline=None, max_examples=12, suppress_health_check=list(HealthCheck))
@given(reports(), st.sampled_from(PROTOCOLS))
def test_what_is_said_of_conventions_clears_no_impossible_report(
    report: tuple[dict[str, str], dict[str, int]], said: dict[str, Any]
) -> None:
    """It may well make of what is possible only if it holds what is possible, and explain the unexplained."""
    scores, sizes = report
    if asked(**sizes, **scores) == "impossible":
        assert asked(**sizes, **scores, **said) == "impossible", (sizes, scores, said)


def test_the_total_alone_accuses_no_more_than_both_sizes() -> None:
    scores = {"accuracy": "0.9384", "precision": "0.9392", "recall": "0.9663", "f1": "0.9518"}
    less, more = check({"total": 569, **scores}, {"positives": 357, "negatives": 212, **scores})
    assert less in ("conditional", "undecided")
    assert more == "conditional"


@pytest.mark.parametrize("said", [{"runs": 3}, {"folds": 3}, {"folds": "none"}, {"splits": "2 of 0.5"}])
def test_impossible_classes_stay_impossible(said: dict[str, Any]) -> None:
    """No average of F1 is above that of the averages of precision and recall."""
    scores = {"macro_precision": "0.40", "macro_recall": "0.41", "macro_f1": "0.903"}
    assert asked(classes=[8, 9, 10], **scores) == "impossible"
    assert asked(classes=[8, 9, 10], **scores, **said) == "impossible"
