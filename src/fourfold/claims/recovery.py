"""From a claim to every table that fits it, and what follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, islice
from typing import Any, Final, Literal, TypeAlias

from ..errors import InputError, Note, TooLarge
from ..formula import CELLS
from ..metrics import METRICS, Metric, metric
from ..space import Bounds, Rows, bounds
from ..table import Table
from .claim import Claim, Reading
from .distribution import Distribution, distribution
from .repairs import Repair, repairs
from .search import Feasible, fits, solve

Verdict: TypeAlias = Literal["unique", "several", "impossible", "undecided"]

# Blame looks at every set of claims: at most so many of them.
_MOST_BLAMED: Final = 8
_SHOWN: Final = 100


_NOWHERE: Final = Feasible.of(Rows.joined([]))


@dataclass(frozen=True)
class Implied:
    """What the others of a contradicting set leave for one of them."""

    name: str
    others: tuple[str, ...]
    reported: str
    bounds: Bounds


@dataclass(frozen=True)
class Recovery:
    """Every table that could have produced a report, and what follows from that.

    Examples
    --------
    >>> found = recover(accuracy="0.898", f1="0.8968", positives=994, negatives=1006)
    >>> found.verdict, found.count, [table.tp for table in found.tables()]
    ('several', 3, [882, 886, 891])
    """

    claim: Claim
    verdict: Verdict
    count: int
    contradictions: tuple[tuple[str, ...], ...] = ()
    implied: tuple[Implied, ...] = ()
    notes: tuple[Note, ...] = ()
    feasible: Feasible = field(default=_NOWHERE, repr=False, compare=False)

    def tables(self, limit: int | None = None) -> Iterator[Table]:
        """Walk the tables that fit, smallest total first, each checked once more against every score."""
        self._check_walkable()
        for table in islice(self.feasible.rows.tables(), None if limit is None else max(limit, 0)):
            assert fits(self.claim, table), f"{table} was found to fit and does not"
            yield table

    def bounds(self, name: str | Metric) -> Bounds:
        """Return a metric's smallest and largest value over the tables that fit, with tables that attain them."""
        chosen = metric(name)
        self._check_walkable()
        return self.all_bounds[chosen.id] if chosen.id in METRICS else bounds(self.feasible.rows, [chosen])[chosen.id]

    @cached_property
    def all_bounds(self) -> dict[str, Bounds]:
        """The bounds of every metric of the catalogue; none where there are too many tables to walk."""
        return {} if self.feasible.unwalked else bounds(self.feasible.rows, _ALL)

    def _check_walkable(self) -> None:
        if self.feasible.unwalked:
            problem = f"the tables can be counted, not walked: {self.feasible.unwalked}"
            raise TooLarge("too_large", "budget", problem, self.claim.budget, "raise the budget")

    @property
    def blame(self) -> tuple[tuple[str, ...], ...]:
        """The smallest sets of claims that contradict each other, by metric; `contradictions` has the given names."""
        ids = {reading.name: reading.metric.id for reading in self.claim.readings}
        clear = len(set(ids.values())) == len(ids)
        return tuple(tuple(ids[name] if clear else name for name in names) for names in self.contradictions)

    @cached_property
    def repairs(self) -> tuple[Repair, ...]:
        """Single changes that would make an impossible report possible; hypotheses, in a fixed order."""
        return repairs(self.claim) if self.verdict == "impossible" else ()

    def distribution(self, name: str | Metric, prior: str = "tables") -> Distribution:
        """Return how a metric is distributed over the tables that fit.

        Parameters
        ----------
        name
            A metric.
        prior
            "tables" (every table is as likely as any other) or "rates" (both rates uniform for each pair of margins).

        Examples
        --------
        >>> recover(accuracy="0.85", positives=40, negatives=60).distribution("recall").median
        0.8
        """
        self._check_walkable()
        found = distribution(self.feasible.rows, metric(name), prior)
        if self.feasible.complete:
            return found
        words = "only the tables found within the budget are in it"
        return replace(found, notes=(*found.notes, Note("budget_spent", words, {"budget": self.claim.budget})))

    @property
    def cells(self) -> dict[str, tuple[int, int]]:
        """The smallest and largest count of each cell; empty where nothing fits, or too much to walk."""
        rows = _NOWHERE.rows if self.feasible.unwalked else self.feasible.rows
        if not len(rows):
            return {}
        fn, fp = rows.positives - rows.tp, (rows.negatives - rows.high, rows.negatives - rows.low)
        ends = {"tp": (rows.tp, rows.tp), "fn": (fn, fn), "fp": fp, "tn": (rows.low, rows.high)}
        return {name: (int(low.min()), int(high.max())) for name, (low, high) in ends.items()}

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record a metric: its bounds."""
        return [
            {"metric": name, "low": found.low, "high": found.high, **_flat("low", found), **_flat("high", found)}
            for name, found in self.all_bounds.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values; of many tables the first hundred."""
        return {
            "schema": "fourfold/recovery",
            "version": 1,
            "verdict": self.verdict,
            "count": self.count,
            "complete": self.feasible.complete,
            "claim": self.claim.to_dict(),
            "tables": [] if self.feasible.unwalked else [table.cells() for table in self.tables(_SHOWN)],
            "cells": {name: list(ends) for name, ends in self.cells.items()},
            "bounds": {
                name: {"low": found.low, "high": found.high, **_ends(found)} for name, found in self.all_bounds.items()
            },
            "blame": [list(names) for names in self.blame],
            "contradictions": [list(names) for names in self.contradictions],
            "implied": [
                {
                    "name": each.name,
                    "others": list(each.others),
                    "reported": each.reported,
                    "low": each.bounds.low,
                    "high": each.bounds.high,
                }
                for each in self.implied
            ],
            "repairs": [repair.to_dict() for repair in self.repairs],
            "notes": [note.to_dict() for note in self.notes],
        }


