"""What a worker process does: take a question, answer it in bytes, take the next.

A worker has a limit of memory, a folder of its own, and no more rights than to compute.
"""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import tempfile
import threading
import time
import traceback
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

from ..data import TEXT_ENDINGS, csv_line
from ..errors import FourfoldError, InputError, MissingExtra, TooLarge
from ..questions import WEB_QUESTIONS, Asked, DataFile
from ..shape import Record
from .refusals import dumped, fault, status_of, too_much_memory

_PRELOADED: Final = ("fourfold.workers.work", "fourfold.questions.calls", "fourfold.writers")
#: What questions need, imported before the first one comes.
PRELOADED: Final = (*_PRELOADED, "scipy.special", "narwhals", "duckdb", "altair", "fourfold.workers.warm")
# Seconds after which rows of a review are sent on.
_PAUSE: Final = 0.2
_OK: Final = 200
# A first line of more bytes than this is no header.
_LONGEST_HEADER: Final = 1_000_000


#: What is made of an answer: JSON, JSON with the answer in words, a piece of the page with its pictures, the rows of a
#: review, or a file to keep: a report, rows for a spreadsheet, its first picture.
Output: TypeAlias = Literal["answer", "told", "page", "csv", "ndjson", "html", "rows", "xlsx", "svg", "png"]
#: The rows of a review as they come, and how far the table is read.
ReviewedRows: TypeAlias = Iterator[tuple[dict[Any, Any], float]]


class WorkItem(NamedTuple):
    """A question for a worker: its name, what was given, the files and the folder that holds them.

    In place of a name it may have a function that describes questions: a worker has imported all that they refer to.
    """

    question: str | Callable[[], Mapping[str, Any]]
    values: Mapping[str, Any] = {}
    files: Sequence[DataFile] = ()
    folder: str | None = None
    output: Output = "answer"


@dataclass(frozen=True)
class Page(Record, schema="page", source="`POST /page/...` of the web page"):
    """An answer as the page shows it, with its pictures."""

    title: Annotated[str, "The answer in a line."]
    tone: Annotated[str, "good, bad, open, differs or plain."]
    html: Annotated[str, "Words and tables, with places for the pictures."]
    charts: Annotated[list[dict[str, Any] | None], "Each picture as Vega-Lite, in several themes; null for none."]
    answer: Annotated[dict[str, Any], "The answer by its own schema."]
    saves_as: Annotated[str, "A name for its file."]
    cite: Annotated[str, "A sentence to paste into a review; empty where there is none."] = ""


class Message(NamedTuple):
    """A piece of an answer; `trouble` is for the log alone, and a worker that is `worn` should be replaced."""

    status: int
    body: bytes
    last: bool = True
    trouble: str | None = None
    worn: bool = False


