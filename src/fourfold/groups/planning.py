"""How many cases would tell: the power of exact tests and the width of exact intervals, size by size.

Counts are whole numbers, so that both are jagged: one more case may mean less power. A plan names the smallest size
from which the target is kept, not the first that reaches it, and the sizes beside it that are worse.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from ..errors import InputError, Note, Notes
from ..formula import CELLS
from ..metrics import PREVALENCE, Metric, MetricId
from ..metrics import metric as find_metric
from ..shape import Amount, Chance, Count, Level, Result
from ..space.draws import Floats, Source, binomial, generator, windows
from ..space.laws import law
from ..space.power import binomial_power, conditional_power
from ..space.rows import Ints
from ..table import Table, whole
from .intervals import check_level
from .matching import not_exact
from .shares import Share, share_of

Progress: TypeAlias = Callable[[float], None]
Goal: TypeAlias = Literal["power", "width"]
Population: TypeAlias = float | Table | Mapping[str, object]

# Larger sizes than this are not tried where nothing is said.
_MOST_CASES: Final = 1_000_000
# Numbers of cases that count have less than this chance outside of what is looked at.
_LEAST_CHANCE: Final = 1e-12
# Up to this size every smaller one is looked at; beyond it only those around the answer.
_ALL_UP_TO: Final = 1500
_LEAST_AROUND, _MOST_AROUND, _AROUND = 60, 600, 4.0
# The outline: sizes grow by this factor, so many at a time.
_GROWTH, _BATCH = 1.1, 8
# Worse sizes are told up to this share beyond the answer.
_BESIDE: Final = 0.1
# Laws of up to this many cases are exact; beyond, so many tables are drawn.
_EXACT_LAWS_UP_TO: Final = 120
_DRAWS: Final = 40_000
_SEED: Final = 20250
_LAW_GROWTH, _MOST_LAWS = 1.2, 24
_NEAR: Final = 1e-9
_HALVINGS: Final = 14


class Size(NamedTuple):
    """A size with what it brings."""

    cases: Annotated[Count, "So many cases in the group."]
    value: Annotated[float, "The power, or the mean width of the interval."]


@dataclass(frozen=True, kw_only=True)
class Plan(
    Result,
    schema="plan",
    source="`plan`",
    columns="metric goal target group reference level tests cases value first expected counted among reference_cases "
    "reference_count reference_known narrow detectable_low detectable_high checked_from checked_to method notes",
    members="worse curve",
):
    """How many cases of a group would tell, and what sizes beside that would bring.

    Examples
    --------
    >>> result = plan("accuracy", group=0.6, reference=0.8)
    >>> result.cases, result.first, [size.cases for size in result.worse]
    (90, 90, [])
    >>> result = plan("accuracy", group=0.6, reference=0.8, reference_known=True)
    >>> result.cases, result.first, [size.cases for size in result.worse]
    (44, 41, [42, 43, 46])
    """

    metric: MetricId
    label: str
    goal: Annotated[Goal, "What is wanted: power of a test, or a width of an interval."]
    target: Annotated[Amount, "How much of it: the least power, or the largest mean width."]
    group: Annotated[float, "The group's true score that is planned for."]
    reference: Annotated[float | None, "The reference's true score; null for a width."] = None
    level: Annotated[Level, "Of the interval; a test uses 1 minus this."]
    tests: Annotated[Count, "How many tests share the level, as in Bonferroni's and Holm's worst case."] = 1
    cases: Annotated[Count | None, "The smallest size that keeps the target, or the one asked about; null for none."]
    asked: bool = False
    value: Annotated[float | None, "The power, or the mean width of the interval, at that size."] = None
    first: Annotated[Count | None, "The first size that reaches the target; it may be lost again."] = None
    worse: Annotated[tuple[Size, ...], "Sizes above the first one, up to a tenth beyond the chosen, that bring less."] = ()
    counted: Annotated[str, "Which cases the metric is about."] = "cases"
    among: Annotated[Chance | None, "Their share of all cases; null where sizes count only them."] = None
    reference_cases: Annotated[Count | None, "The cases of the reference; null for as many as the group."] = None
    reference_count: Annotated[Count | None, "How many of those the metric is about, rounded."] = None
    reference_known: Annotated[bool, "Whether the reference's score was taken as known."] = False
    narrow: Annotated[Chance | None, "For a width: the chance of an interval at most as wide."] = None
    detectable_low: Annotated[float | None, "At a size asked about: the score below, found with the power."] = None
    detectable_high: Annotated[float | None, "At a size asked about: the score above, found with the power."] = None
    checked_from: Annotated[Count | None, "The first size looked at for the answer."] = None
    checked_to: Annotated[Count | None, "The last one."] = None
    method: Annotated[str, "Which test or interval, and how its chances were computed."]
    curve: Annotated[tuple[Size, ...], "What every size looked at brings."] = ()
    notes: Notes = ()

    @property
    def expected(self) -> Amount | None:
        """How many of the group's cases the metric is about, on average."""
        return None if self.cases is None else self.cases * (1.0 if self.among is None else self.among)

    @property
    def alpha(self) -> float:
        """The p-value up to which the test rejects."""
        return (1 - self.level) / max(self.tests, 1)

    def _rows(self) -> list[dict[str, Any]]:
        """Return the curve: a record for each size."""
        name = "power" if self.goal == "power" else "mean_width"
        return [{"cases": size.cases, name: size.value} for size in self.curve]


