"""Two models on the same rows: time of the exact tests, and how often test and interval hold what they promise."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import fourfold as ff
from fourfold.groups import compare_paired

from .timing import alone, compare, seconds

_KINDS = [(truth, first, second) for truth in (1, 0) for first in (1, 0) for second in (1, 0)]
#: Prevalence, recall and specificity of both models, and how much of what they get right they share.
_POPULATIONS = {
    "equal models": (0.3, (0.8, 0.85), (0.8, 0.85), 0.5),
    "equal F1, other recall": (0.3, (0.9, 0.8), (0.7, 0.9397), 0.5),
    "a small difference": (0.3, (0.85, 0.88), (0.8, 0.85), 0.5),
    "a large difference": (0.3, (0.9, 0.9), (0.6, 0.8), 0.5),
    "one is never worse": (0.4, (0.95, 0.95), (0.6, 0.75), 0.98),
    "rare positives": (0.1, (0.8, 0.95), (0.6, 0.95), 0.5),
}
_DRAWS = 200


def run() -> None:
    """Time the tests, then draw data of known populations."""
    _times()
    print(f"{'population':<24}{'rows':>6}  {'metric':<10}{'difference':>10}{'covered':>9}{'p <= .05':>10}")
    for name, population in _POPULATIONS.items():
        for rows in (50, 100, 400):
            for metric in ("accuracy", "recall", "f1", "mcc"):
                _drawn(name, population, rows, metric)


def _times() -> None:
    rows = dict(zip(_KINDS, (3000, 270, 230, 500, 700, 245, 255, 4000), strict=True))
    for name in ("f1", "mcc"):
        ours = seconds(partial(compare_paired, rows, name))
        theirs = seconds(partial(_swapped, rows, name))
        compare(
            f"{name}, 500 positives and 500 negatives differ", ours, "10,000 random swaps", theirs, "ours with interval"
        )
    many = {kind: 1000 * count for kind, count in rows.items()}
    alone("mcc, a million rows differ", seconds(lambda: compare_paired(many, "mcc"), 1), "exact, with interval")


def _swapped(rows: dict[tuple[int, int, int], int], name: str, draws: int = 10_000) -> float:
    """Return the p-value as one does it without a law: by swapping rows at random."""
    rng = np.random.default_rng(0)
    metric = ff.metric(name)

    def difference(u: Any, v: Any) -> Any:
        scores: list[Any] = []
        for found, cleared in ((u, v), (500 - u, 500 - v)):
            tp, tn = rows[1, 1, 1] + found, rows[0, 0, 0] + cleared
            scores.append(metric.formula.evaluate({"tp": tp, "fn": 4000 - tp, "fp": 5200 - tn, "tn": tn}))
        return scores[0] - scores[1]

    signs = rng.random((draws, 1000)) < 0.5
    drawn = difference(signs[:, :500].sum(axis=1), signs[:, 500:].sum(axis=1))
    return float(np.mean(np.abs(drawn) >= abs(difference(np.array([270]), np.array([245]))[0])))


def _shares(prevalence: float, one: tuple[float, float], other: tuple[float, float], shared: float) -> Any:
    shares = []
    for truth, first, second in _KINDS:
        a, b = one[1 - truth], other[1 - truth]
        both = a * b + shared * (min(a, b) - a * b)
        right = {(True, True): both, (True, False): a - both, (False, True): b - both, (False, False): 1 - a - b + both}
        shares.append((prevalence if truth else 1 - prevalence) * right[first == truth, second == truth])
    return np.array(shares)


def _true(shares: Any, name: str) -> float:
    scores = []
    for model in (1, 2):
        cells = {"tp": (1, 1), "fn": (1, 0), "fp": (0, 1), "tn": (0, 0)}
        kinds = list(zip(_KINDS, shares, strict=True))
        counts = {cell: sum(x for kind, x in kinds if (kind[0], kind[model]) == pair) for cell, pair in cells.items()}
        scores.append(float(ff.metric(name).formula.evaluate(counts)))
    return scores[0] - scores[1]


def _drawn(
    name: str, population: tuple[float, tuple[float, float], tuple[float, float], float], rows: int, metric: str
) -> None:
    shares = _shares(*population)
    true, rng = _true(shares, metric), np.random.default_rng(1)
    drawn = rng.multinomial(rows, shares, _DRAWS).tolist()
    found = [compare_paired(dict(zip(_KINDS, counts, strict=True)), metric) for counts in drawn]
    told: list[Any] = [result for result in found if result.low is not None]
    covered = np.mean([result.low <= true + 1e-12 and true - 1e-12 <= result.high for result in told])
    rejected = np.mean([result.p_value <= 0.05 for result in told])
    print(f"{name:<24}{rows:>6}  {metric:<10}{true:>10.3f}{covered:>9.3f}{rejected:>10.3f}")


if __name__ == "__main__":
    run()
