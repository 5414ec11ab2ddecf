"""Single changes that would make an impossible report possible: hypotheses, tried in a fixed order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product
from typing import Annotated, Any, Final

from ..errors import InputError
from ..metrics import AVERAGES
from ..shape import Count, Record
from ..table import Table
from .changes import MOST_OF_A_KIND, STEPS, Change, coarser, exchanged, other_digits, percent, with_score
from .claim import Claim, ClaimedScore, Size, read_score
from .search import solve

# Where the sizes are unknown a search is dear, and this many are made.
_MOST_SEARCHES: Final = 40


@dataclass(frozen=True)
class Repair(Record):
    """One change that makes a report possible, with a table that then fits. A hypothesis, not a finding."""

    kind: Annotated[str, "What kind of change; stable, for programs."]
    change: Annotated[str, "The change in words."]
    count: Annotated[Count, "How many tables then fit."]
    table: Annotated[Table, "One of them."]


def repairs(claim: Claim) -> tuple[Repair, ...]:
    """Try single changes of a claim in a fixed order and return those that make it possible."""
    repairs: list[Repair] = []
    seen: Counter[str] = Counter()
    for searched, (kind, change, changed) in enumerate(_changes(claim)):
        if claim.margins is None and searched >= _MOST_SEARCHES:
            break
        if seen[kind] >= MOST_OF_A_KIND:
            continue
        feasible = solve(changed)
        if feasible.count and not feasible.unwalked:
            seen[kind] += 1
            repairs.append(Repair(kind, change, feasible.count, feasible.rows.first()))
    return tuple(repairs)


def _changes(claim: Claim) -> Iterator[Change[Claim]]:
    read, every = partial(read_score, rounding=claim.rounding), range(len(claim.scores))
    if claim.undefined == "excluded":
        yield "undefined_as_zero", "undefined scores were printed as 0", replace(claim, undefined="zero")
    yield from other_digits(claim, read, every)
    yield from exchanged(claim, read, combinations(every, 2))
    yield from _other_class(claim)
    yield from _averages(claim)
    yield from percent(claim, read, every)
    yield from _other_sizes(claim)
    yield from coarser(claim, every)


def _other_class(claim: Claim) -> Iterator[Change[Claim]]:
    """Take the other class as the positive one."""
    scores = tuple(replace(claimed, metric=claimed.metric.negative()) for claimed in claim.scores)
    if any(new.metric.id != old.metric.id for new, old in zip(scores, claim.scores, strict=True)):
        yield "other_class", "the positive class is the other one", claim.having(scores)


def _averages(claim: Claim) -> Iterator[Change[Claim]]:
    """Take scores as averages over the classes: each alone, then all that can be."""
    for average in AVERAGES:
        averaged = [_averaged(claimed, average) for claimed in claim.scores]
        possible = {i: claimed for i, claimed in enumerate(averaged) if claimed is not None}
        for i, claimed in possible.items():
            yield "average", f"{claimed.name} is the {average} average", with_score(claim, i, claimed)
        if len(possible) > 1:
            scores = tuple(new or old for new, old in zip(averaged, claim.scores, strict=True))
            names = ", ".join(claimed.name for claimed in possible.values())
            yield "average", f"{names} are {average} averages", claim.having(scores)


def _averaged(claimed: ClaimedScore, average: Any) -> ClaimedScore | None:
    """Return a score as an average; None where that is the same metric or no table could be searched for it."""
    if claimed.metric.over_classes is not None:
        return None
    try:
        changed = read_score(f"{average}_{claimed.metric.id}", claimed.reported.text, claimed.reported.rounding)
    except InputError:
        return None
    return replace(changed, name=claimed.name, reported=claimed.reported)


def _other_sizes(claim: Claim) -> Iterator[Change[Claim]]:
    """Let one known size be off by a few."""
    for step, (name, verb) in product(STEPS, (("positives", "are"), ("negatives", "are"), ("total", "is"))):
        size: Size = getattr(claim, name)
        new = size.low + step
        if size.known and new >= 0:
            changed = replace(claim, **{name: Size(new, new)})  # type: ignore[arg-type]
            if changed.consistent:
                yield "size", f"{name} {verb} {new}, not {size.low}", changed
