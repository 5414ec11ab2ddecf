"""Numbers at the edge: sizes near 10^18, and what counts beyond machine integers come to."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction as F
from itertools import islice
from math import comb, sqrt
from pathlib import Path
from typing import Any

import pytest

import fourfold as ff
from fourfold import cli
from fourfold.data import count_labels, read_rows
from fourfold.data.columns import distinct
from fourfold.questions import QUESTIONS, Asked, DataFile
from fourfold.strategy import using

from ..conftest import how_many


def test_more_tables_than_machine_integers_count() -> None:
    """Every tp and every tn: 32 times 2^59."""
    found = ff.recover(positives=31, negatives=2**59 - 1, recall="[0,1]", bounds="none")
    assert how_many(found) == ("possible", 2**64, True)
    # 0.45 to 0.55 of 1000 are 101 counts, each with every tn.
    found = ff.recover(positives=1000, negatives=9 * 10**17, recall="0.5", bounds="none")
    assert how_many(found) == ("possible", 101 * (9 * 10**17 + 1), True)
    assert json.dumps(found.to_dict(), allow_nan=False)


def test_a_law_over_more_tables_than_machine_integers_count() -> None:
    """All of them are alike left and right of the middle."""
    found = ff.recover(positives=1000, negatives=9 * 10**17, recall="0.5", bounds="none")
    law = found.distribution("specificity")
    assert law.mean == pytest.approx(0.5, abs=1e-4)
    assert (law.low, law.high) == (pytest.approx(0.025, abs=1e-4), pytest.approx(0.975, abs=1e-4))


def test_tables_are_picked_alike_in_both_kinds_of_integers() -> None:
    rows = ff.recover(positives=4, negatives=7, accuracy="[0.3,0.8]", bounds="none").rows_that_fit
    every = [tuple(table.cells().values()) for table in rows.tables()]
    with using(machine_integers_below=1):
        picked = rows.picked([0, 3, len(every) - 1])
    assert [(tp, p - tp, n - tn, tn) for p, n, tp, tn, _ in picked.records] == [every[0], every[3], every[-1]]


@pytest.mark.parametrize("curve", ["any", "convex"])
def test_an_area_of_more_pairs_than_machine_integers_count(curve: str) -> None:
    found = ff.recover(positives=100, negatives=9 * 10**17, auc="0.9", recall="0.5", curve=curve, bounds="none")
    assert found.verdict == "possible"
    assert found.count > 1
    # Of 45 to 55 found, 0.95 of all pairs are right at most where the others are ranked as badly as can be.
    assert all(45 <= table.tp <= 55 for table in islice(found.tables(), 5))


def test_a_picture_of_more_tables_than_machine_integers_count() -> None:
    pytest.importorskip("altair")
    found = ff.recover(positives=7, negatives=10**18 - 11, false_positive_rate="[0.2,0.9]", bounds="none")
    assert found.plot("feasible").to_dict()


@pytest.mark.parametrize("sizes", [(801_103_146, 7), (13_849_890_512, 27_181_783_755), (2, 10**17)])
def test_means_over_large_sets(sizes: tuple[int, int]) -> None:
    """Half of each class is right in every set: recall, specificity and accuracy are about 0.5 in all."""
    found = ff.recover(recall="0.50", specificity="0.5", sets=[sizes] * 5, bounds="none")
    assert found.verdict in ("possible", "undecided")


def test_what_is_open_as_it_stands_is_not_possible_only_if_read_otherwise() -> None:
    """Two sets of 10^9 cases are too many to look at: all cases together fit, and the mean of two F1 is open."""
    found: Any = ff.recover(f1="0.544709", sets=[(801_103_146, 7)] * 2, bounds="none", budget=50_000)
    assert found.verdict == "undecided"
    assert [reading.verdict for reading in found.readings] == ["undecided", "possible"]


def test_a_budget_beyond_memory() -> None:
    """A row takes 40 bytes, and some are held twice: more than 10^8 of them would fill most machines."""
    assert ff.claims.Claim.from_mapping({"accuracy": "0.9", "budget": 10**30}).budget == 10**8
    assert ff.claims.Claim.from_mapping({"accuracy": "0.9", "budget": "1000"}).budget == 1000


def test_the_largest_total_may_be_any_number() -> None:
    assert (
        ff.recover(accuracy=0.0373068912539804, prevalence="12.5%", max_total=10**30, budget=1000).verdict
        == "undecided"
    )


def _recall_zero(size: int, reference: ff.Table) -> tuple[F, F]:
    """Return the chances that no positive is found, and that there is none, in a sample of a size."""
    total = reference.total
    none = F(reference.negatives, total) ** size
    return F(reference.negatives + reference.fn, total) ** size - none, none


@pytest.mark.parametrize(
    "cells", [(4000, 1000, 500, 4500), (300, 100, 200, 200), (10**12, 1, 7, 10**9), (1, 3, 10**17, 9)]
)
@pytest.mark.parametrize("size", [3, 800])
def test_tiny_chances_keep_their_digits(cells: tuple[int, ...], size: int) -> None:
    """Recall 0 of 400 positives of 800: 3.3e-178, as numbers of positives far below the usual decide it."""
    reference = ff.Table.of_counts(*cells)
    found = ff.match(ff.Table(tp=0, fn=size - size // 2, fp=0, tn=size // 2), reference, "recall")
    zero, none = _recall_zero(size, reference)
    assert found.undefined == pytest.approx(float(none), rel=1e-10)
    assert found.equal == pytest.approx(float(zero / (1 - none)), rel=1e-10)
    assert found.p_lower == pytest.approx(float(zero / (1 - none)), rel=1e-10)


@pytest.mark.parametrize("metric", ["recall", "precision", "mcc", "f1", "kappa", "accuracy"])
def test_a_huge_reference_that_is_uncertain_is_as_good_as_known(metric: str) -> None:
    """Four cells of 10^16: recall of three cases is undefined where none is positive, in one of eight samples."""
    reference = ff.Table(tp=10**16, fn=10**16, fp=10**16, tn=10**16)
    group = ff.Table(tp=1, fn=1, fp=1, tn=0)
    known, uncertain = (ff.match(group, reference, metric, reference_uncertainty=flag) for flag in (False, True))
    assert uncertain.undefined == pytest.approx(known.undefined, rel=1e-12)
    assert (uncertain.below, uncertain.equal) == pytest.approx((known.below, known.equal), rel=1e-12)
    assert json.dumps(uncertain.to_dict(), allow_nan=False)
    if metric == "recall":
        assert uncertain.undefined == pytest.approx(1 / 8, rel=1e-12)


def test_an_uncertain_reference_with_one_huge_cell() -> None:
    """Of one case drawn after Jeffreys' prior, each cell has its weight among all: half a case more than it has."""
    found = ff.match(
        ff.Table(tp=0, fn=1, fp=0, tn=0), ff.Table(tp=1, fn=0, fp=0, tn=10**18), "recall", reference_uncertainty=True
    )
    whole = F(10**18 + 3)
    assert found.undefined == pytest.approx(float((10**18 + 1) / whole), rel=1e-12)
    assert found.equal == pytest.approx(0.25, rel=1e-12)


