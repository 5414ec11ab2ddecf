"""Decide whether means of scores over parts, such as folds or images, can be what was reported.

A report leaves each part a set of tables and ties the parts by means, by deviations, or by the scores of the summed
table. `decide` gives one of three answers. *Possible* comes with a table for each part, checked from the definitions in
exact arithmetic. *Impossible* comes with a proof: whole numbers that no sum of counts meets, a direction along which
all sums stay short, branch by branch, or a look at all choices. Else it is *undecided*, and says what was tried.
Nothing here knows what the parts are called or how a report was written.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from ..metrics import Metric
from ..reported import Reported
from ..shape import finite
from . import extremes, table_means, whole_sums
from .dealing import Dealing
from .experiment import (
    Decision,
    Deviation,
    EqualParts,
    MeansReport,
    OpenParts,
    Question,
    Spread,
    Verdict,
    Witness,
    part_value,
    pooled,
    stratified_folds,
    stratified_ways,
)
from .linear_means import LinearMeans
from .region import defined
from .rows import Rows

__all__ = [
    "Decision",
    "Deviation",
    "EqualParts",
    "MeanBounds",
    "MeansReport",
    "OpenParts",
    "Spread",
    "Verdict",
    "Witness",
    "bounds",
    "decide",
    "part_value",
    "pooled",
    "stratified_folds",
    "stratified_ways",
]

# A mean and its deviation are looked at alone with a part of the effort.
_ALONE_EFFORT: Final = 0.1
# Sums of tp for which the bounds of a score of the summed table are looked at.
_MOST_ROWS: Final = 2_000_000


class MeanBounds(NamedTuple):
    """What a number can be while the report holds: proven outer ends, and inner ones that witnesses attain.

    The inner ends are None where no witness was found.
    """

    outer_low: Annotated[float, "It is proven to be no less; null where it has no value.", finite]
    outer_high: Annotated[float, "It is proven to be no more; null where it has no value, or no end.", finite]
    inner_low: Annotated[float | None, "The least that was found; null where none was.", finite]
    inner_high: Annotated[float | None, "The most that was found; null where none was.", finite]


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
    >>> f1 = (metric("f1"), Reported.read("0.952"))
    >>> decide(MeansReport(folds, (f1, (metric("precision"), Reported.read("0.939"))))).verdict
    'possible'
    >>> decide(MeansReport(folds, (f1, (metric("accuracy"), Reported.read("1.000"))))).verdict
    'impossible'
    """
    question = Question(report, effort)
    positives = report.all_positives
    known = [part.positives * part.count for part in question.parts if isinstance(part, EqualParts)]
    settled = len(known) == len(question.parts)
    if sum(known) > positives or (settled and sum(known) != positives) or positives > report.total:
        return Decision("impossible", "the positives of the parts do not add up to those of all")
    if (decision := LinearMeans(question).decided()) is not None:
        return decision
    if (decision := _as_known_parts(report, effort)) is not None:
        return decision
    linear = _linear_part(question)
    if linear.verdict == "impossible":
        return Decision("impossible", "no whole sums of tp and tn over the parts give the means that are linear")
    if (alone := _deviation_alone(report, effort)) is not None:
        return alone
    if linear.witness is not None:
        question.start = [[table.cells() for table in own] for own in linear.witness]
    if _tables(question) > table_means.MOST_TABLES and any(isinstance(part, OpenParts) for part in question.parts):
        return Decision("undecided", "the parts have too many tables to look at any")
    return table_means.decided(question)


def _as_known_parts(report: MeansReport, effort: float) -> Decision | None:
    """Decide parts of unknown make-up by all ways to deal their positives, where the scores are linear in each."""
    if all(isinstance(part, EqualParts) for part in report.parts):
        return None
    dealing = Dealing(report)
    open_ = False
    for known, counts in dealing.reports():
        decision = LinearMeans(Question(known, effort)).decided()
        if decision is None:
            return None
        if decision.witness is not None:
            return replace(decision, witness=Dealing.joined(decision.witness, counts))
        open_ |= decision.verdict == "undecided"
    if open_ or not dealing.complete:
        return None
    return Decision("impossible", "no way to deal the positives to the parts gives these means")


