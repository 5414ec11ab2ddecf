"""A score split by confidence: the mass of the winning probabilities, and that of all others.

Four k-by-k matrices, rows actual: *hard* counts each case under the predicted class, *soft* spreads it over all classes
by its probabilities; *certain* keeps of that only the predicted class's probability, *uncertain* only the others, so
that the two sum to soft.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, Note, Notes, verbatim
from ..metrics import Average, Metric, MetricId, Score, metric, score_of
from ..shape import Amount, Chance, Count, Result, joined
from ..table import MISSING, TOLERANCE, Labels, Matrix, Probabilities, coded, known_labels
from ..table.counts import _missing as missing

Floats: TypeAlias = NDArray[np.float64]
Convention: TypeAlias = Literal["strict", "paper"]

_CHUNK: Final = 1 << 14
#: What rounding may leave of two scores that cancel.
ROUNDING: Final = 1e-12


OverClasses: TypeAlias = Annotated[Average | None, "The average over the classes; null for the metric's own form."]
WithConvention: TypeAlias = Annotated[Convention, "What an undefined part does."]


@dataclass(frozen=True)
class CertaintyRatio(
    Result,
    schema="certainty_ratio",
    source="`Decomposition.ratio`",
    columns="metric average hard soft certain uncertain value weight_certain weight_uncertain undefined_because",
    members="convention reasons notes",
):
    """The certainty ratio of a metric: its value on the certain part, over the sum of both parts' values.

    Examples
    --------
    >>> found = decompose(["a", "a", "b"], [[0.9, 0.1], [0.6, 0.4], [0.3, 0.7]]).ratio("accuracy")
    >>> found.value, round(found.soft, 4)
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
class Decomposition(
    Result,
    schema="decomposition",
    source="`decompose`",
    members="labels hard soft certain uncertain rows_read tied weight_certain weight_uncertain divergence "
    "largest_divergence parts=named_parts notes",
):
    """The four matrices of a classifier's probabilities, and what can be asked of them.

    Examples
    --------
    >>> found = decompose([0, 1, 1], [[0.8, 0.2], [0.4, 0.6], [0.7, 0.3]])
    >>> found.hard.values.tolist(), found.certain.values.tolist()
    ([[1, 0], [1, 1]], [[0.8, 0.0], [0.7, 0.6]])
    >>> round(found.divergence, 4)
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

    @property
    def labels(self) -> Labels:
        """The classes."""
        return self.hard.labels

    @property
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
        """The sharp bound of the divergence for so many classes; None where predictions were given, which have none."""
        return None if self.predicted else math.sqrt(1 - 1 / len(self.labels))

    def ratio(
        self, name: str | Metric, *, average: Average | None = None, convention: Convention = "strict"
    ) -> CertaintyRatio:
        """Return the certainty ratio of a metric.

        Parameters
        ----------
        name
            A metric with a form for k classes, or any metric with an average.
        average
            "macro", "micro" or "weighted".
        convention
            "strict": undefined where a part is; "paper": an undefined part counts as 0, as in the paper's tables.
        """
        chosen = metric(name)
        _check_convention(convention)
        found = {
            part: score_of(getattr(self, part), chosen, average) for part in ("hard", "soft", "certain", "uncertain")
        }
        return _ratio(found, chosen, average, convention, self.weight_certain)

    def class_ratios(self, name: str | Metric, *, convention: Convention = "strict") -> dict[Hashable, CertaintyRatio]:
        """Return the certainty ratio of a metric for each class against the rest."""
        _check_convention(convention)
        found = {}
        for i, label in enumerate(self.labels):
            parts = {part: _one_class(getattr(self, part), i) for part in ("hard", "certain", "uncertain")}
            one = Decomposition(parts["hard"], parts["certain"], parts["uncertain"], self.rows_read, self.tied)
            found[label] = one._of_class(metric(name), convention)
        return found

    def _of_class(self, chosen: Metric, convention: Convention) -> CertaintyRatio:
        found = {
            part: score_of(getattr(self, part), chosen, None, of_class=0)
            for part in ("hard", "soft", "certain", "uncertain")
        }
        return _ratio(found, chosen, None, convention, self.weight_certain)

    def over_parts(
        self,
        name: str | Metric,
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
        known_numbers = ("value", "hard", "soft", "certain", "uncertain", "divergence")
        if of not in known_numbers:
            raise InputError("bad_option", "of", "is not known", of, f"one of {', '.join(known_numbers)}")
        if not self.parts:
            raise InputError("usage", "by", "no parts were made", None, "decompose with by=, such as the folds")

        def number(found: Decomposition) -> float | None:
            if of == "divergence":
                return found.divergence
            ratio = found.ratio(name, average=average, convention=convention)
            value: float | None = getattr(ratio, of)
            return 0.0 if value is None and convention == "paper" and of in ("certain", "uncertain") else value

        values = {part: number(found) for part, found in self.parts.items()}
        known = [value for value in values.values() if value is not None]
        mean = math.fsum(known) / len(known) if known else None
        spread = float(np.std(known, ddof=1)) if len(known) > 1 else None
        return OverParts(number(self), mean, spread, values)

    def named_parts(self) -> Annotated[dict[str, Decomposition], "By part, such as folds or groups: the same of it."]:
        """Return the parts by a text each; those that would be written alike are told apart."""
        found: dict[str, Decomposition] = {}
        for name, part in self.parts.items():
            values = name if isinstance(name, tuple) else (name,)
            text = ", ".join(MISSING if value is None else str(value) for value in values)
            while text in found:
                text += "'"
            found[text] = part
        return found

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each cell: actual and predicted class, and its mass in each matrix."""
        return [
            {"actual": actual, "predicted": predicted}
            | {part: getattr(self, part).values[i, j].item() for part in ("hard", "soft", "certain", "uncertain")}
            for i, actual in enumerate(self.labels)
            for j, predicted in enumerate(self.labels)
        ]