@pytest.mark.parametrize(("own", "other"), [((0, 900), (880, 900)), ((0, 2000), (300, 900)), ((3, 10**6), (999, 1000))])
def test_two_shares_that_hardly_could_be_equal(own: tuple[int, int], other: tuple[int, int]) -> None:
    """Twice the smaller tail, by whole numbers: down to 1e-308, below which floats have no more digits."""
    (x, k), (more, others) = own, other
    total = x + more
    tail = sum(comb(k, i) * comb(others, total - i) for i in range(x + 1) if total - i <= others)
    expected = F(2 * tail, comb(k + others, total))
    found = ff.compare_groups(
        ff.Table(tp=x, fn=k - x, fp=1, tn=1), ff.Table(tp=more, fn=others - more, fp=1, tn=1), "recall"
    )
    assert found.p_value == pytest.approx(float(expected), rel=1e-9, abs=1e-310)


@pytest.mark.parametrize(("hits", "others"), [(432 * 10**16, 436 * 10**15), (10**17, 3 * 10**17), (2**62, 2**61)])
def test_the_interval_of_a_share_of_more_cases_than_floats_count(hits: int, others: int) -> None:
    """The law of so many cases is the normal one: 1.96 standard deviations around the share."""
    found = ff.interval(ff.Table(tp=hits, fn=others, fp=1, tn=1), "recall")
    share = F(hits, hits + others)
    spread = 1.9599639845 * sqrt(share * (1 - share) / (hits + others))
    assert found.low == pytest.approx(float(share) - spread, abs=1e-3 * spread)
    assert found.high == pytest.approx(float(share) + spread, abs=1e-3 * spread)


