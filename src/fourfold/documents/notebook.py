"""Notebooks: what their cells say and what their runs printed, each with the number of its cell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from . import html
from .parts import Inner, Part, numbered, unreadable

# Which form of an output is read, where there are several of the same.
_FORMS: Final = ("text/html", "text/markdown", "text/plain", "text/latex", "application/json")


def is_notebook(document: object) -> bool:
    """Tell whether a JSON document is a notebook."""
    return isinstance(document, dict) and (
        isinstance(document.get("cells"), list)
        or (isinstance(document.get("worksheets"), list) and "nbformat" in document)
    )


def parsed(text: str) -> Any:
    """Return a JSON document, or None where the text is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def read(document: object, name: str) -> Iterator[Part]:
    """Read the cells of a notebook in their order."""
    if not is_notebook(document) or not isinstance(document, dict):
        raise unreadable("a notebook", "it has no cells", name, "save it again from Jupyter")
    sheets = [sheet for sheet in document.get("worksheets") or [] if isinstance(sheet, dict)]
    cells = document.get("cells") or [cell for sheet in sheets for cell in _list(sheet.get("cells"))]
    for number, cell in enumerate(_list(cells), 1):
        if not isinstance(cell, dict):
            continue
        if cell.get("cell_type") != "code":
            yield Inner(tuple(numbered(_text(cell.get("source")), cell=str(number))))
            continue
        before = 0
        for form, text in _outputs(_list(cell.get("outputs"))):
            lines = [
                (place._replace(line=before + (place.line or 0)), line)
                for place, line in numbered(text, cell=str(number))
            ]
            before += len(lines)
            if form == "text/html":
                yield from html.read(lines)
            else:
                yield Inner(tuple(lines))


def _outputs(outputs: list[Any]) -> Iterator[tuple[str, str]]:
    """Walk over what a cell printed: its stream in one piece, of each result the form that says most."""
    stream: list[str] = []
    for output in outputs:
        if not isinstance(output, dict):
            continue
        if output.get("output_type") == "stream":
            stream.append(_text(output.get("text")))
            continue
        if stream:
            yield "text/plain", "".join(stream)
            stream = []
        forms = output.get("data")
        if not isinstance(forms, dict):
            # Notebooks of the third format name their forms without a kind.
            kinds = {"html": "text/html", "latex": "text/latex", "text": "text/plain"}
            forms = {form: output[kind] for kind, form in kinds.items() if kind in output}
        texts = {form: _text(forms[form]) for form in _FORMS if form in forms}
        if "text/html" in texts and len(texts) > 1 and "<t" not in texts["text/html"].casefold():
            del texts["text/html"]
        yield from list(texts.items())[:1]
    if stream:
        yield "text/plain", "".join(stream)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(part for part in value if isinstance(part, str))
    return json.dumps(value) if isinstance(value, dict) else ""
