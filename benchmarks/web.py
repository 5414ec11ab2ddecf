"""A real server on this machine under load; no peer serves such questions, so times stand alone.

What short questions wait for is printed for one line in which all questions wait alike, with the limits that went with
it, and for the line that the server has.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from .timing import alone

SHORT: Final = {"accuracy": "0.85", "recall": "80%", "positives": 40, "negatives": 60}
#: No sizes, and all bounds: takes longer than the server allows.
LONG: Final = {"accuracy": "0.85", "max_total": 900, "bounds": "all"}
#: One line for all: no question is ever moved aside.
ONE_LINE: Final = {"workers": 4, "short_limit": 20.0, "queue": 256, "wait_limit": 20.0, "connections": 600}
LINES: Final[dict[str, dict[str, Any]]] = {"one line for all": ONE_LINE, "long ones aside": {}}
_PATIENCE: Final = 120


class Reply(NamedTuple):
    """What came back: the status, 0 where the connection broke, and after how many seconds."""

    status: int
    seconds: float


@contextmanager
def served(**settings: Any) -> Iterator[tuple[int, int]]:
    """Run a server in a process of its own; give its port and its process."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, settings))
    process.start()
    try:
        port = urlsplit(ours.recv()).port
        assert port is not None
        assert process.pid is not None
        yield port, process.pid
    finally:
        process.terminate()
        process.join()


def _serve(connection: Connection, settings: dict[str, Any]) -> None:
    from fourfold.web import Settings, serve

    serve(Settings(port=0, **settings), ready=connection.send)


async def ask(port: int, question: dict[str, Any], path: str = "/api/recover") -> Reply:
    """Ask one question on a connection of its own."""
    body, start = json.dumps(question).encode(), time.perf_counter()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        async with asyncio.timeout(_PATIENCE):
            answer = await reader.read()
        writer.close()
    except OSError:
        answer = b""
    return Reply(int(answer.split(b" ", 2)[1]) if answer else 0, time.perf_counter() - start)


async def _one_by_one(port: int) -> None:
    await asyncio.gather(*(ask(port, SHORT) for _ in range(12)))
    for what, path in (("", "/api/recover"), (", with its pictures", "/page/recover")):
        times = [(await ask(port, SHORT, path)).seconds for _ in range(50)]
        alone(f"a short question over HTTP{what}", statistics.median(times), "median")


async def _at_once(port: int, name: str, many: int) -> None:
    start = time.perf_counter()
    replies = await asyncio.gather(*(ask(port, SHORT | {"positives": 40 + n % 4}) for n in range(many)))
    whole = time.perf_counter() - start
    failed = sum(reply.status != 200 for reply in replies)
    times = [reply.seconds for reply in replies if reply.status == 200]
    slow = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else float("nan")
    alone(f"{name}: {many} at once", slow, f"95th percentile of {len(times)} answers in {whole:.1f} s; {failed} errors")


async def _beside(port: int, name: str, many: int) -> None:
    """Ask long questions, and short ones while they are worked at."""
    long = [asyncio.create_task(ask(port, LONG)) for _ in range(many)]
    await asyncio.sleep(0.1)
    times: list[float] = []
    while len(times) < 20 and not all(task.done() for task in long):
        times.append((await ask(port, SHORT)).seconds)
    for task in long:
        task.cancel()
    await asyncio.gather(*long, return_exceptions=True)
    note = f"median; {max(times):.2g} s at most"
    alone(f"{name}: short questions beside {many} long ones", statistics.median(times), note)


async def _load(port: int, name: str) -> None:
    await asyncio.gather(*(ask(port, SHORT) for _ in range(12)))
    for many in (200, 400, 1000):
        await _at_once(port, name, many)
    for many in (4, 20):
        await _beside(port, name, many)
        # Workers whose clients have left are replaced.
        await asyncio.sleep(2)


def sizes(server: int) -> dict[str, float]:
    """Return the megabytes that a server and its workers hold, as Linux tells: pages that are shared are shared out."""
    held = {"server": _held(server), "workers": 0.0}
    for status in Path("/proc").glob("[0-9]*/status"):
        if status.parent.name != str(server) and server in _ancestors(status.parent.name):
            held["workers"] += _held(int(status.parent.name))
    return held


def _held(process: int) -> float:
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _ancestors(process: str) -> Iterator[int]:
    while process not in ("0", "1"):
        try:
            lines = Path(f"/proc/{process}/status").read_text().splitlines()
        except OSError:
            return
        process = next(line.split()[1] for line in lines if line.startswith("PPid:"))
        yield int(process)


async def _many(port: int, count: int) -> int:
    """Ask so many questions of a few kinds, 20 at once; return how many were not answered."""
    paths = ("/api/recover", "/api/recover", "/api/recover", "/page/recover")
    failed = 0
    for first in range(0, count, 20):
        asked = (ask(port, SHORT | {"positives": 40 + n % 60}, paths[n % 4]) for n in range(first, first + 20))
        failed += sum(reply.status != 200 for reply in await asyncio.gather(*asked))
    return failed


def _memory(server: int, port: int) -> None:
    if sys.platform != "linux":
        return
    # Each worker grows until it has met every kind of question once; from then on nothing may.
    for asked in (500, 2500, 5000, 5000):
        failed = asyncio.run(_many(port, asked))
        held = ", ".join(f"{name} {size:.0f} MB" for name, size in sizes(server).items())
        print(f"after {asked} more questions ({failed} errors): {held}")


def run() -> None:
    """Ask one by one, many at once, short ones beside long ones, and many in a row."""
    with served() as (port, server):
        asyncio.run(_one_by_one(port))
        _memory(server, port)
    for name, settings in LINES.items():
        with served(**settings) as (port, _):
            asyncio.run(_load(port, name))
