"""From a claim about several classes to every set of margins that fits it, and what follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Annotated, Any, Final, Literal, TypeAlias

from ..errors import InputError, Note, Notes
from ..metrics import OF_CLASSES, OF_EACH_CLASS
from ..shape import Count, Result, also
from ..table import Matrix
from ..words import count_of
from .any_size import solve
from .blame import contradictions_of
from .class_bounds import ClassBounds, Evaluator, Margins
from .class_cells import ClassCells, ClassRanges, join_cells, join_ranges
from .class_repairs import ClassRepair, class_repairs
from .class_search import Found, solve_classes
from .classes import ClaimedClassScore, ClassClaim, ClassScore
from .implied import Implied
from .readings import (
    Departure,
    Departures,
    Reading,
    Readings,
    Tried,
    as_zero,
    is_zero,
    joined_words,
    readings_of_classes,
    try_readings,
)

Verdict: TypeAlias = Literal["unique", "several", "conditional", "impossible", "undecided"]

_MARGINS_SHOWN: Final = 100
# Bounds of each class, and of cells, are left out for more classes than this, unless they are asked for.
_MOST_BOUNDED: Final = 12
# A search for what contradicts each other may look at so many choices each time.
_BLAME_WITHIN: Final = 300_000
_MOST_BLAMED: Final = 40
# Up to so many classes are left out one by one.
_FEW_CLASSES: Final = 16
# So many tries for one class: each takes as many times as long as there are classes.
_MOST_TRIED: Final = 3200
# Where so many sets contradict each other, no further class is looked at.
_MOST_SETS: Final = 20


def _listed_matrix(matrix: Matrix | None) -> list[list[int]] | None:
    return None if matrix is None else matrix.tolist()  # type: ignore[return-value]


@dataclass(frozen=True)
class ClassRecovery(
    Result,
    schema="class_recovery",
    source="`recover` with classes",
    version=2,
    members="verdict count counted complete departures claim margins=_first_margins matrix cells=shown_cells "
    "bounds=shown_bounds blame implied repairs readings notes",
):
    """Every set of margins of a k-by-k table that could have produced a report, and what follows from that.

    The margins are the cases, the right cases and the predicted cases of each class: all that scores are made of. One
    set of margins may belong to several tables.

    Examples
    --------
    >>> from fourfold import recover
    >>> result = recover(accuracy="0.95", macro_f1="0.946", classes=[50, 50, 50])
    >>> result.verdict, result.bounds("kappa").low
    ('several', 0.92)
    """

    claim: Annotated[ClassClaim, "What was reported, as it was read."]
    verdict: Annotated[
        Verdict,
        "several: not known to be unique; conditional: possible only under another reading of the report; undecided: "
        "the budget ran out.",
    ]
    count: Annotated[Count, "How many sets of margins fit; a lower limit if they were not all counted."]
    counted: Annotated[bool, "Whether all sets of margins were counted."]
    complete: Annotated[bool, "Whether the verdict rests on all tables."]
    blame: Annotated[
        tuple[tuple[str, ...], ...], "Scores that contradict each other, none of which can be left out."
    ] = ()
    implied: Annotated[tuple[Implied, ...], "What the other scores of a class leave for one of them."] = ()
    departures: Departures = ()
    readings: Readings = ()
    notes: Notes = ()
    others: tuple[Reading, ...] = field(default=(), repr=False, compare=False)
    found: tuple[Found, ...] = field(default=(), repr=False, compare=False)
    bounded: tuple[str, ...] = field(default=(), repr=False, compare=False)

    @cached_property
    def _evaluators(self) -> list[Evaluator]:
        return [Evaluator(self.claim, found) for found in self.found if found.some is not None]

    def margins(self, limit: int | None = None) -> Iterator[Margins]:
        """Walk the sets of margins that were found to fit: all of them where they are few, else some."""
        every = (
            evaluator.margins(choice) for evaluator in self._evaluators for choice in evaluator.found.choices.T.tolist()
        )
        return islice(every, None if limit is None else max(limit, 0))

    @property
    def _first_margins(self) -> Annotated[tuple[Margins, ...], also(maxItems=_MARGINS_SHOWN)]:
        """The first hundred sets of margins that fit."""
        return tuple(self.margins(_MARGINS_SHOWN))

    def matrix(
        self,
    ) -> Annotated[Matrix | None, "One table that fits: rows actual, columns predicted.", _listed_matrix]:
        """Return one k-by-k table that fits, checked from the definitions; None where none was found."""
        if not self._evaluators or self.claim.multilabel:
            return None
        evaluator = self._evaluators[0]
        assert evaluator.found.some is not None
        matrix = evaluator.matrix(evaluator.found.some)
        assert self.claim.fits(matrix), f"{matrix} was found to fit and does not"
        return matrix

    @property
    def listed(self) -> bool:
        """Whether all margins that fit are known one by one."""
        return all(found.listed for found in self.found)

    def cells(self) -> ClassCells | None:
        """Return the smallest and the largest count of every cell over all tables that fit; None if none was found.

        Where the margins are too many to be listed, no table goes beyond, and the ends need not be attained.
        """
        return self._cells

    @cached_property
    def _cells(self) -> ClassCells | None:
        return join_cells(self.claim, self.found)

    @property
    def shown_cells(self) -> Annotated[ClassCells | None, "Cells of the table, where there are at most 12 classes."]:
        """The cells where they are few enough to be part of the answer."""
        return self.cells() if len(self.claim.labels) <= _MOST_BOUNDED else None

    @cached_property
    def ranges(self) -> tuple[ClassRanges, ...]:
        """The smallest and the largest size, right and predicted cases of each class among the margins found."""
        return join_ranges(self.claim.labels, self.found)

    @cached_property
    def repairs(self) -> Annotated[tuple[ClassRepair, ...], "Single changes that would make it possible: hypotheses."]:
        """Single changes of the report that would make it possible: hypotheses, empty where it is possible."""
        return class_repairs(self.claim, self.blame) if self.verdict == "impossible" else ()

    def bounds(self, name: str) -> ClassBounds:
        """Return a score's smallest and largest value, such as of "kappa", "macro_f1" or "recall[cat]"."""
        score = ClassScore.find(name, self.claim.labels)
        if not self._evaluators:
            return ClassBounds(None, None)
        if not self.complete:
            least, most, _ = score.limits
            return ClassBounds(float(least), float("inf") if most is None else float(most), False, False)
        ends = [evaluator.bounds(score) for evaluator in self._evaluators]
        ends = [end for end in ends if end.low is not None]
        if not ends:
            return ClassBounds(None, None)
        low = min(ends, key=lambda end: end.low or 0.0)
        high = max(ends, key=lambda end: end.high or 0.0)
        return ClassBounds(low.low, high.high, low.low_sharp, high.high_sharp, low.low_margins, high.high_margins)

    @property
    def shown_bounds(self) -> dict[str, ClassBounds]:
        """The bounds that are part of the answer, by score; none where not all margins were searched."""
        return {name: self.bounds(name) for name in self.bounded} if self.complete else {}

    def finish(self) -> ClassRecovery:
        """Compute all that the answer shows, so that nothing is left to compute for printing or drawing it."""
        _ = self.shown_bounds, self.shown_cells, self.repairs
        return self

    @property
    def reading(self) -> str:
        """How the report must be read, in words."""
        return joined_words(self.departures, self.others)

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each score: its bounds."""
        ends = {name: self.bounds(name) for name in self.bounded}
        return [
            {"score": name, "low": b.low, "high": b.high, "low_sharp": b.low_sharp, "high_sharp": b.high_sharp}
            for name, b in ends.items()
        ]


def recover_classes(claim: ClassClaim, bounds: str | Sequence[str] = "auto") -> ClassRecovery:
    """Find the margins that could have produced a report about several classes."""
    bounded = _named(claim, bounds)
    tried = try_readings(readings_of_classes(claim), _solved)
    claim, found = tried.claim, tried.found
    count = sum(each.count for each in found)
    complete = all(each.complete for each in found)
    counted = all(each.counted for each in found)
    notes = [*claim.notes]
    notes += [Note("budget_spent", each.reason, {"budget": claim.budget}) for each in found if each.reason]
    if complete and count and not counted:
        words = f"at least {count_of(count, 'set')} of margins fit; counting all would take long"
        notes.append(Note("margins_not_counted", words, {"count": count}))
    verdict = verdict_of(tried, count, complete=complete and counted)
    blame: tuple[tuple[str, ...], ...] = ()
    implied: tuple[Implied, ...] = ()
    if verdict == "impossible":
        blame, implied, sure = _blame(claim)
        if not sure:
            notes.append(Note("blame_incomplete", "not every set of claims was checked for a contradiction", {}))
    departures = tuple(_worded(each, claim, found) for each in tried.departures)
    told = (claim, verdict, count, counted, complete, blame, implied, departures, tried.readings, tuple(notes))
    return ClassRecovery(*told, tried.others, found, bounded)


def verdict_of(tried: Tried, count: int, *, complete: bool) -> Verdict:
    """Return the verdict from the readings tried, and from how many tables fit the first that any do."""
    if not count:
        return "impossible" if all(reading.verdict == "impossible" for reading in tried.readings) else "undecided"
    if tried.departures:
        return "conditional"
    return "unique" if count == 1 and complete else "several"


def _solved(claim: ClassClaim) -> tuple[tuple[Found, ...], bool, bool]:
    """Return what was found, whether anything fits, and whether that is certain."""
    found = tuple(solve_classes(claim))
    return found, any(each.count for each in found), all(each.complete for each in found)


def _worded(departure: Departure, claim: ClassClaim, found: Sequence[Found]) -> Departure:
    """Say which undefined scores were printed as 0, by the first margins that fit."""
    if not is_zero(departure):
        return departure
    tables = next(each for each in found if each.some is not None).tables()
    holes = [
        claimed.score.base.label
        for claimed in claim.scores
        if any(
            claimed.score.base.formula.exact(table) is None
            for place, table in enumerate(tables)
            if claimed.score.place in (None, place)
        )
    ]
    return as_zero(holes)


def _named(claim: ClassClaim, asked: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of the scores whose bounds are asked for."""
    check_asked(asked)
    names = [name.strip() for name in asked.split(",") if name.strip()] if isinstance(asked, str) else list(asked)
    if names == ["none"]:
        return ()
    if names not in (["auto"], ["all"]):
        return tuple(dict.fromkeys(ClassScore.find(name, claim.labels).name for name in names))
    each = claim.labels if names == ["all"] or len(claim.labels) <= _MOST_BOUNDED else ()
    return (*OF_CLASSES, *(f"{name}[{label}]" for label in each for name in OF_EACH_CLASS))


