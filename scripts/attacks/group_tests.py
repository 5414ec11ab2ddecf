"""P-values and intervals of groups and of models, against sums over all ways in fractions."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any, Final

import fourfold as ff

from .chances import (
    Tails,
    at_odds,
    binomial_tails,
    dealt,
    drawn,
    far_tails,
    odds_in,
    same_odds,
    shared_out,
    split_by,
    swapped,
    tails_of,
)
from .running import Attack, Case, expect
from .scores import Cells, meant_by
from .surds import Surd, added, score, sign, times

#: Scores that are a share: which cells are counted, among which. F1 and Jaccard are decided by one, too.
SHARES: Final[Mapping[str, tuple[str, str]]] = {
    "accuracy": ("tp tn", "tp fn fp tn"),
    "inaccuracy": ("fp fn", "tp fn fp tn"),
    "prevalence": ("tp fn", "tp fn fp tn"),
    "predicted_positive_rate": ("tp fp", "tp fn fp tn"),
    "recall": ("tp", "tp fn"),
    "specificity": ("tn", "fp tn"),
    "false_positive_rate": ("fp", "fp tn"),
    "false_negative_rate": ("fn", "tp fn"),
    "precision": ("tp", "tp fp"),
    "negative_predictive_value": ("tn", "fn tn"),
    "false_discovery_rate": ("fp", "tp fp"),
    "f1": ("tp", "tp fn fp"),
    "jaccard": ("tp", "tp fn fp"),
}
_PERMUTED: Final = (
    "mcc",
    "kappa",
    "balanced_accuracy",
    "informedness",
    "markedness",
    "g_mean",
    "p4",
    "marginal_benefit",
)
_SWAPPED: Final = (*SHARES, "mcc", "kappa", "balanced_accuracy", "informedness", "markedness", "macro_f1", "f2", "p4")
_MATCHED: Final = (*SHARES, "mcc", "kappa", "informedness", "g_mean", "f2", "marginal_benefit", "diagnostic_odds_ratio")
_NAMES: Final = ("tp", "fn", "fp", "tn")
_CLOSE: Final = 1e-9
_TINY: Final = 1e-13
_WHERE_FLOATS_END: Final = 1e-290


def close(found: float | None, right: Fraction, relative: float = _CLOSE) -> bool:
    """Tell whether a chance has about nine digits right, however small it is, down to where floats end."""
    shown = float(right)
    return found is not None and abs(found - shown) <= relative * shown + _WHERE_FLOATS_END


def table_of(cells: Sequence[int]) -> Any:
    """Return a table of the library."""
    return ff.Table(**dict(zip(_NAMES, cells, strict=True)))


def counted(name: str, cells: Sequence[int]) -> tuple[int, int]:
    """Return how many of how many cases decide a score."""
    by_name = dict(zip(_NAMES, cells, strict=True))
    hits, among = (sum(by_name[cell] for cell in part.split()) for part in SHARES[name])
    return hits, among


class GroupAttack(Attack):
    """Tests and intervals: each answer has a p-value or an interval."""

    what = "p-values and intervals"

    def make(self, random: Random) -> Case:
        """Make a question."""
        kinds = (_shares, _shares, _shares, _odds, _known, _permuted, _paired, _paired, _matched, _interval, _audited)
        return random.choice(kinds)(random)

    def judge(self, case: Case) -> str:
        """Ask it, and compare with the sums."""
        return str(_JUDGES[case["of"]](case))

    def smaller(self, case: Case) -> Iterator[Case]:
        """Take cases away."""
        for name in ("group", "reference", "rows"):
            counts: list[int] = case.get(name, [])
            for place, count in enumerate(counts):
                for fewer in (count // 2, count - 1):
                    if 0 <= fewer < count:
                        yield {**case, name: [*counts[:place], fewer, *counts[place + 1 :]]}


def _random_cells(random: Random, most: int) -> list[int]:
    top = [random.choice([0, 1, 2, most // 3 + 1, most // 3 + 1, most, most]) for _ in _NAMES]
    cells = [random.choice([random.randint(0, one), random.randint(0, one), one]) for one in top]
    return cells if sum(cells) else [1, 0, 0, 0]


def _two_groups(random: Random, most: int) -> dict[str, Any]:
    return {
        "group": _random_cells(random, random.choice([5, most // 4 + 1, most])),
        "reference": _random_cells(random, random.choice([most // 2 + 1, most, 3 * most])),
    }


def _shares(random: Random) -> Case:
    most = random.choice([10, 40, 40, 40, 300, 300, random.choice([1500, 5000])])
    return {"of": "shares", "metric": random.choice(list(SHARES)), **_two_groups(random, most)}


def _odds(random: Random) -> Case:
    return {"of": "odds", "metric": "diagnostic_odds_ratio", **_two_groups(random, random.choice([10, 40, 200]))}


def _known(random: Random) -> Case:
    return {"of": "known", "metric": random.choice(list(SHARES)), **_two_groups(random, random.choice([10, 40, 150]))}


def _permuted(random: Random) -> Case:
    cells = {name: _random_cells(random, random.choice([3, 5])) for name in ("group", "reference")}
    return {"of": "permuted", "metric": random.choice(_PERMUTED), **cells}


def _paired(random: Random) -> Case:
    most = random.choice([2, 5, 12])
    return {"of": "paired", "metric": random.choice(_SWAPPED), "rows": [random.randint(0, most) for _ in range(8)]}


def _matched(random: Random) -> Case:
    size = random.choice([2, 4, 6, 8])
    places = [random.randrange(4) for _ in range(size)]
    group = [places.count(place) for place in range(4)]
    return {"of": "matched", "metric": random.choice(_MATCHED), "group": group, "reference": _random_cells(random, 200)}


def _interval(random: Random) -> Case:
    metric = random.choice([*SHARES, "diagnostic_odds_ratio", "diagnostic_odds_ratio"])
    level = random.choice([0.95, 0.9, 0.99])
    most = random.choice([8, 50, 200]) if metric in SHARES else random.choice([8, 30, 80])
    return {"of": "interval", "metric": metric, "group": _random_cells(random, most), "level": level}


def _audited(random: Random) -> Case:
    groups = [_random_cells(random, random.choice([4, 20, 60])) for _ in range(random.choice([3, 4, 6]))]
    return {"of": "audited", "metric": random.choice(["recall", "accuracy", "precision", "f1"]), "groups": groups}


def _check_p(found: Any, right: Tails, relative: float = _CLOSE) -> None:
    expect(close(found.p_value, right.p_value, relative), "p-value", found.p_value, float(right.p_value))
    expect(close(found.mid_p, right.mid_p, relative), "mid-p", found.mid_p, float(right.mid_p))


def _judge_shares(case: Case) -> str:
    found: Any = ff.compare_groups(table_of(case["group"]), table_of(case["reference"]), case["metric"])
    (x, k), (y, m) = (counted(case["metric"], case[name]) for name in ("group", "reference"))
    if not k or not m:
        expect(found.p_value is None, "a test without cases", found.p_value)
        return "no test"
    right = tails_of(shared_out(k, m, x + y), x)
    _check_p(found, right)
    least = min(tails_of(shared_out(k, m, hits + y), hits).p_value for hits in (0, k))
    expect(close(found.least_p, least), "least p-value", found.least_p, float(least))
    low, high = found.difference.low, found.difference.high
    if low is not None and high is not None:
        # A test and its interval say the same: zero is outside just where the test rejects.
        p_value = float(right.p_value)
        if abs(p_value - 0.05) > 1e-6:
            expect((low <= 0 <= high) == (p_value > 0.05), "the interval and the test", found.difference, p_value)
    return "share"


def _judge_odds(case: Case) -> str:
    group, reference = case["group"], case["reference"]
    found: Any = ff.compare_groups(table_of(group), table_of(reference), case["metric"])
    ways = same_odds(tuple(group), tuple(reference))
    if len(ways) < 2:
        expect(found.p_value is None, "a test of what is fixed", found.p_value)
        return "no test"
    _check_p(found, tails_of(ways, group[0]))
    _check_odds(ways, group[0], (found.ratio.low, found.ratio.high), found.level)
    return "odds ratio"


def _check_odds(ways: dict[int, int], x: int, ends: tuple[Any, Any], level: float) -> None:
    """Check that at each end of an interval of odds the tail of what was seen is just half of what is left out."""
    tail = (1 - level) / 2
    low, high = ends
    if x == min(ways):
        expect(low == 0, "the lower end of odds", low)
    else:
        right = at_odds(ways, x, Fraction(low))
        expect(
            abs(float(right.equal + right.above) / tail - 1) < 1e-6, "the lower end of odds", low, float(right.above)
        )
    if x == max(ways):
        expect(high is None or math.isinf(high), "the upper end of odds", high)
    else:
        right = at_odds(ways, x, Fraction(high))
        expect(
            abs(float(right.equal + right.below) / tail - 1) < 1e-6, "the upper end of odds", high, float(right.below)
        )


def _judge_known(case: Case) -> str:
    group, reference = table_of(case["group"]), table_of(case["reference"])
    found: Any = ff.compare_groups(group, reference, case["metric"], reference_known=True)
    (x, k), (y, m) = (counted(case["metric"], case[name]) for name in ("group", "reference"))
    if not k or not m:
        expect(found.p_value is None, "a test without cases", found.p_value)
        return "no test"
    right = binomial_tails(x, k, Fraction(y, m))
    expect(close(found.p_value, right.p_value), "p-value", found.p_value, float(right.p_value))
    return "known reference"


def _statistic(name: str, group: Cells, reference: Cells) -> float:
    """Return the difference of a score over its spread, by its derivatives, with half a case in each cell more."""
    parts = []
    for cells in (group, reference):
        shares = [(cell + 0.5) / (sum(cells) + 2) for cell in cells]
        value = _complex_score(name, shares)
        slopes = []
        for place in range(4):
            moved: list[complex] = [complex(share) for share in shares]
            moved[place] += 1e-30j
            slopes.append(_complex_score(name, moved).imag / 1e-30)
        mean = sum(share * slope for share, slope in zip(shares, slopes, strict=True))
        spread = sum(share * slope**2 for share, slope in zip(shares, slopes, strict=True)) - mean**2
        parts.append((value.real, spread / sum(cells)))
    off = parts[0][0] - parts[1][0]
    return 0.0 if abs(off) < _TINY else off / math.sqrt(parts[0][1] + parts[1][1])


def _complex_score(name: str, shares: Sequence[complex]) -> complex:
    """Return a score of shares, which may be complex: a step along the imaginary axis gives the slope."""
    tp, fn, fp, tn = map(complex, shares)
    p, n, said, unsaid, total = tp + fn, fp + tn, tp + fp, fn + tn, tp + fn + fp + tn
    formulas: dict[str, Any] = {
        "mcc": lambda: (tp * tn - fp * fn) / cmath.sqrt(said * p * n * unsaid),
        "kappa": lambda: 2 * (tp * tn - fp * fn) / (said * n + p * unsaid),
        "balanced_accuracy": lambda: (tp / p + tn / n) / 2,
        "informedness": lambda: tp / p + tn / n - 1,
        "markedness": lambda: tp / said + tn / unsaid - 1,
        "g_mean": lambda: cmath.sqrt(tp / p * (tn / n)),
        "p4": lambda: 4 * tp * tn / (4 * tp * tn + (tp + tn) * (fp + fn)),
        "marginal_benefit": lambda: (fp - fn) / total,
    }
    return complex(formulas[name]())


def _judge_permuted(case: Case) -> str:
    group, reference = tuple(case["group"]), tuple(case["reference"])
    found: Any = ff.compare_groups(table_of(group), table_of(reference), case["metric"])
    defined = all(score(meant_by(case["metric"]), cells) is not None for cells in (group, reference))
    if not defined:
        expect(found.p_value is None, "a test of what is undefined", found.p_value)
        return "no test"
    if found.p_value is None:
        return "no test"
    expect(found.draws is None, "draws, though there are few tables", found.draws)
    own = _statistic(case["metric"], group, reference)
    tie = 1e-9 * max(1.0, abs(own))
    sums = {-1: Fraction(0), 0: Fraction(0), 1: Fraction(0)}
    for one, other, ways in dealt(group, reference):
        off = _statistic(case["metric"], one, other) - own
        if tie / 3 < abs(off) < 3 * tie:
            return "permutation, too close to tell"
        sums[0 if abs(off) < tie else 1 if off > 0 else -1] += ways
    whole = sum(sums.values(), Fraction(0))
    _check_p(found, Tails(*(sums[side] / whole for side in (-1, 0, 1))), 1e-7)
    return "permutation"


def _judge_paired(case: Case) -> str:
    kinds = [(truth, first, second) for truth in (1, 0) for first in (1, 0) for second in (1, 0)]
    rows = {kind: count for kind, count in zip(kinds, case["rows"], strict=True) if count}
    labels = {label for kind in rows for label in kind}
    if not rows or len(labels) < 2:
        return "no rows"
    found: Any = ff.groups.compare_paired(rows, case["metric"], positive=1)
    count = {kind: rows.get(kind, 0) for kind in kinds}
    both = count[1, 1, 1], count[0, 0, 0]
    sizes = tuple(sum(count[kind] for kind in kinds if kind[0] == truth) for truth in (1, 0))
    differ = count[1, 1, 0] + count[1, 0, 1], count[0, 0, 1] + count[0, 1, 0]
    seen = count[1, 1, 0], count[0, 0, 1]

    def difference(u: int, v: int) -> Surd | None:
        values = []
        for hits, clear in ((u, v), (differ[0] - u, differ[1] - v)):
            tp, tn = both[0] + hits, both[1] + clear
            values.append(score(meant_by(case["metric"]), (tp, sizes[0] - tp, sizes[1] - tn, tn)))
        return None if None in values else added(values[0] or {}, times(values[1] or {}, Fraction(-1)))

    observed = difference(*seen)
    if observed is None:
        expect(found.p_value is None, "a test of what is undefined", found.p_value)
        return "no test"
    every = ((difference(u, v), ways) for u, v, ways in swapped(differ))
    back = times(observed, Fraction(-1))
    right = split_by((sign(added(value, back)), ways) for value, ways in every if value is not None)
    _check_p(found, right)
    return "paired"


def _judge_matched(case: Case) -> str:
    group, reference = tuple(case["group"]), case["reference"]
    meant = meant_by(case["metric"])
    found: Any = ff.match(table_of(group), table_of(reference), case["metric"])
    shares = tuple(Fraction(cell, sum(reference)) for cell in reference)
    own = score(meant, group)
    every = [(score(meant, cells), chance) for cells, chance in drawn(sum(group), shares)]
    undefined = sum((chance for value, chance in every if value is None), Fraction(0))
    expect(abs(found.undefined - float(undefined)) < _CLOSE, "undefined", found.undefined, float(undefined))
    if own is None or undefined == 1:
        expect(found.p_value is None, "a law of what is undefined", found.p_value)
        return "no law"
    back = times(own, Fraction(-1))
    right = split_by((sign(added(value, back)), chance) for value, chance in every if value is not None)
    for name in ("below", "equal", "above"):
        expect(
            close(getattr(found, name), getattr(right, name), 1e-8),
            name,
            getattr(found, name),
            float(getattr(right, name)),
        )
    return "match"


def _judge_interval(case: Case) -> str:
    name, cells, level = case["metric"], case["group"], case["level"]
    found: Any = ff.interval(table_of(cells), name, level=level)
    if name == "diagnostic_odds_ratio":
        ways = odds_in(tuple(cells))
        if len(ways) > 1:
            _check_odds(ways, cells[0], (found.low, found.high), level)
        return "interval of odds"
    x, k = counted(name, cells)
    expect(found.method == "Clopper-Pearson", "method", found.method)
    # F1 = 2 J / (1 + J), so a score of F1 is led back to the share of tp among tp, fn and fp.
    low, high = (end / (2 - end) if name == "f1" else end for end in (found.low, found.high))
    tail = (1 - level) / 2
    if x:
        expect(abs(far_tails(x, k, low)[1] / tail - 1) < 1e-6, "the lower end", found.low)
    if x < k:
        expect(abs(far_tails(x, k, high)[0] / tail - 1) < 1e-6, "the upper end", found.high)
    expect((x or low == 0) and (x < k or high == 1), "the ends of none or of all", found.low, found.high)
    return "interval of a share"


def _judge_audited(case: Case) -> str:
    """Judge an audit of groups against the rest: p-values, and Holm's correction of them."""
    name, groups = case["metric"], case["groups"]
    tables = {str(place): table_of(cells) for place, cells in enumerate(groups)}
    found: Any = ff.audit_tables(tables, metrics=[name], reference="rest")
    values: dict[str, Fraction] = {}
    whole = [sum(column) for column in zip(*groups, strict=True)]
    for place, cells in enumerate(groups):
        rest = [all_ - own for all_, own in zip(whole, cells, strict=True)]
        (x, k), (y, m) = counted(name, cells), counted(name, rest)
        if k and m:
            values[str(place)] = tails_of(shared_out(k, m, x + y), x).p_value
    order = sorted(values, key=lambda group: values[group])
    worst, corrected = Fraction(0), {}
    for rank, group in enumerate(order):
        worst = max(worst, values[group] * (len(order) - rank))
        corrected[group] = min(worst, Fraction(1))
    for finding in found.findings:
        group = finding.group.name
        if group not in values:
            expect(finding.p_value is None, "a test without cases", group, finding.p_value)
            continue
        expect(close(finding.p_value, values[group]), "p-value", group, finding.p_value, float(values[group]))
        expect(close(finding.p_corrected, corrected[group]), "corrected", finding.p_corrected, float(corrected[group]))
    return "audit"


_JUDGES: Final[Mapping[str, Any]] = {
    "shares": _judge_shares,
    "odds": _judge_odds,
    "known": _judge_known,
    "permuted": _judge_permuted,
    "paired": _judge_paired,
    "matched": _judge_matched,
    "interval": _judge_interval,
    "audited": _judge_audited,
}
