"""Stopping a server that is at work: who waits is told, nothing is left behind, and nothing is printed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

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
        address = server.stdout.readline().split()[-1]
        answers: list[Any] = []
        asking = threading.Thread(target=lambda: answers.append(asked(address)))
        asking.start()
        time.sleep(1)
        server.send_signal(getattr(signal, name))
        _, printed = server.communicate(timeout=30)
        asking.join(timeout=30)
    finally:
        server.kill()
    status, told = answers[0]
    assert status == 503
    assert told["message"] == "server: is being stopped, got a question. Hint: ask again when it runs."
    assert printed.strip() == ""
    assert not list(tmp_path.glob("fourfold-*"))


def asked(address: str) -> tuple[int, dict[str, Any]]:
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{address}api/recover", json.dumps(HEAVY).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
