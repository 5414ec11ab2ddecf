"""Files of rows: how each kind is found, opened and read.

To read another kind, write a function that opens it, as `scan_parquet` does, and add a line to `READERS`.
"""

from __future__ import annotations

import atexit
import os
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from glob import escape, glob
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar

from ..errors import InputError, MissingExtra, Note, TooLarge, verbatim
from .aggregation import Grouped, Progress, count_groups
from .columns import MOST, EveryColumn, Request, check_size, request
from .engines import aggregate_selected, fetched, group, nw, quoted_name, select, taken_over
from .faults import Faults
from .labels import alike, plain, stripped
from .rows import cannot_be_read, named, read_rows, size_of
from .thresholds import decided_rows

if TYPE_CHECKING:
    from .arrays import FileColumns

T = TypeVar("T")

#: Rows at a time: memory does not grow with their number.
BATCH: Final = 1 << 16
# Nothing is fetched from elsewhere.
SETTINGS: Final = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
# This many rows of a file show whether a column is an id, before all of them are held.
_SAMPLE: Final = 2 * MOST
_TICK: Final = 0.1
# Tables, but of kinds that would only be misread as CSV.
_UNREAD: Final = frozenset(
    {".xlsx", ".xls", ".ods", ".json", ".jsonl", ".ndjson", ".feather", ".arrow", ".avro", ".orc"}
)


class Batch(NamedTuple):
    """Some rows: of which file, as " of a.csv"; the columns' names there; their values; the first row's number."""

    file: str
    names: Sequence[str]
    rows: list[tuple[Any, ...]]
    start: int


@dataclass(frozen=True)
class Relation:
    """The wanted columns in DuckDB, as files name them and as DuckDB does; and how many rows, where that is free."""

    engine: Any
    rows: Any
    names: Sequence[str]
    columns: Sequence[str]
    wanted: Request
    progress: Progress = None
    total: int | None = None
    parts: Iterable[tuple[Path, Relation]] = ()

    def aggregate(self) -> Grouped:
        """Count or sum in DuckDB."""
        counting = replace(self.wanted, probabilities=())
        sample = select(self.rows.limit(_SAMPLE), self.columns[: len(self.wanted.keys)], counting)
        check_size(len(fetched(group(sample, counting))), self.wanted.keys)
        fetch = partial(_watched, self.engine, self.progress)
        return aggregate_selected(self._selected(), self.names, self.wanted, self.total, fetch, self._numbered())

    def _selected(self) -> Any:
        return select(self.rows, self.columns, self.wanted)

    def _numbered(self) -> Iterator[tuple[str, Any]]:
        """Give the rows of each file their numbers; what a query gives need not have an order."""
        if not self.parts:
            yield "", self._selected()
        for file, part in self.parts:
            rows = part._selected().to_native().project("row_number() over () - 1 as row, *")
            yield f" of {file.name}", nw.from_native(rows)

    def batches(self, limit: int | None = None) -> Iterator[Batch]:
        """Yield the rows, at most as many as a limit."""
        rows = self.rows if limit is None else self.rows.limit(limit)
        query, start = rows.project(", ".join(map(quoted_name, self.columns))).sql_query(), 0
        # A relation gives no batches from DuckDB 2 on; a cursor does in each version.
        with self.engine.cursor() as cursor:
            cursor.execute(query)
            while batch := cursor.fetchmany(BATCH):
                yield Batch("", self.names, batch, start)
                start += len(batch)


@dataclass(frozen=True)
class BatchedRows:
    """Rows that come in batches."""

    names: Sequence[str]
    walk: Iterator[Batch]
    wanted: Request
    #: What is wrong with rows that were left out; all of it is known when the rows have been walked over.
    faults: Faults = field(default_factory=Faults)

    def aggregate(self) -> Grouped:
        """Count with a dictionary, or sum with numpy."""
        if self.wanted.probabilities:
            return self._summed()
        counts: Counter[tuple[Any, ...]] = Counter()
        for batch in self.walk:
            counts.update(decided_rows(batch.rows, self.wanted, self.names[self.wanted.labels - 1]))
            check_size(len(counts), self.wanted.keys)
        grouped = Grouped.read(self.names, [(*values, count) for values, count in counts.items()], self.wanted)
        return grouped._replace(notes=self.faults.notes)

    def _summed(self) -> Grouped:
        from .arrays import Batches, numbers_of

        batches, keys = Batches(self.wanted), len(self.wanted.keys)
        for batch in self.batches():
            columns: list[Any] = list(map(list, zip(*batch.rows, strict=True)))
            batches.add(columns[:keys], [numbers_of(column) for column in columns[keys:]], batch.start, batch.file)
        return batches.grouped(self.names)._replace(notes=self.faults.notes)

    def batches(self, limit: int | None = None) -> Iterator[Batch]:
        """Yield the rows."""
        return (batch for batch in self.walk if batch.rows)


