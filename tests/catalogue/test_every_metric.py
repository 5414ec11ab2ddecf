"""Laws that hold for every metric, on every table of sizes 1 to 12."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import groupby, pairwise

import numpy as np
import pytest

import fourfold as ff
from fourfold.exact import conditions

from ..conftest import DERIVED, all_tables
from ..reference.definitions import DEFINITIONS, value

LARGEST = 12


def decimal(x: object) -> Decimal:
    """Bring an exact value to 50 digits by another way than the library's own."""
    with localcontext() as context:
        context.prec = 60
        if isinstance(x, Fraction):
            return Decimal(x.numerator) / Decimal(x.denominator)
        total = Decimal(0)
        for roots, factor in x.terms.items():
            inside = Decimal(1)
            for root in roots:
                inside *= root
            total += inside.sqrt() * factor.numerator / factor.denominator
        return total


def tables():
    cells = all_tables(LARGEST).cells()
    return zip(*(cells[name].tolist() for name in ("tp", "fn", "fp", "tn")), strict=True)


@cache
def exact_values(metric: ff.Metric) -> list:
    return [metric.formula.exact(dict(zip(("tp", "fn", "fp", "tn"), table, strict=True))) for table in tables()]


def test_every_metric_has_an_independent_definition() -> None:
    assert set(DEFINITIONS) == {*ff.METRICS, *DERIVED}


def test_there_are_1819_small_tables() -> None:
    assert len(all_tables(LARGEST)) == 1819


def test_agrees_with_its_definition(metric: ff.Metric) -> None:
    floats = metric.formula.evaluate(all_tables(LARGEST).cells())
    for table, exact, approximate in zip(tables(), exact_values(metric), floats, strict=True):
        expected = value(metric.id, *table)
        if expected is None:
            assert exact is None, table
            assert np.isnan(approximate), table
        elif isinstance(expected, Fraction):
            assert exact == expected, table
            assert approximate == pytest.approx(float(expected), rel=1e-13, abs=1e-15), table
        else:
            assert abs(decimal(exact) - expected) < Decimal("1e-45"), table
            assert float(exact) == float(expected), table
            assert approximate == pytest.approx(float(expected), rel=1e-12, abs=1e-15), table


def test_compares_exactly_with_rationals(metric: ff.Metric) -> None:
    """A rational just below and just above the true value is told apart from it."""
    step = Fraction(1, 10**40)
    for exact in exact_values(metric)[::7]:
        if exact is None:
            continue
        near = Fraction(decimal(exact))
        assert near - step < exact < near + step
        assert not exact < near - step
        assert not exact > near + step


def test_guards_are_zero_just_where_it_is_undefined(metric: ff.Metric) -> None:
    for table, exact in zip(tables(), exact_values(metric), strict=True):
        cells = dict(zip(("tp", "fn", "fp", "tn"), table, strict=True))
        assert (exact is None) == any(guard.exact(cells) == 0 for guard in metric.formula.guards), table


def test_every_undefined_table_has_its_reason_in_words(metric: ff.Metric) -> None:
    known = set(conditions(metric.formula)) | set(metric.undefined_where)
    for table, exact in zip(tables(), exact_values(metric), strict=True):
        why = metric.why_undefined(ff.Table(**dict(zip(("tp", "fn", "fp", "tn"), table, strict=True))))
        assert bool(why) == (exact is None), table
        assert set(why) <= known, table


def test_range_is_kept_and_attained(metric: ff.Metric) -> None:
    low, high, low_open = metric.limits
    values = [exact for exact in exact_values(metric) if exact is not None]
    if low_open:
        smallest = [min(v for v in values_of_size(metric, size) if v is not None) for size in (4, 8, 12)]
        assert smallest[0] > smallest[1] > smallest[2] > low
    else:
        assert min(values) == low
    if high is None:
        # No largest value: it grows with the size of the table.
        largest = [max(v for v in values_of_size(metric, size) if v is not None) for size in (4, 8, 12)]
        assert largest[0] < largest[1] < largest[2]
    else:
        assert max(values) == high


def values_of_size(metric: ff.Metric, size: int) -> list:
    return [exact for table, exact in zip(tables(), exact_values(metric), strict=True) if sum(table) == size]


@pytest.mark.parametrize("fixed", ["tp", "tn"])
def test_row_monotone(metric: ff.Metric, fixed: str) -> None:
    """With margins known and one of tp and tn fixed, a metric only rises or only falls in the other, where defined."""
    rows = [(table, exact) for table, exact in zip(tables(), exact_values(metric), strict=True) if exact is not None]
    at = ("tp", "fn", "fp", "tn").index(fixed)
    moving = 3 - at

    def row(item):
        tp, fn, fp, tn = item[0]
        return tp + fn, fp + tn, item[0][at]

    rows.sort(key=lambda item: (*row(item), item[0][moving]))
    for key, items in groupby(rows, row):
        values = [exact for _, exact in items]
        rises = all(a <= b for a, b in pairwise(values))
        falls = all(a >= b for a, b in pairwise(values))
        assert rises or falls, key


def test_affine_ratio_gives_the_value_wherever_it_is_defined(metric: ff.Metric) -> None:
    form = metric.formula.affine_ratio
    if form is None:
        return
    for (tp, fn, fp, tn), exact in zip(tables(), exact_values(metric), strict=True):
        if exact is None:
            continue
        (a, b, c), (d, e, f) = form.at(tp + fn, fp + tn)
        assert all(isinstance(part, int) for part in (a, b, c, d, e, f))
        bottom = d * tp + e * tn + f
        # Where a common factor was zero the form may be 0/0; else it is the value.
        assert (a * tp + b * tn + c) == exact * bottom
        assert bottom != 0


def test_which_metrics_are_affine_ratios() -> None:
    """Those that RECLAIM's Table I could hold, and no others (kappa and balanced accuracy included)."""
    not_affine = {metric.id for metric in ff.METRICS.values() if metric.formula.affine_ratio is None}
    assert not_affine == {
        "mcc",
        "markedness",
        "g_mean",
        "fowlkes_mallows",
        "p4",
        "diagnostic_odds_ratio",
        "prevalence_threshold",
        "prevalence_threshold_simplified",
    }


def test_swapping_classes_twice_changes_nothing(metric: ff.Metric) -> None:
    swapped = metric.negative()
    for (tp, fn, fp, tn), exact in list(zip(tables(), exact_values(metric), strict=True))[::11]:
        assert swapped.formula.exact({"tp": tn, "fn": fp, "fp": fn, "tn": tp}) == exact
    assert metric.negative().negative().formula == metric.formula


def test_latex_and_text_have_balanced_brackets(metric: ff.Metric) -> None:
    for shown in (metric.formula.text(), metric.formula.latex()):
        assert shown.count("(") == shown.count(")")
        assert shown.count("{") == shown.count("}")


def test_text_is_the_formula(metric: ff.Metric) -> None:
    """Read as Python, the printed formula has the value it stands for."""
    code = compile(metric.formula.text(), metric.id, "eval")
    for table, exact in list(zip(tables(), exact_values(metric), strict=True))[::13]:
        if exact is not None:
            names = dict(zip(("tp", "fn", "fp", "tn"), table, strict=True)) | {"sqrt": np.sqrt}
            assert eval(code, {}, names) == pytest.approx(float(exact), rel=1e-9, abs=1e-12)
