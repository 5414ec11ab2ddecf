"""A confusion matrix from labels, beside scikit-learn's `confusion_matrix`."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import confusion_matrix

import fourfold as ff

from .timing import compare, seconds

NAMES = np.array(["healthy", "sick", "unclear", "benign", "malign", "cyst", "other", "none", "mixed", "unknown"])


def run(rows: int = 10**7, classes: tuple[int, ...] = (2, 10)) -> None:
    """Count integer labels, fixed-width texts and Python strings."""
    rng = np.random.default_rng(0)
    for k in classes:
        truth, prediction = rng.integers(0, k, (2, rows))
        texts = NAMES[truth], NAMES[prediction]
        lists = texts[0].tolist(), texts[1].tolist()
        for kind, (y, z) in {"integers": (truth, prediction), "texts": texts, "lists of texts": lists}.items():
            ours, theirs = ff.Matrix.from_labels(y, z).values, confusion_matrix(y, z)
            assert (ours == theirs).all()
            compare(
                f"confusion matrix, {rows:.0e} {kind}, {k} classes",
                seconds(lambda y=y, z=z: ff.Matrix.from_labels(y, z)),  # type: ignore[misc]
                "scikit-learn",
                seconds(lambda y=y, z=z: confusion_matrix(y, z), repeats=1),  # type: ignore[misc]
            )