def _check_convention(convention: object) -> None:
    if convention not in get_args(Convention):
        raise InputError("bad_option", "convention", "is not known", convention, "strict or paper")


def _one_class(matrix: Matrix, i: int) -> Matrix:
    """Return the 2-by-2 matrix of one class against the rest, that class first."""
    v = matrix.values
    hit, row, column = v[i, i], np.delete(v[i], i).sum(), np.delete(v[:, i], i).sum()
    rest = np.delete(np.delete(v, i, axis=0), i, axis=1).sum()
    return Matrix(np.array([[hit, row], [column, rest]]), ("class", "rest"))


def cancelled(total: Any, chosen: Metric) -> Any:
    """Tell whether the sum of the two parts' scores is zero; rounding can hide that where a metric can be negative."""
    return np.abs(total) <= (ROUNDING if chosen.limits.low < 0 else 0.0)


def _ratio(
    found: Mapping[str, Score], chosen: Metric, average: Average | None, convention: Convention, weight: float
) -> CertaintyRatio:
    """Put the parts together: certain over certain plus uncertain."""
    values = {part: None if each.undefined else each.value for part, each in found.items()}
    reasons = [f"{part}: {why}" for part in ("certain", "uncertain") for why in found[part].undefined]
    certain, uncertain = values["certain"], values["uncertain"]
    notes = []
    if convention == "paper":
        certain, uncertain = certain or 0.0, uncertain or 0.0
    value = None
    if certain is not None and uncertain is not None:
        if not cancelled(certain + uncertain, chosen):
            value = certain / (certain + uncertain)
            reasons = reasons if convention == "paper" else []
        else:
            reasons = ["certain and uncertain scores sum to zero"]
        if min(certain, uncertain) < 0:
            words = f"{chosen.label} can be negative, so the ratio may leave the range from 0 to 1; it is not clipped"
            notes.append(Note("ratio_unbounded", words, {}))
    return CertaintyRatio(
        chosen.id,
        chosen.label,
        average,
        convention,
        value,
        values["hard"],
        values["soft"],
        values["certain"],
        values["uncertain"],
        weight,
        1 - weight,
        tuple(reasons),
        tuple(notes),
    )


