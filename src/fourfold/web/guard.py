"""What every request passes: whose it is, how fast it comes, and what the browser may do with the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, MutableMapping
from typing import Any, Final

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import FourfoldError, InputError
from .refusals import FORBIDDEN, MISDIRECTED, SLOW_CLIENT, Refused, dumped
from .settings import Settings

#: What the page may do: run our own scripts, draw, ask us; nothing else, and nobody may frame it. Vega's expressions
#: are interpreted, not compiled, and its styles set by script, so that neither needs an exception.
POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_NO_STORE: Final = "no-store"
_SAFE: Final = ("GET", "HEAD", "OPTIONS")


# Seconds in which a client must have sent the head of its request, and in which the rest of a refused body is thrown
# away, so that the client comes to read why.
HEAD_LIMIT: Final = 10.0
LINGER: Final = 2.0


class Broken(Exception):
    """An answer that has begun and cannot be ended; the connection is closed, so that the client knows."""


def told(status: int, error: FourfoldError) -> Response:
    """Return an error as an answer, with all headers."""
    headers = {**HEADERS, "Cache-Control": _NO_STORE}
    return Response(dumped(error.to_dict()), status, headers, "application/json")


class Connection:
    """A client's connection, which is closed where the head of a request takes too long."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._timer: asyncio.TimerHandle | None = None
        self._at_work = False
        self.heard()

    def heard(self) -> None:
        """Begin to wait for the rest of a head, where what came is part of one."""
        if self._timer is None and not self._at_work:
            self._close_after(HEAD_LIMIT)

    def begin(self) -> None:
        """Stop waiting: the head is there."""
        self._at_work = True
        self.relax()

    def end(self, *, whole: bool) -> None:
        """Close the connection soon where a body is still coming that nobody reads."""
        self._at_work = False
        if not whole:
            self._close_after(LINGER)

    def relax(self) -> None:
        """Stop waiting."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close_after(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._transport.close)


class Connections(dict[Any, Connection]):
    """The open connections by their clients' addresses."""


class Guard:
    """Middleware that refuses strangers, cuts off the slow, and adds headers.

    Parameters
    ----------
    app
        What answers.
    settings
        Names and limits.
    connections
        The open connections, where the server keeps them.
    """

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
        received = _Receiving(receive, self._settings)
        if connection is not None:
            connection.begin()
        try:
            self._check(scope)
            await self._app(scope, received, _Sending(send, self._settings))
        except Refused as refused:
            await told(refused.status, refused.error)(scope, receive, send)
        except Broken:
            return
        finally:
            if connection is not None:
                connection.end(whole=received.whole or not _has_body(scope))

    def _check(self, scope: Scope) -> None:
        """Check Host and Origin: a page from elsewhere must not ask through its reader's browser."""
        hosts = _values(scope, b"host")
        host = hosts[0] if len(hosts) == 1 else ""
        if not self._settings.knows(host):
            hint = "open the address that the server printed"
            raise Refused(MISDIRECTED, InputError("refused", "Host", "is not a name of this server", host, hint))
        origins = _values(scope, b"origin")
        if scope["method"] not in _SAFE and any(not _same(origin, host) for origin in origins):
            hint = "ask from the server's own page, or without a browser"
            raise Refused(FORBIDDEN, InputError("refused", "Origin", "is another site", origins[0], hint))


def _same(origin: str, host: str) -> bool:
    return origin.lower() in (f"http://{host}".lower(), f"https://{host}".lower())


def _has_body(scope: Scope) -> bool:
    return bool(_values(scope, b"transfer-encoding")) or _values(scope, b"content-length") not in ([], ["0"])


def _values(scope: Scope, name: bytes) -> list[str]:
    pairs: Iterable[tuple[bytes, bytes]] = scope["headers"]
    return [value.decode("latin-1") for given, value in pairs if given == name]


class _Receiving:
    """Reads a body with an eye on the clock: a little time, and more as more comes."""

    def __init__(self, receive: Receive, settings: Settings) -> None:
        self._receive = receive
        self._settings = settings
        self._end: float | None = None
        self.whole = False

    async def __call__(self) -> MutableMapping[str, Any]:
        if self.whole:
            return await self._receive()
        now = asyncio.get_running_loop().time()
        self._end = now + self._settings.receive_limit if self._end is None else self._end
        try:
            async with asyncio.timeout_at(self._end):
                message = await self._receive()
        except TimeoutError:
            hint = "send it faster"
            error = InputError("bad_request", "body", "came too slowly", self._settings.receive_limit, hint)
            raise Refused(SLOW_CLIENT, error) from None
        self._end += len(message.get("body", b"")) / self._settings.receive_rate
        self.whole = not message.get("more_body", False)
        return message


class _Sending:
    """Adds headers, and gives up on clients that leave an answer unread."""

    def __init__(self, send: Send, settings: Settings) -> None:
        self._send = send
        self._limit = settings.send_limit

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message["headers"]}
            added = {**HEADERS, "Cache-Control": _NO_STORE}
            pairs = [(name.lower().encode(), value.encode()) for name, value in added.items()]
            message["headers"] = [*message["headers"], *(pair for pair in pairs if pair[0] not in given)]
        try:
            async with asyncio.timeout(self._limit):
                await self._send(message)
        except TimeoutError:
            raise Broken from None
