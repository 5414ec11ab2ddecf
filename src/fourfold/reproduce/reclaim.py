"""Paper 000's Figures 1 to 5 and Table III: how wide a range one reported score leaves for another.

Every width is found twice: over all tables that fit the score, and between the two tables of the paper's integer
programme, those with the fewest and the most true positives (true negatives where recall is the score). And it is found
from scores of four decimals, as the text says, and from scores that are not rounded, as in the published code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..claims import Recovery, recover
from ..metrics import Metric, metric
from ..space import walk
from ..table import Table
from .outcome import Part, Reproduction, Statement, Verdict, View, compared, printed, table
from .running import done
from .sets import load, needed, present

_PAPER: Final = "000"
_TITLE: Final = "RECLAIM: reverse engineering classification metrics"
_SEED: Final = 42
_DECIMALS: Final = int(printed(_PAPER, "§IV-A")["scores", "significant figures"])
# The four scores, and the cell whose count the paper's integer programme makes smallest and largest where it is known.
_CELLS: Final = {line["metric"]: line["cell"] for line in table("reclaim.csv")}
_ACCURACY, _PRECISION, _RECALL, _F1 = _CELLS
#: Every score that is known, with every other one that is reconstructed from it.
PAIRS: Final = tuple((known, wanted) for known in _CELLS for wanted in _CELLS if wanted != known)
# The paper's code lets the truth leave the range by so much before it complains.
_SLACK: Final = Fraction(1, 10_000)
_RANGES: Final = {"exact": "all tables that fit", "two": "the paper's two tables"}
_ADULT: Final = "adult"
# The label and what was predicted.
_KINDS: Final = {"tp": (1, 1), "fn": (1, 0), "fp": (0, 1), "tn": (0, 0)}
_RIGHT, _FAULTY, _FETCHED = "as it is", "as the published code reads it", "as it is, from OpenML"
# Figure 5: half of so many cases are positive, half are called so; scores are given in full and with so many decimals.
_TOY_TOTAL: Final = 1000
_TOY_DECIMALS: Final = (None, 4, 3, 2)
# Of so many cases all tables are looked at, with scores of so many decimals; and one of them to look at closely.
_SMALL: Final = (10, 1)
_EXAMPLE: Final = Table(tp=5, fn=1, fp=4, tn=0)
# Means of floats that are this close are the same.
_SAME: Final = 1e-12
# What counts as hardly different, as narrow, as next to nothing; as a trend and as a straight line.
_HARDLY, _NARROW, _NOTHING, _TREND, _STRAIGHT, _SATURATED = 0.1, 0.2, 0.05, 0.9, 0.95, 0.95

Floats = NDArray[np.float64]


class Width(NamedTuple):
    """How wide a range one score leaves for another.

    `exact` is over all tables that fit, `two` between the paper's two tables; where several have the smallest or the
    largest count, the first. The others give such tables every benefit of the doubt: `missed` is how much wider the
    exact range is than any choice of them allows; `outside` tells whether the true value lies outside the range of the
    first two, `beyond` whether by more than the slack of the paper's code, `anyhow` whether for any choice.
    """

    exact: float
    two: float
    missed: float
    outside: float
    beyond: float
    anyhow: float


def reconstruct(truth: Table, decimals: int | None = _DECIMALS) -> list[Width | None]:
    """Take each score of a table for the only one that is known, and reconstruct each other one; as in `PAIRS`.

    Parameters
    ----------
    truth
        The table. Its margins are known. What is undefined at it gives None.
    decimals
        How the score that is known is rounded; None gives it as the fraction that it is.
    """
    found: list[Width | None] = []
    for known, cell in _CELLS.items():
        others = [metric(wanted) for each, wanted in PAIRS if each == known]
        value = _value(metric(known), truth)
        if value is None:
            found += [None] * len(others)
            continue
        recovery = recover(**{known: _text(value, decimals)}, positives=truth.positives, negatives=truth.negatives)
        ends = boundary_tables(recovery, cell)
        found += [_width(wanted, recovery, truth, ends) for wanted in others]
    return found


def _text(value: Fraction, decimals: int | None) -> str:
    return f"={value}" if decimals is None else f"{round(value * 10**decimals)}e-{decimals}"


def _value(chosen: Metric, at: Table) -> Fraction | None:
    value = chosen.formula.exact(at.cells())
    assert value is None or isinstance(value, Fraction), "scores of counts without roots are fractions"
    return value


def boundary_tables(recovery: Recovery, cell: str) -> tuple[Table, Table, Table, Table]:
    """Return the first and last table with the fewest cases in a cell, then the first and last with the most.

    Where several tables have the same count, the integer programme may return any of them; a metric's values at them
    lie between those at the first and the last, since tables that share tp or tn differ in one direction only.
    """
    rows = recovery.feasible.rows
    positives, negatives = int(rows.positives[0]), int(rows.negatives[0])
    points = {"tp": (rows.tp, rows.tp), "tn": (rows.low, rows.high)}[cell]
    found = []
    for end, best in ((points[0], points[0].min()), (points[1], points[1].max())):
        mine = end == best
        tp, low, high = rows.tp[mine], rows.low[mine], rows.high[mine]
        ends = {"tp": ((best, low.min()), (best, high.max())), "tn": ((tp.min(), best), (tp.max(), best))}[cell]
        found += [Table(tp=int(a), fn=positives - int(a), fp=negatives - int(b), tn=int(b)) for a, b in ends]
    return found[0], found[1], found[2], found[3]


def _width(wanted: Metric, recovery: Recovery, truth: Table, tables: Sequence[Table]) -> Width | None:
    value, exact = _value(wanted, truth), _exact_width(wanted, recovery)
    if value is None or exact is None:
        return None
    # The paper's code takes an undefined score for 0.
    ends = [_value(wanted, each) or Fraction(0) for each in tables]
    low, high = sorted((ends[0], ends[2]))
    return Width(
        exact=float(exact),
        two=float(high - low),
        missed=float(max(exact - max(ends) + min(ends), Fraction(0))),
        outside=float(not low <= value <= high),
        beyond=float(not low - _SLACK <= value <= high + _SLACK),
        anyhow=float(not min(ends) <= value <= max(ends)),
    )


def _exact_width(wanted: Metric, recovery: Recovery) -> Fraction | None:
    bounds = recovery.bounds(wanted)
    if bounds.low_table is None or bounds.high_table is None:
        return None
    low, high = _value(wanted, bounds.low_table), _value(wanted, bounds.high_table)
    return None if low is None or high is None else high - low


class Plan(NamedTuple):
    """What is varied, each with so many data sets or splits, and what is not.

    `correct` are the true positives of Figure 5, where half of 1,000 cases are positive and half are called so.
    """

    sizes: tuple[int, ...]
    shares: tuple[float, ...]
    depths: tuple[int, ...]
    repeats: int
    size: int
    depth: int
    trees: int
    correct: tuple[int, ...]


def _plan() -> Plan:
    sizes, shares = printed(_PAPER, "§IV-B"), printed(_PAPER, "§IV-C")
    smallest, largest = (int(sizes["synthetic data", f"{end} size"]) for end in ("smallest", "largest"))
    lowest, highest = (float(shares["share of positives", end]) for end in ("lowest", "highest"))
    return Plan(
        sizes=tuple(np.geomspace(smallest, largest, 15).round().astype(int).tolist()),
        shares=tuple(np.linspace(lowest, highest, 15).round(6).tolist()),
        depths=tuple(range(1, 31)),
        repeats=int(printed(_PAPER, "Figure 1")["synthetic data", "data sets"]),
        size=int(shares["synthetic data", "size"]),
        depth=int(sizes["tree", "depth"]),
        trees=int(printed(_PAPER, "§IV-E")["random forest", "trees"]),
        correct=tuple(range(400, 451)),
    )


def _runs(plan: Plan) -> dict[str, dict[float, list[tuple[Any, ...]]]]:
    """Return each figure's runs, by what is varied; those of Figure 4 are among those of Figure 1."""
    repeats = range(plan.repeats)
    return {
        "Figure 1": {depth: [("tree", "line", plan.size, 0.5, depth, i) for i in repeats] for depth in plan.depths},
        "Figure 2": {size: [("tree", "clusters", size, 0.5, plan.depth, i) for i in repeats] for size in plan.sizes},
        "Figure 3": {
            share: [("tree", "clusters", plan.size, share, plan.depth, i) for i in repeats] for share in plan.shares
        },
        "Figure 4": {
            depth: [("tree", "line", plan.size, 0.5, depth, i) for i in repeats] for depth in plan.depths[::2]
        },
    }


