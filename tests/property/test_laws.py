"""Laws that hold for all inputs, tried on random ones."""

from __future__ import annotations

import json
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fourfold as ff
from fourfold import writers
from fourfold.exact.reported import Reported
from fourfold.exact.surd import root

settings.register_profile("fourfold", deadline=None)
settings.load_profile("fourfold")

counts = st.integers(0, 10**6) | st.integers(0, 3)
tables = st.builds(ff.Table, tp=counts, fn=counts, fp=counts, tn=counts)
metrics = st.sampled_from(sorted(ff.METRICS)).map(ff.metric)
RULES = {
    "half_up": ROUND_HALF_UP,
    "half_even": ROUND_HALF_EVEN,
    "truncate": ROUND_DOWN,
    "ceiling": ROUND_CEILING,
}


@given(tables, metrics)
def test_arrays_and_exact_values_agree(table: ff.Table, metric: ff.Metric) -> None:
    one = ff.score(table, metric)
    many = ff.score(ff.Tables.from_tables([table]), metric)[0]
    assert many == pytest.approx(one, rel=1e-9, abs=1e-12, nan_ok=True)
    assert np.isnan(many) == np.isnan(one)


@given(tables, metrics)
def test_values_stay_within_their_limits(table: ff.Table, metric: ff.Metric) -> None:
    value = metric.formula.exact(table.cells())
    if value is not None:
        assert value >= metric.limits.low
        assert metric.limits.high is None or value <= metric.limits.high


@given(tables, metrics)
def test_exchanging_the_classes(table: ff.Table, metric: ff.Metric) -> None:
    other = ff.Table(tp=table.tn, fn=table.fp, fp=table.fn, tn=table.tp)
    assert ff.score(other, metric.negative()) == pytest.approx(ff.score(table, metric), nan_ok=True)


@given(tables)
def test_any_result_survives_json(table: ff.Table) -> None:
    for result in (ff.scores(table), ff.holes("mcc", table.total)):
        assert json.loads(writers.to_json(result)) == result.to_dict()


@given(st.lists(st.integers(0, 50), min_size=1, max_size=3), st.lists(st.fractions(-9, 9), min_size=3, max_size=3))
def test_sums_of_roots_are_ordered_as_their_decimals(inside: list[int], factors: list[Fraction]) -> None:
    from decimal import localcontext

    total = Fraction(0)
    with localcontext() as context:
        context.prec = 80
        expected = Decimal(0)
        for x, factor in zip(inside, factors, strict=False):
            total = total + root(x) * factor
            expected += Decimal(x).sqrt() * factor.numerator / factor.denominator
        near = abs(expected) < Decimal("1e-60")
    assert (total == 0) == near
    if not near:
        assert (total > 0) == (expected > 0)
        assert total / total == 1
    assert float(total) == pytest.approx(float(expected), rel=1e-12, abs=1e-30)


@given(st.decimals(-2, 2, places=7), st.integers(1, 4), st.sampled_from(sorted(RULES)))
def test_a_rounded_value_is_read_back_by_its_rule(value: Decimal, places: int, rule: str) -> None:
    printed = value.quantize(Decimal(1).scaleb(-places), rounding=RULES[rule])
    assert Fraction(value) in Reported.read(str(printed), rounding=rule)
    if rule.startswith("half"):
        assert Fraction(value) in Reported.read(str(printed))


@given(st.decimals(-2, 2, places=7), st.integers(1, 4), st.sampled_from(sorted(RULES)))
def test_nothing_else_is_read_back(value: Decimal, places: int, rule: str) -> None:
    unit = Decimal(1).scaleb(-places)
    other = value.quantize(unit, rounding=RULES[rule]) + unit
    assert Fraction(value) not in Reported.read(str(other), rounding=rule)


@given(st.text(max_size=12))
def test_any_text_is_read_or_refused_in_the_one_grammar(text: str) -> None:
    try:
        found = Reported.read(text)
    except ff.InputError as error:
        assert error.code == "bad_number"
    else:
        assert found.low <= found.high


@given(st.text(max_size=12))
def test_any_name_is_found_or_refused_in_the_one_grammar(name: str) -> None:
    try:
        assert ff.metric(name).id
    except ff.InputError as error:
        assert error.code in ("unknown_metric", "bad_metric")


labels = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1)


@given(labels)
def test_counts_do_not_depend_on_how_labels_come(pairs: list[tuple[str, str]]) -> None:
    truth, prediction = map(list, zip(*pairs, strict=True))
    as_lists = ff.Matrix.from_labels(truth, prediction)
    as_texts = ff.Matrix.from_labels(np.array(truth), np.array(prediction))
    codes = {"a": 0, "b": 1, "c": 2}
    as_numbers = ff.Matrix.from_labels(np.array([codes[x] for x in truth]), np.array([codes[x] for x in prediction]))
    assert as_lists == as_texts
    assert (as_lists.values == as_numbers.values).all()
    assert as_lists.values.sum() == len(pairs)
    assert as_lists.one_vs_rest().total.tolist() == [len(pairs)] * len(as_lists.labels)
