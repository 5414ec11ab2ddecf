"""Single changes that would make an impossible report about several classes possible: hypotheses, in a fixed order.

A change that leaves all scores of a contradiction as they are leaves the contradiction. So scores are changed only
where every contradiction that was found has one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated, Final

from ..errors import InputError
from ..shape import Count, Record
from ..table import Matrix
from .changes import (
    MOST_OF_A_KIND,
    STEPS,
    Change,
    coarser,
    exchanged,
    other_digits,
    other_texts,
    percent,
    with_score,
)
from .claim import Size
from .class_bounds import Evaluator
from .class_search import Found, has_tables, solve_classes
from .classes import ClaimedClassScore, ClassClaim, ClassScore, read_class_score

# A search looks at so many choices.
_WITHIN: Final = 20_000
# All searches together may take about a second, and that is told from what they looked at, in microseconds: a size that
# a class may have, a table of it, a search that was not finished or made do with some tables, none at all but a look at
# each class.
_MOST_WORK: Final = 1_000_000
_OF_SIZE, _OF_TABLE, _UNFINISHED, _SCREENED = 250, 5, 250_000, 300
# Averages that are mistaken for each other: both are of every class.
_MISTAKEN: Final = {"macro": "weighted", "weighted": "macro"}


def _counts(matrix: Matrix) -> list[list[int]]:
    return matrix.tolist()  # type: ignore[return-value]


@dataclass(frozen=True)
class ClassRepair(Record):
    """One change that makes a report possible, with a table that then fits. A hypothesis, not a finding."""

    kind: Annotated[str, "The kind of change; stable, for programs."]
    change: Annotated[str, "The change in words."]
    count: Annotated[Count, "How many sets of margins then fit; a lower limit if they were not all counted."]
    counted: Annotated[bool, "Whether all sets of margins were counted."]
    matrix: Annotated[Matrix, "One table that then fits: rows actual, columns predicted.", _counts]


def class_repairs(claim: ClassClaim, blame: Sequence[Sequence[str]]) -> tuple[ClassRepair, ...]:
    """Try single changes of a claim and return those that make it possible; `blame` are sets that contradict."""

    def read(name: str, text: str) -> ClaimedClassScore:
        return read_class_score(name, text, (claim.labels, claim.sizes, claim.total), claim.rounding)

    blamed = _Blamed(claim, blame)
    kinds = [
        _averages(claim, blamed),
        _rows(claim, blamed),
        exchanged(claim, read, blamed.pairs),
        other_digits(claim, read, blamed.places),
        percent(claim, read, blamed.places),
        _sizes(claim, blamed),
        coarser(claim, blamed.places),
    ]
    repairs: list[list[ClassRepair]] = [[] for _ in kinds]
    waiting = list(zip(kinds, repairs, strict=True))
    work = 0
    # The kinds take turns, so that each has its share where not all can be tried.
    while waiting and work < _MOST_WORK:
        changes, found = waiting.pop(0)
        if (tried := next(changes, None)) is None:
            continue
        kind, words, changed = tried
        if blamed.may_be(changed):
            solved = solve_classes(replace(changed, budget=_WITHIN))
            work += sum(_cost(changed, each) for each in solved)
            first = next((each for each in solved if each.some is not None), None)
            if first is not None and first.some is not None:
                matrix = Evaluator(changed, first).matrix(first.some)
                assert changed.fits(matrix), f"{matrix} was found to fit and does not"
                count, counted = sum(each.count for each in solved), all(each.counted for each in solved)
                found.append(ClassRepair(kind, words, count, counted, matrix))
        else:
            work += _SCREENED * len(blamed.classes)
        if len(found) < MOST_OF_A_KIND:
            waiting.append((changes, found))
    return tuple(repair for found in repairs for repair in found)


def _cost(claim: ClassClaim, found: Found) -> int:
    """Return about how long a search took."""
    if found.relaxed is not None or not found.complete:
        return _UNFINISHED
    sizes = sum((size.high or 0) - size.low + 1 for size in claim.sizes)
    return _OF_SIZE * sizes + _OF_TABLE * sum(found.problem.sizes)


class _Blamed:
    """Which scores have to change so that no contradiction is left."""

    def __init__(self, claim: ClassClaim, blame: Sequence[Sequence[str]]) -> None:
        self._scores = claim.scores
        self._sets = [{i for i, claimed in enumerate(claim.scores) if claimed.name in each} for each in blame]
        #: The classes with a blamed score.
        self.classes = {claim.scores[i].score.place for each in self._sets for i in each}
        # Scores of one class bear each other out, those of all classes stand alone: so these are changed first.
        order = sorted(range(len(claim.scores)), key=lambda i: claim.scores[i].score.place is not None)
        self.places = [i for i in order if self.touched_by({i})]
        self.pairs = [pair for pair in combinations(range(len(order)), 2) if self.touched_by(pair)]

    def may_be(self, changed: ClassClaim) -> bool:
        """Tell at once where a class with a blamed or a changed score has no table by itself."""
        if not changed.total.known:
            return True
        pairs = zip(changed.scores, self._scores, strict=True)
        places = self.classes | {new.score.place for new, old in pairs if new is not old}
        return all(has_tables(changed, place, changed.total.low) for place in places if place is not None)

    def touched_by(self, places: Iterable[int]) -> bool:
        """Tell whether every contradiction has one of the scores."""
        changed = set(places)
        return all(not changed.isdisjoint(each) for each in self._sets)


def _averages(claim: ClassClaim, blamed: _Blamed) -> Iterator[Change[ClassClaim]]:
    """Take macro averages for weighted ones and the other way round: each alone, then all."""
    meant: dict[int, tuple[ClaimedClassScore, str]] = {}
    for i, claimed in enumerate(claim.scores):
        mean = claimed.score.mean
        if mean and (average := _MISTAKEN.get(mean.average)):
            with suppress(InputError):
                score = ClassScore.find(f"{average}_{mean.base.id}", claim.labels)
                meant[i] = claimed.about(score), average
    for i, (claimed, average) in meant.items():
        if blamed.touched_by({i}):
            yield "average", f"{claimed.name} is the {average} average", with_score(claim, i, claimed)
    if len(meant) > 1 and blamed.touched_by(meant):
        scores = tuple(meant[i][0] if i in meant else claimed for i, claimed in enumerate(claim.scores))
        words = "macro and weighted averages were exchanged"
        if len({average for _, average in meant.values()}) == 1:
            words = f"{', '.join(claimed.name for claimed, _ in meant.values())} are {average} averages"
        yield "average", words, claim.having(scores)


def _rows(claim: ClassClaim, blamed: _Blamed) -> Iterator[Change[ClassClaim]]:
    """Exchange the scores of two classes, then turn the order of all round.

    To averages that is the same as other sizes in these places, so that sizes need not be exchanged as well.
    """
    labels, places = claim.labels, range(len(claim.labels))
    of_class = [{i for i, claimed in enumerate(claim.scores) if claimed.score.place == place} for place in places]
    orders = [
        (f"the scores of {labels[a]} and {labels[b]} were exchanged, or their sizes", {a: b, b: a})
        for a, b in combinations(places, 2)
        if (of_class[a] or of_class[b]) and blamed.touched_by(of_class[a] | of_class[b])
    ]
    if len(places) > 3 and any(of_class):
        words = "the scores, or the sizes, are in the opposite order of classes"
        orders.append((words, dict(zip(places, places[::-1], strict=True))))
    for words, order in orders:
        scores = []
        for claimed in claim.scores:
            place = claimed.score.place
            if place is not None:
                place = order.get(place, place)
                name = f"{claimed.score.metric.id}[{labels[place]}]"
                claimed = claimed.about(replace(claimed.score, name=name, place=place))
            scores.append(claimed)
        yield "rows", words, claim.having(tuple(scores))


def _sizes(claim: ClassClaim, blamed: _Blamed) -> Iterator[Change[ClassClaim]]:
    """Let one known size be off by a few, or in one digit; sizes of classes with a blamed score come first."""
    own = {claim.scores[i].score.place for i in blamed.places}
    known = [place for place, size in enumerate(claim.sizes) if size.known]
    order = sorted(known, key=lambda place: place not in own)
    steps = [(place, claim.sizes[place].low + step) for step in STEPS for place in order]
    digits = [(place, int(text)) for place in order for text in other_texts(str(claim.sizes[place].low))]
    for place, size in dict.fromkeys([*steps, *digits]):
        if size < 0:
            continue
        sizes = (*claim.sizes[:place], Size(size, size), *claim.sizes[place + 1 :])
        total, high = _summed(sizes), claim.total.high
        # The total follows where the sizes of classes say all about it.
        if claim.total != _summed(claim.sizes):
            if high is None or total.low > high:
                continue
            total = Size(max(total.low, claim.total.low), high)
        if total.high:
            words = f"class {claim.labels[place]} has {size} cases, not {claim.sizes[place].low}"
            yield "size", words, replace(claim, sizes=sizes, total=total)


def _summed(sizes: Sequence[Size]) -> Size:
    """Return how many cases classes have together."""
    highs = [size.high for size in sizes if size.high is not None]
    return Size(sum(size.low for size in sizes), sum(highs) if len(highs) == len(sizes) else None)
