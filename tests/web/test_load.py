"""Many questions, and long ones: short questions are answered meanwhile, and nobody is turned away without need."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest

from .conftest import PATIENCE, awaited, running

for name in ("starlette", "uvicorn", "python_multipart"):
    pytest.importorskip(name, reason="needs fourfold[web] and httpx")
httpx = pytest.importorskip("httpx", reason="needs fourfold[web] and httpx")

from fourfold.workers import Limits, Pool  # noqa: E402
from fourfold.workers.line import Line, Pace  # noqa: E402

from .test_safety import ENDLESS, QUESTION, asked, is_answered  # noqa: E402

SHORT, DOUBTFUL, LONG = (lambda pace=pace: pace for pace in Pace)


async def begun(line: Line[int], *paces: Any) -> list[asyncio.Task[Any]]:
    """Wait in a line, in this order, until whoever may begin has begun."""
    tasks = [asyncio.create_task(line.turn(pace)) for pace in paces]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return tasks


def test_long_questions_leave_two_workers_free_and_doubtful_ones_one() -> None:
    async def ask() -> tuple[list[bool], list[bool]]:
        line = Line(range(4))
        first = await begun(line, LONG, LONG, LONG, DOUBTFUL, DOUBTFUL, SHORT, SHORT)
        before = [task.done() for task in first]
        line.end(first[0].result())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return before, [task.done() for task in first]

    before, after = awaited(ask())
    assert before == [True, True, False, True, False, True, False]
    # The free worker goes to who came first of those who may have it.
    assert after == [True, True, True, True, False, True, False]


@pytest.mark.parametrize("count", [1, 2])
def test_few_workers_do_all(count: int) -> None:
    async def ask() -> list[Pace]:
        line = Line(range(count))
        found = []
        for pace in (LONG, DOUBTFUL, SHORT):
            turn = await line.turn(pace)
            found.append(turn.pace)
            line.end(turn)
        return found

    assert awaited(ask()) == [Pace.LONG, Pace.DOUBTFUL, Pace.SHORT]


def test_a_question_becomes_long_where_there_is_room() -> None:
    async def ask() -> list[bool]:
        line = Line(range(4))
        turns = [task.result() for task in await begun(line, SHORT, SHORT, SHORT, SHORT)]
        return [line.lengthen(turn) for turn in turns]

    assert awaited(ask()) == [True, True, False, False]


def test_what_is_learnt_of_a_question_holds_while_it_waits() -> None:
    async def ask() -> list[bool]:
        line, known = Line(range(2)), Pace.SHORT
        running = [task.result() for task in await begun(line, SHORT, DOUBTFUL)]
        waiting = await begun(line, lambda: known, SHORT)
        known = Pace.DOUBTFUL
        line.end(running[0])
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return [task.done() for task in waiting]

    assert awaited(ask()) == [False, True]


def test_who_leaves_gives_way() -> None:
    """Whether it still waits, or has been given a worker at this very moment."""

    async def ask() -> int:
        line = Line(range(1))
        turn = await line.turn(SHORT)
        waits, given, last = await begun(line, SHORT, SHORT, SHORT)
        waits.cancel()
        await asyncio.sleep(0)
        line.end(turn)
        given.cancel()
        worker: int = (await asyncio.wait_for(last, 10)).worker
        assert len(line) == 0
        return worker

    assert awaited(ask()) == 0


@pytest.mark.parametrize("last", [True, False])
def test_what_is_still_to_come_reaches_nobody_else(last: bool) -> None:
    """Who asked leaves while the first piece of an answer comes: if more would follow, its worker is replaced."""

    async def ask() -> bool:
        pool, spoilt = Pool(Limits()), []

        async def answer(*_: Any) -> SimpleNamespace:
            await asyncio.sleep(0.01)
            return SimpleNamespace(last=last, trouble="")

        pool._in_thread = answer  # type: ignore[method-assign]
        piece = asyncio.create_task(pool._piece(SimpleNamespace(spoil=lambda: spoilt.append(True)), None))
        await asyncio.sleep(0)
        piece.cancel()
        await asyncio.wait({piece})
        return bool(spoilt)

    assert awaited(ask()) == (not last)


def test_long_questions_do_not_hold_short_ones(uploads: Path) -> None:
    """There are three times as many as workers, and none of them ends."""
    with ExitStack() as opened:
        url = opened.enter_context(running(uploads, workers=4, short_limit=1.5, time_limit=600.0, wait_limit=600.0))
        lines = [opened.enter_context(asked(url, ENDLESS)) for _ in range(12)]
        with httpx.Client(base_url=url, timeout=PATIENCE) as client:
            for _ in range(20):
                found = client.post("/api/recover", json=QUESTION).json()
                assert (found["verdict"], found["count"]) == ("possible", 1)
        assert not any(is_answered(line) for line in lines)


def test_a_question_that_was_moved_aside_is_answered(uploads: Path) -> None:
    """With no time at all for short questions, all are begun again where long ones wait."""
    limits = {"short_limit": 0.001, "time_limit": 600.0, "wait_limit": 600.0}
    with (
        running(uploads, workers=3, **limits) as url,
        httpx.Client(base_url=url, timeout=PATIENCE) as client,
        ThreadPoolExecutor(12) as threads,
    ):
        replies = threads.map(lambda _: client.post("/page/recover", json=QUESTION), range(12))
        answers = [reply.json()["answer"] for reply in replies]
        assert {(answer["verdict"], answer["count"]) for answer in answers} == {("possible", 1)}


def test_two_hundred_at_once(server: str) -> None:
    with httpx.Client(base_url=server, timeout=PATIENCE, limits=httpx.Limits(max_connections=200)) as client:

        def ask(n: int) -> int:
            status: int = client.post("/api/recover", json=QUESTION | {"positives": 40 + n % 3}).status_code
            return status

        with ThreadPoolExecutor(200) as pool:
            assert set(pool.map(ask, range(200))) == {200}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process holds")
def test_five_hundred_questions_leave_memory_where_it_was(uploads: Path) -> None:
    """Both of the worker and of the server, which here shares a process with its client."""
    others = workers()
    with running(uploads, workers=1) as url, httpx.Client(base_url=url, timeout=PATIENCE) as client:
        [worker] = workers() - others

        def held(questions: int) -> dict[Any, float]:
            for n in range(questions):
                assert client.post("/api/recover", json=QUESTION | {"positives": 40 + n % 60}).status_code == 200
            gc.collect()
            return {process: megabytes(process) for process in (worker, "self")}

        before, after = held(150), held(500)
    assert {process: after[process] - before[process] < 8 for process in before} == {worker: True, "self": True}


def workers() -> set[int | None]:
    return {child.pid for child in multiprocessing.active_children() if child.name == "fourfold worker"}


def megabytes(process: int | str) -> float:
    """Return how much memory a process has for itself alone."""
    held = Path(f"/proc/{process}/smaps_rollup").read_text()
    return int(held.partition("Private_Dirty:")[2].split()[0]) / 1024


def test_a_connection_too_many_is_told_so(uploads: Path) -> None:
    with running(uploads, workers=1, connections=2) as url, ExitStack() as opened:
        parts = urlsplit(url)
        for _ in range(2):
            opened.enter_context(socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE))
        reply = httpx.get(f"{url}api/metrics", timeout=PATIENCE)
        assert (reply.status_code, reply.json()["code"]) == (503, "busy")
        assert "connections" in reply.json()["problem"]
        assert reply.headers["connection"] == "close"
    with running(uploads, workers=1, connections=2) as url:
        assert httpx.get(f"{url}api/metrics", timeout=PATIENCE).status_code == 200
