"""Where the server listens, and what it allows."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import ClassVar, Final

from ..errors import InputError
from ..workers import Limits

_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_ANYWHERE: Final = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - named to be told apart, not bound to
_LARGEST_PORT: Final = 65_535


@dataclass(frozen=True, kw_only=True)
class Settings(Limits):
    """Where the server listens, and what it allows: `Limits`, and some of its own.

    Parameters
    ----------
    host, port
        Where to listen: this machine alone unless told otherwise; port 0 takes a free one.
    names
        More names that the server may be called by, for a server that others reach.
    connections
        How many connections may be open; those beyond are told to come again.
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

    _may_be_zero: ClassVar[tuple[str, ...]] = ("memory", "port")

    host: str = "127.0.0.1"
    port: int = 8440
    names: tuple[str, ...] = ()
    connections: int = 2000
    receive_limit: float = 10.0
    receive_rate: int = 50_000
    send_limit: float = 30.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.port > _LARGEST_PORT:
            raise InputError("bad_option", "port", "is out of range", self.port, "leave it out for the default")

    def knows(self, host: str) -> bool:
        """Tell whether a Host header names this server; another name may be a foreign site that leads here."""
        name = _without_port(host).lower().removesuffix(".")
        if name in _LOOPBACK or name in {self.host.lower(), *(known.lower() for known in self.names)}:
            return True
        # Bound to everything, the server has addresses that it does not know. No site can pretend to be a number.
        return self.host in _ANYWHERE and _is_address(name)


def _without_port(host: str) -> str:
    """Return the name in a Host header; nothing where it is not written as a name and a port."""
    match = re.fullmatch(r"(?:\[([0-9A-Fa-f.]*:[0-9A-Fa-f:.]*)\]|([^:\[\]]+))(?::[0-9]*)?", host)
    return "" if match is None else match[1] or match[2]


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
