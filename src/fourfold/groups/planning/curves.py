"""What sizes bring: the power of a test or the width of an interval, as a curve over the number of cases.

Each is computed for a number of cases that count, then averaged over how many of a group's cases count. Only the sizes
around the target are looked at one by one; an outline finds them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from ...chance.draws import Floats, Source, binomial, generator, windows
from ...chance.laws import law
from ...chance.power import binomial_power, conditional_power
from ...chance.share_intervals import beta_quantile
from ...errors import InputError
from ...metrics import Metric
from ...solve.rows import Ints
from ..testing.shares import Share

Progress: TypeAlias = Callable[[float], None]

# Numbers outside of what is looked at have less than this chance.
LEAST_CHANCE: Final = 1e-12
# Up to this size every smaller one is looked at; beyond it this many times the root of the answer around it.
_ALL_UP_TO: Final = 1500
_AROUND, _LEAST_AROUND, _MOST_AROUND = 4.0, 60, 600
# The outline: sizes grow by this factor, this many at a time.
_GROWTH, _BATCH = 1.1, 8
# Which parts of the work are done after the outline, and after the sizes are settled.
_OUTLINED, _SETTLED = 0.3, 0.6
# Laws of up to this many cases are exact; beyond, this many tables are drawn.
EXACT_LAWS_UP_TO: Final = 120
# A power of 0.8 is then known within 0.004, two standard errors.
DRAWS: Final = 40_000
# Without a share every size needs a law of its own: sizes grow by the factor from the first one on, and then at most
# this many below the first that is as wanted are looked at.
_LAW_GROWTH, _MOST_LAWS, _FIRST_LAW = 1.2, 24, 4
# Scores this close, relative to their size, are one score: they are floats.
_NEAR: Final = 1e-9
# A detectable share is searched for to 1 in 16,384, finer than it is printed.
_HALVINGS: Final = 14


class Wanted(NamedTuple):
    """What is asked for."""

    metric: Metric
    power: float
    width: float | None
    level: float
    tests: int
    most: int
    progress: Progress | None

    @property
    def alpha(self) -> float:
        """The p-value up to which a test rejects."""
        return (1 - self.level) / self.tests

    def part_of_progress(self, start: float, end: float) -> Progress | None:
        """Return who is told how far a part is that goes from one share of the work to another."""
        progress = self.progress
        return None if progress is None else lambda share: progress(start + (end - start) * share)


class SizeCurve(ABC):
    """What sizes bring, for a metric that is a share of the cases that count; `among` is how many of all those are."""

    def __init__(self, wanted: Wanted, share: Share, among: float | None) -> None:
        self.wanted, self.of_metric, self.among = wanted, share, among
        self._known: dict[int, float] = {}

    @abstractmethod
    def of_counts(self, k: Ints, progress: Progress | None) -> Floats:
        """Return what some numbers of cases that count bring."""

    def reached(self, values: Floats) -> Any:
        """Tell which values are as wanted."""
        return values >= self.wanted.power

    def less(self, value: float, than: float) -> bool:
        """Tell whether a value is worse than another."""
        return value < than - LEAST_CHANCE

    def at(self, sizes: Ints, progress: Progress | None = None) -> Floats:
        """Return what sizes bring, exactly."""
        if self.among is None or self.among == 1:
            return self._counts(sizes, progress)
        low, high = windows(sizes, self.among, LEAST_CHANCE)
        first = int(low.min())
        values = self._counts(np.arange(first, high.max() + 1), progress)
        means = np.empty(len(sizes))
        for i, (size, start, stop) in enumerate(zip(sizes.tolist(), low.tolist(), (high + 1).tolist(), strict=True)):
            chances = binomial(np.arange(start, stop), np.full(stop - start, size), self.among)
            means[i] = chances @ values[start - first : stop - first]
        return means

    def outline(self, sizes: Ints) -> Floats:
        """Return about what sizes bring: as if exactly the expected number of cases counted."""
        return self._counts(np.rint(sizes * (self.among or 1.0)).astype(np.int64))

    def _counts(self, k: Ints, progress: Progress | None = None) -> Floats:
        new = np.array([number for number in np.unique(k).tolist() if number not in self._known], dtype=np.int64)
        if len(new):
            self._known.update(zip(new.tolist(), self.of_counts(new, progress).tolist(), strict=True))
        return np.array([self._known[number] for number in k.tolist()])

    def sizes(self) -> Ints:
        """Return the sizes to look at one by one, the answer among them; none where no size is as wanted."""
        crossing = self._crossing()
        return np.empty(0, dtype=np.int64) if crossing is None else self._settled(crossing)

    def values(self, sizes: Ints) -> Floats:
        """Return what such sizes bring, and tell how far that is."""
        return self.at(sizes, self.wanted.part_of_progress(_SETTLED, 1.0))

    def _crossing(self) -> int | None:
        """Return the size from which the outline is as wanted; None where there is none."""
        below, size, most = 0, 1.0, self.wanted.most
        while below < most:
            sizes: list[int] = []
            while len(sizes) < _BATCH and (not sizes or sizes[-1] < most):
                sizes.append(min(most, math.ceil(size)))
                size = max(size * _GROWTH, size + 1)
            bad = np.flatnonzero(~self.reached(self.outline(np.array(sizes))))
            if not len(bad):
                return self._narrowed(below, sizes[0])
            if bad[-1] < len(sizes) - 1:
                return self._narrowed(sizes[bad[-1]], sizes[bad[-1] + 1])
            below = sizes[-1]
            if self.wanted.progress is not None:
                self.wanted.progress(_OUTLINED * math.log(below + 1) / math.log(most + 1))
        return None

    def _narrowed(self, low: int, high: int) -> int:
        """Return where the outline is reached for good between a size where it is not and one where it is."""
        while high - low > 1:
            inner = np.unique(np.linspace(low, high, _BATCH + 2).astype(np.int64)[1:-1])
            inner = inner[(inner > low) & (inner < high)]
            sizes = np.array([low, *inner, high])
            bad = int(np.flatnonzero([True, *~self.reached(self.outline(inner)), False])[-1])
            low, high = int(sizes[bad]), int(sizes[bad + 1])
        return high

    def _settled(self, crossing: int) -> Ints:
        """Return the sizes around the outline's answer, moved until they hold the answer itself."""
        most = max(self.wanted.most, crossing)
        around = min(max(_LEAST_AROUND, int(_AROUND * math.sqrt(crossing))), _MOST_AROUND)
        last = min(crossing + around, most)
        first = 1 if last <= _ALL_UP_TO else crossing - around
        while True:
            ends = self.reached(self.at(np.array([first, last]), self.wanted.part_of_progress(_OUTLINED, _SETTLED)))
            if first > 1 and ends[0]:
                first = max(1, first - around)
            elif not ends[1] and last < most:
                last = min(most, last + around)
            else:
                return np.arange(first, last + 1)