def plan(
    metric: str | Metric,
    *,
    group: Population,
    reference: Population | None = None,
    prevalence: float | None = None,
    among: float | None = None,
    power: float = 0.8,
    width: float | None = None,
    level: float = 0.95,
    tests: int = 1,
    reference_cases: int | None = None,
    reference_known: bool = False,
    cases: int | None = None,
    most: int = _MOST_CASES,
    seed: int = _SEED,
    progress: Progress | None = None,
) -> Plan:
    """Tell how many cases of a group would show that its score differs from a reference's, or pin it down.

    Parameters
    ----------
    metric
        A metric by any of its names. Ratios of counts, F1 and Jaccard are planned exactly; others need tables.
    group, reference
        The true scores to tell apart, or tables of counts or shares of the four cells. Without a reference, a `width`
        is planned for.
    prevalence, among
        The share of actual positives, where the metric's denominator follows from it; else the share of cases that the
        metric is about, such as the predicted positives for precision. With neither, sizes count only such cases.
    power
        The least chance to find the difference.
    width
        Instead of power: the largest mean width of the interval.
    level, tests
        The test rejects where its p-value is at most (1 - level) / tests.
    reference_cases, reference_known
        The size of the reference (as many as the group where left out), or that its score is known.
    cases
        Instead of looking for a size: what this one brings, and the nearest scores that it would tell apart.
    most
        The largest size to try.
    seed
        Where random numbers start, for metrics whose laws are drawn.
    progress
        Told how far it is, from 0 to 1.

    Examples
    --------
    >>> result = plan("recall", group=0.60, reference=0.80, prevalence=0.3)
    >>> result.cases, round(result.value, 4), round(result.expected)
    (302, 0.801, 91)
    >>> result = plan("recall", group=0.8, width=0.1, prevalence=0.3)
    >>> result.cases, round(result.value, 6)
    (876, 0.099993)
    """
    chosen = find_metric(metric)
    _check(power=power, width=width, level=level, tests=tests, reference=reference)
    wanted = _Wanted(chosen, power, width, level, whole(tests, "tests"), whole(most, "most"), progress)
    own = _Side.of(chosen, group, "group")
    other = None if reference is None else _Side.of(chosen, reference, "reference")
    share = share_of(chosen)
    if share is None:
        return _by_laws(wanted, own, other, (prevalence, among, reference_cases, width), cases, seed)
    own_among = _among(chosen, share, own, prevalence, among)
    reference_size = None if reference_cases is None else whole(reference_cases, "reference_cases")
    if width is not None:
        found = _Widths(wanted, share, own.share(share))
    elif other is not None:
        if own.share(share) == other.share(share):
            hint = "give the smallest difference that would matter"
            raise InputError("bad_option", "reference", "is the same as the group's score", other.score, hint)
        found = _Powers(wanted, share, own.share(share), other.share(share), own_among)
        found.set_reference(reference_size, other.among(share), known=reference_known)
    return found.planned(own_among, cases)


