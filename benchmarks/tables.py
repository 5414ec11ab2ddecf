"""All metrics of many tables at once, beside a loop over scikit-learn and over pycm."""

from __future__ import annotations

import warnings

import numpy as np
from pycm import ConfusionMatrix
from sklearn import metrics as sk

import fourfold as ff

from .timing import compare, seconds

# What scikit-learn has as functions of labels; each gets a table's labels with weights, its fastest way for counts.
SCIKIT = (sk.accuracy_score, sk.precision_score, sk.recall_score, sk.f1_score, sk.jaccard_score, sk.matthews_corrcoef)
LABELS = ([1, 1, 0, 0], [1, 0, 1, 0])


def run(tables: int = 10**6, sample: int = 300) -> None:
    """Score all tables by the whole catalogue; the peers score a sample, scaled to as many tables."""
    rng = np.random.default_rng(0)
    cells = rng.integers(1, 1000, (4, tables))
    many = ff.Tables(tp=cells[0], fn=cells[1], fp=cells[2], tn=cells[3])
    few = cells[:, :sample].T.tolist()

    def ours() -> None:
        for metric in ff.METRICS.values():
            ff.score(many, metric)

    def scikit() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for weights in few:
                for score in SCIKIT:
                    score(*LABELS, sample_weight=weights)

    def pycm() -> None:
        for tp, fn, fp, tn in few:
            ConfusionMatrix(matrix={"1": {"1": tp, "0": fn}, "0": {"1": fp, "0": tn}}).class_stat  # noqa: B018

    us = seconds(ours)
    scale = tables / sample
    what = f"{len(ff.METRICS)} metrics of {tables:.0e} tables"
    compare(what, us, "scikit-learn", seconds(scikit, 1) * scale, f"{len(SCIKIT)} metrics, scaled from {sample} tables")
    compare(what, us, "pycm", seconds(pycm, 1) * scale, f"its class statistics, scaled from {sample} tables")
