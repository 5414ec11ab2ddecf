"""Pictures of certainty: the four matrices, scores split into certain and uncertain, and curves of cases.

And what leaving out the least certain cases brings, and whether what a model says comes true.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ..certainty.abstention import Abstention
from ..certainty.calibration import Calibration
from ..certainty.curves import Curve
from ..certainty.decomposition import CertaintyRatio, Decomposition
from ..certainty.overviews import Overview
from ..errors import InputError, TooLarge
from ..metrics import metric as metric_of
from ..words import between, count_of, level, number, percent
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
# Beyond this many models the heading does not list them.
_MOST_LISTED: Final = 8
_BARS: Final = {"certain": (BLUE, -_OFF), "uncertain": (COLOURS[1], _OFF)}
_MARKS: Final = {"hard": ("diamond", BLACK, "white", 110), "soft": ("circle", BLACK, BLACK, 18)}
_SCORES: Final = ("hard", "soft", "certain", "uncertain")

_PLANE: Final = 380
# How much of an axis is left free below its lowest point.
_ROOM: Final = 0.02
# From what share of the cases on the whole shade is shown.
_SHARE_SHOWN: Final = 0.2
_SHAPES: Final = ("circle", "square", "triangle-up", "cross")
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

    Small marks show the hard and the soft score. With several models, each metric has a panel with a row for each
    model. Parts, such as folds, are shown as ticks.

    Examples
    --------
    >>> from fourfold.certainty.decomposition import decompose
    >>> from fourfold.certainty.overviews import overview
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


@unchecked
def abstention(results: Abstention | Mapping[str, Abstention]) -> altair.LayerChart:
    """Draw a score against the share of cases that are kept: what `abstain` found, or several by name.

    The shade is the interval of each point. If you asked for a score, a line shows it, and a mark shows the threshold
    that was chosen.

    Examples
    --------
    >>> from fourfold.certainty import abstain
    >>> chart = abstention(abstain(["a", "a", "b"], [[0.9, 0.1], [0.4, 0.6], [0.3, 0.7]], want=1))
    >>> chart.to_dict()["title"]["text"]
    'Accuracy when the least certain cases are left out'
    """
    named = _by_name(results, Abstention, "abstain")
    first = next(iter(named.values()))
    records = [
        {"line": name, "share": point.share, "value": point.value, "low": point.low, "high": point.high}
        | {"Kept": percent(point.share), "Cases": point.kept, "Least certainty": number(point.threshold)}
        | {"Score": number(point.value), "Interval": between(point.low, point.high)}
        for name, result in named.items()
        for point in result.points
        if point.value is not None
    ]
    title = f"{first.label} when the least certain cases are left out"
    chart: altair.LayerChart = styled(alt.layer(*_kept_layers(named, records)), title, _kept_lines(named))
    return chart.properties(width=_PLANE + 60, height=_PLANE - 80)


def _kept_layers(named: Mapping[str, Abstention], records: Sequence[Record]) -> list[Any]:
    first = next(iter(named.values()))
    # A few cases leave almost everything open; their shade is cut off where it would squeeze all else.
    values = [record[end] for record in records if record["share"] >= _SHARE_SHOWN for end in ("low", "high", "value")]
    values += [record["value"] for record in records]
    low = max(min(values, default=0.0) - _ROOM, float(metric_of(first.metric).limits.low))
    scale = alt.Scale(domain=[low, max(values, default=1.0)], nice=True)
    x = alt.X("share:Q", title="Share of cases kept", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%"))
    places = {"x": x, "y": alt.Y("value:Q", title=first.label, scale=scale)}
    looks = {name: (_LINES[i % len(_LINES)], DASHES[i % len(DASHES)]) for i, name in enumerate(named)}
    look = {"symbolType": "stroke", "symbolStrokeWidth": 2, "symbolOpacity": 1, "symbolSize": 300}
    legend = alt.Legend(title="Model", **look) if len(named) > 1 else None
    colours = told_apart("line:N", looks, "color strokeDash", legend)
    tips = ["line:N", "Kept:N", "Cases:Q", "Least certainty:N", "Score:N", "Interval:N"]
    shade = {"x": x, "y": alt.Y("low:Q", title=first.label, scale=scale), "y2": "high:Q"}
    shade["color"] = colours["color"]
    layers = [
        marks("area", records, {"opacity": 0.15, "clip": True}, **shade),
        marks("line", records, {"strokeWidth": 2}, **places, **colours, tooltip=tips),
        marks("circle", records, {"size": 40, "opacity": 0}, **places, tooltip=tips),
    ]
    if first.want is None:
        return layers
    chosen = [
        {"share": point.share, "value": point.value, "words": f"from {number(point.threshold)}"}
        for point in (result.chosen for result in named.values())
        if point is not None
    ]
    diamond = {"shape": "diamond", "size": 110, "filled": True, "color": BLACK, "opacity": 1}
    text = {"align": "left", "dx": 8, "dy": 12, "color": TEXT, "fontSize": 12}
    wanted = [{"value": first.want}]
    return [
        *layers,
        marks("rule", wanted, {"color": BLACK, "strokeDash": [2, 3]}, y=alt.Y("value:Q", scale=scale)),
        marks("point", chosen, diamond, **places),
        *([marks("text", chosen, text, **places, text="words:N")] if len(named) == 1 else []),
    ]


def _kept_lines(named: Mapping[str, Abstention]) -> list[str]:
    first = next(iter(named.values()))
    lines = [f"Shade: {first.method}, {level(first.level)}; it holds for each threshold alone, not for all at once"]
    for name, result in named.items():
        lead = f"{name}: " if len(named) > 1 else ""
        if result.want is not None and result.chosen is None:
            lines.append(f"{lead}no threshold reaches {number(result.want)}")
        elif result.chosen is not None:
            kept, score = percent(result.chosen.share), number(result.chosen.value)
            lines.append(
                f"{lead}{kept} of cases are at least {number(result.chosen.threshold)} certain and reach {score}"
            )
    return [*lines, *note_lines({note.text: note for result in named.values() for note in result.notes}.values())]


@unchecked
def calibration(results: Calibration | Mapping[str, Calibration]) -> altair.LayerChart:
    """Draw what a model says against how often it comes true: what `calibrate` found, or several by name.

    Examples
    --------
    >>> from fourfold.certainty import calibrate
    >>> chart = calibration(calibrate(["a", "a", "b"] * 20, [[0.9, 0.1], [0.4, 0.6], [0.3, 0.7]] * 20))
    >>> chart.to_dict()["title"]["text"]
    'What is said, and how often it comes true'
    """
    named = _by_name(results, Calibration, "calibrate")
    records = [
        {"line": name, "said": part.said, "share": part.share, "low": part.share_low, "high": part.share_high}
        | {"Said": number(part.said), "Came true": f"{part.true} of {part.n}", "Share": number(part.share)}
        | {"Interval": between(part.share_low, part.share_high), "From": number(part.low), "To": number(part.high)}
        for name, result in named.items()
        for part in result.bins
    ]
    lines = ["On the dashed line as much comes true as is said; below it the model is too sure"]
    for name, result in named.items():
        lead = f"{name}: e" if len(named) > 1 else "E"
        error = f"{lead}xpected calibration error {number(result.error)}"
        lines.append(f"{error} ({level(result.level)} interval {between(result.low, result.high)})")
    chart: altair.LayerChart = styled(
        alt.layer(*_said_layers(named, records)), "What is said, and how often it comes true", lines
    )
    return chart.properties(width=_PLANE, height=_PLANE)


def _said_layers(named: Mapping[str, Calibration], records: Sequence[Record]) -> list[Any]:
    scale, title = alt.Scale(domain=[0, 1], nice=False), "Share that comes true"
    x = alt.X("said:Q", title="Probability that the model says", scale=scale)
    places = {"x": x, "y": alt.Y("share:Q", title=title, scale=scale)}
    every = (_LINES, DASHES, _SHAPES)
    looks = {name: tuple(kinds[i % len(kinds)] for kinds in every) for i, name in enumerate(named)}
    legend = alt.Legend(title="Model", symbolStrokeWidth=2) if len(named) > 1 else None
    encoded = told_apart("line:N", looks, "color strokeDash shape", legend)
    colour, dash, shape = (encoded[name] for name in ("color", "strokeDash", "shape"))
    tips = ["line:N", "From:N", "To:N", "Said:N", "Came true:N", "Share:N", "Interval:N"]
    diagonal = [{"said": 0, "share": 0}, {"said": 1, "share": 1}]
    ends = {"x": x, "y": alt.Y("low:Q", title=title, scale=scale), "y2": "high:Q"}
    look = {"size": 60, "filled": True, "opacity": 1}
    return [
        marks("line", diagonal, {"color": "#777777", "strokeDash": [4, 4]}, **places),
        marks("rule", records, {"strokeWidth": 1.5}, **ends, color=colour),
        marks("line", records, {"strokeWidth": 2}, **places, color=colour, strokeDash=dash),
        marks("point", records, look, **places, color=colour, shape=shape, tooltip=tips),
    ]


def _by_name(results: Any, kind: type, source: str) -> dict[str, Any]:
    """Return results by name, one alone without one."""
    named = {"": results} if isinstance(results, kind) else dict(results)
    if not named:
        raise InputError("empty", "results", "must hold at least one", {}, f"give what {source} returns")
    return named


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


def _ratio_record(ratio: CertaintyRatio) -> Record:
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
        """Return the row in words and numbers."""
        label = self.ratio.label
        names = {"label": self.model if several else label, "Model": self.model, "Metric": label}
        return names | _ratio_record(self.ratio)

    def why(self, name: str) -> list[str]:
        """Return why the score of a part of the mass is undefined."""
        start = f"{name}: "
        return [reason.removeprefix(start) for reason in self.ratio.reasons if reason.startswith(start)]

    @property
    def remark(self) -> str:
        """The lines below the ratio: why it is undefined where nothing else tells, and the parts' ratios."""
        reasons = [] if self.ratio.value is not None or any(map(self.why, _BARS)) else list(self.ratio.reasons)
        if self.parts:
            over = self.overview.models[self.model].over_parts(self.metric, convention=self.overview.convention)
            known = [value for value in over.values.values() if value is not None]
            where = f"in {count_of(len(self.parts), 'part')}"
            if known:
                reasons.append(f"{where}: mean {number(over.mean)} ({between(min(known), max(known))})")
            if over.undefined:
                reasons.append(f"undefined in {over.undefined}" if known else f"{where}: undefined")
        return "; ".join(reasons)


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
            record | _ratio_record(ratio) | {"Part": str(part), "at": getattr(ratio, name)}
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
        remarks = [
            record | {"words": _why(row, name)}
            for row, record in zip(rows, records, strict=True)
            if getattr(row.ratio, name) is None
        ]
        # Words begin at 0 as bars do, or at the left edge where there is too little room for them.
        drawn = [record | {"at": 0 if _NARROW * len(record["words"]) < room else ends[0]} for record in remarks]
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
        labelled = [record | {"words": text} for record, text in zip(records, texts, strict=True) if text]
        weight = "bold" if (place, off) == (246, -_OFF) else "normal"
        look = {"align": "left", "fontSize": 12, "fontWeight": weight, "color": TEXT, "yOffset": off}
        if labelled:
            layers.append(marks("text", labelled, look, x=alt.value(_WIDTH + place), y=y, text="words:N"))
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
