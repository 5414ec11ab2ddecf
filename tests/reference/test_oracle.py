"""Expected values found by brute force in rational arithmetic, kept outside the project."""

from __future__ import annotations

import json

import pytest

import fourfold as ff

from ..conftest import SHARED

ORACLE = SHARED / "oracle" / "oracle.json"
NAMES = {"F1_ORIG": "f1_harmonic", "B": "marginal_benefit", "PT_S": "prevalence_threshold_simplified"}

pytestmark = pytest.mark.skipif(not ORACLE.exists(), reason=f"the expected values are not there: {ORACLE}")


def test_holes() -> None:
    by_metric = json.loads(ORACLE.read_text())["holes"]["by_metric"]
    checked = 0
    for name, counts in by_metric.items():
        for size, count in counts.items():
            if name == "TOTAL":
                assert ff.holes("mcc", int(size)).total == count
            else:
                assert ff.holes(NAMES.get(name, name), int(size)).count == count, (name, size)
            checked += 1
    assert checked == 230
