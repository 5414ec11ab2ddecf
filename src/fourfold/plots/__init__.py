"""Pictures of results: a plot is a function from a finished result to an Altair chart.

The one chart is shown in a notebook, handed to `save` for a file, and to `themes` for the page. Altair is imported when
a picture is drawn, so that everything else works without it.
"""

from .certainty import abstention, calibration, certainty, curve, matrices
from .claims import bounds, cells, feasible
from .colours import COLOURS
from .drawing import draw
from .groups import errors, forest
from .laws import jagged, law
from .naming import plot
from .planning import planned
from .style import Drawing, drawable, extra, png, save, styled
from .themes import themes

__all__ = [
    "COLOURS",
    "Drawing",
    "abstention",
    "bounds",
    "calibration",
    "cells",
    "certainty",
    "curve",
    "draw",
    "drawable",
    "errors",
    "extra",
    "feasible",
    "forest",
    "jagged",
    "law",
    "matrices",
    "planned",
    "plot",
    "png",
    "save",
    "styled",
    "themes",
]
