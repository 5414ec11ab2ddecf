"""Two groups compared: whether this metric is different, by how much, and how sure that is.

The tests are of the metric, not of the whole table: another prevalence does not make a group different in recall.
A score that is x of k cases is tested given how many of both groups' cases it counts in all (Fisher's test, the smaller
tail doubled, so that it agrees with the interval); odds ratios given all margins; every other score by a studentised
permutation. Where the user says that the reference is known, a share has the binomial test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, NamedTuple

import numpy as np

from ...chance.conditional import ConditionalLaw
from ...chance.draws import at_least, at_most, binomial, seed_of
from ...chance.share_intervals import clopper_pearson
from ...errors import InputError, Note, Notes
from ...names import old_parameters
from ...shape import Chance, Count, Level, Members, Result, columns, finite, known, named, optional
from ...table import Matrix, Table
from .intervals import check_level, ratio_between
from .matching import as_table, not_exact, undefined_score
from .measures import Measure, Subject, measure
from .permutation import SEED, Permutation, Shuffled, draws_for
from .shares import Counted, Share
from .units import UnitPermutation

CONDITIONAL: Final = "conditional (Fisher, smaller tail doubled)"
ODDS: Final = "conditional on all margins"
BINOMIAL: Final = "binomial, reference known"
_BOOTSTRAP: Final = "bootstrap of the studentised score, reference known"
# Smaller differences of scores come from rounding floats.
_ROUNDING: Final = 1e-12
# Groups that would need more cases than this are not told how many.
_MOST_NEEDED: Final = 100_000


class Effect(NamedTuple):
    """A difference or a ratio with its interval."""

    value: Annotated[float | None, "The value; null where it is undefined.", finite]
    low: Annotated[float | None, "The lower end; null where there is none.", finite] = None
    high: Annotated[float | None, "The upper end; null where there is none.", finite] = None


_UNKNOWN: Final = Effect(None)


class _Tested(NamedTuple):
    """What a test gives: tails, how small its p-value could have been, both effects and the method."""

    lower: float
    upper: float
    equal: float
    least: float
    difference: Effect
    ratio: Effect
    method: str
    draws: int | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Comparison(Result, schema="comparison", version=2, source="`compare-groups`"):
    """A group's score beside a reference's: the difference with its interval, and a test of it.

    Examples
    --------
    >>> result = compare_groups(Table(tp=60, fn=30, fp=5, tn=95), Table(tp=320, fn=80, fp=20, tn=180), "recall")
    >>> result.counted.hits, result.counted.of, round(result.difference.value, 4), round(result.p_value, 4)
    (60, 90, -0.1333, 0.0115)
    """

    metric: Annotated[str, "The metric's id; for one of several classes, with the class in brackets."]
    label: str
    group: Subject
    reference: Subject
    score: Annotated[float | None, "The group's score; null where it is undefined."]
    reference_score: Annotated[float | None, "The reference's score; null where it is undefined."]
    counted: Counted | None = None
    reference_counted: Counted | None = None
    difference: Effect = _UNKNOWN
    ratio: Effect = _UNKNOWN
    level: Annotated[Level, "The level: how often such intervals contain the true value."]
    p_value: Annotated[Chance | None, "Two-sided: twice the smaller tail; null where nothing can be tested."] = None
    mid_p: Annotated[Chance | None, "The same with half the chance of what was seen: less cautious."] = None
    least_p: float | None = None
    method: Annotated[str, "The test; none where there is none."] = "none"
    draws: Annotated[Count | None, "How many tables were drawn; null where none were."] = None
    seed: Annotated[Count | None, "The seed of the random numbers; null if none were drawn."] = None
    notes: Notes = ()

    def _members(self) -> Members:
        return (
            *columns(self.metric, self.score, self.reference_score, named("hits", known(self.counted).hits),
            named("of", known(self.counted).of), named("reference_hits", known(self.reference_counted).hits),
            named("reference_of", known(self.reference_counted).of), named("difference", self.difference.value),
            named("difference_low", self.difference.low), named("difference_high", self.difference.high),
            named("ratio", self.ratio.value), named("ratio_low", self.ratio.low), named("ratio_high", self.ratio.high),
            self.p_value, self.mid_p, self.method), self.level, self.draws, self.seed,
            optional(named("group", self.group_table)), optional(named("matrix", self.group_matrix)),
            optional(named("reference", self.reference_table)), optional(self.reference_matrix), self.notes,
        )  # fmt: skip

    @property
    def group_table(self) -> Table | None:
        """The group's counts."""
        return self.group if isinstance(self.group, Table) else None

    @property
    def reference_table(self) -> Table | None:
        """The reference's counts."""
        return self.reference if isinstance(self.reference, Table) else None

    @property
    def group_matrix(self) -> Annotated[Matrix | None, "The group's counts: rows actual.", Matrix.tolist]:
        """The group's counts of several classes."""
        return self.group if isinstance(self.group, Matrix) else None

    @property
    def reference_matrix(self) -> Annotated[Matrix | None, "The reference's counts: rows actual.", Matrix.tolist]:
        """The reference's counts of several classes."""
        return self.reference if isinstance(self.reference, Matrix) else None

    @property
    def exact(self) -> bool:
        """Whether the p-value is exact: no tables were drawn."""
        return self.p_value is not None and self.draws is None


