"""How far a certainty ratio would move with other rows from the same source: the bootstrap.

Resampled rows are never written out. Within a block of rows of one class, a resample is how often each row was drawn,
and one matrix product of those counts with what each row adds gives the resampled matrices' rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import NDArray

from ..chance.draws import generator
from ..errors import InputError, Note, Notes
from ..exact import Formula
from ..metrics import SPLIT, Average, Metric, MetricId
from ..metrics import metric as find_metric
from ..metrics.catalogue import Averaged
from ..shape import Chance, Count, Level, Members, Result, columns
from .decomposition import (
    ROUNDING,
    CertaintyRatio,
    Convention,
    Decomposition,
    Floats,
    OverClasses,
    Places,
    Predictions,
    WithConvention,
    cancelled,
)

#: Where random numbers start, unless `rng` is given.
SEED: Final = 20241
# Numbers in an array at once: some few of them, of eight bytes each, stay well below 200 MB.
_MOST_NUMBERS: Final = 1 << 21


@dataclass(frozen=True)
class Resampled(Result, schema="resampled", source="`certainty.bootstrap`, `certainty.difference`"):
    """A certainty ratio, or the difference of two, with its bootstrap interval.

    Examples
    --------
    >>> result = bootstrap(["a", "a", "b"] * 20, [[0.9, 0.1], [0.4, 0.6], [0.3, 0.7]] * 20, "accuracy")
    >>> round(result.value, 3), result.low < result.value < result.high, result.undefined
    (0.593, True, 0)
    """

    metric: MetricId
    average: OverClasses
    convention: WithConvention
    value: Annotated[float | None, "The value; null where it is undefined."]
    low: Annotated[float | None, "The lower end; null where the value is undefined."]
    high: Annotated[float | None, "The upper end; null where the value is undefined."]
    level: Annotated[Level, "The level: how often such intervals contain the true value."]
    draws: Annotated[Count, "How many resamples were drawn."]
    undefined: Annotated[Count, "How many of them had no value."]
    method: Annotated[str, "How rows were resampled."]
    seed: Annotated[Count | None, "The seed of the random numbers; null if a generator was given."]
    share_above: Annotated[Chance | None, "For a difference: the share of the other resamples above 0."] = None
    notes: Notes = ()

    def _members(self) -> Members:
        return (
            *columns(self.metric, self.average, self.value, self.low, self.high, self.level, self.draws, self.undefined,
            self.share_above, self.method), self.convention, self.seed, self.notes,
        )  # fmt: skip


def bootstrap(
    truth: Any,
    probabilities: Any,
    metric: str | Metric,
    *,
    labels: Sequence[Hashable] | None = None,
    average: Average | None = None,
    convention: Convention = "strict",
    prediction: Any = None,
    level: float = 0.95,
    draws: int = 1000,
    stratified: bool = True,
    rng: np.random.Generator | int | None = None,
) -> Resampled:
    """Return the certainty ratio of a metric with a percentile interval from resampled rows.

    Parameters
    ----------
    truth, probabilities, labels, prediction
        As for `decompose`.
    metric, average, convention
        As for `Decomposition.ratio`.
    level
        The share of resamples inside the interval.
    draws
        How many resamples.
    stratified
        Whether rows are resampled within each true class, so that each class keeps its number of cases; otherwise over
        all rows.
    rng
        A seed or generator. By default the seed is 20241, so that the same call gives the same interval.

    Examples
    --------
    >>> truth, rows = ["a", "b", "b", "a"] * 25, [[0.8, 0.2], [0.4, 0.6], [0.7, 0.3], [0.5, 0.5]] * 25
    >>> result = bootstrap(truth, rows, "accuracy", level=0.9)
    >>> result.method
    'percentile bootstrap, rows resampled within each true class'
    """
    model = _Model.of(Predictions.read(truth, probabilities, labels, prediction=prediction))
    return _resampled([model], metric, average, convention, level, draws, stratified, rng)


def difference(
    truth: Any,
    first: Any,
    second: Any,
    metric: str | Metric,
    *,
    labels: Sequence[Hashable] | None = None,
    average: Average | None = None,
    convention: Convention = "strict",
    predictions: tuple[Any, Any] = (None, None),
    level: float = 0.95,
    draws: int = 1000,
    stratified: bool = True,
    rng: np.random.Generator | int | None = None,
) -> Resampled:
    """Return how much larger the first model's certainty ratio is than the second's, on the same rows.

    Both use the same resamples, so that rows which are hard for both models cancel out.

    Parameters
    ----------
    truth
        The actual labels.
    first, second
        The two models' probabilities for the same rows.
    metric, average, convention
        As for `Decomposition.ratio`.
    labels
        The classes in the order of the columns of both, or as the columns are named.
    predictions
        The two models' predicted labels, if ties were not broken by taking the first.
    level, draws, stratified, rng
        As for `bootstrap`; the seed is 20241 if none is given.

    Examples
    --------
    >>> truth = ["a", "b", "b", "a"] * 25
    >>> bold = [[0.9, 0.1], [0.1, 0.9], [0.8, 0.2], [0.7, 0.3]] * 25
    >>> meek = [[0.6, 0.4], [0.4, 0.6], [0.6, 0.4], [0.4, 0.6]] * 25
    >>> result = difference(truth, bold, meek, "accuracy")
    >>> round(result.value, 3), result.share_above
    (0.226, 1.0)
    """
    _check_two(predictions)
    one = _Model.of(Predictions.read(truth, first, labels, prediction=predictions[0]))
    other = _Model.of(Predictions.read(truth, second, labels, prediction=predictions[1], order=one.rows.labels))
    return _resampled([one, other], metric, average, convention, level, draws, stratified, rng)


def check_resampling(level: object, draws: object) -> None:
    """Check the level of an interval and the number of resamples."""
    if not (isinstance(level, int | float) and 0 < level < 1):
        raise InputError("bad_option", "level", "must lie between 0 and 1", level, "such as 0.95")
    if not isinstance(draws, int) or draws < 1:
        raise InputError("bad_option", "draws", "must be a whole number, 1 or more", draws, "such as 1000")


@dataclass(frozen=True)
class CertaintyComparison(Result, schema="certainty_comparison", source="`certainty.compare_certainty`"):
    """Which of two models is surer of the same cases, by how much, and how the certainty ratios differ.

    Examples
    --------
    >>> truth = ["a", "b", "b", "a"] * 25
    >>> bold = [[0.9, 0.1], [0.1, 0.9], [0.8, 0.2], [0.7, 0.3]] * 25
    >>> meek = [[0.6, 0.4], [0.4, 0.6], [0.6, 0.4], [0.4, 0.6]] * 25
    >>> result = compare_certainty(truth, bold, meek, ["accuracy"], names=("bold", "meek"))
    >>> result.surer, round(result.difference, 3), round(result.ratios[0].value, 3)
    ('bold', 0.225, 0.226)
    """

    first: Annotated[str, "The first model."]
    second: Annotated[str, "The second model."]
    rows_read: Annotated[Count, "How many cases both judged."]
    certain_first: Annotated[Chance, "The share of the first model's probability that lies on what it predicts."]
    certain_second: Annotated[Chance, "The same for the second model."]
    difference: Annotated[float, "The first share minus the second."]
    low: Annotated[float, "The lower end of the difference."]
    high: Annotated[float, "The upper end of the difference."]
    level: Annotated[Level, "The level: how often such intervals contain the true value."]
    draws: Annotated[Count, "How many resamples were drawn."]
    method: Annotated[str, "How rows were resampled; the same ones for both models."]
    seed: Annotated[Count | None, "The seed of the random numbers; null if a generator was given."]
    ratios: Annotated[tuple[Resampled, ...], "The first model's certainty ratio minus the second's, by metric."] = ()
    notes: Notes = ()

    def _members(self) -> Members:
        return (
            *columns(self.first, self.second, self.rows_read, self.certain_first, self.certain_second, self.difference,
            self.low, self.high, self.level, self.surer, self.draws, self.method), self.seed, self.ratios, self.notes,
        )  # fmt: skip

    @property
    def surer(self) -> str | None:
        """The model that is surer; None where the interval of the difference holds 0."""
        return self.first if self.low > 0 else self.second if self.high < 0 else None


def compare_certainty(
    truth: Any,
    first: Any,
    second: Any,
    metrics: Sequence[str | Metric] = SPLIT,
    *,
    labels: Sequence[Hashable] | None = None,
    names: tuple[str, str] = ("first", "second"),
    convention: Convention = "strict",
    predictions: tuple[Any, Any] = (None, None),
    level: float = 0.95,
    draws: int = 1000,
    stratified: bool = True,
    rng: np.random.Generator | int | None = None,
) -> CertaintyComparison:
    """Say which of two models is surer of what it predicts, on the same cases, and how their certainty ratios differ.

    A model is surer if more of its probability lies on the classes that it predicts. That does not make it right more
    often: `compare_models` tests that, and `calibrate` tests whether its confidence is justified.

    Parameters
    ----------
    truth, first, second, labels, predictions, level, draws, stratified, rng, convention
        As for `difference`. Intervals are bootstrapped, on the same resampled cases for both models.
    metrics
        The metrics whose certainty ratios are compared.
    names
        Names for the two models.

    Examples
    --------
    >>> truth, bold, meek = ["a", "b"] * 30, [[0.9, 0.1], [0.1, 0.9]] * 30, [[0.6, 0.4], [0.4, 0.6]] * 30
    >>> result = compare_certainty(truth, meek, bold, ["accuracy"])
    >>> result.surer, round(result.difference, 2), result.ratios[0].value
    ('second', -0.3, 0.0)
    """
    _check_two(predictions)
    one = Predictions.read(truth, first, labels, prediction=predictions[0])
    other = Predictions.read(truth, second, labels, prediction=predictions[1], order=one.labels)
    options: Any = {"names": names, "convention": convention, "level": level, "draws": draws, "stratified": stratified}
    return comparison_of(one, other, metrics, rng=rng, **options)


def comparison_of(
    first: Predictions,
    second: Predictions,
    metrics: Sequence[str | Metric] = SPLIT,
    *,
    names: tuple[str, str] = ("first", "second"),
    convention: Convention = "strict",
    level: float = 0.95,
    draws: int = 1000,
    stratified: bool = True,
    rng: np.random.Generator | int | None = None,
) -> CertaintyComparison:
    """Do what `compare_certainty` does, for rows that are checked and have their labels in one order."""
    check_resampling(level, draws)
    models, named_notes = (
        [_Model.of(first), _Model.of(second)],
        list({metric.id: metric for metric in map(find_metric, metrics)}.values()),
    )
    source, seed = generator(SEED if rng is None else rng), seed_of(rng)
    asked = [partial(_ratios, metric=metric, average=None, convention=convention) for metric in named_notes]
    weights, *ratios = _drawn(models, [_certain, *asked], draws, stratified, source)
    low, high, _ = _ends(weights, level)
    assert low is not None, "every case has probability"
    assert high is not None, "every case has probability"
    one, other = (model.whole.weight_certain for model in models)
    difference = 0.0 if abs(one - other) <= ROUNDING else one - other
    shares, ends = (one, other, difference), (min(low, difference), max(high, difference))
    resampled = [
        _ratio_with_ends(models, metric, None, convention, drawn, level, stratified, seed)
        for metric, drawn in zip(named_notes, ratios, strict=True)
    ]
    words = f"intervals are approximations: {_method(stratified)}, the same for both models"
    notes = (Note("approximation", words, {}),)
    how = _method(stratified)
    return CertaintyComparison(*names, len(first), *shares, *ends, level, draws, how, seed, tuple(resampled), notes)


def _check_two(predictions: object) -> None:
    if not isinstance(predictions, tuple | list) or len(predictions) != 2:
        hint = "give two, None where a model has none"
        raise InputError("bad_shape", "predictions", "must be two columns of labels", predictions, hint)


@dataclass(frozen=True, eq=False)
class _Model:
    """The rows of one model, the class that each is predicted to be, and the matrices of all."""

    rows: Predictions
    predicted: Places
    whole: Decomposition

    @classmethod
    def of(cls, rows: Predictions) -> _Model:
        predicted = rows.values.argmax(axis=1) if rows.predicted is None else rows.predicted
        return cls(rows, predicted, rows.decomposed())

    def adds(self, index: Places) -> Floats:
        """Return what each of some rows adds to its class's row of the certain and of the uncertain matrix."""
        uncertain = self.rows.values[index].astype(np.float64)
        certain = np.zeros_like(uncertain)
        place = np.arange(len(index)), self.predicted[index]
        certain[place] = uncertain[place]
        uncertain[place] = 0.0
        return np.hstack([certain, uncertain])


