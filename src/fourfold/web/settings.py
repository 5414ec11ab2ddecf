"""Where the server listens, and what it allows."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, fields
from typing import Final

from ..errors import InputError

_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_ANYWHERE: Final = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - named to be told apart, not bound to
_LARGEST_PORT: Final = 65_535


@dataclass(frozen=True)
class Settings:
    """Where the server listens, and what it allows.

    Parameters
    ----------
    host, port
        Where to listen: this machine alone unless told otherwise; port 0 takes a free one.
    names
        More names that the server may be called by, for a server that others reach.
    workers
        How many processes work at questions. Where there are several, one is kept free of uploads.
    time_limit
        Seconds that one question, or one row of a review, may take; also how long one may wait for its turn.
    review_limit
        Seconds that a whole review may take.
    queue
        How many questions may wait; more are turned away.
    json_limit, upload_limit
        How many bytes a body may have.
    memory
        How many bytes a worker may take beyond what it starts with; 0 for no limit.
    receive_limit
        Seconds that a client may take to send its request, and one more for each `receive_rate` bytes.
    receive_rate
        Bytes in a second that a slow client must still reach.
    send_limit
        Seconds that a client may leave an answer unread.

    Examples
    --------
    >>> Settings().knows("localhost:8440"), Settings().knows("example.org")
    (True, False)
    """

    host: str = "127.0.0.1"
    port: int = 8440
    names: tuple[str, ...] = ()
    workers: int = 4
    time_limit: float = 20.0
    review_limit: float = 600.0
    queue: int = 256
    json_limit: int = 1_000_000
    upload_limit: int = 256_000_000
    memory: int = 2 << 30
    receive_limit: float = 10.0
    receive_rate: int = 50_000
    send_limit: float = 30.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0 if field.name in ("port", "memory") else 1 if field.type == "int" else 0.001
            if isinstance(value, int | float) and (value < least or (field.name == "port" and value > _LARGEST_PORT)):
                raise InputError("bad_option", field.name, "is out of range", value, "leave it out for the default")

    def knows(self, host: str) -> bool:
        """Tell whether a Host header names this server; another name may be a foreign site that leads here."""
        name = _without_port(host).lower().rstrip(".")
        if name in _LOOPBACK or name in {self.host.lower(), *(known.lower() for known in self.names)}:
            return True
        # Bound to everything, the server has addresses that it does not know. No site can pretend to be a number.
        return self.host in _ANYWHERE and _is_address(name)


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] if host.count(":") == 1 else host


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
