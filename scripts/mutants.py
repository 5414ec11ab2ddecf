"""Make deliberate faults in a copy of the project, and tell which of them no test notices.

``python scripts/mutants.py --folder mutants --count 100 --seed 1`` changes one thing at a time in a copy: a comparison,
a sign, a constant, a condition, what is returned. All changes are in the copy from the start, each behind a switch. So
all tests run once with every switch off, which tells the tests that meet a change; then each change is turned on, and
these tests run until one fails. All is kept in the folder, so that the same command goes on where it was stopped. It
takes an hour or more; ``--seconds`` limits it. It is not part of the tests.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from planted.changes import Fault, sampled, switched

ROOT: Final = Path(__file__).parent.parent
SWITCH: Final = Path(__file__).parent / "planted" / "switch"
#: Test files that run together while it is noted what they meet.
_FILES_AT_ONCE: Final = 8
#: The tests that are tried first: a few of each file, the fastest, of all files together so many seconds.
_FIRST_OF_A_FILE, _FIRST_SECONDS = 6, 15.0
# A fault that makes the program hang is noticed: tests may take so many times as long as without it.
_PATIENCE, _LEAST_PATIENCE = 5.0, 90.0
_LONGEST: Final = 3600.0
_PYTEST: Final = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:schemathesis")
_OPTIONS: Final = ("-o", "addopts=", "--import-mode=prepend", "--doctest-modules")


class Met(NamedTuple):
    """What is known of the tests when every switch is off."""

    #: How long each test that passes takes.
    seconds: Mapping[str, float]
    #: The tests that meet a fault in their own process.
    within: Mapping[int, frozenset[str]]
    #: The tests during which another process met it: a server or a worker that other tests may share.
    beside: Mapping[int, frozenset[str]]

    def first(self, number: int) -> list[str]:
        """Return the tests that are tried first."""
        by_file: dict[str, list[str]] = defaultdict(list)
        for test in self._fastest(self.within[number]):
            by_file[_file(test)].append(test)
        chosen: list[str] = []
        spent = 0.0
        for test in self._fastest(test for tests in by_file.values() for test in tests[:_FIRST_OF_A_FILE]):
            spent += self.seconds[test]
            if chosen and spent > _FIRST_SECONDS:
                break
            chosen.append(test)
        return chosen

    def _fastest(self, tests: Iterable[str]) -> list[str]:
        return sorted(tests, key=lambda test: (self.seconds[test], test))

    def stages(self, number: int) -> Iterator[list[str]]:
        """Yield the tests in the order in which they are tried: a few, then all that meet the fault.

        Where none meets it itself, a server or a worker may: then all tests of the folders where that was so.
        """
        first = self.first(number)
        yield first
        yield sorted(self.within[number] - {*first})
        folders = {_folder(test) for test in self.beside[number]} if not self.within[number] else set()
        yield sorted(test for test in self.seconds if _folder(test) in folders)


def _file(test: str) -> str:
    return test.partition("::")[0]


def _folder(test: str) -> str:
    return _file(test).rpartition("/")[0]


class Copy:
    """A copy of the project's files with switches in it, and tests that run there."""

    def __init__(self, folder: Path, count: int, seed: int) -> None:
        self.folder = folder.resolve()
        self.tree = self.folder / "tree"
        self._faults_file, self._wanted = self.folder / "faults.json", (count, seed)

    def make(self) -> None:
        """Copy what git knows and plant the faults, unless that was done before."""
        if self._faults_file.exists():
            known = json.loads(self._faults_file.read_text())
            if tuple(known["wanted"]) != self._wanted:
                raise SystemExit(f"{self.folder} holds other faults, of {known['wanted']}: give another folder")
            return
        shutil.rmtree(self.tree, ignore_errors=True)
        command = [shutil.which("git") or "git", "ls-files", "-z"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)  # noqa: S603
        for name in filter(None, listed.stdout.split("\0")):
            target = self.tree / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
        faults = sampled(self.tree, *self._wanted)
        for path in {fault.path for fault in faults}:
            here = {number: fault for number, fault in enumerate(faults) if fault.path == path}
            text = (self.tree / path).read_text(encoding="utf-8")
            (self.tree / path).write_text(switched(text, here), encoding="utf-8")
        kept = {"wanted": self._wanted, "faults": [asdict(fault) for fault in faults]}
        self._faults_file.write_text(json.dumps(kept, indent=1))

    @cached_property
    def faults(self) -> list[Fault]:
        """All faults, by their numbers."""
        listed = json.loads(self._faults_file.read_text())["faults"]
        return [Fault(**{**each, "start": tuple(each["start"]), "end": tuple(each["end"])}) for each in listed]

    def run(self, tests: Sequence[str], seconds: float, name: str, *options: str, **variables: str) -> bool | None:
        """Run tests in the copy; return whether they passed, and None where their time was up."""
        chosen = self.folder / f"{name}.txt"
        chosen.write_text("".join(f"{test}\n" for test in tests), encoding="utf-8")
        paths = os.pathsep.join(map(str, (SWITCH, self.tree / "src")))
        environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1", **variables}
        environment.setdefault("FOURFOLD_SHARED", str(ROOT.parent / "shared"))
        with subprocess.Popen(  # noqa: S603
            [sys.executable, *_PYTEST, *_OPTIONS, *options, f"@{chosen}"],
            cwd=self.tree,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            try:
                return process.wait(timeout=seconds) == 0
            except subprocess.TimeoutExpired:
                # Whatever the tests started goes with them.
                os.killpg(process.pid, 9)
                return None

    def note(self, number: int, files: Sequence[str]) -> None:
        """Run test files with every switch off, and note what they meet, unless that was done before."""
        tests, met, done = (self.folder / f"{name}_{number}" for name in ("tests", "met", "done"))
        if done.exists():
            return
        for left in (tests, met):
            left.unlink(missing_ok=True)
        notes = {"FOURFOLD_TESTS": str(tests), "FOURFOLD_REACHED": str(met)}
        # A test that fails, or a file that cannot be imported, must not hide the others: all run to the end.
        to_the_end = ("--maxfail=0", "--continue-on-collection-errors")
        self.run(files, _LONGEST, f"files_{number}", "-p", "planted_notes", *to_the_end, **notes)
        done.touch()
        print(f"what {len(files)} test files meet is noted: {', '.join(files)[:100]}", flush=True)

    def pieces(self) -> list[tuple[str, ...]]:
        """Return the test files in pieces, those that share a server together."""
        every = sorted(str(path.relative_to(self.tree)) for path in (self.tree / "tests").rglob("test_*.py"))
        sharing = [tuple(name for name in every if _folder(name) == folder) for folder in ("tests/web", "tests/data")]
        others = [name for name in every if not any(name in files for files in sharing)]
        # Neighbours are alike: dealt out, each piece takes about as long.
        count = -(-len(others) // _FILES_AT_ONCE)
        return [*sharing, *(tuple(others[start::count]) for start in range(count)), ("src",)]

    def met(self) -> Met:
        """Return what was noted."""
        seconds: dict[str, float] = defaultdict(float)
        failed: set[str] = set()
        for path in sorted(self.folder.glob("tests_*")):
            for line in path.read_text(encoding="utf-8").splitlines():
                test, outcome, took = json.loads(line)
                seconds[test] += took
                failed |= {test} if outcome != "passed" else set()
        able = {test: took for test, took in seconds.items() if test not in failed}
        sides: dict[str, dict[int, set[str]]] = {side: defaultdict(set) for side in ("within", "beside")}
        for path in sorted(self.folder.glob("met_*")):
            for line in path.read_text(encoding="utf-8").splitlines():
                number, side, test = line.split("\t", 2)
                if test in able:
                    sides[side][int(number)].add(test)
        numbers = range(len(self.faults))
        within, beside = ({n: frozenset(sides[side][n]) for n in numbers} for side in ("within", "beside"))
        print(f"{len(able)} tests pass with every switch off, {len(failed)} do not and are left out", flush=True)
        return Met(able, within, beside)


def judged(copy: Copy, number: int, met: Met) -> dict[str, Any]:
    """Turn a fault on and run the tests that meet it, until one notices."""
    ran = 0
    for stage, tests in enumerate(met.stages(number)):
        if not tests:
            continue
        patience = max(_LEAST_PATIENCE, _PATIENCE * sum(met.seconds[test] for test in tests))
        passed = copy.run(tests, patience, f"fault_{number}", FOURFOLD_FAULT=str(number))
        ran += len(tests)
        if not passed:
            return {"number": number, "noticed": True, "stage": stage, "hangs": passed is None, "tests": ran}
    return {"number": number, "noticed": False, "tests": ran}


def each_until(end: float, jobs: int, function: Callable[[Any], None], items: Iterable[Any]) -> None:
    """Call a function for each item, several at a time, and begin none after the end."""

    def called(item: Any) -> None:
        if time.monotonic() < end:
            function(item)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(called, items))


def main(arguments: list[str] | None = None) -> None:
    """Make the faults, and print which survive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where the copy and what is known are kept")
    parser.add_argument("--count", type=int, default=100, help="how many faults")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="nothing is begun after so many seconds")
    parser.add_argument("--jobs", type=int, default=1, help="how many test runs at a time")
    parser.add_argument("--again", type=int, nargs="*", default=[], help="judge these faults again, by their numbers,")
    parser.add_argument("--tests", nargs="*", default=[], help="with these test files, copied anew")
    given = parser.parse_args(arguments)
    end = time.monotonic() + given.seconds
    given.folder.mkdir(parents=True, exist_ok=True)
    copy = Copy(given.folder, given.count, given.seed)
    copy.make()
    each_until(end, given.jobs, lambda piece: copy.note(*piece), enumerate(copy.pieces()))
    if time.monotonic() > end:
        return
    results = Results(copy)
    if given.again:
        results.judge_again(given.again, given.tests)
    else:
        results.judge_all(given.jobs, end)
    results.show()


class Results:
    """What is known of each fault; it is written after each."""

    def __init__(self, copy: Copy) -> None:
        self._copy, self._file = copy, copy.folder / "results.json"
        listed = json.loads(self._file.read_text()) if self._file.exists() else []
        self._known: dict[int, dict[str, Any]] = {each["number"]: each for each in listed}

    def judge_all(self, jobs: int, end: float) -> None:
        """Judge the faults that are not judged yet."""
        met = self._copy.met()
        left = [number for number in range(len(self._copy.faults)) if number not in self._known]
        each_until(end, jobs, lambda number: self._add(judged(self._copy, number, met)), left)

    def judge_again(self, numbers: Sequence[int], files: Sequence[str]) -> None:
        """Judge faults that survived by test files that are new or changed since."""
        for name in files:
            shutil.copy2(ROOT / name, self._copy.tree / name)
        if not self._copy.run(files, _LONGEST, "again"):
            raise SystemExit("these tests fail with every switch off")
        for number in numbers:
            passed = self._copy.run(files, _LONGEST, "again", FOURFOLD_FAULT=str(number))
            if not passed:
                self._add({"number": number, "noticed": True, "hangs": passed is None, "tests": 0, "by": list(files)})

    def _add(self, result: dict[str, Any]) -> None:
        number = result["number"]
        self._known[number] = result
        self._file.write_text(json.dumps([self._known[known] for known in sorted(self._known)], indent=1))
        said = "noticed" if result["noticed"] else "SURVIVES"
        print(f"{number}: {self._copy.faults[number].name}: {said} ({result['tests']} tests)", flush=True)

    def show(self) -> None:
        """Print which faults survive."""
        survivors = [result for _, result in sorted(self._known.items()) if not result["noticed"]]
        print(f"{len(self._known)} faults, {len(survivors)} survive:")
        for result in survivors:
            fault = self._copy.faults[result["number"]]
            print(f"  {result['number']}: {fault.name} ({result['tests']} tests meet it)")


if __name__ == "__main__":
    main()
