"""What a type checker says to someone who builds on the package."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import fourfold as ff

from ..conftest import ROOT

pytest.importorskip("mypy")

WRONG = """
import fourfold as ff
from fourfold import NoSuchThing
ff.nothing
ff.groups.nothing
ff.compare
"""


def test_the_example_passes_and_names_that_are_not_there_are_refused(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "start" / "library-author.md").read_text(encoding="utf-8")
    example = re.search(r'^```py title="evaluation.py"\n(.*?)^```$', page, re.MULTILINE | re.DOTALL)
    assert example
    (tmp_path / "evaluation.py").write_text(example[1], encoding="utf-8")
    (tmp_path / "wrong.py").write_text(WRONG, encoding="utf-8")
    options = ["--strict", "--hide-error-context", f"--cache-dir={tmp_path / 'cache'}"]
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "evaluation.py", "wrong.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(ff.__file__).parent.parent)},
        capture_output=True,
        text=True,
    )
    assert [line.partition(": error: ")[0] for line in ran.stdout.splitlines()[:-1]] == [
        f"wrong.py:{line}" for line in (3, 4, 5, 6)
    ], ran.stdout + ran.stderr