def reproduce_reclaim(
    data: str | Path | None = None,
    *,
    kept: str | Path | None = None,
    output: str | Path | None = None,
    n_jobs: int = 1,
    progress: Callable[[float], None] | None = None,
) -> Reproduction:
    """Do the experiments of paper 000 again.

    Parameters
    ----------
    data
        The folder with adult.parquet, for Table III.
    kept
        Where to keep what OpenML sends, for Adult where the folder lacks it; left out, nothing is fetched.
    output
        A folder for what was found so far: a run that was stopped goes on from there.
    n_jobs
        How many processes work at it, through joblib.
    progress
        Called with the share that is done.
    """
    needed()
    plan, place = _plan(), None if kept is None else Path(kept)
    runs, readings = _runs(plan), _readings(data, place)
    splits = range(plan.repeats)
    jobs: dict[str, tuple[Any, ...]] = {
        _name("forest", reading, plan.trees, i): ("forest", data, place, reading, plan.trees, i)
        for reading in readings
        for i in splits
    }
    jobs |= {_name("adult", reading): ("adult", data, place, reading) for reading in readings}
    jobs |= {_name(*run): run for over in runs.values() for several in over.values() for run in several}
    jobs |= {_name("toy", correct): ("toy", correct) for correct in plan.correct} | {_name("small"): ("small",)}
    cache = None if output is None else Path(output) / "reclaim.jsonl"
    found = done(_work, jobs, cache=cache, n_jobs=n_jobs, progress=progress)
    trees = {
        figure: {x: [found[_name(*run)] for run in several] for x, several in over.items()}
        for figure, over in runs.items()
    }
    forests = {reading: [found[_name("forest", reading, plan.trees, i)] for i in splits] for reading in readings}
    counts = {reading: found[_name("adult", reading)] for reading in readings}
    toy = {correct: found[_name("toy", correct)] for correct in plan.correct}
    return _outcome(trees, forests, counts, toy, found[_name("small")])


