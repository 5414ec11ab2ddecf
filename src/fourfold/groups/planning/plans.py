"""How many cases would tell: the power of exact tests and the width of exact intervals, size by size.

Counts are whole numbers, so that both are jagged: one more case may mean less power. A plan names the smallest size
from which the target is kept, not the first that reaches it, and the sizes beside it that are worse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from ...chance.draws import Floats, Source, seed_of
from ...errors import NOTHING, InputError, Note, Notes, TooLarge
from ...exact import CELLS
from ...metrics import PREVALENCE, Metric, MetricId
from ...metrics import metric as find_metric
from ...names import old_parameters
from ...shape import Amount, Chance, Count, Level, Members, Result, columns
from ...solve.rows import Ints
from ...table import Table, whole
from ..testing.intervals import check_level
from ..testing.matching import not_exact
from ..testing.shares import Share, share_of
from .curves import DRAWS, EXACT_LAWS_UP_TO, Laws, Narrow, PlannedReference, Powers, Progress, SizeCurve, Wanted, Widths

Goal: TypeAlias = Literal["difference", "width"]

# What a row of the curve holds.
_COLUMNS: Final[Mapping[Goal, str]] = {"difference": "cases power", "width": "cases mean_width"}
Population: TypeAlias = float | Table | Mapping[str, object]

# Larger sizes than this are tried only if the caller names a limit: few studies could collect them.
_MOST_CASES: Final = 1_000_000
# Still larger ones take too long: every total that both groups can have together is looked at.
_MOST_PLANNED: Final = 10_000_000
_SEED: Final = 20250
# Worse sizes are told up to this share beyond the answer, and so are sizes around one asked about, but not more.
_BESIDE, _MOST_BESIDE = 0.2, 200
# Sizes of an outline, where none is as wanted.
_OUTLINED: Final = 40


class Size(NamedTuple):
    """A size with what it brings."""

    cases: Annotated[Count, "The number of cases in the group."]
    value: Annotated[float, "The power, or the mean width of the interval."]


@dataclass(frozen=True, kw_only=True)
class Plan(Result, schema="plan", source="`plan`"):
    """How many cases of a group would be enough, and what other sizes would bring.

    Examples
    --------
    >>> result = plan("accuracy", group=0.6, reference=0.8)
    >>> result.cases, result.first, [size.cases for size in result.worse]
    (90, 90, [])
    >>> result = plan("accuracy", group=0.6, reference=0.8, reference_known=True)
    >>> result.cases, result.first, [size.cases for size in result.worse]
    (44, 41, [42, 43, 46, 49])
    """

    metric: MetricId
    label: str
    goal: Annotated[Goal, "What is planned for: a difference that a test finds, or the width of an interval."]
    target: Annotated[Amount, "The target: the smallest power, or the largest mean width."]
    group: Annotated[float, "The group's true score that is planned for."]
    reference: Annotated[float | None, "The reference's true score; null for a width."] = None
    level: Annotated[Level, "The level of the interval; a test uses 1 minus this."]
    tests: Annotated[Count, "How many tests share the level, as in Bonferroni's and Holm's worst case."] = 1
    cases: Annotated[
        Count | None, "The smallest size that keeps the target, or the one you asked about; null if there is none."
    ]
    asked: Annotated[bool, "Whether you asked about that size, instead of searching for one."] = False
    value: Annotated[float | None, "The power, or the mean width of the interval, at that size."] = None
    first: Annotated[Count | None, "The first size that reaches the target; larger ones may fall below it again."] = (
        None
    )
    worse: Annotated[
        tuple[Size, ...], "Sizes above the first one, up to a fifth beyond the chosen one, that bring less."
    ] = ()
    counted: Annotated[str, "Which cases the metric is about."] = "cases"
    among: Annotated[Chance | None, "Their share of all cases; null where sizes count only them."] = None
    reference_cases: Annotated[
        Count | None, "The cases of the reference; null if it has the same number as the group."
    ] = None
    reference_count: Annotated[Count | None, "How many of those the metric is about, rounded."] = None
    reference_known: Annotated[bool, "Whether the reference's score was taken as known."] = False
    narrow: Annotated[Chance | None, "For a width: the chance of an interval at most as wide."] = None
    detectable_low: Annotated[
        float | None, "If you asked about a size: the nearest lower score that is found with this power."
    ] = None
    detectable_high: Annotated[
        float | None, "If you asked about a size: the nearest higher score that is found with this power."
    ] = None
    checked_from: Annotated[Count | None, "The first size that was tried."] = None
    checked_to: Annotated[Count | None, "The last one."] = None
    method: Annotated[str, "Which test or interval, and how its chances were computed."]
    curve: Annotated[tuple[Size, ...], "What every size that was tried brings."] = ()
    notes: Notes = ()

    def _members(self) -> Members:
        return (
            *columns(self.metric, self.goal, self.target, self.group, self.reference, self.level, self.tests,
            self.cases, self.value, self.first, self.expected, self.counted, self.among, self.reference_cases,
            self.reference_count, self.reference_known, self.narrow, self.detectable_low, self.detectable_high,
            self.checked_from, self.checked_to, self.method, self.notes), self.asked, self.worse, self.curve,
        )  # fmt: skip

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
        names = _COLUMNS[self.goal].split()
        return [dict(zip(names, size, strict=True)) for size in self.curve]


@old_parameters(seed="rng")
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
    rng: np.random.Generator | int = _SEED,
    progress: Progress | None = None,
) -> Plan:
    """Say how many cases of a group it takes to show that its score differs from a reference's, or to measure it well.

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
        The test rejects if its p-value is at most (1 - level) / tests.
    reference_cases, reference_known
        The number of cases in the reference (by default the same as in the group), or that its score is known.
    cases
        Instead of searching for a size: show what this one brings, and the nearest scores that it would tell apart.
    most
        The largest size to try.
    rng
        A seed or generator: where random numbers start, for metrics whose laws are drawn.
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
    check_level(level)
    _check_shares(power=power, width=width)
    _check(width, reference)
    _check_counts(tests=tests, most=most, cases=cases, reference_cases=reference_cases)
    wanted = Wanted(chosen, power, width, level, whole(tests, "tests"), whole(most, "most"), progress)
    size = None if cases is None else whole(cases, "cases")
    group_side = _Side.of(chosen, group, "group")
    other = None if reference is None else _Side.of(chosen, reference, "reference")
    share = share_of(chosen)
    if share is None:
        unused = {PREVALENCE.id: prevalence, "among": among, "reference_cases": reference_cases, "width": width}
        return _by_laws(wanted, group_side, other, unused, size, seed_of(rng))
    part = _among(chosen, share, group_side, prevalence, among)
    if other is None:
        return _of_width(Widths(wanted, share, part, group_side.share(share)), size)
    beside = _beside(share, other, part, reference_cases, known=reference_known)
    if group_side.share(share) == beside.share:
        hint = "give the smallest difference that would matter"
        raise InputError("bad_option", "reference", "is the same as the group's score", group_side.score, hint)
    return _of_power(Powers(wanted, share, part, group_side.share(share), beside), size)


