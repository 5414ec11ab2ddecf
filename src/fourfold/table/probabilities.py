"""Rows of class probabilities with their labels, checked before anything is computed from them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, TooLarge, suggestion, verbatim
from .counts import MOST_CLASSES, column_of, is_missing

#: How far from 1 a row may sum.
TOLERANCE: Final = 1e-3
# Rows looked at together: what is made of them stays in the processor's cache.
_ROWS_TOGETHER: Final = 1 << 14
# Up to this many labels, comparing a whole column with each in turn is fastest.
_MOST_COMPARED: Final = 32
_MOST_SHOWN: Final = 6
_MARKS: Final = "_-.: ["
# How far outside of [0, 1] rounding may leave a number.
_ROUNDING: Final = 1e-6


@dataclass(frozen=True, eq=False)
class Probabilities:
    """Rows of class probabilities, a column for each label; every row lies in [0, 1] and sums to one.

    Examples
    --------
    >>> Probabilities.read([[0.9, 0.1], [0.2, 0.8]], ["well", "sick"]).labels
    ('well', 'sick')
    >>> Probabilities.read([0.1, 0.8], ["well", "sick"]).values.tolist()[1]
    [0.19999999999999996, 0.8]
    """

    values: NDArray[Any]
    labels: tuple[Hashable, ...]

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def read(
        cls, given: Any, labels: Sequence[Hashable] | None = None, *, truth: Any = None, tolerance: float = TOLERANCE
    ) -> Probabilities:
        """Read probabilities and check every row.

        Parameters
        ----------
        given
            An array with a column for each class; a data frame or mapping whose columns are named after the classes,
            also with a common beginning such as ``p_``; or one column, the probability of the second of two labels.
        labels
            The classes in the order of the columns, as scikit-learn's ``classes_``. If left out, the names of the
            columns are taken, or the sorted labels of the truth if there is one for each column.
        truth
            The actual labels, to find the classes from.
        tolerance
            How far from 1 a row may sum.
        """
        if not (isinstance(tolerance, int | float) and 0 <= tolerance < 1):
            raise InputError("bad_option", "tolerance", "must be a number from 0 to 1", tolerance, "0.001 is usual")
        names, values = _columns(given)
        if values.ndim == 1 or values.shape[1:] == (1,):
            labels = second_last(labels, truth, names[0] if names else getattr(given, "name", None))
            values = values.reshape(len(values))
            values, names = np.column_stack([1 - values, values]), None
        if values.ndim != 2 or not values.shape[1]:
            hint = "give a row for each case and a column for each class"
            raise InputError("bad_shape", "probabilities", "must be rows", verbatim(f"shape {values.shape}"), hint)
        if not len(values):
            raise InputError("empty", "probabilities", "has no rows", verbatim("0 rows"), "check the filter before it")
        known, order = _matched(names, labels, truth, values.shape[1])
        if order is not None:
            values = values[:, order]
        if len(known) < 2:
            hint = "give a column for each class; one column stands for the second of two labels"
            raise InputError("bad_shape", "probabilities", "must be of two classes or more", list(known), hint)
        if len(known) > MOST_CLASSES:
            hint = "is this an array of rows and classes, or the other way round?"
            raise TooLarge("too_large", "labels", f"more than {MOST_CLASSES} classes", len(known), hint)
        return cls(check_rows(values, tolerance), known)

    def ordered(self, labels: Sequence[Hashable]) -> Probabilities:
        """Return the same rows with the columns in another order of the same labels."""
        if set(labels) != set(self.labels):
            shown = verbatim(f"{list(self.labels)} and {list(labels)}")
            raise InputError("bad_label", "labels", "must be the same classes", shown, "name the columns alike")
        return Probabilities(self.values[:, [self.labels.index(label) for label in labels]], tuple(labels))


def second_last(labels: Sequence[Hashable] | None, truth: Any, name: object) -> Sequence[Hashable]:
    """Return two labels, last the one that a single column is the probability of: by its name, else the second."""
    known = list(known_labels(labels)) if labels is not None else _labels_of(truth, 2)
    if len(known) < 2:
        hint = "give a column for each class; one column stands for one of two labels"
        raise InputError("bad_shape", "probabilities", "must be of two classes or more", known, hint)
    named = [label for label in known if _ends_with(str(name), str(label))]
    return [*(label for label in known if label != named[0]), named[0]] if len(named) == 1 else known


def _ends_with(name: str, label: str) -> bool:
    return name == label or (name.rstrip("]").endswith(label) and name.rstrip("]")[-len(label) - 1] in _MARKS)


def _columns(given: Any) -> tuple[list[str] | None, NDArray[Any]]:
    """Return the columns' names, where there are any, and the numbers."""
    names = None
    if isinstance(given, Mapping):
        names = [str(name) for name in given]
        columns = [np.asarray(column) for column in given.values()]
        if len({column.shape for column in columns}) > 1:
            shown = verbatim(", ".join(f"{name} {len(column)}" for name, column in zip(names, columns, strict=True)))
            hint = "every row needs a number for each class"
            raise InputError("bad_shape", "probabilities", "must be columns of one length", shown, hint)
        given = np.column_stack(columns) if names else np.empty((0, 0))
    elif hasattr(given, "toarray"):
        given = given.toarray()
    elif hasattr(given, "columns") and not isinstance(given, np.ndarray):
        names = [str(name) for name in getattr(given, "column_names", given.columns)]
        given = given.to_pandas() if hasattr(given, "column_names") else given
    try:
        values = np.asarray(given.to_numpy() if hasattr(given, "to_numpy") else given)
    except ValueError:
        hint = "every row needs a number for each class"
        raise InputError("bad_shape", "probabilities", "must be rows of one length", given, hint) from None
    if isinstance(given, np.ma.MaskedArray):
        values = np.ma.filled(given.astype(np.float64), np.nan)
    if values.dtype.kind == "O":
        values = _floats(values)
    if values.dtype.kind not in "fiub":
        shown = verbatim(str(values.dtype))
        raise InputError("bad_probability", "probabilities", "must be numbers", shown, "leave other columns out")
    return names, values if values.dtype.kind == "f" else values.astype(np.float64)


