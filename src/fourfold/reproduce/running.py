"""Long work in small jobs: what is done is kept at once, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias
from zlib import crc32

from .. import __version__
from ..errors import InputError

#: A function and what it is called with.
Job: TypeAlias = tuple[Any, ...]


def done(
    jobs: Mapping[str, Job],
    *,
    output: str | Path | None,
    name: str,
    n_jobs: int = 1,
    progress: Callable[[float], None] | None = None,
) -> dict[str, Any]:
    """Do all jobs and return what each found, by its name.

    Parameters
    ----------
    jobs
        By name a function and its arguments; it is called in some process and returns plain JSON values. The name must
        say all that decides the answer.
    output, name
        A folder, and the name of a file of lines there for what is done; None keeps nothing. Lines of another version
        of this package are passed over, as are those that are not as they were written.
    n_jobs
        How many processes work at it, through joblib.
    progress
        Called with the share that is done.
    """
    from joblib import Parallel, delayed

    if n_jobs == 0:
        raise InputError("bad_option", "n_jobs", "must not be 0", n_jobs, "1 for one process, -1 for all cores")
    cache = None if output is None else Path(output) / f"{name}.jsonl"
    text = cache.read_text(encoding="utf-8", errors="replace") if cache and cache.is_file() else ""
    earlier = dict(_earlier(text))
    found = {job: earlier[job] for job in jobs if job in earlier}
    if cache:
        cache.parent.mkdir(parents=True, exist_ok=True)
        if text and not text.endswith("\n"):
            # A line that was cut off ends here, so that the next one is a line of its own.
            cache.write_text(text + "\n", encoding="utf-8")
    if progress and found:
        progress(len(found) / len(jobs))
    left = (delayed(_named)(job, *jobs[job]) for job in jobs if job not in found)
    results: Iterable[Any] = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)(left)
    for job, value in results:
        found[job] = value
        if cache:
            with cache.open("a", encoding="utf-8") as file:
                line = {"version": __version__, "job": job, "found": value, "sum": _checksum(value)}
                file.write(json.dumps(line) + "\n")
        if progress:
            progress(len(found) / len(jobs))
    return found


def _checksum(value: Any) -> int:
    return crc32(json.dumps(value).encode())


def _named(name: str, work: Callable[..., Any], *arguments: Any) -> tuple[str, Any]:
    return name, work(*arguments)


def _earlier(text: str) -> Iterator[tuple[str, Any]]:
    """Read what an earlier run has left; a line cut off in the middle is passed over."""
    for line in text.splitlines():
        try:
            row = json.loads(line)
            if (row["version"], row["sum"]) == (__version__, _checksum(row["found"])):
                yield row["job"], row["found"]
        except (ValueError, KeyError, TypeError):
            continue
