"""Which of two models is better, and on whom? Both are compared on the same rows, overall and in every group."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, cast

import numpy as np

from ...chance.draws import seed_of
from ...data import count_paired
from ...errors import InputError, Note, Notes, verbatim
from ...metrics import AUDITED, SPLIT, Metric
from ...metrics import metric as find_metric
from ...names import old_parameters
from ...shape import Chance, Count, Members, Record, Result, columns, flat, named
from ..testing.intervals import OfInterval, check_level
from ..testing.paired import Kinds, PairedComparison, label_set, of_classes, of_tables, read_positive
from .corrections import holm
from .grouping import combined, on_missing, plain_values, row_of

#: The verdict on one comparison.
Verdict: TypeAlias = Literal["different", "not shown", "too few", "undefined"]

_OVERALL: Final = "all rows"
# A p-value of 0.05 is then known within 0.004, two standard errors.
_LEAST_DRAWS: Final = 10_000


@dataclass(frozen=True)
class ModelFinding(Record):
    """One group and one metric of two models."""

    group: Annotated[str, "The group's name; all rows come first."]
    by: Annotated[Mapping[str, Any], "The value of each column that forms the group.", plain_values]
    comparison: PairedComparison
    verdict: Annotated[Verdict, "The verdict, after Holm's correction."] = "undefined"
    p_holm: Annotated[Chance | None, "The p-value corrected for all tests of the call, by Holm."] = None

    def _members(self) -> Members:
        return (
            *columns(self.group, named("n", self.comparison.n), named("metric", self.comparison.metric),
            named("score_a", self.comparison.score_a), named("score_b", self.comparison.score_b),
            named("only_a", self.comparison.only_a), named("only_b", self.comparison.only_b),
            named("differ", self.comparison.differ), named("difference", self.comparison.difference),
            named("low", self.comparison.low), named("high", self.comparison.high),
            named("p_value", self.comparison.p_value), named("mid_p", self.comparison.mid_p), self.p_holm, self.verdict,
            named("method", self.comparison.method), named("interval_method", self.comparison.interval_method),
            named("undefined", self.comparison.undefined), named("notes", self.comparison.notes)), self.by,
        )  # fmt: skip

    def row(self) -> dict[str, Any]:
        """Return one flat record; the columns that form the group come first."""
        return row_of(self.by, flat(self))


@dataclass(frozen=True)
class ModelComparison(Result, schema="model_comparison", source="`compare`"):
    """Two models on the same rows, overall and by group.

    Examples
    --------
    >>> data = {"y": [1] * 12 + [0] * 12, "a": [1] * 12 + [0] * 12, "b": [1] * 4 + [0] * 20}
    >>> result = compare_models(data, truth="y", prediction=["a", "b"], metrics=["recall"])
    >>> [(found.group, found.comparison.only_a, found.verdict) for found in result.findings]
    [('all rows', 8, 'different')]
    """

    models: Annotated[tuple[str, str], "The names of the two models."]
    by: Annotated[tuple[str, ...], "The columns that form groups."]
    metrics: Annotated[tuple[str, ...], "The metrics' ids."]
    positive: Annotated[str | None, "The label that counts as positive; null where classes are compared."]
    level: OfInterval
    tests: Annotated[Count, "How many p-values were corrected together."]
    findings: Annotated[tuple[ModelFinding, ...], "A record for all rows and for each group, and for each metric."]
    rows_read: Annotated[Count, "The rows that were read."]
    draws: Annotated[Count | None, "How many random swaps each test drew; null where none did."] = None
    seed: Annotated[int | None, "The seed of the random numbers; null if none were drawn."] = None
    notes: Notes = ()

    def _members(self) -> Members:
        return (
            self.models, self.by, self.metrics, self.positive, self.level, self.tests, self.draws, self.seed,
            self.rows_read, self.findings, self.notes,
        )  # fmt: skip

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each group and metric."""
        return [finding.row() for finding in self.findings]


