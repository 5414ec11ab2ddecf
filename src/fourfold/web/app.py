"""The routes: read a request, have its question answered, send the answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from typing import Any, Final, TypeVar

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from .. import __version__
from ..errors import FourfoldError, InputError
from .bodies import accepts, read_form, read_json
from .description import ROUTES, Route, described, name_of
from .guard import Broken, Guard, told
from .pool import Pool
from .refusals import FAULT, NOT_FOUND, Refused, dumped, fault, status_of
from .settings import Settings
from .vega import Script
from .work import Job

Answer = TypeVar("Answer")
Endpoint = Callable[..., Awaitable[Response]]

_PAGE: Final = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
}
_JSON: Final = "application/json"
_NDJSON: Final = "application/x-ndjson"
_LONG: Final = "private, max-age=604800"
_STATUS_WORDS: Final = {404: "is not an address of this server", 405: "does not take this method"}


def create_app(settings: Settings) -> FastAPI:
    """Return the application; its workers start with it."""
    pool, script = Pool(settings), Script()

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        await pool.start()
        script.start()
        yield
        await pool.stop()
        await script.stop()

    # FastAPI's own pages of documentation load from elsewhere.
    app = FastAPI(
        title="fourfold", version=__version__, docs_url=None, redoc_url=None, lifespan=life, redirect_slashes=False
    )
    app.add_middleware(Guard, settings=settings)
    _add_errors(app)
    _add_page(app, script)
    for route in ROUTES:
        _add(app, route, _endpoint(route, settings, pool))
    app.state.pool = pool
    app.openapi = lambda: described(app)  # type: ignore[method-assign]
    return app


def _endpoint(route: Route, settings: Settings, pool: Pool) -> Endpoint:
    if route.kind == "review":
        return _review(settings, pool)
    return {"get": _get, "json": _json, "form": _form}[route.kind](route.question, settings, pool)


def _get(question: str, settings: Settings, pool: Pool) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await _asked(request, pool, Job(question, dict(request.path_params)))

    return endpoint


def _json(question: str, settings: Settings, pool: Pool) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await _asked(request, pool, Job(question, await read_json(request, settings.json_limit)))

    return endpoint


def _form(question: str, settings: Settings, pool: Pool) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        async with read_form(request, settings.upload_limit, pool.folder) as (form, folder):
            return await _asked(request, pool, Job(question, form, folder))

    return endpoint


def _review(settings: Settings, pool: Pool) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        lines = accepts(request, _NDJSON)
        form = read_form(request, settings.upload_limit, pool.folder)
        given, folder = await form.__aenter__()
        pieces = pool.stream(Job("review/ndjson" if lines else "review/csv", given, folder))

        async def close() -> None:
            # The pieces first: a worker may still read the file.
            await pieces.aclose()  # type: ignore[attr-defined]
            await form.__aexit__(None, None, None)

        try:
            # What is wrong with the table as a whole shows before its first row.
            first = await _attended(request, anext(pieces))
        except BaseException:
            await close()
            raise
        if first.status != 200:
            await close()
            return Response(first.body, first.status, media_type=_JSON)
        headers = {"Content-Disposition": f'attachment; filename="verdicts.{"ndjson" if lines else "csv"}"'}
        kind = _NDJSON if lines else "text/csv; charset=utf-8"
        return _Stream(_streamed(first.body, pieces, lines=lines), close, media_type=kind, headers=headers)

    return endpoint


class _Stream(StreamingResponse):
    """A long answer that tidies up after itself, also where the client leaves."""

    def __init__(self, content: AsyncIterator[bytes], close: Callable[[], Coroutine[Any, Any, None]], **rest: Any):
        super().__init__(content, **rest)
        self._close = close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await asyncio.shield(self._close())


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


async def _asked(request: Request, pool: Pool, job: Job) -> Response:
    message = await _attended(request, pool.ask(job))
    return Response(message.body, message.status, media_type=_JSON)


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


def _add(app: FastAPI, route: Route, endpoint: Endpoint) -> None:
    method = "GET" if route.kind == "get" else "POST"
    app.add_api_route(
        route.path,
        endpoint,
        methods=[method],
        operation_id=name_of(route),
        response_model=None,
    )


def _add_page(app: FastAPI, script: Script) -> None:
    """Serve the page's three files by fixed names, and Vega's script."""

    def endpoint(name: str, kind: str) -> Endpoint:
        async def page() -> Response:
            return Response(await asyncio.to_thread(_read, name), media_type=kind)

        return page

    for path, (name, kind) in _PAGE.items():
        app.add_api_route(path, endpoint(name, kind), methods=["GET"], include_in_schema=False)

    async def vega(request: Request) -> Response:
        text = await script.text()
        return Response(text, headers={"Cache-Control": _LONG}, media_type="text/javascript; charset=utf-8")

    app.add_api_route("/vega.js", vega, methods=["GET"], include_in_schema=False)


def _read(name: str) -> bytes:
    try:
        return files("fourfold.web").joinpath("page", name).read_bytes()
    except OSError:
        error = InputError("bad_request", "path", "is not part of this installation", name, "install fourfold again")
        raise Refused(NOT_FOUND, error) from None


def _add_errors(app: FastAPI) -> None:
    """Say everything that goes wrong in the one shape, and show no trace of the program."""

    async def refused(_: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        return told(error.status, error.error)

    async def wrong(_: Request, error: Exception) -> Response:
        assert isinstance(error, FourfoldError)
        return told(status_of(error), error)

    async def unknown(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        words = _STATUS_WORDS.get(error.status_code, "was refused")
        found = InputError("bad_request", "path", words, request.url.path, "see /openapi.json")
        response = told(error.status_code, found)
        response.headers.update(error.headers or {})
        return response

    async def failed(_: Request, error: Exception) -> Response:
        return told(FAULT, fault())

    app.add_exception_handler(Refused, refused)
    app.add_exception_handler(FourfoldError, wrong)
    app.add_exception_handler(HTTPException, unknown)
    app.add_exception_handler(Exception, failed)
