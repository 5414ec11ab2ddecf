"""A metric that is not in the catalogue: checked against looking at every table."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

import fourfold as ff

TP, FN, FP, TN = ff.metrics.cells()
THREAT = ff.Metric(id="threat_share", label="Threat share", aliases=(), says="Hits.", formula=TP / (TP + 2 * FN + FP))
#: With margins and tp the same, it first falls with tn and then rises.
BENT = ff.Metric(id="bent", label="Bent", aliases=(), says="-", formula=(TN - FP) * (TN - FP) / (TN + FP))


@pytest.mark.parametrize("printed", ["0.25", "0.5", "0.67", "0.9", "0"])
def test_the_tables_are_those_that_give_the_score(printed: str) -> None:
    half = Fraction(1, 2) / 10 ** len(printed.partition(".")[2])
    fitting = set()
    for tp, fp in product(range(10), range(8)):
        below = tp + 2 * (9 - tp) + fp
        if below and abs(Fraction(tp, below) - Fraction(printed)) <= half:
            fitting.add((tp, 9 - tp, fp, 7 - fp))
    found = ff.recover({THREAT: printed, "positives": 9, "negatives": 7, "folds": "none"})
    assert {(table.tp, table.fn, table.fp, table.tn) for table in found.tables()} == fitting
    assert found.verdict == ("possible" if fitting else "impossible")


def test_it_is_read_beside_names_in_either_place_and_of_folds() -> None:
    table = ff.Table(tp=32, fn=8, fp=7, tn=53)
    assert [*ff.recover({THREAT: "0.5818"}, accuracy="0.85", positives=40, negatives=60).tables()] == [table]
    assert ff.recover({THREAT: "0.58"}, positives=40, negatives=60, folds=5).verdict == "possible"
    assert (
        ff.recover({THREAT: None, "accuracy": "0.85"}, positives=40, negatives=60).stated.scores[0].name == "accuracy"
    )
    assert ff.claims.Claim.from_mapping({THREAT: "0.58", "total": 100}).scores[0].metric is THREAT


def test_what_cannot_be_searched_for_is_refused() -> None:
    with pytest.raises(ff.InputError, match="bent: cannot be searched for"):
        ff.recover({BENT: "0.58"}, positives=40, negatives=60)
    with pytest.raises(ff.InputError, match=r"threat_share: lies outside \[0, 1\]"):
        ff.recover({THREAT: "1.58"}, positives=40, negatives=60)
    with pytest.raises(ff.InputError, match="threat_share: unknown metric"):
        ff.recover({THREAT: "0.58"}, classes=[3, 4, 5])
