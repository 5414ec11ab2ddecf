"""How often exact tests of a share reject: of a group beside a reference, or beside a known share.

Given the total of both groups, the test rejects low counts up to a limit that rises with the total, by at most one a
step. One more case in the total changes the tail up to the limit by one product, so that all limits of a pair of sizes
are found in one walk, for many pairs side by side. The chance to reject then is a sum of binomial chances times tails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from ..solve.rows import Ints, unrolled
from .draws import Chances, Floats, Links, at_least, at_most, windows

# Numbers outside of their window have less than this chance, and are left out.
_LEAST_CHANCE: Final = 1e-16
# A p-value that equals the level rejects; floats may be off by a part of this.
_TIE: Final = 1e-9
# So many numbers are looked at together.
_TOGETHER: Final = 1_000_000


def conditional_power(
    k: Ints,
    others: Ints,
    share: float,
    other_share: float,
    alpha: float,
    progress: Callable[[float], None] | None = None,
) -> Floats:
    """Return the chance that the exact conditional test calls two shares different, for each pair of sizes.

    The test rejects where twice the smaller hypergeometric tail is at most alpha.

    Examples
    --------
    >>> round(float(conditional_power(np.array([4]), np.array([4]), 1.0, 0.0, 0.05)[0]), 6)
    1.0
    >>> round(float(conditional_power(np.array([3]), np.array([3]), 1.0, 0.0, 0.05)[0]), 6)
    0.0
    """
    chances = np.zeros(len(k))
    for part in _parts(k):
        lower = _rejected_below(k[part], others[part], share, other_share, alpha / 2)
        # High counts are low counts of the cases that are left.
        chances[part] = lower + _rejected_below(k[part], others[part], 1 - share, 1 - other_share, alpha / 2)
        if progress is not None:
            progress(part.stop / len(k))
    return np.clip(chances, 0.0, 1.0)


def binomial_power(k: Ints, share: float, known: float, alpha: float) -> Floats:
    """Return the chance that the exact binomial test finds a share different from a known one, for each size."""
    low = _last_rejected(k, known, alpha / 2)
    left = _last_rejected(k, 1 - known, alpha / 2)
    return np.clip(at_most(low, k, share) + at_least(k - left, k, share), 0.0, 1.0)


def _last_rejected(k: Ints, known: float, tail: float) -> Ints:
    """Return the largest number whose lower tail is small enough, or -1, by bisection at all sizes at once."""
    low, high = np.full(len(k), -1), k + 0
    while (high - low > 1).any():
        middle = (low + high) // 2
        small = at_most(middle, k, known) <= tail * (1 + _TIE)
        low, high = np.where(small, middle, low), np.where(small, high, middle)
    return low


def _parts(k: Ints) -> Iterator[slice]:
    """Cut pairs into parts that are looked at together."""
    work = np.cumsum(np.minimum(k, 20 * np.sqrt(k) + 50) + 2)
    start = 0
    while start < len(k):
        done = work[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(work, done + _TOGETHER, side="right")))
        yield slice(start, stop)
        start = stop


def _window(size: Ints, share: float) -> tuple[Ints, Ints]:
    if share <= 0 or share >= 1:
        return (0 * size, 0 * size) if share <= 0 else (size + 0, size + 0)
    return windows(size, share, _LEAST_CHANCE)


def _rejected_below(k: Ints, others: Ints, share: float, other_share: float, tail: float) -> Floats:
    """Return the chance of a count in the group whose lower tail, given the total, is small enough."""
    (low, high), (other_low, other_high) = _window(k, share), _window(others, other_share)
    # Ranges outside of which the sum of both counts has next to no chance, as `windows` does for one count.
    depth = -np.log(_LEAST_CHANCE)
    variance = k * share * (1 - share) + others * other_share * (1 - other_share)
    mean, spread = k * share + others * other_share, np.sqrt(2 * depth * variance) + 2 * depth / 3
    first, last = np.floor(mean - spread).astype(np.int64), np.ceil(mean + spread).astype(np.int64)
    limit, total, last = tail * (1 + _TIE), np.maximum(low + other_low, first), np.minimum(high + other_high, last)
    x, below, following = _start(k, others, total, limit)
    # What is rejected at the first total already; then each number with the total from which on it is.
    pairs, numbers, totals = _up_to(low, np.minimum(x, high), total)
    bounds = [(pairs, numbers, totals)]
    with np.errstate(all="ignore"):
        for _ in range(int((last - total).max(initial=0))):
            # One more case: P(at most x) falls by P(x) (k - x) / (cases left), and so on with x + 1.
            change = following * (others - total + x + 1) / ((total - x) * (k + others - total))
            below = below - change * (x + 1)
            following = change * (total + 1)
            total = total + 1
            at = np.flatnonzero((below + following <= limit) & (total <= last))
            if len(at):
                x[at] += 1
                below[at] += following[at]
                following[at] = _next_chance(k[at], others[at], total[at], x[at], following[at])
                bounds.append((at, x[at], total[at]))
    pairs, numbers, totals = (np.concatenate(parts) for parts in zip(*bounds, strict=True))
    seen = (numbers >= low[pairs]) & (numbers <= high[pairs])
    pairs, numbers, totals = pairs[seen], numbers[seen], totals[seen]
    chances = _links(k, share, lambda links, which: links.at(which[pairs], numbers))
    beyond = _links(
        others, other_share, lambda links, which: links.between(which[pairs], totals - numbers, others[pairs])
    )
    return np.bincount(pairs, weights=chances * beyond, minlength=len(k)).astype(np.float64)


def _links(sizes: Ints, share: float, ask: Callable[[Links, Ints], Floats]) -> Floats:
    """Ask the binomial laws of some sizes, each made once; the second argument says which law is whose."""
    distinct, which = np.unique(sizes, return_inverse=True)
    if 0 < share < 1:
        return ask(Links.binomial(distinct, share), which)
    sure = [Chances(int(size) if share >= 1 else 0, np.ones(1)) for size in distinct]
    return ask(Links(sure), which)


def _up_to(first: Ints, last: Ints, total: Ints) -> tuple[Ints, Ints, Ints]:
    """Return every number of some ranges, with the range it is in and that range's total."""
    pairs, numbers = unrolled(first, np.maximum(last - first + 1, 0))
    return pairs, numbers, total[pairs]


