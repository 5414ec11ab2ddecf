"""The routes: read a request, have its question answered, send the answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ..errors import InputError
from ..questions import WEB_QUESTIONS, Question
from ..workers import Output, Pool, WorkItem
from ..workers.refusals import Refused, dumped, fault
from .bodies import accepts, read_form, read_json
from .description import described, listed
from .guard import Broken, Connections, Guard, refusal
from .settings import Settings
from .static import StaticFile, not_modified
from .vega import Script

Answer = TypeVar("Answer")
Endpoint = Callable[[Request], Awaitable[Response]]

_OUTPUTS: Final[Mapping[str, Output]] = {"api": "answer", "page": "page"}
#: Answers as files to keep, by their ending.
_FILES: Final[Mapping[str, Output]] = {"html": "html", "csv": "rows", "xlsx": "xlsx", "svg": "svg", "png": "png"}
_MEDIA: Final = {
    "html": "text/html",
    "rows": "text/csv",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "svg": "image/svg+xml",
    "png": "image/png",
}
_KINDS: Final = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
_OK: Final = 200
_JSON: Final = "application/json"
_NDJSON: Final = "application/x-ndjson"
_STATUS_WORDS: Final = {404: "is not an address of this server", 405: "does not take this method"}


def create_app(settings: Settings) -> Starlette:
    """Return the application; its workers start with it."""
    pool, script, connections = Pool(settings), Script(), Connections()

    @asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[None]:
        await pool.start()
        script.start()
        yield
        await pool.stop()
        await script.stop()

    app = Starlette(
        routes=[*_page_routes(script), *_question_routes(settings, pool)],
        middleware=[Middleware(Guard, settings=settings, connections=connections)],
        exception_handlers={HTTPException: _unknown, Exception: _failed},
        lifespan=life,
    )
    app.router.redirect_slashes = False
    app.state.pool, app.state.connections = pool, connections
    return app


def _question_routes(settings: Settings, pool: Pool) -> list[Route]:
    made = [
        Route("/openapi.json", _get(described, pool)),
        Route("/api/questions", _get(listed, pool)),
        Route("/api/glossary", _get("glossary", pool)),
        Route("/api/metrics", _get("metrics", pool)),
        Route("/api/metrics/{name}", _get("metrics", pool)),
        Route("/api/review", _review(settings, pool), methods=["POST"]),
    ]
    for question in WEB_QUESTIONS.values():
        if question.name not in ("glossary", "metrics", "review"):
            for prefix, output in _OUTPUTS.items():
                endpoint = _ask(question, output, settings, pool)
                made.append(Route(f"/{prefix}/{question.name}", endpoint, methods=["POST"]))
            for ending, output in _FILES.items():
                endpoint = _ask(question, output, settings, pool)
                made.append(Route(f"/file/{question.name}.{ending}", endpoint, methods=["POST"]))
    return made


def _get(question: str | Callable[[], Mapping[str, Any]], pool: Pool) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await _answered(request, pool, WorkItem(question, dict(request.path_params)))

    return endpoint


def _ask(question: Question, output: Output, settings: Settings, pool: Pool) -> Endpoint:
    async def with_body(request: Request) -> Response:
        values = await read_json(request, settings.json_limit)
        return await _answered(request, pool, WorkItem(question.name, values, output=output))

    async def with_files(request: Request) -> Response:
        async with read_form(request, question, settings.upload_limit, pool.folder) as (values, sent, folder):
            return await _answered(request, pool, WorkItem(question.name, values, sent, folder, output))

    return with_files if question.reads_files else with_body


def _review(settings: Settings, pool: Pool) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        lines = accepts(request, _NDJSON)
        async with AsyncExitStack() as opened:
            form = read_form(request, WEB_QUESTIONS["review"], settings.upload_limit, pool.folder)
            values, sent, folder = await opened.enter_async_context(form)
            item = WorkItem("review", values, sent, folder, "ndjson" if lines else "csv")
            # Closed before the form: a worker may still read the file.
            pieces = await opened.enter_async_context(aclosing(pool.stream(item)))
            # What is wrong with the table as a whole shows before its first row.
            first = await _attended(request, anext(pieces))
            if first.status != 200:
                return Response(first.body, first.status, media_type=_JSON)
            headers = {"Content-Disposition": f'attachment; filename="verdicts.{item.output}"'}
            kind = _NDJSON if lines else "text/csv"
            body = _streamed(first.body, pieces, lines=lines)
            return _Stream(body, opened.pop_all(), media_type=kind, headers=headers)

    return endpoint


class _Stream(StreamingResponse):
    """A long answer that closes what was opened for it, also where the client leaves."""

    def __init__(self, content: AsyncIterator[bytes], opened: AsyncExitStack, **rest: Any) -> None:
        super().__init__(content, **rest)
        self._opened = opened

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await asyncio.shield(self._opened.aclose())


async def _streamed(first: bytes, pieces: AsyncIterator[Any], *, lines: bool) -> AsyncIterator[bytes]:
    """Yield the pieces of a review; one that breaks off says why, or at least ends so that a client notices."""
    try:
        yield first
        async for piece in pieces:
            if piece.status != 200:
                if not lines:
                    raise Broken
                yield b'{"error":' + piece.body + b"}\n"
            else:
                yield piece.body
    except Refused as refused:
        if not lines:
            raise Broken from None
        yield dumped({"error": refused.error.to_dict()}) + b"\n"


async def _answered(request: Request, pool: Pool, item: WorkItem) -> Response:
    message = await _attended(request, pool.ask(item))
    kind = _MEDIA.get(item.output, _JSON) if message.status == _OK else _JSON
    # What is to be kept is never shown as a page of this server.
    headers = {"Content-Disposition": "attachment"} if kind != _JSON else {}
    return Response(message.body, message.status, media_type=kind, headers=headers)


async def _attended(request: Request, answer: Awaitable[Answer]) -> Answer:
    """Wait for an answer as long as the client does; nobody's question must not keep a worker."""
    work = asyncio.ensure_future(answer)
    left = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({work, left}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            work.cancel()
            with suppress(asyncio.CancelledError):
                await work
            raise Broken
        return work.result()
    finally:
        left.cancel()
        work.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _page_routes(script: Script) -> list[Route]:
    """Serve the page's files by their names, the look of answers, and Vega's script."""

    def served(path: Path) -> Endpoint:
        file = StaticFile(path.read_bytes(), _KINDS[path.suffix])

        async def endpoint(request: Request) -> Response:
            return file.response(request)

        return endpoint

    async def vega(request: Request) -> Response:
        # A browser that has the script need not wait until it is made.
        return not_modified(request, script.tag) or (await script.file()).response(request)

    room = Path(__file__).parent
    paths = [*sorted((room / "page").iterdir()), room.parent / "writers" / "answer.css"]
    names = {path: "" if path.name == "index.html" else path.name for path in paths if path.suffix in _KINDS}
    routes = [Route(f"/{name}", served(path)) for path, name in names.items()]
    return [Route("/vega.js", vega), *routes]


# Every error has the one shape, with no trace of the program; `Guard` does it for our own errors.


async def _unknown(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = _STATUS_WORDS.get(error.status_code, "was refused")
    response = refusal(
        error.status_code, InputError("bad_request", "path", words, request.url.path, "see /openapi.json")
    )
    response.headers.update(error.headers or {})
    return response


async def _failed(_: Request, error: Exception) -> Response:
    return refusal(500, fault())
