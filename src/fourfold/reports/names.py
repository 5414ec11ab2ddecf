"""What the head of a column, the name before a number or a row's label says: which score, of what, in which unit."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from ..metrics import (
    ALSO_WORDS,
    AREA,
    AVERAGES,
    COMMON_NAMES,
    COUNTS,
    F1,
    PRECISION,
    PREVALENCE,
    RECALL,
    Claimable,
    Metric,
    claimable,
)
from ..table import Table
from .cells import foreign_name, is_foreign, remembered
from .stated import Stated, stated
from .values import plain
from .vocabulary import IN_COLUMNS, NAME_WORDS, PARTS, WORDS, Part

Role: TypeAlias = Literal[
    "score", "size", "validation", "name", "rank", "spread", "interval", "value", "metric", "split", "other"
]
Size: TypeAlias = Literal["total", "positives", "negatives"]
Side: TypeAlias = Literal["", "positive", "negative"]

_NOTHING: Final = Stated()
#: No head is longer.
_LONGEST: Final = 100


@dataclass(frozen=True)
class Name:
    """What a head says."""

    text: str
    role: Role = "other"
    #: The name that `recover` takes, with its average.
    score: str = ""
    #: The metric; None for a score that no table decides.
    metric: Metric | None = None
    size: Size = "total"
    #: Whether a size may count other things than the cases tested.
    weak: bool = False
    #: Whether it says per cent.
    percent: bool = False
    #: Of which class it is, as printed.
    label: str = ""
    #: Which class that is, where the head says so.
    side: Side = ""
    #: Of which part of the data.
    part: Part = ""
    #: What else sets it apart: "binary", a threshold, words that are not known.
    group: str = ""
    stated: Stated = _NOTHING
    #: Which end of an interval it is.
    end: Literal["", "low", "high"] = ""
    #: Why it is not used.
    reason: str = ""

    @property
    def of_one_class(self) -> bool:
        """Whether it is a score of one class, so that it matters of which."""
        return self.metric is not None and not self.averaged and not _symmetric(self.metric)

    @property
    def is_score(self) -> bool:
        """Whether numbers below it are scores, perhaps with a spread or an interval beside them."""
        return self.role == "score" or (self.role in ("spread", "interval") and bool(self.score) and not self.end)

    @property
    def averaged(self) -> bool:
        """Whether it is an average over classes."""
        return self.score.startswith(tuple(f"{average}_" for average in AVERAGES))


# Tables at which a score that does not care which class is positive is the same for both.
_TRIED: Final = (Table(tp=5, fn=2, fp=7, tn=11), Table(tp=3, fn=13, fp=1, tn=2))


@lru_cache(maxsize=256)
def _symmetric(metric: Metric) -> bool:
    """Tell whether a score is the same when the classes are exchanged."""
    if metric.id == AREA.id:
        return True
    other = metric.negative()
    return all(metric.value(table.cells()) == other.value(table.cells()) for table in _TRIED)


_INTERVALS: Final = re.compile(
    r"\bconf[._ ](?=low|high|int)|\bc\.?i\.?\b|\bcis\b|confidence\s+interval|credible\s+interval|\bcri\b",
    re.IGNORECASE,
)
_LOW: Final = re.compile(r"(?:\b|_)(?:low|lower|lb|lo|min|2\.5)\b", re.IGNORECASE)
_HIGH: Final = re.compile(r"(?:\b|_)(?:high|upper|ub|hi|max|97\.5)\b", re.IGNORECASE)
_ARROWS: Final = re.compile(r"[↑↓▲▼⬆⬇⇑⇓*†‡§¶`⭐★✓✅]|\ufe0f|\\(?:uparrow|downarrow|dagger)")
_UNIT: Final = re.compile(
    r"[\[(]\s*(?:in\s+)?(%|percent|pct\.?|per cent)\s*[\])]|,?\s*\bin\s+(?:%|percent)|,\s*(%)(?=\s|$)"
    r"|[,\s_]*(%|\bpct)$|^(%)\s*",
    re.IGNORECASE,
)
_CHUNK: Final = re.compile(
    r"\(([^()]*)\)|\[([^\[\]]*)\]|@\s*([^\s()]+)|(?:\bat\b|\bthreshold\b|\bthr\b|\bt\s*=)\s*=?\s*([01]?\.\d+)"
)
_TOKEN: Final = re.compile(r"[^\s_/:,;|()\[\]-]+(?:(?<=\d)\.\d+)?|[±Δδ∆]")
_CELL_OF: Final = re.compile(r"(tp|tn)\s*/\s*(?:\d+|[a-z].*)", re.IGNORECASE)
_THRESHOLD: Final = re.compile(r"(?:t|thr|threshold|cutoff|th|τ|p)?\s*[=:≥>]*\s*([01]?\.\d+)", re.IGNORECASE)
_TOP: Final = re.compile(r"\btop\s*-?\s*(\d+)\b", re.IGNORECASE)


_WORD: Final = re.compile(r"[^\W\d_]+\d?|κ|φ")
#: spaCy's names of the scores of entities.
_ENTITIES: Final = re.compile(r"ENTS_[FPR]", re.IGNORECASE)
_COMMON_WORDS: Final = frozenset(word for names in COMMON_NAMES for word in names)


@remembered
def may_name(text: str) -> bool:
    """Tell quickly whether a text can hold the name of a score: most texts cannot."""
    words = frozenset(_WORD.findall(text.casefold()))
    if not NAME_WORDS.isdisjoint(words) or _ENTITIES.fullmatch(text.strip("` ")) or any(map(is_foreign, words)):
        return True
    common = _COMMON_WORDS & words
    return bool(common) and any(names <= common for names in COMMON_NAMES)


def names_score(head: str) -> bool:
    """Tell whether numbers below a head are scores."""
    return (len(head) <= 3 or may_name(head)) and read_name(head).is_score


@lru_cache(maxsize=8192)
def read_name(text: str, *, head: bool = True) -> Name:
    """Return what a head says, or the words before a number in a text, which are never a letter or two.

    Examples
    --------
    >>> name = read_name("F1 Score (Macro)")
    >>> name.role, name.score
    ('score', 'macro_f1')
    >>> read_name("Acc (%)").percent, read_name("Recall (churn)").label, read_name("Precision (Val)").part
    (True, 'churn', 'validation')
    >>> read_name("No. pos").size, read_name("Train time (s)").role
    ('positives', 'other')
    """
    shown = " ".join(_ARROWS.sub("", plain(text)).replace("**", "").split())
    bare = shown.strip(" _:=")
    if len(bare) > _LONGEST:
        return Name(shown)
    percent = _UNIT.search(bare) is not None
    without = " ".join(_UNIT.sub(" ", bare).split()) if percent else bare
    name = _known_head(without, shown, percent)
    if name is None:
        name = _score(without, shown, head) or _other(without, shown)
    return replace(name, text=shown, percent=percent)


def _words(text: str) -> str:
    """Return a head as plain words: ``No. of Cases`` and ``# cases`` are alike."""
    text = re.sub(r"^#\s*|\bnumber of\b|\bnum(?:ber)?\b\.?|\bno\.", "no ", text.casefold())
    text = re.sub(r"\bno of\b|\bno\s+of\b", "no", text)
    return " ".join(re.sub(r"[_.\s]+|(?<=\w)[(\[](?=\w)|[)\]]$", " ", text).replace("(", "").split())