@old_parameters(seed="rng")
def compare_groups(
    group: Table | Matrix | Mapping[str, object],
    reference: Table | Matrix | Mapping[str, object],
    metric: str,
    *,
    level: float = 0.95,
    reference_known: bool = False,
    draws: int | None = None,
    rng: np.random.Generator | int = SEED,
) -> Comparison:
    """Compare a score of two groups that share no case: counts, difference and ratio with intervals, and a test.

    Parameters
    ----------
    group, reference
        Tables, or matrices of the same classes.
    metric
        A metric; of several classes also ``recall[cat]``, and averages such as ``macro_f1``.
    level
        The level: how often such intervals contain the true value.
    reference_known
        Whether the reference's score is known and not measured on a sample: a registry, a specification.
    draws, rng
        For scores that are tested by permutation: how many tables to draw, and a seed or generator.

    Examples
    --------
    >>> small = Table(tp=6, fn=4, fp=10, tn=980)
    >>> result = compare_groups(small, Table(tp=4000, fn=1000, fp=500, tn=4500), "recall")
    >>> round(result.p_value, 3), round(result.mid_p, 3), result.method
    (0.243, 0.154, 'conditional (Fisher, smaller tail doubled)')
    """
    check_level(level)
    subject, other = _subjects(group, reference)
    labels = subject.labels if isinstance(subject, Matrix) else None
    what = measure(metric, labels)
    shuffled = Permutation(what.cells(subject), what.cells(other), draws or draws_for(1, level), seed_of(rng))
    return compared(what, subject, other, level, reference_known, shuffled)


def _subjects(group: Any, reference: Any) -> tuple[Subject, Subject]:
    if not isinstance(group, Matrix) and not isinstance(reference, Matrix):
        return as_table(group, "group"), as_table(reference, "reference")
    for name, given in (("group", group), ("reference", reference)):
        if not isinstance(given, Matrix) or given.labels != (group if isinstance(group, Matrix) else reference).labels:
            problem, hint = "must be matrices of the same classes", "make both with the same labels"
            raise InputError("bad_shape", name, problem, given, hint)
        if given.values.dtype.kind != "i":
            raise InputError("bad_shape", name, "must hold whole counts", given, "give counts of cases")
    return group, reference


def compared(
    what: Measure,
    group: Subject,
    reference: Subject,
    level: float,
    known: bool,
    permutation: Permutation | UnitPermutation,
) -> Comparison:
    """Compare one measure of two groups; the permutation is made once for all measures of the same groups."""
    score, why = what.score(group)
    other, why_other = what.score(reference)
    notes = [
        undefined_score(f"the {whose} {what.label}", reasons)
        for whose, reasons in (("group's", why), ("reference's", why_other))
        if reasons
    ]
    counts = what.counted(group), what.counted(reference)
    untested = Comparison(
        metric=what.id,
        label=what.label,
        group=group,
        reference=reference,
        score=score,
        reference_score=other,
        counted=counts[0],
        reference_counted=counts[1],
        level=level,
        notes=tuple(notes),
    )
    tested = _tested(what, untested, known=known, permutation=permutation)
    if tested is None:
        left_out = what.share is None and permutation.too_large
        words = "more than a billion cases are not shuffled, so there is no test"
        if isinstance(permutation, UnitPermutation) and not notes:
            left_out, words = True, "one unit shows no spread, so there is no test"
        return replace(untested, notes=(*notes, *([Note("not_tested", words, {})] if left_out else [])))
    tail = min(tested.lower, tested.upper)
    return replace(
        untested,
        difference=tested.difference,
        ratio=tested.ratio,
        least_p=tested.least,
        method=tested.method,
        p_value=min(1.0, 2 * tail),
        mid_p=min(1.0, 2 * max(tail - tested.equal / 2, 0.0)),
        draws=tested.draws,
        seed=None if tested.draws is None else permutation.seed,
        notes=(*notes, *tested.notes),
    )


