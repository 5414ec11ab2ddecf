"""What README and docs show is what comes out: Python blocks are doctests, console blocks are run and compared."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from fourfold import cli

from ..conftest import NO_JAVA, ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks(page: Path) -> None:
    if page.name == "audit-on-a-cluster.md" and NO_JAVA:
        pytest.skip(NO_JAVA)
    names: dict[str, object] = {}
    for block in blocks(page, "python"):
        assert ">>>" in block, f"a Python block of {page.name} shows no result"
        test = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(test, clear_globs=False)
        names = test.globs
        assert runner.failures == 0, block


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_console_blocks(page: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "docs" / "examples")
    for block in blocks(page, "console"):
        for command in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, expected = command.partition("\n")
            program, *arguments = shlex.split(line, comments=True)
            assert program == "fourfold", line
            with pytest.raises(SystemExit):
                cli.main(arguments)
            found = capsys.readouterr()
            assert_shown(expected, found.out + found.err, line)


def assert_shown(expected: str, found: str, line: str) -> None:
    """Compare without blanks at line ends; a line of three dots stands for any lines."""
    shown = "\n".join(part.rstrip() for part in found.rstrip().splitlines())
    pieces = re.split(
        r"^\.\.\.$\n?", "\n".join(part.rstrip() for part in expected.rstrip().splitlines()), flags=re.MULTILINE
    )
    message = f"$ {line}\n{shown}"
    assert shown.startswith(pieces[0].rstrip()), message
    place = len(pieces[0].rstrip())
    for piece in pieces[1:]:
        assert piece.rstrip() in shown[place:], message
        place = shown.index(piece.rstrip(), place) + len(piece.rstrip())
    assert pieces[-1] == "" or place == len(shown), message


def test_every_dependency_has_its_line() -> None:
    import tomllib

    page = (ROOT / "docs" / "explanation" / "dependencies.md").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = project["dependencies"] + [name for names in project["optional-dependencies"].values() for name in names]
    for requirement in wanted:
        name = re.match(r"[\w-]+", requirement)[0]
        assert f"`{name}`" in page, name


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
