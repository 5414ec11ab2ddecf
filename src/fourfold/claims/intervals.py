"""Intervals printed beside scores: which usual method gives their ends, and for which of the tables that fit.

An interval is looked at after the tables are found. It rules none of them out and decides no verdict: there are more
methods than those tried here, and the ends of a bootstrap depend on its draws.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..chance.share_intervals import SHARE_INTERVALS, like_a_bootstrap, methods_giving, normal_deviate
from ..errors import InputError, Note, Notes
from ..exact import CELLS
from ..exact.reported import Reported, interval_level, is_range, split_spread
from ..metrics import Metric
from ..shape import Count, Level, Record, joined
from ..solve import Rows
from ..solve.experiment import Deviation, Spread
from ..solve.means import decide
from ..solve.problem import Cells, Part
from ..solve.rows import unrolled
from ..words import between, either, level, listed
from .claim import SIZES, ClaimedScore, PrintedInterval
from .readings import Departure
from .search import Feasible

if TYPE_CHECKING:
    from .folds import FoldClaim

#: The level of an interval that does not say it, the usual one first.
LEVELS: Final = (0.95, 0.90, 0.99)
#: What an interval of resampled cases is called; its ends are only about right.
BOOTSTRAP: Final = "bootstrap"

#: So many tables are looked at one by one; of more, every interval is looked at for itself.
MOST_TABLES: Final = 1_000_000
# So many different shares are tried: about a second.
_MOST_SHARES: Final = 100_000
# Hits and cases are put in one whole number of 64 bits.
_MOST_CASES: Final = 2**31

_Ints: TypeAlias = NDArray[np.int64]
_Flags: TypeAlias = NDArray[np.bool_]
_Names: TypeAlias = tuple[str, ...]
_Key: TypeAlias = tuple[str, float]


class IntervalMethod(NamedTuple):
    """A method that gives printed ends, and for which of the tables that fit."""

    method: Annotated[str, "The method, such as Wilson."]
    level: Annotated[Level, "The level at which it gives them."]
    tables: Annotated[Count | None, "The number of tables that fit for which it gives them; null for means over folds."]
    hits: Annotated[int | None, "How many cases the score then counts; null if tables differ."] = None
    cases: Annotated[int | None, "Out of how many cases; null if tables differ."] = None


IntervalVerdict: TypeAlias = Literal["found", "bootstrap", "none", "outside", "not_checked"]


@dataclass(frozen=True)
class IntervalCheck(Record, members="name metric low high level verdict methods words"):
    """An interval printed beside a score, and which methods give it."""

    name: Annotated[str, "The name under which the score was given."]
    metric: Annotated[str, "The metric's id."]
    low: Annotated[str, "The lower end, as printed."]
    high: Annotated[str, "The upper end, as printed."]
    level: Annotated[float | None, "The level that was printed with it; null where none was."]
    verdict: Annotated[
        IntervalVerdict,
        "found: a usual method gives these ends; bootstrap: none does, but a bootstrap gives about these ends; none: "
        "neither does; outside: neither does, and the score lies outside its own interval; not_checked: the words say "
        "why.",
    ]
    methods: Annotated[tuple[IntervalMethod, ...], "The methods that give these ends for some table that fits."] = ()
    #: How many tables fit, and whether there may be more than were looked at.
    tables: int = 0
    more: bool = False
    #: Over what parts the score is a mean, where it is one, and how far they would vary.
    parts: str = ""
    deviation: str = ""
    #: Why it was not checked.
    reason: str = ""

    def notes(self) -> Notes:
        """Return what a note says: that it was not checked, or that the score lies outside; else nothing."""
        data = {"name": self.name, "low": self.low, "high": self.high}
        if self.verdict == "not_checked":
            return (Note("interval_not_checked", self.words, data),)
        return (Note("score_outside_interval", self.words, data),) if self.verdict == "outside" else ()

    def row(self) -> dict[str, str]:
        """Return the interval as printed, and the methods that give it, as columns of a row."""
        methods = [f"{each.method} {level(each.level)}" for each in self.methods]
        return {"interval": f"{self.low} to {self.high}", "interval_methods": joined(methods)}

    @property
    def words(self) -> str:
        """What was found, in words."""
        ends = f"{self.low} to {self.high}"
        if self.verdict == "not_checked":
            return f"the interval {ends} of {self.name} was not checked: {self.reason}"
        if self.verdict == "outside":
            return f"{self.name} lies outside its own interval, {ends}: one of these numbers may be misprinted"
        if self.parts:
            return self._of_parts
        if self.verdict == "found":
            return f"the interval of {self.name}, {ends}, is {self._methods}"
        names, levels = either(_NAMES), either([level(own).removesuffix(" %") for own in sorted(LEVELS)])
        kinds = f"interval ({names}, at {levels} %)"
        if self.level is not None:
            kinds = f"{level(self.level)} interval ({names})"
        fitting = "that was found" if self.more else "that fits"
        none = f"no usual {kinds} of any table {fitting} has the ends {ends} of {self.name}"
        if self.verdict == "bootstrap":
            return f"{none}; a bootstrap may have been used, and its ends would be about these"
        return f"{none}; another method, a bootstrap or other cases may have been used"

    @property
    def _of_parts(self) -> str:
        """What was found of an interval of a mean over parts."""
        own = level(self.level or LEVELS[0])
        if self.verdict == "none":
            tried = f"no t or normal {own} interval of a mean over {self.parts} that fit"
            other = "a bootstrap may have been used, or an interval of all cases together"
            return f"{tried} has the ends {self.low} to {self.high} of {self.name}; {other}"
        methods = f"a {either([each.method for each in self.methods])} {own} interval of the mean over {self.parts}"
        interval = f"the interval of {self.name}, {self.low} to {self.high}"
        return f"{interval}, can be {methods}, whose standard deviation is then {self.deviation}"

    @property
    def _methods(self) -> str:
        """The methods at the first level that fits, of which counts their intervals are, and other levels."""
        first, *others = dict.fromkeys(each.level for each in self.methods)
        methods = [each for each in self.methods if each.level == first]
        names = [each.method for each in methods]
        # With continuity a method has nearly the same ends: it is named where the method without has others.
        names = [name for name in names if name.removesuffix(_CONTINUITY) not in set(names) - {name}]
        tail = f"; some {listed([level(own) for own in others])} intervals have these ends, too" if others else ""
        article = "an" if names[0][0] in "AEIOU" else "a"
        return f"{article} {either(names)} {level(first)} interval {self._of(methods)}{tail}"

    def _of(self, methods: Sequence[IntervalMethod]) -> str:
        """Say of which counts some methods' intervals are, or for which tables."""
        shares = {(each.hits, each.cases) for each in methods}
        hits, cases = shares.pop()
        if not shares and hits is not None:
            return f"of {hits} of {cases}"
        counts = {each.tables for each in methods}
        fit = "that were found" if self.more else "that fit"
        if counts == {self.tables}:
            return f"for all {self.tables} tables {fit}"
        return f"for {counts.pop() if len(counts) == 1 else 'some'} of the {self.tables} tables {fit}"


