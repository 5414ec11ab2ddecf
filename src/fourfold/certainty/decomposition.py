"""A score split by confidence: the mass of the winning probabilities, and that of all others.

Four k-by-k matrices, rows actual: *hard* counts each case under the predicted class, *soft* spreads it over all classes
by its probabilities; *certain* keeps of that only the predicted class's probability, *uncertain* only the others, so
that the two sum to soft.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, Note, Notes, verbatim
from ..metrics import Average, Metric, MetricId, score_of
from ..metrics import metric as find_metric
from ..names import old_parameters
from ..shape import Amount, Chance, Count, Members, Result, columns, joined, named
from ..table import MISSING, TOLERANCE, Labels, Matrix, Probabilities, coded, known_labels
from ..table.counts import is_missing
from ..table.probabilities import chunks

Floats: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.intp]
Convention: TypeAlias = Literal["strict", "paper"]

# The numbers that a ratio gives, and the divergence of hard and soft.
Number: TypeAlias = Literal["value", "hard", "soft", "certain", "uncertain", "divergence"]

_MATRICES: Final = ("hard", "soft", "certain", "uncertain")
#: What rounding may leave of two scores that cancel.
ROUNDING: Final = 1e-12

OverClasses: TypeAlias = Annotated[Average | None, "The average over the classes; null for the metric's own form."]
WithConvention: TypeAlias = Annotated[Convention, "How an undefined part is treated."]


@dataclass(frozen=True)
class CertaintyRatio(Result, schema="certainty_ratio", source="`Decomposition.ratio`"):
    """The certainty ratio of a metric: its value on the certain part, over the sum of both parts' values.

    Examples
    --------
    >>> result = decompose(["a", "a", "b"], [[0.9, 0.1], [0.6, 0.4], [0.3, 0.7]]).ratio("accuracy")
    >>> result.value, round(result.soft, 4)
    (1.0, 0.7333)
    """

    metric: MetricId
    label: str
    average: OverClasses
    convention: WithConvention
    value: Annotated[float | None, "The certainty ratio; null where it is undefined."]
    hard: Annotated[float | None, "The score of the predicted classes; null where it is undefined."]
    soft: Annotated[float | None, "The score of all probability mass; null where it is undefined."]
    certain: Annotated[float | None, "The score of the certain part; null where it is undefined."]
    uncertain: Annotated[float | None, "The score of the uncertain part; null where it is undefined."]
    weight_certain: Annotated[Chance, "The share of the mass that is certain."]
    weight_uncertain: Annotated[Chance, "The share of the mass that is uncertain."]
    reasons: Annotated[tuple[str, ...], "Why a part or the ratio is undefined."] = ()
    notes: Notes = ()

    def _members(self) -> Members:
        return (
            *columns(self.metric, self.average, self.hard, self.soft, self.certain, self.uncertain, self.value,
            self.weight_certain, self.weight_uncertain, self.undefined_because), self.convention, self.reasons,
            self.notes,
        )  # fmt: skip

    @property
    def undefined_because(self) -> str:
        """The reasons as one text."""
        return joined(self.reasons)


@dataclass(frozen=True)
class OverParts:
    """A number for each part (fold, group), their mean and spread, and the number of all parts pooled."""

    pooled: float | None
    mean: float | None
    spread: float | None
    values: Mapping[Any, float | None] = field(default_factory=dict)

    @property
    def undefined(self) -> int:
        """How many parts have no value."""
        return sum(1 for value in self.values.values() if value is None)


@dataclass(frozen=True)
class Decomposition(Result, schema="decomposition", source="`decompose`"):
    """The four matrices of a classifier's probabilities, and the scores that follow from them.

    Examples
    --------
    >>> result = decompose([0, 1, 1], [[0.8, 0.2], [0.4, 0.6], [0.7, 0.3]])
    >>> result.hard.values.tolist(), result.certain.values.tolist()
    ([[1, 0], [1, 1]], [[0.8, 0.0], [0.7, 0.6]])
    >>> round(result.divergence, 4)
    0.1054
    """

    hard: Annotated[Matrix, "Counts of predicted classes.", Matrix.tolist]
    certain: Annotated[Matrix, "The mass on predicted classes.", Matrix.tolist]
    uncertain: Annotated[Matrix, "The mass on all other classes.", Matrix.tolist]
    rows_read: Annotated[Count, "How many rows were summed."]
    tied: Annotated[Count, "Rows with several largest probabilities."] = 0
    parts: Mapping[Any, Decomposition] = field(default_factory=dict)
    notes: Notes = ()
    predicted: bool = False

    def _members(self) -> Members:
        return (
            self.labels, self.hard, self.soft, self.certain, self.uncertain, self.rows_read, self.tied,
            self.weight_certain, self.weight_uncertain, self.divergence, self.largest_divergence,
            named("parts", self.named_parts), self.notes,
        )  # fmt: skip

    @property
    def labels(self) -> Labels:
        """The classes."""
        return self.hard.labels

    @cached_property
    def soft(self) -> Annotated[Matrix, "All probability mass.", Matrix.tolist]:
        """Certain and uncertain together."""
        return Matrix(self.certain.values + self.uncertain.values, self.labels)

    @property
    def weight_certain(self) -> Chance:
        """The share of all probability mass that lies on predicted classes."""
        certain, uncertain = (float(part.values.sum()) for part in (self.certain, self.uncertain))
        return certain / (certain + uncertain)

    @property
    def weight_uncertain(self) -> Chance:
        """The share of all probability mass that lies on other classes."""
        return 1 - self.weight_certain

    @property
    def divergence(self) -> Amount:
        """How far hard and soft lie apart; 0 does not mean certainty.

        At most `largest_divergence` where the largest probability is predicted, as a caller's predictions need not be.
        """
        off = self.hard.values - self.soft.values
        return math.sqrt(float((off**2).sum())) / float(self.hard.values.sum())

    @property
    def largest_divergence(self) -> float | None:
        """The sharp bound of the divergence, by the number of classes; None where predictions were given."""
        return None if self.predicted else math.sqrt(1 - 1 / len(self.labels))

    @old_parameters(name="metric")
    def ratio(
        self, metric: str | Metric, *, average: Average | None = None, convention: Convention = "strict"
    ) -> CertaintyRatio:
        """Return the certainty ratio of a metric.

        Parameters
        ----------
        metric
            A metric with a form for k classes, or any metric with an average.
        average
            "macro", "micro" or "weighted".
        convention
            "strict": undefined where a part is; "paper": an undefined part counts as 0, as in the paper's tables.
        """
        return self._ratio(find_metric(metric), average, convention)

    @old_parameters(name="metric")
    def class_ratios(
        self, metric: str | Metric, *, convention: Convention = "strict"
    ) -> dict[Hashable, CertaintyRatio]:
        """Return the certainty ratio of a metric for each class against the rest."""
        metric = find_metric(metric)
        return {label: self._ratio(metric, None, convention, of_class=i) for i, label in enumerate(self.labels)}

    def _ratio(
        self, metric: Metric, average: Average | None, convention: Convention, of_class: int | None = None
    ) -> CertaintyRatio:
        """Score the four matrices and put them together: certain over certain plus uncertain."""
        if convention not in get_args(Convention):
            raise InputError("bad_option", "convention", "is not known", convention, "strict or paper")
        scores = {part: score_of(getattr(self, part), metric, average, of_class=of_class) for part in _MATRICES}
        hard, soft, certain, uncertain = (None if score.undefined else score.value for score in scores.values())
        reasons = [f"{part}: {why}" for part in ("certain", "uncertain") for why in scores[part].undefined]
        notes, ratio = [], None
        first, second = (certain, uncertain) if convention == "strict" else (certain or 0.0, uncertain or 0.0)
        if first is not None and second is not None:
            if not cancelled(first + second, metric):
                ratio = first / (first + second)
                reasons = reasons if convention == "paper" else []
            else:
                reasons = ["certain and uncertain scores sum to zero"]
            if min(first, second) < 0:
                words = "can be negative, so the ratio may leave the range from 0 to 1; it is not clipped"
                notes.append(Note("ratio_unbounded", f"{metric.label} {words}", {}))
        about = (metric.id, metric.label, average, convention)
        scores_of_parts = (hard, soft, certain, uncertain)
        weights = (self.weight_certain, self.weight_uncertain)
        return CertaintyRatio(*about, ratio, *scores_of_parts, *weights, tuple(reasons), tuple(notes))

    @old_parameters(name="metric")
    def over_parts(
        self,
        metric: str | Metric,
        *,
        average: Average | None = None,
        convention: Convention = "strict",
        of: str = "value",
    ) -> OverParts:
        """Return a number of the ratio for each part, their mean and spread, and that of all parts pooled.

        Parameters
        ----------
        of
            Which number: "value" (the ratio itself), "hard", "soft", "certain", "uncertain" or "divergence".
        """
        check_number(of)
        if not self.parts:
            raise InputError("usage", "by", "no parts were made", None, "decompose with by=, such as the folds")

        def number(part: Decomposition) -> float | None:
            value = part.number(of, metric, average=average, convention=convention)
            return 0.0 if value is None and convention == "paper" and of in ("certain", "uncertain") else value

        values = {key: number(part) for key, part in self.parts.items()}
        known = [value for value in values.values() if value is not None]
        mean = math.fsum(known) / len(known) if known else None
        spread = float(np.std(known, ddof=1)) if len(known) > 1 else None
        return OverParts(number(self), mean, spread, values)

    @old_parameters(name="metric")
    def number(self, of: str, metric: str | Metric, **options: Any) -> float | None:
        """Return one number of a ratio by its name, or the divergence; None where it is undefined."""
        return self.divergence if of == "divergence" else getattr(self.ratio(metric, **options), of)

    def named_parts(self) -> Annotated[dict[str, Decomposition], "By part, such as folds or groups: the same of it."]:
        """Return the parts by name, as texts; names that would look the same are made distinct."""
        named: dict[str, Decomposition] = {}
        for name, part in self.parts.items():
            values = name if isinstance(name, tuple) else (name,)
            text = ", ".join(MISSING if value is None else str(value) for value in values)
            while text in named:
                text += "'"
            named[text] = part
        return named

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each cell: actual and predicted class, and its mass in each matrix."""
        return [
            {"actual": actual, "predicted": predicted}
            | {part: getattr(self, part).values[i, j].item() for part in _MATRICES}
            for i, actual in enumerate(self.labels)
            for j, predicted in enumerate(self.labels)
        ]


