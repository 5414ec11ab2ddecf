"""Public names: brought in when they are used, so that a command loads only what it needs; and old ones, that warn.

A package imports its public names below ``if TYPE_CHECKING``, where type checkers and editors read them; the same lines
tell here where each name comes from. In the ``else`` stands ``__getattr__, __dir__ = when_used(__name__)``: type
checkers do not see it, so a name that is not there is an error to them.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from functools import cache, wraps
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any, ParamSpec, TypeVar
from warnings import warn

P = ParamSpec("P")
T = TypeVar("T")


def when_used(
    package: str, renamed: Mapping[str, str] = MappingProxyType({})
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package whose names are imported when they are first used.

    Parameters
    ----------
    package
        Its name.
    renamed
        Old names, each with the one to use instead, dotted where that is a name of a part: they still work, with a
        warning.
    """

    def imported(name: str) -> Any:
        if name in renamed:
            words = f"{package}.{name} is now {package}.{renamed[name]}, and goes in 0.2"
            warn(words, DeprecationWarning, stacklevel=2)
            part, _, name = renamed[name].rpartition(".")
            return getattr(import_module(f"{package}.{part}".rstrip(".")), name)
        if name not in homes(package):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = import_module(homes(package)[name], package)
        value = home if home.__name__ == f"{package}.{name}" else getattr(home, name)
        setattr(sys.modules[package], name, value)
        return value

    return imported, lambda: sorted({*vars(sys.modules[package]), *homes(package)})


@cache
def homes(package: str) -> dict[str, str]:
    """Return the module of each name that a package's source imports for type checkers."""
    loader = import_module(package).__loader__
    source = loader.get_source(package)  # type: ignore[union-attr]
    blocks = (node for node in ast.parse(source).body if isinstance(node, ast.If))
    imports = (line for block in blocks for line in block.body if isinstance(line, ast.ImportFrom))
    # From the package itself come its modules.
    return {alias.name: "." * line.level + (line.module or alias.name) for line in imports for alias in line.names}


def load(package: ModuleType) -> None:
    """Bring in all names of a package."""
    for name in homes(package.__name__):
        getattr(package, name)


def old_parameters(**renamed: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Let a function take parameters by their old names still, each given with the new one, with a warning.

    Examples
    --------
    >>> @old_parameters(seed="rng")
    ... def draw(rng: int) -> int:
    ...     return rng
    >>> import pytest
    >>> with pytest.warns(DeprecationWarning, match="`seed` of `draw` is now `rng`, and goes in 0.2"):
    ...     draw(seed=1)
    1
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def call(*arguments: P.args, **named: P.kwargs) -> T:
            for old in renamed.keys() & named.keys():
                words = f"`{old}` of `{function.__name__}` is now `{renamed[old]}`, and goes in 0.2"
                warn(words, DeprecationWarning, stacklevel=2)
                named[renamed[old]] = named.pop(old)
            return function(*arguments, **named)

        return call

    return decorate