Table: TypeAlias = Relation | BatchedRows
Opener: TypeAlias = Callable[[list[Path], Request, str | None, Progress], AbstractContextManager[Table]]


class Reader(NamedTuple):
    """How files of one kind are read.

    `ways` gives the ways to open some files, the best first; where one fails, the next is tried. If `texts`, labels
    come as they are written, and are to be brought to one spelling; if `asked`, a query says which rows are read.
    """

    kind: str
    endings: tuple[str, ...]
    ways: Callable[[list[Path]], Sequence[Opener]]
    texts: bool = False
    asked: bool = False


def aggregate_files(text: str, wanted: Request, query: str | None, progress: Progress) -> Grouped:
    """Count or sum a file, all files that a pattern matches, or what a query gives in a database."""
    return _read(text, wanted, query, progress, lambda table: table.aggregate())


def read_probabilities(
    path: str | Path,
    *,
    truth: str,
    probabilities: Sequence[str],
    prediction: str | None = None,
    by: Sequence[str] = (),
    limit: int | None = None,
    query: str | None = None,
    progress: Progress = None,
) -> FileColumns:
    """Read labels, groups and probabilities of every row of files of any kind into memory, as columns by name.

    What is returned can be given to `aggregate` in place of the path, so that files are read once; its method
    `labelled` gives what curves are drawn from. More rows than the `limit` are refused; the other parameters are those
    of `aggregate`.
    """
    from .arrays import FileColumns, numbers_of

    def columns_of(table: Table) -> tuple[Sequence[str], list[list[Any]], Faults]:
        columns: list[list[Any]] = [[] for _ in table.names]
        count = 0
        for batch in table.batches(None if limit is None else limit + 1):
            count += len(batch.rows)
            if limit is not None and count > limit:
                hint = "take a sample of the rows"
                raise TooLarge("too_large", "data", f"has more than {limit:,} rows", str(path), hint)
            for column, values in zip(columns, zip(*batch.rows, strict=True), strict=True):
                column.extend(values)
        return table.names, columns, table.faults if isinstance(table, BatchedRows) else Faults()

    wanted = request(truth, prediction, by, probabilities, 0.0)
    names, columns, faults = _read(str(path), wanted, query, progress, columns_of)
    keys, labels = len(wanted.keys), wanted.labels
    spelt = alike([dict.fromkeys(map(plain, column)) for column in columns[:labels]])
    values = [[label[plain(value)] for value in column] for label, column in zip(spelt, columns, strict=False)]
    values += [[*map(stripped, column)] for column in columns[labels:keys]]
    numbers = [numbers_of(column) for column in columns[keys:]]
    return FileColumns(dict(zip(names, [*values, *numbers], strict=True)), Path(path).name, wanted, faults)


def first_rows(data: Any, limit: int, query: str | None = None) -> dict[str, list[Any]]:
    """Return the first rows of data of any kind, all columns by name; those of a CSV file are texts.

    Of several files these are rows of the first.

    Examples
    --------
    >>> first_rows({"y": ["cat", "dog"], "p": [0.1, 0.9]}, 1)
    {'y': ['cat'], 'p': [0.1]}
    """
    if isinstance(data, str | Path):
        return _first_of_file(str(data), limit, query)
    if isinstance(data, Mapping):
        from .arrays import column_of

        return {str(name): list(column_of(column, str(name))[:limit]) for name, column in data.items()}
    rows = taken_over(data).head(limit)
    names = rows.collect_schema().names()
    columns = zip(*fetched(rows), strict=True)
    return {str(name): [*map(plain, values)] for name, values in zip(names, columns, strict=False)}


