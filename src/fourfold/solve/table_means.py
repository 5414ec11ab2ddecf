"""Means of scores over parts, decided by the tables that each part may have.

Every sum that a report speaks of is a coordinate, and the report a box. What floats show to be far away is left out;
short lists of choices are looked at in full; else a linear programme proves that the box is out of reach or says where
to search.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil, floor
from typing import Any, Final, Literal

import numpy as np

from ..errors import InputError, TooLarge
from ..exact.reported import Reported
from ..exact.surd import Exact
from ..metrics import Convention, Metric, filled
from ..table import Table
from . import choosing, whole_sums
from .experiment import (
    Decision,
    Deviation,
    EqualParts,
    MeansReport,
    OpenParts,
    Witness,
    how_averaged,
    inside,
    is_defined,
    number_of_tables,
    part_value,
)
from .linear_means import straight
from .mixtures import Coordinate, Mixture, Sums
from .problem import Cells, Floats, Part
from .region import fitting, half_planes
from .rows import first_of_alike

# All choices are looked at before anything else where the two lists are at most this long, and at last.
_FEW_LISTED, _MANY_LISTED, _MOST_LISTED = 6_000, 60_000, 600_000
# Moves that are listed in the first search for a choice and in the last; a shorter one joins no sides.
_FIRST_EFFORT, _LAST_EFFORT, _SHORT_EFFORT = 200_000, 800_000, 20_000
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
# Sums over repeated parts that are known are known to this much.
_TIED: Final = (1 - Fraction(1, 1000), 1 + Fraction(1, 1000))


def score_floats(metric: Metric, cells: dict[str, Any], convention: Convention) -> Floats:
    """Return a metric's values at many tables, nan where it has none: `part_value` in floats."""
    mean, convention = how_averaged(metric, convention)
    if mean is None:
        return filled(metric.formula.evaluate(cells), metric.fill(convention))
    sizes = np.array([cells["tp"] + cells["fn"], cells["fp"] + cells["tn"]], dtype=float)
    values = np.array([formula.evaluate(cells) for formula in metric.components])
    return convention.mean_floats(values, sizes if mean.average == "weighted" else 1.0 + 0 * sizes)


def too_many(report: MeansReport) -> bool:
    """Tell whether the parts have more tables than are listed."""
    return number_of_tables(report.parts) > MOST_TABLES


def decided(report: MeansReport, effort: float = 1.0, start: Witness = ()) -> Decision:
    """Decide a report, with equal parts put together, by the tables of its parts.

    A search may start at tables that meet some of the claims.
    """
    tables = PartTables(report)
    if tables.empty:
        sparse = any(choice.sparse for choice in tables.choices)
        return Decision("undecided" if sparse else "impossible", tables.empty)
    left_open = None
    for counts in tables.defined_counts():
        decision = Case(tables, counts, effort, start).decided()
        if decision.verdict == "possible":
            return decision
        left_open = left_open or (decision if decision.verdict == "undecided" else None)
    return left_open or decision


def mixed(report: MeansReport) -> Decision:
    """Decide whether means are possible where all parts may be repeated, in any shares of their tables.

    The convex hull tells: a direction proves that there are no such shares, and shares are checked in fractions.
    """
    report = report.grouped()
    if too_many(report):
        return Decision("undecided", "the parts have too many tables to look at any")
    tables = PartTables(report)
    if tables.empty:
        return Decision("impossible", tables.empty)
    # Repeats leave a sum that is known a little room, so that shares are found well within.
    coordinates = [
        c._replace(low=c.low * _TIED[0], high=c.high * _TIED[1]) if c.low is not None and c.low == c.high else c
        for c in Case(tables, {}).coordinates()
    ]
    mixture = Sums(tables.choices, coordinates).mixed()
    if mixture is False:
        return Decision("impossible", "along a direction all averages stay short of the report")
    whole = sum(part.count * part.weight for part in report.parts)
    weights, chosen = [], []
    for part, choice, own in zip(report.parts, tables.choices, mixture or (), strict=False):
        amounts = [Fraction(amount).limit_denominator(10**9) for amount in own.values()]
        # Floats add up to nearly all of this kind of part, and the shares must to all of it.
        weights += [amount / sum(amounts) * part.count * part.weight / whole for amount in amounts]
        chosen += [Table.of_counts(**choice.table(place)) for place in own]
    for metric, reported in report.means:
        mean = report.mean(metric, chosen, weights) if chosen else None
        if mean is None or not inside(mean, reported):
            return Decision("undecided", "no shares of tables were found")
    return Decision("possible", "shares of tables were found", shares=tuple(zip(weights, chosen, strict=True)))


