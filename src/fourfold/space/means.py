"""Means of scores over parts: folds, test sets, images. Can they be what was reported?

A report leaves each part a set of tables and ties the parts by means, by deviations, or by the scores of the summed
table. `decide` gives one of three answers. *Possible* comes with a table for each part, checked from the definitions in
exact arithmetic. *Impossible* comes with a proof: whole numbers that no sum of counts meets, a direction along which
all sums stay short, branch by branch, or a look at all choices. Else it is *undecided*, and says what was tried. Nothing
here knows what the parts are called or how a report was written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from ..errors import InputError, TooLarge
from ..formula import Formula, zero_sets
from ..metrics import METRICS, Averaged, Metric
from ..reported import Reported
from ..surd import Exact
from ..table import Table
from . import choosing, deviations, linear_means
from .linear_means import Line
from .mixtures import Cells, Choices, Coordinate, Direction, Floats, Mixture, Sums, within
from .region import Constraint, fitting, half_planes

#: What an undefined score of a part does: it may not occur, counts as 0, or is left out of the mean.
Convention: TypeAlias = Literal["none", "zero", "excluded"]
Spread: TypeAlias = Literal["sd", "sample_sd", "standard_error"]
Verdict: TypeAlias = Literal["possible", "impossible", "undecided"]
#: The tables of each entry of `MeansReport.parts`, in order.
Witness: TypeAlias = tuple[tuple[Table, ...], ...]

# Tables of all kinds of parts that are listed at most.
_MOST_TABLES: Final = 3_000_000
# All choices are looked at before anything else where the two lists are at most this long, and at last.
_FEW_LISTED, _MOST_LISTED = 6_000, 1_500_000
# Moves that are listed in the first search for a choice, in that of a branch, and in the last.
_FIRST_EFFORT, _BRANCH_EFFORT, _LAST_EFFORT = 400_000, 40_000, 2_500_000
_MOST_BRANCHES: Final = 150
_MOST_POOLED_ROWS: Final = 2_000_000
_CLEAR: Final = 1e-9


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
    """So many parts of one size whose positives are not known: only those of all parts together are."""

    total: int
    count: int = 1
    weight: Fraction = Fraction(1)

    def margins(self) -> list[tuple[int, int]]:
        """Return the pairs of positives and negatives that a part may have."""
        return [(positives, self.total - positives) for positives in range(self.total + 1)]


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

    def holds(self, values: Sequence[Exact]) -> bool:
        """Tell exactly whether some values vary so."""
        ends, low, high = self.squares(len(values)), self.reported.low, self.reported.high
        if ends is None:
            return False
        mean = sum(values, Fraction(0)) / len(values)
        distance = sum(((value - mean) * (value - mean) for value in values), Fraction(0))
        # An open end below zero takes nothing away.
        return within(distance, ends[0], ends[1], opened=(self.reported.low_open and low >= 0, self.reported.high_open and high >= 0))


@dataclass(frozen=True)
class MeansReport:
    """Parts, and what is said about them.

    Parameters
    ----------
    parts
        Kinds of parts, in any order; equal ones may come several times.
    means
        Metrics, and the interval of each one's mean over the parts.
    undefined
        What an undefined score of a part does.
    each
        Metrics, and the interval that the score of every single part lies in. Where undefined scores are left out, a
        part without one is not held to it.
    pooled
        Metrics, and the interval of each one's value at the sum of all tables.
    deviations
        How scores vary over the parts that have one.
    positives
        The positives of all parts together, for parts whose own are not known.
    """

    parts: tuple[EqualParts | OpenParts, ...]
    means: tuple[Constraint, ...] = ()
    undefined: Convention = "none"
    each: tuple[Constraint, ...] = ()
    pooled: tuple[Constraint, ...] = ()
    deviations: tuple[Deviation, ...] = ()
    positives: int | None = None

    def __post_init__(self) -> None:
        if not sum(part.count for part in self.parts):
            raise InputError("bad_size", "parts", "there are none", len(self.parts), "give at least one part")
        opened = any(isinstance(part, OpenParts) for part in self.parts)
        if opened and self.positives is None:
            raise InputError("bad_size", "positives", "must be known in sum", None, "give the positives of all parts")
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
        if self.positives is not None:
            return self.positives
        return sum(part.positives * part.count for part in self.parts if isinstance(part, EqualParts))

    def holds(self, witness: Witness) -> bool:
        """Tell whether tables are as the report says, from the definitions and in exact arithmetic alone.

        Examples
        --------
        >>> from fourfold.metrics import metric
        >>> report = MeansReport((EqualParts(2, 2, count=2),), ((metric("recall"), Reported.read("0.75")),))
        >>> report.holds(((Table.of_counts(2, 0, 1, 1), Table.of_counts(1, 1, 0, 2)),))
        True
        """
        tables = [table for own in witness for table in own]
        weights = [part.weight for part in self.parts for _ in range(part.count)]
        return (
            self._sizes_hold(witness)
            and all(self._each_holds(constraint, tables) for constraint in self.each)
            and all(self._mean_holds(constraint, tables, weights) for constraint in self.means)
            and all(self._deviation_holds(deviation, tables) for deviation in self.deviations)
            and self._pooled_holds(tables)
        )

    def _sizes_hold(self, witness: Witness) -> bool:
        for part, own in zip(self.parts, witness, strict=True):
            if len(own) != part.count or any(min(table.cells().values()) < 0 for table in own):
                return False
            margins = part.margins() if isinstance(part, EqualParts) else None
            for table in own:
                if table.total != part.total or (margins and (table.positives, table.negatives) not in margins):
                    return False
        return sum(table.positives for own in witness for table in own) == self.all_positives

    def _values(self, metric: Metric, tables: Sequence[Table]) -> list[Exact | None]:
        return [part_value(metric, table.cells(), self.undefined) for table in tables]

    def _each_holds(self, constraint: Constraint, tables: Sequence[Table]) -> bool:
        metric, reported = constraint
        for value in self._values(metric, tables):
            if value is None and self.undefined != "excluded":
                return False
            if value is not None and not _inside(value, reported):
                return False
        return True

    def _mean_holds(self, constraint: Constraint, tables: Sequence[Table], weights: Sequence[Fraction]) -> bool:
        mean = self.mean(constraint[0], tables, weights)
        return mean is not None and _inside(mean, constraint[1])

    def mean(self, metric: Metric, tables: Sequence[Table], weights: Sequence[Fraction]) -> Exact | None:
        """Return the exact mean of a metric over tables; None where it has none."""
        values = self._values(metric, tables)
        if self.undefined == "none" and any(value is None for value in values):
            return None
        counted = [(w, value) for w, value in zip(weights, values, strict=True) if value is not None]
        whole = sum((w for w, _ in counted), Fraction(0))
        total: Exact = sum((value * w for w, value in counted), Fraction(0))
        return total / whole if whole else None

    def _deviation_holds(self, deviation: Deviation, tables: Sequence[Table]) -> bool:
        values = self._values(deviation.metric, tables)
        known = [value for value in values if value is not None]
        if self.undefined == "none" and len(known) < len(values):
            return False
        return bool(known) and deviation.holds(known)

    def _pooled_holds(self, tables: Sequence[Table]) -> bool:
        if not self.pooled:
            return True
        cells = pooled(tables).cells()
        values = [(part_value(metric, cells, self.undefined), reported) for metric, reported in self.pooled]
        return all(value is not None and _inside(value, reported) for value, reported in values)


@dataclass(frozen=True)
class Decision:
    """Whether a report is possible: with a table for each part, or with the way in which it was proven that it is not.

    `reason` says in words how it was decided, or why it was not.
    """

    verdict: Verdict
    reason: str
    witness: Witness | None = None


class MeanBounds(NamedTuple):
    """What a number can be while the report holds: proven outer ends, and inner ones that witnesses attain.

    The inner ends are None where no witness was found.
    """

    outer_low: float
    outer_high: float
    inner_low: float | None
    inner_high: float | None


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
    """Return the folds that scikit-learn's `StratifiedKFold` deals, up to their order.

    They follow from the two sizes alone: the cases are dealt one by one, those of one class after those of the other.

    Examples
    --------
    >>> [(part.positives, part.negatives, part.count) for part in stratified_folds(7, 5, 2)]
    [(4, 2, 1), (3, 3, 1)]
    """
    if folds < 1 or positives < 0 or negatives < 0 or positives + negatives < folds:
        raise InputError("bad_size", "folds", "cannot be dealt", folds, "give at most one fold for each case")
    kinds: dict[tuple[int, int], int] = {}
    for i in range(folds):
        own = positives // folds + (i < positives % folds)
        total = (positives + negatives) // folds + (i < (positives + negatives) % folds)
        kinds[own, total - own] = kinds.get((own, total - own), 0) + 1
    return tuple(EqualParts(p, n, count) for (p, n), count in kinds.items())


def decide(report: MeansReport, *, effort: float = 1.0) -> Decision:
    """Decide whether a report is possible.

    Parameters
    ----------
    report
        The parts and what is said about them.
    effort
        How much is tried before it is left undecided, 1 as usual; more decides more.

    Examples
    --------
    >>> from fourfold.metrics import metric
    >>> folds = stratified_folds(100, 200, 10)
    >>> report = MeansReport(folds, ((metric("precision"), Reported.read("0.939")), (metric("f1"), Reported.read("0.952"))))
    >>> decide(report).verdict
    'possible'
    >>> report = MeansReport(folds, ((metric("accuracy"), Reported.read("1")), (metric("f1"), Reported.read("0.952"))))
    >>> decide(report).verdict
    'impossible'
    """
    return _Decider(report, effort).decided()


def _inside(value: Exact, reported: Reported) -> bool:
    return within(value, reported.low, reported.high, opened=(reported.low_open, reported.high_open))


def part_value(metric: Metric, table: Cells, undefined: Convention) -> Exact | None:
    """Return the exact value of a metric at the table of one part; None where it has none.

    A score of the catalogue is undefined as a whole; of an average over the two classes, such as macro precision, the
    class is that has no score, and counts as 0 or is left out.

    Examples
    --------
    >>> from fourfold.metrics import metric
    >>> none_predicted = {"tp": 0, "fn": 5, "fp": 0, "tn": 15}
    >>> part_value(metric("precision"), none_predicted, "zero")
    Fraction(0, 1)
    >>> part_value(metric("macro_precision"), none_predicted, "zero")
    Fraction(3, 8)
    """
    if _average(metric):
        return metric.value(table, undefined)
    value = metric.formula.exact(table)
    return Fraction(0) if value is None and undefined == "zero" else value


def _average(metric: Metric) -> Averaged | None:
    """Return how a metric averages over the classes, None where it is a score of its own."""
    mean = metric.over_classes
    own = metric.id in METRICS or not isinstance(mean, Averaged) or mean.average == "micro"
    return None if own else mean  # type: ignore[return-value]


def _floats(metric: Metric, cells: dict[str, Any], undefined: Convention) -> Floats:
    """Return a metric's values at many tables, nan where it has none: `part_value` in floats."""
    mean = _average(metric)
    if mean is None:
        values = metric.formula.evaluate(cells)
        return np.nan_to_num(values, nan=0.0) if undefined == "zero" else values
    sizes = (cells["tp"] + cells["fn"], cells["fp"] + cells["tn"])
    top, whole = np.zeros(len(sizes[0])), np.zeros(len(sizes[0]))
    missing = np.zeros(len(top), dtype=bool)
    for formula, own in zip(metric.components, sizes, strict=True):
        value, weight = formula.evaluate(cells), own if mean.average == "weighted" else 1.0 + 0 * own
        unknown = np.isnan(value)
        top += np.where(unknown, 0.0, value) * weight
        whole += np.where(unknown & (undefined != "zero"), 0.0, weight)
        missing |= unknown
    with np.errstate(all="ignore"):
        result = top / whole
    return np.where((missing & (undefined == "none")) | (whole == 0), np.nan, result)


