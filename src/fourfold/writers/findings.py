"""What was found in very many documents as a file: a row for each report, written as it comes."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from .. import __version__
from ..batch import PartFile, Piece, run
from ..data import csv_line
from ..errors import InputError, verbatim
from ..processes import share
from ..reports.checking import VERDICTS, check_document, finding_row, unexpected
from ..reports.documents import Document
from ..reports.judging import Given

# What a row says of a document that could not be read, and of one that reports nothing.
_UNREAD: Final = "not read"
_NO_REPORTS: Final = "no reports"
# Under what name reports are counted that marks leave out.
_LEFT_OUT: Final = "left out"
COLUMNS: Final = (
    *("document", "where", "kind", "title", "verdict", "words", "wrong", "tp", "fn", "fp", "tn"),
    *("checked", "assumed", "ignored", "error"),
)


class WrittenFindings(NamedTuple):
    """How many documents were checked and not read, how many reports got each verdict, and how many marks leave out."""

    documents: int
    unread: int
    verdicts: Mapping[str, int]
    left_out: int


def write_findings(
    output: str | Path,
    documents: Sequence[Document],
    given: Given | None = None,
    *,
    n_jobs: int = 1,
    progress: Callable[[float], None] | None = None,
    tell: Callable[[str], None] = lambda words: None,
) -> WrittenFindings:
    """Write a row for each report in documents to a CSV file, and one for each document without any.

    Findings are not held in memory, so there may be any number of documents. The file gets its place when all are
    done; interrupted, the same call continues after the last whole document.

    Parameters
    ----------
    output
        The file.
    documents
        Texts, or paths of files.
    given
        Sizes, folds and readings for reports that do not say them.
    n_jobs
        How many processes work at it.
    progress
        Called with the share of documents that are done.
    tell
        Called with words about what an earlier run has left.
    """
    if Path(output).suffix.casefold() != ".csv":
        hint = "name a file that ends in .csv"
        raise InputError("bad_option", "--output", "findings are written as CSV", str(output), hint)
    if not documents:
        raise InputError("empty", "documents", "there are none to check", verbatim("no file"), "name some")
    asked = {name: str(value) for name, value in asdict(given or Given()).items()}
    about = {"fourfold": __version__, "given": asked, "documents": _fingerprint(documents)}

    def work(part: PartFile) -> Iterator[Piece]:
        counts = Counter[str](part.state)
        for rows, left_out in share(partial(_rows, given=given or Given()), documents[part.rows :], n_jobs):
            counts.update(row["verdict"] for row in rows)
            counts[_LEFT_OUT] += left_out
            text = "".join([*([] if part.rows else [csv_line(COLUMNS)]), *map(_line, rows)])
            yield Piece(text.encode("utf-8", "replace"), part.rows + 1, dict(counts))

    def finish(part: PartFile) -> WrittenFindings:
        part.put_in_place()
        counts = Counter[str](part.state)
        verdicts: dict[str, int] = {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}
        return WrittenFindings(len(documents), counts[_UNREAD], verdicts, counts[_LEFT_OUT])

    return run(
        output,
        about,
        work,
        finish,
        noun="document",
        of="other documents",
        total=len(documents),
        progress=progress,
        tell=tell,
    )


def _fingerprint(documents: Sequence[Document]) -> str:
    """Return what changes when a document is added, taken away or written again."""
    mark = hashlib.sha256()
    for document in documents:
        known = f"{document}\0"
        if isinstance(document, Path) and document.exists():
            about = os.stat(document)
            known += f"{about.st_size} {about.st_mtime_ns}"
        mark.update(f"{known}\0".encode("utf-8", "surrogatepass"))
    return mark.hexdigest()


def _rows(document: Document, given: Given) -> tuple[list[dict[str, Any]], int]:
    """Check one document, and return its rows and how many reports marks in it leave out."""
    try:
        checked, findings = check_document(document, given)
        rows = [finding_row(finding) for finding in findings]
    except Exception as error:  # a document must not stop the others, whatever is wrong with it
        return [{"document": str(document), "verdict": _UNREAD, "error": unexpected(error)}], 0
    verdict = _NO_REPORTS if checked.error is None else _UNREAD
    return rows or [{"document": checked.name, "verdict": verdict, "error": checked.error}], checked.left_out


def _line(row: Mapping[str, Any]) -> str:
    return csv_line(row.get(name) for name in COLUMNS)