def _check(*, power: float, width: float | None, level: float, tests: int, reference: object) -> None:
    check_level(level)
    for name, value in (("power", power), ("width", width)):
        if value is not None and not (isinstance(value, float | int) and 0 < value < 1):
            raise InputError("bad_option", name, "must lie between 0 and 1", value, "0.8 is usual for a power")
    if width is None and reference is None:
        hint = "give the score to tell it from, or a width"
        raise InputError("usage", "reference", "must be said", None, hint)
    if width is not None and reference is not None:
        raise InputError("usage", "width", "does not go with a reference", width, "leave one of them out")
    if tests == 0:
        raise InputError("bad_option", "tests", "must be at least 1", tests, "count all tests that are corrected for")


class _Wanted(NamedTuple):
    """What is asked for."""

    metric: Metric
    power: float
    width: float | None
    level: float
    tests: int
    most: int
    progress: Progress | None

    @property
    def alpha(self) -> float:
        return (1 - self.level) / self.tests

    def told(self, start: float, end: float) -> Progress | None:
        """Return who is told how far a part is that goes from one share of the work to another."""
        progress = self.progress
        return None if progress is None else lambda share: progress(start + (end - start) * share)


class _Side(NamedTuple):
    """A score as it was given: a number, or the shares of the four cells."""

    score: float
    weights: tuple[Fraction, ...] | None

    @classmethod
    def of(cls, metric: Metric, given: Population, argument: str) -> _Side:
        if isinstance(given, Table | Mapping):
            weights = _weights(given.cells() if isinstance(given, Table) else given, argument)
            value = metric.formula.exact(dict(zip(CELLS, weights, strict=True)))
            if value is None:
                hint = "give cells for which it is defined"
                raise InputError("bad_option", argument, f"leaves {metric.label} undefined", dict(given), hint)
            return cls(float(value), weights)
        if isinstance(given, bool) or not isinstance(given, float | int):
            hint = "give a score, or tp, fn, fp and tn by name"
            raise InputError("bad_number", argument, "must be a score or a table", given, hint)
        low, high = metric.limits.low, metric.limits.high
        if not (low <= given and (high is None or given <= high)):
            hint = f"{metric.label} lies between {low} and {'infinity' if high is None else high}"
            raise InputError("out_of_range", argument, "is no such score", given, hint)
        return cls(float(given), None)

    def share(self, share: Share) -> float:
        """Return the share of cases that count, which decides the score."""
        if self.weights is None:
            return min(max(share.share(self.score), 0.0), 1.0)
        return Source(self.weights).share(share.classes.first, share.classes.both)

    def among(self, share: Share) -> float | None:
        """Return the share of all cases that the metric is about, where cells are given."""
        return None if self.weights is None else float(Source(self.weights).weight(share.classes.both))


def _weights(cells: Mapping[str, object], argument: str) -> tuple[Fraction, ...]:
    """Return the shares of four cells, given as counts or shares."""
    if set(cells) != set(CELLS):
        hint = "give tp, fn, fp and tn by name"
        raise InputError("bad_shape", argument, "must have four cells", sorted(map(str, cells)), hint)
    try:
        counts = [Fraction(str(cells[name])) for name in CELLS]
    except (ValueError, ZeroDivisionError):
        counts = [Fraction(-1)]
    if min(counts) < 0 or not sum(counts):
        raise InputError("bad_number", argument, "must be counts or shares, 0 or more", dict(cells), "count cases")
    return tuple(count / sum(counts) for count in counts)