def _resampled(
    models: list[_Model],
    name: str | Metric,
    average: Average | None,
    convention: Convention,
    level: float,
    draws: int,
    stratified: bool,
    rng: np.random.Generator | int | None,
) -> Resampled:
    check_resampling(level, draws)
    metric = find_metric(name)
    source, seed = generator(SEED if rng is None else rng), seed_of(rng)
    [drawn] = _drawn(
        models, [partial(_ratios, metric=metric, average=average, convention=convention)], draws, stratified, source
    )
    return _ratio_with_ends(models, metric, average, convention, drawn, level, stratified, seed)


def seed_of(rng: object) -> int | None:
    """Return where random numbers start; None where a generator was given."""
    return SEED if rng is None else int(rng) if isinstance(rng, int | np.integer) else None


def _drawn(
    models: list[_Model],
    numbers: Sequence[Callable[[Floats], Floats]],
    draws: int,
    stratified: bool,
    source: np.random.Generator,
) -> list[Floats]:
    """Return each of some numbers, for each resample and model; all are asked of the same resamples."""
    batches = [[number(sums) for number in numbers] for sums in _matrices(models, draws, stratified, source)]
    return [np.concatenate(parts) for parts in zip(*batches, strict=True)]


def _ends(drawn: Floats, level: float) -> tuple[float | None, float | None, Floats]:
    """Return the ends of the percentile interval of a number or of its difference, and the numbers that are defined."""
    numbers = drawn[:, 0] - drawn[:, 1] if drawn.shape[1] > 1 else drawn[:, 0].copy()
    # Equal ratios differ by what rounding leaves, and that is not above 0.
    numbers[np.abs(numbers) <= ROUNDING] = 0.0
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return None, None, known
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high, known


