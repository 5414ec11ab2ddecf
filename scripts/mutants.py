"""Make deliberate faults in a copy of the project, and tell which of them no test notices.

``python scripts/mutants.py --folder mutants --count 100 --seed 1`` first runs every test file once with coverage, to
know which lines it reaches; then it changes one thing at a time, a comparison, a sign, a constant, a condition, what is
returned, and runs the test files that reach the line, the fastest first. All is kept in the folder, so that the same
command goes on where it was stopped. It takes hours; ``--seconds`` limits it. It is not part of the tests.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

ROOT: Final = Path(__file__).parent.parent
#: A test file may take so long, and all test files of one fault together.
_FILE_SECONDS: Final = 900
_FAULT_SECONDS: Final = 1800
# A fault that makes the program hang is noticed: a test file may take so many times as long as without it.
_PATIENCE, _LEAST_PATIENCE = 5.0, 60.0
_PYTEST: Final = (
    "-m",
    "pytest",
    "-q",
    "-x",
    "-n0",
    "-p",
    "no:cacheprovider",
    "-o",
    "addopts=",
    "--import-mode=prepend",
)

_COMPARED: Final[Mapping[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_COMPUTED: Final[Mapping[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
}
_CALLED: Final = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum"}


@dataclass(frozen=True)
class Fault:
    """One change: where it is, what it is, and the lines of the file that are put in place of others."""

    path: str
    line: int
    what: str
    start: tuple[int, int]
    end: tuple[int, int]
    text: str

    @property
    def name(self) -> str:
        """Where it is and what it is, in a line."""
        return f"{self.path}:{self.line}: {self.what}"

    def applied(self, source: str) -> str:
        """Return a file's text with the change. Columns are counted in bytes, as the parser does."""
        lines = source.encode().splitlines(keepends=True)
        (first, column), (last, end) = self.start, self.end
        before = b"".join(lines[: first - 1]) + lines[first - 1][:column]
        after = lines[last - 1][end:] + b"".join(lines[last:])
        return (before + self.text.encode() + after).decode()


