"""Chances of tables when cases are drawn: from known probabilities, or from a reference that is itself uncertain.

Drawing a table is a chain of draws with two outcomes: how many cases are positive, how many of those are predicted
positive, and so on. Each link is a binomial number, or a beta-binomial one where the probabilities are uncertain.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..exact import CELLS
from ..solve.rows import Ints, exact_sum
from ..table import Table, Tables

Floats: TypeAlias = NDArray[np.float64]
Cells: TypeAlias = frozenset[str]

# Outside of a window a number has less than this chance, and is left out: far below what a float can add to one.
_LEAST_CHANCE: Final = 1e-40
# A window as wide as this holds all chances that a float can say.
_LEAST_OF_ALL: Final = 1e-320
# A chance that is this many times as large as what windows leave out has all its digits.
_ENOUGH: Final = 1e18
# From here on the series of Stirling's formula has all the digits of a float; below, its rest is in a table.
_SERIES_FROM: Final = 16
# Beyond this machine integers end, and scores scatter by less than people can tell.
_MOST_DRAWN: Final = 2**62
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
    def binomial(cls, sizes: Ints, share: float, rest: float | None = None, least: float = _LEAST_CHANCE) -> Links:
        """Return the links of binomial numbers that have one share."""
        links = cls([])
        low, high = windows(sizes, share, least)
        links.start, links.lengths = low, high - low + 1
        links._offset = np.cumsum(links.lengths) - links.lengths
        links.values = binomial(links.numbers, np.repeat(sizes, links.lengths), share, rest)
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
        # Within, the smaller of both tails is what keeps the digits of a difference; one number needs none.
        lower, upper = upwards[base + last], downwards[base + first]
        inner = np.where(lower <= upper, lower - upwards[base + first], upper - downwards[base + last])
        one = self.values[np.minimum(self._offset[link] + first, len(self.values) - 1)]
        inner = np.where(last - first == 1, one, np.maximum(inner, 0.0))
        whole = np.where(last == length, upper, inner)
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
    #: Numbers with a smaller chance than this are left out.
    least: float = _LEAST_CHANCE

    def deeper(self, chance: float) -> Source | None:
        """Return the source with less left out, where a chance of it lost digits; None where it has them all."""
        if self.uncertain or self.least <= _LEAST_OF_ALL or chance >= _ENOUGH * self.least:
            return None
        return replace(self, least=max(self.least**2, _LEAST_OF_ALL))

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
        if not 0 < weight < whole:
            return Chances(size if weight else 0, np.ones(1))
        if self.uncertain:
            return Chances(0, _beta_binomial(size, float(weight), float(whole - weight)))
        share, rest = float(weight / whole), float((whole - weight) / whole)
        low, high = (int(end[0]) for end in windows(np.array([size]), share, self.least))
        return Chances(low, binomial(np.arange(low, high + 1), np.full(high - low + 1, size), share, rest))

    def share(self, first: Cells, among: Cells) -> float:
        """Return the share of the first cells among some; 0 where none of those is ever drawn."""
        whole = self.weight(among)
        return float(self.weight(first) / whole) if whole else 0.0

    def rest(self, first: Cells, among: Cells) -> float:
        """Return the share of the other cells: what one minus the share would round off is kept."""
        whole = self.weight(among)
        return float((whole - self.weight(first)) / whole) if whole else 1.0

    def is_certain(self, first: Cells, among: Cells) -> bool:
        """Tell whether all cases drawn among some cells, or none, fall into the first of them."""
        return not 0 < self.weight(first) < self.weight(among)

    def most_numbers(self, sizes: Ints, first: Cells, among: Cells) -> int:
        """Return how many numbers `links` will hold."""
        if self.is_certain(first, among):
            return len(sizes)
        if self.uncertain:
            return exact_sum(sizes) + len(sizes)
        low, high = windows(sizes, self.share(first, among), self.least)
        return exact_sum(high - low) + len(sizes)

    def links(self, sizes: Ints, first: Cells, among: Cells) -> Links:
        """Do as `chances` does for many sizes at once."""
        if not self.uncertain and not self.is_certain(first, among):
            return Links.binomial(sizes, self.share(first, among), self.rest(first, among), self.least)
        return Links([self.chances(int(size), first, among) for size in sizes])

    def empty(self, size: int, cells: Iterable[str]) -> float:
        """Return the chance that none of some draws falls into these cells."""
        weight, whole = self.weight(cells), self.weight(CELLS)
        if not size or not weight:
            return 1.0
        if weight == whole:
            return 0.0
        if self.uncertain:
            return float(_beta_binomial_at(np.zeros(1), size, float(weight), float(whole - weight))[0])
        return math.exp(size * _log(float((whole - weight) / whole), float(weight / whole)))

    def any_empty(self, size: int, sets: Sequence[Cells]) -> float:
        """Return the chance that at least one of some sets of cells stays empty."""
        chosen = (some for number in range(1, len(sets) + 1) for some in combinations(sets, number))
        terms = ((-1) ** (len(some) + 1) * self.empty(size, frozenset().union(*some)) for some in chosen)
        return min(max(math.fsum(terms), 0.0), 1.0)

    def sample(self, size: int, draws: int, rng: np.random.Generator) -> Tables:
        """Draw tables; sizes beyond machine integers are taken for the largest that can be drawn."""
        weights = np.array([float(weight) for weight in self.weights])
        shares = rng.dirichlet(weights, draws) if self.uncertain else weights / weights.sum()
        counts = rng.multinomial(min(size, _MOST_DRAWN), shares, None if self.uncertain else draws)
        return Tables(**dict(zip(CELLS, counts.T, strict=True)))


def generator(rng: object) -> np.random.Generator:
    """Return a source of random numbers, from one or from a seed."""
    try:
        return np.random.default_rng(rng)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        hint = "give a seed such as 1, or numpy's default_rng"
        raise InputError("bad_option", "rng", "must be a seed, 0 or more, or a generator", rng, hint) from None


def seed_of(rng: object) -> int:
    """Return a seed: a number is one, and a generator gives its next number, so that the answer can name it."""
    if isinstance(rng, int | np.integer) and rng >= 0:
        return int(rng)
    return int(generator(rng).integers(1 << 63))


def windows(size: Ints, share: float, least: float = _LEAST_CHANCE) -> tuple[Ints, Ints]:
    """Return ranges outside of which binomial numbers have less than a least chance (Bernstein's inequality)."""
    depth = -math.log(least)
    # With room for what floats round off a large size.
    spread = np.sqrt(2 * depth * size * share * (1 - share)) + 2 * depth / 3 + 1e-15 * size
    low, high = np.floor(size * share - spread), np.ceil(size * share + spread)
    return np.maximum(0, low).astype(np.int64), np.minimum(size, high).astype(np.int64)


def _beta_binomial(size: int, a: float, b: float) -> Floats:
    """Return the chances of 0 to a size, where the share is drawn from a beta law."""
    values = _beta_binomial_at(np.arange(size + 1.0), size, a, b)
    return np.asarray(values / values.sum())


def _beta_binomial_at(k: Floats, size: int, a: float, b: float) -> Floats:
    """Return the chance of k, as a product of three negative binomial ones: no large logarithm cancels."""
    if not size:
        return np.ones(len(k))
    share, rest = (a + b) / (a + b + size), size / (a + b + size)
    successes, others = _log_negative_binomial(k, a, share, rest), _log_negative_binomial(size - k, b, share, rest)
    return np.asarray(np.exp(successes + others - _log_negative_binomial(np.array([float(size)]), a + b, share, rest)))


def _log_negative_binomial(x: Floats, hits: float, share: float, rest: float) -> Floats:
    """Return the logarithm of the chance of x misses before this many hits, which need not be a whole number."""
    return np.asarray(np.log(hits / (x + hits)) + log_chances(np.full(len(x), hits), x, share, rest))


def _log(share: float, rest: float) -> float:
    """Return the logarithm of a share, from the smaller of it and of what it lacks to one."""
    return math.log(share) if share < rest else math.log1p(-rest)


def binomial(k: Ints, size: Ints, share: float, rest: float | None = None) -> Floats:
    """Return the chance of k out of a size; `rest` is what the share lacks to one, where a float cannot tell."""
    return np.asarray(np.exp(log_binomial(k, size, share, rest)))


def log_binomial(k: Any, size: Any, share: float, rest: float | None = None) -> Floats:
    """Return the logarithm of the chance of k out of a size; `rest` is what the share lacks to one."""
    # Subtracted before they become floats, which do not tell large neighbours apart.
    hits, misses = (np.asarray(number, dtype=np.float64) for number in (k, size - k))
    return log_chances(hits, misses, share, 1 - share if rest is None else rest)


def log_chances(hits: Floats, misses: Floats, share: float, rest: float, off: Floats | None = None) -> Floats:
    """Return the logarithm of the chance of this many hits and misses, both multiples of one half.

    That is Loader's form of the binomial chance, which keeps its digits at any size. `off` says how far the hits are
    above their mean, where floats could not tell.
    """
    n = hits + misses
    # From the smaller side, where less is rounded off.
    off = np.where(hits <= misses, hits - n * share, n * rest - misses) if off is None else off
    with np.errstate(all="ignore"):
        logs = _stirling_rest(n) - _stirling_rest(hits) - _stirling_rest(misses)
        logs -= _deviance(off, n * share) + _deviance(-off, n * rest)
        inner = logs + np.log(n / hits / misses / (2 * np.pi)) / 2
        ends = np.where(hits == 0, n * _log(rest, share), n * _log(share, rest))
    return np.where((hits < 0) | (misses < 0), -np.inf, np.where((hits == 0) | (misses == 0), ends, inner))


def log_ways(n: int, k: int, steps: Floats) -> Floats:
    """Return the logarithm of how many times as many ways there are to choose some steps more than k of n cases."""
    share, rest = (k + 0.5) / (n + 1), (n - k + 0.5) / (n + 1)
    # The chances of two numbers differ by the ways to choose them, and by their odds to the power of the steps.
    before = (k - n / 2) / (n + 1)
    logs = log_chances(float(k) + steps, float(n - k) - steps, share, rest, before + steps)
    return np.asarray(logs - _log_start(n, k) - steps * math.log((2 * k + 1) / (2 * (n - k) + 1)))


@lru_cache(maxsize=64)
def _log_start(n: int, k: int) -> float:
    """Return the logarithm of the chance of k of n cases with a share near it: the same for all steps from there."""
    share, rest, before = (k + 0.5) / (n + 1), (n - k + 0.5) / (n + 1), (k - n / 2) / (n + 1)
    return float(log_chances(np.array([float(k)]), np.array([float(n - k)]), share, rest, np.array([before]))[0])


def _deviance(off: Floats, mean: Floats) -> Floats:
    """Return ``x log(x / mean) - x + mean``, for x by so much above the mean, without losing digits near it."""
    # One case of very many is none to a float, and x log x is 0 there.
    share = np.maximum(off / mean, -1.0)
    with np.errstate(all="ignore"):
        product = np.where(share == -1, 0.0, (1 + share) * np.log1p(share))
    return np.asarray(mean * (product - share))


def _stirling_rest(n: Floats) -> Floats:
    """Return what Stirling's formula leaves out of ``log n!``, for multiples of one half."""
    with np.errstate(all="ignore"):
        i = 1 / (n * n)
        series = (1 / 12 - i * (1 / 360 - i * (1 / 1260 - i * (1 / 1680 - i * (1 / 1188 - i * 691 / 360360))))) / n
    return np.where(n < _SERIES_FROM, _SMALL_RESTS[np.clip(2 * n, 0, 2 * _SERIES_FROM - 1).astype(np.int64)], series)


def _small_rest(twice: int) -> float:
    """Return log n! - (n + 1/2) log n + n - log(2 pi) / 2 with the large parts cancelled by hand."""
    n = Fraction(twice, 2)
    # Of an odd number of halves, n! is this times the root of pi.
    factorial = Fraction(math.prod(range(twice, 0, -2)), 2 ** ((twice + 1) // 2))
    logs = math.log(factorial / n ** (twice // 2)) + twice / 2 - math.log(2 * math.pi * n) / 2
    return logs + math.log(math.pi / n) / 2 if twice % 2 else logs


_SMALL_RESTS: Final = np.array([0.0, *map(_small_rest, range(1, 2 * _SERIES_FROM))])


def at_most(k: Ints, size: Ints, share: float, rest: float | None = None) -> Floats:
    """Return the binomial chance of at most k, by the incomplete beta function; k below 0 has none."""
    return at_least(size - k, size, 1 - share if rest is None else rest, share)


def at_least(k: Ints, size: Ints, share: float, rest: float | None = None) -> Floats:
    """Return the binomial chance of at least k; `rest` is what the share lacks to one, where a float cannot tell."""
    from scipy import special

    rest = 1 - share if rest is None else rest
    chances = (k <= 0).astype(np.float64)
    inside = (k > 0) & (k <= size)
    a, b = k[inside], (size - k + 1)[inside]
    chances[inside] = special.betainc(a, b, share) if share <= rest else special.betaincc(b, a, rest)
    return chances


def running(k: Ints, size: Ints, share: float, start: int, rest: float | None = None) -> Floats | None:
    """Return what `at_most` does, for consecutive sizes and k that rises by at most one: one such chance, then steps.

    Much faster where there are many, and off by only a float's digits of 1, so small chances need `at_most`.
    None where the numbers are not of that kind.
    """
    steps = np.diff(k)
    if k.min() < 0 or (k >= size).any() or (np.diff(size) != 1).any() or ((steps != 0) & (steps != 1)).any():
        return None
    chances = binomial(k[:-1], size[:-1], share, rest)
    change = share * chances * (steps * (size[:-1] + 1) / (k[:-1] + 1) - 1)
    sums = np.concatenate(([0.0], np.cumsum(change)))
    anchor = float(at_most(k[start : start + 1], size[start : start + 1], share, rest)[0])
    return np.asarray(anchor + sums - sums[start])
