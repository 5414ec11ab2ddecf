"""Reports of scores in a block: a grid, or lines of text that are tables set in columns, lists or sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from ..documents.blocks import Block, Grid, Lines, Place
from . import score_tables
from .cells import Found
from .names import Name, may_name, names_score, read_name
from .report import Report
from .score_tables import is_number
from .stated import stated
from .statements import ABOUT_OTHERS, is_of_a_group, scores_in, without_formula
from .values import read_cell
from .vocabulary import SHORT_PAIRS, WORDS

_LONGEST: Final = 2000
_LONGEST_HEADS: Final = 240
_MOST_WORDS: Final = 40
_MOST_LISTED: Final = 60
_SIGNS: Final = re.compile(r"^\s*(?:#+|//+|>+|%+|;+|\*(?=\s))\s?")
_RULE: Final = re.compile(r"[\s\-=─━═_~+|│*.:]*")
_GAP: Final = re.compile(r"\s{2,}|\t+|\s*[|│]\s*")
_NUMBER: Final = r"[+\-−]?(?:\d{1,3}(?:,\d{3})+(?![\d.])|\d+(?:[.,]\d+)?|\.\d+)(?:e[+-]?\d{1,2})?\s?%?"
_BESIDE: Final = (
    rf"(?:\s?(?:±|\+/-)\s?{_NUMBER}|\s?[(\[]\s?(?:(?:95|90|99)\s?%\s?CI[:,]?\s?|SD\s?=?\s?|±\s?)?{_NUMBER}"
    rf"(?:\s?(?:-|–|—|to|,|;)\s?{_NUMBER})?\s?[)\]]|\s?[(\[]\s?\d+\s?/\s?\d+\s?[)\]])"
)
#: How many of how many, and perhaps the share: ``46/52 (88.5%)``, ``46 out of 52``. The first of them is no per cent.
_OF: Final = r"\d[\d,]*\s?(?:/|\bof\b|\bout\s+of\b)\s?\d[\d,]*(?![\w%]|[.,]\d)"
_SHARE: Final = rf"{_OF}(?:\s?[,=:]?\s?[(\[]?\s?{_NUMBER}(?<=%)(?:{_BESIDE})?\s?[)\]]?)?"
_VALUE: Final = re.compile(
    rf"(?<![\w.,/])(?<![A-Za-z]-)(?:{_SHARE}|(?:[~≈>≥<≤]\s?)?{_NUMBER}(?:\s?[(\[]\s?{_OF}\s?[)\]]|{_BESIDE})*)(?![\w]|[.,]\d)",
    re.IGNORECASE,
)
#: Lines of a training log are about one step of the training, not about a test set.
_LOG: Final = re.compile(
    r"\bepochs?\b\W{0,3}\d|\bsteps?\b\s*[:=\d]|\biter(?:ation)?s?\b\s*[:=\d]|\w\W+loss\s*[:=]|loss\s*[:=].*\w\s*[:=]|"
    r"\bval_\w+.*\w\s*[:=]|\bETA\b|it/s|s/step|\blr\s*[:=]|\bbatch\b",
    re.IGNORECASE,
)
_BULLET: Final = re.compile(r"\s*(?:[-*•·◦‣+]\s|\d{1,2}[.)]\s|[│|>])?\s*")
_SEPARATOR: Final = re.compile(r":|={1,2}|→|-+>|\s[-–—]\s|\s{3,}|\t|\.{3,}")
_LONGEST_NAME: Final = 70
_NAMING: Final = re.compile(r"models?|fold|run|seed|split|dataset|data|set", re.IGNORECASE)
_LONGEST_VALUE: Final = 60
#: What a head says about the brackets behind its numbers, which are read with them.
_INTERVAL_HEAD: Final = re.compile(
    r"[(\[]\s?(?:9[059]\s?%\s?CI|CI\s?9[059]\s?%?|mean\s?±\s?SD|±\s?SD|SD)\s?[)\]]", re.IGNORECASE
)


def find(block: Block) -> list[Found]:
    """Return all reports of scores in a block, in its order."""
    found = find_tables(block)
    if isinstance(block, Grid):
        return found
    for look in (find_lists, find_sentences):
        found += look(block, {line for one in found for line in one.rows})
    return sorted(found, key=lambda one: one.rows.start)


def find_tables(block: Block) -> list[Found]:
    """Return the reports of scores in tables alone: a grid, or lines set in columns."""
    return score_tables.find(block) if isinstance(block, Grid) else find_columns(block)


class _Heads(NamedTuple):
    """The heads of a table set in columns, and where each ends in its line; no ends where blanks do not tell."""

    texts: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    #: How many of them stand before the first score.
    names: int


def find_columns(block: Lines) -> list[Found]:
    """Return the reports in tables that are set in columns."""
    found: list[Found] = []
    line = 0
    while line < len(block.texts):
        heads = _heads_of(_SIGNS.sub("", block.texts[line]))
        end, reports = _table_below(block, line, heads) if heads else _upright(block, line)
        found += reports
        line = end if reports or not heads else line + 1
    return found


def _heads_of(line: str) -> _Heads | None:
    if len(line) > _LONGEST or not may_name(line):
        return None
    return _apart(line) or _side_by_side(line)


def _apart(line: str) -> _Heads | None:
    """Read heads with two blanks or more between them."""
    spans, start = [], 0
    for gap in [*_GAP.finditer(line), None]:
        end = gap.start() if gap else len(line)
        if line[start:end].strip():
            spans.append((start, end))
        start = gap.end() if gap else end
    texts = tuple(line[start:end].strip() for start, end in spans)
    if len(texts) < 2:
        return None
    roles = [read_name(text).role for text in texts]
    if roles.count("score") < 2 or any(is_number(text) for text in texts):
        return None
    return _Heads(texts, tuple(spans), roles.index("score"))


def _side_by_side(line: str) -> _Heads | None:
    """Read heads with one blank between them, as a viewer of PDF files copies them."""
    if len(line) > _LONGEST_HEADS:
        return None
    line = _INTERVAL_HEAD.sub(lambda match: " " * len(match[0]), line)
    words = [(match[0], match.start(), match.end()) for match in re.finditer(r"\S+", line)]
    has_numbers = any(is_number(word) for word, _, _ in words[:_MOST_WORDS])
    if has_numbers or len(words) > _MOST_WORDS or line.rstrip().endswith((".", ";", ":")):
        return None
    texts: list[str] = []
    spans: list[tuple[int, int]] = []
    scores, unknown, first, at = 0, 0, None, 0
    while at < len(words):
        # "Model Accuracy" at the start are two heads: that of the names, and the first score.
        longest = 1 if not at and _NAMING.fullmatch(words[0][0]) else 4
        for length in range(longest, 0, -1):
            text = " ".join(word for word, _, _ in words[at : at + length])
            name = read_name(text)
            known = name.role in ("score", "size") and not name.label and not name.group and at + length <= len(words)
            if known or length == 1:
                break
        if known:
            scores += name.role == "score"
            first = len(texts) if first is None and name.role == "score" else first
        else:
            unknown += scores > 0
        if not known and texts and scores == 0:
            texts[-1], spans[-1] = f"{texts[-1]} {text}", (spans[-1][0], words[at][2])
        else:
            texts.append(text)
            spans.append((words[at][1], words[at + length - 1][2]))
        at += length
    if scores < 2 or unknown > 2 or first is None or sum(len(text.split()) for text in texts[:first]) > 4:
        return None
    return _Heads(tuple(texts), (), first)


def _with_names(heads: _Heads, below: Sequence[str]) -> _Heads:
    """Return heads with one for names of its own where "Test Sensitivity" stands over a name and a number."""
    if not heads.names and heads.spans and (index := _index_name(heads, below)) is not None:
        # A frame whose rows have names, with the name of the names on a line of its own or without one.
        return _Heads((index, *heads.texts), ((0, heads.spans[0][0] - 2), *heads.spans), 1)
    word, _, rest = heads.texts[0].partition(" ")
    row = next((_tokens(text) for text in below if not _RULE.fullmatch(text)), [])
    if heads.names or heads.spans or read_name(rest).role != "score" or len(row) <= len(heads.texts):
        return heads
    return heads if is_number(row[0]) else _Heads((word, rest, *heads.texts[1:]), (), 1)


def _index_name(heads: _Heads, below: Sequence[str]) -> str | None:
    """Return what stands below heads in the place of names; empty where rows begin there; None where nothing does."""
    start = heads.spans[0][0]
    text = next((text for text in below if text.strip() and not _RULE.fullmatch(text)), "")
    name = text[:start].strip()
    if not name or is_number(name) or (text[:1].isspace() and not text[start:].strip()):
        return None
    return name if not text[start:].strip() else ""


def _table_below(block: Lines, head: int, heads: _Heads) -> tuple[int, list[Found]]:
    """Return where the table below heads ends, and the reports in it."""
    heads = _with_names(heads, block.texts[head + 1 : head + 4])
    rows: list[tuple[str, ...]] = [heads.texts]
    lines = [head]
    refused: list[Found] = []
    at, last = head + 1, head + 1
    while at < len(block.texts):
        text = _SIGNS.sub("", block.texts[at])
        if _RULE.fullmatch(text) and at - last <= 1 and (text.strip() or len(rows) == 1):
            at += 1
            last = at if text.strip() else last
            continue
        if not text.strip() or len(text) > _LONGEST or _heads_of(text):
            break
        if heads.names == 1 and at == last and len(rows) == 1 and text.strip() == heads.texts[0]:
            at, last = at + 1, at + 1
            continue
        row = _row_of(text, heads)
        if row is None:
            if not any(is_number(word) for word in text.split()) or not rows[1:]:
                break
            reason = "the row has other cells than the heads: which number is which cannot be told"
            report = Report("scores", block.places[at], text.strip()[:60], ignored=(reason,), table=block.places[head])
            refused.append(Found(report, range(at, at + 1)))
        else:
            rows.append(row)
            lines.append(at)
        at += 1
        last = at
    if len(rows) == 1:
        return head + 1, []
    caption = _line_above(block, head)
    grid = Grid(tuple(rows), tuple(block.places[line] for line in lines), caption, 1)
    found = [
        Found(one.report, range(lines[one.rows.start], lines[one.rows.stop - 1] + 1)) for one in score_tables.find(grid)
    ]
    return last, sorted([*found, *refused], key=lambda one: one.rows.start) if found else []


def _upright(block: Lines, start: int) -> tuple[int, list[Found]]:
    """Read lines of one score each, with a number for each method; the line above names the methods."""
    rows: list[list[str]] = []
    end = start
    while end < len(block.texts) and len(block.texts[end]) <= _LONGEST:
        parts = _name_and_values(_SIGNS.sub("", block.texts[end]).strip())
        if len(parts) < 3 or not _are_values(parts[1:]) or (rows and len(parts) != len(rows[0])) or is_number(parts[0]):
            break
        rows.append(parts)
        end += 1
    scores = [row for row in rows if read_name(row[0], head=False).is_score]
    if len(scores) < 2 or 2 * len(scores) < len(rows) or not start:
        return max(end, start + 1), []
    width = len(rows[0])
    above = start - 2 if start > 1 and _RULE.fullmatch(block.texts[start - 1]) else start - 1
    heads = _parts(_SIGNS.sub("", block.texts[above]).strip())
    if len(heads) == 1:
        heads = heads[0].split() if not any(map(is_number, heads[0].split())) else []
        if heads and len(heads) not in (width, width - 1):
            # Names of several words, which cannot be told apart.
            heads = ["", *(f"column {place}" for place in range(1, width))]
    heads = ["", *heads] if len(heads) == width - 1 else heads
    if len(heads) != width:
        return end, []
    grid = Grid((tuple(heads), *map(tuple, rows)), block.places[start - 1 : end], _line_above(block, start - 1))
    return end, [Found(one.report, range(start - 1, end)) for one in score_tables.find(grid)]


def _parts(text: str) -> list[str]:
    return [part for part in _GAP.split(text) if part]


def _name_and_values(text: str) -> list[str]:
    """Cut a line into a name and its numbers, which may have one blank between them."""
    parts = _parts(text)
    if len(parts) > 1 or (not text[-1:].isdigit() and text[-1:] not in ("%", ")")):
        return parts
    tokens = _tokens(text)
    first = next((place for place, token in enumerate(tokens) if place and is_number(token)), len(tokens))
    name = " ".join(tokens[:first])
    named = "," not in text and may_name(name) and read_name(name).role == "score"
    return [name, *tokens[first:]] if named else parts


def _line_above(block: Lines, line: int) -> str:
    """Return the text right above a line, as far as it may be its caption."""
    above = [text.strip() for text in block.texts[max(0, line - 2) : line]]
    text = next((text for text in reversed(above) if text and not _RULE.fullmatch(text)), "")
    return text if len(text) <= 300 and not _heads_of(text) else ""


def _row_of(text: str, heads: _Heads) -> tuple[str, ...] | None:
    """Return a line as a row under heads; None where its numbers cannot be told apart."""
    values = len(heads.texts) - heads.names
    parts = _parts(text.strip())
    if len(parts) <= values or not _are_values(parts[-values:]):
        parts = _tokens(text)
    if len(parts) >= values and _are_values(parts[-values:]):
        left = parts[: len(parts) - values]
        return (*_names_of(left, heads.names), *parts[-values:])
    return _placed(text, heads)


def _are_values(parts: Sequence[str]) -> bool:
    known = sum(1 for part in parts if is_number(part) or read_cell(part).missing)
    return known >= 1 and all(is_number(part) or read_cell(part).missing or re.match(r"[\d.]", part) for part in parts)


def _tokens(text: str) -> list[str]:
    """Cut a line at blanks, and keep numbers together with what stands beside them."""
    kept = _VALUE.sub(lambda match: match[0].replace(" ", "\0"), text)
    return [part.replace("\0", " ") for part in kept.split()]


def _names_of(left: Sequence[str], names: int) -> list[str]:
    """Return as many names as there are heads for them; the number of a row before them is left out."""
    if not names:
        return []
    parts = left[1:] if len(left) > names and left[0].isdigit() else left
    parts = [*[""] * (names - len(parts)), *parts]
    return [*parts[: names - 1], " ".join(parts[names - 1 :])]


def _placed(text: str, heads: _Heads) -> tuple[str, ...] | None:
    """Return a row with empty cells: each number is under the head that it overlaps."""
    if not heads.spans or not heads.names:
        return None
    row = [""] * len(heads.texts)
    start = heads.spans[heads.names - 1][1]
    values = list(_VALUE.finditer(text))
    for match in values:
        places = [
            place
            for place, (low, high) in enumerate(heads.spans)
            if place >= heads.names and match.start() < high + 1 and match.end() > low - 1
        ]
        if match.start() < start and not places:
            continue
        if len(places) != 1 or row[places[0]]:
            return None
        row[places[0]] = match[0]
    first = next((match.start() for match in values if match.start() >= start), len(text))
    row[: heads.names] = _names_of(_GAP.split(text[:first].strip()), heads.names)
    return tuple(row) if any(row[heads.names :]) else None


def find_lists(block: Lines, used: set[int]) -> list[Found]:
    """Return the reports in lists, one name and its value a line."""
    found: list[Found] = []
    entries: list[tuple[int, str, str]] = []
    title, gap = "", 0
    loose = False
    for line, (_, text) in enumerate(block):
        refused = line in used or len(text) > _LONGEST or len(entries) > _MOST_LISTED
        # A line of progress may be that of an epoch of a training.
        evaluated = _PROGRESS.match(text) and not any(map(_EPOCH.search, block.texts[max(0, line - 2) : line + 1]))
        pairs = [] if refused or (_LOG.search(text) and not evaluated) else _listed(text, loose)
        if pairs:
            for pair in pairs:
                if gap > 1 or (entries and _again(entries, pair[0])):
                    found += _list_report(block, entries, title)
                    entries = []
                    title = title if gap <= 1 else ""
                entries.append((line, *pair))
                gap = 0
        elif not text.strip() or _RULE.fullmatch(text):
            gap += not text.strip()
        else:
            found += _list_report(block, entries, title)
            entries, gap = [], 0
            # Whether a line is `Metric    Value`, as a frame of names and values has it above them.
            words = text.split()
            loose = len(words) == 2 and sorted(read_name(word).role for word in words) == ["metric", "value"]
            title = title if loose else _heading(text) if line not in used else ""
    return found + _list_report(block, entries, title)


#: What stands between the pairs of a line that has several.
_BETWEEN: Final = re.compile(r"\s*[|│;]\s*|\t+|\s{2,}|\s[-–—]\s")


#: What Keras prints before the scores of an evaluation.
_PROGRESS: Final = re.compile(r"^\s*\d+/\d+\s*(?:\[[=>.]+\]|[━─]+)?\s*-?\s*(?:\d+m?s\b[^-]*-\s*|-\s*)")


_EPOCH: Final = re.compile(r"\bepochs?\b|\bval_", re.IGNORECASE)


#: Blanks behind the sign between a name and its value, which set columns apart elsewhere.
_VALUE_APART: Final = re.compile(r"(?<=\w)([:=])\s{2,}(?=[\d.])")
#: Weka prints how many cases were predicted right, and behind it which share of all they are.
_CLASSIFIED: Final = re.compile(r"\s*(?:in)?correctly\s+classified\s+instances\s{3,}.*%\s*", re.IGNORECASE)
#: No line of a list has more names and values.
_MOST_PAIRS: Final = 20


def _listed(text: str, loose: bool) -> list[tuple[str, str]]:
    """Return the names and values of a line that has nothing else; `loose` ones have a blank between them."""
    if _CLASSIFIED.fullmatch(text):
        return scores_in(text)[1:]
    text = _VALUE_APART.sub(r"\1 ", without_formula(_PROGRESS.sub("", text)))
    pairs = [_pair(piece) for piece in _BETWEEN.split(_BULLET.sub("", text, count=1).strip()) if piece.strip()]
    kept = [pair for pair in pairs if pair]
    if len(kept) == len(pairs) > 1 and len(pairs) <= _MOST_PAIRS and any(names_score(name) for name, _ in kept):
        return kept
    if pair := _pair(text):
        return [pair]
    if loose and (match := re.fullmatch(r"(?:\d+\s+)?(\D.*?)\s+(\S+)", text.strip())) and is_number(match[2]):
        return [(match[1], match[2])]
    return []


#: "Precision is 0.94", and no longer sentence.
_NAME_IS_VALUE: Final = re.compile(
    r"((?:[A-Za-z][\w-]*\s){0,2}[A-Za-z][\w-]*)\s(?:is|was)\s(\d*\.?\d+\s?%?)\.?", re.IGNORECASE
)


def _pair(text: str) -> tuple[str, str] | None:
    bare = _BULLET.sub("", text.replace("**", "").replace("`", ""), count=1).strip().rstrip(",;")
    if said := _NAME_IS_VALUE.fullmatch(bare):
        return said[1], said[2]
    for match in _SEPARATOR.finditer(bare[: _LONGEST_NAME + 3]):
        name, value = bare[: match.start()].strip(" *_-"), bare[match.end() :].strip().removesuffix(".")
        if not name or name[0].isdigit() or len(value) > _LONGEST_VALUE or re.search(r"[:=]\s*\d", name):
            continue
        if is_number(value) or read_cell(value).missing:
            return (name, value) if value else None
    return None


def _again(entries: Sequence[tuple[int, str, str]], name: str) -> bool:
    """Tell whether a score comes again, so that another list begins."""
    new, *others = (read_name(one, head=False) for one in (name, *(other for _, other, _ in entries)))
    claims = [(one.score, one.label, one.part, one.group) for one in (new, *others)]
    return new.role == "score" and claims[0] in claims[1:]


def _list_report(block: Lines, entries: Sequence[tuple[int, str, str]], title: str) -> list[Found]:
    if _WANTED.search(title):
        entries = [entry for entry in entries if not _BOUND.match(entry[2])]
    roles = [read_name(name, head=False).role for _, name, _ in entries]
    if "score" not in roles or 3 * (roles.count("score") + roles.count("size")) < len(entries):
        return []
    rows = (("Metric", "Value"), *((_size_of(name, entries), value) for _, name, value in entries))
    places = (block.places[entries[0][0]], *(block.places[line] for line, _, _ in entries))
    lines = range(entries[0][0], entries[-1][0] + 1)
    reports = [one.report for one in score_tables.find(Grid(rows, places, title))]
    return [Found(replace(report, title=", ".join(filter(None, (title, report.title)))), lines) for report in reports]


def _size_of(name: str, entries: Sequence[tuple[int, str, str]]) -> str:
    """Return the name of a size for ``Loc Number`` beside ``Loc Recall``; other names as they are."""
    label, _, last = name.replace("_", " ").rpartition(" ")
    beside = {read_name(other, head=False).label for _, other, _ in entries}
    return "positives" if label in beside and label and last.casefold() in ("number", "support") else name


def _heading(text: str) -> str:
    """Return a line as the name of what follows; empty where it is a sentence."""
    bare = re.sub(r"[*`_]+", "", text).strip().strip("#=-~>|").strip(" :")
    if re.search(r"\S\s{2,}\S|\d.*\d", bare):
        return ""
    return bare if 0 < len(bare) <= 80 and not bare.endswith((".", "!", "?")) and len(bare.split()) <= 10 else ""


# A line that begins with a capital is the next of a wrapped sentence only where the line before was long.
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+(?=[A-Z(*\-])|\n(?=\s*[*#])|(?<=[\d%)*])\n(?=\s*[A-Z*])")
_FOLLOWS: Final = re.compile(
    r"(?:\s+(?:on|over|for)\s+(?:the\s+|our\s+)?(?:unseen\s+)?(?:test(?:ing)?|held-?out|hold-?out))?(?:\s+(?:set|data(?:set)?|split))?"
    r"\s*(?:\((?![^()]*\d)[^()]{1,30}\))?\s*(?::|=|→|-+>|\bscores?\b|\bof\b|\bis\b|\bare\b|\bwas\b|\bwere\b|\bat\b|\breach(?:es|ed)\b|\bequals\b|"
    r"\bto\s+be\b|\bvalues?\b|\brespectively\b|,)*\s*(?:about|approximately|around|of)?\s*",
    re.IGNORECASE,
)
_AND: Final = re.compile(r"\s*(?:,\s*and\b|,|and\b|&|/|;)\s*(?:(?:a|an|the|its)\s+)?", re.IGNORECASE)
_NOT_OURS: Final = re.compile(
    r"\b(?:train(?:ing)?|baseline|previous|target|goal|expected|random|chance|minimum|human|improv\w*|increas\w*|"
    r"decreas\w*|drop\w*|gain\w*|threshold|required?|desired)\b",
    re.IGNORECASE,
)


_COUNT: Final = re.compile(r"\d{1,3}(?:,\d{3})+|\d{3,}")
#: A number with a unit is no score: that of an instrument, say.
_IN_UNITS: Final = re.compile(
    r"\s?[°µμ]|\s?(?:mm|cm|km|nm|m|g|kg|mg|ng|ms|s|sec(?:onds)?|min(?:utes)?|h|hours|Hz|kHz|MHz|GHz|GB|MB|V|mV|K|px|pixels|"
    r"USD|EUR|dB|points?|pp)(?![\w-])|\s?[€$£]|\s(?:percentage points)\b"
)
#: Overlaps of texts or of answers have a precision and a recall too, which no test set of cases gives.
_OF_TEXTS: Final = re.compile(r"\b(?:rouge|bleu|meteor|bert-?score|chrf)", re.IGNORECASE)


#: What is wanted is no score that was found: "accuracy >= 80 %" beside such words, or below them.
_BOUND: Final = re.compile(r"\s*[>≥<≤]")
_WANTED: Final = re.compile(
    r"\b(?:targets?|goals?|floors?|thresholds?|minim(?:um|al)|requir\w*|gates?|criteri(?:on|a)|accept\w*|must|should|"
    r"enforc\w*|proposals?|objectives?|KPIs?|SLAs?|expect\w*|promot\w*)\b",
    re.IGNORECASE,
)


def _is_bound(name: Name, text: str) -> bool:
    """Tell whether a number is a bound: the sign may have been taken for a part of the name."""
    return _BOUND.match(text) is not None or name.text.endswith((">", "<", "≥", "≤"))


class _Word(NamedTuple):
    """A score's name or a number in a sentence."""

    start: int
    end: int
    name: Name | None
    text: str


