"""An audit: every group's scores beside a reference, with intervals, exact tests, and smoothed scores."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated, Any, Final, NamedTuple

import numpy as np

from ..errors import InputError, Note, Notes, TooLarge, suggestion, verbatim
from ..formula import CELLS
from ..frames import count_groups
from ..metrics import AUDITED, Metric, MetricId
from ..metrics import metric as find_metric
from ..shape import Amount, Chance, Count, Record, Result, flat, joined
from ..space.draws import Source
from ..space.laws import law
from ..table import MISSING, Matrix, Table, positive_label
from .intervals import Interval, OfInterval, check_level, interval
from .matching import Match, as_table, match, missing_cells
from .smoothing import Smoothed, Strength, smooth_towards, together, without

# Laws of more rows take longer than about half a second: they are approximated, and say so.
_MOST_ROWS: Final = 300_000
# In groups up to this size it is worth asking which scores could have been significant at all.
_MOST_CASES_OF_SMALL: Final = 200
_MOST_GROUPS: Final = 5000
# A reference of fewer times the group's cases adds a chance of its own that is worth a note.
_LARGE_REFERENCE: Final = 10


class _Options(NamedTuple):
    """What holds for all of an audit."""

    metrics: Any
    reference: Any
    level: float
    strength: Strength
    reference_uncertainty: bool
    progress: Callable[[float], None] | None = None


def _plain_values(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return values for JSON: what it has no type for, as text."""
    plain = (str, int, bool, type(None))
    return {
        name: value if isinstance(value, plain) or (isinstance(value, float) and math.isfinite(value)) else str(value)
        for name, value in values.items()
    }


@dataclass(frozen=True)
class Group:
    """A group of cases: how it is made, its table, and what it is compared with."""

    name: Annotated[str, "The group's name."]
    by: Annotated[Mapping[str, Any], "The value of each column that makes the group.", _plain_values]
    table: Table
    reference: Table | None = None
    inside: bool = False

    @property
    def size(self) -> Count:
        """The cases of the group."""
        return self.table.total


@dataclass(frozen=True)
class Finding(
    Record,
    columns="group=group.name n=group.size *group.table metric score low=interval.low high=interval.high "
    "interval_method=interval.method percentile=match.percentile p_value mid_p=match.mid_p p_holm p_fdr "
    "undefined_mass=match.undefined test_method=match.method smoothed significant_up_to significant_from too_small "
    "undefined_because notes",
    members="unlimited=interval.unlimited by=group.by reference_uncertainty=match.reference_uncertainty",
):
    """One group and one metric."""

    group: Group
    metric: MetricId
    label: str
    interval: Interval
    match: Match | None
    smoothed: Annotated[float | None, "The score of the smoothed table; null where it is undefined."]
    p_holm: Annotated[Chance | None, "The p-value corrected for all tests of the audit, by Holm."] = None
    p_fdr: Annotated[Chance | None, "The same by Benjamini and Hochberg."] = None
    significant_up_to: Annotated[float | None, "Scores up to this would have been significant, uncorrected."] = None
    significant_from: Annotated[float | None, "Scores from this on would have been significant, uncorrected."] = None
    too_small: Annotated[bool, "Whether no score of so few cases could have been significant."] = False
    notes: Notes = ()

    @property
    def score(self) -> float | None:
        """The group's score; null where it is undefined."""
        return self.interval.value

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the score is undefined; empty where it is defined."""
        notes = [note for note in self.interval.notes if note.code == "score_undefined"]
        return tuple(reason for note in notes for reason in note.data["reasons"])

    @property
    def undefined_because(self) -> str:
        """Why the score is undefined, as one text."""
        return joined(self.reasons)

    @property
    def p_value(self) -> Chance | None:
        """The exact two-sided p-value, not corrected."""
        return self.match.p_value if self.match else None

    def differs(self, level: float) -> bool:
        """Whether the score differs from the reference's after Holm's correction."""
        return self.p_holm is not None and self.p_holm <= 1 - level

    def row(self) -> dict[str, Any]:
        """Return one flat record, the columns that make the group first."""
        own = flat(self)
        # A column of the data that is called like one of these gets a mark.
        made = {f"{name}_" if name in own else name: value for name, value in self.group.by.items()}
        return {**{name: MISSING if value is None else value for name, value in made.items()}, **own}


@dataclass(frozen=True)
class Audit(
    Result,
    schema="audit",
    source="`audit`",
    members="by metrics reference level strength strength_chosen_by rows_read table overall findings notes",
):
    """Every group's scores beside a reference.

    Examples
    --------
    >>> result = audit_tables({"a": Table(tp=8, fn=2, fp=3, tn=7), "b": Table(tp=30, fn=9, fp=12, tn=49)},
    ...                       metrics=["recall"])
    >>> [(row.group.name, round(row.score, 3), round(row.p_value, 3)) for row in result.findings]
    [('a', 0.8, 0.974), ('b', 0.769, 0.581)]
    """

    by: Annotated[tuple[str, ...], "The columns that make groups."]
    metrics: Annotated[tuple[str, ...], "The metrics' ids."]
    reference: Annotated[str, "rest, all, or the name of a group."]
    level: OfInterval
    strength: Annotated[Amount, "The strength of the smoothing."]
    strength_chosen_by: Annotated[str, "Who chose it."]
    table: Annotated[Table, "All cases."]
    overall: Annotated[Mapping[str, Interval], "By a metric's id: the score of all cases, with its interval."]
    groups: tuple[Group, ...]
    findings: Annotated[tuple[Finding, ...], "A record for each group and metric."]
    rows_read: Annotated[Count, "The rows that were counted."]
    notes: Notes = ()

    @property
    def by_group(self) -> dict[str, dict[str, Finding]]:
        """The findings by the group's name, then by metric."""
        groups: dict[str, dict[str, Finding]] = {}
        for finding in self.findings:
            groups.setdefault(finding.group.name, {})[finding.metric] = finding
        return groups

    def _rows(self) -> list[dict[str, Any]]:
        """Return one flat record for each group and metric."""
        return [finding.row() for finding in self.findings]


