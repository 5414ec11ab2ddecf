"""The exact law of every metric against all tables, one by one, with chances in fractions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fourfold as ff
from fourfold.chance import draws
from fourfold.chance.draws import Chances, Links, Source
from fourfold.chance.laws import Law, classes_of, law, tails
from fourfold.exact.surd import Exact
from fourfold.strategy import using

from ..reference.definitions import DEFINITIONS
from ..reference.definitions import value as by_definition

CELLS = ("tp", "fn", "fp", "tn")
CLOSE = 1e-12
#: Averages and other names built from the catalogue; one is not monotone along rows of tables.
BUILT = ("f2", "f1.5_negative", "macro_f1", "weighted_f1", "weighted_precision", "macro_treatment_ratio")
NAMES = tuple(dict.fromkeys([*ff.METRICS, *BUILT]))
Counts = tuple[int, int, int, int]

#: References: all cells filled, even, one cell empty, two empty so that a class, or a prediction, never occurs.
DENSE: tuple[Counts, ...] = ((3, 2, 1, 5), (1, 1, 1, 1), (1, 7, 12, 3))
SPARSE: tuple[Counts, ...] = ((4, 0, 2, 3), (2, 5, 3, 0), (0, 1, 2, 6), (5, 2, 0, 4))
BARE: tuple[Counts, ...] = ((0, 0, 2, 3), (4, 1, 0, 0), (3, 0, 1, 0), (0, 2, 1, 0), (1, 0, 0, 0))


def plan() -> Iterator[tuple[int, Counts, bool]]:
    """Yield sizes 1 to 12 with references, also uncertain ones; each reference meets a small and a larger size."""
    sizes = (1, 12, 2, 9, 3, 11, 4, 7, 5, 8, 6, 10)
    for i, counts in enumerate((*DENSE, *SPARSE, *BARE)):
        yield sizes[i % 12], counts, False
    yield 12, SPARSE[0], False
    yield 10, DENSE[0], True
    yield 3, SPARSE[1], True
    yield 7, BARE[0], True


PLAN = tuple(plan())


def table(counts: Sequence[int]) -> ff.Table:
    return ff.Table(**dict(zip(CELLS, counts, strict=True)))


def all_counts(size: int) -> Iterator[Counts]:
    for a in range(size + 1):
        for b in range(size + 1 - a):
            for c in range(size + 1 - a - b):
                yield a, b, c, size - a - b - c


def rising(x: Fraction, times: int) -> Fraction:
    found = Fraction(1)
    for i in range(times):
        found *= x + i
    return found


@cache
def chances_of(size: int, counts: Counts, uncertain: bool) -> dict[Counts, Fraction]:
    """Return the chance of each table: multinomial, or Dirichlet-multinomial with half a case more in each cell."""
    total = Fraction(sum(counts))
    found = {}
    for cells in all_counts(size):
        ways = Fraction(math.factorial(size), math.prod(map(math.factorial, cells)))
        if uncertain:
            weights = [rising(own + Fraction(1, 2), k) for own, k in zip(counts, cells, strict=True)]
            found[cells] = ways * math.prod(weights) / rising(total + 2, size)
        else:
            found[cells] = ways * math.prod((own / total) ** k for own, k in zip(counts, cells, strict=True))
    return found


def macro_treatment_ratio(tp: Fraction, fn: Fraction, fp: Fraction, tn: Fraction) -> Fraction:
    return (fn / fp + fp / fn) / 2


OTHERS: dict[str, Callable[..., Fraction]] = {"macro_treatment_ratio": macro_treatment_ratio}


@cache
def value_of(name: str, cells: Counts) -> Decimal | None:
    """Return a metric's value by its definition, to fifty digits, so that equal values are equal."""
    if name in OTHERS:
        found = OTHERS[name](*map(Fraction, cells)) if cells[1] * cells[2] else None
    else:
        found = by_definition(name, *cells)
    if found is None:
        return None
    with localcontext() as context:
        context.prec = 60
        number = Decimal(found.numerator) / Decimal(found.denominator) if isinstance(found, Fraction) else found
        return number.quantize(Decimal("1e-40")) + 0