def _name(*job: Any) -> str:
    return " ".join(map(str, job))


def _work(kind: str, *arguments: Any) -> Any:
    """Do one job; what it returns is plain JSON."""
    works: dict[str, Callable[..., Any]]
    works = {"tree": _tree, "forest": _forest, "adult": _adult, "toy": _toy, "small": _small}
    return works[kind](*arguments)


def _tree(kind: str, size: int, share: float, depth: int, repeat: int) -> list[Any]:
    """Return the table of a decision tree on synthetic data, and the widths that its scores leave."""
    from sklearn.tree import DecisionTreeClassifier

    # The published code makes one set of clusters and splits it in different ways; the text speaks of separate sets.
    seed = _SEED * repeat
    features, labels = _line(size, seed) if kind == "line" else _clusters(size, share, seed)
    model = DecisionTreeClassifier(max_depth=depth, random_state=_SEED)
    return _tested(model, features, labels, _SEED if kind == "line" else seed)


def _line(size: int, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return points around the diagonal, and on which side of it they are."""
    rng = np.random.default_rng(seed)
    features = rng.random((size, 1)) + rng.uniform(0, 0.25, (size, 2))
    return features, (features[:, 0] <= features[:, 1]).astype(int)


def _clusters(size: int, share: float, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return normal clusters of two classes; the text gives no means, so they are made as in the published code."""
    from sklearn.datasets import make_classification

    features, labels = make_classification(size, weights=(1 - share,), random_state=seed)
    return features, labels


def _tested(model: Any, features: NDArray[Any], labels: NDArray[Any], seed: int) -> list[Any]:
    """Return the table on a fifth of the cases, with the widths from scores rounded and not."""
    from sklearn.model_selection import train_test_split

    train, test = train_test_split(np.arange(len(labels)), test_size=0.2, random_state=seed)
    called = model.fit(features[train], labels[train]).predict(features[test])
    cells = {name: int(((labels[test] == a) & (called == b)).sum()) for name, (a, b) in _KINDS.items()}
    truth = Table(**cells)
    widths = [[each or [None] * len(Width._fields) for each in reconstruct(truth, rule)] for rule in (_DECIMALS, None)]
    return [cells, widths]


def _forest(data: str | Path | None, kept: Path | None, reading: str, trees: int, repeat: int) -> list[Any]:
    """Return the table of a random forest on Adult, and the widths that its scores leave."""
    from sklearn.ensemble import RandomForestClassifier

    features, labels = adult(data, kept, faulty=reading == _FAULTY)
    return _tested(RandomForestClassifier(trees, random_state=_SEED), features, labels, _SEED * repeat)


def _readings(data: str | Path | None, kept: Path | None) -> tuple[str, ...]:
    """Return the ways in which Adult can be read here; OpenML does not tell its training and test part apart."""
    if present([_ADULT], data, None):
        return _RIGHT, _FAULTY
    return (_FETCHED,) if present([_ADULT], None, kept) else ()


def adult(
    data: str | Path | None, kept: Path | None = None, *, faulty: bool = False
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return the features and labels of Adult, a column for each category.

    Parameters
    ----------
    data, kept
        The folder with the file, and where to keep what is fetched.
    faulty
        Read the test part as the published code does, which keeps the blank before each text there: its categories are
        others than those of the training part, and none of its labels counts as positive.
    """
    columns, target = load(_ADULT, data, kept)
    tested = columns.pop("f0", np.full(len(target), "")) == "test"
    labels = (target == ">50K") & ~(tested & faulty)
    pieces = []
    for values in columns.values():
        if values.dtype.kind in "iuf":
            pieces.append(values[:, None])
        else:
            texts = np.char.add(np.where(tested & faulty, " ", ""), values.astype(str))
            pieces.append(texts[:, None] == np.unique(texts))
    return np.concatenate(pieces, axis=1, dtype=np.float32), labels.astype(np.int64)


def _adult(data: str | Path | None, kept: Path | None, reading: str) -> list[int]:
    """Return how many cases Adult has, and how many of them count as positive."""
    labels = adult(data, kept, faulty=reading == _FAULTY)[1]
    return [len(labels), int(labels.sum())]


def _toy(correct: int) -> list[Any]:
    """Return for each way of rounding and each reconstructed score: the width, and the widest from a single value."""
    half = _TOY_TOTAL // 2
    truth = Table(tp=correct, fn=half - correct, fp=half - correct, tn=correct)
    known, others = metric(_PRECISION), [metric(wanted) for each, wanted in PAIRS if each == _PRECISION]
    found = []
    for decimals in _TOY_DECIMALS:
        text = _text(_value(known, truth) or Fraction(0), decimals)
        recovery = recover(**{known.id: text}, positives=half, negatives=half)
        single: dict[Fraction | None, list[Table]] = {}
        for each in recovery.tables():
            single.setdefault(_value(known, each), []).append(each)
        found.append([[float(_exact_width(wanted, recovery) or 0), _widest(wanted, single)] for wanted in others])
    return found


def _widest(wanted: Metric, single: Mapping[Any, Sequence[Table]]) -> float:
    values = [[_value(wanted, each) or Fraction(0) for each in tables] for tables in single.values()]
    return float(max(max(each) - min(each) for each in values))


def _small() -> list[Any]:
    """Return the widths of every table of a few cases."""
    total, decimals = _SMALL
    tables = [several[i] for several in walk(total) for i in range(len(several))]
    return [list(each) for truth in tables for each in reconstruct(truth, decimals) if each]


@dataclass(frozen=True)
class _Seen:
    """Widths by what is varied, run, pair of scores, and kind of width; nan where undefined."""

    x: tuple[Any, ...]
    values: Floats

    @classmethod
    def of(cls, found: Mapping[Any, Sequence[Any]]) -> tuple[_Seen, _Seen]:
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
        for wanted, known in ((wanted, known) for wanted in _CELLS for known in _CELLS if known != wanted):
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
    judge: Callable[[_Seen], Judgement]


def _judged(check: _Check, both: tuple[_Seen, _Seen]) -> tuple[Statement, bool]:
    """Return the statement, decided by rounded scores, and whether it holds for scores that are not rounded."""
    (holds, numbers), (also, others) = (check.judge(seen) for seen in both)
    ending = "_unrounded}"
    words = (
        f"{check.words}. From scores that are not rounded, as in the published code, "
        f"{'it holds' if also else 'it does not hold'}: {check.words.replace('}', ending)}"
    )
    shown = numbers | {f"{name}_unrounded": value for name, value in others.items()}
    return Statement(check.place, check.says, holds, words, shown), also


def _others(known: str) -> list[str]:
    return [wanted for each, wanted in PAIRS if each == known]


def _shared(*known: str) -> list[str]:
    """Return the scores that are reconstructed from each of some."""
    return [name for name in _CELLS if name not in known]


def _size_matters_little(seen: _Seen) -> Judgement:
    ranges = {pair: float(np.ptp(seen.mean(*pair))) for pair in PAIRS}
    known, wanted = max(ranges, key=lambda pair: ranges[pair])
    most = ranges[known, wanted]
    steady = sum(each <= _HARDLY for each in ranges.values())
    names = {"known": _label(known), "wanted": _label(wanted)}
    return most <= _HARDLY, names | {"limit": _HARDLY, "steady": steady, "pairs": len(PAIRS), "most": most}


def _mean_spreads(seen: _Seen) -> dict[str, float]:
    return {known: float(np.nanmean([seen.spread(known, wanted) for wanted in _others(known)])) for known in _CELLS}


def _precision_varies_most(seen: _Seen) -> Judgement:
    spreads = _mean_spreads(seen)
    return max(spreads, key=lambda known: spreads[known]) == _PRECISION, spreads


def _precision_beats_recall(seen: _Seen) -> Judgement:
    numbers: dict[str, Any] = {}
    holds = True
    for i, wanted in enumerate(_shared(_PRECISION, _RECALL)):
        ours, theirs = (float(np.nanmean(seen.mean(known, wanted))) for known in (_PRECISION, _RECALL))
        numbers |= {f"wanted_{i}": _label(wanted), f"ours_{i}": ours, f"theirs_{i}": theirs}
        holds &= ours < theirs
    return holds, numbers


def _recall_is_poor(seen: _Seen) -> Judgement:
    wider = [
        seen.mean(_RECALL, wanted) > seen.mean(known, wanted)
        for known in (_ACCURACY, _F1)
        for wanted in _shared(_RECALL, known)
    ]
    spreads = _mean_spreads(seen)
    numbers = {"wider": int(np.sum(wider)), "places": int(np.size(wider)), **spreads}
    return bool(np.all(wider)) and spreads[_RECALL] < spreads[_PRECISION], numbers


def _good_ones_are_narrow(seen: _Seen) -> Judgement:
    means = {(known, wanted): seen.mean(known, wanted) for known in (_ACCURACY, _F1) for wanted in _others(known)}
    widest = {known: max(float(np.nanmean(means[known, w])) for w in _others(known)) for known in (_ACCURACY, _F1)}
    numbers = {"limit": _NARROW, **widest, "most": float(np.nanmax(list(means.values())))}
    return max(widest.values()) <= _NARROW, numbers


def _falls(known: Sequence[str], seen: _Seen) -> Judgement:
    trends = {(each, wanted): _trend(seen, each, wanted) for each in known for wanted in _others(each)}
    worst = max(trends, key=lambda pair: trends[pair])
    falling = sum(trend <= -_TREND for trend in trends.values())
    names = {"known": _label(worst[0]), "wanted": _label(worst[1])}
    return falling == len(trends), names | {
        "falling": falling,
        "pairs": len(trends),
        "worst": trends[worst],
        "limit": -_TREND,
    }


def _precision_has_no_trend(seen: _Seen) -> Judgement:
    trends = [_trend(seen, _PRECISION, wanted) for wanted in _others(_PRECISION)]
    clear = sum(abs(trend) >= _TREND for trend in trends)
    return not clear, {"clear": clear, "pairs": len(trends), "limit": _TREND, "low": min(trends), "high": max(trends)}


def _trend(seen: _Seen, known: str, wanted: str) -> float:
    """Return the rank correlation of the mean width and what is varied."""
    from scipy.stats import rankdata

    means = seen.mean(known, wanted)
    there = np.isfinite(means)
    x, y = rankdata(np.array(seen.x)[there]), rankdata(means[there])
    return float(np.corrcoef(x, y)[0, 1]) if np.ptp(y) else 0.0


def _recall_is_linear(seen: _Seen) -> Judgement:
    fits = {}
    for wanted in _others(_RECALL):
        means = seen.mean(_RECALL, wanted)
        there = np.isfinite(means)
        fits[wanted] = float(np.corrcoef(np.array(seen.x)[there], means[there])[0, 1] ** 2)
    return min(fits.values()) >= _STRAIGHT, {"limit": _STRAIGHT, **fits}


def _ends_at_nothing(known: Sequence[str], seen: _Seen) -> Judgement:
    ends = {(each, wanted): float(seen.mean(each, wanted)[-1]) for each in known for wanted in _others(each)}
    worst = max(ends, key=lambda pair: ends[pair])
    numbers = {"limit": _NOTHING, "least": min(ends.values()), "most": ends[worst], "depth": seen.x[-1]}
    return ends[worst] <= _NOTHING, numbers | {"known": _label(worst[0]), "wanted": _label(worst[1])}


_SPREADS: Final = "{accuracy} from accuracy, {precision} from precision, {recall} from recall, {f1} from the F1 score"
_CHECKS: Final = (
    _Check(
        "§IV-B",
        "Figure 2",
        "The size of the data hardly changes how wide the ranges are.",
        "mean widths of one pair of scores may differ by {limit} between sizes: {steady} of {pairs} pairs keep to "
        "that; those of {wanted} from {known} differ by {most}",
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
        partial(_falls, (_ACCURACY, _RECALL, _F1)),
    ),
    _Check(
        "§IV-C",
        "Figure 3",
        "Ranges from precision vary too much for a rule of that kind.",
        "a rank correlation of {limit} or more either way would be such a rule: {clear} of {pairs} reconstructed "
        "scores have one; they lie from {low} to {high}",
        _precision_has_no_trend,
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
        partial(_falls, (_ACCURACY, _F1)),
    ),
    _Check(
        "§IV-D",
        "Figure 4",
        "At full depth, accuracy and F1 score leave next to nothing open.",
        "at depth {depth} mean widths may be {limit}: they go from {least} to {most}, that of {wanted} from {known}",
        partial(_ends_at_nothing, (_ACCURACY, _F1)),
    ),
    _Check(
        "§IV-D",
        "Figure 4",
        "At full depth, precision reconstructs the other scores excellently.",
        "at depth {depth} mean widths may be {limit}: they go from {least} to {most}, that of {wanted} from {known}",
        partial(_ends_at_nothing, (_PRECISION,)),
    ),
)


class _Axis(NamedTuple):
    """What a figure varies: the column's name, words for it, the figure's title, and a logarithmic axis."""

    column: str
    words: str
    title: str
    data: str
    log: bool = False


_CLUSTERS: Final = (
    "The text gives no means for its two normal distributions, so the data is made as in the published "
    "code (scikit-learn's make_classification, 20 features), here with a data set of its own for each run."
)
_PICTURE: Final = "The values are in a picture only, so what the text says of it decides:"
_LINE: Final = "The data is the paper's set of points around the diagonal."
_AXES: Final = {
    "Figure 2": _Axis("size", "Cases, training and test", "Widths by the size of the data", _CLUSTERS, log=True),
    "Figure 3": _Axis("share", "Share of positives", "Widths by the share of positives", _CLUSTERS),
    "Figure 4": _Axis("depth", "Largest depth of the tree", "Widths by the capacity of the model", _LINE),
}


def _outcome(
    trees: Mapping[str, Mapping[Any, Sequence[Any]]],
    forests: Mapping[str, Sequence[Any]],
    counts: Mapping[str, Sequence[int]],
    toy: Mapping[int, Any],
    small: Sequence[Any],
) -> Reproduction:
    seen = {figure: _Seen.of(trees[figure]) for figure in _AXES}
    judged = [(check.figure, *_judged(check, seen[check.figure])) for check in _CHECKS]
    saturated, depths = _saturation(trees["Figure 1"])
    rounding = _of_rounding(toy)
    adult = _of_adult(forests, counts)
    parts = (
        depths,
        *(part for figure in _AXES for part in _figures(figure, seen[figure], judged)),
        _toy_figure(toy, rounding),
        *_table_three(forests, counts, adult),
        Part(
            "Table III Binary ImageNet",
            "Widths on pictures of cats and dogs",
            "not reproduced",
            "The pictures and the network that was trained on them are not at hand.",
        ),
    )
    statements = (_of_two_tables(seen.values(), small), saturated, *(each for _, each, _ in judged), *adult, *rounding)
    return Reproduction("reclaim", _TITLE, parts, statements)


def _verdict(held: Iterable[bool | None]) -> Verdict:
    return "reproduced" if all(held) else "differs"


def _saturation(found: Mapping[Any, Sequence[Any]]) -> tuple[Statement, Part]:
    scores = [[float(_value(metric(_ACCURACY), Table(**cells)) or 0) for cells, _ in runs] for runs in found.values()]
    means, spreads = np.mean(scores, axis=1).tolist(), np.std(scores, axis=1).tolist()
    depths = list(found)
    says = int(printed(_PAPER, "§IV-A")["tree", "depth of saturation"])
    reached = [(mean - means[0]) / (means[-1] - means[0]) for mean in means]
    at = min(range(len(depths)), key=lambda i: abs(depths[i] - says))
    numbers = {
        "limit": _SATURATED,
        "says": says,
        "depth": depths[at],
        "reached": reached[at],
        "mean": means[at],
        "last": depths[-1],
        "end": means[-1],
        "spread": spreads[-1],
        "within": next(depth for depth, mean in zip(depths, means, strict=True) if mean >= means[-1] - spreads[-1]),
    }
    statement = Statement(
        "§IV-A",
        f"The tree stops improving at a depth of about {says}.",
        reached[at] >= _SATURATED,
        "of all that is gained from the first depth to the last, {limit} must be gained by then: {reached} is, with a "
        "mean accuracy of {mean} at depth {depth} and {end} at depth {last}; from depth {within} on the mean is within "
        "one standard deviation, {spread}, of the last",
        numbers,
    )
    label = metric(_ACCURACY).label
    records = tuple(
        {"depth": depth, "model": "decision tree", "mean": mean, "spread": spread, "runs": len(runs)}
        for depth, mean, spread, runs in zip(depths, means, spreads, found.values(), strict=True)
    )
    view = View(
        x="depth", y="mean", series="model", spread="spread", titles={"depth": _AXES["Figure 4"].words, "mean": label}
    )
    words = f"{_LINE} {_PICTURE} " + (
        "the tree stops improving at a depth of about {says}. Here {reached} of its gain is reached at depth {depth}."
    )
    verdict = _verdict([statement.holds])
    return statement, Part("Figure 1", "Accuracy by the depth of the tree", verdict, words, numbers, records, view)


def _figures(figure: str, both: tuple[_Seen, _Seen], judged: Sequence[tuple[str, Statement, bool]]) -> Iterator[Part]:
    """Walk a figure's two versions: from rounded scores, as the text says, and from others, as in the code."""
    axis = _AXES[figure]
    view = View(
        x=axis.column,
        y="width",
        series="known",
        dash="range",
        panel="reconstructed",
        spread="spread",
        titles={axis.column: axis.words, "width": "Width of the range"},
        log_x=axis.log,
    )
    mine = [(statement.holds, also) for place, statement, also in judged if place == figure]
    words = f"{axis.data} {_PICTURE} " + (
        "{true} of {of} statements hold. Mean widths over all tables and between the paper's two are at most {apart} "
        "apart."
    )
    names = ((figure, "scores of four decimals"), (f"{figure} unrounded", "scores that are not rounded"))
    for (place, scores), held, seen in zip(names, zip(*mine, strict=True), both, strict=True):
        apart = max(float(np.nanmax(np.abs(seen.mean(*pair) - seen.mean(*pair, "two")))) for pair in PAIRS)
        numbers = {"true": sum(map(bool, held)), "of": len(held), "apart": apart}
        records = tuple(seen.records(axis.column))
        yield Part(place, f"{axis.title}, from {scores}", _verdict(held), words, numbers, records, view)


def _of_two_tables(seen: Iterable[tuple[_Seen, _Seen]], small: Sequence[Any]) -> Statement:
    rounded, full = zip(*seen, strict=True)
    wanted, known = metric(_ACCURACY), metric(_F1)
    recovery = recover(
        **{known.id: _text(_value(known, _EXAMPLE) or Fraction(0), _SMALL[1])},
        positives=_EXAMPLE.positives,
        negatives=_EXAMPLE.negatives,
    )
    bounds = recovery.bounds(wanted)
    ends = [float(_value(wanted, each) or 0) for each in boundary_tables(recovery, _CELLS[known.id])]
    numbers = {
        **_counted("", [each.values for each in rounded]),
        **_counted("full_", [each.values for each in full]),
        **_counted("small_", [np.array(small, dtype=np.float64)]),
        "total": _SMALL[0],
        "decimals": _SMALL[1],
        "score": float(round(_value(known, _EXAMPLE) or Fraction(0), _SMALL[1])),
        "positives": _EXAMPLE.positives,
        "low": bounds.low,
        "high": bounds.high,
        "two_low": min(ends),
        "two_high": max(ends),
    }
    holds = not any(numbers[f"{name}wider"] for name in ("", "full_", "small_"))
    words = (
        "in {wider} of {cases} reconstructions of Figures 2 to 4 from rounded scores the exact range is wider than "
        "between the two tables, by {missed} at most, and in {full_wider} of {full_cases} from scores that are not "
        "rounded; the true value lies outside the two tables' range in {outside} and {full_outside} of them. With few "
        "cases it does more often: over all tables of {total} cases and scores of {decimals} decimal, the exact range "
        "is wider in {small_wider} of {small_cases} reconstructions and the truth outside in {small_outside} "
        "({small_beyond} by more than the slack of the paper's code, {small_anyhow} whichever of tied tables are "
        "taken). An example: {total} cases, {positives} positives and an F1 score of {score} allow an accuracy from "
        "{low} to {high}, the two tables say {two_low} to {two_high}"
    )
    says = "Whatever score is known, the others are smallest and largest at the two boundary tables."
    return Statement("§III-C", says, holds, words, numbers)


def _counted(lead: str, pieces: Sequence[Floats]) -> dict[str, Any]:
    """Return how many reconstructions there are, and in how many the two tables miss something."""
    cases = np.concatenate([piece.reshape(-1, len(Width._fields)) for piece in pieces])
    columns = dict(zip(Width._fields, cases[np.isfinite(cases).all(axis=1)].T, strict=True))
    sums = {name: int(columns[name].sum()) for name in ("outside", "beyond", "anyhow")}
    found = {"cases": len(columns["exact"]), "wider": int((columns["missed"] > 0).sum()), **sums}
    return {f"{lead}{name}": value for name, value in found.items()} | {f"{lead}missed": float(columns["missed"].max())}


def _toy_figure(toy: Mapping[int, Any], rounding: Sequence[Statement]) -> Part:
    half = _TOY_TOTAL // 2
    records = tuple(
        {
            "score": correct / half,
            "reconstructed": metric(wanted).label,
            "known": "not rounded" if decimals is None else f"{decimals} decimals",
            "width": width,
            "single": single,
        }
        for correct, found in toy.items()
        for decimals, row in zip(_TOY_DECIMALS, found, strict=True)
        for wanted, (width, single) in zip(_others(_PRECISION), row, strict=True)
    )
    titles = {"score": metric(_PRECISION).label, "width": "Width of the range"}
    view = View(x="score", y="width", series="known", panel="reconstructed", titles=titles, columns=3)
    words = (
        "The paper draws a made-up curve; this is the real one, the width as a function of a reported precision, for "
        "{total} cases of which half are positive and half are called so. As in the sketch, rounding lifts the curve "
        "and smooths it."
    )
    verdict = _verdict([rounding[0].holds])
    if verdict == "differs":
        words = words.replace(
            "As in the sketch, rounding lifts", "Other than in the sketch, rounding does not always lift"
        )
        words = words.replace("and smooths", "and smooth")
    title = "The width as a function of the score that is known"
    return Part("Figure 5", title, verdict, words, {"total": _TOY_TOTAL}, records, view)


def _of_rounding(toy: Mapping[int, Any]) -> list[Statement]:
    """Return what the appendix says of rounding, for Figure 5."""
    values = np.array(list(toy.values()), dtype=np.float64)
    means, spreads = values[..., 0].mean(axis=0), values[..., 0].std(axis=0)
    wider, calmer = means[1:] > means[0], spreads[1:] < spreads[0]
    wanted = _others(_PRECISION).index(_F1)
    filtered = Statement(
        "Appendix A",
        "Rounding makes the mean width larger and its variance smaller.",
        bool(wider.all() and calmer.all()),
        "in Figure 5 the mean is larger in {wider} of {ways} ways to round and reconstruct, the variance smaller in "
        "{calmer}; for the F1 score from a precision of four decimals the mean goes from {full} to {rounded}, the "
        "standard deviation from {full_spread} to {rounded_spread}",
        {
            "wider": int(wider.sum()),
            "calmer": int(calmer.sum()),
            "ways": wider.size,
            "full": float(means[0, wanted]),
            "rounded": float(means[1, wanted]),
            "full_spread": float(spreads[0, wanted]),
            "rounded_spread": float(spreads[1, wanted]),
        },
    )
    more = values[:, 1:, :, 0] - values[:, 1:, :, 1]
    single = Statement(
        "Appendix A",
        "The width from a rounded score is the largest one that any single value behind it would leave.",
        bool((more < _SAME).all()),
        "in {more} of {points} points of Figure 5 it is larger, by up to {most}: tables of different values behind "
        "the score lie further apart than those of any one of them",
        {"more": int((more >= _SAME).sum()), "points": more.size, "most": float(more.max())},
    )
    return [filtered, single]


_MISSING: Final = "adult.parquet is not in the data folder, or no folder was named."


def _table_three(
    forests: Mapping[str, Sequence[Any]], counts: Mapping[str, Sequence[int]], adult: Sequence[Statement]
) -> Iterator[Part]:
    title = "Widths on Adult, from scores rounded and not"
    if not forests:
        yield Part("Table III", title, "not reproduced", _MISSING)
        return
    seen = dict(zip(("four decimals", "not rounded"), _Seen.of(forests), strict=True))
    records = tuple({"score": name} | record for name, each in seen.items() for record in each.records("labels"))
    words = (
        "The numbers of the table as printed were not at hand, so they could not be compared: what the text says of it "
        "decides. Labels and categories are given as they are"
    )
    words += " and with the fault of the published code." if _FAULTY in forests else "; the fault needs adult.parquet."
    yield Part("Table III", title, _verdict(each.holds for each in adult[1:]), words, {}, records)
    said = printed(_PAPER, "§IV-E")
    counted = tuple(
        compared(f"Adult, {reading}", name, said["Adult", name], found)
        for reading, (cases, positives) in counts.items()
        for name, found in (
            ("rows", cases),
            ("positives", positives),
            ("percent of positives", 100 * positives / cases),
        )
    )
    right = [record["agrees"] for record in counted[:3]]
    yield Part(
        "Section IV-E",
        "Cases and positives of Adult",
        _verdict(right),
        f"Counted here: {adult[0].words}.",
        adult[0].numbers,
        counted,
    )


def _of_adult(forests: Mapping[str, Sequence[Any]], counts: Mapping[str, Sequence[int]]) -> list[Statement]:
    said = printed(_PAPER, "§IV-E")
    share = said["Adult", "percent of positives"]
    positives = f"Of the cases of Adult, {said['Adult', 'positives']} are positive, about {share} percent."
    rounding = "Rounding widens the mean range on Adult and lowers the variance."
    varying = "Rounding changes little on Adult, save where the widths vary much."
    if not forests:
        return [Statement("§IV-E", says, None, _MISSING) for says in (positives, rounding, varying)]
    cases, found = next(iter(counts.values()))
    numbers = {"found": found, "cases": cases, "percent": 100 * found / cases}
    words = "{found} of {cases} are positive, {percent} percent"
    if _FAULTY in counts:
        numbers["faulty"] = counts[_FAULTY][1]
        words += "; {faulty} are where the blank before each label of the test part is kept, as in the published code"
    rounded, full = _Seen.of({"": next(iter(forests.values()))})
    table = [
        (rounded.mean(*pair)[0], full.mean(*pair)[0], rounded.spread(*pair)[0], full.spread(*pair)[0]) for pair in PAIRS
    ]
    return [
        Statement("§IV-E", positives, found == int(said["Adult", "positives"]), words, numbers),
        _rounding_on_adult(rounding, np.array(table)),
        _varying_on_adult(varying, np.array(table)),
    ]


def _rounding_on_adult(says: str, table: Floats) -> Statement:
    changed = table[np.abs(table[:, 0] - table[:, 1]) > _SAME]
    wider, calmer = changed[:, 0] > changed[:, 1], changed[:, 2] < changed[:, 3]
    words = (
        "the mean width changes for {changed} of {pairs} pairs of scores: it is larger from rounded scores for {wider} "
        "of them, its standard deviation smaller for {calmer}"
    )
    counts = {"changed": len(changed), "wider": int(wider.sum()), "calmer": int(calmer.sum()), "pairs": len(table)}
    return Statement("§IV-E", says, bool(wider.all() and calmer.all()), words, counts)


def _varying_on_adult(says: str, table: Floats) -> Statement:
    much = np.abs(table[:, 0] - table[:, 1]) > _NOTHING
    words = (
        "mean widths of {much} of {pairs} pairs of scores change by more than {limit}; from scores that are not "
        "rounded, the standard deviation of those is {least} or more, that of the others {most} or less"
    )
    least, most = (
        float(pick(table[rows, 3], initial=end)) for pick, rows, end in ((np.min, much, 1.0), (np.max, ~much, 0.0))
    )
    numbers = {"much": int(much.sum()), "pairs": len(table), "limit": _NOTHING, "least": least, "most": most}
    return Statement("§IV-E", says, least > most, words, numbers)
