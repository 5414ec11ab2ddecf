"""How often audits accuse a group that is not different, how often they find one that is, and how often intervals hold.

Groups are drawn from populations in which the score is equal, and every method sees the same tables. All that is
printed is made of these draws; the page ``docs/explanation/false-alarms.md`` shows it. It takes some twenty minutes
on two free cores; ``python -m benchmarks.false_alarms 50`` draws fewer audits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.optimize import brentq, least_squares
from scipy.stats import binom, fisher_exact

import fourfold as ff
from fourfold.groups.auditing.audits import together
from fourfold.groups.auditing.corrections import GroupTest, corrected, holm
from fourfold.groups.testing.comparing import Effect, compared
from fourfold.groups.testing.matching import missing_cells
from fourfold.groups.testing.measures import Measure, measure
from fourfold.groups.testing.permutation import SEED, Permutation, draws_for

CELLS: Final = ("tp", "fn", "fp", "tn")
LEVEL: Final = 0.95
AUDITS: Final = 500
#: The first release looks at all tables of a size for these: fewer audits.
SLOW: Final = ("mcc", "kappa", "balanced_accuracy")
SLOW_AUDITS: Final = 100
#: Draws of the plain permutation.
DRAWS: Final = 4_999
METRICS: Final = ("recall", "precision", "accuracy", "f1", "mcc", "kappa", "balanced_accuracy", "diagnostic_odds_ratio")
METHODS: Final = ("first release", "now", "Fisher", "plain permutation")


class Population(NamedTuple):
    """What cases of a group are like."""

    prevalence: float
    recall: float = 0.8
    false_alarms: float = 0.2

    @property
    def shares(self) -> list[float]:
        """The shares of tp, fn, fp and tn."""
        positive, negative = self.prevalence, 1 - self.prevalence
        found, alarmed = positive * self.recall, negative * self.false_alarms
        return [found, positive - found, alarmed, negative - alarmed]

    def score(self, metric: str) -> float:
        """Return the score of the whole population."""
        return float(ff.metric(metric).formula.evaluate(dict(zip(CELLS, self.shares, strict=True))))

    def drawn(self, size: int, rng: np.random.Generator) -> ff.Table:
        """Return a group of so many cases."""
        return _table(rng.multinomial(size, self.shares).tolist())


class Scenario(NamedTuple):
    """Groups that do not differ in some metrics."""

    name: str
    metrics: tuple[str, ...]
    sizes: tuple[int, ...]
    populations: tuple[Population, ...]
    reference: str = "rest"

    def drawn(self, number: int) -> dict[str, ff.Table]:
        """Return the groups of one audit; the same number draws the same groups."""
        rng = np.random.default_rng([number, len(self.sizes)])
        pairs = zip(self.sizes, self.populations, strict=True)
        return {f"group {i}": population.drawn(size, rng) for i, (size, population) in enumerate(pairs)}


def _table(cells: Iterable[int]) -> ff.Table:
    return ff.Table(**dict(zip(CELLS, cells, strict=True)))


def _equal_in(metric: str, score: float, prevalence: float) -> Population:
    """Return a population with this prevalence and score: its recall is .8, its false positive rate is solved for."""

    def beyond(rate: float) -> float:
        return Population(prevalence, 0.8, rate).score(metric) - score

    return Population(prevalence, 0.8, float(brentq(beyond, 1e-9, 0.79)))


def _like_the_rest(metric: str, score: float) -> tuple[Population, ...]:
    """Return four populations that have a score each, and that all others together have too.

    MCC and kappa need this: a mixture of groups that have 0.5 each can have 0.54. Recalls and false positive rates are
    solved for, to 0.0002.
    """

    def made(rates: Any) -> tuple[Population, ...]:
        pairs = np.reshape(rates, (2, 4)).T.tolist()
        return tuple(Population(prevalence, *pair) for prevalence, pair in zip(_PREVALENCES, pairs, strict=True))

    def beyond(rates: Any) -> list[float]:
        populations = made(rates)
        return [population.score(metric) - score for population in populations] + [
            rest - score for rest in rest_scores(metric, _FOUR, populations)
        ]

    found = least_squares(beyond, (0.95, 0.45, 0.5, 0.45, 0.15, 0.1, 0.15, 0.12), bounds=(0.02, 0.98), xtol=1e-14)
    assert max(map(abs, beyond(found.x))) < 2e-4, "there are such populations"
    return made(found.x)


def rest_scores(metric: str, sizes: Sequence[int], populations: Sequence[Population]) -> list[float]:
    """Return for each group the score of all others together."""
    cells = np.array([population.shares for population in populations]) * np.array(sizes)[:, None]
    rests = (cells.sum(axis=0) - cells).T
    return [float(value) for value in ff.metric(metric).formula.evaluate(dict(zip(CELLS, rests, strict=True)))]


_FOUR: Final = (100, 400, 60, 900)
_PREVALENCES: Final = (0.05, 0.4, 0.2, 0.3)
_MIXED: Final = "four, mixed rest (truly other)"


def scenarios() -> list[Scenario]:
    """Return four groups with other prevalences, two equal ones, a large majority, and many small groups."""
    # With recall .8 and specificity .8 these four are equal at every prevalence.
    plain = ("recall", "accuracy", "balanced_accuracy", "diagnostic_odds_ratio")
    four = "four groups, other prevalences"
    found = [Scenario(four, plain, _FOUR, tuple(map(Population, _PREVALENCES)))]
    for metric, score in (("precision", 0.6), ("f1", 0.7)):
        made = tuple(_equal_in(metric, score, prevalence) for prevalence in _PREVALENCES)
        found.append(Scenario(four, (metric,), _FOUR, made))
    for metric in ("mcc", "kappa"):
        made = tuple(_equal_in(metric, 0.5, prevalence) for prevalence in _PREVALENCES)
        found += [
            Scenario(four, (metric,), _FOUR, _like_the_rest(metric, 0.4)),
            Scenario("the same four, in pairs", (metric,), _FOUR, made, "pairs"),
            Scenario(_MIXED, (metric,), _FOUR, made),
        ]
    many = tuple(np.linspace(20, 200, 50).astype(int).tolist())
    for name, of in (("two groups of 100", (100, 100)), ("900 and 100", (900, 100)), ("50 groups of 20 to 200", many)):
        found.append(Scenario(name, METRICS, of, (Population(0.3),) * len(of)))
    return found


class Pair(NamedTuple):
    """A group beside others; its permutation is the same for every metric."""

    group: ff.Table
    rest: ff.Table
    permutation: Permutation
    drawn: Any = None
    atoms: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()


def _pairs(groups: Mapping[str, ff.Table], reference: str = "rest") -> list[Pair]:
    """Return each group beside all others, or all pairs of groups."""
    names = frozenset(groups)
    if reference == "pairs":
        sides = [(frozenset({one}), frozenset({other})) for one, other in combinations(groups, 2)]
    else:
        sides = [(frozenset({name}), names - {name}) for name in groups]
    rng = np.random.default_rng(SEED)
    return [_pair(groups, one, others, draws_for(len(sides), LEVEL), rng) for one, others in sides]


def _pair(
    groups: Mapping[str, ff.Table], one: frozenset[str], others: frozenset[str], draws: int, rng: np.random.Generator
) -> Pair:
    group, rest = (together(groups[name] for name in sorted(names)) for names in (one, others))
    assert isinstance(group, ff.Table), "groups are tables"
    assert isinstance(rest, ff.Table), "groups are tables"
    cells = [list(table.cells().values()) for table in (group, rest)]
    drawn = rng.multivariate_hypergeometric(np.sum(cells, axis=0), group.total, size=DRAWS, method="marginals").T
    return Pair(group, rest, Permutation(cells[0], cells[1], draws, SEED), drawn.astype(float), one, others)


def _first_release(what: Measure, pair: Pair) -> float | None:
    """Return the p-value of the first release: whole tables drawn from the rest, which is taken as known."""
    lacks = bool(missing_cells(pair.group, pair.rest)) and what.score(pair.rest)[0] is not None
    return ff.match(pair.group, pair.rest, what.metric, reference_uncertainty=lacks).p_value


def _now(what: Measure, pair: Pair) -> float | None:
    return compared(what, pair.group, pair.rest, LEVEL, False, pair.permutation).p_value


def _fisher(what: Measure, pair: Pair) -> float | None:
    """Return Fisher's p-value as scipy has it, tables ordered by their chance."""
    own, other = what.counted(pair.group), what.counted(pair.rest)
    if own is None or other is None or not own.of or not other.of:
        return None
    return float(fisher_exact([[own.hits, own.of - own.hits], [other.hits, other.of - other.hits]])[1])


