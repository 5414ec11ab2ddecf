"""What a verdict looks like, and how contradictions and conditions are said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol

from ..document import Block, Document, Tone
from ..reported import Reported
from ..words import listed, sentence

#: A sentence names so many scores.
MOST_LISTED: Final = 8


class _Printed(Protocol):
    """A score that was reported: its name, and the number as it was read."""

    @property
    def name(self) -> str: ...
    @property
    def reported(self) -> Reported: ...


#: What a verdict is to the eye.
TONES: Final[Mapping[str, Tone]] = {"impossible": "bad", "undecided": "open", "conditional": "open", "error": "bad"}


def checked(verdict: str, words: str, blocks: Iterable[Block], cite: str = "") -> Document:
    """Return the document of a report that was checked; its verdict in words is the title."""
    title = sentence(words).removesuffix(".")
    return Document("Check of reported scores", title, TONES.get(verdict, "good"), list(blocks), cite)


_ROUNDED: Final = {
    "any": "rounded at the last digit, halves up or down",
    "half_up": "rounded at the last digit, halves up",
    "half_even": "rounded at the last digit, halves to even",
    "truncate": "cut after the last digit",
    "ceiling": "rounded up at the last digit",
}


def printed_scores(scores: Sequence[_Printed]) -> dict[str, str]:
    """Return each score as it is printed, with the rule that it was rounded by."""
    return {f"{score.name} {score.reported.text}": score.reported.rounding for score in scores}


def checked_line(scores: Mapping[str, str], sizes: str, assumed: str) -> str:
    """Say what was checked, and what was assumed: how the parts hang together, and how numbers were rounded.

    Examples
    --------
    >>> checked_line({"recall 0.81": "truncate"}, "40 positives", "one test set")
    'Checked: recall 0.81, 40 positives. Assumed: one test set; numbers cut after the last digit.'
    """
    what = listed(list(scores)) if len(scores) <= MOST_LISTED else f"{len(scores)} scores"
    rounded = "".join(f"; numbers {_ROUNDED[rule]}" for rule in dict.fromkeys(scores.values()) if rule in _ROUNDED)
    return f"Checked: {', '.join(filter(None, (what, sizes)))}. Assumed: {assumed}{rounded}."


def cited(sizes: str, scores: Sequence[str], verdict: str, reading: str, found: str = "") -> str:
    """Return a sentence to paste into a review: what was checked, and what came out.

    Examples
    --------
    >>> cited("With 40 positive and 60 negative cases", ["accuracy 0.85", "recall 81%"], "impossible", "")
    'With 40 positive and 60 negative cases, no confusion matrix gives accuracy 0.85 and recall 81%.'
    """
    claims = listed(scores)
    if verdict == "impossible":
        return f"{sizes}, no confusion matrix gives {claims}."
    if verdict == "undecided":
        return ""
    verb = "is" if len(scores) == 1 else "are"
    told = f" {only_if(reading)}" if verdict == "conditional" else " possible"
    return f"{sizes}, {claims} {verb}{told}{found}."


def contradiction(names: Sequence[str], *, sure: bool) -> str:
    """Say which claims contradict each other; `sure` where every smaller set of them is known to be possible.

    Examples
    --------
    >>> contradiction(["accuracy", "f1"], sure=True)
    'accuracy and f1 contradict each other; each alone is possible'
    """
    if len(names) == 1:
        return f"no table has this {names[0]}"
    if not sure:
        return f"{listed(names)} contradict each other"
    if len(names) == 2:
        return f"{listed(names)} contradict each other; each alone is possible"
    others = {3: "any two", 4: "any three"}.get(len(names), f"any {len(names) - 1}")
    return f"{listed(names)} contradict each other; {others} of them are possible"


def only_if(reading: str) -> str:
    """Say under which reading alone a report is possible."""
    return f"possible only if {reading}"


def between_counts(low: int, high: int) -> str:
    """Say between what a count lies."""
    return str(low) if low == high else f"{low} to {high}"
