"""Published results of whole fields, judged again beside what others decided and beside mlscorecheck.

In: public names of the package, and the figures in the files here; README.md says whose they are.
Out: a `Reproduction` of each field.
"""

from .drive import reproduce_drive
from .skin import reproduce_skin
from .tpehg import reproduce_tpehg

__all__ = ["reproduce_drive", "reproduce_skin", "reproduce_tpehg"]
