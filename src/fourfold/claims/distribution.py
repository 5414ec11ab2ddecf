"""What is likely, not only possible: a metric's law over the tables that fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, Note
from ..formula import CELLS
from ..metrics import Metric
from ..space import Rows

_PRIORS: Final = ("tables", "rates")

# Up to this many tables all are looked at, beyond it every k-th.
_MOST_TABLES: Final = 1_000_000


@dataclass(frozen=True)
class Distribution:
    """A metric's values over the tables that fit, weighted by a stated prior.

    Parameters
    ----------
    prior
        "tables": every table is as likely as any other. "rates": both rates are uniform on [0, 1] for each pair of
        margins, so that large margins do not outweigh small ones; the same where the margins are known.
    undefined
        The weight of tables where the metric has no value; the law is conditional on having one.
    """

    metric: str
    prior: str
    mean: float | None
    median: float | None
    low: float | None
    high: float | None
    undefined: float
    notes: tuple[Note, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record."""
        return [{name: getattr(self, name) for name in _FIELDS}]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        notes = [note.to_dict() for note in self.notes]
        return {"schema": "fourfold/distribution", "version": 1, **self.rows()[0], "notes": notes}


_FIELDS: Final = ("metric", "prior", "mean", "median", "low", "high", "undefined")


def distribution(rows: Rows, metric: Metric, prior: str = "tables") -> Distribution:
    """Return a metric's mean, median and central 95 % over a set of tables."""
    if prior not in _PRIORS:
        raise InputError("bad_option", "prior", "unknown prior", prior, "one of tables, rates")
    cells, weights, notes = _tables(rows, prior)
    values = metric.formula.evaluate(dict(zip(CELLS, cells, strict=True))) if len(rows) else np.empty(0)
    defined = ~np.isnan(values)
    whole = float(weights.sum())
    missing = 1 - float(weights[defined].sum()) / whole if whole else 0.0
    if not defined.any():
        return Distribution(metric.id, prior, None, None, None, None, 1.0 if len(rows) else 0.0, notes)
    values, weights = values[defined], weights[defined]
    order = np.argsort(values)
    values, weights = values[order], weights[order] / weights.sum()
    low, median, high = _quantiles(values, weights, (0.025, 0.5, 0.975))
    mean = float(values @ weights)
    return Distribution(metric.id, prior, mean, median, low, high, max(missing, 0.0), notes)


def _quantiles(values: NDArray[Any], weights: NDArray[Any], levels: tuple[float, ...]) -> list[float]:
    """Return the smallest values that reach each level of the weights."""
    reached = np.cumsum(weights)
    places = np.minimum(np.searchsorted(reached, np.array(levels) - 1e-12), len(values) - 1)
    return [float(value) for value in values[places]]


def _tables(rows: Rows, prior: str) -> tuple[tuple[Any, ...], NDArray[np.float64], tuple[Note, ...]]:
    """Return the cells of all tables, or of every k-th where there are too many, with their weights."""
    widths = rows.high - rows.low + 1
    ends = np.cumsum(widths)
    step = 1 + (rows.count - 1) // _MOST_TABLES if rows.count else 1
    index = np.arange(0, rows.count, step)
    row = np.searchsorted(ends, index, side="right")
    part = rows.at(row)
    tn = part.low + index - (ends[row] - widths[row])
    weights = np.ones(len(index))
    if prior == "rates":
        weights = 1.0 / ((part.positives + 1.0) * (part.negatives + 1.0))
    words = f"every {step}th of {rows.count} tables was looked at"
    notes = (Note("distribution_thinned", words, {"step": step}),) if step > 1 else ()
    return part.cells(tn), weights, notes