@old_parameters(seed="rng")
def compare_models(
    data: Any,
    other: Any = None,
    *,
    truth: str,
    prediction: str | Sequence[str],
    by: str | Sequence[str] = (),
    metrics: Sequence[str | Metric] | str | Metric | None = None,
    positive: Hashable | None = None,
    level: float = 0.95,
    key: str | None = None,
    names: Sequence[str] | None = None,
    rng: np.random.Generator | int = 0,
    query: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> ModelComparison:
    """Compare two models on the same rows: their scores, the rows on which they differ, exact tests, intervals.

    Parameters
    ----------
    data, other
        One source with two columns of predictions: a data frame (pandas, polars, pyarrow, DuckDB, Dask, PySpark, Ibis),
        a mapping of columns, or the path of files, as for `audit`. Or two sources with the same rows, in files or in
        memory: their columns of truth must agree.
    truth, prediction, by
        The columns of labels, two of predictions or one that both sources have, and columns that make groups. With
        several of these, every combination is a group too.
    metrics
        Names of metrics; by default those of an audit, or for more than two classes accuracy, macro F1 and mcc.
    positive
        The label that counts as positive. May be left out for labels 0 and 1, False and True, or -1 and 1. With more
        than two classes all others count as negative; left out, they are compared as classes.
    level
        The level of the intervals; tests are called significant at 1 minus this, after Holm's correction for all of
        them.
    key
        For two sources: the column that says which rows belong together; without it, rows are matched by their order.
    names
        What to call the two models.
    rng
        A seed or generator for the random swaps, which only metrics of more than two classes need.
    query
        A select to run in a DuckDB or SQLite file.
    progress
        Called from time to time with the share of the work that is done.

    Examples
    --------
    >>> data = {"y": [1, 1, 1, 1, 0, 0], "old": [1, 0, 0, 0, 0, 1], "new": [1, 1, 1, 0, 0, 0]}
    >>> result = compare_models(data, truth="y", prediction=["old", "new"], metrics=["f1"])
    >>> found = result.findings[0]
    >>> round(found.comparison.difference, 4), found.comparison.p_value, found.verdict
    (-0.5238, 0.25, 'too few')
    """
    check_level(level)
    predictions = _predictions(prediction, other)
    columns = [by] if isinstance(by, str) else list(by)
    read = {"truth": truth, "predictions": predictions, "by": columns, "key": _key(key, other), "query": query}
    counted = count_paired(data, other, progress=progress, **cast("Any", read))
    total: Counter[Any] = Counter()
    for kinds in counted.kinds.values():
        total.update(kinds)
    if not total:
        missing = verbatim(", ".join(f"{rows} rows without {name}" for name, rows in counted.missing.items()))
        raise InputError("empty", "truth", "no row has all labels", missing, "check the columns of labels")
    labels = label_set(total)
    several = len(labels) > 2 and positive is None
    label = None if several else read_positive(labels, positive)
    chosen = _metrics(metrics, several=several)
    groups = [(_OVERALL, {}, total), *_groups(counted.by, counted.kinds)]
    # As many that the smallest p-value there can be is still small after correction.
    draws = max(_LEAST_DRAWS, math.ceil(2 * len(groups) * len(chosen) / (1 - level)))

    seed = seed_of(rng)

    def compared(kinds: Kinds, metric: Metric) -> PairedComparison:
        if label is None:
            return of_classes(kinds, metric, level=level, seed=seed, draws=draws)
        return of_tables(kinds, metric, label, level=level, seed=seed, draws=draws)

    findings = [ModelFinding(name, made, compared(kinds, metric)) for name, made, kinds in groups for metric in chosen]
    judged, tests = _judged(findings, level)
    drawn = any(finding.comparison.seed is not None for finding in judged)
    return ModelComparison(
        _names(names, predictions, data, other),
        counted.by,
        tuple(metric.id for metric in chosen),
        None if label is None else str(label),
        level,
        tests,
        tuple(judged),
        counted.rows,
        draws if drawn else None,
        seed if drawn else None,
        (*_notes(counted.missing, labels, label), *counted.notes),
    )


def _predictions(prediction: Any, other: Any) -> tuple[str, str]:
    given = [prediction] if isinstance(prediction, str) or not isinstance(prediction, Iterable) else list(prediction)
    if any(not isinstance(name, str) for name in given) or not 0 < len(given) <= 2:
        hint = "name two columns, or one that both files have"
        raise InputError("usage", "prediction", "must name one or two columns", prediction, hint)
    if len(given) == 1 and other is None:
        hint = "give a second file, or name the other model's column too"
        raise InputError("usage", "prediction", "only one model is named", given[0], hint)
    return given[0], given[-1]


def _key(key: str | None, other: Any) -> str | None:
    if key is not None and other is None:
        raise InputError("usage", "key", "works only with two sources", key, "leave it out")
    return key


def _names(names: Sequence[str] | None, predictions: tuple[str, str], data: Any, other: Any) -> tuple[str, str]:
    if names is not None:
        first, second = names
        return str(first), str(second)
    if predictions[0] != predictions[1]:
        return predictions
    if isinstance(data, str | Path) and isinstance(other, str | Path):
        return short_names(str(data), str(other))
    return "first", "second"


def short_names(*paths: str) -> tuple[str, str]:
    """Return what to call two files: without folder and ending, where that tells them apart."""
    one, other = (Path(path).name.partition(".")[0] for path in paths)
    return (one, other) if one != other and one and other else (paths[0], paths[1])


def _metrics(given: Any, *, several: bool) -> list[Metric]:
    names = [given] if isinstance(given, str | Metric) else list(given or (SPLIT if several else AUDITED))
    return list({metric.id: metric for metric in map(find_metric, names)}.values())


def _groups(
    by: tuple[str, ...], kinds: Mapping[tuple[Any, ...], Kinds]
) -> Iterator[tuple[str, dict[str, Any], Counter[Any]]]:
    """Yield the groups of each column, then those of every combination of columns, each with its rows."""
    for name, made, parts in combined(by, kinds, (_OVERALL,)):
        rows: Counter[Any] = Counter()
        for part in parts:
            rows.update(kinds[part])
        yield name, made, rows


def _judged(findings: Sequence[ModelFinding], level: float) -> tuple[list[ModelFinding], int]:
    """Correct all p-values by Holm's method, and say what follows."""
    tested = [i for i, finding in enumerate(findings) if finding.comparison.p_value is not None]
    values = holm(np.array([findings[i].comparison.p_value for i in tested], dtype=np.float64))
    corrected, alpha = dict(zip(tested, values.tolist(), strict=True)), 1 - level
    judged = []
    for i, finding in enumerate(findings):
        verdict: Verdict = "undefined"
        if i in corrected:
            least = finding.comparison.least_p or 0.0
            few = least * len(tested) > alpha
            verdict = "different" if corrected[i] <= alpha else "too few" if few else "not shown"
        judged.append(replace(finding, verdict=verdict, p_holm=corrected.get(i)))
    return judged, len(tested)


def _notes(missing: Mapping[str, int], labels: Sequence[Any], positive: Hashable | None) -> Iterator[Note]:
    yield from on_missing(missing)
    if positive is not None and len(labels) > 2:
        words = f"{positive!r} is compared with {len(labels) - 1} other classes together"
        yield Note("one_against_rest", words, {"labels": [str(label) for label in labels]})
