"""The area under the ROC curve beside a table, against all rankings and against brute force."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import pytest

from fourfold import Table
from fourfold.exact.reported import Reported
from fourfold.solve import Area

_MOST = 5
#: The corners of a ROC curve, as numbers of false and true positives.
Corners = tuple[tuple[int, int], ...]


@cache
def _rankings(positives: int, negatives: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return every ranking with ties, as groups of equal scores: how many positives and negatives each holds."""
    if not positives and not negatives:
        return ((),)
    return tuple(
        ((a, b), *rest)
        for a, b in product(range(positives + 1), range(negatives + 1))
        if a or b
        for rest in _rankings(positives - a, negatives - b)
    )


def _corners(ranking: tuple[tuple[int, int], ...]) -> Corners:
    corners = [(0, 0)]
    for a, b in ranking:
        corners.append((corners[-1][0] + b, corners[-1][1] + a))
    return tuple(corners)


def _pairs_right_twice(ranking: tuple[tuple[int, int], ...]) -> int:
    """Count twice the pairs that are ranked right, ties half, pair of groups by pair of groups."""
    return sum(
        a * d * (2 if i < j else 1 if i == j else 0)
        for i, (a, _) in enumerate(ranking)
        for j, (_, d) in enumerate(ranking)
    )


def _is_convex(corners: Corners) -> bool:
    steps = [(x1 - x0, y1 - y0) for (x0, y0), (x1, y1) in pairwise(corners)]
    return all(b * c >= a * d for (a, b), (c, d) in pairwise(steps))


@cache
def _attained(positives: int, negatives: int) -> dict[str, dict[tuple[int, int, int, int], set[int]]]:
    """Return by table the values of 2 U of all rankings, and of those whose curve is convex."""
    found: dict[str, dict[tuple[int, int, int, int], set[int]]] = {kind: defaultdict(set) for kind in ("any", "convex")}
    seen: set[tuple[int, Corners]] = set()
    for ranking in _rankings(positives, negatives):
        twice, corners = _pairs_right_twice(ranking), _corners(ranking)
        assert (twice, corners) not in seen
        seen.add((twice, corners))
        convex = _is_convex(corners)
        for fp, tp in corners:
            table = (tp, positives - tp, fp, negatives - fp)
            found["any"][table].add(twice)
            if convex:
                found["convex"][table].add(twice)
    return found


_SIZES = list(product(range(1, _MOST + 1), repeat=2))


def _tables(positives: int, negatives: int) -> Iterator[Table]:
    for tp, tn in product(range(positives + 1), range(negatives + 1)):
        yield Table(tp=tp, fn=positives - tp, fp=negatives - tn, tn=tn)


def _exactly(twice: int, pairs: int) -> Reported:
    return Reported.read(Fraction(twice, 2 * pairs))


@pytest.mark.parametrize(("positives", "negatives"), _SIZES)
def test_what_a_table_leaves_for_the_area_is_what_rankings_have(positives: int, negatives: int) -> None:
    found, pairs = _attained(positives, negatives), positives * negatives
    for table in _tables(positives, negatives):
        cells = (table.tp, table.fn, table.fp, table.tn)
        for twice in range(2 * pairs + 1):
            claim = (_exactly(twice, pairs),)
            assert Area(claim).fits(table) == (twice in found["any"][cells])


@pytest.mark.parametrize(("positives", "negatives"), _SIZES)
def test_the_ends_that_a_convex_curve_leaves_are_attained(positives: int, negatives: int) -> None:
    # Between the ends a few halves are missing; from ten negatives on, sometimes the uppermost is.
    found, pairs = _attained(positives, negatives)["convex"], positives * negatives
    for table in _tables(positives, negatives):
        attained = found[table.tp, table.fn, table.fp, table.tn]
        for twice in range(2 * pairs + 1):
            between = min(attained, default=1) <= twice <= max(attained, default=0)
            assert Area((_exactly(twice, pairs),), "convex").fits(table) == between
