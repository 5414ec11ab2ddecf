"""Pictures: a plot is a function from a finished result to one Altair chart.

In: results, and the words of `answers`.
Out: charts for a notebook, drawings for `save`, and charts by `themes` for the page.
Altair is imported when a picture is drawn, so that everything else works without it.
"""

from typing import TYPE_CHECKING

from ..names import when_used

if TYPE_CHECKING:
    from .claims import bounds, cells, feasible
    from .colours import COLOURS
    from .confidence import abstention, calibration, certainty, curve, matrices
    from .drawing import DRAWERS, draw, plot
    from .groups import errors, forest
    from .laws import jagged, law
    from .planning import planned
    from .style import Drawing, drawable, extra, png, save, styled
    from .theming import themes
else:
    __getattr__, __dir__ = when_used(__name__)

__all__ = [
    "COLOURS", "DRAWERS", "Drawing", "abstention", "bounds", "calibration", "cells", "certainty", "curve", "draw",
    "drawable", "errors", "extra", "feasible", "forest", "jagged", "law", "matrices", "planned", "plot", "png", "save",
    "styled", "themes",
]  # fmt: skip
