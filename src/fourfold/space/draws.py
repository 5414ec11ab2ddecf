"""Chances of tables when cases are drawn: from known probabilities, or from a reference that is itself uncertain.

Drawing a table is a chain of draws with two outcomes: how many cases are positive, how many of those are predicted
positive, and so on. Each link is a binomial number, or a beta-binomial one where the probabilities are uncertain.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..formula import CELLS
from ..table import Table, Tables
from .rows import Ints

Floats: TypeAlias = NDArray[np.float64]
Cells: TypeAlias = frozenset[str]

# Outside of a window a number has less than this chance, and is left out: far below what a float can add to one.
_LEAST_CHANCE: Final = 1e-40
# From here on the series of Stirling's formula has all the digits of a float; below, its rest is in a table.
_SERIES_FROM: Final = 16
# Jeffreys' prior: half a case in each cell.
_PRIOR_CASES: Final = Fraction(1, 2)


class Chances(NamedTuple):
    """The chances of the whole numbers ``start, start + 1, ...``; all others are never drawn."""

    start: int
    values: Floats

    @property
    def numbers(self) -> Ints:
        """The numbers that can be drawn."""
        return np.arange(self.start, self.start + len(self.values))


class Links:
    """The chances of many such numbers, one for each of some sizes, side by side."""

    def __init__(self, links: Sequence[Chances]) -> None:
        self.lengths = np.array([len(link.values) for link in links], dtype=np.int64)
        self.start = np.array([link.start for link in links], dtype=np.int64)
        self.values = np.concatenate([link.values for link in links]) if links else np.empty(0)
        self._offset = np.cumsum(self.lengths) - self.lengths

    @classmethod
    def binomial(cls, sizes: Ints, share: float) -> Links:
        """Return the links of binomial numbers that have one share."""
        links = cls([])
        low, high = windows(sizes, share)
        links.start, links.lengths = low, high - low + 1
        links._offset = np.cumsum(links.lengths) - links.lengths
        links.values = binomial(links.numbers, np.repeat(sizes, links.lengths), share)
        return links

    @property
    def numbers(self) -> Ints:
        """The numbers that can be drawn, link by link."""
        return np.asarray(np.arange(int(self.lengths.sum())) + np.repeat(self.start - self._offset, self.lengths))

    def split(self) -> list[Floats]:
        """Return the chances of each link."""
        return np.split(self.values, self._offset[1:])

    def at(self, link: Ints, number: Ints) -> Floats:
        """Return the chance of a number in a link, for each pair."""
        place = number - self.start[link]
        inside = (place >= 0) & (place < self.lengths[link])
        return np.where(inside, self.values[np.where(inside, place + self._offset[link], 0)], 0.0)

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        """Sums from both ends of each link, with a zero outside, so that small tails keep their digits."""
        upwards = np.zeros(len(self.values) + len(self.lengths))
        downwards = np.zeros(len(upwards))
        for i, (offset, length) in enumerate(zip(self._offset.tolist(), self.lengths.tolist(), strict=True)):
            part = self.values[offset : offset + length]
            np.cumsum(part, out=upwards[offset + i + 1 : offset + i + 1 + length])
            downwards[offset + i : offset + i + length] = np.cumsum(part[::-1])[::-1]
        return upwards, downwards

    def between(self, link: Ints, low: Ints, high: Ints) -> Floats:
        """Return the chance of a range in a link, both ends included, for each triple; upside down there is none."""
        upwards, downwards = self._sums
        start, length, base = self.start[link], self.lengths[link], (self._offset + np.arange(len(self.lengths)))[link]
        first = np.clip(low - start, 0, length)
        last = np.clip(high - start + 1, 0, length)
        inner = np.maximum(upwards[base + last] - upwards[base + first], 0.0)
        whole = np.where(last == length, downwards[base + first], inner)
        return np.where(last > first, np.where(first == 0, upwards[base + last], whole), 0.0)


@dataclass(frozen=True)
class Source:
    """Where cases are drawn from: the probabilities of tp, fn, fp and tn.

    If uncertain, they are themselves drawn once for each table, from the Dirichlet law with these weights.

    Examples
    --------
    >>> source = Source.of(Table(tp=1, fn=1, fp=1, tn=1))
    >>> source.chances(2, frozenset({"tp", "fn"})).values
    array([0.25, 0.5 , 0.25])
    """

    weights: tuple[Fraction, ...]
    uncertain: bool = False

    @classmethod
    def of(cls, reference: Table, *, uncertain: bool = False) -> Source:
        """Return what a reference table says: its shares, or the uncertain law of them after Jeffreys' prior."""
        if not reference.total:
            hint = "give a reference with cases in it"
            raise InputError("empty", "reference", "has no cases to draw from", reference.cells(), hint)
        counts = [Fraction(count) for count in reference.cells().values()]
        weights = (count + _PRIOR_CASES if uncertain else count / reference.total for count in counts)
        return cls(tuple(weights), uncertain)

    def weight(self, cells: Iterable[str]) -> Fraction:
        """Return the weight of some cells together."""
        return sum((self.weights[CELLS.index(name)] for name in cells), Fraction(0))

    def chances(self, size: int, first: Cells, among: Cells = frozenset(CELLS)) -> Chances:
        """Return the chances of how many of some draws among cells fall into the first of them."""
        weight, whole = self.weight(first), self.weight(among)
        if not whole:
            # Nothing is ever drawn among these cells.
            return Chances(0, np.ones(1) if size == 0 else np.zeros(1))
        share = float(weight / whole)
        if self.uncertain and 0 < weight < whole:
            return Chances(0, _beta_binomial(size, float(weight), float(whole - weight)))
        if not 0 < share < 1:
            return Chances(size if share else 0, np.ones(1))
        low, high = (int(end[0]) for end in windows(np.array([size]), share))
        return Chances(low, binomial(np.arange(low, high + 1), np.full(high - low + 1, size), share))

    def share(self, first: Cells, among: Cells) -> float:
        """Return the share of the first cells among some; 0 where none of those is ever drawn."""
        whole = self.weight(among)
        return float(self.weight(first) / whole) if whole else 0.0

    def most_numbers(self, sizes: Ints, first: Cells, among: Cells) -> int:
        """Return how many numbers `links` will hold."""
        share = self.share(first, among)
        if self.uncertain:
            return int((sizes + 1).sum())
        if not 0 < share < 1:
            return len(sizes)
        low, high = windows(sizes, share)
        return int((high - low + 1).sum())

    def links(self, sizes: Ints, first: Cells, among: Cells) -> Links:
        """Do as `chances` does for many sizes at once."""
        share = self.share(first, among)
        if not self.uncertain and 0 < share < 1:
            return Links.binomial(sizes, share)
        return Links([self.chances(int(size), first, among) for size in sizes])

    def empty(self, size: int, cells: Iterable[str]) -> float:
        """Return the chance that none of some draws falls into these cells."""
        from scipy import special

        weight, whole = self.weight(cells), self.weight(CELLS)
        if not size:
            return 1.0
        if self.uncertain:
            a, rest = float(whole), float(whole - weight)
            return math.exp(special.betaln(rest + size, a - rest) - special.betaln(rest, a - rest)) if rest else 0.0
        share = float(weight / whole)
        return math.exp(size * math.log1p(-share)) if share < 1 else 0.0

    def any_empty(self, size: int, sets: Sequence[Cells]) -> float:
        """Return the chance that at least one of some sets of cells stays empty."""
        chosen = (some for number in range(1, len(sets) + 1) for some in combinations(sets, number))
        terms = ((-1) ** (len(some) + 1) * self.empty(size, frozenset().union(*some)) for some in chosen)
        return min(max(math.fsum(terms), 0.0), 1.0)

    def sample(self, size: int, draws: int, rng: np.random.Generator) -> Tables:
        """Draw tables."""
        weights = np.array([float(weight) for weight in self.weights])
        shares = rng.dirichlet(weights, draws) if self.uncertain else weights / weights.sum()
        counts = rng.multinomial(size, shares, None if self.uncertain else draws)
        return Tables(**dict(zip(CELLS, counts.T, strict=True)))


