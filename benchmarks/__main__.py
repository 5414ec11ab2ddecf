"""Run the benchmarks named on the command line, or all of them."""

from __future__ import annotations

import importlib
import sys

ALL = (
    *("startup", "labels", "tables", "holes", "recover", "groups", "coverage", "false_alarms", "models", "plan"),
    *("certainty", "web", "classes", "drive", "folds", "documents", "reviews"),
)

if __name__ == "__main__":
    for name in sys.argv[1:] or ALL:
        if name not in ALL:
            sys.exit(f"no benchmark {name!r}; there are {', '.join(ALL)}")
        importlib.import_module(f".{name}", __package__).run()
