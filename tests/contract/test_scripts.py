"""The demo runs as it stands, and the tests install nothing outside .venv without saying so."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from fourfold import cli

from ..conftest import ROOT

SHELL = shutil.which("sh")
pytestmark = pytest.mark.skipif(SHELL is None, reason="needs a shell")


def test_the_demo_asks_the_three_questions_in_order(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = (ROOT / "scripts" / "demo.sh").read_text(encoding="utf-8")
    commands = [shlex.split(line) for line in re.findall(r"^show (.*)$", script, re.MULTILINE)]
    assert [command[0] for command in commands] == ["check", "recover", "audit", "plan", "certainty"]
    monkeypatch.chdir(ROOT / "docs" / "examples")
    for command in commands[:2]:  # the others stand in README and are run with it
        with pytest.raises(SystemExit) as ended:
            cli.main(command)
        assert ended.value.code == 1
        assert "impossible" in capsys.readouterr().out


def run_browser_script(folder: Path, user: int, **variables: str) -> tuple[str, bool]:
    """Run scripts/browser.sh where there is no Chromium; return what it says, and whether apt-get was called."""
    called = folder / "called"
    for name, line in {"id": f"echo {user}", "apt-get": f"echo >>{shlex.quote(str(called))}"}.items():
        (folder / name).write_text(f"#!{SHELL}\n{line}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    environment = {"PATH": str(folder), **variables}
    command = [str(SHELL), str(ROOT / "scripts" / "browser.sh")]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return ended.stdout, called.exists()


def test_root_is_told_before_a_package_is_installed(tmp_path: Path) -> None:
    said, installed = run_browser_script(tmp_path, 0)
    assert installed
    assert said.startswith("Outside the virtual environment: installing")


@pytest.mark.parametrize(
    ("user", "variables", "reason"),
    [(1000, {}, "only root can install it"), (0, {"FOURFOLD_SYSTEM": "no"}, "FOURFOLD_SYSTEM=no")],
)
def test_without_root_nothing_is_installed_and_the_reason_is_said(
    tmp_path: Path, user: int, variables: dict[str, str], reason: str
) -> None:
    said, installed = run_browser_script(tmp_path, user, **variables)
    assert not installed
    assert reason in said
    assert "skipped" in said


def test_only_that_script_calls_a_package_manager_of_the_system() -> None:
    callers = [path.name for path in (ROOT / "scripts").iterdir() if path.is_file() and _calls_apt(path)]
    assert callers == ["browser.sh"]


def _calls_apt(path: Path) -> bool:
    lines = path.read_text(encoding="utf-8").splitlines()
    return any(re.search(r"apt-get (?:update|.*-y)", line) for line in lines)
