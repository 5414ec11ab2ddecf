"""Paper 001, on what few cases do to a metric: its figures, tables and statements.

The paper drew tables at random, a billion and more for each metric. Here every number is the exact expectation over all
tables that can be drawn, so no curve has a band of error. An estimate that is undefined is left out, as in the paper:
errors and chances are given that it is defined.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from ..formula import CELLS
from ..groups import expected_errors, match, smooth
from ..groups.smoothing import shares_of, together, without
from ..metrics import METRICS, Metric, score
from ..space import count, holes
from ..space.draws import Floats, Source
from ..space.laws import law
from ..table import Table
from .outcome import Part, Reproduction, Statement, Verdict, View, compared, printed, table
from .running import done

_PAPER: Final = "001"
_TITLE: Final = "J. Briscoe, G. Kepler, D. Deford, A. Gebremedhin (2025), on sample-size-induced bias of metrics"

# Estimates, as small_data.csv names them.
_RAW: Final = "as counted"
_BASHFUL: Final = "1e-10 added"
_ONE: Final = "1 added"

# Rows of printed.csv.
_RATE: Final = "predicted positive rate of multiracial individuals"
_BOUND: Final = "prevalence threshold, less than"
# Groups, as groups.csv names them.
_SEEN: Final = "Multiracial, income"
_HIDDEN: Final = "Black, COMPAS"

_QUANTILES: Final = {0.025: "2.5 %", 0.25: "25 %", 0.5: "median", 0.75: "75 %", 0.975: "97.5 %"}
_QUANTILE_SIZES: Final = range(1, 51)
# The sizes of Figure 2.
_SHOWN: Final = (5, 25, 100, 1000)
_STEPS: Final = 200
# A distribution function that rises by less than this between two points is not looked at between them.
_FLAT: Final = 1e-9
# A score is near its limit within this distance, and errors agree closely below this ratio.
_NEAR: Final = Fraction(1, 10)
_CLOSE: Final = 1.1
# An error that changes by a smaller share than this is as before.
_UNNOTICED: Final = 1e-6
# Figure 2's law: all four cells are equally likely.
_EQUAL: Final = Source((Fraction(1, 4),) * 4)
# Table 1 is checked at these sizes; the paper says from 3 on.
_COUNTED: Final = range(3, 31)
# How undefined tables grow is seen between these sizes.
_GROWN: Final = (30, 300)
# A size with many divisors, where the prevalence threshold has many holes.
_DIVISIBLE: Final = 720_720
# Sizes of a job of the experiment: what is done is kept, and progress told, every few seconds.
_PIECE: Final = 30

Progress: TypeAlias = Callable[[float], None] | None


def reproduce_small_data(
    *, output: str | Path | None = None, n_jobs: int = 1, progress: Callable[[float], None] | None = None
) -> Reproduction:
    """Do paper 001 again: Figures 1 to 7, Tables 1 and 2, and what it says in words.

    Parameters
    ----------
    output
        A folder for what was found so far: a run that was stopped goes on from there.
    n_jobs
        How many processes work at it, through joblib.
    progress
        Called with the share that is done.
    """
    first, many = _experiment()
    return _reproduced(range(1, first + many), _SHOWN, output=output, n_jobs=n_jobs, progress=progress)


def _experiment() -> tuple[int, int]:
    """Return the smallest size of the paper's experiments, and how many sizes its number of draws leaves room for."""
    said = {column: int(value) for column, value in _said("§6.2", "experiments").items()}
    return said["smallest size"], said["draws in all"] // said["draws"] // said["groups"]


def _said(place: str, row: str) -> dict[str, str]:
    """Return a row of what the paper prints at a place, by column."""
    return {column: value for (name, column), value in printed(_PAPER, place).items() if name == row}


def _reproduced(
    sizes: range, shown: Sequence[int], *, output: str | Path | None, n_jobs: int, progress: Progress
) -> Reproduction:
    jobs = _law_jobs(shown) | _error_jobs(sizes)
    cache = None if output is None else Path(output) / "small-data.jsonl"
    found = done(_called, jobs, cache=cache, n_jobs=n_jobs, progress=progress)
    every = _gathered(found, sizes)
    errors = every.since(_experiment()[0])
    curves = [figure(errors) for figure in (_figure_3, _figure_4, _figure_5, _figure_6, _figure_7)]
    parts = (_figure_1(), _figure_2(found, shown), *curves, _table_1(), _table_2())
    statements = (
        *_on_limits(parts[1], shown),
        _on_all_tables(shown[1], shown[-1]),
        *_on_holes(),
        *_on_example(),
        _on_normal(),
        *_on_joint_ratios(),
        *_on_gains(errors),
        *_on_ranks(errors),
        *_on_one_curve(every),
        *_on_strength(errors),
        _on_undefined(),
        _on_priors(),
        _on_bias_and_variance(),
        _on_references(),
        *_on_adding(errors),
        _on_groups(errors),
    )
    return Reproduction("small-data", _TITLE, parts, statements)


def _lines(place: str) -> list[dict[str, str]]:
    return [line for line in table("small_data.csv") if line["place"] == place]


def _metrics(place: str) -> list[Metric]:
    """Return the metrics of a place, each once."""
    return [METRICS[name] for name in dict.fromkeys(line["metric"] for line in _lines(place))]