def _floats(values: NDArray[Any]) -> NDArray[Any]:
    """Return Python's numbers and a data frame's nulls as floats; anything else as it is."""
    listed = [np.nan if is_missing(value) else value for value in values.flat]
    if any(isinstance(value, str | bytes) for value in listed):
        return values
    try:
        return np.array(listed, dtype=np.float64).reshape(values.shape)
    except (TypeError, ValueError):
        return values


def _matched(
    names: list[str] | None, labels: Sequence[Hashable] | None, truth: Any, width: int
) -> tuple[tuple[Hashable, ...], list[int] | None]:
    """Return the labels in their order, and the places of their columns where those have another order."""
    if labels is None and names is None:
        labels = _labels_of(truth, width)
    if labels is None:
        assert names is not None, "columns have names, or labels are known"
        return _named(names, truth), None
    known = known_labels(labels)
    if len(known) != width:
        shown = verbatim(f"{len(known)} labels and {width} columns")
        hint = "name every column's class, in order"
        raise InputError("length_mismatch", "labels", "must be as many as columns", shown, hint)
    if names is None:
        return known, None
    short = _without_beginning(names, known)
    order = []
    for label in known:
        if str(label) not in short:
            hint = suggestion(str(label), short, f"the columns are {', '.join(names[:_MOST_SHOWN])}")
            raise InputError("bad_label", "labels", "has no column", label, hint)
        order.append(short.index(str(label)))
    return known, order if order != list(range(width)) else None


def _named(names: list[str], truth: Any) -> tuple[Hashable, ...]:
    """Return the labels that columns are named after, as the truth writes them."""
    as_written = {} if truth is None else {str(label): label for label in _distinct(truth)}
    short = _without_beginning(names, as_written)
    lost = [label for text, label in as_written.items() if text not in short]
    if lost:
        hint = suggestion(str(lost[0]), short, f"the columns are {', '.join(names[:_MOST_SHOWN])}")
        raise InputError("bad_label", "truth", "has a label that no column is named after", lost[0], hint)
    return tuple(as_written.get(text, text) for text in short)


def _without_beginning(names: list[str], labels: Iterable[Hashable]) -> list[str]:
    """Drop what all names begin with, up to a mark: p_cat and p_dog are cat and dog.

    As little is dropped as makes all labels appear; where that never happens, as much as can be.
    """
    if len(names) < 2:
        return names
    differ = (i for i, letters in enumerate(zip(*names, strict=False)) if len(set(letters)) > 1)
    common = names[0][: next(differ, min(map(len, names)))]
    texts, short = {str(label) for label in labels}, names
    for cut in [i + 1 for i, letter in enumerate(common) if letter in _MARKS]:
        if texts and texts <= set(short):
            break
        short = [name[cut:].rstrip("]") for name in names]
    return short


