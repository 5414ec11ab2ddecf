"""Fast ways and plain ways: whatever the strategy, the answer is the one that looking at all tables gives.

Every size in `Strategy` is forced low, forced high and set just around the size of the question.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import fields, replace
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fourfold as ff
from fourfold.chance.conditional import ConditionalLaw
from fourfold.chance.draws import Chances, Links, Source, at_most, running
from fourfold.chance.laws import classes_of, law
from fourfold.chance.swaps import Agreement, PairedTables, swap_law
from fourfold.claims import Claim, search
from fourfold.claims.claim import read_plainly
from fourfold.claims.readings import readings_of, try_readings
from fourfold.claims.solution import solve
from fourfold.exact import CELLS, Program
from fourfold.exact.reported import ROUNDINGS, Reported
from fourfold.exact.surd import Exact, root
from fourfold.solve import Rows, bounds, count_fitting, fitting, fitting_many
from fourfold.solve.region import Constraint, _touches_rim, on_side
from fourfold.strategy import Strategy, strategy, using

from .test_classes import CLASS_SIDES

ALL = tuple(ff.METRICS.values())
HUGE = 10**9
Margins = tuple[int, int]


def around(size: int) -> list[int]:
    return sorted({max(size - 1, 0), size, size + 1})


# What is searched.

#: Each size of the search, forced to one side and the other.
SEARCHED: dict[str, tuple[float, ...]] = {
    "plain_rows_up_to": (0, 1, HUGE),
    "machine_integers_below": (0, 10**4, 1 << 62),
    "compared_exactly_within": (1e-12, 1e-3, 1.0),
    "evaluated_together": (1, 3, HUGE),
    "computed_together": (1, 3, HUGE),
    "new_arrays_up_to": (0, 5, HUGE),
}


@cache
def exact_value(name: str, *cells: int) -> Exact | None:
    return ff.metric(name).formula.exact(dict(zip(CELLS, cells, strict=True)))


def looked_at(constraints: list[Constraint], margins: Margins) -> set[tuple[int, int]]:
    """Return (tp, tn) of all tables that fit, each looked at."""
    positives, negatives = margins
    return {
        (tp, tn)
        for tp in range(positives + 1)
        for tn in range(negatives + 1)
        if all(
            (value := exact_value(metric.id, tp, positives - tp, negatives - tn, tn)) is not None and value in reported
            for metric, reported in constraints
        )
    }


def tables_of(rows: Rows) -> list[tuple[int, int]]:
    return [(table.tp, table.tn) for table in rows.tables()]


def questions(seed: int, most: int, largest: int = 9) -> Iterator[tuple[list[Constraint], Margins]]:
    """Yield random scores, rounded coarsely so that tables with empty cells are among what fits."""
    random = Random(seed)
    for _ in range(most):
        positives, negatives = random.randint(0, largest), random.randint(0, largest)
        tp, tn = random.randint(0, positives), random.randint(0, negatives)
        truth = {"tp": tp, "fn": positives - tp, "fp": negatives - tn, "tn": tn}
        constraints = []
        for metric in random.sample(ALL, random.randint(1, 3)):
            value = metric.formula.exact(truth)
            text = random.choice(["[0, 1]", "(0, 3]", "[-1, 0.5)"]) if value is None else f"{float(value):.1f}"
            constraints.append((metric, Reported.read(text, rounding=random.choice(["any", "half_up", "truncate"]))))
        yield constraints, (positives, negatives)


SIDES = [(name, side) for name, sides in SEARCHED.items() for side in sides]


@pytest.mark.parametrize(("name", "side"), SIDES, ids=[f"{name}={side}" for name, side in SIDES])
def test_the_search_finds_what_looking_at_all_tables_finds(name: str, side: float) -> None:
    with using(**{name: side}):
        for constraints, margins in questions(1, 100):
            rows, _ = fitting(constraints, *margins, most_rows=1000)
            assert sorted(tables_of(rows)) == sorted(looked_at(constraints, margins)), (constraints, margins)
            assert rows.count == len(looked_at(constraints, margins))


@pytest.mark.parametrize("name", ["plain_rows_up_to", "new_arrays_up_to", "computed_together"])
def test_the_search_at_each_size_and_beside_it(name: str) -> None:
    for constraints, margins in questions(2, 60):
        _, looked = fitting(constraints, *margins, most_rows=1000)
        for side in around(looked):
            with using(**{name: max(side, 1)}):
                rows, _ = fitting(constraints, *margins, most_rows=1000)
            assert sorted(tables_of(rows)) == sorted(looked_at(constraints, margins)), (constraints, margins)


@pytest.mark.parametrize(("name", "side"), SIDES, ids=[f"{name}={side}" for name, side in SIDES])
def test_many_margins_find_what_looking_at_all_tables_finds(name: str, side: float) -> None:
    positives, negatives = np.meshgrid(np.arange(6), np.arange(6))
    with using(**{name: side}):
        for constraints, _ in questions(3, 20):
            rows, _ = fitting_many(constraints, positives.ravel(), negatives.ravel(), most_rows=10**5)
            found = sorted((p, n, tp, tn) for p, n, tp, low, high in rows.records for tn in range(low, high + 1))
            assert found == sorted(
                (p, n, *cell) for p in range(6) for n in range(6) for cell in looked_at(constraints, (p, n))
            )


def long_report(random: Random) -> str:
    """Return a score with so many digits that its numerator is beyond machine integers, or part of such an interval."""
    digits = "0." + "".join(random.choice("0123456789") for _ in range(random.choice([17, 19, 22, 30])))
    return random.choice([digits, f"={digits}", f"[0, {digits}]", f"[{digits}, 1]", f"({digits}, 1]", "0.5", "0", "1"])


def test_long_fractions_do_not_overflow() -> None:
    random, found_some = Random(5), 0
    for _ in range(300):
        constraints = [(metric, Reported.read(long_report(random))) for metric in random.sample(ALL, 2)]
        sides = [np.arange(random.randint(1, 4)) for _ in range(2)]
        positives, negatives = (side.ravel() for side in np.meshgrid(*sides))
        rows, _ = fitting_many(constraints, positives, negatives, most_rows=10**4)
        found = sorted((p, n, tp, tn) for p, n, tp, low, high in rows.records for tn in range(low, high + 1))
        pairs = zip(positives.tolist(), negatives.tolist(), strict=True)
        assert found == sorted((*pair, *cell) for pair in pairs for cell in looked_at(constraints, pair)), constraints
        found_some += bool(found)
    assert found_some > 30


def test_long_fractions_with_no_size_or_ranges_of_sizes() -> None:
    scores = {"npv": "[0.32148005430422129642, 1]", "prevalence": "=0.3687291733123399284195158"}
    assert ff.recover(**scores, treatment_ratio="[0.89832891665, 1]", negatives="0-0", max_total=20).count == 0
    assert ff.recover(accuracy="[0, 0.123456789012345678]", total="0-9", recall="0").count > 1


def test_large_products_do_not_overflow() -> None:
    """Products beyond 64 bits, against Python's integers, at margins where machine integers would wrap around."""
    margins = (3_000_000_019, 2_999_999_929)
    tp, tn = margins[0] // 3, margins[1] // 3 * 2
    cells = {"tp": tp, "fn": margins[0] - tp, "fp": margins[1] - tn, "tn": tn}
    checked = 0
    for metric in ALL:
        value = metric.formula.exact(cells)
        if not metric.formula.flat or value is None:
            continue
        beside = Rows.of([margins[0]] * 3, [margins[1]] * 3, [tp - 1, tp, tp + 1], [tn - 2] * 3, [tn + 2] * 3)
        for above in (True, False):
            kept = on_side(beside, metric.formula, value, above=above)
            expected = []
            for row in range(3):
                for at in range(tn - 2, tn + 3):
                    hits = tp - 1 + row
                    own = metric.formula.exact(
                        dict(zip(CELLS, (hits, margins[0] - hits, margins[1] - at, at), strict=True))
                    )
                    if own is not None and (own >= value if above else own <= value):
                        expected.append((hits, at))
            assert tables_of(kept) == expected, metric.id
            checked += 1
    assert checked > 20


