"""Polynomials with rational coefficients, and their ratios: what a formula without roots comes down to."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from typing import Any

Monomial = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A polynomial with rational coefficients; a monomial is the sorted tuple of its factors' names.

    Examples
    --------
    >>> (Polynomial.of("tp") * Polynomial.of("tp") - Polynomial.number(2)).terms
    {('tp', 'tp'): Fraction(1, 1), (): Fraction(-2, 1)}
    """

    terms: Mapping[Monomial, Fraction]

    @classmethod
    def of(cls, name: str) -> Polynomial:
        """Return the polynomial that is one quantity."""
        return cls({(name,): Fraction(1)})

    @classmethod
    def number(cls, value: Fraction | int) -> Polynomial:
        """Return a constant polynomial."""
        return cls({(): Fraction(value)} if value else {})

    def __add__(self, other: Polynomial) -> Polynomial:
        terms = dict(self.terms)
        for monomial, coefficient in other.terms.items():
            terms[monomial] = terms.get(monomial, Fraction(0)) + coefficient
        return Polynomial({monomial: factor for monomial, factor in terms.items() if factor})

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + other * Polynomial.number(-1)

    def __mul__(self, other: Polynomial) -> Polynomial:
        terms: dict[Monomial, Fraction] = {}
        for a, x in self.terms.items():
            for b, y in other.terms.items():
                monomial = tuple(sorted(a + b))
                terms[monomial] = terms.get(monomial, Fraction(0)) + x * y
        return Polynomial({monomial: factor for monomial, factor in terms.items() if factor})

    def at(self, values: Mapping[str, Any]) -> Any:
        """Return the value with integer coefficients kept integers, on numbers or arrays."""
        total: Any = 0
        for monomial, coefficient in self.terms.items():
            total = total + reduce(operator.mul, (values[name] for name in monomial), integer_if_whole(coefficient))
        return total


@dataclass(frozen=True, slots=True)
class Ratio:
    """A polynomial over a polynomial."""

    numerator: Polynomial
    denominator: Polynomial

    def __add__(self, other: Ratio) -> Ratio:
        if self.denominator == other.denominator:
            return Ratio(self.numerator + other.numerator, self.denominator)
        numerator = self.numerator * other.denominator + other.numerator * self.denominator
        return Ratio(numerator, self.denominator * other.denominator)

    def __sub__(self, other: Ratio) -> Ratio:
        return self + Ratio(other.numerator * Polynomial.number(-1), other.denominator)

    def __mul__(self, other: Ratio) -> Ratio:
        return Ratio(self.numerator * other.numerator, self.denominator * other.denominator)

    def __truediv__(self, other: Ratio) -> Ratio:
        if self.denominator == other.denominator:
            return Ratio(self.numerator, other.numerator)
        return Ratio(self.numerator * other.denominator, self.denominator * other.numerator)


@dataclass(frozen=True)
class AffineRatio:
    """``(a tp + b tn + c) / (d tp + e tn + f)``, its coefficients integer polynomials in the margins."""

    numerator: tuple[Polynomial, Polynomial, Polynomial]
    denominator: tuple[Polynomial, Polynomial, Polynomial]

    def at(self, positives: Any, negatives: Any) -> tuple[tuple[Any, Any, Any], tuple[Any, Any, Any]]:
        """Return ``((a, b, c), (d, e, f))`` for given margins, numbers or arrays."""
        p, n = [1, positives], [1, negatives]
        for _ in range(self._degree - 1):
            p.append(p[-1] * positives)
            n.append(n[-1] * negatives)
        coefficients = []
        for part in self._powers:
            value = 0
            for factor, i, j in part:
                value = value + factor * p[i] * n[j]
            coefficients.append(value)
        a, b, c, d, e, f = coefficients
        return (a, b, c), (d, e, f)

    def magnitude(self, margin: int) -> int:
        """Return a number that no coefficient exceeds in size for margins up to a given one."""
        return max((sum(abs(x) * margin ** (i + j) for x, i, j in part) for part in self._powers), default=0)

    @cached_property
    def _degree(self) -> int:
        return max((max(i, j) for part in self._powers for _, i, j in part), default=0)

    @cached_property
    def _powers(self) -> list[list[tuple[int, int, int]]]:
        """Each coefficient as factors with the powers of the margins: this is asked often."""
        return [
            [(int(x), names.count("positives"), names.count("negatives")) for names, x in part.terms.items()]
            for part in (*self.numerator, *self.denominator)
        ]


def integer_if_whole(x: Fraction) -> int | Fraction:
    """Return a whole number as an integer, which is many times as fast as a fraction."""
    return x.numerator if x.denominator == 1 else x
