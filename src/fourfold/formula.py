"""A metric's formula as a value, and everything that can be read off it.

A `Formula` is an immutable tree over named quantities with ``+ - * /`` and `sqrt`. It is never simplified: two ways to
write a score may agree wherever both are defined and still differ in where they are not. Every reader is a
`Formula.fold` over the same tree: floats on arrays, exact numbers on one table, polynomials, text.
"""

from __future__ import annotations

import math
import operator
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from itertools import combinations
from math import lcm
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .polynomial import AffineRatio, Monomial, Polynomial, Ratio
from .surd import Exact, root

T = TypeVar("T")

#: The four cells of a table, in the order used everywhere.
CELLS: Final = ("tp", "fn", "fp", "tn")

_OPERATORS: Final[Mapping[str, Callable[[Any, Any], Any]]] = MappingProxyType(
    {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
)
_PRECEDENCE: Final = MappingProxyType({"+": 1, "-": 1, "*": 2, "/": 2})

# Array work is done in pieces that stay in the processor's cache.
_CHUNK: Final = 1 << 14
# A programme keeps the arrays of several steps at once, so its pieces are smaller.
_SMALL_CHUNK: Final = 1 << 13
# Up to this length new arrays cost less than registers.
_SHORT: Final = 1 << 8
# Where a denominator lost more digits than this to cancellation, the point is computed exactly.
NEARLY_CANCELLED: Final = 1e-6
_EXTREME: Final = 1e60


class Formula:
    """Base of the four kinds of node; build formulas with operators, not with the classes.

    Examples
    --------
    >>> tp, fn, fp, tn = cells()
    >>> recall = tp / (tp + fn)
    >>> recall.text()
    'tp / (tp + fn)'
    >>> recall == tp / (tp + fn)
    True
    >>> recall.exact({"tp": 2, "fn": 4})
    Fraction(1, 3)
    """

    __slots__ = ()

    def __add__(self, other: Formula | Fraction | int) -> Formula:
        return Operation("+", self, _formula(other))

    def __radd__(self, other: Fraction | int) -> Formula:
        return Operation("+", _formula(other), self)

    def __sub__(self, other: Formula | Fraction | int) -> Formula:
        return Operation("-", self, _formula(other))

    def __rsub__(self, other: Fraction | int) -> Formula:
        return Operation("-", _formula(other), self)

    def __mul__(self, other: Formula | Fraction | int) -> Formula:
        return Operation("*", self, _formula(other))

    def __rmul__(self, other: Fraction | int) -> Formula:
        return Operation("*", _formula(other), self)

    def __truediv__(self, other: Formula | Fraction | int) -> Formula:
        return Operation("/", self, _formula(other))

    def __rtruediv__(self, other: Fraction | int) -> Formula:
        return Operation("/", _formula(other), self)

    def gradient(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return the slope of the value in each quantity, at one point where the formula is defined.

        Examples
        --------
        >>> tp, fn, fp, tn = cells()
        >>> (tp / (tp + fn)).gradient({"tp": 1.0, "fn": 3.0})
        {'tp': 0.1875, 'fn': -0.0625}
        """
        names = self.quantities()
        each = {name: _Slope(float(values[name]), np.eye(len(names))[i]) for i, name in enumerate(names)}
        found = self.fold(each.__getitem__, lambda x: _Slope(float(x), np.zeros(len(names))), _Slope.root)
        return dict(zip(names, found.slopes.tolist(), strict=True))

    def fold(
        self,
        quantity: Callable[[str], T],
        constant: Callable[[Fraction], T],
        square_root: Callable[[T], T],
    ) -> T:
        """Read the tree with other numbers: every ``+ - * /`` becomes that of `T`.

        Parameters
        ----------
        quantity, constant, square_root
            What a named quantity, a constant and a root become.
        """
        return cast("T", _Fold(quantity, constant, square_root)(self))

    def nodes(self) -> Iterator[Formula]:
        """Walk all nodes, parents first."""
        yield self
        for child in self._children():
            yield from child.nodes()

    def _children(self) -> tuple[Formula, ...]:
        return ()

    def quantities(self) -> tuple[str, ...]:
        """Return the names of all quantities, in order of appearance.

        Examples
        --------
        >>> tp, fn, fp, tn = cells()
        >>> (tp / (tp + fp)).quantities()
        ('tp', 'fp')
        """
        return tuple(dict.fromkeys(node.name for node in self.nodes() if isinstance(node, Quantity)))

    def substitute(self, by: Mapping[str, Formula]) -> Formula:
        """Return the formula with some quantities replaced by formulas.

        Examples
        --------
        >>> tp, fn, fp, tn = cells()
        >>> (tp / (tp + fn)).substitute({"tp": tn, "fn": fp}).text()
        'tn / (tn + fp)'
        """
        return self.fold(lambda name: by.get(name, Quantity(name)), Constant, sqrt)

    def exact(self, values: Mapping[str, Any]) -> Exact | None:
        """Return the exact value at one table, or None where it is undefined.

        The result is a `Fraction`, or a `Surd` where a root remains; both compare exactly with any rational.

        Examples
        --------
        >>> tp, fn, fp, tn = cells()
        >>> g_mean = sqrt(tp / (tp + fn) * (tn / (fp + tn)))
        >>> g_mean.exact({"tp": 1, "fn": 1, "fp": 0, "tn": 3}) > Fraction(7071, 10000)
        True
        >>> g_mean.exact({"tp": 0, "fn": 0, "fp": 0, "tn": 3}) is None
        True
        """
        numbers = {name: Fraction(values[name]) for name in self.quantities()}
        try:
            return cast("Exact", _Fold(numbers.__getitem__, Fraction, root)(self))
        except ArithmeticError:
            return None

    def evaluate(self, values: Mapping[str, ArrayLike]) -> NDArray[np.float64]:
        """Return the values on arrays of counts: nan exactly where the formula is undefined.

        Where a denominator nearly cancels, the points are computed in exact arithmetic, so that rounding neither
        makes nor hides an undefined value.

        Examples
        --------
        >>> tp, fn, fp, tn = cells()
        >>> (tp / (tp + fn)).evaluate({"tp": [3, 0], "fn": [1, 0]})
        array([0.75,  nan])
        """
        names = self.quantities()
        arrays = np.broadcast_arrays(*(np.asarray(values[name]) for name in names))
        shape = arrays[0].shape if arrays else ()
        flat = [array.reshape(-1) for array in arrays]
        out = np.empty(flat[0].size if flat else 1)
        for start in range(0, out.size, _CHUNK):
            piece = slice(start, start + _CHUNK)
            out[piece] = _evaluate(self, {name: array[piece] for name, array in zip(names, flat, strict=True)})
        return out.reshape(shape)

    @property
    def guards(self) -> tuple[Formula, ...]:
        """What must not be zero: every divisor, taken apart into its factors.

        Examples
        --------
        >>> tp, fn, fp, tn = cells()
        >>> [guard.text() for guard in (tp / sqrt((tp + fn) * (tp + fp))).guards]
        ['tp + fn', 'tp + fp']
        """
        return _guards(self)

    @property
    def signed(self) -> bool:
        """Whether it can cancel to zero: it holds a difference or a negative constant."""
        return _signed(self)

    @property
    def cancels(self) -> bool:
        """Whether one of its denominators can cancel to zero."""
        return any(guard.signed for guard in self.guards)

    @property
    def rational(self) -> bool:
        """Whether it holds no root."""
        return not any(isinstance(node, Root) for node in self.nodes())

    def ratio(self, by: Mapping[str, Polynomial] | None = None) -> Ratio | None:
        """Return numerator and denominator as polynomials, or None where the formula holds a root."""
        if not self.rational:
            return None
        named = by or {}

        def leaf(name: str) -> Ratio:
            return Ratio(named.get(name, Polynomial.of(name)), Polynomial.number(1))

        def number(value: Fraction) -> Ratio:
            return Ratio(Polynomial.number(value), Polynomial.number(1))

        return self.fold(leaf, number, _no_root)

    def affine_ratio(self) -> AffineRatio | None:
        """Return the form ``(a tp + b tn + c) / (d tp + e tn + f)`` that holds once the margins are known.

        None where the formula is not of that form. The denominator may vanish, or not, where a guard does:
        definedness is read off the guards, never off this form.

        Examples
        --------
        >>> tp, fn, fp, tn = cells()
        >>> (tp / (tp + fp)).affine_ratio().at(positives=4, negatives=6)
        ((1, 0, 0), (1, -1, 6))
        """
        return _affine_ratio(self)

    def text(self) -> str:
        """Return the formula as plain text.

        Examples
        --------
        >>> tp, fn, fp, tn = cells()
        >>> (tp / (tp + fn) - fp / (fp + tn)).text()
        'tp / (tp + fn) - fp / (fp + tn)'
        """
        return _text(self)

    def latex(self) -> str:
        r"""Return the formula for LaTeX's maths mode.

        Examples
        --------
        >>> tp, fn, fp, tn = cells()
        >>> print(sqrt(tp / (tp + fn)).latex())
        \sqrt{\frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FN}}}
        """
        return _latex(self)


class _Hashed(Formula):
    """A node whose hash is computed once: formulas are keys of many caches."""

    __slots__ = ("_hash",)
    __match_args__: tuple[str, ...]
    _hash: int

    def __post_init__(self) -> None:
        parts = tuple(getattr(self, name) for name in self.__match_args__)
        object.__setattr__(self, "_hash", hash((type(self).__name__, *parts)))

    def _cached_hash(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        # Built anew from its parts, so that copies and other processes have the hash too.
        return type(self), tuple(getattr(self, name) for name in self.__match_args__)


@dataclass(frozen=True, slots=True)
class Quantity(_Hashed):
    """A named quantity that is never negative: a cell, or a sum over a matrix."""

    name: str

    __hash__ = _Hashed._cached_hash


@dataclass(frozen=True, slots=True)
class Constant(_Hashed):
    """A rational number."""

    value: Fraction

    __hash__ = _Hashed._cached_hash


@dataclass(frozen=True, slots=True)
class Operation(_Hashed):
    """One of ``+ - * /`` on two formulas."""

    symbol: str
    left: Formula
    right: Formula

    __hash__ = _Hashed._cached_hash

    def _children(self) -> tuple[Formula, ...]:
        return (self.left, self.right)


@dataclass(frozen=True, slots=True)
class Root(_Hashed):
    """The square root of a formula."""

    radicand: Formula

    __hash__ = _Hashed._cached_hash

    def _children(self) -> tuple[Formula, ...]:
        return (self.radicand,)


def cells() -> tuple[Quantity, Quantity, Quantity, Quantity]:
    """Return the four cells tp, fn, fp, tn as formulas."""
    tp, fn, fp, tn = map(Quantity, CELLS)
    return tp, fn, fp, tn


def sqrt(radicand: Formula) -> Formula:
    """Return the square root of a formula."""
    return Root(radicand)


def _formula(value: Formula | Fraction | int) -> Formula:
    return value if isinstance(value, Formula) else Constant(Fraction(value))


@dataclass(frozen=True, slots=True)
class _Slope:
    """A number with its slopes: what a formula is read with for its gradient."""

    value: float
    slopes: NDArray[np.float64]

    def __add__(self, other: _Slope) -> _Slope:
        return _Slope(self.value + other.value, self.slopes + other.slopes)

    def __sub__(self, other: _Slope) -> _Slope:
        return _Slope(self.value - other.value, self.slopes - other.slopes)

    def __mul__(self, other: _Slope) -> _Slope:
        return _Slope(self.value * other.value, self.value * other.slopes + other.value * self.slopes)

    def __truediv__(self, other: _Slope) -> _Slope:
        value = self.value / other.value
        return _Slope(value, (self.slopes - value * other.slopes) / other.value)

    def root(self) -> _Slope:
        """Return its square root; at zero the slope is infinite."""
        value = math.sqrt(self.value)
        with np.errstate(all="ignore"):
            return _Slope(value, np.divide(self.slopes, 2 * value))


class _Fold:
    """One reading of a tree; a subtree that appears twice is read once."""

    def __init__(
        self, quantity: Callable[[str], Any], constant: Callable[[Fraction], Any], square_root: Callable[[Any], Any]
    ) -> None:
        self._quantity, self._constant, self._square_root = quantity, constant, square_root
        self._read: dict[int, Any] = {}

    def __call__(self, node: Formula) -> Any:
        key = id(node)
        if key not in self._read:
            self._read[key] = self._node(node)
        return self._read[key]

    def _node(self, node: Formula) -> Any:
        if isinstance(node, Operation):
            return _OPERATORS[node.symbol](self(node.left), self(node.right))
        if isinstance(node, Root):
            return self._square_root(self(node.radicand))
        if isinstance(node, Quantity):
            return self._quantity(node.name)
        assert isinstance(node, Constant)
        return self._constant(node.value)


def _evaluate(formula: Formula, values: Mapping[str, NDArray[Any]]) -> NDArray[np.float64]:
    floats = {name: np.asarray(array, dtype=np.float64) for name, array in values.items()}
    with np.errstate(all="ignore"):
        read = _Fold(floats.__getitem__, float, np.sqrt)
        length = len(next(iter(floats.values()), np.empty(1)))
        value = np.array(np.broadcast_to(read(formula), length))
        undefined = np.zeros(length, dtype=bool)
        cancelled = np.zeros(length, dtype=bool)
        for guard in formula.guards:
            size = read(guard)
            undefined |= size == 0
            if guard.signed:
                cancelled |= np.abs(size) <= NEARLY_CANCELLED * _magnitude(guard, floats)
        value[undefined] = np.nan
        cancelled |= ~np.isfinite(value) & ~undefined
        for cell in floats.values():
            # Products of four such numbers could leave the range of floats.
            cancelled |= (cell != 0) & ((cell < 1 / _EXTREME) | (cell > _EXTREME))
    for i in np.flatnonzero(cancelled):
        exact = formula.exact({name: array[i].item() for name, array in values.items()})
        value[i] = np.nan if exact is None else float(exact)
    return value


def _magnitude(guard: Formula, values: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the guard's value with every difference read as a sum: what could have cancelled."""
    sums = _Fold(values.__getitem__, lambda number: abs(float(number)), np.sqrt)
    return np.asarray(sums(unsigned(guard)))


