"""Answers: a result becomes a document. All words of an answer stand here, each once.

>>> from fourfold.claims import recover
>>> document(recover(accuracy="0.85", positives=40, negatives=60)).title
'16 tables fit'
"""

from . import certainty, claims, models, planning, previews, protocols, regression  # noqa: F401 - say how results become documents, as others do
from .any_result import document
from .checks import check_summary, checked_cite, checked_words, findings_summary, report_words
from .glossary import GLOSSARY
from .groups import MOST_DRAWN, finding_words, left_out_words, reference_words
from .scores import DERIVED, facts
from .verdicts import claimed_score, contradiction, nearest_values, review_row, review_words, short_verdict

# fmt: off
__all__ = [
    "DERIVED", "GLOSSARY", "MOST_DRAWN", "check_summary", "checked_cite", "checked_words", "claimed_score",
    "contradiction", "document", "facts", "finding_words", "findings_summary", "left_out_words", "nearest_values",
    "reference_words", "report_words", "review_row", "review_words", "short_verdict",
]