def _plain(what: Measure, pair: Pair) -> float | None:
    """Return the p-value of a permutation of all cases; the difference is not divided by its spread."""
    own, others = (np.array([*table.cells().values()], dtype=float)[:, None] for table in (pair.group, pair.rest))
    with np.errstate(all="ignore"):
        seen = (what.values(own) - what.values(others))[0]
        drawn = what.values(pair.drawn) - what.values(own + others - pair.drawn)
    drawn = drawn[np.isfinite(drawn)]
    if not np.isfinite(seen) or not len(drawn):
        return None
    tails = (1 + np.array([np.sum(drawn <= seen + 1e-9), np.sum(drawn >= seen - 1e-9)])) / (1 + len(drawn))
    return float(min(1.0, 2 * tails.min()))


TESTS: Final[dict[str, Callable[[Measure, Pair], float | None]]] = dict(
    zip(METHODS, (_first_release, _now, _fisher, _plain), strict=True)
)


def _any_different(method: str, what: Measure, pairs: Sequence[Pair]) -> bool:
    """Return whether any group is called different, after Holm's correction for all groups."""
    values = {place: TESTS[method](what, pair) for place, pair in enumerate(pairs)}
    tested = {place: value for place, value in values.items() if value is not None}
    if not tested:
        return False
    if method == "first release":
        adjusted = holm(np.array([*tested.values()])).tolist()
    else:
        # Two groups that are each other's rest are one test.
        asked = [GroupTest(what, pairs[place].atoms, pairs[place].others) for place in tested]
        adjusted = corrected(asked, [*tested.values()], "holm")[0]
    return bool(min(adjusted) <= 1 - LEVEL)


