"""Pictures of certainty: the four matrices, scores split into certain and uncertain, and curves of cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ..certainty.curves import Curve
from ..certainty.decomposition import CertaintyRatio, Decomposition
from ..certainty.overview import Overview
from ..errors import InputError, TooLarge
from ..metrics import metric as metric_of
from ..words import between, count_of, number, percent
from .colours import BLACK, BLUE, COLOURS, DASHES, TEXT, VERMILION
from .heat import cell_width, heat_map
from .style import Record, alt, bars_begin, marks, note_lines, styled, subtitled, told_apart, unchecked

if TYPE_CHECKING:
    import altair

# Of more classes no matrices are drawn.
_MOST_CLASSES: Final = 100
_MATRICES: Final = {
    "hard": ("Hard", "each case under its predicted class"),
    "soft": ("Soft", "each case spread by its probabilities"),
    "certain": ("Certain", "only what the predicted class gets"),
    "uncertain": ("Uncertain", "only what all other classes get"),
}
_CELL_WORDS: Final = {"Actual": "Actual class", "Predicted": "Predicted class", "Mass": "Cases, or parts of cases"}

# Pixels of the bars: of all, of a row with its two bars, and from its middle to that of either bar.
_WIDTH, _ROW, _BAR, _OFF = 380, 50, 16, 9
# Pixels of a character of the words in the place of a bar.
_NARROW: Final = 5.6
# Beyond so many models the heading does not list them.
_MOST_LISTED: Final = 8
_BARS: Final = {"certain": (BLUE, -_OFF), "uncertain": (COLOURS[1], _OFF)}
_MARKS: Final = {"hard": ("diamond", BLACK, "white", 110), "soft": ("circle", BLACK, BLACK, 18)}
_SCORES: Final = ("hard", "soft", "certain", "uncertain")

_PLANE: Final = 380
# A curve with more points is thinned, and one with more than the second number has no dots.
_MOST_POINTS, _MOST_DOTS = 500, 60
_LINES: Final = (BLUE, VERMILION, COLOURS[2], COLOURS[3], COLOURS[1], BLACK, COLOURS[4])


@unchecked
def matrices(decomposition: Decomposition) -> altair.ConcatChart:
    """Draw the four matrices of a decomposition side by side: hard, soft, certain and uncertain.

    Rows are actual classes, columns predicted ones. All four share one scale of colours. Up to twelve classes, the
    number is written in every cell. Parts, such as folds, are drawn as one.

    Examples
    --------
    >>> from fourfold.certainty.decomposition import decompose
    >>> chart = matrices(decompose(["cat", "dog"], {"p_cat": [0.9, 0.4], "p_dog": [0.1, 0.6]}))
    >>> [panel["title"]["text"] for panel in chart.to_dict()["concat"]]
    ['Hard', 'Soft', 'Certain', 'Uncertain']
    """
    labels = [str(label) for label in decomposition.labels]
    if len(labels) > _MOST_CLASSES:
        hint = "draw the classes that matter"
        raise TooLarge("too_large", "decomposition", f"has more than {_MOST_CLASSES} classes", len(labels), hint)
    records = {words: _cells(decomposition, name, labels) for name, words in _MATRICES.items()}
    cells = [record for matrix in records.values() for record in matrix]
    look: Record = {
        "largest": max(record["value"] for record in cells),
        "width": cell_width([record["text"] for record in cells]),
        "legend": ("Cases, or", "parts of cases"),
        "words": _CELL_WORDS,
    }
    panels = [
        heat_map(matrix, labels, **look).properties(title=subtitled(title, subtitle=words, offset=8))
        for (title, words), matrix in records.items()
    ]
    divergence, most = (
        f"Divergence of hard and soft: {number(decomposition.divergence)}",
        decomposition.largest_divergence,
    )
    if most is not None:
        divergence += f"; at most {number(most)} where the most probable class is predicted"
    lines = [_mass(decomposition), divergence, f"Rows tied at the top: {decomposition.tied}"]
    lines += note_lines(note for note in decomposition.notes if note.code != "tied_rows")
    heading = f"{count_of(len(labels), 'class')}, four ways to count"
    chart: altair.ConcatChart = styled(alt.concat(*panels, columns=2, spacing=28), heading, lines)
    return chart


@unchecked
def certainty(overview: Overview) -> altair.VConcatChart:
    """Draw each metric on the certain and on the uncertain part as two bars, with the certainty ratio beside them.

    Small marks show the hard and the soft score. Of several models each metric has a panel with a row for each model.
    Where there are parts, such as folds, each has a tick.

    Examples
    --------
    >>> from fourfold.certainty.decomposition import decompose
    >>> from fourfold.certainty.overview import overview
    >>> model = decompose([0, 1, 1], [[0.8, 0.2], [0.4, 0.6], [0.7, 0.3]])
    >>> chart = certainty(overview({"first": model}, ["accuracy"]))
    >>> chart.to_dict()["title"]["text"]
    'Certain and uncertain scores of first'
    """
    models, several = list(overview.models), len(overview.models) > 1
    rows = [_Row(model, metric, overview) for metric in overview.metrics for model in models]
    panels = []
    for endless in (False, True):
        part = [row for row in rows if (metric_of(row.metric).limits.high is None) == endless]
        shown = [value for row in part for value in row.shown]
        # From 0, or below the least negative score; to 1, or above all scores.
        ends = bars_begin(shown), max(shown, default=1.0) * 1.05 or 1.0 if endless else 1.0
        # Of several models each metric has a panel; else all metrics share one.
        groups = [list(group) for _, group in groupby(part, lambda row: row.metric if several else "")]
        panels += [_bars(group, ends, several=several) for group in groups]
    title = f"Certain and uncertain scores of {models[0] if len(models) == 1 else f'{len(models)} models'}"
    chart: altair.VConcatChart = styled(alt.vconcat(*panels, spacing=26), title, _lines(overview, rows))
    return chart


@unchecked
def curve(curves: Curve | Mapping[str, Curve]) -> altair.LayerChart:
    """Draw how close each case's probabilities come to its true class: what `mcp` or `imcp` found, or several by name.

    Examples
    --------
    >>> from fourfold.certainty.curves import mcp
    >>> chart = curve({"first": mcp(["a", "b"], [[1.0, 0.0], [0.0, 1.0]])})
    >>> chart.to_dict()["layer"][0]["encoding"]["color"]["scale"]["domain"]
    ['first: area 1.0000']
    """
    named = {curves.kind.upper(): curves} if isinstance(curves, Curve) else dict(curves)
    if not named:
        raise InputError("empty", "curves", "must hold at least one curve", {}, "give what mcp or imcp returns")
    kinds = list(dict.fromkeys(line.kind.upper() for line in named.values()))
    legends = {}
    for name, line in named.items():
        kind = f" ({line.kind.upper()})" if len(kinds) > 1 and name != line.kind.upper() else ""
        legends[name] = f"{name}{kind}: area {number(line.area)}"
    records = [
        {"Name": name, "Curve": line.kind.upper(), "line": legends[name], "Area": number(line.area)} | point
        for name, line in named.items()
        for point in _thinned(line)
    ]
    title = f"{' and '.join(kinds)} {'curve' if len(named) == 1 else 'curves'}"
    layers = _curve_layers(records, list(legends.values()), kinds)
    chart: altair.LayerChart = styled(alt.layer(*layers), title, _curve_lines(named))
    return chart.properties(width=_PLANE, height=_PLANE)


def _mass(model: Decomposition) -> str:
    """Return in words how many rows there are and how much of their mass is certain."""
    rows = count_of(model.rows_read, "row") + (f" in {count_of(len(model.parts), 'part')}" if model.parts else "")
    return f"{rows}; {percent(model.weight_certain)} of the probability is certain: it lies on predicted classes"


def _cells(decomposition: Decomposition, name: str, labels: Sequence[str]) -> list[Record]:
    values = getattr(decomposition, name).values
    return [
        {"Actual": actual, "Predicted": predicted, "value": value, "text": _amount(value), "Mass": _amount(value, 4)}
        for actual, row in zip(labels, values.tolist(), strict=True)
        for predicted, value in zip(labels, row, strict=True)
    ]


def _amount(value: float, digits: int = 2) -> str:
    """Return the mass of a cell: whole numbers as they are; what is above 0 is never written as 0."""
    if isinstance(value, int) or not value or value >= 10**5:
        return str(round(value))
    least = 10.0**-digits
    return f"< {number(least, digits)}" if value < least else number(value, digits)


def _said(ratio: CertaintyRatio) -> Record:
    """Return the numbers of a ratio in words."""
    scores = {name.capitalize(): number(getattr(ratio, name)) for name in _SCORES}
    return scores | {"Certainty ratio": number(ratio.value), "Reasons": "; ".join(ratio.reasons)}


class _Row(NamedTuple):
    """A metric of a model: two bars, two marks, ticks of parts, and words."""

    model: str
    metric: str
    overview: Overview

    @property
    def ratio(self) -> CertaintyRatio:
        return self.overview.ratios[self.model, None, self.metric]

    @property
    def parts(self) -> dict[Any, CertaintyRatio]:
        return {
            part: self.overview.ratios[self.model, part, self.metric]
            for part in self.overview.models[self.model].named_parts()
        }

    @property
    def shown(self) -> list[float]:
        """All numbers that have a place on the axis."""
        values = [getattr(self.ratio, name) for name in _SCORES]
        values += [getattr(ratio, name) for ratio in self.parts.values() for name in _BARS]
        return [value for value in values if value is not None]

    def record(self, *, several: bool) -> Record:
        """Return what is said of the row, in words and numbers."""
        label = self.ratio.label
        names = {"label": self.model if several else label, "Model": self.model, "Metric": label}
        return names | _said(self.ratio)

    def why(self, name: str) -> list[str]:
        """Return why the score of a part of the mass is undefined."""
        start = f"{name}: "
        return [reason.removeprefix(start) for reason in self.ratio.reasons if reason.startswith(start)]

    @property
    def remark(self) -> str:
        """What is said below the ratio: why it is undefined where nothing else tells, and the parts' ratios."""
        said = [] if self.ratio.value is not None or any(map(self.why, _BARS)) else list(self.ratio.reasons)
        if self.parts:
            over = self.overview.models[self.model].over_parts(self.metric, convention=self.overview.convention)
            known = [value for value in over.values.values() if value is not None]
            where = f"in {count_of(len(self.parts), 'part')}"
            if known:
                said.append(f"{where}: mean {number(over.mean)} ({between(min(known), max(known))})")
            if over.undefined:
                said.append(f"undefined in {over.undefined}" if known else f"{where}: undefined")
        return "; ".join(said)


