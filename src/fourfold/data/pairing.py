"""Two predictions for each row: both in one source, counted where it is, or in two sources with the same rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from ..errors import InputError, Note, verbatim
from .aggregation import Progress, aggregate
from .columns import Request, request
from .faults import Faults
from .labels import alike, plain

#: A row's labels: the truth, and what each of two models predicts.
Labels = tuple[Any, Any, Any]


@dataclass(frozen=True)
class PairedRows:
    """How often each truth and pair of predictions occurs in each group, and how many rows were left out."""

    #: The columns that make the groups, as the data names them.
    by: tuple[str, ...]
    kinds: dict[tuple[Any, ...], Counter[Labels]]
    rows: int
    missing: dict[str, int]
    #: What a reader should know of rows that could not be read.
    notes: tuple[Note, ...] = ()


def count_paired(
    data: Any,
    other: Any = None,
    *,
    truth: str,
    predictions: Sequence[str],
    by: Sequence[str] = (),
    key: str | None = None,
    query: str | None = None,
    progress: Progress = None,
) -> PairedRows:
    """Count rows by their truth and the predictions of two models.

    Parameters
    ----------
    data, other
        One source with two columns of predictions, of any kind that `aggregate` reads; or two with the same rows, in
        files or in memory.
    truth, predictions, by
        The columns. Of two sources, each has the truth, the first has the groups, and each has its prediction.
    key
        For two sources: the column that says which rows belong together; without it, rows are matched by their order.
    query, progress
        As in `aggregate`.

    Examples
    --------
    >>> data = {"y": [1, 1, 0], "a": [1, 1, 0], "b": [1, 0, 0]}
    >>> count_paired(data, truth="y", predictions=["a", "b"]).kinds[()][1, 1, 0]
    1
    """
    first, second = predictions
    if other is None:
        return _counted(data, truth, first, second, by, query, progress)
    first_columns = _columns(data, request(truth, first, (*by, *([key] if key else ())), (), 0.0), query, progress)
    its = _columns(other, request(truth, second, (key,) if key else (), (), 0.0), query, None)
    names, columns, others = (
        first_columns[0],
        *(_by_key(first_columns, its, key) if key else _by_order(first_columns, its)),
    )
    actual, one, again, two = _alike([columns[0], columns[1], others[0], others[1]])
    _check_truth(actual, again, columns[-1] if key else None)
    labels, groups = zip(actual, one, two, strict=True), columns[2 : 2 + len(by)]
    counted = _sorted_out(names, zip(labels, _zipped(groups, len(actual)), strict=True), len(by))
    return replace(counted, notes=(*first_columns[2].notes, *its[2].notes))


#: Names and values of columns of a source, and what is wrong with rows of it that were left out.
_Source = tuple[list[str], list[list[Any]], Faults]
_Columns = list[list[Any]]


def _by_key(first: _Source, its: _Source, key: str) -> tuple[_Columns, _Columns]:
    """Return the columns of both, the rows of the second in the order of the first."""
    columns, others = first[1], its[1]
    own_keys, its_keys = _alike([columns[-1], others[-1]])
    # The fellow of a row that could not be read is left out, too.
    own_known, its_known = set(own_keys), set(its_keys)
    if 0 < sum(value not in its_known for value in own_keys) <= len(its[2].places):
        columns, own_keys = _kept(columns, own_keys, its_known)
    if 0 < sum(value not in own_known for value in its_keys) <= len(first[2].places):
        others, its_keys = _kept(others, its_keys, own_known)
    # The place among the others of each own row; each key must come once on both sides.
    places = {value: place for place, value in enumerate(its_keys)}
    for values in (own_keys, its_keys):
        twice = next((value for value, count in Counter(values).items() if count > 1 or value is None), None)
        if twice is not None or None in values:
            raise InputError("ambiguous", "key", f"{key} must name each row once", twice, "name a column of ids")
    lost = next((value for value in own_keys if value not in places), None)
    if lost is not None or len(places) != len(own_keys):
        lost = lost if lost is not None else next(value for value in its_keys if value not in set(own_keys))
        shown = verbatim(f"{lost!r} in one of them only")
        raise InputError("length_mismatch", "data", "both must have the same rows", shown, "leave out what one lacks")
    order = [places[value] for value in own_keys]
    return columns, [[column[place] for place in order] for column in others]


def _kept(columns: _Columns, keys: list[Any], known: set[Any]) -> tuple[_Columns, list[Any]]:
    rows = [row for row, value in enumerate(keys) if value in known]
    return [[column[row] for row in rows] for column in columns], [keys[row] for row in rows]


def _by_order(first: _Source, its: _Source) -> tuple[_Columns, _Columns]:
    """Return the columns of both, but for rows that could not be read in one of them."""
    lengths = [len(source[1][0]) + len(source[2].places) for source in (first, its)]
    if lengths[0] != lengths[1]:
        shown = verbatim(f"{lengths[0]} and {lengths[1]} rows")
        hint = "give the same rows, or name the column that says which belong together as key"
        raise InputError("length_mismatch", "data", "both must have the same rows", shown, hint)
    unread = {*first[2].places, *its[2].places}
    return _but_for(first, unread), _but_for(its, unread)


def _but_for(source: _Source, unread: set[int]) -> _Columns:
    _, columns, faults = source
    if not unread:
        return columns
    gone = set(faults.places)
    places = (place for place in range(len(columns[0]) + len(gone)) if place not in gone)
    rows = [row for row, place in enumerate(places) if place not in unread]
    return [[column[row] for row in rows] for column in columns]


def _counted(
    data: Any, truth: str, first: str, second: str, by: Sequence[str], query: str | None, progress: Progress
) -> PairedRows:
    """Count where the data is: the second prediction is one more column to group by."""
    if first == second:
        hint = "name two columns, or give two files"
        raise InputError("ambiguous", "prediction", "is named twice", first, hint)
    try:
        counted = aggregate(data, truth=truth, prediction=first, by=[second, *by], query=query, progress=progress)
    except InputError as error:
        if error.argument != "by" or error.args[3] != second:
            raise
        raise InputError(error.code, "prediction", *error.args[2:]) from None
    columns = [{kind[:2][place] for kind in counted.kinds} for place in range(2)]
    truths, firsts, seconds = alike([*columns, {kind.group[0] for kind in counted.kinds}])
    missing, kinds = Counter(counted.missing), dict[tuple[Any, ...], Counter[Labels]]()
    for kind in counted.kinds:
        predicted = seconds[kind.group[0]]
        if predicted is None:
            missing[counted.by[0]] += kind.rows
        else:
            labels = truths[kind.truth], firsts[kind.predicted], predicted
            kinds.setdefault(kind.group[1:], Counter())[labels] += kind.rows
    return PairedRows(counted.by[1:], kinds, counted.rows, missing, counted.notes)


def _columns(data: Any, wanted: Request, query: str | None, progress: Progress) -> _Source:
    """Return columns of a source in memory, each row's values in its order."""
    if isinstance(data, str | Path):
        from .files import read_probabilities

        columns_of = {"truth": wanted.truth, "prediction": wanted.prediction, "by": wanted.by, "probabilities": ()}
        table = read_probabilities(data, query=query, progress=progress, **cast("Any", columns_of))
        return list(table), [list(column) for column in table.values()], table.faults
    if isinstance(data, Mapping):
        from .arrays import column_of

        header = list(data)
        chosen = [header[place] for place in wanted.places([str(name) for name in header], "the data")]
        columns = [list(map(plain, column_of(data[name], str(name)))) for name in chosen]
    else:
        from .engines import rows_in_memory

        chosen, columns = rows_in_memory(data, wanted)
    if len({len(column) for column in columns}) > 1:
        shown = verbatim(", ".join(f"{name}: {len(column)}" for name, column in zip(chosen, columns, strict=True)))
        raise InputError("length_mismatch", "data", "columns must be of one length", shown, "check the rows")
    return [str(name) for name in chosen], columns, Faults()


