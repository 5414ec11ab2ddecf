"""Single changes that would make an impossible report possible: hypotheses, tried in a fixed order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Annotated, Final, TypeAlias

from ..errors import InputError
from ..metrics import AVERAGES
from ..reported import Reported
from ..shape import Count, Record
from ..table import Table
from .any_size import solve, without_curved
from .claim import Claim, ClaimedScore, Size, read_score
from .readings import averaged_score, readings_of_table

# More hypotheses of one kind would bury the others.
_MOST_OF_A_KIND: Final = 5
# How far the sizes may be off.
_LARGEST_STEP: Final = 3
# Where the sizes are unknown a search is dear, and this many are made.
_MOST_SEARCHES: Final = 40
# Where no size is known either and claims are curved, small tables are walked: a hypothesis is not worth more.
_LARGEST_CURVED: Final = 50


@dataclass(frozen=True)
class Repair(Record):
    """One change that makes a report possible, with a table that then fits. A hypothesis, not a finding."""

    kind: Annotated[str, "What kind of change; stable, for programs."]
    change: Annotated[str, "The change in words."]
    count: Annotated[Count, "How many tables then fit."]
    table: Annotated[Table, "One of them."]


#: What kind of change, the change in words, and the claim with it.
_Change: TypeAlias = tuple[str, str, Claim]


def repairs(claim: Claim, *, tried: bool) -> tuple[Repair, ...]:
    """Try single changes of a claim in a fixed order and return those that make it possible.

    Other readings are among them unless they were tried before.
    """
    repairs: list[Repair] = []
    seen: Counter[str] = Counter()
    sized = claim.sized()
    for searched, (kind, change, changed) in enumerate(_changes(claim, tried=tried)):
        if (sized is None or sized.margins is None) and searched >= _MOST_SEARCHES:
            break
        if seen[kind] >= _MOST_OF_A_KIND:
            continue
        if changed.undecidable and without_curved(changed) != changed:
            changed = replace(changed, max_total=_LARGEST_CURVED)
        feasible = solve(changed)
        if not feasible.empty and feasible.count and not feasible.unwalked:
            seen[kind] += 1
            repairs.append(Repair(kind, change, feasible.count, feasible.first()))
    return tuple(repairs)


def _changes(claim: Claim, *, tried: bool) -> Iterator[_Change]:
    if not tried:
        yield from _readings(claim)
    yield from _other_digits(claim)
    yield from _averages(claim)
    yield from _percent(claim)
    yield from _other_sizes(claim)
    yield from _coarser(claim)


def _with(claim: Claim, i: int, claimed: ClaimedScore) -> Claim:
    return claim.having((*claim.scores[:i], claimed, *claim.scores[i + 1 :]))


def _other_text(claim: Claim, i: int, text: str) -> Claim | None:
    try:
        return _with(claim, i, read_score(claim.scores[i].name, text, claim.rounding))
    except InputError:
        return None


def _other_digits(claim: Claim) -> Iterator[_Change]:
    """Change one digit of one score, or exchange two neighbours."""
    for i, claimed in enumerate(claim.scores):
        text = claimed.reported.text
        places = [k for k, character in enumerate(text) if character in "0123456789"]
        texts = [text[:k] + digit + text[k + 1 :] for k in places for digit in "0123456789" if digit != text[k]]
        swaps = [(a, b) for a, b in pairwise(places) if text[a] != text[b]]
        texts += [text[:a] + text[b] + text[a + 1 : b] + text[a] + text[b + 1 :] for a, b in swaps]
        for other in dict.fromkeys(texts):
            if claimed.is_count and other != "0" and other.startswith("0"):
                continue
            changed = _other_text(claim, i, other)
            if changed is not None:
                yield "digit", f"{claimed.name} is {other}, not {text}", changed
    for i, j in combinations(range(len(claim.scores)), 2):
        first, second = claim.scores[i], claim.scores[j]
        changed = _other_text(claim, i, second.reported.text)
        changed = changed and _other_text(changed, j, first.reported.text)
        if changed is not None:
            yield "exchanged", f"{first.name} and {second.name} were exchanged", changed


def _readings(claim: Claim) -> Iterator[_Change]:
    """Read the report otherwise in one point: a hypothesis where the user has said how it is to be read."""
    for departures, changed in readings_of_table(replace(claim, undefined="any")):
        if len(departures) == 1:
            yield departures[0].code, departures[0].words, changed


def _averages(claim: Claim) -> Iterator[_Change]:
    """Take one score of several as an average over the classes; that all are is a reading."""
    for average in AVERAGES:
        averaged = [averaged_score(claimed, average) for claimed in claim.scores]
        possible = {i: claimed for i, claimed in enumerate(averaged) if claimed is not None}
        if len(possible) > 1 or average == "micro":
            for i, claimed in possible.items():
                yield "average", f"{claimed.name} is the {average} average", _with(claim, i, claimed)


def _percent(claim: Claim) -> Iterator[_Change]:
    """Drop a percent sign, or add one."""
    for i, claimed in enumerate(claim.scores):
        text = claimed.reported.text.strip()
        other = text.removesuffix("%").strip() if text.endswith("%") else text + "%"
        changed = _other_text(claim, i, other)
        if changed is not None:
            yield "percent", f"{claimed.name} is {other}, not {text}", changed


def _other_sizes(claim: Claim) -> Iterator[_Change]:
    """Let one known size be off by a few."""
    steps = [step for size in range(1, _LARGEST_STEP + 1) for step in (-size, size)]
    for step, (name, verb) in product(steps, (("positives", "are"), ("negatives", "are"), ("total", "is"))):
        size: Size = getattr(claim, name)
        new = size.low + step
        if size.known and new >= 0:
            changed = replace(claim, **{name: Size(new, new)})  # type: ignore[arg-type]
            if changed.consistent:
                yield "size", f"{name} {verb} {new}, not {size.low}", changed


def _coarser(claim: Claim) -> Iterator[_Change]:
    """Let one score be rounded to a digit less than it shows."""
    for i, claimed in enumerate(claim.scores):
        reported = claimed.reported
        if reported.rounding in ("exact", "interval") or reported.high == reported.low:
            continue
        middle, half = (reported.low + reported.high) / 2, (reported.high - reported.low) / 2 * Fraction(10)
        wider = Reported(reported.text, middle - half, middle + half, rounding=reported.rounding)
        change = f"{claimed.name} is sure to a digit less than {reported.text} shows"
        yield "rounding", change, _with(claim, i, replace(claimed, reported=wider))