#: Lines of wrapped text are longer, and hardly ever all begin with a capital.
_SHORT_LINE: Final = 60


def find_sentences(block: Lines, used: set[int], least: int = 2) -> list[Found]:
    """Return the reports in sentences that name so many scores, or one and how many cases there are."""
    found: list[Found] = []
    for first, last, text in _paragraphs(block, used, tested=least == 1):
        # Where only one sentence of a paragraph has scores, the others may say its sizes.
        scored = (1 for part in _SENTENCE.split(text) if may_name(part) and len(_pairs(part.replace("\n", " "))) > 1)
        around = text.replace("\n", " ") if len(text) <= _LONGEST and len(list(islice(scored, 2))) == 1 else ""
        start = 0
        for sentence in _SENTENCE.split(text):
            at = text.index(sentence, start)
            start = at + len(sentence)
            lines = sentence.split("\n")
            line = first + text.count("\n", 0, at)
            end = line + len(lines)
            listed = all(len(line) < _SHORT_LINE and not line.lstrip()[:1].islower() for line in lines)
            # Lines of a list without signs, above the first that may name a score, are its own.
            named = next((n for n, line in enumerate(lines) if may_name(line)), 0) if listed else 0
            rows = range(line + named, min(end, last))
            found += _sentence(" ".join(lines[named:]), around, block.places[line + named], rows, least)
    return found