_RANGE: Final = "it is called a range, not an interval of confidence"
_CONTINUITY: Final = " with continuity"
_NAMES: Final = [name for name in SHARE_INTERVALS if not name.endswith(_CONTINUITY)]


def read_interval(text: str, rounding: str, name: str) -> PrintedInterval | None:
    """Read the interval that is printed beside a score; None where there is none.

    Examples
    --------
    >>> read_interval("91.2% (95% CI 88.1-93.4)", "any", "recall").low
    Reported('88.1%': [0.8805, 0.8815])
    """
    value, _, ends = split_spread(text)
    if ends is None:
        return None
    printed = [Reported.read(each, rounding=rounding, argument=name) for each in (value, *ends)]
    if printed[0].high <= 1 < printed[1].low <= 100 * printed[0].high:
        # 0.912 [88.1, 93.4]: the ends are in percent.
        printed[1:] = [Reported.read(f"{each}%", rounding=rounding, argument=name) for each in ends]
    return PrintedInterval(printed[1], printed[2], float(interval_level(text) or 0) or None, is_range(text))


#: Scores without what is printed beside them, their deviations, and their intervals, each by name.
Split: TypeAlias = tuple[dict[str, Any], dict[str, str], dict[str, PrintedInterval]]

# Longer texts are no printed number, and are refused as such.
_LONGEST_TEXT: Final = 1000
_PLUS_MINUS: Final = re.compile(r"±|\+/?-|\\pm")
# A printed number with something beside it: ±, brackets behind a digit, or an interval that is called one.
_BESIDE: Final = re.compile(r"±|\+/?-|\\pm|[\d%]\s*[\[(]|\d.*(?:\bC\.?I|CrI|confidence|credible)", re.IGNORECASE)


