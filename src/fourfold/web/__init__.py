"""The page and its JSON API: a thin skin over the library. Nothing is computed here.

In: requests by HTTP.
Out: answers of `workers`, as pages and JSON.
Starlette and uvicorn are imported when a server is asked for, so that everything else works without them.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import NOTHING, MissingExtra
from .settings import Settings

if TYPE_CHECKING:
    from starlette.applications import Starlette

__all__ = ["Settings", "create_app", "serve"]


def create_app(settings: Settings | None = None) -> Starlette:
    """Return the ASGI application that answers questions and serves the page.

    Parameters
    ----------
    settings
        Limits and names; the defaults suit a page for oneself.

    Examples
    --------
    >>> app = create_app(Settings(workers=1))
    >>> "/api/recover" in [route.path for route in app.routes]
    True
    """
    app: Starlette = _room("app").create_app(settings or Settings())
    return app


def serve(settings: Settings | None = None, *, ready: Callable[[str], None] | None = None) -> None:
    """Serve the page until interrupted.

    Parameters
    ----------
    settings
        Where to listen, and the limits; port 0 takes a free one.
    ready
        Called once with the page's address when the server listens.
    """
    _room("server").serve(settings or Settings(), ready)


def _room(name: str) -> Any:
    for package in ("starlette", "uvicorn", "python_multipart"):
        try:
            import_module(package)
        except ImportError:
            problem, hint = f"needs {package}, which is not installed", 'pip install "fourfold[web]"'
            raise MissingExtra("missing_extra", "serve", problem, NOTHING, hint) from None
    return import_module(f".{name}", __name__)
