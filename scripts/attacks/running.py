"""How an attack is run: in pieces that can be resumed, with failing cases made small and kept."""

from __future__ import annotations

import json
import os
import time
import traceback
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

#: A question with all that is needed to ask it again, as JSON has it.
Case: TypeAlias = dict[str, Any]

#: Failing cases, made small; a test asks them again.
KEPT: Final = Path(__file__).parent.parent.parent / "tests" / "reference" / "kept_failures.json"

_SHRINK_SECONDS: Final = 60.0
_MOST_SHRUNK: Final = 5
_LONGEST_PROBLEM: Final = 600


class Wrong(Exception):
    """The library's answer is not the right one."""


def expect(fact: object, words: str, *shown: object) -> None:
    """Raise where something does not hold that must."""
    if not fact:
        raise Wrong(f"{words}: {', '.join(map(repr, shown))}" if shown else words)


class Attack(ABC):
    """A kind of questions: how one is made, how its answer is judged, and what smaller questions are like it."""

    #: What one question gives, in the plural.
    what: str = "reports"

    @abstractmethod
    def make(self, random: Random) -> Case:
        """Make a random question."""

    @abstractmethod
    def judge(self, case: Case) -> str:
        """Ask it; return the kind of answer, and raise where it is wrong."""

    def smaller(self, case: Case) -> Iterator[Case]:
        """Yield questions that are a little smaller."""
        return iter(())

    def problem(self, case: Case) -> str | None:
        """Return what is wrong with the answer to a question; None where it is right."""
        return self.asked(case)[1]

    def asked(self, case: Case) -> tuple[str, str | None]:
        """Return the kind of answer, and what is wrong with it."""
        try:
            return self.judge(case), None
        except Wrong as wrong:
            return "wrong", f"wrong: {wrong}"[:_LONGEST_PROBLEM]
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            words = f"fault: {type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
            return "fault", words[:_LONGEST_PROBLEM]

    def shrunk(self, case: Case) -> Case:
        """Return the smallest question found whose answer is still wrong in the same way."""
        end = time.monotonic() + _SHRINK_SECONDS
        # Smaller questions can be refused, or be wrong in a way that has nothing to do with this one.
        way = _words_of(self.problem(case))
        found = True
        while found and time.monotonic() < end:
            found = False
            for smaller in self.smaller(case):
                if time.monotonic() > end:
                    break
                if _words_of(self.problem(smaller)) == way:
                    case, found = smaller, True
                    break
        return case


def _words_of(problem: str | None) -> str:
    """Return the words of a problem, without what is shown of the question at hand."""
    return ":".join((problem or "").split(":")[:2])


def case_of(attack: Attack, kind: str, seed: int, number: int) -> Case:
    """Return the question with a number: the same whenever and wherever it is made."""
    # A text as a seed is hashed in the same way by every Python.
    return attack.make(Random(f"{kind} {seed} {number}"))


class Piece(NamedTuple):
    """A few questions that were asked: which answers they got, and the numbers of those that were wrong."""

    start: int
    stop: int
    answers: dict[str, int]
    wrong: list[tuple[int, str]]


def run_piece(make: Callable[[], Attack], kind: str, seed: int, start: int, stop: int) -> Piece:
    """Ask some questions."""
    attack, answers, wrong = make(), Counter[str](), []
    for number in range(start, stop):
        answer, problem = attack.asked(case_of(attack, kind, seed, number))
        answers[answer] += 1
        if problem is not None:
            wrong.append((number, problem))
    return Piece(start, stop, dict(answers), wrong)


@dataclass
class Progress:
    """How far an attack has come. It is written after each piece, so that the same command goes on from there."""

    kind: str
    seed: int
    done: int = 0
    seconds: float = 0.0
    answers: dict[str, int] = field(default_factory=dict)
    wrong: list[list[Any]] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path | None, kind: str, seed: int) -> Progress:
        """Read what was written, if it is of the same attack."""
        if path is None or not path.exists():
            return cls(kind, seed)
        known = cls(**json.loads(path.read_text(encoding="utf-8")))
        if (known.kind, known.seed) != (kind, seed):
            raise SystemExit(f"{path} is of attack {known.kind} with seed {known.seed}: give another file")
        return known

    def add(self, piece: Piece, seconds: float) -> None:
        """Take in a piece, which must be the next one."""
        assert piece.start == self.done
        self.done, self.seconds = piece.stop, round(self.seconds + seconds, 1)
        self.answers = dict(sorted((Counter(self.answers) + Counter(piece.answers)).items()))
        self.wrong += map(list, piece.wrong)

    def write(self, path: Path | None) -> None:
        """Write it, whole or not at all."""
        if path is not None:
            beside = path.with_suffix(".part")
            beside.write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")
            os.replace(beside, path)

    def shown(self, what: str) -> str:
        """Say it in a line or a few."""
        answers = ", ".join(f"{count} {name}" for name, count in self.answers.items())
        counts = f"{self.kind}: {self.done} {what}, {len(self.wrong)} wrong, seed {self.seed}"
        return f"{counts} ({answers}) in {self.seconds:.0f} s"


def pieces(done: int, count: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the pieces that are left."""
    while done < count:
        yield done, min(done + size, count)
        done += size


def run(
    make: Callable[[], Attack],
    progress: Progress,
    count: int,
    *,
    size: int,
    seconds: float | None = None,
    jobs: int = 1,
    resume: Path | None = None,
) -> Progress:
    """Ask questions up to a count, or until the time is up; the state is written after each piece."""
    start = last = time.monotonic()

    def left() -> Iterator[tuple[int, int]]:
        for piece in pieces(progress.done, count, size):
            if seconds is not None and time.monotonic() - start > seconds:
                return
            yield piece

    for found in _answered(make, progress, left(), jobs):
        progress.add(found, time.monotonic() - last)
        last = time.monotonic()
        progress.write(resume)
        print(progress.shown(make().what), flush=True)
    return progress


def _answered(
    make: Callable[[], Attack], progress: Progress, left: Iterator[tuple[int, int]], jobs: int
) -> Iterator[Piece]:
    """Yield pieces in order, each with its answers."""
    arguments = (make, progress.kind, progress.seed)
    if jobs == 1:
        yield from (run_piece(*arguments, *piece) for piece in left)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting: list[Future[Piece]] = []
        while True:
            waiting += [pool.submit(run_piece, *arguments, *piece) for piece in islice(left, 2 * jobs - len(waiting))]
            if not waiting:
                return
            yield waiting.pop(0).result()


def keep(attack: Attack, progress: Progress, path: Path) -> None:
    """Make failing questions small, print them, and append them to those that are kept."""
    kept: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    for number, _ in progress.wrong[:_MOST_SHRUNK]:
        case = attack.shrunk(case_of(attack, progress.kind, progress.seed, number))
        problem = attack.problem(case)
        print(f"{progress.kind}, seed {progress.seed}, number {number}: {problem}")
        print(json.dumps(case, ensure_ascii=False))
        entry = {"kind": progress.kind, "case": case, "problem": problem}
        if all(other["case"] != case for other in kept):
            kept.append(entry)
    lines = ",\n".join(f" {json.dumps(entry, ensure_ascii=False)}" for entry in kept)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
