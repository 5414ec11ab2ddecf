"""Long work in small pieces: what is done is kept at once, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from fourfold import __version__
from fourfold.batch import KeptLines, Stopped
from fourfold.data import cannot_be_written
from fourfold.processes import share

#: A function and what it is called with.
Call: TypeAlias = tuple[Any, ...]
#: Called with the share that is done.
Progress: TypeAlias = Callable[[float], None]


def run_all(
    calls: Mapping[str, Call],
    *,
    name: str,
    output: str | Path | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Make all calls, in this many processes of joblib, and return what each returned, by its name.

    A call is a function and its arguments; it returns plain JSON values, and its name must say all that decides them.
    What is done is kept in lines of a file with this `name` in the folder `output`. Lines of another version of this
    package are left out, as are those that are not as they were written. `progress` is told the share that is done.
    """
    results: dict[str, Any] = {}
    with _kept(output, name) as kept:
        if kept is not None:
            results |= {call: kept.values[call] for call in calls if call in kept.values}
        if progress and results:
            progress(len(results) / len(calls))
        left = [(call, *calls[call]) for call in calls if call not in results]
        for call, value in share(_named, left, n_jobs, in_order=False, batch_size=1):
            # As it is read again, so that it is the same in every run.
            results[call] = json.loads(json.dumps(value))
            if kept is not None:
                kept.add(call, value)
            if progress:
                progress(len(results) / len(calls))
    return {call: results[call] for call in calls}


def _named(call: Call) -> tuple[str, Any]:
    name, function, *arguments = call
    return name, function(*arguments)


@contextmanager
def _kept(folder: str | Path | None, name: str) -> Iterator[KeptLines | None]:
    """Open what an earlier run has left, and say how it goes on where this one is stopped."""
    goes_on = "Nothing is kept without -o." if folder is None else "The same command continues from here."
    try:
        if folder is None:
            yield None
            return
        Path(folder).mkdir(parents=True, exist_ok=True)
        with KeptLines(Path(folder) / f"{name}.jsonl", __version__, folder) as kept:
            yield kept
    except KeyboardInterrupt:
        raise Stopped(f"Stopped. {goes_on}") from None
    except OSError as error:
        if error.filename is not None or folder is None:
            raise
        hint = "check the path and the disk; the same command continues from here"
        raise cannot_be_written(error, folder, hint=hint) from None
