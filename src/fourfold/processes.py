"""Work shared among processes, through joblib, so that any of its backends may be chosen around a call."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, Final, Generic, TypeVar

from .errors import FourfoldError, InputError, verbatim

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")

# Seconds between two looks whether the process that waits for the work is still there: it shall not work on for nobody.
_LOOK: Final = 1.0


def share(
    function: Callable[[Item], Outcome],
    items: Iterable[Item],
    n_jobs: int,
    *,
    in_order: bool = True,
    **options: Any,
) -> Iterator[Outcome]:
    """Yield what a function returns for each item, worked at by this many processes; 1 is this one, -1 all cores.

    Unless `in_order`, what is done first comes first. Where one of the processes is killed, all end, and that is an
    error: what was done is the caller's to keep.

    Examples
    --------
    >>> list(share(abs, [-1, 2], 1))
    [1, 2]
    """
    check_jobs(n_jobs)
    if n_jobs == 1:
        yield from map(function, items)
        return
    from concurrent.futures.process import BrokenProcessPool

    from joblib import delayed

    work = delayed(_Work(function))
    try:
        yield from _parallel(n_jobs, in_order, options)(work(item) for item in items)
    except BrokenProcessPool:
        problem, hint = "a process that worked at it has ended", "give fewer processes, or more memory, and try again"
        raise FourfoldError("process_ended", "n_jobs", problem, verbatim("no answer from it"), hint) from None


def share_in_pieces(
    function: Callable[[Item], Outcome], items: Iterable[Item], n_jobs: int, *, at_once: int, held: int
) -> Iterator[Outcome]:
    """Do the same, with so many items handed to a process at once, and for each process so many held together.

    Examples
    --------
    >>> list(share_in_pieces(abs, [-1, 2], 1, at_once=2, held=4))
    [1, 2]
    """
    if n_jobs == 1:
        yield from map(function, items)
        return
    from joblib import effective_n_jobs

    check_jobs(n_jobs)
    rest = iter(items)
    while batch := list(islice(rest, held * effective_n_jobs(n_jobs))):
        pieces = (batch[place : place + at_once] for place in range(0, len(batch), at_once))
        for outcomes in share(partial(_listed, function), pieces, n_jobs):
            yield from outcomes


def _listed(function: Callable[[Item], Outcome], items: Iterable[Item]) -> list[Outcome]:
    return list(map(function, items))


def _parallel(n_jobs: int, in_order: bool, options: Mapping[str, Any]) -> Any:
    from joblib import Parallel

    try:
        return Parallel(n_jobs=n_jobs, return_as="generator" if in_order else "generator_unordered", **options)
    except ValueError:  # a backend that gives everything at its end
        return Parallel(n_jobs=n_jobs, **options)


def check_jobs(n_jobs: int, argument: str = "n_jobs") -> None:
    """Refuse to work with no process."""
    if n_jobs == 0:
        raise InputError("bad_option", argument, "must not be 0", n_jobs, "1 for one process, -1 for all cores")


class _Work(Generic[Item, Outcome]):
    """A function that is called in another process, which ends when the one that asked is killed."""

    def __init__(self, function: Callable[[Item], Outcome]) -> None:
        self._function = function
        self._asked_by = os.getpid()

    def __call__(self, item: Item) -> Outcome:
        if os.getppid() == self._asked_by and not any(thread.name == _WATCH for thread in threading.enumerate()):
            threading.Thread(target=_watch, args=[self._asked_by], name=_WATCH, daemon=True).start()
        return self._function(item)


_WATCH: Final = "fourfold looks for its parent"


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)
