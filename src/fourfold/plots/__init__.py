"""Pictures of results: a plot is a function from a finished result to an Altair chart.

The one chart serves the notebook, the page, the report and files. Altair is imported when a picture is drawn, so that
everything else works without it.
"""

from .certainty import certainty, curve, matrices
from .claims import bounds, feasible
from .drawing import draw
from .groups import errors, forest
from .laws import jagged, law
from .reproduction import figure
from .style import drawable, save, svg
from .themes import themes

__all__ = [
    "bounds",
    "certainty",
    "curve",
    "draw",
    "drawable",
    "errors",
    "feasible",
    "figure",
    "forest",
    "jagged",
    "law",
    "matrices",
    "save",
    "svg",
    "themes",
]
