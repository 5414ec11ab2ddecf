"""Pictures of a recovery: the tables that fit a report, and the bounds that they leave."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain, count, product
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from ..answers import claimed_score, contradiction, nearest_values, short_verdict
from ..claims import ClaimedScore, FoldClaim, Recovery, TableClaim
from ..errors import InputError, TooLarge
from ..metrics import AREA, FALSE_POSITIVE_RATE, METRICS, RECALL, Metric, claimed_metric
from ..shape import finite
from ..solve.problem import Bounds
from ..table import Table
from ..words import count_of, listed, number, sentence
from .colours import BLACK, BLUE, COLOURS, GREY, TEXT, VERMILION
from .heat import MOST_WRITTEN, cell_width, heat_map
from .style import Floats, Record, alt, bars_begin, marks, styled, unchecked

if TYPE_CHECKING:
    import altair

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
# Of so few classes the cells are wide enough for words and the names of classes.
_FEW: Final = 6

_FITS, _OTHER = "fits every claim", "fails a claim"
_CLAIMED, _FOLLOWS, _LEFT = "claimed", "follows from the claims", "left by the other claims"

#: The part of the plane that is shown: ends of the false positive rate and of recall.
_View: TypeAlias = tuple[tuple[float, float], tuple[float, float]]
#: Positives and negatives.
_Margins: TypeAlias = tuple[int, int]


@unchecked
def feasible(recovery: Recovery) -> altair.LayerChart:
    """Draw the tables that `recover` found in the plane of false positive rate and recall, with each claim as a band.

    A table fits where all bands meet. Bands need known positives and negatives; without them the tables are drawn
    alone. Where few tables are in sight, those that do not fit are drawn small and grey. Of several classes, `cells`
    draws what each cell can be.

    Examples
    --------
    >>> from fourfold import recover
    >>> chart = feasible(recover(accuracy="0.85", positives=40, negatives=60))
    >>> chart.to_dict()["title"]["text"]
    '16 tables fit'
    """
    if recovery.layout == "classes":
        return cells(recovery)
    claim, lines = _table_claim(recovery), _about(recovery)
    margins = (claim.sized() or claim).margins
    # Without positives or without negatives a rate does not exist.
    both = margins if margins and all(margins) else None
    tables: list[Record] = []
    if (fitting := getattr(recovery.solution, "feasible", None)) is not None:
        rows = fitting.rows
        placed = rows.kept((rows.positives > 0) & (rows.negatives > 0))
        last, steps = placed.count - 1, min(placed.count, _MOST_TABLES) - 1
        some = placed.picked([place * last // max(steps, 1) for place in range(steps + 1)])
        tables = [
            _record(tp, positives - tp, negatives - tn, tn) | {"positives": positives, "kind": _FITS}
            for positives, negatives, tp, tn, _ in some.records
        ]
        placeless = rows.count - placed.count
        if len(tables) + placeless < fitting.count:
            lines.append(f"{len(tables)} of them are drawn, evenly thinned")
        if placeless:
            lines.append(f"{placeless} without positives or without negatives have no place here")
    if margins is None:
        lines.append("Claims are drawn as bands only where positives and negatives are known")
    elif both:
        where = "a table fits where all of them meet" if recovery.count else "no table lies in all of them"
        lines.append(f"Each claim holds inside its band; {where}")
    view = _view(recovery, claim, both, tables)
    others = _others(both, tables, view) if both and (fitting is None or fitting.complete) else []
    layers = [*(_bands(claim, both, view) if both else ()), *_table_layers(tables, others, _axes(view))]
    chart: altair.LayerChart = styled(alt.layer(*layers), short_verdict(recovery), lines)
    return chart.properties(width=_SIDE, height=_SIDE)


@unchecked
def cells(recovery: Recovery) -> altair.LayerChart:
    """Draw the least and the largest count of each cell over the tables of several classes that `recover` found.

    Rows are actual classes, columns predicted ones; the darker a cell, the larger its largest count. A cell with one
    number has that count in all tables. There may be at most twelve classes.

    Examples
    --------
    >>> from fourfold import recover
    >>> chart = cells(recover(classes=[5, 5, 5], accuracy="0.9333", **{"recall[0]": "1.0", "recall[1]": "0.8"}))
    >>> chart.to_dict()["title"]["text"]
    '2 sets of margins fit'
    """
    labels = recovery.claim.labels
    if len(labels) > MOST_WRITTEN:
        hint = "--bars draws the bounds of its scores; in Python, solution.class_cells has the counts"
        raise TooLarge("too_large", "recovery", f"has more than {MOST_WRITTEN} classes", len(labels), hint)
    class_cells, lines = recovery.class_cells, _about(recovery)
    records: list[Record] = []
    for i, j in product(range(len(labels)), repeat=2):
        low, high = (class_cells.low[i][j], class_cells.high[i][j]) if class_cells else (0, 0)
        both = str(low) if low == high else f"{low}{' to ' if len(labels) <= _FEW else '-'}{high}"
        text = both if class_cells else ""
        records.append({"Actual": labels[i], "Predicted": labels[j], "value": high, "text": text, "Cases": text})
    if class_cells:
        lines.append("In each cell: how many cases there are at least and at most, over all tables that fit")
    if class_cells and not class_cells.sharp:
        lines.append("No table goes beyond; not all ends are proven to be attained")
    look: Record = {
        "largest": max(1, *(record["value"] for record in records)),
        "width": cell_width([*(record["text"] for record in records), *(labels if len(labels) <= _FEW else ())]),
        "legend": ("Cases, at most",) if recovery.count else (),
        "words": {"Actual": "Actual class", "Predicted": "Predicted class", "Cases": "Cases"},
    }
    chart: altair.LayerChart = styled(heat_map(records, labels, **look), short_verdict(recovery), lines)
    return chart


@unchecked
def bounds(recovery: Recovery) -> altair.VConcatChart:
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
    bars = _bars(recovery) if recovery.count else _implied_bars(recovery)
    panels = []
    for log in (False, True):
        part = [bar for bar in bars if (bar.metric.limits.high is None) == log]
        if part or not (log or bars):
            panels.append(_panel(part, log=log))
    words = "Each bar is what the other claims allow; no table there has the value that was claimed"
    if recovery.count:
        words = "Each bar runs from the smallest to the largest value among the tables that fit"
    lines = [*_about(recovery), words if bars else "There is nothing to draw"]
    chart: altair.VConcatChart = styled(alt.vconcat(*panels, spacing=24), short_verdict(recovery), lines)
    return chart


def _table_claim(recovery: Recovery) -> TableClaim:
    """Return what is claimed of one table; of means that its scores could be, what was stated."""
    claim = recovery.stated if isinstance(recovery.claim, FoldClaim) else recovery.claim
    if not isinstance(claim, TableClaim):
        hint = "its rows() have the bounds"
        raise InputError("usage", "recovery", "about parts has no picture", recovery.layout, hint)
    return claim


def _about(recovery: Recovery) -> list[str]:
    """Say the sizes, and what contradicts or what must be so."""
    if recovery.layout == "classes":
        sizes = f"{count_of(len(recovery.claim.labels), 'class')}, {recovery.claim.total} cases"  # type: ignore[union-attr]
    else:
        claim = _table_claim(recovery)
        named = {"positives": claim.positives, "negatives": claim.negatives, "total": claim.total}
        given = [f"{name}: {size}" for name, size in named.items() if size.high is not None or size.low]
        sized, rows = claim.sized() or claim, getattr(recovery.solution, "feasible", None)
        if sized.open_ended:
            given.append(f"totals tried: up to {claim.largest_total}")
        sizes = "{} positives, {} negatives".format(*sized.margins) if sized.margins else ", ".join(given)
        sizes = "tables of all sizes" if rows and rows.all_sizes else sizes
    if recovery.verdict == "conditional":
        return [sizes, f"Possible only if {recovery.reading}"]
    lines = [contradiction(names, sure=False) for names in recovery.contradictions]
    return [sizes, *(sentence(line) if line.startswith("no table") else line for line in lines)]


def _view(recovery: Recovery, claim: TableClaim, margins: _Margins | None, tables: Sequence[Record]) -> _View:
    """Return the part of the plane worth showing: around the tables, or where the claims come close."""
    if tables:
        # Bands and other tables show what is around; without them there is less to see there.
        steps = 1.0 if margins is None else 3.5
        most = max(table["positives"] for table in tables), max(table["fp"] + table["tn"] for table in tables)
        x, y = ([table[axis] for table in tables] for axis in "xy")
        return _window(x, steps / most[1]), _window(y, steps / most[0])
    if margins is None:
        return (0.0, 1.0), (0.0, 1.0)
    x, y = ([rate] for rate in _closest(claim, margins))
    for implied in recovery.implied:
        # A table that fits the other claims and comes closest to this one, where the claim is to one side.
        near = [nearest.table for nearest in (implied.below, implied.above) if nearest]
        if len(near) == 1:
            x.append(near[0].fp / margins[1])
            y.append(near[0].tp / margins[0])
    return _window(x, 3.5 / margins[1]), _window(y, 3.5 / margins[0])


def _window(rates: Sequence[float], least_room: float) -> tuple[float, float]:
    low, high = min(rates), max(rates)
    room = max(0.12 * (high - low), least_room)
    low, high = max(low - room, 0.0), min(high + room, 1.0)
    return (0.0, 1.0) if high - low > _ALL_SHOWN else (low, high)


def _closest(claim: TableClaim, margins: _Margins) -> tuple[float, float]:
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


def _values(claim: TableClaim, claimed: ClaimedScore, margins: _Margins, x: Floats, y: Floats) -> Floats:
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


def _bands(claim: TableClaim, margins: _Margins, view: _View) -> list[Any]:
    """Return a layer for the bands that are followed from left to right, and one for those from bottom to top.

    Each band has a letter, so that bands are told apart by more than their colours: A, B, C ... and after Z numbers.
    """
    labels = []
    for letter, claimed in zip(chain(ascii_uppercase, map(str, count(27))), claim.scores, strict=False):
        text = claimed.reported.text.removeprefix("=").strip()
        labels.append(f"{letter}  {claimed.name} {'in' if text.startswith(('[', '(')) else '='} {text}")
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
    letters = []
    for place, band in enumerate(band for band in bands if band):
        # Bands cross, so each has its letter at another share of its length.
        at = band[(place + 1) * (len(band) - 1) // (len(bands) + 1)]
        x, y = ((at[f"{axis}2" if f"{axis}2" in at else axis] + at[axis]) / 2 for axis in "xy")
        letters.append({"x": x, "y": y, "letter": str(at["claim"]).split(maxsplit=1)[0]})
    if letters:
        ground = {"shape": "circle", "filled": True, "fill": "white", "stroke": BLACK, "size": 260, "opacity": 1}
        words = {"color": BLACK, "fontWeight": "bold", "fontSize": 12}
        layers.append(marks("point", letters, ground, **_axes(view)))
        layers.append(marks("text", letters, words, **_axes(view), text="letter:N"))
    return layers


def _band(claim: TableClaim, claimed: ClaimedScore, margins: _Margins, view: _View) -> list[Record]:
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
    values, places, along = (values.T, x, y) if upright else (values, y, x)
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
    held = np.isfinite(start)
    pieces = np.cumsum(np.diff(held, prepend=False) & held)
    names = ("x", "y", "y2", "piece") if upright else ("y", "x", "x2", "piece")
    rows = zip(*(column[held].tolist() for column in (places, start, stop, pieces)), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _others(margins: _Margins, tables: Sequence[Record], view: _View) -> list[Record]:
    """Return the tables in sight that do not fit, where they are few enough to be told apart."""
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
    colours = coloured if tables else {}
    if (distinct := len({table["positives"] for table in tables})) > 1:
        # The lightest end of the scheme would vanish on white.
        scale = alt.Scale(scheme=alt.SchemeParams(name="viridis", extent=[0, 0.85]))
        kind = "ordinal" if distinct <= 8 else "quantitative"
        colours = {"color": alt.Color("positives", type=kind, scale=scale, legend=alt.Legend(title="Positives"))}
    # The more dots there are, the smaller, so that a band is still seen behind them.
    look: Record = {"size": 14, "opacity": 0.8} if len(tables) <= 1500 else {"size": 2, "opacity": 0.6}
    if len(tables) <= 200:
        look = {"size": 70, "opacity": 1, "stroke": "white", "strokeWidth": 1}
    return [*layers, marks("circle", tables, look, **axes, **colours, tooltip=[*tooltip, "positives:Q"])]


class _Bar(NamedTuple):
    """One bar: what it is called, what it says, and what was reported where that lies outside."""

    label: str
    metric: Metric
    kind: str
    bounds: Bounds
    text: str
    claimed: tuple[float, float] | None = None


def _bars(recovery: Recovery) -> list[_Bar]:
    """Return a bar for every score whose bounds are asked for, claimed ones first; of one table for all if none are."""
    claimed = [score.meant for score in recovery.claim.scores if not score.is_count]
    if recovery.layout == "classes":
        known = recovery.shown_bounds
        names = sorted(known, key=lambda name: name not in claimed)
    else:
        names = [*claimed, *(metric.id for metric in recovery.bounded or METRICS.values())]
        known = {name: recovery.bounds(name) for name in names}
    bars = []
    for name in dict.fromkeys(names):
        base, _, of_class = name.partition("[")
        metric, ends = claimed_metric(base), known[name]
        low, high = number(ends.low), number(ends.high)
        text = low if low == high else f"{low} to {high}"
        text += "" if recovery.layout == "one table" or (ends.low_attained and ends.high_attained) else ", or less far"
        label = f"{metric.label}, {of_class[:-1]}" if of_class else metric.label
        bars.append(_Bar(label, metric, _CLAIMED if name in claimed else _FOLLOWS, ends, text))
    return bars


def _implied_bars(recovery: Recovery) -> list[_Bar]:
    """Return a bar for what the other claims of each contradiction leave; counts have no place on these axes."""
    bars = []
    for implied in recovery.implied if recovery.layout != "classes" else ():
        claimed = claimed_score(recovery, implied)
        if claimed.is_count or not implied.others:
            continue
        text = f"{nearest_values(claimed, implied)}, not {implied.reported}"
        label, metric = f"{implied.name}, given {listed(implied.others)}", claimed.metric
        # A printed 0.0 or 1.0 reaches beyond what the metric can be.
        low = max(claimed.reported.low, metric.limits.low)
        high = claimed.reported.high if metric.limits.high is None else min(claimed.reported.high, metric.limits.high)
        bars.append(_Bar(label, metric, _LEFT, Bounds(*implied.bounds), text, (float(low), float(high))))
    return bars


def _bar_record(bar: _Bar, least: float, most: float) -> Record:
    """Return the ends and the words of a bar; what lies outside of the axis is drawn at its beginning or end."""
    ends = bar.bounds
    record: Record = {"label": bar.label, "kind": bar.kind, "text": bar.text}
    record |= {"low": finite(ends.low), "high": finite(ends.high)}
    if ends.low is None or ends.high is None:
        return record
    record |= {"start": min(max(ends.low, least), most), "end": min(max(ends.high, least), most)}
    for side, near, table in (("least", ends.low, ends.low_witness), ("most", ends.high, ends.high_witness)):
        at = table if isinstance(table, Table) else None
        # An end is told as its table has it, exactly where that is short.
        value = None if at is None or bar.metric.id == AREA.id else bar.metric.formula.exact(at.cells())
        text = number(near if value is None else float(value), 9)
        record[f"at {side}"] = str(value) if value is not None and len(str(value)) <= _LONGEST else text
        record[f"{side} at"] = ", ".join(f"{name} {n}" for name, n in at.cells().items()) if at else ""
    return record


def _panel(bars: Sequence[_Bar], *, log: bool) -> Any:
    """Return one axis with its bars, the numbers written beside them."""
    ends = [end for bar in bars for end in (*bar.bounds[:2], *(bar.claimed or ())) if finite(end) is not None]
    least, most, title = bars_begin(ends), 1.0, "Metrics that end at 1"
    scale, ticks = alt.Scale(domain=[least, 1], nice=False), {}
    if log:
        # The power of ten below everything that has a place on the axis.
        above = [end for end in ends if end > 0]
        least = float(10.0 ** np.floor(np.log10(min(above)) - 0.3)) if above else 0.1
        most, title = max([10 * least, *ends]), "Metrics without an upper end, logarithmic"
        title += "; 0 is drawn at the left edge" if min(ends, default=1) <= 0 else ""
        scale, ticks = alt.Scale(type="log", domain=[least, most], nice=True), {"tickCount": 5}
    x = alt.X("start:Q", title=title, scale=scale, axis=alt.Axis(**ticks, labelFlush=False))
    records = [_bar_record(bar, least, most) for bar in bars]
    axis = alt.Axis(labelLimit=360, minExtent=210, ticks=False, domain=False, labelPadding=8)
    y = alt.Y("label:N", sort=[bar.label for bar in bars], title=None, axis=axis)
    kinds = [_CLAIMED, _LEFT if any(bar.claimed for bar in bars) else _FOLLOWS]
    legend = alt.Legend(title=None, orient="top", symbolType="square", symbolOpacity=1, symbolStrokeWidth=0)
    colours = alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=[VERMILION, BLUE]), legend=legend)
    tooltip = ["label:N", *(f"{name}:N" for name in ("at least", "least at", "at most", "most at"))]
    reported = [
        {"label": bar.label, "kind": _CLAIMED, "start": max(bar.claimed[0], least), "end": max(bar.claimed[1], least)}
        for bar in bars
        if bar.claimed
    ]
    layers = []
    ranges = [record for record in records if "start" in record]
    for some, more in ((ranges, {"tooltip": tooltip}), *([(reported, {})] if reported else ())):
        # A bar without length is still seen by its ends.
        encoded = {"x": x, "y": y, "color": colours, **more}
        layers.append(marks("bar", some, {"height": _BAR_HEIGHT}, **encoded, x2="end:Q"))
        tick = {"thickness": 3, "size": _BAR_HEIGHT, "opacity": 1}
        layers += [marks("tick", some, tick, **encoded | {"x": end}) for end in (x, alt.X("end:Q"))]
    place, look = alt.value(_BARS_WIDTH + 12), {"align": "left", "fontSize": 12, "color": TEXT}
    layers.append(marks("text", records, look, y=y, x=place, text="text:N"))
    return alt.layer(*layers).properties(width=_BARS_WIDTH, height=alt.Step(_BAR_STEP))
