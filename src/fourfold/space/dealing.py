"""Ways to deal positives to parts that are known by their sizes alone, and one table to parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations_with_replacement, islice, product
from math import prod
from typing import Final, TypeAlias

from ..table import Table
from .experiment import EqualParts, MeansReport, OpenParts, Witness

#: For each kind of parts, how many positives each of them has.
_Dealt: TypeAlias = tuple[tuple[int, ...], ...]

# Ways that are looked at, of one group and of all.
_MOST_WAYS: Final = 2_000


def dealt(report: MeansReport) -> tuple[Iterator[tuple[MeansReport, list[int]]], bool]:
    """Walk the report with known parts, in all ways to deal the positives of each group, the most even first.

    With each comes how many kinds of known parts each entry became. The truth value tells whether these are all ways;
    where they are too many there is only an even one.

    Examples
    --------
    >>> reports, complete = dealt(MeansReport((OpenParts(3, count=2),), positives=2))
    >>> [[(part.positives, part.negatives, part.count) for part in report.parts] for report, _ in reports]
    [[(1, 2, 2)], [(2, 1, 1), (0, 3, 1)]]
    """
    places: dict[int, list[int]] = {}
    for place, part in enumerate(report.parts):
        if isinstance(part, OpenParts):
            places.setdefault(part.group, []).append(place)
    known = sum(part.positives * part.count for part in report.parts if isinstance(part, EqualParts))
    # The order of groups that are alike does not matter.
    alike: dict[tuple[int, tuple[object, ...]], list[int]] = {}
    for group, own in places.items():
        positives = report.groups[group] if report.groups else report.all_positives - known
        kinds = tuple(
            (report.parts[place].total, report.parts[place].count, report.parts[place].weight) for place in own
        )
        alike.setdefault((positives, kinds), []).append(group)
    complete, choices = True, []
    for (positives, _), groups in alike.items():
        sizes = [(report.parts[place].total, report.parts[place].count) for place in places[groups[0]]]
        ways = list(islice(_ways(positives, sizes), _MOST_WAYS + 1))
        ways.sort(key=lambda way: max(map(max, way)) - min(map(min, way)))
        several = list(islice(combinations_with_replacement(ways, len(groups)), _MOST_WAYS + 1))
        if max(len(ways), len(several)) > _MOST_WAYS:
            complete, several = False, [(_even(positives, sizes),) * len(groups)]
        own = [place for group in groups for place in places[group]]
        choices.append([dict(zip(own, chain(*way), strict=True)) for way in several])
    complete = complete and prod(map(len, choices)) <= _MOST_WAYS

    def reports() -> Iterator[tuple[MeansReport, list[int]]]:
        for way in islice(product(*choices), _MOST_WAYS if complete else 1):
            counts = {place: Counter(own) for one in way for place, own in one.items()}
            parts = [
                [part] if isinstance(part, EqualParts) else
                [EqualParts(p, part.total - p, count, part.weight) for p, count in counts[place].items()]
                for place, part in enumerate(report.parts)
            ]  # fmt: skip
            yield replace(report, parts=(*chain(*parts),), positives=None, groups=()), [len(own) for own in parts]

    return reports(), complete


def joined(witness: Witness, counts: Sequence[int]) -> Witness:
    """Return tables of known parts as those of the entries that became so many of them each."""
    own = iter(witness)
    return tuple(tuple(chain(*islice(own, count))) for count in counts)


def _ways(positives: int, sizes: Sequence[tuple[int, int]]) -> Iterator[_Dealt]:
    """Walk the ways to deal positives to so many parts of each size; the order of alike parts does not matter."""
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
    """Walk the ways to write a number as so many parts, none above a limit, the largest first."""
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
