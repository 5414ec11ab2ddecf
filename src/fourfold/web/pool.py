"""A few worker processes that can be ended and replaced, so that no question holds up the rest."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import shutil
import sys
import tempfile
import threading
from collections.abc import AsyncGenerator, AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

from .refusals import busy, stopping, timed_out, worker_ended
from .settings import Settings
from .work import PRELOADED, Message, WorkItem, work

# How long a worker may go on after its client has left; a new worker costs more than most answers.
_GRACE: Final = 0.5
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

    def __init__(self, folder: Path, memory: int) -> None:
        self._folder = folder
        self._memory = memory
        self._process: Any = None
        self._connection: Any = None
        self._spoilt = False
        self._leaving = False
        # Whoever was left alone with a question may still hold the line.
        self._held = threading.RLock()

    def ask(self, item: WorkItem, seconds: float) -> Message:
        """Put a question and return the first piece of its answer."""
        with self._held:
            if self._leaving:
                raise stopping()
            if self._spoilt or not self._process.is_alive():
                self.start()
            try:
                self._connection.send(item)
            except OSError:
                # It ended between two questions, perhaps by the system's hand.
                self.start()
                self._connection.send(item)
            return self.next(seconds)

    def next(self, seconds: float) -> Message:
        """Wait for the next piece of an answer; a worker that takes too long is ended."""
        with self._held:
            try:
                if self._connection.poll(seconds):
                    message: Message = self._connection.recv()
                    self._spoilt = self._spoilt or message.worn
                    return message
            except (EOFError, OSError):
                if self._leaving:
                    raise stopping() from None
                self.start()
                raise worker_ended() from None
            self.start()
            raise timed_out(seconds)

    def start(self) -> None:
        """Start a process, in place of the one that there may be and of what it left behind."""
        with self._held:
            self.end()
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir(parents=True, mode=0o700)
            self._connection, theirs = context().Pipe()
            given = (theirs, str(self._folder), self._memory)
            self._process = context().Process(target=work, args=given, name="fourfold worker", daemon=True)
            self._process.start()
            theirs.close()
            self._spoilt = False

    def spoil(self) -> None:
        """End the process; whoever waits for its answer is told, and the next question starts another."""
        self._spoilt = True
        # A thread may be replacing the process just now.
        with suppress(AttributeError, ValueError):
            self._process.kill()

    def leave(self) -> None:
        """End the process for good; whoever waits for its answer is told why."""
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

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        #: Where uploads are kept while they are worked at.
        self.folder = Path()
        self._workers: list[Worker] = []
        self._waiting = 0

    async def start(self) -> None:
        """Start the workers."""
        settings = self._settings
        self.folder = Path(tempfile.mkdtemp(prefix="fourfold-"))
        self._idle: asyncio.LifoQueue[Worker] = asyncio.LifoQueue()
        # One worker stays free of uploads, so that small questions are answered meanwhile.
        self._heavy = asyncio.Semaphore(max(1, settings.workers - 1))
        self._threads = ThreadPoolExecutor(settings.workers, thread_name_prefix="fourfold")
        self._workers = [Worker(self.folder / f"worker-{n}", settings.memory) for n in range(settings.workers)]
        await asyncio.gather(*(self._in_thread(worker.start) for worker in self._workers))
        for worker in self._workers:
            self._idle.put_nowait(worker)

    def leave(self) -> None:
        """Tell all who wait that there will be no answers any more."""
        for worker in self._workers:
            worker.leave()

    async def stop(self) -> None:
        """End the workers and remove every file."""
        self.leave()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in self._workers:
            worker.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    async def _in_thread(self, call: Any, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, call, *arguments)

    async def ask(self, item: WorkItem) -> Message:
        """Return the answer to a question."""
        async with self._place(heavy=item.folder is not None) as worker:
            return await self._piece(worker, worker.ask, item, self._settings.time_limit)

    async def stream(self, item: WorkItem) -> AsyncGenerator[Message]:
        """Yield the pieces of a long answer."""
        limit = self._settings.time_limit
        end = asyncio.get_running_loop().time() + self._settings.review_limit
        async with self._place(heavy=True) as worker:
            message = await self._piece(worker, worker.ask, item, limit)
            try:
                while not message.last:
                    yield message
                    if asyncio.get_running_loop().time() > end:
                        raise timed_out(self._settings.review_limit, "review")
                    message = await self._piece(worker, worker.next, limit)
                yield message
            finally:
                if not message.last:
                    # The client has left, or the time is up: the rest of the answer must not reach another.
                    worker.spoil()

    async def _piece(self, worker: Worker, call: Any, *arguments: Any) -> Message:
        """Wait for a piece of an answer; where the client leaves meanwhile, end the work at it."""
        piece = asyncio.ensure_future(self._in_thread(call, *arguments))
        try:
            message: Message = await asyncio.shield(piece)
        except asyncio.CancelledError:
            await asyncio.wait({piece}, timeout=_GRACE)
            if not piece.done():
                worker.spoil()
            piece.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise
        if message.trouble:
            _LOG.error("a question failed\n%s", message.trouble)
        return message

    @asynccontextmanager
    async def _place(self, *, heavy: bool) -> AsyncIterator[Worker]:
        """Wait for a worker, not too long and not behind too many others."""
        settings = self._settings
        if self._waiting >= settings.queue:
            raise busy(settings.queue)
        self._waiting += 1
        held, worker = False, None
        try:
            try:
                async with asyncio.timeout(settings.time_limit):
                    if heavy:
                        await self._heavy.acquire()
                        held = True
                    worker = await self._idle.get()
            except TimeoutError:
                raise busy(settings.queue) from None
            finally:
                self._waiting -= 1
            yield worker
        finally:
            if worker is not None:
                self._idle.put_nowait(worker)
            if held:
                self._heavy.release()
