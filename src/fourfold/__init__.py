"""Check whether reported accuracy, sensitivity and F1 can be true.

>>> import fourfold as ff
>>> ff.score(ff.Table(tp=45, fn=5, fp=10, tn=40), "precision")
0.8181818181818182
>>> ff.holes("mcc", 30).count
120
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import above as _above  # noqa: F401 - it hands higher rooms down to results
from .names import when_used

__version__ = "0.1.0"

# Here stands what most work needs; the parts hold the rest: `ff.claims.estimate`, `ff.plots.save`.
if TYPE_CHECKING:
    from . import certainty as certainty
    from . import claims as claims
    from . import groups as groups
    from . import metrics as metrics
    from . import papers as papers
    from . import plots as plots
    from . import reports as reports
    from . import writers as writers
    from .certainty import Decomposition, decompose, decompose_data
    from .claims import Recovery, datasets, lead, protocols, recover, recover_regression, review, sizes
    from .errors import FourfoldError, InputError, MissingExtra, Note, TooLarge
    from .groups import (
        Audit,
        audit,
        audit_tables,
        compare_groups,
        compare_models,
        interval,
        match,
        plan,
        smooth,
    )
    from .metrics import METRICS, Metric, metric, score, scorer, scores
    from .reports import Check, check, read
    from .solve import holes
    from .table import Matrix, Table, Tables
else:
    _MOVED = {
        "certainty": "Accumulator Probabilities certainty_scorer",
        "claims": "Bounds Claim Protocols RegressionRecovery Reported estimate",
        "groups": "Comparison ExpectedError Holes Law Match ModelComparison PairedComparison Plan Smoothed "
        "compare_paired expected_error expected_errors score_law smooth_groups",
        "metrics": "CONTRASTS Contrast Scores contrast f_beta",
        "reports": "Finding Preview Report preview",
    }
    _RENAMED = {name: f"{part}.{name}" for part, names in _MOVED.items() for name in names.split()} | {
        "compare": "groups.contrast_interval",
        "ClassRecovery": "Recovery",
        "FoldRecovery": "Recovery",
    }
    __getattr__, __dir__ = when_used(__name__, _RENAMED)

__all__ = [
    "METRICS", "Audit", "Check", "Decomposition", "FourfoldError", "InputError", "Matrix", "Metric", "MissingExtra",
    "Note", "Recovery", "Table", "Tables", "TooLarge", "__version__", "audit", "audit_tables", "check",
    "compare_groups", "compare_models", "datasets", "decompose", "decompose_data", "holes", "interval", "lead",
    "match", "metric", "plan", "protocols", "read", "recover", "recover_regression", "review", "score", "scorer",
    "scores", "sizes", "smooth",
]  # fmt: skip
