"""How far off a score can be that was computed in floats.

No one says by which formula a score was computed: recall may be one minus the miss rate, kappa a difference of shares
over another. What all of these have in common is that the cells enter as shares of all cases, each off by what floats
round off near 1. How far that carries is read off the formula, step by step: a difference keeps the error of its parts,
and a small divisor makes it large.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .tree import CELLS, Constant, Formula, Operation, Quantity, Root

_Floats = NDArray[np.float64]
#: What a share of predicted cases can be off by: through shares of all cases it is computed where they are not too few.
_MOST_OF_A_SHARE: Final = 1000.0


@lru_cache(maxsize=4096)
def float_error(formula: Formula, positives: int, negatives: int) -> float:
    """Return how far off a score of some table with these margins can be, in units of what floats round off near 1.

    A score above 1 can be off by this many times as much as it is large.

    Examples
    --------
    >>> tp, fn, fp, tn = map(Quantity, CELLS)
    >>> float_error((tp + tn) / (tp + fn + fp + tn), 50, 50)
    3.0
    >>> float_error(tp / (tp + fn), 1, 99)
    201.0
    """
    tp, tn = _at_the_rim(positives, negatives)
    if formula.cancels:
        # Where the rates are equal it is undefined, which floats may fail to see.
        apart = tp * negatives != (negatives - tn) * positives
        tp, tn = tp[apart], tn[apart]
    total = positives + negatives
    cells = (tp, positives - tp, negatives - tn, tn)
    shares = {name: np.asarray(cell, dtype=np.float64) / max(total, 1) for name, cell in zip(CELLS, cells, strict=True)}
    with np.errstate(all="ignore"):
        value, error = _read(formula, shares, math.log1p(total))
        largest = np.broadcast_to(error / np.maximum(1.0, np.abs(value)), tp.shape)
    return max((float(x) for x in largest[np.isfinite(largest)]), default=1.0)


def _at_the_rim(positives: int, negatives: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return tp and tn of tables where something is small: a cell, or what tells the prediction from chance."""
    few, others = (
        [k for k in (0, 1, 2, size // 2, size - 2, size - 1, size) if 0 <= k <= size] for size in (positives, negatives)
    )
    points = [(tp, tn) for tp in few for tn in others]
    if positives and negatives:
        points += [(tp, negatives - negatives * tp // positives - step) for tp in few for step in (-1, 0, 1)]
        divisor = math.gcd(positives, negatives)
        # Here both rates differ by as little as they can.
        tp = pow(negatives // divisor, -1, positives // divisor) if positives > divisor else 1
        points.append((tp, negatives - (tp * negatives - divisor) // positives))
    kept = [(tp, tn) for tp, tn in points if 0 <= tp <= positives and 0 <= tn <= negatives]
    tp, tn = np.array(kept, dtype=object).T
    return tp, tn


def _read(node: Formula, shares: dict[str, _Floats], log_total: float) -> tuple[Any, Any]:
    """Return a formula's value and how far off it can be."""
    if isinstance(node, Constant):
        return float(node.value), 0.0
    if _is_sum(node):
        return node.fold(shares.__getitem__, float, np.sqrt), 1.0
    if isinstance(node, Root):
        inside, error = _read(node.radicand, shares, log_total)
        value = np.sqrt(inside)
        # Zero stays zero; and a root may be computed by logarithms of counts.
        return value, np.where(inside == 0, 0.0, error / (2 * value)) + value * (1 + log_total)
    assert isinstance(node, Operation)
    (x, of_x), (y, of_y) = (_read(part, shares, log_total) for part in (node.left, node.right))
    if node.symbol == "/":
        value = x / y
        error = (of_x + np.abs(value) * of_y) / np.abs(y) + np.abs(value)
    elif node.symbol == "*":
        value = x * y
        error = np.abs(x) * of_y + np.abs(y) * of_x + np.abs(value)
    else:
        value = x + y if node.symbol == "+" else x - y
        error = of_x + of_y + np.abs(value)
    return value, np.minimum(error, _MOST_OF_A_SHARE) if _is_share(node) else error


def _is_sum(node: Formula) -> bool:
    """Tell whether it is a sum of cells."""
    if isinstance(node, Operation):
        return node.symbol == "+" and _is_sum(node.left) and _is_sum(node.right)
    return isinstance(node, Quantity)


@lru_cache(maxsize=1024)
def _is_share(node: Formula) -> bool:
    """Tell whether it is a part over the whole that holds it, where the margins leave it open how large that is."""
    ratio, form = node.ratio(), node.affine_ratio
    if ratio is None or (form is not None and not any(part.terms for part in form.denominator[:2])):
        return False
    rest = ratio.denominator - ratio.numerator
    return all(factor >= 0 for part in (ratio.numerator, rest) for factor in part.terms.values())
