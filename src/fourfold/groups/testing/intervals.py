"""Intervals: which values of a metric, or of a difference between groups, a group's cases leave open."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, Final, Literal, TypeAlias

import numpy as np

from ...chance.conditional import ConditionalLaw
from ...chance.draws import Source, generator
from ...chance.laws import Split, classes_of, tails
from ...chance.roots import root
from ...chance.share_intervals import clopper_pearson, wilson
from ...errors import InputError, Notes
from ...exact import CELLS
from ...metrics import Contrast, Metric, MetricId
from ...metrics import contrast as find_contrast
from ...metrics import metric as find_metric
from ...names import old_parameters
from ...shape import Level, Members, Result, columns, finite
from ...table import Matrix, Table
from .matching import as_table, check_choice, not_exact, undefined_score
from .measures import Measure, Subject, measure
from .rates import rates_of
from .shares import is_odds_ratio, share_of

IntervalMethod: TypeAlias = Literal["auto", "exact", "wilson", "bootstrap"]

# Up to this many cases the exact test is inverted; beyond it tables are drawn. Ratios of sums are faster.
_MOST_INVERTED: Final = 100
_MOST_INVERTED_OF_RATIOS: Final = 20_000
# Of this many draws 250 lie beyond each end of a 95 % interval.
_DRAWS: Final = 10_000
_SEED: Final = 20250
# How often a path is doubled before its end is taken to be open.
_DOUBLINGS: Final = 12

OfInterval: TypeAlias = Annotated[Level, "The level: how often such intervals contain the true value."]


@dataclass(frozen=True, kw_only=True)
class _WithEnds(Result):
    value: Annotated[float | None, "The value; null where it is undefined."]
    low: Annotated[float | None, "The lower end; null where there is none.", finite] = None
    high: Annotated[float | None, "The upper end; null where there is none.", finite] = None
    level: OfInterval
    method: Annotated[str, "How the interval was made; none where there is none."] = "none"
    notes: Notes = ()

    @property
    def unlimited(self) -> bool:
        """Whether an end has no limit; that end is null."""
        return any(end is not None and math.isinf(end) for end in (self.low, self.high))


@dataclass(frozen=True, kw_only=True)
class Interval(_WithEnds, schema="interval", source="`interval`"):
    """A metric's value and the interval around it.

    Examples
    --------
    >>> result = interval(Table(tp=5, fn=0, fp=2, tn=8), "recall")
    >>> result.value, round(result.low, 4), result.high, result.method
    (1.0, 0.4782, 1.0, 'Clopper-Pearson')
    """

    metric: MetricId

    def _members(self) -> Members:
        return (
            *columns(self.metric, self.value, self.low, self.high, self.level, self.method), self.unlimited, self.notes,
        )  # fmt: skip


@old_parameters(name="metric")
def interval(
    table: Table | Matrix | Mapping[str, object],
    metric: str | Metric,
    *,
    level: float = 0.95,
    method: IntervalMethod = "auto",
    rng: np.random.Generator | int | None = None,
) -> Interval:
    """Return an interval for a metric of the population that a table's cases were drawn from.

    A score that is undefined has no value, but often an interval: 0 of 0 cases leave every share open, and an odds
    ratio with an empty cell has an end at 0 or none at all.

    Parameters
    ----------
    table
        The group's counts; a matrix of several classes takes averages and ``recall[cat]`` too.
    metric
        A metric.
    level
        The level: how often such intervals contain the true value.
    method
        "auto" is Clopper-Pearson if the metric follows from a share, as F1 does from the share of tp among tp, fp and
        fn. The odds ratio has its exact conditional interval. If the metric follows from two rates, as informedness
        does, the intervals of both rates are combined. All others use the inverted exact test, along the path on
        which the metric changes fastest; beyond 100 cases, where that takes long, or if a class never occurs, a
        parametric bootstrap. The method "exact" is the same without the approximations; "wilson" is for shares,
        "bootstrap" for any metric. The result says which was used.
    rng
        For the bootstrap; a fixed seed when left out, so that the same table gets the same interval.
    """
    if isinstance(table, Matrix):
        check_level(level)
        return interval_of(measure(metric, table.labels), table, level)
    metric, table = find_metric(metric), as_table(table, "table")
    check_level(level)
    check_choice(method, IntervalMethod)
    exact = metric.formula.exact(table.cells())
    notes: Notes = () if exact is not None else (undefined_score(metric.label, metric.why_undefined(table)),)
    ends = _ends(metric, table, level, method, rng)
    if ends is None:
        return Interval(metric=metric.id, value=None, level=level, notes=notes)
    low, high, used = ends
    value = None
    if exact is not None:
        value = float(exact)
        low, high = min(low, value), max(high, value)
    notes += (not_exact(used),) if used in _APPROXIMATE else ()
    return Interval(metric=metric.id, value=value, low=low, high=high, level=level, method=used, notes=notes)


def interval_of(what: Measure, cases: Subject, level: float) -> Interval:
    """Return the interval of a measure of one group."""
    table = what.table(cases)
    if table is not None:
        return replace(interval(table, what.metric, level=level), metric=what.id)
    from scipy.special import ndtri

    score, why = what.score(cases)
    if score is None:
        return Interval(metric=what.id, value=None, level=level, notes=(undefined_score(what.label, why),))
    cells = np.array(what.cells(cases), dtype=np.float64)[:, None]
    reach = float(ndtri((1 + level) / 2)) * math.sqrt(what.variances(cells).item() / cells.sum())
    limits = what.limits
    low = max(score - reach, float(limits.low))
    high = score + reach if limits.high is None else min(score + reach, float(limits.high))
    ends = {"low": low, "high": high}
    return Interval(metric=what.id, value=score, level=level, method=_DELTA, notes=(not_exact(_DELTA),), **ends)


_INVERTED: Final = "inverted exact test, along one path"
_DELTA: Final = "delta method, half a case added to each cell"
_BOOTSTRAP: Final = f"parametric bootstrap, {_DRAWS} draws"
_TWO_RATES: Final = "recovered from two intervals (Clopper-Pearson)"
_APPROXIMATE: Final = frozenset({"Wilson", _BOOTSTRAP, _TWO_RATES})


def check_level(level: float) -> None:
    """Check that a level is one."""
    if not (isinstance(level, float | int) and 0 < level < 1):
        raise InputError("bad_option", "level", "must lie between 0 and 1", level, "0.95 is usual")


def _ends(
    metric: Metric, table: Table, level: float, method: IntervalMethod, rng: Any
) -> tuple[float, float, str] | None:
    """Return both ends and how they were found; None where the score is undefined and nothing more can be said."""
    share = share_of(metric)
    if method == "wilson" and share is None:
        hint = "leave the method out"
        raise InputError("bad_option", "method", f"takes only shares, not {metric.id}", method, hint)
    if share is not None and method != "bootstrap":
        # The interval of a metric that is decided by x of k cases: that of the share, as scores.
        by_wilson = method == "wilson"
        x, k = share.counted(table)
        ends = wilson(x, k, level) if by_wilson else clopper_pearson(x, k, level)
        return *share.scores(*ends), "Wilson" if by_wilson else "Clopper-Pearson"
    if is_odds_ratio(metric) and method != "bootstrap":
        return *ConditionalLaw.of_table(table).odds(table.tp, level), "exact conditional"
    rates = rates_of(metric)
    if rates is not None and method == "auto":
        first, second = (clopper_pearson(*counted, level) for counted in rates.counted(table))
        return *rates.between(table, (first, second)), _TWO_RATES
    if metric.formula.exact(table.cells()) is None:
        return None
    if method == "bootstrap":
        return _bootstrapped(metric, table, level, rng)
    if method == "exact" or _can_be_inverted(metric, table):
        return _inverted_test(metric, table, level)
    return _bootstrapped(metric, table, level, rng)


def _can_be_inverted(metric: Metric, table: Table) -> bool:
    """Tell whether a table is small enough, and has cases of each class: a path takes an unseen one for known."""
    if classes_of(metric.formula) is not None:
        return table.total <= _MOST_INVERTED_OF_RATIOS
    margins = table.positives, table.negatives, table.tp + table.fp, table.fn + table.tn
    return table.total <= _MOST_INVERTED and all(margins)


def _bootstrapped(metric: Metric, table: Table, level: float, rng: Any) -> tuple[float, float, str]:
    """Return the middle of the scores of tables drawn from the table's shares, after Jeffreys' prior.

    Without the prior a table with an empty cell would only draw itself. A draw without a score counts as beyond all
    limits where the metric has no upper one, and is left out elsewhere.
    """
    tp, fn, fp, tn = (Fraction(share) for share in _start(table).values())
    drawn = Source((tp, fn, fp, tn)).sample(table.total, _DRAWS, generator(_SEED if rng is None else rng))
    values = metric.formula.evaluate(drawn.cells())
    score = float(metric.formula.evaluate(table.cells()))
    missing = np.isnan(values)
    values = np.where(missing, np.inf, values) if metric.limits.high is None else values[~missing]
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail], method="nearest") if len(values) else (score, score)
    return min(float(low), score), max(float(high), score), _BOOTSTRAP


def _start(table: Table, nudge: float = 0.0) -> dict[str, float]:
    """Return a table's shares after Jeffreys' prior; a nudge moves them off a point where a metric is undefined."""
    counts = {name: count + 0.5 + nudge * i for i, (name, count) in enumerate(table.cells().items())}
    whole = math.fsum(counts.values())
    return {name: count / whole for name, count in counts.items()}


class _Path:
    """Shares that lead from a table's own to where a metric is lower and higher, as steeply as can be.

    The path starts at the table's shares after Jeffreys' prior and weights each cell by how much the metric gains from
    a case in it, so that no other path of shares changes the metric by less evidence.
    """

    def __init__(self, metric: Metric, table: Table) -> None:
        for nudge in (0.0, 1e-3, 1e-2):
            self.start = _start(table, nudge)
            with contextlib.suppress(ZeroDivisionError), np.errstate(all="ignore"):
                slopes = metric.formula.gradient(self.start)
                if all(map(math.isfinite, slopes.values())):
                    break
        mean = sum(self.start[name] * slope for name, slope in slopes.items())
        self._pull = {name: slopes.get(name, 0.0) - mean for name in CELLS}
        self.spread = math.sqrt(sum(self.start[name] * self._pull[name] ** 2 for name in CELLS))

    def shares(self, way: float) -> dict[str, float]:
        """Return the shares at a place of the path; below 0 the metric is lower."""
        largest = max(way * pull for pull in self._pull.values())
        weights = {name: self.start[name] * math.exp(way * self._pull[name] - largest) for name in CELLS}
        whole = math.fsum(weights.values())
        return {name: weight / whole for name, weight in weights.items()}


def _inverted_test(metric: Metric, table: Table, level: float) -> tuple[float, float, str]:
    """Return the values at which the exact one-sided tests would just reject, along the metric's steepest path."""
    from scipy import special

    value = metric.formula.exact(table.cells())
    assert value is not None, "the metric is defined"
    path, around, tail = _Path(metric, table), tails(metric, table.total, value), (1 - level) / 2
    score = float(value)
    if not path.spread:
        return score, score, _INVERTED
    step = float(special.ndtri(1 - tail)) / (path.spread * math.sqrt(table.total))
    step = step if step > 0 else 1 / (path.spread * math.sqrt(table.total))

    def beyond(way: float, *, lower: bool) -> float:
        """Return how far, on the normal scale, the chance of the value or beyond lies above the tail."""
        tp, fn, fp, tn = (Fraction(share) for share in path.shares(way).values())
        split = around(Source((tp, fn, fp, tn)))
        chance = _tail(split, metric, lower=lower)
        return float(special.ndtri(min(max(chance, 1e-300), 1 - 1e-16)) - special.ndtri(tail))

    ends = []
    for lower, limit in ((True, metric.limits.low), (False, metric.limits.high)):
        open_end = float(limit) if limit is not None else math.inf
        way, rejected = _crossing(partial(beyond, lower=lower), -step if lower else step)
        if way is None:
            ends.append(score if rejected else open_end)
        else:
            ends.append(float(metric.formula.evaluate(path.shares(way))))
    return min(ends[0], score), max(ends[1], score), _INVERTED