def audit(
    data: Any,
    *,
    truth: str,
    prediction: str,
    by: str | Sequence[str],
    metrics: Sequence[str | Metric] = AUDITED,
    reference: str = "rest",
    positive: Hashable | None = None,
    level: float = 0.95,
    strength: Strength = 10,
    reference_uncertainty: bool = False,
    query: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Audit:
    """Compare groups in data of any kind: their scores, exact tests against a reference, intervals, smoothed scores.

    Parameters
    ----------
    data
        A data frame (pandas, polars, pyarrow, DuckDB, Dask, PySpark, Ibis), a mapping of columns, or the path of
        CSV or parquet files, also with ``*`` in it, or of a DuckDB or SQLite file.
    truth, prediction, by
        The columns of labels, and the columns that make the groups. With several, every combination is a group too.
    metrics
        Names of metrics.
    reference
        What a group is compared with: "rest" (all other cases), "all", or the name of one group, ``race=White``.
    positive
        The label that counts as positive. May be left out for labels 0 and 1, False and True, or -1 and 1.
    level
        Of the intervals; tests are called significant at 1 minus this.
    strength
        Of the smoothing; "auto" learns it from all groups.
    reference_uncertainty
        Whether tests count in that a reference's own shares are known only from its cases.
    query
        A select to run in a DuckDB or SQLite file.
    progress
        Called now and then with the share of the work that is done.

    Examples
    --------
    >>> data = {"y": [1, 1, 1, 0, 0, 1], "yhat": [1, 0, 1, 0, 1, 1], "sex": ["f", "f", "m", "m", "f", "m"]}
    >>> result = audit(data, truth="y", prediction="yhat", by="sex", metrics=["recall"])
    >>> [(finding.group.name, finding.score) for finding in result.findings]
    [('sex=f', 0.5), ('sex=m', 1.0)]
    """
    columns = [by] if isinstance(by, str) else list(by) if isinstance(by, Iterable) else []
    for argument, names in (("by", columns), ("truth", [truth]), ("prediction", [prediction])):
        if any(not isinstance(name, str) for name in names):
            raise InputError("usage", argument, "must be a column's name", names, "give it as text")
    if not columns:
        raise InputError("usage", "by", "must name at least one column", by, "name the column that makes the groups")
    first_half = None if progress is None else lambda share: progress(share / 2)
    counted = count_groups(data, truth=truth, prediction=prediction, by=columns, query=query, progress=first_half)
    pairs: Counter[tuple[Any, Any]] = Counter()
    for group_pairs in counted.pairs.values():
        pairs.update(group_pairs)
    if not pairs:
        missing = verbatim(", ".join(f"{rows} rows without {name}" for name, rows in counted.missing.items()))
        raise InputError("empty", "truth", "no row has both labels", missing, "check the columns of labels")
    label, notes = _positive(pairs, positive)
    for name, rows in counted.missing.items():
        words = f"rows left out because they have no label in {name}: {rows}"
        notes += [Note("labels_missing", words, {"column": name, "rows": rows})] if rows else []
    tables = {values: _table(group_pairs, label) for values, group_pairs in counted.pairs.items()}
    second_half = None if progress is None else lambda share: progress(0.5 + share / 2)
    options = _Options(metrics, reference, level, strength, reference_uncertainty, second_half)
    result = _audited(counted.by, _combined(counted.by, tables), together(tables.values()), options)
    return replace(result, rows_read=counted.rows, notes=(*notes, *result.notes))


def audit_tables(
    groups: Mapping[Any, Table | Mapping[str, object]],
    *,
    metrics: Sequence[str | Metric] = AUDITED,
    reference: str | Table | Mapping[str, object] = "rest",
    level: float = 0.95,
    strength: Strength = 10,
    reference_uncertainty: bool = False,
) -> Audit:
    """Compare groups whose tables are known already.

    Parameters
    ----------
    groups
        Tables by name; they must not overlap.
    reference
        "rest", "all", the name of one group, or a table.
    metrics, level, strength, reference_uncertainty
        As in `audit`.
    """
    tables = {str(name): as_table(table, str(name)) for name, table in groups.items()}
    if len(tables) < len(groups):
        raise InputError("ambiguous", "groups", "have names that read the same", list(groups), "name them apart")
    if not tables:
        raise InputError("empty", "groups", "must hold at least one group", {}, "give tables by name")
    options = _Options(metrics, reference, level, strength, reference_uncertainty)
    return _audited((), [Group(name, {}, table) for name, table in tables.items()], together(tables.values()), options)


def _positive(pairs: Counter[tuple[Any, Any]], positive: Hashable | None) -> tuple[Hashable, list[Note]]:
    labels = Matrix.from_pairs(pairs).labels
    if isinstance(positive, str) and positive not in labels:
        # A text on the command line, a number in the data.
        positive = next((label for label in labels if str(label) == positive), positive)
    if len(labels) <= 2:
        return positive_label(labels, positive), []
    if positive is None:
        shown = verbatim(f"{len(labels)} classes: {', '.join(map(str, labels[:6]))}")
        hint = f"say which class is positive, such as {labels[0]}, and all others count as negative"
        raise InputError("bad_label", "truth", "has more than two classes", shown, hint)
    if positive not in labels:
        hint = suggestion(str(positive), map(str, labels), f"the data has {', '.join(map(str, labels[:6]))}")
        raise InputError("bad_label", "positive", "is no label of the data", positive, hint)
    words = f"{positive!r} is compared with {len(labels) - 1} other classes together"
    return positive, [Note("one_against_rest", words, {"labels": [str(label) for label in labels]})]


def _table(pairs: Counter[tuple[Any, Any]], positive: Hashable) -> Table:
    cells = Counter(dict.fromkeys(CELLS, 0))
    for (actual, predicted), count in pairs.items():
        right, wrong = ("tp", "fn") if actual == positive else ("fp", "tn")
        cells[right if predicted == positive else wrong] += count
    return Table(**cells)


def _combined(by: tuple[str, ...], tables: Mapping[tuple[Any, ...], Table]) -> list[Group]:
    """Return the groups of each column, then those of every combination of columns."""
    groups: dict[str, Group] = {}
    for size in range(1, len(by) + 1):
        for places in combinations(range(len(by)), size):
            parts: dict[tuple[Any, ...], list[Table]] = {}
            for values, table in tables.items():
                parts.setdefault(tuple(values[i] for i in places), []).append(table)
            for key in sorted(parts, key=lambda key: [_sortable(value) for value in key]):
                values_by = {by[i]: value for i, value in zip(places, key, strict=True)}
                name = _name(values_by, groups)
                groups[name] = Group(name, values_by, together(parts[key]))
    if len(groups) > _MOST_GROUPS:
        hint = "name fewer columns, or columns with fewer values"
        raise TooLarge("too_large", "by", f"makes more than {_MOST_GROUPS} groups", len(groups), hint)
    return list(groups.values())


def _name(values: Mapping[str, Any], taken: Iterable[str]) -> str:
    """Return a group's name; where another group is written the same, one that tells them apart."""
    name = ", ".join(f"{column}={MISSING if value is None else value}" for column, value in values.items())
    if name in taken:
        name = ", ".join(f"{column}={value!r}" for column, value in values.items())
    while name in taken:
        name += "'"
    return name


def _sortable(value: Any) -> tuple[int, Any]:
    """Numbers by size, then texts, then what is missing."""
    if isinstance(value, int | float):
        return 0, float(value)
    return (2, "") if value is None else (1, str(value))


def _audited(by: tuple[str, ...], groups: Sequence[Group], whole: Table, options: _Options) -> Audit:
    level, given = options.level, options.metrics
    check_level(level)
    names = [given] if isinstance(given, str | Metric) else AUDITED if given is None else given
    metrics = {metric.id: metric for metric in map(find_metric, names)}
    if not metrics:
        raise InputError("usage", "metrics", "must name at least one", list(given), "name a metric")
    groups = _with_references(groups, whole, options.reference)
    pairs = {group.name: (group.table, group.reference) for group in groups if group.reference is not None}
    smoothed, strength, chosen_by = smooth_towards(pairs, options.strength)
    findings = []
    for i, group in enumerate(groups):
        findings += [_finding(group, metric, options, smoothed.get(group.name)) for metric in metrics.values()]
        if options.progress:
            options.progress((i + 1) / len(groups))
    reference = options.reference if isinstance(options.reference, str) else "a given table"
    overall = {name: interval(whole, metric, level=level) for name, metric in metrics.items()}
    parts = (tuple(groups), tuple(_corrected(findings)), whole.total, _on_references(groups, options))
    return Audit(by, tuple(metrics), reference, level, strength, chosen_by, whole, overall, *parts)


def _on_references(groups: Sequence[Group], options: _Options) -> tuple[Note, ...]:
    pairs = [(group.size, group.reference.total) for group in groups if group.reference is not None]
    small = sum(1 for own, other in pairs if other < _LARGE_REFERENCE * own)
    if options.reference_uncertainty or not small:
        return ()
    words = (
        f"{small} of {len(groups)} groups have references of less than {_LARGE_REFERENCE} times their cases, "
        "taken as known; reference_uncertainty counts in the references' own chance"
    )
    return (Note("reference_taken_as_known", words, {"groups": small}),)


def _with_references(groups: Sequence[Group], whole: Table, reference: Any) -> list[Group]:
    """Give each group what it is compared with; None where no case is left for that."""
    if reference == "rest":
        return [_compared(group, without(whole, group.table)) for group in groups]
    if reference == "all":
        return [_compared(group, whole) for group in groups]
    if not isinstance(reference, str):
        table = as_table(reference, "reference")
        return [_compared(group, table) for group in groups]
    base = _named_group(groups, reference)
    return [
        group if group is base else _compared(group, base.table, inside=group.by.items() >= base.by.items())
        for group in groups
    ]


def _compared(group: Group, table: Table, *, inside: bool = False) -> Group:
    return replace(group, reference=table if table.total else None, inside=inside and bool(group.by))


def _named_group(groups: Sequence[Group], name: str) -> Group:
    """Return the group with a name, however it is spaced."""
    exact = {group.name: group for group in groups}
    plain = {_plain_name(group.name): group for group in groups}
    group = exact.get(name) or plain.get(_plain_name(name))
    if group is None:
        hint = suggestion(name, exact, f"rest, all, or one of {', '.join(list(exact)[:6])}")
        raise InputError("bad_option", "reference", "is no group", name, hint)
    return group


def _plain_name(name: str) -> str:
    return name.replace(" ", "").casefold()


def _finding(group: Group, metric: Metric, options: _Options, smoothed: Smoothed | None) -> Finding:
    own = interval(group.table, metric, level=options.level)
    if group.reference is None or smoothed is None:
        words = "nothing to compare with: this is the reference, or no other case is left"
        return Finding(group, metric.id, metric.label, own, None, None, notes=(Note("no_reference", words, {}),))
    missing = missing_cells(group.table, group.reference)
    if metric.formula.exact(group.reference.cells()) is None:
        missing = []  # there is no score to compare with, however uncertain
    uncertain = options.reference_uncertainty or bool(missing)
    test = match(group.table, group.reference, metric, reference_uncertainty=uncertain, budget=_MOST_ROWS)
    score = smoothed.score(metric)
    low = high = None
    if 0 < group.size <= _MOST_CASES_OF_SMALL:
        low, high = _significant(group.size, metric, Source.of(group.reference, uncertain=uncertain), options.level)
    # A score that cannot be drawn at all is significant at any size.
    tested = test.p_value is not None and test.p_value > 1 - options.level
    too_small = 0 < group.size <= _MOST_CASES_OF_SMALL and low is None and high is None and tested
    # The interval says again why a score is undefined; approximations are of different things.
    said = {note.code for note in test.notes} - {"approximation"}
    own_notes = [note for note in own.notes if note.code not in said]
    notes = {note.text: note for note in (*_on_reference(group, missing), *test.notes, *own_notes)}
    about = (group, metric.id, metric.label, own, test, None if math.isnan(score) else score)
    listed = tuple(notes.values())
    return Finding(*about, significant_up_to=low, significant_from=high, too_small=too_small, notes=listed)


def _on_reference(group: Group, missing: Sequence[str]) -> Iterator[Note]:
    """Say what is special about a group's reference."""
    if missing:
        words = f"the reference has no {' and no '.join(missing)}; its shares were taken as uncertain"
        yield Note("impossible_cell", words, {"cells": list(missing)})
    if group.inside:
        yield Note("overlapping_reference", "the group is part of its reference", {})


def _significant(size: int, metric: Metric, source: Source, level: float) -> tuple[float | None, float | None]:
    """Return the scores up to which, and from which on, that of a small group would be significant."""
    try:
        values, chances = law(metric, size, source, budget=_MOST_ROWS).whole
    except TooLarge:
        return None, None
    tail = (1 - level) / 2
    low = np.flatnonzero(np.cumsum(chances) <= tail)
    high = np.flatnonzero(np.cumsum(chances[::-1])[::-1] <= tail)
    return (float(values[low[-1]]) if len(low) else None), (float(values[high[0]]) if len(high) else None)


def _corrected(findings: Sequence[Finding]) -> list[Finding]:
    """Correct p-values for all tests of the audit."""
    tested = [i for i, finding in enumerate(findings) if finding.p_value is not None]
    values = np.array([findings[i].p_value for i in tested], dtype=np.float64)
    order = np.argsort(values, kind="stable")
    count, rank = len(values), np.arange(len(values))
    holm, fdr = np.empty(count), np.empty(count)
    holm[order] = np.minimum(np.maximum.accumulate(values[order] * (count - rank)), 1.0)
    fdr[order] = np.minimum(np.minimum.accumulate((values[order] * count / (rank + 1))[::-1])[::-1], 1.0)
    corrected = list(findings)
    for i, by_holm, by_fdr in zip(tested, holm.tolist(), fdr.tolist(), strict=True):
        corrected[i] = replace(corrected[i], p_holm=by_holm, p_fdr=by_fdr)
    return corrected
