"""In which way reported scores can have been computed: on one test set, as means over folds, by who never looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Final, Literal, TypeAlias

from ..errors import InputError, Note, Notes, verbatim
from ..metrics import Convention
from ..shape import Count, Record, Result
from ..space.experiment import EqualParts
from ..table import Table, whole
from ..words import count_of
from .claim import BUDGET, ClaimedScore, Size, TableClaim
from .folds import AnySpread, Experiment, FoldClaim, Sets, fold_claims
from .intervals import take_apart
from .readings import FILLS, Departure, Departures, Reading, Tried, means_over, readings_from, readings_of, try_readings
from .recovery import Cases, PrintedScore
from .solution import Solution, solve

ProtocolCode: TypeAlias = Literal[
    "one_test_set", "fold_means", "leave_one_out", "set_means", "set_means_by_size", "sets_pooled", "always_positive",
    "always_negative",
]  # fmt: skip
#: What a report can be said to be in one way: never unexplained, as each way is known.
ProtocolVerdict: TypeAlias = Literal["possible", "conditional", "impossible", "undecided"]
#: Test sets, or several lists of them by name, of which one was used.
NamedSets: TypeAlias = Sets | Mapping[str, Sets]

# Each way gets so much of the effort that a question about it alone would.
_EFFORT: Final = 0.3
_NO_DEVIATION: Final = Departure("spread_no_deviation", "± is no deviation over folds or sets")


@dataclass(frozen=True)
class Protocol(Record, members="code words of parts positives negatives verdict departures reason"):
    """One way in which scores can have been computed, and whether the reported ones fit it."""

    code: Annotated[ProtocolCode, "Which way; stable, for programs."]
    words: Annotated[str, "The way, in words."]
    parts: Annotated[Count, "The number of folds, sets or cases over which means are taken; 1 for all cases together."]
    positives: Annotated[Count, "Actual positives of all parts."]
    negatives: Annotated[Count, "Actual negatives of all parts."]
    verdict: Annotated[ProtocolVerdict, "conditional: possible only under another reading of the report."]
    reason: Annotated[str, "How it was decided, or why it was not."]
    departures: Departures = ()
    of: Annotated[str | None, "Which test sets, where there are several lists of them."] = None

    @property
    def fits(self) -> bool:
        """Whether the scores can have been computed in this way."""
        return self.verdict in ("possible", "conditional")

    @property
    def looks(self) -> bool:
        """Whether the classifier looks at a case before it answers."""
        return self.code not in ("always_positive", "always_negative")

    @property
    def condition(self) -> str:
        """What must be so for the scores to fit, in words; empty where nothing must."""
        return Reading(self.departures, "possible").words if self.departures else ""


@dataclass(frozen=True)
class Protocols(Result, schema="protocols", source="`protocols`", members="verdict scores protocols notes"):
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

    @property
    def verdict(self) -> ProtocolVerdict:
        """The best verdict of all ways; undecided if none fits and at least one was not decided."""
        verdicts = {protocol.verdict for protocol in self.protocols}
        order: tuple[ProtocolVerdict, ...] = ("possible", "conditional", "undecided")
        return next((verdict for verdict in order if verdict in verdicts), "impossible")

    def fitting(self) -> tuple[Protocol, ...]:
        """Return the ways that fit."""
        return tuple(protocol for protocol in self.protocols if protocol.fits)

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each way."""
        return [
            {
                "protocol": each.code,
                "words": each.words,
                "of": each.of,
                "parts": each.parts,
                "verdict": each.verdict,
                "only_if": each.condition,
                "reason": each.reason,
            }
            for each in self.protocols
        ]


