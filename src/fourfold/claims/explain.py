"""Why nothing fits: which scores contradict each other, and the fewest that, left out, let the rest agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Annotated, Any, Final, NamedTuple

from ..shape import Count, Record
from .claim import Claim, TableClaim
from .classes import ClassClaim
from .folds import FoldClaim
from .implied import Implied, implied
from .search import Feasible, is_of_all_sizes, solve, without_curved
from .solution import SMALL_EFFORT
from .solution import solve as solve_any

# Every set of claims is looked at for a contradiction, up to this number of claims.
_MOST_BLAMED: Final = 8
# Where some claims leave the sizes open that others fix, tables that fit them are looked for in so many rows.
_FEW_WITHIN: Final = 200_000
# What all tables of a size leave for a claim is told where they have no more rows than this.
_ALL_WITHIN: Final = 300_000
# Of classes: a search may look at so many choices each time; each takes as many times as long as there are classes, so
# that so many tries are shared by them; scores are left out one by one up to this number; no further class is looked
# at where so many sets contradict each other; and up to so many classes are left out one by one.
_CLASSES_WITHIN: Final = 300_000
_MOST_TRIED: Final = 3200
_MOST_OF_CLASSES: Final = 40
_MOST_SETS: Final = 20
_FEW_CLASSES: Final = 16
# More ways to leave scores out would bury the others; and who has to leave out more scores than this has no report.
_MOST_WAYS: Final = 3
_MOST_LEFT_OUT: Final = 3


@dataclass(frozen=True)
class LeftOut(Record):
    """The fewest scores that, left out, let the rest agree, and what the rest then gives for them."""

    names: Annotated[tuple[str, ...], "The scores to leave out, by the names given."]
    count: Annotated[Count | None, "How many tables then fit; null where that is not counted."]
    implied: Annotated[tuple[Implied, ...], "What the rest gives for each of them."] = ()


class Contradictions(NamedTuple):
    """Smallest sets of scores that contradict each other, and what the rest of each set leaves for a member."""

    sets: tuple[tuple[str, ...], ...]
    implied: tuple[Implied, ...] = ()
    #: Whether these are all there are, and each of them is smallest.
    sure: bool = True


def contradictions(claim: Claim) -> Contradictions:
    """Return the scores of a claim that contradict each other, none of which can be left out."""
    if isinstance(claim, ClassClaim):
        return _of_classes(claim)
    if isinstance(claim, FoldClaim):
        one_table = claim.as_one_table()
        if one_table is not None:
            return Contradictions(_of_table(one_table).sets)
        return Contradictions((_needed(claim.scores, partial(_impossible, claim), claim.scores[:_MOST_BLAMED]),))
    assert isinstance(claim, TableClaim)
    return _of_table(claim)


def _impossible(claim: Claim, scores: Sequence[Any]) -> bool:
    """Tell whether it is certain that nothing fits some of a claim's scores."""
    return bool(solve_any(claim.having(tuple(scores)), SMALL_EFFORT).verdict == "impossible")


def _needed(
    scores: Sequence[Any], contradict: Callable[[Sequence[Any]], bool], tried: Sequence[Any] | None = None
) -> tuple[str, ...]:
    """Return one smallest set of scores that contradict each other: leave out what the contradiction does not need."""
    left = list(scores)
    for claimed in left[:] if tried is None else tried:
        rest = [other for other in left if other is not claimed]
        if rest and contradict(rest):
            left = rest
    return tuple(claimed.name for claimed in left)


def _of_table(claim: TableClaim) -> Contradictions:
    """Look at all sets of claims about one table, smallest first."""
    sized = claim.sized()
    open_sizes = sized is not None and sized.undecidable
    whole, claim = claim, without_curved(claim) if open_sizes else claim
    scores = claim.scores
    sets: list[frozenset[int]] = []
    solved: dict[frozenset[int], Feasible] = {}
    open_sets: list[frozenset[int]] = []
    unsure = len(whole.scores) > min(len(scores), _MOST_BLAMED)
    for size in range(1, 3 if len(scores) > _MOST_BLAMED else len(scores) + 1):
        for members in map(frozenset, combinations(range(len(scores)), size)):
            if any(smaller <= members for smaller in sets):
                continue
            part = claim.having(tuple(scores[i] for i in sorted(members)))
            if (sized := part.sized()) and sized.undecidable and not is_of_all_sizes(part):
                open_sets.append(members)
                continue
            solved[members] = feasible = solve(part)
            unsure |= not feasible.decided and feasible.empty
            if feasible.decided and feasible.empty:
                sets.append(members)
    if not sets:
        return Contradictions((_needed(scores, partial(_impossible, claim)),), (), sure=False)
    # Sets that leave sizes open: largest first, as their parts fit too.
    possible = [members for members, feasible in solved.items() if not feasible.empty]
    for members in reversed(open_sets):
        if not any(members <= some for some in possible):
            part = claim.having(tuple(scores[i] for i in sorted(members)))
            if solve(replace(part, budget=min(claim.budget, _FEW_WITHIN))).empty:
                unsure = True
                break
            possible.append(members)
    if any(len(members) == 1 for members in sets) and not open_sizes:
        solved[frozenset()] = solve(replace(claim, scores=(), budget=min(claim.budget, _ALL_WITHIN)))
    left = tuple(
        implied(claim, scores[i], [scores[j] for j in sorted(members - {i})], rest)
        for members in sets
        for i in sorted(members, reverse=True)
        if (rest := solved.get(members - {i})) and rest.decided and not rest.unwalked
    )
    named = tuple(tuple(scores[i].name for i in sorted(members)) for members in sets)
    return Contradictions(named, left, sure=not unsure)