def _among(
    metric: Metric, share: Share, own: _Side, prevalence: float | None, among: float | None
) -> float | None:
    """Return the share of cases that a metric is about: as given, as it follows, or None."""
    for name, value in ((PREVALENCE.id, prevalence), ("among", among)):
        if value is not None and not (isinstance(value, float | int) and 0 < value <= 1):
            raise InputError("bad_option", name, "must be a share above 0, at most 1", value, "give a share such as 0.3")
    if prevalence is not None and among is not None:
        raise InputError("ambiguous", "among", f"does not go with {PREVALENCE.id}", among, "give one of them")
    cells = share.classes.both
    if cells == set(CELLS):
        return 1.0
    if among is not None or own.weights is not None:
        return float(among) if among is not None else own.among(share)
    if prevalence is None:
        return None
    of_positives = share_of(PREVALENCE)
    assert of_positives is not None, "it is a share"
    if cells == of_positives.classes.first:
        return float(prevalence)
    if cells == of_positives.classes.second:
        if prevalence == 1:
            raise InputError("bad_option", PREVALENCE.id, "leaves no such cases", prevalence, "give a share below 1")
        return 1 - float(prevalence)
    hint = f"give the share of {_counted(share)} with among instead"
    raise InputError("bad_option", PREVALENCE.id, f"does not tell how many cases {metric.label} is about", prevalence, hint)


def _counted(share: Share) -> str:
    """Return which cases a metric is about, in words."""
    cells = share.classes.both
    names = {
        frozenset(CELLS): "cases",
        frozenset(CELLS[:2]): "actual positives",
        frozenset(CELLS[2:]): "actual negatives",
        frozenset(CELLS[::2]): "predicted positives",
        frozenset(CELLS[1::2]): "predicted negatives",
    }
    return names.get(cells) or f"cases in {' + '.join(name for name in CELLS if name in cells)}"


class _Curve(ABC):
    """What sizes bring: computed for numbers of cases that count, then averaged over how many of a size count."""

    goal: Goal
    method: str

    def __init__(self, wanted: _Wanted, share: Share) -> None:
        self.wanted, self.of_metric = wanted, share
        self._known: dict[int, float] = {}

    @abstractmethod
    def of_counts(self, k: Ints, progress: Progress | None) -> Floats:
        """Return what some numbers of cases that count bring."""

    @property
    @abstractmethod
    def target(self) -> float:
        """What is wanted."""

    @abstractmethod
    def result(self, made: Plan, among: float | None) -> Plan:
        """Put in what only this kind of plan has."""

    def reached(self, values: Floats) -> Any:
        """Tell which values are as wanted."""
        return values >= self.target

    def less(self, value: float, than: float) -> bool:
        """Tell whether a value is worse than another."""
        return value < than - _LEAST_CHANCE

    def _counts(self, k: Ints, progress: Progress | None = None) -> Floats:
        new = np.array([number for number in np.unique(k).tolist() if number not in self._known], dtype=np.int64)
        if len(new):
            self._known.update(zip(new.tolist(), self.of_counts(new, progress).tolist(), strict=True))
        return np.array([self._known[number] for number in k.tolist()])

    def at(self, sizes: Ints, among: float | None, progress: Progress | None = None) -> Floats:
        """Return what sizes bring, exactly."""
        if among is None or among == 1:
            return self._counts(sizes, progress)
        low, high = windows(sizes, among, _LEAST_CHANCE)
        self._counts(np.arange(low.min(), high.max() + 1), progress)
        means = np.empty(len(sizes))
        for i, (size, first, last) in enumerate(zip(sizes.tolist(), low.tolist(), high.tolist(), strict=True)):
            k = np.arange(first, last + 1)
            chances = binomial(k, np.full(len(k), size), among)
            means[i] = chances @ self._counts(k)
        return means

    def outline(self, sizes: Ints, among: float | None) -> Floats:
        """Return about what sizes bring: as if exactly the expected number of cases counted."""
        return self._counts(np.rint(sizes * (among or 1.0)).astype(np.int64))

    def planned(self, among: float | None, cases: int | None) -> Plan:
        """Return the plan: the size looked for, or what a given one brings."""
        wanted = self.wanted
        made = Plan(
            metric=wanted.metric.id, label=wanted.metric.label, goal=self.goal, target=self.target, group=0.0,
            level=wanted.level, tests=wanted.tests, cases=cases, asked=cases is not None, method=self.method,
            counted=_counted(self.of_metric), among=among,
        )  # fmt: skip
        if cases is not None:
            sizes = _beside(whole(cases, "cases"))
        else:
            around = self._around(among)
            if around is None:
                about = float(self.outline(np.array([wanted.most]), among)[0])
                return self.result(replace(made, notes=(_not_found(self, about),)), among)
            sizes = self._settled(*around, among)
        values = self.at(sizes, among, wanted.told(0.3, 1.0))
        return self.result(_read_off(made, self, sizes, values), among)

    def _around(self, among: float | None) -> tuple[int, int] | None:
        """Return the sizes between which the answer lies, by an outline; None where no size is as wanted."""
        below, size = 0, 1.0
        while below < self.wanted.most:
            sizes: list[int] = []
            while len(sizes) < _BATCH and (not sizes or sizes[-1] < self.wanted.most):
                sizes.append(min(self.wanted.most, math.ceil(size)))
                size = max(size * _GROWTH, size + 1)
            good = self.reached(self.outline(np.array(sizes), among))
            if good[-1]:
                last = int(np.flatnonzero(~good)[-1]) if not good.all() else -1
                below = sizes[last] if last >= 0 else below
                return self._halved(below, sizes[last + 1], among)
            below = sizes[-1]
            if self.wanted.progress:
                self.wanted.progress(0.3 * math.log(below + 1) / math.log(self.wanted.most + 1))
        return None

    def _halved(self, low: int, high: int, among: float | None) -> tuple[int, int]:
        """Narrow down where the outline reaches the target, and return the sizes around that."""
        while high - low > 1:
            middle = (low + high) // 2
            if self.reached(self.outline(np.array([middle]), among))[0]:
                high = middle
            else:
                low = middle
        around = min(max(_LEAST_AROUND, int(_AROUND * math.sqrt(high))), _MOST_AROUND)
        last = min(high + around, max(self.wanted.most, high))
        return (1 if last <= _ALL_UP_TO else high - around), last

    def _settled(self, first: int, last: int, among: float | None) -> Ints:
        """Return the sizes to look at: around the outline's answer, moved until they hold the answer itself."""
        while True:
            ends = self.reached(self.at(np.array([first, last]), among))
            length = last - first
            if first > 1 and ends[0]:
                first = max(1, first - length)
            elif not ends[1] and last < self.wanted.most:
                last = min(self.wanted.most, last + length)
            else:
                return np.arange(first, last + 1)