def _bars(rows: Sequence[_Row], ends: tuple[float, float], *, several: bool) -> Any:
    """Return a panel: bars, ticks, marks and words."""
    records = [row.record(several=several) for row in rows]
    axis = alt.Axis(labelLimit=240, ticks=False, domain=False, labelPadding=10, labelFontSize=13)
    y = alt.Y("label:N", sort=[record["label"] for record in records], title=None, axis=axis)
    shade = alt.condition("datum.value == 0", alt.value("#777777"), alt.value("#EEEEEE"))
    x_axis = alt.Axis(gridColor=shade, labelFlush=False, tickCount=6)
    x = alt.X("at:Q", title="Score", scale=alt.Scale(domain=list(ends), nice=False), axis=x_axis)
    layers = [
        *_bar_layers(rows, records, x, y),
        *_tick_layers(rows, records, y),
        *_mark_layers(rows, records, y),
        *_undefined_layers(rows, records, y, ends),
        *_columns(rows, records, y),
    ]
    title = {"title": subtitled(rows[0].ratio.label, offset=8)} if several else {}
    return alt.layer(*layers).properties(width=_WIDTH, height=alt.Step(_ROW), **title)


def _tooltips(*more: str) -> list[Any]:
    names = ("Model", *more, "Metric", *map(str.capitalize, _SCORES), "Certainty ratio", "Reasons")
    return [alt.Tooltip(name, type="nominal") for name in names]


