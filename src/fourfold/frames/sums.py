"""What every way of summing probabilities hands on: sums for each kind of rows, checked, and sorted into groups."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from ..errors import InputError, suggestion, verbatim
from .tally import ordered, plain

#: The place of a predicted class among the columns, by the truth: how many rows, and the sum of each column.
Cells: TypeAlias = dict[tuple[Any, int], tuple[int, tuple[float, ...]]]
#: What classes there are, in the order of the columns; or how to tell it from columns and the truth's labels.
Labels: TypeAlias = Sequence[Any] | Callable[[Sequence[str], Sequence[Any]], Sequence[Any]] | None

_MOST_SHOWN: Final = 6
# After the columns' values come a place, how many rows, how many fine ones, how many tied ones, and the sums.
COUNTS: Final = 4


@dataclass(frozen=True)
class Summed:
    """The sums of probabilities in each group, and how many rows were left out.

    Parameters
    ----------
    by
        The columns that make the groups, as the data names them.
    columns
        The columns of probabilities, as the data names them. One alone stands for two: its rest to 1, and itself.
    cells
        For each group, given by a value per column (None where it is missing), and each pair of a label of the truth
        and the place of the predicted class among the columns: how many rows there are, and each column's sum.
    tied
        For each group, how many rows have several largest probabilities; none are counted if predictions were given.
    rows
        How many rows were read.
    missing
        How many rows were left out because the label in a column was missing; where both were, truth counts.
    """

    by: tuple[str, ...]
    columns: tuple[str, ...]
    cells: dict[tuple[Any, ...], Cells]
    tied: dict[tuple[Any, ...], int]
    rows: int
    missing: Counter[str]


class Sums(NamedTuple):
    """Sums as an engine gives them.

    Parameters
    ----------
    names
        The columns as the data names them: truth, prediction if any, groups.
    columns
        The columns of probabilities.
    cells
        A value per column; the place of the largest probability (anything if predictions are given); how many rows,
        how many of them are fine, and how many are tied; a sum per probability. The same values may come more than
        once.
    labels
        How many of the columns hold labels.
    rows
        How many rows there were, where the engine knows it in another way than by adding up.
    """

    names: Sequence[str]
    columns: Sequence[str]
    cells: list[tuple[Any, ...]]
    labels: int
    rows: int | None = None

    @property
    def bad(self) -> int:
        """How many rows with labels are no probabilities."""
        labelled = (cell for cell in self.cells if all(plain(label) is not None for label in cell[: self.labels]))
        keys = len(self.names)
        return sum(int(cell[keys + 1]) - int(cell[keys + 2] or 0) for cell in labelled)


def summed(sums: Sums, labels: Labels) -> Summed:
    """Sort sums into groups, and check that every row is accounted for."""
    keys = len(sums.names)
    cells = [(*map(plain, cell[:keys]), *cell[keys:]) for cell in sums.cells]
    rows, missing = sum(int(cell[keys + 1]) for cell in cells), Counter[str]()
    assert sums.rows in (None, rows), f"{sums.rows} rows, but {rows} were counted"
    if not rows:
        raise InputError("empty", "data", "has no rows", verbatim("0 rows"), "check the filter before it")
    known = []
    for cell in cells:
        lost = [name for name, label in zip(sums.names, cell[: sums.labels], strict=False) if label is None]
        if lost:
            missing[lost[0]] += int(cell[keys + 1])
        else:
            known.append(cell)
    if sums.labels > 1:
        known = _placed(known, keys, _classes(sums, known, labels))
    groups, tied = _grouped(known, keys, sums.labels)
    return Summed(tuple(sums.names[sums.labels :]), tuple(sums.columns), groups, tied, rows, missing)


def _grouped(
    cells: list[tuple[Any, ...]], keys: int, labels: int
) -> tuple[dict[tuple[Any, ...], Cells], dict[tuple[Any, ...], int]]:
    groups: dict[tuple[Any, ...], dict[tuple[Any, int], list[tuple[int, tuple[Any, ...]]]]] = {}
    tied: Counter[tuple[Any, ...]] = Counter()
    for cell in ordered(cells, lambda cell: (*cell[labels:keys], cell[0], cell[keys])):
        group, (place, rows, _, ties), numbers = cell[labels:keys], cell[keys : keys + COUNTS], cell[keys + COUNTS :]
        groups.setdefault(group, {}).setdefault((cell[0], int(place)), []).append((int(rows), numbers))
        tied[group] += int(ties or 0)
    return {group: {key: _added(parts) for key, parts in found.items()} for group, found in groups.items()}, dict(tied)


def _added(parts: list[tuple[int, tuple[Any, ...]]]) -> tuple[int, tuple[float, ...]]:
    columns = zip(*(numbers for _, numbers in parts), strict=True)
    return sum(rows for rows, _ in parts), tuple(math.fsum(map(float, column)) for column in columns)


def _classes(sums: Sums, cells: list[tuple[Any, ...]], labels: Labels) -> Sequence[Any]:
    if callable(labels):
        labels = labels(sums.columns, list(dict.fromkeys(cell[0] for cell in cells)))
    width = max(len(sums.columns), 2)
    if labels is None:
        hint = "name the class of each column of probabilities, in order"
        raise InputError("bad_option", "labels", "must be given with a prediction", None, hint)
    if len(labels) != width:
        shown = verbatim(f"{len(labels)} labels and {len(sums.columns)} columns")
        raise InputError(
            "length_mismatch", "labels", "must be as many as columns", shown, "name every column's class, in order"
        )
    return labels


def _placed(cells: list[tuple[Any, ...]], keys: int, labels: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Put the place of the predicted label where that of the largest probability is."""
    counts: Counter[Any] = Counter()
    for cell in cells:
        counts[cell[1]] += int(cell[keys + 1])
    places = places_of(counts, labels, "prediction")
    return [(*cell[:keys], places[cell[1]], *cell[keys + 1 :]) for cell in cells]


