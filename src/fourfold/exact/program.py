"""Formulas compiled together: one list of steps in which what they share is computed once."""

from __future__ import annotations

import math
import operator
import threading
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..strategy import strategy
from .tree import CELLS, Constant, Formula, Operation, Quantity, Root


class Program:
    """Several formulas compiled to one list of steps, so that what they share is computed once.

    Values are plain floats: nan where undefined, with a few units of rounding in the last place.

    Examples
    --------
    >>> tp, fn, fp, tn = map(Quantity, CELLS)
    >>> Program([tp / (tp + fn), fn / (tp + fn)]).at((3, 1, 0, 0))
    [0.75, 0.25]
    """

    def __init__(self, formulas: Sequence[Formula]) -> None:
        # The first values are the cells, then come constants, then what is computed from them.
        nodes = (node for formula in formulas for node in formula.nodes())
        constants = dict.fromkeys(node for node in nodes if isinstance(node, Constant))
        self._place: dict[Formula, int] = {Quantity(name): i for i, name in enumerate(CELLS)}
        self._place |= {node: len(CELLS) + i for i, node in enumerate(constants)}
        self._constants = [float(node.value) for node in constants]
        self._steps: list[tuple[str, int, int]] = []
        self._outputs = [self._compile(formula) for formula in formulas]
        self._scalar = [(_SCALARS[symbol], left, right) for symbol, left, right in self._steps]
        self._careful = [(_CAREFUL[symbol], left, right) for symbol, left, right in self._steps]
        self._array = [(_ARRAYS[symbol], left, right) for symbol, left, right in self._steps]
        self._allocate()

    def _compile(self, node: Formula) -> int:
        if node not in self._place:
            if isinstance(node, Operation):
                left, right = self._compile(node.left), self._compile(node.right)
                # Floats too add and multiply either way round.
                step = (node.symbol, *(sorted((left, right)) if node.symbol in "+*" else (left, right)))
            else:
                assert isinstance(node, Root), "only cells can be computed with"
                inside = self._compile(node.radicand)
                step = ("sqrt", inside, inside)
            if step not in self._steps:
                self._steps.append(step)
            self._place[node] = len(CELLS) + len(self._constants) + self._steps.index(step)
        return self._place[node]

    def _allocate(self) -> None:
        """Give each step a place for its array: a row of the answer, or else a register that is free by then."""
        first = len(CELLS) + len(self._constants)
        needed_until = {place: step for step, (_, *read) in enumerate(self._steps) for place in read}
        signed = {self._place[node] for node in self._place if node.signed}
        rows = {place: row for row, place in reversed(list(enumerate(self._outputs)))}
        held: dict[int, int] = {}
        free: list[int] = []
        self._registers = 0
        self._places: list[tuple[bool, int]] = []
        self._filling: list[tuple[Any, Any, int, int]] = []
        for step, (symbol, left, right) in enumerate(self._steps):
            place = first + step
            if place in rows:
                self._places.append((True, rows[place]))
            else:
                if not free:
                    free.append(self._registers)
                    self._registers += 1
                held[place] = free.pop()
                self._places.append((False, held[place]))
            careful = _FILLING[symbol]
            # Without differences nothing is zero where no cell is.
            plain = np.true_divide if symbol == "/" and right not in signed else careful
            self._filling.append((careful, plain, left, right))
            free += [held.pop(done) for done in {left, right} if done in held and needed_until[done] == step]
        outputs = enumerate(self._outputs)
        self._copied = [(row, place) for row, place in outputs if rows.get(place) != row or place < first]

    def at(self, cell: Sequence[float]) -> list[float]:
        """Return the values at one table, given as tp, fn, fp, tn."""
        try:
            return self._run(list(cell), self._scalar)
        except ZeroDivisionError:
            return self._run(list(cell), self._careful)

    def over(self, cell: Sequence[NDArray[Any]], kind: type[np.floating[Any]] = np.float64) -> NDArray[Any]:
        """Return a row of values for each formula, on arrays of tp, fn, fp, tn, in floats of a kind."""
        length, chosen = len(cell[0]), strategy()
        values = np.empty((len(self._outputs), length), dtype=kind)
        with np.errstate(all="ignore"):
            for start in range(0, length, chosen.computed_together):
                piece = slice(start, start + chosen.computed_together)
                part = [np.asarray(counts[piece], dtype=kind) for counts in cell]
                if length > chosen.new_arrays_up_to:
                    self._fill(part, values[:, piece])
                else:
                    for row, value in enumerate(self._run(part, self._array)):
                        values[row, piece] = value
        return values

    def _fill(self, cell: list[NDArray[Any]], rows: NDArray[Any]) -> None:
        """Write the values of each formula to its row, with no array but the registers."""
        registers = _registers(self._registers, cell[0])
        places: list[Any] = cell + self._constants
        places += [rows[i] if is_row else registers[i] for is_row, i in self._places]
        outs = places[len(CELLS) + len(self._constants) :]
        inner = min(part.min() for part in cell) > 0
        for (careful, plain, left, right), out in zip(self._filling, outs, strict=True):
            (plain if inner else careful)(places[left], places[right], out)
        for row, place in self._copied:
            rows[row] = places[place]

    def _run(self, values: list[Any], steps: list[tuple[Callable[[Any, Any], Any], int, int]]) -> list[Any]:
        values += self._constants
        for operation, left, right in steps:
            values.append(operation(values[left], values[right]))
        return [values[place] for place in self._outputs]


def _root(x: float, _: float) -> float:
    return math.sqrt(x) if x >= 0 else math.nan


def _array_quotient(x: Any, y: Any, out: NDArray[Any] | None = None) -> Any:
    quotient = np.true_divide(x, y, out)
    if isinstance(y, np.ndarray) and not y.all():
        quotient[y == 0] = np.nan
    return quotient


# Arrays that a thread uses again and again: fresh memory costs more than what is computed in it.
_SCRATCH: Final = threading.local()


def _registers(count: int, like: NDArray[Any]) -> NDArray[Any]:
    held: NDArray[Any] = getattr(_SCRATCH, "arrays", np.empty((0, 0)))
    if held.dtype != like.dtype or held.shape[0] < count or held.shape[1] < len(like):
        shape = (max(count, held.shape[0]), max(len(like), held.shape[1]))
        held = _SCRATCH.arrays = np.empty(shape, dtype=like.dtype)
    return held[:, : len(like)]


_SAME: Final = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_SCALARS: Final = MappingProxyType({**_SAME, "/": operator.truediv, "sqrt": _root})
_CAREFUL: Final = MappingProxyType({**_SCALARS, "/": lambda x, y: x / y if y else math.nan})
_ARRAYS: Final = MappingProxyType({**_SAME, "/": _array_quotient, "sqrt": lambda x, _: np.sqrt(x)})
_FILLING: Final = MappingProxyType(
    {"+": np.add, "-": np.subtract, "*": np.multiply, "/": _array_quotient, "sqrt": lambda x, _, out: np.sqrt(x, out)}
)