def _deviation_alone(report: MeansReport, effort: float) -> Decision | None:
    """Return the proof that a mean and its deviation contradict each other alone; None where none does."""
    for deviation in report.deviations:
        means = tuple(claim for claim in report.means if claim[0] == deviation.metric)
        alone = replace(report, means=means[:1], each=(), pooled=(), deviations=(deviation,))
        if means and alone != report:
            found = decide(alone, effort=effort * _ALONE_EFFORT)
            if found.verdict == "impossible":
                return found
    return None


def _linear_part(question: Question) -> Decision:
    """Decide what a report says of scores that are linear in the cells, and leave the rest out."""
    report, linear = question.report, LinearMeans(question)
    means = tuple(claim for claim in report.means if linear.mean_line(claim) is not None)
    parts = tuple(question.parts)
    if means == report.means and not (report.each or report.pooled or report.deviations):
        return Decision("undecided", "whole sums of tp and tn were looked for")
    part = Question(replace(report, parts=parts, means=means, each=(), pooled=(), deviations=()), question.effort)
    return (LinearMeans(part).decided() if means else None) or Decision("undecided", "none of the scores is linear")


def _tables(question: Question) -> int:
    return sum((p + 1) * (n + 1) for part in question.parts for p, n in part.margins())


#: Whether scores of parts are averaged, or the tables added up.
Over: TypeAlias = Literal["mean", "pooled"]
# Where witnesses are looked for, in shares of what is open, seen from the proven end; 1 is all of it.
_SHARES: Final = tuple(Fraction(share, 100) for share in (2, 20, 60, 100, 5, 50, 100))
# Once a search was in vain, no more follow where so small a share is open, or after so many.
_NEAR, _MOST_MISSED = Fraction(1, 20), 2
# Values as near as this count as one.
_ALIKE: Final = Fraction(1, 10**12)
_INNER_EFFORT: Final = 0.04
_WIDE: Final = Reported("", Fraction(-(10**9)), Fraction(10**9))


def bounds(report: MeansReport, metric: Metric, *, over: Over = "mean", effort: float = 1.0) -> MeanBounds | None:
    """Return what the mean of a metric over the parts, or its value at the summed table, can be while a report holds.

    Where undefined scores may not occur, a metric that was not reported has a mean only if every part has a value.

    Parameters
    ----------
    report
        The parts and what is said about them.
    metric
        Any metric, reported or not.
    over
        Its mean over the parts, or its value at the sum of all tables.
    effort
        How hard witnesses are looked for, 1 as usual.

    Returns
    -------
    MeanBounds | None
        None where the report is proven to be impossible.

    Examples
    --------
    >>> from fourfold.metrics import metric
    >>> report = MeansReport((EqualParts(5, 5, count=2),), ((metric("recall"), Reported.read("0.8")),))
    >>> bounds(report, metric("accuracy"))
    MeanBounds(outer_low=0.4, outer_high=0.9, inner_low=0.4, inner_high=0.9)
    """
    if over == "mean":
        report = replace(report, means=(*report.means, (metric, _WIDE)))
    decision = decide(report, effort=effort)
    if decision.verdict == "impossible":
        return None
    low, high = _outer(report, metric, over)
    seen = _seen(report, decision, metric, over)
    if seen is None:
        return MeanBounds(float(low), float(high), None, None)
    low, inner_low = _closed_in(report, metric, over, low, seen, effort)
    high, inner_high = _closed_in(report, metric, over, high, seen, effort)
    return MeanBounds(_end(low, inner_low), _end(high, inner_high), inner_low, inner_high)


def _end(outer: Fraction, inner: float) -> float:
    """Return a proven end as a float: what a witness attains where both are alike."""
    return inner if abs(outer - Fraction(inner)) <= 2 * _ALIKE else float(outer)


def _seen(report: MeansReport, decision: Decision, metric: Metric, over: Over) -> Any:
    """Return the exact value that a witness attains; None where it has none."""
    if decision.witness is None:
        return None
    tables = [table for own in decision.witness for table in own]
    if over == "pooled":
        # Nobody claims it: where it is undefined it has no value, whatever undefined scores count as in means.
        return metric.value(pooled(tables).cells())
    return report.mean(metric, tables, [part.weight for part in report.parts for _ in range(part.count)])


