"""Cells of k-by-k tables against looking at all tables, and changes that make a report of classes possible."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
import pytest

import fourfold as ff
from fourfold import strategy
from fourfold.claims.class_cells import cells_of
from fourfold.claims.repairs import repairs
from fourfold.solve.rows import Ints

from .test_classes import Margins, compositions, draw, real_margins

Table = tuple[tuple[int, ...], ...]
Ends = tuple[np.ndarray, np.ndarray]


def wrong_tables(total: int, classes: int) -> Iterator[Table]:
    """All tables of so many wrong cases: the right ones of a class change no other cell."""
    places = [(i, j) for i, j in product(range(classes), repeat=2) if i != j]
    for counts in compositions(total, len(places)):
        cells = dict(zip(places, counts, strict=True))
        yield tuple(tuple(cells.get((i, j), 0) for j in range(classes)) for i in range(classes))


def margins_of(table: Table) -> Margins:
    columns = list(zip(*table, strict=True))
    return tuple((sum(row), row[c], sum(columns[c])) for c, row in enumerate(table))


def looked_at(tables: Iterator[Table]) -> dict[Margins, Ends]:
    """The least and the largest count of each cell by the margins of the tables."""
    found: dict[Margins, Ends] = {}
    for table in tables:
        cells = np.array(table)
        low, high = found.get(margins_of(table), (cells, cells))
        found[margins_of(table)] = np.minimum(low, cells), np.maximum(high, cells)
    return found


def columns(margins: list[Margins]) -> Ints:
    return np.array(margins).transpose(2, 1, 0)


@pytest.mark.parametrize(("classes", "most"), [(2, 7), (3, 7), (4, 4)])
def test_cells_of_margins_are_those_of_all_tables(classes: int, most: int) -> None:
    rng = random.Random(classes)
    for total in range(most + 1):
        every = looked_at(wrong_tables(total, classes))
        for margins, ends in every.items():
            assert np.array_equal(cells_of(columns([margins])), ends), margins
        for _ in range(20):
            some = rng.sample(list(every), min(3, len(every)))
            low, high = cells_of(columns(some))
            assert np.array_equal(low, np.min([every[margins][0] for margins in some], axis=0))
            assert np.array_equal(high, np.max([every[margins][1] for margins in some], axis=0))


@cache
def all_cells(sizes: tuple[int, ...]) -> dict[Margins, Ends]:
    rows = [list(compositions(size, len(sizes))) for size in sizes]
    return looked_at(product(*rows))


@pytest.mark.parametrize("kept", [0, 50_000])
@pytest.mark.parametrize("seed", range(3))
def test_cells_of_a_report_are_those_of_all_tables(seed: int, kept: int) -> None:
    """Where margins are listed; else no table may have a count beyond."""
    rng, seen = random.Random(100 + seed), 0
    while seen < 20:
        sizes, report, undefined = draw(rng)
        if len(sizes) > 3:
            continue
        with strategy.using(margins_kept_up_to=kept, listed_up_to_choices=16 if kept else 0):
            cells = ff.recover(
                classes=list(sizes), undefined=undefined, bounds="none", **report, folds="none"
            ).class_cells
        real = [all_cells(sizes)[margins] for margins in real_margins(sizes, report, undefined)]
        assert (cells is None) == (not real), (sizes, report, undefined)
        if cells is None:
            continue
        low, high = np.min([ends[0] for ends in real], axis=0), np.max([ends[1] for ends in real], axis=0)
        assert (np.array(cells.low) <= low).all(), (sizes, report, undefined)
        assert (np.array(cells.high) >= high).all(), (sizes, report, undefined)
        if cells.sharp:
            assert np.array_equal((cells.low, cells.high), (low, high)), (sizes, report, undefined)
        assert cells.sharp or not kept
        seen += 1


@pytest.mark.parametrize("seed", range(3))
def test_only_what_contradicts_is_worth_changing(seed: int) -> None:
    """With every score blamed, and so each changed, nothing more is found than with those that contradict."""
    rng, seen = random.Random(200 + seed), 0
    while seen < 6:
        sizes, report, undefined = draw(rng)
        found = ff.recover(classes=list(sizes), undefined=undefined, bounds="none", folds="none", **report)
        if found.verdict != "impossible" or len(found.repairs) == 0:
            continue
        for repair in found.repairs:
            assert repair.matrix.labels == found.claim.labels
            assert repair.count > 0
        every = repairs(found.claim, [list(report)], tried=True)
        kinds = {repair.kind for repair in every}
        assert {repair.kind for repair in found.repairs} <= kinds
        few = [kind for kind in kinds if sum(repair.kind == kind for repair in every) < 5]
        changes = {repair.change for repair in found.repairs}
        assert all(repair.change in changes for repair in every if repair.kind in few), (sizes, report, undefined)
        seen += 1