def take_apart(scores: Mapping[str, Any], spread: str, *, of_parts: bool) -> Split:
    """Take deviations and intervals off the printed scores; a deviation says something where there are parts."""
    left: dict[str, Any] = dict(scores)
    deviations: dict[str, str] = {}
    intervals: dict[str, PrintedInterval] = {}
    for name, text in scores.items():
        if not isinstance(text, str) or len(text) > _LONGEST_TEXT or name.strip().lower() in SIZES:
            continue
        # Most are plain decimals.
        plain = text.replace(".", "", 1).isdecimal() or not _BESIDE.search(text)
        if plain or (spread == "bounds" and _PLUS_MINUS.search(text)):
            continue
        left[name], deviation, _ = split_spread(text)
        if deviation is not None and not of_parts:
            problem = "may be followed by a standard deviation, a standard error or bounds"
            hint = "say --folds (and --spread sd, sample_sd or standard_error), or --spread bounds"
            raise InputError("ambiguous", name, problem, text, hint)
        if deviation is not None:
            deviations[name] = deviation
        if (interval := read_interval(text, scores.get("rounding", "any"), name)) is not None:
            intervals[name] = interval
    return left, deviations, intervals


#: What came of all intervals of a report: each for itself, and methods that give all of them at once.
IntervalFindings: TypeAlias = tuple[tuple[IntervalCheck, ...], tuple[IntervalMethod, ...]]


def misprinted(checks: Iterable[IntervalCheck]) -> Iterator[Departure]:
    """Yield that a score or its interval is misprinted, where the score lies outside."""
    for check in checks:
        if check.verdict == "outside":
            words = f"{check.name} or its interval, {check.low} to {check.high}, is misprinted"
            yield Departure("score_outside_interval", words)


def unchecked(intervals: Mapping[str, PrintedInterval]) -> Iterator[Note]:
    """Yield that intervals beside scores of several classes were not checked."""
    for name, (low, high, *_) in intervals.items():
        words = f"the interval {low.text} to {high.text} of {name} was not checked: there are more than two classes"
        yield Note("interval_not_checked", words, {"name": name, "low": low.text, "high": high.text})


def check_intervals(scores: Sequence[ClaimedScore], feasible: Feasible, *, more: bool) -> IntervalFindings:
    """Tell which methods give the intervals beside scores, for which tables that fit; there may be `more` of these."""
    printed = [claimed for claimed in scores if claimed.interval is not None]
    if not printed:
        return (), ()
    # Why the tables that fit cannot be looked at one by one.
    why = ""
    if feasible.empty:
        why = "no table fits the scores"
    elif feasible.all_sizes is not None:
        why = "no size is known, give positives, negatives or total"
    elif feasible.unwalked:
        why = f"{feasible.count} tables fit, too many to look at"
    rows = None if why else feasible.rows
    cells = Part.of(rows).cells() if rows is not None and rows.count <= MOST_TABLES else None
    tried = [_tried(claimed, rows, cells, why) for claimed in printed]
    checks = tuple(replace(check, tables=feasible.count, more=more) for check, _ in tried)
    found: list[dict[_Key, Any]] = [fits for check, fits in tried if check.verdict == "found"]
    if len(tried) == 1 and found:
        return checks, checks[0].methods
    everywhere = len(found) == len(tried) and all(flags is not None for fits in found for flags in fits.values())
    if not everywhere:
        return checks, ()
    # The methods that give all intervals for one and the same table.
    together = []
    for key in found[0]:
        if all(key in fits for fits in found):
            count = int(np.logical_and.reduce([fits[key] for fits in found]).sum())
            together += [IntervalMethod(*key, count)] if count else []
    return checks, tuple(together)


def not_checked(claimed: ClaimedScore, reason: str) -> IntervalCheck:
    """Return that the interval of a score was not checked, and why."""
    assert claimed.interval is not None
    low, high, own, _ = claimed.interval
    return IntervalCheck(claimed.name, claimed.metric.id, low.text, high.text, own, "not_checked", reason=reason)


