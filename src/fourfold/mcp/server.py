"""The server: each call of a tool is a question for a worker, and every answer comes with its words."""

from __future__ import annotations

import asyncio
import json
import logging
import shutil
import signal
import tempfile
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import anyio
from mcp import MCPError, types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from .. import __version__
from ..errors import FourfoldError, InputError, TooLarge, suggestion, verbatim
from ..questions import FILES, distinct
from ..workers import Limits, Message, Pool, WorkItem
from ..workers.refusals import Refused, dumped, fault
from ..workers.uploads import Uploads
from .files import Folders, keep
from .tools import TOOLS, described, instructions
from .wire import Lines, take_wire

# An assistant asks one thing after another: one worker for what takes long, and one for all else.
_WORKERS: Final = 2
# A line is longer than the question in it: JSON may take six bytes for a letter.
_LINE_TO_QUESTION: Final = 8
_OK: Final = 200
_LOG: Final = logging.getLogger(__name__)

Result = TypeVar("Result")


def serve(folders: Sequence[str], time_limit: float, ready: Callable[[], None] | None = None) -> None:
    """Answer until the input ends, or a signal comes."""
    limits = Limits(workers=_WORKERS, time_limit=time_limit, wait_limit=time_limit)
    tools = Tools(Folders(folders), limits)
    if ready is not None:
        ready()
    with suppress(asyncio.CancelledError):
        asyncio.run(_serve(tools, limits.json_limit * _LINE_TO_QUESTION))


async def _serve(tools: Tools, longest_line: int) -> None:
    task = asyncio.current_task()
    assert task is not None
    for name in ("SIGTERM", "SIGHUP"):
        with suppress(AttributeError, NotImplementedError):  # Windows
            asyncio.get_running_loop().add_signal_handler(
                getattr(signal, name), lambda: tools.is_ending or task.cancel()
            )
    source, target = take_wire()
    lines = Lines(source, longest_line)
    try:
        # Of a file, the package takes only its lines.
        async with stdio_server(cast("anyio.AsyncFile[str]", lines), anyio.wrap_file(target)) as (read, write):
            await tools.run(read, write)
    except* (BrokenPipeError, anyio.BrokenResourceError):
        pass  # nobody reads the answers any more, or a signal came with a question
    if lines.too_long:
        problem, hint = f"must have at most {longest_line:,} bytes", "name a file in a folder that the server was given"
        raise TooLarge("too_large", "line", problem, lines.too_long, hint)


class Tools:
    """The tools, and the workers behind them."""

    def __init__(self, folders: Folders, limits: Limits) -> None:
        self._folders = folders
        self._limits = limits
        self._pool = Pool(limits)
        #: Whether the workers are being ended, which must not be broken off.
        self.is_ending = False

    async def run(self, read: Any, write: Any) -> None:
        """Answer what is read until it ends."""
        server: Server[Any] = Server(
            "fourfold",
            version=__version__,
            instructions=instructions(self._folders.names),
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        # Meanwhile the client and the server get to know each other.
        self._started = asyncio.ensure_future(self._pool.start())
        try:
            await server.run(read, write, server.create_initialization_options())
        finally:
            self.is_ending = True
            with anyio.CancelScope(shield=True):
                await self._started
                await self._pool.stop()

    async def _list(self, _: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        item = WorkItem(partial(described, files=bool(self._folders.names)))
        try:
            message = await _apart(self._answer(item))
        except Refused as refused:
            raise MCPError(types.INTERNAL_ERROR, str(refused.error)) from None
        return types.ListToolsResult.model_validate_json(message.body)

    async def _call(self, _: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            message = await _apart(self._ask(params.name, params.arguments or {}))
        except Refused as refused:
            return _failed(refused.error.to_dict())
        except FourfoldError as error:
            return _failed(error.to_dict())
        except Exception:
            _LOG.exception("a question failed")
            return _failed(fault().to_dict())
        answer = json.loads(message.body)
        return _result(answer["words"], answer["answer"]) if message.status == _OK else _failed(answer)

    async def _ask(self, name: str, arguments: Mapping[str, Any]) -> Message:
        """Ask a question with what was given, and with its files."""
        if name not in TOOLS:
            hint = suggestion(name, TOOLS, f"there are {', '.join(TOOLS)}")
            raise InputError("bad_request", "tool", "is not one of this server's", name, hint)
        question = TOOLS[name]
        self._check(arguments)
        values = _values(arguments)
        file = next((parameter for parameter in question.parameters if parameter.kind in FILES), None)
        if file is None:
            return await self._answer(WorkItem(name, values, output="told"))
        await asyncio.shield(self._started)
        place = Path(tempfile.mkdtemp(prefix="upload-", dir=self._pool.folder))
        try:
            uploads, limit = Uploads(place, question), self._limits.upload_limit
            given = values.pop(file.name, [])
            await asyncio.to_thread(keep, given, file.kind, self._folders, uploads, limit)
            return await self._answer(WorkItem(name, values, uploads.files, str(place), "told"))
        finally:
            shutil.rmtree(place, ignore_errors=True)

    async def _answer(self, item: WorkItem) -> Message:
        await asyncio.shield(self._started)
        return await self._pool.ask(item)

    def _check(self, arguments: Mapping[str, Any]) -> None:
        limit = self._limits.json_limit
        try:
            size = len(dumped(arguments))
        except ValueError:
            hint = "give a number, or a text"
            raise InputError(
                "bad_request", "arguments", "hold something that is not a number", verbatim("nan or infinity"), hint
            ) from None
        if size > limit:
            problem, hint = f"must have at most {limit:,} bytes", "name a file in a folder that the server was given"
            raise TooLarge("too_large", "arguments", problem, size, hint)


def _values(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was given by name, scores beside the rest."""
    rest = {name: value for name, value in arguments.items() if name != "scores"}
    scores = arguments.get("scores") or {}
    if not isinstance(scores, Mapping):
        hint = 'give an object such as {"accuracy": "0.85"}'
        raise InputError("bad_shape", "scores", "must be scores by name", scores, hint)
    return distinct([*rest.items(), *scores.items()])


def _result(words: str, answer: Mapping[str, Any], *, failed: bool = False) -> types.CallToolResult:
    text = types.TextContent(type="text", text=words)
    return types.CallToolResult(content=[text], structured_content=answer, is_error=failed)


def _failed(error: Mapping[str, Any]) -> types.CallToolResult:
    return _result(error["message"], error, failed=True)


async def _apart(work: Coroutine[Any, Any, Result]) -> Result:
    """Wait for work in a task of its own, which is cancelled once where the client no longer waits for it.

    The package would cancel it again at every step, and what the workers still have to put in order would be left.
    """
    task = asyncio.ensure_future(work)
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        raise