class _Kinds(NamedTuple):
    """Parts put together by what they can be, and where the tables of each entry go."""

    parts: list[EqualParts | OpenParts]
    places: list[int]


def _kinds(parts: Sequence[EqualParts | OpenParts]) -> _Kinds:
    """Put equal parts together."""
    found: dict[EqualParts | OpenParts, int] = {}
    counts: list[int] = []
    places = []
    for part in parts:
        one = replace(part, count=1)
        place = found.setdefault(one, len(found))
        if place == len(counts):
            counts.append(0)
        counts[place] += part.count
        places.append(place)
    kept = [replace(part, count=count) for part, count in zip(found, counts, strict=True)]
    return _Kinds(kept, places)


class _Spread(NamedTuple):
    """A deviation of one score over so many parts that have one, while the sum of its values is in a range."""

    deviation: Deviation
    count: int
    low: Fraction
    high: Fraction


@dataclass
class _Branch:
    """A part of the problem: whole sums of counts and sums of scores are confined further."""

    whole: dict[tuple[int, str], tuple[int, int]] = field(default_factory=dict)
    spreads: tuple[_Spread, ...] = ()


class _Decider:
    """One report on its way to a decision."""

    def __init__(self, report: MeansReport, effort: float) -> None:
        self.report, self.effort = report, effort
        self.kinds = _kinds(report.parts)
        self.parts = [part for part in self.kinds.parts if part.count]
        self.metrics = list(dict.fromkeys([m for m, _ in report.means] + [d.metric for d in report.deviations]))
        self.tried = ""

    # From here on: what is common to all ways.

    def witness(self, tables: Sequence[Sequence[Cells]]) -> Witness:
        """Return tables by kind of part as tables by entry of the report."""
        left = [[Table(**own) for own in kind] for kind in tables]
        out, real = [], [i for i, part in enumerate(self.kinds.parts) if part.count]
        for part, place in zip(self.report.parts, self.kinds.places, strict=True):
            own = left[real.index(place)] if part.count else []
            out.append(tuple(own.pop() for _ in range(part.count)))
        return tuple(out)

    def possible(self, tables: Sequence[Sequence[Cells]], reason: str) -> Decision | None:
        """Return the decision that these tables make, if they hold."""
        witness = self.witness(tables)
        return Decision("possible", reason, witness) if self.report.holds(witness) else None

    def decided(self) -> Decision:
        positives = self.report.all_positives
        own = [part for part in self.parts if isinstance(part, EqualParts)]
        known = sum(part.positives * part.count for part in own)
        if known > positives or (len(own) == len(self.parts) and known != positives) or positives > self.report.total:
            return Decision("impossible", "the positives of the parts do not add up to those of all")
        if (decision := _Linear(self).decided()) is not None:
            return decision
        if sum(prod((p + 1, n + 1)) for part in self.parts for p, n in part.margins()) > _MOST_TABLES:
            return Decision("undecided", "the parts have too many tables to list them for scores that are not linear")
        return self._by_tables()

    def _by_tables(self) -> Decision:
        base = _Tables(self)
        if base.empty:
            return Decision("impossible", base.empty)
        open_: list[Decision] = []
        for counts in base.defined_counts():
            decision = _Case(base, counts).decided()
            if decision.verdict == "possible":
                return decision
            if decision.verdict == "undecided":
                open_.append(decision)
            last = decision
        return open_[0] if open_ else last


