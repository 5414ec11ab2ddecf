"""Codes 0 to 3 are answers: a fault of the program ends with 70, wherever it happens."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

#: Each breaks the program in one place, before it starts.
BREAK = {
    "while importing a package": "sys.modules['click'] = None",
    "while importing a room": "sys.modules['fourfold.errors'] = None",
    "while importing what a command needs": "sys.modules['fourfold.claims'] = None",
    "while reading arguments": "import click; click.Group.resolve_command = broken",
    "while computing": "import fourfold.claims; fourfold.claims.recover = broken",
    "while printing": "import click; click.echo = broken; import rich.console; rich.console.Console.print = broken",
    "while telling of an error": "import fourfold.cli, fourfold.claims; fourfold.cli._fail = broken\n"
    "fourfold.claims.recover = lambda *a, **k: (_ for _ in ()).throw(fourfold.InputError('usage', 'a', 'b', 'c', 'd'))",
    "while telling of the fault": "import fourfold.claims; fourfold.claims.recover = broken; sys.excepthook = broken",
    "with nowhere to tell": "import fourfold.claims; fourfold.claims.recover = broken; sys.stderr = None",
}
FAULTS = {
    "runtime": "RuntimeError('broken')",
    "memory": "MemoryError()",
    "system": "SystemError('broken')",
    "panic": "type('PanicException', (BaseException,), {})('broken')",
    "exit with words": "SystemExit('broken')",
    "file without a name": "OSError(5, 'broken')",
}
PROGRAM = """
import sys
def broken(*arguments, **names):
    raise {fault}
{change}
from fourfold.__main__ import main
main(["recover", "accuracy=0.5", "--total", "4", *sys.argv[1:]])
"""


def ended(change: str, fault: str = FAULTS["runtime"], *arguments: str, **streams: int) -> tuple[int, str]:
    code = PROGRAM.format(change=change, fault=fault)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    done = subprocess.run([sys.executable, "-c", code, *arguments], text=True, check=False, **pipes)
    return done.returncode, done.stderr


def test_the_question_itself_is_answered() -> None:
    assert ended("") == (0, "")


@pytest.mark.parametrize("place", BREAK)
def test_a_fault(place: str) -> None:
    code, told = ended(BREAK[place])
    assert code == 70
    if "nowhere" not in place and "of the fault" not in place:
        assert told.startswith("Traceback")


def test_a_fault_of_any_kind() -> None:
    """All but the last in one process, as it need not end for each."""
    change = f"""
def again(*arguments, **names):
    raise faults.pop()
import fourfold.claims; fourfold.claims.recover = again
faults = [{", ".join(FAULTS.values())}]
from fourfold.__main__ import main
while len(faults) > 1:
    try:
        main(["recover", "accuracy=0.5", "--total", "4"])
    except SystemExit as ended:
        print("ended with", ended.code, file=sys.stderr)
"""
    code, told = ended(change)
    assert code == 70
    assert told.count("ended with") == told.count("ended with 70") == len(FAULTS) - 1


def test_a_recursion_without_end() -> None:
    code, told = ended("def deeper(*a, **k): return deeper()\nimport fourfold.claims; fourfold.claims.recover = deeper")
    assert code == 70
    assert "RecursionError" in told


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize(
    ("change", "arguments"),
    [
        ("", []),
        ("", ["--json"]),
        ("", ["--help"]),
        ("", ["--nonsense", "--json"]),
        ("sys.stdout.reconfigure(write_through=True)", ["--json"]),
        # Written out at the end only.
        ("import click; click.echo = print", ["--json"]),
    ],
)
def test_an_output_that_is_full(change: str, arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        code, told = ended(change, FAULTS["runtime"], *arguments, stdout=full.fileno())
    assert code == 70
    assert "no space left on device" in told.lower()


def test_an_output_that_is_closed() -> None:
    code, told = ended("sys.stdout = None")
    assert code == 70
    assert "the standard output is closed" in told


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end otherwise there")
@pytest.mark.parametrize("arguments", [[], ["--json"], ["--help"]])
def test_a_reader_that_has_gone(arguments: list[str]) -> None:
    """Nothing is wrong and nothing is said; the code is the one that other programs end with."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert ended("", FAULTS["runtime"], *arguments, stdout=writer) == (141, "")
    finally:
        os.close(writer)


def test_an_interruption() -> None:
    assert ended(BREAK["while computing"], "KeyboardInterrupt()")[0] == 130
    assert ended("import fourfold.cli; fourfold.cli.main = broken", "KeyboardInterrupt()")[0] == 130
