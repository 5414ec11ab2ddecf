"""Standard input and output, kept for the protocol alone."""

from __future__ import annotations

import asyncio
import io
import os
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from typing import Final, TextIO

_AT_A_TIME: Final = 1 << 16
_LINES_AHEAD: Final = 4


def take_wire() -> tuple[int, TextIO]:
    """Return standard input and output; whatever else reads or prints here, or in a worker, reaches neither."""
    source, target = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return source, io.TextIOWrapper(os.fdopen(target, "wb"), encoding="utf-8", newline="\n")


class Lines:
    """The lines of an input as they come; one that is too long ends them, and `too_long` says how long it was.

    They are read in a thread that nobody waits for: a server that is stopped need not wait for another line.
    """

    def __init__(self, source: int, longest: int) -> None:
        self._source = source
        self._longest = longest
        self.too_long = 0

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield each line as text."""
        loop = asyncio.get_running_loop()
        lines: asyncio.Queue[bytes] = asyncio.Queue()
        room = threading.Semaphore(_LINES_AHEAD)

        def hand_on(line: bytes) -> None:
            room.acquire()
            loop.call_soon_threadsafe(lines.put_nowait, line)

        def read() -> None:
            with suppress(RuntimeError):  # the loop has ended before the input
                for line in self._read():
                    hand_on(line)
                hand_on(b"")

        threading.Thread(target=read, daemon=True).start()
        while line := await lines.get():
            room.release()
            yield line.decode("utf-8", "replace")

    def _read(self) -> Iterator[bytes]:
        held = bytearray()
        # Not by a buffered file: its lock would be held when the program ends.
        while piece := os.read(self._source, _AT_A_TIME):
            *lines, rest = piece.split(b"\n")
            for line in lines:
                yield bytes(held + line + b"\n")
                held.clear()
            held += rest
            if len(held) > self._longest:
                self.too_long = len(held)
                return
        if held:
            yield bytes(held)