def check_number(of: object) -> None:
    """Check the name of a number."""
    if of not in get_args(Number):
        raise InputError("bad_option", "of", "is not known", of, f"one of {', '.join(get_args(Number))}")


def cancelled(total: Any, metric: Metric) -> Any:
    """Tell whether the sum of the two parts' scores is zero; rounding can hide that where a metric can be negative."""
    return np.abs(total) <= (ROUNDING if metric.limits.low < 0 else 0.0)


@dataclass(frozen=True, eq=False)
class Predictions:
    """Checked rows: probabilities, and actual and predicted classes by their place among the labels."""

    values: NDArray[Any]
    labels: tuple[Hashable, ...]
    actual: Places
    predicted: Places | None
    weights: Floats | None = None

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def read(
        cls,
        truth: Any,
        probabilities: Any,
        labels: Sequence[Hashable] | None = None,
        *,
        prediction: Any = None,
        weights: Any = None,
        order: Sequence[Hashable] | None = None,
        tolerance: float = TOLERANCE,
    ) -> Predictions:
        """Read columns as `decompose` takes them; with an order, the classes are put into it."""
        given = Probabilities.read(probabilities, labels, truth=truth, tolerance=tolerance)
        if order is not None and tuple(order) != given.labels:
            given = given.ordered(order)
        actual = coded(truth, given.labels, "truth")
        predicted = None if prediction is None else coded(prediction, given.labels, "prediction")
        for name, column in (("truth", actual), ("prediction", predicted)):
            if column is not None and len(column) != len(given):
                shown, hint = verbatim(f"{len(column)} labels and {len(given)} rows of probabilities"), "check the rows"
                raise InputError("length_mismatch", name, "must be as long as the probabilities", shown, hint)
        return cls(given.values, given.labels, actual, predicted, _weights(weights, len(given)))

    def at(self, index: Any) -> Predictions:
        """Return some of the rows."""
        predicted = None if self.predicted is None else self.predicted[index]
        weights = None if self.weights is None else self.weights[index]
        return Predictions(self.values[index], self.labels, self.actual[index], predicted, weights)

    def ordered(self, labels: Sequence[Hashable]) -> Predictions:
        """Return the same rows with the classes in another order."""
        if tuple(labels) == self.labels:
            return self
        places = [self.labels.index(label) for label in labels]
        moved = np.argsort(places)
        predicted = None if self.predicted is None else moved[self.predicted]
        return Predictions(self.values[:, places], tuple(labels), moved[self.actual], predicted, self.weights)

    def decomposed(self) -> Decomposition:
        """Return the decomposition of all rows."""
        sums = Accumulator(self.labels)
        sums.add_rows(self)
        return sums.result()