def _placed(rows: Sequence[_Row], records: Sequence[Record], name: str) -> list[Record]:
    """Return the rows whose score of a kind is defined, with its place."""
    kind, values = _kind(name), [getattr(row.ratio, name) for row in rows]
    pairs = zip(records, values, strict=True)
    return [record | {"kind": kind, "at": value} for record, value in pairs if value is not None]


def _kind(name: str) -> str:
    return f"{name} score"


def _bar_layers(rows: Sequence[_Row], records: Sequence[Record], x: Any, y: Any) -> list[Any]:
    legend = alt.Legend(title=None, orient="top", symbolType="square", symbolSize=160, symbolStrokeWidth=0)
    looks = {_kind(name): (colour,) for name, (colour, _) in _BARS.items()}
    encoded = {"x": x, "x2": alt.datum(0), "y": y, "tooltip": _tooltips()}
    encoded |= told_apart("kind:N", looks, "color", legend)
    return [
        marks("bar", _placed(rows, records, name), {"height": _BAR, "yOffset": off}, **encoded)
        for name, (_, off) in _BARS.items()
    ]


def _tick_layers(rows: Sequence[_Row], records: Sequence[Record], y: Any) -> list[Any]:
    """Return a tick for each part on either bar."""
    layers = []
    for name, (_, off) in _BARS.items():
        drawn = [
            record | _said(ratio) | {"Part": str(part), "at": getattr(ratio, name)}
            for row, record in zip(rows, records, strict=True)
            for part, ratio in row.parts.items()
            if getattr(ratio, name) is not None
        ]
        if drawn:
            look = {"thickness": 1.5, "size": _BAR - 4, "color": BLACK, "opacity": 0.75, "yOffset": off}
            layers.append(marks("tick", drawn, look, x="at:Q", y=y, tooltip=_tooltips("Part")))
    return layers