@cache
def unsigned(formula: Formula) -> Formula:
    """Return the formula with every difference read as a sum: what could have cancelled in it."""
    if isinstance(formula, Operation):
        symbol = "+" if formula.symbol == "-" else formula.symbol
        return Operation(symbol, unsigned(formula.left), unsigned(formula.right))
    return Root(unsigned(formula.radicand)) if isinstance(formula, Root) else formula


@cache
def _signed(formula: Formula) -> bool:
    return any(
        (isinstance(node, Operation) and node.symbol == "-") or (isinstance(node, Constant) and node.value < 0)
        for node in formula.nodes()
    )


class Program:
    """Several formulas compiled to one list of steps, so that what they share is computed once.

    Values are plain floats: nan where undefined, with a few units of rounding in the last place.

    Examples
    --------
    >>> tp, fn, fp, tn = cells()
    >>> Program([tp / (tp + fn), fn / (tp + fn)]).at((3, 1, 0, 0))
    [0.75, 0.25]
    """

    def __init__(self, formulas: Sequence[Formula]) -> None:
        # The first values are the cells, then come constants, then what is computed from them.
        constants = dict.fromkeys(node for each in formulas for node in each.nodes() if isinstance(node, Constant))
        self._place: dict[Formula, int] = {Quantity(name): i for i, name in enumerate(CELLS)}
        self._place |= {node: len(CELLS) + i for i, node in enumerate(constants)}
        self._constants = [float(node.value) for node in constants]
        self._steps: list[tuple[str, int, int]] = []
        self._outputs = [self._compile(formula) for formula in formulas]
        self._scalar = [(_SCALARS[symbol], left, right) for symbol, left, right in self._steps]
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
            self._filling.append(
                (careful, np.true_divide if symbol == "/" and right not in signed else careful, left, right)
            )
            free += [held.pop(done) for done in {left, right} if done in held and needed_until[done] == step]
        self._copied = [
            (row, place) for row, place in enumerate(self._outputs) if rows.get(place) != row or place < first
        ]

    def at(self, cell: Sequence[float]) -> list[float]:
        """Return the values at one table, given as tp, fn, fp, tn."""
        return self._run(list(cell), self._scalar)

    def over(self, cell: Sequence[NDArray[Any]], kind: type[np.floating[Any]] = np.float64) -> NDArray[Any]:
        """Return a row of values for each formula, on arrays of tp, fn, fp, tn, in floats of a kind."""
        length = len(cell[0])
        values = np.empty((len(self._outputs), length), dtype=kind)
        with np.errstate(all="ignore"):
            for start in range(0, length, _SMALL_CHUNK):
                piece = slice(start, start + _SMALL_CHUNK)
                part = [np.asarray(each[piece], dtype=kind) for each in cell]
                if length > _SHORT:
                    self._fill(part, values[:, piece])
                else:
                    for row, value in enumerate(self._run(part, self._array)):
                        values[row] = value
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