def generator(rng: object) -> np.random.Generator:
    """Return a source of random numbers, from one or from a seed."""
    try:
        return np.random.default_rng(rng)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        hint = "give a seed such as 1, or numpy's default_rng"
        raise InputError("bad_option", "rng", "must be a seed, 0 or more, or a generator", rng, hint) from None


def windows(size: Ints, share: float, least: float = _LEAST_CHANCE) -> tuple[Ints, Ints]:
    """Return ranges outside of which binomial numbers have less than a least chance (Bernstein's inequality)."""
    depth = -math.log(least)
    spread = np.sqrt(2 * depth * size * share * (1 - share)) + 2 * depth / 3
    low, high = np.floor(size * share - spread), np.ceil(size * share + spread)
    return np.maximum(0, low).astype(np.int64), np.minimum(size, high).astype(np.int64)


def _beta_binomial(size: int, a: float, b: float) -> Floats:
    k = np.arange(size)
    steps = np.log((size - k) * (a + k)) - np.log((k + 1) * (b + size - k - 1))
    logs = np.concatenate(([0.0], np.cumsum(steps)))
    values = np.exp(logs - logs.max())
    return np.asarray(values / values.sum())


def binomial(k: Ints, size: Ints, share: float) -> Floats:
    """Return the chance of k out of a size, by Loader's form, which keeps its digits at any size."""
    x, n = np.asarray(k, dtype=np.float64), np.asarray(size, dtype=np.float64)
    with np.errstate(all="ignore"):
        logs = _stirling_rest(n) - _stirling_rest(x) - _stirling_rest(n - x)
        logs -= _deviance(x, n * share) + _deviance(n - x, n * (1 - share))
        inner = np.exp(logs) * np.sqrt(n / (2 * np.pi * x * (n - x)))
    ends = np.where(x == 0, np.exp(n * math.log1p(-share)), np.exp(n * math.log(share)))
    return np.where((x < 0) | (x > n), 0.0, np.where((x == 0) | (x == n), ends, inner))