def known_labels(labels: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Return labels as a tuple that names each class once."""
    if isinstance(labels, Set | str) or not isinstance(labels, Iterable):
        raise InputError("bad_label", "labels", "must be a list, in the order of the columns", labels, "give a list")
    known = tuple(labels.tolist() if isinstance(labels, np.ndarray) else labels)
    try:
        repeated = len(set(known)) != len(known)
    except TypeError:
        hint = "name each class by a text or a number"
        raise InputError("bad_label", "labels", "must be texts or numbers", list(known), hint) from None
    if repeated:
        raise InputError("bad_label", "labels", "must name each class once", list(known), "leave repeats out")
    return known


def _distinct(truth: Any) -> list[Any]:
    column = column_of(truth, "truth")
    try:
        return np.unique(column).tolist() if isinstance(column, np.ndarray) else list(dict.fromkeys(column))
    except TypeError:
        raise _no_labels(column, "truth") from None


def _no_labels(column: Any, argument: str) -> InputError:
    hint = "one text or number a row; for one-hot rows take the argmax"
    return InputError("bad_label", argument, "must be texts or numbers", column[0], hint)


def _labels_of(truth: Any, width: int) -> list[Hashable]:
    labels = [] if truth is None else _distinct(truth)
    if any(map(is_missing, labels)):
        shown = verbatim(f"labels {labels[:_MOST_SHOWN]}")
        raise InputError("bad_label", "truth", "must not be missing", shown, "drop or fill those rows first")
    try:
        labels = sorted(labels)
    except TypeError:
        first, hint = labels[:_MOST_SHOWN], "all texts or all numbers"
        raise InputError("bad_label", "truth", "must be of one kind", first, hint) from None
    if len(labels) != width:
        shown = verbatim(f"{len(labels)} labels in the truth and {width} columns")
        hint = "say which class each column is, with labels, such as a model's classes_"
        raise InputError("length_mismatch", "labels", "must be as many as columns", shown, hint)
    return labels


def chunks(rows: int) -> Iterator[slice]:
    """Yield rows in pieces that stay in the cache."""
    return (slice(start, start + _ROWS_TOGETHER) for start in range(0, rows, _ROWS_TOGETHER))


def check_rows(values: NDArray[Any], tolerance: float = TOLERANCE) -> NDArray[Any]:
    """Refuse rows that are no probabilities: name the first, and say how many there are.

    Returns the rows; what rounding has left outside of [0, 1] is moved to its ends.
    """
    bad, first, outside = 0, -1, False
    for piece in chunks(len(values)):
        part = values[piece]
        with np.errstate(invalid="ignore", over="ignore"):
            fine = np.abs(part @ np.ones(part.shape[1], dtype=part.dtype) - 1) <= tolerance
            if not (part.min() >= 0 and part.max() <= 1):
                outside = True
                fine &= ((part >= -_ROUNDING) & (part <= 1 + _ROUNDING)).all(axis=1)
        if not fine.all():
            first = piece.start + int(np.argmin(fine)) if first < 0 else first
            bad += int((~fine).sum())
    if bad:
        raise _bad_row(values, first, bad)
    return np.clip(values, 0, 1) if outside else values


def _bad_row(values: NDArray[Any], first: int, bad: int) -> InputError:
    row = values[first]
    shown = verbatim(f"{bad} such rows, the first is row {first}: {[round(float(x), 6) for x in row[:_MOST_SHOWN]]}")
    if np.isnan(row).any():
        return InputError("bad_probability", "probabilities", "must not be missing", shown, "drop or fill those rows")
    if (row < 0).any() or (row > 1).any():
        percent = row.min() >= 0 and row.max() <= 101 and abs(row.sum() - 100) < 1
        hint = "divide percentages by 100" if percent else "these look like logits or scores: apply softmax first"
        return InputError("bad_probability", "probabilities", "must lie between 0 and 1", shown, hint)
    hint = "divide each row by its sum, or raise the tolerance if they were rounded"
    return InputError("bad_probability", "probabilities", "must sum to one in each row", shown, hint)


def coded(column: Any, labels: tuple[Hashable, ...], argument: str) -> NDArray[np.intp]:
    """Return each label's place among the labels."""
    values = column_of(column, argument)
    if isinstance(values, np.ndarray) and len(labels) <= _MOST_COMPARED:
        codes = np.full(len(values), -1, dtype=np.intp)
        for i, label in enumerate(labels):
            same = values == label
            if isinstance(same, np.ndarray):
                codes[same] = i
    else:
        place = {label: i for i, label in enumerate(labels)}
        listed = values.tolist() if isinstance(values, np.ndarray) else values
        try:
            codes = np.fromiter((place.get(label, -1) for label in listed), dtype=np.intp, count=len(listed))
        except TypeError:
            raise _no_labels(listed, argument) from None
    lost = codes < 0
    if lost.any():
        label = values[int(lost.argmax())]
        label = label.item() if isinstance(label, np.generic) else label
        known = ", ".join(map(str, labels[:_MOST_SHOWN]))
        hint = suggestion(str(label), map(str, labels), f"the columns are for {known}")
        shown = verbatim(f"{label!r} in row {int(lost.argmax())}, and {int(lost.sum())} such rows in all")
        raise InputError("bad_label", argument, "has a label with no column", shown, hint)
    return codes
