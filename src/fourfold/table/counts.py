"""Tables of counts: one fourfold table, many of them as arrays, and the k-by-k matrix.

Rows are actual, columns predicted, and the cells are always named: nothing here guesses an orientation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Annotated, Any, Final, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError, TooLarge, suggestion, verbatim
from ..shape import Amount, Count, Record

_CELLS: Final = ("tp", "fn", "fp", "tn")
_LONG_NAMES: Final = {"true_positives": "tp", "false_negatives": "fn", "false_positives": "fp", "true_negatives": "tn"}
# Up to this many different integers, pairs are counted in one array of their products.
_MOST_INTEGERS: Final = 1024
# Up to this many different texts, comparing with each in turn beats making Python strings of all rows.
_MOST_TEXTS: Final = 32
# Rows at a time: memory does not grow with their number.
_ROWS_TOGETHER: Final = 1 << 16
# Counts, and their sums, are below this: they are held in integers of 64 bits.
_COUNT_LIMIT: Final = 2**63
# Pairs of a negative and a positive label that need not be named; texts are as programs write flags to CSV.
_USUAL_LABELS: Final[tuple[tuple[Hashable, Hashable], ...]] = (
    (0, 1),
    (-1, 1),
    ("0", "1"),
    ("-1", "1"),
    ("False", "True"),
    ("false", "true"),
    ("FALSE", "TRUE"),
)
#: What stands for a value that is missing, such as the name of a group.
MISSING: Final = "(missing)"
#: A matrix of more classes than this would not fit in memory; an id column is the usual cause.
MOST_CLASSES: Final = 4096


def plain_label(label: Hashable) -> str | int:
    """Return a label for JSON: a whole number as it is, anything else as text."""
    return label if isinstance(label, int) else str(label)


Labels: TypeAlias = Annotated[
    tuple[Annotated[Hashable, plain_label], ...], "The classes, in the order of rows and columns."
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Table(Record, schema="cells"):
    """A fourfold table: how many cases of each of the four kinds.

    Examples
    --------
    >>> table = Table(tp=45, fn=5, fp=10, tn=40)
    >>> table.positives, table.negatives, table.total
    (50, 50, 100)
    """

    tp: Annotated[Count, "True positives: actual positives, predicted positive."]
    fn: Annotated[Count, "False negatives: actual positives, predicted negative."]
    fp: Annotated[Count, "False positives: actual negatives, predicted positive."]
    tn: Annotated[Count, "True negatives: actual negatives, predicted negative."]

    def __post_init__(self) -> None:
        for name in _CELLS:
            count = whole(getattr(self, name), name)
            if count >= _COUNT_LIMIT:
                raise InputError("bad_count", name, "must be below 2**63", count, "count in larger units")
            object.__setattr__(self, name, count)

    @property
    def positives(self) -> int:
        """Actual positives, tp + fn."""
        return self.tp + self.fn

    @property
    def negatives(self) -> int:
        """Actual negatives, fp + tn."""
        return self.fp + self.tn

    @property
    def total(self) -> int:
        """All cases."""
        return self.positives + self.negatives

    @classmethod
    def of_counts(cls, tp: int, fn: int, fp: int, tn: int) -> Table:
        """Build a table from counts that are known to be whole, without checking them again."""
        table, put = object.__new__(cls), object.__setattr__
        put(table, "tp", tp)
        put(table, "fn", fn)
        put(table, "fp", fp)
        put(table, "tn", tn)
        return table

    def cells(self) -> dict[str, int]:
        """Return the four counts by name."""
        return {"tp": self.tp, "fn": self.fn, "fp": self.fp, "tn": self.tn}

    @classmethod
    def from_mapping(cls, counts: Mapping[str, object]) -> Table:
        """Build a table from named counts, as texts or numbers.

        Examples
        --------
        >>> Table.from_mapping({"TP": "45", "fn": 5, "fp": "10", "true negatives": 40})
        Table(tp=45, fn=5, fp=10, tn=40)
        """
        if not isinstance(counts, Mapping):
            raise InputError("bad_shape", "counts", "must be named counts", counts, "give tp, fn, fp and tn by name")
        cells: dict[str, int] = {}
        for name, value in counts.items():
            plain = str(name).strip().lower().replace(" ", "_").replace("-", "_")
            cell = _LONG_NAMES.get(plain, plain)
            if cell not in _CELLS:
                hint = suggestion(cell, _CELLS, "the cells are tp, fn, fp and tn")
                raise InputError("bad_shape", str(name) or "cells", "is not a cell of a table", name, hint)
            if cell in cells:
                raise InputError("ambiguous", cell, "is given twice", value, "give each cell once")
            cells[cell] = whole(value, cell, text=True)
        missing = [name for name in _CELLS if name not in cells]
        if missing:
            got = verbatim(f"only {', '.join(cells)}" if cells else "no cells")
            raise InputError("bad_shape", missing[0], "is missing", got, f"also give {', '.join(missing)}")
        return cls(**cells)

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, *, order: str | Sequence[str] | None = None) -> Table:
        """Build a table from four numbers in a given order.

        Parameters
        ----------
        matrix
            A 2-by-2 array, or its four numbers row by row.
        order
            The cells' names in the order of the numbers. scikit-learn's `confusion_matrix` with labels 0 and 1 has
            ``"tn fp fn tp"``.

        Examples
        --------
        >>> Table.from_matrix([[40, 10], [5, 45]], order="tn fp fn tp")
        Table(tp=45, fn=5, fp=10, tn=40)
        """
        numbers = np.asarray(matrix, dtype=object).reshape(-1).tolist()
        if len(numbers) != 4:
            raise InputError("bad_shape", "matrix", "must hold four counts", matrix, "give tp, fn, fp and tn")
        return cls.from_mapping(dict(zip(_order(order, numbers), numbers, strict=True)))

    @classmethod
    def from_labels(cls, truth: Any, prediction: Any, *, positive: Hashable | None = None) -> Table:
        """Count a table from two columns of labels.

        Parameters
        ----------
        truth, prediction
            Lists, numpy arrays, or pandas, polars or pyarrow columns of equal length.
        positive
            The label that counts as positive. May be left out for labels 0 and 1, False and True, or -1 and 1.

        Examples
        --------
        >>> Table.from_labels(["sick", "well", "sick"], ["sick", "sick", "well"], positive="sick")
        Table(tp=1, fn=1, fp=1, tn=0)
        """
        return Matrix.from_labels(truth, prediction).table(positive=positive)


@dataclass(frozen=True, kw_only=True, eq=False)
class Tables:
    """Many fourfold tables: four arrays of one shape, of counts or of real mass.

    Examples
    --------
    >>> tables = Tables(tp=[45, 0], fn=[5, 0], fp=[10, 3], tn=[40, 4])
    >>> len(tables), tables[0]
    (2, Table(tp=45, fn=5, fp=10, tn=40))
    """

    tp: NDArray[Any]
    fn: NDArray[Any]
    fp: NDArray[Any]
    tn: NDArray[Any]

    def __post_init__(self) -> None:
        arrays = [_mass(getattr(self, name), name) for name in _CELLS]
        try:
            arrays = list(np.broadcast_arrays(*arrays))
        except ValueError:
            shapes = verbatim(", ".join(f"{name} {array.shape}" for name, array in zip(_CELLS, arrays, strict=True)))
            hint = "give as many of each cell"
            raise InputError("length_mismatch", "tables", "cells must have one shape", shapes, hint) from None
        if all(array.size and array.dtype.kind == "i" for array in arrays):
            _check_total(sum(int(array.max()) for array in arrays), "tables")
        for name, array in zip(_CELLS, arrays, strict=True):
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return len(self.tp)

    def __getitem__(self, index: int) -> Table:
        return Table(**{name: array[index] for name, array in self.cells().items()})

    def cells(self) -> dict[str, NDArray[Any]]:
        """Return the four arrays by name."""
        return {"tp": self.tp, "fn": self.fn, "fp": self.fp, "tn": self.tn}

    @property
    def total(self) -> NDArray[Any]:
        """All cases of each table."""
        return cast("NDArray[Any]", self.tp + self.fn + self.fp + self.tn)

    @classmethod
    def from_tables(cls, tables: Iterable[Table]) -> Tables:
        """Collect tables into arrays."""
        rows = np.array([tuple(table.cells().values()) for table in tables], dtype=np.int64).reshape(-1, 4)
        return cls(**dict(zip(_CELLS, rows.T, strict=True)))

    @classmethod
    def from_array(cls, array: ArrayLike, *, order: str | Sequence[str] | None = None) -> Tables:
        """Build tables from an array whose last axis (or last two, 2 by 2) holds the cells in a stated order.

        Examples
        --------
        >>> Tables.from_array([[40, 10, 5, 45]], order="tn fp fn tp")[0]
        Table(tp=45, fn=5, fp=10, tn=40)
        """
        values = np.asarray(array)
        if values.shape[-2:] == (2, 2):
            values = values.reshape(*values.shape[:-2], 4)
        if values.ndim < 1 or values.shape[-1] != 4:
            raise InputError("bad_shape", "array", "must hold four cells per table", values.shape, "one row per table")
        names = _order(order, array)
        return cls(**{name: values[..., names.index(name)] for name in _CELLS})


@dataclass(frozen=True, eq=False)
class Matrix:
    """A k-by-k matrix: rows actual, columns predicted; counts, or real mass such as summed probabilities.

    Examples
    --------
    >>> matrix = Matrix.from_labels(["a", "b", "c", "a"], ["a", "b", "b", "c"])
    >>> matrix.labels
    ('a', 'b', 'c')
    >>> matrix.values.tolist()
    [[1, 0, 1], [0, 1, 0], [0, 1, 0]]
    """

    values: NDArray[Any]
    labels: Labels = ()

    def __post_init__(self) -> None:
        values = _mass(self.values, "matrix")
        if values.ndim != 2 or values.shape[0] != values.shape[1] or not values.size:
            raise InputError("bad_shape", "matrix", "must be square", values.shape, "one row and one column per class")
        if values.dtype.kind == "i" and int(values.max()) * values.size >= _COUNT_LIMIT:
            _check_total(sum(values.reshape(-1).tolist()), "matrix")
        labels = tuple(self.labels or ()) or tuple(range(len(values)))
        if len(set(labels)) != len(values):
            raise InputError("bad_shape", "labels", "must name each class once", labels, f"give {len(values)} labels")
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "labels", labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Matrix):
            return NotImplemented
        return self.labels == other.labels and np.array_equal(self.values, other.values)

    __hash__ = None  # type: ignore[assignment]

    def tolist(self) -> list[list[Amount]]:
        """Return the values as a list for each row."""
        return self.values.tolist()  # type: ignore[no-any-return]

    @classmethod
    def from_labels(cls, truth: Any, prediction: Any, *, labels: Sequence[Hashable] | None = None) -> Matrix:
        """Count a matrix from two columns of labels.

        Parameters
        ----------
        truth, prediction
            Lists, numpy arrays, or pandas, polars or pyarrow columns of equal length.
        labels
            The classes in the wanted order; all that occur, sorted, when left out.
        """
        return cls._ordered(*_count(truth, prediction), labels)

    @classmethod
    def from_pairs(cls, pairs: Mapping[tuple[Any, Any], int], *, labels: Sequence[Hashable] | None = None) -> Matrix:
        """Build a matrix from how often each pair (truth, prediction) of labels occurs.

        Examples
        --------
        >>> Matrix.from_pairs({("sick", "well"): 3, ("well", "well"): 5}).values.tolist()
        [[0, 3], [0, 5]]
        """
        if not isinstance(pairs, Mapping) or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
            hint = "give {(truth, prediction): count}"
            raise InputError("bad_shape", "pairs", "must map pairs of labels to counts", pairs, hint)
        pairs = {pair: whole(count, "pairs") for pair, count in pairs.items()}
        if not pairs:
            raise InputError("empty", "pairs", "must hold at least one pair of labels", pairs, "count some rows first")
        return cls._ordered(*_square(pairs), labels)

    @classmethod
    def _ordered(
        cls, counted_labels: Sequence[Hashable], counts: NDArray[Any], labels: Sequence[Hashable] | None
    ) -> Matrix:
        """Build a matrix from labels that occur and their counts, in the order of the labels that are given."""
        if labels is None:
            return cls(counts, tuple(counted_labels))
        try:
            labels = list(labels)
            position = {label: index for index, label in enumerate(labels)}
        except TypeError:
            problem = "must be a list of texts or numbers"
            raise InputError("bad_label", "labels", problem, labels, "name each class") from None
        unknown = [label for label in counted_labels if label not in position]
        if unknown:
            hint = suggestion(str(unknown[0]), map(str, labels), f"add it to labels: {', '.join(map(str, labels))}")
            raise InputError("bad_label", "labels", "lacks a label that occurs", unknown[0], hint)
        values = np.zeros((len(labels), len(labels)), dtype=counts.dtype)
        index = [position[label] for label in counted_labels]
        values[np.ix_(index, index)] = counts
        return cls(values, tuple(labels))

    def table(self, *, positive: Hashable | None = None) -> Table:
        """Return the fourfold table of a matrix with at most two classes.

        Examples
        --------
        >>> Matrix([[40, 10], [5, 45]], ("well", "sick")).table(positive="sick")
        Table(tp=45, fn=5, fp=10, tn=40)
        """
        if len(self.labels) > 2:
            shown = verbatim(f"{len(self.labels)} classes: {', '.join(map(str, self.labels[:6]))}")
            hint = "use Matrix.from_labels, with average='macro' or one_vs_rest()"
            raise InputError("bad_label", "labels", "must be of two classes", shown, hint)
        label = positive_label(self.labels, positive)
        if label not in self.labels:
            return Table(tp=0, fn=0, fp=0, tn=self.values.sum())
        i, values = self.labels.index(label), self.values
        others = [j for j in range(len(self.labels)) if j != i]
        fn, fp = values[i, others].sum(), values[others, i].sum()
        return Table(tp=values[i, i], fn=fn, fp=fp, tn=values[np.ix_(others, others)].sum())

    @cached_property
    def _one_vs_rest(self) -> Tables:
        rows, columns, diagonal = self._margins()
        total = sum(rows)
        parts = {
            "tp": diagonal,
            "fn": [row - hit for row, hit in zip(rows, diagonal, strict=True)],
            "fp": [column - hit for column, hit in zip(columns, diagonal, strict=True)],
            "tn": [total - r - c + hit for r, c, hit in zip(rows, columns, diagonal, strict=True)],
        }
        kind = np.int64 if self.values.dtype.kind == "i" else np.float64
        return Tables(**{name: np.array([*map(kind, part)]) for name, part in parts.items()})

    def one_vs_rest(self) -> Tables:
        """Return a table for each class, that class positive and all others negative.

        Examples
        --------
        >>> Matrix([[3, 0, 0], [1, 1, 0], [0, 1, 0]]).one_vs_rest()[1]
        Table(tp=1, fn=1, fp=1, tn=3)
        """
        return self._one_vs_rest

    def sums(self) -> dict[str, Any]:
        """Return the sums that k-class formulas are written in, exactly.

        `correct` is the diagonal and `chance` the sum of row total times column total. `chance_wrong`,
        `split_actual` and `split_predicted` are what `chance` and the sums of squared row and column totals lack to
        the total squared.
        """
        rows, columns, diagonal = self._margins()
        square = sum(rows) ** 2
        chance = sum(row * column for row, column in zip(rows, columns, strict=True))
        return {
            "correct": sum(diagonal),
            "total": sum(rows),
            "chance": chance,
            "chance_wrong": square - chance,
            "split_actual": square - sum(row**2 for row in rows),
            "split_predicted": square - sum(column**2 for column in columns),
        }

    def _margins(self) -> tuple[list[Any], list[Any], list[Any]]:
        """Return row totals, column totals and diagonal in exact arithmetic.

        Real mass is summed in fractions: in floats, a cell that must be 0 could come out as 1e-17 and hide a hole.
        """
        values = self.values
        if values.dtype.kind == "i":
            return values.sum(axis=1).tolist(), values.sum(axis=0).tolist(), values.diagonal().tolist()
        exact = [[Fraction(x) for x in row] for row in values.tolist()]
        columns = [sum(column) for column in zip(*exact, strict=True)]
        return [sum(row) for row in exact], columns, [row[i] for i, row in enumerate(exact)]


def whole(value: object, argument: str, *, text: bool = False) -> int:
    """Return a count as an int, or say what is wrong with it.

    Examples
    --------
    >>> whole(45.0, "tp")
    45
    >>> whole("45", "tp", text=True)
    45
    >>> whole(4.5, "tp")
    Traceback (most recent call last):
    fourfold.errors.InputError: tp: must be a whole number, 0 or more, got 4.5. Hint: give a count of cases.
    """
    number: object = value
    if isinstance(value, np.generic):
        number = value.item()
    if text and isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) <= 30:
        number = int(value)
    if not isinstance(number, bool | str | bytes):
        try:
            count = int(cast("Any", number))
        except (TypeError, ValueError, OverflowError):
            count = -1
        if count >= 0 and count == number:
            return count
    raise InputError("bad_count", argument, "must be a whole number, 0 or more", value, "give a count of cases")


def _order(order: str | Sequence[str] | None, got: object) -> list[str]:
    given = order.replace(",", " ").split() if isinstance(order, str) else order
    names = [str(name).lower() for name in given] if isinstance(given, Sequence) else []
    if order is None:
        hint = "give the order of the numbers, such as 'tn fp fn tp' for scikit-learn's confusion_matrix"
        raise InputError("ambiguous", "order", "four numbers without names can be read in 24 ways", got, hint)
    if sorted(names) != sorted(_CELLS):
        raise InputError("bad_option", "order", "must name tp, fn, fp and tn once each", order, "try 'tn fp fn tp'")
    return names


def _mass(values: object, argument: str) -> NDArray[Any]:
    """Check an array of counts (kept as int64) or of real mass (float64), and keep a copy that cannot be changed."""
    hint = "give counts below 2**63, or real mass that is 0 or more"
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError("bad_shape", argument, "must be rows of one length", values, hint) from None
    if array.dtype.kind not in "iufb" or (array.dtype.kind == "u" and array.size and int(array.max()) >= _COUNT_LIMIT):
        raise InputError("bad_count", argument, "must be numbers", verbatim(str(array.dtype)), hint)
    array = array.astype(np.float64 if array.dtype.kind == "f" else np.int64)
    array.flags.writeable = False
    wrong = ~(np.isfinite(array) & (array >= 0))
    if wrong.any():
        raise InputError("bad_count", argument, "must be 0 or more and finite", array[wrong].flat[0].item(), hint)
    return array


def _check_total(largest: int, argument: str) -> None:
    """Refuse counts that would add up to more than an integer of 64 bits holds."""
    if largest >= _COUNT_LIMIT:
        raise InputError("bad_count", argument, "must add up to less than 2**63", largest, "count in larger units")


def positive_label(labels: tuple[Hashable, ...], positive: Hashable | None) -> Hashable:
    """Return which of at most two labels is positive: the given one, or the usual one."""
    shown = verbatim(f"labels {', '.join(map(repr, labels))}")
    if positive is not None:
        if positive not in labels:
            known = " and ".join(map(repr, labels))
            hint = suggestion(str(positive), map(str, labels), f"the data has {known}")
            # A positive class of which there is no case at all is possible; a slip of the pen is more likely.
            if len(labels) == 2 or hint.startswith("did") or isinstance(positive, str) != isinstance(labels[0], str):
                raise InputError("bad_label", "positive", "is not a label in the data", positive, hint)
        return positive
    for other, usual in _USUAL_LABELS:
        if set(labels) <= {other, usual}:
            return usual
    hint = f"name it, such as positive {labels[-1]}"
    raise InputError("ambiguous", "positive", "the positive label must be named", shown, hint)


def _count(truth: Any, prediction: Any) -> tuple[list[Hashable], NDArray[np.int64]]:
    """Count pairs of labels: return the labels that occur, sorted, and their square of counts."""
    columns = [column_of(truth, "truth"), column_of(prediction, "prediction")]
    lengths = [len(column) for column in columns]
    if lengths[0] != lengths[1]:
        shown = verbatim(f"{lengths[0]} and {lengths[1]} labels")
        hint = "truth and prediction are two columns of the same rows"
        raise InputError("length_mismatch", "prediction", "must be as long as truth", shown, hint)
    if not lengths[0]:
        raise InputError("empty", "truth", "must hold at least one label", truth, "check the filter before it")
    kinds = {column.dtype.kind if isinstance(column, np.ndarray) else "list" for column in columns}
    if kinds <= set("biu"):
        return _count_integers(*cast("list[NDArray[Any]]", columns))
    if kinds == {"U"} and (counted := _count_texts(*cast("list[NDArray[Any]]", columns))):
        return counted
    try:
        pairs = Counter(zip(*(_listed(column) for column in columns), strict=True))
    except TypeError:
        hint = "one text or number a row; for one-hot rows take the argmax"
        raise InputError("bad_label", "labels", "must be texts or numbers", columns[0][:1], hint) from None
    return _square(pairs, columns)


def _square(
    pairs: Mapping[tuple[Any, Any], int], columns: Sequence[Iterable[Hashable]] = ()
) -> tuple[list[Hashable], NDArray[np.int64]]:
    """Turn counted pairs (truth, prediction) into the labels that occur, sorted, and their square of counts.

    With the columns the pairs came from, an error names the first bad row.
    """
    distinct = set(chain.from_iterable(pairs))
    if any(map(is_missing, distinct)):
        count = sum(count for pair, count in pairs.items() if any(map(is_missing, pair)))
        rows = zip(*map(_listed, columns), strict=True)
        first = next((i for i, pair in enumerate(rows) if any(map(is_missing, pair))), None)
        where = f"{count} missing" + ("" if first is None else f", the first in row {first}")
        raise InputError("bad_label", "labels", "must not be missing", verbatim(where), "drop or fill those rows first")
    fractions = [label for label in distinct if isinstance(label, float) and not label.is_integer()]
    if fractions:
        hint = "turn scores into labels with a threshold first"
        raise InputError("bad_label", "labels", "must be labels, not fractions", fractions[0], hint)
    if len(distinct) > MOST_CLASSES:
        hint = "is this column an id, or a score?"
        raise TooLarge("too_large", "labels", f"more than {MOST_CLASSES} classes", len(distinct), hint)
    try:
        labels: list[Any] = sorted(distinct)
    except TypeError:
        kinds = verbatim(" and ".join(sorted({type(label).__name__ for label in distinct})))
        hint = "make truth and prediction both texts or both numbers"
        raise InputError("bad_label", "labels", "must be of one kind", kinds, hint) from None
    position = {label: index for index, label in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)), dtype=np.int64)
    for (actual, predicted), count in pairs.items():
        counts[position[actual], position[predicted]] += count
    return labels, counts


def column_of(values: Any, argument: str) -> NDArray[Any] | list[Hashable]:
    """Return labels as an array of integers or of texts where they come as one, else as a list."""
    if isinstance(values, str | bytes | Mapping):
        raise InputError("bad_shape", argument, "must be a column of labels", values, "give a list or an array")
    if hasattr(values, "to_pylist"):
        return cast("list[Hashable]", values.to_pylist())
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    elif hasattr(values, "__array__") and not isinstance(values, np.ndarray):
        values = np.asarray(values)
    if isinstance(values, np.ma.MaskedArray):
        if np.ma.getmaskarray(values).any():
            shown = verbatim(f"{np.ma.getmaskarray(values).sum()} masked")
            raise InputError("bad_label", argument, "must not be missing", shown, "drop or fill those rows first")
        values = values.data
    if not isinstance(values, np.ndarray):
        if not isinstance(values, Iterable) or isinstance(values, Set):
            raise InputError("bad_shape", argument, "must be a column of labels", values, "give a list or an array")
        return list(values)
    if values.ndim != 1:
        hint = "one label a row; for one-hot rows or probabilities take the argmax"
        raise InputError("bad_shape", argument, "must have one dimension", verbatim(f"shape {values.shape}"), hint)
    if values.dtype.kind == "f":
        return _whole_floats(values, argument)
    fits = values.dtype.kind in "biU" or (values.dtype.kind == "u" and values.dtype.itemsize < 8)
    return values if fits else cast("list[Hashable]", values.tolist())


def _whole_floats(values: NDArray[Any], argument: str) -> NDArray[Any]:
    missing = np.isnan(values)
    if missing.any():
        shown = verbatim(f"{missing.sum()} missing, the first in row {missing.argmax()}")
        raise InputError("bad_label", argument, "must not be missing", shown, "drop or fill those rows first")
    with np.errstate(invalid="ignore"):
        integers = values.astype(np.int64)
    broken = integers != values
    if broken.any():
        hint = "turn scores into labels with a threshold first"
        raise InputError("bad_label", argument, "must be labels, not fractions", values[broken][0].item(), hint)
    return integers


def _count_integers(truth: NDArray[Any], prediction: NDArray[Any]) -> tuple[list[Hashable], NDArray[np.int64]]:
    low = min(int(truth.min()), int(prediction.min()))
    width = max(int(truth.max()), int(prediction.max())) - low + 1
    if width > _MOST_INTEGERS:
        distinct, places = np.unique(np.concatenate([truth, prediction]), return_inverse=True)
        if len(distinct) > _MOST_INTEGERS:
            return _square(Counter(zip(truth.tolist(), prediction.tolist(), strict=True)))
        _, counts = _count_integers(places[: len(truth)], places[len(truth) :])
        return distinct.tolist(), counts
    counts = np.zeros(width * width, dtype=np.int64)
    for start in range(0, len(truth), _ROWS_TOGETHER):
        rows = slice(start, start + _ROWS_TOGETHER)
        cell = truth[rows].astype(np.intp)
        cell -= low
        cell *= width
        cell += prediction[rows]
        cell -= low
        counts += np.bincount(cell, minlength=width * width)
    square = counts.reshape(width, width)
    used = np.flatnonzero(square.sum(axis=0) + square.sum(axis=1))
    both_bool = truth.dtype.kind == prediction.dtype.kind == "b"
    labels: list[Hashable] = [bool(low + i) if both_bool else low + int(i) for i in used]
    return labels, square[np.ix_(used, used)]


def _count_texts(truth: NDArray[Any], prediction: NDArray[Any]) -> tuple[list[Hashable], NDArray[np.int64]] | None:
    """Count pairs of texts in arrays of fixed width; None where there are too many different ones."""
    known: list[str] = []
    counts = np.zeros(_MOST_TEXTS * _MOST_TEXTS, dtype=np.int64)
    for start in range(0, len(truth), _ROWS_TOGETHER):
        rows = slice(start, start + _ROWS_TOGETHER)
        actual, predicted = (_text_codes(column[rows], known) for column in (truth, prediction))
        if len(known) > _MOST_TEXTS:
            return None
        counts += np.bincount(actual * _MOST_TEXTS + predicted, minlength=len(counts))
    order = sorted(range(len(known)), key=known.__getitem__)
    square = counts.reshape(_MOST_TEXTS, _MOST_TEXTS)
    return [known[i] for i in order], square[np.ix_(order, order)]


def _text_codes(texts: NDArray[Any], known: list[str]) -> NDArray[np.intp]:
    """Return each text's place in `known`, which grows by the texts not seen before."""
    codes = np.full(len(texts), -1, dtype=np.intp)
    for i, label in enumerate(known):
        codes[texts == label] = i
    new = np.unique(texts[codes < 0]).tolist()
    for label in new[: _MOST_TEXTS + 1]:
        codes[texts == label] = len(known)
        known.append(label)
    return codes


def _listed(column: Any) -> Any:
    return column.tolist() if isinstance(column, np.ndarray) else column


def is_missing(label: object) -> bool:
    """Tell whether a label is None, nan or a data frame's null."""
    try:
        return label is None or bool(label != label)
    except TypeError:  # a null that refuses to be compared, such as pandas' NA
        return True
