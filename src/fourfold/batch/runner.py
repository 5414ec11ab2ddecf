"""The one loop over work that is written as it is done: it goes on where it was stopped, and says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ..words import count_of
from .part_file import PartFile

Result = TypeVar("Result")


class Piece(NamedTuple):
    """Work that is done: what it adds to the file, how many rows are done then, and what going on from there needs."""

    data: bytes
    rows: int
    state: Mapping[str, Any]


def run(
    output: str | Path,
    about: Mapping[str, Any],
    work: Callable[[PartFile], Iterable[Piece]],
    finish: Callable[[PartFile], Result],
    *,
    noun: str = "row",
    of: str = "another table",
    total: int | None = None,
    progress: Callable[[float], None] | None = None,
    tell: Callable[[str], None] = lambda words: None,
) -> Result:
    """Write pieces of work to a file beside the output, and then finish it.

    Parameters
    ----------
    output
        The file that is meant.
    about
        What tells the same work from other work, as plain values.
    work
        Gives the pieces that are left, when it is told what is done.
    finish
        Puts the file in its place and returns the answer, when all is done.
    noun, of
        What is counted, and what other work is about.
    total
        How much work there is, where that is known.
    progress
        Called with the share of the work that is done.
    tell
        Called with words about what an earlier run has left.
    """
    with PartFile(output, about, noun) as part:
        part.total = total
        if part.rows:
            tell(f"An earlier run was interrupted: continues after the {count_of(part.rows, noun)} that were done.")
        elif part.about_before is not None:
            tell(f"An earlier run was interrupted, of {of} or with other options: all {noun}s are done anew.")
        for piece in work(part):
            part.add(*piece)
            if progress is not None and total and piece.data and part.rows:
                progress(part.rows / total)
        if progress is not None:
            progress(1.0)
        return finish(part)
