"""The server as an assistant meets it: a process of its own, spoken to by the client of the package mcp."""

from __future__ import annotations

import asyncio
import io
import json
import math
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from fourfold import cli
from fourfold import mcp as door
from fourfold.errors import ERROR_CODES, MissingExtra, TooLarge
from fourfold.mcp.tools import TOOLS
from fourfold.mcp.wire import Lines
from fourfold.questions import FILES

from ..conftest import ROOT
from ..docs.test_pages import blocks

mcp = pytest.importorskip("mcp", reason="needs fourfold[mcp]")

EXAMPLES = ROOT / "docs" / "examples"
SCHEMAS = ROOT / "docs" / "reference" / "schemas"
PATIENCE = 300.0
#: In every process of the server: sockets that leave the machine are written down, and workers print what they should not.
SPY = """
import os, socket, sys
def hear(event, arguments):
    if event.startswith("socket.") and event != "socket.__new__":
        if getattr(arguments[0], "family", None) != socket.AF_UNIX:
            open(os.environ["HEARD"], "a").write(f"{event} {arguments}\\n")
sys.addaudithook(hear)
if any("multiprocessing" in argument for argument in sys.orig_argv):
    print("stray", flush=True)
    os.write(1, b"stray\\n")
"""
COUNTS = {"group": {"tp": 60, "fn": 30, "fp": 5, "tn": 95}, "reference": {"tp": 320, "fn": 80, "fp": 20, "tn": 180}}
COLUMNS = {"truth": "truth", "prediction": "prediction"}
SURE = "y,p_a,p_b\na,0.9,0.1\nb,0.2,0.8\nb,0.6,0.4\n"
STATED = "With 40 positives and 60 negatives, accuracy is 0.85 and recall is 0.91."
QUESTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "impossible": (
        "recover",
        {"scores": {"accuracy": "0.85", "recall": "0.91"}, "positives": 40, "negatives": 60, "folds": "none"},
    ),
    "unexplained": (
        "recover",
        {"scores": {"accuracy": "0.88", "recall": "0.893", "specificity": "0.941"}, "positives": 100, "negatives": 200},
    ),
    "possible": ("recover", {"scores": {"accuracy": "0.85", "recall": "80%"}, "positives": 40, "negatives": 60}),
    "group": ("compare-groups", {"metric": "recall", **COUNTS}),
    "tables": ("audit-tables", {"groups": {"a": COUNTS["group"], "b": COUNTS["group"]}, "metrics": ["recall"]}),
    "audit": ("audit", {"file": {"path": "clinics.csv"}, "positive": "sick", "by": ["site"], **COLUMNS}),
    "preview": ("preview", {"file": {"path": "clinics.csv"}}),
    "certainty": ("certainty", {"file": [{"text": SURE}], "truth": "y", "metric": ["accuracy"]}),
    "check": ("check", {"file": [{"text": STATED, "name": "a.txt"}], "folds": "none"}),
    "check a file": ("check", {"file": [{"path": "model_card.md"}]}),
    "plan": ("plan", {"metric": "recall", "group": 0.6, "reference": 0.8, "prevalence": 0.3}),
    "metrics": ("metrics", {}),
    "metric": ("metrics", {"name": "sensitivity"}),
    "undecided": ("recover", {"scores": {"accuracy": "0.5", "mcc": "0.1"}, "total": 3000, "budget": 1}),
    "hostile": ("check", {"file": [{"path": "../../README.md"}]}),
    "passwords": ("check", {"file": [{"path": "/etc/passwd"}]}),
    "no such tool": ("recovr", {}),
    "no such metric": ("recover", {"scores": {"acuracy": "0.85"}, "total": 20}),
    "no scores": ("recover", {"scores": "accuracy=0.85"}),
    "twice": ("recover", {"scores": {"total": "0.85"}, "total": 20}),
    "an option of the command": ("check", {"file": {"text": "x"}, "sarif": "out.sarif"}),
    "a budget": ("recover", {"scores": {"accuracy": "0.5"}, "budget": 10**12}),
    "too much": ("check", {"file": {"text": "x" * 1_000_001}}),
    "too deep": ("recover", {"scores": {"accuracy": json.loads("[" * 100 + "]" * 100)}}),
}
#: One score, no size, and all bounds: this takes minutes.
ENDLESS: tuple[str, dict[str, Any]] = (
    "recover",
    {"scores": {"accuracy": "0.5"}, "bounds": ["all"], "max_total": 3000},
)
REFUSED = {
    "hostile": "refused",
    "passwords": "refused",
    "no such tool": "bad_request",
    "no such metric": "unknown_metric",
    "no scores": "bad_shape",
    "twice": "ambiguous",
    "an option of the command": "usage",
    "a budget": "bad_option",
    "too much": "too_large",
    "too deep": "bad_number",
}