class Accumulator:
    """Takes rows batch by batch and merges: the result is the same in any order, and the rows need not fit in memory.

    Examples
    --------
    >>> sums = Accumulator(["a", "b"])
    >>> sums.add(["a"], [[0.9, 0.1]])
    >>> sums.add(["b"], [[0.3, 0.7]])
    >>> sums.result().ratio("accuracy").hard
    1.0
    """

    def __init__(self, labels: Sequence[Hashable], *, tolerance: float = TOLERANCE) -> None:
        self.labels = known_labels(labels)
        self.tolerance = tolerance
        self.rows = self.tied = 0
        self.weighted = self.predicted = False
        k = len(self.labels)
        # Sums and what rounding has left out of them, so that the order of batches does not matter.
        self._sums, self._lost = np.zeros((3, k, k)), np.zeros((3, k, k))

    def add(self, truth: Any, probabilities: Any, *, prediction: Any = None, weights: Any = None) -> None:
        """Add rows."""
        options = {"prediction": prediction, "weights": weights, "tolerance": self.tolerance}
        self.add_rows(Predictions.read(truth, probabilities, self.labels, **options))

    def add_rows(self, rows: Predictions) -> None:
        """Add rows that were checked before."""
        for piece in chunks(len(rows)):
            sums, tied = _summed(rows.at(piece))
            self._take(sums, np.zeros_like(sums))
            self.tied += tied
        self.rows += len(rows)
        self.weighted |= rows.weights is not None
        self.predicted |= rows.predicted is not None

    def add_sums(
        self, hard: Floats, certain: Floats, uncertain: Floats, *, rows: int, tied: int, predicted: bool = False
    ) -> None:
        """Add matrices that were summed elsewhere."""
        self.predicted |= predicted
        sums = np.stack([hard, certain, uncertain]).astype(np.float64)
        self._take(sums, np.zeros_like(sums))
        self.rows += rows
        self.tied += tied

    def merge(self, other: Accumulator) -> None:
        """Add everything that another accumulator has taken."""
        if not isinstance(other, Accumulator):
            raise InputError("bad_shape", "other", "must be an accumulator", other, "merge what add has filled")
        if self.labels != other.labels:
            shown = verbatim(f"{self.labels} and {other.labels}")
            raise InputError("bad_label", "labels", "must be the same to merge", shown, "use one list of labels")
        self._take(other._sums, other._lost)
        self.rows += other.rows
        self.tied += other.tied
        self.weighted |= other.weighted
        self.predicted |= other.predicted

    def _take(self, sums: Floats, lost: Floats) -> None:
        total = self._sums + sums
        shift = total - self._sums
        self._lost += (self._sums - (total - shift)) + (sums - shift) + lost
        self._sums = total

    def result(self) -> Decomposition:
        """Return the decomposition of all rows so far."""
        if not self.rows:
            raise InputError("empty", "probabilities", "has no rows", verbatim("0 rows"), "add a batch first")
        hard, certain, uncertain = self._sums + self._lost
        if not hard.any():
            shown = verbatim(f"only 0 in {self.rows} rows")
            raise InputError("empty", "weights", "must not all be 0", shown, "give some row a weight above 0")
        notes = []
        if self.tied:
            words = f"{self.tied} rows have several largest probabilities; the first was taken"
            notes.append(Note("tied_rows", words, {"rows": self.tied}))
        absent = [str(label) for label, row in zip(self.labels, hard, strict=True) if not row.any()]
        if absent:
            notes.append(Note("class_without_cases", f"no case is {', '.join(absent)}", {"labels": absent}))
        counts = hard if self.weighted else np.rint(hard).astype(np.int64)
        first, second, third = (Matrix(values, self.labels) for values in (counts, certain, uncertain))
        return Decomposition(first, second, third, self.rows, self.tied, notes=tuple(notes), predicted=self.predicted)


