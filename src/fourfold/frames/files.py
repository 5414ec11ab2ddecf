"""Files of rows: streamed and counted by DuckDB, plain CSV also without it."""

from __future__ import annotations

import csv
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from glob import escape, glob
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, TypeAlias

from ..errors import InputError, MissingExtra, verbatim
from .engines import fetched, grouped
from .rows import BATCH, MISSING, csv_rows, delimiter_of, header_of, opened, size_of, spellings
from .tally import MOST, Tally, Wanted, check_size

Progress: TypeAlias = Callable[[float], None] | None

_DATABASES: Final = frozenset({".duckdb", ".db", ".sqlite", ".sqlite3"})
_PARQUET: Final = frozenset({".parquet", ".pq"})
# Nothing is fetched from elsewhere.
SETTINGS: Final = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
# This many rows of a file show whether a column is an id, before all of them are held.
_SAMPLE: Final = 2 * MOST
# Blank lines that may stand before a header.
_MOST_BLANK: Final = 100
_TICK: Final = 0.1


def count_files(text: str, wanted: Wanted, query: str | None, progress: Progress) -> Tally:
    """Count a file, all files that a pattern matches, or what a query finds in a database."""
    files = _files(text)
    kinds = {_kind(file) for file in files}
    if len(kinds) > 1:
        shown = verbatim(f"{' and '.join(sorted(kinds))} for {text}")
        raise InputError("ambiguous", "data", "must be files of one kind", shown, "name one kind in the pattern")
    [kind] = kinds
    if kind == "database":
        from .databases import count_database

        return count_database(files, wanted, query, progress)
    if query is not None:
        hint = "give a .duckdb or .sqlite file, or leave it out"
        raise InputError("bad_option", "query", "goes with a database file only", query, hint)
    return (_count_parquet if kind == "parquet" else _count_csv)(files, wanted, progress)


def _files(text: str) -> list[Path]:
    """Return the files that a path or pattern names; a file whose own name looks like a pattern is that file."""
    path = Path(text)
    try:
        if not set(text) & set("*?[") or path.exists():
            size_of(path, "data")
            return [path]
        found = [Path(name) for name in sorted(glob(text, recursive=True)) if Path(name).is_file()]
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise InputError("no_file", "data", f"cannot be read ({reason})", text, "check the path") from None
    if not found:
        raise InputError("no_file", "data", "no file matches", text, "check the pattern")
    return found


def _kind(file: Path) -> str:
    suffix = file.suffix.lower()
    return "database" if suffix in _DATABASES else "parquet" if suffix in _PARQUET else "CSV"


def _count_parquet(files: list[Path], wanted: Wanted, progress: Progress) -> Tally:
    duckdb = needed_duckdb("reading parquet", files[0])
    try:
        with _engine(duckdb) as engine:
            relation = _read(engine, "read_parquet", files, {"hive_types_autocast": "false"})
            names = [relation.columns[place] for place in wanted.places(relation.columns, _shown(files))]
            # Parquet files say how many rows they have, so this reads none.
            [[rows]] = relation.count("*").fetchall()
            return Tally(names, _counts(engine, relation, names, wanted, progress), rows)
    except duckdb.Error as error:
        raise unreadable("parquet", error, files[0]) from None


def _count_csv(files: list[Path], wanted: Wanted, progress: Progress) -> Tally:
    if any(file.suffix.lower() == ".zst" for file in files):
        duckdb = needed_duckdb("reading .zst", files[0])
        try:
            return _stripped(_fast_csv(duckdb, files, wanted, progress))
        except (duckdb.Error, csv.Error) as error:
            raise unreadable("CSV", error, files[0]) from None
    try:
        import duckdb
    except ImportError:
        return _stripped(_plain_csv(files, wanted, progress))
    # A pipe can be read once only, and DuckDB would look at its header first.
    if all(file.is_file() for file in files):
        try:
            return _stripped(_fast_csv(duckdb, files, wanted, progress))
        except (duckdb.Error, csv.Error):
            pass  # the plain reader takes more, and says in which line it does not
    return _stripped(_plain_csv(files, wanted, progress))


def _fast_csv(duckdb: Any, files: list[Path], wanted: Wanted, progress: Progress) -> Tally:
    """Count CSV files with DuckDB; files whose columns stand in another order are read apart."""
    with _engine(duckdb) as engine:
        alike: dict[tuple[int, str], list[Path]] = {}
        for file in files:
            alike.setdefault(_heading(engine, file), []).append(file)
        names: list[str] = []
        relation = None
        for (skip, line), same in alike.items():
            header = next(csv.reader([line], delimiter=delimiter_of(line), strict=True))
            places = wanted.places(header, same[0])
            names = names or [header[place].strip() for place in places]
            part = _texts(engine, same, header, delimiter_of(line), skip)
            part = part.select(*(f"c{place}" for place in places))
            relation = part if relation is None else relation.union(part)
        assert relation is not None
        return Tally(names, _counts(engine, relation, relation.columns, wanted, progress))


