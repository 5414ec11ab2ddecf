"""Rows with everything that goes wrong in data, and their counts by a plain loop."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

NAMES = ("y", "yhat", "race", "age")

Row = tuple[int | None, int | None, str | None, int | None]


def some_rows(many: int = 400, seed: int = 0) -> list[Row]:
    draw = random.Random(seed)
    values = ((0, 1, 1, None), (0, 1, None), ("black", "white", "a 'b' \"c\"", None), (20, 30, None))
    return [tuple(draw.choice(kind) for kind in values) for _ in range(many)]


ROWS = some_rows()


def column(name: str, rows: list[Row] = ROWS) -> list[Any]:
    return [row[NAMES.index(name)] for row in rows]


def columns(rows: list[Row] = ROWS) -> dict[str, list[Any]]:
    return {name: column(name, rows) for name in NAMES}


def by_loop(rows: list[Row] = ROWS, by: tuple[str, ...] = ("race", "age")) -> tuple[Any, ...]:
    """Count as anyone would: (by, pairs, rows, missing)."""
    pairs: dict[tuple[Any, ...], Counter[tuple[Any, Any]]] = {}
    missing: Counter[str] = Counter()
    for row in rows:
        truth, prediction = row[0], row[1]
        if truth is None:
            missing["y"] += 1
        elif prediction is None:
            missing["yhat"] += 1
        else:
            pairs.setdefault(tuple(row[NAMES.index(name)] for name in by), Counter())[truth, prediction] += 1
    return by, pairs, len(rows), missing