#: What a training prints of the test set at its end, as examples of PyTorch do.
_TESTED: Final = re.compile(r"\W*(?:final\s+)?test(?:\s+set)?\b", re.IGNORECASE)


def _paragraphs(block: Lines, used: set[int], *, tested: bool) -> Iterator[tuple[int, int, str]]:
    """Walk paragraphs, with the lines they begin and end at; `tested` are lines of a log about a test set, too."""
    held: list[str] = []
    for line, text in enumerate([*block.texts, ""]):
        columns = _GAP.search(text.strip()) and len([part for part in _GAP.split(text) if is_number(part)]) > 1
        blank = not text.strip() or line in used or len(text) > _LONGEST or columns
        blank = blank or (_LOG.search(text) and not (tested and _TESTED.match(text)))
        if blank or re.match(r"\s*(?:[-*•]|\d{1,2}[.)])\s", text):
            if held:
                yield line - len(held), line, "\n".join(held)
            held = [] if blank else [text]
        else:
            held.append(text)


def _sentence(text: str, around: str, where: Place, lines: range, least: int) -> list[Found]:
    """Return the reports of a sentence; the text around it may say its sizes where no other sentence has scores."""
    if not may_name(text) or not any(character.isdigit() for character in text) or _OF_TEXTS.search(text):
        return []
    pairs = tuple(pair for pair in _pairs(text) if not (_is_bound(*pair) and _WANTED.search(text)))
    said = stated(text)
    if len(pairs) < least and not (pairs and said.total):
        return []
    lone = len(pairs) == 1 and not said.total
    # The loss of a network is no loss of a score.
    elsewhere = ABOUT_OTHERS.search(re.sub(r"\bloss\b", "", text, flags=re.IGNORECASE))
    if lone and (elsewhere or _is_bound(*pairs[0]) or not re.search(r"[.%/]", pairs[0][1])):
        return []
    groups: list[list[tuple[Name, str]]] = []
    for name, value in pairs:
        if not groups or any(name.score == other.score for other, _ in groups[-1]):
            groups.append([])
        groups[-1].append((name, value))
    caption = "" if len(groups) > 1 else around if around and not said.has_sizes else text
    found: list[Found] = []
    for group in groups:
        rows = (("Metric", "Value"), *((name.text, value) for name, value in group))
        tables = score_tables.find(Grid(rows, (where,) * len(rows), caption))
        found += [Found(replace(one.report, title=""), lines) for one in tables]
    return found


