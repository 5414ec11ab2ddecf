"""Long work in small pieces: what is done is kept at once, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias
from zlib import crc32

from fourfold import InputError, __version__

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
    """Make all calls, in so many processes of joblib, and return what each returned, by its name.

    A call is a function and its arguments; it returns plain JSON values, and its name must say all that decides them.
    What is done is kept in lines of a file with this `name` in the folder `output`. Lines of another version of this
    package are passed over, as are those that are not as they were written. `progress` is told the share that is done.
    """
    from joblib import Parallel, delayed

    if n_jobs == 0:
        raise InputError("bad_option", "n_jobs", "must not be 0", n_jobs, "1 for one process, -1 for all cores")
    file = None if output is None else Path(output) / f"{name}.jsonl"
    kept = {} if file is None else dict(_kept_lines(file))
    results = {call: kept[call] for call in calls if call in kept}
    if progress and results:
        progress(len(results) / len(calls))
    left = (delayed(_named)(call, *calls[call]) for call in calls if call not in results)
    new: Iterable[Any] = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)(left)
    for call, value in new:
        results[call] = value
        if file:
            line = {"version": __version__, "job": call, "found": value, "sum": _checksum(value)}
            with file.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(line) + "\n")
        if progress:
            progress(len(results) / len(calls))
    return results


def _checksum(value: Any) -> int:
    return crc32(json.dumps(value).encode())


def _named(name: str, function: Callable[..., Any], *arguments: Any) -> tuple[str, Any]:
    return name, function(*arguments)


def _kept_lines(file: Path) -> Iterator[tuple[str, Any]]:
    """Read what an earlier run has left; a line that was cut off is passed over, and ended for the next one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    if text and not text.endswith("\n"):
        file.write_text(text + "\n", encoding="utf-8")
    for line in text.splitlines():
        try:
            row = json.loads(line)
            if (row["version"], row["sum"]) == (__version__, _checksum(row["found"])):
                yield row["job"], row["found"]
        except (ValueError, KeyError, TypeError):
            continue
