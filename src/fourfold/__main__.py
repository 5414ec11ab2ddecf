"""``fourfold`` and ``python -m fourfold``: the command line, and what catches its faults."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NoReturn

EXIT_FAULT: Final = 70
EXIT_INTERRUPTED: Final = 130


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit. A fault of the program ends with 70, whatever it is: codes 0 to 3 are answers."""
    code: object = EXIT_FAULT
    try:
        if sys.stdout is None:
            raise OSError("the standard output is closed")
        # Imported here, so that a fault while importing is caught too.
        from .cli import main as run

        try:
            run(arguments)
        finally:
            # What cannot be written is known here; later Python would exit with a code of its own.
            sys.stdout.flush()
    except SystemExit as ended:
        code = ended.code
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except BaseException:  # a panic in a compiled package is no Exception
        with suppress(BaseException):
            _show_fault()
        # Send what is still to be written nowhere, if it cannot be written.
        try:
            sys.stdout.flush()
        except BaseException:
            with suppress(BaseException):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code if isinstance(code, int) else EXIT_FAULT)


def _show_fault() -> None:
    """Print where the fault is; what a file says cannot steer the terminal."""
    from traceback import format_exc

    from .words import harmless

    sys.stderr.write(harmless(format_exc()))


if __name__ == "__main__":
    main()
