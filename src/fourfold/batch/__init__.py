"""Long work that may be stopped: what is done is on the disk, and the same call goes on from there.

In: pieces of work in their order, and what the work is about.
Out: files that are whole. `run` writes an output that grows piece by piece; `KeptLines` keeps values by name.
"""

from typing import TYPE_CHECKING

from ..names import when_used

if TYPE_CHECKING:
    from .kept_lines import KeptLines
    from .part_file import PartFile, Stopped, digest
    from .runner import Piece, run
else:
    __getattr__, __dir__ = when_used(__name__)

__all__ = ["KeptLines", "PartFile", "Piece", "Stopped", "digest", "run"]
