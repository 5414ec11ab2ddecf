"""Pictures of groups: an audit as a forest plot, and the error to expect of estimates from few cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from ..answers import finding_words, reference_words
from ..errors import InputError
from ..groups import Audit, ExpectedError, Finding, Interval
from ..metrics import Metric
from ..metrics import metric as metric_of
from ..words import between, chance, level, number
from .style import BLACK, BLUE, COLOURS, TEXT, VERMILION, Record, Span, extra, inline, styled, told_apart, unchecked

if TYPE_CHECKING:
    import altair

# Pixels of a forest plot, and of a panel of errors.
_WIDTH: Final = 340
_ROW: Final = 28
_LOWER: Final = 8
_ERROR_WIDTH: Final = 330
_ERROR_HEIGHT: Final = 240
# How many groups a panel shows at most.
_MOST_GROUPS: Final = 60
_LONGEST_LINE: Final = 110
_PLAIN, _SMALL, _SMOOTHED, _OVERALL = "score", "score, too small to tell", "smoothed score", "overall score"
_DASHES: Final = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 2], [10, 4])
_ESTIMATORS: Final = (BLACK, COLOURS[1], VERMILION, COLOURS[4], BLUE, COLOURS[2], COLOURS[3])


@unchecked
def forest(audit: Audit, metric: str | Metric | None = None) -> altair.VConcatChart:
    """Draw an audit: every group's score with its interval, beside the smoothed and the overall score.

    Each metric has a panel. A group whose score differs from the reference, after Holm's correction for all tests of
    the audit, has a square instead of a circle; one that is too small to tell anything has a hollow circle.

    Parameters
    ----------
    audit
        What `audit` or `audit_tables` found.
    metric
        One of the audit's metrics; all of them where left out.

    Returns
    -------
    altair.VConcatChart
        To be shown in a notebook or handed to `save`.

    Examples
    --------
    >>> from fourfold.groups import audit_tables
    >>> from fourfold.table import Table
    >>> groups = {"a": Table(tp=8, fn=2, fp=3, tn=7), "b": Table(tp=30, fn=9, fp=12, tn=49)}
    >>> chart = forest(audit_tables(groups, metrics=["recall", "precision"]))
    >>> [panel["title"]["text"] for panel in chart.to_dict()["vconcat"]]
    ['Recall: 0.7755 overall', 'Precision: 0.7170 overall']
    """
    alt = extra("altair")
    names = audit.metrics if metric is None else (metric_of(metric).id,)
    if not set(names) <= set(audit.metrics):
        hint = f"one of {', '.join(audit.metrics)}"
        raise InputError("bad_metric", "metric", "is not in the audit", names[0], hint)
    panels = [_panel(alt, audit, metric_of(name)) for name in names]
    count = len(audit.groups)
    lines = [
        f"{audit.table.total} cases; each group is compared with {reference_words(audit.reference)}",
        f"Smoothed scores lean towards those cases, with strength {_amount(audit.strength)}",
    ]
    if count > _MOST_GROUPS:
        lines.append(f"The {_MOST_GROUPS} of {count} groups with the smallest p-values are drawn")
    lines += [line for note in audit.notes for line in wrap(f"Note: {note.text}", _LONGEST_LINE)]
    title = "1 group" if count == 1 else f"{count} groups"
    chart: altair.VConcatChart = styled(alt.vconcat(*panels, spacing=24), alt, f"Scores of {title}", lines)
    return chart


@unchecked
def errors(expected: Iterable[ExpectedError], *, log: bool = False) -> altair.ConcatChart:
    """Draw the expected squared error of estimates against the number of cases, a line for each estimator.

    Parameters
    ----------
    expected
        What `expected_errors` yields, for one group; each metric has a panel.
    log
        Whether the axes of the errors are logarithmic.

    Returns
    -------
    altair.ConcatChart
        To be shown in a notebook or handed to `save`.

    Examples
    --------
    >>> from fourfold.groups import expected_errors
    >>> from fourfold.table import Table
    >>> group, rest = Table(tp=2, fn=3, fp=1, tn=4), Table(tp=3, fn=2, fp=2, tn=13)
    >>> chart = errors(expected_errors(group, rest, ["recall"], [5, 10], [(0, 0), (10, 0)]))
    >>> chart.to_dict()["concat"][0]["encoding"]["color"]["scale"]["domain"]
    ['raw', 'strength 10']
    """
    alt = extra("altair")
    found = list(expected)
    if not found:
        raise InputError("empty", "expected", "must hold at least one error", [], "give what expected_errors yields")
    if len({(each.metric, each.size, each.strength, each.epsilon) for each in found}) < len(found):
        hint = "draw one group at a time"
        raise InputError("ambiguous", "expected", "has two errors of one metric, size and estimator", len(found), hint)
    estimators = list(dict.fromkeys(map(_estimator, found)))
    panels = [
        _error_panel(alt, [each for each in found if each.metric == name], estimators, log=log)
        for name in dict.fromkeys(each.metric for each in found)
    ]
    lines = [
        "How far an estimate from so many cases is off, squared, on average over all that can be drawn,",
        "given that the estimate is defined",
    ]
    chart: altair.ConcatChart = styled(
        alt.concat(*panels, columns=2, spacing=24), alt, "Expected error of estimates", lines
    )
    return chart


def _amount(value: float) -> str:
    return number(value, 0) if value.is_integer() else number(value)


def _interval_name(audit: Audit) -> str:
    return f"{level(audit.level)} interval"


def _looks(audit: Audit) -> dict[str, tuple[str, str, str]]:
    """Return how each kind of point looks: shape, line and filling."""
    return {
        _PLAIN: ("circle", BLUE, BLUE),
        _differs(audit): ("square", VERMILION, VERMILION),
        _SMALL: ("circle", BLUE, "white"),
        _SMOOTHED: ("diamond", BLACK, "transparent"),
    }


def _differs(audit: Audit) -> str:
    return f"score that differs: p < {number(1 - audit.level, 2)} after Holm"


def _panel(alt: Any, audit: Audit, metric: Metric) -> Any:
    """Return the plot of one metric: groups down the side, marks, and the numbers beside them."""
    found = _shown([each for each in audit.findings if each.metric == metric.id])
    overall = audit.overall[metric.id]
    values = [value for f in found for value in (f.score, f.interval.low, f.interval.high, f.smoothed)]
    span = Span.of(metric, [*values, overall.value])
    records = [_record(each, audit) for each in found]
    y = alt.Y("Group:N", sort=[record["Group"] for record in records], title=None, axis=_group_axis(alt))
    layers = [
        _overall_rule(alt, audit, overall, span.encoded(alt.X, "at:Q", metric.label), span),
        _intervals(alt, audit, found, records, span).encode(y=y),
        *(part.encode(y=y) for part in _points(alt, audit, found, records, span)),
        *_columns(alt, records, y, audit),
    ]
    heading = alt.TitleParams(
        f"{metric.label}: {_overall_words(metric, audit)}", anchor="start", fontSize=14, offset=12
    )
    return alt.layer(*layers).properties(width=_WIDTH, height=alt.Step(_ROW), title=heading)


def _shown(found: Sequence[Finding]) -> list[Finding]:
    """Return the groups that are drawn, in their order: all, or those with the smallest p-values."""
    smallest = sorted(found, key=lambda each: 2.0 if each.p_value is None else each.p_value)[:_MOST_GROUPS]
    kept = {each.group.name for each in smallest}
    return [each for each in found if each.group.name in kept]


def _record(found: Finding, audit: Audit) -> Record:
    """Return what is said of a group, in words and numbers."""
    match, ends = found.match, between(found.interval.low, found.interval.high)
    return {
        "Group": found.group.name,
        "n": found.group.table.total,
        "Score": _score_words(found),
        "Interval": ends,
        "Smoothed": number(found.smoothed) if match else chance(None),
        "Percentile": chance(match.percentile if match else None),
        "p": chance(found.p_value),
        "Holm p": chance(found.p_holm),
        "Notes": "; ".join(finding_words(found, audit.level)),
        "kind": _kind(found, audit),
        "said": _score_words(found) if found.score is None else f"{number(found.score)} ({ends})",
        "test": _test_words(found),
    }


def _score_words(found: Finding) -> str:
    return f"undefined: {', '.join(found.reasons)}" if found.score is None else number(found.score)


def _test_words(found: Finding) -> str:
    """Return the corrected p-value; nothing where the score is undefined, which is said elsewhere."""
    if found.score is None:
        return ""
    if found.p_holm is None:
        return "not tested"
    if found.too_small:
        return "too small to tell"
    return chance(found.p_holm)


def _kind(found: Finding, audit: Audit) -> str:
    if found.differs(audit.level):
        return _differs(audit)
    return _SMALL if found.too_small else _PLAIN


def _overall_words(metric: Metric, audit: Audit) -> str:
    value = audit.overall[metric.id].value
    if value is None:
        return f"undefined overall, {', '.join(metric.why_undefined(audit.table))}"
    return f"{number(value)} overall"


def _overall_rule(alt: Any, audit: Audit, overall: Interval, x: Any, span: Span) -> Any:
    records = []
    if overall.value is not None:
        records.append({"line": _OVERALL, "at": span.place(overall.value), "Overall": number(overall.value)})
    mark = alt.Chart(inline(alt, records)).mark_rule(color=BLACK, strokeWidth=1.5)
    return mark.encode(x=x, tooltip="Overall:N", **_line_dash(alt, audit))


def _line_dash(alt: Any, audit: Audit) -> dict[str, Any]:
    looks = {_interval_name(audit): [[1, 0]], _OVERALL: [[4, 2]]}
    return told_apart(alt, "line:N", looks, "strokeDash", _legend(alt))


def _legend(alt: Any) -> Any:
    return alt.Legend(title=None, orient="top", symbolSize=120, symbolStrokeWidth=2)


def _intervals(alt: Any, audit: Audit, found: Sequence[Finding], records: Sequence[Record], span: Span) -> Any:
    drawn = [
        record
        | {"line": _interval_name(audit), "at": span.place(each.interval.low), "end": span.place(each.interval.high)}
        for each, record in zip(found, records, strict=True)
        if each.interval.low is not None and each.interval.high is not None
    ]
    mark = alt.Chart(inline(alt, drawn)).mark_rule(color="#555555", strokeWidth=2)
    return mark.encode(x="at:Q", x2="end:Q", tooltip=_tooltips(alt), **_line_dash(alt, audit))


def _points(alt: Any, audit: Audit, found: Sequence[Finding], records: Sequence[Record], span: Span) -> list[Any]:
    """Return the smoothed scores, a little lower than their interval, and the scores."""
    pairs = list(zip(found, records, strict=True))
    smoothed = [(each.smoothed, record | {"kind": _SMOOTHED}) for each, record in pairs]
    scores = [(each.score, record) for each, record in pairs]
    encoded = told_apart(alt, "kind:N", _looks(audit), "shape stroke fill", _legend(alt))
    layers = []
    for part, size, offset in ((smoothed, 45, _LOWER), (scores, 75, 0)):
        drawn = [record | {"at": span.place(value)} for value, record in part if value is not None]
        mark = alt.Chart(inline(alt, drawn)).mark_point(size=size, strokeWidth=1.8, opacity=1, yOffset=offset)
        layers.append(mark.encode(x="at:Q", tooltip=_tooltips(alt), **encoded))
    return layers


def _tooltips(alt: Any) -> list[Any]:
    names = ("Group", "n", "Score", "Interval", "Smoothed", "Percentile", "p", "Holm p", "Notes")
    return [alt.Tooltip(name, type="nominal") for name in names]


def _group_axis(alt: Any) -> Any:
    return alt.Axis(labelLimit=360, ticks=False, domain=False, labelPadding=12, grid=True)


def _columns(alt: Any, records: Sequence[Record], y: Any, audit: Audit) -> list[Any]:
    """Return columns of text to the right of the plot, each with a heading."""
    columns = (
        ("n", "n", 48, "right"),
        ("said", f"score ({_interval_name(audit)})", 64, "left"),
        ("test", "p after Holm", 262, "left"),
    )
    layers = []
    for field, heading, offset, align in columns:
        place = alt.value(_WIDTH + offset)
        body = alt.Chart(inline(alt, records)).mark_text(align=align, fontSize=12, color=TEXT)
        layers.append(body.encode(x=place, y=y, text=f"{field}:N"))
        head = alt.Chart(inline(alt, [{"heading": heading}])).mark_text(align=align, fontSize=11, color="#666666")
        layers.append(head.encode(x=place, y=alt.value(-10), text="heading:N"))
    return layers


def _estimator(error: ExpectedError) -> str:
    if error.epsilon:
        return f"add {_amount(error.epsilon)} to each cell"
    return f"strength {_amount(error.strength)}" if error.strength else "raw"


def _error_panel(alt: Any, found: Sequence[ExpectedError], estimators: Sequence[str], *, log: bool) -> Any:
    """Return the lines of one metric; an undefined error leaves a gap, and is counted in words."""
    label = metric_of(found[0].metric).label
    records = [_error_record(each) for each in found]
    looks = {name: (_ESTIMATORS[i % len(_ESTIMATORS)], _DASHES[i % len(_DASHES)]) for i, name in enumerate(estimators)}
    legend = alt.Legend(title="Estimator", symbolStrokeWidth=2, symbolSize=300)
    axis = alt.Axis(tickMinStep=1, format="d", labelFlush=False)
    title = "Expected squared error" + (", logarithmic" if log else "")
    lines = alt.Chart(inline(alt, records)).mark_line(strokeWidth=2)
    lines = lines.encode(
        x=alt.X("size:Q", title="Number of cases", scale=alt.Scale(zero=False, nice=False), axis=axis),
        y=alt.Y("mse:Q", title=title, scale=alt.Scale(type="log" if log else "linear")),
        tooltip=_error_tooltips(alt),
        **told_apart(alt, "estimator:N", looks, "color strokeDash", legend),
    )
    heading = alt.TitleParams(label, subtitle=_gaps(found) or alt.Undefined, anchor="start", fontSize=14)
    return lines.properties(width=_ERROR_WIDTH, height=_ERROR_HEIGHT, title=heading)


def _error_record(error: ExpectedError) -> Record:
    said = {"Squared error": error.mse, "Bias": error.bias, "Variance": error.variance, "Defined": error.defined}
    return {
        "size": error.size,
        "estimator": _estimator(error),
        "mse": error.mse,
        **{name: number(value, 6) for name, value in said.items()},
    }


def _error_tooltips(alt: Any) -> list[Any]:
    named = [alt.Tooltip("estimator:N", title="Estimator"), alt.Tooltip("size:Q", title="Cases")]
    return [*named, *(f"{name}:N" for name in ("Squared error", "Bias", "Variance", "Defined"))]


def _gaps(found: Sequence[ExpectedError]) -> list[str]:
    """Return in words where an error is undefined."""
    reasons = dict.fromkeys(note.text for each in found for note in each.notes if note.code == "score_undefined")
    if reasons:
        return [text[0].upper() + text[1:] for text in reasons]
    gaps: dict[str, list[str]] = {}
    for each in found:
        if each.mse is None:
            gaps.setdefault(_estimator(each), []).append(str(each.size))
    return [f"{name}: undefined where the number of cases is {', '.join(sizes)}" for name, sizes in gaps.items()]
