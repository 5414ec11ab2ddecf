"""Readings: what a report could have meant where it does not say.

A report is first taken as it stands. Where no table fits it so, other conventions are tried: few, in a fixed order,
those that depart in one point before those that depart in two. With enough freedom everything is possible, so nothing
is tried that changes a printed number. What the user says is not tried otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

from ..errors import InputError
from ..metrics import AVERAGES, STRICT, Average, Convention
from ..reported import ROUNDINGS
from ..shape import Record
from ..space import undefined_tables
from ..words import listed, told_once
from .claim import Claim, ClaimedScore, check_claimable, is_of_class
from .classes import ClassClaim
from .search import holes_of


class Departure(NamedTuple):
    """One point in which a reading departs from a report as it stands."""

    code: Annotated[str, "What is read differently; stable, for programs."]
    words: Annotated[str, "The condition, in words."]


@dataclass(frozen=True)
class Reading(Record, members="departures verdict"):
    """One way to read a report, and whether any table fits it so."""

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

AnyClaim = TypeVar("AnyClaim")
_Alternative: TypeAlias = tuple[tuple[Departure, ...], AnyClaim]

ZERO, EXCLUDED = Convention(fill=Fraction(0)), Convention(drop=True)
_ZERO: Final = Departure("undefined_as_zero", "an undefined score was printed as 0")
LEFT_OUT: Final = Departure("undefined_left_out", "a class without a value was left out of its average")
_OTHER_CLASS: Final = Departure("other_class", "the scores take the other class as the positive one")
_SEVERAL_LABELS: Final = Departure(
    "several_labels", "a case can have several labels, in at most as many cases as labels"
)
#: Such a score is rounded twice: when it is computed, and when it is printed.
SINGLE: Final = Departure("single_precision", "the scores were 32-bit floats before they were rounded")


# Where sizes are open, so many rows are looked at for a reading other than the plain one.
_LOOKED_AT: Final = 30_000


def as_zero(names: Iterable[str]) -> Departure:
    """Return the departure that undefined scores of some names were printed as 0."""
    lower = sorted({name[:1].lower() + name[1:] if name[1:2].islower() else name for name in names})
    words = _ZERO.words.replace("score", listed(lower), 1) if lower else _ZERO.words
    return _ZERO._replace(words=f"{words} (as scikit-learn does)")


def is_zero(departure: Departure) -> bool:
    """Tell whether a departure is that undefined scores were printed as 0."""
    return departure.code == _ZERO.code


class Tried(NamedTuple):
    """What trying readings came to: all that were tried, the first that fits with what was found, and others."""

    readings: tuple[Reading, ...]
    claim: Any
    found: Any
    departures: tuple[Departure, ...] = ()
    #: Other readings that depart in as few points and fit too.
    others: tuple[Reading, ...] = ()


def try_readings(
    readings: Iterable[_Alternative[AnyClaim]], solve: Callable[[AnyClaim], tuple[Any, bool, bool]]
) -> Tried:
    """Try readings until tables fit one, and those that depart in no more points than that one.

    `solve` returns what it found, whether anything fits, and whether that is certain. Where nothing fits, the claim and
    what was found are those of the first reading.
    """
    tried: list[Reading] = []
    first: tuple[AnyClaim, Any] | None = None
    fitting: list[tuple[tuple[Departure, ...], AnyClaim, Any]] = []
    for departures, claim in readings:
        if fitting and len(departures) > len(fitting[0][0]):
            break
        found, possible, certain = solve(claim)
        first = first or (claim, found)
        tried.append(Reading(departures, "possible" if possible else "impossible" if certain else "undecided"))
        if possible:
            fitting.append((departures, claim, found))
        if not departures and (possible or not certain):
            break
    assert first is not None
    if not fitting:
        return Tried(tuple(tried), *first)
    others = tuple(Reading(departures, "possible") for departures, _, _ in fitting[1:])
    return Tried(tuple(tried), fitting[0][1], fitting[0][2], fitting[0][0], others)


def joined_words(departures: tuple[Departure, ...], others: Iterable[Reading]) -> str:
    """Say what must be so, where one of several readings must be.

    Examples
    --------
    >>> joined_words((_OTHER_CLASS,), [Reading((LEFT_OUT,), "possible")])
    'the scores take the other class as the positive one, or if a class without a value was left out of its average'
    """
    return ", or if ".join(told_once([Reading(departures, "possible").words, *(reading.words for reading in others)]))


def also_in_single(
    readings: Iterable[_Alternative[AnyClaim]], in_single: Callable[[AnyClaim], AnyClaim]
) -> Iterator[_Alternative[AnyClaim]]:
    """Walk readings by how many points they depart in, also with scores that were 32-bit floats.

    `in_single` returns a claim as it reads then. How a score was kept has nothing to do with what it means, so this
    goes with every reading.
    """
    walk = iter(readings)
    plain = next(walk)
    yield plain
    others = [plain, *walk]
    kept = [((*departures, SINGLE), changed) for departures, claim in others if (changed := in_single(claim)) != claim]
    yield from sorted([*others[1:], *kept], key=lambda reading: len(reading[0]))


def readings_of_table(claim: Claim) -> Iterator[_Alternative[Claim]]:
    """Walk the readings of a report about one table, the plain one first."""
    return also_in_single(_readings_of_table(claim), _table_in_single)


def _table_in_single(claim: Claim) -> Claim:
    cases = 0 if claim.open_ended else claim.largest_total
    return claim.having(tuple(claimed.in_single(cases) for claimed in claim.scores))


def _readings_of_table(claim: Claim) -> Iterator[_Alternative[Claim]]:
    if claim.convention is not None:
        yield (), claim
        return
    yield (), replace(claim, convention=STRICT)
    if claim.undecidable:
        # No search can rule out tables of all sizes, so that it only looks for some that fit.
        claim = replace(claim, budget=min(claim.budget, _LOOKED_AT))
    if _with_holes(claim, ZERO):
        yield (_ZERO,), replace(claim, convention=ZERO)
    if _with_holes(claim, EXCLUDED):
        yield (LEFT_OUT,), replace(claim, convention=EXCLUDED)
    meant: list[tuple[Departure, Claim]] = []
    if (other := _other_class(claim)) is not None:
        words = f"the scores take the {claim.labels[0]} class as the positive one"
        meant.append((_OTHER_CLASS._replace(words=words), other))
    meant += [(departure, changed) for average in AVERAGES for departure, changed in _averages(claim, average)]
    for departure, changed in meant:
        yield (departure,), replace(changed, convention=STRICT)
    # Who never predicts a class has a score or a part of an average that is undefined: a usual case of two departures.
    for departure, changed in meant:
        if _with_holes(changed, ZERO):
            yield (departure, _ZERO), replace(changed, convention=ZERO)


def _with_holes(claim: Claim, convention: Convention) -> bool:
    """Tell whether a convention makes a difference."""
    holes = holes_of(replace(claim, convention=convention))
    if claim.margins is None:
        return bool(holes)
    return any(len(undefined_tables(hole, *claim.margins, most_rows=claim.budget)) for hole in holes)


def _other_class(claim: Claim) -> Claim | None:
    """Take the other class as the positive one, for scores that do not say of which class they are."""
    scores = tuple(
        claimed if _is_settled(claimed) else replace(claimed, metric=claimed.metric.negative())
        for claimed in claim.scores
    )
    return None if scores == claim.scores else claim.having(scores)


# Tables at which a score that treats both classes alike is told from others.
_TRIED: Final = ({"tp": 3, "fn": 5, "fp": 7, "tn": 11}, {"tp": 2, "fn": 9, "fp": 1, "tn": 4})


def _is_settled(claimed: ClaimedScore) -> bool:
    """Tell whether a score is the same whichever class is the positive one: its name says its class, or it has none."""
    if is_of_class(claimed.name):
        return True
    formula, other = claimed.metric.formula, claimed.metric.negative().formula
    return formula == other or all(formula.exact(table) == other.exact(table) for table in _TRIED)


def _averages(claim: Claim, average: Average) -> Iterator[tuple[Departure, Claim]]:
    """Take all scores that have a bare name as averages over the classes; micro averages are accuracy."""
    averaged = [averaged_score(claimed, average) for claimed in claim.scores]
    names = [claimed.name for claimed in averaged if claimed is not None]
    if names and average != "micro":
        scores = tuple(new or old for new, old in zip(averaged, claim.scores, strict=True))
        yield _average(names, average), claim.having(scores)


def _average(names: list[str], average: str) -> Departure:
    verb = "are" if len(names) > 1 else "is"
    whole = f"{average} averages" if len(names) > 1 else f"the {average} average"
    return Departure(f"{average}_average", f"{listed(names)} {verb} {whole}")


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


def readings_of_classes(claim: ClassClaim) -> Iterator[_Alternative[ClassClaim]]:
    """Walk the readings of a report about several classes, the plain one first.

    A bare name of a score of one class has no plain reading: it is one average or another.
    """
    return also_in_single(_readings_of_classes(claim), _classes_in_single)


def _classes_in_single(claim: ClassClaim) -> ClassClaim:
    return claim.having(tuple(claimed.in_single(claim.total.high or 0) for claimed in claim.scores))


def _readings_of_classes(claim: ClassClaim) -> Iterator[_Alternative[ClassClaim]]:
    bare = [claimed.name for claimed in claim.scores if claimed.bare]
    meant: list[_Alternative[ClassClaim]] = [((), claim)]
    if bare:
        meant = [((_average(bare, average),), claim.averaged(average)) for average in ("macro", "weighted", "micro")]
    if claim.convention is not None:
        yield from meant
        return
    for departures, changed in meant:
        yield departures, replace(changed, convention=STRICT)
    for departures, changed in meant:
        if changed.may_have_holes(ZERO):
            yield (*departures, _ZERO), replace(changed, convention=ZERO)
    for departures, changed in meant:
        if any(claimed.score.mean for claimed in changed.scores):
            yield (*departures, LEFT_OUT), replace(changed, convention=EXCLUDED)
    for departures, changed in meant:
        if changed.may_be_multilabel:
            several = replace(changed, multilabel=True)
            yield (*departures, _SEVERAL_LABELS), replace(several, convention=STRICT)
            yield (*departures, _SEVERAL_LABELS, _ZERO), replace(several, convention=ZERO)