def _weights(weights: Any, rows: int) -> Floats | None:
    if weights is None:
        return None
    try:
        numbers = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("bad_count", "weights", "must be numbers", weights, "give a number for each row") from None
    if numbers.shape != (rows,) or not (np.isfinite(numbers).all() and (numbers >= 0).all()):
        shown = verbatim(f"shape {numbers.shape} for {rows} rows")
        raise InputError("bad_count", "weights", "must be a number, 0 or more, for each row", shown, "check the rows")
    return numbers


def _summed(rows: Predictions) -> tuple[Floats, int]:
    """Sum some rows into hard, certain and uncertain; and count the rows that are tied at the top."""
    k, actual, predicted, tied = len(rows.labels), rows.actual, rows.predicted, 0
    columns = np.array(rows.values.T, dtype=np.float64, order="C")
    if predicted is None:
        top = columns[0].copy()
        predicted = np.zeros(len(rows), dtype=np.intp)
        for j in range(1, k):
            predicted[columns[j] > top] = j
            np.maximum(top, columns[j], out=top)
        tied = int((sum((column == top).astype(np.int64) for column in columns) > 1).sum())
    else:
        top = columns[predicted, np.arange(len(rows))]
    columns[predicted, np.arange(len(rows))] = 0.0
    if rows.weights is not None:
        columns *= rows.weights
        top = top * rows.weights
    cell = actual * k + predicted
    hard = np.bincount(cell, rows.weights, minlength=k * k)
    certain = np.bincount(cell, top, minlength=k * k)
    uncertain = np.stack([np.bincount(actual, column, minlength=k) for column in columns], axis=1)
    return np.stack([hard.reshape(k, k), certain.reshape(k, k), uncertain]), tied


