"""Single changes of reported scores, the same for reports about two classes and about several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from ..errors import InputError
from ..reported import Reported

# More hypotheses of one kind would bury the others.
MOST_OF_A_KIND: Final = 5
#: How far a size may be off.
STEPS: Final = (-1, 1, -2, 2, -3, 3)


class _Report(Protocol):
    """A claim about two classes, or about several."""

    @property
    def scores(self) -> tuple[Any, ...]: ...

    def having(self, scores: tuple[Any, ...]) -> Any: ...


Report = TypeVar("Report", bound=_Report)
#: What reads a score of a report from its name and text, or says what is wrong with it.
Reader: TypeAlias = Callable[[str, str], Any]
#: What kind of change, the change in words, and the claim with it.
Change: TypeAlias = tuple[str, str, Report]


def with_score(claim: Report, i: int, claimed: Any) -> Report:
    """Return a claim with another score in a place."""
    changed: Report = claim.having((*claim.scores[:i], claimed, *claim.scores[i + 1 :]))
    return changed


def with_text(claim: Report, read: Reader, i: int, text: str) -> Report | None:
    """Return a claim with another text of a score; None where that is no value of it."""
    try:
        return with_score(claim, i, read(claim.scores[i].name, text))
    except InputError:
        return None


def other_texts(text: str) -> list[str]:
    """Return a number's text with one digit changed, or with two neighbours exchanged.

    Examples
    --------
    >>> len(other_texts("12")), other_texts("12")[-1]
    (19, '21')
    """
    places = [k for k, character in enumerate(text) if character in "0123456789"]
    texts = [text[:k] + digit + text[k + 1 :] for k in places for digit in "0123456789" if digit != text[k]]
    swaps = [(a, b) for a, b in pairwise(places) if text[a] != text[b]]
    texts += [text[:a] + text[b] + text[a + 1 : b] + text[a] + text[b + 1 :] for a, b in swaps]
    return list(dict.fromkeys(texts))


def other_digits(claim: Report, read: Reader, places: Iterable[int]) -> Iterator[Change[Report]]:
    """Change one digit of one score, or exchange two neighbours."""
    for i in places:
        name, text = claim.scores[i].name, claim.scores[i].reported.text
        for other in other_texts(text):
            # No count begins with a zero.
            if text.isdigit() and other != "0" and other.startswith("0"):
                continue
            changed = with_text(claim, read, i, other)
            if changed is not None:
                yield "digit", f"{name} is {other}, not {text}", changed


def exchanged(claim: Report, read: Reader, pairs: Iterable[tuple[int, int]]) -> Iterator[Change[Report]]:
    """Exchange the texts of two scores."""
    for i, j in pairs:
        first, second = claim.scores[i], claim.scores[j]
        half = with_text(claim, read, i, second.reported.text)
        changed = None if half is None else with_text(half, read, j, first.reported.text)
        if changed is not None:
            yield "exchanged", f"{first.name} and {second.name} were exchanged", changed


def percent(claim: Report, read: Reader, places: Iterable[int]) -> Iterator[Change[Report]]:
    """Drop a percent sign, or add one."""
    for i in places:
        name, text = claim.scores[i].name, claim.scores[i].reported.text.strip()
        other = text.removesuffix("%").strip() if text.endswith("%") else text + "%"
        changed = with_text(claim, read, i, other)
        if changed is not None:
            yield "percent", f"{name} is {other}, not {text}", changed


def coarser(claim: Report, places: Iterable[int]) -> Iterator[Change[Report]]:
    """Let one score be rounded to a digit less than it shows."""
    for i in places:
        claimed = claim.scores[i]
        reported: Reported = claimed.reported
        if reported.rounding in ("exact", "interval") or reported.high == reported.low:
            continue
        middle, half = (reported.low + reported.high) / 2, (reported.high - reported.low) / 2 * Fraction(10)
        wider = Reported(reported.text, middle - half, middle + half, rounding=reported.rounding)
        change = f"{claimed.name} was rounded to a digit less than {reported.text} shows"
        yield "rounding", change, with_score(claim, i, replace(claimed, reported=wider))
