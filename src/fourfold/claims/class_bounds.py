"""The smallest and largest value of a score over all margins of classes that fit."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import TooLarge
from ..formula import CELLS, Formula
from ..metrics import POSITIVES, Averaged, filled
from ..reported import Reported
from ..space import Rows
from ..space.parts import Budget, Search
from ..space.relaxed import Relaxed
from ..surd import Exact
from ..table import Matrix
from .class_search import Found, margins_of, matrix_of, ties_of
from .classes import ClassClaim, ClassScore

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


class ClassBounds(NamedTuple):
    """A score's smallest and largest value over all margins that fit; None where it is undefined for all.

    Where an end is not sharp, no margins lie beyond it, and those given come nearest of what was found.
    """

    low: Annotated[float | None, "No smaller value is possible; null where it is undefined for all."]
    high: Annotated[float | None, "No larger value is possible; null where it is undefined for all."]
    low_sharp: Annotated[bool, "Whether the smallest value is attained."] = True
    high_sharp: Annotated[bool, "Whether the largest value is attained."] = True
    low_margins: Annotated[Margins, "Margins with the smallest value."] = ()
    high_margins: Annotated[Margins, "Margins with the largest value."] = ()


class Evaluator:
    """The values of scores over the choices that a search found."""

    def __init__(self, claim: ClassClaim, found: Found) -> None:
        self.claim, self.found = claim, found
        self.problem = found.problem
        self.total, self.several_labels = found.total, claim.multilabel
        self.convention = claim.meant
        self._margins: dict[tuple[int, ...], Margins] = {}
        self._tables: dict[tuple[int, ...], list[dict[str, int]]] = {}
        self._exact: dict[tuple[str, tuple[int, ...]], Exact | None] = {}
        self._evaluated: dict[Formula, NDArray[np.float64]] = {}
        self._known: dict[Any, ClassBounds] = {}

    @cached_property
    def search(self) -> Search:
        """The search for what fits."""
        return self.found.search or Search(self.problem)

    def margins(self, choice: Sequence[int]) -> Margins:
        """Return the margins of a choice, by class."""
        key = tuple(choice)
        if key not in self._margins:
            margins = margins_of(self.problem, key)
            named = zip(self.claim.labels, margins, strict=True)
            self._margins[key] = tuple(ClassMargins(label, *each) for label, each in named)
        return self._margins[key]

    def matrix(self, choice: Sequence[int]) -> Matrix:
        """Return a k-by-k table with the margins of a choice."""
        return Matrix(np.array(matrix_of(margins_of(self.problem, choice))), self.claim.labels)

    def exact(self, score: ClassScore, choice: Sequence[int]) -> Exact | None:
        """Return a score at a choice, from its definition."""
        if self.several_labels and score.place is None and not isinstance(score.metric.over_classes, Averaged):
            return None
        if score.place is not None:
            value = score.metric.formula.exact(self.problem.parts[score.place].table(choice[score.place]))
            return score.metric.fill(self.convention, of_part=True) if value is None else value
        key = tuple(choice)
        if key not in self._tables:
            self._tables[key] = [part.table(place) for part, place in zip(self.problem.parts, choice, strict=True)]
        known = (score.name, key)
        if known not in self._exact:
            self._exact[known] = score.value_of(self._tables[key], self.convention)
        return self._exact[known]

    def values(self, score: ClassScore, choices: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return a score at many choices; nan where it is undefined."""
        at = choices + self._starts
        fill = score.metric.fill(self.convention, of_part=score.place is not None)
        form = score.metric.over_classes
        if score.place is not None:
            values = self._flat(score.metric.formula)[at[score.place]]
        elif self.several_labels and not isinstance(form, Averaged):
            return np.full(choices.shape[1], np.nan)
        elif score.mean is not None:
            return self._means(score.mean, at)
        elif isinstance(form, Averaged):
            values = form.base.formula.evaluate({name: self._cells[name][at].sum(axis=0) for name in CELLS})
        elif score.of_hits:
            formula, sums = score.from_hits(self._cells["tp"][at].sum(axis=0), self.total, len(self.claim.labels))
            values = np.broadcast_to(formula.evaluate(sums), choices.shape[1])
        else:
            values = self._of_sums(score, at)
        return filled(np.asarray(values), fill)

    @cached_property
    def _cells(self) -> dict[str, NDArray[np.int64]]:
        """The counts of the tables of all classes, one after the other."""
        return {name: np.concatenate([part.cells()[name] for part in self.problem.parts]) for name in CELLS}

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """Where the tables of each class begin, as a column."""
        return np.cumsum([0, *(len(part) for part in self.problem.parts[:-1])])[:, None]

    def _flat(self, formula: Formula) -> NDArray[np.float64]:
        """Return a formula's values at the tables of all classes, computed once."""
        if formula not in self._evaluated:
            self._evaluated[formula] = formula.evaluate(self._cells)
        return self._evaluated[formula]

    def _means(self, mean: Averaged, at: NDArray[np.int64]) -> NDArray[np.float64]:
        values = self._flat(mean.base.formula)[at]
        weights = self._flat(POSITIVES)[at] if mean.average == "weighted" else np.ones(at.shape)
        return self.convention.mean_floats(values, weights)

    def _of_sums(self, score: ClassScore, at: NDArray[np.int64]) -> NDArray[np.float64]:
        top, bottoms, is_root = score.fraction
        sums = [self._flat(formula)[at].sum(axis=0) for formula in (top, *bottoms)]
        with np.errstate(all="ignore"):
            bottom = np.sqrt(sums[1] * sums[2]) if is_root else sums[1]
            return np.where(bottom == 0, np.nan, sums[0] / bottom)

    def best(self, score: ClassScore, choices: NDArray[np.int32], sign: int) -> tuple[Exact, tuple[int, ...]] | None:
        """Return the largest value of a score over some choices (smallest if the sign is negative), and where it is."""
        return self._best(score, choices, sign * self.values(score, choices), sign)

    def _best(
        self, score: ClassScore, choices: NDArray[np.int32], values: NDArray[np.float64], sign: int
    ) -> _Best | None:
        if np.isnan(values).all():
            return None
        top = np.nanmax(values)
        near = np.flatnonzero(values >= top - _NEAR * (1 + abs(top)))
        if score.place is not None or score.of_hits or values[near].max() - values[near].min() == 0:
            near = near[:1]
        distinct = near if len(near) <= _MOST_EXACT else near[np.argsort(-values[near], kind="stable")[:_MOST_EXACT]]
        best: tuple[Exact, tuple[int, ...]] | None = None
        for i in distinct.tolist():
            choice = tuple(choices[:, i].tolist())
            value = self.exact(score, choice)
            if value is not None and (best is None or (value > best[0] if sign > 0 else value < best[0])):
                best = value, choice
        return best

    def bounds(self, score: ClassScore) -> ClassBounds:
        """Return the bounds of a score over all margins that fit."""
        key = (score.metric.over_classes if score.place is None else score.metric.formula, score.place)
        if key not in self._known:
            self._known[key] = self._bounds(score)
        return self._known[key]

    def _bounds(self, score: ClassScore) -> ClassBounds:
        values = self.values(score, self.found.choices)
        least, most = (
            self._end(score, sign, self._best(score, self.found.choices, sign * values, sign)) for sign in (-1, 1)
        )
        if least is None or most is None:
            return ClassBounds(None, None)
        (low, low_sharp, low_choice), (high, high_sharp, high_choice) = least, most
        return ClassBounds(
            float(low), float(high), low_sharp, high_sharp, self.margins(low_choice), self.margins(high_choice)
        )

    def _end(self, score: ClassScore, sign: int, best: _Best | None) -> _End | None:
        if self.found.listed or best is None:
            return None if best is None else (best[0], True, best[1])
        if self.found.relaxed is not None:
            outer = self._relaxed_end(score, sign, self.found.relaxed)
            best = best if outer == best[0] else self._attained(score, sign, outer, self.found.relaxed) or best
            return outer, outer == best[0], best[1]
        if score.place is not None:
            return self._end_of_class(score, sign, best)
        if score.of_hits and not self.several_labels:
            return self._end_of_hits(score, sign, best)
        return self._end_of_sums(score, sign, best)

    def _end_of_class(self, score: ClassScore, sign: int, best: _Best) -> _End:
        """Bisect the values that the tables of one class have; most often the outermost is attained."""
        assert score.place is not None
        part = self.problem.parts[score.place]
        fill = score.metric.fill(self.convention, of_part=True)
        values = sign * filled(score.metric.formula.evaluate(part.cells()), fill)
        steps = np.unique(values[~np.isnan(values)])
        known = int(np.searchsorted(steps, sign * float(best[0]) - _NEAR))
        beyond = len(steps)
        wanted = beyond - 1
        while known + 1 < beyond:
            with np.errstate(invalid="ignore"):
                search = self.search.narrowed(only=(score.place, values >= steps[wanted]))
            more, complete = self._first(search)
            if more is not None:
                best = self.best(score, more, sign) or best
                known = max(wanted, int(np.searchsorted(steps, sign * float(best[0]) - _NEAR)))
            elif complete:
                beyond = wanted
            else:
                return Fraction(sign * float(steps[beyond - 1])), False, best[1]
            wanted = (known + beyond) // 2
        return best[0], True, best[1]

    def _end_of_hits(self, score: ClassScore, sign: int, best: _Best) -> _End:
        """Try the sums of tp from the outermost on."""
        hits = self.search.open_hits
        formula, at = score.from_hits(hits, self.total, len(self.claim.labels))
        values = sign * np.broadcast_to(formula.evaluate(at), hits.shape)
        for i in np.argsort(-values, kind="stable").tolist():
            if values[i] <= sign * float(best[0]) + _NEAR:
                break
            more, complete = self._first(self.search.narrowed(hits=hits[i : i + 1]))
            if more is not None:
                better = self.best(score, more, sign)
                assert better is not None
                return better[0], True, better[1]
            if not complete:
                return Fraction(sign * float(values[i])), False, best[1]
        return best[0], True, best[1]

    def _end_of_sums(self, score: ClassScore, sign: int, best: _Best) -> _End:
        """Bisect between what was found and what bounds leave, then try to go beyond what was found at all."""
        beyond, budget = self._outermost(score, sign), self._budget()
        for _ in range(_MOST_STEPS):
            if not sign * (beyond - best[0]) > _HAIR:
                return best[0], True, best[1]
            last = sign * (beyond - best[0]) < _CLOSE
            # A root is no fraction: it is told from what lies beyond it to twelve digits.
            found = best[0] if isinstance(best[0], Fraction) else Fraction(float(best[0])) + sign * _HAIR
            wanted = found if last else (found + beyond) / 2
            ends = (wanted, beyond) if sign > 0 else (beyond, wanted)
            reported = Reported("", *ends, last and sign > 0, last and sign < 0)
            ties = ties_of(score, reported, self.claim, self.total)
            more, complete = self._first(self.search.narrowed(ties=ties), budget)
            better = None if more is None else self.best(score, more, sign)
            if better is not None and sign * (better[0] - best[0]) > 0:
                best = better
            elif complete and more is None:
                if last:
                    return best[0], True, best[1]
                beyond = wanted
            else:
                break
        return beyond, False, best[1]

    def _weight(self, mean: Averaged) -> int:
        """Return what the weights of all classes in a mean add up to."""
        if mean.average != "weighted":
            return len(self.claim.labels)
        return sum(size.low for size in self.claim.sizes) if self.several_labels else self.total

    def _limit(self, score: ClassScore, sign: int) -> Fraction | None:
        """Return the end of a score's limits, or of what was reported of it."""
        limit = score.limits.high if sign > 0 else score.limits.low
        for claimed in self.claim.scores:
            if claimed.score.name == score.name:
                end = claimed.reported.high if sign > 0 else claimed.reported.low
                limit = end if limit is None or sign * (limit - end) > 0 else limit
        return limit

    def _outermost(self, score: ClassScore, sign: int) -> Fraction:
        """Return a number beyond which a score cannot be, as bounds alone tell."""
        limit = self._limit(score, sign)
        if score.mean is not None and not self.convention.drop:
            (tie,) = ties_of(score, Reported("", Fraction(0), Fraction(1)), self.claim, self.total)
            whole = self._weight(score.mean)
            outer = self.search.ends_of(tie.sums[0])[sign > 0] / whole + float(self.convention.fill or 0)
            if np.isfinite(outer):
                rounded = Fraction(outer).limit_denominator(10**12) + sign * Fraction(1, 10**11)
                return rounded if limit is None or sign * (limit - rounded) > 0 else limit
        return Fraction(10**9) if limit is None else limit

    def _relaxed_end(self, score: ClassScore, sign: int, relaxed: Relaxed) -> Exact:
        """Return a number beyond which a score cannot be where tables are not listed."""
        limit = self._limit(score, sign)
        outer: Exact | None = None
        if score.place is not None:
            outer = self._end_of_rows(score, sign, relaxed.rows[score.place])
        elif score.of_hits and relaxed.hits is not None and not self.several_labels:
            outer = self._end_between(score, sign, *relaxed.hits)
        elif score.mean is not None and not self.convention.drop:
            (tie,) = ties_of(score, Reported("", Fraction(0), Fraction(1)), self.claim, self.total)
            most = relaxed.most(tie.sums[0], sign, _ROUNDS)
            whole = self._weight(score.mean)
            fill = self.convention.fill or 0
            outer = None if most is None else Fraction(most / whole) + fill + sign * _HAIR
        if outer is None:
            return Fraction(sign * 10**9) if limit is None else limit
        return outer if limit is None or sign * (limit - outer) > 0 else limit

    def _attained(self, score: ClassScore, sign: int, outer: Exact, relaxed: Relaxed) -> _Best | None:
        """Look for a choice with the outermost value of a class or of the sum of tp, among the tables at hand."""
        if score.place is not None:
            part = self.problem.parts[score.place]
            if len(part) < relaxed.rows[score.place].count:
                return None
            values = self._flat(score.metric.formula)[self._starts[score.place, 0] :][: len(part)]
            with np.errstate(invalid="ignore"):
                there = np.abs(values - float(outer)) <= _NEAR
            search = self.search.narrowed(only=(score.place, there))
        elif score.of_hits and not self.several_labels:
            formula, at = score.from_hits(self.search.open_hits, self.total, len(self.claim.labels))
            there = np.abs(np.broadcast_to(formula.evaluate(at), self.search.open_hits.shape) - float(outer)) <= _NEAR
            search = self.search.narrowed(hits=self.search.open_hits[there])
        else:
            return None
        more, _ = self._first(search)
        return None if more is None else self.best(score, more, sign)

    def _end_of_rows(self, score: ClassScore, sign: int, rows: Rows) -> Exact | None:
        """Return the extreme of a score over all tables of one class: it is at an end of a row."""
        pieces = []
        for tn in (rows.low, rows.high):
            columns = (rows.tp, rows.positives - rows.tp, rows.negatives - tn, tn)
            pieces.append(dict(zip(("tp", "fn", "fp", "tn"), columns, strict=True)))
        cells = {name: np.concatenate([piece[name] for piece in pieces]) for name in CELLS}
        fill = score.metric.fill(self.convention, of_part=True)
        values = sign * filled(score.metric.formula.evaluate(cells), fill)
        if score.metric.formula.affine_ratio is None or np.isnan(values).all():
            return None
        place = int(np.nanargmax(values))
        value = score.metric.formula.exact({name: int(column[place]) for name, column in cells.items()})
        return fill if value is None else value

    def _end_between(self, score: ClassScore, sign: int, low: int, high: int) -> Exact | None:
        """Return the extreme of a score that follows from the sum of tp, between two of these."""
        hits = np.arange(low, high + 1)
        formula, at = score.from_hits(hits, self.total, len(self.claim.labels))
        values = sign * np.broadcast_to(formula.evaluate(at), hits.shape)
        if np.isnan(values).all():
            return None
        formula, at = score.from_hits(int(hits[np.nanargmax(values)]), self.total, len(self.claim.labels))
        return formula.exact(at)

    def _budget(self) -> Budget:
        return Budget(max(_PROVEN_AT_LEAST, _PROVEN_WITHIN // len(self.problem.parts)))

    def _first(self, search: Search, budget: Budget | None = None) -> tuple[NDArray[np.int32] | None, bool]:
        """Look for choices; return some, and whether all were looked at."""
        budget = budget or self._budget()
        try:
            budget.spend(_STEP_COSTS * len(self.problem.parts))
            some = next(search.walk(budget, guided=True), None)
        except TooLarge:
            return None, False
        return None if some is None else search.choices(some)[:, :_MOST_COMPARED], True


_Best = tuple[Exact, tuple[int, ...]]
#: An end of a score, whether it is attained, and a choice that attains it or comes near.
_End = tuple[Exact, bool, tuple[int, ...]]
