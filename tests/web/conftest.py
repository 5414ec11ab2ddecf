"""Real servers on this machine, each in a thread, for the tests of the web."""

from __future__ import annotations

import asyncio
import json
import tempfile
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from fourfold import cli

EXTRAS = ("starlette", "uvicorn", "python_multipart", "httpx")
#: How many seconds a test waits for what must happen at some time; a busy machine is slow.
PATIENCE = 300.0
#: Limits of time that no test reaches, so that none fails because others keep the machine busy.
PATIENT = {"time_limit": 600.0, "receive_limit": 600.0, "wait_limit": 600.0, "send_limit": 600.0}

Value = TypeVar("Value")


@pytest.fixture(scope="session")
def uploads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the servers of this run keep what is sent to them; others may run the same tests at the same time."""
    return tmp_path_factory.mktemp("uploads")


def awaited(coroutine: Coroutine[Any, Any, Value]) -> Value:
    """Run a coroutine to its end, in a thread of its own: a browser, once it was driven, keeps a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


@contextmanager
def running(uploads: Path, **settings: Any) -> Iterator[str]:
    """Run a server and give its address."""
    for name in EXTRAS:
        pytest.importorskip(name, reason="needs fourfold[web] and httpx")
    from fourfold.web import Settings
    from fourfold.web.server import _listening, address, make_server

    chosen = Settings(port=0, **settings)
    started = threading.Event()
    with _listening(chosen) as listener, pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(uploads))
        server = make_server(chosen, started.set)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        assert started.wait(PATIENCE), "the server does not start"
        patch.undo()
        try:
            yield address(listener)
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive(), "the server does not stop"


@pytest.fixture(scope="session")
def server(uploads: Path) -> Iterator[str]:
    """A server that has patience: on a busy machine a question may wait for a worker for minutes."""
    with running(uploads, **PATIENT) as url:
        yield url


@pytest.fixture(scope="session")
def tight(uploads: Path) -> Iterator[str]:
    """A server that takes little: its limits of size are reached soon, those of time never."""
    with running(uploads, **PATIENT, upload_limit=30_000_000, memory=1 << 30) as url:
        yield url


@pytest.fixture(scope="session")
def hurried(uploads: Path) -> Iterator[str]:
    """A server whose limits of time are reached soon; on a busy machine by any question."""
    with running(uploads, time_limit=2.0, receive_limit=0.5, memory=1 << 30) as url:
        yield url


@pytest.fixture(scope="session")
def client(server: str) -> Iterator[Any]:
    import httpx

    with httpx.Client(base_url=server, timeout=PATIENCE) as client:
        yield client


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Run the command line and return the JSON it prints."""

    def run(*arguments: str) -> Any:
        with pytest.raises(SystemExit):
            cli.main([*arguments, "--json"])
        return json.loads(capsys.readouterr().out)

    return run


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """A browser; its driver keeps a loop in this thread, so it ends with these tests."""
    from . import watched

    with watched.sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=watched.CHROMIUM, args=list(watched.ARGUMENTS))
        watched.expect.set_options(timeout=watched.PATIENCE)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def context(browser: Any) -> Any:
    """A context for pages that want nothing special: what one has fetched, the next need not."""
    return browser.new_context(viewport={"width": 1280, "height": 900})


@pytest.fixture
def pages(browser: Any, context: Any, server: str) -> Iterator[Any]:
    from .watched import Watched

    watched = Watched(browser, context, server)
    yield watched
    for each in watched.opened:
        each.close()
    assert watched.complaints() == []
    own = (watched.server + "/", f"blob:{watched.server}", "data:,")
    assert [url for url in watched.asked if not url.startswith(own)] == []
