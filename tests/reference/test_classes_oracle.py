"""Reports of several classes: full enumeration in fractions by others, and real reports as people publish them."""

from __future__ import annotations

import json
from collections import Counter
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
            classes=case["class_sizes"], undefined=case["undefined"], bounds="accuracy", **case["report"], folds="none"
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
    verdicts: Counter[str] = Counter()
    for entry, known in zip(json.loads(REPORTS.read_text()), json.loads(VERDICTS.read_text()), strict=True):
        sizes = [row["support"] for row in entry["rows"]]
        if len(sizes) < 2 or not all(sizes):
            continue
        supports = [int(float(size.replace(",", ""))) for size in sizes]
        found = ff.recover(classes=supports, bounds="none", **report_of(entry), folds="none")
        if known["necessary_conditions_violated"]:
            assert found.verdict == "impossible", entry["index"]
        else:
            assert found.verdict in ("possible", "conditional"), entry["index"]
            several = "several_labels" in [departure.code for departure in found.departures]
            assert not (several and known["partition"]), entry["index"]
            matrix = found.matrix()
            assert several or [sum(row) for row in matrix.tolist()] == supports
        verdicts[found.verdict] += 1
    assert verdicts.total() == 213
    assert verdicts["conditional"] > 10


@needs(REPORTS)
def test_a_matrix_beside_a_report_fits_it() -> None:
    """What agrees with the matrix printed beside it fits under a reading that was found, matrix and all."""
    checked = 0
    for entry, known in zip(json.loads(REPORTS.read_text()), json.loads(VERDICTS.read_text()), strict=True):
        matrix, sizes = entry["confusion_matrix"], [row["support"] for row in entry["rows"]]
        if not matrix or known["matrix_contradicts_scores"] is not False or not all(sizes) or len(sizes) < 3:
            continue
        if [sum(row) for row in matrix] != [int(float(size.replace(",", ""))) for size in sizes]:
            continue
        found = ff.recover(classes=[sum(row) for row in matrix], bounds="none", **report_of(entry))
        assert found.claim.fits(ff.Matrix(matrix)), entry["index"]
        checked += 1
    assert checked > 10