@lru_cache(maxsize=64)
def _pairs(text: str) -> tuple[tuple[Name, str], ...]:
    """Return names of scores with their numbers: before them, behind them, or both in lists of the same length."""
    numbers = [
        _Word(match.start(), match.end(), None, match[0])
        for match in _VALUE.finditer(text)
        if not _IN_UNITS.match(text, match.end())
    ]
    words = sorted([*_names_in(text), *numbers]) if numbers else []
    pairs: list[tuple[Name, str]] = []
    at = 0
    while at < len(words):
        names = _run(text, words, at, named=True)
        numbers = _run(text, words, at + len(names), named=False) if names else []
        between = text[names[-1].end : numbers[0].start] if numbers else "?"
        if numbers and _FOLLOWS.fullmatch(between) and len(numbers) >= len(names):
            if not is_of_a_group(text, numbers[-1].end):
                pairs += [(word.name, number.text) for word, number in zip(names, numbers, strict=False) if word.name]
            at += len(names) + len(names)
        elif not names and (name := _behind(text, words, at)):
            pairs.append((name, words[at].text))
            at += 2
        else:
            at += max(len(names), 1)
    return tuple(pairs)


def _behind(text: str, words: Sequence[_Word], at: int) -> Name | None:
    """Return the score that a number before its name is of: "95% accuracy", unless a number of its own follows."""
    if at + 1 >= len(words) or not re.fullmatch(r" (?:in )?", text[words[at].end : words[at + 1].start]):
        return None
    follows = words[at + 2] if at + 2 < len(words) else None
    if follows is None or follows.name is not None:
        return words[at + 1].name
    between = text[words[at + 1].end : follows.start]
    # In "95% accuracy, 93% precision" a comma sets apart, and in "97% recall on a test set of 1,000" a count follows.
    own = _FOLLOWS.fullmatch(between) and "," not in between and not _COUNT.fullmatch(follows.text)
    return None if own else words[at + 1].name


