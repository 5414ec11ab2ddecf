"""Pictures of a paper done again: lines in panels, as its figures have them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fourfold import InputError
from fourfold.plots import COLOURS, DRAWERS, extra, styled
from fourfold.words import sentence, worded

from .outcome import Part, Reproduction, View

if TYPE_CHECKING:
    import altair

Record: TypeAlias = dict[str, Any]

_DASHES: Final = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
_WIDTH, _HEIGHT = 230, 190
# Words of a heading are broken after this many characters for each panel in a row.
_HEADING: Final = 48


def _drawn(result: Reproduction, name: str, of: str | None = None) -> Any:
    return figure(next(part for part in result.parts if part.place == of))


DRAWERS[Reproduction] = _drawn


def figure(part: Part) -> altair.ConcatChart:
    """Draw one figure of a paper from the numbers that were found."""
    view = part.view
    if view is None:
        raise InputError("bad_option", "part", "is not a figure", part.place, "draw a part that has a view")
    alt = extra("altair")
    names = _kinds(part.records, view.panel) if view.panel else [""]
    width = _WIDTH if len(names) > 1 else 2 * _WIDTH
    lines = _encoded_lines(alt, part.records, view)
    panels = []
    for name in names:
        records = [record for record in part.records if view.panel is None or str(record[view.panel]) == name]
        heading = alt.TitleParams(name, anchor="start", fontSize=13)
        panels.append(_panel(alt, records, view, lines).properties(width=width, height=_HEIGHT, title=heading))
    columns = min(view.columns, len(panels))
    chart = alt.concat(*panels, columns=columns, spacing=24)
    if view.shared_y:
        chart = chart.resolve_scale(y="shared")
    words = textwrap.wrap(sentence(worded(part.words, part.numbers)), max(_HEADING * columns, 70))
    drawn: altair.ConcatChart = styled(chart, f"{part.place}: {part.title}", words)
    return drawn


def _kinds(records: Iterable[Record], column: str) -> list[str]:
    return list(dict.fromkeys(str(record[column]) for record in records))


def _encoded_lines(alt: Any, records: Sequence[Record], view: View) -> dict[str, Any]:
    """Return how lines are told apart: by colour, and by dashes of the series or of another column."""
    legend = alt.Legend(title=None, orient="bottom", columns=3, symbolStrokeWidth=2, symbolSize=260)
    encoded = {}
    for name, column, looks in (("Color", view.series, COLOURS), ("StrokeDash", view.dash or view.series, _DASHES)):
        kinds = _kinds(records, column)
        scale = alt.Scale(domain=kinds, range=[looks[i % len(looks)] for i in range(len(kinds))])
        encoded[name[0].lower() + name[1:]] = getattr(alt, name)(f"{column}:N", scale=scale, legend=legend)
    return encoded


def _panel(alt: Any, records: Sequence[Record], view: View, lines: dict[str, Any]) -> Any:
    """Return the lines of one panel; where a value is undefined, the line has a gap."""
    scale = alt.Scale(type="log" if view.log_x else "linear", zero=False, nice=False)
    axis = alt.Axis(tickCount=5, labelFlush=False)
    x = alt.X(f"{view.x}:Q", title=view.titles.get(view.x, view.x), scale=scale, axis=axis)
    y = alt.Y(f"{view.y}:Q", title=view.titles.get(view.y, view.y))
    tooltip = [f"{view.series}:N", f"{view.x}:Q", f"{view.y}:Q"]
    chart = _chart(alt, records, view)
    if view.points:
        drawn = chart.mark_point(filled=True, size=40, opacity=0.7)
        return drawn.encode(x=x, y=y.scale(zero=False), tooltip=tooltip, color=lines["color"])
    mark = chart.mark_line(strokeWidth=1.8, interpolate="step-after" if view.steps else "linear")
    drawn = mark.encode(x=x, y=y, tooltip=tooltip, **lines)
    return alt.layer(drawn, _error_bars(alt, records, view, lines["color"])) if view.spread else drawn


def _chart(alt: Any, records: Iterable[Record], view: View) -> Any:
    # Data inside of a chart is not held to Altair's limit on rows.
    return alt.Chart(alt.InlineData(values=[record | {view.series: str(record[view.series])} for record in records]))


def _error_bars(alt: Any, records: Sequence[Record], view: View, colour: Any) -> Any:
    """Return one standard deviation up and down, but not below 0 where no value is."""
    least = 0.0 if all((record[view.y] or 0) >= 0 for record in records) else -math.inf
    drawn = []
    for record in records:
        value, spread = record[view.y], record[view.spread or ""]
        if value is not None and spread is not None:
            drawn.append(record | {"low": max(least, value - spread), "high": value + spread})
    rules = _chart(alt, drawn, view).mark_rule(strokeWidth=1, opacity=0.6)
    return rules.encode(x=f"{view.x}:Q", y="low:Q", y2="high:Q", color=colour)
