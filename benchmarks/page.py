"""The page in a real browser: after the last key, how long until the answer is there, and its picture.

No peer has such a page, so times stand alone. It needs Debian's Chromium, as the tests of the page do, and a quiet
machine.
"""

from __future__ import annotations

import shutil
import statistics
from typing import Any, Final, NamedTuple

from .web import served

_CLINICS: Final = "group=14,11,7,38,East&group=2,3,0,7,Island&group=73,13,20,134,North&group=51,14,12,73,South"
_PASTED: Final = "Model\tAccuracy\tSensitivity\tSpecificity\nA\t0.9400\t0.8700\t0.9750\nB\t0.95{}7\t0.8700\t0.9750\n"


class Tab(NamedTuple):
    """What is asked first, the field that changes with its place among its kind, what is typed, and the answer."""

    address: str
    field: str
    place: int
    text: str
    body: str


_TABS: Final = (
    Tab("positives=994&negatives=1006&accuracy=0.898&f1=0.8968#recover", "#r-scores li input", 1, "0.89{}", "#r-body"),
    Tab("positives=100&negatives=200#check", "#k-text", 0, _PASTED, "#k-body"),
    Tab(f"{_CLINICS}&metric=recall#groups", "#g-rows input", 1, "1{}", "#g-body"),
)
_TYPE: Final = """async ([field, number, text, body]) => {
  const typed = document.querySelectorAll(field)[number], place = document.querySelector(body);
  for (const old of place.querySelectorAll("figure .drawing svg")) old.remove();
  const start = performance.now();
  let answer = null;
  const pictured = new Promise((tell) => {
    const look = () => {
      if (answer === null && place.ariaBusy !== "true" && place.querySelector(".card")) answer = performance.now();
      if (answer === null || !place.querySelector("figure .drawing svg")) return;
      watch.disconnect();
      tell(performance.now());
    };
    const watch = new MutationObserver(look);
    watch.observe(place, { childList: true, subtree: true, attributes: true });
  });
  typed.value = text;
  typed.dispatchEvent(new Event("input", { bubbles: true }));
  const picture = await pictured;
  return [answer - start, picture - start];
}"""
_BROWSER: Final = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def run(times: int = 10) -> None:
    """Type into each tab, and print how long answers and pictures take."""
    from playwright.sync_api import sync_playwright

    if (chromium := shutil.which("chromium")) is None:
        print("page: needs Chromium, Debian's package chromium")
        return
    with served() as (port, _), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=list(_BROWSER))
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        for tab in _TABS:
            page.goto("about:blank")
            page.goto(f"http://127.0.0.1:{port}/?{tab.address}")
            page.wait_for_timeout(2000)
            _tell(tab.address.rpartition("#")[2], [_typed(page, tab, number) for number in range(times)])
        browser.close()


def _typed(page: Any, tab: Tab, number: int) -> tuple[float, float]:
    page.wait_for_timeout(300)
    answer, picture = page.evaluate(_TYPE, [tab.field, tab.place, tab.text.format(number), tab.body])
    return answer, picture


def _tell(tab: str, found: list[tuple[float, float]]) -> None:
    answers, pictures = zip(*found, strict=True)
    print(
        f"{tab}: answer after {statistics.median(answers):.0f} ms (at most {max(answers):.0f}), "
        f"picture after {statistics.median(pictures):.0f} ms (at most {max(pictures):.0f}), {len(found)} times"
    )


if __name__ == "__main__":
    run()
