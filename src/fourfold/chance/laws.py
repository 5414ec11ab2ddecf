"""The exact law of a metric: how its value falls when tables of a size are drawn.

Which way is taken is read off the formula. Where it is a ratio of two weighted sums of cells with at most three kinds
of weights (every rate, F-beta, Jaccard, marginal benefit), the table comes down to two numbers, and a chance to a sum
of binomial tails. Every other row-monotone metric is bisected in each row of tables. The rest is looked at table by
table.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from ..errors import InputError, TooLarge
from ..exact import CELLS, Formula, zero_sets
from ..exact.surd import Exact
from ..metrics import METRICS, Metric
from ..solve.region import defined, on_side, row_monotone
from ..solve.rows import Ints, Rows, exact_sum
from ..strategy import strategy
from ..table import whole
from . import draws
from .draws import Cells, Chances, Floats, Source

#: How many rows, or pairs of numbers, may be looked at for one law.
BUDGET: Final = 3_000_000
# How many tables may be looked at for a mean, and how many may be kept at once.
_MOST_TABLES: Final = 60_000_000
_MOST_KEPT: Final = 4_000_000
# Values closer than this, relative to their size, are one value.
_SAME: Final = 1e-11
# Chances below this are left out of sums over all tables.
_NEGLIGIBLE: Final = 1e-25
# Halvings until an interval is as narrow as floats, which have 53 bits, can tell.
_HALVINGS: Final = 60


class Split(NamedTuple):
    """The chances of a value below a number, equal to it, and above it."""

    below: float
    equal: float
    above: float


class Law(ABC):
    """How a metric's value is distributed when tables of one size are drawn.

    Chances of values are given that the metric is defined; `undefined` says how often it is not.

    Examples
    --------
    >>> from fourfold.groups import score_law
    >>> from fourfold.table import Table
    >>> law = score_law("recall", 3, Table(tp=2, fn=3, fp=1, tn=4))
    >>> law.method, round(law.undefined, 12), round(law.cdf(Fraction(1, 2)), 6)
    ('joint ratio', 0.125, 0.709714)
    """

    method: str

    def __init__(self, metric: Metric, size: int, source: Source, budget: int) -> None:
        self.metric, self.size, self.source, self.budget = metric, size, source, budget
        self.formula = metric.formula

    @abstractmethod
    def masses(self, value: Exact) -> Split:
        """Return the chances below, at and above a value; together with the chance of undefined they sum to 1."""

    @property
    @abstractmethod
    def defined(self) -> float:
        """The chance that the metric is defined."""

    @abstractmethod
    def _points(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield all values with their chances, in pieces."""

    @cached_property
    def undefined(self) -> float:
        """The chance that the metric is undefined."""
        return max(0.0, 1.0 - self.defined) if self.formula.cancels else self.undefined_by_cells

    @property
    def undefined_by_cells(self) -> float:
        """The chance that the metric is undefined because cells are empty, not because a difference cancels."""
        guards = [guard for guard in self.formula.guards if not guard.signed]
        sets = [zeros for guard in guards for zeros in zero_sets(guard)]
        smallest = [zeros for zeros in dict.fromkeys(sets) if not any(other < zeros for other in sets)]
        return self.source.any_empty(self.size, smallest)

    def split(self, value: Exact | float) -> Split:
        """Return the chances below, at and above a value, given that the metric is defined."""
        if not self.defined:
            return Split(math.nan, math.nan, math.nan)
        exact = Fraction(value) if isinstance(value, float | int) else value
        below, equal, above = self.masses(exact)
        source = self.source.deeper(min(below, above) + equal)
        if source is not None:
            try:
                return law(self.metric, self.size, source, budget=self.budget).split(exact)
            except TooLarge:
                # As much as the budget allows.
                pass
        return Split(*(min(mass / self.defined, 1.0) for mass in (below, equal, above)))

    def cdf(self, value: Exact | float) -> float:
        """Return the chance of at most a value, given that the metric is defined."""
        below, equal, above = self.split(value)
        return min(below + equal, 1.0) if below + equal <= above else 1.0 - above

    @cached_property
    def _moments(self) -> tuple[float, float]:
        mass = total = squares = 0.0
        for values, chances in self._points():
            mass += float(chances.sum())
            total += float(chances @ values)
            squares += float(chances @ values**2)
        if not mass:
            return math.nan, math.nan
        mean = total / mass
        return mean, max(squares / mass - mean**2, 0.0)

    @property
    def mean(self) -> float:
        """The mean, given that the metric is defined."""
        return self._moments[0]

    @property
    def variance(self) -> float:
        """The variance, given that the metric is defined."""
        return self._moments[1]

    @cached_property
    def whole(self) -> tuple[Floats, Floats]:
        """Every value in rising order, and its chance given that the metric is defined."""
        pieces = [piece for piece in self._points() if len(piece[0])]
        if not pieces:
            return np.empty(0), np.empty(0)
        values, chances = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
        order = np.argsort(values, kind="stable")
        values, chances = values[order], chances[order]
        starts = np.concatenate(([True], np.diff(values) > _SAME * (1 + np.abs(values[1:]))))
        total = chances.sum()
        summed = np.add.reduceat(chances, np.flatnonzero(starts))
        return values[starts][summed > 0], summed[summed > 0] / (total or 1.0)

    @property
    @abstractmethod
    def steps(self) -> int:
        """How many values `whole` would go through."""

    def quantile(self, share: float) -> float:
        """Return the smallest value that at least a share of the defined tables do not exceed."""
        if not 0 <= share <= 1:
            raise InputError("bad_option", "share", "must lie between 0 and 1", share, "give a share such as 0.5")
        if not self.defined:
            return math.nan
        if self.steps <= strategy().bisected_above_values:
            values, chances = self.whole
            if share in (0, 1):
                return float(values[0 if share == 0 else -1])
            sums = np.cumsum(chances)
            return float(values[min(int(np.searchsorted(sums, share * (1 - 1e-14))), len(values) - 1)])
        low, high = float(self.metric.limits.low), self.metric.limits.high
        top = float(high) if high is not None else 1.0
        while high is None and self.cdf(top) < share and top < 1e300:
            top *= 2
        for _ in range(_HALVINGS):
            middle = (low + top) / 2
            if not low < middle < top:
                break
            low, top = (low, middle) if self.cdf(middle) >= share else (middle, top)
        return top


