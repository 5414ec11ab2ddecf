"""What Briscoe et al. (2025) says in words, each with true or false and the number that decides."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

import numpy as np

from fourfold import Metric, Table, holes, match, score
from fourfold.groups import expected_errors, score_law
from fourfold.metrics import (
    ACCURACY,
    MARGINAL_BENEFIT,
    PREDICTED_POSITIVE_RATE,
    PREVALENCE,
    PREVALENCE_THRESHOLD,
    RECALL,
)

from ..outcome import Part, Statement
from ..paper import agrees
from .curves import Errors, Floats
from .figures import CHECKED_SIZES, closing_in, formula_value, near_limits, priors_both_ways, said_rate
from .source import (
    EQUAL_CELLS,
    ESTIMATES,
    GROUPS,
    MULTIRACIAL,
    ONE_ADDED,
    PAPER,
    RAW,
    SMOOTHINGS,
    TABLES,
    TESTED,
    TINY_ADDED,
    lines_at,
    metrics_at,
    smallest_size_and_count,
)

# Errors agree closely below this ratio.
_CLOSE: Final = 1.1
# How undefined tables grow is seen between these sizes.
_GROWTH: Final = (30, 300)
# A size with many divisors, where the prevalence threshold has many holes.
_DIVISIBLE: Final = 720_720


def on_limits(figure: Part, shown: Sequence[int]) -> Iterator[Statement]:
    """Judge what scores close in on (section 3)."""
    group, printed = GROUPS[MULTIRACIAL][0], said_rate()
    texts = {"predicted": printed["cases predicted positive"], "cases": printed["cases"], "limit": printed["limit"]}
    holds = True if group.tp + group.fp == int(texts["predicted"]) else None
    counts = {"predicted": group.tp + group.fp, "actual": group.tp + group.fn, "total": group.total}
    limit = {"limit": score(group, PREDICTED_POSITIVE_RATE)}
    yield PAPER.statement("limit of Figure 1", holds, counts | limit, **texts)
    few, many = (near_limits(figure.records, size) for size in (shown[0], shown[-1]))
    numbers = {"few": min(few.values()), "many": min(many.values()), "first": shown[0], "last": shown[-1]}
    yield PAPER.statement("limits of Figure 2", closing_in(figure.records, shown), numbers)


def on_all_tables(small: int, large: int) -> Statement:
    """Judge whether all tables alike are all cells alike (section 3)."""
    point = Fraction(2, 5)
    drawn, alike = score_law(ACCURACY, small, EQUAL_CELLS).cdf(point), _if_every_table_counts_once(small)
    once = float(sum(chance for k, chance in enumerate(alike) if Fraction(k, small) <= point))
    numbers = {"size": small, "metric": ACCURACY.label, "point": float(point), "once": once, "drawn": drawn}
    numbers |= {"large": large, "once_spread": _spread(_if_every_table_counts_once(large))}
    numbers |= {"drawn_spread": math.sqrt(score_law(ACCURACY, large, EQUAL_CELLS).variance)}
    return PAPER.statement("every table once", math.isclose(drawn, once), numbers)


def _if_every_table_counts_once(size: int) -> list[Fraction]:
    """Return the chances of 0, 1, ... right predictions if every table of a size is equally likely."""
    return [Fraction((k + 1) * (size - k + 1), math.comb(size + 3, 3)) for k in range(size + 1)]


def _spread(chances: Sequence[Fraction]) -> float:
    """Return the standard deviation of a share with these chances of 0, 1, ... up to all."""
    size = len(chances) - 1
    mean, square = (sum((k**i * chance for k, chance in enumerate(chances)), Fraction(0)) / size**i for i in (1, 2))
    return math.sqrt(square - mean**2)


def on_holes() -> Iterator[Statement]:
    """Judge how undefined tables grow (section 4, Theorem C.5)."""
    names, (small, large) = [line["metric"] for line in lines_at("Table 1") if line["metric"]], _GROWTH
    before, after = ({name: holes(name, size).share for name in names} for size in (small, large))
    most = max(names, key=lambda name: after[name])
    fall = all(after[name] < before[name] or not before[name] for name in names)
    shares = {"before": before[most], "small": small, "after": after[most], "large": large}
    yield PAPER.statement("undefined tables grow", fall, shares | {"metric": holes(most, small).label})
    printed = PAPER.printed_row("Table 1", "prevalence threshold, less than")
    counts = {size: holes(PREVALENCE_THRESHOLD, size).count for size in (*CHECKED_SIZES, _DIVISIBLE)}
    broken = [size for size in CHECKED_SIZES if counts[size] >= formula_value(printed, size)]
    numbers = {"first": broken[0], "exact": counts[broken[0]], "bound": formula_value(printed, broken[0])}
    numbers |= {"ratio": counts[_DIVISIBLE] / float(formula_value(printed, _DIVISIBLE)), "many": len(broken)}
    numbers |= {"low": CHECKED_SIZES[0], "high": CHECKED_SIZES[-1], "size": _DIVISIBLE}
    yield PAPER.statement("bound", not broken, numbers, metric=PREVALENCE_THRESHOLD.label)


def on_example() -> Iterator[Statement]:
    """Judge the worked example (section 5.1)."""
    from scipy import special

    printed = PAPER.printed_row("§5.1", "example")
    size, share, seen = int(printed["size"]), Fraction(printed["share"]), Fraction(printed["score"])
    hits, misses = share.numerator, share.denominator - share.numerator
    below, equal, _ = score_law(ACCURACY, size, Table(tp=hits, fn=misses, fp=0, tn=0)).split(seen)
    z = float(seen * size + Fraction(1, 2) - size * share) / math.sqrt(size * share * (1 - share))
    percentile = printed["percentile"]
    holds = agrees(printed["z"], z) and agrees(percentile, below + equal)
    numbers = {"z": z, "normal": float(special.ndtr(z)), "at_most": below + equal}
    yield PAPER.statement("example", holds, numbers, z=printed["z"], percentile=percentile)
    numbers = {"below": below, "at_most": below + equal}
    yield PAPER.statement("higher than", agrees(percentile, below), numbers, percentile=percentile)


def on_normal(size: int = 100) -> Statement:
    """Judge the normal approximation (Theorem 5.2)."""
    from scipy import special

    everyone = TABLES["all", "COMPAS"]
    values, chances = score_law(MARGINAL_BENEFIT, size, everyone).whole
    exact, sums = np.cumsum(chances), np.rint(values * size)
    up, down = everyone.fp / everyone.total, everyone.fn / everyone.total
    mean, spread = up - down, math.sqrt(up + down - (up - down) ** 2)
    ways = {
        "printed": (sums - mean) / spread,
        "scaled": (sums - size * mean) / (spread * math.sqrt(size)),
        "corrected": (sums + 0.5 - size * mean) / (spread * math.sqrt(size)),
    }
    off = {name: float(np.abs(special.ndtr(z) - exact).max()) for name, z in ways.items()}
    holds = off["printed"] <= off["corrected"]
    return PAPER.statement("equation 5", holds, {"size": size} | off, metric=MARGINAL_BENEFIT.label)


def on_joint_ratios(size: int = 5, hits: int = 9, misses: int = 1, cases: int = 100) -> Iterator[Statement]:
    """Judge equations 10 and 11 (section 5.3)."""
    from scipy import special

    undefined = score_law(RECALL, size, TABLES["all", "COMPAS"]).undefined
    numbers = {"metric": RECALL.label, "size": size, "end": 1 - undefined}
    yield PAPER.statement("equation 10", not undefined, numbers)
    group = Table(tp=hits, fn=misses, fp=0, tn=cases - hits - misses)
    references = [table for (_, data), table in TABLES.items() if data == "COMPAS"]
    exact = [match(group, reference, RECALL).percentile or 0.0 for reference in references]
    beta = float(special.betainc(hits + 1, misses + 1, hits / (hits + misses)))
    least, most = min(exact), max(exact)
    numbers = {"hits": hits, "both": hits + misses, "beta": beta, "cases": cases, "least": least, "most": most}
    yield PAPER.statement("equation 11", least <= beta <= most, numbers)


def on_gains(errors: Errors) -> Iterator[Statement]:
    """Judge whether smoothing always gains (section 6.2)."""
    names, tested = SMOOTHINGS[:3], TESTED
    for name in names:
        base, smoothed = errors.of(TINY_ADDED), errors.of(name)
        worse, ratio = smoothed >= base, smoothed / base
        summed = int((smoothed.sum(2) >= base.sum(2)).sum())
        # One experiment may be a group and a metric over all sizes, or at each size.
        holds = None if worse.any() and not summed else not summed
        counts = {"worse": int(worse.sum()), "all": worse.size, "pairs": int(worse.any(2).sum()), "summed": summed}
        most = {"where": _where(errors, int(ratio.argmax())), "ratio": float(ratio.max())}
        rest = {"of": worse[..., 0].size, "average": errors.always_lower(tested, name, TINY_ADDED)}
        yield PAPER.statement("lower than the baseline", holds, counts | most | rest, name=name)
    weakest = names[0]
    first = int((errors.of(weakest) >= errors.of(RAW)).argmax())
    texts = {"where": _where(errors, first), "name": weakest, "names": ", ".join(names)}
    values = {"smoothed": float(errors.of(weakest).flat[first]), "raw": float(errors.of(RAW).flat[first])}
    yield PAPER.statement("dominates", all(errors.always_lower(tested, name, RAW) for name in names), texts | values)


def _where(errors: Errors, place: int) -> str:
    """Say in words which group, metric and size a place in the flattened experiment has."""
    group, metric, size = np.unravel_index(place, errors.of(RAW).shape)
    return f"{list(GROUPS)[group]}, {TESTED[metric].label}, N = {errors.sizes[size]}"


def on_ranks(errors: Errors) -> Iterator[Statement]:
    """Judge which metric gains most and which least (section 6.2)."""
    weakest, tested = SMOOTHINGS[0], TESTED
    # Two metrics that add up to one gain the same, but for a float's last digits.
    gains = {metric: round(float(errors.lead(metric, weakest, TINY_ADDED).sum()), 9) for metric in tested}
    shares = {metric: gain / errors.area(metric, TINY_ADDED) for metric, gain in gains.items()}
    for end, pick in (("most", max), ("least", min)):
        (printed,) = metrics_at(f"gains {end}")
        by_area, by_share = (pick(numbers, key=lambda metric: numbers[metric]) for numbers in (gains, shares))
        numbers = {"name": weakest, "found": by_area.label, "gain": gains[by_area]}
        numbers |= {"said": printed.label, "said_gain": gains[printed], "all": len(gains)}
        numbers |= {"less": sum(gain < gains[printed] for gain in gains.values())}
        numbers |= {"by_share": by_share.label, "share": shares[by_share]}
        yield PAPER.statement("gains", gains[printed] == gains[by_area], numbers, metric=printed.label, end=end)


def on_one_curve(errors: Errors) -> Iterator[Statement]:
    """Judge how the error of recall rises and falls (section 6.2)."""
    label, sizes = RECALL.label, errors.sizes
    printed = {column: value for (_, column), value in PAPER.printed("§6.2").items()}
    tiny, raw = ([float(value) for value in errors.curve(RECALL, name)] for name in (TINY_ADDED, RAW))
    until, smallest = int(printed["rises until size"]), int(printed["smallest size"])
    peak = max(range(len(tiny)), key=tiny.__getitem__)
    rises = sizes[peak] == until and all(before < after for before, after in pairwise(tiny[: peak + 1]))
    numbers = {"start": tiny[0], "top": tiny[peak], "peak": sizes[peak], "end": tiny[-1], "last": sizes[-1]}
    yield PAPER.statement("rises at first", rises, numbers, metric=label, until=str(until))
    others = [metric for metric in TESTED if metric != RECALL and _rises(errors.curve(metric, TINY_ADDED))]
    yield PAPER.statement("unique rise", not others, {"others": _labels(others) or "no other"}, metric=label)
    falls = all(before > after for before, after in pairwise(raw))
    numbers = {"start": raw[0], "first": sizes[0], "end": raw[-1], "last": sizes[-1]}
    yield PAPER.statement("falls all the way", falls, numbers, metric=label)
    error = printed["first error"]
    below = next((size for size, mse in zip(sizes, raw, strict=True) if mse < float(error)), None)
    holds = any(agrees(error, raw[sizes.index(size)]) for size in (1, smallest))
    first = {"start": raw[0], "at": raw[sizes.index(smallest)], "smallest": smallest, "below": below}
    yield PAPER.statement("first error", holds, first, said=error)


def _rises(curve: Floats) -> bool:
    """Tell whether a curve rises at first, all the way to its peak."""
    peak = int(curve.argmax())
    return peak > 0 and bool((np.diff(curve[: peak + 1]) > 0).all())


def _labels(metrics: Iterable[Metric], between: str = ", ") -> str:
    return between.join(metric.label for metric in metrics)


def on_strength(errors: Errors) -> Iterator[Statement]:
    """Judge what more strength does (section 6.2)."""
    (metric,), (weak, middle, strong, *stronger) = metrics_at("Figure 4"), SMOOTHINGS
    area = {name: errors.area(metric, name) for name in ESTIMATES}
    steps = pairwise((RAW, weak, middle, strong))
    first, second, third = gains = [area[before] - area[after] for before, after in steps]
    numbers = {"weak": weak, "first": first, "middle": middle, "second": second, "strong": strong, "third": third}
    falling = gains == sorted(gains, reverse=True)
    yield PAPER.statement("diminishing returns", falling, numbers, metric=metric.label)
    for name in stronger:
        worse = [tested for tested in TESTED if errors.area(tested, name) > errors.area(tested, middle)]
        areas = {"metric": metric.label, "area": area[name], "middle": area[middle]}
        counts = {"many": len(worse), "all": len(TESTED), "worse": _labels(worse)}
        texts = {"metric": metric.label, "name": name, "middle": middle}
        yield PAPER.statement("too strong", area[name] > area[middle], areas | counts, **texts)


def on_undefined() -> Statement:
    """Judge how often scores stay undefined (section 6.2)."""
    size, weakest = smallest_size_and_count()[0], SMOOTHINGS[0]
    estimates = [ESTIMATES[name] for name in (RAW, weakest)]
    defined = [
        error.defined
        for group, reference in GROUPS.values()
        for error in expected_errors(group, reference, TESTED, [size], estimates)
    ]
    # What a sum of chances lacks to 1 by a float's last digits is nothing.
    raw, smoothed = (round(1 - min(defined[i::2]), 12) for i in (0, 1))
    numbers = {"size": size, "raw": raw, "smoothed": smoothed, "name": weakest}
    return PAPER.statement("undefined scores", smoothed < raw / 100, numbers)


def on_priors() -> Statement:
    """Judge which prior comes nearest (section 6.3)."""
    none, cps, uniform = (row for name, row in priors_both_ways()[0].items() if name.endswith("difference"))
    sums = {"none": none, "cps": cps, "uniform": uniform}
    numbers = {name: math.fsum(row.values()) for name, row in sums.items()}
    nearer = [cell for cell in cps if cps[cell] > min(none[cell], uniform[cell])]
    holds = numbers["cps"] == min(numbers.values())
    return PAPER.statement("nearest prior", holds, numbers | {"nearer": ", ".join(nearer) or "none"})


def on_bias_and_variance() -> Statement:
    """Compare the closed forms with sums over all that can be drawn, for a metric that is the share of two cells."""
    estimates = [ESTIMATES[name] for name in SMOOTHINGS]
    off = 0.0
    for group, reference in GROUPS.values():
        p, other = score(group, PREVALENCE), score(reference, PREVALENCE)
        for error in expected_errors(group, reference, [PREVALENCE], (1, 10, 100), estimates):
            n, strength = error.size, error.strength
            bias, variance = strength / (n + strength) * (other - p), n * p * (1 - p) / (n + strength) ** 2
            off = max(off, abs((error.bias or 0.0) - bias), abs((error.variance or 0.0) - variance))
    return PAPER.statement("bias and variance", off < 1e-12, {"metric": PREVALENCE.label, "off": off})


def on_references() -> Statement:
    """Judge how large a reference should be (section 6.5)."""
    small, large = printed = PAPER.printed_row("§6.5", "reference").values()
    sizes = [int(value) for value in printed]
    errors = [
        [error.mse or 0.0 for error in expected_errors(group, None, [PREVALENCE], sizes, [(0, 0)])]
        for group, _ in GROUPS.values()
    ]
    at_small, at_large = (float(value) for value in np.mean(errors, axis=0))
    numbers = {"metric": PREVALENCE.label, "at_small": at_small, "small": sizes[0]}
    numbers |= {"at_large": at_large, "large": sizes[1]}
    return PAPER.statement("size of a reference", None, numbers, small=small, large=large)


def on_adding(errors: Errors) -> Iterator[Statement]:
    """Judge where adding one does better or worse (appendix F.2)."""
    tested, (weak, middle, strong, *_) = TESTED, SMOOTHINGS
    for key, better, worse in (("worse with 1 added", RAW, ONE_ADDED), ("better with 1 added", ONE_ADDED, middle)):
        printed = metrics_at(key)
        lower = [metric for metric in tested if errors.always_lower([metric], better, worse)]
        numbers = {"many": len(lower), "all": len(tested), "found": _labels(lower)}
        holds = all(metric in lower for metric in printed)
        yield PAPER.statement(key, holds, numbers, middle=middle, metrics=_labels(printed))
    count = sum(errors.area(metric, strong) < errors.area(metric, ONE_ADDED) for metric in tested)
    numbers = {"name": strong, "lower": count, "all": len(tested)}
    yield PAPER.statement("strong against 1 added", count == len(tested), numbers)
    metrics = metrics_at("Figure 5")
    least = min(int((errors.lead(metric, strong, weak) > 0).sum()) for metric in metrics)
    numbers = {"least": least, "sizes": len(errors.sizes)}
    texts = {"strong": strong, "weak": weak, "metrics": _labels(metrics, " and ")}
    yield PAPER.statement("strong against weak", least == len(errors.sizes), numbers, **texts)


def on_groups(errors: Errors) -> Statement:
    """Judge whether groups agree (appendix F.2)."""
    size = errors.sizes[len(errors.sizes) // 2]
    at = errors.of(TINY_ADDED)[..., errors.sizes.index(size)]
    ratios = dict(zip(TESTED, (at.max(axis=0) / at.min(axis=0)).tolist(), strict=True))
    least, most = (pick(ratios, key=lambda metric: ratios[metric]) for pick in (min, max))
    labels = {"size": size, "steady": least.label, "unsteady": most.label}
    numbers = {"least": ratios[least], "most": ratios[most]}
    return PAPER.statement("groups agree", ratios[most] < _CLOSE, labels | numbers)
