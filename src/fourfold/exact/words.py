"""Where a formula is undefined: which quantities must be zero for that, and the same in words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations
from types import MappingProxyType
from typing import Any, Final

from .polynomial import Polynomial
from .tree import CELLS, Constant, Formula, Operation, Quantity, Root


@lru_cache(maxsize=8192)
def vanishes(guard: Formula, zeros: frozenset[str]) -> bool | None:
    """Tell whether a guard is zero when just these quantities are zero and all others positive.

    None where that depends on the numbers. A guard that is itself undefined there is not zero: the guard inside it is.

    Examples
    --------
    >>> tp, fn, fp, tn = map(Quantity, CELLS)
    >>> vanishes(tp + fn, frozenset({"tp", "fn", "tn"})), vanishes(tp * tn - fp * fn, frozenset())
    (True, None)
    """
    inner = [vanishes(divisor, zeros) for divisor in guard.guards]
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


@lru_cache(maxsize=8192)
def zero_sets(guard: Formula) -> tuple[frozenset[str], ...]:
    """Return the smallest sets of quantities whose being zero makes a guard zero.

    Examples
    --------
    >>> tp, fn, fp, tn = map(Quantity, CELLS)
    >>> [sorted(names) for names in zero_sets(tp * tn + fp)]
    [['fp', 'tp'], ['fp', 'tn']]
    """
    sets: list[frozenset[str]] = []
    names = guard.quantities
    for size in range(1, len(names) + 1):
        for chosen in map(frozenset, combinations(names, size)):
            if not any(smaller <= chosen for smaller in sets) and vanishes(guard, chosen):
                sets.append(chosen)
    return tuple(sets)


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
    """Say in words that these quantities are all zero."""
    if names in _ABSENT:
        return _ABSENT[names]
    stems = {name.rpartition("_")[::2] for name in names}
    groups = {group for _, group in stems}
    if len(groups) == 1 and groups <= _GROUPS.keys() and "" not in {stem for stem, _ in stems}:
        return absence(frozenset(stem for stem, _ in stems)) + _GROUPS[groups.pop()]
    return " and ".join(f"{name} = 0" for name in sorted(names))


def conditions(formula: Formula, names: Mapping[Formula, str] | None = None) -> tuple[str, ...]:
    """Say in words where a formula is undefined, one entry a cause; `names` are words for parts of the formula.

    Examples
    --------
    >>> tp, fn, fp, tn = map(Quantity, CELLS)
    >>> recall = tp / (tp + fn)
    >>> conditions(1 / (recall - fp / (fp + tn)), {recall: "recall"})
    ('no actual positives', 'no actual negatives', 'recall equals fp / (fp + tn)')
    """
    causes: list[str] = []
    for guard in formula.guards:
        causes += [equality(guard, names or {})] if guard.signed else map(absence, zero_sets(guard))
    return tuple(dict.fromkeys(causes))


def reasons(formula: Formula, values: Mapping[str, Any], names: Mapping[Formula, str] | None = None) -> tuple[str, ...]:
    """Say in words why a formula is undefined at one table; empty where it is defined."""
    zeros = frozenset(name for name in formula.quantities if values[name] == 0)
    causes: list[str] = []
    for guard in formula.guards:
        if not guard.signed:
            causes += [absence(chosen) for chosen in zero_sets(guard) if chosen <= zeros]
        elif guard.exact(values) == 0:
            causes.append(equality(guard, names or {}))
    return tuple(dict.fromkeys(causes))


def equality(guard: Formula, names: Mapping[Formula, str]) -> str:
    """Say in words that a guard with a difference in it cancels to zero."""
    parts = (guard.left, guard.right) if isinstance(guard, Operation) and guard.symbol == "-" else (guard,)
    words = [names.get(part) or part.text() for part in parts]
    return " equals ".join(words) if len(words) > 1 else f"{words[0]} is zero"
