"""Curves of how close each case's probabilities come to its true class, and the usual losses beside them.

A case's height is 1 minus the Hellinger distance between its row of probabilities and the row that is certain of the
true class. Sorted heights make the multiclass classification performance (MCP) curve, Aguilar-Ruiz and Michalak 2022;
with the same width for every class it is the imbalanced one (IMCP), by the same authors, 2024.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from ..errors import MissingExtra, Note, Notes, verbatim
from ..shape import Amount, Chance, Members, Result, also, finite
from ..table.probabilities import chunks
from .decomposition import Floats, Predictions

CurveKind: TypeAlias = Literal["mcp", "imcp"]


def _listed(points: Floats) -> list[Chance]:
    return points.tolist()  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False)
class Curve(Result, schema="curve", source="`certainty.mcp`, `certainty.imcp`"):
    """A curve from x = 0 to x = 1 and the area under it, between 0 and 1; larger is better.

    Examples
    --------
    >>> curve = mcp(["a", "b"], [[1.0, 0.0], [0.0, 1.0]])
    >>> curve.kind, curve.area
    ('mcp', 1.0)
    """

    kind: Annotated[CurveKind, "Which curve."]
    x: Annotated[Floats, "The positions of the points, from left to right.", _listed]
    y: Annotated[Floats, "The points' heights.", _listed]
    area: Annotated[Chance, "The area under it."]
    notes: Notes = ()

    def _members(self) -> Members:
        return self.kind, self.area, self.x, self.y, self.notes

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each point."""
        return [{"kind": self.kind, "x": x, "y": y} for x, y in zip(self.x.tolist(), self.y.tolist(), strict=True)]


def mcp(truth: Any, probabilities: Any, labels: Sequence[Hashable] | None = None) -> Curve:
    """Return the curve of all cases' heights, sorted and equally spaced.

    Parameters
    ----------
    truth
        The actual labels.
    probabilities
        A row for each case and a column for each class, see `Probabilities.read`.
    labels
        The classes in the order of the columns, such as a model's ``classes_``.

    Examples
    --------
    Does the model give the true class much probability, over all cases?

    >>> curve = mcp(["a", "a", "b"], [[0.9, 0.1], [0.6, 0.4], [0.8, 0.2]])
    >>> curve.x.tolist(), [round(height, 4) for height in curve.y.tolist()], round(curve.area, 4)
    ([0.0, 0.5, 1.0], [0.2565, 0.5252, 0.7735], 0.5201)
    """
    return mcp_of(Predictions.read(truth, probabilities, labels))


def mcp_of(rows: Predictions) -> Curve:
    """Do what `mcp` does, for rows that are checked."""
    heights = np.sort(_heights(rows))
    if len(heights) == 1:  # A single case is a level line.
        heights = np.repeat(heights, 2)
    return _curve("mcp", np.linspace(0, 1, len(heights)), heights)


def imcp(truth: Any, probabilities: Any, labels: Sequence[Hashable] | None = None) -> Curve:
    """Return the curve of all cases' heights, sorted, with the same total width for each class that occurs.

    Points lie at the middle of their case's width; the first and last heights are carried to x = 0 and x = 1. Cases of
    one height are sorted by class, in the order of the columns, so that the order of rows does not matter. With few
    cases of a class and many equal heights that order moves the area: do not read its last digits.

    Parameters
    ----------
    truth, probabilities, labels
        As for `mcp`.

    Examples
    --------
    One rare case counts as much as all others together:

    >>> curve = imcp(["a", "a", "b"], [[0.9, 0.1], [0.6, 0.4], [0.8, 0.2]])
    >>> curve.x.tolist(), round(curve.area, 4)
    ([0.0, 0.25, 0.625, 0.875, 1.0], 0.4697)
    """
    return imcp_of(Predictions.read(truth, probabilities, labels))


