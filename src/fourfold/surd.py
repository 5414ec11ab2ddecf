"""Exact numbers with square roots.

A `Surd` is a sum of rational multiples of products of square roots. Metrics such as MCC live here: their sign,
their order and their equality are decided with integers alone, by splitting off one root at a time and squaring.
"""

from __future__ import annotations

from fractions import Fraction
from functools import total_ordering
from math import isqrt, prod
from typing import Final, TypeAlias

_NO_ROOTS: Final[frozenset[int]] = frozenset()

#: The value of a formula at one table: rational where no root remains.
Exact: TypeAlias = "Fraction | Surd"


def root(x: Fraction | int) -> Fraction | Surd:
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

    def __init__(self, terms: dict[frozenset[int], Fraction]) -> None:
        self.terms = terms

    def sign(self) -> int:
        """Return -1, 0 or 1, decided in integers."""
        return _sign(self.terms)

    def __add__(self, other: Fraction | int | Surd) -> Fraction | Surd:
        total = dict(self.terms)
        for roots, factor in _terms(other).items():
            total[roots] = total.get(roots, Fraction(0)) + factor
        return _plain(total)

    __radd__ = __add__

    def __neg__(self) -> Surd:
        return Surd({roots: -factor for roots, factor in self.terms.items()})

    def __sub__(self, other: Fraction | int | Surd) -> Fraction | Surd:
        return self + (-other)

    def __rsub__(self, other: Fraction | int | Surd) -> Fraction | Surd:
        return -self + other

    def __mul__(self, other: Fraction | int | Surd) -> Fraction | Surd:
        return _plain(_times(self.terms, _terms(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: Fraction | int | Surd) -> Fraction | Surd:
        return _plain(_times(self.terms, _inverse(_terms(other))))

    def __rtruediv__(self, other: Fraction | int) -> Fraction | Surd:
        return _plain(_times(_terms(other), _inverse(self.terms)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Surd | Fraction | int):
            return NotImplemented
        return _sign(_terms(self - other)) == 0

    def __lt__(self, other: Fraction | int | Surd) -> bool:
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
        scale = Fraction(1, 1 << bits)
        return low * scale, high * scale

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


def _terms(x: Fraction | int | Surd) -> dict[frozenset[int], Fraction]:
    if isinstance(x, Surd):
        return x.terms
    return {_NO_ROOTS: Fraction(x)} if x else {}


def _plain(terms: dict[frozenset[int], Fraction]) -> Fraction | Surd:
    """Drop zero terms, take out perfect squares, and give a Fraction where no root remains."""
    kept: dict[frozenset[int], Fraction] = {}
    for roots, factor in terms.items():
        inside = prod(roots)
        whole = isqrt(inside)
        if whole * whole == inside:
            roots, factor = _NO_ROOTS, factor * whole
        kept[roots] = kept.get(roots, Fraction(0)) + factor
    kept = {roots: factor for roots, factor in kept.items() if factor}
    if not kept.keys() - {_NO_ROOTS}:
        return kept.get(_NO_ROOTS, Fraction(0))
    return Surd(kept)


def _times(
    left: dict[frozenset[int], Fraction], right: dict[frozenset[int], Fraction]
) -> dict[frozenset[int], Fraction]:
    product: dict[frozenset[int], Fraction] = {}
    for a, x in left.items():
        for b, y in right.items():
            roots = a ^ b
            product[roots] = product.get(roots, Fraction(0)) + x * y * prod(a & b)
    return product


def _split(
    terms: dict[frozenset[int], Fraction],
) -> tuple[int, dict[frozenset[int], Fraction], dict[frozenset[int], Fraction]]:
    """Write the sum as ``rest + inner * sqrt(g)`` with neither holding the root of g."""
    g = max(g for roots in terms for g in roots)
    rest = {roots: factor for roots, factor in terms.items() if g not in roots}
    inner = {roots - {g}: factor for roots, factor in terms.items() if g in roots}
    return g, rest, inner


def _norm(
    g: int, rest: dict[frozenset[int], Fraction], inner: dict[frozenset[int], Fraction]
) -> dict[frozenset[int], Fraction]:
    """Return ``rest**2 - inner**2 * g``, which does not hold the root of g."""
    norm = _times(rest, rest)
    for roots, factor in _times(inner, inner).items():
        norm[roots] = norm.get(roots, Fraction(0)) - factor * g
    return {roots: factor for roots, factor in norm.items() if factor}


def _sign(terms: dict[frozenset[int], Fraction]) -> int:
    terms = {roots: factor for roots, factor in terms.items() if factor}
    if not terms.keys() - {_NO_ROOTS}:
        rational = terms.get(_NO_ROOTS, Fraction(0))
        return (rational > 0) - (rational < 0)
    g, rest, inner = _split(terms)
    outside, inside = _sign(rest), _sign(inner)
    if outside * inside >= 0:
        return outside or inside
    return outside * _sign(_norm(g, rest, inner))


def _inverse(terms: dict[frozenset[int], Fraction]) -> dict[frozenset[int], Fraction]:
    terms = {roots: factor for roots, factor in terms.items() if factor}
    if _sign(terms) == 0:
        raise ZeroDivisionError("division by an exact zero")
    if not terms.keys() - {_NO_ROOTS}:
        return {_NO_ROOTS: 1 / terms[_NO_ROOTS]}
    g, rest, inner = _split(terms)
    norm = _norm(g, rest, inner)
    if _sign(norm) == 0:
        # rest = inner * sqrt(g), as the sum is not zero: it is twice the rest.
        return _inverse({roots: 2 * factor for roots, factor in rest.items()})
    conjugate = dict(rest)
    for roots, factor in inner.items():
        for key, value in _times({roots: -factor}, {frozenset((g,)): Fraction(1)}).items():
            conjugate[key] = conjugate.get(key, Fraction(0)) + value
    return _times(conjugate, _inverse(norm))
