"""Tables of results whose test set is kept secret: how often the sizes are found, and a false row is named.

Each table has 3 to 12 rows of one test set of 20 to 2,000 cases, with 2 to 4 scores of 2 to 4 digits. Then one score of
one row is changed by 2 to 20 units of its last digit, so that no table of the true sizes has it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

import fourfold as ff

_SCORES: Final = ("accuracy", "recall", "specificity", "precision", "f1", "balanced_accuracy")
_TABLES: Final = 200
_TRIES: Final = 100

Scores = dict[str, str]


class Drawn(NamedTuple):
    """A table of results, and the sizes that were kept secret."""

    positives: int
    negatives: int
    digits: int
    rows: dict[str, Scores]


def draw(rng: np.random.Generator) -> Drawn:
    """Draw a table of results: classifiers of some skill on one test set."""
    total = int(np.exp(rng.uniform(np.log(20), np.log(2000))))
    p = min(max(int(total * rng.uniform(0.1, 0.6)), 3), total - 3)
    names = rng.choice(_SCORES, size=int(rng.integers(2, 5)), replace=False).tolist()
    digits = int(rng.integers(2, 5))
    rows: dict[str, Scores] = {}
    for i in range(int(rng.integers(3, 13))):
        tp, tn = int(rng.binomial(p, rng.uniform(0.4, 0.98))), int(rng.binomial(total - p, rng.uniform(0.6, 0.98)))
        table = ff.Table(tp=max(tp, 1), fn=p - max(tp, 1), fp=total - p - tn, tn=tn)
        rows[f"row {i + 1}"] = {name: f"{ff.score(table, name):.{digits}f}" for name in names}
    return Drawn(p, total - p, digits, rows)


def spoil(drawn: Drawn, rng: np.random.Generator) -> tuple[str, dict[str, Scores]] | None:
    """Change a score of one row so that the true sizes leave it no table; None where that is not found."""
    for _ in range(_TRIES):
        row = str(rng.choice([*drawn.rows]))
        name = str(rng.choice([*drawn.rows[row]]))
        unit = 10.0**-drawn.digits
        value = float(drawn.rows[row][name]) + unit * int(rng.integers(2, 21)) * int(rng.choice((-1, 1)))
        if not unit <= value <= 1 - unit:
            continue
        scores = drawn.rows[row] | {name: f"{value:.{drawn.digits}f}"}
        alone = ff.claims.sizes({row: scores}, positives=drawn.positives, negatives=drawn.negatives)
        if alone.odd or alone.verdict == "unexplained":
            return row, drawn.rows | {row: scores}
    return None


class Outcome(NamedTuple):
    """What came of one table."""

    found: bool
    first: bool
    unique: bool
    complete: bool
    seconds: float
    spoilt: bool = False
    named: bool = False
    innocent: bool = False


def outcome(drawn: Drawn, rng: np.random.Generator) -> Outcome:
    """Ask for the sizes of a table as drawn, and with a false row."""
    start = time.perf_counter()
    answer = ff.claims.sizes(drawn.rows)
    seconds = time.perf_counter() - start
    at_true = ff.claims.sizes(drawn.rows, positives=drawn.positives, negatives=drawn.negatives)
    true = (drawn.positives, drawn.negatives)
    first = bool(answer.pairs) and tuple(answer.pairs[0]) == true
    # Of many pairs only the first are listed: that the true one is among them is seen where it is asked about alone.
    listed = true in map(tuple, answer.pairs) or answer.count > len(answer.pairs) or not answer.complete
    found = at_true.verdict == "possible" and listed and answer.verdict in ("possible", "undecided")
    made = spoil(drawn, rng)
    if made is None:
        return Outcome(found, first, answer.unique, answer.complete, seconds)
    row, rows = made
    told = ff.claims.sizes(rows)
    innocent = any(name != row for name in told.odd)
    return Outcome(found, first, answer.unique, answer.complete, seconds, True, told.odd == (row,), innocent)


def run(tables: int = _TABLES) -> None:
    """Print how often sizes are found and false rows are named, by the number of cases."""
    rng = np.random.default_rng(30)
    known: list[tuple[Drawn, Outcome]] = []
    for _ in range(tables):
        drawn = draw(rng)
        known.append((drawn, outcome(drawn, rng)))
    heads = ("cases", "tables", "true found", "true first", "unique", "complete", "median s", "largest s")
    print("".join(f"{head:>12}" for head in (*heads, "false rows", "named", "innocent")))
    for name, some in _parts(known):
        if not some:
            continue
        seconds = [each.seconds for each in some]
        counts = [sum(column) for column in zip(*((e.found, e.first, e.unique, e.complete) for e in some), strict=True)]
        false = [sum(column) for column in zip(*((e.spoilt, e.named, e.innocent) for e in some), strict=True)]
        cells: list[Any] = [name, len(some), *counts, f"{np.median(seconds):.2f}", f"{max(seconds):.2f}", *false]
        print("".join(f"{cell:>12}" for cell in cells))


def _parts(known: list[tuple[Drawn, Outcome]]) -> Iterator[tuple[str, list[Outcome]]]:
    ends = (20, 100, 300, 1000, 2001)
    for low, high in pairwise(ends):
        yield f"{low}-{high - 1}", [each for drawn, each in known if low <= drawn.positives + drawn.negatives < high]
    yield "all", [each for _, each in known]


def main(typed: list[str]) -> None:
    """Run with a number of tables: ``sizes --tables 50``."""
    run(int(typed[typed.index("--tables") + 1]) if "--tables" in typed else sys.exit("--tables COUNT"))
