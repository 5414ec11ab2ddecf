"""The range of p-values that a lead can have, beside all overlaps of errors one by one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import binomtest

import fourfold as ff
from fourfold.answers.result_tables import lead_words, table_words
from fourfold.claims.leads import mcnemar
from fourfold.cli import cli

#: Accuracy, sensitivity and specificity of ten methods on the test set of ISIC 2016, as published.
PUBLISHED = (
    "0.855,0.507,0.941", "0.813,0.573,0.872", "0.834,0.320,0.961", "0.786,0.667,0.816", "0.844,0.240,0.993",
    "0.821,0.200,0.974", "0.815,0.467,0.901", "0.681,0.787,0.655", "0.731,0.773,0.720", "0.599,0.853,0.536",
)  # fmt: skip
METRICS = ("accuracy", "recall", "specificity")


def overlaps(a: int, b: int, size: int) -> Iterator[tuple[int, int]]:
    """Walk how many cases of a class only a and only b gets right, for every number that both do."""
    for both in range(min(a, b) + 1):
        if a + b - both <= size:
            yield a - both, b - both


def p_values(a: ff.Table, b: ff.Table) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in METRICS}
    ways = product(overlaps(a.tp, b.tp, a.tp + a.fn), overlaps(a.tn, b.tn, a.tn + a.fp))
    for (only_a, only_b), (right_a, right_b) in ways:
        parts = {"accuracy": (only_a + right_a, only_b + right_b), "recall": (only_a, only_b)}
        for name, (first, second) in {**parts, "specificity": (right_a, right_b)}.items():
            cases = first + second
            found[name].append(binomtest(first, cases, 0.5).pvalue if cases else 1.0)
    return found


def tables(p: int, n: int) -> list[ff.Table]:
    return [ff.Table(tp=tp, fn=p - tp, fp=n - tn, tn=tn) for tp in range(p + 1) for tn in range(n + 1)]


@pytest.mark.parametrize(("p", "n"), [(1, 1), (2, 5), (4, 3), (6, 6)])
def test_ranges_are_those_over_all_overlaps(p: int, n: int) -> None:
    rng = np.random.default_rng(p)
    every = [*product(tables(p, n), repeat=2)]
    chosen = every if len(every) <= 200 else [every[i] for i in rng.choice(len(every), 120, replace=False)]
    for a, b in chosen:
        brute = p_values(a, b)
        for each in ff.lead(a, b, positives=p, negatives=n).ranges:
            assert each.least_p == pytest.approx(min(brute[each.metric]))
            assert each.largest_p == pytest.approx(max(brute[each.metric]))
            right = {"accuracy": a.tp + a.tn - b.tp - b.tn, "recall": a.tp - b.tp, "specificity": a.tn - b.tn}
            assert each.low == each.high == right[each.metric]


@pytest.mark.parametrize(("a", "b"), [("0.67", "0.50"), ("0.3", "0.8"), ("0.92", "0.25")])
def test_ranges_are_over_all_tables_that_fit(a: str, b: str) -> None:
    p = n = 6
    fitting = [
        [table for table in tables(p, n) if abs((table.tp + table.tn) / (p + n) - float(text)) <= half + 1e-9]
        for text in (a, b)
        for half in [0.5 * 10 ** -len(text.partition(".")[2])]
    ]
    brute = [p_values(first, second) for first, second in product(*fitting)]
    found = ff.lead({"accuracy": a}, {"accuracy": b}, positives=p, negatives=n)
    assert found.tables == (len(fitting[0]), len(fitting[1]))
    for each in found.ranges:
        assert each.least_p == pytest.approx(min(min(own[each.metric]) for own in brute))
        assert each.largest_p == pytest.approx(max(max(own[each.metric]) for own in brute))


def test_p_values_are_those_of_scipy() -> None:
    for first, second in ((4, 0), (5, 0), (6, 0), (12, 3), (30, 30), (200, 160)):
        expected = binomtest(first, first + second, 0.5).pvalue
        assert float(mcnemar(first - second, first + second)) == pytest.approx(expected)


def test_a_published_lead_of_four_cases_is_none() -> None:
    # 324 and 320 of 379 images are right.
    found = ff.lead({"accuracy": "0.855"}, {"accuracy": "0.844"}, positives=75, negatives=304, names=("Ours", "B"))
    accuracy = found.ranges[0]
    assert (accuracy.low, accuracy.high, accuracy.least_p, accuracy.verdict) == (4, 4, 0.125, "tied")
    words = "In accuracy, Ours leads B by 4 of 379 cases: no overlap of their errors gives p below 0.1250."
    assert lead_words(found, accuracy) == words


def test_a_large_lead_needs_no_overlap() -> None:
    found = ff.lead({"recall": "0.91"}, {"recall": "0.55"}, positives=100, negatives=50)
    assert [each.verdict for each in found.ranges] == ["depends", "different", "depends"]
    assert "whatever the overlap" in lead_words(found, found.ranges[1])
    behind = ff.lead({"recall": "0.55"}, {"recall": "0.91"}, positives=100, negatives=50)
    assert lead_words(behind, behind.ranges[1]).startswith("In recall, the second leads the first by 36 of 100 cases")
    assert "may be behind" in lead_words(found, found.ranges[2])


def test_rows_are_read_together() -> None:
    rows = {
        "A": {"accuracy": "0.855", "recall": "0.507", "specificity": "0.941"},
        "B": {"accuracy": "0.813", "recall": "0.573", "specificity": "0.872"},
        "C": {"accuracy": "0.834", "recall": "0.320", "specificity": "0.961"},
        "D": {"accuracy": "0.844", "recall": "0.520", "specificity": "0.824"},
    }
    read = ff.claims.read_results(rows, positives=75, negatives=304)
    assert read.sizes.odd == ("D",)
    # 324, 316 and 308 of 379 are right.
    assert [(each.names, each.ranges[0].low) for each in read.leads] == [(("A", "C"), 8), (("A", "B"), 16)]
    ours = ff.claims.read_results(rows, ours="B", positives=75, negatives=304)
    assert [(each.names, each.ranges[0].low) for each in ours.leads] == [(("B", "A"), -16), (("B", "C"), -8)]
    assert ff.claims.read_results({"A": rows["A"], "B": rows["B"]}).leads == (), "two rows do not tell the sizes"


def test_what_cannot_be_compared_is_said() -> None:
    with pytest.raises(ff.InputError, match="a: has no table"):
        ff.lead({"recall": "0.333"}, {"recall": "0.5"}, positives=4, negatives=4)
    with pytest.raises(ff.InputError, match="positives"):
        ff.lead({"recall": "0.5"}, {"recall": "0.5"}, positives="4-5", negatives=4)
    with pytest.raises(ff.TooLarge):
        ff.lead({"f1": "0.8"}, {"f1": "0.8"}, positives=5000, negatives=5000)


def test_the_command_says_it() -> None:
    typed = [
        "lead",
        "--first",
        "accuracy=0.855,recall=0.507",
        "--second",
        "accuracy=0.844",
        "--positives",
        "75",
        "--negatives",
        "304",
    ]
    told = CliRunner().invoke(cli, typed)
    assert told.exit_code == 0
    assert "the first leads the second by 4 of 379 cases" in told.output


def test_a_check_reads_the_rows_of_a_table_together() -> None:
    """Ten rows of a published table of 75 and 304 cases, one of them false: no k of 304 is 0.962."""
    rows = [f"M{i},{scores}" for i, scores in enumerate(PUBLISHED)]
    rows[6] = "ResNet-50,0.815,0.467,0.962"
    assert all(round(k / 304, 3) != 0.962 for k in range(305))
    found = ff.check("\n".join(["Method,Accuracy,Sensitivity,Specificity", *rows]))
    assert found.verdict == "possible", "its size is not said, so nothing is accused"
    [table] = found.results
    assert tuple(table.sizes.pairs[0]) == (75, 304)
    assert table.sizes.odd == ("ResNet-50",)
    assert table.leads[0].names == ("M0", "M4")
    assert table.leads[0].ranges[0].low == round(0.855 * 379) - round(0.844 * 379)
    words = " ".join(table_words(table.read))
    for part in ("75 positive and 304 negative", "ISIC 2016", "“ResNet-50” does not fit", "292 of 304", "by 4 of 379"):
        assert part in words


def test_a_row_called_ours_that_does_not_lead_is_compared_with_the_first() -> None:
    text = "Method,Accuracy\nBig,0.92\nSmall,0.90\nOurs,0.88\n"
    [table] = ff.check(text, positives=50, negatives=50, folds="none").results
    words = list(table_words(table.read))
    assert [line.partition(" of ")[0] for line in words[:2]] == [
        "In accuracy, Big leads Small by 2",
        "In accuracy, Big leads Ours by 4",
    ]
    assert "tells “Big” from “Small” or “Ours”" in words[2]


@pytest.mark.parametrize("table", ["Method,Accuracy\nA,0.9\nB,0.8\n", "Method,F1 macro\nA,0.9\nB,0.8\nC,0.7\n"])
def test_rows_that_tell_nothing_together_are_left_alone(table: str) -> None:
    assert ff.check(table).results == ()
