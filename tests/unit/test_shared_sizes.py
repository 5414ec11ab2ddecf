"""The sizes that all rows of a table of results share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import fourfold as ff
from fourfold.cli import cli

#: Ten rows of a table about skin lesions (75 melanomas among 379 test images): accuracy, sensitivity, specificity.
SKIN = """
0.855 0.507 0.941
0.813 0.573 0.872
0.834 0.320 0.961
0.786 0.667 0.816
0.844 0.240 0.993
0.821 0.200 0.974
0.815 0.467 0.901
0.681 0.787 0.655
0.731 0.773 0.720
0.599 0.853 0.536
"""
ROWS = {
    f"row {i}": dict(zip(("accuracy", "sensitivity", "specificity"), line.split(), strict=True))
    for i, line in enumerate(SKIN.strip().splitlines(), 1)
}
Scores = dict[str, str]


def pairs(found: ff.claims.SharedSizes) -> list[tuple[int, int]]:
    assert found.count == len(found.pairs)
    return [(pair.positives, pair.negatives) for pair in found.pairs]


def test_ten_published_rows_leave_the_true_sizes_and_their_double() -> None:
    found = ff.sizes(ROWS, max_total=1000)
    assert pairs(found) == [(75, 304), (150, 608)]
    assert (found.verdict, found.unique, found.odd, found.serving) == ("possible", True, (), 10)
    assert found.tried == 999 * 1000 // 2


def test_one_published_row_leaves_57() -> None:
    found = ff.sizes({"row 1": ROWS["row 1"]}, max_total=1000)
    assert (found.count, found.sized_rows[0].count, found.chance) == (57, 57, None)


def test_rows_that_another_check_calls_inconsistent_are_named() -> None:
    wrong = {
        "wrong 1": {"accuracy": "0.828", "sensitivity": "0.427", "specificity": "0.927"},
        "wrong 2": {"accuracy": "0.844", "sensitivity": "0.520", "specificity": "0.824"},
    }
    found = ff.sizes({**ROWS, **wrong})
    assert (found.pairs[0].positives, found.pairs[0].negatives) == (75, 304)
    assert found.odd == ("wrong 1", "wrong 2")
    assert found.verdict == "unexplained", "a larger test set, or means, may still be the truth"


# The slow twin: all tables of all sizes, from definitions spelt here.


def values(tp: int, fn: int, fp: int, tn: int) -> dict[str, Fraction | None]:
    def ratio(a: int, b: int) -> Fraction | None:
        return Fraction(a, b) if b else None

    return {
        "accuracy": ratio(tp + tn, tp + fn + fp + tn),
        "recall": ratio(tp, tp + fn),
        "specificity": ratio(tn, tn + fp),
        "precision": ratio(tp, tp + fp),
        "f1": ratio(2 * tp, 2 * tp + fp + fn),
        "false_positive_rate": ratio(fp, tn + fp),
        "jaccard": ratio(tp, tp + fp + fn),
    }


def prints_as(value: Fraction, text: str) -> bool:
    digits = len(text.partition(".")[2])
    return abs(value - Fraction(text)) <= Fraction(1, 2 * 10**digits)


def fits(scores: Scores, p: int, n: int) -> bool:
    for fill in (None, Fraction(0), Fraction(1)):
        for tp, tn in product(range(p + 1), range(n + 1)):
            known = values(tp, p - tp, n - tn, tn)
            shown = [(fill if known[name] is None else known[name], text) for name, text in scores.items()]
            if all(value is not None and prints_as(value, text) for value, text in shown):
                return True
    return False


def serving_most(rows: dict[str, Scores], most: int) -> tuple[int, list[tuple[int, int]]]:
    counts = {
        (p, total - p): sum(fits(scores, p, total - p) for scores in rows.values())
        for total in range(2, most + 1)
        for p in range(1, total)
    }
    largest = max(counts.values())
    return largest, [pair for pair, count in counts.items() if count == largest]


def tables() -> Iterator[tuple[dict[str, Scores], int, int]]:
    rng = np.random.default_rng(5)
    names = [*values(1, 1, 1, 1)]
    for _ in range(40):
        p, n = int(rng.integers(1, 9)), int(rng.integers(1, 9))
        chosen, digits = rng.choice(names, size=int(rng.integers(1, 4)), replace=False), int(rng.integers(1, 4))
        rows = {}
        for i in range(int(rng.integers(1, 5))):
            tp, tn = int(rng.integers(0, p + 1)), int(rng.integers(0, n + 1))
            known = values(tp, p - tp, n - tn, tn)
            rows[f"{i}"] = {name: f"{float(known[name] or 0):.{digits}f}" for name in chosen}
        yield rows, p, n


@pytest.mark.parametrize(("rows", "p", "n"), [*tables()])
def test_sizes_are_those_of_looking_at_all_tables(rows: dict[str, Scores], p: int, n: int) -> None:
    found = ff.sizes(rows, max_total=17, budget=10**8)
    count, served = serving_most(rows, 17)
    assert (p, n) in served
    assert (found.serving, found.verdict) == (count, "possible") == (len(rows), "possible")
    assert found.count == len(served)
    assert pairs(found)[:100] == served[:100] if found.count <= 100 else served[: len(found.pairs)]


@pytest.mark.parametrize(("rows", "p", "n"), [*tables()][:12])
def test_a_row_more_that_nothing_serves_leaves_the_others(rows: dict[str, Scores], p: int, n: int) -> None:
    if len(rows) == 1:
        rows = {**rows, "again": rows["0"]}
    found = ff.sizes({**rows, "false": {"recall": "1.000", "false_negative_rate": "1.000"}}, positives=p, negatives=n)
    assert [row.fits for row in found.sized_rows] == [True] * len(rows) + [False]
    assert (found.serving, found.verdict) == (len(rows), "unexplained")
    assert found.sized_rows[-1].recovery is not None


def test_undefined_scores_that_were_printed_as_0_rule_nothing_out() -> None:
    rows = {"none found": {"recall": "0.00", "precision": "0.00", "specificity": "1.00", "accuracy": "0.75"}}
    assert (5, 15) in pairs(ff.sizes(rows, max_total=20))
    assert not ff.sizes(rows, max_total=20, undefined="none").pairs


def test_digits_that_were_cut_off_are_a_condition() -> None:
    # 19 of 29, 14 of 29, 23 of 29 are .6551, .4827, .7931; 7 of 13, 5 of 13, 11 of 13 are .5384, .3846, .8461.
    rows = {
        "A": {"recall": "0.655", "specificity": "0.538"},
        "B": {"recall": "0.482", "specificity": "0.384"},
        "C": {"recall": "0.793", "specificity": "0.846"},
    }
    found = ff.sizes(rows, positives=29, negatives=13)
    assert (found.verdict, found.rounding, found.odd) == ("conditional", "truncate", ())
    assert [note.code for note in found.notes] == ["digits_cut_off"]


def test_sizes_that_are_given_are_kept() -> None:
    assert pairs(ff.sizes(ROWS, total=379)) == [(75, 304)]
    assert pairs(ff.sizes(ROWS, positives="70-80", max_total=1000)) == [(75, 304)]
    assert ff.sizes(ROWS, positives=75, negatives=305).odd


def test_counts_in_a_row_are_used() -> None:
    assert pairs(ff.sizes({"A": {"tp": "3", "fn": "1", "tn": "5", "accuracy": "0.89"}}, max_total=30)) == [(4, 5)]


def test_a_budget_that_does_not_reach_leaves_it_open() -> None:
    found = ff.sizes({"A": {"mcc": "0.512"}, "B": {"mcc": "0.614"}}, budget=10)
    assert (found.verdict, found.complete, found.pairs) == ("undecided", False, ())


def test_what_is_wrong_is_said_of_its_row() -> None:
    with pytest.raises(ff.InputError, match="B: recall"):
        ff.sizes({"A": {"recall": "0.5"}, "B": {"recall": "x"}})
    with pytest.raises(ff.InputError, match="at least one"):
        ff.sizes({})
    with pytest.raises(ff.TooLarge, match="max_total"):
        ff.sizes(ROWS, max_total=10**6)


def test_the_command_reads_a_table(tmp_path: Path) -> None:
    lines = [",".join((name, *scores.values())) for name, scores in ROWS.items()]
    table = tmp_path / "table.csv"
    table.write_text("\n".join(["method,accuracy,sensitivity,specificity", *lines]), encoding="utf-8")
    told = CliRunner().invoke(cli, ["sizes", str(table), "--max-total", "1000", "--json"])
    assert told.exit_code == 0
    assert json.loads(told.output) == ff.sizes(ROWS, max_total=1000).to_dict()
    words = CliRunner().invoke(cli, ["sizes", str(table), "--total", "379"]).output
    assert "The rows agree with a test set of 75 positive and 304 negative cases." in words
