"""What stands together is about one table: a matrix, a report and scores beside each other become one report.

A matrix and a report are joined where they have as many classes and as many cases in each, or in all. Scores that are
listed beside one of them are its, unless they are of another part of the data, of one class, or contradict what it
prints itself. Those that a sentence says are kept near it, and only asked about. A heading ends what belongs together.
Anything else stays apart, and is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby, pairwise, takewhile
from pathlib import Path
from typing import Final, TypeAlias

from ..documents import blocks, open_document
from ..documents.blocks import Block, Grid, Lines, Place
from ..metrics import COUNTS, F1, PRECISION, RECALL
from . import cells, class_lines, class_reports, matrices, score_lines, statements
from .cells import LABEL, SUPPORT, Found
from .names import names_score, read_name
from .report import Nearby, Printed, Report
from .stated import Stated, stated
from .statements import Said
from .vocabulary import PARTS, WORDS, Part

Recogniser: TypeAlias = Callable[[Block], list[Found]]

#: How many blank lines may stand between things that belong together.
_FAR: Final = 5
_LONGEST: Final = 1000
#: How long the text above a table may be that is its caption, and how many lines below it the table may begin.
_LONGEST_CAPTION: Final = 300
_CAPTION_LINES: Final = 6
_NEAR: Final = 3
#: How many lines from a report its scores are looked for.
_REACH: Final = 60
#: How many lines are looked at together.
_MOST_LINES: Final = 20_000
_CODE: Final = re.compile(
    r"\w\(|[\w)\]]\s?=\s?[\w'\"(\[]|[{}\[\];]|>>>|^\s*(?:import|from|def|class|return)\s|->|^\s*\$ "
)
_DIGIT: Final = re.compile(r"\d")
#: How many lines above a matrix are about it.
_ABOVE: Final = 8
#: A sentence that says of scores that they are means, or that cases were scored in folds.
_OF_MEANS: Final = re.compile(r"\b(?:means?|averag\w*|cross[\s-]*validat\w*|CV)\b", re.IGNORECASE)
_NOT_TESTED: Final = ("train", "validation", "cross-validation")
#: Words that say that a line is the caption of a report or a matrix, and not the heading of a part.
_CAPTION: Final = frozenset({"report", "reports", "matrix", "rapport", "matriz", "matrice", "informe"})


@dataclass
class _Item:
    """Something of a document that matters here, in its order: a report, scores, a heading, or other text."""

    #: The block, and the row or line in it.
    at: tuple[int, int]
    report: Report | None = None
    scores: tuple[Said, ...] = ()
    title: str = ""
    #: Blank lines since the item before.
    gap: int = 0
    #: Whether it is text that keeps apart what stands around it.
    divides: bool = False
    #: The page or the cell of a notebook: scores of one are not those of another.
    part: tuple[int | str | None, ...] = ()
    #: Of data: the keys of what it stands in.
    inside: tuple[str, ...] | None = None
    #: The report whose scores these are, of a table that may have others.
    of: Report | None = None


def find_reports(document: str | Path, columns: Mapping[str, str] | None = None) -> list[Report]:
    """Return the reports in a text or a file, in their order; `columns` says what some columns are."""
    return reports_in(with_said(blocks(open_document(document)), columns or {}), [score_lines.find])


def with_said(found: Iterable[Block], columns: Mapping[str, str]) -> Iterator[Block]:
    """Walk blocks; tables know what somebody says about their columns."""
    for block in found:
        yield replace(block, said=columns) if columns and isinstance(block, Grid) else block


def reports_in(found: Iterable[Block], others: Sequence[Recogniser] = ()) -> list[Report]:
    """Return all reports in the blocks of a document in their order.

    `others` find other reports in what is left: tables without a classification report or a matrix, and lines that are
    not about one.
    """
    reports: list[Report] = []
    lone: list[Report] = []
    for group in _groups(map(_without_features, _mended(found))):
        reports += _reports_of(group, others)
        if others and not reports:
            texts = [block for block in group if isinstance(block, Lines)]
            lone += [one.report for block in texts for one in score_lines.find_sentences(block, set(), least=1)]
    return reports or lone


_FEATURE: Final = re.compile(r"F(\d+)")
_FEATURE_LINE: Final = re.compile(r"\s*F(\d+)\s*[\s:=|,]\s*([-−])?")
_BIN_WIDTH: Final = re.compile(r"(\s*)precision(?=\s)")


def _without_features(block: Block) -> Block:
    """Return a block with other names for features called F1, F2, F3, and for Weka's precision of an attribute."""
    if isinstance(block, Grid):
        sides = (*block.rows, *zip(*block.rows, strict=True))
        if not any(_are_features([match[1] for cell in side if (match := _FEATURE.fullmatch(cell))]) for side in sides):
            return block
        rows = tuple(tuple(_FEATURE.sub(r"feature \1", cell) for cell in row) for row in block.rows)
        return replace(block, rows=rows)
    texts = list(block.texts)
    matches = [_FEATURE_LINE.match(text) for text in texts]
    for start, stop in _runs_of([match is not None for match in matches]):
        run = [match for match in matches[start:stop] if match]
        if _are_features([match[1] for match in run]) or (len(run) > 1 and any(match[2] for match in run)):
            texts[start:stop] = [text.replace("F", "feature ", 1) for text in texts[start:stop]]
    for at in range(1, len(texts)):
        if texts[at - 1].strip().startswith("weight sum"):
            texts[at] = _BIN_WIDTH.sub(r"\1width", texts[at], count=1)
    return block if tuple(texts) == block.texts else replace(block, texts=tuple(texts))


