"""Scores by their names in a line of text: ``Accuracy: 84.17%``, ``Kappa : 0.22``, ``a precision of 26.6%``.

A line that is nothing but names and values says them of what it stands beside. A sentence may be about anything: what
it says is weaker, and where it is about another system, a change, a target or a single class it says nothing here.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ..metrics import ACCURACY, COUNTS, METRICS, RECALL
from . import cells
from .names import polarity, read_name
from .vocabulary import PARTS, Part

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


class Said(NamedTuple):
    """A score in a line of text."""

    name: str
    text: str
    #: Of which part of the data it is, where its name says so.
    part: Part = ""
    #: Whether the line is a list of names and values, and no sentence.
    listed: bool = True
    line: str = ""


#: What a sentence about something else has in it: another system, a change, what is wanted, a range.
ABOUT_OTHERS: Final = re.compile(
    r"\bet\s+al\b|\\cite|\[\d+(?:[,–-]\s?\d+)*\]|\(\d{4}\)|\b(?:previous|prior|earlier|literature|reported|authors?|others|baselines?|"
    r"state[\s-]of[\s-]the[\s-]art|competitors?|compared|than|versus|vs|random|chance|guess\w*|human|naive|dummy|majority|"
    r"improv\w*|increas\w*|decreas\w*|drop\w*|degrad\w*|reduc\w*|gain\w*|los[est]\w*|fell|fall\w*|rose|rise\w*|higher|lower|better|"
    r"worse|differ\w*|chang\w*|points?|pp|thresholds?|cut-?offs?|targets?|goals?|expect\w*|required?|desired|minimum|maximum|"
    r"at\s+least|at\s+most|up\s+to|above|below|over|exceed\w*|between|intervals?|confidence|ci|would|could|should|might|if)\b",
    re.IGNORECASE,
)
#: A formula between a name and its value, ``Sensitivity: TP/(TP+FN) = 0.41``.
_FORMULA: Final = re.compile(r"(?<=[:=])(?:[TF][PN]|[PN]|Total|[-+*/()\d\s]){1,80}+=(?=\s*\W{0,3}\d)", re.IGNORECASE)


def without_formula(text: str) -> str:
    """Return a line without the formula between a name and its value."""
    return _FORMULA.sub("", text)


#: Numbers of several groups or models behind one name: "0.83 (men), 0.81 (women)", "83% for men and 81% for women".
_GROUP: Final = r"(?:\([^()]*[^\W\d][^()]*\)|\b(?:for|on|in|among)\s[^\d,;.()]{2,40}?)"
_GROUPS: Final = re.compile(
    rf"\s*(?P<first>{_GROUP})\s*(?:[,;/|]|\band\b|\bvs\b\.?)\s*(?:and\s+)?{_NUMBER}(?:\s*,\s*{_NUMBER})*\s*{_GROUP}",
    re.IGNORECASE,
)


def is_of_a_group(text: str, end: int) -> bool:
    """Tell whether a number that ends there is that of one group of several, unless it is that of the test set.

    Examples
    --------
    >>> is_of_a_group("Accuracy: 0.83 (men), 0.81 (women)", 14), is_of_a_group("Accuracy: 0.83 (test), 0.9 (train)", 14)
    (True, False)
    """
    match = _GROUPS.match(text, end)
    return match is not None and "test" not in map(PARTS.get, re.findall(r"\w+", match["first"].casefold()))


#: What stands between the pairs of a list, and a pair.
_BETWEEN: Final = re.compile(r"\s*[,;|]\s+|\s{2,}|\t+|\s+[-–—]\s+")
_LISTED: Final = re.compile(
    rf"[^\d:=]{{0,3}}[A-Za-z][^:=]{{0,60}}?\s*(?:[:=→]|-+>|\b(?:is|was)\b|\s)\s*{_NUMBER}{_SPREAD}[.)\]]*(?:\s*\([^()]*\))?",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(r"\w\s*(\([^()\d]+\))\W{0,4}[:=]")
_VERBS: Final = re.compile(
    r"\b(?:of|with|we|has|have|had|it|reached|achiev\w*|gives?|yields?|obtain\w*|the|this|our)\b", re.IGNORECASE
)


def said_in(line: str) -> list[Said]:
    """Return the scores that a line says of what it stands beside.

    Examples
    --------
    >>> [(said.name, said.text, said.listed) for said in said_in("Accuracy: 84.17%, F1-score = 0.81")]
    [('accuracy', '84.17%', True), ('f1', '0.81', True)]
    >>> [(said.name, said.text, said.listed) for said in said_in("We reach an accuracy of 85%.")]
    [('accuracy', '85%', False)]
    >>> said_in("Smith et al. reported an accuracy of 85%."), said_in("This is an improvement in accuracy of 3%.")
    ([], [])
    """
    found = scores_in(line)
    if not found:
        return []
    text = re.sub(r"^\s*(?:[-*+•#>]+|\d+[.)]|//+|%+)\s+", "", without_formula(cells.plain(line))).strip(" .,;|")
    pieces = [piece for piece in _BETWEEN.split(text) if piece]
    # A line that is nothing but names and values, as programs print them, is no sentence.
    listed = _FAR.fullmatch(line) or all(_LISTED.fullmatch(piece) and not _VERBS.search(piece) for piece in pieces)
    if not listed and ABOUT_OTHERS.search(line):
        return []
    # "Accuracy (men)" may be that of a part of the cases.
    asides = [read_name(f"{RECALL.id} {aside}") for aside in _ASIDE.findall(text)]
    listed = listed and not any(name.group or (name.label and polarity(name.label) != "positive") for name in asides)
    words = re.findall(r"[^\W\d_]+", line.casefold())
    part: Part = next((PARTS[word] for word in words if word in PARTS), "")
    return [Said(name, text, part, bool(listed), line) for name, text in found]


def scores_in(line: str) -> list[tuple[str, str]]:
    """Return the scores that a line names, each by its id with its text.

    Examples
    --------
    >>> scores_in("Accuracy: 84.17%, F1-score = 0.81")
    [('accuracy', '84.17%'), ('f1', '0.81')]
    >>> scores_in("It has a precision of 26.6% and an epoch of 12")
    [('precision', '26.6%')]
    >>> scores_in("Sensitivity: TP/(TP+FN) = 41.18%")
    [('recall', '41.18%')]
    """
    far = _FAR.fullmatch(line)
    if far:
        return _far(far)
    text = without_formula(cells.plain(line))
    found: list[tuple[str, str]] = []
    start = 0
    for match in _VALUE.finditer(text):
        if match["bare"] and not (_BARE.fullmatch(match["value"].strip()) and _ENDS.match(text, match.end())):
            continue
        before = text[max(start, match.start() - _LONGEST) : match.start()]
        start = match.end()
        behind = re.match(r"\s*\((?:macro|micro|weighted)[^()]*\)", text[start:], re.IGNORECASE)
        # A name begins with the first letter behind the last sign that no name has.
        cut = max((sign.end() for sign in re.finditer(r"[^\w'’ .\-/()%&+]|\.\s", before.rstrip("\"'*` "))), default=0)
        letter = re.search(r"[A-Za-z'’]", before[cut:])
        named = letter and _NAME.fullmatch(before, cut + letter.start())
        clause = re.split(r"[,;|]\s|\.\s", before)[-1]
        other = "±" in match["value"] or "+/-" in match["value"] or is_of_a_group(text, match.end("value"))
        if not named or other or not _may_name(clause.split()):
            # A mean over runs, or a score of other data or of a group, is not about this table.
            continue
        aside = named["aside"] or (behind[0].strip() if behind else "")
        name = _name_at_end(f"{named['name']} {aside}") or _name_at_end(named["name"])
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
        rate = ACCURACY if right else INACCURACY
        return [(_COUNTED[right], first.strip()), (rate.id, "".join(second.split()))]
    known = cells.score_name(match["name"])
    return [(known, "".join(first.split()))] if known and not second else []


INACCURACY: Final = next(
    metric for metric in METRICS.values() if metric.hits == "wrong" and metric.over_classes is not None
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
    r"\b(?:train(?:ing)?|validation|val|valid|dev|cross|cv|oob|baseline|mean|average|avg|std|deviation|m[eé]dia|promedio|"
    r"moyenne|mittelwert|desvio|desviaci[oó]n|[eé]cart|standardabweichung|deviazione|best|expected|fold|"
    r"epoch|previous|random|no information|null|target|threshold|class|label|per|improve\w*|increase[ds]?|loss|"
    r"degrad\w*|drop\w*|gain\w*|reduction)\b",
    re.IGNORECASE,
)


def _may_name(words: list[str]) -> bool:
    """Tell whether the words before a number can be about the whole test."""
    return not _OTHER_DATA.search(" ".join(words)) or cells.score_name(" ".join(words)) is not None
