"""The tables that fit a set of claims, as rows with an interval of tn each.

With the margins known a table is a point (tp, tn). Two facts carry everything here. Where a metric is a ratio of two
affine forms, a claim about it is a pair of half-planes with integer coefficients. And every metric is row-monotone: in
a row of fixed tp it only rises or only falls with tn where it is defined, so *any* claim leaves one interval in a row,
found by bisection. Integers decide; floats only say where a decision is easy.

Between half-planes the number of tables in a row is a difference of floors of affine forms. Sums of such floors follow
the steps of Euclid's algorithm, so that a set of 10^10 tables is counted as fast as one of ten.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np

from ..errors import InputError, TooLarge
from ..exact import CELLS, Formula, Program, zero_sets
from ..exact.reported import Reported
from ..exact.surd import Exact
from ..metrics import METRICS, Metric
from ..strategy import strategy
from .rows import Bools, Ints, Record, Rows, exact_sum, unrolled

#: ``a tp + b tn + c >= 0``.
Plane = tuple[Any, Any, Any]
#: A metric and the interval its value must lie in.
Constraint = tuple[Metric, Reported]
# Where nothing cancels, floats are off by no more than so many units in the last place.
_UNITS: Final = 16
#: ``(a, c, m)`` stands for ``floor((a x + c) / m)``.
Line = tuple[int, int, int]


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
        rows = cut(planes, Rows.of(0 * tp + positives, 0 * tp + negatives, tp, 0 * tp, 0 * tp + negatives))
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
    pair, tp = unrolled(first, lengths)
    rows = Rows.of(positives[pair], negatives[pair], tp, 0 * tp, negatives[pair])
    by_row: list[Any] = [
        tuple(part[pair] if isinstance(part, np.ndarray) else part for part in plane) for plane in planes
    ]
    return _refined(cut(by_row, rows), constraints), len(pair)


def _too_large(rows: int) -> TooLarge:
    hint = "give more sizes or scores, or raise the budget"
    return TooLarge("too_large", "budget", "more rows would have to be searched", rows, hint)


def _refined(rows: Rows, constraints: Sequence[Constraint]) -> Rows:
    rim = _touches_rim(rows)
    for metric, _ in constraints:
        if rim or metric.formula.cancels:
            rows = defined(rows, metric.formula)
    for metric, reported in constraints:
        if not metric.formula.flat:
            rows = on_side(rows, metric.formula, reported.low, above=True, strict=reported.low_open)
            rows = on_side(rows, metric.formula, reported.high, above=False, strict=reported.high_open)
    return rows


def half_planes(constraints: Sequence[Constraint], positives: Any, negatives: Any) -> list[Plane]:
    """Return constraints as ``a tp + b tn + c >= 0`` with integer coefficients; those that are curved have none."""
    planes: list[Plane] = []
    for metric, reported in constraints:
        formula, low, high = metric.formula, reported.low, reported.high
        if not formula.flat:
            continue
        if isinstance(positives, int):
            form = _form_at(formula, positives, negatives)
        else:
            form = _forms_at(formula, (low, high), positives, negatives)
        planes.append(_plane(form, low, 1, reported.low_open))
        planes.append(_plane(form, high, -1, reported.high_open))
    return planes


# The readings of a report, and sets of its claims, ask for the same margins again and again.
@lru_cache(maxsize=4096)
def _form_at(formula: Formula, positives: int, negatives: int) -> tuple[Plane, Plane]:
    assert formula.affine_ratio is not None
    return formula.affine_ratio.at(positives, negatives)


def _forms_at(formula: Formula, ends: Sequence[Fraction], positives: Ints, negatives: Ints) -> tuple[Plane, Plane]:
    """Return numerator and denominator for many margins, in integers wide enough to be multiplied by some ends.

    How wide is decided before anything is multiplied: what has wrapped around cannot be told from what has not.
    """
    form = formula.affine_ratio
    assert form is not None
    margin = int(positives.max()) + int(negatives.max()) + 1
    digits = max(abs(part) for end in ends for part in (end.numerator, end.denominator))
    if 4 * form.magnitude(margin) * digits * margin < strategy().machine_integers_below:
        return form.at(positives, negatives)
    return form.at(positives.astype(object), negatives.astype(object))


def _plane(form: tuple[Plane, Plane], end: Fraction, sign: int, strict: bool) -> Plane:
    """Return where a ratio of affine forms is at least a number, at most if the sign is -1; strictly so if strict."""
    (a, b, c), (d, e, f) = form
    down, up = end.as_integer_ratio()
    up, down = sign * up, sign * down
    return up * a - down * d, up * b - down * e, up * c - down * f - strict


def tp_range(planes: Sequence[Plane], positives: int, negatives: int) -> tuple[int, int]:
    """Return the exact range of tp for which some real tn fits: tn is eliminated between every two planes."""
    below, above = [(0, 1, 0)], [(0, -1, negatives)]
    without_tn: list[tuple[Any, Any]] = []
    for a, b, c in planes:
        if b > 0:
            without_tn += [(d * b - a * e, f * b - c * e) for d, e, f in above]
            below.append((a, b, c))
        elif b:
            without_tn += [(a * e - d * b, c * e - f * b) for d, e, f in below]
            above.append((a, b, c))
        else:
            without_tn.append((a, c))
    first, last = 0, positives
    for a, c in without_tn:
        if a > 0:
            if (least := -(c // a)) > first:
                first = least
        elif a < 0:
            if (most := c // -a) < last:
                last = most
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
                if (least := -(rest // b)) > low:
                    low = least
            elif b < 0:
                if (most := rest // -b) < high:
                    high = most
            elif rest < 0:
                high = -1
        if low <= high:
            records.append((positives, negatives, tp, low, high))
    return Rows.of_records(records)


def cut(planes: Sequence[Plane], rows: Rows) -> Rows:
    """Keep what lies in all half-planes, exactly."""
    if not len(rows):
        return rows
    low: Any = rows.low
    high: Any = rows.high
    # A factor must fit in a machine integer even where all that it multiplies is zero.
    largest_tp, largest_tn = max(int(rows.tp.max()), 1), max(int(rows.negatives.max()), 1)
    for a, b, c in planes:
        size = _largest(a) * largest_tp + _largest(b) * largest_tn + _largest(c)
        rest = a * (rows.tp if size < strategy().machine_integers_below else rows.tp.astype(object)) + c
        if not isinstance(b, int):
            divisor = np.where(b == 0, 1, np.abs(b))
            low = np.where(b > 0, np.maximum(low, -(rest // divisor)), low)
            high = np.where(b < 0, np.minimum(high, rest // divisor), high)
            high = np.where((b == 0) & (rest < 0), -1, high)
        elif b > 0:
            low = np.maximum(low, -(rest // b))
        else:
            high = np.minimum(high, rest // -b) if b else np.where(rest < 0, -1, high)
    low, high = np.minimum(low, rows.negatives + 1), np.maximum(high, -1)
    return rows.narrowed(np.asarray(low, dtype=np.int64), np.asarray(high, dtype=np.int64))


def _largest(part: Any) -> int:
    return int(np.max(np.abs(part))) if isinstance(part, np.ndarray) else abs(part)


def defined(rows: Rows, formula: Formula) -> Rows:
    """Take out every table where a formula is undefined."""
    for part in _zeros_of(formula):
        if len(rows):
            throughout, at_one, tn = _zeros_in(rows, part)
            rows = rows.kept(~throughout).without(tn[~throughout], at_one[~throughout])
    return rows


def undefined_in(rows: Rows, formula: Formula) -> Rows:
    """Keep just the tables where a formula is undefined, each once."""
    left, pieces = rows, []
    for part in _zeros_of(formula):
        if len(left):
            throughout, at_one, tn = _zeros_in(left, part)
            some, place = left.at(at_one), tn[at_one]
            pieces += [left.at(throughout), some.narrowed(np.maximum(some.low, place), np.minimum(some.high, place))]
            left = left.kept(~throughout).without(tn[~throughout], at_one[~throughout])
    return Rows.joined(pieces)


def _touches_rim(rows: Rows) -> bool:
    """Tell whether any table has a cell that is zero."""
    if rows.few:
        return any(tp in (0, p) or low == 0 or high == n for p, n, tp, low, high in rows.records)
    least = (rows.tp, rows.positives - rows.tp, rows.low, rows.negatives - rows.high)
    return len(rows) > 0 and any(part.min() == 0 for part in least)


def undefined_somewhere(rows: Rows, formulas: Iterable[Formula]) -> dict[Formula, Rows]:
    """Return the formulas that are undefined in some of the tables, each with such a table."""
    # What makes several so is looked for once.
    found: dict[frozenset[str] | Formula, Rows] = {}
    for part in {part for formula in formulas for part in _zeros_of(formula)}:
        throughout, at_one, tn = _zeros_in(rows, part)
        somewhere = np.flatnonzero(throughout | (at_one & (rows.low <= tn) & (tn <= rows.high)))[:1]
        if len(somewhere):
            row = rows.at(somewhere)
            place = row.low if throughout[somewhere] else tn[somewhere]
            found[part] = row.narrowed(place, place)
    holes = {formula: [found[part] for part in _zeros_of(formula) if part in found] for formula in formulas}
    return {formula: tables[0] for formula, tables in holes.items() if tables}


@lru_cache(maxsize=4096)
def _zeros_of(formula: Formula) -> tuple[frozenset[str] | Formula, ...]:
    """Return what makes a formula undefined: cells that are all zero, and denominators that can cancel."""
    for guard in formula.guards:
        if guard.signed and guard.affine_ratio is None:
            problem = "has a denominator that cannot be searched"
            raise InputError("bad_metric", "metric", problem, guard.text(), "leave it out")
    return tuple(part for guard in formula.guards for part in ([guard] if guard.signed else zero_sets(guard)))


def _zeros_in(rows: Rows, part: frozenset[str] | Formula) -> tuple[Bools, Bools, Ints]:
    """Tell in which rows some cells are all zero, or a denominator is: throughout, or else at one tn, and at which."""
    if isinstance(part, Formula):
        (a, b, c), _ = _forms_at(part, [Fraction(1)], rows.positives, rows.negatives)
        b = b + 0 * rows.tp
        rest = a * rows.tp.astype(b.dtype) + c
        divisor = np.where(b == 0, 1, b)
        tn = np.minimum(np.maximum(-rest // divisor, -1), rows.negatives + 1).astype(np.int64)
        throughout, at_one = (b == 0) & (rest == 0), (b != 0) & (rest % divisor == 0)
        return throughout.astype(bool), at_one.astype(bool), tn
    where = np.ones(len(rows), dtype=bool)
    if "tp" in part:
        where &= rows.tp == 0
    if "fn" in part:
        where &= rows.tp == rows.positives
    if not part & {"fp", "tn"}:
        return where, np.zeros_like(where), rows.tp
    if part >= {"fp", "tn"}:
        where &= rows.negatives == 0
    return np.zeros_like(where), where, rows.negatives if "fp" in part else 0 * rows.tp


def undefined_tables(formula: Formula, positives: Any, negatives: Any, *, most_rows: int) -> Rows:
    """Return the tables with given margins, one pair or many, where a formula is undefined, each once."""
    positives, negatives = np.atleast_1d(positives), np.atleast_1d(negatives)
    # All rows are looked at where it can be undefined whatever tp is, else those where tp or fn is zero.
    every = np.full(len(positives), any(guard.signed for guard in formula.guards))
    for cells in (cells for guard in formula.guards if not guard.signed for cells in zero_sets(guard)):
        if not cells & {"tp", "fn"}:
            every |= (negatives == 0) | (not cells >= {"fp", "tn"})
    if (whole := exact_sum(positives[every]) + int(every.sum())) > max(most_rows, 0):
        raise _too_large(whole)
    counts = np.where(every, positives, np.minimum(positives, 1)) + 1
    pair, place = unrolled(0 * counts, counts)
    tp = np.where(every[pair], place, place * positives[pair])
    return undefined_in(Rows.of(positives[pair], negatives[pair], tp, 0 * tp, negatives[pair]), formula)


def on_side(rows: Rows, formula: Formula, end: Exact, *, above: bool, strict: bool = False) -> Rows:
    """Keep the tables where a formula is at most a number (or at least, if above); strictly so if strict.

    All rows must hold only tables where the formula is defined.
    """
    if not len(rows):
        return rows
    if formula.flat and isinstance(end, Fraction):
        form = _forms_at(formula, [end], rows.positives, rows.negatives)
        return cut([_plane(form, end, 1 if above else -1, strict)], rows)

    def decided(some: Rows, tn: Ints) -> Bools:
        """Tell which tables are on the right side: by floats where that is easy, else exactly."""
        cells, number, within = some.cells(tn), float(end), strategy().compared_exactly_within
        value, error = values_with_error(formula, cells)
        if not end and not formula.signed:
            # Without differences a value is zero just where its float is: no table needs a closer look.
            return np.asarray(value > 0 if strict else value >= 0) if above else np.asarray(value <= 0) & (not strict)
        with np.errstate(invalid="ignore"):
            easy = np.abs(value - number) > within * (1 + np.abs(value) + abs(number)) + error
            right = np.asarray(value > number if above else value < number)
        for i in np.flatnonzero(~easy):
            exact = formula.exact({name: int(part[i]) for name, part in zip(CELLS, cells, strict=True)})
            assert exact is not None, "rows hold only tables where the metric is defined"
            right[i] = not strict if exact == end else (exact > end) == above
        return right

    at_low, at_high = decided(rows, rows.low), decided(rows, rows.high)
    kept = at_low | at_high
    rows, inside = rows.kept(kept), at_low[kept]
    # By bisection in the rows where one end is on the right side and the other is not.
    index = np.flatnonzero((at_low != at_high)[kept])
    if not len(index):
        return rows
    part, inside = rows.at(index), inside[index]
    # `near` is always like the low end, `far` always unlike it.
    near, far = part.low.copy(), part.high.copy()
    while len(still := np.flatnonzero(far - near > 1)):
        middle = (near[still] + far[still]) // 2
        like = decided(part.at(still), middle) == inside[still]
        near[still] = np.where(like, middle, near[still])
        far[still] = np.where(like, far[still], middle)
    low, high = rows.low.copy(), rows.high.copy()
    low[index] = np.where(inside, low[index], far)
    high[index] = np.where(inside, near, high[index])
    return rows.narrowed(low, high)


@lru_cache(maxsize=4096)
def _guarded_program(formula: Formula) -> Program:
    """Return a formula compiled with its denominators that can cancel, and with what could have cancelled in them."""
    guards = [guard for guard in formula.guards if guard.signed]
    return Program([formula, *guards, *(guard.unsigned for guard in guards)])


def values_with_error(formula: Formula, cells: Sequence[Ints]) -> tuple[Any, Any]:
    """Return a formula's values at tables, nan where undefined, and how far each may be off, a few units aside.

    Where denominators can cancel they are long floats: the more cancels, the farther they are off. Where nearly all
    does, they are exact.
    """
    if not formula.cancels:
        return _guarded_program(formula).over(cells)[0], 0.0
    values, *guards = _guarded_program(formula).over(cells, np.longdouble)
    lost, sure = np.ones(len(values), dtype=np.longdouble), np.ones(len(values), dtype=bool)
    half = len(guards) // 2
    for size, largest in zip(map(np.abs, guards[:half]), guards[half:], strict=True):
        sure &= size > strategy().exact_where_left * largest
        lost[sure] = np.maximum(lost[sure], largest[sure] / size[sure])
    lost[~sure] = 1
    for i in np.flatnonzero(~sure).tolist():
        exact = formula.exact({name: int(part[i]) for name, part in zip(CELLS, cells, strict=True)})
        values[i] = np.nan if exact is None else float(exact)
    units = _UNITS * np.where(sure, np.finfo(np.longdouble).eps, np.finfo(np.float64).eps)
    return values, units * lost * (1 + np.abs(values))


@lru_cache(maxsize=4096)
def row_monotone(formula: Formula) -> bool:
    """Check that with known margins a formula only rises or only falls with tn, and with tp, where it is defined.

    What has it can be searched for. The catalogue's own metrics have it by test, averages of them may not. Others are
    looked at in all tables with margins up to 12, and with two larger pairs.
    """
    if any(formula == metric.formula for metric in METRICS.values()):
        return True
    small = np.ogrid[:13, :13, :13, :13]
    large = [np.ogrid[p : p + 1, n : n + 1, : p + 1, : n + 1] for p, n in ((41, 150), (150, 41))]
    for positives, negatives, tp, tn in (small, *large):
        fn, fp = np.maximum(positives - tp, 0), np.maximum(negatives - tn, 0)
        values = formula.evaluate({"tp": tp, "fn": fn, "fp": fp, "tn": tn})
        values = np.where((tp <= positives) & (tn <= negatives), values, np.nan)
        sizes = np.abs(values)
        room = 1e-9 * (sizes + min(1.0, np.fmax.reduce(sizes, axis=None, initial=0.0)))
        for axis in (2, 3):
            falls = (np.fmax.accumulate(values, axis=axis) - values > room).any(axis=axis)
            rises = (values - np.fmin.accumulate(values, axis=axis) > room).any(axis=axis)
            if (rises & falls).any():
                return False
    return True


def count_fitting(constraints: Sequence[Constraint], positives: int, negatives: int) -> tuple[int, int] | None:
    """Return how many tables fit claims that are all half-planes, and in how many rows they may be.

    None where tables with a zero cell are among them: they may be undefined for one of the claims, which only a walk
    over the rows can tell.
    """
    if not all(metric.formula.flat for metric, _ in constraints):
        return None
    planes = half_planes(constraints, positives, negatives)
    first, last = tp_range(planes, positives, negatives)
    if first > last:
        return 0, 0
    if first == 0 or last == positives:
        return None
    count = rows = last - first + 1
    # A smallest tn is minus the floor of minus it: both ends are the least of some floors.
    for sign, most in ((-1, negatives), (1, 0)):
        lines = [(a, c, abs(b)) for a, b, c in planes if b * sign > 0]
        floors = _sum_of_least(lines, (0, most, 1), first, last)
        if floors is None:
            return None
        count += floors
    return count, rows


def _sum_of_least(lines: list[Line], rim: Line, first: int, last: int) -> int | None:
    """Return the sum over x of the least of some floors; None where one reaches the rim of the box."""
    total, x = 0, first
    while x <= last:
        # The lowest line here, and of several the one that stays lowest to the right.
        a, c, m = min(
            lines, key=lambda line: (Fraction(line[0] * x + line[1], line[2]), Fraction(line[0], line[2])), default=rim
        )
        # The last places where it is not above those of smaller slope.
        crossings = [(d * m - c * k) // (a * k - b * m) for b, d, k in lines if b * m < a * k]
        end = max(x, min([last, *crossings]))
        if any((a * at + c) // m >= rim[1] for at in (x, end)):
            return None
        total += _floor_sum(end - x + 1, m, a, a * x + c)
        x = end + 1
    return total


def _floor_sum(count: int, m: int, a: int, b: int) -> int:
    """Return the sum of ``floor((a i + b) / m)`` for i from 0 to count - 1."""
    total = 0
    while count > 0:
        total += count * (count - 1) // 2 * (a // m) + count * (b // m)
        a, b = a % m, b % m
        top = a * count + b
        if top < m:
            break
        count, m, a, b = top // m, a, m, top % m
    return total
