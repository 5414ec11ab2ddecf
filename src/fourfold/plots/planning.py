"""A picture of a plan: what each size brings, the target, the answer, and the sizes beside it that are worse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..document import Document
from ..groups import Plan
from ..words import level, number, percent
from .colours import BLACK, BLUE, GREY, VERMILION
from .style import alt, marks, note_lines, styled, told_apart, unchecked

if TYPE_CHECKING:
    import altair

_WIDTH, _HEIGHT = 560, 300
# Sizes are shown from and up to these shares of the first and the chosen one.
_FROM, _TO = 0.7, 1.2
# Beyond this many sizes there is no mark at each.
_MOST_MARKS: Final = 150
# How much of the axis of values is left free beyond its outermost ones.
_ROOM: Final = 0.06
_PLAIN, _CHOSEN = "a size", "the answer"
_WORSE, _WORSE_ASKED = "beyond the first to reach it, yet worse", "beyond the one asked about, yet worse"


@unchecked
def planned(plan: Plan) -> altair.LayerChart:
    """Draw what each size brings, as a jagged line, with the target and the size that keeps it.

    Examples
    --------
    >>> from fourfold.groups import plan
    >>> planned(plan("accuracy", group=0.6, reference=0.8, reference_known=True)).to_dict()["title"]["text"]
    '44 cases would tell accuracy 0.6000 from 0.8000'
    """
    from ..answers import document

    answer: Document = document(plan)
    power = plan.goal == "difference"
    worse = {size.cases for size in plan.worse}
    start = min(plan.first or plan.cases or 0, *worse) if worse else plan.first or plan.cases or 0
    last = plan.cases or max((size.cases for size in plan.curve), default=0)
    shown = [size for size in plan.curve if _FROM * start <= size.cases <= max(_TO * last, *worse, 0)]
    words, named = percent if plan.goal == "difference" else number, _WORSE_ASKED if plan.asked else _WORSE
    records = [
        {
            "cases": size.cases,
            "value": size.value,
            "Brings": words(size.value),
            "kind": _CHOSEN if size.cases == plan.cases else named if size.cases in worse else _PLAIN,
        }
        for size in shown
    ]
    sizes = alt.X(
        "cases:Q",
        title=f"Number of {plan.counted if plan.among is None else 'cases'} in the group",
        scale=alt.Scale(zero=False, nice=False, padding=8),
        axis=alt.Axis(tickMinStep=1, format="d", grid=False),
    )
    title = "Power" if power else "Mean width of the interval"
    y = alt.Y("value:Q", title=title, scale=_scale(plan, records), axis=alt.Axis(format="%" if power else ""))
    layers = [marks("line", records, {"color": BLUE, "strokeWidth": 1.5}, x=sizes, y=y), _target(plan)]
    layers += [*_chosen(plan), _marks(records, sizes, y)]
    lines = [*_lines(plan), *note_lines(plan.notes)]
    chart: altair.LayerChart = styled(alt.layer(*layers), answer.title, lines)
    return chart.properties(width=_WIDTH, height=_HEIGHT)


def _scale(plan: Plan, records: list[dict[str, Any]]) -> Any:
    """Return the axis of values; a power has no room beyond 0 and 1."""
    values = [plan.target, *(record["value"] for record in records)]
    room = _ROOM * (max(values) - min(values)) or _ROOM
    return alt.Scale(domain=[max(0.0, min(values) - room), min(1.0, max(values) + room)], nice=False, zero=False)


def _marks(records: list[dict[str, Any]], x: Any, y: Any) -> Any:
    """Return a mark for each size where there are few, and else only for those that matter."""
    shown = [record for record in records if len(records) <= _MOST_MARKS or record["kind"] != _PLAIN]
    worse = (VERMILION, "triangle-down", 90)
    looks = {_PLAIN: (BLUE, "circle", 22), _WORSE: worse, _WORSE_ASKED: worse, _CHOSEN: (BLACK, "diamond", 130)}
    used = [kind for kind in looks if any(record["kind"] == kind for record in shown)]
    legend = alt.Legend(title=None, orient="bottom", symbolSize=80, labelLimit=300, values=used)
    kinds = told_apart("kind:N", looks, "color shape size", legend)
    tooltip = [alt.Tooltip("cases:Q", title="Size"), "Brings:N", alt.Tooltip("kind:N", title="This is")]
    return marks("point", shown, {"filled": True, "opacity": 1}, x=x, y=y, tooltip=tooltip, **kinds)


def _target(plan: Plan) -> Any:
    words = f"wanted: {level(plan.target) if plan.goal == 'difference' else f'{plan.target:g}'}"
    line = marks("rule", [{"value": plan.target}], {"color": GREY, "strokeDash": [6, 4]}, y="value:Q")
    look = {"align": "left", "dx": 6, "dy": -7, "color": "#444444", "fontSize": 12}
    name = marks("text", [{"value": plan.target, "words": words}], look, y="value:Q", x=alt.value(0), text="words:N")
    return alt.layer(line, name)


def _chosen(plan: Plan) -> list[Any]:
    if plan.cases is None:
        return []
    records = [{"cases": plan.cases, "words": str(plan.cases)}]
    rule = marks("rule", records, {"color": BLACK, "strokeDash": [2, 3]}, x="cases:Q")
    look = {"dy": -8, "fontSize": 12, "fontWeight": "bold", "color": BLACK}
    return [rule, marks("text", records, look, x="cases:Q", y=alt.value(0), text="words:N")]


def _lines(plan: Plan) -> list[str]:
    if plan.cases is None:
        return []
    words = percent if plan.goal == "difference" else number
    what = "Power" if plan.goal == "difference" else "Mean width"
    lines = [f"{what} there: {words(plan.value or 0.0)}; {plan.method}"]
    if plan.worse:
        least = (min if plan.goal == "difference" else max)(plan.worse, key=lambda size: size.value)
        lines.append(f"More is not always better: at {least.cases} it is {words(least.value)}")
    return lines