def _first_of_file(text: str, limit: int, query: str | None) -> dict[str, list[Any]]:
    reader, [file, *_] = located(text, query)
    if not file.is_file():
        hint = "name the columns, or save it as a file"
        raise InputError("bad_shape", "data", "can be read only once", text, hint)
    if reader.texts:
        records = list(islice((record for record in read_rows(file) if None not in record), limit))
        return {name: [record[name] for record in records] for name in (records[0] if records else ()) if name}
    with reader.ways([file])[-1]([file], EveryColumn(), query, None) as table:
        rows = [row for batch in table.batches(limit) for row in batch.rows]
        return dict(zip(table.names, map(list, zip(*rows, strict=True)), strict=False))


class LabelCounts(Counter[tuple[Any, Any]]):
    """How often each pair (truth, prediction) of labels occurs, and what a reader should know of rows left out."""

    notes: tuple[Note, ...] = ()


def count_labels(
    path: str | Path,
    *,
    truth: str,
    prediction: str,
    threshold: float | str | None = None,
    query: str | None = None,
    progress: Progress = None,
) -> LabelCounts:
    """Count the pairs (truth, prediction) of labels in files of any kind; none may be missing.

    Rows that cannot be read are left out, and so are rows of empty cells; the notes of what is returned say so.
    With a threshold, the prediction is a score and counts as True where it is at least the threshold.
    """
    from .delimited import count_by_line

    with named("file"):
        reader, files = located(str(path), query)
        by_line = reader.kind == "CSV"
        if not by_line or all(file.is_file() for file in files):
            options: dict[str, Any] = {"threshold": threshold, "query": query, "progress": progress}
            counted = count_groups(str(path), truth=truth, prediction=prediction, **options)
            if not counted.missing:
                counts = LabelCounts(counted.pairs[()])
                counts.notes = counted.notes
                return counts
            if not by_line:
                raise missing_labels(f"{sum(counted.missing.values())} missing")
        return count_by_line(files, request(truth, prediction, (), None, 0.0, threshold), progress)


def missing_labels(shown: str) -> InputError:
    """Say that labels are missing where they must not."""
    return InputError("bad_label", "labels", "must not be missing", verbatim(shown), "drop or fill those rows first")


def _read(text: str, wanted: Request, query: str | None, progress: Progress, use: Callable[[Table], T]) -> T:
    """Open files and use their rows; where a way to open them fails, the next is tried."""
    reader, files = located(text, query)
    *first, last = reader.ways(files)
    for way in first:
        try:
            with way(files, wanted, query, progress) as table:
                return use(table)
        except InputError as error:
            if error.code != "bad_shape":
                raise
    with last(files, wanted, query, progress) as table:
        return use(table)


def located(text: str, query: str | None) -> tuple[Reader, list[Path]]:
    """Return the files, which must be of one kind, and their reader; only a database is asked a query."""
    files = _files(text)
    readers = {reader.kind: reader for reader in map(reader_of, files)}
    if len(readers) > 1:
        shown = verbatim(f"{' and '.join(sorted(readers))} for {text}")
        raise InputError("ambiguous", "data", "must be files of one kind", shown, "name one kind in the pattern")
    [reader] = readers.values()
    if query is not None and not reader.asked:
        hint = "give a .duckdb or .sqlite file, or leave it out"
        raise InputError("bad_option", "query", "works only with a database file", query, hint)
    return reader, files


def _files(text: str) -> list[Path]:
    """Return the files that a path or pattern names; a file whose own name looks like a pattern is that file."""
    path = Path(text)
    try:
        if not set(text) & set("*?[") or path.exists():
            size_of(path)
            return [path]
        files = [Path(name) for name in sorted(glob(text, recursive=True)) if Path(name).is_file()]
    except OSError as error:
        raise cannot_be_read(error, text) from None
    if not files:
        raise InputError("no_file", "data", "no file matches", text, "check the pattern")
    return files


def reader_of(file: Path) -> Reader:
    """Return what reads a file, by the ending of its name; what is not known otherwise is CSV."""
    name = file.name.lower()
    if file.suffix.lower() in _UNREAD:
        hint = "save it as CSV or parquet"
        raise InputError("bad_shape", "data", f"files of kind {file.suffix.lower()} are not read", str(file), hint)
    return next((reader for reader in READERS if name.endswith(reader.endings)), CSV)


