"""The catalogue of metrics, its look-up, and scoring by it.

In: names of metrics, and tables.
Out: `Metric` values, each with its formula, and scores.
"""

from typing import TYPE_CHECKING

from ..names import when_used

if TYPE_CHECKING:
    from ..exact import cells, sqrt
    from .catalogue import (
        ACCURACY,
        ALSO_WORDS,
        AREA,
        AUDITED,
        AUDITED_CLASSES,
        AVERAGES,
        CLASS_SUMS,
        COMMON_NAMES,
        CONTRASTS,
        COUNTS,
        DIAGNOSTIC_ODDS_RATIO,
        F1,
        FALSE_NEGATIVE_RATE,
        FALSE_OMISSION_RATE,
        FALSE_POSITIVE_RATE,
        G_MEAN,
        KAPPA,
        MARGINAL_BENEFIT,
        MCC,
        METRICS,
        NAME_WORDS,
        NEGATIVE_PREDICTIVE_VALUE,
        OF_CLASSES,
        OF_EACH_CLASS,
        OF_TWO_MEANINGS,
        POSITIVES,
        PRECISION,
        PREDICTED_POSITIVE_RATE,
        PREVALENCE,
        PREVALENCE_THRESHOLD,
        RECALL,
        SIZE_PARTS,
        SPECIFICITY,
        SPLIT,
        SWAPPED,
        TOTAL,
        WORDS,
        Average,
        Averaged,
        Catalogue,
        Claimable,
        Contrast,
        Limits,
        Metric,
        MetricId,
        claimable,
        claimed_metric,
        contrast,
        f_beta,
        find,
        is_claimed,
        is_metric,
        metric,
        ranked,
    )  # fmt: skip
    from .convention import CONVENTIONS, STRICT, Convention, convention_word, filled, read_convention
    from .scikit import Scorer, scorer
    from .scoring import Score, Scores, score, score_of, scores
else:
    __getattr__, __dir__ = when_used(__name__)

__all__ = [
    "ACCURACY", "ALSO_WORDS", "AREA", "AUDITED", "AUDITED_CLASSES", "AVERAGES", "CLASS_SUMS", "COMMON_NAMES",
    "CONTRASTS", "CONVENTIONS", "COUNTS", "DIAGNOSTIC_ODDS_RATIO", "F1", "FALSE_NEGATIVE_RATE", "FALSE_OMISSION_RATE",
    "FALSE_POSITIVE_RATE", "G_MEAN", "KAPPA", "MARGINAL_BENEFIT", "MCC", "METRICS", "NAME_WORDS",
    "NEGATIVE_PREDICTIVE_VALUE", "OF_CLASSES", "OF_EACH_CLASS", "OF_TWO_MEANINGS", "POSITIVES", "PRECISION",
    "PREDICTED_POSITIVE_RATE", "PREVALENCE", "PREVALENCE_THRESHOLD", "RECALL", "SIZE_PARTS", "SPECIFICITY", "SPLIT",
    "STRICT", "SWAPPED", "TOTAL", "WORDS", "Average", "Averaged", "Catalogue", "Claimable", "Contrast", "Convention",
    "Limits", "Metric", "MetricId", "Score", "Scorer", "Scores", "cells", "claimable", "claimed_metric", "contrast",
    "convention_word", "f_beta", "filled", "find", "is_claimed", "is_metric", "metric", "ranked", "read_convention",
    "score", "score_of", "scorer", "scores", "sqrt",
]  # fmt: skip
