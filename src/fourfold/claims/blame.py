"""Which claims of a report contradict each other, and what the others leave for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from .any_size import is_of_all_sizes, solve, without_curved
from .claim import Claim
from .implied import Implied, implied
from .search import Feasible

# Every set of claims is looked at for a contradiction, up to this number of claims.
_MOST_BLAMED: Final = 8
# Where some claims leave the sizes open that others fix, tables that fit them are looked for in so many rows.
_FEW_WITHIN: Final = 200_000
# What all tables of a size leave for a claim is told where they have no more rows than this.
_ALL_WITHIN: Final = 300_000


def contradictions_of(claim: Claim) -> tuple[tuple[tuple[str, ...], ...], tuple[Implied, ...], bool]:
    """Return all smallest sets of claims that contradict each other, and what the rest of each leaves for a member."""
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
        return (_one_smallest_set(claim),), (), True
    unsure |= not _all_fit(claim, open_sets, [members for members, feasible in solved.items() if not feasible.empty])
    if any(len(members) == 1 for members in sets) and not open_sizes:
        solved[frozenset()] = solve(replace(claim, scores=(), budget=min(claim.budget, _ALL_WITHIN)))
    left = tuple(
        implied(claim, scores[i], [scores[j] for j in sorted(members - {i})], rest)
        for members in sets
        for i in sorted(members, reverse=True)
        if (rest := solved.get(members - {i})) and rest.decided and not rest.unwalked
    )
    return tuple(tuple(scores[i].name for i in sorted(members)) for members in sets), left, unsure


def _all_fit(claim: Claim, sets: Sequence[frozenset[int]], possible: list[frozenset[int]]) -> bool:
    """Tell whether tables are found for all sets of claims that leave sizes open; largest first, as their parts fit."""
    for members in reversed(sets):
        if not any(members <= some for some in possible):
            scores = tuple(claim.scores[i] for i in sorted(members))
            if solve(replace(claim, scores=scores, budget=min(claim.budget, _FEW_WITHIN))).empty:
                return False
            possible.append(members)
    return True


def _one_smallest_set(claim: Claim) -> tuple[str, ...]:
    """Return one smallest contradicting set of many claims: leave out what the contradiction does not need."""
    needed = list(claim.scores)
    for claimed in claim.scores:
        rest = [other for other in needed if other is not claimed]
        part = claim.having(tuple(rest))
        sized, feasible = part.sized(), solve(part)
        certain = feasible.all_sizes is not None or (feasible.complete and not (sized and sized.undecidable))
        if certain and feasible.empty:
            needed = rest
    return tuple(claimed.name for claimed in needed)
