"""Where a function crosses zero.

SciPy's `brentq` does the same, and importing `scipy.optimize` takes a third of the time of a whole command.
"""

from __future__ import annotations

import math
from collections.abc import Callable


def root(function: Callable[[float], float], one: float, other: float, *, xtol: float, rtol: float = 1e-15) -> float:
    """Return where a continuous function is zero between two points at which its signs differ.

    Inverse quadratic interpolation where it is safe, else the middle (Chandrupatla 1997); off by at most
    ``xtol + rtol * abs(root)``.

    Examples
    --------
    >>> round(root(lambda x: x**3 - 2, 0.0, 2.0, xtol=1e-12), 12)
    1.259921049895
    """
    a, b = one, other
    at_a, at_b = function(a), function(b)
    share = 0.5
    while True:
        x = a + share * (b - a)
        at_x = function(x)
        if (at_x > 0) == (at_a > 0):
            c, at_c = a, at_a
        else:
            c, at_c, b, at_b = b, at_b, a, at_a
        a, at_a = x, at_x
        best, value = (a, at_a) if abs(at_a) < abs(at_b) else (b, at_b)
        least = (xtol + rtol * abs(best)) / abs(b - a) if b != a else math.inf
        if value == 0 or least > 0.5:
            return best
        inside, risen = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
        share = 0.5
        if risen**2 < inside and (1 - risen) ** 2 < 1 - inside:
            first = at_a / (at_b - at_a) * at_c / (at_b - at_c)
            share = first + (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
        share = min(1 - least, max(least, share))