def _known_head(bare: str, shown: str, percent: bool) -> Name | None:
    """Return what a head says that is no score's name."""
    if re.fullmatch(r"\.{2,}|…", shown):
        return Name(shown, "other", reason="columns are cut out")
    words = _words(bare)
    if not words:
        return Name(shown, "name" if not shown else "other")
    roles: tuple[Role, ...] = ("metric", "value", "rank", "validation", "split")
    for role in roles:
        if words in WORDS[f"{role}s"] or (role == "rank" and {*words.split()} <= WORDS["rank_words"]):
            return Name(shown, role)
    if size := _size(words, bare, percent):
        return size
    return Name(shown, "name") if words in WORDS["names"] or words.rstrip("s") in WORDS["names"] else None


def _size(words: str, bare: str, percent: bool) -> Name | None:
    """Return a head that counts cases."""
    tokens = set(words.split())
    if bare in ("N+", "n+", "N−", "N-", "n-", "n−"):
        return Name(bare, "size", size="positives" if bare.endswith("+") else "negatives")
    counted = tokens - WORDS["beside_counted"]
    of_class: dict[Size, frozenset[str]] = {
        "positives": WORDS["positive"] | {"diseased", "events"},
        "negatives": WORDS["negative"] | {"controls", "healthy"},
    }
    for size, names in of_class.items():
        if counted and counted <= names - {"1", "0", "yes", "no", "true", "false", "+", "-", "−"}:
            if percent or "%" in bare or tokens & {"rate", "share"}:
                return Name(bare, "score", PREVALENCE.id, PREVALENCE) if size == "positives" else None
            return Name(bare, "size", size=size)
    if percent:
        return None
    part: Part = "test" if tokens & {"test", "testing", "ntest"} else ""
    if words in WORDS["totals"]:
        return Name(bare, "size", part=part)
    rest = tokens - {"no", "n", "of", "the", "total", "number", "#"}
    if rest and rest <= WORDS["counted"] | {"test", "cases", "testing"} and rest != {"test"}:
        return Name(bare, "size", weak=not rest & {"test", "testing"} and "total" not in tokens, part=part)
    return None