def environment(place: Path) -> dict[str, str]:
    """Return the variables of a server that is listened to."""
    (place / "sitecustomize.py").write_text(SPY)
    paths = [str(place), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "HEARD": str(place / "heard"), "TMPDIR": str(place)}


class Exchange:
    """All that was asked and answered."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.tools: dict[str, Any] = {}
        self.answers: dict[str, Any] = {}

    async def hold(self) -> None:
        command = ["-m", "fourfold", "mcp", "--folder", str(EXAMPLES), "--time-limit", str(PATIENCE)]
        given = mcp.StdioServerParameters(command=sys.executable, args=command, env=environment(self.place))
        async with mcp.Client(mcp.stdio_client(given), read_timeout_seconds=PATIENCE) as client:
            self.instructions = client.instructions
            self.tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            for name, (tool, arguments) in QUESTIONS.items():
                self.answers[name] = await client.call_tool(tool, arguments)


@pytest.fixture(scope="module")
def exchange(tmp_path_factory: pytest.TempPathFactory) -> Exchange:
    held = Exchange(tmp_path_factory.mktemp("assistant"))
    asyncio.run(held.hold())
    return held


def test_the_tools_are_the_questions_with_their_parameters(exchange: Exchange) -> None:
    assert set(exchange.tools) == set(TOOLS)
    for name, tool in exchange.tools.items():
        assert tool.input_schema["type"] == tool.output_schema["type"] == "object"
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)
        properties = tool.input_schema["properties"]
        assert list(properties) == [parameter.name for parameter in TOOLS[name].parameters]
        assert tool.input_schema["required"] == [each.name for each in TOOLS[name].parameters if each.required]
        assert all("description" in schema for schema in properties.values() if schema.get("type") != "object")
        assert tool.annotations.read_only_hint
        for parameter in TOOLS[name].parameters:
            if parameter.kind in FILES:
                assert '"path"' in json.dumps(properties[parameter.name])
    assert str(EXAMPLES) in exchange.instructions


@pytest.mark.parametrize("name", QUESTIONS)
def test_answers_keep_to_the_published_schemas(exchange: Exchange, name: str) -> None:
    tool, arguments = QUESTIONS[name]
    answer = exchange.answers[name]
    kind = answer.structured_content["schema"].removeprefix("fourfold/")
    published = json.loads((SCHEMAS / f"{kind}.json").read_text(encoding="utf-8"))
    Draft202012Validator(published).validate(answer.structured_content)
    assert answer.is_error == (kind == "error") == (name in REFUSED), answer.content[0].text
    if tool in exchange.tools:
        Draft202012Validator(exchange.tools[tool].output_schema).validate(answer.structured_content)
    if not answer.is_error:
        Draft202012Validator(exchange.tools[tool].input_schema).validate(arguments)
        assert kind in TOOLS[tool].gives
    assert len(answer.content) == 1
    assert answer.content[0].text


@pytest.mark.parametrize("name", REFUSED)
def test_errors_keep_to_the_one_grammar(exchange: Exchange, name: str) -> None:
    error = exchange.answers[name].structured_content
    assert error["code"] == REFUSED[name]
    assert error["code"] in ERROR_CODES
    text = exchange.answers[name].content[0].text
    assert text.startswith(f"{error['argument']}: {error['problem']}, got {error['got']}. Hint: {error['hint']}")
    assert "root:" not in text
    assert str(exchange.place) not in text


def test_a_report_that_cannot_be(exchange: Exchange) -> None:
    """Of 40 positives, 36 are 0.900 and 37 are 0.925: none is 0.91."""
    answer = exchange.answers["impossible"]
    assert answer.structured_content["verdict"] == "impossible"
    assert answer.content[0].text.startswith("impossible: no table has this recall: 36 of 40")
    # 0.333 of 0.893 and 0.667 of 0.941 are 0.925; an average over parts of another make-up could be 0.880.
    open_ended = exchange.answers["unexplained"]
    assert open_ended.structured_content["verdict"] == "unexplained"
    assert open_ended.content[0].text.startswith("unexplained: no test set of 100 positive and 200 negative cases")
    # 32 of the positives, and 85 of all cases: 53 of the negatives.
    possible = exchange.answers["possible"].structured_content
    assert (possible["verdict"], possible["count"], possible["counted"]) == ("possible", 1, True)
    assert possible["tables"] == [{"tp": 32, "fn": 8, "fp": 7, "tn": 53}]


def test_a_group_that_differs(exchange: Exchange) -> None:
    from scipy.stats import hypergeom

    answer = exchange.answers["group"]
    # 60 of 90 beside 320 of 400: the smaller tail, twice.
    smaller = hypergeom(490, 380, 90).cdf(60)
    assert answer.structured_content["p_value"] == pytest.approx(2 * smaller)
    assert "0.6667 (60 of 90 found) against 0.8000 (320 of 400)" in answer.content[0].text


def test_certainty(exchange: Exchange) -> None:
    """Two of three are right; the true classes have 0.9, 0.8 and 0.4 of the probability."""
    [model] = exchange.answers["certainty"].structured_content["models"].values()
    assert model["hard"] == [[1, 0], [1, 1]]
    assert sum(model["soft"][n][n] for n in range(2)) == pytest.approx(0.9 + 0.8 + 0.4)
    assert "0.6667" in exchange.answers["certainty"].content[0].text


def test_a_text_and_a_file_are_checked(exchange: Exchange) -> None:
    assert "impossible" in exchange.answers["check"].content[0].text
    assert "a.txt" in exchange.answers["check"].content[0].text
    assert exchange.answers["preview"].content[0].text.split()[:2] == ["Predictions,", "a"]
    assert "model_card.md" in exchange.answers["check a file"].content[0].text


def test_what_would_take_too_much_work_is_undecided(exchange: Exchange) -> None:
    assert exchange.answers["undecided"].structured_content["verdict"] == "undecided"
    assert exchange.answers["undecided"].content[0].text.startswith("undecided: ")


def test_nothing_left_the_machine_and_nothing_is_left_behind(exchange: Exchange) -> None:
    assert not (exchange.place / "heard").exists()
    assert not list(exchange.place.glob("fourfold-*"))


class Raw:
    """A server without a client: lines in, lines out."""

    def __init__(self, place: Path, limit: float) -> None:
        command = [sys.executable, "-m", "fourfold", "mcp", "--time-limit", str(limit)]
        pipes: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        self.process = subprocess.Popen(command, env=environment(place), text=True, **pipes)
        self.place = place

    def send(self, method: str, number: int | None = None, **params: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def greet(self) -> None:
        client = {"name": "test", "version": "0"}
        self.send("initialize", 1, protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        assert self.hear()["result"]["serverInfo"]["name"] == "fourfold"
        self.send("notifications/initialized")

    def ask(self, question: tuple[str, dict[str, Any]], number: int) -> None:
        self.send("tools/call", number, name=question[0], arguments=question[1])

    def hear(self) -> dict[str, Any]:
        """Return the next line; nothing but the protocol may stand there."""
        message: dict[str, Any] = json.loads(self.process.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        return message


@contextmanager
def raw(place: Path, limit: float) -> Iterator[Raw]:
    server = Raw(place, limit)
    with server.process:
        try:
            yield server
        finally:
            server.process.kill()


def descendants(process: int) -> set[int]:
    """Return the processes below one, on systems that list them."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if status[0] != "Z":
            parents[int(folder.name)] = int(status[1])
    below = {process}
    while more := {child for child, parent in parents.items() if parent in below} - below:
        below |= more
    return below - {process}


