from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest

from fourfold.exact import (
    Constant,
    Quantity,
    absence,
    cells,
    conditions,
    reasons,
    sqrt,
    total_of,
    vanishes,
    zero_sets,
)

tp, fn, fp, tn = cells()


def test_what_is_read_off_a_formula() -> None:
    recall = tp / (tp + fn)
    assert [guard.text() for guard in (tp / sqrt((tp + fn) * (tp + fp))).guards] == ["tp + fn", "tp + fp"]
    assert (tp / (tp + fp)).affine_ratio.at(positives=4, negatives=6) == ((1, 0, 0), (1, -1, 6))
    assert total_of(cells()).text() == "tp + fn + fp + tn"
    assert recall.gradient({"tp": 1.0, "fn": 3.0}) == {"tp": 0.1875, "fn": -0.0625}
    assert (tp / (tp + fp)).quantities == ("tp", "fp")
    assert recall.substitute({"tp": tn, "fn": fp}).text() == "tn / (tn + fp)"
    assert recall.evaluate({"tp": [3, 0], "fn": [1, 0]}).tolist() == pytest.approx([0.75, np.nan], nan_ok=True)
    assert (recall - fp / (fp + tn)).text() == "tp / (tp + fn) - fp / (fp + tn)"
    assert sqrt(recall).latex() == r"\sqrt{\frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FN}}}"


def test_structural_equality_and_immutability() -> None:
    assert tp / (tp + fn) == tp / (tp + fn)
    assert tp / (tp + fn) != tp / (fn + tp)
    assert len({tp + fn, tp + fn, fn + tp}) == 2
    with pytest.raises(AttributeError):
        tp.name = "other"


def test_numbers_on_either_side() -> None:
    assert (1 + tp).text() == "1 + tp"
    assert (1 - tp).text() == "1 - tp"
    assert (2 / tp).text() == "2 / tp"
    assert (tp - Fraction(1, 2)).text() == "tp - (1/2)"


def test_text_keeps_needed_brackets_and_no_others() -> None:
    assert (tp - (fn - fp)).text() == "tp - (fn - fp)"
    assert (tp - fn - fp).text() == "tp - fn - fp"
    assert (tp / (fn * fp)).text() == "tp / (fn * fp)"
    assert (tp * (fn / fp)).text() == "tp * (fn / fp)"
    assert sqrt(tp + fn).text() == "sqrt(tp + fn)"


def test_latex() -> None:
    assert ((tp - (fn - fp)) * tn).latex() == (
        r"\left(\mathrm{TP} - \left(\mathrm{FN} - \mathrm{FP}\right)\right) \cdot \mathrm{TN}"
    )
    assert (tp * Fraction(1, 2)).latex() == r"\mathrm{TP} \cdot \frac{1}{2}"
    assert Quantity("fp_2").latex() == r"\mathrm{FP}_2"


def test_evaluate_gives_nan_without_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = (tp / (tp + fn)).evaluate({"tp": np.array([1, 0]), "fn": np.array([1, 0])})
    assert found[0] == 0.5
    assert np.isnan(found[1])


def test_evaluate_keeps_shape_and_broadcasts() -> None:
    found = (tp / (tp + fn)).evaluate({"tp": np.ones((2, 3)), "fn": 1})
    assert found.shape == (2, 3)
    assert (tp / (tp + fn)).evaluate({"tp": 1, "fn": 3}).shape == ()
    assert Constant(Fraction(1, 2)).evaluate({}) == 0.5


def test_a_cancelling_denominator_is_decided_exactly() -> None:
    """Two rates closer than a float can tell are still told apart, and equal ones are still equal."""
    gap = 1 / (tp / (tp + fn) - fp / (fp + tn))
    n = 10**9
    cell = {"tp": [n, 3], "fn": [n + 1, 6], "fp": [n - 1, 10**8], "tn": [n, 2 * 10**8]}
    found = gap.evaluate({name: np.array(values) for name, values in cell.items()})
    # n/(2n+1) - (n-1)/(2n-1) = 1/((2n+1)(2n-1)), far below what is left after subtracting floats.
    assert found[0] == float((2 * n + 1) * (2 * n - 1))
    assert np.isnan(found[1])


