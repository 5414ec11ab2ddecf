"""A formula as a tree, and what is read off it.

A `Formula` is an immutable tree over named quantities with ``+ - * /`` and `sqrt`. It is never simplified: two ways to
write a score may agree wherever both are defined and still differ in where they are not. Every reader is a
`Formula.fold` over the same tree: floats on arrays, exact numbers on one table, polynomials, text.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from math import lcm
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..strategy import strategy
from .polynomial import AffineRatio, Monomial, Polynomial, Ratio, integer_if_whole
from .surd import Exact, root

T = TypeVar("T")

#: The four cells of a table, in the order used everywhere.
CELLS: Final = ("tp", "fn", "fp", "tn")

_Reader = Callable[[Any], Any]
_Operator = Callable[["Formula", "Formula | Fraction | int"], "Formula"]
_Operators = Mapping[str, Callable[[Any, Any], Any]]
_OPERATORS: Final[_Operators] = MappingProxyType(
    {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
)
_PRECEDENCE: Final = MappingProxyType({"+": 1, "-": 1, "*": 2, "/": 2})


def _exact_quotient(x: Any, y: Any) -> Any:
    """Divide exactly: counts stay integers until they come here."""
    if type(x) is not int:
        return x / y
    return Fraction(x, y) if type(y) is int else Fraction(x) / y


_EXACT_OPERATORS: Final = MappingProxyType({**_OPERATORS, "/": _exact_quotient, "sqrt": lambda x, _: root(x)})


def _operators(symbol: str) -> tuple[_Operator, _Operator]:
    """Return an operation of a formula with another or with a number, and the same the other way round."""
    return (
        lambda self, other: Operation(symbol, self, _formula(other)),
        lambda self, other: Operation(symbol, _formula(other), self),
    )


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

    __match_args__: tuple[str, ...]

    __add__, __radd__ = _operators("+")
    __sub__, __rsub__ = _operators("-")
    __mul__, __rmul__ = _operators("*")
    __truediv__, __rtruediv__ = _operators("/")

    def gradient(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return the slope of the value in each quantity, at one point where the formula is defined."""
        return {name: float(slope) for name, slope in self.slopes(values).items()}

    def slopes(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the slope in each quantity, at one point or at arrays of points alike."""
        names = self.quantities
        shape = np.shape(values[names[0]])
        eye = np.eye(len(names)).reshape(len(names), len(names), *(1 for _ in shape))
        leaves = {name: _Slope(values[name] if shape else float(values[name]), eye[i]) for i, name in enumerate(names)}
        result = self.fold(leaves.__getitem__, lambda x: _Slope(float(x), np.zeros_like(eye[0])), _Slope.root)
        return dict(zip(names, np.broadcast_to(result.slopes, (len(names), *shape)), strict=True))

    def fold(self, quantity: Callable[[str], T], constant: Callable[[Fraction], T], root: Callable[[T], T]) -> T:
        """Read the tree with other numbers: every ``+ - * /`` becomes that of `T`."""
        return cast("T", _Fold(quantity, constant, root)(self))

    def nodes(self) -> Iterator[Formula]:
        """Yield all nodes, parents first."""
        yield self
        for part in self._parts:
            if isinstance(part, Formula):
                yield from part.nodes()

    @cached_property
    def quantities(self) -> tuple[str, ...]:
        """The names of all quantities, in order of appearance."""
        return tuple(dict.fromkeys(node.name for node in self.nodes() if isinstance(node, Quantity)))

    def substitute(self, by: Mapping[str, Formula]) -> Formula:
        """Return the formula with some quantities replaced by formulas."""
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
        leaves, steps, place = self._exact_steps
        numbers: list[Any] = []
        for leaf in leaves:
            if type(leaf) is str:
                leaf = n if type(n := values[leaf]) is int else Fraction(n)
            numbers.append(leaf)
        try:
            for operation, left, right in steps:
                numbers.append(operation(numbers[left], numbers[right]))
        except ArithmeticError:
            return None
        value = numbers[place]
        return Fraction(value) if type(value) is int else value

    @cached_property
    def _exact_steps(self) -> tuple[list[Any], list[tuple[Callable[[Any, Any], Any], int, int]], int]:
        """Names of quantities and constants; what is computed of two numbers, in order; and the place of the value.

        The numbers are the leaves, and then what each operation makes. Until all leaves are known, a place among these
        is counted down from -1.
        """
        leaves: list[Any] = []
        steps: list[tuple[Callable[[Any, Any], Any], int, int]] = []
        places: dict[int | str, int] = {}

        def put(node: Formula) -> int:
            key = node.name if isinstance(node, Quantity) else id(node)
            if key in places:
                return places[key]
            if isinstance(node, Operation):
                steps.append((_EXACT_OPERATORS[node.symbol], put(node.left), put(node.right)))
                places[key] = -len(steps)
            elif isinstance(node, Root):
                steps.append((_EXACT_OPERATORS["sqrt"], inside := put(node.radicand), inside))
                places[key] = -len(steps)
            else:
                leaves.append(integer_if_whole(node.value) if isinstance(node, Constant) else key)
                places[key] = len(leaves) - 1
            return places[key]

        place, last = put(self), len(leaves) - 1
        steps = [(how, a if a >= 0 else last - a, b if b >= 0 else last - b) for how, a, b in steps]
        return leaves, steps, place if place >= 0 else last - place

    def evaluate(self, values: Mapping[str, ArrayLike]) -> NDArray[np.float64]:
        """Return the values on arrays of counts: nan exactly where the formula is undefined.

        Where a denominator nearly cancels, the points are computed in exact arithmetic, so that rounding neither
        makes nor hides an undefined value.
        """
        names, step = self.quantities, strategy().evaluated_together
        arrays = np.broadcast_arrays(*(np.asarray(values[name]) for name in names))
        shape = arrays[0].shape if arrays else ()
        flat = [array.reshape(-1) for array in arrays]
        out = np.empty(flat[0].size if flat else 1)
        for start in range(0, out.size, step):
            piece = slice(start, start + step)
            out[piece] = _evaluate(self, {name: array[piece] for name, array in zip(names, flat, strict=True)})
        return out.reshape(shape)

    @cached_property
    def guards(self) -> tuple[Formula, ...]:
        """What must not be zero: every divisor, taken apart into its factors."""
        divisors = [node.right for node in self.nodes() if isinstance(node, Operation) and node.symbol == "/"]
        factors = [factor for divisor in divisors for factor in _factors(divisor)]
        # Inner divisors first: an outer one is only asked where the inner ones hold.
        return tuple(dict.fromkeys(sorted(factors, key=lambda guard: sum(1 for _ in guard.nodes()))))

    @cached_property
    def signed(self) -> bool:
        """Whether it can cancel to zero: it holds a difference or a negative constant."""
        return any(
            (isinstance(node, Operation) and node.symbol == "-") or (isinstance(node, Constant) and node.value < 0)
            for node in self.nodes()
        )

    @cached_property
    def cancels(self) -> bool:
        """Whether one of its denominators can cancel to zero."""
        return any(guard.signed for guard in self.guards)

    @cached_property
    def flat(self) -> bool:
        """Whether claims about it are half-planes: affine, over what is positive wherever it is defined."""
        return self.affine_ratio is not None and not self.cancels

    @cached_property
    def unsigned(self) -> Formula:
        """The formula with every difference read as a sum: what could have cancelled in it."""
        if isinstance(self, Operation):
            symbol = "+" if self.symbol == "-" else self.symbol
            return Operation(symbol, self.left.unsigned, self.right.unsigned)
        if isinstance(self, Constant):
            return Constant(abs(self.value))
        return Root(self.radicand.unsigned) if isinstance(self, Root) else self

    @property
    def rational(self) -> bool:
        """Whether it holds no root."""
        return not any(isinstance(node, Root) for node in self.nodes())

    def ratio(self, by: Mapping[str, Polynomial] | None = None) -> Ratio | None:
        """Return numerator and denominator as polynomials, or None where the formula holds a root."""
        if not self.rational:
            return None
        named, one = by or {}, Polynomial.number(1)
        # There is no root to be read.
        return self.fold(
            lambda name: Ratio(named.get(name, Polynomial.of(name)), one),
            lambda value: Ratio(Polynomial.number(value), one),
            lambda _: None,
        )

    @cached_property
    def affine_ratio(self) -> AffineRatio | None:
        """The form ``(a tp + b tn + c) / (d tp + e tn + f)`` that holds once the margins are known.

        None where the formula is not of that form. The denominator may vanish, or not, where a guard does:
        definedness is read off the guards, never off this form.
        """
        positives, negatives = Polynomial.of("positives"), Polynomial.of("negatives")
        ratio = self.ratio({"fn": positives - Polynomial.of("tp"), "fp": negatives - Polynomial.of("tn")})
        if ratio is None:
            return None
        top, bottom = _affine(ratio.numerator), _affine(ratio.denominator)
        if top is None or bottom is None:
            return None
        scale = Polynomial.number(lcm(*(c.denominator for part in (*top, *bottom) for c in part.terms.values())))
        a, b, c, d, e, f = (part * scale for part in (*top, *bottom))
        return AffineRatio((a, b, c), (d, e, f))

    def text(self) -> str:
        """Return the formula as plain text."""
        return _text(self)

    def latex(self) -> str:
        """Return the formula for LaTeX's maths mode."""
        return _latex(self)

    @cached_property
    def _parts(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)

    @cached_property
    def _hash(self) -> int:
        # Computed once: formulas are keys of many caches.
        return hash((type(self).__name__, *self._parts))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) and self._parts == other._parts)

    def __reduce__(self) -> tuple[Any, ...]:
        # Built again from its parts: hashes of texts differ between processes.
        return type(self), self._parts


