"""What a report claims of one table, which tables fit it, and under which readings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np

from .printed import Said, counted_by, said_by
from .scores import Cells, Ints, Meant, Values, World, meant_by, names_class, world
from .surds import Surd, score, side

_SIZES: Final = ("positives", "negatives", "total")
#: Readings in which an undefined score was printed as a number, and the convention of each.
FILLING: Final = {"undefined_as_zero": "zero", "undefined_as_one": "one"}


class Claimed(NamedTuple):
    """One claim: the name it is given under, the score meant, and what is said of it."""

    name: str
    meant: Meant
    said: Said
    text: str
    rounding: str = "any"

    def in_single(self) -> Claimed:
        """Return it as it reads if it was computed to about seven digits before it was rounded."""
        if self.meant.is_count:
            return self
        return self._replace(said=said_by(self.text, self.rounding, single=True))

    def of_other_class(self) -> Claimed:
        """Return it as it reads if it takes the other class as the positive one; a name that fixes a class is kept."""
        kept = names_class(self.name) or self.meant.is_area
        return self if kept else self._replace(meant=self.meant.other())

    def cut_off(self) -> Claimed:
        """Return it as it reads if its decimals were cut off; a rounding that is said is kept."""
        if self.meant.is_count or self.rounding != "any":
            return self
        return self._replace(said=said_by(self.text, "truncate"), rounding="truncate")

    @property
    def bare(self) -> bool:
        """Whether its name could stand for an average over both classes."""
        meant = self.meant
        own = {"accuracy", "inaccuracy", "mcc", "kappa", "balanced_accuracy"}
        return not (meant.average or meant.is_count or meant.is_area or names_class(self.name) or meant.id in own)


def claimed(name: str, value: Any, rounding: str) -> Claimed:
    """Read one claim."""
    meant = meant_by(name)
    said = counted_by(value) if meant.is_count else said_by(str(value), rounding)
    return Claimed(name, meant, said, str(value), rounding)


def sizes_of(value: Any) -> tuple[int, int | None]:
    """Return the smallest and the largest size that is said; no largest where nothing is."""
    if value is None:
        return 0, None
    if isinstance(value, int):
        return value, value
    if isinstance(value, str):
        low, _, high = value.partition("-")
        return int(low), int(high or low)
    return value[0], value[1]


@lru_cache(maxsize=4096)
def _margins(ends: tuple[tuple[int, int | None], ...], most: int | None) -> tuple[tuple[int, int], ...]:
    (p_low, p_high), (n_low, n_high), (low, high) = ends
    if high is None:
        high = most if p_high is None or n_high is None else p_high + n_high
    assert high is not None, "some size must be limited"
    return tuple(
        (p, total - p)
        for total in range(max(low, 1), high + 1)
        for p in range(p_low, min(total, total if p_high is None else p_high) + 1)
        if total - p >= n_low and (n_high is None or total - p <= n_high)
    )


def margins_of(report: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    """Return all pairs of positives and negatives that a report's sizes allow."""
    return _margins(tuple(sizes_of(report.get(name)) for name in _SIZES), report.get("max_total"))


class SurdValues(Values):
    """A score that is neither a fraction nor one root, at many tables: compared one by one."""

    def __init__(self, exact: Sequence[Surd | None]) -> None:
        nothing = np.zeros(0, dtype=np.int64)
        super().__init__("ratio", nothing, nothing, np.array([value is not None for value in exact]))
        object.__setattr__(self, "exact", exact)

    def side(self, bound: Fraction) -> Ints:
        """Return -1, 0 or 1 where the score is below, at or above a bound."""
        exact: Sequence[Surd | None] = self.__dict__["exact"]
        return np.array([0 if value is None else side(value, bound) for value in exact])


def values_of(where: World, meant: Meant, undefined: str) -> Values:
    """Return a score at all tables of a world."""
    if meant.average in ("macro", "weighted") and meant.id in _ROOTS:
        if (meant, undefined) not in where.known:
            where.known[meant, undefined] = SurdValues([score(meant, cells, undefined) for cells in where.tables])
        return where.known[meant, undefined]
    return where.values(meant, undefined)


_ROOTS: Final = ("mcc", "g_mean", "fowlkes_mallows", "prevalence_threshold", "prevalence_threshold_simplified")