def test_overflow_in_between_is_not_undefined() -> None:
    tiny = sqrt(tp * fn * fp * tn) / (tp * fn * fp * tn)
    assert tiny.evaluate(dict.fromkeys(("tp", "fn", "fp", "tn"), 1e-90)) == pytest.approx(1e180)


def test_guards_take_products_roots_and_quotients_apart() -> None:
    formula = 1 / (sqrt((tp + fn) * (fp + tn)) * (tp / (tp + fp)))
    assert [guard.text() for guard in formula.guards] == ["tp", "tp + fn", "fp + tn", "tp + fp"]


def test_division_by_the_constant_zero_is_a_mistake() -> None:
    with pytest.raises(ZeroDivisionError):
        _ = (tp / Constant(Fraction(0))).guards
    assert (tp / 2).guards == ()


def test_zero_sets_are_smallest() -> None:
    found = zero_sets(4 * tp * tn + (tp + tn) * (fp + fn))
    assert set(found) == {frozenset({"tp", "tn"}), frozenset({"tp", "fp", "fn"}), frozenset({"tn", "fp", "fn"})}


def test_vanishing_depends_on_numbers_only_where_it_does() -> None:
    difference = tp / (tp + fn) - fp / (fp + tn)
    assert vanishes(difference, frozenset()) is None
    assert vanishes(difference, frozenset({"tp"})) is False
    assert vanishes(difference, frozenset({"tp", "fp"})) is True
    # Where tp / (tp + fn) is itself undefined, that guard is to blame, not the difference.
    assert vanishes(difference, frozenset({"tp", "fn"})) is False
    assert vanishes(sqrt(tp) - sqrt(fn), frozenset({"tp"})) is None


def test_words() -> None:
    assert vanishes(tp * tn - fp * fn, frozenset({"tn"})) is False
    assert reasons(tp / (tp + fp), {"tp": 0, "fn": 3, "fp": 0, "tn": 4}) == ("no predicted positives",)
    rates = (tp / (tp + fn), fp / (fp + tn))
    equal = "tp / (tp + fn) equals fp / (fp + tn)"
    assert conditions(1 / (rates[0] - rates[1])) == ("no actual positives", "no actual negatives", equal)
    assert conditions(1 / (tp * tn)) == ("no true positives", "no true negatives")
    assert conditions(1 / (tp * tn - 1)) == ("tp * tn equals 1",)
    assert conditions(1 / sqrt(tp - fn)) == ("tp equals fn",)
    assert reasons(1 / (1 / tp - 1 / fn), {"tp": 2, "fn": 2}) == ("1 / tp equals 1 / fn",)
    assert reasons(1 / (tp + -1 * fn), {"tp": 2, "fn": 2}) == ("tp + (-1) * fn is zero",)
    assert absence(frozenset({"tp", "fp"})) == "no predicted positives"
    assert absence(frozenset({"fp_2"})) == "no false positives in the reference"
    assert absence(frozenset({"tp", "fp", "tn"})) == "fp = 0 and tn = 0 and tp = 0"
    assert absence(frozenset({"tp_1", "fn_1"})) == "no actual positives in the group"


def test_a_root_has_no_polynomial_form() -> None:
    assert sqrt(tp).ratio() is None
    assert sqrt(tp).affine_ratio is None


def test_affine_ratio_on_arrays_of_margins() -> None:
    form = ((tp / (tp + fn) + tn / (tn + fp)) / 2).affine_ratio
    (a, b, c), (d, e, f) = form.at(np.array([2, 4]), np.array([3, 5]))
    assert list(a) == [3, 5]
    assert list(b) == [2, 4]
    assert (c, d, e) == (0, 0, 0)
    assert list(f) == [12, 40]
