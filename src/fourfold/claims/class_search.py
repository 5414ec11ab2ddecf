"""The search for the margins of k-by-k tables that fit a claim, within its budget.

With class sizes n_c, right cases tp_c and predicted cases q_c, a table of counts exists if and only if all q_c add up
to the number of cases N and no class has more wrong cases, fn_c + fp_c, than there are in all, N less all tp_c: a cut
through two rows or more of the complete bipartite graph without its diagonal reaches all columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, combinations
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import TooLarge
from ..exact import Constant, Formula, Operation
from ..exact.reported import Reported
from ..metrics import POSITIVES, Averaged
from ..solve import Rows, fitting, fitting_many, undefined_in
from ..solve.parts import (
    Amount,
    Budget,
    Choice,
    Problem,
    Rooted,
    Search,
    Sum,
    Tie,
    lines_of,
    listed,
    settled,
)
from ..solve.problem import Part
from ..solve.relaxed import Relaxed
from ..solve.rows import Bools, Ints, first_of_alike
from ..strategy import strategy
from .claim import Size
from .class_draws import DrawnMargins, Draws
from .classes import ClassClaim, ClassScore

# All margins that fit are looked for one by one within this many choices.
_KEPT_WITHIN: Final = 1_000_000
# Where they are more, they are counted within this many, and so many of them are kept.
_COUNTED_WITHIN: Final = 80_000
_SOME_KEPT: Final = 200
# Tables of all classes together that are listed before the answer is undecided.
_MOST_TABLES: Final = 3_000_000
# Where the number of cases is open, each costs at least and at most as much as so many choices.
_OF_TOTAL, _MOST_OF_TOTAL = 2_000, 1_000_000
# With more tables than this in classes of open size, one choice of sizes is tried.
_MOST_OPEN: Final = 30_000_000
# With more tables than this, some of each class are tried first: few, and more of the two classes with most.
_THINNED_ABOVE: Final = 100_000
_FEW_TABLES, _MORE_TABLES, _MANY_TABLES = 200, 4_000, 40_000
# Where sizes are open, so often tables are drawn, and so many choices are looked at among these.
_DRAWS, _THINNED_WITHIN = 4, 200_000
# Rounds of a proof before anything is searched for, and after nothing was found at once.
_FIRST_ROUNDS, _MORE_ROUNDS = 3, 12
# So many choices are listed by a search for margins that starts from what honest reports look like; where it finds
# none, a search from the middle outwards looks at so many.
_DRAWN_AT_ONCE, _DRAWN_WITHIN, _FOUND_WITHIN = 60_000, 200_000, 400_000
# Each may take this part of the budget. Where a class has fewer tables than this, its own scores are told, and the
# second goes on.
_OF_BUDGET, _FREE_ABOVE = 3, 3_000
# Near so many margins that are known to fit others are looked for.
_KNOWN: Final = 3
# A search for the first that fits tries so few sums of tp at first, each with so many choices.
_FEW: Final = 8
_DIVE: Final = 20_000
# Once one that fits is known, a second is looked for in dives up to this.
_SECOND_WITHIN: Final = 1_000_000

_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class Found:
    """What a search found: all choices where they are few, else some, and how many there are as far as was counted."""

    problem: Problem
    #: All choices that fit, a column each, where `listed`; else some.
    choices: NDArray[np.int32]
    search: Search | None = None
    listed: bool = True
    counted: bool = True
    #: How many fit, as far as was counted, where they are not listed.
    number: int = 0
    #: Why it is not known whether there are others, or any.
    reason: str = ""
    #: All cases.
    total: int = 0
    #: Where the parts hold only some of their tables, enough to find what fits: what tells about all of them.
    relaxed: Relaxed | None = None

    @property
    def count(self) -> int:
        """How many choices fit, as far as was counted."""
        return self.choices.shape[1] if self.listed else self.number

    @property
    def complete(self) -> bool:
        """Whether what was found rests on all choices."""
        return not self.reason

    @property
    def some(self) -> Choice | None:
        """One choice that fits: where there is one, the claim is possible, counted or not."""
        return tuple(self.choices[:, 0].tolist()) if self.choices.size else None

    def tables(self) -> list[dict[str, int]]:
        """Return the table of each class against the rest at one choice that fits."""
        assert self.some is not None
        return self.problem.tables(self.some)


def _undecided(reason: str) -> Found:
    return Found(Problem(()), _no_choices(0), listed=False, counted=False, reason=reason)


def _no_choices(classes: int) -> NDArray[np.int32]:
    return np.empty((classes, 0), np.int32)


def solve_classes(claim: ClassClaim) -> list[Found]:
    """Find the margins that fit a claim, for every number of cases it leaves open."""
    assert claim.total.high is not None
    left, work = Budget(claim.budget), claim.budget
    found: list[Found] = []
    for total in range(max(claim.total.low, 1), claim.total.high + 1):
        # Sizes that are open make many tables, for each number of cases anew: so many about.
        room = [(size.low, total if size.high is None else min(size.high, total)) for size in claim.sizes]
        tables = sum((high - low) * ((low + high) // 2) * (total - (low + high) // 2) for low, high in room)
        if tables > _MOST_OPEN:
            return [*found, _solve_some_sizes(claim, room, total, left)]
        if work < 0:
            return [*found, _undecided(f"the budget was spent at {total} of {claim.total.high} cases")]
        found.append(_solve(claim, total, left))
        work -= _OF_TOTAL + min(_MOST_OF_TOTAL, tables)
    return found


def _solve_some_sizes(claim: ClassClaim, room: list[tuple[int, int]], total: int, budget: Budget) -> Found:
    """Look for margins with one choice of sizes, where those that are open are too many to try."""
    left, whole = total - sum(low for low, _ in room), sum(high - low for low, high in room)
    sizes = [low + (high - low) * left // whole for low, high in room]
    for place, (_, high) in enumerate(room):
        sizes[place] += min(total - sum(sizes), high - sizes[place])
    chosen = replace(claim, sizes=tuple(Size(n, n) for n in sizes), total=Size(total, total))
    found, words = _solve(chosen, total, budget), "the sizes are too open to try them all"
    if found.some is None:
        return _undecided(words)
    return replace(found, listed=False, counted=False, number=found.count, reason=words)


def _solve(claim: ClassClaim, total: int, budget: Budget) -> Found:
    """Find the margins that fit for one number of cases."""
    ties = [tie for claimed in claim.scores for tie in ties_of(claimed.score, claimed.reported, claim, total)]
    try:
        rows = [_rows(claim, place, total) for place in range(len(claim.labels))]
    except TooLarge as error:
        return _undecided(f"{error.got} tables of single classes would have to be listed")
    known, hits = all(size.known for size in claim.sizes), None if claim.multilabel else _hits(claim, total, rows)
    if hits is not None and prod(part.count for part in rows) > strategy().listed_up_to_choices:
        margins = [(size.low, total - size.low) for size in claim.sizes]
        for tie in ties if known and all(size for size, _ in margins) and not claim.meant.drop else ():
            fits = settled(tie, [lines_of(amounts, margins) for amounts in tie.sums], hits, total)
            hits = hits if fits is None else fits
        rows, hits = _clipped(rows, hits, total)
    nothing = Found(Problem(()), _no_choices(len(rows)), total=total)
    if not all(len(part) for part in rows) or (hits is not None and not len(hits)):
        return nothing
    ends, predicted = (None, None) if hits is None else ((int(hits[0]), int(hits[-1])), total)
    relaxed = Relaxed(rows, ties, ends, predicted)
    if hits is not None and not known:
        ties = [*ties, Tie(((Amount(POSITIVES),) * len(rows),), Fraction(total), Fraction(total))]
    means = [claimed.score.mean for claimed in claim.scores if claimed.score.mean and claim.meant.strict]

    def problem_of(parts: Sequence[Part]) -> Problem:
        for mean in means:
            # No score may be undefined.
            parts = [part.at(~np.isnan(mean.base.formula.evaluate(part.cells()))) for part in parts]
        return Problem(tuple(parts), hits, predicted, predicted, tuple(ties))

    tables, draws = sum(part.count for part in rows), None
    number = prod(part.count for part in rows)
    if hits is not None and relaxed.usable and number > strategy().listed_up_to_choices:
        if relaxed.impossible(_FIRST_ROUNDS):
            return nothing
        if tables <= _THINNED_ABOVE and not len(Search(problem_of([Part.of(part) for part in rows])).open_hits):
            return nothing
        draws = Draws(rows, ties, hits, total, [mean.base.formula for mean in means])
        # What is possible is most often found at once. Where choices are fewer, all may be looked at.
        many = tables > _THINNED_ABOVE or number > strategy().found_first_above_choices
        if many and not draws.found(min(budget.left, _DRAWN_AT_ONCE)) and relaxed.impossible(_MORE_ROUNDS):
            return nothing
    if tables > _THINNED_ABOVE:
        right = 0.5 if hits is None else float(hits[len(hits) // 2]) / total
        drawn = draws.found(min(budget.left // _OF_BUDGET, _DRAWN_WITHIN)) if draws else []
        for draw in range(_DRAWS if draws is None else len(drawn[:1])):
            problem = problem_of(_thinned(rows, right, drawn, draw))
            if not all(problem.sizes):
                continue
            choices = _placed(problem, drawn)
            if draws is None:
                choices, _ = find(Search(problem), Budget(min(budget.left, _THINNED_WITHIN)))
            if choices.size:
                kept, number = choices[:, :_SOME_KEPT], choices.shape[1]
                return Found(problem, kept, None, False, False, number, total=total, relaxed=relaxed)
        if tables > _MOST_TABLES:
            return _undecided(f"{tables} tables of single classes would have to be listed")
    found = solve_problem(problem_of([Part.of(part) for part in rows]), budget, draws)
    return nothing if not found.complete and relaxed.impossible(_MORE_ROUNDS) else replace(found, total=total)


def _placed(problem: Problem, margins: Sequence[DrawnMargins]) -> NDArray[np.int32]:
    """Return where margins are in the parts of a problem, a column each; those that are not there are left out."""
    columns = []
    for tp, predicted in margins:
        places = [
            np.flatnonzero((part.tp == n) & (part.predicted == q))[:1]
            for part, n, q in zip(problem.parts, tp.tolist(), predicted.tolist(), strict=True)
        ]
        if all(map(len, places)):
            columns.append(np.concatenate(places))
    return np.array(columns, dtype=np.int32).reshape(-1, len(problem.parts)).T


def _thinned(rows: Sequence[Rows], right: float, known: Sequence[DrawnMargins], draw: int) -> list[Part]:
    """Return some tables of each class, drawn: few, and more of the two classes with most.

    Most of them are where about as many cases are right as in all classes together. Where some margins are known to
    fit, their tables are taken, and some near them. Of the class with most tables, all around the middle are taken, so
    that what is left over by the others finds its place.
    """
    numbers = [_FEW_TABLES] * (len(rows) - 2) + [_MORE_TABLES, _MANY_TABLES]
    order = sorted(range(len(rows)), key=lambda place: rows[place].count)
    rng, wrong = np.random.default_rng(draw), 1 - right
    parts: dict[int, Part] = {}
    for i, most in zip(order, numbers, strict=True):
        part, close = rows[i], [(int(tp[i]), int(predicted[i])) for tp, predicted in known[:_KNOWN]]
        if part.count <= most:
            parts[i] = Part.of(part)
            continue
        sources, fn = [(part, most // 4)], part.positives - part.tp
        for least, largest in ((0.0, 3 * wrong), (0.7 * wrong, 1.3 * wrong)):
            # Those whose fn, and whose fp, are between two shares of the positives, give or take a few.
            low, high = np.floor(least * part.positives) - 3, np.ceil(largest * part.positives) + 3
            cut = _cut(part, part.negatives - high, part.negatives - low, (low <= fn) & (fn <= high))
            sources.append((cut, most // 4))
        sources += [(_around(part, *each, np.sqrt(most / len(close)) / 2), most // len(close)) for each in close]
        pieces = [_around(part, *each, 0.5) for each in close]
        for source, number in sources:
            if count := source.count:
                chosen = {min(int(share * count), count - 1) for share in rng.random(number).tolist()}
                pieces.append(source.picked(sorted(chosen)))
        if most == _MANY_TABLES:
            n = int(part.positives[0])
            middle = close[0] if close else (round(right * n), n)
            pieces.append(_around(part, *middle, np.sqrt(most) / 2))
        joined = Part.of(Rows.joined(pieces))
        parts[i] = joined.at(first_of_alike(np.stack([joined.positives, joined.tp, joined.tn], axis=1)))
    return [parts[i] for i in range(len(rows))]


def _around(rows: Rows, tp: float, predicted: float, reach: float) -> Rows:
    """Keep the tables whose tp and predicted are not farther off than so much."""
    middle = rows.tp + rows.negatives - predicted
    return _cut(rows, middle - reach, middle + reach, np.abs(rows.tp - tp) <= reach)


def _cut(rows: Rows, low: Any, high: Any, kept: Bools) -> Rows:
    """Keep some rows, and in them the tables whose tn is between two numbers."""
    low, high = (
        np.maximum(rows.low, np.ceil(low).astype(np.int64)),
        np.minimum(rows.high, np.floor(high).astype(np.int64)),
    )
    return rows.narrowed(low, np.where(kept, high, low - 1))


def solve_problem(problem: Problem, budget: Budget, draws: Draws | None = None) -> Found:
    """Decide whether any choice fits, and count and keep what does, as far as the budget goes."""
    number = prod(problem.sizes)
    if number <= strategy().listed_up_to_choices and (every := listed(problem)) is not None:
        return Found(problem, every)
    search = Search(problem)
    choices, complete = _no_choices(len(problem.parts)), False
    if number <= strategy().found_first_above_choices:
        small = Budget(min(budget.left, _KEPT_WITHIN))
        choices, complete = _collected(search, small, strategy().margins_kept_up_to)
    if not complete and not choices.size and draws:
        choices = _placed(problem, draws.found(min(budget.left // _OF_BUDGET, _DRAWN_WITHIN)))
        if sum(problem.sizes) > _FREE_ABOVE * len(problem.sizes):
            budget = Budget(min(budget.left // _OF_BUDGET, _FOUND_WITHIN))
    if not complete and not choices.size:
        choices, complete = find(search, budget)
        complete &= choices.shape[1] < 2
    if complete:
        return Found(problem, choices, search)
    if not choices.size:
        words = "the budget was spent before any margins were found that fit"
        return Found(problem, choices, search, listed=False, counted=False, reason=words)
    kept = np.unique(choices[:, :_SOME_KEPT], axis=1)
    try:
        number = search.count(Budget(min(budget.left, _COUNTED_WITHIN)))
        return Found(problem, kept, search, listed=False, number=number)
    except TooLarge:
        return Found(problem, kept, search, listed=False, counted=False, number=choices.shape[1])


def _collected(search: Search, budget: Budget, most: int, **how: Any) -> tuple[NDArray[np.int32], bool]:
    """Return choices that fit, some where there are more than so many, and whether these are all."""
    found, complete = [_no_choices(len(search.parts))], True
    try:
        for some in search.walk(budget, **how):
            found.append(search.choices(some))
            if sum(piece.shape[1] for piece in found) > most:
                complete = False
                break
    except TooLarge:
        complete = False
    return np.concatenate(found, axis=1), complete


def find(search: Search, budget: Budget) -> tuple[NDArray[np.int32], bool]:
    """Return some choices that fit, two if there are and they are found, and whether all were looked at.

    Short dives come first, over all sums of tp and then at a few, from the middle outwards; then longer ones.
    """
    hits = search.open_hits
    middle = (len(hits) - 1) / 2
    outwards = hits[np.argsort(np.abs(np.arange(len(hits)) - middle), kind="stable")]
    few = [outwards[i : i + 1] for i in range(0, len(hits), max(1, len(hits) // _FEW))][:_FEW]
    dive = max(_DIVE, 10 * sum(search.problem.sizes), 2000 * len(search.parts))
    found = _no_choices(len(search.parts))
    while True:
        for block in [None, *few]:
            allowed = min(dive, budget.left)
            small = Budget(allowed)
            # Promising ones come first, until there are two.
            more, complete = _collected(search, small, 1, guided=True, hits=block)
            budget.left -= allowed - small.left
            found = np.unique(np.concatenate([found, more], axis=1), axis=1) if found.size else more
            if found.shape[1] > 1 or (block is None and complete):
                return found, True
            if budget.left < dive:
                return found, False
        if found.size and dive > _SECOND_WITHIN:
            return found, False
        dive *= 8


def _hits(claim: ClassClaim, total: int, rows: Sequence[Rows]) -> Ints:
    """Return the numbers of right cases that fit all scores that follow from it alone."""
    if not all(len(part) for part in rows):
        return np.empty(0, np.int64)
    low, high = (sum(int(end(part.tp)) for part in rows) for end in (np.min, np.max))
    hits = np.arange(low, min(total, high) + 1)
    for score, reported in ((claimed.score, claimed.reported) for claimed in claim.scores if claimed.score.of_hits):
        formula, values = score.from_hits(hits, total, len(claim.labels))
        floats = formula.evaluate(values)
        least, most = float(reported.low), float(reported.high)
        good = np.asarray((floats > least) & (floats < most))
        for i in np.flatnonzero((np.abs(floats - least) < 1e-9) | (np.abs(floats - most) < 1e-9) | np.isnan(floats)):
            formula, one = score.from_hits(int(hits[i]), total, len(claim.labels))
            value = formula.exact(one)
            value = score.metric.fill(claim.meant) if value is None else value
            good[i] = value is not None and value in reported
        hits = hits[good]
    return hits


def _rows(claim: ClassClaim, place: int, total: int) -> Rows:
    """Return the tables of one class against the rest that fit what is said about that class."""
    own, size = claim.about(place), claim.sizes[place]
    high = total if size.high is None else min(size.high, total)
    positives: Any = size.low if size.known else np.arange(size.low, high + 1)
    search: Any = fitting if size.known else fitting_many
    hidden = [claimed for claimed in own if claimed.score.metric.fill(claim.meant) in claimed.reported]
    pieces = []
    # Each of these may be a number, or stand for an undefined one.
    for chosen in chain.from_iterable(combinations(hidden, number) for number in range(len(hidden) + 1)):
        wanted = [(claimed.score.metric, claimed.reported) for claimed in own if claimed not in chosen]
        rows, _ = search(wanted, positives, total - positives, most_rows=_MOST_TABLES)
        for claimed in chosen:
            rows = undefined_in(rows, claimed.score.metric.formula)
        pieces.append(rows)
    return Rows.joined(pieces)


def rows_of(claim: ClassClaim, total: int) -> list[Rows]:
    """Return the tables that each class may have, as far as its own scores and sums of counts tell."""
    rows = [_rows(claim, place, total) for place in range(len(claim.labels))]
    return _clipped(rows, _hits(claim, total, rows), total)[0]


def has_tables(claim: ClassClaim, place: int, total: int) -> bool:
    """Tell whether a class may have any table, by its size and its own scores alone."""
    try:
        return len(_rows(claim, place, total)) > 0
    except TooLarge:
        return True


def _clipped(rows: list[Rows], hits: Ints, total: int) -> tuple[list[Rows], Ints]:
    """Take out what no choice of the other classes can complete, as far as sums of counts tell."""
    for _ in range(6):
        if not len(hits) or not all(len(part) for part in rows):
            return [part.at(slice(0, 0)) for part in rows], hits
        bases = [part.tp + part.negatives for part in rows]
        ends = np.array(
            [
                (part.tp.min(), part.tp.max(), (base - part.high).min(), (base - part.low).max())
                for part, base in zip(rows, bases, strict=True)
            ]
        )
        # What the other classes have of tp and of predicted, at least and at most.
        others = ends.sum(axis=0) - ends
        hits = hits[(hits >= ends[:, 0].sum()) & (hits <= ends[:, 1].sum())]
        if not len(hits):
            continue
        before = sum(part.count for part in rows)
        clipped = []
        for part, (least_tp, most_tp, least, most) in zip(rows, others.tolist(), strict=True):
            part = part.kept((part.tp >= int(hits[0]) - most_tp) & (part.tp <= int(hits[-1]) - least_tp))
            base = part.tp + part.negatives
            # tn lets predicted = base - tn and wrong = positives - tp + negatives - tn be where they may.
            low = np.maximum(part.low, base - (total - least))
            low = np.maximum(low, part.positives - part.tp + part.negatives - (total - int(hits[0])))
            clipped.append(part.narrowed(low, np.minimum(part.high, base - (total - most))))
        rows = clipped
        if sum(part.count for part in rows) == before:
            break
    return rows, hits


def ties_of(score: ClassScore, reported: Reported, claim: ClassClaim, total: int) -> list[Tie]:
    """Return what a claim about a score says about sums over classes; nothing where it is no such claim."""
    classes, form, fill = len(claim.labels), score.metric.over_classes, claim.meant.fill
    low, high, opened = reported.low, reported.high, (reported.low_open, reported.high_open)
    pooled = claim.multilabel and score.mean is None
    if score.place is not None or (score.of_hits and not pooled) or (pooled and not isinstance(form, Averaged)):
        return []

    def alike(*formulas: Formula) -> tuple[Sum, ...]:
        return tuple((Amount(formula),) * classes for formula in formulas)

    if pooled:
        # Numerator and denominator of a micro average are sums of counts, so that those of all classes add up.
        assert isinstance(form, Averaged)
        base = form.base.formula
        assert isinstance(base, Operation)
        assert base.symbol == "/"
        fraction: tuple[Formula, ...] = base.left, base.right
    elif score.mean is None:
        fraction = score.fraction
        if len(fraction) > 2:
            return [Rooted(alike(*fraction), low, high, opened, score.metric.fill(claim.meant))]
    else:
        base, weighted = score.mean.base.formula, score.mean.average == "weighted"
        weight: Formula = POSITIVES if weighted else Constant(_ONE)
        fraction = weight * base, weight * (base * 0 + 1)
        if not claim.meant.drop:
            whole = weight_of(score.mean, claim, total)
            # Less what stands for an undefined score, so that a class without one adds nothing.
            fill = fill or _ZERO
            amounts = tuple(
                Amount(base, Fraction(size.low) if weighted else _ONE, fill)
                if size.known or not weighted
                else Amount(POSITIVES * (base - Constant(fill)) if fill else POSITIVES * base)
                for size in claim.sizes
            )
            return [Tie((amounts,), (low - fill) * whole, (high - fill) * whole, opened)]
    top, bottom = fraction
    if (pooled or score.mean is None) and fill is not None and fill in reported:
        return [Rooted(alike(top, bottom, bottom), low, high, opened, fill)]
    # How far the ratio is above and below two ends, and its denominator, are not negative.
    sums = alike(top - Constant(low) * bottom, Constant(high) * bottom - top, bottom)
    return [Tie((each,), _ZERO, None, (is_open, False)) for each, is_open in zip(sums, (*opened, True), strict=True)]


def weight_of(mean: Averaged, claim: ClassClaim, total: int) -> int:
    """Return what the weights of all classes in a mean add up to."""
    if mean.average != "weighted":
        return len(claim.labels)
    return sum(size.low for size in claim.sizes) if claim.multilabel else total


def matrix_of(margins: Sequence[tuple[int, int, int]]) -> list[list[int]]:
    """Return one k-by-k table with given sizes, right and predicted cases.

    Wrong cases are dealt between the two classes that have most of them left, so many at a time that no other class is
    left with more than all that remain.

    Examples
    --------
    >>> matrix_of([(3, 2, 3), (3, 1, 2), (4, 3, 5)])
    [[2, 1, 0], [0, 1, 2], [1, 0, 3]]
    """
    cells = [[hits if i == j else 0 for j in range(len(margins))] for i, (_, hits, _) in enumerate(margins)]
    missed = [size - hits for size, hits, _ in margins]
    wrong = [predicted - hits for _, hits, predicted in margins]
    while any(missed):
        # A row and a column: the class with most wrong cases and, of those it can meet, the next.
        first, *others = sorted(range(len(missed)), key=lambda c: -(missed[c] + wrong[c]))
        pairs = (pair for other in others for pair in ((first, other), (other, first)))
        i, j = next((i, j) for i, j in pairs if missed[i] and wrong[j])
        left = [m + w for c, (m, w) in enumerate(zip(missed, wrong, strict=True)) if c not in (i, j)]
        amount = min(missed[i], wrong[j], sum(missed) - max(left, default=0))
        assert amount > 0, "no table has these margins"
        cells[i][j] += amount
        missed[i] -= amount
        wrong[j] -= amount
    return cells
