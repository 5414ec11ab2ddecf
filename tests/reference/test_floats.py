"""Scores as programs compute them in floats, fed back in full: always possible, and with the table they are of."""

from __future__ import annotations

import csv
import io
import warnings
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import fourfold as ff
from fourfold.claims.claim import Size, TableClaim
from fourfold.exact import CELLS
from fourfold.exact.reported import Reported
from fourfold.metrics import metric

from .floats import all_tables, forms, ways

# Of each way to compute a metric, so many tables in the tests; `python scripts/floats.py` takes all.
_SAMPLE = 4


def _cells(table: Any) -> dict[str, int]:
    return dict(zip(CELLS, map(int, table), strict=True))


def _claim(cells: dict[str, int]) -> TableClaim:
    positives, negatives = cells["tp"] + cells["fn"], cells["fp"] + cells["tn"]
    return TableClaim((), Size(positives, positives), Size(negatives, negatives))


@pytest.mark.parametrize("kept", [np.float64, np.float32])
@pytest.mark.parametrize("computed", [np.float64, np.float32])
def test_what_is_computed_in_floats_holds_the_truth(computed: Any, kept: Any) -> None:
    rng = np.random.default_rng(14)
    tables = all_tables(14)
    tried = 0
    for name, values in ways(tables, computed):
        for i in rng.choice(np.flatnonzero(np.isfinite(values)), _SAMPLE):
            cells = _cells(tables[i])
            truth = metric(name).value(cells)
            if truth is None:
                continue
            # A text of 8 digits may be a rounded number: it has no room for what was computed in 32 bits.
            given = forms(kept(values[i]))[: 3 if computed is np.float32 else 4]
            for form in given:
                tried += 1
                reported = _claim(cells).read_score(name, form).reported
                assert truth in reported, (name, cells, form)
    assert tried > 500


def test_a_score_of_each_way_finds_its_table() -> None:
    rng = np.random.default_rng(19)
    tables = all_tables(14)
    for name, values in ways(tables, np.float64):
        i = rng.choice(np.flatnonzero(np.isfinite(values)))
        cells = _cells(tables[i])
        if metric(name).value(cells) is None:
            continue
        claim = _claim(cells)
        found = ff.recover(
            {name: values[i]}, positives=str(claim.positives), negatives=str(claim.negatives), bounds="none"
        )
        assert found.verdict == "possible", (name, cells, values[i])
        assert ff.Table(**cells) in found.tables()


# The score, positives and negatives, and the table that gives it.
NAMED: list[tuple[str, Any, tuple[int, int], tuple[int, int, int, int]]] = [
    # scikit-learn's own kappa.
    ("kappa", "0.11764705882352955", (1, 4), (1, 0, 3, 1)),
    ("inaccuracy", repr(1 - 18 / 19), (9, 10), (9, 0, 1, 9)),
    ("accuracy", np.float32(1 / 3), (1, 2), (0, 1, 1, 1)),
    ("accuracy", float(np.float32(1 / 3)), (1, 2), (0, 1, 1, 1)),
    ("accuracy", "0.33333334", (1, 2), (0, 1, 1, 1)),
    # As a spreadsheet keeps a float of 32 bits.
    ("accuracy", "0.4339622557163239", (27, 26), (23, 4, 26, 0)),
    ("informedness", 2 / 3 + 1 / 3 - 1, (3, 3), (2, 1, 2, 1)),
    ("accuracy", np.float16(1 / 3), (1, 2), (0, 1, 1, 1)),
]


@pytest.mark.parametrize(("name", "value", "sizes", "table"), NAMED)
def test_floats_that_were_called_impossible(name: str, value: Any, sizes: Any, table: Any) -> None:
    found = ff.recover({name: value}, positives=sizes[0], negatives=sizes[1], bounds="none")
    assert found.verdict == "possible"
    assert ff.Table(**_cells(table)) in found.tables()


def test_scikit_learn_on_all_small_tables() -> None:
    """Its kappa is one minus a quotient: of 2,821 tables of 2 to 14 cases, 260 were called impossible."""
    kappa = pytest.importorskip("sklearn.metrics").cohen_kappa_score
    rng = np.random.default_rng(0)
    tables = [_cells(table) for table in rng.permutation(all_tables(14))[:120]]
    for cells in tables:
        tp, fn, fp, tn = cells.values()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = kappa([1] * (tp + fn) + [0] * (fp + tn), [1] * tp + [0] * fn + [1] * fp + [0] * tn)
        if not np.isnan(value):
            assert metric("kappa").value(cells) in _claim(cells).read_score("kappa", value).reported


