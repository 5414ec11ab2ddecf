"""The catalogue of metrics, its look-up, and scoring by it."""

from .catalogue import (  # noqa: I001
    ACCURACY, AUDITED, AUDITED_CLASSES, AVERAGES, CLASS_SUMS, CONTRASTS, DIAGNOSTIC_ODDS_RATIO, F1,
    FALSE_NEGATIVE_RATE, FALSE_OMISSION_RATE, FALSE_POSITIVE_RATE, MARGINAL_BENEFIT, METRICS,
    NEGATIVE_PREDICTIVE_VALUE, OF_CLASSES, OF_EACH_CLASS, POSITIVES, PRECISION, PREDICTED_POSITIVE_RATE,
    PREVALENCE, PREVALENCE_THRESHOLD, RECALL, SPLIT, SWAPPED, TOTAL, WORDS, Average, Averaged, Catalogue,
    Contrast, Limits, Metric, MetricId, Undefined, contrast, f_beta, find, is_metric, metric,
)  # fmt: skip
from .scoring import Score, Scores, score, score_of, scores

__all__ = [
    "ACCURACY", "AUDITED", "AUDITED_CLASSES", "AVERAGES", "CLASS_SUMS", "CONTRASTS", "DIAGNOSTIC_ODDS_RATIO", "F1",
    "FALSE_NEGATIVE_RATE", "FALSE_OMISSION_RATE", "FALSE_POSITIVE_RATE", "MARGINAL_BENEFIT", "METRICS",
    "NEGATIVE_PREDICTIVE_VALUE", "OF_CLASSES", "OF_EACH_CLASS", "POSITIVES", "PRECISION", "PREDICTED_POSITIVE_RATE",
    "PREVALENCE", "PREVALENCE_THRESHOLD", "RECALL", "SPLIT", "SWAPPED", "TOTAL", "WORDS", "Average", "Averaged",
    "Catalogue", "Contrast", "Limits", "Metric", "MetricId", "Score", "Scores", "Undefined", "contrast", "f_beta",
    "find", "is_metric", "metric", "score", "score_of", "scores",
]  # fmt: skip
