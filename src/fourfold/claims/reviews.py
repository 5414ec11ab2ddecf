"""A systematic review: many reports, one a row, each with its verdict beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final

from ..errors import FourfoldError, InputError, suggestion
from ..exact import CELLS
from ..metrics import METRICS, RECALL, SPECIFICITY, find, is_claimed
from ..processes import check_jobs, share_in_pieces
from .claim import OPTIONS, SIZES, is_count, is_left_out, is_of_class, whole_text
from .fitting_tables import MOST_TABLES, fitting
from .recovery import OF_FOLDS, Recovery, recover

# Rows that a worker is handed at once, and rows for each worker that are held together: so many that waiting for the
# slowest of them matters little, and so few that a table may be larger than memory. Larger pieces would gain nothing:
# joblib puts small ones together while they are quick; 5 or 50 rows take the same processor time, also on Dask. Small
# ones keep a report that takes a second from holding many others.
_ROWS_AT_ONCE: Final = 5
_ROWS_TOGETHER: Final = 5000
# Columns that say how a report is to be read, beside its sizes and scores.
_SAID: Final = (*OPTIONS, *OF_FOLDS, "classes")
#: What stands before the column of a score where a column holds the deviations printed after it.
_AFTER: Final = "± "
_DEVIATION: Final = re.compile(r"(?P<score>.*?)[\s_(]*(?:\bsd|\bstd|_sd|_std|±)\)?", re.IGNORECASE)
#: Columns of whole numbers, beside sizes and counts.
_WHOLE: Final = ("folds", "repeats", "classes", "max_total")
#: What the name of an added column ends in where the table has one of its name.
ADDED_ENDING: Final = " (fourfold)"
#: Columns added to each row; then come a low and a high one for each metric of the catalogue.
VERDICT_COLUMNS: Final = ("verdict", "reading", "count", *CELLS, "blame", "notes", "error")
#: The column that is added where each table that fits has a row: the number of the table among them.
NUMBER: Final = "table"


def review(
    reports: Iterable[Mapping[str, Any]],
    *,
    columns: Mapping[str, str] | None = None,
    all_tables: bool = False,
    n_jobs: int = 1,
    **options: Any,
) -> Iterator[dict[str, Any]]:
    """Recover every report of a review, one a row; a bad row says so in its row and the rest is done.

    Parameters
    ----------
    reports
        Rows: sizes, scores and counts by name; ``accuracy_sd``, or ``sd`` right after a score, is what was printed
        after ±. Columns that are none of these are carried along untouched.
    columns
        What a column of another name is: ``{"Our metric": "f1"}``; an empty name leaves a column out.
    all_tables
        A row for each table that fits, by rising sensitivity, with its number in ``table``; of at most 1,000 for each
        report, with the ends of sensitivity and specificity among them. ``count`` says how many fit.
    n_jobs
        How many processes work at it, through joblib, so that any joblib backend may be chosen around the call.
    options
        ``rounding``, ``undefined``, ``max_total``, ``budget`` and ``curve`` for all rows.

    Yields
    ------
    dict
        The row with the columns ``verdict``, ``reading``, ``count``, ``tp``, ``fn``, ``fp``, ``tn``, ``blame``,
        ``notes``, ``error`` and the bounds of every metric. Counts are those of the only table that fits. Where the row
        has a column of that name, the one that is added ends in ``(fourfold)``.

    Examples
    --------
    >>> rows = [{"study": "A", "positives": "40", "negatives": "60", "acc": "0.85"}, {"study": "B", "acc": "x"}]
    >>> [(row["study"], row["verdict"], row["count"]) for row in review(rows)]
    [('A', 'possible', 16), ('B', 'error', None)]
    >>> rows = [{"positives": 2, "negatives": 2, "acc": "0.5"}]
    >>> [(row["table"], row["tp"], row["tn"], row["count"]) for row in review(rows, all_tables=True)]
    [(1, 0, 2, 3), (2, 1, 1, 3), (3, 2, 0, 3)]
    """
    check_jobs(n_jobs)
    rows = iter(reports)
    first = next(rows, None)
    if first is None:
        return
    names = _known_columns([name for name in first if name is not None], columns or {})
    rows = chain([first], rows)
    judged = partial(verdict_rows, names=names, options=options, all_tables=all_tables)
    yield from chain.from_iterable(share_in_pieces(judged, rows, n_jobs, at_once=_ROWS_AT_ONCE, held=_ROWS_TOGETHER))


def _known_columns(header: Sequence[str], columns: Mapping[str, str]) -> dict[str, str]:
    """Return which columns are read, and as what."""
    unknown = [name for name in columns if name not in header]
    if unknown:
        hint = suggestion(unknown[0], header, f"the table has {', '.join(header[:20])}")
        raise InputError("unknown_column", "map", "the table has no such column", unknown[0], hint)
    for means in columns.values():
        if means and not _is_known(means):
            find(means)
    names = {name: columns.get(name, name) for name in header}
    names_read = {name: means for name, means in names.items() if means and (name in columns or _is_known(means))}
    known = dict(names_read)
    # Columns of deviations: accuracy_sd, or sd right after a score.
    for before, name in zip(["", *header], header, strict=False):
        match = _DEVIATION.fullmatch(name.strip())
        if match is None or name in columns or name in names_read:
            continue
        score = match["score"].strip()
        own = next((column for column, means in names_read.items() if score and score in (column, means)), None)
        if own is None and not score and before in names_read and is_claimed(names_read[before]):
            own = before
        if own is not None:
            known[name] = _AFTER + own
    if not any(means.strip().lower() not in {*SIZES, *_SAID} for means in known.values()):
        hint = "name a column after a metric, or map one: --map 'Column=f1'; `fourfold metrics` lists all"
        raise InputError("unknown_column", "table", "no column is a score", ", ".join(header[:20]), hint)
    return known


def _is_known(name: str) -> bool:
    if is_of_class(name):
        return is_claimed(name.partition("[")[0])
    return name.strip().lower() in SIZES or name in _SAID or is_claimed(name)


def verdict_rows(
    row: Mapping[str, Any], names: Mapping[str, str], options: Mapping[str, Any], *, all_tables: bool = False
) -> list[dict[str, Any]]:
    """Return one row with its verdict behind its own columns, once or for each table that fits."""
    verdict, recovery = _verdict(row, names, options)
    fit = fitting(recovery) if all_tables and recovery is not None else None
    each: list[dict[str, Any]] = [{}]
    if fit is not None:
        each = [{**table.cells(), NUMBER: number} for number, table in enumerate(fit.tables(), 1)]
    elif all_tables:
        each = [{NUMBER: None}]
    return [{**row, **{_free_name(name, row): value for name, value in {**verdict, **one}.items()}} for one in each]


def _free_name(name: str, row: Mapping[Any, Any]) -> str:
    while name in row:
        name += ADDED_ENDING
    return name


def _last_name(name: str, row: Mapping[Any, Any]) -> str:
    """Return the last of the columns that are called so, with endings of added columns or without."""
    while name + ADDED_ENDING in row:
        name += ADDED_ENDING
    return name


def added(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what was added to a row, by the names that it has where no column of the row is called so.

    Examples
    --------
    >>> [row] = review([{"acc": "0.5", "positives": 2, "negatives": 2, "notes": "mine"}])
    >>> row["notes"], row["notes (fourfold)"], added(row)["notes"], added(row)["verdict"]
    ('mine', None, None, 'possible')
    """
    return {name: row.get(_last_name(name, row)) for name in VERDICT_COLUMNS}


