"""Pictures of exact laws: how a score falls when cases are drawn from a reference, at one size and at many."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..chance.draws import Source
from ..chance.laws import Law
from ..chance.laws import law as law_of
from ..errors import InputError
from ..exact.surd import Exact
from ..groups import Match
from ..metrics import Metric
from ..metrics import metric as metric_of
from ..table import Table
from ..words import number, percent
from .colours import BLACK, BLUE, GREY, TEXT, VERMILION
from .style import Floats, Record, Span, alt, marks, styled, told_apart, unchecked

if TYPE_CHECKING:
    import altair

# Pixels of the law at one size, of the laws at many, and of the strip below them.
_WIDTH, _HEIGHT, _TALL, _STRIP = 560, 260, 360, 70
# Up to this many values are drawn one by one; more are put together in bins.
_MOST_VALUES: Final = 150
# Beyond this many steps the law is summed up at the ends of the bins instead of walked through.
_MOST_STEPS: Final = 4_000_000
_BINS: Final = 50
# Beyond these chances a law has tails that are too thin to see.
_UNSEEN, _FARTHEST, _NEVER = 1e-4, 8.0, 1e-12
# Notes that the heading says in other words.
_SHOWN_NOTES: Final = ("score_undefined", "undefined_mass")
# Scores this close, relative to their size, are one score: they are floats.
_NEAR: Final = 1e-9
_AT_MOST, _HIGHER = "at most as high as this group's", "higher"
_MEDIAN, _BETWEEN, _REFERENCE_SCORE = "median", "at least 95 % lie between", "score of the reference"
_QUANTILES: Final = {0.025: _BETWEEN, 0.5: _MEDIAN, 0.975: _BETWEEN}


class _Bars(NamedTuple):
    """A law as bars: where each begins and ends, its chance, its middle, and whether at most as high as a score."""

    start: Floats
    end: Floats
    chance: Floats
    value: Floats
    at_most: NDArray[np.bool_]

    @property
    def binned(self) -> bool:
        """Whether values were put together."""
        return bool((self.start < self.end).any())


@unchecked
def law(match: Match) -> altair.LayerChart:
    """Draw the exact law that a match compares a group with, the group's score in it, and the part at most as high.

    Where there are many values, they are put together in bins, one of which ends at the group's score.

    Examples
    --------
    >>> from fourfold.groups import match
    >>> compared = match(Table(tp=1, fn=4, fp=2, tn=13), Table(tp=60, fn=40, fp=80, tn=320), "recall")
    >>> law(compared).to_dict()["title"]["subtitle"][0]
    "This group's score: 0.2000; a score at most as high has a chance of 8.6 %"
    """
    chosen, size = metric_of(match.metric), match.group.total
    law_drawn = law_of(chosen, size, Source.of(match.reference, uncertain=match.reference_uncertainty))
    if law_drawn.steps <= _MOST_STEPS or not law_drawn.defined:
        values, chances = law_drawn.whole
        span = Span.of(chosen, [*_seen(values, chances), match.score]).wider()
        bars = _bars(span, values, chances, match.score)
    else:
        span = Span.of(chosen, [*_ends(law_drawn, match), match.score]).wider()
        bars = _summed_bars(span, law_drawn, chosen.formula.exact(match.group.cells()))
    layers = [_bar_layer(bars, span, match)]
    if match.score is not None:
        layers += _marker(span, match.score)
    title = f"{match.label} of {size} cases drawn from the reference"
    lines = [_verdict(chosen, match), _missing(match.undefined)]
    if bars.binned:
        lines.append("The possible scores are put together in bins")
    lines += [f"Note: {note.text}" for note in match.notes if note.code not in _SHOWN_NOTES]
    chart: altair.LayerChart = styled(alt.layer(*layers), title, lines)
    return chart.properties(width=_WIDTH, height=_HEIGHT)


@unchecked
def jagged(metric: str | Metric, reference: Table, *, sizes: Iterable[int] = range(1, 31)) -> altair.VConcatChart:
    """Draw the law of a metric at many sizes of draws from a table: every score's chance, quantiles, undefined below.

    It shows how a score jumps about and leans to one side in small groups, just because they are small.

    Examples
    --------
    >>> chart = jagged("recall", Table(tp=60, fn=40, fp=80, tn=320), sizes=[1, 2, 3])
    >>> chart.to_dict()["vconcat"][1]["encoding"]["y"]["title"]
    'Undefined'
    """
    chosen, source = metric_of(metric), Source.of(reference)
    laws = [law_of(chosen, size, source) for size in sizes]
    if not laws:
        raise InputError("empty", "sizes", "must hold at least one size", [], "give numbers of cases, such as 1 to 30")
    exact = chosen.formula.exact(reference.cells())
    score = None if exact is None else float(exact)
    span = Span.of(chosen, [*(value for law in laws for value in _seen(*law.whole)), score]).wider()
    layers = [_bubbles(laws, chosen, span), _lines(laws, score, span)]
    panels = [
        part.encode(x=_size_axis(laws, title)).properties(width=_WIDTH, height=height)
        for part, title, height in ((alt.layer(*layers), None, _TALL), (_strip(laws), "Number of cases", _STRIP))
    ]
    words = ["Each bubble is a possible score; its area is its chance, given that the score is defined"]
    if max(len(law.whole[0]) for law in laws) > _MOST_VALUES:
        words.append(f"Where there are more than {_MOST_VALUES} scores, nearby ones share a bubble")
    title = f"{chosen.label} against the number of cases drawn from the reference"
    chart: altair.VConcatChart = styled(alt.vconcat(*panels, spacing=8), title, words)
    return chart


def _seen(values: Floats, chances: Floats) -> list[float]:
    """Return the values between tails that are too thin to see."""
    sums = np.cumsum(chances)
    kept = values[(sums > _UNSEEN) & (sums - chances < 1 - _UNSEEN)]
    return [float(value) for value in kept]


def _bars(span: Span, values: Floats, chances: Floats, score: float | None) -> _Bars:
    """Return each value as a bar without width, or bins of values, one of which ends at the score."""
    at_most = values <= (-math.inf if score is None else score + _NEAR * (1 + abs(score)))
    places = values if span.least is None else np.clip(values, span.least, span.high)
    if len(values) <= _MOST_VALUES:
        return _Bars(places, places, chances, values, at_most)
    origin, width = _grid(span, score)
    scaled = span.even(places)
    index = np.ceil((scaled - origin) / width).astype(np.int64)
    # Values that are drawn in one place may still lie on different sides of the score.
    index = index if score is None else np.where(at_most, np.minimum(index, 0), np.maximum(index, 1))
    starts = np.flatnonzero(np.diff(index, prepend=index[0] - 1))
    shares = np.add.reduceat(chances, starts)
    ends = origin + index[starts] * width
    middle = np.add.reduceat(chances * scaled, starts) / shares
    start, end, value = map(span.uneven, (ends - width, ends, middle))
    return _Bars(start, end, shares, value, at_most[starts])


def _grid(span: Span, score: float | None) -> tuple[float, float]:
    """Return where a bin ends, and how wide bins are, along the even axis."""
    ends = [span.low, span.high, span.low if score is None else span.place(score)]
    low, high, origin = span.even(np.array(ends)).tolist()
    return origin, (high - low) / _BINS


def _ends(law: Law, match: Match) -> list[float]:
    """Return values beyond which lie tails too thin to see, looked for on both sides of the reference's score."""
    exact = law.formula.exact(match.reference.cells())
    log = law.metric.limits.high is None
    centre = (0.0 if exact is None else float(exact)) or float(log)
    ends = []
    for sign in (-1, 1):
        reach, tail = 0.5 / math.sqrt(law.size), 1.0
        while tail > _UNSEEN and reach < _FARTHEST:
            reach *= 1.5
            end = centre * math.exp(sign * reach) if log else centre + sign * reach
            below, equal, above = law.split(end)
            tail = above if sign > 0 else below + equal
        ends.append(end)
    return ends


