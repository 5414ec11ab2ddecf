"""The scripts that write the reference, as modules."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest

from ..conftest import ROOT


@pytest.fixture
def reference(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return scripts/reference.py."""
    monkeypatch.syspath_prepend(ROOT / "scripts")
    return importlib.import_module("reference")