def _method(stratified: bool) -> str:
    return f"percentile bootstrap, rows resampled {'within each true class' if stratified else 'over all classes'}"


def _ratio_with_ends(
    models: list[_Model],
    metric: Metric,
    average: Average | None,
    convention: Convention,
    drawn: Floats,
    level: float,
    stratified: bool,
    seed: int | None,
) -> Resampled:
    ratios = [model.whole.ratio(metric, average=average, convention=convention) for model in models]
    values = [ratio.value for ratio in ratios if ratio.value is not None]
    value = None if len(values) < len(ratios) else values[0] - sum(values[1:])
    low, high, known = _ends(drawn, level)
    above = float(np.mean(known > 0)) if len(models) > 1 and len(known) else None
    if value is None:
        low = high = above = None
    about, undefined = (metric.id, average, convention), len(drawn) - len(known)
    notes = _notes(models, ratios, undefined)
    counts, how = (len(drawn), undefined), _method(stratified)
    return Resampled(*about, value, low, high, level, *counts, how, seed, above, notes)


def _notes(models: list[_Model], ratios: list[CertaintyRatio], undefined: int) -> tuple[Note, ...]:
    notes = []
    for which, model, ratio in zip(("first: ", "second: "), models, ratios, strict=False):
        notes_of_model = [*model.whole.notes, *ratio.notes]
        if ratio.value is None:
            notes_of_model.append(Note("score_undefined", "; ".join(ratio.reasons), {}))
        begin = which if len(models) > 1 else ""
        notes += [Note(note.code, begin + note.text, note.data) for note in notes_of_model]
    if undefined:
        words = f"{undefined} resamples leave the ratio undefined; the interval is of the others"
        notes.append(Note("undefined_mass", words, {"resamples": undefined}))
    return tuple(notes)