def law(metric: Metric, size: int, source: Source, *, budget: int = BUDGET) -> Law:
    """Return the exact law of a metric over tables of a size, by the fastest way its formula allows.

    `TooLarge` is raised, when the law is asked, where more rows of tables than the budget would be looked at.
    """
    size = whole(size, "size")
    if classes := classes_of(metric.formula):
        return _ClassLaw(metric, size, source, budget, classes)
    monotone = metric.id in METRICS or row_monotone(metric.formula)
    return (_RowLaw if monotone else _TableLaw)(metric, size, source, budget)


@dataclass(frozen=True)
class Classes:
    """A metric as a ratio of weighted sums over classes of cells: those of the first two, and all others.

    The weights of numerator and denominator are integers, in the order first, second, others.
    """

    first: Cells
    second: Cells
    others: Cells
    top: tuple[int, int, int]
    bottom: tuple[int, int, int]

    def sums(self, first: Any, second: Any, others: Any) -> tuple[Any, Any]:
        """Return numerator and denominator for the numbers of cases in each class."""
        (a, b, c), (d, e, f) = self.top, self.bottom
        return a * first + b * second + c * others, d * first + e * second + f * others

    @property
    def both(self) -> Cells:
        """The cells of the first two classes."""
        return self.first | self.second

    @property
    def linear(self) -> bool:
        """Whether the denominator is the same however cases are split between the first two classes."""
        return self.bottom[0] == self.bottom[1]

    @property
    def name(self) -> str:
        """What the family is called."""
        if not self.others:
            return "binomial"
        if self.top[2] == 0 == self.bottom[2]:
            return "joint ratio" if self.linear else "weighted joint ratio"
        return "trinomial"


