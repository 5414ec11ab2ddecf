"""A result's charts by name, as its document names them."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any

from ..certainty import Abstention, Calibration, Curve, Decomposition, Overview
from ..claims import Recovery
from ..groups import Audit, Match, Plan
from .certainty import abstention, calibration, certainty, curve, matrices
from .claims import bounds, feasible
from .groups import forest
from .laws import law
from .planning import planned

if TYPE_CHECKING:
    import altair


@singledispatch
def draw(result: Any, name: str, of: str | None = None) -> altair.TopLevelMixin:
    """Return one chart of a result, by its name in the blocks of the result's document.

    If several charts have the same name, `of` says which: a metric, a model.
    """
    raise TypeError(f"no chart of {type(result).__name__}")


draw.register(Match, lambda result, name, of=None: law(result))
draw.register(Audit, lambda result, name, of=None: forest(result, of))
draw.register(Abstention, lambda result, name, of=None: abstention(result))
draw.register(Calibration, lambda result, name, of=None: calibration(result))
draw.register(Plan, lambda result, name, of=None: planned(result))
draw.register(Curve, lambda result, name, of=None: curve(result))
draw.register(Decomposition, lambda result, name, of=None: matrices(result))


@draw.register
def _(result: Recovery, name: str, of: str | None = None) -> Any:
    return {"feasible": feasible, "bounds": bounds}[name](result)


@draw.register
def _(result: Overview, name: str, of: str | None = None) -> Any:
    if name == "matrices":
        assert of is not None, "matrices are of one model"
        return matrices(result.models[of])
    if name == "abstention":
        return abstention(result.abstention)
    if name == "calibration":
        return calibration(result.calibration)
    return certainty(result) if name == "certainty" else curve(result.curves[name])