def _scalar_root(x: float, _: float) -> float:
    return math.sqrt(x) if x >= 0 else math.nan


def _array_quotient(x: Any, y: Any) -> Any:
    found = np.true_divide(x, y)
    if isinstance(y, np.ndarray) and not y.all():
        found[y == 0] = np.nan
    return found


def _quotient_into(x: Any, y: Any, out: NDArray[Any]) -> None:
    np.true_divide(x, y, out)
    if isinstance(y, np.ndarray) and not y.all():
        out[y == 0] = np.nan


def _root_into(x: Any, _: Any, out: NDArray[Any]) -> None:
    np.sqrt(x, out)


class _Scratch(threading.local):
    """Arrays that a thread uses again and again: fresh memory costs more than what is computed in it."""

    arrays: NDArray[Any] = np.empty((0, 0))


_SCRATCH: Final = _Scratch()


def _registers(count: int, like: NDArray[Any]) -> NDArray[Any]:
    held = _SCRATCH.arrays
    if held.dtype != like.dtype or len(held) < count:
        held = _SCRATCH.arrays = np.empty((count, _SMALL_CHUNK), dtype=like.dtype)
    return held[:, : len(like)]


_SCALARS: Final = MappingProxyType(
    {**_OPERATORS, "/": lambda x, y: x / y if y else math.nan, "sqrt": _scalar_root},
)
_ARRAYS: Final = MappingProxyType(
    {**_OPERATORS, "/": _array_quotient, "sqrt": lambda x, _: np.sqrt(x)},
)
_FILLING: Final = MappingProxyType(
    {"+": np.add, "-": np.subtract, "*": np.multiply, "/": _quotient_into, "sqrt": _root_into},
)


