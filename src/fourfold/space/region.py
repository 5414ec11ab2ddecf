"""The tables that fit a set of claims, as rows with an interval of tn each.

With the margins known a table is a point (tp, tn). Two facts carry everything here. Where a metric is a ratio of two
affine forms, a claim about it is a pair of half-planes with integer coefficients. And every metric is row-monotone: in
a row of fixed tp it only rises or only falls with tn where it is defined, so *any* claim leaves one interval in a row,
found by bisection. Integers decide; floats only say where a decision is easy.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, TooLarge
from ..formula import CELLS, Formula, Program, zero_sets
from ..metrics import Metric
from ..polynomial import AffineRatio
from ..reported import Reported
from ..strategy import strategy
from ..surd import Exact
from .rows import Bools, Ints, Record, Rows, exact_sum

#: ``a tp + b tn + c >= 0``.
Plane = tuple[Any, Any, Any]
#: A metric and the interval its value must lie in.
Constraint = tuple[Metric, Reported]


def fitting(constraints: Sequence[Constraint], positives: int, negatives: int, *, most_rows: int) -> tuple[Rows, int]:
    """Return every table with given margins that fits, and how many rows were looked at.

    An undefined value lies in no interval. `TooLarge` is raised where more rows would have to be searched.

    Examples
    --------
    >>> from fourfold.metrics import metric
    >>> claim = (metric("accuracy"), Reported.read("0.85"))
    >>> fitting([claim], 40, 60, most_rows=1000)[0].count
    16
    """
    planes = half_planes(constraints, positives, negatives)
    first, last = tp_range(planes, positives, negatives)
    if last - first >= most_rows:
        raise _too_large(last - first + 1)
    if last - first < strategy().plain_rows_up_to:
        rows = _plain_rows(planes, positives, negatives, range(first, last + 1))
    else:
        tp = np.arange(first, last + 1)
        rows = _cut(planes, Rows.of(0 * tp + positives, 0 * tp + negatives, tp, 0 * tp, 0 * tp + negatives))
    return _refined(rows, constraints), last - first + 1


def fitting_many(
    constraints: Sequence[Constraint], positives: Ints, negatives: Ints, *, most_rows: int
) -> tuple[Rows, int]:
    """Do as `fitting` does, for many pairs of margins at once."""
    if not len(positives):
        # Nor would machine integers be widened for long numbers where there are none to look at.
        return Rows.joined([]), 0
    planes = half_planes(constraints, positives, negatives)
    first, last = _tp_ranges(planes, positives, negatives)
    lengths = np.maximum(last - first + 1, 0)
    # In floats: a sum of machine integers could wrap around.
    if (whole := float(lengths.sum(dtype=np.float64))) > most_rows:
        raise _too_large(int(whole))
    pair = np.repeat(np.arange(len(positives)), lengths)
    tp = np.arange(len(pair)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + first[pair]
    rows = Rows.of(positives[pair], negatives[pair], tp, 0 * tp, negatives[pair])
    by_row: list[Any] = [
        tuple(part[pair] if isinstance(part, np.ndarray) else part for part in plane) for plane in planes
    ]
    return _refined(_cut(by_row, rows), constraints), len(pair)


def _too_large(rows: int) -> TooLarge:
    hint = "give more sizes or scores, or raise the budget"
    return TooLarge("too_large", "budget", "more rows would have to be searched", rows, hint)


def _refined(rows: Rows, constraints: Sequence[Constraint]) -> Rows:
    rim = _touches_rim(rows)
    for metric, _ in constraints:
        rows = defined(rows, metric.formula, rim=rim)
    for metric, reported in constraints:
        if not metric.formula.flat:
            rows = on_side(rows, metric.formula, reported.low, above=True, strict=reported.low_open)
            rows = on_side(rows, metric.formula, reported.high, above=False, strict=reported.high_open)
    return rows


def half_planes(constraints: Sequence[Constraint], positives: Any, negatives: Any) -> list[Plane]:
    """Return constraints as ``a tp + b tn + c >= 0`` with integer coefficients; those that are curved have none."""
    planes: list[Plane] = []
    for metric, reported in constraints:
        form = metric.formula.affine_ratio
        if form is None or not metric.formula.flat:
            continue
        p, n = positives, negatives
        if isinstance(p, np.ndarray) and p.size:
            p, n = _wide_enough(form, (reported.low, reported.high), p, n)
        (a, b, c), (d, e, f) = form.at(p, n)
        up, down = reported.low.denominator, reported.low.numerator
        planes.append((up * a - down * d, up * b - down * e, up * c - down * f - reported.low_open))
        up, down = reported.high.denominator, reported.high.numerator
        planes.append((down * d - up * a, down * e - up * b, down * f - up * c - reported.high_open))
    return planes


def _wide_enough(form: AffineRatio, ends: Sequence[Fraction], positives: Ints, negatives: Ints) -> tuple[Any, Any]:
    """Return margins whose products do not overflow: machine integers, or Python's.

    Decided before anything is multiplied: what has wrapped around cannot be told from what has not.
    """
    margin = int(positives.max()) + int(negatives.max()) + 1
    digits = max(abs(part) for end in ends for part in (end.numerator, end.denominator))
    if 4 * form.magnitude(margin) * digits * margin < strategy().machine_integers_below:
        return positives, negatives
    return positives.astype(object), negatives.astype(object)


def tp_range(planes: Sequence[Plane], positives: int, negatives: int) -> tuple[int, int]:
    """Return the exact range of tp for which some real tn fits: tn is eliminated between every two planes."""
    below, above, without_tn = [(0, 1, 0)], [(0, 1, negatives)], []
    for a, b, c in planes:
        if b > 0:
            below.append((a, b, c))
        elif b < 0:
            above.append((a, -b, c))
        else:
            without_tn.append((a, c))
    for a, b, c in below:
        for d, e, f in above:
            without_tn.append((a * e + d * b, c * e + f * b))
    first, last = 0, positives
    for a, c in without_tn:
        if a > 0:
            first = max(first, -(c // a))
        elif a < 0:
            last = min(last, c // -a)
        elif c < 0:
            return 0, -1
    return first, last


def _tp_ranges(planes: Sequence[Plane], positives: Ints, negatives: Ints) -> tuple[Ints, Ints]:
    """Return ranges of tp outside of which nothing fits, for many margins: `tp_range` in floats with room to spare."""
    lines = [tuple(np.asarray(part, dtype=np.float64) for part in plane) for plane in planes]
    lines += [(np.zeros(1), np.ones(1), np.zeros(1)), (np.zeros(1), -np.ones(1), negatives.astype(np.float64))]
    first, last = np.zeros(len(positives)), positives.astype(np.float64)
    with np.errstate(all="ignore"):
        for i, (a, b, c) in enumerate(lines):
            first, last = _narrow(first, last, (a, c), (abs(a), abs(c)), b == 0)
            for d, e, f in lines[i + 1 :]:
                p, q, r, s = a * abs(e), d * abs(b), c * abs(e), f * abs(b)
                first, last = _narrow(first, last, (p + q, r + s), (abs(p) + abs(q), abs(r) + abs(s)), b * e < 0)
    # Cut on both sides: a float far outside would not be a machine integer.
    first, last = np.clip(np.floor(first), 0, positives + 1), np.clip(np.ceil(last), -1, positives)
    return first.astype(np.int64), last.astype(np.int64)


def _narrow(first: Any, last: Any, line: tuple[Any, Any], size: tuple[Any, Any], where: Any) -> tuple[Any, Any]:
    """Narrow ranges of tp by ``a tp + c >= 0``, leaving room for what cancelled in a and c."""
    (a, c), (whole_a, whole_c) = line, size
    cut = -c / a
    room = 1e-12 * whole_c / abs(a) + 1e-5 * (1 + abs(cut))
    clear = where & (abs(a) > 1e-9 * whole_a)
    first = np.where(clear & (a > 0), np.fmax(first, cut - room), first)
    last = np.where(clear & (a < 0), np.fmin(last, cut + room), last)
    never = where & (whole_a == 0) & (c < -1e-12 * whole_c)
    return first, np.where(never, -1.0, last)


def _plain_rows(planes: Sequence[Plane], positives: int, negatives: int, hits: range) -> Rows:
    """Keep what lies in all half-planes, in plain integers."""
    records: list[Record] = []
    for tp in hits:
        low, high = 0, negatives
        for a, b, c in planes:
            rest = a * tp + c
            if b > 0:
                low = max(low, -(rest // b))
            elif b < 0:
                high = min(high, rest // -b)
            elif rest < 0:
                high = -1
        if low <= high:
            records.append((positives, negatives, tp, low, high))
    return Rows.of_records(records)


def _cut(planes: Sequence[Plane], rows: Rows) -> Rows:
    """Keep what lies in all half-planes, exactly."""
    if not len(rows):
        return rows
    low, high = rows.low, rows.high
    # A factor must fit in a machine integer even where all that it multiplies is zero.
    largest_tp, largest_tn = max(int(rows.tp.max()), 1), max(int(rows.negatives.max()), 1)
    for a, b, c in planes:
        size = _largest(a) * largest_tp + _largest(b) * largest_tn + _largest(c)
        rest = a * (rows.tp if size < strategy().machine_integers_below else rows.tp.astype(object)) + c
        low, high = _cut_one(rest, b, low, high) if isinstance(b, int) else _cut_each(rest, b, low, high)
    low, high = np.minimum(low, rows.negatives + 1), np.maximum(high, -1)
    return rows.narrowed(np.asarray(low, dtype=np.int64), np.asarray(high, dtype=np.int64))


def _cut_one(rest: Any, b: int, low: Any, high: Any) -> tuple[Any, Any]:
    """Narrow the rows by ``rest + b tn >= 0``, one b for all."""
    if b > 0:
        return np.maximum(low, -(rest // b)), high
    if b < 0:
        return low, np.minimum(high, rest // -b)
    return low, np.where(rest < 0, -1, high)


def _cut_each(rest: Any, b: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """Narrow the rows by ``rest + b tn >= 0``, a b for each."""
    divisor = np.where(b == 0, 1, np.abs(b))
    low = np.where(b > 0, np.maximum(low, -(rest // divisor)), low)
    high = np.where(b < 0, np.minimum(high, rest // divisor), high)
    return low, np.where((b == 0) & (rest < 0), -1, high)


def _largest(part: Any) -> int:
    return int(np.max(np.abs(part))) if isinstance(part, np.ndarray) else abs(part)


def defined(rows: Rows, formula: Formula, *, rim: bool = True) -> Rows:
    """Take out every table where a formula is undefined; `rim` says whether any table has a cell that is zero."""
    for guard in formula.guards:
        if guard.signed:
            rows = _without_line(rows, guard)
        elif rim:
            for zeros in zero_sets(guard):
                rows = _without_zeros(rows, zeros)
    return rows


def _touches_rim(rows: Rows) -> bool:
    """Tell whether any table has a cell that is zero."""
    if rows.few:
        return any(tp in (0, p) or low == 0 or high == n for p, n, tp, low, high in rows.records)
    least = (rows.tp, rows.positives - rows.tp, rows.low, rows.negatives - rows.high)
    return len(rows) > 0 and any(part.min() == 0 for part in least)


def _without_zeros(rows: Rows, zeros: frozenset[str]) -> Rows:
    """Take out the tables where all these cells are zero."""
    if not len(rows):
        return rows
    where = np.ones(len(rows), dtype=bool)
    if "tp" in zeros:
        where &= rows.tp == 0
    if "fn" in zeros:
        where &= rows.tp == rows.positives
    if not zeros & {"fp", "tn"}:
        return rows.kept(~where)
    if zeros >= {"fp", "tn"}:
        where &= rows.negatives == 0
    return rows.without(rows.negatives if "fp" in zeros else 0 * rows.tp, where)


def _without_line(rows: Rows, guard: Formula) -> Rows:
    """Take out the tables where a guard cancels: at most one in a row."""
    form = guard.affine_ratio
    if form is None:
        problem = "has a denominator that cannot be searched"
        raise InputError("bad_metric", "metric", problem, guard.text(), "leave it out")
    if not len(rows):
        return rows
    positives, negatives = _wide_enough(form, [Fraction(1)], rows.positives, rows.negatives)
    tp = rows.tp.astype(positives.dtype)
    (a, b, c), _ = form.at(positives, negatives)
    b = b + 0 * tp
    rest = a * tp + c
    still = np.asarray((b == 0) & (rest == 0), dtype=bool)
    divisor = np.where(b == 0, 1, b)
    tn = np.asarray(np.minimum(np.maximum(-rest // divisor, -1), negatives + 1), dtype=np.int64)
    on_line = np.asarray((b != 0) & (rest % divisor == 0), dtype=bool)
    return rows.kept(~still).without(tn[~still], on_line[~still])


def undefined_tables(formula: Formula, positives: Any, negatives: Any, *, most_rows: int) -> Rows:
    """Return the tables with given margins, one pair or many, where a formula is undefined, each once."""
    positives, negatives = np.atleast_1d(positives), np.atleast_1d(negatives)
    zeros = [cells for guard in formula.guards if not guard.signed for cells in zero_sets(guard)]
    if len(zeros) == len(formula.guards) and all(cells & {"tp", "fn"} for cells in zeros):
        # Only in the rows where tp or fn is zero.
        pair = np.repeat(np.arange(len(positives)), np.minimum(positives, 1) + 1)
        tp = np.where(np.diff(pair, prepend=-1) != 0, 0, positives[pair])
    else:
        if (whole := exact_sum(positives) + len(positives)) > most_rows:
            raise _too_large(whole)
        pair = np.repeat(np.arange(len(positives)), positives + 1)
        tp = np.arange(len(pair)) - np.repeat(np.cumsum(positives + 1) - positives - 1, positives + 1)
    return undefined_in(Rows.of(positives[pair], negatives[pair], tp, 0 * tp, negatives[pair]), formula)


def undefined_in(rows: Rows, formula: Formula) -> Rows:
    """Keep just the tables where a formula is undefined, each once."""
    left, pieces = rows, []
    for guard in formula.guards:
        if guard.signed:
            rest = _without_line(left, guard)
            pieces.append(_difference(left, rest))
            left = rest
            continue
        for zeros in zero_sets(guard):
            pieces.append(_only_zeros(left, zeros))
            left = _without_zeros(left, zeros)
    return Rows.joined(pieces)


def _only_zeros(rows: Rows, zeros: frozenset[str]) -> Rows:
    """Keep the tables where all these cells are zero."""
    if not len(rows):
        return rows
    where = np.ones(len(rows), dtype=bool)
    if "tp" in zeros:
        where &= rows.tp == 0
    if "fn" in zeros:
        where &= rows.tp == rows.positives
    rows = rows.kept(where)
    low = np.maximum(rows.low, rows.negatives) if "fp" in zeros else rows.low
    return rows.narrowed(low, np.minimum(rows.high, 0) if "tn" in zeros else rows.high)


def _difference(rows: Rows, rest: Rows) -> Rows:
    """Return the tables of rows that are not in the rest of them."""
    kept: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
    for record in rest.records:
        kept.setdefault(record[:3], []).append(record[3:])
    gone: list[Record] = []
    for positives, negatives, tp, low, high in rows.records:
        start = low
        for first, last in sorted(kept.get((positives, negatives, tp), [])):
            if first <= high and last >= low:
                gone += [(positives, negatives, tp, start, first - 1)] if start < first else []
                start = last + 1
        gone += [(positives, negatives, tp, start, high)] if start <= high else []
    return Rows.of_records(gone)


def on_side(rows: Rows, formula: Formula, end: Exact, *, above: bool, strict: bool = False) -> Rows:
    """Keep the tables where a formula is at most a number (or at least, if above); strictly so if strict.

    All rows must hold only tables where the formula is defined.
    """
    if not len(rows):
        return rows
    form = formula.affine_ratio
    if form is None or not formula.flat or not isinstance(end, Fraction):
        return _bisected(rows, _Side(formula, end, above, strict))
    top, bottom = form.at(*_wide_enough(form, [end], rows.positives, rows.negatives))
    up, down = (end.denominator, end.numerator) if above else (-end.denominator, -end.numerator)
    a, b, c = (up * x - down * y for x, y in zip(top, bottom, strict=True))
    return _cut([(a, b, c - strict)], rows)


@lru_cache(maxsize=4096)
def row_monotone(formula: Formula) -> bool:
    """Check row monotonicity on all tables with margins up to 7: what a metric must have to be searched for.

    The catalogue's own metrics have it by test; averages of them may not.
    """
    for positives, negatives in product(range(1, 8), repeat=2):
        tp, tn = np.meshgrid(np.arange(positives + 1), np.arange(negatives + 1), indexing="ij")
        values = formula.evaluate({"tp": tp, "fn": positives - tp, "fp": negatives - tn, "tn": tn})
        for line in (*values, *values.T):
            steps = np.diff(line[~np.isnan(line)])
            if (steps < -1e-9).any() and (steps > 1e-9).any():
                return False
    return True


class _Side(NamedTuple):
    """One end of a claim: whether a formula's value lies on the right side of a number, decided exactly."""

    formula: Formula
    end: Exact
    above: bool
    strict: bool

    def __call__(self, rows: Rows, tn: Ints) -> Bools:
        cell = rows.cells(tn)
        value, doubt = _values(self.formula, cell)
        end = float(self.end)
        if isinstance(self.end, Fraction) and not self.end and not self.formula.signed:
            # Without differences a value is zero just where its float is: no table needs a closer look.
            compare = (np.greater, np.greater_equal) if self.above else (np.less, np.less_equal)
            return np.asarray(compare[not self.strict](value, 0.0))
        with np.errstate(invalid="ignore"):
            easy = np.abs(value - end) > doubt * (1 + np.abs(value) + abs(end))
            on_side = np.asarray(value > end if self.above else value < end)
        for i in np.flatnonzero(~easy):
            on_side[i] = self._exactly([int(part[i]) for part in cell])
        return on_side

    def _exactly(self, cell: list[int]) -> bool:
        value = self.formula.exact(dict(zip(CELLS, cell, strict=True)))
        assert value is not None, "rows hold only tables where the metric is defined"
        if value == self.end:
            return not self.strict
        return bool(value > self.end) == self.above