class _Linear:
    """Reports of scores that are linear in the cells of each part: whole sums of tp and of tn decide."""

    def __init__(self, decider: _Decider) -> None:
        self.decider, self.report, self.parts = decider, decider.report, decider.parts

    def decided(self) -> Decision | None:
        """Return the decision, or None where the report is not of this kind."""
        report = self.report
        if report.deviations or not all(isinstance(part, EqualParts) for part in self.parts):
            return None
        lines: list[Line] = []
        for constraint in report.means:
            line = self._mean(constraint)
            if line is None:
                return None
            lines += line
        ranges = [side for part in self.parts for side in self._sides(part)]
        confined = self._each()
        pooled = self._pooled()
        if confined is None or pooled is None:
            return None
        numbers = linear_means.solved([*lines, *confined, *pooled], ranges)
        if numbers is False:
            return Decision("impossible", "no whole sums of tp and tn over the parts give these means")
        if numbers is None:
            return None
        assert not isinstance(numbers, bool)
        tables = [self._dealt(part, numbers[2 * i], numbers[2 * i + 1]) for i, part in enumerate(self.parts)]
        return self.decider.possible(tables, "whole sums of tp and tn over the parts were found")

    @staticmethod
    def _sides(part: Any) -> list[tuple[int, int]]:
        return [(0, part.positives * part.count), (0, part.negatives * part.count)]

    @staticmethod
    def _dealt(part: Any, hits: int, rejected: int) -> list[Cells]:
        """Deal sums to alike parts, as evenly as can be: no part differs by more than one in tp, tn or their sum."""
        tables = []
        for i in range(part.count):
            tp = hits // part.count + (i < hits % part.count)
            tn = rejected // part.count + (part.count - 1 - i < rejected % part.count)
            tables.append({"tp": tp, "fn": part.positives - tp, "fp": part.negatives - tn, "tn": tn})
        return tables

    def _mean(self, constraint: Constraint) -> list[Line] | None:
        """Return a claim about a mean as a line; an empty one where nothing can fit."""
        metric, reported = constraint
        factors: list[Fraction] = []
        constant, whole = Fraction(0), Fraction(0)
        for part in self.parts:
            assert isinstance(part, EqualParts)
            line = _straight(metric, part.positives, part.negatives, self.report.undefined)
            if line is None:
                return None
            if line == ():
                if self.report.undefined == "none":
                    return [Line((Fraction(0),) * (2 * len(self.parts)), Fraction(1), None)]
                factors += [Fraction(0), Fraction(0)]
                continue
            a, b, c = line
            factors += [part.weight * a, part.weight * b]
            constant += part.weight * part.count * c
            whole += part.weight * part.count
        if not whole:
            return [Line((Fraction(0),) * (2 * len(self.parts)), Fraction(1), None)]
        low, high = reported.low * whole - constant, reported.high * whole - constant
        return [Line(tuple(factors), low, high, reported.low_open, reported.high_open)]

    def _each(self) -> list[Line] | None:
        """Return bounds of every part's scores as lines; None where sums over alike parts do not follow them."""
        lines = []
        for metric, reported in self.report.each:
            for i, part in enumerate(self.parts):
                assert isinstance(part, EqualParts)
                line = _straight(metric, part.positives, part.negatives, self.report.undefined)
                if line is None:
                    return None
                if line == ():
                    if self.report.undefined == "excluded":
                        continue
                    return [Line((Fraction(0),) * (2 * len(self.parts)), Fraction(1), None)]
                a, b, c = line
                if part.count > 1 and a and b and a != b:
                    return None
                size = abs(a or b) if part.count > 1 else Fraction(1)
                factors = [Fraction(0)] * (2 * len(self.parts))
                factors[2 * i : 2 * i + 2] = [a / size, b / size] if size else [a, b]
                one = linear_means.whole_line(
                    Line(tuple(factors), (reported.low - c) / (size or 1), (reported.high - c) / (size or 1),
                         reported.low_open, reported.high_open))  # fmt: skip
                if one is None:
                    return [Line((Fraction(0),) * (2 * len(self.parts)), Fraction(1), None)]
                lines.append(one._replace(
                    low=None if one.low is None else one.low * part.count,
                    high=None if one.high is None else one.high * part.count))  # fmt: skip
        return lines

    def _pooled(self) -> list[Line] | None:
        lines = []
        positives = self.report.all_positives
        negatives = self.report.total - positives
        for metric, reported in self.report.pooled:
            form = metric.formula.affine_ratio
            if form is None or not metric.formula.flat or _average(metric):
                return None
            if self.report.undefined == "zero" and Fraction(0) in reported and metric.formula.guards:
                return None
            for a, b, c in half_planes([(metric, reported)], positives, negatives):
                lines.append(Line((Fraction(a), Fraction(b)) * len(self.parts), Fraction(-c), None))
            _, (d, e, f) = form.at(positives, negatives)
            lines.append(Line((Fraction(d), Fraction(e)) * len(self.parts), Fraction(1 - f), None))
        return lines


