"""A few worker processes that can be ended and replaced, so that no question holds up the rest."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from multiprocessing.util import get_temp_dir
from pathlib import Path
from typing import Any, Final, NoReturn

from .folder import Folder
from .limits import Limits
from .line import Line, Pace, Turn
from .refusals import busy, stopping, timed_out, worker_ended, worker_killed
from .work import PRELOADED, Message, WorkItem, work

# How long a worker may go on after its client has left; a new worker costs more than most answers.
_GRACE: Final = 0.5
# Files of more bytes than this in all may take long.
_LARGE: Final = 2_000_000
# So many kinds of questions that were long are remembered.
_KNOWN: Final = 256
# How many times as long as a short question may work it may take in all, where others keep the processors busy.
_PATIENCE: Final = 8
# Seconds after which it is looked again how long a worker has worked.
_TICK: Final = 0.05
_KILLED: Final = -getattr(signal, "SIGKILL", 9)
_LOG: Final = logging.getLogger("uvicorn.error")


def context() -> Any:
    """Return the way to start processes: from one that has all imports, where the system can fork."""
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    chosen = multiprocessing.get_context("forkserver")
    chosen.set_forkserver_preload(list(PRELOADED))
    return chosen


class Worker:
    """One process and the line to it."""

    def __init__(self, folder: Path, memory: int, leftovers: Sequence[str] = ()) -> None:
        self._folder = folder
        self._memory = memory
        self._leftovers = leftovers
        self._process: Any = None
        self._connection: Any = None
        self._leaving = False
        #: Whether the process must not get another question.
        self.spoilt = False
        # A thread that was left alone with a question may still hold the line.
        self._held = threading.RLock()

    def ask(self, item: WorkItem, seconds: float) -> Message | None:
        """Put a question and return the first piece of its answer, or None where it takes longer."""
        with self._held:
            if self._leaving:
                raise stopping()
            try:
                self._connection.send(item)
            except OSError:
                # It ended between two questions, perhaps by the system's hand.
                self.start()
                self._connection.send(item)
            return self.next(seconds)

    def next(self, seconds: float) -> Message | None:
        """Wait for the next piece of an answer, or return None where it takes longer."""
        with self._held:
            try:
                if not self._connection.poll(seconds):
                    return None
                message: Message = self._connection.recv()
            except (EOFError, OSError):
                if self._leaving:
                    raise stopping() from None
                self.spoilt = True
                self._process.join()
                raise (worker_killed if self._process.exitcode == _KILLED else worker_ended)() from None
            self.spoilt = self.spoilt or message.worn
            return message

    def start(self) -> None:
        """Start a process, in place of the one that there may be and of what it left behind."""
        with self._held:
            self.end()
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir(parents=True, mode=0o700)
            self._connection, theirs = context().Pipe()
            given = (theirs, str(self._folder), self._memory, self._leftovers)
            self._process = context().Process(target=work, args=given, name="fourfold worker", daemon=True)
            self._process.start()
            theirs.close()
            self.spoilt = False

    def used(self) -> float:
        """Return how many seconds a processor has worked for the process; plain time where the system does not tell."""
        try:
            # After the name, which may hold anything, come the state and eleven numbers more (see proc(5)).
            numbers = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError, AttributeError):
            return time.monotonic()

    def spoil(self) -> None:
        """End the process; who waits for its answer gets an error."""
        self.spoilt = True
        # A thread may be replacing the process just now.
        with suppress(AttributeError, ValueError):
            self._process.kill()

    def leave(self) -> None:
        """End the process for good; who waits for its answer gets the reason."""
        self._leaving = True
        self.spoil()

    def end(self) -> None:
        """End the process and close the line."""
        with self._held:
            if self._process is not None:
                self._process.kill()
                self._process.join()
                self._process.close()
                self._connection.close()
                self._process = None


class Pool:
    """Workers, and the line of those who wait for one."""

    def __init__(self, settings: Limits) -> None:
        self._settings = settings
        #: Where uploads are kept while they are worked at.
        self.folder = Path()
        self._workers: list[Worker] = []
        self._leaving = False
        # Kinds of questions that were long when one was last asked, the latest last.
        self._known_long: dict[int, None] = {}
        self._renewals: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Start the workers."""
        settings = self._settings
        Folder.remove_leftovers()
        self._folder = Folder()
        self.folder = self._folder.path
        # One thread waits for each worker, and one may start its successor.
        self._threads = ThreadPoolExecutor(2 * settings.workers, thread_name_prefix="fourfold")
        # Python's own folder holds the socket by which processes are started.
        left = (str(self.folder), get_temp_dir())
        folders = [self.folder / f"worker-{n}" for n in range(settings.workers)]
        self._workers = [Worker(folder, settings.memory, left) for folder in folders]
        await asyncio.gather(*(self._in_thread(worker.start) for worker in self._workers))
        self._line = Line(self._workers)

    def leave(self) -> None:
        """Tell all who wait that there will be no answers any more."""
        self._leaving = True
        for worker in self._workers:
            worker.leave()

    async def stop(self) -> None:
        """End the workers and remove every file."""
        self.leave()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in self._workers:
            worker.end()
        self._folder.remove()

    async def _in_thread(self, call: Any, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, call, *arguments)

    async def ask(self, item: WorkItem) -> Message:
        """Return the answer to a question; one that is not short makes room, and begins again where long ones wait."""
        moved = False
        while True:
            async with self._turn(item, long=moved) as turn:
                message = await self._answer(turn, item)
                if message is not None:
                    return message
            moved = True

    async def _answer(self, turn: Turn[Worker], item: WorkItem) -> Message | None:
        """Return the answer of a worker, or None where a question shows to be long and there is no room for one."""
        worker, limit = turn.worker, self._settings.time_limit
        if turn.pace is Pace.LONG:
            return await self._piece(worker, worker.ask, item, limit) or self._too_long(worker)
        start = time.monotonic()
        message = await self._at_first(worker, item)
        if message is not None:
            self._known_long.pop(_kind(item), None)
            return message
        if (left := limit - (time.monotonic() - start)) > 0:
            self._note_long(item)
            if not self._line.lengthen(turn):
                worker.spoil()
                return None
            message = await self._piece(worker, worker.next, left)
        return message or self._too_long(worker)

    async def _at_first(self, worker: Worker, item: WorkItem) -> Message | None:
        """Return an answer that comes soon: a worker may take little time, and somewhat longer on a busy machine."""
        short, limit = self._settings.short_limit, self._settings.time_limit
        start, used = time.monotonic(), worker.used()
        message = await self._piece(worker, worker.ask, item, min(short, limit))
        end = start + min(_PATIENCE * short, limit)
        while message is None and (now := time.monotonic()) < end and (left := used + short - worker.used()) > 0:
            message = await self._piece(worker, worker.next, min(max(left, _TICK), end - now))
        return message

    def _note_long(self, item: WorkItem) -> None:
        self._known_long.pop(_kind(item), None)
        self._known_long[_kind(item)] = None
        if len(self._known_long) > _KNOWN:
            del self._known_long[next(iter(self._known_long))]

    def _too_long(self, worker: Worker) -> NoReturn:
        worker.spoil()
        raise timed_out(self._settings.time_limit)

    async def stream(self, item: WorkItem) -> AsyncGenerator[Message]:
        """Yield the pieces of a long answer."""
        limit = self._settings.time_limit
        end = asyncio.get_running_loop().time() + self._settings.review_limit
        async with self._turn(item, long=True) as turn:
            worker = turn.worker
            message = await self._piece(worker, worker.ask, item, limit) or self._too_long(worker)
            try:
                while not message.last:
                    yield message
                    if asyncio.get_running_loop().time() > end:
                        raise timed_out(self._settings.review_limit, "review")
                    message = await self._piece(worker, worker.next, limit) or self._too_long(worker)
                yield message
            finally:
                if not message.last:
                    # The client has left, or the time is up: the rest of the answer must not reach another.
                    worker.spoil()

    async def _piece(self, worker: Worker, call: Any, *arguments: Any) -> Message | None:
        """Wait for a piece of an answer; where the client leaves meanwhile, end the work at it."""
        piece = asyncio.ensure_future(self._in_thread(call, *arguments))
        try:
            message: Message | None = await asyncio.shield(piece)
        except asyncio.CancelledError:
            # Nobody will look at what it says.
            piece.add_done_callback(lambda done: done.cancelled() or done.exception())
            try:
                await asyncio.wait({piece}, timeout=_GRACE)
            finally:
                # Nor may what is still to come of it reach another.
                ended = piece.done() and not piece.cancelled() and not piece.exception() and piece.result()
                if not ended or not ended.last:
                    worker.spoil()
            raise
        if message and message.trouble:
            _LOG.error("a question failed\n%s", message.trouble)
        return message

    @asynccontextmanager
    async def _turn(self, item: WorkItem, *, long: bool) -> AsyncIterator[Turn[Worker]]:
        """Wait for a worker, not too long and not behind too many others."""
        settings, kind = self._settings, _kind(item)
        least = Pace.LONG if long else Pace.DOUBTFUL if _is_large(item) else Pace.SHORT
        if len(self._line) >= settings.queue:
            raise busy(settings.queue)
        try:
            async with asyncio.timeout(settings.wait_limit):
                turn = await self._line.turn(lambda: max(least, Pace(kind in self._known_long)))
        except TimeoutError:
            raise busy(len(self._line)) from None
        try:
            yield turn
        finally:
            if turn.worker.spoilt and not self._leaving:
                renewal = asyncio.create_task(self._renew(turn))
                self._renewals.add(renewal)
                renewal.add_done_callback(self._renewals.discard)
            else:
                self._line.end(turn)

    async def _renew(self, turn: Turn[Worker]) -> None:
        """Start another process for a worker, which gets no question until then."""
        try:
            if not self._leaving:
                await self._in_thread(turn.worker.start)
        except OSError as error:
            _LOG.error("a worker cannot be started: %s", error)
        finally:
            self._line.end(turn)


def _kind(item: WorkItem) -> int:
    """Return a number for what questions that take about as long have in common: what is asked, and what is given."""
    given = frozenset(name for name, value in item.values.items() if value not in (None, "", []))
    return hash((item.question, given))


def _is_large(item: WorkItem) -> bool:
    return sum(Path(item.folder or "", file.path).stat().st_size for file in item.files) > _LARGE
