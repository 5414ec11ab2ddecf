"""How long a command takes to start, beside importing the tools a user would pick instead."""

from __future__ import annotations

import subprocess
import sys

from .timing import compare, seconds


def _python(*arguments: str) -> float:
    return seconds(lambda: subprocess.run([sys.executable, *arguments], check=True, capture_output=True), repeats=7)


def run() -> None:
    """Start the command line and the library in new processes."""
    scikit = _python("-c", "import sklearn.metrics")
    compare("fourfold --help", _python("-m", "fourfold", "--help"), "import sklearn.metrics", scikit)
    compare("import fourfold; score one table", _python("-c", SCORE), "import sklearn.metrics", scikit)


SCORE = "import fourfold as ff; ff.score(ff.Table(tp=1, fn=2, fp=3, tn=4), 'mcc')"
