"""How often intervals hold the truth: ours beside Wilson's, a bootstrap and a posterior; and those of smoothed scores.

Fifteen populations, seven sizes. Shares are summed exactly over everything that can be drawn. Other scores are summed
over all tables up to 20 cases, and over drawn ones above. A score that is undefined counts by the interval that it has,
and is left out where there is none.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import special, stats

import fourfold as ff
from fourfold.groups import smooth_groups
from fourfold.groups.testing.shares import Share, is_odds_ratio, share_of

CELLS = ("tp", "fn", "fp", "tn")
LEVEL = 0.95
TAIL = (1 - LEVEL) / 2
# Prevalence, recall and specificity of each population.
POPULATIONS = (
    (0.5, 0.9, 0.9), (0.5, 0.5, 0.5), (0.5, 0.99, 0.99), (0.5, 0.7, 0.95), (0.3, 0.8, 0.9),
    (0.3, 0.5, 0.99), (0.3, 0.95, 0.6), (0.2, 0.9, 0.95), (0.2, 0.6, 0.8), (0.1, 0.8, 0.9),
    (0.1, 0.99, 0.99), (0.1, 0.5, 0.95), (0.05, 0.9, 0.99), (0.05, 0.7, 0.8), (0.02, 0.8, 0.95),
)  # fmt: skip
TRUTHS = np.array([(p * r, p * (1 - r), (1 - p) * (1 - s), (1 - p) * s) for p, r, s in POPULATIONS])
ALL_TABLES, DRAWN = (10, 20), (50, 100, 200, 500, 1000)
METRICS = (
    *("recall", "specificity", "precision", "negative_predictive_value", "accuracy", "prevalence", "f1", "jaccard"),
    *("treatment_ratio", "diagnostic_odds_ratio", "informedness", "balanced_accuracy", "markedness", "g_mean"),
    *("positive_likelihood_ratio", "negative_likelihood_ratio"),
    *("mcc", "kappa", "marginal_benefit"),
)
TABLES_DRAWN = 80
DRAWS = 2000
SEED = 13
METHODS = ("fourfold", "Wilson", "bootstrap", "Dirichlet posterior")
# Tables with a smaller chance in every population are left out: together they change no digit that is printed.
NEGLIGIBLE = 1e-8
# How far beyond an end, for rounding, a truth may lie.
SLACK = 1e-9
SMOOTHED = ("recall", "precision", "accuracy", "f1", "mcc")
SCATTERS = {"not at all": None, "a little": 50.0, "a lot": 10.0}
AUDITS = 60

Ends = tuple[float, float]


def run() -> None:
    """Print both tables as markdown."""
    _check_shares()
    _print_coverage()
    print()
    _print_smoothed()


def _print_coverage() -> None:
    sums = _exact_sums()
    jobs = [(size, tables) for size in (*ALL_TABLES, *DRAWN) for tables in _parts(size)]
    pieces = Parallel(n_jobs=2)(delayed(_table_hits)(size, tables) for size, tables in jobs)
    sums |= _joined(pieces, [size for size, _ in jobs])
    print(f"| metric | method | least, N ≤ {ALL_TABLES[-1]} | mean | least, N ≥ {DRAWN[0]} | mean |")
    print("|---|---|---|---|---|---|")
    for name, method in itertools.product(METRICS, METHODS):
        if (name, method, ALL_TABLES[0]) not in sums:
            continue
        small, large = (np.array([sums[name, method, size] for size in sizes]) for sizes in (ALL_TABLES, DRAWN))
        exact = _is_exact(name, method)
        # Few tables are drawn of each size: the least of many such shares would only show their chance.
        least = large.min() if exact else large.mean(axis=0).min()
        cells = f"{small.min():.3f} | {small.mean():.3f} | {least:.3f}{'' if exact else ' *'} | {large.mean():.3f}"
        print(f"| {ff.metric(name).label if method == METHODS[0] else ''} | {method} | {cells} |")
    print(f"\n\\* {TABLES_DRAWN} tables drawn from each population and size; the least population, all sizes together.")


def _is_exact(name: str, method: str) -> bool:
    metric = ff.metric(name)
    return method != "bootstrap" and (share_of(metric) is not None or (is_odds_ratio(metric) and method == METHODS[0]))


def _table(cells: Any) -> ff.Table:
    return ff.Table(**{name: int(count) for name, count in zip(CELLS, cells, strict=True)})


def _truth(name: str, shares: Any) -> float:
    return float(ff.metric(name).formula.evaluate(dict(zip(CELLS, shares, strict=True))))


def _exact_sums() -> dict[tuple[str, str, int], list[float]]:
    """Return the coverages that need no tables: of shares, and of the odds ratio at the larger sizes."""
    sums = {}
    for name in METRICS:
        metric = ff.metric(name)
        share = share_of(metric)
        if share is not None:
            for size, (method, holds) in itertools.product((*ALL_TABLES, *DRAWN), _share_methods(share).items()):
                sums[name, method, size] = [_of_share(share, shares, size, holds) for shares in TRUTHS]
        elif is_odds_ratio(metric):
            for size in DRAWN:
                sums[name, METHODS[0], size] = [_of_odds(shares, size) for shares in TRUTHS]
    return sums


def _by_clopper_pearson(x: Any, k: Any, truth: float) -> Any:
    """Tell where neither tail of x of k is small at the truth: just there Clopper and Pearson's interval holds it."""
    at_least = np.where(x > 0, special.betainc(np.maximum(x, 1), k - x + 1, truth), 1.0)
    at_most = np.where(x < k, special.betaincc(x + 1, np.maximum(k - x, 1), truth), 1.0)
    return (at_least >= TAIL) & (at_most >= TAIL)


