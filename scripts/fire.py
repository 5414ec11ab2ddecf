"""Read broken files of any kind through every door: each must give a finding, or an error that says what is wrong.

``python scripts/fire.py csv pdf --count 1000 --seed 1`` breaks valid files by chance and in ways that are known to hurt
readers. A file that ends in a traceback, takes too long or too much memory, or makes a door touch anything else is
printed with its number; ``--keep FOLDER`` writes it there, made small. With ``--resume FOLDER`` the same command goes
on where it was stopped, and first reads the files again that failed: by now the fault may be fixed.
"""

from __future__ import annotations

import argparse
import base64
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

from attacks.running import Progress, case_of, run
from mutated.attack import FileAttack
from mutated.valid import KINDS

_MOST_SHOWN = 5


def main(arguments: list[str] | None = None) -> int:
    """Run the attack; the exit code is 1 where a file did harm."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}; all where none is named")
    parser.add_argument("--count", type=int, required=True, help="how many files of each kind, in all pieces together")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--resume", type=Path, metavar="FOLDER", help="where it is kept how far each kind has come")
    parser.add_argument("--seconds", type=float, help="no piece is begun after so many seconds")
    parser.add_argument("--piece", type=int, default=250, help="files in a piece, all read by one process")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where failing files are written, made small")
    given = parser.parse_args(arguments)
    if unknown := set(given.kinds) - set(KINDS):
        parser.error(f"unknown kind {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    start, wrong = time.monotonic(), 0
    for kind in given.kinds or KINDS:
        left = None if given.seconds is None else given.seconds - (time.monotonic() - start)
        wrong += fire(kind, given, left)
    return 1 if wrong else 0


def fire(kind: str, given: argparse.Namespace, seconds: float | None) -> int:
    """Read files of a kind; return how many did harm."""
    resume = None if given.resume is None else given.resume / f"{kind}.json"
    if resume is not None:
        resume.parent.mkdir(parents=True, exist_ok=True)
    make = partial(FileAttack, kind)
    progress = Progress.read(resume, kind, given.seed)
    _ask_again(make(), progress)
    progress.write(resume)
    run(make, progress, given.count, size=given.piece, seconds=seconds, resume=resume)
    attack = make()
    for number, problem in progress.wrong[:_MOST_SHOWN]:
        case = case_of(attack, kind, given.seed, number)
        print(f"{kind}, seed {given.seed}, number {number}, {case['name']}: {problem}")
        if given.keep is not None:
            case = attack.shrunk(case)
            given.keep.mkdir(parents=True, exist_ok=True)
            path = given.keep / f"{kind}-{given.seed}-{number}-{case['name']}"
            path.write_bytes(base64.b64decode(case["data"]))
            print(f"made small in {path}: {attack.problem(case)}")
    return len(progress.wrong)


def _ask_again(attack: FileAttack, progress: Progress) -> None:
    """Ask about the files again that failed, and count anew those that no longer do."""
    answers, wrong = Counter(progress.answers), []
    for number, _ in progress.wrong:
        answer, problem = attack.asked(case_of(attack, progress.kind, progress.seed, number))
        answers.update({"fault": -1})
        answers.update([answer])
        if problem is not None:
            wrong.append([number, problem])
    progress.answers, progress.wrong = dict(+answers), wrong


if __name__ == "__main__":
    sys.exit(main())