def _tail(split: Split, metric: Metric, *, lower: bool) -> float:
    """Return the chance of a value at least as high (or at most); where undefined, an unlimited metric is highest."""
    defined = math.fsum(split)
    if metric.limits.high is None:
        return 1.0 - split.below if lower else split.below + split.equal
    return ((split.above if lower else split.below) + split.equal) / defined if defined else 1.0


def _crossing(beyond: Callable[[float], float], step: float) -> tuple[float | None, bool]:
    """Return where along a path a test just rejects, if anywhere, and whether it rejects at the start already."""
    rejected = beyond(0.0) <= 0
    near, far = 0.0, -step if rejected else step
    for _ in range(_DOUBLINGS):
        there = beyond(far)
        if (there <= 0) != rejected:
            return root(beyond, near, far, xtol=abs(step) * 1e-6, rtol=1e-8), rejected
        near, far = far, 2 * far
    return None, rejected


@dataclass(frozen=True, kw_only=True)
class ContrastInterval(_WithEnds, schema="contrast", source="`match` with a measure of two groups"):
    """A difference or ratio between a group and a reference, with its interval.

    Examples
    --------
    >>> group, reference = Table(tp=5, fn=5, fp=2, tn=8), Table(tp=60, fn=40, fp=80, tn=320)
    >>> result = contrast_interval(group, reference, "recall_difference")
    >>> round(result.value, 4), round(result.low, 4), round(result.high, 4)
    (-0.1, -0.4275, 0.2294)
    """

    contrast: Annotated[str, "The id of the measure."]
    label: str

    def _members(self) -> Members:
        return (
            *columns(self.contrast, self.value, self.low, self.high, self.level, self.method), self.unlimited,
            self.notes,
        )  # fmt: skip


