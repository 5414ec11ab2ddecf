"""One or several classifiers side by side: each metric split into certain and uncertain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError, Note
from ..metrics import SPLIT, Metric, metric
from .curves import Curve
from .decomposition import Convention, Decomposition, Ratio


@dataclass(frozen=True)
class Overview:
    """The ratios of some metrics for one or several classifiers, and for their parts.

    `curves` holds each kind of curve by classifier, where they were asked for.

    Examples
    --------
    >>> from fourfold.certainty import decompose
    >>> model = decompose([0, 1, 1], [[0.8, 0.2], [0.4, 0.6], [0.7, 0.3]])
    >>> found = overview({"first": model}, ["accuracy"])
    >>> round(found.ratios["first", None, "accuracy"].value, 4)
    0.6667
    """

    models: Mapping[str, Decomposition]
    metrics: tuple[str, ...]
    convention: Convention
    ratios: Mapping[tuple[str, str | None, str], Ratio]
    notes: tuple[Note, ...] = ()
    curves: Mapping[str, Mapping[str, Curve]] = field(default_factory=dict, repr=False, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each classifier, part and metric."""
        return [{"model": model, "part": part, **found.rows()[0]} for (model, part, _), found in self.ratios.items()]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "schema": "fourfold/certainty",
            "version": 1,
            "convention": self.convention,
            "metrics": list(self.metrics),
            "models": {name: found.to_dict() for name, found in self.models.items()},
            "ratios": [
                {"model": model, "part": part, **found.to_dict()} for (model, part, _), found in self.ratios.items()
            ],
            "notes": [note.to_dict() for note in self.notes],
        }


def overview(
    models: Mapping[str, Decomposition],
    metrics: Sequence[str | Metric] = SPLIT,
    *,
    convention: Convention = "strict",
) -> Overview:
    """Return the certainty ratios of some metrics for each classifier and each of its parts.

    Parameters
    ----------
    models
        Decompositions by name.
    metrics
        Names of metrics with a form for k classes, such as macro averages.
    convention
        See `Decomposition.ratio`.
    """
    chosen = list({each.id: each for each in map(metric, metrics)}.values())
    if not isinstance(models, Mapping) or not models:
        raise InputError("empty", "models", "must be decompositions by name", models, "give {name: decomposition}")
    if not chosen:
        raise InputError("empty", "metrics", "must name at least one", list(metrics), "name a metric")
    ratios = {
        (name, part, each.id): found.ratio(each, convention=convention)
        for name, model in models.items()
        for part, found in ((None, model), *model.named_parts().items())
        for each in chosen
    }
    notes = {note.text: note for model in models.values() for note in model.notes}
    notes |= {note.text: note for found in ratios.values() for note in found.notes}
    return Overview(models, tuple(each.id for each in chosen), convention, ratios, tuple(notes.values()))
