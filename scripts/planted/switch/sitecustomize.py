"""The switch of planted faults. Python imports this at its start, in every process that has its folder on the path.

The fault whose number FOURFOLD_FAULT holds is on. Where FOURFOLD_REACHED names a file, each fault that is met is noted
there with the test that runs, once for each process. The file is opened at once: some tests watch what is opened later.
"""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable

_ON = int(os.environ.get("FOURFOLD_FAULT", "-1"))
_REACHED = os.environ.get("FOURFOLD_REACHED")


def _is_on(number: int) -> bool:
    return number == _ON


def _noting(path: str) -> Callable[[int], bool]:
    notes = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.set_inheritable(notes, False)
    # The dictionary behind os.environ is read as it is: that line runs millions of times.
    variables: dict[bytes, bytes] = vars(os.environ)["_data"]
    seen: set[tuple[int, bytes]] = set()

    def noted(number: int) -> bool:
        test = variables.get(b"PYTEST_CURRENT_TEST", b"")
        if (number, test) not in seen:
            seen.add((number, test))
            own = variables.get(b"FOURFOLD_TESTING") == b"%d" % os.getpid()
            os.write(notes, b"%d\t%s\t%s\n" % (number, b"within" if own else b"beside", test.rpartition(b" (")[0]))
        return False

    return noted


vars(builtins)["__fault__"] = _noting(_REACHED) if _REACHED else _is_on