def test_large_products_in_arrays_are_those_of_plain_integers() -> None:
    """Forty rows at margins of billions, a score in twelve digits: in arrays as in plain integers."""
    positives, negatives = 3_000_000_019, 2_999_999_929
    truth = {"tp": 10**9, "fn": positives - 10**9, "fp": negatives // 3, "tn": negatives - negatives // 3}
    near = Reported.read(f"[{10**9 - 20}/{positives}, {10**9 + 20}/{positives}]")
    for name in ("f1", "accuracy", "precision", "jaccard", "balanced_accuracy"):
        metric = ff.metric(name)
        text = f"{float(metric.formula.exact(truth)):.12f}"
        constraints = [(ff.metric("recall"), near), (metric, Reported.read(text))]
        found = []
        for limit in (0, HUGE):
            with using(plain_rows_up_to=limit):
                rows, looked = fitting(constraints, positives, negatives, most_rows=100)
            assert looked > 12
            found.append(rows.records)
        assert found[0] == found[1] != []


records = st.builds(
    lambda p, n, tp, a, b: (p, n, min(tp, p), min(a, b, n), min(max(a, b), n)),
    *[st.integers(0, 6)] * 5,
)


@given(st.lists(records, max_size=4, unique_by=lambda record: record[:3]))
@settings(deadline=None, max_examples=150)
def test_rows_are_the_same_as_records_and_as_arrays(chosen: list[Any]) -> None:
    cells = [(tp, p - tp, n - tn, tn) for p, n, tp, low, high in chosen for tn in range(low, high + 1)]
    plain = Rows.of_records(chosen)
    arrays = Rows.of(*(zip(*chosen, strict=True) if chosen else [[]] * 5))
    for rows in (plain, arrays):
        assert _touches_rim(rows) == any(0 in cell for cell in cells)
        assert (len(rows), rows.count) == (len(chosen), len(cells))
        assert rows.records == chosen
    assert [table.cells() for table in plain.tables()] == [table.cells() for table in arrays.tables()]
    assert sorted(tuple(table.cells().values()) for table in arrays.tables()) == sorted(cells)
    if chosen:
        assert plain.first() == arrays.first()
        assert plain.first().total == min(map(sum, cells))


@pytest.mark.parametrize("cell", range(4))
def test_one_empty_cell_is_on_the_rim(cell: int) -> None:
    """Twenty rows of which one touches the rim, with one cell."""
    p, n, tp = np.full(20, 30), np.full(20, 40), np.arange(5, 25)
    low, high = np.full(20, 10), np.full(20, 30)
    assert not _touches_rim(Rows(p, n, tp, low, high))
    for array, value in [(tp, 0), (tp, 30), (high, 40), (low, 0)][cell : cell + 1]:
        array[7] = value
    assert _touches_rim(Rows(p, n, tp, low, high))


# What is counted, and how margins are taken together.


def test_counting_finds_what_walking_finds() -> None:
    counted = 0
    for constraints, (positives, negatives) in questions(5, 400, 40):
        found = count_fitting(constraints, positives, negatives)
        if found is not None:
            counted += 1
            assert found[0] == len(looked_at(constraints, (positives, negatives)))
    assert counted > 20


@pytest.mark.parametrize("beside", [-1, 0, 1])
def test_counted_or_walked_first(beside: int) -> None:
    report = {"positives": 30, "negatives": 41, "accuracy": "0.82", "recall": "0.8"}
    plain = ff.recover(**report)
    with using(counted_above=30 + beside):
        found = ff.recover(**report)
    assert (found.solution.feasible.known is not None) == (beside < 0)
    constraints = [(claimed.metric, claimed.reported) for claimed in found.claim.scores]
    expected = sorted(looked_at(constraints, (30, 41)))
    assert found.count == plain.count == len(expected)
    assert sorted(tables_of(found.rows_that_fit)) == expected


@pytest.mark.parametrize("together", [1, 2, 7, 10, 11, 12, HUGE])
def test_margins_taken_together_or_one_by_one(together: int) -> None:
    """Eleven margins share the total of ten."""
    for report in (
        {"total": 10, "f1": "0.7"},
        {"max_total": 6, "mcc": "0.5"},
        {"total": 10, "recall": "0", "undefined": "zero"},
    ):
        plain = ff.recover(**report)
        with using(margins_together=together):
            found = ff.recover(**report)
        assert list(found.tables()) == list(plain.tables())
        assert (found.verdict, found.count) == (plain.verdict, plain.count)


# Bounds.

#: Each size of the bounds, forced to one side and the other.
BOUNDED: dict[str, tuple[float, ...]] = {
    "plain_tables_up_to": (0, 2, HUGE),
    "hull_above_rows": (0, HUGE),
    "hull_up_to_rim_rows": (0, 2, HUGE),
    "hull_below_margin": (0, 1 << 30),
    "hull_passes": (0, 1, 50),
    "blocks_above_rows": (0, HUGE),
    "blocks_joined_up_to_share": (0.0, 0.05, 1.0),
    "blocks_given_up_above_share": (0.0, 0.8, 1.0),
    "blocks_finer_by": (2, 8),
    "rows_together": (1, 3, HUGE),
    "values_together": (1, 100, HUGE),
    "told_apart_exactly_within": (1e-11, 1e-2),
    "long_floats_where_left": (1e-2, 1.0),
    "exact_where_left": (1e-6, 1.0),
    "plain_rows_up_to": (0, HUGE),
    "new_arrays_up_to": (0, HUGE),
    "computed_together": (7, HUGE),
}
#: Sets of tables: margins and a score. One is a whole box, some touch the rim, in some a denominator nearly cancels.
SETS: tuple[tuple[Margins, str, str], ...] = (
    ((70, 7), "accuracy", "[0, 1]"),
    ((70, 7), "accuracy", "[0.4, 0.6]"),
    ((70, 7), "mcc", "[0.2, 0.45]"),
    ((66, 9), "f1", "[0.5, 0.7]"),
    ((66, 9), "informedness", "[-0.02, 0.02]"),
    ((66, 9), "negative_predictive_value", "0"),
    ((66, 9), "specificity", "1.00"),
    ((1, 2), "accuracy", "[0, 1]"),
    ((9, 0), "accuracy", "0.6"),
)


@cache
def rows_of(margins: Margins, name: str, text: str) -> Rows:
    with using(plain_rows_up_to=0):
        return fitting([(ff.metric(name), Reported.read(text))], *margins, most_rows=1000)[0]


def scattered(seed: int) -> Rows:
    """Return rows along a falling band, with gaps between them and ends that jump: extremes hide inside of blocks."""
    random = Random(seed)
    positives, negatives, inside = random.choice([120, 130]), 16, seed % 2
    chosen = []
    for tp in range(inside, positives + 1 - inside):
        middle = round(negatives * (1 - tp / positives)) + random.randint(-5, 5)
        low, high = (min(max(middle + end, inside), negatives - inside) for end in (0, random.randint(0, 2)))
        if random.random() < 0.9:
            chosen.append((positives, negatives, tp, low, high))
    return Rows.of(*zip(*chosen, strict=True))


def extremes(rows: Rows) -> dict[str, tuple[Exact, Exact] | None]:
    """Return the smallest and largest value of every metric, each table looked at in exact arithmetic."""
    found: dict[str, tuple[Exact, Exact] | None] = {}
    for metric in ALL:
        known = [
            value
            for p, n, tp, low, high in rows.records
            for tn in range(low, high + 1)
            if (value := exact_value(metric.id, tp, p - tp, n - tn, tn)) is not None
        ]
        found[metric.id] = (min(known), max(known)) if known else None
    return found


@cache
def known_extremes(*asked: Any) -> dict[str, tuple[Exact, Exact] | None]:
    return extremes(rows_of(*asked))


def check_bounds(rows: Rows, extremes: dict[str, tuple[Exact, Exact] | None]) -> None:
    found = bounds(rows, ALL)
    for metric in ALL:
        expected, ends = extremes[metric.id], found[metric.id]
        if expected is None:
            assert ends[:4] == (None, None, None, None)
            continue
        for value, exact in zip((ends.low, ends.high), expected, strict=True):
            assert math.isclose(value, exact, rel_tol=1e-14, abs_tol=1e-15), metric.id
        attained = [metric.formula.exact(table.cells()) for table in (ends.low_witness, ends.high_witness)]
        assert attained == list(expected), (metric.id, ends)


#: Where blocks and hulls are for many rows, they are taken for a few as well.
SMALL = {"hull_above_rows": 0, "blocks_above_rows": 0, "blocks_finer_by": 2}
BOUND_SIDES = [(name, side) for name, sides in BOUNDED.items() for side in sides]


@pytest.mark.parametrize(("name", "side"), BOUND_SIDES, ids=[f"{name}={side}" for name, side in BOUND_SIDES])
def test_bounds_are_those_of_all_tables(name: str, side: float) -> None:
    for asked in SETS:
        for base in ({}, SMALL):
            with ExitStack() as stack:
                stack.enter_context(using(**base))
                stack.enter_context(using(**{name: side}))
                check_bounds(rows_of(*asked), known_extremes(*asked))


@pytest.mark.parametrize("seed", range(8))
def test_bounds_of_scattered_rows_are_those_of_all_tables(seed: int) -> None:
    rows = scattered(seed)
    expected = extremes(rows)
    for joined, given_up in ((0.05, 0.8), (0.0, 1.0), (1.0, 1.0)):
        for hull in (0, 1 << 30):
            shares = {"blocks_joined_up_to_share": joined, "blocks_given_up_above_share": given_up}
            with using(**SMALL | shares | {"hull_below_margin": hull}):
                check_bounds(rows, expected)


@pytest.mark.parametrize("seed", range(4))
def test_bounds_of_rows_in_any_order_are_those_of_all_tables(seed: int) -> None:
    """Rows that were split come last: neighbours in the list need not be neighbours in the plane."""
    rows = scattered(seed)
    expected = extremes(rows)
    shuffled = rows.at(np.random.default_rng(seed).permutation(len(rows)))
    with using(**SMALL):
        check_bounds(shuffled, expected)


@pytest.mark.parametrize("scale", [10**5, 10**7, 10**9])
def test_blocks_tell_values_apart_that_differ_by_little(scale: int) -> None:
    """A few rows in a large box: a block whose corners are beyond the best by one part in a billion stays open."""
    random = Random(scale)
    margins, first = (3 * scale + 7, 2 * scale + 1), scale
    chosen = []
    for tp in range(first, first + 100):
        tn = scale + first - tp + random.randint(-30, 30)
        chosen.append((*margins, tp, tn, tn))
    rows = Rows.of(*zip(*chosen, strict=True))
    with using(**SMALL, hull_below_margin=0):
        found = bounds(rows, ALL)
    expected = extremes(rows)
    for metric in ALL:
        attained = [metric.formula.exact(table.cells()) for table in found[metric.id][2:4]]
        assert attained == list(expected[metric.id] or ()), metric.id


@pytest.mark.parametrize("margin", [(1 << 30) - 1, 1 << 30, 1 << 34])
def test_hulls_of_large_boxes_do_not_overflow(margin: int) -> None:
    """A few rows far from each other: their distances multiplied leave 64 bits where margins are large enough."""
    flat = [metric for metric in ALL if metric.formula.flat]
    for seed in range(6):
        random = Random(seed)
        hits = sorted(random.sample(range(1, margin), 12))
        ends = [sorted(random.sample(range(1, margin), 2)) for _ in hits]
        chosen = [(margin, margin, tp, low, high) for tp, (low, high) in zip(hits, ends, strict=True)]
        with using(**SMALL):
            found = bounds(Rows.of(*zip(*chosen, strict=True)), flat)
        for metric in flat:
            known = [
                metric.formula.exact({"tp": tp, "fn": p - tp, "fp": n - tn, "tn": tn})
                for p, n, tp, *ends_of_row in chosen
                for tn in ends_of_row
            ]
            tables = found[metric.id][2:4]
            assert [metric.formula.exact(table.cells()) for table in tables] == [min(known), max(known)], metric.id


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("scale", "apart"), [(10**8, 40), (10**9, 3), (10**10, 3)])
def test_blocks_where_a_denominator_nearly_cancels(scale: int, apart: int, seed: int) -> None:
    """Recall and fall-out agree in seven digits or more all over: floats that lost theirs must not close a block."""
    random = Random(seed)
    metric = ff.metric("prevalence_threshold")
    positives, negatives = 2 * scale + 1, scale + 3
    chosen = []
    for tp in range(scale, scale + 150):
        tn = negatives - tp * negatives // positives + random.randint(-apart, apart)
        chosen.append((positives, negatives, tp, tn, tn + random.randint(0, 1)))
    values = [
        value
        for p, n, tp, low, high in chosen
        for tn in range(low, high + 1)
        if (value := exact_value(metric.id, tp, p - tp, n - tn, tn)) is not None
    ]
    for base in ({}, SMALL):
        with using(**base):
            ends = bounds(Rows.of(*zip(*chosen, strict=True)), [metric])[metric.id]
        attained = [metric.formula.exact(table.cells()) for table in (ends.low_witness, ends.high_witness)]
        assert attained == [min(values), max(values)]


