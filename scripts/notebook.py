"""Write docs/tutorial/notebook.ipynb: the words and the code of the page beside it, without outputs."""

from __future__ import annotations

import json
import re
from doctest import DocTestParser
from pathlib import Path
from typing import Any, Final

PAGE = Path(__file__).parent.parent / "docs" / "tutorial" / "notebook.md"
NOTEBOOK = PAGE.with_suffix(".ipynb")

_CODE: Final = re.compile(r"^```python\n(.*?)^```$\n?", re.MULTILINE | re.DOTALL)
_ONLY_ON_THE_PAGE: Final = re.compile(r"^<!-- not in the notebook -->\n.*?^<!-- -->\n+", re.MULTILINE | re.DOTALL)


def notebook() -> dict[str, Any]:
    """Return the notebook in its format of JSON."""
    text = _ONLY_ON_THE_PAGE.sub("", PAGE.read_text(encoding="utf-8"))
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


def written() -> str:
    """Return the notebook's text."""
    return json.dumps(notebook(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    NOTEBOOK.write_text(written(), encoding="utf-8")
