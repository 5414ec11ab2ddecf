"""Asks an installed fourfold one question for each extra, to see that the extra brings what it needs.

`python scripts/release.py` runs it in fresh environments: `python -I scripts/smoke.py bare`, or the name of an extra.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import runpy
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import fourfold as ff

_TESTS: Final = Path(__file__).parent.parent / "tests"


def command(*arguments: str) -> tuple[int, str]:
    """Run the command in a process of its own; return its exit code and what it prints."""
    ended = subprocess.run([sys.executable, "-I", "-m", "fourfold", *arguments], capture_output=True, text=True)  # noqa: S603
    return ended.returncode, ended.stdout + ended.stderr


def bare() -> None:
    """Ask the three questions, and for each extra that is missing what to install."""
    scores = ("accuracy=0.9567", "recall=0.87", "specificity=0.975")
    code, said = command("recover", "--positives=100", "--negatives=200", *scores)
    assert (code, said.split(":")[0]) == (1, "impossible"), said
    found = ff.check("tp=55, tn=20, fp=13, fn=9. Accuracy: 0.853")
    assert (found.verdict, found.findings[0].wrong[0].given) == ("impossible", 75 / 97)
    clinics = {"y": [1, 1, 0, 0] * 5, "yhat": [1, 0, 0, 1] * 5, "site": ["east", "west"] * 10}
    assert ff.audit(clinics, truth="y", prediction="yhat", by="site", metrics=["recall"]).overall["recall"] is not None
    assert ff.decompose(["a", "b"], [[0.9, 0.1], [0.4, 0.6]], ["a", "b"]).ratio("accuracy").value is not None
    told = [extra for extra in MISSING if importlib.util.find_spec(MISSING[extra][0]) is None and _is_told(extra)]
    print(f"without {', '.join(told)}, which is told" if told else "with all that it is asked for")


def _is_told(extra: str) -> bool:
    """Ask for what an extra that is not installed would do; the answer must say what to install."""
    _, name, arguments = MISSING[extra]
    Path(name).write_bytes(b"PAR1" if name.endswith("parquet") else b"%PDF-1.4")
    code, said = command(*arguments.split())
    assert code == 2, said
    assert f"fourfold[{extra}]" in said, said
    return True


#: For each extra a package of it, and a command that needs it, with the file that it reads.
MISSING: Final = {
    "data": ("duckdb", "a.parquet", "audit a.parquet --truth y --prediction z --by g"),
    "documents": ("pdfplumber", "a.pdf", "check a.pdf"),
    "mcp": ("mcp", "a.txt", "mcp"),
    "plots": ("altair", "a.txt", "recover accuracy=0.9 --positives 10 --negatives 10 --plot a.png"),
    "web": ("starlette", "a.txt", "serve --port 0"),
}


def data() -> None:
    """Audit a parquet file."""
    import duckdb

    duckdb.sql("select 1 as y, 1 as yhat, 'east' as site union all select 1, 0, 'west'").write_parquet("rows.parquet")
    found = ff.audit("rows.parquet", truth="y", prediction="yhat", by="site", metrics=["recall"])
    assert [(each.group.name, each.score) for each in found.findings] == [("site=east", 1.0), ("site=west", 0.0)]


def documents() -> None:
    """Check one table of scores as a document of each kind."""
    made = runpy.run_path(str(_TESTS / "documents.py"))
    verdicts = {}
    for name in made["WRITERS"]:
        Path(name).write_bytes(made["written"](name))
        verdicts[name] = tuple(ff.check(Path(name)).counts.items())
    assert len(set(verdicts.values())) == 1, verdicts
    assert verdicts["table.pdf"], "no report was found"


def mcp() -> None:
    """Ask a question as an assistant does."""
    from mcp import Client, StdioServerParameters, stdio_client

    async def asked() -> Any:
        serving = StdioServerParameters(command=sys.executable, args=["-I", "-m", "fourfold", "mcp"])
        async with Client(stdio_client(serving)) as client:
            given = {"scores": {"accuracy": "0.85", "recall": "80%"}, "positives": 40, "negatives": 60}
            return (await client.call_tool("recover", given)).structured_content

    found = asyncio.run(asked())
    assert (found["verdict"], found["count"]) == ("possible", 1)


def plots() -> None:
    """Draw a picture as SVG and PNG."""
    chart = ff.recover(accuracy="0.898", f1="0.8968", positives=994, negatives=1006).plot()
    for name, start in (("a.svg", b"<svg"), ("a.png", b"\x89PNG")):
        ff.plots.save(chart, name)
        assert Path(name).read_bytes().startswith(start)


def reproduce() -> None:
    """Do a paper's experiment again with made-up numbers of the shape of one of its data sets."""
    import duckdb

    columns = ", ".join(f"random() as x{n}" for n in range(9))
    made = duckdb.sql(f"select {columns}, i % 2 as target from range(100) rows(i)")  # noqa: S608
    made.write_parquet("fertility.parquet")
    code, said = command("reproduce", "certainty", "--data", ".", "--set", "fertility diagnosis")
    assert code == 0, said


def web() -> None:
    """Start the page and ask it a question."""
    serving = [sys.executable, "-I", "-m", "fourfold", "serve", "--port", "0"]
    server = subprocess.Popen(serving, stdout=subprocess.PIPE, text=True)  # noqa: S603
    try:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1].rstrip("/")
        asked: dict[str, Any] = {"accuracy": "0.85", "recall": "80%", "positives": 40, "negatives": 60}
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{address}/api/recover", json.dumps(asked).encode(), headers)  # noqa: S310
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            found = json.load(answer)
        assert (found["verdict"], found["count"]) == ("possible", 1)
        with urllib.request.urlopen(address, timeout=30) as page:  # noqa: S310
            assert b"fourfold" in page.read()
    finally:
        server.terminate()
        server.wait(timeout=30)


#: What is asked of each extra; `all` is asked everything.
QUESTIONS: Final[dict[str, Callable[[], None]]] = {
    "bare": bare,
    "data": data,
    "documents": documents,
    "mcp": mcp,
    "plots": plots,
    "reproduce": reproduce,
    "web": web,
}


def main(name: str) -> None:
    """Ask in an empty folder."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for asked in QUESTIONS if name == "all" else dict.fromkeys(["bare", name]):
            QUESTIONS[asked]()


if __name__ == "__main__":
    main(sys.argv[1])
