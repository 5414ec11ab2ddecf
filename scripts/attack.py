"""Attack the library: ask it random questions of a kind, and judge each answer by an independent brute force.

``python scripts/attack.py recover --count 1000 --seed 1`` prints how many answers were wrong, and of these the smallest
question found. With ``--resume FILE`` the same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from attacks.kinds import KINDS
from attacks.running import KEPT, Progress, keep, run


def main(arguments: list[str] | None = None) -> int:
    """Run an attack; the exit code is 1 where an answer was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=sorted(KINDS), help="what is asked about")
    parser.add_argument("--count", type=int, required=True, help="how many questions, in all pieces together")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--resume", type=Path, help="a file that holds how far the attack has come")
    parser.add_argument("--seconds", type=float, help="no piece is begun after so many seconds")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--piece", type=int, default=500, help="questions in a piece")
    parser.add_argument("--keep", type=Path, default=KEPT, help="the file to which failing questions are appended")
    given = parser.parse_args(arguments)
    make = KINDS[given.kind]
    progress = Progress.read(given.resume, given.kind, given.seed)
    options = {"size": given.piece, "seconds": given.seconds, "jobs": given.jobs, "resume": given.resume}
    run(make, progress, given.count, **options)
    if progress.wrong:
        keep(make(), progress, given.keep)
    return 1 if progress.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
