"""Vega's script for the page, taken from an installed package: none is kept here, none is fetched."""

from __future__ import annotations

import asyncio
import contextlib
from multiprocessing.connection import Connection
from typing import Final

from ..errors import MissingExtra
from .pool import context
from .refusals import Refused, fault

# Making the script takes some seconds.
_PATIENCE: Final = 60.0


class Script:
    """The script of Vega, Vega-Lite and vega-embed, made once, in a process of its own.

    Making it holds the interpreter for seconds, in which a server would answer nobody.
    """

    def __init__(self) -> None:
        self._task: asyncio.Task[str] | None = None

    def start(self) -> None:
        """Begin to make the script."""
        if self._task is None or (self._task.done() and (self._task.cancelled() or self._task.exception())):
            self._task = asyncio.get_running_loop().create_task(asyncio.to_thread(_made))

    async def stop(self) -> None:
        """Wait for the script, if it is being made."""
        if self._task is not None:
            with contextlib.suppress(Refused, MissingExtra):
                await self._task

    async def text(self) -> str:
        """Return the script, or say what is missing."""
        self.start()
        assert self._task is not None
        return await asyncio.shield(self._task)


def _made() -> str:
    ours, theirs = context().Pipe()
    process = context().Process(target=_make, args=(theirs,), name="fourfold script", daemon=True)
    process.start()
    theirs.close()
    try:
        script = ours.recv() if ours.poll(_PATIENCE) else None
    except EOFError:
        script = None
    finally:
        process.kill()
        process.join()
        process.close()
        ours.close()
    if isinstance(script, MissingExtra):
        raise script
    if script is None:
        raise Refused(500, fault())
    return str(script)


def _make(connection: Connection) -> None:
    """Send the script, or the error where its package is missing."""
    from ..plots import extra

    try:
        script = extra("vl_convert").javascript_bundle()
    except MissingExtra as error:
        script = error
    with contextlib.suppress(BrokenPipeError):
        # The server may have been stopped meanwhile.
        connection.send(script)