def _done(method: str, metric: str, number: int) -> bool:
    if method == "first release":
        return metric != "diagnostic_odds_ratio" and (metric not in SLOW or number < SLOW_AUDITS)
    return method != "Fisher" or measure(metric).share is not None


def _audit(scenario: Scenario, number: int) -> dict[tuple[str, str], bool]:
    """Return by metric and method whether one audit calls any group different."""
    pairs = _pairs(scenario.drawn(number), scenario.reference)
    wanted = [(metric, method) for metric in scenario.metrics for method in METHODS if _done(method, metric, number)]
    return {(metric, method): _any_different(method, measure(metric), pairs) for metric, method in wanted}


def _many(task: Callable[..., Any], arguments: Iterable[tuple[Any, ...]]) -> list[Any]:
    return list(Parallel(n_jobs=-1, batch_size="auto")(delayed(task)(*given) for given in arguments))


def _alarms(audits: int) -> None:
    found: dict[tuple[str, str], list[str]] = {}
    for scenario in scenarios():
        results = _many(_audit, [(scenario, number) for number in range(audits)])
        for metric in scenario.metrics:
            called = [[each[metric, way] for each in results if (metric, way) in each] for way in METHODS]
            found[scenario.name, metric] = [_percent(np.mean(verdicts)) if verdicts else "–" for verdicts in called]
    names = list(dict.fromkeys(name for name, _ in found))
    order = sorted(found, key=lambda key: (names.index(key[0]), METRICS.index(key[1])))
    _print_table(["groups", "equal in", *METHODS], [[key[0], _label(key[1]), *found[key]] for key in order])


def _percent(share: Any) -> str:
    return f"{100 * share:.1f} %"


def _label(metric: str) -> str:
    return measure(metric).label


def _mixtures() -> None:
    """Print what all others together score where each group scores the same."""
    chosen = [each for each in scenarios() if each.name == _MIXED]
    rows = []
    for each in chosen:
        rests = rest_scores(each.metrics[0], each.sizes, each.populations)
        scores = [f"{population.score(each.metrics[0]):.3f}" for population in each.populations]
        rows.append([_label(each.metrics[0]), scores[0], *(f"{rest:.3f}" for rest in rests)])
    _print_table(["equal in", "each group", *(f"others of the {size}" for size in _FOUR)], rows)


