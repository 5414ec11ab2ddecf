"""What all pictures share: colours, headings, axes, and writing them to files."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final, NamedTuple, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..data import write_bytes, write_text
from ..errors import NOTHING, InputError, MissingExtra, Note
from ..metrics import Metric
from ..words import UNSHOWN

if TYPE_CHECKING:
    import altair

Floats: TypeAlias = NDArray[np.float64]
Record: TypeAlias = dict[str, Any]
Given = ParamSpec("Given")
Chart = TypeVar("Chart")

_LONGEST_LINE: Final = 110
# Vega writes names into expressions of its own, which two ends of lines would break.
_UNDRAWN: Final = {**UNSHOWN, 0x2028: " ", 0x2029: " "}
_SUFFIXES: Final = (".png", ".svg", ".pdf", ".html")
# How much of an axis is left free beyond its outermost values.
_ROOM: Final = 0.03


class Drawing(NamedTuple):
    """A chart that is drawn once, for files and pages alike: its SVG text, and its heading for screen readers."""

    svg: str
    heading: str

    @classmethod
    def of(cls, chart: altair.TopLevelMixin) -> Drawing:
        """Draw a chart."""
        parts = drawable(chart)
        heading = ". ".join([parts["title"]["text"], *parts["title"]["subtitle"]])
        return cls(str(extra("vl_convert").vegalite_to_svg(parts)), heading)


def save(chart: altair.TopLevelMixin | Drawing, path: str | Path) -> None:
    """Write a chart to a file by its ending: ``.png``, ``.svg``, ``.pdf``, or ``.html`` for a page.

    A page fetches nothing. A `Drawing` can be written to every kind of file except a page.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        raise InputError("bad_option", "path", "has no known ending", str(path), f"one of {', '.join(_SUFFIXES)}")
    converter = extra("vl_convert")
    if suffix == ".html" and not isinstance(chart, Drawing):
        write_text(path, chart.to_html(inline=True), "path")
        return
    svg = chart.svg if isinstance(chart, Drawing) else Drawing.of(chart).svg
    if suffix == ".png":
        write_bytes(path, png(Drawing(svg, "")), "path")
    else:
        write_bytes(path, converter.svg_to_pdf(svg) if suffix == ".pdf" else svg.encode(), "path")


def png(drawing: Drawing, ppi: int = 144) -> bytes:
    """Return a drawing as PNG, with this many pixels per inch."""
    return bytes(extra("vl_convert").svg_to_png(drawing.svg, ppi=ppi))


def drawable(chart: altair.TopLevelMixin) -> dict[str, Any]:
    """Return a chart's parts without characters that cannot be drawn: at some of them vl-convert ends the process."""
    return dict(_shown(chart.to_dict(validate=False)))


