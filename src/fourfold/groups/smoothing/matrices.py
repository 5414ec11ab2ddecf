"""Matrices of several classes drawn towards a reference, and smoothed scores of any measure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ...errors import InputError, Note, Notes
from ...names import old_parameters
from ...shape import Amount, Members, Result
from ...table import Matrix, Table
from ..testing.intervals import Interval, check_level
from ..testing.measures import Measure, Subject, measure
from .strengths import NO_STRENGTHS, Likelihood, Mixture, Strengths
from .tables import Strength, amount, drawn_in, scatter_note, smooth_towards


@dataclass(frozen=True, kw_only=True)
class SmoothedMatrix(Result, schema="smoothed_matrix", source="`smooth` of a matrix"):
    """A group's matrix of several classes, pulled towards a reference: real cells that sum to the group's size.

    Examples
    --------
    >>> from fourfold import smooth
    >>> few, many = Matrix([[2, 1, 0], [0, 3, 0], [0, 0, 1]]), Matrix([[50, 5, 5], [4, 60, 6], [3, 7, 40]])
    >>> result = smooth(few, many, strength=10)
    >>> round(result.score("macro_f1"), 4), round(result.score("recall[0]"), 4)
    (0.8428, 0.7544)
    """

    matrix: Annotated[Matrix, "The smoothed cells: rows actual, columns predicted.", Matrix.tolist]
    group: Annotated[Matrix, "The group's counts.", Matrix.tolist]
    reference: Annotated[Matrix, "The reference's counts.", Matrix.tolist]
    strength: Annotated[Amount, "How many cases of the reference's shares were added."]
    chosen_by: Annotated[str, "How the strength was chosen."]
    strengths: Strengths = NO_STRENGTHS
    notes: Notes = ()

    def _members(self) -> Members:
        return self.classes, self.matrix, self.strength, self.chosen_by, self.group, self.reference, self.notes

    @property
    def classes(self) -> Annotated[tuple[str, ...], "The classes, in the order of rows and columns."]:
        """The classes."""
        return tuple(map(str, self.matrix.labels))

    @old_parameters(name="metric")
    def score(self, metric: Any) -> float:
        """Return a metric of the smoothed matrix; nan where it is undefined."""
        return _score(measure(metric, self.matrix.labels), self.matrix.values)

    @old_parameters(name="metric")
    def interval(self, metric: Any, level: float = 0.95) -> Interval:
        """Return an interval for a metric of the group, given its cases and what the reference says beforehand."""
        check_level(level)
        return _interval(self, measure(metric, self.matrix.labels), level)

    def _rows(self) -> list[dict[str, Any]]:
        """Return a flat record for each class: its name, then its row."""
        return [
            {"class": name, **dict(zip(self.classes, row, strict=True))}
            for name, row in zip(self.classes, self.matrix.values.tolist(), strict=True)
        ]


def _score(what: Measure, cells: Any) -> float:
    column = np.asarray(cells, dtype=np.float64).reshape(-1, 1)
    return float(what.values(what.decisive(column))[0])


def _interval(smoothed: SmoothedMatrix, what: Measure, level: float) -> Interval:
    value = _score(what, smoothed.matrix.values)
    strengths = smoothed.strengths if smoothed.strengths.amounts else Strengths((smoothed.strength,), (1.0,))
    group, reference = (matrix.values.ravel().astype(np.float64) for matrix in (smoothed.group, smoothed.reference))
    values = what.values(what.decisive(Mixture.of_cells(group, reference, strengths).draws().T))
    values = values[~np.isnan(values)]
    known = None if math.isnan(value) else value
    if not len(values):
        return Interval(metric=what.id, value=known, level=level)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2]).tolist()
    if known is not None:
        low, high = min(low, known), max(high, known)
    method = f"{'mixture over strengths' if smoothed.strengths.amounts else 'Dirichlet posterior'}, drawn"
    return Interval(metric=what.id, value=known, low=low, high=high, level=level, method=method)


def smooth_matrices(
    pairs: Mapping[Any, tuple[Matrix, Matrix]], strength: Strength
) -> tuple[dict[Any, SmoothedMatrix], float, str]:
    """Smooth each of some matrices towards its reference; and return the strength, and who chose it."""
    strengths, scatter, chosen_by = NO_STRENGTHS, list[Note](), "given"
    cells = {name: [matrix.values.ravel().astype(np.float64) for matrix in pair] for name, pair in pairs.items()}
    for group, reference in pairs.values():
        if group.labels != reference.labels:
            problem, hint = "must have the group's classes", "make both with the same labels"
            raise InputError("bad_shape", "reference", problem, list(map(str, reference.labels)), hint)
    if strength == "auto" and any(counts_of_group.sum() for counts_of_group, _ in cells.values()):
        # Half a case in each cell, so that a cell that the reference lacks is not taken for impossible.
        others = np.array([other + 0.5 for _, other in cells.values()])
        counts = np.array([counts_of_group for counts_of_group, _ in cells.values()])
        likelihood = Likelihood(counts, others / others.sum(axis=1, keepdims=True))
        strength, strengths = likelihood.likeliest(), likelihood.weighted()
        chosen_by = "likelihood of all groups (Dirichlet-multinomial)"
        scatter = [scatter_note(float(strength), likelihood)] if len(pairs) > 1 else []
    number = float(amount(10 if strength == "auto" else strength, "strength"))
    smoothed = {}
    for name, (group, reference) in pairs.items():
        counts_of_group, other = cells[name]
        total = counts_of_group.sum()
        mixed = counts_of_group + number * other / other.sum() if other.sum() else counts_of_group
        values = (mixed * (total or 1.0) / mixed.sum() if mixed.sum() else mixed).reshape(group.values.shape)
        notes = (*scatter, *(drawn_in(int(total), number) if scatter else ()))
        smoothed[name] = SmoothedMatrix(
            matrix=Matrix(values, group.labels),
            group=group,
            reference=reference,
            strength=number,
            chosen_by=chosen_by,
            strengths=strengths,
            notes=notes,
        )
    return smoothed, number, chosen_by


def smoothed_scores(
    pairs: Mapping[str, tuple[Subject, Subject]], measures: Mapping[str, Measure], strength: Strength, level: float
) -> tuple[dict[tuple[str, str], dict[str, Any]], float, str, tuple[Note, ...]]:
    """Return the smoothed score of each group and measure with its interval; the strength, who chose it, and notes."""
    smoothed: dict[str, Any]
    if any(isinstance(group, Matrix) for group, _ in pairs.values()):
        matrices = {name: (group, other) for name, (group, other) in pairs.items() if isinstance(group, Matrix)}
        smoothed, number, chosen_by = smooth_matrices(matrices, strength)  # type: ignore[arg-type]
    else:
        tables = {name: (group, other) for name, (group, other) in pairs.items() if isinstance(group, Table)}
        smoothed, number, chosen_by = smooth_towards(tables, strength)  # type: ignore[arg-type]
    scores = {}
    for name, drawn in smoothed.items():
        for what in measures.values():
            around = drawn.interval(what.id if isinstance(drawn, SmoothedMatrix) else what.metric, level)
            scores[name, what.id] = {"smoothed": around.value, "smoothed_interval": around}
    notes = (note for drawn in smoothed.values() for note in drawn.notes if note.code == "groups_scatter")
    return scores, number, chosen_by, tuple(notes)[:1]
