"""The questions as tools for assistants, by the Model Context Protocol: a thin skin over the library.

In: calls of tools.
Out: answers of `workers`, as text and JSON.
The package mcp is imported when a server is asked for, so that everything else works without it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from ..errors import NOTHING, MissingExtra

__all__ = ["serve"]


def serve(folders: Sequence[str] = (), *, time_limit: float = 20.0, ready: Callable[[], None] | None = None) -> None:
    """Answer an assistant's questions over standard input and output, until the input ends.

    Parameters
    ----------
    folders
        Folders whose files may be read; without any, no file is.
    time_limit
        Seconds that one question may take.
    ready
        Called once before the first question is waited for.
    """
    try:
        import_module("mcp")
    except ImportError:
        problem, hint = "needs mcp, which is not installed", 'pip install "fourfold[mcp]"'
        raise MissingExtra("missing_extra", "mcp", problem, NOTHING, hint) from None
    import_module(".server", __name__).serve(folders, time_limit, ready)
