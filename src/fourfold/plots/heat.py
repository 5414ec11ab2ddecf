"""A heat map of a square table of classes, with what each cell holds written in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .colours import BLACK, SHADES
from .style import Record, alt, marks

#: Up to this many classes the numbers are written in the cells.
MOST_WRITTEN: Final = 12
# Pixels of a cell with a number in it, of a character there, and of a whole matrix without numbers.
_CELL, _LETTER, _SIDE = 40, 7, 360
# From this share of the largest number on, white is easier to read than black.
_DARK: Final = 0.71


def cell_width(texts: Sequence[str]) -> float:
    """Return how wide cells are in which texts have room."""
    return max(_CELL, *(_LETTER * len(text) + 8 for text in texts))


def heat_map(
    records: Sequence[Record],
    labels: Sequence[str],
    *,
    largest: float,
    width: float,
    legend: Sequence[str],
    words: Mapping[str, str],
) -> Any:
    """Return a map of records, one a cell: ``Actual``, ``Predicted``, ``value`` for the colour, ``text`` to write.

    `legend` are the lines above the key to the colours; without any there is no key. `words` tells which members are
    shown at a cell, and what they are called there.
    """
    written = len(labels) <= MOST_WRITTEN
    sides = (width, _CELL) if written else (_SIDE / len(labels), _SIDE / len(labels))
    angle = 0 if _LETTER * max(map(len, labels)) <= sides[0] else -45
    axis = {"labelLimit": 110, "ticks": False, "domain": False, "labelOverlap": not written}
    across, down = alt.Axis(labelAngle=angle, **axis), alt.Axis(**axis)
    encoded = {
        "x": alt.X("Predicted:O", sort=list(labels), title="Predicted class", axis=across),
        "y": alt.Y("Actual:O", sort=list(labels), title="Actual class", axis=down),
    }
    scale = alt.Scale(domain=[0, largest / 2, largest], range=list(SHADES), interpolate="rgb")
    key = alt.Legend(title=list(legend), gradientLength=180) if legend else None
    colour = alt.Color("value:Q", scale=scale, legend=key)
    tooltip = [alt.Tooltip(f"{name}:N", title=title) for name, title in words.items()]
    look = {"stroke": "#DDDDDD", "strokeWidth": 1 if written else 0}
    layers = [marks("rect", records, look, **encoded, color=colour, tooltip=tooltip)]
    if written:
        ink = alt.condition(alt.datum.value > _DARK * largest, alt.value("white"), alt.value(BLACK))
        layers.append(marks("text", records, {"fontSize": 12}, **encoded, text="text:N", color=ink))
    return alt.layer(*layers).properties(width=alt.Step(sides[0]), height=alt.Step(sides[1]))
