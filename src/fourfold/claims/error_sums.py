"""Which sums, largest values and sums of squares n errors can have, exactly.

For n numbers of 0 or more with sum S and largest M (so M <= S <= nM), the sum of squares takes every value from
M² + (S - M)²/(n - 1), the others alike, to kM² + (S - kM)² with k = floor(S/M), as many as possible at M or 0, and no
other. Both ends rise strictly with S and with M. So where S, M and the squares are known as ranges, it is enough to
look at the smallest and the largest S and M: the pairs whose lower end is not too high and those whose upper end is not
too low cover all pairs, and as these are connected, some pair is of both kinds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from ..exact.surd import Exact, root

#: Errors that are alike: their size, and how many there are.
Runs: TypeAlias = tuple[tuple[Fraction, int], ...]

_HALVINGS: Final = 80
_DENOMINATORS: Final = (1, 10, 100, 1000, 10**4, 10**6, 10**9, 10**13)


class Range(NamedTuple):
    """All numbers from `low` to `high`, without limit where `high` is None; an open end is left out.

    Examples
    --------
    >>> Range(Fraction(1), Fraction(3)).meet(Range(Fraction(2), high_open=True))
    Range(low=Fraction(2, 1), high=Fraction(3, 1), low_open=False, high_open=False)
    """

    low: Exact = Fraction(0)
    high: Exact | None = None
    low_open: bool = False
    high_open: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether no number is left."""
        if self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and (self.low_open or self.high_open))

    def __contains__(self, value: object) -> bool:
        assert not isinstance(value, float), "only exact numbers are compared"
        return not self.meet(Range(value, value)).is_empty  # type: ignore[arg-type]

    def meet(self, other: Range) -> Range:
        """Return the numbers in both."""
        low, low_open = max((self.low, self.low_open), (other.low, other.low_open))
        # Of equal ends an open one leaves less.
        highs = [(side.high, not side.high_open) for side in (self, other) if side.high is not None]
        high, closed = min(highs, default=(None, True))
        return Range(low, high, low_open, not closed)

    def mapped(self, function: Callable[[Exact], Exact]) -> Range:
        """Return the values of a rising function at all numbers."""
        return self._replace(low=function(self.low), high=None if self.high is None else function(self.high))

    def times(self, factor: Fraction | int) -> Range:
        """Return all numbers times a positive one."""
        return self.mapped(lambda x: x * factor)

    def product(self, other: Range) -> Range:
        """Return every product of two numbers, none of them negative."""
        zero = any(side.low == 0 and not side.low_open for side in (self, other))
        low_open = (self.low_open or other.low_open) and not zero
        if any(side.high == 0 for side in (self, other)):
            return Range(Fraction(0), Fraction(0))
        if self.high is None or other.high is None:
            return Range(self.low * other.low, None, low_open)
        return Range(self.low * other.low, self.high * other.high, low_open, self.high_open or other.high_open)

    def factors(self, other: Range) -> Range:
        """Return every number of 0 or more that times one of `other` is one of these."""
        zero = self.low == 0 and not self.low_open
        if zero and other.low == 0 and not other.low_open:
            return Range()
        if other.high == 0:
            return Range(Fraction(0), Fraction(0), low_open=True)
        low: Exact = Fraction(0) if other.high is None else self.low / other.high
        low_open = not zero and (other.high is None or self.low_open or other.high_open)
        if self.high == 0:
            return Range(Fraction(0), Fraction(0))
        if self.high is None or other.low == 0:
            return Range(low, None, low_open)
        return Range(low, self.high / other.low, low_open, self.high_open or other.low_open)

    def whole(self) -> tuple[int, int | None]:
        """Return the smallest and the largest whole number in it; none where the first is larger."""
        low = _floor(self.low)
        low += low != self.low or self.low_open
        if self.high is None:
            return low, None
        high = _floor(self.high)
        return low, high - (high == self.high and self.high_open)


