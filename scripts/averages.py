"""Attack what is said about averages: honest reports of mixtures of tables, judged by scores that are computed here.

``python scripts/averages.py reports --count 3000 --seed 1`` draws runs, stratified folds and folds that are not, all of
at most 6 positives and 6 negatives, and asks `recover` with and without saying how they were made: none may be called
impossible, and what is said to fit must. Others it changes: for what is then called impossible it looks at all tables
of all parts. ``hull`` draws reports that no average may give, and looks for parts of any
size that prove it wrong; ``ranks`` does so for medians, bests and worsts. Nothing is shared with the library but the
names of metrics. It prints the seed and what was wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: What an undefined score counts as: a number, or nan where it is left out.
FILLS: Final = {"zero": 0.0, "one": 1.0, "excluded": np.nan}
NAMES: Final = (
    "accuracy", "recall", "specificity", "precision", "f1", "negative_predictive_value", "f1_negative", "jaccard",
    "balanced_accuracy", "mcc", "kappa", "informedness", "markedness", "g_mean", "fowlkes_mallows", "macro_precision",
    "macro_recall", "macro_f1", "weighted_precision", "weighted_f1", "weighted_recall", "prevalence",
)  # fmt: skip
_SETS: Final = (
    ("accuracy", "recall", "specificity"), ("precision", "recall", "f1"), ("accuracy", "precision", "recall", "f1"),
    ("accuracy", "recall", "specificity", "precision"), ("accuracy", "f1", "mcc"), ("balanced_accuracy", "mcc", "f1"),
    ("macro_precision", "macro_recall", "macro_f1", "accuracy"), ("recall", "specificity", "balanced_accuracy"),
)  # fmt: skip


def scores(cells: Any, names: Sequence[str], undefined: str, by_one_class: bool = False) -> Floats:
    """Return scores of tables, a row each; what is undefined counts as is said, and is nan where it is left out.

    A coefficient of 0/0 counts as 0, if nothing is left out. `by_one_class` takes the balanced accuracy of a part with
    one class from that class, as scikit-learn does.
    """
    tp, fn, fp, tn = np.asarray(cells, dtype=float).reshape(-1, 4).T
    fill = FILLS[undefined]

    def ratio(top: Any, bottom: Any) -> Any:
        with np.errstate(all="ignore"):
            return np.where(bottom == 0, fill, top / np.where(bottom == 0, 1, bottom))

    def mean(one: Any, other: Any, weight: Any = 0.5) -> Any:
        weights = np.stack([np.broadcast_to(weight, one.shape), np.broadcast_to(1 - weight, one.shape)])
        both = np.stack([one, other])
        weights = np.where(np.isnan(both), 0, weights)
        with np.errstate(all="ignore"):
            return (np.where(np.isnan(both), 0, both) * weights).sum(axis=0) / weights.sum(axis=0)

    p, n, said, unsaid = tp + fn, fp + tn, tp + fp, fn + tn
    total = p + n
    recall, specificity, precision, npv = ratio(tp, p), ratio(tn, n), ratio(tp, said), ratio(tn, unsaid)
    f1, other = ratio(2 * tp, 2 * tp + fp + fn), ratio(2 * tn, 2 * tn + fp + fn)
    one_class = (p == 0) | (n == 0)
    balanced = np.where(one_class, fill, (recall + specificity) / 2)
    alone = np.where(p == 0, specificity, recall)
    product = p * n * said * unsaid
    coefficient = (tp * tn - fp * fn) / np.sqrt(np.where(product > 0, product, 1))
    expected = p * said + n * unsaid
    found = {
        "accuracy": (tp + tn) / total, "recall": recall, "specificity": specificity, "precision": precision,
        "f1": f1, "negative_predictive_value": npv, "f1_negative": other, "jaccard": ratio(tp, tp + fp + fn),
        "balanced_accuracy": np.where(one_class & by_one_class, alone, balanced),
        "mcc": np.where(product > 0, coefficient, fill * 0),
        "kappa": ratio(total * (tp + tn) - expected, total * total - expected),
        "informedness": np.where(one_class, fill, recall + specificity - 1),
        "markedness": np.where((said == 0) | (unsaid == 0), fill, precision + npv - 1),
        "g_mean": np.where(one_class, fill, np.sqrt(recall * specificity)),
        "fowlkes_mallows": np.where((said == 0) | (p == 0), fill, np.sqrt(precision * recall)),
        "macro_precision": mean(precision, npv), "macro_recall": mean(recall, specificity),
        "macro_f1": mean(f1, other), "weighted_precision": mean(precision, npv, p / total),
        "weighted_f1": mean(f1, other, p / total), "weighted_recall": (tp + tn) / total, "prevalence": p / total,
    }  # fmt: skip
    return np.column_stack([found[name] for name in names])


def mean_of(values: Floats, weights: Floats) -> Floats | None:
    """Return the weighted mean down the columns over what is defined; None where nothing of a column is."""
    there = ~np.isnan(values)
    if not there.any(axis=0).all():
        return None
    return np.asarray((np.where(there, values, 0) * weights[:, None]).sum(0) / (there * weights[:, None]).sum(0))


def tables(rng: np.random.Generator, count: int, least: float = 0.0, most: float = 1.0) -> NDArray[np.int64]:
    """Return tables of 1 to 10^6 cases, many with empty cells or nearly so, whose share of positives is in a range."""
    total = np.floor(10 ** rng.uniform(0, 6, 4 * count)).astype(np.int64)
    share = np.where(
        rng.random(len(total)) < 0.3,
        rng.choice([least, most, 1e-6, 1 - 1e-6], len(total)),
        rng.uniform(least, most, len(total)),
    )
    p = np.rint(share * total).astype(np.int64)

    def part(whole: NDArray[np.int64]) -> NDArray[np.int64]:
        kind, rate = rng.integers(0, 6, len(whole)), rng.random(len(whole))
        hits = np.rint(rate * whole).astype(np.int64)
        few = np.minimum(rng.integers(0, 3, len(whole)), whole)
        return np.select([kind == 0, kind == 1, kind == 2, kind == 3], [0 * whole, whole, few, whole - few], hits)

    tp, tn = part(p), part(total - p)
    kept = (p >= least * total - 1e-9) & (p <= most * total + 1e-9)
    return np.stack([tp, p - tp, total - p - tn, tn], axis=1)[kept][:count]


@dataclass
class Outcome:
    """How many were asked, what was answered, and what was wrong."""

    asked: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    wrong: list[Any] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.asked} asked, {dict(self.answers)}, {len(self.wrong)} wrong"


def _printed(means: Floats, digits: int) -> tuple[list[str], Floats, Floats]:
    texts = [f"{mean:.{digits}f}" for mean in means]
    values, half = np.array([float(text) for text in texts]), 0.5 * 10.0**-digits
    return texts, values - half, values + half


def _window(rng: np.random.Generator) -> tuple[float, float]:
    if rng.random() < 0.5:
        return 0.0, 1.0
    low, high = sorted(rng.random(2))
    return float(low), float(high)


def _names(rng: np.random.Generator) -> tuple[str, ...]:
    if rng.random() < 0.3:
        return _SETS[rng.integers(len(_SETS))]
    return tuple(rng.choice(NAMES, int(rng.integers(2, 6)), replace=False).tolist())


def _mixed(rng: np.random.Generator, own: Any, names: Sequence[str], parts: int) -> Floats | None:
    undefined, alone = str(rng.choice(list(FILLS))), bool(rng.random() < 0.3)
    chosen = own[rng.integers(len(own), size=parts)]
    weights = np.ones(parts) if rng.random() < 0.5 else rng.random(parts) + 0.01
    return mean_of(scores(chosen, names, undefined, alone), weights)


def attack_hull(rng: np.random.Generator, count: int, directions: int, outcome: Outcome) -> None:
    """Refute random reports, and look for averages beyond what was said to be the largest; then ask about these."""
    from fourfold.solve.averages import Averages, Refuted

    for _ in range(directions):
        names, (least, most) = _names(rng), _window(rng)
        own = tables(rng, 400, least, most)
        near = None if not len(own) else _mixed(rng, own, names, int(rng.integers(1, 4)))
        if near is None:
            continue
        middle, half = near.copy(), 0.5 * 10.0 ** -rng.integers(2, 5)
        middle[rng.integers(len(names))] += rng.choice([-1, 1]) * rng.choice([0.02, 0.05, 0.1, 0.3])
        found = Averages(names, middle - half, middle + half).decide(least, most)
        outcome.answers[type(found).__name__] += 1
        if not isinstance(found, Refuted):
            continue
        low, high = middle - half, middle + half
        own = tables(rng, count, least, most)
        for undefined in FILLS:
            for alone in (False, True):
                values = scores(own, names, undefined, alone)
                groups = rng.integers(len(own), size=(len(own), 3))
                three = np.where(np.isnan(values), 0, values)[groups].sum(1) / np.maximum(
                    (~np.isnan(values))[groups].sum(1), 1
                )
                defined = np.all((~np.isnan(values))[groups].any(axis=1), axis=1)
                for points in (values[~np.isnan(values).any(1)], three[defined]):
                    outcome.asked += len(points)
                    inside = ((points >= low) & (points <= high)).all(1)
                    if found.weights:
                        inside |= points @ np.array(found.weights) > found.largest
                        # Mixtures that are nearest to the limit are asked about themselves.
                        best = np.argsort(-(points @ np.array(found.weights)))[:2]
                    else:
                        best = np.arange(min(2, len(points)))
                    if inside.any():
                        outcome.wrong.append(
                            (
                                names,
                                (least, most),
                                undefined,
                                alone,
                                low.tolist(),
                                high.tolist(),
                                points[inside][0].tolist(),
                            )
                        )
                    for point in points[best] if undefined == "excluded" else ():
                        _, a, b = _printed(point, int(rng.integers(2, 5)))
                        again = Averages(names, a, b).decide(least, most)
                        outcome.answers[f"near: {type(again).__name__}"] += 1
                        if isinstance(again, Refuted):
                            outcome.wrong.append((names, (least, most), undefined, alone, point.tolist()))


def attack_means(rng: np.random.Generator, count: int, outcome: Outcome) -> None:
    """Ask about means of 1 to 8 tables themselves."""
    from fourfold.solve.averages import Averages, Refuted

    while outcome.asked < count:
        names, (least, most) = _names(rng), _window(rng)
        own = tables(rng, 20, least, most)
        near = None if not len(own) else _mixed(rng, own, names, int(rng.integers(1, 9)))
        if near is None:
            continue
        _, low, high = _printed(near, int(rng.integers(2, 5)))
        found = Averages(names, low, high).decide(least, most)
        outcome.asked += 1
        outcome.answers[type(found).__name__] += 1
        if isinstance(found, Refuted):
            outcome.wrong.append((names, (least, most), own.tolist(), near.tolist()))


def attack_ranks(rng: np.random.Generator, count: int, outcome: Outcome) -> None:
    """Ask about medians, bests and worsts of each score for itself: no answer may rule all of these out."""
    from fourfold.solve.averages import Averages, Refuted

    while outcome.asked < count:
        names, parts = _names(rng), int(rng.integers(2, 8))
        rank = (np.nanmedian, np.nanmax, np.nanmin)[rng.integers(3)]
        undefined, alone = str(rng.choice(list(FILLS))), bool(rng.random() < 0.3)
        values = scores(tables(rng, parts), names, undefined, alone)
        if np.isnan(values).all(axis=0).any():
            continue
        _, low, high = _printed(rank(values, axis=0), int(rng.integers(2, 5)))
        asked = Averages(names, low, high)
        refuted = isinstance(asked.decide(), Refuted)
        ruled_out = asked.beyond_quantiles() or (refuted and asked.no_quantile())
        outcome.asked += 1
        outcome.answers["refuted as means" if refuted else "fits"] += 1
        if ruled_out:
            outcome.wrong.append((names, rank.__name__, undefined, alone, values.tolist()))


def _dealt(rng: np.random.Generator, positives: int, negatives: int, folds: int, kind: str) -> list[tuple[int, int]]:
    """Deal cases to folds: sizes differ by one at most, and those of a class, too, where folds are stratified."""
    if kind == "runs":
        return [(positives, negatives)] * folds
    total = positives + negatives
    labels = np.array([1] * positives + [0] * negatives)
    if kind == "stratified":
        # In order of classes every k-th case is of one fold, as scikit-learn deals them.
        own = [labels[place::folds] for place in range(folds)]
    else:
        own = np.array_split(rng.permutation(labels), folds)
    assert sum(map(len, own)) == total
    return [(int(part.sum()), int(len(part) - part.sum())) for part in own]


def _said(kind: str, parts: int) -> dict[str, Any]:
    if kind == "runs":
        return {"runs": parts}
    return {"folds": f"{parts} stratified" if kind == "stratified" else f"{parts} unstratified"}


def attack_reports(rng: np.random.Generator, count: int, outcome: Outcome, seconds: float) -> None:
    """Ask about honest reports of few small parts, and about ones that were changed: a witness must fit these."""
    import fourfold as ff

    until = time.monotonic() + seconds
    while outcome.asked < count and time.monotonic() < until:
        kind, parts = str(rng.choice(["runs", "stratified", "unstratified"])), int(rng.integers(1, 4))
        positives, negatives = (int(x) for x in rng.integers(1, 7, 2))
        if kind != "runs" and (parts == 1 or positives + negatives < parts):
            continue
        names, undefined = _SETS[rng.integers(len(_SETS))], str(rng.choice(list(FILLS)))
        cells = []
        for p, n in _dealt(rng, positives, negatives, parts, kind):
            tp, tn = rng.integers(0, p + 1), rng.integers(0, n + 1)
            cells.append((tp, p - tp, n - tn, tn))
        means = mean_of(scores(cells, names, undefined), np.ones(parts))
        if means is None:
            continue
        honest = rng.random() < 0.8
        if not honest:
            means[rng.integers(len(names))] = rng.random()
        texts, low, high = _printed(means, int(rng.integers(2, 5)))
        said = _said(kind, parts) if parts > 1 else {}
        if rng.random() < 0.5:
            said["undefined"] = undefined
        sizes = {"positives": positives, "negatives": negatives}
        for own in ({}, said):
            asked = {**sizes, **own, **dict(zip(names, texts, strict=True))}
            found = ff.recover(**asked)
            outcome.asked += 1
            outcome.answers[f"{'honest' if honest else 'changed'}: {found.verdict}"] += 1
            if honest and found.verdict == "impossible":
                outcome.wrong.append((asked, cells, undefined))
            elif found.verdict == "impossible":
                ways = [(kind, parts)] if own else list(product(("runs", "stratified", "unstratified"), (1, 2, 3)))
                counted = [undefined] if "undefined" in own else list(FILLS)
                if any(_some_fit(*way, (positives, negatives), names, each, (low, high))
                       for way, each in product(ways, counted)):  # fmt: skip
                    outcome.wrong.append((asked, "some tables have these means"))
            if found.verdict in ("possible", "conditional"):
                outcome.wrong += [(asked, problem) for problem in _wrong_witness(found, names, low, high)]


def _some_fit(
    kind: str, parts: int, sizes: tuple[int, int], names: Sequence[str], undefined: str, box: tuple[Floats, Floats]
) -> bool:
    """Look at every table of every part: tell whether some of them have means in a box."""
    positives, negatives = sizes
    if kind != "runs" and positives + negatives < parts:
        return False
    deals = [_dealt(np.random.default_rng(1), *sizes, parts, kind)]
    if kind == "unstratified":
        totals = [len(part) for part in np.array_split(np.arange(positives + negatives), parts)]
        dealt = product(*(range(min(total, positives) + 1) for total in totals))
        deals = [[(p, total - p) for p, total in zip(own, totals, strict=True)]
                 for own in dealt if sum(own) == positives]  # fmt: skip
    for deal in deals:
        of_parts = [scores([(tp, p - tp, n - tn, tn) for tp in range(p + 1) for tn in range(n + 1)], names, undefined)
                    for p, n in deal]  # fmt: skip
        sums, there = np.zeros((1, len(names))), np.zeros((1, len(names)))
        for values in of_parts:
            sums = (sums[:, None] + np.nan_to_num(values)).reshape(-1, len(names))
            there = (there[:, None] + ~np.isnan(values)).reshape(-1, len(names))
        means = sums / np.maximum(there, 1)
        if ((there > 0) & (means >= box[0]) & (means <= box[1])).all(axis=1).any():
            return True
    return False


def _wrong_witness(found: Any, names: Sequence[str], low: Floats, high: Floats) -> Iterator[str]:
    """Tell what is wrong with the tables that are said to fit; readings that change a score are passed over."""
    codes = {departure.code for departure in found.departures}
    if not codes <= {
        "means_over_folds",
        "folds_not_stratified",
        "folds_repeated",
        "undefined_as_zero",
        "undefined_as_one",
        "undefined_left_out",
    }:
        return
    own = list(found.tables(500))
    if not own:
        return
    cells = [tuple(table.cells().values()) for table in own]
    undefined = str(found.claim.meant) if str(found.claim.meant) in FILLS else "excluded"
    # A part of one class may have its balanced accuracy from that class, as scikit-learn has it.
    problems = []
    for by_one_class in (False, True):
        values = scores(cells, names, undefined, by_one_class)
        means = mean_of(values, np.ones(len(cells))) if found.layout == "parts" else None
        rows = values if found.layout != "parts" else np.empty((0, 0)) if means is None else means[None]
        if rows.size and not ((rows < low - 1e-9) | (rows > high + 1e-9)).any():
            return
        problems.append(f"{rows} of {cells} do not fit")
    yield problems[0]


def main(arguments: list[str] | None = None) -> int:
    """Run one attack; the exit code is 1 where an answer was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["reports", "hull", "means", "ranks"])
    parser.add_argument(
        "--count", type=int, required=True, help="how many questions; for hull tables for each direction"
    )
    parser.add_argument(
        "--directions", type=int, default=100, help="for hull: how many reports are tried to be refuted"
    )
    parser.add_argument("--seconds", type=float, default=1e9, help="for reports: none is begun after so many seconds")
    parser.add_argument("--seed", type=int, required=True)
    given = parser.parse_args(arguments)
    rng, outcome = np.random.default_rng(given.seed), Outcome()
    if given.kind == "hull":
        attack_hull(rng, given.count, given.directions, outcome)
    elif given.kind == "reports":
        attack_reports(rng, given.count, outcome, given.seconds)
    else:
        {"means": attack_means, "ranks": attack_ranks}[given.kind](rng, given.count, outcome)
    print(f"{given.kind}, seed {given.seed}: {outcome}")
    for wrong in outcome.wrong[:5]:
        print(wrong)
    return 1 if outcome.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
