"""One cell of a table: the number in it, or the score, average or class that it names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache, wraps
from typing import Final, Literal, NamedTuple, TypeAlias

from ..metrics import ACCURACY, OF_TWO_MEANINGS, claimed_metric, is_claimed, ranked
from .report import Report
from .vocabulary import IN_HEADS, WORDS

#: Longer names are none.
_LONGEST: Final = 80
_REMEMBERED: Final = 500
#: The cells of a 2×2 table.
CELLS: Final = ("tp", "fn", "fp", "tn")
#: The row of a class: its name, and how many cases it has.
LABEL: Final = "label"
SUPPORT: Final = "support"
#: The labels of a matrix whose four cells are called by their names.
NEGATIVE: Final = "negative"
POSITIVE: Final = "positive"

Average: TypeAlias = Literal["macro", "weighted", "micro", "samples", "unnamed"]


class Found(NamedTuple):
    """A report that a recogniser found in a block, and the rows or lines of the block that it is made of."""

    report: Report
    rows: range


class Column(NamedTuple):
    """What a column holds: the name of a score, or `SUPPORT`; and whether its head says per cent."""

    name: str
    percent: bool = False


_NUMBER: Final = (
    r"[+-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:[   ]\d{3})+|\d+(?:[.,]\d*)?|[.,]\d+)(?:e[+-]?\d{1,2})?"
)
#: A number as it is printed, with a percent sign, a spread or an interval behind it.
VALUE: Final = re.compile(
    rf"[<>~≈=]?\s?(?P<value>{_NUMBER}\s?%?)(?P<beside>\s?(?:±|\+/?-)\s?{_NUMBER}\s?%?|\s?[(\[][^()\[\]]*\d[^()\[\]]*[)\]])?",
    re.IGNORECASE,
)
_COUNT: Final = re.compile(r"(\d{1,3}(?:[,'’   ]\d{3})+|\d+)(?:\.0*)?")
#: No count of cases has more digits than this, so that sums of counts fit 64 bits.
MOST_DIGITS: Final = 15
#: Nobody prints longer numbers; Python itself reads no more than 4300 digits.
_LONGEST_NUMBER: Final = 1000
_MARKS: Final = re.compile(
    r"\*{1,3}|`|__|[†‡§¶]|\$|\\(?:text(?:bf|it|sc|rm|tt)|mathbf|underline|emph|bf)\b\s?|[{}]|</?\w+/?>"
)


def plain(cell: str) -> str:
    """Return a cell's text without marks of bold, code and footnotes, its blanks made single."""
    text = cell.replace("\\%", "%").replace("\\_", "_").replace("\\#", "#").replace("\\&", "&")
    return " ".join(_MARKS.sub("", text).replace("−", "-").split())


def is_empty(cell: str) -> bool:
    """Tell whether a cell says nothing: blank, a dash, or one of the usual words for nothing."""
    return plain(cell).casefold() in WORDS["empty"]


def value(cell: str) -> str | None:
    """Return the number of a cell as printed, with its percent sign; None where it is no number.

    Examples
    --------
    >>> value("**0.91**"), value("91.2 %"), value("0.91 ± 0.02"), value("3 weeks")
    ('0.91', '91.2%', '0.91 ± 0.02', None)
    """
    text = plain(cell)
    # A run of very many digits would be taken apart in every way.
    match = VALUE.fullmatch(text.rstrip("*^ ")) if len(text) <= _LONGEST_NUMBER else None
    if not match:
        return None
    number = match["value"].replace(" %", "%")
    return f"{number}{match['beside']}" if match["beside"] else number


def count(cell: str) -> int | None:
    """Return a whole number of cases; None where it is none.

    Examples
    --------
    >>> count("8,991"), count("64.0"), count("0.64")
    (8991, 64, None)
    """
    match = _COUNT.fullmatch(plain(cell))
    digits = re.sub(r"\D", "", match[1]) if match else ""
    return int(digits) if 0 < len(digits) <= MOST_DIGITS else None


def exact(text: str) -> Fraction | None:
    """Return the number of a text as a fraction of one; None where it is no plain number."""
    match = re.fullmatch(r"([+-]?)(\d*)(?:[.,](\d*))?(%?)", text.replace(" ", ""))
    if not match or not (match[2] or match[3]) or len(text) > _LONGEST_NUMBER:
        return None
    decimals = match[3] or ""
    number = Fraction(int(f"{match[2]}{decimals}"), 10 ** (len(decimals) + 2 * bool(match[4])))
    return -number if match[1] == "-" else number


