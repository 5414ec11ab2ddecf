"""Recover against brute force over all tables: no false alarm and no false OK.

``pytest tests/property/test_recover.py --recover-cases 10000`` tries as many random reports.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from random import Random

import pytest

import fourfold as ff
from fourfold.claims import Claim, recover

NAMES = [*ff.METRICS, "f2", "f0.5", "f2_negative", "macro_f1", "weighted_f1", "macro_precision", "weighted_precision",
         "macro_jaccard", "micro_f1", "macro_g_mean", "macro_fowlkes_mallows", "macro_prevalence_threshold"]  # fmt: skip
RULES = {"any": ROUND_HALF_EVEN, "half_up": ROUND_HALF_UP, "half_even": ROUND_HALF_EVEN, "truncate": ROUND_DOWN,
         "ceiling": ROUND_CEILING}  # fmt: skip
ODD = ["=0", "=1", "=1/2", "[0, 1]", "(0, 0.5)", "[0.2, 0.4)"]


def random_report(random: Random) -> dict[str, object]:
    positives, negatives = random.randint(0, 12), random.randint(0, 12)
    tp, tn = random.randint(0, positives), random.randint(0, negatives)
    truth = ff.Table(tp=tp, fn=positives - tp, fp=negatives - tn, tn=tn)
    rule, unit = random.choice(list(RULES)), Decimal(1).scaleb(-random.randint(2, 4))
    report: dict[str, object] = {"rounding": rule, "undefined": "none"}
    for name in random.sample(NAMES, random.randint(1, 4)):
        value = ff.score(truth, name)
        value = value if value == value else random.choice([0.0, 0.5, 1.0])
        printed = Decimal(repr(value)).quantize(unit, rounding=RULES[rule])
        printed += random.choice([0, 0, 0, 0, -1, 1]) * unit
        report[name] = random.choice(ODD) if random.random() < 0.1 else str(printed)
    sizes = random.choice(["margins", "margins", "margins", "total", "positives", "nothing"])
    if sizes == "margins":
        report |= {"positives": positives, "negatives": negatives}
    elif sizes == "total":
        report |= {"total": min(truth.total, 10)}
    elif sizes == "positives":
        report |= {"positives": min(positives, 4), "max_total": 8}
    else:
        report |= {"max_total": 7}
    return report


def brute_force(claim: Claim) -> list[tuple[int, int, int, int]]:
    found = []
    for _, positives, negatives in claim.pairs():
        for p, n in zip(positives.tolist(), negatives.tolist(), strict=True):
            for tp in range(p + 1):
                for tn in range(n + 1):
                    cells = {"tp": tp, "fn": p - tp, "fp": n - tn, "tn": tn}
                    values = [(r, r.metric.formula.exact(cells)) for r in claim.scores]
                    if all(value is not None and value in r.reported for r, value in values):
                        found.append((tp, p - tp, n - tn, tn))
    return found


def test_recover_equals_brute_force(request: pytest.FixtureRequest) -> None:
    random = Random(20261115)
    possible = impossible = 0
    for _ in range(request.config.getoption("--recover-cases")):
        report = random_report(random)
        try:
            claim = Claim.from_mapping(report)
        except ff.InputError as error:
            assert error.code == "out_of_range"
            continue
        expected = brute_force(claim)
        found = recover(claim, folds="none")
        assert sorted(tuple(t.cells().values()) for t in found.tables()) == sorted(expected), report
        assert (found.verdict, found.count, found.counted) == (
            "possible" if expected else "impossible",
            len(expected),
            True,
        )
        possible, impossible = possible + bool(expected), impossible + (not expected)
        if expected:
            check_bounds(found, expected, random.choice(NAMES), report)
    assert possible > 10
    assert impossible > 10


def check_bounds(found: ff.Recovery, expected: list[tuple[int, ...]], name: str, report: dict[str, object]) -> None:
    values = [ff.score(ff.Table(**dict(zip(("tp", "fn", "fp", "tn"), t, strict=True))), name) for t in expected]
    defined = [value for value in values if value == value]
    bounds = found.bounds(name)
    if not defined:
        assert bounds.low is bounds.high is None, (report, name)
        return
    assert (bounds.low, bounds.high) == pytest.approx((min(defined), max(defined)), rel=1e-12, abs=1e-14), (
        report,
        name,
    )
    assert ff.score(bounds.low_witness, name) == pytest.approx(min(defined), rel=1e-12, abs=1e-14)
    assert tuple(bounds.high_witness.cells().values()) in expected