def protocols(
    *,
    positives: Cases = None,
    negatives: Cases = None,
    total: Cases = None,
    sets: NamedSets | None = None,
    repeats: int | str = 1,
    spread: AnySpread | str = "any",
    rounding: str = "any",
    undefined: Convention | str = "any",
    budget: int | str = BUDGET,
    **scores: PrintedScore,
) -> Protocols:
    """Find out in which ways reported scores can have been computed.

    It tries one test set, means over 2 to 20 stratified folds and over single cases (leave-one-out), and classifiers
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
        How often the cross-validation was repeated.
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
    experiment = Experiment(folds="any", spread=spread, repeats=whole(repeats, "repeats", text=True))
    printed = {name: value for name, value in scores.items() if value is not None}
    given, deviations, intervals = take_apart(printed, spread, of_parts=True)
    notes: Notes = tuple(
        Note("interval_not_checked", f"the interval of {name} was not checked", {"name": name}) for name in intervals
    )
    sizes = {"positives": positives, "negatives": negatives, "total": total}
    given |= {name: size for name, size in sizes.items() if size is not None}
    claim = TableClaim.read({**given, "rounding": rounding, "undefined": undefined, "budget": budget})
    if sets is not None:
        tried = _of_sets(claim, experiment, deviations, sets)
    elif claim.margins is None:
        hint = "give --positives and --negatives, or --sets"
        raise InputError("empty", "positives", "must be known, and negatives too", verbatim("none"), hint)
    else:
        tried = _of_data_set(claim, experiment, deviations)
    found = tuple(tried)
    open_ones = [protocol.words for protocol in found if protocol.verdict == "undecided"]
    if open_ones:
        words = f"{len(open_ones)} of {len(found)} ways were not decided; recover makes more effort for one of them"
        notes = (*notes, Note("budget_spent", words, {"protocols": open_ones}))
    return Protocols(claim.scores, found, (*claim.notes, *notes))


def _of_data_set(claim: TableClaim, experiment: Experiment, deviations: Mapping[str, str]) -> Iterator[Protocol]:
    """Try the ways in which one data set can have been used."""
    assert claim.margins is not None
    p, n = claim.margins
    folded = list(fold_claims(claim, experiment, deviations))
    yield _one_table(claim, "one_test_set", "one test set", deviated=bool(deviations))
    for each in folded:
        yield _means(each, "fold_means", f"means over {each.what}", (each.count // experiment.repeats, p, n))
    single = tuple(part for part in (EqualParts(1, 0, p), EqualParts(0, 1, n)) if part.count)
    cases = f"{p + n} single cases (leave-one-out)"
    alone = replace(folded[0], parts=single, what=cases)
    yield _means(alone, "leave_one_out", f"means over {cases}", (p + n, p, n))
    yield from _constant(folded, p, n)


def _of_sets(
    claim: TableClaim, experiment: Experiment, deviations: Mapping[str, str], sets: NamedSets
) -> Iterator[Protocol]:
    """Try the ways in which test sets can have been used, for each list of them."""
    if any(size != Size() for size in (claim.positives, claim.negatives, claim.total)):
        raise InputError(
            "usage", "sets", "cannot be given together with sizes", verbatim("sets"), "leave the sizes out"
        )
    lists: list[tuple[str | None, Sets]] = list(sets.items()) if isinstance(sets, Mapping) else [(None, sets)]
    for name, rows in lists:
        [plain] = fold_claims(claim, replace(experiment, folds=None, sets=rows, repeats=1), deviations)
        for protocol in _of_one_list(claim, plain):
            yield replace(protocol, of=name, words=f"{name}: {protocol.words}" if name else protocol.words)


def _of_one_list(claim: TableClaim, plain: FoldClaim) -> Iterator[Protocol]:
    report = plain.report()
    p, n = report.all_positives, report.total - report.all_positives
    words = f"means over {plain.what}"
    yield _means(plain, "set_means", words, (plain.count, p, n))
    if len({part.total for part in plain.parts}) > 1 and not plain.deviations:
        by_size = tuple(replace(part, weight=part.weight * part.total) for part in plain.parts)
        weighted = replace(plain, parts=by_size)
        yield _means(weighted, "set_means_by_size", f"{words} weighted by size", (plain.count, p, n))
    together = replace(claim, positives=Size(p, p), negatives=Size(n, n))
    yield _one_table(together, "sets_pooled", f"all cases of {plain.what} together", deviated=bool(plain.deviations))
    yield from _constant([plain], p, n)


def _one_table(claim: TableClaim, code: ProtocolCode, words: str, *, deviated: bool) -> Protocol:
    """Tell whether a table of all cases has the scores; a deviation says nothing about it."""
    tried = try_readings(readings_of(claim), solve)
    if deviated:
        tried = tried._replace(departures=(_NO_DEVIATION, *tried.departures))
    assert claim.margins is not None
    count = tried.found.count
    reason = f"{count_of(count, 'table')} of this size {'fits' if count == 1 else 'fit'}"
    return _protocol(code, words, (1, *claim.margins), tried, reason)


def _means(claim: FoldClaim, code: ProtocolCode, words: str, sizes: tuple[int, int, int]) -> Protocol:
    """Tell whether means over parts can be the scores."""
    tried = try_readings(readings_of(claim), partial(solve, effort=_EFFORT))
    return _protocol(code, words, sizes, tried, tried.found.reason)


def _protocol(code: ProtocolCode, words: str, sizes: tuple[int, int, int], tried: Tried, reason: str) -> Protocol:
    verdicts = {reading.verdict for reading in tried.readings}
    if "possible" in verdicts:
        verdict: ProtocolVerdict = "conditional" if tried.departures else "possible"
        return Protocol(code, words, *sizes, verdict, reason, tried.departures)
    return Protocol(code, words, *sizes, "undecided" if "undecided" in verdicts else "impossible", reason)


def _constant(means: Sequence[FoldClaim], p: int, n: int) -> Iterator[Protocol]:
    """Try classifiers that always say the same: on all cases together, and as means over the same parts."""
    together = replace(means[0], parts=(EqualParts(p, n),), groups=(), over="pooled", deviations=())
    first: tuple[Departure, ...] = (_NO_DEVIATION,) if means[0].deviations else ()
    readings = list(readings_from([(first, together)], FILLS))
    for claim in means:
        readings += [((means_over(claim.what), *rest), read) for rest, read in readings_of(claim)]
    readings.sort(key=lambda reading: len(reading[0]))
    for positive, larger in ((True, p > n), (False, n > p)):
        tried = try_readings(readings, partial(_has, positive=positive))
        cells = _always(EqualParts(p, n), positive=positive).cells()
        reason = f"the table is {' '.join(f'{name} {count}' for name, count in cells.items())}"
        words = (
            f"a classifier that always says {'positive' if positive else 'negative'}{' (the larger class)' * larger}"
        )
        yield _protocol("always_positive" if positive else "always_negative", words, (1, p, n), tried, reason)


def _has(claim: FoldClaim, *, positive: bool) -> Solution:
    """Tell whether a classifier that says positive, or negative, of every case has the scores."""
    parts = [part for part in claim.parts if isinstance(part, EqualParts)]
    witness = tuple((_always(part, positive=positive),) * part.count for part in parts)
    known = len(parts) == len(claim.parts)
    fits = known and claim.report().holds(witness)
    return Solution(claim, fits=fits, certain=known, complete=known, reason="")


def _always(part: EqualParts, *, positive: bool) -> Table:
    p, n = part.positives, part.negatives
    return Table(tp=p, fn=0, fp=n, tn=0) if positive else Table(tp=0, fn=p, fp=0, tn=n)
