"""Databases in a file: opened read-only, asked one select, and counted by their own engine."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..errors import InputError, verbatim
from .engines import grouped
from .files import Progress, needed_duckdb, unreadable, watched
from .rows import SETTINGS
from .tally import MOST, Tally, Wanted, check_size

_SQLITE: Final = b"SQLite format 3\0"


def count_database(files: list[Path], wanted: Wanted, query: str | None, progress: Progress) -> Tally:
    """Count the rows that a query gives."""
    file, query = one_database(files, query)
    if is_sqlite(file):
        return _count_sqlite(file, wanted, query)
    return _count_duckdb(file, wanted, query, progress)


def one_database(files: list[Path], query: str | None) -> tuple[Path, str]:
    """Check that there are one database and a query."""
    if len(files) > 1:
        shown = verbatim(f"{len(files)} files")
        raise InputError("ambiguous", "data", "must be one database", shown, "name one file")
    if query is None or not query.strip():
        hint = "say which rows, such as query='select * from predictions'"
        raise InputError("bad_option", "query", "must be given for a database", query, hint)
    return files[0], query


def is_sqlite(file: Path) -> bool:
    """Tell an SQLite database from others by how it begins."""
    with file.open("rb") as raw:
        return raw.read(len(_SQLITE)) == _SQLITE


class Asked(NamedTuple):
    """An SQLite database that was asked: the wanted columns' names and SQL for them, and the rows as SQL."""

    base: sqlite3.Connection
    names: list[str]
    columns: str
    rows: str

    def select(self, what: str, ending: str = "") -> sqlite3.Cursor:
        """Select something of the rows."""
        return self.base.execute("\n".join((self.rows, f"select {what}", "from fourfold_rows", ending)))


@contextmanager
def asked_sqlite(file: Path, wanted: Wanted, query: str) -> Iterator[Asked]:
    """Open a database, and find the wanted columns in what a query gives."""
    query = query.strip().rstrip(";")
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as base:
            # As part of a larger select, a query can be nothing but one select itself.
            empty = base.execute("\n".join(("select * from (", query, ") limit 0")))
            header = [column[0] for column in empty.description]
            places = wanted.places(header, file)
            named = ", ".join(f"c{place}" for place in range(len(header)))
            rows = "\n".join((f"with fourfold_rows({named}) as (", query, ")"))
            columns = ", ".join(f"c{place}" for place in places)
            yield Asked(base, [header[place] for place in places], columns, rows)
    except sqlite3.Error as error:
        raise _not_a_select(query, str(error)) from None


def _count_sqlite(file: Path, wanted: Wanted, query: str) -> Tally:
    with asked_sqlite(file, wanted, query) as asked:
        ending = f"group by {asked.columns} limit {MOST + 1}"
        cells = asked.select(f"{asked.columns}, count(*)", ending).fetchall()
    check_size(len(cells), wanted)
    return Tally(asked.names, cells)


@contextmanager
def asked_duckdb(file: Path, wanted: Wanted, query: str) -> Iterator[tuple[Any, Any, list[str]]]:
    """Open a database, and find the wanted columns in what a query gives: (engine, rows, names)."""
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
            relation = base.sql(query)
            yield base, relation, [relation.columns[place] for place in wanted.places(relation.columns, file)]
        except duckdb.Error as error:
            raise _not_a_select(query, str(error).splitlines()[0]) from None


def _count_duckdb(file: Path, wanted: Wanted, query: str, progress: Progress) -> Tally:
    with asked_duckdb(file, wanted, query) as (base, relation, names):
        cells = watched(base, grouped(relation, names), progress)
    check_size(len(cells), wanted)
    return Tally(names, cells)


def _not_a_select(query: str, reason: str) -> InputError:
    return InputError("bad_option", "query", f"must be one select that can be run ({reason})", query, "check the SQL")