def _score(bare: str, shown: str, head: bool) -> Name | None:
    """Return a score with what its head says beside the name; None where there is no score's name."""
    if (top := _TOP.search(bare)) and top[1] != "1":
        return None
    if _CHANGE.match(bare):
        return Name(shown, "other", reason="not a score but something about one")
    if _ENTITIES.fullmatch(bare):
        bare = {"F": F1.id, "P": PRECISION.id, "R": RECALL.id}[bare[-1].upper()]
    alone = _lookup(bare, head=head)
    if alone:
        return Name(shown, "score", alone.id, alone.metric, weak=len(bare.strip(" .")) == 1)
    bare = _TOP.sub("", bare)
    chunks: list[str] = []

    def take(match: re.Match[str]) -> str:
        chunk = next(part for part in match.groups() if part is not None) if any(match.groups()) else ""
        chunks.append(f"@{chunk}" if match[3] else chunk)
        return " "

    main = _CHUNK.sub(take, bare)
    if "@" in bare and any(chunk.strip("@ ").isdigit() for chunk in chunks):
        return None
    tokens = _TOKEN.findall(main)
    found = _longest(tokens)
    if found is None and chunks:
        found = (len(tokens), len(tokens), hit) if (hit := _lookup(chunks[0], head=False)) else None
        chunks = chunks[1:] if found else chunks
    if found is None and head and (rest := [token for token in tokens if token.casefold() not in AVERAGES]) != tokens:
        # "Macro Rec": beside the name of an average a short name is one too.
        hit = _lookup(" ".join(rest), head=True)
        tokens = [*(token for token in tokens if token not in rest), *rest]
        found = (len(tokens) - len(rest), len(tokens), hit) if hit else None
    if found is None:
        return None
    start, end, entry = found
    name = Name(shown, "score", entry.id, entry.metric, stated=stated(bare, own=True))
    rest = tokens[:start] + tokens[end:]
    # "TPR / Sensitivity / Recall" is one score with several names.
    while (others := _longest(rest)) and others[2].id == entry.id:
        rest = rest[: others[0]] + rest[others[1] :]
    another = replace(name, role="other", reason="a score at a point of another one")
    if others:
        return another
    around = " ".join(rest)
    for chunk in chunks:
        other = None if _CELL_OF.fullmatch(chunk.strip(" $")) else _longest(_TOKEN.findall(chunk))
        if other and other[2].id != entry.id:
            return another
        name = name if other else _qualified(name, chunk)
    return _qualified(name, around) if around else name


