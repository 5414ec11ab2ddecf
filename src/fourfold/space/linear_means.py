"""Means of scores that are linear in the cells of each part: sums of tp and of tn decide them in whole numbers.

Over m alike parts with p positives the sum of tp takes every value from 0 to m p, whatever the sum of tn. So a report
of accuracy, recall, balanced accuracy and the like is a problem in two whole numbers for each kind of part.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..formula import Formula, zero_sets
from ..metrics import Convention, Metric
from . import whole_sums
from .experiment import Decision, EqualParts, Question, average_of, is_defined
from .problem import Cells
from .region import Constraint, half_planes
from .whole_sums import Line


class LinearMeans:
    """Reports of scores that are linear in the cells of each part: whole sums of tp and of tn decide."""

    def __init__(self, question: Question) -> None:
        self.question, self.report, self.parts = question, question.report, question.parts

    def decided(self) -> Decision | None:
        """Return the decision, or None where the report is not of this kind."""
        lines = self.lines()
        if lines is None:
            return None
        numbers = whole_sums.solved(lines, self.ranges)
        if numbers is False:
            return Decision("impossible", "no whole sums of tp and tn over the parts give these means")
        if numbers is None:
            return None
        assert not isinstance(numbers, bool)
        tables = [self._dealt(part, numbers[2 * i], numbers[2 * i + 1]) for i, part in enumerate(self.parts)]
        return self.question.possible(tables, "whole sums of tp and tn over the parts were found")

    def lines(self) -> list[Line] | None:
        """Return the report as lines through the sums of tp and tn of each kind; None where it is not of this kind."""
        report = self.report
        if report.deviations or not all(isinstance(part, EqualParts) for part in self.parts):
            return None
        lines: list[Line] = []
        for constraint in report.means:
            line = self.mean_line(constraint)
            if line is None:
                return None
            lines.append(line)
        confined, pooled = self._each(), self._pooled()
        return None if confined is None or pooled is None else [*lines, *confined, *pooled]

    @property
    def ranges(self) -> whole_sums.Ranges:
        """The ranges of the sums of tp and tn of each kind."""
        return [side for part in self.parts for side in self._sides(part)]

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

    def mean_line(self, constraint: Constraint) -> Line | None:
        """Return a claim about a mean as a line; one that nothing fits if no part has a value, None if it is none."""
        metric, reported = constraint
        if not all(isinstance(part, EqualParts) for part in self.parts):
            return None
        factors: list[Fraction] = []
        constant, whole = Fraction(0), Fraction(0)
        for part in self.parts:
            assert isinstance(part, EqualParts)
            line = straight(metric, part.positives, part.negatives, self.report.convention)
            if line is None:
                return None
            if not line:
                if self.report.convention.strict:
                    return Line((Fraction(0),) * (2 * len(self.parts)), Fraction(1), None)
                factors += [Fraction(0), Fraction(0)]
                continue
            a, b, c = line
            if part.weight == 1:
                factors += [a, b]
                whole += part.count
                constant += part.count * c if c else 0
                continue
            factors += [part.weight * a, part.weight * b]
            constant += part.weight * part.count * c
            whole += part.weight * part.count
        if not whole:
            return Line((Fraction(0),) * (2 * len(self.parts)), Fraction(1), None)
        low, high = reported.low * whole - constant, reported.high * whole - constant
        return Line(tuple(factors), low, high, reported.low_open, reported.high_open)

    def _each(self) -> list[Line] | None:
        """Return bounds of every part's scores as lines; None where sums over alike parts do not follow them."""
        lines = []
        for metric, reported in self.report.each:
            for i, part in enumerate(self.parts):
                assert isinstance(part, EqualParts)
                line = straight(metric, part.positives, part.negatives, self.report.convention)
                if line is None:
                    return None
                if not line:
                    if self.report.convention.drop:
                        continue
                    return [Line((Fraction(0),) * (2 * len(self.parts)), Fraction(1), None)]
                a, b, c = line
                if part.count > 1 and a and b and a != b:
                    return None
                size = abs(a or b) if part.count > 1 else Fraction(1)
                factors = [Fraction(0)] * (2 * len(self.parts))
                factors[2 * i : 2 * i + 2] = [a / size, b / size] if size else [a, b]
                one = whole_sums.whole_line(
                    Line(tuple(factors), (reported.low - c) / (size or 1), (reported.high - c) / (size or 1),
                         reported.low_open, reported.high_open))  # fmt: skip
                if one is None:
                    return [Line((Fraction(0),) * (2 * len(self.parts)), Fraction(1), None)]
                low, high = (None if end is None else end * part.count for end in (one.low, one.high))
                lines.append(Line(one.factors, low, high))
        return lines

    def _pooled(self) -> list[Line] | None:
        lines = []
        positives = self.report.all_positives
        negatives = self.report.total - positives
        for metric, reported in self.report.pooled:
            form = metric.formula.affine_ratio
            if form is None or not metric.formula.flat or not is_defined((metric, reported), self.report.convention):
                return None
            for a, b, c in half_planes([(metric, reported)], positives, negatives):
                lines.append(Line((Fraction(a), Fraction(b)) * len(self.parts), Fraction(-c), None))
            _, (d, e, f) = form.at(positives, negatives)
            lines.append(Line((Fraction(d), Fraction(e)) * len(self.parts), Fraction(1 - f), None))
        return lines


def straight(
    metric: Metric, positives: int, negatives: int, convention: Convention
) -> tuple[Fraction, Fraction, Fraction] | tuple[()] | None:
    """Return a, b, c where a metric is ``a tp + b tn + c`` at all tables of a part, () if it is nowhere defined."""
    mean = average_of(metric)
    if mean is None:
        line = _straight_formula(metric.formula, positives, negatives)
        fill = metric.fill(convention, of_part=True)
        return (Fraction(0), Fraction(0), fill) if line == () and fill is not None else line
    total, whole = [Fraction(0)] * 3, 0
    for formula, size in zip(metric.components, (positives, negatives), strict=True):
        line = _straight_formula(formula, positives, negatives)
        if line == () and convention.fill is not None:
            line = Fraction(0), Fraction(0), convention.fill
        if line is None or (line == () and convention.strict):
            return line
        weight = size if mean.average == "weighted" else 1
        whole += weight if line else 0
        total = [t + weight * x for t, x in zip(total, line, strict=True)] if line else total
    return (total[0] / whole, total[1] / whole, total[2] / whole) if whole else ()


def _straight_formula(
    formula: Formula, positives: int, negatives: int
) -> tuple[Fraction, Fraction, Fraction] | tuple[()] | None:
    form = formula.affine_ratio
    if form is None:
        return None
    absent = ({"tp", "fn"} if not positives else set()) | ({"fp", "tn"} if not negatives else set())
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