def _are_features(numbers: Sequence[str]) -> bool:
    """Tell whether names F1, F2 and so on go on so far that they are no scores."""
    return len(set(numbers)) > 2 and max(map(int, numbers)) > 2


def _runs_of(marked: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Yield where marks follow each other: the first and the place after the last."""
    start = 0
    for mark, run in groupby(marked):
        end = start + len(list(run))
        if mark:
            yield start, end
        start = end


def _groups(found: Iterable[Block]) -> Iterator[list[Block]]:
    """Cut a document into what may belong together: sheets and files by themselves, a long text to hold less of it."""
    group: list[Block] = []
    size = 0
    for block in found:
        if group and (size > _MOST_LINES or block.places[0].sheet != group[-1].places[-1].sheet):
            yield group
            group, size = [], 0
        group.append(block)
        size += len(block.places)
    yield group


def _reports_of(blocks: Sequence[Block], others: Sequence[Recogniser]) -> list[Report]:
    items: list[_Item] = []
    left: dict[int, list[Found]] = {}
    for n, block in enumerate(blocks):
        found = class_reports.find(block)
        used = {at for one in found for at in one.rows}
        found += [one for one in matrices.find(block) if not used & set(one.rows)]
        used = {at for one in found for at in one.rows}
        if not found or isinstance(block, Lines):
            left[n] = [one for other in others for one in other(block) if not used & set(one.rows)]
        part = (block.places[0].cell, block.places[0].page)
        inside = block.inside if isinstance(block, Grid) else None
        items += (replace(item, part=part, inside=inside) for item in _items(n, block, found, left.get(n, ())))
    joined, taken = _joined(items)
    taken_from = [item.of for item in items if item.at in taken and item.of is not None]
    rows = {(n, at) for n, rest in left.items() for one in rest for at in one.rows}
    titles = [(item.at, item.title) for item in items if item.title and item.at not in rows]
    for n, rest in left.items():
        for one in rest:
            lines = isinstance(blocks[n], Lines)
            if not any((n, at) in taken for at in one.rows if lines) and not any(one.report is of for of in taken_from):
                at = (n, one.rows.start)
                title = next((title for place, title in reversed(titles) if place < at), "")
                joined.append((at, _titled(one.report, title)))
    return [_with_protocol(report, blocks, *at) for at, report in sorted(joined, key=lambda pair: pair[0])]


def _with_protocol(report: Report, blocks: Sequence[Block], n: int, row: int) -> Report:
    """Return a report with the folds or runs that the text above it says its scores are means over."""
    if report.matrix is None:
        known = report.folds or report.runs or report.means or not report.classes
        return report if known else class_reports.with_means(report, report.title)
    said = Stated()
    if report.scores:
        # The matrix may be that of all folds or runs.
        block, before = blocks[n], blocks[n - 1] if n else None
        lines = before.texts if isinstance(before, Lines) else ()
        lines = (report.title, *lines, *(block.texts[:row] if isinstance(block, Lines) else ()))[-_ABOVE:]
        told = (stated(line) for line in lines if len(line) < _LONGEST and _OF_MEANS.search(line))
        said = next((one for one in told if one.folds or one.runs), said)
    return replace(report, folds=said.folds, runs=said.runs)


def _mended(found: Iterable[Block]) -> Iterator[Block]:
    """Put together what a blank line or a sign cut apart: lines that follow each other, heads and their rows."""
    last: Block | None = None
    for block in found:
        if isinstance(block, Lines) and isinstance(last, Lines) and _follows(last.places[-1], block.places[0], 1):
            last = Lines((*last.texts, *block.texts), (*last.places, *block.places))
        elif isinstance(block, Grid) and isinstance(last, Grid) and _continues(last, block):
            width = max(len(last.rows[0]), len(block.rows[0]))
            rows = tuple((*row, *("",) * (width - len(row))) for row in (*last.rows, *block.rows))
            last = replace(last, rows=rows, places=(*last.places, *block.places))
        elif isinstance(block, Grid) and isinstance(last, Lines) and (heads := _heads_before(last, block)):
            if len(last.texts) > 1:
                yield Lines(last.texts[:-1], last.places[:-1])
            last = replace(block, rows=(heads, *block.rows), places=(last.places[-1], *block.places))
        else:
            if last is not None:
                yield last
            last = _captioned(block, last)
    if last is not None:
        yield last


def _captioned(block: Block, last: Block | None) -> Block:
    """Give a grid the text before it as its caption where this says what it is or on which cases it was found."""
    if isinstance(block, Lines) or block.caption or not isinstance(last, Lines):
        return block
    if not _follows(last.places[-1], block.places[0], _FAR):
        return block
    if _is_generic(last.texts[-1]):
        return replace(block, caption=last.texts[-1].strip())
    above = [text.strip() for text in takewhile(str.strip, reversed(last.texts[-_CAPTION_LINES:]))]
    text = " ".join(reversed(above))
    near = _follows(last.places[-1], block.places[0], _NEAR) and len(text) <= _LONGEST_CAPTION
    return replace(block, caption=text) if near and stated(text) != Stated() else block


def _follows(first: Place, second: Place, lines: int) -> bool:
    """Tell whether a place is at most so many lines after another."""
    same = first._replace(line=None) == second._replace(line=None)
    return same and first.line is not None and second.line is not None and 0 < second.line - first.line <= lines


def _continues(first: Grid, second: Grid) -> bool:
    """Tell whether rows of averages stand apart from the rows of their classes."""
    names = [row[0] for row in second.rows]
    summary = all(cells.average(name) or cells.is_accuracy(name) for name in names)
    return summary and class_lines.has_heads(first) and _follows(first.places[-1], second.places[0], _FAR)


def _heads_before(lines: Lines, grid: Grid) -> tuple[str, ...] | None:
    """Return the last of some lines as heads of the rows that follow it."""
    texts = tuple(text.strip() for text in lines.texts[-1].split("\t"))
    fits = len(texts) == len(grid.rows[0]) and _follows(lines.places[-1], grid.places[0], _FAR)
    return texts if fits and class_lines.are_heads(texts) and not class_lines.has_heads(grid) else None


def _items(n: int, block: Block, found: Sequence[Found], others: Sequence[Found]) -> Iterator[_Item]:
    if isinstance(block, Lines):
        yield from _lines(n, block, sorted(found, key=lambda one: one.rows.start))
    elif found:
        yield from (_Item((n, one.rows.start), one.report) for one in found)
    elif len(tested := [one for one in others if not _is_of_other_cases(one.report.title)]) == 1 and (
        _is_list_of_scores(report := tested[0].report) or (len(others) == 1 and _is_object(block, report))
    ):
        # Which part of the data all names of scores in a table are of.
        parts = {read_name(cell).part for row in block.rows for cell in row if names_score(cell)}
        part = _part(report.title) or (parts.pop() if len(parts) == 1 else "")
        # A mean over runs is not of the table beside it.
        scores = tuple(Said(name, text, part) for name, text in report.scores.items() if "±" not in text)
        yield _Item((n, tested[0].rows.start), scores=scores, divides=not scores, of=report)
    else:
        yield _Item((n, 0), divides=True)


def _is_list_of_scores(report: Report) -> bool:
    """Tell whether a table is nothing but scores and their values, which may be those of a matrix beside it."""
    sizes = (report.total, report.positives, report.negatives, report.folds)
    title = " ".join(word for word in _words(report.title) if word not in PARTS)
    return report.kind == "scores" and not report.classes and sizes == (None,) * 4 and _is_generic(title)


def _is_object(block: Grid, report: Report) -> bool:
    """Tell whether scores are the values of one object of data, whatever else this says: its matrix is theirs."""
    means = report.folds or report.runs or report.means
    return block.inside is not None and len(block.rows[0]) == 2 and report.kind == "scores" and not means


def _is_of_other_cases(title: str) -> bool:
    """Tell whether a name says that scores are not those of the test set, or of another model."""
    return _part(title) in _NOT_TESTED or "baseline" in _words(title)


def _lines(n: int, block: Lines, found: Sequence[Found]) -> Iterator[_Item]:
    texts = tuple(class_lines.unwrapped(block.texts))
    # Beyond the ends of the block, too, a report may be.
    ends = (0, len(texts), *(end for one in found for end in (one.rows.start, one.rows.stop)))
    at, gap = 0, 0
    waiting = list(found)
    while at < len(texts):
        here = [one for one in waiting if one.rows.start <= at]
        if here:
            yield from (_Item((n, one.rows.start), one.report, gap=gap) for one in here)
            waiting = waiting[len(here) :]
            at, gap = max(at, *(one.rows.stop for one in here)), 0
            continue
        if texts[at].strip():
            is_near = any(abs(at - end) < _REACH for end in ends)
            yield replace(_line(texts, at, is_near), at=(n, at), gap=gap)
            gap = 0
        else:
            gap += 1
        at += 1


def _line(texts: Sequence[str], at: int, is_near: bool) -> _Item:
    """Return a line of text as scores or a heading; scores are only looked for near a report."""
    text = re.sub(r"^\s*(?:#{1,6}|//+|>+|\*)(?=\s)", "", texts[at]).strip()
    if is_near and len(text) < _LONGEST and _DIGIT.search(text) and (scores := statements.said_in(texts[at])):
        return _Item((0, 0), scores=tuple(scores))
    listed = statements.is_list(texts[at]) or _is_generic(text)
    title = _title(texts, at, listed=listed)
    return _Item((0, 0), title=title, divides=not (title or listed))


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def _is_generic(text: str) -> bool:
    """Tell whether a line says what stands below it, and not of what."""
    return not _subject(text)


def _subject(text: str) -> tuple[str, ...]:
    """Return the words of a heading that say of what it is."""
    words = tuple(word for word in _words(text) if word not in WORDS["generic"])
    return () if all(word.isdigit() for word in words) else words


def _title(texts: Sequence[str], at: int, *, listed: bool = False) -> str:
    """Return a line as a heading; empty where it is none."""
    line = texts[at].strip()
    text = cells.plain(line.strip("#=-*~_<>| ")).strip(" :=-*#")
    if not text or len(text) > 100 or len(text.split()) > 12 or text.endswith((".", ",", ";")):
        return ""
    marked = line.startswith(("#", "=", "**", "---")) or line.endswith(":")
    if _CODE.search(line) or (not marked and _is_within_sentences(texts, at)):
        return ""
    if listed:
        named = _NAMED.fullmatch(text)
        return named[1] if named else text if _NUMBERED.match(text) else ""
    under = at + 1 < len(texts) and bool(re.fullmatch(r"\s*[=\-~^*]{3,}\s*", texts[at + 1]))
    short = len(text.split()) <= 6
    return _REPORT_OF.sub("", text) if marked or under or short else ""


_NAMED: Final = re.compile(
    r"(?:model|classifier|method|algorithm|dataset|experiment)\s*(?:name)?\s*[:=]\s*(.+)", re.IGNORECASE
)
_NUMBERED: Final = re.compile(r"(?:table|tab\.?|figure|fig\.?)\s+\w", re.IGNORECASE)
_REPORT_OF: Final = re.compile(
    r"^(?:classification|evaluation)?\s*(?:report|results?)\s+(?:for|of)\s+(?:the\s+)?", re.IGNORECASE
)


def _is_within_sentences(texts: Sequence[str], at: int) -> bool:
    """Tell whether a short line is none by itself: narrow columns cut sentences into such lines."""
    line, before, after = (texts[n].strip() if 0 <= n < len(texts) else "" for n in (at, at - 1, at + 1))
    goes_on = line[:1].islower() and bool(before) and before[-1] not in ".:!?" and len(before.split()) > 2
    is_cut = after[:1].islower() and len(after.split()) > 2 and len(line.split()) > 3
    return goes_on or is_cut or bool(re.search(r"[a-z]{2}[.?!]\s+[A-Z]", line))


#: A report and where it stands.
_Placed: TypeAlias = tuple[tuple[int, int], Report]


def _joined(items: Sequence[_Item]) -> tuple[list[_Placed], set[tuple[int, int]]]:
    """Join what belongs together, section by section; return the places of the scores that were taken, too."""
    reports: list[_Placed] = []
    taken: set[tuple[int, int]] = set()
    section: list[_Item] = []
    title, gap = "", 0
    for item in items:
        if not item.title:
            # A heading that says nothing leaves its distance to what stands below it.
            section.append(replace(item, gap=max(item.gap, gap)))
            gap = 0
            continue
        begun = any(one.report for one in section)
        if begun and _subject(item.title) == _subject(title):
            gap = max(gap, item.gap)
            continue
        if begun:
            reports += _section(section, title, taken)
        if begun or not _CAPTION & {*_words(item.title)}:
            # Scores above the first heading are about something else.
            section = []
        title, gap = item.title, 0
    return reports + _section(section, title, taken), taken


def _section(items: Sequence[_Item], title: str, taken: set[tuple[int, int]]) -> list[_Placed]:
    """Return the reports under one heading: pairs joined, scores put to what they stand beside."""
    places = [n for n, item in enumerate(items) if item.report is not None]
    if not places:
        return []
    reports = {n: report for n in places if (report := items[n].report) is not None}
    for group, target in _lists(items, _owners(items, places)):
        of_data = items[group[0]].of is not None
        said = _of_this(reports[target], title, [each for n in group for each in items[n].scores], strict=of_data)
        bound = _bound(reports[target], said, "above" if group[0] < target else "below")
        if bound is not None:
            reports[target] = bound
            used = [n for n in group if items[n].scores[0].listed and (items[n].of is None or said)]
            taken |= {items[n].at for n in used}
    near = [_distance(items, first, second) is not None for first, second in pairwise(places)]
    apart = [not _in_one_object(items[first].inside, items[second].inside) for first, second in pairwise(places)]
    joined = _paired([reports[n] for n in places], [*near, False], [*apart, True])
    # Some cells of a table alone say nothing.
    return [
        (items[places[n]].at, _titled(report, title))
        for n, report in joined
        if report.kind != "scores" or report.classes or not {*report.scores} < {*COUNTS}
    ]


def _lists(items: Sequence[_Item], owners: Mapping[int, int]) -> list[tuple[list[int], int]]:
    """Return the lines of scores that stand together, with the report that they may belong to; the nearest first."""
    groups: list[tuple[list[int], int]] = []
    for n in sorted(owners):
        group, target = groups[-1] if groups else ([], None)
        goes_on = n - 1 in group and items[n].gap == 0 and owners[n] == target
        if goes_on and items[n].scores[0].listed == items[n - 1].scores[0].listed:
            group.append(n)
        else:
            groups.append(([n], owners[n]))
    return sorted(groups, key=lambda pair: min(abs(n - pair[1]) for n in pair[0]))


def _of_this(report: Report, title: str, said: Sequence[Said], *, strict: bool = False) -> list[Said]:
    """Leave out scores of another part of the data than the report's, and of one of its classes.

    Where it is `strict`, what says no part is of the test set.
    """
    own = _part(f"{title} {report.title}")
    labels = {label.casefold() for label in (*report.labels, *(row[LABEL] for row in report.classes))}
    names = [re.compile(rf"(?<!\w){re.escape(label)}(?!\w)") for label in labels if re.search(r"[^\W\d]{2}", label)]
    parted = [each for each in said if each.part in (own, "") or not (own or (strict and each.part in _NOT_TESTED))]
    return [each for each in parted if each.listed or not any(name.search(each.line.casefold()) for name in names)]


def _part(title: str) -> Part:
    """Return which part of the data a heading names; none where it names several."""
    parts = {PARTS[word] for word in _words(title) if word in PARTS}
    return parts.pop() if len(parts) == 1 else ""


def _bound(report: Report, said: Sequence[Said], where: str) -> Report | None:
    """Return a report with the scores that are listed beside it; None where they are not its.

    A list that gives another value for a score that the report has already is about something else. What a sentence
    says is noted only.
    """
    listed = [(each.name, each.text) for each in said if each.listed]
    told = tuple(Nearby(each.name, each.text, where) for each in said if not each.listed)
    others = [name for name, text in listed if not _alike(report.scores.get(name, text), text)]
    if others:
        return None
    return replace(_with_scores(report, listed), nearby=(*report.nearby, *told))


def _alike(first: str, second: str) -> bool:
    """Tell whether two texts may print one number, one of them with fewer digits."""
    one, other, *units = cells.exact(first), cells.exact(second), cells.unit(first), cells.unit(second)
    known = [unit for unit in units if unit is not None]
    return first == second or (one is not None and other is not None and abs(one - other) <= max(known) / 2)


def _titled(report: Report, title: str) -> Report:
    # "Model 3" is a name, in words that by themselves are none; so is what stands before a row of a table.
    generic = _is_generic(report.title) and not _DIGIT.search(report.title)
    own = "" if generic and (report.table is None or len(report.title) > 1) else report.title
    return replace(report, title=own or title) if report.title != (own or title) else report


def _owners(items: Sequence[_Item], places: Sequence[int]) -> dict[int, int]:
    """Return which report each line of scores belongs to; lines that belong to none are left out."""
    owners: dict[int, int] = {}
    leads = any(item.scores for item in items[: places[0]])
    for n, item in enumerate(items):
        if not item.scores:
            continue
        near = [n for n in places if items[n].part == item.part and _in_one_object(items[n].inside, item.inside)]
        beside = [*[place for place in near if place < n][-1:], *[place for place in near if place > n][:1]]
        far = [(_distance(items, *sorted((place, n))), place) for place in beside]
        choices = [(lines, place) for lines, place in far if lines is not None and lines <= _FAR]
        if len(choices) == 2 and choices[0][0] == choices[1][0]:
            owners[n] = choices[leads][1]
        elif choices:
            owners[n] = min(choices)[1]
    return owners


def _in_one_object(one: tuple[str, ...] | None, other: tuple[str, ...] | None) -> bool:
    """Tell whether the keys of what two things stand in do not set them apart: only general words, as of metrics."""
    if one is None or other is None:
        return True
    shared = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))))
    words = [word for key in (*one[shared:], *other[shared:]) for word in _words(key) if PARTS.get(word) != "test"]
    return _is_generic(" ".join(words)) and not any(map(str.isdigit, words))


def _distance(items: Sequence[_Item], start: int, end: int) -> int | None:
    """Return the most blank lines in one place between two items; None where other text is."""
    between = items[start + 1 : end + 1]
    if any(item.divides for item in between[:-1]):
        return None
    return max(item.gap for item in between)


def _with_scores(report: Report, scores: Iterable[tuple[str, str]]) -> Report:
    kept, ignored = dict(report.scores), list(report.ignored)
    for name, text in scores:
        if kept.setdefault(name, text) != text:
            ignored.append(f"{name} {text}: {kept[name]} stands there too")
    return replace(report, scores=kept, ignored=tuple(ignored))


def _paired(reports: Sequence[Report], near: Sequence[bool], apart: Sequence[bool]) -> list[tuple[int, Report]]:
    """Join matrices and classification reports that follow each other, each with the place of the first.

    `near` tells where nothing stands between one and the next, `apart` where they are of different objects of data.
    """
    result: list[tuple[int, Report]] = []
    at = 0
    while at < len(reports):
        first, *others = reports[at : at + 3]
        joined = _join(first, others[0], near[at]) if others and not apart[at] else None
        if joined and not (others[1:] and _is_of_next(first, *others)):
            result.append((at, joined))
            at += 2
            continue
        if others and not joined and _kinds(first, others[0]):
            words = f"the {others[0].kind} beside it: it has other classes or another number of cases"
            first = replace(first, ignored=(*first.ignored, words))
        result.append((at, first))
        at += 1
    return result


def _is_of_next(first: Report, second: Report, third: Report) -> bool:
    """Tell whether the second of three reports agrees with the third, and not with the first.

    Models that are tested on the same cases print the same sizes, so that sizes alone do not tell whose a matrix is.
    """
    later, here = _join(second, third), _join(first, second)
    return later is not None and here is not None and _agrees(later) and not _agrees(here)


def _kinds(first: Report, second: Report) -> bool:
    """Tell whether one is a matrix and the other a classification report without one."""
    kinds = {first.kind, second.kind}
    return kinds == {"matrix", "classification report"} and None in (first.matrix, second.matrix)


def _join(first: Report, second: Report, near: bool = False) -> Report | None:
    """Return a matrix and a classification report as one; None where they are not about the same cases.

    Where nothing stands between them the same number of cases in all is enough.
    """
    if not _kinds(first, second):
        return None
    matrix, report = (first, second) if first.kind == "matrix" else (second, first)
    rows = matrix.matrix
    if rows is None or len(rows) != len(report.classes) or not report.complete:
        return None
    supports = [cells.count(row.get(SUPPORT, "")) for row in report.classes]
    order = _order(matrix.labels, [row[LABEL] for row in report.classes])
    assumed = matrix.assumed
    if None not in supports:
        sizes = [size for size in supports if size is not None]
        labelled = order
        rows, order, turned = _matched(matrix, report, order, sizes, near)
        if order is None:
            return None
        if turned:
            assumed = ("the rows of the matrix are taken as the predicted classes: their sums say so",)
        if labelled not in (None, order):
            assumed = (*assumed, "the classes of the matrix are taken in the order of their scores, not of its labels")
    elif report.total not in (None, sum(map(sum, rows))):
        return None
    elif order is None and (places := _assigned(rows, report.classes, supports)) and places[1]:
        order = places[0]
    if order is not None and order != list(range(len(rows))):
        rows = tuple(tuple(rows[n][m] for m in order) for n in order)
    labels = tuple(row[LABEL] for row in report.classes)
    if order is None and not _agrees(replace(report, matrix=rows)):
        # Neither sizes nor labels say that they belong together.
        return None
    merged = _with_scores(report, matrix.scores.items())
    return replace(
        merged,
        where=first.where,
        title=first.title or second.title,
        matrix=rows,
        matrix_rows_printed=matrix.matrix_rows_printed,
        labels=labels,
        positive=matrix.positive if matrix.positive in labels else report.positive,
        total=report.total if report.total is not None else matrix.total,
        ignored=(*merged.ignored, *matrix.ignored),
        assumed=(*report.assumed, *assumed),
    )


def _order(labels: Sequence[str], wanted: Sequence[str]) -> list[int] | None:
    """Return where the classes of a report are among the labels of a matrix; None where labels do not say."""
    plain = [label.casefold().strip() for label in labels]
    names = [label.casefold().strip() for label in wanted]
    if sorted(plain) != sorted(names) or len(set(plain)) < len(plain):
        return None
    return [plain.index(name) for name in names]


def _matched(
    matrix: Report, report: Report, order: list[int] | None, sizes: Sequence[int], near: bool
) -> tuple[matrices.Rows, list[int] | None, bool]:
    """Return the matrix as its sums fit the sizes of the classes, the order of its classes, and whether it was turned.

    The order is None where nothing fits. Where no labels say it, it is one in which as many classes as can be have
    their scores: if some class has not, it has not in any order that the sizes allow. A list of labels beside a matrix
    that says nothing of its sides may be in another order than the matrix, where all scores fit then.
    """
    rows = matrix.matrix
    assert rows is not None
    given = list(range(len(rows)))
    ways = [(rows, False)]
    if matrix.matrix_rows_printed is None:
        ways.append((tuple(zip(*rows, strict=True)), True))
    fitting: list[tuple[matrices.Rows, list[int], bool, bool]] = []
    for way, is_turned in ways:
        found = _assigned(way, report.classes, sizes)
        if order is not None and [sum(way[n]) for n in order] == list(sizes):
            fitting.append((way, order, is_turned, _have_scores(way, order, report.classes)))
        if found and (found[1] or (order is None and (near or found[0] == given))):
            # Scores of another model are not those of the matrix because its classes are as large.
            fitting += [(way, *found[:1], is_turned, found[1])] if order is None or len(ways) > 1 else []
    if fitting:
        way, places, is_turned, _ = next((one for one in fitting if one[3]), fitting[0])
        return way, places, is_turned
    total = near and sum(map(sum, rows)) == sum(sizes)
    return rows, (order or given) if total else None, False


def _assigned(
    rows: matrices.Rows, classes: Sequence[Printed], sizes: Sequence[int | None]
) -> tuple[list[int], bool] | None:
    """Return which class of a matrix each row of a report is, and whether all rows have their scores then.

    Scores and sizes of one class do not depend on the order of the others, so each pair is looked at by itself. None
    where the sizes allow no order; a size that is not printed allows any.
    """
    columns = tuple(zip(*rows, strict=True))
    every = range(len(rows))
    allowed = [[m for m in every if size in (None, sum(rows[m]))] for size in sizes]
    # What is printed may be rounded, or cut off.
    for slack in (Fraction(1, 2), Fraction(1)):
        fits = [
            [m for m in places if _has_scores(row, rows[m][m], sum(rows[m]), sum(columns[m]), slack)]
            for row, places in zip(classes, allowed, strict=True)
        ]
        whole = _each_once(fits)
        if None not in whole:
            return [place for place in whole if place is not None], True
    best = _each_once(allowed, whole)
    return None if None in best else ([place for place in best if place is not None], False)


def _each_once(choices: Sequence[Sequence[int]], start: Sequence[int | None] = ()) -> list[int | None]:
    """Give as many as can be a choice of their own, their own place first; None to those that are left over."""
    taken: dict[int, int] = {place: n for n, place in enumerate(start) if place is not None}

    def give(n: int, seen: set[int]) -> bool:
        for place in sorted(choices[n], key=lambda place: (place in taken, place != n)):
            if place not in seen:
                seen.add(place)
                if place not in taken or give(taken[place], seen):
                    taken[place] = n
                    return True
        return False

    for n in range(len(choices)):
        if n not in taken.values():
            give(n, set())
    given = {n: place for place, n in taken.items()}
    return [given.get(n) for n in range(len(choices))]


def _has_scores(row: Printed, hits: int, actual: int, predicted: int, slack: Fraction) -> bool:
    """Tell whether a class with so many cases has the precision, recall and F1 of a row, up to so much of a last digit.

    What is undefined may be printed as anything.
    """
    for name, top, whole in (
        (RECALL.id, hits, actual),
        (PRECISION.id, hits, predicted),
        (F1.id, 2 * hits, actual + predicted),
    ):
        printed, unit = cells.exact(row.get(name, "")), cells.unit(row.get(name, ""))
        if whole and printed is not None and unit and abs(Fraction(top, whole) - printed) > slack * unit:
            return False
    return True


def _have_scores(rows: matrices.Rows, order: Sequence[int], classes: Sequence[Printed]) -> bool:
    """Tell whether the classes of a matrix have the scores of a report in some order, as they are rounded."""
    columns = tuple(zip(*rows, strict=True))
    return all(
        _has_scores(row, rows[n][n], sum(rows[n]), sum(columns[n]), Fraction(3, 5))
        for n, row in zip(order, classes, strict=True)
    )


def _agrees(report: Report) -> bool:
    """Tell whether a joined report's scores can be those of its matrix."""
    assert report.matrix is not None
    return _have_scores(report.matrix, range(len(report.classes)), report.classes)
