"""The root of a function, beside roots that are known."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from fourfold.chance.roots import root

#: Functions whose signs differ at two points, with the root; one is flat there, one is steep.
CASES: list[tuple[Callable[[float], float], float, float, float]] = [
    (lambda x: x**3 - 2, 0.0, 2.0, 2 ** (1 / 3)),
    (lambda x: math.exp(x) - 1e6, -50.0, 50.0, math.log(1e6)),
    (lambda x: (x - 0.3) ** 9, -1.0, 5.0, 0.3),
    (lambda x: math.atan(1e8 * (x - 0.123)), 1.0, -3.0, 0.123),
    (lambda x: x, -1.0, 0.0, 0.0),
    (lambda x: math.log(max(x, 1e-300)), 0.0, 10.0, 1.0),
    (lambda x: x - 1, 1.0, 3.0, 1.0),
]


@pytest.mark.parametrize(("function", "one", "other", "known"), CASES)
def test_it_is_where_the_sign_changes(
    function: Callable[[float], float], one: float, other: float, known: float
) -> None:
    asked = []

    def counted(x: float) -> float:
        asked.append(x)
        return function(x)

    assert root(counted, one, other, xtol=1e-12) == pytest.approx(known, abs=2e-12)
    # Halving alone would take 45 steps for such widths.
    assert len(asked) <= 2 * 45
    assert all(min(one, other) <= x <= max(one, other) for x in asked)
