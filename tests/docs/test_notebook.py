"""The notebooks are what their pages say, small, without outputs, and they run."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import pytest

from ..conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

import notebook

#: How many cells end in a result that shows itself.
SHOWN = {"notebook.md": 3, "data-scientist.md": 1}


@pytest.mark.parametrize("page", notebook.PAGES, ids=lambda page: page.name)
def test_the_notebook_is_up_to_date(page: Path) -> None:
    text = page.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert text == notebook.written(page), "run python scripts/notebook.py"


@pytest.mark.parametrize("page", notebook.PAGES, ids=lambda page: page.name)
def test_the_notebook_runs_and_its_results_show_themselves(page: Path) -> None:
    read = json.loads(page.with_suffix(".ipynb").read_text(encoding="utf-8"))
    assert (read["nbformat"], read["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in read["cells"]}) == len(read["cells"])
    cells = [cell for cell in read["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 5
    names: dict[str, object] = {}
    shown = []
    for cell in cells:
        assert cell["outputs"] == []
        body = ast.parse("".join(cell["source"])).body
        last = ast.Expression(body.pop().value) if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        value = eval(compile(last, "cell", "eval"), names) if last else None
        if hasattr(value, "_repr_html_"):
            shown.append(value._repr_html_())
    assert len(shown) == SHOWN[page.name]
    assert all("<svg" in text for text in shown)
