"""The JSON of `recover` as version 2 of its schemas had it, for one release: see the page on JSON.

There were three schemas, and a verdict told whether one table fits or several.
"""

from __future__ import annotations

from typing import Any

from ..metrics import METRICS
from .claim import TableClaim
from .solution import ClassSolution, PartSolution, TableSolution

_TABLE = (
    "verdict count complete departures claim tables cells bounds folds intervals interval_methods blame contradictions "
    "implied repairs readings notes"
)
_CLASSES = (
    "verdict count counted complete departures claim margins matrix cells bounds blame implied repairs readings notes"
)
_PARTS = "verdict reason departures claim folds pooled cells bounds pooled_bounds intervals blame readings notes"


def version_2(now: dict[str, Any], result: Any) -> dict[str, Any]:
    """Return the JSON of a recovery in its earlier form, from what it is now."""
    solution, old = result.solution, dict(now)
    if now["claim"]["undefined"] == "one":
        # There was no word for it; where it is a reading, the departures say so.
        old["claim"] = now["claim"] = now["claim"] | {"undefined": "any"}
    if isinstance(solution, ClassSolution):
        old["verdict"] = _counted(result)
        old["cells"], old["matrix"] = now.get("class_cells"), now.get("matrix")
        scores = [{("score" if name == "metric" else name): v for name, v in each.items()} for each in
            now["claim"]["scores"]]  # fmt: skip
        old["claim"] = now["claim"] | {"scores": scores}
        old["bounds"] = {
            name: {
                "low": ends["low"],
                "high": ends["high"],
                "low_sharp": ends["low_attained"],
                "high_sharp": ends["high_attained"],
                "low_margins": _margins(ends["low_witness"]),
                "high_margins": _margins(ends["high_witness"]),
            }
            for name, ends in now["bounds"].items()
        }
        return _members("class_recovery", 2, _CLASSES, old)
    if isinstance(solution, PartSolution) and not isinstance(result.stated, TableClaim):
        old["folds"], old["pooled"] = now.get("parts", []), now.get("pooled")
        old["cells"] = _mean_bounds(_plain(solution.cell_bounds() if result.bounded and solution.fits else {}))
        old["bounds"], old["pooled_bounds"] = _mean_bounds(now["bounds"]), _mean_bounds(now["pooled_bounds"])
        old["verdict"] = _known(result.verdict)
        return _members("fold_recovery", 1, _PARTS, old)
    old["folds"] = now.get("parts", [])
    old["repairs"] = [{name: v for name, v in one.items() if name != "counted"} for one in now["repairs"]]
    if isinstance(solution, TableSolution):
        old["verdict"] = _counted(result)
        old["bounds"] = {
            name: {
                "low": ends["low"],
                "high": ends["high"],
                "low_table": ends["low_witness"],
                "high_table": ends["high_witness"],
            }
            for name, ends in now["bounds"].items()
        }
    else:
        # One table was asked about, and only means fit: no table does.
        nothing = dict.fromkeys(("low", "high", "low_table", "high_table"))
        bounds = {name: dict(nothing) for name in METRICS} if result.bounded else {}
        old |= {"count": 0, "complete": True, "claim": result.stated.to_dict(), "tables": [], "cells": {},
            "bounds": bounds}  # fmt: skip
    return _members("recovery", 2, _TABLE, old)


def _known(verdict: str) -> str:
    """Return a word that was there before: it had none for what no average that was tried explains."""
    return "undecided" if verdict == "unexplained" else verdict


def _counted(result: Any) -> str:
    """Say whether one fits or several, where any does."""
    if result.verdict != "possible":
        return _known(result.verdict)
    return "unique" if result.count == 1 and result.counted and result.complete else "several"


def _members(schema: str, version: int, names: str, values: dict[str, Any]) -> dict[str, Any]:
    lead: dict[str, Any] = {"schema": f"fourfold/{schema}", "version": version}
    return lead | {name: values[name] for name in names.split()}


def _margins(witness: dict[str, Any] | None) -> list[dict[str, Any]]:
    return [{"label": label, **counts} for label, counts in (witness or {}).items()]


def _plain(bounds: dict[str, Any]) -> dict[str, Any]:
    return {name: ends._asdict() for name, ends in bounds.items()}


def _mean_bounds(bounds: dict[str, Any]) -> dict[str, Any]:
    return {
        name: {
            "outer_low": ends["low"],
            "outer_high": ends["high"],
            "inner_low": ends["low_found"],
            "inner_high": ends["high_found"],
        }
        for name, ends in bounds.items()
    }
