"""How long commands take to start, in bare Python starts and beside importing the tools a user would pick instead."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

from .timing import alone, compare, side_by_side

_TABLES = ("--group", "tp=3,fn=1,fp=2,tn=4", "--reference", "tp=30,fn=10,fp=20,tn=40")
#: Commands about tables that are typed.
COMMANDS = (
    ("--help",),
    ("metrics",),
    ("glossary",),
    ("score", "tp=45", "fn=5", "fp=10", "tn=40"),
    ("holes", "mcc", "30"),
    ("recover", "--positives", "40", "--negatives", "60", "accuracy=0.85", "recall=80%"),
    ("match", "recall", *_TABLES),
    ("compare-groups", "recall", *_TABLES),
    ("smooth", *_TABLES),
)
SCORE = "import fourfold as ff; ff.score(ff.Table(tp=1, fn=2, fp=3, tn=4), 'mcc')"


def _python(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)


def modules(command: tuple[str, ...]) -> int:
    """Return how many modules of the package a command loads."""
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "fourfold", *command], check=True, capture_output=True, text=True
    )
    names = (line.rpartition("|")[2].strip() for line in ran.stderr.splitlines())
    return sum(name.split(".")[0] == "fourfold" for name in names)


def run() -> None:
    """Start the command line and the library in new processes, all in turns."""
    calls = [
        partial(_python, "-c", "pass"),
        partial(_python, "-c", "import sklearn.metrics"),
        partial(_python, "-c", SCORE),
        *(partial(_python, "-m", "fourfold", *command) for command in COMMANDS),
    ]
    bare, scikit, one, *times = side_by_side(calls, repeats=7)
    compare("import fourfold; score one table", one, "import sklearn.metrics", scikit)
    alone("python -c pass", bare)
    for command, time in zip(COMMANDS, times, strict=True):
        note = f"{time / bare:.1f} bare starts, {modules(command)} modules of its own"
        alone(f"fourfold {command[0]}", time, note)