def _beside(cases: int) -> Ints:
    """Return a size asked about, and those up to a tenth around it."""
    if not cases:
        raise InputError("bad_option", "cases", "must be at least 1", cases, "give a number of cases")
    reach = min(max(10, int(_BESIDE * cases)), 200)
    return np.arange(max(1, cases - reach), cases + reach + 1)


def _read_off(made: Plan, curve: _Curve | _Laws, sizes: Ints, values: Floats) -> Plan:
    """Fill in the size that keeps the target, the first that reaches it, and those that are worse."""
    points = tuple(Size(*pair) for pair in zip(sizes.tolist(), values.tolist(), strict=True))
    made = replace(made, curve=points)
    good = curve.reached(values)
    if made.asked:
        place = int(np.flatnonzero(sizes == made.cases)[0])
        start = place
    else:
        bad = np.flatnonzero(~good)
        place = int(bad[-1]) + 1 if len(bad) else 0
        if place >= len(points):
            return replace(made, notes=(*made.notes, _not_found(curve, points[-1].value)))
        start = int(np.flatnonzero(good)[0])
    cases, value = points[place]
    beyond = cases + max(2, int(_BESIDE * cases))
    than = points[start].value
    worse = tuple(size for size in points[start + 1 :] if size.cases <= beyond and curve.less(size.value, than))
    ends = {"checked_from": points[0].cases, "checked_to": points[-1].cases}
    first = None if made.asked else points[start].cases
    return replace(made, cases=cases, value=value, first=first, worse=worse, **ends)


