"""What `recover` found about several classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ..claims import Claim, ClassBounds, ClassCells, ClassClaim, ClassRecovery, ClassRepair, Implied
from ..document import Block, Cell, Chart, Column, Document, Grid, Heading, Items, Notes, Place, Sentence
from ..metrics import OF_EACH_CLASS
from ..words import count_of, listed, span
from .any_result import document, label_of
from .claims import (
    alone_words,
    implied_words,
    other_readings,
    repair_blocks,
    undecided_readings,
)
from .verdicts import MOST_LISTED, checked, checked_line, cited, contradiction, only_if, printed_scores

_MOST_CLASSES: Final = 30
# A terminal has room for a table of so many classes, and for three scores beside the margins of a class.
_MOST_ACROSS: Final = 6
_BESIDE: Final = OF_EACH_CLASS[:3]
_MOST_NAMED: Final = 6
_MARGINS: Final = (Column("class", "text"), *(Column(name, "count") for name in ("cases", "right", "predicted")))


@document.register
def _(result: ClassRecovery) -> Document:
    words = _verdict(result)
    return checked(result.verdict, words, _blocks(result, words), _cited(result))


def _cited(result: ClassRecovery) -> str:
    claim, printed = result.claim, printed_scores(result.claim.scores)
    scores = list(printed)
    if len(scores) > MOST_LISTED:
        # What cannot be is named; what can be is counted.
        scores = [f"the report with its {len(scores)} scores"]
        if result.verdict == "impossible" and result.blame:
            scores = [
                words for words, claimed in zip(printed, claim.scores, strict=True) if claimed.name in result.blame[0]
            ]
    sizes = f"classes of {listed([f'{size} {label}' for label, size in claim.named_sizes.items()])} cases"
    if len(claim.labels) > _MOST_NAMED:
        sizes = _all_cases(claim)
    return cited(f"With {sizes}", scores, result.verdict, result.reading)


def _verdict(result: ClassRecovery) -> str:
    if result.verdict == "impossible":
        alone = {each.name: alone_words(_of_class(result, each), each) for each in result.implied if not each.others}
        sets = [contradiction(names, sure=False) + alone.get("".join(names), "") for names in result.blame]
        return f"impossible: {'; '.join(sets)}."
    if result.verdict == "undecided":
        spent = "the budget was spent before an answer was certain"
        return f"undecided: {undecided_readings(result.readings) or spent}."
    fitting = f"{count_of(result.count, 'set')} of margins {'fits' if result.count == 1 else 'fit'}"
    possible = only_if(result.reading) if result.verdict == "conditional" else "possible"
    stopped = "" if result.complete else "; the budget was spent before all were tried"
    return f"{possible}: {fitting if result.counted else f'at least {fitting}'}{stopped}."


def _all_cases(claim: ClassClaim) -> str:
    cases = f"{claim.total} cases of " if claim.total.high is not None else ""
    return f"{cases}{len(claim.labels)} classes"


def _of_class(result: ClassRecovery, implied: Implied) -> Claim:
    """Return what is claimed of the class that something is implied about."""
    claims = map(result.claim.of_class, range(len(result.claim.labels)))
    return next(claim for claim in claims if claim and implied.name in [each.name for each in claim.scores])


def short_class_verdict(result: ClassRecovery) -> str:
    """Say in a few words whether tables of several classes fit, as the headline of a picture."""
    if result.verdict == "impossible":
        return "No table fits"
    if not result.count:
        return "Undecided: the budget was spent"
    words = f"{count_of(result.count, 'set')} of margins {'fits' if result.count == 1 else 'fit'}"
    return words if result.counted else f"At least {words}"


def _blocks(result: ClassRecovery, words: str) -> Iterator[Block]:
    yield Sentence(words, strong=True, place="terminal")
    if result.count:
        yield from _drawn_table(result)
    claim = result.claim
    assumed = f"one test set, {'several labels' if claim.multilabel else 'one class'} for each case"
    if result.departures:
        assumed = f"that {result.reading}"
    yield Sentence(checked_line(printed_scores(claim.scores), _all_cases(claim), assumed), place="page")
    yield Items([implied_words(_of_class(result, each), each) for each in result.implied if each.others])
    yield from other_readings(result.readings)
    yield from repair_blocks([_repair(repair) for repair in result.repairs])
    if result.count:
        yield Heading("Each class", place="page")
        yield from _each_class(result)
        yield Heading("Scores of all classes", place="page")
        yield from _of_all_classes(result)
        yield from _table(result)
    yield Heading("What was reported", place="page")
    yield _claims(result.claim)
    yield Notes(result.notes)


def _repair(repair: ClassRepair) -> str:
    fitting = f"{count_of(repair.count, 'set')} of margins {'fits' if repair.count == 1 else 'fit'}"
    return f"{repair.change}: then {fitting if repair.counted else f'at least {fitting}'}"


def _claims(claim: ClassClaim) -> Grid:
    columns = [Column("reported as", "text"), Column("score", "text"), Column("printed", "printed")]
    rows = [[claimed.name, claimed.score.label, claimed.reported.text] for claimed in claim.scores]
    return Grid("What was reported", columns, rows, place="page")


def _each_class(result: ClassRecovery) -> Iterator[Block]:
    """Show a row a class: its margins over all that fit where they are known, and the bounds of its scores."""
    names = list(dict.fromkeys(name.partition("[")[0] for name in result.shown_bounds if "[" in name))
    claimed = {each.score.name.partition("[")[0] for each in result.claim.scores if each.score.place is not None}
    beside = [name for name in names if name in _BESIDE or name in claimed] or names
    if beside != names:
        yield _class_grid(result, beside, place="terminal")
    if names or result.listed:
        yield _class_grid(result, names, place="everywhere" if beside == names else "page")
    if not result.listed and (not names or len(result.claim.labels) > _MOST_ACROSS):
        (margins,) = result.margins(1)
        yield Heading("One set of margins that fits")
        yield _shortened("One set of margins that fits", _MARGINS, [list(each) for each in margins])


def _class_grid(result: ClassRecovery, names: Sequence[str], *, place: Place = "everywhere") -> Grid:
    columns = [_MARGINS[0], *(Column(label_of(name), "printed") for name in names)]
    # Of so many cases each has a value of its own in three digits.
    digits = 3 if max(each.size[1] for each in result.ranges) <= 1000 else 4
    known, printed = result.shown_bounds, {claimed.score.name for claimed in result.claim.scores}
    rows: list[list[Any]] = []
    for each in result.ranges:
        own = [f"{name}[{each.label}]" for name in names]
        bounds = [Cell(_ends(known.get(name), digits), marked=name in printed) for name in own]
        rows.append([each.label, *(_count_span(*ends) for ends in each[1:]), *bounds])
    if result.listed:
        columns[1:1] = _MARGINS[1:]
    else:
        columns.insert(1, _MARGINS[1])
        rows = [[row[0], str(size), *row[4:]] for row, size in zip(rows, result.claim.sizes, strict=True)]
    return _shortened("Each class, over all margins that fit", columns, rows, place=place)


def _ends(ends: ClassBounds | None, digits: int) -> str:
    if ends is None:
        return ""
    return span(ends.low, ends.high, digits) + ("*" if _open_ends(ends) else "")


def _shortened(
    caption: str, columns: Sequence[Column], rows: Sequence[Sequence[Any]], *, place: Place = "everywhere"
) -> Grid:
    left_out = max(0, len(rows) - _MOST_CLASSES)
    return Grid(caption, columns, rows[:_MOST_CLASSES], left_out=left_out, place=place)


def _of_all_classes(result: ClassRecovery) -> Iterator[Block]:
    printed = {claimed.score.name for claimed in result.claim.scores}
    columns = [Column("score", "text"), Column("at least"), Column("at most"), Column("", "text")]
    rows = [
        _bounds_row(name, ends, marked=name in printed) for name, ends in result.shown_bounds.items() if "[" not in name
    ]
    if rows:
        yield Grid("Bounds of the scores of all classes", columns, rows)
    if any(_open_ends(ends) for ends in result.shown_bounds.values()):
        yield Sentence("* No value lies beyond, but it is not proven that both ends are attained.", quiet=True)


def _open_ends(ends: ClassBounds) -> list[str]:
    return [side for side, sharp in (("least", ends.low_sharp), ("most", ends.high_sharp)) if not sharp]


def _bounds_row(name: str, ends: ClassBounds, *, marked: bool) -> list[Any]:
    shown = Cell(label_of(name), marked=marked)
    if ends.low is None or ends.high is None:
        return [shown, None, None, "undefined"]
    return [shown, ends.low, ends.high, f"* {listed(_open_ends(ends))}" if _open_ends(ends) else ""]


def _drawn_table(result: ClassRecovery) -> Iterator[Block]:
    """Draw the least and the largest count of each cell, where all margins are known."""
    if result.shown_cells is not None:
        open_ends = "; no table goes beyond, but it is not proven that all ends are attained"
        words = "" if result.shown_cells.sharp else open_ends
        yield Chart("feasible", f"The least and the largest count of each cell{words}.")


def _table(result: ClassRecovery) -> Iterator[Block]:
    """Show the least and the largest count of each cell where all margins are known, and a table that fits."""
    cells, matrix, classes = result.shown_cells, result.matrix(), len(result.claim.labels)
    wide = classes > _MOST_ACROSS
    place: Place = "page" if wide else "everywhere"
    if wide:
        words = f"The {classes}-by-{classes} table is not shown here; the JSON of this answer has it."
        yield Sentence(words, quiet=True, place="terminal")
    if cells is not None:
        yield Heading("Each cell, over all tables that fit", place=place if cells.sharp else "page")
    if cells is not None and cells.sharp:
        if result.verdict == "unique":
            yield Sentence(_cells_words(cells), place=place)
        rows = [list(map(_count_span, *ends)) for ends in zip(cells.low, cells.high, strict=True)]
        yield _square(result, "Each cell, over all tables that fit", rows, place=place)
        place = "page"
    if matrix is not None and classes <= _MOST_CLASSES and not (cells and _is_one(cells)):
        yield Heading("One table that fits", place=place)
        yield _square(result, "One table that fits", matrix.tolist(), place=place)


def _count_span(low: int, high: int) -> str:
    return span(low, high, 0)


def _square(result: ClassRecovery, caption: str, rows: Sequence[Sequence[Any]], *, place: Place) -> Grid:
    labels = result.claim.labels
    heads = [Column("actual", "text"), *(Column(f"as {label}", "count") for label in labels)]
    return Grid(caption, heads, [[label, *row] for label, row in zip(labels, rows, strict=True)], place=place)


def _is_one(cells: ClassCells) -> bool:
    return all(map(all, cells.determined))


def _cells_words(cells: ClassCells) -> str:
    """Say which cells unique margins determine."""
    if _is_one(cells):
        return "The margins are unique, and so is the table."
    single = [
        f"{actual} as {predicted}"
        for actual, row in zip(cells.labels, cells.determined, strict=True)
        for predicted, is_single in zip(cells.labels, row, strict=True)
        if is_single and actual != predicted
    ]
    words = "The margins are unique, the table is not. Determined are the right cases of each class"
    others = len(cells.labels) * (len(cells.labels) - 1)
    if not single:
        return f"{words} and no other cell."
    named = listed(single) if len(single) <= _MOST_NAMED else f"{len(single)} of {others} other cells"
    return f"{words}, and {named}."
