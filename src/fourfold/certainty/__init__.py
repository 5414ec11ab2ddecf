"""How much of a score rests on confident predictions."""

from .decomposition import Accumulator, Decomposition, OverParts, Ratio, decompose

__all__ = ["Accumulator", "Decomposition", "OverParts", "Ratio", "decompose"]