def _of_classes(claim: ClassClaim) -> Contradictions:
    """Look at the scores of each class, then at those that follow from the right cases alone, then at all."""
    sets: list[tuple[str, ...]] = []
    left: list[Implied] = []
    small = replace(claim, budget=min(claim.budget, _CLASSES_WITHIN))
    tries, sure = [_MOST_TRIED // len(claim.labels)], [True]

    def contradict(scores: Sequence[Any]) -> bool:
        if not tries[0]:
            sure[0] = False
            return False
        tries[0] -= 1
        return _impossible(small, scores)

    def smallest(scores: Sequence[Any]) -> tuple[str, ...]:
        kept = list(scores)
        for places in _left_out(len(claim.labels)):
            rest = [claimed for claimed in kept if claimed.place not in places]
            if rest and len(rest) < len(kept) and contradict(rest):
                kept = rest
        sure[0] &= len(scores) <= _MOST_OF_CLASSES
        return _needed(kept, contradict, kept if len(kept) <= _MOST_OF_CLASSES else [])

    for place in range(len(claim.labels)):
        if len(sets) >= _MOST_SETS:
            return Contradictions(tuple(sets), tuple(left), sure=False)
        own = claim.of_class(place)
        if own is not None and (feasible := solve(own)).decided and feasible.empty:
            found = _of_table(own)
            sets += found.sets
            left += found.implied
            sure[0] &= found.sure
        elif own is None and (scores := claim.about(place)) and contradict(scores):
            sets.append(smallest(scores))
    alone = tuple(claimed for claimed in claim.scores if claimed.score.of_hits)
    if not sets and alone and contradict(alone):
        sets.append(smallest(alone))
    if not sets:
        sets.append(smallest(claim.scores))
        sure[0] &= len(claim.scores) <= 2
    return Contradictions(tuple(sets), tuple(left), sure=sure[0])


def _left_out(classes: int) -> Iterator[range]:
    """Yield classes to leave out: of many first half of them, then fewer at once, at last one by one."""
    size = 1 if classes <= _FEW_CLASSES else classes // 2
    while size:
        yield from (range(start, min(start + size, classes)) for start in range(0, classes, size))
        size //= 2


def fewest_left_out(claim: Claim, found: Contradictions) -> tuple[LeftOut, ...]:
    """Return the fewest scores that, left out, let the rest agree.

    Every contradiction must lose one of its scores, so that no fewer will do; that the rest agrees is looked for. One
    contradiction among few scores explains itself: any of them may be the wrong one.
    """
    if len(found.sets) < 2:
        return ()
    names = list(dict.fromkeys(name for names in found.sets for name in names))
    for size in range(1, min(len(names), _MOST_LEFT_OUT + 1)):
        ways = [some for some in combinations(names, size) if all(not {*some}.isdisjoint(one) for one in found.sets)]
        agreed = [left for some in ways[:_MOST_WAYS] if (left := _without(claim, some)) is not None]
        if ways:
            return tuple(agreed)
    return ()


def _without(claim: Claim, names: Sequence[str]) -> LeftOut | None:
    """Return what is left without some scores, and what it gives for them; None where nothing is known to fit."""
    rest = tuple(claimed for claimed in claim.scores if claimed.name not in names)
    if not rest:
        return None
    solution = solve_any(replace(claim.having(rest), budget=min(claim.budget, _CLASSES_WITHIN)), SMALL_EFFORT)
    if not solution.fits:
        return None
    count = solution.count if solution.counted else None
    if not isinstance(claim, TableClaim) or not solution.feasible.decided or solution.feasible.unwalked:
        return LeftOut(tuple(names), count)
    out = [claimed for claimed in claim.scores if claimed.name in names]
    left = tuple(implied(claim, claimed, rest, solution.feasible) for claimed in out)
    return LeftOut(tuple(names), count, left)