@old_parameters(name="metric")
def contrast_interval(
    group: Table | Mapping[str, object],
    reference: Table | Mapping[str, object],
    metric: str | Contrast,
    *,
    level: float = 0.95,
) -> ContrastInterval:
    """Return a measure of two groups with an interval put together from the groups' own intervals.

    Parameters
    ----------
    group, reference
        Tables of two groups that share no case.
    metric
        A contrast: ``<metric>_difference``, ``<metric>_ratio``, or one of `CONTRASTS`.
    level
        The level: roughly how often such intervals contain the true value.
    """
    contrast = find_contrast(metric)
    group, reference = as_table(group, "group"), as_table(reference, "reference")
    check_level(level)
    exact = contrast.value(group, reference)
    if exact is None:
        note = undefined_score(contrast.label, contrast.why_undefined(group, reference))
        return ContrastInterval(contrast=contrast.id, label=contrast.label, value=None, level=level, notes=(note,))
    # All parts hold together as often as the level says if each of them, from cases of its own, holds this often.
    level_of_one = level ** (1 / len(contrast.bases))
    pairs = [
        (interval(group, base, level=level_of_one), interval(reference, base, level=level_of_one))
        for base in contrast.bases
    ]
    join = _difference if contrast.how == "difference" else _ratio
    low, high = contrast.together([join(first, second) for first, second in pairs])
    methods = dict.fromkeys(part.method for pair in pairs for part in pair)
    used = f"recovered from two intervals ({', '.join(methods)})"
    about: dict[str, Any] = {"contrast": contrast.id, "label": contrast.label, "level": level, "method": used}
    return ContrastInterval(value=float(exact), low=low, high=high, notes=(not_exact(used),), **about)


