"""A result as a document. All words of an answer stand here, each once.

In: results, such as a `Recovery` or an `Audit`.
Out: documents, for `writers` and `plots`.

>>> from fourfold.claims import recover
>>> document(recover(accuracy="0.85", positives=40, negatives=60)).title
'16 tables fit'
"""

from typing import TYPE_CHECKING

from ..names import when_used
from .any_result import document

if TYPE_CHECKING:
    from .checks import check_summary, checked_cite, checked_words, findings_summary, report_words
    from .glossary import GLOSSARY
    from .groups import MOST_DRAWN, finding_words, left_out_words, reference_words
    from .scores import DERIVED, facts
    from .verdicts import claimed_score, contradiction, nearest_values, review_row, review_words, short_verdict
else:
    __getattr__, __dir__ = when_used(__name__)

__all__ = [
    "DERIVED", "GLOSSARY", "MOST_DRAWN", "check_summary", "checked_cite", "checked_words", "claimed_score",
    "contradiction", "document", "facts", "finding_words", "findings_summary", "left_out_words", "nearest_values",
    "reference_words", "report_words", "review_row", "review_words", "short_verdict",
]  # fmt: skip