_USUAL_SHARES: Final = {"level": 0.95, "power": 0.8, "width": 0.1}


def _check_counts(**given: int | None) -> None:
    """Refuse counts of nothing, and sizes that would take hours."""
    for name, value in given.items():
        if value is None:
            continue
        count = whole(value, name)
        if not count and name != "reference_cases":
            raise InputError("bad_option", name, "must be at least 1", value, "give a count")
        if count > _MOST_PLANNED and name != "tests":
            hint = "take the reference as known" if name == "reference_cases" else "give a smaller number"
            raise TooLarge("too_large", name, f"must be at most {_MOST_PLANNED:,}", value, hint)


def _check_shares(**shares: float | None) -> None:
    for name, value in shares.items():
        if value is not None and not (isinstance(value, float | int) and 0 < value < 1):
            raise InputError(
                "bad_option",
                name,
                "must lie between 0 and 1",
                value,
                f"give a share such as {_USUAL_SHARES.get(name, 0.3)}",
            )


def _check(width: float | None, reference: object) -> None:
    if width is None and reference is None:
        hint = "give the score to tell it from, or a width"
        raise InputError("usage", "reference", "is required", NOTHING, hint)
    if width is not None and reference is not None:
        raise InputError("usage", "width", "cannot be used with a reference", width, "leave one of them out")


class _Side(NamedTuple):
    """A score as it was given: a number, or the shares of the four cells."""

    score: float
    weights: tuple[Fraction, ...] | None

    @classmethod
    def of(cls, metric: Metric, given: Population, argument: str) -> _Side:
        if isinstance(given, Table | Mapping):
            cells = given.cells() if isinstance(given, Table) else dict(given)
            weights = _weights(cells, argument)
            value = metric.formula.exact(dict(zip(CELLS, weights, strict=True)))
            if value is None:
                hint = "give cells for which it is defined"
                raise InputError("bad_option", argument, f"leaves {metric.label} undefined", cells, hint)
            return cls(float(value), weights)
        if isinstance(given, bool) or not isinstance(given, float | int):
            hint = "give a score, or tp, fn, fp and tn by name"
            raise InputError("bad_number", argument, "must be a score or a table", given, hint)
        low, high = metric.limits.low, metric.limits.high
        if not (low <= given and (high is None or given <= high)):
            hint = f"{metric.label} lies between {low} and {'infinity' if high is None else high}"
            raise InputError("out_of_range", argument, "cannot be such a score", given, hint)
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


