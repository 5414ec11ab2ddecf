"""Pictures of a paper done again: lines in panels, as its figures have them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from fourfold import InputError
from fourfold.plots import COLOURS, draw, styled
from fourfold.plots.colours import DASHES
from fourfold.plots.style import Record, alt, marks, told_apart
from fourfold.words import sentence, worded

from .outcome import Part, Reproduction, View

if TYPE_CHECKING:
    import altair

_DASHES: Final = DASHES[:4]
_WIDTH, _HEIGHT = 230, 190
# Words of a heading are broken after this many characters for each panel in a row.
_HEADING: Final = 48


@draw.register
def _(result: Reproduction, name: str, of: str | None = None) -> Any:
    return figure(next(part for part in result.parts if part.place == of))


def figure(part: Part) -> altair.ConcatChart:
    """Draw one figure of a paper from the numbers that were found."""
    view = part.view
    if view is None:
        raise InputError("bad_option", "part", "is no figure", part.place, "draw a part that has a view")
    names = _kinds(part.records, view.panel) if view.panel else [""]
    width = _WIDTH if len(names) > 1 else 2 * _WIDTH
    lines = _encoded_lines(part.records, view)
    panels = []
    for name in names:
        records = [record for record in part.records if view.panel is None or str(record[view.panel]) == name]
        heading = alt.TitleParams(name, anchor="start", fontSize=13)
        panels.append(_panel(records, view, lines).properties(width=width, height=_HEIGHT, title=heading))
    columns = min(view.columns, len(panels))
    chart = alt.concat(*panels, columns=columns, spacing=24)
    if view.shared_y:
        chart = chart.resolve_scale(y="shared")
    words = textwrap.wrap(sentence(worded(part.words, part.numbers)), max(_HEADING * columns, 70))
    drawn: altair.ConcatChart = styled(chart, f"{part.place}: {part.title}", words)
    return drawn


def _kinds(records: Iterable[Record], column: str) -> list[str]:
    return list(dict.fromkeys(str(record[column]) for record in records))


def _encoded_lines(records: Sequence[Record], view: View) -> dict[str, Any]:
    """Return how lines are told apart: by colour, and by dashes of the series or of another column."""
    legend = alt.Legend(title=None, orient="bottom", columns=3, symbolStrokeWidth=2, symbolSize=260)
    encoded: dict[str, Any] = {}
    for channel, column, looks in (("color", view.series, COLOURS), ("strokeDash", view.dash or view.series, _DASHES)):
        kinds = {kind: (looks[i % len(looks)],) for i, kind in enumerate(_kinds(records, column))}
        encoded |= told_apart(f"{column}:N", kinds, channel, legend)
    return encoded


def _panel(records: Sequence[Record], view: View, lines: dict[str, Any]) -> Any:
    """Return the lines of one panel; where a value is undefined, the line has a gap."""
    scale = alt.Scale(type="log" if view.log_x else "linear", zero=False, nice=False)
    axis = alt.Axis(tickCount=5, labelFlush=False)
    x = alt.X(f"{view.x}:Q", title=view.titles.get(view.x, view.x), scale=scale, axis=axis)
    y = alt.Y(f"{view.y}:Q", title=view.titles.get(view.y, view.y))
    tooltip = [f"{view.series}:N", f"{view.x}:Q", f"{view.y}:Q"]
    records = [record | {view.series: str(record[view.series])} for record in records]
    look = {"strokeWidth": 1.8, "interpolate": "step-after" if view.steps else "linear"}
    drawn = marks("line", records, look, x=x, y=y, tooltip=tooltip, **lines)
    return alt.layer(drawn, _error_bars(records, view, lines["color"])) if view.spread else drawn


def _error_bars(records: Sequence[Record], view: View, colour: Any) -> Any:
    """Return one standard deviation up and down, but not below 0 where no value is."""
    least = 0.0 if all((record[view.y] or 0) >= 0 for record in records) else -math.inf
    drawn = []
    for record in records:
        value, spread = record[view.y], record[view.spread or ""]
        if value is not None and spread is not None:
            drawn.append(record | {"low": max(least, value - spread), "high": value + spread})
    look = {"strokeWidth": 1, "opacity": 0.6}
    return marks("rule", drawn, look, x=f"{view.x}:Q", y="low:Q", y2="high:Q", color=colour)
