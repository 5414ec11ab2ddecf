"""The space of all tables of a size: how many there are, walking them, and where metrics are undefined.

Whether a sum of cells is zero depends only on which cells are zero. So holes are counted by *support*, the set of
cells that are not zero: there are 15 of them, each with a binomial number of tables. A metric whose guards can also
cancel (the prevalence threshold) needs more than that on one support, and gets it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations
from math import comb, prod
from typing import Annotated, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, Note, Notes, TooLarge
from ..exact import CELLS, Formula, absence, equality, vanishes, zero_sets
from ..metrics import WORDS, Contrast, Metric, MetricId, find
from ..shape import Chance, Count, Result, also
from ..table import Tables, whole
from .rows import unrolled

# Factoring a size by trial division takes about a second here.
_LARGEST_FACTORED: Final = 10**14
# How many tables may be looked at one by one where no count is known.
_MOST_TABLES: Final = 10**6


def count(total: int) -> int:
    """Return how many tables of a size there are (001 Theorem A.1)."""
    return _splits(4, whole(total, "size"))


def count_with_cell(value: int, total: int) -> int:
    """Return how many tables of a size have a given cell equal to a value (001 Theorem A.2)."""
    return _splits(3, whole(total, "size") - whole(value, "value"))


def walk(total: int) -> Iterator[Tables]:
    """Walk all tables of a size, as arrays with one value of tp each."""
    total = whole(total, "size")
    for tp in range(total + 1):
        rest = total - tp
        fn, fp = unrolled(np.zeros(rest + 1, dtype=np.int64), np.arange(rest + 1, 0, -1))
        yield Tables(tp=np.full(len(fn), tp), fn=fn, fp=fp, tn=rest - fn - fp)


class Cause(NamedTuple):
    """A cause of undefined tables."""

    reason: Annotated[str, "In words."]
    count: Annotated[Count, "The tables that have it."]  # type: ignore[assignment]


@dataclass(frozen=True)
class Holes(Result, schema="holes", source="`holes`", members="metric sizes count total share reasons notes"):
    """How many tables of a size, or pairs of tables, leave a metric undefined, and why.

    Examples
    --------
    >>> found = holes("mcc", 30)
    >>> found.count, found.total, round(found.share, 3)
    (120, 5456, 0.022)
    """

    metric: MetricId
    label: str
    sizes: Annotated[
        tuple[Count, ...], "The number of cases; for two groups, two numbers.", also(minItems=1, maxItems=2)
    ]
    count: Annotated[Count, "The tables, or pairs of tables, that leave it undefined."]
    total: Annotated[Count, "All tables, or pairs of tables."]
    reasons: Annotated[tuple[Cause, ...], "Each cause; a table may have several."]
    notes: Notes = ()

    @property
    def share(self) -> Chance:
        """The share of tables that leave it undefined."""
        return float(Fraction(self.count, self.total))

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each reason, or one without a reason if there are no holes."""
        base = {"metric": self.metric, "size": " ".join(map(str, self.sizes)), "undefined": self.count}
        base |= {"tables": self.total, "share": self.share}
        return [base | {"reason": words, "because": n} for words, n in self.reasons] or [base]


