"""In which way reported scores can have been computed: on one test set, as means of any kind, by who never looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

from ..errors import InputError, Note, Notes, verbatim
from ..metrics import Convention
from ..shape import Count, Record, Result
from ..solve.experiment import EqualParts, number_of_tables
from ..table import Table, whole
from ..words import count_of
from .claim import BUDGET, ClaimedScore, Size, TableClaim
from .folds import ANY_FOLDS, AnySpread, Experiment, FoldClaim, Sets, fold_claims, folds_in_order
from .intervals import take_apart
from .ladder import (
    MOST_MIXED,
    any_average,
    as_dealt_at_random,
    averages_of,
    has_average,
    repeatedly,
    smallest_width,
)
from .readings import (
    CUT_OFF,
    FILLS,
    OF_WAYS,
    Departure,
    Departures,
    Reading,
    Tried,
    joined_words,
    means_over,
    readings_from,
    readings_of,
    try_readings,
)
from .recovery import Cases, PrintedScore
from .solution import Solution, solve

ProtocolCode: TypeAlias = Literal[
    "one_test_set", "run_means", "fold_means", "unstratified_means", "leave_one_out", "part_means", "any_means",
    "set_means", "set_means_by_size", "sets_pooled", "always_positive", "always_negative",
]  # fmt: skip
#: What a report can be said to be in one way: never unexplained, as each way is known.
ProtocolVerdict: TypeAlias = Literal["possible", "conditional", "impossible", "undecided"]
#: What it can be said to be in all: unexplained if only averages that fit nearly all reports could be it.
ProtocolsVerdict: TypeAlias = Literal["possible", "conditional", "unexplained", "impossible", "undecided"]
#: Test sets, or several lists of them by name, of which one was used.
NamedSets: TypeAlias = Sets | Mapping[str, Sets]

# Averages that would give nearly every report, as parts may have good classifiers and bad ones: they explain none.
_FREE: Final = frozenset({"unstratified_means", "part_means", "any_means"})
# The ways that version 1 of the schema did not have.
_NEW: Final = _FREE | {"run_means"}
# Parts that are made any number of times, and have more tables, are not looked at one by one.
_MOST_TABLES: Final = 500_000
# Parts are looked for whose share of positives is off by so much more than it must be.
_ROOM: Final = 0.02
# Each way gets so much of the effort that a question about it alone would.
_EFFORT: Final = 0.3
_NO_DEVIATION: Final = Departure("spread_no_deviation", "± is no deviation over folds or sets")


@dataclass(frozen=True)
class Protocol(Record, members="code words of parts positives negatives width verdict departures reason"):
    """One way in which scores can have been computed, and whether the reported ones fit it."""

    code: Annotated[ProtocolCode, "Which way; stable, for programs."]
    words: Annotated[str, "The way, in words."]
    parts: Annotated[
        Count | None,
        "The number of folds, sets or cases over which means are taken; 1 for all cases together, null for any number.",
    ]
    positives: Annotated[Count | None, "Actual positives of all parts; null where they do not matter."]
    negatives: Annotated[Count | None, "Actual negatives of all parts; null where they do not matter."]
    verdict: Annotated[ProtocolVerdict, "conditional: possible only under another reading of the report."]
    reason: Annotated[str, "How it was decided, or why it was not."]
    departures: Departures = ()
    of: Annotated[str | None, "Which test sets, where there are several lists of them."] = None
    width: Annotated[
        float | None, "How far the share of positives of parts of any size must be off that of all cases."
    ] = None
    #: Other readings that depart in as few points and fit too.
    others: tuple[Reading, ...] = field(default=(), repr=False)

    @property
    def fits(self) -> bool:
        """Whether the scores can have been computed in this way."""
        return self.verdict in ("possible", "conditional")

    @property
    def looks(self) -> bool:
        """Whether the classifier looks at a case before it answers."""
        return self.code not in ("always_positive", "always_negative")

    @property
    def explains(self) -> bool:
        """Whether scores that fit this way are explained by it: averages over parts of any make-up fit nearly all."""
        return self.code not in _FREE

    @property
    def condition(self) -> str:
        """What must be so for the scores to fit, in words; empty where nothing must."""
        return joined_words(self.departures, self.others) if self.departures else ""


@dataclass(frozen=True)
class Protocols(Result, schema="protocols", source="`protocols`", version=2, members="verdict scores protocols notes"):
    """Ways in which scores can have been computed, each with its verdict.

    Examples
    --------
    >>> found = protocols(positives=20, negatives=25, accuracy="0.556", recall="0.00")
    >>> [protocol.words for protocol in found.fitting() if protocol.parts == 1]
    ['one test set', 'a classifier that always says negative (the larger class)']
    """

    scores: Annotated[tuple[ClaimedScore, ...], "The reported scores."]
    protocols: Annotated[tuple[Protocol, ...], "The ways that were tried."]
    notes: Notes = ()

    #: The version of its JSON; the one before can be asked for.
    json_version: int = field(default=2, repr=False, compare=False)

    def to_dict(self, version: int | None = None) -> dict[str, Any]:
        """Return plain JSON values, in this version of the schema or in the one before."""
        now = super().to_dict()
        if (version or self.json_version) != 1:
            return now
        ways = [{name: value for name, value in way.items() if name != "width"} for way in now["protocols"]]
        old = {"version": 1, "protocols": [way for way in ways if way["code"] not in _NEW]}
        return now | old | ({"verdict": "undecided"} if self.verdict == "unexplained" else {})

    @property
    def verdict(self) -> ProtocolsVerdict:
        """The best verdict of the ways that explain a report; where none fits, what is left of averages of any kind."""
        verdicts = {protocol.verdict for protocol in self.protocols if protocol.explains}
        order: tuple[ProtocolsVerdict, ...] = ("possible", "conditional", "undecided")
        ruled_out = all(protocol.verdict == "impossible" for protocol in self.protocols)
        last: ProtocolsVerdict = "impossible" if ruled_out else "unexplained"
        return next((verdict for verdict in order if verdict in verdicts), last)

    def fitting(self) -> tuple[Protocol, ...]:
        """Return the ways that fit."""
        return tuple(protocol for protocol in self.protocols if protocol.fits)

    def _rows(self) -> list[dict[str, Any]]:
        names = ("words", "of", "parts", "width", "verdict")
        return [
            {"protocol": each.code, **{name: getattr(each, name) for name in names},
             "only_if": each.condition, "reason": each.reason}
            for each in self.protocols
        ]  # fmt: skip


def protocols(
    *,
    positives: Cases = None,
    negatives: Cases = None,
    total: Cases = None,
    sets: NamedSets | None = None,
    repeats: int | str | None = None,
    spread: AnySpread | str = "any",
    rounding: str = "any",
    undefined: Convention | str = "any",
    budget: int | str = BUDGET,
    **scores: PrintedScore,
) -> Protocols:
    """Find out in which ways reported scores can have been computed.

    It tries one test set and runs on it, means over 2 to 20 stratified and unstratified folds, over single cases
    (leave-one-out) and over parts whose share of positives is off. It also tries averages of any kind, and classifiers
    that always say the same. For several test sets it tries means over them, plain and weighted by size, and all cases
    together. If scores fit a way, they need not have been computed in that way. If they do not fit it, they were not.

    Parameters
    ----------
    positives, negatives, total
        The sizes of the data set, two of them.
    sets
        Instead of sizes: test sets as `recover` takes them, or several named lists of them if it is not known which
        was used, as in ``{"all pixels": [...], "field of view": [...]}``.
    repeats
        How often stratified folds were made, or test sets were used. If left out, once and several times are tried.
    spread, rounding, undefined, budget
        As `recover` takes them.
    scores
        Scores by any of a metric's names, as printed.

    Examples
    --------
    >>> found = protocols(positives=50, negatives=103, accuracy="0.9413")
    >>> [(protocol.words, protocol.verdict) for protocol in found.protocols if protocol.parts in (1, 5)][:2]
    [('one test set', 'impossible'), ('means over 5 stratified folds', 'possible')]
    """
    rounds = 1 if repeats is None else whole(repeats, "repeats", text=True)
    experiment = Experiment(folds="any", spread=spread, repeats=rounds)
    printed = {name: value for name, value in scores.items() if value is not None}
    given, deviations, intervals = take_apart(printed, spread, of_parts=True)
    notes: Notes = tuple(
        Note("interval_not_checked", f"the interval of {name} was not checked", {"name": name}) for name in intervals
    )
    sizes = {"positives": positives, "negatives": negatives, "total": total}
    given |= {name: size for name, size in sizes.items() if size is not None}
    claim = TableClaim.read({**given, "rounding": rounding, "undefined": undefined, "budget": budget})
    asked = _Asked(claim, repeats is None and not deviations, any_average(claim, readings_of(claim)).fits)
    if sets is not None:
        tried = _of_sets(asked, experiment, deviations, sets)
    elif claim.margins is None:
        hint = "give --positives and --negatives, or --sets"
        raise InputError("empty", "positives", "must be known, and negatives too", verbatim("none"), hint)
    else:
        tried = _of_data_set(asked, experiment, deviations)
    found = tuple(tried)
    open_ones = [protocol.words for protocol in found if protocol.verdict == "undecided" and protocol.explains]
    if open_ones:
        words = f"{len(open_ones)} of {len(found)} ways were not decided; recover makes more effort for one of them"
        notes = (*notes, Note("budget_spent", words, {"protocols": open_ones}))
    return Protocols(claim.scores, found, (*claim.notes, *notes))


class _Asked(NamedTuple):
    """A report, and what is known before a way is tried."""

    claim: TableClaim
    #: Whether the parts of a way may have been made, or used, several times.
    often: bool
    #: Whether some average could be the report. If none could, no way to take means needs trying.
    averaged: bool


def _of_data_set(asked: _Asked, experiment: Experiment, deviations: Mapping[str, str]) -> Iterator[Protocol]:
    """Try the ways in which one data set can have been used."""
    claim = asked.claim
    assert claim.margins is not None
    p, n = claim.margins
    folded = list(fold_claims(claim, experiment, deviations))
    yield _one_table(claim, "one_test_set", "one test set", deviated=bool(deviations))
    runs = replace(folded[0], parts=(EqualParts(p, n),))
    yield _any_number(asked, runs, "run_means", "means over runs on one test set", (None, p, n))
    for each in folded:
        yield _means(asked, each, "fold_means", f"means over {each.what}", (each.count // experiment.repeats, p, n))
    for number in ANY_FOLDS:
        if number <= p + n:
            dealt = as_dealt_at_random(replace(folded[0], parts=folds_in_order(number, p + n)), p)
            words = f"means over rounds of {number} unstratified folds"
            yield _any_number(asked, dealt, "unstratified_means", words, (number, p, n))
    single = tuple(part for part in (EqualParts(1, 0, p), EqualParts(0, 1, n)) if part.count)
    cases = f"{p + n} single cases (leave-one-out)"
    alone = replace(folded[0], parts=single, what=cases)
    yield _means(asked, alone, "leave_one_out", f"means over {cases}", (p + n, p, n))
    yield _of_uneven_parts(asked, folded[0])
    yield _of_any_parts(asked, folded[0])
    yield from _constant(folded, p, n)


def _of_sets(
    asked: _Asked, experiment: Experiment, deviations: Mapping[str, str], sets: NamedSets
) -> Iterator[Protocol]:
    """Try the ways in which test sets can have been used, for each list of them."""
    claim = asked.claim
    if any(size != Size() for size in (claim.positives, claim.negatives, claim.total)):
        hint = "leave the sizes out"
        raise InputError("usage", "sets", "cannot be given together with sizes", verbatim("sets"), hint)
    lists: list[tuple[str | None, Sets]] = list(sets.items()) if isinstance(sets, Mapping) else [(None, sets)]
    plain: list[FoldClaim] = []
    for name, rows in lists:
        plain += fold_claims(claim, replace(experiment, folds=None, sets=rows, repeats=1), deviations)
        for protocol in _of_one_list(asked, plain[-1]):
            yield replace(protocol, of=name, words=f"{name}: {protocol.words}" if name else protocol.words)
    if plain:
        yield _of_any_parts(asked, plain[0])


def _of_one_list(asked: _Asked, plain: FoldClaim) -> Iterator[Protocol]:
    report = plain.report()
    p, n = report.all_positives, report.total - report.all_positives
    words, sizes = f"means over {plain.what}", (plain.count, p, n)
    yield _means(asked, plain, "set_means", words, sizes)
    if (weighted := plain.weighted_by_size()) is not None:
        yield _means(asked, weighted, "set_means_by_size", f"{words} weighted by size", sizes)
    together = replace(asked.claim, positives=Size(p, p), negatives=Size(n, n))
    yield _one_table(together, "sets_pooled", f"all cases of {plain.what} together", deviated=bool(plain.deviations))
    yield from _constant([plain], p, n)


def _one_table(claim: TableClaim, code: ProtocolCode, words: str, *, deviated: bool) -> Protocol:
    """Tell whether a table of all cases has the scores; a deviation says nothing about it."""
    tried = try_readings(readings_of(claim, said=True), solve)
    if deviated:
        tried = tried._replace(departures=(_NO_DEVIATION, *tried.departures))
    assert claim.margins is not None
    count = tried.found.count
    reason = f"{count_of(count, 'table')} of this size {'fits' if count == 1 else 'fit'}"
    return _protocol(code, words, (1, *claim.margins), tried, reason)


_Sizes: TypeAlias = tuple[int | None, int | None, int | None]
_NO_AVERAGE: Final = "no average of any kind has these scores"


def _means(asked: _Asked, claim: FoldClaim, code: ProtocolCode, words: str, sizes: _Sizes) -> Protocol:
    """Tell whether means over parts can be the scores, and where they cannot, means over several rounds of them."""
    if not asked.averaged:
        return Protocol(code, words, *sizes, "impossible", _NO_AVERAGE)
    tried = try_readings(readings_of(claim, said=True, rows=OF_WAYS), partial(solve, effort=_EFFORT))
    if asked.often and (tried.departures or not tried.found.fits):
        tried = _nearest(tried, repeatedly(claim, [((), claim)], tried.readings))
    return _protocol(code, words, sizes, tried, tried.found.reason)


def _nearest(once: Tried, often: Tried) -> Tried:
    """Return the readings that depart in the fewest points, of one round and of several; cut-off digits come last."""
    fitting = [
        (each, departures)
        for each in (often, once)
        if each.found.fits
        for departures in (each.departures, *(other.departures for other in each.others))
    ]
    if not fitting:
        return often
    fewest = min(len(departures) for _, departures in fitting)
    near = [one for one in fitting if len(one[1]) == fewest]
    near.sort(key=lambda one: CUT_OFF in [departure.code for departure in one[1]])
    (tried, first), *others = near
    return tried._replace(departures=first, others=tuple(Reading(departures, "possible") for _, departures in others))


def _any_number(asked: _Asked, claim: FoldClaim, code: ProtocolCode, words: str, sizes: _Sizes) -> Protocol:
    """Tell whether means over any number of rounds of parts can be the scores; a no holds for one round too."""
    if not asked.averaged:
        return Protocol(code, words, *sizes, "impossible", _NO_AVERAGE)
    often = claim.changed(repeated=True, deviations=(), other_splits=())
    tables = number_of_tables(claim.parts)
    if tables > MOST_MIXED:
        # Where that takes long, parts of other sizes with such shares of positives are looked at before.
        shares = [p / max(p + n, 1) for part in claim.parts for p, n in part.margins()]
        if not any_average(often, readings_of(often, rows=OF_WAYS), (min(shares), max(shares)), means=True).fits:
            return Protocol(code, words, *sizes, "impossible", "no average over such parts has these scores")
        if tables > _MOST_TABLES:
            return Protocol(code, words, *sizes, "undecided", "the parts have too many tables to look at")
    tried = try_readings(readings_of(often, said=True, rows=OF_WAYS), solve)
    return _unless_deviated(claim, _protocol(code, words, sizes, tried, tried.found.reason))


def _of_uneven_parts(asked: _Asked, claim: FoldClaim) -> Protocol:
    """Tell how far the share of positives of parts must be off for an average over them to be the scores."""
    assert asked.claim.margins is not None
    (p, n), width = asked.claim.margins, None
    words = "means over parts with any share of positives"
    if asked.averaged:
        width = smallest_width(asked.claim, widened=False).width
    if width is not None:
        same = "with the share of positives of the data"
        words = f"means over parts {f'whose share of positives is off by about {width:.2f}' if width else same}"
    room = 1.0 if width is None else width + _ROOM
    shares = max(p / (p + n) - room, 0), min(p / (p + n) + room, 1)
    return _of_any_parts(asked, claim, "part_means", words, (None, p, n), shares, width)


def _of_any_parts(
    asked: _Asked,
    claim: FoldClaim,
    code: ProtocolCode = "any_means",
    words: str = "averages of any kind",
    sizes: _Sizes = (None, None, None),
    shares: tuple[float, float] = (0.0, 1.0),
    width: float | None = None,
) -> Protocol:
    """Tell whether parts were found whose average is the scores, and whose shares of positives lie between two."""
    protocol = partial(Protocol, code, words, *sizes, width=width)
    if not asked.averaged:
        return protocol("impossible", _NO_AVERAGE)
    averages = averages_of(asked.claim, widened=False)
    parts = None if averages is None else averages.decide(*shares)
    if isinstance(parts, tuple) and has_average(asked.claim, parts):
        return _unless_deviated(
            claim, protocol("possible", f"an average over {count_of(len(parts), 'table')} was found")
        )
    return protocol("undecided", "none was found, and medians or scores under other names are not ruled out")


def _unless_deviated(claim: FoldClaim, protocol: Protocol) -> Protocol:
    """Return what is said of means, where no deviations are printed beside them: whether these fit is not known."""
    if not claim.deviations or not protocol.fits:
        return protocol
    return replace(protocol, verdict="undecided", reason="whether the deviations fit is not known", departures=())


def _protocol(code: ProtocolCode, words: str, sizes: _Sizes, tried: Tried, reason: str) -> Protocol:
    verdicts = {reading.verdict for reading in tried.readings}
    if "possible" in verdicts:
        verdict: ProtocolVerdict = "conditional" if tried.departures else "possible"
        return Protocol(code, words, *sizes, verdict, reason, tried.departures, others=tried.others)
    return Protocol(code, words, *sizes, "undecided" if "undecided" in verdicts else "impossible", reason)


def _constant(means: Sequence[FoldClaim], p: int, n: int) -> Iterator[Protocol]:
    """Try classifiers that always say the same: on all cases together, and as means over the same parts."""
    together = replace(means[0], parts=(EqualParts(p, n),), groups=(), over="pooled", deviations=())
    first: tuple[Departure, ...] = (_NO_DEVIATION,) if means[0].deviations else ()
    readings = list(readings_from([(first, together)], FILLS))
    for claim in means:
        readings += [((means_over(claim.what), *rest), read) for rest, read in readings_of(claim, said=True)]
    readings.sort(key=lambda reading: len(reading[0]))

    def always(p: int, n: int, *, positive: bool) -> Table:
        return Table(tp=p, fn=0, fp=n, tn=0) if positive else Table(tp=0, fn=p, fp=0, tn=n)

    def has(claim: FoldClaim, *, positive: bool) -> Solution:
        parts = [part for part in claim.parts if isinstance(part, EqualParts)]
        witness = tuple((always(part.positives, part.negatives, positive=positive),) * part.count for part in parts)
        known = len(parts) == len(claim.parts)
        return Solution(claim, fits=known and claim.report().holds(witness), certain=known, complete=known, reason="")

    ways: list[tuple[ProtocolCode, str, bool]] = [
        ("always_positive", "positive", p > n),
        ("always_negative", "negative", n > p),
    ]
    for code, word, larger in ways:
        positive = code == "always_positive"
        tried = try_readings(readings, partial(has, positive=positive))
        cells = always(p, n, positive=positive).cells()
        reason = f"the table is {' '.join(f'{name} {count}' for name, count in cells.items())}"
        words = f"a classifier that always says {word}{' (the larger class)' * larger}"
        yield _protocol(code, words, (1, p, n), tried, reason)
