"""CSV and TSV files, also packed: opened with DuckDB, or read plainly with Python alone."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from ..errors import InputError, MissingExtra
from .aggregation import Progress
from .columns import Request
from .faults import EMPTY, WIDTH, Faults
from .files import (
    BATCH,
    Batch,
    BatchedRows,
    LabelCounts,
    Opener,
    Relation,
    missing_labels,
    needed_duckdb,
    opener,
    quoted,
    scanned,
    unreadable,
)
from .labels import MISSING, alike, known
from .packing import check_packed
from .rows import Row, csv_rows, delimiter_of, header_of, is_utf8, opened, size_of
from .thresholds import decided_rows, decision

# Blank lines that may stand before a header.
_MOST_BLANK: Final = 100
# DuckDB takes half a minute for 100,000 columns; of more than this many, rows are read plainly.
_MOST_COLUMNS: Final = 2_000


def ways(files: list[Path]) -> list[Opener]:
    """Read CSV files with DuckDB where it is installed and can, else plainly."""
    with_duckdb = opener("CSV", _scan_csv)
    # A pipe can be read once only, and DuckDB would look at its header first.
    if not all(file.is_file() for file in files):
        return [_open_plainly]
    check_packed(files)
    try:
        needed_duckdb("reading CSV", files[0])
    except MissingExtra:
        return [_open_plainly]
    # DuckDB would take UTF-16 without a mark for letters with zeros between them.
    if not all(map(is_utf8, files)):
        return [_open_plainly]
    # The plain reader takes more: it leaves out rows that cannot be read, and says in which line they are.
    return [with_duckdb, _open_plainly]


def _scan_csv(engine: Any, files: list[Path], wanted: Request) -> Relation:
    """Open the wanted columns of CSV files, in their order; files whose columns stand in another are read apart."""
    alike: dict[tuple[int, str], list[Path]] = {}
    for file in files:
        alike.setdefault(_heading(engine, file), []).append(file)
    names: list[str] = []
    parts = []
    for (skip, line), same in alike.items():
        header = _split(line, same[0])
        if len(header) > _MOST_COLUMNS:
            raise InputError(
                "bad_shape", "data", "has more columns than DuckDB reads well", len(header), "read it plainly"
            )
        places = wanted.places(header, same[0])
        names = names or [header[place].strip() for place in places]
        wanted = wanted.resolved(names)
        part = _texts(engine, same, len(header), delimiter_of(line), skip)
        parts.append(part.select(*(f"c{place}" for place in places)))
    rows = reduce(lambda some, more: some.union(more), parts)
    rows = _with_numbers(rows, wanted) if wanted.probabilities else rows
    return Relation(engine, rows, names, rows.columns, wanted)


def _split(line: str, file: Path) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter_of(line), strict=True))
    except csv.Error as error:
        raise unreadable("CSV", error, file) from None


def _with_numbers(rows: Any, wanted: Request) -> Any:
    """Take labels as null where they are missing, and probabilities as numbers."""
    missing = ", ".join(f"'{text}'" for text in sorted(MISSING))
    chosen = []
    for n, column in enumerate(rows.columns):
        if n < wanted.labels:
            # Not `in`: of many values DuckDB makes a join, and rows would lose their order.
            known = f"list_contains([{missing}], lower(trim({column})))"
            chosen.append(f"case when {known} then null else {column} end as k{n}")
        else:
            chosen.append(f"{column} as k{n}" if n < len(wanted.keys) else f"try_cast({column} as double) as k{n}")
    return rows.project(", ".join(chosen))


def _heading(engine: Any, file: Path) -> tuple[int, str]:
    """Return how many blank lines stand before the header's line, and that line."""
    unsplit = {"columns": "{'line': 'VARCHAR'}", "delim": quoted("\x01"), "quote": "''", "escape": "''"}
    options = {**unsplit, "header": "false", "auto_detect": "false"}
    lines = scanned(engine, "read_csv", [file], options).limit(_MOST_BLANK).fetchall()
    for number, (line,) in enumerate(lines):
        if line and line.strip():
            return number, line
    # It leaves out a last line that is too long for it; the plain reader knows whether there is none.
    raise InputError("bad_shape", "data", "has no line that DuckDB reads", str(file), "read it plainly")


