"""What a worker process does: take a question, answer it in bytes, take the next.

A worker has a limit of memory, a folder of its own, and no more rights than to compute.
"""

from __future__ import annotations

import csv
import io
import os
import signal
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..errors import FourfoldError
from .questions import QUESTIONS, Form, review
from .refusals import FAULT, dumped, fault, status_of, too_much_memory

#: What questions need, imported before the first one comes.
PRELOADED: Final = (
    "fourfold.web.work",
    "fourfold.writers",
    "fourfold.plots",
    "scipy.special",
    "narwhals",
    "duckdb",
    "altair",
)
# Rows of a review are sent on after so many seconds.
_PAUSE: Final = 0.2
_OK: Final = 200


class Job(NamedTuple):
    """A question by name: a body, or a form with the folder that holds its files."""

    name: str
    given: Mapping[str, Any] | Form
    folder: str | None = None


class Message(NamedTuple):
    """A piece of an answer; `trouble` is for the log alone, and a worker that is `worn` should be replaced."""

    status: int
    body: bytes
    last: bool = True
    trouble: str | None = None
    worn: bool = False


def work(connection: Connection, folder: str, memory: int) -> None:
    """Answer questions until the connection is closed."""
    # The server is interrupted, and ends its workers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tempfile.tempdir = folder
    for name in PRELOADED:
        try:
            import_module(name)
        except ImportError:
            continue  # an extra that is not installed: the question that needs it says so
    first = _limit(memory)
    try:
        while True:
            job = connection.recv()
            for message in answer(job, home=folder):
                # Memory that a large question has left behind would be missing for the next.
                worn = message.last and bool(memory) and _size() - first > memory // 2
                connection.send(message._replace(worn=worn))
    except (EOFError, OSError):
        return


def _limit(memory: int) -> int:
    """Limit what the process may take, where the system can: memory, and the size of files it writes."""
    size = _size()
    if size:
        import resource

        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (size + memory, size + memory))
            resource.setrlimit(resource.RLIMIT_FSIZE, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return size


def _size() -> int:
    """Return how many bytes the process has taken, or 0 where the system does not tell."""
    try:
        import resource

        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return 0


def answer(job: Job, home: str = ".") -> Iterator[Message]:
    """Answer one question; whatever goes wrong is an answer too."""
    try:
        # Inside the folder, files have short names that are ours, in messages too.
        os.chdir(job.folder or home)
        if job.name.startswith("review/"):
            assert isinstance(job.given, Form)
            yield from (_csv if job.name == "review/csv" else _ndjson)(job.given)
        else:
            yield Message(_OK, dumped(QUESTIONS[job.name](job.given).to_dict()))
    except FourfoldError as error:
        yield Message(status_of(error), dumped(_told(error, job)))
    except (MemoryError, RecursionError):
        yield Message(status_of(too_much_memory()), dumped(too_much_memory().to_dict()))
    except Exception as error:
        if "out of memory" in str(error).lower():
            yield Message(status_of(too_much_memory()), dumped(too_much_memory().to_dict()))
        else:
            yield Message(FAULT, dumped(fault().to_dict()), trouble=traceback.format_exc())
    finally:
        os.chdir(home)


def _told(error: FourfoldError, job: Job) -> dict[str, Any]:
    """Return an error that calls files what the client calls them."""
    found = error.to_dict()
    for file in job.given.files if isinstance(job.given, Form) else ():
        found = {
            name: text.replace(file.name, file.label) if isinstance(text, str) else text for name, text in found.items()
        }
    return found


def _csv(form: Form) -> Iterator[Message]:
    """Yield a review as pieces of CSV."""
    out = io.StringIO(newline="")
    writer, sent = None, time.monotonic()
    for row, _ in review(form):
        if writer is None:
            names = [name for name in row if name is not None]
            writer = csv.DictWriter(out, names, restval="", extrasaction="ignore")
            writer.writeheader()
        writer.writerow(row)
        if time.monotonic() - sent > _PAUSE:
            yield Message(_OK, _taken(out), last=False)
            sent = time.monotonic()
    yield Message(_OK, _taken(out))


def _ndjson(form: Form) -> Iterator[Message]:
    """Yield a review as lines of JSON: rows, now and then the progress, and at the end what was found."""
    out = io.StringIO()
    verdicts: dict[str, int] = {}
    sent, share = time.monotonic(), 0.0
    for row, share in review(form):
        verdicts[row["verdict"]] = verdicts.get(row["verdict"], 0) + 1
        _line(out, {"row": {name: value for name, value in row.items() if name is not None}})
        if time.monotonic() - sent > _PAUSE:
            _line(out, {"progress": share})
            yield Message(_OK, _taken(out), last=False)
            sent = time.monotonic()
    _line(out, {"progress": 1.0})
    _line(out, {"done": {"rows": sum(verdicts.values()), "verdicts": verdicts}})
    yield Message(_OK, _taken(out))


def _line(out: io.StringIO, record: dict[str, Any]) -> None:
    out.write(dumped(record).decode() + "\n")


def _taken(out: io.StringIO) -> bytes:
    text = out.getvalue()
    out.seek(0)
    out.truncate()
    return text.encode("utf-8", "replace")