def _whole_audit(scenario: Scenario, number: int) -> bool:
    """Return whether the whole audit says what its tests alone say."""
    groups, pairs = scenario.drawn(number), _pairs(scenario.drawn(number))
    return all(
        any(finding.differs for finding in ff.audit_tables(groups, metrics=[metric]).findings)
        == _any_different("now", measure(metric), pairs)
        for metric in scenario.metrics
        if measure(metric).share is not None
    )


def _agreement(audits: int) -> None:
    chosen = [each for each in scenarios() if each.sizes == _FOUR and measure(each.metrics[0]).share is not None]
    same = _many(_whole_audit, [(scenario, number) for scenario in chosen for number in range(audits)])
    rows = [["four groups; recall, accuracy, precision, F1", f"{sum(same)} of {len(same)}"]]
    _print_table(["`audit_tables` itself", "says the same"], rows)


#: Recall is 60 of 90 beside 320 of 400, with few and with many negatives among these, and 6 of 10 beside 4000 of 5000.
_KNOWN: Final = (
    ((60, 30, 5, 95), (320, 80, 20, 180)),
    ((60, 30, 5, 95), (320, 80, 960, 8640)),
    ((6, 4, 10, 980), (4000, 1000, 500, 4500)),
)


def _known_tables() -> None:
    rows = []
    for own, other in _KNOWN:
        group, rest, what = _table(own), _table(other), measure("recall")
        pair = Pair(group, rest, Permutation(own, other, DRAWS, SEED))
        now, first = ff.compare_groups(group, rest, "recall"), ff.match(group, rest, "recall")
        recall = f"{own[0]} of {group.positives} beside {other[0]} of {rest.positives}"
        negatives = f"{group.negatives} and {rest.negatives}"
        given = (now.p_value, now.mid_p, _fisher(what, pair), first.p_value, first.mid_p)
        rows.append([recall, negatives, *(f"{value:.3g}" for value in given if value is not None)])
    _print_table(["recall", "negatives", "p now", "mid-p now", "Fisher", "first release", "its mid-p"], rows)


def _power_once(prevalences: tuple[float, float], recalls: tuple[float, float], number: int) -> list[bool]:
    rng, what = np.random.default_rng([number, 7]), measure("recall")
    group, rest = (
        Population(prevalence, recall).drawn(size, rng)
        for prevalence, recall, size in zip(prevalences, recalls, (100, 1000), strict=True)
    )
    pair = Pair(group, rest, Permutation([*group.cells().values()], [*rest.cells().values()], DRAWS, SEED))
    now = compared(what, group, rest, LEVEL, False, pair.permutation)
    values = (_first_release(what, pair), now.p_value, now.mid_p, _fisher(what, pair))
    return [value is not None and value <= 1 - LEVEL for value in values]


def _power(audits: int) -> None:
    """Print how often a group of 100 is told from 1000 others."""
    rows = []
    for recalls in ((0.6, 0.8), (0.8, 0.8)):
        for prevalences in ((0.3, 0.3), (0.1, 0.3)):
            called = np.mean(_many(_power_once, [(prevalences, recalls, i) for i in range(audits)]), axis=0)
            given = [f"{recall:g} and {p:g}" for recall, p in zip(recalls, prevalences, strict=True)]
            rows.append([*given, *(_percent(share) for share in called)])
    _print_table(["100: recall, prevalence", "1000: recall, prevalence", *METHODS[:2], "mid-p now", "Fisher"], rows)


#: Denominators of both groups; the coverage is taken over shares of .05, .1, ... .95 in each.
_SIZES: Final = (
    *((10, 10), (20, 20), (40, 40), (100, 100), (200, 200)),
    *((10, 100), (20, 200), (10, 400), (40, 400), (100, 400)),
)
_GRID: Final = np.linspace(0.05, 0.95, 19)


def _ends(metric: str, hits: tuple[int, int], sizes: tuple[int, int]) -> Effect:
    """Return the difference of x of k beside X of K, with its interval."""
    group, rest = (ff.Table(tp=x, fn=k - x, fp=0, tn=0) for x, k in zip(hits, sizes, strict=True))
    return ff.compare_groups(group, rest, metric, level=LEVEL).difference