def _matrices(models: list[_Model], draws: int, stratified: bool, generator: np.random.Generator) -> Iterator[Floats]:
    """Yield batches of resamples: their matrices by model, part (certain, uncertain), actual and predicted class."""
    k = len(models[0].rows.labels)
    width = 2 * len(models) * k
    blocks = _blocks(models[0].rows.actual, k, max(1, _MOST_NUMBERS // width))
    batch = max(1, _MOST_NUMBERS // (width * k))
    for start in range(0, draws, batch):
        count = min(batch, draws - start)
        sums = np.zeros((count, k, width))
        totals = _totals(blocks, count, stratified, generator)
        for i, (label, rows) in enumerate(blocks):
            adds = np.hstack([model.adds(rows) for model in models])
            step = max(1, _MOST_NUMBERS // len(rows))
            for first in range(0, count, step):
                counts = _counts(totals[first : first + step, i], len(rows), generator)
                sums[first : first + step, label] += counts @ adds
        yield np.moveaxis(sums.reshape(count, k, len(models), 2, k), 1, 3)


def _blocks(actual: Places, k: int, most: int) -> list[tuple[int, Places]]:
    """Return pieces of rows of one class each, with that class."""
    order = np.argsort(actual, kind="stable")
    ends = np.cumsum(np.bincount(actual, minlength=k))[:-1]
    return [
        (label, places[start : start + most])
        for label, places in enumerate(np.split(order, ends))
        for start in range(0, len(places), most)
    ]


def _totals(
    blocks: list[tuple[int, Places]], draws: int, stratified: bool, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Return how many rows each resample draws from each block: multinomial over the blocks of a stratum."""
    sizes = np.array([len(rows) for _, rows in blocks])
    strata = np.array([label for label, _ in blocks]) if stratified else np.zeros(len(blocks), dtype=np.int64)
    totals = np.empty((draws, len(blocks)), dtype=np.int64)
    for stratum in np.unique(strata):
        inside = strata == stratum
        totals[:, inside] = generator.multinomial(sizes[inside].sum(), sizes[inside] / sizes[inside].sum(), size=draws)
    return totals


def _counts(totals: NDArray[np.int64], rows: int, generator: np.random.Generator) -> Floats:
    """Return how often each row is drawn in each resample.

    Equal chances: drawing rows and counting them is the same law as a multinomial draw, and several times as fast.
    """
    places = np.repeat(np.arange(len(totals)) * rows, totals)
    places += generator.integers(0, rows, size=len(places))
    return np.bincount(places, minlength=len(totals) * rows).reshape(-1, rows).astype(np.float64)


def _certain(sums: Floats) -> Floats:
    """Return the share of the probability that lies on predicted classes, for each resample and model."""
    parts = sums.sum(axis=(-1, -2))
    shares: Floats = parts[..., 0] / parts.sum(axis=-1)
    return shares


def _ratios(sums: Floats, metric: Metric, average: Average | None, convention: Convention) -> Floats:
    """Return the certainty ratio for each resample and model, nan where it is undefined."""
    k = sums.shape[-1]
    parts = matrix_scores(sums.reshape(-1, k, k), metric, average).reshape(sums.shape[:3])
    if convention == "paper":
        parts = np.nan_to_num(parts, nan=0.0)
    certain, total = parts[..., 0], parts.sum(axis=-1)
    ratios: Floats = np.divide(certain, total, out=np.full_like(total, np.nan), where=~cancelled(total, metric))
    return ratios


def matrix_scores(matrices: Floats, metric: Metric, average: Average | None) -> Floats:
    """Return a metric of each matrix, nan where it is undefined; as `score_of`, for many at once.

    All sums are of mass that is 0 or more, never differences, so that what must be 0 is exactly 0.
    """
    others = 1 - np.eye(matrices.shape[-1])
    form = metric.over_classes
    if average is None and isinstance(form, Formula):
        return form.evaluate(_sums(matrices, others))
    if average is None and isinstance(form, Averaged):
        metric, average = form.base, form.average
    # The four cells of each class against the rest, a row for each matrix.
    missed = matrices @ others  # [a, i]: actual a, predicted anything but i
    cells = {
        "tp": np.einsum("dii->di", matrices),
        "fn": np.einsum("dii->di", missed),
        "fp": np.einsum("dai,ai->di", matrices, others),
        "tn": np.einsum("dai,ai->di", missed, others),
    }
    if average == "micro":
        return metric.formula.evaluate({name: part.sum(axis=1) for name, part in cells.items()})
    values = metric.formula.evaluate(cells)
    weights = cells["tp"] + cells["fn"] if average == "weighted" else np.ones_like(values)
    total = weights.sum(axis=1)
    scores: Floats = np.divide((weights * values).sum(axis=1), total, out=np.full(len(total), np.nan), where=total > 0)
    return scores


def _sums(matrices: Floats, others: Floats) -> dict[str, Floats]:
    """Return the sums of `Matrix.sums` for each matrix."""
    actual, predicted = matrices.sum(axis=2), matrices.sum(axis=1)
    return {
        "correct": np.einsum("dii->d", matrices),
        "total": actual.sum(axis=1),
        "chance": (actual * predicted).sum(axis=1),
        "chance_wrong": (actual * (predicted @ others)).sum(axis=1),
        "split_actual": (actual * (actual @ others)).sum(axis=1),
        "split_predicted": (predicted * (predicted @ others)).sum(axis=1),
    }
