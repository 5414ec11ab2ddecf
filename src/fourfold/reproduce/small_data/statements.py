"""What Briscoe et al. (2025) says in words, each with true or false and the number that decides."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final

import numpy as np

from ...formula import CELLS
from ...groups import expected_errors, match
from ...metrics import score
from ...space import count, holes
from ...space.draws import Floats, Source
from ...space.laws import law
from ...table import Table
from ..outcome import Part, Statement, compared, printed
from .curves import Errors, always, lead
from .figures import COUNTED, both_readings, closing_in, formula_value, near_limits
from .source import (
    BASHFUL,
    BOUND,
    EQUAL,
    ONE,
    PAPER,
    RATE,
    RAW,
    SEEN,
    all_estimates,
    all_groups,
    all_tables,
    experiment,
    lines_at,
    metric_at,
    metrics_at,
    said_at,
    smoothings,
)

# Errors agree closely below this ratio.
_CLOSE: Final = 1.1
# How undefined tables grow is seen between these sizes.
_GROWN: Final = (30, 300)
# A size with many divisors, where the prevalence threshold has many holes.
_DIVISIBLE: Final = 720_720


def on_limits(figure: Part, shown: Sequence[int]) -> Iterator[Statement]:
    """Judge what scores close in on (section 3)."""
    own, said = all_groups()[SEEN][0], said_at("§3", RATE)
    predicted, cases = said["cases predicted positive"], said["cases"]
    numbers: dict[str, Any] = {"predicted": own.tp + own.fp, "actual": own.tp + own.fn, "total": own.total}
    yield Statement(
        "§3",
        f"The predicted positive rate of Figure 1 goes to {predicted}/{cases}, about {said['limit']}.",
        True if own.tp + own.fp == int(predicted) else None,
        "in the table published with the code {predicted} of the {total} cases are predicted positive, a rate of "
        "{limit}, and {actual} are actual positives; the figure may have been drawn from another run",
        numbers | {"limit": score(own, metric_at("Figure 1"))},
    )
    few, many = (near_limits(figure.records, size) for size in (shown[0], shown[-1]))
    yield Statement(
        "§3",
        "In Figure 2 accuracy, predicted positive rate and recall go to a half, and MCC to 0.",
        closing_in(figure.records, shown),
        "the chance of a score within 0.1 of its limit is at least {many} at N = {last}; at N = {first} it is as low "
        "as {few}",
        {"few": min(few.values()), "many": min(many.values()), "first": shown[0], "last": shown[-1]},
    )


def on_all_tables(small: int, large: int) -> Statement:
    """Judge whether all tables alike are all cells alike (section 3)."""
    metric, point = metric_at("binomial"), Fraction(2, 5)
    drawn, alike = law(metric, small, EQUAL).cdf(point), _alike(small)
    once = float(sum(chance for k, chance in enumerate(alike) if Fraction(k, small) <= point))
    return Statement(
        "§3",
        "Figure 2 takes every table once, so each cell has a chance of a quarter.",
        math.isclose(drawn, once),
        "these are two laws. At N = {size}, {metric} of at most {point} has a chance of {once} if every table counts "
        "once, and of {drawn} with equal cells. Nor does it close in on a half if every table counts once: at N = "
        "{large} its standard deviation is {once_spread}, against {drawn_spread}",
        {"size": small, "metric": metric.label, "point": float(point), "once": once, "drawn": drawn, "large": large}
        | {"once_spread": _spread(_alike(large)), "drawn_spread": math.sqrt(law(metric, large, EQUAL).variance)},
    )


def _alike(size: int) -> list[Fraction]:
    """Return the chances of 0, 1, ... right predictions if every table of a size is equally likely."""
    return [Fraction((k + 1) * (size - k + 1), count(size)) for k in range(size + 1)]


def _spread(chances: Sequence[Fraction]) -> float:
    """Return the standard deviation of a share with these chances of 0, 1, ... up to all."""
    size = len(chances) - 1
    mean, square = (sum((k**i * chance for k, chance in enumerate(chances)), Fraction(0)) / size**i for i in (1, 2))
    return math.sqrt(square - mean**2)


def on_holes() -> Iterator[Statement]:
    """Judge how undefined tables grow (section 4, Theorem C.5)."""
    names, (small, large) = [line["metric"] for line in lines_at("Table 1") if line["metric"]], _GROWN
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
    metric, said = metric_at("growth"), said_at("Table 1", BOUND)
    broken = [size for size in COUNTED if holes(metric, size).count >= formula_value(said, size)]
    first, ratio = broken[0], holes(metric, _DIVISIBLE).count / float(formula_value(said, _DIVISIBLE))
    numbers = {"first": first, "exact": holes(metric, first).count, "bound": formula_value(said, first), "ratio": ratio}
    yield Statement(
        "Theorem C.5",
        f"From size 3 on {metric.label} has fewer holes than a bound of order n log log n.",
        not broken,
        "at N = {first} there are {exact}, and the bound is {bound}. It is broken at {many} of the sizes {low} to "
        "{high}; at N = {size}, which has many divisors, there are {ratio} times as many",
        numbers | {"many": len(broken), "low": COUNTED[0], "high": COUNTED[-1], "size": _DIVISIBLE},
    )


def on_example() -> Iterator[Statement]:
    """Judge the worked example (section 5.1)."""
    from scipy import special

    said = said_at("§5.1", "example")
    size, share, seen = int(said["size"]), Fraction(said["share"]), Fraction(said["score"])
    source = Source((share, 1 - share, Fraction(0), Fraction(0)))
    below, equal, _ = law(metric_at("binomial"), size, source).split(seen)
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


def on_normal(size: int = 100) -> Statement:
    """Judge the normal approximation (Theorem 5.2)."""
    from scipy import special

    whole, metric = all_tables()["all", "COMPAS"], metric_at("even steps")
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


def on_joint_ratios(size: int = 5, hits: int = 9, misses: int = 1, cases: int = 100) -> Iterator[Statement]:
    """Judge equations 10 and 11 (section 5.3)."""
    from scipy import special

    metric, whole = metric_at("joint ratio"), all_tables()["all", "COMPAS"]
    undefined = law(metric, size, Source.of(whole)).undefined
    yield Statement(
        "Theorem 5.3",
        "Equation 10 is the distribution function of a joint ratio.",
        not undefined,
        "it is the chance that the score is defined and so low or lower. As a distribution function it lacks what is "
        "undefined: for {metric} of {size} cases drawn from all of COMPAS it ends at {end} instead of 1",
        {"metric": metric.label, "size": size, "end": 1 - undefined},
    )
    group = Table(tp=hits, fn=misses, fp=0, tn=cases - hits - misses)
    found = [match(group, own, metric).percentile or 0.0 for (_, data), own in all_tables().items() if data == "COMPAS"]
    beta = float(special.betainc(hits + 1, misses + 1, hits / (hits + misses)))
    yield Statement(
        "§5.3",
        "Equation 11 approximates the chance of a joint ratio at most as high as the one seen.",
        min(found) <= beta <= max(found),
        "the reference is not in it: {hits} of {both} give {beta}, whatever they are compared with. With the tables of "
        "COMPAS as references, the exact chance in a group of {cases} is {least} to {most}",
        {"hits": hits, "both": hits + misses, "beta": beta, "cases": cases, "least": min(found), "most": max(found)},
    )


def on_gains(errors: Errors) -> Iterator[Statement]:
    """Judge whether smoothing always gains (section 6.2)."""
    for name in smoothings()[:3]:
        base, smoothed = errors.of(BASHFUL), errors.of(name)
        worse, ratio = smoothed >= base, smoothed / base
        summed = int((smoothed.sum(2) >= base.sum(2)).sum())
        yield Statement(
            "§6.2",
            f"In every experiment {name} has a lower mean squared error than the baseline.",
            # One experiment may be a group and a metric over all sizes, or at each size.
            None if worse.any() and not summed else not summed,
            "summed over the sizes, it has not in {summed} of {of} pairs of group and metric; at single sizes, not in "
            "{worse} of {all} cases, which are in {pairs} of the pairs. The worst is {where}: {ratio} times the error. "
            "On average over the groups it has, for all metrics and sizes: {average}",
            {"worse": int(worse.sum()), "all": worse.size, "pairs": int(worse.any(2).sum()), "of": worse[..., 0].size}
            | {"summed": summed}
            | {"where": _where(errors, int(ratio.argmax())), "ratio": float(ratio.max())}
            | {"average": always(errors, metrics_at("tested"), name, BASHFUL)},
        )
    weakest = smoothings()[0]
    worse = errors.of(weakest) >= errors.of(RAW)
    first = int(worse.argmax())
    yield Statement(
        "§6.2",
        "For all metrics smoothing dominates the original metric.",
        all(always(errors, metrics_at("tested"), name, RAW) for name in smoothings()[:3]),
        "on average over the groups, at every size and for {names}. In single groups there are exceptions: {where}, "
        "{smoothed} with {name}, {raw} without",
        {"where": _where(errors, first), "name": weakest, "names": ", ".join(smoothings()[:3])}
        | {"smoothed": float(errors.of(weakest).flat[first]), "raw": float(errors.of(RAW).flat[first])},
    )


def _where(errors: Errors, place: int) -> str:
    """Say in words which group, metric and size a place in the flattened experiment has."""
    group, metric, size = np.unravel_index(place, errors.of(RAW).shape)
    return f"{list(all_groups())[group]}, {metrics_at('tested')[metric].label}, N = {errors.sizes[size]}"


def on_ranks(errors: Errors) -> Iterator[Statement]:
    """Judge which metric gains most and which least (section 6.2)."""
    weakest = smoothings()[0]
    # Two metrics that add up to one gain the same, but for a float's last digits.
    gains = {each: round(float(lead(errors, each, weakest, BASHFUL).sum()), 9) for each in metrics_at("tested")}
    shares = {each: gain / errors.area(each, BASHFUL) for each, gain in gains.items()}
    for end, way in (("most", max), ("least", min)):
        said = metric_at(f"gains {end}")
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


def on_one_curve(every: Errors) -> Iterator[Statement]:
    """Judge how the error of one metric rises and falls (section 6.2)."""
    metric, label = metric_at("rises at first"), metric_at("rises at first").label
    said = {column: value for (_, column), value in printed(PAPER, "§6.2").items()}
    bashful, raw = ([float(value) for value in every.curve(metric, name)] for name in (BASHFUL, RAW))
    first, last, until = every.sizes[0], every.sizes[-1], int(said["rises until size"])
    peak = max(range(len(bashful)), key=bashful.__getitem__)
    yield Statement(
        "§6.2",
        f"With 1e-10 added, the error of {label} rises from size 1 until about {until}.",
        every.sizes[peak] == until and all(before < after for before, after in pairwise(bashful[: peak + 1])),
        "it rises from {start} to {top} at N = {peak}, and falls again, to {end} at N = {last}",
        {"start": bashful[0], "top": bashful[peak], "peak": every.sizes[peak], "end": bashful[-1], "last": last},
    )
    others = [each for each in metrics_at("tested") if each != metric and _rises(every.curve(each, BASHFUL))]
    words = "it also rises to a single peak for {others}"
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


def _rises(curve: Floats) -> bool:
    """Tell whether a curve rises at first, all the way to its peak."""
    peak = int(curve.argmax())
    return peak > 0 and bool((np.diff(curve[: peak + 1]) > 0).all())


def on_strength(errors: Errors) -> Iterator[Statement]:
    """Judge what more strength does (section 6.2)."""
    (metric,), (weak, middle, strong, *stronger) = metrics_at("Figure 4"), smoothings()
    area = {name: errors.area(metric, name) for name in all_estimates()}
    gains = [area[before] - area[after] for before, after in pairwise((RAW, weak, middle, strong))]
    yield Statement(
        "§6.2",
        f"For {metric.label}, more strength gives diminishing returns.",
        gains == sorted(gains, reverse=True),
        "{weak} takes {first} away from the area below the curve, {middle} a further {second}, and {strong} {third}; "
        "below 0 it gives some back",
        {"weak": weak, "first": gains[0], "middle": middle, "second": gains[1], "strong": strong, "third": gains[2]},
    )
    for name in stronger:
        worse = [each.label for each in metrics_at("tested") if errors.area(each, name) > errors.area(each, middle)]
        numbers = {"metric": metric.label, "area": area[name], "middle": area[middle]}
        yield Statement(
            "§6.2",
            f"For {metric.label}, {name} does not do as well as {middle}.",
            area[name] > area[middle],
            "the area below the curve of {metric} is {area}, against {middle}. But this holds for just {many} of {all} "
            "metrics: {worse}",
            numbers | {"many": len(worse), "all": len(metrics_at("tested")), "worse": ", ".join(worse)},
        )


def on_undefined() -> Statement:
    """Judge how often scores stay undefined (section 6.2)."""
    size, weakest = experiment()[0], smoothings()[0]
    estimates = [all_estimates()[name] for name in (RAW, weakest)]
    defined = [
        each.defined
        for own, reference in all_groups().values()
        for each in expected_errors(own, reference, metrics_at("tested"), [size], estimates)
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


def on_priors() -> Statement:
    """Judge which prior comes nearest (section 6.3)."""
    none, cps, uniform = (row for name, row in both_readings()[0].items() if name.endswith("difference"))
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


def on_bias_and_variance() -> Statement:
    """Compare the closed forms with sums over all that can be drawn, for a metric that is the share of two cells."""
    metric, estimates = metric_at("closed form"), [all_estimates()[name] for name in smoothings()]
    off = 0.0
    for own, reference in all_groups().values():
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


def on_references() -> Statement:
    """Judge how large a reference should be (section 6.5)."""
    metric, said = metric_at("closed form"), said_at("§6.5", "reference")
    small, large = sizes = [int(value) for value in said.values()]
    found = [
        [each.mse or 0.0 for each in expected_errors(own, None, [metric], sizes, [(0, 0)])]
        for own, _ in all_groups().values()
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


def on_adding(errors: Errors) -> Iterator[Statement]:
    """Judge where adding one does better or worse (appendix F.2)."""
    tested, (weak, middle, strong, *_) = metrics_at("tested"), smoothings()
    for place, better, worse, words in (
        ("worse with 1 added", RAW, ONE, "Adding one does worse than nothing"),
        ("better with 1 added", ONE, middle, f"Adding one does better than {middle}"),
    ):
        said, found = metrics_at(place), [each for each in tested if always(errors, [each], better, worse)]
        yield Statement(
            "F.2",
            f"{words} for some metrics, among them {', '.join(each.label for each in said)}.",
            all(each in found for each in said),
            "on average over the groups and at every size it does for {many} of {all}: {found}",
            {"many": len(found), "all": len(tested), "found": ", ".join(each.label for each in found)},
        )
    lower = sum(errors.area(each, strong) < errors.area(each, ONE) for each in tested)
    yield Statement(
        "F.2",
        "Smoothing with higher strengths does better than adding one overall.",
        lower == len(tested),
        "the area below the curve is smaller with {name} than with one added for {lower} of {all} metrics",
        {"name": strong, "lower": lower, "all": len(tested)},
    )
    metrics = metrics_at("Figure 5")
    fallen = [int((lead(errors, each, strong, weak) > 0).sum()) for each in metrics]
    yield Statement(
        "F.2",
        f"{strong} does better than {weak} for {' and '.join(each.label for each in metrics)}.",
        min(fallen) == len(errors.sizes),
        "it does at {least} of {sizes} sizes at least",
        {"least": min(fallen), "sizes": len(errors.sizes)},
    )


def on_groups(errors: Errors) -> Statement:
    """Judge whether groups agree (appendix F.2)."""
    size = errors.sizes[len(errors.sizes) // 2]
    at = errors.of(BASHFUL)[..., errors.sizes.index(size)]
    ratios = dict(zip(metrics_at("tested"), (at.max(axis=0) / at.min(axis=0)).tolist(), strict=True))
    least, most = (way(ratios, key=lambda each: ratios[each]) for way in (min, max))
    return Statement(
        "F.2",
        "Narrow bands of error show that data sets and groups agree closely.",
        ratios[most] < _CLOSE,
        "a band from many draws shows how exactly a mean was drawn, not whether groups agree. At N = {size} the "
        "largest error of a group is {least} times the smallest for {steady}, and {most} times for {unsteady}",
        {"size": size, "least": ratios[least], "steady": least.label, "most": ratios[most], "unsteady": most.label},
    )