def exact_root(x: Exact) -> Exact:
    """Return the root of a rational number."""
    assert isinstance(x, Fraction), "what is given is rational, so only its roots are not"
    return root(x)


def _floor(x: Exact) -> int:
    if isinstance(x, Fraction):
        return math.floor(x)
    near = math.floor(float(x))
    while near > x:
        near -= 1
    while near + 1 <= x:
        near += 1
    return near


class ErrorSums(NamedTuple):
    """What is known of n errors without their signs: ranges of their sum, their largest and the sum of squares.

    Examples
    --------
    >>> known = ErrorSums(4, Range(Fraction(4), Fraction(4)), Range(), Range(Fraction(0), Fraction(10)))
    >>> known.bounds().squares.low, float(known.bounds().largest.high)
    (Fraction(4, 1), 3.1213203435596424)
    """

    cases: int
    total: Range = Range()
    largest: Range = Range()
    squares: Range = Range()

    def least_squares(self, total: Exact, largest: Exact) -> Exact:
        """Return the smallest sum of squares with this sum and this largest error."""
        if self.cases == 1:
            return largest * largest
        rest = total - largest
        return largest * largest + rest * rest / Fraction(self.cases - 1)

    def most_squares(self, total: Exact, largest: Exact) -> Exact:
        """Return the largest sum of squares with this sum and this largest error."""
        if largest == 0:
            return Fraction(0)
        full = _floor(total / largest)
        rest = total - largest * full
        return largest * largest * full + rest * rest

    def narrowed(self) -> ErrorSums:
        """Return the sums and largest errors that go together: the largest is at most the sum, at least its mean."""
        n = self.cases
        total = self.total.meet(self.largest._replace(high=None, high_open=False))
        if self.largest.high is not None:
            total = total.meet(Range(high=self.largest.high * n, high_open=self.largest.high_open))
        largest = self.largest.meet(
            Range(self.total.low / n, self.total.high, self.total.low_open, self.total.high_open)
        )
        return self._replace(total=total, largest=largest)

    def bounds(self) -> ErrorSums | None:
        """Return the exact range of each of the three; None where no errors have them."""
        if any(each.is_empty for each in (self.total, self.largest, self.squares)):
            return None
        pairs = self.narrowed()
        total, largest = pairs.total, pairs.largest
        if total.is_empty or largest.is_empty:
            return None
        reached = Range(self.least_squares(total.low, largest.low), None, total.low_open or largest.low_open)
        if total.high is not None and largest.high is not None:
            most = self.most_squares(total.high, largest.high)
            reached = reached._replace(high=most, high_open=total.high_open or largest.high_open)
        squares = self.squares.meet(reached)
        if squares.is_empty:
            return None
        return ErrorSums(self.cases, pairs._totals(squares), pairs._largest(squares), squares)

    def _totals(self, squares: Range) -> Range:
        """Return the sums that have a largest error for some sum of squares."""
        n, (least, most, least_open, most_open) = self.cases, self.largest
        below, above = squares.low, squares.high
        if most is None or below < most * most:
            low, opened = exact_root(below), squares.low_open
        else:
            full = _floor(below / (most * most)) if most else 0
            low = most * full + exact_root(below - most * most * full)
            opened = squares.low_open or most_open
        high, high_open = None if above is None else exact_root(above * n), squares.high_open
        if above is not None and above <= least * least * n:
            high, high_open = least + exact_root((above - least * least) * (n - 1)), high_open or least_open
        return self.total.meet(Range(low, high, opened, high_open))

    def _largest(self, squares: Range) -> Range:
        """Return the largest errors that have a sum for some sum of squares."""
        n, (least, most, least_open, most_open) = self.cases, self.total
        below, above = squares.low, squares.high
        if most is None or below * n <= most * most:
            low = exact_root(below / n)
            opened = squares.low_open or (most is not None and below * n == most * most and most_open)
        else:
            full = _floor(most * most / below)
            inside = below * full * (full + 1) - most * most * full
            low, opened = (most * full + exact_root(inside)) / (full * (full + 1)), squares.low_open or most_open
        high, high_open = None if above is None else exact_root(above), squares.high_open
        if above is not None and least * least > above:
            high, high_open = (least + exact_root((above * n - least * least) * (n - 1))) / n, high_open or least_open
        elif least * least == above:
            high_open |= least_open
        return self.largest.meet(Range(low, high, opened, high_open))

    def some_errors(self) -> Runs | None:
        """Return errors that fit, all of them rational; None where none such were found."""
        for total, largest in self._pairs():
            possible = total in self.total and largest in self.largest and largest <= total <= largest * self.cases
            if possible and (runs := self._errors(total, largest)) is not None:
                return runs
        return None

    def _pairs(self) -> Iterator[tuple[Fraction, Fraction]]:
        """Walk pairs of sum and largest: the ends, then by halves to where the squares fit."""
        ends = self.narrowed()[1:3]
        far = ends[0].low + ends[1].low + self.squares.low + 1
        low, high = Fraction(0), Fraction(1)

        def at(share: Fraction) -> tuple[Fraction, Fraction]:
            total, largest = (end.low + ((far if end.high is None else end.high) - end.low) * share for end in ends)
            return total, largest  # type: ignore[return-value]

        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            total, largest = at(middle)
            yield total, largest
            if self.squares.high is not None and self.least_squares(total, largest) >= self.squares.high:
                high = middle
            elif self.most_squares(total, largest) <= self.squares.low:
                low = middle
            else:
                break
        yield at(Fraction(0))
        yield at(Fraction(1))

    def _errors(self, total: Fraction, largest: Fraction) -> Runs | None:
        """Return errors with this sum and this largest, on the line from those alike to those far apart."""
        n = self.cases
        if n == 1 or not largest:
            runs: Runs = ((largest, n),)
            return runs if largest * largest * n in self.squares else None
        full = _floor(total / largest)
        rest = total - largest * full
        alike = (total - largest) / (n - 1)
        few, many = self.least_squares(total, largest), self.most_squares(total, largest)
        for share in _shares(self.squares.meet(Range(few, many)), few, many):
            counts = Counter({largest: 1})
            for value, count in ((largest, full - 1), (rest, int(full < n)), (Fraction(0), max(n - full - 1, 0))):
                counts[alike + (value - alike) * share] += count
            runs = _runs(counts)
            if sum(value * value * count for value, count in runs) in self.squares:
                return runs
        return None


