"""Ways to deal positives to parts that are known by their sizes alone, and one table to parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, chain, combinations_with_replacement, islice, product
from math import ceil, exp, lgamma, prod
from typing import Final, TypeAlias

import numpy as np

from ..table import Table
from .experiment import EqualParts, MeansReport, OpenParts, Witness

#: For each kind of parts, how many positives each of them has.
_Dealt: TypeAlias = tuple[tuple[int, ...], ...]

# Ways that are looked at, of one group and of all.
_MOST_WAYS: Final = 2_000


def dealt(report: MeansReport) -> tuple[Iterator[tuple[MeansReport, list[int]]], bool]:
    """Yield the report with known parts, in all ways to deal the positives of each group, the most even first.

    With each comes how many kinds of known parts each entry became. The truth value tells whether these are all ways;
    where they are too many there is only an even one.

    Examples
    --------
    >>> reports, complete = dealt(MeansReport((OpenParts(3, count=2),), positives=2))
    >>> [[(part.positives, part.negatives, part.count) for part in report.parts] for report, _ in reports]
    [[(1, 2, 2)], [(2, 1, 1), (0, 3, 1)]]
    """
    opened: dict[int, dict[int, OpenParts]] = {}
    for place, part in enumerate(report.parts):
        if isinstance(part, OpenParts):
            opened.setdefault(part.group, {})[place] = part
    # The order of groups that are alike does not matter.
    alike: dict[tuple[int, tuple[OpenParts, ...]], list[int]] = {}
    for group, own in opened.items():
        kinds = tuple(replace(part, group=0) for part in own.values())
        alike.setdefault((report.group_positives[group], kinds), []).append(group)
    complete, choices = True, []
    for (positives, kinds), groups in alike.items():
        ways = _ways_of_group(positives, kinds, (report.all_positives, report.total), report.uneven)
        several = (
            None if ways is None else list(islice(combinations_with_replacement(ways, len(groups)), _MOST_WAYS + 1))
        )
        if several is None or len(several) > _MOST_WAYS:
            complete, several = False, [(_even(positives, [(part.total, part.count) for part in kinds]),) * len(groups)]
        places = [place for group in groups for place in opened[group]]
        choices.append([dict(zip(places, chain(*way), strict=True)) for way in several])
    complete = complete and prod(map(len, choices)) <= _MOST_WAYS
    ways_of_all = islice(product(*choices), _MOST_WAYS if complete else 1)
    return (_known(report, {place: own for one in way for place, own in one.items()}) for way in ways_of_all), complete


# Bounds ask for the same ways a hundred times.
@lru_cache(maxsize=64)
def _ways_of_group(
    positives: int, kinds: tuple[OpenParts, ...], share: tuple[int, int], uneven: Fraction | None
) -> list[_Dealt] | None:
    """Return the ways to deal positives to parts that are as likely and as even as is said; None if there are many."""
    ways = list(islice(_ways(positives, [(part.total, part.count) for part in kinds]), _MOST_WAYS + 1))
    if len(ways) > _MOST_WAYS:
        return None
    # `MeansReport.off` in whole numbers.
    limit, (of_all, cases) = None if uneven is None else uneven * share[1] ** 2, share
    kept = []
    for way in ways:
        pairs = [(p, part) for part, own in zip(kinds, way, strict=True) for p in own]
        if all(p in part.may_have for p, part in pairs) and (
            limit is None or sum((p * cases - of_all * part.total) ** 2 for p, part in pairs) <= limit
        ):
            kept.append(way)
    return sorted(kept, key=lambda way: max(map(max, way)) - min(map(min, way)))


def drawn(report: MeansReport, most: int) -> Iterator[tuple[MeansReport, list[int]]]:
    """Yield the report with known parts, the positives of each group dealt by chance, from a fixed seed.

    As many deals are drawn; those that are less even than the report allows are passed over.
    """
    rng = np.random.default_rng(0)
    opened = [(place, part) for place, part in enumerate(report.parts) if isinstance(part, OpenParts)]
    for _ in range(most):
        way: dict[int, tuple[int, ...]] = {}
        for group, positives in enumerate(report.group_positives):
            own = [(place, part) for place, part in opened if part.group == group]
            sizes = [part.total for _, part in own for _ in range(part.count)]
            deal = iter(rng.multivariate_hypergeometric(sizes, positives).tolist())
            way |= {place: tuple(islice(deal, part.count)) for place, part in own}
        pairs = [(p, part) for place, part in opened for p in way[place]]
        likely = all(p in part.may_have for p, part in pairs)
        if likely and (report.uneven is None or sum(report.off(p, part.total) for p, part in pairs) <= report.uneven):
            yield _known(report, way)


def _known(report: MeansReport, way: Mapping[int, Sequence[int]]) -> tuple[MeansReport, list[int]]:
    """Return a report with parts that have these positives, and how many kinds each entry became."""
    pieces = [
        [part] if isinstance(part, EqualParts) else
        [EqualParts(p, part.total - p, count, part.weight) for p, count in Counter(way[place]).items()]
        for place, part in enumerate(report.parts)
    ]  # fmt: skip
    return replace(report, parts=(*chain(*pieces),), positives=None, groups=(), uneven=None), list(map(len, pieces))


def likely_positives(positives: int, total: int, size: int, chance: float) -> tuple[int, int]:
    """Return the fewest and the most positives of a part drawn at random: beyond each is less than a chance.

    Examples
    --------
    >>> likely_positives(100, 300, 30, 1e-4)  # at most 1: 0.00004, at most 2: 0.0004
    (2, 19)
    """
    counts = range(max(0, size - (total - positives)), min(size, positives) + 1)
    chances = [_chance(positives, total, size, count) for count in counts]
    ends = []
    for order in (1, -1):
        tail = accumulate(chances[::order])
        ends.append(next((k for k, below in zip(counts[::order], tail, strict=True) if below >= chance), counts[0]))
    return ends[0], ends[1]


def usual_unevenness(positives: int, sizes: Sequence[int], times: Fraction) -> Fraction:
    """Return so many times the sum of squared distances of `MeansReport.off` that a random deal has on average.

    Examples
    --------
    >>> round(float(usual_unevenness(100, [30] * 10, Fraction(1))), 4)  # ten times 30 * 1/3 * 2/3 * 270/299
    60.2007
    """
    total = sum(sizes)
    share = Fraction(positives, total)
    due = sum(Fraction(size * (total - size), max(total - 1, 1)) for size in sizes)
    return times * share * (1 - share) * due


def share_off(width: float, margins: tuple[int, int], parts: int = 10) -> float:
    """Return the chance that a random part has a share of positives that is off by a width or more.

    Examples
    --------
    >>> round(share_off(0.25, (100, 200)), 4)
    0.0019
    """
    positives, total = margins[0], sum(margins)
    size = max(ceil(total / parts), 1)
    counts = range(max(0, size - (total - positives)), min(size, positives) + 1)
    far = [count for count in counts if abs(count / size - positives / total) >= width - 1e-12]
    return min(sum(_chance(positives, total, size, count) for count in far), 1.0)


def _chance(positives: int, total: int, size: int, count: int) -> float:
    """Return the chance that a part of so many cases has a count of positives."""
    ways = ((positives, count), (total - positives, size - count))
    logs = [lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) for n, k in (*ways, (total, size))]
    return exp(logs[0] + logs[1] - logs[2])


def joined(witness: Witness, counts: Sequence[int]) -> Witness:
    """Return tables of known parts as those of the entries that became so many of them each."""
    own = iter(witness)
    return tuple(tuple(chain(*islice(own, count))) for count in counts)


def _ways(positives: int, sizes: Sequence[tuple[int, int]]) -> Iterator[_Dealt]:
    """Yield the ways to deal positives to so many parts of each size; the order of alike parts does not matter."""
    if not sizes:
        if not positives:
            yield ()
        return
    (size, count), rest = sizes[0], sizes[1:]
    most = sum(total * number for total, number in rest)
    for own in range(max(0, positives - most), min(positives, size * count) + 1):
        for first in _partitions(own, count, size):
            for others in _ways(positives - own, rest):
                yield (first, *others)


def _partitions(whole: int, count: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write a number as so many parts, none above a limit, the largest first."""
    if count == 1:
        if whole <= most:
            yield (whole,)
        return
    for first in range(min(whole, most), -(-whole // count) - 1, -1):
        for rest in _partitions(whole - first, count - 1, first):
            yield (first, *rest)


def _even(positives: int, sizes: Sequence[tuple[int, int]]) -> _Dealt:
    """Return a way that is as even as can be."""
    dealt, left, cases = [], positives, sum(size * count for size, count in sizes)
    for size, count in sizes:
        own = []
        for _ in range(count):
            own.append(min(size, -(-left * size // cases)) if cases else 0)
            left, cases = left - own[-1], cases - size
        dealt.append(tuple(own))
    return tuple(dealt)


def split_table(table: Table, report: MeansReport) -> Witness:
    """Return tables of a report's parts that add up to one table of all their cases.

    Examples
    --------
    >>> split_table(Table.of_counts(3, 1, 2, 4), MeansReport((EqualParts(2, 3, count=2),)))
    ((Table(tp=2, fn=0, fp=0, tn=3), Table(tp=1, fn=1, fp=2, tn=1)),)
    """
    known, counts = next(dealt(report)[0])
    hits, rejected, witness = table.tp, table.tn, []
    for part in known.parts:
        assert isinstance(part, EqualParts)
        own = []
        for _ in range(part.count):
            tp, tn = min(hits, part.positives), min(rejected, part.negatives)
            hits, rejected = hits - tp, rejected - tn
            own.append(Table.of_counts(tp, part.positives - tp, part.negatives - tn, tn))
        witness.append(tuple(own))
    return joined(tuple(witness), counts)
