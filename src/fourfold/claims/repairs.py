"""Single changes that would make an impossible report possible: hypotheses, tried in a fixed order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Annotated, Any, Final

from ..metrics import AVERAGES
from ..shape import Count, Record
from ..table import Table
from .any_size import solve, without_curved
from .changes import MOST_OF_A_KIND, STEPS, Change, coarser, exchanged, other_digits, percent, with_score
from .claim import Claim, Size, TableClaim
from .class_repairs import class_repairs
from .classes import ClassClaim
from .readings import averaged_score, readings_of

# Where the sizes are unknown a search is dear, and this many are made.
_MOST_SEARCHES: Final = 40
# Where no size is known either and claims are curved, small tables are walked: a hypothesis is not worth more.
_LARGEST_CURVED: Final = 50


@dataclass(frozen=True)
class Repair(Record):
    """One change that makes a report possible, with a table that then fits. A hypothesis, not a finding."""

    kind: Annotated[str, "The kind of change; stable, for programs."]
    change: Annotated[str, "The change in words."]
    count: Annotated[Count, "How many tables then fit."]
    table: Annotated[Table, "One of them."]


def repairs(claim: Claim, blame: Sequence[Sequence[str]], *, tried: bool) -> tuple[Any, ...]:
    """Return single changes of a claim that make it possible; `blame` are sets of scores that contradict."""
    if isinstance(claim, ClassClaim):
        return class_repairs(claim, blame)
    return _of_table(claim, tried=tried) if isinstance(claim, TableClaim) else ()


def _of_table(claim: TableClaim, *, tried: bool) -> tuple[Repair, ...]:
    """Try single changes of a claim in a fixed order and return those that make it possible.

    Other readings are among them unless they were tried before.
    """
    repairs: list[Repair] = []
    seen: Counter[str] = Counter()
    sized = claim.sized()
    for searched, (kind, change, changed) in enumerate(_changes(claim, tried=tried)):
        if (sized is None or sized.margins is None) and searched >= _MOST_SEARCHES:
            break
        if seen[kind] >= MOST_OF_A_KIND:
            continue
        if changed.undecidable and without_curved(changed) != changed:
            changed = replace(changed, max_total=_LARGEST_CURVED)
        feasible = solve(changed)
        if not feasible.empty and feasible.count and not feasible.unwalked:
            seen[kind] += 1
            repairs.append(Repair(kind, change, feasible.count, feasible.first()))
    return tuple(repairs)


def _changes(claim: TableClaim, *, tried: bool) -> Iterator[Change[TableClaim]]:
    read, every = claim.read_score, range(len(claim.scores))
    if not tried:
        yield from _readings(claim)
    yield from other_digits(claim, read, every)
    yield from exchanged(claim, read, combinations(every, 2))
    yield from _averages(claim)
    yield from percent(claim, read, every)
    yield from _other_sizes(claim)
    yield from coarser(claim, every)


def _readings(claim: TableClaim) -> Iterator[Change[TableClaim]]:
    """Read the report otherwise in one point: a hypothesis where the user has said how it is to be read."""
    for departures, changed in readings_of(replace(claim, convention=None)):
        if len(departures) == 1:
            yield departures[0].code, departures[0].words, changed


def _averages(claim: TableClaim) -> Iterator[Change[TableClaim]]:
    """Take one score of several as an average over the classes; that all are is a reading."""
    for average in AVERAGES:
        averaged = [averaged_score(claimed, average) for claimed in claim.scores]
        possible = {i: claimed for i, claimed in enumerate(averaged) if claimed is not None}
        if len(possible) > 1 or average == "micro":
            for i, claimed in possible.items():
                yield "average", f"{claimed.name} is the {average} average", with_score(claim, i, claimed)


def _other_sizes(claim: TableClaim) -> Iterator[Change[TableClaim]]:
    """Let one known size be off by a few."""
    for step, (name, verb) in product(STEPS, (("positives", "are"), ("negatives", "are"), ("total", "is"))):
        size: Size = getattr(claim, name)
        new = size.low + step
        if size.known and new >= 0:
            changed = replace(claim, **{name: Size(new, new)})  # type: ignore[arg-type]
            if changed.consistent:
                yield "size", f"{name} {verb} {new}, not {size.low}", changed