def _among(metric: Metric, share: Share, group: _Side, prevalence: float | None, among: float | None) -> float | None:
    """Return the share of cases that a metric is about: as given, as it follows, or None."""
    for name, value in ((PREVALENCE.id, prevalence), ("among", among)):
        if value is not None and not (isinstance(value, float | int) and 0 < value <= 1):
            raise InputError(
                "bad_option", name, "must be a share above 0, at most 1", value, "give a share such as 0.3"
            )
    if prevalence is not None and among is not None:
        raise InputError("ambiguous", "among", f"cannot be used with {PREVALENCE.id}", among, "give one of them")
    cells = share.classes.both
    if cells == set(CELLS):
        return 1.0
    if among is not None or group.weights is not None:
        return float(among) if among is not None else group.among(share)
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
    raise InputError(
        "bad_option", PREVALENCE.id, f"does not tell how many cases {metric.label} is about", prevalence, hint
    )


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


def _beside(share: Share, side: _Side, among: float | None, cases: int | None, *, known: bool) -> PlannedReference:
    """Return what a group is compared with, and how many of the reference's cases the metric is about."""
    if known and cases is not None:
        hint = "leave one of them out"
        raise InputError("usage", "reference_cases", "cannot be used with a reference that is known", cases, hint)
    if cases is None:
        return PlannedReference(side.share(share), known=known)
    cases = whole(cases, "reference_cases")
    # Of the reference's own cells where they are given; sizes without a share count such cases only.
    part = 1.0 if among is None else side.among(share) or among
    return PlannedReference(side.share(share), cases, round(cases * part))


def _of_power(curve: Powers, cases: int | None) -> Plan:
    """Return the plan for a difference."""
    group, reference, score = curve.own, curve.reference, curve.of_metric.score
    made = Plan(
        **_about(curve, cases), goal="difference", target=curve.wanted.power, group=score(group),
        reference=score(reference.share), reference_cases=reference.cases, reference_count=reference.number,
        reference_known=reference.known,
        method=f"exact {'binomial' if reference.known else 'conditional'} test, smaller tail doubled",
    )  # fmt: skip
    made = _with_least_size(replace(made, notes=_assumed(made)), curve)
    if cases is not None:
        shares = [curve.detectable(cases, end) for end in (0.0, 1.0)]
        low, high = shares if curve.of_metric.rising else shares[::-1]
        ends = [None if end is None else score(end) for end in (low, high)]
        made = replace(made, detectable_low=ends[0], detectable_high=ends[1])
    return _reported(made, curve.wanted)


def _of_width(curve: Widths, cases: int | None) -> Plan:
    """Return the plan for an interval."""
    made = Plan(
        **_about(curve, cases), goal="width", target=curve.target, group=curve.of_metric.score(curve.own),
        method="mean width of the Clopper-Pearson interval",
    )  # fmt: skip
    made = _with_least_size(made, curve)
    if made.cases is not None:
        narrow = Narrow(curve.wanted, curve.of_metric, curve.among, curve.own).at(np.array([made.cases]))
        made = replace(made, narrow=min(1.0, float(narrow[0])))
    return _reported(made, curve.wanted)


def _about(curve: SizeCurve, cases: int | None) -> dict[str, Any]:
    wanted = curve.wanted
    named = {"metric": wanted.metric.id, "label": wanted.metric.label, "level": wanted.level, "tests": wanted.tests}
    sizes = {"cases": cases, "asked": cases is not None}
    return named | sizes | {"counted": _counted(curve.of_metric), "among": curve.among}


def _reported(made: Plan, wanted: Wanted) -> Plan:
    if wanted.progress is not None:
        wanted.progress(1.0)
    return made


def _assumed(made: Plan) -> tuple[Note, ...]:
    """Say what is taken for granted of the reference."""
    if made.reference_known:
        return (Note("plan_assumption", "the reference's score is taken as known", {"reference_known": True}),)
    if made.reference_cases is None:
        words = f"the reference is taken to have as many {made.counted} as the group"
        return (Note("plan_assumption", words, {"equal": True}),)
    if made.reference_count == made.reference_cases:
        return ()
    numbers = f"of the reference's {made.reference_cases} cases {made.reference_count}"
    words = f"{numbers} are taken to be {made.counted}, as expected"
    return (Note("plan_assumption", words, {"reference_count": made.reference_count}),)


