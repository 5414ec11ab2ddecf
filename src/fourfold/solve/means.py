"""Decide whether means of scores over parts, such as folds or images, can be what was reported.

A report leaves each part a set of tables and ties the parts by means, by deviations, or by the scores of the summed
table. `decide` gives one of three answers. *Possible* comes with a table for each part, checked from the definitions in
exact arithmetic. *Impossible* comes with a proof: whole numbers that no sum of counts meets, a direction along which
all sums stay short, or a look at all choices. Else it is *undecided*, and says what was tried.
Nothing here knows what the parts are called or how a report was written.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from typing import Final, Literal, TypeAlias

import numpy as np

from ..exact.reported import Reported
from ..metrics import Metric
from . import extremes, linear_means, table_means, whole_sums
from .dealing import dealt, drawn, joined
from .experiment import Decision, MeansReport, OpenParts, pooled
from .problem import Bounds
from .rows import Rows
from .undefined import values_in

# A mean and its deviation are looked at alone with a part of the effort, and so are linear scores.
_ALONE_EFFORT, _LINEAR_EFFORT = 0.1, 0.3
# So many ways to deal positives are drawn with the usual effort, and each is looked at with a part of it.
_MOST_DRAWN, _DRAWN_EFFORT = 100, 0.1
# Sums of tp for which the bounds of a score of the summed table are looked at.
_MOST_ROWS: Final = 2_000_000


def decide(report: MeansReport, *, effort: float = 1.0) -> Decision:
    """Decide whether a report is possible; `effort` is how much is tried before it is left undecided, 1 as usual.

    Examples
    --------
    >>> from fourfold.metrics import metric
    >>> from fourfold.solve.experiment import stratified_folds
    >>> folds = stratified_folds(100, 200, 10)
    >>> f1 = (metric("f1"), Reported.read("0.952"))
    >>> decide(MeansReport(folds, (f1, (metric("precision"), Reported.read("0.939"))))).verdict
    'possible'
    >>> decide(MeansReport(folds, (f1, (metric("accuracy"), Reported.read("1.000"))))).verdict
    'impossible'
    """
    decision = _decided(report.grouped(), effort)
    return replace(decision, witness=report.regrouped(decision.witness)) if decision.witness else decision


def _decided(report: MeansReport, effort: float) -> Decision:
    """Decide a report with equal parts put together."""
    positives, opened = report.all_positives, any(isinstance(part, OpenParts) for part in report.parts)
    known = report.known_positives
    if known > positives or (not opened and known != positives) or positives > report.total:
        return Decision("impossible", "the positives of the parts do not add up to those of all")
    decision = _as_known_parts(report, effort) if opened else linear_means.decided(report, effort)
    if decision is not None:
        return decision
    # What is said of scores that are linear in the cells, and the rest left out.
    means = tuple(claim for claim in report.means if linear_means.mean_line(report, claim) is not None)
    linear = replace(report, means=means, each=(), pooled=(), deviations=())
    start = linear_means.decided(linear, effort * _LINEAR_EFFORT) if means and linear != report else None
    if start is not None and start.verdict == "impossible":
        return Decision("impossible", "no whole sums of tp and tn over the parts give the means that are linear")
    for deviation in report.deviations:
        # A mean and its deviation may contradict each other alone.
        means = tuple(claim for claim in report.means if claim[0] == deviation.metric)
        alone = replace(report, means=means[:1], each=(), pooled=(), deviations=(deviation,))
        if means and alone != report:
            found = decide(alone, effort=effort * _ALONE_EFFORT)
            if found.verdict == "impossible":
                return found
    if opened and table_means.too_many(report):
        return Decision("undecided", "the parts have too many tables to look at any")
    return table_means.decided(report, effort, start.witness if start and start.witness else ())


def _as_known_parts(report: MeansReport, effort: float) -> Decision | None:
    """Decide parts of unknown make-up by all ways to deal their positives, where the scores are linear in each.

    Where they are not, some ways are drawn by chance: once it is known how many positives each part has, tables are
    found far sooner.
    """
    reports, complete = dealt(report)
    for known, counts in reports:
        decision = linear_means.decided(known.grouped(), effort)
        if decision is None:
            complete = False
            break
        if decision.witness is not None:
            return replace(decision, witness=joined(known.regrouped(decision.witness), counts))
    if complete:
        return Decision("impossible", "no way to deal the positives to the parts gives these means")
    if table_means.too_many(report):
        return None
    for known, counts in drawn(report, ceil(_MOST_DRAWN * effort)):
        decision = _decided(known.grouped(), _DRAWN_EFFORT)
        if decision.witness is not None:
            return replace(decision, witness=joined(known.regrouped(decision.witness), counts))
    return None


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


def bounds(report: MeansReport, metric: Metric, *, over: Over = "mean", effort: float = 1.0) -> Bounds | None:
    """Return what the mean of a metric over the parts, or its value at the summed table, can be while a report holds.

    None where the report is proven to be impossible. Where undefined scores may not occur, a metric that was not
    reported has a mean only if every part has a value. `effort` is how hard witnesses are looked for, 1 as usual.

    Examples
    --------
    >>> from fourfold.metrics import metric
    >>> from fourfold.solve.experiment import EqualParts
    >>> report = MeansReport((EqualParts(5, 5, count=2),), ((metric("recall"), Reported.read("0.8")),))
    >>> bounds(report, metric("accuracy"))[:2]
    (0.4, 0.9)
    """
    if over == "mean":
        report = _claiming(report, over, metric, _WIDE)
    decision = decide(report, effort=effort)
    if decision.verdict == "impossible":
        return None
    ends = (_pooled_ends if over == "pooled" else _mean_ends)(report.grouped(), metric)
    seen = _seen(report, decision, metric, over)
    if seen is None:
        return Bounds.proven(float(ends[0]), float(ends[1]))
    (low, inner_low), (high, inner_high) = (_closed_in(report, metric, over, end, seen, effort) for end in ends)
    return Bounds.proven(low, high, inner_low, inner_high)


def _claiming(report: MeansReport, over: Over, metric: Metric, reported: Reported) -> MeansReport:
    if over == "pooled":
        return replace(report, pooled=(*report.pooled, (metric, reported)))
    return replace(report, means=(*report.means, (metric, reported)))


def _seen(report: MeansReport, decision: Decision, metric: Metric, over: Over) -> Fraction | None:
    """Return the value that a witness attains, as near as floats are where it has roots; None where it has none."""
    if decision.witness is None:
        return None
    tables = [table for own in decision.witness for table in own]
    if over == "pooled":
        value = metric.value(pooled(tables).cells(), report.convention)
    else:
        value = report.mean(metric, tables, [part.weight for part in report.parts for _ in range(part.count)])
    return value if value is None or isinstance(value, Fraction) else Fraction(float(value))


def _closed_in(
    report: MeansReport, metric: Metric, over: Over, end: Fraction, best: Fraction, effort: float
) -> tuple[float, float]:
    """Bring a proven end and what a witness attains together, by deciding what lies between."""
    sign = 1 if end > best else -1
    near, missed = (end - best) * sign * _NEAR, 0
    for share in _SHARES:
        room = (end - best) * sign
        if room <= _ALIKE or missed > _MOST_MISSED or (missed and room <= near):
            break
        # From a little beyond the best value, or nearer to the end.
        start = best + sign * max(room * (1 - share), _ALIKE)
        between = Reported("", min(start, end), max(start, end))
        decision = decide(_claiming(report, over, metric, between), effort=_INNER_EFFORT * effort)
        value = _seen(report, decision, metric, over)
        if decision.verdict == "impossible":
            end = start
        elif value is not None:
            best = value
        else:
            missed += 1
    inner = float(best)
    # What a witness attains where both are alike.
    return inner if abs(end - Fraction(inner)) <= 2 * _ALIKE else float(end), inner


def _limits(metric: Metric) -> tuple[Fraction, Fraction]:
    return metric.limits.low, metric.limits.high if metric.limits.high is not None else _WIDE.high


def _mean_ends(report: MeansReport, metric: Metric) -> tuple[Fraction, Fraction]:
    """Return proven ends of a mean."""
    lines, line = linear_means.lines_of(report), linear_means.mean_line(report, (metric, _WIDE))
    if lines is None or line is None:
        return (None if table_means.too_many(report) else table_means.mean_ends(report, metric)) or _limits(metric)
    # The factors of the wide claim are those of the sum; its ends tell the constant and the weight of all parts.
    assert line.low is not None
    assert line.high is not None
    weight = Fraction(line.high - line.low) / (_WIDE.high - _WIDE.low)
    constant = _WIDE.high * weight - line.high
    low, high = whole_sums.ends(lines, linear_means.ranges_of(report), line.factors)
    return (low + constant) / weight, (high + constant) / weight


def _pooled_ends(report: MeansReport, metric: Metric) -> tuple[Fraction, Fraction]:
    """Return the ends of a metric over all summed tables whose tp, tn and their sum are in proven ranges."""
    positives = report.all_positives
    negatives = report.total - positives
    lines = linear_means.lines_of(report)
    if lines is not None:
        goals = [(a, b) * len(report.parts) for a, b in ((1, 0), (0, 1), (1, 1))]
        pairs = [whole_sums.ends(lines, linear_means.ranges_of(report), goal) for goal in goals]
        ends = [(ceil(least), floor(most)) for least, most in pairs]
    elif table_means.too_many(report):
        return _limits(metric)
    else:
        ends = table_means.pooled_ends(report)
    (first, last), (lowest, highest), (fewest, most) = ends
    first, last = max(first, 0), min(last, positives)
    if last - first > _MOST_ROWS:
        return _limits(metric)
    tp = np.arange(first, last + 1)
    low = np.maximum(np.maximum(lowest, fewest - tp), 0)
    high = np.minimum(np.minimum(highest, most - tp), negatives)
    rows = Rows.of(0 * tp + positives, 0 * tp + negatives, tp, low, high).kept(low <= high)
    values: list[Fraction] = []
    for part, value in values_in(rows, metric, report.convention):
        found = [value] * 2 if isinstance(value, Fraction) else extremes.extremes(part, [value])[0][:2]
        values += [Fraction(end) for end in found if end is not None]
    return (min(values) - _ALIKE, max(values) + _ALIKE) if values else _limits(metric)
