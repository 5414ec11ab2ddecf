"""Pictures of a paper done again: lines in panels, as its figures have them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from ..errors import InputError
from ..reproduce import Part, View
from ..words import sentence, worded
from .style import COLOURS, Record, extra, inline, styled, told_apart

if TYPE_CHECKING:
    import altair

_DASHES: Final = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
_WIDTH, _HEIGHT = 230, 190
# Words of a heading are broken after so many characters for each panel in a row.
_HEADING: Final = 48


def figure(part: Part) -> altair.ConcatChart:
    """Draw one figure of a paper from the numbers that were found.

    Parameters
    ----------
    part
        A figure of what `fourfold.reproduce` returned.
    """
    if part.view is None:
        raise InputError("bad_option", "part", "is no figure", part.place, "draw a part that has a view")
    alt = extra("altair")
    view = part.view
    names = list(dict.fromkeys(str(record[view.panel]) for record in part.records)) if view.panel else [""]
    looks = _looks(part.records, view)
    wide = 1 if len(names) > 1 else 2
    panels = [
        _panel(alt, _of(part.records, view, name), view, name, looks).properties(width=wide * _WIDTH, height=_HEIGHT)
        for name in names
    ]
    columns = min(view.columns, len(panels))
    chart = alt.concat(*panels, columns=columns, spacing=24)
    if view.shared_y:
        chart = chart.resolve_scale(y="shared")
    lines = textwrap.wrap(sentence(worded(part.words, part.numbers)), max(_HEADING * columns, 70))
    drawn: altair.ConcatChart = styled(chart, alt, f"{part.place}: {part.title}", lines)
    return drawn


def _of(records: Sequence[Record], view: View, name: str) -> list[Record]:
    return [record for record in records if view.panel is None or str(record[view.panel]) == name]


def _looks(records: Sequence[Record], view: View) -> dict[str, tuple[Any, ...]]:
    """Return the colour and, where dashes are not used otherwise, the dash of each series."""
    series = list(dict.fromkeys(str(record[view.series]) for record in records))
    return {name: (COLOURS[i % len(COLOURS)], _DASHES[i % len(_DASHES)]) for i, name in enumerate(series)}


def _panel(alt: Any, records: Sequence[Record], view: View, name: str, looks: dict[str, tuple[Any, ...]]) -> Any:
    """Return the lines of one panel; where a value is undefined, the line has a gap."""
    data = inline(alt, [record | {view.series: str(record[view.series])} for record in records])
    legend = alt.Legend(title=None, orient="bottom", columns=3, symbolStrokeWidth=2, symbolSize=260)
    x = alt.X(
        f"{view.x}:Q",
        title=view.titles.get(view.x, view.x),
        scale=alt.Scale(type="log" if view.log_x else "linear", zero=False, nice=False),
        axis=alt.Axis(tickCount=5, labelFlush=False),
    )
    y = alt.Y(f"{view.y}:Q", title=view.titles.get(view.y, view.y))
    if view.dash is None:
        encoded = told_apart(alt, f"{view.series}:N", looks, "color strokeDash", legend)
    else:
        kinds = {
            name: (_DASHES[i % len(_DASHES)],)
            for i, name in enumerate(dict.fromkeys(str(record[view.dash]) for record in records))
        }
        encoded = told_apart(alt, f"{view.series}:N", looks, "color", legend)
        encoded |= told_apart(alt, f"{view.dash}:N", kinds, "strokeDash", legend)
    tooltip = [alt.Tooltip(f"{view.series}:N"), alt.Tooltip(f"{view.x}:Q"), alt.Tooltip(f"{view.y}:Q")]
    base = alt.Chart(data)
    layers = [
        base.mark_line(strokeWidth=1.8, interpolate="step-after" if view.steps else "linear").encode(
            x=x, y=y, tooltip=tooltip, **encoded
        )
    ]
    if view.spread:
        layers.append(_bars(alt, records, view, encoded["color"]))
    chart = alt.layer(*layers) if len(layers) > 1 else layers[0]
    return chart.properties(title=alt.TitleParams(name, anchor="start", fontSize=13))


def _bars(alt: Any, records: Sequence[Record], view: View, colour: Any) -> Any:
    """Return one standard deviation up and down, but not below 0 where no value is."""
    least = 0.0 if all((record[view.y] or 0) >= 0 for record in records) else -math.inf
    drawn = [
        record
        | {
            view.series: str(record[view.series]),
            "low": max(least, record[view.y] - record[view.spread]),
            "high": record[view.y] + record[view.spread],
        }
        for record in records
        if view.spread and record[view.y] is not None and record[view.spread] is not None
    ]
    mark = alt.Chart(inline(alt, drawn)).mark_rule(strokeWidth=1, opacity=0.6)
    return mark.encode(x=f"{view.x}:Q", y="low:Q", y2="high:Q", color=colour)
