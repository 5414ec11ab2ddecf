"""The server: uvicorn with limits against slow clients."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import uvicorn

from ..errors import InputError
from ..workers import Pool
from .app import create_app
from .guard import Connection, Connections
from .settings import Settings

_KEEP_ALIVE: Final = 15
_SHUTDOWN: Final = 5
# Files that a server may have open beside its connections.
_OTHER_FILES: Final = 256
_LONGEST_HEAD: Final = 32_768


def _watched(protocol: type[asyncio.Protocol], connections: Connections) -> type[asyncio.Protocol]:
    """Return a protocol that keeps its connections where the application finds them.

    Nothing of it is used but what every protocol of asyncio has.
    """

    class Watched(protocol):  # type: ignore[misc, valid-type]
        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            self._client = transport.get_extra_info("peername")[:2]
            self._connection = connections[self._client] = Connection(transport)

        def connection_lost(self, exc: Exception | None) -> None:
            self._connection.relax()
            connections.pop(self._client, None)
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            self._connection.heard(len(data))
            super().data_received(data)

    return Watched


def serve(settings: Settings, ready: Callable[[str], None] | None = None) -> None:
    """Serve until interrupted; `ready` is called once with the page's address when the server listens."""
    _allow_files(settings.connections + _OTHER_FILES)
    with _listening(settings) as listener:
        server = make_server(settings, None if ready is None else lambda: ready(address(listener)))
        # Uvicorn stops on this signal and then raises it again: Python is to end as usual, and to remove its own files.
        signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
        if hasattr(signal, "SIGHUP"):
            # A terminal that is closed stops the server as Ctrl-C does.
            signal.signal(signal.SIGHUP, lambda *_: setattr(server, "should_exit", True))
        with suppress(KeyboardInterrupt):
            # Ctrl-C is how a server is stopped: it has done so by now, and there is nothing to say.
            server.run(sockets=[listener])


def _allow_files(count: int) -> None:
    """Have the system allow this many open files, where it can: each connection is one."""
    try:
        import resource
    except ImportError:
        return
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if now != resource.RLIM_INFINITY and now < count:
        with suppress(ValueError, OSError):
            wanted = count if most == resource.RLIM_INFINITY else min(count, most)
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def make_server(settings: Settings, ready: Callable[[], None] | None = None) -> uvicorn.Server:
    """Return a server that is not running yet."""
    app = create_app(settings)
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_SHUTDOWN,
        h11_max_incomplete_event_size=_LONGEST_HEAD,
    )
    config.load()
    config.http_protocol_class = _watched(config.http_protocol_class, app.state.connections)
    return _Server(config, app.state.pool, ready)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, pool: Pool, ready: Callable[[], None] | None) -> None:
        super().__init__(config)
        self._pool = pool
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self._ready is not None and self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Leave no one waiting for an answer that will not come."""
        self._pool.leave()
        await super().shutdown(sockets=sockets)


def _listening(settings: Settings) -> socket.socket:
    """Bind before anything is started, so that a port that is taken is an error in the one grammar."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # With the protocol named, asyncio sends small pieces at once; without it an answer waits 40 ms for a receipt.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host, settings.port))
        listener.listen(settings.connections)
    except OSError as error:
        listener.close()
        problem = f"cannot be listened at ({(error.strerror or 'no such address').lower()})"
        where = f"{settings.host}:{settings.port}"
        raise InputError("bad_option", "port", problem, where, "choose another port, or 0 for a free one") from None
    return listener


def address(listener: Any) -> str:
    """Return the page's address.

    Examples
    --------
    >>> with socket.create_server(("127.0.0.1", 0)) as listener:
    ...     address(listener).startswith("http://127.0.0.1:")
    True
    """
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
