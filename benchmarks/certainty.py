"""Splitting probabilities by confidence: in memory, in batches, and from a file larger than what it takes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb
import numpy as np

import fourfold as ff

from .timing import alone, compare, peak, seconds


def run(rows: int = 10**7, classes: int = 10) -> None:
    """Decompose rows in memory beside the paper's own matrix products, then in batches and from parquet."""
    rng = np.random.default_rng(0)
    values = rng.random((rows, classes))
    values /= values.sum(axis=1, keepdims=True)
    truth = rng.integers(0, classes, rows)
    what = f"{rows:.0e} x {classes} probabilities"

    def products() -> None:
        """Multiply one-hot truth and rows, as the paper defines its matrices."""
        hot = np.eye(classes)[truth]
        top = np.zeros_like(values)
        places = np.arange(rows), values.argmax(axis=1)
        top[places] = values[places]
        _ = hot.T @ np.eye(classes)[places[1]], hot.T @ values, hot.T @ top, hot.T @ (values - top)

    ours = seconds(lambda: ff.decompose(truth, values), 3)
    compare(what, ours, "matrix products", seconds(products, 1), "ours checks every row and counts ties")
    alone(f"{what}, 1000 batches merged", seconds(lambda: _merged(truth, values), 1))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.parquet"
        columns = {"y": truth} | {f"p_{i}": values[:, i] for i in range(classes)}  # noqa: F841
        duckdb.sql("from columns").write_parquet(str(path))
        call = f"ff.decompose_data({str(path)!r}, truth='y', probabilities=['p_*'])"
        time = seconds(lambda: ff.decompose_data(path, truth="y", probabilities=["p_*"]), 1)
        alone(f"{what}, parquet", time, f"{peak(call):.0f} MB for the whole process")


def _merged(truth: np.ndarray, values: np.ndarray) -> None:
    total = ff.certainty.Accumulator(range(values.shape[1]))
    for rows, labels in zip(np.array_split(values, 1000), np.array_split(truth, 1000), strict=True):
        part = ff.certainty.Accumulator(range(values.shape[1]))
        part.add(labels, rows)
        total.merge(part)
    total.result()