def _start(k: Ints, others: Ints, total: Ints, limit: float) -> tuple[Ints, Floats, Floats]:
    """Return the largest rejected number at a total, the chance of at most it, and that of the next number."""
    mean, lowest = total * k / np.maximum(k + others, 1), np.maximum(0, total - others)
    depth = -np.log(_LEAST_CHANCE)
    spread = np.sqrt(2 * depth * mean) + depth
    first = np.maximum(lowest, np.floor(mean - spread)).astype(np.int64)
    width = int((np.ceil(mean) - first).max(initial=0)) + 3
    x, below, following = first - 1, np.zeros(len(k)), np.zeros(len(k))
    step = max(1, _TOGETHER // width)
    for start in range(0, len(k), step):
        part = slice(start, start + step)
        numbers = first[part, None] + np.arange(width)
        chances = _chances(k[part, None], others[part, None], total[part, None], numbers)
        sums = np.cumsum(chances, axis=1)
        count = (sums <= limit).sum(axis=1)
        rows = np.arange(len(count))
        x[part] += count
        below[part] = np.where(count > 0, sums[rows, count - 1], 0.0)
        following[part] = chances[rows, count]
    return x, below, following


def _next_chance(k: Ints, others: Ints, total: Ints, x: Ints, chance: Floats) -> Floats:
    """Return the chance of x + 1 from that of x; where x could not be, x + 1 is the least that can."""
    steps: Floats = chance * (k - x) * (total - x) / ((x + 1) * (others - total + x + 1))
    least = others - total + x + 1 == 0
    if least.any():
        steps[least] = _chances(k[least], others[least], total[least], x[least] + 1)
    return steps


def _chances(k: Ints, others: Ints, total: Ints, x: Ints) -> Floats:
    """Return hypergeometric chances; 0 for numbers that cannot be."""
    from scipy import special

    def ways(size: Ints, number: Ints) -> Floats:
        return np.asarray(-special.betaln(size - number + 1.0, number + 1.0) - np.log1p(size))

    inside = (x >= np.maximum(0, total - others)) & (x <= np.minimum(k, total))
    number = np.where(inside, x, np.maximum(0, total - others))
    logs = ways(k, number) + ways(others, total - number) - ways(k + others, total)
    return np.where(inside, np.exp(logs), 0.0)
