from __future__ import annotations

from random import Random

import fourfold as ff
from fourfold.exact.reported import Reported
from fourfold.solve import count_fitting, fitting
from fourfold.solve.region import _floor_sum


def test_floor_sum_equals_adding_up() -> None:
    random = Random(1)
    for _ in range(500):
        n, m = random.randint(0, 30), random.randint(1, 30)
        a, b = random.randint(-50, 50), random.randint(-50, 50)
        assert _floor_sum(n, m, a, b) == sum((a * i + b) // m for i in range(n))


def test_counting_equals_walking() -> None:
    random = Random(2)
    flat = [metric for metric in ff.METRICS.values() if metric.formula.affine_ratio]
    counted = 0
    for _ in range(1500):
        positives, negatives = random.randint(1, 400), random.randint(1, 400)
        tp, tn = random.randint(0, positives), random.randint(0, negatives)
        table = ff.Table(tp=tp, fn=positives - tp, fp=negatives - tn, tn=tn)
        wanted = []
        for metric in random.sample(flat, random.randint(1, 3)):
            value = ff.score(table, metric)
            if value == value:
                text = f"{value:.{random.randint(1, 4)}f}"
                wanted.append((metric, Reported.read(text, rounding=random.choice(["any", "half_up", "truncate"]))))
        found = count_fitting(wanted, positives, negatives) if wanted else None
        if found is not None:
            counted += 1
            assert found[0] == fitting(wanted, positives, negatives, most_rows=10**6)[0].count
    assert counted > 500


def test_counting_a_report_of_two_scores() -> None:
    claims = [(ff.metric(name), Reported.read(text)) for name, text in (("accuracy", "0.898"), ("f1", "0.8968"))]
    assert count_fitting(claims, 994, 1006) == (3, 10)


def test_a_billion_cases_are_counted_at_once() -> None:
    """The count follows from areas: two bands of width 1e-4 cross; the walk over all rows gives the same number."""
    found = ff.recover(positives=4 * 10**8, negatives=6 * 10**8, accuracy="0.8900", f1="0.8800", folds="none")
    feasible = found.solution.feasible
    assert found.count == feasible.known == feasible.rows.count
    assert ff.recover(positives=4 * 10**8, negatives=6 * 10**8, mcc="0.5", folds="none").verdict == "undecided"