def _mark_layers(rows: Sequence[_Row], records: Sequence[Record], y: Any) -> list[Any]:
    """Return the marks of the hard and the soft score, between the bars."""
    looks = {_kind(name): look for name, look in _MARKS.items()}
    legend = alt.Legend(title=None, orient="top", symbolStrokeWidth=1.5)
    encoded = {"x": "at:Q", "y": y, "tooltip": _tooltips()}
    encoded |= told_apart("kind:N", looks, "shape stroke fill size", legend)
    look = {"strokeWidth": 1.5, "opacity": 1}
    return [marks("point", _placed(rows, records, name), look, **encoded) for name in _MARKS]


def _undefined_layers(rows: Sequence[_Row], records: Sequence[Record], y: Any, ends: tuple[float, float]) -> list[Any]:
    """Return words in the place of each bar that is undefined."""
    layers = []
    room = _WIDTH * ends[1] / (ends[1] - ends[0])
    for name, (_, off) in _BARS.items():
        said = [
            record | {"words": _why(row, name)}
            for row, record in zip(rows, records, strict=True)
            if getattr(row.ratio, name) is None
        ]
        # Words begin at 0 as bars do, or at the left edge where there is too little room for them.
        drawn = [record | {"at": 0 if _NARROW * len(record["words"]) < room else ends[0]} for record in said]
        if drawn:
            look = {"align": "left", "dx": 5, "yOffset": off + 2, "limit": _WIDTH - 8, "color": TEXT}
            look |= {"fontSize": 11, "fontStyle": "italic"}
            layers.append(marks("text", drawn, look, x="at:Q", y=y, text="words:N", tooltip=_tooltips()))
    return layers


def _why(row: _Row, name: str) -> str:
    first, *more = row.why(name)
    return f"undefined: {first}" + (f"; {len(more)} more" if more else "")


