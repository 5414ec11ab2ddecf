"""Readings: what a report could have meant where it does not say.

A report is first taken as it stands. Where nothing fits it so, the rows of `READINGS` are tried in their order, those
that depart in one point before those that depart in two. With enough freedom everything is possible, so nothing is
tried that changes a printed number. What the user says is not tried otherwise. To add a reading, add its row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

from ..errors import InputError
from ..metrics import CONVENTIONS, STRICT, Average, Convention
from ..reported import ROUNDINGS
from ..shape import Record
from ..words import listed, told_once
from .claim import Claim, ClaimedScore, TableClaim, check_claimable, is_of_class
from .classes import ClassClaim
from .folds import DEVIATIONS, FoldClaim


class Departure(NamedTuple):
    """One point in which a reading departs from a report as it stands."""

    code: Annotated[str, "What is read differently; stable, for programs."]
    words: Annotated[str, "The condition, in words."]


@dataclass(frozen=True)
class Reading(Record, members="departures verdict"):
    """One way to read a report, and whether anything fits it so."""

    departures: Annotated[
        tuple[Departure, ...], "Where it departs from the report as it stands; empty for the report itself."
    ]
    verdict: Annotated[Literal["possible", "impossible", "undecided"], "Whether any table fits."]

    @property
    def words(self) -> str:
        """Say what must be so."""
        words = [departure.words for departure in self.departures]
        return listed(words) if words else "as it stands"


#: What every answer says about how a report was read.
Departures: TypeAlias = Annotated[
    tuple[Departure, ...], "What must be read differently from the report as it stands; empty if nothing must."
]
Readings: TypeAlias = Annotated[
    tuple[Reading, ...], "All readings that were tried, in order; the first is the report as it stands."
]
#: Where a reading departs, and the claim as it then reads.
Alternative: TypeAlias = tuple[tuple[Departure, ...], Any]


class ReadingRow(NamedTuple):
    """A row of the table of readings: its code, the layouts it is for, and the claims as they then read, with words."""

    code: str
    layouts: tuple[type[Claim], ...]
    changed: Callable[[Any], Iterable[tuple[str, Any]]]
    #: Whether it is tried beside what was said about undefined scores, and with every way to count them.
    always: bool = False
    filled_too: bool = False
    #: Of a row about undefined scores: what prints them so, what they count as, and the words of one table.
    printed_by: str = ""
    convention: Convention | None = None
    words: str = ""


def _undefined(code: str, convention: str, of_table: str, of_part: str, printed_by: str = "") -> ReadingRow:
    """Return the row that undefined scores count as something, in words of one table and of parts."""
    meant = CONVENTIONS[convention]
    assert meant is not None

    def changed(claim: Claim) -> Iterator[tuple[str, Claim]]:
        if claim.may_be_undefined(meant):  # type: ignore[attr-defined]
            of_parts = isinstance(claim, FoldClaim) and claim.over == "mean"
            yield of_part if of_parts else of_table, replace(claim, convention=meant)

    return ReadingRow(code, (Claim,), changed, printed_by=printed_by, convention=meant, words=of_table)


# Tables at which a score that treats both classes alike is told from others.
_TRIED: Final = ({"tp": 3, "fn": 5, "fp": 7, "tn": 11}, {"tp": 2, "fn": 9, "fp": 1, "tn": 4})


def _other_class(claim: TableClaim) -> Iterator[tuple[str, TableClaim]]:
    """Take the other class as the positive one, for scores that do not say of which class they are."""
    scores = []
    for claimed in claim.scores:
        formula, other = claimed.metric.formula, claimed.metric.negative()
        alike = formula == other.formula or all(formula.exact(t) == other.formula.exact(t) for t in _TRIED)
        scores.append(claimed if alike or is_of_class(claimed.name) else replace(claimed, metric=other))
    if tuple(scores) != claim.scores:
        yield f"the scores take the {claim.labels[0]} class as the positive one", claim.having(tuple(scores))


def _averaged(average: Average) -> Callable[[TableClaim], Iterator[tuple[str, TableClaim]]]:
    """Return how a claim reads where all scores of a bare name are averages; micro averages are accuracy."""

    def changed(claim: TableClaim) -> Iterator[tuple[str, TableClaim]]:
        averaged = [averaged_score(claimed, average) for claimed in claim.scores]
        names = [claimed.name for claimed in averaged if claimed is not None]
        if names:
            scores = tuple(new or old for new, old in zip(averaged, claim.scores, strict=True))
            yield _average_words(names, average), claim.having(scores)

    return changed


def _average_words(names: list[str], average: str) -> str:
    return f"{listed(names)} are {average} averages" if len(names) > 1 else f"{names[0]} is the {average} average"


def averaged_score(claimed: ClaimedScore, average: Average) -> ClaimedScore | None:
    """Return a score as an average; None where that is the same metric or no table could be searched for it."""
    if claimed.metric.over_classes is not None or claimed.is_count or claimed.is_area or is_of_class(claimed.name):
        return None
    if claimed.reported.rounding not in ROUNDINGS:
        # Who gives a number as exact, or its bounds, knows what it is.
        return None
    averaged = claimed.metric.averaged(average)
    try:
        check_claimable(claimed.name, averaged, claimed.reported)
    except InputError:
        return None
    return replace(claimed, metric=averaged)


def _several_labels(claim: ClassClaim) -> Iterator[tuple[str, ClassClaim]]:
    if claim.may_be_multilabel:
        words = "a case can have several labels, in at most as many cases as labels"
        yield words, replace(claim, multilabel=True)


def _other_splits(claim: FoldClaim) -> Iterator[tuple[str, FoldClaim]]:
    for parts in claim.other_splits:
        yield "scikit-learn did not deal the folds, but another tool", replace(claim, parts=parts)


def _in_single(claim: Claim) -> Iterator[tuple[str, Claim]]:
    # Such a score is rounded twice: when it is computed, and when it is printed.
    if (changed := claim.in_single()) != claim:
        yield "the scores were 32-bit floats before they were rounded", changed


READINGS: Final = (
    _undefined("undefined_as_zero", "zero", "an undefined score was printed as 0",
        "an undefined score of a fold counted as 0 (as scikit-learn does)", "as scikit-learn does"),
    _undefined("undefined_left_out", "excluded", "a class without a value was left out of its average",
        "a fold without a value was left out of the mean"),
    _undefined("undefined_as_one", "one", "an undefined score was printed as 1",
        "an undefined score of a fold counted as 1 (as scikit-learn does with zero_division=1)",
        "as scikit-learn does with zero_division=1"),
    ReadingRow("other_class", (TableClaim,), _other_class, filled_too=True),
    ReadingRow("macro_average", (TableClaim,), _averaged("macro"), filled_too=True),
    ReadingRow("weighted_average", (TableClaim,), _averaged("weighted"), filled_too=True),
    ReadingRow("several_labels", (ClassClaim,), _several_labels, filled_too=True),
    ReadingRow("folds_dealt_otherwise", (FoldClaim,), _other_splits, always=True),
)  # fmt: skip
#: How a score was kept has nothing to do with what it means, so this goes with every other reading.
SINGLE: Final = ReadingRow("single_precision", (Claim,), _in_single, always=True)
FILLS: Final = tuple(row for row in READINGS if row.printed_by)
#: What undefined scores of one table can count as, and how that is told.
UNDEFINED: Final = {row.convention: Departure(row.code, row.words) for row in READINGS if row.convention is not None}

_SPREADS: Final = {
    "sd": Departure("spread_sd", "± is the standard deviation with n as its divisor"),
    "sample_sd": Departure("spread_sample_sd", "± is the standard deviation with n - 1 as its divisor"),
    "standard_error": Departure("spread_standard_error", "± is the standard error of the mean"),
}


def readings_of(claim: Any) -> Iterator[Alternative]:
    """Yield the readings of a report: as it stands, then by in how many points they depart."""
    plain: list[Alternative] = [((), claim)]
    # Where a point has no plain reading, each way to take it is one.
    if isinstance(claim, ClassClaim) and (bare := [claimed.name for claimed in claim.scores if claimed.bare]):
        averages: tuple[Average, ...] = ("macro", "weighted", "micro")
        plain = [((Departure(f"{a}_average", _average_words(bare, a)),), claim.averaged(a)) for a in averages]
    if isinstance(claim, FoldClaim) and claim.deviations and claim.spread == "any":
        plain = [((_SPREADS[kind],), replace(claim, spread=kind)) for kind in DEVIATIONS]
    return readings_from(plain)


def readings_from(plain: Sequence[Alternative], rows: Sequence[ReadingRow] = READINGS) -> Iterator[Alternative]:
    """Yield plain readings, then what the rows of the table make of them.

    What is said about undefined scores is kept; where nothing is, they may not occur unless a row says so.
    """
    yield _settled(plain[0])
    spared = [(departures, claim.sparing()) for departures, claim in plain]
    others = [*plain[1:]]
    for row in rows:
        changed = [one for pair in spared for one in _changes(row, pair)]
        others += changed
        for fill in FILLS if row.filled_too else ():
            others += [one for pair in changed for one in _changes(fill, pair)]
    kept = [one for pair in [plain[0], *others] for one in _changes(SINGLE, pair)]
    yield from map(_settled, sorted([*others, *kept], key=lambda reading: len(reading[0])))


def _settled(reading: Alternative) -> Alternative:
    departures, claim = reading
    return departures, claim if claim.convention is not None else replace(claim, convention=STRICT)


def _changes(row: ReadingRow, reading: Alternative) -> Iterator[Alternative]:
    """Yield a reading with one more departure, where the row applies."""
    departures, claim = reading
    if isinstance(claim, row.layouts) and (row.always or claim.convention is None):
        for words, changed in row.changed(claim):
            yield (*departures, Departure(row.code, words)), changed


class Tried(NamedTuple):
    """What trying readings came to: all that were tried, the first that fits with what was found, and others."""

    readings: tuple[Reading, ...]
    claim: Any
    found: Any
    departures: tuple[Departure, ...] = ()
    #: Other readings that depart in as few points and fit too.
    others: tuple[Reading, ...] = ()


def try_readings(readings: Iterable[Alternative], solve: Callable[[Any], Any]) -> Tried:
    """Try readings until something fits one, and those that depart in no more points than that one.

    `solve` returns a solution. Where nothing fits, the claim and the solution are those of the first reading.
    """
    tried: list[Reading] = []
    fitting: list[tuple[tuple[Departure, ...], Any, Any]] = []
    first: tuple[Any, Any] = (None, None)
    for departures, claim in readings:
        if fitting and len(departures) > len(fitting[0][0]):
            break
        solution = solve(claim)
        if not tried:
            first = claim, solution
        tried.append(Reading(departures, solution.verdict))
        if solution.fits:
            fitting.append((departures, claim, solution))
        if not departures and solution.verdict != "impossible":
            break
    if not fitting:
        return Tried(_told_once(tried), *first)
    others = tuple(Reading(departures, "possible") for departures, _, _ in fitting[1:])
    return Tried(_told_once(tried), *fitting[0][1:], fitting[0][0], others)


def _told_once(readings: Sequence[Reading]) -> tuple[Reading, ...]:
    """Put readings of the same words together: possible where one is, impossible where all are."""
    verdicts: dict[tuple[Departure, ...], list[Any]] = {}
    for reading in readings:
        verdicts.setdefault(reading.departures, []).append(reading.verdict)
    order = ("possible", "undecided", "impossible")
    return tuple(Reading(departures, min(each, key=order.index)) for departures, each in verdicts.items())


def worded(departure: Departure, undefined: Iterable[str]) -> Departure:
    """Return the departure that undefined scores were printed as something, with the names of these scores."""
    row = next((row for row in FILLS if row.code == departure.code), None)
    if row is None or "of a fold" in departure.words:
        return departure
    lower = sorted({name[:1].lower() + name[1:] if name[1:2].islower() else name for name in undefined})
    words = departure.words.replace("score", listed(lower), 1) if lower else departure.words
    return departure._replace(words=f"{words} ({row.printed_by})")


def joined_words(departures: tuple[Departure, ...], others: Iterable[Reading]) -> str:
    """Say what must be so, where one of several readings must be.

    Examples
    --------
    >>> some, other = Departure("a", "the scores are cut off"), Departure("b", "they are means")
    >>> joined_words((some,), [Reading((other,), "possible")])
    'the scores are cut off, or if they are means'
    """
    return ", or if ".join(told_once([Reading(departures, "possible").words, *(reading.words for reading in others)]))


def means_over(what: str) -> Departure:
    """Return the departure that scores are means over some parts."""
    return Departure("means_over_folds", f"the scores are means over {what}")
