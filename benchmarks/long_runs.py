"""What benchmarks of long runs share: a command timed, or stopped at random moments and resumed; equal outputs."""

from __future__ import annotations

import hashlib
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from .timing import alone

#: How a run is stopped: by a key, by a system that shuts down, by force.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)


def command(*arguments: str) -> list[str]:
    """Return fourfold's command."""
    return [sys.executable, "-m", "fourfold", *arguments]


def finish(words: str, asked: Sequence[str], output: Path, pieces: int) -> None:
    """Run a command to its end, unless its output is there, and tell what it took."""
    if output.exists():
        return
    start, used = time.perf_counter(), _used()
    ended = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert ended.returncode in (0, 1), ended.stderr
    resumed = ", the rest of an earlier run" if "earlier run" in ended.stderr else ""
    note = f"{(_used() - used) / pieces * 1e6:,.0f} µs of processor time for each"
    alone(words + resumed, time.perf_counter() - start, note)


def stop_and_resume(words: str, asked: Sequence[str], output: Path, pieces: int, most: int = 20) -> None:
    """Stop a command and all its processes at random moments, start it again each time, and let it end at last."""
    rng = random.Random(18)
    output.unlink(missing_ok=True)
    stops = Counter[str]()
    patience = 4.0
    nowhere = subprocess.DEVNULL
    while sum(stops.values()) < most:
        work = subprocess.Popen(asked, stdout=nowhere, stderr=nowhere, start_new_session=True)
        try:
            work.wait(rng.uniform(1.0, patience))
            break
        except subprocess.TimeoutExpired:
            how = rng.choice(SIGNALS)
            os.killpg(work.pid, how)
            work.wait()
            stops[how.name] += 1
            patience *= 1.2
    finish(words, asked, output, pieces)
    told = ", ".join(f"{n} by {how}" for how, n in sorted(stops.items()))
    print(f"   stopped {sum(stops.values())} times ({told}) and resumed")


def compare_outputs(outputs: Iterable[Path]) -> None:
    """Tell whether files are equal, byte by byte."""
    marks = {}
    for output in outputs:
        with output.open("rb") as file:
            marks[output.stem] = hashlib.file_digest(file, "sha256").hexdigest()
    equal = len(set(marks.values())) == 1
    print(f"   {'equal, byte by byte' if equal else 'NOT EQUAL'}: {', '.join(marks)}")


def _used() -> float:
    """Return the processor time of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