def _covered(metric: str, sizes: tuple[int, int]) -> tuple[list[str], float, float]:
    """Return the least and the mean coverage over the grid, exactly: every pair of counts with its chance."""
    own, other = (np.arange(size + 1) for size in sizes)
    ends = np.array([[_ends(metric, (x, y), sizes)[1:] for y in other.tolist()] for x in own.tolist()], dtype=float)
    chances = [binom.pmf(numbers[:, None], size, _GRID) for numbers, size in zip((own, other), sizes, strict=True)]
    scores = _GRID if metric == "recall" else 2 * _GRID / (1 + _GRID)
    coverage = np.empty((len(_GRID), len(_GRID)))
    for i, first in enumerate(scores):
        for j, second in enumerate(scores):
            holds = (ends[:, :, 0] <= first - second + 1e-12) & (first - second - 1e-12 <= ends[:, :, 1])
            coverage[i, j] = chances[0][:, i] @ holds @ chances[1][:, j]
    return [_label(metric), f"{sizes[0]} and {sizes[1]}"], float(coverage.min()), float(coverage.mean())


def _coverage_of_shares() -> None:
    found = _many(_covered, [(metric, sizes) for metric in ("recall", "f1") for sizes in _SIZES])
    rows = [[*names, f"{least:.3f}", f"{mean:.3f}"] for names, least, mean in found]
    rows.append(["all", "", f"{min(row[1] for row in found):.3f}", f"{np.mean([row[2] for row in found]):.3f}"])
    _print_table(["difference of", "denominators", "least coverage", "mean coverage"], rows)


_TWO: Final = {
    "equal": (Population(0.3), Population(0.3)),
    "different": (Population(0.1, 0.6, 0.1), Population(0.4, 0.9, 0.2)),
}
_GROUP_SIZES: Final = ((20, 200), (50, 50), (50, 500), (100, 100), (100, 1000), (400, 400))


def _held(kind: str, sizes: tuple[int, int], number: int) -> list[float]:
    """Return for each metric whether the interval holds the true difference; nan where there is none."""
    rng, populations = np.random.default_rng([number, *sizes]), _TWO[kind]
    group, rest = (population.drawn(size, rng) for population, size in zip(populations, sizes, strict=True))
    cells = [list(table.cells().values()) for table in (group, rest)]
    permutation, held = Permutation(cells[0], cells[1], draws_for(1, LEVEL), SEED), []
    for metric in SLOW:
        _, low, high = compared(measure(metric), group, rest, LEVEL, False, permutation).difference
        true = populations[0].score(metric) - populations[1].score(metric)
        held.append(np.nan if low is None or high is None else float(low <= true <= high))
    return held


def _coverage_by_permutation(audits: int) -> None:
    rows, least = [], []
    for kind in _TWO:
        for sizes in _GROUP_SIZES:
            held = np.array(_many(_held, [(kind, sizes, number) for number in range(audits)]))
            covered, without = np.nanmean(held, axis=0), int(np.isnan(held).sum(axis=0).max())
            least.append(covered)
            rows.append([kind, f"{sizes[0]} and {sizes[1]}", *(f"{x:.3f}" for x in covered), str(without)])
    rows.append(["least", "", *(f"{x:.3f}" for x in np.min(least, axis=0)), ""])
    rows.append(["mean", "", *(f"{x:.3f}" for x in np.mean(least, axis=0)), ""])
    _print_table(["populations", "cases", *map(_label, SLOW), "undefined"], rows)


def _print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table that reads well as it is, and as Markdown."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, ["-" * width for width in widths], *rows):
        print("| " + " | ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)) + " |")
    print(flush=True)


def run(audits: int = AUDITS) -> None:
    """Print false alarms, power, and coverage."""
    slow = f"{min(audits, SLOW_AUDITS)} audits: {', '.join(map(_label, SLOW))}"
    print(f"Audits that call any group different at 5 % (Holm), of {audits}; first release {slow}.\n")
    _alarms(audits)
    _agreement(audits)
    print("The score of all others together, where each group has the same score.\n")
    _mixtures()
    print("P-values.\n")
    _known_tables()
    print(f"How often a group of 100 is called different from 1000 others, of {audits}.\n")
    _power(audits)
    print("Coverage of 95 % intervals of a difference: shares of .05 to .95, exact.\n")
    _coverage_of_shares()
    print(f"The same by permutation, of {audits} draws each.\n")
    _coverage_by_permutation(audits)


if __name__ == "__main__":
    run(*map(int, sys.argv[1:]))
