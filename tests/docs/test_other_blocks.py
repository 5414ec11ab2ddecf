"""Blocks that are neither Python nor console: shell lines run in a copy of the examples, shown files exist as shown."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from fourfold import cli

from ..conftest import ROOT
from .test_pages import PAGES, blocks


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_shell_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "docs" / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    for line in "".join(blocks(page, "sh")).splitlines():
        program, *arguments = shlex.split(line, comments=True) or [""]
        if program != "fourfold":
            continue
        with pytest.raises(SystemExit) as ended:
            cli.main(arguments)
        assert ended.value.code in (0, 1), line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_of_workflows_are_shown_as_console_blocks(page: Path) -> None:
    shown = re.findall(r"^\$ (.*)$", "".join(blocks(page, "console")), re.MULTILINE)
    for command in re.findall(r"run: (fourfold .*)$", "".join(blocks(page, "yaml")), re.MULTILINE):
        assert command in shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_shown_tables_are_example_files(page: Path) -> None:
    files = {path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "examples").glob("*.csv")}
    if "reference" in page.relative_to(ROOT).parts:
        return  # generated: compared with its generator elsewhere
    for block in blocks(page, "text"):
        assert block in files, block