_ALL: Final = tuple(METRICS.values())


def _flat(end: str, found: Bounds) -> dict[str, int | None]:
    table = found.low_table if end == "low" else found.high_table
    return {f"{end}_{name}": table.cells()[name] if table else None for name in CELLS}


def _ends(found: Bounds) -> dict[str, Any]:
    return {
        "low_table": found.low_table.cells() if found.low_table else None,
        "high_table": found.high_table.cells() if found.high_table else None,
    }


def recover(claim: Claim | None = None, /, **given: Any) -> Recovery:
    """Find every table that could have produced the reported scores.

    Parameters
    ----------
    claim
        A `Claim`; or leave it out and give names and texts.
    given
        Scores by any of a metric's names, as printed; ``positives``, ``negatives`` and ``total`` as far as they are
        known, each a number or a range; ``rounding`` (how scores were rounded), ``undefined`` ("excluded", or "zero"
        where undefined scores were printed as 0), ``max_total`` (the largest total to try where none is given) and
        ``budget`` (how many rows may be looked at).

    Returns
    -------
    Recovery
        Its verdict is "unique", "several", "impossible", or "undecided" where the budget did not suffice.

    Examples
    --------
    >>> recover(accuracy="0.9567", sensitivity="0.8700", specificity="0.9750", positives=100, negatives=200).blame
    (('accuracy', 'recall', 'specificity'),)
    """
    if claim is None:
        claim = Claim.from_mapping(given)
    elif given:
        hint = "give one of them"
        raise InputError("usage", "recover", "takes a claim or names and texts, not both", list(given), hint)
    feasible = solve(claim)
    count = feasible.count
    notes = list(claim.notes)
    if feasible.unwalked:
        words = f"the tables were counted, not walked: {feasible.unwalked}"
        notes.append(Note("budget_spent", words, {"budget": claim.budget}))
    elif not feasible.complete:
        notes.append(Note("budget_spent", feasible.reason, {"budget": claim.budget}))
    elif claim.open_ended:
        words = f"totals up to {claim.largest_total} were tried, larger ones were not; max_total sets the limit"
        notes.append(Note("max_total_reached", words, {"max_total": claim.largest_total}))
    verdict = _verdict(count, complete=feasible.complete and not claim.undecidable)
    if verdict != "impossible":
        return Recovery(claim, verdict, count, notes=tuple(notes), feasible=feasible)
    blame, implied, unsure = _blame(claim)
    if unsure:
        notes.append(Note("blame_incomplete", "not every set of claims was checked for a contradiction", {}))
    return Recovery(claim, verdict, 0, blame, implied, tuple(notes), feasible)


def _verdict(count: int, *, complete: bool) -> Verdict:
    if count > 1:
        return "several"
    if not complete:
        return "undecided"
    return "unique" if count else "impossible"


def _blame(claim: Claim) -> tuple[tuple[tuple[str, ...], ...], tuple[Implied, ...], bool]:
    """Return all smallest sets of claims that contradict each other, and what the rest of each leaves for a member."""
    readings = claim.readings
    found: list[frozenset[int]] = []
    solved: dict[frozenset[int], Feasible] = {}
    unsure = len(readings) > _MOST_BLAMED
    for size in range(1, 3 if unsure else len(readings) + 1):
        for chosen in map(frozenset, combinations(range(len(readings)), size)):
            if any(smaller <= chosen for smaller in found):
                continue
            solved[chosen] = solve(claim.having(tuple(readings[i] for i in sorted(chosen))))
            unsure |= not solved[chosen].complete
            if solved[chosen].complete and not solved[chosen].count:
                found.append(chosen)
    if not found:
        return (_one_smallest_set(claim),), (), True
    implied = tuple(
        _implied(readings, i, chosen - {i}, solved[chosen - {i}])
        for chosen in found
        if len(chosen) > 1
        for i in sorted(chosen, reverse=True)
        if solved[chosen - {i}].complete and not solved[chosen - {i}].unwalked
    )
    return tuple(tuple(readings[i].name for i in sorted(chosen)) for chosen in found), implied, unsure


def _one_smallest_set(claim: Claim) -> tuple[str, ...]:
    """Return one smallest contradicting set of many claims: leave out what the contradiction does not need."""
    needed = list(claim.readings)
    for reading in claim.readings:
        rest = [each for each in needed if each is not reading]
        feasible = solve(claim.having(tuple(rest)))
        if feasible.complete and not feasible.count:
            needed = rest
    return tuple(reading.name for reading in needed)


def _implied(readings: Sequence[Reading], i: int, others: frozenset[int], feasible: Feasible) -> Implied:
    reading = readings[i]
    found = bounds(feasible.rows, [reading.metric])[reading.metric.id]
    return Implied(reading.name, tuple(readings[j].name for j in sorted(others)), reading.reported.text, found)