_CHANGE: Final = re.compile(r"[Δδ∆]")
#: Frames and transactions per second; false and true positives in the plural are FPs and TPs.
_PER_SECOND: Final = re.compile(r"[FT]PS|[ft]ps")


@lru_cache(maxsize=8192)
def _lookup(text: str, *, head: bool) -> Claimable | None:
    """Return a score by its whole name; a head may be a letter or two."""
    spelt = text.strip(" .")
    key = spelt.casefold()
    if head and key in IN_COLUMNS and (len(key) > 2 or spelt[:1].isupper()):
        return Claimable(IN_COLUMNS[key].id, IN_COLUMNS[key])
    entry = claimable(re.sub(r"\.(?!\d)", "", spelt)) if spelt else None
    if entry is None and (other := foreign_name(spelt)):
        entry = claimable(other)
    if entry is None or _PER_SECOND.fullmatch(spelt):
        return None
    word = re.sub(r"\W+", "_", key).strip("_")
    if word in ALSO_WORDS and not (head and spelt.isupper() and len(spelt) > 1):
        return None
    return entry


def _longest(tokens: list[str]) -> tuple[int, int, Claimable] | None:
    """Return the longest run of words that is a score's name."""
    known = [may_name(token) for token in tokens]
    if not any(known) and not may_name(" ".join(tokens)):
        return None
    for length in range(min(len(tokens), 8), 0, -1):
        for start in range(len(tokens) - length + 1):
            if length == 1 and not known[start]:
                continue
            if entry := _lookup(" ".join(tokens[start : start + length]), head=False):
                return start, start + length, entry
    return None


def _qualified(name: Name, chunk: str) -> Name:
    """Return a score with what stands beside its name or in brackets."""
    # "@ deploy" says at which point a score is taken, and never of which class it is.
    at_point = chunk.startswith("@")
    noise = WORDS["noise"] if not at_point else ()
    chunk = chunk.strip(" -–:,$@")
    if (cell := _CELL_OF.fullmatch(chunk)) and name.of_one_class:
        return replace(name, side="positive" if cell[1].lower() == "tp" else "negative")
    if threshold := _THRESHOLD.fullmatch(chunk):
        return replace(name, group=_joined(name.group, f"at {threshold[1]}"))
    if _INTERVALS.search(chunk):
        return replace(name, role="interval", end=_end(chunk))
    left: list[str] = []
    label = False
    with_mean = "±" in name.text or "+/-" in name.text or "mean" in name.text.casefold()
    for token in re.split(
        r"[\s,;_/]+|(?<=±)", re.sub(r"\b(\d+)\s+(class(?:es)?|labels?)\b", r"\1-\2", chunk, flags=re.IGNORECASE)
    ):
        word = token.casefold().strip(".:-")
        part = PARTS.get(word)
        if word in AVERAGES or word in ("wtd", "wt", "w"):
            average = word if word in AVERAGES else "weighted"
            if name.averaged or name.metric is None or name.metric.id in COUNTS:
                continue
            averaged = claimable(f"{average} {name.score}")
            name = replace(name, score=averaged.id, metric=averaged.metric) if averaged else name
        elif word in WORDS["spreads"]:
            name = replace(name, role="spread" if not with_mean else "score")
        elif word in WORDS["differences"]:
            name = replace(name, role="other", reason="not a score but something about one")
        elif part:
            # "CV (train, 5-fold)" is about cross-validation, "hold-out validation" about a test set.
            name = replace(name, part=part if not name.part or part in ("cross-validation", "test") else name.part)
        elif word in ("class", "label", "category"):
            label = True
        elif re.fullmatch(r"(?:\d+|multi|all)-?(?:class|classes|way|labels?)|ovr|ovo", word):
            continue
        elif re.fullmatch(r"\d+(?:-?folds?)|k", word) or word == str(name.stated.folds):
            name = replace(name, part="cross-validation")
        elif word and (word not in noise or re.fullmatch("[A-Z]", token)) and not re.fullmatch(r"t|n", word):
            left.append(token.strip(".:"))
    words = "" if name.score in COUNTS else " ".join(left)
    if not words:
        return name
    if re.search(r"\b(?:data\s?set|cohort|hospital|site)\b", chunk, re.IGNORECASE):
        words = chunk
    elif words.casefold() == "binary":
        words = "binary"
    elif name.of_one_class and not at_point and (label or not name.label):
        return replace(name, label=f"class {words}" if label and words.isdigit() else words)
    return replace(name, group=_joined(name.group, words))


