"""RECLAIM done again: classifiers on synthetic data and on Adult, and a toy, in pieces that can be done apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourfold import InputError, Table
from fourfold.metrics import PRECISION

from ..outcome import Reproduction
from ..running import Call, run_all
from ..sets import Columns, DataSet, find_sets, require_sklearn, set_names
from .parts import FAULTY, SMALL_DECIMALS, SMALL_TOTAL, TOY_DECIMALS, TOY_TOTAL, reproduction
from .widths import DECIMALS, PAPER, Width, exact_width, others_than, reconstruct, recover_from, value_of

_SEED: Final = 42
_POOR, _RICH = "<=50K", ">50K"
# The label and what was predicted.
_KINDS: Final = {"tp": (1, 1), "fn": (1, 0), "fp": (0, 1), "tn": (0, 0)}
_RIGHT, _FETCHED = "as it is", "as it is, from OpenML"


class Plan(NamedTuple):
    """What is varied, each with a number of data sets or splits, and what is not.

    `correct` are the true positives of Figure 5, where half of 1,000 cases are positive and half are called so.
    """

    sizes: tuple[int, ...]
    shares: tuple[float, ...]
    depths: tuple[int, ...]
    repeats: int
    size: int
    depth: int
    trees: int
    correct: tuple[int, ...]


def default_plan() -> Plan:
    """Return the sizes, shares and depths of the paper."""
    sizes, shares = PAPER.printed("§IV-B"), PAPER.printed("§IV-C")
    smallest, largest = (int(sizes["synthetic data", f"{end} size"]) for end in ("smallest", "largest"))
    lowest, highest = (float(shares["share of positives", end]) for end in ("lowest", "highest"))
    return Plan(
        sizes=tuple(np.geomspace(smallest, largest, 15).round().astype(int).tolist()),
        shares=tuple(np.linspace(lowest, highest, 15).round(6).tolist()),
        depths=tuple(range(1, 31)),
        repeats=int(PAPER.printed("Figure 1")["synthetic data", "data sets"]),
        size=int(shares["synthetic data", "size"]),
        depth=int(sizes["tree", "depth"]),
        trees=int(PAPER.printed("§IV-E")["random forest", "trees"]),
        correct=tuple(range(400, 451)),
    )


def reproduce_reclaim(
    data: str | Path | None = None, *, kept: str | Path | None = None, **options: Any
) -> Reproduction:
    """Do the experiments of RECLAIM again; Table III needs adult.parquet, or Adult from OpenML."""
    require_sklearn()
    usable, others = find_sets(set_names(PAPER.name), data, kept)
    planned = _planned(default_plan(), {reading: data for data in usable for reading in _possible_readings(data)})
    calls = {_name(call): call for call in _calls_in(planned)}
    results = run_all(calls, name=PAPER.name, **options)
    return reproduction(**_results_of(planned, results), why_no_adult=", ".join(others.values()))


def _planned(plan: Plan, adult: Mapping[str, DataSet]) -> dict[str, Any]:
    """Return all calls, by the parameters of `reproduction`; those of Figure 4 are among those of Figure 1."""
    repeats = range(plan.repeats)

    def trees(kind: str, size: int, share: float, depth: int) -> list[Call]:
        return [(_tree, kind, size, share, depth, i) for i in repeats]

    lines = {depth: trees("line", plan.size, 0.5, depth) for depth in plan.depths}
    return {
        "forests": {name: [(_forest, data, name, plan.trees, i) for i in repeats] for name, data in adult.items()},
        "counts": {reading: (_adult, data, reading) for reading, data in adult.items()},
        "trees": {
            "Figure 1": lines,
            "Figure 2": {size: trees("clusters", size, 0.5, plan.depth) for size in plan.sizes},
            "Figure 3": {share: trees("clusters", plan.size, share, plan.depth) for share in plan.shares},
            "Figure 4": {depth: lines[depth] for depth in plan.depths[::2]},
        },
        "toy": {correct: (_toy, correct) for correct in plan.correct},
        "small": (_small,),
    }


def _name(call: Call) -> str:
    """Return what a call is called; a data set is named by its mark."""
    function, *arguments = call
    names = (argument.mark if isinstance(argument, DataSet) else argument for argument in arguments)
    return " ".join(map(str, (function.__name__.strip("_"), *names)))


def _calls_in(planned: Any) -> Iterator[Call]:
    if isinstance(planned, tuple):
        yield planned
    else:
        for inner in planned.values() if isinstance(planned, dict) else planned:
            yield from _calls_in(inner)


def _results_of(planned: Any, results: Mapping[str, Any]) -> Any:
    """Return results in the place of their calls."""
    if isinstance(planned, tuple):
        return results[_name(planned)]
    if isinstance(planned, dict):
        return {key: _results_of(inner, results) for key, inner in planned.items()}
    return [_results_of(inner, results) for inner in planned]


def _tree(kind: str, size: int, share: float, depth: int, repeat: int) -> list[Any]:
    """Return the table of a decision tree on synthetic data, and the widths that its scores leave."""
    from sklearn.tree import DecisionTreeClassifier

    # The published code makes one set of clusters and splits it in different ways; the text speaks of separate sets.
    seed = _SEED * repeat
    features, labels = _line(size, seed) if kind == "line" else _clusters(size, share, seed)
    model = DecisionTreeClassifier(max_depth=depth, random_state=_SEED)
    return _tested(model, features, labels, _SEED if kind == "line" else seed)


def _line(size: int, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return points around the diagonal, and on which side of it they are."""
    rng = np.random.default_rng(seed)
    features = rng.random((size, 1)) + rng.uniform(0, 0.25, (size, 2))
    return features, (features[:, 0] <= features[:, 1]).astype(int)