@dataclass(frozen=True, eq=False)
class Quantity(Formula):
    """A named quantity that is never negative: a cell, or a sum over a matrix."""

    name: str


@dataclass(frozen=True, eq=False)
class Constant(Formula):
    """A rational number."""

    value: Fraction


@dataclass(frozen=True, eq=False)
class Operation(Formula):
    """One of ``+ - * /`` on two formulas."""

    symbol: str
    left: Formula
    right: Formula


@dataclass(frozen=True, eq=False)
class Root(Formula):
    """The square root of a formula."""

    radicand: Formula


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

    value: Any
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
        with np.errstate(all="ignore"):
            value = np.sqrt(self.value)
            return _Slope(value, np.divide(self.slopes, 2 * value))


class _Fold:
    """One reading of a tree; a subtree that appears twice is read once."""

    def __init__(self, quantity: _Reader, constant: _Reader, root: _Reader) -> None:
        self._quantity, self._constant, self._root = quantity, constant, root
        self._read: dict[int, Any] = {}

    def __call__(self, node: Formula) -> Any:
        key = id(node)
        if key not in self._read:
            if isinstance(node, Operation):
                value = _OPERATORS[node.symbol](self(node.left), self(node.right))
            elif isinstance(node, Root):
                value = self._root(self(node.radicand))
            else:
                assert isinstance(node, Quantity | Constant)
                value = self._quantity(node.name) if isinstance(node, Quantity) else self._constant(node.value)
            self._read[key] = value
        return self._read[key]


