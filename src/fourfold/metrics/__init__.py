"""The catalogue of metrics, its look-up, and scoring by it."""

from .catalogue import (
    AUDITED,
    AVERAGES,
    CONTRASTS,
    METRICS,
    SWAPPED,
    WORDS,
    Average,
    Catalogue,
    Contrast,
    Limits,
    Metric,
    contrast,
    f_beta,
    find,
    is_metric,
    metric,
)
from .scoring import Score, Scores, score, scores

__all__ = [
    "AUDITED",
    "AVERAGES",
    "CONTRASTS",
    "METRICS",
    "SWAPPED",
    "WORDS",
    "Average",
    "Catalogue",
    "Contrast",
    "Limits",
    "Metric",
    "Score",
    "Scores",
    "contrast",
    "f_beta",
    "find",
    "is_metric",
    "metric",
    "score",
    "scores",
]
