"""Many tests at once: which of them ask the same, and p-values corrected for all.

Holm's method bounds the chance of any false alarm, Benjamini and Hochberg's the share of false alarms. Westfall and
Young's ("max") shuffles all cases among all groups at once, and so takes into account how the tests depend on each
other.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from ...chance.draws import Floats
from ...errors import InputError
from ..testing.measures import Measure
from ..testing.permutation import statistics

Correction: TypeAlias = Literal["holm", "fdr", "max"]
Atoms: TypeAlias = frozenset[Any]

# What the generator of hypergeometric numbers takes at most.
_MOST_CASES: Final = 10**9 - 1


class GroupTest(NamedTuple):
    """A test: a measure of some atoms of the data beside others; an atom is the smallest group of rows."""

    measure: Measure
    group: Atoms
    reference: Any

    @property
    def question(self) -> Hashable:
        """What is asked: the same of complementary scores, and of two groups that are each other's rest."""
        share = self.measure.share
        kind: Hashable = self.measure.id
        if share is not None:
            kind = (frozenset({share.classes.first, share.classes.second}), self.measure.of_class)
        return frozenset({self.group, self.reference}), kind


def corrected(
    asked: Sequence[GroupTest], values: Sequence[float], correction: Correction, least: int = 0
) -> tuple[list[float], int]:
    """Return p-values corrected by Holm's method or by Benjamini and Hochberg's, and how many tests there were.

    Tests that ask the same count once; `least` tests count even where fewer are left.
    """
    questions = [test.question for test in asked]
    first: dict[Hashable, int] = {}
    for place, question in enumerate(questions):
        first.setdefault(question, place)
    once = np.array([values[place] for place in first.values()], dtype=np.float64)
    count = max(len(once), least)
    adjusted = benjamini_hochberg(once, count) if correction == "fdr" else holm(once, count)
    by_question = dict(zip(first, adjusted.tolist(), strict=True))
    return [by_question[question] for question in questions], count


def holm(values: Floats, count: int | None = None) -> Floats:
    """Return p-values corrected so that any false alarm among them, or among some more, is rare."""
    order, adjusted = np.argsort(values, kind="stable"), np.empty(len(values))
    scaled = values[order] * ((count or len(values)) - np.arange(len(values)))
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return adjusted


def benjamini_hochberg(values: Floats, count: int | None = None) -> Floats:
    """Return p-values corrected so that few of the alarms are false."""
    order, adjusted = np.argsort(values, kind="stable"), np.empty(len(values))
    scaled = values[order] * (count or len(values)) / np.arange(1, len(values) + 1)
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return adjusted


def corrected_by_max(
    asked: Sequence[GroupTest],
    values: Sequence[float],
    atoms: Mapping[Hashable, Sequence[int]],
    draws: int,
    seed: int,
) -> tuple[list[float], int]:
    """Return p-values corrected by the largest statistic of all tests, stepping down, and how many tests there were.

    All cases change places among all groups; each time the largest statistic tells what chance alone can do.
    """
    if any(isinstance(test.reference, str) for test in asked):
        hint = "use holm, or compare with rest or with a group"
        raise InputError("usage", "correction", "max needs a reference that is part of the data", "max", hint)
    if sum(sum(cells) for cells in atoms.values()) > _MOST_CASES:
        raise InputError("too_large", "correction", "max takes fewer than a billion cases", "max", "use holm")
    shuffled = _shuffled(list(atoms.values()), draws, np.random.default_rng(seed))
    places = {name: place for place, name in enumerate(atoms)}
    observed_cells = np.array([list(cells) for cells in atoms.values()], dtype=np.float64)[:, :, None]

    def sizes(test: GroupTest, cells: Floats) -> Floats:
        parts = (cells[[places[name] for name in part]].sum(axis=0) for part in (test.group, test.reference))
        group, reference = map(test.measure.decisive, parts)
        return np.nan_to_num(np.abs(statistics(test.measure, group, reference)[0]))

    observed = np.array([sizes(test, observed_cells)[0] for test in asked])
    order = np.argsort(observed)
    largest, exceeded = np.zeros(draws), np.empty(len(asked))
    for place in order:
        largest = np.maximum(largest, sizes(asked[place], shuffled))
        exceeded[place] = (1 + np.count_nonzero(largest >= observed[place] * (1 - 1e-9))) / (1 + draws)
    adjusted = np.empty(len(asked))
    adjusted[order[::-1]] = np.maximum.accumulate(exceeded[order[::-1]])
    # The largest statistic is another test than that of one score alone; a correction never makes a p-value smaller.
    return np.maximum(adjusted, values).tolist(), len({test.question for test in asked})


def _shuffled(atoms: Sequence[Sequence[int]], draws: int, rng: np.random.Generator) -> Floats:
    """Shuffle all cases among atoms of the same sizes; cells of atoms below each other, a column a shuffle."""
    counts = np.array([list(cells) for cells in atoms], dtype=np.int64)
    left = np.repeat(counts.sum(axis=0)[:, None], draws, axis=1)
    dealt = np.empty((*counts.shape, draws))
    for place, size in enumerate(counts.sum(axis=1).tolist()):
        wanted = np.full(draws, size)
        others = left.sum(axis=0)
        for cell in range(counts.shape[1]):
            others = others - left[cell]
            number = rng.hypergeometric(left[cell], others, wanted)
            dealt[place, cell], wanted = number, wanted - number
            left[cell] -= number
    return dealt
