"""A result's pictures by name, as its document names them: the main one, another one, or which there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ..answers import document
from ..certainty import Abstention, Calibration, Curve, Decomposition, Overview
from ..claims import Recovery
from ..document import Chart
from ..errors import InputError, verbatim
from ..groups import Audit, Match, Plan
from .claims import bounds, feasible
from .confidence import abstention, calibration, certainty, curve, matrices
from .groups import forest
from .laws import law
from .planning import planned

if TYPE_CHECKING:
    import altair


def draw(result: Any, name: str, of: str | None = None) -> altair.TopLevelMixin:
    """Return one chart of a result, by its name in the blocks of the result's document.

    If several charts have the same name, `of` says which: a metric, a model.
    """
    if type(result) not in DRAWERS:
        raise TypeError(f"no chart of {type(result).__name__}")
    chart: altair.TopLevelMixin = DRAWERS[type(result)](result, name, of)
    return chart


def _of_overview(result: Overview, name: str, of: str | None) -> Any:
    if name == "matrices":
        assert of is not None, "matrices are of one model"
        return matrices(result.models[of])
    if name == "abstention":
        return abstention(result.abstention)
    if name == "calibration":
        return calibration(result.calibration)
    return certainty(result) if name == "certainty" else curve(result.curves[name])


#: What draws the charts of each class of results; the papers add theirs.
DRAWERS: Final[dict[type, Callable[[Any, str, str | None], Any]]] = {
    Abstention: lambda result, name, of: abstention(result),
    Audit: lambda result, name, of: forest(result, of),
    Calibration: lambda result, name, of: calibration(result),
    Curve: lambda result, name, of: curve(result),
    Decomposition: lambda result, name, of: matrices(result),
    Match: lambda result, name, of: law(result),
    Overview: _of_overview,
    Plan: lambda result, name, of: planned(result),
    Recovery: lambda result, name, of: {"feasible": feasible, "bounds": bounds}[name](result),
}


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
    # The charts that a result's document has places for, the main one first.
    charts = [block for block in document(result).blocks if isinstance(block, Chart)]
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


def _listed(charts: list[Chart]) -> str:
    return ", ".join(f"{chart.name} (of={chart.of!r})" if chart.of else chart.name for chart in charts)
