"""Pictures of groups: an audit as a forest plot, and the error to expect of estimates from few cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from ..answers import MOST_DRAWN, finding_words, left_out_words, reference_words
from ..errors import InputError
from ..groups import Audit, ExpectedError, Finding, Interval
from ..metrics import Metric
from ..metrics import metric as metric_of
from ..words import between, chance, count_of, effect, figures, level, number
from .colours import BLACK, BLUE, COLOURS, DASHES, TEXT, VERMILION
from .style import Record, Span, alt, marks, note_lines, styled, subtitled, told_apart, unchecked

if TYPE_CHECKING:
    import altair

# Pixels of a forest plot, of its rows and of how much lower smoothed scores are; and of a panel of errors.
_WIDTH, _ROW, _LOWER = 340, 28, 8
_ERROR_WIDTH, _ERROR_HEIGHT = 330, 240
_PLAIN, _SMALL, _SMOOTHED, _OVERALL = "score", "score, too few to tell", "smoothed score", "overall score"
_ESTIMATORS: Final = (BLACK, COLOURS[1], VERMILION, COLOURS[4], BLUE, COLOURS[2], COLOURS[3])


@unchecked
def forest(audit: Audit, metric: str | Metric | None = None) -> altair.VConcatChart:
    """Draw an audit: every group's score with its interval, beside the smoothed and the overall score.

    Each metric has a panel, or just the one that is named. A group whose score differs from what it is compared with,
    after the correction for all tests of the audit, has a square instead of a circle; one with too few cases to tell
    has a hollow circle. Beside each stands its difference with its interval.

    Examples
    --------
    >>> from fourfold.groups import audit_tables
    >>> from fourfold.table import Table
    >>> groups = {"a": Table(tp=8, fn=2, fp=3, tn=7), "b": Table(tp=30, fn=9, fp=12, tn=49)}
    >>> chart = forest(audit_tables(groups, metrics=["recall", "precision"]))
    >>> [panel["title"]["text"] for panel in chart.to_dict()["vconcat"]]
    ['Recall: 0.7755 overall', 'Precision: 0.7170 overall']
    """
    names = audit.metrics if metric is None else (metric if metric in audit.metrics else metric_of(metric).id,)
    if not set(names) <= set(audit.metrics):
        hint = f"one of {', '.join(audit.metrics)}"
        raise InputError("bad_metric", "metric", "is not in the audit", names[0], hint)
    panels = [_panel(audit, name) for name in names]
    count = len(audit.groups)
    lines = [
        f"{audit.total} cases; each group is compared with {reference_words(audit.reference)}",
        f"Smoothed scores lean towards those cases, with strength {figures(audit.strength)}",
    ]
    lines += [left_out_words(audit).strip()] if left_out_words(audit) else []
    lines += note_lines(audit.notes)
    title = f"Scores of {count_of(count, 'group')}"
    chart: altair.VConcatChart = styled(alt.vconcat(*panels, spacing=24), title, lines)
    return chart


@unchecked
def errors(expected: Iterable[ExpectedError], *, log: bool = False) -> altair.ConcatChart:
    """Draw the expected squared error of estimates against the number of cases, a line for each estimator.

    The errors, as `expected_errors` yields them, are those of one group; each metric has a panel. With `log` their axes
    are logarithmic.

    Examples
    --------
    >>> from fourfold.groups import expected_errors
    >>> from fourfold.table import Table
    >>> group, rest = Table(tp=2, fn=3, fp=1, tn=4), Table(tp=3, fn=2, fp=2, tn=13)
    >>> chart = errors(expected_errors(group, rest, ["recall"], [5, 10], [(0, 0), (10, 0)]))
    >>> chart.to_dict()["concat"][0]["encoding"]["color"]["scale"]["domain"]
    ['raw', 'strength 10']
    """
    all_errors = list(expected)
    if not all_errors:
        raise InputError("empty", "expected", "must hold at least one error", [], "give what expected_errors yields")
    if len({(error.metric, error.size, error.strength, error.epsilon) for error in all_errors}) < len(all_errors):
        problem = "has two errors of one metric, size and estimator"
        raise InputError("ambiguous", "expected", problem, len(all_errors), "draw one group at a time")
    estimators = list(dict.fromkeys(map(_estimator, all_errors)))
    panels = [
        _error_panel([error for error in all_errors if error.metric == name], estimators, log=log)
        for name in dict.fromkeys(error.metric for error in all_errors)
    ]
    lines = [
        "How far an estimate from so many cases is off, squared, on average over all that can be drawn,",
        "given that the estimate is defined",
    ]
    chart: altair.ConcatChart = styled(alt.concat(*panels, columns=2, spacing=24), "Expected error of estimates", lines)
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
    return f"score that differs: corrected p < {number(1 - audit.level, 2)}"


def _panel(audit: Audit, name: str) -> Any:
    """Return the plot of one metric: groups down the side, marks, and the numbers beside them."""
    findings = _shown(audit, name)
    overall, metric = audit.overall[name], metric_of(name.partition("[")[0])
    label = findings[0].label if findings else metric.label
    values = [value for finding in findings for value in (finding.score, finding.smoothed)]
    values += [value for finding in findings for value in (finding.interval.low, finding.interval.high)]
    span = Span.of(metric, [*values, overall.value])
    records = [_record(finding, audit) for finding in findings]
    axis = alt.Axis(labelLimit=360, ticks=False, domain=False, labelPadding=12, grid=True)
    y = alt.Y("Group:N", sort=[record["Group"] for record in records], title=None, axis=axis)
    layers = [
        _overall_rule(audit, overall, span.encoded(alt.X, "at:Q", label), span),
        _intervals(audit, findings, records, span).encode(y=y),
        *(part.encode(y=y) for part in _points(audit, findings, records, span)),
        *_columns(records, y, audit),
    ]
    heading = subtitled(f"{label}: {_overall_words(overall)}", offset=12)
    return alt.layer(*layers).properties(width=_WIDTH, height=alt.Step(_ROW), title=heading)


def _shown(audit: Audit, metric: str) -> list[Finding]:
    """Return the groups that are drawn: all, in their order, or of many the surest differences, the surest first."""
    findings = [finding for finding in audit.findings if finding.metric == metric]
    return findings if len(findings) <= MOST_DRAWN else audit.surest(metric)[:MOST_DRAWN]


def _record(finding: Finding, audit: Audit) -> Record:
    """Return a group in words and numbers."""
    compared, ends = finding.comparison, between(finding.interval.low, finding.interval.high)
    beside = f" beside {finding.reference}" if audit.reference == "pairs" else ""
    return {
        "Group": f"{finding.group.name}{beside}",
        "n": finding.group.size,
        "Score": _score_words(finding),
        "Interval": ends,
        "Difference": effect(*compared.difference) if compared else chance(None),
        "Smoothed": number(finding.smoothed) if compared else chance(None),
        "p": chance(finding.p_value),
        "Corrected p": chance(finding.p_corrected),
        "Notes": "; ".join(finding_words(finding, audit.level)),
        "kind": _kind(finding, audit),
        "test": _test_words(finding),
    }


def _score_words(finding: Finding) -> str:
    return f"undefined: {', '.join(finding.reasons)}" if finding.score is None else number(finding.score)


def _test_words(finding: Finding) -> str:
    """Return the corrected p-value; nothing where the score is undefined, as another column tells."""
    if finding.score is None:
        return ""
    if finding.p_corrected is None:
        return "not tested"
    return "too few to tell" if finding.verdict == "too few" else chance(finding.p_corrected)


def _kind(finding: Finding, audit: Audit) -> str:
    if finding.differs:
        return _differs(audit)
    return _SMALL if finding.verdict == "too few" else _PLAIN


def _overall_words(overall: Interval) -> str:
    if overall.value is not None:
        return f"{number(overall.value)} overall"
    why = [reason for note in overall.notes for reason in note.data.get("reasons", ())]
    return f"undefined overall, {', '.join(why)}"


def _overall_rule(audit: Audit, overall: Interval, x: Any, span: Span) -> Any:
    records = []
    if overall.value is not None:
        records.append({"line": _OVERALL, "at": span.place(overall.value), "Overall": number(overall.value)})
    return marks("rule", records, {"color": BLACK, "strokeWidth": 1.5}, x=x, tooltip="Overall:N", **_line_dash(audit))


def _line_dash(audit: Audit) -> dict[str, Any]:
    looks = {_interval_name(audit): [[1, 0]], _OVERALL: [[4, 2]]}
    return told_apart("line:N", looks, "strokeDash", _legend())


def _legend() -> Any:
    return alt.Legend(title=None, orient="top", symbolSize=120, symbolStrokeWidth=2)


def _intervals(audit: Audit, findings: Sequence[Finding], records: Sequence[Record], span: Span) -> Any:
    drawn = []
    for finding, record in zip(findings, records, strict=True):
        low, high = finding.interval.low, finding.interval.high
        if low is not None and high is not None:
            drawn.append(record | {"line": _interval_name(audit), "at": span.place(low), "end": span.place(high)})
    look = {"color": "#555555", "strokeWidth": 2}
    return marks("rule", drawn, look, x="at:Q", x2="end:Q", tooltip=_tooltips(), **_line_dash(audit))


def _points(audit: Audit, findings: Sequence[Finding], records: Sequence[Record], span: Span) -> list[Any]:
    """Return the smoothed scores, a little lower than their interval, and the scores."""
    pairs = list(zip(findings, records, strict=True))
    smoothed = [(finding.smoothed, record | {"kind": _SMOOTHED}) for finding, record in pairs]
    scores = [(finding.score, record) for finding, record in pairs]
    encoded = told_apart("kind:N", _looks(audit), "shape stroke fill", _legend())
    layers = []
    for part, size, offset in ((smoothed, 45, _LOWER), (scores, 75, 0)):
        drawn = [record | {"at": span.place(value)} for value, record in part if value is not None]
        look = {"size": size, "strokeWidth": 1.8, "opacity": 1, "yOffset": offset}
        layers.append(marks("point", drawn, look, x="at:Q", tooltip=_tooltips(), **encoded))
    return layers


def _tooltips() -> list[Any]:
    names = ("Group", "n", "Score", "Interval", "Difference", "Smoothed", "p", "Corrected p", "Notes")
    return [alt.Tooltip(name, type="nominal") for name in names]


def _columns(records: Sequence[Record], y: Any, audit: Audit) -> list[Any]:
    """Return columns of text to the right of the plot, each with a heading."""
    columns = (
        ("n", "n", 48, "right"),
        ("Score", "score", 64, "left"),
        ("Difference", "difference", 122, "left"),
        ("test", "corrected p", 290, "left"),
    )
    layers = []
    for field, heading, offset, align in columns:
        place = alt.value(_WIDTH + offset)
        body = {"align": align, "fontSize": 12, "color": TEXT}
        head = {"align": align, "fontSize": 11, "color": "#666666"}
        layers.append(marks("text", records, body, x=place, y=y, text=f"{field}:N"))
        layers.append(marks("text", [{"heading": heading}], head, x=place, y=alt.value(-10), text="heading:N"))
    return layers


def _estimator(error: ExpectedError) -> str:
    if error.epsilon:
        return f"add {_amount(error.epsilon)} to each cell"
    return f"strength {_amount(error.strength)}" if error.strength else "raw"


def _error_panel(errors: Sequence[ExpectedError], estimators: Sequence[str], *, log: bool) -> Any:
    """Return the lines of one metric; an undefined error leaves a gap, and is counted in words."""
    looks = {name: (_ESTIMATORS[i % len(_ESTIMATORS)], DASHES[i % len(DASHES)]) for i, name in enumerate(estimators)}
    legend = alt.Legend(title="Estimator", symbolStrokeWidth=2, symbolSize=300)
    axis = alt.Axis(tickMinStep=1, format="d", labelFlush=False)
    title = "Expected squared error" + (", logarithmic" if log else "")
    lines = marks(
        "line",
        map(_error_record, errors),
        {"strokeWidth": 2},
        x=alt.X("size:Q", title="Number of cases", scale=alt.Scale(zero=False, nice=False), axis=axis),
        y=alt.Y("mse:Q", title=title, scale=alt.Scale(type="log" if log else "linear")),
        tooltip=_error_tooltips(),
        **told_apart("estimator:N", looks, "color strokeDash", legend),
    )
    heading = subtitled(metric_of(errors[0].metric).label, subtitle=_gaps(errors) or alt.Undefined)
    return lines.properties(width=_ERROR_WIDTH, height=_ERROR_HEIGHT, title=heading)


def _error_record(error: ExpectedError) -> Record:
    values = {"Squared error": error.mse, "Bias": error.bias, "Variance": error.variance, "Defined": error.defined}
    record = {"size": error.size, "estimator": _estimator(error), "mse": error.mse}
    return record | {name: number(value, 6) for name, value in values.items()}


def _error_tooltips() -> list[Any]:
    named = [alt.Tooltip("estimator:N", title="Estimator"), alt.Tooltip("size:Q", title="Cases")]
    return [*named, *(f"{name}:N" for name in ("Squared error", "Bias", "Variance", "Defined"))]


def _gaps(errors: Sequence[ExpectedError]) -> list[str]:
    """Return in words where an error is undefined."""
    reasons = dict.fromkeys(note.text for error in errors for note in error.notes if note.code == "score_undefined")
    if reasons:
        return [text[0].upper() + text[1:] for text in reasons]
    gaps: dict[str, list[str]] = {}
    for error in errors:
        if error.mse is None:
            gaps.setdefault(_estimator(error), []).append(str(error.size))
    return [f"{name}: undefined where the number of cases is {', '.join(sizes)}" for name, sizes in gaps.items()]
