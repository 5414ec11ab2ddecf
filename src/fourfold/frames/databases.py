"""Databases in a file: opened read-only, asked one select, and counted by their own engine."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from ..errors import InputError, verbatim
from .files import SETTINGS, Progress, needed_duckdb, unreadable, watched
from .tally import MOST, Tally, Wanted, check_size

_SQLITE: Final = b"SQLite format 3\0"


def count_database(files: list[Path], wanted: Wanted, query: str | None, progress: Progress) -> Tally:
    """Count the rows that a query gives."""
    if len(files) > 1:
        shown = verbatim(f"{len(files)} files")
        raise InputError("ambiguous", "data", "must be one database", shown, "name one file")
    if query is None or not query.strip():
        hint = "say which rows, such as query='select * from predictions'"
        raise InputError("bad_option", "query", "must be given for a database", query, hint)
    with files[0].open("rb") as file:
        is_sqlite = file.read(len(_SQLITE)) == _SQLITE
    if is_sqlite:
        return _count_sqlite(files[0], wanted, query)
    return _count_duckdb(files[0], wanted, query, progress)


def _count_sqlite(file: Path, wanted: Wanted, query: str) -> Tally:
    query = query.strip().rstrip(";")
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as base:
            # As part of a larger select, a query can be nothing but one select itself.
            empty = base.execute("\n".join(("select * from (", query, ") limit 0")))
            header = [column[0] for column in empty.description]
            places = wanted.places(header, file)
            keys = ", ".join(f"c{place}" for place in places)
            named = ", ".join(f"c{place}" for place in range(len(header)))
            rows = (f"with fourfold_rows({named}) as (", query, ")")
            asked = (f"select {keys}, count(*)", "from fourfold_rows", f"group by {keys} limit {MOST + 1}")
            cells = base.execute("\n".join((*rows, *asked))).fetchall()
    except sqlite3.Error as error:
        raise _not_a_select(query, str(error)) from None
    names = [header[place] for place in places]
    check_size(len(cells), wanted)
    return Tally(names, cells)


def _count_duckdb(file: Path, wanted: Wanted, query: str, progress: Progress) -> Tally:
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
            names = [relation.columns[place] for place in wanted.places(relation.columns, file)]
            cells = watched(base, relation, names, progress)
            check_size(len(cells), wanted)
            return Tally(names, cells)
        except duckdb.Error as error:
            raise _not_a_select(query, str(error).splitlines()[0]) from None


def _not_a_select(query: str, reason: str) -> InputError:
    return InputError("bad_option", "query", f"must be one select that can be run ({reason})", query, "check the SQL")
