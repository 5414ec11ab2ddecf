"""The old name of `fourfold.papers`; it goes in 0.2."""

from __future__ import annotations

from typing import Any
from warnings import warn

from . import papers


def __getattr__(name: str) -> Any:
    value = getattr(papers, name)
    warn(f"fourfold.reproduce.{name} is now fourfold.papers.{name}, and goes in 0.2", DeprecationWarning, stacklevel=2)
    return value