def eventually(holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


def assert_ends(server: Raw, end: Callable[[subprocess.Popen[str]], object]) -> None:
    """Let a busy server end; its workers end with it, and nothing is left behind."""
    server.ask(ENDLESS, 90)
    time.sleep(0.5)
    workers = descendants(server.process.pid)
    assert workers or not Path("/proc").exists()
    end(server.process)
    code = server.process.wait(PATIENCE)
    out, err = server.process.stdout.read(), server.process.stderr.read()
    assert code == 0, err
    assert eventually(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
    assert not list(server.place.glob("fourfold-*"))
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in out.splitlines())
    # Workers did print, but not there.
    assert set(err.split()) == {"stray"}


def test_a_question_that_takes_too_long_and_an_input_that_ends(tmp_path: Path) -> None:
    with raw(tmp_path, limit=1.0) as server:
        server.greet()
        server.ask(ENDLESS, 2)
        answer = server.hear()
        assert answer["id"] == 2
        assert answer["result"]["isError"]
        assert answer["result"]["structuredContent"]["code"] == "timed_out"
        assert_ends(server, lambda process: process.stdin.close())


@pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are not known there")
def test_cancelled_questions_and_a_signal_to_end(tmp_path: Path) -> None:
    """There are fewer workers than cancelled questions, and none of these would end soon."""
    with raw(tmp_path, limit=PATIENCE) as server:
        server.greet()
        for number in range(10, 14):
            server.ask(ENDLESS, number)
            time.sleep(0.2)
            server.send("notifications/cancelled", requestId=number)
        server.ask(QUESTIONS["metric"], 20)
        answer = server.hear()
        assert answer["id"] == 20
        assert answer["result"]["structuredContent"]["metric"]["id"] == "recall"
        # Not JSON, but some programs write it.
        server.ask(("recover", {"scores": {"accuracy": math.nan}, "total": 20}), 21)
        assert server.hear()["result"]["structuredContent"]["code"] == "bad_request"
        assert_ends(server, lambda process: process.send_signal(signal.SIGTERM))


@pytest.mark.parametrize("end", ["", "\n"])
def test_lines_come_whole(end: str) -> None:
    lines = ["one\n", "zwei é\n", "\n", "x" * 200_000 + "\n", f"last{end}"]
    source, target = os.pipe()
    writing = threading.Thread(target=write, args=(target, "".join(lines)))
    writing.start()
    try:
        assert asyncio.run(collected(Lines(source, 1_000_000))) == lines
    finally:
        os.close(source)  # whatever happened, nobody writes on
        writing.join()


def write(target: int, text: str) -> None:
    with os.fdopen(target, "w", encoding="utf-8") as file:
        file.write(text)


async def collected(lines: Any) -> list[str]:
    return [line async for line in lines]


def test_a_line_without_end_ends_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    from fourfold.mcp import server

    async def drain(tools: Any, read: Any, write: Any) -> None:
        async with read, write:
            async for _ in read:
                pass

    source, target = os.pipe()
    written = threading.Thread(target=lambda: [os.write(target, b"x" * 60_000) for _ in range(140)], daemon=True)
    monkeypatch.setattr(server, "take_wire", lambda: (source, io.StringIO()))
    monkeypatch.setattr(server.Tools, "run", drain)
    written.start()
    with pytest.raises(TooLarge, match="line: must have at most 8,000,000 bytes"):
        server.serve([], 1.0)


def test_a_bare_install_says_what_brings_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(MissingExtra, match=r'pip install "fourfold\[mcp\]"'):
        door.serve()


def test_a_folder_that_is_not_there_is_told_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["mcp", "--folder", str(tmp_path / "none")])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("--folder: is not a folder, got ")


def test_the_page_shows_every_tool_and_an_entry_that_works() -> None:
    page = ROOT / "docs" / "how-to" / "ask-from-an-assistant.md"
    assert set(re.findall(r"^\| `([\w-]+)` \|", page.read_text(encoding="utf-8"), re.MULTILINE)) == set(TOOLS)
    [entry] = blocks(page, "json")
    given = json.loads(entry)["mcpServers"]["fourfold"]
    assert given["command"] == "fourfold"
    command, *arguments = given["args"]
    assert cli.cli.commands[command].make_context(command, arguments).params["folder"]
