"""Cases that belong together: several rows of one patient, one document, one person are not independent.

What changes places between two groups is then a whole unit with all of its cases, and a score's spread is that between
units (Janssen 1997, with sums over units). Units with the same table are counted together, so a test costs no more for
many of them. Intervals take the cases for as many independent ones as would scatter like them (Korn and Graubard 1998).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from ...chance.draws import Floats
from ...chance.share_intervals import beta_quantile, normal_deviate
from ...errors import Note
from ...exact import CELLS
from ...solve.rows import Ints
from ...table import Table
from .intervals import Interval
from .matching import not_exact, undefined_score
from .measures import HALF, Measure, Subject
from .permutation import MOST_TABLES, Shuffled, every_table, number_of_tables, shuffled
from .shares import Share

_KORN_GRAUBARD: Final = "Korn-Graubard, by units"
_STUDENT: Final = "Student's t, by units"
_FARTHEST: Final = 1e300
# How many numbers of units are drawn at a time: they are kept in memory together.
_DRAWN_TOGETHER: Final = 4_000_000


class Units:
    """The tables of a group's units, each with how many units have it."""

    def __init__(self, cells: Iterable[tuple[int, ...]]) -> None:
        self.counted = Counter(cells)

    def __len__(self) -> int:
        return self.counted.total()


def units_of(cases: Mapping[Any, Subject]) -> Units:
    """Return the units of a group, given the cases of each."""
    return Units(map(_cells, cases.values()))


def _cells(cases: Subject) -> tuple[int, ...]:
    return tuple(cases.cells().values()) if isinstance(cases, Table) else tuple(cases.values.ravel().tolist())


class _Sums:
    """Sums over the units of groups: how many units there are, of their cells, and of products of two cells."""

    def __init__(self, measure: Measure, patterns: Floats) -> None:
        self._cells = measure.decisive(patterns)
        products = self._cells[:, None, :] * self._cells[None, :, :]
        self._features = np.concatenate([self._cells, products.reshape(-1, patterns.shape[1])])

    def of(self, counts: Floats) -> tuple[Floats, Floats]:
        """Return the sums over groups that hold each pattern so often; a column is a group."""
        sums = self._features @ counts
        cells = len(self._cells)
        return sums[:cells], sums[cells:].reshape(cells, cells, -1)


def _spread(measure: Measure, units: Any, cells: Floats, products: Floats) -> tuple[Floats, Floats]:
    """Return scores and their variances: the slopes lead each unit's cells to how far it pulls the score."""
    smoothed = cells + HALF
    with np.errstate(all="ignore"):
        slopes = measure.slopes(smoothed)
        # Half a case in each cell keeps this above zero where all units are alike.
        squares = np.einsum("ig,jg,ijg->g", slopes, slopes, products)
        return measure.values(smoothed), np.maximum(squares, 0) * units / (units - 1)


class UnitPermutation:
    """The ways in which all units of a group and its reference can change places."""

    too_large: Final = False

    def __init__(self, group: Units, reference: Units, draws: int, seed: int) -> None:
        self.draws, self.seed = draws, seed
        names = sorted({*group.counted, *reference.counted})
        self._patterns = np.array(names, dtype=np.float64).T
        self._group, self._reference = (
            np.array([units.counted[name] for name in names], dtype=np.int64) for units in (group, reference)
        )

    def test(self, measure: Measure, level: float) -> Shuffled | None:
        """Return what the test tells of a score; None where it is undefined, or where a group is a single unit."""
        sums, pooled = _Sums(measure, self._patterns), self._group + self._reference
        first, second = int(self._group.sum()), int(self._reference.sum())
        whole = sums.of(pooled[:, None].astype(np.float64))

        def statistics(counts: Floats) -> tuple[Floats, Floats, Floats]:
            cells, products = sums.of(counts)
            values, variances = _spread(measure, first, cells, products)
            others, their_variances = _spread(measure, second, whole[0] - cells, whole[1] - products)
            with np.errstate(all="ignore"):
                difference, spread = values - others, np.sqrt(variances + their_variances)
                # Units that do not scatter at all leave no spread to divide by.
                far = np.clip(difference / spread, -_FARTHEST, _FARTHEST)
                return np.where(difference == 0, 0.0, far), difference, spread

        if min(first, second) < 2:
            return None
        (observed,), (centre,), (spread,) = statistics(self._group[:, None].astype(np.float64))
        if np.isnan(observed):
            return None
        chances = None
        if number_of_tables(pooled, min(first, second)) <= MOST_TABLES:
            tables, chances = every_table(pooled, min(first, second))
            drawn = statistics(tables if first <= second else pooled[:, None] - tables)[0]
        else:
            drawn = np.concatenate([statistics(counts)[0] for counts in self._drawn(pooled, first)])
        return shuffled(float(observed), float(centre), float(spread), drawn, chances, level)

    def _drawn(self, pooled: Ints, size: int) -> Iterator[Floats]:
        rng, left = np.random.default_rng(self.seed), self.draws
        together = max(_DRAWN_TOGETHER // len(pooled), 1)
        while left:
            number = min(left, together)
            yield rng.multivariate_hypergeometric(pooled, size, size=number, method="marginals").T.astype(np.float64)
            left -= number


def interval_by_units(what: Measure, cases: Subject, units: Units, level: float) -> Interval:
    """Return the interval of a measure of one group whose cases belong together in units."""
    from scipy.special import stdtrit

    score, why = what.score(cases)
    if score is None or len(units) < 2:
        notes = (undefined_score(what.label, why),) if why else (Note("one_unit", "one unit shows no spread", {}),)
        return Interval(metric=what.id, value=score, level=level, notes=notes)
    patterns = np.array([*units.counted], dtype=np.float64).T
    counts = np.array([*units.counted.values()], dtype=np.float64)
    deviate = float(stdtrit(len(units) - 1, 0.5 + level / 2))
    counted = what.counted(cases)
    if what.share is not None and counted is not None:
        alike = _alike(what.share, what.decisive(patterns), counts) * (normal_deviate(level) / deviate) ** 2
        size, tail = min(alike, counted.of), (1 - level) / 2
        hits = size * counted.hits / counted.of
        below = float(beta_quantile(hits, size - hits + 1, tail)) if counted.hits else 0.0
        above = float(beta_quantile(hits + 1, size - hits, 1 - tail)) if counted.hits < counted.of else 1.0
        method, ends = _KORN_GRAUBARD, what.share.scores(below, above)
    else:
        variance = _spread(what, len(units), *_Sums(what, patterns).of(counts[:, None]))[1]
        method, reach, limits = _STUDENT, deviate * math.sqrt(float(variance[0])), what.limits
        low = -math.inf if limits.low is None else float(limits.low)
        high = math.inf if limits.high is None else float(limits.high)
        ends = max(score - reach, low), min(score + reach, high)
    return Interval(metric=what.id, value=score, low=min(ends[0], score), high=max(ends[1], score), level=level,
        method=method, notes=(not_exact(method),))  # fmt: skip


def _alike(share: Share, cells: Floats, counts: Floats) -> float:
    """Return how many independent cases would have a share that scatters as that of some units does."""
    first, second = ([CELLS.index(name) for name in names] for names in (share.classes.first, share.classes.second))
    hits, of = cells[first].sum(axis=0), cells[[*first, *second]].sum(axis=0)
    units, whole = float(counts.sum()), float(counts @ of) + 2 * HALF
    likely = (float(counts @ hits) + HALF) / whole
    variance = units / (units - 1) * float(counts @ (hits - likely * of) ** 2) / whole**2
    return likely * (1 - likely) / variance if variance else whole