def _summed_bars(span: Span, law: Law, score: Exact | None) -> _Bars:
    """Return bins by what the law sums up to at their ends; what lies beyond the axis is in the outermost two."""
    origin, width = _grid(span, None if score is None else float(score))
    first = -math.floor((origin - _grid(span, None)[0]) / width)
    places = span.uneven(origin + np.arange(first, first + _BINS) * width)
    sums = np.array([law.cdf(place) for place in places.tolist()])
    if score is not None:
        # On a logarithmic axis a score of 0 is drawn higher than it is.
        at, pivot = np.arange(first, first + _BINS), law.cdf(score)
        sums = np.where(at < 0, np.minimum(sums, pivot), np.where(at > 0, np.maximum(sums, pivot), pivot))
    # Sums of floats may fall by their last digit from one end to the next, and no chance is negative.
    sums = np.clip(np.maximum.accumulate(sums), 0.0, 1.0)
    edges = np.concatenate(([span.low], places, [span.high]))
    start, end = edges[:-1], edges[1:]
    at_most = np.arange(first, first + _BINS + 1) <= (-_BINS if score is None else 0)
    return _Bars(start, end, np.diff(sums, prepend=0.0, append=1.0), (start + end) / 2, at_most)


def _records(bars: _Bars) -> Iterator[Record]:
    for start, end, share, value, at_most in zip(*(part.tolist() for part in bars), strict=True):
        words = number(value) if start == end else f"above {number(start)}, at most {number(end)}"
        fields = {"Score": words, "Chance": percent(share)}
        yield {"start": start, "end": end, "value": value, "chance": share, "at_most": at_most} | fields


