"""The tables of all sizes that fit a set of claims, where no size is known.

A score that is a ratio of two linear forms in the cells makes a claim two half-spaces through the origin, and where it
is defined is a matter of sums that are positive. So the tables that fit, of all sizes at once, are the integer points
of a cone, and a cone is known by its rays. Every ray is a table, and the sum of all rays is a table that fits where any
does. Integers decide what is possible, and all limits of such scores.

Other scores need a second fact. Among tables of one prevalence a score only rises or only falls with either rate, so
its limits lie on facets of the cone; on edges of it, where the score is a ratio of affine forms for given margins. On
edges, limits are exact too. What is left is looked for in floats on the facets, and such a limit says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from itertools import combinations, count, product
from operator import add
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..exact import CELLS, Formula, Program, Quantity, zero_sets
from ..exact.polynomial import Polynomial
from ..exact.reported import Reported
from ..exact.surd import Exact, root
from ..metrics import STRICT, Convention, Metric
from ..table import Table
from .extremes import NOTHING
from .problem import Bounds
from .region import Constraint

#: Integer factors of tp, fn, fp and tn; also the cells of a table.
Form: TypeAlias = tuple[int, int, int, int]
_ORTHANT: Final[tuple[Form, ...]] = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
_POSITIVES: Final[Form] = (1, 1, 0, 0)
_PREDICTED_POSITIVES: Final[Form] = (1, 0, 1, 0)

#: How far a limit that was looked for in floats may be off, relative to 1 or to itself where it is larger.
TOLERANCE: Final = 1e-6
# A table whose score comes as near as this to such a limit stands for it.
_NEAR: Final = 1e-9
# A score without a largest value that is found above this grows without end.
_ENDLESS: Final = 1e12

# Weights of corners, as logarithms: dense where they are alike, and so far apart at the ends that products underflow
# nowhere and yet only one corner counts.
_ALONG: Final = (-45, -30, -20, -13, -9, -6, -4, -3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4, 6, 9, 13, 20, 30, 45)
_ACROSS: Final = (-90.0, -60, -40, -26, -18, -12, -8, -5, -3, -2, -1, -0.5, 0, 0.5, 1, 2, 4, 8)
_INWARDS: Final = -92.0
_RIM: Final = np.array([45.0, 90.0])
_STARTS: Final = 4
_FIRST_STEP: Final = 4.0
_STEPS: Final = 40
_AGAIN: Final = np.array([[0.5], [1.0], [2.0]])


class Ratio(NamedTuple):
    """One linear form over another, which is positive where the score is defined."""

    top: Form
    bottom: Form


class End(NamedTuple):
    """One end of what a score can be over all sizes.

    `value` is exact, or a float where it is infinite or was looked for in floats; then `exact` is false, and it may be
    off by `TOLERANCE`. `table` attains it. Where there is none, tables come as near as one likes and none is known to
    attain it; of a ratio of linear forms, none does.
    """

    value: Exact | float
    table: Table | None
    exact: bool


class Limits(NamedTuple):
    """The smallest and the largest value of a score over tables of all sizes."""

    low: End
    high: End


def _times(form: Form, cells: Sequence[int]) -> int:
    a, b, c, d = form
    return a * cells[0] + b * cells[1] + c * cells[2] + d * cells[3]


def _sum(rays: Iterable[Form]) -> Form:
    return _form(map(sum, zip(*rays, strict=True)))


def _smallest_multiple(cells: Iterable[int]) -> Form:
    tp, fn, fp, tn = cells
    divisor = math.gcd(tp, fn, fp, tn) or 1
    return tp // divisor, fn // divisor, fp // divisor, tn // divisor


@lru_cache(maxsize=4096)
def linear_ratio(formula: Formula) -> Ratio | None:
    """Return a formula as a ratio of linear forms in the four cells; None where it is none, or may divide by zero.

    Examples
    --------
    >>> from fourfold.metrics import metric
    >>> linear_ratio(metric("f1").formula)
    Ratio(top=(2, 0, 0, 0), bottom=(2, 1, 1, 0))
    """
    ratio = formula.ratio()
    if ratio is None or formula.cancels or not set(formula.quantities) <= set(CELLS):
        return None
    parts = (ratio.numerator, ratio.denominator)
    if all(len(monomial) == 1 for part in parts for monomial in part.terms):
        return _in_integers([part.terms.get((name,), Fraction(0)) for part in parts for name in CELLS])
    # top / bottom with numerator * bottom = denominator * top: eight factors, an equation a monomial.
    products = [ratio.denominator * Polynomial.of(name) * Polynomial.number(-1) for name in CELLS]
    products += [ratio.numerator * Polynomial.of(name) for name in CELLS]
    monomials = dict.fromkeys(monomial for product in products for monomial in product.terms)
    equations = np.array([[float(product.terms.get(m, 0)) for product in products] for m in monomials])
    _, sizes, basis = np.linalg.svd(equations)
    if np.count_nonzero(sizes > 1e-9 * sizes[0]) != 7:
        return None
    # The one direction that solves them in floats does so if it does exactly.
    factors = [Fraction(x).limit_denominator(10**6) for x in basis[-1] / np.abs(basis[-1]).max()]
    whole = reduce(add, (product * Polynomial.number(x) for product, x in zip(products, factors, strict=True)))
    return None if whole.terms else _in_integers(factors)


def _in_integers(factors: Sequence[Fraction]) -> Ratio:
    """Return the ratio of two forms with the smallest integer factors, the lower form positive."""
    scale = math.lcm(*(x.denominator for x in factors))
    whole = [int(x * scale) for x in factors]
    divisor = math.gcd(*whole) * (1 if sum(whole[4:]) > 0 else -1)
    a, b, c, d, e, f, g, h = (x // divisor for x in whole)
    return Ratio((a, b, c, d), (e, f, g, h))


@lru_cache(maxsize=4096)
def _positive_sums(formula: Formula) -> tuple[Form, ...]:
    """Return the sums of cells that must be positive for a formula to be defined; denominators that cancel aside."""
    zeros = (cells for guard in formula.guards if not guard.signed for cells in zero_sets(guard))
    return tuple(dict.fromkeys(_form(name in cells for name in CELLS) for cells in zeros))


def _form(factors: Iterable[int]) -> Form:
    a, b, c, d = map(int, factors)
    return a, b, c, d


class _Ray(NamedTuple):
    """A ray as its smallest table, and a bit for each half-space on whose rim it lies."""

    cells: Form
    tight: int


@dataclass(frozen=True)
class Cone:
    """The tables of all sizes that fit claims, each a metric that is a ratio of linear forms and its interval.

    Examples
    --------
    >>> from fourfold.metrics import metric
    >>> from fourfold.exact.reported import Reported
    >>> cone = Cone.of([(metric("recall"), Reported.read("=0.8")), (metric("precision"), Reported.read("=0.5"))])
    >>> cone.empty, cone.limits(metric("f1")).low.value
    (False, Fraction(8, 13))
    """

    #: Forms that are not negative at tables that fit, those of the four cells first.
    closed: tuple[Form, ...]
    #: Forms that are positive at tables that fit.
    strict: tuple[Form, ...]

    @classmethod
    def of(cls, constraints: Sequence[Constraint]) -> Cone | None:
        """Return the tables that fit claims; None where one is about a score that is no ratio of linear forms."""
        closed, strict = list(_ORTHANT), [(1, 1, 1, 1)]
        for metric, reported in constraints:
            ratio = linear_ratio(metric.formula)
            if ratio is None:
                return None
            strict += _positive_sums(metric.formula)
            for end, is_open, sign in ((reported.low, reported.low_open, 1), (reported.high, reported.high_open, -1)):
                up, down = sign * end.denominator, sign * end.numerator
                form = _form(up * top - down * bottom for top, bottom in zip(*ratio, strict=True))
                closed.append(_smallest_multiple(form))
                strict += [form] * is_open
        return cls(tuple(form for form in dict.fromkeys(closed) if any(form)), tuple(dict.fromkeys(strict)))

    def with_zeros(self, cells: Iterable[str]) -> Cone:
        """Return those of the tables in which some cells are zero."""
        zeros = (_form(-(name == zero) for name in CELLS) for zero in sorted(set(cells)))
        return Cone((*self.closed, *zeros), self.strict)

    def __contains__(self, cells: Sequence[int]) -> bool:
        """Tell whether a table fits."""
        return all(_times(form, cells) >= 0 for form in self.closed) and self._inside(cells)

    def _inside(self, cells: Sequence[int], more: Sequence[Form] = ()) -> bool:
        """Tell whether a table of the closed cone is on no rim that is left out."""
        return all(_times(form, cells) > 0 for form in (*self.strict, *more))

    @cached_property
    def _rays(self) -> tuple[_Ray, ...]:
        """The rays of the closed cone, by Motzkin's double description: half-space after half-space."""
        rays = [_Ray(cells, 0b1111 ^ (1 << i)) for i, cells in enumerate(_ORTHANT)]
        for place, form in enumerate(self.closed[len(_ORTHANT) :], len(_ORTHANT)):
            heights = [_times(form, ray.cells) for ray in rays]
            kept = [
                _Ray(ray.cells, ray.tight | (height == 0) << place)
                for ray, height in zip(rays, heights, strict=True)
                if height >= 0
            ]
            for i, j in _neighbours(rays):
                if heights[i] * heights[j] < 0:
                    (up, above), (down, below) = sorted([(heights[i], i), (heights[j], j)], reverse=True)
                    joined = (up * y - down * x for x, y in zip(rays[above].cells, rays[below].cells, strict=True))
                    tight = (rays[above].tight & rays[below].tight) | 1 << place
                    kept.append(_Ray(_smallest_multiple(joined), tight))
            rays = kept
        return tuple(rays)

    @property
    def rays(self) -> tuple[Form, ...]:
        """The tables at the corners: every table that fits is a sum of multiples of these."""
        return tuple(ray.cells for ray in self._rays)

    @cached_property
    def _middle(self) -> Form:
        return _smallest_multiple(_sum([*self.rays, (0, 0, 0, 0)]))

    @property
    def empty(self) -> bool:
        """Whether no table of any size fits."""
        # No form is negative at a ray, so one that is positive anywhere in the cone is positive at their sum.
        return not self._inside(self._middle)

    @property
    def only(self) -> Table | None:
        """The smallest table where all that fit are multiples of one; else None."""
        return None if self.empty or len(self._rays) != 1 else Table.of_counts(*self.rays[0])

    @property
    def least_total(self) -> int:
        """A total that no table that fits falls short of: where some cells cannot all be zero, they make one case."""
        least = 1
        for size in (1, 2):
            for chosen in combinations(range(4), size):
                form = _form(i in chosen for i in range(4))
                zero = [cells for cells in self.rays if not _times(form, cells)]
                if not zero or not self._inside(_sum(zero)):
                    share = max(Fraction(_times(form, cells), sum(cells)) for cells in self.rays)
                    least = max(least, -(-share.denominator // share.numerator))
        return least

    @cached_property
    def _edges(self) -> tuple[tuple[int, int], ...]:
        return tuple(_neighbours(self._rays))

    @cached_property
    def _faces(self) -> tuple[tuple[int, ...], ...]:
        """The facets as places of their rays; the whole, where it lies in a hyperplane."""
        whole = tuple(range(len(self._rays)))
        sets = {tuple(i for i in whole if self._rays[i].tight >> place & 1) for place in range(len(self.closed))}
        facets = [s for s in sets if len(s) > 2 and not any(set(s) < set(other) for other in sets)]
        return (whole,) if whole in sets or not facets else tuple(sorted(facets))

    @cached_property
    def _landmarks(self) -> tuple[Form, ...]:
        """Tables at which limits are often attained: rays, sums of two of a facet, its middle and that of all."""
        chosen = [c for face in self._faces for size in (2, len(face)) for c in combinations(face, size)]
        sums = (_smallest_multiple(_sum([self.rays[i] for i in places])) for places in dict.fromkeys(chosen))
        return tuple(sorted(dict.fromkeys([*self.rays, *sums, self._middle]), key=sum))

    def limits(self, metric: Metric) -> Limits | None:
        """Return the smallest and the largest value of a metric; None where no table that fits has one."""
        return self.all_limits([metric])[metric.id]

    def all_limits(self, metrics: Sequence[Metric]) -> dict[str, Limits | None]:
        """Return the limits of several metrics by id: at once, as those in floats are looked for together."""
        limits: dict[str, Limits | None] = {}
        curved = []
        for metric in metrics:
            limits[metric.id] = None
            if self.empty or not self._inside(self._middle, _positive_sums(metric.formula)):
                continue
            if self.only is not None:
                value = metric.formula.exact(self.only.cells())
                limits[metric.id] = None if value is None else Limits(*[End(value, self.only, exact=True)] * 2)
            elif is_exact(metric.formula):
                limits[metric.id] = self._exact_limits(metric.formula)
            else:
                curved.append(metric)
        if curved:
            # The two averages of a ratio of errors do not rise or fall with a rate; but where that ratio is held still,
            # they are linear in the shares of both classes, so that their limits lie on facets as well.
            rays, triangles = np.array([[x / sum(cells) for x in cells] for cells in self.rays]), []
            # The facets are cut into triangles, as shares of cells: an edge, the facet's middle, and that of all.
            for face in self._faces:
                edges = [(i, j) for i, j in self._edges if i in face and j in face]
                triangles += [(rays[i], rays[j], rays[list(face)].mean(axis=0), rays.mean(axis=0)) for i, j in edges]
            ends = _extremes(np.array(triangles), [metric.formula for metric in curved])
            limits |= {metric.id: self._limits_near(metric, *own) for metric, own in zip(curved, ends, strict=True)}
        return limits

    def _on_edges(self, formula: Formula) -> Iterator[tuple[Exact | float, Form | None]]:
        """Yield values of which the least and the largest are the limits of a score, each with a table or none.

        A ratio of linear forms is a mean of its values at the rays. One where both forms are zero adds nothing to
        either, and one where only the lower form is zero makes it endless. Other scores are a ratio of affine forms on
        each slice, where a share is held still. Over a slice their limits are at corners, and corners of slices lie on
        edges along which the share changes. Where it changes nowhere, the cone is one slice.
        """
        if (ratio := linear_ratio(formula)) is not None:
            for cells in self.rays:
                top, bottom = _times(ratio.top, cells), _times(ratio.bottom, cells)
                if top or bottom:
                    yield (Fraction(top, bottom) if bottom else math.copysign(math.inf, top)), cells
            return
        direction = _direction(formula)
        assert direction is not None, "a curved score is looked for on faces"
        shares = [Fraction(_times(direction, cells), sum(cells)) for cells in self.rays]
        edges = [(self.rays[i], self.rays[j]) for i, j in self._edges if shares[i] != shares[j]]
        for start, stop in edges or zip(self.rays, self.rays, strict=True):
            yield from _along(formula, start, stop)

    def _exact_limits(self, formula: Formula) -> Limits:
        """Return the limits of a score on edges, with the smallest tables known to attain them."""
        found = list(self._on_edges(formula))
        known = dict.fromkeys([*(cells for _, cells in found if cells), *self._landmarks])
        more = _positive_sums(formula)
        values = [(formula.exact(_named(c)), c) for c in sorted(known, key=sum) if self._inside(c, more)]
        # Only infinite values are floats, and roots are not compared with those.
        finite = [value for value, _ in found if not isinstance(value, float)]
        infinite = [value for value, _ in found if isinstance(value, float)]
        ends = []
        for endless, choose in ((-math.inf, min), (math.inf, max)):
            value = endless if endless in infinite else choose(finite)
            table = next((Table.of_counts(*cells) for own, cells in values if own == value), None)
            ends.append(End(value, table, exact=True))
        return Limits(*ends)

    def _limits_near(self, metric: Metric, low: float, high: float) -> Limits | None:
        """Return limits found in floats, or those of tables that come as near."""
        more = _positive_sums(metric.formula)
        tables = [cells for cells in self._landmarks if self._inside(cells, more)]
        values = [(value, c) for c in tables if (value := metric.formula.exact(_named(c))) is not None]
        if math.isnan(low) and not values:
            return None
        ends = []
        for sign, found, natural in ((1, low, metric.limits.low), (-1, high, metric.limits.high)):
            best = min(values, key=lambda pair: (sign * float(pair[0]), sum(pair[1])), default=None)
            if best and not sign * float(best[0]) > sign * found + _NEAR * max(1.0, abs(found)):
                # Nothing is beyond the metric's own limits.
                ends.append(End(best[0], Table.of_counts(*best[1]), exact=natural is not None and best[0] == natural))
            elif natural is None and found > _ENDLESS:
                ends.append(End(math.inf, None, exact=False))
            else:
                round_numbers = [float(x) for x in (natural, 0) if x is not None and abs(found - float(x)) < _NEAR]
                ends.append(End([*round_numbers, found][0], None, exact=False))
        return Limits(*ends)


@dataclass(frozen=True)
class AllSizes:
    """The tables of all sizes that fit: those of a cone, or of several where scores may stand for undefined ones.

    Examples
    --------
    >>> from fourfold.metrics import metric
    >>> from fourfold.exact.reported import Reported
    >>> claims = [(metric("recall"), Reported.read("1.0")), (metric("false_negative_rate"), Reported.read("=0.2"))]
    >>> AllSizes.of(claims).empty
    True
    """

    cones: tuple[Cone, ...]
    #: No table that fits has fewer cases.
    least_total: int = 1

    @classmethod
    def of(cls, constraints: Sequence[Constraint], convention: Convention = STRICT) -> AllSizes | None:
        """Return the tables that fit claims; None where one is about a score that is no ratio of linear forms."""
        hidden = [i for i, (metric, reported) in enumerate(constraints) if metric.fill(convention) in reported]
        # Each score that may be undefined is defined, or some cells are zero.
        ways: list[list[frozenset[str] | None]] = [
            [None, *(zeros for guard in constraints[i][0].formula.guards for zeros in zero_sets(guard))] for i in hidden
        ]
        cones: list[Cone] = []
        for chosen in product(*ways):
            undefined = {i for i, zeros in zip(hidden, chosen, strict=True) if zeros is not None}
            rest = [constraint for i, constraint in enumerate(constraints) if i not in undefined]
            cone = Cone.of(rest)
            if cone is None:
                return None
            cone = cone.with_zeros(name for zeros in chosen for name in zeros or ())
            cones += [] if cone.empty else [cone]
        least = max(1, min((cone.least_total for cone in cones), default=1))
        for metric, reported in (constraint for i, constraint in enumerate(constraints) if i not in hidden):
            ratio = linear_ratio(metric.formula)
            assert ratio is not None, "curved claims make no cone"
            # A fraction in an interval has a denominator.
            least = max(least, -(-_least_denominator(reported) // max(ratio.bottom)))
        return cls(tuple(cones), least)

    def with_zeros(self, cells: Iterable[str]) -> AllSizes:
        """Return those of the tables in which some cells are zero."""
        zeros = set(cells)
        cones = (cone.with_zeros(zeros) for cone in self.cones)
        return AllSizes(tuple(cone for cone in cones if not cone.empty), self.least_total)

    @property
    def empty(self) -> bool:
        """Whether no table of any size fits."""
        return not self.cones

    @property
    def only(self) -> Table | None:
        """The smallest table where all that fit are multiples of one; else None."""
        tables = {cone.only for cone in self.cones}
        return tables.pop() if len(tables) == 1 else None

    def __contains__(self, cells: Sequence[int]) -> bool:
        """Tell whether a table fits."""
        return any(cells in cone for cone in self.cones)

    def limits(self, metrics: Sequence[Metric]) -> dict[str, Limits | None]:
        """Return the smallest and the largest value of metrics by id; None where no table that fits has one."""
        found: dict[str, Limits | None] = dict.fromkeys(metric.id for metric in metrics)
        of_cones = [cone.all_limits(metrics) for cone in self.cones]
        for name in found:
            if known := [limits for of_cone in of_cones if (limits := of_cone[name]) is not None]:
                # Of equal ends, one with a table.
                low = min((each.low for each in known), key=lambda end: (float(end.value), end.table is None))
                high = max((each.high for each in known), key=lambda end: (float(end.value), end.table is not None))
                exact = [all(end.exact for end in ends) for ends in zip(*known, strict=True)]
                found[name] = Limits(low._replace(exact=exact[0]), high._replace(exact=exact[1]))
        return found

    def bounds(self, metrics: Sequence[Metric]) -> dict[str, Bounds]:
        """Return the same as bounds, in floats; a largest value may be infinite, and ends may only come near."""
        found = dict.fromkeys((metric.id for metric in metrics), NOTHING)
        for name, limits in self.limits(metrics).items():
            if limits is not None:
                tables = limits.low.table, limits.high.table
                attained = (table is not None for table in tables)
                found[name] = Bounds(float(limits.low.value), float(limits.high.value), *tables, *attained)
        return found

    def margins(self, step: int) -> Iterator[tuple[int, Any, Any]]:
        """Walk totals upwards without end, each with the positives and negatives that a table that fits can have.

        They come in pieces of at most `step`; a total comes without any where it can have none.
        """
        shares = [Fraction(_times(_POSITIVES, ray), sum(ray)) for cone in self.cones for ray in cone.rays]
        low, high = min(shares), max(shares)
        for total in count(self.least_total):
            first = -(-total * low.numerator // low.denominator)
            last = total * high.numerator // high.denominator
            for start in range(first, max(last, first) + 1, step):
                positives = np.arange(start, min(start + step, last + 1))
                yield total, positives, total - positives

    def example(self) -> Table:
        """Return a table that fits, of a size that is not larger than needed by much; there must be one."""
        total = self.least_total
        while True:
            for cone in self.cones:
                cells = _rounded(cone._middle, total)
                if cells in self:
                    return Table.of_counts(*cells)
            if total > min(sum(cone._middle) for cone in self.cones):
                smallest = (next(filter(cone._inside, cone._landmarks)) for cone in self.cones)
                return Table.of_counts(*min(smallest, key=sum))
            total *= 2


def _least_denominator(reported: Reported) -> int:
    """Return the smallest denominator of a fraction in a closed interval, by the continued fractions of its ends."""
    low, high = reported.low, reported.high
    if low > high:
        return 1
    before, now = 1, 0
    while (whole := math.ceil(low)) > high:
        before, now = now, (whole - 1) * now + before
        low, high = 1 / (high - whole + 1), 1 / (low - whole + 1)
    return whole * now + before


def _rounded(cells: Form, total: int) -> Form:
    """Return a table of a size with nearly the same shares."""
    whole = sum(cells)
    parts = [cell * total // whole for cell in cells]
    by_rest = sorted(range(4), key=lambda i: -(cells[i] * total % whole))
    for i in by_rest[: total - sum(parts)]:
        parts[i] += 1
    return _form(parts)


def is_exact(formula: Formula) -> bool:
    """Tell whether the limits of a formula are always exact."""
    return linear_ratio(formula) is not None or _direction(formula) is not None


def _named(cells: Form) -> dict[str, int]:
    return dict(zip(CELLS, cells, strict=True))


def _neighbours(rays: Sequence[_Ray]) -> Iterator[tuple[int, int]]:
    """Walk the pairs of rays with an edge between them: no third ray lies on all the rims that both lie on."""
    for i, j in combinations(range(len(rays)), 2):
        common = rays[i].tight & rays[j].tight
        if not any(ray.tight & common == common for k, ray in enumerate(rays) if k not in (i, j)):
            yield i, j


@lru_cache(maxsize=4096)
def _direction(formula: Formula) -> Form | None:
    """Return the share on whose slices a formula is a ratio of affine forms of the second degree; None without one."""
    ratio = formula.ratio()
    if ratio is None or any(len(m) > 2 for part in (ratio.numerator, ratio.denominator) for m in part.terms):
        return None
    transposed = formula.substitute({"fn": Quantity("fp"), "fp": Quantity("fn")})
    return _POSITIVES if formula.flat else _PREDICTED_POSITIVES if transposed.flat else None


def _along(formula: Formula, start: Form, stop: Form) -> Iterator[tuple[Exact | float, Form | None]]:
    """Yield the values of a formula at both ends of an edge, approached along it, and where it turns in between.

    Each comes with its table where there is one. On ``start + t stop`` the formula is a ratio of two polynomials of the
    second degree, so that its slope is zero where one of them is.
    """
    t = Polynomial.of("t")
    cells = {
        name: Polynomial.number(x) + Polynomial.number(y) * t for name, x, y in zip(CELLS, start, stop, strict=True)
    }
    ratio = formula.ratio(cells)
    assert ratio is not None, "a formula with a root has no direction"
    top, bottom = (
        [part.terms.get(("t",) * power, Fraction(0)) for power in range(3)]
        for part in (ratio.numerator, ratio.denominator)
    )
    for factors, table in ((zip(top, bottom, strict=True), start), (zip(top[::-1], bottom[::-1], strict=True), stop)):
        for x, y in factors:
            if x or y:
                yield (x / y if y else math.copysign(math.inf, x)), table
                break
    if not any(bottom):
        return
    a, b, c = (top[j] * bottom[i] - top[i] * bottom[j] for i, j in ((1, 2), (0, 2), (0, 1)))
    for turn in _positive_roots(a, 2 * b, c):
        value = (top[0] + turn * (top[1] + turn * top[2])) / (bottom[0] + turn * (bottom[1] + turn * bottom[2]))
        joined = None
        if isinstance(turn, Fraction):
            weights = turn.denominator, turn.numerator
            joined = _smallest_multiple(weights[0] * x + weights[1] * y for x, y in zip(start, stop, strict=True))
        yield value, joined


def _positive_roots(a: Fraction, b: Fraction, c: Fraction) -> list[Exact]:
    """Return where ``a t^2 + b t + c`` is zero for positive t."""
    if not a:
        roots: list[Exact] = [-c / b] if b else []
    elif b * b < 4 * a * c:
        roots = []
    else:
        width = root(b * b - 4 * a * c)
        roots = [(width - b) / (2 * a), (-width - b) / (2 * a)]
    return [x for x in roots if x > 0]


def _extremes(triangles: NDArray[np.float64], formulas: Sequence[Formula]) -> list[tuple[float, float]]:
    """Return the smallest and the largest value of formulas over triangles, nan where there is none.

    Three of a triangle's four points are its corners. A point in it has weights for these, and a tiny one for the
    fourth, inside of the solid, so that nothing is divided by zero on a rim. Weights are looked at by their logarithms:
    a value that is only approached at a corner, along some curve, is approached there as well. From the best points of
    a grid the search climbs, all of them at once, with steps that are halved wherever none leads higher.
    """
    guards = [(i, guard) for i, formula in enumerate(formulas) for guard in formula.guards if guard.signed]
    # Long floats, where there are any: a value near a denominator that cancels loses half of its digits.
    kind = np.longdouble if guards else np.float64
    program = Program([*formulas, *(guard for _, guard in guards), *(guard.unsigned for _, guard in guards)])

    def values(places: NDArray[Any], points: NDArray[Any]) -> NDArray[Any]:
        """Return the formulas with their signs changed, then as they are; nowhere high where they have no value."""
        along, across = points.T
        weights = np.exp(np.array([along, -along, across, np.full(len(points), _INWARDS)]))
        result = program.over(tuple(np.einsum("kn,nkd->dn", weights, triangles[places])), kind)
        own, cancelling, wholes = np.split(result, [len(formulas), len(formulas) + len(guards)])
        for (i, _), part, whole in zip(guards, cancelling, wholes, strict=True):
            own[i, ~(np.abs(part) > math.sqrt(np.finfo(kind).eps) * whole)] = np.nan
        both = np.concatenate([-own, own])
        return np.where(np.isnan(both), -np.inf, both)

    grid = np.array(list(product(_ALONG, _ACROSS)), dtype=np.float64)
    places = np.arange(len(triangles))
    on_grid = values(np.repeat(places, len(grid)), np.tile(grid, (len(places), 1)))
    on_grid = on_grid.reshape(len(on_grid), len(places), len(grid))
    starts = np.argsort(-on_grid.max(axis=2), axis=1)[:, :_STARTS]
    owner, places = np.repeat(np.arange(len(starts)), starts.shape[1]), starts.ravel()
    rows, points = np.arange(len(owner)), grid[on_grid[owner, places].argmax(axis=1)]
    best, width = np.full(len(owner), -np.inf, dtype=kind), np.full((len(owner), 1), _FIRST_STEP)
    around, last = np.array(list(product((-1, -0.5, 0, 0.5, 1), repeat=2))), np.zeros_like(points)
    for _ in range(_STEPS):
        # The last step again, and longer: on a narrow ridge that runs aslant, other steps hardly get on.
        near = [width[:, np.newaxis] * around, last[:, np.newaxis] * _AGAIN]
        tried = np.clip(points[:, np.newaxis] + np.concatenate(near, axis=1), -_RIM, _RIM)
        heights = values(np.repeat(places, tried.shape[1]), tried.reshape(-1, 2))
        own = heights.reshape(-1, *tried.shape[:2])[owner, rows]
        chosen = own.argmax(axis=1)
        better = own[rows, chosen] > best
        last[better] = (tried[rows, chosen] - points)[better]
        points[better], best[better] = tried[rows, chosen][better], own[rows, chosen][better]
        width[~better] /= 2
    best = best.reshape(len(starts), -1).max(axis=1)
    low, high = np.split(np.where(np.isfinite(best), best, np.nan).astype(np.float64), 2)
    return list(zip((-low).tolist(), high.tolist(), strict=True))