def test_large_tables() -> None:
    """With few positives among many cases, kappa and the coefficient lose half of their digits in floats."""
    table = np.array([[700, 300, 12_345, 999_986_655]])
    positives, negatives = 1000, 999_999_000
    for name, values in ways(table, np.float64):
        truth = metric(name).value(_cells(table[0]))
        claim = TableClaim((), Size(positives, positives), Size(negatives, negatives))
        assert truth in claim.read_score(name, values[0]).reported, name


def test_of_classes_and_folds() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    matrix = np.array([[3, 1, 1], [2, 4, 1], [0, 1, 5]])
    truth = np.repeat([0, 1, 2], matrix.sum(axis=1))
    predicted = np.concatenate([np.repeat([0, 1, 2], row) for row in matrix])
    scores = {
        "kappa": metrics.cohen_kappa_score(truth, predicted),
        "mcc": metrics.matthews_corrcoef(truth, predicted),
        "macro_f1": metrics.f1_score(truth, predicted, average="macro"),
        "weighted_precision": metrics.precision_score(truth, predicted, average="weighted"),
    }
    for kept in (float, np.float32, str, lambda x: str(np.float32(x))):
        given = {name: kept(value) for name, value in scores.items()}
        assert ff.recover(classes=[5, 7, 6], bounds="none", **given).verdict == "possible"
    # Of 3 of 4, 5 of 7 and 1 of 3 right, the mean in two orders.
    for mean in (
        np.mean([3 / 4, 5 / 7, 1 / 3]),
        1 - (1 / 4 + 2 / 7 + 2 / 3) / 3,
        np.float32(np.mean([3 / 4, 5 / 7, 1 / 3])),
    ):
        found = ff.recover(accuracy=mean, folds=[(2, 2), (3, 4), (1, 2)], bounds="none")
        assert found.verdict == "possible"


@pytest.mark.parametrize("kind", ["csv", "pandas", "polars", "arrow"])
def test_a_review_of_32_bits(kind: str) -> None:
    """Every accuracy and recall of a few tables, kept as float32, in a review."""
    tables = [(tp, 7 - tp, fp, 12 - fp) for tp in range(8) for fp in range(0, 13, 3)]
    columns = {
        "positives": [7] * len(tables),
        "negatives": [12] * len(tables),
        "accuracy": np.array([(tp + tn) / 19 for tp, _, _, tn in tables], dtype=np.float32),
        "recall": np.array([tp / 7 for tp, *_ in tables], dtype=np.float32),
    }
    rows: Any
    if kind == "csv":
        pandas = pytest.importorskip("pandas")
        rows = csv.DictReader(io.StringIO(pandas.DataFrame(columns).to_csv(index=False)))
    elif kind == "pandas":
        rows = pytest.importorskip("pandas").DataFrame(columns).to_dict("records")
    elif kind == "polars":
        rows = pytest.importorskip("polars").DataFrame(columns).to_dicts()
    else:
        rows = pytest.importorskip("pyarrow").table(columns).to_pylist()
    assert {(row["verdict"], row["count"]) for row in ff.review(rows, bounds="none")} == {("possible", 1)}


@pytest.mark.parametrize(
    "text", ["0.333", "0.33333", "0.333333", "0.3333333", "0.33333333", "0.3333333333", "33.3333%"]
)
@pytest.mark.parametrize("rounding", ["any", "half_even"])
def test_shorter_texts_have_no_room(text: str, rounding: str) -> None:
    """What was rounded for print says half a unit of its last digit and no more."""
    reported = Reported.read(text, rounding=rounding, float_error=lambda: 1e6)
    digits = len(text.rstrip("%").partition(".")[2])
    unit = F(1, 10**digits) / (100 if text.endswith("%") else 1)
    assert reported.high - reported.low == unit
    assert reported.low_open == reported.high_open == (rounding == "half_even")


@pytest.mark.parametrize(("part", "whole"), [(1, 12), (31, 422), (129, 1152), (7, 661), (100, 898), (3, 329)])
def test_arrays_of_32_bits_as_numpy_prints_them(part: int, whole: int) -> None:
    """Rounded to 32 bits and then to 8 decimals: 1/12 is printed as 0.08333334."""
    printed = np.array2string(np.array([part / whole], dtype=np.float32)).strip("[]")
    assert F(part, whole) in Reported.read(printed)
    found = ff.recover(inaccuracy=printed, positives=whole, negatives=0, bounds="none")
    assert ff.Table(tp=whole - part, fn=part, fp=0, tn=0) in found.tables()


