"""Classifiers and their tables: the paper's synthetic data, Adult, and a toy, in jobs that can be done apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...claims import recover
from ...errors import InputError
from ...metrics import Metric, metric
from ...space import walk
from ...table import Table
from ..outcome import printed
from ..sets import Columns, DataSet
from .widths import DECIMALS, PAPER, PRECISION, Width, claim_text, exact_width, others_than, reconstruct, value_of

_SEED: Final = 42
_POOR, _RICH = "<=50K", ">50K"
# The label and what was predicted.
_KINDS: Final = {"tp": (1, 1), "fn": (1, 0), "fp": (0, 1), "tn": (0, 0)}
_RIGHT, FAULTY, _FETCHED = "as it is", "as the published code reads it", "as it is, from OpenML"
# Figure 5: half of so many cases are positive, half are called so; scores are given in full and with so many decimals.
TOY_TOTAL: Final = 1000
TOY_DECIMALS: Final = (None, 4, 3, 2)
# Of so many cases all tables are looked at, with scores of so many decimals; and one of them to look at closely.
FEW: Final = (10, 1)
EXAMPLE: Final = Table(tp=5, fn=1, fp=4, tn=0)


class Plan(NamedTuple):
    """What is varied, each with so many data sets or splits, and what is not.

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
    sizes, shares = printed(PAPER, "§IV-B"), printed(PAPER, "§IV-C")
    smallest, largest = (int(sizes["synthetic data", f"{end} size"]) for end in ("smallest", "largest"))
    lowest, highest = (float(shares["share of positives", end]) for end in ("lowest", "highest"))
    return Plan(
        sizes=tuple(np.geomspace(smallest, largest, 15).round().astype(int).tolist()),
        shares=tuple(np.linspace(lowest, highest, 15).round(6).tolist()),
        depths=tuple(range(1, 31)),
        repeats=int(printed(PAPER, "Figure 1")["synthetic data", "data sets"]),
        size=int(shares["synthetic data", "size"]),
        depth=int(sizes["tree", "depth"]),
        trees=int(printed(PAPER, "§IV-E")["random forest", "trees"]),
        correct=tuple(range(400, 451)),
    )


def planned_runs(plan: Plan) -> dict[str, dict[float, list[tuple[Any, ...]]]]:
    """Return each figure's runs, by what is varied; those of Figure 4 are among those of Figure 1."""
    repeats = range(plan.repeats)
    return {
        "Figure 1": {depth: [("tree", "line", plan.size, 0.5, depth, i) for i in repeats] for depth in plan.depths},
        "Figure 2": {size: [("tree", "clusters", size, 0.5, plan.depth, i) for i in repeats] for size in plan.sizes},
        "Figure 3": {
            share: [("tree", "clusters", plan.size, share, plan.depth, i) for i in repeats] for share in plan.shares
        },
        "Figure 4": {
            depth: [("tree", "line", plan.size, 0.5, depth, i) for i in repeats] for depth in plan.depths[::2]
        },
    }


def job_name(*job: Any) -> str:
    """Return a job's name."""
    return " ".join(map(str, job))


def work(kind: str, *arguments: Any) -> Any:
    """Do one job; what it returns is plain JSON."""
    works: dict[str, Callable[..., Any]]
    works = {"tree": _tree, "forest": _forest, "adult": _adult, "toy": _toy, "small": _small}
    return works[kind](*arguments)


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
    truth = Table(**cells)
    widths = [[each or [None] * len(Width._fields) for each in reconstruct(truth, rule)] for rule in (DECIMALS, None)]
    return [cells, widths]


def _forest(data: DataSet, reading: str, trees: int, repeat: int) -> list[Any]:
    """Return the table of a random forest on Adult, and the widths that its scores leave."""
    from sklearn.ensemble import RandomForestClassifier

    features, labels = adult(data, faulty=reading == FAULTY)
    return _tested(RandomForestClassifier(trees, random_state=_SEED), features, labels, _SEED * repeat)


def possible_readings(data: DataSet) -> tuple[str, ...]:
    """Return the ways in which Adult can be read; OpenML does not tell its training and test part apart."""
    columns, target = data.read()
    labels = set(map(str, target.tolist()))
    if labels != {_POOR, _RICH}:
        # None of its cases would count as positive.
        raise InputError("bad_label", "data", "adult has other classes", sorted(labels), f"use {_POOR} and {_RICH}")
    return (_RIGHT, FAULTY) if _part(columns) else (_FETCHED,)


def _part(columns: Columns) -> str | None:
    """Return the name of the column that tells the training from the test part."""
    return next((name for name, values in columns.items() if set(values.tolist()) == {"train", "test"}), None)


def adult(data: DataSet, *, faulty: bool = False) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return the features and labels of Adult, a column for each category.

    Parameters
    ----------
    data
        Where it is.
    faulty
        Read the test part as the published code does, which keeps the blank before each text there: its categories are
        others than those of the training part, and none of its labels counts as positive.
    """
    columns, target = data.read()
    tested = columns.pop(_part(columns) or "", np.full(len(target), "")) == "test"
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
    labels = adult(data, faulty=reading == FAULTY)[1]
    return [len(labels), int(labels.sum())]


def _toy(correct: int) -> list[Any]:
    """Return for each way of rounding and each reconstructed score: the width, and the widest from a single value."""
    half = TOY_TOTAL // 2
    truth = Table(tp=correct, fn=half - correct, fp=half - correct, tn=correct)
    known, others = metric(PRECISION), [metric(wanted) for wanted in others_than(PRECISION)]
    found = []
    for decimals in TOY_DECIMALS:
        text = claim_text(value_of(known, truth) or Fraction(0), decimals)
        recovery = recover(**{known.id: text}, positives=half, negatives=half)
        single: dict[Fraction | None, list[Table]] = {}
        for each in recovery.tables():
            single.setdefault(value_of(known, each), []).append(each)
        found.append([[float(exact_width(wanted, recovery) or 0), _widest(wanted, single)] for wanted in others])
    return found


def _widest(wanted: Metric, single: Mapping[Any, Sequence[Table]]) -> float:
    values = [[value_of(wanted, each) or Fraction(0) for each in tables] for tables in single.values()]
    return float(max(max(each) - min(each) for each in values))


def _small() -> list[Any]:
    """Return the widths of every table of a few cases."""
    total, decimals = FEW
    tables = [several[i] for several in walk(total) for i in range(len(several))]
    return [list(each) for truth in tables for each in reconstruct(truth, decimals) if each]