@cache
def _guards(formula: Formula) -> tuple[Formula, ...]:
    found: list[Formula] = []
    for node in formula.nodes():
        if isinstance(node, Operation) and node.symbol == "/":
            found += _factors(node.right)
    # Inner divisors first: an outer one is only asked where the inner ones hold.
    return tuple(dict.fromkeys(sorted(found, key=lambda guard: sum(1 for _ in guard.nodes()))))


def _factors(divisor: Formula) -> list[Formula]:
    """Return the parts of which at least one is zero when the divisor is."""
    if isinstance(divisor, Operation) and divisor.symbol == "*":
        return _factors(divisor.left) + _factors(divisor.right)
    if isinstance(divisor, Operation) and divisor.symbol == "/":
        return _factors(divisor.left)
    if isinstance(divisor, Root):
        return _factors(divisor.radicand)
    if isinstance(divisor, Constant):
        if not divisor.value:
            raise ZeroDivisionError("a formula divides by the constant zero")
        return []
    return [divisor]


@cache
def vanishes(guard: Formula, zeros: frozenset[str]) -> bool | None:
    """Tell whether a guard is zero when just these quantities are zero and all others positive.

    None where that depends on the numbers. A guard that is itself undefined there is not zero: the guard inside it is.

    Examples
    --------
    >>> tp, fn, fp, tn = cells()
    >>> vanishes(tp + fn, frozenset({"tp", "fn", "tn"}))
    True
    >>> vanishes(tp * tn - fp * fn, frozenset({"tn"}))
    False
    >>> vanishes(tp * tn - fp * fn, frozenset()) is None
    True
    """
    inner = [vanishes(each, zeros) for each in guard.guards]
    if True in inner:
        return False
    if not guard.signed:
        return _positive_is_zero(guard, zeros)
    ratio = guard.ratio({name: Polynomial.number(0) for name in zeros})
    if ratio is None or None in inner:
        return None
    signs = {coefficient > 0 for coefficient in ratio.numerator.terms.values()}
    return {0: True, 1: False}.get(len(signs))


