"""Every question that can be asked: its parameters, told once, and the call that answers it.

The command line, the web and the reference pages read the table; it is light, so that `fourfold --help` starts fast.
"""

from .parameters import Asked, DataFile, Parameter, Picture, Question, distinct, name_and_text
from .table import QUESTIONS

__all__ = ["QUESTIONS", "Asked", "DataFile", "Parameter", "Picture", "Question", "distinct", "name_and_text"]