def _with_least_size(made: Plan, curve: SizeCurve) -> Plan:
    """Look for the size, or at the one asked about and those around it."""
    if made.cases is None:
        sizes = curve.sizes()
        if not len(sizes):
            # An outline is left to show how far from the target all sizes are.
            sizes = np.unique(np.rint(np.geomspace(1, curve.wanted.most, _OUTLINED)).astype(np.int64))
            return _read_off(made, curve, sizes, curve.outline(sizes))
    else:
        reach = min(max(10, int(_BESIDE * made.cases)), _MOST_BESIDE)
        sizes = np.arange(max(1, made.cases - reach), made.cases + reach + 1)
    return _read_off(made, curve, sizes, curve.values(sizes))


def _read_off(made: Plan, curve: SizeCurve | Laws, sizes: Ints, values: Floats) -> Plan:
    """Fill in the size that keeps the target, the first that reaches it, and those that are worse."""
    points = tuple(Size(*pair) for pair in zip(sizes.tolist(), values.tolist(), strict=True))
    made = replace(made, curve=points, checked_from=points[0].cases, checked_to=points[-1].cases)
    if made.asked:
        place = start = int(np.flatnonzero(sizes == made.cases)[0])
    else:
        good = curve.reached(values)
        place = max(np.flatnonzero(~good).tolist(), default=-1) + 1
        if place == len(points):
            return replace(made, notes=(*made.notes, _not_found(curve.wanted, points[-1].value)))
        start = int(np.flatnonzero(good)[0])
    cases, value = points[place]
    last, than = cases + max(2, int(_BESIDE * cases)), points[start].value
    worse = tuple(size for size in points[start + 1 :] if size.cases <= last and curve.less(size.value, than))
    return replace(made, cases=cases, value=value, first=None if made.asked else points[start].cases, worse=worse)


def _not_found(wanted: Wanted, value: float) -> Note:
    what = "the power" if wanted.width is None else "the mean width"
    words = f"no size up to {wanted.most} keeps the target; there {what} is about {value:.4f}"
    return Note("size_not_found", words, {"most": wanted.most, "value": value})


def _by_laws(
    wanted: Wanted, group: _Side, other: _Side | None, unused: Mapping[str, object], cases: int | None, seed: int
) -> Plan:
    """Plan for a metric that is not a share, from the laws of two tables; the reference is taken as known."""
    metric = wanted.metric
    for name, value in unused.items():
        if value is not None:
            problem = f"cannot be used with {metric.label}, which is no share"
            raise InputError("bad_metric", name, problem, value, f"leave {name} out, and give tables")
    sources = []
    for name, side in (("group", group), ("reference", other)):
        if side is None or side.weights is None:
            hint = "give its cells, as counts or shares: tp=12,fn=8,fp=10,tn=70"
            problem = f"must be a table for {metric.label}, which is no share"
            raise InputError("bad_metric", name, problem, None if side is None else side.score, hint)
        sources.append(Source(side.weights))
    assert other is not None, "it is a table"
    curve = Laws(wanted, sources[0], sources[1], seed)
    sizes = curve.sizes() if cases is None else np.array([cases])
    exact = f", exact up to {EXACT_LAWS_UP_TO} cases" if sizes.min() <= EXACT_LAWS_UP_TO else ""
    drawn = f"{DRAWS} draws of each size, seed {seed}" if sizes.max() > EXACT_LAWS_UP_TO else ""
    made = Plan(
        metric=metric.id, label=metric.label, goal="difference", target=wanted.power, group=group.score,
        reference=other.score, level=wanted.level, tests=wanted.tests, cases=cases, asked=cases is not None, among=1.0,
        reference_known=True, notes=_on_laws(sizes, drawn),
        method=f"score in the tails of the reference's law{exact}{', ' if drawn else ''}{drawn}",
    )  # fmt: skip
    return _reported(_read_off(made, curve, sizes, curve.values(sizes)), wanted)


def _on_laws(sizes: Ints, drawn: str) -> tuple[Note, ...]:
    notes = [Note("plan_assumption", "the reference's shares are taken as known", {"reference_known": True})]
    if len(sizes) > 1:
        words = f"not every size was looked at: {len(sizes)} from {sizes.min()} to {sizes.max()}"
        notes.append(Note("plan_assumption", words, {"sizes": len(sizes)}))
    return (*notes, not_exact(drawn)) if drawn else tuple(notes)
