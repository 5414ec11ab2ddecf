"""What is remembered stays bounded: a server answers questions about ever new metrics and files for months."""

from __future__ import annotations

import importlib
import pkgutil

import fourfold

#: Their keys are classes or files of the package itself, or there is none.
_FEW_KEYS = {
    *("fourfold.shape.members", "fourfold.shape._columns", "fourfold.shape._hints"),
    *("fourfold.documents.markdown._parser", "fourfold.documents.pdf_limits._watch_pdfminer"),
    *("fourfold.papers.paper.table", "fourfold.names.homes"),
}


def unbounded() -> set[str]:
    found = set()
    for module in pkgutil.walk_packages(fourfold.__path__, "fourfold."):
        if module.name.endswith("__main__"):
            continue
        try:
            held = vars(importlib.import_module(module.name)).values()
        except ImportError:
            continue  # needs an extra
        for value in held:
            if callable(getattr(value, "cache_parameters", None)) and value.cache_parameters()["maxsize"] is None:
                found.add(f"{value.__module__}.{value.__qualname__}")
    return found


def test_caches_are_bounded() -> None:
    assert unbounded() - _FEW_KEYS == set()