def _straight(
    metric: Metric, positives: int, negatives: int, undefined: Convention
) -> tuple[Fraction, Fraction, Fraction] | tuple[()] | None:
    """Return a, b, c where a metric is ``a tp + b tn + c`` at all tables of a part, () if it is nowhere defined."""
    mean = _average(metric)
    if mean is None:
        line = _straight_formula(metric.formula, positives, negatives)
        return (Fraction(0),) * 3 if line == () and undefined == "zero" else line  # type: ignore[return-value]
    total, whole = [Fraction(0)] * 3, 0
    for formula, size in zip(metric.components, (positives, negatives), strict=True):
        line = _straight_formula(formula, positives, negatives)
        if line is None or (line == () and undefined == "none"):
            return line
        weight = size if mean.average == "weighted" else 1
        whole += weight if line or undefined == "zero" else 0
        total = [t + weight * x for t, x in zip(total, line, strict=True)] if line else total
    return (total[0] / whole, total[1] / whole, total[2] / whole) if whole else ()


def _straight_formula(
    formula: Formula, positives: int, negatives: int
) -> tuple[Fraction, Fraction, Fraction] | tuple[()] | None:
    form = formula.affine_ratio
    if form is None:
        return None
    absent = {name for names, size in ((("tp", "fn"), positives), (("fp", "tn"), negatives)) if not size for name in names}
    for guard in formula.guards:
        if guard.signed:
            return None
        for zeros in zero_sets(guard):
            if zeros <= absent:
                return ()
            if not (zeros >= {"tp", "fn"} and positives) and not (zeros >= {"fp", "tn"} and negatives):
                return None
    (a, b, c), (d, e, f) = form.at(positives, negatives)
    if d or e or not f:
        return None
    return Fraction(a, f), Fraction(b, f), Fraction(c, f)


