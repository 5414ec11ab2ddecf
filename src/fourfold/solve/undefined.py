"""What a score is where it, or a class that it averages over, is undefined: by what a convention says."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from ..exact import Constant, Formula
from ..metrics import POSITIVES, TOTAL, Averaged, Convention, Metric
from .region import defined, undefined_in
from .rows import Rows


def split_by(rows: Rows, holes: list[Formula], undefined: set[Formula]) -> Iterator[tuple[Rows, set[Formula]]]:
    """Yield the tables by which of some formulas are undefined in them, beside those that are."""
    if len(rows) and holes:
        yield from split_by(defined(rows, holes[0]), holes[1:], undefined)
        yield from split_by(undefined_in(rows, holes[0]), holes[1:], undefined | {holes[0]})
    elif len(rows):
        yield rows, undefined


def values_in(rows: Rows, metric: Metric, convention: Convention) -> Iterator[tuple[Rows, Formula | Fraction]]:
    """Yield the tables that have a score under a convention, by the formula or the number that gives it."""
    holes = [formula for formula in metric.components if formula.guards and not convention.strict]
    for part, undefined in split_by(rows, holes, set()):
        left, fill = what_is_left(metric, undefined, convention), metric.fill(convention)
        if left is None and fill is not None:
            yield part, fill
        elif left is not None and len(some := defined(part, left)):
            yield some, left


def what_is_left(metric: Metric, undefined: set[Formula], convention: Convention) -> Formula | None:
    """Return a score where some formulas are undefined; None where nothing of it is left."""
    here = [formula not in undefined for formula in metric.components]
    if all(here):
        return metric.formula
    if not any(here):
        return None
    assert isinstance(metric.over_classes, Averaged)
    place = 0 if here[0] else 1
    return _half_of_average(metric.components[place], place, metric.over_classes.average, convention)


@lru_cache(maxsize=4096)
def _half_of_average(left: Formula, place: int, average: str, convention: Convention) -> Formula:
    """Return an average over two classes of which only one has a value, the positive one at place 0."""
    size = POSITIVES if place == 0 else TOTAL - POSITIVES
    if convention.drop:
        # A class without cases has no weight, so that nothing is left.
        return left / 1 if average == "macro" else size * left / size
    whole: Formula = Constant(Fraction(2)) if average == "macro" else TOTAL
    own: Formula = left if average == "macro" else size * left
    if not convention.fill:
        return own / whole
    return (own + Constant(convention.fill) * (1 if average == "macro" else TOTAL - size)) / whole
