"""What the paper says of its figures, each with a rule that decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations
from typing import Any, Final, TypeAlias

import numpy as np

from fourfold import Metric
from fourfold.metrics import ACCURACY, F1, PRECISION, RECALL

from ..outcome import Statement
from .widths import CELLS, PAIRS, PAPER, Floats, Width, others_than

_RANGES: Final = {"exact": "all tables that fit", "two": "the paper's two tables"}
# What counts as hardly different, as narrow, as next to nothing; as a trend and as a straight line.
_HARDLY, _NARROW, NEARLY_NOTHING, _TREND, _STRAIGHT = 0.1, 0.2, 0.05, 0.9, 0.95
# Means may differ by this many standard errors.
_ERRORS: Final = 4
#: Whether a statement holds, and the numbers behind that.
Judgement: TypeAlias = tuple[bool, dict[str, Any]]
Judge: TypeAlias = "Callable[[RunWidths], Judgement]"


@dataclass(frozen=True)
class RunWidths:
    """Widths by what is varied, run, pair of scores, and kind of width; nan where undefined."""

    x: tuple[Any, ...]
    values: Floats

    @classmethod
    def rounded_and_not(cls, runs: Mapping[Any, Sequence[Any]]) -> tuple[RunWidths, RunWidths]:
        """Return the widths from scores that were rounded, and from those that were not."""
        values = np.array([[widths for _, widths in several] for several in runs.values()], dtype=np.float64)
        return cls(tuple(runs), values[:, :, 0]), cls(tuple(runs), values[:, :, 1])

    def runs(self, known: Metric, wanted: Metric, kind: str = "exact") -> Any:
        """Return one kind of width by what is varied and run; undefined ones are masked."""
        chosen = self.values[:, :, PAIRS.index((known, wanted)), Width._fields.index(kind)]
        return np.ma.masked_invalid(chosen)

    def mean(self, known: Metric, wanted: Metric, kind: str = "exact") -> Floats:
        """Return the mean over the runs."""
        return np.ma.filled(self.runs(known, wanted, kind).mean(axis=1), np.nan)

    def spread(self, known: Metric, wanted: Metric, kind: str = "exact") -> Floats:
        """Return the standard deviation over the runs, which are all there are."""
        return np.ma.filled(self.runs(known, wanted, kind).std(axis=1), np.nan)

    def records(self, column: str) -> Iterator[dict[str, Any]]:
        """Yield a record for each point of each line, panel by panel."""
        for wanted, known, kind in ((*pair, kind) for pair in permutations(CELLS, 2) for kind in _RANGES):
            names = {"reconstructed": wanted.label, "known": f"from {_label(known)}", "range": _RANGES[kind]}
            means, spreads = self.mean(known, wanted, kind), self.spread(known, wanted, kind)
            counts = self.runs(known, wanted, kind).count(axis=1)
            for x, mean, spread, count in zip(self.x, means, spreads, counts, strict=True):
                numbers = {"width": _plain(mean), "spread": _plain(spread), "runs": int(count)}
                yield {column: x} | names | numbers


def _label(metric: Metric) -> str:
    return metric.label if metric.label[1].isdigit() else metric.label.lower()


def _labels(known: Metric, wanted: Metric) -> dict[str, Any]:
    return {"known": _label(known), "wanted": _label(wanted)}


def _plain(number: float) -> float | None:
    return None if np.isnan(number) else float(number)


def checked(key: str, judge: Judge, both: Sequence[RunWidths]) -> tuple[Statement, list[bool]]:
    """Judge a statement by its key in texts.csv: return it, and whether it holds for scores rounded and not rounded.

    The text says that scores were rounded, the published code does not round, and the data are not given in full: so
    what does not hold both ways here is not held against the paper.
    """
    (holds, numbers), (also, others) = (judge(widths) for widths in both)
    numbers = numbers | {f"{name}_unrounded": value for name, value in others.items()}
    statement = PAPER.statement(key, True if holds and also else None, numbers)
    outcomes = {True: "it holds", False: "it does not hold here"}
    words = (
        f"from scores of four decimals {outcomes[holds]}: {statement.words}. From scores that are not rounded, as in "
        f"the published code, {outcomes[also]}: {statement.words.replace('}', '_unrounded}')}"
    )
    return replace(statement, words=words), [holds, also]


def _size_matters_little(widths: RunWidths) -> Judgement:
    ranges = {pair: float(np.ptp(widths.mean(*pair))) for pair in PAIRS}
    # Means of a few runs that vary much differ by chance alone.
    errors = {pair: float(np.nanmax(widths.spread(*pair))) / widths.values.shape[1] ** 0.5 for pair in PAIRS}
    allowed = {pair: max(_HARDLY, _ERRORS * errors[pair]) for pair in PAIRS}
    steady = sum(ranges[pair] <= allowed[pair] for pair in PAIRS)
    worst = max(PAIRS, key=lambda pair: ranges[pair] - allowed[pair])
    numbers = {"most": ranges[worst], "limit": _HARDLY, "errors": _ERRORS, "steady": steady, "pairs": len(PAIRS)}
    return steady == len(PAIRS), _labels(*worst) | numbers


def _mean_spreads(widths: RunWidths) -> dict[str, float]:
    spreads = {known.id: [widths.spread(known, wanted) for wanted in others_than(known)] for known in CELLS}
    return {name: float(np.nanmean(values)) for name, values in spreads.items()}


def _precision_varies_most(widths: RunWidths) -> Judgement:
    spreads = _mean_spreads(widths)
    return max(spreads, key=lambda known: spreads[known]) == PRECISION.id, spreads


def _precision_beats_recall(widths: RunWidths) -> Judgement:
    numbers: dict[str, Any] = {}
    holds = True
    for i, wanted in enumerate(others_than(PRECISION, RECALL)):
        ours, theirs = (float(np.nanmean(widths.mean(known, wanted))) for known in (PRECISION, RECALL))
        numbers |= {f"wanted_{i}": _label(wanted), f"ours_{i}": ours, f"theirs_{i}": theirs}
        holds &= ours < theirs
    return holds, numbers


def _recall_is_poor(widths: RunWidths) -> Judgement:
    wider = [
        widths.mean(RECALL, wanted) > widths.mean(known, wanted)
        for known in (ACCURACY, F1)
        for wanted in others_than(RECALL, known)
    ]
    spreads = _mean_spreads(widths)
    numbers = {"wider": int(np.sum(wider)), "places": int(np.size(wider)), **spreads}
    return bool(np.all(wider)) and spreads[RECALL.id] < spreads[PRECISION.id], numbers


def _good_ones_are_narrow(widths: RunWidths) -> Judgement:
    means = {known: [widths.mean(known, wanted) for wanted in others_than(known)] for known in (ACCURACY, F1)}
    widest = {known.id: max(float(np.nanmean(mean)) for mean in mean_widths) for known, mean_widths in means.items()}
    most = float(np.nanmax(list(means.values())))
    return max(widest.values()) <= _NARROW, {"limit": _NARROW, **widest, "most": most}


def _falls(known: Sequence[Metric], widths: RunWidths) -> Judgement:
    trends = {(score, wanted): _trend(widths, score, wanted) for score in known for wanted in others_than(score)}
    worst = max(trends, key=lambda pair: trends[pair])
    falling = sum(trend <= -_TREND for trend in trends.values())
    numbers = {"falling": falling, "pairs": len(trends), "worst": trends[worst], "limit": -_TREND}
    return falling == len(trends), _labels(*worst) | numbers


def _trend(widths: RunWidths, known: Metric, wanted: Metric) -> float:
    """Return the rank correlation of the mean width and what is varied."""
    from scipy.stats import spearmanr

    x, means = _finite_means(widths, known, wanted)
    return float(spearmanr(x, means).statistic) if np.ptp(means) else 0.0


def _finite_means(widths: RunWidths, known: Metric, wanted: Metric) -> tuple[Floats, Floats]:
    means = widths.mean(known, wanted)
    there = np.isfinite(means)
    return np.array(widths.x)[there], means[there]


def _recall_is_linear(widths: RunWidths) -> Judgement:
    lines = {wanted.id: _finite_means(widths, RECALL, wanted) for wanted in others_than(RECALL)}
    fits = {name: float(np.corrcoef(*line)[0, 1] ** 2) for name, line in lines.items()}
    return min(fits.values()) >= _STRAIGHT, {"limit": _STRAIGHT, **fits}


def _ends_at_nothing(known: Sequence[Metric], widths: RunWidths) -> Judgement:
    ends = {(score, wanted): float(widths.mean(score, wanted)[-1]) for score in known for wanted in others_than(score)}
    worst = max(ends, key=lambda pair: ends[pair])
    numbers = {"limit": NEARLY_NOTHING, "least": min(ends.values()), "most": ends[worst], "depth": widths.x[-1]}
    return ends[worst] <= NEARLY_NOTHING, numbers | _labels(*worst)


def _precision_can(widths: RunWidths) -> Judgement:
    last = widths.values[-1][:, [i for i, (known, _) in enumerate(PAIRS) if known == PRECISION], 0]
    good = int((last <= NEARLY_NOTHING).all(axis=1).sum())
    numbers = {"depth": widths.x[-1], "limit": NEARLY_NOTHING, "good": good, "runs": len(last)}
    return good > 0, numbers | {"least": float(last.mean(axis=0).min())}


#: What the paper says of each figure, by its key in texts.csv, and the rule that decides it.
CHECKS: Final[dict[str, dict[str, Judge]]] = {
    "Figure 2": {
        "size matters little": _size_matters_little,
        "precision varies most": _precision_varies_most,
        "precision beats recall": _precision_beats_recall,
        "recall is poor": _recall_is_poor,
        "good ones are narrow": _good_ones_are_narrow,
    },
    "Figure 3": {
        "positives narrow": partial(_falls, (ACCURACY, RECALL, F1)),
        "precision varies here too": _precision_varies_most,
        "recall is linear": _recall_is_linear,
        "good ones at all shares": _good_ones_are_narrow,
    },
    "Figure 4": {
        "depth narrows": partial(_falls, (ACCURACY, F1)),
        "nothing at full depth": partial(_ends_at_nothing, (ACCURACY, F1)),
        "precision at full depth": _precision_can,
    },
}
