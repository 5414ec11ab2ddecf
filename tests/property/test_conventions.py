"""Undefined scores of two classes, printed as 0 or left out of averages, against looking at all tables."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import pytest

import fourfold as ff
from fourfold.claims import Claim, solve

NAMES = (
    "precision", "recall", "f1", "npv", "specificity", "macro_precision", "weighted_precision", "macro_f1",
    "weighted_f1", "macro_recall", "mcc", "accuracy", "jaccard", "macro_jaccard", "weighted_recall", "kappa",
)  # fmt: skip
#: Which cells make the top and the bottom of a score of one class; the other class has them exchanged.
SHARES = {
    "precision": (("tp",), ("tp", "fp")),
    "recall": (("tp",), ("tp", "fn")),
    "npv": (("tn",), ("tn", "fn")),
    "specificity": (("tn",), ("tn", "fp")),
    "f1": (("tp", "tp"), ("tp", "tp", "fp", "fn")),
    "jaccard": (("tp",), ("tp", "fp", "fn")),
    "accuracy": (("tp", "tn"), ("tp", "tn", "fp", "fn")),
}
OTHER = {"tp": "tn", "fn": "fp", "fp": "fn", "tn": "tp"}


FILLS = {"zero": Fraction(0), "one": Fraction(1)}


def share(name: str, cells: dict[str, int]) -> Fraction | None:
    top, bottom = (sum(cells[cell] for cell in part) for part in SHARES[name])
    return Fraction(top, bottom) if bottom else None


def score(name: str, cells: dict[str, int], undefined: str) -> float | Fraction | None:
    """A score by its definition: what an undefined part of it counts as is up to the convention."""
    average, _, base = name.partition("_")
    if average in ("macro", "weighted"):
        swapped = {cell: cells[OTHER[cell]] for cell in cells}
        parts = [
            (share(base, each), each["tp"] + each["fn"] if average == "weighted" else 1) for each in (cells, swapped)
        ]
        if undefined == "none" and any(value is None for value, _ in parts):
            return None
        if undefined == "excluded":
            parts = [(value, weight) for value, weight in parts if value is not None]
        whole = sum(weight for _, weight in parts)
        fill = FILLS.get(undefined, 0)
        return (
            sum((fill if value is None else value) * weight for value, weight in parts) / Fraction(whole)
            if whole
            else None
        )
    value: float | Fraction | None
    if name in ("mcc", "kappa"):
        tp, fn, fp, tn = (cells[cell] for cell in ("tp", "fn", "fp", "tn"))
        top = tp * tn - fp * fn
        square = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        bottom = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
        if name == "mcc":
            value = top / square**0.5 if square else None
        else:
            value = Fraction(2 * top, bottom) if bottom else None
    else:
        value = share(name, cells)
    # scikit-learn prints nan for kappa, 0 for the coefficient with a root, and what was said for the others.
    if value is not None or undefined not in FILLS or name == "kappa":
        return value
    return Fraction(0) if name == "mcc" else FILLS[undefined]


def tables(positives: int, negatives: int) -> Iterator[dict[str, int]]:
    for tp in range(positives + 1):
        for tn in range(negatives + 1):
            yield {"tp": tp, "fn": positives - tp, "fp": negatives - tn, "tn": tn}


@pytest.mark.parametrize("seed", range(4))
def test_tables_with_undefined_scores(seed: int) -> None:
    rng = random.Random(seed)
    possible = 0
    for _ in range(150):
        sizes = rng.randint(0, 5), rng.randint(1, 5)
        undefined = rng.choice(["none", "zero", "one", "excluded"])
        truth = rng.choice([*tables(*sizes)] + [{"tp": 0, "fn": sizes[0], "fp": 0, "tn": sizes[1]}] * 8)
        report = {}
        for name in rng.sample(NAMES, rng.randint(1, 4)):
            value, digits = score(name, truth, undefined), rng.choice([1, 2, 3])
            if value is not None:
                moved = float(value) + rng.choice([0, 0, 0, 10**-digits])
                report[name] = f"{min(moved, 1.0):.{digits}f}"
        if not report:
            continue
        open_sizes = rng.random() < 0.3
        given = {"total": sum(sizes)} if open_sizes else {"positives": sizes[0], "negatives": sizes[1]}
        claim = Claim.from_mapping({**report, **given, "undefined": undefined})
        margins = [(p, sum(sizes) - p) for p in range(sum(sizes) + 1)] if open_sizes else [sizes]
        wanted = []
        for cells in (cells for pair in margins for cells in tables(*pair)):
            values = [(score(each.name, cells, undefined), each.reported) for each in claim.scores]
            if all(value is not None and Fraction(value) in reported for value, reported in values):
                wanted.append(tuple(cells.values()))
        found = [tuple(table.cells().values()) for table in solve(claim).tables()]
        assert sorted(found) == sorted(wanted), (report, given, undefined)
        assert ff.recover(claim).count == len(wanted)
        possible += bool(wanted)
    assert possible > 50
