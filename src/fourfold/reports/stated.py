"""What a caption or a sentence says about the test set and the protocol: sizes, folds, runs, averages.

Only clear statements count: a number that could be that of training cases, or two numbers for one thing, says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from ..metrics import AVERAGES, Average


class Stated(NamedTuple):
    """What a text says; None where it does not."""

    total: int | None = None
    positives: int | None = None
    negatives: int | None = None
    #: The share of positives as printed.
    prevalence: str | None = None
    folds: int | None = None
    #: How many runs on the same test set scores are means over, or how many times folds were dealt.
    runs: int | None = None
    average: Average | None = None
    #: Whether scores are means over folds or runs whose number it does not say.
    means: bool | None = None

    @property
    def has_sizes(self) -> bool:
        """Whether it says how many cases there were, or how many of them were positive."""
        return self != self.without_sizes()

    def without_sizes(self) -> Stated:
        """Return what it says about anything else."""
        return self._replace(total=None, positives=None, negatives=None, prevalence=None)

    def __or__(self, other: object) -> Stated:
        """Return what this says, and where it says nothing what the other does."""
        assert isinstance(other, Stated)
        return other._replace(**{name: said for name, said in self._asdict().items() if said is not None})


_NUMBER: Final = r"(?<![\w.,])(\d{1,3}(?:[,  ]\d{3})+|\d{1,12})(?![\w]|[.,]\d|\s*%)"
_COUNTED: Final = (
    r"(?:(?:unseen|held-out|independent|test|labell?ed|new)\s+)*(?:cases|samples|patients|subjects|participants|images|"
    r"instances|records|observations|examples|people|scans|lesions|documents|messages|e-?mails|transactions|reviews|"
    r"sentences|clips|customers|rows|points|data\s+points)"
)
_WORDS: Final = {
    word: number
    for number, word in enumerate(["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 2)
}
_COUNT: Final = rf"(\d{{1,4}}|{'|'.join(_WORDS)})"
_TOTAL_ANY: Final = rf"(?:\bn\s*(?:_?test)?\s*[=:]|\bcount\s*:)\s*{_NUMBER}"
_TOTAL_TESTED: Final = (
    rf"\b(?:test(?:ed|ing)?|evaluat(?:ed|ion)|held-?out|hold-?out)(?:\s+(?:set|split|data|cohort|sample))?\s*"
    rf"(?:on|of|with|:|=|\(|contains|has|,)\s*(?:the\s+|a\s+|all\s+)?(?:n\s*=\s*)?{_NUMBER}\s*(?:{_COUNTED}|\)|$)",
    rf"{_NUMBER}\s+(?:test(?:ing)?|held-?out|unseen)\s+{_COUNTED}",
    rf"\btotal\s+(?:of\s+)?(?:n\s*)?[=:]?\s*{_NUMBER}\s+{_COUNTED}",
)
_NOT_ACTUAL: Final = r"(?<!true )(?<!false )(?<!predicted )(?<!true-)(?<!false-)"


def _of_class(word: str, sign: str) -> tuple[str, ...]:
    """Return the ways in which a text says how many cases of a class there are."""
    called = rf"{_NOT_ACTUAL}(?:actual\s+)?{word}"
    return (
        rf"{_NUMBER}(?:\s*/\s*\d[\d,]*|\s+of\s+\d[\d,]*)\s+{called}\b",
        # Of "85 of 100 positives" the second number is that of all.
        rf"(?<!\d of )(?<!\d/)(?<!\d / ){_NUMBER}(?:\s+were|\s+are)?\s+{called}\b",
        rf"{_NUMBER}\s+{called}s\b",
        rf"{_NOT_ACTUAL}\b{word}s?(?:\s+{_COUNTED})?\s*[=:]\s*{_NUMBER}",
        rf"\bn_?(?:{word[:3]}|{sign})\w*\s*[=:]\s*{_NUMBER}",
    )


_OF_CLASS: Final = {"positives": _of_class("positive", r"\+"), "negatives": _of_class("negative", "[-−]")}
_ILL: Final = r"(?:(?:the|confirmed|proven)\s+)*(?:target\s+)?(?:diseased?|conditions?|affected|infected)\b(?!\s+free)"
#: How many of all cases were positive, as abstracts say it: "312 patients, 120 of whom were diseased".
_OF_ALL: Final = re.compile(
    rf"{_NUMBER}\s+{_COUNTED}\s*[,;(]?\s*(?:(?:and|including)\s+)?{_NUMBER}\s+(?:of\s+(?:whom|which|them|these)\s*)?"
    rf"(?:(?:had|have|has|were|was|with)\s+)+{_ILL}",
    re.IGNORECASE,
)
_AMONG_ALL: Final = re.compile(
    rf"{_NUMBER}\s+of\s+(?:the\s+)?{_NUMBER}\s+{_COUNTED}\s+(?:(?:had|have|were|with)\s+)+{_ILL}", re.IGNORECASE
)
_WITH_AND_WITHOUT: Final = re.compile(
    rf"{_NUMBER}\s+(?:{_COUNTED}\s+)?with(?:\s+{_ILL})?\s*,?\s*(?:and\s+)?{_NUMBER}\s+(?:{_COUNTED}\s+)?without\b",
    re.IGNORECASE,
)
#: Names that people give the two classes where they count both: the positive and the negative one.
_POSITIVE_WORD: Final = (
    r"(?:malignant|diseased|fraud(?:s|ulent)?|spam|sick|abnormal|cases|patients|infected|affected|default(?:s|ers)?|"
    r"churn(?:ers|ed)?|attacks?|events|anomal(?:y|ies|ous)|cancers?|cancerous|ill|positives?)"
)
_NEGATIVE_WORD: Final = (
    r"(?:benign|healthy|good|legitimate|ham|normal|(?:healthy\s+)?controls|non-?\s?[a-z]+|genuine|unaffected|"
    r"negatives?)"
)
_AND: Final = (
    r"(?:\s+(?:cases|samples|images|patients|transactions|messages|lesions))?\s*(?:,|;|/|\+|&|,?\s*and|vs\.?|versus)\s*"
)
_BOTH: Final = tuple(
    re.compile(rf"{_NUMBER}\s+{first}{_AND}{_NUMBER}\s+{second}\b", re.IGNORECASE)
    for first, second in ((_POSITIVE_WORD, _NEGATIVE_WORD), (_NEGATIVE_WORD, _POSITIVE_WORD))
)
_OF_WHICH: Final = re.compile(
    rf"{_NUMBER}\s+{_COUNTED}\s*[,;(]\s*(?:of\s+(?:which|whom|these)\s+)?{_NUMBER}\s+(?:of\s+(?:which|whom|them|these)\s+)?(?:are|were)\s+"
    rf"(?:actual(?:ly)?\s+)?(?:positive|malignant|diseased|fraudulent|infected|spam|abnormal)\b",
    re.IGNORECASE,
)
#: Where all cases are not those tested, or what is counted is not what was scored.
_DIVIDED: Final = re.compile(
    r"train|split|valid|develop|deriv|tun(?:e|ed|ing)\b|divided|subset|exclu|indetermin|inconclus|missing|remaining|pooled|"
    r"studies|\bper[\s-](?!cent)|lesions?\b|vessel|segment|readers?\b",
    re.IGNORECASE,
)
#: Sizes beside this are those of all data, before they were split.
_SPLIT: Final = re.compile(
    r"\b(?:randomly|was|were|is|are|data|and|then|,)\s+(?:split|divided|partitioned)\b|\bsplit\s+(?:in|into|randomly|\d)|"
    r"\b[6-9][05]\s?%?\s?[/:–-]\s?[1-4][05]\b",
    re.IGNORECASE,
)
_TWO_SIZES: Final = re.compile(rf"\(\s*{_NUMBER}\s*\+\s*{_NUMBER}\s*\)")
_PREVALENCE: Final = re.compile(r"\bprevalence\s*(?:of|[=:]|is|was)?\s*(\d+(?:\.\d+)?\s*%|0?\.\d+)", re.IGNORECASE)
_BY_FOLDS: Final = re.compile(
    rf"\b(?:(\d{{1,3}})\s*(?:[x×]|times)\s*)?{_COUNT}\s*-?\s*folds?\b(?![\s-]*(?:increas|decreas|reduc|improve|higher|"
    r"lower|more\b|less\b|change|greater|larger|smaller|faster|slower|better|worse|rise\b|drop\b|gain\b|differen|tables?\b))",
    re.IGNORECASE,
)
#: A word such as fourfold or tenfold, which says how many times as often as it says how many folds.
_JOINED: Final = re.compile(rf"(?:{'|'.join(_WORDS)})folds?", re.IGNORECASE)
_CROSS_VALIDATION: Final = r"(?:cross[\s-]*valid\w*|x-?valid\w*|cv\b)"
#: What stands behind a number of folds that is surely one, and before it.
_OF_VALIDATION: Final = re.compile(
    r"[\s-]*(?:(?:stratified|repeated|nested|internal|external|random(?:i[sz]ed)?|grouped|blocked|double)[\s,-]+)*"
    rf"(?:{_CROSS_VALIDATION}|validation\b)",
    re.IGNORECASE,
)
_VALIDATION_IS: Final = re.compile(rf"\b{_CROSS_VALIDATION}\s*(?:[(:,=]\s*)?$", re.IGNORECASE)
#: What stands before a number that says how many times: "increased by more than 3-fold", "our aim is two-fold".
_GREW: Final = re.compile(
    r"\b(?:(?:increas|decreas|improv|reduc|multipl|declin)\w*|rose|risen|fell|fallen|grew|grown)\s+(?:by\s+)?"
    r"(?:(?:about|almost|nearly|roughly|more\s+than|over|at\s+least|up\s+to|an?)\s+)*$",
    re.IGNORECASE,
)
_IS: Final = re.compile(r"(?<!validation )\b(?:is|are|was|were|be)\s+$", re.IGNORECASE)
#: The letters before "fold" may be those of scaffold or manifold.
_K_FOLDS: Final = re.compile(r"\bk\s*=\s*(\d{1,3})\b(?=.{0,20}(?:(?<![a-z])folds?\b|\bcross|\bcv\b))", re.IGNORECASE)
_TIMES_FOLDS: Final = re.compile(r"\b(\d{1,2})\s*[x×]\s*(\d{1,2})\s*(?:-?\s*fold)?\s*(?:cv|cross)", re.IGNORECASE)
_VALIDATED: Final = re.compile(
    r"cross|\bcv\b|valid|stratif|mean|averag|over|across|pooled|(?<![a-z])folds", re.IGNORECASE
)
_RUNS: Final = (
    rf"\b{_COUNT}\s+(?:(?:independent|random|different|separate|repeated)\s+)*"
    r"(?:runs|seeds|repetitions|trials|repeats|restarts|initiali[sz]ations)\b",
    rf"\brepeated\s+{_COUNT}\s+times\b",
    rf"\b{_COUNT}\s+times\s+repeated\b",
)
#: What all runs have, and how many are made while settings are searched for, says nothing about scores.
_SHARED: Final = re.compile(r"\b(?:identical|same|shared|fixed|consistent)\b", re.IGNORECASE)
_ALL_BEFORE: Final = re.compile(r"(?<!over )\b(?:all|both)\s+(?:the\s+)?$", re.IGNORECASE)
_SEARCHED: Final = re.compile(
    r"\b(?:grid|random(?:i[sz]ed)?|halving)[\s-]*search|\bhyper\W?parameters?|\boptuna\b|\btun(?:e|ed|ing)\b|SearchCV",
    re.IGNORECASE,
)
_ONE_SEED: Final = re.compile(r"\b(?:seed|random_state)\s*(?:=|:|of)?\s*\d+\b(?!\s*[-–,])", re.IGNORECASE)
_MEAN: Final = re.compile(r"\b(?:mean|averag\w*|median|std|s\.?d\.?|deviations?)\b|±|\+/-", re.IGNORECASE)
_MEANS: Final = re.compile(
    r"\b(?:means?|averag(?:e|es|ed|ing))\b(?:\s*(?:±|\+/-|and|\(|\))?\s*(?:std|s\.?d\.?|(?:standard\s+)?deviations?)\)?)?"
    r"[^.;]{0,20}?\b(?:over|across|of)\s+(?:all\s+|the\s+|several\s+|multiple\s+|different\s+|independent\s+|random\s+)*"
    r"(?:seeds|runs|folds|repetitions|trials|splits)\b",
    re.IGNORECASE,
)
_AVERAGE: Final = re.compile(
    rf"\b({'|'.join(AVERAGES)})[\s-]*(?:-?averag(?:e|ed|es|ing)\b|avg\b|means?\b)"
    rf"|\b(?:average|averaging)\s*[=:]\s*['\"]?({'|'.join(AVERAGES)})\b",
    re.IGNORECASE,
)
_TRAINING: Final = re.compile(r"train|valid|tun(?:e|ed|ing)\b|grid|hyper", re.IGNORECASE)
_CROSS: Final = re.compile(r"cross[\s-]?valid\w*", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[.;\n](?:\s|$)|\)\s*,?|,\s+(?=[a-z])")


_SETTING: Final = re.compile(r"\b[a-z_]\w*\s?=\s?['\"]?[\w.+-]+['\"]?\s?[,)]", re.IGNORECASE)
_MOST_SETTINGS: Final = 3


#: A text without any of these says nothing.
_ANYTHING: Final = re.compile(
    r"fold|\bn\w*\s*[=:]|\bk\s*=|test|positiv|negativ|runs|seeds|trials|repe|restarts|initiali|averag|prevalence|total|"
    r"evaluat|held|hold|\+|\bcv\b|disease|condition|affected|infected|without|macro|micro|weighted|n_|malignant|benign|"
    r"fraud|spam|controls|healthy|normal|legitimate|genuine|churn|default|of (?:which|whom)|count\b",
    re.IGNORECASE,
)


def stated(text: str, *, own: bool = False) -> Stated:
    """Return what a text clearly says about the test set and the protocol.

    Where the text is about these scores alone, their `own`, "5-fold CV (train)" says their folds.

    Examples
    --------
    >>> stated("Results on the test set (n = 569, 357 positive), mean ± SD over 5 runs")
    Stated(total=569, positives=357, negatives=None, prevalence=None, folds=None, runs=5, average=None, means=None)
    >>> stated("10-fold cross-validation; tuned on a training set (n = 400)").folds
    10
    """
    if not _ANYTHING.search(text):
        return Stated()
    text = " ".join(text[:4000].split())
    split = _SPLIT.search(text) is not None
    sizes = {name: None if split else _one(_counts(patterns, text)) for name, patterns in _OF_CLASS.items()}
    # In a list of settings n may be anything.
    settings = len(_SETTING.findall(text)) > _MOST_SETTINGS
    total = _one(_counts(_TOTAL_TESTED if split or settings else (_TOTAL_ANY, *_TOTAL_TESTED), text))
    both = _TWO_SIZES.search(text)
    if both and total is None:
        first, second = (_whole(part) for part in both.groups())
        total = first + second
        if first == second:
            sizes = {name: first if size is None else size for name, size in sizes.items()}
    if not split and not _DIVIDED.search(_CROSS.sub("", text)):
        if total is None and set(sizes.values()) == {None}:
            total, sizes = _ill(text, sizes)
        if set(sizes.values()) == {None}:
            total, sizes = _counted_both(text, total)
    prevalence = _PREVALENCE.search(text)
    folds, runs = _folds(text, own)
    runs = runs or _runs(text)
    averages = {(match[1] or match[2]).lower() for match in _AVERAGE.finditer(text)}
    return Stated(
        total,
        **sizes,
        prevalence=prevalence[1] if prevalence else None,
        folds=folds,
        runs=runs,
        average=next((name for name in AVERAGES if averages == {name}), None),
        means=True if not folds and not runs and _MEANS.search(text) else None,
    )


def _counts(patterns: Iterable[str], text: str) -> set[int]:
    """Return all numbers that a pattern finds and that are not said of training cases."""
    numbers: set[int] = set()
    for match in (match for pattern in patterns for match in re.finditer(pattern, text, re.IGNORECASE)):
        before = _CROSS.sub("", _CLAUSE.split(text[max(0, match.start() - 40) : match.start() + 1])[-1][:-1])
        after = _CLAUSE.split(text[match.end() : match.end() + 25])[0]
        if not _TRAINING.search(before.split(" test")[-1]) and not _TRAINING.match(after.strip(" )(for")):
            numbers.add(_whole(next(part for part in match.groups() if part)))
    return numbers


def _ill(text: str, sizes: dict[str, int | None]) -> tuple[int | None, dict[str, int | None]]:
    """Return all cases and those with and without a disease, where a sentence says them once."""
    two = _pairs(_OF_ALL, text) | {(total, ill) for ill, total in _pairs(_AMONG_ALL, text)}
    with_and_without = _pairs(_WITH_AND_WITHOUT, text)
    if len(two) > 1 or len(with_and_without) > 1:
        return None, sizes
    total, ill = next(iter(two), (None, None))
    positives, healthy = next(iter(with_and_without), (ill, None))
    said = [size for size in (ill, positives) if size is not None]
    if len({*said}) > 1 or (total is not None and sum(filter(None, (positives, healthy))) > total):
        return None, sizes
    return total, {"positives": positives, "negatives": healthy}


def _pairs(pattern: re.Pattern[str], text: str) -> set[tuple[int, int]]:
    return {(_whole(match[1]), _whole(match[2])) for match in pattern.finditer(text)}


def _counted_both(text: str, total: int | None) -> tuple[int | None, dict[str, int | None]]:
    """Return sizes with those of two classes that a text counts once, by names such as malignant and benign."""
    first, second = (_pairs(pattern, text) for pattern in _BOTH)
    which = {(p, whole - p) for whole, p in _pairs(_OF_WHICH, text) if p <= whole}
    both = first | {(p, n) for n, p in second} | which
    if len(both) != 1 or total not in (None, sum(pair := both.pop())):
        return total, {"positives": None, "negatives": None}
    return total, {"positives": pair[0], "negatives": pair[1]}


def _folds(text: str, own: bool) -> tuple[int | None, int | None]:
    """Return over how many folds scores are means, and how many times those were dealt."""
    if times := _TIMES_FOLDS.search(text):
        return int(times[2]), int(times[1])
    numbers: set[int] = set()
    repeats: set[int] = set()
    for match in _BY_FOLDS.finditer(text):
        near = text[max(0, match.start() - 30) : match.end() + 30]
        before = _CLAUSE.split(text[max(0, match.start() - 40) : match.start()])[-1]
        after = _CLAUSE.split(text[match.end() : match.end() + 40])[0]
        if not own and (_TRAINING.search(_CROSS.sub("", before + after)) or _SEARCHED.search(_sentence_at(match))):
            continue
        surely = _OF_VALIDATION.match(text, match.end()) or _VALIDATION_IS.search(before)
        if not surely and _says_times(match, before, own):
            continue
        if _VALIDATED.search(near) or match.end() - match.start() > len(text) - 6:
            numbers.add(_whole(match[2]))
            repeats |= {int(match[1])} if match[1] else set()
    numbers |= {int(match[1]) for match in _K_FOLDS.finditer(text)}
    return _one({number for number in numbers if number > 1}), _one(repeats)


def _sentence_at(match: re.Match[str]) -> str:
    """Return the sentence that something is in."""
    before, after = match.string[: match.start()], match.string[match.start() :]
    return re.split(r"[.;]\s", before)[-1] + re.split(r"[.;](?:\s|$)", after)[0]


def _runs(text: str) -> int | None:
    """Return over how many runs scores are means; of what all runs share a text may speak without saying so."""
    numbers = set()
    for match in (match for each in _RUNS for match in re.finditer(each, text, re.IGNORECASE)):
        sentence = _sentence_at(match)
        shared = _SHARED.search(sentence) or _ALL_BEFORE.search(text[: match.start()])
        alone = shared or _SEARCHED.search(sentence) or _ONE_SEED.search(text)
        numbers |= {_whole(match[1])} if _MEAN.search(sentence) or not alone else set()
    return _one(numbers)


def _says_times(match: re.Match[str], before: str, own: bool) -> bool:
    """Tell whether what looks like a number of folds may as well say how many times, or be a name.

    "Checked with fourfold: ..." is about no folds. In a column of its own about the validation, fivefold says them.
    """
    text = match[0]
    if _JOINED.fullmatch(text):
        return not (own and text == match.string.strip(" ."))
    grew = _GREW.search(before) or (not match[2].isdigit() and _IS.search(before))
    return bool(grew) and not text.lower().endswith("s")


def _one(numbers: set[int]) -> int | None:
    return next(iter(numbers)) if len(numbers) == 1 else None


def _whole(text: str) -> int:
    return _WORDS.get(text.lower()) or int(re.sub(r"\D", "", text))