def _closed_in(
    report: MeansReport, metric: Metric, over: Over, end: Fraction, seen: Any, effort: float
) -> tuple[Fraction, float]:
    """Bring a proven end and what a witness attains together, by deciding what lies between."""
    best = Fraction(float(seen)) if not isinstance(seen, Fraction) else seen
    sign = 1 if end > best else -1
    near, missed = (end - best) * sign * _NEAR, 0
    for share in _SHARES:
        room = (end - best) * sign
        if room <= _ALIKE or missed > _MOST_MISSED or (missed and room <= near):
            break
        # From a little beyond the best value, or nearer to the end.
        start = best + sign * max(room * (1 - share), _ALIKE)
        claim = (metric, Reported("", min(start, end), max(start, end)))
        if over == "pooled":
            narrowed = replace(report, pooled=(*report.pooled, claim))
        else:
            narrowed = replace(report, means=(*report.means, claim))
        decision = decide(narrowed, effort=_INNER_EFFORT * effort)
        missed += decision.verdict == "undecided"
        if decision.verdict == "impossible":
            end = start
        elif decision.witness is not None:
            value = _seen(report, decision, metric, over)
            if value is None:
                missed += 1
            else:
                best = value if isinstance(value, Fraction) else Fraction(float(value))
    return end, float(best)


def _outer(report: MeansReport, metric: Metric, over: Over) -> tuple[Fraction, Fraction]:
    """Return proven ends."""
    question = Question(report, 1.0)
    linear = LinearMeans(question)
    if over == "pooled":
        return _pooled_ends(question, linear, metric)
    if (lines := linear.lines()) is not None and (line := linear.mean_line((metric, _WIDE))) is not None:
        # The factors of the wide claim are those of the sum; its ends tell the constant and the weight of all parts.
        assert line.low is not None
        assert line.high is not None
        weight = (line.high - line.low) / (_WIDE.high - _WIDE.low)
        constant = (_WIDE.high * weight) - line.high
        high = whole_sums.largest(lines, linear.ranges, line.factors)
        low = -whole_sums.largest(lines, linear.ranges, [-f for f in line.factors])
        return (low + constant) / weight, (high + constant) / weight
    ends = table_means.mean_ends(question, metric) if _tables(question) <= table_means.MOST_TABLES else None
    return _limits(metric) if ends is None else ends


def _limits(metric: Metric) -> tuple[Fraction, Fraction]:
    return metric.limits.low, metric.limits.high if metric.limits.high is not None else _WIDE.high


def _pooled_ends(question: Question, linear: LinearMeans, metric: Metric) -> tuple[Fraction, Fraction]:
    """Return the ends of a metric over all summed tables whose tp, tn and their sum are in proven ranges."""
    report = question.report
    positives = report.all_positives
    negatives = report.total - positives
    limits = _limits(metric)
    lines = linear.lines()
    if lines is not None:
        ends = []
        for a, b in ((1, 0), (0, 1), (1, 1)):
            goal = [Fraction(x) for _ in question.parts for x in (a, b)]
            least = -whole_sums.largest(lines, linear.ranges, [-x for x in goal])
            ends.append((ceil(least), floor(whole_sums.largest(lines, linear.ranges, goal))))
    elif _tables(question) <= table_means.MOST_TABLES:
        ends = table_means.pooled_ends(question)
    else:
        return limits
    (first, last), (lowest, highest), (fewest, most) = ends
    first, last = max(first, 0), min(last, positives)
    if last - first > _MOST_ROWS:
        return limits
    tp = np.arange(first, last + 1)
    low = np.maximum(np.maximum(lowest, fewest - tp), 0)
    high = np.minimum(np.minimum(highest, most - tp), negatives)
    rows = Rows.of(0 * tp + positives, 0 * tp + negatives, tp, low, high).kept(low <= high)
    found = extremes.bounds(defined(rows, metric.formula), [metric])[metric.id]
    if found.low is None or found.high is None:
        return limits
    room = Fraction(1, 10**12)
    return Fraction(found.low) - room, Fraction(found.high) + room
