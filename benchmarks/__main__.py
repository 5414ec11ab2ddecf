"""Run the benchmarks named on the command line, or all of them; options after one name are its own."""

from __future__ import annotations

import importlib
import sys
from itertools import takewhile

ALL = (
    *("startup", "labels", "tables", "holes", "recover", "groups", "coverage", "false_alarms", "models", "plan"),
    *("certainty", "web", "page", "classes", "folds", "documents", "reviews", "protocols", "sizes", "units"),
)


def main(typed: list[str]) -> None:
    """Run what was typed."""
    names = list(takewhile(lambda word: not word.startswith("-"), typed))
    options = typed[len(names) :]
    for name in names or ALL:
        if name not in ALL:
            sys.exit(f"no benchmark {name!r}; there are {', '.join(ALL)}")
    if not options:
        for name in names or ALL:
            importlib.import_module(f".{name}", __package__).run()
        return
    own = getattr(importlib.import_module(f".{names[0]}", __package__), "main", None) if len(names) == 1 else None
    if own is None:
        sys.exit(f"options are for one benchmark that has some, such as reviews, got {' '.join(typed)}")
    own(options)


if __name__ == "__main__":
    main(sys.argv[1:])
