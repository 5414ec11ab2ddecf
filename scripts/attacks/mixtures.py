"""Averages over as many tables as one likes: whether some shares of tables have scores as printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import linprog

from .claimed import cells_of
from .class_tables import ClassClaimed, ClassWorld
from .fold_means import MeansOf, Part, part_score
from .printed import Said
from .running import expect
from .scores import Cells
from .surds import Surd, added, decimal, inside, plain, times

#: What floats find to be outside by more is outside.
_OUTSIDE: Final = 1e-6
_LARGEST: Final = 7


class Shares(NamedTuple):
    """Tables that have a share of an average in common: the share, and the scores of each table."""

    share: Fraction
    values: Sequence[Sequence[Surd]]


#: What a mean is said to be.
Box: TypeAlias = Sequence[Said]


def mixed(groups: Sequence[Shares], box: Box) -> bool | None:
    """Tell whether shares of tables have such means; None where floats cannot tell.

    They do only if shares were found, and their means checked in fractions.
    """
    if not all(group.values for group in groups):
        return False
    rows = [values for group in groups for values in group.values]
    columns = np.array([[float(decimal(value)) for value in values] for values in rows]).T.reshape(len(box), -1)
    owner = np.array([place for place, group in enumerate(groups) for _ in group.values])
    totals = np.array([owner == place for place in range(len(groups))], dtype=float)
    low, high = (np.array([float(getattr(said, end)) for said in box]) for end in ("low", "high"))
    shares = [float(group.share) for group in groups]

    def solved(cost: float, slope: Any) -> Any:
        """Move the last variable as the cost says; on each side the box is smaller by so much times the slope."""
        sides = np.vstack([np.column_stack([-columns, slope]), np.column_stack([columns, slope])])
        return linprog(
            [*[0.0] * len(rows), cost],
            A_ub=sides,
            b_ub=np.concatenate([-low, high]),
            A_eq=np.column_stack([totals, np.zeros(len(groups))]),
            b_eq=shares,
            bounds=[(0, None)] * len(rows) + [(0, 1 if cost < 0 else None)],
        )

    nearest = solved(1.0, -np.ones(len(box)))
    if nearest.status == 0 and nearest.x[-1] > _OUTSIDE:
        return False
    inner = solved(-1.0, (high - low) / 2)
    if inner.status != 0:
        return None
    exact = _exact_shares(groups, owner, inner.x[:-1])
    means = [
        added(*(times(values[place], share) for values, share in zip(rows, exact, strict=True) if share))
        for place in range(len(box))
    ]
    return True if all(inside(mean, said) for mean, said in zip(means, box, strict=True)) else None


def _exact_shares(groups: Sequence[Shares], owner: Any, found: Any) -> list[Fraction]:
    """Return shares as fractions that add up to what they should."""
    rough = [Fraction(max(share, 0.0)).limit_denominator(10**9) for share in found.tolist()]
    places = owner.tolist()
    sums = [Fraction(0)] * len(groups)
    for share, place in zip(rough, places, strict=True):
        sums[place] += share
    return [x * groups[own].share / sums[own] if sums[own] else x for x, own in zip(rough, places, strict=True)]


def _group(share: Fraction, tables: Sequence[Cells], claims: Sequence[MeansOf], undefined: str) -> Shares:
    """Return tables at which all scores are defined, or counted as something, with these scores."""
    every = [[part_score(claim.meant, cells, undefined) for claim in claims] for cells in tables]
    return Shares(share, [values for values in every if None not in values])  # type: ignore[misc]


def repeated_parts(parts: Sequence[Part], claims: Sequence[MeansOf], undefined: str) -> bool | None:
    """Tell whether parts, dealt and tested as often as one likes, have such means; None where that is not known."""
    if undefined == "excluded" or any(claim.of != "mean" or claim.meant.is_area for claim in claims):
        return None
    whole = sum((part.weight for part in parts), Fraction(0))
    kinds = Counter(parts)
    groups = [_group(part.weight * count / whole, part.tables(), claims, undefined) for part, count in kinds.items()]
    return mixed(groups, [claim.said for claim in claims])


def shares_found(found: Any, parts: Sequence[Part]) -> tuple[list[Part], list[Cells]]:
    """Return the tables that an average over repeated parts was found of, and the share of each as its weight.

    Each kind of part must have its share of all.
    """
    every = [(share, cells_of(table)) for share, table in found.solution.decision.shares]
    weighted = [Part(tp + fn, fp + tn, share) for share, (tp, fn, fp, tn) in every]
    whole = sum((part.weight for part in parts), Fraction(0))
    for p, n in {part[:2] for part in [*parts, *weighted]}:
        own, due = (sum((one.weight for one in some if one[:2] == (p, n)), Fraction(0)) for some in (weighted, parts))
        expect(own == due / whole, "shares of parts", (p, n), own, due / whole)
    return weighted, [cells for _, cells in every]


@lru_cache(maxsize=1)
def small_tables() -> tuple[Cells, ...]:
    """Return all tables of at most a few cases."""
    return tuple(
        cells for total in range(1, _LARGEST + 1) for p in range(total + 1) for cells in Part(p, total - p).tables()
    )


def any_parts(claims: Sequence[MeansOf], undefined: str) -> bool | None:
    """Tell whether an average over small test sets of any make-up has such means; None where that is not known."""
    if undefined == "excluded" or any(claim.of != "mean" or claim.meant.is_area for claim in claims):
        return None
    return mixed([_group(Fraction(1), small_tables(), claims, undefined)], [claim.said for claim in claims])


def any_runs(where: ClassWorld, claims: Sequence[ClassClaimed], undefined: str) -> bool | None:
    """Tell whether an average over tables of several classes has such scores; None where that is not known."""
    columns = [where.values(claim.meant, undefined) for claim in claims]
    if any(values is None or values.form != "ratio" for values in columns):
        return None
    defined = np.logical_and.reduce([values.defined for values in columns])  # type: ignore[union-attr]
    rows = {tuple(values.key(i) for values in columns) for i in np.flatnonzero(defined).tolist()}  # type: ignore[union-attr]
    shares = Shares(Fraction(1), [[plain(Fraction(value)) for value in row] for row in rows])
    return mixed([shares], [claim.said for claim in claims])
