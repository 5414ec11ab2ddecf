"""Every question that can be asked: its parameters, told once, and the call that answers it.

The command line, the web and the reference pages read the table; it is light, so that `fourfold --help` starts fast.
"""

from .parameters import FILES, MOST_FILES, Asked, DataFile, Parameter, Picture, Question, distinct, name_and_text
from .table import QUESTIONS, WEB_QUESTIONS

# fmt: off
__all__ = [
    "FILES", "MOST_FILES", "QUESTIONS", "WEB_QUESTIONS", "Asked", "DataFile", "Parameter", "Picture", "Question",
    "distinct", "name_and_text",
]
