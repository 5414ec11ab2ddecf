"""Means of scores over parts, decided by the tables that each part may have.

Every sum that a report speaks of is a coordinate, and the report a box. What floats show to be far away is left out;
short lists of choices are looked at in full; else a linear programme proves that the box is out of reach or says where
to search, and branches are split by sums of counts until each has its proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil, floor, isfinite
from typing import Any, Final, NamedTuple

import numpy as np

from ..errors import InputError, TooLarge
from ..metrics import Convention, Metric, filled
from ..reported import Reported
from ..surd import Exact
from . import choosing, whole_sums
from .experiment import (
    Decision,
    Deviation,
    EqualParts,
    OpenParts,
    Question,
    average_of,
    inside,
    is_defined,
    part_value,
)
from .linear_means import straight
from .mixtures import Coordinate, Mixture, Sums
from .problem import Cells, Floats, Part, within
from .region import Constraint, fitting, half_planes

# All choices are looked at before anything else where the two lists are at most this long, and at last.
_FEW_LISTED, _MANY_LISTED, _MOST_LISTED = 6_000, 60_000, 600_000
# Moves that are listed in the first search for a choice, in that of a branch, and in the last.
_FIRST_EFFORT, _BRANCH_EFFORT, _LAST_EFFORT = 200_000, 20_000, 800_000
_MOST_BRANCHES: Final = 24
# How many moves of an exchange take as long as a round of joining both sides.
_MOVES_A_ROUND: Final = 40_000
# Tables of all kinds of parts that are listed at most; of parts with more, so many counts of each kind.
MOST_TABLES, _GRID_STEPS = 3_000_000, 63
# How often a grid is made closer, to what share of the one before, and the moves that are listed in each.
_GRIDS, _GRID_SHARE, _GRID_EFFORT = 4, 0.2, 100_000
_MOST_POOLED_ROWS: Final = 2_000_000
_CLEAR: Final = 1e-9
# Parts that weigh less bring values of different tables too near to each other.
_LIGHTEST: Final = Fraction(1, 20)
# Ends that were computed in floats are moved outward by this.
_ROOM: Final = 1e-12


def score_floats(metric: Metric, cells: dict[str, Any], convention: Convention) -> Floats:
    """Return a metric's values at many tables, nan where it has none: `part_value` in floats."""
    mean = average_of(metric)
    if mean is None:
        return filled(metric.formula.evaluate(cells), metric.fill(convention, of_part=True))
    sizes = np.array([cells["tp"] + cells["fn"], cells["fp"] + cells["tn"]], dtype=float)
    values = np.array([formula.evaluate(cells) for formula in metric.components])
    return convention.mean_floats(values, sizes if mean.average == "weighted" else 1.0 + 0 * sizes)


class _Spread(NamedTuple):
    """A deviation of one score over so many parts that have one, while the sum of its values is in a range."""

    deviation: Deviation
    number: int
    low: Fraction
    high: Fraction


@dataclass
class _Branch:
    """A part of the problem: whole sums of counts and sums of scores are confined further."""

    whole: dict[tuple[int, str], tuple[int, int]] = field(default_factory=dict)
    spreads: tuple[_Spread, ...] = ()


def decided(question: Question) -> Decision:
    """Decide a report by the tables of its parts."""
    tables = PartTables(question)
    if tables.empty:
        sparse = any(choice.sparse for choice in tables.choices)
        return Decision("undecided" if sparse else "impossible", tables.empty)
    open_: list[Decision] = []
    last: Decision | None = None
    for counts in tables.defined_counts():
        last = Case(tables, counts).decided()
        if last.verdict == "possible":
            return last
        if last.verdict == "undecided":
            open_.append(last)
    assert last is not None
    return open_[0] if open_ else last