@dataclass(frozen=True)
class Enumerated:
    """A law by enumeration: values in rising order, each with its chance and a table that has it."""

    undefined: Fraction
    points: tuple[tuple[Decimal, Fraction, Counts], ...]

    @property
    def defined(self) -> Fraction:
        return 1 - self.undefined

    @property
    def mean(self) -> float:
        return float(sum(Fraction(value) * chance for value, chance, _ in self.points) / self.defined)

    @property
    def variance(self) -> float:
        squares = sum(Fraction(value) ** 2 * chance for value, chance, _ in self.points) / self.defined
        mean = sum(Fraction(value) * chance for value, chance, _ in self.points) / self.defined
        return float(squares - mean**2)


def enumerated(name: str, size: int, counts: Counts, uncertain: bool = False) -> Enumerated:
    sums: dict[Decimal, Fraction] = {}
    example: dict[Decimal, Counts] = {}
    undefined = Fraction(0)
    for cells, chance in chances_of(size, counts, uncertain).items():
        value = value_of(name, cells)
        if value is None:
            undefined += chance
        else:
            sums[value] = sums.get(value, Fraction(0)) + chance
            example[value] = cells
    return Enumerated(undefined, tuple((value, sums[value], example[value]) for value in sorted(sums)))


def exact(name: str, cells: Counts) -> Exact:
    found = ff.metric(name).formula.exact(table(cells).cells())
    assert found is not None
    return found


def made(name: str, size: int, counts: Counts, uncertain: bool = False) -> Law:
    return law(ff.metric(name), size, Source.of(table(counts), uncertain=uncertain))


def check_law(name: str, size: int, counts: Counts, uncertain: bool = False, most: int = 5) -> None:
    expected, found = enumerated(name, size, counts, uncertain), made(name, size, counts, uncertain)
    assert found.undefined == pytest.approx(float(expected.undefined), rel=1e-11, abs=CLOSE)
    assert found.defined == pytest.approx(float(expected.defined), rel=0, abs=CLOSE)
    if not expected.defined:
        # What such a law answers has a test of its own.
        return
    check_masses(name, found, expected, most)
    scale = max(1.0, float(max(abs(value) for value, *_ in expected.points)) ** 2)
    assert found.mean == pytest.approx(expected.mean, rel=CLOSE, abs=CLOSE)
    assert found.variance == pytest.approx(expected.variance, rel=CLOSE, abs=CLOSE * scale)
    check_whole(found, expected)