def decompose(
    truth: Any,
    probabilities: Any,
    labels: Sequence[Hashable] | None = None,
    *,
    prediction: Any = None,
    weights: Any = None,
    by: Any = None,
    tolerance: float = TOLERANCE,
) -> Decomposition:
    """Split a classifier's probabilities into what is certain and what is not.

    Parameters
    ----------
    truth
        The actual labels.
    probabilities
        A row for each case and a column for each class, see `Probabilities.read`.
    labels
        The classes in the order of the columns, such as a model's ``classes_``.
    prediction
        The predicted labels, if ties were not broken by taking the first.
    weights
        How much each row counts.
    by
        A value for each row, such as its fold: each part is decomposed, too.
    tolerance
        How far from 1 a row may sum.

    Examples
    --------
    >>> result = decompose(["cat", "dog"], {"p_cat": [0.9, 0.4], "p_dog": [0.1, 0.6]})
    >>> result.labels, result.weight_certain
    (('cat', 'dog'), 0.75)
    """
    options = {"prediction": prediction, "weights": weights, "tolerance": tolerance}
    rows = Predictions.read(truth, probabilities, labels, **options)
    return rows.decomposed() if by is None else _by_parts(rows, by)


def _listed_parts(by: Any) -> list[Any]:
    for way in ("to_pylist", "tolist", "to_list"):
        if hasattr(by, way):
            by = getattr(by, way)()
            break
    listed = list(by) if isinstance(by, Iterable) and not isinstance(by, str | bytes) else None
    if listed is None or any(not isinstance(name, Hashable) for name in listed):
        raise InputError("bad_shape", "by", "must be a value for each row", by, "give a column, such as the folds")
    return listed


def _by_parts(rows: Predictions, by: Any) -> Decomposition:
    listed = _listed_parts(by)
    if len(listed) != len(rows):
        shown = verbatim(f"{len(listed)} values and {len(rows)} rows")
        raise InputError("length_mismatch", "by", "must be as long as the probabilities", shown, "check the rows")
    lost = [i for i, name in enumerate(listed) if is_missing(name)]
    if lost:
        shown = verbatim(f"{len(lost)} missing, the first in row {lost[0]}")
        raise InputError("bad_label", "by", "must not be missing", shown, "drop or fill those rows first")
    names = {name: i for i, name in enumerate(dict.fromkeys(listed))}
    part = np.fromiter((names[name] for name in listed), dtype=np.intp, count=len(listed))
    pooled, parts = Accumulator(rows.labels), {}
    for name, i in names.items():
        sums = Accumulator(rows.labels)
        sums.add_rows(rows.at(np.flatnonzero(part == i)))
        pooled.merge(sums)
        parts[name] = sums.result()
    return replace(pooled.result(), parts=parts)
