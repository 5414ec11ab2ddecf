"""Scores by their names in a line of text: ``Accuracy: 84.17%``, ``Kappa : 0.22``, ``a precision of 26.6%``."""

from __future__ import annotations

import re
from typing import Final

from ..metrics import ACCURACY, COUNTS, METRICS
from . import cells

_NUMBER: Final = r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+(?:[.,]\d+)?|\.\d+)(?:e[+-]?\d{1,2})?(?:\s*%)?"
_SPREAD: Final = rf"(?:\s?(?:±|\+/-)\s?{_NUMBER}|\s?\(\s?(?:±|\+/-)\s?{_NUMBER}\s?\))?"
_LONGEST: Final = 70
# What stands between a name and its number; a word in brackets may stand before it.
_VALUE: Final = re.compile(
    r"(?:(?::|=|-+>|→|\b(?:of|is|was|at|reached|equals)\b)\s*[\"'*`]*\s*(?:about|approximately|~|≈)?\s*|(?P<bare>(?<=[\w)])\s))"
    rf"(?P<value>{_NUMBER}{_SPREAD})(?!\s?[:x×/]\s?\d|\w|\.\d)",
    re.IGNORECASE,
)
# A number right behind a name is its value where it looks like a score and nothing but the next name follows.
_BARE: Final = re.compile(r"(?:[01]?\.\d+|\d{1,3}(?:\.\d+)?\s?%)")
_ENDS: Final = re.compile(r"\s*(?:$|[,;|)]|\.(?:\s|$)|\band\b)")
_NAME: Final = re.compile(r"(?P<name>[A-Za-z'’][\w'’ .\-/()%&+]*?)\s*(?P<aside>\((?![^()]*\d)[^()]*\))?[\"'*`\s]*")
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
    far = _FAR.fullmatch(line)
    if far:
        return _far(far)
    text = cells.plain(line)
    found: list[tuple[str, str]] = []
    start = 0
    for match in _VALUE.finditer(text):
        if match["bare"] and not (_BARE.fullmatch(match["value"].strip()) and _ENDS.match(text, match.end())):
            continue
        before = text[max(start, match.start() - _LONGEST) : match.start()]
        start = match.end()
        behind = re.match(r"\s*\((?:macro|micro|weighted)[^()]*\)", text[start:], re.IGNORECASE)
        named = _NAME.fullmatch(before[_first_letter(before) :])
        clause = re.split(r"[,;|]\s|\.\s", before)[-1]
        if not named or "±" in match["value"] or "+/-" in match["value"] or not _may_name(clause.split()):
            # A mean over runs, or a score of other data, is not about this table.
            continue
        aside = named["aside"] or (behind[0].strip() if behind else "")
        name = _name_at_end(f"{named['name']} {aside}") or _name_at_end(named["name"])
        if name:
            found.append((name, "".join(match["value"].split()).rstrip(",")))
    return found


def _first_letter(text: str) -> int:
    """Return where the words begin that a name is made of: behind the last sign that no name has."""
    cut = max((match.end() for match in re.finditer(r"[^\w'’ .\-/()%&+]|\.\s", text.rstrip("\"'*` "))), default=0)
    letter = re.search(r"[A-Za-z'’]", text[cut:])
    return cut + letter.start() if letter else len(text)


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


_ALSO_WORDS: Final = re.compile(r"(?!f\d)[a-z]{2}|for|err|dor|power")


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