def _positive_is_zero(formula: Formula, zeros: frozenset[str]) -> bool:
    """Decide a formula without differences: a sum is zero when both parts are, a product when one is."""
    if isinstance(formula, Quantity):
        return formula.name in zeros
    if isinstance(formula, Constant):
        return formula.value == 0
    if isinstance(formula, Root):
        return _positive_is_zero(formula.radicand, zeros)
    assert isinstance(formula, Operation)
    left = _positive_is_zero(formula.left, zeros)
    if formula.symbol == "/":
        return left
    right = _positive_is_zero(formula.right, zeros)
    return left and right if formula.symbol == "+" else left or right


def zero_sets(guard: Formula) -> tuple[frozenset[str], ...]:
    """Return the smallest sets of quantities whose being zero makes a guard zero.

    Examples
    --------
    >>> tp, fn, fp, tn = cells()
    >>> [sorted(names) for names in zero_sets(tp * tn + fp)]
    [['fp', 'tp'], ['fp', 'tn']]
    """
    found: list[frozenset[str]] = []
    names = guard.quantities()
    for size in range(1, len(names) + 1):
        for chosen in map(frozenset, combinations(names, size)):
            if not any(smaller <= chosen for smaller in found) and vanishes(guard, chosen):
                found.append(chosen)
    return tuple(found)