def _not_found(curve: _Curve | _Laws, value: float) -> Note:
    most, what = curve.wanted.most, "power" if curve.wanted.width is None else "mean width"
    words = f"no size up to {most} keeps the target; there the {what} is about {value:.4f}"
    return Note("size_not_found", words, {"most": most, "value": value})


class _Powers(_Curve):
    """The power of the exact conditional test beside a reference, or of the binomial test beside a known score."""

    goal: Goal = "power"

    def __init__(self, wanted: _Wanted, share: Share, own: float, other: float, among: float | None) -> None:
        super().__init__(wanted, share)
        self.own, self.other, self.among = own, other, among
        self.method = "exact conditional test, smaller tail doubled"
        self.cases: int | None = None
        self.count: int | None = None
        self.known = False

    def set_reference(self, cases: int | None, among: float | None, *, known: bool) -> None:
        """Say how many cases the reference has, or that it is known."""
        if known and cases is not None:
            hint = "leave one of them out"
            raise InputError("usage", "reference_cases", "does not go with a reference that is known", cases, hint)
        self.known, self.cases = known, cases
        if known:
            self.method = "exact binomial test, smaller tail doubled"
        if cases is not None:
            # Of the reference's own cells where they are given; sizes without a share count such cases only.
            part = 1.0 if self.among is None else self.among if among is None else among
            self.count = round(cases * part)

    @property
    def target(self) -> float:
        return self.wanted.power

    def of_counts(self, k: Ints, progress: Progress | None) -> Floats:
        return self._power(k, self.own, progress)

    def _power(self, k: Ints, own: float, progress: Progress | None = None) -> Floats:
        if self.known:
            return binomial_power(k, own, self.other, self.wanted.alpha)
        others = k if self.count is None else np.full(len(k), self.count)
        return conditional_power(k, others, own, self.other, self.wanted.alpha, progress)

    def result(self, made: Plan, among: float | None) -> Plan:
        score = self.of_metric.score
        notes = [*made.notes, *self._assumed(made)]
        if made.asked and made.cases is not None:
            ends = [self._detectable(made.cases, among, end) for end in (0.0, 1.0)]
            scores = [None if end is None else score(end) for end in ends]
            low, high = scores if self.of_metric.rising else scores[::-1]
            made = replace(made, detectable_low=low, detectable_high=high)
        return replace(
            made, group=score(self.own), reference=score(self.other), reference_cases=self.cases,
            reference_count=self.count, reference_known=self.known, notes=tuple(notes),
        )  # fmt: skip

    def _assumed(self, made: Plan) -> list[Note]:
        if self.known:
            return [Note("plan_assumption", "the reference's score is taken as known", {"reference_known": True})]
        if self.cases is None:
            words = f"the reference is taken to have as many {made.counted} as the group"
            return [Note("plan_assumption", words, {"equal": True})]
        if self.count == self.cases:
            return []
        words = f"of the reference's {self.cases} cases {self.count} are taken to be {made.counted}, as expected"
        return [Note("plan_assumption", words, {"reference_count": self.count})]

    def _detectable(self, cases: int, among: float | None, end: float) -> float | None:
        """Return the share nearest to the reference's, on one side, that a size finds with the power."""

        def found(own: float) -> bool:
            curve = _Powers(self.wanted, self.of_metric, own, self.other, self.among)
            curve.known, curve.count = self.known, self.count
            return bool(curve.at(np.array([cases]), among)[0] >= self.target)

        near, far = self.other, end
        if near == far or not found(far):
            return None
        for _ in range(_HALVINGS):
            middle = (near + far) / 2
            near, far = (near, middle) if found(middle) else (middle, far)
        return far


