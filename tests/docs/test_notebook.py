"""The notebook of the tutorial is what its page says, small, without outputs, and it runs."""

from __future__ import annotations

import ast
import json
import sys

from ..conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

import notebook


def test_the_notebook_is_up_to_date() -> None:
    assert notebook.NOTEBOOK.read_text(encoding="utf-8") == notebook.written(), "run python scripts/notebook.py"


def test_the_notebook_runs_and_its_results_show_themselves() -> None:
    read = json.loads(notebook.NOTEBOOK.read_text(encoding="utf-8"))
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
    assert len(shown) == 3
    assert all("<svg" in text for text in shown)
