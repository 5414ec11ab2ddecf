"""Exact answers about the numbers a classifier is judged by.

>>> import fourfold as ff
>>> ff.score(ff.Table(tp=45, fn=5, fp=10, tn=40), "precision")
0.8181818181818182
>>> ff.holes("mcc", 30).count
120
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any
from warnings import warn

# fmt: off
# isort: off
if TYPE_CHECKING:
    from . import certainty as certainty, plots as plots
    from .certainty import Accumulator, Decomposition, certainty_scorer, decompose, decompose_data
    from .claims import (Claim, Protocols, Recovery, RegressionRecovery, estimate, protocols, recover,
        recover_regression, review)
    from .errors import FourfoldError, InputError, MissingExtra, Note, TooLarge
    from .groups import (Audit, Comparison, ExpectedError, Law, Match, ModelComparison, PairedComparison, Plan,
        Smoothed, audit, audit_tables, compare, compare_groups, compare_models, compare_paired, expected_error,
        expected_errors, interval, match, plan, score_law, smooth, smooth_groups)
    from .metrics import (CONTRASTS, METRICS, Contrast, Metric, Scores, contrast, f_beta, metric, score,
        scorer, scores)
    from .exact.reported import Reported
    from .reports import Check, Finding, Preview, Report, check, preview, read
    from .solve import Bounds, Holes, holes
    from .table import Matrix, Probabilities, Table, Tables

__version__ = "0.1.0"

# Names are brought in when first used, so that the command line starts without numpy.
_HOME = {
    "certainty": ("Accumulator", "Decomposition", "certainty_scorer", "decompose", "decompose_data"),
    "claims": ("Claim", "Protocols", "Recovery", "RegressionRecovery", "estimate", "protocols", "recover",
        "recover_regression", "review"),
    "errors": ("FourfoldError", "InputError", "MissingExtra", "Note", "TooLarge"),
    "groups": ("Audit", "Comparison", "ExpectedError", "Law", "Match", "ModelComparison", "PairedComparison", "Plan",
        "Smoothed", "audit", "audit_tables", "compare", "compare_groups", "compare_models", "compare_paired",
        "expected_error", "expected_errors", "interval", "match", "plan", "score_law", "smooth", "smooth_groups"),
    "metrics": ("CONTRASTS", "METRICS", "Contrast", "Metric", "Scores", "contrast", "f_beta", "metric",
        "score", "scorer", "scores"),
    "exact": ("Reported",),
    "reports": ("Check", "Finding", "Preview", "Report", "check", "preview", "read"),
    "solve": ("Bounds", "Holes", "holes"),
    "table": ("Matrix", "Probabilities", "Table", "Tables"),
}
#: Parts of the package with further names: `ff.plots.save`, `ff.certainty.calibrate`.
_PARTS = ("certainty", "plots")
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "CONTRASTS", "METRICS", "Accumulator", "Audit", "Bounds", "Check", "Claim", "Comparison",
    "Contrast", "Decomposition", "ExpectedError", "Finding", "FourfoldError", "Holes", "InputError",
    "Law", "Match", "Matrix", "Metric", "MissingExtra", "ModelComparison", "Note", "PairedComparison", "Plan",
    "Preview", "Probabilities", "Protocols", "Recovery", "RegressionRecovery", "Report", "Reported", "Scores",
    "Smoothed", "Table", "Tables", "TooLarge", "__version__", "audit", "audit_tables", "certainty_scorer", "check",
    "compare", "compare_groups", "compare_models", "compare_paired", "contrast", "decompose", "decompose_data",
    "estimate", "expected_error", "expected_errors", "f_beta", "holes", "interval", "match", "metric", "plan",
    "preview", "protocols", "read", "recover", "recover_regression", "review", "score", "score_law", "scorer",
    "scores", "smooth", "smooth_groups",
]
# fmt: on


#: Old names, each with the one to use instead.
_RENAMED = {"ClassRecovery": "Recovery", "FoldRecovery": "Recovery"}


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        words = f"fourfold.{name} is now fourfold.{_RENAMED[name]}, and goes in 0.2"
        warn(words, DeprecationWarning, stacklevel=2)
        name = _RENAMED[name]
    if name in _PARTS:
        return import_module(f".{name}", __name__)
    if name not in _MODULE:
        raise AttributeError(f"module 'fourfold' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_MODULE[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PARTS})