def _bar_layer(bars: _Bars, span: Span, match: Match) -> Any:
    parts = {_AT_MOST: [BLUE], _HIGHER: ["#BBBBBB"]}
    records = [record | {"part": _AT_MOST if record["at_most"] else _HIGHER} for record in _records(bars)]
    legend = None
    if match.score is not None:
        legend = alt.Legend(title="Scores", orient="bottom", symbolType="square", symbolStrokeWidth=0)
    encoded = told_apart("part:N", parts, "color", legend) | {
        "x": span.encoded(alt.X, "start:Q", match.label),
        "y": alt.Y("chance:Q", title="Chance", axis=alt.Axis(format="%")),
        "tooltip": ["Score:N", "Chance:N"],
    }
    if bars.binned:
        look = {"clip": True, "stroke": "white", "strokeWidth": 0.5}
        return marks("bar", records, look, **encoded, x2="end:Q", y2=alt.Y2Datum(0))
    thickness = max(1.5, min(12.0, 0.5 * _WIDTH / max(len(records), 1)))
    return marks("bar", records, {"clip": True, "size": thickness}, **encoded)


def _marker(span: Span, score: float) -> list[Any]:
    """Return a line at the group's score, named above the plot."""
    records = [{"start": span.place(score), "words": f"this group: {number(score)}"}]
    encoded = {"x": "start:Q", "tooltip": "words:N"}
    look = {"dy": -14, "fontSize": 12, "fontWeight": "bold", "color": VERMILION}
    name = marks("text", records, look, **encoded, text="words:N", y=alt.value(0))
    return [marks("rule", records, {"color": VERMILION, "strokeWidth": 2}, **encoded), name]


def _verdict(metric: Metric, match: Match) -> str:
    if match.score is None:
        return f"This group's score is undefined: {', '.join(metric.why_undefined(match.group))}"
    if match.percentile is None:
        return f"This group's score: {number(match.score)}; no such draw has a score"
    share = percent(match.percentile)
    return f"This group's score: {number(match.score)}; a score at most as high has a chance of {share}"


def _missing(undefined: float) -> str:
    if undefined < _NEVER:
        return "The score of such a draw is never undefined, or as good as never"
    share = percent(undefined)
    return f"The score of such a draw is undefined with a chance of {share}; chances are given that it is not"


def _size_axis(laws: Sequence[Law], title: str | None) -> Any:
    """Return the axis of sizes; without a title it has no numbers either, which the panel below shows."""
    sizes = [law.size for law in laws]
    scale = alt.Scale(domain=[min(sizes) - 0.7, max(sizes) + 0.7], nice=False, zero=False, padding=0)
    axis = alt.Axis(grid=False, tickMinStep=1, format="d", labels=title is not None, ticks=title is not None)
    return alt.X("size:Q", title=title, scale=scale, axis=axis)


def _bubbles(laws: Sequence[Law], metric: Metric, span: Span) -> Any:
    records = [
        record | {"size": law.size, "value": span.place(record["value"])}
        for law in laws
        for record in _records(_bars(span, *law.whole, None))
    ]
    most = max((record["chance"] for record in records), default=1.0)
    legend = alt.Legend(title="Chance", format="%", symbolFillColor=BLUE, symbolStrokeWidth=0, symbolOpacity=0.5)
    area = alt.Size("chance:Q", scale=alt.Scale(domain=[0, most], range=[0, 400], nice=False), legend=legend)
    y, look = span.encoded(alt.Y, "value:Q", metric.label), {"color": BLUE, "opacity": 0.5, "clip": True}
    return marks("circle", records, look, y=y, size=area, tooltip=[_cases(), "Score:N", "Chance:N"])


def _lines(laws: Sequence[Law], score: float | None, span: Span) -> Any:
    """Return the lines of quantiles, broken where nothing is defined, and the reference's own score."""
    records = []
    for law in laws:
        values = [(name, str(share), law.quantile(share)) for share, name in _QUANTILES.items()]
        values += [] if score is None else [(_REFERENCE_SCORE, _REFERENCE_SCORE, score)]
        for name, line, value in values:
            place = None if math.isnan(value) else span.place(value)
            records.append({"size": law.size, "line": line, "Line": name, "value": place, "Score": number(value)})
    looks = {_MEDIAN: (VERMILION, [1, 0]), _BETWEEN: (BLACK, [4, 3])} | (
        {} if score is None else {_REFERENCE_SCORE: (GREY, [1, 0])}
    )
    legend = alt.Legend(title="Scores", symbolStrokeWidth=2, symbolSize=300)
    kinds = told_apart("Line:N", looks, "color strokeDash", legend)
    look = {"strokeWidth": 2, "interpolate": "step", "clip": True}
    return marks("line", records, look, y="value:Q", detail="line:N", tooltip=[_cases(), "Line:N", "Score:N"], **kinds)


def _strip(laws: Sequence[Law]) -> Any:
    records = [{"size": law.size, "chance": law.undefined, "Undefined": percent(law.undefined)} for law in laws]
    scale = alt.Scale() if any(law.undefined for law in laws) else alt.Scale(domain=[0, 1])
    y = alt.Y("chance:Q", title="Undefined", scale=scale, axis=alt.Axis(format="%", tickCount=3))
    return marks("bar", records, {"color": TEXT, "size": 6}, y=y, tooltip=[_cases(), "Undefined:N"])


def _cases() -> Any:
    return alt.Tooltip("size:Q", title="Cases")
