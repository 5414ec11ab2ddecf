"""How much of a score rests on confident predictions: ratios, calibration, abstention, curves.

In: true labels with probabilities, as arrays or by `data`.
Out: results such as a `Decomposition`, a `Calibration` or an `Overview`.
"""

from typing import TYPE_CHECKING

from ..names import when_used

if TYPE_CHECKING:
    from ..table import Probabilities
    from .abstention import Abstention, abstain
    from .calibration import Calibration, calibrate
    from .columns import ProbabilityColumns, find_probabilities
    from .curves import Curve, Losses, imcp, losses, mcp
    from .data import decompose_data
    from .decomposition import Accumulator, CertaintyRatio, Decomposition, OverParts, decompose
    from .overviews import Overview, overview
    from .resampling import CertaintyComparison, Resampled, bootstrap, compare_certainty, difference
    from .scorer import CertaintyScorer, certainty_scorer
else:
    __getattr__, __dir__ = when_used(__name__)

__all__ = [
    "Abstention", "Accumulator", "Calibration", "CertaintyComparison", "CertaintyRatio", "CertaintyScorer", "Curve",
    "Decomposition", "Losses", "OverParts", "Overview", "Probabilities", "ProbabilityColumns", "Resampled", "abstain",
    "bootstrap", "calibrate", "certainty_scorer", "compare_certainty", "decompose", "decompose_data", "difference",
    "find_probabilities", "imcp", "losses", "mcp", "overview",
]  # fmt: skip
