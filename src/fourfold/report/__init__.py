"""Results as text, HTML, JSON and CSV."""

# These say how their results are shown.
from . import (
    certainty,  # noqa: F401
    claims,  # noqa: F401
)
from .groups import finding_words, reference_words
from .markup import UNSHOWN, escaped, to_html
from .numbers import between, chance, decimals, level, many, number, percent, sentence, worded
from .reproduction import to_markdown
from .shapes import Result, Section, sections, title, to_csv, to_json, to_text
from .tables import DERIVED, facts

__all__ = [
    "DERIVED",
    "UNSHOWN",
    "Result",
    "Section",
    "between",
    "chance",
    "decimals",
    "escaped",
    "facts",
    "finding_words",
    "level",
    "many",
    "number",
    "percent",
    "reference_words",
    "sections",
    "sentence",
    "title",
    "to_csv",
    "to_html",
    "to_json",
    "to_markdown",
    "to_text",
    "worded",
]