def is_last_table(row: Mapping[Any, Any]) -> bool:
    """Tell whether no row for another table of the same report comes after this one."""
    name = _last_name(NUMBER, row)
    number = None if name in own_columns(row) else row.get(name)
    return number is None or number == min(added(row)["count"], MOST_TABLES)


def own_columns(row: Mapping[Any, Any]) -> list[Any]:
    """Return the columns of a row that were there before."""
    first = _last_name(VERDICT_COLUMNS[0], row)
    return [name for name in list(row)[: list(row).index(first)] if name is not None]


def _verdict(
    row: Mapping[str, Any], names: Mapping[str, str], options: Mapping[str, Any]
) -> tuple[dict[str, Any], Recovery | None]:
    """Return what is added to a row, and what it rests on; errors stay in the row."""
    try:
        if None in row:
            beyond, hint = row[None], "quote cells that hold the delimiter"  # type: ignore[index]
            problem = InputError("length_mismatch", "row", "has more cells than the header", beyond, hint)
            raise beyond if isinstance(beyond, FourfoldError) else problem
        given: dict[str, Any] = {}
        for column, name in names.items():
            if is_left_out(name, row.get(column)) or name.startswith(_AFTER):
                continue
            if name in given:
                raise InputError("ambiguous", column, "is given twice", row.get(column), "map one of the columns away")
            is_whole = name.strip().lower() in SIZES or name in _WHOLE or (name not in _SAID and is_count(name))
            given[name] = whole_text(row[column]) if is_whole else row[column]
        for column, name in names.items():
            score = names.get(name.removeprefix(_AFTER))
            if name.startswith(_AFTER) and score in given and str(row.get(column) or "").strip():
                given[score] = f"{given[score]} {_AFTER}{row[column]}"
        rest = {name: value for name, value in options.items() if name != "bounds"}
        recovery = recover({**rest, **given}, bounds=options.get("bounds", "auto"))
        bounds = {} if recovery.layout == "parts" else recovery.shown_bounds
        if fit := fitting(recovery):
            # A meta-analysis needs them also where the bounds of all metrics would take long.
            bounds = bounds or {RECALL.id: fit.sensitivity, SPECIFICITY.id: fit.specificity}
        only = recovery.only_table
    except Exception as error:  # a row must not stop the others, whatever is wrong with it
        words = str(error) if isinstance(error, FourfoldError) else f"unexpected {type(error).__name__}: {error}"
        return {**dict.fromkeys(VERDICT_COLUMNS), "verdict": "error", "error": words, **_no_bounds()}, None
    unsaid = [check.words for check in recovery.intervals if not check.notes()]
    told: dict[str, Any] = {
        "verdict": recovery.verdict,
        "reading": recovery.reading if recovery.departures else None,
        "count": recovery.count,
        **(dict.fromkeys(CELLS) if only is None else only.cells()),
        "blame": "; ".join(" + ".join(names) for names in recovery.contradictions) or None,
        "notes": "; ".join([note.text for note in recovery.notes] + unsaid) or None,
        "error": None,
    }
    # Rows have the same columns, be they about two classes or several, with an area or without.
    known = {name: ends for name, ends in bounds.items() if name in METRICS}
    told |= _no_bounds() if len(known) < len(METRICS) else {}
    for name, ends in known.items():
        told[f"{name}_low"], told[f"{name}_high"] = ends.low, ends.high
    return told, recovery


def _no_bounds() -> dict[str, None]:
    return {f"{name}_{end}": None for name in METRICS for end in ("low", "high")}
