"""All k-by-k tables of some class sizes, and scores of each class, averages and k-class forms at all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import isqrt
from typing import Any, Final, NamedTuple

import numpy as np

from .printed import Said, said_by
from .scores import COUNTS, FILLS, Ints, Meant, Values, fill_of, filled

_SAFE: Final = 2**60
_OF_ALL: Final = ("accuracy", "inaccuracy", "correct", "wrong", "kappa", "mcc", "balanced_accuracy")


class ClassMeant(NamedTuple):
    """A score: its id, and the place of its class, or the average over all; neither for a score of all classes."""

    id: str
    place: int | None = None
    average: str = ""


class ClassClaimed(NamedTuple):
    """One claim: the name it is given under, the score meant, what is said, and whether its name says no average."""

    name: str
    meant: ClassMeant
    said: Said
    bare: bool = False
    text: str = ""
    rounding: str = "any"

    def in_single(self) -> ClassClaimed:
        """Return it as it reads if it was computed to about seven digits before it was rounded."""
        if not self.text:
            return self
        return self._replace(said=said_by(self.text, self.rounding, single=True))

    def cut_off(self) -> ClassClaimed:
        """Return it as it reads if its decimals were cut off; a rounding that is said is kept."""
        if not self.text or self.rounding != "any":
            return self
        return self._replace(said=said_by(self.text, "truncate"), rounding="truncate")


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write a number as a sum of so many numbers."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


class Margins:
    """Many sets of margins: sizes, right and predicted cases, a row a class and a column a set; and all their cases."""

    def __init__(self, sizes: Ints, right: Ints, predicted: Ints, cases: Ints, *, several: bool = False) -> None:
        self.sizes, self.right, self.predicted, self.cases = sizes, right, predicted, cases
        #: Whether a case can have several labels.
        self.several = several
        self.known: dict[tuple[ClassMeant, str], Values | None] = {}

    def __len__(self) -> int:
        return len(self.cases)

    def cells(self, place: int) -> tuple[Ints, Ints, Ints, Ints]:
        """Return the table of one class against the rest."""
        tp = self.right[place]
        fn, fp = self.sizes[place] - tp, self.predicted[place] - tp
        return tp, fn, fp, self.cases - tp - fn - fp

    def values(self, meant: ClassMeant, undefined: str) -> Values | None:
        """Return a score at all margins; None where it has no meaning."""
        if (meant, undefined) not in self.known:
            self.known[meant, undefined] = self._values(meant, undefined)
        return self.known[meant, undefined]

    def _values(self, meant: ClassMeant, undefined: str) -> Values | None:
        if meant.place is not None:
            own = Meant(meant.id).values(*self.cells(meant.place), "none")
            return filled(own, fill_of(meant.id, undefined))
        if meant.average == "micro":
            columns = [sum(part) for part in zip(*(self.cells(c) for c in range(len(self.sizes))), strict=True)]
            tp, fn, fp, tn = (np.asarray(column) for column in columns)
            return filled(Meant(meant.id).values(tp, fn, fp, tn, "none"), FILLS.get(undefined))
        if meant.average or meant.id == "balanced_accuracy":
            return self._mean(meant.id if meant.average else "recall", meant.average or "macro", undefined)
        if self.several:
            return None
        return self._of_all(meant.id, undefined)

    def _mean(self, base: str, average: str, undefined: str) -> Values:
        top: Ints = np.zeros(len(self), dtype=object)
        bottom: Ints = np.ones(len(self), dtype=object)
        whole: Ints = np.zeros(len(self), dtype=object)
        every = np.ones(len(self), dtype=bool)
        for place in range(len(self.sizes)):
            own = Meant(base).values(*self.cells(place), "none")
            assert own.form == "ratio"
            weight = self.sizes[place] if average == "weighted" else np.ones(len(self), dtype=np.int64)
            part = np.where(own.defined, own.top, FILLS.get(undefined, 0))
            share = np.where(own.defined, own.bottom, 1)
            top, bottom = top * share + part.astype(object) * weight * bottom, bottom * share
            whole = whole + (weight if undefined in FILLS else np.where(own.defined, weight, 0))
            every &= own.defined
        defined = np.asarray(whole > 0, dtype=bool) & (every if undefined == "none" else True)
        return _narrowed("ratio", top, np.where(defined, bottom * whole, 1), defined)

    def _of_all(self, name: str, undefined: str) -> Values:
        right, cases = self.right.sum(axis=0), self.cases
        chance = (self.sizes * self.predicted).sum(axis=0)
        square = cases * cases
        split = (square - (self.sizes**2).sum(axis=0)) * (square - (self.predicted**2).sum(axis=0))
        off = cases * right - chance
        ones = np.ones_like(right)
        forms: dict[str, tuple[Any, Ints, Ints]] = {
            "accuracy": ("ratio", right, cases),
            "inaccuracy": ("ratio", cases - right, cases),
            "correct": ("ratio", right, ones),
            "wrong": ("ratio", cases - right, ones),
            "kappa": ("ratio", off, square - chance),
            "mcc": ("root", off * np.abs(off), split),
        }
        form, top, bottom = forms[name]
        return filled(Values(form, top, bottom, bottom != 0), fill_of(name, undefined))


class ClassWorld(Margins):
    """All k-by-k tables of some sizes, by their margins.

    With several labels a case there are no tables: each class has its own right and false predictions.
    """

    def __init__(self, every: Sequence[tuple[int, ...]], *, labels: int | None = None) -> None:
        k = len(every[0])
        margins: dict[tuple[int, ...], int] = {}
        self.tables: list[tuple[int, Ints]] = []
        for sizes in every:
            if labels is not None:
                for row in _of_several_labels(sizes, labels):
                    margins.setdefault(row, len(margins))
                continue
            matrices = _matrices(sizes)
            parts = matrices.sum(axis=2), np.diagonal(matrices, axis1=1, axis2=2), matrices.sum(axis=1)
            places = [margins.setdefault(tuple(row), len(margins)) for row in np.concatenate(parts, axis=1).tolist()]
            self.tables += list(zip(places, matrices, strict=True))
        own, right, predicted = np.split(np.array(list(margins), dtype=np.int64).reshape(-1, 3 * k).T, 3)
        cases = np.full(len(margins), labels) if labels is not None else own.sum(axis=0)
        super().__init__(own, right, predicted, cases, several=labels is not None)
        #: Where each set of margins stands.
        self.place = margins


def _narrowed(form: Any, top: Ints, bottom: Ints, defined: Ints) -> Values:
    """Return values as machine integers where they are small enough."""
    largest = max(int(np.abs(top).max(initial=0)), int(np.abs(bottom).max(initial=0)))
    if largest < _SAFE:
        top, bottom = top.astype(np.int64), bottom.astype(np.int64)
    return Values(form, top, bottom, defined)


@lru_cache(maxsize=64)
def _rows(size: int, k: int) -> Ints:
    return np.array(list(compositions(size, k)), dtype=np.int64)


def _matrices(sizes: tuple[int, ...]) -> Ints:
    """Return all k-by-k tables with rows of some sums."""
    rows = [_rows(size, len(sizes)) for size in sizes]
    grid = np.indices([len(own) for own in rows]).reshape(len(rows), -1)
    return np.stack([own[places] for own, places in zip(rows, grid, strict=True)], axis=1)


def number_of_tables(sizes: Sequence[int]) -> int:
    """Return how many k-by-k tables have rows of some sums."""
    number = 1
    for size in sizes:
        number *= len(_rows(size, len(sizes)))
    return number


def _of_several_labels(sizes: tuple[int, ...], cases: int) -> Iterator[tuple[int, ...]]:
    """Yield all margins where each class is a test of its own."""
    own = [[(tp, tp + fp) for tp in range(size + 1) for fp in range(cases - size + 1)] for size in sizes]
    for chosen in product(*own):
        yield (*sizes, *(tp for tp, _ in chosen), *(q for _, q in chosen))


@lru_cache(maxsize=200)
def class_world(every: tuple[tuple[int, ...], ...]) -> ClassWorld:
    """Return all tables of some sizes, kept for the next report about them."""
    return ClassWorld(every)


@lru_cache(maxsize=30)
def world_of_labels(sizes: tuple[int, ...], cases: int) -> ClassWorld:
    """Return all margins of classes with several labels a case."""
    return ClassWorld([sizes], labels=cases)


def fitting_classes(where: ClassWorld, claims: Sequence[ClassClaimed], undefined: str) -> Ints:
    """Tell of all margins whether they fit claims."""
    fits = np.ones(len(where), dtype=bool)
    for claim in claims:
        values = where.values(claim.meant, undefined)
        if values is None:
            return np.zeros(len(where), dtype=bool)
        fits &= values.within(*claim.said)
    return fits


def meant_of(name: str, labels: Sequence[str]) -> tuple[ClassMeant, bool]:
    """Return what a name says, and whether it says neither a class nor an average."""
    base, _, place = name.partition("[")
    if place:
        return ClassMeant(base, list(labels).index(place.removesuffix("]"))), False
    average, _, rest = name.partition("_")
    if average in ("macro", "weighted", "micro"):
        return ClassMeant(rest, None, average), False
    if name in _OF_ALL:
        return ClassMeant(name), False
    assert name not in COUNTS, name
    return ClassMeant(name, None, "macro"), True


def value_of_matrix(matrix: Sequence[Sequence[int]], meant: ClassMeant, undefined: str) -> Fraction | None:
    """Return a score of one table; roots with many digits. None where it is undefined."""
    table = np.array(matrix, dtype=object)
    parts = table.sum(axis=1), np.diagonal(table), table.sum(axis=0)
    sizes, right, predicted = (part.reshape(-1, 1) for part in parts)
    values = Margins(sizes, right, predicted, sizes.sum(axis=0)).values(meant, undefined)
    if values is None or not bool(values.defined[0]):
        return None
    key = values.key(0)
    assert isinstance(key, Fraction)
    if values.form == "ratio":
        return key
    root = Fraction(isqrt(int(abs(key) * 10**60)), 10**30)
    return -root if key < 0 else root
