"""Reports of several classes: full enumeration in fractions by others, and real reports as people publish them."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

import fourfold as ff

from ..conftest import SHARED, needs

CLASSES = SHARED / "oracle" / "classes.json"
REPORTS, VERDICTS = SHARED / "corpus" / "reports.json", SHARED / "corpus" / "verdicts.json"


@needs(CLASSES)
def test_verdicts_margins_and_accuracy_are_those_of_all_tables() -> None:
    cases = json.loads(CLASSES.read_text())["cases"]
    assert len(cases) == 180
    for case in cases:
        found = ff.recover(
            classes=case["class_sizes"], undefined=case["undefined"], bounds="accuracy", **case["report"]
        )
        assert (found.count, found.counted) == (case["margins"], True), case["id"]
        assert (found.verdict == "impossible") == (case["verdict"] == "impossible"), case["id"]
        if found.count:
            ends = [float(Fraction(end)) for end in case["accuracy"]]
            assert list(found.bounds("accuracy")[:2]) == pytest.approx(ends, abs=1e-12), case["id"]


def report_of(entry: dict[str, Any]) -> dict[str, str]:
    """Return a printed report as claims."""
    scores = {
        f"{name}[{place}]": row[name]
        for place, row in enumerate(entry["rows"])
        for name in ("precision", "recall", "f1")
    }
    if entry["accuracy"]:
        scores["accuracy"] = entry["accuracy"]["value"]
    for average, row in entry["averages"].items():
        if average in ("macro", "weighted", "micro", "avg_total"):
            kind = "weighted" if average == "avg_total" else average
            scores |= {f"{kind}_{name}": row[name] for name in ("precision", "recall", "f1")}
    return scores


@needs(REPORTS)
def test_real_reports() -> None:
    """None that nothing was found wrong with is called impossible, and each that breaks a condition is."""
    checked = 0
    for entry, known in zip(json.loads(REPORTS.read_text()), json.loads(VERDICTS.read_text()), strict=True):
        sizes = [row["support"] for row in entry["rows"]]
        if len(sizes) < 3 or not all(sizes) or not known["partition"] or entry["index"] % 2:
            continue
        supports = [int(float(size)) for size in sizes]
        found = ff.recover(classes=supports, undefined="zero", bounds="none", **report_of(entry))
        wrong = bool(known["necessary_conditions_violated"])
        assert found.verdict in (("impossible",) if wrong else ("unique", "several")), entry["index"]
        if not wrong:
            matrix = found.matrix()
            assert matrix is not None
            assert [sum(row) for row in matrix.tolist()] == supports
        checked += 1
    assert checked == 58