def _shown(value: Any) -> Any:
    if isinstance(value, dict):
        return {_shown(name): _shown(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(part) for part in value]
    return value.translate(_UNDRAWN) if isinstance(value, str) else value


def extra(name: str) -> Any:
    """Import a package that the bare install lacks, such as ``altair``, or say how to install it."""
    try:
        return import_module(name)
    except ImportError:
        problem, hint = f"needs {name}, which is not installed", "pip install 'fourfold[plots]'"
        raise MissingExtra("missing_extra", "plots", problem, NOTHING, hint) from None


class _Altair:
    """Altair, imported when the first picture is drawn."""

    def __getattr__(self, name: str) -> Any:
        return getattr(extra("altair"), name)


alt: Any = _Altair()


def styled(chart: Any, title: str, lines: Sequence[str]) -> Any:
    """Return a chart with its heading, smaller lines below, and the look that all have.

    It is drawn on white, so that it reads on a dark page too.
    """
    heading = alt.TitleParams(title, subtitle=list(lines), anchor="start", offset=14)
    config = {
        "title": {"fontSize": 17, "subtitleFontSize": 12, "subtitleColor": "#444444", "subtitlePadding": 6},
        "axis": {"labelFontSize": 12, "titleFontSize": 13, "titleFontWeight": "normal", "gridColor": "#EEEEEE"},
        "legend": {"labelFontSize": 12, "titleFontSize": 12, "labelLimit": 260, "titleFontWeight": "normal"},
        "view": {"stroke": "#CCCCCC"},
    }
    return chart.properties(title=heading, background="white", padding=16, config=config)


def note_lines(notes: Iterable[Note]) -> list[str]:
    """Return notes as lines of a heading."""
    return [line for note in notes for line in wrap(f"Note: {note.text}", _LONGEST_LINE)]


def marks(kind: str, records: Iterable[Record], look: Record, **encoding: Any) -> Any:
    """Return a layer that draws records as marks of a kind, such as bars, with a look that all have."""
    # Such data is not held to Altair's limit on rows. Altair copies a chart at every step: its objects with all options
    # that they could have, dicts as they are, and tuples not at all.
    data = alt.InlineData(values=tuple(records))
    parts = {name: _plain(name, given) for name, given in encoding.items()}
    return alt.Chart(data, mark={"type": kind, **look}, encoding=alt.FacetedEncoding(**parts))


def _plain(name: str, given: Any) -> Any:
    """Return an encoding as the dict that it becomes in the end."""
    if isinstance(given, list):
        return [_plain(name, part) for part in given]
    channel = getattr(alt, name[0].upper() + name[1:])(given) if isinstance(given, str) else given
    return channel if isinstance(channel, dict) else channel.to_dict(validate=False)


def subtitled(text: str, **more: Any) -> Any:
    """Return the heading of a panel."""
    return alt.TitleParams(text, anchor="start", fontSize=14, **more)


def unchecked(draw: Callable[Given, Chart]) -> Callable[Given, Chart]:
    """Let a plot put its chart together without a check of every part, which takes most of the time."""

    @wraps(draw)
    def drawn(*args: Given.args, **kwargs: Given.kwargs) -> Chart:
        with extra("altair").utils.schemapi.debug_mode(False):
            return draw(*args, **kwargs)

    return drawn


def told_apart(field: str, looks: Mapping[str, Sequence[Any]], channels: str, legend: Any) -> dict[str, Any]:
    """Return encodings of kinds by several looks at once, which share one legend: never by colour alone."""
    encoded = {}
    for i, name in enumerate(channels.split()):
        scale = alt.Scale(domain=list(looks), range=[look[i] for look in looks.values()])
        encoded[name] = getattr(alt, name[0].upper() + name[1:])(field, scale=scale, legend=legend)
    return encoded


def bars_begin(values: Sequence[float]) -> float:
    """Return where an axis of bars begins: at 0, or a fifth or more below."""
    return min(0.0, float(np.floor(5 * min(values, default=0.0))) / 5)


class Span(NamedTuple):
    """The part of an axis of scores that is shown; logarithmic where the metric has no upper end.

    On a logarithmic axis what lies below `least`, such as 0, is drawn there.
    """

    low: float
    high: float
    least: float | None = None

    @classmethod
    def of(cls, metric: Metric, values: Iterable[float | None]) -> Span:
        """Return what shows all values, and a little more within the metric's limits."""
        shown = [value for value in values if value is not None and math.isfinite(value)]
        low, high = float(metric.limits.low), metric.limits.high
        if high is None:
            least = min((value for value in shown if value > 0), default=1.0) / 2
            return cls(least / 1.5 if min(shown, default=1.0) <= 0 else least, 2 * max([*shown, 10 * least]), least)
        first, last = min(shown, default=low), max(shown, default=float(high))
        room = max(_ROOM * (last - first), _ROOM / 3)
        return cls(max(first - room, low), min(last + room, float(high)))

    def place(self, value: float) -> float:
        """Return where a value is drawn."""
        return value if self.least is None else min(max(value, self.least), self.high)

    def even(self, places: Floats) -> Floats:
        """Return places as numbers at even steps along the axis."""
        return places if self.least is None else np.log10(places)

    def uneven(self, numbers: NDArray[np.floating[Any]]) -> Floats:
        """Return the places of such numbers."""
        return np.asarray(numbers if self.least is None else 10.0**numbers, dtype=np.float64)

    def wider(self) -> Span:
        """Return a span with room for marks at the metric's limits."""
        room = _ROOM * (self.high - self.low) if self.least is None else 0.0
        return self._replace(low=self.low - room, high=self.high + room)

    def encoded(self, channel: Any, field: str, title: str) -> Any:
        """Return the axis as an encoding."""
        scale = {"type": "linear" if self.least is None else "log", "domain": [self.low, self.high]}
        if self.least is not None:
            title += ", logarithmic" + ("; 0 is drawn near the edge" if self.low < self.least else "")
        axis = {"tickCount": 8 if self.least is None else 5, "labelFlush": False}
        return channel(field, title=title, scale=scale | {"zero": False, "nice": False}, axis=axis)
