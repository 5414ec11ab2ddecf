"""Scores by their names in a line of text: ``Accuracy: 84.17%``, ``Kappa : 0.22``, ``a precision of 26.6%``."""

from __future__ import annotations

import re
from typing import Final

from ..metrics import ACCURACY, COUNTS, METRICS
from . import cells

_NUMBER: Final = r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+(?:[.,]\d+)?|\.\d+)(?:e[+-]?\d{1,2})?(?:\s*%)?"
_SPREAD: Final = rf"(?:\s?(?:±|\+/-)\s?{_NUMBER}|\s?\(\s?(?:±|\+/-)\s?{_NUMBER}\s?\))?"
_BETWEEN: Final = (
    r"\s*(?P<aside>\((?![^()]*\d)[^()]*\))?[\"'*`]*\s*"
    r"(?::|=|-+>|→|\bof\b|\bis\b|\bwas\b|\bat\b|\breached\b|\bequals\b)"
    r"\s*[\"'*`]*\s*(?:about|approximately|~|≈)?\s*"
)
_PAIR: Final = re.compile(
    rf"(?P<name>[A-Za-z'’][\w'’ .\-/()%&+]*?){_BETWEEN}(?P<value>{_NUMBER}{_SPREAD})(?!\s?[:x×/]\s?\d|\w|\.\d)",
    re.IGNORECASE,
)
# Weka sets numbers far behind their names.
_FAR: Final = re.compile(
    rf"\s*(?P<name>[A-Za-z][\w'’ .\-()]*?)\s{{3,}}(?P<first>{_NUMBER})(?:\s{{2,}}(?P<second>{_NUMBER}))?\s*"
)
_CLASSIFIED: Final = {"correctly classified instances": True, "incorrectly classified instances": False}


def scores_in(line: str) -> list[tuple[str, str]]:
    """Return the scores that a line names, each by its id with its text.

    Examples
    --------
    >>> scores_in("Accuracy: 84.17%, F1-score = 0.81")
    [('accuracy', '84.17%'), ('f1', '0.81')]
    >>> scores_in("It has a precision of 26.6% and an epoch of 12")
    [('precision', '26.6%')]
    """
    text = cells.plain(line) if not _FAR.fullmatch(line) else line
    far = _FAR.fullmatch(text)
    if far:
        return _far(far)
    found = []
    for match in _PAIR.finditer(text):
        behind = re.match(r"\s*\((?:macro|micro|weighted)[^()]*\)", text[match.end() :], re.IGNORECASE)
        aside = match["aside"] or (behind[0].strip() if behind else "")
        name = _name_at_end(f"{match['name']} {aside}") or _name_at_end(match["name"])
        if name:
            found.append((name, "".join(match["value"].split()).rstrip(",")))
    return found


def is_list(line: str) -> bool:
    """Tell whether a line is nothing but a name and its value, known or not, as tools print them."""
    text = line.strip()
    apart = re.fullmatch(r"\S.{0,60}?\s{3,}\S.{0,40}", text)
    return bool(apart) or (bool(re.fullmatch(r"[^:=]{1,60}\s?[:=]\s?\S.{0,60}", text)) and len(text.split()) <= 14)


def _far(match: re.Match[str]) -> list[tuple[str, str]]:
    name, first, second = cells.key(match["name"]), match["first"], match["second"]
    right = _CLASSIFIED.get(name)
    if right is not None and second:
        rate = ACCURACY if right else METRICS[_WRONG]
        return [(_COUNTED[right], first.strip()), (rate.id, "".join(second.split()))]
    known = cells.score_name(match["name"])
    return [(known, "".join(first.split()))] if known and not second else []


_WRONG: Final = next(
    name for name, metric in METRICS.items() if metric.hits == "wrong" and metric.over_classes is not None
)
_COUNTED: Final = {
    right: next(
        name for name, count in COUNTS.items() if count.over_classes is not None and (count.better == "lower") != right
    )
    for right in (True, False)
}


_ALSO_WORDS: Final = re.compile(r"(?!f\d)..|for|err|dor|power")


def _name_at_end(text: str) -> str | None:
    """Return the score that the last words of a text name; all its words where it begins a line."""
    words = text.strip(" '\"").split()
    if not words or not _may_name(words):
        return None
    for start in range(max(0, len(words) - 7), len(words)):
        part = " ".join(words[start:])
        # Short names that are words too count where nothing stands before them.
        if start and _ALSO_WORDS.fullmatch(part):
            continue
        name = cells.score_name(part)
        if name:
            return name
    return None


_OTHER_DATA: Final = re.compile(
    r"\b(?:train(?:ing)?|validation|val|valid|dev|cross|cv|oob|baseline|mean|average|avg|std|best|expected|fold|"
    r"epoch|previous|random|no information|null|target|threshold|class|label|per|improved?|increase[ds]?|loss)\b",
    re.IGNORECASE,
)


def _may_name(words: list[str]) -> bool:
    """Tell whether the words before a number can be about the whole test."""
    return not _OTHER_DATA.search(" ".join(words)) or cells.score_name(" ".join(words)) is not None
