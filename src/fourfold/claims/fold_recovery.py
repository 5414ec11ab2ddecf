"""From a claim about several parts to tables that fit it, and what follows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

from ..errors import InputError, Note, Notes, verbatim
from ..metrics import AREA, AUDITED, COUNTS, F1, MCC, METRICS, STRICT, Metric
from ..reported import Reported, split_spread
from ..shape import Count, Result
from ..space import means
from ..space.dealing import split_table
from ..space.experiment import Decision, OpenParts, pooled
from ..space.means import MeanBounds, decide
from ..table import Table
from ..words import told_once
from .blame import contradictions_of
from .claim import SIZES, Claim, PrintedInterval, is_of_class, metric_of_class
from .class_recovery import check_asked
from .folds import (
    ANY_FOLDS,
    DEVIATIONS,
    OVERS,
    SPREADS,
    ClaimedDeviation,
    FoldClaim,
    Folds,
    Over,
    Parts,
    Sets,
    dealt_otherwise,
    read_folds,
    read_sets,
)
from .intervals import IntervalCheck, check_fold_intervals, notes_on, read_interval
from .readings import (
    EXCLUDED,
    LEFT_OUT,
    ZERO,
    Departure,
    Departures,
    Reading,
    Readings,
    also_in_single,
    as_zero,
    joined_words,
    try_readings,
)
from .search import Feasible, solve

FoldVerdict: TypeAlias = Literal["possible", "conditional", "impossible", "undecided"]

# Contradictions are looked for among at most so many scores.
_MOST_BLAMED: Final = 8
# A search for what contradicts, or for an end of a bound, makes less effort than that for the verdict.
_SMALL_EFFORT: Final = 0.3
_LITTLE_EFFORT: Final = 0.05

_POOLED: Final = Departure("pooled", "the scores are those of all cases together, not means")
_UNDEFINED: Final = (
    (ZERO, Departure("undefined_as_zero", "an undefined score of a fold counted as 0 (as scikit-learn does)")),
    (EXCLUDED, Departure("undefined_left_out", "a fold without a value was left out of the mean")),
)
# Of all cases together, undefined scores are those of one table.
_UNDEFINED_OF_ALL: Final = ((ZERO, as_zero(())), (EXCLUDED, LEFT_OUT))
_DEALT_OTHERWISE: Final = Departure("folds_dealt_otherwise", "scikit-learn did not deal the folds, but another tool")
_SPREADS: Final = {
    "sd": Departure("spread_sd", "± is the standard deviation with n as its divisor"),
    "sample_sd": Departure("spread_sample_sd", "± is the standard deviation with n - 1 as its divisor"),
    "standard_error": Departure("spread_standard_error", "± is the standard error of the mean"),
}


class FoldTable(NamedTuple):
    """A table that some of the parts have."""

    count: Annotated[Count, "How many parts have it."]  # type: ignore[assignment]
    table: Annotated[Table, "The table."]


@dataclass(frozen=True)
class FoldRecovery(
    Result,
    schema="fold_recovery",
    source="`recover` with folds or sets",
    members="verdict reason departures claim folds pooled cells=shown_cells bounds=shown_bounds "
    "pooled_bounds=shown_pooled_bounds intervals blame readings notes",
):
    """Whether means over folds or test sets can be what was reported: with a table for each part, or with a proof.

    Examples
    --------
    >>> from fourfold import recover
    >>> found = recover(positives=100, negatives=200, folds=10, accuracy="0.937", recall="0.96")
    >>> found.verdict, found.claim.count
    ('possible', 10)
    """

    claim: Annotated[FoldClaim, "What was reported, as it was read."]
    verdict: Annotated[
        FoldVerdict, "conditional: possible only under another reading of the report; undecided: nothing was proved."
    ]
    reason: Annotated[str, "How it was decided, or why it was not."]
    decision: Decision = field(repr=False, compare=False)
    departures: Departures = ()
    readings: Readings = ()
    notes: Notes = ()
    intervals: Annotated[
        tuple[IntervalCheck, ...],
        "Intervals printed beside scores, and which methods give them; they rule nothing out.",
    ] = ()
    bounded: tuple[Metric, ...] = field(default=(), repr=False, compare=False)
    others: tuple[Reading, ...] = field(default=(), repr=False, compare=False)
    #: What is impossible: the claim, or several where any number of folds was meant.
    impossible: tuple[FoldClaim, ...] = field(default=(), repr=False, compare=False)

    @cached_property
    def blame(self) -> tuple[tuple[str, ...], ...]:
        """Scores that contradict each other, none of which can be left out."""
        found = {_blamed(claim) for claim in self.impossible}
        if len(found) > 1:
            # What contradicts each other in one number of folds may go together in another.
            return (tuple(claimed.name for claimed in self.claim.scores),)
        return next(iter(found), ())

    def tables(self) -> list[Table]:
        """Return one table that fits for each part; none if none was found."""
        return [table for own in self.decision.witness or () for table in own]

    def folds(self) -> tuple[FoldTable, ...]:
        """Return the tables of the parts that fit, equal ones together: one possible outcome."""
        counts: dict[tuple[int, ...], int] = {}
        for table in self.tables():
            key = tuple(table.cells().values())
            counts[key] = counts.get(key, 0) + 1
        return tuple(FoldTable(count, Table.of_counts(*key)) for key, count in counts.items())

    def pooled(self) -> Table | None:
        """Return the sum of the tables of the parts that fit; null where none was found."""
        tables = self.tables()
        return pooled(tables) if tables else None

    @property
    def reading(self) -> str:
        """How the report was read, in words."""
        return joined_words(self.departures, self.others)

    def bounds(self, name: str | Metric, *, over: Over | None = None) -> MeanBounds:
        """Return what a metric can be: proven outer ends, and inner ones that were attained.

        Parameters
        ----------
        name
            A metric, or a count such as tp.
        over
            Its mean over the parts, or its value for all cases together ("pooled"); by default what the report is
            about.
        """
        metric = COUNTS.get(str(name)) or _bounded_metric(name)
        return self._bounds_of([metric], over or self.claim.over)[metric.id]

    @property
    def shown_bounds(self) -> dict[str, MeanBounds]:
        """The bounds of what the report is about, means or scores of all cases together, by metric."""
        return self._bounds_of(self.bounded, self.claim.over) if self.tables() else {}

    @property
    def shown_pooled_bounds(self) -> dict[str, MeanBounds]:
        """The bounds of scores of all cases together, by metric."""
        return self._bounds_of(self.bounded, "pooled") if self.tables() else {}

    @property
    def shown_cells(self) -> dict[str, MeanBounds]:
        """The bounds of the counts of all cases together: tp, fn, fp and tn."""
        counts = [COUNTS[name] for name in self.tables()[0].cells()] if self.bounded and self.tables() else ()
        return self._bounds_of(counts, "pooled")

    def _bounds_of(self, metrics: Sequence[Metric], over: Over) -> dict[str, MeanBounds]:
        for metric in metrics:
            if (metric.id, over) not in self._known_bounds:
                self._known_bounds[metric.id, over] = self._ends(metric, over) or _NOTHING
        return {metric.id: self._known_bounds[metric.id, over] for metric in metrics}

    def _ends(self, metric: Metric, over: Over) -> MeanBounds | None:
        """Return the bounds of one metric; None where it has no value."""
        if over == "mean" or self._tables_together is None:
            return means.bounds(self.claim.report(), metric, over=over, effort=_SMALL_EFFORT)
        low, high, *_ = self._tables_together.bounds([metric])[metric.id]
        return None if low is None or high is None else MeanBounds(low, high, low, high)

    @cached_property
    def _tables_together(self) -> Feasible | None:
        """All tables of all cases together, where these are all that the report is about."""
        return _tables_of_all_cases(self.claim)

    @cached_property
    def _known_bounds(self) -> dict[tuple[str, Over], MeanBounds]:
        return {}

    def finish(self) -> FoldRecovery:
        """Compute all that the answer shows, so that nothing is left to compute for printing or drawing it."""
        _ = self.shown_bounds, self.shown_pooled_bounds, self.shown_cells, self.blame
        return self

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each metric: what was reported, and the bounds of its mean."""
        printed = {claimed.metric.id: claimed.reported.text for claimed in self.claim.scores}
        known = self.shown_bounds
        intervals = {check.metric: check.row() for check in self.intervals}
        return [
            {"metric": name, "reported": printed.get(name), **(known[name]._asdict() if name in known else {})}
            | intervals.get(name, {})
            for name in dict.fromkeys([*printed, *known])
        ]


