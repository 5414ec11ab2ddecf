"""How much of a score rests on confident predictions."""

from .columns import ProbabilityColumns, find_probabilities
from .curves import Curve, Losses, imcp, losses, mcp
from .data import decompose_data
from .decomposition import Accumulator, CertaintyRatio, Decomposition, OverParts, decompose
from .overview import Overview, overview
from .resampling import Resampled, bootstrap, difference
from .scorer import CertaintyScorer, certainty_scorer

__all__ = [
    "Accumulator", "CertaintyRatio", "CertaintyScorer", "Curve", "Decomposition", "Losses", "OverParts", "Overview",
    "ProbabilityColumns", "Resampled", "bootstrap", "certainty_scorer", "decompose", "decompose_data", "difference",
    "find_probabilities", "imcp", "losses", "mcp", "overview",
]  # fmt: skip
