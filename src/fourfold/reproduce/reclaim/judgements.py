"""What the paper says of its figures, each with a rule that decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from ...metrics import metric
from ..outcome import Statement
from .widths import ACCURACY, CELLS, F1, PAIRS, PRECISION, RECALL, Floats, Width, others_than

_RANGES: Final = {"exact": "all tables that fit", "two": "the paper's two tables"}
# What counts as hardly different, as narrow, as next to nothing; as a trend and as a straight line.
_HARDLY, _NARROW, NEARLY_NOTHING, _TREND, _STRAIGHT, SATURATED = 0.1, 0.2, 0.05, 0.9, 0.95, 0.95
# Means may differ by so many standard errors.
_ERRORS: Final = 4


@dataclass(frozen=True)
class Seen:
    """Widths by what is varied, run, pair of scores, and kind of width; nan where undefined."""

    x: tuple[Any, ...]
    values: Floats

    @classmethod
    def of(cls, found: Mapping[Any, Sequence[Any]]) -> tuple[Seen, Seen]:
        """Return what was seen from scores that were rounded, and from those that were not."""
        values = np.array([[widths for _, widths in several] for several in found.values()], dtype=np.float64)
        return cls(tuple(found), values[:, :, 0]), cls(tuple(found), values[:, :, 1])

    def runs(self, known: str, wanted: str, name: str = "exact") -> Any:
        """Return one kind of width by what is varied and run; undefined ones are masked."""
        chosen = self.values[:, :, PAIRS.index((known, wanted)), Width._fields.index(name)]
        return np.ma.masked_invalid(chosen)

    def mean(self, known: str, wanted: str, name: str = "exact") -> Floats:
        """Return the mean over the runs."""
        return np.ma.filled(self.runs(known, wanted, name).mean(axis=1), np.nan)

    def spread(self, known: str, wanted: str, name: str = "exact") -> Floats:
        """Return the standard deviation over the runs, which are all there are."""
        return np.ma.filled(self.runs(known, wanted, name).std(axis=1), np.nan)

    def records(self, column: str) -> Iterator[dict[str, Any]]:
        """Walk a record for each point of each line, panel by panel."""
        for wanted, known in ((wanted, known) for wanted in CELLS for known in CELLS if known != wanted):
            for name, tables in _RANGES.items():
                means, spreads = self.mean(known, wanted, name), self.spread(known, wanted, name)
                counts = self.runs(known, wanted, name).count(axis=1)
                for x, mean, spread, count in zip(self.x, means, spreads, counts, strict=True):
                    yield {
                        column: x,
                        "reconstructed": metric(wanted).label,
                        "known": f"from {_label(known)}",
                        "range": tables,
                        "width": _plain(mean),
                        "spread": _plain(spread),
                        "runs": int(count),
                    }


def _label(name: str) -> str:
    label = metric(name).label
    return label if label[1].isdigit() else label.lower()


def _plain(number: float) -> float | None:
    return None if np.isnan(number) else float(number)


Judgement: TypeAlias = tuple[bool, dict[str, Any]]


class _Check(NamedTuple):
    """Something that the paper says of a figure, and a rule that decides it."""

    place: str
    figure: str
    says: str
    words: str
    judge: Callable[[Seen], Judgement]


def judgement_of(check: _Check, both: tuple[Seen, Seen]) -> tuple[Statement, tuple[bool, bool]]:
    """Return the statement, and whether it holds for scores that are rounded and for others.

    The text says that scores were rounded, the published code does not round, and the data are not given in full: so
    what does not hold both ways here is not held against the paper.
    """
    (holds, numbers), (also, others) = (check.judge(seen) for seen in both)
    ending, said = "_unrounded}", {True: "it holds", False: "it does not hold here"}
    words = (
        f"from scores of four decimals {said[holds]}: {check.words}. From scores that are not rounded, as in the "
        f"published code, {said[also]}: {check.words.replace('}', ending)}"
    )
    shown = numbers | {f"{name}_unrounded": value for name, value in others.items()}
    return Statement(check.place, check.says, True if holds and also else None, words, shown), (holds, also)


def _size_matters_little(seen: Seen) -> Judgement:
    ranges = {pair: float(np.ptp(seen.mean(*pair))) for pair in PAIRS}
    # Means of a few runs that vary much differ by chance alone.
    chance = {pair: _ERRORS * float(np.nanmax(seen.spread(*pair))) / seen.values.shape[1] ** 0.5 for pair in PAIRS}
    steady = {pair: ranges[pair] <= max(_HARDLY, chance[pair]) for pair in PAIRS}
    known, wanted = max(PAIRS, key=lambda pair: ranges[pair] - max(_HARDLY, chance[pair]))
    numbers = {"known": _label(known), "wanted": _label(wanted), "most": ranges[known, wanted]}
    numbers |= {"limit": _HARDLY, "errors": _ERRORS, "steady": sum(steady.values()), "pairs": len(PAIRS)}
    return all(steady.values()), numbers


def _mean_spreads(seen: Seen) -> dict[str, float]:
    return {known: float(np.nanmean([seen.spread(known, wanted) for wanted in others_than(known)])) for known in CELLS}


def _precision_varies_most(seen: Seen) -> Judgement:
    spreads = _mean_spreads(seen)
    return max(spreads, key=lambda known: spreads[known]) == PRECISION, spreads


def _precision_beats_recall(seen: Seen) -> Judgement:
    numbers: dict[str, Any] = {}
    holds = True
    for i, wanted in enumerate(others_than(PRECISION, RECALL)):
        ours, theirs = (float(np.nanmean(seen.mean(known, wanted))) for known in (PRECISION, RECALL))
        numbers |= {f"wanted_{i}": _label(wanted), f"ours_{i}": ours, f"theirs_{i}": theirs}
        holds &= ours < theirs
    return holds, numbers


def _recall_is_poor(seen: Seen) -> Judgement:
    wider = [
        seen.mean(RECALL, wanted) > seen.mean(known, wanted)
        for known in (ACCURACY, F1)
        for wanted in others_than(RECALL, known)
    ]
    spreads = _mean_spreads(seen)
    numbers = {"wider": int(np.sum(wider)), "places": int(np.size(wider)), **spreads}
    return bool(np.all(wider)) and spreads[RECALL] < spreads[PRECISION], numbers


def _good_ones_are_narrow(seen: Seen) -> Judgement:
    means = {(known, wanted): seen.mean(known, wanted) for known in (ACCURACY, F1) for wanted in others_than(known)}
    widest = {known: max(float(np.nanmean(means[known, w])) for w in others_than(known)) for known in (ACCURACY, F1)}
    numbers = {"limit": _NARROW, **widest, "most": float(np.nanmax(list(means.values())))}
    return max(widest.values()) <= _NARROW, numbers


def _falls(known: Sequence[str], seen: Seen) -> Judgement:
    trends = {(each, wanted): _trend(seen, each, wanted) for each in known for wanted in others_than(each)}
    worst = max(trends, key=lambda pair: trends[pair])
    falling = sum(trend <= -_TREND for trend in trends.values())
    names = {"known": _label(worst[0]), "wanted": _label(worst[1])}
    return falling == len(trends), names | {
        "falling": falling,
        "pairs": len(trends),
        "worst": trends[worst],
        "limit": -_TREND,
    }


def _trend(seen: Seen, known: str, wanted: str) -> float:
    """Return the rank correlation of the mean width and what is varied."""
    from scipy.stats import rankdata

    means = seen.mean(known, wanted)
    there = np.isfinite(means)
    x, y = rankdata(np.array(seen.x)[there]), rankdata(means[there])
    return float(np.corrcoef(x, y)[0, 1]) if np.ptp(y) else 0.0


def _recall_is_linear(seen: Seen) -> Judgement:
    fits = {}
    for wanted in others_than(RECALL):
        means = seen.mean(RECALL, wanted)
        there = np.isfinite(means)
        fits[wanted] = float(np.corrcoef(np.array(seen.x)[there], means[there])[0, 1] ** 2)
    return min(fits.values()) >= _STRAIGHT, {"limit": _STRAIGHT, **fits}


def _ends_at_nothing(known: Sequence[str], seen: Seen) -> Judgement:
    ends = {(each, wanted): float(seen.mean(each, wanted)[-1]) for each in known for wanted in others_than(each)}
    worst = max(ends, key=lambda pair: ends[pair])
    numbers = {"limit": NEARLY_NOTHING, "least": min(ends.values()), "most": ends[worst], "depth": seen.x[-1]}
    return ends[worst] <= NEARLY_NOTHING, numbers | {"known": _label(worst[0]), "wanted": _label(worst[1])}


def _precision_can(seen: Seen) -> Judgement:
    last = seen.values[-1][:, [i for i, (known, _) in enumerate(PAIRS) if known == PRECISION], 0]
    good = int((last <= NEARLY_NOTHING).all(axis=1).sum())
    numbers = {"depth": seen.x[-1], "limit": NEARLY_NOTHING, "good": good, "runs": len(last)}
    return good > 0, numbers | {"least": float(last.mean(axis=0).min())}


_SPREADS: Final = "{accuracy} from accuracy, {precision} from precision, {recall} from recall, {f1} from the F1 score"
CHECKS: Final = (
    _Check(
        "§IV-B",
        "Figure 2",
        "The size of the data hardly changes how wide the ranges are.",
        "mean widths of one pair of scores may differ between sizes by {limit}, or by {errors} standard errors: "
        "{steady} of {pairs} pairs keep to that; those of {wanted} from {known} differ by {most}",
        _size_matters_little,
    ),
    _Check(
        "§IV-B",
        "Figure 2",
        "Ranges from precision vary the most from one data set to the next.",
        f"mean standard deviations of the widths are {_SPREADS}",
        _precision_varies_most,
    ),
    _Check(
        "§IV-B",
        "Figure 2",
        "On average, precision leaves narrower ranges than recall.",
        "mean widths for {wanted_0} are {ours_0} from precision and {theirs_0} from recall, "
        "those for {wanted_1} {ours_1} and {theirs_1}",
        _precision_beats_recall,
    ),
    _Check(
        "§IV-B",
        "Figure 2",
        "Recall leaves wide ranges, and more steadily so than precision.",
        "mean widths from recall are wider than those from accuracy and the F1 score in {wider} of {places} places; "
        f"mean standard deviations are {_SPREADS}",
        _recall_is_poor,
    ),
    _Check(
        "§IV-B",
        "Figure 2",
        "Accuracy and F1 score leave narrow ranges.",
        "the mean over all sizes may be {limit} for any reconstructed score: the largest is {accuracy} from accuracy "
        "and {f1} from the F1 score, and {most} at a single size",
        _good_ones_are_narrow,
    ),
    _Check(
        "§IV-C",
        "Figure 3",
        "The more positives, the narrower the ranges, precision aside.",
        "the rank correlation of width and share of positives must be {limit} or below: it is for {falling} of {pairs} "
        "pairs of scores, and {worst} for {wanted} from {known}",
        partial(_falls, (ACCURACY, RECALL, F1)),
    ),
    _Check(
        "§IV-C",
        "Figure 3",
        "Ranges from precision vary the most from one data set to the next, here too.",
        f"mean standard deviations of the widths are {_SPREADS}",
        _precision_varies_most,
    ),
    _Check(
        "§IV-C",
        "Figure 3",
        "Ranges from recall become narrower in a straight line.",
        "a straight line must explain {limit} of the variance of the mean widths: it explains {accuracy} for accuracy, "
        "{precision} for precision, {f1} for the F1 score",
        _recall_is_linear,
    ),
    _Check(
        "§IV-C",
        "Figure 3",
        "Accuracy and F1 score reconstruct all others well.",
        "the mean over all shares may be {limit} for any reconstructed score: the largest is {accuracy} from accuracy "
        "and {f1} from the F1 score, and {most} at a single share",
        _good_ones_are_narrow,
    ),
    _Check(
        "§IV-D",
        "Figure 4",
        "Ranges from accuracy and F1 score become narrower as the tree becomes deeper.",
        "the rank correlation of width and depth must be {limit} or below: it is for {falling} of {pairs} pairs of "
        "scores, and {worst} for {wanted} from {known}",
        partial(_falls, (ACCURACY, F1)),
    ),
    _Check(
        "§IV-D",
        "Figure 4",
        "At full depth, accuracy and F1 score leave next to nothing open.",
        "at depth {depth} mean widths may be {limit}: they go from {least} to {most}, that of {wanted} from {known}",
        partial(_ends_at_nothing, (ACCURACY, F1)),
    ),
    _Check(
        "§IV-D",
        "Figure 4",
        "At full depth, precision can be used for excellent reconstructions.",
        "at depth {depth} all widths are {limit} or less in {good} of {runs} runs, and {least} on average at best",
        _precision_can,
    ),
)