@dataclass(frozen=True)
class Experiment:
    """What is said about folds, test sets and deviations beside the scores."""

    folds: Folds | None = None
    sets: Sets | None = None
    over: str = "any"
    spread: str = "any"
    each: Mapping[str, Any] = field(default_factory=dict)
    repeats: int = 1

    def __post_init__(self) -> None:
        if self.over not in OVERS:
            raise InputError("bad_option", "over", "unknown way", self.over, f"one of {', '.join(OVERS)}")
        if self.spread not in SPREADS:
            raise InputError("bad_option", "spread", "unknown kind", self.spread, f"one of {', '.join(SPREADS)}")
        if self.folds is not None and self.sets is not None:
            hint = "put the folds of each set in its row"
            raise InputError("usage", "sets", "cannot be given together with folds", len(self.sets), hint)
        if self.folds is None and (self.repeats != 1 or (self.sets is None and (self.over == "mean" or self.each))):
            hint = "say how many folds there were, or what the test sets are"
            raise InputError("usage", "folds", "must be given", verbatim("none"), hint)

    @property
    def said(self) -> bool:
        """Whether folds or test sets are said."""
        return self.folds is not None or self.sets is not None

    def split(self, scores: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str], dict[str, PrintedInterval]]:
        """Take deviations and intervals off the printed scores: what is left, and either by name."""
        left: dict[str, Any] = dict(scores)
        deviations: dict[str, str] = {}
        intervals: dict[str, PrintedInterval] = {}
        for name, text in scores.items():
            if not isinstance(text, str) or len(text) > _LONGEST_TEXT or name.strip().lower() in SIZES:
                continue
            # Most are plain decimals.
            if text.replace(".", "", 1).isdecimal() or not _BESIDE.search(text):
                continue
            if self.spread == "bounds" and _PLUS_MINUS.search(text):
                continue
            value, spread, _ = split_spread(text)
            left[name] = value
            if spread is not None and not self.said:
                problem = "may be followed by a standard deviation, a standard error or bounds"
                hint = "say --folds (and --spread sd, sample_sd or standard_error), or --spread bounds"
                raise InputError("ambiguous", name, problem, text, hint)
            if spread is not None:
                deviations[name] = spread
            interval = read_interval(text, scores.get("rounding", "any"), name)
            if interval is not None:
                intervals[name] = interval
        return left, deviations, intervals