def _tried(
    claimed: ClaimedScore, rows: Rows | None, cells: Cells | None, why: str
) -> tuple[IntervalCheck, dict[_Key, _Flags | None]]:
    """Try every method on one interval: what was found, and for each method the tables for which it gives the ends."""
    interval, outside, reason = claimed.interval, _is_outside(claimed), why
    assert interval is not None
    if interval.is_range and interval.level is None:
        reason = _RANGE
    elif claimed.metric.share is None:
        reason = "usual methods are for shares of cases, such as recall or accuracy"
    shares = None if reason or rows is None else _shares(rows, cells, claimed.metric)
    if shares is None:
        check = not_checked(claimed, reason or "there are too many cases, or shares that fit, to try each")
        return (replace(check, verdict="outside") if outside else check), {}
    levels = LEVELS if interval.level is None else (interval.level,)
    ends = interval.low, interval.high
    given = {
        (method, own): fits
        for own in levels
        for method, fits in methods_giving(*ends, shares.hits, shares.cases, own).items()
        if fits.any()
    }
    verdict: IntervalVerdict = "found"
    if not given:
        resampled = like_a_bootstrap(*ends, shares.hits, shares.cases, levels[0])
        verdict = "outside" if outside else "bootstrap" if resampled.any() else "none"
        given = {(BOOTSTRAP, levels[0]): resampled} if verdict == "bootstrap" else {}
    methods = []
    for key, fits in given.items():
        (places,) = np.nonzero(fits)
        only = (int(shares.hits[places[0]]), int(shares.cases[places[0]])) if len(places) == 1 else (None, None)
        methods.append(IntervalMethod(*key, int(shares.counts[fits].sum()), *only))
    check = replace(not_checked(claimed, ""), verdict=verdict, methods=tuple(methods))
    # Of every table: whether its share is one of those marked. None where there are too many to tell.
    place = shares.place
    return check, {key: None if place is None else np.append(fits, False)[place] for key, fits in given.items()}


def _is_outside(claimed: ClaimedScore) -> bool:
    """Tell whether no value that prints like the score lies between any two that print like the ends."""
    assert claimed.interval is not None
    return claimed.reported.high < claimed.interval.low.low or claimed.reported.low > claimed.interval.high.high


class _Shares(NamedTuple):
    """The different shares that a metric is in some tables: hits of cases, in how many tables, and in which.

    Tables in which it is undefined have the place behind the last.
    """

    hits: _Ints
    cases: _Ints
    counts: _Ints
    place: _Ints | None = None


