"""Chances as fractions: sums over all ways, with nothing rounded."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb, factorial
from typing import NamedTuple

from .scores import Cells


class Tails(NamedTuple):
    """The chances of less, of the same, and of more."""

    below: Fraction
    equal: Fraction
    above: Fraction

    @property
    def p_value(self) -> Fraction:
        """Twice the smaller tail, at most 1."""
        return min(Fraction(1), 2 * (min(self.below, self.above) + self.equal))

    @property
    def mid_p(self) -> Fraction:
        """The same with half the chance of what was seen."""
        return min(Fraction(1), 2 * (min(self.below, self.above) + self.equal / 2))


def tails_of(weights: dict[int, int], x: int) -> Tails:
    """Return the tails of a whole number with whole weights."""
    whole = sum(weights.values())
    below = sum(weight for number, weight in weights.items() if number < x)
    return Tails(Fraction(below, whole), Fraction(weights[x], whole), Fraction(whole - below - weights[x], whole))


def shared_out(k: int, others: int, total: int) -> dict[int, int]:
    """Return in how many ways each number of a total lies among k cases, the rest among others."""
    low, high = max(0, total - others), min(k, total)
    ways, way = {}, comb(k, low) * comb(others, total - low)
    for x in range(low, high + 1):
        ways[x] = way
        way = way * (k - x) * (total - x) // ((x + 1) * (others - total + x + 1))
    return ways


def _fillings(table: Cells, tp: int) -> int:
    """Return in how many ways a table with the same margins has so many true positives."""
    own, fn, fp, tn = table
    p, n, said = own + fn, fp + tn, own + fp
    return comb(p, tp) * comb(n, said - tp) if 0 <= tp <= p and 0 <= said - tp <= n else 0


def same_odds(group: Cells, reference: Cells) -> dict[int, int]:
    """Return the ways for a group's tp where both tables have the same odds ratio, and all margins are kept."""
    total = group[0] + reference[0]
    ways = {x: _fillings(group, x) * _fillings(reference, total - x) for x in range(total + 1)}
    return {x: way for x, way in ways.items() if way}


def odds_in(table: Cells) -> dict[int, int]:
    """Return the ways for the tp of one table, its margins kept."""
    ways = {x: _fillings(table, x) for x in range(table[0] + table[1] + 1)}
    return {x: way for x, way in ways.items() if way}


def binomial_tails(x: int, k: int, share: Fraction) -> Tails:
    """Return the tails of a number of hits among k cases."""
    a, b = share.numerator, share.denominator
    chances = [Fraction(comb(k, i) * a**i * (b - a) ** (k - i), b**k) for i in range(k + 1)]
    return Tails(sum(chances[:x], Fraction(0)), chances[x], sum(chances[x + 1 :], Fraction(0)))


def far_tails(x: int, k: int, share: float) -> tuple[float, float]:
    """Return the chances of at most and of at least x hits among k cases, with sixty digits on the way."""
    with localcontext() as context:
        context.prec = 60
        p = Decimal(share)
        chances = [comb(k, i) * p**i * (1 - p) ** (k - i) for i in range(k + 1)]
        return float(sum(chances[: x + 1])), float(sum(chances[x:]))


def at_odds(weights: dict[int, int], x: int, odds: Fraction) -> Tails:
    """Return the tails where a further case is as many times as likely as the odds say."""
    low = min(weights)
    moved = {number: weight * odds ** (number - low) for number, weight in weights.items()}
    whole = sum(moved.values(), Fraction(0))
    below = sum((weight for number, weight in moved.items() if number < x), Fraction(0))
    return Tails(below / whole, moved[x] / whole, 1 - (below + moved[x]) / whole)


def all_tables(size: int) -> Iterator[Cells]:
    """Yield all tables of so many cases."""
    for tp in range(size + 1):
        for fn in range(size - tp + 1):
            for fp in range(size - tp - fn + 1):
                yield tp, fn, fp, size - tp - fn - fp


def drawn(size: int, shares: tuple[Fraction, ...]) -> Iterator[tuple[Cells, Fraction]]:
    """Yield all tables of so many cases drawn with some shares, each with its chance."""
    for cells in all_tables(size):
        chance = Fraction(factorial(size))
        for count, share in zip(cells, shares, strict=True):
            chance *= share**count / Fraction(factorial(count))
        if chance:
            yield cells, chance


def dealt(group: Cells, reference: Cells) -> Iterator[tuple[Cells, Cells, int]]:
    """Yield all ways to deal the cases of two groups anew: both tables, and in how many ways."""
    pooled = tuple(a + b for a, b in zip(group, reference, strict=True))
    for cells in all_tables(sum(group)):
        ways = 1
        for count, most in zip(cells, pooled, strict=True):
            ways *= comb(most, count) if count <= most else 0
        if ways:
            tp, fn, fp, tn = (most - count for count, most in zip(cells, pooled, strict=True))
            yield cells, (tp, fn, fp, tn), ways


def split_by(pairs: Iterator[tuple[int, Fraction | int]]) -> Tails:
    """Add up chances by whether something is below, at or above what was seen."""
    sums = {-1: Fraction(0), 0: Fraction(0), 1: Fraction(0)}
    for side, chance in pairs:
        sums[side] += chance
    whole = sum(sums.values(), Fraction(0))
    return Tails(*(sums[side] / whole for side in (-1, 0, 1)))


def swapped(discordant: tuple[int, int]) -> Iterator[tuple[int, int, int]]:
    """Yield how many of the rows on which two models differ fall to the first, of each class, and in how many ways."""
    for u in range(discordant[0] + 1):
        for v in range(discordant[1] + 1):
            yield u, v, comb(discordant[0], u) * comb(discordant[1], v)