def _metric(place: str) -> Metric:
    return _metrics(place)[0]


def _estimates() -> dict[str, tuple[Fraction, Fraction]]:
    """Return the strength and the epsilon of each estimate."""
    return {line["series"]: (Fraction(line["strength"]), Fraction(line["epsilon"])) for line in _lines("estimate")}


def _smoothings() -> list[str]:
    """Return the estimates that draw towards a reference, the weakest first."""
    found = {name: strength for name, (strength, _) in _estimates().items() if strength}
    return sorted(found, key=lambda name: found[name])


def _tables() -> dict[tuple[str, str], Table]:
    return {
        (line["group"], line["data"]): Table(**{name: int(line[name]) for name in CELLS})
        for line in table("groups.csv")
    }


def _groups() -> dict[str, tuple[Table, Table]]:
    """Return each group's table and its reference, all others in the data."""
    tables = _tables()
    return {
        f"{group}, {data}": (own, without(tables["all", data], own))
        for (group, data), own in tables.items()
        if group != "all"
    }


def _called(work: Callable[..., Any], *arguments: Any) -> Any:
    return work(*arguments)


def _law_jobs(shown: Sequence[int]) -> dict[str, tuple[Any, ...]]:
    # The longest first.
    pairs = [(metric, size) for size in sorted(shown, reverse=True) for metric in _metrics("Figure 2")]
    return {_law_job(metric, size): (_distribution, metric.id, size) for metric, size in pairs}


def _law_job(metric: Metric, size: int) -> str:
    return f"law of {metric.id}, size {size}"


def _error_jobs(sizes: range) -> dict[str, tuple[Any, ...]]:
    return {_error_job(name, piece): (_errors, name, piece) for piece in _pieces(sizes)[::-1] for name in _groups()}


def _pieces(sizes: range) -> list[range]:
    return [sizes[i : i + _PIECE] for i in range(0, len(sizes), _PIECE)]


def _error_job(name: str, piece: range) -> str:
    return f"errors of {name}, sizes {piece[0]} to {piece[-1]}"


def _grid(metric: Metric) -> list[Fraction]:
    low, high = Fraction(metric.limits.low), Fraction(metric.limits.high or 1)
    return [low + (high - low) * i / _STEPS for i in range(_STEPS + 1)]


def _distribution(name: str, size: int) -> dict[str, Any]:
    """Return the chances of at most each point of a grid, given that the metric is defined, and how often it is not."""
    found, points = law(METRICS[name], size, _EQUAL), _grid(METRICS[name])
    sums = {i: found.cdf(points[i]) for i in (0, _STEPS)}
    left = [(0, _STEPS)]
    while left:
        first, last = left.pop()
        if last - first < 2:
            continue
        if sums[last] - sums[first] < _FLAT:
            sums |= dict.fromkeys(range(first + 1, last), sums[first])
        else:
            middle = (first + last) // 2
            sums[middle] = found.cdf(points[middle])
            left += [(first, middle), (middle, last)]
    return {"cdf": [sums[i] for i in range(len(points))], "undefined": found.undefined}


def _errors(name: str, sizes: Sequence[int]) -> list[float | None]:
    """Return the expected squared errors of a group: by size, in it by metric, in it by estimate."""
    own, reference = _groups()[name]
    walked = expected_errors(own, reference, _metrics("tested"), sizes, list(_estimates().values()))
    return [each.mse for each in walked]


@dataclass(frozen=True)
class _Errors:
    """The whole experiment: expected squared errors by group, metric, estimate and size; nan where never defined."""

    sizes: range
    mse: Floats

    def since(self, first: int) -> _Errors:
        """Leave out sizes below the first."""
        start = self.sizes.index(first)
        return _Errors(self.sizes[start:], self.mse[..., start:])

    def of(self, estimate: str) -> Floats:
        """Return the errors of an estimate by group, metric and size."""
        return self.mse[:, :, list(_estimates()).index(estimate)]

    def curve(self, metric: Metric, estimate: str) -> Floats:
        """Return the errors of an estimate by size, the mean of all groups."""
        return np.asarray(self.of(estimate)[:, _metrics("tested").index(metric)].mean(axis=0))

    def area(self, metric: Metric, estimate: str) -> float:
        """Return the area below a curve."""
        return float(self.curve(metric, estimate).sum())


def _gathered(found: Mapping[str, Any], sizes: range) -> _Errors:
    jobs = [[_error_job(name, piece) for piece in _pieces(sizes)] for name in _groups()]
    flat = np.array([[mse for job in row for mse in found[job]] for row in jobs], dtype=np.float64)
    whole = flat.reshape(len(jobs), len(sizes), len(_metrics("tested")), len(_estimates()))
    return _Errors(sizes, np.moveaxis(whole, 1, -1))


def _verdict(holds: bool) -> Verdict:
    return "reproduced" if holds else "differs"