class _Widths(_Curve):
    """The mean width of the Clopper-Pearson interval, the score's own chance counted in."""

    goal: Goal = "width"
    method = "mean width of the Clopper-Pearson interval"

    def __init__(self, wanted: _Wanted, share: Share, own: float) -> None:
        super().__init__(wanted, share)
        self.own = own
        if not math.isfinite(share.score(1.0)):
            hint = "plan for a power instead"
            raise InputError("bad_metric", "metric", "has no upper end, so no width", wanted.metric.id, hint)

    @property
    def target(self) -> float:
        assert self.wanted.width is not None
        return self.wanted.width

    def reached(self, values: Floats) -> Any:
        return values <= self.target

    def less(self, value: float, than: float) -> bool:
        return value > than + _LEAST_CHANCE

    def of_counts(self, k: Ints, progress: Progress | None) -> Floats:
        means = np.array([self._expected(number, lambda widths: widths) for number in k.tolist()])
        if progress is not None:
            progress(1.0)
        return means

    def _expected(self, k: int, of_widths: Callable[[Floats], Floats]) -> float:
        """Return the mean of something of the interval's width, over what a number of cases can show."""
        from scipy import special

        if not k:
            return float(of_widths(np.array([abs(self.of_metric.score(1.0) - self.of_metric.score(0.0))]))[0])
        x, chances = self._drawn(k)
        tail = (1 - self.wanted.level) / self.wanted.tests / 2
        low = np.where(x > 0, special.betaincinv(np.maximum(x, 1), k - x + 1, tail), 0.0)
        high = np.where(x < k, special.betaincinv(x + 1, np.maximum(k - x, 1), 1 - tail), 1.0)
        scores = [np.array([self.of_metric.score(share) for share in ends.tolist()]) for ends in (low, high)]
        return float(chances @ of_widths(np.abs(scores[1] - scores[0])))

    def _drawn(self, k: int) -> tuple[Ints, Floats]:
        if self.own in (0.0, 1.0):
            return np.array([k if self.own else 0]), np.ones(1)
        low, high = (int(end[0]) for end in windows(np.array([k]), self.own, _LEAST_CHANCE))
        x = np.arange(low, high + 1)
        return x, binomial(x, np.full(len(x), k), self.own)

    def result(self, made: Plan, among: float | None) -> Plan:
        narrow = None
        if made.cases is not None:
            curve = _Narrow(self)
            narrow = float(curve.at(np.array([made.cases]), among)[0])
        return replace(made, group=self.of_metric.score(self.own), narrow=narrow)


class _Narrow(_Curve):
    """How often the interval is as narrow as wanted."""

    goal: Goal = "width"

    def __init__(self, widths: _Widths) -> None:
        super().__init__(widths.wanted, widths.of_metric)
        self._widths = widths

    @property
    def target(self) -> float:
        return self._widths.target

    def of_counts(self, k: Ints, progress: Progress | None) -> Floats:
        def narrow(widths: Floats) -> Floats:
            return (widths <= self.target).astype(np.float64)

        return np.array([self._widths._expected(number, narrow) for number in k.tolist()])

    def result(self, made: Plan, among: float | None) -> Plan:
        return made


