"""Parts such as folds, test sets or images, what is said about means over them, and what that means exactly.

`MeansReport.holds` is the definition of a report: it checks one table for each part in exact arithmetic. Whatever
decides a report ends there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import Any, Final, Literal, TypeAlias

from ..errors import InputError
from ..exact.reported import Reported
from ..exact.surd import Exact
from ..metrics import METRICS, STRICT, Averaged, Convention, Metric
from ..table import Table
from .problem import Cells, within
from .region import Constraint

_LEFT_OUT: Final = Convention(drop=True)

Spread: TypeAlias = Literal["sd", "sample_sd", "standard_error"]
Verdict: TypeAlias = Literal["possible", "impossible", "undecided"]
#: The tables of each entry of `MeansReport.parts`, in order.
Witness: TypeAlias = tuple[tuple[Table, ...], ...]
#: Tables, each with its share of an average.
Shares: TypeAlias = tuple[tuple[Fraction, Table], ...]


@dataclass(frozen=True)
class EqualParts:
    """So many parts with the same positives and negatives; a part weighs 1 in a mean where nothing is said."""

    positives: int
    negatives: int
    count: int = 1
    weight: Fraction = Fraction(1)

    @property
    def total(self) -> int:
        """The cases of one part."""
        return self.positives + self.negatives

    def margins(self) -> list[tuple[int, int]]:
        """Return the pairs of positives and negatives that a part may have."""
        return [(self.positives, self.negatives)]


@dataclass(frozen=True)
class OpenParts:
    """So many parts of one size whose positives are not known: only those of all parts of a group together are."""

    total: int
    count: int = 1
    weight: Fraction = Fraction(1)
    #: Which of `MeansReport.groups` they belong to.
    group: int = 0
    #: The fewest positives and the most that a part may have; None where all its cases may be positive.
    least: int = 0
    most: int | None = None

    @property
    def may_have(self) -> range:
        """The positives that a part may have."""
        return range(self.least, (self.total if self.most is None else self.most) + 1)

    def margins(self) -> list[tuple[int, int]]:
        """Return the pairs of positives and negatives that a part may have."""
        return [(positives, self.total - positives) for positives in self.may_have]


@dataclass(frozen=True)
class Deviation:
    """How a score varies over the parts: with n or n - 1 as divisor, or as the standard error of the mean."""

    metric: Metric
    reported: Reported
    kind: Spread = "sd"

    def squares(self, count: int) -> tuple[Fraction, Fraction] | None:
        """Return between what the sum of squared distances from the mean lies for so many values; None if nowhere."""
        divisor = count if self.kind == "sd" else count - 1
        if divisor <= 0 or self.reported.high < 0:
            return None
        factor = divisor * (count if self.kind == "standard_error" else 1)
        low, high = max(self.reported.low, Fraction(0)), self.reported.high
        return factor * low * low, factor * high * high

    def fits(self, distance: Exact, count: int) -> bool:
        """Tell exactly whether so many values vary so, by the sum of their squared distances from the mean."""
        ends = self.squares(count)
        # An open end below zero takes nothing away.
        opened = (self.reported.low_open and self.reported.low >= 0, self.reported.high_open)
        return ends is not None and within(distance, *ends, opened=opened)


@dataclass(frozen=True)
class MeansReport:
    """Parts, and what is said about them."""

    #: Kinds of parts, in any order; equal ones may come several times.
    parts: tuple[EqualParts | OpenParts, ...]
    #: Metrics, and the interval of each one's mean over the parts.
    means: tuple[Constraint, ...] = ()
    #: What an undefined score of a part counts as.
    convention: Convention = STRICT
    #: Metrics, and the interval of the score of every single part. Where undefined scores are left out, a part without
    #: one is not held to it.
    each: tuple[Constraint, ...] = ()
    #: Metrics, and the interval of each one's value at the sum of all tables.
    pooled: tuple[Constraint, ...] = ()
    #: How scores vary over the parts that have one.
    deviations: tuple[Deviation, ...] = ()
    #: The positives of all parts together, for parts whose own are not known.
    positives: int | None = None
    #: In its place the positives of each group of such parts, as of several data sets.
    groups: tuple[int, ...] = ()
    #: How unevenly positives may be dealt to parts in sum, by `off`; None where that does not matter.
    uneven: Fraction | None = None

    def __post_init__(self) -> None:
        if not sum(part.count for part in self.parts):
            raise InputError("bad_count", "parts", "there are none", len(self.parts), "give at least one part")
        opened = any(isinstance(part, OpenParts) for part in self.parts)
        if opened and self.positives is None and not self.groups:
            raise InputError("bad_count", "positives", "must be known in sum", None, "give the positives of all parts")
        if self.deviations and len({part.weight for part in self.parts}) > 1:
            problem = "is not defined for parts of unequal weight"
            raise InputError("bad_option", "deviation", problem, len(self.parts), "leave the weights out")

    @property
    def total(self) -> int:
        """The cases of all parts."""
        return sum(part.total * part.count for part in self.parts)

    @property
    def all_positives(self) -> int:
        """The positives of all parts."""
        return self.known_positives + sum(self.groups) if self.positives is None else self.positives

    @property
    def known_positives(self) -> int:
        """The positives of the parts whose own are known."""
        return sum(part.positives * part.count for part in self.parts if isinstance(part, EqualParts))

    @property
    def group_positives(self) -> tuple[int, ...]:
        """The positives of each group of parts whose own are not known."""
        return self.groups or (self.all_positives - self.known_positives,)

    def off(self, positives: int, cases: int) -> Fraction:
        """Return the squared distance of the positives of a part from those that are due to so many cases."""
        return (positives - Fraction(self.all_positives, self.total) * cases) ** 2

    def holds(self, witness: Witness) -> bool:
        """Tell whether tables are as the report says, from the definitions and in exact arithmetic alone.

        Examples
        --------
        >>> from fourfold.metrics import metric
        >>> report = MeansReport((EqualParts(2, 2, count=2),), ((metric("recall"), Reported.read("0.75")),))
        >>> report.holds(((Table.of_counts(2, 0, 1, 1), Table.of_counts(1, 1, 0, 2)),))
        True
        """
        pairs = [(part, table) for part, own in zip(self.parts, witness, strict=True) for table in own]
        tables = [table for _, table in pairs]
        if [len(own) for own in witness] != [part.count for part in self.parts]:
            return False
        if any((table.positives, table.negatives) not in part.margins() for part, table in pairs):
            return False
        if any(min(table.cells().values()) < 0 for table in tables):
            return False
        grouped = [
            [t.positives for part, t in pairs if getattr(part, "group", None) == g] for g in range(len(self.groups))
        ]
        if [sum(own) for own in grouped] != [*self.groups] or sum(t.positives for t in tables) != self.all_positives:
            return False
        if self.uneven is not None and sum(self.off(t.positives, t.total) for t in tables) > self.uneven:
            return False

        def values(metric: Metric) -> list[Exact | None]:
            return [part_value(metric, table.cells(), self.convention) for table in tables]

        for metric, reported in self.each:
            if not all(self.convention.drop if x is None else inside(x, reported) for x in values(metric)):
                return False
        weights, whole = [part.weight for part, _ in pairs], pooled(tables).cells() if self.pooled else {}
        means = ((self.mean(metric, tables, weights), reported) for metric, reported in self.means)
        sums = ((metric.value(whole, self.convention), reported) for metric, reported in self.pooled)
        if not all(value is not None and inside(value, reported) for value, reported in chain(means, sums)):
            return False
        for deviation in self.deviations:
            known = [value for value in values(deviation.metric) if value is not None]
            if not known or (self.convention.strict and len(known) < len(tables)):
                return False
            mean = sum(known, Fraction(0)) / len(known)
            if not deviation.fits(sum(((value - mean) * (value - mean) for value in known), Fraction(0)), len(known)):
                return False
        return True

    def mean(self, metric: Metric, tables: Sequence[Table], weights: Sequence[Fraction]) -> Exact | None:
        """Return the exact mean of a metric over tables; None where it has none."""
        alike: dict[Table, Fraction | int] = {}
        equal = len(set(weights)) == 1
        for table, weight in zip(tables, weights, strict=True):
            alike[table] = alike.get(table, 0) + (1 if equal else weight)
        # What is undefined was filled in part by part; a part without cases has no value even so, and is left out.
        left = self.convention if self.convention.strict else Convention(drop=True)
        return left.mean((part_value(metric, table.cells(), self.convention), share) for table, share in alike.items())

    def grouped(self) -> MeansReport:
        """Return the report with equal parts put together."""
        kinds: Counter[EqualParts | OpenParts] = Counter()
        for part in self.parts:
            kinds[replace(part, count=1)] += part.count
        return replace(self, parts=tuple(replace(part, count=count) for part, count in kinds.items() if count))

    def regrouped(self, witness: Witness) -> Witness:
        """Return tables of the parts put together as tables of the parts as they are given."""
        kinds = (replace(part, count=1) for part in self.grouped().parts)
        left = {part: list(own) for part, own in zip(kinds, witness, strict=True)}
        return tuple(tuple(left[replace(part, count=1)].pop() for _ in range(part.count)) for part in self.parts)


@dataclass(frozen=True)
class Decision:
    """Whether a report is possible: with a table for each part, or with the way in which it was proven that it is not.

    `reason` says in words how it was decided, or why it was not.
    """

    verdict: Verdict
    reason: str
    witness: Witness | None = None
    #: Where parts may be repeated: tables with the share that each has of all parts.
    shares: Shares = ()


def number_of_tables(parts: Iterable[EqualParts | OpenParts]) -> int:
    """Return how many tables the parts of each kind may have in all."""
    return sum((p + 1) * (n + 1) for part in parts for p, n in part.margins())


def pooled(tables: Sequence[Table]) -> Table:
    """Return the sum of tables.

    Examples
    --------
    >>> pooled([Table.of_counts(1, 2, 3, 4), Table.of_counts(1, 0, 0, 0)])
    Table(tp=2, fn=2, fp=3, tn=4)
    """
    sums = [sum(table.cells()[name] for table in tables) for name in ("tp", "fn", "fp", "tn")]
    return Table.of_counts(*sums)


def stratified_folds(positives: int, negatives: int, folds: int) -> tuple[EqualParts, ...]:
    """Return the folds that scikit-learn's `StratifiedKFold` deals, up to their order: the two sizes tell them.

    Examples
    --------
    >>> [(part.positives, part.negatives, part.count) for part in stratified_folds(7, 5, 2)]
    [(4, 2, 1), (3, 3, 1)]
    """
    return stratified_ways(positives, negatives, folds)[0]


def stratified_ways(positives: int, negatives: int, folds: int) -> tuple[tuple[EqualParts, ...], ...]:
    """Return all ways to deal stratified folds where the tool is not known: each class as evenly as can be.

    Only how many folds get one more of both classes is open. The first way has the fewest, as scikit-learn deals since
    0.22.

    Examples
    --------
    >>> [[(part.positives, part.negatives) for part in way] for way in stratified_ways(3, 3, 2)]
    [[(2, 1), (1, 2)], [(2, 2), (1, 1)]]
    """
    if folds < 1 or positives < 0 or negatives < 0 or positives + negatives < folds:
        raise InputError("bad_count", "folds", "cannot be made", folds, "give at most one fold for each case")
    (p, more_p), (n, more_n) = divmod(positives, folds), divmod(negatives, folds)
    ways = []
    for both in range(max(0, more_p + more_n - folds), min(more_p, more_n) + 1):
        kinds = {
            (p + 1, n + 1): both,
            (p + 1, n): more_p - both,
            (p, n + 1): more_n - both,
            (p, n): folds - more_p - more_n + both,
        }
        # No fold is without cases.
        if not kinds.get((0, 0)):
            ways.append(tuple(EqualParts(*kind, count) for kind, count in kinds.items() if count))
    return tuple(ways)


def inside(value: Exact, reported: Reported) -> bool:
    """Tell exactly whether a number lies in a reported interval."""
    return within(value, reported.low, reported.high, opened=(reported.low_open, reported.high_open))


def part_value(metric: Metric, table: Cells, convention: Convention) -> Exact | None:
    """Return the exact value of a metric at the table of one part; None where it has none.

    A score of the catalogue is undefined as a whole; of an average over the two classes, such as macro precision, the
    class is that has no score, and is filled in or left out. In one table of all cases, that is so of every average
    over the classes, under whatever name: there `Metric.value` holds.

    Examples
    --------
    >>> from fourfold.metrics import metric
    >>> none_predicted = {"tp": 0, "fn": 5, "fp": 0, "tn": 15}
    >>> part_value(metric("precision"), none_predicted, Convention(fill=Fraction(0)))
    Fraction(0, 1)
    >>> part_value(metric("macro_precision"), none_predicted, Convention(fill=Fraction(0)))
    Fraction(3, 8)
    """
    mean, meant = how_averaged(metric, convention)
    if mean:
        return metric.value(table, meant)
    value = metric.formula.exact(table)
    return metric.fill(convention) if value is None else value


def is_defined(constraint: Constraint, convention: Convention) -> bool:
    """Tell whether a claim about all cases together fits only tables where the metric's formula is defined.

    Examples
    --------
    >>> from fourfold.metrics import metric
    >>> printed, zero = Reported.read("0.5"), Convention(fill=Fraction(0))
    >>> [is_defined((metric(name), printed), zero) for name in ("precision", "balanced_accuracy")]
    [True, False]
    """
    metric, reported = constraint
    if convention.strict or not metric.formula.guards:
        return True
    if len(metric.components) > 1:
        return False
    return metric.fill(convention) not in reported


class OfPresentClasses(Averaged):
    """An average over the classes that a part has cases of, as scikit-learn's balanced accuracy is."""


def how_averaged(metric: Metric, convention: Convention) -> tuple[Averaged | None, Convention]:
    """Return how a metric of a part averages over the classes, and what an undefined one counts as there."""
    mean: Any = metric.over_classes
    if metric.id in METRICS or not isinstance(mean, Averaged) or mean.average == "micro":
        return None, convention
    return mean, _LEFT_OUT if isinstance(mean, OfPresentClasses) else convention
