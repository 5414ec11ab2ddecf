"""What every request passes: whose it is, how fast it comes, and what the browser may do with the answer."""

from __future__ import annotations

import asyncio
from typing import Any, Final, TypeAlias

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import FourfoldError, InputError
from ..workers.refusals import Refused, bad_request, busy, dumped, status_of
from .settings import Settings

#: What the page may do: run our own scripts, draw, ask us; nothing else, and nobody may frame it. Vega's expressions
#: are interpreted, not compiled, and its styles set by script, so that neither needs an exception.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_SAFE: Final = ("GET", "HEAD", "OPTIONS")
# Seconds in which a client must have sent the head of its request. The rest of a refused body is thrown away for some
# seconds and bytes, so that the client comes to read why.
HEAD_LIMIT: Final = 10.0
LINGER: Final = 2.0
LINGER_BYTES: Final = 64 << 20


class Broken(Exception):
    """An answer that has begun and cannot be ended; the connection is closed, so that the client knows."""


def refusal(status: int, error: FourfoldError) -> Response:
    """Return an error as an answer, with all headers."""
    return Response(dumped(error.to_dict()), status, HEADERS, "application/json")


class Connection:
    """A client's connection, which is closed where the head of a request takes too long."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._timer: asyncio.TimerHandle | None = None
        self._at_work = False
        self._unread: int | None = None
        self.heard(0)

    def heard(self, size: int) -> None:
        """Begin to wait for the rest of a head, where what came is part of one."""
        if self._unread is not None:
            self._unread -= size
            if self._unread < 0:
                self._transport.close()
        elif self._timer is None and not self._at_work:
            self._close_after(HEAD_LIMIT)

    def begin(self) -> None:
        """Stop waiting: the head is there."""
        self._at_work = True
        self.relax()

    def end(self, *, whole: bool) -> None:
        """Close the connection soon where a body is still coming that nobody reads."""
        self._at_work = False
        if not whole:
            self._unread = LINGER_BYTES
            self._close_after(LINGER)

    def relax(self) -> None:
        """Stop waiting."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close_after(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._transport.close)


#: The open connections by their clients' addresses.
Connections: TypeAlias = dict[Any, Connection]


class Guard:
    """Middleware that refuses strangers, cuts off the slow, adds headers, and says what is wrong with a request."""

    def __init__(self, app: ASGIApp, settings: Settings, connections: Connections) -> None:
        self._app = app
        self._settings = settings
        self._connections = connections

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        connection = self._connections.get(scope["client"])
        exchange = _Exchange(receive, send, self._settings)
        if connection is not None:
            connection.begin()
        try:
            if len(self._connections) > self._settings.connections:
                await _crowded(len(self._connections))(scope, receive, send)
                return
            self._check(scope)
            await self._app(scope, exchange.receive, exchange.send)
        except Refused as refused:
            await refusal(refused.status, refused.error)(scope, receive, send)
        except FourfoldError as error:
            await refusal(status_of(error), error)(scope, receive, send)
        except (Broken, ClientDisconnect):
            return
        finally:
            if connection is not None:
                connection.end(whole=exchange.whole or not _has_body(scope))

    def _check(self, scope: Scope) -> None:
        """Check Host and Origin: a page from elsewhere must not ask through its reader's browser."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        host = hosts[0] if len(hosts) == 1 else ""
        if not self._settings.knows(host):
            hint = "open the address that the server printed"
            raise Refused(421, InputError("refused", "Host", "is not a name of this server", host, hint))
        origins = headers.getlist("origin")
        own_origins = (f"http://{host}".lower(), f"https://{host}".lower())
        if scope["method"] not in _SAFE and any(origin.lower() not in own_origins for origin in origins):
            hint = "ask from the server's own page, or without a browser"
            raise Refused(403, InputError("refused", "Origin", "is another site", origins[0], hint))


def _crowded(count: int) -> Response:
    """Return the answer to a connection too many, which ends it."""
    refused = busy(count, "connections open")
    response = refusal(refused.status, refused.error)
    response.headers["Connection"] = "close"
    return response


def _has_body(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    return "transfer-encoding" in headers or headers.getlist("content-length") not in ([], ["0"])


class _Exchange:
    """Passes on what comes and goes: a body must come in time, headers are added, and an answer must be read."""

    def __init__(self, receive: Receive, send: Send, settings: Settings) -> None:
        self._receive, self._send, self._settings = receive, send, settings
        self._end: float | None = None
        self.whole = False

    async def receive(self) -> Message:
        """Read a piece of the body with an eye on the clock: a little time, and more as more comes."""
        if self.whole:
            return await self._receive()
        limit = self._settings.receive_limit
        self._end = self._end or asyncio.get_running_loop().time() + limit
        try:
            async with asyncio.timeout_at(self._end):
                message = await self._receive()
        except TimeoutError:
            raise bad_request("body", "came too slowly", limit, "send it faster", 408) from None
        self._end += len(message.get("body", b"")) / self._settings.receive_rate
        self.whole = not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        """Send a piece of the answer, and give up on a client that leaves it unread."""
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        try:
            async with asyncio.timeout(self._settings.send_limit):
                await self._send(message)
        except TimeoutError:
            raise Broken from None