def _tested(
    what: Measure, about: Comparison, *, known: bool, permutation: Permutation | UnitPermutation
) -> _Tested | None:
    """Choose the test that holds for a measure, and run it; None where there is nothing to test."""
    if isinstance(permutation, UnitPermutation):
        of_units = permutation.test(what, about.level)
        if about.score is None or about.reference_score is None or of_units is None:
            return None
        return _permuted(what, about.score, about.reference_score, of_units, "units")
    counted, other = about.counted, about.reference_counted
    if what.share is not None and counted is not None and other is not None:
        test = _binomial if known else _conditional
        return test(what.share, counted, other, about.level) if counted.of and other.of else None
    group, reference = what.table(about.group), what.table(about.reference)
    if what.is_odds_ratio and not known and group is not None and reference is not None:
        law = ConditionalLaw.of_odds(group, reference)
        if law.low == law.high:
            return None
        below, equal, above = law.split(group.tp)
        at_ends = [law.split(end).equal for end in (law.low, law.high)]
        ratio = law.odds(group.tp, about.level)
        first, second = _odds(group), _odds(reference)
        value = _ratio(first, second) if first is not None and second is not None else None
        # Odds ratios are compared by their ratio, which the test's interval is of; a difference has none that agrees.
        difference = Effect(None if first is None or second is None else first - second)
        tails = (below + equal, above + equal, equal, min(1.0, 2 * min(at_ends)))
        return _Tested(*tails, difference, Effect(value, *ratio), ODDS)
    if about.score is None or about.reference_score is None or permutation.too_large:
        return None
    if known:
        return _bootstrapped(what, about.score, about.reference_score, permutation, about.level)
    shuffled = permutation.test(what, about.level)
    return None if shuffled is None else _permuted(what, about.score, about.reference_score, shuffled)


def _conditional(share: Share, group: Counted, other: Counted, level: float) -> _Tested:
    law = ConditionalLaw.of_shares(group.of, other.of, group.hits + other.hits)
    below, equal, above = law.split(group.hits)
    ends = [_shares_at(odds, group, other) for odds in law.odds(group.hits, level)]
    difference = _difference(share, group, other, ends, level)
    ratio = _widened_ratio(share, group, other, ends, level)
    lower, upper = (below + equal, above + equal) if share.rising else (above + equal, below + equal)
    return _Tested(lower, upper, equal, least_p(group.of, other), difference, ratio, CONDITIONAL)


def _difference(share: Share, group: Counted, other: Counted, ends: list[tuple[float, float]], level: float) -> Effect:
    """Return a difference with its interval: the wider of two, so that it holds wherever the true shares lie.

    One is where the test just rejects, at the number of hits that both groups have together; that number is not known,
    least of all where the shares are far apart. The other comes of both groups' own intervals (Newcombe 1998). It must
    not take in zero where the test has ruled it out.
    """
    first, second = share.score(group.hits / group.of), share.score(other.hits / other.of)
    low, high = _ordered([share.score(x) - share.score(y) for x, y in ends])
    first_low, first_high = share.scores(*clopper_pearson(group.hits, group.of, level))
    second_low, second_high = share.scores(*clopper_pearson(other.hits, other.of, level))
    if math.isinf(first_high) or math.isinf(second_high) or math.isinf(first) or math.isinf(second):
        return Effect(None if math.isinf(first) or math.isinf(second) else first - second, None, None)
    value = first - second
    widest = (
        value - math.hypot(first - first_low, second_high - second),
        value + math.hypot(first_high - first, second - second_low),
    )
    low = min(low, widest[0]) if low <= 0 or widest[0] > 0 else low
    high = max(high, widest[1]) if high >= 0 or widest[1] < 0 else high
    return Effect(value, low, high)