def places_of(counts: Counter[Any], labels: Sequence[Any], argument: str) -> dict[Any, int]:
    """Return the place of each label among the classes; kinds may differ where texts agree, as 1 and "1" do.

    Examples
    --------
    >>> places_of(Counter({"1": 5, "0": 3}), [0, 1], "truth")
    {'1': 1, '0': 0}
    """
    known = {str(label): place for place, label in enumerate(labels)} | {
        label: place for place, label in enumerate(labels)
    }
    found = {label: next((known[name] for name in _spellings(label) if name in known), None) for label in counts}
    lost = [label for label, place in found.items() if place is None]
    if lost:
        hint = suggestion(str(lost[0]), map(str, labels), f"the columns are for {', '.join(map(str, labels[:6]))}")
        many = sum(counts[label] for label in lost)
        shown = verbatim(f"{lost[0]!r} in {counts[lost[0]]} rows, and {many} such rows in all")
        raise InputError("bad_label", argument, "has a label with no column", shown, hint)
    return {label: place for label, place in found.items() if place is not None}


def _spellings(label: Any) -> Iterable[Any]:
    yield label
    yield str(label)
    if isinstance(label, bool | float) and float(label).is_integer():
        yield str(int(label))


def bad_rows(bad: int, where: str | None, values: Sequence[Any]) -> InputError:
    """Say what is wrong with rows of probabilities, by one of them: the first, where rows have an order.

    Examples
    --------
    >>> print(bad_rows(3, "row 17", [0.5, 0.25]))
    probabilities: must sum to one in each row, got 3 such rows, the first is row 17: [0.5, 0.25]. Hint: divide \
each row by its sum, or raise the tolerance if they were rounded.
    """
    numbers = [math.nan if plain(value) is None else float(value) for value in values]
    texts = ", ".join("missing" if math.isnan(x) else f"{round(x, 6)}" for x in numbers[:_MOST_SHOWN])
    one = f"the first is {where}" if where else "one of them"
    shown = verbatim(f"{bad} such {'rows' if bad > 1 else 'row'}, {one}: [{texts}]")
    problem, hint = _wrong(numbers)
    return InputError("bad_probability", "probabilities", problem, shown, hint)


def _wrong(row: Sequence[float]) -> tuple[str, str]:
    if any(math.isnan(x) for x in row):
        return "must be numbers, none missing", "drop or fill those rows"
    if min(row) < 0 or max(row) > 1:
        percent = min(row) >= 0 and (abs(sum(row) - 100) < 1 or (len(row) == 1 and row[0] <= 100))
        hint = "divide percentages by 100" if percent else "these look like logits or scores: apply softmax first"
        return "must lie between 0 and 1", hint
    return "must sum to one in each row", "divide each row by its sum, or raise the tolerance if they were rounded"