def _columns(rows: Sequence[_Row], records: Sequence[Record], y: Any) -> list[Any]:
    """Return the words to the right: the scores in both lines of a row, and the ratio."""
    heads = (("certain ", 14, -_OFF), ("uncertain ", 14, _OFF), ("hard ", 144, -_OFF), ("soft ", 144, _OFF))
    lines = [(at, off, [head + record[head.strip().capitalize()] for record in records]) for head, at, off in heads]
    lines.append((246, -_OFF, [f"certainty ratio {record['Certainty ratio']}" for record in records]))
    lines.append((246, _OFF, [row.remark for row in rows]))
    layers = []
    for place, off, texts in lines:
        said = [record | {"words": text} for record, text in zip(records, texts, strict=True) if text]
        weight = "bold" if (place, off) == (246, -_OFF) else "normal"
        look = {"align": "left", "fontSize": 12, "fontWeight": weight, "color": TEXT, "yOffset": off}
        if said:
            layers.append(marks("text", said, look, x=alt.value(_WIDTH + place), y=y, text="words:N"))
    return layers


def _lines(overview: Overview, rows: Sequence[_Row]) -> list[str]:
    lines = [
        "Certain: the score on the probability of predicted classes; uncertain: on that of all other classes",
        "Certainty ratio: the certain score divided by the sum of the certain and the uncertain score",
    ]
    if overview.convention == "paper":
        lines.append("An undefined certain or uncertain score counts as 0 in the ratio, as in the paper")
    models = overview.models
    if len(models) == 1:
        lines += [_mass(model) for model in models.values()]
    elif len(models) <= _MOST_LISTED:
        lines += [f"{name}: {_mass(model)}" for name, model in models.items()]
    scores = [getattr(ratio, name) for row in rows for ratio in row.parts.values() for name in _BARS]
    if scores:
        lost = scores.count(None)
        lines.append("Each tick is the score of one part" + (f"; {lost} undefined ones have none" if lost else ""))
    return [*lines, *note_lines(overview.notes)]


def _thinned(line: Curve) -> list[Record]:
    """Return the points of a curve, or some at even steps along it, both ends among them."""
    last = len(line.x) - 1
    kept = np.arange(last + 1)
    if last >= _MOST_POINTS:
        places = np.searchsorted(line.x, np.linspace(0, 1, _MOST_POINTS))
        kept = np.unique(np.r_[0, places.clip(max=last), last])
    points = zip(line.x[kept].tolist(), line.y[kept].tolist(), strict=True)
    return [{"x": x, "y": y, "Position": number(x), "Closeness": number(y)} for x, y in points]


def _curve_layers(records: Sequence[Record], legends: Sequence[str], kinds: Sequence[str]) -> list[Any]:
    looks = {name: (_LINES[i % len(_LINES)], DASHES[i % len(DASHES)]) for i, name in enumerate(legends)}
    legend = alt.Legend(title="Area under the curve", symbolType="stroke", symbolStrokeWidth=2, symbolSize=300)
    words = "; in IMCP all classes are equally wide" if "IMCP" in kinds else ""
    look = {"scale": alt.Scale(domain=[0, 1], nice=False), "axis": alt.Axis(labelFlush=False)}
    encoded = told_apart("line:N", looks, "color strokeDash", legend) | {
        "x": alt.X("x:Q", title=f"Share of cases, worst first{words}", **look),
        "y": alt.Y("y:Q", title="Closeness to the true class", **look),
    }
    whole = ["Name:N", "Curve:N", "Area:N"]
    lines = marks("line", records, {"strokeWidth": 2}, **encoded, tooltip=whole)
    dot = {"size": 26, "opacity": 1 if len(records) <= _MOST_DOTS * len(legends) else 0}
    del encoded["strokeDash"]
    return [lines, marks("circle", records, dot, **encoded, tooltip=[*whole, "Position:N", "Closeness:N"])]


def _curve_lines(named: Mapping[str, Curve]) -> list[str]:
    lines = [
        "A case is as high as its probabilities are close to its true class: 1 where all of the probability",
        "lies on that class, 0 where none does (1 minus the Hellinger distance)",
        "The larger the area under the curve, the better",
    ]
    if any(len(line.x) > _MOST_POINTS for line in named.values()):
        lines.append(f"Curves with more than {_MOST_POINTS} points are thinned")
    notes = {note.text: note for line in named.values() for note in line.notes}
    return [*lines, *note_lines(notes.values())]