class PlannedReference(NamedTuple):
    """What a group is compared with: a share, its cases, and how many of them count; None for as many as the group."""

    share: float
    cases: int | None = None
    number: int | None = None
    known: bool = False


class Powers(SizeCurve):
    """The power of the exact conditional test beside a reference, or of the binomial test beside a known share."""

    def __init__(
        self, wanted: Wanted, share: Share, among: float | None, group: float, reference: PlannedReference
    ) -> None:
        super().__init__(wanted, share, among)
        self.own, self.reference = group, reference

    def of_counts(self, k: Ints, progress: Progress | None) -> Floats:
        """Return the power for numbers of cases that count."""
        share, _, number, known = self.reference
        if known:
            return binomial_power(k, self.own, share, self.wanted.alpha)
        others = k if number is None else np.full(len(k), number)
        return conditional_power(k, others, self.own, share, self.wanted.alpha, progress)

    def detectable(self, cases: int, end: float) -> float | None:
        """Return the share nearest to the reference's, on the side of an end, that a size finds with the power."""

        def suffices(group_share: float) -> bool:
            curve = Powers(self.wanted, self.of_metric, self.among, group_share, self.reference)
            return bool(self.reached(curve.at(np.array([cases])))[0])

        near, far = self.reference.share, end
        if near == far or not suffices(far):
            return None
        for _ in range(_HALVINGS):
            middle = (near + far) / 2
            near, far = (near, middle) if suffices(middle) else (middle, far)
        return far