class Accumulator:
    """Takes batches of rows and merges: the same result in any order, whatever fits in memory.

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
        given = Probabilities.read(probabilities, self.labels, tolerance=self.tolerance)
        actual = coded(truth, self.labels, "truth")
        chosen = None if prediction is None else coded(prediction, self.labels, "prediction")
        self.add_coded(given.values, actual, chosen, _weights(weights, len(given)))

    def add_coded(
        self, values: NDArray[Any], actual: NDArray[np.intp], chosen: NDArray[np.intp] | None, weights: Floats | None
    ) -> None:
        """Add rows whose labels are places already and whose probabilities are checked."""
        _check_lengths(len(values), actual, chosen)
        for start in range(0, len(values), _CHUNK):
            piece = slice(start, start + _CHUNK)
            sums, tied = _summed(
                values[piece],
                actual[piece],
                None if chosen is None else chosen[piece],
                None if weights is None else weights[piece],
            )
            self._take(sums, np.zeros_like(sums))
            self.tied += tied
        self.rows += len(values)
        self.weighted |= weights is not None
        self.predicted |= chosen is not None

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
        """Add all that another one has taken."""
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
        return Decomposition(
            Matrix(counts, self.labels),
            Matrix(certain, self.labels),
            Matrix(uncertain, self.labels),
            self.rows,
            self.tied,
            notes=tuple(notes),
            predicted=self.predicted,
        )


def _check_lengths(rows: int, actual: NDArray[np.intp], chosen: NDArray[np.intp] | None) -> None:
    for name, column in (("truth", actual), ("prediction", chosen)):
        if column is not None and len(column) != rows:
            shown = verbatim(f"{len(column)} labels and {rows} rows of probabilities")
            raise InputError("length_mismatch", name, "must be as long as the probabilities", shown, "check the rows")


def _weights(weights: Any, rows: int) -> Floats | None:
    if weights is None:
        return None
    try:
        found = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("bad_count", "weights", "must be numbers", weights, "give a number for each row") from None
    if found.shape != (rows,) or not (np.isfinite(found).all() and (found >= 0).all()):
        shown = verbatim(f"shape {found.shape} for {rows} rows")
        raise InputError("bad_count", "weights", "must be a number, 0 or more, for each row", shown, "check the rows")
    return found


def _summed(
    values: NDArray[Any], actual: NDArray[np.intp], chosen: NDArray[np.intp] | None, weights: Floats | None
) -> tuple[Floats, int]:
    """Sum some rows into hard, certain and uncertain; and count the rows that are tied at the top."""
    k = values.shape[1]
    columns = np.array(values.T, dtype=np.float64, order="C")
    tied = 0
    if chosen is None:
        top = columns[0].copy()
        chosen = np.zeros(len(actual), dtype=np.intp)
        for j in range(1, k):
            chosen[columns[j] > top] = j
            np.maximum(top, columns[j], out=top)
        tied = int((sum((column == top).astype(np.int64) for column in columns) > 1).sum())
    else:
        top = columns[chosen, np.arange(len(actual))]
    columns[chosen, np.arange(len(actual))] = 0.0
    if weights is not None:
        columns *= weights
        top = top * weights
    cell = actual * k + chosen
    hard = np.bincount(cell, weights, minlength=k * k)
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
        The predicted labels, where ties at the top were broken otherwise than by the first.
    weights
        How much each row counts.
    by
        A value for each row, such as its fold: each part is decomposed too.
    tolerance
        How far from 1 a row may sum.

    Examples
    --------
    >>> found = decompose(["cat", "dog"], {"p_cat": [0.9, 0.4], "p_dog": [0.1, 0.6]})
    >>> found.labels, found.weight_certain
    (('cat', 'dog'), 0.75)
    """
    given = Probabilities.read(probabilities, labels, truth=truth, tolerance=tolerance)
    actual = coded(truth, given.labels, "truth")
    chosen = None if prediction is None else coded(prediction, given.labels, "prediction")
    _check_lengths(len(given), actual, chosen)
    heavy = _weights(weights, len(given))
    if by is None:
        sums = Accumulator(given.labels, tolerance=tolerance)
        sums.add_coded(given.values, actual, chosen, heavy)
        return sums.result()
    return _by_parts(given, actual, chosen, heavy, by)


def _listed_parts(by: Any) -> list[Any]:
    for way in ("to_pylist", "tolist", "to_list"):
        if hasattr(by, way):
            by = getattr(by, way)()
            break
    listed = list(by) if isinstance(by, Iterable) and not isinstance(by, str | bytes) else None
    if listed is None or any(not isinstance(name, Hashable) for name in listed):
        raise InputError("bad_shape", "by", "must be a value for each row", by, "give a column, such as the folds")
    return listed


def _by_parts(
    given: Probabilities, actual: NDArray[np.intp], chosen: NDArray[np.intp] | None, heavy: Floats | None, by: Any
) -> Decomposition:
    listed = _listed_parts(by)
    if len(listed) != len(given):
        shown = verbatim(f"{len(listed)} values and {len(given)} rows")
        raise InputError("length_mismatch", "by", "must be as long as the probabilities", shown, "check the rows")
    lost = [i for i, name in enumerate(listed) if missing(name)]
    if lost:
        shown = verbatim(f"{len(lost)} missing, the first in row {lost[0]}")
        raise InputError("bad_label", "by", "must not be missing", shown, "drop or fill those rows first")
    names = {name: i for i, name in enumerate(dict.fromkeys(listed))}
    part = np.fromiter((names[name] for name in listed), dtype=np.intp, count=len(listed))
    pooled, parts = Accumulator(given.labels), {}
    for name, i in names.items():
        own = np.flatnonzero(part == i)
        sums = Accumulator(given.labels)
        columns = (None if column is None else column[own] for column in (chosen, heavy))
        sums.add_coded(given.values[own], actual[own], *columns)  # type: ignore[arg-type]
        pooled.merge(sums)
        parts[name] = sums.result()
    whole = pooled.result()
    return replace(whole, parts=parts)