def test_a_huge_group_is_smoothed_and_shown() -> None:
    """One case added to each of four cells changes no share that can be printed."""
    smoothed = ff.smooth(ff.Table(tp=9007199254740992, fn=4611686018427387904, fp=0, tn=0), epsilon=1)
    assert "0.0019" in str(smoothed)  # 9007199254740992 of 4620693217682128896
    assert json.dumps(smoothed.to_dict(), allow_nan=False)


@pytest.mark.parametrize("metric", ["mcc", "kappa"])
def test_the_interval_of_a_score_of_more_cases_than_machine_integers_count(metric: str) -> None:
    """Half of all cases are right in each class, so both are 0, give or take a few of 10^9 parts."""
    found = ff.interval(ff.Table(tp=2**62, fn=2**62, fp=2**62, tn=2**62), metric)
    assert found.low is not None
    assert found.high is not None
    assert -1e-8 < found.low <= 0 <= found.high < 1e-8


@pytest.mark.parametrize("size", ["cases", "most", "reference_cases"])
def test_a_plan_that_would_take_hours_is_refused(size: str) -> None:
    with pytest.raises(ff.TooLarge, match=f"{size}: must be at most 10,000,000"):
        ff.plan("recall", group=0.6, reference=0.8, **{size: 10**12})


@pytest.mark.parametrize("size", [10**16, 10**17, 10**18, 9 * 10**18])
def test_all_but_one_of_very_many_differ_from_next_to_none(size: int) -> None:
    """One miss of 10^16 beside 10^9 hits: no float can tell the chance from 0, and the shares differ by about 1."""
    found = ff.compare_groups(ff.Table(tp=size, fn=1, fp=0, tn=0), ff.Table(tp=10**9, fn=size, fp=0, tn=0), "recall")
    assert found.p_value == 0
    assert found.difference.value == pytest.approx(1, abs=1e-6)
    assert found.difference.low == pytest.approx(1, abs=1e-6)


def test_what_has_no_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fourfold.data.rows._LONGEST_LINE", 100)
    (tmp_path / "long.csv").write_text("y,yhat\n" + "1" * 200)
    with pytest.raises(ff.InputError, match="a line has more than 100 characters"):
        list(ff.review(read_rows(tmp_path / "long.csv")))
    monkeypatch.setattr("fourfold.questions.calls._LONGEST_INPUT", 100)
    monkeypatch.setattr("sys.stdin", io.StringIO("accuracy 0.9\n" * 50))
    with pytest.raises(ff.TooLarge, match="is longer than 100 characters"):
        QUESTIONS["check"].answer(Asked({}, [DataFile("-", "-")]))


GIVEN_TWICE = {
    "a size": ("accuracy=0.9", "total=5", "--total", "100"),
    "a size in capitals": ("accuracy=0.9", "Total=5", "--total", "100"),
    "a size by another name": ("accuracy=0.9", "size=5", "--total", "100"),
    "the same size": ("accuracy=0.9", "positives=4", "--positives", "4", "--negatives", "6"),
    "an option": ("accuracy=0.9", "undefined=zero", "--undefined", "none"),
    "a score": ("accuracy=0.9", "accuracy=0.8", "--total", "10"),
}


@pytest.mark.parametrize("case", GIVEN_TWICE)
def test_nothing_that_is_given_is_dropped(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["recover", *GIVEN_TWICE[case]])
    assert stopped.value.code == 2
    assert "is given twice" in capsys.readouterr().err