@pytest.mark.parametrize("many", [1, 2, 30])
@pytest.mark.parametrize("digits", range(1, 10))
def test_bounds_keep_their_digits_however_much_cancels(digits: int, many: int) -> None:
    """Recall one half and fall-out lower by a share of it that has ever more zeros; one row, a few, and many."""
    metric, margin = ff.metric("prevalence_threshold"), 2 * 10**9 + 1
    tp, fp = margin // 2, margin // 2 - round(margin * 0.37 * 10**-digits)
    chosen = [(margin, margin, tp + i, margin - fp, margin - fp) for i in range(many)]
    ends = bounds(Rows.of_records(chosen), [metric])[metric.id]
    values = [
        metric.formula.exact({"tp": hits, "fn": p - hits, "fp": n - tn, "tn": tn}) for p, n, hits, tn, _ in chosen
    ]
    assert (ends.low, ends.high) == pytest.approx((float(min(values)), float(max(values))), rel=2e-14, abs=0)


@pytest.mark.parametrize("name", ["hull_above_rows", "blocks_above_rows", "rows_together", "hull_up_to_rim_rows"])
def test_bounds_at_each_size_and_beside_it(name: str) -> None:
    for asked in SETS[:5]:
        rows = rows_of(*asked)
        fn, fp = rows.positives - rows.tp, rows.negatives - rows.high
        rim = int((np.minimum(np.minimum(rows.tp, fn), np.minimum(rows.low, fp)) == 0).sum())
        for side in around(rim if name == "hull_up_to_rim_rows" else len(rows)):
            with using(**SMALL | {name: max(side, 1)}):
                check_bounds(rows_of(*asked), known_extremes(*asked))