def _evaluate(formula: Formula, values: Mapping[str, NDArray[Any]]) -> NDArray[np.float64]:
    chosen = strategy()
    floats = {name: np.asarray(array, dtype=np.float64) for name, array in values.items()}
    with np.errstate(all="ignore"):
        read = _Fold(floats.__getitem__, float, np.sqrt)
        length = len(next(iter(floats.values()), np.empty(1)))
        value = np.array(np.broadcast_to(read(formula), length))
        undefined, cancelled = np.zeros((2, length), dtype=bool)
        for guard in formula.guards:
            size = read(guard)
            undefined |= size == 0
            if guard.signed:
                cancelled |= np.abs(size) <= chosen.exact_where_left * read(guard.unsigned)
        value[undefined] = np.nan
        cancelled |= ~np.isfinite(value) & ~undefined
        for cell in floats.values():
            # Products of four such numbers could leave the range of floats.
            cancelled |= (cell != 0) & ((cell < 1 / chosen.floats_up_to) | (cell > chosen.floats_up_to))
    for i in np.flatnonzero(cancelled):
        exact = formula.exact({name: array[i].item() for name, array in values.items()})
        value[i] = np.nan if exact is None else float(exact)
    return value


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


def _affine(polynomial: Polynomial) -> tuple[Polynomial, Polynomial, Polynomial] | None:
    """Split a polynomial into its factors of tp, of tn and the rest; None where tp and tn meet."""
    split: dict[Monomial, dict[Monomial, Fraction]] = {("tp",): {}, ("tn",): {}, (): {}}
    for monomial, coefficient in polynomial.terms.items():
        moving = tuple(name for name in monomial if name in ("tp", "tn"))
        if moving not in split:
            return None
        split[moving][tuple(name for name in monomial if name not in ("tp", "tn"))] = coefficient
    return Polynomial(split["tp",]), Polynomial(split["tn",]), Polynomial(split[()])


def _text(node: Formula) -> str:
    if isinstance(node, Quantity):
        return node.name
    if isinstance(node, Constant):
        return str(node.value)
    if isinstance(node, Root):
        return f"sqrt({_text(node.radicand)})"
    assert isinstance(node, Operation)
    left = f"({_text(node.left)})" if _looser(node.left, node, strict=True) else _text(node.left)
    bracketed = _looser(node.right, node, strict=node.symbol in "+*")
    return f"{left} {node.symbol} " + (f"({_text(node.right)})" if bracketed else _text(node.right))


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
        stem, *group = node.name.split("_", 1)
        return _SYMBOLS.get(node.name, "_".join([rf"\mathrm{{{stem.upper()}}}", *group]))
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
    sum_inside = isinstance(part, Operation) and part.symbol in "+-"
    return sum_inside and (node.symbol == "*" or (node.symbol == "-" and part is node.right))


def total_of(parts: Sequence[Formula]) -> Formula:
    """Return the sum of formulas, left to right."""
    return reduce(operator.add, parts)
