"""Pages in a real browser, Debian's Chromium driven by Playwright, and what is done to them by hand."""

from __future__ import annotations

import re
import shutil
from typing import Any
from urllib.parse import urlencode

import pytest

from ..conftest import ROOT

sync_api = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")
CHROMIUM = shutil.which("chromium")
if CHROMIUM is None:
    pytest.skip("needs Debian's package chromium", allow_module_level=True)
for name in ("altair", "vl_convert", "duckdb"):
    pytest.importorskip(name, reason="needs fourfold[plots,data]")

expect = sync_api.expect
EXAMPLES = ROOT / "docs" / "examples"
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
# Charts and verdicts come soon; a loaded machine may take longer.
PATIENCE = 120_000
#: 87 of 100 and 195 of 200 are 282 of 300 right, which is 0.94.
TWO_MODELS = "Model\tAccuracy\tSensitivity\tSpecificity\nA\t0.9400\t0.8700\t0.9750\nB\t0.9567\t0.8700\t0.9750\n"


class Watched:
    """Pages that are watched: what the console said, and whom they asked."""

    def __init__(self, browser: Any, context: Any, server: str) -> None:
        self.browser, self.context, self.server = browser, context, server.rstrip("/")
        self.said: list[str] = []
        self.asked: list[str] = []
        self.opened: list[Any] = []

    def open(self, path: str = "/#recover", **options: Any) -> Any:
        context = self.browser.new_context(**options) if options else self.context
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        self.opened.append(context if options else page)
        page.on("console", lambda message: self.said.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("dialog", lambda dialog: self.said.append(f"dialog: {dialog.message}") or dialog.dismiss())
        page.goto(self.server + path)
        return page

    def complaints(self) -> list[str]:
        """Return what went wrong; an answer of the server that says no is none."""
        refused = re.compile(r"Failed to load resource: the server responded with a status of 4\d\d")
        return [text for text in self.said if not refused.match(text)]


def link(tab: str, query: dict[str, str] | list[tuple[str, str]]) -> str:
    return f"/?{urlencode(query)}#{tab}"


def drop(page: Any, zone: str, *files: tuple[str, str]) -> None:
    """Drop files onto the page as a hand does."""
    # Before the scripts have run nobody would take them.
    page.locator("#r-scores li").first.wait_for(state="attached")
    made = page.evaluate_handle(
        """(files) => {
            const data = new DataTransfer();
            for (const [name, text] of files) data.items.add(new File([text], name));
            return data;
        }""",
        [list(file) for file in files],
    )
    page.dispatch_event(zone, "drop", {"dataTransfer": made})


def example(name: str) -> tuple[str, str]:
    return name, (EXAMPLES / name).read_text()
