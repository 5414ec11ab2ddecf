"""The site builds strictly, without a word of warning, without a network, and with every page in its navigation."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml

from ..conftest import ROOT

#: Runs mkdocs where every attempt to reach another machine is an error.
OFFLINE = """
import runpy, socket, sys
def refuse(*arguments, **names):
    raise AssertionError(f"the build reached for the network: {arguments}")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
sys.argv[0] = "mkdocs"
runpy.run_module("mkdocs", run_name="__main__")
"""

#: Types a word into the search of a page, in a process of its own: other tests may have a browser open in this one.
SEARCH = """
import json, shutil, sys
from playwright.sync_api import sync_playwright
with sync_playwright() as started:
    browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    page, asked = browser.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(sys.argv[1])
    page.keyboard.press("/")
    page.keyboard.type("clopper")
    page.wait_for_selector(".md-search-result__item a", timeout=120_000)
    found = [link.get_attribute("href") for link in page.query_selector_all(".md-search-result__item a")]
    browser.close()
print(json.dumps({"found": found, "asked": asked}))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site once."""
    pytest.importorskip("material")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if not line.startswith("INFO ")]
    assert not said, done.stderr
    assert "following pages exist" not in done.stderr, done.stderr
    return folder


class _Loaded(HTMLParser):
    """Collects the addresses of what a page loads, as against what it only links to."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        names = ["href"] if tag == "link" else [] if tag == "a" else ["src", "srcset", "href", "data", "poster"]
        self.addresses += [value for name in names if (value := given.get(name))]


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    for path in pages:
        loaded = _Loaded()
        loaded.feed(path.read_text(encoding="utf-8"))
        elsewhere = [address for address in loaded.addresses if re.match(r"(\w+:)?//", address)]
        assert not elsewhere, f"{path.name}: {elsewhere}"


def test_styles_load_nothing_from_elsewhere(site: Path) -> None:
    styles = list(site.rglob("*.css"))
    assert styles
    for path in styles:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"@import|url\(\s*[\"']?(\w+:)?//(?!www\.w3\.org)", text), path.name


@pytest.mark.skipif(not shutil.which("chromium"), reason="needs Debian's package chromium")
def test_search_works_on_pages_read_from_a_folder(site: Path) -> None:
    pytest.importorskip("playwright")
    address = (site / "tutorial" / "first-table.html").as_uri()
    done = subprocess.run([sys.executable, "-c", SEARCH, address], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert any("explanation/intervals.html" in link for link in told["found"])
    assert [address for address in told["asked"] if not address.startswith("file:")] == []


def test_pages_hold_their_formulas(site: Path) -> None:
    text = (site / "reference" / "metrics.html").read_text(encoding="utf-8")
    assert "<math" in text
    assert "<mfrac>" in text


def test_every_page_is_in_the_navigation_and_the_reverse() -> None:
    listed = list(pages_in(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]))
    there = [str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")]
    # Documents that are checked in examples are no pages.
    assert sorted(listed) == sorted(page for page in there if not page.startswith("examples/"))


def pages_in(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    for part in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from pages_in(part)


def test_the_parts_are_all_there() -> None:
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    parts = ["Home", "Get started", "Tutorial", "How-to", "Reference", "Explanation", "Help"]
    assert [next(iter(part)) for part in nav] == parts