def _deviance(x: Floats, mean: Floats) -> Floats:
    """Return ``x log(x / mean) - x + mean`` without losing digits where x is near the mean."""
    off = (x - mean) / mean
    return np.asarray(mean * ((1 + off) * np.log1p(off) - off))


def _stirling_rest(n: Floats) -> Floats:
    """Return what Stirling's formula leaves out of ``log n!``."""
    with np.errstate(all="ignore"):
        i = 1 / (n * n)
        series = (1 / 12 - i * (1 / 360 - i * (1 / 1260 - i * (1 / 1680 - i * (1 / 1188 - i * 691 / 360360))))) / n
    return np.where(n < _SERIES_FROM, _SMALL_RESTS[np.clip(n, 0, _SERIES_FROM - 1).astype(np.int64)], series)


# log n! - (n + 1/2) log n + n - log(2 pi) / 2 with the large parts cancelled by hand.
_SMALL_RESTS: Final = np.array(
    [0.0]
    + [math.log(Fraction(math.factorial(n), n**n)) + n - math.log(2 * math.pi * n) / 2 for n in range(1, _SERIES_FROM)]
)


def at_most(k: Ints, size: Ints, share: float) -> Floats:
    """Return the binomial chance of at most k, by the incomplete beta function; k below 0 has none."""
    from scipy import special

    chances = (k >= size).astype(np.float64)
    inside = (k >= 0) & (k < size)
    chances[inside] = special.betainc((size - k)[inside], (k + 1)[inside], 1 - share)
    return chances


def at_least(k: Ints, size: Ints, share: float) -> Floats:
    """Return the binomial chance of at least k."""
    from scipy import special

    chances = (k <= 0).astype(np.float64)
    inside = (k > 0) & (k <= size)
    chances[inside] = special.betainc(k[inside], (size - k + 1)[inside], share)
    return chances


def running(k: Ints, size: Ints, share: float, start: int) -> Floats | None:
    """Return what `at_most` does, for consecutive sizes and k that rises by at most one: one such chance, then steps.

    Much faster where there are many, and off by no more than a float's digits of 1, so small chances need `at_most`.
    None where the numbers are not of that kind.
    """
    steps = np.diff(k)
    if k.min() < 0 or (k >= size).any() or (np.diff(size) != 1).any() or ((steps != 0) & (steps != 1)).any():
        return None
    chances = binomial(k[:-1], size[:-1], share)
    change = share * chances * (steps * (size[:-1] + 1) / (k[:-1] + 1) - 1)
    sums = np.concatenate(([0.0], np.cumsum(change)))
    anchor = float(at_most(k[start : start + 1], size[start : start + 1], share)[0])
    return np.asarray(anchor + sums - sums[start])
