"""Figures 1 to 7 and Tables 1 and 2."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final

import numpy as np

from ...formula import CELLS
from ...groups import smooth
from ...groups.smoothing import shares_of, together
from ...metrics import METRICS, Metric, score
from ...space import count, holes
from ...space.draws import Source
from ...space.laws import law
from ...table import Table
from ..outcome import Part, View, compared, printed, verdict_on
from .curves import UNNOTICED, Errors, always, grid, law_job, lead
from .source import (
    BASHFUL,
    HIDDEN,
    ONE,
    PAPER,
    RATE,
    RAW,
    SEEN,
    all_groups,
    lines_at,
    metric_at,
    metrics_at,
    said_at,
    smoothings,
)

_QUANTILES: Final = {0.025: "2.5 %", 0.25: "25 %", 0.5: "median", 0.75: "75 %", 0.975: "97.5 %"}
_QUANTILE_SIZES: Final = range(1, 51)
# Table 1 is checked at these sizes; the paper says from 3 on.
COUNTED: Final = range(3, 31)
# A score is near its limit within this distance.
_NEAR: Final = Fraction(1, 10)
# A change of this share of an error cannot be seen in a picture.
_UNSEEN: Final = 0.01


def figure_1() -> Part:
    """Show how quantiles of a score move with the size."""
    metric, (own, _) = metric_at("Figure 1"), all_groups()[SEEN]
    limit, said = score(own, metric), said_at("§3", RATE)["limit"]
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
        "to the next a quantile moves by up to {jump}. In the table published with the code they close in on {limit}; "
        "{said} is printed"
    )
    titles = {"size": "Number of cases", "score": metric.label}
    return Part(
        "Figure 1",
        f"{metric.label} of samples of the multiracial group",
        verdict_on(jump > 0),
        words,
        {"jump": jump, "limit": limit, "said": said},
        records,
        View("size", "score", "series", titles=titles, steps=True),
    )


def figure_2(found: Mapping[str, Any], shown: Sequence[int]) -> Part:
    """Show distribution functions at several sizes."""
    records = tuple(
        {"score": float(point), "chance": chance, "series": f"N = {size}", "panel": panel, "size": size}
        for metric, panel, as_zero in panels()
        for size in shown
        for point, chance in zip(grid(metric), _sums(metric, size, found, as_zero=as_zero), strict=True)
    )
    words = (
        "the law is multinomial with equal chances of all cells, as in the published code; the text says that every "
        "table counts once, which is another law (see the statement on it). Scores close in on the limits that the "
        "text names: {closing}. One panel takes an undefined score for 0, as the paper does with limits"
    )
    titles = {"score": "Score", "chance": "Chance of at most the score"}
    view = View("score", "chance", "series", "panel", titles=titles, steps=True, columns=3)
    closing = closing_in(records, shown)
    title = "Distribution functions by size"
    return Part("Figure 2", title, verdict_on(closing), words, {"closing": closing}, records, view)


def closing_in(records: Sequence[Mapping[str, Any]], shown: Sequence[int]) -> bool:
    """Tell whether all scores of Figure 2 are more often near their limits at the largest size than at the smallest."""
    few, many = (near_limits(records, size) for size in (shown[0], shown[-1]))
    return all(many[panel] > few[panel] for panel in many)


def near_limits(records: Sequence[Mapping[str, Any]], size: int) -> dict[str, float]:
    """Return by panel the chance of a score above its limit less 0.1, and at most its limit more 0.1."""
    limits, found = said_at("§3", "limit"), {}
    for metric, panel, _ in panels():
        own = (record for record in records if (record["panel"], record["size"]) == (panel, size))
        at = {record["score"]: record["chance"] for record in own}
        low, high = (float(Fraction(limits[metric.id]) + step) for step in (-_NEAR, _NEAR))
        found[panel] = at[high] - at[low]
    return found


def panels() -> Iterator[tuple[Metric, str, bool]]:
    """Walk the panels of Figure 2: a metric, its heading, and whether undefined counts as 0."""
    for line in lines_at("Figure 2"):
        metric = METRICS[line["metric"]]
        yield metric, ", ".join(filter(None, (metric.label, line["series"]))), bool(line["series"])


def _sums(metric: Metric, size: int, found: Mapping[str, Any], *, as_zero: bool) -> list[float]:
    """Return a distribution function at the points of the grid, on request with the undefined share placed at 0."""
    law_found = found[law_job(metric, size)]
    undefined = law_found["undefined"] if as_zero else 0.0
    pairs = zip(grid(metric), law_found["cdf"], strict=True)
    return [(1 - undefined) * chance + undefined * (point >= 0) for point, chance in pairs]


def figure_3(errors: Errors) -> Part:
    """Compare smoothing with the baseline."""
    better = always(errors, metrics_at("Figure 3"), smoothings()[0], BASHFUL)
    words = (
        "mean of {groups} groups at sizes {first} to {last}, for the draws that the paper counts leave just {many} "
        "sizes; undefined estimates are left out, as there. Smoothing is better for each metric at every size: {better}"
    )
    numbers = {
        "groups": len(all_groups()),
        "first": errors.sizes[0],
        "last": errors.sizes[-1],
        "many": len(errors.sizes),
    }
    title = "Mean squared error, averaged over all groups"
    return _error_figure(errors, "Figure 3", title, better, words, numbers | {"better": better})


def figure_4(errors: Errors) -> Part:
    """Compare all estimates of one metric."""
    metrics = metrics_at("Figure 4")
    better = all(always(errors, metrics, name, other) for name in smoothings()[:3] for other in (RAW, ONE))
    words = "at every size, each strength is better than the count as it is and than adding one: {better}"
    title = f"{metrics[0].label}: as counted, with one added, and smoothed"
    return _error_figure(errors, "Figure 4", title, better, words, {"better": better})


def figure_5(errors: Errors) -> Part:
    """Compare estimates of metrics that can be undefined."""
    harm = {metric.label: -lead(errors, metric, BASHFUL, RAW) for metric in metrics_at("Figure 5")}
    most = max(float(gap.max()) for gap in harm.values())
    share = max(float((harm[each.label] / errors.curve(each, RAW)).max()) for each in metrics_at("Figure 5"))
    words = (
        "adding 1e-10 is said to reduce errors. Of {sizes} sizes it does not at {counts}, but it raises them by no "
        "more than {most}, a share of {share}, which no picture shows; an undefined score has no error, so what is "
        "compared are not the same tables"
    )
    counts = ", ".join(f"{int((gap >= 0).sum())} ({label})" for label, gap in harm.items())
    numbers = {"sizes": len(errors.sizes), "counts": counts, "most": max(most, 0.0), "share": max(share, 0.0)}
    return _error_figure(errors, "Figure 5", "Metrics that can be undefined", share < _UNSEEN, words, numbers)


def figure_6(errors: Errors) -> Part:
    """Compare estimates of metrics that are always defined."""
    metrics = metrics_at("Figure 6")
    shares = [np.abs(lead(errors, each, BASHFUL, RAW) / errors.curve(each, RAW)) for each in metrics]
    change, better = float(np.max(shares)), all(always(errors, metrics, name, RAW) for name in smoothings()[:3])
    words = "adding 1e-10 changes errors by a share of at most {change}; smoothing reduces every one: {better}"
    numbers = {"change": change, "better": better}
    holds = better and change < UNNOTICED
    return _error_figure(errors, "Figure 6", "Metrics that are always defined", holds, words, numbers)


def figure_7(errors: Errors) -> Part:
    """Show where adding one helps, and where it harms."""
    (left, right), name = metrics_at("Figure 7"), smoothings()[1]
    holds = always(errors, [left], RAW, ONE) and always(errors, [right], ONE, name)
    words = "at every size, adding one is worse than nothing for {left}, and better than {name} for {right}: {holds}"
    numbers = {"left": left.label, "right": right.label, "name": name, "holds": holds}
    return _error_figure(errors, "Figure 7", "Adding one helps in places", holds, words, numbers)


def _error_figure(errors: Errors, place: str, title: str, holds: bool, words: str, numbers: Mapping[str, Any]) -> Part:
    records = tuple(
        {"size": size, "mse": float(mse), "series": line["series"], "metric": metric.label}
        for line in lines_at(place)
        for metric in [METRICS[line["metric"]]]
        for size, mse in zip(errors.sizes, errors.curve(metric, line["series"]), strict=True)
    )
    titles = {"size": "Number of cases", "mse": "Mean squared error"}
    view = View("size", "mse", "series", "metric", titles=titles, columns=2, shared_y=False)
    return Part(place, title, verdict_on(holds), words, numbers, records, view)


def table_1() -> Part:
    """Set the formulas for undefined tables beside exact counts."""
    records = tuple(map(_counted, dict.fromkeys(line["series"] for line in lines_at("Table 1"))))
    wrong = [record["row"] for record in records if not record["agrees"]]
    words = (
        "each formula beside the exact count, at sizes {first} to {last}; where they part, the first such size is "
        "shown. Of {rows} rows {wrong} are other than printed: {names}. Two groups are of one size here"
    )
    numbers: dict[str, Any] = {"first": COUNTED[0], "last": COUNTED[-1], "rows": len(records), "wrong": len(wrong)}
    numbers |= {"names": "; ".join(wrong) or "none"}
    return Part("Table 1", "Undefined tables by size", verdict_on(not wrong), words, numbers, records)


def _counted(row: str) -> dict[str, Any]:
    """Set a row of Table 1 beside the exact counts of its metrics, up to the first size where they part."""
    names, said = [line["metric"] for line in lines_at("Table 1") if line["series"] == row], said_at("Table 1", row)
    for size in COUNTED:
        paper, exact = formula_value(said, size), [holes(name, size).count if name else count(size) for name in names]
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


def formula_value(said: Mapping[str, str], size: int) -> Fraction | float:
    """Evaluate what the paper prints: a polynomial in the size, or the bound of its Theorem C.5."""
    if factor := said.get("n / log log n"):
        twice = math.log(math.log(size))
        return math.exp(np.euler_gamma) * size * twice + float(factor) * size / twice
    powers = {int(column.removeprefix("n^")): Fraction(value) for column, value in said.items() if column[:2] == "n^"}
    return sum((factor * size**power for power, factor in powers.items()), Fraction(0))


def table_2() -> Part:
    """Set the priors for one group beside what they are."""
    straight, swapped = both_readings()
    records = []
    for (row, column), value in printed(PAPER, "Table 2").items():
        second = compared(row, column, value, swapped[row][column])
        also = {"found_swapped": second["found"], "agrees_swapped": second["agrees"]}
        records.append(compared(row, column, value, straight[row][column]) | also)
    agree, swapped_agree = (sum(record[name] for record in records) for name in ("agrees", "agrees_swapped"))
    return Part(
        "Table 2",
        "Priors for the Black group of COMPAS",
        verdict_on(agree == len(records)),
        "with its columns as named and the others without the group, {agree} of {of} numbers come out as printed; with "
        "fn and fp exchanged and all defendants as the others, {swapped} do. The true shares of the others are: tp "
        "{tp}, fn {fn}, fp {fp}, tn {tn}",
        {"agree": agree, "of": len(records), "swapped": swapped_agree} | straight["all other races"],
        tuple(records),
    )


def both_readings() -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Return Table 2 as its headings say, and as the paper has computed it."""
    own, others = all_groups()[HIDDEN]
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