# Longer texts are no printed number, and are refused as such.
_LONGEST_TEXT: Final = 1000
_PLUS_MINUS: Final = re.compile(r"±|\+/?-|\\pm")
# A printed number with something beside it: ±, brackets behind a digit, or an interval that is called one.
_BESIDE: Final = re.compile(r"±|\+/?-|\\pm|[\d%]\s*[\[(]|\d.*(?:\bC\.?I|CrI|confidence|credible)", re.IGNORECASE)


def fold_claims(claim: Claim, experiment: Experiment, deviations: Mapping[str, str]) -> Iterator[FoldClaim]:
    """Walk a claim as those about folds or test sets that are meant."""
    for claimed in claim.scores:
        if claimed.is_count or claimed.is_area:
            raise InputError("bad_metric", claimed.name, "is not a score of each fold", claimed.name, "leave it out")
    named = {claimed.name: claimed.metric for claimed in claim.scores}
    printed = tuple(
        ClaimedDeviation(
            name,
            named[name.strip()],
            Reported.read(text, argument=name, float_error=partial(claim.float_error, named[name.strip()])),
        )
        for name, text in deviations.items()
    )
    single = tuple(claim.read_score(name, text) for name, text in experiment.each.items())
    spread: Any = experiment.spread
    over: Any = "mean" if experiment.over == "any" else experiment.over
    otherwise: tuple[Parts, ...] = ()
    if claim.margins is not None and experiment.folds not in (None, "any"):
        otherwise = dealt_otherwise(experiment.folds, *claim.margins, experiment.repeats)
    for parts, what, groups in _parts(claim, experiment):
        yield FoldClaim(
            claim.scores, parts, what, groups, over, printed, spread, single, otherwise, claim.convention, claim.notes
        )


