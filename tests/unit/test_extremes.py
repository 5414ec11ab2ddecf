"""Bounds over many rows, found block by block, against looking at every table or every row end."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, getcontext
from typing import Any

import numpy as np
import pytest

import fourfold as ff
from fourfold.exact.reported import Reported
from fourfold.solve import Rows, bounds, fitting, row_monotone

ALL = tuple(ff.METRICS.values())


def every_table(rows: Rows) -> dict[str, np.ndarray]:
    widths = rows.high - rows.low + 1
    row = np.repeat(np.arange(len(rows)), widths)
    tn = np.arange(len(row)) - np.repeat(np.cumsum(widths) - widths, widths) + rows.low[row]
    tp, positives, negatives = rows.tp[row], rows.positives[row], rows.negatives[row]
    return {"tp": tp, "fn": positives - tp, "fp": negatives - tn, "tn": tn}


@pytest.mark.parametrize(
    ("positives", "negatives", "name", "text"),
    [
        (5000, 4000, "accuracy", "0.8"),
        (5000, 4000, "mcc", "0.51"),
        (6000, 9000, "f1", "0.65"),
        (9000, 3000, "precision", "0.75"),
        (4000, 4000, "informedness", "0.00"),
        (6000, 500, "specificity", "1.00"),
        (4000, 700, "accuracy", "[0, 1]"),
    ],
)
def test_blocks_find_what_looking_at_all_tables_finds(positives: int, negatives: int, name: str, text: str) -> None:
    rows, _ = fitting([(ff.metric(name), Reported.read(text))], positives, negatives, most_rows=10**6)
    assert len(rows) > 2000, "the case is too small to be taken in blocks"
    cells = every_table(rows)
    found = bounds(rows, ALL)
    for metric in ALL:
        values = metric.formula.evaluate(cells)
        low, high = np.nanmin(values), np.nanmax(values)
        ends = found[metric.id]
        assert (ends.low, ends.high) == pytest.approx((low, high), rel=1e-11, abs=1e-13), metric.id
        assert ff.score(ends.low_witness, metric) == pytest.approx(low, rel=1e-11, abs=1e-13)
        assert ff.score(ends.high_witness, metric) == pytest.approx(high, rel=1e-11, abs=1e-13)


def test_many_rows_of_different_margins_are_looked_at_in_pieces() -> None:
    found = ff.recover(total=300, accuracy="0.8")
    rows = found.rows_that_fit
    assert len(rows) > 16384
    cells = every_table(rows)
    for name in ("mcc", "prevalence", "diagnostic_odds_ratio", "prevalence_threshold"):
        values = ff.metric(name).formula.evaluate(cells)
        ends = found.bounds(name)
        assert (ends.low, ends.high) == pytest.approx((np.nanmin(values), np.nanmax(values)), rel=1e-11)


def test_a_metric_without_a_value_anywhere_has_no_bounds() -> None:
    rows, _ = fitting([(ff.metric("prevalence"), Reported.read("0"))], 0, 30000, most_rows=10**6)
    assert bounds(rows, [ff.metric("recall")])["recall"].low is None
    assert bounds(Rows.joined([]), [ff.metric("recall")])["recall"].high_witness is None


@pytest.mark.parametrize(
    "given",
    [
        {"positives": 800_000, "negatives": 800_000, "informedness": "0.000001", "recall": "0.5"},
        {"positives": 2738, "negatives": 2991, "negative_predictive_value": "0"},
        {"positives": 3000, "negatives": 4001, "informedness": "0.0"},
    ],
)
def test_bounds_keep_their_digits_where_a_denominator_nearly_cancels(given: dict[str, Any]) -> None:
    """Outside of its hole the prevalence threshold equals its other form, in which nothing cancels."""
    found = ff.recover(**given)
    bounds, other = found.bounds("prevalence_threshold"), found.bounds("prevalence_threshold_simplified")
    getcontext().prec = 60
    for value, table, limit in (
        (bounds.low, bounds.low_witness, other.low),
        (bounds.high, bounds.high_witness, other.high),
    ):
        tp, fn, fp, tn = (Decimal(count) for count in table.cells().values())
        recall, fall_out = tp / (tp + fn), fp / (fp + tn)
        true = ((recall * fall_out).sqrt() - fall_out) / (recall - fall_out)
        assert value == pytest.approx(float(true), rel=1e-15)
        # A hole may lie where the other form has its extreme, so only a neighbour is asked for.
        assert value == pytest.approx(limit, rel=1e-6)
    assert (bounds.low, bounds.high) == pytest.approx((other.low, other.high), rel=1e-15) or given[
        "informedness"
    ] == "0.0"


def test_a_metric_that_rises_and_falls_is_looked_at_in_every_table() -> None:
    formula = ff.metric("informedness").formula * ff.metric("accuracy").formula
    product = replace(ff.metric("informedness"), id="product", formula=formula)
    assert not row_monotone(formula)
    for report in ({"total": 30, "accuracy": "[0.2, 0.6]"}, {"positives": 40, "negatives": 60, "recall": "0.3"}):
        found = ff.recover(**report, bounds="none")
        values = [value for table in found.tables() if (value := formula.exact(table.cells())) is not None]
        low, high, first, last, *_ = found.bounds(product)
        assert (low, high) == pytest.approx((float(min(values)), float(max(values))), abs=1e-12)
        assert (formula.exact(first.cells()), formula.exact(last.cells())) == (min(values), max(values))
    many = ff.recover(positives=4000, negatives=3900, accuracy="[0.5, 0.6]", bounds="none")
    with pytest.raises(ff.InputError, match=r"metric: is not monotone, .* Hint: give more sizes"):
        many.bounds(product)