@pytest.mark.parametrize("beside", [-1, 0, 1])
def test_hulls_up_to_a_margin(beside: int) -> None:
    with using(**SMALL, hull_below_margin=70 + beside):
        for asked in SETS[:2]:
            check_bounds(rows_of(*asked), known_extremes(*asked))


@pytest.mark.parametrize("together", [1, 5, HUGE])
def test_bounds_over_many_margins(together: int) -> None:
    constraints = [(ff.metric("accuracy"), Reported.read("[0.3, 0.9]"))]
    tables = [(p, 7 - p, tp, tn, tn) for p in range(8) for tp, tn in looked_at(constraints, (p, 7 - p))]
    with using(rows_together=together):
        check_bounds(ff.recover(total=7, accuracy="[0.3, 0.9]").rows_that_fit, extremes(Rows.of_records(tables)))


def test_a_large_box_is_bounded_alike_by_blocks_and_by_every_row() -> None:
    """The sizes as they are, at rows just below and above them."""
    for rows_wanted in (*around(strategy().hull_above_rows), *around(strategy().blocks_above_rows)):
        positives = rows_wanted - 1
        rows, _ = fitting([(ff.metric("accuracy"), Reported.read("[0.31, 0.77]"))], positives, 900, most_rows=10**5)
        rows = rows if len(rows) == rows_wanted else rows.at(slice(0, rows_wanted))
        found = bounds(rows, ALL)
        with using(hull_above_rows=HUGE):
            plain = bounds(rows, ALL)
        for metric in ALL:
            for one, other in zip(found[metric.id][2:4], plain[metric.id][2:4], strict=True):
                assert metric.formula.exact(one.cells()) == metric.formula.exact(other.cells()), metric.id