class PartTables:
    """All tables of each kind of part that obey what is said of every part, with the values of the metrics."""

    def __init__(self, report: MeansReport, lists: Sequence[Part] = ()) -> None:
        self.report, convention = report, report.convention
        #: The metrics whose values over the parts matter.
        self.metrics = list(dict.fromkeys([m for m, _ in report.means] + [d.metric for d in report.deviations]))
        self.choices: list[Part] = []
        self.values: dict[Metric, list[Floats]] = {metric: [] for metric in self.metrics}
        self.empty = ""
        most = MOST_TABLES // len(report.parts) if too_many(report) else MOST_TABLES
        for place, part in enumerate(report.parts):
            if lists:
                choice = lists[place]
            elif isinstance(part, EqualParts) and number_of_tables([part]) > most:
                choice = Part.grid(part.count, (part.positives, part.negatives), _GRID_STEPS)
            else:
                choice = Part.with_margins(part.count, part.margins())
            keep = np.ones(len(choice), dtype=bool)
            for metric, reported in report.each:
                keep &= self._obeys(choice, metric, reported)
            columns = {metric: score_floats(metric, choice.cells(), convention) for metric in self.metrics}
            for values in columns.values():
                keep &= ~np.isnan(values) | (not convention.strict)
            self.choices.append(choice.at(keep))
            if not keep.any():
                self.empty = f"no table of a part with {part.total} cases has what is said of every part"
                return
            for metric, values in columns.items():
                self.values[metric].append(values[keep])

    def _obeys(self, choice: Part, metric: Metric, reported: Reported) -> Any:
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
        """Yield how many parts may have a value, for each metric with a deviation whose parts may lack one."""
        loose = dict.fromkeys(d.metric for d in self.report.deviations if self.sometimes(d.metric))
        total = sum(choice.count for choice in self.choices)
        return (dict(zip(loose, counts, strict=True)) for counts in product(range(total, 0, -1), repeat=len(loose)))