def _widened_ratio(
    share: Share, group: Counted, other: Counted, ends: list[tuple[float, float]], level: float
) -> Effect:
    """Return a ratio with its interval: as for the difference, the wider of two that agrees with the test."""
    first, second = share.score(group.hits / group.of), share.score(other.hits / other.of)
    low, high = _ordered([_ratio(share.score(x), share.score(y)) for x, y in ends])
    value = _ratio(first, second)
    if value is None or low is None or high is None or math.isinf(first) or math.isinf(second):
        return Effect(value, low, high)
    own_ends, other_ends = (share.scores(*clopper_pearson(*counts, level)) for counts in (group, other))
    least, most = ratio_between((first, *own_ends), (second, *other_ends))
    low = min(low, least) if low <= 1 or least > 1 else low
    high = max(high, most) if high >= 1 or most < 1 else high
    return Effect(value, low, high)


def _shares_at(odds: float, group: Counted, other: Counted) -> tuple[float, float]:
    """Return the two shares that have a ratio of odds and give as many hits as both groups have together."""
    total = group.hits + other.hits
    least, most = max(0, total - other.of), min(group.of, total)
    if odds == 0 or math.isinf(odds):
        hits = least if odds == 0 else most
        return hits / group.of, (total - hits) / other.of
    # The root of a square equation for the reference's share that lies between 0 and 1, without cancellation.
    a, b = other.of * (odds - 1), group.of * odds + other.of - total * (odds - 1)
    root = math.sqrt(max(b * b + 4 * a * total, 0.0))
    second = 2 * total / (b + root) if b + root else 1.0
    second = min(max(second, 0.0), 1.0)
    return odds * second / (1 - second + odds * second), second


def _binomial(share: Share, group: Counted, other: Counted, level: float) -> _Tested:
    known = other.hits / other.of
    hits, size = np.array([group.hits]), np.array([group.of])
    if 0 < known < 1:
        lower, upper = float(at_most(hits, size, known)[0]), float(at_least(hits, size, known)[0])
        equal = float(binomial(hits, size, known)[0])
        least = min((1 - known) ** group.of, known**group.of)
    else:
        right = group.hits == known * group.of
        lower, upper = (float(group.hits <= known * group.of), float(group.hits >= known * group.of))
        equal, least = float(right), 0.0
    reference = share.score(known)
    low, high = share.scores(*clopper_pearson(group.hits, group.of, level))
    value = share.score(group.hits / group.of)
    difference = Effect(value - reference, low - reference, high - reference)
    ratio = Effect(_ratio(value, reference), _ratio(low, reference), _ratio(high, reference))
    if not share.rising:
        lower, upper = upper, lower
    return _Tested(lower, upper, equal, min(1.0, 2 * least), difference, ratio, BINOMIAL)


def _odds(table: Table) -> float | None:
    return table.tp * table.tn / (table.fp * table.fn) if table.fp * table.fn else None


def _permuted(what: Measure, score: float, other: float, shuffled: Shuffled, of: str = "") -> _Tested:
    value = score - other
    low, high = (_not_quite(shuffled.centre - end * shuffled.spread) for end in (shuffled.high, shuffled.low))
    difference = Effect(value, max(min(low, value), -what.widest), min(max(high, value), what.widest))
    method = f"studentised permutation{f' of {of}' if of else ''}"
    method += f", all {of or 'tables'}" if shuffled.draws is None else f", {shuffled.draws} draws"
    least = min(1.0, 2 * shuffled.least)
    tails = (shuffled.lower, shuffled.upper, shuffled.equal, least)
    notes = () if shuffled.draws is None else (not_exact(method),)
    return _Tested(*tails, difference, _ratio_of(score, other, difference), method, shuffled.draws, notes)


def _not_quite(x: float) -> float:
    """Return a number without what rounding left of zero."""
    return 0.0 if abs(x) < _ROUNDING else x


