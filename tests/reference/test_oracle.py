"""Expected values found by brute force in rational arithmetic, kept outside the project."""

from __future__ import annotations

import hashlib
import json

import pytest

import fourfold as ff

from ..conftest import ORACLE, needs

NAMES = {"F1_ORIG": "f1_harmonic", "B": "marginal_benefit", "PT_S": "prevalence_threshold_simplified"}

pytestmark = needs(ORACLE)


SCORES = {"ACC": "accuracy", "PPV": "precision", "TPR": "recall", "TNR": "specificity", "NPV": "npv", "F1": "f1", "FB": "f0.5",
          "MCC": "mcc", "BA": "balanced_accuracy", "KAPPA": "kappa"}  # fmt: skip


def test_reconstruction() -> None:
    cases = json.loads(ORACLE.read_text())["reconstruction"]
    assert len(cases) == 34
    for case in cases:
        report = {
            SCORES[each["metric"]]: each["value"] if each["decimals"] is not None else "=" + each["value"]
            for each in case["constraints"]
        }
        report |= {"total": case["C"], "positives": case["NP"], "max_total": case["Cmax"]}
        try:
            found = ff.recover(**report, undefined="none", folds="none")
        except ff.InputError as error:
            # A score outside its range: nothing can fit, and the reader is told so at once.
            assert error.code == "out_of_range"
            assert not case["consistent"]
            continue
        check_reconstruction(case, found)


def check_reconstruction(case: dict, found: ff.Recovery) -> None:
    assert found.count == case["n_feasible"], case["id"]
    assert (found.verdict != "impossible") == case["consistent"], case["id"]
    tables = sorted(list(table.cells().values()) for table in found.tables())
    digest = hashlib.sha256(json.dumps(tables).encode()).hexdigest()
    assert tables == sorted(case["feasible"]) if case["feasible"] is not None else digest == case["feasible_sha256"]
    if not found.count:
        return
    assert found.cells == {name.lower(): tuple(ends) for name, ends in case["cell_bounds"].items()}, case["id"]
    for name, ends in case["bounds"].items():
        bounds = found.bounds(SCORES[name])
        if ends.get("min") is None:
            assert bounds.low is None
        else:
            assert (bounds.low, bounds.high) == pytest.approx((ends["min"], ends["max"]), abs=1e-12), (case["id"], name)


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
