"""Parts of unknown make-up, in groups that have their own positives, beside a look at every way to deal and to answer."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

from fourfold.exact.reported import Reported
from fourfold.metrics import metric, read_convention
from fourfold.solve.experiment import EqualParts, MeansReport, OpenParts
from fourfold.solve.means import decide
from fourfold.table import Table

PRINTED = ("0.00", "0.25", "0.33", "0.42", "0.50", "0.58", "0.67", "0.75", "0.83", "0.92", "1.00")


def known(report: MeansReport) -> list[MeansReport]:
    """The report with every way to deal positives, each as parts that are known."""
    ways = []
    for part, positives in zip(report.parts, report.groups, strict=True):
        dealt = product(range(part.total + 1), repeat=part.count)
        ways.append([[(p, part.total - p, part.weight) for p in own] for own in dealt if sum(own) == positives])
    return [
        MeansReport(tuple(EqualParts(p, n, 1, w) for own in way for p, n, w in own), report.means, report.convention)
        for way in product(*ways)
    ]


def tables_fit(report: MeansReport) -> bool:
    choices = [
        [
            (Table.of_counts(tp, part.positives - tp, part.negatives - tn, tn),)
            for tp in range(part.positives + 1)
            for tn in range(part.negatives + 1)
        ]
        for part in report.parts
        if isinstance(part, EqualParts)
    ]
    return any(report.holds(witness) for witness in product(*choices))


def test_groups_of_open_parts_agree_with_all_ways() -> None:
    rng = random.Random(4)
    seen = set()
    for _ in range(60):
        parts, groups = [], []
        for group in range(2):
            count = rng.choice((1, 2))
            size = rng.randint(1, 2) if count == 2 else rng.randint(2, 3)
            parts.append(OpenParts(size, count, Fraction(1, count), group))
            groups.append(rng.randint(0, count * size))
        names = rng.sample(("accuracy", "recall", "precision", "specificity"), rng.randint(1, 2))
        means = tuple((metric(name), Reported.read(rng.choice(PRINTED))) for name in names)
        report = MeansReport(
            tuple(parts), means, read_convention(rng.choice(("none", "zero", "one", "excluded"))), groups=tuple(groups)
        )
        decision = decide(report)
        assert decision.verdict == ("possible" if any(map(tables_fit, known(report))) else "impossible"), report
        assert decision.witness is None or report.holds(decision.witness)
        seen.add(decision.verdict)
    assert seen == {"possible", "impossible"}