def _by_wilson(x: Any, k: Any, truth: float) -> Any:
    """Tell where x of k lies no more standard errors off than the level allows."""
    return (x - k * truth) ** 2 <= special.ndtri(1 - TAIL) ** 2 * k * truth * (1 - truth)


def _share_methods(share: Share) -> dict[str, Callable[[Any, Any, float], Any]]:
    """Return functions that tell whether the interval of x of k holds the truth."""
    halves = len(share.classes.first) / 2, len(share.classes.second) / 2

    def by_posterior(x: Any, k: Any, truth: float) -> Any:
        below = special.betainc(x + halves[0], k - x + halves[1], truth)
        return (below >= TAIL) & (below <= 1 - TAIL)

    return {"fourfold": _by_clopper_pearson, "Wilson": _by_wilson, "Dirichlet posterior": by_posterior}


def _check_shares() -> None:
    """Check that the library's intervals hold the truth just where it is said here."""
    rng = np.random.default_rng(SEED)
    for shares, name in itertools.product(TRUTHS, METRICS):
        share = share_of(ff.metric(name))
        if share is None:
            continue
        truth = _share(share, shares)[0]
        for cells in rng.multinomial(40, shares, 5):
            x, k = share.counted(_table(cells))
            for method, holds in (("auto", _by_clopper_pearson), ("wilson", _by_wilson)):
                ours = ff.interval(_table(cells), name, level=LEVEL, method=method)  # type: ignore[arg-type]
                assert _holds(ours, share.score(truth)) == holds(np.array(x), np.array(k), truth), (cells, name, method)


def _share(share: Share, shares: Any) -> tuple[float, float]:
    """Return the share in a population, and the chance that a case is among those it is taken of."""
    parts = share.classes.first, share.classes.second
    first, second = (float(sum(shares[CELLS.index(name)] for name in part)) for part in parts)
    return first / (first + second), min(first + second, 1.0)


def _of_share(share: Share, shares: Any, size: int, holds: Callable[[Any, Any, float], Any]) -> float:
    """Sum over k, how many cases decide, and x of them."""
    truth, among = _share(share, shares)
    sizes = np.arange(*_window(size, among))
    x, k = np.meshgrid(np.arange(_window(sizes[0], truth)[0], _window(sizes[-1], truth)[1]), sizes)
    chances = stats.binom.pmf(sizes, size, among)[:, None] * stats.binom.pmf(x, k, truth)
    possible = x <= k
    return float(chances[possible & holds(np.minimum(x, k), k, truth)].sum())


def _window(size: int, share: float) -> tuple[int, int]:
    """Return all numbers but those with a chance below 1e-12."""
    low, high = stats.binom.ppf([1e-12, 1 - 1e-12], size, share)
    return max(0, int(low)), min(size, int(high)) + 1


def _of_odds(shares: Any, size: int) -> float:
    """Sum over all tables with the margins of drawn ones: the interval holds the truth where no tail is small."""
    tp, fn, fp, tn = shares
    odds = tp * tn / (fn * fp)
    rng = np.random.default_rng(SEED)
    covered = 0.0
    for table in map(_table, rng.multinomial(size, shares, TABLES_DRAWN)):
        predicted = table.tp + table.fp
        x = np.arange(max(0, predicted - table.negatives), min(table.positives, predicted) + 1)
        chances = stats.nchypergeom_fisher.pmf(x, size, table.positives, predicted, odds) if len(x) > 1 else np.ones(1)
        at_most = np.cumsum(chances)
        holds = (at_most >= TAIL) & (1 - at_most + chances >= TAIL)
        covered += float(chances[holds].sum())
    return covered / TABLES_DRAWN


def _all_tables(size: int) -> Iterator[tuple[int, int, int, int]]:
    for tp in range(size + 1):
        for fn in range(size + 1 - tp):
            yield from ((tp, fn, fp, size - tp - fn - fp) for fp in range(size + 1 - tp - fn))


def _tables(size: int) -> tuple[Any, Any]:
    """Return tables of a size, and the chance of each in every population."""
    if size in ALL_TABLES:
        tables = np.array([*_all_tables(size)])
        chances = np.array([stats.multinomial.pmf(tables, size, shares) for shares in TRUTHS])
        likely = chances.max(axis=0) > NEGLIGIBLE
        return tables[likely], chances[:, likely]
    rng = np.random.default_rng(SEED + size)
    tables = np.concatenate([rng.multinomial(size, shares, TABLES_DRAWN) for shares in TRUTHS])
    return tables, np.kron(np.eye(len(TRUTHS)), np.full(TABLES_DRAWN, 1 / TABLES_DRAWN))


