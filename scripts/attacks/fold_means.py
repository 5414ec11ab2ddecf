"""Means over parts, such as folds: all ways to fill small parts with tables, and what their means are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import comb, prod
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from .printed import Said
from .scores import Cells, Ints, Meant, fill_of
from .surds import Surd, added, decimal, inside, plain, score, times
from .surds import product as multiplied

#: What is near the end of an interval in floats is looked at exactly.
_NEAR: Final = 1e-9


class Part(NamedTuple):
    """A fold or test set: its positives, its negatives and its weight in a mean."""

    p: int
    n: int
    weight: Fraction = Fraction(1)

    def tables(self) -> list[Cells]:
        """Return all tables that it can have."""
        return [(tp, self.p - tp, self.n - tn, tn) for tp in range(self.p + 1) for tn in range(self.n + 1)]


class MeansOf(NamedTuple):
    """What is said of a score: of its mean, its value for all cases together, every part's value, or its deviation."""

    meant: Meant
    said: Said
    of: str = "mean"


Filled: TypeAlias = Sequence[Cells]


def stratified(positives: int, negatives: int, folds: int, overlap: int | None = None) -> list[Part]:
    """Deal cases to folds one by one, each class as evenly as can be.

    The class dealt second starts where the first left off, as scikit-learn has it; with an overlap, so many folds get
    one more of both classes.
    """
    a, b = positives % folds, negatives % folds
    both = max(0, a + b - folds) if overlap is None else overlap
    with_more_n = {*range(both), *range(a, a + b - both)}
    return [Part(positives // folds + (i < a), negatives // folds + (i in with_more_n)) for i in range(folds)]


@lru_cache(maxsize=200_000)
def part_score(meant: Meant, cells: Cells, undefined: str) -> Surd | None:
    """Return the score of one part: one of its own is undefined as a whole, and an average by its classes.

    That of all cases together counts as in one table.
    """
    if meant.average in ("macro", "weighted"):
        return score(meant, cells, undefined)
    value, fill = score(meant, cells, "none"), fill_of(meant.id, undefined)
    return plain(Fraction(fill)) if value is None and fill is not None else value


def means_fit(parts: Sequence[Part], tables: Filled, claims: Sequence[MeansOf], undefined: str) -> bool:
    """Tell exactly whether tables of parts are as claims say."""
    return all(_fits(parts, tables, claim, undefined) for claim in claims)


def _fits(parts: Sequence[Part], tables: Filled, claim: MeansOf, undefined: str) -> bool:
    if claim.of == "pooled":
        tp, fn, fp, tn = (sum(column) for column in zip(*tables, strict=True))
        value = score(claim.meant, (tp, fn, fp, tn), undefined)
        return value is not None and inside(value, claim.said)
    values = [part_score(claim.meant, cells, undefined) for cells in tables]
    known = [(value, part.weight) for value, part in zip(values, parts, strict=True) if value is not None]
    if len(known) < len(values) and undefined != "excluded":
        return False
    if claim.of == "each":
        return all(inside(value, claim.said) for value, _ in known)
    if not known:
        return False
    whole = sum((weight for _, weight in known), Fraction(0))
    mean = times(added(*(times(value, weight) for value, weight in known)), 1 / whole)
    if claim.of == "mean":
        return inside(mean, claim.said)
    return _deviates([value for value, _ in known], mean, claim)


def _deviates(values: Sequence[Surd], mean: Surd, claim: MeansOf) -> bool:
    """Tell whether values deviate from their mean as said, in squares, so that no root is taken of roots."""
    count = len(values)
    off = [added(value, times(mean, Fraction(-1))) for value in values]
    squares = added(*(multiplied(one, one) for one in off))
    divisor = {"sd": count, "sample_sd": count - 1, "standard_error": (count - 1) * count}[claim.of]
    if not divisor or claim.said.high < 0:
        return False
    low, high = max(claim.said.low, Fraction(0)), claim.said.high
    open_low = claim.said.low_open and claim.said.low >= 0
    return inside(times(squares, Fraction(1, divisor)), Said(low**2, high**2, open_low, claim.said.high_open))


@lru_cache(maxsize=256)
def _column(p: int, n: int, meant: Meant, undefined: str) -> Ints:
    """Return a score of all tables of a part as floats; nan where it is undefined."""
    values = [part_score(meant, cells, undefined) for cells in Part(p, n).tables()]
    return np.array([np.nan if value is None else float(decimal(value)) for value in values])


def ways_to_fill(parts: Sequence[Part]) -> int:
    """Return in how many ways tables can be chosen for parts, where equal parts are not told apart."""
    return prod(comb((p + 1) * (n + 1) + count - 1, count) for (p, n, _), count in Counter(parts).items())


@lru_cache(maxsize=128)
def _multisets(tables: int, count: int) -> Ints:
    return np.array(list(combinations_with_replacement(range(tables), count)), dtype=np.int64)


def all_fillings(parts: Sequence[Part]) -> tuple[list[Part], Ints]:
    """Return parts with equal ones side by side, and all ways to choose a table for each: a row a way."""
    kinds = Counter(parts)
    own = [_multisets((p + 1) * (n + 1), count) for (p, n, _), count in kinds.items()]
    grid = np.indices([len(each) for each in own]).reshape(len(own), -1)
    ordered = [part for part, count in kinds.items() for _ in range(count)]
    return ordered, np.concatenate([each[rows] for each, rows in zip(own, grid, strict=True)], axis=1)


def possible_means(parts: Sequence[Part], claims: Sequence[MeansOf], undefined: str, *, most: int) -> bool | None:
    """Tell whether any tables of parts are as claims say; None where they are too many to look at."""
    if ways_to_fill(parts) > most:
        return None
    return any(True for _ in fillings(parts, claims, undefined))


def fillings(parts: Sequence[Part], claims: Sequence[MeansOf], undefined: str) -> Iterator[list[Cells]]:
    """Yield all ways in which tables of parts are as claims say."""
    ordered, ways = all_fillings(parts)
    maybe = np.ones(len(ways), dtype=bool)
    for claim in claims:
        maybe &= _maybe(ordered, ways, claim, undefined)
    tables = [part.tables() for part in ordered]
    for way in ways[maybe].tolist():
        chosen = [own[i] for own, i in zip(tables, way, strict=True)]
        if means_fit(ordered, chosen, claims, undefined):
            yield chosen


def _maybe(parts: Sequence[Part], ways: Ints, claim: MeansOf, undefined: str) -> Ints:
    """Tell in floats which ways may fit a claim; those near its ends count as such."""
    if claim.of == "pooled":
        return _maybe_pooled(parts, ways, claim, undefined)
    columns = [_column(part.p, part.n, claim.meant, undefined)[ways[:, i]] for i, part in enumerate(parts)]
    values, weights = np.array(columns), np.array([[float(part.weight)] for part in parts])
    missing = np.isnan(values)
    bad = missing.any(axis=0) if undefined != "excluded" else missing.all(axis=0)
    low, high = float(claim.said.low) - _NEAR, float(claim.said.high) + _NEAR
    if claim.of == "each":
        return np.asarray(((missing & (undefined == "excluded")) | ((values >= low) & (values <= high))).all(axis=0))
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(missing, 0.0, weights)
        mean = (np.where(missing, 0.0, values) * shares).sum(axis=0) / shares.sum(axis=0)
        if claim.of != "mean":
            squares = np.where(missing, 0.0, (values - mean) ** 2).sum(axis=0)
            count = (~missing).sum(axis=0)
            factor = {"sd": count, "sample_sd": count - 1, "standard_error": (count - 1) * count}[claim.of]
            mean = np.where(factor > 0, np.sqrt(squares / np.maximum(factor, 1)), np.nan)
            low, high = low - 1e-6, high + 1e-6  # the root of what rounding left
        scale = 1 + np.abs(mean)
        return np.asarray(~bad & (mean >= low - _NEAR * scale) & (mean <= high + _NEAR * scale))


def _maybe_pooled(parts: Sequence[Part], ways: Ints, claim: MeansOf, undefined: str) -> Ints:
    """Tell exactly which ways fit a claim about all cases together: few tables of all cases come of many ways."""
    hits = sum(ways[:, i] // (part.n + 1) for i, part in enumerate(parts))
    cleared = sum(ways[:, i] % (part.n + 1) for i, part in enumerate(parts))
    p, n = sum(part.p for part in parts), sum(part.n for part in parts)
    fits = np.zeros((p + 1, n + 1), dtype=bool)
    for tp, tn in product(range(p + 1), range(n + 1)):
        value = score(claim.meant, (tp, p - tp, n - tn, tn), undefined)
        fits[tp, tn] = value is not None and inside(value, claim.said)
    return np.asarray(fits[hits, cleared])


def means_at(parts: Sequence[Part], tables: Filled, meant: Meant, undefined: str) -> float | None:
    """Return the mean of a score over parts as a float; None where it has none."""
    values = [(part_score(meant, cells, undefined), part.weight) for cells, part in zip(tables, parts, strict=True)]
    known = [(value, weight) for value, weight in values if value is not None]
    if not known or (len(known) < len(values) and undefined != "excluded"):
        return None
    whole = sum((weight for _, weight in known), Fraction(0))
    return float(decimal(times(added(*(times(value, weight) for value, weight in known)), 1 / whole)))


def pooled_at(tables: Filled, meant: Meant, undefined: str) -> float | None:
    """Return a score of all cases together as a float; None where it is undefined."""
    tp, fn, fp, tn = (sum(column) for column in zip(*tables, strict=True))
    value = score(meant, (tp, fn, fp, tn), undefined)
    return None if value is None else float(decimal(value))


def shares_of(positives: int, sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the ways to deal positives to parts of some sizes; alike ones may come several times."""
    seen = set()
    for way in product(*(range(size + 1) for size in sizes)):
        if sum(way) == positives:
            key = tuple(sorted(zip(sizes, way, strict=True)))
            if key not in seen:
                seen.add(key)
                yield way


def nothing() -> Surd:
    """Return zero."""
    return plain(Fraction(0))