def _parts(claim: Claim, experiment: Experiment) -> Iterator[tuple[Parts, str, tuple[int, ...]]]:
    if experiment.sets is not None:
        yield read_sets(experiment.sets)
        return
    assert experiment.folds is not None
    sizes = claim.margins
    p, n = sizes or (None, None)
    if experiment.folds == "any":
        if sizes is None:
            raise InputError(
                "empty", "folds", "needs the sizes of the data set", "any", "give --positives and --negatives"
            )
        for number in ANY_FOLDS:
            if number <= sum(sizes):
                yield (*read_folds(number, p, n, experiment.repeats), ())
        return
    parts, what = read_folds(experiment.folds, p, n, experiment.repeats)
    opened = any(isinstance(part, OpenParts) for part in parts)
    if opened and p is None and not claim.positives.known:
        hint = "give --positives, or each fold as positives:negatives"
        raise InputError("empty", "positives", "must be given for folds of unknown make-up", verbatim("none"), hint)
    known = claim.positives.low if p is None else p
    yield parts, what, (known,) * experiment.repeats if opened else ()


def recover_experiment(claims: Sequence[FoldClaim], asked: Any, *, both: bool) -> FoldRecovery:
    """Decide the first of some claims that is possible; where none is, the first of all."""
    found = [recover_folds(claims[0], shown_metrics(asked), both=both)]
    for claim in claims[1:]:
        found.append(recover_folds(claim, found[0].bounded, both=False))
    best = next((each for each in found if each.decision.witness is not None), found[0])
    intervals = check_fold_intervals(best.claim, fits=best.decision.witness is not None)
    best = replace(best, intervals=intervals, notes=(*best.notes, *notes_on(intervals)))
    if len(claims) == 1:
        return best
    readings = tuple(
        Reading(_over_folds(each.claim.what, reading.departures), reading.verdict)
        for each in found
        for reading in each.readings
    )
    verdict: FoldVerdict = best.verdict
    if best.decision.witness is None and any(reading.verdict == "undecided" for reading in readings):
        verdict = "undecided"
    departures = _over_folds(best.claim.what, best.departures) if best.decision.witness is not None else ()
    others = tuple(
        reading for reading in readings if reading.verdict == "possible" and reading.departures != departures
    )
    told: FoldVerdict = "conditional" if departures else verdict
    if not departures:
        meant = replace(best.claim, what=told_once(each.claim.what for each in found)[0])
        claims_apart = tuple(each.claim for each in found) if told == "impossible" else ()
        best = replace(best, claim=meant, impossible=claims_apart)
    return replace(best, verdict=told, readings=readings, departures=departures, others=others)


def _over_folds(what: str, departures: tuple[Departure, ...]) -> tuple[Departure, ...]:
    """Return departures with what the means are over, unless there are none."""
    return departures if _POOLED in departures else (means_over(what), *departures)


def means_over(what: str) -> Departure:
    """Return the departure that scores are means over some parts."""
    return Departure("means_over_folds", f"the scores are means over {what}")


def recover_folds(claim: FoldClaim, bounded: Sequence[Metric], *, both: bool) -> FoldRecovery:
    """Decide whether a report about folds or test sets is possible; `both` tries means and all cases together."""
    fits, is_open = [False], [False]

    def decided(changed: FoldClaim) -> tuple[Decision, bool, bool]:
        # What else fits is told too, but is not worth waiting for. Nor is a proof that a far reading does not, where
        # a nearer one was left open: all of them together rule nothing out then.
        far = changed.convention not in (claim.convention, STRICT) or changed.parts != claim.parts
        found = decide_folds(changed, _LITTLE_EFFORT if fits[0] or (far and is_open[0]) else 1.0)
        fits[0] |= found[1]
        is_open[0] |= not found[2]
        return found

    tried = try_readings(readings_of_folds(claim), decided)
    as_pooled = list(_pooled_readings(claim)) if both and claim.over == "mean" and not claim.deviations else []
    readings, claim, decision = _told_once(tried.readings), tried.claim, tried.found
    departures = tried.departures
    for pooled_departures, pooled_claim in as_pooled:
        found, fitting, certain = decide_folds(pooled_claim)
        reading = Reading(pooled_departures, "possible" if fitting else "impossible" if certain else "undecided")
        readings = (*readings, reading)
        # What may be possible as it stands is not possible only if it is read otherwise.
        if fitting and all(each.verdict == "impossible" for each in readings[:-1]):
            claim, decision, departures = pooled_claim, found, reading.departures
        if fitting:
            break
    verdict: FoldVerdict = "undecided"
    if decision.witness is not None:
        verdict = "conditional" if departures else "possible"
    elif all(reading.verdict == "impossible" for reading in readings):
        verdict = "impossible"
    notes = [*claim.notes]
    if verdict == "undecided":
        notes.append(Note("budget_spent", decision.reason, {}))
    impossible = (claim,) if verdict == "impossible" else ()
    told = (claim, verdict, decision.reason, decision, departures, readings, tuple(notes))
    return FoldRecovery(*told, bounded=tuple(bounded), impossible=impossible)


