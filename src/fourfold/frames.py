"""Files of rows: turned into counts where they are read, so that no rows are carried on.

This is the only room that opens data files.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final, TextIO

from .errors import InputError, suggestion, verbatim

_DELIMITERS: Final = ",;\t|"
_BATCH: Final = 1 << 16


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
    size = _size(Path(path))
    try:
        with Path(path).open("rb") as raw, io.TextIOWrapper(raw, encoding="utf-8-sig", newline="") as file:
            rows = _rows(file, path)
            i, j = _columns(next(rows)[1], {"truth": truth, "prediction": prediction}, path)
            while batch := list(islice(rows, _BATCH)):
                pairs.update((row[i].strip(), row[j].strip()) for _, row in batch)
                if first_missing is None and any("" in pair for pair in pairs):
                    first_missing = next(n for n, row in batch if not row[i].strip() or not row[j].strip())
                if progress:
                    progress(raw.tell() / size)
    except (UnicodeDecodeError, csv.Error):
        hint = "give a CSV file with a header, in UTF-8"
        raise InputError("bad_shape", "file", "is not readable as CSV", str(path), hint) from None
    if not pairs:
        raise InputError("empty", "file", "has a header but no rows", str(path), "check how it was written")
    if first_missing is not None:
        many = sum(count for pair, count in pairs.items() if "" in pair)
        shown = verbatim(f"{many} missing, the first in line {first_missing}")
        raise InputError("bad_label", "labels", "must not be missing", shown, "drop or fill those rows first")
    return pairs


def _size(path: Path) -> int:
    if not path.is_file():
        near = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        hint = suggestion(path.name, near, "check the path")
        raise InputError("no_file", "file", "is not there", str(path), hint)
    size = path.stat().st_size
    if not size:
        raise InputError("empty", "file", "is empty", str(path), "check how it was written")
    return size


def _rows(file: TextIO, path: str | Path) -> Iterator[tuple[int, list[str]]]:
    """Read rows with their line numbers; all must be as long as the header."""
    header = file.readline()
    file.seek(0)
    delimiter = max(_DELIMITERS, key=header.count)
    reader = csv.reader(file, delimiter=delimiter)
    width = None
    for row in reader:
        width = width or len(row)
        if len(row) == width:
            yield reader.line_num, row
        elif row:
            shown = verbatim(f"{len(row)} of {width} in line {reader.line_num} of {path}")
            hint = "every row needs a value for each column of the header"
            raise InputError("length_mismatch", "file", "a row has too few or too many columns", shown, hint)


def _columns(header: list[str], wanted: dict[str, str], path: str | Path) -> list[int]:
    """Find columns by name; capitals and blanks around a name do not matter where that leaves one."""
    exact = [name.strip() for name in header]
    folded = [name.casefold() for name in exact]
    found = []
    for argument, name in wanted.items():
        names, key = (exact, name.strip()) if name.strip() in exact else (folded, name.strip().casefold())
        if names.count(key) > 1:
            raise InputError("ambiguous", argument, f"{path} has several such columns", name, "rename one of them")
        if key not in names:
            hint = suggestion(name, exact, f"it has {', '.join(exact[:20])}")
            raise InputError("unknown_column", argument, f"{path} has no such column", name, hint)
        found.append(names.index(key))
    return found
