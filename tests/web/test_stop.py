"""Servers that are stopped, killed or left: who waits is told, nothing is left behind, and nothing is printed."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from .conftest import PATIENCE

pytest.importorskip("uvicorn")

# Takes longer than the test: one score, and no size at all.
HEAVY = {"accuracy": "0.85", "max_total": 900, "bounds": "all"}
QUESTION = {"accuracy": "0.85", "recall": "80%", "positives": 40, "negatives": 60}
FORM = (
    b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nrecall,total\n'
    + b"0.5,900\n" * 10_000
)
needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are not known there")


@contextmanager
def started(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a server that keeps its files in a folder; give its process and its address."""
    command = [sys.executable, "-m", "fourfold", "serve", "--port", "0"]
    environment = {**os.environ, "TMPDIR": str(folder)}
    # As from a terminal: tests that a shell runs behind others would hand on that Ctrl-C is to be ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    signal.signal(signal.SIGINT, before)
    try:
        assert server.stdout is not None
        yield server, server.stdout.readline().split()[-1].removeprefix("http://").rstrip("/")
    finally:
        server.kill()
        server.communicate()


def asked(address: str, method: str, path: str, body: str | None = None) -> http.client.HTTPConnection:
    """Send a request without waiting for its answer."""
    connection = http.client.HTTPConnection(address, timeout=PATIENCE)
    connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
    return connection


def leave(address: str, path: str, body: bytes, kind: str = "application/json", missing: int = 0) -> None:
    """Begin a request, and hang up without a word."""
    host, _, port = address.partition(":")
    head = f"POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: {kind}\r\nContent-Length: {len(body) + missing}"
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as line:
        line.sendall(f"{head}\r\n\r\n".encode() + body)
        time.sleep(0.05)
        # The system says at once that nobody is there any more.
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def leave_at_all_points(address: str) -> None:
    """Leave while a question is read, waits, is worked at, and is answered."""
    form = "multipart/form-data; boundary=b"
    for _ in range(2):
        leave(address, "/api/recover", json.dumps(HEAVY).encode())
        leave(address, "/page/recover", json.dumps(QUESTION).encode())
        leave(address, "/api/recover", b"{", missing=100)
        leave(address, "/api/review", FORM, form, missing=100)
        leave(address, "/api/review", FORM + b"\r\n--b--\r\n", form)


@needs_signals
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_busy_server_stops_cleanly(tmp_path: Path, name: str) -> None:
    with started(tmp_path) as (server, address):
        leave_at_all_points(address)
        with closing(asked(address, "POST", "/api/recover", json.dumps(HEAVY))) as asking:
            # The server reads in order: when it has answered this, it has the question.
            with closing(asked(address, "GET", "/api/metrics")) as other:
                other.getresponse().read()
            time.sleep(0.5)
            server.send_signal(getattr(signal, name))
            _, printed = server.communicate(timeout=PATIENCE)
            answer = asking.getresponse()
            told = json.load(answer)
    # Ctrl-C, or a terminal that is closed, is how one stops it, and no fault.
    assert server.returncode == (128 + signal.SIGTERM if name == "SIGTERM" else 0)
    assert answer.status == 503
    assert told["message"] == "server: is being stopped, got a question. Hint: ask again when it runs."
    assert printed.strip() == ""
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who started whom")
def test_what_is_killed_is_replaced_or_leaves_nothing(tmp_path: Path) -> None:
    with started(tmp_path) as (server, address):
        with closing(asked(address, "POST", "/api/recover", json.dumps(HEAVY))) as asking:
            time.sleep(1)
            for worker in workers(server.pid):
                os.kill(worker, signal.SIGKILL)
            answer = asking.getresponse()
            told = json.load(answer)
        assert (answer.status, told["schema"], told["code"]) == (503, "fourfold/error", "busy")
        assert told["message"].startswith("server: lost the worker of this question, got no answer. Hint: ask again")
        # As many as there are workers, so that each is replaced.
        for _ in range(6):
            with closing(asked(address, "POST", "/api/recover", json.dumps(QUESTION))) as again:
                found = json.load(again.getresponse())
            assert (found["verdict"], found["count"]) == ("possible", 1)
        with socket.create_connection(address.split(":"), timeout=PATIENCE) as line:
            head = f"POST /api/review HTTP/1.1\r\nHost: {address}\r\nContent-Type: multipart/form-data; boundary=b\r\n"
            line.sendall(f"{head}Content-Length: {len(FORM) + 100}\r\n\r\n".encode() + FORM)
            soon(lambda: list(tmp_path.glob("fourfold-*/upload-*/*")))
            server.kill()
            soon(lambda: not list(tmp_path.iterdir()))


def workers(server: int) -> list[int]:
    """Return the processes that were started by what a server has started."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            parents[int(status.parent.name)] = int(status.read_text().partition("PPid:")[2].split()[0])
        except OSError:
            continue
    return [process for process, parent in parents.items() if parents.get(parent) == server]


def soon(happens: object) -> None:
    end = time.monotonic() + PATIENCE
    while not happens():  # type: ignore[operator]
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.05)


def test_leftovers_of_killed_servers_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fourfold.workers.folder import Folder

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    runs, killed = Folder(), Folder()
    (killed.path / "upload-1").mkdir()
    (killed.path / "upload-1" / "secret.csv").write_text("a")
    killed._lock.close()
    others = tmp_path / "fourfold-of-somebody-else"
    others.mkdir()
    Folder.remove_leftovers()
    assert set(tmp_path.iterdir()) == {runs.path, others}
    runs.remove()
    assert set(tmp_path.iterdir()) == {others}