@pytest.mark.parametrize("size", ["nan", "inf", "-5", "40.5", "4e1", "1_0", "x"])
def test_a_size_that_is_none_is_an_error(size: str, capsys: pytest.CaptureFixture[str]) -> None:
    for typed in ([f"--total={size}"], [f"total={size}"]):
        with pytest.raises(SystemExit) as stopped:
            cli.main(["recover", "accuracy=0.9", *typed])
        assert stopped.value.code == 2
        assert capsys.readouterr().err.startswith(f"total: must be a whole number, 0 or more, got '{size}'.")


@pytest.mark.parametrize("size", ["40.0", " 40.00 ", 40.0, "40"])
def test_sizes_as_programs_write_them(size: object) -> None:
    """Of 40 cases 36 are right, in 37 ways of tp and tn, and 4 wrong, in 5 ways of fn and fp: 185 tables."""
    assert ff.recover(accuracy="=0.9", total=size, bounds="none").count == 185
    assert ff.claims.Claim.from_mapping({"accuracy": "0.9", "total": [size, size]}).total == (40, 40)
    [row] = ff.review([{"total": size, "accuracy": "=0.9"}])
    assert row["count"] == 185
    [row] = ff.review([{"tp": "45.0", "fn": "5.0", "fp": "10.0", "tn": "40.0", "accuracy": "0.85"}])
    assert (row["verdict"], row["count"]) == ("possible", 1)
    sets: Any = [{"positives": "4.0", "negatives": "6.0", "repeats": "2.0"}]
    assert ff.recover(recall="0.5", sets=sets).verdict == "possible"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_review_of_a_pipe_is_refused_and_leaves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It ended with an illegal seek, and left a part that could not be continued."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SystemExit) as stopped:
        cli.main(["recover", "--table", str(tmp_path / "pipe"), "-o", str(tmp_path / "verdicts.csv")])
    assert stopped.value.code == 2
    assert capsys.readouterr().err.startswith("table: cannot be a pipe, got ")
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


class _Names(list[str]):
    def count(self, value: str) -> int:
        raise AssertionError("each name is looked for among all others")


def test_many_columns_are_looked_at_once() -> None:
    """100,000 columns took 110 seconds, as each was counted among all."""
    names = _Names(map(str, range(100_000)))
    assert distinct(names, "a.csv") is names
    with pytest.raises(ff.InputError, match="several such columns"):
        distinct(_Names("aba"), "a.csv")


def test_files_of_many_columns_are_read_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wide.csv").write_text("y,p,q\n1,1,0\n0,1,0\n")
    expected = count_labels(tmp_path / "wide.csv", truth="y", prediction="p")
    monkeypatch.setattr("fourfold.data.delimited._MOST_COLUMNS", 2)
    with using_plain_rows_only(monkeypatch):
        assert (
            count_labels(tmp_path / "wide.csv", truth="y", prediction="p") == expected == {("1", "1"): 1, ("0", "1"): 1}
        )


@contextmanager
def using_plain_rows_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let DuckDB look at headers and at nothing else."""
    with monkeypatch.context() as patched:
        patched.setattr("fourfold.data.delimited._texts", lambda *_: pytest.fail("DuckDB was asked for rows"))
        yield


def test_a_contradiction_of_ten_million_cases_is_decided() -> None:
    """Accuracy lies between recall and specificity; neither can be undefined here, so no row has to be looked at."""
    asked = {"positives": 5 * 10**6, "negatives": 5 * 10**6, "recall": "0.5", "specificity": "0.5"}
    assert ff.recover(**asked, accuracy="0.9", folds="none").verdict == "impossible"
    assert ff.recover(**asked, accuracy="0.9", folds="none", undefined="zero").verdict == "impossible"


def test_bounds_count_undefined_scores_as_the_report_does() -> None:
    """No positive is found: with NPV 4/7 and an undefined precision as 0, macro precision reaches 2/7."""
    asked = {"positives": 3, "negatives": 4, "recall": "0.00", "undefined": "zero"}
    for layout in ({}, {"folds": "3 stratified", "over": "pooled"}):
        assert ff.recover(**asked, **layout).bounds("macro_precision")[:2] == (0, pytest.approx(2 / 7))
