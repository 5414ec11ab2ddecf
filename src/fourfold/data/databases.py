"""Databases in a file: opened read-only, and asked one select."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from ..errors import NOTHING, InputError, verbatim
from .aggregation import Progress
from .columns import Request
from .files import BATCH, SETTINGS, Batch, BatchedRows, Relation, Table, needed_duckdb, unreadable

_SQLITE: Final = b"SQLite format 3\0"


@contextmanager
def open_database(files: list[Path], wanted: Request, query: str | None, progress: Progress) -> Iterator[Table]:
    """Open the rows that a query gives."""
    if len(files) > 1:
        shown = verbatim(f"{len(files)} files")
        raise InputError("ambiguous", "data", "must be one database", shown, "name one file")
    if query is None or not query.strip():
        hint = "say which rows, such as query='select * from predictions'"
        raise InputError("bad_option", "query", "is required for a database", NOTHING, hint)
    [file] = files
    with file.open("rb") as raw:
        sqlite = raw.read(len(_SQLITE)) == _SQLITE
    with _sqlite(file, wanted, query) if sqlite else _duckdb(file, wanted, query, progress) as table:
        yield table


@contextmanager
def _sqlite(file: Path, wanted: Request, query: str) -> Iterator[BatchedRows]:
    query = query.strip().rstrip(";")
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as base:
            # As part of a larger select, a query can be nothing but one select itself.
            empty = base.execute("\n".join(("select * from (", query, ") limit 0")))
            header = [column[0] for column in empty.description]
            places = wanted.places(header, file)
            numbered = ", ".join(f"c{place}" for place in range(len(header)))
            chosen = ", ".join(f"c{place}" for place in places)
            rows = (f"with fourfold_rows({numbered}) as (", query, ")", f"select {chosen}", "from fourfold_rows")
            names = [header[place] for place in places]
            yield BatchedRows(names, _batches(base.execute("\n".join(rows)), names), wanted)
    except sqlite3.Error as error:
        raise _not_a_select(query, str(error)) from None


def _batches(cursor: sqlite3.Cursor, names: list[str]) -> Iterator[Batch]:
    start = 0
    while rows := cursor.fetchmany(BATCH):
        yield Batch("", names, rows, start)
        start += len(rows)


@contextmanager
def _duckdb(file: Path, wanted: Request, query: str, progress: Progress) -> Iterator[Relation]:
    duckdb = needed_duckdb("reading a database", file)
    try:
        base = duckdb.connect(str(file), read_only=True, config={**SETTINGS, "enable_external_access": "false"})
    except duckdb.Error as error:
        raise unreadable("a DuckDB or SQLite database", error, file) from None
    with base:
        try:
            statements = base.extract_statements(query)
            if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
                raise _not_a_select(query, f"{len(statements)} statements" if len(statements) != 1 else "another kind")
            rows = base.sql(query)
            names = [rows.columns[place] for place in wanted.places(rows.columns, file)]
            yield Relation(base, rows, names, names, wanted, progress)
        except duckdb.Error as error:
            raise _not_a_select(query, str(error).splitlines()[0]) from None


def _not_a_select(query: str, reason: str) -> InputError:
    return InputError("bad_option", "query", f"must be one select that can be run ({reason})", query, "check the SQL")