def _difference(first: Interval, second: Interval) -> tuple[float, float]:
    """Put a difference's interval together from both parts' (Newcombe; Donner and Zou)."""
    x, low_x, high_x = _three(first)
    y, low_y, high_y = _three(second)
    return x - y - math.hypot(x - low_x, high_y - y), x - y + math.hypot(high_x - x, y - low_y)


def _ratio(first: Interval, second: Interval) -> tuple[float, float]:
    """Put a ratio's interval together from both parts' (Donner and Zou), open above where the divisor reaches zero."""
    return ratio_between(_three(first), _three(second))


def ratio_between(first: tuple[float, float, float], second: tuple[float, float, float]) -> tuple[float, float]:
    """Return the ends of a ratio, each part given by its value and its own ends (Donner and Zou)."""
    x, low_x, high_x = first
    y, low_y, high_y = second
    if low_x < 0 or low_y < 0:
        return _signed_ratio((low_x, high_x), (low_y, high_y))
    if not y:
        return 0.0, math.inf
    low, high = _ratio_end(x, y, low_x, high_y, -1), _ratio_end(x, y, high_x, low_y, 1)
    return min(max(low, 0.0), x / y), max(high, x / y)


def _signed_ratio(top: tuple[float, float], bottom: tuple[float, float]) -> tuple[float, float]:
    """Return all ratios of values that may be negative; without limits where the divisor may be zero."""
    if bottom[0] <= 0 <= bottom[1]:
        return -math.inf, math.inf
    ends = [a / b for a in top for b in bottom]
    return min(ends), max(ends)


def _ratio_end(x: float, y: float, end_x: float, end_y: float, sign: int) -> float:
    if not math.isfinite(end_x) or not math.isfinite(end_y):
        return 0.0 if sign < 0 else math.inf
    bottom = end_y * (2 * y - end_y)
    if sign > 0 and bottom <= 0:
        return math.inf
    if not bottom:
        return end_x * (2 * x - end_x) / (2 * x * y) if x * y else 0.0
    inner = (x * y) ** 2 - end_x * (2 * x - end_x) * bottom
    return (x * y + sign * math.sqrt(max(inner, 0.0))) / bottom


def _three(interval: Interval) -> tuple[float, float, float]:
    value, low, high = interval.value, interval.low, interval.high
    assert value is not None, "the metric is defined"
    assert low is not None, "so it has an interval"
    assert high is not None, "with two ends"
    return value, low, high
