"""Undefined scores of two classes, printed as 0 or left out of averages, against looking at all tables."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction

import pytest

import fourfold as ff
from fourfold.claims import Claim, fits, solve
from fourfold.metrics import read_convention

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
    # scikit-learn prints 0 for the coefficient with a root, and what was said for the others.
    if value is not None or undefined not in FILLS:
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
        assert ff.recover(claim, folds="none").count == len(wanted)
        possible += bool(wanted)
    assert possible > 50


def reports(
    rng: random.Random, names: Sequence[str], count: int
) -> Iterator[tuple[dict[str, str], tuple[int, int], str]]:
    """Reports of small tables, many of them of classifiers that never predict a class, with a convention."""
    while count:
        sizes = rng.randint(0, 5), rng.randint(1, 5)
        undefined = rng.choice(["none", "zero", "one", "excluded"])
        never = {"tp": 0, "fn": sizes[0], "fp": 0, "tn": sizes[1]}
        always = {"tp": sizes[0], "fn": 0, "fp": sizes[1], "tn": 0}
        truth = rng.choice([*tables(*sizes)] + [never, always] * 8)
        values = {name: score(name, truth, undefined) for name in rng.sample(names, rng.randint(1, 3))}
        report = {
            name: f"{float(value):.{rng.choice([1, 1, 2])}f}" for name, value in values.items() if value is not None
        }
        if report:
            count -= 1
            yield report, sizes, undefined


def test_bounds_count_undefined_scores_as_the_convention_says() -> None:
    rng = random.Random(5)
    changed = 0
    for report, sizes, undefined in reports(rng, NAMES, 250):
        given = {"total": sum(sizes)} if rng.random() < 0.3 else {"positives": sizes[0], "negatives": sizes[1]}
        found = ff.recover(**report, **given, undefined=undefined, bounds="none")
        fitting = [table.cells() for table in found.tables()]
        assert fitting
        for name in NAMES:
            values = [value for cells in fitting if (value := score(name, cells, undefined)) is not None]
            plain = [value for cells in fitting if (value := score(name, cells, "none")) is not None]
            low, high, first, last = found.bounds(name)[:4]
            if not values:
                assert (low, high, first, last) == (None,) * 4
                continue
            assert (low, high) == pytest.approx((float(min(values)), float(max(values))), abs=1e-12), (report, name)
            for end, table in ((low, first), (high, last)):
                assert table.cells() in fitting
                assert float(score(name, table.cells(), undefined)) == pytest.approx(end, abs=1e-12)
            changed += not plain or (min(plain), max(plain)) != (min(values), max(values))
    assert changed > 500


def test_a_class_that_is_never_predicted_counts_in_bounds() -> None:
    """Three positives, none found, and tn of four negatives right: precision of the negatives is tn of tn + 3.

    The mean over both classes is at most (0 + 4/7) / 2, where precision is 0 of 0; else at most (0 + 3/6) / 2.
    """
    found = ff.recover(positives=3, negatives=4, recall="0.00", undefined="zero")
    assert found.bounds("macro_precision").high == pytest.approx(2 / 7)
    assert ff.recover(positives=3, negatives=4, recall="0.00").bounds("macro_precision").high == pytest.approx(1 / 4)


def test_bounds_over_all_sizes_count_undefined_scores_as_the_convention_says() -> None:
    """All tables up to a total of 7 lie within them, and the tables at their ends attain them."""
    small = [cells for total in range(1, 8) for p in range(total + 1) for cells in tables(p, total - p)]
    changed = 0
    for report, _, undefined in reports(random.Random(6), [*SHARES], 100):
        found = ff.recover(**report, undefined=undefined, bounds="none")
        if found.solution.feasible.all_sizes is None:
            continue
        fitting = [cells for cells in small if fits(found.claim, ff.Table(**cells))]
        for name in NAMES[:7]:
            low, high, first, last = found.bounds(name)[:4]
            values = [value for cells in fitting if (value := score(name, cells, undefined)) is not None]
            plain = [value for cells in fitting if (value := score(name, cells, "none")) is not None]
            assert all(low - 1e-6 <= float(value) <= high + 1e-6 for value in values), (report, undefined, name)
            for end, table in ((low, first), (high, last)):
                if table is not None:
                    assert fits(found.claim, table)
                    assert float(score(name, table.cells(), undefined)) == pytest.approx(end, abs=1e-6)
            changed += bool(values) and (not plain or (min(plain), max(plain)) != (min(values), max(values)))
    assert changed > 50


@pytest.mark.parametrize(("undefined", "printed"), [("one", 1.0), ("zero", 0.0)])
def test_bounds_of_a_score_that_is_undefined_at_the_only_table(undefined: str, printed: float) -> None:
    counts = {"positives": 5, "negatives": 15, "tp": 0, "fp": 0}
    found = ff.recover(**counts, precision=f"{printed:.2f}", undefined=undefined)
    table = ff.Table(tp=0, fn=5, fp=0, tn=15)
    assert found.bounds("precision")[:4] == (printed, printed, table, table)
    taken = ff.recover(**counts, precision="0.00")
    assert taken.verdict == "conditional"
    assert taken.bounds("precision")[:4] == (0.0, 0.0, table, table)


def test_bounds_of_every_metric_are_those_of_its_values() -> None:
    """The catalogue and its averages, at tables of which some have empty rows or columns."""
    found = ff.recover(total=6, accuracy="[0.3, 0.9]", undefined="one", bounds="none")
    for undefined in ("zero", "one", "excluded"):
        convention = read_convention(undefined)
        metrics = [each for metric in ff.METRICS.values() for each in (metric, metric.averaged("weighted"))]
        some = found.solution.feasible.bounds(metrics, convention)
        for metric in metrics:
            values = [metric.value(table.cells(), convention) for table in found.tables()]
            known = [value for value in values if value is not None]
            ends = some[metric.id].low, some[metric.id].high
            assert ends == pytest.approx((float(min(known)), float(max(known))), abs=1e-9), metric.id
