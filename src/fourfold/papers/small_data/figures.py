"""Figures 1 to 7 and Tables 1 and 2."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, Final

import numpy as np

from fourfold import METRICS, Metric, Table, holes, score, smooth
from fourfold.groups import score_law
from fourfold.metrics import PREDICTED_POSITIVE_RATE

from ..outcome import Part, View
from ..paper import agrees, compared
from .curves import Errors, law_name, score_grid
from .source import CELLS, GROUPS, MULTIRACIAL, ONE_ADDED, PAPER, RAW, SMOOTHINGS, TINY_ADDED, lines_at, metrics_at

_QUANTILES: Final = {0.025: "2.5 %", 0.25: "25 %", 0.5: "median", 0.75: "75 %", 0.975: "97.5 %"}
_QUANTILE_SIZES: Final = range(1, 51)
# Table 1 is checked at these sizes; the paper says from 3 on.
CHECKED_SIZES: Final = range(3, 31)
# A score is near its limit within this distance.
_NEAR: Final = Fraction(1, 10)
# A change of this share of an error cannot be seen in a picture, and one of the other share is none.
_UNSEEN, _UNNOTICED = 0.01, 1e-6


def figure_1() -> Part:
    """Show how quantiles of a score move with the size."""
    metric, (group, _) = PREDICTED_POSITIVE_RATE, GROUPS[MULTIRACIAL]
    limit = score(group, metric)
    laws = [score_law(metric, size, group) for size in _QUANTILE_SIZES]
    lines = {name: [law.quantile(share) for law in laws] for share, name in _QUANTILES.items()}
    jump = max(abs(after - before) for line in lines.values() for before, after in pairwise(line))
    records = (
        {"size": size, "score": value, "series": name}
        for name, line in (lines | {"limit": [limit] * len(_QUANTILE_SIZES)}).items()
        for size, value in zip(_QUANTILE_SIZES, line, strict=True)
    )
    view = View("size", "score", "series", titles={"size": "Number of cases", "score": metric.label}, steps=True)
    numbers = {"jump": jump, "limit": limit, "said": said_rate()["limit"]}
    return PAPER.part("Figure 1", jump > 0, numbers, records, view, metric=metric.label)


def said_rate() -> dict[str, str]:
    """Return what the paper says of the rate in Figure 1."""
    return PAPER.printed_row("§3", "predicted positive rate of multiracial individuals")


def figure_2(results: Mapping[str, Any], shown: Sequence[int]) -> Part:
    """Show distribution functions at several sizes."""
    records = []
    for (metric, panel, as_zero), size in product(_panels(), shown):
        law = results[law_name(metric, size)]
        # On request the undefined share is placed at 0.
        undefined = law["undefined"] if as_zero else 0.0
        record = {"series": f"N = {size}", "panel": panel, "size": size}
        for point, share in zip(score_grid(metric), law["cdf"], strict=True):
            chance = (1 - undefined) * share + undefined * (point >= 0)
            records.append({"score": float(point), "chance": chance} | record)
    titles = {"score": "Score", "chance": "Chance of at most the score"}
    view = View("score", "chance", "series", "panel", titles=titles, steps=True, columns=3)
    closing = closing_in(records, shown)
    return PAPER.part("Figure 2", closing, {"closing": closing}, records, view)


def closing_in(records: Sequence[Mapping[str, Any]], shown: Sequence[int]) -> bool:
    """Tell whether all scores of Figure 2 are more often near their limits at the largest size than at the smallest."""
    few, many = (near_limits(records, size) for size in (shown[0], shown[-1]))
    return all(many[panel] > few[panel] for panel in many)


def near_limits(records: Sequence[Mapping[str, Any]], size: int) -> dict[str, float]:
    """Return by panel the chance of a score above its limit less 0.1, and at most its limit more 0.1."""
    limits, chances = PAPER.printed_row("§3", "limit"), {}
    for metric, panel, _ in _panels():
        of_panel = (record for record in records if (record["panel"], record["size"]) == (panel, size))
        at = {record["score"]: record["chance"] for record in of_panel}
        low, high = (float(Fraction(limits[metric.id]) + step) for step in (-_NEAR, _NEAR))
        chances[panel] = at[high] - at[low]
    return chances


def _panels() -> Iterator[tuple[Metric, str, bool]]:
    """Yield the panels of Figure 2: a metric, its heading, and whether undefined counts as 0."""
    for line in lines_at("Figure 2"):
        metric = METRICS[line["metric"]]
        yield metric, ", ".join(filter(None, (metric.label, line["series"]))), bool(line["series"])


def error_figures(errors: Errors) -> Iterator[Part]:
    """Yield Figures 3 to 7, which show expected errors."""
    # Smoothing beside the baseline.
    better = errors.always_lower(metrics_at("Figure 3"), SMOOTHINGS[0], TINY_ADDED)
    sizes = {"first": errors.sizes[0], "last": errors.sizes[-1], "many": len(errors.sizes)}
    yield _error_figure(errors, "Figure 3", better, {"groups": len(GROUPS)} | sizes | {"better": better})
    # All estimates of one metric.
    metrics, others = metrics_at("Figure 4"), (RAW, ONE_ADDED)
    better = all(errors.always_lower(metrics, name, other) for name in SMOOTHINGS[:3] for other in others)
    yield _error_figure(errors, "Figure 4", better, {"better": better}, metric=metrics[0].label)
    # Metrics that can be undefined.
    harm = {metric: -errors.lead(metric, TINY_ADDED, RAW) for metric in metrics_at("Figure 5")}
    most = max(float(gap.max()) for gap in harm.values())
    share = max(float((gap / errors.curve(metric, RAW)).max()) for metric, gap in harm.items())
    counts = ", ".join(f"{int((gap >= 0).sum())} ({metric.label})" for metric, gap in harm.items())
    numbers = {"sizes": len(errors.sizes), "counts": counts, "most": max(most, 0.0), "share": max(share, 0.0)}
    yield _error_figure(errors, "Figure 5", share < _UNSEEN, numbers)
    # Metrics that are always defined.
    metrics = metrics_at("Figure 6")
    shares = [np.abs(errors.lead(metric, TINY_ADDED, RAW) / errors.curve(metric, RAW)) for metric in metrics]
    change, better = float(np.max(shares)), all(errors.always_lower(metrics, name, RAW) for name in SMOOTHINGS[:3])
    yield _error_figure(errors, "Figure 6", better and change < _UNNOTICED, {"change": change, "better": better})
    # Where adding one helps, and where it harms.
    (left, right), name = metrics_at("Figure 7"), SMOOTHINGS[1]
    holds = errors.always_lower([left], RAW, ONE_ADDED) and errors.always_lower([right], ONE_ADDED, name)
    labels = {"left": left.label, "right": right.label, "name": name, "holds": holds}
    yield _error_figure(errors, "Figure 7", holds, labels)


def _error_figure(errors: Errors, place: str, holds: bool, numbers: Mapping[str, Any], **texts: str) -> Part:
    records = (
        {"size": size, "mse": float(mse), "series": line["series"], "metric": metric.label}
        for line in lines_at(place)
        for metric in [METRICS[line["metric"]]]
        for size, mse in zip(errors.sizes, errors.curve(metric, line["series"]), strict=True)
    )
    titles = {"size": "Number of cases", "mse": "Mean squared error"}
    view = View("size", "mse", "series", "metric", titles=titles, columns=2, shared_y=False)
    return PAPER.part(place, holds, numbers, records, view, **texts)


def table_1() -> Part:
    """Set the formulas for undefined tables beside exact counts."""
    records = [_counted(row) for row in dict.fromkeys(line["series"] for line in lines_at("Table 1"))]
    wrong = [record["row"] for record in records if not record["agrees"]]
    sizes = {"first": CHECKED_SIZES[0], "last": CHECKED_SIZES[-1]}
    counts = {"rows": len(records), "wrong": len(wrong), "names": "; ".join(wrong) or "none"}
    return PAPER.part("Table 1", not wrong, sizes | counts, records)


def _counted(row: str) -> dict[str, Any]:
    """Set a row of Table 1 beside the exact counts of its metrics, up to the first size where they part."""
    names = [line["metric"] for line in lines_at("Table 1") if line["series"] == row]
    printed = PAPER.printed_row("Table 1", row)
    for size in CHECKED_SIZES:
        paper = formula_value(printed, size)
        exact = [holes(name, size).count if name else math.comb(size + 3, 3) for name in names]
        agree = all(_fits(row, paper, count) for count in exact)
        if not agree:
            break
    record = {"row": row, "column": "undefined tables", "paper": printed["as printed"]}
    counts = {"size": size, "printed_count": float(paper), "exact_count": max(exact), "agrees": agree}
    return record | {"found": f"{max(exact)} at N = {size}"} | counts


def _fits(row: str, paper: Fraction | float, exact: int) -> bool:
    if row.endswith("at least"):
        return exact >= paper
    return exact < paper if row.endswith("less than") else exact == paper


def formula_value(printed: Mapping[str, str], size: int) -> Fraction | float:
    """Evaluate what the paper prints: a polynomial in the size, or the bound of its Theorem C.5."""
    if factor := printed.get("n / log log n"):
        twice = math.log(math.log(size))
        return math.exp(np.euler_gamma) * size * twice + float(factor) * size / twice
    powers = {
        int(column.removeprefix("n^")): Fraction(value) for column, value in printed.items() if column[:2] == "n^"
    }
    return sum((factor * size**power for power, factor in powers.items()), Fraction(0))


def table_2() -> Part:
    """Set the priors for one group beside what they are."""
    straight, swapped = priors_both_ways()
    records = []
    for (row, column), value in PAPER.printed("Table 2").items():
        other = swapped[row][column]
        record = compared(row, column, value, straight[row][column])
        records.append(record | {"found_swapped": other, "agrees_swapped": agrees(value, other)})
    agree, swapped_agree = (sum(record[name] for record in records) for name in ("agrees", "agrees_swapped"))
    counts = {"agree": agree, "of": len(records), "swapped": swapped_agree}
    return PAPER.part("Table 2", agree == len(records), counts | straight["all other races"], records)


def priors_both_ways() -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Return Table 2 as its headings say; and as the paper has computed it, with fn and fp exchanged."""
    group, others = GROUPS["Black, COMPAS"]
    everyone = Table(**{name: group.cells()[name] + others.cells()[name] for name in CELLS})
    exchanged = (Table(tp=table.tp, fn=table.fp, fp=table.fn, tn=table.tn) for table in (group, everyone))
    return _priors(group, others), _priors(*exchanged)


def _priors(group: Table, others: Table) -> dict[str, dict[str, float]]:
    shares, other_shares = ({name: table.cells()[name] / table.total for name in CELLS} for table in (group, others))
    priors = {
        "no prior": dict.fromkeys(CELLS, 0.0),
        "CPS estimate": smooth(Table(tp=0, fn=0, fp=0, tn=0), others).cells(),
        "uniform prior": dict.fromkeys(CELLS, 1 / len(CELLS)),
    }
    off = {f"{name}, difference": {c: abs(shares[c] - prior[c]) for c in CELLS} for name, prior in priors.items()}
    return {"Black (hidden)": shares, "all other races": other_shares} | priors | off