class _Tables:
    """All tables of each kind of part that obey what is said of every part, with the values of the metrics."""

    def __init__(self, decider: _Decider) -> None:
        self.decider, self.report = decider, decider.report
        undefined = self.report.undefined
        self.choices: list[Choices] = []
        self.values: dict[Metric, list[Floats]] = {metric: [] for metric in decider.metrics}
        self.empty = ""
        for part in decider.parts:
            choice = Choices.with_margins(part.count, part.margins())
            keep = np.ones(len(choice), dtype=bool)
            for constraint in self.report.each:
                keep &= self._obeys(choice, constraint)
            columns = {metric: _floats(metric, choice.cells(), undefined) for metric in decider.metrics}
            if undefined == "none":
                for values in columns.values():
                    keep &= ~np.isnan(values)
            if not keep.any():
                self.empty = f"no table of a part with {part.total} cases has what is said of every part"
                return
            self.choices.append(choice.at(keep))
            for metric, values in columns.items():
                self.values[metric].append(values[keep])
        self.weights = [part.weight for part in decider.parts]

    def _obeys(self, choice: Choices, constraint: Constraint) -> Any:
        metric, reported = constraint
        values = _floats(metric, choice.cells(), self.report.undefined)
        low, high = float(reported.low), float(reported.high)
        with np.errstate(invalid="ignore"):
            good = (values >= low) & (values <= high)
            near = (np.abs(values - low) < _CLEAR * (1 + abs(low))) | (np.abs(values - high) < _CLEAR * (1 + abs(high)))
        for i in np.flatnonzero(near):
            exact = part_value(metric, choice.table(int(i)), self.report.undefined)
            good[i] = exact is not None and _inside(exact, reported)
        return good | np.isnan(values) if self.report.undefined == "excluded" else good

    def sometimes(self, metric: Metric) -> bool:
        """Tell whether a kind of part has tables with a value and tables without."""
        return any(np.isnan(v).any() and not np.isnan(v).all() for v in self.values[metric])

    def always(self, metric: Metric) -> list[bool]:
        """Tell for each kind of part whether it has a value."""
        return [not np.isnan(v).any() for v in self.values[metric]]

    def defined_counts(self) -> Iterator[dict[Metric, int]]:
        """Walk how many parts may have a value, for each metric with a deviation whose parts may lack one."""
        loose = [d.metric for d in self.report.deviations if self.sometimes(d.metric)]
        loose = list(dict.fromkeys(loose))
        total = sum(choice.count for choice in self.choices)
        for counts in product(*(range(total, 0, -1) for _ in loose)):
            yield dict(zip(loose, counts, strict=True))


