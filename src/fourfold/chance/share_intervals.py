"""Intervals of a share, x of k cases, by every usual method; and which method gives two printed ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..exact.reported import Reported

Ends: TypeAlias = tuple[float, float]
# Counts are whole numbers or arrays of them, and ends then floats or arrays of them.
_Counts: TypeAlias = Any
_Ends: TypeAlias = tuple[Any, Any]

# Ends are computed in floats, and those within this distance of what was printed are taken for it.
_HAIR: Final = 1e-9
# From this many cases of each kind on, a beta law is the normal one to the last digits of a share. scipy loses its way
# among still more.
_AS_GOOD_AS_NORMAL: Final = 1e12


def normal_deviate(level: float) -> float:
    """Return how many standard deviations around the mean hold a share of a normal law."""
    from scipy import special

    return float(special.ndtri(0.5 + level / 2))


def beta_quantile(a: _Counts, b: _Counts, chance: float) -> Any:
    """Return the share below which a beta law has a chance, for parameters above 0 of any size."""
    from scipy import special

    large, centre, spread = _normal_law(a, b)
    first, second = np.where(large, 1.0, a), np.where(large, 1.0, b)
    return np.where(large, centre + special.ndtri(chance) * spread, special.betaincinv(first, second, chance))


def beta_below(a: _Counts, b: _Counts, share: float) -> Any:
    """Return the chance that a beta law has below a share, for parameters above 0 of any size."""
    from scipy import special

    large, centre, spread = _normal_law(a, b)
    first, second = np.where(large, 1.0, a), np.where(large, 1.0, b)
    return np.where(large, special.ndtr((share - centre) / spread), special.betainc(first, second, share))


def _normal_law(a: _Counts, b: _Counts) -> tuple[Any, Any, Any]:
    """Return whether a beta law is as good as normal, its mean and its standard deviation."""
    a, b = (np.asarray(part, dtype=np.float64) for part in (a, b))
    whole = a + b
    return np.minimum(a, b) >= _AS_GOOD_AS_NORMAL, a / whole, np.sqrt(a / whole * (b / whole) / (whole + 1))


def clopper_pearson(x: int, k: int, level: float) -> Ends:
    """Return the shares at which x of k cases or more, and x or fewer, have just half the chance of 1 - level."""
    low, high = _clopper_pearson(x, k, level)
    return float(low), float(high)


def _clopper_pearson(x: _Counts, k: _Counts, level: float) -> _Ends:
    tail = (1 - level) / 2
    # Sums of counts may be beyond machine integers.
    hits, others = (np.asarray(part, dtype=np.float64) for part in (x, k - x))
    # Of none and of all there is no law for the open side, which goes to the end.
    low = beta_quantile(np.maximum(hits, 1), others + 1, tail)
    high = beta_quantile(hits + 1, np.maximum(others, 1), 1 - tail)
    return np.where(hits > 0, low, 0.0), np.where(others > 0, high, 1.0)


def wilson(x: int, k: int, level: float) -> Ends:
    """Return the shares whose normal law has x of k at the ends of its middle part."""
    low, high = _wilson(x, k, normal_deviate(level)) if k else (0.0, 1.0)
    return float(low), float(high)


def _wilson(x: _Counts, k: _Counts, z: float) -> _Ends:
    share, weight = x / k, z * z / k
    centre = (share + weight / 2) / (1 + weight)
    reach = z * np.sqrt(share * (1 - share) / k + weight / (4 * k)) / (1 + weight)
    return _to_the_ends(x, k, centre - reach, centre + reach)


def _to_the_ends(x: _Counts, k: _Counts, low: Any, high: Any) -> _Ends:
    """Cut ends off at 0 and 1; of none and of all, the open side goes there."""
    return np.where(x > 0, np.maximum(low, 0.0), 0.0), np.where(x < k, np.minimum(high, 1.0), 1.0)


def _wilson_continuity(x: _Counts, k: _Counts, z: float) -> _Ends:
    """Return Wilson's interval with half a case of continuity on either side (Newcombe 1998, method 4)."""
    share, square = x / k, z * z
    inner = square - 1 / k + 4 * k * share * (1 - share)
    middle, bottom = 2 * k * share + square, 2 * (k + square)
    low = (middle - 1 - z * np.sqrt(np.maximum(inner + 4 * share - 2, 0.0))) / bottom
    high = (middle + 1 + z * np.sqrt(np.maximum(inner - 4 * share + 2, 0.0))) / bottom
    return _to_the_ends(x, k, low, high)


def _wald(hits: Any, cases: Any, z: float, more: Any = 0.0) -> _Ends:
    share = hits / cases
    reach = z * np.sqrt(share * (1 - share) / cases) + more
    return share - reach, share + reach


def _logit(x: _Counts, k: _Counts, z: float) -> _Ends:
    """Return the ends of a Wald interval of the log odds, as shares; of none and of all there is none."""
    inside = (x > 0) & (x < k)
    hits = np.where(inside, x, 1.0)
    misses = np.where(inside, k - x, 1.0)
    reach = np.exp(z * np.sqrt(1 / hits + 1 / misses))
    low, high = hits / (hits + misses * reach), hits / (hits + misses / reach)
    return np.where(inside, low, np.nan), np.where(inside, high, np.nan)