def holes(metric: str | Metric | Contrast, size: int | Sequence[int]) -> Holes:
    """Count exactly the tables of a size for which a metric is undefined.

    Parameters
    ----------
    metric
        An id or alias; also of a measure of two groups, for which pairs of tables are counted.
    size
        The number of cases; for two groups a pair of numbers, or one number for both.

    Examples
    --------
    >>> holes("prevalence_threshold", 30).count
    196
    >>> holes("treatment_equality", (1, 1)).count
    15
    """
    chosen = find(metric)
    sizes = _sizes(size, pair=isinstance(chosen, Contrast))
    if isinstance(chosen, Contrast):
        names: Sequence[tuple[str, ...]] = [tuple(f"{name}_{i}" for name in CELLS) for i in (1, 2)]
        guards = [guard for part in chosen.parts for guard in part.guards]
    else:
        names, guards = [CELLS], list(chosen.formula.guards)
    own_guards = [[guard for guard in guards if set(guard.quantities) <= set(group)] for group in names]
    if not all(any(guard in own for own in own_guards) for guard in guards):
        hint = "ask for a measure that divides within one group at a time"
        raise InputError("bad_metric", "metric", "divides by something of both groups", chosen.id, hint)
    total, defined = prod(map(count, sizes)), 1
    reasons: dict[str, int] = {}
    for group, n, own in zip(names, sizes, own_guards, strict=True):
        defined *= count(n) - _undefined(own, group, n)
        others = total // count(n)
        for guard in own:
            if guard.signed:
                reasons[equality(guard, WORDS)] = others * _undefined([guard], group, n)
            else:
                absent = {absence(zeros): _splits(len(group) - len(zeros), n) for zeros in zero_sets(guard)}
                reasons |= {words: others * number for words, number in absent.items()}
    causes = tuple(Cause(words, number) for words, number in reasons.items() if number)
    return Holes(chosen.id, chosen.label, sizes, total - defined, total, causes)


@dataclass(frozen=True)
class Description(Result, schema="metric", source="`metrics NAME`", members="metric=entry holes notes"):
    """One metric, or one measure of two groups, with its holes at a few sizes."""

    entry: Annotated[Metric | Contrast, "A metric, or a measure of two groups."]
    holes: Annotated[tuple[Holes, ...], "Its undefined tables at some sizes."]
    notes: Notes = ()

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record."""
        counts = {f"undefined_of_size_{holes.sizes[0]}": holes.count for holes in self.holes}
        return [self.entry.to_dict() | counts]


def describe(metric: str | Metric | Contrast, sizes: Sequence[int] = (10, 100, 1000)) -> Description:
    """Describe a metric: its formula, and how many tables of some sizes leave it undefined.

    Examples
    --------
    >>> [found.count for found in describe("precision").holes]
    [11, 101, 1001]
    """
    chosen = find(metric)
    counted = []
    notes: tuple[Note, ...] = ()
    for size in sizes:
        try:
            counted.append(holes(chosen, size))
        except TooLarge:
            notes = (Note("sizes_left_out", f"size {size} and above would take too long to count", {"size": size}),)
            break
    return Description(chosen, tuple(counted), notes)


def _sizes(size: int | Sequence[int], *, pair: bool) -> tuple[int, ...]:
    given = tuple(size) if isinstance(size, Sequence) and not isinstance(size, str) else (size,)
    sizes = tuple(whole(number, "size") for number in given)
    if len(sizes) not in ((1, 2) if pair else (1,)):
        problem = "must be two numbers for a pair of groups" if pair else "must be one number for a score of one table"
        raise InputError("bad_option", "size", problem, size, f"give {'two sizes' if pair else 'one size'}")
    return sizes * 2 if pair and len(sizes) == 1 else sizes


def _undefined(guards: Sequence[Formula], names: tuple[str, ...], size: int) -> int:
    """Return how many tables make at least one guard zero, summed over the supports."""
    undefined = 0
    for support in chain.from_iterable(combinations(names, length) for length in range(len(names) + 1)):
        zeros = frozenset(names) - set(support)
        status = [vanishes(guard, zeros) for guard in guards]
        if True in status:
            undefined += _splits(len(support), size - len(support))
        elif None in status:
            open_guards = [guard for guard, known in zip(guards, status, strict=True) if known is None]
            undefined += _cancelling(open_guards, support, size)
    return undefined


def _splits(cells: int, size: int) -> int:
    """Return in how many ways a size splits into a number of cells; less one case a cell, none of them is zero."""
    return (comb(size + cells - 1, cells - 1) if cells else int(size == 0)) if size >= 0 else 0


def _cancelling(guards: Sequence[Formula], support: tuple[str, ...], size: int) -> int:
    """Return how many tables with this support make one of the guards cancel to zero."""
    if all(_is_proportion(guard, support) for guard in guards):
        # 001 Theorem C.5 only bounds this, and wrongly. Margins a and b admit such a table just when the size divides
        # a b; for each a from 1 to size - 1 that holds for gcd(a, size) - 1 of the b.
        return pillai(size) - 2 * size + 1 if size else 0
    moving = tuple(name for name in support if any(name in guard.quantities for guard in guards))
    still = len(support) - len(moving)
    # The other cells share what the moving ones leave; where there are none, the last moving cell takes it.
    walked = len(moving) if still else len(moving) - 1
    most = _MOST_TABLES if all(map(_decided_by_integers, guards)) else _MOST_TABLES // 20
    if comb(size, walked) > most:
        hint = "ask for a smaller size"
        raise TooLarge("too_large", "size", "has too many tables to go through one by one", size, hint)
    cancelling = 0
    for points in _positive_points(walked, size - max(still, 1)):
        rest = size - points.sum(axis=0)
        absent = {name: np.zeros_like(rest) for guard in guards for name in guard.quantities}
        values = absent | dict(zip(moving, (*points, rest), strict=False))
        zero = np.any([_zero_at(guard, values) for guard in guards], axis=0)
        cancelling += sum(_splits(still, int(left) - still) for left in rest[zero]) if still else int(zero.sum())
    return cancelling


def _is_proportion(guard: Formula, support: tuple[str, ...]) -> bool:
    """Tell whether a guard cancels just where the table's rows are in proportion: tp tn = fp fn."""
    if len(support) < len(CELLS) or (ratio := guard.ratio()) is None:
        return False
    tp, fn, fp, tn = support
    terms = ratio.numerator.terms
    right, wrong = tuple(sorted((tp, tn))), tuple(sorted((fn, fp)))
    return terms.keys() == {right, wrong} and terms[right] == -terms[wrong]


