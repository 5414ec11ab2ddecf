"""Files of rows: streamed and counted by DuckDB, plain CSV also without it."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from glob import escape, glob
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from ..errors import InputError, MissingExtra, verbatim
from .engines import fetched, grouped
from .rows import BATCH, MISSING, PARQUET, csv_rows, delimiter_of, header_of, new_engine, opened, size_of, spellings
from .tally import MOST, Tally, Wanted, check_size

Progress: TypeAlias = Callable[[float], None] | None

_DATABASES: Final = frozenset({".duckdb", ".db", ".sqlite", ".sqlite3"})
# This many rows of a file show whether a column is an id, before all of them are held.
_SAMPLE: Final = 2 * MOST
# Blank lines that may stand before a header.
_MOST_BLANK: Final = 100
_TICK: Final = 0.1
_BLOCK: Final = 1 << 22
# How zstandard's frames begin, those to be passed over too; and the kind of block that is one byte, repeated.
_FRAME: Final = 0xFD2FB528
_SKIPPED_FRAME: Final = 0x184D2A50
_REPEATED: Final = 1
# Tables, but of kinds that would only be misread as CSV.
_UNREAD: Final = frozenset(
    {".xlsx", ".xls", ".ods", ".json", ".jsonl", ".ndjson", ".feather", ".arrow", ".avro", ".orc"}
)


def count_files(text: str, wanted: Wanted, query: str | None, progress: Progress) -> Tally:
    """Count a file, all files that a pattern matches, or what a query finds in a database."""
    kind, files = located(text, query)
    if kind == "database":
        from .databases import count_database

        return count_database(files, wanted, query, progress)
    return (_count_parquet if kind == "parquet" else _count_csv)(files, wanted, progress)


def located(text: str, query: str | None) -> tuple[str, list[Path]]:
    """Find the files, which must be of one kind; only a database is asked a query."""
    files = _files(text)
    kinds = {_kind(file) for file in files}
    if len(kinds) > 1:
        shown = verbatim(f"{' and '.join(sorted(kinds))} for {text}")
        raise InputError("ambiguous", "data", "must be files of one kind", shown, "name one kind in the pattern")
    [kind] = kinds
    if query is not None and kind != "database":
        hint = "give a .duckdb or .sqlite file, or leave it out"
        raise InputError("bad_option", "query", "goes with a database file only", query, hint)
    return kind, files


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
    if suffix in _UNREAD:
        hint = "save it as CSV or parquet"
        raise InputError("bad_shape", "data", f"files of kind {suffix} are not read", str(file), hint)
    return "database" if suffix in _DATABASES else "parquet" if suffix in PARQUET else "CSV"


def _count_parquet(files: list[Path], wanted: Wanted, progress: Progress) -> Tally:
    duckdb = needed_duckdb("reading parquet", files[0])
    try:
        with new_engine(duckdb) as engine:
            relation, names = read_parquet(engine, files, wanted)
            # Parquet files say how many rows they have, so this reads none.
            [[rows]] = relation.count("*").fetchall()
            return Tally(names, _counts(engine, relation, names, wanted, progress), rows)
    except duckdb.Error as error:
        raise unreadable("parquet", error, files[0]) from None


def read_parquet(engine: Any, files: list[Path], wanted: Wanted) -> tuple[Any, list[str]]:
    """Open parquet files and find the wanted columns."""
    relation = _read(engine, "read_parquet", files, {"hive_types_autocast": "false"})
    return relation, [relation.columns[place] for place in wanted.places(relation.columns, _shown(files))]


def _count_csv(files: list[Path], wanted: Wanted, progress: Progress) -> Tally:
    return _stripped(either_csv(files, wanted, progress, _fast_csv, _plain_csv))


def either_csv(
    files: list[Path], wanted: Wanted, progress: Progress, fast: Callable[..., Any], plain: Callable[..., Any]
) -> Any:
    """Read CSV files with DuckDB where it is installed and can, else plainly."""
    if any(file.suffix.lower() == ".zst" for file in files):
        duckdb = needed_duckdb("reading .zst", files[0])
        _check_unpacking(files)
        try:
            return fast(duckdb, files, wanted, progress)
        except (duckdb.Error, csv.Error) as error:
            raise unreadable("CSV", error, files[0]) from None
    try:
        import duckdb
    except ImportError:
        return plain(files, wanted, progress)
    # A pipe can be read once only, and DuckDB would look at its header first.
    if all(file.is_file() for file in files):
        _check_unpacking(files)
        try:
            return fast(duckdb, files, wanted, progress)
        except (duckdb.Error, csv.Error):
            pass  # the plain reader takes more, and says in which line it does not
    return plain(files, wanted, progress)


def _check_unpacking(files: Sequence[Path]) -> None:
    """Refuse a .gz or .zst file that breaks off: DuckDB takes what there is without a word."""
    for file in files:
        if file.suffix.lower() == ".zst" and _breaks_off(file):
            raise unreadable("zstandard", EOFError("it breaks off"), file)
        if file.suffix.lower() == ".gz":
            try:
                with gzip.open(file) as data:
                    while data.read(_BLOCK):
                        pass
            except (EOFError, OSError, zlib.error) as error:
                raise unreadable("gzip", error, file) from None


def _breaks_off(file: Path) -> bool:
    """Tell whether a zstandard file ends within a frame, by its frames' and blocks' own sizes (RFC 8878)."""
    size = file.stat().st_size
    with file.open("rb") as data:
        while start := data.read(4):
            magic = int.from_bytes(start, "little")
            if magic & ~0xF == _SKIPPED_FRAME:
                data.seek(int.from_bytes(data.read(4), "little"), io.SEEK_CUR)
                continue
            if magic != _FRAME:
                return False  # no such file at all: whoever reads it says so
            flags = int.from_bytes(data.read(1), "little")
            single, content = flags >> 5 & 1, flags >> 6
            lengths = (1 - single, (0, 1, 2, 4)[flags & 3], (single, 2, 4, 8)[content])
            data.seek(sum(lengths), io.SEEK_CUR)
            last = 0
            while not last:
                head = data.read(3)
                if len(head) < 3:
                    return True
                block = int.from_bytes(head, "little")
                last, kind = block & 1, block >> 1 & 3
                data.seek(1 if kind == _REPEATED else block >> 3, io.SEEK_CUR)
            data.seek(4 * (flags >> 2 & 1), io.SEEK_CUR)
        return data.tell() > size


def _fast_csv(duckdb: Any, files: list[Path], wanted: Wanted, progress: Progress) -> Tally:
    with new_engine(duckdb) as engine:
        relation, names = read_csv(engine, files, wanted)
        return Tally(names, _counts(engine, relation, relation.columns, wanted, progress))


def read_csv(engine: Any, files: list[Path], wanted: Wanted) -> tuple[Any, list[str]]:
    """Open the wanted columns of CSV files, in their order; files whose columns stand in another are read apart."""
    alike: dict[tuple[int, str], list[Path]] = {}
    for file in files:
        alike.setdefault(_heading(engine, file), []).append(file)
    names: list[str] = []
    relation = None
    for (skip, line), same in alike.items():
        header = next(csv.reader([line], delimiter=delimiter_of(line), strict=True))
        places = wanted.places(header, same[0])
        names = names or [header[place].strip() for place in places]
        wanted = wanted.resolved(names)
        part = _texts(engine, same, header, delimiter_of(line), skip)
        part = part.select(*(f"c{place}" for place in places))
        relation = part if relation is None else relation.union(part)
    assert relation is not None
    return relation, names


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


def _counts(
    engine: Any, relation: Any, names: Sequence[str], wanted: Wanted, progress: Progress
) -> list[Sequence[Any]]:
    check_sample(relation, names, wanted)
    cells = watched(engine, grouped(relation, names), progress)
    check_size(len(cells), wanted)
    return cells


def check_sample(relation: Any, names: Sequence[str], wanted: Wanted) -> None:
    """Refuse an id as a group after a few rows."""
    check_size(len(fetched(grouped(relation.limit(_SAMPLE), names))), wanted)


def watched(engine: Any, cells: Any, progress: Progress) -> list[Sequence[Any]]:
    """Bring cells from DuckDB, and tell meanwhile how far it has come; its own bar stays off."""
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
    for piece in pieces(files, wanted, progress):
        names = names or piece.names
        cells.update(piece.rows)
        check_size(len(cells), wanted)
    return Tally(names, [(*values, count) for values, count in cells.items()])


class Piece(NamedTuple):
    """Some rows of a CSV file: the wanted columns as that file names them, their values, and where the first row is."""

    file: Path
    names: list[str]
    rows: list[tuple[str, ...]]
    start: int


def pieces(files: list[Path], wanted: Wanted, progress: Progress) -> Iterator[Piece]:
    """Walk CSV files, plain or .gz, with Python alone, a batch of rows at a time; at least one piece for each file."""
    size, done = sum(size_of(file, "data") for file in files), 0
    for file in files:
        with opened(file, "data") as (raw, text):
            rows = csv_rows(text, file, argument="data", empty_rows=True)
            header = header_of(rows, file, "data")
            places = wanted.places(header, file)
            names, chosen, start = [header[place].strip() for place in places], itemgetter(*places), 0
            # What one file calls them, the others must too: they may have them in another order.
            wanted = wanted.resolved(names)
            yield Piece(file, names, [], start)
            while batch := list(islice(rows, BATCH)):
                yield Piece(file, names, [chosen(row) for _, row in batch], start)
                start += len(batch)
                if progress and raw.seekable():
                    progress(min((done + raw.tell()) / size, 1.0))
            done += size_of(file, "data")


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
