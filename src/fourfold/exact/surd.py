"""Exact numbers with square roots.

A `Surd` is a sum of rational multiples of products of square roots. Metrics such as MCC live here: their sign,
their order and their equality are decided with integers alone, by splitting off one root at a time and squaring.
"""

from __future__ import annotations

from fractions import Fraction
from functools import total_ordering
from math import isqrt, prod
from typing import Final, TypeAlias

#: Factors by the integers under the root; the empty set stands for the rational part.
_Terms: TypeAlias = dict[frozenset[int], Fraction]
_NO_ROOTS: Final[frozenset[int]] = frozenset()

#: The value of a formula at one table: rational where no root remains.
Exact: TypeAlias = "Fraction | Surd"


def root(x: Fraction | int) -> Exact:
    """Return the exact square root of a rational number.

    Examples
    --------
    >>> root(Fraction(9, 4))
    Fraction(3, 2)
    >>> root(2) * root(8)
    Fraction(4, 1)
    >>> root(2) + root(3) < Fraction(315, 100)
    True
    """
    x = Fraction(x)
    if x < 0:
        raise ArithmeticError("square root of a negative number")
    inside = x.numerator * x.denominator
    whole = isqrt(inside)
    if whole * whole == inside:
        return Fraction(whole, x.denominator)
    return Surd({frozenset((inside,)): Fraction(1, x.denominator)})


@total_ordering
class Surd:
    """A sum of rational multiples of square roots, compared exactly.

    The keys of `terms` are sets of positive integers under the root; the empty set is the rational part. The
    integers need not be independent (the roots of 2 and 8 may stand side by side): signs are decided all the same.
    """

    __slots__ = ("terms",)

    def __init__(self, terms: _Terms) -> None:
        self.terms = terms

    def sign(self) -> int:
        """Return -1, 0 or 1, decided in integers."""
        return _sign(self.terms)

    def __add__(self, other: Exact | int) -> Exact:
        return _plain(_plus(self.terms, _terms(other)))

    __radd__ = __add__

    def __neg__(self) -> Surd:
        return Surd({roots: -factor for roots, factor in self.terms.items()})

    def __sub__(self, other: Exact | int) -> Exact:
        return self + (-other)

    def __rsub__(self, other: Exact | int) -> Exact:
        return -self + other

    def __mul__(self, other: Exact | int) -> Exact:
        return _plain(_times(self.terms, _terms(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: Exact | int) -> Exact:
        return _plain(_times(self.terms, _inverse(_terms(other))))

    def __rtruediv__(self, other: Fraction | int) -> Exact:
        return _plain(_times(_terms(other), _inverse(self.terms)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Surd | Fraction | int):
            return NotImplemented
        return _sign(_terms(self - other)) == 0

    def __lt__(self, other: Exact | int) -> bool:
        return _sign(_terms(self - other)) < 0

    # Equal numbers can have different terms, so no hash could agree with __eq__ cheaply.
    __hash__ = None  # type: ignore[assignment]

    def __float__(self) -> float:
        for bits in (128, 512, 2048):
            low, high = self._bracket(bits)
            if float(low) == float(high):
                return float(low)
        # Only a sum whose roots cancel exactly can still be open here.
        return float((low + high) / 2) if self.sign() else 0.0

    def _bracket(self, bits: int) -> tuple[Fraction, Fraction]:
        low = high = Fraction(0)
        for roots, factor in self.terms.items():
            below = isqrt(prod(roots) << (2 * bits))
            ends = (factor * below, factor * (below + (1 if roots else 0)))
            low, high = low + min(ends), high + max(ends)
        return low / (1 << bits), high / (1 << bits)

    def __repr__(self) -> str:
        return f"Surd({self})"

    def __str__(self) -> str:
        terms = sorted(self.terms.items(), key=lambda item: sorted(item[0]))
        return " + ".join(_written(prod(roots), factor) for roots, factor in terms).replace("+ -", "- ")


def _written(inside: int, factor: Fraction) -> str:
    """Write one term, with the squares of small numbers taken out of its root."""
    for divisor in range(2, 100):
        while inside % divisor**2 == 0:
            inside, factor = inside // divisor**2, factor * divisor
    return str(factor) if inside == 1 else f"{factor}*sqrt({inside})"


def _terms(x: Exact | int) -> _Terms:
    if isinstance(x, Surd):
        return x.terms
    return {_NO_ROOTS: Fraction(x)} if x else {}


def _plain(terms: _Terms) -> Exact:
    """Drop zero terms, take out perfect squares, and give a Fraction where no root remains."""
    kept: _Terms = {}
    for roots, factor in terms.items():
        inside = prod(roots)
        whole = isqrt(inside)
        if whole * whole == inside:
            roots, factor = _NO_ROOTS, factor * whole
        kept[roots] = kept.get(roots, 0) + factor
    kept = _without_zeros(kept)
    return Surd(kept) if kept.keys() - {_NO_ROOTS} else kept.get(_NO_ROOTS, Fraction(0))


def _plus(left: _Terms, right: _Terms) -> _Terms:
    total = dict(left)
    for roots, factor in right.items():
        total[roots] = total.get(roots, 0) + factor
    return _without_zeros(total)


def _without_zeros(terms: _Terms) -> _Terms:
    return {roots: factor for roots, factor in terms.items() if factor}


def _times(left: _Terms, right: _Terms) -> _Terms:
    product: _Terms = {}
    for a, x in left.items():
        for b, y in right.items():
            roots = a ^ b
            product[roots] = product.get(roots, Fraction(0)) + x * y * prod(a & b)
    return product


def _split(terms: _Terms) -> tuple[int, _Terms, _Terms]:
    """Write the sum as ``rest + inner * sqrt(g)`` with neither holding the root of g."""
    g = max(g for roots in terms for g in roots)
    rest = {roots: factor for roots, factor in terms.items() if g not in roots}
    inner = {roots - {g}: factor for roots, factor in terms.items() if g in roots}
    return g, rest, inner


def _norm(g: int, rest: _Terms, inner: _Terms) -> _Terms:
    """Return ``rest**2 - inner**2 * g``, which does not hold the root of g."""
    return _plus(_times(rest, rest), _times(_times(inner, inner), {_NO_ROOTS: Fraction(-g)}))


def _sign(terms: _Terms) -> int:
    terms = _without_zeros(terms)
    if not terms.keys() - {_NO_ROOTS}:
        rational = terms.get(_NO_ROOTS, Fraction(0))
        return (rational > 0) - (rational < 0)
    g, rest, inner = _split(terms)
    outside, inside = _sign(rest), _sign(inner)
    if outside * inside >= 0:
        return outside or inside
    return outside * _sign(_norm(g, rest, inner))


def _inverse(terms: _Terms) -> _Terms:
    terms = _without_zeros(terms)
    if _sign(terms) == 0:
        raise ZeroDivisionError("division by an exact zero")
    if not terms.keys() - {_NO_ROOTS}:
        return {_NO_ROOTS: 1 / terms[_NO_ROOTS]}
    g, rest, inner = _split(terms)
    norm = _norm(g, rest, inner)
    if _sign(norm) == 0:
        # rest = inner * sqrt(g), as the sum is not zero: it is twice the rest.
        return _inverse({roots: 2 * factor for roots, factor in rest.items()})
    conjugate = _plus(rest, _times(inner, {frozenset((g,)): Fraction(-1)}))
    return _times(conjugate, _inverse(norm))