def unit(text: str) -> Fraction | None:
    """Return the unit of the last digit of a text as a fraction of one; None where it is no plain number.

    Examples
    --------
    >>> unit("0.750"), unit("75%"), unit("about 1")
    (Fraction(1, 1000), Fraction(1, 100), None)
    """
    if exact(text) is None:
        return None
    decimals = re.search(r"[.,](\d*)", text)
    return Fraction(1, 10 ** ((len(decimals[1]) if decimals else 0) + 2 * text.rstrip().endswith("%")))


@lru_cache(maxsize=4096)
def key(text: str) -> str:
    """Return a text in the form that names are compared in: small letters without accents, words apart by one blank."""
    small = "".join(c for c in unicodedata.normalize("NFKD", plain(text)).casefold() if not unicodedata.combining(c))
    return " ".join(re.sub(r"[^\w#%+/()]+|_", " ", small).split())


#: Of these a name in another language is made.
_OTHER_WORDS: Final = frozenset(name for name in IN_HEADS if len(name) > 5 and " " not in name)


def foreign_name(text: str) -> str | None:
    """Return the score that a name in another language means.

    Examples
    --------
    >>> foreign_name("Spezifität"), foreign_name("Spalte")
    ('specificity', None)
    """
    return IN_HEADS.get(key(text)) if any(map(is_foreign, text.casefold().split())) else None


def is_foreign(word: str) -> bool:
    """Tell quickly whether a word may be the name of a score in another language."""
    return len(word) > 5 and (word if word.isascii() else key(word)) in _OTHER_WORDS


_AREAS: Final[Mapping[str, str]] = {"roc area": "ROC AUC", "prc area": "PR AUC", "roc": "ROC AUC", "auc roc": "ROC AUC"}
# caret's share of cases that are true positives, called like recall elsewhere.
_OTHER_MEANING: Final = frozenset(name.replace("_", " ") for name in OF_TWO_MEANINGS)
_OF_THE_TEST: Final = re.compile(
    r"(?:(?:final|overall|total|model|test|testing|test set)\s)*(.+?)"
    r"(?:\s(?:on|of|for|in|over)\s(?:the\s)?(?:test|testing|held out|hold out)(?:\s(?:set|data|dataset|split))?)?"
)
_AVERAGE_BEHIND: Final = re.compile(r"(.+?) \(?(macro|micro|weighted)(?: (?:avg|average|averaged|mean))?\)?")
_UNIT: Final = re.compile(r"\s*(?:\(\s*(?:in\s)?(?:%|percent)\s*\)|\[\s*%\s*\]|,?\s*in %|%)\s*$")


def remembered(asked: Callable[[str], bool]) -> Callable[[str], bool]:
    """Keep what was found out about a line, which is asked about several times; not of very long ones."""
    kept = lru_cache(maxsize=8192)(asked)
    return wraps(asked)(lambda text: kept(text) if len(text) < _REMEMBERED else asked(text))


#: What every head and every sentence of a classification report has at least two of.
_HINT: Final = re.compile(
    r"\bf\b|f[\s_-]?(?:1|score|mea|ma|wert)|\bp\b|\bpre|pr[aäeé]z?c?[iz]|ppv|pos|user|\br\b|\brec|rappel|sens|tpr|"
    r"tp rate|treffer|exhaust|revoc|richi|producer|medida|mesure|puntua|dice|completeness|hit",
    re.IGNORECASE,
)


@remembered
def hints(line: str) -> bool:
    """Tell quickly whether a line may name at least two of precision, recall and F1."""
    found = _HINT.finditer(line)
    return next(found, None) is not None and next(found, None) is not None


@lru_cache(maxsize=4096)
def score_name(text: str) -> str | None:
    """Return the id of the score or count that a printed name means; None where it means none.

    Examples
    --------
    >>> score_name("F1-score (macro)"), score_name("Pos Pred Value"), score_name("Training accuracy")
    ('macro_f1', 'precision', None)
    """
    if len(text) > _LONGEST:
        return None
    name = _UNIT.sub("", key(text.strip(" :=-•*")))
    if not name or name in _OTHER_MEANING:
        return None
    test = _OF_THE_TEST.fullmatch(name)
    names = [name, test[1] if test else name]
    if tail := re.fullmatch(r"(.+) (?:statistic|value|score|metric|coefficient)s?", name):
        names.append(tail[1])
    if behind := _AVERAGE_BEHIND.fullmatch(name):
        names.append(f"{behind[2]} {behind[1]}")
    elif short := re.fullmatch(r"(.+?) ?\((.+?)\)", name):
        names += [short[1], short[2]]
    return next((found for one in names if (found := _known(one))), None)