class Widths(SizeCurve):
    """The mean width of the Clopper-Pearson interval, over the counts that a true share can show."""

    def __init__(self, wanted: Wanted, share: Share, among: float | None, group: float) -> None:
        super().__init__(wanted, share, among)
        self.own = group
        if not math.isfinite(share.score(1.0)):
            hint = "plan for a power instead"
            raise InputError("bad_metric", "metric", "has no upper end, so no width", wanted.metric.id, hint)

    @property
    def target(self) -> float:
        """The largest width."""
        assert self.wanted.width is not None
        return self.wanted.width

    def reached(self, values: Floats) -> Any:
        """Tell which widths are small enough."""
        return values <= self.target

    def less(self, value: float, than: float) -> bool:
        """Tell whether a width is worse, that is larger, than another."""
        return value > than + LEAST_CHANCE

    def of_counts(self, k: Ints, progress: Progress | None) -> Floats:
        """Return the mean width for numbers of cases that count."""
        means = np.empty(len(k))
        for i, number in enumerate(k.tolist()):
            widths, chances = self._widths(number)
            means[i] = self._mean(widths, chances)
            if progress is not None and i % 50 == 0:
                progress(i / len(k))
        return means

    def _mean(self, widths: Floats, chances: Floats) -> float:
        return float(chances @ widths)

    def _widths(self, k: int) -> tuple[Floats, Floats]:
        """Return the width of the interval of each count that can come, and its chance; without cases it is whole."""
        x, chances = self._counted(k)
        tail = self.wanted.alpha / 2
        low = np.where(x > 0, beta_quantile(np.maximum(x, 1), k - x + 1, tail), 0.0)
        high = np.where(x < k, beta_quantile(x + 1, np.maximum(k - x, 1), 1 - tail), 1.0)
        low, high = (np.array([self.of_metric.score(share) for share in ends.tolist()]) for ends in (low, high))
        return np.abs(high - low), chances

    def _counted(self, k: int) -> tuple[Ints, Floats]:
        if self.own in (0.0, 1.0) or not k:
            return np.array([k if self.own else 0]), np.ones(1)
        low, high = (int(end[0]) for end in windows(np.array([k]), self.own, LEAST_CHANCE))
        x = np.arange(low, high + 1)
        return x, binomial(x, np.full(len(x), k), self.own)


class Narrow(Widths):
    """How often the interval is as narrow as wanted."""

    def _mean(self, widths: Floats, chances: Floats) -> float:
        return float(chances[widths <= self.target].sum())


class Laws:
    """The power for a metric that is not a share: how often the group's score lies in the tails of the reference's law.

    The reference is taken as known, and sizes are looked at on a grid.
    """

    def __init__(self, wanted: Wanted, group: Source, reference: Source, seed: int) -> None:
        self.wanted, self.own, self.reference, self.seed = wanted, group, reference, seed
        self.known: dict[int, float] = {}

    def reached(self, values: Floats) -> Any:
        """Tell which values are as wanted."""
        return values >= self.wanted.power

    def less(self, value: float, than: float) -> bool:
        """Tell whether a power is less; chance draws would look jagged, so that theirs never is."""
        return value < than - LEAST_CHANCE and max(self.known) <= EXACT_LAWS_UP_TO

    def at(self, size: int) -> float:
        """Return the power at a size: exact where that is quick, else by draws."""
        if size not in self.known:
            values, chances = self._law(size, self.reference)
            tail = self.wanted.alpha / 2 * (1 + _NEAR)
            low = values[np.cumsum(chances) <= tail]
            high = values[np.cumsum(chances[::-1])[::-1] <= tail]
            law, weights = self._law(size, self.own)
            near = _NEAR * (1 + np.abs(law))
            below = law <= (low[-1] if len(low) else -math.inf) + near
            above = law >= (high[0] if len(high) else math.inf) - near
            self.known[size] = float(weights[below | above].sum())
        return self.known[size]

    def _law(self, size: int, source: Source) -> tuple[Floats, Floats]:
        """Return values and chances; an undefined score of the group finds nothing, the reference's is left out."""
        if size <= EXACT_LAWS_UP_TO:
            exact = law(self.wanted.metric, size, source)
            values, chances = exact.whole
            return values, chances * (exact.defined if source is self.own else 1.0)
        tables = source.sample(size, DRAWS, generator((self.seed, size, int(source is self.own))))
        values = self.wanted.metric.formula.evaluate(tables.cells())
        values, counts = np.unique(values[~np.isnan(values)], return_counts=True)
        return values, counts / (DRAWS if source is self.own else max(counts.sum(), 1))

    def sizes(self) -> Ints:
        """Return the sizes looked at: a coarse outline, then a finer grid where the target is reached."""
        size, good = _FIRST_LAW, list[int]()
        while len(good) < 2 and size < self.wanted.most:
            size = min(self.wanted.most, math.ceil(size * _LAW_GROWTH))
            good = [*good, size] if self.at(size) >= self.wanted.power else []
            self._tell(min(0.5, math.log(size) / math.log(1e5)))
        below = max((known for known in self.known if known < (good or [size])[0]), default=1)
        step = max(1, math.ceil((size - below) / _MOST_LAWS))
        fine = [*range(below, size, step), size] if good else []
        for i, known in enumerate(fine):
            self.at(known)
            self._tell(0.5 + 0.5 * (i + 1) / len(fine))
        return np.array(sorted(self.known))

    def _tell(self, share: float) -> None:
        if self.wanted.progress is not None:
            self.wanted.progress(share)

    def values(self, sizes: Ints) -> Floats:
        """Return the power at sizes."""
        return np.array([self.at(size) for size in sizes.tolist()])
