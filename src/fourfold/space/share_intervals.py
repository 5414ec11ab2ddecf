"""Intervals of a share, x of k cases, by every usual method; and which method gives two printed ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Final, NamedTuple, TypeAlias

from ..errors import InputError
from ..reported import Reported

Ends: TypeAlias = tuple[float, float]

# Ends are computed in floats, and those as near as this to what was printed are taken for it.
_HAIR: Final = 1e-9


def normal_deviate(level: float) -> float:
    """Return how many standard deviations around the mean hold a share of a normal law."""
    from scipy import special

    return float(special.ndtri(0.5 + level / 2))


def clopper_pearson(x: int, k: int, level: float) -> Ends:
    """Return the shares at which x of k cases or more, and x or fewer, have just half the chance of 1 - level."""
    from scipy import special

    tail = (1 - level) / 2
    low = float(special.betaincinv(x, k - x + 1, tail)) if x else 0.0
    high = float(special.betaincinv(x + 1, k - x, 1 - tail)) if x < k else 1.0
    return low, high


def wilson(x: int, k: int, level: float) -> Ends:
    """Return the shares whose normal law has x of k at the ends of its middle part."""
    return _wilson(x, k, normal_deviate(level)) if k else (0.0, 1.0)


def _wilson(x: int, k: int, z: float) -> Ends:
    share, weight = x / k, z * z / k
    centre = (share + weight / 2) / (1 + weight)
    reach = z * math.sqrt(share * (1 - share) / k + weight / (4 * k)) / (1 + weight)
    return max(0.0, centre - reach) if x else 0.0, min(1.0, centre + reach) if x < k else 1.0


def _wilson_continuity(x: int, k: int, z: float) -> Ends:
    """Return Wilson's interval with half a case of continuity on either side (Newcombe 1998, method 4)."""
    share, square = x / k, z * z
    inner = square - 1 / k + 4 * k * share * (1 - share)
    middle, bottom = 2 * k * share + square, 2 * (k + square)
    low = (middle - 1 - z * math.sqrt(max(inner + 4 * share - 2, 0.0))) / bottom
    high = (middle + 1 + z * math.sqrt(max(inner - 4 * share + 2, 0.0))) / bottom
    return max(low, 0.0) if x else 0.0, min(high, 1.0) if x < k else 1.0


def _wald(hits: float, cases: float, z: float) -> Ends:
    share = hits / cases
    reach = z * math.sqrt(share * (1 - share) / cases)
    return share - reach, share + reach


def _jeffreys(x: int, k: int, level: float) -> Ends:
    from scipy import special

    tail = (1 - level) / 2
    low, high = (float(special.betaincinv(x + 0.5, k - x + 0.5, chance)) for chance in (tail, 1 - tail))
    return low, high


def _deviates(level: float) -> list[float]:
    """Return the exact deviate, and as tables print it: 1.96, 1.645."""
    exact = normal_deviate(level)
    return [exact, round(exact, 2), round(exact, 3)]


def _clipped(ends: Ends) -> Iterator[Ends]:
    """Yield ends that may lie beyond 0 and 1 as they are, and cut off there."""
    yield ends
    yield max(ends[0], 0.0), min(ends[1], 1.0)


def _every_wald(x: int, k: int, level: float) -> Iterator[Ends]:
    for z in _deviates(level):
        yield from _clipped(_wald(x, k, z))


def _every_agresti_coull(x: int, k: int, level: float) -> Iterator[Ends]:
    for z in _deviates(level):
        yield from _clipped(_wald(x + z * z / 2, k + z * z, z))
        # At 95 % many take z for 2 and add two cases of each kind.
        if round(z, 2) == 1.96:
            yield from _clipped(_wald(x + 2, k + 4, z))


def _every_jeffreys(x: int, k: int, level: float) -> Iterator[Ends]:
    low, high = _jeffreys(x, k, level)
    yield low, high
    # Of none and of all, the open side is often taken to the end.
    yield low if x else 0.0, high if x < k else 1.0


#: Every method by name: all pairs of ends that go by it for x of k cases.
SHARE_INTERVALS: Final[Mapping[str, Callable[[int, int, float], Iterator[Ends]]]] = MappingProxyType(
    {
        "Wald": _every_wald,
        "Wilson": lambda x, k, level: (_wilson(x, k, z) for z in _deviates(level)),
        "Wilson with continuity": lambda x, k, level: (_wilson_continuity(x, k, z) for z in _deviates(level)),
        "Clopper-Pearson": lambda x, k, level: iter([clopper_pearson(x, k, level)]),
        "Agresti-Coull": _every_agresti_coull,
        "Jeffreys": _every_jeffreys,
    }
)


class IntervalMatch(NamedTuple):
    """A method that gives printed ends, and for which count."""

    method: Annotated[str, "The method, one of `SHARE_INTERVALS`."]
    hits: Annotated[int, "Of how many cases the share is then."]


def interval_methods(
    score: object, low: object, high: object, cases: int, *, level: float = 0.95, rounding: str = "any"
) -> list[IntervalMatch]:
    """Tell which methods give the ends that are printed beside a share of `cases`, and for which counts.

    Parameters
    ----------
    score, low, high
        The share and the ends of its interval, as printed.
    cases
        Of how many cases the share is.
    level
        Of the interval.
    rounding
        How all three were rounded, as for `Reported.read`.

    Returns
    -------
    list of IntervalMatch
        All that fit; none where no usual method gives these ends. A bootstrap gives others, near to Wald's.

    Examples
    --------
    >>> interval_methods("0.910", "0.838", "0.952", 100)
    [IntervalMatch(method='Wilson', hits=91)]
    >>> interval_methods("0.910", "0.838", "0.960", 100)
    []
    """
    if cases < 1:
        raise InputError("bad_count", "cases", "must be at least one", cases, "say of how many cases the share is")
    if not 0 < level < 1:
        raise InputError("bad_option", "level", "must lie between 0 and 1", level, "give it as 0.95")
    share, *ends = (
        Reported.read(value, rounding=rounding, argument=name)
        for name, value in (("score", score), ("low", low), ("high", high))
    )
    counts = range(max(math.ceil(share.low * cases), 0), min(math.floor(share.high * cases), cases) + 1)
    printed = [(float(end.low) - _HAIR, float(end.high) + _HAIR) for end in ends]
    return [
        IntervalMatch(method, x)
        for method, every in SHARE_INTERVALS.items()
        for x in counts
        if Fraction(x, cases) in share
        if any(all(a <= end <= b for end, (a, b) in zip(pair, printed, strict=True)) for pair in every(x, cases, level))
    ]