def _known(name: str) -> str | None:
    if name in IN_HEADS and len(name) > 2:
        return IN_HEADS[name]
    name = _AREAS.get(name, name)
    if other := ranked(name):
        return key(other).replace(" ", "_")
    return claimed_metric(name).id if is_claimed(name) else None


def means_another(name: str) -> bool:
    """Tell whether a tool calls something by a name that means another score elsewhere."""
    return key(name) in _OTHER_MEANING


def both_meanings(name: str) -> str:
    """Return the two scores that a name means, one of them to some."""
    return next((words for one, words in OF_TWO_MEANINGS.items() if key(one) == key(name)), "")


@lru_cache(maxsize=4096)
def column(head: str) -> Column | None:
    """Return what a column of a class report holds by its head; None where the head says nothing of the kind.

    Examples
    --------
    >>> column("Recall (%)"), column("Author")
    (Column(name='recall', percent=True), None)
    """
    if len(head) > _LONGEST:
        return None
    text = key(head)
    name = _UNIT.sub("", text)
    if name in WORDS["supports"]:
        return Column(SUPPORT)
    found = IN_HEADS.get(name) or score_name(name)
    return Column(found, name != text) if found else None


def names_classes(head: str) -> bool:
    """Tell whether a head says that labels of classes stand below it."""
    return key(head) in WORDS["classes"]


def names_methods(head: str) -> bool:
    """Tell whether a head says that names of methods stand below it."""
    return key(head) in WORDS["methods"]


_MEAN: Final = r"(?:avg|averages?|averaged|mean|durchschnitt|mittel|mittelwert)"
_MEAN_OF: Final = r"(?:moyenne|promedio|media|avg|average|mean)"
_WEIGHTED: Final = r"(?:w|wt|weighted|gewichtet\w*|ponderee?|ponderad[oa]|pesata)"
_AVERAGES: Final[tuple[tuple[Average, re.Pattern[str]], ...]] = (
    ("weighted", re.compile(rf"{_WEIGHTED}(?: (?:{_MEAN}|macro|total))?(?: / total)?|{_MEAN_OF} \(?{_WEIGHTED}\)?")),
    ("weighted", re.compile(r"(?:avg|average) ?/ ?total")),
    ("macro", re.compile(rf"(?:ma[ck]ro|unweighted)(?: ?{_MEAN})?|{_MEAN_OF} \(?(?:ma[ck]ro|unweighted)\)?")),
    ("micro", re.compile(rf"mi[ck]ro(?: ?{_MEAN})?|{_MEAN_OF} \(?mi[ck]ro\)?")),
    ("samples", re.compile(rf"samples? {_MEAN}")),
    ("unnamed", re.compile(rf"{_MEAN}|{_MEAN_OF}|overall|total|all|gesamt")),
)


@lru_cache(maxsize=4096)
def average(label: str) -> Average | None:
    """Return which average a row is by its label; None where it is none.

    Examples
    --------
    >>> average("Macro Avg"), average("avg / total"), average("weighted average"), average("cat")
    ('macro', 'weighted', 'weighted', None)
    """
    text = key(label.strip(" :"))
    # W is a letter of an alphabet that is told apart, too.
    return next((kind for kind, pattern in _AVERAGES if len(text) > 2 and pattern.fullmatch(text)), None)


def is_accuracy(label: str) -> bool:
    """Tell whether a row of a class report is that of the accuracy."""
    return score_name(label) == ACCURACY.id


def cell_of_table(name: str) -> str | None:
    """Return which cell of a 2×2 table a name means, as ``tp``; None where it means none.

    Examples
    --------
    >>> cell_of_table("True Negatives (TN)"), cell_of_table("FP"), cell_of_table("fps"), cell_of_table("accuracy")
    ('tn', 'fp', 'fp', None)
    """
    found = score_name(name)
    return found if found in CELLS else None
