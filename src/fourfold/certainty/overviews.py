"""One or several classifiers side by side: each metric split into certain and uncertain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias

from ..errors import InputError, Notes
from ..metrics import SPLIT, Metric
from ..metrics import metric as find_metric
from ..shape import Members, Record, Result, every, flat
from .abstention import Abstention
from .calibration import Calibration
from .curves import Curve
from .decomposition import CertaintyRatio, Convention, Decomposition, WithConvention
from .resampling import CertaintyComparison

_Ratios: TypeAlias = Mapping[tuple[str, str | None, str], CertaintyRatio]


@dataclass(frozen=True)
class PlacedRatio(Record):
    """The certainty ratio of one classifier, or of a part of its cases."""

    model: Annotated[str, "The classifier."]
    part: Annotated[str | None, "The part, such as a fold; null for all of them together."]
    ratio: CertaintyRatio

    def _members(self) -> Members:
        return self.model, self.part, every(self.ratio)


def _placed(ratios: _Ratios) -> list[PlacedRatio]:
    return [PlacedRatio(model, part, ratio) for (model, part, _), ratio in ratios.items()]


@dataclass(frozen=True)
class Overview(Result, schema="certainty", source="`certainty`"):
    """The certainty ratios of one or several classifiers, and of their parts.

    If every row was read, it also has the calibration and abstention of each classifier and, for two classifiers of
    the same cases, which one is surer. `curves` has each kind of curve by classifier, if you asked for them.

    Examples
    --------
    >>> from fourfold.certainty import decompose
    >>> model = decompose([0, 1, 1], [[0.8, 0.2], [0.4, 0.6], [0.7, 0.3]])
    >>> result = overview({"first": model}, ["accuracy"])
    >>> round(result.ratios["first", None, "accuracy"].value, 4)
    0.6667
    """

    models: Annotated[Mapping[str, Decomposition], "By the classifier's name or file: its matrices."]
    metrics: Annotated[tuple[str, ...], "The metrics' ids."]
    convention: WithConvention
    ratios: Annotated[_Ratios, "A record for each classifier, part and metric.", _placed]
    notes: Notes = ()
    calibration: Annotated[Mapping[str, Calibration], "By classifier: whether its probabilities come true."] = field(
        default_factory=dict
    )
    abstention: Annotated[
        Mapping[str, Abstention], "By classifier: its score when the least certain cases are left out."
    ] = field(default_factory=dict)
    comparison: Annotated[
        CertaintyComparison | None, "For two classifiers of the same cases: which is surer, and by how much."
    ] = None
    curves: Mapping[str, Mapping[str, Curve]] = field(default_factory=dict, repr=False, compare=False)

    def _members(self) -> Members:
        return (
            self.convention, self.metrics, self.models, self.ratios, self.calibration, self.abstention, self.comparison,
            self.notes,
        )  # fmt: skip

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each classifier, part and metric."""
        return [{"model": model, "part": part, **flat(ratio)} for (model, part, _), ratio in self.ratios.items()]


def overview(
    models: Mapping[str, Decomposition], metrics: Sequence[str | Metric] = SPLIT, *, convention: Convention = "strict"
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
    unique = {metric.id: metric for metric in map(find_metric, metrics)}
    if not isinstance(models, Mapping) or not models:
        raise InputError("empty", "models", "must be decompositions by name", models, "give {name: decomposition}")
    if not unique:
        raise InputError("empty", "metrics", "must name at least one", list(metrics), "name a metric")
    ratios = {
        (name, part, metric.id): decomposition.ratio(metric, convention=convention)
        for name, model in models.items()
        for part, decomposition in ((None, model), *model.named_parts().items())
        for metric in unique.values()
    }
    notes = {note.text: note for model in models.values() for note in model.notes}
    notes |= {note.text: note for ratio in ratios.values() for note in ratio.notes}
    return Overview(models, tuple(unique), convention, ratios, tuple(notes.values()))