def test_room_is_a_few_units_of_the_float() -> None:
    """A number printed in full that is off in its 13th digit is no float's error."""
    for off in (1e-12, -1e-12):
        found = ff.recover(kappa=repr(2 / 17 + off), positives=1, negatives=4, bounds="none", folds="none")
        assert found.readings[0].verdict == "impossible"
        # It may have been computed in 32-bit floats, or with a little added to what it is divided by. Further off not.
        assert [departure.code for departure in found.departures] == ["single_precision"]
        found = ff.recover(kappa=repr(2 / 17 + 1e6 * off), positives=1, negatives=4, bounds="none", folds="none")
        assert found.verdict == "impossible"
        found = ff.recover(accuracy=repr(3 / 5 + 2e6 * off), positives=1, negatives=4, bounds="none", folds="none")
        assert found.verdict == "impossible"
    assert (
        ff.recover(accuracy=np.float32(1 / 3 + 1e-5), positives=1, negatives=2, bounds="none", folds="none").verdict
        == "impossible"
    )


@pytest.mark.parametrize("decimals", [5, 6, 7, 8, 9, 12])
def test_floats_of_32_bits_that_are_rounded_for_print(decimals: int) -> None:
    """Rounded twice, so half a unit of the last digit is not always enough: 27 of 29 is printed as 0.931035."""
    rng = np.random.default_rng(29)
    twice = 0
    for whole in rng.integers(2, 1200, 400):
        part = int(rng.integers(0, whole + 1))
        for text in (f"{np.float32(part / whole):.{decimals}f}", f"{np.float32(100 * part / whole):.{decimals - 2}f}%"):
            reported = Reported.read(text)
            twice += F(part, int(whole)) not in reported
            assert F(part, int(whole)) in reported.as_single(), (part, whole, text)
    assert (twice > 0) == (decimals > 5)


def test_programs_add_a_little_to_what_they_divide_by() -> None:
    """3328 of 4044, divided by 4044 and a hundred-millionth, as a published program does: off in the 12th digit."""
    printed = f"{100 * 3328 / (4044 + 1e-8)}%"
    assert printed == "82.29475766547405%"
    assert F(3328, 4044) not in Reported.read(printed)
    found = ff.recover(positives=4044, negatives=5790, recall=printed, bounds="none", folds="none")
    assert [departure.code for departure in found.departures] == ["single_precision"]


@pytest.mark.parametrize("text", ["0.9310", "93.10%", "=0.931035", "[0.93, 0.94]"])
def test_numbers_too_short_to_tell_or_given_as_exact(text: str) -> None:
    reported = Reported.read(text)
    assert reported.as_single() == reported


@pytest.mark.parametrize(("part", "whole"), [(1298, 2011), (1716, 2053), (1883, 2113)])
def test_four_decimals_of_a_share_of_many_cases(part: int, whole: int) -> None:
    """1298 of 2011 is 0.64545002, and as a 32-bit float 0.645449996: with four decimals, 0.6455 and 0.6454."""
    text = f"{np.float32(part) / np.float32(whole):.4f}"
    assert F(part, whole) not in Reported.read(text)
    assert F(part, whole) in Reported.read(text).as_single(whole)
    found = ff.recover(accuracy=text, total=whole, bounds="none", folds="none")
    assert [departure.code for departure in found.departures] == ["single_precision"]


def test_what_is_computed_from_floats_of_32_bits() -> None:
    """F1 from a recall of 2 of 5 that was kept in 32 bits; its digits beyond the seventh are no float's of 32 bits."""
    recall = float(np.float32(2 / 5))
    f1 = 2 * recall / (1 + recall)
    for text in (repr(f1), f"{f1:.8f}", f"{f1:.6%}"):
        found = ff.recover(positives=5, negatives=7, f1=text, bounds="none")
        assert found.count, text
        assert ff.Table(tp=2, fn=3, fp=0, tn=7) in found.tables()
    mean = np.mean([float(np.float32(4 / 6)), float(np.float32(3 / 5))])
    for text in (repr(float(mean)), f"{mean:.8f}"):
        found = ff.recover(positives=8, negatives=3, folds=2, accuracy=text, bounds="none")
        assert [departure.code for departure in found.departures] == ["single_precision"]


@pytest.mark.parametrize("text", ["0.931035", "93.1035%", "−0.931035", "0,931035", "0·931035"])
def test_room_of_a_float_of_32_bits_is_half_a_millionth(text: str) -> None:
    reported = Reported.read(text)
    single = reported.as_single()
    assert reported.low - single.low == single.high - reported.high == F(1, 2**21)
    large = Reported.read("-12.931035", rounding="half_up")
    assert large.low - large.as_single().low == F(12931035, 10**6 * 2**21)