def _heading(engine: Any, file: Path) -> tuple[int, str]:
    """Return the header's line, and how many blank ones stand before it."""
    unsplit = {"columns": "{'line': 'VARCHAR'}", "delim": _quoted("\x01"), "quote": "''", "escape": "''"}
    options = {**unsplit, "header": "false", "auto_detect": "false"}
    lines = _read(engine, "read_csv", [file], options).limit(_MOST_BLANK).fetchall()
    for number, (line,) in enumerate(lines):
        if line and line.strip():
            return number, line
    raise InputError("empty", "data", "is empty", str(file), "check how it was written")


def _texts(engine: Any, files: list[Path], header: Sequence[str], delimiter: str, skip: int) -> Any:
    """Read columns as the texts they are written as, named by their places: names may come twice."""
    types = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(header)))
    options = {"columns": f"{{{types}}}", "delim": _quoted(delimiter), "quote": "'\"'", "escape": "'\"'"}
    return _read(engine, "read_csv", files, {**options, "header": "true", "auto_detect": "false", "skip": str(skip)})


def _read(engine: Any, function: str, files: list[Path], options: Mapping[str, str]) -> Any:
    listed = ", ".join(_quoted(escape(str(file))) for file in files)
    named = "".join(f", {name} = {value}" for name, value in options.items())
    return engine.sql(f"from {function}([{listed}]{named})")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _engine(duckdb: Any) -> Any:
    return duckdb.connect(config={**SETTINGS, "temp_directory": tempfile.gettempdir()})


def _counts(
    engine: Any, relation: Any, names: Sequence[str], wanted: Wanted, progress: Progress
) -> list[Sequence[Any]]:
    check_size(len(fetched(grouped(relation.limit(_SAMPLE), names))), wanted)
    cells = watched(engine, relation, names, progress)
    check_size(len(cells), wanted)
    return cells


def watched(engine: Any, relation: Any, names: Sequence[str], progress: Progress) -> list[Sequence[Any]]:
    """Count in DuckDB, and tell meanwhile how far it has come; its own bar stays off."""
    cells = grouped(relation, names)
    if progress is None:
        return fetched(cells)
    engine.execute("set enable_progress_bar = true")
    engine.execute("set enable_progress_bar_print = false")
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(fetched, cells)
        share = 0.0
        try:
            while not wait([job], timeout=_TICK).done:
                share = max(share, min(engine.query_progress(), 100) / 100)
                progress(share)
        except BaseException:
            engine.interrupt()
            raise
        return job.result()


def _plain_csv(files: list[Path], wanted: Wanted, progress: Progress) -> Tally:
    """Count CSV files, plain or .gz, with Python alone."""
    cells: Counter[tuple[str, ...]] = Counter()
    names: list[str] = []
    size, done = sum(size_of(file, "data") for file in files), 0
    for file in files:
        with opened(file, "data") as (raw, text):
            rows = csv_rows(text, file, argument="data", empty_rows=True)
            header = header_of(rows, file, "data")
            places = wanted.places(header, file)
            names = names or [header[place].strip() for place in places]
            chosen = itemgetter(*places)
            while batch := list(islice(rows, BATCH)):
                cells.update(chosen(row) for _, row in batch)
                check_size(len(cells), wanted)
                if progress and raw.seekable():
                    progress(min((done + raw.tell()) / size, 1.0))
            done += size_of(file, "data")
    return Tally(names, [(*values, count) for values, count in cells.items()])


def _stripped(tally: Tally) -> Tally:
    """Drop blanks around texts, tell which labels are missing, and bring numbers among labels to one spelling.

    Groups stay as they are written: 01 is not 1, and NA may be a country.
    """
    cells = [[*((value or "").strip() for value in values), count] for *values, count in tally.cells]
    labels = {label for cell in cells for label in cell[:2] if label.casefold() not in MISSING}
    spelt = {label: label for label in labels} | spellings(labels)
    read = [(*map(spelt.get, cell[:2]), *(value or None for value in cell[2:-1]), cell[-1]) for cell in cells]
    return Tally(tally.names, read)


def needed_duckdb(what: str, file: Path) -> Any:
    """Import DuckDB, or say what brings it."""
    try:
        import duckdb
    except ImportError:
        hint = "pip install 'fourfold[data]'"
        raise MissingExtra("missing_extra", "data", f"{what} needs duckdb", str(file), hint) from None
    return duckdb


def unreadable(kind: str, error: Exception, file: Path) -> InputError:
    """Say in the one grammar that a file is not what its name promises."""
    reason = str(error).splitlines()[0]
    return InputError("bad_shape", "data", f"is not readable as {kind} ({reason})", str(file), "check the file")


def _shown(files: list[Path]) -> str:
    return str(files[0]) if len(files) == 1 else f"{files[0]} (the first of {len(files)} files)"