def _ratio_of(score: float, other: float, difference: Effect) -> Effect:
    """Return a ratio of scores, its interval led over from that of the difference: the reference as it was seen."""
    if other <= 0 or difference.low is None or difference.high is None:
        return Effect(_ratio(score, other) if other else None)
    return Effect(score / other, 1 + difference.low / other, 1 + difference.high / other)


def _bootstrapped(what: Measure, score: float, known: float, permutation: Permutation, level: float) -> _Tested | None:
    """Test a score against a known one: tables drawn from the group's own shares tell how its estimate scatters."""
    size, shares = int(permutation.group.sum()), permutation.group + 0.5
    rng, draws = np.random.default_rng(permutation.seed), permutation.draws
    drawn = rng.multinomial(size, shares / shares.sum(), draws).T.astype(np.float64)
    with np.errstate(all="ignore"):
        spread = math.sqrt(float(what.variances(permutation.group[:, None].astype(np.float64))[0]) / size)
        centre = float(what.values(np.asarray(shares[:, None], dtype=np.float64))[0])
        around = (what.values(drawn) - centre) / np.sqrt(what.variances(drawn) / size)
    around = around[~np.isnan(around)]
    if not spread or not len(around):
        return None
    statistic, count = (score - known) / spread, len(around)
    lower, upper = (
        (1 + int((around <= statistic).sum())) / (1 + count),
        (1 + int((around >= statistic).sum())) / (1 + count),
    )
    q_low, q_high = np.quantile(around, [(1 - level) / 2, (1 + level) / 2])
    value = score - known
    ends = max(value - q_high * spread, -what.widest), min(value - q_low * spread, what.widest)
    difference = Effect(value, *map(float, ends))
    parts = (difference, _ratio_of(score, known, difference), _BOOTSTRAP, draws, (not_exact(_BOOTSTRAP),))
    return _Tested(lower, upper, 0.0, 2 / (1 + count), *parts)


def _ratio(x: float, y: float) -> float | None:
    if math.isinf(x) or math.isinf(y):
        return None if math.isinf(y) else math.inf
    return x / y if y else (math.inf if x else None)


def _ordered(ends: list[Any]) -> tuple[Any, Any]:
    first, second = ends
    return (second, first) if first is not None and second is not None and second < first else (first, second)


def _p_value(hits: int, of: int, other: Counted) -> float:
    return ConditionalLaw.of_shares(of, other.of, hits + other.hits).two_sided(hits)[0]


def least_p(of: int, other: Counted) -> float:
    """Return the smallest p-value that a group with this many cases could have had: with no hit, or with all of them.

    Examples
    --------
    >>> round(least_p(5, Counted(138, 176)), 4)
    0.0013
    """
    return min(_p_value(hits, of, other) for hits in (0, of))


def telling_hits(of: int, other: Counted, limit: float) -> tuple[int | None, int | None]:
    """Return up to how many hits, and from how many on, a group of some cases would have had a p-value at most a limit.

    Examples
    --------
    >>> telling_hits(5, Counted(138, 176), 0.0125)
    (0, None)
    """
    centre = of * other.hits // other.of
    low = high = None
    if _p_value(0, of, other) <= limit:
        low = _last(0, centre + 1, lambda hits: _p_value(hits, of, other) <= limit)
    if _p_value(of, of, other) <= limit:
        high = of - _last(0, of - centre + 1, lambda misses: _p_value(of - misses, of, other) <= limit)
    return low, high


def _last(first: int, end: int, holds: Callable[[int], bool]) -> int:
    """Return the last number for which something holds, which holds from the first on and stops before the end."""
    while end - first > 1:
        middle = (first + end) // 2
        first, end = (middle, end) if holds(middle) else (first, middle)
    return first


def cases_needed(group: Counted, other: Counted, limit: float) -> int | None:
    """Return how many cases with about the same share would have had a p-value at most a limit; None for very many.

    Shares are rounded towards the reference's.
    """
    lower = group.hits * other.of < other.hits * group.of

    def tells(of: int) -> bool:
        hits = -(-group.hits * of // group.of) if lower else group.hits * of // group.of
        return _p_value(hits, of, other) <= limit

    size = group.of
    while not tells(size):
        size *= 2
        if size > _MOST_NEEDED:
            return None
    # Rounding makes the answer jagged, so that every size is tried between the last two.
    return next(of for of in range(max(size // 2, group.of), size + 1) if tells(of))