class _Laws:
    """The power of metrics that are no share: how often the group's score lies in the tails of the reference's law."""

    def __init__(self, wanted: _Wanted, own: Source, other: Source, seed: int) -> None:
        self.wanted, self.own, self.other, self.seed = wanted, own, other, seed
        self.known: dict[int, float] = {}

    def reached(self, values: Floats) -> Any:
        return values >= self.wanted.power

    def less(self, value: float, than: float) -> bool:
        return value < than - _LEAST_CHANCE

    def at(self, size: int) -> float:
        """Return the power at a size: exact where that is quick, else by draws."""
        if size not in self.known:
            exact = size <= _EXACT_LAWS_UP_TO
            values, chances = self._exact(size, self.other) if exact else self._drawn(size, self.other, 0)
            tail = self.wanted.alpha / 2 * (1 + _NEAR)
            low = values[np.cumsum(chances) <= tail]
            high = values[np.cumsum(chances[::-1])[::-1] <= tail]
            own, weights = self._exact(size, self.own) if exact else self._drawn(size, self.own, 1)
            out = np.zeros(len(own), dtype=bool)
            near = _NEAR * (1 + np.abs(own))
            if len(low):
                out |= own <= low[-1] + near
            if len(high):
                out |= own >= high[0] - near
            self.known[size] = float(weights[out].sum())
        return self.known[size]

    def _exact(self, size: int, source: Source) -> tuple[Floats, Floats]:
        exact = law(self.wanted.metric, size, source)
        values, chances = exact.whole
        # An undefined score of the group finds nothing; that of the reference is left out.
        return values, chances * (exact.defined if source is self.own else 1.0)

    def _drawn(self, size: int, source: Source, stream: int) -> tuple[Floats, Floats]:
        tables = source.sample(size, _DRAWS, generator((self.seed, size, stream)))
        values = self.wanted.metric.formula.evaluate(tables.cells())
        values, counts = np.unique(values[~np.isnan(values)], return_counts=True)
        return values, counts / (_DRAWS if source is self.own else max(counts.sum(), 1))

    def sizes(self) -> list[int]:
        """Return the sizes to look at: a coarse outline first, then a finer grid where the target is reached."""
        size, good = 4, list[int]()
        while len(good) < 2 and size < self.wanted.most:
            size = min(self.wanted.most, math.ceil(size * _LAW_GROWTH))
            good = [*good, size] if self.at(size) >= self.wanted.power else []
            if self.wanted.progress:
                self.wanted.progress(min(0.5, math.log(size) / math.log(1e5)))
        below = max((known for known in self.known if known < (good or [size])[0]), default=1)
        step = max(1, math.ceil((size - below) / _MOST_LAWS))
        fine = [*range(below, size, step), size] if good else []
        for i, known in enumerate(fine):
            self.at(known)
            if self.wanted.progress:
                self.wanted.progress(0.5 + 0.5 * (i + 1) / len(fine))
        return sorted(self.known)


def _by_laws(
    wanted: _Wanted, own: _Side, other: _Side | None, unused: tuple[Any, ...], cases: int | None, seed: int
) -> Plan:
    """Plan for a metric that is no share, from the laws of two tables; the reference is taken as known."""
    metric = wanted.metric
    names = (PREVALENCE.id, "among", "reference_cases", "width")
    for name, value in zip(names, unused, strict=True):
        if value is not None:
            problem = f"does not go with {metric.label}, which is no share"
            raise InputError("bad_metric", name, problem, value, f"leave {name} out, and give tables")
    for name, side in (("group", own), ("reference", other)):
        if side is None or side.weights is None:
            hint = "give its cells, as counts or shares: tp=12,fn=8,fp=10,tn=70"
            problem = f"must be a table for {metric.label}, which is no share"
            raise InputError("bad_metric", name, problem, None if side is None else side.score, hint)
    assert own.weights is not None and other is not None and other.weights is not None
    curve = _Laws(wanted, Source(own.weights), Source(other.weights), seed)
    if cases is not None:
        curve.at(whole(cases, "cases"))
    sizes = sorted(curve.known) if cases is not None else curve.sizes()
    drawn = max(sizes) > _EXACT_LAWS_UP_TO
    method = "score in the tails of the reference's law"
    method += f", exact up to {_EXACT_LAWS_UP_TO} cases" if min(sizes) <= _EXACT_LAWS_UP_TO else ""
    draws = f", {_DRAWS} draws of each size, seed {seed}" if drawn else ""
    made = Plan(
        metric=metric.id, label=metric.label, goal="power", target=wanted.power, group=own.score,
        reference=other.score, level=wanted.level, tests=wanted.tests, cases=cases, asked=cases is not None, among=1.0,
        reference_known=True, method=method + draws, notes=tuple(_on_laws(sizes, cases, drawn=drawn, method=draws[2:])),
    )  # fmt: skip
    made = _read_off(made, curve, np.array(sizes), np.array([curve.known[size] for size in sizes]))
    # What chance draws make of a curve would look like sizes that are worse.
    return replace(made, worse=()) if drawn else made


def _on_laws(sizes: list[int], cases: int | None, *, drawn: bool, method: str) -> list[Note]:
    notes = [Note("plan_assumption", "the reference's shares are taken as known", {"reference_known": True})]
    if cases is None:
        words = f"not every size was looked at: {len(sizes)} from {sizes[0]} to {sizes[-1]}"
        notes.append(Note("plan_assumption", words, {"sizes": len(sizes)}))
    return [*notes, not_exact(method)] if drawn else notes
