"""Kill long work at random moments, let the same command go on, and compare what comes out with an undisturbed run.

    python scripts/kills.py --kills 20 --rows 100000 --documents 500 --seed 1

Two kinds of work are made by the seed: a review of many rows (`recover --table`) and a check of many documents. Each is
done once without a disturbance. Then, for each kill, it is started again from nothing, killed (SIGKILL) at a random
moment, and run by the same command until it ends. Its output must be the same, byte for byte, and nothing else may be
left beside it. A table says how many failed; the exit code is 1 where any did. With --keep DIR, work that was done
before by the same command is not done again, so that this, too, can be stopped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


@dataclass(frozen=True)
class Work:
    """Something long: what makes its input in a folder, the command, and the file that its output is."""

    name: str
    make: Callable[[Path, random.Random], None]
    arguments: tuple[str, ...]
    output: str
    #: Whether the output is what is printed.
    is_printed: bool = False

    def start(self, folder: Path) -> subprocess.Popen[bytes]:
        """Start it in a folder of its own, where its outputs and what it keeps are."""
        settings = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
        printed = (folder / (self.output if self.is_printed else "printed")).open("wb")
        call = [sys.executable, "-m", "fourfold", *self.arguments]
        with printed, (folder / "said").open("wb") as said:
            return subprocess.Popen(call, cwd=folder, env=settings, stdout=printed, stderr=said)  # noqa: S603


def make_table(rows: int) -> Callable[[Path, random.Random], None]:
    """Return what writes a table of reports that are quick to recover: two scores and the sizes of both classes."""

    def make(folder: Path, rng: random.Random) -> None:
        with (folder / "review.csv").open("w", encoding="utf-8") as file:
            file.write("study,positives,negatives,accuracy,recall\n")
            for row in range(rows):
                positives, negatives = rng.randint(5, 40), rng.randint(5, 40)
                tp, tn = rng.randint(0, positives), rng.randint(0, negatives)
                # A few are impossible; to say why takes longest.
                accuracy = (tp + tn) / (positives + negatives) + 0.05 * (rng.random() < 0.01)
                file.write(f"s{row},{positives},{negatives},{accuracy:.3f},{tp / positives:.2f}\n")

    return make


def make_documents(count: int) -> Callable[[Path, random.Random], None]:
    """Return what writes documents: markdown, CSV, HTML, LaTeX, each with a table of scores or a matrix with scores."""

    def make(folder: Path, rng: random.Random) -> None:
        (folder / "documents").mkdir()
        for number in range(count):
            ending = ("md", "csv", "html", "tex")[number % 4]
            text = _WRITERS[ending]([_scores(rng) for _ in range(rng.randint(1, 8))])
            (folder / "documents" / f"d{number:04d}.{ending}").write_text(text, encoding="utf-8")

    return make


def _scores(rng: random.Random) -> list[str]:
    positives, negatives = rng.randint(20, 300), rng.randint(20, 300)
    tp, tn = rng.randint(0, positives), rng.randint(0, negatives)
    accuracy = (tp + tn) / (positives + negatives) + rng.choice((0, 0, 0.01))
    return [str(positives), str(negatives), f"{accuracy:.4f}", f"{tp / positives:.3f}", f"{tn / negatives:.3f}"]


_HEADS = ["positives", "negatives", "accuracy", "sensitivity", "specificity"]


def _markdown(rows: list[list[str]]) -> str:
    lines = [" | ".join(row) for row in (_HEADS, ["---"] * 5, *rows)]
    return "# Results\n\n" + "\n".join(f"| {line} |" for line in lines) + "\n"


def _csv(rows: list[list[str]]) -> str:
    return "\n".join(",".join(row) for row in (_HEADS, *rows)) + "\n"


def _html(rows: list[list[str]]) -> str:
    lines = ["".join(f"<td>{cell}</td>" for cell in row) for row in (_HEADS, *rows)]
    return "<table>" + "\n".join(f"<tr>{line}</tr>" for line in lines) + "</table>\n"


def _tex(rows: list[list[str]]) -> str:
    lines = [" & ".join(row) + r" \\" for row in (_HEADS, *rows)]
    return "\\begin{tabular}{ccccc}\n" + "\n".join(lines) + "\n\\end{tabular}\n"


_WRITERS = {"md": _markdown, "csv": _csv, "html": _html, "tex": _tex}


def run(work: Work, folder: Path) -> tuple[int, float]:
    """Run work to its end; return its exit code and the seconds that it took."""
    start = time.monotonic()
    return work.start(folder).wait(), time.monotonic() - start


def killed(work: Work, folder: Path, after: float) -> bool:
    """Kill work after some seconds; tell whether it was still running."""
    process = work.start(folder)
    try:
        process.wait(timeout=after)
        return False
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True


def difference(work: Work, folder: Path, expected: bytes, ended: int, expected_end: int) -> str:
    """Say what is other than in an undisturbed run."""
    output = folder / work.output
    found = output.read_bytes() if output.is_file() else b""
    left = [path.name for path in folder.iterdir() if path.name.endswith((".part", ".json", ".new", ".jsonl"))]
    left += [str(path.relative_to(folder)) for path in (folder / "cache").rglob("*") if path.is_file()]
    if found != expected:
        return f"another output: {hashlib.sha256(found).hexdigest()[:12]}"
    if ended != expected_end:
        return f"another exit code: {ended}"
    return f"left behind: {', '.join(sorted(left))}" if left else ""


def attack(work: Work, kills: int, seed: int, kept: Path | None) -> list[Kill]:
    """Kill work so many times, and tell what became of each."""
    log = None if kept is None else kept / f"{work.name}-{seed}.json"
    done = [Kill(*one) for one in json.loads(log.read_text())] if log is not None and log.is_file() else []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        work.make(folder, random.Random(seed))
        ended, seconds = run(work, folder)
        expected = (folder / work.output).read_bytes()
        print(f"{work.name}: undisturbed {seconds:.1f} s, exit code {ended}, {len(expected):,} bytes", flush=True)
    for number in range(kills):
        if number == len(done):
            done.append(_kill(work, seed, random.Random(f"{seed} {number}").uniform(0, seconds), expected, ended))
            if log is not None:
                log.write_text(json.dumps(done))
        print(f"   kill {number + 1}: {done[number].words}", flush=True)
    return done[:kills]


class Kill(NamedTuple):
    """A kill: after how many seconds, whether work was going on, whether it was gone on with, and what went wrong."""

    after: float
    hit: bool
    resumed: bool
    problem: str

    @property
    def words(self) -> str:
        """Return what became of it."""
        became = "continued" if self.resumed else "done anew" if self.hit else "too late"
        return f"after {self.after:.1f} s, {became}, {self.problem or 'the same output'}"


def _kill(work: Work, seed: int, after: float, expected: bytes, expected_end: int) -> Kill:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        work.make(folder, random.Random(seed))
        hit = killed(work, folder, after)
        ended, _ = run(work, folder)
        resumed = b"continues after" in (folder / "said").read_bytes()
        return Kill(after, hit, resumed, difference(work, folder, expected, ended, expected_end))


def main(arguments: list[str] | None = None) -> int:
    """Attack both kinds of work, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=20, help="how many kills of each")
    parser.add_argument("--rows", type=int, default=100_000, help="rows of the review; 0 leaves it out")
    parser.add_argument("--documents", type=int, default=500, help="documents of the check; 0 leaves it out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder for what is done so far")
    given = parser.parse_args(arguments)
    if given.keep is not None:
        given.keep.mkdir(parents=True, exist_ok=True)
    works = [
        Work(
            f"review of {given.rows} rows",
            make_table(given.rows),
            ("recover", "--table", "review.csv", "-o", "verdicts.csv", "--bounds", "none"),
            "verdicts.csv",
        ),
        Work(
            f"check of {given.documents} documents",
            make_documents(given.documents),
            ("check", "documents", "--json"),
            "found.json.txt",
            is_printed=True,
        ),
    ]
    lines, failed = [], False
    for work, size in zip(works, (given.rows, given.documents), strict=True):
        if size:
            kills = attack(work, given.kills, given.seed, given.keep)
            wrong = sum(bool(kill.problem) for kill in kills)
            failed |= wrong > 0
            how = f"{len(kills)} ({sum(kill.resumed for kill in kills)} continued, the others began anew)"
            command = f"python scripts/kills.py --kills {given.kills} --rows {given.rows} --documents {given.documents}"
            lines.append(
                f"| {work.name}, killed and run again | {how} | {wrong} | {given.seed} "
                f"| `{command} --seed {given.seed}` |"
            )
    print("\n| attack | count | failures | seed | command |\n|---|---|---|---|---|")
    print("\n".join(lines))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