def _end(text: str) -> Literal["", "low", "high"]:
    """Tell which end of an interval a text says."""
    return "low" if _LOW.search(text) else "high" if _HIGH.search(text) else ""


def _joined(first: str, second: str) -> str:
    return f"{first}, {second}" if first and first != second else second


def _other(bare: str, shown: str) -> Name:
    """Return a head without a score's name."""
    if _INTERVALS.search(bare):
        return Name(shown, "interval", end=_end(bare))
    tokens = [token.casefold().strip(".") for token in re.split(r"[\s_]+", bare)]
    if {*tokens} & WORDS["spreads"] and {*tokens} <= WORDS["spreads"] | {*PARTS} | WORDS["noise"]:
        return Name(shown, "spread")
    # How many features there were is no name of a model.
    counted = tokens[0] in ("n", "num", "#") and len(tokens) > 1
    unnamed = counted or {*tokens} & WORDS["no_names"]
    named = [token for token in tokens if token in WORDS["names"]] if not unnamed else []
    return Name(shown, "name" if named and len(tokens) <= 4 else "other")


def beside(name: Name, text: str) -> tuple[Name, str]:
    """Return a score with what a second head above or below its own says, and the words of it that are not known.

    Examples
    --------
    >>> name, words = beside(read_name("F1"), "Macro")
    >>> name.score, words, beside(read_name("F1"), "Dataset A")[1]
    ('macro_f1', '', 'Dataset A')
    """
    other = read_name(text)
    if other.role in ("metric", "value") or (other.role == "score" and other.score == name.score):
        return replace(name, percent=name.percent or other.percent), ""
    bare = _UNIT.sub("", plain(text)).strip()
    if not bare:
        return replace(name, percent=True), ""
    if name.role != "score" or other.role == "score":
        return name, plain(text)
    probe = replace(name, label="", group="", percent=name.percent or other.percent)
    probe = _qualified(probe, _ARROWS.sub("", bare))
    if probe.label and (polarity(probe.label) or re.match(r"(?:class|label)\b", text.strip(), re.IGNORECASE)):
        return replace(probe, group=name.group), ""
    learnt = (probe.score, probe.part, probe.role) != (name.score, name.part, name.role)
    if probe.label or probe.group or probe.role not in (name.role, "spread", "interval") or not learnt:
        words = re.findall(r"\w+", text.casefold())
        is_noise = WORDS["noise"].issuperset(words) and not re.search(r"\b[A-Z]\b", text)
        return name, "" if is_noise else plain(text)
    return replace(probe, label=name.label, group=name.group), ""


def polarity(label: str) -> Side:
    """Tell which class a label means by itself.

    Examples
    --------
    >>> polarity("Class 1"), polarity("neg"), polarity("churn")
    ('positive', 'negative', '')
    """
    words = set(re.split(r"[\s_]+", label.casefold().strip(" ()"))) - {"class", "label", "the"}
    if words and words <= WORDS["positive"]:
        return "positive"
    return "negative" if words and words <= WORDS["negative"] else ""
