"""Tables of counts, matrices, and rows of probabilities: what everything here is asked of.

In: counts or labels.
Out: `Table`, `Matrix`, `Tables` and `Probabilities`, checked.
"""

from typing import TYPE_CHECKING

from ..names import when_used

if TYPE_CHECKING:
    from .counts import MISSING, Labels, Matrix, Table, Tables, positive_label, whole
    from .probabilities import TOLERANCE, Probabilities, coded, known_labels, second_last
    from .roles import LabelRoles, label_roles, middle_score
else:
    __getattr__, __dir__ = when_used(__name__)

__all__ = [
    "MISSING", "TOLERANCE", "LabelRoles", "Labels", "Matrix", "Probabilities", "Table", "Tables", "coded",
    "known_labels", "label_roles", "middle_score", "positive_label", "second_last", "whole",
]  # fmt: skip
