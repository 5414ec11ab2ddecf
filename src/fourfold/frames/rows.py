"""Tables as texts: CSV files counted or read row by row, and written; parquet tables read as texts."""

from __future__ import annotations

import csv
import gzip
import io
import re
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, Final, TextIO, cast

from ..errors import InputError, MissingExtra, suggestion, verbatim

_DELIMITERS: Final = ",;\t|"
BATCH: Final = 1 << 16
PARQUET: Final = frozenset({".parquet", ".pq"})
# Nothing is fetched from elsewhere.
SETTINGS: Final = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
_LONGEST_FIELD: Final = 10_000_000
# What programs write where a label is missing. "none" is not among them: it may be a class.
MISSING: Final = frozenset({"", "nan", "na", "n/a", "#n/a", "<na>", "null"})


def new_engine(duckdb: Any) -> Any:
    """Start a DuckDB that fetches nothing from elsewhere."""
    return duckdb.connect(config={**SETTINGS, "temp_directory": tempfile.gettempdir()})


def count_labels(
    path: str | Path,
    *,
    truth: str,
    prediction: str,
    progress: Callable[[float], None] | None = None,
) -> Counter[tuple[str, str]]:
    """Count the pairs of labels in two columns of a CSV file, reading it once and holding none of it.

    Parameters
    ----------
    path
        A CSV file with a header; the delimiter is a comma, semicolon, tab or bar.
    truth, prediction
        The columns' names.
    progress
        Called now and then with the share of the file that has been read.

    Returns
    -------
    pairs
        How often each pair (truth, prediction) of labels occurs; blanks around a label are dropped.
    """
    pairs: Counter[tuple[str, str]] = Counter()
    first_missing = None
    with opened(path, "file") as (raw, file):
        rows = csv_rows(file, path)
        i, j = columns(header_of(rows, path, "file"), (("truth", truth), ("prediction", prediction)), path)
        size = size_of(Path(path), "file")
        while batch := list(islice(rows, BATCH)):
            pairs.update((row[i].strip(), row[j].strip()) for _, row in batch)
            if first_missing is None and any(map(_has_missing, pairs)):
                first_missing = next(n for n, row in batch if _has_missing((row[i].strip(), row[j].strip())))
            if progress:
                progress(raw.tell() / size)
    if not pairs:
        raise InputError("empty", "file", "has a header but no rows", str(path), "check how it was written")
    if first_missing is not None:
        many = sum(count for pair, count in pairs.items() if _has_missing(pair))
        shown = verbatim(f"{many} missing, the first in line {first_missing}")
        raise InputError("bad_label", "labels", "must not be missing", shown, "drop or fill those rows first")
    return _one_spelling(pairs)


def read_rows(path: str | Path, progress: Callable[[float], None] | None = None) -> Iterator[dict[str, Any]]:
    """Read a table row by row, as texts by column name.

    Parameters
    ----------
    path
        A CSV file with a header, or a parquet file (`fourfold[data]`).
    progress
        Called now and then with the share of the file that has been read.
    """
    if Path(path).suffix.lower() in PARQUET:
        yield from _parquet_rows(Path(path))
        return
    with opened(path, "table") as (raw, file):
        rows = csv_rows(file, path, strict=False)
        names = _distinct([name.strip() for name in header_of(rows, path, "table")], path)
        size = size_of(Path(path), "table")
        for count, (_, row) in enumerate(rows):
            yield _filled(names, row)
            if progress and count % 256 == 0:
                progress(raw.tell() / size)


def _filled(names: list[str], row: list[str]) -> dict[Any, Any]:
    """Return a row by name: missing cells are empty, and cells beyond the header stand under None, as csv's do."""
    filled: dict[Any, Any] = dict.fromkeys(names, "") | dict(zip(names, row, strict=False))
    return filled | {None: row[len(names) :]} if len(row) > len(names) else filled


@contextmanager
def opened(path: str | Path, argument: str) -> Iterator[tuple[BinaryIO, TextIO]]:
    """Open a file as bytes and as text; what goes wrong while it is read is said in the one grammar."""
    try:
        size_of(Path(path), argument)
        with Path(path).open("rb") as raw, _as_text(raw, path) as file:
            yield raw, file
    except (UnicodeDecodeError, csv.Error, EOFError, zlib.error, gzip.BadGzipFile) as error:
        hint = "give a CSV file with a header, in UTF-8"
        raise InputError("bad_shape", argument, f"is not readable as CSV ({error})", str(path), hint) from None
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise InputError("no_file", argument, f"cannot be read ({reason})", str(path), "check the path") from None


def _as_text(raw: BinaryIO, path: str | Path) -> TextIO:
    plain = gzip.GzipFile(fileobj=raw) if Path(path).suffix.lower() == ".gz" else raw
    return io.TextIOWrapper(cast("BinaryIO", plain), encoding="utf-8-sig", newline="")


def header_of(rows: Iterator[tuple[int, list[str]]], path: str | Path, argument: str) -> list[str]:
    """Take the header off rows."""
    header = next(rows, (0, []))[1]
    if not header:
        raise InputError("empty", argument, "is empty", str(path), "check how it was written")
    return header