class PartTables:
    """All tables of each kind of part that obey what is said of every part, with the values of the metrics."""

    def __init__(self, question: Question, lists: Sequence[Part] | None = None) -> None:
        self.question, self.report = question, question.report
        convention = self.report.convention
        self.choices: list[Part] = []
        self.values: dict[Metric, list[Floats]] = {metric: [] for metric in question.metrics}
        self.empty = ""
        for place, part in enumerate(question.parts):
            choice = self._listed(part) if lists is None else lists[place]
            keep = np.ones(len(choice), dtype=bool)
            for constraint in self.report.each:
                keep &= self._obeys(choice, constraint)
            columns = {metric: score_floats(metric, choice.cells(), convention) for metric in question.metrics}
            if convention.strict:
                for values in columns.values():
                    keep &= ~np.isnan(values)
            if not keep.any():
                self.choices.append(choice.at(keep))
                self.empty = f"no table of a part with {part.total} cases has what is said of every part"
                return
            self.choices.append(choice.at(keep))
            for metric, values in columns.items():
                self.values[metric].append(values[keep])
        self.weights = [part.weight for part in question.parts]

    def _listed(self, part: EqualParts | OpenParts) -> Part:
        """List all tables of a part, or some of them where a part with known margins has too many."""
        parts = self.question.parts
        tables = [sum((p + 1) * (n + 1) for p, n in each.margins()) for each in parts]
        many = sum(tables) > MOST_TABLES and tables[parts.index(part)] > MOST_TABLES // len(parts)
        if many and isinstance(part, EqualParts):
            return Part.grid(part.count, (part.positives, part.negatives), _GRID_STEPS)
        return Part.with_margins(part.count, part.margins())

    def _obeys(self, choice: Part, constraint: Constraint) -> Any:
        metric, reported = constraint
        values = score_floats(metric, choice.cells(), self.report.convention)
        low, high = float(reported.low), float(reported.high)
        with np.errstate(invalid="ignore"):
            good = (values >= low) & (values <= high)
            near = (np.abs(values - low) < _CLEAR * (1 + abs(low))) | (np.abs(values - high) < _CLEAR * (1 + abs(high)))
        for i in np.flatnonzero(near):
            exact = part_value(metric, choice.table(int(i)), self.report.convention)
            good[i] = exact is not None and inside(exact, reported)
        return good | np.isnan(values) if self.report.convention.drop else good

    def sometimes(self, metric: Metric) -> bool:
        """Tell whether a kind of part has tables with a value and tables without."""
        return any(np.isnan(v).any() and not np.isnan(v).all() for v in self.values[metric])

    def always(self, metric: Metric) -> list[bool]:
        """Tell for each kind of part whether it has a value."""
        return [not np.isnan(v).any() for v in self.values[metric]]

    def defined_counts(self) -> Iterator[dict[Metric, int]]:
        """Walk how many parts may have a value, for each metric with a deviation whose parts may lack one."""
        loose = [d.metric for d in self.report.deviations if self.sometimes(d.metric)]
        loose = list(dict.fromkeys(loose))
        total = sum(choice.count for choice in self.choices)
        for counts in product(*(range(total, 0, -1) for _ in loose)):
            yield dict(zip(loose, counts, strict=True))