def check_masses(name: str, found: Law, expected: Enumerated, most: int) -> None:
    """Compare the chances below, at and above some values that occur, and at numbers between and outside of them."""
    step = max(1, len(expected.points) // most)
    for value, equal, cells in [*expected.points[::step], expected.points[-1]]:
        below = sum((chance for other, chance, _ in expected.points if other < value), Fraction(0))
        sides = (below, equal, expected.defined - below - equal)
        exactly = exact(name, cells)
        masses, split = found.masses(exactly), found.split(exactly)
        assert list(masses) == pytest.approx([float(side) for side in sides], rel=1e-10, abs=1e-14), (value, cells)
        assert sum(masses) + found.undefined == pytest.approx(1, rel=0, abs=CLOSE)
        given_defined = [float(side / expected.defined) for side in sides]
        assert list(split) == pytest.approx(given_defined, rel=0, abs=CLOSE), (value, cells)
        assert found.cdf(exactly) == pytest.approx(given_defined[0] + given_defined[1], rel=0, abs=CLOSE)
        around = tails(found.metric, found.size, exactly)(found.source)
        assert list(around) == pytest.approx(list(masses), rel=0, abs=1e-14)
    first, last = (Fraction(expected.points[i][0]) for i in (0, -1))
    assert found.split(first - 1) == pytest.approx((0, 0, 1), rel=0, abs=CLOSE)
    assert found.split(last + 1) == pytest.approx((1, 0, 0), rel=0, abs=CLOSE)


def check_whole(found: Law, expected: Enumerated) -> None:
    points = [(value, chance) for value, chance, _ in expected.points if chance]
    values, chances = found.whole
    assert values.tolist() == pytest.approx([float(value) for value, _ in points], rel=1e-11, abs=CLOSE)
    assert chances.tolist() == pytest.approx([float(chance / expected.defined) for _, chance in points], abs=CLOSE)
    assert chances.sum() == pytest.approx(1, rel=0, abs=CLOSE)
    sums, below = [], Fraction(0)
    for _, chance in points:
        below += chance / expected.defined
        sums.append(below)
    for share in (0.0, 0.025, 0.3, 0.5, 0.9):
        if any(abs(float(each) - share) < 1e-9 for each in sums):
            continue
        quantile = next(float(value) for (value, _), each in zip(points, sums, strict=True) if each >= share)
        assert found.quantile(share) == pytest.approx(quantile, rel=1e-11, abs=CLOSE)


@pytest.mark.parametrize("name", NAMES)
def test_every_law_equals_all_tables(name: str) -> None:
    for size, counts, uncertain in PLAN:
        check_law(name, size, counts, uncertain)


def test_the_plan_meets_every_size() -> None:
    assert {size for size, *_ in PLAN} == set(range(1, 13))
    assert set(ff.METRICS) <= set(DEFINITIONS)
    ways = {made(name, 3, DENSE[0]).method for name in NAMES}
    assert ways == {
        "binomial", "joint ratio", "weighted joint ratio", "trinomial", "row by row", "table by table",
    }  # fmt: skip


references = st.tuples(*[st.integers(0, 12)] * 4).filter(any)


@given(st.sampled_from(NAMES), st.integers(1, 6), references, st.booleans())
@settings(deadline=None, max_examples=120, derandomize=True)
def test_laws_of_random_references(name: str, size: int, counts: Counts, uncertain: bool) -> None:
    check_law(name, size, counts, uncertain, most=3)


@given(st.sampled_from(NAMES), st.integers(1, 40), references, st.booleans(), st.floats(-2, 4))
@settings(deadline=None, max_examples=150, derandomize=True)
def test_laws_sum_to_one_at_any_number(name: str, size: int, counts: Counts, uncertain: bool, value: float) -> None:
    found = made(name, size, counts, uncertain)
    assert 0 <= found.undefined <= 1
    assert found.undefined + found.defined == pytest.approx(1, rel=0, abs=CLOSE)
    below, equal, above = found.masses(Fraction(value))
    assert below + equal + above + found.undefined == pytest.approx(1, rel=0, abs=CLOSE)
    assert min(below, equal, above) >= 0


@given(references, st.integers(1, 12))
@settings(deadline=None, max_examples=40, derandomize=True)
def test_chances_of_empty_cells(counts: Counts, size: int) -> None:
    for uncertain in (False, True):
        source = Source.of(table(counts), uncertain=uncertain)
        chances = chances_of(size, counts, uncertain)
        for gone in ([0], [0, 1], [1, 2, 3], [0, 1, 2, 3]):
            expected = sum(
                (chance for cells, chance in chances.items() if not any(cells[i] for i in gone)), Fraction(0)
            )
            found = source.empty(size, [CELLS[i] for i in gone])
            assert found == pytest.approx(float(expected), rel=1e-11, abs=1e-15)
        pairs = [(0, 1), (2, 3), (0, 2)]
        either = sum(
            (chance for cells, chance in chances.items() if any(not cells[i] and not cells[j] for i, j in pairs)),
            Fraction(0),
        )
        sets = [frozenset(CELLS[i] for i in pair) for pair in pairs]
        assert source.any_empty(size, sets) == pytest.approx(float(either), rel=0, abs=CLOSE)


def never_defined() -> Iterator[tuple[str, Law]]:
    """Yield laws with nothing drawn at all, or from a reference that leaves the metric undefined in every table."""
    for name in NAMES:
        yield name, made(name, 0, DENSE[0])
        for size in (1, 4):
            for counts in BARE:
                if not enumerated(name, size, counts).defined:
                    yield name, made(name, size, counts)


def test_a_law_that_is_never_defined_has_no_chances() -> None:
    for name, found in never_defined():
        assert (found.undefined, found.defined) == (1, 0), name
        assert all(math.isnan(part) for part in found.split(Fraction(1, 2))), name
        assert math.isnan(found.quantile(0.5)), name


def test_a_law_that_is_never_defined_has_no_mean() -> None:
    made_up = {name for name, found in never_defined() if not (math.isnan(found.mean) and math.isnan(found.variance))}
    assert made_up == set()


def test_a_law_that_is_never_defined_has_no_values() -> None:
    for name, found in never_defined():
        assert [len(part) for part in found.whole] == [0, 0], name


RATIOS = [name for name in NAMES if classes_of(ff.metric(name).formula)]


def test_small_laws_by_the_quick_path() -> None:
    """The way for many numbers, taken for few, where all tables can be looked at."""
    with using(summed_above_numbers=0, summed_above_chance=0.0):
        for name in RATIOS:
            for size, counts in ((1, DENSE[0]), (5, DENSE[2]), (11, DENSE[1]), (12, SPARSE[0])):
                check_law(name, size, counts)


@pytest.mark.parametrize("name", RATIOS)
def test_the_quick_path_equals_the_plain_sum(name: str) -> None:
    rng = np.random.default_rng(len(name))
    metric = ff.metric(name)
    for size in (150, 1000, 5000):
        for counts in ((30, 20, 10, 50), (3, 200, 90, 700), (25, 1, 1, 25)):
            source = Source.of(table(counts))
            drawn = source.sample(size, 3, rng)
            values = [Fraction(1, 3), *(metric.formula.exact(drawn[i].cells()) for i in range(3))]
            for value in (each for each in values if each is not None):
                quick = law(metric, size, source).split(value)
                with using(summed_above_numbers=10**9):
                    plain = law(metric, size, source).split(value)
                assert list(quick) == pytest.approx(list(plain), rel=0, abs=CLOSE), (size, counts, value)
                assert sum(plain) == pytest.approx(1, rel=0, abs=CLOSE)


@pytest.mark.parametrize("name", ["mcc", "f1", "recall", "diagnostic_odds_ratio", "marginal_benefit", "markedness"])
def test_quantiles_by_halving(name: str) -> None:
    """Where a law is too large to be listed, its quantiles are closed in on."""
    listed, halved = made(name, 9, DENSE[0]), made(name, 9, DENSE[0])
    shares = (0.05, 0.31, 0.5, 0.77, 0.95)
    expected = [listed.quantile(share) for share in shares]
    with using(bisected_above_values=0):
        assert [halved.quantile(share) for share in shares] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_joint_ratio_of_a_million_cases() -> None:
    """Where every case is positive, recall is a binomial share; else its mean is still the reference's recall."""
    from scipy.stats import binom

    size = 10**6
    sure = made("recall", size, (3, 1, 0, 0))
    for k in (748_000, 750_000, 751_200):
        assert sure.cdf(Fraction(k, size)) == pytest.approx(binom.cdf(k, size, 0.75), rel=1e-9)
    found = made("recall", size, (3, 1, 5, 11))
    assert found.mean == pytest.approx(0.75, rel=1e-12)
    assert found.undefined == 0
    assert sum(found.split(Fraction(3, 4))) == pytest.approx(1, rel=0, abs=1e-11)
    # E[1/k] for k near 200,000 positives is 1/200,000 and a little: the variance is about 3/16 of that.
    assert found.variance == pytest.approx(3 / 16 / 200_000, rel=1e-4)


def test_mcc_of_many_cases_is_even_where_all_cells_weigh_the_same() -> None:
    found = made("mcc", 300, (1, 1, 1, 1))
    below, equal, above = found.split(Fraction(0))
    assert below == pytest.approx(above, rel=1e-11)
    assert below + equal + above == pytest.approx(1, rel=0, abs=CLOSE)
    value = ff.metric("mcc").formula.exact({"tp": 80, "fn": 70, "fp": 65, "tn": 85})
    assert value is not None
    assert found.split(value).above == pytest.approx(found.split(-value).below, rel=1e-10)


def test_bad_questions() -> None:
    source = Source.of(table(DENSE[0]))
    with pytest.raises(ff.InputError, match="size"):
        law(ff.metric("mcc"), -1, source)
    with pytest.raises(ff.InputError, match="share: must lie between 0 and 1"):
        law(ff.metric("mcc"), 3, source).quantile(1.5)
    with pytest.raises(ff.InputError, match="reference: has no cases to draw from") as caught:
        Source.of(ff.Table(tp=0, fn=0, fp=0, tn=0))
    assert caught.value.code == "empty"
    with pytest.raises(ff.TooLarge, match="the exact law would take"):
        law(ff.metric("mcc"), 500, source, budget=1000).split(Fraction(1, 2))


def exact_binomial(n: int, share: Fraction) -> list[Fraction]:
    return [math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(n + 1)]


SHARES = (Fraction(1, 1000), Fraction(1, 7), Fraction(1, 2), Fraction(3, 4), Fraction(99, 100))


@pytest.mark.parametrize("share", SHARES, ids=str)
def test_binomial_chances_in_fractions(share: Fraction) -> None:
    for n in (1, 2, 5, 15, 16, 17, 40, 150):
        k, size = np.arange(n + 1), np.full(n + 1, n)
        expected = exact_binomial(n, Fraction(float(share)))
        assert draws.binomial(k, size, float(share)).tolist() == pytest.approx([float(x) for x in expected], rel=1e-12)
        upwards, below = [], Fraction(0)
        for each in expected:
            below += each
            upwards.append(below)
        downwards = [1 - up + each for up, each in zip(upwards, expected, strict=True)]
        most, least = draws.at_most(k, size, float(share)), draws.at_least(k, size, float(share))
        assert most.tolist() == pytest.approx([float(x) for x in upwards], rel=1e-11)
        assert least.tolist() == pytest.approx([float(x) for x in downwards], rel=1e-11)


def test_numbers_outside_are_never_drawn() -> None:
    k, size = np.array([-1, 4, -3, 9]), np.array([3, 3, 5, 5])
    assert draws.binomial(k, size, 0.3).tolist() == [0, 0, 0, 0]
    assert draws.at_most(k, size, 0.3).tolist() == [0, 1, 0, 1]
    assert draws.at_least(k, size, 0.3).tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("share", [0.001, 0.3, 0.5, 0.97])
def test_binomial_chances_of_large_sizes(share: float) -> None:
    from scipy.stats import binom

    for n in (10**4, 10**6, 10**9):
        spread = math.sqrt(n * share * (1 - share))
        k = np.unique(np.clip(np.round(n * share + spread * np.linspace(-6, 6, 41)), 0, n)).astype(np.int64)
        size = np.full(len(k), n)
        assert draws.binomial(k, size, share).tolist() == pytest.approx(binom.pmf(k, n, share).tolist(), rel=1e-8)
        assert draws.at_most(k, size, share).tolist() == pytest.approx(binom.cdf(k, n, share).tolist(), rel=1e-8)
        assert draws.at_least(k, size, share).tolist() == pytest.approx(binom.sf(k - 1, n, share).tolist(), rel=1e-8)


def test_one_large_binomial_chance_in_fractions() -> None:
    n, share = 20_000, Fraction(3, 8)
    for k in (7300, 7500, 7810):
        # Floats would underflow on the way: the fraction is made whole and divided once.
        expected = Fraction(math.comb(n, k) * 3**k * 5 ** (n - k), 8**n)
        found = draws.binomial(np.array([k]), np.array([n]), float(share))[0]
        assert found == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("share", [0.02, 0.4, 0.9])
def test_running_chances_equal_single_ones(share: float) -> None:
    from scipy.stats import binom

    for first, many in ((5, 60), (3000, 900)):
        size = np.arange(first, first + many)
        k = np.minimum((size * share * 0.99).astype(np.int64), size - 1)
        for start in (0, many // 2, many - 1):
            found = draws.running(k, size, share, start)
            assert found is not None
            assert found.tolist() == pytest.approx(binom.cdf(k, size, share).tolist(), rel=0, abs=CLOSE)


def test_running_chances_in_fractions_and_where_there_are_none() -> None:
    size, k = np.array([3, 4, 5, 6]), np.array([1, 1, 2, 3])
    found = draws.running(k, size, 0.25, 1)
    expected = [sum(exact_binomial(int(n), Fraction(1, 4))[: int(x) + 1]) for n, x in zip(size, k, strict=True)]
    assert found is not None
    assert found.tolist() == pytest.approx([float(x) for x in expected], rel=1e-13)
    assert draws.running(np.array([1, 3]), np.array([4, 5]), 0.25, 0) is None
    assert draws.running(np.array([2, 1]), np.array([4, 5]), 0.25, 0) is None
    assert draws.running(np.array([1, 1]), np.array([4, 6]), 0.25, 0) is None
    assert draws.running(np.array([-1, 0]), np.array([4, 5]), 0.25, 0) is None
    assert draws.running(np.array([4, 5]), np.array([4, 5]), 0.25, 0) is None


def test_ranges_of_chances() -> None:
    chances = Chances(2, np.array([0.1, 0.2, 0.3, 0.4]))
    low, high = np.array([0, 3, 4, 5, 4, 7]), np.array([9, 4, 9, 5, 3, 9])
    alone = Links([chances]).between(np.zeros(len(low), dtype=np.int64), low, high)
    assert alone.tolist() == pytest.approx([1.0, 0.5, 0.7, 0.4, 0.0, 0.0])
    links = Links([chances, Chances(0, np.array([0.5, 0.5]))])
    assert links.numbers.tolist() == [2, 3, 4, 5, 0, 1]
    assert links.at(np.array([0, 0, 1, 1]), np.array([1, 3, 1, 2])).tolist() == [0.0, 0.2, 0.5, 0.0]
    found = links.between(np.array([0, 0, 1, 1]), np.array([3, 5, 0, 1]), np.array([4, 9, 0, 0]))
    assert found.tolist() == pytest.approx([0.5, 0.4, 0.5, 0.0])


def test_links_equal_single_chances() -> None:
    source = Source.of(table(DENSE[2]))
    first, among = frozenset({"tp"}), frozenset({"tp", "fn"})
    sizes = np.array([0, 1, 7, 300])
    links = source.links(sizes, first, among)
    assert len(links.values) == source.most_numbers(sizes, first, among)
    singly = [source.chances(int(size), first, among) for size in sizes]
    assert links.values.tolist() == pytest.approx(np.concatenate([each.values for each in singly]).tolist(), rel=1e-12)
    assert links.start.tolist() == [each.start for each in singly]


def test_samples_follow_the_law() -> None:
    rng = np.random.default_rng(7)
    source = Source.of(table(DENSE[0]))
    tables = source.sample(50, 20_000, rng)
    assert set(tables.total.tolist()) == {50}
    for name, share in zip(CELLS, DENSE[0], strict=True):
        assert tables.cells()[name].mean() == pytest.approx(50 * share / 11, abs=0.1)
    wide = Source.of(table(DENSE[0]), uncertain=True).sample(50, 20_000, rng)
    assert wide.tp.std() > 1.5 * tables.tp.std()
    # Dirichlet-multinomial: the variance is n p (1 - p) (A + n) / (A + 1) with A = 11 + 2.
    p = 3.5 / 13
    assert wide.tp.var() == pytest.approx(50 * p * (1 - p) * 63 / 14, rel=0.05)