def _told_once(readings: Sequence[Reading]) -> tuple[Reading, ...]:
    """Put readings of the same words together: possible where one is, impossible where all are."""
    verdicts: dict[tuple[Departure, ...], list[Any]] = {}
    for reading in readings:
        verdicts.setdefault(reading.departures, []).append(reading.verdict)
    order = ("possible", "undecided", "impossible")
    return tuple(Reading(departures, min(found, key=order.index)) for departures, found in verdicts.items())


def decide_folds(claim: FoldClaim, effort: float = 1.0) -> tuple[Decision, bool, bool]:
    """Return the decision, whether anything fits, and whether that is certain."""
    decision = _as_one_table(claim) or decide(claim.report(), effort=effort)
    return decision, decision.verdict == "possible", decision.verdict != "undecided"


def _as_one_table(claim: FoldClaim) -> Decision | None:
    """Decide scores of all cases together as those of one table; None where that is not all, or too much."""
    feasible = _tables_of_all_cases(claim)
    if feasible is None:
        return None
    if feasible.empty:
        return Decision("impossible", "all tables of all cases were looked at")
    return Decision("possible", "a table of all cases was found", split_table(feasible.first(), claim.report()))


def _tables_of_all_cases(claim: FoldClaim) -> Feasible | None:
    """Return all tables of all cases that fit, where these are all that a report is about and can be walked."""
    one_table = claim.as_one_table()
    feasible = None if one_table is None else solve(one_table)
    return feasible if feasible is not None and feasible.decided and not feasible.unwalked else None


def readings_of_folds(claim: FoldClaim) -> Iterator[tuple[tuple[Departure, ...], FoldClaim]]:
    """Walk the readings of a report about folds: what ± is, what undefined scores count as, how folds are dealt."""
    return also_in_single(_readings_of_folds(claim), _in_single)


def _in_single(claim: FoldClaim) -> FoldClaim:
    """Return a claim as it reads if scores of the parts were 32-bit floats, from which means were computed."""
    scores, deviations, each = (
        tuple(replace(one, reported=one.reported.as_single(derived=True)) for one in some)
        for some in (claim.scores, claim.deviations, claim.each)
    )
    return replace(claim, scores=scores, deviations=deviations, each=each)  # type: ignore[arg-type]


def _readings_of_folds(claim: FoldClaim) -> Iterator[tuple[tuple[Departure, ...], FoldClaim]]:
    spreads: list[tuple[tuple[Departure, ...], FoldClaim]] = [((), claim)]
    if claim.deviations and claim.spread == "any":
        spreads = [((_SPREADS[kind],), replace(claim, spread=kind)) for kind in DEVIATIONS]
    if claim.convention is None:
        spreads = [(departures, replace(changed, convention=STRICT)) for departures, changed in spreads]
    yield from spreads
    conventions = _UNDEFINED if claim.over == "mean" else _UNDEFINED_OF_ALL
    for convention, departure in conventions if claim.convention is None else ():
        for departures, changed in spreads:
            if _with_holes(changed):
                yield (*departures, departure), replace(changed, convention=convention)
    for parts in claim.dealt_otherwise:
        for departures, changed in spreads:
            yield (*departures, _DEALT_OTHERWISE), replace(changed, parts=parts)


def _pooled_readings(claim: FoldClaim) -> Iterator[tuple[tuple[Departure, ...], FoldClaim]]:
    """Walk the readings of a report as one about all cases together."""
    return also_in_single(_readings_of_all_cases(claim), _in_single)


def _readings_of_all_cases(claim: FoldClaim) -> Iterator[tuple[tuple[Departure, ...], FoldClaim]]:
    yield (_POOLED,), replace(claim, over="pooled", convention=claim.meant)
    if claim.convention is None and _with_holes(claim):
        yield (_POOLED, as_zero(())), replace(claim, over="pooled", convention=ZERO)


