"""A result's pictures by name: the main one, another one, or which there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..answers import document
from ..document import Chart
from ..errors import InputError, verbatim
from ..groups import Audit
from .drawing import draw
from .groups import forest

if TYPE_CHECKING:
    import altair


def plot(result: Any, name: str | None = None, of: str | None = None) -> altair.TopLevelMixin:
    """Return a picture of a result: the main one, or one by its name; `of` says which if several have the same name.

    It is what `plot` of the result itself returns.

    Examples
    --------
    >>> from fourfold.claims import recover
    >>> found = recover(accuracy="0.85", positives=40, negatives=60)
    >>> chart = plot(found, "bounds")
    >>> plot(found, "forest")
    Traceback (most recent call last):
    fourfold.errors.InputError: name: is not a picture of this result, got 'forest'. Hint: one of feasible, bounds.
    """
    charts = _charts(result)
    if not charts:
        hint = "its rows() make a data frame to draw from"
        raise InputError("bad_option", "plot", "this result has no picture", verbatim(type(result).__name__), hint)
    named = [chart for chart in charts if name in (None, chart.name)]
    if not named:
        raise InputError("bad_option", "name", "is not a picture of this result", name, f"one of {_listed(charts)}")
    if isinstance(result, Audit):
        return forest(result, of)
    chart = next((chart for chart in named if of in (None, chart.of)), None)
    if chart is None:
        raise InputError("bad_option", "of", "this result has no such picture", of, f"one of {_listed(named)}")
    return draw(result, chart.name, chart.of)


def _charts(result: Any) -> list[Chart]:
    """Return the charts that a result's document has places for, the main one first."""
    return [block for block in document(result).blocks if isinstance(block, Chart)]


def _listed(charts: list[Chart]) -> str:
    return ", ".join(f"{chart.name} (of={chart.of!r})" if chart.of else chart.name for chart in charts)