def _run(text: str, words: Sequence[_Word], at: int, *, named: bool) -> list[_Word]:
    """Return names, or numbers, that follow each other with nothing but commas between them."""
    run: list[_Word] = []
    while at < len(words) and (words[at].name is not None) == named:
        if run and not _AND.fullmatch(text[run[-1].end : words[at].start]):
            break
        run.append(words[at])
        at += 1
    return run


def _names_in(text: str) -> Iterator[_Word]:
    words = [
        (match[0], match.start(), match.end())
        for match in re.finditer(r"[^\s,;:=()|]+(?:\s?\((?:macro|micro|weighted)[^()]*\))?", text)
    ]
    shown = {word for word, _, _ in words}
    short = {word for pair in SHORT_PAIRS if all(shown & names for names in pair) for names in pair for word in names}
    at = 0
    while at < len(words):
        if words[at][0] in short:
            yield _Word(words[at][1], words[at][2], read_name(words[at][0]), words[at][0])
            at += 1
            continue
        # What no long phrase names no part of it does.
        if not may_name(text[words[at][1] : words[min(at + 5, len(words)) - 1][2]]):
            at += 1
            continue
        for length in (5, 4, 3, 2, 1):
            phrase = text[words[at][1] : words[min(at + length, len(words)) - 1][2]]
            if at + length > len(words) or not may_name(phrase):
                continue
            name = read_name(phrase.strip("*`.\"'"), head=False)
            ends = {words[at][0].casefold(), words[min(at + length, len(words)) - 1][0].casefold()}
            plain = name.role == "score" and not name.label and not name.group and not ends & WORDS["links"]
            if plain and not re.search(r"[,;:=(]\s*\w", phrase.replace("(m", "").replace("(w", "")):
                before = text[max(0, words[at][1] - 25) : words[at][1]]
                if not _NOT_OURS.search(before.rpartition(",")[2]) and name.part not in ("train", "validation"):
                    yield _Word(words[at][1], words[at + length - 1][2], name, phrase)
                at += length
                break
        else:
            at += 1
