"""Probabilities split into what is certain and what is not, against sums of fractions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import Any, Final

import numpy as np

import fourfold as ff

from .class_tables import ClassMeant, meant_of, value_of_matrix
from .running import Attack, Case, expect

_CLOSE: Final = 1e-9
_METRICS: Final = ("accuracy", "kappa", "mcc", "balanced_accuracy", "macro_f1", "weighted_precision", "micro_jaccard")
_OF_CLASS: Final = ("recall", "precision", "f1")
_MATRICES: Final = ("hard", "soft", "certain", "uncertain")

_Matrix = list[list[Fraction]]


def whole_numbers(matrix: _Matrix) -> list[list[int]]:
    """Return a matrix as whole numbers, all multiplied by the same: scores stay as they are."""
    factor = math.lcm(*(cell.denominator for row in matrix for cell in row))
    return [[int(cell * factor) for cell in row] for row in matrix]


class CertaintyAttack(Attack):
    """Rows of probabilities with their labels, and what is made of them."""

    what = "decompositions"

    def make(self, random: Random) -> Case:
        """Make some rows."""
        k = random.choice([2, 2, 3, 4])
        rows = []
        for _ in range(random.choice([1, 2, 4, 8, 20])):
            parts = [random.choice([0, 1, 2, 3, random.randint(0, 12)]) for _ in range(k)]
            parts = parts if sum(parts) else [1] * k
            rows.append([f"{Fraction(part, sum(parts))}" for part in parts])
        case: Case = {"truth": [random.randrange(k) for _ in rows], "rows": rows}
        if random.random() < 0.3:
            case["prediction"] = [random.randrange(k) for _ in rows]
        if random.random() < 0.2:
            case["weights"] = [random.randint(0, 3) for _ in rows]
        if random.random() < 0.3:
            case["by"] = [random.choice("xyz") for _ in rows]
        case["convention"] = random.choice(["strict", "strict", "paper"])
        return case

    def judge(self, case: Case) -> str:
        """Decompose the rows, and add them up in fractions."""
        if case.get("weights") and not any(case["weights"]):
            return "no weight"
        found = _decomposed(case)
        every = range(len(case["rows"]))
        _Rows(case, every).check(found)
        for name, part in found.parts.items():
            _Rows(case, [i for i in every if case["by"][i] == name]).check(part)
        if found.parts:
            _check_mean(found, case)
        return "with parts" if found.parts else "one part"

    def smaller(self, case: Case) -> Iterator[Case]:
        """Leave out rows."""
        columns = [name for name in ("truth", "rows", "prediction", "weights", "by") if name in case]
        for place in range(len(case["rows"])):
            if len(case["rows"]) > 1:
                yield {**case, **{name: case[name][:place] + case[name][place + 1 :] for name in columns}}


def _decomposed(case: Case) -> Any:
    options = {name: case[name] for name in ("prediction", "weights", "by") if name in case}
    by = options.get("by")
    if by is not None and "weights" in options:
        # A part without any weight is refused, and rightly so.
        known = {name for name, weight in zip(by, options["weights"], strict=True) if weight}
        if known != set(by):
            del options["by"]
    probabilities = np.array([[float(Fraction(cell)) for cell in row] for row in case["rows"]])
    return ff.decompose(case["truth"], probabilities, list(range(len(case["rows"][0]))), **options)


class _Rows:
    """Some rows of a case, added up in fractions."""

    def __init__(self, case: Case, places: Sequence[int]) -> None:
        self.case = case
        self.k = len(case["rows"][0])
        self.hard, self.certain, self.uncertain = ([[Fraction(0)] * self.k for _ in range(self.k)] for _ in "hcu")
        self.tied = 0
        for i in places:
            self._add(i)
        pairs = zip(self.certain, self.uncertain, strict=True)
        self.soft = [[a + b for a, b in zip(one, other, strict=True)] for one, other in pairs]

    def _add(self, i: int) -> None:
        row = [float(Fraction(cell)) for cell in self.case["rows"][i]]
        actual, weight = self.case["truth"][i], self.case.get("weights", [1] * (i + 1))[i]
        if "prediction" in self.case:
            predicted = self.case["prediction"][i]
        else:
            predicted = row.index(max(row))
            self.tied += row.count(max(row)) > 1
        self.hard[actual][predicted] += weight
        for place, share in enumerate(self.case["rows"][i]):
            part = self.certain if place == predicted else self.uncertain
            part[actual][place] += Fraction(share) * weight

    def check(self, found: Any) -> None:
        """Compare matrices, weights, ties, divergence and ratios."""
        for name in _MATRICES:
            right = [[float(cell) for cell in row] for row in getattr(self, name)]
            expect(np.allclose(getattr(found, name).values, right, rtol=0, atol=_CLOSE), name, right)
        expect(found.tied == self.tied, "tied rows", found.tied, self.tied)
        mass = [sum(map(sum, part)) for part in (self.certain, self.soft)]
        expect(abs(found.weight_certain - float(mass[0] / mass[1])) < _CLOSE, "weight", found.weight_certain)
        off = sum(
            (a - b) ** 2
            for one, other in zip(self.hard, self.soft, strict=True)
            for a, b in zip(one, other, strict=True)
        )
        divergence = math.sqrt(off) / float(sum(map(sum, self.hard)))
        expect(abs(found.divergence - divergence) < _CLOSE, "divergence", found.divergence, divergence)
        for name in _METRICS:
            self._ratio(found, name)
        for name in _OF_CLASS:
            for place, ratio in found.class_ratios(name, convention=self.case["convention"]).items():
                self._compare(f"{name}[{place}]", ratio, ClassMeant(name, int(place)))

    def _ratio(self, found: Any, name: str) -> None:
        average, _, base = name.partition("_")
        options: dict[str, Any] = {"convention": self.case["convention"]}
        if average in ("macro", "weighted", "micro"):
            self._compare(name, found.ratio(base, average=average, **options), meant_of(name, ())[0])
        else:
            self._compare(name, found.ratio(name, **options), meant_of(name, ())[0])

    def _compare(self, name: str, ratio: Any, meant: ClassMeant) -> None:
        values = {part: value_of_matrix(whole_numbers(getattr(self, part)), meant, "none") for part in _MATRICES}
        for part, value in values.items():
            given = getattr(ratio, part)
            expect((given is None) == (value is None), f"{part} {name}", given, value)
            expect(value is None or abs(given - float(value)) < _CLOSE, f"{part} {name}", given, value)
        first, second = values["certain"], values["uncertain"]
        if self.case["convention"] == "paper":
            first, second = first or Fraction(0), second or Fraction(0)
        if first is None or second is None or abs(first + second) < Fraction(1, 10**11):
            small = first is not None and second is not None and first + second
            expect(ratio.value is None or small, f"ratio of {name}", ratio.value, first, second)
            return
        right = float(first / (first + second))
        expect(
            ratio.value is not None and abs(ratio.value - right) <= 1e-7 * max(1, abs(right)),
            f"ratio of {name}",
            ratio.value,
            right,
        )


def _check_mean(found: Any, case: Case) -> None:
    """Check the mean over parts of those that have a value."""
    over = found.over_parts("accuracy", convention=case["convention"])
    values = []
    for name in found.parts:
        rows = _Rows(case, [i for i, part in enumerate(case["by"]) if part == name])
        meant = ClassMeant("accuracy")
        first, second = (value_of_matrix(whole_numbers(part), meant, "none") for part in (rows.certain, rows.uncertain))
        if case["convention"] == "paper":
            first, second = first or Fraction(0), second or Fraction(0)
        if first is not None and second is not None and first + second:
            values.append(first / (first + second))
    if values:
        mean = float(sum(values, Fraction(0)) / len(values))
        expect(over.mean is not None and abs(over.mean - mean) < _CLOSE, "mean over parts", over.mean, mean)
    else:
        expect(over.mean is None, "mean over no parts", over.mean)
