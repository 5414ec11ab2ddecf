"""What the benchmarks share: timing a call, and one line a comparison."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager


def seconds(call: Callable[[], object], repeats: int = 3) -> float:
    """Return the fastest of a few runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def side_by_side(calls: Sequence[Callable[[], object]], repeats: int) -> list[float]:
    """Return the fastest run of each of some calls, made in turns: what slows the machine down slows all of them."""
    best = [float("inf")] * len(calls)
    for _ in range(repeats):
        best = [min(least, seconds(call, 1)) for least, call in zip(best, calls, strict=True)]
    return best


def compare(what: str, ours: float, peer: str, theirs: float, note: str = "") -> None:
    """Print one comparison as times and their ratio."""
    ratio = theirs / ours
    print(f"{what:<52} fourfold {_time(ours):>9}   {peer} {_time(theirs):>9}   {ratio:>8.1f} times as fast   {note}")


def alone(what: str, ours: float, note: str = "") -> None:
    """Print a time that no peer has."""
    print(f"{what:<52} fourfold {_time(ours):>9}   {note}")


def _time(value: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-6:.3g} µs"


@contextmanager
def silent() -> Iterator[None]:
    """Send to nowhere what a process of its own, such as a peer's solver, prints."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def peak(call: str) -> float:
    """Return how many megabytes a process of its own takes at most, as Linux tells."""
    # What `resource` says of a child starts at its parent's size.
    asked = "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    code = f"import fourfold as ff; {call}; {asked}"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    line = next(line for line in ended.stdout.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024