def _watched(engine: Any, progress: Progress, cells: Any) -> list[Sequence[Any]]:
    """Bring cells from DuckDB, and tell meanwhile how far it has come; its own bar stays off."""
    if progress is None:
        return fetched(cells)
    from concurrent.futures import ThreadPoolExecutor, wait

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


def opener(kind: str, scan: Callable[[Any, list[Path], Request], Relation]) -> Opener:
    """Return a way to open files with a DuckDB that fetches nothing from elsewhere."""

    @contextmanager
    def opened(files: list[Path], wanted: Request, query: str | None, progress: Progress) -> Iterator[Relation]:
        duckdb = needed_duckdb(f"reading {kind}", files[0])
        try:
            for file in files:
                size_of(file)
            with database(duckdb).cursor() as engine:
                whole = scan(engine, files, wanted)
                parts = ((file, scan(engine, [file], wanted.resolved(whole.names))) for file in files)
                yield replace(whole, progress=progress, parts=parts)
        except (duckdb.Error, UnicodeDecodeError) as error:  # a name or a text that is no UTF-8
            if isinstance(error, duckdb.FatalException | duckdb.InternalException):
                _forget_database()  # it answers nothing more
            raise unreadable(kind, error, files[0]) from None

    return opened


#: Each thread's own DuckDB, so that what goes wrong in one question disturbs no other.
_kept: Final = threading.local()


def database(duckdb: Any) -> Any:
    """Return a DuckDB that fetches nothing from elsewhere; to start one takes longer than to read most files.

    Each question has a cursor of its own, whose settings end with it. No file is kept in memory for the next question.
    """
    if getattr(_kept, "database", None) is None:
        more = {"temp_directory": tempfile.gettempdir(), "enable_external_file_cache": "false"}
        _kept.database = duckdb.connect(config={**SETTINGS, **more})
    return _kept.database


def _forget_database() -> None:
    _kept.database = None


# A process that ends waits for the threads of a DuckDB, which in a forked one would be for ever: they are not there.
atexit.register(_forget_database)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_forget_database)


def scan_parquet(engine: Any, files: list[Path], wanted: Request) -> Relation:
    """Open the wanted columns of parquet files."""
    rows = scanned(engine, "read_parquet", files, {"hive_types_autocast": "false"})
    where = str(files[0]) if len(files) == 1 else f"{files[0]} (the first of {len(files)} files)"
    names = [rows.columns[place] for place in wanted.places(rows.columns, where)]
    # Parquet files say how many rows they have, so this reads none.
    [[total]] = rows.count("*").fetchall()
    return Relation(engine, rows, names, names, wanted, total=total)


def scanned(engine: Any, function: str, files: list[Path], options: Mapping[str, str]) -> Any:
    """Let a function of DuckDB read files."""
    listed = ", ".join(quoted(escape(str(file))) for file in files)
    given = "".join(f", {name} = {value}" for name, value in options.items())
    return engine.sql(f"from {function}([{listed}]{given})")


def quoted(text: str) -> str:
    """Return a text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"


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


def _csv_ways(files: list[Path]) -> Sequence[Opener]:
    from .delimited import ways

    return ways(files)


def _database_ways(files: list[Path]) -> Sequence[Opener]:
    from .databases import open_database

    return [open_database]


_CSV_ENDINGS: Final = tuple(f"{name}{packed}" for name in (".csv", ".tsv") for packed in ("", ".gz", ".zst"))
CSV: Final = Reader("CSV", _CSV_ENDINGS, _csv_ways, texts=True)
#: Every kind of file that is read, one line each.
READERS: Final = (
    CSV,
    Reader("parquet", (".parquet", ".pq"), lambda _: [opener("parquet", scan_parquet)]),
    Reader("database", (".duckdb", ".db", ".sqlite", ".sqlite3"), _database_ways, asked=True),
)
#: The endings of files that hold a table each.
FILE_ENDINGS: Final = tuple(ending for reader in READERS if not reader.asked for ending in reader.endings)
#: Those of files of plain text, which begin with a line of names.
TEXT_ENDINGS: Final = tuple(ending for reader in READERS if reader.texts for ending in reader.endings)