class Case:
    """A report with its tables, while it is fixed how many parts have a value of some metrics."""

    def __init__(self, tables: PartTables, counts: dict[Metric, int]) -> None:
        self.tables, self.counts = tables, counts
        self.question, self.report = tables.question, tables.report
        self.effort = self.question.effort
        #: The last choice that was found to fit: it is asked for more than once.
        self._fitted: list[list[Cells]] = []
        self.choices, self.weights = tables.choices, tables.weights
        self.base = [*self._pooled_sums(), *(c for constraint in self.report.means for c in self._mean(*constraint))]
        self.base += [self._number(metric, count) for metric, count in counts.items()]

    # The coordinates.

    def _exact(self, metric: Metric, scale: Sequence[Fraction], shift: Fraction, power: int) -> Any:
        convention = self.report.convention

        def exact(g: int, table: Cells) -> Exact:
            value = part_value(metric, table, convention)
            if value is None:
                return Fraction(0)
            off = (value - shift) * scale[g]
            return off if power == 1 else (off * off if power == 2 else scale[g])

        return exact

    def _values(self, metric: Metric, scale: Sequence[Fraction], shift: Fraction, power: int) -> tuple[Floats, ...]:
        out = []
        for values, factor in zip(self.tables.values[metric], scale, strict=True):
            known = ~np.isnan(values)
            off = np.where(known, (values - float(shift)) * float(factor), 0.0)
            out.append(off**power if power else known * float(factor))
        return tuple(out)

    def _score(
        self,
        metric: Metric,
        low: Fraction | None,
        high: Fraction | None,
        *,
        opened: tuple[bool, bool] = (False, False),
        shift: Fraction = Fraction(0),
        power: int = 1,
        weighted: bool = True,
    ) -> Coordinate:
        """Return the sum of a metric, of its squares, or of the parts that have it."""
        scale = self.weights if weighted else [Fraction(1)] * len(self.weights)
        values = self._values(metric, scale, shift, power)
        return Coordinate(values, self._exact(metric, scale, shift, power), low, high, *opened)

    def _number(self, metric: Metric, count: int) -> Coordinate:
        return self._score(metric, Fraction(count), Fraction(count), power=0, weighted=False)

    def _mean(self, metric: Metric, reported: Reported) -> list[Coordinate]:
        opened = (reported.low_open, reported.high_open)
        if metric in self.counts or not self.tables.sometimes(metric):
            whole = self._whole(metric)
            if not whole:
                return [self._score(metric, Fraction(1), None, power=0)]
            return [self._score(metric, reported.low * whole, reported.high * whole, opened=opened)]
        # A mean is in an interval just where the sum of what lies above its low end is not negative, and so on.
        return [
            self._score(metric, Fraction(0), None, opened=(opened[0], False), shift=reported.low),
            self._score(metric, None, Fraction(0), opened=(False, opened[1]), shift=reported.high),
            self._score(metric, Fraction(1), None, power=0, weighted=False),
        ]

    def _whole(self, metric: Metric) -> Fraction:
        """Return the weight of all parts that have a value."""
        if metric in self.counts:
            return self.counts[metric] * self.weights[0]
        known = zip(self.weights, self.choices, self.tables.always(metric), strict=True)
        return sum((weight * choice.count for weight, choice, value in known if value), Fraction(0))

    def _counted(self, name: str, low: Fraction | None, high: Fraction | None, a: int = 1, b: int = 0) -> Coordinate:
        """Return a sum of counts over all parts: ``a tp + b tn``, or of positives."""
        if name == "positives":
            values = tuple(choice.positives.astype(float) for choice in self.choices)
            return Coordinate(values, lambda g, table: Fraction(table["tp"] + table["fn"]), low, high)
        values = tuple(float(a) * choice.tp + float(b) * choice.tn for choice in self.choices)
        return Coordinate(values, lambda g, table: Fraction(a * table["tp"] + b * table["tn"]), low, high)

    def _pooled_sums(self) -> list[Coordinate]:
        report, out = self.report, []
        positives = report.all_positives
        negatives = report.total - positives
        if any(isinstance(part, OpenParts) for part in self.question.parts):
            out.append(self._counted("positives", Fraction(positives), Fraction(positives)))
        held = [constraint for constraint in report.pooled if is_defined(constraint, report.convention)]
        if report.pooled:
            ends: list[Fraction | None] = [None] * 4
            try:
                rows, _ = fitting(held, positives, negatives, most_rows=_MOST_POOLED_ROWS)
            except (TooLarge, InputError):
                rows = None
            if rows is not None:
                if not len(rows):
                    return [self._counted("tp", Fraction(-2), Fraction(-1))]
                ends = [Fraction(int(x)) for x in (rows.tp.min(), rows.tp.max(), rows.low.min(), rows.high.max())]
            out += [self._counted("tp", ends[0], ends[1]), self._counted("tn", ends[2], ends[3], 0, 1)]
            for a, b, c in half_planes(held, positives, negatives):
                out.append(self._counted("plane", Fraction(-c), None, a, b))
        return out

    def _spread(self, spread: _Spread) -> list[Coordinate]:
        """Return a deviation as a box around the middle of where the mean is: exact as the range shrinks."""
        squares = spread.deviation.squares(spread.number)
        metric = spread.deviation.metric
        if squares is None:
            return [self._score(metric, Fraction(-2), Fraction(-1), power=0, weighted=False)]
        middle = (spread.low + spread.high) / 2 / spread.number
        off = (spread.high - spread.low) / 2
        return [
            self._score(metric, spread.low, spread.high, weighted=False),
            self._score(
                metric, squares[0], squares[1] + off * off / spread.number, shift=middle, power=2, weighted=False
            ),
        ]

    def _group_sum(self, g: int, name: str, ends: tuple[int, int]) -> Coordinate:
        """Return the sum of a count over the parts of one kind."""
        values = tuple(
            getattr(choice, name).astype(float) if h == g else np.zeros(len(choice))
            for h, choice in enumerate(self.choices)
        )

        def exact(h: int, table: Cells) -> Fraction:
            return Fraction(table[name] if h == g else 0)

        return Coordinate(values, exact, Fraction(ends[0]), Fraction(ends[1]))

    # The way to a decision.

    def spreads(self) -> tuple[_Spread, ...]:
        """Return the deviations, each with the number of its values and the range of their sum."""
        out = []
        for deviation in self.report.deviations:
            metric = deviation.metric
            count = self.counts.get(metric) or sum(
                choice.count for choice, known in zip(self.choices, self.tables.always(metric), strict=True) if known
            )
            known = [(r.low * count, r.high * count) for m, r in self.report.means if m == metric]
            values = [v[~np.isnan(v)] for v in self.tables.values[metric]]
            least = min((float(v.min()) for v in values if len(v)), default=0.0)
            most = max((float(v.max()) for v in values if len(v)), default=0.0)
            # A little room for floats.
            low = Fraction(least - 1e-9 * (1 + abs(least))) * count
            high = Fraction(most + 1e-9 * (1 + abs(most))) * count
            for own_low, own_high in known:
                low, high = max(low, own_low), min(high, own_high)
            out.append(_Spread(deviation, max(count, 1), low, max(low, high)))
        return tuple(out)

    def sums(self, branch: _Branch) -> Sums | None:
        """Return the sums of a branch, with tables that cannot be in it left out."""
        coordinates = [*self.base]
        for spread in branch.spreads:
            coordinates += self._spread(spread)
        coordinates += [self._group_sum(g, name, ends) for (g, name), ends in branch.whole.items()]
        return Sums(self.choices, coordinates).narrowed()

    def mean_range(self, metric: Metric, sums: Sums) -> tuple[float, float]:
        """Return proven ends of a mean: of a sum, or of the number around which nothing is left over."""
        places = [choice.places(c.positives, c.tp, c.tn) for choice, c in zip(self.choices, sums.choices, strict=True)]
        if metric in self.counts or not self.tables.sometimes(metric):
            values = self._values(metric, self.weights, Fraction(0), 1)
            low, high = _ends(sums, [v[p] for v, p in zip(values, places, strict=True)])
            whole = float(self._whole(metric))
            return low / whole - _ROOM, high / whole + _ROOM
        own = [v[p] for v, p in zip(self.tables.values[metric], places, strict=True)]
        known = [v[~np.isnan(v)] for v in own]
        least, most = min(v.min() for v in known if len(v)), max(v.max() for v in known if len(v))
        return self._pivot(sums, own, least, most, -1), self._pivot(sums, own, most, least, 1)

    def _pivot(self, sums: Sums, values: list[Floats], sure: float, other: float, sign: int) -> float:
        """Return an end of a mean over the parts that have a value, by bisection.

        The mean is at most a number if the sum of what lies above it is at most 0.
        """
        for _ in range(12):
            middle = (sure + other) / 2
            over = [
                np.nan_to_num(sign * (v - middle) * float(w), nan=0.0)
                for v, w in zip(values, self.weights, strict=True)
            ]
            if sums.largest(over) <= 0:
                sure = middle
            else:
                other = middle
        return sure + sign * _ROOM

    def fits(self, sums: Sums, chosen: choosing.Chosen) -> bool:
        """Tell exactly whether a choice is as the report says."""
        tables = self._cells(sums, chosen)
        if self._fitted != tables:
            if self.question.possible(tables, "") is None:
                return False
            self._fitted = tables
        return True

    @staticmethod
    def _cells(sums: Sums, chosen: choosing.Chosen) -> list[list[Cells]]:
        return [[choice.table(i) for i in own] for choice, own in zip(sums.choices, chosen, strict=True)]

    def possible(self, sums: Sums, chosen: choosing.Chosen, reason: str) -> Decision:
        """Return the decision that a choice that fits makes."""
        decision = self.question.possible(self._cells(sums, chosen), reason)
        assert decision is not None
        return decision

    def decided(self) -> Decision:
        """Decide, cheap ways first."""
        spreads = self.spreads()
        root = _Branch({}, spreads)
        if any(choice.sparse for choice in self.choices):
            return self._by_some(self.sums(root))
        if (decision := self._by_squares(spreads)) is not None:
            return decision
        sums = self.sums(root)
        if sums is None:
            return Decision("impossible", "no table of some part leaves the others a way to the means")
        if (decision := self._exhausted(sums, _FEW_LISTED)) is not None:
            return decision
        mixture = sums.mixed()
        if mixture is False:
            return Decision("impossible", "along a direction all sums over the parts stay short of the report")
        if mixture is not None and (decision := self._searched(sums, mixture, _FIRST_EFFORT)) is not None:
            return decision
        if self.effort < 1:
            return Decision("undecided", "no tables were found in a short search")
        if (decision := self._exhausted(sums, _MANY_LISTED)) is not None:
            return decision
        if (decision := self._by_sides(sums)) is not None:
            return decision
        decision = self._branched(root, sums, mixture)
        if decision.verdict != "undecided":
            return decision
        if (last := self._exhausted(sums, int(_MOST_LISTED * self.effort))) is not None:
            return last
        if mixture is not None and (last := self._searched(sums, mixture, _LAST_EFFORT, seed=1)) is not None:
            return last
        return decision

    def _by_some(self, sums: Sums | None) -> Decision:
        """Look for tables among some of those that the parts may have, then closer around those that came nearest.

        That can only show that a report is possible.
        """
        case, share = self, 1.0
        for _ in range(_GRIDS):
            mixture = sums.mixed() if sums is not None else None
            if sums is None or not mixture:
                break
            exchange = choosing.Exchange(sums, partial(case.fits, sums))
            chosen = exchange.run(mixture, int(_GRID_EFFORT * self.effort))
            if chosen is not None:
                return case.possible(sums, chosen, "tables were found among some that the parts may have")
            if not len(exchange.best[1]):
                break
            share *= _GRID_SHARE
            case = case._closer(sums, exchange.chosen(exchange.best[1]), share)
            if case.tables.empty:
                break
            sums = case.sums(_Branch({}, case.spreads()))
        return Decision("undecided", "no tables were found, and the parts have too many tables to look at all")

    def _closer(self, sums: Sums, chosen: choosing.Chosen, share: float) -> Case:
        """Return the case with tables around those of a choice."""
        lists = []
        for choice, own in zip(sums.choices, chosen, strict=True):
            margins = int(choice.positives[0]), int(choice.negatives[0])
            around = [(int(choice.tp[i]), int(choice.tn[i])) for i in own]
            lists.append(Part.grid(choice.count, margins, _GRID_STEPS // 2, around, share))
        return Case(PartTables(self.question, lists), self.counts)

    def _exhausted(self, sums: Sums, most: int) -> Decision | None:
        """Look at all choices where the lists are short enough."""
        if self._told_apart(sums):
            sums = sums.without_twins()
        chosen = choosing.exhausted(sums, most, partial(self.fits, sums))
        if chosen is False:
            return Decision("impossible", "all choices of tables were looked at")
        if chosen is None:
            return None
        return self.possible(sums, chosen, "all choices of tables were looked at")

    def _by_sides(self, sums: Sums) -> Decision | None:
        """Look at all choices, tp and tn listed apart."""
        if not all(choice.same_margins for choice in sums.choices):
            return None
        chosen = choosing.Sides(sums, partial(self.fits, sums)).exhausted()
        if chosen is False:
            return Decision("impossible", "all choices of tables were looked at, tp and tn listed apart")
        if chosen is None:
            return None
        return self.possible(sums, chosen, "all choices of tables were looked at, tp and tn listed apart")

    def _told_apart(self, sums: Sums) -> bool:
        """Tell whether values that differ do so by more than floats are off: ratios of short numbers."""
        metrics = [*self.question.metrics]
        size = max(int((c.positives + c.negatives).max()) for c in sums.choices)
        light = min(self.weights) < _LIGHTEST
        return size <= 1000 and not light and all(m.formula.flat and _short_denominator(m, size) for m in metrics)

    def _searched(self, sums: Sums, mixture: Mixture, effort: float, seed: int = 0) -> Decision | None:
        fits = partial(self.fits, sums)
        exchange = choosing.Exchange(sums, fits, seed)
        chosen = exchange.run(mixture, int(effort * self.effort), self._known(sums))
        if (
            chosen is None
            and effort * self.effort > _BRANCH_EFFORT
            and len(exchange.best[1])
            and all(choice.same_margins for choice in sums.choices)
        ):
            rounds = ceil(effort * self.effort / _MOVES_A_ROUND)
            chosen = choosing.Sides(sums, fits, seed).around(exchange.best[1], rounds)
        return None if chosen is None else self.possible(sums, chosen, "tables were found by exchanging cases")

    def _known(self, sums: Sums) -> Any:
        """Return the tables that meet the linear claims, if they are among those that are left."""
        places: list[int] = []
        for choice, tables in zip(sums.choices, self.question.start, strict=False):
            places += [
                int(choice.places(np.array(table["tp"] + table["fn"]), table["tp"], table["tn"])) for table in tables
            ]
        return np.array(places) if places and min(places) >= 0 else None

    def _branched(self, root: _Branch, sums: Sums, mixture: Mixture | None) -> Decision:
        """Split by sums of counts and of scores; every branch needs a proof of its own."""
        stack, branches, open_ = [(root, sums, mixture)], 0, 0
        while stack:
            branch, sums, mixture = stack.pop()
            halves = self._halves(branch, sums, mixture)
            if not halves:
                open_ += 1
            if open_:
                return Decision("undecided", f"no tables were found, and after {branches} branches one is still open")
            for half in halves:
                branches += 1
                own = self.sums(half)
                if own is None:
                    continue
                small = self._exhausted(own, _FEW_LISTED)
                if small is not None:
                    if small.verdict == "possible":
                        return small
                    continue
                mixed = own.mixed()
                if mixed is False:
                    continue
                if mixed is not None and (decision := self._searched(own, mixed, _BRANCH_EFFORT)) is not None:
                    return decision
                stack.append((half, own, mixed))
            if branches > _MOST_BRANCHES * self.effort:
                return Decision("undecided", f"no tables were found, and {len(stack)} of {branches} branches are open")
        return Decision("impossible", f"in each of {branches + 1} branches all sums stay short of the report")

    def _halves(self, branch: _Branch, sums: Sums, mixture: Mixture | None) -> list[_Branch]:
        """Cut a branch in two where its sums of counts are least settled; none where all are."""
        widest, cut = None, 0
        for g, choice in enumerate(sums.choices):
            for name in ("tp", "tn"):
                column = getattr(choice, name)
                low, high = int(column.min()) * choice.count, int(column.max()) * choice.count
                known = branch.whole.get((g, name), (low, high))
                low, high = max(low, known[0]), min(high, known[1])
                if high <= low or (widest is not None and high - low <= widest[1] - widest[0]):
                    continue
                middle = (low + high) // 2
                if mixture is not None:
                    amounts = mixture[g]
                    middle = int(np.floor(sum(column[i] * x for i, x in amounts.items()) + 1e-6))
                widest, key, cut = (low, high), (g, name), min(max(middle, low), high - 1)
        if widest is None:
            return []
        return [
            _Branch({**branch.whole, key: (widest[0], cut)}, branch.spreads),
            _Branch({**branch.whole, key: (cut + 1, widest[1])}, branch.spreads),
        ]

    def _by_squares(self, spreads: tuple[_Spread, ...]) -> Decision | None:
        """Decide the mean and deviation of a single score in whole numbers, where its values are short fractions."""
        report = self.report
        if len(spreads) != 1 or len(self.question.metrics) != 1 or report.pooled or self.counts:
            return None
        (spread,) = spreads
        metric = spread.deviation.metric
        if not all(self.tables.always(metric)) or not isinstance(self.question.parts[0], EqualParts):
            return None
        squares = spread.deviation.squares(spread.number)
        if squares is None:
            return Decision("impossible", "so few values have no such deviation")
        lists = [self._short_values(metric, g) for g in range(len(self.choices))]
        if any(own is None for own in lists):
            return None
        values = [(choice.count, [v for v, _ in own or []]) for choice, own in zip(self.choices, lists, strict=True)]
        chosen = whole_sums.reached(
            values, (spread.low / spread.number, spread.high / spread.number), squares, self._squares_fit(spread)
        )
        if chosen is None:
            return None
        if chosen is False:
            return Decision("impossible", "no whole sums of values and of their squares give this mean and deviation")
        tables = [
            [choice.table((own or [])[i][1]) for i in places]
            for choice, own, places in zip(self.choices, lists, chosen, strict=True)
        ]
        return self.question.possible(tables, "whole sums of values and of their squares were found")

    def _short_values(self, metric: Metric, g: int) -> list[tuple[Fraction, int]] | None:
        """Return the values of a metric that is linear in the cells, with a table for each."""
        part = self.question.parts[g]
        assert isinstance(part, EqualParts)
        if not straight(metric, part.positives, part.negatives, self.report.convention):
            return None
        _, first = np.unique(np.round(self.tables.values[metric][g], 10), return_index=True)
        out = []
        for i in first:
            value = part_value(metric, self.choices[g].table(int(i)), self.report.convention)
            if not isinstance(value, Fraction):
                return None
            out.append((value, int(i)))
        return out

    def _squares_fit(self, spread: _Spread) -> Callable[[Fraction, Fraction], bool]:
        reported, count = spread.deviation.reported, spread.number
        means = [r for _, r in self.report.means]
        ends = spread.deviation.squares(count)
        assert ends is not None
        opened = (reported.low_open and reported.low >= 0, reported.high_open)

        def fits(total: Fraction, squares: Fraction) -> bool:
            distance = squares - total * total / count
            return within(distance, *ends, opened=opened) and all(inside(total / count, r) for r in means)

        return fits


def _short_denominator(metric: Metric, size: int) -> bool:
    """Tell whether a metric's values in tables of a size are ratios of numbers that floats tell apart."""
    form = metric.formula.affine_ratio
    return form is not None and form.magnitude(size) < 2 * 10**4


def _opened(question: Question) -> list[tuple[Case, Sums]]:
    """Return what is left of a report in each case: for each, sums in which the report's box is not out of reach."""
    tables = PartTables(question)
    if tables.empty or any(choice.sparse for choice in tables.choices):
        return []
    cases = [Case(tables, counts) for counts in tables.defined_counts()]
    pairs = [(case, case.sums(_Branch({}, case.spreads()))) for case in cases]
    return [(case, sums) for case, sums in pairs if sums is not None]


def _ends(sums: Sums, values: Sequence[Floats]) -> tuple[float, float]:
    return -sums.largest([-v for v in values]), sums.largest(values)


def pooled_ends(question: Question) -> list[tuple[int, int]]:
    """Return proven ranges of the sums of tp, of tn, and of both, over all parts."""
    ends = []
    for a, b in ((1, 0), (0, 1), (1, 1)):
        pairs = [
            _ends(sums, [(a * choice.tp + b * choice.tn).astype(np.float64) for choice in sums.choices])
            for _, sums in _opened(question)
        ]
        joined = _joined(pairs)
        # Where nothing is known of sums, they are still counts.
        ends.append((0, question.report.total) if joined is None else (ceil(joined[0]), floor(joined[1])))
    return ends


def _joined(pairs: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """Return the ends of all ranges; None where floats find none.

    An exact claim leaves no room: what rounding takes for empty need not be.
    """
    if not pairs or not all(isfinite(low) and isfinite(high) for low, high in pairs):
        return None
    return min(low for low, _ in pairs), max(high for _, high in pairs)


def mean_ends(question: Question, metric: Metric) -> tuple[Fraction, Fraction] | None:
    """Return proven ends of the mean of a metric that the report speaks of; None where floats find none."""
    joined = _joined([case.mean_range(metric, sums) for case, sums in _opened(question)])
    return None if joined is None else (Fraction(joined[0]), Fraction(joined[1]))