class _Case:
    """A report with its tables, while it is fixed how many parts have a value of some metrics."""

    def __init__(self, tables: _Tables, counts: dict[Metric, int]) -> None:
        self.tables, self.counts = tables, counts
        self.decider, self.report = tables.decider, tables.report
        self.effort = self.decider.effort
        self.choices, self.weights = tables.choices, tables.weights
        self.base = [*self._pooled_sums(), *(c for constraint in self.report.means for c in self._mean(*constraint))]
        self.base += [self._number(metric, count) for metric, count in counts.items()]

    # The coordinates.

    def _exact(self, metric: Metric, scale: Sequence[Fraction], shift: Fraction, power: int) -> Any:
        undefined = self.report.undefined

        def exact(g: int, table: Cells) -> Exact:
            value = part_value(metric, table, undefined)
            if value is None:
                return Fraction(0)
            off = (value - shift) * scale[g]
            return off if power == 1 else (off * off if power == 2 else scale[g])

        return exact

    def _values(self, metric: Metric, scale: Sequence[Fraction], shift: Fraction, power: int) -> tuple[Floats, ...]:
        out = []
        for values, factor in zip(self.tables.values[metric], scale, strict=True):
            known = ~np.isnan(values)
            off = np.where(known, (values - float(shift)) * float(factor), 0.0)
            out.append(off**power if power else known * float(factor))
        return tuple(out)

    def _score(
        self, metric: Metric, low: Fraction | None, high: Fraction | None, *, opened: tuple[bool, bool] = (False, False),
        shift: Fraction = Fraction(0), power: int = 1, weighted: bool = True,
    ) -> Coordinate:  # fmt: skip
        """Return the sum of a metric, of its squares, or of the parts that have it."""
        scale = self.weights if weighted else [Fraction(1)] * len(self.weights)
        values = self._values(metric, scale, shift, power)
        return Coordinate(values, self._exact(metric, scale, shift, power), low, high, *opened)

    def _number(self, metric: Metric, count: int) -> Coordinate:
        return self._score(metric, Fraction(count), Fraction(count), power=0, weighted=False)

    def _mean(self, metric: Metric, reported: Reported) -> list[Coordinate]:
        opened = (reported.low_open, reported.high_open)
        if metric in self.counts or not self.tables.sometimes(metric):
            whole = self._whole(metric)
            if not whole:
                return [self._score(metric, Fraction(1), None, power=0)]
            return [self._score(metric, reported.low * whole, reported.high * whole, opened=opened)]
        # A mean is in an interval just where the sum of what lies above its low end is not negative, and so on.
        return [
            self._score(metric, Fraction(0), None, opened=(opened[0], False), shift=reported.low),
            self._score(metric, None, Fraction(0), opened=(False, opened[1]), shift=reported.high),
            self._score(metric, Fraction(1), None, power=0, weighted=False),
        ]

    def _whole(self, metric: Metric) -> Fraction:
        """Return the weight of all parts that have a value."""
        if metric in self.counts:
            return self.counts[metric] * self.weights[0]
        known = zip(self.weights, self.choices, self.tables.always(metric), strict=True)
        return sum((weight * choice.count for weight, choice, value in known if value), Fraction(0))

    def _counted(self, name: str, low: Fraction | None, high: Fraction | None, a: int = 1, b: int = 0) -> Coordinate:
        """Return a sum of counts over all parts: ``a tp + b tn``, or of positives."""
        if name == "positives":
            values = tuple(choice.positives.astype(float) for choice in self.choices)
            return Coordinate(values, lambda g, table: Fraction(table["tp"] + table["fn"]), low, high)
        values = tuple(float(a) * choice.tp + float(b) * choice.tn for choice in self.choices)
        return Coordinate(values, lambda g, table: Fraction(a * table["tp"] + b * table["tn"]), low, high)

    def _pooled_sums(self) -> list[Coordinate]:
        report, out = self.report, []
        positives = report.all_positives
        negatives = report.total - positives
        if any(isinstance(part, OpenParts) for part in self.decider.parts):
            out.append(self._counted("positives", Fraction(positives), Fraction(positives)))
        held = [
            (metric, reported)
            for metric, reported in report.pooled
            if not _average(metric)
            and not (report.undefined == "zero" and Fraction(0) in reported and metric.formula.guards)
        ]
        if report.pooled:
            ends: list[Fraction | None] = [None] * 4
            try:
                rows, _ = fitting(held, positives, negatives, most_rows=_MOST_POOLED_ROWS)
            except (TooLarge, InputError):
                rows = None
            if rows is not None:
                if not len(rows):
                    return [self._counted("tp", Fraction(-2), Fraction(-1))]
                ends = [Fraction(int(x)) for x in (rows.tp.min(), rows.tp.max(), rows.low.min(), rows.high.max())]
            out += [self._counted("tp", ends[0], ends[1]), self._counted("tn", ends[2], ends[3], 0, 1)]
            for a, b, c in half_planes(held, positives, negatives):
                out.append(self._counted("plane", Fraction(-c), None, a, b))
        return out

    def _spread(self, spread: _Spread) -> list[Coordinate]:
        """Return a deviation as a box around the middle of where the mean is: exact as the range shrinks."""
        squares = spread.deviation.squares(spread.count)
        metric = spread.deviation.metric
        if squares is None:
            return [self._score(metric, Fraction(-2), Fraction(-1), power=0, weighted=False)]
        middle = (spread.low + spread.high) / 2 / spread.count
        off = (spread.high - spread.low) / 2
        return [
            self._score(metric, spread.low, spread.high, weighted=False),
            self._score(metric, squares[0], squares[1] + off * off / spread.count, shift=middle, power=2, weighted=False),
        ]

    def _group_sum(self, g: int, name: str, ends: tuple[int, int]) -> Coordinate:
        """Return the sum of a count over the parts of one kind."""
        values = tuple(
            getattr(choice, name).astype(float) if h == g else np.zeros(len(choice))
            for h, choice in enumerate(self.choices)
        )

        def exact(h: int, table: Cells) -> Fraction:
            return Fraction(table[name] if h == g else 0)

        return Coordinate(values, exact, Fraction(ends[0]), Fraction(ends[1]))

    # The way to a decision.

    def spreads(self) -> tuple[_Spread, ...]:
        out = []
        for deviation in self.report.deviations:
            metric = deviation.metric
            count = self.counts.get(metric) or sum(
                choice.count for choice, known in zip(self.choices, self.tables.always(metric), strict=True) if known
            )
            known = [(r.low * count, r.high * count) for m, r in self.report.means if m == metric]
            values = [v[~np.isnan(v)] for v in self.tables.values[metric]]
            least = min((float(v.min()) for v in values if len(v)), default=0.0)
            most = max((float(v.max()) for v in values if len(v)), default=0.0)
            # A little room for floats.
            low = Fraction(least - 1e-9 * (1 + abs(least))) * count
            high = Fraction(most + 1e-9 * (1 + abs(most))) * count
            for own_low, own_high in known:
                low, high = max(low, own_low), min(high, own_high)
            out.append(_Spread(deviation, max(count, 1), low, max(low, high)))
        return tuple(out)

    def sums(self, branch: _Branch) -> Sums | None:
        """Return the sums of a branch, with tables that cannot be in it left out."""
        coordinates = [*self.base]
        for spread in branch.spreads:
            coordinates += self._spread(spread)
        coordinates += [self._group_sum(g, name, ends) for (g, name), ends in branch.whole.items()]
        return Sums(self.choices, coordinates).narrowed()

    def fits(self, sums: Sums, chosen: choosing.Chosen) -> bool:
        return self.decider.possible(self._cells(sums, chosen), "") is not None

    @staticmethod
    def _cells(sums: Sums, chosen: choosing.Chosen) -> list[list[Cells]]:
        return [[choice.table(i) for i in own] for choice, own in zip(sums.choices, chosen, strict=True)]

    def possible(self, sums: Sums, chosen: choosing.Chosen, reason: str) -> Decision:
        decision = self.decider.possible(self._cells(sums, chosen), reason)
        assert decision is not None
        return decision

    def decided(self) -> Decision:
        spreads = self.spreads()
        if (decision := self._by_squares(spreads)) is not None:
            return decision
        root = _Branch({}, spreads)
        sums = self.sums(root)
        if sums is None:
            return Decision("impossible", "no table of some part leaves the others a way to the means")
        if (decision := self._exhausted(sums, _FEW_LISTED)) is not None:
            return decision
        mixture = sums.mixed()
        if isinstance(mixture, Direction):
            return Decision("impossible", "along a direction all sums over the parts stay short of the report")
        if mixture is not None and (decision := self._searched(sums, mixture, _FIRST_EFFORT)) is not None:
            return decision
        if (decision := self._exhausted(sums, _MOST_LISTED // 10)) is not None:
            return decision
        decision = self._branched(root, sums, mixture)
        if decision.verdict != "undecided":
            return decision
        if (last := self._exhausted(sums, int(_MOST_LISTED * self.effort))) is not None:
            return last
        if mixture is not None and (last := self._searched(sums, mixture, _LAST_EFFORT, seed=1)) is not None:
            return last
        return decision

    def _exhausted(self, sums: Sums, most: int) -> Decision | None:
        """Look at all choices where the lists are short enough."""
        if self._told_apart(sums):
            sums = sums.without_twins()
        length, split = choosing.size(sums)
        if length > most:
            return None
        chosen = choosing.exhausted(sums, split, partial(self.fits, sums))
        if chosen is False:
            return Decision("impossible", "all choices of tables were looked at")
        if chosen is None or chosen is True:
            return None
        return self.possible(sums, chosen, "all choices of tables were looked at")

    def _told_apart(self, sums: Sums) -> bool:
        """Tell whether values that differ do so by more than floats are off: ratios of short numbers."""
        metrics = [*self.decider.metrics]
        size = max(int((c.positives + c.negatives).max()) for c in sums.choices)
        return size <= 1000 and all(m.formula.flat and _short_denominator(m, size) for m in metrics)

    def _searched(self, sums: Sums, mixture: Mixture, effort: float, seed: int = 0) -> Decision | None:
        exchange = choosing.Exchange(sums, partial(self.fits, sums), seed)
        chosen = exchange.run(mixture, int(effort * self.effort))
        return None if chosen is None else self.possible(sums, chosen, "tables were found by exchanging cases")

    def _branched(self, root: _Branch, sums: Sums, mixture: Mixture | None) -> Decision:
        """Split by sums of counts and of scores; every branch needs a proof of its own."""
        stack, branches, open_ = [(root, sums, mixture)], 0, 0
        while stack:
            branch, sums, mixture = stack.pop()
            halves = self._halves(branch, sums, mixture)
            if not halves:
                open_ += 1
            if open_:
                return Decision("undecided", f"no tables were found, and after {branches} branches one is still open")
            for half in halves:
                branches += 1
                own = self.sums(half)
                if own is None:
                    continue
                small = self._exhausted(own, _MOST_LISTED // 10)
                if small is not None:
                    if small.verdict == "possible":
                        return small
                    continue
                mixed = own.mixed()
                if isinstance(mixed, Direction):
                    continue
                if mixed is not None and (decision := self._searched(own, mixed, _BRANCH_EFFORT)) is not None:
                    return decision
                stack.append((half, own, mixed))
            if branches > _MOST_BRANCHES * self.effort:
                return Decision("undecided", f"no tables were found, and {len(stack)} of {branches} branches are open")
        return Decision("impossible", f"in each of {branches + 1} branches all sums stay short of the report")

    def _halves(self, branch: _Branch, sums: Sums, mixture: Mixture | None) -> list[_Branch]:
        """Cut a branch in two where its sums of counts are least settled; none where all are."""
        widest, cut = None, 0
        for g, choice in enumerate(sums.choices):
            for name in ("tp", "tn"):
                column = getattr(choice, name)
                low, high = int(column.min()) * choice.count, int(column.max()) * choice.count
                known = branch.whole.get((g, name), (low, high))
                low, high = max(low, known[0]), min(high, known[1])
                if high <= low or (widest is not None and high - low <= widest[1] - widest[0]):
                    continue
                middle = (low + high) // 2
                if mixture is not None:
                    amounts = mixture.amounts[g]
                    middle = int(np.floor(sum(column[i] * x for i, x in amounts.items()) + 1e-6))
                widest, key, cut = (low, high), (g, name), min(max(middle, low), high - 1)
        if widest is None:
            return []
        return [
            _Branch({**branch.whole, key: (widest[0], cut)}, branch.spreads),
            _Branch({**branch.whole, key: (cut + 1, widest[1])}, branch.spreads),
        ]

    def _by_squares(self, spreads: tuple[_Spread, ...]) -> Decision | None:
        """Decide the mean and deviation of a single score in whole numbers, where its values are short fractions."""
        report = self.report
        if len(spreads) != 1 or len(self.decider.metrics) != 1 or report.pooled or self.counts:
            return None
        (spread,) = spreads
        metric = spread.deviation.metric
        if not all(self.tables.always(metric)) or not isinstance(self.decider.parts[0], EqualParts):
            return None
        squares = spread.deviation.squares(spread.count)
        if squares is None:
            return Decision("impossible", "so few values have no such deviation")
        lists = [self._short_values(metric, g) for g in range(len(self.choices))]
        if any(own is None for own in lists):
            return None
        values = [(choice.count, [v for v, _ in own or []]) for choice, own in zip(self.choices, lists, strict=True)]
        chosen = deviations.reached(
            values, (spread.low / spread.count, spread.high / spread.count), squares, self._squares_fit(spread)
        )
        if chosen is None or chosen is True:
            return None
        if chosen is False:
            return Decision("impossible", "no whole sums of values and of their squares give this mean and deviation")
        tables = [
            [choice.table((own or [])[i][1]) for i in places]
            for choice, own, places in zip(self.choices, lists, chosen, strict=True)
        ]
        return self.decider.possible(tables, "whole sums of values and of their squares were found")

    def _short_values(self, metric: Metric, g: int) -> list[tuple[Fraction, int]] | None:
        """Return the values of a metric that is linear in the cells, with a table for each."""
        part = self.decider.parts[g]
        assert isinstance(part, EqualParts)
        if not _straight(metric, part.positives, part.negatives, self.report.undefined):
            return None
        _, first = np.unique(np.round(self.tables.values[metric][g], 10), return_index=True)
        out = []
        for i in first:
            value = part_value(metric, self.choices[g].table(int(i)), self.report.undefined)
            if not isinstance(value, Fraction):
                return None
            out.append((value, int(i)))
        return out

    def _squares_fit(self, spread: _Spread) -> Callable[[Fraction, Fraction], bool]:
        reported, count = spread.deviation.reported, spread.count
        means = [r for _, r in self.report.means]
        ends = spread.deviation.squares(count)
        assert ends is not None
        opened = (reported.low_open and reported.low >= 0, reported.high_open)

        def fits(total: Fraction, squares: Fraction) -> bool:
            distance = squares - total * total / count
            return within(distance, *ends, opened=opened) and all(_inside(total / count, r) for r in means)

        return fits


def _short_denominator(metric: Metric, size: int) -> bool:
    """Tell whether a metric's values in tables of a size are ratios of numbers that floats tell apart."""
    form = metric.formula.affine_ratio
    return form is not None and form.magnitude(size) < 2 * 10**4