def _parquet_rows(path: Path) -> Iterator[dict[str, str]]:
    """Read a parquet file in batches; numbers become the texts they print as."""
    try:
        import duckdb
    except ImportError:
        hint = "pip install 'fourfold[data]'"
        raise MissingExtra("missing_extra", "table", "reading parquet needs duckdb", str(path), hint) from None
    size_of(path, "table")
    try:
        with new_engine(duckdb) as engine:
            found = engine.execute("select * from read_parquet(?)", [str(path)])
            names = _distinct([column[0] for column in found.description or ()], path)
            while batch := found.fetchmany(BATCH):
                for row in batch:
                    texts = ("" if value is None else str(value) for value in row)
                    yield dict(zip(names, texts, strict=True))
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            "bad_shape", "table", f"is not readable as parquet ({reason})", str(path), "check it"
        ) from None


def _distinct(names: list[str], path: str | Path) -> list[str]:
    for name in names:
        if names.count(name) > 1:
            raise InputError("ambiguous", "table", f"{path} has several such columns", name, "rename one of them")
    return names


def write_rows(path: str | Path, rows: Iterable[Mapping[Any, object]]) -> int:
    """Write rows to a CSV file as they come and return how many; nothing is left behind where that fails."""
    try:
        target = Path(path).resolve()
        if target.exists() and not target.is_file():
            # A pipe or a device is written to, not replaced.
            with target.open("w", encoding="utf-8", newline="") as file:
                return _write(file, rows)
        handle, name = tempfile.mkstemp(prefix=target.name, suffix=".part", dir=target.parent)
        partial = Path(name)
        try:
            with open(handle, "w", encoding="utf-8", newline="") as file:
                count = _write(file, rows)
            if count:
                partial.chmod(target.stat().st_mode if target.exists() else 0o644)
                partial.replace(target)
            return count
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        reason = (error.strerror or "cannot be written").lower()
        raise InputError("no_file", "output", f"cannot be written ({reason})", str(path), "check the path") from None


def _write(file: TextIO, rows: Iterable[Mapping[Any, object]]) -> int:
    writer, count = None, 0
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(file, [name for name in row if name is not None], restval="", extrasaction="ignore")
            writer.writeheader()
        writer.writerow(row)
        count += 1
    return count


def _has_missing(pair: tuple[str, str]) -> bool:
    return pair[0].casefold() in MISSING or pair[1].casefold() in MISSING


def _one_spelling(pairs: Counter[tuple[str, str]]) -> Counter[tuple[str, str]]:
    """Bring whole numbers to one spelling: a column of floats says 1.0 where one of integers says 1."""
    numbers = spellings({label for pair in pairs for label in pair})
    merged: Counter[tuple[str, str]] = Counter()
    for (actual, predicted), count in pairs.items():
        merged[numbers.get(actual, actual), numbers.get(predicted, predicted)] += count
    return merged


def spellings(labels: Iterable[str]) -> dict[str, str]:
    """Return the one spelling of each whole number; nothing where a label is no number."""
    try:
        values = {label: float(label) for label in labels}
        return {label: str(int(value)) for label, value in values.items() if value == int(value)}
    except (ValueError, OverflowError):
        return {}


def size_of(path: Path, argument: str) -> int:
    """Return how many bytes a file has, at least one; it must be there and no folder."""
    if path.is_dir():
        raise InputError("no_file", argument, "is a folder", str(path), "name a file in it")
    if not path.exists():
        near = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        hint = suggestion(path.name, near, "check the path")
        raise InputError("no_file", argument, "is not there", str(path), hint)
    return max(path.stat().st_size, 1)


def csv_rows(
    file: TextIO, path: str | Path, *, strict: bool = True, argument: str = "file", empty_rows: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Read rows with their line numbers, passing over blank lines; if strict, all must be as long as the header.

    Rows of empty cells count as blank lines unless `empty_rows`.
    """
    skipped = 0
    while (header := file.readline()) and not header.strip():
        skipped += 1
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_FIELD))
    reader = csv.reader(chain([header], file), delimiter=delimiter_of(header), strict=True)
    width = None
    for row in reader:
        width = width or len(row)
        if not any(cell.strip() for cell in row) and (len(row) < 2 or not empty_rows):
            continue
        if strict and len(row) != width:
            shown = verbatim(f"{len(row)} of {width} in line {reader.line_num + skipped} of {path}")
            hint = "every row needs a value for each column of the header"
            raise InputError("length_mismatch", argument, "a row has too few or too many columns", shown, hint)
        yield reader.line_num + skipped, row


def delimiter_of(header: str) -> str:
    """Return the delimiter that a header has most of, outside quotes."""
    unquoted = re.sub(r'"[^"]*"', "", header)
    return max(_DELIMITERS, key=unquoted.count)


def columns(header: Sequence[str], wanted: Iterable[tuple[str, str]], where: str | Path) -> list[int]:
    """Find columns, each wanted as (argument, name); capitals and blanks around a name do not matter if one is left."""
    exact = [name.strip() for name in header]
    folded = [name.casefold() for name in exact]
    found = []
    for argument, name in wanted:
        names, key = (exact, name.strip()) if name.strip() in exact else (folded, name.strip().casefold())
        if names.count(key) > 1:
            raise InputError("ambiguous", argument, f"{where} has several such columns", name, "rename one of them")
        if key not in names:
            hint = suggestion(name, exact, f"it has {', '.join(exact[:20])}")
            raise InputError("unknown_column", argument, f"{where} has no such column", name, hint)
        found.append(names.index(key))
    return found