def faults_in(path: Path, shown: str) -> list[Fault]:
    """Return all changes that can be made in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: list[Fault] = []
    for node in _in_functions(tree):
        for what, changed in _changes(node):
            assert isinstance(node, ast.expr | ast.stmt)
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            text = ast.unparse(changed)
            # Brackets keep the change within its place.
            text = f"({text})" if isinstance(changed, ast.expr) else text
            places = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
            found.append(Fault(shown, node.lineno, what, *places, text))
    return found


def _in_functions(tree: ast.Module) -> Iterator[ast.AST]:
    """Walk what functions do: no annotations, no docstrings, no constants of modules and classes."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    seen: set[int] = set()
    for function in functions:
        waiting: list[ast.AST] = list(function.body)
        while waiting:
            node = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            yield node
            for name, value in ast.iter_fields(node):
                if name in ("annotation", "returns", "decorator_list", "type_params", "keywords_of_types"):
                    continue
                parts = value if isinstance(value, list) else [value]
                # What stands within a text of an f-string has no place of its own in older Pythons.
                waiting += [part for part in parts if isinstance(part, ast.AST) and not isinstance(part, ast.JoinedStr)]


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Walk the changes of one part of a program: what is done, and the part as it is then."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARED:
        new = _COMPARED[type(node.ops[0])]
        words = f"{type(node.ops[0]).__name__} becomes {new.__name__}"
        yield words, ast.Compare(node.left, [new(), *node.ops[1:]], node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in _COMPUTED and not _is_text(node):
        other = _COMPUTED[type(node.op)]
        yield f"{type(node.op).__name__} becomes {other.__name__}", ast.BinOp(node.left, other(), node.right)
    elif isinstance(node, ast.BoolOp):
        joined: ast.boolop = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"{type(node.op).__name__} becomes {type(joined).__name__}", ast.BoolOp(joined, node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not is dropped", node.operand
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "minus is dropped", node.operand
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield f"{node.value} becomes {node.value + 1}", ast.Constant(node.value + 1)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield f"{node.value} becomes {not node.value}", ast.Constant(not node.value)
    elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        yield "None is returned", ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Call):
        yield from _other_call(node)
    elif isinstance(node, ast.IfExp):
        yield "both ways are exchanged", ast.IfExp(node.test, node.orelse, node.body)


def _other_call(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    function = node.func
    name = (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )
    if name in _CALLED:
        new: ast.expr = ast.Name(_CALLED[name])
        if isinstance(function, ast.Attribute):
            new = ast.Attribute(function.value, _CALLED[name])
        yield f"{name} becomes {_CALLED[name]}", ast.Call(new, node.args, node.keywords)


def _is_text(node: ast.BinOp) -> bool:
    """Tell whether texts are put together: what is said is tested by reading it."""
    parts = (node.left, node.right)
    return any(
        isinstance(part, ast.JoinedStr) or (isinstance(part, ast.Constant) and isinstance(part.value, str))
        for part in parts
    )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def sampled(folder: Path, count: int, seed: int) -> list[Fault]:
    """Return a random sample of changes, in which each room has as many as it has places to change."""
    package = folder / "src" / "fourfold"
    every: list[Fault] = []
    for path in sorted(package.rglob("*.py")):
        every += faults_in(path, str(path.relative_to(folder)))
    return Random(seed).sample(every, min(count, len(every)))


class Copy:
    """A copy of the project's files, and test files run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tree = folder / "tree"
        self.reached_file = folder / "reached.json"

    def make(self) -> None:
        """Copy what git knows, unless that was done before."""
        if self.tree.exists():
            return
        command = [shutil.which("git") or "git", "ls-files", "-z"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)  # noqa: S603
        for name in filter(None, listed.stdout.split("\0")):
            target = self.tree / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)

    def run(self, arguments: list[str], seconds: float) -> tuple[bool, float]:
        """Run Python in the copy; return whether it ended well, and how long it took."""
        environment = {**os.environ, "PYTHONPATH": str(self.tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        environment.setdefault("FOURFOLD_SHARED", str(ROOT.parent / "shared"))
        start = time.monotonic()
        with subprocess.Popen(  # noqa: S603
            [sys.executable, *arguments],
            cwd=self.tree,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            try:
                code = process.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                # Whatever the tests started goes with them.
                os.killpg(process.pid, 9)
                code = -9
        return code == 0, time.monotonic() - start

    def reached(self, seconds: float) -> dict[str, Any]:
        """Return for each test file how long it takes and which lines it reaches; run those not yet run."""
        known: dict[str, Any] = json.loads(self.reached_file.read_text()) if self.reached_file.exists() else {}
        end = time.monotonic() + seconds
        files = sorted(str(path.relative_to(self.tree)) for path in (self.tree / "tests").rglob("test_*.py"))
        for name in files:
            if name in known or time.monotonic() > end:
                continue
            known[name] = self._reached_by(name)
            self.reached_file.write_text(json.dumps(known))
            print(
                f"{name}: {known[name]['seconds']:.0f} s, {'passes' if known[name]['passes'] else 'left out'}",
                flush=True,
            )
        return known

    def _reached_by(self, name: str) -> dict[str, Any]:
        data, report = self.folder / "coverage.data", self.folder / "coverage.json"
        measure = ["-m", "coverage", "run", "--source=src/fourfold", f"--data-file={data}"]
        passes, seconds = self.run([*measure, *_PYTEST, name], _FILE_SECONDS)
        lines: dict[str, list[int]] = {}
        if passes:
            self.run(["-m", "coverage", "json", f"--data-file={data}", "-o", str(report)], _FILE_SECONDS)
            measured = json.loads(report.read_text())["files"]
            lines = {path: entry["executed_lines"] for path, entry in measured.items() if entry["executed_lines"]}
        return {"passes": passes, "seconds": seconds, "lines": lines}


def judged(copy: Copy, fault: Fault, reached: Mapping[str, Any]) -> dict[str, Any]:
    """Run the test files that reach a change, the fastest first, until one notices it."""
    able = [
        (entry["seconds"], name)
        for name, entry in reached.items()
        if entry["passes"] and fault.line in entry["lines"].get(fault.path, ())
    ]
    path = copy.tree / fault.path
    source = path.read_text(encoding="utf-8")
    end, ran = time.monotonic() + _FAULT_SECONDS, 0
    found: str | None = None
    try:
        path.write_text(fault.applied(source), encoding="utf-8")
        for usual, name in sorted(able):
            if time.monotonic() > end:
                break
            ran += 1
            passed, _ = copy.run([*_PYTEST, name], max(_LEAST_PATIENCE, _PATIENCE * usual))
            if not passed:
                found = name
                break
    finally:
        path.write_text(source, encoding="utf-8")
    return {"fault": asdict(fault), "found_by": found, "ran": ran, "of": len(able)}


def main(arguments: list[str] | None = None) -> None:
    """Make the faults, and print which survive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where the copy and what is known are kept")
    parser.add_argument("--count", type=int, default=100, help="how many faults")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="how long it may take")
    given = parser.parse_args(arguments)
    end = time.monotonic() + given.seconds
    copy, results_file = Copy(given.folder), given.folder / f"faults_{given.seed}.json"
    copy.make()
    reached = copy.reached(given.seconds)
    results: list[dict[str, Any]] = json.loads(results_file.read_text()) if results_file.exists() else []
    known = {json.dumps(result["fault"]) for result in results}
    for fault in sampled(copy.tree, given.count, given.seed):
        if json.dumps(asdict(fault)) in known or time.monotonic() > end:
            continue
        results.append(judged(copy, fault, reached))
        results_file.write_text(json.dumps(results, indent=1))
        last = results[-1]
        said = (
            f"found by {last['found_by']}" if last["found_by"] else f"survives {last['ran']} of {last['of']} test files"
        )
        print(f"{fault.name}: {said}", flush=True)
    survivors = [result for result in results if result["found_by"] is None]
    print(f"{len(results)} faults with seed {given.seed}, {len(survivors)} survive:")
    for result in survivors:
        fields = {**result["fault"], "start": tuple(result["fault"]["start"]), "end": tuple(result["fault"]["end"])}
        print(f"  {Fault(**fields).name} ({result['ran']} of {result['of']} test files)")


if __name__ == "__main__":
    main()
