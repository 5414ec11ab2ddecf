"""What an undefined score counts as: a value that is passed on, never a word that is compared.

Text becomes a convention in `CONVENTIONS` alone. To add one, add its row there and its row in the table of readings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..exact.surd import Exact

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Convention:
    """What stands for an undefined score: nothing, `fill`, or it is left out of averages with `drop`.

    Examples
    --------
    >>> Convention(fill=Fraction(1)).mean([(Fraction(1, 2), 1), (None, 1)])
    Fraction(3, 4)
    """

    fill: Fraction | None = None
    drop: bool = False

    @property
    def strict(self) -> bool:
        """Whether undefined scores may not occur."""
        return self.fill is None and not self.drop

    def mean(self, values: Iterable[tuple[Exact | None, Fraction | int]]) -> Exact | None:
        """Return the mean of values with their weights, some of them undefined; None where it is undefined too."""
        top: Exact = Fraction(0)
        whole: Fraction | int = 0
        for value, weight in values:
            if value is None:
                value = self.fill
            if value is not None:
                top, whole = top + value * weight, whole + weight
            elif not self.drop:
                return None
        return top / whole if whole else None

    def mean_floats(self, values: Floats, weights: Any) -> Floats:
        """Return the same down the columns of an array, where nan is undefined."""
        missing = np.isnan(values)
        if self.drop:
            weights = np.where(missing, 0.0, weights)
        top = (np.where(missing, float(self.fill or 0), values) * weights).sum(axis=0)
        with np.errstate(all="ignore"):
            means = top / np.broadcast_to(weights, values.shape).sum(axis=0)
        return np.where(missing.any(axis=0), np.nan, means) if self.strict else means

    def __str__(self) -> str:
        return next(name for name, convention in CONVENTIONS.items() if convention == self)


STRICT: Final = Convention()

#: Conventions by the word that says them; "any" leaves it open, so that several are tried.
CONVENTIONS: Final[Mapping[str, Convention | None]] = MappingProxyType(
    {
        "any": None,
        "none": STRICT,
        "zero": Convention(fill=Fraction(0)),
        "one": Convention(fill=Fraction(1)),
        "excluded": Convention(drop=True),
    }
)


def read_convention(value: object) -> Convention | None:
    """Read how undefined scores were printed; None where that is not known."""
    if isinstance(value, Convention):
        return value
    if not isinstance(value, str) or value not in CONVENTIONS:
        hint = f"one of {', '.join(CONVENTIONS)}"
        raise InputError("bad_option", "undefined", "unknown convention", value, hint)
    return CONVENTIONS[value]


def convention_word(convention: Convention | None) -> str:
    """Return the word for a convention, as it is given and printed."""
    return "any" if convention is None else str(convention)


def filled(values: Floats, fill: Fraction | None) -> Floats:
    """Return values with what stands for undefined ones, if anything does."""
    return values if fill is None else np.where(np.isnan(values), float(fill), values)