def _with_holes(claim: FoldClaim) -> bool:
    """Tell whether a fold can have an undefined score."""
    return any(formula.guards for claimed in claim.scores for formula in claimed.metric.components)


def _blamed(claim: FoldClaim) -> tuple[tuple[str, ...], ...]:
    """Return scores that contradict each other: leave out what the contradiction does not need."""
    if (one_table := claim.as_one_table()) is not None:
        return contradictions_of(one_table)[0]
    needed = list(claim.scores)
    for claimed in claim.scores[:_MOST_BLAMED]:
        rest = [other for other in needed if other is not claimed]
        if rest and decide(claim.having(tuple(rest)).report(), effort=_SMALL_EFFORT).verdict == "impossible":
            needed = rest
    return (tuple(claimed.name for claimed in needed),)


def means_over_folds(claim: Claim) -> tuple[FoldRecovery | None, tuple[Reading, ...]]:
    """Try a report about one table as means over 10 and over 5 stratified folds, and return the first that fits."""
    readings: list[Reading] = []
    fitting: list[tuple[FoldClaim, Decision, tuple[Departure, ...]]] = []
    every = [folded for number in _TRIED_FOLDS if (folded := _stratified(claim, number)) is not None]
    for departures, folded in also_in_single(_readings_as_means(every), _in_single) if every else ():
        if fitting and len(departures) > len(fitting[0][2]):
            break
        decision = decide(folded.report(), effort=_SMALL_EFFORT)
        readings.append(Reading(departures, decision.verdict))
        if decision.witness is not None:
            fitting.append((folded, decision, departures))
    if not fitting:
        return None, tuple(readings)
    folded, decision, departures = fitting[0]
    others = tuple(Reading(each, "possible") for _, _, each in fitting[1:])
    found = FoldRecovery(folded, "conditional", decision.reason, decision, departures, tuple(readings), others=others)
    return found, tuple(readings)


def _readings_as_means(every: Sequence[FoldClaim]) -> Iterator[tuple[tuple[Departure, ...], FoldClaim]]:
    for convention, more in ((STRICT, ()), (_UNDEFINED[0][0], (_UNDEFINED[0][1],))):
        for folded in every:
            if not more or _with_holes(folded):
                yield (means_over(folded.what), *more), replace(folded, convention=convention)


# Folds that are tried where nothing is said, the most usual first; tables of a fold may not be too many.
_TRIED_FOLDS: Final = (10, 5)
_MOST_FOLD_TABLES: Final = 30_000


def _stratified(claim: Claim, number: int) -> FoldClaim | None:
    """Return a claim of one table as that of means over stratified folds; None where that is not tried."""
    if claim.margins is None or min(claim.margins) < number:
        return None
    if any(claimed.is_count or claimed.is_area or is_of_class(claimed.name) for claimed in claim.scores):
        return None
    positives, negatives = (margin // number + 2 for margin in claim.margins)
    if positives * negatives > _MOST_FOLD_TABLES:
        return None
    parts, what = read_folds(number, *claim.margins)
    return FoldClaim(claim.scores, parts, what, convention=claim.convention, notes=claim.notes)


def shown_metrics(asked: Any) -> tuple[Metric, ...]:
    """Return the metrics whose means are bounded in the answer."""
    check_asked(asked)
    names = [name.strip() for name in asked.split(",") if name.strip()] if isinstance(asked, str) else list(asked)
    if names == ["none"]:
        return ()
    if names == ["all"]:
        return tuple(METRICS.values())
    if names == ["auto"]:
        return tuple(metric for metric in METRICS.values() if metric.id in _USUAL)
    return tuple(map(_bounded_metric, names))


def _bounded_metric(name: str | Metric) -> Metric:
    """Return the metric of a name, if it is one that a table of each part has."""
    metric = metric_of_class(name, ("negative", "positive"))
    if metric.id == AREA.id:
        raise InputError("bad_metric", "bounds", "is not a score of each fold", metric.id, "leave it out")
    return metric


_USUAL: Final = frozenset((*AUDITED, F1.id, MCC.id))
_NOTHING: Final = MeanBounds(float("nan"), float("nan"), None, None)
