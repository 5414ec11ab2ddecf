"""Parts tied by sums against looking at every choice, with sums of counts known and free."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import fourfold as ff
from fourfold import strategy
from fourfold.claims import ClassClaim
from fourfold.claims.class_bounds import Evaluator
from fourfold.claims.class_search import solve_classes, solve_problem
from fourfold.claims.classes import ClassScore, read_classes
from fourfold.metrics import F1, PRECISION, RECALL
from fourfold.solve import Rows
from fourfold.solve.parts import Amount, Budget, Problem, Search, Tie, listed
from fourfold.solve.problem import Part
from fourfold.solve.relaxed import Relaxed

BASES = [metric.formula for metric in (PRECISION, RECALL, F1)]


def draw_rows(rng: random.Random) -> Rows:
    """Some tables of one size: for each tp a range of tn."""
    positives, negatives = rng.randint(1, 4), rng.randint(0, 4)
    rows = []
    for tp in sorted(rng.sample(range(positives + 1), rng.randint(1, positives + 1))):
        low = rng.randint(0, negatives)
        rows.append((positives, negatives, tp, low, rng.randint(low, negatives)))
    return Rows.of(*zip(*rows, strict=True))


def draw_ties(rng: random.Random, parts: int) -> list[Tie]:
    ties = []
    for _ in range(rng.randint(0, 2)):
        amounts = tuple(Amount(rng.choice(BASES), Fraction(rng.choice([1, 1, 2, 3]))) for _ in range(parts))
        low = Fraction(rng.randint(0, 10), 5)
        ends = rng.choice([(low, low + Fraction(1, 3)), (low, None), (None, low), (low, low)])
        ties.append(Tie((amounts,), *ends, (rng.random() < 0.3, rng.random() < 0.3)))
    return ties


def draw_problem(rng: random.Random) -> tuple[Problem, list[Rows]]:
    """Two to four parts, each of the sums of counts known or free."""
    rows = [draw_rows(rng) for _ in range(rng.randint(2, 4))]
    hits = np.array(sorted(rng.sample(range(10), rng.randint(1, 6)))) if rng.random() < 0.5 else None
    predicted = rng.randint(2, 10) if rng.random() < 0.5 else None
    room = rng.randint(4, 12) if rng.random() < 0.3 else None
    return Problem(tuple(map(Part.of, rows)), hits, predicted, room, tuple(draw_ties(rng, len(rows)))), rows


def all_choices(problem: Problem) -> set[tuple[int, ...]]:
    return {choice for choice in product(*(range(len(part)) for part in problem.parts)) if problem.fits(choice)}


def test_choices_and_counts_are_those_of_looking_at_each() -> None:
    rng = random.Random(5)
    for _ in range(150):
        problem, _ = draw_problem(rng)
        real = all_choices(problem)
        together = listed(problem)
        if together is not None:
            assert set(map(tuple, together.T.tolist())) == real
        search = Search(problem)
        for guided in (False, True):
            found = [choice for some in search.walk(Budget(10**6), guided=guided) for choice in search.choices(some).T]
            assert len(found) == len(real)
            assert {tuple(choice.tolist()) for choice in found} == real
        assert search.count(Budget(10**6)) == len(real)
        with strategy.using(slopes_above_choices=0, listed_up_to_choices=0, margins_kept_up_to=1):
            whole = solve_problem(problem, Budget(10**6))
        assert (whole.count, whole.counted, whole.some is None) == (len(real), True, not real)


def test_one_that_fits_is_known_even_where_nothing_is_counted() -> None:
    """A budget that suffices to find some does not suffice to count them."""
    part = Part.of(Rows.of([40] * 41, [160] * 41, range(41), [0] * 41, [160] * 41))
    amounts = (Amount(BASES[2]),) * 4
    problem = Problem((part,) * 4, np.arange(100, 121), 160, 160, (Tie((amounts,), Fraction(3), Fraction(301, 100)),))  # fmt: skip
    found = solve_problem(problem, Budget(300_000))
    assert not found.counted
    assert found.count >= 2
    assert all(problem.fits(tuple(choice)) for choice in found.choices.T.tolist())


def test_what_is_proven_without_tables_is_so() -> None:
    rng, proven, bounded = random.Random(11), 0, 0
    for _ in range(120):
        problem, rows = draw_problem(rng)
        ends = None if problem.hits is None else (int(problem.hits[0]), int(problem.hits[-1]))
        relaxed = Relaxed(rows, problem.ties, ends, problem.predicted)
        real = all_choices(problem)
        if relaxed.impossible():
            assert not real
            proven += 1
        if not real:
            continue
        amounts = tuple(Amount(rng.choice(BASES)) for _ in rows)
        sums = [
            float(
                sum(amount.exact(part.table(i)) for amount, part, i in zip(amounts, problem.parts, choice, strict=True))
            )
            for choice in real
        ]
        for sign, rounds in ((1, 40), (-1, 40), (1, 2), (-1, 1)):
            outer = relaxed.most(amounts, sign, rounds)
            if outer is not None:
                assert sign * outer >= max(sign * value for value in sums) - 1e-12
                bounded += 1
    assert proven > 10
    assert bounded > 50


def test_bounds_that_are_proven_without_tables_are_near() -> None:
    """Three parts of 4 positives with 8 to 10 hits in all: their recalls add up to 8/4 at least and 10/4 at most."""
    rows = Rows.of([4] * 3, [3] * 3, [2, 3, 4], [0] * 3, [3] * 3)
    relaxed = Relaxed([rows] * 3, (), (8, 10), None)
    recalls = (Amount(RECALL.formula),) * 3
    assert [relaxed.most(recalls, sign) for sign in (-1, 1)] == pytest.approx([2.0, 2.5], abs=1e-6)


def ratio(top: int, bottom: int) -> Fraction | None:
    return Fraction(top, bottom) if bottom else None


def own_score(name: str, n: int, tp: int, q: int) -> Fraction | None:
    return {"precision": ratio(tp, q), "recall": ratio(tp, n), "f1": ratio(2 * tp, n + q)}[name]


def score_of(name: str, margins: tuple[tuple[int, int, int], ...], undefined: str) -> Fraction | None:
    """Score classes that are each a test set of their own."""
    fill = {"zero": Fraction(0), "one": Fraction(1)}.get(undefined)
    if "[" in name:
        base, place = name[:-1].split("[")
        value = own_score(base, *margins[int(place)])
        return fill if value is None else value
    kind, base = name.split("_")
    if kind == "micro":
        value = own_score(base, *(sum(each[i] for each in margins) for i in range(3)))
        return fill if value is None else value
    values = [(own_score(base, *each), each[0] if kind == "weighted" else 1) for each in margins]
    if undefined == "none" and any(value is None for value, _ in values):
        return None
    kept = [(fill if value is None else value, w) for value, w in values if value is not None or fill is not None]
    weights = sum(w for _, w in kept)
    return sum((value * w for value, w in kept), Fraction(0)) / weights if weights else None


NAMES = [f"{kind}_{base}" for kind in ("micro", "macro", "weighted") for base in ("precision", "recall", "f1")]


@pytest.mark.parametrize("undefined", ["none", "zero", "one", "excluded"])
def test_several_labels_a_case(undefined: str) -> None:
    """Each class is a test set of its own: all tables of each are looked at."""
    rng, total = random.Random(undefined), 5
    for _ in range(15):
        sizes = [rng.randint(1, 4) for _ in range(rng.choice([2, 3]))]
        tables = [[(n, tp, tp + fp) for tp in range(n + 1) for fp in range(total - n + 1)] for n in sizes]
        own = tuple(rng.choice(each) for each in tables)
        names = [
            *rng.sample(NAMES, rng.randint(1, 2)),
            *rng.sample(["precision[0]", "recall[1]", "f1[1]"], rng.randint(0, 2)),
        ]
        report = {name: f"{float(score_of(name, own, undefined) or 0):.{rng.choice([1, 2, 3])}f}" for name in names}
        claim = ClassClaim.read(report, read_classes(sizes), undefined=undefined)
        for name, value in (("multilabel", True), ("total", type(claim.total)(total, total))):
            object.__setattr__(claim, name, value)
        ends = {name: ff.claims.Reported.read(text) for name, text in report.items()}
        real = {
            margins
            for margins in product(*tables)
            if all((v := score_of(name, margins, undefined)) is not None and v in end for name, end in ends.items())
        }
        for kept in (50_000, 0):
            with strategy.using(listed_up_to_choices=20_000 if kept else 0, margins_kept_up_to=kept):
                (found,) = solve_classes(claim)
            assert (found.count, found.counted) == (len(real), True), (sizes, report)
            if not real:
                continue
            evaluator = Evaluator(claim, found)
            for name in ("micro_precision", "macro_f1", "recall[0]"):
                values = [float(v) for margins in real if (v := score_of(name, margins, undefined)) is not None]
                bounds = evaluator.bounds(ClassScore.find(name, claim.labels))
                if not values:
                    assert bounds.low is None
                    continue
                assert bounds.low <= min(values) + 1e-9
                assert bounds.high >= max(values) - 1e-9
                if kept:
                    assert (bounds.low, bounds.high) == pytest.approx((min(values), max(values)), abs=1e-12)
            assert evaluator.bounds(ClassScore.find("accuracy", claim.labels)).low is None