_ABSENT: Final[Mapping[frozenset[str], str]] = MappingProxyType(
    {
        frozenset({"tp"}): "no true positives",
        frozenset({"fn"}): "no false negatives",
        frozenset({"fp"}): "no false positives",
        frozenset({"tn"}): "no true negatives",
        frozenset({"tp", "fn"}): "no actual positives",
        frozenset({"fp", "tn"}): "no actual negatives",
        frozenset({"tp", "fp"}): "no predicted positives",
        frozenset({"fn", "tn"}): "no predicted negatives",
        frozenset({"tp", "tn"}): "no correct predictions",
        frozenset({"fn", "fp"}): "no wrong predictions",
        frozenset({"tp", "fn", "fp"}): "no positives, actual or predicted",
        frozenset({"fn", "fp", "tn"}): "no negatives, actual or predicted",
        frozenset(CELLS): "no cases at all",
        frozenset({"total"}): "no cases at all",
        frozenset({"split_actual"}): "only one actual class",
        frozenset({"split_predicted"}): "only one predicted class",
        frozenset({"chance_wrong"}): "all cases in one class, actual and predicted",
    }
)
_GROUPS: Final = MappingProxyType({"": "", "1": " in the group", "2": " in the reference"})


def absence(names: frozenset[str]) -> str:
    """Say in words that these quantities are all zero.

    Examples
    --------
    >>> absence(frozenset({"tp", "fp"}))
    'no predicted positives'
    >>> absence(frozenset({"fp_2"}))
    'no false positives in the reference'
    """
    if names in _ABSENT:
        return _ABSENT[names]
    stems = {name.rpartition("_")[::2] for name in names}
    groups = {group for _, group in stems}
    if len(groups) == 1 and groups <= _GROUPS.keys() and "" not in {stem for stem, _ in stems}:
        return absence(frozenset(stem for stem, _ in stems)) + _GROUPS[groups.pop()]
    return " and ".join(f"{name} = 0" for name in sorted(names))


