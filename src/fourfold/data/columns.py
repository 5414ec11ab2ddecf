"""Which columns are wanted, and where a table has them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from ..errors import NOTHING, InputError, TooLarge, suggestion, verbatim

# More kinds of rows than this are not groups; an id column is the usual cause.
MOST: Final = 100_000
#: So far outside of [0, 1] may a probability be that was computed in floats; it counts as the end that it passes.
ROUNDING: Final = 1e-6


@dataclass(frozen=True)
class Request:
    """What is wanted of rows: columns to group them by, and columns of probabilities to sum, also given by patterns.

    `tolerance` says how far from 1 the probabilities of a row may sum. With a `threshold`, the column of predictions
    holds scores, and what is predicted is whether a score is at least the threshold.
    """

    truth: str
    prediction: str | None
    by: tuple[str, ...] = ()
    probabilities: tuple[str, ...] = ()
    tolerance: float = 0.0
    threshold: float | None = None

    @property
    def labels(self) -> int:
        """How many columns hold labels."""
        return 1 if self.prediction is None else 2

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns whose values rows are grouped by: labels first, then groups."""
        return (self.truth, *(() if self.prediction is None else (self.prediction,)), *self.by)

    def resolved(self, names: Sequence[str]) -> Request:
        """Ask for probabilities by the names that one file has: another may have them in another order."""
        return replace(self, probabilities=tuple(names[len(self.keys) :]))

    def places(self, header: Sequence[str], where: str | Path) -> list[int]:
        """Return where the columns are: truth, prediction, groups, probabilities; none may serve twice."""
        predicted = "prediction" if self.threshold is None else "score"
        arguments = ("truth", predicted)[: self.labels] + ("by",) * len(self.by)
        named = [*zip(arguments, self.keys, strict=True), *(("probabilities", name) for name in self.probabilities)]
        places: list[int] = []
        for argument, name in named:
            matching = _matching(name, header) if argument == "probabilities" else []
            if matching:
                places += [place for place in matching if place not in places]
                continue
            place = place_of(header, argument, name, where)
            if place in places:
                other = (*arguments, "probabilities")[min(places.index(place), len(arguments))]
                raise InputError("ambiguous", argument, f"is a column already named by {other}", name, "name another")
            places.append(place)
        return places


class EveryColumn(Request):
    """All columns, in their order."""

    def __init__(self) -> None:
        super().__init__("", None)

    def resolved(self, names: Sequence[str]) -> Request:
        """Ask for all columns of every file."""
        return self

    def places(self, header: Sequence[str], where: str | Path) -> list[int]:
        """Return the places of all columns, whose names must differ."""
        return list(range(len(distinct(header, where))))


def request(
    truth: Any, prediction: Any, by: Any, probabilities: Any, tolerance: float, threshold: Any = None
) -> Request:
    """Check that columns are named by texts; one may stand for a list of one."""
    by = (by,) if isinstance(by, str) else tuple(by)
    columns = (probabilities,) if isinstance(probabilities, str) else tuple(probabilities or ())
    named = [("truth", truth), *(("by", name) for name in by), *(("probabilities", name) for name in columns)]
    if prediction is not None or not columns:
        named.insert(1, ("prediction", prediction))
    for argument, name in named:
        if not isinstance(name, str):
            raise InputError("bad_option", argument, "must be the name of a column", name, "give it as text")
    if threshold is not None and columns:
        hint = "leave it out, or the columns of probabilities"
        raise InputError("bad_option", "threshold", "cannot be used with probabilities", threshold, hint)
    return Request(truth, prediction, by, columns, tolerance, None if threshold is None else _limit(threshold))


def _limit(threshold: Any) -> float:
    """Return a threshold, a number or the text of one, as a number of 64 bits."""
    try:
        number = math.nan if isinstance(threshold, bool) else float(threshold)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError("bad_option", "threshold", "must be a number", threshold, "such as 0.5")
    return number


def predicted_column(prediction: str | None, score: str | None, threshold: object = None) -> str:
    """Return the column that tells what is predicted: labels, or a score, which goes with a threshold.

    Examples
    --------
    >>> predicted_column(None, "risk", 5)
    'risk'
    >>> predicted_column(None, "risk")
    Traceback (most recent call last):
    fourfold.errors.InputError: threshold: is required with a score. Hint: say from what score on a case \
counts as predicted positive.
    """
    if prediction is not None and score is not None:
        raise InputError("usage", "score", "cannot be used with a prediction", score, "leave one of them out")
    if score is not None and threshold is None:
        hint = "say from what score on a case counts as predicted positive"
        raise InputError("usage", "threshold", "is required with a score", NOTHING, hint)
    if threshold is not None and score is None:
        hint = "name the column of numbers as score, in place of the prediction"
        raise InputError("usage", "threshold", "works only with a score", threshold, hint)
    column = prediction if score is None else score
    if column is None:
        hint = "name the column of predicted labels, or a score with its threshold"
        raise InputError("usage", "prediction", "is required", NOTHING, hint)
    return column


def place_of(header: Sequence[str], argument: str, name: str, where: str | Path) -> int:
    """Return where a column is; capitals and blanks around a name do not matter if one column is left."""
    exact = [column.strip() for column in header]
    names, wanted = exact, name.strip()
    if wanted not in exact:
        names, wanted = [column.casefold() for column in exact], wanted.casefold()
    if names.count(wanted) > 1:
        raise InputError("ambiguous", argument, f"{where} has several such columns", name, "rename one of them")
    if wanted not in names:
        hint = suggestion(name, exact, f"it has {', '.join(exact[:20])}")
        raise InputError("unknown_column", argument, f"{where} has no such column", name, hint)
    return names.index(wanted)


def distinct(names: Sequence[str], where: str | Path) -> Sequence[str]:
    """Return names, of which none may come twice."""
    # Not by counting each among all of them: there may be many.
    for name, count in Counter(names).items():
        if count > 1:
            raise InputError("ambiguous", "data", f"{where} has several such columns", name, "rename one of them")
    return names


def _matching(name: str, header: Sequence[str]) -> list[int]:
    """Return the columns that a pattern with * or ? matches; none where a column is itself so called."""
    exact = [column.strip() for column in header]
    if not set(name) & set("*?") or name.strip() in exact:
        return []
    pattern = re.escape(name.strip()).replace(r"\*", ".*").replace(r"\?", ".")
    for flags in (re.DOTALL, re.DOTALL | re.IGNORECASE):
        if places := [place for place, column in enumerate(exact) if re.fullmatch(pattern, column, flags)]:
            return places
    return []


def check_size(kinds: int, names: Iterable[str]) -> None:
    """Refuse more kinds of rows than groups can have."""
    if kinds > MOST:
        shown, hint = verbatim(f"columns {', '.join(names)}"), "is one of them an id? a score goes with a threshold"
        raise TooLarge("too_large", "by", f"more than {MOST:,} combinations of values", shown, hint)