def _alike(columns: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return columns whose values can be compared."""
    spelt = alike([dict.fromkeys(column) for column in columns])
    return [[label[value] for value in column] for label, column in zip(spelt, columns, strict=True)]


def _check_truth(first: Sequence[Any], others: Sequence[Any], keys: Sequence[Any] | None) -> None:
    """Check that both sources tell the same truth; else say where they first differ."""
    for row, (one, other) in enumerate(zip(first, others, strict=True)):
        if one != other:
            where = f"row {row + 1}" if keys is None else f"{keys[row]!r}"
            shown = verbatim(f"{one!r} and {other!r} in {where}")
            hint = "check that both hold the same cases"
            if keys is None:
                hint = "give the same rows in the same order, or name the column that says which belong together as key"
            raise InputError("bad_label", "truth", "must be the same in both", shown, hint)


def _zipped(columns: Sequence[Sequence[Any]], rows: int) -> Any:
    return zip(*columns, strict=True) if columns else [()] * rows


def _sorted_out(names: Sequence[str], rows: Any, by: int) -> PairedRows:
    counts = Counter(rows)
    kinds, missing, total = dict[tuple[Any, ...], Counter[Labels]](), Counter[str](), 0
    for (labels, group), count in counts.items():
        total += count
        if None in labels:
            missing[names[0 if labels[0] is None else 1]] += count
        else:
            kinds.setdefault(group, Counter())[labels] += count
    if not total:
        raise InputError("empty", "data", "has no rows", verbatim("0 rows"), "check the filter before it")
    return PairedRows(tuple(names[2 : 2 + by]), kinds, total, missing)