def conditions(formula: Formula, names: Mapping[Formula, str] | None = None) -> tuple[str, ...]:
    """Say in words where a formula is undefined, one entry a cause.

    Parameters
    ----------
    names
        Words for formulas that may appear in a cause, such as "recall" for ``tp / (tp + fn)``.

    Examples
    --------
    >>> tp, fn, fp, tn = cells()
    >>> conditions(1 / (tp / (tp + fn) - fp / (fp + tn)))
    ('no actual positives', 'no actual negatives', 'tp / (tp + fn) equals fp / (fp + tn)')
    """
    found: list[str] = []
    for guard in formula.guards:
        if guard.signed:
            found.append(equality(guard, names or {}))
        else:
            found += [absence(zeros) for zeros in zero_sets(guard)]
    return tuple(dict.fromkeys(found))


def reasons(formula: Formula, values: Mapping[str, Any], names: Mapping[Formula, str] | None = None) -> tuple[str, ...]:
    """Say in words why a formula is undefined at one table; empty where it is defined.

    Examples
    --------
    >>> tp, fn, fp, tn = cells()
    >>> reasons(tp / (tp + fp), {"tp": 0, "fn": 3, "fp": 0, "tn": 4})
    ('no predicted positives',)
    """
    zeros = frozenset(name for name in formula.quantities() if values[name] == 0)
    found: list[str] = []
    for guard in formula.guards:
        if not guard.signed:
            found += [absence(chosen) for chosen in zero_sets(guard) if chosen <= zeros]
        elif guard.exact(values) == 0:
            found.append(equality(guard, names or {}))
    return tuple(dict.fromkeys(found))


def equality(guard: Formula, names: Mapping[Formula, str]) -> str:
    """Say in words that a guard with a difference in it cancels to zero."""

    def named(part: Formula) -> str:
        return names.get(part, part.text())

    if isinstance(guard, Operation) and guard.symbol == "-":
        return f"{named(guard.left)} equals {named(guard.right)}"
    return f"{named(guard)} is zero"


@cache
def _affine_ratio(formula: Formula) -> AffineRatio | None:
    positives, negatives = Polynomial.of("positives"), Polynomial.of("negatives")
    ratio = formula.ratio({"fn": positives - Polynomial.of("tp"), "fp": negatives - Polynomial.of("tn")})
    if ratio is None:
        return None
    parts = [_affine(ratio.numerator), _affine(ratio.denominator)]
    if parts[0] is None or parts[1] is None:
        return None
    scale = lcm(*(c.denominator for side in parts if side for part in side for c in part.terms.values()))
    numerator, denominator = (tuple(part * Polynomial.number(scale) for part in side) for side in parts if side)
    return AffineRatio(numerator, denominator)  # type: ignore[arg-type]


