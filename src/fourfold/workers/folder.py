"""The folder of a server, locked while the server runs: so the next one can tell what a killed one left behind."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

_PREFIX: Final = "fourfold-"
_LOCK: Final = "lock"


class Folder:
    """A new folder for files of a server.

    Examples
    --------
    >>> folder = Folder()
    >>> Folder.remove_leftovers()
    >>> folder.path.exists()
    True
    >>> folder.remove()
    >>> folder.path.exists()
    False
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock = _locked(self.path)

    def remove(self) -> None:
        """Remove the folder with all that it holds."""
        # Where a file that is open cannot be removed, it must be closed first.
        self._lock.close()
        shutil.rmtree(self.path, ignore_errors=True)

    @staticmethod
    def remove_leftovers() -> None:
        """Remove the folders of servers of this user that run no more."""
        for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
            with suppress(OSError):
                if _is_left_behind(path):
                    shutil.rmtree(path, ignore_errors=True)


def _locked(folder: Path) -> IO[bytes]:
    """Return a file of a folder that is locked as long as it is open. Nobody sees it before it is locked."""
    new = folder / f"{_LOCK}.new"
    lock = new.open("wb")
    if sys.platform == "win32":
        lock.close()
        new.rename(folder / _LOCK)
        return (folder / _LOCK).open("rb")
    import fcntl

    fcntl.flock(lock, fcntl.LOCK_EX)
    new.rename(folder / _LOCK)
    return lock


def _is_left_behind(folder: Path) -> bool:
    """Tell whether no server holds the lock of a folder; OSError where one does, or where it is not ours."""
    lock = folder / _LOCK
    if sys.platform == "win32":
        lock.unlink()  # cannot be done while it is open
        return True
    import fcntl

    if folder.lstat().st_uid != os.getuid():
        return False
    with lock.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return True