def _figure_1() -> Part:
    metric, (own, _) = _metric("Figure 1"), _groups()[_SEEN]
    limit, said = score(own, metric), _said("§3", _RATE)["limit"]
    lines = {
        name: [law(metric, size, Source.of(own)).quantile(share) for size in _QUANTILE_SIZES]
        for share, name in _QUANTILES.items()
    }
    jump = max(abs(after - before) for line in lines.values() for before, after in pairwise(line))
    records = tuple(
        {"size": size, "score": value, "series": name}
        for name, line in (lines | {"limit": [limit] * len(_QUANTILE_SIZES)}).items()
        for size, value in zip(_QUANTILE_SIZES, line, strict=True)
    )
    words = (
        "exact quantiles by size, where the paper shows samples. They narrow and are jagged, as it says: from one size "
        "to the next a quantile moves by up to {jump}. But they close in on {limit}, not on {said} as printed"
    )
    titles = {"size": "Number of cases", "score": metric.label}
    return Part(
        "Figure 1",
        f"{metric.label} of samples of the multiracial group",
        _verdict(compared("", "", said, limit)["agrees"]),
        words,
        {"jump": jump, "limit": limit, "said": said},
        records,
        View("size", "score", "series", titles=titles, steps=True),
    )


def _figure_2(found: Mapping[str, Any], shown: Sequence[int]) -> Part:
    records = tuple(
        {"score": float(point), "chance": chance, "series": f"N = {size}", "panel": panel, "size": size}
        for metric, panel, as_zero in _panels()
        for size in shown
        for point, chance in zip(_grid(metric), _sums(metric, size, found, as_zero=as_zero), strict=True)
    )
    words = (
        "the law is multinomial with equal chances of all cells, as in the published code; the text says that every "
        "table counts once, which is another law (see the statement on it). With limits, an undefined score is 0"
    )
    titles = {"score": "Score", "chance": "Chance of at most the score"}
    view = View("score", "chance", "series", "panel", titles=titles, steps=True, columns=3)
    return Part("Figure 2", "Distribution functions by size", "reproduced", words, {}, records, view)


def _panels() -> Iterator[tuple[Metric, str, bool]]:
    for line in _lines("Figure 2"):
        metric = METRICS[line["metric"]]
        yield metric, ", ".join(filter(None, (metric.label, line["series"]))), bool(line["series"])


def _sums(metric: Metric, size: int, found: Mapping[str, Any], *, as_zero: bool) -> list[float]:
    """Return a distribution function at the points of the grid, on request with the undefined share placed at 0."""
    law_found = found[_law_job(metric, size)]
    undefined = law_found["undefined"] if as_zero else 0.0
    pairs = zip(_grid(metric), law_found["cdf"], strict=True)
    return [(1 - undefined) * chance + undefined * (point >= 0) for point, chance in pairs]


def _figure_3(errors: _Errors) -> Part:
    better = _always(errors, _metrics("Figure 3"), _smoothings()[0], _BASHFUL)
    words = (
        "mean of {groups} groups at sizes {first} to {last}, for the draws that the paper counts leave just {many} "
        "sizes; undefined estimates are left out, as there. Smoothing is better for each metric at every size: {better}"
    )
    numbers = {"groups": len(_groups()), "first": errors.sizes[0], "last": errors.sizes[-1], "many": len(errors.sizes)}
    title = "Mean squared error, averaged over all groups"
    return _error_figure(errors, "Figure 3", title, better, words, numbers | {"better": better})


def _figure_4(errors: _Errors) -> Part:
    metrics = _metrics("Figure 4")
    better = all(_always(errors, metrics, name, other) for name in _smoothings()[:3] for other in (_RAW, _ONE))
    words = "at every size, each strength is better than the count as it is and than adding one: {better}"
    title = f"{metrics[0].label}: as counted, with one added, and smoothed"
    return _error_figure(errors, "Figure 4", title, better, words, {"better": better})


def _figure_5(errors: _Errors) -> Part:
    harm = {metric.label: -_gap(errors, metric, _BASHFUL, _RAW) for metric in _metrics("Figure 5")}
    most = max(float(gap.max()) for gap in harm.values())
    words = (
        "adding 1e-10 is said to reduce errors. Of {sizes} sizes it does not at {counts}, though it raises them by no "
        "more than {most}; an undefined score has no error, so what is compared are not the same tables"
    )
    counts = ", ".join(f"{int((gap >= 0).sum())} ({label})" for label, gap in harm.items())
    numbers = {"sizes": len(errors.sizes), "counts": counts, "most": max(most, 0.0)}
    return _error_figure(errors, "Figure 5", "Metrics that can be undefined", most < 0, words, numbers)


def _figure_6(errors: _Errors) -> Part:
    metrics = _metrics("Figure 6")
    shares = [np.abs(_gap(errors, each, _BASHFUL, _RAW) / errors.curve(each, _RAW)) for each in metrics]
    change, better = float(np.max(shares)), all(_always(errors, metrics, name, _RAW) for name in _smoothings()[:3])
    words = "adding 1e-10 changes errors by a share of at most {change}; smoothing reduces every one: {better}"
    numbers = {"change": change, "better": better}
    holds = better and change < _UNNOTICED
    return _error_figure(errors, "Figure 6", "Metrics that are always defined", holds, words, numbers)


def _figure_7(errors: _Errors) -> Part:
    (left, right), name = _metrics("Figure 7"), _smoothings()[1]
    holds = _always(errors, [left], _RAW, _ONE) and _always(errors, [right], _ONE, name)
    words = "at every size, adding one is worse than nothing for {left}, and better than {name} for {right}: {holds}"
    numbers = {"left": left.label, "right": right.label, "name": name, "holds": holds}
    return _error_figure(errors, "Figure 7", "Adding one helps in places", holds, words, numbers)