def _decided_by_integers(guard: Formula) -> bool:
    return guard.rational and not any(inner.signed for inner in guard.guards)


def _zero_at(guard: Formula, values: dict[str, NDArray[np.int64]]) -> NDArray[np.bool_]:
    """Tell at which points a guard is zero, exactly."""
    if _decided_by_integers(guard) and (ratio := guard.ratio()):
        return np.asarray(ratio.numerator.at({name: array.astype(object) for name, array in values.items()}) == 0)
    points = zip(*(array.tolist() for array in values.values()), strict=True)
    return np.array([guard.exact(dict(zip(values, point, strict=True))) == 0 for point in points], dtype=bool)


def _positive_points(dimensions: int, most: int) -> Iterator[NDArray[np.int64]]:
    """Walk all points with coordinates of at least 1 that add up to at most a number, a column a point."""
    if dimensions == 0:
        yield np.empty((0, 1), dtype=np.int64)
    elif dimensions == 1:
        yield np.arange(1, most + 1)[np.newaxis]
    else:
        for first in range(1, most - dimensions + 2):
            for others in _positive_points(dimensions - 1, most - first):
                yield np.vstack([np.full(others.shape[1], first), others])


def pillai(n: int) -> int:
    """Return the sum of gcd(k, n) over k = 1..n, from the prime factors of n."""
    if n > _LARGEST_FACTORED:
        hint = f"sizes up to {_LARGEST_FACTORED} are factored"
        raise TooLarge("too_large", "size", "is too large to factor", n, hint)
    total, divisor = 1, 2
    while n > 1:
        # What is left has no divisor up to its root: it is prime.
        divisor = divisor if divisor * divisor <= n else n
        power = 0
        while n % divisor == 0:
            n, power = n // divisor, power + 1
        if power:
            total *= divisor ** (power - 1) * ((power + 1) * divisor - power)
        divisor += 1 if divisor == 2 else 2
    return total
