"""What a verdict looks like, and how contradictions and conditions are said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ..document import Block, Document, Tone
from ..words import listed, sentence

#: What a verdict is to the eye.
TONES: Final[Mapping[str, Tone]] = {"impossible": "bad", "undecided": "open", "conditional": "open", "error": "bad"}


def checked(verdict: str, words: str, blocks: Iterable[Block], cite: str = "") -> Document:
    """Return the document of a report that was checked; its verdict in words is the title."""
    title = sentence(words).removesuffix(".")
    return Document("Check of reported scores", title, TONES.get(verdict, "good"), list(blocks), cite)


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
