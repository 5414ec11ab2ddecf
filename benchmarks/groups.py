"""Exact laws, expected errors and audits, beside drawing at random and beside fairlearn."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
from fairlearn.metrics import MetricFrame, false_positive_rate, selection_rate
from joblib import Parallel, delayed
from sklearn import metrics as sk

import fourfold as ff
from fourfold.chance.draws import Source
from fourfold.chance.laws import law
from fourfold.papers.small_data.source import GROUPS

from .timing import alone, compare, peak, seconds

# Groups of Briscoe et al. (2025), each with its reference.
SMALLEST = "American Indian and Alaska Native, income"
METRICS = (
    *("tpr", "tnr", "fpr", "fnr", "ppv", "npv", "fdr", "for", "accuracy", "prevalence", "predicted_positive_rate"),
    *("marginal_benefit", "f1", "mcc", "prevalence_threshold"),
)
ESTIMATORS = ((0, 0), (0, 1e-10), (0, 1), (5, 0), (10, 0), (20, 0))
SIZES = range(5, 150)
AUDITED = {
    "accuracy": sk.accuracy_score,
    "recall": sk.recall_score,
    "precision": sk.precision_score,
    "fpr": false_positive_rate,
    "predicted_positive_rate": selection_rate,
}


def run() -> None:
    """Time laws, the paper's whole experiment, and audits of rows."""
    _laws()
    _experiment()
    _fairlearn()
    _parquet()


def _table(cells: Any) -> ff.Table:
    return ff.Table(**dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)))


def _laws() -> None:
    _, reference = GROUPS[SMALLEST]
    source = Source.of(reference)

    def ask(name: str, size: int) -> Any:
        metric = ff.metric(name)
        value = metric.formula.exact(dict(zip(("tp", "fn", "fp", "tn"), _spread(reference, size), strict=True)))
        assert value is not None, "the reference has all four cells"
        return lambda: law(metric, size, source).split(value)

    alone("law of recall, N = 1e6", seconds(ask("recall", 10**6)))
    large = _table(_spread(reference, 1000))
    most = peak(f"ff.match({large.cells()}, {reference.cells()}, 'mcc')")
    alone("law of MCC, N = 1000", seconds(ask("mcc", 1000)), f"{most:.0f} MB for the whole process")
    group = _table(_spread(reference, 300))
    alone("match of recall, N = 300", seconds(lambda: ff.match(group, reference, "recall"), 20))
    alone("match of MCC, N = 300", seconds(lambda: ff.match(group, reference, "mcc"), 5))


def _spread(reference: ff.Table, size: int) -> list[int]:
    """Return a table of a size with nearly the reference's shares."""
    counts = [count * size // reference.total for count in reference.cells().values()]
    return [*counts[:3], size - sum(counts[:3])]


def _curves(name: str) -> int:
    own, reference = GROUPS[name]
    return sum(1 for _ in ff.groups.expected_errors(own, reference, METRICS, SIZES, ESTIMATORS))


def _experiment() -> None:
    """Time the paper's whole experiment on smoothing, exact; and one number of it beside a million draws."""
    what = f"{len(GROUPS)} groups, {len(SIZES)} sizes, {len(METRICS)} metrics, {len(ESTIMATORS)} estimates"
    alone(what, seconds(lambda: Parallel(n_jobs=2)(delayed(_curves)(name) for name in GROUPS), 1), "two processes")
    own, reference = GROUPS[SMALLEST]
    size, draws, strength = 50, 10**6, 10
    metric = ff.metric("recall")
    ours = seconds(lambda: ff.groups.expected_error(own, reference, metric, size=size, strength=strength), 10)
    rng = np.random.default_rng(0)
    shares = np.array([*own.cells().values()]) / own.total
    added = strength * np.array([*reference.cells().values()]) / reference.total

    def drawn() -> float:
        cells = dict(zip(("tp", "fn", "fp", "tn"), (rng.multinomial(size, shares, draws) + added).T, strict=True))
        return float(np.nanmean((metric.formula.evaluate(cells) - ff.score(own, metric)) ** 2))

    note = f"recall, N = {size}; {draws:.0e} draws keep about three digits"
    compare("expected error, exact", ours, "drawing", seconds(drawn, 3), note)


def _rows(rows: int, groups: int) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, rows)
    prediction = np.where(rng.random(rows) < 0.8, truth, 1 - truth)
    names = np.array([f"group {i}" for i in range(groups)])
    return pd.DataFrame({"y": truth, "yhat": prediction, "by": names[rng.integers(0, groups, rows)]})


def _fairlearn(rows: int = 10**6, groups: int = 10) -> None:
    frame = _rows(rows, groups)

    def ours() -> None:
        ff.audit(frame, truth="y", prediction="yhat", by="by", metrics=list(AUDITED))

    def theirs() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scored = MetricFrame(
                metrics=AUDITED, y_true=frame["y"], y_pred=frame["yhat"], sensitive_features=frame["by"]
            )
            _ = scored.by_group

    what = f"{rows:.0e} rows, {groups} groups, {len(AUDITED)} metrics"
    compare(what, seconds(ours, 5), "fairlearn", seconds(theirs, 1), "ours with intervals, p-values and smoothing")


def _parquet(rows: int = 10**7, groups: int = 50) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.parquet"
        duckdb.from_df(_rows(rows, groups)).write_parquet(str(path))
        time = seconds(lambda: ff.audit(path, truth="y", prediction="yhat", by="by"), 3)
        most = peak(f"ff.audit({str(path)!r}, truth='y', prediction='yhat', by='by')")
    alone(f"{rows:.0e} rows of parquet, {groups} groups", time, f"{most:.0f} MB for the whole process")