@lru_cache(maxsize=4096)
def classes_of(formula: Formula) -> Classes | None:
    """Read off a formula which cells weigh the same in it; None where it is not a ratio of two weighted sums."""
    ratio = formula.ratio()
    if ratio is None or formula.cancels:
        return None
    sides = (ratio.numerator.terms, ratio.denominator.terms)
    if any(len(names) != 1 for side in sides for names in side):
        return None
    scale = math.lcm(*(factor.denominator for side in sides for factor in side.values()))
    weights = {name: tuple(int(side.get((name,), 0) * scale) for side in sides) for name in CELLS}
    if any(bottom < 0 for _, bottom in weights.values()):
        return None
    kinds = sorted(set(weights.values()), key=lambda pair: (pair == (0, 0), pair[0] == 0, pair))
    if not 2 <= len(kinds) <= 3 or (len(kinds) == 2 and kinds[1] == (0, 0)):
        return None
    groups = [frozenset(name for name in CELLS if weights[name] == kind) for kind in kinds]
    sets = [zeros for guard in formula.guards for zeros in zero_sets(guard)]
    if any(group & zeros and not group <= zeros for zeros in sets for group in groups):
        return None
    kinds, groups = [*kinds, (0, 0)][:3], [*groups, frozenset()][:3]
    top, bottom = ((kinds[0][i], kinds[1][i], kinds[2][i]) for i in (0, 1))
    return Classes(groups[0], groups[1], groups[2], top, bottom)


