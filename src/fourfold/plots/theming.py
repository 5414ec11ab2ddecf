"""Charts as the page shows them: light and dark, wide and narrow. The page has the heading as text."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .colours import SHADES
from .style import drawable

if TYPE_CHECKING:
    import altair

Spec = dict[str, Any]

_FONT: Final = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif'
# What stands in the place of colours that were chosen for white paper.
_IN_THE_DARK: Final = {
    "#000000": "#f3f5f7",
    "black": "#f3f5f7",
    "white": "#1a2026",
    "#FFFFFF": "#1a2026",
    "#222222": "#d9dee2",
    "#444444": "#c3cad0",
    "#555555": "#a9b3bc",
    "#666666": "#a9b3bc",
    "#777777": "#8f9aa3",
    "#BBBBBB": "#5d6973",
    "#CCCCCC": "#4a555e",
    "#DDDDDD": "#39434b",
    "#EEEEEE": "#2b333a",
    "#878787": "#9a9a9a",
    "#0072B2": "#3f9fdb",
    "#B97F00": "#e69f00",
    "#00926A": "#1fbf92",
    "#C2729E": "#d68fb5",
    "#2E8AC0": "#56b4e9",
    "#D55E00": "#f27d33",
    "#8F8600": "#d9cf3c",
}
# Parts of a specification that hold words or data, in which "black" is no colour.
_WORDS: Final = {"data", "values", "domain", "sort", "title", "text", "field", "test", "description"}
# Pixels of a letter of a label, of what else is beside a plot with labels, and of an axis with numbers and its title.
_LETTER, _EDGES, _NUMBERS = 6.8, 40, 62


class _Tone(NamedTuple):
    """The colours of words, of lesser words, of a grid and of edges around a plot."""

    ink: str
    muted: str
    grid: str
    edge: str


_LIGHT: Final = _Tone("#1c2329", "#55606a", "#e9ecef", "#b9c1c8")
_DARK: Final = _Tone("#e7eaed", "#a9b3bc", "#2b333a", "#4a555e")


class _Room(NamedTuple):
    """How wide a picture is, the most pixels that a label beside it has, and the most letters of a line."""

    width: int
    label: int
    letters: int
    narrow: bool


_WIDE: Final = _Room(720, 300, 90, narrow=False)
_NARROW: Final = _Room(340, 120, 42, narrow=True)


def themes(chart: altair.TopLevelMixin) -> dict[str, Spec]:
    """Return a chart as Vega-Lite in all the ways that the page may show it.

    By name: ``light``, ``dark``, ``narrow`` and ``narrow_dark`` without the heading, ``file`` as `save` writes it; and
    ``datasets``, which belong to each of them.

    Examples
    --------
    >>> from fourfold import recover
    >>> from fourfold.plots import feasible
    >>> drawn = themes(feasible(recover(accuracy="0.85", positives=40, negatives=60)))
    >>> drawn["narrow_dark"]["description"][:41]
    '16 tables fit. 40 positives, 60 negatives'
    """
    spec = drawable(chart)
    datasets = spec.pop("datasets", {})
    wide, narrow = (_fitted(spec, room) for room in (_WIDE, _NARROW))
    return {
        "light": _toned(wide, _LIGHT),
        "dark": _toned(_darkened(wide), _DARK),
        "narrow": _toned(narrow, _LIGHT),
        "narrow_dark": _toned(_darkened(narrow), _DARK),
        "file": spec,
        "datasets": datasets,
    }


def _fitted(spec: Spec, room: _Room) -> Spec:
    """Return a specification without its heading that is about as wide as the room."""
    fitted = deepcopy(spec)
    title, config = fitted.pop("title", {}), fitted["config"]
    config["axis"] |= {"labelLimit": room.label, "labelSeparation": 6}
    if room.narrow:
        layout = {"bottom": {"anchor": "start", "direction": "vertical", "margin": 6}}
        config["legend"] |= {"orient": "bottom", "layout": layout}
        fitted |= {"columns": 1} if "columns" in fitted else {}
    for view in _views(fitted):
        # Make what stands around a plot fit, and leave out the columns of text beside it: the page has them in a
        # table.
        width = view.get("width")
        if isinstance(width, int | float):
            if "layer" in view:
                view["layer"] = [layer for layer in view["layer"] if not _beside(layer, width)]
            _fit_width(view, room)
        encoding = view.get("encoding", {})
        for channel in encoding.values():
            if isinstance(channel, dict):
                legend, axis = channel.get("legend"), channel.get("axis")
                if legend and "gradientLength" in legend:
                    legend |= {"orient": "bottom", "direction": "horizontal"} if room.narrow else {}
                elif legend and room.narrow:
                    legend |= {"orient": "bottom", "direction": "vertical", "columns": 1, "labelLimit": room.width - 60}
                elif legend and legend.get("orient") == "top":
                    legend |= {"orient": "bottom", "columns": 2}
                if axis and "labelLimit" in axis:
                    axis["labelLimit"] = min(axis["labelLimit"], room.label)
                    axis.pop("minExtent", None)
        for part, name in ((view.get("title", {}), "subtitle"), (encoding.get("x", {}), "title")):
            if len(part.get(name) or "") > room.letters:
                part[name] = wrap(part[name], room.letters)
    words = [title.get("text"), *title.get("subtitle", ())]
    panels = fitted.get("vconcat", ())
    if len(panels) == 1:
        # What heads the only panel heads the part of the page as well.
        words.append(panels[0].pop("title", {}).get("text"))
    return fitted | {"description": ". ".join(filter(None, words)), "background": "transparent", "padding": 2}


def _views(spec: Spec) -> Iterator[Spec]:
    yield spec
    for name in ("layer", "vconcat", "hconcat", "concat"):
        for part in spec.get(name, ()):
            yield from _views(part)


def _beside(layer: Spec, width: float) -> bool:
    return bool(layer.get("encoding", {}).get("x", {}).get("value", -1) >= width)


def _fit_width(view: Spec, room: _Room) -> None:
    """Make a plot as wide as the names on its left allow; one without names is never enlarged, a square stays one."""
    names = [name for part in _views(view) for name in part.get("encoding", {}).get("y", {}).get("sort", ())]
    square = view["width"] == view.get("height")
    if names:
        view["width"] = room.width - _EDGES - min(room.label, _LETTER * max(len(str(name)) for name in names))
    else:
        view["width"] = min(view["width"], room.width - _NUMBERS)
    if square:
        view["height"] = view["width"]


def _darkened(part: Any) -> Any:
    """Return a part of a specification with other colours."""
    if isinstance(part, list):
        return [_darkened(item) for item in part]
    if isinstance(part, dict):
        # A heat map's shades and the ink on them belong together.
        if SHADES[-1] in str(part.get("layer")):
            return part
        return {name: value if name in _WORDS else _darkened(value) for name, value in part.items()}
    return _IN_THE_DARK.get(part, part) if isinstance(part, str) else part


def _toned(spec: Spec, tone: _Tone) -> Spec:
    """Return a specification with the page's font, and the colours of a tone around the plot."""
    lines = {"gridColor": tone.grid, "domainColor": tone.edge, "tickColor": tone.edge}
    changes = {
        "view": {"stroke": tone.edge},
        "axis": {"labelColor": tone.ink, "titleColor": tone.muted, **lines},
        "legend": {"labelColor": tone.ink, "titleColor": tone.muted},
        "title": {"color": tone.ink, "subtitleColor": tone.muted, "fontSize": 14, "fontWeight": 600},
        "text": {"color": tone.ink},
    }
    config = {name: spec["config"].get(name, {}) | change for name, change in changes.items()}
    return spec | {"config": spec["config"] | config | {"font": _FONT}}
