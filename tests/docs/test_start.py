"""A newcomer's path: each page below docs/start is followed from its first block to its last, in a folder of its own.

Blocks with a title are files to save. Console blocks are typed and compared, Python blocks are a session, shell blocks are
typed as well, but for what installs something. Only the files that the page links to are there at the start.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from fourfold import cli

from ..conftest import NO_JAVA, ROOT
from .test_pages import START, assert_shown

BLOCK = re.compile(r'^```(?P<kind>\w+)(?: title="(?P<file>[^"]+)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)
DOWNLOAD = re.compile(r"\]\(\.\./examples/([\w.-]+)\)")


class Newcomer:
    """Types what a page says."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys
        self.code = 0
        self.names: dict[str, object] = {}

    def console(self, text: str) -> None:
        for command in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            line, _, expected = command.partition("\n")
            assert_shown(expected, self.type(line), line)

    def sh(self, text: str) -> None:
        for line in text.splitlines():
            if not line.startswith("pip install "):
                self.type(line)
                assert self.code in (0, 1), line

    def type(self, line: str) -> str:
        """Type a line; return what is printed, and keep the exit code."""
        if line == "echo $?":
            return str(self.code)
        program, *arguments = shlex.split(line)
        if program == "fourfold":
            with pytest.raises(SystemExit) as ended:
                cli.main(arguments)
            self.code = int(ended.value.code or 0)
            shown = self.capsys.readouterr()
            return shown.out + shown.err
        assert program == "python", line
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]),
        }
        done = subprocess.run(
            [sys.executable, *arguments], capture_output=True, text=True, check=False, env=environment
        )
        self.code = done.returncode
        assert self.code == 0, done.stdout + done.stderr
        return done.stdout

    def python(self, text: str) -> None:
        if NO_JAVA and "pyspark" in text:
            pytest.skip(f"all but the block of Spark was done: {NO_JAVA}")
        test = doctest.DocTestParser().get_doctest(text, self.names, "page", "page", 0)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(test, clear_globs=False)
        self.names = test.globs
        assert runner.failures == 0, text


def test_there_is_a_page_for_each_role() -> None:
    assert {page.stem for page in START} == {
        "reviewer",
        "data-scientist",
        "auditor",
        "library-author",
        "ci-maintainer",
    }


@pytest.mark.parametrize("page", START, ids=lambda page: page.stem)
def test_the_page_can_be_followed(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = page.read_text(encoding="utf-8")
    for name in DOWNLOAD.findall(text):
        shutil.copy(ROOT / "docs" / "examples" / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    newcomer = Newcomer(capsys)
    for block in BLOCK.finditer(text):
        if block["file"]:
            file = tmp_path / block["file"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block["text"], encoding="utf-8")
        else:
            getattr(newcomer, block["kind"])(block["text"])


def test_every_block_is_followed() -> None:
    """No block is left out because the pattern does not know its first line."""
    for page in START:
        text = page.read_text(encoding="utf-8")
        assert len(BLOCK.findall(text)) * 2 == len(re.findall(r"^```", text, re.MULTILINE)), page.name


def test_steps_of_the_workflow_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = next(page for page in START if page.stem == "ci-maintainer").read_text(encoding="utf-8")
    workflow = yaml.safe_load(next(block["text"] for block in BLOCK.finditer(text) if block["kind"] == "yaml"))
    for name in ("model_card.md", "accepted.json"):
        shutil.copy(ROOT / "docs" / "examples" / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    newcomer = Newcomer(capsys)
    steps = [step["run"] for step in workflow["jobs"]["numbers"]["steps"] if "run" in step]
    for line in steps:
        newcomer.sh(line)
        assert newcomer.code == 0, line
    assert (tmp_path / "numbers.xml").exists()
