"""Write the notebooks of the documentation: the words and the code of the page beside each, without outputs."""

from __future__ import annotations

import json
import re
from doctest import DocTestParser
from pathlib import Path
from typing import Any, Final

DOCS = Path(__file__).parent.parent / "docs"
PAGES: Final = (DOCS / "tutorial" / "notebook.md", DOCS / "start" / "data-scientist.md")

_CODE: Final = re.compile(r"^```python\n(.*?)^```$\n?", re.MULTILINE | re.DOTALL)
_ONLY_ON_THE_PAGE: Final = re.compile(r"^<!-- not in the notebook -->\n.*?^<!-- -->\n+", re.MULTILINE | re.DOTALL)


def notebook(page: Path) -> dict[str, Any]:
    """Return the notebook of a page in its format of JSON."""
    text = _ONLY_ON_THE_PAGE.sub("", page.read_text(encoding="utf-8"))
    cells: list[dict[str, Any]] = []
    for i, piece in enumerate(_CODE.split(text)):
        source = _statements(piece) if i % 2 else piece.strip()
        if source:
            cells.append(_cell(f"cell-{len(cells) + 1}", source, is_code=bool(i % 2)))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _statements(session: str) -> str:
    """Return the code of a session, without prompts and what it prints."""
    return "".join(example.source for example in DocTestParser().get_examples(session)).rstrip()


def _cell(name: str, source: str, *, is_code: bool) -> dict[str, Any]:
    more: dict[str, Any] = {"execution_count": None, "outputs": []} if is_code else {}
    kind = "code" if is_code else "markdown"
    return {"cell_type": kind, "id": name, "metadata": {}, "source": source.splitlines(keepends=True)} | more


def written(page: Path) -> str:
    """Return the text of a page's notebook."""
    return json.dumps(notebook(page), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for page in PAGES:
        page.with_suffix(".ipynb").write_text(written(page), encoding="utf-8")
