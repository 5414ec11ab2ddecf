"""Rows of probabilities with everything that goes wrong in data, and their sums by a plain loop."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from fourfold.certainty import Decomposition, decompose
from fourfold.data import Aggregate, aggregate

CLASSES = ("cat", "dog", "hen")
COLUMNS = ("p_cat", "p_dog", "p_hen")
NAMES = ("y", "yhat", "ward", "fold", *COLUMNS)

Row = tuple[Any, ...]


def some_rows(many: int = 400, seed: int = 0) -> list[Row]:
    """Draw rows; every third is tied at the top or all but certain."""
    draw = random.Random(seed)
    found = []
    for n in range(many):
        weights = [draw.random() for _ in CLASSES]
        if n % 3 == 0:
            weights = draw.choice([[1, 1, 1], [2, 2, 1], [1, 2, 2], [0, 0, 1], [2, 1, 2]])
        numbers = [weight / sum(weights) for weight in weights]
        keys = ((*CLASSES, None), (*CLASSES, None), ("east", 'o\'west "1"', None), (1, 2, None))
        found.append((*(draw.choice(kind) for kind in keys), *numbers))
    return found


ROWS = some_rows()


def sum_probabilities(
    data: Any, *, probabilities: Any, labels: Any = None, prediction: str | None = None, **options: Any
) -> Aggregate:
    """Sum as `decompose_data` does: with a prediction, labels name the classes in the order of the columns."""
    summed = aggregate(data, prediction=prediction, probabilities=probabilities or (), **options)
    return summed if prediction is None else summed.placed(labels)


def columns(rows: list[Row] = ROWS) -> dict[str, list[Any]]:
    return {name: [row[place] for row in rows] for place, name in enumerate(NAMES)}


def by_loop(rows: list[Row] = ROWS, by: tuple[str, ...] = ("ward", "fold"), *, given: bool = False) -> dict[str, Any]:
    """Sum as anyone would."""
    cells: dict[Any, dict[Any, tuple[int, list[float]]]] = {}
    tied: Counter[Any] = Counter()
    missing: Counter[str] = Counter()
    for row in rows:
        y, yhat, numbers = row[0], row[1], row[4:]
        if y is None or (given and yhat is None):
            missing["y" if y is None else "yhat"] += 1
            continue
        group = tuple(row[NAMES.index(name)] for name in by)
        place = CLASSES.index(yhat) if given else numbers.index(max(numbers))
        count, sums = cells.setdefault(group, {}).get((y, place), (0, [0.0] * len(numbers)))
        cells[group][y, place] = count + 1, [a + b for a, b in zip(sums, numbers, strict=True)]
        tied[group] += 0 if given else numbers.count(max(numbers)) > 1
    return {"by": by, "columns": COLUMNS, "cells": cells, "tied": tied, "rows": len(rows), "missing": missing}


def in_memory(rows: list[Row] = ROWS, *, given: bool = False) -> Decomposition:
    """Decompose the rows that have labels in memory, by ward; those without a ward are a part, too."""
    kept = [row for row in rows if row[0] is not None and not (given and row[1] is None)]
    table = columns(kept)
    found = decompose(
        table["y"],
        np.column_stack([table[name] for name in COLUMNS]),
        CLASSES,
        prediction=table["yhat"] if given else None,
        by=[ward or "" for ward in table["ward"]],
    )
    return replace(found, parts={ward or None: part for ward, part in found.parts.items()})


def assert_summed(found: Any, expected: dict[str, Any]) -> None:
    """Everything is equal, the sums to 1e-9."""
    for name in ("by", "columns", "rows", "missing", "tied"):
        assert getattr(found, name) == expected[name], name
    assert set(found.cells) == set(expected["cells"])
    for group, cells in found.cells.items():
        assert set(cells) == set(expected["cells"][group])
        for key, (rows, sums) in cells.items():
            many, numbers = expected["cells"][group][key]
            assert (type(rows), rows) == (int, many)
            assert {type(number) for number in sums} == {float}
            np.testing.assert_allclose(sums, numbers, rtol=0, atol=1e-9)


def assert_same(found: Decomposition, expected: Decomposition) -> None:
    """Two decompositions are equal, with their parts, whatever the order of these."""
    assert (found.labels, found.rows_read, found.tied) == (expected.labels, expected.rows_read, expected.tied)
    assert found.hard.values.tolist() == expected.hard.values.tolist()
    for part in ("certain", "uncertain"):
        np.testing.assert_allclose(getattr(found, part).values, getattr(expected, part).values, rtol=0, atol=1e-9)
    assert set(found.parts) == set(expected.parts)
    for name, part in found.parts.items():
        assert_same(part, expected.parts[name])