def work(connection: Connection, folder: str, memory: int, leftovers: Sequence[str] = ()) -> None:
    """Answer questions until the connection is closed; where the server is gone, remove what it has left."""
    # The server is interrupted, and ends its workers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    watch = threading.Thread(target=_end_with_server, args=(leftovers,), daemon=True)
    watch.start()
    tempfile.tempdir = folder
    for name in PRELOADED:
        try:
            import_module(name)
        except ImportError:
            continue  # an extra that is not installed: the question that needs it says so
    # Limit what the process may take, where the system can: memory, and the size of files it writes.
    size = _size()
    if size:
        import resource

        if memory:
            # Only the soft limit: what draws pictures reserves more than it uses (see `_unlimited`).
            resource.setrlimit(resource.RLIMIT_AS, (size + memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
            resource.setrlimit(resource.RLIMIT_FSIZE, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    first = size
    try:
        while True:
            item = connection.recv()
            for message in answer(item, home=folder):
                # Memory that a large question has left behind would be missing for the next.
                worn = message.last and bool(memory) and _size() - first > memory // 2
                connection.send(message._replace(worn=worn))
    except (EOFError, ConnectionError):
        # The server is gone; the process must not end before its files are removed.
        watch.join()


def _end_with_server(leftovers: Sequence[str]) -> None:
    """Wait until the server is gone. One that was killed could not end its workers and remove its files itself."""
    server = parent_process()
    assert server is not None, "a worker has been started by a server"
    wait([server.sentinel])
    for folder in leftovers:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def _size() -> int:
    """Return how many bytes the process has taken, or 0 where the system does not tell."""
    try:
        import resource

        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return 0


def answer(item: WorkItem, home: str = ".") -> Iterator[Message]:
    """Answer one question; whatever goes wrong is an answer too."""
    try:
        # Inside the folder, files have short names that are ours, in messages too.
        os.chdir(item.folder or home)
        if not isinstance(item.question, str):
            yield Message(_OK, dumped(item.question()))
            return
        question = WEB_QUESTIONS[item.question]
        # Refuse a budget beyond the usual: it would hold up everybody else.
        from ..claims import BUDGET
        from ..table import whole

        given = item.values.get("budget")
        if given not in (None, "") and whole(given, "budget", text=True) > BUDGET:
            hint = "leave it out, or ask on the command line"
            raise InputError("bad_option", "budget", f"must be at most {BUDGET} here", given, hint)
        if any(parameter.kind in ("file", "cases") for parameter in question.parameters):
            for file in item.files:
                _check_header(file)
        result = question.answer(Asked(item.values, item.files, drawn=item.output == "page"))
        yield from _WRITERS[item.output](result)
    except Exception as error:
        yield _failed(error, item)
    finally:
        os.chdir(home)


def _check_header(file: DataFile) -> None:
    """Refuse a file whose first line has no end in sight."""
    if not file.path.endswith(TEXT_ENDINGS):
        return
    try:
        with gzip.open(file.path) if file.path.endswith(".gz") else Path(file.path).open("rb") as data:
            line = data.readline(_LONGEST_HEADER + 1)
    except (EOFError, OSError, zlib.error):
        return  # the library says it better
    if len(line) > _LONGEST_HEADER:
        problem, hint = f"has a first line of more than {_LONGEST_HEADER:,} bytes", "give a CSV file with a header"
        raise TooLarge("too_large", "file", problem, file.label, hint)


def _failed(error: Exception, item: WorkItem) -> Message:
    """Return what a client is told of an error; files are called what the client calls them."""
    if isinstance(error, FourfoldError):
        fields = error.to_dict()
        for file in item.files:
            fields |= {
                name: text.replace(file.path, file.label) for name, text in fields.items() if isinstance(text, str)
            }
        return Message(status_of(error), dumped(fields))
    if isinstance(error, MemoryError | RecursionError) or "out of memory" in str(error).lower():
        return Message(status_of(too_much_memory()), dumped(too_much_memory().to_dict()))
    return Message(500, dumped(fault().to_dict()), trouble=traceback.format_exc())


def _json(result: Any) -> Iterator[Message]:
    yield Message(_OK, dumped(result.to_dict()))


def _messages(result: Any) -> Iterator[Message]:
    """Yield an answer with what it says in plain words."""
    from .. import writers

    yield Message(_OK, dumped({"answer": result.to_dict(), "words": writers.terminal_text(result)}))


def _page(result: Any) -> Iterator[Message]:
    """Yield an answer as the page shows it, with its pictures and with its JSON."""
    from .. import writers

    fragment, answer = writers.fragment(result), result.to_dict()
    charts, missing = _drawn(result, fragment.charts)
    name = answer["schema"].removeprefix("fourfold/") + ".json"
    page = Page(fragment.title, fragment.tone, fragment.html + missing, charts, answer, name, fragment.cite)
    yield Message(_OK, dumped(page.to_dict()))


def _drawn(result: Any, charts: Sequence[Any]) -> tuple[list[dict[str, Any] | None], str]:
    """Return the charts as Vega-Lite, none where one cannot be drawn; and what to say where that wants a package."""
    from .. import plots, writers

    drawn: list[dict[str, Any] | None] = []
    for chart in charts:
        try:
            drawn.append(plots.themes(plots.draw(result, chart.name, chart.of)))
        except MissingExtra as error:
            words = f"There are no pictures: {error.problem}. To have them: {error.hint}"
            return [None] * len(charts), f'<p class="missing">{writers.escaped(words)}</p>'
        except TooLarge:
            drawn.append(None)
    return drawn, ""


def _csv(rows: ReviewedRows) -> Iterator[Message]:
    """Yield a review as pieces of CSV."""
    names: list[Any] = []

    def text(row: dict[Any, Any]) -> str:
        head = ""
        if not names:
            names.extend(name for name in row if name is not None)
            head = csv_line(names)
        return head + csv_line(row.get(name) for name in names)

    return _in_pieces(rows, text)


def _ndjson(rows: ReviewedRows) -> Iterator[Message]:
    """Yield a review as lines of JSON: heads, rows as they are and as they are shown, the progress, and the end."""
    from ..answers import review_row, review_words
    from ..claims import added

    verdicts: dict[str, int] = {}

    def text(row: dict[Any, Any]) -> str:
        heads, shown, tone = review_row(row)
        head = "" if verdicts else _line(head=heads)
        verdict = added(row)["verdict"]
        verdicts[verdict] = verdicts.get(verdict, 0) + 1
        plain = {name: value for name, value in row.items() if name is not None}
        return head + _line(row=plain, shown=shown, tone=tone)

    def progress(share: float | None) -> str:
        if share is not None:
            return _line(progress=share, words=review_words(verdicts, done=False))
        done = {"rows": sum(verdicts.values()), "verdicts": verdicts}
        return _line(progress=1.0) + _line(done=done, words=review_words(verdicts, done=True))

    return _in_pieces(rows, text, progress)


def _line(**record: Any) -> str:
    return dumped(record).decode() + "\n"


def _in_pieces(
    rows: ReviewedRows, text: Callable[[dict[Any, Any]], str], progress: Callable[[float | None], str] = lambda _: ""
) -> Iterator[Message]:
    """Yield the text of rows as they come, a few at a time; each piece ends with the progress, None at the end."""
    held, sent = "", time.monotonic()
    for row, share in rows:
        held += text(row)
        if time.monotonic() - sent > _PAUSE:
            yield Message(_OK, (held + progress(share)).encode("utf-8", "replace"), last=False)
            held, sent = "", time.monotonic()
    yield Message(_OK, (held + progress(None)).encode("utf-8", "replace"))


def _file(write: Callable[[Any], str | bytes]) -> Callable[[Any], Iterator[Message]]:
    def messages(result: Any) -> Iterator[Message]:
        body = write(result)
        yield Message(_OK, body if isinstance(body, bytes) else body.encode("utf-8"))

    return messages


def _unlimited() -> None:
    """Lift the limit of memory for what draws pictures; such a worker is worn then, and replaced."""
    try:
        import resource
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _report(result: Any) -> str:
    from .. import writers

    _unlimited()
    return writers.html_file(result)


def _sheet(kind: str) -> Callable[[Any], str | bytes]:
    def write(result: Any) -> str | bytes:
        from .. import writers

        # With its mark at the start, spreadsheets read it as UTF-8.
        return writers.to_xlsx(result) if kind == "xlsx" else "\ufeff" + writers.to_csv(result)

    return write


def _picture(ending: str) -> Callable[[Any], bytes]:
    def write(result: Any) -> bytes:
        from .. import plots, writers

        charts = writers.fragment(result).charts
        if not charts:
            raise InputError("bad_option", "picture", "this answer has none", ending, "save the report or its rows")
        _unlimited()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"picture.{ending}"
            plots.save(plots.draw(result, charts[0].name, charts[0].of), path)
            return path.read_bytes()

    return write


_WRITERS: Final[Mapping[Output, Callable[[Any], Iterator[Message]]]] = {
    "answer": _json,
    "told": _messages,
    "page": _page,
    "csv": _csv,
    "ndjson": _ndjson,
    "html": _file(_report),
    "rows": _file(_sheet("csv")),
    "xlsx": _file(_sheet("xlsx")),
    "svg": _file(_picture("svg")),
    "png": _file(_picture("png")),
}