def _parts(size: int) -> list[Any]:
    tables, weights = _tables(size)
    return [(tables[i : i + 100], weights[:, i : i + 100]) for i in range(0, len(tables), 100)]


def _table_hits(size: int, part: tuple[Any, Any]) -> dict[tuple[str, str], Any]:
    """Return, for some tables, the chance of those whose interval holds the truth, and of those that have one."""
    tables, weights = part
    hits: dict[tuple[str, str], Any] = {}
    for cells, chances in zip(tables, weights.T, strict=True):
        ends = dict(_ends(size, cells))
        for (name, method), (low, high) in ends.items():
            sums = hits.setdefault((name, method), np.zeros((2, len(TRUTHS))))
            holds = (low - SLACK <= _ALL_TRUTHS[name]) & (_ALL_TRUTHS[name] <= high + SLACK)
            sums += chances * np.array([holds, np.ones(len(TRUTHS))])
    return hits


_ALL_TRUTHS = {name: np.array([_truth(name, shares) for shares in TRUTHS]) for name in METRICS}


def _ends(size: int, cells: Any) -> Iterator[tuple[tuple[str, str], Ends]]:
    table = _table(cells)
    rng = np.random.default_rng([SEED, *map(int, cells)])
    resampled = rng.multinomial(size, (cells + 0.5) / (size + 2), DRAWS)
    posterior = rng.standard_gamma(cells + 0.5, (DRAWS, 4))
    for name in METRICS:
        metric = ff.metric(name)
        share, odds = share_of(metric) is not None, is_odds_ratio(metric)
        if not share and not (odds and size in DRAWN):
            ours = ff.interval(table, name, level=LEVEL)
            if ours.low is not None and ours.high is not None:
                yield (name, "fourfold"), (ours.low, ours.high)
        if not share:
            yield (name, "Dirichlet posterior"), _middle(metric, posterior)
        if metric.formula.exact(table.cells()) is not None:
            yield (name, "bootstrap"), _middle(metric, resampled)


def _middle(metric: ff.Metric, cells: Any) -> Ends:
    values = metric.formula.evaluate(dict(zip(CELLS, cells.T, strict=True)))
    missing = np.isnan(values)
    values = np.where(missing, np.inf, values) if metric.limits.high is None else values[~missing]
    low, high = np.quantile(values, [TAIL, 1 - TAIL], method="nearest")
    return float(low), float(high)


def _joined(pieces: Any, sizes: Sequence[int]) -> dict[tuple[str, str, int], list[float]]:
    sums: dict[tuple[str, str, int], Any] = {}
    for piece, size in zip(pieces, sizes, strict=True):
        for (name, method), both in piece.items():
            sums[name, method, size] = sums.get((name, method, size), 0) + both
    return {key: (covered / known).tolist() for key, (covered, known) in sums.items()}


def _print_smoothed() -> None:
    """Print how often the intervals of smoothed scores hold the truth, with groups that scatter more or less."""
    names = " | ".join(ff.metric(name).label for name in SMOOTHED)
    print(f"| groups | they differ | {names} | width (recall) | raw width |")
    print("|---|---|" + "---|" * (len(SMOOTHED) + 2))
    cases = [*itertools.product((12, 20), SCATTERS)]
    found = Parallel(n_jobs=2)(delayed(_smoothed)(groups, SCATTERS[words]) for groups, words in cases)
    for (groups, words), (covered, smoothed, raw) in zip(cases, found, strict=True):
        shares = " | ".join(f"{share:.3f}" for share in covered)
        print(f"| {groups} | {words} | {shares} | {smoothed:.2f} | {raw:.2f} |")


def _smoothed(groups: int, scatter: float | None) -> tuple[Any, float, float]:
    rng = np.random.default_rng([SEED, groups, int(scatter or 0)])
    hits, widths = [], []
    for audit in range(AUDITS):
        centre = TRUTHS[audit % len(TRUTHS)]
        sizes = np.exp(rng.uniform(np.log(5), np.log(200), groups)).astype(int)
        truths = [centre if scatter is None else rng.dirichlet(scatter * centre) for _ in sizes]
        tables = {i: _table(rng.multinomial(sizes[i], truth)) for i, truth in enumerate(truths)}
        for (i, smoothed), truth in zip(smooth_groups(tables).items(), truths, strict=True):
            ends = [smoothed.interval(name, LEVEL) for name in SMOOTHED]
            raw = ff.interval(tables[i], SMOOTHED[0], level=LEVEL)
            hits.append([_holds(each, _truth(each.metric, truth)) for each in ends])
            widths.append([_width(ends[0]), _width(raw)])
    smooth_width, raw_width = np.mean(widths, axis=0)
    return np.mean(hits, axis=0), float(smooth_width), float(raw_width)


def _holds(interval: Any, truth: float) -> bool:
    return bool(interval.low - SLACK <= truth <= interval.high + SLACK)


def _width(interval: Any) -> float:
    return float(interval.high - interval.low)
