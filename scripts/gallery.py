"""Draw the pictures of the documentation: the code of docs/how-to/draw-pictures.md makes them, its links name them."""

from __future__ import annotations

import doctest
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fourfold import plots

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "how-to" / "draw-pictures.md"
FOLDER = ROOT / "docs" / "pictures"

_PIECE = re.compile(
    r"^```python\n(?P<code>.*?)^```$|\]\(\.\./pictures/(?P<name>[\w-]+\.svg)\)", re.MULTILINE | re.DOTALL
)


def charts() -> Iterator[tuple[str, Any]]:
    """Run the page's code from above and walk its pictures: a file's name, and the chart that stands before it."""
    names: dict[str, Any] = {}
    for piece in _PIECE.finditer(PAGE.read_text(encoding="utf-8")):
        if piece["name"]:
            yield piece["name"], names["chart"]
            continue
        test = doctest.DocTestParser().get_doctest(piece["code"], names, PAGE.name, str(PAGE), 0)
        runner = doctest.DocTestRunner()
        runner.run(test, clear_globs=False)
        if runner.failures:
            sys.exit(f"{PAGE.name} does not run")
        names = test.globs


def main() -> None:
    """Write every picture."""
    FOLDER.mkdir(exist_ok=True)
    for name, chart in charts():
        plots.save(chart, FOLDER / name)


if __name__ == "__main__":
    main()
