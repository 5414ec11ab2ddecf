"""What benchmarks of long runs share: work that is timed over all its runs, stopped and resumed; outputs compared."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TextIO

#: How a run is stopped: by a key, by a system that shuts down, by force.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
#: Seconds between two looks at how large a process is.
_LOOK = 0.2


class Way(NamedTuple):
    """A way to do the same work: its name, what does it and tells its memory, and the file that comes out."""

    name: str
    work: Callable[[], float]
    output: Path


@dataclass
class Figures:
    """What work took over all its runs. Of a run that was killed together with this program nothing is known."""

    seconds: float = 0.0
    processor: float = 0.0
    #: What its first process took at most; 0 where that is not known.
    megabytes: float = 0.0
    runs: int = 0
    unknown: int = 0

    @property
    def words(self) -> str:
        """In how many runs it was done."""
        runs = f"{self.runs} runs" if self.runs > 1 else ""
        lost = f"{self.unknown} killed, their time is not known" if self.unknown else ""
        return ", ".join(filter(None, [runs, lost]))


def command(*arguments: str) -> list[str]:
    """Return fourfold's command."""
    return [sys.executable, "-m", "fourfold", *arguments]


def finish(asked: Sequence[str]) -> float:
    """Run a command to its end, and return how many megabytes its first process took.

    When this program is stopped, so is the command, which keeps what is done.
    """
    with tempfile.TemporaryFile("w+") as said:
        # In a session of its own: a key is passed on once, by us.
        work = subprocess.Popen(asked, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True)
        megabytes = 0.0
        try:
            while work.poll() is None:
                megabytes = max(megabytes, _memory(work.pid))
                time.sleep(_LOOK)
        except KeyboardInterrupt:
            work.send_signal(signal.SIGINT)
            work.wait()
            raise KeyboardInterrupt(_last_line(said)) from None
        if work.returncode not in (0, 1):
            sys.exit(_last_line(said))
    return megabytes


def _last_line(said: TextIO) -> str:
    said.seek(0)
    return (said.read().strip().splitlines() or ["Stopped."])[-1]


def _memory(process: int) -> float:
    """Return how many megabytes a process has taken at most so far, as Linux tells; 0 where that is not known."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


def stop_and_resume(asked: Sequence[str], most: int = 20) -> float:
    """Stop a command and all its processes at random moments, start it again each time, and let it end at last."""
    rng = random.Random(18)
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
        except KeyboardInterrupt:
            work.send_signal(signal.SIGINT)
            work.wait()
            raise
    megabytes = finish(asked) if sum(stops.values()) == most else 0.0
    told = ", ".join(f"{n} by {how}" for how, n in sorted(stops.items()))
    print(f"   stopped {sum(stops.values())} times ({told}) and resumed", file=sys.stderr, flush=True)
    return megabytes


def measure(way: Way) -> Figures:
    """Do work unless its output is there, and return what it took in all runs, earlier ones too."""
    note = way.output.with_name(f"{way.output.name}.figures.json")
    figures = Figures(**json.loads(note.read_text())) if note.exists() else Figures()
    if way.output.exists():
        return figures
    figures.unknown += 1
    note.write_text(json.dumps(asdict(figures)))
    with _stopped_by_requests():
        start, used = time.perf_counter(), _used()
        try:
            figures.megabytes = max(figures.megabytes, way.work())
        finally:
            figures.seconds += time.perf_counter() - start
            figures.processor += _used() - used
            figures.runs, figures.unknown = figures.runs + 1, figures.unknown - 1
            note.write_text(json.dumps(asdict(figures)))
    return figures


@contextmanager
def _stopped_by_requests() -> Iterator[None]:
    """Let a request to end be an interruption, so that what is done is kept."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def compare(noun: str, count: int, ways: Sequence[Way]) -> Figures:
    """Do the same work in several ways, print a table of what each took, and return what the first did.

    The last column tells whether all came out the same, byte by byte.
    """
    print(f"| {count:,} {noun}s | time | processor time for each | memory | sha256 of the output |", flush=True)
    print("|---|---:|---:|---:|---|")
    found: list[Figures] = []
    marks = set[str]()
    for way in ways:
        figures = measure(way)
        found.append(figures)
        marks.add(mark := _hash(way.output))
        name = f"{way.name} ({figures.words})" if figures.words else way.name
        took = f"{figures.seconds:,.0f} s | {_short(figures.processor / count)}"
        memory = f"{figures.megabytes:,.0f} MB" if figures.megabytes else ""
        print(f"| {name} | {took} | {memory} | `{mark[:16]}` |", flush=True)
    if len(ways) > 1:
        print(f"\n{'All outputs are equal, byte by byte.' if len(marks) == 1 else 'THE OUTPUTS DIFFER.'}")
    return found[0]


def tell_slope(noun: str, figures: Sequence[tuple[int, Figures]]) -> None:
    """Print what one more piece takes, from one size to the next."""
    for (few, less), (many, more) in pairwise(figures):
        slope = (more.processor - less.processor) / (many - few)
        print(f"From {few:,} to {many:,} {noun}s, each one more takes {_short(slope)} of processor time.")


def rows_of(output: Path) -> Iterator[dict[str, str]]:
    """Walk the rows of an output."""
    with output.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def counted(counts: Counter[str]) -> str:
    """Return counts in words."""
    return ", ".join(f"{n:,} {what}" for what, n in sorted(counts.items()))


def _short(seconds: float) -> str:
    return f"{seconds * 1e3:,.0f} ms" if seconds >= 0.01 else f"{seconds * 1e6:,.0f} µs"


def _hash(output: Path) -> str:
    with output.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _used() -> float:
    """Return the processor time of this process and of all of its own that have ended."""
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
