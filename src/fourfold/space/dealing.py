"""Ways to deal positives to parts that are known by their sizes alone, and one table to parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement, islice, product
from typing import Final, TypeAlias

from ..table import Table
from .experiment import EqualParts, MeansReport, OpenParts, Witness

#: For each kind of parts, how many positives each of them has.
_Dealt: TypeAlias = tuple[tuple[int, ...], ...]

# Ways that are looked at, of one group and of all.
_MOST_WAYS: Final = 2_000


class Dealing:
    """All ways to deal the positives of each group to its parts; `complete` where they are few enough to list.

    Examples
    --------
    >>> dealing = Dealing(MeansReport((OpenParts(3, count=2),), positives=2))
    >>> [[(part.positives, part.negatives, part.count) for part in report.parts] for report, _ in dealing.reports()]
    [[(1, 2, 2)], [(2, 1, 1), (0, 3, 1)]]
    """

    def __init__(self, report: MeansReport) -> None:
        self.report = report
        self.places: dict[int, list[int]] = {}
        for place, part in enumerate(report.parts):
            if isinstance(part, OpenParts):
                self.places.setdefault(part.group, []).append(place)
        self.complete = True
        self.ways = self._all_ways()

    def reports(self) -> Iterator[tuple[MeansReport, list[int]]]:
        """Walk the reports with known parts, the most even first, and how many of them each open kind became."""
        for dealt in self.ways:
            parts = self._parts(dealt)
            known = tuple(part for own in parts for part in own)
            yield replace(self.report, parts=known, positives=None, groups=()), [len(own) for own in parts]

    @staticmethod
    def joined(witness: Witness, counts: Sequence[int]) -> Witness:
        """Return tables of known parts as those of the open kinds that became so many of them each."""
        own = iter(witness)
        return tuple(tuple(table for tables in islice(own, count) for table in tables) for count in counts)

    def _parts(self, dealt: dict[int, tuple[int, ...]]) -> list[list[EqualParts]]:
        parts: list[list[EqualParts]] = []
        for place, part in enumerate(self.report.parts):
            if isinstance(part, EqualParts):
                parts.append([part])
            else:
                alike = Counter(dealt[place])
                parts.append([EqualParts(p, part.total - p, count, part.weight) for p, count in alike.items()])
        return parts

    def _all_ways(self) -> list[dict[int, tuple[int, ...]]]:
        """Return the ways of all groups together; only even ones where there are too many."""
        report = self.report
        alike: dict[tuple[object, ...], list[int]] = {}
        for group, places in self.places.items():
            kinds = [
                (report.parts[place].total, report.parts[place].count, report.parts[place].weight) for place in places
            ]
            alike.setdefault((self._positives(group), *kinds), []).append(group)
        choices: list[list[dict[int, tuple[int, ...]]]] = []
        number = 1
        for groups in alike.values():
            own = self._ways_of_groups(groups)
            number *= len(own)
            choices.append(own)
        if number > _MOST_WAYS:
            self.complete = False
        chosen = islice(product(*choices), _MOST_WAYS if self.complete else 1)
        return [{place: dealt for own in several for place, dealt in own.items()} for several in chosen]

    def _positives(self, group: int) -> int:
        report = self.report
        if report.groups:
            return report.groups[group]
        known = sum(part.positives * part.count for part in report.parts if isinstance(part, EqualParts))
        return report.all_positives - known

    def _ways_of_groups(self, groups: list[int]) -> list[dict[int, tuple[int, ...]]]:
        """Return the ways of groups that are alike: their order does not matter."""
        places = self.places[groups[0]]
        sizes = [(self.report.parts[place].total, self.report.parts[place].count) for place in places]
        own = list(islice(_ways(self._positives(groups[0]), sizes), _MOST_WAYS + 1))
        own.sort(key=_unevenness)
        several = list(islice(combinations_with_replacement(own, len(groups)), _MOST_WAYS + 1))
        if len(own) > _MOST_WAYS or len(several) > _MOST_WAYS:
            self.complete = False
            even = _even(self._positives(groups[0]), sizes)
            several = [(even,) * len(groups)]
        return [
            {place: dealt for group, way in zip(groups, ways, strict=True)
             for place, dealt in zip(self.places[group], way, strict=True)}
            for ways in several
        ]  # fmt: skip


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


def _unevenness(way: _Dealt) -> int:
    counts = [count for own in way for count in own]
    return max(counts) - min(counts)


def _even(positives: int, sizes: Sequence[tuple[int, int]]) -> _Dealt:
    """Return a way that is as even as can be."""
    total = sum(size * count for size, count in sizes)
    dealt, left, cases = [], positives, total
    for size, count in sizes:
        own = []
        for _ in range(count):
            share = min(size, -(-left * size // cases)) if cases else 0
            own.append(share)
            left, cases = left - share, cases - size
        dealt.append(tuple(own))
    return tuple(dealt)


def split_table(table: Table, report: MeansReport) -> Witness:
    """Return tables of a report's parts that add up to one table of all their cases.

    Examples
    --------
    >>> split_table(Table.of_counts(3, 1, 2, 4), MeansReport((EqualParts(2, 3, count=2),)))
    ((Table(tp=2, fn=0, fp=0, tn=3), Table(tp=1, fn=1, fp=2, tn=1)),)
    """
    known, counts = next(Dealing(report).reports())
    hits, rejected = table.tp, table.tn
    witness = []
    for part in known.parts:
        assert isinstance(part, EqualParts)
        own = []
        for _ in range(part.count):
            tp, tn = min(hits, part.positives), min(rejected, part.negatives)
            hits, rejected = hits - tp, rejected - tn
            own.append(Table.of_counts(tp, part.positives - tp, part.negatives - tn, tn))
        witness.append(tuple(own))
    return Dealing.joined(tuple(witness), counts)
