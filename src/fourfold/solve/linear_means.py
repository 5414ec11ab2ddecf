"""Means of scores that are linear in the cells of each part: sums of tp and of tn decide them in whole numbers.

Over m alike parts with p positives the sum of tp takes every value from 0 to m p, whatever the sum of tn. So a report
of accuracy, recall, balanced accuracy and the like is a problem in two whole numbers for each kind of part. Reports
have equal parts put together here.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from ..exact import Formula, zero_sets
from ..metrics import Convention, Metric
from ..table import Table
from .experiment import Decision, EqualParts, MeansReport, how_averaged, is_defined
from .region import Constraint, half_planes
from .whole_sums import Line, Ranges, solved, whole_line

#: What stands for a score in all tables of a part: ``a tp + b tn + c``, nothing where it is defined nowhere.
Straight: TypeAlias = tuple[Fraction, Fraction, Fraction] | tuple[()]


def decided(report: MeansReport, effort: float = 1.0) -> Decision | None:
    """Decide a report by whole sums of tp and tn; None where it is not of this kind, or they are not found."""
    lines = lines_of(report)
    numbers = None if lines is None else solved(lines, ranges_of(report), effort)
    if numbers is False:
        return Decision("impossible", "no whole sums of tp and tn over the parts give these means")
    if numbers is None:
        return None
    witness = []
    for place, part in enumerate(report.parts):
        assert isinstance(part, EqualParts)
        hits, rejected, own = numbers[2 * place], numbers[2 * place + 1], []
        for i in range(part.count):
            # As evenly as can be: no part differs by more than one in tp, tn or their sum.
            tp = hits // part.count + (i < hits % part.count)
            tn = rejected // part.count + (part.count - 1 - i < rejected % part.count)
            own.append(Table.of_counts(tp, part.positives - tp, part.negatives - tn, tn))
        witness.append(tuple(own))
    possible = Decision("possible", "whole sums of tp and tn over the parts were found", tuple(witness))
    return possible if report.holds(tuple(witness)) else None


def ranges_of(report: MeansReport) -> Ranges:
    """Return the ranges of the sums of tp and tn of each kind."""
    known = [part for part in report.parts if isinstance(part, EqualParts)]
    return [(0, size * part.count) for part in known for size in (part.positives, part.negatives)]


def mean_line(report: MeansReport, constraint: Constraint) -> Line | None:
    """Return a claim about a mean as a line; one that nothing fits if no part has a value, None if it is none."""
    metric, reported = constraint
    nothing = Line((0,) * (2 * len(report.parts)), 1, None)
    factors: list[Fraction | int] = []
    constant, whole = Fraction(0), Fraction(0)
    for part in report.parts:
        line = straight(metric, part, report.convention) if isinstance(part, EqualParts) else None
        if line is None:
            return None
        if not line and report.convention.strict:
            return nothing
        a, b, c = (part.weight * x for x in line) if line and part.weight != 1 else line or (0, 0, 0)
        factors += [a, b]
        constant += part.count * c
        whole += part.weight * part.count if line else 0
    low, high = reported.low * whole - constant, reported.high * whole - constant
    return Line(tuple(factors), low, high, reported.low_open, reported.high_open) if whole else nothing


def lines_of(report: MeansReport) -> list[Line] | None:
    """Return the report as lines through the sums of tp and tn of each kind; None where it is not of this kind."""
    known = [part for part in report.parts if isinstance(part, EqualParts)]
    lines = [line for constraint in report.means if (line := mean_line(report, constraint))]
    if report.deviations or len(known) < len(report.parts) or len(lines) < len(report.means):
        return None
    for metric, reported in report.each:
        for i, part in enumerate(known):
            own = straight(metric, part, report.convention)
            # Sums over alike parts need not follow what bounds both tp and tn.
            if own is None or (part.count > 1 and own and own[0] and own[1] and own[0] != own[1]):
                return None
            if not own and report.convention.drop:
                continue
            factors: list[Fraction | int] = [0] * (2 * len(known))
            one = None
            if own:
                factors[2 * i : 2 * i + 2] = own[:2]
                low, high = reported.low - own[2], reported.high - own[2]
                one = whole_line(Line(tuple(factors), low, high, reported.low_open, reported.high_open))
            # It has no ends only where it has no factors; nothing fits where there is no such line.
            ends = ((one.low or 0) * part.count, (one.high or 0) * part.count) if one else (1, None)
            lines.append(Line(one.factors if one else (0,) * len(factors), *ends))
    positives = report.all_positives
    negatives = report.total - positives
    for metric, reported in report.pooled:
        form = metric.formula.affine_ratio
        if form is None or not metric.formula.flat or not is_defined((metric, reported), report.convention):
            return None
        _, (d, e, f) = form.at(positives, negatives)
        for a, b, c in [*half_planes([(metric, reported)], positives, negatives), (d, e, f - 1)]:
            lines.append(Line((a, b) * len(known), -c, None))
    return lines


@lru_cache(maxsize=4096)
def straight(metric: Metric, part: EqualParts, convention: Convention) -> Straight | None:
    """Return a, b, c where a metric is ``a tp + b tn + c`` at all tables of a part, () if it is nowhere defined."""
    mean, convention = how_averaged(metric, convention)
    if mean is None:
        line = _straight_formula(metric.formula, part)
        fill = metric.fill(convention)
        return (Fraction(0), Fraction(0), fill) if line == () and fill is not None else line
    total, whole = [Fraction(0)] * 3, 0
    for formula, size in zip(metric.components, (part.positives, part.negatives), strict=True):
        line = _straight_formula(formula, part)
        if line == () and convention.fill is not None:
            line = Fraction(0), Fraction(0), convention.fill
        if line is None or (line == () and convention.strict):
            return line
        if line:
            weight = size if mean.average == "weighted" else 1
            whole += weight
            total = [t + weight * x for t, x in zip(total, line, strict=True)]
    return (total[0] / whole, total[1] / whole, total[2] / whole) if whole else ()


def _straight_formula(formula: Formula, part: EqualParts) -> Straight | None:
    form, positives, negatives = formula.affine_ratio, part.positives, part.negatives
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
    return None if d or e or not f else (Fraction(a, f), Fraction(b, f), Fraction(c, f))
