"""The search for the margins of k-by-k tables that fit a claim, within its budget.

With class sizes n_c, right cases tp_c and predicted cases q_c, a table of counts exists if and only if all q_c add up
to the number of cases N and no class has more wrong cases, fn_c + fp_c, than there are in all, N less all tp_c: a cut
through two rows or more of the complete bipartite graph without its diagonal reaches all columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import TooLarge
from ..formula import Constant, Formula, Operation
from ..metrics import POSITIVES, Averaged
from ..reported import Reported
from ..space import Rows, fitting, fitting_many, undefined_in
from ..space.parts import (
    Amount,
    Budget,
    Choice,
    Problem,
    Ratio,
    Rooted,
    Search,
    Sum,
    Tie,
    between,
    lines_of,
    listed,
    settled,
)
from ..space.problem import Part
from ..space.relaxed import Relaxed
from ..space.rows import Ints
from ..strategy import strategy
from .claim import Size
from .classes import ClaimedClassScore, ClassClaim, ClassScore

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
# Rounds of a proof before each draw of tables, and how many choices are looked at among these.
_ROUNDS: Final = (0, 30, 30, 0)
_LAST_ROUNDS: Final = 15
_THINNED_WITHIN: Final = 200_000
_FAR: Final = 1 << 44
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
    search: Search | None
    #: All choices that fit, a column each, where `listed`; else some.
    choices: NDArray[np.int32]
    listed: bool
    count: int
    counted: bool
    complete: bool
    reason: str = ""
    #: All cases.
    total: int = 0
    #: Where the parts hold only some of their tables, enough to find what fits: what tells about all of them.
    relaxed: Relaxed | None = None

    @property
    def some(self) -> Choice | None:
        """One choice that fits: where there is one, the claim is possible, counted or not."""
        return tuple(self.choices[:, 0].tolist()) if self.choices.size else None

    def tables(self) -> list[dict[str, int]]:
        """Return the table of each class against the rest at one choice that fits."""
        assert self.some is not None
        return [part.table(place) for part, place in zip(self.problem.parts, self.some, strict=True)]


def solve_classes(claim: ClassClaim) -> list[Found]:
    """Find the margins that fit a claim, for every number of cases it leaves open."""
    assert claim.total.high is not None
    left, work = Budget(claim.budget), claim.budget
    found: list[Found] = []
    totals = range(max(claim.total.low, 1), claim.total.high + 1)
    for total in totals:
        if sum(_most_tables(size, total) for size in claim.sizes) > _MOST_OPEN:
            return [*found, _solve_some_sizes(claim, total, left)]
        if work < 0:
            words = f"the budget was spent at {total} of {totals[-1]} cases"
            return [*found, replace(_unlisted(0), reason=words)]
        found.append(_solve(claim, total, left))
        # Sizes that are open make many tables, for each number of cases anew.
        work -= _OF_TOTAL + min(_MOST_OF_TOTAL, sum(_most_tables(size, total) for size in claim.sizes))
    return found


def _solve_some_sizes(claim: ClassClaim, total: int, budget: Budget) -> Found:
    """Look for margins with one choice of sizes, where those that are open are too many to try."""
    room = [(size.low, total if size.high is None else min(size.high, total)) for size in claim.sizes]
    left, whole = total - sum(low for low, _ in room), sum(high - low for low, high in room)
    sizes = [low + (high - low) * left // whole for low, high in room]
    for place, (_, high) in enumerate(room):
        more = min(total - sum(sizes), high - sizes[place])
        sizes[place] += more
    chosen = replace(claim, sizes=tuple(Size(n, n) for n in sizes), total=Size(total, total))
    found = _solve(chosen, total, budget)
    words = "the sizes are too open to try them all"
    if found.some is None:
        return replace(_unlisted(0), reason=words)
    return replace(found, listed=False, counted=False, complete=False, reason=words)


def _most_tables(size: Size, total: int) -> int:
    """Return about how many tables a class of open size can have."""
    high = total if size.high is None else min(size.high, total)
    middle = (size.low + high) // 2
    return (high - size.low) * middle * (total - middle)


def _solve(claim: ClassClaim, total: int, budget: Budget) -> Found:
    ties = [tie for claimed in claim.scores for tie in ties_of(claimed.score, claimed.reported, claim, total)]
    try:
        rows = [_rows(claim, place, total) for place in range(len(claim.labels))]
        hits = None if claim.multilabel else hits_of(claim, total, rows)
        if hits is not None and prod(part.count for part in rows) > strategy().listed_up_to_choices:
            rows, hits = _clipped(rows, _settled_hits(ties, hits, claim, total), total)
    except TooLarge as error:
        return _unlisted(error.got)
    if not all(len(part) for part in rows) or (hits is not None and not len(hits)):
        return _none(len(rows), total)
    ends, predicted = (None, None) if hits is None else ((int(hits[0]), int(hits[-1])), total)
    relaxed = Relaxed(rows, ties, ends, predicted)
    tables = sum(part.count for part in rows)
    if tables > _THINNED_ABOVE:
        found = _solve_unlisted(claim, total, relaxed, hits, budget)
        if found is not None:
            return found
        if tables > _MOST_TABLES:
            return _unlisted(tables)
    found = solve_problem(_problem(claim, total, [Part.of(part) for part in rows], hits, ties), budget)
    if not found.complete and relaxed.impossible(_LAST_ROUNDS):
        return _none(len(rows), total)
    return replace(found, total=total)


def _none(classes: int, total: int) -> Found:
    """Return that no margins fit."""
    problem = Problem((), np.empty(0, np.int64))
    return Found(problem, None, np.empty((classes, 0), np.int32), True, 0, True, True, total=total)


def _unlisted(tables: Any) -> Found:
    words = f"{tables} tables of single classes would have to be listed"
    nothing = Problem((), np.empty(0, np.int64))
    return Found(nothing, None, np.empty((0, 0), np.int32), False, 0, False, False, words)


def _solve_unlisted(claim: ClassClaim, total: int, relaxed: Relaxed, hits: Ints | None, budget: Budget) -> Found | None:
    """Prove that no margins fit, or look for some among a few tables of each class; None where neither succeeds.

    Searches among tables drawn at random, and near where a proof failed, take turns with the proof.
    """
    rows, ties = relaxed.rows, relaxed.ties
    for draw, rounds in enumerate(_ROUNDS):
        if relaxed.impossible(rounds):
            return _none(len(rows), total)
        drawn = _thinned(
            rows, 0.5 if hits is None else float(hits[len(hits) // 2]) / total, relaxed.near(shared=draw != 1), draw
        )
        problem = _problem(claim, total, drawn, hits, ties)
        if not all(len(part) for part in problem.parts):
            continue
        search = Search(problem)
        choices, _ = find(search, Budget(min(budget.left, _THINNED_WITHIN)))
        if choices is not None:
            number, choices = choices.shape[1], choices[:, :_SOME_KEPT]
            return Found(problem, search, choices, False, number, False, True, total=total, relaxed=relaxed)
    return None


def _thinned(rows: Sequence[Rows], right: float, near: Sequence[list[tuple[int, int, float]]], draw: int) -> list[Part]:
    """Return some tables of each class, drawn: few, and more of the two classes with most."""
    most = [_FEW_TABLES] * (len(rows) - 2) + [_MORE_TABLES, _MANY_TABLES]
    order = sorted(range(len(rows)), key=lambda place: (rows[place].count, len(near[place])))
    rng = np.random.default_rng(draw)
    drawn = {i: _some_tables(rows[i], number, right, near[i], rng) for i, number in zip(order, most, strict=True)}
    return [drawn[i] for i in range(len(rows))]


def _some_tables(
    rows: Rows, most: int, right: float, near: list[tuple[int, int, float]], rng: np.random.Generator
) -> Part:
    """Return some tables of a class: most of them where about as many cases are right as in all classes together.

    Where it is known near which tables choices may fit, some are drawn there. Of the class with most tables, all
    around the middle are taken, so that what is left over by the others finds its place.
    """
    if rows.count <= most:
        return Part.of(rows)
    if len(near) == 1:
        return Part.of(_around(rows, *near[0][:2], np.sqrt(most) / 2))
    n, wrong = int(rows.positives[0]), 1 - right
    middle = near or [(round(right * n), n, 1.0)]
    tp_there, predicted_there = (sum(each[i] * each[2] for each in middle) for i in (0, 1))
    weight = sum(each[2] for each in middle)
    pieces = [rows, _with_wrong(rows, 0.0, 3 * wrong), _with_wrong(rows, 0.7 * wrong, 1.3 * wrong)]
    drawn = [_drawn(part, most // 4, rng) for part in pieces if len(part)]
    if most == _MANY_TABLES:
        drawn.append(_around(rows, tp_there / weight, predicted_there / weight, np.sqrt(most) / 2))
    for tp, predicted, _ in near:
        close = _around(rows, tp, predicted, np.sqrt(most / len(near)) / 2)
        drawn += [_drawn(close, most // len(near), rng)] if len(close) else []
    columns = np.stack(_each_alone(Rows.joined(drawn)).columns)
    _, first = np.unique(columns[2] * (int(columns[3].max()) + 1) + columns[3] + columns[0] * _FAR, return_index=True)
    return Part.of(Rows(*columns[:, first]))


def _around(rows: Rows, tp: float, predicted: float, reach: float) -> Rows:
    """Keep the tables whose tp and predicted are not farther off than so much."""
    base = rows.tp + rows.negatives
    low = np.maximum(rows.low, np.ceil(base - predicted - reach).astype(np.int64))
    high = np.minimum(rows.high, np.floor(base - predicted + reach).astype(np.int64))
    return rows.narrowed(low, np.where(np.abs(rows.tp - tp) <= reach, high, low - 1))


def _each_alone(rows: Rows) -> Rows:
    """Return the tables, each as a row of its own."""
    part = Part.of(rows)
    return Rows(part.tp + part.fn, part.fp + part.tn, part.tp, part.tn, part.tn)


def _with_wrong(rows: Rows, least: float, most: float) -> Rows:
    """Keep the tables whose fn, and whose fp, are between two shares of the positives, give or take a few."""
    low, high = np.floor(least * rows.positives) - 3, np.ceil(most * rows.positives) + 3
    missed = rows.positives - rows.tp
    first = np.maximum(rows.low, (rows.negatives - high).astype(np.int64))
    last = np.minimum(rows.high, (rows.negatives - low).astype(np.int64))
    empty = (missed < low) | (missed > high)
    return rows.narrowed(first, np.where(empty, first - 1, last))


def _drawn(rows: Rows, most: int, rng: np.random.Generator) -> Rows:
    """Draw some tables, each as a row of its own."""
    last = rows.count - 1
    return rows.picked(sorted({min(int(share * rows.count), last) for share in rng.random(most).tolist()}))


def solve_problem(problem: Problem, budget: Budget) -> Found:
    """Decide whether any choice fits, and count and keep what does, as far as the budget goes."""
    width = len(problem.parts)
    if prod(len(part) for part in problem.parts) <= strategy().listed_up_to_choices:
        choices = listed(problem)
        if choices is not None:
            return Found(problem, None, choices, True, choices.shape[1], True, True)
    search = Search(problem)
    kept: list[NDArray[np.int32]] = []
    number = 0
    if prod(len(part) for part in problem.parts) > strategy().found_first_above_choices:
        return _solve_large(search, kept, budget)
    try:
        small = Budget(min(budget.left, _KEPT_WITHIN))
        for some in search.walk(small):
            kept.append(search.choices(some))
            number += len(some)
            if number > strategy().margins_kept_up_to:
                raise TooLarge("too_large", "budget", "more margins fit than are kept", number, "none")
        choices = np.concatenate([np.empty((width, 0), np.int32), *kept], axis=1)
        return Found(problem, search, choices, True, number, True, True)
    except TooLarge:
        pass
    return _solve_large(search, kept, budget)


def _solve_large(search: Search, kept: list[NDArray[np.int32]], budget: Budget) -> Found:
    problem, width = search.problem, len(search.problem.parts)
    if not kept:
        found, complete = find(search, budget)
        if complete and (found is None or found.shape[1] < 2):
            choices = np.empty((width, 0), np.int32) if found is None else found
            return Found(problem, search, choices, True, choices.shape[1], True, True)
        if found is None:
            words = "the budget was spent before any margins were found that fit"
            return Found(problem, search, np.empty((width, 0), np.int32), False, 0, False, False, words)
        kept = [found]
    choices = np.unique(np.concatenate(kept, axis=1)[:, :_SOME_KEPT], axis=1)
    try:
        number = search.count(Budget(min(budget.left, _COUNTED_WITHIN)))
        return Found(problem, search, choices, False, number, True, True)
    except TooLarge:
        return Found(problem, search, choices, False, max(choices.shape[1], number_of(kept)), False, True)


def number_of(pieces: list[NDArray[np.int32]]) -> int:
    """Return how many choices some pieces hold, all of them different."""
    return sum(piece.shape[1] for piece in pieces)


def find(search: Search, budget: Budget) -> tuple[NDArray[np.int32] | None, bool]:
    """Return some choices that fit, two if there are and they are found, and whether all were looked at.

    Short dives come first, over all sums of tp and then at a few, from the middle outwards; then longer ones.
    """
    hits = search.open_hits
    middle = (len(hits) - 1) / 2
    outwards = hits[np.argsort(np.abs(np.arange(len(hits)) - middle), kind="stable")]
    few = [outwards[i : i + 1] for i in range(0, len(hits), max(1, len(hits) // _FEW))][:_FEW]
    dive = max(_DIVE, 10 * sum(len(part) for part in search.parts), 2000 * len(search.parts))
    one: NDArray[np.int32] | None = None
    while True:
        for block in [None, *few]:
            found, complete = _dive(search, block, dive, budget)
            if found is not None:
                one = found if one is None else np.unique(np.concatenate([one, found], axis=1), axis=1)
            if (one is not None and one.shape[1] > 1) or (block is None and complete):
                return one, True
            if budget.left < dive:
                return one, False
        if one is not None and dive > _SECOND_WITHIN:
            return one, False
        dive *= 8


def _dive(search: Search, hits: Ints | None, most: int, budget: Budget) -> tuple[NDArray[np.int32] | None, bool]:
    """Look for choices, promising ones first, until there are two, and say whether all were looked at."""
    small = Budget(min(most, budget.left))
    before = small.left
    found: list[NDArray[np.int32]] = []
    complete = True
    try:
        for some in search.walk(small, guided=True, hits=hits):
            found.append(search.choices(some))
            if sum(piece.shape[1] for piece in found) > 1:
                break
    except TooLarge:
        complete = False
    budget.left -= before - small.left
    return np.concatenate(found, axis=1) if found else None, complete


def _problem(claim: ClassClaim, total: int, tables: list[Part], hits: Ints | None, ties: Sequence[Tie]) -> Problem:
    """Return a claim as parts tied by sums."""
    parts = tuple(_defined(part, claim) for part in tables)
    if hits is None:
        return Problem(parts, ties=tuple(ties))
    if not all(size.known for size in claim.sizes):
        amounts = (Amount(POSITIVES),) * len(parts)
        ties = [*ties, between(amounts, Fraction(total), Fraction(total), opened=(False, False))]
    return Problem(parts, hits, total, total, tuple(ties))


def hits_of(claim: ClassClaim, total: int, rows: Sequence[Rows]) -> Ints:
    """Return the numbers of right cases that fit all scores that follow from it alone."""
    if not all(len(part) for part in rows):
        return np.empty(0, np.int64)
    ends = [sum(int(end) for end in ends) for ends in zip(*((p.tp.min(), p.tp.max()) for p in rows), strict=True)]
    hits = np.arange(ends[0], min(total, ends[1]) + 1)
    for claimed in claim.scores:
        if claimed.score.of_hits:
            hits = hits[_fitting_hits(claimed, hits, total, claim)]
    return hits


def _settled_hits(ties: Sequence[Tie], hits: Ints, claim: ClassClaim, total: int) -> Ints:
    """Return the numbers of right cases that fit all ties whose sums follow from them alone."""
    if claim.meant.drop or not all(size.low and size.known for size in claim.sizes):
        return hits
    margins = [(size.low, total - size.low) for size in claim.sizes]
    for tie in ties:
        fitting = settled(tie, [lines_of(amounts, margins) for amounts in tie.sums], hits, total)
        hits = hits if fitting is None else fitting
    return hits


def _fitting_hits(claimed: ClaimedClassScore, hits: Ints, total: int, claim: ClassClaim) -> NDArray[np.bool_]:
    score, reported, classes = claimed.score, claimed.reported, len(claim.labels)
    formula, values = score.from_hits(hits, total, classes)
    floats = formula.evaluate(values)
    low, high = float(reported.low), float(reported.high)
    good = (floats > low) & (floats < high)
    for i in np.flatnonzero((np.abs(floats - low) < 1e-9) | (np.abs(floats - high) < 1e-9) | np.isnan(floats)):
        formula, one = score.from_hits(int(hits[i]), total, classes)
        value = formula.exact(one)
        if value is None:
            value = score.metric.fill(claim.meant)
        good[i] = value is not None and value in reported
    return np.asarray(good)


def _rows(claim: ClassClaim, place: int, total: int) -> Rows:
    """Return the tables of one class against the rest that fit what is said about that class."""
    own = [claimed for claimed in claim.scores if claimed.score.place == place]
    size = claim.sizes[place]
    search: Any
    if size.known:
        margins: Any = (size.low, total - size.low)
        search = fitting
    else:
        positives = np.arange(size.low, min(total, total if size.high is None else size.high) + 1)
        margins, search = (positives, total - positives), fitting_many
    hidden = [claimed for claimed in own if claimed.score.metric.fill(claim.meant, of_part=True) in claimed.reported]
    pieces = []
    for number in range(len(hidden) + 1):
        for chosen in combinations(hidden, number):
            wanted = [(claimed.score.metric, claimed.reported) for claimed in own if claimed not in chosen]
            rows, _ = search(wanted, *margins, most_rows=_MOST_TABLES)
            for claimed in chosen:
                rows = undefined_in(rows, claimed.score.metric.formula)
            pieces.append(rows)
    return pieces[0] if len(pieces) == 1 else Rows.joined(pieces)


def rows_of(claim: ClassClaim, total: int) -> list[Rows]:
    """Return the tables that each class may have, as far as its own scores and sums of counts tell."""
    rows = [_rows(claim, place, total) for place in range(len(claim.labels))]
    return _clipped(rows, hits_of(claim, total, rows), total)[0]


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
        tp = [(int(part.tp.min()), int(part.tp.max())) for part in rows]
        predicted = [part.tp + part.negatives for part in rows]
        q = [(int((p - part.high).min()), int((p - part.low).max())) for p, part in zip(predicted, rows, strict=True)]
        sums = [sum(pair[side] for pair in pairs) for pairs in (tp, q) for side in (0, 1)]
        hits = hits[(hits >= sums[0]) & (hits <= sums[1])]
        if not len(hits):
            continue
        least, most = int(hits[0]), int(hits[-1])
        before = sum(part.count for part in rows)
        clipped = []
        for i, part in enumerate(rows):
            part = part.kept((part.tp >= least - sums[1] + tp[i][1]) & (part.tp <= most - sums[0] + tp[i][0]))
            base = part.tp + part.negatives
            # tn lets predicted = base - tn and wrong = positives - tp + negatives - tn be where they may.
            low = np.maximum(part.low, base - (total - sums[2] + q[i][0]))
            low = np.maximum(low, part.positives - part.tp + part.negatives - (total - least))
            high = np.minimum(part.high, base - (total - sums[3] + q[i][1]))
            clipped.append(part.narrowed(low, high))
        rows = clipped
        if sum(part.count for part in rows) == before:
            break
    return rows, hits


def _defined(part: Part, claim: ClassClaim) -> Part:
    """Leave out the tables where a score is undefined that may not be."""
    if not claim.meant.strict:
        return part
    for claimed in claim.scores:
        if claimed.score.mean:
            part = part.at(~np.isnan(claimed.score.mean.base.formula.evaluate(part.cells())))
    return part


def ties_of(score: ClassScore, reported: Reported, claim: ClassClaim, total: int) -> list[Tie]:
    """Return what a claim about a score says about sums over classes; nothing where it is no such claim."""
    classes = len(claim.labels)
    if score.place is None and claim.multilabel and score.mean is None:
        return _pooled(score, reported, claim)
    if score.place is not None or score.of_hits:
        return []
    opened = (reported.low_open, reported.high_open)
    if score.mean is None:
        top, bottoms, is_root = score.fraction
        if is_root:
            sums = (_alike(top, classes), _alike(bottoms[0], classes), _alike(bottoms[1], classes))
            return [Rooted(sums, reported.low, reported.high, opened, score.metric.fill(claim.meant))]
        return _ratio(top, bottoms[0], reported, classes)
    base, weighted = score.mean.base.formula, score.mean.average == "weighted"
    weight: Formula = POSITIVES if weighted else Constant(_ONE)
    if not claim.meant.drop:
        whole = sum(size.low for size in claim.sizes) if claim.multilabel else total
        whole = whole if weighted else classes
        # Less what stands for an undefined score, so that a class without one adds nothing.
        fill = claim.meant.fill or _ZERO
        amounts = tuple(_weighted(base, weighted, size, fill) for size in claim.sizes)
        return [between(amounts, (reported.low - fill) * whole, (reported.high - fill) * whole, opened=opened)]
    defined = weight * (base * 0 + 1)
    return _ratio(weight * base, defined, reported, classes)


def _pooled(score: ClassScore, reported: Reported, claim: ClassClaim) -> list[Tie]:
    """Return what a micro average says where cases have several labels; other scores say nothing there.

    Its numerator and its denominator are sums of counts, so that those of all classes add up.
    """
    form = score.metric.over_classes
    if not isinstance(form, Averaged):
        return []
    base, classes = form.base.formula, len(claim.labels)
    assert isinstance(base, Operation)
    assert base.symbol == "/"
    fill = claim.meant.fill
    if fill is None or fill not in reported:
        return _ratio(base.left, base.right, reported, classes)
    sums = _ratio_sums(base.left, base.right, reported, classes)
    return [Ratio(sums, reported.low, reported.high, (reported.low_open, reported.high_open), fill)]


def _weighted(base: Formula, weighted: bool, size: Size, fill: Fraction) -> Amount:
    if not weighted or size.known:
        return Amount(base, Fraction(size.low) if weighted else _ONE, fill)
    return Amount(POSITIVES * (base - Constant(fill)) if fill else POSITIVES * base)


def _ratio(top: Formula, bottom: Formula, reported: Reported, classes: int) -> list[Tie]:
    """Return the ties that one sum over another, which is not negative, lies in an interval."""
    opened = (reported.low_open, reported.high_open, True)
    sums = _ratio_sums(top, bottom, reported, classes)
    return [between(each, _ZERO, None, opened=(is_open, False)) for each, is_open in zip(sums, opened, strict=True)]


def _ratio_sums(top: Formula, bottom: Formula, reported: Reported, classes: int) -> tuple[Sum, Sum, Sum]:
    """Return what must not be negative: how far a ratio is above and below two ends, and its denominator."""
    low, high = top - Constant(reported.low) * bottom, Constant(reported.high) * bottom - top
    return _alike(low, classes), _alike(high, classes), _alike(bottom, classes)


def _alike(formula: Formula, classes: int) -> Sum:
    return (Amount(formula),) * classes


def margins_of(problem: Problem, choice: Sequence[int]) -> tuple[tuple[int, int, int], ...]:
    """Return size, right and predicted cases of each class."""
    tables = [part.table(place) for part, place in zip(problem.parts, choice, strict=True)]
    return tuple((table["tp"] + table["fn"], table["tp"], table["tp"] + table["fp"]) for table in tables)


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
        i, j = _pair(missed, wrong)
        left = sum(missed)
        others = [m + w for c, (m, w) in enumerate(zip(missed, wrong, strict=True)) if c not in (i, j)]
        amount = min(missed[i], wrong[j], left - max(others, default=0))
        assert amount > 0, "no table has these margins"
        cells[i][j] += amount
        missed[i] -= amount
        wrong[j] -= amount
    return cells


def _pair(missed: Sequence[int], wrong: Sequence[int]) -> tuple[int, int]:
    """Return a row and a column: the class with most wrong cases and, of those it can meet, the next."""
    order = sorted(range(len(missed)), key=lambda c: -(missed[c] + wrong[c]))
    first = order[0]
    for other in order[1:]:
        if missed[first] and wrong[other]:
            return first, other
        if wrong[first] and missed[other]:
            return other, first
    raise AssertionError("no table has these margins")