def _error_figure(errors: _Errors, place: str, title: str, holds: bool, words: str, numbers: Mapping[str, Any]) -> Part:
    records = tuple(
        {"size": size, "mse": float(mse), "series": line["series"], "metric": metric.label}
        for line in _lines(place)
        for metric in [METRICS[line["metric"]]]
        for size, mse in zip(errors.sizes, errors.curve(metric, line["series"]), strict=True)
    )
    titles = {"size": "Number of cases", "mse": "Mean squared error"}
    view = View("size", "mse", "series", "metric", titles=titles, columns=2, shared_y=False)
    return Part(place, title, _verdict(holds), words, numbers, records, view)


def _gap(errors: _Errors, metric: Metric, better: str, worse: str) -> Floats:
    """Return by size how much lower the mean error of the first estimate is."""
    return errors.curve(metric, worse) - errors.curve(metric, better)


def _always(errors: _Errors, metrics: Iterable[Metric], better: str, worse: str) -> bool:
    """Tell whether the mean error of the first estimate is lower for all metrics and sizes."""
    return all(bool((_gap(errors, metric, better, worse) > 0).all()) for metric in metrics)


def _table_1() -> Part:
    records = tuple(map(_counted, dict.fromkeys(line["series"] for line in _lines("Table 1"))))
    wrong = [record["row"] for record in records if not record["agrees"]]
    words = (
        "each formula beside the exact count, at sizes {first} to {last}; where they part, the first such size is "
        "shown. Of {rows} rows {wrong} are other than printed: {names}. Two groups are of one size here"
    )
    numbers: dict[str, Any] = {"first": _COUNTED[0], "last": _COUNTED[-1], "rows": len(records), "wrong": len(wrong)}
    numbers |= {"names": "; ".join(wrong) or "none"}
    return Part("Table 1", "Undefined tables by size", _verdict(not wrong), words, numbers, records)


def _counted(row: str) -> dict[str, Any]:
    """Set a row of Table 1 beside the exact counts of its metrics, up to the first size where they part."""
    names, said = [line["metric"] for line in _lines("Table 1") if line["series"] == row], _said("Table 1", row)
    for size in _COUNTED:
        paper, exact = _formula(said, size), [holes(name, size).count if name else count(size) for name in names]
        agrees = all(_fits(row, paper, each) for each in exact)
        if not agrees:
            break
    numbers = {"size": size, "printed_count": float(paper), "exact_count": max(exact), "agrees": agrees}
    found = f"{max(exact)} at N = {size}"
    return {"row": row, "column": "undefined tables", "paper": said["as printed"], "found": found} | numbers


def _fits(row: str, paper: Fraction | float, exact: int) -> bool:
    if row.endswith("at least"):
        return exact >= paper
    return exact < paper if row.endswith("less than") else exact == paper


def _formula(said: Mapping[str, str], size: int) -> Fraction | float:
    """Evaluate what the paper prints: a polynomial in the size, or the bound of its Theorem C.5."""
    if factor := said.get("n / log log n"):
        twice = math.log(math.log(size))
        return math.exp(np.euler_gamma) * size * twice + float(factor) * size / twice
    powers = {int(column.removeprefix("n^")): Fraction(value) for column, value in said.items() if column[:2] == "n^"}
    return sum((factor * size**power for power, factor in powers.items()), Fraction(0))


def _table_2() -> Part:
    straight, swapped = _readings()
    records = []
    for (row, column), value in printed(_PAPER, "Table 2").items():
        second = compared(row, column, value, swapped[row][column])
        also = {"found_swapped": second["found"], "agrees_swapped": second["agrees"]}
        records.append(compared(row, column, value, straight[row][column]) | also)
    agree, swapped_agree = (sum(record[name] for record in records) for name in ("agrees", "agrees_swapped"))
    return Part(
        "Table 2",
        "Priors for the Black group of COMPAS",
        _verdict(agree == len(records)),
        "with its columns as named and the others without the group, {agree} of {of} numbers come out as printed; with "
        "fn and fp exchanged and all defendants as the others, {swapped} do. The true shares of the others are: tp "
        "{tp}, fn {fn}, fp {fp}, tn {tn}",
        {"agree": agree, "of": len(records), "swapped": swapped_agree} | straight["all other races"],
        tuple(records),
    )