def imcp_of(rows: Predictions) -> Curve:
    """Do what `imcp` does, for rows that are checked."""
    heights = _heights(rows)
    order = np.lexsort((rows.actual, heights))
    counts = np.bincount(rows.actual, minlength=len(rows.labels))
    widths = 1.0 / (np.count_nonzero(counts) * counts[rows.actual[order]])
    middles = np.cumsum(widths) - widths / 2
    heights = heights[order]
    absent = [str(label) for label, count in zip(rows.labels, counts, strict=True) if not count]
    notes = []
    if absent:
        words = f"no case is {', '.join(absent)}; the width is shared by the other classes"
        notes.append(Note("class_without_cases", words, {"labels": absent}))
    return _curve("imcp", np.r_[0.0, middles, 1.0], np.r_[heights[0], heights, heights[-1]], notes)


def _heights(rows: Predictions) -> Floats:
    """Return 1 minus the Hellinger distance to the true class for each row: ‖√p − √q‖ / √2."""
    heights = np.empty(len(rows))
    for piece in chunks(len(rows)):
        # The square of 0 − √p could be had without the root, but the published areas hang on its rounding: it decides
        # the order of cases whose heights are equal on paper, and with it their widths.
        off = np.sqrt(rows.values[piece], dtype=np.float64)
        off[np.arange(len(off)), rows.actual[piece]] -= 1
        heights[piece] = 1 - np.sqrt((off**2).sum(axis=1)) / math.sqrt(2)
    # A row may sum to a little more than one, and its distance with it.
    return np.maximum(heights, 0.0)


def _curve(kind: CurveKind, x: Floats, y: Floats, notes: Sequence[Note] = ()) -> Curve:
    return Curve(kind, x, y, float(np.trapezoid(y, x)), tuple(notes))


@dataclass(frozen=True)
class Losses(Result, schema="losses", source="`certainty.losses`"):
    """The Brier score and the log loss of rows of probabilities; smaller is better.

    `log_loss` is infinite where a row gives its true class no probability at all; `rows` and `to_dict` show None there.
    """

    brier: Annotated[Amount, "The Brier score.", also(maximum=2)]
    log_loss: Annotated[float, "The log loss in nats; null where it is infinite.", finite, also(minimum=0)]
    notes: Notes = ()

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record."""
        return [{"brier": self.brier, "log_loss": finite(self.log_loss)}]


def losses(truth: Any, probabilities: Any, labels: Sequence[Hashable] | None = None) -> Losses:
    """Return the Brier score and the log loss, computed by scikit-learn.

    The Brier score is the mean over rows of the squared distance to the row that is certain of the true class, from 0
    to 2; this also holds for two classes, where some authors halve it. The log loss is in nats, of rows divided by
    their sums; scikit-learn counts a probability below 2e-16 as that.

    Parameters
    ----------
    truth, probabilities, labels
        As for `mcp`.

    Raises
    ------
    MissingExtra
        Where scikit-learn is not installed.

    Examples
    --------
    >>> result = losses(["a", "b"], [[0.5, 0.5], [0.0, 1.0]])
    >>> result.brier, round(result.log_loss, 4)
    (0.25, 0.3466)
    """
    try:
        from sklearn.metrics import log_loss, mean_squared_error
    except ImportError:
        shown, hint = verbatim("no scikit-learn"), "pip install scikit-learn"
        raise MissingExtra("missing_extra", "losses", "losses need scikit-learn", shown, hint) from None
    rows = Predictions.read(truth, probabilities, labels)
    k, actual, values = len(rows.labels), rows.actual, rows.values.astype(np.float64)
    # scikit-learn averages over classes as well as over rows.
    brier = k * float(mean_squared_error(np.eye(k)[actual], values))
    lost = int(np.count_nonzero(values[np.arange(len(values)), actual] == 0))
    if lost:
        words = f"the log loss is infinite: {lost} rows give their true class no probability"
        return Losses(brier, math.inf, (Note("score_undefined", words, {"rows": lost}),))
    values /= values.sum(axis=1, keepdims=True)
    return Losses(brier, float(log_loss(actual, values, labels=np.arange(k))))