# Values of formulas.

#: Recall and fall-out nearly equal: the denominator of the prevalence threshold all but cancels.
NEAR = [
    (tp, positives - tp, fp, negatives - fp)
    for scale in (10**3, 10**6, 10**9, 10**12)
    for positives, negatives in ((scale, scale), (scale, 3 * scale + 1), (2 * scale + 1, scale - 1))
    for tp in (positives // 2, positives // 3, positives - 1)
    for fp in (tp * negatives // positives, tp * negatives // positives + 1, tp * negatives // positives - 1)
    if 0 <= fp <= negatives
]


@pytest.mark.parametrize("share", [None, 1.0])
def test_values_keep_their_digits_where_a_denominator_nearly_cancels(share: float | None) -> None:
    cells = dict(zip(CELLS, np.array(NEAR).T, strict=True))
    for name in ("prevalence_threshold", "macro_prevalence_threshold"):
        formula = ff.metric(name).formula
        with using(**({} if share is None else {"exact_where_left": share})):
            found = formula.evaluate(cells)
        for value, cell in zip(found.tolist(), NEAR, strict=True):
            exact = formula.exact(dict(zip(CELLS, cell, strict=True)))
            assert value == pytest.approx(math.nan if exact is None else float(exact), rel=1e-9, nan_ok=True), cell
            assert math.isnan(value) == (exact is None)


@pytest.mark.parametrize("left", [0.99e-6, 1.01e-6])
def test_values_at_the_share_from_which_they_are_exact(left: float) -> None:
    """Recall one half, fall-out so near to it that this share of their sum is left."""
    negatives = 10**9
    fp = round(negatives * 0.5 * (1 - 2 * left))
    cell = {"tp": 500, "fn": 500, "fp": fp, "tn": negatives - fp}
    formula = ff.metric("prevalence_threshold").formula
    found = float(formula.evaluate({name: [count] for name, count in cell.items()})[0])
    tolerance = 1e-15 if left < 1e-6 else 1e-9
    assert found == pytest.approx(float(formula.exact(cell)), rel=tolerance)


@pytest.mark.parametrize("most", [1.0, 1e60, 0.99e61, 1.01e61])
def test_values_of_extreme_cells(most: float) -> None:
    """Cells that no count reaches, as smoothing may make them: products of four must not leave the range of floats."""
    for scale in (1e-61, 0.99e-60, 1.01e-60, 1.0, 0.99e60, 1.01e60, 1e61, 1e120):
        cell = {"tp": 3 * scale, "fn": 2 * scale, "fp": 5 * scale, "tn": 7 * scale}
        for metric in ALL:
            with using(floats_up_to=most if scale <= 1e61 else 1e60):
                found = metric.formula.evaluate({name: [value] for name, value in cell.items()})[0]
            assert found == pytest.approx(float(metric.formula.exact(cell)), rel=1e-12), (metric.id, scale)


@pytest.mark.parametrize("length", [1, 3, 255, 256, 257])
@pytest.mark.parametrize("together", [2, 256, HUGE])
def test_programs_compute_what_formulas_are(length: int, together: int) -> None:
    """All metrics at once, by new arrays and by arrays that are kept, whole and in pieces, with empty cells."""
    random = np.random.default_rng(length)
    cells = tuple(random.integers(0, 4, (4, length)))
    program = Program([metric.formula for metric in ALL])
    columns = np.array(cells).T.tolist()
    plain = np.array([program.at(column) for column in columns]).T
    for limit in (0, *around(length)):
        with using(computed_together=together, new_arrays_up_to=limit):
            np.testing.assert_allclose(program.over(cells), plain, rtol=1e-14)
    for values, column in zip(plain.T[:20].tolist(), columns[:20], strict=True):
        exact = [metric.formula.exact(dict(zip(CELLS, column, strict=True))) for metric in ALL]
        np.testing.assert_allclose(values, [math.nan if x is None else float(x) for x in exact], rtol=1e-14)


@pytest.mark.parametrize("together", [1, 3, 6, 7, 8, HUGE])
def test_formulas_are_evaluated_whole_or_in_pieces(together: int) -> None:
    columns = [(0, 1, 2, 3), (1, 0, 0, 2), (0, 0, 1, 1), (4, 3, 2, 1), (1, 1, 0, 0), (5, 0, 0, 5), (2, 2, 2, 2)]
    cells = dict(zip(CELLS, np.array(columns).T, strict=True))
    with using(evaluated_together=together):
        for metric in ALL:
            exact = [metric.formula.exact(dict(zip(CELLS, column, strict=True))) for column in columns]
            expected = [math.nan if x is None else float(x) for x in exact]
            np.testing.assert_allclose(metric.formula.evaluate(cells), expected, rtol=1e-14)


# Laws.

REFERENCE = (9, 4, 3, 7)
RATIOS = ("recall", "accuracy", "f1", "jaccard", "marginal_benefit", "false_discovery_rate")


@cache
def exact_law(name: str, size: int) -> list[tuple[Fraction, Fraction]]:
    """Return every value of a ratio with its chance, in integers: how many fall into each kind of cell."""
    classes = classes_of(ff.metric(name).formula)
    assert classes is not None
    weights = [
        sum(count for cell, count in zip(CELLS, REFERENCE, strict=True) if cell in part)
        for part in (classes.first, classes.second, classes.others)
    ]
    found: dict[Fraction, int] = {}
    for first in range(size + 1):
        for second in range(size + 1 - first) if classes.others else [size - first]:
            numbers = (first, second, size - first - second)
            top, bottom = classes.sums(*numbers)
            if bottom:
                ways = math.factorial(size) // math.prod(map(math.factorial, numbers))
                chance = ways * math.prod(w**n for w, n in zip(weights, numbers, strict=True))
                found[Fraction(top, bottom)] = found.get(Fraction(top, bottom), 0) + chance
    return [(value, Fraction(chance, sum(weights) ** size)) for value, chance in sorted(found.items())]


def check_tails(name: str, size: int) -> None:
    """Compare chances from the far tails to the middle, each with its digits."""
    points = exact_law(name, size)
    own = law(ff.metric(name), size, Source.of(ff.Table(**dict(zip(CELLS, REFERENCE, strict=True)))))
    whole = sum((chance for _, chance in points), Fraction(0))
    below = Fraction(0)
    for place, (value, chance) in enumerate(points):
        if place % max(1, len(points) // 12) == 0 or place in (1, len(points) - 2):
            expected = [float(mass) for mass in (below, chance, whole - below - chance)]
            for mass, exact in zip(own.masses(value), expected, strict=True):
                assert mass == pytest.approx(exact, rel=2e-10, abs=1e-38), (value, exact)
            # A number between two values, in digits that machine integers do not hold.
            beside = own.masses(value - Fraction(1, 10**18 + 9))
            assert beside.below == pytest.approx(expected[0], rel=2e-10, abs=1e-38)
            assert beside.equal == 0
        below += chance


LAW_SIDES: dict[str, tuple[float, ...]] = {
    "summed_above_numbers": (0, HUGE),
    "summed_above_chance": (1e-4, 1e-2, 1.0),
    "machine_integers_below": (0, 1 << 62),
}


@pytest.mark.parametrize("name", RATIOS)
def test_tails_of_laws_keep_their_digits(name: str) -> None:
    for field, sides in LAW_SIDES.items():
        for side in sides:
            with using(**{"summed_above_numbers": 0, field: side}):
                for size in (1, 2, 13, 40):
                    check_tails(name, size)


@pytest.mark.parametrize("name", RATIOS)
def test_laws_at_the_number_from_which_they_are_summed(name: str) -> None:
    """Margins around a hundred and one numbers, as the strategy is, and each size beside its own length."""
    for size in (99, 100, 101):
        check_tails(name, size)
    for limit in around(40):
        with using(summed_above_numbers=limit):
            check_tails(name, 40)


def test_laws_at_the_chance_from_which_they_are_summed() -> None:
    points = exact_law("recall", 40)
    below = Fraction(0)
    for _, chance in points:
        below += chance
        if 1e-7 < below < 1e-2:
            for factor in (0.999, 1.001):
                with using(summed_above_numbers=0, summed_above_chance=max(float(below) * factor, 1e-4)):
                    check_tails("recall", 40)
            break


@pytest.mark.parametrize("name", ["recall", "f1", "mcc"])
def test_quantiles_listed_or_closed_in_on(name: str) -> None:
    source = Source.of(ff.Table(**dict(zip(CELLS, REFERENCE, strict=True))))
    plain = law(ff.metric(name), 6, source)
    values, chances = plain.whole
    sums = np.cumsum(chances)
    for limit in (0, *around(plain.steps), HUGE):
        with using(bisected_above_values=limit):
            own = law(ff.metric(name), 6, source)
            for share in (0.03, 0.2, 0.51, 0.9):
                expected = values[np.flatnonzero(sums >= share)[0]]
                assert own.quantile(share) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("within", [1e-11, 1e-3, 10.0])
def test_laws_of_tables_told_apart_exactly(within: float) -> None:
    """A law that is looked at table by table: values near the asked one are compared exactly."""
    metric = ff.metric("macro_treatment_ratio")
    source = Source.of(ff.Table(**dict(zip(CELLS, REFERENCE, strict=True))))
    plain = law(metric, 6, source)
    for value in (Fraction(1), Fraction(5, 4), Fraction(13, 6), Fraction(2)):
        expected = plain.masses(value)
        with using(told_apart_exactly_within=within):
            assert law(metric, 6, source).masses(value) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("sizes", "numbers", "taken"),
    [
        (range(5, 12), [2, 3, 3, 4, 4, 4, 5], True),
        (range(5, 12), [2] * 7, True),
        ([5, 6, 8, 9], [2, 2, 2, 3], False),
        ([9, 8, 7, 6], [2, 2, 2, 2], False),
        ([5, 5, 6], [2, 2, 2], False),
        (range(5, 9), [1, 3, 4, 4], False),
        (range(5, 9), [3, 2, 2, 2], False),
        (range(5, 9), [-1, 0, 1, 1], False),
    ],
)
def test_running_sums_are_those_of_every_number(sizes: Any, numbers: list[int], taken: bool) -> None:
    """A step leads from one size to the next with as many or one more; other numbers must be summed one by one."""
    k, size = np.array(numbers), np.array(sizes)
    for start in range(len(k)):
        stepwise = running(k, size, 0.3, start)
        assert (stepwise is not None) == taken
        if stepwise is not None:
            assert stepwise == pytest.approx(at_most(k, size, 0.3), abs=1e-15)


@pytest.mark.parametrize("share", [Fraction(1, 7), Fraction(1, 2), Fraction(9, 10)])
def test_ranges_are_summed_from_the_side_that_keeps_digits(share: Fraction) -> None:
    """Tails of fifty draws down to 1e-40, where a difference of sums near one would have no digits."""
    size = 50
    chances = [math.comb(size, k) * share**k * (1 - share) ** (size - k) for k in range(size + 1)]
    own = Chances(0, np.array([float(chance) for chance in chances]))
    links = Links([Chances(2, np.array([1.0])), own])
    low, high = (
        np.array(ends) for ends in zip(*((a, b) for a in range(size + 1) for b in range(a, size + 1)), strict=True)
    )
    expected = [float(sum(chances[a : b + 1])) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    at_an_end = (low == 0) | (high == size)
    second = np.ones(len(low), dtype=np.int64)
    for found in (Links([own]).between(0 * second, low, high), links.between(second, low, high)):
        assert found[at_an_end] == pytest.approx(np.array(expected)[at_an_end], rel=1e-12, abs=0)
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-15)


# Numbers printed in full.


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize(
    ("text", "in_full"),
    [
        ("0.99999999999999", False),
        ("1.00000000000000", True),
        ("1.0000000000000", False),
        ("0.12345678901234", False),
        ("0.123456789012345", True),
        ("0.000123456789012345", True),
        ("0.00000000000000001", False),
        ("12.3456789012345%", True),
        ("12.345678901234%", False),
    ],
)
def test_fifteen_digits_are_a_float_printed_in_full(sign: str, text: str, in_full: bool) -> None:
    """Computed floats are off by a few units in the last place: from 15 digits on there is room for that."""
    number = Fraction(sign + text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    unit = Fraction(1, 10 ** (len(text.removesuffix("%").partition(".")[2]) + (2 if text.endswith("%") else 0)))
    found = Reported.read(sign + text, rounding="half_even")
    low, high = number - unit / 2, number + unit / 2
    room = max(abs(low), abs(high)) / 2**50 if in_full else 0
    assert (found.low, found.high) == (low - room, high + room)
    odd = round(number / unit) % 2 == 1
    assert (found.low_open, found.high_open) == ((False, False) if in_full else (odd, odd))


@given(st.floats(1e-3, 1.0, exclude_max=True))
@settings(deadline=None, max_examples=200)
def test_a_float_printed_in_full_has_room_for_how_it_was_computed(value: float) -> None:
    found = Reported.read(repr(value))
    if len(repr(value).removeprefix("0.").lstrip("0")) >= 15:
        for other in (np.nextafter(value, 0), np.nextafter(value, 1)):
            assert Fraction(float(other)) in found


# What two groups with equal odds share out.


def ways(table: ff.Table, tp: int) -> int:
    """In how many ways a table is filled with so many true positives, its margins kept."""
    others = table.tp + table.fp - tp
    return math.comb(table.positives, tp) * math.comb(table.negatives, others) if others >= 0 else 0


@pytest.mark.parametrize("numbers", [0, HUGE])
@pytest.mark.parametrize("seed", range(6))
def test_conditional_laws_outwards_or_whole(numbers: int, seed: int) -> None:
    """Chances down to 1e-300 have all their digits, by sums of whole numbers."""
    random = Random(seed)
    group, reference = (ff.Table.of_counts(*(int(10 ** random.uniform(0, 2.5)) for _ in range(4))) for _ in range(2))
    total = group.tp + reference.tp
    law = ConditionalLaw.of_odds(group, reference)
    weights = [ways(group, x) * ways(reference, total - x) for x in range(law.low, law.high + 1)]
    for place in {0, len(weights) - 1, random.randrange(len(weights)), weights.index(max(weights))}:
        parts = (sum(weights[:place]), weights[place], sum(weights[place + 1 :]))
        expected = [float(Fraction(part, sum(weights))) for part in parts]
        with using(summed_outwards_above_numbers=numbers):
            assert list(law.split(law.low + place)) == pytest.approx(expected, rel=1e-11, abs=1e-300)


@pytest.mark.parametrize("off", [0, 300, 4000, 50_000])
def test_conditional_laws_summed_or_integrated(off: int) -> None:
    found = []
    for terms in (1000, HUGE):
        with using(integrated_above_terms=terms):
            found.append(list(ConditionalLaw.of_shares(10**7, 3 * 10**7, 10**7).split(2_500_000 - off)))
    assert found[0] == pytest.approx(found[1], rel=1e-11, abs=1e-300)


# What swapped predictions give.


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.id)
def test_swaps_row_by_row_are_all_swaps(metric: ff.Metric) -> None:
    random = Random(5)
    for _ in range(6):
        pairs = PairedTables(*(Agreement(*(random.randrange(1, 9) for _ in range(4))) for _ in range(2)))
        found = []
        for size in (0, HUGE):
            with using(swapped_together_up_to=size):
                law = swap_law(metric.formula, pairs)
            found.append([*law.split(), *law.split(0.4, -0.3), law.undefined] if law else [])
        assert found[0] == pytest.approx(found[1], rel=1e-9, abs=1e-15)


# Nothing is left out.

#: Sizes that have a test of their own above.
OWN_TESTS = {
    "counted_above",
    "margins_together",
    "floats_up_to",
    "bisected_above_values",
    "swapped_together_up_to",
    "summed_outwards_above_numbers",
    "integrated_above_terms",
}


def test_both_sides_of_every_size_are_run() -> None:
    run = {*SEARCHED, *BOUNDED, *LAW_SIDES, *CLASS_SIDES, *OWN_TESTS}
    assert {field.name for field in fields(Strategy)} == run


# Totals that are too many together.


@pytest.mark.parametrize("budget", [0, 1, 40, 300, 2000, 20_000])
@pytest.mark.parametrize(
    "report", [{"recall": "0.75", "accuracy": "0.8"}, {"mcc": "0.31", "f1": "0.62"}, {"kappa": "0.4", "recall": "0.3"}]
)
def test_totals_are_halved_until_they_fit_the_budget(report: dict[str, str], budget: int) -> None:
    """The same tables come out, and the search stops at the same total, where each total is searched by itself."""
    claim = Claim.from_mapping({**report, "total": "3-40", "undefined": "none", "budget": budget}).sized()
    tables, left, stopped = [], budget, None
    for total in claim.pairs():
        try:
            rows, looked = search._fitting_totals(claim, [total], left)
        except ff.TooLarge:
            stopped = total[0]
            break
        tables.append(rows)
        left -= looked
    found = search.solve(claim)
    alone = {table for piece in tables for table in piece.tables()}
    together = set(found.rows.tables())
    if alone or stopped is None:
        assert together == alone
    assert (found.reason == "") == (stopped is None)
    assert stopped is None or f"at total {stopped} of" in found.reason


# What is read and computed in fewer steps where a report is plain.

PLAIN_NAMES = ("acc", "sens", "recall", "spec", "f1", "mcc", "ppv", "NPV", "kappa", " auc", "tp", "f1[negative]", "lr+")
PLAIN_TEXTS = ("0.85", "0.8", "0.123456", "0.1234567", "0.", "0.٣", ".85", "85%", "1.0", "-0.5", "0.50 ", "0", "3/4")
PLAIN_SIZES = (0, 40, 10**18 - 1, "40", "40.0", "30-50", True, None)


def read_or_refused(given: dict[str, Any]) -> tuple[Any, ...]:
    try:
        return (Claim.from_mapping(given),)
    except ff.FourfoldError as error:
        return (str(error),)


def test_a_plain_report_is_read_as_every_other() -> None:
    random, plain = Random(11), 0
    for _ in range(3000):
        names = random.sample(PLAIN_NAMES, random.randint(1, 3))
        given: dict[str, Any] = {name: random.choice(PLAIN_TEXTS) for name in names}
        sizes = random.sample(["positives", "negatives", "total", "pos"], random.randint(0, 3))
        given |= {size: random.choice(PLAIN_SIZES) for size in sizes}
        plain += read_plainly_or_none(given) is not None
        # With an option, every name and every text is looked at more closely.
        assert read_or_refused(given) == read_or_refused({**given, "rounding": "any"}), given
    assert plain > 100


def read_plainly_or_none(given: dict[str, Any]) -> object:
    try:
        return read_plainly(given, Claim.labels)
    except ff.FourfoldError:
        return None


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.id)
def test_exact_values_in_steps_are_those_of_the_tree(metric: ff.Metric) -> None:
    for formula in (metric.formula, *metric.components):
        for counts in np.ndindex(4, 4, 4, 4):
            cells = dict(zip(CELLS, counts, strict=True))
            try:
                value = formula.fold(lambda name, cells=cells: Fraction(cells[name]), lambda x: x, root)
            except ArithmeticError:
                value = None
            assert formula.exact(cells) == value, cells


def test_a_report_that_is_possible_as_it_stands_has_no_other_reading() -> None:
    random, possible = Random(12), 0
    for _ in range(200):
        positives, negatives = random.randint(1, 30), random.randint(1, 30)
        given: dict[str, Any] = {"positives": positives, "negatives": negatives}
        given |= {name: f"{random.randint(5, 10) / 10:.1f}" for name in random.sample(["acc", "sens", "spec", "f1"], 2)}
        claim = Claim.from_mapping(given)
        tried = try_readings(readings_of(claim), solve)
        found = ff.recover(given)
        assert (found.verdict == "possible") == (tried.found.fits and not tried.departures)
        if found.verdict == "possible":
            possible += 1
            assert (found.claim, found.readings, found.count) == (tried.claim, tried.readings, tried.found.count)
            assert [*found.tables()] == [*tried.found.tables()]
            assert found.all_bounds == bounds(tried.found.feasible.rows, [*ALL])
    assert possible > 50


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_a_short_decimal_is_what_its_digits_say(rounding: str) -> None:
    random = Random(13)
    for digits in range(1, 7):
        unit = Fraction(1, 10**digits)
        for number in {0, 1, 10**digits - 1, *(random.randrange(10**digits) for _ in range(50))}:
            text = f"0.{number:0{digits}d}"
            short, longer = Reported.read(text, rounding=rounding), Reported.read(f"+{text}", rounding=rounding)
            assert short == replace(longer, text=text)
            low, high = (1, 1) if rounding in ("any", "half_up", "half_even") else (0, 2)
            if number and rounding != "ceiling":
                assert (short.low, short.high) == (
                    (number - low * Fraction(1, 2)) * unit,
                    (number + high * Fraction(1, 2)) * unit,
                )