def fitting(where: World, claims: Sequence[Claimed], undefined: str) -> Ints:
    """Tell of all tables of a world whether they fit claims; an area fits where some ranking has it."""
    fits = np.ones(len(where), dtype=bool)
    for claim in claims:
        if not claim.meant.is_area:
            fits &= values_of(where, claim.meant, undefined).within(*claim.said)
    areas = [claim.said for claim in claims if claim.meant.is_area]
    if areas:
        least, most = area_ends(where, areas)
        fits &= least <= most
    return fits


def area_ends(where: World, areas: Sequence[Said]) -> tuple[Ints, Ints]:
    """Return the least and the largest 2 U of rankings with each table that lie in all intervals; 1 and 0 for none.

    U counts pairs of a positive and a negative that are ranked right, ties half. The tp found stand above the tn
    cleared, so at least tp tn pairs are right; at least fn fp are wrong.
    """
    pairs = (where.tp + where.fn) * (where.fp + where.tn)
    least, most = 2 * where.tp * where.tn, 2 * (pairs - where.fn * where.fp)
    for said in areas:
        for i, count in enumerate(pairs.tolist()):
            low, high = 2 * count * said.low, 2 * count * said.high
            first = -(-low.numerator // low.denominator) + (said.low_open and low.denominator == 1)
            last = high.numerator // high.denominator - (said.high_open and high.denominator == 1)
            least[i], most[i] = max(least[i], first), min(most[i], last)
    return np.where(pairs > 0, least, 1), np.where(pairs > 0, most, 0)


@lru_cache(maxsize=512)
def convex_areas(p: int, n: int) -> dict[tuple[int, int], frozenset[int]]:
    """Return for each (tp, fp) the values of 2 U that ROC curves through it have which never become steeper.

    A curve is a chain of steps, groups of tied cases, each not steeper than the one before.
    """
    chains: list[tuple[tuple[tuple[int, int], ...], int]] = []

    def grow(points: tuple[tuple[int, int], ...], last: tuple[int, int] | None, area: int) -> None:
        y, x = points[-1]
        if (y, x) == (p, n):
            chains.append((points, area))
            return
        for dy in range(p - y + 1):
            for dx in range(n - x + 1):
                if (dy or dx) and (last is None or dy * last[1] <= last[0] * dx):
                    grow((*points, (y + dy, x + dx)), (dy, dx), area + dx * (2 * y + dy))

    grow(((0, 0),), None, 0)
    found: dict[tuple[int, int], set[int]] = {}
    for points, area in chains:
        for point in points:
            found.setdefault(point, set()).add(area)
    return {point: frozenset(areas) for point, areas in found.items()}


def fitting_convex(where: World, claims: Sequence[Claimed], undefined: str) -> Ints:
    """Tell of all tables whether they fit claims, with a convex ROC curve that really exists."""
    fits = fitting(where, [claim for claim in claims if not claim.meant.is_area], undefined)
    areas = [claim.said for claim in claims if claim.meant.is_area]
    for i in np.flatnonzero(fits).tolist():
        tp, fn, fp, tn = where.tables[i]
        p, n = tp + fn, fp + tn
        known = convex_areas(p, n).get((tp, fp), frozenset()) if p and n else frozenset()
        fits[i] = any(all(Fraction(area, 2 * p * n) in said for said in areas) for area in known)
    return fits


def smallest_contradictions(where: World, claims: Sequence[Claimed], undefined: str) -> set[frozenset[int]]:
    """Return all smallest sets of claims that no table fits."""
    sets: set[frozenset[int]] = set()
    for size in range(1, len(claims) + 1):
        for members in map(frozenset, combinations(range(len(claims)), size)):
            known = any(smaller <= members for smaller in sets)
            if not known and not fitting(where, [claims[i] for i in members], undefined).any():
                sets.add(members)
    return sets


class ReadAs(NamedTuple):
    """A reading: codes of what departs from the report as it stands, the claims then, and the convention."""

    codes: tuple[str, ...]
    claims: tuple[Claimed, ...]
    undefined: str


def readings(claims: Sequence[Claimed], averaged: Mapping[str, Sequence[str]], said: str = "any") -> list[ReadAs]:
    """Return the readings of a report but the plain one, those that depart in fewer points first.

    `averaged` tells by average which of the claims can be one, by name; `said`, how undefined scores were printed.
    """
    plain = ReadAs((), tuple(claims), "none" if said == "any" else said)
    others = list(_readings(plain.claims, averaged)) if said == "any" else []
    kept = [
        ReadAs((*codes, "single_precision"), tuple(claim.in_single() for claim in changed), undefined)
        for codes, changed, undefined in (plain, *others)
    ]
    return sorted([*others, *kept], key=lambda reading: len(reading.codes))


def _readings(stated: tuple[Claimed, ...], averaged: Mapping[str, Sequence[str]]) -> Iterator[ReadAs]:
    yield ReadAs(("undefined_as_zero",), stated, "zero")
    yield ReadAs(("undefined_left_out",), stated, "excluded")
    yield ReadAs(("undefined_as_one",), stated, "one")
    changes = {"other_class": tuple(claim.of_other_class() for claim in stated)}
    for average in ("macro", "weighted"):
        changes[f"{average}_average"] = tuple(
            claim._replace(meant=claim.meant._replace(average=average))
            if claim.name in averaged.get(average, ())
            else claim
            for claim in stated
        )
    for code, changed in changes.items():
        yield ReadAs((code,), changed, "none")
        yield from (ReadAs((code, filling), changed, undefined) for filling, undefined in FILLING.items())


def as_zero(codes: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return a reading in which undefined scores were printed as 1 with 0 in its place; None for other readings."""
    if "undefined_as_one" not in codes:
        return None
    return tuple("undefined_as_zero" if code == "undefined_as_one" else code for code in codes)


def read_as(claims: Sequence[Claimed], departures: Sequence[Any], undefined: str) -> tuple[tuple[Claimed, ...], str]:
    """Return claims, and what undefined scores count as, with what a reading of the library says of them."""
    changed = tuple(claims)
    for code, words in departures:
        if code in _CONVENTIONS:
            undefined = _CONVENTIONS[code]
        elif code == "other_class":
            names = _names(words.partition(" take")[0])
            changed = tuple(
                claim.of_other_class() if claim.name in names or names == ["the scores"] else claim for claim in changed
            )
        elif code in ("macro_average", "weighted_average"):
            names, average = names_in(words)
            changed = tuple(
                claim._replace(meant=claim.meant._replace(average=average)) if claim.name in names else claim
                for claim in changed
            )
        elif code == "one_averaged":
            name, _, average = words.removesuffix(" average").partition(" alone is the ")
            changed = tuple(
                claim._replace(meant=claim.meant._replace(average=average)) if claim.name == name else claim
                for claim in changed
            )
        elif code in ("namesake", "rescaled"):
            changed = tuple(_namesake(claim, words) for claim in changed)
        elif code == "f1_of_means":
            changed = tuple(claim for claim in changed if not words.startswith(f"{claim.name} was computed"))
        elif code == "cut_off":
            changed = tuple(claim.cut_off() for claim in changed)
        elif code == "single_precision":
            changed = tuple(claim.in_single() for claim in changed)
        elif code != "means_over_folds":
            raise AssertionError(f"a reading that the attack does not know: {code}, {words}")
    return changed, undefined


_CONVENTIONS: Final = {**FILLING, "undefined_left_out": "excluded"}


def _namesake(claim: Claimed, words: str) -> Claimed:
    """Return a claim as another score of the same name, or as a coefficient that was mapped to 0 to 1."""
    if words == f"{claim.name} was adjusted for chance, as scikit-learn can do":
        return claim._replace(meant=claim.meant._replace(id="informedness"))
    if words == f"{claim.name} is that of precision and recall":
        return claim._replace(meant=claim.meant._replace(id="fowlkes_mallows"))
    if words == f"{claim.name} was mapped to 0 to 1":
        low, high, *open_ends = claim.said
        return claim._replace(said=Said(2 * low - 1, 2 * high - 1, *open_ends))
    return claim


def _names(words: str) -> list[str]:
    return re.split(r", | and ", words)


_LIST: Final = re.compile(r"(.+) (?:is the|are) (macro|weighted|micro) averages?")


def names_in(words: str) -> tuple[list[str], str]:
    """Return the names in a sentence such as "recall and f1 are macro averages", and the average."""
    match = _LIST.fullmatch(words)
    assert match, words
    return _names(match[1]), match[2]


def cells_of(table: Any) -> Cells:
    """Return the four counts of a table of the library."""
    return table.tp, table.fn, table.fp, table.tn


def small_world(report: Mapping[str, Any]) -> World:
    """Return all tables that a report's sizes allow."""
    return world(margins_of(report))
