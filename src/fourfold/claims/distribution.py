"""What is likely, not only possible: a metric's law over the tables that fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal, TypeAlias, get_args

import numpy as np

from ..errors import InputError, Note, Notes
from ..exact import CELLS
from ..metrics import Metric, MetricId
from ..shape import Chance, Result
from ..solve import Rows

Prior: TypeAlias = Literal["tables", "rates"]

# Up to this many tables all are looked at, beyond it every k-th.
_MOST_TABLES: Final = 1_000_000


@dataclass(frozen=True)
class Distribution(Result, schema="distribution", source="`Recovery.distribution`"):
    """A metric over the tables that fit, weighted by a stated prior.

    With "tables" every table is as likely as any other. With "rates" both rates are uniform on [0, 1] for each pair of
    margins, so that large margins do not outweigh small ones; the same where the margins are known.
    """

    metric: MetricId
    prior: Annotated[Prior, "Which tables count as equally likely."]
    mean: Annotated[float | None, "The mean; null where it is undefined for all."]
    median: Annotated[float | None, "The median; null where it is undefined for all."]
    low: Annotated[float | None, "The lower end of the central 95 %."]
    high: Annotated[float | None, "The upper end of the central 95 %."]
    undefined: Annotated[
        Chance, "The weight of the tables that leave it undefined; everything else is about the other tables."
    ]
    notes: Notes = ()


def distribution(rows: Rows, metric: Metric, prior: Prior = "tables") -> Distribution:
    """Return a metric's mean, median and central 95 % over a set of tables."""
    if prior not in get_args(Prior):
        raise InputError("bad_option", "prior", "unknown prior", prior, "one of tables, rates")
    # Of too many tables every k-th is looked at.
    step = 1 + (rows.count - 1) // _MOST_TABLES if rows.count else 1
    some = rows.picked(range(0, rows.count, step))
    words = f"every {step}th of {rows.count} tables was looked at"
    notes = (Note("distribution_thinned", words, {"step": step}),) if step > 1 else ()
    weights = 1.0 / ((some.positives + 1.0) * (some.negatives + 1.0)) if prior == "rates" else np.ones(len(some))
    cells = some.cells(some.low)
    values = metric.formula.evaluate(dict(zip(CELLS, cells, strict=True))) if len(rows) else np.empty(0)
    defined = ~np.isnan(values)
    whole = float(weights.sum())
    missing = 1 - float(weights[defined].sum()) / whole if whole else 0.0
    if not defined.any():
        return Distribution(metric.id, prior, None, None, None, None, 1.0 if len(rows) else 0.0, notes)
    values, weights = values[defined], weights[defined]
    order = np.argsort(values)
    values, weights = values[order], weights[order] / weights.sum()
    # The smallest values that reach each level of the weights.
    places = np.searchsorted(np.cumsum(weights), np.array([0.025, 0.5, 0.975]) - 1e-12)
    low, median, high = values[np.minimum(places, len(values) - 1)].tolist()
    mean = float(values @ weights)
    return Distribution(metric.id, prior, mean, median, low, high, max(missing, 0.0), notes)