def _readings() -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Return Table 2 as its headings say, and as the paper has computed it."""
    own, others = _groups()[_HIDDEN]
    exchanged = [Table(tp=each.tp, fn=each.fp, fp=each.fn, tn=each.tn) for each in (own, together([own, others]))]
    return _priors(own, others), _priors(*exchanged)


def _priors(own: Table, others: Table) -> dict[str, dict[str, float]]:
    shares = _shares(own)
    priors = {
        "no prior": dict.fromkeys(CELLS, 0.0),
        "CPS estimate": smooth(Table(tp=0, fn=0, fp=0, tn=0), others).cells(),
        "uniform prior": dict.fromkeys(CELLS, 1 / len(CELLS)),
    }
    off = {f"{name}, difference": {c: abs(shares[c] - prior[c]) for c in CELLS} for name, prior in priors.items()}
    return {"Black (hidden)": shares, "all other races": _shares(others)} | priors | off


def _shares(table: Table) -> dict[str, float]:
    return dict(zip(CELLS, map(float, shares_of(table, "group")), strict=True))


def _on_limits(figure: Part, shown: Sequence[int]) -> Iterator[Statement]:
    own, said = _groups()[_SEEN][0], _said("§3", _RATE)
    predicted, cases = said["cases predicted positive"], said["cases"]
    numbers: dict[str, Any] = {"predicted": own.tp + own.fp, "actual": own.tp + own.fn, "total": own.total}
    yield Statement(
        "§3",
        f"The predicted positive rate of Figure 1 goes to {predicted}/{cases}, about {said['limit']}.",
        own.tp + own.fp == int(predicted),
        "{predicted} of the {total} cases are predicted positive, a rate of {limit}; {actual} are actual positives, to "
        "which the printed number is near",
        numbers | {"limit": score(own, _metric("Figure 1"))},
    )
    few, many = (_near_limits(figure, size) for size in (shown[0], shown[-1]))
    yield Statement(
        "§3",
        "In Figure 2 accuracy, predicted positive rate and recall go to a half, and MCC to 0.",
        all(many[panel] > few[panel] for panel in many),
        "the chance of a score within 0.1 of its limit is at least {many} at N = {last}; at N = {first} it is as low "
        "as {few}",
        {"few": min(few.values()), "many": min(many.values()), "first": shown[0], "last": shown[-1]},
    )


def _near_limits(figure: Part, size: int) -> dict[str, float]:
    """Return by panel the chance of a score above its limit less 0.1, and at most its limit more 0.1."""
    limits, found = _said("§3", "limit"), {}
    for metric, panel, _ in _panels():
        records = (record for record in figure.records if (record["panel"], record["size"]) == (panel, size))
        at = {record["score"]: record["chance"] for record in records}
        low, high = (float(Fraction(limits[metric.id]) + step) for step in (-_NEAR, _NEAR))
        found[panel] = at[high] - at[low]
    return found


def _on_all_tables(small: int, large: int) -> Statement:
    metric, point = _metric("binomial"), Fraction(2, 5)
    drawn, alike = law(metric, small, _EQUAL).cdf(point), _alike(small)
    once = float(sum(chance for k, chance in enumerate(alike) if Fraction(k, small) <= point))
    return Statement(
        "§3",
        "Figure 2 takes every table once, so each cell has a chance of a quarter.",
        math.isclose(drawn, once),
        "these are two laws. At N = {size}, {metric} of at most {point} has a chance of {once} if every table counts "
        "once, and of {drawn} with equal cells. Nor does it close in on a half if every table counts once: at N = "
        "{large} its standard deviation is {once_spread}, against {drawn_spread}",
        {"size": small, "metric": metric.label, "point": float(point), "once": once, "drawn": drawn, "large": large}
        | {"once_spread": _spread(_alike(large)), "drawn_spread": math.sqrt(law(metric, large, _EQUAL).variance)},
    )


def _alike(size: int) -> list[Fraction]:
    """Return the chances of 0, 1, ... right predictions if every table of a size is equally likely."""
    return [Fraction((k + 1) * (size - k + 1), count(size)) for k in range(size + 1)]


def _spread(chances: Sequence[Fraction]) -> float:
    """Return the standard deviation of a share with these chances of 0, 1, ... up to all."""
    size = len(chances) - 1
    mean, square = (sum((k**i * chance for k, chance in enumerate(chances)), Fraction(0)) / size**i for i in (1, 2))
    return math.sqrt(square - mean**2)


def _on_holes() -> Iterator[Statement]:
    names, (small, large) = [line["metric"] for line in _lines("Table 1") if line["metric"]], _GROWN
    before, after = ({name: holes(name, size).share for name in names} for size in (small, large))
    most = max(names, key=lambda name: after[name])
    numbers: dict[str, Any] = {"before": before[most], "small": small, "after": after[most], "large": large}
    yield Statement(
        "§4",
        "For all metrics the undefined tables grow more slowly in number than all tables.",
        all(after[name] < before[name] or not before[name] for name in names),
        "the largest undefined share is that of {metric}: {before} at N = {small}, {after} at N = {large}",
        numbers | {"metric": holes(most, small).label},
    )
    metric, said = _metric("growth"), _said("Table 1", _BOUND)
    broken = [size for size in _COUNTED if holes(metric, size).count >= _formula(said, size)]
    first, ratio = broken[0], holes(metric, _DIVISIBLE).count / float(_formula(said, _DIVISIBLE))
    numbers = {"first": first, "exact": holes(metric, first).count, "bound": _formula(said, first), "ratio": ratio}
    yield Statement(
        "Theorem C.5",
        f"From size 3 on {metric.label} has fewer holes than a bound of order n log log n.",
        not broken,
        "at N = {first} there are {exact}, and the bound is {bound}. It is broken at {many} of the sizes {low} to "
        "{high}; at N = {size}, which has many divisors, there are {ratio} times as many",
        numbers | {"many": len(broken), "low": _COUNTED[0], "high": _COUNTED[-1], "size": _DIVISIBLE},
    )


def _on_example() -> Iterator[Statement]:
    from scipy import special

    said = _said("§5.1", "example")
    size, share, seen = int(said["size"]), Fraction(said["share"]), Fraction(said["score"])
    source = Source((share, 1 - share, Fraction(0), Fraction(0)))
    below, equal, _ = law(_metric("binomial"), size, source).split(seen)
    z = float(seen * size + Fraction(1, 2) - size * share) / math.sqrt(size * share * (1 - share))
    right = [
        compared("", "", said[name], value)["agrees"]
        for name, value in (("z", z), ("percentile", below + equal), ("percentile", below))
    ]
    yield Statement(
        "§5.1",
        f"In the example z is about {said['z']}, and at most the score has a chance of about {said['percentile']}.",
        right[0] and right[1],
        "z is {z}, the normal approximation {normal}, and the exact chance {at_most}",
        {"z": z, "normal": float(special.ndtr(z)), "at_most": below + equal},
    )
    yield Statement(
        "§5.1",
        f"So the score is higher than about {said['percentile']} of the outcomes.",
        right[2],
        "it is higher than {below} of them; {at_most} are at most as high, the score itself among them",
        {"below": below, "at_most": below + equal},
    )


def _on_normal(size: int = 100) -> Statement:
    from scipy import special

    whole, metric = _tables()["all", "COMPAS"], _metric("even steps")
    values, chances = law(metric, size, Source.of(whole)).whole
    exact, sums = np.cumsum(chances), np.rint(values * size)
    up, down = whole.fp / whole.total, whole.fn / whole.total
    mean, spread = up - down, math.sqrt(up + down - (up - down) ** 2)
    ways = {
        "printed": (sums - mean) / spread,
        "scaled": (sums - size * mean) / (spread * math.sqrt(size)),
        "corrected": (sums + 0.5 - size * mean) / (spread * math.sqrt(size)),
    }
    off = {name: float(np.abs(special.ndtr(z) - exact).max()) for name, z in ways.items()}
    return Statement(
        "Theorem 5.2",
        f"Equation 5 approximates the law of {metric.label}; the correction for steps cancels out.",
        off["printed"] <= off["corrected"],
        "the size is not in it: at N = {size}, drawn from all of COMPAS, it is off by up to {printed}, and with the "
        "size by {scaled}. Nor does the correction cancel: with it that is {corrected}",
        {"size": size} | off,
    )


def _on_joint_ratios(size: int = 5, hits: int = 9, misses: int = 1, cases: int = 100) -> Iterator[Statement]:
    from scipy import special

    metric, whole = _metric("joint ratio"), _tables()["all", "COMPAS"]
    undefined = law(metric, size, Source.of(whole)).undefined
    yield Statement(
        "Theorem 5.3",
        "Equation 10 is the distribution function of a joint ratio.",
        not undefined,
        "it leaves out undefined tables and does not make up for them: for {metric} of {size} cases drawn from all of "
        "COMPAS it ends at {end} instead of 1",
        {"metric": metric.label, "size": size, "end": 1 - undefined},
    )
    group = Table(tp=hits, fn=misses, fp=0, tn=cases - hits - misses)
    found = [match(group, own, metric).percentile or 0.0 for (_, data), own in _tables().items() if data == "COMPAS"]
    beta = float(special.betainc(hits + 1, misses + 1, hits / (hits + misses)))
    yield Statement(
        "§5.3",
        "Equation 11 approximates the chance of a joint ratio at most as high as the one seen.",
        min(found) <= beta <= max(found),
        "the reference is not in it: {hits} of {both} give {beta}, whatever they are compared with. With the tables of "
        "COMPAS as references, the exact chance in a group of {cases} is {least} to {most}",
        {"hits": hits, "both": hits + misses, "beta": beta, "cases": cases, "least": min(found), "most": max(found)},
    )


def _on_gains(errors: _Errors) -> Iterator[Statement]:
    for name in _smoothings()[:3]:
        base, smoothed = errors.of(_BASHFUL), errors.of(name)
        worse, ratio = smoothed >= base, smoothed / base
        yield Statement(
            "§6.2",
            f"In every experiment {name} has a lower mean squared error than the baseline.",
            not worse.any(),
            "not in {worse} of {all} cases of group, metric and size, which are in {pairs} of {of} pairs of group and "
            "metric; summed over the sizes, not in {summed}. The worst is {where}: {ratio} times the error. On average "
            "over the groups it has, for all metrics and sizes: {average}",
            {"worse": int(worse.sum()), "all": worse.size, "pairs": int(worse.any(2).sum()), "of": worse[..., 0].size}
            | {"summed": int((smoothed.sum(2) >= base.sum(2)).sum())}
            | {"where": _where(errors, int(ratio.argmax())), "ratio": float(ratio.max())}
            | {"average": _always(errors, _metrics("tested"), name, _BASHFUL)},
        )
    weakest = _smoothings()[0]
    worse = errors.of(weakest) >= errors.of(_RAW)
    first = int(worse.argmax())
    yield Statement(
        "§6.2",
        "For all metrics smoothing dominates the original metric.",
        not worse.any(),
        "{where}: {smoothed} with {name}, {raw} without",
        {"where": _where(errors, first), "name": weakest}
        | {"smoothed": float(errors.of(weakest).flat[first]), "raw": float(errors.of(_RAW).flat[first])},
    )


def _where(errors: _Errors, place: int) -> str:
    """Say in words which group, metric and size a place in the flattened experiment has."""
    group, metric, size = np.unravel_index(place, errors.of(_RAW).shape)
    return f"{list(_groups())[group]}, {_metrics('tested')[metric].label}, N = {errors.sizes[size]}"


def _on_ranks(errors: _Errors) -> Iterator[Statement]:
    weakest = _smoothings()[0]
    # Two metrics that add up to one gain the same, but for a float's last digits.
    gains = {each: round(float(_gap(errors, each, weakest, _BASHFUL).sum()), 9) for each in _metrics("tested")}
    shares = {each: gain / errors.area(each, _BASHFUL) for each, gain in gains.items()}
    for end, way in (("most", max), ("least", min)):
        said = _metric(f"gains {end}")
        found, by_share = (way(numbers, key=lambda each: numbers[each]) for numbers in (gains, shares))
        yield Statement(
            "§6.2",
            f"By the space between the curves {said.label} gains {end}.",
            gains[said] == gains[found],
            "between the baseline and {name} it is {found}, with an area of {gain}. {said} has {said_gain}; {less} of "
            "{all} metrics gain less. As a share of the error it is {by_share}, with {share}",
            {"name": weakest, "found": found.label, "gain": gains[found], "said": said.label, "said_gain": gains[said]}
            | {"less": sum(gain < gains[said] for gain in gains.values()), "all": len(gains)}
            | {"by_share": by_share.label, "share": shares[by_share]},
        )


def _on_one_curve(every: _Errors) -> Iterator[Statement]:
    metric, label = _metric("rises at first"), _metric("rises at first").label
    said = {column: value for (_, column), value in printed(_PAPER, "§6.2").items()}
    bashful, raw = ([float(value) for value in every.curve(metric, name)] for name in (_BASHFUL, _RAW))
    first, last, until = every.sizes[0], every.sizes[-1], int(said["rises until size"])
    peak = max(range(len(bashful)), key=bashful.__getitem__)
    yield Statement(
        "§6.2",
        f"With 1e-10 added, the error of {label} rises from size 1 until about {until}.",
        every.sizes[peak] == until and all(before < after for before, after in pairwise(bashful[: peak + 1])),
        "it rises from {start} to {top} at N = {peak}, and falls again, to {end} at N = {last}",
        {"start": bashful[0], "top": bashful[peak], "peak": every.sizes[peak], "end": bashful[-1], "last": last},
    )
    others = [each for each in _metrics("tested") if each != metric and every.curve(each, _BASHFUL).argmax()]
    words = "it is the same for {others}"
    others_said = {"others": ", ".join(each.label for each in others) or "no other"}
    yield Statement("§6.2", f"An error that rises at first is unique to {label}.", not others, words, others_said)
    start, smallest = float(said["first error"]), int(said["smallest size"])
    yield Statement(
        "§6.2",
        f"Without smoothing the error of {label} falls all the way.",
        all(before > after for before, after in pairwise(raw)),
        "it falls from {start} at N = {first} to {end} at N = {last}",
        {"start": raw[0], "first": first, "end": raw[-1], "last": last},
    )
    yield Statement(
        "§6.2",
        f"Without smoothing it starts at {said['first error']}.",
        any(compared("", "", said["first error"], raw[every.sizes.index(size)])["agrees"] for size in (1, smallest)),
        "it is {start} at N = 1 and {at} at N = {smallest}; the first size with an error below the printed one is "
        "{below}",
        {"start": raw[0], "at": raw[every.sizes.index(smallest)], "smallest": smallest}
        | {"below": next((size for size, mse in zip(every.sizes, raw, strict=True) if mse < start), None)},
    )


def _on_strength(errors: _Errors) -> Iterator[Statement]:
    (metric,), (weak, middle, strong, *stronger) = _metrics("Figure 4"), _smoothings()
    area = {name: errors.area(metric, name) for name in _estimates()}
    gains = [area[before] - area[after] for before, after in pairwise((_RAW, weak, middle, strong))]
    yield Statement(
        "§6.2",
        f"For {metric.label}, more strength gives diminishing returns.",
        gains == sorted(gains, reverse=True),
        "{weak} takes {first} away from the area below the curve, {middle} a further {second}, and {strong} {third}",
        {"weak": weak, "first": gains[0], "middle": middle, "second": gains[1], "strong": strong, "third": gains[2]},
    )
    for name in stronger:
        worse = [each.label for each in _metrics("tested") if errors.area(each, name) > errors.area(each, middle)]
        numbers = {"metric": metric.label, "area": area[name], "middle": area[middle]}
        yield Statement(
            "§6.2",
            f"For {metric.label}, {name} does not do as well as {middle}.",
            area[name] > area[middle],
            "the area below the curve of {metric} is {area}, against {middle}. But this holds for just {many} of {all} "
            "metrics: {worse}",
            numbers | {"many": len(worse), "all": len(_metrics("tested")), "worse": ", ".join(worse)},
        )


def _on_undefined() -> Statement:
    size, weakest = _experiment()[0], _smoothings()[0]
    estimates = [_estimates()[name] for name in (_RAW, weakest)]
    defined = [
        each.defined
        for own, reference in _groups().values()
        for each in expected_errors(own, reference, _metrics("tested"), [size], estimates)
    ]
    # What a sum of chances lacks to 1 by a float's last digits is nothing.
    raw, smoothed = (round(1 - min(defined[i::2]), 12) for i in (0, 1))
    return Statement(
        "§6.2",
        "Smoothing drastically lowers the chance of an undefined score.",
        smoothed < raw / 100,
        "at N = {size} the largest such chance of all groups and metrics is {raw} as counted, and {smoothed} with "
        "{name}",
        {"size": size, "raw": raw, "smoothed": smoothed, "name": weakest},
    )


def _on_priors() -> Statement:
    none, cps, uniform = (row for name, row in _readings()[0].items() if name.endswith("difference"))
    sums = [math.fsum(row.values()) for row in (none, cps, uniform)]
    nearer = [cell for cell in CELLS if cps[cell] > min(none[cell], uniform[cell])]
    return Statement(
        "§6.3",
        "Of all priors for the Black group of COMPAS, the reference's shares differ least.",
        sums[1] == min(sums),
        "with the right columns and references the four differences add up to {cps}, against {uniform} with a uniform "
        "prior and {none} with none. Cell by cell, another prior is nearer for: {nearer}",
        {"none": sums[0], "cps": sums[1], "uniform": sums[2], "nearer": ", ".join(nearer) or "none"},
    )


def _on_bias_and_variance() -> Statement:
    """Compare the closed forms with sums over all that can be drawn, for a metric that is the share of two cells."""
    metric, estimates = _metric("closed form"), [_estimates()[name] for name in _smoothings()]
    off = 0.0
    for own, reference in _groups().values():
        p, other = score(own, metric), score(reference, metric)
        for each in expected_errors(own, reference, [metric], (1, 10, 100), estimates):
            n, strength = each.size, each.strength
            bias, variance = strength / (n + strength) * (other - p), n * p * (1 - p) / (n + strength) ** 2
            off = max(off, abs((each.bias or 0.0) - bias), abs((each.variance or 0.0) - variance))
    return Statement(
        "Theorem 6.1",
        "Bias and variance of a smoothed share are as equations 31 and 32 say.",
        off < 1e-12,
        "summed over all that can be drawn, for {metric}, all groups and strengths: off by at most {off}",
        {"metric": metric.label, "off": off},
    )


def _on_references() -> Statement:
    metric, said = _metric("closed form"), _said("§6.5", "reference")
    small, large = sizes = [int(value) for value in said.values()]
    found = [
        [each.mse or 0.0 for each in expected_errors(own, None, [metric], sizes, [(0, 0)])]
        for own, _ in _groups().values()
    ]
    at_small, at_large = (float(value) for value in np.mean(found, axis=0))
    return Statement(
        "§6.5",
        f"A reference has significant bias below {small} cases, and negligible bias from about {large} on.",
        None,
        "the paper does not say how much is negligible. The mean squared error of {metric} falls as one over the size, "
        "with no bend: {at_small} at N = {small}, {at_large} at N = {large}",
        {"metric": metric.label, "at_small": at_small, "small": small, "at_large": at_large, "large": large},
    )


def _on_adding(errors: _Errors) -> Iterator[Statement]:
    tested, (weak, middle, strong, *_) = _metrics("tested"), _smoothings()
    for place, better, worse, words in (
        ("worse with 1 added", _RAW, _ONE, "Adding one does worse than nothing"),
        ("better with 1 added", _ONE, middle, f"Adding one does better than {middle}"),
    ):
        said, found = _metrics(place), [each for each in tested if _always(errors, [each], better, worse)]
        yield Statement(
            "F.2",
            f"{words} for some metrics, among them {', '.join(each.label for each in said)}.",
            all(each in found for each in said),
            "on average over the groups and at every size it does for {many} of {all}: {found}",
            {"many": len(found), "all": len(tested), "found": ", ".join(each.label for each in found)},
        )
    lower = sum(errors.area(each, strong) < errors.area(each, _ONE) for each in tested)
    yield Statement(
        "F.2",
        "Smoothing with higher strengths does better than adding one overall.",
        lower == len(tested),
        "the area below the curve is smaller with {name} than with one added for {lower} of {all} metrics",
        {"name": strong, "lower": lower, "all": len(tested)},
    )
    metrics = _metrics("Figure 5")
    fallen = [int((_gap(errors, each, strong, weak) > 0).sum()) for each in metrics]
    yield Statement(
        "F.2",
        f"{strong} does better than {weak} for {' and '.join(each.label for each in metrics)}.",
        min(fallen) == len(errors.sizes),
        "it does at {least} of {sizes} sizes at least",
        {"least": min(fallen), "sizes": len(errors.sizes)},
    )


def _on_groups(errors: _Errors) -> Statement:
    size = errors.sizes[len(errors.sizes) // 2]
    at = errors.of(_BASHFUL)[..., errors.sizes.index(size)]
    ratios = dict(zip(_metrics("tested"), (at.max(axis=0) / at.min(axis=0)).tolist(), strict=True))
    least, most = (way(ratios, key=lambda each: ratios[each]) for way in (min, max))
    return Statement(
        "F.2",
        "Narrow bands of error show that data sets and groups agree closely.",
        ratios[most] < _CLOSE,
        "a band from many draws shows how exactly a mean was drawn, not whether groups agree. At N = {size} the "
        "largest error of a group is {least} times the smallest for {steady}, and {most} times for {unsteady}",
        {"size": size, "least": ratios[least], "steady": least.label, "most": ratios[most], "unsteady": most.label},
    )
