"""What README and docs show is what comes out: Python blocks are doctests, console blocks are run and compared."""

from __future__ import annotations

import doctest
import importlib.util
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from fourfold import cli
from fourfold.answers import GLOSSARY
from fourfold.claims.readings import READINGS, SINGLE

from ..conftest import NO_JAVA, ROOT

#: The pages for newcomers are followed from start to end, see test_start.py.
START = sorted((ROOT / "docs" / "start").glob("*.md"))
ALL = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in ALL if page not in START]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: Says before a Python block which packages it needs that the tests can do without.
NEEDS = re.compile(r"<!-- needs ([\w ]+) -->\s*\Z")


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks(page: Path) -> None:
    if page.name == "audit-on-a-cluster.md" and NO_JAVA:
        pytest.skip(NO_JAVA)
    names: dict[str, object] = {}
    left_out: set[str] = set()
    for block, needed in python_blocks(page):
        assert ">>>" in block, f"a Python block of {page.name} shows no result"
        if missing := [name for name in needed if importlib.util.find_spec(name) is None]:
            left_out.update(missing)
            continue
        test = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(test, clear_globs=False)
        names = test.globs
        assert runner.failures == 0, block
    if left_out:
        pytest.skip(f"all other blocks ran; not installed: {', '.join(sorted(left_out))}")


def python_blocks(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Walk the Python blocks of a page, each with the packages that the comment before it names."""
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        if match[1] == "python":
            needed = NEEDS.search(text[: match.start()])
            yield match[2], needed[1].split() if needed else []


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
        name = re.match(r"[\w.-]+", requirement)[0]
        assert f"`{name}`" in page, name


def test_links_between_pages_lead_somewhere() -> None:
    for page in ALL:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_reading_has_its_code_on_its_page() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    codes = {code for text in sources for code in re.findall(r'Departure\("(\w{3,})"', text)}
    codes |= {row.code for row in (*READINGS, SINGLE)}
    text = (ROOT / "docs" / "explanation" / "readings.md").read_text(encoding="utf-8")
    assert not {code for code in codes if f"`{code}`" not in text}


def test_the_glossary_has_every_term_that_answers_explain() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").casefold()
    assert [one.term for one in GLOSSARY.terms if one.term not in page] == []