def _deviates(level: float) -> list[float]:
    """Return the exact deviate, and as tables print it: 1.96, 1.645."""
    exact = normal_deviate(level)
    return [exact, round(exact, 2), round(exact, 3)]


def _clipped(ends: _Ends) -> Iterator[_Ends]:
    """Yield ends that may lie beyond 0 and 1 as they are, and cut off there."""
    yield ends
    yield np.maximum(ends[0], 0.0), np.minimum(ends[1], 1.0)


def _every_wald(x: _Counts, k: _Counts, level: float) -> Iterator[_Ends]:
    for z in _deviates(level):
        yield from _clipped(_wald(x, k, z))


def _every_wald_continuity(x: _Counts, k: _Counts, level: float) -> Iterator[_Ends]:
    for z in _deviates(level):
        yield from _clipped(_wald(x, k, z, 0.5 / k))


def _every_agresti_coull(x: _Counts, k: _Counts, level: float) -> Iterator[_Ends]:
    for z in _deviates(level):
        yield from _clipped(_wald(x + z * z / 2, k + z * z, z))
        # At 95 % many take z for 2 and add two cases of each kind.
        if round(z, 2) == 1.96:
            yield from _clipped(_wald(x + 2, k + 4, z))


def _every_jeffreys(x: _Counts, k: _Counts, level: float) -> Iterator[_Ends]:
    tail = (1 - level) / 2
    low, high = (beta_quantile(x + 0.5, k - x + 0.5, chance) for chance in (tail, 1 - tail))
    yield low, high
    # Of none and of all, the open side is often taken to the end.
    yield np.where(x > 0, low, 0.0), np.where(x < k, high, 1.0)


#: Every method by name: all pairs of ends that go by it for x of k cases, whole numbers or arrays of them.
SHARE_INTERVALS: Final[Mapping[str, Callable[[_Counts, _Counts, float], Iterable[_Ends]]]] = MappingProxyType(
    {
        "Wald": _every_wald,
        "Wald with continuity": _every_wald_continuity,
        "Wilson": lambda x, k, level: (_wilson(x, k, z) for z in _deviates(level)),
        "Wilson with continuity": lambda x, k, level: (_wilson_continuity(x, k, z) for z in _deviates(level)),
        "Clopper-Pearson": lambda x, k, level: (_clopper_pearson(x, k, level),),
        "Agresti-Coull": _every_agresti_coull,
        "Jeffreys": _every_jeffreys,
        "logit": lambda x, k, level: (_logit(x, k, z) for z in _deviates(level)),
    }
)


def methods_giving(
    low: Reported, high: Reported, x: NDArray[np.int64], k: NDArray[np.int64], level: float
) -> dict[str, NDArray[np.bool_]]:
    """Tell by every method for which counts x of k cases it gives two printed ends.

    Examples
    --------
    >>> ends = Reported.read("0.838"), Reported.read("0.952")
    >>> methods_giving(*ends, np.array([90, 91]), np.array([100, 100]), 0.95)["Wilson"].tolist()
    [False, True]
    """
    return {
        name: np.logical_or.reduce([_prints(low, ends[0]) & _prints(high, ends[1]) for ends in every(x, k, level)])
        for name, every in SHARE_INTERVALS.items()
    }


def _prints(printed: Reported, values: Any) -> NDArray[np.bool_]:
    """Tell which values may have been printed so."""
    return (values >= float(printed.low) - _HAIR) & (values <= float(printed.high) + _HAIR)  # type: ignore[no-any-return]


def like_a_bootstrap(
    low: Reported, high: Reported, x: NDArray[np.int64], k: NDArray[np.int64], level: float
) -> NDArray[np.bool_]:
    """Tell for which counts x of k cases printed ends are about those of a bootstrap's middle part.

    Cases drawn again have a binomial number of hits. The ends of a bootstrap depend on its draws, so that all those are
    taken for it that leave between a third and three times the chance they should.
    """
    from scipy import special

    share, tail = x / k, (1 - level) / 2
    fits = np.ones(len(x), dtype=bool)
    # The upper end counts misses: their number is binomial, too.
    for least, most, chance in (
        (float(low.low), float(low.high), share),
        (1 - float(high.high), 1 - float(high.low), 1 - share),
    ):
        below = special.bdtr(np.clip(np.floor((most + _HAIR) * k), 0, k), k, chance)
        under = np.ceil((least - _HAIR) * k) - 1
        fits &= (below >= tail / 3) & ((under < 0) | (special.bdtr(np.clip(under, 0, k), k, chance) <= 3 * tail))
    return fits & (float(high.high) <= 1 + _HAIR) & (float(low.low) <= share) & (share <= float(high.high))


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
    share, first, last = (
        Reported.read(value, rounding=rounding, argument=name)
        for name, value in (("score", score), ("low", low), ("high", high))
    )
    counts = range(max(math.ceil(share.low * cases), 0), min(math.floor(share.high * cases), cases) + 1)
    hits = np.array([x for x in counts if Fraction(x, cases) in share], dtype=np.int64)
    given = methods_giving(first, last, hits, np.full_like(hits, cases), level)
    return [IntervalMatch(method, int(x)) for method, fits in given.items() for x in hits[fits]]
