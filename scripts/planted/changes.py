"""Which faults can be made in a program, and the program with all of them behind switches."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

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
#: Parts of a program that decide nothing while it runs, or that may hold names and plain numbers only.
_PASSED_OVER: Final = ("annotation", "returns", "decorator_list", "type_params", "pattern")

Place = tuple[int, int]


@dataclass(frozen=True)
class Fault:
    """One change: an expression, where it stands, and what is put in its place."""

    path: str
    line: int
    what: str
    start: Place
    end: Place
    text: str

    @property
    def name(self) -> str:
        """Where it is and what it is, in a line."""
        return f"{self.path}:{self.line}: {self.what}"

    def holds(self, other: Fault) -> bool:
        """Tell whether another fault lies within the expression that this one changes."""
        return self.start <= other.start and other.end <= self.end


def faults_in(path: Path, shown: str) -> list[Fault]:
    """Return all changes that can be made in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: list[Fault] = []
    for node in _in_functions(tree):
        for what, place, changed in _changes(node):
            assert place.end_lineno is not None
            assert place.end_col_offset is not None
            start, end = (place.lineno, place.col_offset), (place.end_lineno, place.end_col_offset)
            found.append(Fault(shown, place.lineno, what, start, end, ast.unparse(changed)))
    return found


def sampled(folder: Path, count: int, seed: int) -> list[Fault]:
    """Return a random sample of changes, in which each room has as many as it has places to change."""
    package = folder / "src" / "fourfold"
    every: list[Fault] = []
    for path in sorted(package.rglob("*.py")):
        every += faults_in(path, str(path.relative_to(folder)))
    return Random(seed).sample(every, min(count, len(every)))


def switched(source: str, faults: Mapping[int, Fault]) -> str:
    """Return a file's text in which each fault, by its number, is behind a switch; lines keep their numbers."""
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    whole = Fault("", 1, "", (1, 0), (len(lines) + 1, 0), "")
    return _Text(source.encode(), starts, faults).within(whole, sorted(faults)).decode()


class _Text:
    """A file's text, in which places are lines and columns; columns count bytes, as the parser does."""

    def __init__(self, text: bytes, starts: Sequence[int], faults: Mapping[int, Fault]) -> None:
        self._text, self._starts, self._faults = text, starts, faults

    def within(self, outer: Fault, numbers: Sequence[int]) -> bytes:
        """Return the text of an expression, with the faults that lie within it behind their switches."""
        done, pieces = self._at(outer.start), []
        for number in self._outermost(numbers):
            fault = self._faults[number]
            inner = [other for other in numbers if other != number and fault.holds(self._faults[other])]
            pieces += [self._text[done : self._at(fault.start)], self._switch(number, inner)]
            done = self._at(fault.end)
        return b"".join([*pieces, self._text[done : self._at(outer.end)]])

    def _switch(self, number: int, inner: Sequence[int]) -> bytes:
        fault = self._faults[number]
        as_it_is = self.within(fault, inner)
        return b"((%s) if __fault__(%d) else (%s))" % (fault.text.encode(), number, as_it_is)

    def _outermost(self, numbers: Sequence[int]) -> list[int]:
        """Return the faults that lie in no other, in their order; of two at one place the first one is the outer."""
        outer = [
            number
            for number in numbers
            if not any(
                self._faults[other].holds(self._faults[number])
                and (other < number or not self._faults[number].holds(self._faults[other]))
                for other in numbers
                if other != number
            )
        ]
        return sorted(outer, key=lambda number: self._faults[number].start)

    def _at(self, place: Place) -> int:
        return self._starts[place[0] - 1] + place[1]


def _in_functions(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield what functions do: no annotations, no docstrings, no constants of modules and classes."""
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
                if name in _PASSED_OVER:
                    continue
                parts = value if isinstance(value, list) else [value]
                # What stands within a text of an f-string has no place of its own in older Pythons.
                waiting += [part for part in parts if isinstance(part, ast.AST) and not isinstance(part, ast.JoinedStr)]


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.expr, ast.expr]]:
    """Yield the changes of one part of a program: what is done, the expression, and what stands there then."""
    if isinstance(node, ast.Return):
        if node.value is not None and not _is_none(node.value):
            yield "None is returned", node.value, ast.Constant(None)
    elif isinstance(node, ast.expr):
        for what, changed in _changed(node):
            yield what, node, changed


def _changed(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
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
    elif isinstance(node, ast.Call):
        yield from _other_call(node)
    elif isinstance(node, ast.IfExp):
        yield "both ways are exchanged", ast.IfExp(node.test, node.orelse, node.body)


def _other_call(node: ast.Call) -> Iterator[tuple[str, ast.expr]]:
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
