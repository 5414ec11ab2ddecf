"""Vega's script for the page, taken from an installed package: none is kept here, none is fetched."""

from __future__ import annotations

import asyncio
import contextlib
from importlib.metadata import PackageNotFoundError, version
from multiprocessing.connection import Connection
from typing import Any, Final

from ..errors import MissingExtra
from ..workers.pool import context
from ..workers.refusals import Refused, fault
from .static import StaticFile

# Making the script takes some seconds.
_PATIENCE: Final = 60.0


class Script:
    """The script of Vega, Vega-Lite and vega-embed, made once, in a process of its own.

    Making it holds the interpreter for seconds, in which a server would answer nobody.
    """

    def __init__(self) -> None:
        self._task: asyncio.Task[StaticFile] | None = None
        self._process: Any = None
        try:
            made_by = version("vl-convert-python")
        except PackageNotFoundError:
            made_by = "nobody"
        #: Another one with every version of what makes the script.
        self.tag = f"vega-of-{made_by}"

    def start(self) -> None:
        """Begin to make the script."""
        if self._task is None or (self._task.done() and (self._task.cancelled() or self._task.exception())):
            self._task = asyncio.get_running_loop().create_task(asyncio.to_thread(self._made))

    async def stop(self) -> None:
        """Stop making the script, if it is being made."""
        if self._task is not None:
            # It may have ended by itself at this moment.
            with contextlib.suppress(AttributeError, ValueError):
                self._process.kill()
            with contextlib.suppress(Refused, MissingExtra):
                await self._task

    async def file(self) -> StaticFile:
        """Return the script, or say what is missing."""
        self.start()
        assert self._task is not None
        return await asyncio.shield(self._task)

    def _made(self) -> StaticFile:
        ours, theirs = context().Pipe()
        process = context().Process(target=_make, args=(theirs,), name="fourfold script", daemon=True)
        process.start()
        self._process = process
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
        return StaticFile(script.encode(), "text/javascript", self.tag)


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
