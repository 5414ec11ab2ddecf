"""Every question that can be asked: its parameters, each described once, and the call that answers it.

In: what a person typed or sent, as text and files.
Out: results. The command line, the page and the reference read the same table.
The table is light, so that `fourfold --help` starts fast.
"""

from .parameters import FILES, MOST_FILES, Asked, DataFile, Parameter, Picture, Question, distinct, name_and_text
from .table import QUESTIONS, WEB_QUESTIONS

# fmt: off
__all__ = [
    "FILES", "MOST_FILES", "QUESTIONS", "WEB_QUESTIONS", "Asked", "DataFile", "Parameter", "Picture", "Question",
    "distinct", "name_and_text",
]
