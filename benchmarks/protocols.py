"""Honest reports of many protocols, asked about by someone who does not know the protocol: none may be impossible.

A classifier is simulated, its scores are averaged as a protocol says, rounded, and asked about in three ways: with the
sizes of the data alone, with the protocol said as far as there is a way to say it, and without sizes. Some protocols
are no averages, such as medians and the best of some runs. The second part moves one score of honest reports, and tells
how many are then called impossible or unexplained. ``python -m benchmarks protocols --count 200 --seed 1`` makes 200
reports of each; every report can be made again from seed, protocol and number alone. Calls to look at (impossible, an
error, a warning, more than two seconds) go to standard error as they come.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

import fourfold as ff

Floats = NDArray[np.float64]
#: Rows of tp, fn, fp and tn, one for each part.
Tables = NDArray[np.int64]

VERDICTS: Final = ("possible", "conditional", "unexplained", "undecided", "impossible", "error")
#: What studies report of one class, and what some report instead of one of these.
USUAL: Final = ("accuracy", "recall", "specificity", "precision", "f1")
RARE: Final = ("mcc", "balanced_accuracy", "npv")
FAMILY: Final = ("precision", "recall", "f1")
#: Calls that took so many seconds are shown.
LONG: Final = 2.0
MOVES: Final = (0.01, 0.02, 0.05, 0.1)
#: The names of the same scores at mlscorecheck.
PEER: Final = {"accuracy": "acc", "recall": "sens", "specificity": "spec", "precision": "ppv", "f1": "f1"}


# Scores, written down here once more so that nothing is judged by the formulas that are tested.


def _share(part: Any, whole: Any, fill: float) -> Floats:
    """Return part / whole, and what an undefined one is printed as."""
    part, whole = np.asarray(part, dtype=float), np.asarray(whole, dtype=float)
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1), fill)


def _mcc(tp: Any, fn: Any, fp: Any, tn: Any, fill: float) -> Floats:
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    # scikit-learn takes 0 here, whatever other undefined scores are.
    return _share(tp * tn - fp * fn, np.sqrt(product.astype(float)), 0.0 if np.isfinite(fill) else fill)


def _balanced(tp: Any, fn: Any, fp: Any, tn: Any, _: float) -> Floats:
    # scikit-learn leaves a class without cases out.
    mean: Floats = np.nanmean([_share(tp, tp + fn, np.nan), _share(tn, tn + fp, np.nan)], axis=0)
    return mean


_OF_CLASS: Final[Mapping[str, Callable[..., Floats]]] = {
    "recall": lambda tp, fn, fp, tn, fill: _share(tp, tp + fn, fill),
    "precision": lambda tp, fn, fp, tn, fill: _share(tp, tp + fp, fill),
    "f1": lambda tp, fn, fp, tn, fill: _share(2 * tp, 2 * tp + fp + fn, fill),
    "specificity": lambda tp, fn, fp, tn, fill: _share(tn, tn + fp, fill),
}
_OF_TABLE: Final[Mapping[str, Callable[..., Floats]]] = {
    **_OF_CLASS,
    "accuracy": lambda tp, fn, fp, tn, fill: _share(tp + tn, tp + fn + fp + tn, fill),
    "npv": lambda tp, fn, fp, tn, fill: _share(tn, tn + fn, fill),
    "f1_negative": lambda tp, fn, fp, tn, fill: _share(2 * tn, 2 * tn + fp + fn, fill),
    "mcc": _mcc,
    "mapped_mcc": lambda *given: (_mcc(*given) + 1) / 2,
    "balanced_accuracy": _balanced,
    "adjusted_balanced_accuracy": lambda *given: 2 * _balanced(*given) - 1,
    "g_mean": lambda tp, fn, fp, tn, fill: np.sqrt(_share(tp, tp + fn, fill) * _share(tn, tn + fp, fill)),
    "g_mean_of_precision": lambda tp, fn, fp, tn, fill: np.sqrt(_share(tp, tp + fn, fill) * _share(tp, tp + fp, fill)),
}


def scored(tables: Tables, name: str, fill: float = 0.0) -> Floats:
    """Return a score of each table; ``macro_`` and ``weighted_`` average it over both classes."""
    tp, fn, fp, tn = tables.T
    average, _, base = name.partition("_")
    if average not in ("macro", "weighted"):
        return _OF_TABLE[name](tp, fn, fp, tn, fill)
    both = np.stack([_OF_CLASS[base](tp, fn, fp, tn, fill), _OF_CLASS[base](tn, fp, fn, tp, fill)])
    weights = np.ones(both.shape) if average == "macro" else np.stack([tp + fn, tn + fp]).astype(float)
    defined = ~np.isnan(both)
    return _share((np.where(defined, both, 0) * weights).sum(axis=0), (defined * weights).sum(axis=0), np.nan)


# Parts of the data: each function returns rows of positives and negatives.


class Study(NamedTuple):
    """A data set, and how good a classifier is on it."""

    rng: np.random.Generator
    positives: int
    negatives: int
    recall: float
    specificity: float

    @property
    def total(self) -> int:
        """All cases."""
        return self.positives + self.negatives

    def tables(self, parts: Any, spread: float = 0.03) -> Tables:
        """Return a table for each part; the classifier is trained anew for each, and a little better or worse."""
        sizes = np.asarray(parts, dtype=np.int64).reshape(-1, 2)
        drift = self.rng.normal(0, spread, sizes.shape) if len(sizes) > 1 else 0.0
        rates = np.clip(np.array([self.recall, self.specificity]) + drift, 0.02, 0.995)
        right = self.rng.binomial(sizes, rates)
        return np.column_stack([right[:, 0], sizes[:, 0] - right[:, 0], sizes[:, 1] - right[:, 1], right[:, 1]])

    def labels(self) -> NDArray[np.int64]:
        """Return a one for each positive and a zero for each negative, in random order."""
        return self.rng.permutation(np.repeat([1, 0], [self.positives, self.negatives]))


def _counted(chunks: Iterable[NDArray[np.int64]]) -> list[tuple[int, int]]:
    return [(int(chunk.sum()), int(len(chunk) - chunk.sum())) for chunk in chunks]


def _one(study: Study) -> Tables:
    return study.tables((study.positives, study.negatives))


def _runs(number: int, study: Study) -> Tables:
    return study.tables([(study.positives, study.negatives)] * number)


def _stratified(number: int, study: Study) -> Tables:
    """Deal sorted labels in turns, as scikit-learn does."""
    first = int(study.rng.integers(2))
    sizes = (study.negatives, study.positives)
    order = np.repeat([first, 1 - first], [sizes[first], sizes[1 - first]])
    return study.tables(_counted(order[start::number] for start in range(number)))


def _dealt(number: int, study: Study) -> Tables:
    """Deal each class on its own, so that the first folds get one more of both."""
    deals = (np.array_split(np.arange(size), number) for size in (study.positives, study.negatives))
    return study.tables([(len(p), len(n)) for p, n in zip(*deals, strict=True)])


def _unstratified(number: int, study: Study) -> Tables:
    return study.tables(_counted(np.array_split(study.labels(), number)))


def _repeated(repeats: int, number: int, study: Study) -> Tables:
    return np.vstack([_stratified(number, study) for _ in range(repeats)])


def _groups(number: int, study: Study, evenness: float = 1.0) -> Tables:
    """Deal groups of very different sizes and shares of positives, none of them empty."""
    sizes = [
        study.rng.multinomial(size, study.rng.dirichlet([evenness] * number))
        for size in (study.positives, study.negatives)
    ]
    parts = np.column_stack(sizes)
    return study.tables(parts[parts.sum(axis=1) > 0], 0.08)


def _in_time(number: int, study: Study) -> Tables:
    """Cut a row of cases in which positives get more frequent, or rarer."""
    labels = study.labels()
    when = study.rng.random(study.total) + labels * study.rng.uniform(-0.5, 0.5)
    return study.tables(_counted(np.array_split(labels[np.argsort(when)], number)), 0.06)


def _splits(number: int, share: float, study: Study) -> Tables:
    size = max(round(share * study.total), 2)
    return study.tables(_counted(study.labels()[:size] for _ in range(number)))


def _stratified_splits(number: int, share: float, study: Study) -> Tables:
    part = [max(round(share * size), 1) for size in (study.positives, study.negatives)]
    return study.tables([part] * number)


def _bootstrap(number: int, study: Study) -> Tables:
    """Draw the cases of one test set again, with replacement."""
    table = _one(study)[0]
    drawn: Tables = study.rng.multinomial(study.total, table / study.total, size=number).astype(np.int64)
    return drawn


def _out_of_bag(number: int, study: Study) -> Tables:
    """Train on a sample drawn with replacement, and test on the cases that are not in it."""
    parts = []
    for _ in range(number):
        left = np.ones(study.total, dtype=bool)
        left[study.rng.integers(study.total, size=study.total)] = False
        parts.append(study.labels()[left])
    return study.tables(_counted(parts))


def _nested(number: int, study: Study) -> Tables:
    """Test on a part of the data, then on more and more of it."""
    parts = np.cumsum(_counted(np.array_split(study.labels(), number)), axis=0)
    return study.tables(parts)


class Protocol(NamedTuple):
    """How the numbers of a report came about."""

    name: str
    tables: Callable[[Study], Tables] = _one
    #: What is printed under a name, where it is another score.
    meant: Mapping[str, str] = {}
    #: Only one of these is meant otherwise.
    one_alone: bool = False
    over: Callable[..., Any] = np.nanmean
    #: Scores that must be reported; others are drawn.
    needs: Sequence[str] = ()
    #: F1 is computed from the averaged precision and recall.
    f1_of_means: bool = False
    #: What undefined scores are taken as; nan leaves them out.
    fill: float = 0.0
    cut: bool = False
    few_positives: bool = False
    #: How the protocol is said, where there is a way.
    said: Callable[[Tables], Mapping[str, Any]] | None = None

    def study(self, rng: np.random.Generator) -> Study:
        """Draw a data set and a classifier."""
        positives = rng.integers(4, 16) if self.few_positives else rng.integers(20, 201)
        return Study(rng, int(positives), int(rng.integers(20, 301)), rng.uniform(0.5, 0.95), rng.uniform(0.6, 0.98))

    def values(self, tables: Tables, names: Iterable[str], rng: np.random.Generator) -> dict[str, float]:
        """Return the scores of a report before they are rounded."""
        names = list(names)
        meant = {name: self.meant[name] for name in names if name in self.meant}
        if self.one_alone:
            alone = str(rng.choice(sorted(meant)))
            meant = {alone: meant[alone]}
        values = {name: float(self.over(scored(tables, meant.get(name, name), self.fill))) for name in names}
        if self.f1_of_means:
            both = values["precision"] + values["recall"]
            values["f1"] = 2 * values["precision"] * values["recall"] / both if both else 0.0
        return values


def _named(protocol: Protocol, rng: np.random.Generator, number: int | None = None) -> list[str]:
    """Draw which three or four scores are reported, at least one of those that are meant otherwise."""
    while True:
        names = list(protocol.needs)
        others = [name for name in rng.permutation(USUAL).tolist() if name not in names]
        names += others[: max((number or int(rng.integers(3, 5))) - len(names), 0)]
        if number is None and len(names) > len(protocol.needs) and rng.random() < 0.25:
            names[-1] = str(rng.choice([name for name in RARE if name not in names]))
        if not protocol.meant or set(names) & protocol.meant.keys():
            return names


def _printed(value: float, digits: int, *, cut: bool = False) -> str:
    return f"{np.floor(value * 10**digits + 1e-9) / 10**digits if cut else value:.{digits}f}"


def _set_rows(tables: Tables) -> dict[str, Any]:
    return {"sets": [(int(tp + fn), int(fp + tn)) for tp, fn, fp, tn in tables]}


def _runs_said(tables: Tables) -> dict[str, Any]:
    tp, fn, fp, tn = map(int, tables[0])
    return {"sets": [{"positives": tp + fn, "negatives": fp + tn, "repeats": len(tables)}]}


def _saying(**options: Any) -> Callable[[Tables], Mapping[str, Any]]:
    return lambda _: options


_MACRO: Final = {name: f"macro_{name}" for name in FAMILY}
_WEIGHTED: Final = {name: f"weighted_{name}" for name in FAMILY}
_FOLDS: Final = tuple((number, partial(_stratified, number)) for number in (3, 4, 5, 7, 10))

PROTOCOLS: Final = (
    Protocol("one test set", said=_saying(folds="none")),
    *(Protocol(f"mean of {k} runs", partial(_runs, k), said=_runs_said) for k in (3, 5, 10, 30)),
    *(Protocol(f"{k} stratified folds", tables, said=_saying(folds=k)) for k, tables in _FOLDS),
    Protocol("10 stratified folds of another tool", partial(_dealt, 10), said=_saying(folds=10)),
    *(Protocol(f"{k} unstratified folds", partial(_unstratified, k), said=_saying(folds=k)) for k in (5, 10)),
    *(Protocol(f"{k} unstratified folds, said so", partial(_unstratified, k), said=_saying(folds=f"{k} unstratified"))
      for k in (5, 10)),
    Protocol("10 folds, 5 times", partial(_repeated, 5, 10), said=_saying(folds=10, repeats=5)),
    Protocol("10 folds, 5 times, only the folds said", partial(_repeated, 5, 10), said=_saying(folds=10)),
    Protocol("one group left out", partial(_groups, 8), said=_set_rows),
    Protocol("5 folds of groups", partial(_groups, 5, evenness=3.0), said=_saying(folds=5)),
    Protocol("5 splits in time", partial(_in_time, 5), said=_saying(folds=5)),
    Protocol("5 random splits of 0.2", partial(_splits, 5, 0.2)),
    Protocol("5 stratified splits of 0.2", partial(_stratified_splits, 5, 0.2), said=_runs_said),
    Protocol("held out 0.2, sizes of the data", partial(_splits, 1, 0.2)),
    Protocol("bootstrap of 200", partial(_bootstrap, 200)),
    Protocol("out of bag, 50 samples", partial(_out_of_bag, 50)),
    Protocol("mean over 12 images", partial(_groups, 12, evenness=0.7), said=_set_rows),
    Protocol("mean over 12 images, undefined left out", partial(_groups, 12, evenness=0.7), fill=np.nan,
        said=_set_rows),
    Protocol("nested sets", partial(_nested, 4), said=_set_rows),
    Protocol("median of 10 folds", partial(_stratified, 10), over=np.nanmedian, said=_saying(folds=10)),
    Protocol("median of 5 runs", partial(_runs, 5), over=np.nanmedian),
    Protocol("best of 5 runs, each score", partial(_runs, 5), over=np.nanmax),
    Protocol("best of 10 folds, each score", partial(_stratified, 10), over=np.nanmax, said=_saying(folds=10)),
    Protocol("macro averages", meant=_MACRO, said=_saying(folds="none")),
    Protocol("weighted averages", meant=_WEIGHTED, said=_saying(folds="none")),
    Protocol("macro averages over 5 folds", partial(_stratified, 5), _MACRO, said=_saying(folds=5)),
    Protocol("weighted averages over 10 folds", partial(_stratified, 10), _WEIGHTED, said=_saying(folds=10)),
    Protocol("macro averages over 5 runs", partial(_runs, 5), _MACRO, said=_runs_said),
    Protocol("one score macro", meant=_MACRO, one_alone=True, needs=("recall",), said=_saying(folds="none")),
    Protocol("one score weighted", meant=_WEIGHTED, one_alone=True, needs=("precision",), said=_saying(folds="none")),
    Protocol("F1 of means over 5 folds", partial(_stratified, 5), needs=FAMILY, f1_of_means=True,
        said=_saying(folds=5)),
    Protocol("F1 of means over 10 folds", partial(_stratified, 10), needs=FAMILY, f1_of_means=True,
        said=_saying(folds=10)),
    Protocol("F1 of means over 5 runs", partial(_runs, 5), needs=FAMILY, f1_of_means=True, said=_runs_said),
    Protocol("macro F1 of macro P and R", meant=_MACRO, needs=FAMILY, f1_of_means=True, said=_saying(folds="none")),
    Protocol("macro F1 of macro P and R over 5 folds", partial(_stratified, 5), _MACRO, needs=FAMILY, f1_of_means=True,
        said=_saying(folds=5)),
    *(Protocol(f"undefined as {fill}, 10 folds, few positives", partial(_stratified, 10), fill=fill,
        few_positives=True, said=_saying(folds=10)) for fill in (0, 1)),
    Protocol("undefined left out, 10 folds, few positives", partial(_stratified, 10), fill=np.nan, few_positives=True,
        said=_saying(folds=10)),
    Protocol("undefined as 0, 10 unstratified folds", partial(_unstratified, 10), few_positives=True,
        said=_saying(folds=10)),
    Protocol("the other class beside specificity", meant={"precision": "npv", "f1": "f1_negative"},
        needs=("specificity", "precision", "f1"), said=_saying(folds="none")),
    Protocol("MCC mapped to 0 to 1", meant={"mcc": "mapped_mcc"}, needs=("mcc",), said=_saying(folds="none")),
    Protocol("balanced accuracy adjusted", meant={"balanced_accuracy": "adjusted_balanced_accuracy"},
        needs=("balanced_accuracy",), said=_saying(folds="none")),
    Protocol("G-mean of precision and recall", meant={"g_mean": "g_mean_of_precision"}, needs=("g_mean",),
        said=_saying(folds="none")),
    *(Protocol(f"{words} over 5 folds", partial(_stratified, 5), meant=meant, needs=needs, said=_saying(folds=5))
      for words, meant, needs in (
        ("the other class beside specificity", {"precision": "npv", "f1": "f1_negative"},
         ("specificity", "precision", "f1")),
        ("MCC mapped to 0 to 1", {"mcc": "mapped_mcc"}, ("mcc",)),
        ("balanced accuracy adjusted", {"balanced_accuracy": "adjusted_balanced_accuracy"}, ("balanced_accuracy",)),
        ("macro specificity", {"specificity": "macro_specificity"}, ("specificity", "recall")),
      )),
    Protocol("macro specificity", meant={"specificity": "macro_specificity"}, needs=("specificity", "recall"),
        said=_saying(folds="none")),
    Protocol("undefined as 1", few_positives=True, fill=1.0, said=_saying(folds="none")),
    Protocol("weighted F1 of weighted P and R", meant=_WEIGHTED, needs=FAMILY, f1_of_means=True,
        said=_saying(folds="none")),
    Protocol("macro averages, bootstrap of 200", partial(_bootstrap, 200), _MACRO),
    Protocol("balanced accuracy beside few positives, 10 folds", partial(_stratified, 10), few_positives=True,
        needs=("balanced_accuracy",), said=_saying(folds=10)),
    Protocol("MCC beside few positives, 10 folds", partial(_stratified, 10), few_positives=True, needs=("mcc",),
        said=_saying(folds=10)),
    Protocol("digits cut off", cut=True, said=_saying(folds="none")),
    Protocol("digits cut off, 5 folds", partial(_stratified, 5), cut=True, said=_saying(folds=5)),
)  # fmt: skip


# The same for three to six classes. A table has a row for each actual class.


class ClassStudy(NamedTuple):
    """A data set of several classes, and how often a classifier takes one for another."""

    rng: np.random.Generator
    sizes: Tables
    rates: Floats

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> ClassStudy:
        """Draw sizes, and a classifier that finds each class more or less often."""
        number = int(rng.integers(3, 7))
        right, wrong = rng.uniform(0.4, 0.95, number), rng.dirichlet([1.0] * (number - 1), number)
        rates = np.array([np.insert(wrong[i] * (1 - right[i]), i, right[i]) for i in range(number)])
        return cls(rng, rng.integers(15, 151, number), rates)

    def tables(self, parts: Any) -> Tables:
        """Return a table for each part, given by the cases of each class."""
        rates = [self.rates] if len(parts) == 1 else [self.trained() for _ in parts]
        return np.array([[self.rng.multinomial(n, row) for n, row in zip(part, rate, strict=True)]
                         for part, rate in zip(parts, rates, strict=True)])  # fmt: skip

    def trained(self) -> Floats:
        """Return the rates of a classifier that was trained anew."""
        drawn = self.rates * self.rng.lognormal(0, 0.15, self.rates.shape)
        rates: Floats = drawn / drawn.sum(axis=1, keepdims=True)
        return rates


def _class_runs(number: int, study: ClassStudy) -> Tables:
    return study.tables([study.sizes] * number)


def _class_folds(number: int, study: ClassStudy) -> Tables:
    """Deal sorted labels in turns."""
    labels = np.repeat(np.arange(len(study.sizes)), study.sizes)
    return study.tables([np.bincount(labels[i::number], minlength=len(study.sizes)) for i in range(number)])


def _class_unstratified(number: int, study: ClassStudy) -> Tables:
    labels = study.rng.permutation(np.repeat(np.arange(len(study.sizes)), study.sizes))
    parts = np.array_split(labels, number)
    return study.tables([np.bincount(part, minlength=len(study.sizes)) for part in parts])


def _class_bootstrap(number: int, study: ClassStudy) -> Tables:
    table = study.tables([study.sizes])[0]
    drawn = study.rng.multinomial(table.sum(), table.ravel() / table.sum(), size=number)
    return drawn.reshape(number, *table.shape).astype(np.int64)


def _kappa(table: Tables, power: int) -> float:
    """Return kappa with weights of distances between classes: none, linear or quadratic."""
    places = np.arange(len(table))
    off = np.abs(places[:, None] - places)
    weights = (off > 0).astype(float) if power == 0 else off.astype(float) ** power
    chance = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(1 - (weights * table).sum() / (weights * chance).sum())


def class_scored(table: Tables, name: str, fill: float = 0.0) -> float:
    """Return a score of a table of several classes; ``recall[2]`` is that of one class."""
    right, cases, predicted, total = np.diag(table), table.sum(axis=1), table.sum(axis=0), int(table.sum())
    of_classes = {
        "recall": _share(right, cases, fill), "precision": _share(right, predicted, fill),
        "f1": _share(2 * right, cases + predicted, fill),
        "specificity": _share(total - cases - predicted + right, total - cases, fill),
        "accuracy": (total - cases - predicted + 2 * right) / total,
    }  # fmt: skip
    base, _, place = name.partition("[")
    if place:
        return float(of_classes[base][int(place[:-1])])
    average, _, of_class = name.partition("_")
    if average in ("macro", "weighted"):
        each = of_classes[of_class]
        weights = np.where(np.isnan(each), 0, cases if average == "weighted" else 1.0)
        return float((np.nan_to_num(each) * weights).sum() / weights.sum())
    balanced = float(np.mean((right / np.maximum(cases, 1))[cases > 0]))
    root = np.sqrt(float(total**2 - (predicted**2).sum()) * float(total**2 - (cases**2).sum()))
    mcc = (right.sum() * total - (cases * predicted).sum()) / root if root else 0.0
    whole = {"accuracy": right.sum() / total, "balanced_accuracy": balanced, "mcc": mcc, "mapped_mcc": (mcc + 1) / 2}
    whole["adjusted_balanced_accuracy"] = (balanced - 1 / len(table)) / (1 - 1 / len(table))
    kappas = {"kappa": 0, "linear_kappa": 1, "quadratic_kappa": 2}
    return float(_kappa(table, kappas[name]) if name in kappas else whole[name])


class ClassProtocol(NamedTuple):
    """How the numbers of a report about several classes came about."""

    name: str
    tables: Callable[[ClassStudy], Tables] = partial(_class_runs, 1)
    average: str = "macro"
    #: What is reported beside accuracy, and the score that is meant, where its name says another.
    names: Sequence[str] = FAMILY
    meant: Mapping[str, str] = {}
    f1_of_means: bool = False
    fill: float = 0.0
    cut: bool = False
    #: How the protocol is said beside the averages; None where there is no way.
    said: Mapping[str, Any] | None = None

    def question(self, rng: np.random.Generator) -> dict[str, dict[str, Any]]:
        """Return what is asked in each way."""
        study, digits = ClassStudy.drawn(rng), int(rng.integers(3, 5))
        tables = self.tables(study)
        named = {name: f"{self.average}_{name}" if name in FAMILY else name for name in ("accuracy", *self.names)}
        values = {
            name: float(np.nanmean([class_scored(table, self.meant.get(name, full), self.fill) for table in tables]))
            for name, full in named.items()
        }
        if self.f1_of_means:
            values["f1"] = 2 * values["precision"] * values["recall"] / (values["precision"] + values["recall"])
        bare = {name: _printed(value, digits, cut=self.cut) for name, value in values.items()}
        # Who calls a weighted precision macro is wrong about it: such a score keeps its bare name.
        full = {name if name in self.meant and name in FAMILY else named[name]: text for name, text in bare.items()}
        classes = {"classes": study.sizes.tolist()}
        asked = {"unsaid": classes | bare, "named": classes | full}
        if self.said is not None:
            asked["said"] = classes | full | dict(self.said)
        if not any("[" in name for name in full):
            asked |= {"no sizes": bare, "no sizes, named": full}
        return asked


_ONE: Final = {"folds": "none"}
_PER_CLASS: Final = ("recall[0]", "precision[0]", "f1[0]", "recall[1]", "precision[1]", "recall[2]", "f1")

CLASS_PROTOCOLS: Final = (
    *(ClassProtocol(f"classes: {a} averages", average=a, said=_ONE) for a in ("macro", "weighted")),
    ClassProtocol("classes: some of each class", names=_PER_CLASS, said=_ONE),
    *(ClassProtocol(f"classes: {a} averages, {k} runs", partial(_class_runs, k), a, said={"runs": k})
      for a, k in (("macro", 3), ("macro", 5), ("weighted", 10))),
    *(ClassProtocol(f"classes: {a} averages, {k} folds", partial(_class_folds, k), a, said={"folds": k})
      for a, k in (("macro", 5), ("weighted", 10))),
    ClassProtocol("classes: macro averages, 5 folds, not stratified", partial(_class_unstratified, 5),
        said={"folds": 5}),
    ClassProtocol("classes: some of each class, 5 runs", partial(_class_runs, 5), names=_PER_CLASS, said={"runs": 5}),
    ClassProtocol("classes: some of each class, 5 folds", partial(_class_folds, 5), names=_PER_CLASS,
        said={"folds": 5}),
    ClassProtocol("classes: bootstrap of 200", partial(_class_bootstrap, 200)),
    ClassProtocol("classes: macro F1 of macro P and R", f1_of_means=True, said=_ONE),
    ClassProtocol("classes: weighted F1 of weighted P and R", average="weighted", f1_of_means=True, said=_ONE),
    ClassProtocol("classes: macro F1 of means over 5 folds", partial(_class_folds, 5), f1_of_means=True,
        said={"folds": 5}),
    *(ClassProtocol(f"classes: {word} weighted kappa", names=("kappa", "recall", "f1"),
        meant={"kappa": f"{word}_kappa"}, said=_ONE) for word in ("linear", "quadratic")),
    ClassProtocol("classes: quadratic weighted kappa, 5 runs", partial(_class_runs, 5),
        names=("kappa", "recall", "f1"), meant={"kappa": "quadratic_kappa"}, said={"runs": 5}),
    ClassProtocol("classes: accuracy of one against the rest", meant={"accuracy": "macro_accuracy"}, said=_ONE),
    ClassProtocol("classes: accuracy of one against the rest, 5 runs", partial(_class_runs, 5),
        meant={"accuracy": "macro_accuracy"}, said={"runs": 5}),
    ClassProtocol("classes: MCC mapped to 0 to 1", names=("mcc", "recall"), meant={"mcc": "mapped_mcc"}, said=_ONE),
    ClassProtocol("classes: balanced accuracy adjusted", names=("balanced_accuracy", "precision", "f1"),
        meant={"balanced_accuracy": "adjusted_balanced_accuracy"}, said=_ONE),
    ClassProtocol("classes: undefined as 1, 10 folds", partial(_class_folds, 10), fill=1.0, said={"folds": 10}),
    ClassProtocol("classes: digits cut off", cut=True, said=_ONE),
    ClassProtocol("classes: digits cut off, weighted", average="weighted", cut=True, said=_ONE),
    ClassProtocol("classes: precision weighted, others macro", meant={"precision": "weighted_precision"}, said=_ONE),
    ClassProtocol("classes: macro specificity", names=("specificity", "recall", "f1"),
        meant={"specificity": "macro_specificity"}, said=_ONE),
)  # fmt: skip
EVERY: Final[tuple[Protocol | ClassProtocol, ...]] = (*PROTOCOLS, *CLASS_PROTOCOLS)
WAYS: Final = ("unsaid", "named", "said", "no sizes", "no sizes, named")


def questions(protocol: Protocol | ClassProtocol, rng: np.random.Generator) -> dict[str, dict[str, Any]]:
    """Return an honest report, as it is asked about in each way."""
    if isinstance(protocol, ClassProtocol):
        return protocol.question(rng)
    study = protocol.study(rng)
    tables, digits = protocol.tables(study), int(rng.integers(3, 5))
    values = protocol.values(tables, _named(protocol, rng), rng)
    scores = {name: _printed(value, digits, cut=protocol.cut) for name, value in values.items()}
    sizes = {"positives": study.positives, "negatives": study.negatives}
    asked: dict[str, dict[str, Any]] = {"unsaid": sizes | scores, "no sizes": dict(scores)}
    if protocol.said is not None:
        said = protocol.said(tables)
        asked["said"] = (scores if "sets" in said else sizes | scores) | dict(said)
    return asked


class Answer(NamedTuple):
    """What an honest report was called, and how long that took."""

    protocol: str
    way: str
    verdict: str
    seconds: float
    call: str
    trace: str = ""


def _call(question: Mapping[str, Any]) -> str:
    given = ", ".join(f"{name}={value!r}" for name, value in question.items())
    return f'ff.recover({given}, bounds="none")'


def ask(protocol: str, way: str, question: Mapping[str, Any]) -> Answer:
    """Ask, and take the time."""
    start, trace = time.perf_counter(), ""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            verdict: str = ff.recover(bounds="none", **question).verdict
        except Exception:  # whatever it is, the run goes on and shows it
            verdict, trace = "error", traceback.format_exc(limit=-3)
    trace += "".join(dict.fromkeys(f"{each.filename}:{each.lineno}: {each.message}\n" for each in warned))
    return Answer(protocol, way, verdict, time.perf_counter() - start, _call(question), trace)


def _asked(seed: int, place: int, number: int, ways: Sequence[str]) -> list[Answer]:
    protocol = EVERY[place]
    asked = questions(protocol, np.random.default_rng([seed, place, number]))
    return [ask(protocol.name, way, asked[way]) for way in ways if way in asked]


def honest(count: int, seed: int, jobs: int, named: str = "", ways: Sequence[str] = WAYS) -> None:
    """Ask about so many honest reports of each protocol, and tell what they were called."""
    places = [i for i, each in enumerate(EVERY) if named.lower() in each.name.lower()]
    print(f"{count} honest reports of each of {len(places)} protocols, seed {seed}.\n")
    heads = ["protocol", "asked", *VERDICTS, "median", "95 %", "longest"]
    widths = [50, 15, *map(len, VERDICTS), 9, 9, 9]
    _print_row(heads, widths)
    _print_row(["-" * width for width in widths], widths)
    answers: list[Answer] = []
    # What is imported when it is first needed does not count.
    _many(_asked, [(0, 0, number, WAYS) for number in range(4 * jobs)], jobs)
    for place in places:
        found = _many(_asked, [(seed, place, number, ways) for number in range(count)], jobs)
        some = [each for few in found for each in few]
        answers += some
        for way in ways:
            if of_way := [each for each in some if each.way == way]:
                _print_row(_row(some[0].protocol, way, of_way), widths)
        _show(some, ("impossible", "error"))
    for way in ways:
        _print_row(_row("all", way, [each for each in answers if each.way == way]), widths)
    print(flush=True)


def _show(answers: Iterable[Answer], verdicts: Sequence[str]) -> None:
    """Show the calls with such an answer, those that took long and those with a warning, beside the table."""
    for each in answers:
        if each.verdict in verdicts or each.seconds > LONG or each.trace:
            print(f"{each.protocol}, {each.way}: {each.verdict} in {each.seconds:.2f} s: {each.call}", file=sys.stderr)
            print("".join(f"   {line}\n" for line in each.trace.splitlines()), end="", file=sys.stderr, flush=True)


def _row(name: str, way: str, answers: Sequence[Answer]) -> list[str]:
    called = Counter(each.verdict for each in answers)
    times = [each.seconds for each in answers] or [0.0]
    taken = (*np.quantile(times, [0.5, 0.95]), max(times))
    return [name, way, *(str(called[verdict] or "") for verdict in VERDICTS), *(f"{value:.3f} s" for value in taken)]


def _print_row(row: Sequence[str], widths: Sequence[int]) -> None:
    """Print a line that reads well as it is, and as Markdown."""
    print("| " + " | ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)) + " |", flush=True)


# The second part: what is noticed of a score that was moved.


def _moved(seed: int, folds: int, number: int, move: float) -> tuple[list[Answer], bool | None]:
    """Move one of four scores, and ask; the peer is asked where it knows such reports."""
    rng = np.random.default_rng([seed, folds, number, round(1000 * move)])
    protocol = Protocol("one test set") if folds == 1 else Protocol("folds", partial(_stratified, folds))
    study = protocol.study(rng)
    values = protocol.values(protocol.tables(study), _named(protocol, rng, 4), rng)
    name, sign = str(rng.choice(list(values))), int(rng.choice([-1, 1]))
    sign = sign if 0 <= values[name] + sign * move <= 1 else -sign
    scores = {each: _printed(value + sign * move * (each == name), 3) for each, value in values.items()}
    asked = {"positives": study.positives, "negatives": study.negatives} | scores
    said = {"folds": "none" if folds == 1 else folds}
    answers = [ask(f"{move:g}", "unsaid", asked), ask(f"{move:g}", "said", asked | said)]
    return answers, _peer(study, scores) if folds == 1 and find_spec("mlscorecheck") else None


def _peer(study: Study, scores: Mapping[str, str]) -> bool:
    """Tell whether mlscorecheck calls the scores of one test set inconsistent."""
    from mlscorecheck.check.binary import check_1_testset_no_kfold

    logging.disable(logging.CRITICAL)
    given = {PEER[name]: float(text) for name, text in scores.items()}
    testset = {"p": study.positives, "n": study.negatives}
    found = check_1_testset_no_kfold(testset=testset, scores=given, eps=5e-4)
    logging.disable(logging.NOTSET)
    return bool(found["inconsistency"])


def power(count: int, seed: int, jobs: int) -> None:
    """Tell how many reports with one moved score are called impossible or unexplained."""
    print(f"One of four scores of {count} honest reports moved, three digits: shares called impossible, unexplained.\n")
    rows, answers = [], []
    for folds, what in ((1, "one test set"), (10, "10 stratified folds")):
        for move in MOVES:
            found = _many(_moved, [(seed, folds, number, move) for number in range(count)], jobs)
            shares = []
            for way in ("unsaid", "said"):
                of_way = [each for some, _ in found for each in some if each.way == way]
                answers += of_way
                shares += [_share_of(each.verdict == verdict for each in of_way)
                           for verdict in ("impossible", "unexplained")]  # fmt: skip
            peer = [called for _, called in found if called is not None]
            rows.append([what, f"{move:g}", *shares, _share_of(peer) if peer else ""])
    heads = ["impossible, unsaid", "unexplained, unsaid", "impossible, said", "unexplained, said", "mlscorecheck, said"]
    _print_table(["protocol", "moved by", *heads], rows)
    times = [each.seconds for each in answers]
    median, most = np.quantile(times, [0.5, 0.95])
    print(f"median {median:.3f} s, 95 % {most:.3f} s, longest {max(times):.3f} s")
    _show(answers, ("error",))


def _share_of(called: Iterable[bool]) -> str:
    return f"{100 * float(np.mean(list(called))):.0f} %"


def _many(what: Callable[..., Any], work: Sequence[tuple[Any, ...]], jobs: int) -> list[Any]:
    found: list[Any] = Parallel(n_jobs=jobs)(delayed(what)(*each) for each in work)
    return found


def _print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, ["-" * width for width in widths], *rows):
        _print_row(row, widths)
    print(flush=True)


def run(count: int = 10) -> None:
    """Make a few reports of each."""
    honest(count, 1, 1)
    power(count, 1, 1)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks protocols", description=(__doc__ or "").split("\n\n")[0]
    )
    add = parser.add_argument
    add("--count", type=int, default=200, help="how many reports of each protocol (default 200)")
    add("--seed", type=int, default=1, help="what the reports are drawn from (default 1)")
    add("--jobs", type=int, default=1, help="how many processes (default 1)")
    add("--part", choices=("honest", "power", "both"), default="both", help="which part (default both)")
    add("--protocol", default="", help="only protocols whose name holds this")
    add("--way", choices=WAYS, action="append", help="how to ask; may be given several times (default all)")
    typed = parser.parse_args(arguments)
    if typed.part != "power":
        honest(typed.count, typed.seed, typed.jobs, typed.protocol, typed.way or WAYS)
    if typed.part != "honest":
        power(typed.count, typed.seed, typed.jobs)


if __name__ == "__main__":
    main()