class Case:
    """A report with its tables, while it is fixed how many parts have a value of some metrics."""

    def __init__(self, tables: PartTables, counts: dict[Metric, int], effort: float = 1.0, start: Witness = ()) -> None:
        self.tables, self.counts, self.effort, self.start = tables, counts, effort, start
        self.report, self.choices = tables.report, tables.choices
        self.weights = [part.weight for part in tables.report.parts]

    def _score(
        self, metric: Metric, *box: Any, shift: Fraction = Fraction(0), power: int = 1, weighted: bool = True
    ) -> Coordinate:
        """Return the sum of a metric, of its squares, or of the parts that have it."""
        convention = self.report.convention
        scale = self.weights if weighted else [Fraction(1)] * len(self.weights)
        values = []
        for own, factor in zip(self.tables.values[metric], scale, strict=True):
            known = ~np.isnan(own)
            off = np.where(known, (own - float(shift)) * float(factor), 0.0)
            values.append(off**power if power else known * float(factor))

        def exact(g: int, table: Cells) -> Exact:
            value = part_value(metric, table, convention)
            if value is None or not power:
                return Fraction(0) if value is None else scale[g]
            off = (value - shift) * scale[g]
            return off if power == 1 else off * off

        return Coordinate(tuple(values), exact, *box)

    def _counted(self, factors: dict[str, int], low: int | None, high: int | None = None) -> Coordinate:
        """Return a sum of counts times factors over all parts."""
        columns = [choice.cells() for choice in self.choices]
        # Factors may be too large for machine integers.
        values = tuple(np.asarray(sum(float(a) * cells[name] for name, a in factors.items())) for cells in columns)
        least, most = (None if end is None else Fraction(end) for end in (low, high))
        return Coordinate(values, lambda _, cells: Fraction(sum(a * cells[n] for n, a in factors.items())), least, most)

    def _mean(self, metric: Metric, reported: Reported) -> list[Coordinate]:
        low, high, *opened = reported.low, reported.high, reported.low_open, reported.high_open
        if metric in self.counts or not self.tables.sometimes(metric):
            whole = self._whole(metric)
            sum_in = self._score(metric, low * whole, high * whole, *opened)
            return [sum_in if whole else self._score(metric, Fraction(1), power=0)]
        # A mean is in an interval just where the sum of what lies above its low end is not negative, and so on.
        return [
            self._score(metric, Fraction(0), None, opened[0], shift=low),
            self._score(metric, None, Fraction(0), False, opened[1], shift=high),
            self._score(metric, Fraction(1), power=0, weighted=False),
        ]

    def _whole(self, metric: Metric, *, weighted: bool = True) -> Fraction:
        """Return the weight of all parts that have a value, or their number."""
        weights = self.weights if weighted else [Fraction(1)] * len(self.weights)
        if metric in self.counts:
            return self.counts[metric] * weights[0]
        known = zip(weights, self.choices, self.tables.always(metric), strict=True)
        return sum((weight * choice.count for weight, choice, value in known if value), Fraction(0))

    def _pooled_sums(self) -> list[Coordinate]:
        report, out = self.report, []
        positives = report.all_positives
        negatives = report.total - positives
        if any(isinstance(part, OpenParts) for part in report.parts):
            out.append(self._counted({"tp": 1, "fn": 1}, positives, positives))
        if report.uneven is not None:
            share = report.all_positives / report.total
            values = tuple((c.positives - share * (c.positives + c.negatives)) ** 2 for c in self.choices)
            out.append(Coordinate(values, lambda _, t: report.off(t["tp"] + t["fn"], sum(t.values())),
                Fraction(0), report.uneven))  # fmt: skip
        if report.pooled:
            held = [constraint for constraint in report.pooled if is_defined(constraint, report.convention)]
            ends: list[int | None] = [None] * 4
            try:
                rows, _ = fitting(held, positives, negatives, most_rows=_MOST_POOLED_ROWS)
                if not len(rows):
                    return [self._counted({"tp": 1}, -2, -1)]
                ends = [int(x) for x in (rows.tp.min(), rows.tp.max(), rows.low.min(), rows.high.max())]
            except (TooLarge, InputError):
                pass
            out += [self._counted({"tp": 1}, *ends[:2]), self._counted({"tn": 1}, *ends[2:])]
            for a, b, c in half_planes(held, positives, negatives):
                out.append(self._counted({"tp": a, "tn": b}, -c))
        return out

    def _spread(self, deviation: Deviation) -> tuple[int, Fraction, Fraction]:
        """Return the number of values that vary, and the range of their sum."""
        count = int(self._whole(deviation.metric, weighted=False))
        values = np.concatenate([v[~np.isnan(v)] for v in self.tables.values[deviation.metric]])
        least, most = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
        # A little room for floats.
        low = Fraction(least - 1e-9 * (1 + abs(least))) * count
        high = Fraction(most + 1e-9 * (1 + abs(most))) * count
        for metric, reported in self.report.means:
            if metric == deviation.metric:
                low, high = max(low, reported.low * count), min(high, reported.high * count)
        return max(count, 1), low, max(low, high)

    def coordinates(self) -> list[Coordinate]:
        """Return the sums that the report speaks of."""
        out = [*self._pooled_sums(), *(c for constraint in self.report.means for c in self._mean(*constraint))]
        for metric, count in self.counts.items():
            out.append(self._score(metric, Fraction(count), Fraction(count), power=0, weighted=False))
        for deviation in self.report.deviations:
            number, low, high = self._spread(deviation)
            score, squares = partial(self._score, deviation.metric, weighted=False), deviation.squares(number)
            if squares is None:
                out.append(score(Fraction(-2), Fraction(-1), power=0))
            else:
                # A box around the middle of where the mean is.
                middle, off = (low + high) / 2 / number, (high - low) / 2
                out.append(score(low, high))
                out.append(score(squares[0], squares[1] + off * off / number, shift=middle, power=2))
        return out

    def sums(self) -> Sums | None:
        """Return these sums without tables that cannot fit; None if no others are left."""
        return Sums(self.choices, self.coordinates()).narrowed()

    def mean_range(self, metric: Metric, sums: Sums) -> tuple[float, float]:
        """Return proven ends of a mean: of a sum, or of the number around which nothing is left over."""
        places = [choice.places(c.positives, c.tp, c.tn) for choice, c in zip(self.choices, sums.choices, strict=True)]
        if metric in self.counts or not self.tables.sometimes(metric):
            low, high = sums.ends([v[p] for v, p in zip(self._score(metric).values, places, strict=True)])
            whole = float(self._whole(metric))
            return low / whole - _ROOM, high / whole + _ROOM
        values = [v[p] for v, p in zip(self.tables.values[metric], places, strict=True)]
        known = np.concatenate([v[~np.isnan(v)] for v in values])
        ends = []
        for sign, sure, other in ((-1, known.min(), known.max()), (1, known.max(), known.min())):
            # By bisection: the mean is at most a number if the sum of what lies above it is at most 0.
            for _ in range(12):
                middle = (sure + other) / 2
                over = [sign * (v - middle) * float(w) for v, w in zip(values, self.weights, strict=True)]
                if sums.largest([np.nan_to_num(own, nan=0.0) for own in over]) <= 0:
                    sure = middle
                else:
                    other = middle
            ends.append(float(sure + sign * _ROOM))
        return ends[0], ends[1]

    def fits(self, sums: Sums, chosen: choosing.Chosen) -> bool:
        """Tell exactly whether a choice is as the report says."""
        return self.report.holds(self._witness(sums, chosen))

    def _witness(self, sums: Sums, chosen: choosing.Chosen) -> Witness:
        pairs = zip(sums.choices, chosen, strict=True)
        return tuple(tuple(Table.of_counts(**choice.table(i)) for i in own) for choice, own in pairs)

    def _answer(self, sums: Sums, chosen: choosing.Chosen | Literal[False] | None, reason: str) -> Decision | None:
        """Return the decision that a choice makes, or that there is none."""
        if chosen is False:
            return Decision("impossible", reason)
        return None if chosen is None else Decision("possible", reason, self._witness(sums, chosen))

    def decided(self) -> Decision:
        """Decide, cheap ways first."""
        if any(choice.sparse for choice in self.choices):
            return self._by_some()
        if (decision := self._by_squares()) is not None:
            return decision
        sums = self.sums()
        if sums is None:
            return Decision("impossible", "no table of some part leaves the others a way to the means")
        if (decision := self._exhausted(sums, _FEW_LISTED)) is not None:
            return decision
        mixture = sums.mixed()
        if mixture is False:
            return Decision("impossible", "along a direction all sums over the parts stay short of the report")
        most = int(_MANY_LISTED * self.effort)
        if most > _FEW_LISTED and (decision := self._exhausted(sums, most)) is not None:
            return decision
        if (decision := self._searched(sums, mixture, _FIRST_EFFORT)) is not None:
            return decision
        if self.effort < 1:
            return Decision("undecided", "no tables were found in a short search")
        if (decision := self._by_sides(sums)) is not None:
            return decision
        if (decision := self._exhausted(sums, int(_MOST_LISTED * self.effort))) is not None:
            return decision
        decision = self._searched(sums, mixture, _LAST_EFFORT, seed=1)
        return decision or Decision("undecided", "no tables were found, and there are too many choices to look at all")

    def _by_some(self) -> Decision:
        """Look for tables among some of those that the parts may have, then closer around those that came nearest.

        That can only show that a report is possible.
        """
        case, share = self, 1.0
        for _ in range(_GRIDS):
            sums = None if case.tables.empty else case.sums()
            mixture = sums.mixed() if sums else None
            if sums is None or not mixture:
                break
            exchange = choosing.Exchange(sums, partial(case.fits, sums))
            chosen = exchange.run(mixture, int(_GRID_EFFORT * self.effort))
            reason = "tables were found among some that the parts may have"
            if (decision := case._answer(sums, chosen, reason)) is not None:
                return decision
            if not len(exchange.best[1]):
                break
            share *= _GRID_SHARE
            lists = []
            for choice, own in zip(sums.choices, exchange.chosen(exchange.best[1]), strict=True):
                margins = int(choice.positives[0]), int(choice.negatives[0])
                around = [(int(choice.tp[i]), int(choice.tn[i])) for i in own]
                lists.append(Part.grid(choice.count, margins, _GRID_STEPS // 2, around, share))
            case = Case(PartTables(self.report, lists), self.counts)
        return Decision("undecided", "no tables were found, and the parts have too many tables to look at all")

    def _exhausted(self, sums: Sums, most: int) -> Decision | None:
        # Values that differ do so by more than floats are off where they are ratios of short numbers.
        size = max(int((c.positives + c.negatives).max()) for c in sums.choices)
        forms = [metric.formula.affine_ratio if metric.formula.flat else None for metric in self.tables.metrics]
        short = all(form is not None and form.magnitude(size) < 2 * 10**4 for form in forms)
        if size <= 1000 and min(self.weights) >= _LIGHTEST and short:
            # Tables that add the same to every sum as another are left out.
            sums = sums.at([np.sort(first_of_alike(np.round(p, 11))) for p in sums.points])
        chosen = choosing.exhausted(sums, most, partial(self.fits, sums))
        return self._answer(sums, chosen, "all choices of tables were looked at")

    def _by_sides(self, sums: Sums) -> Decision | None:
        same = all(choice.same_margins for choice in sums.choices)
        chosen = choosing.Sides(sums, partial(self.fits, sums)).exhausted() if same else None
        return self._answer(sums, chosen, "all choices of tables were looked at, tp and tn listed apart")

    def _searched(self, sums: Sums, mixture: Mixture | None, effort: float, seed: int = 0) -> Decision | None:
        if mixture is None:
            return None
        fits, moves = partial(self.fits, sums), effort * self.effort
        # The tables to start at, if they are among those that are left.
        known = [
            int(choice.places(np.array(table.positives), table.tp, table.tn))
            for choice, tables in zip(sums.choices, self.start, strict=False)
            for table in tables
        ]
        exchange = choosing.Exchange(sums, fits, seed)
        chosen = exchange.run(mixture, int(moves), np.array(known) if known and min(known) >= 0 else None)
        nearest, same = exchange.best[1], all(choice.same_margins for choice in sums.choices)
        if chosen is None and moves > _SHORT_EFFORT and len(nearest) and same:
            chosen = choosing.Sides(sums, fits, seed).around(nearest, ceil(moves / _MOVES_A_ROUND))
        return self._answer(sums, chosen, "tables were found by exchanging cases")

    def _by_squares(self) -> Decision | None:
        """Decide the mean and deviation of a single score in whole numbers, where its values are short fractions."""
        report = self.report
        if len(report.deviations) != 1 or len(self.tables.metrics) != 1 or report.pooled or self.counts:
            return None
        (deviation,), (metric,) = report.deviations, self.tables.metrics
        known = [part for part in report.parts if isinstance(part, EqualParts)]
        if not all(self.tables.always(metric)) or len(known) < len(report.parts):
            return None
        number, low, high = self._spread(deviation)
        squares = deviation.squares(number)
        if squares is None:
            return Decision("impossible", "so few values have no such deviation")
        lists: list[list[tuple[Fraction, Table]]] = []
        for part, choice, values in zip(known, self.choices, self.tables.values[metric], strict=True):
            if not straight(metric, part, report.convention):
                return None
            _, first = np.unique(np.round(values, 10), return_index=True)
            lists.append([])
            for cells in (choice.table(int(i)) for i in first):
                value = part_value(metric, cells, report.convention)
                if not isinstance(value, Fraction):
                    return None
                lists[-1].append((value, Table.of_counts(**cells)))

        def fits(total: Fraction, squared: Fraction) -> bool:
            mean = total / number
            return deviation.fits(squared - total * mean, number) and all(inside(mean, r) for _, r in report.means)

        counted = [(choice.count, [value for value, _ in own]) for choice, own in zip(self.choices, lists, strict=True)]
        chosen = whole_sums.reached(counted, (low / number, high / number), squares, fits)
        if chosen is False:
            return Decision("impossible", "no whole sums of values and of their squares give this mean and deviation")
        if chosen is None:
            return None
        witness = tuple(tuple(own[i][1] for i in places) for own, places in zip(lists, chosen, strict=True))
        possible = Decision("possible", "whole sums of values and of their squares were found", witness)
        return possible if report.holds(witness) else None


def _opened(report: MeansReport) -> list[tuple[Case, Sums]]:
    """Return what is left of a report in each case: for each, sums in which the report's box is not out of reach."""
    tables = PartTables(report)
    if tables.empty or any(choice.sparse for choice in tables.choices):
        return []
    cases = [Case(tables, counts) for counts in tables.defined_counts()]
    return [(case, sums) for case in cases if (sums := case.sums()) is not None]


def _joined(pairs: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """Return the ends of all ranges; None where floats find none.

    An exact claim leaves no room: what rounding takes for empty need not be.
    """
    known = bool(pairs) and bool(np.isfinite(pairs).all())
    return (min(low for low, _ in pairs), max(high for _, high in pairs)) if known else None


def pooled_ends(report: MeansReport) -> list[tuple[int, int]]:
    """Return proven ranges of the sums of tp, of tn, and of both, over all parts."""
    opened, ends = _opened(report), []
    for a, b in ((1, 0), (0, 1), (1, 1)):
        joined = _joined(
            [
                sums.ends([np.asarray(a * part.tp + b * part.tn, dtype=float) for part in sums.choices])
                for _, sums in opened
            ]
        )
        # Where nothing is known of sums, they are still counts.
        ends.append((0, report.total) if joined is None else (ceil(joined[0]), floor(joined[1])))
    return ends


def mean_ends(report: MeansReport, metric: Metric) -> tuple[Fraction, Fraction] | None:
    """Return proven ends of the mean of a metric that the report speaks of; None where floats find none."""
    joined = _joined([case.mean_range(metric, sums) for case, sums in _opened(report)])
    return None if joined is None else (Fraction(joined[0]), Fraction(joined[1]))
