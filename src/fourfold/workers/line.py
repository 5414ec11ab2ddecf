"""Who is next: a line for workers in which long questions never hold short ones.

A question is short until it has shown otherwise. One that outlives the first moments is long. One that looks like
another that was long, or that comes with a large file, is doubtful. Long questions leave two workers free, doubtful and
long ones together leave one; so whatever comes first, a short question waits for short ones alone. A connection has one
question at a time, and its next goes to the end: the line is fair between connections.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Generic, TypeVar

Worker = TypeVar("Worker")


class Pace(IntEnum):
    """How long a question is thought to take; as a number, how many workers questions of its kind leave free."""

    SHORT = 0
    DOUBTFUL = 1
    LONG = 2


class Turn(Generic[Worker]):
    """A worker that is given to a question."""

    def __init__(self, worker: Worker, pace: Pace) -> None:
        self.worker = worker
        self.pace = pace


class Line(Generic[Worker]):
    """Workers, and those who wait for one.

    Examples
    --------
    >>> async def ask() -> list[bool]:
    ...     line = Line(["first", "second", "third"])
    ...     long = await line.turn(lambda: Pace.LONG)
    ...     another = asyncio.create_task(line.turn(lambda: Pace.LONG))
    ...     short = await line.turn(lambda: Pace.SHORT)
    ...     still_waits = not another.done()
    ...     line.end(long)
    ...     return [still_waits, (await another).worker == long.worker]
    >>> asyncio.run(ask())
    [True, True]
    """

    def __init__(self, workers: Iterable[Worker]) -> None:
        # The last that worked is the next to work: its memory is at hand.
        self._idle = list(workers)
        self._running: list[Turn[Worker]] = []
        self._waiting: dict[asyncio.Future[Turn[Worker]], Callable[[], Pace]] = {}
        self._count = len(self._idle)

    def __len__(self) -> int:
        """Return how many wait."""
        return len(self._waiting)

    async def turn(self, pace: Callable[[], Pace]) -> Turn[Worker]:
        """Wait for a worker; `pace` is asked whenever one is free, since what is known of a question may change."""
        waiter: asyncio.Future[Turn[Worker]] = asyncio.get_running_loop().create_future()
        self._waiting[waiter] = pace
        self._serve()
        try:
            return await waiter
        except asyncio.CancelledError:
            if self._waiting.pop(waiter, None) is None and not waiter.cancelled():
                self.end(waiter.result())
            raise

    def lengthen(self, turn: Turn[Worker]) -> bool:
        """Make a turn a long one where there is room for that; tell whether there was."""
        if not self._has_room(Pace.LONG, but=turn):
            return False
        turn.pace = Pace.LONG
        return True

    def end(self, turn: Turn[Worker]) -> None:
        """Take back the worker of a turn."""
        self._running.remove(turn)
        self._idle.append(turn.worker)
        self._serve()

    def _serve(self) -> None:
        """Give workers to all who may have one, in the order in which they came."""
        served = []
        for waiter, asked in self._waiting.items():
            if not self._idle:
                break
            pace = asked()
            if not waiter.done() and self._has_room(pace):
                turn = Turn(self._idle.pop(), pace)
                self._running.append(turn)
                waiter.set_result(turn)
                served.append(waiter)
        for waiter in served:
            del self._waiting[waiter]

    def _has_room(self, pace: Pace, but: Turn[Worker] | None = None) -> bool:
        others = [turn.pace for turn in self._running if turn is not but]
        kinds = [kind for kind in Pace if Pace.SHORT < kind <= pace]
        return all(sum(other >= kind for other in others) < max(1, self._count - kind) for kind in kinds)
