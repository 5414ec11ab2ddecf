"""Files of probabilities: streamed and summed by DuckDB; plain CSV and SQLite databases in batches without it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .array_sums import Batches, numbers_of
from .databases import asked_duckdb, asked_sqlite, is_sqlite, one_database
from .engine_sums import first_bad, grouped_sums, prepared
from .files import Progress, check_sample, either_csv, located, needed_duckdb, pieces, unreadable, watched
from .files import read_csv as read_csv_files
from .files import read_parquet as read_parquet_files
from .rows import BATCH, MISSING, new_engine, spellings
from .sums import Sums, bad_rows
from .tally import Wanted, check_size


def sum_files(text: str, wanted: Wanted, tolerance: float, query: str | None, progress: Progress) -> Sums:
    """Sum a file, all files that a pattern matches, or what a query finds in a database."""
    kind, files = located(text, query)
    if kind == "database":
        file, query = one_database(files, query)
        if is_sqlite(file):
            return _sum_sqlite(file, wanted, tolerance, query)
        return _sum_duckdb(file, wanted, tolerance, query, progress)
    if kind == "parquet":
        return _sum_parquet(files, wanted, tolerance, progress)
    fast, plain = (partial(way, tolerance) for way in (_fast_csv, _plain_csv))
    return _stripped(either_csv(files, wanted, progress, fast, plain))


def _sum_parquet(files: list[Path], wanted: Wanted, tolerance: float, progress: Progress) -> Sums:
    duckdb = needed_duckdb("reading parquet", files[0])
    try:
        with new_engine(duckdb) as engine:
            relation, names = read_parquet_files(engine, files, wanted)
            # Parquet files say how many rows they have, so this reads none.
            [[rows]] = relation.count("*").fetchall()
            found = _sums(engine, relation, names, wanted, tolerance, progress)
            if found.bad:
                same = wanted.resolved(names)
                parts = ((file, *read_parquet_files(engine, [file], same)) for file in files)
                raise _first_bad(found, parts, tolerance)
            return found._replace(rows=rows)
    except duckdb.Error as error:
        raise unreadable("parquet", error, files[0]) from None


def _sum_duckdb(file: Path, wanted: Wanted, tolerance: float, query: str, progress: Progress) -> Sums:
    with asked_duckdb(file, wanted, query) as (base, relation, names):
        found = _sums(base, relation, names, wanted, tolerance, progress)
        if found.bad:
            raise _first_bad(found, [(None, relation, names)], tolerance)
        return found


def _sums(
    engine: Any, relation: Any, names: Sequence[str], wanted: Wanted, tolerance: float, progress: Progress
) -> Sums:
    """Sum in DuckDB."""
    keys = len(wanted.keys)
    rest = prepared(relation, names[:keys], names[keys:])
    check_sample(relation, names[:keys], wanted)
    cells = watched(engine, grouped_sums(rest, keys, wanted, tolerance), progress)
    check_size(len(cells), wanted)
    return Sums(names[:keys], names[keys:], [tuple(cell) for cell in cells], wanted.labels)


def _first_bad(found: Sums, parts: Iterable[tuple[Path | None, Any, Sequence[str]]], tolerance: float) -> InputError:
    """Look for the first bad row, a file at a time; what a query gives need not have an order."""
    import narwhals as nw

    keys, width = len(found.names), len(found.columns)
    for file, relation, names in parts:
        rest = prepared(relation, names[:keys], names[keys:])
        if file is not None:
            rest = nw.from_native(rest.to_native().project("row_number() over () - 1 as row, *"))
        if row := first_bad(rest, found.labels, width, tolerance):
            number, values = row
            return bad_rows(found.bad, None if file is None else f"row {number} of {file.name}", values)
    return bad_rows(found.bad, None, [float("nan")])


def _fast_csv(tolerance: float, duckdb: Any, files: list[Path], wanted: Wanted, progress: Progress) -> Sums:
    with new_engine(duckdb) as engine:
        relation, names = _numeric_csv(engine, files, wanted)
        keys = len(wanted.keys)
        found = _sums(engine, relation, relation.columns, wanted, tolerance, progress)
        if found.bad:
            same = wanted.resolved(names)
            parts = ((file, _numeric_csv(engine, [file], same)[0]) for file in files)
            raise _first_bad(found, ((file, part, part.columns) for file, part in parts), tolerance)
        return found._replace(names=names[:keys], columns=names[keys:])


def _numeric_csv(engine: Any, files: list[Path], wanted: Wanted) -> tuple[Any, list[str]]:
    """Open CSV files with labels as texts, null where they are missing, and probabilities as numbers."""
    relation, names = read_csv_files(engine, files, wanted)
    missing = ", ".join(f"'{text}'" for text in sorted(MISSING))
    chosen = []
    for n, column in enumerate(relation.columns):
        if n < wanted.labels:
            chosen.append(f"case when lower(trim({column})) in ({missing}) then null else {column} end as k{n}")
        else:
            chosen.append(f"{column} as k{n}" if n < len(wanted.keys) else f"try_cast({column} as double) as k{n}")
    return relation.project(", ".join(chosen)), names


def _plain_csv(tolerance: float, files: list[Path], wanted: Wanted, progress: Progress) -> Sums:
    """Sum CSV files, plain or .gz, without DuckDB."""
    batches = Batches(wanted, tolerance)
    names: list[str] = []
    for piece in pieces(files, wanted, progress):
        names = names or piece.names
        if piece.rows:
            _add_texts(batches, piece.rows, piece.start, f" of {piece.file.name}")
    return batches.sums(names)


def _sum_sqlite(file: Path, wanted: Wanted, tolerance: float, query: str) -> Sums:
    """Sum what a query gives, a batch at a time."""
    batches = Batches(wanted, tolerance)
    with asked_sqlite(file, wanted, query) as asked:
        rows = asked.select(asked.columns)
        while batch := rows.fetchmany(BATCH):
            keys, numbers = _split(batch, wanted)
            batches.add(keys, numbers)
    return batches.sums(asked.names)


def _add_texts(batches: Batches, rows: Iterable[Sequence[str]], start: int, where: str) -> None:
    keys, numbers = _split(rows, batches.wanted)
    for n in range(batches.wanted.labels):
        keys[n] = [None if text.strip().casefold() in MISSING else text for text in keys[n]]
    batches.add(keys, numbers, lambda row: f"row {start + row}{where}")


def _split(rows: Iterable[Sequence[Any]], wanted: Wanted) -> tuple[list[list[Any]], list[NDArray[np.float64]]]:
    """Return columns of values, and of numbers."""
    columns = list(map(list, zip(*rows, strict=True)))
    keys = len(wanted.keys)
    return columns[:keys], [numbers_of(column) for column in columns[keys:]]


def _stripped(sums: Sums) -> Sums:
    """Drop blanks around texts, tell which labels are missing, and bring numbers among labels to one spelling."""
    keys, first = len(sums.names), sums.labels
    cells = [([(value or "").strip() for value in cell[:keys]], cell[keys:]) for cell in sums.cells]
    labels = {label for texts, _ in cells for label in texts[:first] if label.casefold() not in MISSING}
    spelt = {label: label for label in labels} | spellings(labels)
    read = [(*map(spelt.get, texts[:first]), *(text or None for text in texts[first:]), *rest) for texts, rest in cells]
    return sums._replace(cells=read)
