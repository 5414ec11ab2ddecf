"""Single changes that would make an impossible report possible: hypotheses, tried in a fixed order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Annotated, Any, Final, TypeAlias

from ..errors import InputError
from ..metrics import AVERAGES
from ..reported import Reported
from ..shape import Count, Record
from ..table import Table
from .claim import Claim, ClaimedScore, Size, read_score
from .search import solve

# More hypotheses of one kind would bury the others.
_MOST_OF_A_KIND: Final = 5
# How far the sizes may be off.
_LARGEST_STEP: Final = 3
# Where the sizes are unknown a search is dear, and this many are made.
_MOST_SEARCHES: Final = 40


@dataclass(frozen=True)
class Repair(Record):
    """One change that makes a report possible, with a table that then fits. A hypothesis, not a finding."""

    kind: Annotated[str, "What kind of change; stable, for programs."]
    change: Annotated[str, "The change in words."]
    count: Annotated[Count, "How many tables then fit."]
    table: Annotated[Table, "One of them."]


#: What kind of change, the change in words, and the claim with it.
_Change: TypeAlias = tuple[str, str, Claim]


def repairs(claim: Claim) -> tuple[Repair, ...]:
    """Try single changes of a claim in a fixed order and return those that make it possible."""
    repairs: list[Repair] = []
    seen: Counter[str] = Counter()
    sized = claim.sized()
    for searched, (kind, change, changed) in enumerate(_changes(claim)):
        if (sized is None or sized.margins is None) and searched >= _MOST_SEARCHES:
            break
        if seen[kind] >= _MOST_OF_A_KIND:
            continue
        feasible = solve(changed)
        if feasible.count and not feasible.unwalked:
            seen[kind] += 1
            repairs.append(Repair(kind, change, feasible.count, feasible.rows.first()))
    return tuple(repairs)


def _changes(claim: Claim) -> Iterator[_Change]:
    if claim.undefined == "excluded":
        yield "undefined_as_zero", "undefined scores were printed as 0", replace(claim, undefined="zero")
    yield from _other_digits(claim)
    yield from _other_class(claim)
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


def _other_class(claim: Claim) -> Iterator[_Change]:
    """Take the other class as the positive one."""
    scores = tuple(replace(claimed, metric=claimed.metric.negative()) for claimed in claim.scores)
    if any(new.metric.id != old.metric.id for new, old in zip(scores, claim.scores, strict=True)):
        yield "other_class", "the positive class is the other one", claim.having(scores)


def _averages(claim: Claim) -> Iterator[_Change]:
    """Take scores as averages over the classes: each alone, then all that can be."""
    for average in AVERAGES:
        averaged = [_averaged(claimed, average) for claimed in claim.scores]
        possible = {i: claimed for i, claimed in enumerate(averaged) if claimed is not None}
        for i, claimed in possible.items():
            yield "average", f"{claimed.name} is the {average} average", _with(claim, i, claimed)
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
