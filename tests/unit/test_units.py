"""Rows that belong together: whole patients change places between groups, and intervals rest on patients."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import fourfold as ff

COLUMNS = {"truth": "truth", "prediction": "said", "by": "site", "positive": 1}


def scans(sites: dict[str, Sequence[tuple[int, int]]]) -> dict[str, list[Any]]:
    """Return rows, given for each site how many rows of each patient are right, and how many there are; all positive."""
    data: dict[str, list[Any]] = {"site": [], "patient": [], "truth": [], "said": []}
    for site, patients in sites.items():
        for number, (right, rows) in enumerate(patients):
            for row in range(rows):
                for name, value in zip(data, (site, f"{site}{number}", 1, int(row < right)), strict=True):
                    data[name].append(value)
    return data


def found(data: Any, site: str = "a", metric: str = "recall", **options: Any) -> Any:
    audit = ff.audit(data, **COLUMNS, unit="patient", metrics=[metric], **options)
    return audit.by_group[f"site={site}"][metric]


def test_patients_whose_rows_are_alike_are_drawn_as_wholes() -> None:
    """Of 24 patients 19 are read right in all their rows, 3 of 6 here: the hypergeometric law of patients."""
    data = scans({"a": [(5, 5)] * 3 + [(0, 5)] * 3, "b": [(5, 5)] * 16 + [(0, 5)] * 2})
    assert found(data).verdict == "not shown"
    alone = ff.audit(data, **COLUMNS, metrics=["recall"])
    assert alone.by_group["site=a"]["recall"].verdict == "different"
    one = found(data)
    assert one.p_value == pytest.approx(2 * stats.hypergeom(24, 19, 6).cdf(3))
    assert one.comparison.draws is None


def test_tests_are_those_of_every_way_to_draw_patients() -> None:
    """A ratio of sums with its spread by patients (Cochran), spelt out for each way to choose three of eight."""
    patients = [(2, 3), (0, 2), (1, 4), (3, 3), (1, 1), (2, 5), (4, 4), (0, 1)]

    def statistic(chosen: Sequence[int]) -> float:
        def ratio(places: Sequence[int]) -> tuple[float, float]:
            x, k = np.array([patients[i] for i in places], dtype=float).T
            share, whole = (x.sum() + 0.5) / (k.sum() + 1), k.sum() + 1
            return share, len(x) / (len(x) - 1) * (((x - share * k) / whole) ** 2).sum()

        (one, spread), (other, scatter) = ratio(chosen), ratio([i for i in range(8) if i not in chosen])
        return float((one - other) / np.sqrt(spread + scatter))

    every = np.array([statistic(chosen) for chosen in combinations(range(8), 3)])
    observed = statistic([0, 1, 2])
    tails = (every <= observed + 1e-9).mean(), (every >= observed - 1e-9).mean()
    # With all cases positive, accuracy is recall.
    for metric in ("recall", "accuracy"):
        one = found(scans({"a": patients[:3], "b": patients[3:]}), metric=metric)
        assert one.p_value == pytest.approx(min(1.0, 2 * min(tails)))


def test_intervals_are_those_of_as_many_independent_cases() -> None:
    """Korn and Graubard: Clopper and Pearson's interval of the cases that scatter alike, with Student's quantile."""
    patients = [(4, 5), (5, 5), (2, 5), (5, 5), (1, 5), (5, 5), (5, 5), (3, 5)]
    one = found(scans({"a": patients, "b": [(5, 5)] * 4}))
    x, k = np.array(patients, dtype=float).T
    share = (x.sum() + 0.5) / (k.sum() + 1)
    variance = 8 / 7 * ((x - share * k) ** 2).sum() / (k.sum() + 1) ** 2
    size = share * (1 - share) / variance * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 7)) ** 2
    hits = size * 30 / 40
    ends = stats.beta.ppf(0.025, hits, size - hits + 1), stats.beta.ppf(0.975, hits + 1, size - hits)
    assert (one.interval.low, one.interval.high) == pytest.approx(ends)
    rows = ff.interval(ff.Table(tp=30, fn=10, fp=0, tn=0), "recall")
    assert one.interval.high - one.interval.low > rows.high - rows.low


@pytest.mark.parametrize("metric", ["recall", "mcc"])
def test_equal_groups_are_rarely_accused(metric: str) -> None:
    """Ten rows a person that are read alike: as independent rows, most audits accuse somebody."""
    units = importlib.import_module("benchmarks.units")
    done = np.array([units.audited(10, 0.5, metric, seed) for seed in range(12)], dtype=float)
    (rows, _), (whole, held) = done.mean(axis=0)
    assert rows >= 0.4
    assert whole <= 0.25
    assert held >= 0.85


def test_frames_and_mappings_agree_and_say_how_many_patients_there_are() -> None:
    data = scans({"a": [(1, 2), (2, 2), (0, 1)], "b": [(2, 2), (1, 3), (3, 3), (2, 4)]})
    audit = ff.audit(pd.DataFrame(data), **COLUMNS, unit="patient", metrics=["recall"])
    assert audit.to_dict() == ff.audit(data, **COLUMNS, unit="patient", metrics=["recall"]).to_dict()
    assert (audit.unit, audit.units, audit.to_dict()["units"]) == ("patient", 7, 7)
    assert {group.name: (group.size, group.units) for group in audit.groups} == {
        "site=a": (5, 3), "site=b": (12, 4),
    }  # fmt: skip
    assert "units" not in ff.audit(data, **COLUMNS, metrics=["recall"]).to_dict()


def test_rows_without_a_patient_and_patients_of_several_sites_are_told() -> None:
    data = scans({"a": [(1, 2), (2, 2), (0, 1)], "b": [(2, 2), (1, 3), (3, 3)]})
    data["patient"][0] = None
    data["patient"][2] = "b0"
    notes = {note.code: note.text for note in ff.audit(data, **COLUMNS, unit="patient", metrics=["recall"]).notes}
    assert notes["units_missing"] == "rows left out because they have no patient: 1"
    assert notes["units_shared"].startswith("1 unit with rows in several groups")


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"correction": "max"}, "correction"),
        ({"reference_known": True}, "reference_known"),
        ({"percentile": True}, "percentile"),
    ],
)
def test_what_takes_rows_to_be_independent_is_refused(options: dict[str, Any], argument: str) -> None:
    with pytest.raises(ff.InputError, match="takes cases to be independent") as refused:
        found(scans({"a": [(1, 2)] * 3, "b": [(2, 2)] * 3}), **options)
    assert refused.value.argument == argument


def test_a_single_patient_is_not_tested() -> None:
    one = found(scans({"a": [(1, 9)], "b": [(9, 9)] * 6}))
    assert (one.verdict, one.p_value) == ("not tested", None)
    assert any("one unit" in note.text for note in one.notes)


def test_patients_of_a_group_that_was_taken_out_count_no_more() -> None:
    """Of the women only those of the second site are left once the first site is taken out."""
    data = scans({"a": [(0, 3)] * 12, "b": [(3, 3)] * 12, "c": [(3, 3)] * 12})
    data["sex"] = ["f" if int(patient[1:]) % 2 else "m" for patient in data["patient"]]
    columns = {**COLUMNS, "by": ["site", "sex"]}
    audit = ff.audit(data, **columns, unit="patient", metrics=["recall"], step_down=True)
    assert any(note.code == "taken_out" for note in audit.notes)
    for finding in audit.findings:
        assert finding.group.units == finding.group.size // 3