def _shares(wanted: Range, few: Exact, many: Exact) -> Iterator[Fraction]:
    """Walk simple shares of the way: the squares rise with the share's own square."""
    if wanted.is_empty:
        return
    if few == many:
        yield Fraction(0)
        return
    low, high = ((end - few) / (many - few) for end in (wanted.low, wanted.high))  # type: ignore[operator]
    if low == high and isinstance(end := exact_root(low), Fraction):
        yield end
    middle = Fraction((math.sqrt(low) + math.sqrt(high)) / 2)
    for most in _DENOMINATORS:
        share = middle.limit_denominator(most)
        if 0 <= share <= 1:
            yield share
    yield from (Fraction(0), Fraction(1))


def _runs(counts: Counter[Fraction]) -> Runs:
    return tuple(sorted((+counts).items(), reverse=True))


class Spent(Exception):
    """A search looked at as many states as it may."""


Ends: TypeAlias = tuple[int, int]


class WholeErrors:
    """A search for n whole errors with a sum, a largest and a sum of squares in ranges: it finds some, or proves none.

    Errors are chosen from the largest down; what the rest can reach prunes. `budget` counts what is looked at.
    """

    def __init__(self, cases: int, budget: int) -> None:
        self._cases = cases
        self._left = budget
        self._failed: set[tuple[int, int, int, int, int]] = set()

    def find(self, total: Ends, largest: Ends, squares: Ends, start: int | None = None) -> Runs | None:
        """Return errors that fit, or None where there are none; sums near `start` are tried first."""
        for each in _outwards(total, total[0] if start is None else start):
            errors = self._with_sum(each, largest, squares)
            if errors is not None:
                return _runs(Counter(map(Fraction, errors)))
        return None

    def _with_sum(self, total: int, largest: Ends, squares: Ends) -> list[int] | None:
        """Look for errors with one sum, by depth; every choice that is left is tried before it is given up."""
        self._spend()
        n = self._cases
        low, high = max(largest[0], -(-total // n)), min(largest[1], total)
        chosen: list[int] = []
        first = _Rest(n, total, *squares, high).trimmed()
        if first is None or low > high:
            return None
        walks = [(first, first.choices(low))]
        while walks:
            state, walk = walks[-1]
            value = next(walk, None)
            if value is None:
                walks.pop()
                # The first choice has a least value too, so that it says nothing of others.
                if walks:
                    self._failed.add(state)
                    chosen.pop()
                continue
            self._spend()
            rest = state.after(value).trimmed()
            if rest is None or rest in self._failed:
                continue
            done = rest.at_once()
            if done is not None:
                return [*chosen, value, *done]
            chosen.append(value)
            walks.append((rest, rest.choices()))
        return None

    def _spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise Spent


class _Rest(NamedTuple):
    """Errors still to be chosen: how many, their sum, the ends of their sum of squares, the largest allowed."""

    cases: int
    total: int
    low: int
    high: int
    cap: int

    def after(self, value: int) -> _Rest:
        return _Rest(self.cases - 1, self.total - value, self.low - value * value, self.high - value * value, value)

    def trimmed(self) -> _Rest | None:
        """Return it with sums of squares that are within reach and of the sum's parity; None where none are."""
        if self.total > self.cases * self.cap or self.total < 0:
            return None
        low = max(self.low, _alike(self.cases, self.total))
        high = min(self.high, _apart(self.total, self.cap))
        low += (low - self.total) % 2
        high -= (high - self.total) % 2
        return self._replace(low=low, high=high, cap=min(self.cap, self.total)) if low <= high else None

    def at_once(self) -> list[int] | None:
        """Return errors all alike, or as far apart as can be, where these fit."""
        if self.low == _alike(self.cases, self.total):
            each, more = divmod(self.total, max(self.cases, 1))
            return [each + 1] * more + [each] * (self.cases - more)
        if self.high == _apart(self.total, self.cap):
            full, rest = divmod(self.total, self.cap)
            ends = [self.cap] * full + [rest] * (rest > 0)
            return ends + [0] * (self.cases - len(ends))
        return None

    def choices(self, least: int = 0) -> Iterator[int]:
        """Walk what the largest of these errors may be, from above."""
        low, high = max(least, -(-self.total // self.cases)), min(self.cap, self.total)
        # Squares rise with the largest error, so that both ends are found by halves.
        most = _last(low, high, lambda v: v * v + _alike(self.cases - 1, self.total - v) <= self.high)
        first = _last(low, most, lambda v: _apart(self.total, v) < self.low) + 1
        return iter(range(most, first - 1, -1))


def _last(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the last number for which something holds that holds up to some number; low - 1 where for none."""
    low -= 1
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _alike(count: int, total: int) -> int:
    """Return the least sum of squares."""
    if not count:
        return 0
    each, more = divmod(total, count)
    return count * each * each + more * (2 * each + 1)


def _apart(total: int, cap: int) -> int:
    """Return the largest sum of squares of errors up to a cap."""
    if not cap:
        return 0
    full, rest = divmod(total, cap)
    return full * cap * cap + rest * rest


def _outwards(ends: Ends, start: int) -> Iterator[int]:
    """Walk the numbers between two ends, those next to a start first."""
    low, high = ends
    start = min(max(start, low), high)
    yield from range(start, start + (low <= high))
    for step in range(1, max(high - start, start - low) + 1):
        for each in (start + step, start - step):
            if low <= each <= high:
                yield each