class _ClassLaw(Law):
    """The law of a ratio of weighted sums: how many fall into the first two classes, and how many of them where."""

    def __init__(self, metric: Metric, size: int, source: Source, budget: int, classes: Classes) -> None:
        super().__init__(metric, size, source, budget)
        self.classes = classes
        self.method = classes.name

    @cached_property
    def _shares(self) -> tuple[float, float]:
        """The share of the first class among both, and what it lacks to one."""
        cells = self.classes.first, self.classes.both
        return self.source.share(*cells), self.source.rest(*cells)

    @cached_property
    def _is_certain(self) -> bool:
        return self.source.is_certain(self.classes.first, self.classes.both)

    @cached_property
    def _numbers(self) -> tuple[Ints, Floats, Ints, Ints]:
        """How many can fall into the first two classes, the chance of that, and the least and most in the first."""
        work = self.source.most_numbers(np.array([self.size]), self.classes.both, frozenset(CELLS))
        _check_work(work, self.budget if self.source.uncertain else max(self.budget, _MOST_KEPT))
        chances = self.source.chances(self.size, self.classes.both)
        first, last = self._range(chances.numbers)
        keep = first <= last
        return chances.numbers[keep], chances.values[keep], first[keep], last[keep]

    def _range(self, k: Ints) -> tuple[Ints, Ints]:
        """Return which numbers in the first class leave the metric defined, for each number in the first two."""
        first, last = 0 * k, k
        classes = (self.classes.first, self.classes.second, self.classes.others)
        for zeros in (zeros for guard in self.formula.guards for zeros in zero_sets(guard)):
            in_first, in_second, in_others = (bool(group) and group <= zeros for group in classes)
            where = (k == self.size) if in_others else np.ones(len(k), dtype=bool)
            if in_first and in_second:
                last = np.where(where & (k == 0), -1, last)
            elif in_first:
                first = np.where(where, np.maximum(first, 1), first)
            elif in_second:
                last = np.where(where, np.minimum(last, k - 1), last)
            else:
                last = np.where(where, -1, last)
        return first, last

    @cached_property
    def defined(self) -> float:
        return min(1.0, self._mass(*self._numbers[2:]))

    def _mass(self, low: Ints, high: Ints) -> float:
        """Return the chance that the number in the first class lies in a range, one for each number in both."""
        k, weights, first, last = self._numbers
        low, high = np.maximum(low, first), np.minimum(high, last)
        some = low <= high
        if not some.any():
            return 0.0
        k, low, high, weights = k[some], low[some], high[some], weights[some]
        many = len(k) > strategy().summed_above_numbers
        summed = self._summed_mass(k, low, high, weights) if many else None
        return float(weights @ self._between(k, low, high)) if summed is None else summed

    def _summed_mass(self, k: Ints, low: Ints, high: Ints, weights: Floats) -> float | None:
        """Return the mass of lower or upper ranges step by step; None where that has not enough digits."""
        upper = bool((high >= k).all())
        if self.source.uncertain or self._is_certain or not (upper or (low <= 0).all()):
            return None
        if upper and (low <= 0).all():
            return float(weights.sum())
        share, rest = self._shares
        at_most = draws.running(low - 1 if upper else high, k, share, int(weights.argmax()), rest)
        if at_most is None:
            return None
        mass = float(weights @ (1 - at_most if upper else at_most))
        return mass if mass > strategy().summed_above_chance else None

    def _between(self, k: Ints, low: Ints, high: Ints) -> Floats:
        if self.source.uncertain:
            _check_work(exact_sum(k), self.budget)
            links = self.source.links(k, self.classes.first, self.classes.both)
            return links.between(np.arange(len(k)), low, high)
        share, rest = self._shares
        if self._is_certain:
            sure = k if share else 0 * k
            return ((low <= sure) & (sure <= high)).astype(np.float64)
        if (low == high).all():
            return draws.binomial(low, k, share, rest)
        chances = np.empty(len(k))
        from_start, to_end, one = low <= 0, (high >= k) & (low > 0), low == high
        chances[from_start] = draws.at_most(high[from_start], k[from_start], share, rest)
        chances[to_end] = draws.at_least(low[to_end], k[to_end], share, rest)
        chances[one] = draws.binomial(low[one], k[one], share, rest)
        inner = ~(from_start | to_end | one)
        # From the side on which less is left, so that small differences keep their digits.
        below, above = inner & (high <= k * share), inner & (high > k * share)
        up_to, before = (draws.at_most(end[below], k[below], share, rest) for end in (high, low - 1))
        chances[below] = np.maximum(up_to - before, 0.0)
        beyond, after = (draws.at_least(end[above], k[above], share, rest) for end in (low, high + 1))
        chances[above] = np.maximum(beyond - after, 0.0)
        return chances

    def masses(self, value: Exact) -> Split:
        ratio = value if isinstance(value, Fraction) else Fraction(float(value))
        slope, rest = self._difference(ratio)
        low, high = self._numbers[2] - 1, self._numbers[3] + 1
        if slope == 0:
            # The value does not depend on the split: all of a row is below, at or above.
            sides = (np.asarray(side, dtype=bool) for side in (rest < 0, rest == 0, rest > 0))
            return Split(*(self._mass(low, np.where(side, high, low - 1)) for side in sides))
        last_below, first_above = self._ends(slope, rest)
        lower, upper = self._mass(low, last_below), self._mass(first_above, high)
        equal = self._mass(last_below + 1, first_above - 1)
        return Split(lower, equal, upper) if slope > 0 else Split(upper, equal, lower)

    def _difference(self, value: Fraction) -> tuple[int, Any]:
        """Return integers for which ``slope x + rest`` has the sign of metric minus value, x cases in the first class.

        There is one slope, and a rest for each number in the first two classes.
        """
        u, v = value.numerator, value.denominator
        (a, b, c), (d, e, f) = self.classes.top, self.classes.bottom
        largest = (abs(v) + abs(u)) * max(map(abs, (*self.classes.top, *self.classes.bottom))) * (self.size + 1)
        narrow = 4 * largest < strategy().machine_integers_below
        k: Any = self._numbers[0] if narrow else self._numbers[0].astype(object)
        return v * (a - b) - u * (d - e), (v * b - u * e) * k + (v * c - u * f) * (self.size - k)

    def _ends(self, slope: int, rest: Any) -> tuple[Ints, Ints]:
        """Return the last x before ``slope x + rest`` is zero, and the first x after it."""
        if slope < 0:
            slope, rest = -slope, -rest
        ends = ((-rest - 1) // slope, (-rest) // slope + 1)
        last, first = (np.clip(end, -2, self.size + 2).astype(np.int64) for end in ends)
        return last, first

    @cached_property
    def _moments(self) -> tuple[float, float]:
        if self.source.uncertain:
            _check_work(self.size, self.budget)
        moments = Sample(self.size, self.source).moments(self.metric, _NOTHING)
        return super()._moments if moments is None else moments[1:]

    @property
    def steps(self) -> int:
        """How many pairs of numbers there are."""
        _, _, first, last = self._numbers
        return exact_sum(last - first) + len(first)

    def _points(self) -> Iterator[tuple[Floats, Floats]]:
        yield Sample(self.size, self.source).estimates(self.metric, _NOTHING)


class _Chain:
    """The chances of all tables of a size, link by link: positives, then tp and tn among their margins."""

    def __init__(self, size: int, source: Source, budget: int = BUDGET) -> None:
        self.size = size
        _check_work(source.most_numbers(np.array([size]), _POSITIVE, frozenset(CELLS)), budget)
        self.margin = source.chances(size, _POSITIVE)
        self.positives = self.margin.numbers
        splits = ((self.positives, _HIT, _POSITIVE), (size - self.positives, _REJECTED, _NEGATIVE))
        _check_work(max(source.most_numbers(*split) for split in splits), budget)
        self.hits, self.rejections = (source.links(*split) for split in splits)

    @property
    def rows(self) -> Rows:
        """All tables that have a chance."""
        hits, rejections = self.hits, self.rejections
        low, high = rejections.start, rejections.start + rejections.lengths - 1
        p, low, high = (np.repeat(part, hits.lengths) for part in (self.positives, low, high))
        return Rows(p, self.size - p, hits.numbers, low, high)

    def mass(self, rows: Rows) -> float:
        """Return the chance of drawing one of the tables."""
        link = rows.positives - self.margin.start
        inside = (link >= 0) & (link < len(self.positives))
        if not inside.all():
            rows, link = rows.kept(inside), link[inside]
        chances = self.hits.at(link, rows.tp) * self.rejections.between(link, rows.low, rows.high)
        return float(self.margin.values[link] @ chances)

    def grids(self) -> Iterator[tuple[dict[str, Ints], Floats]]:
        """Yield all tables with their chances, one number of positives at a time."""
        hits, rejections = self.hits.split(), self.rejections.split()
        for i, (p, weight) in enumerate(zip(self.positives, self.margin.values, strict=True)):
            of_tp, of_tn = hits[i], rejections[i]
            tp = self.hits.start[i] + np.repeat(np.arange(len(of_tp)), len(of_tn))
            tn = self.rejections.start[i] + np.tile(np.arange(len(of_tn)), len(of_tp))
            cells = {"tp": tp, "fn": p - tp, "fp": self.size - p - tn, "tn": tn}
            yield cells, weight * np.outer(of_tp, of_tn).ravel()

    def tables(self) -> tuple[dict[str, Ints], Floats]:
        """Return all tables, and their chances."""
        _check_work(self.rows.count, _MOST_KEPT)
        cells, chances = zip(*self.grids(), strict=True)
        return {name: np.concatenate([grid[name] for grid in cells]) for name in CELLS}, np.concatenate(chances)


_NOTHING: Final = (Fraction(0),) * 4
_POSITIVE: Final = frozenset({"tp", "fn"})
_NEGATIVE: Final = frozenset({"fp", "tn"})
_HIT: Final = frozenset({"tp"})
_REJECTED: Final = frozenset({"tn"})


def _check_work(work: int, most: int) -> None:
    if work > most:
        hint = "ask for an approximation by method, or a smaller size"
        raise TooLarge("too_large", "size", f"the exact law would take {work} steps, more than {most}", work, hint)


def _per_class(classes: Classes, added: tuple[Fraction, ...]) -> list[float]:
    """Return what is added to each class."""
    parts = (classes.first, classes.second, classes.others)
    return [float(sum(more for name, more in zip(CELLS, added, strict=True) if name in part)) for part in parts]


class Sample:
    """All that can be drawn at one size, with its chances: made once, asked for many metrics and estimates."""

    def __init__(self, size: int, source: Source) -> None:
        self.size, self.source = whole(size, "size"), source
        self._pairs: dict[tuple[Cells, Cells], tuple[Ints, Ints, Floats]] = {}

    def margin(self, cells: Cells) -> Chances:
        """Return the chances of how many cases fall into some cells."""
        _check_work(self.source.most_numbers(np.array([self.size]), cells, frozenset(CELLS)), _MOST_KEPT)
        return self.source.chances(self.size, cells)

    def estimates(self, metric: Metric, added: tuple[Fraction, ...]) -> tuple[Floats, Floats]:
        """Return the defined values of a metric when something is added to each cell, and their chances."""
        classes = classes_of(metric.formula)
        if classes is None:
            cells, chances = self._tables
            more = {name: cells[name] + float(extra) for name, extra in zip(CELLS, added, strict=True) if extra}
            values = metric.formula.evaluate({**cells, **more})
        else:
            values, chances = self._of_classes(metric.formula, classes, added)
        has = ~np.isnan(values)
        return (values, chances) if has.all() else (values[has], chances[has])

    def moments(self, metric: Metric, added: tuple[Fraction, ...]) -> tuple[float, float, float] | None:
        """Return the chance that an estimate is defined, its mean and its variance, at any size.

        None where they have no short form: the estimate must be linear once a margin is known, and defined somewhere.
        """
        classes = classes_of(metric.formula)
        if classes is None or not classes.linear:
            return None
        both = classes.both
        sets = [zeros for guard in metric.formula.guards for zeros in zero_sets(guard)]
        if any(zeros & both and not both <= zeros for zeros in sets):
            return None
        margin = self.margin(both)
        k, share = margin.numbers.astype(np.float64), self.source.share(classes.first, both)
        more = _per_class(classes, added)
        top, bottom = classes.sums(k * share + more[0], k * (1 - share) + more[1], self.size - k + more[2])
        has = bottom > 0
        if not has.any():
            return None
        mass = float(margin.values[has].sum())
        weights, means = margin.values[has] / mass, top[has] / bottom[has]
        spread = k * share * (1 - share)
        if self.source.uncertain:
            weight = float(self.source.weight(both))
            spread = spread * (weight + k) / (weight + 1)
        inner = (classes.top[0] - classes.top[1]) ** 2 * spread[has] / bottom[has] ** 2
        mean = float(weights @ means)
        return min(mass, 1.0), mean, float(weights @ (inner + (means - mean) ** 2))

    def _of_classes(self, formula: Formula, classes: Classes, added: tuple[Fraction, ...]) -> tuple[Floats, Floats]:
        first, both, chances = self._numbers(classes)
        parts, more = (classes.first, classes.second, classes.others), _per_class(classes, added)
        numbers = (first + more[0], both - first + more[1], self.size - both + more[2])
        top, bottom = classes.sums(*numbers)
        with np.errstate(all="ignore"):
            values = np.asarray(top / bottom, dtype=np.float64)
        for zeros in (zeros for guard in formula.guards for zeros in zero_sets(guard)):
            gone = [number for part, number in zip(parts, numbers, strict=True) if part and part <= zeros]
            values[np.logical_and.reduce([number == 0 for number in gone])] = np.nan
        return values, chances

    def _numbers(self, classes: Classes) -> tuple[Ints, Ints, Floats]:
        """Return how many can fall into the first class and into the first two, with the chance of each pair."""
        key = (classes.first, classes.second)
        if key not in self._pairs:
            margin = self.margin(classes.both)
            if not self.source.uncertain:
                _check_work(self.source.most_numbers(margin.numbers, classes.first, classes.both), _MOST_KEPT)
            links = self.source.links(margin.numbers, classes.first, classes.both)
            in_both = np.repeat(margin.numbers, links.lengths)
            chances = links.values * np.repeat(margin.values, links.lengths)
            some = (chances > _NEGLIGIBLE) | self.source.uncertain
            self._pairs[key] = links.numbers[some], in_both[some], chances[some]
        return self._pairs[key]

    @cached_property
    def _tables(self) -> tuple[dict[str, Ints], Floats]:
        cells, chances = _Chain(self.size, self.source).tables()
        some = chances > _NEGLIGIBLE
        return {name: column[some] for name, column in cells.items()}, chances[some]


class _RowLaw(Law):
    """The law of a row-monotone metric: in each row of tables the values below a number are one range."""

    method = "row by row"

    @cached_property
    def _chain(self) -> _Chain:
        return _Chain(self.size, self.source, self.budget)

    @property
    def steps(self) -> int:
        """How many tables have a chance."""
        return self._chain.rows.count

    @cached_property
    def _rows(self) -> Rows:
        return defined(self._chain.rows, self.formula)

    @cached_property
    def defined(self) -> float:
        return min(1.0, self._chain.mass(self._rows))

    def masses(self, value: Exact) -> Split:
        return Split(*(self._chain.mass(rows) for rows in _sides(self._rows, self.formula, value)))

    def _points(self) -> Iterator[tuple[Floats, Floats]]:
        _check_work(self.steps, _MOST_TABLES)
        for cells, chances in self._chain.grids():
            values = self.formula.evaluate(cells)
            has = ~np.isnan(values)
            yield values[has], chances[has]


def tails(metric: Metric, size: int, value: Exact) -> Callable[[Source], Split]:
    """Return a function from a source to the chances around a value; which tables lie where is found only once.

    The undefined is left out but not made up for: what the chances lack to one is undefined.
    """
    if classes_of(metric.formula) or not (metric.id in METRICS or row_monotone(metric.formula)):
        return lambda source: law(metric, size, source).masses(value)
    p = np.repeat(np.arange(size + 1), np.arange(1, size + 2))
    _check_work(len(p), BUDGET)
    tp = np.arange(len(p)) - p * (p + 1) // 2
    sides = _sides(defined(Rows(p, size - p, tp, 0 * p, size - p), metric.formula), metric.formula, value)

    def split(source: Source) -> Split:
        chain = _Chain(size, source)
        return Split(*(chain.mass(rows) for rows in sides))

    return split


def _sides(rows: Rows, formula: Formula, value: Exact) -> tuple[Rows, Rows, Rows]:
    """Return the tables below, at and above a value."""
    up_to = on_side(rows, formula, value, above=False)
    equal = on_side(up_to, formula, value, above=True)
    below = on_side(up_to, formula, value, above=False, strict=True)
    return below, equal, on_side(rows, formula, value, above=True, strict=True)


class _TableLaw(_RowLaw):
    """The law of any metric, table by table."""

    method = "table by table"

    @cached_property
    def _all(self) -> tuple[dict[str, Ints], Floats, Floats]:
        """All tables with their values and chances."""
        cells, chances = self._chain.tables()
        return cells, self.formula.evaluate(cells), chances

    @cached_property
    def defined(self) -> float:
        _, values, chances = self._all
        return min(1.0, float(chances[~np.isnan(values)].sum()))

    def masses(self, value: Exact) -> Split:
        cells, values, chances = self._all
        off = values - float(value)
        for i in np.flatnonzero(np.abs(off) <= strategy().told_apart_exactly_within * (1 + abs(float(value)))):
            exact = self.formula.exact({name: int(column[i]) for name, column in cells.items()})
            off[i] = np.nan if exact is None else (exact > value) - (exact < value)
        return Split(*(float(chances[side].sum()) for side in (off < 0, off == 0, off > 0)))
