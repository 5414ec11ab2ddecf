from __future__ import annotations

from fractions import Fraction

import pytest

from fourfold.exact.surd import Surd, root


def test_roots_of_squares_are_rational() -> None:
    assert root(Fraction(9, 16)) == Fraction(3, 4)
    assert isinstance(root(Fraction(9, 16)), Fraction)


def test_dependent_roots_cancel() -> None:
    assert root(8) - 2 * root(2) == 0
    assert root(2) * root(8) == 4
    assert (root(8) - 2 * root(2) + 1) == 1


def test_sign_of_a_nearly_cancelling_sum() -> None:
    # (sqrt 2 + sqrt 3) squared is 5 + 2 sqrt 6 = 9.898979485566356...
    total = root(2) + root(3)
    assert total - root(Fraction("9.898979485566357")) < 0
    assert total - root(Fraction("9.898979485566356")) > 0


def test_three_independent_roots() -> None:
    x = root(2) + root(3) + root(5)
    assert Fraction(53823, 10000) < x < Fraction(53824, 10000)
    assert (x / x) == 1
    assert (1 / x) * x == 1


def test_inverse_where_the_conjugate_is_zero() -> None:
    x = root(8) + 2 * root(2)
    assert (1 / x) * x == 1


def test_division_by_zero_in_disguise() -> None:
    with pytest.raises(ZeroDivisionError):
        1 / (root(8) - 2 * root(2))


def test_negative_radicand() -> None:
    with pytest.raises(ArithmeticError):
        root(-1)


def test_float_is_correctly_rounded_under_cancellation() -> None:
    tiny = root(10**20 + 1) - 10**10
    assert float(tiny) == 4.999999999999999999875e-11
    assert float(root(8) - 2 * root(2)) == 0.0


def test_text_takes_squares_out() -> None:
    assert str(root(12) + 1) == "1 + 2*sqrt(3)"
    assert repr(root(2)) == "Surd(1*sqrt(2))"


def test_is_not_hashable_and_unequal_to_other_things() -> None:
    with pytest.raises(TypeError):
        hash(root(2))
    assert root(2) != "sqrt(2)"
    assert isinstance(-root(2), Surd)
    assert 1 - root(2) < 0
