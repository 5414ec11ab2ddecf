"""Pictures of a recovery: the tables that fit a report, and the bounds that they leave."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain, count, product
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from ..answers import nearest_values, short_class_verdict, short_verdict
from ..claims import Claim, ClassBounds, ClassRecovery, ClassScore, Implied, Recovery
from ..metrics import AREA, FALSE_POSITIVE_RATE, METRICS, RECALL, Metric
from ..shape import finite
from ..space import Bounds, Rows
from ..table import Table
from ..words import listed, number
from .classes import about_classes, contradiction_lines
from .colours import BLACK, BLUE, COLOURS, GREY, TEXT, VERMILION
from .style import Floats, Record, alt, bars_begin, marks, styled, unchecked

if TYPE_CHECKING:
    import altair

    from ..claims.claim import ClaimedScore

# Pixels of the plane, and of the bars: of all, of a row, and of a bar in it.
_SIDE: Final = 420
_BARS_WIDTH, _BAR_STEP, _BAR_HEIGHT = 380, 18, 10
# How many tables are drawn at most, and up to how many that do not fit are drawn behind them.
_MOST_TABLES, _MOST_BEHIND = 5000, 1500
# A band is followed at this many places, and looked for among this many values at each.
_PLACES, _LOOKED_AT = 201, 401
# From this share of the plane on, all of it is shown.
_ALL_SHOWN: Final = 0.6
# A fraction of more characters is written in decimals.
_LONGEST: Final = 40

_FITS, _OTHER = "fits every claim", "fails a claim"
_CLAIMED, _FOLLOWS, _LEFT = "claimed", "follows from the claims", "left by the other claims"

#: The part of the plane that is shown: ends of the false positive rate and of recall.
_View: TypeAlias = tuple[tuple[float, float], tuple[float, float]]


@unchecked
def feasible(recovery: Recovery) -> altair.LayerChart:
    """Draw the tables that `recover` found in the plane of false positive rate and recall, with each claim as a band.

    A table fits where all bands meet. Bands need known positives and negatives; without them the tables are drawn
    alone. Where few tables are in sight, those that do not fit are drawn small and grey.

    Examples
    --------
    >>> from fourfold import recover
    >>> chart = feasible(recover(accuracy="0.85", positives=40, negatives=60))
    >>> chart.to_dict()["title"]["text"]
    '16 tables fit'
    """
    tables = _thinned(recovery)
    view = _view(recovery, tables)
    others = _others(recovery, tables, view)
    layers = [*_bands(recovery.claim, view), *_table_layers(tables, others, _axes(view))]
    chart: altair.LayerChart = styled(alt.layer(*layers), short_verdict(recovery), _plane_lines(recovery, len(tables)))
    return chart.properties(width=_SIDE, height=_SIDE)


@unchecked
def bounds(recovery: Recovery | ClassRecovery) -> altair.VConcatChart:
    """Draw every metric's smallest and largest value over the tables that `recover` found, claimed metrics first.

    Metrics that end at 1 share one axis; those without an end have a second one, logarithmic. Where nothing fits, the
    bars are what the other claims of a contradiction leave for each of them.

    Examples
    --------
    >>> from fourfold import recover
    >>> chart = bounds(recover(accuracy="0.85", positives=40, negatives=60))
    >>> [len(panel["layer"]) for panel in chart.to_dict()["vconcat"]]  # bars, both of their ends, numbers
    [4, 4]
    """
    title, about, bars = _about(recovery)
    panels = []
    for log in (False, True):
        part = [bar for bar in bars if (bar.metric.limits.high is None) == log]
        if part or not (log or bars):
            panels.append(_panel(part, log=log))
    words = "Each bar is what the other claims allow; no table there has the value that was claimed"
    if recovery.count:
        words = "Each bar runs from the smallest to the largest value among the tables that fit"
    lines = [*about, words if bars else "There is nothing to draw"]
    chart: altair.VConcatChart = styled(alt.vconcat(*panels, spacing=24), title, lines)
    return chart


def _about(recovery: Recovery | ClassRecovery) -> tuple[str, list[str], list[_Bar]]:
    """Return the heading of bars, what is said about the report, and the bars."""
    if isinstance(recovery, ClassRecovery):
        return short_class_verdict(recovery), about_classes(recovery), _class_bars(recovery) if recovery.count else []
    bars = _bars(recovery) if recovery.count else _implied_bars(recovery)
    return short_verdict(recovery), _about_table(recovery), bars


def _about_table(recovery: Recovery) -> list[str]:
    """Say the sizes, and what contradicts or what must be so."""
    if recovery.verdict == "conditional":
        return [_sizes(recovery), f"Possible only if {recovery.reading}"]
    return [_sizes(recovery), *contradiction_lines(recovery.contradictions)]


def _plane_lines(recovery: Recovery, drawn: int) -> list[str]:
    lines = _about_table(recovery)
    rows = recovery.feasible.rows
    placeless = rows.count - _placed(rows).count
    if drawn + placeless < recovery.count:
        lines.append(f"{drawn} of them are drawn, evenly thinned")
    if placeless:
        lines.append(f"{placeless} without positives or without negatives have no place here")
    if _margins(recovery.claim) is None:
        lines.append("Claims are drawn as bands only where positives and negatives are known")
    elif _plane(recovery.claim):
        where = "a table fits where all of them meet" if recovery.count else "no table lies in all of them"
        lines.append(f"Each claim holds inside its band; {where}")
    return lines


def _sizes(recovery: Recovery) -> str:
    claim = recovery.claim
    if recovery.feasible.all_sizes:
        return "tables of all sizes"
    margins = _margins(claim)
    if margins is not None:
        return f"{margins[0]} positives, {margins[1]} negatives"
    sizes = {"positives": claim.positives, "negatives": claim.negatives, "total": claim.total}
    given = [f"{name}: {size}" for name, size in sizes.items() if size.high is not None or size.low]
    if (claim.sized() or claim).open_ended:
        given.append(f"totals tried: up to {claim.largest_total}")
    return ", ".join(given)


def _plane(claim: Claim) -> tuple[int, int] | None:
    """Return positives and negatives where both are known and both rates exist."""
    margins = _margins(claim)
    return margins if margins and all(margins) else None


def _margins(claim: Claim) -> tuple[int, int] | None:
    """Return positives and negatives where both are known, be it from counts."""
    return (claim.sized() or claim).margins


def _placed(rows: Rows) -> Rows:
    """Return the tables that have both rates."""
    return rows.kept((rows.positives > 0) & (rows.negatives > 0))


def _thinned(recovery: Recovery) -> list[Record]:
    """Return a record for each table that fits and has a place, or for some at even steps through all."""
    rows = _placed(recovery.feasible.rows)
    last, steps = rows.count - 1, min(rows.count, _MOST_TABLES) - 1
    some = rows.picked([place * last // max(steps, 1) for place in range(steps + 1)])
    return [
        _record(tp, positives - tp, negatives - tn, tn) | {"positives": positives, "kind": _FITS}
        for positives, negatives, tp, tn, _ in some.records
    ]


def _view(recovery: Recovery, tables: Sequence[Record]) -> _View:
    """Return the part of the plane worth showing: around the tables, or where the claims come close."""
    margins = _plane(recovery.claim)
    if tables:
        # Bands and other tables show what is around; without them there is less to see there.
        steps = 1.0 if margins is None else 3.5
        most = max(table["positives"] for table in tables), max(table["fp"] + table["tn"] for table in tables)
        x, y = [table["x"] for table in tables], [table["y"] for table in tables]
        return _window(x, steps / most[1]), _window(y, steps / most[0])
    if margins is None:
        return (0.0, 1.0), (0.0, 1.0)
    place = _closest(recovery.claim, margins)
    near = [table for implied in recovery.implied for table in _near(implied)]
    x, y = [place[0], *(t.fp / margins[1] for t in near)], [place[1], *(t.tp / margins[0] for t in near)]
    return _window(x, 3.5 / margins[1]), _window(y, 3.5 / margins[0])


def _window(rates: Sequence[float], least_room: float) -> tuple[float, float]:
    low, high = min(rates), max(rates)
    room = max(0.12 * (high - low), least_room)
    low, high = max(low - room, 0.0), min(high + room, 1.0)
    return (0.0, 1.0) if high - low > _ALL_SHOWN else (low, high)


def _near(implied: Implied) -> list[Table]:
    """Return a table that fits the other claims and comes closest to this one, where the claim is to one side."""
    sides = [nearest.table for nearest in (implied.below, implied.above) if nearest]
    return sides if len(sides) == 1 else []


def _closest(claim: Claim, margins: tuple[int, int]) -> tuple[float, float]:
    """Return a place in the plane where all claims together are least wrong, by looking ever closer."""
    place, half = (0.5, 0.5), 0.5
    for _ in range(4):
        x, y = (np.linspace(max(rate - half, 0), min(rate + half, 1), 41) for rate in place)
        wrong = np.zeros((41, 41))
        for claimed in claim.scores:
            values = _values(claim, claimed, margins, x, y)
            off = np.maximum(float(claimed.reported.low) - values, values - float(claimed.reported.high))
            off = np.where(np.isnan(off), np.inf, np.maximum(off, 0))
            finite = off[np.isfinite(off)]
            wrong = np.maximum(wrong, off / (finite.max() or 1) if finite.size else 0)
        row, column = np.unravel_index(int(wrong.argmin()), wrong.shape)
        place, half = (float(x[column]), float(y[row])), half / 6
    return place


def _values(claim: Claim, claimed: ClaimedScore, margins: tuple[int, int], x: Floats, y: Floats) -> Floats:
    """Return a claimed score over the plane, rows along recall; cells need not be whole here."""
    positives, negatives = margins
    fpr, recall = np.meshgrid(x, y)
    if claimed.is_area:
        # Of the areas that a point leaves, the one nearest to what was claimed.
        low = (1 - fpr) * recall if claim.curve == "any" else (1 + recall - fpr) / 2
        middle = float(claimed.reported.low + claimed.reported.high) / 2
        return np.asarray(np.clip(middle, low, 1 - fpr * (1 - recall)))
    fp, tp = fpr * negatives, recall * positives
    return claimed.metric.formula.evaluate({"tp": tp, "fn": positives - tp, "fp": fp, "tn": negatives - fp})


def _axes(view: _View) -> Record:
    axes = {}
    for name, channel, ends, metric in zip("xy", (alt.X, alt.Y), view, (FALSE_POSITIVE_RATE, RECALL), strict=True):
        scale = alt.Scale(domain=list(ends), zero=False, nice=False)
        axis = alt.Axis(tickCount=6, labelFlush=False)
        axes[name] = channel(f"{name}:Q", title=f"{metric.label}: {metric.formula.text()}", scale=scale, axis=axis)
    return axes


def _bands(claim: Claim, view: _View) -> list[Any]:
    """Return a layer for the bands that are followed from left to right, and one for those from bottom to top."""
    margins = _plane(claim)
    if margins is None:
        return []
    labels = [f"{letter}  {_printed(claimed)}" for letter, claimed in zip(_letters(), claim.scores, strict=False)]
    scale = alt.Scale(domain=labels, range=[COLOURS[i % len(COLOURS)] for i in range(len(labels))])
    legend = alt.Legend(title="Claims", symbolType="square", symbolOpacity=0.6, symbolSize=160, symbolStrokeWidth=0)
    encoded = _axes(view) | {
        "fill": alt.Fill("claim:N", scale=scale, legend=legend),
        "stroke": alt.Stroke("claim:N", scale=scale, legend=None),
        "detail": "piece:N",
        "tooltip": [alt.Tooltip("claim:N", title="Claim")],
    }
    look = {"clip": True, "fillOpacity": 0.4, "strokeWidth": 2, "strokeOpacity": 1}
    bands = [
        [record | {"claim": label} for record in _band(claim, claimed, margins, view)]
        for label, claimed in zip(labels, claim.scores, strict=True)
    ]
    records = [record for band in bands for record in band]
    layers = []
    for second, orient in (("y2", "vertical"), ("x2", "horizontal")):
        part = [record for record in records if second in record]
        if part or (second == "y2" and not records):
            layers.append(marks("area", part, look | {"orient": orient}, **encoded, **{second: f"{second}:Q"}))
    return [*layers, *_band_letters(bands, view)]


def _letters() -> Iterator[str]:
    """Walk A, B, C ... and after Z numbers."""
    return chain(ascii_uppercase, map(str, count(27)))


def _band_letters(bands: Sequence[Sequence[Record]], view: _View) -> list[Any]:
    """Return a letter on each band, so that bands are told apart by more than their colours."""
    records = []
    for place, band in enumerate(band for band in bands if band):
        # Bands cross, so each has its letter at another share of its length.
        at = band[(place + 1) * (len(band) - 1) // (len(bands) + 1)]
        x, y = ((at[f"{axis}2" if f"{axis}2" in at else axis] + at[axis]) / 2 for axis in "xy")
        records.append({"x": x, "y": y, "letter": str(at["claim"]).split(maxsplit=1)[0]})
    if not records:
        return []
    ground = {"shape": "circle", "filled": True, "fill": "white", "stroke": BLACK, "size": 260, "opacity": 1}
    words = {"color": BLACK, "fontWeight": "bold", "fontSize": 12}
    axes = _axes(view)
    return [marks("point", records, ground, **axes), marks("text", records, words, **axes, text="letter:N")]


def _printed(claimed: ClaimedScore) -> str:
    text = claimed.reported.text.removeprefix("=").strip()
    return f"{claimed.name} in {text}" if text.startswith(("[", "(")) else f"{claimed.name} = {text}"


def _band(claim: Claim, claimed: ClaimedScore, margins: tuple[int, int], view: _View) -> list[Record]:
    """Return where a claim holds, as one interval at each of many places.

    Metrics are monotone along both rates, so that there is one interval; the rate along which the metric changes
    faster gives the narrower ones, and is the one that intervals are taken along.
    """
    grids = [np.linspace(*ends, _PLACES) for ends in view]
    steps = [np.abs(np.diff(_values(claim, claimed, margins, *grids), axis=axis)) for axis in (1, 0)]
    across, up = (float(np.median(step[np.isfinite(step)])) if np.isfinite(step).any() else 0.0 for step in steps)
    upright = up >= across
    lengths = (_PLACES, _LOOKED_AT) if upright else (_LOOKED_AT, _PLACES)
    x, y = (np.linspace(*ends, length) for ends, length in zip(view, lengths, strict=True))
    values = _values(claim, claimed, margins, x, y)
    places, along = (x, y) if upright else (y, x)
    low, high = _interval(values.T if upright else values, along, claimed)
    held = np.isfinite(low)
    pieces = np.cumsum(np.diff(held, prepend=False) & held)
    names = ("x", "y", "y2", "piece") if upright else ("y", "x", "x2", "piece")
    rows = zip(*(column[held].tolist() for column in (places, low, high, pieces)), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _interval(values: Floats, along: Floats, claimed: ClaimedScore) -> tuple[Floats, Floats]:
    """Return for each row where its values lie in the reported interval, infinite where nowhere."""
    low, high = float(claimed.reported.low), float(claimed.reported.high)
    before, after = values[:, :-1], values[:, 1:]
    with np.errstate(all="ignore"):
        ends = np.stack([(end - before) / (after - before) for end in (low, high)])
        meets = (np.minimum(before, after) <= high) & (np.maximum(before, after) >= low)
    # Where the metric does not change, a stretch is inside as a whole or not at all.
    still = before == after
    first = np.where(still, 0, np.clip(ends.min(axis=0), 0, 1))
    last = np.where(still, 1, np.clip(ends.max(axis=0), 0, 1))
    step = np.diff(along)
    start = np.where(meets, along[:-1] + first * step, np.inf).min(axis=1)
    stop = np.where(meets, along[:-1] + last * step, -np.inf).max(axis=1)
    return start, stop


def _others(recovery: Recovery, tables: Sequence[Record], view: _View) -> list[Record]:
    """Return the tables in sight that do not fit, where they are few enough to be told apart."""
    margins = _plane(recovery.claim)
    if margins is None or not recovery.feasible.complete:
        return []
    positives, negatives = margins
    sides = zip(view, (negatives, positives), strict=True)
    fps, tps = (range(math.ceil(ends[0] * size), math.floor(ends[1] * size) + 1) for ends, size in sides)
    if len(fps) * len(tps) > _MOST_BEHIND:
        return []
    fitting = {(table["tp"], table["fp"]) for table in tables}
    return [
        _record(tp, positives - tp, fp, negatives - fp) | {"kind": _OTHER}
        for tp, fp in product(tps, fps)
        if (tp, fp) not in fitting
    ]


def _record(tp: int, fn: int, fp: int, tn: int) -> Record:
    return {"x": fp / (fp + tn), "y": tp / (tp + fn), "tp": tp, "fn": fn, "fp": fp, "tn": tn}


def _table_layers(tables: Sequence[Record], others: Sequence[Record], axes: Record) -> list[Any]:
    """Return the layers of tables that do not fit and of those that do; where sizes differ, colours tell positives."""
    kinds = {_FITS: BLACK} if tables else {}
    kinds |= {_OTHER: GREY} if others else {}
    legend = alt.Legend(title="Tables", symbolType="circle", symbolOpacity=1, symbolSize=60, symbolStrokeWidth=0)
    scale = alt.Scale(domain=list(kinds), range=list(kinds.values()))
    coloured = {"color": alt.Color("kind:N", scale=scale, legend=legend)}
    tooltip, small = ["tp:Q", "fn:Q", "fp:Q", "tn:Q"], {"size": 14, "opacity": 1}
    layers = [marks("circle", others, small, **axes, **coloured, tooltip=tooltip)] if others else []
    own = coloured if tables else {}
    if (distinct := len({table["positives"] for table in tables})) > 1:
        # The lightest end of the scheme would vanish on white.
        scale = alt.Scale(scheme=alt.SchemeParams(name="viridis", extent=[0, 0.85]))
        kind = "ordinal" if distinct <= 8 else "quantitative"
        own = {"color": alt.Color("positives", type=kind, scale=scale, legend=alt.Legend(title="Positives"))}
    # The more dots there are, the smaller, so that a band is still seen behind them.
    look: Record = {"size": 14, "opacity": 0.8} if len(tables) <= 1500 else {"size": 2, "opacity": 0.6}
    if len(tables) <= 200:
        look = {"size": 70, "opacity": 1, "stroke": "white", "strokeWidth": 1}
    return [*layers, marks("circle", tables, look, **axes, **own, tooltip=[*tooltip, "positives:Q"])]


class _Bar(NamedTuple):
    """One bar: what it is called, what it says, and what was reported where that lies outside."""

    label: str
    metric: Metric
    kind: str
    bounds: Bounds | ClassBounds
    text: str
    claimed: tuple[float, float] | None = None


def _bars(recovery: Recovery) -> list[_Bar]:
    """Return a bar for every metric whose bounds are asked for, claimed ones first; for all where none are."""
    claimed = {score.metric.id: score.metric for score in recovery.claim.scores if not score.is_count}
    others = {metric.id: metric for metric in recovery.bounded or METRICS.values() if metric.id not in claimed}
    return [
        _Bar(metric.label, metric, _CLAIMED if name in claimed else _FOLLOWS, bounds, _ends(bounds))
        for name, metric in (claimed | others).items()
        for bounds in [recovery.bounds(metric)]
    ]


def _class_bars(recovery: ClassRecovery) -> list[_Bar]:
    """Return a bar for every score whose bounds are asked for, claimed ones first."""
    claimed = {each.score.name for each in recovery.claim.scores}
    bars: list[_Bar] = []
    for name, bounds in sorted(recovery.shown_bounds.items(), key=lambda pair: pair[0] not in claimed):
        score = ClassScore.find(name, recovery.claim.labels)
        label = score.metric.label
        label += "" if score.place is None else f", {recovery.claim.labels[score.place]}"
        text = _ends(bounds) + ("" if bounds.low_sharp and bounds.high_sharp else ", or less far")
        bars.append(_Bar(label, score.metric, _CLAIMED if name in claimed else _FOLLOWS, bounds, text))
    return bars


def _ends(bounds: Bounds | ClassBounds) -> str:
    low, high = number(bounds.low), number(bounds.high)
    return low if low == high else f"{low} to {high}"


def _implied_bars(recovery: Recovery) -> list[_Bar]:
    """Return a bar for what the other claims of each contradiction leave; counts have no place on these axes."""
    scores = {claimed.name: claimed for claimed in recovery.stated.scores}
    bars = []
    for implied in recovery.implied:
        if scores[implied.name].is_count or not implied.others:
            continue
        reported = scores[implied.name].reported
        text = nearest_values(recovery.stated, implied)
        label = f"{implied.name}, given {listed(implied.others)}"
        metric = scores[implied.name].metric
        # A printed 0.0 or 1.0 reaches beyond what the metric can be.
        low = max(reported.low, metric.limits.low)
        high = reported.high if metric.limits.high is None else min(reported.high, metric.limits.high)
        bars.append(_Bar(label, metric, _LEFT, implied.bounds, text, (float(low), float(high))))
    return bars


def _bar_record(bar: _Bar, least: float, most: float) -> Record:
    """Return what is drawn and said of a bar; what lies outside of the axis is drawn at its beginning or end."""
    bounds = bar.bounds
    ends = {"low": finite(bounds.low), "high": finite(bounds.high)}
    record: Record = {"label": bar.label, "kind": bar.kind, **ends, "text": bar.text}
    if bounds.low is None or bounds.high is None:
        return record
    record |= {"start": min(max(bounds.low, least), most), "end": min(max(bounds.high, least), most)}
    if isinstance(bounds, ClassBounds):
        return record | {"at least": number(bounds.low, 9), "at most": number(bounds.high, 9)}
    return record | {
        "at least": _exact(bar.metric, bounds.low_table, bounds.low),
        "least at": _in_words(bounds.low_table),
        "at most": _exact(bar.metric, bounds.high_table, bounds.high),
        "most at": _in_words(bounds.high_table),
    }


def _exact(metric: Metric, table: Table | None, near: float) -> str:
    """Return a bound as its table has it, exactly where that is short."""
    value = None if table is None or metric.id == AREA.id else metric.formula.exact(table.cells())
    text = str(value)
    return text if value is not None and len(text) <= _LONGEST else number(near if value is None else float(value), 9)


def _in_words(table: Table | None) -> str:
    return "" if table is None else ", ".join(f"{name} {n}" for name, n in table.cells().items())


def _panel(bars: Sequence[_Bar], *, log: bool) -> Any:
    """Return one axis with its bars, the numbers written beside them."""
    ends = [end for bar in bars for end in (*bar.bounds[:2], *(bar.claimed or ())) if finite(end) is not None]
    least = bars_begin(ends)
    if log:
        # The power of ten below everything that has a place on the axis.
        above = [end for end in ends if end > 0]
        least = float(10.0 ** np.floor(np.log10(min(above)) - 0.3)) if above else 0.1
    most = max([10 * least, *ends]) if log else 1.0
    records = [_bar_record(bar, least, most) for bar in bars]
    axis = alt.Axis(labelLimit=360, minExtent=210, ticks=False, domain=False, labelPadding=8)
    y = alt.Y("label:N", sort=[bar.label for bar in bars], title=None, axis=axis)
    kinds = [_CLAIMED, _LEFT if any(bar.claimed for bar in bars) else _FOLLOWS]
    legend = alt.Legend(title=None, orient="top", symbolType="square", symbolOpacity=1, symbolStrokeWidth=0)
    colours = alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=[VERMILION, BLUE]), legend=legend)
    encoded = {"x": _bar_axis(ends, least, log=log), "y": y, "color": colours}
    tooltip = ["label:N", *(f"{name}:N" for name in ("at least", "least at", "at most", "most at"))]
    layers = _bar_layers([record for record in records if "start" in record], encoded | {"tooltip": tooltip})
    reported = [
        {"label": bar.label, "kind": _CLAIMED, "start": max(bar.claimed[0], least), "end": max(bar.claimed[1], least)}
        for bar in bars
        if bar.claimed
    ]
    layers += _bar_layers(reported, encoded) if reported else []
    place, look = alt.value(_BARS_WIDTH + 12), {"align": "left", "fontSize": 12, "color": TEXT}
    layers.append(marks("text", records, look, y=y, x=place, text="text:N"))
    return alt.layer(*layers).properties(width=_BARS_WIDTH, height=alt.Step(_BAR_STEP))


def _bar_layers(records: Sequence[Record], encoded: Record) -> list[Any]:
    """Return bars and their ends: a bar without length is still seen by them."""
    tick = {"thickness": 3, "size": _BAR_HEIGHT, "opacity": 1}
    ends = [marks("tick", records, tick, **encoded | {"x": x}) for x in (encoded["x"], alt.X("end:Q"))]
    return [marks("bar", records, {"height": _BAR_HEIGHT}, **encoded, x2="end:Q"), *ends]


def _bar_axis(ends: Sequence[float], least: float, *, log: bool) -> Any:
    if log:
        title = "Metrics without an upper end, logarithmic"
        title += "; 0 is drawn at the left edge" if min(ends, default=1) <= 0 else ""
        scale = alt.Scale(type="log", domain=[least, max([10 * least, *ends])], nice=True)
        return alt.X("start:Q", title=title, scale=scale, axis=alt.Axis(tickCount=5, labelFlush=False))
    scale = alt.Scale(domain=[least, 1], nice=False)
    return alt.X("start:Q", title="Metrics that end at 1", scale=scale, axis=alt.Axis(labelFlush=False))