@lru_cache(maxsize=4096)
def guarded_program(formula: Formula) -> Program:
    """Return a formula compiled with its denominators that can cancel, and with what could have cancelled in them."""
    guards = [guard for guard in formula.guards if guard.signed]
    return Program([formula, *guards, *(guard.unsigned for guard in guards)])


def _values(formula: Formula, cell: tuple[Ints, Ints, Ints, Ints]) -> tuple[Any, Any]:
    """Return a formula's values, and how far they may be off: farther where a denominator nearly cancels."""
    within = strategy().compared_exactly_within
    if not formula.cancels:
        return guarded_program(formula).over(cell)[0], within
    value, *guards = guarded_program(formula).over(cell, np.longdouble)
    half = len(guards) // 2
    with np.errstate(all="ignore"):
        left = np.min([np.abs(g) / whole for g, whole in zip(guards[:half], guards[half:], strict=True)], axis=0)
        doubt = within + 100 * np.finfo(np.longdouble).eps / left
    return value, np.where(np.isnan(doubt), np.inf, doubt)


def _bisected(rows: Rows, side: _Side) -> Rows:
    """Keep one side, by bisection in the rows where one end is on it and the other is not."""
    at_low, at_high = side(rows, rows.low), side(rows, rows.high)
    rows, mixed = rows.kept(at_low | at_high), (at_low != at_high)[at_low | at_high]
    starts_inside = at_low[at_low | at_high]
    index = np.flatnonzero(mixed)
    if not len(index):
        return rows
    part, inside = rows.at(index), starts_inside[index]
    # `near` is always like the low end, `far` always unlike it.
    near, far = part.low.copy(), part.high.copy()
    while len(still := np.flatnonzero(far - near > 1)):
        middle = (near[still] + far[still]) // 2
        like = side(part.at(still), middle) == inside[still]
        near[still] = np.where(like, middle, near[still])
        far[still] = np.where(like, far[still], middle)
    low, high = rows.low.copy(), rows.high.copy()
    low[index] = np.where(inside, low[index], far)
    high[index] = np.where(inside, near, high[index])
    return rows.narrowed(low, high)