def _affine(polynomial: Polynomial) -> tuple[Polynomial, Polynomial, Polynomial] | None:
    """Split a polynomial into its factors of tp, of tn and the rest; None where tp and tn meet."""
    split: dict[Monomial, dict[Monomial, Fraction]] = {("tp",): {}, ("tn",): {}, (): {}}
    for monomial, coefficient in polynomial.terms.items():
        moving = tuple(name for name in monomial if name in ("tp", "tn"))
        if moving not in split:
            return None
        split[moving][tuple(name for name in monomial if name not in ("tp", "tn"))] = coefficient
    return Polynomial(split["tp",]), Polynomial(split["tn",]), Polynomial(split[()])


def _no_root(_: Ratio) -> Ratio:
    raise AssertionError("a formula with a root has no polynomial form")


def _text(node: Formula) -> str:
    if isinstance(node, Quantity):
        return node.name
    if isinstance(node, Constant):
        return str(node.value)
    if isinstance(node, Root):
        return f"sqrt({_text(node.radicand)})"
    assert isinstance(node, Operation)
    left, right = _text(node.left), _text(node.right)
    if _looser(node.left, node, strict=True):
        left = f"({left})"
    if _looser(node.right, node, strict=node.symbol in "+*"):
        right = f"({right})"
    return f"{left} {node.symbol} {right}"


def _looser(inner: Formula, outer: Operation, *, strict: bool) -> bool:
    """Tell whether an operand needs brackets inside an operation."""
    if isinstance(inner, Constant):
        return inner.value.denominator != 1 or inner.value < 0
    if not isinstance(inner, Operation):
        return False
    difference = _PRECEDENCE[inner.symbol] - _PRECEDENCE[outer.symbol]
    return difference < 0 or (difference == 0 and not strict) or (outer.symbol == "*" and inner.symbol == "/")


_SYMBOLS: Final = MappingProxyType(
    {
        "correct": r"\sum_c m_{cc}",
        "total": "n",
        "chance": r"\sum_c a_c b_c",
        "chance_wrong": r"\left(n^2 - \sum_c a_c b_c\right)",
        "split_actual": r"\left(n^2 - \sum_c a_c^2\right)",
        "split_predicted": r"\left(n^2 - \sum_c b_c^2\right)",
    }
)


def _latex(node: Formula) -> str:
    if isinstance(node, Quantity):
        stem, _, group = node.name.partition("_")
        cell = rf"\mathrm{{{stem.upper()}}}" + (f"_{group}" if group else "")
        return _SYMBOLS.get(node.name, cell)
    if isinstance(node, Constant):
        top, bottom = node.value.numerator, node.value.denominator
        return str(top) if bottom == 1 else rf"\frac{{{top}}}{{{bottom}}}"
    if isinstance(node, Root):
        return rf"\sqrt{{{_latex(node.radicand)}}}"
    assert isinstance(node, Operation)
    if node.symbol == "/":
        return rf"\frac{{{_latex(node.left)}}}{{{_latex(node.right)}}}"
    left, right = (
        rf"\left({_latex(part)}\right)" if _bracketed(part, node) else _latex(part) for part in (node.left, node.right)
    )
    return rf"{left} \cdot {right}" if node.symbol == "*" else f"{left} {node.symbol} {right}"


def _bracketed(part: Formula, node: Operation) -> bool:
    if not isinstance(part, Operation) or part.symbol in "/*":
        return False
    return node.symbol == "*" or (node.symbol == "-" and part is node.right)


def total_of(parts: Sequence[Formula]) -> Formula:
    """Return the sum of formulas, left to right.

    Examples
    --------
    >>> total_of(cells()).text()
    'tp + fn + fp + tn'
    """
    return reduce(operator.add, parts)
