"""Prints constraints for pip: the lowest versions that pyproject.toml promises to work with.

The tools that check the project keep their versions from constraints.txt.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parent.parent
#: Extras for work on the project itself: nobody is promised a lowest version of these.
_WORK: Final = ("dev", "bench")
_REQUIREMENT: Final = re.compile(r"([\w.-]+)(?:\[[\w,-]+\])?([<>=!~\w.,]*)")


def lowest_versions(project: dict[str, Any]) -> dict[str, str]:
    """Return the lower bound of every package that the library or one of its extras needs."""
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *(line for name in extras if name not in _WORK for line in extras[name])]
    lowest: dict[str, str] = {}
    for name, bounds in _read(needed):
        if name == project["name"]:
            continue
        bound = re.search(r">=([\d.]+)", bounds)
        if not bound:
            sys.exit(f"{name}: has no lower bound in pyproject.toml. Hint: write {name}>=VERSION.")
        if lowest.setdefault(name, bound[1]) != bound[1]:
            sys.exit(f"{name}: has two lower bounds in pyproject.toml, {lowest[name]} and {bound[1]}.")
    return lowest


def _read(requirements: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Give the name of each requirement and what is said of its version."""
    for line in requirements:
        # What stands behind a semicolon tells for which versions of Python it is needed.
        parts = _REQUIREMENT.fullmatch(line.partition(";")[0].replace(" ", ""))
        if not parts:
            sys.exit(f"{line}: cannot be read as a requirement.")
        yield parts[1].lower(), parts[2]


def constraints() -> list[str]:
    """Return one line for pip for every package that is declared."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lowest = lowest_versions(project)
    tools = {name for name, _ in _read(project["optional-dependencies"]["dev"])} - set(lowest)
    pinned = _read((ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()[1:])
    versions = {name: f"=={version}" for name, version in lowest.items()}
    return sorted(name + version for name, version in (versions | {n: v for n, v in pinned if n in tools}).items())


if __name__ == "__main__":
    print("\n".join(constraints()))
