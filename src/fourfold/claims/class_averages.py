"""Means of scores of several classes, over runs or folds: what can be decided of them without a search of all tables.

Runs that all have the table of one test set prove that a report is possible. Scores that are linear in the cells have
as mean over runs their value in a table of all runs together, which is searched for exactly. What no average whatever
gives is impossible. All else is undecided: no search looks at a table of several classes for each run or fold.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..errors import Note
from .claim import Size
from .classes import ClassClaim
from .ladder import AnyAverage, any_average
from .readings import Reading, Tried, readings_of, try_readings
from .solution import ClassSolution, solve

# Shares of so many cases are linear in the cells: their means over runs on one test set are those of all runs together.
_KNOWN: Final = ({"tp", "fn"}, {"fp", "tn"}, {"tp", "fn", "fp", "tn"})


class UnsearchedClasses(ClassSolution):
    """Means over parts of several classes that were neither found nor excluded, or that are proven impossible."""

    def __init__(self, claim: ClassClaim, what: str, *, impossible: bool) -> None:
        super().__init__(claim, found=())
        self.fits, self.certain, self.complete, self.counted = False, impossible, False, False
        self.reason = "all runs together were looked at, and what any average could give"
        if not impossible:
            self.reason = f"tables of several classes are not searched for each of {what}; some average may give it"

    def notes(self) -> Iterable[Note]:  # type: ignore[override]
        """Say that nothing was searched."""
        if not self.certain:
            yield Note("budget_spent", self.reason, {"budget": self.claim.budget})


def of_class_averages(claim: ClassClaim, what: str, runs: int | None) -> tuple[Tried, AnyAverage | None]:
    """Decide means over runs on one test set, or over other parts where no number of runs is given.

    With the answer comes what any average could give, where that is why it is impossible.
    """
    if runs is not None:
        tried = try_readings(readings_of(claim, said=True), solve)
        if tried.found.fits:
            return tried, None
    readings = list(readings_of(claim))
    average = any_average(claim, readings)
    beyond = not average.fits or (runs is not None and all(_beyond_runs(changed, runs) for _, changed in readings))
    found = UnsearchedClasses(claim, what, impossible=beyond)
    return Tried((Reading((), found.verdict),), claim, found), None if average.fits else average


def _beyond_runs(claim: ClassClaim, runs: int) -> bool:
    """Tell whether scores that are linear in the cells contradict each other in any number of runs like these."""
    scores = tuple(one for one in claim.scores if (share := one.score.base.share) and set(share[1]) in _KNOWN)
    if not scores or claim.multilabel:
        return False
    sizes = tuple(_times(size, runs) for size in claim.sizes)
    together = claim.changed(scores=scores, sizes=sizes, total=_times(claim.total, runs))
    return bool(solve(together.sparing()).verdict == "impossible")


def _times(size: Size, number: int) -> Size:
    return Size(size.low * number, None if size.high is None else size.high * number)
