"""Who may ask: the server's own page and whoever comes without a browser, but no page from elsewhere."""

from __future__ import annotations

import socket
from typing import Any
from urllib.parse import urlsplit

import pytest

from .conftest import PATIENCE

pytest.importorskip("httpx", reason="needs fourfold[web] and httpx")

QUESTION = {"accuracy": "0.85", "recall": "80%", "positives": 40, "negatives": 60}

#: Origins made of the server's own scheme, host and port: some are it, most only look like it.
OWN = ("http://{host}:{port}", "https://{host}:{port}", "HTTP://{host}:{port}")
FOREIGN = (
    "null",
    "https://example.org",
    "http://{host}",
    "http://{host}:1",
    "http://{host}:{port}0",
    "http://{host}:{port}.example.org",
    "http://{host}.example.org:{port}",
    "http://evil{host}:{port}",
    "http://user@{host}:{port}",
    "http://{host}:{port}/",
    "http://{host}:{port}, https://example.org",
    "ftp://{host}:{port}",
    "{host}:{port}",
    "",
)


def written(pattern: str, server: str) -> str:
    parts = urlsplit(server)
    return pattern.format(host=parts.hostname, port=parts.port)


@pytest.mark.parametrize("pattern", OWN)
def test_the_own_page_may_ask(client: Any, server: str, pattern: str) -> None:
    response = client.post("/api/recover", json=QUESTION, headers={"Origin": written(pattern, server)})
    assert response.status_code == 200
    assert (response.json()["verdict"], response.json()["count"]) == ("possible", 1)


@pytest.mark.parametrize("pattern", FOREIGN)
def test_no_page_from_elsewhere_may_ask(client: Any, server: str, pattern: str) -> None:
    response = client.post("/api/recover", json=QUESTION, headers={"Origin": written(pattern, server)})
    assert response.status_code == 403
    assert (response.json()["code"], response.json()["argument"]) == ("refused", "Origin")
    assert not any(name.startswith("access-control") for name in response.headers)


def test_without_a_browser_there_is_no_origin(client: Any) -> None:
    assert client.post("/api/recover", json=QUESTION).status_code == 200


def test_another_name_of_the_server_is_another_origin(client: Any, server: str) -> None:
    """Both are names of this machine, but a page under the one is foreign to the other."""
    port = urlsplit(server).port
    headers = {"Host": f"127.0.0.1:{port}", "Origin": f"http://localhost:{port}"}
    assert client.post("/api/recover", json=QUESTION, headers=headers).status_code == 403
    headers["Origin"] = f"http://127.0.0.1:{port}"
    assert client.post("/api/recover", json=QUESTION, headers=headers).status_code == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_whatever_may_change_something_is_checked(client: Any, method: str) -> None:
    response = client.request(method, "/api/recover", headers={"Origin": "https://example.org"})
    assert response.status_code == 403


def test_looking_is_free(client: Any) -> None:
    """A browser does not show another site's page what it reads here."""
    response = client.get("/api/metrics", headers={"Origin": "https://example.org"})
    assert response.status_code == 200
    assert not any(name.startswith("access-control") for name in response.headers)


@pytest.mark.parametrize("order", [("own", "foreign"), ("foreign", "own")])
def test_one_foreign_origin_of_two_is_enough(server: str, order: tuple[str, str]) -> None:
    parts = urlsplit(server)
    origins = {"own": f"http://{parts.hostname}:{parts.port}", "foreign": "https://example.org"}
    head = [f"Origin: {origins[name]}" for name in order]
    lines = ["POST /api/recover HTTP/1.1", f"Host: {parts.hostname}:{parts.port}", *head]
    lines += ["Content-Type: application/json", "Content-Length: 2", "Connection: close", "", "{}"]
    with socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE) as line:
        line.sendall("\r\n".join(lines).encode())
        assert line.recv(65536).startswith(b"HTTP/1.1 403 ")


#: What begins or ends like a name of the server, and is none.
LOOKALIKES = (
    *("[::1]evil.example", "[::1]:80evil", "[::1]:80:80", "[::1", "::1]", "[[::1]]", "[localhost]", "[::1].", "::1"),
    *(
        "localhost:80.evil.example",
        "localhost:evil",
        "localhost]",
        "localhost..",
        "evil@localhost",
        "127.0.0.1:80@evil",
    ),
    *(
        "localhost/evil",
        "localhost evil",
        "127.0.0.1,evil.example",
        "[127.0.0.1]evil",
        ":8440",
        "[]",
        "[]:80",
        "[127.0.0.1]",
    ),
)


@pytest.mark.parametrize("host", LOOKALIKES)
@pytest.mark.parametrize("bound", ["127.0.0.1", "0.0.0.0", "::"])
def test_a_host_that_looks_like_the_server_is_another(host: str, bound: str) -> None:
    from fourfold.web import Settings

    assert not Settings(host=bound, names=("audits.example.org",)).knows(host)


def test_a_lookalike_is_refused(client: Any, server: str) -> None:
    response = client.post(
        "/api/recover", json=QUESTION, headers={"Host": f"[::1]evil.example:{urlsplit(server).port}"}
    )
    assert (response.status_code, response.json()["argument"]) == (421, "Host")
