"""Readings: what a report could have meant where it does not say.

A report is first taken as it stands. Where nothing fits it so, the rows of `READINGS` are tried in their order, those
that depart in one point before those that depart in two. With enough freedom everything is possible, so nothing is
tried that changes a printed number. What the user says is not tried otherwise. To add a reading, add its row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

from ..errors import InputError, TooLarge
from ..exact import cells
from ..exact.reported import ROUNDINGS, Reported
from ..metrics import ACCURACY, CONVENTIONS, METRICS, STRICT, Average, Convention
from ..shape import Record
from ..solve.experiment import OfPresentClasses
from ..words import listed, told_once
from .claim import Claim, ClaimedScore, TableClaim, check_claimable, is_of_class
from .classes import ClassClaim, ClassScore
from .folds import DEVIATIONS, FoldClaim

_T = TypeVar("_T")


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
    #: Whether it is tried together with every way to count undefined scores, and with F1 computed from averages.
    joined: bool = False
    #: Whether it is tried where all else is said.
    always: bool = False
    #: Of a row about undefined scores: what prints them so, what they count as, and the words of one table.
    printed_by: str = ""
    convention: Convention | None = None
    words: str = ""


def _undefined(code: str, convention: str, of_table: str, of_part: str, printed_by: str = "") -> ReadingRow:
    """Return the row that undefined scores count as something, in words of one table and of parts."""
    meant = CONVENTIONS[convention]
    assert meant is not None

    def changed(claim: Claim) -> Iterator[tuple[str, Claim]]:
        # What is said about undefined scores is kept.
        if claim.convention is None and _may_be_undefined(claim, meant):
            of_parts = isinstance(claim, FoldClaim) and claim.over == "mean"
            filled = replace(claim, convention=meant)
            yield of_part if of_parts else of_table, filled
            if of_parts and (meant.drop or meant.fill is not None):
                yield from ((of_part, each) for _, each in _of_present_classes(filled))

    return ReadingRow(code, (Claim,), changed, printed_by=printed_by, convention=meant, words=of_table)


_BALANCED: Final = METRICS["balanced_accuracy"]
_OF_PRESENT: Final = replace(
    _BALANCED, id="balanced_accuracy_of_classes_present", over_classes=OfPresentClasses("macro", METRICS["recall"])
)


_TP, _FN, _FP, _TN = cells()
_FOUND: Final = replace(METRICS["prevalence"], id="found_share", formula=_TP / (_TP + _FN + _FP + _TN))


def _of_present_classes(claim: Any) -> Iterator[tuple[str, Any]]:
    """Take the balanced accuracy of a fold without one class as the recall of the other."""
    for claimed in claim.scores:
        filled = claim.convention is not None and (claim.convention.drop or claim.convention.fill is not None)
        if claimed.metric is _BALANCED and filled:
            words = f"{claimed.name} of a fold without a class is the recall of the other, as scikit-learn has it"
            yield words, with_score(claim, claimed, replace(claimed, metric=_OF_PRESENT))


def _may_be_undefined(claim: Any, meant: Convention) -> bool:
    try:
        return bool(claim.may_be_undefined(meant))
    except TooLarge:
        return True


# Tables at which a score that treats both classes alike is told from others.
_TRIED: Final = ({"tp": 3, "fn": 5, "fp": 7, "tn": 11}, {"tp": 2, "fn": 9, "fp": 1, "tn": 4})


# Names that fix a class: what is printed under them is of the positive class, whatever the others are.
_FIXED: Final = frozenset({"specificity", "negative_predictive_value", "false_positive_rate", "false_omission_rate"})


def _is_family(claim: TableClaim | FoldClaim) -> bool:
    """Tell whether precision, recall and F1 stand side by side, and nothing else tells the classes apart."""
    names = {claimed.metric.id for claimed in claim.scores}
    return {*_FAMILY} <= names and not names & _FIXED


def _other_class(claim: TableClaim | FoldClaim) -> Iterator[tuple[str, Any]]:
    """Take the other class as the positive one, for all scores that do not say of which class they are, or for some."""
    keeping: tuple[frozenset[str], ...] = (frozenset(), frozenset({"recall"}))
    if any(claimed.metric.id in _FIXED for claimed in claim.scores):
        keeping = (frozenset(), _FIXED, _FIXED | {"recall"})
    return _of_other_class(claim, keeping[:1] if _is_family(claim) else keeping)


def _family_of_two_classes(claim: TableClaim | FoldClaim) -> Iterator[tuple[str, Any]]:
    """Take precision and F1 beside a recall as those of the other class."""
    if _is_family(claim):
        yield from _of_other_class(claim, (frozenset({"recall"}),))


def _of_other_class(
    claim: TableClaim | FoldClaim, keeping: Iterable[frozenset[str]]
) -> Iterator[tuple[str, TableClaim | FoldClaim]]:
    """Take the other class as the positive one, for all scores but those of some metrics, in several ways."""
    told: list[list[str]] = []
    for fixed in keeping:
        scores = []
        for claimed in claim.scores:
            formula, other = claimed.metric.formula, claimed.metric.negative()
            alike = formula == other.formula or all(formula.exact(t) == other.formula.exact(t) for t in _TRIED)
            kept = alike or is_of_class(claimed.name) or claimed.metric.id in fixed
            scores.append(claimed if kept else replace(claimed, metric=other))
        names = [old.name for old, new in zip(claim.scores, scores, strict=True) if old is not new]
        if names and names not in told:
            told.append(names)
            who = listed(names) if fixed else "the scores"
            verb = "takes" if len(names) == 1 and fixed else "take"
            yield f"{who} {verb} the {claim.labels[0]} class as the positive one", claim.having(tuple(scores))


_FAMILY: Final = ("precision", "recall", "f1")


def _averaged(average: Average) -> Callable[[Any], Iterator[tuple[str, Any]]]:
    """Return how a claim reads where scores of a bare name are averages; micro averages are accuracy.

    All of them are, or all but those whose name fixes a class, or one alone; but precision, recall and F1 side by side
    are averaged together.
    """

    def changed(claim: TableClaim | FoldClaim) -> Iterator[tuple[str, Any]]:
        averaged = [averaged_score(claimed, average) for claimed in claim.scores]
        every = [place for place, claimed in enumerate(averaged) if claimed is not None]
        free = [place for place in every if claim.scores[place].metric.id not in _FIXED]
        family = {claim.scores[place].metric.id: place for place in every}
        together = sorted(family[name] for name in _FAMILY if name in family)
        kept = together if len(together) == len(_FAMILY) else []
        alone = [[place] for place in every if place not in kept]
        told: list[list[int]] = []
        for places in (every, free, together, *alone):
            if places and places not in told:
                told.append(places)
                scores = [averaged[i] if i in places else old for i, old in enumerate(claim.scores)]
                names = [claim.scores[place].name for place in places]
                yield _average_words(names, average), claim.having(tuple(scores))  # type: ignore[arg-type]

    return changed


def one_of_family(claim: TableClaim | FoldClaim) -> Iterator[tuple[str, Any]]:
    """Take one of precision, recall and F1 side by side as an average."""
    family = [claimed for claimed in claim.scores if claimed.metric.id in _FAMILY]
    averages: tuple[Average, ...] = ("macro", "weighted")
    for average in averages if len(family) == len(_FAMILY) else ():
        for claimed in family:
            if (other := averaged_score(claimed, average)) is not None:
                yield f"{claimed.name} alone is the {average} average", with_score(claim, claimed, other)


def _one_of_family_in_a_table(claim: TableClaim) -> Iterator[tuple[str, TableClaim]]:
    """Take one of the family as an average where the sizes are known: without them nearly everything would fit."""
    if claim.margins is not None:
        yield from one_of_family(claim)


def meanings(claim: TableClaim | FoldClaim) -> list[list[tuple[str, ClaimedScore]]]:
    """Return for each score of a report what else its name may mean, in words, after what it says.

    Precision, recall and F1 side by side can each be of one class, macro, weighted or micro averages. Accuracy is the
    mean of both recalls to some packages, and a detection rate the share of all cases that are found to others.
    """
    found = []
    ids = {claimed.metric.id for claimed in claim.scores}
    # Who gives a score twice means the same, and who names classes or averages does so everywhere.
    twice = len(ids) < len(claim.scores) and not any("detection" in claimed.name.lower() for claimed in claim.scores)
    bare = not twice and not any(
        claimed.is_count or claimed.is_area or is_of_class(claimed.name) or claimed.metric.over_classes not in (None,
        ACCURACY.over_classes, _BALANCED.over_classes) for claimed in claim.scores)  # fmt: skip
    averages: tuple[Average, ...] = ("macro", "weighted")
    for claimed in claim.scores:
        name, ways = claimed.name, [("", claimed)]
        free = bare and claimed.reported.rounding in ROUNDINGS
        if free and claimed.metric.id in _FAMILY:
            if {*_FAMILY} <= ids:
                other = replace(claimed, metric=claimed.metric.negative())
                ways.append((f"{name} is that of the {claim.labels[0]} class", other))
                ways += [(_average_words([name], average), averaged) for average in averages
                         if (averaged := averaged_score(claimed, average)) is not None]  # fmt: skip
            # Micro averages are all the same number.
            if any(one is not claimed and one.reported.text == claimed.reported.text for one in claim.scores):
                ways.append((_average_words([name], "micro"), replace(claimed, metric=ACCURACY)))
        if free and "detection" in name.lower():
            ways.append((f"{name} is a share of all cases", replace(claimed, metric=_FOUND)))
        elif free and claimed.metric.id == ACCURACY.id and len(ids) > 2:
            ways.append((f"{name} is the mean of the recalls of both classes", replace(claimed, metric=_BALANCED)))
        found.append(ways)
    return found


def mixed_names(claim: TableClaim | FoldClaim) -> Iterator[tuple[str, Any]]:
    """Yield a report with its names in every mixture of meanings, those that change the fewest names first.

    This is too free for a reading, but what fits so is not impossible.
    """
    for words, chosen in mixtures(meanings(claim)):
        yield words, claim.having(tuple(chosen))


def mixtures(choices: Sequence[Sequence[tuple[str, _T]]]) -> Iterator[tuple[str, list[_T]]]:
    """Yield every choice of one of some meanings each, in words, but for that which changes none."""
    chosen = sorted(product(*choices), key=lambda mixture: sum(bool(words) for words, _ in mixture))
    for mixture in chosen[1:]:
        yield listed([words for words, _ in mixture if words]), [one for _, one in mixture]


# A score that is often printed under the name of another, and how that is told.
_NAMESAKES: Final = {
    "balanced_accuracy": ("informedness", "was adjusted for chance, as scikit-learn can do"),
    "g_mean": ("fowlkes_mallows", "is that of precision and recall"),
}


def _namesakes(claim: TableClaim | FoldClaim) -> Iterator[tuple[str, Any]]:
    """Take a score as another one of the same name."""
    for claimed in claim.scores:
        if claimed.metric.id in _NAMESAKES:
            other, words = _NAMESAKES[claimed.metric.id]
            yield f"{claimed.name} {words}", with_score(claim, claimed, replace(claimed, metric=METRICS[other]))


def _rescaled(claim: Any) -> Iterator[tuple[str, Any]]:
    """Take a score as what was made of it by a line: mapped to 0 to 1, adjusted for chance, or of all classes."""
    # The line goes through this point and through 1, 1.
    fixed: list[tuple[str, Fraction, Fraction, str]] = [("mcc", Fraction(0), Fraction(-1), "was mapped to 0 to 1")]
    if isinstance(claim, ClassClaim):
        number = len(claim.labels)
        adjusted = _NAMESAKES["balanced_accuracy"][1]
        fixed += [(name, Fraction(0), Fraction(1, number), adjusted) for name in ("balanced_accuracy", "macro_recall")]
        # Each wrong case is wrong in two of the classes.
        words = "is the mean of that of each class against the rest"
        fixed.append(("accuracy", Fraction(0), 1 - Fraction(number, 2), words))
    for claimed in claim.scores:
        for name, at, value, words in fixed:
            if score_id(claimed) == name and claimed.reported.low >= at and claimed.reported.rounding in ROUNDINGS:
                ends = (1 - (1 - end) * (1 - value) for end in (claimed.reported.low, claimed.reported.high))
                low, high = ends
                if high >= claimed.metric.limits.low:
                    # Its text says no more how it was rounded.
                    reported = replace(claimed.reported, low=low, high=high, rounding="interval")
                    yield f"{claimed.name} {words}", with_score(claim, claimed, replace(claimed, reported=reported))


def _weighted_kappa(claim: ClassClaim) -> Iterator[tuple[str, ClassClaim]]:
    """Leave a kappa out that may be weighted: it depends on the order of the classes, and on single cells."""
    rest = tuple(claimed for claimed in claim.scores if score_id(claimed) != "kappa")
    if 0 < len(rest) < len(claim.scores):
        yield "kappa is weighted by how far classes are apart, so it was not checked", claim.having(rest)


def _one_averaged_otherwise(claim: ClassClaim) -> Iterator[tuple[str, ClassClaim]]:
    """Take one of several bare names as another average than the others."""
    bare = [claimed for claimed in claim.scores if claimed.bare]
    for claimed in bare if len(bare) > 1 else ():
        average = "weighted" if claimed.score.name.startswith("macro_") else "macro"
        other = claimed.about(ClassScore.find(f"{average}_{claimed.score.base.id}", claim.labels))
        yield f"{claimed.name} alone is the {average} average", with_score(claim, claimed, other)


def with_score(claim: Any, old: Any, new: Any) -> Any:
    """Return a claim with another score in place of one."""
    return claim.having(tuple(new if claimed is old else claimed for claimed in claim.scores))


def score_id(claimed: Any) -> str:
    """Return the id of what is claimed; of classes with its average or class."""
    return str(claimed.score.name if hasattr(claimed, "score") else claimed.metric.id)


def _f1_of_means(claim: Any) -> Iterator[tuple[str, Any]]:
    """Leave an F1 out that is what the averaged precision and recall give: it need not be the mean of F1."""
    over_parts = isinstance(claim, FoldClaim) and claim.over == "mean"
    at = {score_id(claimed): claimed for claimed in claim.scores}
    for average in ("", "macro_", "weighted_") if over_parts else ("macro_", "weighted_"):
        f1, precision, recall = (at.get(f"{average}{name}") for name in ("f1", "precision", "recall"))
        known = [part.reported for part in (precision, recall) if part is not None]
        if f1 is None or not known:
            continue
        # Of the two one need not be printed.
        low, high = ([*(getattr(part, end) for part in known), Fraction(end == "high")][:2] for end in ("low", "high"))
        least, most = (2 * x * y / (x + y) if x + y else Fraction(0) for x, y in (low, high))
        if least <= f1.reported.high and most >= f1.reported.low:
            rest = tuple(claimed for claimed in claim.scores if claimed is not f1)
            yield f"{f1.name} was computed from the averaged precision and recall", claim.having(rest)


CUT_OFF: Final = "cut_off"
ONE_AVERAGED: Final = "one_averaged"


def _cut_off(claim: Claim) -> Iterator[tuple[str, Claim]]:
    """Take decimals as cut off: all of them, or those of one column of a report about classes."""
    cut = tuple(map(_shortened, claim.scores))
    if cut == claim.scores:
        return
    yield "digits were cut off, not rounded", claim.having(cut)
    if isinstance(claim, ClassClaim):
        columns = Counter(claimed.score.base for claimed in claim.scores if claimed.place is not None)
        for base in [base for base, rows in columns.items() if rows > 1 and len(columns) > 1]:
            pairs = zip(claim.scores, cut, strict=True)
            scores = tuple(short if claimed.score.base is base else claimed for claimed, short in pairs)
            yield "digits of one column were cut off, not rounded", claim.having(scores)


def _shortened(claimed: Any) -> Any:
    """Return a score whose digits were cut off, where it is not known how it was rounded."""
    if claimed.reported.rounding == "any":
        with suppress(InputError):
            return replace(claimed, reported=Reported.read(claimed.reported.text, rounding="truncate"))
    return claimed


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
    # A search of several labels a case does not see to it that there are any.
    if claim.may_be_multilabel and (claim.convention is None or any(size.low for size in claim.sizes)):
        words = "a case can have several labels, in at most as many cases as labels"
        yield words, replace(claim, multilabel=True)


def _other_splits(claim: FoldClaim) -> Iterator[tuple[str, FoldClaim]]:
    for parts in claim.other_splits:
        yield "scikit-learn did not deal the folds, but another tool", replace(claim, parts=parts)


def _by_size(claim: FoldClaim) -> Iterator[tuple[str, FoldClaim]]:
    if (weighted := claim.weighted_by_size()) is not None:
        yield "the parts are weighted by their cases", weighted


def _in_single(claim: Claim) -> Iterator[tuple[str, Claim]]:
    # Such a score is rounded twice: when it is computed, and when it is printed.
    if (changed := claim.in_single()) != claim:
        yield "the scores were computed inexactly, as in 32-bit floats", changed


#: Precision and F1 of one class beside the recall of the other. It may be, but explains more wrong reports than others.
FAMILY_OF_TWO_CLASSES: Final = ReadingRow("other_class", (TableClaim, FoldClaim), _family_of_two_classes, joined=True)
READINGS: Final = (
    _undefined("undefined_as_zero", "zero", "an undefined score was printed as 0",
        "an undefined score of a fold counted as 0 (as scikit-learn does)", "as scikit-learn does"),
    _undefined("undefined_left_out", "excluded", "a class without a value was left out of its average",
        "a fold without a value was left out of the mean"),
    _undefined("undefined_as_one", "one", "an undefined score was printed as 1",
        "an undefined score of a fold counted as 1 (as scikit-learn does with zero_division=1)",
        "as scikit-learn does with zero_division=1"),
    ReadingRow("other_class", (TableClaim, FoldClaim), _other_class, joined=True),
    FAMILY_OF_TWO_CLASSES,
    ReadingRow("macro_average", (TableClaim, FoldClaim), _averaged("macro"), joined=True),
    ReadingRow("weighted_average", (TableClaim, FoldClaim), _averaged("weighted"), joined=True),
    ReadingRow(ONE_AVERAGED, (TableClaim,), _one_of_family_in_a_table),
    ReadingRow("averaged_otherwise", (ClassClaim,), _one_averaged_otherwise),
    ReadingRow("namesake", (TableClaim, FoldClaim), _namesakes, joined=True),
    ReadingRow("rescaled", (Claim,), _rescaled, joined=True),
    ReadingRow("weighted_kappa", (ClassClaim,), _weighted_kappa, joined=True),
    ReadingRow("several_labels", (ClassClaim,), _several_labels, joined=True),
    ReadingRow("classes_present", (FoldClaim,), _of_present_classes, always=True),
    ReadingRow("folds_dealt_otherwise", (FoldClaim,), _other_splits, always=True),
    ReadingRow("weighted_by_size", (FoldClaim,), _by_size),
    ReadingRow("f1_of_means", (Claim,), _f1_of_means, joined=True),
    ReadingRow(CUT_OFF, (Claim,), _cut_off),
)  # fmt: skip
#: How a score was kept has nothing to do with what it means, so this goes with every other reading.
SINGLE: Final = ReadingRow("single_precision", (Claim,), _in_single)
FILLS: Final = tuple(row for row in READINGS if row.printed_by)
#: What is tried of means where the report does not say that they are.
OF_MEANS: Final = (*FILLS, next(row for row in READINGS if row.code == "f1_of_means"))
#: What is tried of each of many ways to average.
OF_WAYS: Final = (*OF_MEANS, *(row for row in READINGS if row.always or row.code == CUT_OFF))
#: What undefined scores of one table can count as, and how that is told.
UNDEFINED: Final = {row.convention: Departure(row.code, row.words) for row in READINGS if row.convention is not None}

_SPREADS: Final = {
    "sd": Departure("spread_sd", "± is the standard deviation with n as its divisor"),
    "sample_sd": Departure("spread_sample_sd", "± is the standard deviation with n - 1 as its divisor"),
    "standard_error": Departure("spread_standard_error", "± is the standard error of the mean"),
}


def readings_of(claim: Any, *, said: bool = False, rows: Sequence[ReadingRow] = READINGS) -> Iterator[Alternative]:
    """Yield the readings of a report: as it stands, then by in how many points they depart.

    Who has `said` what test set or folds it is about, and what undefined scores count as, says how it is to be read.
    """
    plain: list[Alternative] = [((), claim)]
    # Where a point has no plain reading, each way to take it is one.
    if isinstance(claim, ClassClaim) and (bare := [claimed.name for claimed in claim.scores if claimed.bare]):
        averages: tuple[Average, ...] = ("macro", "weighted", "micro")
        plain = [((Departure(f"{a}_average", _average_words(bare, a)),), claim.averaged(a)) for a in averages]
    if isinstance(claim, FoldClaim) and claim.deviations and claim.spread == "any":
        plain = [((_SPREADS[kind],), replace(claim, spread=kind)) for kind in DEVIATIONS]
    if said and claim.convention is not None:
        rows = [row for row in rows if row.always]
    return readings_from(plain, rows)


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
        for other in OF_MEANS if row.joined else ():
            others += [one for pair in changed if other is not row for one in _changes(other, pair)]
    kept = [one for pair in [plain[0], *others] for one in _changes(SINGLE, pair)]
    # Digits are rarely cut off: this is the last that is tried.
    yield from map(
        _settled, sorted([*others, *kept], key=lambda one: (len(one[0]), CUT_OFF in [d.code for d in one[0]]))
    )


def _settled(reading: Alternative) -> Alternative:
    departures, claim = reading
    return departures, claim if claim.convention is not None else claim.changed(convention=STRICT)


def _changes(row: ReadingRow, reading: Alternative) -> Iterator[Alternative]:
    """Yield a reading with one more departure, where the row applies."""
    departures, claim = reading
    if isinstance(claim, row.layouts):
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
    enough = None
    for departures, claim in readings:
        if enough is not None and len(departures) > enough:
            break
        solution = solve(claim)
        if not tried:
            first = claim, solution
        tried.append(Reading(departures, solution.verdict))
        if solution.fits:
            fitting.append((departures, claim, solution))
        # Searches of classes and of all sizes take long: what may be possible already is not looked for where more must
        # be read otherwise.
        if enough is None and (solution.fits or (not isinstance(claim, FoldClaim) and not solution.certain)):
            enough = len(departures)
        if not departures and solution.verdict != "impossible":
            break
    if not fitting:
        return Tried(_told_once(tried), *first)
    others = tuple(Reading(departures, "possible") for departures, _, _ in fitting[1:])
    return Tried(_told_once(tried), *fitting[0][1:], fitting[0][0], others)


def _told_once(readings: Sequence[Reading]) -> tuple[Reading, ...]:
    """Put readings of the same words together: possible where one is, impossible where all are."""
    if len(readings) == 1:
        return tuple(readings)
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