def _texts(engine: Any, files: list[Path], width: int, delimiter: str, skip: int) -> Any:
    """Read columns as the texts they are written as, named by their places: names may come twice."""
    types = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(width))
    options = {"columns": f"{{{types}}}", "delim": quoted(delimiter), "quote": "'\"'", "escape": "'\"'"}
    return scanned(engine, "read_csv", files, {**options, "header": "true", "auto_detect": "false", "skip": str(skip)})


@contextmanager
def _open_plainly(files: list[Path], wanted: Request, query: str | None, progress: Progress) -> Iterator[BatchedRows]:
    faults = Faults()
    walk = (batch for batch, _ in _walk(files, wanted, progress, faults))
    yield BatchedRows(next(walk).names, walk, wanted, faults)


def _walk(
    files: list[Path], wanted: Request, progress: Progress, faults: Faults, *, empty_rows: bool = True
) -> Iterator[tuple[Batch, list[int]]]:
    """Yield CSV files, plain or packed, with Python alone: batches of rows with their lines, at first an empty one.

    Rows that cannot be read are left out, and rows of empty cells unless `empty_rows`. Where no others are there, what
    cannot be read is an error.
    """
    size, done, count = sum(map(size_of, files)), 0, 0
    for file in files:
        with opened(file, faults) as (raw, text):
            every = csv_rows(text, file, faults, empty_rows=True)
            header = header_of(every, file)
            places = wanted.places(header, file)
            names, start = [header[place].strip() for place in places], 0
            # One place alone would give a value and no row.
            chosen = itemgetter(*places) if len(places) > 1 else itemgetter(slice(places[0], places[0] + 1))
            # What one file calls them, the others must too: they may have them in another order.
            wanted = wanted.resolved(names)
            yield Batch(f" of {file.name}", names, [], start), []
            rows = _readable(every, len(header), file, count, faults, empty_rows)
            while batch := list(islice(rows, BATCH)):
                yield (
                    Batch(f" of {file.name}", names, [tuple(chosen(row)) for _, row in batch], start),
                    [n for n, _ in batch],
                )
                start += len(batch)
                if progress and raw.seekable():
                    progress(min((done + raw.tell()) / size, 1.0))
            done, count = done + size_of(file), count + start
    if not count and (refused := faults.refused()):
        raise refused


def _readable(
    rows: Iterator[Row], width: int, file: Path, before: int, faults: Faults, empty_rows: bool
) -> Iterator[tuple[int, list[str]]]:
    """Leave out what cannot be read."""
    for place, (line, row, wrong) in enumerate(rows, before + len(faults.places)):
        wrong = wrong or (EMPTY if not empty_rows and not any(map(str.strip, row)) else "")
        if wrong:
            cells = f"{len(row)} of {width} in " if wrong == WIDTH else ""
            faults.leave_out(wrong, f"{cells}line {line} of {file.name}", place)
        else:
            yield line, row


def count_by_line(files: list[Path], wanted: Request, progress: Progress) -> LabelCounts:
    """Count CSV files that can be read once only, or where the first missing label is to be named by its line."""
    pairs: Counter[tuple[str, Any]] = Counter()
    missing, first, faults = 0, "", Faults()
    for batch, lines in _walk(files, wanted, progress, faults, empty_rows=False):
        stripped = [(row[0].strip(), row[1].strip()) for row in batch.rows]
        pairs.update((truth, predicted) for truth, predicted in decided_rows(stripped, wanted, batch.names[1]))
        for line, pair in zip(lines, stripped, strict=True):
            if None in map(known, pair):
                missing += 1
                first = first or f"{line}{batch.file if len(files) > 1 else ''}"
    if missing:
        raise missing_labels(f"{missing} missing, the first in line {first}")
    if not pairs:
        raise InputError("empty", "data", "has a header but no rows", str(files[0]), "check how it was written")
    scored = wanted.threshold is not None
    columns = [{pair[place] for pair in pairs} for place in range(1 if scored else 2)]
    truths, *predictions = alike(columns)
    merged = LabelCounts()
    merged.notes = faults.notes
    for (actual, predicted), count in pairs.items():
        merged[truths[actual], predictions[0][predicted] if predictions else decision(predicted)] += count
    return merged
