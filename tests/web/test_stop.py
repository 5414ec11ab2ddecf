"""Stopping a server that is at work: who waits is told, nothing is left behind, and nothing is printed."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from .conftest import PATIENCE

pytest.importorskip("uvicorn")

# Takes longer than the test: one score, and no size at all.
HEAVY = {"accuracy": "0.85", "max_total": 900, "bounds": "all"}


@pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are not known there")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_busy_server_stops_cleanly(tmp_path: Path, name: str) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "fourfold", "serve", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert server.stdout is not None
        address = urlsplit(server.stdout.readline().split()[-1])
        with closing(asked(address.netloc, "POST", "/api/recover", json.dumps(HEAVY))) as asking:
            # The server reads in order: when it has answered this, it has the question.
            with closing(asked(address.netloc, "GET", "/api/metrics")) as other:
                other.getresponse().read()
            time.sleep(0.5)
            server.send_signal(getattr(signal, name))
            _, printed = server.communicate(timeout=PATIENCE)
            answer = asking.getresponse()
            told = json.load(answer)
    finally:
        server.kill()
    assert answer.status == 503
    assert told["message"] == "server: is being stopped, got a question. Hint: ask again when it runs."
    assert printed.strip() == ""
    assert not list(tmp_path.glob("fourfold-*"))


def asked(address: str, method: str, path: str, body: str | None = None) -> http.client.HTTPConnection:
    """Send a request without waiting for its answer."""
    connection = http.client.HTTPConnection(address, timeout=PATIENCE)
    connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
    return connection
