"""The smallest and largest value of a score over all margins of classes that fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import TooLarge
from ..exact import CELLS
from ..exact.reported import Reported
from ..exact.surd import Exact
from ..metrics import POSITIVES, Averaged, Limits, filled
from ..solve.parts import Budget, Choice, Search
from ..solve.problem import Bounds, Floats
from ..solve.rows import Bools, Ints
from ..table import Matrix
from .class_search import Found, matrix_of, ties_of, weight_of
from .classes import SUMS, ClassClaim, ClassScore

# An end that is not proven within so many choices, shared by the classes but no fewer than a few, is given as far as
# it is known.
_PROVEN_WITHIN, _PROVEN_AT_LEAST = 200_000, 10_000
# To make a search ready takes as long as to look at so many choices for each class.
_STEP_COSTS: Final = 20
_CLOSE: Final = Fraction(1, 10**5)
_HAIR: Final = Fraction(1, 10**12)
_MOST_STEPS: Final = 60
# Rounds in which a bound is made finer where tables are not listed.
_ROUNDS: Final = 5
# Values as near as this to the extreme in floats are compared exactly, up to so many.
_NEAR: Final = 1e-10
_MOST_EXACT: Final = 20
# Of what a search finds at once, so many are compared.
_MOST_COMPARED: Final = 1000


class ClassMargins(NamedTuple):
    """What is known of one class in one k-by-k table."""

    label: Annotated[str, "The class."]
    size: Annotated[int, "Its cases."]
    right: Annotated[int, "Those of them that were predicted right."]
    predicted: Annotated[int, "All cases predicted to be of the class."]


Margins = tuple[ClassMargins, ...]
#: An exact value of a score, and a choice with it.
_Best = tuple[Exact, Choice]
#: An end of a score, whether it is attained, and a choice that attains it or comes near.
_End = tuple[Exact, bool, Choice]


class Evaluator:
    """The values of scores over the choices that a search found."""

    def __init__(self, claim: ClassClaim, found: Found) -> None:
        self.claim, self.found, self.problem = claim, found, found.problem
        self._known: dict[Any, Bounds] = {}

    @cached_property
    def search(self) -> Search:
        """The search for what fits."""
        return self.found.search or Search(self.problem)

    def margins(self, choice: Sequence[int]) -> Margins:
        """Return the margins of a choice, by class."""
        tables = zip(self.claim.labels, self.problem.tables(choice), strict=True)
        return tuple(ClassMargins(label, t["tp"] + t["fn"], t["tp"], t["tp"] + t["fp"]) for label, t in tables)

    def matrix(self, choice: Sequence[int]) -> Matrix:
        """Return a k-by-k table with the margins of a choice."""
        return Matrix(np.array(matrix_of([margins[1:] for margins in self.margins(choice)])), self.claim.labels)

    def _is_meant(self, score: ClassScore) -> bool:
        """Tell whether a score has a meaning: where a case can have several labels, not all are right or wrong."""
        return not self.claim.multilabel or score.place is not None or isinstance(score.metric.over_classes, Averaged)

    def exact(self, score: ClassScore, choice: Choice) -> Exact | None:
        """Return a score at a choice, from its definition."""
        return score.value_of(self.problem.tables(choice), self.claim.meant) if self._is_meant(score) else None

    def values(self, score: ClassScore, choices: NDArray[np.int32]) -> Floats:
        """Return a score at many choices; nan where it is undefined."""
        problem, at = self.problem, choices + self.problem.starts
        if not self._is_meant(score):
            return np.full(choices.shape[1], np.nan)
        if score.mean is not None:
            weights = problem.values(POSITIVES)[at] if score.mean.average == "weighted" else np.ones(at.shape)
            return self.claim.meant.mean_floats(problem.values(score.mean.base.formula)[at], weights)
        if score.of_sums is None:
            assert score.place is not None
            values = problem.values(score.metric.formula)[at[score.place]]
        else:
            sums = {name: problem.values(SUMS[name])[at].sum(axis=0) for name in score.of_sums.quantities}
            values = np.broadcast_to(score.of_sums.evaluate(sums), choices.shape[1:])
        return filled(values, score.metric.fill(self.claim.meant))

    def _of_hits(self, score: ClassScore, hits: Ints) -> Floats:
        """Return a score that follows from the sum of tp, for many of these."""
        formula, at = score.from_hits(hits, self.found.total, len(self.claim.labels))
        return np.broadcast_to(formula.evaluate(at), hits.shape)

    def _best(self, score: ClassScore, choices: NDArray[np.int32], values: Floats, sign: int) -> _Best | None:
        """Return the largest value of a score over some choices (smallest if the sign is negative), and where it is."""
        values = sign * values
        if np.isnan(values).all():
            return None
        top = np.nanmax(values)
        near = np.flatnonzero(values >= top - _NEAR * (1 + abs(top)))
        if score.place is not None or score.of_hits or values[near].max() - values[near].min() == 0:
            near = near[:1]
        distinct = near if len(near) <= _MOST_EXACT else near[np.argsort(-values[near], kind="stable")[:_MOST_EXACT]]
        best: _Best | None = None
        for i in distinct.tolist():
            choice = tuple(choices[:, i].tolist())
            value = self.exact(score, choice)
            if value is not None and (best is None or (value > best[0] if sign > 0 else value < best[0])):
                best = value, choice
        return best

    def bounds(self, score: ClassScore) -> Bounds:
        """Return the bounds of a score over all margins that fit."""
        key = (score.metric.over_classes if score.place is None else score.metric.formula, score.place)
        if key not in self._known:
            choices, values = self.found.choices, self.values(score, self.found.choices)
            least, most = (self._end(score, sign, self._best(score, choices, values, sign)) for sign in (-1, 1))
            self._known[key] = Bounds(None, None)
            if least is not None and most is not None:
                witnesses = self.margins(least[2]), self.margins(most[2])
                self._known[key] = Bounds(float(least[0]), float(most[0]), *witnesses, least[1], most[1])
        return self._known[key]

    def _end(self, score: ClassScore, sign: int, best: _Best | None) -> _End | None:
        """Return an end of a score from the best that was found."""
        if best is None:
            return None
        if self.found.listed:
            return best[0], True, best[1]
        relaxed = self.found.relaxed
        if relaxed is None:
            told = self._told(score)
            return self._end_of_values(score, sign, best, *told) if told else self._end_of_sums(score, sign, best)
        outer = self._outermost(score, sign)
        at_hand = score.place is None or len(self.problem.parts[score.place]) == relaxed.rows[score.place].count
        if outer != best[0] and at_hand and (told := self._told(score)):
            # The outermost value may be among the tables at hand.
            values, narrowed = told
            better, _ = self._tried(score, sign, narrowed(np.abs(values - float(outer)) <= _NEAR), self._budget())
            best = better or best
        return outer, outer == best[0], best[1]

    def _told(self, score: ClassScore) -> tuple[Floats, Callable[[Bools], Search]] | None:
        """Return all values of a score that one class, or the sum of tp, tells, and how to search for some of them."""
        if score.place is not None:
            place = score.place
            values = self.problem.split(self.problem.values(score.metric.formula))[place]
            fill = score.metric.fill(self.claim.meant)
            return filled(values, fill), lambda kept: self.search.narrowed(only=(place, kept))
        if score.of_hits and not self.claim.multilabel:
            hits = self.search.open_hits
            return self._of_hits(score, hits), lambda kept: self.search.narrowed(hits=hits[kept])
        return None

    def _end_of_values(
        self, score: ClassScore, sign: int, best: _Best, values: Floats, narrowed: Callable[[Bools], Search]
    ) -> _End:
        """Bisect the values that a score may have; most often the outermost is attained.

        Sums of tp are tried one by one from the outermost on: one is sooner decided than several together.
        """
        values = np.where(np.isnan(values), -np.inf, sign * values)
        steps = np.unique(values[values > -np.inf])
        known = int(np.searchsorted(steps, sign * float(best[0]) - _NEAR))
        beyond = len(steps)
        wanted = beyond - 1
        while known + 1 < beyond:
            there = values >= steps[wanted] if score.place is not None else values == steps[wanted]
            better, none = self._tried(score, sign, narrowed(there), self._budget())
            if better is not None:
                best = better
                known = max(wanted, int(np.searchsorted(steps, sign * float(best[0]) - _NEAR)))
            elif none:
                beyond = wanted
            else:
                return Fraction(sign * float(steps[beyond - 1])), False, best[1]
            wanted = (known + beyond) // 2 if score.place is not None else beyond - 1
        return best[0], True, best[1]

    def _end_of_sums(self, score: ClassScore, sign: int, best: _Best) -> _End:
        """Bisect between what was found and what bounds leave, then try to go beyond what was found at all."""
        beyond, budget = self._outermost(score, sign), self._budget()
        assert isinstance(beyond, Fraction)
        for _ in range(_MOST_STEPS):
            if not sign * (beyond - best[0]) > _HAIR:
                return best[0], True, best[1]
            last = sign * (beyond - best[0]) < _CLOSE
            # A root is no fraction: it is told from what lies beyond it to twelve digits.
            found = best[0] if isinstance(best[0], Fraction) else Fraction(float(best[0])) + sign * _HAIR
            wanted = found if last else (found + beyond) / 2
            ends = (wanted, beyond) if sign > 0 else (beyond, wanted)
            reported = Reported("", *ends, last and sign > 0, last and sign < 0)
            ties = ties_of(score, reported, self.claim, self.found.total)
            better, none = self._tried(score, sign, self.search.narrowed(ties=ties), budget)
            if better is not None and sign * (better[0] - best[0]) > 0:
                best = better
            elif not none:
                break
            elif last:
                return best[0], True, best[1]
            else:
                beyond = wanted
        return beyond, False, best[1]

    def _outermost(self, score: ClassScore, sign: int) -> Exact:
        """Return a number beyond which a score cannot be, as bounds alone tell, or what was reported of it."""
        claim, relaxed, total = self.claim, self.found.relaxed, self.found.total
        outer: Exact | None = None
        if score.mean is not None and not claim.meant.drop:
            (tie,) = ties_of(score, Reported("", Fraction(0), Fraction(1)), claim, total)
            amounts = tie.sums[0]
            most = self.search.ends_of(amounts)[sign > 0] if relaxed is None else relaxed.most(amounts, sign, _ROUNDS)
            if most is not None and np.isfinite(most):
                share = Fraction(most / weight_of(score.mean, claim, total))
                outer = share + (claim.meant.fill or 0) + sign * _HAIR
        elif relaxed is not None and score.place is not None and score.metric.formula.affine_ratio is not None:
            # The extreme over all tables of a class is at an end of a row.
            rows, fill = relaxed.rows[score.place], score.metric.fill(claim.meant)
            columns = map(np.concatenate, zip(rows.cells(rows.low), rows.cells(rows.high), strict=True))
            cells = dict(zip(CELLS, columns, strict=True))
            values = sign * filled(score.metric.formula.evaluate(cells), fill)
            if not np.isnan(values).all():
                place = int(np.nanargmax(values))
                value = score.metric.formula.exact({name: int(column[place]) for name, column in cells.items()})
                outer = fill if value is None else value
        elif relaxed is not None and relaxed.hits is not None and score.of_hits and not claim.multilabel:
            hits = np.arange(relaxed.hits[0], relaxed.hits[1] + 1)
            values = sign * self._of_hits(score, hits)
            if not np.isnan(values).all():
                formula, at = score.from_hits(int(hits[np.nanargmax(values)]), total, len(claim.labels))
                outer = formula.exact(at)
        known: list[Limits | Reported] = [score.metric.limits]
        known += [each.reported for each in claim.scores if each.score.name == score.name]
        ends = [outer, *(each.high if sign > 0 else each.low for each in known)]
        return min((end for end in ends if end is not None), key=lambda end: sign * end, default=Fraction(sign * 10**9))

    def _budget(self) -> Budget:
        return Budget(max(_PROVEN_AT_LEAST, _PROVEN_WITHIN // len(self.problem.parts)))

    def _tried(self, score: ClassScore, sign: int, search: Search, budget: Budget) -> tuple[_Best | None, bool]:
        """Return the best of the first choices that a search finds, and whether it is known that there are none."""
        try:
            budget.spend(_STEP_COSTS * len(self.problem.parts))
            some = next(search.walk(budget, guided=True), None)
        except TooLarge:
            return None, False
        if some is None:
            return None, True
        choices = search.choices(some)[:, :_MOST_COMPARED]
        return self._best(score, choices, self.values(score, choices), sign), False
