"""What is handed out: links that work elsewhere, a smoke test for each extra, a citation that programs can read."""

from __future__ import annotations

import importlib
import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from fourfold import __version__

from ..conftest import ROOT
from .test_declared import PROJECT


@pytest.fixture(autouse=True)
def _scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")


def script(name: str) -> ModuleType:
    return importlib.import_module(name)


def test_every_extra_has_a_smoke_test() -> None:
    asked = {*script("smoke").QUESTIONS, "all"}
    assert set(script("release").extras()) <= asked, "scripts/smoke.py asks nothing of an extra of pyproject.toml"


def test_readme_has_no_relative_link_on_other_sites() -> None:
    pytest.importorskip("hatchling", reason="needs the package hatchling")
    text = script("readme_links").absolute((ROOT / "README.md").read_text(encoding="utf-8"), "https://host/it", "1.0")
    places = re.findall(r"\]\(([^)\s]+)\)", text)
    assert places
    assert all(place.startswith(("https://", "#")) for place in places)
    pictures = re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", text)
    assert pictures
    assert all(place.startswith("https://host/it/raw/v1.0/docs/pictures/") for place in pictures)


def test_links_become_absolute() -> None:
    pytest.importorskip("hatchling", reason="needs the package hatchling")
    text = "[![a](b.svg)](c.md) [d](e.md#f) [g](#h) [i](https://j) [k](mailto:l)"
    absolute = script("readme_links").absolute(text, "https://host/it", "1.0")
    picture = "![a](https://host/it/raw/v1.0/b.svg)"
    page = "https://host/it/blob/v1.0/"
    assert absolute == f"[{picture}]({page}c.md) [d]({page}e.md#f) [g](#h) [i](https://j) [k](mailto:l)"


def test_the_address_is_the_same_everywhere() -> None:
    address = PROJECT["urls"]["Source"]
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        for found in re.findall(r"https://github\.com/[\w-]+/fourfold\b", page.read_text(encoding="utf-8")):
            assert found == address, page


def test_the_sdist_is_asked_to_hold_every_file() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    patterns = [pattern.removeprefix("/") for pattern in build["targets"]["sdist"]["include"]]
    ours = [path.name for path in ROOT.iterdir() if path.name.startswith(".pre-commit") or path.name[0] not in "._"]
    made = {"build", "dist", "out"}
    for name in ours:
        built_in = name in made or name == "pyproject.toml" or name == "PKG-INFO"
        assert built_in or any(fnmatch(name, pattern) for pattern in patterns), name


def test_the_citation_has_what_its_format_asks_for() -> None:
    # The keys that version 1.2.0 of the format requires, of the whole and of each reference.
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["cff-version"] == "1.2.0"
    for reference in citation["references"]:
        assert {"type", "title", "authors"} <= set(reference)
        assert all({"family-names", "given-names"} <= set(author) for author in reference["authors"])


def test_the_changelog_begins_with_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first = re.search(r"^## (\S+), (unreleased|\d{4}-\d\d-\d\d)$", text, re.MULTILINE)
    assert first is not None
    assert first[1] == __version__
    assert "which *results* changed" in text


def test_hooks_for_contributors_run_what_the_tests_run() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    entries = [hook["entry"] for repository in config["repos"] for hook in repository["hooks"]]
    checks = (ROOT / "scripts" / "test.sh").read_text(encoding="utf-8")
    for entry in entries:
        tool = re.search(r"python (-m \w+)", entry)
        assert tool is not None
        assert tool[1] in checks


def test_the_table_of_sizes_is_written_between_its_comments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = script("release")
    page = tmp_path / "page.md"
    page.write_text("above\n<!-- sizes -->\nstale\n<!-- /sizes -->\nbelow\n", encoding="utf-8")
    table = release.sizes_as_markdown([release.Installed("bare", 3, 12_345_678)], "3.11")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    release.write_table(page, table)
    text = page.read_text(encoding="utf-8")
    assert "| `fourfold` | 3 | 12 MB |" in text
    assert "stale" not in text
    assert text.startswith("above\n")
    assert text.endswith("below\n")