def _blame(claim: ClassClaim) -> tuple[tuple[tuple[str, ...], ...], tuple[Implied, ...], bool]:
    """Return sets of scores that contradict each other, what others leave for each, and whether that is all."""
    sets: list[tuple[str, ...]] = []
    left: list[Implied] = []
    parts, sure = _Parts(claim), True
    for place in range(len(claim.labels)):
        if len(sets) >= _MOST_SETS:
            return tuple(sets), tuple(left), False
        own = claim.of_class(place)
        if own is not None and (feasible := solve(own)).decided and feasible.empty:
            found, implied, unsure = contradictions_of(own)
            sets += found
            left += implied
            sure &= not unsure
        elif own is None and (scores := claim.about(place)) and parts.contradict(scores):
            sets.append(parts.needed(scores))
    alone = tuple(claimed for claimed in claim.scores if claimed.score.of_hits)
    if not sets and alone and parts.contradict(alone):
        sets.append(parts.needed(alone))
    if not sets:
        sets.append(parts.needed(claim.scores))
        sure &= len(claim.scores) <= 2
    return tuple(sets), tuple(left), sure and parts.sure


class _Parts:
    """Some of the scores of a claim: whether they contradict each other, asked as often as can be waited for."""

    def __init__(self, claim: ClassClaim) -> None:
        self._claim = ClassClaim(**{**claim.__dict__, "budget": min(claim.budget, _BLAME_WITHIN)})
        self._left = _MOST_TRIED // len(claim.labels)
        #: Whether all that was asked was answered.
        self.sure = True

    def contradict(self, scores: Sequence[ClaimedClassScore]) -> bool:
        """Tell whether scores are known to contradict each other after a short search."""
        if not self._left:
            self.sure = False
            return False
        self._left -= 1
        return all(each.complete and not each.count for each in solve_classes(self._claim.having(tuple(scores))))

    def needed(self, scores: Sequence[ClaimedClassScore]) -> tuple[str, ...]:
        """Leave out what a contradiction does not need: scores of whole classes first, then one by one."""
        needed = list(scores)
        for places in _left_out(len(self._claim.labels)):
            rest = [claimed for claimed in needed if claimed.score.place not in places]
            if rest and len(rest) < len(needed) and self.contradict(rest):
                needed = rest
        self.sure &= len(scores) <= _MOST_BLAMED
        for claimed in [*needed] if len(needed) <= _MOST_BLAMED else []:
            rest = [other for other in needed if other is not claimed]
            if rest and self.contradict(rest):
                needed = rest
        return tuple(claimed.name for claimed in needed)


def _left_out(classes: int) -> Iterator[range]:
    """Walk classes to leave out: of many first half of them, then fewer at once, at last one by one."""
    size = 1 if classes <= _FEW_CLASSES else classes // 2
    while size:
        yield from (range(start, min(start + size, classes)) for start in range(0, classes, size))
        size //= 2


def check_asked(bounds: object) -> None:
    """Refuse what names no bounds."""
    if not isinstance(bounds, str | Sequence):
        hint = "say auto, all, none, or names of scores"
        raise InputError("bad_option", "bounds", "must be a name or several", bounds, hint)


def check_no_sizes(**sizes: object) -> None:
    """Refuse sizes of two classes beside those of several."""
    given = {name: value for name, value in sizes.items() if value is not None}
    if given:
        name = next(iter(given))
        raise InputError(
            "usage", name, "follows from classes already", given[name], "leave it out, or leave classes out"
        )
