"""A result's charts by name, as its document names them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ..certainty import Abstention, Calibration, Curve, Decomposition, Overview
from ..claims import Recovery
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