def _shares(rows: Rows, cells: Cells | None, metric: Metric) -> _Shares | None:
    """Return the different shares that a metric is; None where they are too many."""
    assert metric.share is not None
    hits, cases = metric.share
    if int((rows.positives + rows.negatives).max(initial=0)) > _MOST_CASES:
        return None
    if cells is None:
        return _shares_by_runs(rows, hits, cases)
    x, k = (np.sum([cells[name] for name in part], axis=0) for part in (hits, cases))
    beyond = int(k.max(initial=0)) + 1
    keys, place, counts = np.unique(k * beyond + x, return_inverse=True, return_counts=True)
    # Undefined ones have the smallest key, as they are of no cases.
    undefined = int(keys[0] < beyond)
    place = place.reshape(-1) - undefined
    keys, counts = keys[undefined:], counts[undefined:]
    if len(keys) > _MOST_SHARES:
        return None
    return _Shares(keys % beyond, keys // beyond, counts, np.where(place < 0, len(keys), place))


def _shares_by_runs(rows: Rows, hits: _Names, cases: _Names) -> _Shares | None:
    """Count shares by rows, in which hits grow one by one and cases stay the same; None where they do not."""
    first, last = (dict(zip(CELLS, rows.cells(tn), strict=True)) for tn in (rows.low, rows.high))
    (x, k), (other_x, other_k) = (
        [np.sum([cells[name] for name in part], axis=0) for part in (hits, cases)] for cells in (first, last)
    )
    if (k != other_k).any():
        return None
    # A row counts once for each number of hits; where all its tables have one, as often as it has tables.
    weights = np.where(x == other_x, rows.high - rows.low + 1, 1)
    beyond = int(k.max()) + 2
    low, high = k * beyond + np.minimum(x, other_x), k * beyond + np.maximum(x, other_x) + 1
    keys, place = np.unique(np.concatenate([low, high]), return_inverse=True)
    steps = np.zeros(len(keys), dtype=np.int64)
    np.add.at(steps, place.reshape(-1), np.concatenate([weights, -weights]))
    counts, lengths = np.cumsum(steps)[:-1], np.diff(keys)
    lengths[(counts == 0) | (keys[:-1] < beyond)] = 0
    if lengths.sum() > _MOST_SHARES:
        return None
    run, every = unrolled(keys[:-1], lengths)
    return _Shares(every % beyond, every // beyond, counts[run])


def check_fold_intervals(claim: FoldClaim, *, fits: bool) -> tuple[IntervalCheck, ...]:
    """Tell whether intervals beside means over parts can be those of a mean: t or normal, by the parts' deviation.

    `fits` tells whether parts are known that fit the scores.
    """
    return tuple(_of_folds(claimed, claim, fits=fits) for claimed in claim.scores if claimed.interval is not None)


def _of_folds(claimed: ClaimedScore, claim: FoldClaim, *, fits: bool) -> IntervalCheck:
    assert claimed.interval is not None
    check = replace(not_checked(claimed, ""), parts=claim.what)
    if _is_outside(claimed):
        return replace(check, verdict="outside")
    if claimed.interval.is_range and claimed.interval.level is None:
        return replace(check, reason=_RANGE)
    if not fits:
        return replace(check, reason="no tables of the folds are known that fit the scores")
    if claim.over != "mean" or claim.meant.drop or len({part.weight for part in claim.parts}) > 1:
        return replace(check, reason="that is done for means over folds of equal weight that all have a score")
    if claim.repeated or claim.count == 1:
        return replace(check, reason="it is not known over how many parts the scores are means")
    decided: dict[str, str] = {}
    for divisor, kind in _DIVISORS:
        found = [(method, *_as_mean(method, kind, claimed, claim)) for method in ("t", "normal")]
        decided |= {f"{method}{divisor}": verdict for method, verdict, _ in found}
        possible = [method for method, verdict, _ in found if verdict == "possible"]
        if possible:
            own = claimed.interval.level or LEVELS[0]
            methods = tuple(IntervalMethod(f"{method}{divisor}", own, None) for method in possible)
            ends = [end for method, _, each in found if method in possible for end in each]
            return replace(check, verdict="found", methods=methods, deviation=between(min(ends), max(ends)))
    if "undecided" in decided.values():
        return replace(check, reason="it could not be decided whether folds that fit have such a deviation")
    return replace(check, verdict="none")


# Deviations with n as divisor are tried where those with n - 1 do not fit.
_DIVISORS: Final[tuple[tuple[str, Spread], ...]] = (("", "sample_sd"), (" (with n as divisor)", "sd"))
# Ends are computed in floats, so that they are taken a little wider.
_WIDER: Final = 1e-9
# How hard it is tried to find folds with such a deviation.
_EFFORT: Final = 0.1


def _as_mean(method: str, kind: Spread, claimed: ClaimedScore, claim: FoldClaim) -> tuple[str, tuple[float, float]]:
    """Decide whether an interval is that of a mean, its middle the mean and its width that of the parts' deviation."""
    assert claimed.interval is not None
    low, high, own, _ = claimed.interval
    score, limits = claimed.reported, claimed.metric.limits
    half = ((high.low - low.high) / 2, (high.high - low.low) / 2)
    middle = (claimed.metric, Reported("", (low.low + high.low) / 2, (low.high + high.high) / 2))
    # An end that was cut off at the limit of the metric says nothing: the other one tells how wide it was.
    if limits.high is not None and high.high >= limits.high:
        half, middle = (score.low - low.high, score.high - low.low), (claimed.metric, score)
    elif low.low <= limits.low:
        half, middle = (high.low - score.high, high.high - score.low), (claimed.metric, score)
    # How many standard errors it reaches: exactly, and as tables print it.
    from scipy import special

    level_of = own or LEVELS[0]
    exact = (
        normal_deviate(level_of) if method == "normal" else float(special.stdtrit(claim.count - 1, 0.5 + level_of / 2))
    )
    few, *_, many = sorted([exact, round(exact, 2), round(exact, 3)])
    least = max(float(half[0]) * math.sqrt(claim.count) / many - _WIDER, 0.0)
    most = float(half[1]) * math.sqrt(claim.count) / few + _WIDER
    deviation = Deviation(claimed.metric, Reported("", Fraction(least), Fraction(most)), kind)
    report = claim.report()
    varied = replace(report, means=(*report.means, middle), deviations=(*report.deviations, deviation))
    return decide(varied, effort=_EFFORT).verdict, (least, most)
