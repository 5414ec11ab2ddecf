"""A confusion matrix and the scores printed beside it: those that it does not give are found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

import numpy as np

from ..claims import Departure
from ..claims.claim import Size
from ..claims.classes import ClaimedClassScore, ClassScore, ReadClasses, read_class_score
from ..claims.readings import UNDEFINED
from ..errors import FourfoldError
from ..exact.reported import Reported
from ..metrics import AVERAGES, KAPPA, STRICT
from ..shape import Record
from ..table import Matrix
from ..words import listed

Counts: TypeAlias = Sequence[Sequence[int]]

_TRANSPOSED: Final = Departure("matrix_transposed", "the rows of the matrix are the predicted classes")
_SINGLE: Final = Departure("single_precision", "the scores were computed inexactly, as in 32-bit floats")
_CUT_OFF: Final = Departure("cut_off", "numbers were cut off, not rounded")
#: Weighted kappas, by the power of how far classes are apart.
_WEIGHTED: Final = {
    1: Departure("weighted_kappa", "kappa is weighted by how far classes are apart"),
    2: Departure("weighted_kappa", "kappa is weighted by how far classes are apart, squared"),
}


@dataclass(frozen=True)
class WrongScore(Record):
    """A score that the matrix beside it does not give."""

    name: Annotated[str, "The score."]
    printed: Annotated[str, "What is printed."]
    given: Annotated[float | None, "What the matrix gives; null where that is undefined."]


class Comparison(NamedTuple):
    """What a matrix says about scores: under which reading the fewest are wrong, and which those are."""

    departures: tuple[Departure, ...]
    wrong: tuple[WrongScore, ...] = ()
    #: All readings that were tried, in order.
    tried: tuple[tuple[Departure, ...], ...] = ()
    #: What would make all scores right, and cannot be meant.
    slip: Departure | None = None


def compare(
    matrix: Counts,
    scores: Mapping[str, Any],
    labels: Sequence[str],
    *,
    sizes: Mapping[int | None, int] | None = None,
    positive: int | None = None,
    rows_said: bool = False,
    cells_named: bool = False,
) -> Comparison:
    """Compare the scores that are printed beside a matrix, by the names that `recover` takes, with those that it gives.

    The rows of the matrix are the actual classes. `sizes` are printed numbers of cases, by the place of a class, and of
    all under None; `positive` is the place of the positive one of two. Where the document says what the rows are,
    `rows_said`, that they are the others is a reading only if all scores are right then; where it calls the four
    cells by their names, `cells_named`, it is none.

    Examples
    --------
    >>> found = compare([[124, 8], [19, 49]], {"precision": "0.8182", "accuracy": "0.865"}, ["0", "1"])
    >>> [(wrong.name, wrong.printed, round(wrong.given, 4)) for wrong in found.wrong]
    [('precision', '0.8182', 0.8596)]
    """
    # Which of the two are the actual cases is not certain.
    ends = [sorted((sum(row), sum(column))) for row, column in zip(matrix, zip(*matrix, strict=True), strict=True)]
    total = sum(map(sum, matrix))
    classes = (tuple(labels), tuple(Size(*pair) for pair in ends), Size(total, total))
    read = [claimed for name, text in scores.items() for claimed in _read(name, text, classes)]
    tried: list[tuple[tuple[Departure, ...], tuple[WrongScore, ...]]] = []
    slips: list[Departure] = []
    counts = np.array(matrix, dtype=np.int64)
    for counted, turns in ((counts, ()), (counts.T, (_TRANSPOSED,))):
        columns = Matrix(counted, labels=tuple(labels)).one_vs_rest().cells()
        tables = [{name: int(column[i]) for name, column in columns.items()} for i in range(len(labels))]
        weights = _WEIGHTED if any(claimed.score.base is KAPPA for claimed in read) else {}
        kappas = [(_weighted_kappa(counted.tolist(), power), departure) for power, departure in weights.items()]
        for departures, claimed, meant in _meanings(read, labels, positive):
            for more, wrong in _compared(tables, labels, claimed, sizes or {}, kappas):
                # Where the document says what the rows are, they are the other only if that explains everything.
                if meant and not (turns and (cells_named or (rows_said and wrong))):
                    tried.append(((*turns, *departures, *more), wrong))
                elif not wrong and len(turns) + len(departures) == 1:
                    slips += [*turns, *departures]
            if tried and not tried[0][0] and not tried[0][1]:
                return Comparison((), (), ((),))
    names = tuple(dict.fromkeys(departures for departures, _ in tried))
    # The reading that leaves the fewest wrong is the likeliest; of equal ones the plainest.
    departures, wrong = min(tried, key=lambda found: (len(found[1]), len(found[0])))
    return Comparison(departures, wrong, names, slips[0] if slips and wrong else None)


def _weighted_kappa(counts: Counts, power: int) -> Fraction | None:
    """Return one less the weights of all errors over those that chance makes, the classes in their order."""
    rows, columns = [sum(row) for row in counts], [sum(column) for column in zip(*counts, strict=True)]
    places = [(i, j, abs(i - j) ** power) for i in range(len(rows)) for j in range(len(rows))]
    by_chance = sum(weight * rows[i] * columns[j] for i, j, weight in places)
    errors = sum(weight * counts[i][j] for i, j, weight in places)
    return 1 - Fraction(sum(rows) * errors, by_chance) if by_chance else None


def _read(name: str, text: Any, classes: ReadClasses) -> Iterator[ClaimedClassScore]:
    # What cannot be read was said when the report was.
    with suppress(FourfoldError):
        yield read_class_score(name, text, classes, "any")


def _meanings(
    read: Sequence[ClaimedClassScore], labels: Sequence[str], positive: int | None
) -> Iterator[tuple[tuple[Departure, ...], list[ClaimedClassScore], bool]]:
    """Walk what the scores can mean, and whether it may be meant: of the positive class, the other, or averages."""
    if not any(claimed.bare for claimed in read):
        yield (), list(read), True
        return
    if len(labels) == 2:
        place = 1 if positive is None else positive
        yield (), [_changed(claimed, f"{{}}[{labels[place]}]", labels) for claimed in read], True
        other = Departure("other_class", f"the scores are those of class {labels[1 - place]}")
        changed = [_changed(claimed, f"{{}}[{labels[1 - place]}]", labels) for claimed in read]
        yield (other,), changed, positive is None
    bare = listed([claimed.name for claimed in read if claimed.bare])
    for average in AVERAGES:
        departure = Departure(f"{average}_average", f"{bare} average over the classes ({average})")
        yield (departure,), [_changed(claimed, f"{average}_{{}}", labels) for claimed in read], True


def _changed(claimed: ClaimedClassScore, form: str, labels: Sequence[str]) -> ClaimedClassScore:
    """Return a score that names no class as that of one class, or as an average."""
    if not claimed.bare:
        return claimed
    score = ClassScore.find(form.replace("{}", claimed.score.base.id, 1), labels)
    return replace(claimed.about(score), bare=False)


def _compared(
    tables: Sequence[Mapping[str, int]],
    labels: Sequence[str],
    claimed: Sequence[ClaimedClassScore],
    sizes: Mapping[int | None, int],
    kappas: Sequence[tuple[Fraction | None, Departure]],
) -> Iterator[tuple[tuple[Departure, ...], tuple[WrongScore, ...]]]:
    """Yield ways to take what is undefined, and what is wrong then."""
    cases = [table["tp"] + table["fn"] for table in tables]
    misfits = [
        WrongScore(f"support[{labels[i]}]", str(size), cases[i])
        for i, size in sizes.items()
        if i is not None and size != cases[i]
    ]
    if sizes.get(None, sum(cases)) != sum(cases):
        misfits.append(WrongScore("total", str(sizes[None]), sum(cases)))
    for convention, departures in ((STRICT, ()), *((way, (departure,)) for way, departure in UNDEFINED.items())):
        values = [(each, each.score.value_of(tables, convention)) for each in claimed]
        wrong = [(each, value) for each, value in values if value is None or value not in each.reported]
        told = (
            WrongScore(each.name, each.reported.text, None if value is None else float(value)) for each, value in wrong
        )
        yield departures, (*misfits, *told)
        defined = [(each, value) for each, value in wrong if value is not None]
        if wrong and len(defined) == len(wrong):
            for kappa, departure in kappas:
                if kappa is not None and all(
                    each.score.base is KAPPA and kappa in each.reported for each, _ in defined
                ):
                    yield (*departures, departure), tuple(misfits)
            if all(value in each.in_single(sum(cases)).reported for each, value in defined):
                yield (*departures, _SINGLE), tuple(misfits)
            if all(value in Reported.read(each.reported.text, rounding="truncate") for each, value in defined):
                yield (*departures, _CUT_OFF), tuple(misfits)
        if convention.strict and all(value is not None for _, value in values):
            return
