"""Ways in which scores can have been computed: each verdict beside enumeration, and the true way is never ruled out."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import fourfold as ff
from fourfold import answers, writers
from fourfold.claims import Protocol
from fourfold.errors import InputError
from fourfold.words import told_once

Cells = tuple[int, int, int, int]


def exact(name: str, cells: Cells) -> Fraction | None:
    """A score from its definition; none where it divides by zero."""
    tp, fn, fp, tn = cells
    top, bottom = {
        "accuracy": (tp + tn, sum(cells)),
        "recall": (tp, tp + fn),
        "specificity": (tn, fp + tn),
        "precision": (tp, tp + fp),
        "f1": (2 * tp, 2 * tp + fp + fn),
    }[name]
    return Fraction(top, bottom) if bottom else None


def mean(name: str, tables: list[Cells], undefined: str) -> Fraction | None:
    values = [exact(name, cells) for cells in tables]
    if undefined == "zero":
        values = [value or Fraction(0) for value in values]
    if undefined == "excluded":
        values = [value for value in values if value is not None]
    known = [value for value in values if value is not None]
    return sum(known, Fraction(0)) / len(known) if known and len(known) == len(values) else None


def rounds_to(value: Fraction | None, text: str) -> bool:
    digits = len(text.partition(".")[2])
    return value is not None and abs(value - Fraction(text)) <= Fraction(1, 2 * 10**digits)


def tables_of(positives: int, negatives: int) -> list[Cells]:
    return [(tp, positives - tp, negatives - tn, tn) for tp in range(positives + 1) for tn in range(negatives + 1)]


def some_fit(parts: list[tuple[int, int]], report: dict[str, str], undefined: str) -> bool:
    """Look at every choice of a table for each part."""
    return any(
        all(rounds_to(mean(name, list(chosen), undefined), text) for name, text in report.items())
        for chosen in product(*(tables_of(*part) for part in parts))
    )


def way(found: ff.claims.Protocols, code: str, parts: int | None = None) -> Protocol:
    return next(each for each in found.protocols if each.code == code and parts in (None, each.parts))


def dealt(positives: int, negatives: int, folds: int) -> list[tuple[int, int]]:
    """Deal cases one by one, those of one class after those of the other."""
    classes = [0] * negatives + [1] * positives
    return [(sum(classes[i::folds]), len(classes[i::folds]) - sum(classes[i::folds])) for i in range(folds)]


@pytest.mark.parametrize("undefined", ["none", "zero", "excluded"])
def test_small_data_sets_agree_with_all_choices(undefined: Any) -> None:
    rng = np.random.default_rng(5)
    names = ["accuracy", "recall", "precision", "f1", "specificity"]
    seen: dict[str, set[str]] = {}
    for i in range(12):
        positives, negatives = (int(rng.integers(2, 5)) for _ in range(2))
        chosen = [str(name) for name in rng.choice(names, 2, replace=False)]
        report = {name: f"{rng.integers(0, 13) / 12:.2f}" for name in chosen}
        if i % 2:
            cells = tables_of(positives, negatives)[int(rng.integers((positives + 1) * (negatives + 1)))]
            report = {name: f"{float(exact(name, cells) or 0):.2f}" for name in chosen}
        asked: Any = {"positives": positives, "negatives": negatives, "undefined": undefined, "repeats": 1, **report}
        found = ff.protocols(**asked)
        single = [(1, 0)] * positives + [(0, 1)] * negatives
        for code, parts in (
            ("one_test_set", [(positives, negatives)]),
            ("fold_means", dealt(positives, negatives, 2)),
            ("fold_means", dealt(positives, negatives, 3)),
            ("leave_one_out", single),
        ):
            each = way(found, code, len(parts))
            expected = "possible" if some_fit(parts, report, undefined) else "impossible"
            assert each.verdict == expected, (asked, each)
            seen.setdefault(code, set()).add(expected)
    if undefined != "none":  # a single case has no two of these scores
        assert all(verdicts == {"possible", "impossible"} for verdicts in seen.values()), seen


def test_the_true_way_is_never_ruled_out() -> None:
    rng = np.random.default_rng(8)
    for folds in (2, 5, 10, 17):
        positives, negatives = (int(rng.integers(20, 60)) for _ in range(2))
        parts = dealt(positives, negatives, folds)
        tables = [
            (tp, p - tp, n - tn, tn) for p, n in parts for tp, tn in [(rng.binomial(p, 0.8), rng.binomial(n, 0.9))]
        ]
        report: Any = {name: f"{float(mean(name, tables, 'zero') or 0):.4f}" for name in ("accuracy", "recall", "f1")}
        found = ff.protocols(positives=positives, negatives=negatives, **report)
        assert way(found, "fold_means", folds).fits, report


def test_who_never_looks() -> None:
    """Always positive: recall 1, precision and accuracy are the prevalence, 30 of 80."""
    found = ff.protocols(positives=30, negatives=50, accuracy="0.375", precision="0.375", recall="1.000")
    assert way(found, "always_positive").verdict == "possible"
    assert way(found, "always_negative").verdict == "impossible"
    assert way(found, "always_positive").words == "a classifier that always says positive"
    found = ff.protocols(positives=30, negatives=50, accuracy="0.625", precision="0.000", recall="0.000")
    assert way(found, "always_negative").verdict == "conditional"
    assert "printed as 0" in way(found, "always_negative").condition
    assert "the larger class" in way(found, "always_negative").words


def test_who_never_looks_as_means_over_folds() -> None:
    """Of 20 and 25 cases two folds have 13 of 23 and 12 of 22 negatives: on average 0.5553, where 25 of 45 are 0.5556."""
    found = ff.protocols(positives=20, negatives=25, accuracy="0.5553", recall="0")
    assert way(found, "one_test_set").verdict == "impossible"
    assert "means over 2 stratified folds" in way(found, "always_negative").condition


def test_single_cases_count_as_zero_where_they_have_no_score() -> None:
    """8 of 10 positives found, 5 of 30 negatives accused: 8 of 40 single cases have a precision of 1, as have recalls."""
    found = ff.protocols(positives=10, negatives=30, precision="0.200", recall="0.200", accuracy="0.825")
    alone = way(found, "leave_one_out")
    assert (alone.verdict, alone.parts) == ("conditional", 40)
    assert "counted as 0" in alone.condition


def test_any_number_of_folds_is_what_protocols_tries() -> None:
    report: Any = {"positives": 31, "negatives": 44, "accuracy": "0.8536", "recall": "0.8476"}
    found = ff.protocols(**report)
    tried = ff.recover(**report, folds="any", bounds="none").readings
    over = {reading.words: reading.verdict for reading in tried if len(reading.departures) == 1}
    for each in found.protocols:
        # A question about one number of folds makes more effort.
        if each.code == "fold_means" and each.verdict in ("possible", "impossible"):
            assert over[f"the scores are {each.words}"] == each.verdict
    assert len([each for each in found.protocols if each.code == "fold_means"]) == 19


def test_lists_of_test_sets_and_ways_to_use_them() -> None:
    """Recalls 1/2 and 1 over sets of 4 and 16 cases: the mean is 0.75, weighted by size 0.9, of all cases 9/10 too."""
    found = ff.protocols(sets={"one": [(2, 2), (8, 8)], "two": [(4, 2), (8, 8)]}, recall="0.750", accuracy="0.875")
    ways = {(each.of, each.code): each.verdict for each in found.protocols}
    parts = [(2, 2), (8, 8)]
    assert ways["one", "set_means"] == (
        "possible" if some_fit(parts, {"recall": "0.750", "accuracy": "0.875"}, "none") else ""
    )
    assert ways["one", "sets_pooled"] == "impossible"  # 7.5 of 10
    assert ways["two", "sets_pooled"] == "impossible"  # 9 of 12, but 19.25 of 22
    assert {each.positives for each in found.protocols if each.of == "two"} == {12}
    assert answers.document(found).title.startswith("Possible as one: means over 2 test sets")


def test_weights_are_those_of_the_sizes() -> None:
    """Weighted by 4 and 16 cases, recalls of 1/2 and 1 have the mean 0.9, which is also 9 of 10."""
    found = ff.protocols(sets=[(2, 2), (8, 8)], recall="0.900", accuracy="0.950", repeats=1)
    assert [each.verdict for each in found.protocols[:3]] == ["impossible", "possible", "possible"]


def test_deviations_are_of_parts_only() -> None:
    found = ff.protocols(positives=10, negatives=10, accuracy="0.80 ± 0.10")
    assert way(found, "one_test_set").condition == "± is no deviation over folds or sets"
    assert "±" in way(found, "fold_means", 2).condition
    # Two folds of 10 cases: right answers of 9 and 7 have the mean 0.8 and the deviation 0.1.
    exact_one = ff.protocols(positives=10, negatives=10, accuracy="0.80 ± 0.10", spread="sd")
    assert way(exact_one, "fold_means", 2).verdict == "possible"


def test_repeats_deal_folds_again() -> None:
    """Recall 0.98 needs 50 positives: ten folds of 5 once, or two of 5 dealt five times."""
    asked: Any = {"positives": 10, "negatives": 10, "recall": "0.98"}
    assert way(ff.protocols(**asked, repeats=1), "fold_means", 2).verdict == "impossible"
    unsaid = way(ff.protocols(**asked), "fold_means", 2)
    assert (unsaid.verdict, unsaid.condition) == ("conditional", "the folds were made several times")
    repeated = ff.protocols(**asked, repeats=5)
    assert way(repeated, "fold_means", 2).verdict == "possible"
    assert (way(repeated, "fold_means", 2).positives, way(repeated, "always_positive").positives) == (10, 10)


@pytest.mark.parametrize(
    "asked",
    [
        {"positives": 10, "accuracy": "0.9"},
        {"total": 10, "accuracy": "0.9"},
        {"positives": 10, "negatives": 10},
        {"positives": 10, "negatives": 10, "sets": [(5, 5)], "accuracy": "0.9"},
        {"positives": 10, "negatives": 10, "tp": 5},
        {"positives": 10, "negatives": 10, "accuracy": "0.9", "spread": "wide"},
        {"sets": [], "accuracy": "0.9"},
    ],
)
def test_what_cannot_be_asked_is_refused(asked: Any) -> None:
    with pytest.raises(InputError):
        ff.protocols(**asked)


def test_texts_that_differ_in_a_number_are_told_once() -> None:
    assert told_once(["2 folds", "3 folds", "2 folds"]) == ["2 or 3 folds"]
    assert told_once(["1 of 2", "3 of 4"]) == ["1 of 2", "3 of 4"]
    assert told_once(["1 of 4", "3 of 4", "a"]) == ["1 or 3 of 4", "a"]
    assert told_once([]) == []


def test_who_always_says_the_same_of_one_class() -> None:
    """Of four negatives all right: recall is undefined and counts as 0, specificity is 1, balanced accuracy 1/2."""
    asked: Any = {"positives": 0, "negatives": 4, "balanced_accuracy": "0.50"}
    found = ff.protocols(**asked)
    assert [each.code for each in way(found, "always_negative").departures] == ["undefined_as_zero"]
    # With all four wrong, specificity is 0, and recall would have to count as 1.
    assert [each.code for each in way(found, "always_positive").departures] == ["undefined_as_one"]
    verdicts = {"zero": ("possible", "impossible"), "one": ("impossible", "possible")}
    for undefined, (negative, positive) in verdicts.items():
        found = ff.protocols(**asked, undefined=undefined)
        assert way(found, "always_negative").verdict == negative
        assert way(found, "always_positive").verdict == positive


def test_who_always_says_the_same_in_sets_with_open_folds() -> None:
    """Four positives and four negatives in all: who always says positive has recall 1 and accuracy 1/2."""
    sets = [{"positives": 1, "negatives": 3, "folds": "2 unstratified"}, {"positives": 3, "negatives": 1}]
    found = ff.protocols(sets=sets, recall="1.00", accuracy="0.50")
    assert way(found, "always_positive").verdict == "possible"


def least_excess(kinds: list[list[Cells]], shares: list[float], report: dict[str, str]) -> float:
    """By how much an average over any number of rounds of parts misses a report; below 0 where it lies within."""
    columns = [(i, cells) for i, kind in enumerate(kinds) for cells in kind]
    values = np.array([[float(exact(name, cells) or 0) for _, cells in columns] for name in report])
    printed = np.array([float(text) for text in report.values()])
    room = np.array([0.5 / 10 ** len(text.partition(".")[2]) for text in report.values()])
    ones = np.ones((len(report), 1))
    above, below = np.hstack([values, -ones]), np.hstack([-values, -ones])
    own = np.array([[float(i == kind) for i, _ in columns] + [0.0] for kind in range(len(kinds))])
    solved = linprog([0.0] * len(columns) + [1.0], np.vstack([above, below]),
        np.concatenate([printed + room, room - printed]), own, shares,
        bounds=[(0, None)] * len(columns) + [(None, None)])  # fmt: skip
    return float(solved.fun)


def test_any_number_of_rounds_is_the_convex_hull() -> None:
    """Beside another linear programme, over all tables of the parts."""
    rng = np.random.default_rng(3)
    names, seen = ["accuracy", "recall", "precision", "f1", "specificity"], set()
    for _ in range(30):
        p, n = (int(rng.integers(3, 8)) for _ in range(2))
        chosen = [str(name) for name in rng.choice(names, 3, replace=False)]
        mixed = [tables_of(p, n)[int(i)] for i in rng.integers((p + 1) * (n + 1), size=4)]
        report = {name: f"{float(mean(name, mixed, 'zero') or 0) + rng.choice([0, 0.05]):.3f}" for name in chosen}
        asked: Any = {"positives": p, "negatives": n, "undefined": "zero", **report}
        if any(float(text) > 1 for text in report.values()):
            continue
        found = ff.protocols(**asked)
        folds = Counter(dealt(p, n, 3))
        for protocol, parts in ((way(found, "run_means"), {(p, n): 1}), (way(found, "fold_means", 3), folds)):
            shares = [count / sum(parts.values()) for count in parts.values()]
            excess = least_excess([tables_of(*part) for part in parts], shares, report)
            if abs(excess) > 1e-7:
                # Precision and recall that are both averages may have made F1.
                fits = protocol.fits and all(each.code != "f1_of_means" for each in protocol.departures)
                assert fits == (excess < 0), (asked, protocol, excess)
                seen.add((protocol.code, fits))
    assert len(seen) == 4


def test_every_way_has_its_verdict() -> None:
    """Accuracy .880 is too low for recall .893 and specificity .941 of as many positives as a third of the cases.

    With a share s of positives it is s .893 + (1 - s) .941, and so at least .893 in parts of one size.
    """
    asked: Any = {"positives": 100, "negatives": 200, "accuracy": "0.880", "recall": "0.893", "specificity": "0.941"}
    found = ff.protocols(**asked)
    assert found.verdict == ff.recover(**asked, bounds="none").verdict == "unexplained"
    verdicts = {each.code: each.verdict for each in found.protocols}
    assert {code for code, verdict in verdicts.items() if verdict == "impossible"} == {
        *("one_test_set", "run_means", "fold_means", "leave_one_out", "always_positive", "always_negative"),
    }
    assert (way(found, "part_means").verdict, way(found, "any_means").verdict) == ("possible", "possible")
    assert 0.2 < (way(found, "part_means").width or 0) < 0.3
    assert "Ask how" in writers.terminal_text(found)


def test_what_no_average_gives_fits_no_way() -> None:
    """F1 is at most the harmonic mean of precision and recall, in every average."""
    found = ff.protocols(positives=100, negatives=200, precision="0.40", recall="0.41", f1="0.903")
    assert found.verdict == "impossible"
    assert {each.verdict for each in found.protocols} == {"impossible"}
    assert {"run_means", "unstratified_means", "part_means", "any_means"} < {each.code for each in found.protocols}


def test_deviations_beside_any_number_of_runs_are_left_open() -> None:
    """What deviations say of so many runs is not known, but means that no runs have are ruled out."""
    asked: Any = {"positives": 10, "negatives": 10, "recall": "0.80 ± 0.10"}
    assert way(ff.protocols(**asked, accuracy="0.85 ± 0.10"), "run_means").verdict == "undecided"
    assert way(ff.protocols(**asked, accuracy="0.95 ± 0.10"), "run_means").verdict == "impossible"


def test_large_data_sets_are_decided_where_no_part_of_their_share_fits() -> None:
    """A test set of 4,000 cases has a million tables and more: its share of positives tells."""
    asked: Any = {"positives": 2000, "negatives": 2000, "recall": "0.900", "repeats": 1}
    assert way(ff.protocols(**asked, specificity="0.700", accuracy="0.900"), "run_means").verdict == "impossible"
    assert way(ff.protocols(**asked, specificity="0.700", accuracy="0.800"), "run_means").verdict == "undecided"


def test_the_version_before_has_the_ways_it_had() -> None:
    found = ff.protocols(positives=100, negatives=200, accuracy="0.880", recall="0.893", specificity="0.941")
    old = found.to_dict(version=1)
    assert (old["version"], old["verdict"]) == (1, "undecided")
    assert {each["code"] for each in old["protocols"]} == {
        *("one_test_set", "fold_means", "leave_one_out", "always_positive", "always_negative"),
    }