def _clusters(size: int, share: float, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return normal clusters of two classes; the text gives no means, so they are made as in the published code."""
    from sklearn.datasets import make_classification

    features, labels = make_classification(size, weights=(1 - share,), random_state=seed)
    return features, labels


def _tested(model: Any, features: NDArray[Any], labels: NDArray[Any], seed: int) -> list[Any]:
    """Return the table on a fifth of the cases, with the widths from scores rounded and not."""
    from sklearn.model_selection import train_test_split

    train, test = train_test_split(np.arange(len(labels)), test_size=0.2, random_state=seed)
    called = model.fit(features[train], labels[train]).predict(features[test])
    cells = {name: int(((labels[test] == a) & (called == b)).sum()) for name, (a, b) in _KINDS.items()}
    both = (reconstruct(Table(**cells), decimals) for decimals in (DECIMALS, None))
    return [cells, [[width or [None] * len(Width._fields) for width in widths] for widths in both]]


def _forest(data: DataSet, reading: str, trees: int, repeat: int) -> list[Any]:
    """Return the table of a random forest on Adult, and the widths that its scores leave."""
    from sklearn.ensemble import RandomForestClassifier

    features, labels = read_adult(data, faulty=reading == FAULTY)
    return _tested(RandomForestClassifier(trees, random_state=_SEED), features, labels, _SEED * repeat)


def _possible_readings(data: DataSet) -> tuple[str, ...]:
    """Return the ways in which Adult can be read; OpenML does not tell its training and test part apart."""
    columns, target = data.read()
    labels = set(map(str, target.tolist()))
    if labels != {_POOR, _RICH}:
        # None of its cases would count as positive.
        raise InputError("bad_label", "data", "adult has other classes", sorted(labels), f"use {_POOR} and {_RICH}")
    return (_RIGHT, FAULTY) if _part_column(columns) else (_FETCHED,)


def _part_column(columns: Columns) -> str | None:
    """Return the name of the column that tells the training from the test part."""
    return next((name for name, values in columns.items() if set(values.tolist()) == {"train", "test"}), None)


def read_adult(data: DataSet, *, faulty: bool = False) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return the features and labels of Adult, a column for each category.

    On request read the test part as the published code does, which keeps the blank before each text there: its
    categories are others than those of the training part, and none of its labels counts as positive.
    """
    columns, target = data.read()
    tested = columns.pop(_part_column(columns) or "", np.full(len(target), "")) == "test"
    labels = (target == _RICH) & ~(tested & faulty)
    pieces = []
    for values in columns.values():
        if values.dtype.kind in "iuf":
            pieces.append(values[:, None])
        else:
            texts = np.char.add(np.where(tested & faulty, " ", ""), values.astype(str))
            pieces.append(texts[:, None] == np.unique(texts))
    return np.concatenate(pieces, axis=1, dtype=np.float32), labels.astype(np.int64)


def _adult(data: DataSet, reading: str) -> list[int]:
    """Return how many cases Adult has, and how many of them count as positive."""
    labels = read_adult(data, faulty=reading == FAULTY)[1]
    return [len(labels), int(labels.sum())]


def _toy(correct: int) -> list[Any]:
    """Return for each way of rounding and each reconstructed score: the width, and the widest from a single value."""
    wrong = TOY_TOTAL // 2 - correct
    truth = Table(tp=correct, fn=wrong, fp=wrong, tn=correct)
    rows = []
    for decimals in TOY_DECIMALS:
        recovery = recover_from(PRECISION, truth, decimals)
        by_value: dict[Fraction | None, list[Table]] = {}
        for table in recovery.tables():
            by_value.setdefault(value_of(PRECISION, table), []).append(table)
        widths = [float(exact_width(wanted, recovery) or 0) for wanted in others_than(PRECISION)]
        widest = []
        for wanted in others_than(PRECISION):
            values = [[value_of(wanted, table) or Fraction(0) for table in tables] for tables in by_value.values()]
            widest.append(float(max(max(row) - min(row) for row in values)))
        rows.append(list(map(list, zip(widths, widest, strict=True))))
    return rows


def _small() -> list[Any]:
    """Return the widths of every table of a few cases."""
    cells = (counts for counts in product(range(SMALL_TOTAL + 1), repeat=4) if sum(counts) == SMALL_TOTAL)
    tables = (Table.of_counts(*counts) for counts in cells)
    return [list(width) for truth in tables for width in reconstruct(truth, SMALL_DECIMALS) if width]
