"""Real servers on this machine, each in a thread, for the tests of the web."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from fourfold import cli

EXTRAS = ("starlette", "uvicorn", "python_multipart", "httpx")


@contextmanager
def running(**settings: Any) -> Iterator[str]:
    """Run a server and give its address."""
    for name in EXTRAS:
        pytest.importorskip(name, reason="needs fourfold[web] and httpx")
    from fourfold.web import Settings
    from fourfold.web.server import _listening, address, make_server

    chosen = Settings(port=0, **settings)
    started = threading.Event()
    with _listening(chosen) as listener:
        server = make_server(chosen, started.set)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        assert started.wait(60), "the server does not start"
        try:
            yield address(listener)
        finally:
            server.should_exit = True
            thread.join(30)
            assert not thread.is_alive(), "the server does not stop"


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    with running() as url:
        yield url


@pytest.fixture(scope="session")
def tight() -> Iterator[str]:
    """A server with little patience, so that its limits are reached soon."""
    with running(
        time_limit=4.0, receive_limit=1.0, receive_rate=1_000_000, upload_limit=30_000_000, memory=1 << 30
    ) as url:
        yield url


@pytest.fixture(scope="session")
def client(server: str) -> Iterator[Any]:
    import httpx

    with httpx.Client(base_url=server, timeout=60) as client:
        yield client


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Run the command line and return the JSON it prints."""

    def run(*arguments: str) -> Any:
        with pytest.raises(SystemExit):
            cli.main([*arguments, "--json"])
        return json.loads(capsys.readouterr().out)

    return run
